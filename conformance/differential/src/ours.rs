// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kernels on our compiler.

use std::sync::Arc;

use oxur_compiler::{Kernel, Launch, Mode, Module, NdRange, Options, Part, Program, ThreadContext, Tier};

use crate::launch::Argument;
use crate::range::Range;

/// What kernels are compiled to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// That of the scalar mode.
    Scalar,
    /// The best of the fast mode.
    Fast,
    /// The quick code of the fast mode.
    Quick,
}

/// A program of modules, to be compiled to such code.
pub fn link(modules: &[Arc<Module>], code: Code) -> Result<Arc<Program>, String> {
    let (mode, tier) = match code {
        Code::Scalar => (Mode::Scalar, Tier::Best),
        Code::Fast => (Mode::Fast, Tier::Best),
        Code::Quick => (Mode::Fast, Tier::Quick),
    };
    let options = Options {
        mode,
        tier,
        ..Options::default()
    };
    let parts: Vec<Part> = modules.iter().cloned().map(Part::new).collect();
    Program::link(&parts, &options).map_err(|e| e.to_string())
}

/// A kernel of a program.
pub fn kernel(program: &Arc<Program>, name: &str) -> Result<Arc<Kernel>, String> {
    program.kernel(name).map_err(|e| e.to_string())
}

/// Arguments at an address as aligned as they may need.
#[repr(align(128))]
struct Block([u8; 4096]);

/// Runs it.
pub fn run(kernel: &Kernel, range: &Range, arguments: &mut [Argument<'_>]) -> Result<(), String> {
    let info = kernel.info();
    if info.params.len() != arguments.len() {
        return Err(format!("it has {} parameters", info.params.len()));
    }
    let mut block = Box::new(Block([0; 4096]));
    let mut put = |index: usize, value: &[u8]| {
        let param = &info.params[index];
        assert_eq!(param.size, value.len(), "the size of parameter {index}");
        block.0[param.offset..param.offset + value.len()].copy_from_slice(value);
    };
    let mut local = Vec::new();
    for (i, argument) in arguments.iter_mut().enumerate() {
        match argument {
            Argument::Memory(words) => put(i, &(words.as_mut_ptr() as u64).to_ne_bytes()),
            Argument::Null => put(i, &[0; 8]),
            Argument::Value(bytes) => put(i, bytes),
            Argument::Local(size) => local.push((i, *size)),
        }
    }
    let mut places = local.iter().map(|&(i, _)| i);
    let local_memory = info.place_local(local.iter().map(|&(_, size)| size), |offset| {
        put(places.next().expect("a place for each"), &offset.to_ne_bytes());
    });
    let wide = |sizes: [usize; 3]| sizes.map(|n| n as u64);
    let range = NdRange {
        dimensions: range.dimensions as u64,
        global_offset: wide(range.offset),
        global_size: wide(range.global()),
        local_size: wide(range.local),
    };
    let launch = Launch {
        args: &block.0[..info.args_size],
        range: kernel.prepare(range).map_err(|e| e.to_string())?,
        local_memory: local_memory.ok_or("too much local memory")?,
    };
    // SAFETY: the arguments are what the kernel's parameters want, and it writes within their memory.
    unsafe { kernel.run(&launch, 0..range.group_count(), &mut ThreadContext::new()) }.map_err(|e| e.to_string())
}
