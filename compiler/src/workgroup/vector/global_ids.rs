// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Global ids that kernels compute themselves, as CUDA's programs do: `group_id * local_size + local_id`.
//!
//! LLVM knows a range for each of the three, but none for the product. A launch of vector code has no id beyond [`MAX_ID`], so the sum does
//! not wrap in 32 bits. With this promise LLVM drops the extensions of an `int` or `uint` index.

use llvm_sys::LLVMOpcode as L;

use crate::intrinsics::{MAX_ID, WorkItemIntrinsic};
use crate::llvm::{Function, Value};

/// Promises that these ids fit 31 bits. `size` is that of groups, if constants may be in its place.
pub fn promise_small(kernel: Function<'_>, size: Option<[u32; 3]>) {
    for sum in kernel.blocks().into_iter().flat_map(|block| block.instructions()) {
        let Some(product) = product_of_id(sum, size) else {
            continue;
        };
        for number in [product, sum] {
            number.promise_no_wrap(true, true);
        }
        if sum.ty().bits() == 64 {
            sum.users().into_iter().for_each(|user| narrow(user, sum));
        }
    }
}

/// The product of group id and local size, if a sum of it and the local id is one of these ids.
fn product_of_id(sum: Value<'_>, size: Option<[u32; 3]>) -> Option<Value<'_>> {
    let [(product, dimension), ..] = in_either_order(sum, L::LLVMAdd)?
        .into_iter()
        .filter_map(|(product, id)| Some((product, dimension_of(id, WorkItemIntrinsic::LocalId)?)))
        .collect::<Vec<_>>()[..]
    else {
        return None;
    };
    let size = size.and_then(|size| size.get(dimension as usize).copied());
    let is_size = |number: Value<'_>| match number.as_const_int() {
        Some(constant) => size.is_some_and(|size| constant == size.into()),
        None => dimension_of(number, WorkItemIntrinsic::LocalSize) == Some(dimension),
    };
    let is_group = |number| dimension_of(number, WorkItemIntrinsic::GroupId) == Some(dimension);
    let mut factors = in_either_order(product, L::LLVMMul)?.into_iter();
    factors
        .any(|(group, size)| is_group(group) && is_size(size))
        .then_some(product)
}

/// The two operands, in both orders.
fn in_either_order(inst: Value<'_>, opcode: L) -> Option<[(Value<'_>, Value<'_>); 2]> {
    let (a, b) = (inst.opcode() == Some(opcode)).then(|| (inst.operand(0), inst.operand(1)))?;
    (inst.ty().lanes().is_none() && inst.ty().bits() >= 32).then_some([(a, b), (b, a)])
}

/// The dimension, if it is what the intrinsic returns, or the low bits of that.
fn dimension_of(number: Value<'_>, intrinsic: WorkItemIntrinsic) -> Option<u64> {
    let number = match number.opcode()? {
        L::LLVMTrunc => number.operand(0),
        _ => number,
    };
    let call = match number.opcode()? {
        L::LLVMExtractElement => inserted(number)?,
        _ => number,
    };
    let is_call = call.callee()?.name() == intrinsic.name();
    is_call.then(|| call.operand(1).as_const_int()).flatten()
}

/// The element that was inserted in the place of one that is extracted. SPIR-V has a vector of the three ids.
fn inserted(extracted: Value<'_>) -> Option<Value<'_>> {
    let place = extracted.operand(1).as_const_int()?;
    let mut vector = extracted.operand(0);
    while vector.opcode()? == L::LLVMInsertElement {
        if vector.operand(2).as_const_int()? == place {
            return Some(vector.operand(1));
        }
        vector = vector.operand(0);
    }
    None
}

/// Promises that an instruction keeps all of an id of 31 bits, if it keeps its low bits.
fn narrow(user: Value<'_>, id: Value<'_>) {
    let constant = || user.operand(1).as_const_int();
    match user.opcode() {
        Some(L::LLVMTrunc) if user.ty().bits() >= 32 => {
            user.promise_no_wrap(true, true);
            // LLVM would make shifts of it that say less.
            let is_extension = |user: &Value<'_>| matches!(user.opcode(), Some(L::LLVMSExt | L::LLVMZExt));
            let extensions = user.users().into_iter().filter(is_extension);
            let of_id = extensions.filter(|extended| extended.ty() == id.ty());
            of_id.for_each(|extended| extended.replace_with(id));
        }
        Some(L::LLVMShl) if user.operand(0) == id && constant().is_some_and(|by| by <= 32) => {
            user.promise_no_wrap(true, true);
        }
        Some(L::LLVMAnd) if constant().is_some_and(|mask| mask & MAX_ID == MAX_ID) => user.replace_with(id),
        _ => {}
    }
}
