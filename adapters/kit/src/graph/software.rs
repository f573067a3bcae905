// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Graphs for adapters whose driver captures nothing: the kit keeps the commands of the queues that capture.
//!
//! Such a graph is the same for all adapters. What runs is a command buffer of the adapter's, which is made of the commands
//! when the graph is instantiated.

use std::mem::{replace, take};
use std::path::Path;
use std::sync::Arc;

use derive_where::derive_where;
use oxur_api::*;
use oxur_fork::InTurn;

use super::{CapturedGraph, ExecutableGraph, Graph, GraphCell};
use crate::capture;
use crate::command_buffer::{NodeList, hold};
use crate::context::is_same;
use crate::graph_dump::{self, CommandTimings, NodeLabel};
use crate::queue::is_profiled;
use crate::{
    Backend, Capture, CommandBuffer, CommandList, Context, EventOut, HandleCell, Node, Object, Queue, Settings,
    UrError, UrResult, WaitList,
};

/// A graph that the kit captures: commands, and what each waits for.
pub struct SoftwareGraph<B: Backend> {
    handle_cell: HandleCell,
    graph_cell: GraphCell,
    context: Arc<B::Context>,
    state: InTurn<State<B>>,
}

#[derive_where(Default)]
struct State<B: Backend> {
    /// The device of its commands, once it has some.
    device: Option<Arc<B::Device>>,
    commands: Commands<B>,
    /// Whether the client has destroyed it.
    destroyed: bool,
    /// Whether a queue that captured into it was made for profiling: runs then note the times of commands.
    profiled: bool,
    /// When the commands ran of what was made of it last.
    times: Option<Arc<CommandTimings>>,
    /// The driver's graphs that the client has handles of, and how many commands each has. They stay as long as the graph.
    natives: Vec<(usize, Arc<B::CommandBuffer>)>,
}

/// The commands of a graph.
enum Commands<B: Backend> {
    /// A capture has them: what there was before, and what queues capture into it.
    Growing(Arc<InTurn<capture::State<B>>>),
    /// All of them, while no queue captures. What is made of the graph shares them.
    Whole(Arc<NodeList<B>>),
}

impl<B: Backend> Default for Commands<B> {
    fn default() -> Self {
        Self::Whole(Arc::default())
    }
}

impl<B: Backend> Commands<B> {
    fn read<T>(&self, read: impl FnOnce(&[Node<B>]) -> T) -> T {
        match self {
            Self::Growing(capture) => read(&hold::<B, _>(capture).nodes),
            Self::Whole(nodes) => read(nodes),
        }
    }

    /// Those of a graph that no queue captures into.
    fn whole(&mut self) -> UrResult<&mut Arc<NodeList<B>>> {
        match self {
            Self::Whole(nodes) => Ok(nodes),
            Self::Growing(_) => Err(invalid(
                "a queue captures into the graph: urQueueEndGraphCaptureExp must end that first",
            )),
        }
    }
}

impl<B: Backend> Object for SoftwareGraph<B> {
    type Handle = ExpGraphHandle;

    fn handle_cell(&self) -> &HandleCell {
        &self.handle_cell
    }
}

impl<B: Backend> SoftwareGraph<B> {
    /// An empty one.
    pub(crate) fn new(context: &Arc<B::Context>) -> Arc<Self> {
        Arc::new(Self {
            handle_cell: HandleCell::new(),
            graph_cell: GraphCell::new(),
            context: context.clone(),
            state: InTurn::of_this_thread(State::default()),
        })
    }

    /// The context that it is of.
    pub(crate) fn context(&self) -> &Arc<B::Context> {
        &self.context
    }

    /// Begins a capture of a queue's, which gets the commands until it ends. Returns how many there are before it.
    pub(crate) fn begin(&self, queue: &B::Queue, capture: &Arc<InTurn<capture::State<B>>>) -> UrResult<usize> {
        if !is_same::<B>(queue.context(), &self.context) {
            crate::bail!(ERROR_INVALID_CONTEXT: "the queue and the graph are of different contexts");
        }
        let state = &mut *hold::<B, _>(&self.state);
        let whole = state.commands.whole()?;
        if state
            .device
            .as_ref()
            .is_some_and(|device| !Arc::ptr_eq(device, queue.device()))
        {
            return Err(invalid("the graph has commands of another device than the queue's"));
        }
        state.device = Some(queue.device().clone());
        state.profiled |= is_profiled::<B>(queue);
        let nodes = match whole.is_empty() {
            true => NodeList::memory(),
            false => NodeList::into_nodes(take(whole)),
        };
        let before = nodes.len();
        hold::<B, _>(capture).nodes = nodes;
        state.commands = Commands::Growing(capture.clone());
        Ok(before)
    }

    /// Whether the client has destroyed it.
    pub(crate) fn is_destroyed(&self) -> bool {
        hold::<B, _>(&self.state).destroyed
    }

    /// Ends a capture, which gives the commands back. If it failed, its own go: there were as many as `before` without them.
    pub(crate) fn end(&self, mut nodes: Vec<Node<B>>, failed: bool, before: usize) {
        let mut state = hold::<B, _>(&self.state);
        let gone = match (state.destroyed, failed) {
            (true, _) => take(&mut nodes),
            // In a child of a process that forked meanwhile, there may be fewer.
            (false, true) => nodes.split_off(before.min(nodes.len())),
            (false, false) => Vec::new(),
        };
        state.commands = Commands::Whole(Arc::new(NodeList::new(nodes)));
        drop(state);
        // Kernels and memory objects may be destroyed by that.
        drop(gone);
    }

    /// A command buffer of its commands, and how many there are.
    fn command_buffer(&self) -> UrResult<(usize, Arc<B::CommandBuffer>)> {
        let mut state = hold::<B, _>(&self.state);
        let nodes = state.commands.whole()?.clone();
        // A graph without commands runs on any.
        let device = state.device.as_ref().unwrap_or(&self.context.devices()[0]).clone();
        let profiled = state.profiled;
        drop(state);
        let settings = Settings {
            profiled,
            // What an in-order queue has captured needs nothing that brings commands in order one by one.
            in_order: is_chain(&nodes),
            ..Settings::default()
        };
        let count = nodes.len();
        let commands = CommandList::of_graph(self.context.clone(), device, nodes, settings);
        let buffer = B::CommandBuffer::create(commands)?;
        buffer.commands().append_all(&buffer)?;
        Ok((count, buffer))
    }

    /// Its picture, with the times of the last run of what was made of it last.
    fn graph_dump(&self) -> String {
        let state = hold::<B, _>(&self.state);
        let commands: Vec<_> = state.commands.read(|nodes| nodes.iter().map(NodeLabel::new).collect());
        let (profiled, times) = (state.profiled, state.times.clone());
        drop(state);
        let run = match times {
            None => profiled.then(Vec::new),
            Some(times) => Some(times.last()),
        };
        graph_dump::text(&format!("graph {}", self.graph_cell.id()), &commands, run.as_deref())
    }
}

fn invalid(words: &str) -> UrError {
    crate::error!(ERROR_INVALID_GRAPH: "{words}")
}

/// Whether each command waits for the one before it.
fn is_chain<B: Backend>(nodes: &[Node<B>]) -> bool {
    let mut others = (0u32..).zip(nodes.iter().skip(1));
    others.all(|(before, node)| node.dependencies().contains(&before))
}

/// What can be run of a [`SoftwareGraph`]: a command buffer.
pub struct SoftwareExecutableGraph<B: Backend> {
    handle_cell: HandleCell,
    buffer: Arc<B::CommandBuffer>,
}

impl<B: Backend> Object for SoftwareExecutableGraph<B> {
    type Handle = ExpExecutableGraphHandle;

    fn handle_cell(&self) -> &HandleCell {
        &self.handle_cell
    }
}

impl<B> Graph<B> for SoftwareGraph<B>
where
    B: Backend<Graph = SoftwareGraph<B>, ExecutableGraph = SoftwareExecutableGraph<B>>,
{
    fn create(context: &Arc<B::Context>) -> UrResult<Arc<Self>> {
        Ok(Self::new(context))
    }

    fn graph_cell(&self) -> &GraphCell {
        &self.graph_cell
    }

    fn begin_capture(queue: &Arc<B::Queue>, into: Option<&Arc<Self>>) -> UrResult<()> {
        let (graph, own) = match into {
            Some(graph) => (graph.clone(), false),
            None => (Self::new(queue.context()), true),
        };
        Capture::begin(queue, graph, own)
    }

    fn end_capture(queue: &Arc<B::Queue>) -> UrResult<CapturedGraph<Self>> {
        Capture::end(queue)
    }

    fn captured_by(queue: &Arc<B::Queue>) -> UrResult<Option<Arc<Self>>> {
        Ok(queue.capture().and_then(Capture::graph))
    }

    fn is_empty(&self) -> UrResult<bool> {
        Ok(hold::<B, _>(&self.state).commands.read(<[_]>::is_empty))
    }

    fn instantiate(self: &Arc<Self>) -> UrResult<Arc<SoftwareExecutableGraph<B>>> {
        let (_, buffer) = self.command_buffer()?;
        buffer.commands().finalize(&buffer)?;
        let times = buffer.commands().times().cloned();
        let old = replace(&mut hold::<B, _>(&self.state).times, times);
        // Events and their queues may go with it: not under the lock.
        drop(old);
        let handle_cell = HandleCell::new();
        Ok(Arc::new(SoftwareExecutableGraph { handle_cell, buffer }))
    }

    // Once more commands were captured, there is another handle.
    fn native(&self) -> UrResult<NativeHandle> {
        let known = {
            let mut state = hold::<B, _>(&self.state);
            let count = state.commands.whole()?.len();
            let last = state.natives.last().filter(|(known, _)| *known == count);
            last.map(|(_, buffer)| buffer.clone())
        };
        if let Some(buffer) = known {
            return buffer.native_graph();
        }
        let (count, buffer) = self.command_buffer()?;
        let native = buffer.native_graph()?;
        hold::<B, _>(&self.state).natives.push((count, buffer));
        Ok(native)
    }

    fn dump(&self, file: &Path) -> UrResult<()> {
        std::fs::write(file, self.graph_dump()).map_err(
            |error| crate::error!(ERROR_INVALID_VALUE: "the graph cannot be written to {}: {error}", file.display()),
        )
    }

    /// Whoever else has the graph only keeps the place.
    fn destroy(&self) {
        let mut state = hold::<B, _>(&self.state);
        state.destroyed = true;
        let (times, natives) = (state.times.take(), take(&mut state.natives));
        // A capture needs the commands to its end.
        let nodes = state.commands.whole().ok().map(take);
        drop(state);
        drop((times, natives, nodes));
    }
}

impl<B> ExecutableGraph<B> for SoftwareExecutableGraph<B>
where
    B: Backend<ExecutableGraph = SoftwareExecutableGraph<B>>,
{
    fn check_queue(&self, queue: &Arc<B::Queue>) -> UrResult<()> {
        self.buffer.commands().check_queue(queue)
    }

    fn enqueue(self: &Arc<Self>, queue: &Arc<B::Queue>, wait: WaitList<'_, B>, event: EventOut<'_, B>) -> UrResult<()> {
        self.buffer.enqueue(queue, wait, event)
    }

    fn command_buffer(&self) -> Option<&Arc<B::CommandBuffer>> {
        Some(&self.buffer)
    }

    fn native(&self) -> UrResult<NativeHandle> {
        self.buffer.native_executable_graph()
    }
}
