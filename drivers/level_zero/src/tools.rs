// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions of tools: metrics, which a CPU does not have, and debuggers, for which those of the host serve.

use level_zero_sys::*;

use crate::Device;
use crate::entry::entry;
use crate::handle::{list, object, out};

entry! {
    fn zetMetricGroupGet(device: zet_device_handle_t, count: *mut u32, groups: *mut zet_metric_group_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe {
            object::<Device>(device.cast())?;
            list(count, groups, std::iter::empty())
        }
    }

    fn zetMetricProgrammableGetExp(
        device: zet_device_handle_t,
        count: *mut u32,
        programmables: *mut zet_metric_programmable_exp_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        unsafe {
            object::<Device>(device.cast())?;
            list(count, programmables, std::iter::empty())
        }
    }

    fn zetDeviceGetDebugProperties(device: zet_device_handle_t, properties: *mut zet_device_debug_properties_t) {
        // SAFETY: passed on to the caller.
        unsafe {
            object::<Device>(device.cast())?;
            out(properties)?.flags = 0;
        }
        Ok(())
    }
}
