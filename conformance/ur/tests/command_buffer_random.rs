// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Random command buffers, updated and run again and again, against the same commands one by one on the host.
//!
//! A seed is one graph with its updates and runs. By default some hundred small ones run; `OXUR_GRAPHS=10000` runs as
//! many, most of them with up to 200 commands; `OXUR_GRAPH_SEED=17` runs that one alone.

use oxur_conformance::api::*;
use oxur_conformance::client::{
    Appended, Arg, Buffer, BufferCommand, CommandBuffer, CommandBufferSettings, Kernel, Place, Queue, Range, SyncPoint,
    Update, Usm,
};
use oxur_conformance::{Rig, intel, values};
use oxur_conformance_support::random::{Random, for_each_seed, number};

use crate::command_buffer::{empty, queues, rig};

/// Objects that commands work on: first USM, then memory objects.
const USM: usize = 3;
const OBJECTS: usize = 5;
/// Values of each object. Most graphs use the first few only.
const VALUES: usize = 4096;
const SMALL: usize = 64;
/// Seeds below this have few commands.
const SMALL_SEEDS: u64 = 1000;
const DEFAULT: u64 = 300;

/// Some values of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    object: usize,
    at: usize,
    count: usize,
}

impl Part {
    fn meets(&self, other: &Self) -> bool {
        self.object == other.object && self.at < other.at + other.count && other.at < self.at + self.count
    }
}

/// Kernels, by their place among those of the test.
const FILL: usize = 0;
const INCREMENT: usize = 1;
/// All of them; what is neither of those adds.
const KERNELS: [&str; 3] = ["fill", "increment", "add"];

#[derive(Clone, Debug)]
enum Operation {
    Fill(Part, Vec<u32>),
    Copy(Part, Part),
    /// The same values of all objects: the last one is written, the others are added.
    Launch {
        kernel: usize,
        from: [usize; 2],
        to: Part,
        value: u32,
    },
    Prefetch(usize),
    Advise(usize),
}

impl Operation {
    fn random(random: &mut Random, values: usize, all: bool) -> Self {
        let object = random.below(OBJECTS);
        let part = |random: &mut Random, object| {
            let at = random.below(values);
            let count = 1 + random.below(values - at);
            Part { object, at, count }
        };
        match random.below(if all { 16 } else { 15 }) {
            0..3 => {
                // OpenCL wants powers of two, and the range aligned to the pattern.
                let odd = all && object < USM;
                let length = [1, 2, 4, 3][random.below(if odd { 4 } else { 3 })];
                let at = random.below(values / length);
                let count = 1 + random.below(values / length - at);
                let pattern = (0..length).map(|_| random.bits() as u32).collect();
                let (at, count) = (at * length, count * length);
                Self::Fill(Part { object, at, count }, pattern)
            }
            3..7 => loop {
                let from = part(random, object);
                let to = Part {
                    object: random.below(OBJECTS),
                    at: random.below(values - from.count + 1),
                    count: from.count,
                };
                let same_kind = (from.object < USM) == (to.object < USM);
                if !from.meets(&to) && (all || same_kind) {
                    break Self::Copy(from, to);
                }
            },
            7..15 => Self::launch(random, values),
            _ if random.one_in(2) => Self::Prefetch(random.below(USM)),
            _ => Self::Advise(random.below(USM)),
        }
    }

    fn launch(random: &mut Random, values: usize) -> Self {
        let at = random.below(values);
        let count = 1 + random.below(values - at);
        let object = random.below(OBJECTS);
        Self::Launch {
            kernel: random.below(3),
            from: [random.below(OBJECTS), random.below(OBJECTS)],
            to: Part { object, at, count },
            value: random.bits() as u32,
        }
    }

    fn reads(&self) -> Vec<Part> {
        match self {
            Self::Copy(from, _) => vec![*from],
            Self::Launch { kernel, from, to, .. } => match *kernel {
                FILL => vec![],
                INCREMENT => vec![*to],
                _ => from.map(|object| Part { object, ..*to }).to_vec(),
            },
            _ => vec![],
        }
    }

    fn writes(&self) -> Option<Part> {
        match self {
            Self::Fill(to, _) | Self::Copy(_, to) | Self::Launch { to, .. } => Some(*to),
            _ => None,
        }
    }

    fn conflicts(&self, other: &Self) -> bool {
        let meets = |writes: Option<Part>, other: &Self| {
            writes.is_some_and(|part| other.reads().iter().chain(&other.writes()).any(|p| p.meets(&part)))
        };
        meets(self.writes(), other) || meets(other.writes(), self)
    }

    /// Does the same on the host.
    fn apply(&self, model: &mut [Vec<u32>]) {
        match self {
            Self::Fill(to, pattern) => {
                for i in 0..to.count {
                    model[to.object][to.at + i] = pattern[i % pattern.len()];
                }
            }
            Self::Copy(from, to) => {
                let values = model[from.object][from.at..][..from.count].to_vec();
                model[to.object][to.at..][..to.count].copy_from_slice(&values);
            }
            Self::Launch {
                kernel,
                from,
                to,
                value,
            } => {
                let new = |i: usize| match *kernel {
                    FILL => *value,
                    INCREMENT => model[to.object][i].wrapping_add(1),
                    _ => model[from[0]][i].wrapping_add(model[from[1]][i]),
                };
                let values: Vec<u32> = (to.at..to.at + to.count).map(new).collect();
                model[to.object][to.at..][..to.count].copy_from_slice(&values);
            }
            Self::Prefetch(_) | Self::Advise(_) => (),
        }
    }
}

/// Places of commands.
#[derive(Clone, Copy, Default)]
struct Places([u64; 4]);

impl Places {
    fn contains(&self, place: usize) -> bool {
        self.0[place / 64] >> (place % 64) & 1 != 0
    }

    fn insert(&mut self, place: usize) {
        self.0[place / 64] |= 1 << (place % 64);
    }

    fn extend(&mut self, others: &Self) {
        self.0
            .iter_mut()
            .zip(others.0)
            .for_each(|(mine, theirs)| *mine |= theirs);
    }
}

/// A command, and the places of those that are surely over before it.
struct Node {
    operation: Operation,
    before: Places,
    command: Option<BufferCommand>,
}

/// What all graphs of a test work with.
struct Bench {
    rig: Rig,
    queues: Vec<Queue>,
    kernels: Vec<Kernel>,
    usm: Vec<Usm>,
    mems: Vec<Buffer>,
    /// Not on Intel's stack, which lacks much.
    all: bool,
}

impl Bench {
    fn new(rig: Rig) -> Self {
        let zeros = vec![0u32; VALUES];
        Self {
            queues: [queues(&rig), queues(&rig)].into_iter().flatten().collect(),
            kernels: KERNELS.map(|name| rig.kernel("basic", name)).to_vec(),
            usm: (0..USM).map(|_| rig.shared(&zeros)).collect(),
            mems: (USM..OBJECTS).map(|_| rig.buffer(&zeros)).collect(),
            all: !intel("no reads, writes, hints, updates but of values, nor updates and other queues during a run"),
            rig,
        }
    }

    fn address(&self, part: &Part) -> *mut c_void {
        self.usm[part.object].ptr().wrapping_byte_add(part.at * 4)
    }

    fn arg(&self, object: usize) -> Arg<'_> {
        match object < USM {
            true => Arg::Pointer(self.usm[object].ptr()),
            false => Arg::mem(&self.mems[object - USM]),
        }
    }

    fn args<'a>(&'a self, operation: &'a Operation) -> Vec<Arg<'a>> {
        let Operation::Launch {
            kernel,
            from,
            to,
            value,
        } = operation
        else {
            panic!("only launches have arguments")
        };
        match *kernel {
            FILL => vec![self.arg(to.object), Arg::value(value)],
            INCREMENT => vec![self.arg(to.object)],
            _ => vec![self.arg(from[0]), self.arg(from[1]), self.arg(to.object)],
        }
    }

    fn append(&self, buffer: &CommandBuffer, operation: &Operation, place: Place) -> Appended {
        let mem = |part: &Part| &self.mems[part.object - USM];
        let plain = Place { handle: false, ..place };
        // SAFETY: parts are inside of the objects, which live as long as the test.
        let result = unsafe {
            match operation {
                Operation::Fill(to, pattern) if to.object < USM => {
                    buffer.memset(self.address(to), pattern, to.count * 4, plain)
                }
                Operation::Fill(to, pattern) => buffer.fill(mem(to), pattern, to.at * 4, to.count * 4, plain),
                Operation::Copy(from, to) => {
                    let (offsets, size) = ((from.at * 4, to.at * 4), from.count * 4);
                    match (from.object < USM, to.object < USM) {
                        (true, true) => buffer.memcpy(self.address(to), self.address(from), size, plain),
                        (true, false) => buffer.write(mem(to), offsets.1, size, self.address(from), plain),
                        (false, true) => buffer.read(mem(from), offsets.0, size, self.address(to), plain),
                        (false, false) => buffer.copy(mem(from), mem(to), offsets, size, plain),
                    }
                }
                Operation::Launch { kernel, to, .. } => {
                    let others: Vec<_> = (0..3).filter(|i| i != kernel).map(|i| &self.kernels[i]).collect();
                    let others = if place.handle && self.all {
                        others.as_slice()
                    } else {
                        &[]
                    };
                    let (args, range) = (self.args(operation), Range::new([to.count]).offset([to.at]));
                    buffer.launch(&self.kernels[*kernel], &range, &args, others, place)
                }
                Operation::Prefetch(object) => {
                    let flags = UsmMigrationFlags::HOST_TO_DEVICE;
                    buffer.prefetch(self.usm[*object].ptr(), VALUES * 4, flags, plain)
                }
                Operation::Advise(object) => {
                    buffer.advise(self.usm[*object].ptr(), VALUES * 4, UsmAdviceFlags::DEFAULT, plain)
                }
            }
        };
        result.unwrap_or_else(|error| panic!("{operation:?}: {error}"))
    }

    /// Writes the values of the model to the objects.
    fn write(&self, model: &[Vec<u32>], values: usize) {
        for (usm, from) in self.usm.iter().zip(model) {
            // SAFETY: host-visible memory that no command uses.
            unsafe { usm.ptr().cast::<u32>().copy_from_nonoverlapping(from.as_ptr(), values) };
        }
        for (mem, from) in self.mems.iter().zip(&model[USM..]) {
            self.rig
                .queue
                .write(mem, 0, &from[..values], &[])
                .expect("urEnqueueMemBufferWrite");
        }
        // The writes block. But on Intel's driver what another queue does next can come before them all the same.
        self.rig.queue.finish().expect("urQueueFinish");
    }

    /// The first value that is not the model's: its object and place, it, and what it should be.
    fn compare(&self, model: &[Vec<u32>], count: usize) -> Option<(usize, usize, u32, u32)> {
        let mut found = vec![0u32; count];
        for (object, expected) in model.iter().enumerate() {
            if object < USM {
                found.copy_from_slice(&values::<u32>(&self.usm[object])[..count]);
            } else {
                let mem = &self.mems[object - USM];
                self.rig
                    .queue
                    .read(mem, 0, &mut found, &[])
                    .expect("urEnqueueMemBufferRead");
            }
            if let Some(at) = (0..count).find(|at| found[*at] != expected[*at]) {
                return Some((object, at, found[at], expected[at]));
            }
        }
        None
    }

    fn finish(&self) {
        self.queues
            .iter()
            .for_each(|queue| queue.finish().expect("urQueueFinish"));
    }

    /// One graph, with its updates and runs.
    fn graph(&self, seed: u64) {
        let mut random = Random(seed);
        let values = if random.one_in(6) { VALUES } else { SMALL };
        let most = if seed >= SMALL_SEEDS || random.one_in(20) {
            200
        } else {
            24
        };
        let count = 1 + random.below(most);
        let settings = CommandBufferSettings {
            updatable: random.one_in(2),
            in_order: random.one_in(5),
            profiled: random.one_in(4),
        };
        let buffer = empty(&self.rig, settings);
        let mut nodes: Vec<Node> = Vec::new();
        let mut points: Vec<SyncPoint> = Vec::new();
        // How many other edges there are than those that are needed.
        let density = 1 + random.below(8);
        for place in 0..count {
            let operation = Operation::random(&mut random, values, self.all);
            let mut after: Vec<SyncPoint> = Vec::new();
            let mut before = Places::default();
            for other in (0..place).rev() {
                let needed = nodes[other].operation.conflicts(&operation);
                let wanted = needed && !before.contains(other) || random.below(place * density) == 0;
                if settings.in_order || wanted {
                    before.insert(other);
                    before.extend(&nodes[other].before);
                }
                if wanted && (!settings.in_order || random.one_in(2)) {
                    after.push(points[other]);
                }
            }
            let handle = settings.updatable && matches!(operation, Operation::Launch { .. }) && !random.one_in(3);
            let place = Place {
                handle,
                ..Place::after(&after)
            };
            let appended = self.append(&buffer, &operation, place);
            points.push(appended.point);
            nodes.push(Node {
                operation,
                before,
                command: handle.then(|| appended.command()),
            });
        }
        buffer.finalize().expect("urCommandBufferFinalizeExp");

        let mut model: Vec<Vec<u32>> = (0..OBJECTS)
            .map(|_| (0..values).map(|_| random.bits() as u32).collect())
            .collect();
        self.write(&model, values);
        let (mut history, mut queue) = (Vec::new(), random.below(self.queues.len()));
        for _ in 0..1 + random.below(5) {
            if random.one_in(3) {
                if !self.all {
                    self.finish();
                }
                queue = random.below(self.queues.len());
            }
            for _ in 0..1 + random.below(3) {
                history.push(format!("run on queue {queue}"));
                self.queues[queue].run(&buffer, &[]).expect("urEnqueueCommandBufferExp");
                nodes.iter().for_each(|node| node.operation.apply(&mut model));
            }
            if random.one_in(4) || !self.all {
                history.push("wait".into());
                self.finish();
            }
            if settings.updatable {
                history.push(self.update(&buffer, &mut nodes, &mut random, values));
            }
        }
        self.finish();
        if let Some((object, at, found, expected)) = self.compare(&model, values) {
            for (place, node) in nodes.iter().enumerate() {
                let before: Vec<_> = (0..place).filter(|other| node.before.contains(*other)).collect();
                println!("{place}: {:?} after {before:?}", node.operation);
            }
            println!("{}", history.join("\n"));
            panic!(
                "OXUR_GRAPH_SEED={seed}: {settings:?}, {count} commands: value {at} of object {object} is {found:#x} and \
                 not {expected:#x}"
            );
        }
    }

    /// Changes some launches in a way that leaves all that conflicts in an order.
    fn update(&self, buffer: &CommandBuffer, nodes: &mut [Node], random: &mut Random, values: usize) -> String {
        let mut changed = Vec::new();
        for place in 0..nodes.len() {
            if nodes[place].command.is_none() || !random.one_in(4) {
                continue;
            }
            let mut new = Operation::launch(random, values);
            let fits = |new: &Operation| {
                (0..nodes.len()).all(|other| {
                    let ordered = nodes[place].before.contains(other) || nodes[other].before.contains(place);
                    other == place || ordered || !nodes[other].operation.conflicts(new)
                })
            };
            if !fits(&new) || !self.all {
                // Another value can do no harm.
                new = nodes[place].operation.clone();
                if let Operation::Launch { value, .. } = &mut new {
                    *value = random.bits() as u32;
                }
            }
            nodes[place].operation = new;
            changed.push(place);
        }
        if changed.is_empty() {
            return "no update".into();
        }
        let nodes: Vec<_> = changed.iter().map(|place| &nodes[*place]).collect();
        let args: Vec<Vec<_>> = nodes
            .iter()
            .map(|node| (0..).zip(self.args(&node.operation)).collect())
            .collect();
        let updates: Vec<_> = nodes
            .iter()
            .zip(&args)
            .map(|(node, args)| {
                let Operation::Launch { kernel, to, .. } = node.operation else {
                    panic!("only launches are updated")
                };
                let range = Range::new([to.count]).offset([to.at]);
                let update = Update::new(node.command.expect("a handle"));
                match self.all {
                    true => update.args(args).range(range).kernel(&self.kernels[kernel]),
                    false if kernel == FILL => update.args(&args[1..]),
                    false => update,
                }
            })
            .collect();
        // SAFETY: the arguments are those of the kernels, and ranges are inside of the objects.
        unsafe { buffer.update(&updates) }.expect("urCommandBufferUpdateKernelLaunchExp");
        let told: Vec<_> = nodes.iter().map(|node| format!("{:?}", node.operation)).collect();
        format!("updates of {changed:?}: {}", told.join(", "))
    }
}

#[test]
fn graphs() {
    let Some(rig) = rig() else { return };
    let bench = Bench::new(rig);
    for_each_seed(
        "OXUR_GRAPH_SEED",
        number("OXUR_GRAPHS").unwrap_or(DEFAULT),
        |seed, _| {
            let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| bench.graph(seed)));
            if let Err(panic) = result {
                println!("the graph of OXUR_GRAPH_SEED={seed} failed");
                std::panic::resume_unwind(panic);
            }
        },
    );
}
