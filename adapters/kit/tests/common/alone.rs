// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Tests in a process of their own: for what is read once in a process, and for what happens when it ends.

use std::process::Command;

/// Marks that process.
const ALONE: &str = "OXUR_TEST_ALONE";

/// Whether this is such a process.
pub fn is_alone() -> bool {
    std::env::var_os(ALONE).is_some()
}

/// The command that runs a test of this program in a process of its own. `None` says that this is that process.
pub fn again(test: &str) -> Option<Command> {
    if is_alone() {
        return None;
    }
    let mut command = Command::new(std::env::current_exe().expect("a test has a path"));
    command.args(["--exact", test, "--nocapture"]).env(ALONE, "1");
    Some(command)
}

/// Runs the command, fails with what it printed unless its test passes, and returns its output and its log.
#[track_caller]
pub fn passes(command: &mut Command) -> [String; 2] {
    let own = command.output().expect("a process");
    let said = [own.stdout, own.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
    assert!(own.status.success(), "{}", said.concat());
    said
}
