// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Checks that the reference's own consumers of its headers compile with ours.

use crate::{environment, our_include, run};
use std::process::Command;

/// Compiles a program that includes `header` from the reference's 2026.2 environment, with our headers in place of its.
fn consume(compiler: &str, header: &str) {
    let include = environment("v2026.2/include");
    let program = format!("#include <{header}>\nint main() {{}}\n");
    let mut command = Command::new(compiler);
    command.args(["-x", "c++", "-std=c++17", "-fsyntax-only", "-w", "-MD", "-MF", "-"]);
    command.arg("-I").arg(our_include()).arg("-isystem").arg(&include);
    let dependencies = run(command.arg("-"), &program);
    let includes = |folder: &std::path::Path, name| {
        let file = folder.join("unified-runtime").join(name);
        dependencies
            .split_whitespace()
            .any(|word| word == file.to_str().expect("no odd names here"))
    };
    assert!(
        includes(&our_include(), "ur_api.h"),
        "{header} does not use our ur_api.h"
    );
    for name in ["ur_api.h", "ur_ddi.h", "ur_api_funcs.def"] {
        assert!(!includes(&include, name), "{header} uses the reference's {name}");
    }
}

#[test]
fn printing() {
    consume("g++", "unified-runtime/ur_print.hpp");
    consume("clang++", "unified-runtime/ur_print.hpp");
    consume("g++", "unified-runtime/ur_print.h");
}

#[test]
fn sycl_detail() {
    consume("g++", "sycl/detail/ur.hpp");
    consume("clang++", "sycl/detail/ur.hpp");
}

#[test]
fn sycl() {
    consume("g++", "sycl/sycl.hpp");
}
