// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Queues: one [lane](crate::lane) if it is in order, else several.
//!
//! [`submit`] is the way of all commands into a lane, or to those that the host [holds up](hold). [`commands`] has CUDA's
//! function for each, and [`host_work`] what the host does: tasks, and copies of pageable memory. Fills of rows the kit
//! [emulates](kit::emulate).

pub(crate) mod commands;
mod hold;
mod host_work;
mod submit;

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use kit::ur::{CommandType, NativeHandle, QueueFlags};
use kit::{
    BusyMark, Capture, Context as _, EventOut, HandleCell, Moved, Objects, QueueNativeProperties, QueueProperties,
    UniqueId, UrResult, WaitList,
};
use oxur_adapter_kit as kit;
use oxur_cuda_sys::{CUcontext, CUgraphExec, CUstream};
use oxur_fork::Mutex;

use self::commands::Hint;
pub(crate) use self::submit::Marker;
use self::submit::Order;
use crate::driver::{self, cu};
use crate::held::Held;
use crate::lane::Lane;
use crate::primary::Primary;
use crate::{Context, Cuda, Device, Mem, native_command};

type Wait<'a> = WaitList<'a, Cuda>;
type Out<'a> = EventOut<'a, Cuda>;

/// A queue.
pub(crate) struct Queue {
    pub(crate) handle_cell: HandleCell,
    /// The only lane of a queue in order, and the one that native handles are of.
    first: Arc<Lane>,
    /// The lanes of an out-of-order queue, and the commands that the host holds up.
    order: Mutex<Order>,
    /// Whether there may be such commands.
    has_held: AtomicBool,
    /// Whether there was a barrier that later commands wait for.
    has_barrier: AtomicBool,
    /// The lane that the next command looks at first.
    next: AtomicUsize,
    primary: &'static Primary,
    priority: i32,
    capture: Capture<Cuda>,
    flags: QueueFlags,
    in_order: bool,
    one_device: bool,
    /// Whether there were commands since the marker, as the context knows it.
    mark: BusyMark<Self>,
    number: UniqueId,
    pub(crate) device: Arc<Device>,
    pub(crate) context: Arc<Context>,
}

impl Queue {
    fn new(
        first: Arc<Lane>,
        priority: i32,
        context: &Arc<Context>,
        device: &Arc<Device>,
        flags: QueueFlags,
    ) -> Arc<Self> {
        context.open_pools(device);
        let queue = Arc::new(Self {
            handle_cell: HandleCell::new(),
            order: Mutex::new(Order::new(&first)),
            has_held: AtomicBool::new(false),
            has_barrier: AtomicBool::new(false),
            next: AtomicUsize::new(0),
            primary: first.primary,
            first,
            priority,
            capture: Capture::default(),
            flags,
            in_order: !flags.contains(QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE),
            one_device: !context.has_several_devices(),
            mark: BusyMark::new(&context.in_flight),
            number: UniqueId::new(),
            device: device.clone(),
            context: context.clone(),
        });
        queue.mark.in_flight().add(&queue);
        queue
    }

    /// Whether commands record when they ran.
    fn is_timed(&self) -> bool {
        self.flags.contains(QueueFlags::PROFILING_ENABLE)
    }

    /// Runs a graph behind the commands of `before` and those of `wait`. A graph has no hints: they are given before it, and
    /// those for the host behind it. Returns the command if the host holds it up: until it is submitted, it has what `keep`
    /// gives, which keeps the graph.
    pub(crate) fn run_graph<K: Send + 'static>(
        self: &Arc<Self>,
        graph: Graph<'_>,
        keep: impl FnOnce() -> K,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<Option<Arc<Held>>> {
        let Graph {
            command,
            executable,
            hints,
            before,
        } = graph;
        let mut signals = before.iter().flat_map(Marker::events);
        if !self.holds(wait) && signals.all(|signal| signal.blocker().is_none()) {
            self.enqueue_now(command, false, wait, event, |lane| {
                let mut before = before.iter().flat_map(Marker::events);
                before.try_for_each(|signal| lane.wait_for(signal))?;
                launch_graph(executable, hints, lane.stream())
            })?;
            return Ok(None);
        }
        let how = kit::Submission::new(command, wait, event);
        let before: Vec<_> = before.iter().flat_map(Marker::events).cloned().collect();
        let (kept, executable, hints) = (keep(), executable as usize, hints.to_vec());
        let held = self.hold(how, &before, false, move |lane| {
            _ = &kept;
            launch_graph(executable as CUgraphExec, &hints, lane.stream()).map(|()| None)
        })?;
        Ok(Some(held))
    }

    /// Runs a graph that comes behind the commands of `wait` alone, and has no hints. The host does not hold it up.
    #[inline(always)]
    pub(crate) fn run_plain_graph(
        self: &Arc<Self>,
        command: CommandType,
        executable: CUgraphExec,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        self.enqueue_now(command, false, wait, event, |lane| {
            launch_graph(executable, &[], lane.stream())
        })
    }

    /// Whether nothing is unfinished, as far as that is known without the driver.
    fn is_known_idle(&self) -> bool {
        self.in_order && !self.has_held.load(Ordering::Acquire) && self.first.is_known_idle()
    }

    /// The lanes.
    fn lanes(&self) -> Vec<Arc<Lane>> {
        match self.in_order {
            true => vec![self.first.clone()],
            false => self.order.lock().lanes(),
        }
    }
}

/// A graph that is to run.
pub(crate) struct Graph<'a> {
    pub(crate) command: CommandType,
    /// Its owner has it for itself meanwhile.
    pub(crate) executable: CUgraphExec,
    pub(crate) hints: &'a [Hint],
    /// What it comes behind.
    pub(crate) before: &'a [Marker],
}

#[inline(always)]
fn launch_graph(graph: CUgraphExec, hints: &[Hint], stream: CUstream) -> UrResult<()> {
    let hints_for = |host| hints.iter().filter(move |hint| hint.is_for_host() == host);
    hints_for(false).for_each(|hint| hint.give(stream));
    // SAFETY: a live graph and stream. Nobody else uses the graph meanwhile.
    unsafe { cu!(cuGraphLaunch(graph, stream)) }?;
    hints_for(true).for_each(|hint| hint.give(stream));
    Ok(())
}

impl Drop for Queue {
    fn drop(&mut self) {
        self.mark.leave(self);
        for lane in self.lanes() {
            match lane.close() {
                Ok(asserting) if asserting.is_empty() => {}
                Ok(asserting) => self.context.retire(asserting),
                Err(error) => log::debug!("the last event of a queue is not exact: {error}"),
            }
        }
    }
}

impl kit::Queue<Cuda> for Queue {
    fn create(context: &Arc<Context>, device: &Arc<Device>, properties: QueueProperties) -> UrResult<Arc<Self>> {
        context.check_device(device)?;
        let flags = properties.flags;
        properties.without_device_queues()?;
        let primary = device.primary()?;
        let (least, greatest) = primary.priorities;
        let priority = if flags.contains(QueueFlags::PRIORITY_LOW) {
            least
        } else if flags.contains(QueueFlags::PRIORITY_HIGH) {
            greatest
        } else {
            0
        };
        let _current = primary.activate()?;
        let first = Lane::new(primary, priority)?;
        if flags.contains(QueueFlags::PROFILING_ENABLE) {
            // The first command would pay for it.
            primary.clock_base()?;
        }
        Ok(Self::new(first, priority, context, device, flags))
    }

    kit::queue_member_methods!(Cuda);

    fn is_empty(&self) -> UrResult<bool> {
        let _current = self.primary.activate()?;
        let is_idle = self.lanes().iter().all(|lane| lane.is_idle());
        Ok(is_idle && self.held().is_empty())
    }

    fn finish(&self) -> UrResult<()> {
        let _current = self.primary.activate()?;
        // First: they are in lanes when they are complete.
        let held = self.held().iter().map(|held| held.wait()).fold(Ok(()), Result::and);
        if self.in_order {
            return held.and(self.first.synchronize());
        }
        let lanes = self.lanes();
        let lanes = lanes.iter().map(|lane| lane.synchronize());
        lanes.fold(held, Result::and)
    }

    fn native(self: &Arc<Self>, _data: *mut c_void) -> UrResult<NativeHandle> {
        self.first.share();
        self.mark.in_flight().note_shared();
        self.force_held(Wait::empty())?;
        Ok(self.first.stream as NativeHandle)
    }

    fn from_native(
        context: &Arc<Context>,
        device: Option<&Arc<Device>>,
        native: NativeHandle,
        properties: QueueNativeProperties,
    ) -> UrResult<Arc<Self>> {
        let stream = native as CUstream;
        let _current = context.primary().activate()?;
        // SAFETY: the client vouches for its native handle.
        let of = unsafe {
            let mut of: CUcontext = std::ptr::null_mut();
            cu!(cuStreamGetCtx(stream, &mut of))?;
            of
        };
        let own = context.device_of(of).ok_or_else(
            || kit::error!(ERROR_INVALID_CONTEXT: "the native stream is in none of the context's primary contexts"),
        )?;
        if device.is_some_and(|device| device.raw != own.raw) {
            kit::bail!(ERROR_INVALID_DEVICE: "the native stream is another device's");
        }
        // SAFETY: as above.
        let lane = unsafe { Lane::from_native(stream, properties.owned, own.primary()?) };
        // A stream is in order, whatever the client says.
        let flags = properties.queue.flags - QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE;
        let queue = Self::new(lane, 0, context, own, flags);
        queue.mark.in_flight().note_shared();
        Ok(queue)
    }

    kit::memory_queue_methods!(Cuda);

    fn begin_native_command(self: &Arc<Self>, mems: Objects<'_, Mem>, wait: Wait<'_>) -> UrResult<()> {
        if driver::is_lost() {
            return Err(driver::forked("cuStreamWaitEvent"));
        }
        // The client's commands come after what it waits for, in the lane whose native handle it has.
        if self.one_device {
            self.hold_first(wait)?;
        } else {
            let moved = Moved::of_native(self, mems, wait)?;
            self.hold_first(moved.wait_list()?)?;
            moved.submitted();
        }
        native_command::begin(self.first.stream);
        Ok(())
    }

    fn end_native_command(self: &Arc<Self>, event: Out<'_>) -> UrResult<()> {
        native_command::end();
        self.end_first(CommandType::ENQUEUE_NATIVE_EXP, event)
    }
}
