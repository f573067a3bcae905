// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Sleeping until a word of memory changes: Linux's futex.
//!
//! Not a mutex with a condition variable: a mutex that another thread holds at a `fork` stays locked in the child
//! forever.

use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Sleeps while the word has this value, or until [`wake`]. May return early. Returns false after a timeout.
pub fn wait(word: &AtomicU32, value: u32, timeout: Option<Duration>) -> bool {
    sleep(word, libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG, value, timeout)
}

/// The same for a word in memory that processes share.
pub fn wait_shared(word: &AtomicU32, value: u32, timeout: Duration) -> bool {
    sleep(word, libc::FUTEX_WAIT, value, Some(timeout))
}

fn sleep(word: &AtomicU32, operation: i32, value: u32, timeout: Option<Duration>) -> bool {
    let time = timeout.map(|timeout| libc::timespec {
        tv_sec: timeout.as_secs() as libc::time_t,
        tv_nsec: timeout.subsec_nanos().into(),
    });
    let time = time.as_ref().map_or(ptr::null(), ptr::from_ref);
    // SAFETY: the word is alive, and `time` is null or points to a time that is.
    let result = unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), operation, value, time) };
    result == 0 || std::io::Error::last_os_error().raw_os_error() != Some(libc::ETIMEDOUT)
}

/// Wakes up to `count` threads that sleep on the word.
///
/// The word may be freed by now and its address reused. At worst a thread wakes early.
pub(super) fn wake(word: *const AtomicU32, count: u32) {
    let operation = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
    // SAFETY: to wake threads, the kernel only looks up the address.
    unsafe { libc::syscall(libc::SYS_futex, word, operation, count) };
}

/// Wakes all threads of this process that sleep on the word.
pub fn wake_all(word: &AtomicU32) {
    wake(word, i32::MAX as u32);
}

/// Wakes all threads, of any process, that sleep on a word in memory that processes share.
pub fn wake_all_shared(word: &AtomicU32) {
    // SAFETY: the word is live.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, i32::MAX) };
}

/// A semaphore: each [`Semaphore::post`] ends one [`Semaphore::wait`], whichever comes first.
#[derive(Debug, Default)]
pub(super) struct Semaphore {
    posts: AtomicU32,
}

impl Semaphore {
    /// Ends a wait.
    pub(super) fn post(&self) {
        self.posts.fetch_add(1, Ordering::Release);
        wake(&self.posts, 1);
    }

    /// Waits for a post.
    pub(super) fn wait(&self) {
        while !self.take() {
            wait(&self.posts, 0, None);
        }
    }

    /// Waits for a post, but not longer than this. Returns whether there was one.
    pub(super) fn wait_for(&self, timeout: Duration) -> bool {
        loop {
            if self.take() {
                return true;
            }
            if !wait(&self.posts, 0, Some(timeout)) {
                return self.take();
            }
        }
    }

    fn take(&self) -> bool {
        self.posts
            .fetch_update(Ordering::Acquire, Ordering::Relaxed, |posts| posts.checked_sub(1))
            .is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_post_for_each_wait() {
        let semaphore = Semaphore::default();
        assert!(!semaphore.wait_for(Duration::from_millis(1)));
        std::thread::scope(|scope| {
            let waiting: Vec<_> = (0..4).map(|_| scope.spawn(|| semaphore.wait())).collect();
            (0..4).for_each(|_| semaphore.post());
            waiting.into_iter().for_each(|thread| thread.join().unwrap());
        });
        assert!(!semaphore.take());
        semaphore.post();
        assert!(semaphore.wait_for(Duration::from_secs(10)));
    }
}
