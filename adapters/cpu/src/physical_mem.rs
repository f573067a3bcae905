// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Physical memory: a file in memory, which [`virtual_mem`](crate::virtual_mem) maps wherever the client likes, also
//! several times. A child of `fork` shares it with its parent.

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::Arc;

use kit::ur::{PhysicalMemFlags, PhysicalMemInfo, PhysicalMemProperties, ResultCode};
use kit::{Header, InfoOut, UrError, UrResult};
use oxur_adapter_kit as kit;

use crate::usm::pages;
use crate::{Context, Cpu, Device};

/// A piece of physical memory.
pub(crate) struct PhysicalMem {
    pub(crate) header: Header,
    context: Arc<Context>,
    device: Arc<Device>,
    /// Bytes.
    pub(crate) size: usize,
    file: OwnedFd,
}

impl PhysicalMem {
    /// What to map.
    pub(crate) fn file(&self) -> &impl AsRawFd {
        &self.file
    }

    /// The context that it is in.
    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.context
    }
}

fn file(size: usize) -> std::io::Result<OwnedFd> {
    // SAFETY: a name that ends with zero.
    let raw = unsafe { libc::memfd_create(c"oxur-physical-memory".as_ptr(), libc::MFD_CLOEXEC) };
    if raw < 0 {
        return Err(std::io::Error::last_os_error());
    }
    // SAFETY: a file that was just opened and that nobody else knows.
    let file = unsafe { OwnedFd::from_raw_fd(raw) };
    let len = libc::off_t::try_from(size).map_err(std::io::Error::other)?;
    // SAFETY: an open file.
    if unsafe { libc::ftruncate(file.as_raw_fd(), len) } != 0 {
        return Err(std::io::Error::last_os_error());
    }
    Ok(file)
}

impl kit::PhysicalMem<Cpu> for PhysicalMem {
    fn create(
        context: &Arc<Context>,
        device: &Arc<Device>,
        size: usize,
        flags: PhysicalMemFlags,
    ) -> UrResult<Arc<Self>> {
        context.check_device(device)?;
        if flags.contains(PhysicalMemFlags::ENABLE_IPC) {
            return Err(UrError::said(
                ResultCode::ERROR_UNSUPPORTED_FEATURE,
                "physical memory cannot be shared with other processes",
            ));
        }
        if size == 0 || !size.is_multiple_of(pages::page()) {
            return Err(UrError::said(
                ResultCode::ERROR_INVALID_SIZE,
                format!(
                    "physical memory has whole pages of {} bytes, not {size} bytes",
                    pages::page()
                ),
            ));
        }
        let file = file(size).map_err(|error| {
            UrError::said(
                ResultCode::ERROR_OUT_OF_HOST_MEMORY,
                format!("the system has no {size} bytes of physical memory: {error}"),
            )
        })?;
        Ok(Arc::new(Self {
            header: Header::new(),
            context: context.clone(),
            device: device.clone(),
            size,
            file,
        }))
    }

    fn info(&self, query: PhysicalMemInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            PhysicalMemInfo::CONTEXT => out.handle(&self.context),
            PhysicalMemInfo::DEVICE => out.handle(&self.device),
            PhysicalMemInfo::SIZE => out.value(self.size),
            // No flag is supported, so there were none.
            PhysicalMemInfo::PROPERTIES => out.value(PhysicalMemProperties::default()),
            _ => out.unsupported(),
        }
    }
}
