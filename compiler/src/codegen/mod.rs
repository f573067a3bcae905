// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! From LLVM IR to code in this process: an object file for this CPU, and a loader for it.
//!
//! We do not use LLVM's loader: ours loads an object from the cache in a few microseconds, and without LLVM. It
//! supports the relocations of LLVM's position-independent code for the host, and rejects others.

mod local_memory;
mod object_loader;
mod prefixes;
pub mod quick;
mod rare;
#[cfg(test)]
mod tests;

pub use object_loader::{Loaded, Object};

use crate::llvm::{Function, Machine, Module};
use crate::{Error, Options, passes};

/// Emits a finished module as an object file.
pub fn emit(machine: &Machine, module: &Module<'_>) -> Result<Vec<u8>, Error> {
    passes::optional(|| machine.emit(module, false)).map_err(Error::Codegen)
}

/// Optimizes a module. `is_wide` says that it was vectorized. `group` is its function, if that runs whole groups.
pub fn optimize(
    machine: &Machine,
    module: &Module<'_>,
    options: &Options,
    is_wide: bool,
    group: Option<Function<'_>>,
) -> Result<(), Error> {
    set_target(machine, module)?;
    for function in module.functions().into_iter().filter(|f| !f.is_declaration()) {
        // 512-bit registers lower the clock of some CPUs, so LLVM uses 256 bits where both are as good. Quick code does without:
        // LLVM builds a subtarget for each distinct set of attributes.
        function.text_attribute("prefer-vector-width", "256");
    }
    let pipeline = if options.no_optimization {
        "default<O1>"
    } else {
        "default<O2>"
    };
    let shortens = is_wide && passes::may_run("shorten masked accesses");
    let has_short_ways = is_wide && passes::may_run("short ways without what is rare");
    let group = group.filter(|_| passes::may_run("local memory as a variable"));
    passes::optional(|| machine.run_passes(module, pipeline, !is_wide)).map_err(Error::Codegen)?;
    if shortens {
        prefixes::shorten(module);
    }
    if let Some(group) = group {
        local_memory::make_variable(machine, module, group).map_err(Error::Codegen)?;
    }
    if has_short_ways {
        rare::shorten(module);
        debug_assert_eq!(module.verify(), Ok(()));
    }
    Ok(())
}

/// Prepares a module for a machine, and checks it.
fn set_target(machine: &Machine, module: &Module<'_>) -> Result<(), Error> {
    machine.set_target(module);
    for function in module.functions().into_iter().filter(|f| !f.is_declaration()) {
        // Large frames touch each page, so that a stack overflow hits the guard page.
        function.text_attribute("probe-stack", "inline-asm");
    }
    module.verify().map_err(Error::Codegen)
}
