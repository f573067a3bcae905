// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Counter-based events that processes share: each signal has a number, and the event is that of the last one.

use std::any::Any;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use oxur_compiler::{Fault, ThreadContext};
use oxur_fork::Mutex;

use super::shared::NAP;
use crate::exec::{Failure, Node, Pool, Task, Work, client_threads, futex, submit, submit_later};
use crate::order::unsubmitted;

/// The state of the event, in memory that processes share. Another process may write anything.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Counts {
    /// The number of the last signal that was submitted.
    submitted: AtomicU32,
    /// The largest number of a signal that is complete.
    completed: AtomicU32,
}

/// A counter-based event that other processes wait for and signal, too.
pub struct SharedCounter {
    /// In memory that `_memory` keeps.
    counts: *const Counts,
    _memory: Arc<dyn Any + Send + Sync>,
    /// Commands that end when the signal of a number is complete.
    pending: Mutex<Vec<(u32, Arc<dyn Node>)>>,
    pool: &'static Pool,
}

// SAFETY: the counts are atomic, and the memory lives as long as the event.
unsafe impl Send for SharedCounter {}
// SAFETY: as above.
unsafe impl Sync for SharedCounter {}

impl SharedCounter {
    /// The event with this state, which is complete if the memory is of zeros.
    ///
    /// # Safety
    /// The counts must be in memory that `memory` keeps.
    pub unsafe fn new(counts: *const Counts, memory: Arc<dyn Any + Send + Sync>, pool: &'static Pool) -> Arc<Self> {
        Arc::new(Self {
            counts,
            _memory: memory,
            pending: Mutex::default(),
            pool,
        })
    }

    fn counts(&self) -> &Counts {
        // SAFETY: the caller of `new` says that they are there.
        unsafe { &*self.counts }
    }

    /// The number of the last signal.
    fn last(&self) -> u32 {
        self.counts().submitted.load(Ordering::SeqCst)
    }

    /// Whether the signal of this number is complete. Numbers may wrap.
    fn is_complete(&self, number: u32) -> bool {
        self.counts().completed.load(Ordering::SeqCst).wrapping_sub(number) as i32 >= 0
    }

    /// Whether the last signal is complete.
    pub fn is_signalled(&self) -> bool {
        self.is_complete(self.last())
    }

    /// The event becomes that of a command: `None` is one that is over.
    pub fn follow(self: &Arc<Self>, command: Option<&Arc<dyn Node>>) {
        let number = self.counts().submitted.fetch_add(1, Ordering::SeqCst).wrapping_add(1);
        let Some(command) = command else {
            return self.complete(number);
        };
        let end: Arc<dyn Node> = Task::new(self.pool, Complete(self.clone(), number), false);
        end.wait_for(command, false);
        submit(end);
    }

    /// The signal of this number is complete.
    fn complete(&self, number: u32) {
        let later = |completed: u32| (number.wrapping_sub(completed) as i32 > 0).then_some(number);
        _ = self
            .counts()
            .completed
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, later);
        futex::wake_all_shared(&self.counts().completed);
        self.resolve();
    }

    /// Waits until the last signal, as of now, is complete, for at most this long. Returns whether it is.
    pub fn wait(&self, timeout: Option<Duration>) -> bool {
        let end = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let number = self.last();
        loop {
            let completed = self.counts().completed.load(Ordering::SeqCst);
            let left = end.map_or(NAP, |end| end.saturating_duration_since(Instant::now()));
            if self.is_complete(number) || left.is_zero() {
                return self.is_complete(number);
            }
            futex::wait_shared(&self.counts().completed, completed, left.min(NAP));
        }
    }

    /// Lets the commands of this process go on whose signal is complete. Returns whether others are left.
    fn resolve(&self) -> bool {
        let mut pending = self.pending.lock();
        let over: Vec<_> = pending
            .extract_if(.., |(number, _)| self.is_complete(*number))
            .collect();
        let left = !pending.is_empty();
        drop(pending);
        over.into_iter().for_each(|(_, node)| submit_later(node));
        left
    }

    /// Waits for signals of other processes on a thread, as long as commands of this one wait.
    fn watch(event: &Weak<Self>) {
        while let Some(event) = event.upgrade() {
            let completed = event.counts().completed.load(Ordering::SeqCst);
            if !event.resolve() {
                return;
            }
            futex::wait_shared(&event.counts().completed, completed, NAP);
        }
    }

    /// A command that ends when the last signal, as of now, is complete; `None` if it is.
    pub fn pending(self: &Arc<Self>) -> Option<Arc<dyn Node>> {
        let number = self.last();
        if self.is_complete(number) {
            return None;
        }
        let mut pending = self.pending.lock();
        if let Some((_, node)) = pending.iter().find(|(other, _)| *other == number) {
            return Some(node.clone());
        }
        let node = unsubmitted(self.pool);
        let is_watched = !pending.is_empty();
        pending.push((number, node.clone()));
        drop(pending);
        let weak = Arc::downgrade(self);
        if !is_watched && let Err((error, watch)) = client_threads::spawn(Box::new(move || Self::watch(&weak))) {
            log::warn!("no thread can wait for another process, so the caller does: {error}");
            watch();
        }
        Some(node)
    }
}

impl Drop for SharedCounter {
    fn drop(&mut self) {
        // Commands that wait for it would wait forever.
        let pending = std::mem::take(self.pending.get_mut());
        pending.into_iter().for_each(|(_, node)| submit_later(node));
    }
}

/// Completes a signal when the command that it is of is over.
struct Complete(Arc<SharedCounter>, u32);

impl Work for Complete {
    fn chunks(&self) -> u64 {
        0
    }

    fn run(&self, _chunks: std::ops::Range<u64>, _worker: &mut ThreadContext) -> Result<(), Fault> {
        Ok(())
    }

    fn over(&mut self, _result: Result<(), &Failure>) {
        self.0.complete(self.1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two events with the same counts stand for those of two processes.
    #[test]
    fn two_processes() {
        let pool = Pool::of(&[0], 3, true);
        let memory = Arc::new(Counts::default());
        // SAFETY: `memory` has the counts.
        let event = || unsafe { SharedCounter::new(Arc::as_ptr(&memory), memory.clone(), pool) };
        let (here, there) = (event(), event());
        assert!(here.is_signalled() && here.wait(None) && here.pending().is_none());
        let (first, second) = (unsubmitted(pool), unsubmitted(pool));
        there.follow(Some(&first));
        assert!(!here.is_signalled() && !here.wait(Some(Duration::ZERO)));
        let of_first = here.pending().expect("the command is not over");
        // The event is that of the second command now; who waited for the first still does.
        here.follow(Some(&second));
        let of_second = there.pending().expect("the command is not over");
        submit(first);
        assert!(of_first.wait());
        assert!(!here.is_signalled() && !there.is_signalled());
        submit(second);
        assert!(of_second.wait() && there.wait(None) && here.wait(None));
        there.follow(None);
        assert!(here.is_signalled());
    }

    #[test]
    fn numbers_wrap() {
        let pool = Pool::of(&[0], 3, true);
        let counts = Counts {
            submitted: AtomicU32::new(u32::MAX),
            completed: AtomicU32::new(u32::MAX),
        };
        let memory = Arc::new(counts);
        // SAFETY: `memory` has the counts.
        let event = unsafe { SharedCounter::new(Arc::as_ptr(&memory), memory.clone(), pool) };
        assert!(event.is_signalled());
        let command = unsubmitted(pool);
        event.follow(Some(&command));
        assert!(!event.is_signalled());
        submit(command);
        assert!(event.wait(None) && event.is_signalled());
    }

    #[test]
    fn an_event_that_goes_lets_commands_go_on() {
        let pool = Pool::of(&[0], 3, true);
        let memory = Arc::new(Counts::default());
        memory.submitted.store(1, Ordering::SeqCst);
        // SAFETY: `memory` has the counts.
        let event = unsafe { SharedCounter::new(Arc::as_ptr(&memory), memory.clone(), pool) };
        let pending = event.pending().expect("the signal is not complete");
        drop(event);
        assert!(pending.wait());
    }
}
