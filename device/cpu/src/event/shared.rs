// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Events whose state is in memory that processes share.

use std::any::Any;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use oxur_fork::Mutex;

use super::{RESET, SIGNALLED};
use crate::exec::{Condition, Node, Pool, client_threads, futex, submit_later};
use crate::order::unsubmitted;

/// How long a thread sleeps before it looks whether anybody still waits.
pub(super) const NAP: Duration = Duration::from_millis(500);

/// An event that other processes signal and reset, too.
pub struct SharedEvent {
    /// [`RESET`] or anything else, in memory that `_memory` keeps.
    state: *const AtomicU32,
    _memory: Arc<dyn Any + Send + Sync>,
    /// Ends when the event is signalled, for commands of this process that wait for it.
    pending: Mutex<Option<Arc<dyn Node>>>,
    pool: &'static Pool,
}

// SAFETY: the state is atomic, and the memory lives as long as the event.
unsafe impl Send for SharedEvent {}
// SAFETY: as above.
unsafe impl Sync for SharedEvent {}

impl SharedEvent {
    /// The event with this state.
    ///
    /// # Safety
    /// The word must be in memory that `memory` keeps. Other processes may change it at any time.
    pub unsafe fn new(state: *const AtomicU32, memory: Arc<dyn Any + Send + Sync>, pool: &'static Pool) -> Arc<Self> {
        Arc::new(Self {
            state,
            _memory: memory,
            pending: Mutex::new(None),
            pool,
        })
    }

    fn state(&self) -> &AtomicU32 {
        // SAFETY: the caller of `new` says that it is there.
        unsafe { &*self.state }
    }

    /// Whether it is signalled.
    pub fn is_signalled(&self) -> bool {
        self.state().load(Ordering::Acquire) != RESET
    }

    /// Signals it, for all processes.
    pub fn signal(&self) {
        self.state().store(SIGNALLED, Ordering::SeqCst);
        futex::wake_all_shared(self.state());
        self.resolve();
    }

    /// Resets it, for all processes.
    pub fn reset(&self) {
        self.state().store(RESET, Ordering::SeqCst);
    }

    /// Waits until it is signalled, for at most this long. Returns whether it is.
    pub fn wait(&self, timeout: Option<Duration>) -> bool {
        let end = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        loop {
            let left = end.map_or(NAP, |end| end.saturating_duration_since(Instant::now()));
            if self.is_signalled() || left.is_zero() {
                return self.is_signalled();
            }
            futex::wait_shared(self.state(), RESET, left.min(NAP));
        }
    }

    /// Lets the commands of this process go on.
    fn resolve(&self) {
        let pending = self.pending.lock().take();
        pending.into_iter().for_each(submit_later);
    }

    /// Waits for a signal of another process on a thread, as long as commands of this one wait.
    fn watch(event: &Weak<Self>) {
        while let Some(event) = event.upgrade() {
            if event.wait(Some(NAP)) {
                return event.resolve();
            }
            if event.pending.lock().is_none() {
                return;
            }
        }
    }

    /// A command that ends when it is signalled; `None` if it is now.
    fn pending(self: &Arc<Self>) -> Option<Arc<dyn Node>> {
        if self.is_signalled() {
            return None;
        }
        let mut pending = self.pending.lock();
        if let Some(node) = &*pending {
            return Some(node.clone());
        }
        let node = unsubmitted(self.pool);
        *pending = Some(node.clone());
        drop(pending);
        let weak = Arc::downgrade(self);
        if let Err((error, watch)) = client_threads::spawn(Box::new(move || Self::watch(&weak))) {
            log::warn!("no thread can wait for another process, so the caller does: {error}");
            watch();
        }
        Some(node)
    }
}

impl Condition for Arc<SharedEvent> {
    fn pending(&self) -> Option<Arc<dyn Node>> {
        SharedEvent::pending(self)
    }
}

impl Drop for SharedEvent {
    fn drop(&mut self) {
        // Commands that wait for it would wait forever.
        self.resolve();
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    /// Two events with the same state stand for those of two processes.
    #[test]
    fn commands_go_on_when_another_process_signals() {
        let pool = Pool::of(&[0], 3, true);
        let memory = Arc::new(AtomicU32::new(RESET));
        // SAFETY: `memory` is the word.
        let event = || unsafe { SharedEvent::new(Arc::as_ptr(&memory), memory.clone(), pool) };
        let (here, there) = (event(), event());
        assert!(!here.wait(Some(Duration::ZERO)));
        let node = here.pending().expect("it is not signalled");
        assert!(Arc::ptr_eq(&node, &here.pending().expect("as above")));
        let signaller = thread::spawn(move || there.signal());
        assert!(node.wait() && here.wait(None));
        signaller.join().unwrap();
        here.reset();
        let node = here.pending().expect("it was reset");
        drop(here);
        assert!(node.wait());
    }
}
