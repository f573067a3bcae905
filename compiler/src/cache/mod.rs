// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Compiled code on disk: what one process has compiled, no other compiles again.
//!
//! | part | |
//! |---|---|
//! | [`key`] | the name of compiled code |
//! | [`entry`] | a file of the cache: the object, and by what one knows that it is whole |
//! | [`folder`] | files are read, appear at once, and go |
//! | [`sweep`] | what was not used for longest goes when there is too much |
//!
//! Any number of processes and threads share a folder, and none waits for another: a file is written beside its place
//! and moved there, so that readers see all of it or nothing. Who compiles what somebody else is compiling at the time
//! writes the same file. A cache that cannot be used (read-only, full, somebody else's) is no error: it is as if it
//! were empty, and the log says so once.
//!
//! Code is taken from the folder and run. It must therefore belong to the user who runs it, and nobody else may write
//! to it: see [`folder`].

pub mod entry;
mod folder;
mod key;
mod sweep;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

pub use key::Key;

use crate::Error;
use folder::Folder;

/// Where compiled code is kept, and how much of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CacheConfig {
    /// The folder; `None` if nothing is kept.
    folder: Option<PathBuf>,
    /// How many bytes there may be.
    limit: u64,
}

/// How much there is in a cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheUsage {
    /// Compiled kernels, and sets of program-scope variables.
    pub entries: usize,
    /// How many bytes of disk they take.
    pub bytes: u64,
}

impl CacheConfig {
    /// How much is kept unless the user says something else.
    pub const DEFAULT_LIMIT: u64 = 1 << 30;

    /// No cache.
    pub fn off() -> Self {
        Self::default()
    }

    /// A cache in this folder, which is made when there is something to keep.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: Some(folder.into()),
            limit: Self::DEFAULT_LIMIT,
        }
    }

    /// The user's: `$XDG_CACHE_HOME/oxur/kernels`, else `~/.cache/oxur/kernels`. None if the user has no home.
    pub fn user() -> Self {
        // SAFETY: has no preconditions.
        if unsafe { libc::getauxval(libc::AT_SECURE) } != 0 {
            // The variables are of somebody else than the one whose rights the process has.
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

    /// The same, with room for so many bytes. 0 is no cache.
    pub fn with_limit(self, limit: u64) -> Self {
        Self { limit, ..self }
    }

    /// Its folder; `None` if there is no cache.
    pub fn folder(&self) -> Option<&std::path::Path> {
        self.folder.as_deref().filter(|_| self.limit > 0)
    }

    /// What is in it.
    pub fn usage(&self) -> std::io::Result<CacheUsage> {
        match self.folder().map_or(Ok(None), Folder::open)? {
            Some(folder) => sweep::usage(&folder),
            None => Ok(CacheUsage::default()),
        }
    }

    /// Removes all of it; says what that was. Processes that use it go on, and fill it again.
    pub fn clear(&self) -> std::io::Result<CacheUsage> {
        match self.folder().map_or(Ok(None), Folder::open)? {
            Some(folder) => sweep::clear(&folder),
            None => Ok(CacheUsage::default()),
        }
    }

    /// Code from the cache, or else code that is made now, and kept. Says whether it came from the cache.
    ///
    /// `load` makes of an object what the caller wants. An object from the cache that it does not take is forgotten.
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

/// Says once what is wrong with a cache.
fn complain<T>(place: &std::path::Path, error: &std::io::Error) -> Option<T> {
    static SAID: AtomicBool = AtomicBool::new(false);
    let level = match SAID.swap(true, Ordering::Relaxed) {
        false => log::Level::Warn,
        true => log::Level::Debug,
    };
    log::log!(level, "compiled code is not kept in {}: {error}", place.display());
    None
}
