// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Pointers that a function only stores through.

use std::collections::HashMap;

use spirv::{Op, StorageClass};

use super::{Function, Id, Inst, Module, Type};

/// How many calls deep pointers are followed.
const DEPTH: u32 = 8;

/// Which parameters of a function are pointers to global memory that it does nothing with but store through them: a bit for
/// each of the first 64. What such a pointer is can be seen from where the stores go, and from nothing else.
pub fn write_only_params(module: &Module, function: &Function) -> u64 {
    let known = HashMap::new();
    Search { module, known }.params_of(function, DEPTH)
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
        let function = self
            .module
            .function(id)
            .filter(|function| function.defined && depth > 0);
        self.known.insert(id, 0);
        let params = function.map_or(0, |function| self.params_of(function, depth - 1));
        self.known.insert(id, params);
        params
    }

    fn params_of(&mut self, function: &Function, depth: u32) -> u64 {
        let module = self.module;
        let is_global = |id: Id| {
            let ty = module.value_type(id).and_then(|ty| module.ty(ty));
            matches!(ty, Some(Type::Pointer(StorageClass::CrossWorkgroup, _)))
        };
        // The parameter that an address is made of.
        let mut params: HashMap<Id, u64> = (function.params.iter().take(64).enumerate())
            .filter(|&(_, &id)| is_global(id))
            .map(|(index, &id)| (id, 1 << index))
            .collect();
        let mut write_only = params.values().fold(0, |all, param| all | param);
        let instructions = || module.instructions(function.start, function.end);
        // Definitions come before their uses but in phis, which are looked at below.
        for inst in instructions().filter(is_address) {
            if let (Some(result), Some(base)) = (inst.result(), inst.operands().first())
                && let Some(&param) = params.get(base)
            {
                params.insert(result, param);
            }
        }
        for inst in instructions() {
            let operands = inst.operands();
            // Literals that look like such an address do no harm.
            let looked_at = match inst.op {
                Op::FunctionParameter => continue,
                Op::FunctionCall => {
                    for (index, arg) in operands.iter().skip(1).enumerate() {
                        let Some(param) = params.get(arg) else { continue };
                        if index >= 64 || self.callee(operands[0], depth) >> index & 1 == 0 {
                            write_only &= !param;
                        }
                    }
                    continue;
                }
                Op::Store => operands.get(1..2),
                _ if is_address(&inst) => operands.get(1..),
                _ => Some(operands),
            };
            for operand in looked_at.unwrap_or_default() {
                write_only &= !params.get(operand).unwrap_or(&0);
            }
        }
        write_only
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
