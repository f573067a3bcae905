// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Capture and graphs: what of them is the same for all adapters.

use std::ffi::{CString, c_void};
use std::ptr::{null, null_mut};

use kit::ur::*;
use oxur_adapter_kit as kit;

use super::{Empty, context, device};

const SUCCESS: ResultCode = ResultCode::SUCCESS;
const UNSUPPORTED: ResultCode = ResultCode::ERROR_GRAPH_CAPTURE_UNSUPPORTED;
const INVALIDATED: ResultCode = ResultCode::ERROR_GRAPH_CAPTURE_INVALIDATED;
const INTERNAL: ResultCode = ResultCode::ERROR_GRAPH_INTERNAL_EVENT;
const NOT_CAPTURING: ResultCode = ResultCode::ERROR_COMMAND_LIST_NOT_CAPTURING;

fn queue_with(context: ContextHandle, flags: QueueFlags) -> QueueHandle {
    let properties = QueueProperties {
        flags,
        ..Default::default()
    };
    let mut queue = QueueHandle::default();
    assert_eq!(
        call!(Queue.pfnCreate(context, device(), &properties, &mut queue)),
        SUCCESS
    );
    queue
}

fn in_order(context: ContextHandle) -> QueueHandle {
    queue_with(context, QueueFlags::empty())
}

fn out_of_order(context: ContextHandle) -> QueueHandle {
    queue_with(context, QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE)
}

fn list(events: &[EventHandle]) -> (u32, *const EventHandle) {
    let pointer = if events.is_empty() { null() } else { events.as_ptr() };
    (events.len() as u32, pointer)
}

/// A task that does nothing but count.
fn count(queue: QueueHandle, counter: &u32, wait: &[EventHandle]) -> Result<EventHandle, ResultCode> {
    unsafe extern "C" fn add(counter: *mut c_void) {
        // SAFETY: the tests pass live counters.
        unsafe { *counter.cast::<u32>() += 1 };
    }
    let (number, events) = list(wait);
    let (mut event, counter) = (EventHandle::default(), std::ptr::from_ref(counter).cast_mut().cast());
    let task = call!(EnqueueExp.pfnHostTaskExp(queue, Some(add), counter, null(), number, events, &mut event));
    if task == SUCCESS { Ok(event) } else { Err(task) }
}

fn task(queue: QueueHandle, wait: &[EventHandle]) -> Result<EventHandle, ResultCode> {
    static NOTHING: u32 = 0;
    unsafe extern "C" fn nothing(_: *mut c_void) {}
    let (number, events) = list(wait);
    let (mut event, data) = (EventHandle::default(), (&raw const NOTHING).cast_mut().cast());
    let task = call!(EnqueueExp.pfnHostTaskExp(queue, Some(nothing), data, null(), number, events, &mut event));
    if task == SUCCESS { Ok(event) } else { Err(task) }
}

fn barrier(queue: QueueHandle, wait: &[EventHandle]) -> EventHandle {
    let (number, events) = list(wait);
    let mut event = EventHandle::default();
    assert_eq!(
        call!(Enqueue.pfnEventsWaitWithBarrier(queue, number, events, &mut event)),
        SUCCESS
    );
    event
}

fn marker(queue: QueueHandle, wait: &[EventHandle]) -> EventHandle {
    let (number, events) = list(wait);
    let mut event = EventHandle::default();
    assert_eq!(call!(Enqueue.pfnEventsWait(queue, number, events, &mut event)), SUCCESS);
    event
}

fn begin(queue: QueueHandle) {
    assert_eq!(call!(QueueExp.pfnBeginGraphCaptureExp(queue)), SUCCESS);
}

fn end(queue: QueueHandle) -> Result<ExpGraphHandle, ResultCode> {
    let mut graph = ExpGraphHandle::default();
    match call!(QueueExp.pfnEndGraphCaptureExp(queue, &mut graph)) {
        SUCCESS => Ok(graph),
        error => {
            assert!(graph.is_null());
            Err(error)
        }
    }
}

fn captures(queue: QueueHandle) -> bool {
    let mut result = false;
    assert_eq!(call!(QueueExp.pfnIsGraphCaptureEnabledExp(queue, &mut result)), SUCCESS);
    result
}

fn graph_of(queue: QueueHandle) -> Result<ExpGraphHandle, ResultCode> {
    let mut graph = ExpGraphHandle(queue.0);
    match call!(QueueExp.pfnGetGraphExp(queue, &mut graph)) {
        SUCCESS => Ok(graph),
        error => {
            assert!(graph.is_null());
            Err(error)
        }
    }
}

fn new_graph(context: ContextHandle) -> ExpGraphHandle {
    let mut graph = ExpGraphHandle::default();
    assert_eq!(call!(GraphExp.pfnCreateExp(context, &mut graph)), SUCCESS);
    graph
}

fn begin_into(queue: QueueHandle, graph: ExpGraphHandle) -> ResultCode {
    call!(QueueExp.pfnBeginCaptureIntoGraphExp(queue, graph))
}

fn is_empty(graph: ExpGraphHandle) -> bool {
    let mut result = false;
    assert_eq!(call!(GraphExp.pfnIsEmptyExp(graph, &mut result)), SUCCESS);
    result
}

fn id(graph: ExpGraphHandle) -> u64 {
    let mut id = 0;
    assert_eq!(call!(GraphExp.pfnGetIdExp(graph, &mut id)), SUCCESS);
    id
}

fn destroy(graph: ExpGraphHandle) -> ResultCode {
    call!(GraphExp.pfnDestroyExp(graph))
}

fn instantiate(graph: ExpGraphHandle) -> Result<ExpExecutableGraphHandle, ResultCode> {
    let mut executable = ExpExecutableGraphHandle::default();
    match call!(GraphExp.pfnInstantiateGraphExp(graph, &mut executable)) {
        SUCCESS => Ok(executable),
        error => Err(error),
    }
}

fn enqueue(queue: QueueHandle, graph: ExpExecutableGraphHandle, wait: &[EventHandle]) -> EventHandle {
    let (number, events) = list(wait);
    let mut event = EventHandle::default();
    assert_eq!(
        call!(EnqueueExp.pfnGraphExp(queue, graph, number, events, &mut event)),
        SUCCESS
    );
    event
}

/// The edges of a graph, as the file tells.
fn edges(graph: ExpGraphHandle) -> Vec<(u32, u32)> {
    let path = std::env::temp_dir().join(format!("oxur-kit-{}-{}.dot", std::process::id(), id(graph)));
    let name = CString::new(path.to_str().expect("a path in UTF-8")).expect("a path");
    assert_eq!(call!(GraphExp.pfnDumpContentsExp(graph, name.as_ptr())), SUCCESS);
    let text = std::fs::read_to_string(&path).expect("the file");
    std::fs::remove_file(path).expect("the file goes");
    assert!(
        text.starts_with(&format!("digraph \"graph {}\" {{", id(graph))),
        "{text}"
    );
    let edge = |line: &str| {
        let (from, to) = line.trim().trim_end_matches(';').split_once(" -> ")?;
        Some((from.parse().ok()?, to.parse().ok()?))
    };
    text.lines().filter_map(edge).collect()
}

fn event_info(event: EventHandle, query: EventInfo) -> Result<u64, ResultCode> {
    let (mut value, mut size) = (0u64, 0);
    assert_eq!(size_of::<CommandType>(), 4);
    let place = (&raw mut value).cast::<c_void>();
    match call!(Event.pfnGetInfo(event, query, 8, place, &mut size)) {
        SUCCESS => Ok(value),
        error => Err(error),
    }
}

#[test]
fn captured_commands_run_when_the_graph_does() {
    let context = context();
    let queue = in_order(context);
    let counter = 0u32;
    let read = || {
        // SAFETY: a live counter, which tasks change.
        unsafe { (&raw const counter).read_volatile() }
    };
    assert_eq!(graph_of(queue), Err(ResultCode::ERROR_INVALID_OPERATION));
    begin(queue);
    assert!(captures(queue));
    let known = graph_of(queue).expect("a graph");
    let first = count(queue, &counter, &[]).expect("a task");
    count(queue, &counter, &[first]).expect("a task");
    assert_eq!(read(), 0, "recorded, not run");
    assert_eq!(
        instantiate(known),
        Err(ResultCode::ERROR_INVALID_GRAPH),
        "not before the end"
    );
    assert_eq!(destroy(known), ResultCode::ERROR_INVALID_GRAPH);
    let graph = end(queue).expect("a graph");
    assert_eq!(graph, known);
    assert!(!captures(queue) && !is_empty(graph));
    assert_eq!(edges(graph), [(0, 1)]);

    let executable = instantiate(graph).expect("an executable graph");
    assert_eq!(destroy(graph), SUCCESS);
    assert_eq!(destroy(graph), ResultCode::ERROR_INVALID_GRAPH);
    for queue in [queue, out_of_order(context)] {
        let event = enqueue(queue, executable, &[]);
        assert_eq!(call!(Event.pfnWait(1, &event)), SUCCESS);
    }
    assert_eq!(read(), 4);
    count(queue, &counter, &[]).expect("a task");
    assert_eq!(read(), 5, "the queue runs commands again");
    assert_eq!(call!(GraphExp.pfnExecutableGraphDestroyExp(executable)), SUCCESS);
    assert_eq!(
        call!(GraphExp.pfnExecutableGraphDestroyExp(executable)),
        ResultCode::ERROR_INVALID_GRAPH
    );
}

#[test]
fn dependencies_are_those_of_the_queue() {
    let context = context();
    let queue = in_order(context);
    begin(queue);
    for _ in 0..3 {
        task(queue, &[]).expect("a task");
    }
    marker(queue, &[]);
    let graph = end(queue).expect("a graph");
    assert_eq!(edges(graph), [(0, 1), (1, 2), (2, 3)]);

    let queue = out_of_order(context);
    begin(queue);
    let a = task(queue, &[]).expect("a task"); // 0
    let b = task(queue, &[]).expect("a task"); // 1
    task(queue, &[a, b]).expect("a task"); // 2
    marker(queue, &[]); // 3
    task(queue, &[]).expect("a task"); // 4
    barrier(queue, &[a]); // 5
    task(queue, &[]).expect("a task"); // 6
    barrier(queue, &[]); // 7
    task(queue, &[a]).expect("a task"); // 8
    let graph = end(queue).expect("a graph");
    assert_eq!(
        edges(graph),
        [
            (0, 2),
            (1, 2),
            (2, 3),
            (0, 5),
            (5, 6),
            (3, 7),
            (4, 7),
            (6, 7),
            (0, 8),
            (7, 8)
        ]
    );
}

#[test]
fn other_queues_join_and_come_back() {
    let context = context();
    let (origin, second, third) = (in_order(context), in_order(context), out_of_order(context));
    begin(origin);
    let start = task(origin, &[]).expect("a task"); // 0
    assert!(!captures(second));
    let forked = task(second, &[start]).expect("a task"); // 1
    assert!(captures(second));
    assert_eq!(graph_of(second), graph_of(origin));
    let far = task(third, &[forked]).expect("a task"); // 2
    task(second, &[]).expect("a task"); // 3
    task(origin, &[]).expect("a task"); // 4
    let back = marker(second, &[far]); // 5
    assert_eq!(end(second), Err(NOT_CAPTURING), "it is not the origin");
    task(origin, &[back]).expect("a task"); // 6
    let graph = end(origin).expect("a graph");
    assert_eq!(
        edges(graph),
        [(0, 1), (1, 2), (1, 3), (0, 4), (2, 5), (3, 5), (4, 6), (5, 6)]
    );
    assert!(![origin, second, third].into_iter().any(captures));
    assert_eq!(task(second, &[start]), Err(INTERNAL), "the capture is over");
    assert_eq!(end(origin), Err(NOT_CAPTURING));
}

#[test]
fn forks_that_do_not_come_back() {
    let context = context();
    let (origin, second) = (in_order(context), in_order(context));
    begin(origin);
    let start = task(origin, &[]).expect("a task");
    let forked = task(second, &[start]).expect("a task");
    task(second, &[]).expect("a task");
    task(origin, &[forked]).expect("a task");
    assert_eq!(end(origin), Err(ResultCode::ERROR_GRAPH_UNJOINED_FORKS));
    assert!(!captures(origin) && !captures(second));
    assert_eq!(end(origin), Err(NOT_CAPTURING));
    // Both can be used as before.
    task(second, &[]).expect("a task");
    begin(second);
    assert!(is_empty(end(second).expect("a graph")));
}

#[test]
fn two_captures_stay_apart() {
    let context = context();
    let (one, other, third) = (in_order(context), in_order(context), in_order(context));
    begin(one);
    begin(other);
    let a = task(one, &[]).expect("a task");
    let b = task(other, &[]).expect("a task");
    let merge = Err(ResultCode::ERROR_GRAPH_CAPTURE_MERGE_ATTEMPT);
    assert_eq!(task(one, &[b]), merge);
    assert_eq!(task(third, &[a, b]), merge);
    assert!(!captures(third));
    assert_eq!(
        begin_into(third, graph_of(one).expect("a graph")),
        ResultCode::ERROR_INVALID_GRAPH
    );
    assert_eq!(
        call!(QueueExp.pfnBeginGraphCaptureExp(one)),
        ResultCode::ERROR_INVALID_OPERATION
    );
    assert!(!is_empty(end(one).expect("a graph")));
    assert!(!is_empty(end(other).expect("a graph")));
}

#[test]
fn what_has_no_place_in_a_graph_spoils_it() {
    let context = context();
    let mut bytes = [0u8; 16];
    let bytes = bytes.as_mut_ptr().cast::<c_void>();
    let copy = |queue, blocking| {
        call!(Enqueue.pfnUSMMemcpy(
            queue,
            blocking,
            bytes,
            bytes.wrapping_byte_add(8),
            8,
            0,
            null(),
            null_mut()
        ))
    };
    let mut memory = null_mut();
    let alloc = |queue, memory| {
        call!(EnqueueExp.pfnUSMDeviceAllocExp(
            queue,
            UsmPoolHandle::default(),
            8,
            null(),
            0,
            null(),
            memory,
            null_mut()
        ))
    };
    let mut stamp = EventHandle::default();
    let spoilers: [&mut dyn FnMut(QueueHandle) -> ResultCode; 6] = [
        &mut |queue| copy(queue, true),
        &mut |queue| call!(Queue.pfnFinish(queue)),
        &mut |queue| alloc(queue, &mut memory),
        &mut |queue| call!(EnqueueExp.pfnUSMFreeExp(queue, UsmPoolHandle::default(), bytes, 0, null(), null_mut())),
        &mut |queue| call!(EnqueueExp.pfnTimestampRecordingExp(queue, false, 0, null(), &mut stamp)),
        &mut |queue| {
            let never = never(context);
            task(queue, &[never]).map_or_else(|code| code, |_| SUCCESS)
        },
    ];
    for spoil in spoilers {
        let queue = in_order(context);
        begin(queue);
        assert_eq!(copy(queue, false), SUCCESS);
        assert_eq!(spoil(queue), UNSUPPORTED);
        assert!(captures(queue));
        assert_eq!(copy(queue, false), INVALIDATED);
        assert_eq!(end(queue), Err(INVALIDATED));
        assert!(!captures(queue));
    }
    // An error in the parameters does not.
    let queue = in_order(context);
    begin(queue);
    let null = call!(Enqueue.pfnUSMMemcpy(queue, false, bytes, null_mut(), 8, 0, null(), null_mut()));
    assert_eq!(null, ResultCode::ERROR_INVALID_NULL_POINTER);
    assert_eq!(
        task(queue, &[EventHandle(queue.0)]),
        Err(ResultCode::ERROR_INVALID_EVENT_WAIT_LIST)
    );
    assert!(is_empty(end(queue).expect("a graph")));
}

/// An event of no command, which is never complete.
fn never(context: ContextHandle) -> EventHandle {
    let mut event = EventHandle::default();
    let created = call!(EventExp.pfnCreateExp(context, device(), &ExpEventDesc::default(), &mut event));
    assert_eq!(created, SUCCESS);
    event
}

#[test]
fn events_of_the_captured() {
    let context = context();
    let (queue, other) = (in_order(context), in_order(context));
    let past = task(queue, &[]).expect("a task");
    begin(queue);
    let event = task(queue, &[past]).expect("a task waits for what is over");
    let mark = barrier(queue, &[]);
    assert_eq!(event_info(event, EventInfo::REFERENCE_COUNT), Ok(1));
    assert_eq!(call!(Event.pfnRetain(event)), SUCCESS);
    assert_eq!(event_info(event, EventInfo::REFERENCE_COUNT), Ok(2));
    assert_eq!(call!(Event.pfnRelease(event)), SUCCESS);
    assert_eq!(
        event_info(event, EventInfo::COMMAND_TYPE),
        Ok(CommandType::HOST_TASK_EXP.0.into())
    );
    assert_eq!(
        event_info(mark, EventInfo::COMMAND_TYPE),
        Ok(CommandType::EVENTS_WAIT_WITH_BARRIER.0.into())
    );
    assert_eq!(event_info(event, EventInfo::CONTEXT), Ok(context.0 as u64));
    assert_eq!(event_info(event, EventInfo::COMMAND_QUEUE), Err(INTERNAL));
    let status = event_info(event, EventInfo::COMMAND_EXECUTION_STATUS);
    assert_eq!(status, Ok(EventStatus::QUEUED.0.into()));
    let (mut size, mut native) = (0, 0);
    assert_eq!(
        call!(Event.pfnGetProfilingInfo(event, ProfilingInfo::COMMAND_START, 0, null_mut(), &mut size)),
        INTERNAL
    );
    unsafe extern "C" fn call(_: EventHandle, _: ExecutionInfo, _: *mut c_void) {}
    assert_eq!(call!(Event.pfnWait(1, &event)), INTERNAL);
    assert_eq!(call!(Event.pfnGetNativeHandle(event, &mut native)), INTERNAL);
    assert_eq!(
        call!(Event.pfnSetCallback(event, ExecutionInfo::COMPLETE, Some(call), null_mut())),
        INTERNAL
    );
    // Maps do not join a capture.
    let joined = call!(Enqueue.pfnMemUnmap(other, MemHandle::default(), null_mut(), 1, &event, null_mut()));
    assert_ne!(joined, SUCCESS);
    let graph = end(queue).expect("a graph");
    assert_eq!(task(other, &[event]), Err(INTERNAL));
    assert!(!captures(other));
    assert_eq!(destroy(graph), SUCCESS);
    assert_eq!(call!(Event.pfnRelease(event)), SUCCESS);
    assert_eq!(call!(Event.pfnRelease(event)), ResultCode::ERROR_INVALID_EVENT);
    assert_eq!(call!(Event.pfnWait(1, &event)), ResultCode::ERROR_INVALID_EVENT);
}

#[test]
fn graphs_of_the_clients() {
    let context = context();
    let queue = in_order(context);
    let graph = new_graph(context);
    assert!(is_empty(graph));
    assert!(id(new_graph(context)) > id(graph));
    let empty = instantiate(graph).expect("an empty graph runs");
    let event = enqueue(queue, empty, &[]);
    assert_eq!(call!(Event.pfnWait(1, &event)), SUCCESS);
    // Two captures, one after the other; one that fails leaves what was there.
    for _ in 0..2 {
        assert_eq!(begin_into(queue, graph), SUCCESS);
        assert_eq!(graph_of(queue), Ok(graph));
        task(queue, &[]).expect("a task");
        task(queue, &[]).expect("a task");
        assert_eq!(end(queue), Ok(graph));
    }
    assert_eq!(begin_into(queue, graph), SUCCESS);
    task(queue, &[]).expect("a task");
    assert_eq!(call!(Queue.pfnFinish(queue)), UNSUPPORTED);
    assert_eq!(end(queue), Err(INVALIDATED));
    assert_eq!(edges(graph), [(0, 1), (2, 3)]);
    assert_eq!(
        begin_into(in_order(super::context()), graph),
        ResultCode::ERROR_INVALID_CONTEXT
    );

    unsafe extern "C" fn gone(counter: *mut c_void) {
        // SAFETY: the test passes a live counter.
        unsafe { *counter.cast::<u32>() += 1 };
    }
    let mut counter = 0u32;
    let place = (&raw mut counter).cast::<c_void>();
    let set = |function| call!(GraphExp.pfnSetDestructionCallbackExp(graph, function, place));
    assert_eq!((set(Some(gone)), set(Some(gone))), (SUCCESS, SUCCESS));
    assert_eq!(set(None), ResultCode::ERROR_INVALID_NULL_POINTER);
    assert_eq!(counter, 0);
    assert_eq!(destroy(graph), SUCCESS);
    assert_eq!(counter, 2);
}

#[test]
fn graphs_in_graphs() {
    let context = context();
    let queue = out_of_order(context);
    begin(queue);
    let a = task(queue, &[]).expect("a task");
    task(queue, &[a]).expect("a task");
    task(queue, &[a]).expect("a task");
    let child = end(queue).expect("a graph");
    let child = instantiate(child).expect("an executable graph");

    begin(queue);
    let before = task(queue, &[]).expect("a task"); // 0
    let run = enqueue(queue, child, &[before]); // 1, 2, 3, and 4 that is the end
    assert_eq!(
        event_info(run, EventInfo::COMMAND_TYPE),
        Ok(CommandType::ENQUEUE_GRAPH_EXP.0.into())
    );
    enqueue(queue, child, &[]); // 5, 6, 7, 8: after the other run
    let graph = end(queue).expect("a graph");
    assert_eq!(
        edges(graph),
        [
            (0, 1),
            (1, 2),
            (1, 3),
            (2, 4),
            (3, 4),
            (4, 5),
            (5, 6),
            (5, 7),
            (6, 8),
            (7, 8)
        ]
    );
}

#[test]
fn null_and_strange_handles() {
    let context = context();
    let queue = in_order(context);
    let null = ResultCode::ERROR_INVALID_NULL_HANDLE;
    let bad = ResultCode::ERROR_INVALID_GRAPH;
    let place = ResultCode::ERROR_INVALID_NULL_POINTER;
    let (none, strange) = (ExpGraphHandle::default(), ExpGraphHandle(queue.0));
    assert_eq!((destroy(none), destroy(strange)), (null, bad));
    assert_eq!((instantiate(none), instantiate(strange)), (Err(null), Err(bad)));
    assert_eq!((begin_into(queue, none), begin_into(queue, strange)), (null, bad));
    assert_eq!(call!(QueueExp.pfnBeginGraphCaptureExp(QueueHandle::default())), null);
    assert_eq!(call!(GraphExp.pfnCreateExp(context, null_mut())), place);
    let graph = new_graph(context);
    assert_eq!(call!(GraphExp.pfnInstantiateGraphExp(graph, null_mut())), place);
    assert_eq!(call!(GraphExp.pfnIsEmptyExp(graph, null_mut())), place);
    assert_eq!(call!(GraphExp.pfnGetIdExp(graph, null_mut())), place);
    assert_eq!(call!(GraphExp.pfnDumpContentsExp(graph, std::ptr::null())), place);
    assert_eq!(
        call!(GraphExp.pfnDumpContentsExp(graph, c"/nowhere/graph.dot".as_ptr())),
        ResultCode::ERROR_INVALID_VALUE
    );
    let mut native = 0;
    assert_eq!(
        call!(GraphExp.pfnGetNativeHandleExp(graph, &mut native)),
        ResultCode::ERROR_UNSUPPORTED_FEATURE
    );
    assert_eq!(call!(QueueExp.pfnIsGraphCaptureEnabledExp(queue, null_mut())), place);
    begin(queue);
    assert_eq!(call!(QueueExp.pfnEndGraphCaptureExp(queue, null_mut())), place);
    assert!(captures(queue));
    // A queue that goes takes its capture with it, for others, too.
    let (event, other) = (task(queue, &[]).expect("a task"), in_order(context));
    task(other, &[event]).expect("a task");
    assert_eq!(call!(Queue.pfnRelease(queue)), SUCCESS);
    assert!(!captures(other));
    task(other, &[]).expect("a task");
}
