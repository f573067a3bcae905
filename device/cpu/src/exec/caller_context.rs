// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The [`ThreadContext`] of a client thread, for work that runs on the thread that submits it or waits for it.

use std::cell::RefCell;

use oxur_compiler::ThreadContext;

use super::cost::Sampler;

thread_local! {
    static CALLER: Caller = Caller {
        worker: RefCell::new(ThreadContext::new()),
        sampler: Sampler::default(),
    };
}

/// What a client thread needs to run kernels.
struct Caller {
    worker: RefCell<ThreadContext>,
    sampler: Sampler,
}

/// Calls `run` with the calling thread's [`ThreadContext`].
#[inline(always)]
pub fn with_caller_context<R>(run: impl FnOnce(&mut ThreadContext) -> R) -> R {
    with_caller_context_measured(|worker, _| run(worker))
}

/// [`with_caller_context`] for short work. `run` must measure its cost if its second argument is set, which [`Sampler`]
/// decides.
#[inline(always)]
pub fn with_caller_context_measured<R>(run: impl FnOnce(&mut ThreadContext, bool) -> R) -> R {
    let mut run = Some(run);
    let mut go = |worker: &mut ThreadContext, due: bool| (run.take().expect("called once"))(worker, due);
    let done = CALLER.try_with(|caller| {
        let mut worker = caller.worker.try_borrow_mut().ok()?;
        Some(go(&mut worker, caller.sampler.is_due()))
    });
    match done {
        Ok(Some(result)) => result,
        // The thread is exiting and its context was destroyed, or it already runs a kernel.
        _ => go(&mut ThreadContext::new(), false),
    }
}
