// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Changes to commands of a finalized command buffer: what the client asks for, and what the adapter learns of it.

use std::mem::swap;
use std::sync::Arc;

use oxur_api::*;
use oxur_fork::InTurnGuard;
use smallvec::SmallVec;

use super::ArgRollback;
use super::command_list::{BufferCommand, CommandList, Node, RecordingOf, State, invalid};
use crate::chain::decode;
use crate::handle::{Borrowed, object, optional_object};
use crate::{Arg, Args, Backend, CommandBuffer, Kernel, OwnedCommand, OwnedLaunch, OwnedRange, Range, UrResult, args};

/// What an update changed of one command. The command already is what it becomes.
pub struct Change<'a, B: Backend> {
    /// The place of the command among all of the buffer.
    pub place: usize,
    /// What is new.
    pub what: Changed<'a, B>,
}

/// What an update changed.
pub enum Changed<'a, B: Backend> {
    /// Parts of a launch.
    Launch(LaunchChange<'a, B>),
    /// The events that the command waits for: as many as before.
    Events,
    /// What the command signals.
    Signal,
}

/// The parts of a launch that an update changed.
pub struct LaunchChange<'a, B: Backend> {
    /// Another of the kernel's alternatives runs: what is not among `args` has no value yet.
    pub kernel: bool,
    /// The arguments that were set, with their indices and kinds.
    pub args: &'a [Arg<'a, B>],
    /// Where the range begins.
    pub offset: bool,
    /// How many work-items there are.
    pub global: bool,
    /// The work-group size. It goes with the global size: one that fitted the old one may not fit the new one.
    pub local: bool,
}

impl<'a, B: Backend> LaunchChange<'a, B> {
    /// That of arguments alone.
    fn of_args(args: &'a [Arg<'a, B>]) -> Self {
        Self {
            kernel: false,
            args,
            offset: false,
            global: false,
            local: false,
        }
    }

    /// Whether nothing but arguments changed.
    pub fn is_of_args_only(&self) -> bool {
        !(self.kernel || self.offset || self.global || self.local)
    }
}

/// Checks a client's description of an update, and takes its arguments, to where they stay: they are large to move.
///
/// # Safety
/// Its pointers and handles must be as `urCommandBufferUpdateKernelLaunchExp` demands, for `'a`.
#[inline(always)]
pub(super) unsafe fn decode_args<'a, B: Backend>(
    desc: &'a ExpCommandBufferUpdateKernelLaunchDesc,
    args: &mut SmallVec<[Arg<'a, B>; 2]>,
) -> UrResult<()> {
    // SAFETY: passed on to the caller.
    unsafe {
        check_chain(desc.pNext)?;
        object::<BufferCommand<B>>(desc.hCommand)?;
        optional_object::<B::Kernel>(desc.hNewKernel)?;
        for mem in args::slice(desc.pNewMemObjArgList, desc.numNewMemObjArgs as usize)? {
            check_chain(mem.pNext)?;
            if let Some(properties) = mem.pProperties.as_ref() {
                check_chain(properties.pNext)?;
            }
            let access = mem
                .pProperties
                .as_ref()
                .map_or(MemFlags::READ_WRITE, |p| p.memoryAccess);
            args.push(Arg::Mem(mem.argIndex, optional_object(mem.hNewMemObjArg)?, access));
        }
        for pointer in args::slice(desc.pNewPointerArgList, desc.numNewPointerArgs as usize)? {
            check_chain(pointer.pNext)?;
            if let Some(properties) = pointer.pProperties.as_ref() {
                check_chain(properties.pNext)?;
            }
            args.push(Arg::Pointer(pointer.argIndex, pointer_value(pointer.pNewPointerArg)));
        }
        for value in args::slice(desc.pNewValueArgList, desc.numNewValueArgs as usize)? {
            check_chain(value.pNext)?;
            if let Some(properties) = value.pProperties.as_ref() {
                check_chain(properties.pNext)?;
            }
            args.push(if value.pNewValueArg.is_null() {
                Arg::Local(value.argIndex, value.argSize)
            } else {
                Arg::Value(
                    value.argIndex,
                    args::slice(value.pNewValueArg.cast::<u8>(), value.argSize)?,
                )
            });
        }
        let resized = !(desc.pNewGlobalWorkOffset.is_null()
            && desc.pNewGlobalWorkSize.is_null()
            && desc.pNewLocalWorkSize.is_null());
        if resized {
            check_range(desc)?;
        }
    }
    Ok(())
}

/// # Safety
/// As [`decode_args`].
#[inline(never)]
unsafe fn check_range(desc: &ExpCommandBufferUpdateKernelLaunchDesc) -> UrResult<()> {
    let dimensions = Range::dimensions(desc.newWorkDim)?;
    // SAFETY: passed on to the caller.
    match unsafe { array(desc.pNewLocalWorkSize, dimensions) } {
        Some(local) if local.contains(&0) => Err(crate::error!(
            ERROR_INVALID_WORK_GROUP_SIZE: "a work-group has at least one work-item in each dimension, not {local:?}"
        )),
        _ => Ok(()),
    }
}

/// # Safety
/// `pointer`, unless null, must point to so many numbers, which stay as they are for `'a`.
#[inline(always)]
unsafe fn array<'a>(pointer: *const usize, dimensions: usize) -> Option<&'a [usize]> {
    // SAFETY: passed on to the caller.
    (!pointer.is_null()).then(|| unsafe { std::slice::from_raw_parts(pointer, dimensions) })
}

/// A change of one launch that a client asks for: what is `None` stays.
struct Update<'a, B: Backend> {
    command: Borrowed<'a, BufferCommand<B>>,
    kernel: Option<Borrowed<'a, B::Kernel>>,
    args: &'a [Arg<'a, B>],
    dimensions: usize,
    offset: Option<&'a [usize]>,
    global: Option<&'a [usize]>,
    local: Option<&'a [usize]>,
}

impl<'a, B: Backend> Update<'a, B> {
    /// Takes a description that was checked, with the first of the arguments, of which the others are left.
    ///
    /// # Safety
    /// As [`decode_args`].
    #[inline(always)]
    unsafe fn new(desc: &'a ExpCommandBufferUpdateKernelLaunchDesc, args: &mut &'a [Arg<'a, B>]) -> UrResult<Self> {
        let counts = [desc.numNewMemObjArgs, desc.numNewPointerArgs, desc.numNewValueArgs];
        let (own, others) = args.split_at(counts.iter().map(|count| *count as usize).sum());
        *args = others;
        let mut dimensions = desc.newWorkDim as usize;
        // SAFETY: passed on to the caller; `decode_args` checked the dimensions if there is an array.
        let [offset, global, local] = unsafe {
            [
                desc.pNewGlobalWorkOffset,
                desc.pNewGlobalWorkSize,
                desc.pNewLocalWorkSize,
            ]
            .map(|pointer| array(pointer, dimensions))
        };
        if offset.is_none() && global.is_none() && local.is_none() {
            dimensions = 0;
        }
        // SAFETY: passed on to the caller.
        let (command, kernel) = unsafe { (object(desc.hCommand)?, optional_object(desc.hNewKernel)?) };
        Ok(Self {
            command,
            kernel,
            args: own,
            dimensions,
            offset,
            global,
            local,
        })
    }

    /// The place of the new kernel among those that the launch may choose from. `None` if the kernel stays.
    fn new_kernel(&self, launch: &OwnedLaunch<B>) -> UrResult<Option<usize>> {
        let Some(kernel) = &self.kernel else {
            return Ok(None);
        };
        let place = launch
            .kernel_alternatives
            .iter()
            .position(|known| Arc::ptr_eq(known, kernel));
        let place = place.ok_or_else(|| {
            crate::error!(
                ERROR_INVALID_VALUE: "the new kernel was not among the alternatives when the launch was appended"
            )
        })?;
        Ok(Some(place).filter(|place| *place != launch.chosen))
    }

    /// Whether it is a single change, which is made or not.
    fn is_single(&self) -> bool {
        self.args.len() == 1 && self.kernel.is_none() && self.dimensions == 0
    }

    fn check_dimensions(&self, launch: &OwnedLaunch<B>) -> UrResult<()> {
        let bad = |words: &str| Err(crate::error!(ERROR_INVALID_VALUE: "{words}"));
        if self.dimensions != 0 && self.dimensions != launch.range.dimensions() {
            if self.global.is_none() || (self.offset.is_none() && launch.range.range().offset.is_some()) {
                return bad("with other dimensions than before a launch needs a new global size and offset");
            }
            if self.local.is_none() && launch.range.range().local.is_some() {
                return bad("with other dimensions than before a launch needs a new work-group size");
            }
        }
        Ok(())
    }

    /// Changes the launch, unless there is an error. Returns what it replaced and what is new. Inlined into its one caller: what it
    /// returns is large to move.
    #[inline(always)]
    fn apply(&self, launch: &mut OwnedLaunch<B>) -> UrResult<(Replaced<B>, LaunchChange<'a, B>)> {
        self.check_dimensions(launch)?;
        let chosen = self.new_kernel(launch)?;
        let mut kernel = None;
        let args_in_place = match chosen {
            Some(place) => {
                let new = launch.kernel_alternatives[place].snapshot(Args::none())?;
                self.set_args(&new)?;
                kernel = Some(Box::new(ChosenKernel {
                    kernel: new,
                    chosen: place,
                    arg_rollback: ArgRollback::default(),
                }));
                false
            }
            None if self.args.is_empty() => false,
            None => {
                launch.arg_rollback.prepare(&launch.kernel)?;
                self.set_args(&launch.kernel).inspect_err(|_| launch.roll_back_args())?;
                true
            }
        };
        let mut change = LaunchChange {
            kernel: chosen.is_some(),
            args: self.args,
            offset: self.offset.is_some(),
            global: self.global.is_some(),
            local: self.local.is_some(),
        };
        let mut range = None;
        if self.dimensions != 0 {
            let old = launch.range.range();
            // The work-group size stays with the global size: one that was chosen for another may not fit.
            let local = if self.global.is_some() {
                self.local
            } else {
                self.local.or(old.local)
            };
            let new = OwnedRange::new(&Range {
                offset: self.offset.or(old.offset),
                global: self.global.unwrap_or(old.global),
                local,
            });
            if new == launch.range && !change.kernel {
                // Clients that name all of a launch change arguments most often.
                (change.offset, change.global, change.local) = (false, false, false);
            } else {
                change.local |= local != old.local;
                range = Some(Box::new(new));
            }
        }
        let mut replaced = Replaced {
            kernel,
            args_in_place,
            range,
        };
        replaced.swap(launch);
        Ok((replaced, change))
    }

    fn set_args(&self, kernel: &B::Kernel) -> UrResult<()> {
        self.args.iter().try_for_each(|arg| kernel.set_arg(arg.clone()))
    }
}

impl<B: Backend> OwnedLaunch<B> {
    fn roll_back_args(&mut self) {
        if let Some(kernel) = self.arg_rollback.roll_back() {
            self.kernel = kernel;
        }
    }
}

/// A kernel that a launch may have.
struct ChosenKernel<B: Backend> {
    kernel: Arc<B::Kernel>,
    /// Its place among the alternatives.
    chosen: usize,
    arg_rollback: ArgRollback<B>,
}

/// What an update has replaced in a launch. Small, because most updates set arguments only.
struct Replaced<B: Backend> {
    kernel: Option<Box<ChosenKernel<B>>>,
    /// Whether arguments of the kernel were set.
    args_in_place: bool,
    range: Option<Box<OwnedRange>>,
}

impl<B: Backend> Replaced<B> {
    /// Puts the other kernel and range in the launch.
    fn swap(&mut self, launch: &mut OwnedLaunch<B>) {
        if let Some(other) = self.kernel.as_deref_mut() {
            swap(&mut other.kernel, &mut launch.kernel);
            swap(&mut other.chosen, &mut launch.chosen);
            swap(&mut other.arg_rollback, &mut launch.arg_rollback);
        }
        if let Some(range) = self.range.as_deref_mut() {
            swap(range, &mut launch.range);
        }
    }

    /// The launch at this place is what it was before.
    fn restore(&mut self, nodes: &mut [Node<B>], place: usize) {
        if let OwnedCommand::Launch(launch) = &mut nodes[place].command {
            self.swap(launch);
            if self.args_in_place {
                launch.roll_back_args();
            }
        }
    }

    /// The launch stays as it is.
    fn commit(&mut self, nodes: &mut [Node<B>], change: &Change<'_, B>) {
        if let OwnedCommand::Launch(launch) = &mut nodes[change.place].command
            && let Changed::Launch(LaunchChange { args, .. }) = &change.what
        {
            if self.kernel.is_some() {
                // Later updates of the same call have set arguments of the new kernel, and earlier ones of the old.
                launch.arg_rollback = ArgRollback::default();
            } else if self.args_in_place {
                launch.arg_rollback.commit(args);
            }
        }
    }
}

impl<B: Backend> CommandList<B> {
    /// Changes launches as descriptions say, with these arguments of all of them; `changed` then gets all commands and what is
    /// new. If any of the updates fails, or `changed` does, all launches are what they were.
    ///
    /// # Safety
    /// As [`decode_args`], which has checked the descriptions.
    #[inline(always)]
    pub(super) unsafe fn update<'a>(
        &self,
        updates: &'a [ExpCommandBufferUpdateKernelLaunchDesc],
        mut args: &'a [Arg<'a, B>],
        changed: impl FnOnce(&mut RecordingOf<B>, &[Node<B>], &[Change<'_, B>]) -> UrResult<()>,
    ) -> UrResult<()> {
        let is_only = updates.len() == 1 && !B::CommandBuffer::UPDATE_MAY_FAIL;
        let mut state = self.updatable()?;
        if is_only {
            let State { nodes, recording, .. } = &mut *state;
            // SAFETY: passed on to the caller.
            let update = unsafe { Update::new(&updates[0], &mut { args }) }?;
            let (place, launch) = launch(nodes, &update.command)?;
            if update.is_single() && launch.arg_rollback.is_empty() {
                // As most are: there is nothing to undo, and nothing else to keep meanwhile.
                update.set_args(&launch.kernel)?;
                let what = Changed::Launch(LaunchChange::of_args(args));
                let changes = [Change { place, what }];
                changed(recording, nodes, &changes)?;
                self.draw_again(nodes, &changes);
                return Ok(());
            }
        }
        let mut changes = SmallVec::<[_; 1]>::with_capacity(updates.len());
        // Dropped after the lock: to release a kernel is a call of the driver's.
        let mut replaced = SmallVec::<[_; 1]>::with_capacity(updates.len());
        let State { nodes, recording, .. } = &mut *state;
        let updated = updates.iter().try_for_each(|desc| {
            // SAFETY: passed on to the caller.
            let update = unsafe { Update::new(desc, &mut args) }?;
            let (place, launch) = launch(nodes, &update.command)?;
            let (old, change) = update.apply(launch)?;
            let what = Changed::Launch(change);
            changes.push(Change { place, what });
            replaced.push(old);
            Ok(())
        });
        let updated = updated.and_then(|()| changed(recording, nodes, &changes));
        let ends = changes.iter().zip(&mut replaced);
        match updated {
            Ok(()) => ends.for_each(|(change, old)| old.commit(nodes, change)),
            // Backwards: one command may be twice in the list.
            Err(_) => ends.rev().for_each(|(change, old)| old.restore(nodes, change.place)),
        }
        if updated.is_ok() {
            self.draw_again(nodes, &changes);
        }
        drop(state);
        updated
    }

    /// Changes what one command waits for, or what it signals.
    pub(super) fn change(
        &self,
        buffer: &B::CommandBuffer,
        command: &BufferCommand<B>,
        what: Changed<'_, B>,
        change: impl FnOnce(&mut Node<B>) -> UrResult<()>,
    ) -> UrResult<()> {
        let place = command.place;
        let State { nodes, recording, .. } = &mut *self.updatable()?;
        change(&mut nodes[place])?;
        let changes = [Change { place, what }];
        self.draw_again(nodes, &changes);
        buffer.update(recording, nodes, &changes)
    }

    fn draw_again(&self, nodes: &[Node<B>], changes: &[Change<'_, B>]) {
        if let Some(graph_dump) = self.graph_dump.get() {
            graph_dump.change(nodes, changes.iter().map(|change| change.place));
        }
    }

    #[inline(always)]
    fn updatable(&self) -> UrResult<InTurnGuard<'_, State<B>>> {
        let state = self.lock();
        match (self.settings.updatable, state.finalized) {
            (true, true) => Ok(state),
            (true, false) => Err(invalid("a command buffer can be updated only when it is finalized")),
            (false, _) => Err(invalid("the command buffer was not made to be updatable")),
        }
    }
}

/// The launch behind a handle, if it is one of these commands.
fn launch<'a, B: Backend>(
    nodes: &'a mut [Node<B>],
    command: &BufferCommand<B>,
) -> UrResult<(usize, &'a mut OwnedLaunch<B>)> {
    let wrong = |words: &str| crate::error!(ERROR_INVALID_COMMAND_BUFFER_COMMAND_HANDLE_EXP: "{words}");
    let node = nodes.get_mut(command.place);
    let node = node.filter(|node| node.handle.as_deref().is_some_and(|own| std::ptr::eq(own, command)));
    match node {
        None => Err(wrong("the command is of another command buffer")),
        Some(node) => match &mut node.command {
            OwnedCommand::Launch(launch) => Ok((command.place, launch)),
            _ => Err(wrong("only launches of kernels can be updated")),
        },
    }
}

/// Checks that nothing is chained to a part of the description.
///
/// # Safety
/// As `urCommandBufferUpdateKernelLaunchExp`.
unsafe fn check_chain(next: *const std::ffi::c_void) -> UrResult<()> {
    // SAFETY: passed on to the caller.
    unsafe { decode!("urCommandBufferUpdateKernelLaunchExp", next) }
}

/// The new value of a pointer: what `pNewPointerArg` points to.
///
/// # Safety
/// `at`, unless null, must point to a pointer.
unsafe fn pointer_value(at: *const std::ffi::c_void) -> *const std::ffi::c_void {
    // SAFETY: passed on to the caller.
    unsafe { at.cast::<*const std::ffi::c_void>().as_ref() }.map_or(std::ptr::null(), |pointer| *pointer)
}
