// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Which cache the user's variables name: `UR_CPU_CACHE`, a folder or `off`, and `UR_CPU_CACHE_SIZE`.
//!
//! The CPU adapter and the `oxur` command ask here, so that the command shows the cache that programs use.

use std::path::Path;

use super::CacheConfig;

/// The variable that names the folder.
pub const FOLDER: &str = "UR_CPU_CACHE";

/// The variable that names the limit.
pub const LIMIT: &str = "UR_CPU_CACHE_SIZE";

/// What the variables say.
#[derive(Debug)]
pub struct FromEnvironment {
    /// The cache.
    pub config: CacheConfig,
    /// Whether [`FOLDER`] names the folder, or switches the cache off.
    pub is_named: bool,
    /// Values that are ignored, each with the reason.
    pub ignored: Vec<String>,
}

impl FromEnvironment {
    /// Reads the variables.
    pub fn read() -> Self {
        let mut ignored = Vec::new();
        let named = match std::env::var_os(FOLDER).filter(|value| !value.is_empty()) {
            None => None,
            Some(value) if value == "off" || value == "0" => Some(CacheConfig::off()),
            Some(value) if Path::new(&value).is_absolute() => Some(CacheConfig::at(value)),
            Some(value) => {
                ignored.push(format!(
                    "{FOLDER}={} is ignored: it is `off` or the whole path of a folder",
                    value.display()
                ));
                None
            }
        };
        let default = CacheConfig::DEFAULT_LIMIT;
        let limit = oxur_environment::size(LIMIT, default as usize).map_or_else(
            |problem| {
                ignored.push(problem);
                default
            },
            |limit| limit as u64,
        );
        Self {
            is_named: named.is_some(),
            config: named.unwrap_or_else(CacheConfig::user).with_limit(limit),
            ignored,
        }
    }
}
