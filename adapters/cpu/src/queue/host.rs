// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Commands that do no device work: host tasks, freeing USM, and signalling events that processes share.

use std::ffi::c_void;
use std::ops::Range;
use std::sync::Arc;

use kit::{HostTask, UsmAlloc};
use oxur_adapter_kit as kit;
use oxur_compiler::{Fault, ThreadContext};
use oxur_device_cpu::exec::{Execution, Failure, Work};

use crate::Context;
use crate::ipc::Signalling;

/// Calls the client's function, once per run of the command.
pub(super) struct HostTaskWork(pub(super) HostTask);

impl Work for HostTaskWork {
    fn execution(&self) -> Execution {
        Execution::Host
    }

    fn describe(&self) -> String {
        "a host task".to_owned()
    }

    fn run(&self, _chunks: Range<u64>, _worker: &mut ThreadContext) -> Result<(), Fault> {
        self.0.call();
        Ok(())
    }
}

/// Frees USM. Returns whether it succeeded.
pub(super) fn free(context: &Arc<Context>, memory: *mut c_void) -> bool {
    let freed = context.usm_free(memory);
    if let Err(error) = &freed {
        log::error!("an enqueued free of USM failed, so the memory is leaked: {error}");
    }
    freed.is_ok()
}

/// Frees USM as a task.
pub(super) struct FreeWork {
    pub(super) context: Arc<Context>,
    pub(super) memory: usize,
}

impl Work for FreeWork {
    fn cost(&self, _chunks: u64) -> Option<u64> {
        Some(0)
    }

    fn run(&self, _chunks: Range<u64>, _worker: &mut ThreadContext) -> Result<(), Fault> {
        // The result is ignored: `free` logs a failure, and `Fault` has no variant for it.
        free(&self.context, self.memory as *mut c_void);
        Ok(())
    }
}

/// Signals an event that processes share, when the command ends.
pub(super) struct SignalWork(pub(super) Signalling);

impl Work for SignalWork {
    fn chunks(&self) -> u64 {
        0
    }

    fn run(&self, _chunks: Range<u64>, _worker: &mut ThreadContext) -> Result<(), Fault> {
        Ok(())
    }

    fn over(&mut self, result: Result<(), &Failure>) {
        self.0.end(result.is_err());
    }
}
