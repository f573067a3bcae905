// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Names the library, and writes the tables of functions that a loader asks for: see `src/tables.rs`.
//!
//! Which functions there are, and their places in the tables, is in Level Zero's headers. Which of them this driver has is in
//! its sources: each `fn ze…` in `src`. The others answer that they are not supported.

mod nulls;
mod tracing;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libze_oxur_cpu.so.1");
    // A loader may close the library while threads are still in it.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    // A loader exports functions of the same names. The tables must hold ours.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-Bsymbolic");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=src");

    let headers = PathBuf::from(env::var_os("DEP_LEVEL_ZERO_INCLUDE").expect("level-zero-sys names the folder"));
    let read = |name: &str| {
        let file = headers.join(name);
        println!("cargo::rerun-if-changed={}", file.display());
        fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    };
    let mut tables = Vec::new();
    for name in ["ze", "zet", "zes", "zer"] {
        tables.extend(parse(&read(&format!("{name}_ddi.h"))));
    }
    let mut own = BTreeMap::new();
    find_functions(Path::new("src"), "crate", &mut own);
    let functions = tables
        .iter()
        .flat_map(|table| &table.members)
        .map(|(_, function)| function);
    let tracing = tracing::generate(
        functions.chain(own.keys()),
        &read("ze_api.h"),
        &read("layers/zel_tracing_register_cb.h"),
    );
    let apis = ["ze", "zet", "zes", "zer"].map(|name| read(&format!("{name}_api.h")));
    let nulls = nulls::generate(own.keys(), &apis);
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    for (name, code) in [
        ("tables.rs", generate(&tables, &own)),
        ("tracing.rs", tracing),
        ("nulls.rs", nulls),
    ] {
        let file = out.join(name);
        fs::write(&file, code).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    }
}

/// A table of functions.
struct Table {
    /// The function that fills it.
    getter: String,
    /// Its type.
    name: String,
    /// Its members, in order, and the functions that they are for.
    members: Vec<(String, String)>,
}

/// The tables of a header.
fn parse(text: &str) -> Vec<Table> {
    let mut members = BTreeMap::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(name) = line
            .strip_prefix("typedef struct _")
            .filter(|name| name.ends_with("_dditable_t"))
        else {
            continue;
        };
        let body = lines.by_ref().skip(1).take_while(|line| !line.starts_with('}'));
        let member = |line: &str| {
            // `ze_pfnDriverGet_t  pfnGet;` is for `zeDriverGet`.
            let (function, member) = line.trim().strip_suffix(';')?.split_once(' ')?;
            let (prefix, name) = function.strip_suffix("_t")?.split_once("_pfn")?;
            Some((member.trim().to_owned(), format!("{prefix}{name}")))
        };
        members.insert(name.to_owned(), body.filter_map(member).collect::<Vec<_>>());
    }
    let mut tables = Vec::new();
    let mut getter = None;
    for line in text.lines() {
        if let Some(name) = line.strip_suffix('(').filter(|name| name.ends_with("ProcAddrTable")) {
            getter = Some(name.to_owned());
        } else if let Some((name, _)) = line.trim().split_once("* pDdiTable")
            && let (Some(getter), Some(members)) = (getter.take(), members.remove(name))
        {
            let name = name.to_owned();
            tables.push(Table { getter, name, members });
        }
    }
    assert!(!tables.is_empty(), "a header without tables");
    tables
}

/// The functions of Level Zero in a folder of sources, with their paths.
fn find_functions(folder: &Path, module: &str, found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).expect("the sources are there") {
        let path = entry.expect("the sources can be listed").path();
        let stem = path.file_stem().expect("it has a name").to_string_lossy().into_owned();
        let inner = if stem == "lib" {
            module.to_owned()
        } else {
            format!("{module}::{stem}")
        };
        if path.is_dir() {
            find_functions(&path, &inner, found);
            continue;
        }
        let text = fs::read_to_string(&path).expect("the source can be read");
        for line in text.lines() {
            let line = line.trim_start();
            let line = line.strip_prefix("pub unsafe extern \"C\" ").unwrap_or(line);
            let Some(rest) = line.strip_prefix("fn ze") else {
                continue;
            };
            let name: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric()).collect();
            if is_function(&name) {
                found.insert(format!("ze{name}"), format!("{inner}::ze{name}"));
            }
        }
    }
}

/// Whether `ze` and this are the name of a function of Level Zero, or of one that drivers offer by name only, as `zexName`.
fn is_function(name: &str) -> bool {
    let name = name.strip_prefix(['s', 't', 'r', 'x', 'l']).unwrap_or(name);
    name.starts_with(|c: char| c.is_ascii_uppercase())
}

/// The version that added a member, for those that are not of the first: lines of `since.txt`.
fn since() -> BTreeMap<(String, String), (u32, u32)> {
    let text = include_str!("since.txt");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let entry = |line: &str| {
        let mut words = line.split(' ');
        let (major, minor) = words.next()?.split_once('.')?;
        let member = (words.next()?.to_owned(), words.next()?.to_owned());
        Some((member, (major.parse().ok()?, minor.parse().ok()?)))
    };
    lines
        .map(|line| entry(line).unwrap_or_else(|| panic!("since.txt: {line}")))
        .collect()
}

fn generate(tables: &[Table], own: &BTreeMap<String, String>) -> String {
    let mut since = since();
    let (mut code, mut stubs) = (String::new(), BTreeSet::new());
    for Table { getter, name, members } in tables {
        let mut entries = String::new();
        let (mut major, mut minor) = (1, 0);
        for (member, function) in members {
            if let Some(version) = since.remove(&(name.clone(), member.clone())) {
                (major, minor) = version;
            }
            let path = own.get(function).unwrap_or(function);
            if !own.contains_key(function) {
                stubs.insert(function);
            }
            writeln!(entries, "        entry!({major}, {minor}, {path}),").expect("a string has room");
        }
        writeln!(code, "table! {{ {getter}: {name} = [\n{entries}    ] }}").expect("a string has room");
    }
    assert!(since.is_empty(), "since.txt names what no table has: {since:?}");
    for stub in stubs {
        writeln!(code, "unsupported!({stub});").expect("a string has room");
    }
    // In the order of their names. Those of the loader are no driver's.
    let own: String = own
        .iter()
        .filter(|(name, _)| !name.starts_with("zel"))
        .map(|(name, path)| format!("    ({name:?}, {path}),\n"))
        .collect();
    writeln!(code, "own! {{\n{own}}}").expect("a string has room");
    code
}
