// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Devices, as sysman describes them.

use level_zero_sys::*;

use super::check;
use crate::config::Config;
use crate::entry::{entry, err};
use crate::handle::{Chain, list, none, object, out, write_text};
use crate::{Device, Driver};

fn uuid(device: &Device) -> zes_uuid_t {
    zes_uuid_t { id: device.uuid() }
}

entry! {
    fn zesDeviceGet(driver: zes_driver_handle_t, count: *mut u32, devices: *mut zes_device_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe {
            let driver = object::<Driver>(driver.cast())?;
            list(count, devices, driver.devices.iter().map(|device| device.handle().cast()))
        }
    }

    fn zesDeviceGetProperties(device: zes_device_handle_t, properties: *mut zes_device_properties_t) {
        // SAFETY: passed on to the caller.
        let (device, properties, chain) = unsafe {
            let (device, properties) = (check(device)?, out(properties)?);
            let chain = Chain::new(properties.pNext);
            (device, properties, chain)
        };
        properties.core.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2;
        device.write_properties(&mut properties.core);
        properties.numSubdevices = device.visible_sub_devices().len() as u32;
        write_text(&mut properties.serialNumber, b"unknown");
        write_text(&mut properties.boardNumber, b"unknown");
        let name = Config::get().name.as_deref().unwrap_or(&device.facts.name).as_bytes();
        write_text(&mut properties.brandName, name);
        write_text(&mut properties.modelName, name);
        write_text(&mut properties.vendorName, device.facts.vendor.as_bytes());
        write_text(&mut properties.driverVersion, crate::driver::by_name::version_text().as_bytes());
        if let Some(found) = chain.find_mut::<zes_device_ext_properties_t>() {
            found.uuid = uuid(device);
            // The enumerations of the core and of sysman have the same values.
            found.type_ = zes_device_type_t(properties.core.type_.0);
            found.flags = properties.core.flags;
        }
        Ok(())
    }

    fn zesDeviceGetState(device: zes_device_handle_t, state: *mut zes_device_state_t) {
        // SAFETY: passed on to the caller.
        let state = unsafe {
            check(device)?;
            out(state)?
        };
        state.reset = 0;
        state.repaired = ZES_REPAIR_STATUS_UNSUPPORTED;
        Ok(())
    }

    fn zesDeviceGetSubDevicePropertiesExp(
        device: zes_device_handle_t,
        count: *mut u32,
        properties: *mut zes_subdevice_exp_properties_t,
    ) {
        // SAFETY: passed on to the caller.
        unsafe {
            let parts = check(device)?.visible_sub_devices();
            crate::device::memory::fill(count, properties, parts, |to, part| {
                to.subdeviceId = part.index();
                to.uuid = uuid(part);
            })
        }
    }

    fn zesDriverGetDeviceByUuidExp(
        driver: zes_driver_handle_t,
        uuid: zes_uuid_t,
        device: *mut zes_device_handle_t,
        on_sub_device: *mut ze_bool_t,
        sub_device: *mut u32,
    ) {
        // SAFETY: passed on to the caller.
        let (driver, device, on_sub_device, sub_device) = unsafe {
            let driver = object::<Driver>(driver.cast())?;
            (driver, out(device)?, out(on_sub_device)?, out(sub_device)?)
        };
        let found = driver.all_devices().find(|device| device.uuid() == uuid.id);
        *device = found.map_or(none(), |found| found.handle().cast());
        let Some(found) = found else {
            return err(ZE_RESULT_ERROR_INVALID_ARGUMENT);
        };
        (*on_sub_device, *sub_device) = super::place(found);
        Ok(())
    }

    // CPUs have no ECC of their own that could be switched.
    fn zesDeviceEccAvailable(device: zes_device_handle_t, available: *mut ze_bool_t) {
        // SAFETY: passed on to the caller.
        unsafe {
            check(device)?;
            *out(available)? = 0;
        }
        Ok(())
    }

    fn zesDeviceEccConfigurable(device: zes_device_handle_t, configurable: *mut ze_bool_t) {
        // SAFETY: passed on to the caller.
        unsafe {
            check(device)?;
            *out(configurable)? = 0;
        }
        Ok(())
    }
}
