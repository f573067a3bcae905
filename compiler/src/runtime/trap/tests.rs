// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Signals that are none of ours go where they would go without us. Each in a child process, since they end it.

use std::sync::atomic::{AtomicI32, AtomicU64};

use super::super::signals::SIGNALS;
use super::*;

/// Runs `what` in a child; how that ended.
fn in_child(what: impl FnOnce() -> i32) -> i32 {
    // SAFETY: the child calls what is to be tested, and leaves by `_exit` or a signal.
    unsafe {
        let child = libc::fork();
        if child == 0 {
            let none = libc::rlimit {
                rlim_cur: 0,
                rlim_max: 0,
            };
            libc::setrlimit(libc::RLIMIT_CORE, &none);
            libc::alarm(120);
            libc::_exit(what());
        }
        let mut status = 0;
        assert_eq!(libc::waitpid(child, &mut status, 0), child);
        if libc::WIFSIGNALED(status) {
            -libc::WTERMSIG(status)
        } else {
            libc::WEXITSTATUS(status)
        }
    }
}

fn send(signal: i32) {
    // SAFETY: to this process.
    unsafe { libc::kill(libc::getpid(), signal) };
}

/// Sets what handles a signal, before the handler of ours comes.
fn act(signal: i32, handler: usize, flags: i32, blocked: &[i32]) {
    // SAFETY: a structure that is whole.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler;
        action.sa_flags = flags;
        blocked
            .iter()
            .for_each(|other| _ = libc::sigaddset(&mut action.sa_mask, *other));
        assert_eq!(libc::sigaction(signal, &action, ptr::null_mut()), 0);
    }
}

static CALLS: AtomicI32 = AtomicI32::new(0);
static BLOCKED: AtomicU64 = AtomicU64::new(0);

extern "C" fn note(_signal: i32) {
    CALLS.fetch_add(1, Ordering::Relaxed);
    // SAFETY: asks for this thread's mask.
    unsafe {
        let mut mask = std::mem::zeroed();
        libc::pthread_sigmask(libc::SIG_BLOCK, ptr::null(), &mut mask);
        let blocked = (1..32).filter(|signal| libc::sigismember(&mask, *signal) == 1);
        BLOCKED.store(blocked.map(|signal| 1 << signal).sum(), Ordering::Relaxed);
    }
}

fn blocked() -> Vec<i32> {
    let blocked = BLOCKED.load(Ordering::Relaxed);
    (1..32).filter(|signal| blocked >> signal & 1 == 1).collect()
}

#[test]
fn what_is_sent_ends_the_process_at_once() {
    for signal in SIGNALS {
        let ending = in_child(|| {
            // The test harness, as every Rust program, has handlers for some.
            act(signal, libc::SIG_DFL, 0, &[]);
            install();
            send(signal);
            7
        });
        assert_eq!(ending, -signal);
    }
}

#[test]
fn what_is_sent_and_ignored_stays_ignored() {
    let ending = in_child(|| {
        act(libc::SIGFPE, libc::SIG_IGN, 0, &[]);
        install();
        send(libc::SIGFPE);
        send(libc::SIGFPE);
        7
    });
    assert_eq!(ending, 7);
}

#[test]
fn a_handler_runs_with_its_mask() {
    let run = |flags, others: &[i32]| {
        act(libc::SIGSEGV, note as *const () as usize, flags, others);
        install();
        send(libc::SIGSEGV);
        let seen = blocked();
        // SAFETY: asks for this thread's mask.
        let mask = unsafe {
            let mut mask = std::mem::zeroed();
            libc::pthread_sigmask(libc::SIG_BLOCK, ptr::null(), &mut mask);
            mask
        };
        // SAFETY: a mask that was asked for.
        let left = (1..32).any(|signal| unsafe { libc::sigismember(&mask, signal) } == 1);
        (seen, left)
    };
    let ending = in_child(|| {
        let both = run(0, &[libc::SIGUSR1]);
        i32::from(both == (vec![libc::SIGUSR1, libc::SIGSEGV], false))
    });
    assert_eq!(ending, 1);
    let ending = in_child(|| {
        let other = run(libc::SA_NODEFER, &[libc::SIGUSR2]);
        i32::from(other == (vec![libc::SIGUSR2], false))
    });
    assert_eq!(ending, 1);
}

#[test]
fn a_handler_that_wants_to_be_called_once() {
    let ending = in_child(|| {
        act(libc::SIGSEGV, note as *const () as usize, libc::SA_RESETHAND, &[]);
        install();
        send(libc::SIGSEGV);
        assert_eq!(CALLS.load(Ordering::Relaxed), 1);
        send(libc::SIGSEGV);
        7
    });
    assert_eq!(ending, -libc::SIGSEGV);
}

/// The handler allocates nothing: a thread that has never run a kernel may be in the middle of `malloc`.
#[test]
fn threads_that_never_ran_a_kernel_are_not_known() {
    install();
    assert!(Thread::find().is_some());
    std::thread::spawn(|| {
        assert!(Thread::find().is_none());
        install();
        assert!(Thread::find().is_some());
    })
    .join()
    .unwrap();
    let own = thread_pointer();
    // One of each thread that lives, and those that ended are used again.
    for _ in 0..50 {
        std::thread::spawn(install).join().unwrap();
    }
    assert!(Thread::all().count() < 10);
    assert_eq!(
        in_child(|| i32::from(Thread::find().is_some() && thread_pointer() == own)),
        1
    );
}
