// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The folder of a cache: who may write to it, and how files are read, created and removed.
//!
//! All operations are relative to the opened folder, whose owner and permissions were checked. So nobody can replace
//! the folder in between.

use std::fs::File;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{self, ErrorKind, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::{Access, AtFlags, FileType, Mode, OFlags, Stat, Timespec, Timestamps, UTIME_NOW};

use super::{Compiler, Key, entry, sweep};

/// How old the time of last use may be before it is updated. Most uses write nothing.
const STALE: Duration = Duration::from_secs(3600);

/// The prefix of files that are being written.
pub const TEMPORARY: &str = ".new-";

/// The tag of <https://bford.info/cachedir/>, by which backup tools skip the folder.
const TAG: &str =
    "Signature: 8a477f597d28d172789f06886806bc55\n# Code that oxur has compiled. It may be removed at any time.\n";

/// An opened folder that belongs to the user.
pub struct Folder(pub(super) OwnedFd);

/// Whether another user may have written to the file or folder.
fn check_owner(stat: &Stat) -> io::Result<()> {
    let denied = |what: String| Err(io::Error::new(ErrorKind::PermissionDenied, what));
    let me = rustix::process::geteuid().as_raw();
    if stat.st_uid != me {
        return denied(format!(
            "it belongs to user {}, and this process is of user {me}",
            stat.st_uid
        ));
    }
    if stat.st_mode & 0o022 != 0 {
        return denied("others may write to it".into());
    }
    Ok(())
}

/// Whether this process may make a folder that is not there.
pub fn check_can_make(path: &Path) -> io::Result<()> {
    let there = path.ancestors().skip(1).find(|above| above.exists());
    Ok(rustix::fs::accessat(
        rustix::fs::CWD,
        there.unwrap_or(Path::new("/")),
        Access::WRITE_OK | Access::EXEC_OK,
        AtFlags::EACCESS,
    )?)
}

impl Folder {
    /// Opens a folder; `None` if it is not there.
    pub fn open(path: &Path) -> io::Result<Option<Self>> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = match rustix::fs::open(path, flags, Mode::empty()) {
            Ok(folder) => folder,
            Err(rustix::io::Errno::NOENT) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        check_owner(&rustix::fs::fstat(&folder)?)?;
        Ok(Some(Self(folder)))
    }

    /// Opens a folder, and creates it if necessary.
    pub fn open_or_make(path: &Path) -> io::Result<Self> {
        if let Some(folder) = Self::open(path)? {
            return Ok(folder);
        }
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path)?;
        let folder = Self::open(path)?.ok_or(ErrorKind::NotFound)?;
        // For other tools; the cache works without it.
        if let Ok(tag) = folder.create("CACHEDIR.TAG") {
            _ = File::from(tag).write_all(TAG.as_bytes());
        }
        Ok(folder)
    }

    fn create(&self, path: &str) -> rustix::io::Result<OwnedFd> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        rustix::fs::openat(&self.0, path, flags, Mode::RUSR | Mode::WUSR)
    }

    /// The object of a key. A damaged file is removed and treated as missing.
    pub fn read(&self, key: &Key) -> io::Result<Option<Vec<u8>>> {
        let path = key.path();
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = match rustix::fs::openat(&self.0, &path, flags, Mode::empty()) {
            Ok(file) => file,
            Err(rustix::io::Errno::NOENT) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let stat = rustix::fs::fstat(&file)?;
        check_owner(&stat)?;
        let size = u64::try_from(stat.st_size).unwrap_or(u64::MAX);
        let opened = if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile || size > entry::LARGEST {
            Err("it is no file, or too large")
        } else {
            let bytes = read_whole(&file, size as usize)?;
            touch(&file, &stat);
            entry::open(bytes, key)
        };
        match opened {
            Ok(object) => Ok(Some(object)),
            Err(what) => {
                log::debug!("{path} in the cache of compiled code is removed: {what}");
                self.remove(&path);
                Ok(None)
            }
        }
    }

    /// Stores an object, unless it alone exceeds the limit.
    pub fn write(&self, key: &Key, compiler: &Compiler, object: &[u8], limit: u64) -> io::Result<()> {
        let size = (object.len() + entry::TRAILER) as u64;
        if size > limit.min(entry::LARGEST) {
            return Ok(());
        }
        let path = key.path();
        let shard = &path[..2];
        let temporary = format!("{shard}/{TEMPORARY}{:016x}", RandomState::new().build_hasher().finish());
        let created = match self.create(&temporary) {
            Err(rustix::io::Errno::NOENT) => {
                match rustix::fs::mkdirat(&self.0, shard, Mode::RWXU) {
                    Ok(()) | Err(rustix::io::Errno::EXIST) => {}
                    Err(error) => return Err(error.into()),
                }
                self.create(&temporary)
            }
            other => other,
        };
        let mut file = File::from(created?);
        // Not synced to disk: the checksum detects what a crash of the machine leaves of it.
        let written = file
            .write_all(object)
            .and_then(|()| file.write_all(&entry::trailer(object, compiler, key)))
            .and_then(|()| Ok(rustix::fs::renameat(&self.0, &temporary, &self.0, &path)?));
        if let Err(error) = written {
            self.remove(&temporary);
            return Err(error);
        }
        sweep::has_grown(self, size, limit)
    }

    /// Removes a file, if it is there.
    pub fn remove(&self, path: &str) {
        if let Err(error) = self.try_remove(path) {
            log::debug!("{path} in the cache of compiled code cannot be removed: {error}");
        }
    }

    /// The same; returns whether it was there.
    pub fn try_remove(&self, path: &str) -> io::Result<bool> {
        match rustix::fs::unlinkat(&self.0, path, AtFlags::empty()) {
            Ok(()) => Ok(true),
            Err(rustix::io::Errno::NOENT) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether this process may create and remove files.
    pub fn check_writable(&self) -> io::Result<()> {
        let wanted = Access::WRITE_OK | Access::EXEC_OK;
        Ok(rustix::fs::accessat(&self.0, ".", wanted, AtFlags::EACCESS)?)
    }
}

/// The bytes of a file of this size; fewer if it ends before. It asks the system for nothing else, because each kernel of a process
/// is read.
fn read_whole(file: &OwnedFd, size: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; size];
    let mut read = 0;
    while read < size {
        match rustix::io::read(file, &mut bytes[read..]) {
            Ok(0) => break,
            Ok(count) => read += count,
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    bytes.truncate(read);
    Ok(bytes)
}

/// When a file was last used: its modification time, because not all file systems keep access times.
pub fn last_used(stat: &Stat) -> SystemTime {
    let seconds = u64::try_from(stat.st_mtime).unwrap_or(0);
    let nanoseconds = u32::try_from(stat.st_mtime_nsec).unwrap_or(0).min(999_999_999);
    UNIX_EPOCH + Duration::new(seconds.min(1 << 40), nanoseconds)
}

/// Records a use of a file. The least recently used files are removed first.
fn touch(file: &OwnedFd, stat: &Stat) {
    if SystemTime::now()
        .duration_since(last_used(stat))
        .is_ok_and(|age| age < STALE)
    {
        return;
    }
    let now = Timespec {
        tv_sec: 0,
        tv_nsec: UTIME_NOW,
    };
    // This fails in a read-only cache.
    _ = rustix::fs::futimens(
        file,
        &Timestamps {
            last_access: now,
            last_modification: now,
        },
    );
}
