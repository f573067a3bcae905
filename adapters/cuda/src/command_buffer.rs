// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Command buffers, and what is made of captured graphs: a [`Graph`] of CUDA, filled while commands are appended.
//!
//! Updates of launches go into the executable graph, node by node; runs that were enqueued before do not see them. Where
//! CUDA does not take one, the next run has a new graph.
//!
//! What no graph can have is submitted to the queue command by command, as the kit does it: host tasks, which may call
//! the driver, copies of pageable memory, fills with odd patterns, launches whose work-groups wait for each
//! other, events of single commands, and all where the times of each command are wanted.
//!
//! The native handle is the graph. What a client adds to that of a child becomes a [node](child::ChildGraph) of the parent's.

mod child;
mod graph;

use std::sync::{Arc, Weak};

use kit::ur::NativeHandle;
use kit::{
    Change, Changed, CommandList, Context as _, EventOut, HandleCell, Moved, NativeCommand, Node, Signal, SoftwareRuns,
    TrackedQueue, UrError, UrResult, WaitList,
};
use oxur_adapter_kit as kit;
use oxur_cuda_sys::CUgraphExec;
use oxur_fork::InTurn;

use self::child::ChildGraph;
use self::graph::Graph;
use crate::queue::{self, Marker};
use crate::signal::Signal as CudaSignal;
use crate::{Cuda, Queue};

/// A command buffer.
pub(crate) struct CommandBuffer {
    pub(crate) handle_cell: HandleCell,
    commands: CommandList<Cuda>,
    /// The driver is called with it.
    state: InTurn<State>,
    /// Its runs where there is no graph.
    software: SoftwareRuns<Cuda>,
}

#[derive(Default)]
struct State {
    /// `None` before the first command, and where the next run makes a new one.
    graph: Option<Graph>,
    /// Whether there is none for good.
    is_software: bool,
    /// The queue of the last run: CUDA orders the runs of one graph, but not those of two.
    last: Weak<Queue>,
    /// What the next run waits for: the runs of another graph before it, and one that the host held up.
    before: Vec<Marker>,
    /// Whether the client knows the graph.
    is_known: bool,
    /// The children that clients have added to, by their places among the commands.
    children: Vec<(usize, ChildGraph)>,
}

impl State {
    /// What runs, if that takes no more than to launch it.
    #[inline(always)]
    fn plain_graph(&self) -> Option<CUgraphExec> {
        let graph = self.graph.as_ref()?;
        let is_plain = graph.is_ready() && graph.hints().is_empty() && self.before.is_empty();
        is_plain.then(|| graph.executable())
    }

    /// A run was given to a queue.
    #[inline(always)]
    fn note_queue(&mut self, queue: &Arc<Queue>) {
        if !std::ptr::eq(self.last.as_ptr(), Arc::as_ptr(queue)) {
            self.last = Arc::downgrade(queue);
        }
    }

    fn give_up_graph(&mut self, reason: UrError) -> UrResult<()> {
        self.check_no_foreign_nodes(&reason)?;
        if !self.children.is_empty() {
            kit::bail!(ERROR_UNSUPPORTED_FEATURE: "native commands have no way but a graph: {reason}");
        }
        log::debug!("the commands of a command buffer are submitted one by one: {reason}");
        self.is_software = true;
        self.graph = None;
        Ok(())
    }

    /// Fails if nothing but the graph has what the client has added.
    fn check_no_foreign_nodes(&self, reason: &UrError) -> UrResult<()> {
        match &self.graph {
            Some(graph) if self.is_known && graph.has_foreign_nodes()? => Err(kit::error!(
                ERROR_UNSUPPORTED_FEATURE: "a graph with native commands cannot be made anew: {reason}"
            )),
            _ => Ok(()),
        }
    }
}

impl CommandBuffer {
    /// A graph of all commands, ready to run.
    fn graph_of(&self, nodes: &[Node<Cuda>], children: &[(usize, ChildGraph)]) -> UrResult<Graph> {
        let mut graph = Graph::new(&self.commands)?;
        for (at, node) in nodes.iter().enumerate() {
            match children.iter().find(|(place, _)| *place == at) {
                Some((_, child)) => graph.append_child(child, node.dependencies())?,
                None => graph.append(&self.commands, node)?,
            }
        }
        graph.instantiate()?;
        Ok(graph)
    }

    /// The graph, for the client.
    fn known_graph<T>(&self, get: impl FnOnce(&Graph) -> T) -> UrResult<T> {
        // Before the state, as updates do. Those of a buffer that is not finalized are in the graph already.
        let nodes = self.commands.nodes().ok();
        let state = &mut *self.state.take();
        if state.is_software {
            kit::bail!(ERROR_UNSUPPORTED_FEATURE: "the commands are submitted one by one, so there is no graph of CUDA");
        }
        let graph = match (&mut state.graph, &nodes) {
            (Some(graph), _) => graph,
            (none, Some(nodes)) => none.insert(self.graph_of(nodes, &state.children)?),
            (none, None) => none.insert(Graph::new(&self.commands)?),
        };
        state.is_known = true;
        Ok(get(graph))
    }

    /// Takes the graph away, which stays until its runs are complete. The next run comes after them.
    fn retire(&self, state: &mut State) -> UrResult<()> {
        let context = self.commands.context();
        if let Some(graph) = state.graph.take() {
            match state.last.upgrade() {
                Some(queue) => state.before.extend(queue.unfinished()?),
                None => state.before.extend(context.in_flight.unfinished()?),
            }
            context.retire(graph);
        }
        Ok(())
    }

    /// A run of a buffer of any kind. Elsewhere, so that the code for most runs is together.
    #[inline(never)]
    fn enqueue_any(
        self: &Arc<Self>,
        queue: &Arc<Queue>,
        wait: WaitList<'_, Cuda>,
        event: EventOut<'_, Cuda>,
    ) -> UrResult<()> {
        // Before the state, as updates do. In a context of one device, only a new graph needs them.
        let may_move = self.commands.context().has_several_devices();
        let mut nodes = may_move.then(|| self.commands.nodes()).transpose()?;
        let mut state = self.state.take();
        if state.graph.as_ref().is_none_or(|graph| !graph.is_ready()) && !state.is_software {
            drop(state);
            let nodes = match &mut nodes {
                Some(nodes) => nodes,
                none => none.insert(self.commands.nodes()?),
            };
            state = self.state.take();
            if state.graph.is_none() {
                match self.graph_of(nodes, &state.children) {
                    Ok(graph) => state.graph = Some(graph),
                    Err(error) => state.give_up_graph(error)?,
                }
            }
        }
        let State { graph, before, .. } = &mut *state;
        let Some(graph) = graph else {
            // The runs of graphs that it had before it was changed.
            let before = std::mem::take(before);
            drop((state, nodes));
            before.iter().try_for_each(Marker::wait)?;
            return self.software.enqueue(&self.commands, queue, wait, event);
        };
        let moved = match &nodes {
            Some(nodes) if may_move => Moved::of_list(queue, nodes, wait)?,
            _ => None,
        };
        let wait = moved.as_ref().map_or(Ok(wait), Moved::wait_list)?;
        let run = queue::Graph {
            command: self.commands.command_type(),
            executable: graph.executable(),
            hints: graph.hints(),
            before,
        };
        let held = queue.run_graph(run, || self.clone(), wait, event)?;
        if let Some(moved) = moved {
            moved.submitted();
        }
        before.clear();
        before.extend(held.map(|held| Marker::of(&CudaSignal::Held(held))));
        state.note_queue(queue);
        Ok(())
    }
}

impl Drop for CommandBuffer {
    fn drop(&mut self) {
        let graph = self.state.get_mut().graph.take();
        self.commands.context().retire(graph);
    }
}

impl kit::CommandBuffer<Cuda> for CommandBuffer {
    type Signal = Arc<Signal<Cuda>>;
    type Recording = ();

    // The kernel of a launch takes new arguments first. What CUDA refuses then is mended by a new graph.
    const UPDATE_MAY_FAIL: bool = false;

    fn create(commands: CommandList<Cuda>) -> UrResult<Arc<Self>> {
        Ok(kit::recycled(Self {
            handle_cell: HandleCell::new(),
            commands,
            state: InTurn::default(),
            software: SoftwareRuns::default(),
        }))
    }

    fn commands(&self) -> &CommandList<Cuda> {
        &self.commands
    }

    fn append(&self, _recording: &mut (), nodes: &[Node<Cuda>]) -> UrResult<()> {
        let state = &mut *self.state.take();
        let Some(node) = nodes.last().filter(|_| !state.is_software) else {
            return Ok(());
        };
        let appended = match &mut state.graph {
            Some(graph) => graph.append(&self.commands, node),
            None => Graph::new(&self.commands).and_then(|new| state.graph.insert(new).append(&self.commands, node)),
        };
        // An error of the command itself is the next run's.
        match appended {
            Ok(()) => Ok(()),
            Err(error) => state.give_up_graph(error),
        }
    }

    fn end_native_command(
        &self,
        child: Option<&Arc<Self>>,
        nodes: &[Node<Cuda>],
        dependencies: &[u32],
    ) -> UrResult<NativeCommand> {
        let Some(of_child) = child else {
            return Ok(NativeCommand::Child);
        };
        let child = {
            let state = of_child.state.take();
            let known = state.graph.as_ref().filter(|_| state.is_known);
            known.map(|graph| graph.with_foreign_nodes(of_child)).transpose()?
        };
        let Some(child) = child.flatten() else {
            return Ok(NativeCommand::Child);
        };
        let state = &mut *self.state.take();
        if state.is_software {
            kit::bail!(ERROR_UNSUPPORTED_FEATURE: "native commands, where others have to be submitted one by one");
        }
        let graph = match &mut state.graph {
            Some(graph) => graph,
            none => none.insert(Graph::new(&self.commands)?),
        };
        graph.append_child(&child, dependencies)?;
        state.children.push((nodes.len(), child));
        Ok(NativeCommand::Appended)
    }

    fn finalize(&self, _recording: &mut (), _nodes: &[Node<Cuda>]) -> UrResult<()> {
        let state = &mut *self.state.take();
        if self.commands.times().is_some() && !state.is_software {
            state.give_up_graph(kit::error!(ERROR_UNSUPPORTED_FEATURE: "the times of each are wanted"))?;
        }
        match state.graph.as_mut().map(Graph::instantiate) {
            Some(Err(error)) => state.give_up_graph(error),
            _ => Ok(()),
        }
    }

    fn update(&self, _recording: &mut (), nodes: &[Node<Cuda>], changes: &[Change<'_, Cuda>]) -> UrResult<()> {
        let state = &mut *self.state.take();
        let Some(graph) = &mut state.graph else {
            return Ok(());
        };
        let change = |change: &Change<'_, Cuda>| match change.what {
            Changed::Launch(ref launch) => graph.change(&self.commands, change.place, &nodes[change.place], launch),
            _ => kit::unsupported(),
        };
        // A run that the host holds up does not see the changes.
        let mut held = state.before.iter().flat_map(Marker::events);
        held.try_for_each(CudaSignal::force)?;
        if let Err(error) = changes.iter().try_for_each(change) {
            // They may be what they were, for the kit.
            graph.forget(changes.iter().map(|change| change.place));
            state.check_no_foreign_nodes(&error)?;
            log::debug!("a graph is made anew, because it cannot be changed: {error}");
            self.retire(state)?;
        }
        Ok(())
    }

    fn native(&self) -> UrResult<NativeHandle> {
        self.known_graph(|graph| graph.raw() as NativeHandle)
    }

    fn native_graph(&self) -> UrResult<NativeHandle> {
        self.native()
    }

    fn native_executable_graph(&self) -> UrResult<NativeHandle> {
        self.known_graph(|graph| graph.executable() as NativeHandle)
    }

    fn enqueue(
        self: &Arc<Self>,
        queue: &Arc<Queue>,
        wait: WaitList<'_, Cuda>,
        event: EventOut<'_, Cuda>,
    ) -> UrResult<()> {
        {
            let state = &mut *self.state.take();
            if let Some(executable) = state.plain_graph()
                && !self.commands.context().has_several_devices()
                && !queue.holds(wait)
            {
                queue.run_plain_graph(self.commands.command_type(), executable, wait, event)?;
                state.note_queue(queue);
                return Ok(());
            }
        }
        self.enqueue_any(queue, wait, event)
    }
}
