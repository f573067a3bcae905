// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Tests in a process of their own: for what is read once in a process, and for what ends one.

use std::process::{Command, ExitStatus};

/// Marks the process that [`with_variable`] starts.
const CHILD: &str = "OXUR_TEST_VARIABLE";

/// How such a process ended, and what it printed.
#[derive(Debug)]
pub struct Ended {
    /// Its exit code, or the signal that ended it.
    pub status: ExitStatus,
    /// Its standard output.
    pub out: String,
    /// Its standard error, which has the log.
    pub log: String,
}

impl Ended {
    /// Fails, with what the process printed, unless its test passed.
    #[track_caller]
    pub fn passed(self) -> Self {
        assert!(self.status.success(), "{}{}", self.out, self.log);
        self
    }
}

/// Runs a test of this program, such as `module::name`, in another process that has these environment variables, too.
pub fn run_test(test: &str, variables: &[(&str, &str)]) -> Ended {
    let output = Command::new("/proc/self/exe")
        .args(["--exact", test, "--nocapture"])
        .envs(variables.iter().copied())
        .output()
        .expect("this program runs");
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    Ended {
        status: output.status,
        out: text(&output.stdout),
        log: text(&output.stderr),
    }
}

/// Runs the calling test again in a process that has an environment variable, and fails if it fails there. `false`
/// says that this is that process.
#[track_caller]
pub fn with_variable(test: &str, name: &str, value: &str) -> bool {
    if std::env::var_os(CHILD).is_some() {
        return false;
    }
    run_test(test, &[(CHILD, "1"), (name, value)]).passed();
    true
}
