// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `oxur-compiler compile --pass-times`: how long each pass takes.
//!
//! Another process compiles, and says which pass is next. The time until it says so again is that of the pass, and of those behind it
//! that always run, which it does not tell.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::pass_log::{Log, Pass, command_line};

/// Prints a line for each pass, those first that take longest.
pub fn tell() -> Result<(), String> {
    let text = |error: std::io::Error| error.to_string();
    let mut command = command_line("--pass-times", &["--log-passes"])?;
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(text)?;
    let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
    let mut log = Log::default();
    let mut times: HashMap<(bool, String), (Duration, usize)> = HashMap::new();
    let mut add = |last: Option<(Pass, Instant)>, now: Instant| {
        if let Some((pass, since)) = last {
            let (time, count) = times.entry((pass.is_ours, pass.name)).or_default();
            *time += now - since;
            *count += 1;
        }
    };
    let mut last = None;
    while let Some(line) = lines.next().transpose().map_err(text)? {
        let now = Instant::now();
        if let Some(pass) = log.read(&line) {
            add(last.replace((pass, now)), now);
        } else if line.starts_with("BISECT: code ") {
            // The loader, and the front end of what comes next, are no pass.
            add(last.take(), now);
        } else if !line.starts_with("BISECT: ") {
            eprintln!("{line}");
        }
    }
    add(last, Instant::now());
    let status = child.wait().map_err(text)?;
    if !status.success() {
        return Err(format!("the process that compiled: {status}"));
    }
    let mut times: Vec<_> = times.into_iter().collect();
    times.sort_by_key(|((_, name), (time, _))| (std::cmp::Reverse(*time), name.clone()));
    println!("{:>10} {:>7}  pass", "ms", "runs");
    for ((is_ours, name), (time, count)) in times {
        let whose = if is_ours { " (ours)" } else { "" };
        println!("{:10.3} {count:7}  {name}{whose}", time.as_secs_f64() * 1e3);
    }
    Ok(())
}
