// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The same tests with the vectors of older CPUs, which access memory and convert numbers in other ways.

use std::env;
use std::process::Command;

/// Runs tests of this program in a process of its own.
fn with_level(level: &str) {
    let output = Command::new(env::current_exe().unwrap())
        .args([
            "bounds::",
            "divergence::",
            "gather::",
            "local_stores::",
            "shapes::",
            "small_vectors::",
            "strided::",
        ])
        .env("UR_CPU_TARGET", level)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{level}: {text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(!text.contains(" 0 passed"), "{level}: {text}");
}

#[test]
fn x86_64_v2() {
    with_level("x86-64-v2");
}

#[test]
fn x86_64_v3() {
    with_level("x86-64-v3");
}
