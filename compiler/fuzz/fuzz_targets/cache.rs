// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A file of the cache is opened: what it gives is what was put in, or nothing.

#![no_main]

use libfuzzer_sys::fuzz_target;
use oxur_compiler::fuzzing;

fuzz_target!(|bytes: &[u8]| fuzzing::cache_entry(bytes));
