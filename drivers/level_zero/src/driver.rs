// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The driver, of which there is one.

use std::sync::Arc;

use level_zero_sys::*;
use oxur_fork::OnceLock;

use crate::Device;
use crate::entry::{ZeResult, entry};
use crate::handle::{self, list, object, out};

/// The driver.
pub(crate) struct Driver {
    /// The devices, and their handles.
    pub(crate) devices: Vec<Arc<Device>>,
}

impl Driver {
    /// The driver and its handle, which live as long as the process.
    pub(crate) fn get() -> (&'static Arc<Self>, ze_driver_handle_t) {
        static DRIVER: OnceLock<(Arc<Driver>, usize)> = OnceLock::new();
        let (driver, handle) = DRIVER.get_or_init(|| {
            crate::entry::init();
            let driver = Arc::new(Self {
                devices: Device::roots(),
            });
            let handle = handle::export(driver.clone());
            (driver, handle as usize)
        });
        (driver, *handle as ze_driver_handle_t)
    }
}

/// The handle of a driver that the client names.
unsafe fn check(driver: ze_driver_handle_t) -> ZeResult<&'static Arc<Driver>> {
    // SAFETY: passed on to the caller.
    unsafe { object::<Driver>(driver) }
}

entry! {
    fn zeInit(_flags: ze_init_flags_t) {
        Driver::get();
        Ok(())
    }

    fn zeDriverGet(count: *mut u32, drivers: *mut ze_driver_handle_t) {
        let (_, handle) = Driver::get();
        // SAFETY: passed on to the caller.
        unsafe { list(count, drivers, std::iter::once(handle)) }
    }

    fn zeInitDrivers(count: *mut u32, drivers: *mut ze_driver_handle_t, desc: *mut ze_init_driver_type_desc_t) {
        let (_, handle) = Driver::get();
        // SAFETY: passed on to the caller.
        unsafe {
            out(desc)?;
            list(count, drivers, std::iter::once(handle))
        }
    }

    fn zeDeviceGet(driver: ze_driver_handle_t, count: *mut u32, devices: *mut ze_device_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe {
            let driver = check(driver)?;
            list(count, devices, driver.devices.iter().map(|device| device.handle()))
        }
    }

    fn zeDriverGetApiVersion(driver: ze_driver_handle_t, version: *mut ze_api_version_t) {
        // SAFETY: passed on to the caller.
        unsafe {
            check(driver)?;
            *out(version)? = API_VERSION;
        }
        Ok(())
    }

    fn zeDriverGetLastErrorDescription(driver: ze_driver_handle_t, message: *mut *const std::ffi::c_char) {
        // SAFETY: passed on to the caller.
        unsafe {
            check(driver)?;
            *out(message)? = crate::entry::last_message();
        }
        Ok(())
    }
}
