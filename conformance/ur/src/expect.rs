// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Assertions about result codes, and deviations from the specification as data beside them.

use oxur_client::api::ResultCode;
use oxur_client::{Error, Result};

use crate::{Stack, stack};

/// The result code of a call; a function that the library should have and lacks fails the test.
pub fn check<T>(result: Result<T>) -> ResultCode {
    match result {
        Ok(_) => ResultCode::SUCCESS,
        Err(Error::Ur { code, .. }) => code,
        Err(error) => panic!("{error}"),
    }
}

/// What Intel's stack is known to do otherwise, and why.
#[derive(Clone, Copy, Debug)]
pub enum Known {
    /// It gives one of these codes.
    Codes(&'static [ResultCode], &'static str),
    /// It crashes or never returns.
    Crash(&'static str),
}

/// Asserts that a call gives one of the `expected` codes; or, on Intel's stack, does what is `known` of it. A deviation
/// that has gone is a failure too: its entry is to be removed.
#[track_caller]
pub fn expect_code(what: &str, call: impl FnOnce() -> ResultCode, expected: &[ResultCode], known: Option<Known>) {
    match known.filter(|_| stack() == Stack::Intel) {
        Some(Known::Codes(codes, reason)) => {
            let got = call();
            assert!(
                codes.contains(&got),
                "{what}\n gave {got:?}, known for {codes:?} because: {reason}"
            );
            println!("known deviation: {what} gives {got:?} and not {expected:?}: {reason}");
        }
        Some(Known::Crash(reason)) => {
            let ending = in_child(|| {
                call();
                0
            });
            assert!(
                matches!(ending, Ending::Killed(_)),
                "{what}\n: {ending:?}, known to crash because: {reason}"
            );
            println!("known deviation: {what}: {ending:?} and not {expected:?}: {reason}");
        }
        None => {
            let got = call();
            assert!(expected.contains(&got), "{what}\n gave {got:?}, not {expected:?}");
        }
    }
}

/// How a child process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It returned, with this value.
    Returned(u8),
    /// A signal ended it.
    Killed(i32),
}

/// Runs `what` in a copy of this process, for calls that a library under test is known to crash in.
///
/// The copy has this thread only, so `what` must not wait for others.
pub fn in_child(what: impl FnOnce() -> u8) -> Ending {
    // SAFETY: the child runs one thread, calls the library under test, and leaves by `_exit` or a signal.
    unsafe {
        let child = libc::fork();
        assert!(child >= 0, "fork failed");
        if child == 0 {
            // Neither a core file nor the driver's crash report, and an end to endless loops.
            for signal in [libc::SIGSEGV, libc::SIGABRT, libc::SIGBUS, libc::SIGILL] {
                libc::signal(signal, libc::SIG_DFL);
            }
            libc::setrlimit(
                libc::RLIMIT_CORE,
                &libc::rlimit {
                    rlim_cur: 0,
                    rlim_max: 0,
                },
            );
            libc::alarm(10);
            let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(what));
            libc::_exit(result.map_or(255, i32::from));
        }
        let mut status = 0;
        assert_eq!(libc::waitpid(child, &mut status, 0), child, "waitpid failed");
        if libc::WIFSIGNALED(status) {
            Ending::Killed(libc::WTERMSIG(status))
        } else {
            Ending::Returned(libc::WEXITSTATUS(status) as u8)
        }
    }
}
