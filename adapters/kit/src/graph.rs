// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Graphs: commands that queues captured, and what can be run of them.
//!
//! A driver that captures has graphs of its own: an adapter then implements [`Graph`] and [`ExecutableGraph`], and its
//! queues submit to the driver whether that captures or not. For all others the kit captures: [`SoftwareGraph`], by the
//! [`Capture`](crate::Capture) that each queue has.

mod software;

use std::ffi::CStr;
use std::mem::take;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use oxur_api::*;
use oxur_fork::Mutex;

pub use self::software::{SoftwareExecutableGraph, SoftwareGraph};
use crate::capture::{Recorded, unsupported_in_capture};
use crate::handle::{export, object, release, release_to};
use crate::table::entry_points;
use crate::{
    Backend, Deleters, EventOut, NoExecutableGraph, NoGraph, Object, UrResult, WaitList, args, command_entry, entry,
    unsupported,
};

/// A graph, which queues capture commands into.
///
/// Between `begin_capture` and `end_capture` of a driver's own graph, commands of the queue come to
/// [`Queue::submit`](crate::Queue::submit) as ever, and so do those of other queues that wait for their events: the driver
/// knows that they are captured, and what a graph cannot have is for the driver to refuse.
pub trait Graph<B: Backend>: Object<Handle = ExpGraphHandle> {
    /// Whether queues can be captured, as devices say by default.
    const SUPPORTED: bool = true;

    /// Makes an empty graph.
    fn create(_context: &Arc<B::Context>) -> UrResult<Arc<Self>> {
        unsupported()
    }

    /// The member that the kit keeps in each graph.
    fn graph_cell(&self) -> &GraphCell;

    /// Begins to capture the commands of a queue, into a new graph if none is given.
    fn begin_capture(_queue: &Arc<B::Queue>, _into: Option<&Arc<Self>>) -> UrResult<()> {
        unsupported()
    }

    /// Ends the capture that began on this queue.
    fn end_capture(_queue: &Arc<B::Queue>) -> UrResult<CapturedGraph<Self>> {
        unsupported()
    }

    /// The graph that a queue captures into, if it does.
    fn captured_by(_queue: &Arc<B::Queue>) -> UrResult<Option<Arc<Self>>> {
        unsupported()
    }

    /// Whether it has no commands.
    fn is_empty(&self) -> UrResult<bool>;

    /// Makes what can be run of the commands that there are.
    fn instantiate(self: &Arc<Self>) -> UrResult<Arc<B::ExecutableGraph>>;

    /// Writes a description of it, for people.
    fn dump(&self, _file: &Path) -> UrResult<()> {
        unsupported()
    }

    /// The client has destroyed the graph. Other objects of the adapter may still keep it.
    fn destroy(&self) {}

    /// The driver's handle.
    fn native(&self) -> UrResult<NativeHandle> {
        unsupported()
    }
}

/// What can be run of a graph.
pub trait ExecutableGraph<B: Backend>: Object<Handle = ExpExecutableGraphHandle> {
    /// Checks that it can run on a queue.
    fn check_queue(&self, _queue: &Arc<B::Queue>) -> UrResult<()> {
        Ok(())
    }

    /// Runs it, after its earlier runs.
    fn enqueue(self: &Arc<Self>, queue: &Arc<B::Queue>, wait: WaitList<'_, B>, event: EventOut<'_, B>) -> UrResult<()>;

    /// The command buffer that runs it. Where there is one, a run can be captured by the kit: its commands become part of
    /// the other graph.
    fn command_buffer(&self) -> Option<&Arc<B::CommandBuffer>> {
        None
    }

    /// The driver's handle.
    fn native(&self) -> UrResult<NativeHandle> {
        unsupported()
    }
}

/// What the end of a capture leaves.
pub enum CapturedGraph<G> {
    /// A graph that was made for the capture: the client gets a reference.
    New(Arc<G>),
    /// The graph that the client gave when the capture began.
    Given(Arc<G>),
}

/// The member of a graph that the kit keeps: its id, and what the client wants to be called when it is destroyed.
pub struct GraphCell {
    id: u64,
    deleters: Mutex<Deleters>,
}

impl GraphCell {
    /// That of a new graph.
    #[allow(clippy::new_without_default, reason = "each is another: it has the next id")]
    pub fn new() -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Self {
            id: LAST.fetch_add(1, Ordering::Relaxed) + 1,
            deleters: Mutex::default(),
        }
    }

    /// The number that identifies the graph in the process.
    pub fn id(&self) -> u64 {
        self.id
    }
}

impl<B: Backend> Graph<B> for NoGraph {
    const SUPPORTED: bool = false;

    fn graph_cell(&self) -> &GraphCell {
        self.absurd()
    }

    fn is_empty(&self) -> UrResult<bool> {
        self.absurd()
    }

    fn instantiate(self: &Arc<Self>) -> UrResult<Arc<B::ExecutableGraph>> {
        self.absurd()
    }
}

impl<B: Backend> ExecutableGraph<B> for NoExecutableGraph {
    fn enqueue(self: &Arc<Self>, _: &Arc<B::Queue>, _: WaitList<'_, B>, _: EventOut<'_, B>) -> UrResult<()> {
        self.absurd()
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
        let out = args::out(graph)?;
        out.write(export(&B::Graph::create(&context)?));
        Ok(())
    }

    fn urGraphInstantiateGraphExp<B>(graph: ExpGraphHandle, executable: *mut ExpExecutableGraphHandle) {
        let graph = object::<B::Graph>(graph)?;
        let out = args::out(executable)?;
        out.write(export(&graph.instantiate()?));
        Ok(())
    }

    fn urGraphDestroyExp<B>(graph: ExpGraphHandle) {
        // One that a queue captures into goes as well. The capture then has no graph to end with.
        release_to::<B::Graph>(graph, |graph| {
            graph.destroy();
            // Not under the lock: they call the client.
            let deleters = take(&mut *graph.graph_cell().deleters.lock());
            drop(deleters);
        })
    }

    fn urGraphExecutableGraphDestroyExp<B>(graph: ExpExecutableGraphHandle) {
        release::<B::ExecutableGraph>(graph)
    }

    fn urGraphIsEmptyExp<B>(graph: ExpGraphHandle, result: *mut bool) {
        let graph = object::<B::Graph>(graph)?;
        args::out(result)?.write(graph.is_empty()?);
        Ok(())
    }

    fn urGraphGetIdExp<B>(graph: ExpGraphHandle, id: *mut u64) {
        let graph = object::<B::Graph>(graph)?;
        args::out(id)?.write(graph.graph_cell().id);
        Ok(())
    }

    fn urGraphSetDestructionCallbackExp<B>(
        graph: ExpGraphHandle, callback: ExpGraphDestructionCallback, user_data: *mut c_void,
    ) {
        let graph = object::<B::Graph>(graph)?;
        let function = callback.ok_or(ResultCode::ERROR_INVALID_NULL_POINTER)?;
        graph.graph_cell().deleters.lock().add(function, user_data);
        Ok(())
    }

    fn urGraphDumpContentsExp<B>(graph: ExpGraphHandle, file: *const c_char) {
        let graph = object::<B::Graph>(graph)?;
        graph.dump(path(args::c_str(file)?))
    }

    fn urGraphGetNativeHandleExp<B>(graph: ExpGraphHandle, native: *mut NativeHandle) {
        let graph = object::<B::Graph>(graph)?;
        args::out(native)?.write(graph.native()?);
        Ok(())
    }

    fn urGraphExecutableGraphGetNativeHandleExp<B>(graph: ExpExecutableGraphHandle, native: *mut NativeHandle) {
        let graph = object::<B::ExecutableGraph>(graph)?;
        args::out(native)?.write(graph.native()?);
        Ok(())
    }
}

command_entry! {
    pub(crate) fn urEnqueueGraphExp<B>(queue, graph: ExpExecutableGraphHandle; wait, event) {
        let graph = object::<B::ExecutableGraph>(graph)?;
        graph.check_queue(&queue)?;
    } run { graph.enqueue(&queue, wait, event) } record {
        match graph.command_buffer() {
            Some(buffer) => Recorded::Run(buffer),
            None => return Err(unsupported_in_capture("a graph of the driver's cannot become part of another")),
        }
    }
}

oxur_api::graph_exp_functions! { entry_points {} }
