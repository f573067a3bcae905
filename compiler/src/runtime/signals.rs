// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Signal handlers: installs ours in front of the client's, and passes on the signals that are not ours.

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// A handler with `SA_SIGINFO`.
pub(super) type Handler = unsafe extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void);

/// The signals that an instruction can raise.
pub(super) const SIGNALS: [i32; 4] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL];

/// The handlers that were installed before ours, by signal. The actions are never freed, nor changed.
static BEFORE: [AtomicPtr<libc::sigaction>; 32] = [const { AtomicPtr::new(ptr::null_mut()) }; 32];

/// Installs a handler for all of our signals, in front of the current ones. To be called once.
pub(super) fn install(handler: Handler) {
    SIGNALS.into_iter().for_each(|signal| install_one(signal, handler));
}

fn install_one(signal: i32, handler: Handler) {
    let keep = |before| BEFORE[signal as usize].store(Box::into_raw(Box::new(before)), Ordering::Release);
    // SAFETY: structures of the right types, for which all zeros are valid.
    unsafe {
        let mut before: libc::sigaction = std::mem::zeroed();
        // Stored before the handler is installed, because a signal may arrive at once.
        libc::sigaction(signal, ptr::null(), &mut before);
        keep(before);
        let known = (before.sa_sigaction, before.sa_flags);
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigaction(signal, &action, &mut before);
        // Another thread may have changed it in between. A running handler may read the first action, so that is never
        // freed.
        if (before.sa_sigaction, before.sa_flags) != known {
            keep(before);
        }
    }
}

/// An alternate stack for signal handlers, which must run when the thread's own stack has overflowed.
pub(super) struct AlternateStack(*mut libc::c_void);

const ALTERNATE_SIZE: usize = 64 << 10;

impl AlternateStack {
    pub(super) fn new() -> Self {
        // SAFETY: queries the thread's alternate stack, and if there is none sets one, whose memory lives until the
        // thread ends.
        unsafe {
            let mut now: libc::stack_t = std::mem::zeroed();
            libc::sigaltstack(ptr::null(), &mut now);
            if now.ss_flags & libc::SS_DISABLE == 0 {
                return Self(ptr::null_mut());
            }
            let memory = libc::mmap(
                ptr::null_mut(),
                ALTERNATE_SIZE,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            );
            if memory == libc::MAP_FAILED {
                return Self(ptr::null_mut());
            }
            let ours = libc::stack_t {
                ss_sp: memory,
                ss_flags: 0,
                ss_size: ALTERNATE_SIZE,
            };
            libc::sigaltstack(&ours, ptr::null_mut());
            Self(memory)
        }
    }
}

impl Drop for AlternateStack {
    fn drop(&mut self) {
        if self.0.is_null() {
            return;
        }
        // SAFETY: our memory. It is disabled before it is freed, unless another stack has replaced it.
        unsafe {
            let mut now: libc::stack_t = std::mem::zeroed();
            libc::sigaltstack(ptr::null(), &mut now);
            if now.ss_sp == self.0 {
                let none = libc::stack_t {
                    ss_sp: ptr::null_mut(),
                    ss_flags: libc::SS_DISABLE,
                    ss_size: 0,
                };
                libc::sigaltstack(&none, ptr::null_mut());
            }
            libc::munmap(self.0, ALTERNATE_SIZE);
        }
    }
}

/// Calls the handler that was installed before ours, as if ours were not there.
///
/// # Safety
/// The arguments must be those of a handler that [`install`] installed.
pub(super) unsafe fn pass_on(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let place = &BEFORE[signal as usize];
    // SAFETY: written before our handler was installed, and never freed. A handler is called as its flags require, with
    // the signals blocked that it wants blocked.
    unsafe {
        let before = &*place.load(Ordering::Acquire);
        // Raised by an instruction, not sent by a process.
        let is_raised = (*info).si_code > 0;
        match before.sa_sigaction {
            libc::SIG_IGN if !is_raised => return,
            libc::SIG_DFL | libc::SIG_IGN => {
                libc::signal(signal, libc::SIG_DFL);
                // The instruction runs again when this returns. A signal that was sent is sent again, unchanged.
                if !is_raised {
                    let (process, thread) = (libc::getpid(), libc::syscall(libc::SYS_gettid));
                    libc::syscall(libc::SYS_rt_tgsigqueueinfo, process, thread, signal, info);
                }
                return;
            }
            _ => {}
        }
        if before.sa_flags & libc::SA_RESETHAND != 0 {
            place.store((&raw const DEFAULT.0).cast_mut(), Ordering::Release);
        }
        // The handler runs with the signal mask of the interrupted code, plus the signals that it wants blocked.
        let mut mask = (*context.cast::<libc::ucontext_t>()).uc_sigmask;
        for other in 1..=libc::SIGRTMAX() {
            if libc::sigismember(&before.sa_mask, other) == 1 {
                libc::sigaddset(&mut mask, other);
            }
        }
        if before.sa_flags & libc::SA_NODEFER == 0 {
            libc::sigaddset(&mut mask, signal);
        }
        let mut now = std::mem::zeroed();
        libc::pthread_sigmask(libc::SIG_SETMASK, &mask, &mut now);
        if before.sa_flags & libc::SA_SIGINFO != 0 {
            let handler: unsafe extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void) =
                std::mem::transmute(before.sa_sigaction);
            handler(signal, info, context);
        } else {
            let handler: unsafe extern "C" fn(i32) = std::mem::transmute(before.sa_sigaction);
            handler(signal);
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, &now, ptr::null_mut());
    }
}

/// The default action, installed after a one-shot handler (`SA_RESETHAND`).
struct Default(libc::sigaction);

// SAFETY: it is never changed.
unsafe impl Sync for Default {}

// SAFETY: all zeros are the default action.
static DEFAULT: Default = Default(unsafe { std::mem::zeroed() });
