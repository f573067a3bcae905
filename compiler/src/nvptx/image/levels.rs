// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Levels of mipmaps, and cubes.

use std::mem::{offset_of, size_of};

use llvm_sys::{LLVMOpcode as L, LLVMRealPredicate as F};

use super::{ImageDescriptor, word};
use crate::image::Shape;
use crate::image::code::Define;
use crate::interface::sampler;
use crate::llvm::{Function, Type, Value};

impl<'c> Define<'_, 'c> {
    /// A function like this one, of another name.
    fn other(&self, name: &str, ty: Type<'c>) -> Function<'c> {
        self.module.declare(name, ty)
    }

    /// The function that samples an image of a shape.
    fn sampler(&self, is_float: bool, shape: Shape) -> Function<'c> {
        let number = if is_float { "float" } else { "int" };
        let float = self.cx.float(32);
        let params = [self.function.param(0).ty(), self.cx.int(32), float, float, float];
        let name = format!("oxur_image_sample_{number}_{}", shape.suffix());
        self.other(&name, self.color(is_float).function(&params))
    }

    /// `(image, sampler, x, y, z, level)`
    pub(super) fn sample_level(&self, is_float: bool, shape: Shape) {
        let b = &self.b;
        let [image, bits, x, y, z, level] = std::array::from_fn(|i| self.function.param(i as u32));
        let float = self.cx.float(32);
        let [low, high] = [
            offset_of!(ImageDescriptor, min_level),
            offset_of!(ImageDescriptor, max_level),
        ]
        .map(|at| self.load(float, at));
        let last = b.sub(word!(self, levels), self.word(1));
        let bounded = self.call("llvm.minnum", &[self.call("llvm.maxnum", &[level, low]), high]);
        let sampler = self.sampler(is_float, shape);
        let sampled = |level: Value<'c>| {
            let level = self.call("llvm.umin", &[level, last]);
            let bytes = b.mul(level, self.word(size_of::<ImageDescriptor>() as u32));
            let image = b.offset(image, b.zext_or_trunc(bytes, self.cx.int(64)));
            b.call(sampler, &[image, bits, x, y, z])
        };
        let positive = |x: Value<'c>| {
            let types = [self.cx.int(32), float];
            b.intrinsic(self.module, "llvm.fptoui.sat", &types, &[x])
        };
        let nearest = || {
            let half_up = b.fadd(bounded, self.real(0.5));
            sampled(positive(half_up))
        };
        let color = match is_float {
            true => self.either(
                self.has_bit(bits, sampler::LINEAR_LEVELS),
                || {
                    let below = self.call("llvm.floor", &[self.call("llvm.maxnum", &[bounded, self.real(0.0)])]);
                    let fraction = b.fsub(bounded, below);
                    let level = positive(below);
                    let first = sampled(level);
                    let is_whole = b.fcmp(F::LLVMRealOLE, fraction, self.real(0.0));
                    self.either(
                        is_whole,
                        || first,
                        || {
                            let second = sampled(b.add(level, self.word(1)));
                            let rest = b.fsub(self.real(1.0), fraction);
                            b.fadd(b.fmul(b.splat(rest, 4), first), b.fmul(b.splat(fraction, 4), second))
                        },
                    )
                },
                nearest,
            ),
            false => nearest(),
        };
        self.ret(color);
    }

    /// `(image, dx, dy)`, each of three numbers: how far normalized coordinates are from those of the neighbours. The level
    /// whose pixels are as far apart: OpenCL C's extension `cl_khr_mipmap_image`, which leaves the scale to OpenGL.
    pub(super) fn gradient(&self, shape: Shape) {
        let b = &self.b;
        let float = self.cx.float(32);
        let length = |first: u32| {
            let squares = (0..shape.dimensions()).map(|d| {
                let width = b.cast(L::LLVMUIToFP, self.size(d), float);
                let pixels = b.fmul(self.function.param(first + d as u32), width);
                b.fmul(pixels, pixels)
            });
            squares
                .reduce(|sum, square| b.fadd(sum, square))
                .unwrap_or(self.real(0.0))
        };
        let square = self.call("llvm.maxnum", &[length(1), length(4)]);
        // Of no gradient the finest level.
        let square = self.call("llvm.maxnum", &[square, self.real(f32::MIN_POSITIVE)]);
        let exponent = b.intrinsic(self.module, "llvm.nvvm.lg2.approx.f", &[], &[square]);
        self.ret(b.fmul(exponent, self.real(0.5)));
    }

    /// `(image, sampler, x, y, z)`, which is a direction: a face of the cube and a place on it. Faces are layers, in the
    /// order +x, -x, +y, -y, +z, -z. Filters do not cross their edges.
    pub(super) fn sample_cube(&self, is_float: bool) {
        let b = &self.b;
        let [image, bits, x, y, z] = std::array::from_fn(|i| self.function.param(i as u32));
        let [far_x, far_y, far_z] = [x, y, z].map(|at| self.call("llvm.fabs", &[at]));
        let is_more = |one, other| b.fcmp(F::LLVMRealOGE, one, other);
        let is_x = b.and(is_more(far_x, far_y), is_more(far_x, far_z));
        let is_y = is_more(far_y, far_z);
        let is_negative = |at| b.fcmp(F::LLVMRealOLT, at, self.real(0.0));
        let pick = |of_x, of_y, of_z| b.select(is_x, of_x, b.select(is_y, of_y, of_z));
        let turned = |at: Value<'c>, by: Value<'c>| b.select(is_negative(by), at, b.fneg(at));
        let kept = |at: Value<'c>, by: Value<'c>| b.select(is_negative(by), b.fneg(at), at);
        let along = pick(turned(z, x), x, kept(x, z));
        let down = pick(b.fneg(y), kept(z, y), b.fneg(y));
        let far = pick(far_x, far_y, far_z);
        let major = pick(x, y, z);
        let first = pick(self.real(0.0), self.real(2.0), self.real(4.0));
        let face = b.select(is_negative(major), b.fadd(first, self.real(1.0)), first);
        let place = |at| b.fmul(b.fadd(b.fdiv(at, far), self.real(1.0)), self.real(0.5));
        let linear = b.and(bits, self.word(sampler::LINEAR));
        let bits = b.or(
            linear,
            self.word(sampler::NORMALIZED | sampler::CLAMP_TO_EDGE << sampler::MODE),
        );
        let sampler = self.sampler(is_float, Shape::D2Array);
        self.ret(b.call(sampler, &[image, bits, place(along), place(down), face]));
    }
}
