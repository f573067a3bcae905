// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Shared by the tests: the paths of the built files, and a probe in a separate environment.
#![allow(dead_code, reason = "each test file uses a part")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The folder of this test's program.
fn deps() -> PathBuf {
    let program = std::env::current_exe().expect("a test has a path");
    program.parent().expect("a program is in a folder").to_owned()
}

fn built(path: PathBuf) -> PathBuf {
    assert!(
        path.exists(),
        "{} is missing: `cargo build -p oxur-loader --examples --lib`",
        path.display()
    );
    path
}

/// Our libur_loader.so.
pub fn loader() -> PathBuf {
    built(deps().join("libur_loader.so"))
}

/// A file among the examples: the test adapters and the probe.
pub fn example(name: &str) -> PathBuf {
    built(deps().parent().unwrap().join("examples").join(name))
}

/// The test adapter without functions for older clients.
pub fn plain_adapter() -> PathBuf {
    example("libtest_adapter.so")
}

/// The test adapter with them.
pub fn legacy_adapter() -> PathBuf {
    example("libtest_adapter_legacy.so")
}

/// A file of the clients' environments that `make setup` installs, if it is there.
pub fn client_file(path: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/env").join(path);
    if !path.exists() {
        eprintln!("skipped: {} is missing (`make setup` installs it)", path.display());
        return None;
    }
    Some(path)
}

/// An empty folder for this test.
pub fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("oxur-loader-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The output of a probe.
pub struct Seen {
    /// Lines of stdout.
    pub lines: Vec<String>,
    /// All of stderr.
    pub log: String,
}

impl Seen {
    /// Asserts that some line of the log has all of `parts`.
    #[track_caller]
    pub fn logged(&self, parts: &[&str]) {
        let found = self
            .log
            .lines()
            .any(|line| parts.iter().all(|part| line.contains(part)));
        assert!(found, "no line with {parts:?} in\n{}", self.log);
    }
}

/// Runs commands of the probe on our loader, with these variables and no others that the loader reads.
pub fn probe(variables: &[(&str, &str)], commands: &[&str]) -> Seen {
    probe_with(&loader(), variables, commands)
}

/// The same on any loader.
pub fn probe_with(loader: &Path, variables: &[(&str, &str)], commands: &[&str]) -> Seen {
    let mut command = Command::new(example("loader_probe"));
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        // Cargo makes the linker search build folders, which may contain adapters.
        if name.starts_with("UR_") || name.starts_with("ONEAPI_") || name == "LD_LIBRARY_PATH" {
            command.env_remove(&*name);
        }
    }
    command.arg(loader).args(commands).envs(variables.iter().copied());
    let Output { status, stdout, stderr } = command.output().expect("the probe starts");
    let (stdout, log) = (
        String::from_utf8_lossy(&stdout).into_owned(),
        String::from_utf8_lossy(&stderr).into_owned(),
    );
    assert!(
        status.success(),
        "{variables:?} {commands:?}: {status}\n{stdout}\n{log}"
    );
    Seen {
        lines: stdout.lines().map(str::to_owned).collect(),
        log,
    }
}
