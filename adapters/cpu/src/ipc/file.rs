// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A file in memory that other processes can open.

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

/// What is shared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    Usm = 1,
    Physical = 2,
    Event = 3,
}

/// A file in memory. Its size never changes.
pub(crate) struct SharedFile {
    file: OwnedFd,
    token: [u8; 16],
}

/// A part of a file that another process, or this one, has shared.
pub(crate) struct Opened {
    pub(crate) file: OwnedFd,
    pub(crate) offset: usize,
    pub(crate) size: usize,
}

/// The bytes of a handle: what they are, the kind, the process, the file's number, its token, and a range in it.
type Data = [u8; 56];
const MAGIC: [u8; 8] = *b"oxurIPC1";
/// Where the range is.
#[cfg(test)]
pub(super) const RANGE: std::ops::Range<usize> = 40..56;

/// The files of USM, with their sizes, by the addresses that they are mapped to.
static USM: Mutex<BTreeMap<usize, (usize, Arc<SharedFile>)>> = Mutex::new(BTreeMap::new());

impl SharedFile {
    /// A new one.
    pub(crate) fn new(size: usize) -> io::Result<Self> {
        let mut token = [0; 16];
        // SAFETY: a buffer of that size. So few bytes come at once.
        if unsafe { libc::getrandom(token.as_mut_ptr().cast(), token.len(), 0) } != token.len() as isize {
            return Err(io::Error::last_os_error());
        }
        let name = CString::new(name(&token)).expect("digits");
        // SAFETY: a name that ends with zero.
        let raw = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING) };
        if raw < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: a file that was just opened and that nobody else knows.
        let file = unsafe { OwnedFd::from_raw_fd(raw) };
        let len = libc::off_t::try_from(size).map_err(io::Error::other)?;
        // A process that made it shorter would crash the others.
        let seals = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;
        // SAFETY: an open file.
        if unsafe { libc::ftruncate(raw, len) != 0 || libc::fcntl(raw, libc::F_ADD_SEALS, seals) != 0 } {
            return Err(io::Error::last_os_error());
        }
        Ok(Self { file, token })
    }

    /// Takes note of the addresses that a file is mapped to.
    pub(crate) fn mapped(self, start: usize, size: usize) {
        USM.lock().insert(start, (size, Arc::new(self)));
    }

    /// Forgets the file that is mapped from an address on.
    pub(crate) fn unmapped(start: usize) {
        USM.lock().remove(&start);
    }

    /// The file that is mapped to an address, and where in it that is.
    pub(crate) fn of(address: usize) -> Option<(Arc<Self>, usize)> {
        let files = USM.lock();
        let (&start, (size, file)) = files.range(..=address).next_back()?;
        (address - start < *size).then(|| (file.clone(), address - start))
    }

    /// The bytes by which another process opens a part of it, as long as this process has it.
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

    /// Opens what such bytes name.
    pub(crate) fn open(kind: Kind, data: &[u8]) -> UrResult<Opened> {
        let data = Data::try_from(data)
            .map_err(|_| invalid(format!("a handle of {} bytes, not {}", data.len(), size_of::<Data>())))?;
        let word = |at: usize| u64::from_le_bytes(data[at..at + 8].try_into().expect("8 bytes"));
        if data[..8] != MAGIC || word(8) != kind as u64 {
            return Err(invalid("a handle of something else".to_owned()));
        }
        let process = u32::from_le_bytes(data[16..20].try_into().expect("4 bytes"));
        let number = RawFd::from_le_bytes(data[20..24].try_into().expect("4 bytes"));
        let path = format!("/proc/{process}/fd/{number}");
        let gone = |error: io::Error| invalid(format!("process {process} does not share it any more: {error}"));
        let expected = OsString::from(format!("/memfd:{} (deleted)", name(&data[24..40])));
        let file = File::options().read(true).write(true).open(&path).map_err(gone)?;
        // By its own number, since the other process may open another file meanwhile.
        let found = fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).map_err(gone)?;
        if found.as_os_str() != expected {
            return Err(gone(io::Error::from(io::ErrorKind::NotFound)));
        }
        let len = file.metadata().map_err(gone)?.len();
        let (offset, size) = (word(40), word(48));
        if offset.checked_add(size).is_none_or(|end| end > len) || size == 0 {
            return Err(invalid(format!("{size} bytes at {offset} of a file of {len}")));
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
        format!("what another process shares cannot be opened: {what}"),
    )
}
