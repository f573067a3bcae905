// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Memory files that other processes can open.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use oxur_fork::Mutex;

use crate::pages;

/// The kind of a shared object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// An allocation.
    Usm = 1,
    /// Physical memory, which clients map.
    Physical = 2,
    /// An event.
    Event = 3,
    /// A pool of events.
    EventPool = 4,
    /// A counter-based event.
    Counter = 5,
}

/// A memory file of fixed size.
#[derive(Debug)]
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

/// The bytes of an IPC handle: magic number, kind, process id, file descriptor, token, offset and size of the range.
pub type Data = [u8; 56];
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
        let range = Exported::parse(kind, data)?;
        let (process, number) = (range.process, range.number);
        let gone = |error: io::Error| invalid(format!("process {process} does not share it any more: {error}"));
        let path = format!("/proc/{process}/fd/{number}");
        let file = File::options().read(true).write(true).open(path).map_err(gone)?;
        // Checks the name of the file that was opened: under `path` there may be another one by now.
        if token_of(file.as_raw_fd()).map_err(gone)? != range.token {
            return Err(gone(io::Error::from(io::ErrorKind::NotFound)));
        }
        range.within(file.into())
    }

    /// Opens the range of a handle whose file the client has brought into this process as the descriptor `number`. `None` if
    /// that is not the handle's file.
    pub fn open_local(kind: Kind, data: &[u8], number: RawFd) -> Result<Option<Opened>, InvalidHandle> {
        let range = Exported::parse(kind, data)?;
        match Self::of_descriptor(number) {
            Ok(own) if own.token == range.token => range.within(own.file).map(Some),
            _ => Ok(None),
        }
    }

    /// The file behind a descriptor of the client, if this or another process created it as a shared file. The descriptor
    /// is duplicated.
    pub fn of_descriptor(number: RawFd) -> Result<Self, InvalidHandle> {
        let wrong = |error: io::Error| invalid(format!("descriptor {number} is not of shared memory: {error}"));
        let token = token_of(number).map_err(wrong)?;
        let file = duplicate(number).map_err(wrong)?;
        check_seals(number)?;
        Ok(Self { file, token })
    }

    /// The number of bytes.
    pub fn size(&self) -> io::Result<usize> {
        size_of_file(self.as_raw_fd())
    }

    /// Copies memory to the start of the file. Pages of zeros take no memory there, as before the first write to new memory.
    ///
    /// # Safety
    /// The memory must be readable, and nobody may write to it meanwhile.
    pub unsafe fn write(&self, memory: *const u8, size: usize) -> io::Result<()> {
        let page = pages::page();
        let file = File::from(self.file.try_clone()?);
        let mut at = 0;
        while at < size {
            let end = size.min(at + page);
            // SAFETY: the caller says that it is readable, and that nobody writes to it.
            let bytes = unsafe { std::slice::from_raw_parts(memory.add(at), end - at) };
            if bytes.iter().any(|byte| *byte != 0) {
                file.write_all_at(bytes, at as u64)?;
            }
            at = end;
        }
        Ok(())
    }
}

/// The range that a handle names, and where its file is.
struct Exported {
    process: u32,
    number: RawFd,
    token: [u8; 16],
    offset: u64,
    size: u64,
}

impl Exported {
    fn parse(kind: Kind, data: &[u8]) -> Result<Self, InvalidHandle> {
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
        Ok(Self {
            process: u32::from_le_bytes(data[16..20].try_into().expect("4 bytes")),
            number: RawFd::from_le_bytes(data[20..24].try_into().expect("4 bytes")),
            token: data[24..40].try_into().expect("16 bytes"),
            offset: word(40),
            size: word(48),
        })
    }

    /// The range in the file.
    fn within(self, file: OwnedFd) -> Result<Opened, InvalidHandle> {
        let Self { offset, size, .. } = self;
        check_seals(file.as_raw_fd())?;
        let len = size_of_file(file.as_raw_fd()).map_err(|error| invalid(error.to_string()))? as u64;
        if offset.checked_add(size).is_none_or(|end| end > len) || size == 0 {
            return Err(invalid(format!(
                "{size} bytes at {offset} are outside of the file of {len} bytes"
            )));
        }
        Ok(Opened {
            file,
            offset: offset as usize,
            size: size as usize,
        })
    }
}

/// The token in the name of an open file.
fn token_of(number: RawFd) -> io::Result<[u8; 16]> {
    let found = fs::read_link(format!("/proc/self/fd/{number}"))?;
    let digits = found
        .to_str()
        .and_then(|name| name.strip_prefix("/memfd:oxur-")?.strip_suffix(" (deleted)"));
    let mut token = [0; 16];
    match digits {
        Some(digits) if digits.len() == 32 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()) => {
            for (byte, pair) in token.iter_mut().zip(digits.as_bytes().chunks(2)) {
                let pair = str::from_utf8(pair).expect("digits");
                *byte = u8::from_str_radix(pair, 16).expect("two digits");
            }
            Ok(token)
        }
        _ => Err(io::Error::from(io::ErrorKind::NotFound)),
    }
}

/// Checks that nobody can make a file shorter, which would crash all that map it.
fn check_seals(number: RawFd) -> Result<(), InvalidHandle> {
    // SAFETY: a file without seals, or a number that is no descriptor, is an error.
    let seals = unsafe { libc::fcntl(number, libc::F_GET_SEALS) };
    if seals < 0 || seals & libc::F_SEAL_SHRINK == 0 {
        return Err(invalid("the file is not sealed, so it could become shorter".to_owned()));
    }
    Ok(())
}

/// Another descriptor of an open file.
pub fn duplicate(number: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: a number that is no descriptor is an error.
    let copy = unsafe { libc::fcntl(number, libc::F_DUPFD_CLOEXEC, 0) };
    if copy < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor was just created, and has no other owner.
    Ok(unsafe { OwnedFd::from_raw_fd(copy) })
}

/// The number of bytes of an open file, or of a buffer of another device (dma-buf).
pub fn size_of_file(number: RawFd) -> io::Result<usize> {
    // SAFETY: all zero is a valid `stat`.
    let mut stat: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: a number that is no descriptor is an error; `stat` has a place.
    if unsafe { libc::fstat(number, &mut stat) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let size = if stat.st_mode & libc::S_IFMT == libc::S_IFREG {
        stat.st_size
    } else {
        // SAFETY: as above. Only regular files have a position that means something.
        unsafe { libc::lseek(number, 0, libc::SEEK_END) }
    };
    usize::try_from(size).map_err(|_| io::Error::last_os_error())
}

impl AsRawFd for SharedFile {
    fn as_raw_fd(&self) -> RawFd {
        self.file.as_raw_fd()
    }
}

impl From<SharedFile> for OwnedFd {
    fn from(shared: SharedFile) -> Self {
        shared.file
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
    fn a_file_by_a_descriptor() {
        let file = SharedFile::new(10_000).unwrap();
        let mut bytes = vec![0u8; 10_000];
        (bytes[1], bytes[9_999]) = (5, 6);
        // SAFETY: memory of this size, which nobody else knows.
        unsafe { file.write(bytes.as_ptr(), bytes.len()) }.unwrap();
        let copy = duplicate(file.as_raw_fd()).unwrap();
        let same = SharedFile::of_descriptor(copy.as_raw_fd()).unwrap();
        assert_eq!((same.size().unwrap(), same.token), (10_000, file.token));
        assert_eq!(contents(&same, 10_000), bytes);
        let data = file.export(Kind::Usm, 0, 10_000);
        let local = |number| SharedFile::open_local(Kind::Usm, &data, number).unwrap();
        assert_eq!(local(copy.as_raw_fd()).map(|opened| opened.size), Some(10_000));
        let other = SharedFile::new(10_000).unwrap();
        assert!(local(other.as_raw_fd()).is_none() && local(-1).is_none());
        let null = File::open("/dev/null").unwrap();
        for number in [null.as_raw_fd(), -1, 1_000_000] {
            assert!(SharedFile::of_descriptor(number).is_err());
        }
    }

    #[test]
    fn files_that_may_become_shorter() {
        let name = CString::new(name(&[7; 16])).unwrap();
        // SAFETY: the name is zero-terminated, and the descriptor has no other owner.
        let file = unsafe { OwnedFd::from_raw_fd(libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC)) };
        assert_eq!(token_of(file.as_raw_fd()).unwrap(), [7; 16]);
        assert!(SharedFile::of_descriptor(file.as_raw_fd()).is_err());
    }

    #[test]
    fn nobody_makes_it_shorter() {
        let file = SharedFile::new(4096).unwrap();
        // SAFETY: the file is open.
        assert_eq!(unsafe { libc::ftruncate(file.as_raw_fd(), 0) }, -1);
    }
}
