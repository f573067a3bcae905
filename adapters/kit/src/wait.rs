// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Decodes the wait list of a command, and the place for its event.

use std::marker::PhantomData;
use std::sync::Arc;

use oxur_api::{EventHandle, ResultCode};

use crate::event::{event, reusable};
use crate::handle::{Borrowed, export_owned, object};
use crate::{Backend, UrError, UrResult};

/// The wait list of a command, whose handles are checked to be events of this adapter. Reading it allocates nothing.
pub struct WaitList<'a, B> {
    handles: &'a [EventHandle],
    backend: PhantomData<B>,
}

impl<B> Clone for WaitList<'_, B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B> Copy for WaitList<'_, B> {}

impl<'a, B: Backend> WaitList<'a, B> {
    /// Decodes `numEventsInWaitList` and `phEventWaitList`.
    ///
    /// # Safety
    /// `events`, unless null, must point to `count` handles that stay valid for `'a`.
    #[inline(always)]
    pub unsafe fn new(count: u32, events: *const EventHandle) -> UrResult<Self> {
        if count == 0 && events.is_null() {
            return Ok(Self::empty());
        }
        // SAFETY: passed on to the caller.
        unsafe { Self::checked(count, events) }
    }

    /// # Safety
    /// As [`Self::new`].
    unsafe fn checked(count: u32, events: *const EventHandle) -> UrResult<Self> {
        if count == 0 || events.is_null() {
            crate::bail!(
                ERROR_INVALID_EVENT_WAIT_LIST:
                    "the wait list has {count} events and its pointer is {events:p}: both must be zero, or none"
            );
        }
        // SAFETY: the caller vouches for it.
        let handles = unsafe { std::slice::from_raw_parts(events, count as usize) };
        for &handle in handles {
            // SAFETY: the caller vouches for the handles.
            unsafe { event::<B>(handle) }.map_err(|error| {
                let code = match error.code() {
                    code @ ResultCode::ERROR_GRAPH_INTERNAL_EVENT => code,
                    _ => ResultCode::ERROR_INVALID_EVENT_WAIT_LIST,
                };
                UrError::with_message(code, format!("an event of the wait list: {error}"))
            })?;
        }
        Ok(Self {
            handles,
            backend: PhantomData,
        })
    }

    /// An empty list.
    #[inline]
    pub fn empty() -> Self {
        Self {
            handles: &[],
            backend: PhantomData,
        }
    }

    /// The handles of the events.
    pub(crate) fn handles(&self) -> &'a [EventHandle] {
        self.handles
    }

    /// The number of events.
    pub fn len(&self) -> usize {
        self.handles.len()
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.handles.is_empty()
    }

    /// The events.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Borrowed<'a, B::Event>> + use<'a, B> {
        // SAFETY: `new` checked the handles, and its caller vouches that they stay valid.
        self.handles
            .iter()
            .map(|&handle| unsafe { object(handle) }.expect("checked by `new`"))
    }
}

/// The place for the event of a command, if the client wants the event.
pub struct EventOut<'a, B> {
    out: *mut EventHandle,
    client: PhantomData<(&'a mut EventHandle, B)>,
}

impl<B: Backend> EventOut<'_, B> {
    /// Decodes `phEvent`.
    ///
    /// # Safety
    /// `out`, unless null, must be writable.
    pub unsafe fn new(out: *mut EventHandle) -> Self {
        Self {
            out,
            client: PhantomData,
        }
    }

    /// For a command without an event.
    pub fn none() -> Self {
        Self {
            out: std::ptr::null_mut(),
            client: PhantomData,
        }
    }

    /// The reusable event to signal instead of creating one, if the client passed one.
    ///
    /// # Safety
    /// The place must be initialized, as that of `urEnqueueEventsWaitWithBarrierExt` is.
    pub(crate) unsafe fn reusable(&self) -> Option<Borrowed<'_, B::Event>> {
        if !self.wanted() {
            return None;
        }
        // SAFETY: `new`'s caller vouches for the place, this function's caller for its content.
        unsafe { reusable::<B>(self.out.read()) }
    }

    /// Whether the client wants the event. If not, none need be created.
    pub fn wanted(&self) -> bool {
        !self.out.is_null()
    }

    /// Returns the event to the client.
    #[inline]
    pub fn set(self, event: Arc<B::Event>) {
        if self.wanted() {
            // SAFETY: `new`'s caller vouches for it.
            unsafe { self.out.write(export_owned(event)) };
        }
    }
}
