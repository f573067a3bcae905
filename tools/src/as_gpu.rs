// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `--as-gpu`: shows the CPU as a GPU to the libraries of a program that accept only GPUs.

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use oxur_as_gpu::{Libraries, PRELOAD, VARIABLE};

use crate::Failure;

pub const LD_PRELOAD: &str = "LD_PRELOAD";

/// The libraries that see a GPU: those of the option, which may have no list, else those of the variable.
pub fn libraries(option: Option<&Option<String>>) -> Result<Option<Libraries>, Failure> {
    let hint = "`--as-gpu` without a list uses the libraries that are known to accept only GPUs";
    match option {
        Some(None) => Ok(Some(Libraries::default())),
        Some(Some(list)) => match Libraries::list(list) {
            Ok(libraries) => Ok(Some(libraries)),
            Err(error) => Err(Failure::new(format!("--as-gpu={list}: {error}"), hint)),
        },
        None => from_variable(),
    }
}

/// The libraries in the caller's variable.
pub fn from_variable() -> Result<Option<Libraries>, Failure> {
    let value = env::var_os(VARIABLE).unwrap_or_default();
    Libraries::parse(&value).map_err(|error| {
        Failure::new(
            format!("{VARIABLE}={} is ignored: {error}", value.display()),
            "unset it, or see docs/environment.md",
        )
    })
}

/// The variables that show the CPU as a GPU to these libraries.
pub fn variables(folder: &Path, libraries: &Libraries) -> Result<[(&'static str, OsString); 2], Failure> {
    let preload = folder.join(PRELOAD);
    if !preload.exists() {
        return Err(Failure::new(
            format!("{} is missing", preload.display()),
            "build it with `make dist`",
        ));
    }
    check_preload(&preload)?;
    let mut value = preload.into_os_string();
    for other in preloaded().into_iter().filter(|other| !is_ours(other)) {
        value.push(":");
        value.push(other);
    }
    Ok([(VARIABLE, libraries.value().into()), (LD_PRELOAD, value)])
}

/// Whether the environment preloads our library.
pub fn is_preloaded() -> bool {
    preloaded().iter().any(|path| is_ours(path))
}

/// Fails if a library cannot be preloaded, as the variable cannot have its path.
pub fn check_preload(library: &Path) -> Result<(), Failure> {
    if !library.as_os_str().as_bytes().iter().any(|byte| b" :".contains(byte)) {
        return Ok(());
    }
    Err(Failure::new(
        format!(
            "{} cannot be preloaded: its path has a space or a colon",
            library.display()
        ),
        "move oxur's libraries to another folder",
    ))
}

/// The libraries that the environment preloads.
pub fn preloaded() -> Vec<PathBuf> {
    paths(&env::var_os(LD_PRELOAD).unwrap_or_default())
}

/// The libraries of a value of `LD_PRELOAD`.
pub fn paths(value: &OsStr) -> Vec<PathBuf> {
    let paths = value.as_bytes().split(|byte| b" :".contains(byte));
    paths
        .filter(|path| !path.is_empty())
        .map(|path| OsStr::from_bytes(path).into())
        .collect()
}

fn is_ours(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == PRELOAD)
}
