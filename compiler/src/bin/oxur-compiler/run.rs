// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `oxur-compiler run`: runs a kernel, by its code or in the interpreter, and compares the two.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use oxur_compiler::passes::{self, Limit};
use oxur_compiler::{Kernel, KernelInfo, Options, ThreadContext};
use oxur_interpreter as interpreter;

use crate::launch::{Argument, Launch};
use crate::{link, read};

/// Results differ, and nothing else is wrong.
pub const DIFFERS: u8 = 3;

/// How to run.
#[derive(Args)]
pub struct How {
    /// Interpret it. Tells races, accesses out of bounds, undefined values and barriers that not all items come to.
    #[arg(long)]
    interpret: bool,
    /// Do both, and fail if the results differ: with status 3, where the interpreter finds nothing wrong with the kernel.
    /// Floating-point numbers may differ in their last digits.
    #[arg(long, conflicts_with = "interpret")]
    check: bool,
    /// How often the kernel runs, on fresh memory each time. The second launch of a size of groups may have code of its own.
    #[arg(long, default_value_t = 1, value_name = "COUNT")]
    launches: u32,
    /// Run only so many of the passes that code is right without, of ours and of LLVM's, and tell which.
    #[arg(long, value_name = "OURS,LLVM", value_parser = limit)]
    passes: Option<Limit>,
}

fn limit(text: &str) -> Result<Limit, String> {
    let (ours, llvm) = text.split_once(',').ok_or("two numbers, such as 12,340")?;
    let number = |text: &str| text.parse().map_err(|error| format!("{text}: {error}"));
    Ok(Limit {
        ours: number(ours)?,
        llvm: number(llvm)?,
    })
}

/// What memory holds after a launch, for each argument.
type Memory = Vec<Vec<u8>>;

pub fn main(launch: &Launch, how: &How, others: &[PathBuf], options: &Options) -> ExitCode {
    match run(launch, how, others, options) {
        Ok(None) => ExitCode::SUCCESS,
        Ok(Some(difference)) => {
            eprintln!("oxur-compiler: {difference}");
            ExitCode::from(DIFFERS)
        }
        Err(message) => {
            eprintln!("oxur-compiler: {message}");
            ExitCode::FAILURE
        }
    }
}

/// The first difference, if results are compared.
fn run(launch: &Launch, how: &How, others: &[PathBuf], options: &Options) -> Result<Option<String>, String> {
    if let Some(limit) = how.passes {
        passes::limit(limit);
    }
    let program = link(&launch.module, others, options)?.map_err(|error| error.to_string())?;
    let name = match &launch.kernel {
        Some(name) => name,
        None => &program.kernels().first().ok_or("the module has no kernels")?.name,
    };
    let info = program
        .kernel_info(name)
        .ok_or_else(|| format!("there is no kernel {name}"))?;
    launch.check(info)?;
    let names: Vec<&str> = info.params.iter().map(|param| param.name.as_str()).collect();
    if how.interpret {
        show(launch, &names, &interpret(launch, info, others)?);
        return Ok(None);
    }
    let expected = match how.check {
        true => Some(interpret(launch, info, others)?),
        false => None,
    };
    let kernel = program.kernel(name).map_err(|error| error.to_string())?;
    let mut found = Memory::new();
    for _ in 0..how.launches.max(1) {
        found = execute(launch, &kernel)?;
        if let Some(difference) = expected
            .as_ref()
            .and_then(|expected| difference(launch, &names, expected, &found))
        {
            return Ok(Some(difference));
        }
    }
    show(launch, &names, &found);
    Ok(None)
}

/// What to call an argument.
fn name_of(names: &[&str], index: usize) -> String {
    match names[index] {
        "" => index.to_string(),
        name => name.to_string(),
    }
}

fn show(launch: &Launch, names: &[&str], memory: &Memory) {
    for (index, (argument, bytes)) in launch.arguments.iter().zip(memory).enumerate() {
        if let Argument::Buffer { ty, .. } = argument {
            println!("{}: {}", name_of(names, index), ty.texts(bytes).join(" "));
        }
    }
}

fn difference(launch: &Launch, names: &[&str], expected: &Memory, found: &Memory) -> Option<String> {
    let all = launch.arguments.iter().zip(expected.iter().zip(found)).enumerate();
    all.filter_map(|(index, (argument, (expected, found)))| {
        let Argument::Buffer { ty, .. } = argument else {
            return None;
        };
        let pairs = || expected.chunks_exact(ty.size()).zip(found.chunks_exact(ty.size()));
        let differ = |(one, other): &(&[u8], &[u8])| !ty.agree([one, other]);
        let count = pairs().filter(differ).count();
        let (at, (one, other)) = pairs().enumerate().find(|(_, pair)| differ(pair))?;
        let [one, other] = [one, other].map(|number| ty.texts(number).concat());
        let name = name_of(names, index);
        Some(format!(
            "{name}[{at}] is {other}, in the interpreter {one}; {count} numbers differ"
        ))
    })
    .next()
}

/// Interprets a launch.
fn interpret(launch: &Launch, info: &KernelInfo, others: &[PathBuf]) -> Result<Memory, String> {
    if !others.is_empty() {
        return Err("the interpreter takes one module: link them before, as by spirv-link".into());
    }
    let text = |error: Box<interpreter::Fault>| format!("the interpreter: {error}");
    let module = interpreter::Module::parse(&read(&launch.module)?, &[]).map_err(text)?;
    let kernel = module.kernels().iter().find(|kernel| kernel.name == info.name);
    let kernel = kernel.ok_or_else(|| format!("there is no kernel {}", info.name))?;
    let mut memory = interpreter::Memory::new(&module).map_err(text)?;
    let mut arguments = Vec::new();
    for argument in &launch.arguments {
        arguments.push(match argument {
            Argument::Value(bytes) => interpreter::Argument::Value(bytes.clone()),
            Argument::Buffer { bytes, .. } => interpreter::Argument::Pointer(memory.allocate(bytes).map_err(text)?),
            Argument::Local(size) => interpreter::Argument::Local(*size),
            Argument::Null => interpreter::Argument::Pointer(0),
        });
    }
    let range = launch.range(info)?;
    let range = interpreter::NdRange {
        dimensions: range.dimensions as u32,
        global: range.global_size,
        local: range.local_size,
        offset: range.global_offset,
    };
    let options = interpreter::Options {
        sub_group_size: info.sub_group_size,
        ..interpreter::Options::default()
    };
    let report = interpreter::run(&module, kernel, range, &arguments, &mut memory, &options).map_err(text)?;
    eprint!("{}", report.printed);
    if let [first, more @ ..] = report.findings.as_slice() {
        more.iter().for_each(|finding| eprintln!("the interpreter: {finding}"));
        return Err(format!("the interpreter: {first}"));
    }
    let bytes = |argument: &interpreter::Argument| match argument {
        interpreter::Argument::Pointer(address) => memory.bytes(*address).map_or_else(Vec::new, |(b, _)| b.to_vec()),
        _ => Vec::new(),
    };
    Ok(arguments.iter().map(bytes).collect())
}

/// The largest alignment that kernels expect of memory.
const ALIGN: usize = 128;

/// Memory as aligned as a kernel may expect.
struct Aligned {
    bytes: Vec<u8>,
    start: usize,
    size: usize,
}

impl Aligned {
    fn new(given: &[u8]) -> Self {
        let bytes = vec![0; given.len() + ALIGN];
        let start = bytes.as_ptr().align_offset(ALIGN);
        let mut all = Self {
            bytes,
            start,
            size: given.len(),
        };
        all.memory().copy_from_slice(given);
        all
    }

    fn memory(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..][..self.size]
    }
}

/// Runs the code of a kernel on copies of its memory.
fn execute(launch: &Launch, kernel: &Arc<Kernel>) -> Result<Memory, String> {
    let info = kernel.info();
    let range = launch.range(info)?;
    let mut buffers: Vec<Aligned> = Vec::new();
    for argument in &launch.arguments {
        buffers.push(Aligned::new(match argument {
            Argument::Buffer { bytes, .. } => bytes,
            _ => &[],
        }));
    }
    let local = |argument: &Argument| match argument {
        Argument::Local(size) => Some(*size),
        _ => None,
    };
    let mut places = Vec::new();
    let sizes = launch.arguments.iter().filter_map(local);
    let local_memory = info.place_local(sizes, |place| places.push(place));
    let local_memory = local_memory.ok_or("local memory overflows")?;
    let mut places = places.into_iter();
    let mut args = vec![0; info.args_size];
    for ((param, argument), buffer) in info.params.iter().zip(&launch.arguments).zip(&mut buffers) {
        let bytes = match argument {
            Argument::Value(bytes) => bytes.clone(),
            Argument::Buffer { .. } => (buffer.memory().as_mut_ptr() as u64).to_ne_bytes().to_vec(),
            Argument::Local(_) => places.next().expect("one for each").to_ne_bytes().to_vec(),
            Argument::Null => vec![0; 8],
        };
        args[param.offset..][..param.size].copy_from_slice(&bytes);
    }
    let prepared = oxur_compiler::Launch {
        args: &args,
        range: kernel.prepare(range).map_err(|error| error.to_string())?,
        local_memory,
    };
    // SAFETY: the arguments are what the parameters want. Whoever names a kernel and its memory vouches that it stays inside; the
    // interpreter tells.
    unsafe { kernel.run(&prepared, 0..range.group_count(), &mut ThreadContext::new()) }
        .map_err(|fault| format!("the kernel failed: {fault}"))?;
    Ok(buffers.iter_mut().map(|buffer| buffer.memory().to_vec()).collect())
}
