// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Processes that fork while their other threads are in the library, as those of Python's `multiprocessing` do.
//!
//! UR says nothing of `fork`. What a client needs all the same: the child can end, and let go of what it has inherited,
//! and the parent goes on. On our CPU adapter the child can also go on to work.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use oxur_conformance::api::*;
use oxur_conformance::client::{
    Arg, Buffer, CommandBuffer, CommandBufferSettings, Event, Kernel, Place, Program, Queue, Range, Update, Usm,
    UsmRequest,
};
use oxur_conformance::{Ending, Rig, check, expect, in_child, intel, spirv, values, with_variable};

/// Calls functions that take locks until `stop`.
struct Busy<'a> {
    rig: &'a Rig,
    program: &'a Program,
    stop: AtomicBool,
    rounds: [AtomicU32; 5],
    /// Held by a thread that waits, where two at a time can wait for each other: a flaw of Intel's driver
    /// (docs/known-issues.md).
    waits: Option<Mutex<()>>,
}

impl Busy<'_> {
    fn go(&self, what: usize) {
        let rig = self.rig;
        let il = spirv("basic");
        let kernel = Kernel::new(self.program, "fill").expect("urKernelCreate");
        while !self.stop.load(Ordering::Relaxed) {
            match what {
                0 => {
                    let program = Program::with_il(&rig.context, &il).expect("urProgramCreateWithIL");
                    program.build(&rig.context, "").expect("urProgramBuild");
                    for name in ["fill", "reverse_groups"] {
                        Kernel::new(&program, name).expect("urKernelCreate");
                    }
                }
                1 => {
                    for size in [64, 4096, 3 << 20] {
                        Usm::shared(&rig.context, &rig.device, size, UsmRequest::default()).expect("urUSMSharedAlloc");
                    }
                }
                2 | 3 => {
                    let flags = match what {
                        2 => QueueFlags::empty(),
                        _ => QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE,
                    };
                    let queue = Queue::new(&rig.context, &rig.device, flags).expect("urQueueCreate");
                    let data = rig.shared(&vec![0i32; 10_000]);
                    let args = [Arg::Pointer(data.ptr()), Arg::value(&5i32)];
                    let _alone = self.waits.as_ref().map(|waits| waits.lock());
                    for _ in 0..5 {
                        // SAFETY: the kernel writes as many values as there are, which live until the wait.
                        let launched = unsafe { queue.launch(&kernel, &Range::new([10_000]), &args, &[]) };
                        launched.expect("launch");
                    }
                    queue.finish().expect("urQueueFinish");
                    assert_eq!(values::<i32>(&data), vec![5; 10_000]);
                }
                _ => {
                    // Errors have a text that is kept.
                    expect!(check(Kernel::new(self.program, "none")), ERROR_INVALID_KERNEL_NAME);
                    drop(rig.context.clone());
                }
            }
            self.rounds[what].fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// What a child inherits.
struct Inherited {
    _kernel: Kernel,
    _program: Program,
    _buffer: Buffer,
    _usm: Usm,
    _event: Event,
    _queue: Queue,
}

impl Inherited {
    fn new(rig: &Rig, program: &Program) -> Self {
        let kernel = Kernel::new(program, "slow").expect("urKernelCreate");
        let queue = Queue::new(&rig.context, &rig.device, QueueFlags::empty()).expect("urQueueCreate");
        let usm = rig.shared(&[1u32; 64]);
        let args = [Arg::Pointer(usm.ptr()), Arg::value(&100_000u32)];
        // SAFETY: the kernel writes 64 values, which live until the queue is finished.
        let event = unsafe { queue.launch(&kernel, &Range::new([64]), &args, &[]) }.expect("launch");
        Self {
            _kernel: kernel,
            _program: program.clone(),
            _buffer: rig.buffer(&[1i32; 100]),
            _usm: usm,
            _event: event,
            _queue: queue,
        }
    }
}

/// Work of a child's own, also with what the parent has.
fn works(rig: &Rig, program: &Program) -> bool {
    let data = rig.shared(&[0i32; 100]);
    let args = [Arg::Pointer(data.ptr()), Arg::value(&7i32)];
    let fill = Kernel::new(program, "fill").expect("urKernelCreate");
    rig.run(&fill, &Range::new([100]), &args);
    rig.queue.finish().expect("urQueueFinish");
    values::<i32>(&data) == [7; 100]
}

#[test]
fn while_other_threads_are_busy() {
    if intel("it does not survive in the child") {
        return;
    }
    // Or there would be little to compile.
    if with_variable("fork::while_other_threads_are_busy", "UR_CPU_CACHE", "off") {
        return;
    }
    let rig = Rig::new();
    let name: String = rig.platform.info(PlatformInfo::NAME).expect("the name");
    let is_cpu = name == "oxur CPU";
    let program = rig.program("basic");
    let busy = Busy {
        rig: &rig,
        program: &program,
        stop: AtomicBool::new(false),
        rounds: Default::default(),
        waits: (!is_cpu).then(Mutex::default),
    };
    std::thread::scope(|scope| {
        for what in 0..busy.rounds.len() {
            let busy = &busy;
            scope.spawn(move || busy.go(what));
        }
        while busy.rounds.iter().any(|rounds| rounds.load(Ordering::Relaxed) == 0) {
            std::thread::yield_now();
        }
        for round in 0..120 {
            let inherited = Inherited::new(&rig, &program);
            let ending = match round % 3 {
                0 => in_child(|| 7),
                1 => in_child(|| {
                    drop(inherited);
                    7
                }),
                _ if is_cpu => in_child(|| if works(&rig, &program) { 7 } else { 1 }),
                // The driver has none of its threads there.
                _ => in_child(
                    || match check(Queue::new(&rig.context, &rig.device, QueueFlags::empty())) {
                        ResultCode::ERROR_DEVICE_LOST => 7,
                        _ => 1,
                    },
                ),
            };
            if ending != Ending::Returned(7) {
                busy.stop.store(true, Ordering::Relaxed);
                panic!("round {round}: {ending:?}");
            }
        }
        busy.stop.store(true, Ordering::Relaxed);
    });
    drop(Inherited::new(&rig, &program));
    assert!(works(&rig, &program), "the parent goes on");
}

/// Makes, runs, changes and releases command buffers until `stop`.
fn command_buffers(rig: &Rig, program: &Program, stop: &AtomicBool, rounds: &AtomicU32) {
    let settings = CommandBufferSettings {
        updatable: true,
        in_order: true,
        ..Default::default()
    };
    let queue = Queue::new(&rig.context, &rig.device, QueueFlags::empty()).expect("urQueueCreate");
    let fill = Kernel::new(program, "fill").expect("urKernelCreate");
    let data = rig.shared(&[0i32; 256]);
    while !stop.load(Ordering::Relaxed) {
        let buffer = CommandBuffer::new(&rig.context, &rig.device, settings).expect("urCommandBufferCreateExp");
        let (range, args) = (Range::new([256]), [Arg::Pointer(data.ptr()), Arg::value(&3i32)]);
        // SAFETY: the kernel writes as many values as there are, which live until the wait.
        let command = unsafe { buffer.launch(&fill, &range, &args, &[], Place::default().handle()) }.expect("launch");
        for _ in 0..3 {
            // SAFETY: as above.
            unsafe { buffer.memset(data.ptr(), &[1i32], 64, Place::default()) }.expect("memset");
        }
        buffer.finalize().expect("urCommandBufferFinalizeExp");
        for value in 0..3i32 {
            let args = [(1, Arg::value(&value))];
            let update = Update::new(command.command()).args(&args);
            // SAFETY: as above.
            unsafe { buffer.update(&[update]) }.expect("urCommandBufferUpdateKernelLaunchExp");
            queue.run(&buffer, &[]).expect("urEnqueueCommandBufferExp");
        }
        drop(buffer);
        queue.finish().expect("urQueueFinish");
        assert_eq!(values::<i32>(&data)[255], 2);
        rounds.fetch_add(1, Ordering::Relaxed);
    }
}

/// A driver may have a gate of its own for forks. A thread that waits there with a lock of the adapter's would keep the
/// process from forking.
#[test]
fn while_command_buffers_come_and_go() {
    if intel("it does not survive in the child") {
        return;
    }
    let rig = Rig::new();
    if !rig.supports(DeviceInfo::COMMAND_BUFFER_SUPPORT_EXP, "command buffers") {
        return;
    }
    let program = rig.program("basic");
    let (stop, rounds) = (AtomicBool::new(false), [AtomicU32::new(0), AtomicU32::new(0)]);
    let longest = std::thread::scope(|scope| {
        for rounds in &rounds {
            let (rig, program, stop) = (&rig, &program, &stop);
            scope.spawn(move || command_buffers(rig, program, stop, rounds));
        }
        while rounds.iter().any(|rounds| rounds.load(Ordering::Relaxed) == 0) {
            std::thread::yield_now();
        }
        let mut longest = Duration::ZERO;
        for round in 0..300 {
            let since = Instant::now();
            let ending = in_child(|| 7);
            longest = longest.max(since.elapsed());
            if ending != Ending::Returned(7) {
                stop.store(true, Ordering::Relaxed);
                panic!("round {round}: {ending:?}");
            }
        }
        stop.store(true, Ordering::Relaxed);
        longest
    });
    println!("the longest fork took {longest:?}");
    // After a minute a fork waits no longer.
    assert!(
        longest < Duration::from_secs(60),
        "a lock was held that a fork waited for: {longest:?}"
    );
}

#[test]
fn a_child_that_ends_as_a_program_does() {
    if intel("it does not survive in the child") {
        return;
    }
    let rig = Rig::new();
    let name: String = rig.platform.info(PlatformInfo::NAME).expect("the name");
    if name != "oxur CPU" {
        return println!("what {name} does when the process ends is its own business: a child leaves by _exit");
    }
    let program = rig.program("basic");
    let _inherited = Inherited::new(&rig, &program);
    for _ in 0..5 {
        let ending = in_child(|| {
            // SAFETY: ends the process, by way of what is registered for that.
            unsafe { libc::exit(7) }
        });
        assert_eq!(ending, Ending::Returned(7));
    }
    assert!(works(&rig, &program), "the parent goes on");
}
