// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Command buffers: commands that are put together once and run again and again.
//!
//! [`command_list`] keeps what a client appends and changes it, for all adapters. An adapter makes of it, when it is
//! finalized, what runs fast; one that has nothing of the kind takes [`SoftwareCommandBuffer`], which submits the commands to the queue
//! one by one.

mod command_list;
mod signal;
mod software;
mod update;

use std::ffi::c_void;
use std::sync::Arc;

use oxur_api::callback::MayThrow;
use oxur_api::*;

use self::command_list::Wanted;
pub use self::command_list::{BufferCommand, CommandList, Node, Settings, SignalOf};
pub(crate) use self::command_list::{sort, splice};
pub use self::signal::Signal;
pub use self::software::SoftwareCommandBuffer;
pub(crate) use self::software::{Used, list};
use self::update::Update;
use crate::capture::Recorded;
use crate::client_call::guard_around;
use crate::handle::{self, export, export_owned, object, optional_object};
use crate::table::entry_points;
use crate::unsupported;
use crate::{
    Backend, Command, Context, EventOut, InfoOut, Object, UrError, UrResult, WaitList, args, command_entry, entry,
};

/// A command buffer.
pub trait CommandBuffer<B: Backend>: Object<Handle = ExpCommandBufferHandle> {
    /// What a command of this or of another buffer signals when it is complete, once. That is an event, which fails if
    /// nobody has this any more and it was not signalled.
    type Signal: Clone + Send + Sync + 'static;

    /// Makes one of which nothing is known yet but its context, its device and its settings.
    fn create(commands: CommandList<B>) -> UrResult<Arc<Self>>;

    /// What was appended.
    fn commands(&self) -> &CommandList<B>;

    /// A command was appended, at a place in the list: what [`finalize`](Self::finalize) need not do can be done now. That
    /// the command is wrong is for `finalize` to say. It is not called for those of a graph.
    fn appended(&self, _place: usize, _node: &Node<B>) {}

    /// Makes ready what runs. These are all commands, in an order in which they may run.
    fn finalize(&self, nodes: &[Node<B>]) -> UrResult<()>;

    /// The commands at the places of `changed` are not what they were. Runs that were enqueued before must not see it. If
    /// this fails, all of them are what they were again.
    fn update(&self, nodes: &[Node<B>], changed: &[usize]) -> UrResult<()>;

    /// Runs all commands, after those of an earlier run of the same buffer.
    fn enqueue(self: &Arc<Self>, queue: &Arc<B::Queue>, wait: WaitList<'_, B>, event: EventOut<'_, B>) -> UrResult<()>;

    /// An event for a single command of this kind, and what the next run is to signal for it.
    fn signal(&self, _command: CommandType) -> UrResult<(Arc<B::Event>, Self::Signal)> {
        unsupported()
    }

    /// The event of such a signal, for a command of this kind, if no run has begun to give it.
    fn pending(&self, _command: CommandType, _signal: &Self::Signal) -> Option<Arc<B::Event>> {
        None
    }

    /// Whether single commands can wait for events.
    fn check_events(&self) -> UrResult<()> {
        unsupported()
    }

    /// The driver's handle.
    fn native(&self) -> UrResult<NativeHandle> {
        unsupported()
    }
}

/// Takes the list of sync points that a command waits for.
///
/// # Safety
/// `points`, unless null, must point to `count` numbers that stay unchanged for `'a`.
unsafe fn sync_points<'a>(
    count: u32,
    points: *const ExpCommandBufferSyncPoint,
) -> UrResult<&'a [ExpCommandBufferSyncPoint]> {
    if (count == 0) != points.is_null() {
        return Err(UrError::with_message(
            ResultCode::ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_WAIT_LIST_EXP,
            format!("the list has {count} sync points and its pointer is {points:p}: both must be zero, or none"),
        ));
    }
    // SAFETY: passed on to the caller.
    unsafe { args::slice(points, count as usize) }
}

/// Appends a command, and gives the client what it wants back.
///
/// # Safety
/// The pointers must be as the C functions demand.
pub(crate) unsafe fn append<B: Backend>(
    buffer: &Arc<B::CommandBuffer>,
    command: Command<'_, B>,
    (num_points, points): (u32, *const ExpCommandBufferSyncPoint),
    (num_events, events): (u32, *const EventHandle),
    point: *mut ExpCommandBufferSyncPoint,
    event: *mut EventHandle,
    handle: *mut ExpCommandBufferCommandHandle,
) -> UrResult<()> {
    let commands = buffer.commands();
    commands.context().check_command(commands.device(), &command)?;
    command.check_usm(commands.context(), true)?;
    let command = command.into_owned()?;
    // SAFETY: passed on to the caller.
    unsafe {
        let dependencies = sync_points(num_points, points)?;
        let events = WaitList::new(num_events, events)?;
        let wanted = Wanted {
            event: !event.is_null(),
            handle: !handle.is_null(),
        };
        let appended = commands.append(buffer, command, dependencies, events, wanted)?;
        if let Some(place) = point.as_mut() {
            *place = appended.point;
        }
        if let Some(signal) = appended.event {
            event.write(export_owned(signal));
        }
        if let Some(new) = appended.handle {
            handle.write(new);
        }
    }
    Ok(())
}

entry! {
    fn urCommandBufferCreateExp<B>(
        context: ContextHandle, device: DeviceHandle, desc: *const ExpCommandBufferDesc,
        buffer: *mut ExpCommandBufferHandle,
    ) {
        let context = object::<B::Context>(context)?;
        let device = object::<B::Device>(device)?;
        let desc = args::required(desc)?;
        let out = args::out(buffer)?;
        if !context.devices().iter().any(|known| Arc::ptr_eq(known, &device)) {
            return Err(UrError::with_message(ResultCode::ERROR_INVALID_DEVICE, "the device is not one of the context's"));
        }
        let settings = Settings {
            updatable: desc.isUpdatable != 0,
            in_order: desc.isInOrder != 0,
            profiled: desc.enableProfiling != 0,
        };
        let commands = CommandList::new(Arc::clone(&context), Arc::clone(&device), settings);
        out.write(export(&B::CommandBuffer::create(commands)?));
        Ok(())
    }

    fn urCommandBufferRetainExp<B>(buffer: ExpCommandBufferHandle) {
        handle::retain::<B::CommandBuffer>(buffer)
    }

    fn urCommandBufferReleaseExp<B>(buffer: ExpCommandBufferHandle) {
        handle::release::<B::CommandBuffer>(buffer)
    }

    fn urCommandBufferFinalizeExp<B>(buffer: ExpCommandBufferHandle) {
        let buffer = object::<B::CommandBuffer>(buffer)?;
        buffer.commands().finalize(|nodes| buffer.finalize(nodes))
    }

    fn urCommandBufferUpdateKernelLaunchExp<B>(
        buffer: ExpCommandBufferHandle, count: u32, updates: *const ExpCommandBufferUpdateKernelLaunchDesc,
    ) {
        let buffer = object::<B::CommandBuffer>(buffer)?;
        args::not_null(updates)?;
        if count == 0 {
            return Err(UrError::with_message(ResultCode::ERROR_INVALID_SIZE, "there is no update in the list"));
        }
        let updates = args::slice(updates, count as usize)?;
        let updates = updates.iter().map(|desc| Update::new(desc)).collect::<UrResult<Vec<_>>>()?;
        buffer.commands().update(updates, |nodes, changed| buffer.update(nodes, changed))
    }

    fn urCommandBufferUpdateSignalEventExp<B>(command: ExpCommandBufferCommandHandle, event: *mut EventHandle) {
        let command = object::<BufferCommand<B>>(command)?;
        let out = args::out(event)?;
        let buffer = command.buffer()?;
        buffer.check_events()?;
        // The old one is dropped when the lock is: who waits for its event may be told then.
        let (mut new, mut old) = (None, None);
        let put = |node: &mut Node<B>| match &mut node.signal {
            Some(signal) => {
                let command = node.command.command_type();
                // Each event that was given since the last run is one of the next run.
                new = buffer.pending(command, signal);
                if new.is_none() {
                    let (event, other) = buffer.signal(command)?;
                    old = Some(std::mem::replace(signal, other));
                    new = Some(event);
                }
                Ok(())
            }
            None => Err(UrError::with_message(
                ResultCode::ERROR_INVALID_OPERATION,
                "the command was appended without an event",
            )),
        };
        buffer.commands().change(&command, put, |nodes, changed| buffer.update(nodes, changed))?;
        drop(old);
        if let Some(new) = new {
            out.write(export_owned(new));
        }
        Ok(())
    }

    fn urCommandBufferUpdateWaitEventsExp<B>(
        command: ExpCommandBufferCommandHandle, num_events: u32, events: *const EventHandle,
    ) {
        let command = object::<BufferCommand<B>>(command)?;
        let events = WaitList::<B>::new(num_events, events)?;
        let buffer = command.buffer()?;
        buffer.check_events()?;
        // The old ones are dropped when the lock is: one may be all that its queue lives for.
        let mut old = Vec::new();
        let put = |node: &mut Node<B>| {
            if node.events.len() != events.len() {
                return Err(UrError::with_message(
                    ResultCode::ERROR_INVALID_EVENT_WAIT_LIST,
                    format!("the command was appended with {} events, not {}", node.events.len(), events.len()),
                ));
            }
            let new = events.iter().map(|event| Arc::clone(&event)).collect();
            old = std::mem::replace(&mut node.events, new);
            Ok(())
        };
        buffer.commands().change(&command, put, |nodes, changed| buffer.update(nodes, changed))
    }

    fn urCommandBufferGetInfoExp<B>(
        buffer: ExpCommandBufferHandle, query: ExpCommandBufferInfo, size: usize, value: *mut c_void, needed: *mut usize,
    ) {
        let buffer = object::<B::CommandBuffer>(buffer)?;
        let out = InfoOut::of(query, size, value, needed)?;
        match query {
            ExpCommandBufferInfo::REFERENCE_COUNT => out.references(&**buffer),
            ExpCommandBufferInfo::DESCRIPTOR => {
                let Settings { updatable, in_order, profiled } = buffer.commands().settings();
                out.value(ExpCommandBufferDesc {
                    stype: StructureType::EXP_COMMAND_BUFFER_DESC,
                    pNext: std::ptr::null(),
                    isUpdatable: updatable.into(),
                    isInOrder: in_order.into(),
                    enableProfiling: profiled.into(),
                })
            }
            _ => out.unsupported(),
        }
    }

    fn urCommandBufferGetNativeHandleExp<B>(buffer: ExpCommandBufferHandle, native: *mut NativeHandle) {
        let buffer = object::<B::CommandBuffer>(buffer)?;
        args::out(native)?.write(buffer.native()?);
        Ok(())
    }
}

command_entry! {
    pub(crate) fn urEnqueueCommandBufferExp<B>(queue, buffer: ExpCommandBufferHandle; wait, event) {
        let buffer = object::<B::CommandBuffer>(buffer)?;
        buffer.commands().check_queue(&queue)?;
    } run { buffer.enqueue(&queue, wait, event) } record { Recorded::run(&buffer)? }
}

/// Calls the client's function, which appends to the child, or to what it has of its own, and may throw.
///
/// # Safety
/// As `urCommandBufferAppendNativeCommandExp`.
#[allow(non_snake_case, reason = "the C ABI decides")]
unsafe extern "C-unwind" fn urCommandBufferAppendNativeCommandExp<B: Backend>(
    buffer: ExpCommandBufferHandle,
    function: ExpCommandBufferNativeCommandFunction,
    data: *mut c_void,
    child: ExpCommandBufferHandle,
    num_points: u32,
    points: *const ExpCommandBufferSyncPoint,
    point: *mut ExpCommandBufferSyncPoint,
) -> ResultCode {
    guard_around(
        "urCommandBufferAppendNativeCommandExp",
        || {
            // SAFETY: the caller vouches for handles and pointers, as in `entry`.
            unsafe {
                let buffer = object::<B::CommandBuffer>(buffer)?;
                let function = function.ok_or(ResultCode::ERROR_INVALID_NULL_POINTER)?;
                let child = optional_object::<B::CommandBuffer>(child)?;
                Ok((buffer, function, child, sync_points(num_points, points)?))
            }
        },
        // SAFETY: the caller vouches for the function and its data.
        |(_, function, ..)| unsafe { function.may_throw()(data) },
        |(buffer, _, child, after)| {
            let child = child.as_ref().map(|child| child.commands());
            let last = buffer.commands().splice(&buffer, child, after)?;
            // SAFETY: the caller vouches for the pointer.
            if let Some(place) = unsafe { point.as_mut() } {
                *place = last;
            }
            Ok(())
        },
    )
}

oxur_api::command_buffer_exp_functions! { entry_points { enqueue } }
