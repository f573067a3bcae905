// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Keeps a cache within its limit.
//!
//! To know how large it is one must look at all of it, which takes a good part of a second for 100,000 files. So the
//! cache keeps a note of how much it has grown since somebody looked: a file that is one byte long for each block that was
//! added. Appending is atomic, so that processes need no lock, and its length is all that it says. Only when the cache
//! may have grown by a part of its limit does who added to it look at all files, and remove those that were not used for
//! longest.

use std::io;
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};

use super::CacheUsage;
use super::folder::{Folder, TEMPORARY, last_used};

/// What a file takes on disk is a multiple of this.
const BLOCK: u64 = 4096;

/// The note of how much was added.
const GROWTH: &str = "growth";

/// After growing by the limit's 64th part, the cache is looked at.
const PARTS: u64 = 64;

/// A file that is being written for so long is one that somebody died over.
const ABANDONED: Duration = Duration::from_secs(3600);

/// A file in the cache.
struct Found {
    /// When it was last used.
    used: SystemTime,
    /// Blocks of disk.
    blocks: u64,
    path: String,
}

/// Notes that a file was added, and makes room if that is due.
pub fn has_grown(folder: &Folder, bytes: u64, limit: u64) -> io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let growth = rustix::fs::openat(&folder.0, GROWTH, flags, Mode::RUSR | Mode::WUSR)?;
    static NOTE: [u8; 4096] = [b'.'; 4096];
    let blocks = (bytes.div_ceil(BLOCK) as usize).min(NOTE.len());
    rustix::io::write(&growth, &NOTE[..blocks])?;
    let added = u64::try_from(rustix::fs::fstat(&growth)?.st_size).unwrap_or(0);
    if added > limit / BLOCK / PARTS {
        // First, so that others do not do the same.
        rustix::fs::ftruncate(&growth, 0)?;
        sweep(folder, limit / BLOCK)?;
    }
    Ok(())
}

/// Removes what was not used for longest, if there is more than the limit: so much that it is not due again soon.
fn sweep(folder: &Folder, limit: u64) -> io::Result<()> {
    let mut all = list(folder)?;
    let mut blocks: u64 = all.iter().map(|found| found.blocks).sum();
    if blocks <= limit {
        return Ok(());
    }
    all.sort_unstable_by_key(|found| found.used);
    for found in &all {
        if blocks <= limit - limit / 8 {
            break;
        }
        folder.remove(&found.path);
        blocks -= found.blocks;
    }
    Ok(())
}

/// All files; those of writers that died are removed.
fn list(folder: &Folder) -> io::Result<Vec<Found>> {
    let now = SystemTime::now();
    let mut all = Vec::new();
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    for shard in 0..=0xff {
        let shard = format!("{shard:02x}");
        let opened = match rustix::fs::openat(&folder.0, &shard, flags, Mode::empty()) {
            Ok(opened) => opened,
            Err(rustix::io::Errno::NOENT) => continue,
            Err(error) => return Err(error.into()),
        };
        for entry in Dir::read_from(&opened)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().to_str() else { continue };
            // Another process may have removed it.
            let Ok(stat) = rustix::fs::statat(&opened, name, AtFlags::SYMLINK_NOFOLLOW) else {
                continue;
            };
            if FileType::from_raw_mode(stat.st_mode) == FileType::Directory {
                continue;
            }
            let used = last_used(&stat);
            let path = format!("{shard}/{name}");
            if !name.starts_with(TEMPORARY) {
                let blocks = u64::try_from(stat.st_size).unwrap_or(0).div_ceil(BLOCK);
                all.push(Found { used, blocks, path });
            } else if now.duration_since(used).is_ok_and(|age| age > ABANDONED) {
                folder.remove(&path);
            }
        }
    }
    Ok(all)
}

fn sum(all: &[Found]) -> CacheUsage {
    CacheUsage {
        entries: all.len(),
        bytes: all.iter().map(|found| found.blocks * BLOCK).sum(),
    }
}

/// How much there is.
pub fn usage(folder: &Folder) -> io::Result<CacheUsage> {
    Ok(sum(&list(folder)?))
}

/// Removes all files. The folders stay: others may be writing to them.
pub fn clear(folder: &Folder) -> io::Result<CacheUsage> {
    let all = list(folder)?;
    for found in &all {
        folder.remove(&found.path);
    }
    folder.remove(GROWTH);
    Ok(sum(&all))
}
