// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Groups of one column, such as 1 x 96: neighbours in dimension 0 run as one group, which has a column for each.
//!
//! The items of a column are in different rows of the range, so a vector of them accesses a cache line for each. Beside an item is the
//! same one of the next group. So what asks for the place of an item in its group, or for that of its group, gets it from the
//! place in all columns.

use llvm_sys::LLVMOpcode as L;

use crate::intrinsics::{GroupCollective, WorkItemIntrinsic};
use crate::llvm::{Builder, Function, Module, Value};

/// How many groups of one column code runs as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Columns {
    /// A group is what it is for the kernel.
    No,
    /// Any number.
    Any,
    /// So many.
    Some(u32),
}

impl Columns {
    const ANY: u64 = 0xffff;

    /// In one number of 16 bits.
    pub fn packed(self) -> u64 {
        match self {
            Self::No => 0,
            Self::Any => Self::ANY,
            Self::Some(count) => count.into(),
        }
    }

    /// What was [packed](Self::packed).
    pub fn unpacked(packed: u64) -> Self {
        match packed {
            0 => Self::No,
            Self::ANY => Self::Any,
            count => Self::Some(count as u32),
        }
    }
}

/// Whether groups of a lowered kernel can be columns: what it asks for is known, and groups cannot wait for each other, which
/// those side by side could not. With `waits`, its items may meet, and have local memory.
pub fn are_possible(module: &Module<'_>, waits: bool) -> bool {
    let is_used = |function: &Function<'_>| !Value::from(*function).users().is_empty();
    let is_known = |function: Function<'_>| {
        let name = function.name();
        let calls = || Value::from(function).users().into_iter();
        match WorkItemIntrinsic::from_name(&name) {
            Some(WorkItemIntrinsic::Lane | WorkItemIntrinsic::SubGroup) => false,
            Some(WorkItemIntrinsic::LocalMemory) => waits,
            Some(intrinsic) => {
                !intrinsic.has_dimension() || calls().all(|call| call.operand(1).as_const_int().is_some())
            }
            None if GroupCollective::from_name(&name) == Some(GroupCollective::Barrier) => waits,
            None => !name.starts_with("oxur"),
        }
    };
    let functions = module.functions();
    let declared = functions.iter().filter(|function| function.is_declaration());
    let all_known = declared.copied().filter(is_used).all(is_known);
    let is_simple = |inst: Value<'_>| match inst.opcode() {
        Some(L::LLVMAtomicRMW | L::LLVMAtomicCmpXchg) => false,
        Some(L::LLVMLoad | L::LLVMStore) => !inst.is_atomic() && !inst.is_volatile(),
        Some(L::LLVMCall) => inst.callee().is_some(),
        _ => true,
    };
    let blocks = functions.iter().flat_map(|function| function.blocks());
    all_known && blocks.flat_map(|block| block.instructions()).all(is_simple)
}

/// Makes columns of the groups of a kernel, for which that is [possible](are_possible). The local id of dimension 0 is the number of the
/// column then, and the id of the group that of the first one.
pub fn join(module: &Module<'_>) {
    let wide = module.context().int(64);
    let b = Builder::new(module.context());
    let of = |intrinsic: WorkItemIntrinsic, item, dimension: u64| {
        let dimension = module.context().int(32).int(dimension);
        b.call(intrinsic.declare(module), &[item, dimension])
    };
    // Local ids first: the others are made of them.
    for intrinsic in [
        WorkItemIntrinsic::LocalId,
        WorkItemIntrinsic::LocalSize,
        WorkItemIntrinsic::GroupId,
        WorkItemIntrinsic::LocalLinearId,
        WorkItemIntrinsic::GroupSize,
    ] {
        let calls = module.function(intrinsic.name()).map(|f| Value::from(f).users());
        for call in calls.into_iter().flatten() {
            if intrinsic.has_dimension() && call.operand(1).as_const_int() != Some(0) {
                continue;
            }
            b.go_before(call);
            let item = call.operand(0);
            let rows = || of(WorkItemIntrinsic::LocalSize, item, 1);
            let own = match intrinsic {
                WorkItemIntrinsic::LocalId => wide.zero(),
                WorkItemIntrinsic::LocalSize => wide.int(1),
                WorkItemIntrinsic::GroupId => b.add(of(intrinsic, item, 0), of(WorkItemIntrinsic::LocalId, item, 0)),
                WorkItemIntrinsic::LocalLinearId => {
                    let [y, z] = [1, 2].map(|d| of(WorkItemIntrinsic::LocalId, item, d));
                    b.add(b.mul(z, rows()), y)
                }
                _ => b.mul(rows(), of(WorkItemIntrinsic::LocalSize, item, 2)),
            };
            call.replace_with(own);
            call.erase();
        }
    }
}
