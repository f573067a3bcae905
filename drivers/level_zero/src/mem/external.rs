// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Memory with a file behind it, which other processes and other APIs can map.
//!
//! Ordinary allocations are private to the process: they get huge pages, and a child of `fork` gets copies. Memory that the
//! client declares as exportable is a memory file (`memfd_create`) from the start. Any other allocation becomes one in place
//! when an IPC handle or a descriptor of it is first asked for ([`Context::share`]).
//!
//! A memory file is what a client gets for `ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD` and for `..._DMA_BUF`: both can be mapped,
//! and be imported here and in other processes. There is no device whose buffers could be shared.

use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::Arc;

use level_zero_sys::*;
use oxur_device_cpu::pages;
use oxur_device_cpu::shared_file::{SharedFile, duplicate, size_of_file};

use super::block::{Block, Pages};
use super::no_memory;
use crate::Context;
use crate::entry::{Error, ZeResult, err};

/// The file behind an allocation.
#[derive(Clone)]
pub(crate) enum Backing {
    /// None: the memory is private to the process.
    Private,
    /// A memory file that any process can open.
    Shared(Arc<SharedFile>),
    /// Another file or buffer, which the client has imported.
    Imported(Arc<OwnedFd>),
    /// None, because the memory is the client's.
    Client,
}

/// The kinds of descriptors that there are on this system.
const DESCRIPTORS: u32 = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD | ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF;
/// All kinds that Level Zero has.
const KINDS: u32 = 0xff;

/// Checks which kinds of external memory a client asks for.
pub(crate) fn check_kinds(flags: ze_external_memory_type_flags_t) -> ZeResult {
    if flags & !KINDS != 0 {
        return err(ZE_RESULT_ERROR_INVALID_ENUMERATION);
    }
    if flags & !DESCRIPTORS != 0 {
        return Err(Error::new(
            ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION,
            format_args!("external memory is a descriptor or a dma-buf, not of kind {flags:#x}"),
        ));
    }
    Ok(())
}

/// A new memory file of this size.
pub(crate) fn new_file(kind: ze_memory_type_t, size: usize) -> ZeResult<Arc<SharedFile>> {
    let file = SharedFile::new(size);
    file.map(Arc::new)
        .map_err(|error| no_memory(kind, format_args!("the system has no {size} bytes to share: {error}")))
}

/// Maps a file.
pub(crate) fn map_file(
    kind: ze_memory_type_t,
    file: &impl AsRawFd,
    offset: usize,
    size: usize,
    align: usize,
) -> ZeResult<Pages> {
    let start = pages::map_file(file, offset, size, align).map_err(|error| {
        no_memory(
            kind,
            format_args!("{size} bytes of a file cannot be mapped for reading and writing: {error}"),
        )
    })?;
    // SAFETY: they were just mapped.
    Ok(unsafe { Pages::own(start, size) })
}

/// The file that a client imports, for `size` bytes from its start.
pub(crate) fn import(number: RawFd, size: usize) -> ZeResult<Backing> {
    let wrong = |what: String| Error::new(ZE_RESULT_ERROR_INVALID_ARGUMENT, what);
    let cannot = |error: std::io::Error| wrong(format!("descriptor {number} cannot be imported: {error}"));
    let has = size_of_file(number).map_err(cannot)?;
    // Mapped pages behind the end of a file cannot be accessed.
    if size > has {
        return Err(wrong(format!(
            "the memory to import has {has} bytes, which is less than {size}"
        )));
    }
    match SharedFile::of_descriptor(number) {
        Ok(own) => Ok(Backing::Shared(Arc::new(own))),
        Err(_) => Ok(Backing::Imported(Arc::new(duplicate(number).map_err(cannot)?))),
    }
}

/// A descriptor that the client gets. It is the same for each query, and belongs to the driver, as far as the client does not
/// close it.
#[derive(Default)]
pub(crate) struct Descriptor(Option<RawFd>);

impl Descriptor {
    /// The descriptor of a file.
    pub(crate) fn of(&mut self, file: RawFd) -> std::io::Result<RawFd> {
        use std::os::fd::IntoRawFd;
        match self.0 {
            Some(number) if same_file(number, file) => Ok(number),
            _ => {
                let number = duplicate(file)?.into_raw_fd();
                self.0 = Some(number);
                Ok(number)
            }
        }
    }

    /// Closes it, unless the client did. The number may be another file's by now.
    pub(crate) fn close(&mut self, file: RawFd) {
        if let Some(number) = self.0.take()
            && same_file(number, file)
        {
            // SAFETY: it is the descriptor that `of` has made.
            unsafe { libc::close(number) };
        }
    }
}

/// Whether two descriptors are of one file.
fn same_file(a: RawFd, b: RawFd) -> bool {
    let of = |number| {
        // SAFETY: all zero is a valid `stat`.
        let mut stat: libc::stat = unsafe { std::mem::zeroed() };
        // SAFETY: a number that is no descriptor is an error; `stat` has a place.
        (unsafe { libc::fstat(number, &mut stat) } == 0).then_some((stat.st_dev, stat.st_ino))
    };
    of(a).is_some_and(|file| of(b) == Some(file))
}

impl Backing {
    /// The descriptor of the file.
    pub(crate) fn descriptor(&self) -> Option<RawFd> {
        match self {
            Self::Private | Self::Client => None,
            Self::Shared(file) => Some(file.as_raw_fd()),
            Self::Imported(file) => Some(file.as_raw_fd()),
        }
    }
}

impl Context {
    /// The memory file behind an allocation, which others can open.
    ///
    /// If it has none, this waits for the unfinished commands of the context, and then replaces the pages of the allocation
    /// by those of a new file with the same content. Neither the host nor commands that are submitted meanwhile may write to
    /// the allocation: what they write may be lost. Memory that was allocated with `ze_external_memory_export_desc_t` or
    /// `ze_ipc_mem_handle_type_ext_desc_t` has its file from the start.
    pub(crate) fn share(&self, block: &Block) -> ZeResult<Arc<SharedFile>> {
        if let Backing::Private = &*block.backing.lock() {
        } else {
            return shared(block);
        }
        self.wait_for_commands();
        let mut backing = block.backing.lock();
        if let Backing::Private = &*backing {
            let (base, size, kind) = (block.about.base, block.about.size, block.about.kind);
            let file = new_file(kind, size)?;
            let failed = |error| no_memory(kind, format_args!("{size} bytes cannot be shared: {error}"));
            // SAFETY: these are the pages of the allocation, which the lock lets only this thread replace. Nobody writes
            // to them, as the caller has to know.
            unsafe {
                file.write(base as *const u8, size).map_err(failed)?;
                pages::replace(base, size, &*file, 0).map_err(failed)?;
            }
            *backing = Backing::Shared(file);
        }
        drop(backing);
        shared(block)
    }
}

/// The memory file that is behind an allocation already.
fn shared(block: &Block) -> ZeResult<Arc<SharedFile>> {
    match &*block.backing.lock() {
        Backing::Shared(file) => Ok(file.clone()),
        _ => Err(Error::new(
            ZE_RESULT_ERROR_INVALID_ARGUMENT,
            "imported memory and memory of the client cannot be shared with other processes",
        )),
    }
}
