// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Memory files that other processes can open.

use std::collections::BTreeMap;
use std::ffi::{CString, OsString};
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::Arc;

use oxur_fork::Mutex;

/// The kind of a shared object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// An allocation.
    Usm = 1,
    /// Physical memory, which clients map.
    Physical = 2,
    /// An event.
    Event = 3,
}

/// A memory file of fixed size.
pub struct SharedFile {
    file: OwnedFd,
    token: [u8; 16],
}

/// A range of a file that this or another process has exported.
pub struct Opened {
    /// The file.
    pub file: OwnedFd,
    /// Where the range begins.
    pub offset: usize,
    /// The size of the range in bytes.
    pub size: usize,
}

/// An IPC handle: magic number, kind, process id, file descriptor, token, offset and size of the range.
type Data = [u8; 56];
const MAGIC: [u8; 8] = *b"oxurIPC1";
/// The position of the range in a handle.
#[cfg(test)]
const RANGE: std::ops::Range<usize> = 40..56;

/// The size and file of each USM mapping, by start address.
static USM: Mutex<BTreeMap<usize, (usize, Arc<SharedFile>)>> = Mutex::new(BTreeMap::new());

impl SharedFile {
    /// Creates a file.
    pub fn new(size: usize) -> io::Result<Self> {
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
    pub fn mapped(self, start: usize, size: usize) {
        USM.lock().insert(start, (size, Arc::new(self)));
    }

    /// Removes the record of the file that is mapped at an address.
    pub fn unmapped(start: usize) {
        USM.lock().remove(&start);
    }

    /// The file that is mapped to an address, and the offset of the address in it.
    pub fn of(address: usize) -> Option<(Arc<Self>, usize)> {
        let files = USM.lock();
        let (&start, (size, file)) = files.range(..=address).next_back()?;
        (address - start < *size).then(|| (file.clone(), address - start))
    }

    /// The handle by which another process can open a range, as long as this process keeps the file.
    pub fn export(&self, kind: Kind, offset: u64, size: u64) -> Data {
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
    pub fn open(kind: Kind, data: &[u8]) -> Result<Opened, InvalidHandle> {
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

/// An IPC handle does not lead to a file, or to one of another kind.
#[derive(Debug, thiserror::Error)]
#[error("cannot open an IPC handle: {0}")]
pub struct InvalidHandle(String);

fn invalid(what: String) -> InvalidHandle {
    InvalidHandle(what)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages;

    /// Maps a whole file.
    fn contents(file: &impl AsRawFd, size: usize) -> &'static mut [u8] {
        let start = pages::map_file(file, 0, size, 0).unwrap();
        // SAFETY: the pages were just mapped, and are never unmapped.
        unsafe { std::slice::from_raw_parts_mut(start as *mut u8, size) }
    }

    #[test]
    fn a_file_by_its_bytes() {
        let file = Arc::new(SharedFile::new(8192).unwrap());
        contents(&*file, 8192)[5000] = 7;
        let data = file.export(Kind::Usm, 4096, 100);
        let opened = SharedFile::open(Kind::Usm, &data).unwrap();
        assert_eq!((opened.offset, opened.size), (4096, 100));
        assert_eq!(contents(&opened.file, 8192)[5000], 7);
        let refused = |kind, data: &[u8]| SharedFile::open(kind, data).is_err();
        assert!(refused(Kind::Physical, &data), "another kind of object");
        assert!(refused(Kind::Usm, &data[1..]) && refused(Kind::Usm, &[]));
        // A change of any byte makes the handle invalid, except in the range, which is valid inside the file. Of the process
        // id, only the highest byte is changed: a child that another test forked has the same file.
        let parts = (0..data.len()).filter(|at| !RANGE.contains(at) && !(16..19).contains(at));
        for at in parts {
            let mut wrong = data;
            wrong[at] ^= 0x40;
            assert!(refused(Kind::Usm, &wrong), "{at}");
        }
        let range = |offset, size| file.export(Kind::Usm, offset, size);
        for (offset, size) in [(4096, 4097), (u64::MAX, 2), (0, u64::MAX), (8193, 0)] {
            assert!(refused(Kind::Usm, &range(offset, size)), "{offset} {size}");
        }
        drop(file);
        assert!(refused(Kind::Usm, &data), "the file is closed");
        assert_eq!(contents(&opened.file, 8192)[5000], 7, "the mapping stays valid");
    }

    #[test]
    fn nobody_makes_it_shorter() {
        let file = SharedFile::new(4096).unwrap();
        // SAFETY: the file is open.
        assert_eq!(unsafe { libc::ftruncate(file.as_raw_fd(), 0) }, -1);
    }
}
