// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! System calls for the threads of the engine.

use std::mem::MaybeUninit;

use crate::machine::topology;

/// Blocks all signals but those that a faulting kernel raises: handlers of the client must not run on these threads.
pub(super) fn block_signals() {
    let raised = [
        libc::SIGSEGV,
        libc::SIGBUS,
        libc::SIGFPE,
        libc::SIGILL,
        libc::SIGTRAP,
        libc::SIGABRT,
        libc::SIGSYS,
    ];
    let mut set = MaybeUninit::uninit();
    // SAFETY: `sigfillset` initializes the set. The other calls change only the set and this thread's mask.
    unsafe {
        libc::sigfillset(set.as_mut_ptr());
        for signal in raised {
            libc::sigdelset(set.as_mut_ptr(), signal);
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, set.as_ptr(), std::ptr::null_mut());
    }
}

/// A thread of this process.
#[derive(Debug, Clone, Copy)]
pub(super) struct ThreadId(libc::pid_t);

/// The calling thread.
pub(super) fn this_thread() -> ThreadId {
    // SAFETY: the call has no preconditions.
    ThreadId(unsafe { libc::gettid() })
}

/// The CPU that runs the calling thread. It may be another one by now.
pub(super) fn current_cpu() -> Option<usize> {
    // SAFETY: the call has no preconditions.
    unsafe { libc::sched_getcpu() }.try_into().ok()
}

/// A set of CPUs, a bit each.
#[derive(Debug)]
pub(super) struct CpuSet(Box<[u64]>);

impl CpuSet {
    pub(super) fn of(cpus: &[usize]) -> Self {
        let mut words = vec![0; cpus.iter().max().map_or(0, |last| last / 64 + 1)];
        for cpu in cpus {
            words[cpu / 64] |= 1 << (cpu % 64);
        }
        Self(words.into())
    }
}

#[cfg(test)]
impl CpuSet {
    /// The least number of a CPU.
    pub(super) fn first(&self) -> Option<u32> {
        let words = || self.0.iter().zip(0..);
        words().find_map(|(word, at)| (*word != 0).then(|| 64 * at + word.trailing_zeros()))
    }
}

/// Binds a thread to these CPUs.
pub(super) fn set_affinity(thread: ThreadId, cpus: &CpuSet) {
    // SAFETY: a mask of this many bytes, which the call reads.
    let result = unsafe { libc::sched_setaffinity(thread.0, size_of_val(&*cpus.0), cpus.0.as_ptr().cast()) };
    if result != 0 {
        log::debug!(
            "a thread cannot be bound to its CPUs: {}",
            std::io::Error::last_os_error()
        );
    }
}

/// Whether a thread may run on these CPUs, and on no others. On machines with more than 1024 CPUs it says no.
pub(super) fn has_affinity(thread: ThreadId, cpus: &CpuSet) -> bool {
    let mut words = [0; 16];
    let len = cpus.0.len();
    topology::read_affinity(thread.0, &mut words)
        && words.get(..len) == Some(&*cpus.0)
        && words[len..].iter().all(|word| *word == 0)
}

/// How often this thread has blocked.
pub(super) fn times_blocked() -> u64 {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the call writes a structure that is all numbers, for which zeros are valid, too.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr());
        usage.assume_init()
    };
    usage.ru_nvcsw as u64
}
