// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kernels that are too large to be vectorized.
//!
//! The time that vector code takes to compile grows faster than a kernel, that of scalar code about as fast. On a Xeon, for kernels of
//! Blender's Cycles:
//!
//! | kernel | instructions | vector code | scalar code |
//! |---|---|---|---|
//! | `intersect_closest` | 12,700 | 3.8 s | 0.8 s |
//! | `shader_eval_background` | 129,000 | 45 s | 3.6 s |
//! | `shade_background` | 283,000 | more than 200 s | 3.7 s |

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::intrinsics::{DEVICE_BARRIER, GroupCollective};
use crate::llvm::{Function, Module};

/// The most instructions of a kernel that is vectorized, once all that it calls is inlined. What is called twice counts twice. The largest
/// of dpnp, oneMKL, oneDAL, oneCCL, JAX and llama.cpp has half as many before it is simplified.
const MOST_INSTRUCTIONS: usize = 50_000;

/// The same before variables became values, which leaves a tenth to three quarters.
const MOST_BEFORE: u64 = 10 * MOST_INSTRUCTIONS as u64;

/// Refuses a kernel that calls would make too large, before they are inlined: its size may be exponential in their depth.
pub fn check_calls(kernel: Function<'_>) -> Result<(), String> {
    match size_with_calls(kernel) {
        0..=MOST_BEFORE => Ok(()),
        size => Err(reason(size)),
    }
}

/// Refuses a kernel that is too large, once calls are inlined and variables are values. One whose items wait for each other is not
/// refused: each of its items would have a stack, and quick code is better than that.
pub fn check(module: &Module<'_>) -> Result<(), String> {
    let functions = module.functions();
    let size: usize = functions.iter().copied().map(own_size).sum();
    let waits = |name: &str| name == DEVICE_BARRIER || GroupCollective::from_name(name).is_some();
    if size > MOST_INSTRUCTIONS && !functions.iter().any(|function| waits(&function.name())) {
        return Err(reason(size as u64));
    }
    Ok(())
}

fn reason(size: u64) -> String {
    format!("with all that it calls it has {size} instructions, which would take too long to compile as vectors")
}

fn own_size(function: Function<'_>) -> usize {
    function
        .blocks()
        .into_iter()
        .map(|block| block.instructions().len())
        .sum()
}

/// How many instructions a function has with all that it calls. A call that leads back to a function that is looked at counts as one.
fn size_with_calls(kernel: Function<'_>) -> u64 {
    let mut sizes = HashMap::from([(kernel, 1)]);
    // Functions, each with the calls that are left, and its size so far.
    let mut callers = vec![(kernel, callees(kernel), own_size(kernel) as u64)];
    loop {
        let Some((function, calls, size)) = callers.last_mut() else {
            return sizes[&kernel];
        };
        match calls.pop() {
            Some(callee) => match sizes.entry(callee) {
                Entry::Occupied(known) => *size = size.saturating_add(*known.get()),
                Entry::Vacant(place) => {
                    place.insert(1);
                    // It comes again when its size is known.
                    calls.push(callee);
                    callers.push((callee, callees(callee), own_size(callee) as u64));
                }
            },
            None => {
                sizes.insert(*function, *size);
                callers.pop();
            }
        }
    }
}

/// The functions that a function calls, one for each call.
fn callees<'c>(function: Function<'c>) -> Vec<Function<'c>> {
    let instructions = function.blocks().into_iter().flat_map(|block| block.instructions());
    let callees = instructions.filter_map(|instruction| instruction.callee());
    callees.filter(|callee| !callee.is_declaration()).collect()
}
