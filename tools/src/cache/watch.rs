// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Sees from outside whether a program loads oxur's libraries, and which entries of the cache it reads.

use std::collections::BTreeSet;
use std::ffi::CString;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;

use oxur_cache::CacheConfig;
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};

/// What was seen.
#[derive(Debug, Default)]
pub struct Seen {
    /// How many entries were read that were in the cache from the beginning.
    pub found: usize,
    /// Whether a library was opened; `None` if that could not be watched.
    pub has_loaded: Option<bool>,
}

/// Watches libraries, and the entries of a cache that are there now.
pub struct Watch {
    inotify: Option<OwnedFd>,
    libraries: BTreeSet<i32>,
    has_loaded: bool,
    /// The entries that were opened, by the watched folder.
    found: BTreeSet<(i32, CString)>,
}

impl Watch {
    /// Where the system has no means for it, nothing is seen.
    pub fn new(cache: &CacheConfig, libraries: &[PathBuf]) -> Self {
        let inotify = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok();
        let watch = |path: PathBuf| inotify::add_watch(inotify.as_ref()?, path, WatchFlags::OPEN).ok();
        let libraries = libraries.iter().cloned().filter_map(watch).collect();
        if let Some(folder) = cache.folder() {
            (0..=0xff).for_each(|shard| _ = watch(folder.join(format!("{shard:02x}"))));
        }
        Self {
            inotify,
            libraries,
            has_loaded: false,
            found: BTreeSet::new(),
        }
    }

    /// What becomes readable when there is something to take note of.
    pub fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.inotify.as_ref().map(AsFd::as_fd)
    }

    /// Takes note of what has happened.
    pub fn update(&mut self) {
        let Some(inotify) = &self.inotify else { return };
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut events = Reader::new(inotify, &mut buffer);
        while let Ok(event) = events.next() {
            if self.libraries.contains(&event.wd()) {
                self.has_loaded = true;
            } else if let Some(name) = event.file_name()
                && !event.events().contains(ReadFlags::ISDIR)
                && !name.to_bytes().starts_with(b".")
            {
                self.found.insert((event.wd(), name.to_owned()));
            }
        }
    }

    /// All of it.
    pub fn seen(mut self) -> Seen {
        self.update();
        Seen {
            found: self.found.len(),
            has_loaded: (!self.libraries.is_empty()).then_some(self.has_loaded),
        }
    }
}
