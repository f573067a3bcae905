// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Capture: queues whose commands become part of a graph instead of being run.
//!
//! A [`Session`] is one capture, from the call that begins it to the one that ends it. The queue of these calls is its
//! origin. Another queue joins it, as a fork, by waiting for the event of a command that it captured, and must come
//! back: what a fork has captured is in vain unless a command of the origin waits for it, directly or not. The events of
//! captured commands are objects of their own, [`CapturedEvent`], since they never come to be.
//!
//! Each queue has a [`Capture`], by which entry points know whether to run or to [`record`] a command. All of this is for
//! adapters whose graphs are [`SoftwareGraph`]s; queues of others have no [`Capture`].

use std::mem::take;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use derive_where::derive_where;
use oxur_api::*;
use oxur_fork::{InTurn, InTurnGuard};
use smallvec::{SmallVec, smallvec};

use crate::command::trace::trace;
use crate::command_buffer::{Places, hold, sort, splice, vacant};
use crate::context::is_same;
use crate::graph::{CapturedGraph, Graph, SoftwareGraph};
use crate::handle::{self, HandleKind, export, export_owned, handle_of, object};
use crate::table::entry_points;
use crate::{
    Backend, Command, CommandBuffer, Context, Event, HandleCell, InfoOut, Node, Object, OwnedCommand, Queue, UrError,
    UrResult, args, entry, unsupported,
};

/// What a queue knows of the capture that it takes part in.
#[derive_where(Default)]
pub struct Capture<B: Backend> {
    active: AtomicBool,
    part: InTurn<Option<CaptureMembership<B>>>,
}

/// The part that a queue has in a capture: the number of its branch. The origin's is zero.
struct CaptureMembership<B: Backend> {
    session: Arc<Session<B>>,
    branch: usize,
}

impl<B: Backend> Capture<B> {
    /// Whether commands of the queue are recorded.
    #[inline(always)]
    pub fn is_active(&self) -> bool {
        self.active.load(Ordering::Relaxed)
    }

    #[cold]
    fn refuse(&self, what: &str) -> UrResult<()> {
        if let Some(part) = &*hold::<B, _>(&self.part) {
            hold::<B, _>(&part.session.state).invalidated = true;
        }
        Err(unsupported_in_capture(format!(
            "{what} has no place in a graph, and the queue captures one"
        )))
    }

    /// Begins a capture into a graph, which `own` says was made for it.
    pub(crate) fn begin(queue: &Arc<B::Queue>, graph: Arc<SoftwareGraph<B>>, own: bool) -> UrResult<()> {
        let Some(capture) = queue.capture() else {
            return unsupported();
        };
        let mut part = hold::<B, _>(&capture.part);
        if part.is_some() {
            crate::bail!(
                ERROR_INVALID_OPERATION: "the queue captures already: urQueueEndGraphCaptureExp must end that first"
            );
        }
        let state = Arc::new(InTurn::of_this_thread(State {
            over: false,
            branches: smallvec![Branch::of(queue)],
            ..State::default()
        }));
        let first = graph.begin(queue, &state)?;
        let session = Arc::new(Session {
            graph,
            own,
            first,
            device: queue.device().clone(),
            state,
        });
        *part = Some(CaptureMembership { session, branch: 0 });
        capture.active.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// The graph that the queue captures into.
    pub(crate) fn graph(&self) -> Option<Arc<SoftwareGraph<B>>> {
        hold::<B, _>(&self.part).as_ref().map(|part| part.session.graph.clone())
    }

    /// Ends the capture that the queue began.
    pub(crate) fn end(queue: &Arc<B::Queue>) -> UrResult<CapturedGraph<SoftwareGraph<B>>> {
        let Some(capture) = queue.capture() else {
            return unsupported();
        };
        let mut part = hold::<B, _>(&capture.part);
        let Some(CaptureMembership { session, .. }) = part.take_if(|part| part.branch == 0) else {
            let why = match *part {
                Some(_) => "a capture ends on the queue that it began on, which this one only joined",
                None => "the queue does not capture",
            };
            crate::bail!(ERROR_COMMAND_LIST_NOT_CAPTURING: "{why}");
        };
        capture.active.store(false, Ordering::Relaxed);
        drop(part);
        session.end()?;
        let graph = session.graph.clone();
        Ok(match session.own {
            true => CapturedGraph::New(graph),
            false => CapturedGraph::Given(graph),
        })
    }

    /// A session has ended that the queue may be a fork of.
    fn leave(&self, session: &Arc<Session<B>>) {
        let mut part = hold::<B, _>(&self.part);
        if part.take_if(|part| Arc::ptr_eq(&part.session, session)).is_some() {
            self.active.store(false, Ordering::Relaxed);
        }
    }
}

impl<B: Backend> Drop for Capture<B> {
    fn drop(&mut self) {
        // Nobody else can end it.
        if let Some(CaptureMembership { session, branch: 0 }) = self.part.get_mut().take() {
            hold::<B, _>(&session.state).invalidated = true;
            _ = session.end();
        }
    }
}

/// A capture.
struct Session<B: Backend> {
    graph: Arc<SoftwareGraph<B>>,
    /// Whether the graph was made for it.
    own: bool,
    /// How many commands the graph had before.
    first: usize,
    device: Arc<B::Device>,
    state: Arc<InTurn<State<B>>>,
}

/// What was captured so far, which the graph knows, too.
pub(crate) struct State<B: Backend> {
    over: bool,
    /// Something had no place in the graph: there will be none.
    invalidated: bool,
    /// All commands of the graph.
    pub(crate) nodes: Vec<Node<B>>,
    /// The queues that take part, the origin first.
    branches: SmallVec<[Branch<B>; 1]>,
    /// The places of the commands that are not the origin's.
    others: Vec<u32>,
    /// The last run of each command buffer in the graph: runs of one are one after the other.
    runs: Vec<(Arc<B::CommandBuffer>, u32)>,
}

/// Of a capture that is over: what a child of `fork` finds that nobody can end.
impl<B: Backend> Default for State<B> {
    fn default() -> Self {
        Self {
            over: true,
            invalidated: false,
            nodes: Vec::new(),
            branches: SmallVec::new(),
            others: Vec::new(),
            runs: Vec::new(),
        }
    }
}

/// What a queue has recorded, as far as its next commands may have to wait for it.
struct Branch<B: Backend> {
    queue: Weak<B::Queue>,
    /// What all commands wait for that come: the last one of an in-order queue, or the last barrier.
    base: Option<u32>,
    /// Commands for which no others of the queue wait. If there are some, the last barrier is one or before one.
    ends: Vec<u32>,
}

impl<B: Backend> Branch<B> {
    fn of(queue: &Arc<B::Queue>) -> Self {
        Self {
            queue: Arc::downgrade(queue),
            base: None,
            ends: Vec::new(),
        }
    }
}

/// Whether the kit records the commands of a queue.
#[inline(always)]
pub(crate) fn is_active<B: Backend>(queue: &B::Queue) -> bool {
    queue.capture().is_some_and(Capture::is_active)
}

/// Checks that a queue does not capture, for what has no place in a graph. `what` it is, for the log.
#[inline(always)]
pub(crate) fn check_idle<B: Backend>(queue: &B::Queue, what: &str) -> UrResult<()> {
    match queue.capture() {
        Some(capture) if capture.is_active() => capture.refuse(what),
        _ => Ok(()),
    }
}

/// What is recorded.
pub(crate) enum Recorded<'a, B: Backend> {
    /// A command.
    Command(Command<'a, B>),
    /// A run of a command buffer, as it is now.
    Run(&'a Arc<B::CommandBuffer>),
}

impl<'a, B: Backend> From<Command<'a, B>> for Recorded<'a, B> {
    #[inline(always)]
    fn from(command: Command<'a, B>) -> Self {
        Self::Command(command)
    }
}

/// What the graph gets of it.
enum Owned<B: Backend> {
    Command(OwnedCommand<B>),
    /// All commands of the buffer.
    Run(Arc<B::CommandBuffer>, Vec<Node<B>>),
}

/// Checks that a command does not block, for one that is recorded.
pub(crate) fn reject_blocking(blocking: bool) -> UrResult<()> {
    if blocking {
        return Err(unsupported_in_capture(
            "a command that blocks cannot be captured: it would block forever",
        ));
    }
    Ok(())
}

pub(crate) fn unsupported_in_capture(words: impl std::fmt::Display) -> UrError {
    crate::error!(ERROR_GRAPH_CAPTURE_UNSUPPORTED: "{words}")
}

/// The wait list of a command that is recorded.
struct Waits<B: Backend> {
    captured: SmallVec<[Arc<CapturedEvent<B>>; 4]>,
    /// Whether all others are complete.
    others_are_over: bool,
}

impl<B: Backend> Waits<B> {
    /// # Safety
    /// As [`WaitList::new`](crate::WaitList::new).
    unsafe fn new((count, events): (u32, *const EventHandle)) -> UrResult<Self> {
        let mut waits = Self {
            captured: SmallVec::new(),
            others_are_over: true,
        };
        // SAFETY: passed on to the caller.
        for &handle in unsafe { args::slice(events, count as usize) }? {
            // SAFETY: passed on to the caller.
            if let Ok(event) = unsafe { object::<CapturedEvent<B>>(handle) } {
                waits.captured.push(event.clone());
                continue;
            }
            // SAFETY: passed on to the caller.
            let event = unsafe { object::<B::Event>(handle) }
                .map_err(|error| error.with_code(ResultCode::ERROR_INVALID_EVENT_WAIT_LIST))?;
            waits.others_are_over &= is_over::<B>(&event)?;
        }
        Ok(waits)
    }

    /// The capture that a command with this list is part of, on a queue that may have a part in one already.
    fn session(&self, part: Option<&CaptureMembership<B>>) -> UrResult<Arc<Session<B>>> {
        let mut found = part.map(|part| &part.session);
        for event in &self.captured {
            if hold::<B, _>(&event.session.state).over {
                crate::bail!(ERROR_GRAPH_INTERNAL_EVENT: "the capture is over that an event of the wait list is of");
            }
            match found {
                Some(session) if !Arc::ptr_eq(session, &event.session) => {
                    crate::bail!(
                        ERROR_GRAPH_CAPTURE_MERGE_ATTEMPT:
                            "the command would make one of two captures that were begun apart"
                    );
                }
                _ => found = Some(&event.session),
            }
        }
        found.cloned().ok_or_else(|| {
            crate::error!(
                ERROR_COMMAND_LIST_NOT_CAPTURING: "the capture ended while the command was about to be recorded"
            )
        })
    }
}

/// Whether the command of an event is complete.
pub(crate) fn is_over<B: Backend>(event: &B::Event) -> UrResult<bool> {
    let mut status = EventStatus::QUEUED;
    // SAFETY: a place of that size.
    let out = unsafe { InfoOut::new(size_of_val(&status), (&raw mut status).cast(), null_mut()) }?;
    event.info(EventInfo::COMMAND_EXECUTION_STATUS, out)?;
    Ok(status == EventStatus::COMPLETE)
}

/// Whether a command is to be recorded: its queue captures, or it waits for a command that was captured.
///
/// # Safety
/// As [`WaitList::new`](crate::WaitList::new).
#[inline(always)]
pub(crate) unsafe fn joins_capture<B: Backend>(queue: &Arc<B::Queue>, count: u32, events: *const EventHandle) -> bool {
    let Some(capture) = queue.capture() else {
        return false;
    };
    // SAFETY: passed on to the caller.
    capture.is_active() || (count != 0 && unsafe { has_captured::<B>(count, events) })
}

/// # Safety
/// As [`joins_capture`].
#[inline(never)]
unsafe fn has_captured<B: Backend>(count: u32, events: *const EventHandle) -> bool {
    // SAFETY: passed on to the caller.
    let captured = |event: &EventHandle| unsafe { handle::is::<CapturedEvent<B>>(*event) };
    // SAFETY: as above.
    unsafe { args::slice(events, count as usize) }.is_ok_and(|events| events.iter().any(captured))
}

/// Makes a command part of the capture that its queue takes part in, or joins by it. What is wrong with the capture comes
/// before what is wrong with the command.
///
/// # Safety
/// As the C functions of commands.
#[inline(always)]
pub(crate) unsafe fn record<'a, B: Backend>(
    queue: &Arc<B::Queue>,
    list: (u32, *const EventHandle),
    event: *mut EventHandle,
    recorded: UrResult<Recorded<'a, B>>,
) -> UrResult<()> {
    if let Ok(Recorded::Command(command)) = &recorded
        && list.0 == 0
        && event.is_null()
        && record_next::<B>(queue, command.reborrow()).is_some()
    {
        return Ok(());
    }
    // SAFETY: passed on to the caller.
    unsafe { record_any(queue, list, event, recorded) }
}

/// The way of most commands: they come after the last one of an in-order queue that takes part already. `None` if the command
/// has another way, or there is something to complain of: saying so is for [`record_any`].
///
/// Inlined, and the node is written where it stays, as in [`CommandList::append`](crate::CommandList).
#[inline(always)]
fn record_next<B: Backend>(queue: &Arc<B::Queue>, command: Command<'_, B>) -> Option<()> {
    if !queue.is_in_order() || matches!(command, Command::Wait | Command::Barrier { .. }) {
        return None;
    }
    let part = hold::<B, _>(&queue.capture()?.part);
    let CaptureMembership { session, branch } = part.as_ref()?;
    let context = session.graph.context();
    context.check_command(&session.device, &command.reborrow()).ok()?;
    trace("captures", queue, &command);
    let mut state = session.open().ok()?;
    let state = &mut *state;
    let place = u32::try_from(state.nodes.len()).ok()?;
    let room = vacant(&mut state.nodes);
    let command = command.into_owned().ok()?;
    let before = state.branches[*branch].base.replace(place);
    let dependencies = before.map_or_else(Places::default, Places::one);
    room.fill(Node::new(command, dependencies));
    if *branch != 0 {
        state.others.push(place);
    }
    Some(())
}

/// # Safety
/// As [`record`].
#[inline(never)]
unsafe fn record_any<B: Backend>(
    queue: &Arc<B::Queue>,
    list: (u32, *const EventHandle),
    event: *mut EventHandle,
    recorded: UrResult<Recorded<'_, B>>,
) -> UrResult<()> {
    // SAFETY: passed on to the caller.
    let waits = unsafe { Waits::<B>::new(list) }?;
    let Some(capture) = queue.capture() else {
        return unsupported();
    };
    let mut part = hold::<B, _>(&capture.part);
    let session = waits.session(part.as_ref())?;
    let recorded = session.record(queue, (capture, &mut part), &waits, recorded);
    if let Err(error) = &recorded
        && error.code() == ResultCode::ERROR_GRAPH_CAPTURE_UNSUPPORTED
    {
        hold::<B, _>(&session.state).invalidated = true;
    }
    let (place, command) = recorded?;
    if !event.is_null() {
        let handle_cell = HandleCell::new();
        let captured = CapturedEvent {
            handle_cell,
            session,
            place,
            command,
        };
        // SAFETY: the caller vouches for the place.
        unsafe { event.write(export_owned(Arc::new(captured))) };
    }
    Ok(())
}

impl<B: Backend> Session<B> {
    /// The state, as long as commands can be captured.
    fn open(&self) -> UrResult<InTurnGuard<'_, State<B>>> {
        let state = hold::<B, _>(&self.state);
        if state.over || state.invalidated {
            crate::bail!(ERROR_GRAPH_CAPTURE_INVALIDATED: "the capture failed before: it can only be ended");
        }
        Ok(state)
    }

    /// The command, if it can be captured in this queue.
    fn checked(
        &self,
        queue: &Arc<B::Queue>,
        waits: &Waits<B>,
        recorded: UrResult<Recorded<'_, B>>,
    ) -> UrResult<Owned<B>> {
        if !Arc::ptr_eq(queue.device(), &self.device) || !is_same::<B>(queue.context(), self.graph.context()) {
            return Err(unsupported_in_capture(
                "all queues of a capture are of one context and one device",
            ));
        }
        if !waits.others_are_over {
            return Err(unsupported_in_capture(
                "a captured command can wait only for others of the same capture, or for what is complete already",
            ));
        }
        Ok(match recorded? {
            Recorded::Command(command) => {
                self.graph.context().check_command(&self.device, &command)?;
                trace("captures", queue, &command);
                Owned::Command(command.into_owned()?)
            }
            Recorded::Run(buffer) => Owned::Run(buffer.clone(), buffer.commands().for_graph()?),
        })
    }

    /// Records a command of a queue. Returns its place, and what it is for its event.
    fn record(
        self: &Arc<Self>,
        queue: &Arc<B::Queue>,
        (capture, part): (&Capture<B>, &mut Option<CaptureMembership<B>>),
        waits: &Waits<B>,
        recorded: UrResult<Recorded<'_, B>>,
    ) -> UrResult<(u32, CommandType)> {
        let recorded = self
            .checked(queue, waits, recorded)
            .map_err(|error| self.open().err().unwrap_or(error))?;
        let mut state = self.open()?;
        let branch = match part {
            Some(part) => part.branch,
            None => {
                state.branches.push(Branch::of(queue));
                let branch = state.branches.len() - 1;
                let session = self.clone();
                *part = Some(CaptureMembership { session, branch });
                capture.active.store(true, Ordering::Relaxed);
                branch
            }
        };
        let list = waits.captured.iter().map(|event| event.place);
        state.append(branch, queue.is_in_order(), recorded, list)
    }

    /// Ends it for all queues.
    fn end(self: &Arc<Self>) -> UrResult<()> {
        // The graph's lock comes before that of the state.
        let is_destroyed = self.graph.is_destroyed();
        let mut state = hold::<B, _>(&self.state);
        state.over = true;
        let result = if state.invalidated {
            Err(crate::error!(
                ERROR_GRAPH_CAPTURE_INVALIDATED: "something was asked for that has no place in a graph: there is none"
            ))
        } else if is_destroyed {
            Err(crate::error!(ERROR_GRAPH_CAPTURE_INVALIDATED: "the graph was destroyed during the capture"))
        } else if !state.is_joined(self.first) {
            Err(crate::error!(
                ERROR_GRAPH_UNJOINED_FORKS:
                    "other queues captured commands that none of the queue where the capture began waits for"
            ))
        } else {
            Ok(())
        };
        let branches = take(&mut state.branches);
        let runs = take(&mut state.runs);
        let nodes = take(&mut state.nodes);
        drop(state);
        drop(runs);
        for queue in branches.iter().filter_map(|branch| branch.queue.upgrade()) {
            if let Some(capture) = queue.capture() {
                capture.leave(self);
            }
        }
        self.graph.end(nodes, result.is_err(), self.first);
        result
    }
}

impl<B: Backend> State<B> {
    /// Records a command of a branch that waits for those of `list`.
    fn append(
        &mut self,
        branch: usize,
        in_order: bool,
        recorded: Owned<B>,
        list: impl ExactSizeIterator<Item = u32>,
    ) -> UrResult<(u32, CommandType)> {
        let of_origin = branch == 0;
        let (branch, nodes) = (&mut self.branches[branch], &mut self.nodes);
        let first = nodes.len() as u32;
        let (mark, barrier) = match &recorded {
            Owned::Command(OwnedCommand::Wait) => (true, false),
            Owned::Command(OwnedCommand::Barrier { .. }) => (true, true),
            _ => (false, false),
        };
        let all = mark && list.len() == 0;
        let mut after: SmallVec<[u32; 2]> = if all && !branch.ends.is_empty() {
            branch.ends.iter().copied().collect()
        } else {
            list.chain(branch.base).collect()
        };
        let (command, command_type) = match recorded {
            Owned::Run(buffer, commands) => {
                let command_type = buffer.commands().command_type();
                let last = self.runs.iter_mut().find(|(known, _)| Arc::ptr_eq(known, &buffer));
                after.extend(last.as_ref().map(|(_, place)| *place));
                sort(&mut after);
                let place = splice(nodes, commands, Places::new(&after))?;
                match last {
                    Some((_, last)) => *last = place,
                    None => self.runs.push((buffer, place)),
                }
                (None, command_type)
            }
            Owned::Command(command) => {
                let command_type = command.command_type();
                // The commands after a barrier are known to wait for it.
                let command = if barrier { OwnedCommand::Wait } else { command };
                (Some(command), command_type)
            }
        };
        sort(&mut after);
        let place = nodes.len() - usize::from(command.is_none());
        let place = u32::try_from(place).map_err(|_| ResultCode::ERROR_OUT_OF_RESOURCES)?;
        if all {
            branch.ends.clear();
        } else if !after.is_empty() {
            branch.ends.retain(|end| after.binary_search(end).is_err());
        }
        if in_order || barrier {
            branch.base = Some(place);
        }
        // All that come wait for it: they need not look for it.
        let closes = in_order || barrier && all;
        if !closes {
            branch.ends.push(place);
        }
        if let Some(command) = command {
            nodes.push(Node::new(command, Places::new(&after)));
        }
        if !of_origin {
            self.others.extend(first..nodes.len() as u32);
        }
        Ok((place, command_type))
    }

    /// Whether commands of the origin wait for all others from `first` on, directly or not.
    fn is_joined(&self, first: usize) -> bool {
        if self.others.is_empty() {
            return true;
        }
        let mut reached = vec![true; self.nodes.len() - first];
        for place in &self.others {
            reached[*place as usize - first] = false;
        }
        // Who waits comes behind.
        for (place, node) in self.nodes[first..].iter().enumerate().rev() {
            if !reached[place] {
                return false;
            }
            for before in node.dependencies() {
                reached[*before as usize - first] = true;
            }
        }
        true
    }
}

/// The event of a command that was captured. It stands for its place in the graph, for others to wait for.
pub(crate) struct CapturedEvent<B: Backend> {
    handle_cell: HandleCell,
    session: Arc<Session<B>>,
    place: u32,
    command: CommandType,
}

impl<B: Backend> Object for CapturedEvent<B> {
    type Handle = EventHandle;
    const TAG: u32 = u32::from_le_bytes(*b"cevt");

    fn handle_cell(&self) -> &HandleCell {
        &self.handle_cell
    }
}

const _: () = assert!(u32::from_le_bytes(*b"cevt") != EventHandle::TAG);

impl<B: Backend> CapturedEvent<B> {
    /// Answers `urEventGetInfo`.
    pub(crate) fn info(&self, query: EventInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            EventInfo::REFERENCE_COUNT => out.references(self),
            EventInfo::COMMAND_TYPE => out.value(self.command),
            EventInfo::CONTEXT => out.handle(self.session.graph.context()),
            // It never gets further. libsycl asks, and leaves what is complete out of wait lists.
            EventInfo::COMMAND_EXECUTION_STATUS => out.value(EventStatus::QUEUED),
            _ => Err(crate::error!(
                ERROR_GRAPH_INTERNAL_EVENT:
                    "the command of the event was captured and does not run by itself: it has no {query:?}"
            )),
        }
    }
}

entry! {
    fn urQueueBeginGraphCaptureExp<B>(queue: QueueHandle) {
        let queue = object::<B::Queue>(queue)?;
        B::Graph::begin_capture(&queue, None)
    }

    fn urQueueBeginCaptureIntoGraphExp<B>(queue: QueueHandle, graph: ExpGraphHandle) {
        let queue = object::<B::Queue>(queue)?;
        let graph = object::<B::Graph>(graph)?;
        B::Graph::begin_capture(&queue, Some(&graph))
    }

    fn urQueueEndGraphCaptureExp<B>(queue: QueueHandle, graph: *mut ExpGraphHandle) {
        let queue = object::<B::Queue>(queue)?;
        let out = args::out(graph)?;
        out.write(match B::Graph::end_capture(&queue)? {
            CapturedGraph::New(graph) => export(&graph),
            CapturedGraph::Given(graph) => handle_of(&graph),
        });
        Ok(())
    }

    fn urQueueIsGraphCaptureEnabledExp<B>(queue: QueueHandle, result: *mut bool) {
        let queue = object::<B::Queue>(queue)?;
        args::out(result)?.write(B::Graph::captured_by(&queue)?.is_some());
        Ok(())
    }

    fn urQueueGetGraphExp<B>(queue: QueueHandle, graph: *mut ExpGraphHandle) {
        let queue = object::<B::Queue>(queue)?;
        let out = args::out(graph)?;
        match B::Graph::captured_by(&queue)? {
            Some(graph) => {
                out.write(handle_of(&graph));
                Ok(())
            }
            None => {
                out.write(ExpGraphHandle::default());
                Err(crate::error!(ERROR_INVALID_OPERATION: "the queue does not capture"))
            }
        }
    }
}

oxur_api::queue_exp_functions! { entry_points {} }
