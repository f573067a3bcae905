// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kernels that are compiled and run, in both modes, against results that the tests compute themselves; and against the
//! interpreter, if ranges are small. What runs in the fast mode runs in both tiers, which must leave the same bits.

#[path = "../support/mod.rs"]
mod support;

mod atomics;
mod blocking;
mod bounds;
mod butterflies;
mod by_value;
mod clock;
mod coherent;
mod collectives;
mod convergence;
mod divergence;
mod division;
mod extensions;
mod fast_math;
mod forgetting;
mod functions;
mod gather;
mod guards;
mod halfs;
mod if_conversion;
mod images;
mod in_flight;
mod launched_groups;
mod levels;
mod local_stores;
mod lockstep;
mod masks;
mod narrow;
mod oracle;
mod prefetches;
mod private;
mod rare;
mod rounding;
mod shapes;
mod small_vectors;
mod squares;
mod storage_classes;
mod streams;
mod strided;
mod sub_groups;
mod tile;
mod unsigned_indices;
mod waiting;
mod whole_group;

use std::sync::Arc;

use std::error::Error;

use oxur_compiler::{Kernel, Launch, Mode, Module, NdRange, Options, Part, Program, ThreadContext, Tier};

/// Both modes.
const MODES: [Mode; 2] = [Mode::Scalar, Mode::Fast];

/// A kernel, and its module in the interpreter.
struct Tested {
    kernel: Arc<Kernel>,
    /// Its quick code, beside the best code.
    quick: Option<Arc<Kernel>>,
    oracle: Option<oxur_interpreter::Module>,
}

impl std::ops::Deref for Tested {
    type Target = Kernel;

    fn deref(&self) -> &Kernel {
        &self.kernel
    }
}

/// What a kernel needs that asks for its items' places in the range, `%global_id`.
const GLOBAL_ID: &str = "
        OpEntryPoint Kernel %kernel \"k\" %global_id
        OpDecorate %global_id BuiltIn GlobalInvocationId
        %input_long3 = OpTypePointer Input %long3
        %global_id = OpVariable %input_long3 Input
        ";

/// A kernel of SPIR-V's text with what the prelude has; the kernel's name is `k`.
fn compile(text: &str, options: &Options) -> Tested {
    let words = support::assemble(&support::whole(text), "1.4").unwrap_or_else(|error| panic!("{error}\n{text}"));
    let build = |options: &Options| {
        let module = Module::parse(&words).unwrap();
        let program = Program::link(&[Part::new(module)], options).unwrap();
        program.kernel("k").unwrap_or_else(|error| panic!("{error}\n{text}"))
    };
    let kernel = build(options);
    // Options for floating-point arithmetic allow other results, and so does contraction; nobody knows the sign of a NaN.
    let is_arithmetic = ["OpFMul", "OpFSub"].iter().any(|op| text.contains(op));
    let has_images = text.contains("OpTypeImage");
    let has_oracle = options.fast_math == Options::default().fast_math && !is_arithmetic && !has_images;
    let oracle = has_oracle.then(|| oxur_interpreter::Module::parse(&words, &[]).unwrap());
    // In the best code alone, LLVM reassociates where options permit it.
    let is_alike = options.fast_math == Options::default().fast_math;
    let has_quick = options.mode == Mode::Fast && is_alike;
    let quick = has_quick.then(|| {
        build(&Options {
            tier: Tier::Quick,
            ..options.clone()
        })
    });
    Tested { kernel, quick, oracle }
}

/// In a mode, with no other option.
fn compile_in(mode: Mode, text: &str) -> Tested {
    compile(
        text,
        &Options {
            mode,
            ..Options::default()
        },
    )
}

/// Groups of a size, from id 0.
fn range(groups: [u64; 3], local_size: [u64; 3]) -> NdRange {
    NdRange {
        dimensions: 3,
        global_offset: [0; 3],
        global_size: std::array::from_fn(|d| groups[d] * local_size[d]),
        local_size,
    }
}

/// The bytes of words.
fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

/// The words that memory holds.
fn words(memory: &[u8]) -> Vec<u32> {
    memory
        .chunks(4)
        .map(|bytes| u32::from_ne_bytes(bytes.try_into().unwrap()))
        .collect()
}

/// An argument of a kernel.
enum Argument<'a> {
    /// The address of memory.
    Memory(&'a mut [u8]),
    /// The low bytes of a number, as many as the parameter has.
    Value(u64),
    /// A structure that is passed by value.
    Bytes(&'a [u8]),
}

/// Runs all groups of a range.
fn run(kernel: &Tested, range: NdRange, arguments: &mut [Argument<'_>]) -> Result<(), Box<dyn Error>> {
    run_with(&mut ThreadContext::new(), kernel, range, arguments)
}

/// The same by a thread that ran others before.
fn run_with(
    worker: &mut ThreadContext,
    kernel: &Tested,
    range: NdRange,
    arguments: &mut [Argument<'_>],
) -> Result<(), Box<dyn Error>> {
    let before = oracle::copy(kernel, &range, arguments);
    let Some(quick) = &kernel.quick else {
        launch(worker, kernel, range, arguments)?;
        if let Some(before) = before {
            oracle::compare(before, kernel, &range, arguments);
        }
        return Ok(());
    };
    let mut copies: Vec<Vec<Line>> = arguments.iter().map(Line::copies).collect();
    let mut again: Vec<Vec<Line>> = copies.clone();
    let by_quick = launch(worker, quick, range, &mut Line::arguments(arguments, &mut copies));
    launch(worker, kernel, range, arguments)?;
    by_quick?;
    // The second launch of a size of groups may have code for it.
    launch(worker, kernel, range, &mut Line::arguments(arguments, &mut again))?;
    for (i, argument) in arguments.iter().enumerate() {
        if let Argument::Memory(best) = argument {
            let of = |copies: &mut [Vec<Line>]| Line::bytes(&mut copies[i], best.len()).to_vec();
            assert!(**best == of(&mut copies), "the tiers differ in argument {i}");
            assert!(**best == of(&mut again), "the second launch differs in argument {i}");
        }
    }
    if let Some(before) = before {
        oracle::compare(before, kernel, &range, arguments);
    }
    Ok(())
}

/// Memory as aligned as a kernel may expect.
#[repr(align(128))]
#[derive(Clone, Copy)]
struct Line(#[allow(dead_code, reason = "reached by pointers")] [u8; 128]);

impl Line {
    /// The same arguments, with copies of their memory.
    fn arguments<'a>(arguments: &'a [Argument<'_>], copies: &'a mut [Vec<Self>]) -> Vec<Argument<'a>> {
        let all = arguments.iter().zip(copies);
        all.map(|(argument, copy)| match argument {
            Argument::Memory(bytes) => Argument::Memory(Self::bytes(copy, bytes.len())),
            Argument::Value(value) => Argument::Value(*value),
            Argument::Bytes(bytes) => Argument::Bytes(bytes),
        })
        .collect()
    }

    fn copies(argument: &Argument<'_>) -> Vec<Self> {
        let Argument::Memory(bytes) = argument else {
            return Vec::new();
        };
        let mut lines = vec![Self([0; 128]); bytes.len().div_ceil(128)];
        Self::bytes(&mut lines, bytes.len()).copy_from_slice(bytes);
        lines
    }

    fn bytes(lines: &mut [Self], size: usize) -> &mut [u8] {
        // SAFETY: lines are bytes.
        unsafe { std::slice::from_raw_parts_mut(lines.as_mut_ptr().cast(), size) }
    }
}

/// Runs one kernel.
fn launch(
    worker: &mut ThreadContext,
    kernel: &Kernel,
    range: NdRange,
    arguments: &mut [Argument<'_>],
) -> Result<(), Box<dyn Error>> {
    let info = kernel.info();
    assert_eq!(info.params.len(), arguments.len());
    // Nothing is behind the block that a kernel may read.
    let mut args = vec![0; info.args_size];
    for (param, argument) in info.params.iter().zip(arguments.iter_mut()) {
        let bytes = match argument {
            Argument::Memory(bytes) => &(bytes.as_mut_ptr() as u64).to_ne_bytes(),
            Argument::Value(value) => &value.to_ne_bytes()[..param.size],
            Argument::Bytes(bytes) => *bytes,
        };
        args[param.offset..param.offset + param.size].copy_from_slice(bytes);
    }
    let launch = Launch {
        args: &args,
        range: kernel.prepare(range)?,
        local_memory: info.local_memory,
    };
    // SAFETY: the arguments are what the parameters want; the tests' kernels stay within their memory.
    unsafe {
        if info.has_device_barrier {
            kernel.run(&launch, 0..range.group_count(), worker)?;
        } else {
            // As threads share them: parts begin and end within rows of groups.
            let middle = range.group_count() / 3;
            kernel.run(&launch, 0..middle, worker)?;
            kernel.run(&launch, middle..range.group_count(), worker)?;
        }
    }
    Ok(())
}
