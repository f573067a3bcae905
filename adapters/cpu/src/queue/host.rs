// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Commands that do no device work: host tasks, and signalling events that processes share.

use std::ops::Range;

use kit::HostTask;
use oxur_adapter_kit as kit;
use oxur_compiler::{Fault, ThreadContext};
use oxur_device_cpu::exec::{Execution, Failure, Work};

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
