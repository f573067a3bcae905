// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Private variables that are laid out element by element, in each the lanes': then an access to one element in all lanes is
//! one access to a vector.
//!
//! A variable can have that layout if all that is done to it are loads and stores of one size, at multiples of it. Others
//! lie lane by lane, as if each item had its own.

use std::collections::HashMap;

use llvm_sys::LLVMOpcode as L;

use super::cfg::Cfg;
use crate::llvm::{Kind, Module, Type, Value};

/// Addresses of variables with that layout, and in them; and the size of the elements in bytes.
pub struct Private<'c>(HashMap<Value<'c>, u64>);

impl<'c> Private<'c> {
    /// Looks for such variables.
    pub fn new(module: &Module<'c>, cfg: &Cfg<'c>) -> Self {
        let mut found = HashMap::new();
        for block in &cfg.blocks {
            for inst in block.instructions() {
                if inst.opcode() == Some(L::LLVMAlloca)
                    && let Some((size, addresses)) = elements(module, inst)
                {
                    found.extend(addresses.into_iter().map(|a| (a, size)));
                }
            }
        }
        Self(found)
    }

    /// The size of the elements, if an address is of or in such a variable.
    pub fn element_size(&self, address: Value<'c>) -> Option<u64> {
        self.0.get(&address).copied()
    }
}

/// The size of the elements of a variable, and all addresses in it; nothing if it cannot have the layout.
fn elements<'c>(module: &Module<'c>, variable: Value<'c>) -> Option<(u64, Vec<Value<'c>>)> {
    let whole = module.size_of(variable.allocated_type());
    let mut size = None;
    let mut steps = vec![whole];
    let mut addresses = vec![variable];
    let mut next = 0;
    while let Some(&address) = addresses.get(next) {
        next += 1;
        for user in address.users() {
            let accessed = match user.opcode()? {
                L::LLVMGetElementPtr
                    if user.operand(0) == address && user.ty().is_ptr() && user.ty().lanes().is_none() =>
                {
                    if user.operands()[1..].contains(&address) {
                        return None;
                    }
                    offsets(module, user).into_iter().for_each(|(_, step)| steps.push(step));
                    if !addresses.contains(&user) {
                        addresses.push(user);
                    }
                    continue;
                }
                L::LLVMLoad => user.ty(),
                L::LLVMStore if user.operand(0) != address => user.operand(0).ty(),
                L::LLVMCall if user.callee().is_some_and(|f| f.name().starts_with("llvm.lifetime")) => continue,
                _ => return None,
            };
            if user.is_volatile()
                || user.is_atomic()
                || !matches!(
                    accessed.kind(),
                    Kind::Int(8 | 16 | 32 | 64) | Kind::Float(_) | Kind::Pointer
                )
            {
                return None;
            }
            let bytes = module.size_of(accessed);
            if *size.get_or_insert(bytes) != bytes {
                return None;
            }
        }
    }
    let size = size?;
    // Of one element, both layouts are the same.
    (whole > size && steps.iter().all(|step| step.is_multiple_of(size))).then_some((size, addresses))
}

/// What is added to the base of a `getelementptr`: each index, as often as its step says in bytes. A constant stands with its
/// whole offset as the step.
pub fn offsets<'c>(module: &Module<'c>, inst: Value<'c>) -> Vec<(Option<Value<'c>>, u64)> {
    let mut all = Vec::new();
    let mut ty: Type<'c> = inst.source_element_type();
    for (i, &index) in inst.operands()[1..].iter().enumerate() {
        if i > 0 {
            if ty.kind() == Kind::Struct {
                let member = index.as_const_int().unwrap_or(0) as u32;
                all.push((None, module.offset_of(ty, member)));
                ty = ty.members()[member as usize];
                continue;
            }
            ty = ty.scalar();
        }
        let step = module.size_of(ty);
        match index.as_const_int() {
            Some(value) => {
                let bits = index.ty().bits().min(64);
                let value = (value << (64 - bits)) as i64 >> (64 - bits);
                all.push((None, (value as u64).wrapping_mul(step)));
            }
            None => all.push((Some(index), step)),
        }
    }
    all
}
