// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Reachability: the functions that a function calls or points to, and the variables that it uses.

use std::collections::HashSet;

use oxur_fork::OnceLock;
use spirv::Op;

use super::{Id, Module};

/// Everything that a function and its callees use in their module.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    /// Functions, also those without a body, in the order of discovery.
    pub functions: Vec<Id>,
    /// Variables outside of functions.
    pub variables: Vec<Id>,
    /// Whether a function is called through a pointer.
    pub indirect_calls: bool,
    seen: HashSet<Id>,
}

impl Reach {
    /// Adds everything that `function` reaches.
    pub fn add(&mut self, module: &Module, function: Id) {
        let mut todo = vec![function];
        while let Some(id) = todo.pop() {
            if !self.seen.insert(id) {
                continue;
            }
            if let Some(&function) = module.function_of.get(&id) {
                self.functions.push(id);
                let uses = module.uses(function);
                self.indirect_calls |= uses.indirect_calls;
                todo.extend(&uses.ids);
            } else if let Some(inst) = module.def(id) {
                if inst.op == Op::Variable {
                    self.variables.push(id);
                }
                // The initial value of a variable, and the constituents of constants.
                let operands = inst
                    .ids()
                    .chain(inst.words.iter().copied().filter(|_| inst.op == Op::SpecConstantOp));
                todo.extend(operands.filter(|&id| matters(module, id)));
            }
        }
    }
}

/// The direct uses of a function, computed once because kernels share functions.
#[derive(Debug, Default)]
pub(super) struct Uses {
    /// The relevant ids, each once.
    ids: Vec<Id>,
    indirect_calls: bool,
}

/// Empty slots for the uses of this many functions.
pub(super) fn places(functions: usize) -> Vec<OnceLock<Uses>> {
    (0..functions).map(|_| OnceLock::new()).collect()
}

impl Module {
    fn uses(&self, function: usize) -> &Uses {
        self.uses[function].get_or_init(|| {
            let mut uses = Uses::default();
            let mut seen = HashSet::new();
            let source = &self.functions[function];
            for inst in self.instructions(source.start, source.end) {
                uses.indirect_calls |= inst.op == Op::FunctionPointerCallINTEL;
                uses.ids
                    .extend(inst.ids().filter(|&id| matters(self, id) && seen.insert(id)));
            }
            uses
        })
    }
}

/// Whether an id is a function, a variable, or a constant that may contain the address of one.
fn matters(module: &Module, id: Id) -> bool {
    module.def(id).is_some_and(|inst| {
        matches!(
            inst.op,
            Op::Function
                | Op::ConstantFunctionPointerINTEL
                | Op::ConstantComposite
                | Op::SpecConstantComposite
                | Op::SpecConstantOp
        ) || inst.op == Op::Variable && module.is_global(inst.offset)
    })
}
