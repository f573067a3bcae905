// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Events that commands and the host signal and reset any number of times.

mod shared;
mod shared_counter;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use oxur_fork::Mutex;

use crate::exec::{Condition, Node, Pool, futex, submit_later};
use crate::order::unsubmitted;

pub use self::shared::SharedEvent;
pub use self::shared_counter::{Counts, SharedCounter};

/// An event: signalled or not.
pub struct Event {
    /// [`RESET`] or [`SIGNALLED`].
    state: AtomicU32,
    /// The number of threads that may sleep until it is signalled.
    sleepers: AtomicU32,
    /// Ends when the event is signalled, for commands that wait for it.
    pending: Mutex<Option<Arc<dyn Node>>>,
    pool: &'static Pool,
}

const RESET: u32 = 0;
const SIGNALLED: u32 = 1;

impl Event {
    /// An event that is not signalled. Threads that wait for it help the pool.
    pub fn new(pool: &'static Pool) -> Self {
        Self {
            state: AtomicU32::new(RESET),
            sleepers: AtomicU32::new(0),
            pending: Mutex::new(None),
            pool,
        }
    }

    /// Whether it is signalled.
    #[inline]
    pub fn is_signalled(&self) -> bool {
        self.state.load(Ordering::Acquire) == SIGNALLED
    }

    /// Signals it: commands that wait for it go on.
    pub fn signal(&self) {
        let pending = {
            let mut pending = self.pending.lock();
            self.state.store(SIGNALLED, Ordering::SeqCst);
            pending.take()
        };
        // A thread that is not counted yet looks at the state again before it sleeps.
        if self.sleepers.load(Ordering::SeqCst) != 0 {
            futex::wake_all(&self.state);
        }
        pending.into_iter().for_each(submit_later);
    }

    /// Resets it. Commands that wait for it since before go on waiting.
    pub fn reset(&self) {
        self.state.store(RESET, Ordering::SeqCst);
    }

    /// Waits until it is signalled, for at most this long. Returns whether it is.
    pub fn wait(&self, timeout: Option<Duration>) -> bool {
        if self.is_signalled() {
            return true;
        }
        let end = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let is_over = || end.is_some_and(|end| Instant::now() >= end);
        if self.pool.help_until(&|| self.is_signalled() || is_over()) {
            return self.is_signalled();
        }
        self.sleepers.fetch_add(1, Ordering::SeqCst);
        while !self.is_signalled() && !is_over() {
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            futex::wait(&self.state, RESET, left);
        }
        self.sleepers.fetch_sub(1, Ordering::SeqCst);
        self.is_signalled()
    }
}

impl Condition for Event {
    fn pending(&self) -> Option<Arc<dyn Node>> {
        if self.is_signalled() {
            return None;
        }
        let mut pending = self.pending.lock();
        // It is signalled under the lock.
        if self.is_signalled() {
            return None;
        }
        if pending.as_ref().is_some_and(|node| node.is_over()) {
            // An unsubmitted command counts as over only in a child of `fork`. Leaked: it belongs to the parent.
            std::mem::forget(pending.take());
        }
        Some(pending.get_or_insert_with(|| unsubmitted(self.pool)).clone())
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // Commands that wait for it would wait forever.
        self.pending.get_mut().take().into_iter().for_each(submit_later);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;
    use std::thread;

    use oxur_compiler::{Fault, ThreadContext};

    use super::*;
    use crate::exec::{Failure, Gate, Task, Work, submit};

    fn pool() -> &'static Pool {
        Pool::of(&[0], 3, true)
    }

    /// Counts, and signals an event when it is over.
    struct Count(Arc<AtomicU64>, Option<Arc<Event>>);

    impl Work for Count {
        fn run(&self, _chunks: std::ops::Range<u64>, _worker: &mut ThreadContext) -> Result<(), Fault> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Ok(())
        }

        fn over(&mut self, _result: Result<(), &Failure>) {
            self.1.iter().for_each(|event| event.signal());
        }
    }

    /// A command behind a gate for some events.
    fn behind(events: &[&Arc<Event>], count: &Arc<AtomicU64>, signal: Option<&Arc<Event>>) -> Arc<dyn Node> {
        let gate = Gate::node(
            pool(),
            events.iter().map(|event| Arc::clone(event) as Arc<dyn Condition>),
        );
        let task: Arc<dyn Node> = Task::new(pool(), Count(count.clone(), signal.cloned()), false);
        task.wait_for(&gate, false);
        submit(gate);
        submit(task.clone());
        task
    }

    #[test]
    fn signalled_and_reset() {
        let event = Event::new(pool());
        assert!(!event.is_signalled() && !event.wait(Some(Duration::ZERO)));
        event.signal();
        assert!(event.wait(None) && event.pending().is_none());
        event.reset();
        assert!(!event.wait(Some(Duration::from_micros(10))));
        let pending = event.pending().expect("it is not signalled");
        assert!(Arc::ptr_eq(&pending, &event.pending().expect("as above")));
        event.signal();
        assert!(pending.is_over());
    }

    #[test]
    fn commands_wait_for_all_events() {
        let (a, b) = (Arc::new(Event::new(pool())), Arc::new(Event::new(pool())));
        let count = Arc::default();
        let task = behind(&[&a, &b, &a], &count, None);
        a.signal();
        assert!(!task.is_over());
        // It was signalled when the command waited for it, which counts.
        a.reset();
        b.signal();
        assert!(task.wait());
        assert_eq!(count.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn a_thread_that_sleeps_is_woken() {
        for round in 0..200u32 {
            let event = Arc::new(Event::new(pool()));
            let signaller = {
                let event = event.clone();
                thread::spawn(move || {
                    (0..round * 100).for_each(|_| std::hint::spin_loop());
                    event.signal();
                })
            };
            assert!(event.wait(None));
            signaller.join().unwrap();
        }
    }

    /// A chain of commands, each of which waits for the one before by an event, ends without recursion.
    #[test]
    fn a_long_chain() {
        const LENGTH: usize = 50_000;
        let count = Arc::default();
        let events: Vec<_> = (0..=LENGTH).map(|_| Arc::new(Event::new(pool()))).collect();
        for pair in events.windows(2) {
            behind(&[&pair[0]], &count, Some(&pair[1]));
        }
        events[0].signal();
        assert!(events[LENGTH].wait(None));
        assert_eq!(count.load(Ordering::Relaxed), LENGTH as u64);
    }

    /// A command that signals an event when it ends, and then ends another command.
    #[test]
    fn a_command_that_ends_others_signals() {
        struct Both(Arc<Event>, Option<Arc<dyn Node>>);

        impl Work for Both {
            fn run(&self, _chunks: std::ops::Range<u64>, _worker: &mut ThreadContext) -> Result<(), Fault> {
                Ok(())
            }

            fn over(&mut self, _result: Result<(), &Failure>) {
                self.0.signal();
                self.1.take().into_iter().for_each(submit);
            }
        }

        let (event, other, count) = (Arc::new(Event::new(pool())), unsubmitted(pool()), Arc::default());
        let behind = behind(&[&event], &count, None);
        let both: Arc<dyn Node> = Task::new(pool(), Both(event, Some(other.clone())), false);
        submit(both);
        assert!(behind.wait() && other.wait());
    }

    #[test]
    fn an_event_that_goes_lets_commands_go_on() {
        let event = Arc::new(Event::new(pool()));
        let pending = event.pending().expect("it is not signalled");
        drop(event);
        assert!(pending.wait());
    }
}
