// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Trap scopes: run code that may fault on a stack of its own, which can be abandoned.
//!
//! A signal that the code raises (invalid memory, a trapping instruction, a stack overflow) ends the code and not the
//! process. Signals raised elsewhere go to the handler that was installed before.

use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use corosensei::trap::CoroutineTrapHandler;
use corosensei::{Coroutine, CoroutineResult, Yielder};
use oxur_fork::OnceLock;

use super::signals::{self, AlternateStack};
use super::stacks::Stack;
use crate::Fault;
use crate::target::host::thread::{Interrupted, stack_pointer, thread_pointer};

/// Why code ended, in a form that a signal handler can write.
type Outcome = Result<(), Trap>;

/// A signal that ended the code.
#[derive(Clone, Copy)]
enum Trap {
    Memory(usize),
    StackOverflow,
    Signal(i32),
}

impl From<Trap> for Fault {
    fn from(trap: Trap) -> Self {
        match trap {
            Trap::Memory(address) => Self::Memory(address),
            Trap::StackOverflow => Self::StackOverflow,
            Trap::Signal(signal) => Self::Signal(signal),
        }
    }
}

/// Code on a stack of its own.
pub struct TrapScope(Coroutine<(), (), Outcome, Stack>);

/// The code that this thread runs.
#[derive(Clone, Copy)]
struct Running {
    trap: CoroutineTrapHandler<Outcome>,
    yielder: *const Yielder<(), ()>,
    /// Where the code stores the reason if it raises a fault.
    gave_up: *mut Option<Fault>,
}

// SAFETY: `running` is accessed by its thread only.
unsafe impl Sync for Thread {}

thread_local! {
    /// This thread's state; null before its first kernel.
    static RUNNING_HERE: Cell<*const Thread> = const { Cell::new(ptr::null()) };
}

/// This thread, which runs some code.
#[inline]
fn this_thread() -> &'static Thread {
    let thread = RUNNING_HERE.get();
    assert!(!thread.is_null(), "compiled code runs guarded");
    // SAFETY: not null, and never freed.
    unsafe { &*thread }
}

/// What this thread runs at the moment.
#[inline]
fn running() -> &'static Cell<Option<Running>> {
    &this_thread().running
}

/// The outcome of running code.
pub enum Step {
    /// It waits to be resumed.
    Waits,
    /// It ended, or failed.
    Ended(Result<(), Fault>),
}

impl TrapScope {
    /// Prepares to run `code`.
    ///
    /// # Safety
    /// The borrows of `code` must outlive this value.
    pub unsafe fn new(stack: Stack, code: impl FnOnce()) -> Self {
        // SAFETY: passed on to the caller.
        Self(unsafe {
            Coroutine::with_stack_unchecked(stack, move |yielder, ()| {
                begin(yielder);
                code();
                Ok(())
            })
        })
    }

    /// Prepares to run `code` each time that it is resumed. It waits after each run.
    ///
    /// # Safety
    /// As for [`new`](Self::new).
    pub unsafe fn repeating(stack: Stack, mut code: impl FnMut()) -> Self {
        // SAFETY: passed on to the caller.
        Self(unsafe {
            Coroutine::with_stack_unchecked(stack, move |yielder, ()| {
                begin(yielder);
                loop {
                    code();
                    // Not by `wait`: a function that returns after a switch of stacks returns where no CPU expects it.
                    yielder.suspend(());
                }
            })
        })
    }

    /// Runs the code until it waits or ends.
    #[inline]
    pub fn resume(&mut self, yielder: &mut *const ()) -> Step {
        install();
        let mut gave_up = None;
        let place = running();
        let before = place.replace(Some(Running {
            trap: self.0.trap_handler(),
            yielder: yielder.cast(),
            gave_up: &mut gave_up,
        }));
        let result = self.0.resume(());
        let running = place.replace(before).expect("it was set above");
        *yielder = running.yielder.cast();
        match (result, gave_up) {
            (CoroutineResult::Return(outcome), _) => Step::Ended(outcome.map_err(Fault::from)),
            (CoroutineResult::Yield(()), Some(fault)) => Step::Ended(Err(fault)),
            (CoroutineResult::Yield(()), None) => Step::Waits,
        }
    }

    /// Returns the stack.
    ///
    /// # Safety
    /// If the code has not ended, its stack is abandoned without dropping anything. So it must be compiled code only.
    pub unsafe fn into_stack(mut self) -> Stack {
        if !self.0.done() {
            // SAFETY: passed on to the caller.
            unsafe { self.0.force_reset() };
        }
        self.0.into_stack()
    }
}

/// The code that this thread has resumed begins, and can wait.
#[inline]
fn begin(yielder: &Yielder<(), ()>) {
    let place = running();
    let running = place.get().expect("it was set before the code was resumed");
    place.set(Some(Running { yielder, ..running }));
}

/// Called by guarded code: waits until it is resumed.
pub fn wait() {
    let thread = this_thread();
    thread.waits_at.set(stack_pointer());
    let running = thread.running.get().expect("compiled code runs guarded");
    // SAFETY: the yielder of the code that runs, set when it began.
    unsafe { (*running.yielder).suspend(()) };
}

/// Memory below the stack pointer in [`wait`] that the switch of stacks uses: registers, and frames of a few functions. It
/// takes less than 200 bytes, and 500 without optimization.
const SWITCH: usize = 2048;

/// After a [`Step::Waits`]: the lowest address of the stack that the code which waits needs when it goes on.
pub fn waits_above() -> usize {
    this_thread().waits_at.get() - SWITCH
}

/// Called by code that runs guarded: it is not resumed any more.
pub fn raise_fault(fault: Fault) {
    let running = running().get().expect("compiled code runs guarded");
    // SAFETY: `resume`, which waits for this code, owns it.
    unsafe { *running.gave_up = Some(fault) };
    wait();
}

/// Whether an address is on the stack of the running code.
pub fn is_on_stack(address: usize) -> bool {
    running().get().is_some_and(|r| r.trap.stack_ptr_in_bounds(address))
}

/// The state of a thread for the signal handler. It is never freed, but reused by another thread when its thread has
/// ended.
struct Thread {
    /// The thread's pointer, see [`thread_pointer`]; 0 if no thread uses the state.
    of: AtomicUsize,
    /// Written by its thread only, and read there, also by the handler.
    running: Cell<Option<Running>>,
    /// Where the stack pointer was of the code that has come to wait last.
    waits_at: Cell<usize>,
    next: *const Thread,
}

/// The head of the list.
static THREADS: AtomicPtr<Thread> = AtomicPtr::new(ptr::null_mut());

impl Thread {
    fn all() -> impl Iterator<Item = &'static Self> {
        let by = |pointer: *const Self| {
            // SAFETY: never freed.
            unsafe { pointer.as_ref() }
        };
        std::iter::successors(by(THREADS.load(Ordering::Acquire)), move |thread| by(thread.next))
    }

    /// This thread's state, if it has run a kernel.
    fn find() -> Option<&'static Self> {
        let own = thread_pointer();
        Self::all().find(|thread| thread.of.load(Ordering::Relaxed) == own)
    }

    fn new() -> &'static Self {
        if let Some(known) = Self::find() {
            return known;
        }
        let own = thread_pointer();
        let take = |thread: &&Self| {
            let taken = thread.of.compare_exchange(0, own, Ordering::Acquire, Ordering::Relaxed);
            taken.is_ok()
        };
        if let Some(free) = Self::all().find(take) {
            return free;
        }
        let new = Box::leak(Box::new(Self {
            of: AtomicUsize::new(own),
            running: Cell::new(None),
            waits_at: Cell::new(0),
            next: ptr::null(),
        }));
        let mut first = THREADS.load(Ordering::Relaxed);
        loop {
            new.next = first;
            match THREADS.compare_exchange_weak(first, new, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => return new,
                Err(now) => first = now,
            }
        }
    }
}

fn install() {
    static ONCE: OnceLock<()> = OnceLock::new();
    thread_local! {
        static OWN: Own = Own::new();
    }
    if RUNNING_HERE.get().is_null() {
        // The thread is ending and has lost its state: the next thread with the same pointer reuses it.
        RUNNING_HERE.set(OWN.try_with(|own| own.thread).unwrap_or_else(|_| Thread::new()));
    }
    ONCE.get_or_init(|| signals::install(handle));
}

/// What a thread that runs kernels owns until it ends.
struct Own {
    thread: *const Thread,
    _stack: AlternateStack,
}

impl Own {
    fn new() -> Self {
        Self {
            thread: Thread::new(),
            _stack: AlternateStack::new(),
        }
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        RUNNING_HERE.set(ptr::null());
        // SAFETY: never freed.
        let thread = unsafe { &*self.thread };
        thread.running.set(None);
        thread.of.store(0, Ordering::Release);
    }
}

/// The handler of all our signals.
unsafe extern "C" fn handle(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the kernel passes what a handler with `SA_SIGINFO` gets.
    unsafe {
        let mut interrupted = Interrupted::new(context);
        let sp = interrupted.stack_pointer();
        if let Some(running) = Thread::find().and_then(|thread| thread.running.get())
            && running.trap.stack_ptr_in_bounds(sp)
        {
            let address = (*info).si_addr() as usize;
            let fault = match signal {
                // Near the stack pointer: the code has hit the guard page.
                libc::SIGSEGV | libc::SIGBUS if running.trap.stack_ptr_in_bounds(address) => Trap::StackOverflow,
                libc::SIGSEGV | libc::SIGBUS => Trap::Memory(address),
                other => Trap::Signal(other),
            };
            let regs = running.trap.setup_trap_handler(move || Err(fault));
            interrupted.go_on_with(&regs);
            return;
        }
        signals::pass_on(signal, info, context);
    }
}

#[cfg(test)]
mod tests;
