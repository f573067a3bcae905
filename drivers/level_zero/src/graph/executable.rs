// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Executable graphs: plans of what was recorded, which lists execute any number of times.

use std::ffi::c_void;
use std::sync::Arc;

use level_zero_sys::*;
use oxur_device_cpu::exec::Node;
use oxur_device_cpu::exec::plan::{Plan, PlanBuilder};
use oxur_device_cpu::order::OrderFlags;
use oxur_fork::Mutex;

use super::capture::{self, Captured};
use super::{Graph, Primary, check_complete};
use crate::CommandList;
use crate::command::{Events, SignalAtEnd};
use crate::command_list::append::target;
use crate::command_list::recording::step;
use crate::entry::{Error, ZeResult, entry};
use crate::handle::{destroy, export, object, out};

/// An executable graph.
pub(crate) struct ExecutableGraph {
    source: Arc<Graph>,
    source_handle: usize,
    primary: Option<Primary>,
    plan: Plan,
    /// What signals events when steps end.
    signals: Vec<Arc<SignalAtEnd>>,
    /// The last execution: the next one begins after it.
    last: Mutex<Option<Arc<dyn Node>>>,
}

impl ExecutableGraph {
    fn new(source: &Arc<Graph>, handle: ze_graph_handle_t) -> ZeResult<Self> {
        let state = source.state.lock();
        check_complete(state.phase)?;
        let mut builder = PlanBuilder::default();
        let mut signals = Vec::new();
        for node in &state.nodes {
            signals.extend_from_slice(&node.contained);
            builder.push(step(&node.command, &mut signals), &node.dependencies);
        }
        Ok(Self {
            source: source.clone(),
            source_handle: handle as usize,
            primary: state.primary,
            plan: builder.finish(),
            signals,
            last: Mutex::default(),
        })
    }

    fn check_list(&self, list: &CommandList) -> ZeResult {
        let refused = |why: &str| Err(Error::new(ZE_RESULT_ERROR_INVALID_ARGUMENT, why));
        if !list.is_immediate() {
            return refused("a graph is executed by immediate command lists, as it was recorded by them");
        }
        if !Arc::ptr_eq(&self.source.context, &list.context) {
            return refused("the graph and the command list are of different contexts");
        }
        match self.primary {
            Some(primary) if primary.device != Arc::as_ptr(&list.device) as usize => {
                refused("the graph was recorded by a command list of another device")
            }
            Some(primary) if primary.ordinal != list.ordinal() => {
                refused("the graph was recorded by a command list of another group of queues")
            }
            _ => Ok(()),
        }
    }

    /// Appends an execution to a list.
    fn append(&self, list: &CommandList, mut events: Events) -> ZeResult {
        self.check_list(list)?;
        if capture::is_any() && capture::joins(list, &events)? {
            return capture::record(
                list,
                Captured {
                    contained: self.signals.clone(),
                    executable: Some(std::ptr::from_ref(self) as usize),
                    ..Captured::new(Arc::new(self.plan.clone()), OrderFlags::default(), events)
                },
            );
        }
        let task = {
            let mut last = self.last.lock();
            events.after = last.take().filter(|last| !last.is_over());
            self.signals.iter().for_each(|signal| signal.submitted());
            let task = list.submit(self.plan.clone(), OrderFlags::default(), events)?;
            last.clone_from(&task);
            task
        };
        list.finish(task)
    }
}

entry! {
    fn zeGraphInstantiateExt(
        graph: ze_graph_handle_t,
        _next: *const c_void,
        executable: *mut ze_executable_graph_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        let (source, executable) = unsafe { (object::<Graph>(graph)?, out(executable)?) };
        *executable = export(Arc::new(ExecutableGraph::new(source, graph)?));
        Ok(())
    }

    fn zeExecutableGraphDestroyExt(graph: ze_executable_graph_handle_t) {
        // Executions have a share of the plan.
        // SAFETY: passed on to the caller.
        unsafe { destroy::<ExecutableGraph>(graph) }?;
        Ok(())
    }

    fn zeExecutableGraphGetSourceGraphExt(graph: ze_executable_graph_handle_t, source: *mut ze_graph_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe { *out(source)? = object::<ExecutableGraph>(graph)?.source_handle as ze_graph_handle_t };
        Ok(())
    }

    fn zeCommandListAppendGraphExt(
        list: ze_command_list_handle_t,
        graph: ze_executable_graph_handle_t,
        _next: *const c_void,
        signal: ze_event_handle_t,
        count: u32,
        waits: *mut ze_event_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        unsafe {
            let (list, events) = target(list, signal, count, waits)?;
            object::<ExecutableGraph>(graph)?.append(list, events)
        }
    }
}
