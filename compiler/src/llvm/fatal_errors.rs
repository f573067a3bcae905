// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Survives LLVM's fatal errors.
//!
//! LLVM treats some errors ("Cannot select") as fatal: it calls a handler that must not return, and then ends the
//! process. It is built without exceptions, so it cannot unwind. So each compilation runs on a thread of its own. A
//! fatal error stops that thread forever and leaks its memory, while the rest of the process continues and the client
//! gets an error. LLVM reports these errors while it holds none of its own locks.
//!
//! It is the same where memory runs out. LLVM has a handler for its `malloc`. What C++ allocates besides ends in
//! `std::bad_alloc`, which nothing may catch on the way through LLVM and Rust; a new-handler stops the thread before
//! that. Rust would end the process, and an allocator stops the thread first. A thread that has been stopped keeps what
//! it locked, so a compilation begins only if there is some memory.

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

use super::{library, out_of_memory, take_message};
use crate::Error;
use crate::runtime::FloatEnv;

/// LLVM recurses deeply, and client threads may have small stacks. Unused pages cost nothing.
const STACK: usize = 64 << 20;
/// The stack where address space is short.
const SMALL_STACK: usize = 8 << 20;
/// What a compilation needs besides. Most kernels take less.
const HEADROOM: usize = 32 << 20;
/// What reporting an error takes at most.
const RESERVE: usize = 1 << 20;

/// How a compilation ended.
enum End<R> {
    Returned(Result<R, Error>),
    Panicked(Box<dyn Any + Send>),
    /// A fatal error stopped its thread.
    Fatal(Fatal),
}

/// What LLVM does not recover from.
enum Fatal {
    GaveUp(String),
    OutOfMemory,
}

thread_local! {
    /// What this thread compiles, and where to report that it failed.
    static COMPILES: RefCell<Option<(String, Option<Tell>)>> = const { RefCell::new(None) };
    /// LLVM's message for an error in the code that this thread compiles.
    static PROBLEM: RefCell<Option<String>> = const { RefCell::new(None) };
}

type Tell = Box<dyn FnOnce(Fatal)>;

/// Runs `work`, which calls LLVM to compile `what`, on a thread of its own.
pub fn isolated<R: Send + 'static>(what: &str, work: impl FnOnce() -> Result<R, Error> + Send) -> Result<R, Error> {
    let Some(stack) = [STACK, SMALL_STACK]
        .into_iter()
        .find(|stack| out_of_memory::is_there(stack + HEADROOM + library::room()))
    else {
        return Err(no_memory_for(what));
    };
    // Its constructors allocate, too, so not before there is memory. They compute, which raises exceptions in this thread.
    let env = FloatEnv::enter_default();
    let opened = library::open();
    drop(env);
    opened?;
    static INSTALLED: OnceLock<()> = OnceLock::new();
    // SAFETY: the function may be called at any time.
    INSTALLED.get_or_init(|| unsafe { LLVMInstallFatalErrorHandler(Some(gave_up)) });
    let _handlers = out_of_memory::Handlers::install();
    // For what is to be done when there is nothing left.
    let reserve = Vec::<u8>::with_capacity(RESERVE);
    let mut work = Some(work);
    match start(what, stack, &mut work) {
        Ok((thread, end)) => match end.recv() {
            Ok(End::Returned(result)) => {
                // The thread has only to end.
                _ = thread.join();
                result
            }
            Ok(End::Panicked(panic)) => resume_unwind(panic),
            Ok(End::Fatal(Fatal::GaveUp(reason))) => Err(Error::Codegen(reason)),
            Ok(End::Fatal(Fatal::OutOfMemory)) => {
                drop(reserve);
                Err(no_memory_for(what))
            }
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

fn no_memory_for(what: &str) -> Error {
    let error = Error::OutOfMemory(what.to_owned());
    log::error!("{error}");
    error
}

/// Reports to the thread that waits for this compilation, and stops this one. Returns where it has no thread of its own.
pub(super) fn stop_without_memory() {
    // Nothing may be allocated here.
    let Some((what, tell)) = COMPILES.try_with(RefCell::take).ok().flatten() else {
        return;
    };
    match tell {
        Some(tell) => {
            tell(Fatal::OutOfMemory);
            oxur_fork::stop_for_good()
        }
        None => _ = no_memory_for(&what),
    }
}

type Started<R> = (JoinHandle<()>, Receiver<End<R>>);

/// Starts a thread that takes `work` and runs it. `work` stays in place if no thread can be started.
fn start<R: Send + 'static, F: FnOnce() -> Result<R, Error> + Send>(
    what: &str,
    stack: usize,
    work: &mut Option<F>,
) -> std::io::Result<Started<R>> {
    let (send, end) = sync_channel(1);
    let what = what.to_owned();
    let run = move || {
        block_signals();
        // In a section, like the thread that waits for this one: a process that forks waits for the end, and locks that
        // are taken in a section need not wait at the gate.
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
    let thread = Builder::new().name("ur compiler".into()).stack_size(stack);
    // SAFETY: what it borrows lives until it has sent how it ended, for which `isolated` waits. After that it looks at
    // nothing of it: it has taken the work.
    let thread = unsafe { thread.spawn_unchecked(run) }?;
    Ok((thread, end))
}

fn compile<R>(work: impl FnOnce() -> Result<R, Error>) -> Result<R, Error> {
    let _env = FloatEnv::enter_default();
    PROBLEM.set(None);
    let result = work();
    // LLVM continues after an error in the code, but the result is unusable.
    match PROBLEM.take() {
        Some(problem) => Err(Error::Codegen(problem)),
        None => result,
    }
}

/// LLVM's fatal error handler. LLVM ends the process if it returns.
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
        tell(Fatal::GaveUp(format!("LLVM gives up on {what}: {reason}")));
        oxur_fork::stop_for_good();
    }
}

/// Records errors in the code. LLVM's default handler would end the process.
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
    // SAFETY: a live context, and a function that is never unloaded.
    unsafe { LLVMContextSetDiagnosticHandler(context, Some(note), ptr::null_mut()) };
}

/// Blocks the client's signals in this thread.
pub fn block_signals() {
    let raised = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGABRT];
    // SAFETY: the mask is initialized, and only this thread's changes.
    unsafe {
        let mut set = std::mem::zeroed();
        libc::sigfillset(&mut set);
        raised
            .into_iter()
            .for_each(|signal| _ = libc::sigdelset(&mut set, signal));
        libc::pthread_sigmask(libc::SIG_SETMASK, &set, ptr::null_mut());
    }
}
