// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A module's kernels are compiled, all the way to code in memory. It shows what LLVM cannot take; slow.

#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use oxur_compiler::fuzzing;
use oxur_compiler_fuzz::spirv;

fuzz_target!(|bytes: &[u8]| fuzzing::compile(bytes));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| { spirv::mutate(data, size, max_size, seed) });
