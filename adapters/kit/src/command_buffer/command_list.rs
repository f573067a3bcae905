// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The commands of a command buffer, appended or captured: what each is, what it waits for, and how updates change it.

use std::sync::{Arc, Weak};

use derive_where::derive_where;
use oxur_api::*;
use oxur_fork::{InTurn, InTurnGuard, OnceLock};
use smallvec::SmallVec;

use super::signal::{CommandSignal, check_events};
use super::{CommandBuffer, NativeCommand, node_memory};
use crate::capture::unsupported_in_capture;
use crate::context::is_same;
use crate::graph_dump::{self, CommandTimings, GraphDump};
use crate::handle::{HandleKind, handle_of};
use crate::short_list::ShortList;
use crate::{Backend, Command, HandleCell, Object, OwnedCommand, Queue, UrError, UrResult, WaitList};

/// What a client asks of a new command buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Its launches may be changed when it is finalized.
    pub updatable: bool,
    /// Its commands run in the order in which they are appended.
    pub in_order: bool,
    /// The event of a run tells when it began and ended, and pictures tell it of each command.
    pub profiled: bool,
}

impl Settings {
    /// What can be updated in a command buffer of every adapter whose kernels have
    /// [snapshots](crate::Kernel::snapshot).
    pub const UPDATES: DeviceCommandBufferUpdateCapabilityFlags =
        DeviceCommandBufferUpdateCapabilityFlags::KERNEL_ARGUMENTS
            .union(DeviceCommandBufferUpdateCapabilityFlags::LOCAL_WORK_SIZE)
            .union(DeviceCommandBufferUpdateCapabilityFlags::GLOBAL_WORK_SIZE)
            .union(DeviceCommandBufferUpdateCapabilityFlags::GLOBAL_WORK_OFFSET)
            .union(DeviceCommandBufferUpdateCapabilityFlags::KERNEL_HANDLE);
}

/// How many commands a command buffer has room for at first. To grow from one at a time costs more than to append.
pub const FEW_COMMANDS: usize = 16;
/// How many commands it has room for when it has more than a few.
const MANY_COMMANDS: usize = 128;

/// What a command of an adapter's signals.
pub type SignalOf<B> = <<B as Backend>::CommandBuffer as CommandBuffer<B>>::Signal;

/// What an adapter builds of commands.
pub(super) type RecordingOf<B> = <<B as Backend>::CommandBuffer as CommandBuffer<B>>::Recording;

/// Places of commands in a command buffer.
pub(crate) type Places = ShortList<u32, 3>;

/// A command, and what must be over before it. Small, because there are many.
pub struct Node<B: Backend> {
    /// What it does.
    pub command: OwnedCommand<B>,
    dependencies: Places,
    /// What the client changes it by.
    pub(super) handle: Option<Arc<BufferCommand<B>>>,
    pub(super) rare: Option<Box<RareParts<B>>>,
}

/// What few commands have.
#[derive_where(Clone, Default)]
pub(super) struct RareParts<B: Backend> {
    /// Events from outside that the command waits for in each run.
    pub(super) events: Vec<Arc<B::Event>>,
    /// What the next run signals when the command is complete.
    pub(super) signal: Option<SignalOf<B>>,
    /// Whether it stands for what a function of the client's appended to the driver's command buffer.
    native: bool,
}

/// A command of a buffer as the client knows it, to change it later.
pub struct BufferCommand<B: Backend> {
    handle_cell: HandleCell,
    buffer: Weak<B::CommandBuffer>,
    pub(super) place: usize,
}

impl<B: Backend> Object for BufferCommand<B> {
    type Handle = ExpCommandBufferCommandHandle;

    fn handle_cell(&self) -> &HandleCell {
        &self.handle_cell
    }
}

impl<B: Backend> BufferCommand<B> {
    #[inline(never)]
    fn new(buffer: &Arc<B::CommandBuffer>, place: usize) -> Arc<Self> {
        Arc::new(Self {
            handle_cell: HandleCell::new(),
            buffer: Arc::downgrade(buffer),
            place,
        })
    }

    /// The buffer that it is a command of.
    pub fn buffer(&self) -> UrResult<Arc<B::CommandBuffer>> {
        self.buffer
            .upgrade()
            .ok_or_else(|| ExpCommandBufferCommandHandle::INVALID.into())
    }
}

/// What a client wants back from an append.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub(super) event: bool,
    pub(super) handle: bool,
}

/// What it gets.
pub(super) struct Appended<B: Backend> {
    pub(super) point: ExpCommandBufferSyncPoint,
    pub(super) event: Option<Arc<B::Event>>,
    pub(super) handle: Option<ExpCommandBufferCommandHandle>,
}

/// What was appended to a command buffer.
pub struct CommandList<B: Backend> {
    context: Arc<B::Context>,
    device: Arc<B::Device>,
    pub(super) settings: Settings,
    command_type: CommandType,
    /// The commands, if they are a graph's, which has them, too.
    shared: Option<Arc<NodeList<B>>>,
    state: InTurn<State<B>>,
    times: OnceLock<Arc<CommandTimings>>,
    pub(super) graph_dump: OnceLock<GraphDump>,
}

/// Commands that nobody changes any more.
#[derive_where(Default)]
pub(crate) struct NodeList<B: Backend>(Vec<Node<B>>);

impl<B: Backend> NodeList<B> {
    /// Takes commands.
    pub(crate) fn new(nodes: Vec<Node<B>>) -> Self {
        Self(nodes)
    }

    /// An empty list of commands, in memory that is used again.
    pub(crate) fn memory() -> Vec<Node<B>> {
        node_memory::take()
    }

    /// The commands, to add others to them: copies if someone else has them.
    pub(crate) fn into_nodes(list: Arc<Self>) -> Vec<Node<B>> {
        match Arc::try_unwrap(list) {
            Ok(mut list) => std::mem::take(&mut list.0),
            Err(shared) => shared.iter().map(Node::copy).collect(),
        }
    }
}

impl<B: Backend> std::ops::Deref for NodeList<B> {
    type Target = Vec<Node<B>>;

    fn deref(&self) -> &Vec<Node<B>> {
        &self.0
    }
}

impl<B: Backend> Drop for NodeList<B> {
    fn drop(&mut self) {
        node_memory::put(std::mem::take(&mut self.0));
    }
}

#[derive_where(Default)]
pub(super) struct State<B: Backend> {
    /// Unless they are [shared](CommandList::shared).
    pub(super) nodes: Vec<Node<B>>,
    pub(super) recording: RecordingOf<B>,
    pub(super) finalized: bool,
}

impl<B: Backend> Drop for CommandList<B> {
    fn drop(&mut self) {
        node_memory::put(std::mem::take(&mut self.state.get_mut().nodes));
    }
}

/// Takes data, for a caller that may call the adapter while it has them: see [`Backend::CALLS_DRIVER`].
#[inline(always)]
pub(crate) fn hold<B: Backend, T: Default>(data: &InTurn<T>) -> InTurnGuard<'_, T> {
    match B::CALLS_DRIVER {
        true => data.take(),
        false => data.lock(),
    }
}

/// The commands of a list: its own, unless it shares those of a graph.
#[inline]
fn all<'a, B: Backend>(own: &'a Vec<Node<B>>, shared: Option<&'a NodeList<B>>) -> &'a Vec<Node<B>> {
    shared.map_or(own, |shared| &shared.0)
}

/// The commands of a finalized list, which nobody changes meanwhile.
pub struct Finalized<'a, B: Backend> {
    state: InTurnGuard<'a, State<B>>,
    shared: Option<&'a NodeList<B>>,
}

impl<B: Backend> Finalized<'_, B> {
    /// The commands, with what was built of them.
    #[inline]
    pub fn parts(&mut self) -> (&[Node<B>], &mut RecordingOf<B>) {
        let State { nodes, recording, .. } = &mut *self.state;
        (all(nodes, self.shared), recording)
    }
}

impl<B: Backend> std::ops::Deref for Finalized<'_, B> {
    type Target = Vec<Node<B>>;

    #[inline]
    fn deref(&self) -> &Vec<Node<B>> {
        all(&self.state.nodes, self.shared)
    }
}

impl<B: Backend> CommandList<B> {
    pub(super) fn new(context: Arc<B::Context>, device: Arc<B::Device>, settings: Settings) -> Self {
        Self::with(
            CommandType::ENQUEUE_COMMAND_BUFFER_EXP,
            context,
            device,
            (node_memory::take(), None),
            settings,
        )
    }

    /// Of a graph's commands, to be finalized as they are.
    pub(crate) fn of_graph(
        context: Arc<B::Context>,
        device: Arc<B::Device>,
        nodes: Arc<NodeList<B>>,
        settings: Settings,
    ) -> Self {
        let nodes = (Vec::new(), Some(nodes));
        Self::with(CommandType::ENQUEUE_GRAPH_EXP, context, device, nodes, settings)
    }

    fn with(
        command_type: CommandType,
        context: Arc<B::Context>,
        device: Arc<B::Device>,
        (nodes, shared): (Vec<Node<B>>, Option<Arc<NodeList<B>>>),
        settings: Settings,
    ) -> Self {
        Self {
            context,
            device,
            settings,
            command_type,
            shared,
            state: InTurn::of_this_thread(State {
                nodes,
                recording: Default::default(),
                finalized: false,
            }),
            times: OnceLock::new(),
            graph_dump: OnceLock::new(),
        }
    }

    /// The context of the buffer.
    pub fn context(&self) -> &Arc<B::Context> {
        &self.context
    }

    /// The device that it runs on.
    pub fn device(&self) -> &Arc<B::Device> {
        &self.device
    }

    /// What the client asked for.
    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// Where runs note when each command ran, if anybody wants to know. Known when the buffer is finalized.
    pub fn times(&self) -> Option<&Arc<CommandTimings>> {
        self.times.get()
    }

    /// What was built of the commands, at the end.
    pub fn recording_mut(&mut self) -> &mut RecordingOf<B> {
        &mut self.state.get_mut().recording
    }

    /// What the ABI calls a run of it.
    pub fn command_type(&self) -> CommandType {
        self.command_type
    }

    /// Checks that the commands can run on a queue.
    pub(crate) fn check_queue(&self, queue: &B::Queue) -> UrResult<()> {
        let wrong = |words: &str| Err(crate::error!(ERROR_INVALID_QUEUE: "{words}"));
        if !Arc::ptr_eq(queue.device(), &self.device) {
            return wrong("the queue is of another device than the commands that it is to run");
        }
        if !is_same::<B>(queue.context(), &self.context) {
            return wrong("the queue is of another context than the commands that it is to run");
        }
        Ok(())
    }

    /// The commands of a finalized buffer, which nobody changes while the guard lives.
    pub fn nodes(&self) -> UrResult<Finalized<'_, B>> {
        let state = self.lock();
        if !state.finalized {
            crate::bail!(
                ERROR_INVALID_COMMAND_BUFFER_EXP: "the command buffer must be finalized before it is enqueued"
            );
        }
        let shared = self.shared.as_deref();
        Ok(Finalized { state, shared })
    }

    /// Appends a command that waits for those of `dependencies`, and for `events`.
    ///
    /// Inlined into its callers, and the node is written where it stays, from registers: what was just written in parts is
    /// slow to read as a whole.
    #[inline(always)]
    pub(super) fn append(
        &self,
        buffer: &Arc<B::CommandBuffer>,
        command: Command<'_, B>,
        dependencies: &[ExpCommandBufferSyncPoint],
        events: WaitList<'_, B>,
        wanted: Wanted,
    ) -> UrResult<Appended<B>> {
        const { assert!(size_of::<Node<B>>() <= 80, "there are many nodes") };
        if wanted.handle && !self.settings.updatable {
            return Err(invalid(
                "there are no handles of commands, since the buffer is not updatable",
            ));
        }
        let command_type = command.command_type();
        // Not `open`: a guard that is returned beside an error goes through memory.
        let mut guard = self.lock();
        let state = &mut *guard;
        if state.finalized {
            return Err(closed());
        }
        let dependencies = self.places(state, dependencies)?;
        let (event, rare) = match wanted.event || !events.is_empty() {
            true => {
                let (event, rare) = RareParts::<B>::new(buffer, command_type, events, wanted)?;
                (event, Some(Box::new(rare)))
            }
            false => (None, None),
        };
        let place = state.nodes.len();
        let point = u32::try_from(place).map_err(|_| ResultCode::ERROR_OUT_OF_RESOURCES)?;
        let handle = match wanted.handle {
            true => Some(BufferCommand::new(buffer, place)),
            false => None,
        };
        let appended = Appended {
            point,
            event,
            handle: handle.as_ref().map(handle_of),
        };
        let is_common = handle.is_none() && rare.is_none();
        let vacant = vacant(&mut state.nodes);
        vacant.fill(Node {
            command: command.reborrow().into_owned()?,
            dependencies,
            handle,
            rare,
        });
        let is_recorded = is_common && buffer.record(&mut state.recording, &state.nodes, command);
        if !is_recorded && let Err(error) = buffer.append(&mut state.recording, &state.nodes) {
            let refused = state.nodes.pop();
            drop(guard);
            drop(refused);
            return Err(error);
        }
        Ok(appended)
    }

    /// Prepares for a function of the client's that appends to the driver's command buffer, or to `child`.
    pub(super) fn begin_native(
        &self,
        buffer: &Arc<B::CommandBuffer>,
        child: Option<&Arc<B::CommandBuffer>>,
        after: &[ExpCommandBufferSyncPoint],
    ) -> UrResult<()> {
        if child.is_some_and(|child| Arc::ptr_eq(child, buffer)) {
            return Err(invalid("a command buffer cannot be its own child"));
        }
        let state = self.open()?;
        let dependencies = self.places(&state, after)?;
        buffer.begin_native_command(child, &state.nodes, &dependencies)
    }

    /// The function has returned: appends what stands for it, or else all commands of `child` and one that is complete when
    /// they are. Returns the sync point.
    pub(super) fn end_native(
        &self,
        buffer: &Arc<B::CommandBuffer>,
        child: Option<&Arc<B::CommandBuffer>>,
        after: &[ExpCommandBufferSyncPoint],
    ) -> UrResult<ExpCommandBufferSyncPoint> {
        let mut state = self.open()?;
        let dependencies = self.places(&state, after)?;
        match buffer.end_native_command(child, &state.nodes, &dependencies)? {
            NativeCommand::Appended => {
                let point = u32::try_from(state.nodes.len()).map_err(|_| ResultCode::ERROR_OUT_OF_RESOURCES)?;
                state.nodes.push(Node {
                    rare: Some(Box::new(RareParts {
                        native: true,
                        ..Default::default()
                    })),
                    ..Node::new(OwnedCommand::Wait, dependencies)
                });
                return Ok(point);
            }
            NativeCommand::Child => drop(state),
        }
        let commands = match child {
            None => Vec::new(),
            Some(child) => {
                let child = child.commands();
                let copies = child.copies(&child.lock().nodes)?;
                if copies.iter().any(Node::is_native) {
                    crate::bail!(ERROR_UNSUPPORTED_FEATURE: "the child has native commands, which cannot be copied");
                }
                copies
            }
        };
        let mut state = self.open()?;
        let roots = self.places(&state, after)?;
        let before = state.nodes.len();
        let point = splice(&mut state.nodes, commands, roots)?;
        let State { nodes, recording, .. } = &mut *state;
        if let Err(error) = (before..nodes.len()).try_for_each(|last| buffer.append(recording, &nodes[..=last])) {
            let refused = nodes.split_off(before);
            drop(state);
            drop(refused);
            return Err(error);
        }
        Ok(point)
    }

    /// Tells the command buffer of all commands, as if they came now.
    pub(crate) fn append_all(&self, buffer: &B::CommandBuffer) -> UrResult<()> {
        let State { nodes, recording, .. } = &mut *self.lock();
        let nodes = all(nodes, self.shared.as_deref());
        (0..nodes.len()).try_for_each(|last| buffer.append(recording, &nodes[..=last]))
    }

    /// Copies of commands, which stay as they are when these are updated.
    fn copies(&self, nodes: &[Node<B>]) -> UrResult<Vec<Node<B>>> {
        let copy = |node: &Node<B>| match node.is_updatable() {
            true => Ok(Node {
                command: node.command.detached()?,
                ..node.copy()
            }),
            false => Ok(node.copy()),
        };
        nodes.iter().map(copy).collect()
    }

    /// Copies of all commands of a finalized buffer, for a graph that they become part of.
    pub(crate) fn for_graph(&self) -> UrResult<Vec<Node<B>>> {
        let nodes = self.nodes()?;
        if nodes.iter().any(Node::is_native) {
            return Err(unsupported_in_capture(
                "the command buffer has native commands, which no graph of the kit's can have",
            ));
        }
        if nodes
            .iter()
            .any(|node| !node.events().is_empty() || node.signal().is_some())
        {
            crate::bail!(
                ERROR_GRAPH_CAPTURE_UNSUPPORTED:
                    "commands of the command buffer wait for events outside of it or signal some, which those of a \
                     graph cannot"
            );
        }
        self.copies(&nodes)
    }

    /// The commands, for a caller that may call the adapter while it has them.
    #[inline]
    pub(super) fn lock(&self) -> InTurnGuard<'_, State<B>> {
        hold::<B, _>(&self.state)
    }

    fn open(&self) -> UrResult<InTurnGuard<'_, State<B>>> {
        let state = self.lock();
        match state.finalized {
            true => Err(closed()),
            false => Ok(state),
        }
    }

    /// What a new command waits for.
    #[inline(always)]
    fn places(&self, state: &State<B>, after: &[ExpCommandBufferSyncPoint]) -> UrResult<Places> {
        let count = state.nodes.len();
        if !after.is_empty() {
            let after = sync_points(after, count)?;
            if !self.settings.in_order {
                return Ok(after);
            }
        }
        Ok(match count.checked_sub(1) {
            Some(last) if self.settings.in_order => Places::one(last as u32),
            _ => Places::default(),
        })
    }

    /// Closes the buffer for commands.
    pub(crate) fn finalize(&self, buffer: &B::CommandBuffer) -> UrResult<()> {
        let mut state = self.lock();
        if state.finalized {
            return Err(invalid("the command buffer is finalized already"));
        }
        let State {
            nodes,
            recording,
            finalized,
        } = &mut *state;
        let nodes = all(nodes, self.shared.as_deref());
        if self.settings.profiled || graph_dump::wanted() {
            self.times.get_or_init(|| Arc::new(CommandTimings::new(nodes.len())));
        }
        buffer.finalize(recording, nodes)?;
        *finalized = true;
        if let Some(graph_dump) = self.times().and_then(|times| GraphDump::new(nodes, times)) {
            _ = self.graph_dump.set(graph_dump);
        }
        Ok(())
    }
}

/// Room for a command behind others, which are many. Make the command last, after all that can fail: one that may yet have to be
/// dropped is built elsewhere, and moved here.
#[inline(always)]
pub(crate) fn vacant<B: Backend>(nodes: &mut Vec<Node<B>>) -> Vacant<'_, B> {
    if nodes.len() == nodes.capacity() {
        grow(nodes);
    }
    Vacant(nodes)
}

/// A list of commands that has room for one more.
pub(crate) struct Vacant<'a, B: Backend>(&'a mut Vec<Node<B>>);

impl<B: Backend> Vacant<'_, B> {
    /// Writes a command where it stays.
    #[inline(always)]
    pub(crate) fn fill(self, node: Node<B>) {
        let place = self.0.len();
        // SAFETY: there is room behind the others, and the command is written there.
        unsafe {
            self.0.as_mut_ptr().add(place).write(node);
            self.0.set_len(place + 1);
        }
    }
}

/// Makes room for more commands. To grow from a few one at a time costs more than to append.
#[cold]
#[inline(never)]
fn grow<B: Backend>(nodes: &mut Vec<Node<B>>) {
    let count = nodes.len();
    nodes.reserve(MANY_COMMANDS.saturating_sub(count).max(1));
}

/// The places that sync points stand for in a buffer of `count` commands.
#[inline(never)]
fn sync_points(points: &[ExpCommandBufferSyncPoint], count: usize) -> UrResult<Places> {
    if let Some(unknown) = points.iter().find(|point| **point as usize >= count) {
        crate::bail!(
            ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_EXP:
                "there is no sync point {unknown}: the buffer has {count} commands"
        );
    }
    if let [point] = points {
        return Ok(Places::one(*point));
    }
    let mut places = SmallVec::from_slice(points);
    sort(&mut places);
    Ok(Places::new(&places))
}

/// Brings the places that a command waits for in order, each once.
pub(crate) fn sort(places: &mut SmallVec<[u32; 2]>) {
    if places.len() > 1 {
        places.sort_unstable();
        places.dedup();
    }
}

/// Appends commands to others. Those that wait for none of their own wait for `roots`. Returns the place of a command that
/// does nothing, and is complete when all of them are.
pub(crate) fn splice<B: Backend>(nodes: &mut Vec<Node<B>>, commands: Vec<Node<B>>, roots: Places) -> UrResult<u32> {
    let base = u32::try_from(nodes.len()).map_err(|_| ResultCode::ERROR_OUT_OF_RESOURCES)?;
    let mut leaf = vec![true; commands.len()];
    for mut command in commands {
        for place in &mut *command.dependencies {
            leaf[*place as usize] = false;
            *place += base;
        }
        if command.dependencies.is_empty() {
            command.dependencies = roots.clone();
        }
        nodes.push(command);
    }
    let leaves: SmallVec<[u32; 2]> = (base..)
        .zip(leaf)
        .filter(|(_, leaf)| *leaf)
        .map(|(place, _)| place)
        .collect();
    let after = if leaves.is_empty() { roots } else { Places::new(&leaves) };
    nodes.push(Node::new(OwnedCommand::Wait, after));
    Ok(nodes.len() as u32 - 1)
}

impl<B: Backend> RareParts<B> {
    /// Those of a new command, and the event that it signals.
    #[cold]
    #[inline(never)]
    fn new(
        buffer: &B::CommandBuffer,
        command: CommandType,
        events: WaitList<'_, B>,
        wanted: Wanted,
    ) -> UrResult<(Option<Arc<B::Event>>, Self)> {
        let signal = match wanted.event {
            true => Some(SignalOf::<B>::create(buffer, command)?),
            false => None,
        };
        let (event, signal) = signal.unzip();
        if !events.is_empty() {
            check_events(events)?;
        }
        let rare = Self {
            events: events.iter().map(|event| Arc::clone(&event)).collect(),
            signal,
            native: false,
        };
        Ok((event, rare))
    }
}

impl<B: Backend> Node<B> {
    pub(crate) fn new(command: OwnedCommand<B>, dependencies: Places) -> Self {
        Self {
            command,
            dependencies,
            handle: None,
            rare: None,
        }
    }

    /// The places in the buffer of the commands that it waits for. They are all before it.
    #[inline]
    pub fn dependencies(&self) -> &[u32] {
        &self.dependencies
    }

    /// Events from outside that it waits for in each run.
    #[inline]
    pub fn events(&self) -> &[Arc<B::Event>] {
        self.rare.as_ref().map_or(&[], |rare| &rare.events)
    }

    /// What the next run signals when the command is complete.
    #[inline]
    pub fn signal(&self) -> Option<&SignalOf<B>> {
        self.rare.as_ref()?.signal.as_ref()
    }

    /// Whether it stands for what a function of the client's appended to the driver's command buffer
    /// ([`NativeCommand::Appended`]). Its command then does nothing.
    #[inline]
    pub fn is_native(&self) -> bool {
        self.rare.as_ref().is_some_and(|rare| rare.native)
    }

    /// Whether it waits for no event, signals none, and does what its command says.
    #[inline]
    pub fn is_common(&self) -> bool {
        self.rare.is_none()
    }

    /// Whether there is anything to drop.
    #[inline(always)]
    pub(super) fn owns(&self) -> bool {
        let in_command = match &self.command {
            OwnedCommand::Wait | OwnedCommand::UsmMemcpy { .. } => false,
            OwnedCommand::UsmFill { pattern, .. } => pattern.is_long(),
            _ => true,
        };
        in_command || self.dependencies.is_long() || self.handle.is_some() || self.rare.is_some()
    }

    /// Whether the client can change it.
    pub fn is_updatable(&self) -> bool {
        self.handle.is_some()
    }

    /// The same command of another buffer. What it signals is signalled once, by the first run of either.
    pub(crate) fn copy(&self) -> Self {
        Self {
            rare: self.rare.clone(),
            ..Self::new(self.command.clone(), self.dependencies.clone())
        }
    }
}

#[cold]
fn closed() -> UrError {
    invalid("the command buffer is finalized: nothing can be appended")
}

#[cold]
pub(super) fn invalid(words: &str) -> UrError {
    crate::error!(ERROR_INVALID_OPERATION: "{words}")
}
