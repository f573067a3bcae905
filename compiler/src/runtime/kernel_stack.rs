// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The stack on which a thread runs kernels whose items need no stacks of their own.
//!
//! To set up a coroutine takes as long as to run a small kernel. So there is one coroutine, which runs one kernel after the
//! other, and a new one only after a fault.

use std::cell::UnsafeCell;
use std::ptr::NonNull;

use super::stacks::Stack;
use super::trap::{Step, TrapScope};
use crate::Fault;

/// A stack, and the coroutine on it.
pub struct KernelStack {
    /// None once the stack was returned.
    scope: Option<TrapScope>,
    yielder: *const (),
    size: usize,
    /// What the coroutine is to run. Both access it through this pointer, and never at the same time.
    call: NonNull<UnsafeCell<Call>>,
}

/// A closure to call.
struct Call {
    function: unsafe fn(*mut ()),
    closure: *mut (),
    has_returned: bool,
}

/// Calls a closure.
///
/// # Safety
/// `closure` must point to an `F` that nobody else uses.
unsafe fn call<F: FnMut()>(closure: *mut ()) {
    // SAFETY: passed on to the caller.
    unsafe { (*closure.cast::<F>())() };
}

impl KernelStack {
    /// A coroutine on this stack.
    pub fn new(stack: Stack) -> Self {
        let first = Call {
            function: call::<fn()>,
            closure: std::ptr::null_mut(),
            has_returned: true,
        };
        let own = NonNull::from(Box::leak(Box::new(UnsafeCell::new(first))));
        let size = stack.size();
        let run_call = move || {
            // SAFETY: `run` has stored the closure and waits for this coroutine, which is abandoned before the call is freed.
            unsafe {
                let next = own.as_ref().get();
                ((*next).function)((*next).closure);
                (*next).has_returned = true;
            }
        };
        Self {
            // SAFETY: it borrows nothing.
            scope: Some(unsafe { TrapScope::repeating(stack, run_call) }),
            yielder: std::ptr::null(),
            size,
            call: own,
        }
    }

    /// The size of the stack, with its guard.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Runs code on the stack. After an error this is of no use any more but for the [stack](Self::into_stack).
    ///
    /// # Safety
    /// The code must own nothing, because a fault may stop it anywhere.
    pub unsafe fn run<F: FnMut()>(&mut self, mut code: F) -> Result<(), Fault> {
        // The stack goes with `into_stack`, which consumes this.
        let Some(scope) = &mut self.scope else {
            return Err(Fault::BarrierDivergence);
        };
        let own = self.call;
        // SAFETY: the coroutine waits for `resume`.
        unsafe {
            *own.as_ref().get() = Call {
                function: call::<F>,
                closure: (&raw mut code).cast(),
                has_returned: false,
            };
        }
        match scope.resume(&mut self.yielder) {
            Step::Ended(outcome) => outcome,
            // SAFETY: as above.
            Step::Waits if unsafe { (*own.as_ref().get()).has_returned } => Ok(()),
            Step::Waits => Err(Fault::BarrierDivergence),
        }
    }

    /// Returns the stack.
    pub fn into_stack(mut self) -> Option<Stack> {
        self.abandon()
    }

    fn abandon(&mut self) -> Option<Stack> {
        // SAFETY: on the stack are compiled code, the closure that called it and ours, which own nothing.
        self.scope.take().map(|scope| unsafe { scope.into_stack() })
    }
}

impl Drop for KernelStack {
    fn drop(&mut self) {
        drop(self.abandon());
        // SAFETY: from `Box::leak`, and the coroutine is gone.
        drop(unsafe { Box::from_raw(self.call.as_ptr()) });
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Fibers, trap};
    use super::*;

    #[test]
    fn one_code_after_the_other() {
        let mut fibers = Fibers::default();
        let mut sum = 0;
        for i in 1..=100u64 {
            // SAFETY: it owns nothing.
            unsafe { fibers.run_on_one_stack(64 << 10, || sum += i) }.unwrap();
        }
        assert_eq!(sum, 5050);
    }

    #[test]
    fn what_comes_after_a_fault() {
        let mut fibers = Fibers::default();
        for _ in 0..3 {
            let mut runs = 0;
            // SAFETY: none owns anything; the second reads what is not there, and the third waits for nobody.
            unsafe {
                fibers.run_on_one_stack(64 << 10, || runs += 1).unwrap();
                let null = std::hint::black_box(std::ptr::null::<u32>());
                let fault = fibers.run_on_one_stack(64 << 10, || runs += null.read_volatile());
                assert!(matches!(fault, Err(Fault::Memory(0))), "{fault:?}");
                let waits = fibers.run_on_one_stack(64 << 10, trap::wait);
                assert!(matches!(waits, Err(Fault::BarrierDivergence)), "{waits:?}");
                let raised = fibers.run_on_one_stack(64 << 10, || trap::raise_fault(Fault::OutOfMemory));
                assert!(matches!(raised, Err(Fault::OutOfMemory)), "{raised:?}");
                fibers.run_on_one_stack(64 << 10, || runs += 1).unwrap();
            }
            assert_eq!(runs, 2);
        }
    }

    #[test]
    fn code_gets_the_stack_that_it_needs() {
        let mut fibers = Fibers::default();
        for size in [64 << 10, 1 << 20, 128 << 10, 4 << 20] {
            let fill = || {
                let own = crate::target::host::thread::stack_pointer();
                // SAFETY: memory of this stack that is not in use.
                unsafe { std::ptr::write_bytes((own - (size - (16 << 10))) as *mut u8, 7, size - (32 << 10)) };
            };
            // SAFETY: it owns nothing.
            unsafe { fibers.run_on_one_stack(size, fill) }.unwrap();
        }
    }
}
