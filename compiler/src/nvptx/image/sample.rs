// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Addressing and filtering: OpenCL C 3.0, section 8.2. Operations and their order are those of `crate::image::sample`.

use std::mem::{offset_of, size_of};

use llvm_sys::{LLVMIntPredicate as I, LLVMOpcode as L, LLVMRealPredicate as F};

use super::{Define, ImageDescriptor, class, flag, word};
use crate::Image;
use crate::image::Shape;
use crate::interface::sampler;
use crate::llvm::{Function, Type, Value};

/// The pixels for one coordinate.
#[derive(Clone, Copy)]
struct Axis<'c> {
    /// The pixel, or of two that are mixed the first.
    low: Value<'c>,
    /// The second, and its weight.
    high: Option<(Value<'c>, Value<'c>)>,
}

/// Where the pixels of an image are.
#[derive(Clone, Copy)]
struct Places<'c> {
    data: Value<'c>,
    /// The binary logarithm of the bytes of a pixel.
    shift: Value<'c>,
    row_pitch: Option<Value<'c>>,
    slice_pitch: Option<Value<'c>>,
}

/// A pixel, and the layer of an array.
type Pixel<'c> = ([Option<Value<'c>>; 3], Option<Value<'c>>);

impl<'c> Define<'_, 'c> {
    /// `(image, sampler, x, y, z)`
    pub(super) fn sample(&self, is_float: bool, shape: Shape) {
        let bits = self.function.param(1);
        let layer = self.layer(shape, |at| {
            let rounded = self.call("llvm.rint", &[at]);
            let types = [self.cx.int(32), rounded.ty()];
            self.b.intrinsic(self.module, "llvm.fptoui.sat", &types, &[rounded])
        });
        let nearest = || {
            let axes: Vec<_> = (0..shape.dimensions()).map(|d| self.axis(d, bits, false)).collect();
            let pixel = std::array::from_fn(|d| axes.get(d).map(|axis| axis.low));
            self.fetch(is_float, shape, (pixel, layer))
        };
        let color = match is_float {
            true => self.either(
                self.has_bit(bits, sampler::LINEAR),
                || {
                    let axes: Vec<_> = (0..shape.dimensions()).map(|d| self.axis(d, bits, true)).collect();
                    let places = self.places(shape);
                    let mixed = |class| self.mixed(class, &places, &axes, layer);
                    self.by_class(&mixed)
                },
                nearest,
            ),
            false => nearest(),
        };
        self.ret(color);
    }

    /// The colors of the pixels around a place, by their weights.
    fn mixed(&self, class: u32, places: &Places<'c>, axes: &[Axis<'c>], layer: Option<Value<'c>>) -> Value<'c> {
        let b = &self.b;
        let places = Places {
            shift: match class {
                class::BYTES => self.cx.int(64).int(2),
                class::FLOATS => self.cx.int(64).int(4),
                _ => places.shift,
            },
            ..*places
        };
        let sides: Vec<_> = axes.iter().filter_map(|axis| Some((axis.low, axis.high?))).collect();
        // A loop, so that the code for a pixel is there once.
        let before = b.block();
        let [each, end] = ["corner", "mixed"].map(|name| self.function.append_block(name));
        b.br(each);
        b.go_to_end(each);
        let corner = b.phi(self.cx.int(32));
        let sum = b.phi(self.color(true));
        let mut weight = None;
        let mut pixel = [None; 3];
        for (d, (low, (high, fraction))) in sides.into_iter().enumerate() {
            let is_high = self.has_bit(corner, 1 << d);
            let one = b.fsub(self.real(1.0), fraction);
            let part = b.select(is_high, fraction, one);
            weight = Some(weight.map_or(part, |weight| b.fmul(weight, part)));
            pixel[d] = Some(b.select(is_high, high, low));
        }
        let color = self.either(
            self.is_inside(pixel),
            || self.decode_class(class, self.address(&places, (pixel, layer))),
            || self.border(true),
        );
        let weight = b.splat(weight.unwrap_or(self.real(1.0)), 4);
        let next_sum = b.fadd(sum, b.fmul(weight, color));
        let next = b.add(corner, self.word(1));
        let last = b.block();
        let is_last = self.is(next, 1 << axes.len());
        b.cond_br(is_last, end, each);
        corner.add_incoming(&[(self.word(0), before), (next, last)]);
        sum.add_incoming(&[(self.color(true).zero(), before), (next_sum, last)]);
        b.go_to_end(end);
        next_sum
    }

    /// A coordinate and the pixels for it.
    fn axis(&self, d: usize, bits: Value<'c>, is_linear: bool) -> Axis<'c> {
        let b = &self.b;
        let (float, coordinate) = (self.cx.float(32), self.function.param(2 + d as u32));
        let size = self.size(d);
        let width = b.cast(L::LLVMUIToFP, size, float);
        let last = b.sub(size, self.word(1));
        let is_normalized = self.has_bit(bits, sampler::NORMALIZED);
        let mode = self.mode(d, bits);
        let floor = |x: Value<'c>| self.call("llvm.floor", &[x]);
        let whole = |u: Value<'c>| self.integer(floor(u));
        let least = |x, y| self.call("llvm.smin", &[x, y]);
        let most = |x, y| self.call("llvm.smax", &[x, y]);
        // Each way has the pixel for nearest filtering, or the two for linear filtering and the weight.
        let packed = |low: Value<'c>, high: Value<'c>, fraction: Value<'c>| {
            let word = self.cx.int(32);
            self.join([low, high, b.bitcast(fraction, word), word.poison()])
        };
        let pair = |u: Value<'c>, fit: &dyn Fn(Value<'c>, Value<'c>) -> (Value<'c>, Value<'c>)| {
            let middle = b.fsub(u, self.real(0.5));
            let below = floor(middle);
            let low = self.integer(below);
            let high = self.call("llvm.sadd.sat", &[low, self.word(1)]);
            let (low, high) = fit(low, high);
            packed(low, high, b.fsub(middle, below))
        };
        let single = |pixel: Value<'c>| packed(pixel, pixel, self.real(0.0));
        let turns = || {
            let each = self.either(is_normalized, || coordinate, || b.fdiv(coordinate, width));
            (each, width)
        };
        let plain = || b.select(is_normalized, b.fmul(coordinate, width), coordinate);
        let clamp = |at| most(least(at, last), self.word(0));
        let found = self.choose(
            mode,
            &[
                (sampler::CLAMP_TO_EDGE, &|| match is_linear {
                    true => pair(plain(), &|low, high| (clamp(low), clamp(high))),
                    false => single(clamp(whole(plain()))),
                }),
                (sampler::REPEAT, &|| {
                    let (turns, width) = turns();
                    let u = b.fmul(b.fsub(turns, floor(turns)), width);
                    let lower = |at: Value<'c>| {
                        let is_beyond = b.icmp(I::LLVMIntSGT, at, last);
                        b.select(is_beyond, b.sub(at, size), at)
                    };
                    match is_linear {
                        true => pair(u, &|low, high| {
                            let is_before = b.icmp(I::LLVMIntSLT, low, self.word(0));
                            (b.select(is_before, b.add(low, size), low), lower(high))
                        }),
                        false => single(lower(whole(u))),
                    }
                }),
                (sampler::MIRRORED_REPEAT, &|| {
                    let (turns, width) = turns();
                    let half = b.fmul(self.real(0.5), turns);
                    let nearest_even = b.fmul(self.real(2.0), self.call("llvm.rint", &[half]));
                    let u = b.fmul(self.call("llvm.fabs", &[b.fsub(turns, nearest_even)]), width);
                    match is_linear {
                        true => pair(u, &|low, high| (most(low, self.word(0)), least(high, last))),
                        false => single(least(whole(u), last)),
                    }
                }),
                // Pixels outside of the image are the border.
                (sampler::NONE, &|| match is_linear {
                    true => pair(plain(), &|low, high| (low, high)),
                    false => single(whole(plain())),
                }),
            ],
        );
        let [low, high, fraction, _] = self.split(found);
        Axis {
            low,
            high: is_linear.then(|| (high, b.bitcast(fraction, float))),
        }
    }

    /// The addressing mode for a coordinate.
    fn mode(&self, d: usize, bits: Value<'c>) -> Value<'c> {
        let b = &self.b;
        let mode = |low: u32| b.and(b.lshr(bits, self.word(low)), self.word(7));
        match d {
            0 => mode(sampler::MODE),
            _ => {
                let own = mode(sampler::MODES[d - 1]);
                b.select(self.has_bit(bits, sampler::BY_DIMENSION), own, mode(sampler::MODE))
            }
        }
    }

    /// `(image, sampler, x, y, z)`, which are integers. OpenCL allows only the addressing modes that clamp.
    pub(super) fn read(&self, is_float: bool, shape: Shape) {
        let b = &self.b;
        let clamps = self.is(self.mode(0, self.function.param(1)), sampler::CLAMP_TO_EDGE);
        let pixel = std::array::from_fn(|d| {
            (d < shape.dimensions()).then(|| {
                let at = self.function.param(2 + d as u32);
                let last = b.sub(self.size(d), self.word(1));
                let clamped = self.call("llvm.smax", &[self.call("llvm.smin", &[at, last]), self.word(0)]);
                b.select(clamps, clamped, at)
            })
        });
        let layer = self.layer(shape, |at| self.call("llvm.smax", &[at, self.word(0)]));
        self.ret(self.fetch(is_float, shape, (pixel, layer)));
    }

    /// `(image, x, y, z, color)`
    pub(super) fn write(&self, is_float: bool, shape: Shape) {
        let at = |d: usize| self.function.param(1 + d as u32);
        let pixel = std::array::from_fn(|d| (d < shape.dimensions()).then(|| at(d)));
        let layer = shape.is_array().then(|| at(shape.dimensions()));
        let is_inside = self.is_inside(pixel);
        let is_inside = match layer {
            Some(layer) => {
                let is_layer = self.b.icmp(I::LLVMIntULT, layer, self.layers());
                self.b.and(is_inside, is_layer)
            }
            None => is_inside,
        };
        let places = self.places(shape);
        self.only_if(is_inside, || {
            let at = self.address(&places, (pixel, layer));
            let color = self.function.param(4);
            if !is_float {
                self.b.call(self.encode(false), &[self.function.param(0), at, color]);
                return;
            }
            self.by_class(&|class| {
                self.encode_class(class, at, color);
                self.word(0)
            });
        });
        self.b.ret(None);
    }

    /// The layer that the coordinate behind those of the dimensions selects: clamped to the array.
    fn layer(&self, shape: Shape, index: impl FnOnce(Value<'c>) -> Value<'c>) -> Option<Value<'c>> {
        shape.is_array().then(|| {
            let at = index(self.function.param(2 + shape.dimensions() as u32));
            let last = self.b.sub(self.layers(), self.word(1));
            self.call("llvm.umin", &[at, last])
        })
    }

    /// The pixels of a dimension.
    fn size(&self, d: usize) -> Value<'c> {
        self.load(self.cx.int(32), offset_of!(Image, size) + 8 * d)
    }

    fn layers(&self) -> Value<'c> {
        self.load(self.cx.int(32), offset_of!(Image, array_size))
    }

    fn is_inside(&self, pixel: [Option<Value<'c>>; 3]) -> Value<'c> {
        let inside = pixel.into_iter().enumerate().filter_map(|(d, at)| {
            let at = at?;
            Some(self.b.icmp(I::LLVMIntULT, at, self.size(d)))
        });
        inside
            .reduce(|all, one| self.b.and(all, one))
            .unwrap_or(self.cx.int(1).int(1))
    }

    /// Where the pixels of an image are. They are loaded here, outside of loops and conditions.
    fn places(&self, shape: Shape) -> Places<'c> {
        let wide = self.cx.int(64);
        let member = |offset: usize| self.load(wide, offset);
        Places {
            data: member(offset_of!(Image, data)),
            shift: self.b.zext_or_trunc(word!(self, shift), wide),
            // A product of words takes one instruction.
            row_pitch: (shape.dimensions() > 1).then(|| self.load(self.cx.int(32), offset_of!(Image, row_pitch))),
            slice_pitch: (shape.is_array() || shape.dimensions() > 2).then(|| member(offset_of!(Image, slice_pitch))),
        }
    }

    /// The address of a pixel.
    fn address(&self, places: &Places<'c>, (pixel, layer): Pixel<'c>) -> Value<'c> {
        let (b, wide) = (&self.b, self.cx.int(64));
        let widened = |value| b.zext_or_trunc(value, wide);
        let [x, y, z] = pixel;
        let mut address = places.data;
        if let Some(x) = x {
            address = b.add(address, b.shl(widened(x), places.shift));
        }
        for (at, pitch) in [(y, places.row_pitch), (z.or(layer), places.slice_pitch)] {
            if let (Some(at), Some(pitch)) = (at, pitch) {
                address = b.add(address, b.mul(widened(at), widened(pitch)));
            }
        }
        address
    }

    /// The color of a pixel, or of the border.
    fn fetch(&self, is_float: bool, shape: Shape, place: Pixel<'c>) -> Value<'c> {
        let places = self.places(shape);
        self.either(
            self.is_inside(place.0),
            || {
                let at = self.address(&places, place);
                match is_float {
                    true => self.by_class(&|class| self.decode_class(class, at)),
                    false => self.b.call(self.decode(false), &[self.function.param(0), at]),
                }
            },
            || self.border(is_float),
        )
    }

    /// The value for the class of the image.
    fn by_class(&self, value: &dyn Fn(u32) -> Value<'c>) -> Value<'c> {
        self.choose(
            word!(self, class),
            &[
                (class::BYTES, &|| value(class::BYTES)),
                (class::FLOATS, &|| value(class::FLOATS)),
                (class::GENERAL, &|| value(class::GENERAL)),
            ],
        )
    }

    fn border(&self, is_float: bool) -> Value<'c> {
        let (none, one) = match is_float {
            true => (self.real(0.0), self.real(1.0)),
            false => (self.word(0), self.word(1)),
        };
        let alpha = self.b.select(self.has_flag(flag::OPAQUE_BORDER), one, none);
        self.b.insert_element(self.color(is_float).zero(), alpha, self.word(3))
    }

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
