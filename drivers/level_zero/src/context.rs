// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Contexts.

use std::ffi::c_void;
use std::sync::Arc;

use level_zero_sys::*;
use oxur_device_cpu::in_flight::InFlight;
use oxur_fork::AtFork;

use crate::entry::{Error, ZeResult, entry, err};
use crate::failure::Failures;
use crate::handle::{destroy, export, object, objects_of, out, required};
use crate::mem::Memory;
use crate::mem::ipc::Exports;
use crate::physical_mem::Handles;
use crate::virtual_mem::Ranges;
use crate::{Device, Driver};

/// A context.
pub(crate) struct Context {
    /// Its devices.
    pub(crate) devices: Vec<Arc<Device>>,
    /// Failures of its commands.
    pub(crate) failures: Failures,
    /// Its unfinished commands. They have to hold the context, too: memory that they use goes with it.
    pub(crate) in_flight: InFlight,
    /// Its allocations.
    pub(crate) memory: Memory,
    /// Its IPC handles of memory.
    pub(crate) exports: Exports,
    /// Its reserved addresses.
    pub(crate) ranges: Ranges,
    /// Its physical memory.
    pub(crate) physical: Handles,
}

impl Drop for Context {
    fn drop(&mut self) {
        let left = self.ranges.free_all();
        if left != 0 {
            log::warn!("a context is destroyed with {left} reserved address ranges, which are freed now");
        }
    }
}

impl AtFork for Context {
    fn in_child(&self) {
        self.in_flight.forked();
    }
}

fn create(driver: ze_driver_handle_t, devices: Vec<Arc<Device>>, context: *mut ze_context_handle_t) -> ZeResult {
    // SAFETY: the callers below pass their arguments on.
    unsafe {
        let driver = object::<Driver>(driver)?;
        let devices = if devices.is_empty() {
            driver.devices.clone()
        } else {
            devices
        };
        let context = out(context)?;
        let made = Arc::new(Context {
            devices,
            in_flight: InFlight::default(),
            memory: Memory::default(),
            failures: Failures::default(),
            exports: Exports::default(),
            ranges: Ranges::default(),
            physical: Handles::default(),
        });
        oxur_fork::register(&made);
        *context = export(made);
    }
    Ok(())
}

/// The context, for functions that move its memory to or from a device.
///
/// # Safety
/// The handles must be what the specification asks for.
unsafe fn resident(
    context: ze_context_handle_t,
    device: ze_device_handle_t,
    memory: *mut c_void,
) -> ZeResult<&'static Arc<Context>> {
    // SAFETY: passed on to the caller.
    let (context, device) = unsafe { (object::<Context>(context)?, object::<Device>(device)?) };
    if memory.is_null() {
        return err(ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    }
    context.check_device(device)?;
    Ok(context)
}

entry! {
    fn zeContextCreate(driver: ze_driver_handle_t, desc: *const ze_context_desc_t, context: *mut ze_context_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe { required(desc) }?;
        create(driver, Vec::new(), context)
    }

    fn zeContextCreateEx(
        driver: ze_driver_handle_t,
        desc: *const ze_context_desc_t,
        count: u32,
        devices: *mut ze_device_handle_t,
        context: *mut ze_context_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        let devices = unsafe {
            required(desc)?;
            objects_of::<Device>(devices, count)?
        };
        create(driver, devices, context)
    }

    fn zeContextDestroy(context: ze_context_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe { destroy::<Context>(context) }?;
        Ok(())
    }

    // Host and device share one memory, and writes are visible to both at once.
    fn zeContextSystemBarrier(context: ze_context_handle_t, device: ze_device_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe { object::<Context>(context)?.check_device(object::<Device>(device)?) }
    }

    // All memory of the process is resident for a CPU, or becomes so when it is used.
    fn zeContextMakeMemoryResident(
        context: ze_context_handle_t,
        device: ze_device_handle_t,
        memory: *mut c_void,
        _size: usize,
    ) {
        // SAFETY: passed on to the caller.
        let context = unsafe { resident(context, device, memory) }?;
        match context.find(memory as usize) {
            Some(_) => Ok(()),
            None => Err(Error::new(
                ZE_RESULT_ERROR_INVALID_ARGUMENT,
                format_args!("{memory:p} is in no allocation of the context"),
            )),
        }
    }

    fn zeContextEvictMemory(
        context: ze_context_handle_t,
        device: ze_device_handle_t,
        memory: *mut c_void,
        _size: usize,
    ) {
        // SAFETY: passed on to the caller.
        unsafe { resident(context, device, memory) }?;
        Ok(())
    }

    fn zeContextGetStatus(context: ze_context_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe { object::<Context>(context) }?;
        // The CPU is never lost.
        Ok(())
    }

}
