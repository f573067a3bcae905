// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The execution engine: commands, what they wait for, and the threads that run them. It knows nothing of UR.
//!
//! | file | what |
//! |---|---|
//! | [`task`] | a command: work in pieces, what must be over before, who waits for it, how it ended |
//! | [`plan`] | commands that are put together beforehand and run again and again |
//! | [`chunks`] | who runs which pieces of a command |
//! | [`pool`] | the threads of a set of CPUs, which run commands; a thread that waits helps them |
//! | [`idle`] | which of these threads look for work and which sleep |
//! | [`client`] | threads for functions of the client's, which may block as long as they like |
//! | [`calls`] | the client's functions that want to know how far a command is |
//! | [`cost`] | what the last runs of a kernel took, so that a short one need not leave the calling thread |
//! | [`futex`], [`fork`], [`clock`] | the system: sleeping, a process that forks, time |
//!
//! A command that was submitted is a [`Task`]. It counts what it waits for; when the count is down, its pieces go to the
//! threads of its pool. The thread that finishes the last piece ends the task: it drops the work, wakes who waits, and
//! goes on with what is ready by that. Nothing is allocated and no lock is taken between the moment that a task is ready
//! and its end, but for the one around the list of those that wait for it. No lock is held while work or client code
//! runs.
//!
//! A task is one kind of [`Job`](pool::Job), a run of a plan is another.
//!
//! Most commands never get here: a short command whose queue is idle runs in the thread that submits it. See
//! [`here`].

mod calls;
mod chunks;
pub(crate) mod client;
pub(crate) mod clock;
mod cost;
mod fork;
pub(crate) mod futex;
mod idle;
pub(crate) mod plan;
pub(crate) mod pool;
pub(crate) mod task;

use std::cell::RefCell;

use oxur_compiler::ThreadContext;

pub(crate) use self::cost::Cost;
use self::cost::Draws;
pub(crate) use self::fork::generation;
pub(crate) use self::idle::Backoff;
pub(crate) use self::pool::Pool;
pub(crate) use self::task::{Execution, Failure, Node, Progress, Stamps, Task, Work, submit};

thread_local! {
    /// What this thread, which is the client's, runs kernels with.
    static OWN: Own = Own {
        worker: RefCell::new(ThreadContext::new()),
        draws: Draws::default(),
    };
}

struct Own {
    worker: RefCell<ThreadContext>,
    draws: Draws,
}

/// Runs something that needs a [`ThreadContext`] in a thread of the client's.
#[inline]
pub(crate) fn here<R>(run: impl FnOnce(&mut ThreadContext) -> R) -> R {
    measured_here(|worker, _| run(worker))
}

/// The same for something short, which `run` should measure where it is told to.
#[inline]
pub(crate) fn measured_here<R>(run: impl FnOnce(&mut ThreadContext, bool) -> R) -> R {
    let mut run = Some(run);
    let mut go = |worker: &mut ThreadContext, due: bool| (run.take().expect("called once"))(worker, due);
    let done = OWN.try_with(|own| {
        let mut worker = own.worker.try_borrow_mut().ok()?;
        Some(go(&mut worker, own.draws.is_due()))
    });
    match done {
        Ok(Some(result)) => result,
        // The thread is ending and has lost its own, or is in the middle of a kernel.
        _ => go(&mut ThreadContext::new(), false),
    }
}

#[cfg(test)]
mod tests;
