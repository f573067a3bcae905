// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Addressing and filtering: OpenCL C 3.0, section 8.2. Operations and their order are those of `crate::image::sample`.

use std::mem::offset_of;

use super::{Define, I, L};
use crate::Image;
use crate::image::Shape;
use crate::interface::sampler;
use crate::llvm::Value;

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
pub(crate) struct Places<'c> {
    pub data: Value<'c>,
    pub row_pitch: Option<Value<'c>>,
    pub slice_pitch: Option<Value<'c>>,
}

/// A pixel of an image, or of one in an array.
#[derive(Clone, Copy)]
pub(crate) struct Pixel<'c> {
    /// Its coordinates.
    pub at: [Option<Value<'c>>; 3],
    /// Which image of the array.
    pub layer: Option<Value<'c>>,
}

impl<'c> Pixel<'c> {
    /// The row, and what the pitch of slices counts.
    pub fn row_and_slice(&self) -> [Option<Value<'c>>; 2] {
        [self.at[1], self.at[2].or(self.layer)]
    }
}

impl<'c> Define<'_, 'c> {
    /// `(image, sampler, x, y, z)`
    pub(super) fn sample(&self, is_float: bool, shape: Shape) {
        let name = if is_float { "sample_float" } else { "sample_int" };
        self.ret(
            self.formats
                .or_call(self, is_float, name, &|| self.sampled(is_float, shape)),
        );
    }

    fn sampled(&self, is_float: bool, shape: Shape) -> Value<'c> {
        let bits = self.function.param(1);
        let layer = self.layer(shape, |at| {
            let rounded = self.call("llvm.rint", &[at]);
            let types = [self.cx.int(32), rounded.ty()];
            self.b.intrinsic(self.module, "llvm.fptoui.sat", &types, &[rounded])
        });
        let nearest = || {
            let axes: Vec<_> = (0..shape.dimensions()).map(|d| self.axis(d, bits, false)).collect();
            let at = std::array::from_fn(|d| axes.get(d).map(|axis| axis.low));
            self.fetch(is_float, shape, Pixel { at, layer })
        };
        match is_float {
            true => self.either(
                self.has_bit(bits, sampler::LINEAR),
                || {
                    let axes: Vec<_> = (0..shape.dimensions()).map(|d| self.axis(d, bits, true)).collect();
                    let places = self.formats.places(self, shape);
                    let mixed = |class| self.mixed(class, &places, &axes, layer);
                    self.by_class(true, &mixed)
                },
                nearest,
            ),
            false => nearest(),
        }
    }

    /// The colors of the pixels around a place, by their weights.
    fn mixed(&self, class: u32, places: &Places<'c>, axes: &[Axis<'c>], layer: Option<Value<'c>>) -> Value<'c> {
        let b = &self.b;
        let sides: Vec<_> = axes.iter().filter_map(|axis| Some((axis.low, axis.high?))).collect();
        // A loop, so that the code for a pixel is there once.
        let before = b.block();
        let [each, end] = ["corner", "mixed"].map(|name| self.function.append_block(name));
        b.br(each);
        b.go_to_end(each);
        let corner = b.phi(self.cx.int(32));
        let sum = b.phi(self.color(true));
        let mut weight = None;
        let mut at = [None; 3];
        for (d, (low, (high, fraction))) in sides.into_iter().enumerate() {
            let is_high = self.has_bit(corner, 1 << d);
            let one = b.fsub(self.real(1.0), fraction);
            let part = b.select(is_high, fraction, one);
            weight = Some(weight.map_or(part, |weight| b.fmul(weight, part)));
            at[d] = Some(b.select(is_high, high, low));
        }
        let color = self.either(
            self.is_inside(at),
            || self.color_of(class, true, places, Pixel { at, layer }),
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
        let name = if is_float { "read_float" } else { "read_int" };
        self.ret(
            self.formats
                .or_call(self, is_float, name, &|| self.read_pixel(is_float, shape)),
        );
    }

    fn read_pixel(&self, is_float: bool, shape: Shape) -> Value<'c> {
        let b = &self.b;
        let clamps = self.is(self.mode(0, self.function.param(1)), sampler::CLAMP_TO_EDGE);
        let at = std::array::from_fn(|d| {
            (d < shape.dimensions()).then(|| {
                let at = self.function.param(2 + d as u32);
                let last = b.sub(self.size(d), self.word(1));
                let clamped = self.call("llvm.smax", &[self.call("llvm.smin", &[at, last]), self.word(0)]);
                b.select(clamps, clamped, at)
            })
        });
        let layer = self.layer(shape, |at| self.call("llvm.smax", &[at, self.word(0)]));
        self.fetch(is_float, shape, Pixel { at, layer })
    }

    /// `(image, x, y, z, color)`
    pub(super) fn write(&self, is_float: bool, shape: Shape) {
        let name = if is_float { "write_float" } else { "write_int" };
        self.formats.or_call(self, is_float, name, &|| {
            self.write_pixel(is_float, shape);
            self.word(0)
        });
        self.b.ret(None);
    }

    fn write_pixel(&self, is_float: bool, shape: Shape) {
        let coordinate = |d: usize| self.function.param(1 + d as u32);
        let at = std::array::from_fn(|d| (d < shape.dimensions()).then(|| coordinate(d)));
        let layer = shape.is_array().then(|| coordinate(shape.dimensions()));
        let is_inside = self.is_inside(at);
        let is_inside = match layer {
            Some(layer) => {
                let is_layer = self.b.icmp(I::LLVMIntULT, layer, self.layers());
                self.b.and(is_inside, is_layer)
            }
            None => is_inside,
        };
        let places = self.formats.places(self, shape);
        self.only_if(is_inside, || {
            self.by_class(is_float, &|class| {
                let address = self.formats.address(self, class, &places, Pixel { at, layer });
                self.formats
                    .encode(self, class, is_float, address, self.function.param(4));
                self.word(0)
            });
        });
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
    pub fn size(&self, d: usize) -> Value<'c> {
        self.load(self.cx.int(32), offset_of!(Image, size) + 8 * d)
    }

    fn layers(&self) -> Value<'c> {
        self.load(self.cx.int(32), offset_of!(Image, array_size))
    }

    fn is_inside(&self, at: [Option<Value<'c>>; 3]) -> Value<'c> {
        let inside = at.into_iter().enumerate().filter_map(|(d, at)| {
            let at = at?;
            Some(self.b.icmp(I::LLVMIntULT, at, self.size(d)))
        });
        inside
            .reduce(|all, one| self.b.and(all, one))
            .unwrap_or(self.cx.int(1).int(1))
    }

    /// The color of a pixel of an image of a class.
    fn color_of(&self, class: u32, is_float: bool, places: &Places<'c>, pixel: Pixel<'c>) -> Value<'c> {
        let address = self.formats.address(self, class, places, pixel);
        self.formats.decode(self, class, is_float, address)
    }

    /// The color of a pixel, or of the border.
    fn fetch(&self, is_float: bool, shape: Shape, pixel: Pixel<'c>) -> Value<'c> {
        let places = self.formats.places(self, shape);
        self.either(
            self.is_inside(pixel.at),
            || self.by_class(is_float, &|class| self.color_of(class, is_float, &places, pixel)),
            || self.border(is_float),
        )
    }

    /// The value for the class of the image.
    fn by_class(&self, is_float: bool, value: &dyn Fn(u32) -> Value<'c>) -> Value<'c> {
        match *self.formats.classes(is_float) {
            [only] => value(only),
            ref classes => {
                let ways: Vec<_> = classes.iter().map(|&class| (class, move || value(class))).collect();
                let ways: Vec<(u32, &dyn Fn() -> Value<'c>)> =
                    ways.iter().map(|(class, way)| (*class, way as _)).collect();
                self.choose(self.formats.class(self), &ways)
            }
        }
    }

    fn border(&self, is_float: bool) -> Value<'c> {
        let (none, one) = match is_float {
            true => (self.real(0.0), self.real(1.0)),
            false => (self.word(0), self.word(1)),
        };
        let alpha = self.b.select(self.formats.has_opaque_border(self), one, none);
        self.b.insert_element(self.color(is_float).zero(), alpha, self.word(3))
    }
}
