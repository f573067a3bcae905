// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A module is parsed and linked, and all of its kernels are lowered: an error is right, and anything else but success is
//! not.

#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use oxur_compiler::fuzzing;
use oxur_compiler_fuzz::spirv;

fuzz_target!(|bytes: &[u8]| fuzzing::front_end(bytes, false));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| { spirv::mutate(data, size, max_size, seed) });
