// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Graphs: commands that queues capture, and their executable forms.

use std::ffi::CString;
use std::path::Path;

use oxur_api::*;

use crate::event::WaitList;
use crate::{Context, Event, Loader, Queue, Result};

/// Defines an object without a reference count: its owner destroys it.
macro_rules! owned {
    ($(#[doc = $doc:literal])* $name:ident($handle:ident): $destroy:ident) => {
        $(#[doc = $doc])*
        #[derive(Debug)]
        pub struct $name {
            handle: $handle,
            loader: Loader,
        }

        impl $name {
            /// The handle.
            pub fn raw(&self) -> $handle {
                self.handle
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                // SAFETY: the handle is alive and ours.
                if let Err(error) = unsafe { self.loader.fns().$destroy(self.handle) } {
                    eprintln!(concat!("oxur-client: dropping a ", stringify!($name), ": {}"), error);
                }
            }
        }
    };
}

owned! {
    /// Commands that were captured.
    Graph(ExpGraphHandle): urGraphDestroyExp
}

owned! {
    /// An executable graph.
    ExecutableGraph(ExpExecutableGraphHandle): urGraphExecutableGraphDestroyExp
}

impl Graph {
    /// An empty graph.
    pub fn new(context: &Context) -> Result<Self> {
        let mut handle = ExpGraphHandle::default();
        // SAFETY: the handle is alive and the result pointer is valid.
        unsafe { context.fns().urGraphCreateExp(context.raw(), &mut handle) }?;
        let loader = context.loader().clone();
        Ok(Self { handle, loader })
    }

    /// Creates an executable graph.
    pub fn instantiate(&self) -> Result<ExecutableGraph> {
        let mut handle = ExpExecutableGraphHandle::default();
        // SAFETY: the handle is alive and the result pointer is valid.
        unsafe { self.loader.fns().urGraphInstantiateGraphExp(self.handle, &mut handle) }?;
        let loader = self.loader.clone();
        Ok(ExecutableGraph { handle, loader })
    }

    /// The driver's handle.
    pub fn native(&self) -> Result<NativeHandle> {
        let mut native = NativeHandle::default();
        // SAFETY: the handle is alive and the result pointer is valid.
        unsafe { self.loader.fns().urGraphGetNativeHandleExp(self.handle, &mut native) }?;
        Ok(native)
    }

    /// Whether it has no commands.
    pub fn is_empty(&self) -> Result<bool> {
        let mut result = false;
        // SAFETY: the handle is alive and the result pointer is valid.
        unsafe { self.loader.fns().urGraphIsEmptyExp(self.handle, &mut result) }?;
        Ok(result)
    }

    /// Its id, which is unique in the process.
    pub fn id(&self) -> Result<u64> {
        let mut id = 0;
        // SAFETY: the handle is alive and the result pointer is valid.
        unsafe { self.loader.fns().urGraphGetIdExp(self.handle, &mut id) }?;
        Ok(id)
    }

    /// Writes a description to a file.
    pub fn dump(&self, file: &Path) -> Result<()> {
        let name = CString::new(file.as_os_str().as_encoded_bytes())?;
        // SAFETY: the handle is alive and the name ends with NUL.
        unsafe { self.loader.fns().urGraphDumpContentsExp(self.handle, name.as_ptr()) }
    }
}

impl ExecutableGraph {
    /// The driver's handle.
    pub fn native(&self) -> Result<NativeHandle> {
        let mut native = NativeHandle::default();
        // SAFETY: the handle is alive and the result pointer is valid.
        unsafe {
            self.loader
                .fns()
                .urGraphExecutableGraphGetNativeHandleExp(self.handle, &mut native)
        }?;
        Ok(native)
    }
}

impl Queue {
    /// Begins to capture commands into a new graph.
    pub fn begin_capture(&self) -> Result<()> {
        // SAFETY: the handle is alive.
        unsafe { self.fns().urQueueBeginGraphCaptureExp(self.raw()) }
    }

    /// Ends the capture.
    pub fn end_capture(&self) -> Result<Graph> {
        let mut handle = ExpGraphHandle::default();
        // SAFETY: the handle is alive and the result pointer is valid.
        unsafe { self.fns().urQueueEndGraphCaptureExp(self.raw(), &mut handle) }?;
        let loader = self.loader().clone();
        Ok(Graph { handle, loader })
    }

    /// Captures what `commands` enqueues, on this queue and on those that join it, into a graph.
    pub fn capture_into(&self, graph: &Graph, commands: impl FnOnce() -> Result<()>) -> Result<()> {
        // SAFETY: the handles are alive.
        unsafe { self.fns().urQueueBeginCaptureIntoGraphExp(self.raw(), graph.raw()) }?;
        let enqueued = commands();
        let mut handle = ExpGraphHandle::default();
        // SAFETY: the handle is alive and the result pointer is valid.
        unsafe { self.fns().urQueueEndGraphCaptureExp(self.raw(), &mut handle) }?;
        assert_eq!(handle, graph.raw(), "the graph is the client's");
        enqueued
    }

    /// Captures what `commands` enqueues, on this queue and on those that join it.
    pub fn capture(&self, commands: impl FnOnce() -> Result<()>) -> Result<Graph> {
        self.begin_capture()?;
        let enqueued = commands();
        let graph = self.end_capture()?;
        enqueued.map(|()| graph)
    }

    /// Whether the queue captures.
    pub fn captures(&self) -> Result<bool> {
        let mut result = false;
        // SAFETY: the handle is alive and the result pointer is valid.
        unsafe { self.fns().urQueueIsGraphCaptureEnabledExp(self.raw(), &mut result) }?;
        Ok(result)
    }

    /// Runs a graph.
    ///
    /// # Safety
    /// The memory accesses of the captured commands must be valid until they have finished.
    pub unsafe fn run_graph(&self, graph: &ExecutableGraph, wait: &[&Event]) -> Result<Event> {
        let wait = WaitList::new(wait);
        self.enqueue(|event| {
            // SAFETY: the handles are alive; the caller vouches for the commands.
            unsafe {
                self.fns()
                    .urEnqueueGraphExp(self.raw(), graph.raw(), wait.len(), wait.ptr(), event)
            }
        })
    }

    /// Calls a function on the host.
    ///
    /// # Safety
    /// The function must be callable with `data` whenever the command, or a graph that captured it, runs.
    pub unsafe fn host_task(&self, task: ExpHostTaskFunction, data: *mut c_void, wait: &[&Event]) -> Result<Event> {
        let wait = WaitList::new(wait);
        self.enqueue(|event| {
            let properties = core::ptr::null();
            // SAFETY: the handles are alive; the caller vouches for the function.
            unsafe {
                self.fns()
                    .urEnqueueHostTaskExp(self.raw(), task, data, properties, wait.len(), wait.ptr(), event)
            }
        })
    }
}
