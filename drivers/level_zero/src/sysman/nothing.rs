// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What sysman can list and a CPU does not have, or does not tell.

use level_zero_sys::*;

use super::check;
use crate::entry::entry;
use crate::handle::list;

entry! {
    fn zesDeviceEnumTemperatureSensors(device: zes_device_handle_t, count: *mut u32, to: *mut zes_temp_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe {
            check(device)?;
            list(count, to, std::iter::empty())
        }
    }

    fn zesDeviceEnumFans(device: zes_device_handle_t, count: *mut u32, to: *mut zes_fan_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe {
            check(device)?;
            list(count, to, std::iter::empty())
        }
    }

    fn zesDeviceEnumLeds(device: zes_device_handle_t, count: *mut u32, to: *mut zes_led_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe {
            check(device)?;
            list(count, to, std::iter::empty())
        }
    }

    fn zesDeviceEnumPsus(device: zes_device_handle_t, count: *mut u32, to: *mut zes_psu_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe {
            check(device)?;
            list(count, to, std::iter::empty())
        }
    }

    fn zesDeviceEnumPowerDomains(device: zes_device_handle_t, count: *mut u32, to: *mut zes_pwr_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe {
            check(device)?;
            list(count, to, std::iter::empty())
        }
    }

    fn zesDeviceEnumRasErrorSets(device: zes_device_handle_t, count: *mut u32, to: *mut zes_ras_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe {
            check(device)?;
            list(count, to, std::iter::empty())
        }
    }

    fn zesDeviceEnumStandbyDomains(device: zes_device_handle_t, count: *mut u32, to: *mut zes_standby_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe {
            check(device)?;
            list(count, to, std::iter::empty())
        }
    }

    fn zesDeviceEnumSchedulers(device: zes_device_handle_t, count: *mut u32, to: *mut zes_sched_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe {
            check(device)?;
            list(count, to, std::iter::empty())
        }
    }

    fn zesDeviceEnumFirmwares(device: zes_device_handle_t, count: *mut u32, to: *mut zes_firmware_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe {
            check(device)?;
            list(count, to, std::iter::empty())
        }
    }

    fn zesDeviceEnumPerformanceFactorDomains(device: zes_device_handle_t, count: *mut u32, to: *mut zes_perf_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe {
            check(device)?;
            list(count, to, std::iter::empty())
        }
    }

    fn zesDeviceEnumFabricPorts(device: zes_device_handle_t, count: *mut u32, to: *mut zes_fabric_port_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe {
            check(device)?;
            list(count, to, std::iter::empty())
        }
    }

    fn zesDeviceEnumDiagnosticTestSuites(device: zes_device_handle_t, count: *mut u32, to: *mut zes_diag_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe {
            check(device)?;
            list(count, to, std::iter::empty())
        }
    }

    fn zesDeviceEnumOverclockDomains(device: zes_device_handle_t, count: *mut u32, to: *mut zes_overclock_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe {
            check(device)?;
            list(count, to, std::iter::empty())
        }
    }

    fn zesDeviceEnumActiveVFExp(device: zes_device_handle_t, count: *mut u32, to: *mut zes_vf_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe {
            check(device)?;
            list(count, to, std::iter::empty())
        }
    }

    fn zesDeviceEnumEnabledVFExp(device: zes_device_handle_t, count: *mut u32, to: *mut zes_vf_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe {
            check(device)?;
            list(count, to, std::iter::empty())
        }
    }
}
