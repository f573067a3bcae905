// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The execution engine: commands, their dependencies, and the threads that run them. It does not depend on UR.
//!
//! | file | what |
//! |---|---|
//! | [`work`] | what a command does: the trait that kernels, copies and host tasks implement |
//! | [`node`] | the dependency graph: when a command begins, and what begins when it ends |
//! | [`gate`] | commands that wait for conditions, which are looked at when their turn comes |
//! | [`task`] | a submitted command: work and its node |
//! | [`plan`] | the commands of a command buffer, which are assembled once and run many times |
//! | [`chunks`] | which thread runs which chunks of a command |
//! | [`pool`] | the threads of a set of CPUs, which run commands; a thread that waits helps them |
//! | [`idle`] | idle threads: how long they poll, when they sleep, and how they are woken |
//! | [`halt_poll`] | when an idle thread polls for longer, so that a CPU does not halt while a client blocks in short calls |
//! | [`placement`] | on which of two CPUs the threads of a pool run |
//! | [`caller_context`] | what a client thread needs to run kernels itself |
//! | [`client_threads`] | threads for functions of the client, which may block as long as they like |
//! | [`callbacks`] | callbacks for the states of a command, in order |
//! | [`cost`] | estimates from the last runs of a kernel, which decide whether it runs inline |
//! | [`status`], [`failure`] | the states of a command, and why it failed |
//! | [`asymmetric_fence`] | a fence that costs nothing on one of two sides |
//! | [`futex`], [`fork`], [`clock`], [`system`] | the operating system: sleeping, processes that fork, time, threads |
//!
//! A submitted command is a [`Task`]. It counts its dependencies; when the count is zero, its chunks go to the threads of
//! its pool. The thread that finishes the last chunk ends the task: it drops the work, wakes threads that wait, and
//! continues with a command that is ready now. Between the moment that a task is ready and its end, nothing is allocated,
//! and the only lock is the one around the list of the commands that wait for it. No lock is held while work or client
//! code runs.
//!
//! A task is one kind of [`Job`], a run of a plan is another. `task` does not depend on `plan`: the work of a command buffer
//! creates the job itself ([`Work::start`]).
//!
//! Most commands never get here: a short command whose queue is idle runs inline, on the thread that
//! submits it (see [`order`](crate::order)).

mod asymmetric_fence;
mod callbacks;
mod caller_context;
mod chunks;
pub mod client_threads;
pub mod clock;
mod cost;
mod failure;
mod fork;
pub mod futex;
mod gate;
pub mod halt_poll;
mod idle;
mod node;
mod nodes;
mod placement;
pub mod plan;
mod pool;
mod status;
mod system;
mod task;
mod work;

pub use self::asymmetric_fence::AsymmetricFence;
pub use self::caller_context::{with_caller_context, with_caller_context_measured};
pub use self::cost::Cost;
pub use self::failure::Failure;
pub use self::fork::generation;
pub use self::gate::{Condition, Gate};
pub use self::idle::Backoff;
pub use self::node::{Node, submit, submit_later};
pub use self::pool::{Job, Pool};
pub use self::status::{ProfilingTimes, Status};
pub use self::task::Task;
pub use self::work::{Execution, Work, run_short};

#[cfg(test)]
mod tests;
