// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Which commands of a context may be unfinished.
//!
//! `urUSMFree` has to keep memory from being used again before the commands that may touch it are complete, and OpenCL
//! does not tell which those are. So each command leaves a mark here, and a marker behind the commands of each queue that
//! has some tells when they are complete. A context whose queues had no commands since costs a load.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use kit::UrResult;
use oxur_adapter_kit as kit;
use parking_lot::Mutex;
use smallvec::SmallVec;

use crate::Queue;
use crate::event::RawEvent;

/// Events, one a queue: when all are complete, so is what was submitted before they were made.
pub(crate) type Markers = SmallVec<[Arc<RawEvent>; 2]>;

/// The queues of a context.
#[derive(Default)]
pub(crate) struct Activity {
    /// Whether there were commands since the last time that none was found unfinished.
    busy: AtomicBool,
    /// Whether others may submit to a queue, whose commands leave no mark.
    shared: AtomicBool,
    queues: Mutex<Vec<Weak<Queue>>>,
    /// Of queues that are gone.
    orphans: Mutex<Markers>,
}

impl Activity {
    /// Takes note of a command, after it was submitted.
    #[inline(always)]
    pub(crate) fn note(&self) {
        if !self.busy.load(Ordering::Relaxed) {
            self.busy.store(true, Ordering::Relaxed);
        }
    }

    /// Takes note of a queue that others may submit to.
    pub(crate) fn note_shared(&self) {
        self.shared.store(true, Ordering::Relaxed);
    }

    /// Takes a new queue in.
    pub(crate) fn add(&self, queue: &Arc<Queue>) {
        let mut queues = self.queues.lock();
        queues.retain(|queue| queue.strong_count() != 0);
        queues.push(Arc::downgrade(queue));
    }

    /// Keeps the marker of a queue that goes.
    pub(crate) fn leave(&self, marker: Arc<RawEvent>) {
        self.orphans.lock().push(marker);
        self.note();
    }

    /// Markers behind all commands that may be unfinished; none if there are no such commands.
    pub(crate) fn unfinished(&self) -> UrResult<Markers> {
        if !self.busy.swap(false, Ordering::Relaxed) && !self.shared.load(Ordering::Relaxed) {
            return Ok(Markers::new());
        }
        let found = self.find();
        if !matches!(&found, Ok(markers) if markers.is_empty()) {
            self.note();
        }
        found
    }

    fn find(&self) -> UrResult<Markers> {
        let mut markers = {
            let mut orphans = self.orphans.lock();
            orphans.retain(|marker| !marker.is_over());
            orphans.clone()
        };
        // Not under the lock: a queue that loses its last reference here leaves its marker with us.
        let queues: SmallVec<[Arc<Queue>; 4]> = self.queues.lock().iter().filter_map(Weak::upgrade).collect();
        for queue in &queues {
            markers.extend(queue.unfinished()?);
        }
        Ok(markers)
    }
}
