// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Which commands of a context may be unfinished.
//!
//! Freed USM must not be used again before the commands that may touch it are complete, and OpenCL does not tell which
//! commands those are. So each command sets the [`BusyMark`] of its queue, and a marker behind the commands of each busy queue
//! tells when they are complete. For a context whose queues had no commands since, this costs a few loads.

use std::hint::cold_path;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use kit::UrResult;
use oxur_adapter_kit as kit;
use oxur_fork::{Mutex, MutexGuard, OnceLock};
use smallvec::SmallVec;

use crate::event::RawEvent;
use crate::{Queue, cl};

/// Events, one a queue: when all are complete, so is what was submitted before they were made.
pub(crate) type Markers = SmallVec<[Arc<RawEvent>; 2]>;

/// Nothing can be unfinished but commands whose marks are set.
const IDLE: u8 = 0;
/// Something may be unfinished.
const BUSY: u8 = 1;
/// A thread looks for unfinished commands, and has missed none since it began.
const LOOKING: u8 = 2;

/// The queues of a context.
#[derive(Default)]
pub(crate) struct InFlight {
    marks: Chain,
    /// Bits that no queue has.
    free: Mutex<Vec<Place>>,
    /// One of the constants above.
    state: AtomicU8,
    /// Held by the thread that looks for unfinished commands.
    looking: Mutex<()>,
    /// Whether somebody else may submit to a queue: such commands set no mark.
    shared: AtomicBool,
    queues: Mutex<Vec<Weak<Queue>>>,
    /// The last markers of released queues.
    orphans: Mutex<Markers>,
}

/// Bits of 64 queues, and of more if there are more.
#[derive(Default)]
struct Marks {
    bits: AtomicU64,
    more: Chain,
}

type Chain = OnceLock<Arc<Marks>>;

/// One of the bits.
#[derive(Clone)]
struct Place {
    marks: Arc<Marks>,
    bit: u64,
}

/// Whether a queue had commands since it was looked at.
pub(crate) struct BusyMark {
    place: Place,
    in_flight: Arc<InFlight>,
}

impl BusyMark {
    /// A cleared mark for a new queue.
    pub(crate) fn new(in_flight: &Arc<InFlight>) -> Self {
        Self {
            place: in_flight.place(),
            in_flight: in_flight.clone(),
        }
    }

    /// Marks the queue as busy, after a command was submitted: a marker that another thread submitted before does not cover it.
    #[inline(always)]
    pub(crate) fn set(&self) {
        // A load, so that threads do not take the line from each other.
        let Place { marks, bit } = &self.place;
        if marks.bits.load(Ordering::Relaxed) & bit == 0 {
            cold_path();
            marks.bits.fetch_or(*bit, Ordering::Relaxed);
        }
    }

    /// Clears the mark and returns whether it was set. The caller then submits a marker behind the commands, and has marked the
    /// context as busy before.
    pub(crate) fn take(&self) -> bool {
        let Place { marks, bit } = &self.place;
        marks.bits.fetch_and(!bit, Ordering::AcqRel) & bit != 0
    }

    /// The in-flight set that the mark belongs to.
    pub(crate) fn in_flight(&self) -> &InFlight {
        &self.in_flight
    }
}

impl Drop for BusyMark {
    fn drop(&mut self) {
        self.take();
        self.in_flight.free.lock().push(self.place.clone());
    }
}

impl InFlight {
    /// A bit that no queue has.
    fn place(&self) -> Place {
        let mut free = self.free.lock();
        if let Some(place) = free.pop() {
            return place;
        }
        let mut end = &self.marks;
        while let Some(marks) = end.get() {
            end = &marks.more;
        }
        let marks = end.get_or_init(Arc::default);
        let place = |i: u32| Place {
            marks: marks.clone(),
            bit: 1u64 << i,
        };
        free.extend((1..u64::BITS).rev().map(place));
        place(0)
    }

    /// Takes note of what may be unfinished beside commands that left a mark.
    pub(crate) fn mark_busy(&self) {
        self.state.store(BUSY, Ordering::Relaxed);
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
            self.mark_busy();
        }
        // Last: while the queue is in the list, other threads wait for its marker.
        self.queues.lock().retain(|known| !std::ptr::eq(known.as_ptr(), queue));
    }

    /// Whether nothing can be unfinished.
    fn is_idle(&self) -> bool {
        let mut chain = &self.marks;
        while let Some(marks) = chain.get() {
            if marks.bits.load(Ordering::Acquire) != 0 {
                return false;
            }
            chain = &marks.more;
        }
        // Last: a thread that takes a mark sets the state first.
        self.state.load(Ordering::Relaxed) == IDLE && !self.shared.load(Ordering::Relaxed)
    }

    /// Blocks readers of the in-flight set while marks are taken.
    pub(crate) fn poll_lock(&self) -> MutexGuard<'_, ()> {
        self.looking.lock()
    }

    /// Markers behind all commands that may be unfinished; none if there are no such commands.
    pub(crate) fn unfinished(&self) -> UrResult<Markers> {
        // In a child of `fork` nothing runs: and who was about to leave a marker here never will.
        if self.is_idle() || cl::is_lost() {
            return Ok(Markers::new());
        }
        // Dropped when the lock is gone: a queue whose last reference this was leaves its marker with us.
        let queues: SmallVec<[Arc<Queue>; 4]>;
        let all;
        let _alone = self.poll_lock();
        self.state.store(LOOKING, Ordering::Relaxed);
        (queues, all) = self.queues();
        let found = self.find(&queues);
        if all && matches!(&found, Ok(markers) if markers.is_empty()) {
            // Unless a queue has gone since then.
            _ = self
                .state
                .compare_exchange(LOOKING, IDLE, Ordering::Relaxed, Ordering::Relaxed);
        } else {
            self.mark_busy();
        }
        found
    }

    /// The queues, and whether these are all. One that is about to go is waited for, until it has left its marker.
    fn queues(&self) -> (SmallVec<[Arc<Queue>; 4]>, bool) {
        // Far more than a marker takes. It would be too few for one thing only: that the driver, in the thread that makes the
        // marker, calls a function of the client's which frees memory.
        const PATIENCE: usize = 1_000_000;
        let mut turns = 0;
        loop {
            let queues: SmallVec<[Option<Arc<Queue>>; 4]> = self.queues.lock().iter().map(Weak::upgrade).collect();
            let all = queues.iter().all(Option::is_some);
            if all || turns == PATIENCE {
                return (queues.into_iter().flatten().collect(), all);
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
