// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What a call costs: OpenCL itself, Intel's Unified Runtime on it, and ours, side by side in one process over the same
//! driver. Every batch is checked: a figure of work that was not done would be a lie.
//!
//! `make bench`, or `target/release/oxur-bench --help` after `make dist`.

mod children;
mod cpu;
mod cuda;
mod environment;
mod kernels;
mod level_zero;
mod measure;
mod raw;
mod raw_level_zero;
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
use raw_level_zero::RawLevelZero;
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
  --adapter NAME  our adapter: opencl, the default, or one that has rows of its own. level_zero is beside Intel's v2 adapter,
                  both on our driver for the CPU. cuda, on a machine with an NVIDIA GPU, is beside the driver, kernels that wait
                  for memory beside nvcc's code (NVCC names it), and dpnp on it beside CuPy, if `python3` has both (PYTHON
                  names another); it ends with 1 where kernels miss their goal or there is no nvcc. Of cpu those called `kernels` are how fast kernels are and how fast
                  they are compiled, beside Intel's OpenCL CPU driver
  --native        of cpu only the 22 kernels that bench/native has in C, and a column for that: clang-22 compiles it
  --only STACK    nothing but raw, intel or ours, for a profiler; kernels have all sides nevertheless
  --strict        end with 1 where a goal is missed beyond the noise

Columns: the layer below (OpenCL or Level Zero, or a call without a loader; for replays without a Level Zero the same launches
one by one on our stack),
Intel's stack, ours, each with its minimum; ours by Intel's; what each stack adds to the layer below; our share of what
Intel's adds. ± is half of the 95 % interval of the median.";

/// Our adapters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Adapter {
    OpenCl,
    Cpu,
    LevelZero,
    Cuda,
}

impl Adapter {
    fn name(self) -> &'static str {
        match self {
            Self::OpenCl => "opencl",
            Self::Cpu => "cpu",
            Self::LevelZero => "level_zero",
            Self::Cuda => "cuda",
        }
    }
}

/// The command line.
struct Options {
    filters: Vec<String>,
    seconds: f64,
    json: bool,
    list: bool,
    lib: PathBuf,
    only: Option<String>,
    strict: bool,
    /// Whether kernels are beside native code.
    native: bool,
    /// Our adapter.
    adapter: Adapter,
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
            native: false,
            adapter: Adapter::OpenCl,
        };
        let mut words = words;
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--filter" => options.filters.push(value()?),
                "--seconds" => options.seconds = value()?.parse()?,
                "--lib" => options.lib = value()?.into(),
                "--adapter" => {
                    options.adapter = match value()?.as_str() {
                        "opencl" => Adapter::OpenCl,
                        "cpu" => Adapter::Cpu,
                        "level_zero" => Adapter::LevelZero,
                        "cuda" => Adapter::Cuda,
                        other => return Err(format!("no rows for an adapter {other}").into()),
                    }
                }
                "--only" => options.only = Some(value()?),
                "--strict" => options.strict = true,
                "--native" => options.native = true,
                "--json" => options.json = true,
                "--list" => options.list = true,
                // What `cargo bench` gives every program.
                "--bench" => {}
                _ => return Err(format!("unknown option {word}\n\n{HELP}").into()),
            }
        }
        if options.native && options.adapter != Adapter::Cpu {
            return Err("--native is for --adapter cpu".into());
        }
        Ok(options)
    }

    /// Whether there is an option that chooses rows, or how they are printed.
    fn has_choices(&self) -> bool {
        !self.filters.is_empty() || self.json || self.list || self.only.is_some() || self.strict
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
    let (children, rows) = match options.adapter {
        Adapter::Cuda if options.has_choices() => {
            return Err("--adapter cuda has no rows to choose: of the options it takes --lib alone".into());
        }
        Adapter::Cuda => return cuda::run(&options.lib),
        Adapter::OpenCl => (children::rows(), rows::rows()),
        Adapter::Cpu if options.native => (Vec::new(), Vec::new()),
        Adapter::Cpu => (Vec::new(), cpu::rows()),
        Adapter::LevelZero => (Vec::new(), level_zero::rows()),
    };
    let kernels = match options.adapter {
        Adapter::Cpu => kernels::names(options.native),
        _ => Vec::new(),
    };
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
    if options.adapter == Adapter::LevelZero {
        // SAFETY: there is one thread yet.
        unsafe { environment.level_zero() }?;
    }
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
        let stacks = unsafe { Stacks::open(&environment, options.adapter) }?;
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
    let good =
        kernels.is_empty() || kernels::measure(&environment, &kernels, options.seconds, options.json, options.native)?;
    Ok(!options.strict || good && all.iter().all(|row| row.verdict != Some(report::Verdict::Fail)))
}

/// The three of them.
struct Stacks {
    below: Below,
    intel: Option<Rc<Ur>>,
    ours: Option<Rc<Ur>>,
}

/// The layer below.
enum Below {
    OpenCl(Rc<Raw>),
    LevelZero(Rc<RawLevelZero>),
}

impl Stacks {
    /// Opens all that are there, and says which are not.
    ///
    /// # Safety
    /// No other thread may use the environment.
    unsafe fn open(environment: &Environment, adapter: Adapter) -> Result<Self, Failure> {
        let loader = |loader: &Path, adapter: &Path| {
            // SAFETY: the caller's promise; loading an adapter starts no thread that uses the environment.
            let opened = unsafe { ur::open(loader, &[adapter]) };
            opened
                .inspect_err(|error| eprintln!("oxur-bench: without {}: {error}", loader.display()))
                .ok()
        };
        let our_adapter = environment.our_adapter(adapter.name());
        let stack = |name: &'static str, loader: Option<oxur_client::Loader>, code: &Code| {
            Ur::new(name, loader?, code)
                .map(Rc::new)
                .inspect_err(|error| eprintln!("oxur-bench: without {name}: {error}"))
                .ok()
        };
        if adapter == Adapter::LevelZero {
            let spirv = cpu::spirv()?;
            let raw = RawLevelZero::new(&spirv)?;
            let intel = loader(&environment.intel_newer, &environment.intel_level_zero_adapter());
            let ours = loader(&environment.ours, &our_adapter);
            let code = Code::Il(spirv);
            return Ok(Self {
                below: Below::LevelZero(Rc::new(raw)),
                intel: stack("Intel's stack", intel, &code),
                ours: stack("our stack", ours, &code),
            });
        }
        let library = environment.opencl()?;
        // Both before the driver is used, which has threads.
        let intel = loader(&environment.intel, &environment.intel_adapter());
        let ours = loader(&environment.ours, &our_adapter);
        let raw = Raw::new(library, include_str!("kernels.cl"))?;
        let binary = Code::Binary(raw.binary());
        let ours_code = match adapter {
            Adapter::Cpu => &Code::Il(cpu::spirv()?),
            _ => &binary,
        };
        Ok(Self {
            below: Below::OpenCl(Rc::new(raw)),
            intel: stack("Intel's stack", intel, &binary),
            ours: stack("our stack", ours, ours_code),
        })
    }

    /// What a row runs on each.
    fn subjects(&self, work: Work) -> [Option<Subject>; 3] {
        let on = |stack: &Option<Rc<Ur>>, work| stack.as_ref().and_then(|stack| rows::subject(stack, work));
        if matches!(work, Work::Threads(crew) if crew.shared == Shared::Kernel) {
            return [None, None, on(&self.ours, work)];
        }
        let below = match (&self.below, work) {
            (Below::OpenCl(_), Work::Replay(_, count)) => on(&self.ours, Work::Launches(count)),
            (Below::OpenCl(raw), work) => rows::subject(raw, work),
            (Below::LevelZero(raw), work) => rows::subject(raw, work),
        };
        [below, on(&self.intel, work), on(&self.ours, work)]
    }
}
