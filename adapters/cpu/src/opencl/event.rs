// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Events.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

use kit::Event as _;
use kit::ur::{EventHandle, EventInfo, ExecutionInfo};
use opencl_sys::*;
use oxur_adapter_kit as kit;
use oxur_api_opencl as conv;

use super::error::{ClError, ClResult};
use super::handle::{export, object, objects, reference_count};
use super::info::{Out, list, value};
use super::{call_ur, entry, object_entries};
use crate::Event;

fn info(event: &Arc<Event>, query: cl_event_info, out: Out) -> ClResult<()> {
    match query {
        CL_EVENT_COMMAND_QUEUE => match event.queue() {
            Some(queue) => out.handle(queue),
            None => out.value(ptr::null_mut::<c_void>()),
        },
        CL_EVENT_CONTEXT => out.handle(event.context()),
        CL_EVENT_COMMAND_TYPE => {
            let command = value(|out| event.info(EventInfo::COMMAND_TYPE, out))?;
            // One of UR's own is a marker to OpenCL.
            out.value(conv::COMMANDS.to_cl(command).unwrap_or(CL_COMMAND_MARKER))
        }
        CL_EVENT_COMMAND_EXECUTION_STATUS => {
            let now = value(|out| event.info(EventInfo::COMMAND_EXECUTION_STATUS, out))?;
            let failed = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
            out.value(conv::EVENT_STATUS.to_cl(now).unwrap_or(failed))
        }
        CL_EVENT_REFERENCE_COUNT => out.value(reference_count(&**event)),
        _ => out.unknown(),
    }
}

fn profiling_info(event: &Event, query: cl_profiling_info, out: Out) -> ClResult<()> {
    match conv::PROFILING_INFO.to_ur(query) {
        Ok(query) => out.same(|out| event.profiling_info(query, out)),
        Err(_) => out.unknown(),
    }
}

/// The events that a command waits for, as UR takes them.
pub(super) struct Wait {
    handles: Vec<EventHandle>,
    /// Keeps them while the command is submitted.
    _events: Vec<Arc<Event>>,
}

impl Wait {
    /// Takes a wait list.
    ///
    /// # Safety
    /// `events`, unless null, must point to `count` handles.
    pub(super) unsafe fn new(count: cl_uint, events: *const cl_event) -> ClResult<Self> {
        let wrong = |what: &str| ClError::with_message(CL_INVALID_EVENT_WAIT_LIST, what);
        if (count == 0) != events.is_null() {
            return Err(wrong("a wait list has events and an address, or neither"));
        }
        // SAFETY: the caller vouches for it.
        let events = objects::<Event>(unsafe { list(count as usize, events) }?)
            .map_err(|error| error.instead_of(CL_INVALID_EVENT, CL_INVALID_EVENT_WAIT_LIST))?;
        Ok(Self {
            handles: events.iter().map(kit::handle_of).collect(),
            _events: events,
        })
    }

    pub(super) fn count(&self) -> u32 {
        self.handles.len() as u32
    }

    pub(super) fn handles(&self) -> *const EventHandle {
        match self.handles.is_empty() {
            true => ptr::null(),
            false => self.handles.as_ptr(),
        }
    }
}

/// Hands the event of a command on to the client, if it wants it.
///
/// # Safety
/// `event`, unless null, must be writable, and `made` a handle from UR with a reference that is the caller's.
pub(super) unsafe fn give(made: EventHandle, event: *mut cl_event) -> ClResult<()> {
    if !event.is_null() {
        // SAFETY: the caller vouches for both.
        unsafe { event.write(export(&kit::take::<Event>(made)?)) };
    }
    Ok(())
}

type Notify = Option<unsafe extern "C" fn(cl_event, cl_int, *mut c_void)>;

object_entries!(Event as cl_event: clRetainEvent, clReleaseEvent, clGetEventInfo);

entry! {
    fn clWaitForEvents(count: cl_uint, events: *const cl_event) {
        if count == 0 || events.is_null() {
            return Err(ClError::with_message(CL_INVALID_VALUE, "there is no event to wait for"));
        }
        let events = objects::<Event>(list(count as usize, events)?)?;
        let handles: Vec<_> = events.iter().map(kit::handle_of).collect();
        call_ur!(Event.pfnWait(count, handles.as_ptr()))
    }

    fn clGetEventProfilingInfo(
        event: cl_event, query: cl_profiling_info, size: usize, value: *mut c_void, needed: *mut usize,
    ) {
        profiling_info(&*object::<Event>(event)?, query, Out::new(size, value, needed))
    }

    fn clSetEventCallback(event: cl_event, at: cl_int, notify: Notify, data: *mut c_void) {
        let object = object::<Event>(event)?;
        let notify = notify.ok_or(CL_INVALID_VALUE)?;
        let status = conv::EXECUTION_INFO.to_ur(at)?;
        struct Call {
            notify: unsafe extern "C" fn(cl_event, cl_int, *mut c_void),
            /// Keeps the handle that the client's function gets.
            event: Arc<Event>,
            at: cl_int,
            data: *mut c_void,
        }
        /// What UR calls.
        unsafe extern "C" fn call(_: EventHandle, _: ExecutionInfo, data: *mut c_void) {
            // SAFETY: the box from below, which is given to this function once.
            let Call { notify, event, at, data } = *unsafe { Box::from_raw(data.cast::<Call>()) };
            let at = if event.failed() { CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST } else { at };
            // SAFETY: the client vouches for its function.
            unsafe { notify(super::handle::handle_of(&event), at, data) };
        }
        let event = object.clone();
        let data = Box::into_raw(Box::new(Call { notify, event, at, data })).cast();
        call_ur!(Event.pfnSetCallback(kit::handle_of(&object), status, Some(call), data))
    }
}
