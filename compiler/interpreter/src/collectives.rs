// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What items do together: barriers, reductions, scans, votes, ballots, broadcasts, shuffles, copies.

use spirv::{Op, StorageClass};

use crate::fault::{Kind, Result, fault, malformed, unsupported};
use crate::float;
use crate::item::Item;
use crate::machine::Machine;
use crate::module::Inst;
use crate::ops::{float_width, if_defined};
use crate::types::Type;
use crate::value::{Scalar, Value, map2, mask, signed};

/// Performs an operation of some items, in the order of their ids, and lets them go on.
pub(crate) fn perform(machine: &mut Machine<'_>, items: &mut [&mut Item], inst: &Inst) -> Result<()> {
    let module = machine.module;
    let results: Vec<Option<Value>> = match inst.op {
        Op::ControlBarrier => {
            barrier(machine, items, inst)?;
            vec![None; items.len()]
        }
        Op::GroupAsyncCopy => {
            copy(machine, items, inst)?;
            vec![Some(Value::bits(1)); items.len()]
        }
        Op::GroupWaitEvents => {
            machine.epochs.local += 1;
            machine.epochs.global += 1;
            vec![None; items.len()]
        }
        Op::SubgroupBlockReadINTEL | Op::SubgroupBlockWriteINTEL => block(machine, items, inst)?,
        _ => values(machine, items, inst)?,
    };
    for (item, value) in items.iter_mut().zip(results) {
        item.finish(module, inst, value)?;
    }
    Ok(())
}

fn barrier(machine: &mut Machine<'_>, items: &[&mut Item], inst: &Inst) -> Result<()> {
    let module = machine.module;
    let scope = items[0].scalar(module, inst, 0)?.bits;
    let semantics = items[0].scalar(module, inst, 2)?.bits;
    let epochs = match scope {
        2 => Some(&mut machine.epochs),
        _ => machine.sub_epochs.get_mut(items[0].sub_group),
    };
    if let Some(epochs) = epochs {
        epochs.local += u32::from(semantics & 0x100 != 0);
        epochs.global += u32::from(semantics & 0x200 != 0);
    }
    Ok(())
}

/// Values of all items that come together, by the items' numbers in their group or sub-group.
struct Together<'a> {
    /// The numbers, and how large the largest may be.
    ids: Vec<u32>,
    size: u32,
    /// What the sub-group could have.
    lanes: u32,
    values: Vec<Value>,
    inst: &'a Inst,
}

impl Together<'_> {
    /// The value of an item; None if it is not there.
    fn of(&self, id: u64) -> Option<Value> {
        let index = self.ids.iter().position(|&own| u64::from(own) == id)?;
        Some(self.values[index].clone())
    }
}

fn values(machine: &mut Machine<'_>, items: &[&mut Item], inst: &Inst) -> Result<Vec<Option<Value>>> {
    let module = machine.module;
    let op = inst.op;
    // Where the value is: behind a scope, behind a scope and an operation, or in front.
    let is_khr = matches!(
        op,
        Op::SubgroupBallotKHR
            | Op::SubgroupAllKHR
            | Op::SubgroupAnyKHR
            | Op::SubgroupAllEqualKHR
            | Op::SubgroupReadInvocationKHR
            | Op::SubgroupFirstInvocationKHR
            | Op::SubgroupShuffleINTEL
            | Op::SubgroupShuffleXorINTEL
            | Op::SubgroupShuffleUpINTEL
            | Op::SubgroupShuffleDownINTEL
    );
    let reduction = reduction(op);
    let at = usize::from(!is_khr) + usize::from(reduction.is_some() || op == Op::GroupNonUniformBallotBitCount);
    let is_whole_group = !is_khr && items[0].scalar(module, inst, 0)?.bits == 2;
    if !is_khr && !matches!(items[0].scalar(module, inst, 0)?.bits, 2 | 3) {
        return unsupported(format!("Op{op:?} of another scope than a group or a sub-group"));
    }
    let all = Together {
        ids: items
            .iter()
            .map(|i| if is_whole_group { i.local_index } else { i.lane })
            .collect(),
        size: if is_whole_group {
            machine.group_size.iter().product::<u64>() as u32
        } else {
            items[0].sub_group_size
        },
        lanes: machine.shape.sub_group,
        values: if op == Op::GroupNonUniformElect {
            Vec::new()
        } else {
            items
                .iter()
                .map(|item| item.operand(module, inst, at))
                .collect::<Result<_>>()?
        },
        inst,
    };
    if let Some((combine, is_float)) = reduction {
        return reduce(machine, items, &all, combine, is_float);
    }
    let second = |index: usize| items[index].decisive(module, inst, at + 1, "the id");
    let undefined = || module.undefined(inst.ty);
    let each = |f: &dyn Fn(usize, &Item) -> Result<Value>| {
        items.iter().enumerate().map(|(i, item)| f(i, item).map(Some)).collect()
    };
    let same = |value: Value| Ok(vec![Some(value); items.len()]);
    // A vote whose result is undefined decides nothing yet.
    let votes = || all.values.iter().map(Value::scalar).collect::<Result<Vec<_>>>();
    let lane_of = |index: usize, item: &Item| -> Result<Option<u64>> {
        let (own, other) = (u64::from(item.lane), second(index)?);
        Ok(match op {
            Op::GroupNonUniformShuffleXor | Op::SubgroupShuffleXorINTEL => Some(own ^ other),
            Op::GroupNonUniformShuffleUp => own.checked_sub(other),
            Op::GroupNonUniformShuffleDown => Some(own.wrapping_add(other)),
            _ => Some(other),
        })
    };
    match op {
        Op::GroupAll | Op::GroupNonUniformAll | Op::SubgroupAllKHR => {
            let votes = votes()?;
            let is_known_no = votes.iter().any(|v| v.is_defined() && v.bits == 0);
            let value = if_defined(&votes, 1, || votes.iter().all(|v| v.bits != 0).into());
            same(if is_known_no { Value::bits(0) } else { value.into() })
        }
        Op::GroupAny | Op::GroupNonUniformAny | Op::SubgroupAnyKHR => {
            let votes = votes()?;
            let is_known_yes = votes.iter().any(|v| v.is_defined() && v.bits != 0);
            let value = if_defined(&votes, 1, || votes.iter().any(|v| v.bits != 0).into());
            same(if is_known_yes { Value::bits(1) } else { value.into() })
        }
        Op::GroupNonUniformAllEqual | Op::SubgroupAllEqualKHR => {
            let all: Vec<Vec<Scalar>> = all.values.iter().map(Value::scalars).collect::<Result<_>>()?;
            if all.iter().flatten().any(|s| !s.is_defined()) {
                return same(Scalar::undefined(1).into());
            }
            let is_float = module.types.is_float(module.type_of(module.operand(inst, at)?)?)?;
            let width = module.types.width(module.type_of(module.operand(inst, at)?)?)?;
            let equal = |x: &Scalar, y: &Scalar| {
                if is_float {
                    float::to_f64(x.bits, width) == float::to_f64(y.bits, width)
                } else {
                    x.bits == y.bits
                }
            };
            let is_same = |other: &Vec<Scalar>| other.iter().zip(&all[0]).all(|(x, y)| equal(x, y));
            same(Value::bits(all.iter().all(is_same).into()))
        }
        Op::GroupNonUniformElect => each(&|index, _| Ok(Value::bits(u64::from(index == 0)))),
        Op::GroupBroadcast => {
            let id = |item: &Item| -> Result<u64> {
                let parts = item.operand(module, inst, at + 1)?.scalars()?;
                if parts.iter().any(|s| !s.is_defined()) {
                    return fault(Kind::UndefinedValue, "the id is undefined");
                }
                let sizes = machine.group_size;
                let mut id = 0;
                for (d, part) in parts.iter().enumerate().rev() {
                    if is_whole_group && part.bits >= *sizes.get(d).unwrap_or(&1) {
                        return fault(
                            Kind::OutOfBounds,
                            format!("there is no item {} to broadcast", part.bits),
                        );
                    }
                    id = id * sizes.get(d).unwrap_or(&1) + part.bits;
                }
                Ok(id)
            };
            let first = id(items[0])?;
            for item in items {
                if id(item)? != first {
                    return fault(Kind::DivergentBarrier, "items name different items to broadcast");
                }
            }
            match all.of(first) {
                Some(value) => same(value),
                None => fault(Kind::OutOfBounds, format!("there is no item {first} to broadcast")),
            }
        }
        Op::GroupNonUniformBroadcastFirst | Op::SubgroupFirstInvocationKHR => same(all.values[0].clone()),
        Op::GroupNonUniformBroadcast
        | Op::SubgroupReadInvocationKHR
        | Op::GroupNonUniformShuffle
        | Op::GroupNonUniformShuffleXor
        | Op::GroupNonUniformShuffleUp
        | Op::GroupNonUniformShuffleDown
        | Op::SubgroupShuffleINTEL
        | Op::SubgroupShuffleXorINTEL => each(&|index, item| match lane_of(index, item)?.and_then(|id| all.of(id)) {
            Some(value) => Ok(value),
            None => undefined(),
        }),
        Op::GroupNonUniformRotateKHR => {
            let has_clusters = !module.operands(inst, at + 2).is_empty();
            each(&|index, item| {
                let cluster = if has_clusters {
                    item.decisive(module, inst, at + 2, "the size of clusters")?
                } else {
                    u64::from(all.lanes)
                };
                if !cluster.is_power_of_two() || cluster > all.lanes.into() {
                    return fault(Kind::Malformed, format!("clusters of {cluster}"));
                }
                let (own, by) = (u64::from(item.lane), second(index)?);
                let id = (own.wrapping_add(by) & (cluster - 1)) + (own & !(cluster - 1));
                all.of(id).map_or_else(undefined, Ok)
            })
        }
        Op::SubgroupShuffleDownINTEL | Op::SubgroupShuffleUpINTEL => each(&|index, item| {
            // The second value belongs to lanes beyond the sub-group.
            let delta = item.decisive(module, inst, 2, "the distance")?;
            let (own, lanes) = (u64::from(item.lane), u64::from(all.lanes));
            let other = |id: u64| -> Result<Value> {
                match items.iter().find(|item| u64::from(item.lane) == id) {
                    Some(item) => item.operand(module, inst, 1),
                    None => undefined(),
                }
            };
            let _ = index;
            if op == Op::SubgroupShuffleDownINTEL {
                match own.saturating_add(delta) {
                    id if id < lanes => all.of(id).map_or_else(undefined, Ok),
                    id if id < 2 * lanes => other(id - lanes),
                    _ => undefined(),
                }
            } else {
                // The first value is that of the lanes below.
                match (own + lanes).checked_sub(delta) {
                    Some(id) if id >= lanes => other(id - lanes),
                    Some(id) => all.of(id).map_or_else(undefined, Ok),
                    None => undefined(),
                }
            }
        }),
        Op::GroupNonUniformBallot | Op::SubgroupBallotKHR => {
            let mut words = [Scalar::default(); 4];
            for (id, vote) in all.ids.iter().zip(votes()?) {
                let word = &mut words[*id as usize / 32 % 4];
                word.bits |= (vote.bits & 1) << (id % 32);
                word.undef |= (vote.undef & 1) << (id % 32);
            }
            same(words.into_iter().map(Value::from).collect())
        }
        Op::GroupNonUniformInverseBallot => each(&|index, item| bit(&all.values[index], item.lane.into())),
        Op::GroupNonUniformBallotBitExtract => each(&|index, _| bit(&all.values[index], second(index)?)),
        Op::GroupNonUniformBallotBitCount => {
            let operation = module.operand(inst, 1)?;
            each(&|index, item| {
                let end = match operation {
                    0 => all.lanes,
                    1 => item.lane + 1,
                    2 => item.lane,
                    other => return unsupported(format!("the group operation {other}")),
                };
                count(&all.values[index], end.min(all.lanes), module.types.width(inst.ty)?)
            })
        }
        Op::GroupNonUniformBallotFindLSB | Op::GroupNonUniformBallotFindMSB => each(&|index, _| {
            let width = module.types.width(inst.ty)?;
            let words = all.values[index].scalars()?;
            let is_set = |&lane: &u32| {
                words
                    .get(lane as usize / 32)
                    .is_some_and(|w| w.bits >> (lane % 32) & 1 != 0)
            };
            let mut lanes = 0..all.lanes;
            let found = if op == Op::GroupNonUniformBallotFindLSB {
                lanes.find(is_set)
            } else {
                lanes.rev().find(is_set)
            };
            // Of no bits the result is undefined.
            let is_known = words.iter().all(|w| w.is_defined());
            Ok(match found {
                Some(lane) if is_known => Value::bits(lane.into()),
                _ => Scalar::undefined(width).into(),
            })
        }),
        other => unsupported(format!("Op{other:?}")),
    }
}

/// A bit of a ballot.
fn bit(ballot: &Value, lane: u64) -> Result<Value> {
    let words = ballot.scalars()?;
    Ok(match words.get(lane as usize / 32) {
        Some(word) => Scalar {
            bits: word.bits >> (lane % 32) & 1,
            undef: word.undef >> (lane % 32) & 1,
        }
        .into(),
        None => Scalar::undefined(1).into(),
    })
}

/// How many of the lowest bits of a ballot are set.
fn count(ballot: &Value, end: u32, width: u32) -> Result<Value> {
    let words = ballot.scalars()?;
    let mut sum = 0;
    for lane in 0..end {
        if let Some(word) = words.get(lane as usize / 32) {
            if word.undef >> (lane % 32) & 1 != 0 {
                return Ok(Scalar::undefined(width).into());
            }
            sum += word.bits >> (lane % 32) & 1;
        }
    }
    Ok(Value::bits(sum))
}

/// How two values become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Combine {
    Add,
    Mul,
    SMin,
    SMax,
    UMin,
    UMax,
    And,
    Or,
    Xor,
}

/// The operation of a reduction or a scan, and whether it is one of floating-point numbers.
fn reduction(op: Op) -> Option<(Combine, bool)> {
    Some(match op {
        Op::GroupIAdd | Op::GroupNonUniformIAdd => (Combine::Add, false),
        Op::GroupFAdd | Op::GroupNonUniformFAdd => (Combine::Add, true),
        Op::GroupIMulKHR | Op::GroupNonUniformIMul => (Combine::Mul, false),
        Op::GroupFMulKHR | Op::GroupNonUniformFMul => (Combine::Mul, true),
        Op::GroupSMin | Op::GroupNonUniformSMin => (Combine::SMin, false),
        Op::GroupSMax | Op::GroupNonUniformSMax => (Combine::SMax, false),
        Op::GroupUMin | Op::GroupNonUniformUMin => (Combine::UMin, false),
        Op::GroupUMax | Op::GroupNonUniformUMax => (Combine::UMax, false),
        Op::GroupFMin | Op::GroupNonUniformFMin => (Combine::SMin, true),
        Op::GroupFMax | Op::GroupNonUniformFMax => (Combine::SMax, true),
        Op::GroupBitwiseAndKHR
        | Op::GroupLogicalAndKHR
        | Op::GroupNonUniformBitwiseAnd
        | Op::GroupNonUniformLogicalAnd => (Combine::And, false),
        Op::GroupBitwiseOrKHR | Op::GroupLogicalOrKHR | Op::GroupNonUniformBitwiseOr | Op::GroupNonUniformLogicalOr => {
            (Combine::Or, false)
        }
        Op::GroupBitwiseXorKHR
        | Op::GroupLogicalXorKHR
        | Op::GroupNonUniformBitwiseXor
        | Op::GroupNonUniformLogicalXor => (Combine::Xor, false),
        _ => return None,
    })
}

/// What changes nothing.
fn identity(combine: Combine, is_float: bool, width: u32) -> u64 {
    match (combine, is_float) {
        (Combine::Mul, true) => float::from_f64(1.0, width),
        (Combine::SMin, true) => float::infinity(width),
        (Combine::SMax, true) => float::infinity(width) | 1 << (width - 1),
        (Combine::Mul, false) => 1,
        (Combine::UMin | Combine::And, _) => mask(width),
        (Combine::SMin, false) => mask(width) >> 1,
        (Combine::SMax, false) => mask(width) ^ mask(width) >> 1,
        _ => 0,
    }
}

fn combine_scalars(combine: Combine, is_float: bool, width: u32, a: Scalar, b: Scalar) -> Scalar {
    if_defined(&[a, b], width, || {
        let (x, y) = (a.bits, b.bits);
        if is_float {
            let (p, q) = (float::to_f64(x, width), float::to_f64(y, width));
            return match combine {
                Combine::Add => float::add(x, y, width),
                Combine::Mul => float::mul(x, y, width),
                // The number, if the other is none.
                Combine::SMin if p <= q || q.is_nan() => x,
                Combine::SMax if p >= q || q.is_nan() => x,
                _ => y,
            };
        }
        let (i, j) = (signed(x, width), signed(y, width));
        match combine {
            Combine::Add => x.wrapping_add(y) & mask(width),
            Combine::Mul => x.wrapping_mul(y) & mask(width),
            Combine::SMin => i.min(j) as u64 & mask(width),
            Combine::SMax => i.max(j) as u64 & mask(width),
            Combine::UMin => x.min(y),
            Combine::UMax => x.max(y),
            Combine::And => x & y,
            Combine::Or => x | y,
            Combine::Xor => x ^ y,
        }
    })
}

fn reduce(
    machine: &mut Machine<'_>,
    items: &[&mut Item],
    all: &Together<'_>,
    combine: Combine,
    is_float: bool,
) -> Result<Vec<Option<Value>>> {
    let (module, inst) = (machine.module, all.inst);
    let width = module.types.width(inst.ty)?;
    if is_float {
        float_width(&module.types, inst.ty)?;
        if matches!(combine, Combine::Add | Combine::Mul) {
            machine.report.inexact.insert((format!("Op{:?}", inst.op), width));
        }
    }
    let join = |a: &Value, b: &Value| map2(a, b, |a, b| Ok(combine_scalars(combine, is_float, width, a, b)));
    let neutral = || {
        let one = Scalar::new(identity(combine, is_float, width));
        Ok(match module.types.get(inst.ty)? {
            Type::Vector(_, count) => (0..*count).map(|_| one.into()).collect(),
            _ => one.into(),
        })
    };
    let operation = module.operand(inst, 1)?;
    let sum = |indices: &mut dyn Iterator<Item = usize>| -> Result<Value> {
        let Some(first) = indices.next() else {
            return neutral();
        };
        let mut sum = all.values[first].clone();
        for index in indices {
            sum = join(&sum, &all.values[index])?;
        }
        Ok(sum)
    };
    let count = all.values.len();
    match operation {
        0 => {
            let value = sum(&mut (0..count))?;
            Ok(vec![Some(value); count])
        }
        1 | 2 => {
            let mut results = Vec::new();
            let mut before: Option<Value> = None;
            for value in &all.values {
                let with = match &before {
                    Some(before) => join(before, value)?,
                    None => value.clone(),
                };
                let exclusive = before.replace(with.clone());
                results.push(Some(if operation == 1 {
                    with
                } else {
                    exclusive.map_or_else(neutral, Ok)?
                }));
            }
            Ok(results)
        }
        3 => {
            let size = items[0].decisive(module, inst, 3, "the size of clusters")?;
            if !size.is_power_of_two() || size > all.size.max(all.lanes).into() {
                return malformed(format!("clusters of {size}"));
            }
            let cluster = |id: u32| u64::from(id) / size;
            let of = |own: u32| (0..count).filter(move |&i| cluster(all.ids[i]) == cluster(own));
            all.ids.iter().map(|&id| sum(&mut of(id)).map(Some)).collect()
        }
        other => unsupported(format!("the group operation {other}")),
    }
}

/// Consecutive elements of memory, one for each lane, again for each component.
fn block(machine: &mut Machine<'_>, items: &[&mut Item], inst: &Inst) -> Result<Vec<Option<Value>>> {
    let module = machine.module;
    let is_read = inst.op == Op::SubgroupBlockReadINTEL;
    let ty = if is_read {
        inst.ty
    } else {
        module.type_of(module.operand(inst, 1)?)?
    };
    let element = match module.types.get(ty)? {
        Type::Vector(element, _) => *element,
        _ => ty,
    };
    let (count, size) = (module.types.components(ty)?, module.types.layout(element)?.size);
    let mut results = Vec::new();
    for item in items {
        let address = Scalar::new(item.decisive(module, inst, 0, "the address")?);
        let at = |i: u32| {
            let index = u64::from(item.lane) + u64::from(i) * u64::from(machine.shape.sub_group);
            Scalar::new(address.bits.wrapping_add(index * size))
        };
        let places: Vec<Scalar> = (0..count).map(at).collect();
        if is_read {
            let parts = places
                .iter()
                .map(|&place| machine.load(item, place, element, None, false));
            let parts = parts.collect::<Result<Vec<_>>>()?;
            results.push(Some(match parts.as_slice() {
                [single] => single.clone(),
                _ => parts.into_iter().collect(),
            }));
        } else {
            let parts = item.operand(module, inst, 1)?.scalars()?;
            for (place, part) in places.into_iter().zip(parts) {
                machine.store(item, place, element, &part.into(), None, false)?;
            }
            results.push(None);
        }
    }
    Ok(results)
}

/// Copies at once; whoever reads before the event is waited for has a race that is not seen here.
fn copy(machine: &mut Machine<'_>, items: &[&mut Item], inst: &Inst) -> Result<()> {
    let (module, item) = (machine.module, &items[0]);
    let number = |index: usize, what: &str| item.decisive(module, inst, index, what);
    let (to, from) = (number(1, "the destination")?, number(2, "the source")?);
    let (count, stride) = (number(3, "the number of elements")?, number(4, "the stride")?);
    let ty = module.types.pointee(module.type_of(module.operand(inst, 1)?)?)?;
    let size = module.types.layout(ty)?.size;
    let Type::Pointer { class, .. } = module.types.get(module.type_of(module.operand(inst, 1)?)?)? else {
        return malformed("a copy to what is no pointer");
    };
    let gathers = *class == StorageClass::Workgroup;
    for i in 0..count {
        let far = i.wrapping_mul(stride).wrapping_mul(size);
        let near = i.wrapping_mul(size);
        let (target, source) = if gathers { (near, far) } else { (far, near) };
        let bytes = {
            let (allocation, at) = machine.memory.locate(from.wrapping_add(source), size, false)?;
            let range = at..at + size as usize;
            (
                allocation.bytes[range.clone()].to_vec(),
                allocation.undef[range].to_vec(),
            )
        };
        let (allocation, at) = machine.memory.locate(to.wrapping_add(target), size, true)?;
        let range = at..at + size as usize;
        allocation.bytes[range.clone()].copy_from_slice(&bytes.0);
        allocation.undef[range].copy_from_slice(&bytes.1);
    }
    Ok(())
}
