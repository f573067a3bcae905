// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Graphs: commands that queues capture, and their runs.

use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};

use oxur_conformance::api::*;
use oxur_conformance::client::{Arg, Context, Event, ExecutableGraph, Graph, Image, Kernel, Queue, Range, Result, Usm};
use oxur_conformance::{Rig, Stack, check, expect, stack, ur, values};

const IN_ORDER: QueueFlags = QueueFlags::empty();
const OUT_OF_ORDER: QueueFlags = QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE;

/// A rig on a device that captures graphs; on one that does not the functions say so.
fn rig() -> Option<Rig> {
    let rig = Rig::new();
    let supported = rig.device.info::<bool>(DeviceInfo::GRAPH_RECORD_AND_REPLAY_SUPPORT_EXP);
    if supported.is_ok_and(|supported| supported) {
        return Some(rig);
    }
    assert_eq!(
        stack(),
        Stack::Intel,
        "our adapters need nothing of the driver to capture graphs"
    );
    expect!(
        ur!(urQueueBeginGraphCaptureExp(rig.queue.raw())),
        ERROR_UNSUPPORTED_FEATURE
    );
    println!("this device captures no graphs");
    None
}

/// Another queue than the rig's.
fn queue_of(rig: &Rig, flags: QueueFlags) -> Queue {
    Queue::new(&rig.context, &rig.device, flags).expect("urQueueCreate")
}

/// Adds one to all elements.
fn increment(queue: &Queue, kernel: &Kernel, data: &Usm, wait: &[&Event]) -> Result<Event> {
    let range = Range::new([data.len() / 4]);
    // SAFETY: the kernel changes as many elements as there are.
    unsafe { queue.launch(kernel, &range, &[Arg::Pointer(data.ptr())], wait) }
}

/// Copies all of one to the other.
fn copy(queue: &Queue, to: &Usm, from: &Usm, wait: &[&Event]) -> Result<Event> {
    // SAFETY: tests give memory of the same size, and wait before they free it.
    unsafe { queue.memcpy(false, to.ptr(), from.ptr(), to.len(), wait) }
}

/// Fills all elements.
fn fill(queue: &Queue, to: &Usm, value: i32, wait: &[&Event]) -> Result<Event> {
    // SAFETY: as above.
    unsafe { queue.memset(to.ptr(), &[value], to.len(), wait) }
}

/// Runs a graph and waits.
fn run(queue: &Queue, graph: &ExecutableGraph) {
    // SAFETY: tests keep the memory that their graphs use.
    let event = unsafe { queue.run_graph(graph, &[]) }.expect("urEnqueueGraphExp");
    let command = event.info::<CommandType>(EventInfo::COMMAND_TYPE).expect("a command");
    assert_eq!(command, CommandType::ENQUEUE_GRAPH_EXP);
    event.wait().expect("urEventWait");
}

#[test]
fn in_order() {
    let Some(rig) = rig() else { return };
    let kernel = rig.kernel("basic", "increment");
    let (data, result) = (rig.shared(&[5i32; 64]), rig.shared(&[0i32; 64]));
    let graph = rig
        .queue
        .capture(|| {
            assert!(rig.queue.captures()?);
            for _ in 0..3 {
                increment(&rig.queue, &kernel, &data, &[])?;
            }
            copy(&rig.queue, &result, &data, &[])?;
            fill(&rig.queue, &data, 7, &[])?;
            Ok(())
        })
        .expect("a capture");
    assert!(!rig.queue.captures().expect("a truth value"));
    assert!(!graph.is_empty().expect("a truth value"));
    rig.queue.finish().expect("urQueueFinish");
    assert_eq!(
        (values::<i32>(&data)[0], values::<i32>(&result)[63]),
        (5, 0),
        "nothing has run"
    );

    let executable = graph.instantiate().expect("urGraphInstantiateGraphExp");
    drop(graph);
    run(&rig.queue, &executable);
    assert_eq!(
        (values::<i32>(&data), values::<i32>(&result)),
        (&[7; 64][..], &[8; 64][..])
    );
    // The kernel's object is not needed any more, and any queue will do.
    drop(kernel);
    run(&queue_of(&rig, OUT_OF_ORDER), &executable);
    assert_eq!(values::<i32>(&result), [10; 64]);
    // Runs come one after the other, whatever the queue; the client need not wait.
    let other = queue_of(&rig, OUT_OF_ORDER);
    let replays = |queue: &Queue| {
        // SAFETY: the memory lives until the queues are finished.
        (0..50).for_each(|_| drop(unsafe { queue.run_graph(&executable, &[]) }.expect("urEnqueueGraphExp")));
    };
    replays(&rig.queue);
    replays(&other);
    rig.queue.finish().expect("urQueueFinish");
    other.finish().expect("urQueueFinish");
    assert_eq!(
        (values::<i32>(&data), values::<i32>(&result)),
        (&[7; 64][..], &[10; 64][..])
    );
}

#[test]
fn arguments_that_change_after_the_capture() {
    let Some(rig) = rig() else { return };
    let (kernel, range) = (rig.kernel("basic", "fill"), Range::new([64]));
    let data = [(); 4].map(|()| rig.shared(&[0i32; 64]));
    let launch = |at: usize, value: i32, one_by_one| {
        let args = [Arg::Pointer(data[at].ptr()), Arg::value(&value)];
        // SAFETY: the kernel fills as many elements as there are.
        unsafe {
            match one_by_one {
                true => rig.queue.launch_legacy(&kernel, &range, &args, &[]),
                false => rig.queue.launch(&kernel, &range, &args, &[]),
            }
        }
    };
    launch(3, 1, true).expect("launch");
    let graph = rig
        .queue
        .capture(|| {
            launch(0, 1, true)?;
            launch(1, 1, false)?;
            launch(2, 2, true)?;
            Ok(())
        })
        .expect("a capture");
    let contents = || [0, 1, 2, 3].map(|i: usize| values::<i32>(&data[i])[63]);
    launch(3, 2, true).expect("launch");
    rig.queue.finish().expect("urQueueFinish");
    assert_eq!(contents(), [0, 0, 0, 2]);
    let executable = graph.instantiate().expect("urGraphInstantiateGraphExp");
    for time in 0..4 {
        launch(time, 9, time % 2 == 0).expect("launch");
        run(&rig.queue, &executable);
        launch(3, 5, time % 2 == 0).expect("launch");
        rig.queue.finish().expect("urQueueFinish");
        assert_eq!(contents(), [1, 1, 2, 5]);
    }
}

#[test]
fn out_of_order() {
    let Some(rig) = rig() else { return };
    let kernel = rig.kernel("basic", "increment");
    let add = rig.kernel("basic", "add");
    let queue = queue_of(&rig, OUT_OF_ORDER);
    let (a, b, c) = (
        rig.shared(&[0i32; 64]),
        rig.shared(&[0i32; 64]),
        rig.shared(&[0i32; 64]),
    );
    let graph = queue
        .capture(|| {
            let start = fill(&queue, &a, 1, &[])?;
            let left = increment(&queue, &kernel, &a, &[&start])?;
            let right = fill(&queue, &b, 10, &[&start])?;
            let range = Range::new([64]);
            let args = [&a, &b, &c].map(|usm| Arg::Pointer(usm.ptr()));
            // SAFETY: the kernel adds as many elements as there are.
            let sum = unsafe { queue.launch(&add, &range, &args, &[&left, &right]) }?;
            queue.barrier(&[&sum])?;
            increment(&queue, &kernel, &c, &[])?;
            queue.barrier(&[])?;
            increment(&queue, &kernel, &c, &[])?;
            Ok(())
        })
        .expect("a capture");
    let executable = graph.instantiate().expect("urGraphInstantiateGraphExp");
    for _ in 0..10 {
        // SAFETY: the memory is what the kernel that runs there expects; nothing else uses it now.
        run(&queue, &executable);
        assert_eq!(values::<i32>(&c), [14; 64]);
    }
}

#[test]
fn fork_and_join() {
    let Some(rig) = rig() else { return };
    for flags in [IN_ORDER, OUT_OF_ORDER] {
        let kernel = rig.kernel("basic", "increment");
        let (origin, second) = (queue_of(&rig, flags), queue_of(&rig, IN_ORDER));
        let (a, b, c) = (
            rig.shared(&[0i32; 64]),
            rig.shared(&[0i32; 64]),
            rig.shared(&[0i32; 64]),
        );
        let graph = origin
            .capture(|| {
                let start = fill(&origin, &a, 20, &[])?;
                // The other queue joins by what it waits for, and its own order counts.
                let copied = copy(&second, &b, &a, &[&start])?;
                assert!(second.captures()?);
                increment(&second, &kernel, &b, &[])?;
                let back = increment(&second, &kernel, &b, &[])?;
                let own = increment(&origin, &kernel, &a, &[&start, &copied])?;
                copy(&origin, &c, &b, &[&back, &own])?;
                Ok(())
            })
            .expect("a capture");
        assert!(!second.captures().expect("a truth value"));
        let executable = graph.instantiate().expect("urGraphInstantiateGraphExp");
        for _ in 0..3 {
            run(&second, &executable);
            assert_eq!([&a, &b, &c].map(|usm| values::<i32>(usm)[63]), [21, 22, 22]);
        }
        // It is free again.
        fill(&second, &c, 1, &[])
            .and_then(|event| event.wait())
            .expect("a fill");
        assert_eq!(values::<i32>(&c), [1; 64]);
    }
}

unsafe extern "C" fn count(data: *mut c_void) {
    // SAFETY: the tests give live counters.
    unsafe { &*data.cast::<AtomicU32>() }.fetch_add(1, Ordering::Relaxed);
}

/// The wait list and the event of a call: none.
const NONE: (u32, *const EventHandle, *mut EventHandle) = (0, null(), null_mut());

#[test]
fn commands_on_usm_and_the_host() {
    let Some(rig) = rig() else { return };
    let queue = &rig.queue;
    let (square, rows, odd) = (rig.shared(&[0u8; 64]), rig.shared(&[1u8; 64]), rig.shared(&[0u8; 30]));
    let calls = AtomicU32::new(0);
    let at = (&raw const calls).cast_mut().cast();
    let graph = queue
        .capture(|| {
            // SAFETY: all memory is as large as the commands say, and lives longer than the graph.
            unsafe {
                queue.prefetch(rows.ptr(), 64, UsmMigrationFlags::default(), &[])?;
                queue.advise(rows.ptr(), 64, UsmAdviceFlags::default())?;
                queue.memset_2d((rows.ptr(), 8), &[3u8], 4, 8, &[])?;
                queue.memcpy_2d(false, (square.ptr(), 16), (rows.ptr(), 8), 8, 4, &[])?;
                queue.memset(odd.ptr(), &[1u8, 2, 3], 30, &[])?;
                queue.host_task(Some(count), at, &[])?;
            }
            queue.marker(&[])?;
            Ok(())
        })
        .expect("a capture");
    let executable = graph.instantiate().expect("urGraphInstantiateGraphExp");
    for runs in 1..4 {
        run(queue, &executable);
        assert_eq!(calls.load(Ordering::Relaxed), runs);
        let row = |at: usize| &values::<u8>(&square)[at * 16..at * 16 + 16];
        for at in 0..4 {
            assert_eq!(row(at), [3, 3, 3, 3, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
        }
        assert_eq!(values::<u8>(&odd)[27..], [1, 2, 3]);
    }
}

#[test]
fn commands_on_buffers() {
    let Some(rig) = rig() else { return };
    let queue = &rig.queue;
    let (a, b) = (rig.buffer(&[0u32; 16]), rig.buffer(&[0u32; 16]));
    let (source, mut target, mut part) = ([7u32; 4], [0u32; 16], [0u32; 4]);
    let (count, events, event) = NONE;
    let (raw, src, dst) = (queue.raw(), source.as_ptr().cast(), target.as_mut_ptr().cast());
    let pattern = 9u32;
    let origin = RectOffset::default();
    let region = RectRegion {
        width: 8,
        height: 2,
        depth: 1,
    };
    queue.begin_capture().expect("a capture");
    let (x, y) = (a.raw(), b.raw());
    let four = (&raw const pattern).cast();
    expect!(
        ur!(urEnqueueMemBufferFill(raw, x, four, 4, 0, 64, count, events, event)),
        SUCCESS
    );
    expect!(
        ur!(urEnqueueMemBufferWrite(
            raw, x, false, 16, 16, src, count, events, event
        )),
        SUCCESS
    );
    expect!(
        ur!(urEnqueueMemBufferCopy(raw, x, y, 0, 0, 64, count, events, event)),
        SUCCESS
    );
    // Two rows of two, 16 bytes apart.
    let rect = ur!(urEnqueueMemBufferCopyRect(
        raw,
        x,
        y,
        origin,
        RectOffset { x: 8, y: 2, z: 0 },
        region,
        16,
        0,
        16,
        0,
        count,
        events,
        event
    ));
    expect!(rect, SUCCESS);
    let rect = ur!(urEnqueueMemBufferWriteRect(
        raw,
        x,
        false,
        origin,
        origin,
        region,
        16,
        0,
        8,
        0,
        src.cast_mut(),
        count,
        events,
        event
    ));
    expect!(rect, SUCCESS);
    let at = part.as_mut_ptr().cast();
    let rect = ur!(urEnqueueMemBufferReadRect(
        raw, x, false, origin, origin, region, 16, 0, 8, 0, at, count, events, event
    ));
    expect!(rect, SUCCESS);
    expect!(
        ur!(urEnqueueMemBufferRead(raw, y, false, 0, 64, dst, count, events, event)),
        SUCCESS
    );
    let outside = ur!(urEnqueueMemBufferRead(raw, y, false, 32, 64, dst, count, events, event));
    expect!(outside, ERROR_INVALID_SIZE);
    let executable = queue
        .end_capture()
        .and_then(|graph| graph.instantiate())
        .expect("a graph");
    // The graph keeps them.
    drop((a, b));
    for _ in 0..2 {
        let (target, part) = ((&raw mut target), (&raw mut part));
        // SAFETY: nothing runs that uses them.
        unsafe { (target.write_volatile([0; 16]), part.write_volatile([0; 4])) };
        run(queue, &executable);
        // SAFETY: as above.
        let (target, part) = unsafe { (target.read_volatile(), part.read_volatile()) };
        assert_eq!(target, [9, 9, 9, 9, 7, 7, 7, 7, 9, 9, 9, 9, 9, 9, 7, 7]);
        assert_eq!(part, [7; 4]);
    }
}

#[test]
fn commands_on_images() {
    let Some(rig) = rig() else { return };
    if !rig.supports(DeviceInfo::IMAGE_SUPPORT, "images") {
        return;
    }
    let format = ImageFormat {
        channelOrder: ImageChannelOrder::RGBA,
        channelType: ImageChannelType::UNSIGNED_INT8,
    };
    let desc = ImageDesc {
        r#type: MemType::IMAGE2D,
        width: 4,
        height: 4,
        depth: 1,
        ..Default::default()
    };
    let image = || Image::new(&rig.context, MemFlags::READ_WRITE, format, &desc).expect("urMemImageCreate");
    let (from, to) = (image(), image());
    let source: Vec<u8> = (0..64).collect();
    let mut target = vec![0u8; 64];
    let origin = RectOffset::default();
    let region = RectRegion {
        width: 4,
        height: 4,
        depth: 1,
    };
    let (queue, (count, events, event)) = (rig.queue.raw(), NONE);
    let (src, dst) = (source.as_ptr().cast_mut().cast(), target.as_mut_ptr().cast());
    rig.queue.begin_capture().expect("a capture");
    let (x, y) = (from.raw(), to.raw());
    expect!(
        ur!(urEnqueueMemImageWrite(
            queue, x, false, origin, region, 0, 0, src, count, events, event
        )),
        SUCCESS
    );
    expect!(
        ur!(urEnqueueMemImageCopy(
            queue, x, y, origin, origin, region, count, events, event
        )),
        SUCCESS
    );
    expect!(
        ur!(urEnqueueMemImageRead(
            queue, y, false, origin, region, 0, 0, dst, count, events, event
        )),
        SUCCESS
    );
    let graph = rig.queue.end_capture().expect("a graph");
    let executable = graph.instantiate().expect("urGraphInstantiateGraphExp");
    drop((from, to));
    for _ in 0..2 {
        target.fill(0);
        run(&rig.queue, &executable);
        assert_eq!(target, source);
    }
}

#[test]
fn device_globals() {
    let Some(rig) = rig() else { return };
    if !rig
        .device
        .info::<bool>(DeviceInfo::GLOBAL_VARIABLE_SUPPORT)
        .is_ok_and(|known| known)
    {
        return;
    }
    let program = rig.program("globals");
    let kernel = Kernel::new(&program, "count_up").expect("urKernelCreate");
    let mut counter = 0i64;
    let start = 40i64;
    let (queue, (count, events, event)) = (rig.queue.raw(), NONE);
    let (src, dst) = ((&raw const start).cast(), (&raw mut counter).cast());
    let (raw, name) = (program.raw(), c"counter".as_ptr());
    rig.queue.begin_capture().expect("a capture");
    expect!(
        ur!(urEnqueueDeviceGlobalVariableWrite(
            queue, raw, name, false, 8, 0, src, count, events, event
        )),
        SUCCESS
    );
    // SAFETY: the kernel has no arguments.
    unsafe { rig.queue.launch(&kernel, &Range::new([1]), &[], &[]) }.expect("a launch");
    expect!(
        ur!(urEnqueueDeviceGlobalVariableRead(
            queue, raw, name, false, 8, 0, dst, count, events, event
        )),
        SUCCESS
    );
    let graph = rig.queue.end_capture().expect("a graph");
    let executable = graph.instantiate().expect("urGraphInstantiateGraphExp");
    drop((program, kernel));
    for _ in 0..2 {
        run(&rig.queue, &executable);
        // SAFETY: no command uses it now.
        assert_eq!(unsafe { (&raw const counter).read_volatile() }, 41);
    }
}

#[test]
fn graphs_and_command_buffers_inside() {
    let Some(rig) = rig() else { return };
    let kernel = rig.kernel("basic", "increment");
    let data = rig.shared(&[0i32; 64]);
    let queue = &rig.queue;
    let twice = || {
        increment(queue, &kernel, &data, &[])?;
        increment(queue, &kernel, &data, &[]).map(drop)
    };
    let child = queue
        .capture(twice)
        .and_then(|graph| graph.instantiate())
        .expect("a graph");
    let mut buffer = ExpCommandBufferHandle::default();
    let desc = ExpCommandBufferDesc::default();
    let (context, device) = (rig.context.raw(), rig.device.raw());
    expect!(
        ur!(urCommandBufferCreateExp(context, device, &desc, &mut buffer)),
        SUCCESS
    );
    let pattern = 100i32;
    expect!(
        ur!(urCommandBufferAppendUSMFillExp(
            buffer,
            data.ptr(),
            (&raw const pattern).cast(),
            4,
            data.len(),
            0,
            null(),
            0,
            null(),
            null_mut(),
            null_mut(),
            null_mut(),
        )),
        SUCCESS
    );
    let (count, events, event) = NONE;
    let unfinished = || ur!(urEnqueueCommandBufferExp(queue.raw(), buffer, count, events, event));
    queue.begin_capture().expect("a capture");
    expect!(unfinished(), ERROR_INVALID_COMMAND_BUFFER_EXP);
    expect!(ur!(urCommandBufferFinalizeExp(buffer)), SUCCESS);
    expect!(
        ur!(urEnqueueCommandBufferExp(queue.raw(), buffer, count, events, event)),
        SUCCESS
    );
    for _ in 0..3 {
        // SAFETY: the memory lives.
        let event = unsafe { queue.run_graph(&child, &[]) }.expect("urEnqueueGraphExp");
        assert_eq!(
            event.info::<CommandType>(EventInfo::COMMAND_TYPE).expect("a command"),
            CommandType::ENQUEUE_GRAPH_EXP
        );
    }
    let graph = queue.end_capture().expect("a graph");
    expect!(ur!(urCommandBufferReleaseExp(buffer)), SUCCESS);
    drop(child);
    let executable = graph.instantiate().expect("urGraphInstantiateGraphExp");
    for _ in 0..2 {
        run(queue, &executable);
        assert_eq!(values::<i32>(&data), [106; 64]);
    }
}

#[test]
fn into_a_graph_of_the_client() {
    let Some(rig) = rig() else { return };
    let kernel = rig.kernel("basic", "increment");
    let data = rig.shared(&[0i32; 64]);
    let graph = Graph::new(&rig.context).expect("urGraphCreateExp");
    assert!(graph.is_empty().expect("a truth value"));
    run(&rig.queue, &graph.instantiate().expect("an empty graph runs"));
    let one = || increment(&rig.queue, &kernel, &data, &[]).map(drop);
    rig.queue.capture_into(&graph, one).expect("a capture");
    let first = graph.instantiate().expect("urGraphInstantiateGraphExp");
    run(&rig.queue, &first);
    assert_eq!(values::<i32>(&data), [1; 64]);
    let other = Graph::new(&rig.context).expect("urGraphCreateExp");
    assert!(other.id().expect("an id") > graph.id().expect("an id"));

    let file = std::env::temp_dir().join(format!("oxur-graph-{}.dot", std::process::id()));
    graph.dump(&file).expect("urGraphDumpContentsExp");
    let text = std::fs::read_to_string(&file).expect("the file");
    std::fs::remove_file(file).expect("the file goes");
    assert!(text.contains("increment"), "{text}");

    // What was made of it before stays as it was.
    rig.queue.capture_into(&graph, one).expect("a capture");
    let both = graph.instantiate().expect("urGraphInstantiateGraphExp");
    run(&rig.queue, &both);
    run(&rig.queue, &first);
    assert_eq!(values::<i32>(&data), [4; 64]);

    // A graph outlives its queue, its context handle, and one that runs the graph that it was made of.
    let queue = queue_of(&rig, IN_ORDER);
    queue.begin_capture().expect("a capture");
    increment(&queue, &kernel, &data, &[]).expect("a launch");
    let graph = queue.end_capture().expect("a graph");
    let executable = graph.instantiate().expect("urGraphInstantiateGraphExp");
    drop((queue, graph));
    run(&rig.queue, &executable);
    assert_eq!(values::<i32>(&data), [5; 64]);
}

/// `urGraphDestroyExp` has no condition for a graph that a queue captures into.
#[test]
fn destroyed_during_the_capture() {
    let Some(rig) = rig() else { return };
    let data = rig.shared(&[0i32; 64]);
    for filled in [false, true] {
        let mut graph = ExpGraphHandle::default();
        expect!(ur!(urGraphCreateExp(rig.context.raw(), &mut graph)), SUCCESS);
        for _ in 0..if filled { 1 } else { 0 } {
            expect!(ur!(urQueueBeginCaptureIntoGraphExp(rig.queue.raw(), graph)), SUCCESS);
            fill(&rig.queue, &data, 1, &[]).expect("a fill");
            expect!(ur!(urQueueEndGraphCaptureExp(rig.queue.raw(), &mut graph)), SUCCESS);
        }
        expect!(ur!(urQueueBeginCaptureIntoGraphExp(rig.queue.raw(), graph)), SUCCESS);
        fill(&rig.queue, &data, 1, &[]).expect("a fill");
        expect!(ur!(urGraphDestroyExp(graph)), SUCCESS);
        _ = fill(&rig.queue, &data, 2, &[]);
        expect!(ur!(urGraphDestroyExp(graph)), ERROR_INVALID_GRAPH);
        expect!(check(rig.queue.end_capture()), ERROR_GRAPH_CAPTURE_INVALIDATED);
        // The queue runs commands again, and those of the graph never ran.
        assert_eq!(values::<i32>(&data), [0; 64]);
        rig.queue.finish().expect("urQueueFinish");
    }
    fill(&rig.queue, &data, 3, &[]).expect("a fill");
    rig.queue.finish().expect("urQueueFinish");
    assert_eq!(values::<i32>(&data), [3; 64]);
}

#[test]
fn what_cannot_be_captured() {
    let Some(rig) = rig() else { return };
    let data = rig.shared(&[0i32; 64]);
    let buffer = rig.buffer(&[0i32; 64]);
    let (queue, other) = (&rig.queue, queue_of(&rig, IN_ORDER));
    let spoilt = |spoil: &dyn Fn() -> ResultCode| {
        queue.begin_capture().expect("a capture");
        fill(queue, &data, 1, &[]).expect("a fill");
        expect!(spoil(), ERROR_GRAPH_CAPTURE_UNSUPPORTED);
        expect!(check(fill(queue, &data, 1, &[])), ERROR_GRAPH_CAPTURE_INVALIDATED);
        expect!(check(queue.end_capture()), ERROR_GRAPH_CAPTURE_INVALIDATED);
        expect!(check(queue.end_capture()), ERROR_COMMAND_LIST_NOT_CAPTURING);
    };
    // SAFETY: memory of that size.
    spoilt(&|| check(unsafe { queue.memcpy(true, data.ptr(), data.ptr(), 4, &[]) }));
    spoilt(&|| check(queue.read(&buffer, 0, &mut [0i32; 64], &[])));
    spoilt(&|| check(queue.finish()));
    spoilt(&|| check(queue.map(&buffer, MapFlags::READ, 0, 4, &[])));

    // Forks must come back, and to where the capture began.
    queue.begin_capture().expect("a capture");
    let start = fill(queue, &data, 1, &[]).expect("a fill");
    let fork = fill(&other, &data, 2, &[&start]).expect("a fill");
    expect!(check(other.end_capture()), ERROR_COMMAND_LIST_NOT_CAPTURING);
    expect!(check(other.begin_capture()), ERROR_INVALID_OPERATION);
    expect!(check(queue.end_capture()), ERROR_GRAPH_UNJOINED_FORKS);

    // Events of the captured are of no use outside.
    expect!(check(fork.wait()), ERROR_GRAPH_INTERNAL_EVENT);
    expect!(check(fill(queue, &data, 1, &[&start])), ERROR_GRAPH_INTERNAL_EVENT);
    assert_eq!(
        start.info::<CommandType>(EventInfo::COMMAND_TYPE).expect("a command"),
        CommandType::USM_FILL
    );
    let status: EventStatus = start.info(EventInfo::COMMAND_EXECUTION_STATUS).expect("a status");
    assert_eq!(status, EventStatus::QUEUED, "it never gets further");
    let context: ContextHandle = start.info(EventInfo::CONTEXT).expect("a context");
    assert_eq!(context, rig.context.raw());

    // Two captures do not become one.
    queue.begin_capture().expect("a capture");
    other.begin_capture().expect("a capture");
    let one = fill(queue, &data, 1, &[]).expect("a fill");
    let two = fill(&other, &data, 1, &[]).expect("a fill");
    expect!(check(fill(queue, &data, 1, &[&two])), ERROR_GRAPH_CAPTURE_MERGE_ATTEMPT);
    let third = queue_of(&rig, IN_ORDER);
    expect!(
        check(fill(&third, &data, 1, &[&one, &two])),
        ERROR_GRAPH_CAPTURE_MERGE_ATTEMPT
    );
    queue.end_capture().expect("a graph");
    other.end_capture().expect("a graph");

    // What was enqueued before must be complete.
    let before = fill(queue, &data, 3, &[]).expect("a fill");
    before.wait().expect("urEventWait");
    let graph = queue
        .capture(|| fill(queue, &data, 4, &[&before]).map(drop))
        .expect("a capture");
    drop(graph);

    // Another context's queue has no part in it.
    let context = Context::new(&[&rig.device]).expect("urContextCreate");
    let stranger = Queue::new(&context, &rig.device, IN_ORDER).expect("urQueueCreate");
    queue.begin_capture().expect("a capture");
    let event = queue.marker(&[]).expect("a marker");
    expect!(check(stranger.marker(&[&event])), ERROR_GRAPH_CAPTURE_UNSUPPORTED);
    expect!(check(queue.end_capture()), ERROR_GRAPH_CAPTURE_INVALIDATED);
}

#[test]
fn threads_capture_apart() {
    let Some(rig) = rig() else { return };
    let program = rig.program("basic");
    std::thread::scope(|scope| {
        for _ in 0..20 {
            scope.spawn(|| {
                let kernel = Kernel::new(&program, "increment").expect("urKernelCreate");
                let queue = queue_of(&rig, IN_ORDER);
                let data = rig.shared(&[0i32; 16]);
                let commands = || (0..10).try_for_each(|_| increment(&queue, &kernel, &data, &[]).map(drop));
                let graph = queue.capture(commands).expect("a capture");
                let executable = graph.instantiate().expect("urGraphInstantiateGraphExp");
                for _ in 0..10 {
                    // SAFETY: the memory lives until the queue is finished.
                    drop(unsafe { queue.run_graph(&executable, &[]) }.expect("urEnqueueGraphExp"));
                }
                drop(executable);
                queue.finish().expect("urQueueFinish");
                assert_eq!(values::<i32>(&data), [100; 16]);
            });
        }
    });
}

/// What a device global lacks is said when the command is captured, not when a run is half submitted.
#[test]
fn device_globals_are_checked_at_once() {
    let Some(rig) = rig() else { return };
    let supported = rig.device.info::<bool>(DeviceInfo::GLOBAL_VARIABLE_SUPPORT);
    if !supported.is_ok_and(|supported| supported) {
        return;
    }
    let (program, stranger) = (rig.program("globals"), Rig::new().program("globals"));
    let write = |program, name, offset| {
        let numbers = [0i32; 2];
        // SAFETY: nothing is written: the capture is given up.
        let code = unsafe {
            rig.queue
                .global_write_from(program, name, false, offset, 8, numbers.as_ptr().cast(), &[])
        };
        check(code.map(drop))
    };
    let captured = rig.queue.capture(|| {
        expect!(write(&stranger, "numbers", 0), ERROR_INVALID_CONTEXT);
        expect!(write(&program, "numbers", 25), ERROR_INVALID_VALUE);
        expect!(write(&program, "nobody", 0), ERROR_INVALID_VALUE);
        expect!(write(&program, "numbers", 24), SUCCESS);
        Ok(())
    });
    drop(captured);
}

/// Random commands on random queues, each after those whose memory it uses, give what they give one after the other.
#[test]
fn random_graphs() {
    let Some(rig) = rig() else { return };
    const SLOTS: usize = 6;
    let kernel = rig.kernel("basic", "increment");
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % below
    };
    for round in 0..60 {
        let flags = [IN_ORDER, OUT_OF_ORDER];
        let queues: Vec<Queue> = (0..3).map(|_| queue_of(&rig, flags[random(2)])).collect();
        let slots: Vec<Usm> = (0..SLOTS).map(|slot| rig.shared(&[slot as i32; 32])).collect();
        let mut expected: Vec<i32> = (0..SLOTS as i32).collect();
        let origin = &queues[0];
        origin.begin_capture().expect("a capture");
        let mut events = vec![origin.marker(&[]).expect("a marker")];
        // For each slot who wrote it last, and who has read it since.
        let mut users = vec![(0usize, Vec::<usize>::new()); SLOTS];
        let mut steps = Vec::new();
        for _ in 0..1 + random(60) {
            let (to, from) = (random(SLOTS), random(SLOTS));
            let queue = &queues[random(queues.len())];
            let mut wait: Vec<usize> = users[to]
                .1
                .iter()
                .copied()
                .chain([users[to].0, users[from].0])
                .collect();
            wait.sort_unstable();
            wait.dedup();
            let wait: Vec<&Event> = wait.iter().map(|place| &events[*place]).collect();
            let event = match random(3) {
                0 => increment(queue, &kernel, &slots[to], &wait),
                1 if to != from => copy(queue, &slots[to], &slots[from], &wait),
                _ => fill(queue, &slots[to], to as i32, &wait),
            };
            events.push(event.expect("a command"));
            let place = events.len() - 1;
            let kind = events[place]
                .info::<CommandType>(EventInfo::COMMAND_TYPE)
                .expect("a command");
            steps.push((kind, to, from));
            if kind == CommandType::USM_MEMCPY {
                users[from].1.push(place);
            }
            users[to] = (place, Vec::new());
        }
        let all: Vec<&Event> = events.iter().collect();
        origin.marker(&all).expect("a marker");
        let graph = origin.end_capture().expect("a graph");
        let executable = graph.instantiate().expect("urGraphInstantiateGraphExp");
        for _ in 0..3 {
            run(&queues[random(3)], &executable);
            for (kind, to, from) in &steps {
                expected[*to] = match *kind {
                    CommandType::USM_MEMCPY => expected[*from],
                    CommandType::USM_FILL => *to as i32,
                    _ => expected[*to] + 1,
                };
            }
            for (slot, expected) in slots.iter().zip(&expected) {
                assert_eq!(values::<i32>(slot), [*expected; 32], "round {round}: {steps:?}");
            }
        }
    }
}
