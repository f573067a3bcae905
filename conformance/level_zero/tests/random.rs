// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Random graphs of commands: copies, fills and kernels over several lists, queues and events, some of which the host
//! signals, against the same commands one after the other.
//!
//! A command's dependencies are the earlier commands that it must not overtake, because both touch a buffer and one of them
//! writes it. Most become events; some become the order of a list, where the list has one. So the result is that of
//! sequential execution if the driver keeps all orders that the specification promises.

use std::ptr::null_mut;
use std::thread;

use oxur_conformance_level_zero::sys::*;
use oxur_conformance_level_zero::{Event, Kernel, List, Module, Queue, Rig, Usm, ok};
use oxur_conformance_support::random::{LENGTH, Op, Random, for_each_seed, number};

use crate::robust::{is_child, other_process};

/// The kernels that commands launch.
pub(crate) struct Kernels {
    add: Kernel,
    multiply: Kernel,
    accumulate: Kernel,
}

impl Kernels {
    pub(crate) fn new(module: &Module) -> Self {
        let kernel = |name| {
            let kernel = module.kernel(name);
            kernel.group_size([32, 1, 1]);
            kernel
        };
        Self {
            add: kernel("add"),
            multiply: kernel("multiply"),
            accumulate: kernel("accumulate"),
        }
    }

    pub(crate) fn append(&self, op: &Op, buffers: &[Usm], list: &List, signal: Option<&Event>, wait: &[&Event]) {
        let groups = [LENGTH as u32 / 32, 1, 1];
        match *op {
            Op::Copy {
                to,
                from,
                start,
                length,
            } => {
                let (to, from) = (buffers[to].at(start * 4), buffers[from].at(start * 4));
                list.copy(to, from, length * 4, signal, wait);
            }
            Op::Fill {
                to,
                value,
                start,
                length,
            } => {
                list.fill(buffers[to].at(start * 4), &[value], length * 4, signal, wait);
            }
            Op::Add { to, value } | Op::Multiply { to, value } => {
                let kernel = if matches!(op, Op::Add { .. }) {
                    &self.add
                } else {
                    &self.multiply
                };
                kernel.set_ptr(0, buffers[to].ptr());
                kernel.set(1, value);
                list.launch(kernel, groups, signal, wait);
            }
            Op::Accumulate { to, from } => {
                self.accumulate.set_ptr(0, buffers[to].ptr());
                self.accumulate.set_ptr(1, buffers[from].ptr());
                list.launch(&self.accumulate, groups, signal, wait);
            }
            Op::Barrier => list.barrier(signal, wait),
        }
    }
}

/// A list that commands go to.
enum Target {
    /// An immediate list, whose commands execute in order or not.
    Immediate(List, bool),
    /// Regular lists that go to a queue when they have some commands. The last is open.
    Regular(Queue, Vec<List>, bool),
}

impl Target {
    fn random(rig: &Rig, random: &mut Random) -> Self {
        let in_order = random.chance(50);
        if random.chance(60) {
            let flags = if in_order { ZE_COMMAND_QUEUE_FLAG_IN_ORDER } else { 0 };
            return Self::Immediate(rig.immediate(flags), in_order);
        }
        Self::Regular(rig.queue(), vec![Self::regular(rig, in_order)], in_order)
    }

    fn regular(rig: &Rig, in_order: bool) -> List {
        rig.list_with(if in_order { ZE_COMMAND_LIST_FLAG_IN_ORDER } else { 0 })
    }

    fn list(&self) -> &List {
        match self {
            Self::Immediate(list, _) => list,
            Self::Regular(_, lists, _) => lists.last().expect("the open list"),
        }
    }

    fn is_in_order(&self) -> bool {
        match self {
            Self::Immediate(_, in_order) | Self::Regular(_, _, in_order) => *in_order,
        }
    }

    /// Executes what was appended.
    fn submit(&mut self, rig: &Rig) {
        if let Self::Regular(queue, lists, in_order) = self {
            let list = lists.last().expect("the open list");
            list.close();
            queue.execute(&[list]);
            lists.push(Self::regular(rig, *in_order));
        }
    }

    fn synchronize(&self) {
        match self {
            Self::Immediate(list, _) => list.synchronize(),
            Self::Regular(queue, ..) => queue.synchronize(),
        }
    }
}

/// An event as a failure prints it: the number of its command, or of the host's signal.
fn name(event: &Event, events: &[Event], gates: &[Event]) -> String {
    let place = |all: &[Event]| all.iter().position(|other| other.raw() == event.raw());
    match (place(events), place(gates)) {
        (Some(command), _) => command.to_string(),
        (_, gate) => format!("host {}", gate.unwrap_or_default()),
    }
}

/// A device, and the module for it. All are of one context.
struct OnDevice {
    rig: Rig,
    module: Module,
}

/// All devices that there are.
fn on_devices() -> Option<Vec<OnDevice>> {
    let rig = Rig::executing()?;
    let mut count = 0;
    ok!(zeDeviceGet(rig.driver, &mut count, null_mut()));
    let mut devices = vec![null_mut(); count as usize];
    ok!(zeDeviceGet(rig.driver, &mut count, devices.as_mut_ptr()));
    let on_device = |device| {
        let rig = Rig { device, ..rig.clone() };
        let module = rig.module("basic");
        OnDevice { rig, module }
    };
    Some(devices.into_iter().map(on_device).collect())
}

/// One graph. What it is made of depends on the seed and the number of devices alone.
fn run(devices: &[OnDevice], seed: u64, verbose: bool) {
    let rig = &devices[0].rig;
    let mut random = Random(seed);
    let (ops, mut expected) = Op::graph(&mut random, 5..45);
    let buffers: Vec<_> = expected
        .iter()
        .map(|values| match random.below(3) {
            0 => rig.host(values),
            1 => rig.shared(values),
            _ => rig.device_values(values),
        })
        .collect();
    ops.iter().for_each(|op| op.model(&mut expected));

    let kernels: Vec<_> = devices.iter().map(|device| Kernels::new(&device.module)).collect();
    let count_of_targets = 1 + random.below(4);
    let device_of = |target: usize| (target + seed as usize) % devices.len();
    let mut targets: Vec<_> = (0..count_of_targets)
        .map(|target| Target::random(&devices[device_of(target)].rig, &mut random))
        .collect();
    if verbose {
        for (index, target) in targets.iter().enumerate() {
            let kind = if matches!(target, Target::Immediate(..)) {
                "immediate"
            } else {
                "regular"
            };
            println!("list {index}: {kind}, in order: {}", target.is_in_order());
        }
    }
    let events = rig.events(ops.len() as u32);
    let gates = rig.events(1 + random.below(4) as u32);
    // The list of each command, and its place in the list.
    let mut placed: Vec<usize> = Vec::new();
    // The commands that wait for a gate.
    let mut gated = Vec::new();
    for (index, op) in ops.iter().enumerate() {
        let target = random.below(targets.len());
        let mut wait: Vec<&Event> = Vec::new();
        for earlier in 0..index {
            if !op.conflicts(&ops[earlier]) {
                continue;
            }
            // The order of a list is enough, but events may say the same.
            let ordered = placed[earlier] == target && targets[target].is_in_order();
            if !ordered || random.chance(20) {
                wait.push(&events[earlier]);
            }
        }
        if random.chance(15) {
            wait.push(&gates[random.below(gates.len())]);
            gated.push(index);
        }
        if verbose {
            let wait: Vec<_> = wait.iter().map(|event| name(event, &events, &gates)).collect();
            println!("{index}: {op:?} on {target} after {wait:?}");
        }
        kernels[device_of(target)].append(op, &buffers, targets[target].list(), Some(&events[index]), &wait);
        placed.push(target);
        // A regular list that waits for a later one of its own queue would wait for ever: so submit in order, at times.
        for (place, target) in targets.iter_mut().enumerate() {
            if random.chance(30) {
                target.submit(&devices[device_of(place)].rig);
                if verbose {
                    println!("submit {place}");
                }
            }
        }
    }
    for index in gated {
        assert!(
            !events[index].is_signalled(),
            "seed {seed}: command {index} did not wait for the host"
        );
    }
    thread::scope(|scope| {
        if random.chance(50) {
            scope.spawn(|| gates.iter().for_each(Event::host_signal));
        } else {
            gates.iter().for_each(Event::host_signal);
        }
        for (place, target) in targets.iter_mut().enumerate() {
            target.submit(&devices[device_of(place)].rig);
        }
        for target in &targets {
            target.synchronize();
        }
    });
    assert!(
        events.iter().all(Event::is_signalled),
        "seed {seed}: all commands are complete"
    );
    for (index, (buffer, expected)) in buffers.iter().zip(&expected).enumerate() {
        let got: Vec<i32> = rig.read(buffer);
        assert!(got == *expected, "seed {seed}: buffer {index} differs after {ops:#?}");
    }
    for target in &targets {
        if let Target::Regular(_, lists, _) = target {
            lists.last().expect("the open list").close();
        }
    }
}

/// How many graphs a test runs.
pub(crate) fn count() -> u64 {
    number("OXUR_ZE_GRAPHS").unwrap_or(30)
}

/// Random graphs have the result of sequential execution.
#[test]
fn graphs() {
    let Some(devices) = on_devices() else { return };
    for_each_seed("OXUR_ZE_GRAPH_SEED", count(), |seed, verbose| {
        run(&devices, seed, verbose)
    });
}

/// The same on several devices at once, which our driver has if a variable says so.
#[test]
fn graphs_of_devices() {
    const TEST: &str = "random::graphs_of_devices";
    if !is_child(TEST) {
        assert_eq!(other_process(TEST, &[("ZE_OXUR_DEVICES", "2")]), 0);
        return;
    }
    let Some(devices) = on_devices() else { return };
    if std::thread::available_parallelism().is_ok_and(|cpus| cpus.get() > 1) {
        assert_eq!(devices.len(), 2);
    }
    for seed in 0..count() {
        run(&devices, 10_000_000 + seed, false);
    }
}

/// The same by several threads at once, with objects of their own.
#[test]
fn graphs_of_threads() {
    let Some(devices) = on_devices() else { return };
    let count = count();
    thread::scope(|scope| {
        for thread in 1..=3 {
            let devices = &devices;
            scope.spawn(move || (0..count / 3).for_each(|seed| run(devices, thread * 1_000_000 + seed, false)));
        }
    });
}
