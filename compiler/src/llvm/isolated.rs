// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What to do when LLVM gives up.
//!
//! There are errors of which LLVM thinks that nothing can go on after them ("Cannot select"): it calls a handler that must
//! not return, and ends the process. It is built without exceptions, so nothing unwinds either. A compilation therefore
//! has a thread of its own, which such an error stops for good, with all that it has: the rest of the process goes on, and the
//! client gets an error. LLVM reports these errors where it holds none of its own locks.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::{Builder, JoinHandle};

use llvm_sys::LLVMDiagnosticSeverity;
use llvm_sys::core::*;
use llvm_sys::error_handling::LLVMInstallFatalErrorHandler;
use llvm_sys::prelude::*;
use oxur_fork::OnceLock;

use super::take_message;
use crate::Error;
use crate::runtime::FloatEnv;

/// LLVM recurses deeply, and the client's threads may have small stacks. Only what is used is ever there.
const STACK: usize = 64 << 20;

/// How a compilation ended.
enum End<R> {
    Returned(Result<R, Error>),
    Panicked(Box<dyn Any + Send>),
    /// Its thread stands still.
    Fatal(String),
}

thread_local! {
    /// What this thread compiles, and, if it is one of its own, whom to tell that it cannot.
    static COMPILES: RefCell<Option<(String, Option<Tell>)>> = const { RefCell::new(None) };
    /// What is wrong with the code that this thread compiles, in LLVM's words.
    static PROBLEM: RefCell<Option<String>> = const { RefCell::new(None) };
}

type Tell = Box<dyn FnOnce(String)>;

/// Runs `work`, which calls LLVM to compile `what`, in a thread of its own.
pub fn isolated<R: Send + 'static>(what: &str, work: impl FnOnce() -> Result<R, Error> + Send) -> Result<R, Error> {
    static INSTALLED: OnceLock<()> = OnceLock::new();
    // SAFETY: a function that may be called at any time.
    INSTALLED.get_or_init(|| unsafe { LLVMInstallFatalErrorHandler(Some(gave_up)) });
    let mut work = Some(work);
    match start(what, &mut work) {
        Ok((thread, end)) => match end.recv() {
            Ok(End::Returned(result)) => {
                // It has nothing more to do but to end.
                _ = thread.join();
                result
            }
            Ok(End::Panicked(panic)) => resume_unwind(panic),
            Ok(End::Fatal(reason)) => Err(Error::Codegen(reason)),
            Err(_) => Err(Error::Codegen("the thread that compiles is gone".into())),
        },
        Err(error) => {
            log::debug!("no thread of its own for a compilation: {error}");
            let work = work.take().expect("no thread has it");
            COMPILES.set(Some((what.to_owned(), None)));
            let result = compile(work);
            COMPILES.set(None);
            result
        }
    }
}

type Started<R> = (JoinHandle<()>, Receiver<End<R>>);

/// Starts a thread that takes `work` and runs it. It stays where it is if there is no thread.
fn start<R: Send + 'static, F: FnOnce() -> Result<R, Error> + Send>(
    what: &str,
    work: &mut Option<F>,
) -> std::io::Result<Started<R>> {
    let (send, end) = sync_channel(1);
    let what = what.to_owned();
    let run = move || {
        block_signals();
        // As the one that waits for this one is: a process that wants to fork waits for the end, and who has come to the
        // gate once need not wait there again.
        let _section = oxur_fork::section();
        let fatal = send.clone();
        let tell: Tell = Box::new(move |reason| _ = fatal.send(End::Fatal(reason)));
        COMPILES.set(Some((what, Some(tell))));
        let work = work.take().expect("it is started once");
        let end = match catch_unwind(AssertUnwindSafe(|| compile(work))) {
            Ok(result) => End::Returned(result),
            Err(panic) => End::Panicked(panic),
        };
        COMPILES.set(None);
        _ = send.send(end);
    };
    let thread = Builder::new().name("ur compiler".into()).stack_size(STACK);
    // SAFETY: what it borrows lives until it has sent how it ended, for which `isolated` waits. After that it looks at
    // nothing of it: it has taken the work.
    let thread = unsafe { thread.spawn_unchecked(run) }?;
    Ok((thread, end))
}

fn compile<R>(work: impl FnOnce() -> Result<R, Error>) -> Result<R, Error> {
    let _env = FloatEnv::enter_default();
    PROBLEM.set(None);
    let result = work();
    // LLVM goes on after an error in the code, and what it makes then is no code.
    match PROBLEM.take() {
        Some(problem) => Err(Error::Codegen(problem)),
        None => result,
    }
}

/// LLVM's handler of errors after which it ends the process, unless this does not return.
extern "C" fn gave_up(reason: *const c_char) {
    // SAFETY: LLVM's text, which ends with a zero.
    let reason = unsafe { CStr::from_ptr(reason) }.to_string_lossy().into_owned();
    let Some((what, tell)) = COMPILES.try_with(RefCell::take).ok().flatten() else {
        return log::error!("LLVM gives up, and ends the process: {reason}");
    };
    log::error!(
        "LLVM gives up on {what}: {reason}. Please report it; UR_CPU_MODE=scalar or the option -cl-opt-disable may help"
    );
    if let Some(tell) = tell {
        tell(format!("LLVM gives up on {what}: {reason}"));
        oxur_fork::stop_for_good();
    }
}

/// Takes note of errors in the code, of which LLVM would otherwise end the process.
pub(super) fn note_problems(context: LLVMContextRef) {
    extern "C" fn note(info: LLVMDiagnosticInfoRef, _data: *mut c_void) {
        // SAFETY: LLVM's, alive during the call; the text is ours.
        let (severity, text) = unsafe {
            (
                LLVMGetDiagInfoSeverity(info),
                take_message(LLVMGetDiagInfoDescription(info)),
            )
        };
        match severity {
            LLVMDiagnosticSeverity::LLVMDSError => _ = PROBLEM.try_with(|problem| problem.replace(Some(text))),
            _ => log::debug!("LLVM says: {text}"),
        }
    }
    // SAFETY: a live context, and a function for all time.
    unsafe { LLVMContextSetDiagnosticHandler(context, Some(note), ptr::null_mut()) };
}

/// Leaves the client's signals to the client's threads.
fn block_signals() {
    let raised = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGABRT];
    // SAFETY: a mask that is made whole; it is this thread's only.
    unsafe {
        let mut set = std::mem::zeroed();
        libc::sigfillset(&mut set);
        raised
            .into_iter()
            .for_each(|signal| _ = libc::sigdelset(&mut set, signal));
        libc::pthread_sigmask(libc::SIG_SETMASK, &set, ptr::null_mut());
    }
}
