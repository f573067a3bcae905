// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Events.

use oxur_api::*;

use crate::{Context, Device, FromInfo, Result, info};

object! {
    /// The completion of a command.
    Event(EventHandle): urEventRetain, urEventRelease, EventInfo = urEventGetInfo, native urEventGetNativeHandle
}

impl Event {
    /// A reusable event, for [`Queue::signal`](crate::Queue::signal).
    pub fn reusable(context: &Context, device: &Device, flags: ExpEventFlags) -> Result<Self> {
        let desc = ExpEventDesc {
            flags,
            ..Default::default()
        };
        let mut handle = EventHandle::default();
        // SAFETY: the handles are alive; description and result pointers are valid.
        unsafe {
            context
                .fns()
                .urEventCreateExp(context.raw(), device.raw(), &desc, &mut handle)
        }?;
        // SAFETY: a new event comes with one reference.
        Ok(unsafe { Self::from_raw(context.loader(), handle) })
    }

    /// Waits until the command has finished.
    pub fn wait(&self) -> Result<()> {
        let handle = self.raw();
        // SAFETY: a list of one event that is alive.
        unsafe { self.fns().urEventWait(1, &handle) }
    }

    /// Queries a time of the command, in nanoseconds of the device's clock.
    pub fn profiling<T: FromInfo>(&self, property: ProfilingInfo) -> Result<T> {
        info::query("urEventGetProfilingInfo", |size, value, size_ret| {
            // SAFETY: the handle is alive; `query` passes a buffer of `size` bytes, or none.
            unsafe {
                self.fns()
                    .urEventGetProfilingInfo(self.raw(), property, size, value, size_ret)
            }
        })
    }

    /// Calls `callback` once when the command reaches `status`.
    ///
    /// If the command never reaches it, the callback is never freed.
    pub fn on(&self, status: ExecutionInfo, callback: impl FnOnce(ExecutionInfo) + Send + 'static) -> Result<()> {
        type Callback = Box<dyn FnOnce(ExecutionInfo) + Send>;
        unsafe extern "C" fn call(_: EventHandle, status: ExecutionInfo, data: *mut c_void) {
            // SAFETY: `data` is the box from below; an adapter calls back only once.
            let callback = unsafe { Box::from_raw(data.cast::<Callback>()) };
            callback(status);
        }
        let data: *mut Callback = Box::into_raw(Box::new(Box::new(callback)));
        // SAFETY: the handle is alive; `call` fits the data.
        let result = unsafe {
            self.fns()
                .urEventSetCallback(self.raw(), status, Some(call), data.cast())
        };
        if result.is_err() {
            // SAFETY: a rejected callback is never called, so we still own the box.
            drop(unsafe { Box::from_raw(data) });
        }
        result
    }
}

/// A wait list in the form of the C functions: count and pointer, which is null for no events.
pub(crate) struct WaitList(Vec<EventHandle>);

impl WaitList {
    pub(crate) fn new(events: &[&Event]) -> Self {
        Self(events.iter().map(|event| event.raw()).collect())
    }

    pub(crate) fn len(&self) -> u32 {
        self.0.len() as u32
    }

    pub(crate) fn ptr(&self) -> *const EventHandle {
        if self.0.is_empty() {
            core::ptr::null()
        } else {
            self.0.as_ptr()
        }
    }
}
