// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Memory that other APIs, such as Vulkan, can import.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use oxur_api::*;

use crate::handle::object;
use crate::table::entry_points;
use crate::{Backend, OsHandle, UrResult, args, entry, unsupported};

/// What a context does with exportable memory.
pub trait MemoryExport<B: Backend> {
    /// Allocates memory of a device that can be exported by this kind of handle. `align` is a power of two, or 0 for what
    /// suits every type; there is at least one byte.
    fn exportable_alloc(
        self: &Arc<Self>,
        _device: &Arc<B::Device>,
        _align: usize,
        _size: usize,
        _kind: ExpExternalMemType,
    ) -> UrResult<*mut c_void> {
        unsupported()
    }

    /// Frees what [`MemoryExport::exportable_alloc`] returned.
    fn exportable_free(self: &Arc<Self>, _device: &Arc<B::Device>, _memory: *mut c_void) -> UrResult<()> {
        unsupported()
    }

    /// The handle to import the memory by. It is the client's.
    fn export_memory(
        self: &Arc<Self>,
        _device: &Arc<B::Device>,
        _memory: *mut c_void,
        _kind: ExpExternalMemType,
    ) -> UrResult<OsHandle> {
        unsupported()
    }
}

entry! {
    fn urMemoryExportAllocExportableMemoryExp<B>(
        context: ContextHandle, device: DeviceHandle, align: usize, size: usize, kind: ExpExternalMemType,
        memory: *mut *mut c_void,
    ) {
        let (context, device) = (object::<B::Context>(context)?, object::<B::Device>(device)?);
        args::known(kind)?;
        let out = args::out(memory)?;
        if align != 0 && !align.is_power_of_two() {
            crate::bail!(ERROR_UNSUPPORTED_ALIGNMENT: "an alignment is a power of two, not {align}");
        }
        if size == 0 {
            crate::bail!(ERROR_INVALID_USM_SIZE: "an allocation has at least one byte");
        }
        out.write(context.exportable_alloc(&device, align, size, kind)?);
        Ok(())
    }

    fn urMemoryExportFreeExportableMemoryExp<B>(context: ContextHandle, device: DeviceHandle, memory: *mut c_void) {
        let (context, device) = (object::<B::Context>(context)?, object::<B::Device>(device)?);
        args::not_null(memory)?;
        context.exportable_free(&device, memory)
    }

    fn urMemoryExportExportMemoryHandleExp<B>(
        context: ContextHandle, device: DeviceHandle, kind: ExpExternalMemType, memory: *mut c_void,
        exported: *mut c_void,
    ) {
        let (context, device) = (object::<B::Context>(context)?, object::<B::Device>(device)?);
        args::known(kind)?;
        args::not_null(memory)?;
        args::not_null(exported)?;
        match context.export_memory(&device, memory, kind)? {
            OsHandle::Fd(descriptor) => exported.cast::<c_int>().write(descriptor),
            OsHandle::Win32(handle) => exported.cast::<*mut c_void>().write(handle),
            OsHandle::Win32Name(name) => exported.cast::<*const c_void>().write(name),
        }
        Ok(())
    }
}

oxur_api::memory_export_exp_functions! { entry_points {} }
