// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The conformance suite of Level Zero. `src/lib.rs` says how to run it.

mod event;
