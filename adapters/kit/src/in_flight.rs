// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Which commands of a context may be unfinished.
//!
//! Freed USM must not be used again before the commands that may touch it are complete, and a driver does not tell which
//! commands those are. So each command sets the [`BusyMark`] of its queue, and a marker behind the commands of each busy queue
//! tells when they are complete. For a context whose queues had no commands since, this costs a few loads.

use std::hint::cold_path;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use oxur_fork::{Mutex, OnceLock, Turn, Turns};
use smallvec::SmallVec;

use crate::UrResult;

/// A queue of a driver, as far as it is known whether its commands are complete.
pub trait TrackedQueue: Send + Sync + Sized + 'static {
    /// An event behind commands.
    type Marker: Clone + Send;

    /// A marker behind all commands that may be unfinished, whose [`BusyMark`] it [takes](BusyMark::take); `None` if there are
    /// none.
    fn unfinished(&self) -> UrResult<Option<Self::Marker>>;

    /// Whether what is before a marker is complete.
    fn is_over(marker: &Self::Marker) -> bool;
}

/// Markers, one a queue: when all are over, so is what was submitted before they were made.
pub type Markers<Q> = SmallVec<[<Q as TrackedQueue>::Marker; 2]>;

/// Nothing can be unfinished but commands whose marks are set.
const IDLE: u8 = 0;
/// Something may be unfinished.
const BUSY: u8 = 1;
/// A thread looks for unfinished commands, and has missed none since it began.
const LOOKING: u8 = 2;

/// The queues of a context.
pub struct InFlight<Q: TrackedQueue> {
    marks: Chain,
    /// Bits that no queue has.
    free: Mutex<Vec<Place>>,
    /// One of the constants above.
    state: AtomicU8,
    /// Held by the thread that looks for unfinished commands. It calls the driver, so the process may fork meanwhile: a
    /// driver with a gate of its own for forks holds up the thread until then.
    looking: Turns,
    /// Whether somebody else may submit to a queue: such commands set no mark.
    shared: AtomicBool,
    queues: Mutex<Vec<Weak<Q>>>,
    /// The last markers of released queues.
    orphans: Mutex<Markers<Q>>,
}

impl<Q: TrackedQueue> Default for InFlight<Q> {
    fn default() -> Self {
        Self {
            marks: Chain::new(),
            free: Mutex::default(),
            state: AtomicU8::new(IDLE),
            looking: Turns::new(),
            shared: AtomicBool::new(false),
            queues: Mutex::default(),
            orphans: Mutex::default(),
        }
    }
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
pub struct BusyMark<Q: TrackedQueue> {
    place: Place,
    in_flight: Arc<InFlight<Q>>,
}

impl<Q: TrackedQueue> BusyMark<Q> {
    /// A cleared mark for a new queue.
    pub fn new(in_flight: &Arc<InFlight<Q>>) -> Self {
        Self {
            place: in_flight.place(),
            in_flight: in_flight.clone(),
        }
    }

    /// Marks the queue as busy, after a command was submitted: a marker that another thread submitted before does not cover it.
    #[inline(always)]
    pub fn set(&self) {
        // A load, so that threads do not take the line from each other.
        let Place { marks, bit } = &self.place;
        if marks.bits.load(Ordering::Relaxed) & bit == 0 {
            cold_path();
            marks.bits.fetch_or(*bit, Ordering::Relaxed);
        }
    }

    /// Clears the mark and returns whether it was set. The caller then submits a marker behind the commands, and has marked the
    /// context as busy before.
    pub fn take(&self) -> bool {
        let Place { marks, bit } = &self.place;
        marks.bits.fetch_and(!bit, Ordering::AcqRel) & bit != 0
    }

    /// Its queue goes. Returns the last marker behind its commands, if some may be unfinished.
    pub fn leave(&self, queue: &Q) -> Option<Q::Marker> {
        // Others who want to know wait until it has left.
        self.in_flight.mark_busy();
        let marker = queue.unfinished().unwrap_or_else(|error| {
            log::info!("it is not known when the last commands of a queue are complete: {error}");
            None
        });
        self.in_flight.leave(queue, marker.clone());
        marker
    }

    /// The in-flight set that the mark belongs to.
    pub fn in_flight(&self) -> &InFlight<Q> {
        &self.in_flight
    }
}

impl<Q: TrackedQueue> Drop for BusyMark<Q> {
    fn drop(&mut self) {
        self.take();
        self.in_flight.free.lock().push(self.place.clone());
    }
}

impl<Q: TrackedQueue> InFlight<Q> {
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
    pub fn mark_busy(&self) {
        self.state.store(BUSY, Ordering::Relaxed);
    }

    /// Takes note of a queue that others may submit to.
    pub fn note_shared(&self) {
        self.shared.store(true, Ordering::Relaxed);
    }

    /// Takes a new queue in.
    pub fn add(&self, queue: &Arc<Q>) {
        self.queues.lock().push(Arc::downgrade(queue));
    }

    /// Forgets a queue that goes, but for the marker behind its last commands.
    pub fn leave(&self, queue: &Q, marker: Option<Q::Marker>) {
        if let Some(marker) = marker {
            self.orphans.lock().push(marker);
            self.mark_busy();
        }
        // Last: while the queue is in the list, other threads wait for its marker.
        self.queues.lock().retain(|known| !std::ptr::eq(known.as_ptr(), queue));
    }

    /// Whether nothing can be unfinished.
    #[inline]
    pub fn is_idle(&self) -> bool {
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
    pub fn poll_lock(&self) -> Turn<'_> {
        self.looking.take()
    }

    /// Markers behind all commands that may be unfinished; none if there are no such commands. Not for a child of `fork`, in
    /// which nothing runs, and a queue that was about to leave its marker never will.
    pub fn unfinished(&self) -> UrResult<Markers<Q>> {
        if self.is_idle() {
            return Ok(Markers::<Q>::new());
        }
        // Dropped when the lock is gone: a queue whose last reference this was leaves its marker with us.
        let queues: SmallVec<[Arc<Q>; 4]>;
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

    /// As [`unfinished`](Self::unfinished); `None` if there are no such commands.
    pub fn fence(&self) -> UrResult<Option<Markers<Q>>> {
        if self.is_idle() {
            return Ok(None);
        }
        let markers = self.unfinished()?;
        Ok((!markers.is_empty()).then_some(markers))
    }

    /// The queues, and whether these are all. One that is about to go is waited for, until it has left its marker.
    fn queues(&self) -> (SmallVec<[Arc<Q>; 4]>, bool) {
        // Far more than a marker takes. It would be too few for one thing only: that the driver, in the thread that makes the
        // marker, calls a function of the client's which frees memory.
        const PATIENCE: usize = 1_000_000;
        let mut turns = 0;
        loop {
            let queues: SmallVec<[Option<Arc<Q>>; 4]> = self.queues.lock().iter().map(Weak::upgrade).collect();
            let all = queues.iter().all(Option::is_some);
            if all || turns == PATIENCE {
                return (queues.into_iter().flatten().collect(), all);
            }
            drop(queues);
            std::thread::yield_now();
            turns += 1;
        }
    }

    fn find(&self, queues: &[Arc<Q>]) -> UrResult<Markers<Q>> {
        // Only this thread looks for markers, and it asks the driver without the lock.
        let mut markers = std::mem::take(&mut *self.orphans.lock());
        markers.retain(|marker| !Q::is_over(marker));
        self.orphans.lock().extend(markers.iter().cloned());
        for queue in queues {
            markers.extend(queue.unfinished()?);
        }
        Ok(markers)
    }
}
