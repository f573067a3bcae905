// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What a queue does in its turn besides work on the device: calls of the client's functions, freeing memory, and telling
//! other processes how far it is.

use std::ffi::c_void;
use std::ops::Range;
use std::sync::Arc;

use kit::{HostTask, UsmAlloc};
use oxur_adapter_kit as kit;
use oxur_compiler::{Fault, ThreadContext};

use crate::Context;
use crate::exec::{Execution, Failure, Work};
use crate::ipc::Signalling;

/// Calls a function of the client's, once in each run.
pub(super) struct Calls(pub(super) HostTask);

impl Work for Calls {
    fn execution(&self) -> Execution {
        Execution::Host
    }

    fn what(&self) -> String {
        "a host task".to_owned()
    }

    fn run(&self, _pieces: Range<u64>, _worker: &mut ThreadContext) -> Result<(), Fault> {
        self.0.call();
        Ok(())
    }
}

/// Frees USM. Says whether that went well.
pub(super) fn free(context: &Arc<Context>, memory: *mut c_void) -> bool {
    let freed = context.usm_free(memory);
    if let Err(error) = &freed {
        log::error!("USM that was to be freed in the order of a queue is not: {error}");
    }
    freed.is_ok()
}

/// Frees USM, later.
pub(super) struct Frees {
    pub(super) context: Arc<Context>,
    pub(super) memory: usize,
}

impl Work for Frees {
    fn cost(&self, _pieces: u64) -> Option<u64> {
        Some(0)
    }

    fn run(&self, _pieces: Range<u64>, _worker: &mut ThreadContext) -> Result<(), Fault> {
        // There is nobody else to tell if it fails.
        free(&self.context, self.memory as *mut c_void);
        Ok(())
    }
}

/// Does nothing but signal an event that processes share, when it is over.
pub(super) struct Signals(pub(super) Signalling);

impl Work for Signals {
    fn chunks(&self) -> u64 {
        0
    }

    fn run(&self, _pieces: Range<u64>, _worker: &mut ThreadContext) -> Result<(), Fault> {
        Ok(())
    }

    fn over(&mut self, result: Result<(), &Failure>) {
        self.0.end(result.is_err());
    }
}
