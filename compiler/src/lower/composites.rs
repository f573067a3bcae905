// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Vectors, arrays and structures: construction, extraction, insertion, shuffles.

use spirv::Op;

use super::FunctionLowering;
use crate::Error;
use crate::llvm::{Kind, Type, Value};
use crate::spirv::Inst;

impl<'c> FunctionLowering<'_, 'c> {
    pub(super) fn composite(&mut self, inst: &Inst<'c>) -> Result<Option<Value<'c>>, Error> {
        let wrong = || inst.malformed("operands do not fit the type");
        Ok(Some(match inst.op {
            Op::CompositeConstruct => {
                let ty = self.ty(inst.result_type().unwrap_or_default())?;
                let parts = self.args(inst)?;
                self.construct(ty, &parts).ok_or_else(wrong)?
            }
            Op::CompositeExtract => {
                let mut value = self.value(inst.operand(0)?)?;
                for &index in &inst.operands()[1..] {
                    value = self.extract(value, index).ok_or_else(wrong)?;
                }
                value
            }
            Op::CompositeInsert => {
                let part = self.value(inst.operand(0)?)?;
                let whole = self.value(inst.operand(1)?)?;
                self.insert(whole, part, &inst.operands()[2..]).ok_or_else(wrong)?
            }
            Op::VectorShuffle => {
                let (x, y) = (self.value(inst.operand(0)?)?, self.value(inst.operand(1)?)?);
                let (Some(n), Some(m)) = (x.ty().lanes(), y.ty().lanes()) else {
                    return Err(wrong());
                };
                if x.ty().scalar() != y.ty().scalar() {
                    return Err(wrong());
                }
                let indices = &inst.operands()[2..];
                if indices.is_empty() || indices.iter().any(|&i| i != u32::MAX && i >= n + m) {
                    return Err(wrong());
                }
                // LLVM requires equal lengths.
                let most = n.max(m);
                let widen = |v: Value<'c>, have: u32| {
                    if have == most {
                        v
                    } else {
                        let all: Vec<u32> = (0..most).map(|i| if i < have { i } else { u32::MAX }).collect();
                        self.builder.shuffle(v, v.ty().undef(), &all)
                    }
                };
                let indices: Vec<u32> = indices
                    .iter()
                    .map(|&i| if i != u32::MAX && i >= n { i - n + most } else { i })
                    .collect();
                self.builder.shuffle(widen(x, n), widen(y, m), &indices)
            }
            _ => return Ok(None),
        }))
    }

    fn construct(&mut self, ty: Type<'c>, parts: &[Value<'c>]) -> Option<Value<'c>> {
        let mut whole = ty.undef();
        match ty.kind() {
            Kind::Vector(lanes) => {
                // Constituents may be vectors.
                let mut at = 0;
                for &part in parts {
                    let count = part.ty().lanes();
                    for i in 0..count.unwrap_or(1) {
                        let element = if count.is_some() { self.extract(part, i)? } else { part };
                        if element.ty() != ty.scalar() || at >= lanes {
                            return None;
                        }
                        whole = self
                            .builder
                            .insert_element(whole, element, self.unit.context.int(32).int(at.into()));
                        at += 1;
                    }
                }
                (at == lanes).then_some(whole)
            }
            Kind::Array(n) if parts.len() as u64 == n && parts.iter().all(|p| p.ty() == ty.scalar()) => {
                for (i, &part) in parts.iter().enumerate() {
                    whole = self.builder.insert_value(whole, part, i as u32);
                }
                Some(whole)
            }
            Kind::Struct if parts.iter().map(|p| p.ty()).eq(ty.members()) => {
                for (i, &part) in parts.iter().enumerate() {
                    whole = self.builder.insert_value(whole, part, i as u32);
                }
                Some(whole)
            }
            _ => None,
        }
    }

    pub(super) fn extract(&self, value: Value<'c>, index: u32) -> Option<Value<'c>> {
        match value.ty().kind() {
            Kind::Vector(n) if index < n => Some(
                self.builder
                    .extract_element(value, self.unit.context.int(32).int(index.into())),
            ),
            Kind::Array(n) if u64::from(index) < n => Some(self.builder.extract_value(value, index)),
            Kind::Struct if (index as usize) < value.ty().members().len() => {
                Some(self.builder.extract_value(value, index))
            }
            _ => None,
        }
    }

    fn insert(&self, whole: Value<'c>, part: Value<'c>, path: &[u32]) -> Option<Value<'c>> {
        let Some((&index, rest)) = path.split_first() else {
            return (whole.ty() == part.ty()).then_some(part);
        };
        let inner = self.extract(whole, index)?;
        let part = self.insert(inner, part, rest)?;
        Some(match whole.ty().kind() {
            Kind::Vector(_) => self
                .builder
                .insert_element(whole, part, self.unit.context.int(32).int(index.into())),
            _ => self.builder.insert_value(whole, part, index),
        })
    }
}
