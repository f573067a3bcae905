// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Processes that run kernels: a crash of a compiler, or of a kernel, ends one kernel's test only.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use crate::case::{Outcome, Passed, Unit};
use crate::opencl::{self, Driver};

/// How long a kernel may take, which is much where the machine is busy.
const LIMIT: Duration = Duration::from_secs(120);

/// How a reply ends.
const OK: &str = "\u{4}ok ";
const FAILED: &str = "\u{4}failed";

/// How a line begins that tells what is done now.
pub const STAGE: &str = "\u{4}stage ";

/// The other side: runs what comes by stdin, line by line.
pub fn serve() -> Result<(), String> {
    let driver = if opencl::folder().exists() {
        Some(Driver::new()?)
    } else {
        None
    };
    for line in std::io::stdin().lines() {
        let unit = Unit::parse(line.map_err(|e| e.to_string())?.trim());
        match unit.run(driver.as_ref()) {
            Ok(passed) => println!("{OK}{} {}", passed.lanes, u32::from(passed.is_compared)),
            Err(message) => println!("{message}\n{FAILED}"),
        }
    }
    Ok(())
}

/// A process.
pub struct Worker {
    child: Child,
    input: ChildStdin,
    replies: Receiver<String>,
}

impl Worker {
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

    /// Runs a kernel. If that takes the process with it, the next call starts another.
    pub fn run(own: &mut Option<Self>, unit: &str) -> Outcome {
        let worker = match own {
            Some(worker) => worker,
            None => own.insert(Self::start().map_err(|e| e.to_string())?),
        };
        let (mut text, mut stage) = (String::new(), String::new());
        let mut hangs = false;
        let sent = writeln!(worker.input, "{unit}");
        while sent.is_ok() {
            let line = match worker.replies.recv_timeout(LIMIT) {
                Ok(line) => line,
                Err(error) => {
                    hangs = error == RecvTimeoutError::Timeout;
                    break;
                }
            };
            if let Some((lanes, compared)) = line.strip_prefix(OK).and_then(|rest| rest.split_once(' ')) {
                return Ok(Passed {
                    lanes: lanes.parse().unwrap_or(0),
                    is_compared: compared == "1",
                });
            }
            if line == FAILED {
                return Err(text);
            }
            if let Some(name) = line.strip_prefix(STAGE) {
                stage = name.into();
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
        if stage == "driver" {
            // Its compiler's flaw, not ours.
            return Ok(Passed::default());
        }
        Err(match status {
            _ if hangs => format!("{text}it takes over {LIMIT:?}"),
            Ok(status) => format!("{text}the process ended: {status}"),
            Err(error) => format!("{text}{error}"),
        })
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
