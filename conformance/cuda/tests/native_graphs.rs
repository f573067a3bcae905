// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Native handles of command buffers and graphs, which clients use with the driver's own functions.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::{null, null_mut};

use oxur_client::api::*;
use oxur_client::*;
use oxur_conformance_support::run_test;

use crate::{Rig, code};

const SUCCESS: u32 = 0;

/// How many numbers are in each memory, and their bytes.
const COUNT: usize = 64;
const SIZE: usize = 4 * COUNT;

/// CUDA's description of a fill.
#[repr(C)]
struct Fill {
    dst: u64,
    pitch: usize,
    value: u32,
    element: u32,
    width: usize,
    height: usize,
}

unsafe extern "C" {
    safe fn dlopen(name: *const c_char, flags: c_int) -> *mut c_void;
    safe fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// A function of the driver, as a client finds it.
fn driver(name: &CStr) -> *mut c_void {
    type Find = unsafe extern "C" fn(*const c_char, *mut *mut c_void, c_int, u64, *mut c_void) -> u32;
    let find = dlsym(dlopen(c"libcuda.so.1".as_ptr(), 1), c"cuGetProcAddress_v2".as_ptr());
    assert!(!find.is_null(), "there is no driver");
    let mut function = null_mut();
    // SAFETY: the function has this type, and a place for the answer.
    let result = unsafe {
        let find: Find = std::mem::transmute(find);
        find(name.as_ptr(), &mut function, 12040, 0, null_mut())
    };
    assert!(result == SUCCESS && !function.is_null(), "the driver has no {name:?}");
    function
}

/// How many nodes a graph has.
fn count(graph: NativeHandle) -> usize {
    type Nodes = unsafe extern "C" fn(usize, *mut c_void, *mut usize) -> u32;
    let mut count = 0;
    // SAFETY: the function has this type; a live graph, and a place for the number.
    let result = unsafe {
        let nodes: Nodes = std::mem::transmute(driver(c"cuGraphGetNodes"));
        nodes(graph, null_mut(), &mut count)
    };
    assert_eq!(result, SUCCESS);
    count
}

/// Adds a node to a graph that fills memory, behind no other.
fn add_fill(rig: &Rig, graph: NativeHandle, usm: &Usm, value: u32) {
    type Add = unsafe extern "C" fn(*mut *mut c_void, usize, *const c_void, usize, *const Fill, NativeHandle) -> u32;
    let fill = Fill {
        dst: usm.ptr() as u64,
        pitch: 0,
        value,
        element: 4,
        width: COUNT,
        height: 1,
    };
    let context = rig.context.native().expect("urContextGetNativeHandle");
    let mut node = null_mut();
    // SAFETY: the function has this type; a live graph and context, and memory of this size.
    let result = unsafe {
        let add: Add = std::mem::transmute(driver(c"cuGraphAddMemsetNode"));
        add(&mut node, graph, null(), 0, &fill, context)
    };
    assert_eq!(result, SUCCESS);
}

fn empty(rig: &Rig, settings: CommandBufferSettings) -> CommandBuffer {
    CommandBuffer::new(&rig.context, &rig.device, settings).expect("urCommandBufferCreateExp")
}

fn run(rig: &Rig, buffer: &CommandBuffer) {
    rig.queue.run(buffer, &[]).expect("urEnqueueCommandBufferExp");
    rig.queue.finish().expect("urQueueFinish");
}

/// Appends a fill and a copy that waits for it.
fn fill_and_copy(buffer: &CommandBuffer, from: &Usm, to: &Usm, value: u32, after: &[SyncPoint]) -> SyncPoint {
    // SAFETY: memory of equal sizes, which lives until the runs are over.
    unsafe {
        let filled = buffer.memset(from.ptr(), &[value], SIZE, after).expect("fill");
        let copied = buffer.memcpy(to.ptr(), from.ptr(), SIZE, &[filled.point]);
        copied.expect("copy").point
    }
}

fn values(usm: &Usm) -> &[u32] {
    // SAFETY: numbers that no command uses.
    unsafe { usm.as_slice() }
}

#[test]
fn command_buffers_are_graphs() {
    let rig = Rig::new();
    let [a, b] = [0, 1].map(|value| rig.shared(&[value; COUNT]));
    let buffer = empty(&rig, CommandBufferSettings::default());
    let graph = buffer.native().expect("urCommandBufferGetNativeHandleExp");
    assert_eq!(count(graph), 0);
    fill_and_copy(&buffer, &a, &b, 7, &[]);
    assert_eq!(buffer.native().expect("the same one"), graph);
    assert_eq!(count(graph), 2);
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    run(&rig, &buffer);
    assert_eq!(buffer.native().expect("the same one"), graph);
    assert_eq!(values(&b), [7; COUNT]);
    // One that is empty runs as well once its graph is known.
    let nothing = empty(&rig, CommandBufferSettings::default());
    nothing.finalize().expect("urCommandBufferFinalizeExp");
    assert_eq!(count(nothing.native().expect("an empty graph")), 0);
    run(&rig, &nothing);
}

/// What a client adds to the graph of a child runs where the child is in its parent.
#[test]
fn nodes_of_the_clients_own() {
    let rig = Rig::new();
    let [a, b, c] = [0, 1, 2].map(|value| rig.shared(&[value; COUNT]));
    let updatable = CommandBufferSettings {
        updatable: true,
        ..Default::default()
    };
    for settings in [CommandBufferSettings::default(), updatable] {
        let (parent, child) = (empty(&rig, settings), empty(&rig, CommandBufferSettings::default()));
        let first = fill_and_copy(&parent, &a, &b, 7, &[]);
        let native = || add_fill(&rig, child.native().expect("the child's graph"), &b, 9);
        let point = parent.native_command(native, Some(&child), &[first]);
        let point = point.expect("urCommandBufferAppendNativeCommandExp");
        // SAFETY: memory of equal sizes, which lives until the runs are over.
        unsafe { parent.memcpy(c.ptr(), b.ptr(), SIZE, &[point]) }.expect("copy");
        let graph = parent.native().expect("urCommandBufferGetNativeHandleExp");
        assert_eq!(count(graph), 4);
        // The parent has a copy.
        drop(child);
        parent.finalize().expect("urCommandBufferFinalizeExp");
        for _ in 0..3 {
            run(&rig, &parent);
            assert_eq!(
                [values(&a), values(&b), values(&c)],
                [[7; COUNT], [9; COUNT], [9; COUNT]]
            );
        }
    }
}

/// A child's commands of both kinds, in a child of a child.
#[test]
fn children_of_children() {
    let rig = Rig::new();
    let [a, b, c] = [0, 1, 2].map(|value| rig.shared(&[value; COUNT]));
    let [parent, child, last] = [(); 3].map(|()| empty(&rig, CommandBufferSettings::default()));
    let append = || {
        fill_and_copy(&child, &a, &b, 5, &[]);
        let native = || add_fill(&rig, last.native().expect("the graph"), &c, 6);
        child.native_command(native, Some(&last), &[]).expect("the last one");
        child.native().expect("the child's graph");
    };
    parent.native_command(append, Some(&child), &[]).expect("the child");
    parent.finalize().expect("urCommandBufferFinalizeExp");
    run(&rig, &parent);
    assert_eq!(
        [values(&a), values(&b), values(&c)],
        [[5; COUNT], [5; COUNT], [6; COUNT]]
    );
}

/// What is no graph cannot have native commands: that is told, not left out.
#[test]
fn where_there_is_no_graph() {
    let rig = Rig::new();
    let (a, pageable) = (rig.shared(&[0_u32; COUNT]), vec![3_u32; COUNT]);
    let unsupported = ResultCode::ERROR_UNSUPPORTED_FEATURE;
    let copy = |to: &CommandBuffer| {
        // SAFETY: memory of equal sizes, which lives until the test ends.
        unsafe { to.memcpy(a.ptr(), pageable.as_ptr().cast(), SIZE, &[]) }
    };
    let with_native = |settings| {
        let (parent, child) = (empty(&rig, settings), empty(&rig, CommandBufferSettings::default()));
        let native = || add_fill(&rig, child.native().expect("the child's graph"), &a, 9);
        parent.native_command(native, Some(&child), &[]).map(|_| parent)
    };
    let buffer = empty(&rig, CommandBufferSettings::default());
    copy(&buffer).expect("copy");
    assert_eq!(code(buffer.native()), unsupported);

    let parent = with_native(CommandBufferSettings::default()).expect("a native command");
    assert_eq!(code(copy(&parent)), unsupported);
    parent.finalize().expect("without the copy");
    run(&rig, &parent);
    assert_eq!(values(&a), [9; COUNT]);

    let profiled = CommandBufferSettings {
        profiled: true,
        ..Default::default()
    };
    let parent = with_native(profiled).expect("a native command");
    assert_eq!(code(parent.finalize()), unsupported);
}

#[test]
fn captured_graphs() {
    let rig = Rig::new();
    let [a, b] = [0, 1].map(|value| rig.shared(&[value; COUNT]));
    let graph = Graph::new(&rig.context).expect("urGraphCreateExp");
    // SAFETY: memory of equal sizes, which lives until the runs are over.
    let fill = |usm: &Usm, value: u32| unsafe { rig.queue.memset(usm.ptr(), &[value], SIZE, &[]).map(drop) };
    rig.queue.capture_into(&graph, || fill(&a, 4)).expect("a capture");
    let native = graph.native().expect("urGraphGetNativeHandleExp");
    assert_eq!(graph.native().expect("the same one"), native);
    assert_eq!(count(native), 1);
    rig.queue.capture_into(&graph, || fill(&b, 5)).expect("a capture");
    assert_eq!(count(graph.native().expect("another one")), 2);
    assert_eq!(count(native), 1);

    let executable = graph.instantiate().expect("urGraphInstantiateGraphExp");
    let native = executable.native().expect("urGraphExecutableGraphGetNativeHandleExp");
    // The client may run it by itself.
    type Launch = unsafe extern "C" fn(NativeHandle, NativeHandle) -> u32;
    let stream = rig.queue.native().expect("urQueueGetNativeHandle");
    // SAFETY: live handles; the function has this type.
    let result = unsafe {
        let launch: Launch = std::mem::transmute(driver(c"cuGraphLaunch"));
        launch(native, stream)
    };
    assert_eq!(result, SUCCESS);
    rig.queue.finish().expect("urQueueFinish");
    assert_eq!([values(&a), values(&b)], [[4; COUNT], [5; COUNT]]);
}

/// A function of the driver that fails is an error of the append, and nothing is appended.
#[test]
fn failures_of_the_driver() {
    const CHILD: &str = "OXUR_CUDA_NATIVE_GRAPHS";
    if std::env::var_os("OXUR_CUDA_SYSTEM").is_some() {
        return; // Functions of a real driver do not fail.
    }
    if std::env::var_os(CHILD).is_none() {
        for function in ["cuGraphGetNodes", "cuGraphClone", "cuGraphAddChildGraphNode"] {
            let variables = [("FAKE_CUDA_FAIL", &*format!("{function}:1")), (CHILD, "1")];
            run_test("native_graphs::failures_of_the_driver", &variables).passed();
        }
        return;
    }
    let rig = Rig::new();
    let a = rig.shared(&[1_u32; COUNT]);
    let (parent, child) = (
        empty(&rig, CommandBufferSettings::default()),
        empty(&rig, CommandBufferSettings::default()),
    );
    let native = || add_fill(&rig, child.native().expect("the child's graph"), &a, 9);
    let appended = parent.native_command(native, Some(&child), &[]);
    assert_ne!(code(appended), ResultCode::SUCCESS);
    parent.finalize().expect("urCommandBufferFinalizeExp");
    run(&rig, &parent);
    assert_eq!(values(&a), [1; COUNT]);
}
