// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! As `spirv`, and what is lowered is made into work-groups: what LLVM's verifier accepted before it must accept after.

#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use oxur_compiler::fuzzing;
use oxur_compiler_fuzz::spirv;

fuzz_target!(|bytes: &[u8]| fuzzing::front_end(bytes, true));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| { spirv::mutate(data, size, max_size, seed) });
