// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//! Generates the bindings from the installed headers: types with bindgen, then the tables of functions from those.

mod bindings;
mod headers;
mod tables;

use std::path::PathBuf;
use std::process::ExitCode;
use std::{env, fs};

fn main() -> ExitCode {
    match generate() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("level-zero-sys: {error}");
            ExitCode::FAILURE
        }
    }
}

fn generate() -> Result<(), String> {
    let folder = |name| PathBuf::from(env::var_os(name).expect("cargo sets it"));
    let manifest = folder("CARGO_MANIFEST_DIR");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=wrapper.h");

    let headers = headers::find(&manifest)?;
    let mut file = syn::parse_file(&bindings::generate(&manifest.join("wrapper.h"), &headers)?)
        .map_err(|error| format!("bindgen's output cannot be parsed: {error}"))?;
    let tables = tables::generate(&mut file, &headers);

    let out = folder("OUT_DIR");
    for (name, file) in [("bindings.rs", &file), ("tables.rs", &tables)] {
        fs::write(out.join(name), prettyplease::unparse(file)).map_err(|error| format!("{name}: {error}"))?;
    }
    println!("cargo::rustc-env=LEVEL_ZERO_HEADERS={}", headers.folder.display()); // for tests
    println!("cargo::metadata=include={}", headers.folder.display());
    Ok(())
}
