// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What a call costs: OpenCL itself, Intel's Unified Runtime on it, and ours, side by side in one process over the same
//! driver. Every batch is checked: a figure of work that was not done would be a lie.
//!
//! `make bench`, or `target/release/oxur-bench --help` after `make dist`.

mod children;
mod cpu;
mod environment;
mod kernels;
mod measure;
mod raw;
mod report;
mod rows;
mod silent;
mod stack;
mod threads;
mod ur;

use std::path::{Path, PathBuf};
use std::rc::Rc;

use environment::Environment;
use measure::{Samples, Subject, measure};
use raw::Raw;
use report::Figures;
use rows::Work;
use stack::Failure;
use threads::Shared;
use ur::{Code, Ur};

const HELP: &str = "oxur-bench [--filter TEXT]... [--seconds N] [--json] [--list] [--lib FOLDER] [--strict]

  --filter TEXT   only rows with TEXT in their names; given again, rows with either
  --seconds N     how long to measure a row (1)
  --json          a line of JSON a row, times as [low, median, high] of a 95 % interval
  --list          the names of the rows
  --lib FOLDER    where our libraries are (dist/lib)
  --adapter NAME  our adapter: opencl, the default, or cpu, which has rows of its own; those called `kernels` are how fast
                  kernels are and how fast they are compiled, beside Intel's OpenCL CPU driver
  --only STACK    nothing but raw, intel or ours: for a profiler
  --strict        end with 1 where a goal is missed beyond the noise

Columns: the layer below (OpenCL, or a call without a loader; for replays the same launches one by one on our stack),
Intel's stack, ours, each with its minimum; ours by Intel's; what each stack adds to the layer below; our share of what
Intel's adds. ± is half of the 95 % interval of the median.";

/// The command line.
struct Options {
    filters: Vec<String>,
    seconds: f64,
    json: bool,
    list: bool,
    lib: PathBuf,
    only: Option<String>,
    strict: bool,
    /// Whether our stack is that of the CPU adapter.
    cpu: bool,
}

impl Options {
    fn parse(words: impl Iterator<Item = String>) -> Result<Self, Failure> {
        let lib = Path::new(env!("CARGO_MANIFEST_DIR")).join("../dist/lib");
        let mut options = Self {
            filters: Vec::new(),
            seconds: 1.0,
            json: false,
            list: false,
            lib,
            only: None,
            strict: false,
            cpu: false,
        };
        let mut words = words;
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--filter" => options.filters.push(value()?),
                "--seconds" => options.seconds = value()?.parse()?,
                "--lib" => options.lib = value()?.into(),
                "--adapter" => {
                    options.cpu = match value()?.as_str() {
                        "opencl" => false,
                        "cpu" => true,
                        other => return Err(format!("no rows for an adapter {other}").into()),
                    }
                }
                "--only" => options.only = Some(value()?),
                "--strict" => options.strict = true,
                "--json" => options.json = true,
                "--list" => options.list = true,
                // What `cargo bench` gives every program.
                "--bench" => {}
                _ => return Err(format!("unknown option {word}\n\n{HELP}").into()),
            }
        }
        Ok(options)
    }

    fn wants(&self, row: &str) -> bool {
        self.filters.is_empty() || self.filters.iter().any(|filter| row.contains(filter))
    }
}

fn main() {
    // A reader that has seen enough, such as head, ends the command like any other.
    // SAFETY: no other thread runs yet.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
    let code = match run() {
        Ok(true) => 0,
        Ok(false) => 1,
        Err(error) => {
            eprintln!("oxur-bench: {error}");
            2
        }
    };
    // SAFETY: standard output is flushed at each line. The exit handlers of three stacks in one process, whose threads are
    // alive, are better not called.
    unsafe { libc::_exit(code) };
}

/// Measures; gives whether all is well.
fn run() -> Result<bool, Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.iter().any(|word| word == "--help") {
        println!("{HELP}");
        return Ok(true);
    }
    if let Some(words) = children::words(&words) {
        let lib = words
            .iter()
            .skip_while(|word| *word != "--lib")
            .nth(1)
            .ok_or("a child needs --lib")?;
        // SAFETY: there is one thread yet.
        let environment = unsafe { Environment::new(Path::new(lib)) }?;
        // SAFETY: as above.
        return unsafe { children::work(words, &environment) };
    }
    let options = Options::parse(words.into_iter())?;
    let (children, rows) = match options.cpu {
        true => (Vec::new(), cpu::rows()),
        false => (children::rows(), rows::rows()),
    };
    let kernels = if options.cpu { kernels::names() } else { Vec::new() };
    if options.list {
        children
            .iter()
            .map(|row| &row.name)
            .chain(rows.iter().map(|row| &row.name))
            .chain(&kernels)
            .for_each(|name| println!("{name}"));
        return Ok(true);
    }
    // SAFETY: there is one thread yet.
    let environment = unsafe { Environment::new(&options.lib) }?;
    let children: Vec<_> = children.iter().filter(|row| options.wants(&row.name)).collect();
    let rows: Vec<_> = rows.into_iter().filter(|row| options.wants(&row.name)).collect();
    let some = !children.is_empty() || !rows.is_empty();
    if !options.json && some {
        println!("{}", report::head());
    }
    let mut all = Vec::new();
    let mut done = |name: String, goal, samples: &Samples| {
        let figures = Figures::new(name, goal, samples);
        println!("{}", if options.json { figures.json() } else { figures.line() });
        all.push(figures);
    };
    for row in children {
        done(row.name.clone(), row.goal, &row.measure(&environment, options.seconds)?);
    }
    if !rows.is_empty() {
        // SAFETY: there is one thread yet.
        let stacks = unsafe { Stacks::open(&environment, options.cpu) }?;
        for row in rows {
            let mut subjects = stacks.subjects(row.work);
            for (subject, name) in subjects.iter_mut().zip(["raw", "intel", "ours"]) {
                subject.take_if(|_| options.only.as_ref().is_some_and(|only| only != name));
            }
            let samples = measure(&mut subjects, options.seconds, row.work.most());
            done(row.name, row.goal, &samples);
        }
        // Nobody measures how it is torn down.
        std::mem::forget(stacks);
    }
    if !options.json && some {
        print!("{}", report::summary(&all));
    }
    let kernels: Vec<_> = kernels.into_iter().filter(|name| options.wants(name)).collect();
    let good = kernels.is_empty() || kernels::measure(&environment, &kernels, options.seconds, options.json)?;
    Ok(!options.strict || good && all.iter().all(|row| row.verdict != Some(report::Verdict::Fail)))
}

/// The three of them.
struct Stacks {
    raw: Rc<Raw>,
    intel: Option<Rc<Ur>>,
    ours: Option<Rc<Ur>>,
}

impl Stacks {
    /// Opens all that are there, and says which are not. With `cpu`, ours is that of the CPU adapter.
    ///
    /// # Safety
    /// No other thread may use the environment.
    unsafe fn open(environment: &Environment, cpu: bool) -> Result<Self, Failure> {
        let library = environment.opencl()?;
        let loader = |loader: &Path, adapter: &Path| {
            // SAFETY: the caller's promise; loading an adapter starts no thread that uses the environment.
            let opened = unsafe { ur::open(loader, &[adapter]) };
            opened
                .inspect_err(|error| eprintln!("oxur-bench: without {}: {error}", loader.display()))
                .ok()
        };
        // Both before the driver is used, which has threads.
        let intel = loader(&environment.intel, &environment.intel_adapter());
        let ours = loader(
            &environment.ours,
            &environment.our_adapter(if cpu { "cpu" } else { "opencl" }),
        );
        let raw = Raw::new(library, include_str!("kernels.cl"))?;
        let binary = raw.binary();
        let stack = |name: &'static str, loader: Option<oxur_client::Loader>, cpu: bool| {
            let loader = loader?;
            let code = if cpu {
                cpu::spirv().map(Code::Il)
            } else {
                Ok(Code::Binary(binary.clone()))
            };
            code.and_then(|code| Ur::new(name, loader, &code))
                .map(Rc::new)
                .inspect_err(|error| eprintln!("oxur-bench: without {name}: {error}"))
                .ok()
        };
        Ok(Self {
            raw: Rc::new(raw),
            intel: stack("Intel's stack", intel, false),
            ours: stack("our stack", ours, cpu),
        })
    }

    /// What a row runs on each.
    fn subjects(&self, work: Work) -> [Option<Subject>; 3] {
        if matches!(work, Work::Threads(crew) if crew.shared == Shared::Kernel) {
            let ours = self.ours.as_ref().and_then(|stack| rows::subject(stack, work));
            return [None, None, ours];
        }
        let below = match work {
            Work::Replay(_, count) => self
                .ours
                .as_ref()
                .and_then(|stack| rows::subject(stack, Work::Launches(count))),
            _ => rows::subject(&self.raw, work),
        };
        [
            below,
            self.intel.as_ref().and_then(|stack| rows::subject(stack, work)),
            self.ours.as_ref().and_then(|stack| rows::subject(stack, work)),
        ]
    }
}
