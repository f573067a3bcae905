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
use std::ptr::null;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kit::{
    Arg, Change, Changed, CommandList, Context as _, EventOut, HandleCell, Moved, Node, OwnedCommand, OwnedLaunch,
    Signal, SoftwareRuns, TrackedQueue, UrResult, WaitList,
};
use level_zero_sys::*;
use oxur_adapter_kit as kit;
use oxur_fork::InTurn;
use smallvec::SmallVec;

use crate::kernel::Groups;
use crate::lists::{ListSettings, Recorder};
use crate::queue::{After, Deps, Marker, append, append_barrier};
use crate::ze::{desc, ze, ze_get};
use crate::{LevelZero, Queue};

/// A command buffer.
pub(crate) struct CommandBuffer {
    pub(crate) handle_cell: HandleCell,
    commands: CommandList<LevelZero>,
    /// The driver is called with it.
    state: InTurn<State>,
    /// Whether there is no list for good. It stays so when the buffer is finalized.
    is_software: AtomicBool,
    /// Its runs where there is no list.
    software: SoftwareRuns<LevelZero>,
}

#[derive(Default)]
struct State {
    /// `None` until the buffer is finalized, and where the next run makes a new one.
    list: Option<List>,
    last: Option<Run>,
}

/// What is made of commands as they are appended.
#[derive(Default)]
pub(crate) enum Recording {
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
            recorder: Recorder::new(of_list, commands.context(), commands.device())?,
            in_order: settings.in_order,
            ordered: 0,
            launches: Vec::new(),
            changed: Vec::new(),
        })
    }

    fn raw(&self) -> ze_command_list_handle_t {
        self.recorder.list()
    }

    /// Appends the command at this place.
    fn append(&mut self, place: usize, node: &Node<LevelZero>) -> UrResult<()> {
        if !node.is_common() {
            return kit::unsupported();
        }
        let waits = node.dependencies().iter().any(|&place| place as usize >= self.ordered);
        if waits && !self.in_order {
            append_barrier(self.raw(), Deps::none())?;
            self.ordered = place;
        }
        if node.is_updatable()
            && let OwnedCommand::Launch(launch) = &node.command
            && !launch.range.range().global.contains(&0)
        {
            let desc = desc!(ze_mutable_command_id_exp_desc_t: flags = CHANGES);
            // SAFETY: a live list, which the caller has for itself.
            let id = unsafe { ze_get!(zeCommandListGetNextCommandIdExp(self.raw(), &desc)) }?;
            self.launches.push(Changeable {
                place,
                id,
                args: 0,
                range: false,
            });
        }
        self.recorder.record(&node.command)
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
    fn change(&mut self, nodes: &[Node<LevelZero>]) -> UrResult<()> {
        let mut descriptions = Descriptions::default();
        for at in self.changed.drain(..) {
            let known = &mut self.launches[at as usize];
            if let OwnedCommand::Launch(launch) = &nodes[known.place].command {
                descriptions.add(known, launch, &self.recorder)?;
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
    fn add(&mut self, known: &Changeable, launch: &OwnedLaunch<LevelZero>, recorder: &Recorder) -> UrResult<()> {
        let mut args = known.args;
        while args != 0 {
            let index = args.trailing_zeros();
            args &= args - 1;
            let add = |arg: Arg<'_, LevelZero>| self.add_arg(known.id, &arg, recorder);
            launch.kernel.own_arg(index, add)?;
        }
        if known.range {
            let kernel = launch.kernel.on(&recorder.device)?.lock();
            let groups = kernel.groups(&launch.range.range(), &recorder.device)?;
            self.ranges.extend(groups.map(|groups| (known.id, groups)));
        }
        Ok(())
    }

    fn add_arg(&mut self, id: u64, arg: &Arg<'_, LevelZero>, recorder: &Recorder) -> UrResult<()> {
        let address = |address: usize| (size_of::<usize>(), value(&address.to_ne_bytes()));
        let (size, value) = match arg {
            Arg::Value(_, bytes) => (bytes.len(), value(bytes)),
            Arg::Local(_, size) => (*size, None),
            Arg::Pointer(_, pointer) => address(pointer.addr()),
            Arg::Mem(_, None, _) => address(0),
            Arg::Mem(_, Some(mem), _) => address(mem.address_on(&recorder.device)?),
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
        runs && (!commands.settings().updatable || device.facts.mutable_commands & CHANGES == CHANGES)
    }

    /// A new list of all commands, ready to run.
    fn list_of(&self, nodes: &[Node<LevelZero>]) -> UrResult<List> {
        let mut list = List::new(&self.commands)?;
        nodes
            .iter()
            .enumerate()
            .try_for_each(|(place, node)| list.append(place, node))?;
        list.close()?;
        Ok(list)
    }

    /// Takes the list away, which stays until its runs are complete.
    fn retire(&self, state: &mut State) {
        let Some(list) = state.list.take() else { return };
        let left = match &state.last {
            Some(last) if !last.is_over() => match last.end {
                Some(_) => Some(list.recorder),
                None => last.queue.retire(list.recorder),
            },
            // It does not run.
            _ => return,
        };
        if let Some(list) = left {
            self.commands.context().retire(list);
        }
    }

    /// Appends the command at this place to what is recorded.
    fn record(&self, recording: &mut Recording, place: usize, node: &Node<LevelZero>) -> UrResult<()> {
        if matches!(recording, Recording::Nothing) {
            *recording = match Self::has_lists(&self.commands) {
                true => Recording::List(List::new(&self.commands)?),
                false => Recording::Software,
            };
        }
        match recording {
            Recording::List(list) => list.append(place, node),
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

fn give_up_list(recording: &mut Recording, reason: &dyn std::fmt::Display) {
    log::debug!("the commands of a command buffer are submitted one by one: {reason}");
    *recording = Recording::Software;
}

impl Drop for CommandBuffer {
    fn drop(&mut self) {
        let mut state = std::mem::take(&mut *self.state.take());
        self.retire(&mut state);
    }
}

impl kit::CommandBuffer<LevelZero> for CommandBuffer {
    type Signal = Arc<Signal<LevelZero>>;
    type Recording = Recording;

    // The kernel of a launch takes new arguments first. What fails then is mended by a new list.
    const UPDATE_MAY_FAIL: bool = false;

    fn create(commands: CommandList<LevelZero>) -> UrResult<Arc<Self>> {
        Ok(Arc::new(Self {
            handle_cell: HandleCell::new(),
            commands,
            state: InTurn::default(),
            is_software: AtomicBool::new(false),
            software: SoftwareRuns::default(),
        }))
    }

    fn commands(&self) -> &CommandList<LevelZero> {
        &self.commands
    }

    fn append(&self, recording: &mut Recording, nodes: &[Node<LevelZero>]) -> UrResult<()> {
        let Some((node, before)) = nodes.split_last() else {
            return Ok(());
        };
        if let Err(error) = self.record(recording, before.len(), node) {
            // Wrong arguments are an error of the append, and all else of a command is one of the next run.
            self.check(node)?;
            give_up_list(recording, &error);
        } else if matches!(recording, Recording::Software) {
            self.check(node)?;
        }
        Ok(())
    }

    fn finalize(&self, recording: &mut Recording, nodes: &[Node<LevelZero>]) -> UrResult<()> {
        if self.commands.times().is_some() {
            give_up_list(recording, &"it is told when each of them ran");
        }
        if let Recording::List(list) = recording
            && let Err(error) = list.close()
        {
            give_up_list(recording, &error);
        }
        let is_software = match std::mem::take(recording) {
            Recording::List(list) => {
                self.state.take().list = Some(list);
                false
            }
            Recording::Nothing => nodes.is_empty() && !Self::has_lists(&self.commands),
            Recording::Software => true,
        };
        self.is_software.store(is_software, Ordering::Relaxed);
        Ok(())
    }

    fn update(&self, nodes: &[Node<LevelZero>], changes: &[Change<'_, LevelZero>]) -> UrResult<()> {
        let state = &mut *self.state.take();
        if let Some(list) = &mut state.list
            && !changes.iter().all(|change| list.note(nodes, change))
        {
            self.retire(state);
        }
        Ok(())
    }

    fn enqueue(
        self: &Arc<Self>,
        queue: &Arc<Queue>,
        wait: WaitList<'_, LevelZero>,
        event: EventOut<'_, LevelZero>,
    ) -> UrResult<()> {
        if self.is_software.load(Ordering::Relaxed) {
            return self.software.enqueue(&self.commands, queue, wait, event);
        }
        // Dropped when the locks are: it may be all that a queue lives for.
        let mut _past = None;
        let nodes = self.commands.nodes()?;
        let state = &mut *self.state.take();
        if let Some(list) = &mut state.list
            && !list.changed.is_empty()
        {
            let runs = state.last.as_ref().is_some_and(|last| !last.is_over());
            let changed = !runs && {
                let changed = list.change(&nodes);
                if let Err(error) = &changed {
                    log::warn!("a command list is made anew, because it cannot be changed: {error}");
                }
                changed.is_ok()
            };
            if !changed {
                self.retire(state);
            }
        }
        let list = match &mut state.list {
            Some(list) => list,
            empty => empty.insert(self.list_of(&nodes)?),
        };
        let moved = Moved::of_list(queue, &nodes, wait)?;
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
