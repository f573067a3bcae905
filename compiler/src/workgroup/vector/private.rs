// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Interleaved private variables: element by element, with all lanes of an element together. An access to one element
//! in all lanes is then an access to a consecutive vector.
//!
//! A variable can be interleaved if it is only accessed by loads and stores of one size, at multiples of it. Other
//! variables are laid out lane by lane.

use llvm_sys::LLVMOpcode as L;
use rustc_hash::FxHashMap;

use super::cfg::Cfg;
use crate::llvm::{Builder, Function, Kind, Module, Type, Value};

/// The addresses of and in interleaved variables, with the size of the elements in bytes.
pub struct Private<'c>(FxHashMap<Value<'c>, u64>);

impl<'c> Private<'c> {
    /// Finds the interleaved variables.
    pub fn new(module: &Module<'c>, cfg: &Cfg<'c>) -> Self {
        let mut found = FxHashMap::default();
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

    /// The size of the elements, if an address is of or in an interleaved variable.
    pub fn element_size(&self, address: Value<'c>) -> Option<u64> {
        self.0.get(&address).copied()
    }
}

/// The uses of a variable.
struct Uses<'c> {
    /// The size of all loads and stores, if there are any.
    size: Option<u64>,
    /// All addresses derived from it.
    addresses: Vec<Value<'c>>,
    /// The common divisor of all addresses: the access size, and the strides of indices.
    steps: Vec<u64>,
    /// Calls that copy to it or from it, or fill it.
    copies: Vec<Value<'c>>,
}

/// The element size of a variable and all addresses derived from it; `None` if it cannot be interleaved.
fn elements<'c>(module: &Module<'c>, variable: Value<'c>) -> Option<(u64, Vec<Value<'c>>)> {
    let uses = uses(module, variable)?;
    let size = uses.size?;
    // With one element, both layouts are the same.
    let whole = uses.steps[0];
    let fits = whole > size && uses.copies.is_empty() && uses.steps.iter().all(|step| step.is_multiple_of(size));
    fits.then_some((size, uses.addresses))
}

/// The uses of a variable, if they are only loads and stores of one size, and copies of known length.
fn uses<'c>(module: &Module<'c>, variable: Value<'c>) -> Option<Uses<'c>> {
    let whole = module.size_of(variable.allocated_type());
    let mut size = None;
    let mut steps = vec![whole];
    let mut addresses = vec![variable];
    let mut copies = Vec::new();
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
                L::LLVMCall if copied(user).is_some() => {
                    copies.push(user);
                    continue;
                }
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
    Some(Uses {
        size,
        addresses,
        steps,
        copies,
    })
}

/// The length of a copy or fill, if a call is one and it is short.
fn copied(call: Value<'_>) -> Option<u64> {
    let name = call.callee()?.name();
    let is_copy = ["llvm.memcpy.", "llvm.memmove.", "llvm.memset."]
        .iter()
        .any(|prefix| name.starts_with(prefix));
    if !is_copy || call.operand(3).as_const_int() != Some(0) {
        return None;
    }
    call.operand(2).as_const_int().filter(|&bytes| bytes <= 1024)
}

/// Splits copies and fills of private variables into loads and stores of elements, so that these variables can be
/// interleaved. Returns whether there were any.
pub fn split_copies<'c>(module: &Module<'c>, function: Function<'c>) -> bool {
    let variables: Vec<(Value<'c>, Option<Uses<'c>>)> = function
        .blocks()
        .into_iter()
        .flat_map(|b| b.instructions())
        .filter(|i| i.opcode() == Some(L::LLVMAlloca))
        .map(|variable| (variable, uses(module, variable)))
        .collect();
    // Variables that are copied to each other have the same element size.
    let mut sets: Vec<usize> = (0..variables.len()).collect();
    let owner = |address: Value<'c>| {
        variables
            .iter()
            .position(|(v, uses)| *v == address || uses.as_ref().is_some_and(|u| u.addresses.contains(&address)))
    };
    for (i, (_, uses)) in variables.iter().enumerate() {
        for copy in uses.iter().flat_map(|u| &u.copies) {
            for other in [copy.operand(0), copy.operand(1)].into_iter().filter_map(owner) {
                let (from, to) = (sets[other], sets[i]);
                sets.iter_mut().filter(|set| **set == from).for_each(|set| *set = to);
            }
        }
    }
    let mut done: Vec<Value<'c>> = Vec::new();
    for (i, (_, uses)) in variables.iter().enumerate() {
        let Some(uses) = uses else { continue };
        let mut members = variables.iter().zip(&sets).filter(|m| *m.1 == sets[i]).map(|m| &m.0.1);
        let Some(all) = members.try_fold(Vec::new(), |mut all, uses| {
            all.push(uses.as_ref()?);
            Some(all)
        }) else {
            continue;
        };
        let mut sizes: Vec<u64> = all.iter().filter_map(|u| u.size).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let &[size] = sizes.as_slice() else { continue };
        let fits = |copy: &Value<'c>| copied(*copy).is_some_and(|n| n.is_multiple_of(size) && n / size <= 64);
        let is_right = all
            .iter()
            .all(|u| u.steps.iter().all(|s| s.is_multiple_of(size)) && u.copies.iter().all(fits));
        if !matches!(size, 1 | 2 | 4 | 8) || !is_right {
            continue;
        }
        for &copy in &uses.copies {
            if !done.contains(&copy) {
                split(module, copy, size);
                done.push(copy);
            }
        }
    }
    for copy in &done {
        copy.erase();
    }
    !done.is_empty()
}

/// Splits a call into loads and stores of elements.
fn split<'c>(module: &Module<'c>, copy: Value<'c>, size: u64) {
    let cx = module.context();
    let b = Builder::new(cx);
    b.go_before(copy);
    let element = cx.int(8 * size as u32);
    let count = copied(copy).unwrap_or(0) / size;
    let (to, from) = (copy.operand(0), copy.operand(1));
    let at = |base, i: u64| b.offset(base, cx.int(64).int(i * size));
    let values: Vec<_> = if from.ty().is_ptr() {
        // All are read before any is written.
        (0..count).map(|i| b.load(element, at(from, i)).align(1)).collect()
    } else {
        let ones = element.int(0x0101_0101_0101_0101 >> (64 - 8 * size));
        let value = b.mul(b.zext_or_trunc(from, element), ones);
        vec![value; count as usize]
    };
    for (i, value) in values.into_iter().enumerate() {
        b.store(value, at(to, i as u64)).align(1);
    }
}

/// The terms of a `getelementptr`: each index with its stride in bytes. A constant has its whole offset as the stride.
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
        match index.as_const_signed() {
            Some(value) => all.push((None, (value as u64).wrapping_mul(step))),
            None => all.push((Some(index), step)),
        }
    }
    all
}
