// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Command buffers, and what is made of captured graphs: a [`Graph`] of CUDA, filled while commands are appended.
//!
//! Updates of launches go into the executable graph, node by node; runs that were enqueued before do not see them. Where
//! CUDA does not take one, the next run has a new graph.
//!
//! What no graph can have is submitted to the queue command by command, as the kit does it: host tasks, which may call
//! the driver, copies of pageable memory, fills with odd patterns, launches whose work-groups wait for each
//! other, events of single commands, and all where the times of each command are wanted.

mod graph;

use std::sync::{Arc, Weak};

use kit::{
    Change, Changed, CommandList, Context as _, EventOut, HandleCell, Moved, Node, Signal, SoftwareRuns, TrackedQueue,
    UrError, UrResult, WaitList,
};
use oxur_adapter_kit as kit;
use oxur_fork::InTurn;

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
}

impl State {
    fn give_up_graph(&mut self, reason: &UrError) {
        log::debug!("the commands of a command buffer are submitted one by one: {reason}");
        self.is_software = true;
        self.graph = None;
    }
}

impl CommandBuffer {
    /// A graph of all commands, ready to run.
    fn graph_of(&self, nodes: &[Node<Cuda>]) -> UrResult<Graph> {
        let mut graph = Graph::new(&self.commands)?;
        nodes.iter().try_for_each(|node| graph.append(&self.commands, node))?;
        graph.instantiate()?;
        Ok(graph)
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
        if let Err(error) = appended {
            state.give_up_graph(&error);
        }
        Ok(())
    }

    fn finalize(&self, _recording: &mut (), _nodes: &[Node<Cuda>]) -> UrResult<()> {
        let state = &mut *self.state.take();
        if self.commands.times().is_some() && !state.is_software {
            state.is_software = true;
            state.graph = None;
        }
        if let Some(Err(error)) = state.graph.as_mut().map(Graph::instantiate) {
            state.give_up_graph(&error);
        }
        Ok(())
    }

    fn update(&self, _recording: &mut (), nodes: &[Node<Cuda>], changes: &[Change<'_, Cuda>]) -> UrResult<()> {
        let state = &mut *self.state.take();
        let Some(graph) = &mut state.graph else {
            return Ok(());
        };
        let change = |change: &Change<'_, Cuda>| match change.what {
            Changed::Launch(_) => graph.change(&self.commands, change.place, &nodes[change.place]),
            _ => kit::unsupported(),
        };
        // A run that the host holds up does not see the changes.
        let mut held = state.before.iter().flat_map(Marker::events);
        held.try_for_each(CudaSignal::force)?;
        if let Err(error) = changes.iter().try_for_each(change) {
            log::debug!("a graph is made anew, because it cannot be changed: {error}");
            self.retire(state)?;
        }
        Ok(())
    }

    fn enqueue(
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
                match self.graph_of(nodes) {
                    Ok(graph) => state.graph = Some(graph),
                    Err(error) => state.give_up_graph(&error),
                }
            }
        }
        let State {
            graph, last, before, ..
        } = &mut *state;
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
        if !std::ptr::eq(last.as_ptr(), Arc::as_ptr(queue)) {
            *last = Arc::downgrade(queue);
        }
        Ok(())
    }
}
