// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! System calls for the threads of the engine.

use std::mem::MaybeUninit;

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

/// Binds this thread to these CPUs. It has inherited the affinity of the thread that started it, which may be
/// narrower.
pub(super) fn set_affinity(cpus: &[usize]) {
    let Some(last) = cpus.iter().max() else { return };
    let mut mask = vec![0u64; last / 64 + 1];
    for cpu in cpus {
        mask[cpu / 64] |= 1 << (cpu % 64);
    }
    // SAFETY: a mask of this many bytes; 0 is this thread.
    let result = unsafe { libc::sched_setaffinity(0, size_of_val(&*mask), mask.as_ptr().cast()) };
    if result != 0 {
        log::debug!(
            "a thread cannot be bound to its CPUs: {}",
            std::io::Error::last_os_error()
        );
    }
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
