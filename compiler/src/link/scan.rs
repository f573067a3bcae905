// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What `link` must know of a function before anything is lowered: unsupported instructions, barriers, collectives. Each
//! function is scanned once, for all kernels that reach it.

use std::collections::HashMap;

use spirv::Op;

use super::{Linked, Place};
use crate::Error;
use crate::group_ops::{is_collective, is_group_op, is_of_work_group, scope};
use crate::spirv::is_of_row;

/// The most lookups for all kernels: with many kernels that share many functions, the number is their product.
const MOST_VISITS: usize = 1 << 24;

/// The functions that were scanned.
#[derive(Default)]
pub(super) struct Scans {
    known: HashMap<Place, Scan>,
    visits: usize,
}

/// The facts about a function.
#[derive(Clone, Copy, Default)]
pub(super) struct Scan {
    /// The offset of the first unsupported instruction, in words.
    pub(super) unsupported: Option<usize>,
    /// Whether it has barriers or other group operations.
    pub(super) group_ops: bool,
    /// Whether it has barriers of the device.
    pub(super) device_barrier: bool,
    /// Whether it has collectives of a work-group.
    pub(super) collectives: bool,
    /// Whether it has group operations that may be a sub-group's, or may call a function that has some.
    pub(super) sub_group_ops: bool,
    /// Whether it asks for a place of the item or of its group in another dimension than 0.
    pub(super) rows: bool,
}

impl Scans {
    /// The facts about a function.
    pub(super) fn of(&mut self, place: Place, linked: &Linked) -> Result<Scan, Error> {
        self.visits += 1;
        if self.visits > MOST_VISITS {
            return Err(Error::Unsupported {
                feature: "a program of so many kernels that share so many functions".into(),
                what: String::new(),
            });
        }
        Ok(*self.known.entry(place).or_insert_with(|| {
            let (part, id) = place;
            let module = linked.module(part);
            let mut scan = Scan::default();
            let Some(function) = module.function(id) else {
                return scan;
            };
            for inst in module.instructions(function.start, function.end) {
                if !inst.is_known() || inst.is_unsupported() {
                    scan.unsupported.get_or_insert(inst.offset);
                }
                scan.rows |= is_of_row(module, &inst);
                if !is_group_op(&inst) {
                    continue;
                }
                let scope = inst.operands().first().and_then(|&scope| linked.constant(part, scope));
                scan.group_ops = true;
                scan.collectives |= is_collective(&inst) && scope != Some(scope::SUBGROUP);
                scan.sub_group_ops |= !is_of_work_group(&inst, scope);
                scan.device_barrier |= matches!(inst.op, Op::ControlBarrier | Op::ControlBarrierWaitINTEL)
                    && scope.is_some_and(|scope| scope < scope::WORKGROUP);
            }
            scan
        }))
    }
}
