// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Calls of functions, direct and through pointers, of functions that the compiler defines, and of extended
//! instructions.

use spirv::{Op, OpenclStd100Op as ClOp};

use super::ops::Ops;
use super::{FunctionLowering, ModuleLowering};
use crate::Error;
use crate::builtins::{self, Emit};
use crate::image;
use crate::known_imports::{KnownImport, known_import};
use crate::llvm::{Builder, Function, Kind, Type, Value};
use crate::spirv::{ExtSet, Inst, Type as SpirvType};

/// Bits of image operands: an operand follows for each, in this order.
const BIAS: u32 = spirv::ImageOperands::BIAS.bits();
const LOD: u32 = spirv::ImageOperands::LOD.bits();
const GRADIENTS: u32 = spirv::ImageOperands::GRAD.bits();

impl<'c> ModuleLowering<'c> {
    /// Defines an imported function that no module defines.
    pub(super) fn define_import(&mut self, name: &str, function: Function<'c>) -> Result<(), Error> {
        let import =
            known_import(name).ok_or_else(|| Error::Link(format!("nothing defines {name}, which is called")))?;
        let b = Builder::at_end(self.context, function.append_block("entry"));
        let ty = function.function_type();
        let params = ty.params();
        let ops = Ops {
            module: &self.module,
            builder: &b,
            flags: 0,
            target: self.linked.target,
        };
        let wrong = |_| Error::Link(format!("{name} is declared with parameters that it does not have"));
        match (import, params.as_slice()) {
            (KnownImport::ToBFloat16, [_, from]) if from.is_ptr() => {
                let x = b.load(self.context.float(32), function.param(1));
                b.ret(ops.value(Op::ConvertFToBF16INTEL, ty.returns(), &[x]).map_err(wrong)?);
            }
            (KnownImport::FromBFloat16, [_, from]) if from.is_ptr() => {
                let x = b.load(self.context.int(16), function.param(1)).align(2);
                b.ret(ops.value(Op::ConvertBF16ToFINTEL, ty.returns(), &[x]).map_err(wrong)?);
            }
            (KnownImport::Assert, params) => {
                // (expression, file, line, function), and with devicelib's the global and the local id.
                if params.len() < 5
                    || !params[1].is_ptr()
                    || !params[2].is_ptr()
                    || !params[3].is_int()
                    || !params[4].is_ptr()
                {
                    return Err(wrong(String::new()));
                }
                let cx = self.context;
                let line = b.zext_or_trunc(function.param(3), cx.int(32));
                let mut args = vec![function.param(1), function.param(2), line, function.param(4)];
                let mut types = vec![cx.ptr(), cx.ptr(), cx.int(32), cx.ptr()];
                let ids = params.get(5..11).filter(|ids| ids.iter().all(|id| id.is_int()));
                if ids.is_some() {
                    args.extend((5..11).map(|id| b.zext_or_trunc(function.param(id), cx.int(64))));
                    types.extend([cx.int(64); 6]);
                }
                let name = match ids {
                    Some(_) => "oxur_assert_fail_at",
                    None => "oxur_assert_fail",
                };
                let fail = self.module.declare(name, cx.void().function(&types));
                b.call(fail, &args);
                if function.function_type().returns().kind() == Kind::Void {
                    b.ret(None);
                } else {
                    b.ret(Some(function.function_type().returns().zero()));
                }
            }
            (KnownImport::RayQuery, _) => {
                let cx = self.context;
                let [what, file] = ["there are no ray queries on this device", name].map(|text| self.text(text));
                let fail = (self.module).declare(
                    "oxur_assert_fail",
                    cx.void().function(&[cx.ptr(), cx.ptr(), cx.int(32), cx.ptr()]),
                );
                b.call(fail, &[what, file, cx.int(32).zero(), file]);
                b.ret((ty.returns().kind() != Kind::Void).then(|| ty.returns().zero()));
            }
            _ => return Err(wrong(String::new())),
        }
        Ok(())
    }

    /// A text that ends with a zero.
    fn text(&self, text: &str) -> Value<'c> {
        let byte = self.context.int(8);
        let bytes: Vec<_> = text.bytes().chain([0]).map(|b| byte.int(b.into())).collect();
        let initial = Value::array(byte, &bytes);
        self.module.add_global("oxur.text", initial.ty(), Some(initial), true)
    }
}

impl<'c> FunctionLowering<'_, 'c> {
    pub(super) fn call(&mut self, inst: &Inst<'c>) -> Result<Option<Value<'c>>, Error> {
        let callee = inst.operand(0)?;
        let place = self.unit.linked.resolve((self.part, callee));
        let place = match place {
            Ok(place) => place,
            // The compiler defines it, or it is an error.
            Err(error) => match self.module.linkage(callee) {
                Some((name, _)) if known_import(&name).is_some() => (self.part, callee),
                Some((name, _)) => return self.llvm_import(inst, &name),
                None => return Err(error),
            },
        };
        let function = self.unit.function(place)?;
        let mut args = vec![self.item];
        args.extend(self.values(&inst.operands()[1..])?);
        self.finish_call(inst, function.function_type(), function.into(), &args)
    }

    /// Calls an LLVM intrinsic that the module imports by its name.
    fn llvm_import(&mut self, inst: &Inst<'c>, name: &str) -> Result<Option<Value<'c>>, Error> {
        let args = self.values(&inst.operands()[1..])?;
        let Some(base) = [
            "llvm.usub.sat",
            "llvm.uadd.sat",
            "llvm.ssub.sat",
            "llvm.sadd.sat",
            "llvm.fshl",
            "llvm.fshr",
            "llvm.is.fpclass",
        ]
        .into_iter()
        .find(|base| name.starts_with(base)) else {
            return Err(Error::Link(format!("nothing defines {name}, which is called")));
        };
        let count = if base.starts_with("llvm.fsh") { 3 } else { 2 };
        let fits = match base {
            "llvm.is.fpclass" => args.len() == 2 && args[0].ty().is_float() && args[1].as_const_int().is_some(),
            _ => args.len() == count && args.iter().all(|a| a.ty() == args[0].ty() && a.ty().is_int()),
        };
        if !fits {
            return Err(inst.malformed(format!("{name} does not take such operands")));
        }
        Ok(Some(self.builder.intrinsic(
            &self.unit.module,
            base,
            &[args[0].ty()],
            &args,
        )))
    }

    pub(super) fn indirect_call(&mut self, inst: &Inst<'c>) -> Result<Option<Value<'c>>, Error> {
        let callee = self.value(inst.operand(0)?)?;
        if !callee.ty().is_ptr() {
            return Err(inst.malformed("it calls what is no pointer"));
        }
        let mut args = vec![self.item];
        args.extend(self.values(&inst.operands()[1..])?);
        let result = self.ty(inst.result_type().unwrap_or_default())?;
        let types: Vec<_> = args.iter().map(|a| a.ty()).collect();
        self.finish_call(inst, result.function(&types), callee, &args)
    }

    fn finish_call(
        &mut self,
        inst: &Inst<'c>,
        ty: Type<'c>,
        function: Value<'c>,
        args: &[Value<'c>],
    ) -> Result<Option<Value<'c>>, Error> {
        if !ty.params().into_iter().eq(args.iter().map(|a| a.ty())) {
            return Err(inst.malformed("the arguments do not fit the function"));
        }
        let result = self.ty(inst.result_type().unwrap_or_default())?;
        if ty.returns() != result {
            return Err(inst.malformed("the function returns another type"));
        }
        let value = self.builder.call_pointer(ty, function, args);
        if self.unit.linked.target.parts_lanes() {
            value.convergent_call();
        }
        Ok((result.kind() != Kind::Void).then_some(value))
    }

    /// An image instruction.
    pub(super) fn image(&mut self, inst: &Inst<'c>) -> Result<Option<Value<'c>>, Error> {
        let values = image::operands(inst.op).unwrap_or_default();
        let ids = inst.operands();
        // Image operands follow: a level of detail, which only some targets have, or what the format implies anyway.
        let args = self.values(&ids[..values.min(ids.len())])?;
        let ty = match inst.result_type() {
            Some(ty) => self.ty(ty)?,
            None => self.unit.context.void(),
        };
        let call = self.image_call(inst)?;
        let emit = Emit {
            context: self.unit.context,
            module: &self.unit.module,
            builder: &self.builder,
            fast_math: 0,
            fuses_halfs: self.unit.linked.target.fuses_halfs(),
        };
        let value = call.emit(&emit, inst.op, ty, &args).map_err(|error| match error {
            Error::Malformed { what, .. } => inst.malformed(what),
            other => other,
        })?;
        Ok((ty.kind() != Kind::Void).then_some(value))
    }

    /// The shape of the image of an instruction, and the level of detail that it names.
    fn image_call(&mut self, inst: &Inst<'c>) -> Result<image::ImageCall<'c>, Error> {
        let module = self.module;
        let mut ty = module.value_type(inst.operand(0)?).and_then(|ty| module.ty(ty));
        if let Some(SpirvType::SampledImage(image)) = ty {
            ty = module.ty(*image);
        }
        let Some(SpirvType::Image(dim, is_array)) = ty else {
            return Ok(image::ImageCall::default());
        };
        let shape = image::Shape::new(*dim, *is_array);
        if !self.unit.linked.target.has_mipmaps() {
            return Ok(image::ImageCall {
                shape: shape.filter(|shape| *shape != image::Shape::Cube),
                level: None,
            });
        }
        let shape =
            shape.ok_or_else(|| inst.unsupported(&format!("for images of dimension {dim}, as arrays: {is_array}")))?;
        let level = match (inst.op, &inst.operands()[2.min(inst.operands().len())..]) {
            (Op::ImageSampleExplicitLod, &[bits, lod, ..]) if bits & (BIAS | LOD) == LOD => {
                Some(image::Level::Lod(self.value(lod)?))
            }
            (Op::ImageSampleExplicitLod, &[bits, x, y, ..]) if bits & (BIAS | LOD | GRADIENTS) == GRADIENTS => {
                Some(image::Level::Gradients([self.value(x)?, self.value(y)?]))
            }
            _ => None,
        };
        Ok(image::ImageCall {
            shape: Some(shape),
            level,
        })
    }

    /// Lowers an instruction of an extended instruction set.
    pub(super) fn extended(&mut self, inst: &Inst<'c>) -> Result<Option<Value<'c>>, Error> {
        match self.module.ext_set(inst.operand(0)?) {
            Some(ExtSet::OpenCl) => {}
            Some(ExtSet::Debug) => return Ok(None),
            _ => return Err(inst.unsupported("of an unknown set")),
        }
        let code = inst.operand(1)?;
        let op = ClOp::from_u32(code).ok_or_else(|| Error::Unsupported {
            feature: format!("OpenCL.std instruction {code}"),
            what: String::new(),
        })?;
        let operands = &inst.operands()[2..];
        // Literal numbers follow the values.
        let literals = match op {
            ClOp::vloadn | ClOp::vload_halfn | ClOp::vloada_halfn => 1,
            ClOp::vstore_half_r | ClOp::vstore_halfn_r | ClOp::vstorea_halfn_r => 1,
            _ => 0,
        };
        let (ids, literals) = operands.split_at(operands.len().saturating_sub(literals));
        let args = self.values(ids)?;
        let ty = self.ty(inst.result_type().unwrap_or_default())?;
        let flags = self.flags(inst);
        let emit = Emit {
            context: self.unit.context,
            module: &self.unit.module,
            builder: &self.builder,
            fast_math: flags,
            fuses_halfs: self.unit.linked.target.fuses_halfs(),
        };
        let value = builtins::emit(&emit, op, ty, &args, literals).map_err(|error| match error {
            Error::Malformed { what, .. } => inst.malformed(format!("{op:?}: {what}")),
            other => other,
        })?;
        Ok((ty.kind() != Kind::Void).then_some(value))
    }
}
