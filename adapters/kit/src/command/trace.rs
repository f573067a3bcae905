// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Commands in the log, at level trace: what queues run and capture, and what command buffers get, run and change. It costs
//! a comparison where the level is off.

use std::hint::cold_path;
use std::mem::needs_drop;
use std::sync::Arc;

use log::LevelFilter;
use oxur_api::Handle;

use super::Command;
use crate::Backend;
use crate::handle::{Object, handle_of};

/// Whether anything may be said of commands.
#[inline(always)]
pub(crate) fn is_traced() -> bool {
    log::max_level() == LevelFilter::Trace
}

/// Says what an object does with a command.
#[inline(always)]
pub(crate) fn trace<B: Backend, T: Object>(what: &str, of: &Arc<T>, command: &Command<'_, B>) {
    // All that `log_enabled` asks besides is asked by the line.
    if is_traced() {
        cold_path();
        // Copies, so that neither of the two need be in memory on the other way.
        line(what, &Arc::clone(of), &command.reborrow());
    }
}

#[cold]
#[inline(never)]
fn line<B: Backend, T: Object>(what: &str, of: &Arc<T>, command: &Command<'_, B>) {
    log::trace!("{:p}: {what} {}", handle_of(of).as_ptr(), command.describe());
}

impl<B: Backend> Command<'_, B> {
    /// The same command once more.
    #[inline(always)]
    pub(crate) fn reborrow(&self) -> Command<'_, B> {
        const { assert!(!needs_drop::<Command<'static, B>>(), "all operands are borrowed") };
        // SAFETY: operands are plain values, and borrows that may be copied: nothing is dropped twice.
        unsafe { std::ptr::read(self) }
    }
}
