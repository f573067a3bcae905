// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Sharing memory with other processes.
//!
//! A handle of 64 bytes begins with a file descriptor of the process that made it, because clients of Level Zero know that
//! from Intel's driver: they send the descriptor over a socket, or fetch it from the other process, and put their own in its
//! place, some without the other bytes. The rest is what [`SharedFile::export`] makes, by which the file is found without
//! such help.
//!
//! A handle is valid until `zeMemPutIpcHandle`, even if the memory is freed before, and until the context is destroyed.

use std::collections::BTreeMap;
use std::ffi::{c_char, c_void};
use std::os::fd::{AsRawFd, RawFd};
use std::sync::Arc;

use level_zero_sys::*;
use oxur_device_cpu::pages;
use oxur_device_cpu::shared_file::{InvalidHandle, Kind, Opened, SharedFile};
use oxur_fork::Mutex;

use super::block::{Allocation, Block, Origin, Pages, new_id};
use super::external::{Backing, map_file, new_file};
use crate::entry::{Error, ZeResult, entry, err};
use crate::handle::{Chain, object, out};
use crate::{Context, Device};

/// The bytes of all of Level Zero's IPC handles.
pub(crate) type Bytes = [c_char; ZE_MAX_IPC_HANDLE_SIZE as usize];
/// Where the data of [`SharedFile`] begins, after the descriptor.
const DATA: usize = 8;

/// The handle by which another process can open a file, as long as this one keeps it.
pub(crate) fn handle_of(kind: Kind, file: &SharedFile, size: usize) -> Bytes {
    let mut bytes = [0u8; size_of::<Bytes>()];
    bytes[..4].copy_from_slice(&file.as_raw_fd().to_ne_bytes());
    bytes[DATA..].copy_from_slice(&file.export(kind, 0, size as u64));
    bytes.map(|byte| byte as c_char)
}

/// The descriptor of a handle, and its other bytes.
fn parts_of(handle: &Bytes) -> (RawFd, [u8; size_of::<Bytes>()]) {
    let bytes = handle.map(|byte| byte as u8);
    let number = RawFd::from_ne_bytes(bytes[..4].try_into().expect("4 bytes"));
    (number, bytes)
}

fn invalid(error: InvalidHandle) -> Error {
    Error::new(ZE_RESULT_ERROR_INVALID_ARGUMENT, error)
}

/// Opens the file behind a handle of one of these kinds.
pub(crate) fn open(kinds: &[Kind], handle: &Bytes) -> ZeResult<Opened> {
    let (number, bytes) = parts_of(handle);
    // Nothing but a descriptor.
    if bytes[4..].iter().all(|byte| *byte == 0) {
        let file = SharedFile::of_descriptor(number).map_err(invalid)?;
        let size = file
            .size()
            .map_err(|error| Error::new(ZE_RESULT_ERROR_INVALID_ARGUMENT, error))?;
        return Ok(Opened {
            file: file.into(),
            offset: 0,
            size,
        });
    }
    let data = &bytes[DATA..];
    let mut failure = None;
    for kind in kinds {
        match SharedFile::open_local(*kind, data, number) {
            Ok(Some(opened)) => return Ok(opened),
            Ok(None) => return SharedFile::open(*kind, data).map_err(invalid),
            Err(error) => failure = Some(invalid(error)),
        }
    }
    Err(failure.unwrap_or_else(|| ZE_RESULT_ERROR_INVALID_ARGUMENT.into()))
}

/// Memory that several processes map, for objects like pools of events.
pub(crate) struct SharedMemory {
    pages: Pages,
    size: usize,
    /// `None` if another process created it.
    file: Option<Arc<SharedFile>>,
}

impl SharedMemory {
    /// New memory of zeros.
    pub(crate) fn new(size: usize) -> ZeResult<Self> {
        let file = new_file(ZE_MEMORY_TYPE_HOST, size)?;
        let pages = map_file(ZE_MEMORY_TYPE_HOST, &*file, 0, size, 0)?;
        Ok(Self {
            pages,
            size,
            file: Some(file),
        })
    }

    /// That of a handle.
    pub(crate) fn open(kind: Kind, handle: &Bytes) -> ZeResult<Self> {
        let Opened { file, offset, size } = open(&[kind], handle)?;
        if offset != 0 {
            return Err(Error::new(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the handle is of a part"));
        }
        let pages = map_file(ZE_MEMORY_TYPE_HOST, &file, 0, size, 0)?;
        Ok(Self {
            pages,
            size,
            file: None,
        })
    }

    /// The handle for other processes, which is valid as long as this lives. `None` if another process created it.
    pub(crate) fn handle(&self, kind: Kind) -> Option<Bytes> {
        let file = self.file.as_ref()?;
        Some(handle_of(kind, file, self.size))
    }

    /// The first byte. It is aligned to a page.
    pub(crate) fn data(&self) -> *mut u8 {
        self.pages.start() as *mut u8
    }

    /// The number of bytes.
    pub(crate) fn size(&self) -> usize {
        self.size
    }
}

/// The files that IPC handles of a context keep, by their descriptors.
#[derive(Default)]
pub(crate) struct Exports {
    files: Mutex<BTreeMap<RawFd, (Arc<SharedFile>, usize)>>,
}

impl Exports {
    /// A handle of a file.
    fn add(&self, kind: Kind, file: Arc<SharedFile>, size: usize) -> Bytes {
        let handle = handle_of(kind, &file, size);
        let mut files = self.files.lock();
        files.entry(file.as_raw_fd()).or_insert((file, 0)).1 += 1;
        handle
    }

    /// Gives a handle back. Returns whether there is one.
    fn remove(&self, number: RawFd) -> bool {
        let mut files = self.files.lock();
        let Some((_, count)) = files.get_mut(&number) else {
            return false;
        };
        *count -= 1;
        if *count == 0 {
            files.remove(&number);
        }
        true
    }
}

/// The kinds of objects that `zeMemOpenIpcHandle` opens.
const MEMORY: [Kind; 2] = [Kind::Usm, Kind::Physical];

impl Context {
    /// A handle for the allocation that an address is in.
    fn ipc_handle(&self, memory: *const c_void) -> ZeResult<Bytes> {
        if memory.is_null() {
            return err(ZE_RESULT_ERROR_INVALID_NULL_POINTER);
        }
        let Some(block) = self.memory.block(memory as usize) else {
            return Err(Error::new(
                ZE_RESULT_ERROR_INVALID_ARGUMENT,
                format_args!("{memory:p} is in no allocation of the context"),
            ));
        };
        let file = self.share(&block)?;
        Ok(self.exports.add(Kind::Usm, file, block.about.size))
    }

    /// Maps the memory of a handle.
    fn open_ipc_handle(&self, device: &Arc<Device>, handle: &Bytes) -> ZeResult<*mut c_void> {
        let Opened { file, offset, size } = open(&MEMORY, handle)?;
        // Mappings start at a page boundary of the file, so up to a page before the memory is mapped, too.
        let before = offset % pages::page();
        let pages = map_file(ZE_MEMORY_TYPE_DEVICE, &file, offset - before, before + size, 0)?;
        let base = pages.start() + before;
        let about = Allocation {
            kind: ZE_MEMORY_TYPE_DEVICE,
            base,
            size,
            device: Some(device.clone()),
            id: new_id(),
        };
        let backing = Backing::Imported(Arc::new(file));
        self.memory.add(Block::new(about, Origin::Opened, backing, Some(pages)));
        Ok(base as *mut c_void)
    }
}

entry! {
    fn zeMemGetIpcHandle(context: ze_context_handle_t, memory: *const c_void, handle: *mut ze_ipc_mem_handle_t) {
        // SAFETY: passed on to the caller.
        let (context, handle) = unsafe { (object::<Context>(context)?, out(handle)?) };
        handle.data = context.ipc_handle(memory)?;
        Ok(())
    }

    fn zeMemGetIpcHandleWithProperties(
        context: ze_context_handle_t,
        memory: *const c_void,
        next: *mut c_void,
        handle: *mut ze_ipc_mem_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        let (context, handle, chain) = unsafe { (object::<Context>(context)?, out(handle)?, Chain::new(next)) };
        check_handle_type(&chain)?;
        handle.data = context.ipc_handle(memory)?;
        Ok(())
    }

    fn zeMemPutIpcHandle(context: ze_context_handle_t, handle: ze_ipc_mem_handle_t) {
        // SAFETY: passed on to the caller.
        let context = unsafe { object::<Context>(context) }?;
        if context.exports.remove(parts_of(&handle.data).0) {
            return Ok(());
        }
        Err(Error::new(
            ZE_RESULT_ERROR_INVALID_ARGUMENT,
            "the context has no such IPC handle, or it was given back before",
        ))
    }

    fn zeMemOpenIpcHandle(
        context: ze_context_handle_t,
        device: ze_device_handle_t,
        handle: ze_ipc_mem_handle_t,
        flags: ze_ipc_memory_flags_t,
        memory: *mut *mut c_void,
    ) {
        // SAFETY: passed on to the caller.
        let (context, device) = unsafe { (object::<Context>(context)?, object::<Device>(device)?) };
        if flags > 0x3 {
            return err(ZE_RESULT_ERROR_INVALID_ENUMERATION);
        }
        // SAFETY: as above.
        let memory = unsafe { out(memory) }?;
        context.check_device(device)?;
        *memory = context.open_ipc_handle(device, &handle.data)?;
        Ok(())
    }

    fn zeMemCloseIpcHandle(context: ze_context_handle_t, memory: *const c_void) {
        // SAFETY: passed on to the caller.
        let context = unsafe { object::<Context>(context) }?;
        if memory.is_null() {
            return err(ZE_RESULT_ERROR_INVALID_NULL_POINTER);
        }
        let Some(block) = context.memory.remove(memory as usize, Origin::Opened) else {
            return Err(Error::new(
                ZE_RESULT_ERROR_INVALID_ARGUMENT,
                format_args!("{memory:p} was not opened by an IPC handle"),
            ));
        };
        context.memory.release(block, &context.in_flight);
        Ok(())
    }

    fn zeMemGetIpcHandleFromFileDescriptorExp(
        context: ze_context_handle_t,
        descriptor: u64,
        handle: *mut ze_ipc_mem_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        let (context, handle) = unsafe { (object::<Context>(context)?, out(handle)?) };
        let wrong = |error: &dyn std::fmt::Display| Error::new(ZE_RESULT_ERROR_INVALID_ARGUMENT, error);
        let number = RawFd::try_from(descriptor).map_err(|error| wrong(&error))?;
        let file = SharedFile::of_descriptor(number).map_err(invalid)?;
        let size = file.size().map_err(|error| wrong(&error))?;
        handle.data = context.exports.add(Kind::Usm, Arc::new(file), size);
        Ok(())
    }

    fn zeMemGetFileDescriptorFromIpcHandleExp(
        context: ze_context_handle_t,
        handle: ze_ipc_mem_handle_t,
        descriptor: *mut u64,
    ) {
        // SAFETY: passed on to the caller.
        let (context, descriptor) = unsafe { (object::<Context>(context)?, out(descriptor)?) };
        let (number, _) = parts_of(&handle.data);
        if !context.exports.files.lock().contains_key(&number) {
            return Err(Error::new(
                ZE_RESULT_ERROR_INVALID_ARGUMENT,
                "the handle is none that zeMemGetIpcHandle gave for the context",
            ));
        }
        *descriptor = number as u64;
        Ok(())
    }
}

/// Checks the kind of handle that a chain asks for. Returns whether it asks for any.
pub(super) fn check_handle_type(chain: &Chain) -> ZeResult<bool> {
    let Some(desc) = chain.find::<ze_ipc_mem_handle_type_ext_desc_t>() else {
        return Ok(false);
    };
    if desc.typeFlags > 0x3 {
        return err(ZE_RESULT_ERROR_INVALID_ENUMERATION);
    }
    if desc.typeFlags & ZE_IPC_MEM_HANDLE_TYPE_FLAG_FABRIC_ACCESSIBLE != 0 {
        return Err(Error::new(
            ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
            "there is no fabric by which other machines could access memory",
        ));
    }
    Ok(true)
}
