// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Quick code: what is done to a module for LLVM's fast instruction selector and register allocator.

mod searches;
mod variables;

use super::set_target;
use crate::Error;
use crate::llvm::{Machine, Module};

/// The passes that make instruction selection faster, because there is less to select. Loops need no single block that goes back: it
/// would be another one through which their variables go.
const SIMPLIFY: &str = "always-inline,globaldce,function(sroa<modify-cfg>,early-cse,simplifycfg<no-keep-loops>)";

/// Optimizes a module for as long as that makes the whole compilation shorter, or the code much faster.
pub fn simplify(machine: &Machine, module: &Module<'_>) -> Result<(), Error> {
    set_target(machine, module)?;
    machine.run_passes(module, SIMPLIFY, false).map_err(Error::Codegen)?;
    searches::branch(module);
    Ok(())
}

/// Makes variables of phis, and has the functions ready that were added since.
pub fn finish(machine: &Machine, module: &Module<'_>) -> Result<(), Error> {
    variables::replace_phis(module);
    set_target(machine, module)
}
