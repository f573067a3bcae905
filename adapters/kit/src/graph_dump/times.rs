// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! When the commands of a command buffer ran.
//!
//! An adapter that runs the commands itself records each as it ends. There is room for two runs, so that the last complete
//! one can be read while another runs. Where a driver runs the commands, their events have the times.

use std::mem::replace;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering, fence};

use oxur_api::ProfilingInfo;
use oxur_fork::Mutex;

use crate::capture::is_over;
use crate::{Backend, Event, InfoOut};

/// When something began and ended, in nanoseconds of the device's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// When it began.
    pub began: u64,
    /// When it ended.
    pub ended: u64,
}

impl Span {
    /// How long it took.
    pub(super) fn took(&self) -> u64 {
        self.ended.saturating_sub(self.began)
    }
}

/// When the commands of a buffer began and ended in its last complete run.
pub struct CommandTimings {
    /// Runs take turns.
    runs: [Box<[Place]>; 2],
    /// How many runs are complete.
    complete: AtomicU64,
    /// Queries for the last runs that were submitted, the last one first.
    asked: Mutex<[Option<TimingQuery>; 2]>,
}

/// Returns the profiling times of a run's commands where they exist, or nothing before the run is complete.
pub(crate) type TimingQuery = Box<dyn Fn() -> Option<Vec<Option<Span>>> + Send + Sync>;

/// The time of a command: `u64::MAX` and 0 before it has run.
struct Place {
    began: AtomicU64,
    ended: AtomicU64,
}

impl Place {
    fn new() -> Self {
        Self {
            began: AtomicU64::new(u64::MAX),
            ended: AtomicU64::new(0),
        }
    }

    fn span(&self) -> Option<Span> {
        let began = self.began.load(Ordering::Relaxed);
        let ended = self.ended.load(Ordering::Relaxed);
        (began <= ended).then_some(Span { began, ended })
    }
}

impl CommandTimings {
    /// Of so many commands.
    pub fn new(count: usize) -> Self {
        let run = || (0..count).map(|_| Place::new()).collect();
        Self {
            runs: [run(), run()],
            complete: AtomicU64::new(0),
            asked: Mutex::default(),
        }
    }

    fn places(&self, run: u64) -> &[Place] {
        &self.runs[(run % 2) as usize]
    }

    fn coming(&self) -> &[Place] {
        self.places(self.complete.load(Ordering::Relaxed) + 1)
    }

    /// A run begins; the one before is over, complete or not.
    pub fn begin(&self) {
        for place in self.coming() {
            place.began.store(u64::MAX, Ordering::Relaxed);
            place.ended.store(0, Ordering::Relaxed);
        }
    }

    /// A command of the run, or a part of it, has run.
    pub fn add(&self, place: usize, span: Span) {
        // A buffer whose finalization failed may have got more commands than there were then.
        if let Some(place) = self.coming().get(place) {
            place.began.fetch_min(span.began, Ordering::Relaxed);
            place.ended.fetch_max(span.ended, Ordering::Relaxed);
        }
    }

    /// The run is complete.
    pub fn end(&self) {
        self.complete.fetch_add(1, Ordering::Release);
    }

    /// A run was submitted as commands with these events, and is complete when `end` is. Returns what is not asked any more:
    /// events and their queues may go with it, for which the caller must have no lock.
    #[must_use]
    pub(crate) fn submitted<B: Backend>(&self, events: Vec<Arc<B::Event>>, end: &Arc<B::Event>) -> Option<TimingQuery> {
        let end = end.clone();
        let span = |event: &Arc<B::Event>| {
            let began = time::<B>(event, ProfilingInfo::COMMAND_START)?;
            let ended = time::<B>(event, ProfilingInfo::COMMAND_END)?;
            (began <= ended).then_some(Span { began, ended })
        };
        let ask: TimingQuery = Box::new(move || {
            let over = is_over::<B>(&end).unwrap_or(false);
            over.then(|| events.iter().map(span).collect())
        });
        let mut asked = self.asked.lock();
        let last = asked[0].replace(ask);
        replace(&mut asked[1], last)
    }

    /// The last complete run; no times, or fewer than there are commands, where none is known.
    pub fn last(&self) -> Vec<Option<Span>> {
        if let Some(spans) = self.asked.lock().iter().flatten().find_map(|ask| ask()) {
            return spans;
        }
        loop {
            let complete = self.complete.load(Ordering::Acquire);
            if complete == 0 {
                return Vec::new();
            }
            let spans = self.places(complete).iter().map(Place::span).collect();
            // These places are used again when the next run is complete.
            fence(Ordering::Acquire);
            if self.complete.load(Ordering::Relaxed) == complete {
                return spans;
            }
        }
    }
}

/// When the command of an event came so far, if it has and that is known.
fn time<B: Backend>(event: &B::Event, what: ProfilingInfo) -> Option<u64> {
    let mut time = 0u64;
    // SAFETY: a place of that size.
    let out = unsafe { InfoOut::new(size_of_val(&time), (&raw mut time).cast(), null_mut()) }.ok()?;
    event.profiling_info(what, out).ok()?;
    (time != 0).then_some(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(began: u64, ended: u64) -> Span {
        Span { began, ended }
    }

    #[test]
    fn the_last_complete_run_counts() {
        let times = CommandTimings::new(2);
        assert!(times.last().is_empty());
        times.begin();
        times.add(0, span(10, 20));
        times.add(0, span(15, 30));
        times.add(0, span(5, 25));
        assert!(times.last().is_empty(), "the run is not over");
        times.end();
        assert_eq!(times.last(), [Some(span(5, 30)), None], "the second did nothing");
        // One that fails leaves no trace.
        times.begin();
        times.add(1, span(40, 50));
        assert_eq!(times.last(), [Some(span(5, 30)), None]);
        times.begin();
        times.add(0, span(60, 70));
        times.add(1, span(70, 70));
        times.add(2, span(0, 1));
        times.end();
        assert_eq!(times.last(), [Some(span(60, 70)), Some(span(70, 70))]);
    }
}
