// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `oxur cache warm`: runs a program that compiles all code of its kernels before it runs them, so that the cache has what later runs
//! look up.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use oxur_cache::environment::{FOLDER, FromEnvironment, LIMIT};
use oxur_cache::{CacheConfig, CacheUsage};

use super::watch::{Seen, Watch};
use super::{amount, no_home, read_only, size, unusable};
use crate::run::{self, RunOptions};
use crate::{Failure, child, lib_folder};

/// The variable that has all code compiled before kernels run.
const TIER: &str = oxur_environment::CPU_TIER.name();

/// Runs a command, and prints what it added to the cache. Ends as the command does.
pub fn main(options: &RunOptions, command: &[OsString]) -> Result<ExitCode, Failure> {
    let environment = FromEnvironment::read();
    let cache = &environment.config;
    check(&environment)?;
    let mut prepared = run::prepare(options, command)?;
    let adapters = variable(&prepared, "UR_ADAPTERS_FORCE_LOAD").map_or_else(Vec::new, lib_folder::force_loaded);
    if !adapters.is_empty() && adapters.iter().all(is_opencl) {
        return Err(Failure::new(
            "the program would run on the OpenCL adapter, whose driver compiles the kernels: it does not use this cache",
            "add `--adapter cpu` to fill the cache of oxur's own adapter for the CPU",
        ));
    }
    eprintln!("oxur: {TIER}=all");
    prepared.env(TIER, "all");

    let before = entries(cache)?;
    let mut watch = Watch::new(cache, &libraries(&prepared, adapters));
    let ending = child::run(&mut prepared, &mut watch).map_err(|error| run::cannot_run(&prepared, &error))?;
    match entries(cache) {
        Ok(after) => report(cache, &before, &after, &watch.seen()),
        // The program has ended, and its exit code counts.
        Err(failure) => failure.print(),
    }
    Ok(ending.repeat())
}

/// Refuses to run the program if it could not add to the cache.
fn check(environment: &FromEnvironment) -> Result<(), Failure> {
    let cache = &environment.config;
    let Some(folder) = cache.place() else {
        if !environment.is_named {
            return Err(no_home());
        }
        return Err(Failure::new(
            format!("the cache is off ({FOLDER}), so there is nothing to fill"),
            format!("unset {FOLDER} to fill the default folder, or name the one to fill"),
        ));
    };
    if cache.limit() == 0 {
        return Err(Failure::new(
            format!("the cache is off ({LIMIT}), so there is nothing to fill"),
            format!("unset {LIMIT}, or name a size"),
        ));
    }
    let contents = cache.contents().map_err(|error| unusable(folder, &error))?;
    // The permissions of the folder above say little to root, so the folder is made before the program needs it.
    cache
        .make()
        .and_then(|()| cache.check_writable())
        .map_err(|error| read_only(folder, contents.is_some(), &error))
}

fn entries(cache: &CacheConfig) -> Result<BTreeMap<String, u64>, Failure> {
    let folder = cache.place().unwrap_or("".as_ref());
    cache.entries().map_err(|error| unusable(folder, &error))
}

/// The value that a command gets for a variable.
fn variable<'c>(command: &'c Command, name: &str) -> Option<&'c OsStr> {
    command.get_envs().find(|(known, _)| *known == name)?.1
}

fn is_opencl(adapter: &PathBuf) -> bool {
    lib_folder::has(std::slice::from_ref(adapter), "opencl")
}

/// The libraries by which a program reaches the cache.
fn libraries(command: &Command, adapters: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut libraries: Vec<_> = adapters.into_iter().filter(|adapter| !is_opencl(adapter)).collect();
    if let Some(driver) = variable(command, "ZE_ENABLE_ALT_DRIVERS") {
        let driver = PathBuf::from(driver);
        libraries.extend(
            driver
                .parent()
                .map(|folder| folder.join("level-zero/libze_loader.so.1")),
        );
        libraries.push(driver);
    }
    libraries
}

/// Prints what the cache has now that it had not before, or why there is nothing.
fn report(cache: &CacheConfig, before: &BTreeMap<String, u64>, after: &BTreeMap<String, u64>, seen: &Seen) {
    let folder = cache.place().unwrap_or("".as_ref()).display();
    let mut added = CacheUsage::default();
    for (_, bytes) in after.iter().filter(|(path, _)| !before.contains_key(*path)) {
        added.entries += 1;
        added.bytes += bytes;
    }
    let found = match seen.found {
        1 => "1 entry was there already".to_owned(),
        found => format!("{found} entries were there already"),
    };
    match (added.entries, seen.found) {
        (0, 0) if seen.has_loaded == Some(false) => eprintln!(
            "oxur: added nothing to {folder}, because the program did not load oxur; `oxur doctor -- PROGRAM` explains \
             what SYCL programs need"
        ),
        (0, 0) if seen.has_loaded == Some(true) => {
            eprintln!("oxur: added nothing to {folder}, because the program used no kernel");
        }
        (0, 0) => eprintln!("oxur: added nothing to {folder}"),
        (0, _) => eprintln!("oxur: added nothing to {folder}, because all is there: {found}"),
        (_, 0) => eprintln!("oxur: added {} to {folder}", amount(added)),
        _ => eprintln!("oxur: added {} to {folder}; {found}", amount(added)),
    }
    let removed = before.keys().filter(|path| !after.contains_key(*path)).count();
    if removed > 0 {
        let limit = size(cache.limit());
        eprintln!(
            "oxur: meanwhile {removed} of the old entries were removed: the limit of the cache is {limit} ({LIMIT})"
        );
    }
}
