// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Accesses of the first lanes only, by a constant mask, become plain accesses of shorter vectors.
//!
//! LLVM keeps the mask. A masked load is of the whole vector to the CPU, so it waits until a shorter store before it has reached the cache; a
//! shorter load gets the data from the store.

use crate::llvm::{Builder, Module, Value};

/// Shortens the accesses of a module.
pub fn shorten(module: &Module<'_>) {
    let b = Builder::new(module.context());
    for function in module.functions() {
        let instructions = function.blocks().into_iter().flat_map(|block| block.instructions());
        for inst in instructions.collect::<Vec<_>>() {
            let name = inst.callee().map(|callee| callee.name()).unwrap_or_default();
            if name.starts_with("llvm.masked.load.") {
                shorten_load(&b, inst);
            } else if name.starts_with("llvm.masked.store.") {
                shorten_store(&b, inst);
            }
        }
    }
}

/// The lanes that a constant mask has.
pub struct ActiveLanes {
    /// The first of them, and what is behind the last one; the same if there are none.
    pub first: u32,
    pub end: u32,
    /// Whether there are others between these.
    pub has_holes: bool,
}

impl ActiveLanes {
    /// Those of a mask, if it is constant.
    pub fn of(mask: Value<'_>) -> Option<Self> {
        let is_active = |lane| {
            mask.const_element(lane)
                .and_then(Value::as_const_int)
                .map(|bit| bit != 0)
        };
        let active: Vec<bool> = (0..mask.ty().lanes()?).map(is_active).collect::<Option<_>>()?;
        let first = active.iter().position(|is_active| *is_active).unwrap_or(0);
        let end = active
            .iter()
            .rposition(|is_active| *is_active)
            .map_or(first, |last| last + 1);
        Some(Self {
            first: first as u32,
            end: end as u32,
            has_holes: active[first..end].contains(&false),
        })
    }

    /// How many there are, if these are the first, and a power of two, and fewer than all.
    fn prefix(mask: Value<'_>) -> Option<u32> {
        let Self { first, end, has_holes } = Self::of(mask)?;
        let is_prefix = first == 0 && !has_holes && end.is_power_of_two() && Some(end) < mask.ty().lanes();
        is_prefix.then_some(end)
    }
}

fn shorten_load<'c>(b: &Builder<'c>, load: Value<'c>) {
    let [address, mask, others] = [0, 1, 2].map(|i| load.operand(i));
    let Some(count) = ActiveLanes::prefix(mask) else { return };
    b.go_before(load);
    let ty = load.ty();
    let short = b
        .load(ty.scalar().vector(count), address)
        .align(load.call_argument_align(0));
    let any = short.ty().poison();
    let place = |lane| if lane < count { lane } else { u32::MAX };
    let lanes: Vec<u32> = (0..ty.lanes().unwrap_or(1)).map(place).collect();
    let long = b.shuffle(short, any, &lanes);
    load.replace_with(b.select(mask, long, others));
    load.erase();
}

fn shorten_store<'c>(b: &Builder<'c>, store: Value<'c>) {
    let [value, address, mask] = [0, 1, 2].map(|i| store.operand(i));
    let Some(count) = ActiveLanes::prefix(mask) else { return };
    b.go_before(store);
    let lanes: Vec<u32> = (0..count).collect();
    let short = b.shuffle(value, value.ty().poison(), &lanes);
    b.store(short, address).align(store.call_argument_align(1));
    store.erase();
}
