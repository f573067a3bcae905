// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Sharing with other processes: an object becomes bytes, which the client carries to another process, where they become
//! an object of it. The kit keeps the bytes that an adapter gave until the client puts them back.

use std::any::Any;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::Arc;

use oxur_api::*;

use crate::event::{event, has_reusable};
use crate::fork::Mutex;
use crate::handle::{self, export, object};
use crate::table::entry_points;
use crate::{Backend, UrResult, args, entry, unsupported};

/// What a context shares with other processes. An adapter checks the bytes that it is given: their number and all that is
/// in them may be wrong.
pub trait Ipc<B: Backend> {
    /// Whether anything can be shared.
    const HAS_IPC: bool = false;

    /// Whether physical memory can be.
    const HAS_PHYSICAL_IPC: bool = Self::HAS_IPC;

    /// Whether USM can be shared, which a variable may say.
    fn shares_usm() -> bool {
        Self::HAS_IPC
    }

    /// Shares USM of a device, by any address in it.
    fn ipc_export_mem(self: &Arc<Self>, _memory: *mut c_void) -> UrResult<IpcExport> {
        unsupported()
    }

    /// Maps USM that another process shares.
    fn ipc_open_mem(self: &Arc<Self>, _device: &Arc<B::Device>, _data: &[u8]) -> UrResult<*mut c_void> {
        unsupported()
    }

    /// Unmaps what [`Ipc::ipc_open_mem`] mapped.
    fn ipc_close_mem(self: &Arc<Self>, _memory: *mut c_void) -> UrResult<()> {
        unsupported()
    }

    /// Shares physical memory.
    fn ipc_export_physical(self: &Arc<Self>, _mem: &Arc<B::PhysicalMem>) -> UrResult<IpcExport> {
        unsupported()
    }

    /// Opens physical memory that another process shares.
    fn ipc_open_physical(self: &Arc<Self>, _device: &Arc<B::Device>, _data: &[u8]) -> UrResult<Arc<B::PhysicalMem>> {
        unsupported()
    }

    /// Checks that [`Ipc::ipc_open_physical`] made it. The kit then gives back the client's reference.
    fn ipc_close_physical(self: &Arc<Self>, _mem: &Arc<B::PhysicalMem>) -> UrResult<()> {
        unsupported()
    }

    /// Shares a reusable event.
    fn ipc_export_event(_event: &Arc<B::Event>) -> UrResult<IpcExport> {
        unsupported()
    }

    /// Opens an event that another process shares.
    fn ipc_open_event(self: &Arc<Self>, _data: &[u8]) -> UrResult<Arc<B::Event>> {
        unsupported()
    }
}

/// What the client carries to another process.
pub struct IpcExport {
    /// The bytes.
    pub data: Box<[u8]>,
    /// What must stay until the client puts the bytes back.
    pub keep: Box<dyn Any + Send>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Mem,
    Physical,
    Event,
}

/// All bytes that clients have, by their address.
static EXPORTS: Mutex<BTreeMap<usize, (Kind, IpcExport)>> = Mutex::new(BTreeMap::new());

/// Gives bytes to the client.
///
/// # Safety
/// The places, unless null, must be writable.
unsafe fn give(
    kind: Kind,
    export: impl FnOnce() -> UrResult<IpcExport>,
    data: *mut *mut c_void,
    size: *mut usize,
) -> UrResult<()> {
    // SAFETY: passed on to the caller.
    let (data, size) = unsafe { (args::out(data)?, args::out(size)?) };
    let export = export()?;
    let address = export.data.as_ptr().cast_mut().cast::<c_void>();
    data.write(address);
    size.write(export.data.len());
    EXPORTS.lock().insert(address as usize, (kind, export));
    Ok(())
}

/// Takes bytes back from the client.
fn put<B: Backend>(kind: Kind, data: *const c_void) -> UrResult<()> {
    args::not_null(data)?;
    let is_there = match kind {
        Kind::Physical => B::Context::HAS_PHYSICAL_IPC,
        Kind::Mem => B::Context::shares_usm(),
        Kind::Event => B::Context::HAS_IPC,
    };
    if !is_there {
        return unsupported();
    }
    let mut exports = EXPORTS.lock();
    match exports.get(&(data as usize)) {
        Some((known, _)) if *known == kind => {}
        _ => {
            crate::bail!(
                ERROR_INVALID_VALUE:
                    "there are no bytes at {data:p} that were given for sharing, or they were put back before"
            );
        }
    }
    let export = exports.remove(&(data as usize));
    drop(exports);
    // What it keeps may call the client as it goes.
    drop(export);
    Ok(())
}

/// Bytes that a client gives.
///
/// # Safety
/// `data`, unless null, must point to `size` bytes that stay valid for `'a`.
unsafe fn bytes<'a>(data: *const c_void, size: usize) -> UrResult<&'a [u8]> {
    args::not_null(data)?;
    // SAFETY: passed on to the caller.
    Ok(unsafe { std::slice::from_raw_parts(data.cast(), size) })
}

entry! {
    fn urIPCGetMemHandleExp<B>(
        context: ContextHandle, memory: *mut c_void, data: *mut *mut c_void, size: *mut usize,
    ) {
        let context = object::<B::Context>(context)?;
        args::not_null(memory)?;
        give(Kind::Mem, || context.ipc_export_mem(memory), data, size)
    }

    fn urIPCPutMemHandleExp<B>(context: ContextHandle, data: *mut c_void) {
        object::<B::Context>(context)?;
        put::<B>(Kind::Mem, data)
    }

    fn urIPCOpenMemHandleExp<B>(
        context: ContextHandle, device: DeviceHandle, data: *mut c_void, size: usize, memory: *mut *mut c_void,
    ) {
        let context = object::<B::Context>(context)?;
        let device = object::<B::Device>(device)?;
        let data = bytes(data, size)?;
        args::out(memory)?.write(context.ipc_open_mem(&device, data)?);
        Ok(())
    }

    fn urIPCCloseMemHandleExp<B>(context: ContextHandle, memory: *mut c_void) {
        let context = object::<B::Context>(context)?;
        args::not_null(memory)?;
        context.ipc_close_mem(memory)
    }

    fn urIPCGetPhysMemHandleExp<B>(
        context: ContextHandle, mem: PhysicalMemHandle, data: *mut *mut c_void, size: *mut usize,
    ) {
        let context = object::<B::Context>(context)?;
        let mem = object::<B::PhysicalMem>(mem)?;
        give(Kind::Physical, || context.ipc_export_physical(&mem), data, size)
    }

    fn urIPCPutPhysMemHandleExp<B>(context: ContextHandle, data: *const c_void) {
        object::<B::Context>(context)?;
        put::<B>(Kind::Physical, data)
    }

    fn urIPCOpenPhysMemHandleExp<B>(
        context: ContextHandle, device: DeviceHandle, data: *const c_void, size: usize, mem: *mut PhysicalMemHandle,
    ) {
        let context = object::<B::Context>(context)?;
        let device = object::<B::Device>(device)?;
        let data = bytes(data, size)?;
        args::out(mem)?.write(export(&context.ipc_open_physical(&device, data)?));
        Ok(())
    }

    fn urIPCClosePhysMemHandleExp<B>(context: ContextHandle, mem: PhysicalMemHandle) {
        let context = object::<B::Context>(context)?;
        context.ipc_close_physical(&*object::<B::PhysicalMem>(mem)?)?;
        handle::release::<B::PhysicalMem>(mem)
    }

    fn urIPCGetEventHandleExp<B>(event: EventHandle, data: *mut *mut c_void, size: *mut usize) {
        let event = self::event::<B>(event)?;
        give(Kind::Event, || B::Context::ipc_export_event(&event), data, size)
    }

    fn urIPCPutEventHandleExp<B>(context: ContextHandle, data: *mut c_void) {
        object::<B::Context>(context)?;
        put::<B>(Kind::Event, data)
    }

    fn urIPCOpenEventHandleExp<B>(
        context: ContextHandle, data: *const c_void, size: usize, event: *mut EventHandle,
    ) {
        let context = object::<B::Context>(context)?;
        let data = bytes(data, size)?;
        let out = args::out(event)?;
        let opened = context.ipc_open_event(data)?;
        has_reusable();
        out.write(export(&opened));
        Ok(())
    }
}

oxur_api::ipc_exp_functions! { entry_points {} }
