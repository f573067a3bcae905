// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Running code that may fail: on a stack of its own, from which a signal, or the code itself, can be taken back.
//!
//! A signal that the code raises (invalid memory, a trapping instruction, the end of its stack) ends the code, not the
//! process. Signals raised elsewhere go to whoever handled them before.

use std::cell::Cell;
use std::mem::MaybeUninit;
use std::ptr;

use corosensei::stack::DefaultStack;
use corosensei::trap::CoroutineTrapHandler;
use corosensei::{Coroutine, CoroutineResult, Yielder};
use oxur_fork::OnceLock;

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
pub struct Guarded(Coroutine<(), (), Outcome, DefaultStack>);

/// What this thread runs at the moment.
#[derive(Clone, Copy)]
struct Running {
    trap: CoroutineTrapHandler<Outcome>,
    yielder: *const Yielder<(), ()>,
    /// Where the code leaves the reason if it gives up.
    gave_up: *mut Option<Fault>,
}

thread_local! {
    static RUNNING: Cell<Option<Running>> = const { Cell::new(None) };
}

/// What happened when code ran.
pub enum Step {
    /// It waits, and wants to be resumed.
    Waits,
    /// It came to its end, or failed.
    Ended(Result<(), Fault>),
}

impl Guarded {
    /// Prepares to run `code`.
    ///
    /// # Safety
    /// What `code` borrows must live until the end, or until `abandon`.
    pub unsafe fn new(stack: DefaultStack, code: impl FnOnce()) -> Self {
        // SAFETY: passed on to the caller.
        Self(unsafe {
            Coroutine::with_stack_unchecked(stack, move |yielder, ()| {
                let running = RUNNING.get().expect("it was set before the code was resumed");
                RUNNING.set(Some(Running { yielder, ..running }));
                code();
                Ok(())
            })
        })
    }

    /// Runs it until it waits or ends.
    pub fn resume(&mut self, yielder: &mut *const ()) -> Step {
        install();
        let mut gave_up = None;
        let before = RUNNING.replace(Some(Running {
            trap: self.0.trap_handler(),
            yielder: yielder.cast(),
            gave_up: &mut gave_up,
        }));
        let result = self.0.resume(());
        let running = RUNNING.replace(before).expect("it was set above");
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
    pub unsafe fn into_stack(mut self) -> DefaultStack {
        if !self.0.done() {
            // SAFETY: passed on to the caller.
            unsafe { self.0.force_reset() };
        }
        self.0.into_stack()
    }
}

/// Called by code that runs guarded: waits until it is resumed.
pub fn wait() {
    let running = RUNNING.get().expect("compiled code runs guarded");
    // SAFETY: the yielder of the code that runs, set when it began.
    unsafe { (*running.yielder).suspend(()) };
}

/// Called by code that runs guarded: it is not resumed any more.
pub fn give_up(fault: Fault) {
    let running = RUNNING.get().expect("compiled code runs guarded");
    // SAFETY: `resume`, which waits for this code, owns it.
    unsafe { *running.gave_up = Some(fault) };
    wait();
}

/// Whether an address is on the stack of the code that runs.
pub fn is_on_stack(address: usize) -> bool {
    RUNNING.get().is_some_and(|r| r.trap.stack_ptr_in_bounds(address))
}

const SIGNALS: [i32; 4] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL];

/// Who handled our signals before, by number. Written once, before the handler that reads it is installed.
static mut BEFORE: [MaybeUninit<libc::sigaction>; 32] = [const { MaybeUninit::uninit() }; 32];

fn install() {
    static ONCE: OnceLock<()> = OnceLock::new();
    thread_local! {
        static STACK: AlternateStack = AlternateStack::new();
    }
    STACK.with(|_| ());
    ONCE.get_or_init(|| {
        for signal in SIGNALS {
            // SAFETY: structures of the right types; the place is written before the handler may read it, since the old action
            // is asked for first.
            unsafe {
                let before = (&raw mut BEFORE[signal as usize]).cast::<libc::sigaction>();
                libc::sigaction(signal, ptr::null(), before);
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = handle as *const () as usize;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                libc::sigaction(signal, &action, ptr::null_mut());
            }
        }
    });
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
        if let Some(running) = RUNNING.get()
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

/// Lets whoever handled the signal before have it.
unsafe fn pass_on(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the place was written before the handler was installed; a handler is called as its flags say.
    unsafe {
        let before = &*(&raw const BEFORE[signal as usize]).cast::<libc::sigaction>();
        match before.sa_sigaction {
            libc::SIG_DFL | libc::SIG_IGN => {
                // The instruction is run again, and the default action taken.
                libc::signal(signal, libc::SIG_DFL);
            }
            handler if before.sa_flags & libc::SA_SIGINFO != 0 => {
                let handler: unsafe extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void) =
                    std::mem::transmute(handler);
                handler(signal, info, context);
            }
            handler => {
                let handler: unsafe extern "C" fn(i32) = std::mem::transmute(handler);
                handler(signal);
            }
        }
    }
}
