// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Collectives of items that run one by one: each item passes its operand to the runtime, waits until the others have done so,
//! and computes the result itself.

use llvm_sys::LLVMIntPredicate as I;

use crate::abi::{LANES, layout};
use crate::intrinsics::{CombineValues, GroupCollective, ReduceOp};
use crate::llvm::{Builder, Function, Kind, Module, Type, Value};
use crate::runtime::Combination;

/// How items wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// Each on a stack of its own, in the functions that are defined here.
    OnStacks,
    /// Each has waited when it calls these functions: see [`super::suspension`].
    Before,
}

/// Defines the collectives that the module uses.
pub fn define(module: &Module<'_>, sub_group_size: u32, waiting: Waiting) {
    for function in module.functions() {
        if !function.is_declaration() {
            continue;
        }
        if let Some(exchange) = GroupCollective::from_name(&function.name()) {
            define_one(module, function, exchange, sub_group_size, waiting);
        }
    }
}

/// Has the runtime combine values of sub-groups where it can, once for each sub-group.
pub fn combine_at_run_time(module: &Module<'_>) {
    for function in module.functions() {
        let Some(CombineValues(op)) = CombineValues::from_name(&function.name()) else {
            continue;
        };
        let ty = function.function_type().returns();
        let Some(combination) = Combination::new(GroupCollective::Reduce(op), ty.bits()) else {
            continue;
        };
        let cx = module.context();
        let wide = cx.int(64);
        let new = module
            .add_function("combine_values", function.function_type())
            .internal();
        new.attribute("alwaysinline", 0);
        let b = Builder::at_end(cx, new.append_block("entry"));
        let how = cx.int(32).int(combination.encode().into());
        let met = call(module, &b, "oxur_met", cx.ptr(), &[new.param(0)]);
        let args = [met, new.param(1), new.param(2), how];
        let bits = call(module, &b, "oxur_combine_words", wide, &args);
        b.ret(Some(from_bits(&b, bits, ty)));
        Value::from(function).replace_with(new.into());
        function.delete_with_body();
    }
}

fn define_one<'c>(
    module: &Module<'c>,
    function: Function<'c>,
    exchange: GroupCollective,
    sub_group_size: u32,
    waiting: Waiting,
) {
    let cx = module.context();
    let wide = cx.int(64);
    function.internal();
    let b = Builder::at_end(cx, function.append_block("entry"));
    let (item, site) = (function.param(0), function.param(1));
    let collect = |bits| match waiting {
        Waiting::OnStacks => collect(module, &b, item, site, bits),
        Waiting::Before => call(module, &b, "oxur_met", cx.ptr(), &[item]),
    };
    match exchange {
        GroupCollective::Barrier => {
            call(module, &b, "oxur_barrier", cx.void(), &[item]);
            b.ret(None);
        }
        GroupCollective::SubGroupBarrier => {
            collect(wide.zero());
            b.ret(None);
        }
        GroupCollective::Ballot => {
            let met = collect(b.zext_or_trunc(function.param(2), wide));
            let mask = b.load(wide, b.offset(met, wide.int(layout::MEETING_MASK))).align(8);
            let result = each_lane(module, function, &b, mask, wide.zero(), |b, bits, lane| {
                b.or(bits, b.shl(slot(b, met, wide, lane), lane))
            });
            b.ret(Some(result));
        }
        GroupCollective::Shuffle => {
            let ty = function.function_type().returns();
            let met = collect(to_bits(&b, function.param(2), wide));
            let lane = b.and(b.zext_or_trunc(function.param(3), wide), wide.int(LANES as u64 - 1));
            let bits = slot(&b, met, wide, lane);
            b.ret(Some(b.zext_or_trunc(bits, ty)));
        }
        GroupCollective::Reduce(how) | GroupCollective::InclusiveScan(how) | GroupCollective::ExclusiveScan(how) => {
            let value = function.param(2);
            let ty = value.ty();
            let met = collect(to_bits(&b, value, wide));
            if let Some(combination) = Combination::new(exchange, ty.bits()) {
                let how = cx.int(32).int(combination.encode().into());
                call(module, &b, "oxur_combine", cx.void(), &[met, how]);
                let lane = b.load(wide, b.offset(item, wide.int(layout::ITEM_LANE))).align(8);
                b.ret(Some(from_bits(&b, slot(&b, met, wide, lane), ty)));
                return;
            }
            let all = b.load(wide, b.offset(met, wide.int(layout::MEETING_MASK))).align(8);
            let lane = b.load(wide, b.offset(item, wide.int(layout::ITEM_LANE))).align(8);
            if matches!(how, ReduceOp::FAdd | ReduceOp::FMul) {
                let operands = operands(module, &b, met, all, ty, how, sub_group_size);
                let result = match exchange {
                    GroupCollective::Reduce(_) => reduce_by_halves(module, &b, operands, how),
                    _ => {
                        let is_exclusive = matches!(exchange, GroupCollective::ExclusiveScan(_));
                        scan(module, &b, operands, how, lane, is_exclusive)
                    }
                };
                b.ret(Some(result));
                return;
            }
            let below = b.sub(b.shl(wide.int(1), lane), wide.int(1));
            let mask = match exchange {
                GroupCollective::Reduce(_) => all,
                GroupCollective::InclusiveScan(_) => b.and(all, b.or(below, b.shl(wide.int(1), lane))),
                _ => b.and(all, below),
            };
            let result = each_lane(module, function, &b, mask, how.identity(ty), |b, so_far, lane| {
                how.apply(module, b, so_far, from_bits(b, slot(b, met, wide, lane), ty))
            });
            b.ret(Some(result));
        }
    }
}

/// Passes the operand to the runtime, waits, and returns the address of all operands.
fn collect<'c>(module: &Module<'c>, b: &Builder<'c>, item: Value<'c>, site: Value<'c>, bits: Value<'c>) -> Value<'c> {
    call(module, b, "oxur_collect", module.context().ptr(), &[item, site, bits])
}

/// Calls a function of the runtime.
pub fn call<'c>(module: &Module<'c>, b: &Builder<'c>, name: &str, result: Type<'c>, args: &[Value<'c>]) -> Value<'c> {
    let params: Vec<_> = args.iter().map(|arg| arg.ty()).collect();
    let function = module.declare(name, result.function(&params));
    b.call(function.attribute("nounwind", 0).attribute("convergent", 0), args)
}

/// The bits that an item leaves for the others when it calls a collective of the sub-group.
pub fn operand<'c>(b: &Builder<'c>, collective: GroupCollective, call: Value<'c>, wide: Type<'c>) -> Value<'c> {
    match collective {
        GroupCollective::Barrier | GroupCollective::SubGroupBarrier => wide.zero(),
        _ => to_bits(b, call.operand(2), wide),
    }
}

fn slot<'c>(b: &Builder<'c>, met: Value<'c>, wide: Type<'c>, lane: Value<'c>) -> Value<'c> {
    b.load(
        wide,
        b.gep(wide, b.offset(met, wide.int(layout::MEETING_SLOTS)), &[lane], true),
    )
    .align(8)
}

fn to_bits<'c>(b: &Builder<'c>, value: Value<'c>, wide: Type<'c>) -> Value<'c> {
    let narrow = wide.bits_of_width(value.ty().bits());
    b.zext_or_trunc(
        if value.ty().is_float() {
            b.bitcast(value, narrow)
        } else {
            value
        },
        wide,
    )
}

fn from_bits<'c>(b: &Builder<'c>, bits: Value<'c>, ty: Type<'c>) -> Value<'c> {
    match ty.kind() {
        Kind::Float(n) => {
            let narrow = bits.ty().bits_of_width(n);
            b.bitcast(b.zext_or_trunc(bits, narrow), ty)
        }
        _ => b.zext_or_trunc(bits, ty),
    }
}

/// The operands of all lanes. Inactive lanes have the identity of the operation.
fn operands<'c>(
    module: &Module<'c>,
    b: &Builder<'c>,
    met: Value<'c>,
    mask: Value<'c>,
    ty: Type<'c>,
    how: ReduceOp,
    sub_group_size: u32,
) -> Vec<Value<'c>> {
    let wide = module.context().int(64);
    let operand = |lane: u32| {
        let lane = wide.int(lane.into());
        let bit = b.and(b.lshr(mask, lane), wide.int(1));
        let is_active = b.icmp(I::LLVMIntNE, bit, wide.zero());
        b.select(is_active, from_bits(b, slot(b, met, wide, lane), ty), how.identity(ty))
    };
    (0..sub_group_size).map(operand).collect()
}

/// Combines the upper half of the lanes with the lower half, until one is left: rounds as vector code does.
fn reduce_by_halves<'c>(module: &Module<'c>, b: &Builder<'c>, mut all: Vec<Value<'c>>, how: ReduceOp) -> Value<'c> {
    while all.len() > 1 {
        let high = all.split_off(all.len() / 2);
        all = all
            .into_iter()
            .zip(high)
            .map(|(low, high)| how.apply(module, b, low, high))
            .collect();
    }
    all[0]
}

/// The result of a scan for a lane, in steps of 1, 2, 4, ... lanes, as vector code does it.
fn scan<'c>(
    module: &Module<'c>,
    b: &Builder<'c>,
    mut all: Vec<Value<'c>>,
    how: ReduceOp,
    lane: Value<'c>,
    is_exclusive: bool,
) -> Value<'c> {
    let nothing = how.identity(all[0].ty());
    let mut step = 1;
    while step < all.len() {
        let below = |i: usize| if i < step { nothing } else { all[i - step] };
        all = (0..all.len()).map(|i| how.apply(module, b, below(i), all[i])).collect();
        step *= 2;
    }
    if is_exclusive {
        all.rotate_right(1);
        all[0] = nothing;
    }
    let own = |so_far, (i, value): (usize, &Value<'c>)| {
        let is_own = b.icmp(I::LLVMIntEQ, lane, lane.ty().int(i as u64));
        b.select(is_own, *value, so_far)
    };
    all.iter().enumerate().fold(nothing, own)
}

/// A loop over the lanes of a mask, lowest first.
fn each_lane<'c>(
    module: &Module<'c>,
    function: Function<'c>,
    b: &Builder<'c>,
    mask: Value<'c>,
    start: Value<'c>,
    step: impl Fn(&Builder<'c>, Value<'c>, Value<'c>) -> Value<'c>,
) -> Value<'c> {
    let wide = mask.ty();
    let before = b.block();
    let (head, inside, after) = (
        function.append_block("head"),
        function.append_block("lane"),
        function.append_block("done"),
    );
    b.br(head);
    b.go_to_end(head);
    let rest = b.phi(wide);
    let so_far = b.phi(start.ty());
    b.cond_br(b.icmp(I::LLVMIntNE, rest, wide.zero()), inside, after);
    b.go_to_end(inside);
    let lane = b.intrinsic(module, "llvm.cttz", &[wide], &[rest, module.context().int(1).int(1)]);
    let next = step(b, so_far, lane);
    let fewer = b.and(rest, b.sub(rest, wide.int(1)));
    b.br(head);
    rest.add_incoming(&[(mask, before), (fewer, inside)]);
    so_far.add_incoming(&[(start, before), (next, inside)]);
    b.go_to_end(after);
    so_far
}
