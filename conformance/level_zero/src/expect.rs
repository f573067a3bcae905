// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Assertions about result codes, and deviations from the specification as data beside them.

use level_zero_sys::ze_result_t;
use oxur_conformance_support::{Ending, in_child};

use crate::{Stack, stack};

/// What Intel's stack is known to do otherwise, and why.
#[derive(Clone, Copy, Debug)]
pub enum Known {
    /// It gives one of these codes.
    Codes(&'static [ze_result_t], &'static str),
    /// It crashes or never returns.
    Crash(&'static str),
}

/// Asserts that a call gives one of the `expected` codes; or, on Intel's stack, does what is `known` of it. A deviation
/// that has gone is a failure too: its entry is to be removed.
#[track_caller]
pub fn expect_code(what: &str, call: impl FnOnce() -> ze_result_t, expected: &[ze_result_t], known: Option<Known>) {
    match known.filter(|_| stack() == Stack::Intel) {
        Some(Known::Codes(codes, reason)) => {
            let got = call();
            assert!(
                codes.contains(&got),
                "{what}\n gave {got}, known for {codes:?} because: {reason}"
            );
            println!("known deviation: {what} gives {got} and not {expected:?}: {reason}");
        }
        Some(Known::Crash(reason)) => {
            let ending = in_child(|| {
                call();
                0
            });
            assert!(
                matches!(ending, Ending::Killed(_)),
                "{what}\n: {ending:?}, known to crash because: {reason}"
            );
            println!("known deviation: {what}: {ending:?} and not {expected:?}: {reason}");
        }
        None => {
            let got = call();
            assert!(expected.contains(&got), "{what}\n gave {got}, not {expected:?}");
        }
    }
}
