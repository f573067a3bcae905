// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The states of a command, and when it reached them.

/// The state of a command. A command goes through all of them, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// It waits for other commands.
    Queued,
    /// It waits for a thread.
    Submitted,
    /// It runs.
    Running,
    /// It is complete, or it failed.
    Over,
}

/// When a command reached each state, in nanoseconds of [`clock::now`](super::clock::now).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProfilingTimes {
    /// When it was submitted to its queue.
    pub queued: u64,
    /// When its dependencies were complete.
    pub submitted: u64,
    /// When it began to run.
    pub started: u64,
    /// When it was over.
    pub ended: u64,
}
