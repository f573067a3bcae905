// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Events.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use oxur_api::callback::{MayThrow, call_or_abort};
use oxur_api::*;

use crate::capture::CapturedEvent;
use crate::chain::decode;
use crate::entry_hook::enter;
use crate::handle::{self, Borrowed, export, object};
use crate::recycle::recycle;
use crate::table::entry_points;
use crate::{Backend, InfoOut, Object, Subject, UrError, UrResult, WaitList, args, entry, unsupported};

/// An event: the state of a command.
pub trait Event<B: Backend>: Object<Handle = EventHandle> {
    /// Answers `urEventGetInfo`, but for the reference count.
    fn info(&self, query: EventInfo, out: InfoOut<'_>) -> UrResult<()>;

    /// Answers `urEventGetProfilingInfo`, in nanoseconds of the device's clock.
    fn profiling_info(&self, _query: ProfilingInfo, out: InfoOut<'_>) -> UrResult<()> {
        out.unsupported()
    }

    /// Waits until all events of a list, which is not empty, are complete.
    fn wait_all(events: WaitList<'_, B>) -> UrResult<()>;

    /// Has `callback` called once the command reaches `status`, which is not QUEUED; at once if it has already.
    fn set_callback(self: &Arc<Self>, _status: ExecutionInfo, _callback: Callback) -> UrResult<()> {
        unsupported()
    }

    /// The driver's handle.
    fn native(self: &Arc<Self>) -> UrResult<NativeHandle> {
        unsupported()
    }

    /// Wraps a native event. `owned` says that the native handle is ours to release.
    fn from_native(_context: &Arc<B::Context>, _native: NativeHandle, _owned: bool) -> UrResult<Arc<Self>> {
        unsupported()
    }

    /// Makes an event that is complete, of no command.
    fn complete(_context: &Arc<B::Context>) -> UrResult<Arc<Self>> {
        unsupported()
    }

    /// Makes a reusable event, which [`Queue::signal`](crate::Queue::signal) signals again and again. Until the first
    /// signal it is complete.
    fn create(_context: &Arc<B::Context>, _device: &Arc<B::Device>, _flags: ExpEventFlags) -> UrResult<Arc<Self>> {
        unsupported()
    }

    /// The client has given its last reference back.
    #[inline(always)]
    fn released(self: Arc<Self>) {
        recycle(self);
    }

    /// Whether [`Event::create`] made it.
    fn is_reusable(&self) -> bool {
        false
    }
}

/// Whether any reusable event was ever made. A client that makes none need not know that a handle is read where
/// `urEnqueueEventsWaitWithBarrierExt` leaves one: before 2026.2 it could be anything.
static HAS_REUSABLE: AtomicBool = AtomicBool::new(false);

/// A reusable event was made, or opened.
pub(crate) fn has_reusable() {
    HAS_REUSABLE.store(true, Ordering::Relaxed);
}

/// The reusable event of a handle that a client may have given to be signalled.
///
/// # Safety
/// If any reusable event was made, a handle that is not null must point to readable memory, and the client must hold a
/// reference of the event for `'a`.
pub(crate) unsafe fn reusable<'a, B: Backend>(handle: EventHandle) -> Option<Borrowed<'a, B::Event>> {
    if handle.is_null() || !HAS_REUSABLE.load(Ordering::Relaxed) {
        return None;
    }
    // SAFETY: passed on to the caller.
    unsafe { object::<B::Event>(handle) }
        .ok()
        .filter(|event| event.is_reusable())
}

/// What the kit wants of events where it does in software what a driver lacks: [command
/// buffers](crate::SoftwareCommandBuffer) and [emulated](crate::emulate) commands.
pub trait SoftwareEvent<B: Backend>: Event<B> {
    /// The event of commands that are one for the client, which `command` names: it is complete when `last` is. `firsts` are
    /// the events of those that begin it, if the client may ask when that was: it is the earliest start of all.
    fn for_execution(command: CommandType, firsts: &[Arc<Self>], last: &Arc<Self>) -> UrResult<Arc<Self>>;

    /// An event for a command that is yet to be submitted.
    fn create_pending(context: &Arc<B::Context>, command: CommandType) -> UrResult<Arc<Self>>;

    /// The command of a pending event was submitted, with an event of its own. `None` if it never will be: then the event
    /// fails.
    fn resolve(&self, command: Option<&Arc<Self>>);

    /// Drops an event that may be the last to keep its queue and its context, in a thread from which the driver may have
    /// called the client.
    fn defer_drop(event: Arc<Self>) {
        drop(event);
    }
}

/// A client's function that wants to know of an event.
pub struct Callback {
    function: unsafe extern "C" fn(EventHandle, ExecutionInfo, *mut c_void),
    user_data: *mut c_void,
}

// SAFETY: the client's pointer is only given back to the client's function, which the specification allows to be called from any
// thread.
unsafe impl Send for Callback {}

impl Callback {
    /// A function that may be called once, with this pointer.
    pub(crate) fn new(
        function: unsafe extern "C" fn(EventHandle, ExecutionInfo, *mut c_void),
        user_data: *mut c_void,
    ) -> Self {
        Self { function, user_data }
    }

    /// Calls the client's function. If it throws, the process ends.
    pub fn call<T: Object<Handle = EventHandle>>(self, event: &Arc<T>, status: ExecutionInfo) {
        // SAFETY: the client vouched, when it registered the function, that it may be called once with this pointer.
        let call = || unsafe { self.function.may_throw()(handle::handle_of(event), status, self.user_data) };
        call_or_abort("the callback of an event", call);
    }
}

/// The event of a command that runs. One of a command that was captured is another error than a bad handle.
///
/// # Safety
/// As [`object`].
#[inline(always)]
pub(crate) unsafe fn event<'a, B: Backend>(handle: EventHandle) -> UrResult<Borrowed<'a, B::Event>> {
    // SAFETY: passed on to the caller.
    unsafe { object::<B::Event>(handle).map_err(|error| no_event::<B>(handle, error)) }
}

/// # Safety
/// As [`object`].
#[cold]
unsafe fn no_event<B: Backend>(handle: EventHandle, error: UrError) -> UrError {
    // SAFETY: passed on to the caller.
    if unsafe { handle::is::<CapturedEvent<B>>(handle) } {
        return crate::error!(
            ERROR_GRAPH_INTERNAL_EVENT: "the command of the event was captured and runs only as a part of a graph"
        );
    }
    error
}

entry! {
    fn urEventGetInfo<B>(event: EventHandle, query: EventInfo, size: usize, value: *mut c_void, needed: *mut usize) {
        let event = match object::<B::Event>(event) {
            Ok(event) => event,
            Err(error) => {
                let captured = object::<CapturedEvent<B>>(event).map_err(|_| error)?;
                return captured.info(query, InfoOut::of(query, size, value, needed)?);
            }
        };
        let out = InfoOut::of(query, size, value, needed)?;
        match query {
            EventInfo::REFERENCE_COUNT => out.references(&**event),
            _ => event.info(query, out),
        }
    }

    fn urEventGetProfilingInfo<B>(
        event: EventHandle, query: ProfilingInfo, size: usize, value: *mut c_void, needed: *mut usize,
    ) {
        let event = self::event::<B>(event)?;
        args::not_beyond_last(query)?;
        event.profiling_info(query, InfoOut::of_profiling(size, value, needed)?)
    }

    fn urEventWait<B>(count: u32, events: *const EventHandle) {
        if events.is_null() {
            return Err(ResultCode::ERROR_INVALID_NULL_POINTER.into());
        }
        if count == 0 {
            return Err(ResultCode::ERROR_INVALID_VALUE.into());
        }
        let events = WaitList::<B>::new(count, events).map_err(|error| match error.code() {
            ResultCode::ERROR_GRAPH_INTERNAL_EVENT => error,
            _ => error.with_code(ResultCode::ERROR_INVALID_EVENT),
        })?;
        // No parameter is an object, so nothing has been entered for one.
        let _entered = enter::<B>(|| events.iter().next().map_or(Subject::Nothing, Subject::Event))?;
        B::Event::wait_all(events)
    }

    fn urEventRetain<B>(event: EventHandle) {
        match handle::retain::<B::Event>(event) {
            Err(_) if handle::is::<CapturedEvent<B>>(event) => handle::retain::<CapturedEvent<B>>(event),
            result => result,
        }
    }

    fn urEventRelease<B>(event: EventHandle) {
        match handle::release_to::<B::Event>(event, B::Event::released) {
            Err(_) if handle::is::<CapturedEvent<B>>(event) => handle::release::<CapturedEvent<B>>(event),
            result => result,
        }
    }

    fn urEventGetNativeHandle<B>(event: EventHandle, native: *mut NativeHandle) {
        let event = self::event::<B>(event)?;
        args::out(native)?.write(event.native()?);
        Ok(())
    }

    fn urEventCreateWithNativeHandle<B>(
        native: NativeHandle, context: ContextHandle, properties: *const EventNativeProperties, event: *mut EventHandle,
    ) {
        let context = object::<B::Context>(context)?;
        let out = args::out(event)?;
        let properties = properties.as_ref().copied().unwrap_or_default();
        decode!("urEventCreateWithNativeHandle", properties.pNext)?;
        let owned = properties.isNativeHandleOwned;
        // Clients ask for an event that is complete that way.
        let event = match native {
            0 => B::Event::complete(&context)?,
            _ => B::Event::from_native(&context, native, owned)?,
        };
        out.write(export(&event));
        Ok(())
    }

    fn urEventSetCallback<B>(
        event: EventHandle, status: ExecutionInfo, callback: EventCallback, user_data: *mut c_void,
    ) {
        let event = self::event::<B>(event)?;
        let function = callback.ok_or(ResultCode::ERROR_INVALID_NULL_POINTER)?;
        match status {
            ExecutionInfo::COMPLETE | ExecutionInfo::RUNNING | ExecutionInfo::SUBMITTED => {}
            // Every event has been queued: there is nothing to tell.
            ExecutionInfo::QUEUED => return Err(ResultCode::ERROR_UNSUPPORTED_ENUMERATION.into()),
            _ => return Err(ResultCode::ERROR_INVALID_ENUMERATION.into()),
        }
        event.set_callback(status, Callback { function, user_data })
    }

    fn urEventCreateExp<B>(
        context: ContextHandle, device: DeviceHandle, desc: *const ExpEventDesc, event: *mut EventHandle,
    ) {
        let context = object::<B::Context>(context)?;
        let device = object::<B::Device>(device)?;
        let desc = args::required(desc)?;
        let out = args::out(event)?;
        args::known_flags(desc.flags)?;
        decode!("urEventCreateExp", desc.pNext)?;
        let event = B::Event::create(&context, &device, desc.flags)?;
        has_reusable();
        out.write(export(&event));
        Ok(())
    }
}

oxur_api::event_functions! { entry_points {} }
oxur_api::event_exp_functions! { entry_points {} }
