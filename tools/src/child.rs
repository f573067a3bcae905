// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Runs a program as if it had replaced this process: the program gets this process's signals, and this process ends as it did.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, FromRawFd as _, OwnedFd};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, ExitCode, ExitStatus};
use std::ptr;

use rustix::event::{PollFd, PollFlags, poll};

use crate::cache::Watch;

/// The signals that are passed on. Others have their usual effect on this process.
const PASSED_ON: [i32; 8] = [
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGTERM,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGALRM,
    libc::SIGWINCH,
];

/// How a program has ended.
pub struct Ending(ExitStatus);

impl Ending {
    /// The same end for this process: its exit code, or it dies here of the same signal.
    pub fn repeat(self) -> ExitCode {
        if let Some(signal) = self.0.signal() {
            let no_core = libc::rlimit {
                rlim_cur: 0,
                rlim_max: 0,
            };
            let set = set_of(&[signal]);
            // SAFETY: the structures are initialised and outlive the calls.
            unsafe {
                // The program has dumped its core, if any. This one's would replace it.
                libc::setrlimit(libc::RLIMIT_CORE, &no_core);
                libc::signal(signal, libc::SIG_DFL);
                libc::sigprocmask(libc::SIG_UNBLOCK, &set, ptr::null_mut());
                libc::raise(signal);
            }
            // The first process of a container survives its own signals.
            return ExitCode::from(128u8.wrapping_add(signal as u8));
        }
        ExitCode::from(self.0.code().map_or(1, |code| code as u8))
    }
}

fn set_of(signals: &[i32]) -> libc::sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: `sigemptyset` initialises the set.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        signals
            .iter()
            .for_each(|&signal| _ = libc::sigaddset(set.as_mut_ptr(), signal));
        set.assume_init()
    }
}

/// Runs a program, passes signals on to it, and keeps `watch` up to date, until the program ends.
pub fn run(command: &mut Command, watch: &mut Watch) -> io::Result<Ending> {
    let mut set = set_of(&PASSED_ON);
    let mut old_set = set_of(&[]);
    // From here on, what arrives is read from the file. A parent may have left SIGCHLD ignored: then no status would be kept.
    // SAFETY: the sets are initialised, and the default action is no function.
    let (signals, old_child_action) = unsafe {
        libc::sigaddset(&mut set, libc::SIGCHLD);
        let old = libc::signal(libc::SIGCHLD, libc::SIG_DFL);
        libc::sigprocmask(libc::SIG_BLOCK, &set, &mut old_set);
        let fd = libc::signalfd(-1, &set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK);
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        (OwnedFd::from_raw_fd(fd), old)
    };
    let as_before = move || {
        // SAFETY: these functions may be called after a fork; the set is initialised, and the action is that of this process before it
        // blocked the signals, which had no functions of its own for them.
        unsafe {
            libc::signal(libc::SIGCHLD, old_child_action);
            libc::sigprocmask(libc::SIG_SETMASK, &old_set, ptr::null_mut());
            // As if it were this process, nobody leaves it behind.
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        }
        Ok(())
    };
    // SAFETY: the closure allocates nothing and takes no lock.
    let mut child = unsafe { command.pre_exec(as_before) }.spawn()?;
    loop {
        pass_on(&signals, &child);
        watch.update();
        if let Some(status) = child.try_wait()? {
            return Ok(Ending(status));
        }
        let mut files = vec![PollFd::new(&signals, PollFlags::IN)];
        files.extend(watch.fd().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
        match poll(&mut files, None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Passes on the signals that have arrived.
fn pass_on(signals: &OwnedFd, child: &Child) {
    /// The sender of what a terminal sends. The program is in the same process group, and gets it as well.
    const KERNEL: i32 = 0x80;
    let mut bytes = [0; size_of::<libc::signalfd_siginfo>()];
    while rustix::io::read(signals.as_fd(), &mut bytes).is_ok_and(|read| read == bytes.len()) {
        // SAFETY: the kernel has written one such structure, which is plain numbers.
        let info: libc::signalfd_siginfo = unsafe { ptr::read_unaligned(bytes.as_ptr().cast()) };
        let signal = info.ssi_signo as i32;
        if signal != libc::SIGCHLD && info.ssi_code != KERNEL {
            // SAFETY: has no preconditions. The child was not waited for, so the number is still its own.
            unsafe { libc::kill(child.id() as libc::pid_t, signal) };
        }
    }
}
