// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Graphs that immediate lists record: ZE_extension_record_replay_graph.

use std::ffi::c_void;
use std::fs;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};

use oxur_conformance_level_zero::sys::*;
use oxur_conformance_level_zero::{Event, List, Rig, expect, handles_of, has_extension, loader_is_old, ok, ze};

/// The rig, if the driver records graphs.
fn rig() -> Option<Rig> {
    let rig = Rig::executing()?;
    if loader_is_old() {
        println!("not run: the loader is older than graphs, and passes none of their functions on");
        return None;
    }
    if has_extension(&rig, ZE_RECORD_REPLAY_GRAPH_EXT_NAME) {
        return Some(rig);
    }
    panic!("the driver has no {ZE_RECORD_REPLAY_GRAPH_EXT_NAME:?}");
}

/// A counter-based event, with flags.
fn counter_based(rig: &Rig, flags: ze_event_counter_based_flags_t) -> Event {
    let desc = ze_event_counter_based_desc_t {
        flags: flags | ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE | ZE_EVENT_COUNTER_BASED_FLAG_HOST_VISIBLE,
        signal: ZE_EVENT_SCOPE_FLAG_HOST,
        wait: ZE_EVENT_SCOPE_FLAG_HOST,
        ..Default::default()
    };
    let mut event = null_mut();
    ok!(zeEventCounterBasedCreate(
        rig.context.raw(),
        rig.device,
        &desc,
        &mut event
    ));
    Event::from_raw(event, None)
}

fn destroy(graph: ze_graph_handle_t, executable: ze_executable_graph_handle_t) {
    ok!(zeExecutableGraphDestroyExt(executable));
    ok!(zeGraphDestroyExt(graph));
}

fn is_capturing(list: &List) -> bool {
    match ze!(zeCommandListIsGraphCaptureEnabledExt(list.raw())) {
        ZE_RESULT_QUERY_TRUE => true,
        ZE_RESULT_QUERY_FALSE => false,
        code => panic!("zeCommandListIsGraphCaptureEnabledExt gave {code}"),
    }
}

fn begin(list: &List) {
    ok!(zeCommandListBeginGraphCaptureExt(list.raw(), null()));
}

fn end(list: &List) -> ze_graph_handle_t {
    let mut graph = null_mut();
    ok!(zeCommandListEndGraphCaptureExt(list.raw(), null(), &mut graph));
    assert!(!graph.is_null());
    graph
}

fn instantiate(graph: ze_graph_handle_t) -> ze_executable_graph_handle_t {
    let mut executable = null_mut();
    ok!(zeGraphInstantiateExt(graph, null(), &mut executable));
    executable
}

fn append(list: &List, graph: ze_executable_graph_handle_t, signal: Option<&Event>, wait: &[&Event]) {
    let mut wait = handles_of(wait);
    ok!(zeCommandListAppendGraphExt(
        list.raw(),
        graph,
        null(),
        signal.map_or(null_mut(), Event::raw),
        wait.len() as u32,
        if wait.is_empty() { null_mut() } else { wait.as_mut_ptr() }
    ));
}

/// "append operations issued to the command list are recorded into a graph and are not submitted to the device"; the
/// graph executes as often as it is appended.
#[test]
fn record_and_replay() {
    let Some(rig) = rig() else { return };
    let (list, kernel, data) = (rig.in_order(), rig.kernel("basic", "add"), rig.shared(&[0i32; 64]));
    let out = rig.shared(&[0i32; 64]);
    kernel.group_size([64, 1, 1]);
    kernel.set_ptr(0, data.ptr());
    kernel.set(1, 3i32);
    assert!(!is_capturing(&list));
    begin(&list);
    assert!(is_capturing(&list));
    list.launch(&kernel, [1, 1, 1], None, &[]);
    list.copy(out.ptr(), data.ptr(), 256, None, &[]);
    // The state of a kernel is that of the append.
    kernel.set(1, 1000i32);
    let graph = end(&list);
    assert!(!is_capturing(&list));
    list.synchronize();
    assert_eq!(data.values::<i32>(), [0; 64]);
    expect!(zeGraphIsEmptyExt(graph), ZE_RESULT_QUERY_FALSE);
    let executable = instantiate(graph);
    assert_eq!(data.values::<i32>(), [0; 64]);
    for round in 1..=5 {
        append(&list, executable, None, &[]);
        list.synchronize();
        assert_eq!(out.values::<i32>(), [3 * round; 64]);
    }
    for _ in 0..5 {
        append(&list, executable, None, &[]);
    }
    list.synchronize();
    assert_eq!(out.values::<i32>(), [30; 64]);
    let mut source = null_mut();
    ok!(zeExecutableGraphGetSourceGraphExt(executable, &mut source));
    assert_eq!(source, graph);
    ok!(zeExecutableGraphDestroyExt(executable));
    ok!(zeGraphDestroyExt(graph));
}

/// zeCommandListAppendGraphExt: "graph execution does not begin until all wait events are satisfied", and signals
/// "after all recorded append operations".
#[test]
fn events() {
    let Some(rig) = rig() else { return };
    let (list, data, gate, done) = (rig.in_order(), rig.shared(&[0u32; 4]), rig.event(), rig.event());
    begin(&list);
    list.fill(data.ptr(), &[5u32], 16, None, &[]);
    let graph = end(&list);
    let executable = instantiate(graph);
    append(&list, executable, Some(&done), &[&gate]);
    assert!(!done.is_signalled());
    assert_eq!(data.values::<u32>(), [0; 4]);
    gate.host_signal();
    done.wait();
    assert_eq!(data.values::<u32>(), [5; 4]);
    list.synchronize();
    ok!(zeExecutableGraphDestroyExt(executable));
    ok!(zeGraphDestroyExt(graph));
}

/// zeGraphCreateExt, zeCommandListBeginCaptureIntoGraphExt: "the returned graph handle is the same graph handle that
/// was provided when capture began".
#[test]
fn into_a_graph() {
    let Some(rig) = rig() else { return };
    let (list, data, mut graph) = (rig.in_order(), rig.shared(&[0u32; 4]), null_mut());
    ok!(zeGraphCreateExt(rig.context.raw(), null(), &mut graph));
    expect!(zeGraphIsEmptyExt(graph), ZE_RESULT_QUERY_TRUE);
    ok!(zeCommandListBeginCaptureIntoGraphExt(list.raw(), graph, null()));
    let mut of_list = null_mut();
    ok!(zeCommandListGetGraphExt(list.raw(), &mut of_list));
    assert_eq!(of_list, graph);
    list.fill(data.ptr(), &[6u32], 16, None, &[]);
    assert_eq!(end(&list), graph);
    let mut primary = null_mut();
    ok!(zeGraphGetPrimaryCommandListExt(graph, &mut primary));
    assert_eq!(primary, list.raw());
    let executable = instantiate(graph);
    append(&list, executable, None, &[]);
    list.synchronize();
    assert_eq!(data.values::<u32>(), [6; 4]);
    ok!(zeExecutableGraphDestroyExt(executable));
    ok!(zeGraphDestroyExt(graph));
}

/// "If an event signaled by a captured command list is used in the wait list of another immediate command list, that
/// command list also enters graph capture mode"; "Each fork must be joined".
#[test]
fn forks() {
    let Some(rig) = rig() else { return };
    let (parent, child) = (rig.in_order(), rig.in_order());
    let (fork, join) = (rig.event(), rig.event());
    let (a, b) = (rig.shared(&[0u32; 4]), rig.shared(&[0u32; 4]));
    begin(&parent);
    parent.fill(a.ptr(), &[1u32], 16, Some(&fork), &[]);
    child.copy(b.ptr(), a.ptr(), 16, Some(&join), &[&fork]);
    assert!(is_capturing(&child));
    parent.fill(a.ptr(), &[2u32], 16, None, &[&join]);
    let graph = end(&parent);
    assert!(!is_capturing(&child));
    let executable = instantiate(graph);
    append(&parent, executable, None, &[]);
    parent.synchronize();
    assert_eq!((a.values::<u32>(), b.values::<u32>()), (&[2; 4][..], &[1; 4][..]));
    ok!(zeExecutableGraphDestroyExt(executable));
    ok!(zeGraphDestroyExt(graph));
}

/// zeCommandListEndGraphCaptureExt: ZE_RESULT_ERROR_GRAPH_UNJOINED_FORKS "if graph contains unjoined forks".
#[test]
fn unjoined_fork() {
    let Some(rig) = rig() else { return };
    let (parent, child, fork, data) = (rig.in_order(), rig.in_order(), rig.event(), rig.shared(&[0u32; 4]));
    begin(&parent);
    parent.fill(data.ptr(), &[1u32], 16, Some(&fork), &[]);
    child.fill(data.ptr(), &[2u32], 16, None, &[&fork]);
    expect!(
        zeCommandListEndGraphCaptureExt(parent.raw(), null(), &mut null_mut()),
        ZE_RESULT_ERROR_GRAPH_UNJOINED_FORKS
    );
}

/// "host-side synchronization operations on recorded work … return ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED".
#[test]
fn no_host_synchronisation() {
    let Some(rig) = rig() else { return };
    let (list, data) = (rig.in_order(), rig.shared(&[0u32; 4]));
    begin(&list);
    list.fill(data.ptr(), &[1u32], 16, None, &[]);
    expect!(
        zeCommandListHostSynchronize(list.raw(), 0),
        ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED
    );
    ok!(zeGraphDestroyExt(end(&list)));
}

/// "It is invalid to merge two separate graph capture sessions": ZE_RESULT_ERROR_GRAPH_CAPTURE_MERGE_ATTEMPT.
#[test]
fn no_merge() {
    let Some(rig) = rig() else { return };
    let (first, second, event) = (rig.in_order(), rig.in_order(), rig.event());
    let mut wait = handles_of(&[&event]);
    begin(&first);
    begin(&second);
    first.barrier(Some(&event), &[]);
    expect!(
        zeCommandListAppendBarrier(second.raw(), null_mut(), 1, wait.as_mut_ptr()),
        ZE_RESULT_ERROR_GRAPH_CAPTURE_MERGE_ATTEMPT
    );
    ok!(zeGraphDestroyExt(end(&first)));
    ok!(zeGraphDestroyExt(end(&second)));
}

/// ZE_RESULT_ERROR_COMMAND_LIST_NOT_CAPTURING "if command list is not in graph capture mode"; "and *phGraph is set to
/// null".
#[test]
fn not_capturing() {
    let Some(rig) = rig() else { return };
    let list = rig.in_order();
    let mut graph = 0x10 as ze_graph_handle_t;
    expect!(
        zeCommandListGetGraphExt(list.raw(), &mut graph),
        ZE_RESULT_ERROR_COMMAND_LIST_NOT_CAPTURING
    );
    assert!(graph.is_null());
    expect!(
        zeCommandListEndGraphCaptureExt(list.raw(), null(), &mut graph),
        ZE_RESULT_ERROR_COMMAND_LIST_NOT_CAPTURING
    );
}

/// "must call this function only with an immediate command list", which is not synchronous.
#[test]
fn wrong_lists() {
    let Some(rig) = rig() else { return };
    for list in [rig.list(), rig.synchronous()] {
        let result = ze!(zeCommandListBeginGraphCaptureExt(list.raw(), null()));
        assert_ne!(result, ZE_RESULT_SUCCESS);
    }
}

/// zeGraphSetDestructionCallbackExt: "All registered callbacks are invoked when the graph is destroyed".
#[test]
fn destruction_callbacks() {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    unsafe extern "C" fn called(data: *mut c_void) {
        CALLS.fetch_add(data as usize as u32, Ordering::SeqCst);
    }
    let Some(rig) = rig() else { return };
    let mut graph = null_mut();
    ok!(zeGraphCreateExt(rig.context.raw(), null(), &mut graph));
    ok!(zeGraphSetDestructionCallbackExt(
        graph,
        Some(called),
        100 as *mut c_void,
        null()
    ));
    ok!(zeGraphSetDestructionCallbackExt(
        graph,
        Some(called),
        10 as *mut c_void,
        null()
    ));
    assert_eq!(CALLS.load(Ordering::SeqCst), 0);
    ok!(zeGraphDestroyExt(graph));
    assert_eq!(CALLS.load(Ordering::SeqCst), 110);
}

/// zeGraphDumpContentsExt: "Writes a DOT description", with kernel names.
#[test]
fn dump() {
    let Some(rig) = rig() else { return };
    let (list, kernel, data) = (rig.in_order(), rig.kernel("basic", "add"), rig.shared(&[0i32; 64]));
    kernel.group_size([64, 1, 1]);
    kernel.set_ptr(0, data.ptr());
    kernel.set(1, 3i32);
    begin(&list);
    list.launch(&kernel, [1, 1, 1], None, &[]);
    let graph = end(&list);
    let path = std::env::temp_dir().join(format!("oxur-level-zero-{}.dot", std::process::id()));
    let name = std::ffi::CString::new(path.to_str().expect("UTF-8")).expect("a path");
    ok!(zeGraphDumpContentsExt(graph, name.as_ptr(), null()));
    let text = fs::read_to_string(&path).expect("the file");
    fs::remove_file(&path).expect("the file");
    assert!(text.contains("digraph") && text.contains("add"), "{text}");
    ok!(zeGraphDestroyExt(graph));
}

/// zeGraphInstantiateExt: "Multiple executable graph objects may be created from a single recorded graph".
#[test]
fn several_instances() {
    let Some(rig) = rig() else { return };
    let (list, kernel, data) = (rig.in_order(), rig.kernel("basic", "add"), rig.shared(&[0i32; 64]));
    kernel.group_size([64, 1, 1]);
    kernel.set_ptr(0, data.ptr());
    kernel.set(1, 1i32);
    begin(&list);
    list.launch(&kernel, [1, 1, 1], None, &[]);
    let graph = end(&list);
    let instances = [instantiate(graph), instantiate(graph)];
    for instance in instances {
        append(&list, instance, None, &[]);
    }
    list.synchronize();
    assert_eq!(data.values::<i32>(), [2; 64]);
    for instance in instances {
        ok!(zeExecutableGraphDestroyExt(instance));
    }
    ok!(zeGraphDestroyExt(graph));
}

/// The properties say what the driver can record.
#[test]
fn properties() {
    let Some(rig) = rig() else { return };
    let mut graphs = ze_record_replay_graph_ext_properties_t::default();
    let mut properties = ze_device_properties_t {
        pNext: (&raw mut graphs).cast(),
        ..Default::default()
    };
    ok!(zeDeviceGetProperties(rig.device, &mut properties));
    assert_ne!(graphs.graphFlags & ZE_RECORD_REPLAY_GRAPH_EXT_FLAG_IMMUTABLE_GRAPH, 0);
    let known = ZE_RECORD_REPLAY_GRAPH_EXT_FLAG_IMMUTABLE_GRAPH
        | ZE_RECORD_REPLAY_GRAPH_EXT_FLAG_MUTABLE_GRAPH
        | ZE_RECORD_REPLAY_GRAPH_EXT_FLAG_SUBGRAPHS
        | ZE_RECORD_REPLAY_GRAPH_EXT_FLAG_APPEND_COMMANDLIST
        | ZE_RECORD_REPLAY_GRAPH_EXT_FLAG_CB_EXTERNAL_IPC;
    assert_eq!(graphs.graphFlags & !known, 0);
}

/// "Events used by these operations are not signaled until capture ends and the graph is instantiated and executed";
/// "recorded regular events (not counter-based) are shared between executable graph instances".
#[test]
fn recorded_events() {
    let Some(rig) = rig() else { return };
    let (list, data, event) = (rig.in_order(), rig.shared(&[0u32; 4]), rig.event());
    begin(&list);
    list.fill(data.ptr(), &[5u32], 16, Some(&event), &[]);
    expect!(
        zeEventHostSynchronize(event.raw(), 0),
        ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED
    );
    assert!(!event.is_signalled());
    let graph = end(&list);
    let executables = [instantiate(graph), instantiate(graph)];
    assert!(!event.is_signalled());
    for executable in executables {
        append(&list, executable, None, &[]);
        event.wait();
        assert_eq!(data.values::<u32>(), [5; 4]);
        list.synchronize();
        event.host_reset();
    }
    ok!(zeExecutableGraphDestroyExt(executables[0]));
    destroy(graph, executables[1]);
}

/// A captured command waits in each execution for an event that no captured command signals.
#[test]
fn waits_for_others() {
    let Some(rig) = rig() else { return };
    let (list, data, gate) = (rig.in_order(), rig.shared(&[0u32; 4]), rig.event());
    begin(&list);
    list.fill(data.ptr(), &[7u32], 16, None, &[&gate]);
    let graph = end(&list);
    let executable = instantiate(graph);
    for _ in 0..2 {
        append(&list, executable, None, &[]);
        expect!(zeCommandListHostSynchronize(list.raw(), 0), ZE_RESULT_NOT_READY);
        assert_eq!(data.values::<u32>(), [0; 4]);
        gate.host_signal();
        list.synchronize();
        assert_eq!(data.values::<u32>(), [7; 4]);
        gate.host_reset();
        list.fill(data.ptr(), &[0u32], 16, None, &[]);
        list.synchronize();
    }
    destroy(graph, executable);
}

/// An event that a captured command resets is no fork any more: what waits for it waits for the next signal.
#[test]
fn reset_of_a_recorded_event() {
    let Some(rig) = rig() else { return };
    let (list, data, event, is_reset) = (rig.in_order(), rig.shared(&[0u32; 4]), rig.event(), rig.event());
    begin(&list);
    list.fill(data.ptr(), &[1u32], 16, Some(&event), &[]);
    list.reset_event(&event);
    list.signal(&is_reset);
    list.fill(data.ptr(), &[2u32], 16, None, &[&event]);
    let graph = end(&list);
    let executable = instantiate(graph);
    append(&list, executable, None, &[]);
    is_reset.wait();
    expect!(zeCommandListHostSynchronize(list.raw(), 0), ZE_RESULT_NOT_READY);
    assert_eq!(data.values::<u32>(), [1; 4]);
    event.host_signal();
    list.synchronize();
    assert_eq!(data.values::<u32>(), [2; 4]);
    destroy(graph, executable);
}

/// "internal counter-based events captured in the graph cannot be used outside the graph":
/// ZE_RESULT_ERROR_GRAPH_INTERNAL_EVENT. After the capture they "can be reused by the application and don't interfere".
#[test]
fn internal_events() {
    let Some(rig) = rig() else { return };
    let (list, other, data) = (rig.in_order(), rig.in_order(), rig.shared(&[0u32; 4]));
    let (regular, event) = (
        rig.list(),
        counter_based(&rig, ZE_EVENT_COUNTER_BASED_FLAG_NON_IMMEDIATE),
    );
    let mut wait = handles_of(&[&event]);
    begin(&list);
    list.fill(data.ptr(), &[1u32], 16, Some(&event), &[]);
    // Another list signals it, a regular list waits for it, and the host asks for it.
    expect!(
        zeCommandListAppendBarrier(other.raw(), event.raw(), 0, null_mut()),
        ZE_RESULT_ERROR_GRAPH_INTERNAL_EVENT
    );
    expect!(
        zeCommandListAppendBarrier(regular.raw(), null_mut(), 1, wait.as_mut_ptr()),
        ZE_RESULT_ERROR_GRAPH_INTERNAL_EVENT
    );
    expect!(zeEventQueryStatus(event.raw()), ZE_RESULT_ERROR_GRAPH_INTERNAL_EVENT);
    assert!(!is_capturing(&other));
    let graph = end(&list);
    let executable = instantiate(graph);
    // It is still the event of no command, and an execution does not touch it.
    assert!(event.is_signalled());
    let gate = rig.event();
    other.barrier(Some(&event), &[&gate]);
    append(&list, executable, None, &[]);
    list.synchronize();
    assert!(!event.is_signalled());
    gate.host_signal();
    event.wait();
    other.synchronize();
    regular.close();
    destroy(graph, executable);
}

/// "External counter-based events … may be used to synchronize the graph with device commands submitted outside the
/// graph … and with the host."
#[test]
fn external_events() {
    let Some(rig) = rig() else { return };
    let (list, other, data) = (rig.in_order(), rig.in_order(), rig.shared(&[0u32; 4]));
    let (gate, event) = (
        rig.event(),
        counter_based(&rig, ZE_EVENT_COUNTER_BASED_FLAG_GRAPH_EXTERNAL),
    );
    begin(&list);
    list.fill(data.ptr(), &[3u32], 16, Some(&event), &[&gate]);
    let graph = end(&list);
    let executable = instantiate(graph);
    assert!(event.is_signalled());
    append(&list, executable, None, &[]);
    other.fill(data.ptr(), &[4u32], 16, None, &[&event]);
    assert!(!event.is_signalled());
    assert_eq!(data.values::<u32>(), [0; 4]);
    gate.host_signal();
    other.synchronize();
    assert_eq!(data.values::<u32>(), [4; 4]);
    list.synchronize();
    destroy(graph, executable);
}

/// "A child command list may itself be used to create additional forks"; "subsequent signals from the parent command
/// list to a child command list … do not create additional forks".
#[test]
fn tree_of_forks() {
    let Some(rig) = rig() else { return };
    let lists = [rig.in_order(), rig.in_order(), rig.immediate(0)];
    let [parent, child, grandchild] = &lists;
    let events = rig.events(6);
    let data = rig.shared(&[0u32; 16]);
    begin(parent);
    parent.fill(data.at(0), &[1u32], 4, Some(&events[0]), &[]);
    child.copy(data.at(4), data.at(0), 4, Some(&events[1]), &[&events[0]]);
    grandchild.copy(data.at(8), data.at(4), 4, Some(&events[2]), &[&events[1]]);
    assert!(lists.iter().all(is_capturing));
    parent.fill(data.at(0), &[2u32], 4, Some(&events[3]), &[&events[1]]);
    // Another signal to the child, which waits for its own child as well.
    child.copy(data.at(12), data.at(0), 4, Some(&events[4]), &[&events[2], &events[3]]);
    parent.wait_on(&[&events[4]]);
    // No work: allowed after the join.
    child.signal(&events[5]);
    let graph = end(parent);
    assert!(!lists.iter().any(is_capturing));
    let executable = instantiate(graph);
    append(parent, executable, None, &[]);
    parent.synchronize();
    assert_eq!(data.values::<u32>()[..4], [2, 1, 1, 2]);
    // Events of the graph do not fork any more.
    child.fill(data.at(0), &[9u32], 4, None, &[&events[0]]);
    child.synchronize();
    assert_eq!(data.values::<u32>()[0], 9);
    destroy(graph, executable);
}

/// "Commands that append work … to a recording child command list after the intended join operation are treated as
/// unjoined work"; a capture that fails has ended, and a graph of the client's is invalid then.
#[test]
fn work_after_the_join() {
    let Some(rig) = rig() else { return };
    let (parent, child, data) = (rig.in_order(), rig.in_order(), rig.shared(&[0u32; 4]));
    let (fork, join, mut graph) = (rig.event(), rig.event(), null_mut());
    ok!(zeGraphCreateExt(rig.context.raw(), null(), &mut graph));
    ok!(zeCommandListBeginCaptureIntoGraphExt(parent.raw(), graph, null()));
    parent.barrier(Some(&fork), &[]);
    child.fill(data.ptr(), &[1u32], 16, Some(&join), &[&fork]);
    parent.wait_on(&[&join]);
    child.fill(data.ptr(), &[2u32], 16, None, &[]);
    let mut out = 0x10 as ze_graph_handle_t;
    expect!(
        zeCommandListEndGraphCaptureExt(parent.raw(), null(), &mut out),
        ZE_RESULT_ERROR_GRAPH_UNJOINED_FORKS
    );
    assert!(out.is_null() && !is_capturing(&parent) && !is_capturing(&child));
    expect!(zeGraphIsEmptyExt(graph), ZE_RESULT_ERROR_INVALID_GRAPH);
    expect!(
        zeGraphInstantiateExt(graph, null(), &mut null_mut()),
        ZE_RESULT_ERROR_INVALID_GRAPH
    );
    ok!(zeGraphDestroyExt(graph));
    // The lists work on.
    child.fill(data.ptr(), &[3u32], 16, None, &[]);
    child.synchronize();
    assert_eq!(data.values::<u32>(), [3; 4]);
}

/// A list that entered the capture and is never waited for is unjoined even if it only waits.
#[test]
fn unjoined_wait() {
    let Some(rig) = rig() else { return };
    let (parent, child, fork) = (rig.in_order(), rig.in_order(), rig.event());
    begin(&parent);
    parent.barrier(Some(&fork), &[]);
    child.wait_on(&[&fork]);
    assert!(is_capturing(&child));
    expect!(
        zeCommandListEndGraphCaptureExt(parent.raw(), null(), &mut null_mut()),
        ZE_RESULT_ERROR_GRAPH_UNJOINED_FORKS
    );
    assert!(!is_capturing(&child));
}

/// "This function may only be called on the primary command list"; a list captures one graph at a time; "the graph
/// must be empty when capture begins"; "the returned graph handle cannot be instantiated until capture is ended".
#[test]
fn wrong_order_of_calls() {
    let Some(rig) = rig() else { return };
    let (parent, child, fork) = (rig.in_order(), rig.in_order(), rig.event());
    begin(&parent);
    expect!(
        zeCommandListBeginGraphCaptureExt(parent.raw(), null()),
        ZE_RESULT_ERROR_INVALID_ARGUMENT
    );
    parent.barrier(Some(&fork), &[]);
    child.wait_on(&[&fork]);
    expect!(
        zeCommandListEndGraphCaptureExt(child.raw(), null(), &mut null_mut()),
        ZE_RESULT_ERROR_INVALID_ARGUMENT
    );
    let mut graph = null_mut();
    ok!(zeCommandListGetGraphExt(child.raw(), &mut graph));
    expect!(
        zeGraphInstantiateExt(graph, null(), &mut null_mut()),
        ZE_RESULT_ERROR_INVALID_GRAPH
    );
    expect!(zeGraphDestroyExt(graph), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    let join = rig.event();
    child.signal(&join);
    parent.wait_on(&[&join]);
    assert_eq!(end(&parent), graph);
    expect!(
        zeCommandListBeginCaptureIntoGraphExt(parent.raw(), graph, null()),
        ZE_RESULT_ERROR_INVALID_ARGUMENT
    );
    // "All executable graph instances … must be destroyed before".
    let executable = instantiate(graph);
    expect!(zeGraphDestroyExt(graph), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    destroy(graph, executable);
}

/// A list that takes part is destroyed: the capture cannot be completed.
#[test]
fn destroyed_lists() {
    let Some(rig) = rig() else { return };
    let (parent, child, fork) = (rig.in_order(), rig.in_order(), rig.event());
    begin(&parent);
    parent.barrier(Some(&fork), &[]);
    child.wait_on(&[&fork]);
    drop(child);
    expect!(
        zeCommandListEndGraphCaptureExt(parent.raw(), null(), &mut null_mut()),
        ZE_RESULT_ERROR_GRAPH_CAPTURE_INVALIDATED
    );
    // And the list that the capture began on.
    let mut graph = null_mut();
    ok!(zeGraphCreateExt(rig.context.raw(), null(), &mut graph));
    ok!(zeCommandListBeginCaptureIntoGraphExt(parent.raw(), graph, null()));
    drop(parent);
    expect!(zeGraphIsEmptyExt(graph), ZE_RESULT_ERROR_INVALID_GRAPH);
    ok!(zeGraphDestroyExt(graph));
}

/// Lists that execute a graph must match those that recorded it: regular ones do not.
#[test]
fn wrong_destinations() {
    let Some(rig) = rig() else { return };
    let other = Rig::new();
    let (list, regular, elsewhere) = (rig.in_order(), rig.list(), other.in_order());
    begin(&list);
    let graph = end(&list);
    expect!(zeGraphIsEmptyExt(graph), ZE_RESULT_QUERY_TRUE);
    let executable = instantiate(graph);
    for wrong in [&regular, &elsewhere] {
        expect!(
            zeCommandListAppendGraphExt(wrong.raw(), executable, null(), null_mut(), 0, null_mut()),
            ZE_RESULT_ERROR_INVALID_ARGUMENT
        );
    }
    append(&list, executable, None, &[]);
    list.synchronize();
    regular.close();
    destroy(graph, executable);
}

/// "If this function is called while the executable graph is already running, the new execution is scheduled after the
/// current execution completes", on whatever list.
#[test]
fn executions_do_not_overlap() {
    let Some(rig) = rig() else { return };
    let (first, second, data) = (rig.in_order(), rig.immediate(0), rig.shared(&[0i32; 64]));
    let (gate, kernel) = (rig.event(), rig.kernel("basic", "add"));
    kernel.group_size([64, 1, 1]);
    kernel.set_ptr(0, data.ptr());
    kernel.set(1, 1i32);
    begin(&first);
    first.launch(&kernel, [1, 1, 1], None, &[&gate]);
    let graph = end(&first);
    let executable = instantiate(graph);
    for round in 0..10 {
        append(if round % 2 == 0 { &first } else { &second }, executable, None, &[]);
    }
    expect!(zeCommandListHostSynchronize(second.raw(), 0), ZE_RESULT_NOT_READY);
    gate.host_signal();
    second.synchronize();
    first.synchronize();
    assert_eq!(data.values::<i32>(), [10; 64]);
    destroy(graph, executable);
}

/// Lists and graphs in a graph, if the device has them: ZE_RECORD_REPLAY_GRAPH_EXT_FLAG_APPEND_COMMANDLIST and
/// …_SUBGRAPHS. Without, ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED.
#[test]
fn contained() {
    let Some(rig) = rig() else { return };
    let (list, data, kernel) = (rig.in_order(), rig.shared(&[1i32; 64]), rig.kernel("basic", "add"));
    kernel.group_size([64, 1, 1]);
    kernel.set_ptr(0, data.ptr());
    kernel.set(1, 1i32);
    let (regular, event) = (
        rig.list(),
        counter_based(&rig, ZE_EVENT_COUNTER_BASED_FLAG_GRAPH_EXTERNAL),
    );
    regular.launch(&kernel, [1, 1, 1], Some(&event), &[]);
    regular.close();
    begin(&list);
    list.launch(&kernel, [1, 1, 1], None, &[]);
    let inner = end(&list);
    let inner_executable = instantiate(inner);
    let multiply = rig.kernel("basic", "multiply");
    multiply.group_size([64, 1, 1]);
    multiply.set_ptr(0, data.ptr());
    multiply.set(1, 3i32);
    begin(&list);
    append(&list, inner_executable, None, &[]);
    list.launch(&multiply, [1, 1, 1], None, &[]);
    let mut lists = [regular.raw()];
    ok!(zeCommandListImmediateAppendCommandListsExp(
        list.raw(),
        1,
        lists.as_mut_ptr(),
        null_mut(),
        0,
        null_mut()
    ));
    append(&list, inner_executable, None, &[]);
    let outer = end(&list);
    assert!(event.is_signalled());
    let outer_executable = instantiate(outer);
    // The graph has all that it needs.
    destroy(inner, inner_executable);
    drop(regular);
    let mut expected = 1;
    for _ in 0..3 {
        append(&list, outer_executable, None, &[]);
        event.wait();
        list.synchronize();
        expected = (expected + 1) * 3 + 2;
        assert_eq!(data.values::<i32>(), [expected; 64]);
    }
    destroy(outer, outer_executable);
}

/// The two modes of a dump: both have the names and edges, one the arguments. A path that cannot be written is an
/// error.
#[test]
fn dump_modes() {
    let Some(rig) = rig() else { return };
    let (list, kernel, data) = (rig.in_order(), rig.kernel("basic", "add"), rig.shared(&[0i32; 64]));
    kernel.group_size([64, 1, 1]);
    kernel.set_ptr(0, data.ptr());
    kernel.set(1, 0x1234_5678i32);
    begin(&list);
    list.launch(&kernel, [1, 1, 1], None, &[]);
    list.launch(&kernel, [1, 1, 1], None, &[]);
    let graph = end(&list);
    let path = std::env::temp_dir().join(format!("oxur-level-zero-modes-{}.dot", std::process::id()));
    let name = std::ffi::CString::new(path.to_str().expect("UTF-8")).expect("a path");
    for (mode, detailed) in [
        (ZE_RECORD_REPLAY_GRAPH_EXT_DUMP_MODE_DETAILED, true),
        (ZE_RECORD_REPLAY_GRAPH_EXT_DUMP_MODE_SIMPLE, false),
    ] {
        let desc = ze_record_replay_graph_ext_dump_desc_t {
            mode,
            ..Default::default()
        };
        ok!(zeGraphDumpContentsExt(graph, name.as_ptr(), (&raw const desc).cast()));
        let text = fs::read_to_string(&path).expect("the file");
        assert_eq!(text.matches("->").count(), 1, "{text}");
        assert_eq!(text.contains("12345678"), detailed, "{text}");
        assert_eq!(text.contains(&format!("{:x}", data.ptr() as usize)), detailed, "{text}");
    }
    fs::remove_file(&path).expect("the file");
    let nowhere = c"/nonexistent/folder/graph.dot";
    assert_ne!(
        ze!(zeGraphDumpContentsExt(graph, nowhere.as_ptr(), null())),
        ZE_RESULT_SUCCESS
    );
    ok!(zeGraphDestroyExt(graph));
}

/// Handles of graphs are checked as others are.
#[test]
fn destroyed_handles() {
    let Some(rig) = rig() else { return };
    let list = rig.in_order();
    begin(&list);
    let graph = end(&list);
    let executable = instantiate(graph);
    destroy(graph, executable);
    for result in [
        ze!(zeGraphDestroyExt(graph)),
        ze!(zeGraphIsEmptyExt(graph)),
        ze!(zeGraphInstantiateExt(graph, null(), &mut null_mut())),
        ze!(zeExecutableGraphDestroyExt(executable)),
        ze!(zeCommandListAppendGraphExt(
            list.raw(),
            executable,
            null(),
            null_mut(),
            0,
            null_mut()
        )),
    ] {
        assert_ne!(result, ZE_RESULT_SUCCESS);
    }
}
