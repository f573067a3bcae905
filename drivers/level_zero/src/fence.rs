// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Fences, which a queue signals when lists have been executed.

use std::sync::Arc;
use std::time::Duration;

use level_zero_sys::*;
use oxur_device_cpu::event::Event as Flag;

use crate::entry::{entry, not_ready};
use crate::handle::{destroy, export, known, object, out, required};
use crate::{CommandQueue, Context};

/// A fence.
pub(crate) struct Fence {
    context: Arc<Context>,
    flag: Flag,
}

impl Fence {
    /// The lists before it have been executed.
    pub(crate) fn signal(&self) {
        self.flag.signal();
    }
}

entry! {
    fn zeFenceCreate(queue: ze_command_queue_handle_t, desc: *const ze_fence_desc_t, fence: *mut ze_fence_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe {
            let (queue, desc, fence) = (object::<CommandQueue>(queue)?, required(desc)?, out(fence)?);
            known(desc.flags, 0x1)?;
            let flag = Flag::new(queue.device.pool());
            if desc.flags & ZE_FENCE_FLAG_SIGNALED != 0 {
                flag.signal();
            }
            let context = queue.context.clone();
            *fence = export(Arc::new(Fence { context, flag }));
        }
        Ok(())
    }

    fn zeFenceDestroy(fence: ze_fence_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe { destroy::<Fence>(fence) }?;
        Ok(())
    }

    fn zeFenceHostSynchronize(fence: ze_fence_handle_t, timeout: u64) {
        // SAFETY: passed on to the caller.
        let fence = unsafe { object::<Fence>(fence) }?;
        let timeout = (timeout != u64::MAX).then(|| Duration::from_nanos(timeout));
        if !fence.flag.wait(timeout) {
            return not_ready();
        }
        fence.context.failures.report()
    }

    fn zeFenceQueryStatus(fence: ze_fence_handle_t) {
        // SAFETY: passed on to the caller.
        match unsafe { object::<Fence>(fence) }?.flag.is_signalled() {
            true => Ok(()),
            false => not_ready(),
        }
    }

    fn zeFenceReset(fence: ze_fence_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe { object::<Fence>(fence) }?.flag.reset();
        Ok(())
    }
}
