// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Physical memory: an anonymous file, which [`virtual_mem`](crate::virtual_mem) maps at any number of addresses. A
//! child of `fork` shares it with its parent.

use std::os::fd::OwnedFd;
use std::sync::Arc;

use kit::ur::{PhysicalMemFlags, PhysicalMemInfo, PhysicalMemProperties};
use kit::{HandleCell, InfoOut, UrResult};
use oxur_adapter_kit as kit;
use oxur_device_cpu::shared_file::SharedFile;
use oxur_device_cpu::virtual_mem::PhysicalMemory;

use crate::device_error::virtual_mem;
use crate::{Context, Cpu, Device};

/// Physical memory.
pub(crate) struct PhysicalMem {
    pub(crate) handle_cell: HandleCell,
    context: Arc<Context>,
    device: Arc<Device>,
    flags: PhysicalMemFlags,
    memory: PhysicalMemory,
}

impl AsRef<PhysicalMemory> for PhysicalMem {
    fn as_ref(&self) -> &PhysicalMemory {
        &self.memory
    }
}

impl PhysicalMem {
    /// The memory behind a handle of another process.
    pub(crate) fn opened(context: &Arc<Context>, device: &Arc<Device>, size: usize, file: OwnedFd) -> Arc<Self> {
        Arc::new(Self {
            handle_cell: HandleCell::new(),
            context: context.clone(),
            device: device.clone(),
            flags: PhysicalMemFlags::ENABLE_IPC,
            memory: PhysicalMemory::opened(file, size),
        })
    }

    /// The number of bytes.
    pub(crate) fn size(&self) -> usize {
        self.memory.size()
    }

    /// The file for an IPC handle: this process created it to be shared.
    pub(crate) fn shared(&self) -> Option<&Arc<SharedFile>> {
        self.memory
            .shared()
            .filter(|_| self.flags.contains(PhysicalMemFlags::ENABLE_IPC))
    }

    /// Whether it was opened from an IPC handle.
    pub(crate) fn is_opened(&self) -> bool {
        self.memory.shared().is_none()
    }

    /// The context that it is in.
    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.context
    }
}

impl kit::PhysicalMem<Cpu> for PhysicalMem {
    fn create(
        context: &Arc<Context>,
        device: &Arc<Device>,
        size: usize,
        flags: PhysicalMemFlags,
    ) -> UrResult<Arc<Self>> {
        context.check_device(device)?;
        kit::args::known_flags(flags)?;
        let memory = PhysicalMemory::new(size).map_err(virtual_mem)?;
        Ok(Arc::new(Self {
            handle_cell: HandleCell::new(),
            context: context.clone(),
            device: device.clone(),
            flags,
            memory,
        }))
    }

    fn info(&self, query: PhysicalMemInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            PhysicalMemInfo::CONTEXT => out.handle(&self.context),
            PhysicalMemInfo::DEVICE => out.handle(&self.device),
            PhysicalMemInfo::SIZE => out.value(self.size()),
            PhysicalMemInfo::PROPERTIES => out.value(PhysicalMemProperties {
                flags: self.flags,
                ..Default::default()
            }),
            _ => out.unsupported(),
        }
    }
}
