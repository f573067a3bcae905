// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Command queues, which execute lists one after the other.

use std::sync::Arc;

use level_zero_sys::*;
use oxur_device_cpu::order::{Order, OrderFlags};

use crate::command::{Call, Events};
use crate::command_list::{check_queue, submit_in};
use crate::device_orders::new_order;
use crate::entry::{ZeResult, entry, err, not_ready};
use crate::event::wait_for;
use crate::handle::{destroy, export, object, objects_of, out, required};
use crate::{CommandList, Context, Device, Fence};

/// A command queue.
pub(crate) struct CommandQueue {
    pub(crate) context: Arc<Context>,
    pub(crate) device: Arc<Device>,
    order: Arc<Order>,
    desc: ze_command_queue_desc_t,
}

// SAFETY: the `pNext` of the description is not used.
unsafe impl Send for CommandQueue {}
// SAFETY: as above.
unsafe impl Sync for CommandQueue {}

impl CommandQueue {
    fn synchronize(&self, timeout: u64) -> ZeResult {
        if let Some(last) = self.order.all()
            && !wait_for(&last, timeout)
        {
            return not_ready();
        }
        self.context.failures.report()
    }

    fn execute(&self, lists: &[Arc<CommandList>], fence: Option<&Arc<Fence>>) -> ZeResult {
        for list in lists {
            let execution = list.recording()?.lock().execution()?;
            let (order, pool) = (&self.order, self.device.pool());
            submit_in(
                order,
                pool,
                &self.context,
                execution,
                OrderFlags::default(),
                Events::default(),
            );
        }
        if let Some(fence) = fence {
            let (order, pool, fence) = (&self.order, self.device.pool(), fence.clone());
            let signal = Call {
                function: move || fence.signal(),
                name: "a fence",
            };
            submit_in(
                order,
                pool,
                &self.context,
                signal,
                OrderFlags::default(),
                Events::default(),
            );
        }
        match self.desc.mode == ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS {
            true => self.synchronize(u64::MAX),
            false => Ok(()),
        }
    }
}

entry! {
    fn zeCommandQueueCreate(
        context: ze_context_handle_t,
        device: ze_device_handle_t,
        desc: *const ze_command_queue_desc_t,
        queue: *mut ze_command_queue_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        unsafe {
            let (context, device) = (object::<Context>(context)?, object::<Device>(device)?);
            let (desc, queue) = (required(desc)?, out(queue)?);
            check_queue(desc)?;
            *queue = export(Arc::new(CommandQueue {
                context: context.clone(),
                device: device.clone(),
                order: new_order(true, device),
                desc: *desc,
            }));
        }
        Ok(())
    }

    fn zeCommandQueueDestroy(queue: ze_command_queue_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe { destroy::<CommandQueue>(queue) }?;
        Ok(())
    }

    fn zeCommandQueueExecuteCommandLists(
        queue: ze_command_queue_handle_t,
        count: u32,
        lists: *mut ze_command_list_handle_t,
        fence: ze_fence_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        unsafe {
            let queue = object::<CommandQueue>(queue)?;
            if count == 0 {
                return err(ZE_RESULT_ERROR_INVALID_SIZE);
            }
            if lists.is_null() {
                return err(ZE_RESULT_ERROR_INVALID_NULL_POINTER);
            }
            let lists = objects_of::<CommandList>(lists, count)?;
            let fence = if fence.is_null() { None } else { Some(object::<Fence>(fence)?) };
            queue.execute(&lists, fence)
        }
    }

    fn zeCommandQueueSynchronize(queue: ze_command_queue_handle_t, timeout: u64) {
        // SAFETY: passed on to the caller.
        unsafe { object::<CommandQueue>(queue) }?.synchronize(timeout)
    }

    fn zeCommandQueueGetOrdinal(queue: ze_command_queue_handle_t, ordinal: *mut u32) {
        // SAFETY: passed on to the caller.
        unsafe { *out(ordinal)? = object::<CommandQueue>(queue)?.desc.ordinal };
        Ok(())
    }

    fn zeCommandQueueGetIndex(queue: ze_command_queue_handle_t, index: *mut u32) {
        // SAFETY: passed on to the caller.
        unsafe { *out(index)? = object::<CommandQueue>(queue)?.desc.index };
        Ok(())
    }

    fn zeCommandQueueGetFlags(queue: ze_command_queue_handle_t, flags: *mut ze_command_queue_flags_t) {
        // SAFETY: passed on to the caller.
        unsafe { *out(flags)? = object::<CommandQueue>(queue)?.desc.flags };
        Ok(())
    }

    fn zeCommandQueueGetMode(queue: ze_command_queue_handle_t, mode: *mut ze_command_queue_mode_t) {
        // SAFETY: passed on to the caller.
        unsafe { *out(mode)? = object::<CommandQueue>(queue)?.desc.mode };
        Ok(())
    }

    fn zeCommandQueueGetPriority(queue: ze_command_queue_handle_t, priority: *mut ze_command_queue_priority_t) {
        // SAFETY: passed on to the caller.
        unsafe { *out(priority)? = object::<CommandQueue>(queue)?.desc.priority };
        Ok(())
    }
}
