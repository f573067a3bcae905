// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Random captured graphs: the commands of `random.rs` on several immediate lists that fork and join, executed several
//! times, against the same commands one after the other.

use std::ptr::{null, null_mut};
use std::thread;

use oxur_conformance_level_zero::sys::*;
use oxur_conformance_level_zero::{Event, List, Module, Rig, loader_is_old, ok};

use oxur_conformance_support::random::{Op, Random, number};

use crate::random::{Kernels, count};

fn counter_based(rig: &Rig) -> Event {
    let desc = ze_event_counter_based_desc_t {
        flags: ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE,
        ..Default::default()
    };
    let mut event = null_mut();
    ok!(zeEventCounterBasedCreate(
        rig.context.raw(),
        rig.device,
        &desc,
        &mut event
    ));
    Event::from_raw(event, None)
}

fn begin(list: &List) {
    ok!(zeCommandListBeginGraphCaptureExt(list.raw(), null()));
}

fn end(list: &List) -> ze_graph_handle_t {
    let mut graph = null_mut();
    ok!(zeCommandListEndGraphCaptureExt(list.raw(), null(), &mut graph));
    graph
}

fn instantiate(graph: ze_graph_handle_t) -> ze_executable_graph_handle_t {
    let mut executable = null_mut();
    ok!(zeGraphInstantiateExt(graph, null(), &mut executable));
    executable
}

fn append(list: &List, graph: ze_executable_graph_handle_t, signal: Option<&Event>, wait: &[&Event]) {
    let mut wait: Vec<_> = wait.iter().map(|event| event.raw()).collect();
    ok!(zeCommandListAppendGraphExt(
        list.raw(),
        graph,
        null(),
        signal.map_or(null_mut(), Event::raw),
        wait.len() as u32,
        if wait.is_empty() { null_mut() } else { wait.as_mut_ptr() }
    ));
}

/// One graph. What it is made of depends on the seed alone.
fn run(rig: &Rig, module: &Module, seed: u64) {
    let mut random = Random(seed);
    let (ops, mut expected) = Op::graph(&mut random, 3..33);
    let buffers: Vec<_> = expected.iter().map(|values| rig.shared(values)).collect();

    let kernels = Kernels::new(module);
    let in_order: Vec<bool> = (0..1 + random.below(4)).map(|_| random.chance(60)).collect();
    let flags = |in_order: bool| if in_order { ZE_COMMAND_QUEUE_FLAG_IN_ORDER } else { 0 };
    let lists: Vec<List> = in_order
        .iter()
        .map(|in_order| rig.immediate(flags(*in_order)))
        .collect();
    let pool = rig.pool(ops.len() as u32, 0);
    let events: Vec<Event> = (0..ops.len())
        .map(|index| match random.chance(50) {
            true => counter_based(rig),
            false => pool.event(index as u32),
        })
        .collect();
    let (forks, joins) = (rig.events(lists.len() as u32), rig.events(lists.len() as u32));
    let gates = rig.events(2);
    // Graphs of one command in the graph.
    let mut inner = Vec::new();
    let inner_list = rig.in_order();

    begin(&lists[0]);
    let mut placed: Vec<usize> = Vec::new();
    let mut has_forked = vec![false; lists.len()];
    for (index, op) in ops.iter().enumerate() {
        let target = random.below(lists.len());
        let mut wait: Vec<&Event> = Vec::new();
        for earlier in 0..index {
            let ordered = placed[earlier] == target && in_order[target];
            if op.conflicts(&ops[earlier]) && (!ordered || random.chance(20)) {
                wait.push(&events[earlier]);
            }
        }
        if target != 0 && !std::mem::replace(&mut has_forked[target], true) {
            lists[0].barrier(Some(&forks[target]), &[]);
            wait.push(&forks[target]);
        }
        if random.chance(10) {
            wait.push(&gates[random.below(gates.len())]);
        }
        if random.chance(15) {
            begin(&inner_list);
            kernels.append(op, &buffers, &inner_list, None, &[]);
            let graph = end(&inner_list);
            let executable = instantiate(graph);
            append(&lists[target], executable, Some(&events[index]), &wait);
            inner.push((graph, executable));
        } else {
            kernels.append(op, &buffers, &lists[target], Some(&events[index]), &wait);
        }
        placed.push(target);
    }
    for (list, join) in lists.iter().zip(&joins).skip(1) {
        if has_forked[lists
            .iter()
            .position(|other| other.raw() == list.raw())
            .expect("it is one of them")]
        {
            list.barrier(Some(join), &[]);
            lists[0].wait_on(&[join]);
        }
    }
    let graph = end(&lists[0]);
    let instances = [instantiate(graph), instantiate(graph)];
    for (buffer, expected) in buffers.iter().zip(&expected) {
        assert!(
            buffer.values::<i32>() == *expected,
            "seed {seed}: a capture has run something"
        );
    }

    // Each execution after the one before, by the list or by an event.
    let rounds = 1 + random.below(5);
    let done: Vec<Event> = rig.events(rounds as u32);
    for round in 0..rounds {
        let wait = if round == 0 { &[][..] } else { &[&done[round - 1]] };
        let (list, instance) = (random.below(lists.len()), random.below(2));
        append(&lists[list], instances[instance], Some(&done[round]), wait);
        ops.iter().for_each(|op| op.model(&mut expected));
    }
    thread::scope(|scope| {
        if random.chance(50) {
            scope.spawn(|| gates.iter().for_each(Event::host_signal));
        } else {
            gates.iter().for_each(Event::host_signal);
        }
        done[rounds - 1].wait();
    });
    lists.iter().for_each(List::synchronize);
    for (index, (buffer, expected)) in buffers.iter().zip(&expected).enumerate() {
        let got = buffer.values::<i32>();
        assert!(
            got == *expected,
            "seed {seed}: buffer {index} differs after {rounds} times {ops:#?}"
        );
    }
    instances
        .iter()
        .for_each(|instance| ok!(zeExecutableGraphDestroyExt(*instance)));
    ok!(zeGraphDestroyExt(graph));
    for (graph, executable) in inner {
        ok!(zeExecutableGraphDestroyExt(executable));
        ok!(zeGraphDestroyExt(graph));
    }
}

/// Random captured graphs have the result of sequential execution. Captures of several threads do not disturb each
/// other.
#[test]
fn captured_graphs() {
    let Some(rig) = Rig::executing() else { return };
    if loader_is_old() {
        println!("not run: the loader is older than graphs");
        return;
    }
    let module = rig.module("basic");
    if let Some(seed) = number("OXUR_ZE_GRAPH_SEED") {
        return run(&rig, &module, seed);
    }
    let count = count();
    thread::scope(|scope| {
        for thread in 0..3 {
            let (rig, module) = (&rig, &module);
            scope.spawn(move || (0..count / 3).for_each(|seed| run(rig, module, thread * 1_000_000 + seed)));
        }
    });
}
