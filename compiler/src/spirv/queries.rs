// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Questions about a module that several stages ask.

use spirv::{BuiltIn, Decoration, FunctionParameterAttribute, Op, StorageClass};

use super::{Id, Inst, Module};

/// Whether a parameter is passed by value, as a pointer to a copy.
pub fn is_by_value(module: &Module, id: Id) -> bool {
    module.decorations(id).iter().any(|d| {
        d.decoration == Decoration::FuncParamAttr
            && d.operands.first() == Some(&(FunctionParameterAttribute::ByVal as u32))
    })
}

/// The built-in value that a variable holds.
pub fn built_in(module: &Module, id: Id) -> Option<BuiltIn> {
    module
        .decoration(id, Decoration::BuiltIn)
        .and_then(|o| BuiltIn::from_u32(*o.first()?))
}

/// Whether a variable tells something of sub-groups.
pub fn is_of_sub_groups(module: &Module, id: Id) -> bool {
    use BuiltIn::{
        NumEnqueuedSubgroups, NumSubgroups, SubgroupId, SubgroupLocalInvocationId, SubgroupMaxSize, SubgroupSize,
    };
    use BuiltIn::{SubgroupEqMask, SubgroupGeMask, SubgroupGtMask, SubgroupLeMask, SubgroupLtMask};
    let numbers = [
        NumEnqueuedSubgroups,
        NumSubgroups,
        SubgroupId,
        SubgroupLocalInvocationId,
        SubgroupMaxSize,
        SubgroupSize,
    ];
    let masks = [
        SubgroupEqMask,
        SubgroupGeMask,
        SubgroupGtMask,
        SubgroupLeMask,
        SubgroupLtMask,
    ];
    built_in(module, id).is_some_and(|what| numbers.contains(&what) || masks.contains(&what))
}

/// Whether an instruction takes another element than the first out of an item's or a group's place in the range.
pub fn is_of_row(module: &Module, inst: &Inst<'_>) -> bool {
    let &[place, element, ..] = inst.operands() else {
        return false;
    };
    if inst.op != Op::CompositeExtract || element == 0 {
        return false;
    }
    let variable = module
        .def(place)
        .filter(|load| load.op == Op::Load)
        .and_then(|load| load.operand(0).ok());
    let what = variable.and_then(|variable| built_in(module, variable));
    matches!(
        what,
        Some(BuiltIn::GlobalInvocationId | BuiltIn::LocalInvocationId | BuiltIn::WorkgroupId)
    )
}

/// The storage class of a variable.
pub fn storage_class(module: &Module, id: Id) -> Option<StorageClass> {
    module
        .def(id)
        .filter(|i| i.op == Op::Variable)
        .and_then(|i| StorageClass::from_u32(i.operand(0).ok()?))
}
