// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Checks that the headers are up to date, compile with all compilers, work for the reference's own consumers, and describe
//! the same ABI as the Rust types and as each generation of the reference.

mod abi;
mod compile;
mod consumers;
mod facts;
mod known;
mod metadata;
mod parse;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The workspace's folder.
fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .expect("this crate lies in the workspace")
}

/// Our `include/`.
fn our_include() -> PathBuf {
    workspace().join("include")
}

/// A path below `target/env/`, where `make setup` installs it.
fn environment(path: &str) -> PathBuf {
    let path = workspace().join("target/env").join(path);
    assert!(path.is_dir(), "{} is missing: run make setup", path.display());
    path
}

/// Runs `command` with `input` and returns its output.
///
/// # Panics
/// Panics with the command's messages if it fails.
fn run(command: &mut Command, input: &str) -> String {
    let command = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?}: {error}: run make setup"));
    let mut stdin = child.stdin.take().expect("it is piped");
    stdin
        .write_all(input.as_bytes())
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    drop(stdin);
    let output = child
        .wait_with_output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("compilers print UTF-8")
}

#[test]
fn up_to_date() {
    for header in oxur_headers::headers() {
        let file = our_include().join("unified-runtime").join(header.name);
        let text = fs::read_to_string(&file).unwrap_or_default();
        assert!(
            text == header.text,
            "{} is stale: run `cargo run -p oxur-headers`",
            file.display()
        );
    }
}
