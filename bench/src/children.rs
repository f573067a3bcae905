// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What needs a process of its own: a loader with a given number of adapters, and the first calls of a program.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::ptr::{null, null_mut};
use std::time::Duration;

use oxur_client::Loader;
use oxur_client::api::*;

use crate::environment::Environment;
use crate::measure::{INTEL, OURS, RAW, SUBJECTS, Samples, Subject, measure};
use crate::rows::Goal;
use crate::stack::{Failure, timed};
use crate::{kernels, raw, ur};

/// The first argument of a child process.
pub const CHILD: &str = "--child";

/// A row that other processes measure.
pub struct Row {
    /// Names it.
    pub name: String,
    /// What it shall show.
    pub goal: Goal,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    Dispatch { adapters: usize, arguments: usize },
    Cold,
}

/// All such rows.
pub fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for adapters in 1..=3 {
        for arguments in [1, 8] {
            let name = format!("loader: adapters {adapters}, arguments {arguments}");
            rows.push(Row {
                name,
                goal: Goal::NotSlower,
                kind: Kind::Dispatch { adapters, arguments },
            });
        }
    }
    rows.push(Row {
        name: "enumeration, cold process".into(),
        goal: Goal::NotSlower,
        kind: Kind::Cold,
    });
    rows
}

impl Row {
    /// Measures it.
    pub fn measure(&self, environment: &Environment, seconds: f64) -> Result<Samples, Failure> {
        match self.kind {
            Kind::Dispatch { adapters, arguments } => {
                let words = [
                    "dispatch",
                    &adapters.to_string(),
                    &arguments.to_string(),
                    &seconds.to_string(),
                ];
                run(environment, &words)?.lines().map(parse).collect()
            }
            Kind::Cold => {
                let mut samples = Samples::new();
                let start = std::time::Instant::now();
                // Processes are slow: a few rounds, however little time there is.
                while samples.len() < 5 || start.elapsed().as_secs_f64() < 3.0 * seconds {
                    let mut round = [f64::NAN; SUBJECTS];
                    for (column, name) in [(RAW, "raw"), (INTEL, "intel"), (OURS, "ours")] {
                        if column != OURS || environment.ours.exists() {
                            round[column] = run(environment, &["cold", name])?.trim().parse()?;
                        }
                    }
                    samples.push(round);
                }
                Ok(samples)
            }
        }
    }
}

fn parse(line: &str) -> Result<[f64; SUBJECTS], Failure> {
    let mut round = [f64::NAN; SUBJECTS];
    for (place, word) in round.iter_mut().zip(line.split_whitespace()) {
        *place = word.parse()?;
    }
    Ok(round)
}

fn run(environment: &Environment, words: &[&str]) -> Result<String, Failure> {
    let mut command = Command::new(std::env::current_exe()?);
    command
        .arg(CHILD)
        .args(words)
        .args(environment.arguments())
        .stderr(Stdio::inherit());
    let output = command.output()?;
    if !output.status.success() {
        return Err(format!("{command:?}: {}", output.status).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// Whether this process is a child; its words, if so.
pub fn words(arguments: &[String]) -> Option<&[String]> {
    arguments
        .split_first()
        .filter(|(first, _)| *first == CHILD)
        .map(|(_, rest)| rest)
}

/// What a child does.
///
/// # Safety
/// No other thread may use the environment.
pub unsafe fn work(words: &[String], environment: &Environment) -> Result<bool, Failure> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["dispatch", adapters, arguments, seconds, ..] => {
            for [raw, intel, ours] in dispatch(environment, adapters.parse()?, arguments.parse()?, seconds.parse()?)? {
                println!("{raw} {intel} {ours}");
            }
            Ok(true)
        }
        ["cold", subject, ..] => {
            println!("{}", cold(environment, subject)?.as_nanos());
            Ok(true)
        }
        // SAFETY: the caller's promise.
        [kernels::WORD, ref rest @ ..] => unsafe { kernels::work(rest, environment) },
        // SAFETY: the caller's promise.
        [kernels::BUILD, ref rest @ ..] => unsafe { kernels::build(rest, environment) }.map(|()| true),
        _ => Err("no child does this".into()),
    }
}

/// From the loading of the library to the name of a device.
fn cold(environment: &Environment, subject: &str) -> Result<Duration, Failure> {
    let mut devices = Ok(0);
    let stack = |loader: &Path, adapter: &Path| {
        // SAFETY: this process has one thread yet.
        unsafe { ur::open(loader, &[adapter]) }.and_then(|loader| ur::discover(&loader))
    };
    let took = timed(|| {
        devices = match subject {
            "raw" => environment.opencl().and_then(raw::discover),
            "intel" => environment
                .opencl()
                .and_then(|_| stack(&environment.intel, &environment.intel_adapter())),
            _ => environment
                .opencl()
                .and_then(|_| stack(&environment.ours, &environment.our_adapter("opencl"))),
        }
    });
    assert!(devices? > 0, "the number of devices");
    Ok(took)
}

/// Calls of an adapter that does nothing: directly, and through loaders that have loaded some copies of it.
fn dispatch(environment: &Environment, adapters: usize, arguments: usize, seconds: f64) -> Result<Samples, Failure> {
    let folder = Folder::new()?;
    let copies: Vec<PathBuf> = (0..adapters)
        .map(|number| folder.0.join(format!("libur_adapter_{number}.so")))
        .collect();
    for copy in &copies {
        std::fs::copy(environment.null_adapter()?, copy)?;
    }
    let copies: Vec<&Path> = copies.iter().map(PathBuf::as_path).collect();
    let open = |path: &Path| -> Result<Option<Loader>, Failure> {
        // SAFETY: this process has one thread yet.
        path.exists().then(|| unsafe { ur::open(path, &copies) }).transpose()
    };
    let (intel, ours) = (open(&environment.intel_newer)?, open(&environment.ours)?);
    let known = intel
        .as_ref()
        .or(ours.as_ref())
        .ok_or("there is no loader")?
        .adapters()?;
    assert_eq!(known.len(), adapters, "adapters that the loader has loaded");
    let handle = known[0].raw();
    // SAFETY: a handle leads to the tables of its adapter.
    let tables = unsafe { &**handle.0.cast::<*const DdiTable>() };
    let subject = |tables: &DdiTable| match arguments {
        1 => retain(tables.Adapter.pfnRetain.expect("urAdapterRetain"), handle),
        _ => memcpy(tables.Enqueue.pfnUSMMemcpy.expect("urEnqueueUSMMemcpy"), handle),
    };
    let through = |loader: &Option<Loader>| loader.as_ref().map(|loader| subject(&loader.fns().ddi));
    let samples = measure(
        &mut [Some(subject(tables)), through(&intel), through(&ours)],
        seconds,
        100_000,
    );
    drop(known);
    Ok(samples)
}

fn retain(function: pfn::urAdapterRetain, adapter: AdapterHandle) -> Subject {
    Box::new(move |n| {
        timed(|| {
            for _ in 0..n {
                // SAFETY: the adapter is alive, and does not count.
                let code = unsafe { black_box(function)(adapter) };
                assert_eq!(code, ResultCode::SUCCESS);
            }
        })
    })
}

fn memcpy(function: pfn::urEnqueueUSMMemcpy, adapter: AdapterHandle) -> Subject {
    // The loader needs the tables, and the adapter looks at nothing.
    let queue = QueueHandle(adapter.0);
    Box::new(move |n| {
        timed(|| {
            for _ in 0..n {
                // SAFETY: as above.
                let code = unsafe { black_box(function)(queue, true, null_mut(), null(), 8, 0, null(), null_mut()) };
                assert_eq!(code, ResultCode::SUCCESS);
            }
        })
    })
}

/// A folder that goes with its owner.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Self, Failure> {
        let folder = std::env::temp_dir().join(format!("oxur-bench-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        Ok(Self(folder))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            eprintln!("oxur-bench: {}: {error}", self.0.display());
        }
    }
}
