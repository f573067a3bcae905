// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Sharing with other processes: physical memory, events, and device USM if `UR_CPU_IPC` is set.
//!
//! Shared objects are memory files (`memfd_create`). An IPC handle, which the client passes to the other process, has the
//! process id, the file descriptor there, and a random token that is the name of the file. The other process opens the file
//! as `/proc/PID/fd/FD`, which the kernel allows to processes of the same user that may trace each other. If the descriptor
//! was reused, the name of the file differs and opening fails. Until a handle is opened, the exporting process must live and
//! keep the object. After that, the mapping stays valid whatever that process does.

mod event;

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::Arc;

use kit::{IpcExport, UrError, UrResult};
use oxur_adapter_kit as kit;
use oxur_device_cpu::pages;
use oxur_device_cpu::shared_file::{Kind, Opened, SharedFile};
use oxur_fork::{OnceLock, RwLock};

use crate::device_error::invalid_handle;

pub(crate) use self::event::{SharedEvent, Signalling};
use crate::{Context, Cpu, Device, Event, PhysicalMem};

/// `UR_CPU_IPC`: whether device USM can be shared with other processes.
///
/// Off by default, because a child of `fork` shares such memory with its parent instead of getting a copy, and because it
/// gets no huge pages.
pub(crate) fn shares_usm() -> bool {
    static SHARES: OnceLock<bool> = OnceLock::new();
    *SHARES.get_or_init(|| kit::environment::CPU_IPC.switch().unwrap_or(false))
}

/// USM of other processes that a context has opened, by start address.
#[derive(Default)]
pub(crate) struct Imports {
    imports: RwLock<BTreeMap<usize, Import>>,
}

#[derive(Clone)]
struct Import {
    device: Arc<Device>,
    size: usize,
    /// The start and size of the mapping, which may begin before the allocation.
    pages: (usize, usize),
}

impl Imports {
    /// The start, size and device of the opened allocation that contains an address.
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
            log::info!("a context is destroyed with {left} open allocations of other processes");
        }
    }
}

fn no_memory(error: &std::io::Error) -> UrError {
    kit::error!(ERROR_OUT_OF_HOST_MEMORY: "memory of another process cannot be mapped: {error}")
}

impl kit::BindlessImages<Cpu> for Context {}
impl kit::MemoryExport<Cpu> for Context {}

impl kit::Ipc<Cpu> for Context {
    const HAS_IPC: bool = true;

    fn ipc_export_mem(self: &Arc<Self>, memory: *mut c_void) -> UrResult<IpcExport> {
        if !shares_usm() {
            kit::bail!(ERROR_UNSUPPORTED_FEATURE: "USM can be shared with other processes only if UR_CPU_IPC=1 is set");
        }
        let (start, size) = self
            .device_allocation(memory as usize)
            .ok_or_else(|| kit::error!(ERROR_INVALID_VALUE: "{memory:p} is not device USM of this context"))?;
        let (file, offset) = SharedFile::of(start).ok_or_else(|| {
            kit::error!(ERROR_INVALID_VALUE: "the USM belongs to another process, and only that process can share it")
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
        let Opened { file, offset, size } = SharedFile::open(Kind::Usm, data).map_err(invalid_handle)?;
        // Mappings start at a page boundary of the file, so up to a page before the allocation is mapped, too.
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
                // SAFETY: the pages were mapped when the memory was opened, and the client no longer uses them.
                unsafe { pages::unmap(import.pages.0, import.pages.1) };
                Ok(())
            }
            None => Err(kit::error!(ERROR_INVALID_VALUE: "{memory:p} is not an opened allocation")),
        }
    }

    fn ipc_export_physical(self: &Arc<Self>, mem: &Arc<PhysicalMem>) -> UrResult<IpcExport> {
        self.check_physical(mem)?;
        let Some(file) = mem.shared() else {
            kit::bail!(
                ERROR_INVALID_ARGUMENT:
                    "physical memory can be shared only with UR_PHYSICAL_MEM_FLAG_ENABLE_IPC, and only by the \
                     process that created it"
            );
        };
        Ok(IpcExport {
            data: file.export(Kind::Physical, 0, mem.size() as u64).into(),
            keep: Box::new(file.clone()),
        })
    }

    fn ipc_open_physical(self: &Arc<Self>, device: &Arc<Device>, data: &[u8]) -> UrResult<Arc<PhysicalMem>> {
        self.check_device(device)?;
        let Opened { file, size, .. } = SharedFile::open(Kind::Physical, data).map_err(invalid_handle)?;
        Ok(PhysicalMem::opened(self, device, size, file))
    }

    fn ipc_close_physical(self: &Arc<Self>, mem: &Arc<PhysicalMem>) -> UrResult<()> {
        self.check_physical(mem)?;
        if mem.is_opened() {
            return Ok(());
        }
        Err(kit::error!(ERROR_INVALID_VALUE: "the physical memory was created by this process, not opened"))
    }

    fn ipc_export_event(event: &Arc<Event>) -> UrResult<IpcExport> {
        if event.is_profiled() {
            kit::bail!(ERROR_UNSUPPORTED_FEATURE: "an event with profiling cannot be shared");
        }
        let Some((data, file)) = event.shared().and_then(|shared| shared.export()) else {
            kit::bail!(
                ERROR_INVALID_EVENT:
                    "events can be shared only with UR_EXP_EVENT_FLAG_IPC_EXP, and only by the process that created \
                     them"
            );
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
        Err(kit::error!(ERROR_INVALID_CONTEXT: "the physical memory belongs to another context"))
    }
}
