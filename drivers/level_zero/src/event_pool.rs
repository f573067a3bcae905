// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Pools of events, which only say what their events are like.

use std::sync::Arc;

use level_zero_sys::*;

use crate::entry::{Error, entry};
use crate::event::wants_counters;
use crate::handle::{destroy, export, object, objects_of, out, required};
use crate::{Context, Device};

/// A pool of events.
pub(crate) struct EventPool {
    pub(crate) context: Arc<Context>,
    handle_of_context: usize,
    /// The device whose threads commands that wait for the events run on.
    pub(crate) device: Arc<Device>,
    flags: ze_event_pool_flags_t,
    /// The number of events.
    pub(crate) count: u32,
    /// Whether they are counter-based.
    pub(crate) counter_based: bool,
}

impl EventPool {
    /// Whether commands record in the events when they ran.
    pub(crate) fn timed(&self) -> bool {
        self.flags & (ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP | ZE_EVENT_POOL_FLAG_KERNEL_MAPPED_TIMESTAMP) != 0
    }
}

/// The flags that there are.
const FLAGS: u32 = ZE_EVENT_POOL_FLAG_HOST_VISIBLE
    | ZE_EVENT_POOL_FLAG_IPC
    | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP
    | ZE_EVENT_POOL_FLAG_KERNEL_MAPPED_TIMESTAMP;

entry! {
    fn zeEventPoolCreate(
        context: ze_context_handle_t,
        desc: *const ze_event_pool_desc_t,
        count: u32,
        devices: *mut ze_device_handle_t,
        pool: *mut ze_event_pool_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        let (own, desc, pool, devices) = unsafe {
            (object::<Context>(context)?, required(desc)?, out(pool)?, objects_of::<Device>(devices, count)?)
        };
        if desc.count == 0 {
            return Err(Error::new(ZE_RESULT_ERROR_INVALID_SIZE, "a pool has one event at least"));
        }
        if desc.flags & !FLAGS != 0 {
            return Err(Error::new(
                ZE_RESULT_ERROR_INVALID_ENUMERATION,
                format!("pools of events have no flags {:#x}", desc.flags & !FLAGS),
            ));
        }
        *pool = export(Arc::new(EventPool {
            context: own.clone(),
            handle_of_context: context as usize,
            device: devices.first().unwrap_or(&own.devices[0]).clone(),
            flags: desc.flags,
            count: desc.count,
            counter_based: wants_counters(desc),
        }));
        Ok(())
    }

    fn zeEventPoolDestroy(pool: ze_event_pool_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe { destroy::<EventPool>(pool) }?;
        Ok(())
    }

    fn zeEventPoolGetContextHandle(pool: ze_event_pool_handle_t, context: *mut ze_context_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe { *out(context)? = object::<EventPool>(pool)?.handle_of_context as ze_context_handle_t };
        Ok(())
    }

    fn zeEventPoolGetFlags(pool: ze_event_pool_handle_t, flags: *mut ze_event_pool_flags_t) {
        // SAFETY: passed on to the caller.
        unsafe { *out(flags)? = object::<EventPool>(pool)?.flags };
        Ok(())
    }
}
