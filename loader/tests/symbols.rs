// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The exports of libur_loader.so: every function of the ABI, with the version that clients request, and nothing else.

mod common;

use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;
use std::process::Command;

use oxur_client::api::*;

/// The dynamic symbols of a library as `nm` prints them, `name@version` each.
fn symbols(library: &Path, which: &str) -> BTreeSet<String> {
    let output = Command::new("nm")
        .args(["-D", which])
        .arg(library)
        .output()
        .expect("binutils are there");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines()
        .filter_map(|line| line.split_whitespace().last())
        .map(str::to_owned)
        .collect()
}

const VERSION: &str = "LIBUR_LOADER_0.12";

#[test]
fn every_function_has_the_version_and_nothing_else_is_exported() {
    let mut wanted = BTreeSet::from([VERSION.to_owned()]);
    let mut want = |name: &str| {
        assert!(
            wanted.insert(format!("{name}@@{VERSION}")),
            "{name} is in the table twice"
        )
    };
    macro_rules! want {
        ({} table $member:ident: $table:ident = $($rest:tt)*) => {
            if $table::META.getter.starts_with("ur") {
                want($table::META.getter);
            }
            $table::META
                .functions
                .iter()
                .for_each(|function| want(function.name));
        };
    }
    for_each_table! { want {} }
    legacy_functions! { want {} }
    loader_functions! { want {} }
    // Only clients of 2025.2 import these.
    for name in [
        "urEnqueueCooperativeKernelLaunchExp",
        "urEnqueueKernelLaunchCustomExp",
        "urKernelSuggestMaxCooperativeGroupCountExp",
    ] {
        want(name);
    }
    let exported = symbols(&common::loader(), "--defined-only");
    assert_eq!(
        exported.difference(&wanted).collect::<Vec<_>>(),
        [""; 0],
        "exported, but not in the table"
    );
    assert_eq!(
        wanted.difference(&exported).collect::<Vec<_>>(),
        [""; 0],
        "in the table, but not exported"
    );
}

#[test]
fn the_soname_is_what_clients_open() {
    let output = Command::new("readelf")
        .arg("-d")
        .arg(common::loader())
        .output()
        .expect("binutils are there");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.lines()
            .any(|line| line.contains("SONAME") && line.ends_with("[libur_loader.so.0]")),
        "{text}"
    );
}

#[test]
fn clients_find_all_that_they_import() {
    let Some(folder) = common::client_file("v2026.1/lib") else {
        return;
    };
    let exported = symbols(&common::loader(), "--defined-only");
    let mut clients = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !name.ends_with(".so") || name.starts_with("libmkl") || name.starts_with("libur_") || !is_small_elf(&path) {
            continue;
        }
        let imported: Vec<_> = symbols(&path, "--undefined-only")
            .into_iter()
            .filter_map(|symbol| symbol.strip_suffix(&format!("@{VERSION}")).map(str::to_owned))
            .collect();
        clients += usize::from(!imported.is_empty());
        for symbol in imported {
            assert!(
                exported.contains(&format!("{symbol}@@{VERSION}")),
                "{name} wants {symbol}"
            );
        }
    }
    // libsycl, libsycl-preview and libomptarget.
    assert!(clients >= 3, "only {clients} clients of the loader were found");
}

/// Whether a file is a shared object, and not one of the compilers, which take long to read.
fn is_small_elf(path: &Path) -> bool {
    let mut magic = [0; 4];
    let mut file = std::fs::File::open(path).unwrap();
    file.metadata().unwrap().len() < 150_000_000 && file.read_exact(&mut magic).is_ok() && magic == *b"\x7fELF"
}
