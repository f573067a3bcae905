// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//! Lists the loader's version, and all drivers with their extensions and devices.
//!
//! An argument is the path of a loader; without one, the system's is used.

use std::error::Error;
use std::ptr::null_mut;

use level_zero_sys::*;

fn main() -> Result<(), Box<dyn Error>> {
    let ze = match std::env::args_os().nth(1) {
        // SAFETY: whoever calls this names a loader.
        Some(path) => unsafe { Loader::open_at(path) }?,
        None => Loader::open()?,
    };
    let drivers = ze.drivers(ZE_INIT_DRIVER_TYPE_FLAG_GPU | ZE_INIT_DRIVER_TYPE_FLAG_NPU)?;
    println!(
        "headers {HEADERS_REVISION} (API {}.{})",
        API_VERSION.major(),
        API_VERSION.minor()
    );
    match ze.version() {
        Some(version) => println!("loader {version}"),
        None => println!("loader of an old version"),
    }

    for driver in drivers {
        print_driver(&ze, driver)?;
    }
    Ok(())
}

fn print_driver(ze: &Loader, driver: ze_driver_handle_t) -> Result<(), Box<dyn Error>> {
    let mut version = ze_api_version_t::default();
    let mut properties = ze_driver_properties_t::default();
    // SAFETY: the handle comes from zeDriverGet, and both variables are there to be written.
    unsafe {
        ze.zeDriverGetApiVersion(driver, &mut version)?.ok()?;
        ze.zeDriverGetProperties(driver, &mut properties)?.ok()?;
    }
    println!(
        "driver {:#x} (API {}.{})",
        properties.driverVersion,
        version.major(),
        version.minor()
    );

    let get = |count: &mut u32, list: *mut ze_driver_extension_properties_t| -> Result<(), Box<dyn Error>> {
        // SAFETY: `list` passes room for as many structures as it says, or null.
        Ok(unsafe { ze.zeDriverGetExtensionProperties(driver, count, list) }?.ok()?)
    };
    for extension in list(Default::default(), get)? {
        let (major, minor) = (ZE_MAJOR_VERSION(extension.version), ZE_MINOR_VERSION(extension.version));
        println!("  extension {} {major}.{minor}", text(&extension.name).unwrap_or("?"));
    }
    let get = |count: &mut u32, list: *mut ze_device_handle_t| -> Result<(), Box<dyn Error>> {
        // SAFETY: as above.
        Ok(unsafe { ze.zeDeviceGet(driver, count, list) }?.ok()?)
    };
    for device in list(null_mut(), get)? {
        let mut properties = ze_device_properties_t::default();
        let mut compute = ze_device_compute_properties_t::default();
        // SAFETY: the handle comes from zeDeviceGet, and both variables are there to be written.
        unsafe {
            ze.zeDeviceGetProperties(device, &mut properties)?.ok()?;
            ze.zeDeviceGetComputeProperties(device, &mut compute)?.ok()?;
        }
        println!(
            "  device {} ({})",
            text(&properties.name).unwrap_or("?"),
            properties.type_
        );
        println!(
            "    vendor {:#06x}, device {:#06x}",
            properties.vendorId, properties.deviceId
        );
        println!(
            "    {} MHz, allocations up to {} bytes",
            properties.coreClockRate, properties.maxMemAllocSize
        );
        println!("    groups of up to {} work-items", compute.maxTotalGroupSize);
    }
    Ok(())
}
