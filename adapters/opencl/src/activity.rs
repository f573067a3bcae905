// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Which commands of a context may be unfinished.
//!
//! `urUSMFree` has to keep memory from being used again before the commands that may touch it are complete, and OpenCL
//! does not tell which those are. So each command leaves a mark here, and a marker behind the commands of each queue that
//! has some tells when they are complete. A context whose queues had no commands since costs a load.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Weak};

use kit::UrResult;
use oxur_adapter_kit as kit;
use parking_lot::Mutex;
use smallvec::SmallVec;

use crate::Queue;
use crate::event::RawEvent;

/// Events, one a queue: when all are complete, so is what was submitted before they were made.
pub(crate) type Markers = SmallVec<[Arc<RawEvent>; 2]>;

/// There were no commands since none was found unfinished.
const IDLE: u8 = 0;
/// There were some.
const BUSY: u8 = 1;
/// A thread looks for unfinished commands, and there were none since it began.
const LOOKING: u8 = 2;

/// The queues of a context.
#[derive(Default)]
pub(crate) struct Activity {
    /// One of the constants above.
    state: AtomicU8,
    /// Of the thread that looks for unfinished commands.
    looking: Mutex<()>,
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
        if self.state.load(Ordering::Relaxed) != BUSY {
            self.state.store(BUSY, Ordering::Relaxed);
        }
    }

    /// Takes note of a queue that others may submit to.
    pub(crate) fn note_shared(&self) {
        self.shared.store(true, Ordering::Relaxed);
    }

    /// Takes a new queue in.
    pub(crate) fn add(&self, queue: &Arc<Queue>) {
        self.queues.lock().push(Arc::downgrade(queue));
    }

    /// Forgets a queue that goes, but for the marker behind its last commands.
    pub(crate) fn leave(&self, queue: &Queue, marker: Option<Arc<RawEvent>>) {
        if let Some(marker) = marker {
            self.orphans.lock().push(marker);
            self.note();
        }
        // At last: as long as it is in the list, others wait for the marker.
        self.queues.lock().retain(|known| !std::ptr::eq(known.as_ptr(), queue));
    }

    /// Markers behind all commands that may be unfinished; none if there are no such commands.
    pub(crate) fn unfinished(&self) -> UrResult<Markers> {
        if self.state.load(Ordering::Relaxed) == IDLE && !self.shared.load(Ordering::Relaxed) {
            return Ok(Markers::new());
        }
        // Dropped when the lock is gone: a queue whose last reference this was leaves its marker with us.
        let queues: SmallVec<[Arc<Queue>; 4]>;
        // Others who ask meanwhile must not find that all is idle before it is known.
        let _alone = self.looking.lock();
        self.state.store(LOOKING, Ordering::Relaxed);
        queues = self.queues();
        let found = self.find(&queues);
        if matches!(&found, Ok(markers) if markers.is_empty()) {
            // Unless there was a command since then.
            _ = self
                .state
                .compare_exchange(LOOKING, IDLE, Ordering::Relaxed, Ordering::Relaxed);
        } else {
            self.note();
        }
        found
    }

    /// All queues. One that is about to go is waited for, until it has left its marker.
    fn queues(&self) -> SmallVec<[Arc<Queue>; 4]> {
        // Far more than a marker takes. It would be too few for one thing only: that the driver, in the thread that makes the
        // marker, calls a function of the client's which frees memory.
        const PATIENCE: usize = 1_000_000;
        let mut turns = 0;
        loop {
            let queues: SmallVec<[Option<Arc<Queue>>; 4]> = self.queues.lock().iter().map(Weak::upgrade).collect();
            if turns == PATIENCE || queues.iter().all(Option::is_some) {
                return queues.into_iter().flatten().collect();
            }
            drop(queues);
            std::thread::yield_now();
            turns += 1;
        }
    }

    fn find(&self, queues: &[Arc<Queue>]) -> UrResult<Markers> {
        let mut markers = {
            let mut orphans = self.orphans.lock();
            orphans.retain(|marker| !marker.is_over());
            orphans.clone()
        };
        for queue in queues {
            markers.extend(queue.unfinished()?);
        }
        Ok(markers)
    }
}
