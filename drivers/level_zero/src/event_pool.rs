// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Pools of events, which only say what their events are like.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use level_zero_sys::*;
use oxur_device_cpu::event::SharedEvent;
use oxur_device_cpu::shared_file::Kind;

use crate::entry::{Error, entry};
use crate::event::wants_counters;
use crate::handle::{destroy, export, object, objects_of, out, required};
use crate::mem::ipc::SharedMemory;
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
    /// The states of the events, if processes share them: [`Header`], then a word for each.
    shared: Option<Arc<SharedMemory>>,
}

/// What the memory of a shared pool begins with. Another process may write anything.
#[repr(C)]
struct Header {
    count: AtomicU32,
    flags: AtomicU32,
}

impl EventPool {
    /// Whether commands record in the events when they ran.
    pub(crate) fn timed(&self) -> bool {
        self.flags & (ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP | ZE_EVENT_POOL_FLAG_KERNEL_MAPPED_TIMESTAMP) != 0
    }
}

/// The bytes of a shared pool of so many events.
fn shared_size(count: u32) -> usize {
    size_of::<Header>() + count as usize * size_of::<AtomicU32>()
}

impl EventPool {
    /// The event of this number, if processes share it.
    pub(crate) fn shared_state(&self, index: u32) -> Option<Arc<SharedEvent>> {
        let memory = self.shared.as_ref()?;
        let words = memory.data().wrapping_add(size_of::<Header>()).cast::<AtomicU32>();
        // SAFETY: the memory has a word for each event: its size was checked.
        Some(unsafe { SharedEvent::new(words.add(index as usize), memory.clone(), self.device.pool()) })
    }

    fn header(memory: &SharedMemory) -> &Header {
        // SAFETY: the memory begins with a header, and is aligned to a page.
        unsafe { &*memory.data().cast() }
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
        let shared = match desc.flags & ZE_EVENT_POOL_FLAG_IPC != 0 && !wants_counters(desc) {
            true => {
                let memory = SharedMemory::new(shared_size(desc.count))?;
                let header = EventPool::header(&memory);
                header.count.store(desc.count, Ordering::Relaxed);
                header.flags.store(desc.flags, Ordering::Relaxed);
                Some(Arc::new(memory))
            }
            false => None,
        };
        *pool = export(Arc::new(EventPool {
            shared,
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

    fn zeEventPoolGetIpcHandle(pool: ze_event_pool_handle_t, handle: *mut ze_ipc_event_pool_handle_t) {
        // SAFETY: passed on to the caller.
        let (pool, handle) = unsafe { (object::<EventPool>(pool)?, out(handle)?) };
        let bytes = pool.shared.as_ref().and_then(|memory| memory.handle(Kind::Event));
        let bytes = bytes.ok_or_else(|| {
            Error::new(
                ZE_RESULT_ERROR_INVALID_ARGUMENT,
                "only pools with ZE_EVENT_POOL_FLAG_IPC can be shared, and only by the process that created them",
            )
        })?;
        handle.data = bytes;
        Ok(())
    }

    fn zeEventPoolPutIpcHandle(context: ze_context_handle_t, _handle: ze_ipc_event_pool_handle_t) {
        // The handle holds nothing: it is valid as long as the pool.
        // SAFETY: passed on to the caller.
        unsafe { object::<Context>(context) }?;
        Ok(())
    }

    fn zeEventPoolOpenIpcHandle(
        context: ze_context_handle_t,
        handle: ze_ipc_event_pool_handle_t,
        pool: *mut ze_event_pool_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        let (own, pool) = unsafe { (object::<Context>(context)?, out(pool)?) };
        let memory = SharedMemory::open(Kind::Event, &handle.data)?;
        let header = EventPool::header(&memory);
        let (count, flags) = (header.count.load(Ordering::Relaxed), header.flags.load(Ordering::Relaxed));
        if count == 0 || shared_size(count) > memory.size() {
            return Err(Error::new(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the handle is not that of a pool of events"));
        }
        *pool = export(Arc::new(EventPool {
            context: own.clone(),
            handle_of_context: context as usize,
            device: own.devices[0].clone(),
            flags,
            count,
            counter_based: false,
            shared: Some(Arc::new(memory)),
        }));
        Ok(())
    }

    fn zeEventPoolCloseIpcHandle(pool: ze_event_pool_handle_t) {
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
