// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! SPIR-V's image instructions as LLVM IR: calls of the [runtime's functions](super), and for queries loads from the
//! [`Image`].

use std::mem::offset_of;

use llvm_sys::LLVMOpcode;
use spirv::Op;

use super::Shape;
use super::format::{channel, order};
use crate::builtins::Emit;
use crate::llvm::{Function, Kind, Module, Type, Value};
use crate::{Error, Image, SamplerBits};

/// What an image instruction says besides its operands, for targets whose functions depend on it.
#[derive(Clone, Copy, Default)]
pub struct ImageCall<'c> {
    /// The shape of the image, if it is known: functions are named after it.
    pub shape: Option<Shape>,
    /// The level of detail of a sample.
    pub level: Option<Level<'c>>,
}

/// The level of detail of a sample.
#[derive(Clone, Copy)]
pub enum Level<'c> {
    /// This one.
    Lod(Value<'c>),
    /// The one for these distances of neighbours in two directions.
    Gradients([Value<'c>; 2]),
}

/// Emits an image instruction: `OpConvertHandleTo{Image,Sampler,SampledImage}INTEL`, `OpSampledImage`, `OpImage`,
/// `OpImageSampleExplicitLod`, `OpImageRead`, `OpImageFetch`, `OpImageWrite`, or one of `OpImageQuery{Size,SizeLod,Format,Order,Levels,Samples}`.
///
/// `args` are its value operands in order, without image operands: on the CPU a level of detail has no effect because there
/// are no mip levels, and the sign of integers follows from the format. An image is a pointer to an [`Image`], a sampler is
/// [`SamplerBits`] as an i32, and a sampled image is a structure of both. The handle of a bindless image is the address of an
/// [`Image`], that of a sampler its bits. The returned value has the type `result`; if that
/// is `void`, the value is meaningless.
///
/// # Errors
/// [`Error::Malformed`], without an offset, if the operands break the instruction's rules.
#[cfg(test)]
pub fn emit_image<'c>(e: &Emit<'_, 'c>, op: Op, result: Type<'c>, args: &[Value<'c>]) -> Result<Value<'c>, Error> {
    ImageCall::default().emit(e, op, result, args)
}

impl<'c> ImageCall<'c> {
    /// Emits an image instruction: see [`emit_image`].
    pub fn emit(self, e: &Emit<'_, 'c>, op: Op, result: Type<'c>, args: &[Value<'c>]) -> Result<Value<'c>, Error> {
        let sampled_image = e.context.structure(&[e.context.ptr(), e.context.int(32)], false);
        match (op, args) {
            (Op::ConvertHandleToImageINTEL, &[handle])
                if handle.ty() == e.context.int(64) && result == e.context.ptr() =>
            {
                Ok(e.builder.cast(LLVMOpcode::LLVMIntToPtr, handle, result))
            }
            (Op::ConvertHandleToSamplerINTEL, &[handle])
                if handle.ty() == e.context.int(64) && result == e.context.int(32) =>
            {
                Ok(e.builder.zext_or_trunc(handle, result))
            }
            (Op::ConvertHandleToSampledImageINTEL, &[handle])
                if handle.ty() == e.context.int(64) && result == sampled_image =>
            {
                let image = e.builder.cast(LLVMOpcode::LLVMIntToPtr, handle, e.context.ptr());
                let sampler = member(e, image, e.context.int(32), offset_of!(Image, sampler));
                let pair = e.builder.insert_value(sampled_image.poison(), image, 0);
                Ok(e.builder.insert_value(pair, sampler, 1))
            }
            (Op::SampledImage, &[image, sampler]) => {
                if image.ty() != e.context.ptr() || sampler.ty() != e.context.int(32) {
                    return Err(invalid("it takes an image and a sampler"));
                }
                let pair = e.builder.insert_value(sampled_image.poison(), image, 0);
                Ok(e.builder.insert_value(pair, sampler, 1))
            }
            (Op::Image, &[pair]) if pair.ty() == sampled_image => Ok(e.builder.extract_value(pair, 0)),
            (Op::ImageSampleExplicitLod, &[pair, coordinates, ..]) if pair.ty() == sampled_image => {
                let [image, sampler] = [0, 1].map(|i| e.builder.extract_value(pair, i));
                self.read(e, result, image, sampler, coordinates)
            }
            (Op::ImageRead | Op::ImageFetch, &[image, coordinates, ..]) if image.ty() == e.context.ptr() => {
                if !coordinates.ty().is_int() {
                    return Err(invalid("coordinates must be integers"));
                }
                let none = e.context.int(32).int(SamplerBits::NONE.0.into());
                self.read(e, result, image, none, coordinates)
            }
            (Op::ImageWrite, &[image, coordinates, texel, ..]) if image.ty() == e.context.ptr() => {
                self.write(e, image, coordinates, texel)
            }
            (Op::ImageQuerySize | Op::ImageQuerySizeLod, &[image, ..]) if image.ty() == e.context.ptr() => {
                size(e, result, image)
            }
            (Op::ImageQueryFormat, &[image]) if image.ty() == e.context.ptr() => {
                query(e, result, image, offset_of!(Image, channel_type), channel::SNORM_INT8)
            }
            (Op::ImageQueryOrder, &[image]) if image.ty() == e.context.ptr() => {
                query(e, result, image, offset_of!(Image, channel_order), order::R)
            }
            (Op::ImageQueryLevels | Op::ImageQuerySamples, &[image]) if image.ty() == e.context.ptr() => {
                match result.kind() {
                    Kind::Int(8..=64) => Ok(result.int(1)),
                    _ => Err(invalid("the result must be an integer")),
                }
            }
            _ => Err(invalid("it does not take these operands")),
        }
    }

    /// The name of a function, without `oxur_image_`.
    fn name(self, what: &str) -> String {
        match self.shape {
            Some(shape) => format!("{what}_{}", shape.suffix()),
            None => what.to_owned(),
        }
    }

    /// The level that a sample has to name: none where it is the finest one.
    fn level(self, e: &Emit<'_, 'c>, image: Value<'c>) -> Result<Option<Value<'c>>, Error> {
        let float = e.context.float(32);
        Ok(match self.level.filter(|_| self.shape.is_some()) {
            None => None,
            Some(Level::Lod(level)) if level.ty().is_float() && level.ty().lanes().is_none() => {
                Some(e.builder.fpcast(level, float)).filter(|level| !level.is_null())
            }
            Some(Level::Gradients([x, y])) if x.ty().is_float() && y.ty().is_float() => {
                let ([x, y], none) = ([coordinates(e, x)?, coordinates(e, y)?], float);
                let ty = none.function(&[image.ty(), none, none, none, none, none, none]);
                let function = runtime_function(e.module, &self.name("gradient"), ty);
                Some(e.builder.call(function, &[image, x[0], x[1], x[2], y[0], y[1], y[2]]))
            }
            Some(_) => return Err(invalid("a level of detail must be a floating-point number")),
        })
    }

    fn read(
        self,
        e: &Emit<'_, 'c>,
        result: Type<'c>,
        image: Value<'c>,
        sampler: Value<'c>,
        at: Value<'c>,
    ) -> Result<Value<'c>, Error> {
        let b = e.builder;
        let lanes = result.lanes().unwrap_or(1);
        let fits = match result.scalar().kind() {
            _ if lanes > 4 || result.kind() == Kind::Struct => false,
            Kind::Float(16 | 32) => result.is_float(),
            Kind::Int(8 | 16 | 32) => result.is_int(),
            _ => false,
        };
        if !fits {
            return Err(invalid("the result must be up to four numbers of 32 bits or fewer"));
        }
        let [x, y, z] = coordinates(e, at)?;
        let number = if result.is_float() {
            e.context.float(32)
        } else {
            e.context.int(32)
        };
        let name = match (at.ty().is_float(), result.is_float()) {
            (true, true) => "sample_float",
            (true, false) => "sample_int",
            (false, true) => "read_float",
            (false, false) => "read_int",
        };
        let texel = number.vector(4);
        let level = if at.ty().is_float() {
            self.level(e, image)?
        } else {
            None
        };
        let suffix = if level.is_some() { "_level" } else { "" };
        let args: Vec<_> = [image, sampler, x, y, z].into_iter().chain(level).collect();
        let types: Vec<_> = args.iter().map(|arg| arg.ty()).collect();
        let name = format!("{}{suffix}", self.name(name));
        let texel = b.call(runtime_function(e.module, &name, texel.function(&types)), &args);
        let some = match lanes {
            1 => e.lane(texel, 0),
            4 => texel,
            _ => b.shuffle(texel, texel, &(0..lanes).collect::<Vec<_>>()),
        };
        Ok(match result.is_float() {
            true => b.fpcast(some, result),
            false => b.zext_or_trunc(some, result),
        })
    }

    fn write(self, e: &Emit<'_, 'c>, image: Value<'c>, at: Value<'c>, texel: Value<'c>) -> Result<Value<'c>, Error> {
        let b = e.builder;
        let ty = texel.ty();
        let lanes = ty.lanes().unwrap_or(1);
        let float = ty.is_float();
        if !at.ty().is_int() || lanes > 4 || !(float || ty.is_int()) || !matches!(ty.bits(), 8 | 16 | 32) {
            return Err(invalid(
                "it takes whole coordinates, and up to four numbers of 32 bits or fewer",
            ));
        }
        let [x, y, z] = coordinates(e, at)?;
        let number = if float { e.context.float(32) } else { e.context.int(32) };
        let wide = ty.with_scalar(number);
        let texel = match float {
            true => b.fpcast(texel, wide),
            false => b.sext_or_trunc(texel, wide),
        };
        let all = match lanes {
            4 => texel,
            _ => (0..lanes).fold(number.vector(4).zero(), |all, i| {
                b.insert_element(all, e.lane(texel, i), e.context.int(32).int(i.into()))
            }),
        };
        let name = self.name(if float { "write_float" } else { "write_int" });
        let ty = e
            .context
            .void()
            .function(&[image.ty(), x.ty(), x.ty(), x.ty(), all.ty()]);
        Ok(b.call(runtime_function(e.module, &name, ty), &[image, x, y, z, all]))
    }
}

/// The number of operands that [`emit_image`] takes for an instruction; `None` if it does not emit that instruction.
pub fn operands(op: Op) -> Option<usize> {
    Some(match op {
        Op::ImageWrite => 3,
        Op::SampledImage | Op::ImageSampleExplicitLod | Op::ImageRead | Op::ImageFetch => 2,
        Op::ConvertHandleToImageINTEL
        | Op::ConvertHandleToSamplerINTEL
        | Op::ConvertHandleToSampledImageINTEL
        | Op::Image
        | Op::ImageQuerySize
        | Op::ImageQuerySizeLod
        | Op::ImageQueryFormat
        | Op::ImageQueryOrder
        | Op::ImageQueryLevels
        | Op::ImageQuerySamples => 1,
        _ => return None,
    })
}

/// The error for a violated rule. The caller of [`emit_image`] adds the instruction.
fn invalid(what: &str) -> Error {
    Error::malformed(what)
}

/// Extracts three coordinates as f32 or i32. Missing ones are 0; a fourth one is ignored, as in OpenCL C.
fn coordinates<'c>(e: &Emit<'_, 'c>, coordinates: Value<'c>) -> Result<[Value<'c>; 3], Error> {
    let b = e.builder;
    let ty = coordinates.ty();
    let lanes = ty.lanes().unwrap_or(1);
    let float = ty.is_float();
    if lanes > 4 || !(float || (ty.is_int() && matches!(ty.bits(), 8 | 16 | 32 | 64))) {
        return Err(invalid("coordinates must be up to four numbers"));
    }
    let number = if float { e.context.float(32) } else { e.context.int(32) };
    Ok([0, 1, 2].map(|i| match () {
        _ if i >= lanes => number.zero(),
        _ if float => b.fpcast(e.lane(coordinates, i), number),
        _ => b.sext_or_trunc(e.lane(coordinates, i), number),
    }))
}

/// Declares a function of the [runtime](super), by its name without `oxur_image_`.
pub(super) fn runtime_function<'c>(module: &Module<'c>, name: &str, ty: Type<'c>) -> Function<'c> {
    let name = format!("oxur_image_{name}");
    module.function(&name).unwrap_or_else(|| {
        let function = module
            .add_function(&name, ty)
            .attribute("nounwind", 0)
            .attribute("willreturn", 0);
        // Not `memory(none)`: a read must not move across a write to the same image.
        match ty.returns().kind() {
            Kind::Void => function,
            _ => function.reads_memory(),
        }
    })
}

/// A member of an [`Image`].
fn member<'c>(e: &Emit<'_, 'c>, image: Value<'c>, ty: Type<'c>, offset: usize) -> Value<'c> {
    let address = e.builder.offset(image, e.context.int(64).int(offset as u64));
    e.builder.load(ty, address).align(ty.bits() / 8)
}

fn query<'c>(
    e: &Emit<'_, 'c>,
    result: Type<'c>,
    image: Value<'c>,
    offset: usize,
    first: u32,
) -> Result<Value<'c>, Error> {
    if !matches!(result.kind(), Kind::Int(8..=64)) {
        return Err(invalid("the result must be an integer"));
    }
    // SPIR-V's enumerations start at 0, those of OpenCL at `first`. The order is the same.
    let number = member(e, image, e.context.int(32), offset);
    let number = e.builder.sub(number, number.ty().int(first.into()));
    Ok(e.builder.zext_or_trunc(number, result))
}

/// The size in each dimension, followed by the array size if the image is an array, then zeros.
fn size<'c>(e: &Emit<'_, 'c>, result: Type<'c>, image: Value<'c>) -> Result<Value<'c>, Error> {
    let b = e.builder;
    let lanes = result.lanes().unwrap_or(1);
    if !result.is_int() || !matches!(result.bits(), 16 | 32 | 64) || lanes > 4 {
        return Err(invalid("the result must be up to four integers"));
    }
    let (word, size) = (e.context.int(32), e.context.int(64));
    let dimensions = member(e, image, word, offset_of!(Image, dimensions));
    let is_array = member(e, image, word, offset_of!(Image, is_array));
    let array_size = member(e, image, size, offset_of!(Image, array_size));
    let layers = b.select(
        b.icmp(llvm_sys::LLVMIntPredicate::LLVMIntNE, is_array, word.zero()),
        array_size,
        size.zero(),
    );
    let sizes: Vec<_> = (0..lanes)
        .map(|i| {
            let own = match i {
                0..3 => member(e, image, size, offset_of!(Image, size) + 8 * i as usize),
                _ => size.zero(),
            };
            let compare = |predicate| b.icmp(predicate, dimensions, word.int(i.into()));
            let next = b.select(compare(llvm_sys::LLVMIntPredicate::LLVMIntEQ), layers, size.zero());
            let number = b.select(compare(llvm_sys::LLVMIntPredicate::LLVMIntUGT), own, next);
            b.zext_or_trunc(number, result.scalar())
        })
        .collect();
    Ok(e.join(result, &sizes))
}
