// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//! Finds the headers of Level Zero.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// The oldest headers that have everything that this crate binds.
const OLDEST: (u32, u32) = (1, 17);

pub struct Headers {
    /// The folder that holds `ze_api.h`.
    pub folder: PathBuf,
    /// As in `1.17`.
    pub api: (u32, u32),
    /// As in `1.17.24`.
    pub revision: String,
}

/// The first place that has headers decides. Headers that are too old are an error, not a reason to look elsewhere:
/// what is found must not depend on what else is installed.
pub fn find(manifest: &Path) -> Result<Headers, String> {
    println!("cargo::rerun-if-env-changed=LEVEL_ZERO_INCLUDE_DIR");
    if let Some(folder) = env::var_os("LEVEL_ZERO_INCLUDE_DIR") {
        let folder = PathBuf::from(folder);
        return in_folder(&folder)
            .or_else(|| in_folder(&folder.join("level_zero")))
            .unwrap_or_else(|| {
                Err(format!(
                    "LEVEL_ZERO_INCLUDE_DIR={}: no ze_api.h is there",
                    folder.display()
                ))
            });
    }
    // In oxur's workspace: adapters/level_zero/sys.
    let workspace = manifest.join("../../../target/env/level-zero/include/level_zero");
    in_folder(&workspace)
        .or_else(by_pkg_config)
        .or_else(|| in_folder(Path::new("/usr/include/level_zero")))
        .unwrap_or_else(|| Err(missing(manifest)))
}

/// What to do, which differs for those who work on oxur.
fn missing(manifest: &Path) -> String {
    let advice = if manifest.join("../../../scripts/setup.sh").exists() {
        "Run `scripts/setup.sh level-zero`."
    } else {
        "Install them (libze-dev on Debian and Ubuntu, level-zero-devel on Fedora, level-zero-headers on Arch), or set \
         LEVEL_ZERO_INCLUDE_DIR to the folder that holds ze_api.h."
    };
    format!(
        "the headers of Level Zero {}.{} or newer are missing. {advice}",
        OLDEST.0, OLDEST.1
    )
}

fn by_pkg_config() -> Option<Result<Headers, String>> {
    let library = pkg_config::Config::new()
        .cargo_metadata(false)
        .print_system_libs(false)
        .probe("level-zero")
        .ok()?;
    let is_folder = |folder: &PathBuf| folder.join("ze_api.h").exists();
    let candidates = library
        .include_paths
        .iter()
        .flat_map(|path| [path.clone(), path.join("level_zero")]);
    in_folder(&candidates.into_iter().find(is_folder)?)
}

/// `None` if there are no headers at all.
fn in_folder(folder: &Path) -> Option<Result<Headers, String>> {
    let header = folder.join("ze_api.h");
    let text = fs::read_to_string(&header).ok()?;
    let Some(api) = api_version(&text) else {
        return Some(Err(format!("{}: ZE_API_VERSION_CURRENT is missing", header.display())));
    };
    if api < OLDEST {
        let ((major, minor), (oldest_major, oldest_minor)) = (api, OLDEST);
        return Some(Err(format!(
            "{}: these headers are of Level Zero {major}.{minor}; {oldest_major}.{oldest_minor} or newer is needed. \
             Set LEVEL_ZERO_INCLUDE_DIR to the folder of newer ones.",
            header.display()
        )));
    }
    let revision = text
        .lines()
        .find_map(|line| Some(line.split_once("@version ")?.1.split_once("-r")?.1.trim()));
    let revision = revision.map_or_else(|| format!("{}.{}", api.0, api.1), str::to_owned);
    Some(Ok(Headers {
        folder: folder.to_owned(),
        api,
        revision,
    }))
}

/// The two numbers in `ZE_API_VERSION_CURRENT = ZE_MAKE_VERSION( 1, 17 )`.
fn api_version(text: &str) -> Option<(u32, u32)> {
    let (_, rest) = text.split_once("ZE_API_VERSION_CURRENT = ZE_MAKE_VERSION(")?;
    let (major, minor) = rest.split_once(')')?.0.split_once(',')?;
    Some((major.trim().parse().ok()?, minor.trim().parse().ok()?))
}
