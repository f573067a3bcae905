// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Command buffers: commands that are appended once and run any number of times.
//!
//! The caller of an append vouches for the memory accesses of the command in all runs, so running is safe. The library, not
//! the Rust objects, keeps memory objects, kernels and events alive.
#![allow(clippy::too_many_arguments, reason = "the C functions have as many")]

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use oxur_api::*;

use crate::event::WaitList;
use crate::info::bytes_of;
use crate::{Arg, Buffer, Context, Device, Error, Event, FromInfo, Kernel, Mem, Pitch, Plain, Queue, Range, Result};

object! {
    /// Commands that are run together.
    CommandBuffer(ExpCommandBufferHandle): urCommandBufferRetainExp, urCommandBufferReleaseExp,
        ExpCommandBufferInfo = urCommandBufferGetInfoExp, native urCommandBufferGetNativeHandleExp
}

/// The number of a command in its buffer.
pub type SyncPoint = ExpCommandBufferSyncPoint;

/// The settings of a command buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CommandBufferSettings {
    /// Its launches can be updated after it is finalized.
    pub updatable: bool,
    /// Commands run in the order in which they are appended, regardless of their dependencies.
    pub in_order: bool,
    /// The event of a run has profiling times.
    pub profiled: bool,
}

impl FromInfo for CommandBufferSettings {
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        if bytes.len() != size_of::<ExpCommandBufferDesc>() {
            return None;
        }
        // SAFETY: the length is that of the structure, and the library has written one.
        let desc = unsafe { bytes.as_ptr().cast::<ExpCommandBufferDesc>().read_unaligned() };
        Some(Self {
            updatable: desc.isUpdatable != 0,
            in_order: desc.isInOrder != 0,
            profiled: desc.enableProfiling != 0,
        })
    }
}

/// The dependencies of a new command, and the objects to return for it. A list of sync points converts into one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place<'a> {
    /// The commands that it waits for.
    pub after: &'a [SyncPoint],
    /// The events that it waits for, in each run.
    pub events: &'a [&'a Event],
    /// Whether to return an event that the next run signals.
    pub signal: bool,
    /// Whether to return a handle for updates.
    pub handle: bool,
}

impl<'a> Place<'a> {
    /// After these commands.
    pub fn after(after: &'a [SyncPoint]) -> Self {
        Self {
            after,
            ..Self::default()
        }
    }

    /// The same, with a handle for updates of the command.
    pub fn handle(self) -> Self {
        Self { handle: true, ..self }
    }

    /// The same, with an event of the command.
    pub fn signal(self) -> Self {
        Self { signal: true, ..self }
    }

    /// The same, also after these events.
    pub fn events(self, events: &'a [&'a Event]) -> Self {
        Self { events, ..self }
    }
}

impl<'a> From<&'a [SyncPoint]> for Place<'a> {
    fn from(after: &'a [SyncPoint]) -> Self {
        Self::after(after)
    }
}

impl<'a, const N: usize> From<&'a [SyncPoint; N]> for Place<'a> {
    fn from(after: &'a [SyncPoint; N]) -> Self {
        Self::after(after)
    }
}

/// A command of an updatable buffer, for updates. It is valid while the buffer lives.
#[derive(Clone, Copy, Debug)]
pub struct BufferCommand {
    handle: ExpCommandBufferCommandHandle,
    /// The number of dimensions of a launch; 0 for other commands.
    dimensions: u32,
}

impl BufferCommand {
    /// The handle.
    pub fn raw(&self) -> ExpCommandBufferCommandHandle {
        self.handle
    }
}

/// The results of an append.
#[derive(Debug)]
pub struct Appended {
    /// The sync point that later commands refer to.
    pub point: SyncPoint,
    /// The event, if it was requested.
    pub event: Option<Event>,
    command: Option<BufferCommand>,
}

impl Appended {
    fn of(mut self, range: &Range) -> Self {
        if let Some(command) = &mut self.command {
            command.dimensions = range.dimensions;
        }
        self
    }

    /// The handle of a command that was appended with [`Place::handle`].
    pub fn command(&self) -> BufferCommand {
        self.command.expect("the command was appended with a handle")
    }
}

/// An update of a launch. Omitted fields stay unchanged.
#[derive(Clone, Copy, Debug)]
pub struct Update<'a> {
    /// The launch.
    pub command: BufferCommand,
    /// One of the kernel alternatives of the append.
    pub kernel: Option<&'a Kernel>,
    /// New arguments, with their indices.
    pub args: &'a [(u32, Arg<'a>)],
    /// How many elements of the three arrays are used.
    pub dimensions: u32,
    /// The first global id.
    pub offset: Option<[usize; 3]>,
    /// Work-items.
    pub global: Option<[usize; 3]>,
    /// Work-items of a group.
    pub local: Option<[usize; 3]>,
}

impl<'a> Update<'a> {
    /// No change yet.
    pub fn new(command: BufferCommand) -> Self {
        Self {
            command,
            kernel: None,
            args: &[],
            dimensions: command.dimensions,
            offset: None,
            global: None,
            local: None,
        }
    }

    /// Another kernel.
    pub fn kernel(self, kernel: &'a Kernel) -> Self {
        Self {
            kernel: Some(kernel),
            ..self
        }
    }

    /// Other arguments.
    pub fn args(self, args: &'a [(u32, Arg<'a>)]) -> Self {
        Self { args, ..self }
    }

    /// Another range. An omitted offset or work-group size stays unchanged, if it still applies.
    pub fn range(self, range: Range) -> Self {
        Self {
            dimensions: range.dimensions,
            offset: range.offset,
            global: Some(range.global),
            local: range.local,
            ..self
        }
    }
}

/// An [`Update`] in the form of the C function, with the data that its pointers refer to.
struct RawUpdate {
    mems: Vec<ExpCommandBufferUpdateMemobjArgDesc>,
    pointers: Vec<ExpCommandBufferUpdatePointerArgDesc>,
    values: Vec<ExpCommandBufferUpdateValueArgDesc>,
    /// The targets of pointers in descriptions. They do not move, because the vectors never grow beyond their initial capacity.
    kept_pointers: Vec<*const c_void>,
    kept_flags: Vec<KernelArgMemObjProperties>,
}

impl RawUpdate {
    fn new(args: &[(u32, Arg)]) -> Self {
        let mut raw = Self {
            mems: Vec::new(),
            pointers: Vec::new(),
            values: Vec::new(),
            kept_pointers: Vec::with_capacity(args.len()),
            kept_flags: Vec::with_capacity(args.len()),
        };
        for &(index, arg) in args {
            match arg {
                Arg::Mem(mem, flags) => raw.mem(index, mem, flags),
                Arg::Pointer(pointer) => {
                    raw.kept_pointers.push(pointer);
                    raw.pointers.push(ExpCommandBufferUpdatePointerArgDesc {
                        argIndex: index,
                        pNewPointerArg: std::ptr::from_ref(raw.kept_pointers.last().expect("just pushed")).cast(),
                        ..Default::default()
                    });
                }
                Arg::Value(bytes) => raw.value(index, bytes.len(), bytes.as_ptr().cast()),
                Arg::Local(size) => raw.value(index, size, null()),
                Arg::Sampler(sampler) => {
                    let handle = std::ptr::from_ref(&sampler.raw().0).cast();
                    raw.value(index, size_of::<SamplerHandle>(), handle);
                }
            }
        }
        raw
    }

    fn mem(&mut self, index: u32, mem: &Mem, flags: MemFlags) {
        self.kept_flags.push(KernelArgMemObjProperties {
            memoryAccess: flags,
            ..Default::default()
        });
        self.mems.push(ExpCommandBufferUpdateMemobjArgDesc {
            argIndex: index,
            pProperties: self.kept_flags.last().expect("just pushed"),
            hNewMemObjArg: mem.raw(),
            ..Default::default()
        });
    }

    fn value(&mut self, index: u32, size: usize, bytes: *const c_void) {
        self.values.push(ExpCommandBufferUpdateValueArgDesc {
            argIndex: index,
            argSize: size,
            pNewValueArg: bytes,
            ..Default::default()
        });
    }

    fn desc(&self, update: &Update) -> ExpCommandBufferUpdateKernelLaunchDesc {
        fn list<T>(list: &[T]) -> *const T {
            if list.is_empty() { null() } else { list.as_ptr() }
        }
        let sizes = |sizes: &Option<[usize; 3]>| sizes.as_ref().map_or(null_mut(), |s| s.as_ptr().cast_mut());
        ExpCommandBufferUpdateKernelLaunchDesc {
            hCommand: update.command.handle,
            hNewKernel: update.kernel.map_or(KernelHandle::default(), |kernel| kernel.raw()),
            numNewMemObjArgs: self.mems.len() as u32,
            numNewPointerArgs: self.pointers.len() as u32,
            numNewValueArgs: self.values.len() as u32,
            newWorkDim: update.dimensions,
            pNewMemObjArgList: list(&self.mems),
            pNewPointerArgList: list(&self.pointers),
            pNewValueArgList: list(&self.values),
            pNewGlobalWorkOffset: sizes(&update.offset),
            pNewGlobalWorkSize: sizes(&update.global),
            pNewLocalWorkSize: sizes(&update.local),
            ..Default::default()
        }
    }
}

/// The trailing parameters of all appends.
struct Ends<'a> {
    points: u32,
    points_at: *const SyncPoint,
    events: &'a WaitList,
    point: *mut SyncPoint,
    event: *mut EventHandle,
    command: *mut ExpCommandBufferCommandHandle,
}

/// Calls an append function with its own arguments and the common trailing ones.
macro_rules! append {
    ($self:ident.$name:ident($($arg:expr),* $(,)?), $place:expr) => {
        $self.append($place.into(), |e| {
            // SAFETY: the handles and lists are alive; the caller vouches for memory and for what kernels do.
            unsafe {
                $self.fns().$name($self.raw(), $($arg,)* e.points, e.points_at, e.events.len(), e.events.ptr(), e.point,
                    e.event, e.command)
            }
        })
    };
}

impl CommandBuffer {
    /// An empty one.
    pub fn new(context: &Context, device: &Device, settings: CommandBufferSettings) -> Result<Self> {
        let desc = ExpCommandBufferDesc {
            isUpdatable: settings.updatable.into(),
            isInOrder: settings.in_order.into(),
            enableProfiling: settings.profiled.into(),
            ..Default::default()
        };
        let mut handle = ExpCommandBufferHandle::default();
        // SAFETY: the handles are alive; description and result pointers are valid.
        unsafe {
            context
                .fns()
                .urCommandBufferCreateExp(context.raw(), device.raw(), &desc, &mut handle)
        }?;
        // SAFETY: a new command buffer comes with one reference.
        Ok(unsafe { Self::from_raw(context.loader(), handle) })
    }

    /// Closes it for further commands and makes it ready to run.
    pub fn finalize(&self) -> Result<()> {
        // SAFETY: the handle is alive.
        unsafe { self.fns().urCommandBufferFinalizeExp(self.raw()) }
    }

    fn append(&self, place: Place, call: impl FnOnce(Ends) -> Result<()>) -> Result<Appended> {
        let events = WaitList::new(place.events);
        let (mut point, mut event, mut command) = Default::default();
        call(Ends {
            points: place.after.len() as u32,
            points_at: if place.after.is_empty() {
                null()
            } else {
                place.after.as_ptr()
            },
            events: &events,
            point: &mut point,
            event: if place.signal { &mut event } else { null_mut() },
            command: if place.handle { &mut command } else { null_mut() },
        })?;
        Ok(Appended {
            point,
            // SAFETY: the event comes with one reference.
            event: place.signal.then(|| unsafe { Event::from_raw(self.loader(), event) }),
            command: place.handle.then_some(BufferCommand {
                handle: command,
                dimensions: 0,
            }),
        })
    }

    /// Appends a launch with `urCommandBufferAppendKernelLaunchWithArgsExp` if the library has it. Otherwise sets the
    /// arguments one by one first.
    ///
    /// # Safety
    /// The arguments must be what the kernel expects, and what the kernel does with memory must be allowed in every run.
    pub unsafe fn launch<'a>(
        &self,
        kernel: &Kernel,
        range: &Range,
        args: &[Arg],
        alternatives: &[&Kernel],
        place: impl Into<Place<'a>>,
    ) -> Result<Appended> {
        let place = place.into();
        // SAFETY: passed on to the caller.
        match unsafe { self.launch_with_args(kernel, range, args, alternatives, place) } {
            // SAFETY: as above.
            Err(Error::NotExported(_)) => unsafe { self.launch_legacy(kernel, range, args, alternatives, place) },
            result => result,
        }
    }

    /// Appends a launch with `urCommandBufferAppendKernelLaunchWithArgsExp`.
    ///
    /// # Safety
    /// As for [`CommandBuffer::launch`].
    pub unsafe fn launch_with_args<'a>(
        &self,
        kernel: &Kernel,
        range: &Range,
        args: &[Arg],
        alternatives: &[&Kernel],
        place: impl Into<Place<'a>>,
    ) -> Result<Appended> {
        let args: Vec<_> = args.iter().zip(0..).map(|(arg, index)| arg.properties(index)).collect();
        let mut others: Vec<_> = alternatives.iter().map(|kernel| kernel.raw()).collect();
        let (offset, global, local) = range.pointers();
        append!(
            self.urCommandBufferAppendKernelLaunchWithArgsExp(
                kernel.raw(),
                range.dimensions,
                offset,
                global,
                local,
                args.len() as u32,
                if args.is_empty() { null() } else { args.as_ptr() },
                others.len() as u32,
                if others.is_empty() {
                    null_mut()
                } else {
                    others.as_mut_ptr()
                },
            ),
            place
        )
        .map(|appended| appended.of(range))
    }

    /// Sets the arguments one by one and appends a launch with `urCommandBufferAppendKernelLaunchExp`.
    ///
    /// # Safety
    /// As for [`CommandBuffer::launch`].
    pub unsafe fn launch_legacy<'a>(
        &self,
        kernel: &Kernel,
        range: &Range,
        args: &[Arg],
        alternatives: &[&Kernel],
        place: impl Into<Place<'a>>,
    ) -> Result<Appended> {
        for (arg, index) in args.iter().zip(0..) {
            // SAFETY: the caller vouches for the arguments.
            unsafe { kernel.set_arg(index, *arg) }?;
        }
        let mut others: Vec<_> = alternatives.iter().map(|kernel| kernel.raw()).collect();
        let (offset, global, local) = range.pointers();
        append!(
            self.urCommandBufferAppendKernelLaunchExp(
                kernel.raw(),
                range.dimensions,
                offset,
                global,
                local,
                others.len() as u32,
                if others.is_empty() {
                    null_mut()
                } else {
                    others.as_mut_ptr()
                },
            ),
            place
        )
        .map(|appended| appended.of(range))
    }

    /// Appends a copy of bytes.
    ///
    /// # Safety
    /// Both ranges must be valid in every run.
    pub unsafe fn memcpy<'a>(
        &self,
        to: *mut c_void,
        from: *const c_void,
        size: usize,
        place: impl Into<Place<'a>>,
    ) -> Result<Appended> {
        append!(self.urCommandBufferAppendUSMMemcpyExp(to, from, size), place)
    }

    /// Appends a fill of memory with a pattern.
    ///
    /// # Safety
    /// The range must be valid in every run.
    pub unsafe fn memset<'a, T: Plain>(
        &self,
        to: *mut c_void,
        pattern: &[T],
        size: usize,
        place: impl Into<Place<'a>>,
    ) -> Result<Appended> {
        let pattern = bytes_of(pattern);
        append!(
            self.urCommandBufferAppendUSMFillExp(to, pattern.as_ptr().cast(), pattern.len(), size),
            place
        )
    }

    /// Appends a migration of memory to the device that will use it.
    ///
    /// # Safety
    /// The range must be USM in every run.
    pub unsafe fn prefetch<'a>(
        &self,
        memory: *const c_void,
        size: usize,
        flags: UsmMigrationFlags,
        place: impl Into<Place<'a>>,
    ) -> Result<Appended> {
        append!(self.urCommandBufferAppendUSMPrefetchExp(memory, size, flags), place)
    }

    /// Appends advice about memory.
    ///
    /// # Safety
    /// The range must be USM in every run.
    pub unsafe fn advise<'a>(
        &self,
        memory: *const c_void,
        size: usize,
        advice: UsmAdviceFlags,
        place: impl Into<Place<'a>>,
    ) -> Result<Appended> {
        append!(self.urCommandBufferAppendUSMAdviseExp(memory, size, advice), place)
    }

    /// Appends a copy between buffers.
    pub fn copy<'a>(
        &self,
        from: &Buffer,
        to: &Buffer,
        offsets: (usize, usize),
        size: usize,
        place: impl Into<Place<'a>>,
    ) -> Result<Appended> {
        append!(
            self.urCommandBufferAppendMemBufferCopyExp(from.raw(), to.raw(), offsets.0, offsets.1, size),
            place
        )
    }

    /// Appends a copy of a box between buffers.
    pub fn copy_rect<'a>(
        &self,
        from: &Buffer,
        to: &Buffer,
        origins: (RectOffset, RectOffset),
        region: RectRegion,
        pitches: (Pitch, Pitch),
        place: impl Into<Place<'a>>,
    ) -> Result<Appended> {
        append!(
            self.urCommandBufferAppendMemBufferCopyRectExp(
                from.raw(),
                to.raw(),
                origins.0,
                origins.1,
                region,
                pitches.0.row,
                pitches.0.slice,
                pitches.1.row,
                pitches.1.slice,
            ),
            place
        )
    }

    /// Appends a copy from a buffer to the host.
    ///
    /// # Safety
    /// `to` must have `size` bytes in every run.
    pub unsafe fn read<'a>(
        &self,
        buffer: &Buffer,
        offset: usize,
        size: usize,
        to: *mut c_void,
        place: impl Into<Place<'a>>,
    ) -> Result<Appended> {
        append!(
            self.urCommandBufferAppendMemBufferReadExp(buffer.raw(), offset, size, to),
            place
        )
    }

    /// Appends a copy from the host to a buffer.
    ///
    /// # Safety
    /// `from` must have `size` bytes in every run.
    pub unsafe fn write<'a>(
        &self,
        buffer: &Buffer,
        offset: usize,
        size: usize,
        from: *const c_void,
        place: impl Into<Place<'a>>,
    ) -> Result<Appended> {
        append!(
            self.urCommandBufferAppendMemBufferWriteExp(buffer.raw(), offset, size, from),
            place
        )
    }

    /// Appends a copy of a box from a buffer to the host. Origins and pitches are those of buffer and host.
    ///
    /// # Safety
    /// `to` must cover origin, region and pitch, in every run.
    pub unsafe fn read_rect<'a>(
        &self,
        buffer: &Buffer,
        origins: (RectOffset, RectOffset),
        region: RectRegion,
        pitches: (Pitch, Pitch),
        to: *mut c_void,
        place: impl Into<Place<'a>>,
    ) -> Result<Appended> {
        append!(
            self.urCommandBufferAppendMemBufferReadRectExp(
                buffer.raw(),
                origins.0,
                origins.1,
                region,
                pitches.0.row,
                pitches.0.slice,
                pitches.1.row,
                pitches.1.slice,
                to,
            ),
            place
        )
    }

    /// Appends a copy of a box from the host to a buffer. Origins and pitches are those of buffer and host.
    ///
    /// # Safety
    /// `from` must cover origin, region and pitch, in every run.
    pub unsafe fn write_rect<'a>(
        &self,
        buffer: &Buffer,
        origins: (RectOffset, RectOffset),
        region: RectRegion,
        pitches: (Pitch, Pitch),
        from: *const c_void,
        place: impl Into<Place<'a>>,
    ) -> Result<Appended> {
        append!(
            self.urCommandBufferAppendMemBufferWriteRectExp(
                buffer.raw(),
                origins.0,
                origins.1,
                region,
                pitches.0.row,
                pitches.0.slice,
                pitches.1.row,
                pitches.1.slice,
                from.cast_mut(),
            ),
            place
        )
    }

    /// Appends a fill of a buffer with a pattern.
    pub fn fill<'a, T: Plain>(
        &self,
        buffer: &Buffer,
        pattern: &[T],
        offset: usize,
        size: usize,
        place: impl Into<Place<'a>>,
    ) -> Result<Appended> {
        let pattern = bytes_of(pattern);
        append!(
            self.urCommandBufferAppendMemBufferFillExp(
                buffer.raw(),
                pattern.as_ptr().cast(),
                pattern.len(),
                offset,
                size,
            ),
            place
        )
    }

    /// Appends the commands that `function` appends to `child`, or that it submits with the driver's own functions. It is
    /// called once, before this returns.
    pub fn native_command<F: FnOnce()>(
        &self,
        function: F,
        child: Option<&CommandBuffer>,
        after: &[SyncPoint],
    ) -> Result<SyncPoint> {
        unsafe extern "C" fn call<F: FnOnce()>(data: *mut c_void) {
            // SAFETY: the option below, which lives until the append returns.
            if let Some(function) = unsafe { &mut *data.cast::<Option<F>>() }.take() {
                function();
            }
        }
        let (mut data, mut point) = (Some(function), 0);
        // SAFETY: the handles and the list are alive; `call` fits the data, which lives through the call.
        unsafe {
            self.fns().urCommandBufferAppendNativeCommandExp(
                self.raw(),
                Some(call::<F>),
                (&raw mut data).cast(),
                child.map_or(ExpCommandBufferHandle::default(), |child| child.raw()),
                after.len() as u32,
                if after.is_empty() { null() } else { after.as_ptr() },
                &mut point,
            )
        }?;
        Ok(point)
    }

    /// Updates launches, for later runs.
    ///
    /// # Safety
    /// The commands must be of buffers that are alive. The arguments must be what the kernels expect, and what the
    /// kernels do with memory must be allowed in every run.
    pub unsafe fn update(&self, updates: &[Update]) -> Result<()> {
        let raw: Vec<_> = updates.iter().map(|update| RawUpdate::new(update.args)).collect();
        let descs: Vec<_> = raw.iter().zip(updates).map(|(raw, update)| raw.desc(update)).collect();
        // SAFETY: the lists are alive; the caller vouches for the rest.
        unsafe {
            self.fns()
                .urCommandBufferUpdateKernelLaunchExp(self.raw(), descs.len() as u32, descs.as_ptr())
        }
    }

    /// Replaces the event of a command. The next run signals the new one.
    ///
    /// # Safety
    /// The command must be of a buffer that is alive.
    pub unsafe fn update_signal(&self, command: BufferCommand) -> Result<Event> {
        let mut event = EventHandle::default();
        // SAFETY: the caller vouches for the handle; the result pointer is valid.
        unsafe {
            self.fns()
                .urCommandBufferUpdateSignalEventExp(command.handle, &mut event)
        }?;
        // SAFETY: the event comes with one reference.
        Ok(unsafe { Event::from_raw(self.loader(), event) })
    }

    /// Replaces the wait list of a command by one of the same length.
    ///
    /// # Safety
    /// The command must be of a buffer that is alive.
    pub unsafe fn update_wait(&self, command: BufferCommand, events: &[&Event]) -> Result<()> {
        let events = WaitList::new(events);
        // SAFETY: the caller vouches for the handle; the list is alive.
        unsafe {
            self.fns()
                .urCommandBufferUpdateWaitEventsExp(command.handle, events.len(), events.ptr())
        }
    }
}

impl Queue {
    /// Runs all commands of a finalized buffer.
    pub fn run(&self, buffer: &CommandBuffer, wait: &[&Event]) -> Result<Event> {
        let wait = WaitList::new(wait);
        self.enqueue(|event| {
            // SAFETY: the handles are alive; the callers of the appends vouch for the commands.
            unsafe {
                self.fns()
                    .urEnqueueCommandBufferExp(self.raw(), buffer.raw(), wait.len(), wait.ptr(), event)
            }
        })
    }
}
