// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Graphs: what immediate lists record instead of running it, to be executed any number of times
//! (`ZE_extension_record_replay_graph`).
//!
//! [`capture`] records commands, [`executable`] makes plans of them and appends these to lists, and [`dump`] draws
//! them.

pub(crate) mod capture;
mod dump;
pub(crate) mod executable;

use std::ffi::{CStr, c_char, c_void};
use std::path::Path;
use std::sync::Arc;

use level_zero_sys::*;
use oxur_fork::Mutex;

use crate::command_list::recording::Recorded;
use crate::entry::{Error, ZeResult, entry, err};
use crate::handle::{destroy, export, object, out, required};
use crate::{CommandList, Context};

/// A graph.
pub(crate) struct Graph {
    context: Arc<Context>,
    state: Mutex<State>,
}

/// What a graph has, and what becomes of it.
#[derive(Default)]
struct State {
    nodes: Vec<Node>,
    phase: Phase,
    /// The handle of the list that the capture began on, and what it has to do with where the graph may be executed.
    primary: Option<Primary>,
    callbacks: Vec<Callback>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Phase {
    /// Nothing was recorded.
    #[default]
    New,
    /// A capture is recording.
    Recording,
    /// A capture has ended.
    Complete,
    /// A capture could not be completed.
    Invalid,
}

/// The list that a capture began on.
#[derive(Clone, Copy)]
struct Primary {
    handle: usize,
    device: usize,
    ordinal: u32,
}

/// A command of a graph.
struct Node {
    command: Recorded,
    /// The commands that it depends on, by their numbers.
    dependencies: Vec<u32>,
    /// The number of its list: 0 is the one that the capture began on.
    list: u32,
    /// Signals of the lists in it, which each execution has to announce: see [`executable`].
    contained: Vec<Arc<crate::command::SignalAtEnd>>,
}

/// A function of the client's that is called when a graph goes.
struct Callback {
    function: unsafe extern "C" fn(*mut c_void),
    data: usize,
}

impl Graph {
    fn new(context: &Arc<Context>) -> Arc<Self> {
        Arc::new(Self {
            context: context.clone(),
            state: Mutex::default(),
        })
    }

    /// The client lets the graph go.
    fn call_callbacks(&self) {
        let callbacks = std::mem::take(&mut self.state.lock().callbacks);
        for Callback { function, data } in callbacks {
            // SAFETY: the client's function, with its own data.
            unsafe { function(data as *mut c_void) };
        }
    }
}

/// The error of a graph whose capture failed or has not ended.
fn check_complete(phase: Phase) -> ZeResult {
    match phase {
        Phase::New | Phase::Complete => Ok(()),
        Phase::Recording => Err(Error::new(
            ZE_RESULT_ERROR_INVALID_GRAPH,
            "the graph is still being recorded: call zeCommandListEndGraphCaptureExt first",
        )),
        Phase::Invalid => Err(invalid()),
    }
}

fn invalid() -> Error {
    Error::new(
        ZE_RESULT_ERROR_INVALID_GRAPH,
        "the capture of the graph failed, so it cannot be used: destroy it and capture again",
    )
}

/// A question with two answers, which are codes.
fn query(yes: bool) -> ZeResult {
    Err(Error::answer(if yes {
        ZE_RESULT_QUERY_TRUE
    } else {
        ZE_RESULT_QUERY_FALSE
    }))
}

entry! {
    fn zeGraphCreateExt(context: ze_context_handle_t, _next: *const c_void, graph: *mut ze_graph_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe { *out(graph)? = export(Graph::new(object::<Context>(context)?)) };
        Ok(())
    }

    fn zeGraphDestroyExt(graph: ze_graph_handle_t) {
        // SAFETY: passed on to the caller.
        let own = unsafe { object::<Graph>(graph) }?;
        if own.state.lock().phase == Phase::Recording {
            return Err(Error::new(
                ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE,
                "the graph is being recorded: end the capture before it is destroyed",
            ));
        }
        if Arc::strong_count(own) != 1 {
            return Err(Error::new(
                ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE,
                "executable graphs that were made of the graph must be destroyed before it",
            ));
        }
        // SAFETY: passed on to the caller.
        unsafe { destroy::<Graph>(graph) }?.call_callbacks();
        Ok(())
    }

    fn zeGraphIsEmptyExt(graph: ze_graph_handle_t) {
        // SAFETY: passed on to the caller.
        let state = unsafe { object::<Graph>(graph) }?.state.lock();
        match state.phase {
            Phase::Invalid => Err(invalid()),
            _ => query(state.nodes.is_empty()),
        }
    }

    fn zeGraphGetPrimaryCommandListExt(graph: ze_graph_handle_t, list: *mut ze_command_list_handle_t) {
        // SAFETY: passed on to the caller.
        let (graph, list) = unsafe { (object::<Graph>(graph)?, out(list)?) };
        let primary = graph.state.lock().primary;
        let Some(primary) = primary else {
            *list = std::ptr::null_mut();
            return Err(Error::new(ZE_RESULT_ERROR_INVALID_ARGUMENT, "nothing was captured into the graph"));
        };
        *list = primary.handle as ze_command_list_handle_t;
        Ok(())
    }

    fn zeGraphSetDestructionCallbackExt(
        graph: ze_graph_handle_t,
        function: zex_mem_graph_free_callback_fn_t,
        data: *mut c_void,
        _next: *const c_void,
    ) {
        // SAFETY: passed on to the caller.
        let graph = unsafe { object::<Graph>(graph) }?;
        let Some(function) = function else {
            return err(ZE_RESULT_ERROR_INVALID_NULL_POINTER);
        };
        graph.state.lock().callbacks.push(Callback { function, data: data as usize });
        Ok(())
    }

    fn zeGraphDumpContentsExt(graph: ze_graph_handle_t, path: *const c_char, next: *const c_void) {
        // SAFETY: passed on to the caller.
        let (graph, path, mode) = unsafe {
            let graph = object::<Graph>(graph)?;
            required(path)?;
            (graph, CStr::from_ptr(path), dump::mode(next)?)
        };
        use std::os::unix::ffi::OsStrExt;
        let path = Path::new(std::ffi::OsStr::from_bytes(path.to_bytes()));
        let text = dump::dot(&graph.state.lock().nodes, mode);
        std::fs::write(path, text).map_err(|error| {
            Error::new(ZE_RESULT_ERROR_INVALID_ARGUMENT, format_args!("{} cannot be written: {error}", path.display()))
        })
    }

    fn zeCommandListIsGraphCaptureEnabledExt(list: ze_command_list_handle_t) {
        // SAFETY: passed on to the caller.
        query(capture::is_capturing(unsafe { object::<CommandList>(list) }?))
    }

    fn zeCommandListBeginGraphCaptureExt(list: ze_command_list_handle_t, _next: *const c_void) {
        // SAFETY: passed on to the caller.
        let own = unsafe { object::<CommandList>(list) }?;
        capture::begin(own, list, Graph::new(&own.context), None)
    }

    fn zeCommandListBeginCaptureIntoGraphExt(
        list: ze_command_list_handle_t,
        graph: ze_graph_handle_t,
        _next: *const c_void,
    ) {
        // SAFETY: passed on to the caller.
        let (own, into) = unsafe { (object::<CommandList>(list)?, object::<Graph>(graph)?) };
        if !Arc::ptr_eq(&own.context, &into.context) {
            return Err(Error::new(
                ZE_RESULT_ERROR_INVALID_ARGUMENT,
                "the graph and the command list are of different contexts",
            ));
        }
        capture::begin(own, list, into.clone(), Some(graph))
    }

    fn zeCommandListEndGraphCaptureExt(
        list: ze_command_list_handle_t,
        _next: *const c_void,
        graph: *mut ze_graph_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        let (list, graph) = unsafe { (object::<CommandList>(list)?, out(graph)?) };
        *graph = std::ptr::null_mut();
        *graph = capture::end(list)?;
        Ok(())
    }

    fn zeCommandListGetGraphExt(list: ze_command_list_handle_t, graph: *mut ze_graph_handle_t) {
        // SAFETY: passed on to the caller.
        let (list, graph) = unsafe { (object::<CommandList>(list)?, out(graph)?) };
        *graph = std::ptr::null_mut();
        *graph = capture::graph_of(list)?;
        Ok(())
    }
}
