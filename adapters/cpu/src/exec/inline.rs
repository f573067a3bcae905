// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Work that runs on the thread that submits it or waits for it, which belongs to the client.

use std::cell::RefCell;

use oxur_compiler::ThreadContext;

use super::cost::Draws;

thread_local! {
    static CALLER: Caller = Caller {
        worker: RefCell::new(ThreadContext::new()),
        draws: Draws::default(),
    };
}

/// What a thread of the client's needs to run kernels.
struct Caller {
    worker: RefCell<ThreadContext>,
    draws: Draws,
}

/// Calls `run` with the calling thread's [`ThreadContext`].
#[inline]
pub(crate) fn inline<R>(run: impl FnOnce(&mut ThreadContext) -> R) -> R {
    inline_measured(|worker, _| run(worker))
}

/// The same for short work. `run` measures its cost if the flag is set, which it is now and then.
#[inline]
pub(crate) fn inline_measured<R>(run: impl FnOnce(&mut ThreadContext, bool) -> R) -> R {
    let mut run = Some(run);
    let mut go = |worker: &mut ThreadContext, due: bool| (run.take().expect("called once"))(worker, due);
    let done = CALLER.try_with(|caller| {
        let mut worker = caller.worker.try_borrow_mut().ok()?;
        Some(go(&mut worker, caller.draws.is_due()))
    });
    match done {
        Ok(Some(result)) => result,
        // The thread is ending and its context is gone, or it is in the middle of a kernel.
        _ => go(&mut ThreadContext::new(), false),
    }
}
