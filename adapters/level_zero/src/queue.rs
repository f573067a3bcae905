// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Queues: immediate command lists, and the commands of UR on them.
//!
//! [`commands`] has Level Zero's function for each command, [`submit`] the way of all of them into the list. What Level Zero
//! lacks (fills with odd patterns, fills of rows, host tasks) the kit [emulates](kit::emulate).

mod commands;
mod submit;

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use kit::ur::{CommandType, NativeHandle, QueueFlags};
use kit::{
    BusyMark, Capture, Context as _, EventOut, HandleCell, InFlight, Loans, Objects, QueueNativeProperties,
    QueueProperties, UniqueId, UrResult, WaitList,
};
use level_zero_sys::*;
use oxur_adapter_kit as kit;
use oxur_fork::{InTurn, Mutex, OnceLock};

pub(crate) use self::commands::{
    append, append_barrier, append_copy, append_fill, append_launch, fills, is_cooperative, of_launch,
};
use self::submit::State;
pub(crate) use self::submit::{After, Deps, Marker};
use crate::event::{EventType, WATCHER};
use crate::lists::Retired;
use crate::ze::{self, ListKind, Owned, ze};
use crate::{Context, Device, Event, LevelZero, Mem};

type Wait<'a> = WaitList<'a, LevelZero>;
type Out<'a> = EventOut<'a, LevelZero>;
pub(crate) type How<'a> = kit::Submission<'a, LevelZero>;

/// A queue.
pub(crate) struct Queue {
    pub(crate) handle_cell: HandleCell,
    raw: Owned<ListKind>,
    /// Taken while a command is appended: a list is for one thread at a time.
    state: InTurn<State>,
    capture: Capture<LevelZero>,
    flags: QueueFlags,
    in_order: bool,
    /// Whether the list is a command buffer's, which records commands: see [`Queue::recording`].
    is_recording: bool,
    /// What the events of its commands are.
    event_type: EventType,
    /// Whether there were commands since the probe, as the context knows it.
    mark: BusyMark<Self>,
    number: UniqueId,
    /// Whether others may submit to it, too: it is a native list, or its native handle was given out.
    shared: AtomicBool,
    /// How many commands there were, and how many when all were known to be complete.
    submitted: AtomicU64,
    complete: AtomicU64,
    /// In order: lists that ran as the last of so many commands, and that nobody has any more. Not a part of what is changed in
    /// turn: who gives up a list may have no turn.
    retired: Mutex<Vec<(u64, Retired)>>,
    has_retired: AtomicBool,
    /// Before the context: events that rest have pools of it.
    loans: Loans<Self, Event>,
    pub(crate) device: Arc<Device>,
    pub(crate) context: Arc<Context>,
}

impl Queue {
    /// One whose commands have no events and wait for none.
    fn with(
        raw: Owned<ListKind>,
        context: &Arc<Context>,
        device: &Arc<Device>,
        in_flight: &Arc<InFlight<Self>>,
        flags: QueueFlags,
    ) -> Self {
        Self {
            handle_cell: HandleCell::new(),
            raw,
            state: InTurn::default(),
            capture: Capture::default(),
            flags,
            in_order: !flags.contains(QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE),
            is_recording: false,
            event_type: EventType::default(),
            mark: BusyMark::new(in_flight),
            number: UniqueId::new(),
            shared: AtomicBool::new(false),
            submitted: AtomicU64::new(0),
            complete: AtomicU64::new(0),
            retired: Mutex::default(),
            has_retired: AtomicBool::new(false),
            loans: Loans::default(),
            device: device.clone(),
            context: context.clone(),
        }
    }

    fn new(
        raw: Owned<ListKind>,
        context: &Arc<Context>,
        device: &Arc<Device>,
        flags: QueueFlags,
        shared: bool,
    ) -> Arc<Self> {
        let in_flight = &context.shared.in_flight;
        let mut queue = Self::with(raw, context, device, in_flight, flags);
        let is_single = device.raw == context.devices[0].raw && context.devices.len() == 1;
        queue.event_type = EventType {
            timed: flags.contains(QueueFlags::PROFILING_ENABLE),
            in_order: queue.in_order && !shared && is_single,
        };
        *queue.shared.get_mut() = shared;
        let queue = Arc::new(queue);
        in_flight.add(&queue);
        if shared {
            in_flight.note_shared();
        }
        queue
    }

    /// A stand-in for the queue of a command buffer's commands, which are appended to a regular list. None of them has an event
    /// or waits for one: the order of the list is all that there is.
    pub(crate) fn recording(raw: Owned<ListKind>, context: &Arc<Context>, device: &Arc<Device>) -> Arc<Self> {
        let mut queue = Self::with(raw, context, device, nothing_in_flight(), QueueFlags::empty());
        queue.is_recording = true;
        Arc::new(queue)
    }

    /// The command list.
    #[inline(always)]
    pub(crate) fn list(&self) -> ze_command_list_handle_t {
        *self.raw
    }

    /// Whether every command is complete.
    pub(crate) fn is_complete(&self) -> bool {
        // SAFETY: a live list.
        unsafe { ze!(zeCommandListHostSynchronize(self.list(), 0)) }.is_ok()
    }
}

/// What is unfinished of command lists that record, which is nothing.
fn nothing_in_flight() -> &'static Arc<InFlight<Queue>> {
    static NOTHING: OnceLock<Arc<InFlight<Queue>>> = OnceLock::new();
    NOTHING.get_or_init(Arc::default)
}

impl Drop for Queue {
    fn drop(&mut self) {
        if self.is_recording {
            return;
        }
        let marker = self.mark.leave(self);
        let lists = std::mem::take(self.retired.get_mut());
        let kept = (std::mem::take(self.state.get_mut()), lists, self.raw.take());
        // The list stays until its commands are complete, and so does what they wait for. The context is kept by others
        // or goes after them.
        let marker = marker.filter(|_| !ze::is_lost());
        let last = marker.and_then(|marker| marker.events().last().cloned());
        let Some(last) = last else { return };
        let kept = (kept, self.context.clone());
        if let Err(error) = WATCHER.when_over(&last, move || kit::defer_drop(kept)) {
            log::warn!("a queue may end before its commands: {error}");
        }
    }
}

impl kit::Queue<LevelZero> for Queue {
    fn create(context: &Arc<Context>, device: &Arc<Device>, properties: QueueProperties) -> UrResult<Arc<Self>> {
        context.check_device(device)?;
        let flags = properties.flags;
        properties.without_device_queues()?;
        let in_order = !flags.contains(QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE);
        let priority = if flags.contains(QueueFlags::PRIORITY_LOW) {
            ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_LOW
        } else if flags.contains(QueueFlags::PRIORITY_HIGH) {
            ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH
        } else {
            ZE_COMMAND_QUEUE_PRIORITY_NORMAL
        };
        let desc = ze_command_queue_desc_t {
            index: properties.compute_index.unwrap_or(0),
            flags: if in_order { ZE_COMMAND_QUEUE_FLAG_IN_ORDER } else { 0 },
            mode: ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS,
            priority,
            ..Default::default()
        };
        let raw = context.immediate_list(device, desc)?;
        Ok(Self::new(raw, context, device, flags, false))
    }

    kit::queue_member_methods!(LevelZero);

    fn loans(&self) -> Option<&Loans<Self, Event>> {
        Some(&self.loans)
    }

    fn is_empty(&self) -> UrResult<bool> {
        Ok(self.is_complete())
    }

    fn finish(&self) -> UrResult<()> {
        let past = self.state.take().take_past();
        let finished = self.wait_for(None);
        // The commands that waited for these events are complete.
        drop(past);
        finished
    }

    fn native(self: &Arc<Self>, data: *mut c_void) -> UrResult<NativeHandle> {
        self.shared.store(true, Ordering::Relaxed);
        self.mark.in_flight().note_shared();
        if !data.is_null() {
            // SAFETY: clients that want to know what the handle is of pass a place for this number.
            unsafe { data.cast::<i32>().write(IMMEDIATE_LIST) };
        }
        Ok(self.list() as NativeHandle)
    }

    fn from_native(
        context: &Arc<Context>,
        device: Option<&Arc<Device>>,
        native: NativeHandle,
        properties: QueueNativeProperties,
    ) -> UrResult<Arc<Self>> {
        // SAFETY: clients that say what the handle is of pass the place of this number.
        if !properties.data.is_null() && unsafe { properties.data.cast::<i32>().read() } != IMMEDIATE_LIST {
            kit::bail!(
                ERROR_UNSUPPORTED_FEATURE: "a native queue is an immediate command list here, and not a command queue"
            );
        }
        let native = native as ze_command_list_handle_t;
        let mut flags = properties.queue.flags;
        let (mut id, mut bits) = (std::ptr::null_mut(), 0);
        // SAFETY: the client vouches for its native handle.
        unsafe {
            if ze!(zeCommandListImmediateGetFlags(native, &mut bits)).is_ok() {
                let in_order = bits & ZE_COMMAND_QUEUE_FLAG_IN_ORDER != 0;
                flags.set(QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE, !in_order);
            }
            _ = ze!(zeCommandListGetDeviceHandle(native, &mut id));
        }
        let device = context.device(id).or(device).unwrap_or(&context.devices[0]);
        // SAFETY: as above.
        let raw = unsafe { Owned::new(native, properties.owned) };
        Ok(Self::new(raw, context, device, flags, true))
    }

    kit::memory_queue_methods!(LevelZero);

    fn begin_native_command(self: &Arc<Self>, mems: Objects<'_, Mem>, wait: Wait<'_>) -> UrResult<()> {
        kit::memory_queue::begin_native_by_barrier(self, mems, wait)
    }

    fn end_native_command(self: &Arc<Self>, event: Out<'_>) -> UrResult<()> {
        let how = How::new(CommandType::ENQUEUE_NATIVE_EXP, WaitList::empty(), event);
        kit::MemoryQueue::barrier(self, how)
    }
}

/// What the data of a native queue says that is a list; 0 is a command queue.
const IMMEDIATE_LIST: i32 = 1;
