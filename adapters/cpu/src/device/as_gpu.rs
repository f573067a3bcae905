// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `UR_CPU_DEVICE_TYPE=gpu`: the device reports itself as a GPU to some libraries, for programs that accept nothing else.
//!
//! The library that asks is found on the stack ([`oxur_as_gpu`]). Besides the type, some programs want a platform whose name
//! has that of a backend in it, as `ONEAPI_DEVICE_SELECTOR` knows it, and the compute units of a GPU.
//!
//! libsycl asks for a type once, and remembers it for every library; it divides a device by the number of its compute units.
//! So libsycl itself always gets the CPU's answers to these two, and a preloaded library changes what it tells others.

use kit::ur::DeviceType;
use oxur_adapter_kit as kit;
use oxur_as_gpu::{COMPUTE_UNITS, Libraries, VARIABLE, calling_library};
use oxur_device_cpu::limits;
use oxur_fork::OnceLock;

/// The libraries that see a GPU, if the user wants that.
fn libraries() -> Option<&'static Libraries> {
    static LIBRARIES: OnceLock<Option<Libraries>> = OnceLock::new();
    LIBRARIES
        .get_or_init(|| {
            let value = std::env::var_os(VARIABLE)?;
            let libraries = Libraries::parse(&value).unwrap_or_else(|error| {
                kit::environment::warn(&format!("{VARIABLE}={} is ignored: {error}", value.display()));
                None
            })?;
            log::info!("the device is a GPU for {libraries}");
            if !oxur_as_gpu::is_preloaded() {
                log::warn!(
                    "{VARIABLE}: libsycl tells every library that the device is a CPU, since {} is not preloaded; \
                     `oxur run --as-gpu` does that",
                    oxur_as_gpu::PRELOAD
                );
            }
            Some(libraries)
        })
        .as_ref()
}

/// Whether there are libraries that are to see a GPU.
pub(crate) fn is_wanted() -> bool {
    libraries().is_some()
}

/// Whether a library that is to see a GPU asks.
fn caller_is_listed() -> bool {
    libraries().is_some_and(|libraries| libraries.contains(&calling_library().file_name))
}

/// Whether such a library asks, and not by way of libsycl.
fn direct_caller_is_listed() -> bool {
    libraries().is_some_and(|libraries| {
        let caller = calling_library();
        !caller.through_libsycl && libraries.contains(&caller.file_name)
    })
}

/// The type of the device.
pub(super) fn kind() -> DeviceType {
    if direct_caller_is_listed() {
        DeviceType::GPU
    } else {
        DeviceType::CPU
    }
}

/// The type of device as which it is found.
pub(super) fn found_as() -> DeviceType {
    if caller_is_listed() {
        DeviceType::GPU
    } else {
        DeviceType::CPU
    }
}

/// The number of compute units, of which it has `cpus`.
pub(super) fn compute_units(cpus: u32) -> u32 {
    if cpus < COMPUTE_UNITS && direct_caller_is_listed() {
        COMPUTE_UNITS
    } else {
        cpus
    }
}

/// The maximum size of a work-group.
pub(crate) fn work_group_size() -> usize {
    if caller_is_listed() {
        limits::GPU_WORK_GROUP_SIZE
    } else {
        limits::WORK_GROUP_SIZE
    }
}

/// The vendor's id. For the preloaded library a number that no other adapter's devices have.
pub(super) fn vendor_id(own: u32) -> u32 {
    match libraries() {
        Some(_) if calling_library().is_preload() => oxur_as_gpu::VENDOR_ID,
        _ => own,
    }
}

/// The platform's name.
pub(crate) fn platform_name() -> &'static str {
    if caller_is_listed() {
        "oxur CPU (OpenCL)"
    } else {
        super::identity::platform_name()
    }
}
