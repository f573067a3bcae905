// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! How large unsigned integers can be, by what they are made of. CPUs without AVX-512 convert integers of 64 bits to floating-point
//! numbers one by one, those of 32 bits all at once; and SYCL's ids have 64 bits, though groups are small.

use llvm_sys::LLVMOpcode as L;

use super::divergence::is_small_id;
use crate::MAX_WORK_GROUP_SIZE;
use crate::intrinsics::{MAX_ID, WorkItemIntrinsic};
use crate::llvm::{Kind, Value};

/// How far back it looks.
const DEPTH: u32 = 8;

/// An upper bound of an unsigned integer, in each item that uses it; `None` if there is none but its type's.
pub fn upper_bound(value: Value<'_>) -> Option<u64> {
    bound(value, DEPTH)
}

fn bound(value: Value<'_>, depth: u32) -> Option<u64> {
    let Kind::Int(bits @ ..=64) = value.ty().kind() else {
        return None;
    };
    if let Some(constant) = value.as_const_int() {
        return Some(constant);
    }
    let of = |index| bound(value.operand(index), depth.checked_sub(1)?);
    let constant = |index| value.operand(index).as_const_int();
    let least = |a: Option<u64>, b: Option<u64>| a.into_iter().chain(b).min();
    let largest = match value.opcode()? {
        L::LLVMZExt => {
            let from = value.operand(0).ty();
            match from.kind() {
                Kind::Int(bits @ 1..64) => least(of(0), Some(u64::MAX >> (64 - bits))),
                _ => None,
            }
        }
        // It may wrap: then there is no bound.
        L::LLVMAdd => of(0)?.checked_add(of(1)?),
        L::LLVMMul => of(0)?.checked_mul(of(1)?),
        L::LLVMShl => of(0)?.checked_mul(1u64.checked_shl(constant(1)?.try_into().ok()?)?),
        L::LLVMLShr => Some(of(0)?.checked_shr(constant(1)?.try_into().ok()?).unwrap_or(0)),
        L::LLVMAnd => least(of(0), of(1)),
        L::LLVMOr | L::LLVMXor => Some(u64::MAX >> (of(0)? | of(1)?).leading_zeros().min(63)),
        L::LLVMUDiv => of(0),
        L::LLVMURem => least(of(0), of(1).map(|divisor| divisor.saturating_sub(1))),
        L::LLVMSelect => Some(of(1)?.max(of(2)?)),
        L::LLVMCall => {
            let name = value.callee()?.name();
            match WorkItemIntrinsic::from_name(&name) {
                Some(WorkItemIntrinsic::LocalId) => Some(MAX_WORK_GROUP_SIZE as u64 - 1),
                _ if is_small_id(value) => Some(MAX_ID),
                _ if name.starts_with("llvm.umin.") => least(of(0), of(1)),
                _ if name.starts_with("llvm.umax.") => Some(of(0)?.max(of(1)?)),
                _ => None,
            }
        }
        _ => None,
    };
    largest.filter(|largest| *largest <= u64::MAX >> (64 - bits))
}
