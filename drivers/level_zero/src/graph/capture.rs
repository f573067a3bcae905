// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Captures: lists record their commands into a graph, and so do lists that wait for what they signal.
//!
//! Lists know nothing of captures but this: while there is any in the process, each append asks [`joins`] first. The
//! state is behind one lock, because a command can make a list take part that did not before.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use level_zero_sys::*;
use oxur_device_cpu::exec::Work;
use oxur_device_cpu::order::OrderFlags;
use oxur_fork::Mutex;

use super::{Graph, Node, Phase, Primary};
use crate::command::{Events, SignalAtEnd};
use crate::command_list::recording::{ListOrder, Recorded};
use crate::entry::{Error, ZeResult};
use crate::handle::{destroy, export};
use crate::{CommandList, Event};

/// The captures that are going on.
static CAPTURES: Mutex<Vec<Capture>> = Mutex::new(Vec::new());

/// How many there are.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// A capture.
struct Capture {
    graph: Arc<Graph>,
    handle: usize,
    /// Whether the client made the graph, and destroys it whatever happens.
    is_clients: bool,
    /// The lists that take part. The first is the one that the capture began on.
    lists: Vec<Member>,
    /// The events that captured commands signal, by address, with the command that signals each last.
    events: HashMap<usize, (Arc<Event>, u32)>,
    /// The last command that executes each executable graph, by address: executions of one do not overlap.
    executions: HashMap<usize, u32>,
    /// Why it cannot be completed.
    broken: Option<&'static str>,
}

/// A list that takes part in a capture.
struct Member {
    /// Its address.
    list: usize,
    order: ListOrder,
}

/// A command to record.
pub(crate) struct Captured {
    pub(crate) work: Arc<dyn Work>,
    pub(crate) flags: OrderFlags,
    pub(crate) events: Events,
    /// Signals of the lists in it.
    pub(crate) contained: Vec<Arc<SignalAtEnd>>,
    /// The address of the executable graph that it executes.
    pub(crate) executable: Option<usize>,
}

impl Captured {
    /// A command without lists or graphs in it.
    pub(crate) fn new(work: Arc<dyn Work>, flags: OrderFlags, events: Events) -> Self {
        Self {
            work,
            flags,
            events,
            contained: Vec::new(),
            executable: None,
        }
    }
}

fn address<T>(object: &T) -> usize {
    std::ptr::from_ref(object) as usize
}

impl Capture {
    fn member(&self, list: &CommandList) -> Option<usize> {
        let list = address(list);
        self.lists.iter().position(|member| member.list == list)
    }

    fn signals(&self, event: &Event) -> bool {
        self.events.contains_key(&address(event))
    }
}

/// Whether any capture is going on.
#[inline]
pub(crate) fn is_any() -> bool {
    COUNT.load(Ordering::Relaxed) != 0
}

fn unsupported(why: &str) -> Error {
    Error::new(ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED, why)
}

/// Whether a list captures.
pub(crate) fn is_capturing(list: &CommandList) -> bool {
    is_any() && CAPTURES.lock().iter().any(|capture| capture.member(list).is_some())
}

/// Checks that the host may wait for a list.
pub(crate) fn check_list_wait(list: &CommandList) -> ZeResult {
    match is_capturing(list) {
        true => Err(unsupported(
            "the host cannot wait for a command list that captures a graph",
        )),
        false => Ok(()),
    }
}

/// Checks that the host may wait for an event.
pub(crate) fn check_event_wait(event: &Event) -> ZeResult {
    if is_any() && CAPTURES.lock().iter().any(|capture| capture.signals(event)) {
        return Err(unsupported(
            "the host cannot wait for an event that a captured command signals",
        ));
    }
    Ok(())
}

/// Checks that the host may ask for the state of an event.
pub(crate) fn check_event_query(event: &Event) -> ZeResult {
    match is_any() && event.is_internal() && CAPTURES.lock().iter().any(|capture| capture.signals(event)) {
        true => Err(internal_event()),
        false => Ok(()),
    }
}

fn internal_event() -> Error {
    Error::new(
        ZE_RESULT_ERROR_GRAPH_INTERNAL_EVENT,
        "a counter-based event of captured commands cannot be used outside of the capture: create it with \
         ZE_EVENT_COUNTER_BASED_FLAG_GRAPH_EXTERNAL, or end the capture first",
    )
}

/// Begins a capture on a list. `handle` is the list's.
pub(super) fn begin(
    list: &CommandList,
    handle: ze_command_list_handle_t,
    graph: Arc<Graph>,
    clients: Option<ze_graph_handle_t>,
) -> ZeResult {
    let refused = |why: &str| Err(Error::new(ZE_RESULT_ERROR_INVALID_ARGUMENT, why));
    if !list.is_asynchronous() {
        return refused("only an immediate command list that is not synchronous captures a graph");
    }
    let mut captures = CAPTURES.lock();
    if captures.iter().any(|capture| capture.member(list).is_some()) {
        return refused("the command list captures a graph already");
    }
    let mut state = graph.state.lock();
    if state.phase != Phase::New {
        return refused("a graph must be empty when a capture into it begins");
    }
    state.phase = Phase::Recording;
    state.primary = Some(Primary {
        handle: handle as usize,
        device: Arc::as_ptr(&list.device) as usize,
        ordinal: list.ordinal(),
    });
    drop(state);
    captures.push(Capture {
        handle: match clients {
            Some(handle) => handle,
            None => export(graph.clone()),
        } as usize,
        is_clients: clients.is_some(),
        graph,
        lists: vec![Member {
            list: address(list),
            order: ListOrder::new(list.is_in_order()),
        }],
        events: HashMap::new(),
        executions: HashMap::new(),
        broken: None,
    });
    COUNT.store(captures.len(), Ordering::Relaxed);
    Ok(())
}

/// The error for a list that captures nothing.
fn not_capturing() -> Error {
    Error::new(
        ZE_RESULT_ERROR_COMMAND_LIST_NOT_CAPTURING,
        "the command list captures no graph",
    )
}

/// The graph that a list captures.
pub(super) fn graph_of(list: &CommandList) -> ZeResult<ze_graph_handle_t> {
    let captures = CAPTURES.lock();
    let found = captures.iter().find(|capture| capture.member(list).is_some());
    found
        .map(|capture| capture.handle as ze_graph_handle_t)
        .ok_or_else(not_capturing)
}

/// Ends the capture of a list, on which it must have begun. One that cannot be completed ends, too: its graph is
/// invalid, and goes unless the client made it.
pub(super) fn end(list: &CommandList) -> ZeResult<ze_graph_handle_t> {
    let mut captures = CAPTURES.lock();
    let index = captures.iter().position(|capture| capture.member(list).is_some());
    let index = index.ok_or_else(not_capturing)?;
    if captures[index].member(list) != Some(0) {
        return Err(Error::new(
            ZE_RESULT_ERROR_INVALID_ARGUMENT,
            "a capture ends on the command list that it began on",
        ));
    }
    let capture = captures.swap_remove(index);
    COUNT.store(captures.len(), Ordering::Relaxed);
    drop(captures);
    let handle = capture.handle as ze_graph_handle_t;
    let checked = complete(&capture);
    if checked.is_err() && !capture.is_clients {
        // SAFETY: the handle was made by `begin`, and the client does not own it before this function gives it away.
        let gone = unsafe { destroy::<Graph>(handle) };
        gone.iter().for_each(|graph| graph.call_callbacks());
    }
    checked.map(|()| handle)
}

/// Checks what was captured.
fn complete(capture: &Capture) -> ZeResult {
    let mut state = capture.graph.state.lock();
    let checked = match capture.broken {
        Some(why) => Err(Error::new(ZE_RESULT_ERROR_GRAPH_CAPTURE_INVALIDATED, why)),
        None => check_joined(&state.nodes, capture.lists.len()),
    };
    state.phase = match checked {
        Ok(()) => Phase::Complete,
        Err(_) => Phase::Invalid,
    };
    if checked.is_err() {
        state.nodes.clear();
    }
    checked
}

/// Checks that the first list waits for all that others do.
fn check_joined(nodes: &[Node], lists: usize) -> ZeResult {
    let mut joined: Vec<bool> = nodes.iter().map(|node| node.list == 0).collect();
    for (index, node) in nodes.iter().enumerate().rev() {
        if joined[index] {
            node.dependencies
                .iter()
                .for_each(|before| joined[*before as usize] = true);
        }
    }
    let mut has_joined = vec![false; lists];
    for (node, joined) in nodes.iter().zip(&joined) {
        has_joined[node.list as usize] |= joined;
    }
    // Waits and signals are no work that is lost.
    let lost = nodes
        .iter()
        .zip(&joined)
        .find(|(node, joined)| !**joined && node.command.work.chunks() != 0);
    let why = match (lost, has_joined.iter().skip(1).any(|joined| !joined)) {
        (Some((node, _)), _) => format!(
            "{} was captured on a list that forked, and the list that the capture began on does not wait for it",
            node.command.work.describe()
        ),
        (None, true) => "the list that the capture began on does not wait for a list that forked".to_owned(),
        (None, false) => return Ok(()),
    };
    Err(Error::new(ZE_RESULT_ERROR_GRAPH_UNJOINED_FORKS, why))
}

/// Whether a command of a list is to be captured: the list captures, or begins to by what the command waits for.
pub(crate) fn joins(list: &CommandList, events: &Events) -> ZeResult<bool> {
    let mut captures = CAPTURES.lock();
    let own = captures.iter().position(|capture| capture.member(list).is_some());
    let mut into = own;
    for event in &events.waits {
        let Some(other) = captures.iter().position(|capture| capture.signals(event)) else {
            continue;
        };
        if into.is_some_and(|into| into != other) {
            return Err(Error::new(
                ZE_RESULT_ERROR_GRAPH_CAPTURE_MERGE_ATTEMPT,
                "the command waits for an event of another capture: two captures cannot become one",
            ));
        }
        if own.is_none() && !list.is_asynchronous() {
            match (list.is_immediate(), event.is_internal()) {
                // It waits when it is executed.
                (false, false) => continue,
                (false, true) => return Err(internal_event()),
                (true, _) => return Err(unsupported("a synchronous command list cannot take part in a capture")),
            }
        }
        into = Some(other);
    }
    if let Some(signal) = &events.signal
        && let Some(other) = captures.iter().position(|capture| capture.signals(signal))
        && into != Some(other)
    {
        if signal.is_internal() {
            return Err(internal_event());
        }
        // From now on it is that of another command.
        captures[other].events.remove(&address(&**signal));
    }
    Ok(into.is_some())
}

/// Records a command of a list for which [`joins`] said so.
pub(crate) fn record(list: &CommandList, command: Captured) -> ZeResult {
    let Captured {
        work,
        flags,
        mut events,
        contained,
        executable,
    } = command;
    let mut captures = CAPTURES.lock();
    let capture = captures
        .iter_mut()
        .find(|capture| capture.member(list).is_some() || events.waits.iter().any(|event| capture.signals(event)))
        .ok_or_else(|| {
            Error::new(
                ZE_RESULT_ERROR_GRAPH_CAPTURE_INVALIDATED,
                "the capture has ended meanwhile",
            )
        })?;
    let member = capture.member(list).unwrap_or_else(|| {
        capture.lists.push(Member {
            list: address(list),
            order: ListOrder::new(list.is_in_order()),
        });
        capture.lists.len() - 1
    });
    let mut state = capture.graph.state.lock();
    let number = state.nodes.len() as u32;
    let mut dependencies = capture.lists[member].order.push(number, flags).into_vec();
    // What a captured command signals is an edge of the graph. Other events are looked at in each execution.
    events
        .waits
        .retain(|event| match capture.events.get(&address(&**event)) {
            Some((_, before)) => {
                dependencies.push(*before);
                false
            }
            None => true,
        });
    if let Some(executable) = executable
        && let Some(before) = capture.executions.insert(executable, number)
    {
        dependencies.push(before);
    }
    dependencies.sort_unstable();
    dependencies.dedup();
    if let Some(signal) = &events.signal {
        capture.events.insert(address(&**signal), (signal.clone(), number));
    }
    events.signal = events.signal.filter(|signal| !signal.is_internal());
    state.nodes.push(Node {
        command: Recorded::new(work, flags, events),
        dependencies,
        list: member as u32,
        contained,
    });
    Ok(())
}

/// A command of a list resets an event. If it is captured, what waits for the event from then on waits for another
/// signal.
pub(crate) fn reset(list: &CommandList, event: &Event) {
    if !is_any() || event.is_counter_based() {
        return;
    }
    let mut captures = CAPTURES.lock();
    if let Some(capture) = captures.iter_mut().find(|capture| capture.member(list).is_some()) {
        capture.events.remove(&address(event));
    }
}

/// A list goes. A capture in which it takes part cannot be completed, and ends with the list that it began on.
pub(crate) fn destroyed(list: &CommandList) {
    if !is_any() {
        return;
    }
    let mut captures = CAPTURES.lock();
    let Some(index) = captures.iter().position(|capture| capture.member(list).is_some()) else {
        return;
    };
    let capture = &mut captures[index];
    log::error!("a command list was destroyed that captures a graph: the capture is invalid");
    capture.broken = Some("a command list that took part in the capture was destroyed");
    if capture.member(list) != Some(0) {
        // Another list may get its address.
        capture
            .lists
            .iter_mut()
            .filter(|member| member.list == address(list))
            .for_each(|member| member.list = 0);
        return;
    }
    let capture = captures.swap_remove(index);
    COUNT.store(captures.len(), Ordering::Relaxed);
    drop(captures);
    _ = complete(&capture);
    if !capture.is_clients {
        // SAFETY: as in `end`.
        let gone = unsafe { destroy::<Graph>(capture.handle as ze_graph_handle_t) };
        gone.iter().for_each(|graph| graph.call_callbacks());
    }
}
