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
    if has_extension(&rig, ZE_RECORD_REPLAY_GRAPH_EXT_NAME) {
        return Some(rig);
    }
    // Our driver does not have it yet (docs/plan.md). What is not there says so, if the loader knows of it.
    if loader_is_old() {
        return None;
    }
    expect!(
        zeGraphCreateExt(rig.context.raw(), null(), &mut null_mut()),
        ZE_RESULT_ERROR_UNSUPPORTED_FEATURE
    );
    println!("not run: the driver has no {ZE_RECORD_REPLAY_GRAPH_EXT_NAME:?}");
    None
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

/// "append operations issued to the command list are recorded into a graph and are not submitted to the device"; the graph
/// executes as often as it is appended.
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

/// zeCommandListAppendGraphExt: "graph execution does not begin until all wait events are satisfied", and signals "after all
/// recorded append operations".
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

/// zeGraphCreateExt, zeCommandListBeginCaptureIntoGraphExt: "the returned graph handle is the same graph handle that was
/// provided when capture began".
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

/// "If an event signaled by a captured command list is used in the wait list of another immediate command list, that command
/// list also enters graph capture mode"; "Each fork must be joined".
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

/// ZE_RESULT_ERROR_COMMAND_LIST_NOT_CAPTURING "if command list is not in graph capture mode"; "and *phGraph is set to null".
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
