// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Queues: immediate command lists, and the commands of UR on them.
//!
//! [`commands`] has Level Zero's function for each command, [`submit`] the way of all of them into the list. What Level Zero
//! lacks (fills with odd patterns, fills of rows, host tasks) the kit [emulates](kit::emulate).

mod commands;
mod submit;

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kit::ur::{CommandType, MapFlags, NativeHandle, QueueFlags, QueueHandle, QueueInfo, ResultCode};
use kit::{
    BusyMark, Capture, Command, EventOut, HandleCell, InfoOut, Objects, QueueNativeProperties, QueueProperties,
    TrackedQueue, UrError, UrResult, WaitList,
};
use level_zero_sys::*;
use oxur_adapter_kit as kit;
use oxur_fork::{Mutex, Turns};

use self::submit::State;
pub(crate) use self::submit::{After, Marker};
use crate::event::{EventType, watcher};
use crate::ze::{self, ListKind, Owned, ze, ze_get};
use crate::{Context, Device, LevelZero, Mem};

type Wait<'a> = WaitList<'a, LevelZero>;
type Out<'a> = EventOut<'a, LevelZero>;

/// A queue.
pub(crate) struct Queue {
    pub(crate) handle_cell: HandleCell,
    raw: Option<Owned<ListKind>>,
    /// Taken while a command is appended: a list is for one thread at a time.
    turns: Turns,
    /// Changed in turn only. The driver is not called while it is locked.
    state: Mutex<State>,
    capture: Capture<LevelZero>,
    flags: QueueFlags,
    in_order: bool,
    /// Whether the list is a command buffer's, which records commands: see [`Queue::recording`].
    is_recording: bool,
    /// What the events of its commands are.
    event_type: EventType,
    /// Whether there were commands since the probe, as the context knows it.
    mark: BusyMark<Self>,
    /// Whether others may submit to it, too: it is a native list, or its native handle was given out.
    shared: AtomicBool,
    pub(crate) device: Arc<Device>,
    pub(crate) context: Arc<Context>,
}

impl Queue {
    fn new(
        raw: Owned<ListKind>,
        context: &Arc<Context>,
        device: &Arc<Device>,
        flags: QueueFlags,
        shared: bool,
    ) -> Arc<Self> {
        let in_order = !flags.contains(QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE);
        let queue = Arc::new(Self {
            handle_cell: HandleCell::new(),
            raw: Some(raw),
            turns: Turns::new(),
            state: Mutex::default(),
            capture: Capture::default(),
            flags,
            in_order,
            is_recording: false,
            event_type: EventType {
                timed: flags.contains(QueueFlags::PROFILING_ENABLE),
                in_order: in_order && !shared && device.raw == context.devices[0].raw && context.devices.len() == 1,
            },
            mark: BusyMark::new(&context.shared.in_flight),
            shared: AtomicBool::new(shared),
            device: device.clone(),
            context: context.clone(),
        });
        let in_flight = queue.mark.in_flight();
        in_flight.add(&queue);
        if shared {
            in_flight.note_shared();
        }
        queue
    }

    /// A stand-in for the queue of a command buffer's commands, which are appended to a regular list. None of them has an event
    /// or waits for one: the order of the list is all that there is.
    pub(crate) fn recording(raw: Owned<ListKind>, context: &Arc<Context>, device: &Arc<Device>) -> Arc<Self> {
        Arc::new(Self {
            handle_cell: HandleCell::new(),
            raw: Some(raw),
            turns: Turns::new(),
            state: Mutex::default(),
            capture: Capture::default(),
            flags: QueueFlags::empty(),
            in_order: true,
            is_recording: true,
            event_type: EventType::default(),
            // Nobody else knows these marks: nothing runs.
            mark: BusyMark::new(&Arc::default()),
            shared: AtomicBool::new(false),
            device: device.clone(),
            context: context.clone(),
        })
    }

    /// The command list.
    #[inline(always)]
    pub(crate) fn list(&self) -> ze_command_list_handle_t {
        // Only `drop` takes it.
        self.raw.as_ref().map_or(std::ptr::null_mut(), |list| **list)
    }

    /// Whether every command is complete.
    pub(crate) fn is_empty(&self) -> bool {
        // SAFETY: a live list.
        unsafe { ze!(zeCommandListHostSynchronize(self.list(), 0)) }.is_ok()
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        if self.is_recording {
            return;
        }
        let in_flight = self.mark.in_flight();
        // Others who want to know wait until it has left.
        in_flight.mark_busy();
        let marker = self.unfinished().unwrap_or_else(|error| {
            log::warn!("it is not known when the last commands of a queue are complete: {error}");
            None
        });
        in_flight.leave(self, marker.clone());
        let kept = (std::mem::take(&mut *self.state.lock()), self.raw.take());
        // The list stays until its commands are complete, and so does what they wait for. The context is kept by others
        // or goes after them.
        let Some(last) = marker.filter(|_| !ze::is_lost()).and_then(|marker| marker.last()) else {
            return;
        };
        let kept = (kept, self.context.clone());
        if let Err(error) = watcher::when_over(&last, move || kit::defer_drop(kept)) {
            log::warn!("a queue may end before its commands: {error}");
        }
    }
}

impl kit::Queue<LevelZero> for Queue {
    fn create(context: &Arc<Context>, device: &Arc<Device>, properties: QueueProperties) -> UrResult<Arc<Self>> {
        context.check_device(device)?;
        let flags = properties.flags;
        if flags.intersects(QueueFlags::ON_DEVICE | QueueFlags::ON_DEVICE_DEFAULT) {
            return Err(UrError::with_message(
                ResultCode::ERROR_INVALID_QUEUE_PROPERTIES,
                "Level Zero has no queues on devices",
            ));
        }
        let in_order = !flags.contains(QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE);
        let priority = if flags.contains(QueueFlags::PRIORITY_LOW) {
            ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_LOW
        } else if flags.contains(QueueFlags::PRIORITY_HIGH) {
            ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH
        } else {
            ZE_COMMAND_QUEUE_PRIORITY_NORMAL
        };
        let desc = ze_command_queue_desc_t {
            ordinal: device.facts.ordinal,
            index: properties.compute_index.unwrap_or(0),
            flags: if in_order { ZE_COMMAND_QUEUE_FLAG_IN_ORDER } else { 0 },
            mode: ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS,
            priority,
            ..Default::default()
        };
        // SAFETY: a live context, a device of it, and the list that was just made.
        let raw = unsafe {
            let list = ze_get!(zeCommandListCreateImmediate(**context.raw, device.raw, &desc))?;
            Owned::new(list, true)
        };
        Ok(Self::new(raw, context, device, flags, false))
    }

    fn context(&self) -> &Arc<Context> {
        &self.context
    }

    fn device(&self) -> &Arc<Device> {
        &self.device
    }

    fn is_in_order(&self) -> bool {
        self.in_order
    }

    fn capture(&self) -> Option<&Capture<LevelZero>> {
        Some(&self.capture)
    }

    fn info(&self, query: QueueInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            QueueInfo::FLAGS => out.value(self.flags),
            QueueInfo::EMPTY => out.bool(self.is_empty()),
            // It is not a queue on the device.
            QueueInfo::SIZE => Err(ResultCode::ERROR_INVALID_QUEUE.into()),
            QueueInfo::DEVICE_DEFAULT => out.value(QueueHandle::default()),
            _ => out.unsupported(),
        }
    }

    fn finish(&self) -> UrResult<()> {
        let past = {
            let _turn = self.turns.take();
            self.state.lock().take_past()
        };
        // SAFETY: a live list.
        let finished = unsafe { ze!(zeCommandListHostSynchronize(self.list(), u64::MAX)) };
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
            return Err(UrError::with_message(
                ResultCode::ERROR_UNSUPPORTED_FEATURE,
                "a native queue is an immediate command list here, and not a command queue",
            ));
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

    // Into the entry points: what they decode of a launch then never gets to memory.
    #[inline(always)]
    fn submit(
        self: &Arc<Self>,
        command: Command<'_, LevelZero>,
        blocking: bool,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        match command {
            Command::Launch(launch) => self.launch(launch, wait, event),
            command => self.submit_any(command, blocking, wait, event),
        }
    }

    fn buffer_map(
        self: &Arc<Self>,
        buffer: &Arc<Mem>,
        blocking: bool,
        flags: MapFlags,
        offset: usize,
        size: usize,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<*mut c_void> {
        let mapping = buffer.map(flags, offset, size)?;
        let mapped = mapping.address();
        let copy = mapping.to_host();
        self.move_mapped(CommandType::MEM_BUFFER_MAP, copy, blocking, wait, event)?;
        buffer.add_mapping(mapping);
        Ok(mapped)
    }

    fn begin_native_command(self: &Arc<Self>, _mems: Objects<'_, Mem>, wait: Wait<'_>) -> UrResult<()> {
        if wait.is_empty() {
            return Ok(());
        }
        // The client's commands come after what it waits for.
        self.submit_any(Command::barrier(), false, wait, EventOut::none())
    }

    fn end_native_command(self: &Arc<Self>, event: Out<'_>) -> UrResult<()> {
        self.barrier(CommandType::ENQUEUE_NATIVE_EXP, WaitList::empty(), event)
    }
}

/// What the data of a native queue says that is a list; 0 is a command queue.
const IMMEDIATE_LIST: i32 = 1;
