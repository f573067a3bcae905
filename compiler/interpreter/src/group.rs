// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A work-group: its items run one after the other, each until it ends or has to wait.
//!
//! Where a module has operations of the items that are active, the items of a sub-group go on block by block, the one that
//! is furthest behind first, in the earliest round of a loop. So those that part meet again where control flow joins, which is what such operations
//! mean by together.

use crate::collectives;
use crate::fault::{Fault, Kind, Result, fault, malformed};
use crate::item::{Frame, Item, State, Wait};
use crate::launch::{Argument, Schedule};
use crate::machine::{Epochs, Machine};
use crate::memory::Memory;
use crate::module::{Kernel, Module, Parameter};
use crate::ops;
use crate::value::Value;

/// How many instructions an item runs until others have their turn: some wait for what others write.
const TURN: u64 = 100_000;

/// Runs a group. `number` is its linear id.
pub(crate) fn run(
    machine: &mut Machine<'_>,
    kernel: &Kernel,
    arguments: &[Argument],
    group_memory: &[u64],
    id: [u64; 3],
    number: u64,
) -> Result<()> {
    let range = machine.range;
    machine.group = id;
    machine.group_size =
        std::array::from_fn(|d| range.local[d].min(range.global[d].saturating_sub(id[d] * range.local[d])));
    machine.epochs = Epochs::default();
    for &address in group_memory {
        if let Some(allocation) = machine.memory.of(address) {
            allocation.undef.fill(0xff);
            allocation.shadow = None;
        }
    }
    let size = machine.group_size.iter().product::<u64>() as u32;
    let per_sub_group = machine.shape.sub_group;
    machine.sub_epochs = vec![Epochs::default(); size.div_ceil(per_sub_group) as usize];
    let mut items = Vec::new();
    for index in 0..size {
        let [x, y, _] = machine.group_size.map(|n| n as u32);
        let local = [index % x, index / x % y, index / x / y].map(u64::from);
        let first = index / per_sub_group * per_sub_group;
        let mut item = Item {
            number: number as u32 * machine.shape.group + index,
            global: std::array::from_fn(|d| id[d] * range.local[d] + local[d] + range.offset[d]),
            local,
            local_index: index,
            sub_group: (index / per_sub_group) as usize,
            lane: index % per_sub_group,
            sub_group_size: per_sub_group.min(size - first),
            frames: Vec::new(),
            state: State::Running,
        };
        let frame = begin(machine, kernel, arguments).map_err(|fault| located(fault, machine.module, &item, None))?;
        item.frames.push(frame);
        items.push(item);
    }
    let mut sub_groups: Vec<(usize, &mut [Item])> = items.chunks_mut(per_sub_group as usize).enumerate().collect();
    if machine.options.schedule == Schedule::Backwards {
        sub_groups.reverse();
    }
    loop {
        let mut has_turns_left = false;
        for (number, sub_group) in &mut sub_groups {
            has_turns_left |= run_sub_group(machine, *number, sub_group)?;
        }
        let all = || sub_groups.iter().flat_map(|(_, items)| items.iter());
        if all().all(|item| item.state == State::Done) {
            return Ok(());
        }
        if has_turns_left {
            continue;
        }
        let mut all: Vec<&mut Item> = sub_groups.iter_mut().flat_map(|(_, items)| items.iter_mut()).collect();
        all.sort_by_key(|item| item.local_index);
        together(machine, &mut all, Wait::Group)?;
    }
}

/// The call of the kernel, with copies of what is passed by value.
fn begin(machine: &mut Machine<'_>, kernel: &Kernel, arguments: &[Argument]) -> Result<Frame> {
    let module = machine.module;
    let (Some(number), Some(function)) = (module.number(kernel.function), module.function(kernel.function)) else {
        return malformed("the kernel has no function");
    };
    let (mut values, mut copies) = (Vec::new(), Vec::new());
    let all = function.parameters.iter().zip(&kernel.parameters).zip(arguments);
    for ((&(_, ty), parameter), argument) in all {
        values.push(match (argument, parameter) {
            (Argument::Value(bytes), Parameter::Value(_)) => {
                let copy = private_copy(machine.memory, bytes)?;
                match module.types.get(ty)? {
                    crate::types::Type::Pointer { .. } => {
                        copies.push(copy);
                        Value::bits(copy)
                    }
                    _ => {
                        let (allocation, at) = machine.memory.locate(copy, bytes.len() as u64, false)?;
                        let value = ops::memory::read(&module.types, allocation, at, ty)?;
                        machine.memory.release(copy);
                        value
                    }
                }
            }
            (Argument::Pointer(address), _) => Value::bits(*address),
            _ => return fault(Kind::BadLaunch, "an argument that does not fit its parameter"),
        });
    }
    let mut frame = Frame::new(module, number, values)?;
    copies.into_iter().for_each(|copy| frame.own(copy));
    Ok(frame)
}

fn private_copy(memory: &mut Memory, bytes: &[u8]) -> Result<u64> {
    let address = memory.allocate_in(spirv::StorageClass::Function, bytes.len())?;
    if let Some(allocation) = memory.of(address) {
        allocation.bytes.copy_from_slice(bytes);
        allocation.undef.fill(0);
    }
    Ok(address)
}

/// Adds to a fault where it happened.
fn located(mut fault: Box<Fault>, module: &Module, item: &Item, word: Option<usize>) -> Box<Fault> {
    if let Some(word) = word {
        fault.place.get_or_insert_with(|| module.place(word));
    }
    fault.item.get_or_insert(item.global);
    fault
}

fn step(machine: &mut Machine<'_>, item: &mut Item) -> Result<()> {
    item.step(machine)
        .map_err(|fault| located(fault, machine.module, item, Some(machine.word)))
}

/// Runs the items of a sub-group until none can go on; tells whether one could, but had its turn.
fn run_sub_group(machine: &mut Machine<'_>, number: usize, items: &mut [Item]) -> Result<bool> {
    let limit = machine.report.steps + TURN * items.len() as u64;
    loop {
        if machine.module.has_non_uniform {
            while let Some(next) = furthest_behind(machine.module, items) {
                if machine.report.steps > limit {
                    return Ok(true);
                }
                if items[next].state == State::Running {
                    run_block(machine, &mut items[next])?;
                } else {
                    active(machine, items, next)?;
                }
            }
        } else {
            let mut order: Vec<&mut Item> = items.iter_mut().collect();
            if machine.options.schedule == Schedule::Backwards {
                order.reverse();
            }
            for item in order {
                let limit = machine.report.steps + TURN;
                while item.state == State::Running && machine.report.steps < limit {
                    step(machine, item)?;
                }
            }
            if items.iter().any(|item| item.state == State::Running) {
                return Ok(true);
            }
        }
        if !items.iter().any(|item| item.state == State::Waiting(Wait::SubGroup)) {
            return Ok(false);
        }
        let mut all: Vec<&mut Item> = items.iter_mut().collect();
        together(machine, &mut all, Wait::SubGroup)?;
        if machine.report.steps > limit {
            return Ok(true);
        }
        debug_assert!(number < machine.sub_epochs.len());
    }
}

/// Runs an item to the end of its block, or to a call or a return.
fn run_block(machine: &mut Machine<'_>, item: &mut Item) -> Result<()> {
    let place = |item: &Item| item.frames.last().map(|f| (item.frames.len(), f.function, f.block));
    let start = place(item);
    let mut at = item.frames.last().map_or(0, |f| f.at);
    while item.state == State::Running {
        step(machine, item)?;
        let now = item.frames.last().map_or(0, |f| f.at);
        // A block may lead to itself.
        if place(item) != start || now <= at {
            break;
        }
        at = now;
    }
    Ok(())
}

/// Where an item is, so that what comes first is less.
fn position(module: &Module, item: &Item) -> Vec<(usize, u64)> {
    item.frames.iter().flat_map(|frame| frame.position(module)).collect()
}

/// Of the items that can go on, the one that is furthest behind; one that waits for the others comes last.
fn furthest_behind(module: &Module, items: &[Item]) -> Option<usize> {
    let can = |item: &Item| matches!(item.state, State::Running | State::Waiting(Wait::Active));
    let candidates = items.iter().enumerate().filter(|(_, item)| can(item));
    candidates
        .min_by_key(|(_, item)| (position(module, item), item.state != State::Running))
        .map(|(index, _)| index)
}

/// Lets the items that wait at an instruction together do it.
fn active(machine: &mut Machine<'_>, items: &mut [Item], first: usize) -> Result<()> {
    let place = position(machine.module, &items[first]);
    let waits =
        |item: &&mut Item| item.state == State::Waiting(Wait::Active) && position(machine.module, item) == place;
    let mut all: Vec<&mut Item> = items.iter_mut().filter(waits).collect();
    perform(machine, &mut all)
}

/// Lets all items of a group or a sub-group do an operation that they have to come to together.
fn together(machine: &mut Machine<'_>, items: &mut [&mut Item], wait: Wait) -> Result<()> {
    let module = machine.module;
    let Some(first) = items.iter().position(|item| item.state == State::Waiting(wait)) else {
        return fault(Kind::DivergentBarrier, "no item can go on");
    };
    let inst = items[first].inst(module)?;
    for item in items.iter() {
        let what = match item.state {
            State::Done => "has ended".into(),
            State::Running => "is elsewhere".into(),
            State::Waiting(_) => match item.inst(module)? {
                other if other.word == inst.word => continue,
                other => format!("waits at {}", module.place(other.word)),
            },
        };
        let [x, y, z] = item.global;
        let error = Fault::new(
            Kind::DivergentBarrier,
            format!("work-item ({x}, {y}, {z}) {what} while others wait"),
        );
        return Err(located(error, module, items[first], Some(inst.word)));
    }
    perform(machine, items)
}

fn perform(machine: &mut Machine<'_>, items: &mut [&mut Item]) -> Result<()> {
    let module = machine.module;
    let inst = items[0].inst(module)?;
    machine.word = inst.word;
    machine.report.steps += items.len() as u64;
    collectives::perform(machine, items, inst).map_err(|fault| located(fault, module, items[0], Some(inst.word)))?;
    for item in items.iter_mut() {
        item.state = State::Running;
    }
    Ok(())
}
