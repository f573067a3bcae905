// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Constants, specialization constants, and module-scope variables.

use spirv::{Decoration, Op, StorageClass};

use super::{ModuleLowering, ops};
use crate::Error;
use crate::link::Place;
use crate::llvm::{Builder, Kind, Type, Value};
use crate::spirv::{Id, Inst, storage_class};

impl<'c> ModuleLowering<'c> {
    /// The value of a constant, or the address of a variable that is neither local nor built in.
    pub(super) fn constant(&mut self, part: usize, id: Id) -> Result<Value<'c>, Error> {
        if let Some(&value) = self.constants.get(&(part, id)) {
            return Ok(value);
        }
        let linked = self.linked;
        let Some(inst) = linked.module(part).def(id) else {
            return Err(Error::Malformed {
                offset: 0,
                what: format!("the id {id} is used, but never defined"),
            });
        };
        if self.depth > 200 {
            return Err(inst.malformed("constants nest too deep"));
        }
        self.depth += 1;
        let value = self.make_constant(part, id, &inst);
        self.depth -= 1;
        let value = value?;
        self.constants.insert((part, id), value);
        Ok(value)
    }

    fn make_constant(&mut self, part: usize, id: Id, inst: &Inst<'_>) -> Result<Value<'c>, Error> {
        let ty = |unit: &mut Self| unit.ty(part, inst.result_type().unwrap_or_default());
        match inst.op {
            Op::ConstantTrue | Op::ConstantFalse | Op::SpecConstantTrue | Op::SpecConstantFalse => {
                Ok(ty(self)?.int(self.linked.constant(part, id).unwrap_or(0) & 1))
            }
            Op::Constant | Op::SpecConstant => {
                let ty = ty(self)?;
                let bits = self.linked.constant(part, id).unwrap_or(0);
                match ty.kind() {
                    Kind::Int(64) => Ok(ty.int(bits)),
                    Kind::Int(n) if n < 64 => Ok(ty.int(bits & ((1 << n) - 1))),
                    Kind::Int(_) => Ok(ty.int(bits)),
                    Kind::Float(n) => {
                        let bits = if n == 64 { bits } else { bits & ((1 << n) - 1) };
                        Ok(self.context.int(n).int(bits).const_bitcast(ty))
                    }
                    _ => Err(inst.malformed("a number of a type that is none")),
                }
            }
            Op::ConstantNull => match ty(self)? {
                ty if ty.has_values() => Ok(ty.zero()),
                _ => Err(inst.malformed("null of a type without values")),
            },
            Op::Undef => match ty(self)? {
                ty if ty.has_values() => Ok(ty.undef()),
                _ => Err(inst.malformed("a value of a type without values")),
            },
            Op::ConstantComposite | Op::SpecConstantComposite | Op::ConstantCompositeContinuedINTEL => {
                let ty = ty(self)?;
                let parts = inst
                    .operands()
                    .iter()
                    .map(|&id| self.constant(part, id))
                    .collect::<Result<Vec<_>, _>>()?;
                self.composite(ty, &parts)
                    .ok_or_else(|| inst.malformed("its parts do not fit its type"))
            }
            Op::ConstantSampler => {
                let bits = inst.operand(0)? << 1 | inst.operand(1)? & 1 | inst.operand(2)? << 4;
                Ok(self.context.int(32).int(bits.into()))
            }
            Op::ConstantFunctionPointerINTEL => {
                let place = self.linked.resolve((part, inst.operand(0)?))?;
                Ok(self.function_pointer(place)?)
            }
            Op::SpecConstantOp => {
                let ty = ty(self)?;
                let op = Op::from_u32(inst.operand(0)?).ok_or_else(|| inst.malformed("an unknown operation"))?;
                self.constant_op(part, inst, op, ty)
            }
            Op::Variable => self.variable(part, id, inst),
            _ => Err(inst.malformed(format!("{id} is used as a value, but is not one here"))),
        }
    }

    fn constant_op(&mut self, part: usize, inst: &Inst<'_>, op: Op, ty: Type<'c>) -> Result<Value<'c>, Error> {
        let builder = Builder::at_end(self.context, self.scratch());
        let folded = match op {
            Op::CompositeExtract | Op::CompositeInsert | Op::VectorShuffle => {
                return Err(inst.unsupported("of composites"));
            }
            Op::AccessChain | Op::InBoundsAccessChain | Op::PtrAccessChain | Op::InBoundsPtrAccessChain => {
                let base = inst.operand(1)?;
                let address = self.constant(part, base)?;
                let pointee = self
                    .pointee(part, base)
                    .ok_or_else(|| inst.malformed("its base is no pointer"))?;
                let first = usize::from(matches!(op, Op::PtrAccessChain | Op::InBoundsPtrAccessChain));
                let mut indices = Vec::new();
                if first == 0 {
                    indices.push(self.context.int(64).int(0));
                }
                for &index in &inst.operands()[2..] {
                    indices.push(self.constant(part, index)?);
                }
                let pointee = self.ty(part, pointee)?;
                Some(builder.gep(pointee, address, &indices, false))
            }
            _ => {
                let args = inst.operands()[1..]
                    .iter()
                    .map(|&id| self.constant(part, id))
                    .collect::<Result<Vec<_>, _>>()?;
                let ops = ops::Ops {
                    module: &self.module,
                    builder: &builder,
                    flags: 0,
                    target: self.linked.target,
                };
                ops.value(op, ty, &args).map_err(|what| inst.malformed(what))?
            }
        };
        match folded {
            Some(value) if value.is_const() && value.ty() == ty => Ok(value),
            _ => Err(inst.unsupported(&format!("of Op{op:?}"))),
        }
    }

    /// An aggregate or vector of constants.
    fn composite(&self, ty: Type<'c>, parts: &[Value<'c>]) -> Option<Value<'c>> {
        match ty.kind() {
            Kind::Vector(n) => {
                (parts.len() == n as usize && parts.iter().all(|p| p.ty() == ty.scalar())).then(|| Value::vector(parts))
            }
            Kind::Array(n) => (parts.len() as u64 == n && parts.iter().all(|p| p.ty() == ty.scalar()))
                .then(|| Value::array(ty.scalar(), parts)),
            Kind::Struct => {
                let types: Vec<_> = parts.iter().map(|p| p.ty()).collect();
                [false, true]
                    .into_iter()
                    .find(|&packed| self.context.structure(&types, packed) == ty)
                    .map(|packed| Value::structure(self.context, parts, packed))
            }
            _ => None,
        }
    }

    /// The address of a module-scope variable.
    fn variable(&mut self, part: usize, id: Id, inst: &Inst<'_>) -> Result<Value<'c>, Error> {
        let place = self.linked.resolve((part, id))?;
        if place != (part, id) {
            return self.constant(place.0, place.1);
        }
        let ty = self
            .pointee(part, id)
            .ok_or_else(|| inst.malformed("its type is no pointer"))
            .and_then(|pointee| self.ty(part, pointee))?;
        if !ty.has_values() {
            return Err(inst.malformed("a variable of a type without values"));
        }
        if let Some(index) = self.linked.global(place) {
            return Ok(self.global(index, ty));
        }
        let module = self.linked.module(part);
        match storage_class(module, id) {
            Some(StorageClass::UniformConstant | StorageClass::Function | StorageClass::Private) => {
                let initial = match inst.operands().get(1) {
                    Some(&initial) => self.constant(part, initial)?,
                    None => ty.zero(),
                };
                if initial.ty() != ty {
                    return Err(inst.malformed("its initial value has another type"));
                }
                let global = self
                    .module
                    .add_global(&format!("constant.{part}.{id}"), ty, Some(initial), true);
                if let Some(&align) = module.decoration(id, Decoration::Alignment).and_then(|o| o.first()) {
                    global.align(align.max(1).next_power_of_two().min(4096));
                }
                Ok(global)
            }
            class => Err(inst.unsupported(&format!("a variable of storage class {class:?}"))),
        }
    }

    /// A variable of the program: declared here, or defined in the module for globals.
    fn global(&mut self, index: usize, ty: Type<'c>) -> Value<'c> {
        self.globals
            .entry(index)
            .or_insert_with(|| self.module.add_global(&global_name(index), ty, None, false))
            .to_owned()
    }

    /// The address of a function, the same in all kernels of the program.
    fn function_pointer(&mut self, place: Place) -> Result<Value<'c>, Error> {
        let index = self.linked.pointed(place).expect("all constants were looked through");
        let function = self.linked.module(place.0).function(place.1);
        let Some(function) = function.filter(|f| f.defined) else {
            return Err(Error::Link("a pointer to a function that nothing defines".into()));
        };
        if self.defines_globals {
            return Ok(self.function(place)?.into());
        }
        let ty = self.function_type(place.0, function)?;
        Ok(self.module.declare(&pointed_name(index), ty).into())
    }
}

/// The symbol of a variable of the program.
pub fn global_name(index: usize) -> String {
    format!("oxur.global.{index}")
}

/// The variable of a symbol.
pub fn global_index(name: &str) -> Option<usize> {
    name.strip_prefix("oxur.global.")?.parse().ok()
}

/// The symbol of a function that is called through pointers.
pub fn pointed_name(index: usize) -> String {
    format!("oxur.function.{index}")
}
