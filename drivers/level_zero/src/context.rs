// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Contexts.

use std::sync::Arc;

use level_zero_sys::*;
use oxur_device_cpu::in_flight::InFlight;
use oxur_fork::AtFork;

use crate::entry::{ZeResult, entry};
use crate::failure::Failures;
use crate::handle::{destroy, export, object, objects_of, out, required};
use crate::mem::Memory;
use crate::mem::ipc::Exports;
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
        });
        oxur_fork::register(&made);
        *context = export(made);
    }
    Ok(())
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

    fn zeContextGetStatus(context: ze_context_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe { object::<Context>(context) }?;
        // The CPU is never lost.
        Ok(())
    }

    fn zeContextMakeMemoryResident(
        context: ze_context_handle_t,
        device: ze_device_handle_t,
        memory: *mut std::ffi::c_void,
        _size: usize,
    ) {
        // All memory is where every CPU reaches it.
        // SAFETY: passed on to the caller.
        unsafe {
            object::<Context>(context)?;
            object::<Device>(device)?;
            required(memory)?;
        }
        Ok(())
    }

    fn zeContextEvictMemory(
        context: ze_context_handle_t,
        device: ze_device_handle_t,
        memory: *mut std::ffi::c_void,
        _size: usize,
    ) {
        // SAFETY: passed on to the caller.
        unsafe {
            object::<Context>(context)?;
            object::<Device>(device)?;
            required(memory)?;
        }
        Ok(())
    }
}
