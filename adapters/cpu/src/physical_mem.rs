// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Physical memory: an anonymous file, which [`virtual_mem`](crate::virtual_mem) maps at any number of addresses. A
//! child of `fork` shares it with its parent.

use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::Arc;

use kit::ur::{PhysicalMemFlags, PhysicalMemInfo, PhysicalMemProperties, ResultCode};
use kit::{HandleCell, InfoOut, UrError, UrResult};
use oxur_adapter_kit as kit;
use oxur_device_cpu::pages;
use oxur_device_cpu::shared_file::SharedFile;

use crate::{Context, Cpu, Device};

/// Physical memory.
pub(crate) struct PhysicalMem {
    pub(crate) handle_cell: HandleCell,
    context: Arc<Context>,
    device: Arc<Device>,
    /// Bytes.
    pub(crate) size: usize,
    flags: PhysicalMemFlags,
    file: MemFile,
}

/// Where the memory is.
#[derive(Clone)]
pub(crate) enum MemFile {
    /// A file of this process.
    Own(Arc<SharedFile>),
    /// One that this or another process exported.
    Opened(Arc<OwnedFd>),
}

impl AsRawFd for MemFile {
    fn as_raw_fd(&self) -> RawFd {
        match self {
            Self::Own(file) => file.as_raw_fd(),
            Self::Opened(file) => file.as_raw_fd(),
        }
    }
}

impl PhysicalMem {
    /// The memory behind a handle of another process.
    pub(crate) fn opened(context: &Arc<Context>, device: &Arc<Device>, size: usize, file: OwnedFd) -> Arc<Self> {
        Arc::new(Self {
            handle_cell: HandleCell::new(),
            context: context.clone(),
            device: device.clone(),
            size,
            flags: PhysicalMemFlags::ENABLE_IPC,
            file: MemFile::Opened(Arc::new(file)),
        })
    }

    /// What to map.
    pub(crate) fn file(&self) -> &MemFile {
        &self.file
    }

    /// The file for an IPC handle: this process created it to be shared.
    pub(crate) fn shared(&self) -> Option<&Arc<SharedFile>> {
        match &self.file {
            MemFile::Own(file) if self.flags.contains(PhysicalMemFlags::ENABLE_IPC) => Some(file),
            _ => None,
        }
    }

    /// Whether it was opened from an IPC handle.
    pub(crate) fn is_opened(&self) -> bool {
        matches!(self.file, MemFile::Opened(_))
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
        if size == 0 || !size.is_multiple_of(pages::page()) {
            return Err(UrError::with_message(
                ResultCode::ERROR_INVALID_SIZE,
                format!(
                    "physical memory has whole pages of {} bytes, not {size} bytes",
                    pages::page()
                ),
            ));
        }
        let file = SharedFile::new(size).map_err(|error| {
            UrError::with_message(
                ResultCode::ERROR_OUT_OF_HOST_MEMORY,
                format!("the system has no {size} bytes of physical memory: {error}"),
            )
        })?;
        Ok(Arc::new(Self {
            handle_cell: HandleCell::new(),
            context: context.clone(),
            device: device.clone(),
            size,
            flags,
            file: MemFile::Own(Arc::new(file)),
        }))
    }

    fn info(&self, query: PhysicalMemInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            PhysicalMemInfo::CONTEXT => out.handle(&self.context),
            PhysicalMemInfo::DEVICE => out.handle(&self.device),
            PhysicalMemInfo::SIZE => out.value(self.size),
            PhysicalMemInfo::PROPERTIES => out.value(PhysicalMemProperties {
                flags: self.flags,
                ..Default::default()
            }),
            _ => out.unsupported(),
        }
    }
}
