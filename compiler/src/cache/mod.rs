// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The cache of compiled code on disk, shared by all processes of a user.
//!
//! | module | |
//! |---|---|
//! | [`entry`] | the format of a file: the object and a checksum |
//! | [`folder`] | reading, creating and removing files |
//! | [`sweep`] | removing the least recently used files when the cache is full |
//!
//! Any number of processes and threads share a folder without waiting for each other: a file is written under a
//! temporary name and renamed, so that readers see all of it or nothing. Processes that compile the same kernel at the
//! same time write the same file. A cache that cannot be used (read-only, full, another user's) is no error: it counts
//! as empty, and the log says so once.
//!
//! Code from the folder is executed. So the folder must belong to the user who runs it, and nobody else may write to
//! it: see [`folder`].

pub mod entry;
mod folder;
mod sweep;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::Error;
use folder::Folder;

/// The name of compiled code in the cache: the hash of everything that determines it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key(pub [u8; 32]);

impl Key {
    /// The path of its file. The first byte names a folder, so that no folder holds too many files.
    pub fn path(&self) -> String {
        let hex = blake3::Hash::from_bytes(self.0).to_hex();
        format!("{}/{}", &hex[..2], &hex[2..])
    }
}

/// Where compiled code is cached, and how much.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CacheConfig {
    /// The folder; `None` for no cache.
    folder: Option<PathBuf>,
    /// The limit in bytes.
    limit: u64,
}

/// The size of a cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheUsage {
    /// Compiled kernels, and sets of program-scope variables.
    pub entries: usize,
    /// How many bytes of disk they take.
    pub bytes: u64,
}

impl CacheConfig {
    /// The default limit.
    pub const DEFAULT_LIMIT: u64 = 1 << 30;

    /// No cache.
    pub fn off() -> Self {
        Self::default()
    }

    /// A cache in this folder, which is created when it is first needed.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: Some(folder.into()),
            limit: Self::DEFAULT_LIMIT,
        }
    }

    /// The user's default folder: `$XDG_CACHE_HOME/oxur/kernels`, else `~/.cache/oxur/kernels`. No cache if the user
    /// has no home.
    pub fn user() -> Self {
        // SAFETY: has no preconditions.
        if unsafe { libc::getauxval(libc::AT_SECURE) } != 0 {
            // The process has another user's rights than the one who set the variables.
            return Self::off();
        }
        let absolute = |name| {
            std::env::var_os(name)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        let base = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
        base.map_or_else(Self::off, |base| Self::at(base.join("oxur/kernels")))
    }

    /// The same with a limit of this many bytes. 0 means no cache.
    pub fn with_limit(self, limit: u64) -> Self {
        Self { limit, ..self }
    }

    /// Its folder; `None` if there is no cache.
    pub fn folder(&self) -> Option<&std::path::Path> {
        self.folder.as_deref().filter(|_| self.limit > 0)
    }

    /// The size of its content.
    pub fn usage(&self) -> std::io::Result<CacheUsage> {
        match self.folder().map_or(Ok(None), Folder::open)? {
            Some(folder) => sweep::usage(&folder),
            None => Ok(CacheUsage::default()),
        }
    }

    /// Removes its content, and returns the size of that. Processes that use the cache continue, and fill it again.
    pub fn clear(&self) -> std::io::Result<CacheUsage> {
        match self.folder().map_or(Ok(None), Folder::open)? {
            Some(folder) => sweep::clear(&folder),
            None => Ok(CacheUsage::default()),
        }
    }

    /// Returns cached code, or compiles and stores it. Also returns whether it came from the cache.
    ///
    /// `load` converts an object to what the caller needs. A cached object that `load` rejects is replaced.
    pub(crate) fn get<T>(
        &self,
        key: impl FnOnce() -> Key,
        make: impl FnOnce() -> Result<Vec<u8>, Error>,
        load: impl Fn(&[u8]) -> Result<T, Error>,
    ) -> Result<(T, bool), Error> {
        let Some(place) = self.folder() else {
            return Ok((load(&make()?)?, false));
        };
        let key = key();
        let found = Folder::open(place).and_then(|folder| folder.map_or(Ok(None), |folder| folder.read(&key)));
        if let Some(object) = found.unwrap_or_else(|error| complain(place, &error).unwrap_or_default()) {
            match load(&object) {
                Ok(loaded) => return Ok((loaded, true)),
                Err(error) => log::debug!("cached code is compiled anew: {error}"),
            }
        }
        let object = make()?;
        let loaded = load(&object)?;
        let kept = Folder::open_or_make(place).and_then(|folder| folder.write(&key, &object, self.limit));
        kept.unwrap_or_else(|error| complain(place, &error).unwrap_or_default());
        Ok((loaded, false))
    }
}

/// Warns of an unusable cache, once.
fn complain<T>(place: &std::path::Path, error: &std::io::Error) -> Option<T> {
    static SAID: AtomicBool = AtomicBool::new(false);
    let level = match SAID.swap(true, Ordering::Relaxed) {
        false => log::Level::Warn,
        true => log::Level::Debug,
    };
    log::log!(level, "compiled code is not kept in {}: {error}", place.display());
    None
}
