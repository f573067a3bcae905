// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Drivers and `fork`: a child has none of the driver's threads, so it must not call the driver any more.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use oxur_fork::{AtFork, OnceLock};

use crate::{UrError, is_closed};

/// Whether the driver of an adapter was in use when the process was forked: a `static` of the adapter's.
pub struct DriverUse {
    lost: AtomicBool,
    in_use: OnceLock<Arc<InUse>>,
}

/// Tells of forks.
struct InUse(&'static AtomicBool);

impl AtFork for InUse {
    fn in_child(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl DriverUse {
    /// A driver that is not in use yet.
    #[allow(clippy::new_without_default, reason = "a `static` needs a constant function")]
    pub const fn new() -> Self {
        Self {
            lost: AtomicBool::new(false),
            in_use: OnceLock::new(),
        }
    }

    /// Takes note that the driver has begun to work, and by that has threads. Children of `fork` must not call it any more;
    /// those of a process that has only looked at its devices may.
    pub fn note(&'static self) {
        self.in_use.get_or_init(|| {
            let in_use = Arc::new(InUse(&self.lost));
            oxur_fork::register(&in_use);
            in_use
        });
    }

    /// Whether the driver must not be called: see [`note`](Self::note).
    #[inline(always)]
    pub fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }

    /// Whether objects of the driver are left alone as they go: it must not be called, or the process ends.
    #[inline]
    pub fn is_gone(&self) -> bool {
        self.is_lost() || is_closed()
    }

    /// The error of a function that is not called for that reason.
    #[cold]
    pub fn forked(function: &'static str) -> UrError {
        crate::error!(
            ERROR_DEVICE_LOST:
                "{function} is not called: the process was forked when the driver was in use, and has none of its \
                 threads. Start it anew instead (`spawn`)"
        )
    }
}
