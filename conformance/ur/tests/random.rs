// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Random graphs of commands: copies, fills, kernels and host tasks over several queues, in order and not, with events of
//! which the host signals some, against the same commands one after the other.
//!
//! A command's dependencies are the earlier commands that it must not overtake, because both touch a buffer and one of them
//! writes it. Most become events; some become the order of a queue, or a barrier in it. So the result is that of sequential
//! execution if the adapter keeps all orders that the specification promises.
//!
//! What the host signals is a host task that waits, or, on Level Zero, an event of Level Zero itself that was wrapped.

use std::ptr::{null, null_mut};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use oxur_conformance::api::*;
use oxur_conformance::client::{Arg, Buffer, Context, Device, Event, Kernel, Program, Queue, Range, Usm, UsmRequest};
use oxur_conformance::{Rig, UserEvent, intel, is_complete, loader, run_test, spirv, ur};
use oxur_conformance_support::random::{LENGTH, Op, Random, for_each_seed, number};

/// The bytes of a number.
const SIZE: usize = size_of::<i32>();

/// Memory that commands work on.
enum Data {
    /// USM, and whether the host reaches it.
    Usm(Usm, bool),
    Buffer(Buffer),
}

impl Data {
    fn new(on: &Setting, random: &mut Random, values: &[i32]) -> Self {
        let (context, size) = (&on.context, size_of_val(values));
        let device = &on.devices[random.below(on.devices.len())];
        let request = UsmRequest::default();
        let (usm, on_host) = match random.below(5) {
            0 => (Usm::host(context, size, request), true),
            1 => (Usm::shared(context, device, size, request), true),
            2 if on.reach_all => (Usm::device(context, device, size, request), false),
            2 => (Usm::shared(context, device, size, request), true),
            _ => {
                let buffer = Buffer::with(context, MemFlags::READ_WRITE, values).expect("urMemBufferCreate");
                return Self::Buffer(buffer);
            }
        };
        let usm = usm.expect("urUSM*Alloc");
        let _alone = on.wait();
        // SAFETY: both have that size, and the copy is complete when the call returns.
        unsafe { on.own.memcpy(true, usm.ptr(), values.as_ptr().cast(), size, &[]) }.expect("memcpy");
        Self::Usm(usm, on_host)
    }

    fn arg(&self) -> Arg<'_> {
        match self {
            Self::Usm(usm, _) => Arg::Pointer(usm.ptr()),
            Self::Buffer(buffer) => Arg::mem(buffer),
        }
    }

    fn values(&self, queue: &Queue) -> Vec<i32> {
        let mut values = vec![0; LENGTH];
        match self {
            // SAFETY: both have that size, and the copy is complete when the call returns.
            Self::Usm(usm, _) => unsafe {
                let to = values.as_mut_ptr().cast();
                queue.memcpy(true, to, usm.ptr(), LENGTH * SIZE, &[]).expect("memcpy");
            },
            Self::Buffer(buffer) => _ = queue.read(buffer, 0, &mut values, &[]).expect("read"),
        }
        values
    }
}

/// The devices of a context, and the kernels.
struct Setting {
    context: Context,
    devices: Vec<Device>,
    /// A queue for what the test itself wants.
    own: Queue,
    add: Kernel,
    multiply: Kernel,
    accumulate: Kernel,
    has_host_tasks: bool,
    /// Whether it is Intel's OpenCL driver, which may hang where two threads wait at once (docs/known-issues.md).
    waits_alone: bool,
    native: Option<NativeEvents>,
    /// Whether kernels of each device may use memory of the others. They may on our Level Zero driver, whatever it says.
    reach_all: bool,
}

impl Setting {
    /// All devices of the first platform.
    fn new() -> Self {
        let rig = Rig::new();
        let devices = rig.platform.devices().expect("urDeviceGet");
        let context = Context::new(&devices.iter().collect::<Vec<_>>()).expect("urContextCreate");
        let program = Program::with_il(&context, &spirv("random")).expect("urProgramCreateWithIL");
        program.build(&context, "").expect("urProgramBuild");
        let is_cuda = rig.platform.info::<String>(PlatformInfo::NAME).expect("the name") == "NVIDIA CUDA";
        let kernel = |name| Kernel::new(&program, name).expect("urKernelCreate");
        Self {
            own: Queue::new(&context, &devices[0], QueueFlags::empty()).expect("urQueueCreate"),
            add: kernel("add"),
            multiply: kernel("multiply"),
            accumulate: kernel("accumulate"),
            has_host_tasks: rig
                .device
                .info(DeviceInfo::ENQUEUE_HOST_TASK_SUPPORT_EXP)
                .expect("a truth value"),
            waits_alone: rig
                .platform
                .info::<String>(PlatformInfo::NAME)
                .expect("the name")
                .contains("Intel(R) OpenCL"),
            native: NativeEvents::new(&rig, &context, &devices),
            reach_all: !is_cuda || are_peers(&devices),
            context,
            devices,
        }
    }

    /// To be held by a thread that waits.
    fn wait(&self) -> Option<MutexGuard<'static, ()>> {
        static ALONE: Mutex<()> = Mutex::new(());
        self.waits_alone
            .then(|| ALONE.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn queue(&self, random: &mut Random) -> (Queue, bool) {
        let in_order = random.chance(50);
        let mut flags = QueueFlags::empty();
        flags.set(QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE, !in_order);
        flags.set(QueueFlags::PROFILING_ENABLE, random.chance(30));
        let device = &self.devices[random.below(self.devices.len())];
        (
            Queue::new(&self.context, device, flags).expect("urQueueCreate"),
            in_order,
        )
    }

    /// Enqueues a command.
    fn enqueue(&self, op: &Op, data: &[Data], queue: &Queue, on_host: bool, wait: &[&Event]) -> Event {
        let range = Range::new([LENGTH]);
        if on_host && let Some(event) = self.host_task(op, data, queue, wait) {
            return event;
        }
        // SAFETY: parts of memory that lives until all commands are complete; the kernels take what they are given.
        let enqueued = unsafe {
            match *op {
                Op::Copy {
                    to,
                    from,
                    start,
                    length,
                } => {
                    let (at, size) = (start * SIZE, length * SIZE);
                    match (&data[to], &data[from]) {
                        (Data::Usm(to, _), Data::Usm(from, _)) => {
                            let (to, from) = (to.ptr().byte_add(at), from.ptr().byte_add(at));
                            queue.memcpy(false, to, from, size, wait)
                        }
                        (Data::Buffer(to), Data::Buffer(from)) => queue.copy(from, to, (at, at), size, wait),
                        (Data::Usm(to, _), Data::Buffer(from)) => {
                            queue.read_to(from, false, at, size, to.ptr().byte_add(at), wait)
                        }
                        (Data::Buffer(to), Data::Usm(from, _)) => {
                            queue.write_from(to, false, at, size, from.ptr().byte_add(at), wait)
                        }
                    }
                }
                Op::Fill {
                    to,
                    value,
                    start,
                    length,
                } => match &data[to] {
                    Data::Usm(to, _) => queue.memset(to.ptr().byte_add(start * SIZE), &[value], length * SIZE, wait),
                    Data::Buffer(to) => queue.fill(to, &[value], start * SIZE, length * SIZE, wait),
                },
                Op::Add { to, value } => queue.launch(&self.add, &range, &[data[to].arg(), Arg::value(&value)], wait),
                Op::Multiply { to, value } => {
                    queue.launch(&self.multiply, &range, &[data[to].arg(), Arg::value(&value)], wait)
                }
                Op::Accumulate { to, from } => {
                    queue.launch(&self.accumulate, &range, &[data[to].arg(), data[from].arg()], wait)
                }
                Op::Barrier if wait.is_empty() => queue.barrier(&[]),
                Op::Barrier => queue.marker(wait),
            }
        };
        enqueued.unwrap_or_else(|error| panic!("{op:?}: {error}"))
    }

    /// The same by a function of the host's, where that reaches the memory.
    fn host_task(&self, op: &Op, data: &[Data], queue: &Queue, wait: &[&Event]) -> Option<Event> {
        /// What the function changes, and how.
        struct Task(*mut i32, i32, bool);

        unsafe extern "C" fn run(task: *mut c_void) {
            // SAFETY: the box that is given away below; a task runs once, in its turn, on memory that lives until then.
            let (numbers, task) = unsafe {
                let task = Box::from_raw(task.cast::<Task>());
                (std::slice::from_raw_parts_mut(task.0, LENGTH), task)
            };
            for number in numbers {
                *number = if task.2 {
                    number.wrapping_add(task.1)
                } else {
                    number.wrapping_mul(task.1)
                };
            }
        }
        let (to, value, adds) = match *op {
            Op::Add { to, value } => (to, value, true),
            Op::Multiply { to, value } => (to, value, false),
            _ => return None,
        };
        let Data::Usm(usm, true) = &data[to] else { return None };
        let task = Box::into_raw(Box::new(Task(usm.ptr().cast(), value, adds)));
        // SAFETY: the task runs once, with a box that it frees.
        Some(unsafe { queue.host_task(Some(run), task.cast(), wait) }.expect("urEnqueueHostTaskExp"))
    }
}

/// Something that the host signals.
enum Gate {
    Task(UserEvent),
    Native(Event, usize),
}

impl Gate {
    fn event(&self) -> &Event {
        match self {
            Self::Task(task) => &task.event,
            Self::Native(event, _) => event,
        }
    }

    fn open(self, on: &Setting) {
        match self {
            Self::Task(task) => task.complete(),
            Self::Native(_, event) => {
                let native = on.native.as_ref().expect("it has made the event");
                native.signal(event);
            }
        }
    }
}

/// Events of Level Zero, which the host can signal.
struct NativeEvents {
    loader: level_zero_sys::Loader,
    context: level_zero_sys::ze_context_handle_t,
    devices: Vec<level_zero_sys::ze_device_handle_t>,
}

// SAFETY: handles of Level Zero belong to no thread.
unsafe impl Sync for NativeEvents {}

impl NativeEvents {
    fn new(rig: &Rig, context: &Context, devices: &[Device]) -> Option<Self> {
        if rig.backend() != Backend::LEVEL_ZERO {
            return None;
        }
        let native = |device: &Device| device.native().expect("urDeviceGetNativeHandle");
        Some(Self {
            loader: level_zero_sys::Loader::open().expect("the loader that the adapter has"),
            context: context.native().expect("urContextGetNativeHandle") as _,
            devices: devices.iter().map(|device| native(device) as _).collect(),
        })
    }

    /// A new event, wrapped, and its native handle. It stays for ever, as does its pool.
    fn gate(&self, on: &Setting) -> Gate {
        let desc = level_zero_sys::ze_event_pool_desc_t {
            flags: level_zero_sys::ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
            count: 1,
            ..Default::default()
        };
        let (mut devices, mut pool, mut event) = (self.devices.clone(), null_mut(), null_mut());
        let event_desc = level_zero_sys::ze_event_desc_t {
            signal: level_zero_sys::ZE_EVENT_SCOPE_FLAG_HOST,
            wait: level_zero_sys::ZE_EVENT_SCOPE_FLAG_HOST,
            ..Default::default()
        };
        let (ze, count) = (&self.loader, devices.len() as u32);
        // SAFETY: a live context and its devices, descriptions, and places for the results.
        unsafe {
            let made = ze.zeEventPoolCreate(self.context, &desc, count, devices.as_mut_ptr(), &mut pool);
            made.expect("zeEventPoolCreate").ok().expect("a pool");
            let made = ze.zeEventCreate(pool, &event_desc, &mut event);
            made.expect("zeEventCreate").ok().expect("an event");
        }
        let mut wrapped = EventHandle::default();
        let code = ur!(urEventCreateWithNativeHandle(
            event as NativeHandle,
            on.context.raw(),
            null(),
            &mut wrapped
        ));
        assert_eq!(code, ResultCode::SUCCESS);
        // SAFETY: a new event with one reference.
        Gate::Native(unsafe { Event::from_raw(loader(), wrapped) }, event as usize)
    }

    fn signal(&self, event: usize) {
        // SAFETY: an event that `gate` has made.
        let signalled = unsafe {
            self.loader
                .zeEventHostSignal(event as level_zero_sys::ze_event_handle_t)
        };
        signalled.expect("zeEventHostSignal").ok().expect("it is signalled");
    }
}

/// One graph. What it is made of depends on the seed and the number of devices alone.
fn run(on: &Setting, seed: u64, verbose: bool) {
    let mut random = Random(seed);
    let (ops, mut expected) = Op::graph(&mut random, 5..45);
    let data: Vec<_> = expected
        .iter()
        .map(|values| Data::new(on, &mut random, values))
        .collect();
    ops.iter().for_each(|op| op.model(&mut expected));

    let queues: Vec<_> = (0..1 + random.below(4)).map(|_| on.queue(&mut random)).collect();
    // Tasks that wait for the host are in a queue that nothing else is in.
    let flags = QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE;
    let waiting = Queue::new(&on.context, &on.devices[0], flags).expect("urQueueCreate");
    let gates: Vec<_> = (0..random.below(4))
        .filter_map(|_| match &on.native {
            Some(native) if random.chance(70) => Some(native.gate(on)),
            _ => UserEvent::new(&waiting).map(Gate::Task),
        })
        .collect();
    // The queue of each command, its event, and how many barriers of the queue come before it.
    let mut placed: Vec<(usize, Event, usize)> = Vec::new();
    let mut barriers = vec![0; queues.len()];
    // The commands that wait for a gate.
    let mut gated = Vec::new();
    for (index, op) in ops.iter().enumerate() {
        let at = random.below(queues.len());
        let (queue, in_order) = &queues[at];
        let mut wait: Vec<&Event> = Vec::new();
        for (earlier, (queue_of, event, before)) in ops.iter().zip(&placed) {
            if !op.conflicts(earlier) {
                continue;
            }
            // The order of a queue is enough, but events may say the same.
            let ordered = *queue_of == at && (*in_order || *before < barriers[at]);
            if !ordered || random.chance(20) {
                wait.push(event);
            }
        }
        if !gates.is_empty() && random.chance(15) {
            wait.push(gates[random.below(gates.len())].event());
            gated.push(index);
        }
        let is_barrier = matches!(op, Op::Barrier) && wait.is_empty();
        let on_host = on.has_host_tasks && random.chance(20);
        if verbose {
            println!(
                "{index}: {op:?} on {at} (in order: {in_order}) after {} events",
                wait.len()
            );
        }
        let event = on.enqueue(op, &data, queue, on_host, &wait);
        placed.push((at, event, barriers[at]));
        barriers[at] += usize::from(is_barrier);
    }
    for gate in &gates {
        if let Gate::Task(task) = gate {
            // It gives up at some time.
            task.assert_pending();
        }
    }
    for index in gated {
        assert!(
            !is_complete(&placed[index].1),
            "seed {seed}: command {index} did not wait for the host"
        );
    }
    thread::scope(|scope| {
        let open = || gates.into_iter().for_each(|gate| gate.open(on));
        if random.chance(50) {
            scope.spawn(open);
        } else {
            open();
        }
        let _alone = on.wait();
        for (queue, _) in &queues {
            queue.finish().expect("urQueueFinish");
        }
        waiting.finish().expect("urQueueFinish");
    });
    assert!(
        placed.iter().all(|(_, event, _)| is_complete(event)),
        "seed {seed}: all commands are complete"
    );
    for (index, (data, expected)) in data.iter().zip(&expected).enumerate() {
        let got = {
            let _alone = on.wait();
            data.values(&on.own)
        };
        assert!(got == *expected, "seed {seed}: buffer {index} differs after {ops:#?}");
    }
}

/// Whether each device reaches the memory of all others.
fn are_peers(devices: &[Device]) -> bool {
    let reaches = |device: &Device, peer: &Device| {
        let (mut value, query) = (0, ExpPeerInfo::UR_PEER_ACCESS_SUPPORT);
        let to = (&raw mut value).cast();
        let asked = ur!(urUsmP2PPeerAccessGetInfoExp(
            device.raw(),
            peer.raw(),
            query,
            4,
            to,
            null_mut()
        ));
        asked == ResultCode::SUCCESS && value != 0
    };
    let each = |device: &Device| {
        devices
            .iter()
            .all(|other| other.raw() == device.raw() || reaches(device, other))
    };
    devices.iter().all(each)
}

/// How many graphs a test runs.
fn count() -> u64 {
    number("OXUR_UR_GRAPHS").unwrap_or(40)
}

/// Random graphs have the result of sequential execution.
#[test]
fn graphs() {
    if intel("it runs host tasks and buffers of other contexts in ways of its own") {
        return;
    }
    let on = Setting::new();
    for_each_seed("OXUR_UR_GRAPH_SEED", count(), |seed, verbose| run(&on, seed, verbose));
}

/// The same on several devices at once, which our CPU adapter, our Level Zero driver and the CUDA driver without a GPU have
/// if a variable says so.
#[test]
fn graphs_of_devices() {
    const CHILD: &str = "OXUR_UR_SEVERAL_DEVICES";
    if intel("it has one device") {
        return;
    }
    if std::env::var_os(CHILD).is_none() {
        // What our Level Zero driver says of its memory decides whether buffers move, and whether the devices of the CUDA
        // driver are peers how memory is copied between them.
        for memory in ["host", "peers", "apart"] {
            let variables = [
                (CHILD, "1"),
                ("UR_CPU_DEVICES", "2"),
                ("ZE_OXUR_DEVICES", "2"),
                ("ZE_OXUR_MEMORY", memory),
                ("FAKE_CUDA_DEVICES", "2"),
                ("FAKE_CUDA_PEERS", if memory == "apart" { "0" } else { "1" }),
            ];
            run_test("random::graphs_of_devices", &variables).passed();
        }
        return;
    }
    let on = Setting::new();
    println!("{} devices", on.devices.len());
    for seed in 0..count() {
        run(&on, 10_000_000 + seed, false);
    }
}

/// The same by several threads at once, with objects of their own.
#[test]
fn graphs_of_threads() {
    if intel("it runs host tasks and buffers of other contexts in ways of its own") {
        return;
    }
    let count = count();
    thread::scope(|scope| {
        for thread in 1..=3 {
            scope.spawn(move || {
                let on = Setting::new();
                (0..count / 3).for_each(|seed| run(&on, thread * 1_000_000 + seed, false));
            });
        }
    });
}
