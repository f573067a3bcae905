// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The cache of compiled code on disk, shared by all processes of a user.
//!
//! It knows nothing of the compiler, which fills it, so that tools can show and clear it without LLVM.
//!
//! | module | |
//! |---|---|
//! | [`entry`] | the format of a file: the object and a checksum |
//! | `folder` | reading, creating and removing files |
//! | `sweep` | removing the least recently used files when the cache is full |
//! | [`environment`] | which cache the user's variables name |
//!
//! Any number of processes and threads share a folder without waiting for each other: a file is written under a
//! temporary name and renamed, so that readers see all of it or nothing. Processes that compile the same kernel at the
//! same time write the same file. A cache that cannot be used (read-only, full, another user's) is no error: it counts
//! as empty, and the log says so once.
//!
//! Code from the folder is executed. So the folder must belong to the user who runs it, and nobody else may write to
//! it: see `folder`.

pub mod entry;
pub mod environment;
mod folder;
mod sweep;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

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

/// The version of a compiler, for users: code of another version may have the same name.
///
/// Files are found by their [`Key`]s, of which the version is a part. Here it says whose the files are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Compiler([u8; 32]);

impl Compiler {
    /// A compiler of this name: its version, a blank, and what tells its builds apart. At most 32 printable characters of
    /// ASCII.
    pub const fn new(name: &str) -> Self {
        let (name, mut bytes, mut at) = (name.as_bytes(), [0; 32], 0);
        assert!(!name.is_empty() && name.len() <= bytes.len());
        while at < name.len() {
            assert!(matches!(name[at], b' '..=b'~'));
            bytes[at] = name[at];
            at += 1;
        }
        Self(bytes)
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let length = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        let is_name = length > 0 && bytes[..length].iter().all(|byte| matches!(byte, b' '..=b'~'));
        let rest_is_zero = bytes[length..].iter().all(|byte| *byte == 0);
        (is_name && rest_is_zero).then_some(Self(bytes.try_into().ok()?))
    }

    fn name(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default().trim_end_matches('\0')
    }

    /// The version that was released.
    pub fn version(&self) -> &str {
        self.name().split(' ').next().unwrap_or_default()
    }
}

impl Display for Compiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for Compiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.name(), f)
    }
}

/// Where a file of the cache comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// This compiler made it.
    Compiler(Compiler),
    /// A version that recorded no compiler made it.
    FirstFormat,
    /// It is damaged, or no file of the cache.
    Unknown,
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

/// What is in a cache.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CacheContents {
    /// All of it.
    pub usage: CacheUsage,
    /// The same by origin.
    pub by_origin: BTreeMap<Origin, CacheUsage>,
    /// When the entry was last used that was not used for longest. Uses are recorded once an hour.
    pub least_recent: Option<SystemTime>,
    /// When any entry was last used.
    pub most_recent: Option<SystemTime>,
}

/// What became of the content of a cache that was cleared.
#[derive(Debug, Default)]
pub struct Cleared {
    /// What was removed.
    pub removed: CacheUsage,
    /// What could not be removed.
    pub kept: CacheUsage,
    /// The first reason for that.
    pub error: Option<std::io::Error>,
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
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref().filter(|_| self.limit > 0)
    }

    /// The folder that would be its if the limit were not 0: earlier processes may have filled it.
    pub fn place(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The limit in bytes.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    fn opened(&self) -> std::io::Result<Option<Folder>> {
        self.place().map_or(Ok(None), Folder::open)
    }

    /// The size of its content.
    pub fn usage(&self) -> std::io::Result<CacheUsage> {
        self.opened()?
            .map_or(Ok(CacheUsage::default()), |folder| sweep::usage(&folder))
    }

    /// Its content; `None` if the folder is not there.
    pub fn contents(&self) -> std::io::Result<Option<CacheContents>> {
        self.opened()?.map(|folder| sweep::contents(&folder)).transpose()
    }

    /// The paths of its entries in the folder, with the bytes of disk that each takes.
    pub fn entries(&self) -> std::io::Result<BTreeMap<String, u64>> {
        self.opened()?
            .map_or(Ok(BTreeMap::new()), |folder| sweep::entries(&folder))
    }

    /// Whether this process may add to it, or make the folder.
    pub fn check_writable(&self) -> std::io::Result<()> {
        match (self.opened()?, self.place()) {
            (Some(folder), _) => folder.check_writable(),
            (None, Some(place)) => folder::check_can_make(place),
            (None, None) => Ok(()),
        }
    }

    /// Makes the folder, unless it is there.
    pub fn make(&self) -> std::io::Result<()> {
        self.folder()
            .map_or(Ok(()), |place| Folder::open_or_make(place).map(drop))
    }

    /// Removes its content; `None` if the folder is not there. Processes that use the cache continue, and fill it again.
    pub fn clear(&self) -> std::io::Result<Option<Cleared>> {
        self.opened()?.map(|folder| sweep::clear(&folder)).transpose()
    }

    /// Returns cached code that `load` accepts, if there is some.
    pub fn find<T, E: Display>(&self, key: impl FnOnce() -> Key, load: impl Fn(&[u8]) -> Result<T, E>) -> Option<T> {
        self.folder().and_then(|place| find(place, &key(), load))
    }

    /// Returns cached code, or compiles and stores it. Also returns whether it came from the cache.
    ///
    /// `load` converts an object to what the caller needs. A cached object that `load` rejects is replaced.
    pub fn get<T, E: Display>(
        &self,
        compiler: &Compiler,
        key: impl FnOnce() -> Key,
        make: impl FnOnce() -> Result<Vec<u8>, E>,
        load: impl Fn(&[u8]) -> Result<T, E>,
    ) -> Result<(T, bool), E> {
        let Some(place) = self.folder() else {
            return Ok((load(&make()?)?, false));
        };
        let key = key();
        if let Some(loaded) = find(place, &key, &load) {
            return Ok((loaded, true));
        }
        let object = make()?;
        let loaded = load(&object)?;
        let kept = Folder::open_or_make(place).and_then(|folder| folder.write(&key, compiler, &object, self.limit));
        kept.unwrap_or_else(|error| complain(place, &error).unwrap_or_default());
        Ok((loaded, false))
    }
}

/// Looks for code in a folder.
fn find<T, E: Display>(place: &Path, key: &Key, load: impl Fn(&[u8]) -> Result<T, E>) -> Option<T> {
    let found = Folder::open(place).and_then(|folder| folder.map_or(Ok(None), |folder| folder.read(key)));
    let object = found.unwrap_or_else(|error| complain(place, &error).unwrap_or_default())?;
    load(&object)
        .inspect_err(|error| log::debug!("cached code is compiled anew: {error}"))
        .ok()
}

/// Warns of an unusable cache, once.
fn complain<T>(place: &Path, error: &std::io::Error) -> Option<T> {
    static SAID: AtomicBool = AtomicBool::new(false);
    let level = match SAID.swap(true, Ordering::Relaxed) {
        false => log::Level::Warn,
        true => log::Level::Debug,
    };
    log::log!(
        level,
        "compiled code is not kept in {}: {error}; UR_CPU_CACHE names another folder, or is `off`",
        place.display()
    );
    None
}
