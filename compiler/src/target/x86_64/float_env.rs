// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The floating-point environment: rounding, flushing of denormals, and which exceptions trap.
//!
//! Each thread has its own environment, which it inherits from the thread that starts it. A program may change it at
//! any time (`fesetround`, or `-ffast-math`, which sets FTZ and DAZ at start-up). A kernel's results must not depend on
//! that, nor on the thread that runs it. So all compiled code runs in the default environment, and so does the
//! compiler, which folds constants.

use std::arch::asm;

/// The caller's environment, restored when this is dropped. Until then the thread has the default one.
#[derive(Debug)]
#[must_use]
pub struct FloatEnv(Registers);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Registers {
    mxcsr: u32,
    x87: u16,
}

const DEFAULT: Registers = Registers {
    // Round to nearest, keep denormals, trap no exceptions, no exceptions raised.
    mxcsr: 0x1f80,
    // Round to nearest, 64 bits of precision, trap no exceptions. Kernels do not use the x87, but `printf` of the C
    // library asks it for the rounding mode.
    x87: 0x037f,
};

/// The bits of MXCSR that say which exceptions were raised. Kernels cannot ask for them.
const RAISED: u32 = 0x3f;

impl FloatEnv {
    /// Changes to the default environment. Exceptions that were raised stay raised until the caller's environment is
    /// restored: most threads have raised some, and it takes as long to clear these as to launch a small kernel.
    #[inline]
    pub fn enter_default() -> Self {
        let before = Registers::current();
        let mxcsr = match before.mxcsr & !RAISED {
            control if control == DEFAULT.mxcsr => before.mxcsr,
            _ => DEFAULT.mxcsr,
        };
        Registers { mxcsr, ..DEFAULT }.load(before);
        Self(before)
    }
}

impl Drop for FloatEnv {
    #[inline]
    fn drop(&mut self) {
        self.0.load(Registers::current());
    }
}

impl Registers {
    #[inline]
    fn current() -> Self {
        let (mut mxcsr, mut x87) = (0u32, 0u16);
        // SAFETY: stores the two registers.
        unsafe {
            asm!("stmxcsr [{}]", in(reg) &raw mut mxcsr, options(nostack, preserves_flags));
            asm!("fnstcw [{}]", in(reg) &raw mut x87, options(nostack, preserves_flags));
        }
        Self { mxcsr, x87 }
    }

    /// Loads only what differs from `now`, the content of the registers, because comparing is faster than loading.
    #[inline]
    fn load(self, now: Self) {
        if self.mxcsr != now.mxcsr {
            // SAFETY: a value that was stored, or the default one. No reserved bit is set.
            unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const self.mxcsr, options(nostack, preserves_flags)) };
        }
        if self.x87 != now.x87 {
            // SAFETY: as above.
            unsafe { asm!("fldcw [{}]", in(reg) &raw const self.x87, options(nostack, preserves_flags)) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_callers_environment_comes_back() {
        let set = |registers: Registers| registers.load(Registers::current());
        let raised = |bit| Registers {
            mxcsr: DEFAULT.mxcsr | bit,
            ..DEFAULT
        };
        // Toward zero, FTZ and DAZ, with an exception that was raised; upwards.
        let odd = Registers {
            mxcsr: 0xffc0 | 0x10,
            x87: 0x0b7f,
        };
        set(odd);
        let env = FloatEnv::enter_default();
        let inside = Registers::current();
        // As after a kernel that has divided.
        set(raised(0x20));
        drop(env);
        let after = Registers::current();
        set(DEFAULT);
        assert_eq!((inside, after), (DEFAULT, odd));
    }

    #[test]
    fn what_a_kernel_raises_is_not_the_callers() {
        let set = |mxcsr| Registers { mxcsr, ..DEFAULT }.load(Registers::current());
        // Nothing, and an inexact result.
        for before in [DEFAULT.mxcsr, DEFAULT.mxcsr | 0x20] {
            set(before);
            let env = FloatEnv::enter_default();
            // An inexact result, and a division by zero.
            set(DEFAULT.mxcsr | 0x24);
            drop(env);
            let after = Registers::current().mxcsr;
            set(DEFAULT.mxcsr);
            assert_eq!(after, before);
        }
    }
}
