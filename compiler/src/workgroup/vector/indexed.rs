// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Addresses of elements of an array, of whose operands only the index of the element differs between lanes.

use llvm_sys::LLVMOpcode as L;

use super::divergence::VectorShape;
use super::emit::{Emit, Result};
use super::private::offsets;
use crate::llvm::{Builder, Type, Value};

/// A `getelementptr` whose last operand is the index.
pub(super) struct Indexed<'c> {
    pub(super) element: Type<'c>,
    /// Its operands before the index.
    before: Vec<Value<'c>>,
    /// How the index gets to its type, if it is made in a smaller one.
    extension: Extension<'c>,
}

/// An instruction that extends a number, and the type of its result.
pub(super) type Extension<'c> = Option<(L, Type<'c>)>;

/// What a number is made of in a smaller type, if it is, and how.
pub(super) fn unextended(number: Value<'_>) -> (Value<'_>, Extension<'_>) {
    match number.opcode() {
        Some(opcode @ (L::LLVMZExt | L::LLVMSExt)) => (number.operand(0), Some((opcode, number.ty()))),
        _ => (number, None),
    }
}

impl<'c> Indexed<'c> {
    /// The same by an index that is extended.
    pub(super) fn extending(self, extension: Extension<'c>) -> Self {
        Self { extension, ..self }
    }

    /// The address by an index, or those by indices.
    pub(super) fn at(&self, b: &Builder<'c>, index: Value<'c>) -> Value<'c> {
        let index = match (self.extension, index.ty().lanes()) {
            (Some((opcode, ty)), Some(lanes)) => b.cast(opcode, index, ty.vector(lanes)),
            (Some((opcode, ty)), None) => b.cast(opcode, index, ty),
            (None, _) => index,
        };
        let mut operands = self.before.clone();
        operands.push(index);
        b.gep(self.element, operands[0], &operands[1..], false)
    }
}

impl<'c> Emit<'_, 'c> {
    /// The only index of an address that differs between lanes, if it is the last one and counts elements; and the address by other
    /// indices of its type.
    pub(super) fn single_index(&mut self, address: Value<'c>, size: u64) -> Result<Option<(Value<'c>, Indexed<'c>)>> {
        if address.opcode() != Some(L::LLVMGetElementPtr) {
            return Ok(None);
        }
        let operands = address.operands();
        let Some((&index, before)) = operands.split_last() else {
            return Ok(None);
        };
        let counts = offsets(self.module, address).last() == Some(&(Some(index), size));
        let same = |v: &Value<'c>| self.shapes.of(*v) == VectorShape::Uniform;
        if !counts || !before.iter().all(same) || !operands.iter().all(|&v| self.is_available(v)) {
            return Ok(None);
        }
        let mut firsts = Vec::new();
        for &operand in before {
            firsts.push(self.first(operand)?);
        }
        let indexed = Indexed {
            element: address.source_element_type(),
            before: firsts,
            extension: None,
        };
        Ok(Some((index, indexed)))
    }
}
