// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Processes that run kernels: a crash of a compiler, or of a kernel, ends one test only.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use crate::opencl::{self, Driver};

/// How long a kernel may take, which is much where the machine is busy: `LIMIT` seconds, or 120.
fn limit() -> Duration {
    let seconds = std::env::var("LIMIT").ok().and_then(|seconds| seconds.parse().ok());
    Duration::from_secs(seconds.unwrap_or(120))
}

/// How a reply ends.
const OK: &str = "\u{4}ok ";
const FAILED: &str = "\u{4}failed";

/// How a line begins that tells what is done now.
const STAGE: &str = "\u{4}stage ";

/// What is done at a time: the parent knows then whose crash one was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Our compiler and its kernels run, or nothing that can fail.
    Ours,
    /// Intel's driver compiles or runs a kernel.
    Driver,
}

impl Stage {
    /// Tells the parent that it begins.
    pub fn begin(self) {
        println!("{STAGE}{self:?}");
    }
}

/// Why there is no answer.
#[derive(Clone, Debug)]
pub enum Failure {
    /// The other side says so.
    Told(String),
    /// Our part of it took the process with it, or did not end.
    Died(String),
    /// Intel's driver did that.
    DriverDied(String),
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Told(text) | Self::Died(text) | Self::DriverDied(text) => f.write_str(text.trim_end()),
        }
    }
}

/// The other side: answers what comes by stdin, line by line, with one line.
pub fn serve(answer: impl Fn(&str, Option<&Driver>) -> Result<String, String>) -> Result<(), String> {
    let driver = if opencl::is_available() {
        Some(Driver::new()?)
    } else {
        None
    };
    for line in std::io::stdin().lines() {
        Stage::Ours.begin();
        match answer(line.map_err(|e| e.to_string())?.trim(), driver.as_ref()) {
            Ok(text) => println!("{OK}{text}"),
            Err(message) => println!("{message}\n{FAILED}"),
        }
    }
    Ok(())
}

/// Does the work for each of the items, `JOBS` of them at a time or as many as there are cores; each thread has a process,
/// which [`ThreadContext::ask`] starts.
pub fn for_each<'a, T: Sync>(items: &'a [T], work: impl Fn(&mut Option<ThreadContext>, &'a T) + Sync) {
    let jobs = std::env::var("JOBS").ok().and_then(|jobs| jobs.parse().ok());
    let jobs: usize = jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let next = AtomicUsize::new(0);
    let thread = || {
        let mut worker = None;
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            work(&mut worker, item);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..jobs {
            scope.spawn(thread);
        }
        thread();
    });
}

/// A process.
pub struct ThreadContext {
    child: Child,
    input: ChildStdin,
    replies: Receiver<String>,
}

impl ThreadContext {
    /// Starts one.
    pub fn start() -> std::io::Result<Self> {
        let folder = opencl::folder();
        let mut child = Command::new(std::env::current_exe()?)
            .arg("serve")
            .env("OCL_ICD_FILENAMES", folder.join("libintelocl.so"))
            .env("OCL_ICD_VENDORS", "/nonexistent")
            .env("LD_LIBRARY_PATH", &folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (input, output) = (
            child.stdin.take().expect("a pipe"),
            child.stdout.take().expect("a pipe"),
        );
        let (send, replies) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Self { child, input, replies })
    }

    /// Asks for an answer. If that takes the process with it, the next call starts another.
    pub fn ask(own: &mut Option<Self>, question: &str) -> Result<String, Failure> {
        let worker = match own {
            Some(worker) => worker,
            None => own.insert(Self::start().map_err(|e| Failure::Died(e.to_string()))?),
        };
        let (mut text, mut in_driver) = (String::new(), false);
        let mut hangs = false;
        let limit = limit();
        let sent = writeln!(worker.input, "{question}");
        while sent.is_ok() {
            let line = match worker.replies.recv_timeout(limit) {
                Ok(line) => line,
                Err(error) => {
                    hangs = error == RecvTimeoutError::Timeout;
                    break;
                }
            };
            if let Some(answer) = line.strip_prefix(OK) {
                return Ok(answer.into());
            }
            if line == FAILED {
                return Err(Failure::Told(text));
            }
            if let Some(stage) = line.strip_prefix(STAGE) {
                in_driver = stage == format!("{:?}", Stage::Driver);
                continue;
            }
            text += &line;
            text.push('\n');
        }
        if hangs {
            // If it ended in the meantime, that is told, too.
            let _ = worker.child.kill();
        }
        let status = worker.child.wait();
        *own = None;
        text += &match status {
            _ if hangs => format!("it takes over {limit:?}"),
            Ok(status) => format!("the process ended: {status}"),
            Err(error) => error.to_string(),
        };
        Err(if in_driver {
            Failure::DriverDied(text)
        } else {
            Failure::Died(text)
        })
    }
}

impl Drop for ThreadContext {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
