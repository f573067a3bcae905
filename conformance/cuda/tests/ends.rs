// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Processes that end, and that fork, while kernels run and commands wait.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use oxur_client::api::*;
use oxur_client::*;
use oxur_conformance_support::{Ending, in_child, run_test};

use crate::spins::Spin;
use crate::{Rig, code};

const SIZE: usize = 1000;

unsafe extern "C" {
    safe fn alarm(seconds: u32) -> u32;
    safe fn raise(signal: i32) -> i32;
}

const SIGTERM: i32 = 15;

/// What a process has that has much to do.
struct Busy {
    rig: Rig,
    spin: Spin,
    queues: Vec<Queue>,
    memory: Usm,
    events: Vec<Event>,
    buffer: CommandBuffer,
}

/// Whether the task of the host may end.
static OPEN: AtomicBool = AtomicBool::new(false);

impl Busy {
    /// A kernel that runs, and commands behind it: in other queues, behind a task of the host, one that runs and one that waits for
    /// the kernel, in a graph, with callbacks.
    fn new() -> Self {
        unsafe extern "C" fn task(_: *mut c_void) {
            while !OPEN.load(Ordering::Acquire) {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        let rig = Rig::new();
        let memory = Usm::device(&rig.context, &rig.device, SIZE, UsmRequest::default()).expect("urUSMDeviceAlloc");
        let settings = CommandBufferSettings::default();
        let buffer = CommandBuffer::new(&rig.context, &rig.device, settings).expect("urCommandBufferCreateExp");
        // SAFETY: memory of this size, which is there until the process ends.
        unsafe { buffer.memset(memory.ptr(), &[1_u8], SIZE, &[]) }.expect("a fill");
        buffer.finalize().expect("urCommandBufferFinalizeExp");
        let spin = Spin::new(&rig);
        let flags = [
            QueueFlags::empty(),
            QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE,
            QueueFlags::PROFILING_ENABLE,
        ];
        let queues = flags.map(|flags| Queue::new(&rig.context, &rig.device, flags).expect("urQueueCreate"));
        let mut events = Vec::new();
        for queue in &queues {
            // SAFETY: as above; the task takes nothing.
            unsafe {
                let fill = |wait: &[&Event]| queue.memset(memory.ptr(), &[1_u8], SIZE, wait).expect("a fill");
                let behind = fill(&[&spin.event]);
                let run = queue.run(&buffer, &[&behind]).expect("urEnqueueCommandBufferExp");
                let waiting = queue
                    .host_task(Some(task), std::ptr::null_mut(), &[&run])
                    .expect("a task");
                let other = Queue::new(&rig.context, &rig.device, QueueFlags::empty()).expect("urQueueCreate");
                let running = other.host_task(Some(task), std::ptr::null_mut(), &[]).expect("a task");
                let last = fill(&[&waiting, &running]);
                last.on(ExecutionInfo::COMPLETE, |_| {}).expect("urEventSetCallback");
                events.extend([behind, run, waiting, running, last]);
            }
        }
        Self {
            rig,
            spin,
            queues: queues.into(),
            memory,
            events,
            buffer,
        }
    }

    /// Lets all end, and sees that it does.
    fn end(self) {
        OPEN.store(true, Ordering::Release);
        self.spin.end();
        self.events.iter().for_each(|event| event.wait().expect("urEventWait"));
        self.queues
            .iter()
            .for_each(|queue| queue.finish().expect("urQueueFinish"));
        let mut values = [0_u8; SIZE];
        let to = values.as_mut_ptr().cast();
        // SAFETY: memory of this size; the copy blocks.
        unsafe { self.rig.queue.memcpy(true, to, self.memory.ptr(), SIZE, &[]) }.expect("a copy");
        assert_eq!(values, [1; SIZE]);
    }
}

#[test]
fn while_kernels_run() {
    const CHILD: &str = "OXUR_CUDA_ENDS";
    let Ok(how) = std::env::var(CHILD) else {
        use std::os::unix::process::ExitStatusExt;
        for (how, code, signal) in [
            ("returns", Some(0), None),
            ("returns with a thread that waits", Some(0), None),
            ("releases all and returns", Some(0), None),
            ("exits", Some(7), None),
            ("exits in another thread", Some(7), None),
            ("is ended", None, Some(SIGTERM)),
        ] {
            let ended = run_test("ends::while_kernels_run", &[(CHILD, how)]);
            let found = (ended.status.code(), ended.status.signal());
            assert_eq!(found, (code, signal), "{how}: {}{}", ended.out, ended.log);
        }
        // Another process goes on.
        return Busy::new().end();
    };
    alarm(240);
    let busy = Busy::new();
    match &*how {
        "releases all and returns" => drop(busy),
        "exits" => std::process::exit(7),
        "exits in another thread" => {
            std::thread::spawn(|| std::process::exit(7));
            _ = busy.rig.queue.finish();
            unreachable!("the kernel does not end");
        }
        "is ended" => _ = raise(SIGTERM),
        "returns with a thread that waits" => {
            let busy: &'static Busy = Box::leak(Box::new(busy));
            for event in &busy.events {
                std::thread::spawn(|| event.wait());
            }
            std::thread::spawn(|| busy.rig.queue.finish());
            std::thread::sleep(Duration::from_millis(50));
        }
        _ => std::mem::forget(busy),
    }
}

/// Children use nothing, find that the device is lost, release what they have inherited, and end as programs do; the parent goes on.
#[test]
fn forks_while_kernels_run() {
    let busy = Busy::new();
    for _ in 0..3 {
        assert_eq!(in_child(|| 7), Ending::Returned(7));
        assert_eq!(in_child(|| std::process::exit(7)), Ending::Returned(7));
        let uses = || {
            let lost = ResultCode::ERROR_DEVICE_LOST;
            // SAFETY: nothing runs in the child.
            let filled = unsafe { busy.queues[0].memset(busy.memory.ptr(), &[2_u8], SIZE, &[]) };
            assert_eq!(code(filled), lost);
            for queue in busy.queues.iter().chain([&busy.rig.queue]) {
                assert_eq!(code(queue.finish()), lost);
            }
            for event in &busy.events {
                assert_eq!(code(event.wait()), lost);
            }
            assert_eq!(code(busy.queues[0].run(&busy.buffer, &[])), lost);
            7
        };
        assert_eq!(in_child(uses), Ending::Returned(7));
        let releases = || {
            // SAFETY: the child leaves without dropping it again.
            drop(unsafe { std::ptr::read(&raw const busy) });
            std::process::exit(7)
        };
        assert_eq!(in_child(releases), Ending::Returned(7));
    }
    busy.end();
}
