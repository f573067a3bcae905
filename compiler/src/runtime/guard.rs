// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Running code that may fail: on a stack of its own, from which a signal, or the code itself, can be taken back.
//!
//! A signal that the code raises (invalid memory, a trapping instruction, the end of its stack) ends the code, not the
//! process. Signals raised elsewhere go to whoever handled them before.

use std::arch::asm;
use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use corosensei::trap::CoroutineTrapHandler;
use corosensei::{Coroutine, CoroutineResult, Yielder};
use oxur_fork::OnceLock;

use super::stacks::Stack;
use crate::Fault;

/// How a stretch of code came to its end, as a signal handler can say it.
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

/// What this thread runs at the moment.
#[derive(Clone, Copy)]
struct Running {
    trap: CoroutineTrapHandler<Outcome>,
    yielder: *const Yielder<(), ()>,
    /// Where the code leaves the reason if it gives up.
    gave_up: *mut Option<Fault>,
}

// SAFETY: `running` is its thread's alone.
unsafe impl Sync for Thread {}

thread_local! {
    /// This thread's; null before its first kernel.
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

/// What happened when code ran.
pub enum Step {
    /// It waits, and wants to be resumed.
    Waits,
    /// It came to its end, or failed.
    Ended(Result<(), Fault>),
}

impl TrapScope {
    /// Prepares to run `code`.
    ///
    /// # Safety
    /// What `code` borrows must outlive this value.
    pub unsafe fn new(stack: Stack, code: impl FnOnce()) -> Self {
        // SAFETY: passed on to the caller.
        Self(unsafe {
            Coroutine::with_stack_unchecked(stack, move |yielder, ()| {
                let place = running();
                let running = place.get().expect("it was set before the code was resumed");
                place.set(Some(Running { yielder, ..running }));
                code();
                Ok(())
            })
        })
    }

    /// Runs it until it waits or ends.
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

    /// Gives the stack back.
    ///
    /// # Safety
    /// If the code has not come to its end, what is on its stack is forgotten: it must be compiled code only.
    pub unsafe fn into_stack(mut self) -> Stack {
        if !self.0.done() {
            // SAFETY: passed on to the caller.
            unsafe { self.0.force_reset() };
        }
        self.0.into_stack()
    }
}

/// Called by code that runs guarded: waits until it is resumed.
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

#[inline(always)]
fn stack_pointer() -> usize {
    let pointer: usize;
    // SAFETY: a register is read.
    unsafe { asm!("mov {}, rsp", out(reg) pointer, options(nomem, nostack, preserves_flags)) };
    pointer
}

/// Called by code that runs guarded: it is not resumed any more.
pub fn raise_fault(fault: Fault) {
    let running = running().get().expect("compiled code runs guarded");
    // SAFETY: `resume`, which waits for this code, owns it.
    unsafe { *running.gave_up = Some(fault) };
    wait();
}

/// Whether an address is on the stack of the code that runs.
pub fn is_on_stack(address: usize) -> bool {
    running().get().is_some_and(|r| r.trap.stack_ptr_in_bounds(address))
}

/// What a thread that has run kernels has here, for the handler of signals. Never freed, but another thread's when that one
/// has ended.
struct Thread {
    /// The thread's pointer, as [`thread_pointer`] gives it; 0 if it is nobody's.
    of: AtomicUsize,
    /// Written by its thread, and read there, also by the handler.
    running: Cell<Option<Running>>,
    /// Where the stack pointer was of the code that has come to wait last.
    waits_at: Cell<usize>,
    next: *const Thread,
}

/// The first of all.
static THREADS: AtomicPtr<Thread> = AtomicPtr::new(ptr::null_mut());

/// A number that no other thread has while this one lives, nor in a child of `fork`. The handler of signals can have it: it
/// must not look at thread-local variables, which are allocated when a thread first looks at one.
#[inline]
fn thread_pointer() -> usize {
    let pointer: usize;
    // SAFETY: where the ABI has the address of the thread's control block.
    unsafe { asm!("mov {}, fs:0", out(reg) pointer, options(nostack, readonly, preserves_flags, pure)) };
    pointer
}

impl Thread {
    fn all() -> impl Iterator<Item = &'static Self> {
        let by = |pointer: *const Self| {
            // SAFETY: never freed.
            unsafe { pointer.as_ref() }
        };
        std::iter::successors(by(THREADS.load(Ordering::Acquire)), move |thread| by(thread.next))
    }

    /// This thread's, if it has run a kernel.
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

const SIGNALS: [i32; 4] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL];

/// Who handled our signals before, by number. What is pointed to is never freed, nor changed.
static BEFORE: [AtomicPtr<libc::sigaction>; 32] = [const { AtomicPtr::new(ptr::null_mut()) }; 32];

fn install() {
    static ONCE: OnceLock<()> = OnceLock::new();
    thread_local! {
        static OWN: Own = Own::new();
    }
    if RUNNING_HERE.get().is_null() {
        // A thread that is ending, and has lost it, leaves what it has to the next with its pointer.
        RUNNING_HERE.set(OWN.try_with(|own| own.thread).unwrap_or_else(|_| Thread::new()));
    }
    ONCE.get_or_init(|| SIGNALS.into_iter().for_each(handle_too));
}

/// Puts our handler before another one.
fn handle_too(signal: i32) {
    let keep = |before| BEFORE[signal as usize].store(Box::into_raw(Box::new(before)), Ordering::Release);
    // SAFETY: structures of the right types, for which all zeros are values.
    unsafe {
        let mut before: libc::sigaction = std::mem::zeroed();
        // A signal may come as soon as the handler is there: then this is to be known.
        libc::sigaction(signal, ptr::null(), &mut before);
        keep(before);
        let known = (before.sa_sigaction, before.sa_flags);
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handle as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigaction(signal, &action, &mut before);
        // Another thread may have changed it in between. A handler may be reading the first: it stays.
        if (before.sa_sigaction, before.sa_flags) != known {
            keep(before);
        }
    }
}

/// What a thread that runs kernels has until it ends.
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

/// A stack for signal handlers: the end of the other one is what they may be called for.
struct AlternateStack(*mut libc::c_void);

const ALTERNATE_SIZE: usize = 64 << 10;

impl AlternateStack {
    fn new() -> Self {
        // SAFETY: the thread's alternate stack is asked for, and set if there is none, to memory that lives until the thread ends.
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
        // SAFETY: ours; it is taken out of use before it goes, unless somebody has put another in its place.
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

/// The handler of our signals.
unsafe extern "C" fn handle(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the kernel passes what the handler's kind gets.
    unsafe {
        let registers = &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
        let sp = registers[libc::REG_RSP as usize] as usize;
        if let Some(running) = Thread::find().and_then(|thread| thread.running.get())
            && running.trap.stack_ptr_in_bounds(sp)
        {
            let address = (*info).si_addr() as usize;
            let fault = match signal {
                // Near the stack pointer: the code has come to the guard page.
                libc::SIGSEGV | libc::SIGBUS if running.trap.stack_ptr_in_bounds(address) => Trap::StackOverflow,
                libc::SIGSEGV | libc::SIGBUS => Trap::Memory(address),
                other => Trap::Signal(other),
            };
            let regs = running.trap.setup_trap_handler(move || Err(fault));
            registers[libc::REG_RIP as usize] = regs.rip as i64;
            registers[libc::REG_RSP as usize] = regs.rsp as i64;
            registers[libc::REG_RBP as usize] = regs.rbp as i64;
            registers[libc::REG_RDI as usize] = regs.rdi as i64;
            registers[libc::REG_RSI as usize] = regs.rsi as i64;
            return;
        }
        pass_on(signal, info, context);
    }
}

/// Lets whoever handled the signal before have it, as if this handler were not there.
unsafe fn pass_on(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let place = &BEFORE[signal as usize];
    // SAFETY: written before the handler was installed, and never freed; a handler is called as its flags say, with the
    // signals blocked that it wants to be blocked.
    unsafe {
        let before = &*place.load(Ordering::Acquire);
        // By an instruction, and not sent by a process.
        let is_raised = (*info).si_code > 0;
        match before.sa_sigaction {
            libc::SIG_IGN if !is_raised => return,
            libc::SIG_DFL | libc::SIG_IGN => {
                libc::signal(signal, libc::SIG_DFL);
                // The instruction is run again when this returns. What was sent is sent again, as it was.
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
        // What was blocked when the signal came is blocked when its handler runs, with what that asks for.
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

/// The default action, which follows a handler that wants to be called once.
struct Default(libc::sigaction);

// SAFETY: never changed.
unsafe impl Sync for Default {}

// SAFETY: all zeros are the default action.
static DEFAULT: Default = Default(unsafe { std::mem::zeroed() });

#[cfg(test)]
mod tests;
