// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Which cache the user's variables name: `UR_CPU_CACHE`, a folder or `off`, and `UR_CPU_CACHE_SIZE`.
//!
//! The CPU adapter and the `oxur` command ask here, so that the command shows the cache that programs use.

use oxur_environment::Folder;

use super::CacheConfig;

/// The variable that names the folder.
pub const FOLDER: &str = oxur_environment::CPU_CACHE.name();

/// The variable that names the limit.
pub const LIMIT: &str = oxur_environment::CPU_CACHE_SIZE.name();

/// What the variables say.
#[derive(Debug)]
pub struct FromEnvironment {
    /// The cache.
    pub config: CacheConfig,
    /// Whether [`FOLDER`] names the folder, or switches the cache off.
    pub is_named: bool,
}

impl FromEnvironment {
    /// Reads the variables. Values that are wrong are ignored with a warning.
    pub fn read() -> Self {
        let named = oxur_environment::CPU_CACHE.folder().map(|folder| match folder {
            Folder::Off => CacheConfig::off(),
            Folder::At(folder) => CacheConfig::at(folder),
        });
        let limit = oxur_environment::CPU_CACHE_SIZE.size(CacheConfig::DEFAULT_LIMIT as usize) as u64;
        Self {
            is_named: named.is_some(),
            config: named.unwrap_or_else(CacheConfig::user).with_limit(limit),
        }
    }
}
