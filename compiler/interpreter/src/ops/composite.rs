// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Parts of vectors, arrays and structures.

use super::Operands;
use crate::fault::{Result, malformed};
use crate::types::Type;
use crate::value::Value;

pub(super) fn construct(o: &Operands<'_>) -> Result<Value> {
    let parts = o.values(0)?;
    if let Type::Vector(..) = o.module.types.get(o.inst.ty)? {
        // Vectors may be made of shorter ones.
        let mut all = Vec::new();
        for part in parts {
            all.extend(part.scalars()?.into_iter().map(Value::from));
        }
        return Ok(all.into_iter().collect());
    }
    Ok(parts.into_iter().collect())
}

pub(super) fn extract(o: &Operands<'_>) -> Result<Value> {
    let mut value = o.value(0)?;
    for &index in o.words(1) {
        let Some(part) = value.parts()?.get(index as usize).cloned() else {
            return malformed(format!("there is no member {index}"));
        };
        value = part;
    }
    Ok(value)
}

pub(super) fn insert(o: &Operands<'_>) -> Result<Value> {
    replace(&o.value(1)?, o.words(2), o.value(0)?)
}

/// The value with another part; types limit how deep this goes.
fn replace(whole: &Value, indices: &[u32], part: Value) -> Result<Value> {
    let Some((&index, rest)) = indices.split_first() else {
        return Ok(part);
    };
    let mut parts = whole.parts()?.to_vec();
    let Some(place) = parts.get_mut(index as usize) else {
        return malformed(format!("there is no member {index}"));
    };
    *place = replace(place, rest, part)?;
    Ok(parts.into_iter().collect())
}

pub(super) fn extract_dynamic(o: &Operands<'_>) -> Result<Value> {
    let (vector, index) = (o.value(0)?, o.value(1)?.scalar()?);
    let parts = vector.parts()?;
    match parts.get(index.bits as usize) {
        Some(part) if index.is_defined() => Ok(part.clone()),
        // Beyond the vector the result is undefined, not the behaviour.
        _ => o.module.undefined(o.inst.ty),
    }
}

pub(super) fn insert_dynamic(o: &Operands<'_>) -> Result<Value> {
    let (vector, part, index) = (o.value(0)?, o.value(1)?, o.value(2)?.scalar()?);
    let mut parts = vector.parts()?.to_vec();
    match parts.get_mut(index.bits as usize) {
        Some(place) if index.is_defined() => {
            *place = part;
            Ok(parts.into_iter().collect())
        }
        _ => o.module.undefined(o.inst.ty),
    }
}

pub(super) fn shuffle(o: &Operands<'_>) -> Result<Value> {
    let (a, b) = (o.value(0)?, o.value(1)?);
    let all: Vec<&Value> = a.parts()?.iter().chain(b.parts()?.iter()).collect();
    let Type::Vector(element, _) = *o.module.types.get(o.inst.ty)? else {
        return malformed("the result of OpVectorShuffle is no vector");
    };
    o.words(2)
        .iter()
        .map(|&index| match all.get(index as usize) {
            Some(part) => Ok((*part).clone()),
            None if index == u32::MAX => o.module.undefined(element),
            None => malformed(format!("there is no component {index}")),
        })
        .collect()
}
