// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Command buffers for adapters whose driver has none: a run submits the commands to the queue one by one.
//!
//! What can be done beforehand is done: arguments are in kernels of their own, and it is known who waits for whom. An
//! in-order queue needs no events between the commands.

use std::marker::PhantomData;
use std::ptr;
use std::sync::{Arc, Weak};

use derive_where::derive_where;
use oxur_api::{EventHandle, ExpCommandBufferHandle, Handle};
use oxur_fork::{InTurn, OnceLock};
use smallvec::SmallVec;

use super::command_list::{CommandList, Node, hold};
use super::signal::{Signal, Signals};
use super::{Change, CommandBuffer};
use crate::graph_dump::TimingQuery;
use crate::handle::{self, object};
use crate::queue::is_profiled;
use crate::recycle::recycle;
use crate::{Backend, Command, EventOut, HandleCell, Object, Queue, SoftwareEvent, UrResult, WaitList};

/// A command buffer whose commands are submitted to the queue one by one.
pub struct SoftwareCommandBuffer<B: Backend> {
    handle_cell: HandleCell,
    commands: CommandList<B>,
    runs: SoftwareRuns<B>,
}

/// The runs of a command buffer whose commands are submitted to the queue one by one. An adapter whose driver runs most
/// command buffers has this for the others.
#[derive_where(Default)]
pub struct SoftwareRuns<B: Backend> {
    /// For each command whether others wait for it. Known from the first run on an out-of-order queue on.
    awaited: OnceLock<Vec<bool>>,
    last: InTurn<Option<Run<B>>>,
}

/// The last run, for which the next one waits.
struct Run<B: Backend> {
    queue: Weak<B::Queue>,
    end: Arc<B::Event>,
}

impl<B: Backend> Run<B> {
    fn new(queue: &Arc<B::Queue>, end: Arc<B::Event>) -> Self {
        let queue = Arc::downgrade(queue);
        Self { queue, end }
    }
}

/// What is kept of runs that others have come after.
struct Past<B: Backend> {
    run: Option<Run<B>>,
    times: Option<TimingQuery>,
}

impl<B: Backend> Default for Past<B> {
    fn default() -> Self {
        Self { run: None, times: None }
    }
}

impl<B: Backend> Object for SoftwareCommandBuffer<B> {
    type Handle = ExpCommandBufferHandle;

    fn handle_cell(&self) -> &HandleCell {
        &self.handle_cell
    }
}

/// Events that a run needs, which it releases.
pub(crate) struct Used<B: Backend>(SmallVec<[EventHandle; 8]>, PhantomData<B>);

impl<B: Backend> Used<B> {
    pub(crate) fn new() -> Self {
        Self(SmallVec::new(), PhantomData)
    }

    /// Where the event of a command goes.
    pub(crate) fn next(&mut self) -> EventOut<'_, B> {
        self.0.push(EventHandle::default());
        // SAFETY: the place lives as long as the borrow.
        unsafe { EventOut::new(self.0.last_mut().expect("just pushed")) }
    }

    /// As [`next`](Self::next), for a command whose event may be of no use.
    pub(crate) fn next_if(&mut self, wanted: bool) -> EventOut<'_, B> {
        if wanted { self.next() } else { EventOut::none() }
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them, to wait for.
    pub(crate) fn wait_list(&self) -> UrResult<WaitList<'_, B>> {
        list(&self.0)
    }

    /// The events.
    fn all(&self) -> UrResult<Vec<Arc<B::Event>>> {
        self.0.iter().map(Self::event).collect()
    }

    /// The event of the last command.
    pub(crate) fn last(&self) -> UrResult<Arc<B::Event>> {
        Self::event(self.0.last().expect("there is a command"))
    }

    fn event(event: &EventHandle) -> UrResult<Arc<B::Event>> {
        // SAFETY: the handle has a reference that is ours.
        unsafe { object::<B::Event>(*event) }.map(|event| Arc::clone(&event))
    }
}

impl<B: Backend> Drop for Used<B> {
    fn drop(&mut self) {
        self.0.drain(..).for_each(release::<B>);
    }
}

/// Releases an event that a run needed, if there is one.
fn release<B: Backend>(event: EventHandle) {
    if !event.is_null() {
        // SAFETY: a handle with a reference that is ours.
        let released = unsafe { handle::release_to::<B::Event>(event, recycle) };
        debug_assert!(released.is_ok());
    }
}

/// A wait list of these events, which live as long as the slice.
pub(crate) fn list<B: Backend>(events: &[EventHandle]) -> UrResult<WaitList<'_, B>> {
    if events.is_empty() {
        return Ok(WaitList::empty());
    }
    // SAFETY: a slice of live handles.
    unsafe { WaitList::new(events.len() as u32, events.as_ptr()) }
}

/// For each command whether others wait for it. Updates do not change that.
fn awaited<B: Backend>(nodes: &[Node<B>]) -> Vec<bool> {
    let mut awaited = vec![false; nodes.len()];
    for place in nodes.iter().flat_map(Node::dependencies) {
        awaited[*place as usize] = true;
    }
    awaited
}

impl<B: Backend> SoftwareRuns<B>
where
    B::Event: SoftwareEvent<B>,
    B::CommandBuffer: CommandBuffer<B, Signal = Arc<Signal<B>>>,
{
    /// On an in-order queue nobody needs to say what is after what. Returns the event of the last command, after those of
    /// the others if it is `timed`.
    fn run_in_order(
        &self,
        nodes: &[Node<B>],
        queue: &Arc<B::Queue>,
        wait: WaitList<'_, B>,
        timed: bool,
        signals: &mut Signals<'_, B>,
    ) -> UrResult<Used<B>> {
        let mut used = Used::new();
        let Some((last, others)) = nodes.split_last() else {
            queue.submit(Command::Wait, false, wait, used.next())?;
            return Ok(used);
        };
        let mut wait = wait;
        for node in others {
            let wait = std::mem::replace(&mut wait, WaitList::empty());
            signals.submit(node, wait, &mut used, timed)?;
        }
        signals.submit(last, wait, &mut used, true)?;
        Ok(used)
    }

    /// Returns the event of what waits for all commands, after theirs if it is `timed`.
    fn run_out_of_order(
        &self,
        nodes: &[Node<B>],
        queue: &Arc<B::Queue>,
        wait: WaitList<'_, B>,
        timed: bool,
        signals: &mut Signals<'_, B>,
    ) -> UrResult<Used<B>> {
        let awaited = self.awaited.get_or_init(|| awaited(nodes));
        let mut used = Used::<B>::new();
        let mut ends = SmallVec::<[EventHandle; 8]>::new();
        for (node, awaited) in nodes.iter().zip(awaited) {
            let before: SmallVec<[EventHandle; 4]> = node
                .dependencies()
                .iter()
                .map(|place| used.0[*place as usize])
                .collect();
            let wait = if before.is_empty() { wait } else { list(&before)? };
            signals.submit(node, wait, &mut used, true)?;
            if !awaited {
                ends.extend(used.0.last().copied());
            }
        }
        let ends = if ends.is_empty() { wait } else { list(&ends)? };
        queue.submit(Command::Wait, false, ends, used.next())?;
        if !timed {
            used.0.drain(..nodes.len()).for_each(release::<B>);
        }
        Ok(used)
    }

    /// Runs all commands, after those of an earlier run.
    pub fn enqueue(
        &self,
        commands: &CommandList<B>,
        queue: &Arc<B::Queue>,
        wait: WaitList<'_, B>,
        event: EventOut<'_, B>,
    ) -> UrResult<()> {
        // Dropped when the locks are: events may be all that their queues live for.
        let (mut signals, mut past) = (Signals::new(queue), Past::default());
        let nodes = commands.nodes()?;
        let mut last = hold::<B, _>(&self.last);
        let mut before: SmallVec<[EventHandle; 4]> = wait.handles().iter().copied().collect();
        // On the same in-order queue it waits anyway.
        let waits = |run: &&Run<B>| !(queue.is_in_order() && ptr::eq(run.queue.as_ptr(), Arc::as_ptr(queue)));
        before.extend(last.as_ref().filter(waits).map(|run| handle::handle_of(&run.end)));
        let wait = list(&before)?;
        // Other queues' events have no times to tell.
        let times = commands.times().filter(|_| is_profiled::<B>(queue));
        let used = if queue.is_in_order() {
            self.run_in_order(&nodes, queue, wait, times.is_some(), &mut signals)
        } else {
            self.run_out_of_order(&nodes, queue, wait, times.is_some(), &mut signals)
        };
        let used = match used {
            Ok(used) => used,
            Err(error) => {
                // The next run waits for what was submitted all the same.
                let mut all = Used::new();
                let wait = WaitList::empty();
                if queue.submit(Command::Wait, false, wait, all.next()).is_ok() {
                    past.run = last.replace(Run::new(queue, all.last()?));
                }
                return Err(error);
            }
        };
        let mut events = used.all()?;
        let Some(end) = events.last().cloned() else {
            return Ok(());
        };
        events.truncate(nodes.len());
        if event.wanted() {
            // In order they begin with the first.
            let begins =
                |place: &usize| nodes[*place].dependencies().is_empty() && (*place == 0 || !queue.is_in_order());
            let firsts = if times.is_some() { events.len() } else { 0 };
            let firsts: Vec<_> = (0..firsts).filter(begins).map(|place| events[place].clone()).collect();
            event.set(B::Event::for_execution(commands.command_type(), &firsts, &end)?);
        }
        if let Some(times) = times {
            past.times = times.submitted::<B>(events, &end);
        }
        past.run = last.replace(Run::new(queue, end));
        Ok(())
    }
}

impl<B: Backend<CommandBuffer = Self>> CommandBuffer<B> for SoftwareCommandBuffer<B>
where
    B::Event: SoftwareEvent<B>,
{
    type Signal = Arc<Signal<B>>;
    type Recording = ();

    const UPDATE_MAY_FAIL: bool = false;

    fn create(commands: CommandList<B>) -> UrResult<Arc<Self>> {
        Ok(crate::recycled(Self {
            handle_cell: HandleCell::new(),
            commands,
            runs: SoftwareRuns::default(),
        }))
    }

    fn commands(&self) -> &CommandList<B> {
        &self.commands
    }

    fn finalize(&self, _recording: &mut (), _nodes: &[Node<B>]) -> UrResult<()> {
        // What an out-of-order queue needs to know is not worth another look at every command before there is one.
        Ok(())
    }

    fn update(&self, _recording: &mut (), _nodes: &[Node<B>], _changes: &[Change<'_, B>]) -> UrResult<()> {
        // Runs take what they find, and a queue has copied the arguments of what was submitted.
        Ok(())
    }

    fn enqueue(self: &Arc<Self>, queue: &Arc<B::Queue>, wait: WaitList<'_, B>, event: EventOut<'_, B>) -> UrResult<()> {
        self.runs.enqueue(&self.commands, queue, wait, event)
    }
}
