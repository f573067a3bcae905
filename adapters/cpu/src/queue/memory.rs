// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Commands that copy and fill memory.

use std::sync::Arc;

use kit::UrResult;
use kit::ur::CommandType;
use oxur_adapter_kit as kit;
use oxur_device_cpu::bytes::{
    ByteOp, ByteWork, CopyBytes, CopyRows, Extent, FillBytes, FillRows, INLINE_LIMIT, INLINE_LIMIT_BLOCKING, Layout,
    Pattern, copy_rows_work, fill, fill_rows, fill_rows_work,
};
use oxur_device_cpu::exec::Work;

use super::submit::Submission;
use super::{Out, Queue, Wait};
use crate::Mem;

/// The owner of the memory that a command accesses.
pub(super) enum Owner<'a> {
    /// The client, which keeps the memory alive until the command is complete.
    Client,
    Mem(&'a Arc<Mem>),
    Mems([&'a Arc<Mem>; 2]),
    /// The compiled program of a device global.
    Program(Arc<oxur_compiler::Program>),
}

impl Owner<'_> {
    pub(super) fn retain(self) -> Retained {
        match self {
            Self::Client => Retained::Client,
            Self::Mem(mem) => Retained::Mem(mem.clone()),
            Self::Mems(mems) => Retained::Mems(mems.map(Arc::clone)),
            Self::Program(owner) => Retained::Program(owner),
        }
    }
}

/// Keeps an [`Owner`] alive for a command that outlives the enqueue function.
#[allow(dead_code, reason = "kept, never read")]
pub(super) enum Retained {
    Client,
    Mem(Arc<Mem>),
    Mems([Arc<Mem>; 2]),
    /// The program as it was compiled at submission: building UR's program again replaces its globals.
    Program(Arc<oxur_compiler::Program>),
}

/// The work of copying rows, for a command buffer.
pub(super) fn owned_copy_rows(copy: CopyRows, owner: Owner<'_>) -> Arc<dyn Work> {
    // SAFETY: as in `byte_work`.
    unsafe { copy_rows_work(copy, owner.retain()) }
}

/// The work of filling bytes, for a command buffer.
pub(super) fn owned_fill((dst, size): (*mut u8, usize), pattern: &[u8], owner: Owner<'_>) -> Arc<dyn Work> {
    let pattern = Pattern::from_slice(pattern);
    owned_bytes(FillBytes { dst, size, pattern }, owner)
}

/// The work of [`FillRows`], for a command buffer.
pub(super) fn owned_fill_rows((dst, extent): (Layout, Extent), pattern: &[u8]) -> Arc<dyn Work> {
    let pattern = Pattern::from_slice(pattern);
    // SAFETY: as in `byte_work`.
    unsafe { fill_rows_work(FillRows { dst, extent, pattern }, Owner::Client.retain()) }
}

/// The work of a [`ByteOp`], for a command buffer.
pub(super) fn owned_bytes(op: impl ByteOp, owner: Owner<'_>) -> Arc<dyn Work> {
    Arc::new(byte_work(op, owner.retain()))
}

/// The work of a [`ByteOp`], with references to the memory that it accesses.
fn byte_work<B: ByteOp>(op: B, retained: Retained) -> ByteWork<B, Retained> {
    // SAFETY: the client guarantees that its memory is accessible until the command is complete, and synchronizes its
    // commands. The owner keeps memory objects and device globals alive, and the range was checked against them.
    unsafe { ByteWork::new(op, retained) }
}

impl Queue {
    #[inline(always)]
    pub(super) fn copy(
        self: &Arc<Self>,
        (command, blocking): (CommandType, bool),
        copy: CopyBytes,
        retain: impl FnOnce() -> Retained,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        // SAFETY: as in `byte_work`.
        let run_inline = move || unsafe { copy.run(0..copy.blocks()) };
        let make_op = move || copy;
        self.submit_bytes((command, blocking), copy.size, retain, wait, event, run_inline, make_op)
    }

    pub(super) fn copy_rows(
        self: &Arc<Self>,
        (command, blocking): (CommandType, bool),
        copy: CopyRows,
        owner: Owner<'_>,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        if let Some(bytes) = copy.as_bytes() {
            return self.copy((command, blocking), bytes, || owner.retain(), wait, event);
        }
        // SAFETY: as in `byte_work`.
        let run_inline = || unsafe { copy.run(0..copy.blocks()) };
        let (size, retain) = (copy.size(), || owner.retain());
        self.submit_bytes((command, blocking), size, retain, wait, event, run_inline, || copy)
    }

    pub(super) fn fill(
        self: &Arc<Self>,
        command: CommandType,
        (dst, size): (*mut u8, usize),
        pattern: &[u8],
        owner: Owner<'_>,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        // SAFETY: as in `byte_work`.
        let run_inline = || unsafe { fill(dst, size, pattern, 0) };
        let make_op = || FillBytes {
            dst,
            size,
            pattern: Pattern::from_slice(pattern),
        };
        let retain = || owner.retain();
        self.submit_bytes((command, false), size, retain, wait, event, run_inline, make_op)
    }

    /// Fills rows with a pattern that continues from row to row.
    pub(super) fn fill_rows(
        self: &Arc<Self>,
        command: CommandType,
        (dst, extent): (Layout, Extent),
        pattern: &[u8],
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        if dst.is_dense(extent) {
            return self.fill(command, (dst.at, extent.size()), pattern, Owner::Client, wait, event);
        }
        // SAFETY: as in `byte_work`.
        let run_inline = || unsafe { fill_rows(dst, extent, pattern, 0..extent.blocks()) };
        let make_op = || FillRows {
            dst,
            extent,
            pattern: Pattern::from_slice(pattern),
        };
        self.submit_bytes(
            (command, false),
            extent.size(),
            || Retained::Client,
            wait,
            event,
            run_inline,
            make_op,
        )
    }

    /// Submits a command on `size` bytes: `run_inline` runs it, or `make_op` makes the operation of a task and `retain` keeps
    /// the memory alive for it. The caller has checked the range.
    #[inline(always)]
    #[allow(
        clippy::too_many_arguments,
        reason = "the command in two forms, and the parameters that all commands have"
    )]
    fn submit_bytes<B: ByteOp>(
        self: &Arc<Self>,
        (command, blocking): (CommandType, bool),
        size: usize,
        retain: impl FnOnce() -> Retained,
        wait: Wait<'_>,
        event: Out<'_>,
        run_inline: impl FnOnce(),
        make_op: impl FnOnce() -> B,
    ) -> UrResult<()> {
        let limit = if blocking { INLINE_LIMIT_BLOCKING } else { INLINE_LIMIT };
        let submission = Submission {
            blocking,
            inline: size <= limit,
            ..Submission::of(command)
        };
        let make_work = || byte_work(make_op(), retain());
        let run_inline = || {
            run_inline();
            true
        };
        self.submit_work(submission, wait, event, run_inline, make_work)
    }
}
