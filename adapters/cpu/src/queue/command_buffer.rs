// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Command buffers and graphs: the work of their commands, and running them on a queue.

use std::cell::Cell;
use std::sync::Arc;

use kit::ur::CommandType;
use kit::{Command, UrResult};
use oxur_adapter_kit as kit;
use oxur_device_cpu::exec::plan::Plan;
use oxur_device_cpu::exec::{self, Failure, Pool, Work};
use oxur_device_cpu::order::{Empty, InlineGuard, Order};

use super::commands::{Action, action};
use super::memory::{owned_bytes, owned_copy_rows, owned_fill, owned_fill_rows};
use super::submit::Submission;
use super::{Out, Queue, Wait, host, launch};
use crate::{Cpu, Device};

/// The work of a command buffer's command, which was [checked](super::check).
pub(crate) fn work(command: &Command<'_, Cpu>, device: &Device, pool: &'static Pool) -> UrResult<Arc<dyn Work>> {
    if let Command::Launch(launch) = command {
        return launch::owned_launch(launch, device, pool);
    }
    Ok(match action(command, device)? {
        Action::Empty => Arc::new(Empty),
        Action::Copy(copy, owner) => owned_bytes(copy, owner),
        Action::CopyRows(copy, owner) => owned_copy_rows(copy, owner),
        Action::Fill(bytes, pattern, owner) => owned_fill(bytes, pattern, owner),
        Action::FillRows(rows, pattern) => owned_fill_rows(rows, pattern),
        Action::HostTask(task) => Arc::new(host::HostTaskWork(task)),
    })
}

impl Queue {
    /// Runs a plan. `order` is the order of the runs of its command buffer, which do not overlap.
    pub(crate) fn run_plan(
        self: &Arc<Self>,
        command: CommandType,
        plan: Plan,
        order: &Order,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        // A short plan is an inline command in the order of its buffer. That ends with the run, or below if the queue is
        // not idle, so that the run becomes a task.
        let guard = Cell::new(None);
        let inline = plan.is_shorter(self.pool.inline_limit()) && order.begin();
        if inline {
            guard.set(Some(InlineGuard(order)));
        }
        let submission = Submission {
            inline,
            ..Submission::of(command)
        };
        let run_inline = || {
            let _guard = guard.take();
            match exec::with_caller_context(|worker| plan.run_inline(worker)) {
                Ok(()) => true,
                Err((step, fault)) => {
                    let failure = Failure::Step(step, Box::new(fault.into()));
                    self.failures.add(&plan.describe(), &failure);
                    false
                }
            }
        };
        let make_work = || {
            drop(guard.take());
            plan.clone()
        };
        self.submit_in(submission, Some(order), wait, event, run_inline, make_work)
    }
}
