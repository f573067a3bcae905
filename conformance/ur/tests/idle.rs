// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A process whose commands have ended uses no processor time: no thread of the adapter goes on spinning.

use std::sync::mpsc::channel;
use std::time::Duration;

use oxur_conformance::api::*;
use oxur_conformance::client::{Arg, Event, Kernel, Queue, Range, Usm};
use oxur_conformance::{Rig, run_test, values};

/// Set in the processes that work and then idle. A process of its own has no threads of other tests.
const CHILD: &str = "OXUR_TEST_IDLE";

/// The processor time of a clock of this process or thread.
fn clock(id: libc::clockid_t) -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a clock that Linux has, and a place for its time.
    assert_eq!(unsafe { libc::clock_gettime(id, &mut time) }, 0, "clock_gettime");
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// The processor time of all other threads, also of those that have ended.
fn others() -> Duration {
    // In this order, so that the thread's time does not contain more than the process's.
    let own = clock(libc::CLOCK_THREAD_CPUTIME_ID);
    clock(libc::CLOCK_PROCESS_CPUTIME_ID).saturating_sub(own)
}

/// How long the other threads must be idle. A thread that spins gets a large part of this even on a busy machine.
const WINDOW: Duration = Duration::from_secs(1);
/// What they may take of it: a hundredth of what a spinning thread gets next to nine others on its CPU.
const ALLOWED: Duration = Duration::from_millis(1);
/// After so many windows nothing that has to end is under way any more, such as the compilation of better code.
const WINDOWS: usize = 60;

/// The processor time of the other threads while this one sleeps.
fn window() -> Duration {
    let before = others();
    std::thread::sleep(WINDOW);
    others().saturating_sub(before)
}

/// Fails if the other threads never stop. What they do for a while, they may do; a busy machine only makes that longer.
fn assert_idle(after: &str) {
    let mut took = Vec::new();
    while took.len() < WINDOWS {
        took.push(window());
        if took.last().is_some_and(|took| *took <= ALLOWED) {
            println!("{after}: {took:?}");
            return;
        }
    }
    panic!("after {after}, threads go on: {took:?} in {WINDOW:?} each");
}

struct Work {
    rig: Rig,
    increment: Kernel,
}

impl Work {
    fn start(&self, queue: &Queue, data: &Usm, wait: &[&Event]) -> Event {
        let range = Range::new([values::<i32>(data).len()]);
        // SAFETY: the kernel increments the numbers, and the callers keep them until they have waited.
        let event = unsafe { queue.launch(&self.increment, &range, &[Arg::Pointer(data.ptr())], wait) };
        event.expect("the launch")
    }

    /// Launches on all threads, long and short ones.
    fn launches(&self) {
        for count in [1, 1000, 3_000_000] {
            let data = self.rig.shared(&vec![0i32; count]);
            for _ in 0..20 {
                let event = self.start(&self.rig.queue, &data, &[]);
                event.wait().expect("urEventWait");
            }
        }
    }

    /// Short waits between which the thread blocks, as those of SYCL runtimes with host tasks do: another thread answers it.
    /// On two CPUs a thread of the adapter polls meanwhile, so that none of them halts.
    fn blocking_calls(&self) {
        let (ask, asked) = channel::<()>();
        let (answer, answered) = channel::<()>();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                while asked.recv().is_ok() {
                    answer.send(()).expect("the asking thread");
                }
            });
            let data = self.rig.shared(&[0i32; 10]);
            for _ in 0..30_000 {
                self.start(&self.rig.queue, &data, &[]);
                self.rig.queue.finish().expect("urQueueFinish");
                ask.send(()).expect("the answering thread");
                answered.recv().expect("the answer");
            }
            drop(ask);
        });
    }

    /// Commands of several queues that wait for each other.
    fn dependencies(&self) {
        let queues = [QueueFlags::empty(), QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE]
            .map(|flags| Queue::new(&self.rig.context, &self.rig.device, flags).expect("urQueueCreate"));
        let data = self.rig.shared(&[0i32; 50_000]);
        let mut last: Option<Event> = None;
        for round in 0..500 {
            let wait: Vec<&Event> = last.iter().collect();
            last = Some(self.start(&queues[round % 2], &data, &wait));
        }
        queues.iter().for_each(|queue| queue.finish().expect("urQueueFinish"));
        assert!(values::<i32>(&data).iter().all(|value| *value == 500));
    }
}

/// Runs a test's work in a process of its own.
fn test(name: &str, work: impl FnOnce(&Work)) {
    let rig = Rig::new();
    let platform: String = rig.platform.info(PlatformInfo::NAME).expect("the name");
    if platform != "oxur CPU" {
        println!("this is {platform}, not our CPU adapter");
        return;
    }
    if std::env::var_os(CHILD).is_none() {
        print!("{}", run_test(name, &[(CHILD, "1")]).passed().out);
        return;
    }
    let increment = rig.kernel("basic", "increment");
    let objects = Work { rig, increment };
    work(&objects);
    // With live objects first, and again when the last one is gone.
    assert_idle(name);
    drop(objects);
    assert_idle("the objects' end");
}

#[test]
fn after_launches() {
    test("idle::after_launches", Work::launches);
}

#[test]
fn after_calls_that_block() {
    test("idle::after_calls_that_block", Work::blocking_calls);
}

#[test]
fn after_dependent_commands() {
    test("idle::after_dependent_commands", Work::dependencies);
}
