// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! An object file is loaded, but not run.

#![no_main]

use libfuzzer_sys::fuzz_target;
use oxur_compiler::fuzzing;

fuzz_target!(|bytes: &[u8]| fuzzing::object(bytes));
