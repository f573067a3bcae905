// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Memory of other APIs that is imported by a file descriptor, for drivers without a call that only imports: the descriptor is
//! kept, and each mapping imports it.

use std::os::fd::{FromRawFd, OwnedFd};
use std::sync::Arc;

use oxur_api::{ExpExternalMemHandle, ExpExternalMemType};

use crate::{Backend, BindlessImages, ExternalMem, HandleCell, Object, OsHandle, UrResult};

/// Memory of another API.
pub struct ExternalFd {
    handle_cell: HandleCell,
    /// The descriptor, which is closed when this is dropped.
    pub fd: OwnedFd,
    /// What kind of descriptor it is.
    pub kind: ExpExternalMemType,
    /// How many bytes there are.
    pub size: usize,
}

impl ExternalFd {
    /// The offset and the size of a part. An error if it is not inside.
    pub fn check_part(&self, offset: u64, size: u64) -> UrResult<(usize, usize)> {
        match offset.checked_add(size) {
            Some(end) if size != 0 && end <= self.size as u64 => Ok((offset as usize, size as usize)),
            _ => Err(crate::error!(
                ERROR_INVALID_VALUE:
                    "{size} bytes from {offset} on are no part of external memory of {} bytes", self.size
            )),
        }
    }
}

impl Object for ExternalFd {
    type Handle = ExpExternalMemHandle;

    fn handle_cell(&self) -> &HandleCell {
        &self.handle_cell
    }
}

impl<B: Backend> ExternalMem<B> for ExternalFd {
    fn import(
        _context: &Arc<B::Context>,
        device: &Arc<B::Device>,
        size: usize,
        kind: ExpExternalMemType,
        handle: OsHandle,
    ) -> UrResult<Arc<Self>> {
        if !B::Context::imports_memory(device, kind)? {
            crate::bail!(ERROR_UNSUPPORTED_FEATURE: "the device does not import memory as {kind:?}");
        }
        let OsHandle::Fd(fd) = handle else {
            crate::bail!(ERROR_INVALID_VALUE: "memory is imported by a file descriptor here, not by {handle:?}");
        };
        // SAFETY: it may be asked of any number.
        let is_open = || unsafe { libc::fcntl(fd, libc::F_GETFD) } != -1;
        if size == 0 || !is_open() {
            crate::bail!(ERROR_INVALID_VALUE: "{size} bytes cannot be imported by the descriptor {fd}: it is not open, or there are none");
        }
        Ok(Arc::new(Self {
            handle_cell: HandleCell::new(),
            // SAFETY: an open descriptor, which the client gives up.
            fd: unsafe { OwnedFd::from_raw_fd(fd) },
            kind,
            size,
        }))
    }
}
