// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Command buffers: regular command lists, filled while commands are appended.
//!
//! The commands go through a [queue that records](Queue::recording). An out-of-order buffer has barriers where a command
//! waits for one behind the last barrier, so that a run needs no events. A launch that the client may change has the number
//! of a mutable command. Where the list cannot be changed, since it runs or the driver lacks the change, the next run has a
//! new one.
//!
//! What no list can have is submitted to the queue command by command, as the kit does it: host tasks, fills with odd
//! patterns, events of single commands, the times of each command, and all where the driver cannot run lists on immediate
//! ones, or cannot change them and the client wants to.

use std::ffi::c_void;
use std::ptr::{from_ref, null};
use std::sync::Arc;

use kit::ur::CommandType;
use kit::{
    Arg, Change, Changed, CommandList, EventOut, HandleCell, LaunchChange, Node, OwnedCommand, OwnedLaunch, Signal,
    SoftwareRuns, TrackedQueue, UrResult, WaitList,
};
use level_zero_sys::*;
use oxur_adapter_kit as kit;
use oxur_fork::Mutex;
use smallvec::SmallVec;

use crate::kernel::Groups;
use crate::queue::{After, Marker};
use crate::ze::{Owned, ze, ze_get};
use crate::{Event, LevelZero, Queue};

/// A command buffer.
pub(crate) struct CommandBuffer {
    pub(crate) handle_cell: HandleCell,
    commands: CommandList<LevelZero>,
    state: Mutex<State>,
    /// Its runs where there is no list.
    software: SoftwareRuns<LevelZero>,
}

struct State {
    /// `None` before the first command, and where the next run makes a new one.
    list: Option<List>,
    /// Whether there is none for good.
    is_software: bool,
    last: Option<Run>,
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
            None => self.queue.is_empty(),
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
struct List {
    recorder: Arc<Queue>,
    in_order: bool,
    /// How many commands are before the last barrier.
    ordered: usize,
    /// The numbers of launches that can be changed, by their places.
    ids: Vec<(usize, u64)>,
}

/// What can be changed of a launch in a list.
const CHANGES: ze_mutable_command_exp_flags_t = ZE_MUTABLE_COMMAND_EXP_FLAG_KERNEL_ARGUMENTS
    | ZE_MUTABLE_COMMAND_EXP_FLAG_GROUP_COUNT
    | ZE_MUTABLE_COMMAND_EXP_FLAG_GROUP_SIZE
    | ZE_MUTABLE_COMMAND_EXP_FLAG_GLOBAL_OFFSET;

impl List {
    fn new(commands: &CommandList<LevelZero>) -> UrResult<Self> {
        let (context, device, settings) = (commands.context(), commands.device(), commands.settings());
        let mutable = ze_mutable_command_list_exp_desc_t::default();
        let desc = ze_command_list_desc_t {
            pNext: match settings.updatable {
                true => from_ref(&mutable).cast(),
                false => null(),
            },
            commandQueueGroupOrdinal: device.facts.ordinal,
            flags: if settings.in_order {
                ZE_COMMAND_LIST_FLAG_IN_ORDER
            } else {
                0
            },
            ..Default::default()
        };
        // SAFETY: a live context and device, descriptions that live until the call returns, and the list that was just made.
        let raw = unsafe { Owned::new(ze_get!(zeCommandListCreate(**context.raw, device.raw, &desc))?, true) };
        Ok(Self {
            recorder: Queue::recording(raw, context, device),
            in_order: settings.in_order,
            ordered: 0,
            ids: Vec::new(),
        })
    }

    fn raw(&self) -> ze_command_list_handle_t {
        self.recorder.list()
    }

    /// Appends the command at this place.
    fn append(&mut self, place: usize, node: &Node<LevelZero>) -> UrResult<()> {
        if !node.events.is_empty() || node.signal.is_some() || node.is_native() {
            return kit::unsupported();
        }
        let waits = node.dependencies.iter().any(|&place| place as usize >= self.ordered);
        if waits && !self.in_order {
            // SAFETY: a live list, which the caller has for itself.
            unsafe {
                ze!(zeCommandListAppendBarrier(
                    self.raw(),
                    std::ptr::null_mut(),
                    0,
                    std::ptr::null_mut()
                ))
            }?;
            self.ordered = place;
        }
        if node.is_updatable()
            && let OwnedCommand::Launch(launch) = &node.command
            && !launch.range.range().global.contains(&0)
        {
            let desc = ze_mutable_command_id_exp_desc_t {
                flags: CHANGES,
                ..Default::default()
            };
            // SAFETY: as above.
            let id = unsafe { ze_get!(zeCommandListGetNextCommandIdExp(self.raw(), &desc)) }?;
            self.ids.push((place, id));
        }
        self.recorder.record(node.command.as_command())
    }

    /// Closes it, so that it can run.
    fn close(&self) -> UrResult<()> {
        // SAFETY: a live list, which the caller has for itself.
        unsafe { ze!(zeCommandListClose(self.raw())) }
    }

    /// The number of the launch at this place, if it has one.
    fn id(&self, place: usize) -> Option<u64> {
        let at = self.ids.binary_search_by_key(&place, |(place, _)| *place).ok()?;
        Some(self.ids[at].1)
    }

    /// Changes launches of a list that does not run, and closes it again. `None` if it has no way to.
    fn change(&self, nodes: &[Node<LevelZero>], changes: &[Change<'_, LevelZero>]) -> Option<UrResult<()>> {
        let mut descriptions = Descriptions::default();
        for Change { place, what } in changes {
            let (Changed::Launch(change), OwnedCommand::Launch(launch)) = (what, &nodes[*place].command) else {
                return None;
            };
            descriptions.add(self.id(*place)?, change, launch, &self.recorder)?;
        }
        // SAFETY: a live list that does not run, and descriptions that live until the call returns.
        let changed = descriptions.with(|all| unsafe { ze!(zeCommandListUpdateMutableCommandsExp(self.raw(), all)) });
        Some(changed.and_then(|()| self.close()))
    }
}

/// Changes of launches as Level Zero takes them.
#[derive(Default)]
struct Descriptions<'a> {
    args: SmallVec<[ze_mutable_kernel_argument_exp_desc_t; 2]>,
    /// Addresses of memory objects that arguments point to, by the places of those.
    addresses: SmallVec<[(usize, usize); 2]>,
    ranges: Vec<(u64, Groups)>,
    _arguments: std::marker::PhantomData<&'a [u8]>,
}

impl<'a> Descriptions<'a> {
    /// Adds what is new of a launch; `None` if a list cannot be changed in this way.
    fn add(
        &mut self,
        id: u64,
        change: &'a LaunchChange<'_, LevelZero>,
        launch: &OwnedLaunch<LevelZero>,
        recorder: &Queue,
    ) -> Option<()> {
        if change.kernel {
            return None;
        }
        for arg in change.args {
            let (index, size, value): (_, _, *const c_void) = match arg {
                Arg::Value(index, bytes) => (*index, bytes.len(), bytes.as_ptr().cast()),
                Arg::Local(index, size) => (*index, *size, null()),
                Arg::Pointer(index, pointer) => (*index, size_of::<usize>(), from_ref(pointer).cast()),
                Arg::Mem(index, mem, _) => {
                    let address = mem.as_ref().map_or(0, |mem| mem.address());
                    self.addresses.push((self.args.len(), address));
                    (*index, size_of::<usize>(), null())
                }
                Arg::Sampler(..) => return None,
            };
            self.args.push(ze_mutable_kernel_argument_exp_desc_t {
                commandId: id,
                argIndex: index,
                argSize: size,
                pArgValue: value,
                ..Default::default()
            });
        }
        if change.offset || change.global || change.local {
            let kernel = launch.kernel.on(&recorder.device).ok()?.lock();
            let groups = kernel.groups(&launch.range.range(), &recorder.device).ok()??;
            self.ranges.push((id, groups));
        }
        Some(())
    }

    /// Calls a function with all of them.
    fn with<T>(mut self, call: impl FnOnce(*const ze_mutable_commands_exp_desc_t) -> T) -> T {
        for (place, address) in &self.addresses {
            self.args[*place].pArgValue = from_ref(address).cast();
        }
        let mut next: *const c_void = null();
        // The first change comes first: later ones may be of the same launch.
        for desc in self.args.iter_mut().rev() {
            desc.pNext = next;
            next = (&raw const *desc).cast();
        }
        let mut ranges: Vec<_> = self
            .ranges
            .iter()
            .map(|(id, groups)| RangeDescriptions::new(*id, groups))
            .collect();
        for range in ranges.iter_mut().rev() {
            range.count.pNext = next;
            range.size.pNext = (&raw const range.count).cast();
            range.offset.pNext = (&raw const range.size).cast();
            next = (&raw const range.offset).cast();
        }
        call(&ze_mutable_commands_exp_desc_t {
            pNext: next,
            ..Default::default()
        })
    }
}

/// The new range of a launch.
struct RangeDescriptions {
    count: ze_mutable_group_count_exp_desc_t,
    size: ze_mutable_group_size_exp_desc_t,
    offset: ze_mutable_global_offset_exp_desc_t,
}

impl RangeDescriptions {
    fn new(id: u64, groups: &Groups) -> Self {
        let ([x, y, z], [offset_x, offset_y, offset_z]) = (groups.size, groups.offset);
        Self {
            count: ze_mutable_group_count_exp_desc_t {
                commandId: id,
                pGroupCount: &groups.count,
                ..Default::default()
            },
            size: ze_mutable_group_size_exp_desc_t {
                commandId: id,
                groupSizeX: x,
                groupSizeY: y,
                groupSizeZ: z,
                ..Default::default()
            },
            offset: ze_mutable_global_offset_exp_desc_t {
                commandId: id,
                offsetX: offset_x,
                offsetY: offset_y,
                offsetZ: offset_z,
                ..Default::default()
            },
        }
    }
}

// SAFETY: the pointers in the list's descriptions are gone when a call returns; the queue may go from thread to thread.
unsafe impl Send for State {}

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
    fn retire(&self, list: Option<List>) {
        if let Some(list) = list {
            self.commands.context().retire(list.recorder);
        }
    }

    fn give_up_list(&self, state: &mut State, reason: &dyn std::fmt::Display) {
        log::debug!("the commands of a command buffer are submitted one by one: {reason}");
        state.is_software = true;
        state.list = None;
    }
}

impl Drop for CommandBuffer {
    fn drop(&mut self) {
        let list = self.state.lock().list.take();
        self.retire(list);
    }
}

impl kit::CommandBuffer<LevelZero> for CommandBuffer {
    type Signal = Arc<Signal<LevelZero>>;
    type Recording = ();

    // The kernel of a launch takes new arguments first. What fails then is mended by a new list.
    const UPDATE_MAY_FAIL: bool = false;

    fn create(commands: CommandList<LevelZero>) -> UrResult<Arc<Self>> {
        let state = State {
            list: None,
            is_software: !Self::has_lists(&commands),
            last: None,
        };
        Ok(Arc::new(Self {
            handle_cell: HandleCell::new(),
            commands,
            state: Mutex::new(state),
            software: SoftwareRuns::default(),
        }))
    }

    fn commands(&self) -> &CommandList<LevelZero> {
        &self.commands
    }

    fn append(&self, _recording: &mut (), nodes: &[Node<LevelZero>]) -> UrResult<()> {
        let state = &mut *self.state.lock();
        let Some((node, before)) = nodes.split_last().filter(|_| !state.is_software) else {
            return Ok(());
        };
        let appended = match &mut state.list {
            Some(list) => list.append(before.len(), node),
            None => List::new(&self.commands).and_then(|list| state.list.insert(list).append(before.len(), node)),
        };
        // An error of the command itself is the next run's.
        if let Err(error) = appended {
            self.give_up_list(state, &error);
        }
        Ok(())
    }

    fn finalize(&self, _recording: &mut (), _nodes: &[Node<LevelZero>]) -> UrResult<()> {
        let state = &mut *self.state.lock();
        if self.commands.times().is_some() {
            self.give_up_list(state, &"it is told when each of them ran");
        }
        if let Some(Err(error)) = state.list.as_ref().map(List::close) {
            self.give_up_list(state, &error);
        }
        Ok(())
    }

    fn update(&self, nodes: &[Node<LevelZero>], changes: &[Change<'_, LevelZero>]) -> UrResult<()> {
        let state = &mut *self.state.lock();
        let Some(list) = &state.list else {
            return Ok(());
        };
        let runs = state.last.as_ref().is_some_and(|last| !last.is_over());
        let changed = match runs {
            true => None,
            false => list.change(nodes, changes),
        };
        match changed {
            Some(Ok(())) => return Ok(()),
            Some(Err(error)) => log::warn!("a command list is made anew, because it cannot be changed: {error}"),
            None => {}
        }
        self.retire(state.list.take());
        Ok(())
    }

    fn enqueue(
        self: &Arc<Self>,
        queue: &Arc<Queue>,
        wait: WaitList<'_, LevelZero>,
        event: EventOut<'_, LevelZero>,
    ) -> UrResult<()> {
        // It stays so when the buffer is finalized.
        if self.state.lock().is_software {
            return self.software.enqueue(&self.commands, queue, wait, event);
        }
        // Dropped when the locks are: it may be all that a queue lives for.
        let mut _past = None;
        let nodes = self.commands.nodes()?;
        let state = &mut *self.state.lock();
        let list = match &mut state.list {
            Some(list) => list,
            empty => empty.insert(self.list_of(&nodes)?),
        };
        let before = state.last.as_ref().map(|last| last.end(queue)).transpose()?.flatten();
        let after = before.as_ref().map_or(After::Nothing, After::Marker);
        let (mut raw, mut end) = (list.raw(), None);
        queue.enqueue_after(self.commands.command_type(), false, wait, after, event, |mut deps| {
            end = deps.event.map(Marker::of);
            let (signal, count, events) = (deps.signal, deps.count(), deps.events());
            // SAFETY: live handles; both lists are locked.
            unsafe {
                ze!(zeCommandListImmediateAppendCommandListsExp(
                    queue.list(),
                    1,
                    &mut raw,
                    signal,
                    count,
                    events
                ))
            }
        })?;
        _past = state.last.replace(Run {
            queue: queue.clone(),
            end,
        });
        Ok(())
    }

    fn signal(&self, command: CommandType) -> UrResult<(Arc<Event>, Self::Signal)> {
        Signal::new(self.commands.context(), command)
    }

    fn pending(&self, _command: CommandType, signal: &Self::Signal) -> Option<Arc<Event>> {
        signal.pending()
    }

    fn check_events(&self) -> UrResult<()> {
        Ok(())
    }
}
