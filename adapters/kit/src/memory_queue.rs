// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What becomes of commands on buffers that are USM ([`UsmMem`]): copies and fills of memory at addresses.

use std::ffi::c_void;
use std::sync::Arc;

use oxur_api::{CommandType, MapFlags};

use crate::command_buffer::Used;
use crate::queue::is_profiled;
use crate::usm_mem::{BufferMemory, Moved, UsmMem};
use crate::{
    Arg, Backend, BufferRect, Command, Context, DeviceGlobal, DriverEvent, EventOut, EventSignal, Launch,
    MemoryProvider, Objects, Queue, UniqueId, UrResult, UsmHeapPool, UsmKind, WaitList,
};

/// How a command is submitted: the parameters that all commands have.
pub struct Submission<'a, B: Backend> {
    /// What the event says that it is of.
    pub kind: CommandType,
    /// Whether the command is complete when the call returns.
    pub blocking: bool,
    /// What it waits for.
    pub wait: WaitList<'a, B>,
    /// Where the client wants its event.
    pub event: EventOut<'a, B>,
}

impl<'a, B: Backend> Submission<'a, B> {
    /// Of a command that does not block.
    pub fn new(kind: CommandType, wait: WaitList<'a, B>, event: EventOut<'a, B>) -> Self {
        let blocking = false;
        Self {
            kind,
            blocking,
            wait,
            event,
        }
    }

    /// Of a command.
    pub(crate) fn of(command: &Command<'_, B>, blocking: bool, wait: WaitList<'a, B>, event: EventOut<'a, B>) -> Self {
        Self {
            blocking,
            ..Self::new(command.command_type(), wait, event)
        }
    }
}

/// A side of a copy of a box.
#[derive(Clone, Copy, Debug)]
pub struct BoxSide {
    /// Where the memory starts.
    pub address: usize,
    /// The corner of the box: bytes, rows, slices.
    pub origin: [usize; 3],
    /// Bytes from row to row.
    pub row_pitch: usize,
    /// Bytes from slice to slice.
    pub slice_pitch: usize,
}

impl BoxSide {
    /// So many rows that are `row_pitch` bytes apart.
    pub fn rows(address: usize, row_pitch: usize, height: usize) -> Self {
        Self {
            address,
            origin: [0; 3],
            row_pitch,
            slice_pitch: row_pitch * height,
        }
    }

    /// The sides of a copy between memory at the addresses `a` and `b`, and its size in bytes, rows and slices.
    fn both(rect: &BufferRect, a: usize, b: usize) -> (Self, Self, [usize; 3]) {
        let size = [rect.region.width, rect.region.height, rect.region.depth].map(|side| side as usize);
        let or = |pitch: usize, packed: usize| if pitch == 0 { packed } else { pitch };
        let side = |address, origin: oxur_api::RectOffset, row_pitch, slice_pitch| {
            let row_pitch = or(row_pitch, size[0]);
            Self {
                address,
                origin: [origin.x, origin.y, origin.z].map(|side| side as usize),
                row_pitch,
                slice_pitch: or(slice_pitch, row_pitch * size[1]),
            }
        };
        (
            side(a, rect.a_origin, rect.a_row_pitch, rect.a_slice_pitch),
            side(b, rect.b_origin, rect.b_row_pitch, rect.b_slice_pitch),
            size,
        )
    }
}

/// A command on memory at addresses.
pub enum MemoryCommand<'a> {
    /// Copies to the first address from the second: so many bytes, or none.
    Copy(*mut c_void, *const c_void, usize),
    /// Copies a box to the first side from the second. The size is in bytes, rows and slices.
    CopyBox(BoxSide, BoxSide, [usize; 3]),
    /// Fills memory with a pattern.
    Fill(*mut c_void, &'a [u8], usize),
}

impl<'a, B: Backend<Mem = UsmMem<B>>> Command<'a, B>
where
    B::Context: BufferMemory<B>,
{
    /// Whether buffers may be among what it works on. Launches without arguments of their own are asked for what was set before.
    #[inline(always)]
    fn may_have_buffers(&self) -> bool {
        match self {
            Self::Launch(launch) => {
                let is_buffer = |arg: UrResult<Arg<'_, B>>| matches!(arg, Ok(Arg::Mem(..)) | Err(_));
                launch.args.is_empty() || launch.args.iter().any(is_buffer)
            }
            Self::Wait | Self::Barrier { .. } | Self::UsmMemcpy { .. } => false,
            _ => true,
        }
    }

    /// What a copy or a fill does at the addresses of its memory, of which these are those of its
    /// [buffers](Command::addresses). `None` for other commands.
    #[inline(always)]
    pub fn on_memory(&self, [first, second]: [usize; 2]) -> Option<MemoryCommand<'a>> {
        use MemoryCommand::{Copy, CopyBox, Fill};
        let at = |address: usize| address as *mut c_void;
        Some(match *self {
            Self::UsmMemcpy { dst, src, size } => Copy(dst, src, size),
            Self::UsmMemcpy2D {
                dst,
                dst_pitch,
                src,
                src_pitch,
                width,
                height,
            } => {
                let dst = BoxSide::rows(dst.addr(), dst_pitch, height);
                let src = BoxSide::rows(src.addr(), src_pitch, height);
                CopyBox(dst, src, [width, height, 1])
            }
            Self::UsmFill { dst, pattern, size } => Fill(dst, pattern, size),
            Self::BufferFill {
                pattern, offset, size, ..
            } => Fill(at(first + offset), pattern, size),
            Self::BufferRead { offset, size, dst, .. } => Copy(dst, at(first + offset), size),
            Self::BufferWrite { offset, size, src, .. } => Copy(at(first + offset), src, size),
            Self::BufferCopy {
                src_offset,
                dst_offset,
                size,
                ..
            } => Copy(at(second + dst_offset), at(first + src_offset), size),
            Self::BufferReadRect { ref rect, dst, .. } => {
                let (buffer, host, size) = BoxSide::both(rect, first, dst.addr());
                CopyBox(host, buffer, size)
            }
            Self::BufferWriteRect { ref rect, src, .. } => {
                let (buffer, host, size) = BoxSide::both(rect, first, src.addr());
                CopyBox(buffer, host, size)
            }
            Self::BufferCopyRect { ref rect, .. } => {
                let (src, dst, size) = BoxSide::both(rect, first, second);
                CopyBox(dst, src, size)
            }
            _ => return None,
        })
    }
}

/// A queue whose commands on buffers are such on memory at addresses.
pub trait MemoryQueue<B: Backend<Queue = Self>>: Queue<B> {
    /// Whether all that comes was checked before, as the kit does with what is appended to command buffers.
    #[inline(always)]
    fn is_checked(&self) -> bool {
        false
    }

    /// Whether its context has one device. For queues that have this near what a launch reads anyway.
    #[inline(always)]
    fn has_one_device(&self) -> bool {
        Context::devices(&**self.context()).len() == 1
    }

    /// Its number, if it is in order: what was freed in its order may be allocated in it at once.
    fn number_in_order(&self) -> Option<UniqueId> {
        None
    }

    /// Copies between any two pieces of memory: at least one byte.
    fn copy(
        self: &Arc<Self>,
        dst: *mut c_void,
        src: *const c_void,
        size: usize,
        how: Submission<'_, B>,
    ) -> UrResult<()>;

    /// Copies a box. `size` is its size in bytes, rows and slices.
    fn copy_box(
        self: &Arc<Self>,
        dst: &BoxSide,
        src: &BoxSide,
        size: [usize; 3],
        how: Submission<'_, B>,
    ) -> UrResult<()>;

    /// Fills memory with any pattern.
    fn fill(self: &Arc<Self>, dst: *mut c_void, pattern: &[u8], size: usize, how: Submission<'_, B>) -> UrResult<()>;

    /// Does nothing but keep its place in the order of the queue. If `after_all`, it is complete when all commands before it
    /// are.
    fn nothing(self: &Arc<Self>, after_all: bool, how: Submission<'_, B>) -> UrResult<()>;

    /// As [`Command::Barrier`].
    fn barrier(self: &Arc<Self>, how: Submission<'_, B>) -> UrResult<()>;

    /// The address of a part of a device global, whose bounds are checked.
    fn global(&self, global: &DeviceGlobal<'_, B>) -> UrResult<*mut c_void>;

    /// Writes at least one byte of a device global, at the address that [`global`](Self::global) found: as any other copy,
    /// unless the driver has a better way.
    fn write_global(
        self: &Arc<Self>,
        dst: *mut c_void,
        src: *const c_void,
        size: usize,
        how: Submission<'_, B>,
    ) -> UrResult<()> {
        self.copy(dst, src, size, how)
    }

    /// Launches a kernel. `#[inline(always)]`, as [`Queue::submit`] is. By reference: a copy of what was just written in parts would
    /// wait for it.
    fn launch(self: &Arc<Self>, launch: &Launch<'_, B>, wait: WaitList<'_, B>, event: EventOut<'_, B>) -> UrResult<()>;

    /// Submits a command that is none of these.
    fn other(self: &Arc<Self>, command: Command<'_, B>, how: Submission<'_, B>) -> UrResult<()>;
}

/// The methods of [`Queue`] that a [`MemoryQueue`] has by its own.
#[macro_export]
macro_rules! memory_queue_methods {
    ($backend:ty) => {
        // Into the entry points: what they decode of a launch then never gets to memory.
        #[inline(always)]
        fn submit(
            self: &Arc<Self>,
            command: $crate::Command<'_, $backend>,
            blocking: bool,
            wait: $crate::WaitList<'_, $backend>,
            event: $crate::EventOut<'_, $backend>,
        ) -> $crate::UrResult<()> {
            if $crate::memory_queue::may_move::<$backend>(self) {
                return $crate::memory_queue::submit_where_buffers_move(self, command, blocking, wait, event);
            }
            match command {
                $crate::Command::Launch(ref launch) => $crate::MemoryQueue::launch(self, launch, wait, event),
                // These are frequent, and there is nothing to check.
                $crate::Command::Barrier { .. } => {
                    let kind = $crate::ur::CommandType::EVENTS_WAIT_WITH_BARRIER;
                    $crate::MemoryQueue::barrier(self, $crate::Submission::new(kind, wait, event))
                }
                $crate::Command::UsmMemcpy { dst, src, size } => {
                    let how = $crate::Submission::new($crate::ur::CommandType::USM_MEMCPY, wait, event);
                    $crate::memory_queue::copy(self, (dst, src, size), $crate::Submission { blocking, ..how })
                }
                command => $crate::memory_queue::submit(self, command, blocking, wait, event),
            }
        }

        fn buffer_map(
            self: &Arc<Self>,
            buffer: &Arc<$crate::UsmMem<$backend>>,
            blocking: bool,
            flags: $crate::ur::MapFlags,
            offset: usize,
            size: usize,
            wait: $crate::WaitList<'_, $backend>,
            event: $crate::EventOut<'_, $backend>,
        ) -> $crate::UrResult<*mut std::ffi::c_void> {
            $crate::memory_queue::map(self, buffer, blocking, flags, offset, size, wait, event)
        }

        fn usm_alloc(
            self: &Arc<Self>,
            kind: $crate::UsmKind<'_, <$backend as $crate::Backend>::Device>,
            pool: Option<&Arc<<$backend as $crate::Backend>::UsmPool>>,
            size: usize,
            wait: $crate::WaitList<'_, $backend>,
            event: $crate::EventOut<'_, $backend>,
        ) -> $crate::UrResult<*mut std::ffi::c_void> {
            $crate::memory_queue::usm_alloc(self, &kind, pool, size, wait, event)
        }

        fn signal(
            self: &Arc<Self>,
            event: &Arc<<$backend as $crate::Backend>::Event>,
            _flags: $crate::ur::ExpEnqueueExtFlags,
            wait: $crate::WaitList<'_, $backend>,
        ) -> $crate::UrResult<()> {
            $crate::memory_queue::signal::<$backend, _>(self, event, wait)
        }
    };
}

/// Whether commands of a queue may have buffers that move. What is recorded is prepared for each run.
#[inline(always)]
pub fn may_move<B>(queue: &B::Queue) -> bool
where
    B: Backend<Mem = UsmMem<B>>,
    B::Context: BufferMemory<B>,
    B::Queue: MemoryQueue<B>,
{
    B::Context::MOVES && !queue.has_one_device() && !queue.is_checked()
}

/// Submits a command of a queue whose context may have buffers that move. By itself: clients with one device pay nothing for it, not
/// even with a larger stack frame.
#[inline(never)]
pub fn submit_where_buffers_move<B>(
    queue: &Arc<B::Queue>,
    command: Command<'_, B>,
    blocking: bool,
    wait: WaitList<'_, B>,
    event: EventOut<'_, B>,
) -> UrResult<()>
where
    B: Backend<Mem = UsmMem<B>>,
    B::Context: BufferMemory<B>,
    B::Queue: MemoryQueue<B>,
{
    let how = Submission::of(&command, blocking, wait, event);
    match command.may_have_buffers() {
        true => bring_and_submit(queue, command, how),
        false => submit_any(queue, command, None, how),
    }
}

/// Submits a command, and before it copies to the memory of the queue's device what the command reads and that memory lacks: nothing, for
/// most.
#[inline(never)]
fn bring_and_submit<B>(queue: &Arc<B::Queue>, command: Command<'_, B>, how: Submission<'_, B>) -> UrResult<()>
where
    B: Backend<Mem = UsmMem<B>>,
    B::Context: BufferMemory<B>,
    B::Queue: MemoryQueue<B>,
{
    // What is wrong with it is said before anything moves.
    Context::check_command(&**queue.context(), queue.device(), &command)?;
    let Some(moved) = Moved::of_command(queue, &command, how.wait)? else {
        return submit_any(queue, command, None, how);
    };
    let at = moved.addresses(&command, queue.device())?;
    let wait = moved.wait_list()?;
    submit_any(queue, command, Some(at), Submission { wait, ..how })?;
    moved.submitted();
    Ok(())
}

/// As [`submit_at`], of a launch, too.
#[inline(always)]
fn submit_any<B>(
    queue: &Arc<B::Queue>,
    command: Command<'_, B>,
    at: Option<[usize; 2]>,
    how: Submission<'_, B>,
) -> UrResult<()>
where
    B: Backend<Mem = UsmMem<B>>,
    B::Context: BufferMemory<B>,
    B::Queue: MemoryQueue<B>,
{
    match command {
        Command::Launch(ref launch) => MemoryQueue::launch(queue, launch, how.wait, how.event),
        command => submit_at(queue, command, at, how),
    }
}

/// Submits a command, which is no launch, by the functions of [`MemoryQueue`], after it was checked.
#[inline(never)]
pub fn submit<B>(
    queue: &Arc<B::Queue>,
    command: Command<'_, B>,
    blocking: bool,
    wait: WaitList<'_, B>,
    event: EventOut<'_, B>,
) -> UrResult<()>
where
    B: Backend<Mem = UsmMem<B>>,
    B::Context: BufferMemory<B>,
    B::Queue: MemoryQueue<B>,
{
    let how = Submission::of(&command, blocking, wait, event);
    submit_at(queue, command, None, how)
}

/// The same for a command whose buffers are at these addresses; `None` if they are where they always are.
#[inline(always)]
fn submit_at<B>(
    queue: &Arc<B::Queue>,
    command: Command<'_, B>,
    at: Option<[usize; 2]>,
    how: Submission<'_, B>,
) -> UrResult<()>
where
    B: Backend<Mem = UsmMem<B>>,
    B::Context: BufferMemory<B>,
    B::Queue: MemoryQueue<B>,
{
    match &command {
        // These are frequent, and there is nothing to check.
        Command::Wait | Command::Barrier { .. } | Command::UsmMemcpy { .. } => {}
        // Their bounds are checked where their address is found.
        Command::DeviceGlobalRead { .. } | Command::DeviceGlobalWrite { .. } => {
            command.check_operands(queue.context())?;
        }
        _ => {
            if !queue.is_checked() {
                Context::check_command(&**queue.context(), queue.device(), &command)?;
            }
        }
    }
    match command {
        Command::Wait => queue.nothing(how.wait.is_empty(), how),
        Command::Barrier { .. } => queue.barrier(how),
        Command::UsmMemcpy { dst, src, size } => copy(queue, (dst, src, size), how),
        Command::DeviceGlobalRead { ref global, dst } => {
            let src = queue.global(global)?;
            copy(queue, (dst, src.cast_const(), global.count), how)
        }
        Command::DeviceGlobalWrite { ref global, src } => {
            let dst = queue.global(global)?;
            match global.count {
                0 => queue.nothing(false, how),
                count => queue.write_global(dst, src, count, how),
            }
        }
        Command::UsmFree { memory, .. } => {
            let (context, number) = (&**queue.context(), queue.number_in_order());
            context
                .usm()
                .enqueue_free(context, memory, number, || keep_place(queue, how))
        }
        // The memory of the mapping goes back when the copy is complete.
        Command::Unmap { ref mem, mapped } => {
            let mapping = mem.take_mapping(mapped)?;
            move_mapped(queue, mapping.to_device(mem), how)
        }
        other => match other.on_memory(at.map_or_else(|| other.addresses(queue.device()), Ok)?) {
            Some(MemoryCommand::Copy(dst, src, size)) => copy(queue, (dst, src, size), how),
            Some(MemoryCommand::CopyBox(dst, src, size)) => queue.copy_box(&dst, &src, size, how),
            Some(MemoryCommand::Fill(dst, pattern, size)) => queue.fill(dst, pattern, size, how),
            None => queue.other(other, how),
        },
    }
}

/// Maps a region of a buffer, as [`Queue::buffer_map`] does.
#[allow(clippy::too_many_arguments, reason = "a command has the parameters that UR gives it")]
pub fn map<B>(
    queue: &Arc<B::Queue>,
    buffer: &Arc<B::Mem>,
    blocking: bool,
    flags: MapFlags,
    offset: usize,
    size: usize,
    wait: WaitList<'_, B>,
    event: EventOut<'_, B>,
) -> UrResult<*mut c_void>
where
    B: Backend<Mem = UsmMem<B>>,
    B::Context: BufferMemory<B>,
    B::Queue: MemoryQueue<B>,
{
    let how = Submission {
        kind: CommandType::MEM_BUFFER_MAP,
        blocking,
        wait,
        event,
    };
    let mapping = buffer.map(flags, offset, size)?;
    let mapped = mapping.address();
    move_mapped(queue, mapping.to_host(buffer), how)?;
    buffer.add_mapping(mapping);
    Ok(mapped)
}

/// Submits the copy of a mapping, or nothing where memory need not move.
fn move_mapped<B>(queue: &Arc<B::Queue>, copy: Option<Command<'_, B>>, how: Submission<'_, B>) -> UrResult<()>
where
    B: Backend<Mem = UsmMem<B>>,
    B::Context: BufferMemory<B>,
    B::Queue: MemoryQueue<B>,
{
    match copy {
        Some(Command::UsmMemcpy { dst, src, size }) => queue.copy(dst, src, size, how),
        Some(copy) => bring_and_submit(queue, copy, how),
        None => queue.nothing(how.wait.is_empty(), how),
    }
}

/// Allocates memory, as [`Queue::usm_alloc`] does.
pub fn usm_alloc<B>(
    queue: &Arc<B::Queue>,
    kind: &UsmKind<'_, B::Device>,
    pool: Option<&Arc<B::UsmPool>>,
    size: usize,
    wait: WaitList<'_, B>,
    event: EventOut<'_, B>,
) -> UrResult<*mut c_void>
where
    B: Backend<UsmPool = UsmHeapPool<<B as Backend>::Context>>,
    B::Context: MemoryProvider<Device = B::Device>,
    B::Queue: MemoryQueue<B>,
{
    let (context, of) = (&**queue.context(), (queue.device(), queue.number_in_order()));
    let submit = |command| keep_place(queue, Submission::new(command, wait, event));
    context.usm().enqueue_alloc(context, of, kind, pool, size, submit)
}

/// Submits a command that does nothing; in order, only if somebody could tell.
fn keep_place<B>(queue: &Arc<B::Queue>, how: Submission<'_, B>) -> UrResult<()>
where
    B: Backend,
    B::Queue: MemoryQueue<B>,
{
    match queue.number_in_order().is_some() && how.wait.is_empty() && !how.event.wanted() {
        true => Ok(()),
        false => queue.nothing(false, how),
    }
}

/// Has a barrier signal a reusable event, as [`Queue::signal`] does.
pub fn signal<B, S>(queue: &Arc<B::Queue>, event: &Arc<DriverEvent<B, S>>, wait: WaitList<'_, B>) -> UrResult<()>
where
    B: Backend<Event = DriverEvent<B, S>>,
    B::Queue: MemoryQueue<B>,
    S: EventSignal<B>,
{
    if !Arc::ptr_eq(event.context(), queue.context()) {
        crate::bail!(ERROR_INVALID_EVENT: "the queue and the event to signal belong to different contexts");
    }
    let (mut barrier, mut stamp) = (Used::new(), Used::new());
    queue.barrier(Submission::new(
        CommandType::EVENTS_WAIT_WITH_BARRIER,
        wait,
        barrier.next(),
    ))?;
    let has_times = !event.is_profiled() || is_profiled::<B>(queue);
    event.signalled_by(match has_times {
        true => barrier.last()?,
        false => {
            queue.submit(Command::Timestamp, false, barrier.wait_list()?, stamp.next())?;
            stamp.last()?
        }
    });
    Ok(())
}

/// [`Queue::begin_native_command`] for drivers whose barriers hold up what a client submits to the native queue.
pub fn begin_native_by_barrier<B>(
    queue: &Arc<B::Queue>,
    mems: Objects<'_, UsmMem<B>>,
    wait: WaitList<'_, B>,
) -> UrResult<()>
where
    B: Backend<Mem = UsmMem<B>>,
    B::Context: BufferMemory<B>,
    B::Queue: MemoryQueue<B>,
{
    if !may_move::<B>(queue) {
        return crate::begin_native_by_barrier::<B>(queue, wait);
    }
    let moved = Moved::of_native(queue, mems, wait)?;
    crate::begin_native_by_barrier::<B>(queue, moved.wait_list()?)?;
    moved.submitted();
    Ok(())
}

/// Copies memory from one address to another.
#[inline(always)]
pub fn copy<B: Backend>(
    queue: &Arc<B::Queue>,
    (dst, src, size): (*mut c_void, *const c_void, usize),
    how: Submission<'_, B>,
) -> UrResult<()>
where
    B::Queue: MemoryQueue<B>,
{
    match size {
        0 => queue.nothing(false, how),
        _ => queue.copy(dst, src, size, how),
    }
}
