// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Checks of a parsed module that need all of it.
//!
//! These are no complete validation, of which the rest is elsewhere: `lower` checks the types of operands, and LLVM's
//! verifier checks control flow and the shape of phis.

use std::collections::HashMap;

use super::parse::malformed;
use super::{Id, Module, Type};
use crate::Error;

/// The deepest nesting of types, so that recursion over types ends on hostile modules. SPIR-V's limit for structures is
/// 255.
const DEEPEST_TYPE: usize = 255;

/// Checks that types are well-founded, that kernels exist, and that array lengths are constants.
pub(super) fn validate(module: &Module) -> Result<(), Error> {
    let mut depths = HashMap::new();
    for (&id, ty) in &module.types {
        depth(module, id, &mut depths, 0, 0)?;
        if let Type::Array(_, length) = ty {
            let op = module.def(*length).map(|d| d.op);
            let is_constant = op.is_some_and(|op| format!("{op:?}").contains("Constant"));
            if !is_constant {
                return malformed(
                    place(module, id),
                    format!("the length of array type {id} is no constant"),
                );
            }
        }
    }
    for entry in &module.entry_points {
        if !module.function(entry.function).is_some_and(|f| f.defined) {
            return malformed(
                entry.offset * 4,
                format!("the kernel {} has no function with a body", entry.name),
            );
        }
    }
    Ok(())
}

/// The offset of the instruction that defines an id, in bytes.
fn place(module: &Module, id: Id) -> usize {
    module.defs.get(id as usize).map_or(0, |&word| word as usize * 4)
}

/// How deep a type nests, or an error if it is recursive. A pointer does not contain its pointee. `user` is the offset
/// where the type is used.
fn depth(module: &Module, id: Id, known: &mut HashMap<Id, usize>, above: usize, user: usize) -> Result<usize, Error> {
    let at = place(module, id);
    if let Some(&depth) = known.get(&id) {
        return Ok(depth);
    }
    if above > DEEPEST_TYPE {
        return malformed(
            at,
            format!("type {id} nests more than {DEEPEST_TYPE} deep, or contains itself"),
        );
    }
    let Some(ty) = module.types.get(&id) else {
        return malformed(user, format!("{id} is used as a type, but is none"));
    };
    let parts: Vec<Id> = match ty {
        Type::Vector(element, _) => {
            match module.types.get(element) {
                Some(Type::Bool | Type::Int(_) | Type::Float(_) | Type::BFloat16 | Type::Pointer(..)) => {}
                _ => {
                    return malformed(
                        at,
                        format!("type {id} is a vector of what is no number, truth value or pointer"),
                    );
                }
            }
            vec![*element]
        }
        Type::Array(element, _) => vec![*element],
        Type::SampledImage(image) => vec![*image],
        Type::Struct(members) => members.clone(),
        Type::Function(result, params) => std::iter::once(*result).chain(params.iter().copied()).collect(),
        _ => Vec::new(),
    };
    let mut deepest = 0;
    for part in parts {
        if !matches!(ty, Type::Function(..)) && matches!(module.types.get(&part), Some(Type::Void | Type::Function(..)))
        {
            return malformed(at, format!("type {id} has a part that is no value"));
        }
        deepest = deepest.max(depth(module, part, known, above + 1, at)?);
    }
    known.insert(id, deepest + 1);
    Ok(deepest + 1)
}
