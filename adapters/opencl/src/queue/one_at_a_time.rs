// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The calls of the driver that put commands into an out-of-order queue, one at a time.
//!
//! OpenCL lets threads do that at once. Intel's driver crashes (docs/known-issues.md) if one of the commands is a marker or a
//! barrier. Markers come from any thread that frees USM, and `clFinish` makes one, too. In-order queues are not affected, nor are
//! waits for events.

use std::sync::atomic::{AtomicUsize, Ordering};

use oxur_fork::{Turn, Turns};

/// Which thread calls the driver with the queue.
#[derive(Default)]
pub(super) struct OneAtATime {
    /// The driver is called meanwhile, so the process may fork.
    turns: Turns,
    /// The thread that has the turn, or 0.
    thread: AtomicUsize,
}

/// Lets the next thread in when it is dropped.
#[must_use]
pub(super) struct Alone<'a> {
    thread: &'a AtomicUsize,
    _turn: Turn<'a>,
}

impl OneAtATime {
    /// Waits until no other thread calls; `None` if this one does already, as in a callback.
    #[inline]
    pub(super) fn enter(&self) -> Option<Alone<'_>> {
        let me = oxur_fork::this_thread();
        // No other thread stores this value.
        if self.thread.load(Ordering::Relaxed) == me {
            return None;
        }
        let turn = self.turns.try_take().unwrap_or_else(|| self.wait());
        self.thread.store(me, Ordering::Relaxed);
        Some(Alone {
            thread: &self.thread,
            _turn: turn,
        })
    }

    #[cold]
    fn wait(&self) -> Turn<'_> {
        // About as long as a call takes.
        const PATIENCE: usize = 200;
        for _ in 0..PATIENCE {
            std::hint::spin_loop();
            if let Some(turn) = self.turns.try_take() {
                return turn;
            }
        }
        self.turns.take()
    }
}

impl Drop for Alone<'_> {
    #[inline]
    fn drop(&mut self) {
        self.thread.store(0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;

    use super::*;

    #[test]
    fn one_thread_is_inside() {
        let (calls, inside) = (OneAtATime::default(), AtomicU32::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let alone = calls.enter();
                        assert!(alone.is_some());
                        assert_eq!(inside.fetch_add(1, Ordering::Relaxed), 0);
                        std::thread::yield_now();
                        assert!(calls.enter().is_none(), "it would wait for itself");
                        inside.fetch_sub(1, Ordering::Relaxed);
                        drop(alone);
                    }
                });
            }
        });
    }
}
