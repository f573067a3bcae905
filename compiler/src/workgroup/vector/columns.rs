// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Local memory of groups that are [columns](crate::workgroup::columns) of one: what an item accesses lies beside what the same item of
//! the next group does.

use llvm_sys::LLVMOpcode as L;

use super::cfg::Cfg;
use super::divergence::{Ids, VectorShape, VectorShapes};
use super::memory::{accessed, is_local};
use crate::intrinsics::WorkItemIntrinsic;
use crate::llvm::{Builder, Function, Module, Value};

/// Whether items of the same row access memory side by side, or all at one place. Otherwise those of a column might. Local memory is not
/// looked at.
pub fn are_side_by_side<'c>(module: &Module<'c>, kernel: Function<'c>, count: u32) -> Result<bool, String> {
    let cfg = Cfg::new(kernel)?;
    let shapes = VectorShapes::new(module, &cfg, count, Ids::hoped(false));
    let is_private = |address| shapes.private.element_size(address).is_some();
    let accesses = cfg
        .blocks
        .iter()
        .flat_map(|block| block.instructions())
        .filter_map(accessed);
    let accesses = accesses.filter(|(address, _)| !is_local(*address) && !is_private(*address));
    let mut are_some = false;
    for (address, ty) in accesses {
        match shapes.of(address) {
            VectorShape::Uniform => {}
            VectorShape::Affine { stride, .. } if stride == module.size_of(ty) as i64 => are_some = true,
            _ => return Ok(false),
        }
    }
    Ok(are_some)
}

/// An address in local memory: a sum of bytes, and of numbers times bytes.
#[derive(Clone, Default)]
struct Place<'c> {
    bytes: i64,
    parts: Vec<(Value<'c>, i64)>,
}

impl<'c> Place<'c> {
    /// The place that a `getelementptr` makes of this one.
    fn after(&self, module: &Module<'c>, address: Value<'c>) -> Option<Self> {
        let &[_, index] = address.operands().as_slice() else {
            return None;
        };
        let size = module.size_of(address.source_element_type()) as i64;
        let mut place = self.clone();
        match index.as_const_signed() {
            Some(index) => place.bytes = place.bytes.checked_add(index.checked_mul(size)?)?,
            None if index.ty().bits() == 64 && index.ty().is_int() => place.parts.push((index, size)),
            None => return None,
        }
        Some(place)
    }
}

/// Gives each of `count` groups local memory of its own, if all of it is accessed as elements of one size: every address is `count` times as
/// far from the beginning, and the groups' elements are in between. Returns whether it did.
pub fn interleave<'c>(module: &Module<'c>, kernel: Function<'c>, count: u32) -> bool {
    let Some(function) = module.function(WorkItemIntrinsic::LocalMemory.name()) else {
        return true;
    };
    let mut accesses = Vec::new();
    for base in Value::from(function).users() {
        if find(module, base, &Place::default(), &mut |access, place| {
            accesses.push((access, base, place.clone()));
        })
        .is_none()
        {
            return false;
        }
    }
    let size_of = |access: Value<'c>| accessed(access).map_or(0, |(_, ty)| module.size_of(ty));
    let Some(&(first, ..)) = accesses.first() else {
        return true;
    };
    let size = size_of(first);
    let is_element = |access: Value<'c>, place: &Place<'c>| {
        size_of(access) == size
            && u64::from(access.get_align()) >= size
            && place.bytes % size as i64 == 0
            && place.bytes.unsigned_abs() < 1 << 31
    };
    if !size.is_power_of_two() || !accesses.iter().all(|(access, _, place)| is_element(*access, place)) {
        return false;
    }
    let (cx, b) = (module.context(), Builder::new(module.context()));
    let (wide, local_id) = (cx.int(64), WorkItemIntrinsic::LocalId.declare(module));
    for (access, base, place) in accesses {
        b.go_before(access);
        let constant = |n: i64| wide.int(n.wrapping_mul(count.into()) as u64);
        let mut start = base;
        let mut index = b.call(local_id, &[kernel.param(0), cx.int(32).zero()]);
        for (part, bytes) in place.parts {
            if bytes % size as i64 == 0 {
                index = b.add(times(&b, part, constant(bytes / size as i64)), index);
            } else {
                start = b.offset(start, b.mul(part, constant(bytes)));
            }
        }
        // Apart from the rest, which may be the number of an item.
        if place.bytes != 0 {
            index = b.add(index, constant(place.bytes / size as i64));
        }
        let address = b.gep(cx.int(8 * size as u32), start, &[index], false);
        let operand = u32::from(access.opcode() == Some(L::LLVMStore));
        access.set_operand(operand, address);
    }
    true
}

/// Calls `note` for all accesses of what is computed from an address, if nothing else is done with it.
fn find<'c>(
    module: &Module<'c>,
    address: Value<'c>,
    place: &Place<'c>,
    note: &mut impl FnMut(Value<'c>, &Place<'c>),
) -> Option<()> {
    for user in address.users() {
        match user.opcode()? {
            L::LLVMGetElementPtr if user.operand(0) == address => {
                find(module, user, &place.after(module, user)?, note)?;
            }
            L::LLVMLoad | L::LLVMStore => {
                let (accessed, ty) = accessed(user)?;
                let is_stored = user.opcode() == Some(L::LLVMStore) && user.operand(0) == address;
                let is_plain = !user.is_volatile() && !user.is_atomic() && ty.lanes().is_none();
                (accessed == address && !is_stored && is_plain).then_some(())?;
                note(user, place);
            }
            _ => return None,
        }
    }
    Some(())
}

/// A number of 64 bits times a constant. Sums are taken apart, so that the number of an item is seen, whatever is added to it.
fn times<'c>(b: &Builder<'c>, number: Value<'c>, by: Value<'c>) -> Value<'c> {
    let is_sum = |value: Value<'c>| value.opcode() == Some(L::LLVMAdd) || value.is_disjoint();
    let is_long = |value: Value<'c>| value.opcode() == Some(L::LLVMZExt) && value.operand(0).is_sum_without_wrap();
    if is_sum(number) {
        let [x, y] = [0, 1].map(|operand| times(b, number.operand(operand), by));
        b.add(x, y)
    } else if is_long(number) {
        let [x, y] = [0, 1].map(|operand| {
            let part = b.zext_or_trunc(number.operand(0).operand(operand), number.ty());
            times(b, part, by)
        });
        b.add(x, y)
    } else {
        b.mul(number, by)
    }
}
