// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kernels that are compiled and run, in both modes, against results that the tests compute themselves; and against the
//! interpreter, if ranges are small.

#[path = "../support/mod.rs"]
mod support;

mod collectives;
mod fast_math;
mod masks;
mod oracle;

use std::sync::Arc;

use std::error::Error;

use oxur_compiler::{Kernel, Launch, Mode, Module, NdRange, Options, Part, Program, ThreadContext};

/// Both modes.
const MODES: [Mode; 2] = [Mode::Scalar, Mode::Fast];

/// A kernel, and its module in the interpreter.
struct Tested {
    kernel: Arc<Kernel>,
    oracle: Option<oxur_interpreter::Module>,
}

impl std::ops::Deref for Tested {
    type Target = Kernel;

    fn deref(&self) -> &Kernel {
        &self.kernel
    }
}

/// A kernel of SPIR-V's text with what the prelude has; the kernel's name is `k`.
fn compile(text: &str, options: &Options) -> Tested {
    let words = support::assemble(&support::whole(text), "1.4").unwrap_or_else(|error| panic!("{error}\n{text}"));
    let module = Module::parse(&words).unwrap();
    let program = Program::link(&[Part::new(module)], options).unwrap();
    let kernel = program.kernel("k").unwrap_or_else(|error| panic!("{error}\n{text}"));
    // Options for floating-point arithmetic allow other results, and so does contraction; nobody knows the sign of a NaN.
    let is_arithmetic = ["OpFMul", "OpFSub"].iter().any(|op| text.contains(op));
    let has_oracle = options.fast_math == Options::default().fast_math && !is_arithmetic;
    let oracle = has_oracle.then(|| oxur_interpreter::Module::parse(&words, &[]).unwrap());
    Tested { kernel, oracle }
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

/// An argument of a kernel.
enum Argument<'a> {
    /// The address of memory.
    Memory(&'a mut [u8]),
    /// The low bytes of a number, as many as the parameter has.
    Value(u64),
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
    let info = kernel.info();
    assert_eq!(info.params.len(), arguments.len());
    let mut block = vec![0; info.args_size.div_ceil(8)];
    for (param, argument) in info.params.iter().zip(arguments.iter_mut()) {
        let value = match argument {
            Argument::Memory(bytes) => bytes.as_mut_ptr() as u64,
            Argument::Value(value) => *value,
        };
        let (at, shift) = (param.offset / 8, param.offset % 8 * 8);
        assert!(param.size <= 8 && info.args_align <= 8);
        let low = u64::MAX >> (64 - 8 * param.size);
        block[at] |= (value & low) << shift;
    }
    let args: Vec<u8> = block.iter().flat_map(|word: &u64| word.to_ne_bytes()).collect();
    let launch = Launch {
        args: &args,
        range: kernel.prepare(range)?,
        local_memory: info.local_memory,
    };
    // SAFETY: the arguments are what the parameters want; the tests' kernels stay within their memory.
    unsafe { kernel.run(&launch, 0..range.group_count(), worker) }?;
    if let Some(before) = before {
        oracle::compare(before, kernel, &range, arguments);
    }
    Ok(())
}
