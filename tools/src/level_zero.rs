// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `oxur run --level-zero`: our Level Zero driver under a program.
//!
//! The driver is also a Level Zero loader, and programs that look for a loader find it first. No other loader is needed, and the
//! version of an installed one does not matter. Programs that bring their own loader, in a folder of their rpath, find the
//! driver through a variable that loaders read.

use std::env;
use std::ffi::OsString;
use std::path::Path;

use crate::run::Variable;
use crate::{Failure, search};

/// The driver.
const DRIVER: &str = "libze_oxur_cpu.so.1";

/// The folder in which the driver has the name of a loader.
const FOLDER: &str = "level-zero";

/// Adds the variables that put the driver of `folder` under a program.
pub fn put(folder: &Path, variables: &mut Vec<Variable>) -> Result<(), Failure> {
    let (driver, loader) = (folder.join(DRIVER), folder.join(FOLDER));
    for file in [&driver, &loader.join("libze_loader.so.1")] {
        if !file.exists() {
            return Err(Failure::new(
                format!("{} is missing", file.display()),
                "build the Level Zero driver with `make dist`, or set OXUR_LIB to the folder that holds it",
            ));
        }
    }
    let path = variables.iter().position(|(name, _)| *name == "LD_LIBRARY_PATH");
    let mut folders = match path.map(|place| variables.remove(place).1) {
        Some(path) => env::split_paths(&path).collect(),
        None => search::library_path(),
    };
    folders.retain(|other| *other != loader);
    folders.insert(0, loader);
    variables.push(("LD_LIBRARY_PATH", join(&folders)?));
    variables.push(("ZE_ENABLE_ALT_DRIVERS", driver.into_os_string()));
    Ok(())
}

fn join(folders: &[std::path::PathBuf]) -> Result<OsString, Failure> {
    env::join_paths(folders).map_err(|error| {
        Failure::new(
            error.to_string(),
            "move oxur's libraries to a folder without a colon in its path",
        )
    })
}
