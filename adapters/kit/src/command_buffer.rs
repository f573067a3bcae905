// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Command buffers: commands that are put together once and run again and again.
//!
//! [`command_list`] keeps what a client appends and changes it, for all adapters. An adapter makes of it, when it is
//! finalized, what runs fast; one that has nothing of the kind takes [`SoftwareCommandBuffer`], which submits the commands to the queue
//! one by one.

mod arg_rollback;
mod command_list;
mod node_memory;
mod signal;
mod software;
mod update;

use std::ffi::c_void;
use std::sync::Arc;

use oxur_api::callback::MayThrow;
use oxur_api::*;
use smallvec::SmallVec;

pub(crate) use self::arg_rollback::ArgRollback;
use self::command_list::Wanted;
pub use self::command_list::{BufferCommand, CommandList, FEW_COMMANDS, Finalized, Node, Settings, SignalOf};
pub(crate) use self::command_list::{NodeList, Places, hold, sort, splice, vacant};
use self::signal::check_events;
pub use self::signal::{CommandSignal, Signal};
pub use self::software::{SoftwareCommandBuffer, SoftwareRuns};
pub(crate) use self::software::{Used, list};
use self::update::decode_args;
pub use self::update::{Change, Changed, LaunchChange};
use crate::capture::Recorded;
use crate::chain::decode;
use crate::client_call::guard_around;
use crate::command::trace::{is_traced, trace};
use crate::entry_hook::enter;
use crate::handle::{self, Borrowed, export_owned, object, optional_object};
use crate::recycle::recycle;
use crate::table::entry_points;
use crate::unsupported;
use crate::{
    Backend, Command, Context, EventOut, InfoOut, Object, Subject, UrResult, WaitList, args, command_entry, entry,
};

/// A command buffer.
pub trait CommandBuffer<B: Backend>: Object<Handle = ExpCommandBufferHandle> {
    /// What a command of this or of another buffer signals when it is complete; `()` where single commands neither signal
    /// events nor wait for some.
    type Signal: CommandSignal<B>;

    /// What is built while commands are appended, and what else goes with the commands. It is under their lock: see
    /// [`CommandList::nodes`].
    type Recording: Default + Send + 'static;

    /// Whether there are command buffers, as devices say by default.
    const SUPPORTED: bool = true;

    /// Whether [`update`](Self::update) may fail.
    const UPDATE_MAY_FAIL: bool = true;

    /// Makes one of which nothing is known yet but its context, its device and its settings.
    fn create(commands: CommandList<B>) -> UrResult<Arc<Self>>;

    /// What was appended.
    fn commands(&self) -> &CommandList<B>;

    /// A command was appended, the last of `nodes`. Of interest to a driver whose command buffers are built as commands
    /// come, into which clients may append by themselves; others make them in [`finalize`](Self::finalize). If this fails,
    /// the command is not appended.
    ///
    /// The list is locked meanwhile, as in all methods that get `nodes`.
    fn append(&self, _recording: &mut Self::Recording, _nodes: &[Node<B>]) -> UrResult<()> {
        Ok(())
    }

    /// The same for a command that the client neither changes nor knows by an event, as the client gave it. `false` leaves it to
    /// [`append`](Self::append). What is frequent is best inlined here, where it is known which command it is and its operands
    /// are in registers.
    #[inline(always)]
    fn record(&self, _recording: &mut Self::Recording, _nodes: &[Node<B>], _command: Command<'_, B>) -> bool {
        false
    }

    /// A function of the client's is about to append commands of the driver's to this command buffer, or to `child`, by the
    /// [native](Self::native) handle. They come after those of `nodes` at the places of `dependencies`. The function may
    /// throw instead of returning: then [`end_native_command`](Self::end_native_command) is not called.
    fn begin_native_command(
        &self,
        _child: Option<&Arc<Self>>,
        _nodes: &[Node<B>],
        _dependencies: &[u32],
    ) -> UrResult<()> {
        Ok(())
    }

    /// The function has returned. An implementation that is [`NativeCommand::Appended`] has made what the function appended
    /// a part of this command buffer, with all commands of the child; the place of that among the commands is the one behind
    /// `nodes`.
    fn end_native_command(
        &self,
        _child: Option<&Arc<Self>>,
        _nodes: &[Node<B>],
        _dependencies: &[u32],
    ) -> UrResult<NativeCommand> {
        Ok(NativeCommand::Child)
    }

    /// Makes ready what runs. These are all commands, in an order in which they may run.
    fn finalize(&self, recording: &mut Self::Recording, nodes: &[Node<B>]) -> UrResult<()>;

    /// Commands are not what they were: `changes` says what is new, in the order of the client's updates, which may change
    /// a command more than once. Runs that were enqueued before must not see it. If this fails, all of them are what they
    /// were again.
    fn update(&self, recording: &mut Self::Recording, nodes: &[Node<B>], changes: &[Change<'_, B>]) -> UrResult<()>;

    /// Runs all commands, after those of an earlier run of the same buffer.
    fn enqueue(self: &Arc<Self>, queue: &Arc<B::Queue>, wait: WaitList<'_, B>, event: EventOut<'_, B>) -> UrResult<()>;

    /// The driver's handle.
    fn native(&self) -> UrResult<NativeHandle> {
        unsupported()
    }

    /// The driver's handle of a graph with its commands, where they were captured.
    fn native_graph(&self) -> UrResult<NativeHandle> {
        unsupported()
    }

    /// The driver's handle of what runs, where the commands were captured.
    fn native_executable_graph(&self) -> UrResult<NativeHandle> {
        unsupported()
    }
}

/// What became of a native command of a command buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NativeCommand {
    /// There was nothing for the driver: the kit appends copies of what the function appended to the child by functions of UR.
    Child,
    /// The driver's command buffer has what the function appended.
    Appended,
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
        crate::bail!(
            ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_WAIT_LIST_EXP:
                "the list has {count} sync points and its pointer is {points:p}: both must be zero, or none"
        );
    }
    // SAFETY: passed on to the caller.
    unsafe { args::slice(points, count as usize) }
}

/// [`append_inlined`], once for all commands that are not frequent.
///
/// # Safety
/// As that.
#[inline(never)]
pub(crate) unsafe fn append<B: Backend>(
    buffer: &Arc<B::CommandBuffer>,
    command: Command<'_, B>,
    points: (u32, *const ExpCommandBufferSyncPoint),
    events: (u32, *const EventHandle),
    point: *mut ExpCommandBufferSyncPoint,
    event: *mut EventHandle,
    handle: *mut ExpCommandBufferCommandHandle,
) -> UrResult<()> {
    // SAFETY: passed on to the caller.
    unsafe { append_inlined(buffer, command, points, events, point, event, handle) }
}

/// Appends a command, and gives the client what it wants back. Where it is known which command it is, its operands never get to
/// memory.
///
/// # Safety
/// The pointers must be as the C functions demand.
#[inline(always)]
pub(crate) unsafe fn append_inlined<B: Backend>(
    buffer: &Arc<B::CommandBuffer>,
    mut command: Command<'_, B>,
    (num_points, points): (u32, *const ExpCommandBufferSyncPoint),
    (num_events, events): (u32, *const EventHandle),
    point: *mut ExpCommandBufferSyncPoint,
    event: *mut EventHandle,
    handle: *mut ExpCommandBufferCommandHandle,
) -> UrResult<()> {
    let commands = buffer.commands();
    // A copy, so that the command need not be in memory for the rare ones that are checked elsewhere.
    commands
        .context()
        .check_command(commands.device(), &command.reborrow())?;
    command.check_usm(commands.context())?;
    trace("appends", buffer, &command);
    // SAFETY: passed on to the caller.
    unsafe {
        let dependencies = sync_points(num_points, points)?;
        let events = WaitList::new(num_events, events)?;
        let wanted = Wanted {
            event: !event.is_null(),
            handle: !handle.is_null(),
        };
        // Without a handle there is no update.
        if !wanted.handle
            && let Command::Launch(launch) = &mut command
        {
            launch.kernel_alternatives = None;
        }
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
        decode!("urCommandBufferCreateExp", desc.pNext)?;
        let out = args::out(buffer)?;
        if !context.devices().iter().any(|known| Arc::ptr_eq(known, &device)) {
            crate::bail!(ERROR_INVALID_DEVICE: "the device is not one of the context's");
        }
        let settings = Settings {
            updatable: desc.isUpdatable != 0,
            in_order: desc.isInOrder != 0,
            profiled: desc.enableProfiling != 0,
        };
        let commands = CommandList::new(Arc::clone(&context), Arc::clone(&device), settings);
        out.write(export_owned(B::CommandBuffer::create(commands)?));
        Ok(())
    }

    fn urCommandBufferRetainExp<B>(buffer: ExpCommandBufferHandle) {
        handle::retain::<B::CommandBuffer>(buffer)
    }

    fn urCommandBufferReleaseExp<B>(buffer: ExpCommandBufferHandle) {
        handle::release_to::<B::CommandBuffer>(buffer, recycle)
    }

    fn urCommandBufferFinalizeExp<B>(buffer: ExpCommandBufferHandle) {
        let buffer = object::<B::CommandBuffer>(buffer)?;
        buffer.commands().finalize(&buffer)
    }

    fn urCommandBufferUpdateKernelLaunchExp<B>(
        buffer: ExpCommandBufferHandle, count: u32, updates: *const ExpCommandBufferUpdateKernelLaunchDesc,
    ) {
        let buffer = object::<B::CommandBuffer>(buffer)?;
        args::not_null(updates)?;
        if count == 0 {
            crate::bail!(ERROR_INVALID_SIZE: "there is no update in the list");
        }
        let updates = args::slice(updates, count as usize)?;
        let mut args = SmallVec::new();
        for desc in updates {
            decode_args(desc, &mut args)?;
        }
        buffer.commands().update(updates, &args, |recording, nodes, changes| {
            if is_traced() {
                let commands = changes.iter().map(|change| nodes[change.place].command.as_command());
                commands.for_each(|command| trace("updates", &buffer, &command));
            }
            buffer.update(recording, nodes, changes)
        })
    }

    fn urCommandBufferUpdateSignalEventExp<B>(command: ExpCommandBufferCommandHandle, event: *mut EventHandle) {
        let command = object::<BufferCommand<B>>(command)?;
        let out = args::out(event)?;
        let buffer = command.buffer()?;
        check_events::<B>(WaitList::empty())?;
        // The old one is dropped when the lock is: who waits for its event may be told then.
        let (mut new, mut old) = (None, None);
        let put = |node: &mut Node<B>| match node.rare.as_mut().and_then(|rare| rare.signal.as_mut()) {
            Some(signal) => {
                let command = node.command.command_type();
                // Each event that was given since the last run is one of the next run.
                new = signal.pending(&buffer, command);
                if new.is_none() {
                    let (event, other) = SignalOf::<B>::create(&buffer, command)?;
                    old = Some(std::mem::replace(signal, other));
                    new = Some(event);
                }
                Ok(())
            }
            None => Err(crate::error!(ERROR_INVALID_OPERATION: "the command was appended without an event")),
        };
        buffer.commands().change(&buffer, &command, Changed::Signal, put)?;
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
        check_events::<B>(events)?;
        // The old ones are dropped when the lock is: one may be all that its queue lives for.
        let mut old = Vec::new();
        let put = |node: &mut Node<B>| {
            if node.events().len() != events.len() {
                crate::bail!(
                    ERROR_INVALID_EVENT_WAIT_LIST: "the command was appended with {} events, not {}",
                    node.events().len(), events.len()
                );
            }
            if let Some(rare) = &mut node.rare {
                let new = events.iter().map(|event| Arc::clone(&event)).collect();
                old = std::mem::replace(&mut rare.events, new);
            }
            Ok(())
        };
        buffer.commands().change(&buffer, &command, Changed::Events, put)
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
    } run { buffer.enqueue(&queue, wait, event) } record { Recorded::Run(&buffer) }
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
                let entered = enter::<B>(|| Subject::CommandBuffer(Borrowed::reborrow(&buffer)))?;
                let function = function.ok_or(ResultCode::ERROR_INVALID_NULL_POINTER)?;
                let child = optional_object::<B::CommandBuffer>(child)?;
                let after = sync_points(num_points, points)?;
                buffer.commands().begin_native(&buffer, child.as_deref(), after)?;
                Ok((buffer, function, child, after, entered))
            }
        },
        // SAFETY: the caller vouches for the function and its data.
        |(_, function, ..)| unsafe { function.may_throw()(data) },
        |(buffer, _, child, after, _entered)| {
            let last = buffer.commands().end_native(&buffer, child.as_deref(), after)?;
            // SAFETY: the caller vouches for the pointer.
            if let Some(place) = unsafe { point.as_mut() } {
                *place = last;
            }
            Ok(())
        },
    )
}

oxur_api::command_buffer_exp_functions! { entry_points { enqueue } }
