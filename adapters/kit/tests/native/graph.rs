// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Graphs that a driver captures.

use super::*;

/// An object of the adapter, which the test looks into.
fn finished(queue: QueueHandle) -> usize {
    // SAFETY: a live handle.
    let queue = unsafe { kit::entry_point::object::<Queue>(queue) }.expect("a queue");
    queue.finished.load(Ordering::Relaxed)
}

fn captures(queue: QueueHandle) -> bool {
    let mut result = false;
    assert_eq!(call!(QueueExp.pfnIsGraphCaptureEnabledExp(queue, &mut result)), SUCCESS);
    result
}

#[test]
fn the_driver_captures() {
    let context = context();
    let (origin, fork) = (queue(context), queue(context));
    let ran = AtomicUsize::new(0);
    let mut graph = ExpGraphHandle::default();
    let end = |queue, graph: &mut ExpGraphHandle| call!(QueueExp.pfnEndGraphCaptureExp(queue, graph));
    assert_eq!(end(origin, &mut graph), ResultCode::ERROR_COMMAND_LIST_NOT_CAPTURING);
    assert!(!captures(origin));
    assert_eq!(call!(QueueExp.pfnBeginGraphCaptureExp(origin)), SUCCESS);
    assert!(captures(origin) && !captures(fork));

    let first = count(origin, &ran, &[]);
    // An event of the driver's, which another queue can wait for.
    let mut kind = CommandType::EVENTS_WAIT;
    let place = (&raw mut kind).cast();
    let asked = call!(Event.pfnGetInfo(first, EventInfo::COMMAND_TYPE, 4, place, null_mut()));
    assert_eq!((asked, kind), (SUCCESS, CommandType::HOST_TASK_EXP));
    let second = count(fork, &ran, &[first]);
    assert!(captures(fork), "it has joined");
    count(origin, &ran, &[second]);
    assert_eq!(ran.load(Ordering::Relaxed), 0);
    // What a graph cannot have is for the driver to refuse.
    assert_eq!(call!(Queue.pfnFinish(origin)), SUCCESS);
    assert_eq!(finished(origin), 1);

    let mut known = ExpGraphHandle::default();
    assert_eq!(call!(QueueExp.pfnGetGraphExp(origin, &mut known)), SUCCESS);
    assert_eq!(end(origin, &mut graph), SUCCESS);
    assert_eq!(graph, known);
    assert!(!captures(origin));

    let (mut empty, mut native) = (true, 0);
    assert_eq!(call!(GraphExp.pfnIsEmptyExp(graph, &mut empty)), SUCCESS);
    assert!(!empty);
    assert_eq!(call!(GraphExp.pfnGetNativeHandleExp(graph, &mut native)), SUCCESS);
    assert_eq!(native, Graph::NATIVE);
    let unsupported = ResultCode::ERROR_UNSUPPORTED_FEATURE;
    assert_eq!(
        call!(GraphExp.pfnDumpContentsExp(graph, c"/nowhere".as_ptr())),
        unsupported
    );

    let mut executable = ExpExecutableGraphHandle::default();
    assert_eq!(call!(GraphExp.pfnInstantiateGraphExp(graph, &mut executable)), SUCCESS);
    let native_executable = call!(GraphExp.pfnExecutableGraphGetNativeHandleExp(executable, &mut native));
    assert_eq!((native_executable, native), (SUCCESS, Graph::NATIVE + 1));
    for runs in 1..=2 {
        let ran_it = call!(EnqueueExp.pfnGraphExp(origin, executable, 0, null(), null_mut()));
        assert_eq!((ran_it, ran.load(Ordering::Relaxed)), (SUCCESS, 3 * runs));
    }
    assert_eq!(call!(GraphExp.pfnExecutableGraphDestroyExp(executable)), SUCCESS);
    assert_eq!(call!(GraphExp.pfnDestroyExp(graph)), SUCCESS);
    assert_eq!(call!(GraphExp.pfnDestroyExp(graph)), ResultCode::ERROR_INVALID_GRAPH);
}

#[test]
fn a_given_graph_stays_the_clients() {
    unsafe extern "C" fn called(counter: *mut c_void) {
        // SAFETY: a live counter.
        unsafe { &*counter.cast::<AtomicUsize>() }.fetch_add(1, Ordering::Relaxed);
    }
    let context = context();
    let queue = queue(context);
    let calls = AtomicUsize::new(0);
    let mut graph = ExpGraphHandle::default();
    assert_eq!(call!(GraphExp.pfnCreateExp(context, &mut graph)), SUCCESS);
    let place = (&raw const calls).cast_mut().cast();
    let set = call!(GraphExp.pfnSetDestructionCallbackExp(graph, Some(called), place));
    assert_eq!(set, SUCCESS);
    let (mut id, mut next) = (0, ExpGraphHandle::default());
    assert_eq!(call!(GraphExp.pfnGetIdExp(graph, &mut id)), SUCCESS);
    assert_ne!(id, 0);
    assert_eq!(call!(QueueExp.pfnBeginCaptureIntoGraphExp(queue, graph)), SUCCESS);
    let again = call!(QueueExp.pfnBeginGraphCaptureExp(queue));
    assert_eq!(again, ResultCode::ERROR_INVALID_OPERATION);
    assert_eq!(call!(QueueExp.pfnEndGraphCaptureExp(queue, &mut next)), SUCCESS);
    assert_eq!(next, graph);
    let before = DESTROYED.load(Ordering::Relaxed);
    // One reference: the end of the capture has added none.
    assert_eq!(call!(GraphExp.pfnDestroyExp(graph)), SUCCESS);
    assert_eq!(calls.load(Ordering::Relaxed), 1);
    assert!(DESTROYED.load(Ordering::Relaxed) > before);
    assert_eq!(call!(GraphExp.pfnDestroyExp(graph)), ResultCode::ERROR_INVALID_GRAPH);
}
