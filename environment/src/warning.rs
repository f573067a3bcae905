// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Warnings about variables.

use std::io::{self, Write as _};

use oxur_fork::Mutex;

/// The warnings so far, because a variable may be read more than once.
static SAID: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Warns once about a problem: in the log if it accepts warnings, else with one line on standard error.
///
/// Logs are silent by default, but the user who set a variable expects an effect.
pub fn warn(problem: &str) {
    let mut said = SAID.lock();
    if said.iter().any(|said| said == problem) {
        return;
    }
    said.push(problem.to_owned());
    drop(said);
    if log::log_enabled!(log::Level::Warn) {
        log::warn!("{problem}");
    } else {
        // The standard library's stream has a lock of its own.
        let _section = oxur_fork::section();
        // If the stream is closed, there is no other place for the warning.
        let _ = io::stderr().write_all(format!("oxur: {problem}\n").as_bytes());
    }
}
