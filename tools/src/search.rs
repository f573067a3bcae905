// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Finds libraries as the dynamic linker would, without running it.

use std::collections::HashSet;
use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::elf::Elf;

/// Finds a program by its name, as a shell does.
pub fn program(name: &Path) -> Option<PathBuf> {
    let runs = |path: &Path| {
        path.metadata()
            .is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
    };
    if name.components().count() > 1 {
        return runs(name).then(|| name.to_owned());
    }
    let path = env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
    env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|path| runs(path))
}

/// The folders of `LD_LIBRARY_PATH`.
pub fn library_path() -> Vec<PathBuf> {
    let path = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    env::split_paths(&path)
        .filter(|folder| !folder.as_os_str().is_empty())
        .collect()
}

/// The folders that the system's configuration names, and the built-in ones.
pub fn system() -> Vec<PathBuf> {
    let mut folders = Vec::new();
    configuration(Path::new("/etc/ld.so.conf"), &mut folders, 0);
    folders.extend(
        [
            "/lib/x86_64-linux-gnu",
            "/usr/lib/x86_64-linux-gnu",
            "/lib64",
            "/usr/lib64",
            "/lib",
            "/usr/lib",
        ]
        .map(PathBuf::from),
    );
    folders
}

fn configuration(file: &Path, folders: &mut Vec<PathBuf>, depth: u32) {
    let text = fs::read_to_string(file).unwrap_or_default();
    for line in text
        .lines()
        .map(|line| line.split('#').next().unwrap_or("").trim())
        .filter(|line| !line.is_empty())
    {
        let Some(pattern) = line.strip_prefix("include ") else {
            folders.push(line.into());
            continue;
        };
        // Patterns are of the form folder/*.conf.
        let pattern = file.parent().unwrap_or(Path::new("/etc")).join(pattern.trim());
        let mut files: Vec<_> = pattern.parent().into_iter().flat_map(entries).collect();
        files.retain(|path| path.extension() == pattern.extension());
        files.sort();
        if depth < 4 {
            files.iter().for_each(|file| configuration(file, folders, depth + 1));
        }
    }
}

/// The entries of a folder; none if it cannot be read.
pub fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect()
}

/// The file that the dynamic linker would load for a library that `elf` needs.
pub fn library(name: &str, elf: Option<&Elf>) -> Option<PathBuf> {
    let none = Vec::new();
    let (before, after) = elf.map_or((&none, &none), |elf| (&elf.rpath, &elf.runpath));
    let folders = before
        .iter()
        .cloned()
        .chain(library_path())
        .chain(after.iter().cloned())
        .chain(system());
    folders.map(|folder| folder.join(name)).find(|path| path.exists())
}

/// Visits all libraries that a file needs, and returns the first whose name starts with `prefix`.
pub fn dependency(elf: &Elf, prefix: &str) -> Option<PathBuf> {
    let mut seen = HashSet::new();
    let mut queue = vec![elf.path.clone()];
    while let Some(path) = queue.pop() {
        let Some(elf) = Elf::read(&path) else { continue };
        for name in &elf.needed {
            let found = library(name, Some(&elf));
            if name.starts_with(prefix) {
                // If the system does not find it, the next library that needs it may.
                if found.is_some() {
                    return found;
                }
            } else if let Some(found) = found.filter(|found| seen.insert(found.clone())) {
                queue.push(found);
            }
        }
    }
    None
}
