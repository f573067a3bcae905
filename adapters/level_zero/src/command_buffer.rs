// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Command buffers: regular command lists, filled while commands are appended.
//!
//! A [recorder](Recorder) puts the commands into a list. An out-of-order buffer has barriers where a command
//! waits for one behind the last barrier, so that a run needs no events. A launch that the client may change has the number
//! of a mutable command. An update takes note of what is new, and the next run changes the list, once for all updates.
//! Where it cannot be changed, since it runs or the driver lacks the change, that run has a new one.
//!
//! What no list can have is submitted to the queue command by command, as the kit does it: host tasks, fills with odd
//! patterns, events of single commands, the times of each command, and all where the driver cannot run lists on immediate
//! ones, or cannot change them and the client wants to.

use std::ffi::c_void;
use std::mem::take;
use std::ptr::null;
use std::sync::Arc;

use kit::{
    Arg, Change, Changed, Command, CommandList, Context as _, EventOut, HandleCell, Moved, Node, OwnedCommand,
    OwnedLaunch, Signal, SoftwareRuns, TrackedQueue, UrResult, WaitList,
};
use level_zero_sys::*;
use oxur_adapter_kit as kit;
use smallvec::SmallVec;

use crate::kernel::Groups;
use crate::lists::{ListSettings, Recorder, Retired};
use crate::queue::{After, Deps, Marker, append, append_barrier};
use crate::ze::{desc, ze, ze_get};
use crate::{Context, Device, LevelZero, Queue};

/// A command buffer.
pub(crate) struct CommandBuffer {
    pub(crate) handle_cell: HandleCell,
    commands: CommandList<LevelZero>,
    /// Its runs where there is no list.
    software: SoftwareRuns<LevelZero>,
}

/// What is made of commands as they are appended, and is there for their runs.
#[derive(Default)]
pub(crate) struct Recording {
    commands: Recorded,
    /// The last run of a list.
    last: Option<Run>,
}

#[derive(Default)]
enum Recorded {
    /// The first command, or the next run, makes a list.
    #[default]
    Nothing,
    List(List),
    /// They are submitted one by one.
    Software,
}

/// The last run of a list.
struct Run {
    queue: Arc<Queue>,
    /// `None` if it has no event: then the queue is in order.
    end: Option<Marker>,
}

impl Run {
    /// Whether it is complete. That of a queue with later commands may be, and is not known to be.
    fn is_over(&self) -> bool {
        match &self.end {
            Some(end) => end.is_over(),
            None => self.queue.is_complete(),
        }
    }

    /// A marker behind it, for a run on this queue; `None` if it comes first anyway.
    fn end(&self, queue: &Arc<Queue>) -> UrResult<Option<Marker>> {
        match &self.end {
            _ if kit::Queue::is_in_order(&**queue) && Arc::ptr_eq(queue, &self.queue) => Ok(None),
            Some(end) => Ok(Some(end.clone())),
            None => self.queue.unfinished(),
        }
    }
}

/// A command list.
pub(crate) struct List {
    recorder: Recorder,
    in_order: bool,
    /// How many commands are before the last barrier.
    ordered: usize,
    /// The launches that can be changed, by their places.
    launches: Vec<Changeable>,
    /// Those among them, by their numbers here, that were changed since the last run.
    changed: Vec<u32>,
}

/// A launch that can be changed.
struct Changeable {
    place: usize,
    /// Its number in the list.
    id: u64,
    /// What is new, and not in the list yet: arguments by their numbers,
    args: u64,
    /// and whether its range is.
    range: bool,
}

/// What can be changed of a launch in a list.
const CHANGES: ze_mutable_command_exp_flags_t = ZE_MUTABLE_COMMAND_EXP_FLAG_KERNEL_ARGUMENTS
    | ZE_MUTABLE_COMMAND_EXP_FLAG_GROUP_COUNT
    | ZE_MUTABLE_COMMAND_EXP_FLAG_GROUP_SIZE
    | ZE_MUTABLE_COMMAND_EXP_FLAG_GLOBAL_OFFSET;

impl List {
    fn new(commands: &CommandList<LevelZero>) -> UrResult<Self> {
        let settings = commands.settings();
        let of_list = ListSettings {
            device: commands.device().raw,
            in_order: settings.in_order,
            updatable: settings.updatable,
        };
        Ok(Self {
            recorder: Recorder::new(of_list, commands)?,
            in_order: settings.in_order,
            ordered: 0,
            launches: Vec::new(),
            changed: Vec::new(),
        })
    }

    fn raw(&self) -> ze_command_list_handle_t {
        self.recorder.list()
    }

    /// What comes now, the last of these commands, comes after those that it depends on.
    #[inline(always)]
    fn wait_for(&mut self, nodes: &[Node<LevelZero>]) -> UrResult<()> {
        let waits = |node: &Node<LevelZero>| node.dependencies().iter().any(|place| *place as usize >= self.ordered);
        if !self.in_order && nodes.last().is_some_and(waits) {
            append_barrier(self.raw(), Deps::none())?;
            self.ordered = nodes.len() - 1;
        }
        Ok(())
    }

    /// Appends the last of these commands.
    fn append(&mut self, of: &CommandList<LevelZero>, nodes: &[Node<LevelZero>]) -> UrResult<()> {
        let Some((node, before)) = nodes.split_last() else {
            return Ok(());
        };
        if !node.is_common() {
            return kit::unsupported();
        }
        self.wait_for(nodes)?;
        if node.is_updatable()
            && let OwnedCommand::Launch(launch) = &node.command
            && !launch.range.range().global.contains(&0)
        {
            let desc = desc!(ze_mutable_command_id_exp_desc_t: flags = CHANGES);
            // SAFETY: a live list, which the caller has for itself.
            let id = unsafe { ze_get!(zeCommandListGetNextCommandIdExp(self.raw(), &desc)) }?;
            self.launches.push(Changeable {
                place: before.len(),
                id,
                args: 0,
                range: false,
            });
        }
        self.recorder.record(of, &node.command)
    }

    /// Closes it, so that it can run.
    fn close(&self) -> UrResult<()> {
        // SAFETY: a live list, which the caller has for itself.
        unsafe { ze!(zeCommandListClose(self.raw())) }
    }

    /// Takes note of a change; `false` if the list cannot be changed in this way.
    fn note(&mut self, nodes: &[Node<LevelZero>], Change { place, what }: &Change<'_, LevelZero>) -> bool {
        let (Changed::Launch(change), OwnedCommand::Launch(launch)) = (what, &nodes[*place].command) else {
            return false;
        };
        let Ok(at) = self.launches.binary_search_by_key(place, |launch| launch.place) else {
            return false;
        };
        let range = change.offset || change.global || change.local;
        if change.kernel || range && launch.range.range().global.contains(&0) {
            return false;
        }
        let mut args = 0;
        for arg in change.args {
            let is_object = match arg {
                Arg::Sampler(..) => true,
                Arg::Mem(_, mem, _) => mem.as_ref().is_some_and(|mem| mem.image().is_ok()),
                _ => false,
            };
            if is_object || arg.index() >= u64::BITS {
                return false;
            }
            args |= 1 << arg.index();
        }
        let known = &mut self.launches[at];
        if known.args == 0 && !known.range {
            self.changed.push(at as u32);
        }
        known.args |= args;
        known.range |= range;
        true
    }

    /// Changes the list, which does not run, to what was noted, and closes it again.
    fn change(&mut self, device: &Device, nodes: &[Node<LevelZero>]) -> UrResult<()> {
        let mut descriptions = Descriptions::default();
        for at in self.changed.drain(..) {
            let known = &mut self.launches[at as usize];
            if let OwnedCommand::Launch(launch) = &nodes[known.place].command {
                descriptions.add(known, launch, device)?;
            }
            (known.args, known.range) = (0, false);
        }
        // SAFETY: a live list that does not run, and descriptions that live until the call returns.
        descriptions.with(|all| unsafe { ze!(zeCommandListUpdateMutableCommandsExp(self.raw(), all)) })?;
        self.close()
    }
}

/// The value of an argument, in words; `None` for local memory.
type Value = Option<SmallVec<[u64; 1]>>;

fn value(bytes: &[u8]) -> Value {
    let word = |bytes: &[u8]| {
        let mut word = [0; size_of::<u64>()];
        word[..bytes.len()].copy_from_slice(bytes);
        u64::from_ne_bytes(word)
    };
    Some(bytes.chunks(size_of::<u64>()).map(word).collect())
}

/// Changes of launches as Level Zero takes them.
#[derive(Default)]
struct Descriptions {
    args: SmallVec<[(ze_mutable_kernel_argument_exp_desc_t, Value); 4]>,
    ranges: Vec<(u64, Groups)>,
}

impl Descriptions {
    /// Adds what is new of a launch.
    fn add(&mut self, known: &Changeable, launch: &OwnedLaunch<LevelZero>, device: &Device) -> UrResult<()> {
        let mut args = known.args;
        while args != 0 {
            let index = args.trailing_zeros();
            args &= args - 1;
            let add = |arg: Arg<'_, LevelZero>| self.add_arg(known.id, &arg, device);
            launch.kernel.own_arg(index, add)?;
        }
        if known.range {
            let kernel = launch.kernel.on(device)?.lock();
            let groups = kernel.groups(&launch.range.range(), device)?;
            self.ranges.extend(groups.map(|groups| (known.id, groups)));
        }
        Ok(())
    }

    fn add_arg(&mut self, id: u64, arg: &Arg<'_, LevelZero>, device: &Device) -> UrResult<()> {
        let address = |address: usize| (size_of::<usize>(), value(&address.to_ne_bytes()));
        let (size, value) = match arg {
            Arg::Value(_, bytes) => (bytes.len(), value(bytes)),
            Arg::Local(_, size) => (*size, None),
            Arg::Pointer(_, pointer) => address(pointer.addr()),
            Arg::Mem(_, None, _) => address(0),
            Arg::Mem(_, Some(mem), _) => address(mem.address_on(device)?),
            Arg::Sampler(..) => return kit::unsupported(),
        };
        let index = arg.index();
        let desc = desc!(ze_mutable_kernel_argument_exp_desc_t: commandId = id, argIndex = index, argSize = size);
        self.args.push((desc, value));
        Ok(())
    }

    /// Calls a function with all of them.
    fn with<T>(mut self, call: impl FnOnce(*const ze_mutable_commands_exp_desc_t) -> T) -> T {
        let mut next: *const c_void = null();
        for (desc, value) in self.args.iter_mut().rev() {
            desc.pArgValue = value.as_ref().map_or(null(), |words| words.as_ptr().cast());
            desc.pNext = next;
            next = (&raw const *desc).cast();
        }
        let new = |(id, groups): &(u64, Groups)| RangeDescriptions::new(*id, groups);
        let mut ranges: Vec<_> = self.ranges.iter().map(new).collect();
        for range in ranges.iter_mut().rev() {
            range.count.pNext = next;
            range.size.pNext = (&raw const range.count).cast();
            range.offset.pNext = (&raw const range.size).cast();
            next = (&raw const range.offset).cast();
        }
        call(&desc!(ze_mutable_commands_exp_desc_t: pNext = next))
    }
}

/// The new range of a launch.
#[derive(Default)]
struct RangeDescriptions {
    count: ze_mutable_group_count_exp_desc_t,
    size: ze_mutable_group_size_exp_desc_t,
    offset: ze_mutable_global_offset_exp_desc_t,
}

impl RangeDescriptions {
    fn new(id: u64, groups: &Groups) -> Self {
        let mut new = Self::default();
        (new.count.commandId, new.size.commandId, new.offset.commandId) = (id, id, id);
        new.count.pGroupCount = &groups.count;
        [new.size.groupSizeX, new.size.groupSizeY, new.size.groupSizeZ] = groups.size;
        [new.offset.offsetX, new.offset.offsetY, new.offset.offsetZ] = groups.offset;
        new
    }
}

impl CommandBuffer {
    /// Whether the driver has what a list of such a command buffer needs.
    fn has_lists(commands: &CommandList<LevelZero>) -> bool {
        let device = commands.device();
        let runs = device.driver.has(ZE_IMMEDIATE_COMMAND_LIST_APPEND_EXP_NAME);
        // A list does not tell when each command ran.
        let runs = runs && !commands.settings().profiled;
        runs && (!commands.settings().updatable || device.facts.mutable_commands & CHANGES == CHANGES)
    }

    /// A new list of all commands, ready to run.
    fn list_of(&self, nodes: &[Node<LevelZero>]) -> UrResult<List> {
        let mut list = List::new(&self.commands)?;
        (1..=nodes.len()).try_for_each(|count| list.append(&self.commands, &nodes[..count]))?;
        list.close()?;
        Ok(list)
    }

    /// Appends the last of these commands to what is recorded.
    fn add(&self, recorded: &mut Recorded, nodes: &[Node<LevelZero>]) -> UrResult<()> {
        if matches!(recorded, Recorded::Nothing) {
            *recorded = match Self::has_lists(&self.commands) {
                true => Recorded::List(List::new(&self.commands)?),
                false => Recorded::Software,
            };
        }
        match recorded {
            Recorded::List(list) => list.append(&self.commands, nodes),
            _ => Ok(()),
        }
    }

    /// Says what is wrong with the arguments of a launch that is not in a list.
    fn check(&self, node: &Node<LevelZero>) -> UrResult<()> {
        match &node.command {
            OwnedCommand::Launch(launch) => launch.kernel.check_own_args(self.commands.device()),
            _ => Ok(()),
        }
    }
}

impl Recording {
    /// Takes the list away, which stays until its runs are complete.
    fn retire(&mut self, context: &Arc<Context>) {
        let Recorded::List(List { recorder, .. }) = take(&mut self.commands) else {
            return;
        };
        let left = match &self.last {
            Some(last) if !last.is_over() => match last.end {
                Some(_) => Some(Retired(recorder, context.clone())),
                None => last.queue.retire(Retired(recorder, context.clone())),
            },
            _ => return recorder.give_up(context),
        };
        if let Some(list) = left {
            context.retire(list);
        }
    }
}

#[cold]
fn give_up_list(recorded: &mut Recorded, reason: &dyn std::fmt::Display) {
    log::debug!("the commands of a command buffer are submitted one by one: {reason}");
    *recorded = Recorded::Software;
}

impl Drop for CommandBuffer {
    fn drop(&mut self) {
        let mut recording = take(self.commands.recording_mut());
        recording.retire(self.commands.context());
    }
}

impl kit::CommandBuffer<LevelZero> for CommandBuffer {
    type Signal = Arc<Signal<LevelZero>>;
    type Recording = Recording;

    // The kernel of a launch takes new arguments first. What fails then is mended by a new list.
    const UPDATE_MAY_FAIL: bool = false;

    fn create(commands: CommandList<LevelZero>) -> UrResult<Arc<Self>> {
        Ok(kit::recycled(Self {
            handle_cell: HandleCell::new(),
            commands,
            software: SoftwareRuns::default(),
        }))
    }

    fn commands(&self) -> &CommandList<LevelZero> {
        &self.commands
    }

    #[inline(always)]
    fn record(&self, recording: &mut Recording, nodes: &[Node<LevelZero>], command: Command<'_, LevelZero>) -> bool {
        let Recorded::List(list) = &mut recording.commands else {
            return false;
        };
        let recorded = match list.wait_for(nodes) {
            Ok(()) => list.recorder.record_frequent(self.commands.device(), &command),
            Err(error) => Some(Err(error)),
        };
        match recorded {
            Some(Ok(())) => return true,
            // What is wrong with it is found when it is appended.
            Some(Err(error)) => give_up_list(&mut recording.commands, &error),
            None => {}
        }
        false
    }

    fn append(&self, recording: &mut Recording, nodes: &[Node<LevelZero>]) -> UrResult<()> {
        let (recorded, Some(node)) = (&mut recording.commands, nodes.last()) else {
            return Ok(());
        };
        if let Err(error) = self.add(recorded, nodes) {
            // Wrong arguments are an error of the append, and all else of a command is one of the next run.
            self.check(node)?;
            give_up_list(recorded, &error);
        } else if matches!(recorded, Recorded::Software) {
            self.check(node)?;
        }
        Ok(())
    }

    fn finalize(&self, recording: &mut Recording, nodes: &[Node<LevelZero>]) -> UrResult<()> {
        let recorded = &mut recording.commands;
        if self.commands.times().is_some() {
            give_up_list(recorded, &"it is told when each of them ran");
        }
        match recorded {
            Recorded::Nothing if nodes.is_empty() && !Self::has_lists(&self.commands) => *recorded = Recorded::Software,
            Recorded::List(list) => {
                if let Err(error) = list.close() {
                    give_up_list(recorded, &error);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn update(
        &self,
        recording: &mut Recording,
        nodes: &[Node<LevelZero>],
        changes: &[Change<'_, LevelZero>],
    ) -> UrResult<()> {
        if let Recorded::List(list) = &mut recording.commands
            && !changes.iter().all(|change| list.note(nodes, change))
        {
            recording.retire(self.commands.context());
        }
        Ok(())
    }

    fn enqueue(
        self: &Arc<Self>,
        queue: &Arc<Queue>,
        wait: WaitList<'_, LevelZero>,
        event: EventOut<'_, LevelZero>,
    ) -> UrResult<()> {
        // Dropped when the lock is: it may be all that a queue lives for.
        let mut _past = None;
        let mut commands = self.commands.nodes()?;
        let (nodes, state) = commands.parts();
        match &mut state.commands {
            Recorded::Software => {
                drop(commands);
                return self.software.enqueue(&self.commands, queue, wait, event);
            }
            Recorded::List(list) if !list.changed.is_empty() => {
                let runs = state.last.as_ref().is_some_and(|last| !last.is_over());
                let changed = !runs && {
                    let changed = list.change(self.commands.device(), nodes);
                    if let Err(error) = &changed {
                        log::warn!("a command list is made anew, because it cannot be changed: {error}");
                    }
                    changed.is_ok()
                };
                if !changed {
                    state.retire(self.commands.context());
                }
            }
            _ => {}
        }
        if matches!(state.commands, Recorded::Nothing) {
            state.commands = Recorded::List(self.list_of(nodes)?);
        }
        let Recorded::List(list) = &state.commands else {
            return kit::unsupported();
        };
        let moved = Moved::of_list(queue, nodes, wait)?;
        let wait = moved.as_ref().map_or(Ok(wait), Moved::wait_list)?;
        let before = state.last.as_ref().map(|last| last.end(queue)).transpose()?.flatten();
        let after = before.as_ref().map_or(After::Nothing, After::Marker);
        let (mut raw, mut end) = (list.raw(), None);
        let how = kit::Submission::new(self.commands.command_type(), wait, event);
        queue.enqueue_after(how, after, |mut deps| {
            end = deps.event.map(Marker::of);
            let queue = queue.list();
            // SAFETY: live handles; both lists are locked.
            unsafe { append!(deps, zeCommandListImmediateAppendCommandListsExp(queue, 1, &mut raw)) }
        })?;
        if let Some(moved) = moved {
            moved.submitted();
        }
        let is_same = |last: &Run| last.end.is_none() && Arc::ptr_eq(&last.queue, queue);
        if end.is_some() || !state.last.as_ref().is_some_and(is_same) {
            _past = state.last.replace(Run {
                queue: queue.clone(),
                end,
            });
        }
        Ok(())
    }
}
