// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Command buffers and graphs on a queue: the work of their commands, and a run of all.

use std::cell::Cell;
use std::sync::Arc;

use kit::ur::CommandType;
use kit::{Command, UrResult};
use oxur_adapter_kit as kit;

use super::commands::{Action, action};
use super::memory::{kept_bytes, kept_fill, kept_fill_rows, kept_rows};
use super::order::{Nothing, Order};
use super::submit::{How, Turn};
use super::{Out, Queue, Wait, host, launch};
use crate::exec::plan::Plan;
use crate::exec::{self, Failure, Pool, Work};
use crate::{Cpu, Device};

/// The work of a command of a command buffer, which was [checked](super::check).
pub(crate) fn work(command: &Command<'_, Cpu>, device: &Device, pool: &'static Pool) -> UrResult<Arc<dyn Work>> {
    if let Command::Launch(launch) = command {
        return launch::kept(launch, device, pool);
    }
    Ok(match action(command, device)? {
        Action::Nothing => Arc::new(Nothing),
        Action::Copy(copy, kept) => kept_bytes(copy, kept),
        Action::CopyRows(copy, kept) => kept_rows(copy, kept),
        Action::Fill(bytes, pattern, kept) => kept_fill(bytes, pattern, kept),
        Action::FillRows(rows, pattern) => kept_fill_rows(rows, pattern),
        Action::Call(task) => Arc::new(host::Calls(task)),
    })
}

impl Queue {
    /// Runs a plan, after all runs that have a place in `order`.
    pub(crate) fn run_plan(
        self: &Arc<Self>,
        command: CommandType,
        plan: Plan,
        order: &Order,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        // A turn in the order of the buffer, which ends when the run does, or when it turns out to run elsewhere.
        let turn = Cell::new(None);
        let here = plan.is_shorter(self.pool.short()) && order.begin();
        if here {
            turn.set(Some(Turn(order)));
        }
        let how = How {
            here,
            ..How::of(command)
        };
        let now = || {
            let _turn = turn.take();
            match exec::inline(|worker| plan.run_here(worker)) {
                Ok(()) => true,
                Err((what, fault)) => {
                    let failure = Failure::Step(what, Box::new(fault.into()));
                    self.failures.add(&plan.what(), &failure);
                    false
                }
            }
        };
        let later = || {
            drop(turn.take());
            plan.clone()
        };
        self.submit_in(how, Some(order), wait, event, now, later)
    }
}
