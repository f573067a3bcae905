// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kernels on our compiler.

use std::sync::Arc;

use oxur_compiler::{Kernel, Launch, Mode, Module, NdRange, Options, ParamKind, Part, Program, Worker};

use crate::data::{Buffer, Data};
use crate::range::Range;

/// The kernel `k` of a module, compiled in a mode.
pub fn compile(module: &Arc<Module>, mode: Mode) -> Result<Arc<Kernel>, String> {
    let options = Options {
        mode,
        ..Options::default()
    };
    let program = Program::link(&[Part::new(module.clone())], &options).map_err(|e| e.to_string())?;
    program.kernel("k").map_err(|e| e.to_string())
}

/// Arguments at an address as aligned as they may need.
#[repr(align(128))]
struct Block([u8; 4096]);

/// Runs it.
pub fn run(kernel: &Kernel, range: &Range, data: &mut Data) -> Result<(), String> {
    let info = kernel.info();
    let mut block = Box::new(Block([0; 4096]));
    let mut put = |index: usize, value: &[u8]| {
        let param = &info.params[index];
        assert!(
            param.kind != ParamKind::Local && param.size == value.len(),
            "the parameters of every kernel"
        );
        block.0[param.offset..param.offset + value.len()].copy_from_slice(value);
    };
    for (i, buffer) in data.buffers.iter_mut().enumerate() {
        put(i, &(buffer.as_mut_ptr() as u64).to_ne_bytes());
    }
    put(Buffer::ALL.len(), &data.args);
    put(Buffer::ALL.len() + 1, &data.n.to_ne_bytes());
    let wide = |sizes: [usize; 3]| sizes.map(|n| n as u64);
    let range = NdRange {
        dimensions: range.dimensions as u64,
        global_offset: wide(range.offset),
        global_size: wide(range.global()),
        local_size: wide(range.local),
    };
    let launch = Launch {
        args: &block.0[..info.args_size],
        range,
        local_memory: info.local_memory,
    };
    // SAFETY: the kernel has the parameters of all kernels here, and writes within these buffers.
    unsafe { kernel.run(&launch, 0..range.group_count(), &mut Worker::new()) }.map_err(|e| e.to_string())
}
