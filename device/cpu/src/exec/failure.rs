// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Why a command failed.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use oxur_compiler::Fault;

/// Why a command failed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Failure {
    /// The kernel faulted.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// A bug of this library.
    #[error("internal error, please report it: {0}")]
    Panic(String),
    /// A step of a plan failed: the command of the step, and its failure.
    #[error("{0}: {1}")]
    Step(String, Box<Failure>),
    /// No thread could be started to run the command.
    #[error("no thread can be started")]
    NoThread,
    /// A dependency failed.
    #[error("a dependency failed")]
    Dependency,
}

/// Calls `run`. A panic becomes a failure of the command.
pub(super) fn guarded(run: impl FnOnce() -> Result<(), Fault>) -> Result<(), Failure> {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(result) => Ok(result?),
        Err(panic) => Err(Failure::Panic(panic_message(&*panic))),
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let message = panic.downcast_ref::<&str>().copied();
    message
        .or_else(|| panic.downcast_ref::<String>().map(|s| &**s))
        .unwrap_or("panic")
        .to_owned()
}
