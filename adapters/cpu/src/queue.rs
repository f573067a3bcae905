// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Queues: what UR's commands do, and in which order they run.
//!
//! [`commands`] translates each command into its work, which [`launch`], [`memory`], [`image`] and [`host`] implement.
//! [`submit`] runs the work inline on the submitting thread, or hands it to the [engine](oxur_device_cpu::exec) as a task. [`order`]
//! tracks unfinished commands. [`command_buffer`] runs command buffers and graphs, [`failure`] holds errors until the client
//! asks for them.

mod command_buffer;
mod commands;
mod failure;
mod host;
mod image;
mod launch;
mod memory;
mod submit;

use std::ffi::c_void;
use std::sync::Arc;

use kit::ur::{CommandType, ExpEnqueueExtFlags, MapFlags, NativeHandle, QueueFlags};
use kit::{
    Capture, Command, EventOut, HandleCell, QueueNativeProperties, QueueProperties, UniqueId, UrResult, UsmKind,
    WaitList,
};
use oxur_adapter_kit as kit;
use oxur_device_cpu::bytes::CopyBytes;
use oxur_device_cpu::exec::{Pool, halt_poll};
use oxur_device_cpu::order::Order;

pub(crate) use self::command_buffer::work;
pub(crate) use self::commands::check;
pub(crate) use self::failure::Failures;
pub(crate) use self::launch::set_args;
use self::memory::Retained;
use self::submit::Submission;
use crate::opencl::{self, NativeCell};
use crate::{Context, Cpu, Device, Event, Mem, UsmPool};

/// The supported flags of queues. All but the first two are hints without effect: commands are submitted at once, the
/// system schedules the threads, all streams are equal, and events that the client does not request are never created.
pub(crate) const QUEUE_FLAGS: QueueFlags = QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE
    .union(QueueFlags::PROFILING_ENABLE)
    .union(QueueFlags::DISCARD_EVENTS)
    .union(QueueFlags::PRIORITY_LOW)
    .union(QueueFlags::PRIORITY_HIGH)
    .union(QueueFlags::SUBMISSION_BATCHED)
    .union(QueueFlags::SUBMISSION_IMMEDIATE)
    .union(QueueFlags::USE_DEFAULT_STREAM)
    .union(QueueFlags::SYNC_WITH_DEFAULT_STREAM);

type Wait<'a> = WaitList<'a, Cpu>;
type Out<'a> = EventOut<'a, Cpu>;

/// A queue. Each command writes to it, so it is aligned to a pair of cache lines, which the CPU prefetches together, to
/// avoid false sharing.
#[repr(align(128))]
pub(crate) struct Queue {
    pub(crate) handle_cell: HandleCell,
    pub(crate) native: NativeCell,
    pub(crate) context: Arc<Context>,
    pub(crate) device: Arc<Device>,
    /// The index in the context of the device, or of the device that it is a sub-device of.
    device_index: usize,
    pub(crate) failures: Failures,
    capture: Capture<Cpu>,
    flags: QueueFlags,
    profiled: bool,
    pool: &'static Pool,
    order: Order,
    waits: halt_poll::Waits,
    number: UniqueId,
}

impl Queue {
    /// Its number, if it is in order.
    fn number_in_order(&self) -> Option<UniqueId> {
        kit::Queue::is_in_order(self).then_some(self.number)
    }

    /// Checks that an object belongs to the queue's context.
    #[inline]
    fn check_context(&self, context: &Arc<Context>) -> UrResult<()> {
        if Arc::ptr_eq(context, &self.context) {
            Ok(())
        } else {
            Err(commands::wrong_context())
        }
    }
}

impl kit::Queue<Cpu> for Queue {
    fn create(context: &Arc<Context>, device: &Arc<Device>, properties: QueueProperties) -> UrResult<Arc<Self>> {
        // A hint that platforms may ignore. The device reports no support, so the queue does not report the flag.
        let flags = properties.flags - QueueFlags::LOW_POWER_EVENTS_SUPPORT_EXP;
        if !QUEUE_FLAGS.contains(flags) {
            kit::bail!(ERROR_INVALID_QUEUE_PROPERTIES: "the device has no queues with {flags:?}");
        }
        let device_index = context.device_index(device)?;
        let pool = device.pool();
        let in_order = !flags.contains(QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE);
        Ok(Arc::new(Self {
            number: UniqueId::new(),
            handle_cell: HandleCell::new(),
            native: NativeCell::new(),
            context: context.clone(),
            device: device.clone(),
            device_index,
            failures: Failures::default(),
            capture: Capture::default(),
            flags,
            profiled: flags.contains(QueueFlags::PROFILING_ENABLE),
            pool,
            order: Order::new(in_order, pool),
            waits: halt_poll::Waits::default(),
        }))
    }

    kit::queue_member_methods!(Cpu);

    fn is_empty(&self) -> UrResult<bool> {
        Ok(self.order.is_empty())
    }

    fn native(self: &Arc<Self>, _data: *mut c_void) -> UrResult<NativeHandle> {
        opencl::native(self)
    }

    fn from_native(
        context: &Arc<Context>,
        device: Option<&Arc<Device>>,
        native: NativeHandle,
        properties: QueueNativeProperties,
    ) -> UrResult<Arc<Self>> {
        // The native handle of a queue is this adapter's own object, so the properties are known.
        let queue: Arc<Self> = opencl::from_native(native, false)?;
        queue.check_context(context)?;
        if device.is_some_and(|device| !Arc::ptr_eq(device, &queue.device)) {
            kit::bail!(ERROR_INVALID_DEVICE: "the native queue belongs to another device");
        }
        opencl::from_native(native, properties.owned)
    }

    #[inline]
    fn finish(&self) -> UrResult<()> {
        if let Some(all) = self.order.all() {
            // The result is ignored: failures are reported below.
            all.wait();
        }
        self.pool.note_wait(&self.waits);
        self.failures.report()
    }

    fn flush(&self) -> UrResult<()> {
        Ok(())
    }

    // Inlined into the entry points, so that the operands of frequent commands stay in registers.
    #[inline(always)]
    fn submit(
        self: &Arc<Self>,
        command: Command<'_, Cpu>,
        blocking: bool,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        match command {
            Command::Launch(launch) => self.launch(launch, wait, event),
            Command::UsmMemcpy { dst, src, size } => {
                let (dst, src) = (dst.cast(), src.cast());
                let command = (CommandType::USM_MEMCPY, blocking);
                let copy = CopyBytes { dst, src, size };
                self.copy(command, copy, || Retained::Client, wait, event)
            }
            Command::DeviceGlobalRead { global, dst } => {
                self.check_context(global.program.context())?;
                let (copy, owner) = commands::read_global(&global, dst, &self.device)?;
                let command = (CommandType::DEVICE_GLOBAL_VARIABLE_READ, blocking);
                self.copy(command, copy, || owner.retain(), wait, event)
            }
            Command::DeviceGlobalWrite { global, src } => {
                self.check_context(global.program.context())?;
                let (copy, owner) = commands::write_global(&global, src, &self.device)?;
                let command = (CommandType::DEVICE_GLOBAL_VARIABLE_WRITE, blocking);
                self.copy(command, copy, || owner.retain(), wait, event)
            }
            Command::Wait | Command::Barrier { .. } | Command::Timestamp => {
                self.submit_wait((command.command_type(), blocking), wait, event)
            }
            command => self.submit_any(command, blocking, wait, event),
        }
    }

    fn signal(self: &Arc<Self>, event: &Arc<Event>, _flags: ExpEnqueueExtFlags, wait: Wait<'_>) -> UrResult<()> {
        if !Arc::ptr_eq(event.context(), &self.context) {
            kit::bail!(ERROR_INVALID_EVENT: "the queue and the event to signal belong to different contexts");
        }
        self.signal_reusable(event, wait)
    }

    fn buffer_map(
        self: &Arc<Self>,
        buffer: &Arc<Mem>,
        blocking: bool,
        _flags: MapFlags,
        offset: usize,
        _size: usize,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<*mut c_void> {
        self.submit_marker(
            Submission {
                blocking,
                ..Submission::of(CommandType::MEM_BUFFER_MAP)
            },
            wait,
            event,
        )?;
        // Device memory is host memory, so mapping needs no copy.
        Ok(buffer.data().wrapping_add(offset).cast())
    }

    fn usm_alloc(
        self: &Arc<Self>,
        kind: UsmKind<'_, Device>,
        pool: Option<&Arc<UsmPool>>,
        size: usize,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<*mut c_void> {
        let (context, of) = (&self.context, (&self.device, self.number_in_order()));
        let submit = |command| self.submit_marker(Submission::of(command), wait, event);
        context.usm.enqueue_alloc(context, of, &kind, pool, size, submit)
    }
}

#[cfg(test)]
mod tests;
