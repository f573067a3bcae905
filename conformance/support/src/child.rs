// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Copies of the test process, for calls that crash.

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
            libc::alarm(120);
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
