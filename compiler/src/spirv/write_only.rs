// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Pointers that a function only stores through.

use std::collections::HashMap;

use spirv::{LinkageType, Op, StorageClass};

use super::{Function, Id, Inst, Module, Type};

/// How many calls deep pointers are followed.
const DEPTH: u32 = 64;

/// Which parameters of a kernel are pointers to global memory that it stores through, and does nothing else with: a bit for each of the
/// first 64. What such a pointer is can be seen from where the stores go, and from nothing else.
pub fn write_only_params(module: &Module, kernel: &Function) -> u64 {
    let known = HashMap::new();
    Search { module, known }.params_of(kernel, &[StorageClass::CrossWorkgroup], DEPTH)
}

struct Search<'m> {
    module: &'m Module,
    /// What is known of functions. Of those that are being looked at, it is that they have no such parameters.
    known: HashMap<Id, u64>,
}

impl Search<'_> {
    fn callee(&mut self, id: Id, depth: u32) -> u64 {
        if let Some(&known) = self.known.get(&id) {
            return known;
        }
        let function = self.module.function(id).filter(|function| function.defined);
        // The linker may take another module's body in place of such a function's.
        let linkage = self.module.linkage(id).map(|(_, linkage)| linkage);
        let is_replaceable = linkage == Some(LinkageType::LinkOnceODR);
        let Some(function) = function.filter(|_| !is_replaceable && depth > 0) else {
            return 0;
        };
        self.known.insert(id, 0);
        let classes = [StorageClass::CrossWorkgroup, StorageClass::Generic];
        let params = self.params_of(function, &classes, depth - 1);
        self.known.insert(id, params);
        params
    }

    /// Those of a function whose pointers are of these classes.
    fn params_of(&mut self, function: &Function, classes: &[StorageClass], depth: u32) -> u64 {
        let module = self.module;
        let is_of_class = |id: Id| {
            let ty = module.value_type(id).and_then(|ty| module.ty(ty));
            matches!(ty, Some(Type::Pointer(class, _)) if classes.contains(class))
        };
        // The parameter that an address is made of.
        let mut params: HashMap<Id, u64> = (function.params.iter().take(64).enumerate())
            .filter(|&(_, &id)| is_of_class(id))
            .map(|(index, &id)| (id, 1 << index))
            .collect();
        let of = |params: &HashMap<Id, u64>, id: Option<&Id>| id.and_then(|id| params.get(id)).copied().unwrap_or(0);
        let instructions = || module.instructions(function.start, function.end);
        for inst in instructions().filter(is_address) {
            if let (Some(result), param @ 1..) = (inst.result(), of(&params, inst.operands().first())) {
                params.insert(result, param);
            }
        }
        let (mut stored, mut other) = (0, 0);
        for inst in instructions() {
            let operands = inst.operands();
            match inst.op {
                Op::FunctionParameter => {}
                Op::Store => {
                    stored |= of(&params, operands.first());
                    other |= of(&params, operands.get(1));
                }
                Op::FunctionCall => {
                    for (index, arg) in operands.iter().skip(1).enumerate() {
                        match of(&params, Some(arg)) {
                            0 => {}
                            param if index < 64 && self.callee(operands[0], depth) >> index & 1 != 0 => stored |= param,
                            param => other |= param,
                        }
                    }
                }
                _ if is_address(&inst) => {
                    let base = of(&params, operands.first());
                    // A block that is before the one with the base, where it was not found above.
                    if inst.result().is_some_and(|result| !params.contains_key(&result)) {
                        other |= base;
                    }
                    other |= operands.iter().skip(1).fold(0, |all, id| all | of(&params, Some(id)));
                }
                _ if has_literals(inst.op) => other |= inst.ids().fold(0, |all, id| all | of(&params, Some(&id))),
                // Whatever looks like an id.
                _ => other |= operands.iter().fold(0, |all, id| all | of(&params, Some(id))),
            }
        }
        stored & !other
    }
}

/// Whether an instruction makes an address in what its first operand points to.
fn is_address(inst: &Inst<'_>) -> bool {
    matches!(
        inst.op,
        Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::PtrAccessChain
            | Op::InBoundsPtrAccessChain
            | Op::PtrCastToGeneric
            | Op::Bitcast
    )
}

/// Common instructions with literals that may look like ids, of which [`Inst::ids`] knows all pointers.
fn has_literals(op: Op) -> bool {
    matches!(
        op,
        Op::Load
            | Op::ExtInst
            | Op::CompositeExtract
            | Op::CompositeInsert
            | Op::VectorShuffle
            | Op::Switch
            | Op::LoopMerge
            | Op::SelectionMerge
            | Op::BranchConditional
            | Op::LifetimeStart
            | Op::LifetimeStop
            | Op::Variable
            | Op::Function
            | Op::Line
    )
}
