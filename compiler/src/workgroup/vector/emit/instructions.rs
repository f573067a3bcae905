// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The vector form of each instruction.

use llvm_sys::LLVMOpcode as L;

use super::super::bounds::upper_bound;
use super::super::divergence::{VectorShape, variable_size};
use super::super::division::Divisor;
use super::super::strides::USUAL;
use super::{Emit, Result, Slot, Wide};
use crate::llvm::{Kind, Value};
use crate::target::Vectors;

impl<'c> Emit<'_, 'c> {
    pub(super) fn instruction(&mut self, inst: Value<'c>) -> Result<Option<Wide<'c>>> {
        let opcode = inst.opcode().expect("it is in a block");
        if opcode == L::LLVMLoad {
            self.prefetch(inst)?;
        }
        match opcode {
            L::LLVMPHI => {
                let slot = self.demoted[&inst];
                let value = self.b.load(slot.ty, slot.address);
                return Ok(Some(match self.shapes.of(inst) {
                    VectorShape::Varying => Wide::Vector(value),
                    _ => Wide::Scalar(value),
                }));
            }
            L::LLVMAlloca => {
                let count = inst.operand(0).as_const_int();
                if count != Some(1) {
                    return Err("a variable of a length that is computed".into());
                }
                let (ty, size) = (inst.allocated_type(), variable_size(self.module, inst));
                let one = if self.module.size_of(ty) == size {
                    ty
                } else {
                    self.cx.int(8).array(size)
                };
                let made = self
                    .entry
                    .alloca(one.array(self.lanes.into()))
                    .align(inst.get_align().max(64));
                // It is available everywhere.
                let slot = self.slot_of_constant(made);
                self.demoted.insert(inst, slot);
                return Ok(Some(Wide::Scalar(made)));
            }
            L::LLVMStore => return self.store(inst).map(|()| None),
            L::LLVMCall => return self.call(inst),
            L::LLVMFence => {
                self.b.insert(inst.clone_instruction());
                return Ok(None);
            }
            L::LLVMAtomicRMW | L::LLVMAtomicCmpXchg => return self.atomic(inst).map(Some),
            L::LLVMExtractValue => {
                if let Wide::Pair(a, b) = self.wide(inst.operand(0))? {
                    return Ok(Some(Wide::Vector(if inst.indices() == [0] { a } else { b })));
                }
            }
            L::LLVMLoad if self.shapes.of(inst) == VectorShape::Varying => return self.load(inst).map(Some),
            L::LLVMGetElementPtr if self.shapes.private.element_size(inst).is_some() => {
                return self.private_address(inst).map(Some);
            }
            _ => {}
        }
        if self.shapes.of(inst) == VectorShape::Varying {
            return self.varying(inst, opcode).map(|v| Some(Wide::Vector(v)));
        }
        self.emit_uniform(inst).map(|v| Some(Wide::Scalar(v)))
    }

    /// Stores a value that is available everywhere anyway, so that other blocks find it.
    fn slot_of_constant(&mut self, value: Value<'c>) -> Slot<'c> {
        let address = self.entry.alloca(value.ty());
        self.entry.store(value, address);
        Slot {
            address,
            ty: value.ty(),
        }
    }

    /// Computes lane 0's value as the scalar kernel does.
    ///
    /// Flags such as `nsw` hold for the lanes that use the result. Lane 0 may not be one of them: it is masked, or LLVM has
    /// hoisted the instruction out of a branch that lane 0 does not take. An affine value is still needed then, because the
    /// values of other lanes are computed from it. So the copy must not be poison where a flag does not hold.
    pub fn emit_uniform(&mut self, inst: Value<'c>) -> Result<Value<'c>> {
        let is_affine = inst
            .operands()
            .iter()
            .any(|&o| self.shapes.of(o) != VectorShape::Uniform);
        if is_affine && let Some(value) = self.once_without_flags(inst)? {
            return Ok(value);
        }
        let operands: Vec<_> = inst.operands();
        let mut new = Vec::new();
        for &operand in &operands {
            new.push(match operand.opcode().is_none() && !self.known.contains_key(&operand) {
                // Operands that are callees or blocks are not values of lanes.
                true => match self.wide(operand)? {
                    Wide::Scalar(v) => v,
                    _ => operand,
                },
                false => self.first(operand)?,
            });
        }
        let copy = inst.clone_instruction();
        for (i, &value) in new.iter().enumerate() {
            if value != operands[i] {
                copy.set_operand(i as u32, value);
            }
        }
        if is_affine || self.is_predicated {
            copy.drop_poison_generating_annotations();
        }
        Ok(self.b.insert(copy))
    }

    /// Replaces instructions that compute the affine value only where their flag holds.
    fn once_without_flags(&mut self, inst: Value<'c>) -> Result<Option<Value<'c>>> {
        Ok(match inst.opcode() {
            Some(L::LLVMOr) if inst.is_disjoint() => {
                let (x, y) = (self.first(inst.operand(0))?, self.first(inst.operand(1))?);
                Some(self.b.add(x, y))
            }
            // The value of a lane that uses it is not negative. With a positive stride, lane 0's is less and may be negative,
            // so it is sign-extended. With a negative stride it is greater and may exceed the signed range.
            Some(L::LLVMZExt) if inst.has_nneg() => match self.shapes.of(inst.operand(0)) {
                VectorShape::Affine { stride, .. } if stride > 0 => {
                    let x = self.first(inst.operand(0))?;
                    Some(self.b.cast(L::LLVMSExt, x, inst.ty()))
                }
                _ => None,
            },
            _ => None,
        })
    }

    fn varying(&mut self, inst: Value<'c>, opcode: L) -> Result<Value<'c>> {
        let ty = self.wide_type(inst.ty())?;
        let operands = inst.operands();
        let flags = inst.get_fast_math();
        let value = match opcode {
            L::LLVMFMul if let Some(square) = self.signed_square(inst)? => square,
            L::LLVMAdd
            | L::LLVMSub
            | L::LLVMMul
            | L::LLVMUDiv
            | L::LLVMSDiv
            | L::LLVMURem
            | L::LLVMSRem
            | L::LLVMShl
            | L::LLVMLShr
            | L::LLVMAShr
            | L::LLVMAnd
            | L::LLVMOr
            | L::LLVMXor
            | L::LLVMFAdd
            | L::LLVMFSub
            | L::LLVMFMul
            | L::LLVMFDiv
            | L::LLVMFRem => {
                let (mut x, mut y) = (self.vector(operands[0])?, self.vector(operands[1])?);
                let divides = matches!(opcode, L::LLVMUDiv | L::LLVMSDiv | L::LLVMURem | L::LLVMSRem);
                // An inactive lane may hold a value that its path would exclude, as may one of ids behind the end of a group.
                if divides
                    && !operands[1].is_const()
                    && let Some(mask) = self.mask
                {
                    let mask = self.expand(mask, inst.ty());
                    x = self.b.select(mask, x, ty.zero());
                    y = self.b.select(mask, y, ty.int(1));
                }
                if divides && !y.is_const() {
                    let one = match self.shapes.of(operands[1]) {
                        VectorShape::Uniform if operands[1].ty().lanes().is_none() => {
                            let one = self.first(operands[1])?;
                            Some(self.b.freeze(one))
                        }
                        _ => None,
                    };
                    match self.is_zero_quotient(inst)? {
                        Some(is_zero) => self.either(
                            is_zero,
                            USUAL,
                            |_| Ok(if opcode == L::LLVMURem { x } else { ty.zero() }),
                            |emit| emit.divide(opcode, x, Divisor { all: y, one }),
                        )?,
                        None => self.divide(opcode, x, Divisor { all: y, one })?,
                    }
                } else if opcode == L::LLVMMul
                    && let Some(product) = self.product_of_stride(inst, x, y)?
                {
                    product
                } else {
                    self.b.binary(opcode, x, y)
                }
            }
            L::LLVMFNeg => {
                let x = self.vector(operands[0])?;
                self.b.fneg(x)
            }
            L::LLVMFreeze => {
                let x = self.vector(operands[0])?;
                self.b.freeze(x)
            }
            L::LLVMUIToFP | L::LLVMSIToFP if is_short_number(operands[0]) => {
                let x = self.vector(operands[0])?;
                let short = self.cx.int(32).vector(self.lanes);
                self.b.cast(L::LLVMSIToFP, self.b.cast(L::LLVMTrunc, x, short), ty)
            }
            L::LLVMTrunc
            | L::LLVMZExt
            | L::LLVMSExt
            | L::LLVMFPToUI
            | L::LLVMFPToSI
            | L::LLVMUIToFP
            | L::LLVMSIToFP
            | L::LLVMFPTrunc
            | L::LLVMFPExt
            | L::LLVMPtrToInt
            | L::LLVMIntToPtr
            | L::LLVMBitCast => {
                let x = self.vector(operands[0])?;
                self.b.cast(opcode, x, ty)
            }
            L::LLVMICmp => {
                let (x, y) = (self.vector(operands[0])?, self.vector(operands[1])?);
                self.b.icmp(inst.int_predicate(), x, y)
            }
            L::LLVMFCmp => {
                let (x, y) = (self.vector(operands[0])?, self.vector(operands[1])?);
                self.b.fcmp(inst.real_predicate(), x, y)
            }
            L::LLVMSelect => {
                let (yes, no) = (self.vector(operands[1])?, self.vector(operands[2])?);
                let condition = match self.shapes.of(operands[0]) {
                    VectorShape::Uniform if operands[0].ty().lanes().is_none() => self.first(operands[0])?,
                    _ => {
                        let condition = self.vector(operands[0])?;
                        match operands[0].ty().lanes() {
                            None => self.expand(condition, inst.ty()),
                            Some(_) => condition,
                        }
                    }
                };
                self.b.select(condition, yes, no)
            }
            L::LLVMExtractElement | L::LLVMInsertElement | L::LLVMShuffleVector => {
                return match self.elements(inst, opcode, &operands)? {
                    Some(value) => Ok(value),
                    None => match self.scalarize(inst)? {
                        Wide::Vector(value) => Ok(value),
                        _ => Err(format!("{opcode:?} without a result")),
                    },
                };
            }
            L::LLVMGetElementPtr if inst.ty().lanes().is_some() => {
                return Err("a vector of addresses that differ between lanes".into());
            }
            L::LLVMGetElementPtr => {
                let mut args = Vec::new();
                for (i, &operand) in operands.iter().enumerate() {
                    args.push(match self.shapes.of(operand) {
                        VectorShape::Uniform => self.first(operand)?,
                        _ if i == 0 => self.vector(operand)?,
                        _ => self.vector(operand)?,
                    });
                }
                self.b.gep(inst.source_element_type(), args[0], &args[1..], false)
            }
            _ => return Err(format!("{opcode:?} of what differs between lanes")),
        };
        if value.ty() != ty {
            return Err(format!("{opcode:?} gives an unexpected type"));
        }
        Ok(self.b.fast_math(value, flags))
    }

    /// Extracts or inserts vector elements in all lanes; `None` if the index is not constant.
    fn elements(&mut self, inst: Value<'c>, opcode: L, operands: &[Value<'c>]) -> Result<Option<Value<'c>>> {
        let vector = operands[0];
        let Some(n) = vector.ty().lanes() else { return Ok(None) };
        let lanes = 0..self.lanes;
        match opcode {
            L::LLVMExtractElement => {
                let Some(index) = operands[1].as_const_int().filter(|&i| i < n.into()) else {
                    return Ok(None);
                };
                let all = self.vector(vector)?;
                let pattern: Vec<u32> = lanes.map(|l| l * n + index as u32).collect();
                Ok(Some(self.b.shuffle(all, all.ty().poison(), &pattern)))
            }
            L::LLVMInsertElement => {
                let Some(index) = operands[2].as_const_int().filter(|&i| i < n.into()) else {
                    return Ok(None);
                };
                let all = self.vector(vector)?;
                let element = self.vector(operands[1])?;
                let spread: Vec<u32> = (0..self.lanes * n).map(|i| i / n).collect();
                let spread = self.b.shuffle(element, element.ty().poison(), &spread);
                let pattern: Vec<u32> = (0..self.lanes * n)
                    .map(|i| {
                        if u64::from(i % n) == index {
                            self.lanes * n + i
                        } else {
                            i
                        }
                    })
                    .collect();
                Ok(Some(self.b.shuffle(all, spread, &pattern)))
            }
            _ => {
                let (x, y) = (self.vector(vector)?, self.vector(operands[1])?);
                let own = inst.shuffle_pattern();
                let pattern: Vec<u32> = lanes
                    .flat_map(|l| own.iter().map(move |&m| (l, m)))
                    .map(|(l, m)| match m {
                        u32::MAX => m,
                        m if m < n => l * n + m,
                        m => self.lanes * n + l * n + m - n,
                    })
                    .collect();
                Ok(Some(self.b.shuffle(x, y, &pattern)))
            }
        }
    }
}

/// Whether an integer of 64 bits that the CPU would convert to a floating-point number item by item has only 31, which it converts
/// all at once.
fn is_short_number(value: Value<'_>) -> bool {
    !Vectors::of_host().converts_longs
        && value.ty().kind() == Kind::Int(64)
        && upper_bound(value).is_some_and(|bound| bound <= i32::MAX as u64)
}
