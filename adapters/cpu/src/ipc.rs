// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Sharing with other processes: physical memory, events, and USM of devices where `UR_CPU_IPC` asks for it.
//!
//! What is shared is a file in memory. The bytes that a client carries to another process name the process, the file's
//! number there, and a random token that is the file's name: it is opened by way of `/proc`, which lets processes of the
//! same user do so that may look at each other. Whatever else has the number by then has another name and is refused. What
//! was opened stays, whatever becomes of the other process; while it was not, that process must live and keep it.

mod event;
mod file;

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::Arc;

use kit::ur::ResultCode;
use kit::{IpcExport, UrError, UrResult};
use oxur_adapter_kit as kit;
use oxur_fork::{OnceLock, RwLock};

pub(crate) use self::event::{SharedEvent, Signalling};
pub(crate) use self::file::SharedFile;
use self::file::{Kind, Opened};
use crate::usm::pages;
use crate::{Context, Cpu, Device, Event, PhysicalMem};

/// `UR_CPU_IPC`: whether the USM of devices is memory that can be shared.
///
/// It is no default: such memory is the same for a child of `fork` and its parent, where other memory is copied, and the
/// system has no huge pages for it.
pub(crate) fn shares_usm() -> bool {
    static SHARES: OnceLock<bool> = OnceLock::new();
    *SHARES.get_or_init(|| match std::env::var("UR_CPU_IPC").as_deref() {
        Ok("1" | "on" | "yes" | "true") => true,
        Ok("" | "0" | "off" | "no" | "false") | Err(std::env::VarError::NotPresent) => false,
        other => {
            log::warn!("UR_CPU_IPC={other:?} is ignored: it is `1` or `0`");
            false
        }
    })
}

/// USM of other processes in a context: by its first address, all that was mapped for it.
#[derive(Default)]
pub(crate) struct Imports {
    imports: RwLock<BTreeMap<usize, Import>>,
}

#[derive(Clone)]
struct Import {
    device: Arc<Device>,
    size: usize,
    /// The pages that were mapped.
    pages: (usize, usize),
}

impl Imports {
    /// The allocation of another process that an address is in: its start, its size, and the device that it was opened for.
    pub(crate) fn find(&self, address: usize) -> Option<(usize, usize, Arc<Device>)> {
        let imports = self.imports.read();
        let (&start, import) = imports.range(..=address).next_back()?;
        (address - start < import.size).then(|| (start, import.size, import.device.clone()))
    }
}

impl Drop for Imports {
    fn drop(&mut self) {
        let left = self.imports.read().len();
        if left != 0 {
            log::info!("a context goes with {left} allocations of other processes that were never closed");
        }
    }
}

fn no_memory(error: &std::io::Error) -> UrError {
    UrError::with_message(
        ResultCode::ERROR_OUT_OF_HOST_MEMORY,
        format!("memory of another process cannot be mapped: {error}"),
    )
}

impl kit::Ipc<Cpu> for Context {
    const HAS_IPC: bool = true;

    fn ipc_export_mem(self: &Arc<Self>, memory: *mut c_void) -> UrResult<IpcExport> {
        if !shares_usm() {
            return Err(UrError::with_message(
                ResultCode::ERROR_UNSUPPORTED_FEATURE,
                "USM can be shared with other processes where UR_CPU_IPC=1 is set",
            ));
        }
        let (start, size) = self.device_allocation(memory as usize).ok_or_else(|| {
            UrError::with_message(
                ResultCode::ERROR_INVALID_VALUE,
                format!("at {memory:p} there is no USM that a device of this context has"),
            )
        })?;
        let (file, offset) = SharedFile::of(start).ok_or_else(|| {
            UrError::with_message(
                ResultCode::ERROR_INVALID_VALUE,
                "the USM is of another process, which is who can share it",
            )
        })?;
        let data = file.export(Kind::Usm, offset as u64, size as u64);
        Ok(IpcExport {
            data: data.into(),
            keep: Box::new(file),
        })
    }

    fn ipc_open_mem(self: &Arc<Self>, device: &Arc<Device>, data: &[u8]) -> UrResult<*mut c_void> {
        if !shares_usm() {
            return kit::unsupported();
        }
        self.check_device(device)?;
        let Opened { file, offset, size } = SharedFile::open(Kind::Usm, data)?;
        // A mapping begins with a page.
        let before = offset % pages::page();
        let len = (before + size).next_multiple_of(pages::page());
        let start = pages::map_file(&file, offset - before, len, 0).map_err(|error| no_memory(&error))?;
        let import = Import {
            device: device.clone(),
            size,
            pages: (start, len),
        };
        self.imports.imports.write().insert(start + before, import);
        Ok((start + before) as *mut c_void)
    }

    fn ipc_close_mem(self: &Arc<Self>, memory: *mut c_void) -> UrResult<()> {
        match self.imports.imports.write().remove(&(memory as usize)) {
            Some(import) => {
                // SAFETY: pages that were mapped when it was opened, and the client gives them back.
                unsafe { pages::unmap(import.pages.0, import.pages.1) };
                Ok(())
            }
            None => Err(UrError::with_message(
                ResultCode::ERROR_INVALID_VALUE,
                format!("the memory at {memory:p} is not one that was opened"),
            )),
        }
    }

    fn ipc_export_physical(self: &Arc<Self>, mem: &Arc<PhysicalMem>) -> UrResult<IpcExport> {
        self.check_physical(mem)?;
        let Some(file) = mem.shared() else {
            return Err(UrError::with_message(
                ResultCode::ERROR_INVALID_ARGUMENT,
                "only physical memory is shared that was made with UR_PHYSICAL_MEM_FLAG_ENABLE_IPC, by who made it",
            ));
        };
        Ok(IpcExport {
            data: file.export(Kind::Physical, 0, mem.size as u64).into(),
            keep: Box::new(file.clone()),
        })
    }

    fn ipc_open_physical(self: &Arc<Self>, device: &Arc<Device>, data: &[u8]) -> UrResult<Arc<PhysicalMem>> {
        self.check_device(device)?;
        let Opened { file, size, .. } = SharedFile::open(Kind::Physical, data)?;
        Ok(PhysicalMem::opened(self, device, size, file))
    }

    fn ipc_close_physical(self: &Arc<Self>, mem: &Arc<PhysicalMem>) -> UrResult<()> {
        self.check_physical(mem)?;
        if mem.is_opened() {
            return Ok(());
        }
        Err(UrError::with_message(
            ResultCode::ERROR_INVALID_VALUE,
            "the physical memory was made by this process, and not opened",
        ))
    }

    fn ipc_export_event(event: &Arc<Event>) -> UrResult<IpcExport> {
        if event.is_profiled() {
            return Err(UrError::with_message(
                ResultCode::ERROR_UNSUPPORTED_FEATURE,
                "an event with times is not shared",
            ));
        }
        let Some((data, file)) = event.shared().and_then(|shared| shared.export()) else {
            return Err(UrError::with_message(
                ResultCode::ERROR_INVALID_EVENT,
                "only events are shared that were made with UR_EXP_EVENT_FLAG_IPC_EXP, by who made them",
            ));
        };
        Ok(IpcExport {
            data,
            keep: Box::new(file),
        })
    }

    fn ipc_open_event(self: &Arc<Self>, data: &[u8]) -> UrResult<Arc<Event>> {
        Ok(Event::reusable_of(self, false, Some(SharedEvent::open(data)?)))
    }
}

impl Context {
    fn check_physical(self: &Arc<Self>, mem: &PhysicalMem) -> UrResult<()> {
        if Arc::ptr_eq(mem.context(), self) {
            return Ok(());
        }
        Err(UrError::with_message(
            ResultCode::ERROR_INVALID_CONTEXT,
            "the physical memory is another context's",
        ))
    }
}

/// Maps all of a file, for who has its number only.
#[cfg(test)]
fn contents(file: &impl std::os::fd::AsRawFd, size: usize) -> &'static mut [u8] {
    let start = pages::map_file(file, 0, size, 0).unwrap();
    // SAFETY: pages that were just mapped, and are never unmapped.
    unsafe { std::slice::from_raw_parts_mut(start as *mut u8, size) }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd;

    use super::*;

    #[test]
    fn a_file_by_its_bytes() {
        let file = Arc::new(SharedFile::new(8192).unwrap());
        contents(&*file, 8192)[5000] = 7;
        let data = file.export(Kind::Usm, 4096, 100);
        let opened = SharedFile::open(Kind::Usm, &data).unwrap();
        assert_eq!((opened.offset, opened.size), (4096, 100));
        assert_eq!(contents(&opened.file, 8192)[5000], 7);
        let code = |kind, data: &[u8]| SharedFile::open(kind, data).map(drop).unwrap_err().code();
        let invalid = ResultCode::ERROR_INVALID_VALUE;
        assert_eq!(code(Kind::Physical, &data), invalid, "another kind of object");
        assert_eq!((code(Kind::Usm, &data[1..]), code(Kind::Usm, &[])), (invalid, invalid));
        // Every part of the bytes counts, but for what names other bytes of the same file. Of the process, it is the highest
        // byte that changes: a child that another test forked has the file, too.
        let parts = (0..data.len()).filter(|at| !file::RANGE.contains(at) && !(16..19).contains(at));
        for at in parts {
            let mut wrong = data;
            wrong[at] ^= 0x40;
            assert_eq!(code(Kind::Usm, &wrong), invalid, "{at}");
        }
        let range = |offset, size| file.export(Kind::Usm, offset, size);
        for (offset, size) in [(4096, 4097), (u64::MAX, 2), (0, u64::MAX), (8193, 0)] {
            assert_eq!(code(Kind::Usm, &range(offset, size)), invalid, "{offset} {size}");
        }
        drop(file);
        assert_eq!(code(Kind::Usm, &data), invalid, "the file is closed");
        assert_eq!(contents(&opened.file, 8192)[5000], 7, "what was opened stays");
    }

    #[test]
    fn nobody_makes_it_shorter() {
        let file = SharedFile::new(4096).unwrap();
        // SAFETY: an open file.
        assert_eq!(unsafe { libc::ftruncate(file.as_raw_fd(), 0) }, -1);
    }
}
