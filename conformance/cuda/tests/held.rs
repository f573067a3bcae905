// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Commands that the host holds up. A stream has room for some hundred behind one that waits, then the driver blocks the
//! caller: so there are far more here, and the thread that enqueues them is the one to let them go on.

use std::ptr::{null, null_mut};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use oxur_client::api::*;
use oxur_client::*;

use crate::{Rig, code};

/// More commands than a stream has room for.
const MANY: usize = 2000;

/// A host task that waits for the test, and gives up after a while.
pub struct Gate {
    pub event: Event,
    open: Sender<()>,
}

impl Gate {
    pub fn new(rig: &Rig) -> Self {
        unsafe extern "C" fn wait(data: *mut c_void) {
            // SAFETY: the receiver that is given away below; the task runs once.
            let opened = unsafe { Box::from_raw(data.cast::<Receiver<()>>()) };
            _ = opened.recv_timeout(Duration::from_secs(120));
        }
        let queue = Queue::new(&rig.context, &rig.device, QueueFlags::empty()).expect("urQueueCreate");
        let (open, opened) = channel();
        let data = Box::into_raw(Box::new(opened));
        // SAFETY: the task runs once, with a receiver that it drops.
        let event = unsafe { queue.host_task(Some(wait), data.cast(), &[]) }.expect("urEnqueueHostTaskExp");
        Self { event, open }
    }

    /// Opens it, if no call has waited for it before.
    pub fn open(self) {
        assert!(!is_complete(&self.event), "a call has waited for the host");
        self.open.send(()).expect("the task waits");
    }
}

fn status(event: &Event) -> EventStatus {
    event.info(EventInfo::COMMAND_EXECUTION_STATUS).expect("the status")
}

fn is_complete(event: &Event) -> bool {
    status(event) == EventStatus::COMPLETE
}

fn queue(rig: &Rig, flags: QueueFlags) -> Queue {
    Queue::new(&rig.context, &rig.device, flags).expect("urQueueCreate")
}

/// A chain of copies behind a fill that waits for the gate. Returns the places, which have the value at the end.
fn chain(rig: &Rig, queue: &Queue, gate: &Gate, in_order: bool, value: u32) -> Usm {
    let places = rig.shared(&[0_u32; MANY]);
    let base: *mut u32 = places.ptr().cast();
    // SAFETY: places inside of the memory, which lives until the queue is finished.
    unsafe {
        let first = queue
            .memset(base.cast(), &[value], 4, &[&gate.event])
            .expect("urEnqueueUSMFill");
        let mut last = first;
        for at in 1..MANY {
            let wait = [&last];
            let wait: &[&Event] = if in_order { &[] } else { &wait };
            let (to, from) = (base.add(at).cast(), base.add(at - 1).cast());
            last = queue.memcpy(false, to, from, 4, wait).expect("urEnqueueUSMMemcpy");
        }
        assert!(!is_complete(&last));
    }
    places
}

fn assert_all(places: &Usm, value: u32) {
    // SAFETY: all commands are complete.
    let values = unsafe { places.as_slice::<u32>() };
    assert_eq!(values.iter().position(|&found| found != value), None);
}

#[test]
fn chains_in_order() {
    let rig = Rig::new();
    let gate = Gate::new(&rig);
    let queue = queue(&rig, QueueFlags::empty());
    let places = chain(&rig, &queue, &gate, true, 7);
    gate.open();
    queue.finish().expect("urQueueFinish");
    assert_all(&places, 7);
}

#[test]
fn chains_out_of_order() {
    let rig = Rig::new();
    let gate = Gate::new(&rig);
    let queue = queue(&rig, QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE);
    let places = chain(&rig, &queue, &gate, false, 8);
    gate.open();
    queue.finish().expect("urQueueFinish");
    assert_all(&places, 8);
}

/// The other queue is not held up itself.
#[test]
fn commands_of_another_queue_wait_for_one_that_is_held() {
    let rig = Rig::new();
    let gate = Gate::new(&rig);
    let (first, second) = (
        queue(&rig, QueueFlags::empty()),
        queue(&rig, QueueFlags::PROFILING_ENABLE),
    );
    let places = rig.shared(&[0_u32; 3]);
    let base: *mut u32 = places.ptr().cast();
    // SAFETY: places inside of the memory, which lives until the queues are finished.
    let event = unsafe {
        let filled = first.memset(base.cast(), &[9_u32], 4, &[&gate.event]).expect("fill");
        let to = base.add(1).cast();
        let copied = second.memcpy(false, to, base.cast(), 4, &[&filled]).expect("copy");
        second
            .memcpy(false, base.add(2).cast(), to, 4, &[])
            .expect("another copy");
        copied
    };
    gate.open();
    // This alone waits for all.
    second.finish().expect("urQueueFinish");
    assert_all(&places, 9);
    let [submitted, began, ended] = [
        ProfilingInfo::COMMAND_SUBMIT,
        ProfilingInfo::COMMAND_START,
        ProfilingInfo::COMMAND_END,
    ]
    .map(|query| event.profiling::<u64>(query).expect("the time"));
    assert!(submitted <= began && began <= ended, "{submitted} {began} {ended}");
}

/// Barriers that wait for a host task hold up what comes behind them, and nothing that came before.
#[test]
fn barriers_out_of_order() {
    let rig = Rig::new();
    let gate = Gate::new(&rig);
    let queue = queue(&rig, QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE);
    let places = rig.shared(&[0_u32; MANY]);
    let base: *mut u32 = places.ptr().cast();
    let barrier = |wait: &[EventHandle]| {
        let events = if wait.is_empty() { null() } else { wait.as_ptr() };
        // SAFETY: live handles.
        let code = unsafe {
            let fns = crate::loader().fns();
            fns.urEnqueueEventsWaitWithBarrier(queue.raw(), wait.len() as u32, events, null_mut())
        };
        code.expect("a barrier");
    };
    // SAFETY: places inside of the memory, which lives until the queue is finished.
    let free = unsafe {
        let free = queue.memset(base.cast(), &[3_u32], 4, &[]).expect("urEnqueueUSMFill");
        barrier(&[gate.event.raw()]);
        for at in 1..MANY {
            let (to, from) = (base.add(at).cast(), base.add(at - 1).cast());
            queue.memcpy(false, to, from, 4, &[]).expect("urEnqueueUSMMemcpy");
            barrier(&[]);
        }
        free
    };
    free.wait().expect("it came before the barrier");
    gate.open();
    queue.finish().expect("urQueueFinish");
    assert_all(&places, 3);
}

/// A run that waits for the host does not see what is changed afterwards.
#[test]
fn updates_of_command_buffers() {
    let rig = Rig::new();
    let gate = Gate::new(&rig);
    let kernel = rig.kernel("add");
    let [one, two, first, second] = [1.0_f32, 2.0, 0.0, 0.0].map(|value| rig.shared(&[value]));
    let settings = CommandBufferSettings {
        updatable: true,
        ..Default::default()
    };
    let buffer = CommandBuffer::new(&rig.context, &rig.device, settings).expect("urCommandBufferCreateExp");
    let args = [&first, &one, &one].map(|usm| Arg::Pointer(usm.ptr()));
    let args: Vec<Arg> = args.into_iter().chain([Arg::value(&1_u32)]).collect();
    let place = Place::after(&[]).handle();
    // SAFETY: memory of these sizes, which lives until the runs are over.
    let command = unsafe { buffer.launch(&kernel, &Range::new([1]), &args, &[], place) }
        .expect("launch")
        .command();
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    rig.queue
        .run(&buffer, &[&gate.event])
        .expect("urEnqueueCommandBufferExp");
    let new = [(0, Arg::Pointer(second.ptr())), (2, Arg::Pointer(two.ptr()))];
    // SAFETY: as above.
    unsafe { buffer.update(&[Update::new(command).args(&new)]) }.expect("update");
    rig.queue.run(&buffer, &[]).expect("urEnqueueCommandBufferExp");
    drop(buffer);
    gate.open();
    rig.queue.finish().expect("urQueueFinish");
    // SAFETY: the runs are complete.
    let found = unsafe { [&first, &second].map(|usm| usm.as_slice::<f32>()[0]) };
    assert_eq!(found, [2.0, 3.0]);
}

/// What the client gives to the stream itself comes behind what the host holds up, so that is in the stream.
#[test]
fn a_native_handle_of_a_queue_with_held_commands() {
    let rig = Rig::new();
    let gate = Gate::new(&rig);
    let places = rig.shared(&[0_u32; 4]);
    let base: *mut u32 = places.ptr().cast();
    // SAFETY: places inside of the memory, which lives until the queue is finished; live handles.
    unsafe {
        rig.queue
            .memset(base.cast(), &[4_u32], 4, &[&gate.event])
            .expect("fill");
        let fns = crate::loader().fns();
        let mut stream: NativeHandle = 0;
        fns.urQueueGetNativeHandle(rig.queue.raw(), null_mut(), &mut stream)
            .expect("the stream");
        for at in 1..4 {
            let (to, from) = (base.add(at).cast(), base.add(at - 1).cast());
            rig.queue.memcpy(false, to, from, 4, &[]).expect("copy");
        }
    }
    gate.open();
    rig.queue.finish().expect("urQueueFinish");
    assert_all(&places, 4);
}

/// A launch that the host holds up is refused once it is submitted. Its event and that of what waits for it say so, before
/// somebody waits for them and afterwards. What does not wait for them goes on.
#[test]
fn a_command_that_is_refused() {
    let rig = Rig::new();
    for flags in [QueueFlags::empty(), QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE] {
        let gate = Gate::new(&rig);
        let queue = queue(&rig, flags);
        let kernel = rig.kernel("reverse");
        let memory = rig.shared(&[0_u32; 64]);
        // More local memory than the device has.
        let args = [Arg::Pointer(memory.ptr()), Arg::Local(1 << 20), Arg::Local(256)];
        // SAFETY: memory that lives until the commands are over.
        let (refused, behind, free) = unsafe {
            let range = Range::new([64]).local([64]);
            let refused = queue.launch(&kernel, &range, &args, &[&gate.event]).expect("launch");
            let base: *mut u32 = memory.ptr().cast();
            let behind = queue.memset(base.cast(), &[5_u32], 4, &[&refused]).expect("fill");
            let free = queue.memset(base.add(1).cast(), &[6_u32], 4, &[]).expect("fill");
            (refused, behind, free)
        };
        assert_eq!(status(&refused), EventStatus::SUBMITTED);
        gate.open();
        free.wait().expect("it waits for nothing that fails");
        for (event, expected) in [
            (&refused, ResultCode::ERROR_OUT_OF_RESOURCES),
            (&behind, ResultCode::ERROR_IN_EVENT_LIST_EXEC_STATUS),
        ] {
            while status(event) == EventStatus::SUBMITTED {
                std::thread::yield_now();
            }
            assert_eq!(status(event), EventStatus::ERROR);
            assert_eq!(code(event.wait()), expected);
            assert_eq!(status(event), EventStatus::ERROR);
        }
        assert_eq!(status(&free), EventStatus::COMPLETE);
        // SAFETY: all commands are over.
        assert_eq!(unsafe { &memory.as_slice::<u32>()[..2] }, [0, 6]);
    }
}
