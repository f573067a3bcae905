// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `oxur graph`: runs a program on our libraries with `UR_GRAPH_DUMP`, and draws the graph dumps that they write.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::run::{self, RunOptions};
use crate::{Failure, search, svg};

/// Runs a command, and prints the names of the graph dumps that it wrote.
pub fn main(options: &RunOptions, svg: bool, folder: &Path, command: &[OsString]) -> Result<ExitCode, Failure> {
    let cannot_use = |error: io::Error| Failure::new(format!("{}: {error}", folder.display()), "name a folder with -o");
    fs::create_dir_all(folder).map_err(cannot_use)?;
    let whole = folder.canonicalize().map_err(cannot_use)?;
    let before = dumps(folder);
    let mut prepared = run::prepare(options, command)?;
    eprintln!("oxur: UR_GRAPH_DUMP={}", whole.display());
    let status = prepared
        .env("UR_GRAPH_DUMP", whole)
        .status()
        .map_err(|error| run::cannot_run(&prepared, &error))?;
    let mut new: Vec<_> = dumps(folder).difference(&before).cloned().collect();
    // In the order of their numbers.
    new.sort_by_key(|path| path.as_os_str().len());
    if new.is_empty() {
        eprintln!("oxur: the command instantiated no graph and finalized no command buffer");
    }
    let drawn = print(&new, svg);
    // As shells do.
    match status.code().or_else(|| Some(128 + status.signal()?)) {
        Some(0) => Ok(drawn),
        code => Ok(ExitCode::from(code.map_or(1, |code| code as u8))),
    }
}

/// Draws existing graph dumps.
pub fn draw(files: &[PathBuf]) -> Result<ExitCode, Failure> {
    Ok(print(files, true))
}

/// Prints the names of graph dumps. With `svg` it draws them first, and prints the names of the drawings.
fn print(files: &[PathBuf], svg: bool) -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    for file in files {
        match if svg { draw_one(file) } else { Ok(file.clone()) } {
            Ok(file) => println!("{}", file.display()),
            Err(failure) => {
                eprintln!("oxur: {failure}");
                code = ExitCode::FAILURE;
            }
        }
    }
    code
}

/// Draws a graph dump, into a file next to it.
fn draw_one(file: &Path) -> Result<PathBuf, Failure> {
    let bad = |file: &Path, error: &dyn std::fmt::Display| Failure::new(format!("{}: {error}", file.display()), "");
    let text = fs::read(file).map_err(|error| bad(file, &error))?;
    // Dumps of SYCL contain raw fill patterns, which need not be UTF-8.
    let svg = svg::of_dot(&String::from_utf8_lossy(&text)).map_err(|error| bad(file, &error))?;
    let drawn = file.with_extension("svg");
    fs::write(&drawn, svg).map_err(|error| bad(&drawn, &error))?;
    Ok(drawn)
}

/// The graph dumps in a folder.
fn dumps(folder: &Path) -> BTreeSet<PathBuf> {
    let is_one = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("graph-") && name.ends_with(".dot")
    };
    search::entries(folder).into_iter().filter(is_one).collect()
}
