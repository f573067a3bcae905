// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `oxur-compiler bisect`: finds the pass that makes a kernel's results other than the interpreter's.
//!
//! Each try is a process of its own, as wrong code may crash, or run for ever.

use std::io::Read as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

use oxur_compiler::passes::Limit;

use crate::pass_log::{Log, Pass, command_line};
use crate::run::DIFFERS;

/// How long a try may take.
const TIMEOUT: Duration = Duration::from_secs(60);

/// What a try came to.
enum Outcome {
    /// The results are the interpreter's.
    Agrees,
    /// They are not, or the process crashed or hung: this is what it said.
    Differs(String),
}

/// Prints the pass.
pub fn bisect() -> Result<(), String> {
    let (all, passes) = attempt(Limit::NONE)?;
    let Outcome::Differs(mut symptom) = all else {
        return Err("nothing to find: the results are the interpreter's".into());
    };
    println!("with all {} passes: {symptom}", passes.len());
    // The first of them, which are the same in each try.
    let first = |count: usize| {
        let ours = passes[..count].iter().filter(|pass| pass.is_ours).count();
        Limit {
            ours: ours as u32,
            llvm: (count - ours) as u32,
        }
    };
    if let (Outcome::Differs(symptom), _) = attempt(first(0))? {
        println!("without all that may be left out: {symptom}");
        println!(
            "So no pass makes the difference, but lowering, instruction selection, or what code needs in any case: --scalar is without the vectorizer."
        );
        return Ok(());
    }
    let (mut right, mut wrong) = (0, passes.len());
    while right + 1 < wrong {
        let middle = right.midpoint(wrong);
        match attempt(first(middle))?.0 {
            Outcome::Agrees => right = middle,
            Outcome::Differs(text) => (wrong, symptom) = (middle, text),
        }
    }
    println!("with the first {right}: as in the interpreter");
    println!("with the first {wrong}: {symptom}");
    let Limit { ours, llvm } = first(wrong);
    println!("pass {wrong} (--passes {ours},{llvm}): {}", passes[right]);
    Ok(())
}

/// Runs the kernel with so many passes. Gives those that ran.
fn attempt(Limit { ours, llvm }: Limit) -> Result<(Outcome, Vec<Pass>), String> {
    let limit = format!("--passes={ours},{llvm}");
    let mut command = command_line("bisect", &["run", "--check", "--launches=2", &limit])?;
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let mut pipe = child.stderr.take().expect("a pipe");
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        pipe.read_to_end(&mut text)
            .map(|_| String::from_utf8_lossy(&text).into_owned())
    });
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            break Some(status);
        }
        if start.elapsed() > TIMEOUT {
            _ = child.kill();
            _ = child.wait();
            break None;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let text = reader
        .join()
        .expect("it does not panic")
        .map_err(|error| error.to_string())?;
    let said = text
        .lines()
        .rev()
        .find(|line| !line.starts_with("BISECT:"))
        .unwrap_or_default();
    let said = said.trim_start_matches("oxur-compiler: ").to_string();
    let mut log = Log::default();
    let passes = text.lines().filter_map(|line| log.read(line)).collect();
    match status {
        Some(status) if status.success() => Ok((Outcome::Agrees, passes)),
        Some(status) if status.code() == Some(DIFFERS.into()) => Ok((Outcome::Differs(said), passes)),
        // An error of the compiler or of the command line.
        Some(status) if status.code().is_some() => Err(said),
        Some(status) => Ok((Outcome::Differs(format!("{status}")), passes)),
        None => Ok((Outcome::Differs(format!("nothing in {} s", TIMEOUT.as_secs())), passes)),
    }
}
