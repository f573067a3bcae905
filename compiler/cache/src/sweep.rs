// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Keeps a cache within its limit.
//!
//! To find out how large a cache is, one must list all of it, which takes a good part of a second for 100,000 files. So
//! the cache has a file that records its growth since the last listing: it grows by one byte for each block that is
//! added. Appending is atomic, so that processes need no lock, and only the length matters. When the growth reaches a
//! fraction of the limit, the process that notices it lists all files and removes the least recently used ones.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};

use super::folder::{Folder, TEMPORARY, last_used};
use super::{CacheContents, CacheUsage, Cleared, Origin, entry};

/// File sizes on disk are multiples of this.
const BLOCK: u64 = 4096;

/// The file that records the growth.
const GROWTH: &str = "growth";

/// The cache is listed after it has grown by this fraction of the limit.
const PARTS: u64 = 64;

/// A temporary file of this age was left by a process that died.
const ABANDONED: Duration = Duration::from_secs(3600);

/// A file in the cache.
struct Found {
    /// When it was last used.
    used: SystemTime,
    /// Blocks of disk.
    blocks: u64,
    path: String,
}

/// Records that a file was added, and removes others if necessary.
pub fn has_grown(folder: &Folder, bytes: u64, limit: u64) -> io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let growth = rustix::fs::openat(&folder.0, GROWTH, flags, Mode::RUSR | Mode::WUSR)?;
    static NOTE: [u8; 4096] = [b'.'; 4096];
    let blocks = (bytes.div_ceil(BLOCK) as usize).min(NOTE.len());
    rustix::io::write(&growth, &NOTE[..blocks])?;
    let added = u64::try_from(rustix::fs::fstat(&growth)?.st_size).unwrap_or(0);
    if added > limit / BLOCK / PARTS {
        // Reset first, so that other processes do not sweep at the same time.
        rustix::fs::ftruncate(&growth, 0)?;
        sweep(folder, limit / BLOCK)?;
    }
    Ok(())
}

/// Removes the least recently used files if the limit is exceeded, and some more, so that the next sweep is not due
/// soon.
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

/// Lists all files, and removes those of writers that died.
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

impl CacheUsage {
    fn add(&mut self, found: &Found) {
        self.entries += 1;
        self.bytes += found.blocks * BLOCK;
    }
}

/// The size of the content.
pub fn usage(folder: &Folder) -> io::Result<CacheUsage> {
    let mut usage = CacheUsage::default();
    list(folder)?.iter().for_each(|found| usage.add(found));
    Ok(usage)
}

/// The paths of all files, with the bytes of disk that each takes.
pub fn entries(folder: &Folder) -> io::Result<BTreeMap<String, u64>> {
    let all = list(folder)?.into_iter();
    Ok(all.map(|found| (found.path, found.blocks * BLOCK)).collect())
}

/// The content by origin. It reads the end of each file.
pub fn contents(folder: &Folder) -> io::Result<CacheContents> {
    let all = list(folder)?;
    let mut contents = CacheContents {
        least_recent: all.iter().map(|found| found.used).min(),
        most_recent: all.iter().map(|found| found.used).max(),
        ..CacheContents::default()
    };
    for found in &all {
        contents.usage.add(found);
        let origin = origin(folder, &found.path).unwrap_or(Origin::Unknown);
        contents.by_origin.entry(origin).or_default().add(found);
    }
    Ok(contents)
}

fn origin(folder: &Folder, path: &str) -> io::Result<Origin> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::openat(&folder.0, path, flags, Mode::empty())?);
    let size = file.metadata()?.len();
    let mut end = [0; entry::TRAILER];
    let end = &mut end[..size.min(entry::TRAILER as u64) as usize];
    file.read_exact_at(end, size - end.len() as u64)?;
    Ok(entry::origin(end, size))
}

/// Removes all files. The folders stay, because other processes may be writing to them.
pub fn clear(folder: &Folder) -> io::Result<Cleared> {
    let mut cleared = Cleared::default();
    for found in &list(folder)? {
        match folder.try_remove(&found.path) {
            Ok(true) => cleared.removed.add(found),
            // Another process was faster.
            Ok(false) => {}
            Err(error) => {
                cleared.kept.add(found);
                cleared.error.get_or_insert(error);
            }
        }
    }
    folder.remove(GROWTH);
    Ok(cleared)
}
