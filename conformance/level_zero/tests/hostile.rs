// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Calls in any order, with handles of all kinds, destroyed ones among them: an error is a good answer, a crash is
//! none. The fuzz target of our driver has the calls; here random bytes say which they are.

use std::io::Write;

use oxur_conformance_level_zero::{Rig, Stack, loader_is_old, spirv, stack, sys, ze};
use oxur_conformance_support::random::{Random, number};

use crate::random::count;

#[path = "../../../drivers/level_zero/fuzz/calls.rs"]
mod calls;

#[test]
fn random_calls() {
    // Loaders before graphs do not know all of the calls, and Intel's driver does not look at handles.
    if stack() == Stack::Intel || loader_is_old() {
        println!("not run: calls that only our driver and a new loader take");
        return;
    }
    let (rig, module) = (Rig::new(), spirv("basic"));
    let seeds = match number("OXUR_ZE_GRAPH_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..10 * count(),
    };
    for seed in seeds {
        let mut random = Random(seed);
        let length = 50 + random.below(256) * 8;
        let bytes: Vec<u8> = (0..length).map(|_| random.bits() as u8).collect();
        // A crash leaves it behind.
        print!("seed {seed} ");
        _ = std::io::stdout().flush();
        calls::run(&bytes, rig.driver, rig.device, &module);
    }
}
