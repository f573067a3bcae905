// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Memory files that other processes can open.

use std::collections::BTreeMap;
use std::ffi::{CString, OsString};
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::Arc;

use kit::ur::ResultCode;
use kit::{UrError, UrResult};
use oxur_adapter_kit as kit;
use oxur_fork::Mutex;

/// The kind of a shared object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    Usm = 1,
    Physical = 2,
    Event = 3,
}

/// A memory file of fixed size.
pub(crate) struct SharedFile {
    file: OwnedFd,
    token: [u8; 16],
}

/// A range of a file that this or another process has exported.
pub(crate) struct Opened {
    pub(crate) file: OwnedFd,
    pub(crate) offset: usize,
    pub(crate) size: usize,
}

/// An IPC handle: magic number, kind, process id, file descriptor, token, offset and size of the range.
type Data = [u8; 56];
const MAGIC: [u8; 8] = *b"oxurIPC1";
/// The position of the range in a handle.
#[cfg(test)]
pub(super) const RANGE: std::ops::Range<usize> = 40..56;

/// The size and file of each USM mapping, by start address.
static USM: Mutex<BTreeMap<usize, (usize, Arc<SharedFile>)>> = Mutex::new(BTreeMap::new());

impl SharedFile {
    /// Creates a file.
    pub(crate) fn new(size: usize) -> io::Result<Self> {
        let mut token = [0; 16];
        // SAFETY: the buffer has this size. Up to 256 bytes are never returned in part.
        if unsafe { libc::getrandom(token.as_mut_ptr().cast(), token.len(), 0) } != token.len() as isize {
            return Err(io::Error::last_os_error());
        }
        let name = CString::new(name(&token)).expect("digits");
        // SAFETY: the name is zero-terminated.
        let raw = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING) };
        if raw < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor was just created, and has no other owner.
        let file = unsafe { OwnedFd::from_raw_fd(raw) };
        let len = libc::off_t::try_from(size).map_err(io::Error::other)?;
        // Sealed, because a process that shrinks the file would crash all that map it.
        let seals = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;
        // SAFETY: the file is open.
        if unsafe { libc::ftruncate(raw, len) != 0 || libc::fcntl(raw, libc::F_ADD_SEALS, seals) != 0 } {
            return Err(io::Error::last_os_error());
        }
        Ok(Self { file, token })
    }

    /// Records the addresses that a file is mapped to.
    pub(crate) fn mapped(self, start: usize, size: usize) {
        USM.lock().insert(start, (size, Arc::new(self)));
    }

    /// Removes the record of the file that is mapped at an address.
    pub(crate) fn unmapped(start: usize) {
        USM.lock().remove(&start);
    }

    /// The file that is mapped to an address, and the offset of the address in it.
    pub(crate) fn of(address: usize) -> Option<(Arc<Self>, usize)> {
        let files = USM.lock();
        let (&start, (size, file)) = files.range(..=address).next_back()?;
        (address - start < *size).then(|| (file.clone(), address - start))
    }

    /// The handle by which another process can open a range, as long as this process keeps the file.
    pub(crate) fn export(&self, kind: Kind, offset: u64, size: u64) -> Data {
        let mut data = [0; size_of::<Data>()];
        data[..8].copy_from_slice(&MAGIC);
        data[8..16].copy_from_slice(&(kind as u64).to_le_bytes());
        data[16..20].copy_from_slice(&std::process::id().to_le_bytes());
        data[20..24].copy_from_slice(&self.file.as_raw_fd().to_le_bytes());
        data[24..40].copy_from_slice(&self.token);
        data[40..48].copy_from_slice(&offset.to_le_bytes());
        data[48..56].copy_from_slice(&size.to_le_bytes());
        data
    }

    /// Opens the range of a handle.
    pub(crate) fn open(kind: Kind, data: &[u8]) -> UrResult<Opened> {
        let data = Data::try_from(data).map_err(|_| {
            invalid(format!(
                "the handle has {} bytes, not {}",
                data.len(),
                size_of::<Data>()
            ))
        })?;
        let word = |at: usize| u64::from_le_bytes(data[at..at + 8].try_into().expect("8 bytes"));
        if data[..8] != MAGIC || word(8) != kind as u64 {
            return Err(invalid("the handle is of another kind of object".to_owned()));
        }
        let process = u32::from_le_bytes(data[16..20].try_into().expect("4 bytes"));
        let number = RawFd::from_le_bytes(data[20..24].try_into().expect("4 bytes"));
        let path = format!("/proc/{process}/fd/{number}");
        let gone = |error: io::Error| invalid(format!("process {process} does not share it any more: {error}"));
        let expected = OsString::from(format!("/memfd:{} (deleted)", name(&data[24..40])));
        let file = File::options().read(true).write(true).open(&path).map_err(gone)?;
        // Checks the name of the file that was opened: under `path` there may be another one by now.
        let found = fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).map_err(gone)?;
        if found.as_os_str() != expected {
            return Err(gone(io::Error::from(io::ErrorKind::NotFound)));
        }
        let len = file.metadata().map_err(gone)?.len();
        let (offset, size) = (word(40), word(48));
        if offset.checked_add(size).is_none_or(|end| end > len) || size == 0 {
            return Err(invalid(format!(
                "{size} bytes at {offset} are outside of the file of {len} bytes"
            )));
        }
        Ok(Opened {
            file: file.into(),
            offset: offset as usize,
            size: size as usize,
        })
    }
}

impl AsRawFd for SharedFile {
    fn as_raw_fd(&self) -> RawFd {
        self.file.as_raw_fd()
    }
}

fn name(token: &[u8]) -> String {
    let digits: String = token.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("oxur-{digits}")
}

fn invalid(what: String) -> UrError {
    UrError::with_message(
        ResultCode::ERROR_INVALID_VALUE,
        format!("cannot open an IPC handle: {what}"),
    )
}
