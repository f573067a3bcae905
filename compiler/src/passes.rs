// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The passes that code is right without, and how many of them run: `oxur-compiler bisect` finds the one that makes code wrong.
//!
//! Ours are numbered in the order in which they are asked for, LLVM's by LLVM (`-opt-bisect`). What code needs in any case, such as
//! simple loops for the vectorizer, always runs, and has no number.

use std::sync::atomic::{AtomicU32, Ordering};

use oxur_fork::OnceLock;

use crate::llvm;

/// How many passes run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Ours.
    pub ours: u32,
    /// LLVM's.
    pub llvm: u32,
}

impl Limit {
    /// All of them.
    pub const NONE: Self = Self {
        ours: u32::MAX,
        llvm: u32::MAX,
    };
}

static LIMIT: OnceLock<Limit> = OnceLock::new();
/// How many of ours were asked for.
static ASKED: AtomicU32 = AtomicU32::new(0);

/// Only the first passes run, for the rest of the process, and stderr says which: in lines that begin with `BISECT:`, as LLVM's do. The
/// first limit counts.
pub fn limit(limit: Limit) {
    _ = LIMIT.set(limit);
}

/// Other code of a kernel begins.
pub(crate) fn begin(code: impl std::fmt::Debug) {
    if LIMIT.get().is_some() {
        eprintln!("BISECT: code {code:?}");
    }
}

/// Whether a pass of ours may run. Each is asked for once, or once for each function.
#[inline]
pub(crate) fn may_run(pass: &str) -> bool {
    LIMIT.get().is_none_or(|limit| is_within(limit.ours, pass))
}

#[cold]
fn is_within(limit: u32, pass: &str) -> bool {
    let number = ASKED.fetch_add(1, Ordering::Relaxed) + 1;
    let runs = number <= limit;
    let not = if runs { "" } else { "NOT " };
    eprintln!("BISECT: {not}running our pass ({number}) {pass}");
    runs
}

/// Runs passes of LLVM's that may be left out.
pub(crate) fn optional<T>(run: impl FnOnce() -> T) -> T {
    let Some(limit) = LIMIT.get() else {
        return run();
    };
    llvm::limit_passes(Some(limit.llvm));
    let result = run();
    llvm::limit_passes(None);
    result
}
