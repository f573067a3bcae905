// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Graphs: commands that queues [captured](crate::capture), and what can be run of them.
//!
//! A graph is the same for all adapters: commands, and what each waits for. What runs is a command buffer of the
//! adapter's, which is made of them when the graph is instantiated.

use std::ffi::CStr;
use std::mem::{replace, take};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use oxur_api::*;
use oxur_fork::{Mutex, MutexGuard};

use crate::capture::Recorded;
use crate::context::is_same;
use crate::graph_dump::{self, CommandTimings, NodeLabel};
use crate::handle::{export, object, release, release_to};
use crate::queue::is_profiled;
use crate::table::entry_points;
use crate::{
    Backend, CommandBuffer, CommandList, Context, Deleters, HandleCell, Node, Object, Queue, Settings, UrError,
    UrResult, args, command_entry, entry, unsupported,
};

/// Commands that were captured.
pub(crate) struct Graph<B: Backend> {
    handle_cell: HandleCell,
    id: u64,
    context: Arc<B::Context>,
    state: Mutex<State<B>>,
    /// What to call when it is destroyed.
    deleters: Mutex<Deleters>,
}

struct State<B: Backend> {
    /// The device of its commands, once it has some.
    device: Option<Arc<B::Device>>,
    nodes: Vec<Node<B>>,
    /// Whether a queue captures into it.
    growing: bool,
    /// Whether the client has destroyed it.
    destroyed: bool,
    /// Whether a queue that captured into it was made for profiling: runs then note the times of commands.
    profiled: bool,
    /// When the commands ran of what was made of it last.
    times: Option<Arc<CommandTimings>>,
}

impl<B: Backend> Object for Graph<B> {
    type Handle = ExpGraphHandle;

    fn handle_cell(&self) -> &HandleCell {
        &self.handle_cell
    }
}

impl<B: Backend> Graph<B> {
    /// An empty one.
    pub(crate) fn new(context: &Arc<B::Context>) -> Arc<Self> {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Arc::new(Self {
            handle_cell: HandleCell::new(),
            id: LAST.fetch_add(1, Ordering::Relaxed) + 1,
            context: context.clone(),
            state: Mutex::new(State {
                device: None,
                nodes: Vec::new(),
                growing: false,
                destroyed: false,
                profiled: false,
                times: None,
            }),
            deleters: Mutex::default(),
        })
    }

    /// The context that it is of.
    pub(crate) fn context(&self) -> &Arc<B::Context> {
        &self.context
    }

    /// Begins a capture of a queue's. Returns how many commands there are before it.
    pub(crate) fn begin(&self, queue: &B::Queue) -> UrResult<usize> {
        if !is_same::<B>(queue.context(), &self.context) {
            return Err(UrError::with_message(
                ResultCode::ERROR_INVALID_CONTEXT,
                "the queue and the graph are of different contexts",
            ));
        }
        let mut state = self.whole()?;
        if state
            .device
            .as_ref()
            .is_some_and(|device| !Arc::ptr_eq(device, queue.device()))
        {
            return Err(invalid("the graph has commands of another device than the queue's"));
        }
        state.device = Some(queue.device().clone());
        state.growing = true;
        state.profiled |= is_profiled::<B>(queue);
        Ok(state.nodes.len())
    }

    /// Whether the client has destroyed it.
    pub(crate) fn is_destroyed(&self) -> bool {
        self.state.lock().destroyed
    }

    /// Ends a capture. If it failed, its commands go: there were as many as `before` without them.
    pub(crate) fn end(&self, failed: bool, before: usize) {
        let mut state = self.state.lock();
        state.growing = false;
        let gone = if state.destroyed {
            take(&mut state.nodes)
        } else if failed {
            state.nodes.split_off(before)
        } else {
            Vec::new()
        };
        drop(state);
        // Kernels and memory objects may be destroyed by that.
        drop(gone);
    }

    /// The commands.
    pub(crate) fn nodes(&self) -> impl std::ops::DerefMut<Target = Vec<Node<B>>> + '_ {
        MutexGuard::map(self.state.lock(), |state| &mut state.nodes)
    }

    /// The state of a graph that no queue captures into.
    fn whole(&self) -> UrResult<MutexGuard<'_, State<B>>> {
        let state = self.state.lock();
        if state.growing {
            return Err(invalid(
                "a queue captures into the graph: urQueueEndGraphCaptureExp must end that first",
            ));
        }
        Ok(state)
    }

    /// Makes what can be run.
    fn instantiate(&self) -> UrResult<Arc<ExecutableGraph<B>>> {
        let state = self.whole()?;
        // A graph without commands runs on any.
        let device = state.device.as_ref().unwrap_or(&self.context.devices()[0]).clone();
        let nodes = state.nodes.iter().map(Node::copy).collect();
        let profiled = state.profiled;
        drop(state);
        let settings = Settings {
            profiled,
            ..Settings::default()
        };
        let commands = CommandList::of_graph(self.context.clone(), device, nodes, settings);
        let buffer = B::CommandBuffer::create(commands)?;
        buffer.commands().finalize(|nodes| buffer.finalize(nodes))?;
        let times = buffer.commands().times().cloned();
        let old = replace(&mut self.state.lock().times, times);
        // Events and their queues may go with it: not under the lock.
        drop(old);
        let handle_cell = HandleCell::new();
        Ok(Arc::new(ExecutableGraph { handle_cell, buffer }))
    }

    /// Its picture, with the times of the last run of what was made of it last.
    fn graph_dump(&self) -> String {
        let state = self.state.lock();
        let commands: Vec<_> = state.nodes.iter().map(NodeLabel::new).collect();
        let (profiled, times) = (state.profiled, state.times.clone());
        drop(state);
        let run = match times {
            None => profiled.then(Vec::new),
            Some(times) => Some(times.last()),
        };
        graph_dump::text(&format!("graph {}", self.id), &commands, run.as_deref())
    }

    /// The client has given its handle back: whoever else has the graph only keeps the place.
    fn destroy(&self) {
        let mut state = self.state.lock();
        state.destroyed = true;
        let times = state.times.take();
        // A capture needs the commands to its end.
        let nodes = if state.growing {
            Vec::new()
        } else {
            take(&mut state.nodes)
        };
        drop(state);
        drop((times, nodes));
        let deleters = take(&mut *self.deleters.lock());
        drop(deleters);
    }
}

fn invalid(words: &str) -> UrError {
    UrError::with_message(ResultCode::ERROR_INVALID_GRAPH, words)
}

/// What can be run of a graph.
pub(crate) struct ExecutableGraph<B: Backend> {
    handle_cell: HandleCell,
    buffer: Arc<B::CommandBuffer>,
}

impl<B: Backend> Object for ExecutableGraph<B> {
    type Handle = ExpExecutableGraphHandle;

    fn handle_cell(&self) -> &HandleCell {
        &self.handle_cell
    }
}

/// The path that a C string names.
fn path(name: &CStr) -> &Path {
    use std::os::unix::ffi::OsStrExt;
    Path::new(std::ffi::OsStr::from_bytes(name.to_bytes()))
}

entry! {
    fn urGraphCreateExp<B>(context: ContextHandle, graph: *mut ExpGraphHandle) {
        let context = object::<B::Context>(context)?;
        args::out(graph)?.write(export(&Graph::<B>::new(&context)));
        Ok(())
    }

    fn urGraphInstantiateGraphExp<B>(graph: ExpGraphHandle, executable: *mut ExpExecutableGraphHandle) {
        let graph = object::<Graph<B>>(graph)?;
        let out = args::out(executable)?;
        out.write(export(&graph.instantiate()?));
        Ok(())
    }

    fn urGraphDestroyExp<B>(graph: ExpGraphHandle) {
        // One that a queue captures into goes as well. The capture then has no graph to end with.
        release_to::<Graph<B>>(graph, |graph| graph.destroy())
    }

    fn urGraphExecutableGraphDestroyExp<B>(graph: ExpExecutableGraphHandle) {
        release::<ExecutableGraph<B>>(graph)
    }

    fn urGraphIsEmptyExp<B>(graph: ExpGraphHandle, result: *mut bool) {
        let graph = object::<Graph<B>>(graph)?;
        args::out(result)?.write(graph.nodes().is_empty());
        Ok(())
    }

    fn urGraphGetIdExp<B>(graph: ExpGraphHandle, id: *mut u64) {
        let graph = object::<Graph<B>>(graph)?;
        args::out(id)?.write(graph.id);
        Ok(())
    }

    fn urGraphSetDestructionCallbackExp<B>(
        graph: ExpGraphHandle, callback: ExpGraphDestructionCallback, user_data: *mut c_void,
    ) {
        let graph = object::<Graph<B>>(graph)?;
        let function = callback.ok_or(ResultCode::ERROR_INVALID_NULL_POINTER)?;
        graph.deleters.lock().add(function, user_data);
        Ok(())
    }

    fn urGraphDumpContentsExp<B>(graph: ExpGraphHandle, file: *const c_char) {
        let graph = object::<Graph<B>>(graph)?;
        let path = path(args::c_str(file)?);
        std::fs::write(path, graph.graph_dump()).map_err(|error| UrError::with_message(
            ResultCode::ERROR_INVALID_VALUE,
            format!("the graph cannot be written to {}: {error}", path.display()),
        ))
    }

    fn urGraphGetNativeHandleExp<B>(graph: ExpGraphHandle, native: *mut NativeHandle) {
        object::<Graph<B>>(graph)?;
        args::out(native)?;
        unsupported()
    }

    fn urGraphExecutableGraphGetNativeHandleExp<B>(graph: ExpExecutableGraphHandle, native: *mut NativeHandle) {
        object::<ExecutableGraph<B>>(graph)?;
        args::out(native)?;
        unsupported()
    }
}

command_entry! {
    pub(crate) fn urEnqueueGraphExp<B>(queue, graph: ExpExecutableGraphHandle; wait, event) {
        let graph = object::<ExecutableGraph<B>>(graph)?;
        graph.buffer.commands().check_queue(&queue)?;
    } run { graph.buffer.enqueue(&queue, wait, event) } record { Recorded::run(&graph.buffer)? }
}

oxur_api::graph_exp_functions! { entry_points {} }
