// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Registers of a thread, and of one that a signal has interrupted.

use std::arch::asm;

use corosensei::trap::TrapHandlerRegs;

/// The stack pointer.
#[inline(always)]
pub fn stack_pointer() -> usize {
    let pointer: usize;
    // SAFETY: a register is read.
    unsafe { asm!("mov {}, rsp", out(reg) pointer, options(nomem, nostack, preserves_flags)) };
    pointer
}

/// A number that identifies a thread while it lives, also in a child of `fork`. A signal handler can read it. It must
/// not access thread-local variables, which may be allocated on first access.
#[inline]
pub fn thread_pointer() -> usize {
    let pointer: usize;
    // SAFETY: the ABI has the address of the thread control block there.
    unsafe { asm!("mov {}, fs:0", out(reg) pointer, options(nostack, readonly, preserves_flags, pure)) };
    pointer
}

/// The registers of the code that a signal has interrupted.
pub struct Interrupted<'c>(&'c mut libc::ucontext_t);

impl Interrupted<'_> {
    /// Those of a handler's third parameter.
    ///
    /// # Safety
    /// It is that of a handler with `SA_SIGINFO`, which does not use it otherwise meanwhile.
    pub unsafe fn new(context: *mut libc::c_void) -> Self {
        // SAFETY: the caller's promise.
        Self(unsafe { &mut *context.cast() })
    }

    /// Its stack pointer.
    pub fn stack_pointer(&self) -> usize {
        self.0.uc_mcontext.gregs[libc::REG_RSP as usize] as usize
    }

    /// Has it go on elsewhere when the handler returns.
    pub fn go_on_with(&mut self, registers: &TrapHandlerRegs) {
        let own = &mut self.0.uc_mcontext.gregs;
        own[libc::REG_RIP as usize] = registers.rip as i64;
        own[libc::REG_RSP as usize] = registers.rsp as i64;
        own[libc::REG_RBP as usize] = registers.rbp as i64;
        own[libc::REG_RDI as usize] = registers.rdi as i64;
        own[libc::REG_RSI as usize] = registers.rsi as i64;
    }
}
