// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The formats that have code of their own on the CPU: those that most images have.
//!
//! The class of an image is the same for all items, so that a vector of them takes one way, with gathers and scatters. Other
//! formats are calls of the functions in Rust, for one item each.

use std::mem::offset_of;

use super::{Action, Define, F, Formats, I, L, Pixel, Places};
use crate::image::Shape;
use crate::image::emit::runtime_function;
use crate::image::format::{class, class_shift};
use crate::llvm::{Builder, Context, Function, Kind, Module, Value};
use crate::{Image, Target};

/// What the CPU has of its own.
struct OfCpu;

/// A kernel with more accesses to images calls the functions in Rust, so that it is not compiled for long. 32 reads take a second, as do
/// 8 samples, which have code for all addressing modes, by pixel and between pixels.
const MOST_READS: usize = 32;
const READS_OF_A_SAMPLE: usize = 4;

/// Whether a kernel calls functions that [`define`] can define: some, but not too many.
pub(crate) fn are_few(module: &Module<'_>) -> bool {
    let cost = |function: Function<'_>| {
        let each = match super::parse(&function.name())?.0 {
            Action::Sample => READS_OF_A_SAMPLE,
            _ => 1,
        };
        Some(each * Value::from(function).users().len())
    };
    (1..=MOST_READS).contains(&module.functions().into_iter().filter_map(cost).sum())
}

/// Defines the functions that a kernel calls, for vectors of items.
pub(crate) fn define(module: &Module<'_>) {
    super::define(module, &OfCpu);
}

/// A member of the image that is a word. Sizes and pitches of images that have a class fit into one.
macro_rules! word {
    ($define:expr, $member:ident) => {
        $define.load($define.cx.int(32), offset_of!(Image, $member))
    };
}

impl Formats for OfCpu {
    fn image<'c>(&self, _b: &Builder<'c>, _cx: &'c Context, parameter: Value<'c>) -> Value<'c> {
        parameter
    }

    fn class<'c>(&self, define: &Define<'_, 'c>) -> Value<'c> {
        word!(define, class)
    }

    fn classes(&self, is_float: bool) -> &'static [u32] {
        match is_float {
            true => &[
                class::BYTES,
                class::BGRA_BYTES,
                class::BYTE,
                class::FLOATS,
                class::FLOAT,
                class::HALFS,
            ],
            false => &[class::INTS_8, class::INT_8, class::INTS_32, class::INT_32],
        }
    }

    fn or_call<'c>(
        &self,
        define: &Define<'_, 'c>,
        is_float: bool,
        name: &str,
        code: &dyn Fn() -> Value<'c>,
    ) -> Value<'c> {
        let (function, b) = (define.function, &define.b);
        let classes = self.classes(is_float);
        let first = b.sub(self.class(define), define.word(classes[0]));
        let has_code = b.icmp(I::LLVMIntULT, first, define.word(classes.len() as u32));
        define.either(has_code, code, || {
            let all = runtime_function(define.module, name, function.function_type());
            let value = b.call(all, &function.params());
            match function.function_type().returns().kind() {
                Kind::Void => define.word(0),
                _ => value,
            }
        })
    }

    fn places<'c>(&self, define: &Define<'_, 'c>, shape: Shape) -> Places<'c> {
        Places {
            data: define.load(define.cx.ptr(), offset_of!(Image, data)),
            row_pitch: (shape.dimensions() > 1).then(|| word!(define, row_pitch)),
            slice_pitch: (shape.is_array() || shape.dimensions() > 2).then(|| word!(define, slice_pitch)),
        }
    }

    fn address<'c>(&self, define: &Define<'_, 'c>, class: u32, places: &Places<'c>, pixel: Pixel<'c>) -> Value<'c> {
        let b = &define.b;
        let shift = define.word(class_shift(class).unwrap_or(0));
        let mut offset = b.shl(pixel.at[0].unwrap_or(define.word(0)), shift);
        for (at, pitch) in (pixel.row_and_slice().into_iter()).zip([places.row_pitch, places.slice_pitch]) {
            if let (Some(at), Some(pitch)) = (at, pitch) {
                offset = b.add(offset, b.mul(at, pitch));
            }
        }
        // It is less than 2^31: gathers take words with a sign.
        b.offset(places.data, b.sext_or_trunc(offset, define.cx.int(64)))
    }

    fn decode<'c>(&self, define: &Define<'_, 'c>, class: u32, _is_float: bool, at: Value<'c>) -> Value<'c> {
        let (b, cx) = (&define.b, define.cx);
        let load = |ty| b.load(ty, at).align(1);
        let bytes = || define.bytes(load(cx.int(32)));
        let byte = || b.zext_or_trunc(load(cx.int(8)), cx.int(32));
        let fraction = |byte| fraction(define, byte);
        let one = |red: Value<'c>, alpha: Value<'c>| define.join([red, red.ty().zero(), red.ty().zero(), alpha]);
        match class {
            class::BYTES => define.join(bytes().map(fraction)),
            class::BGRA_BYTES => {
                let [blue, green, red, alpha] = bytes().map(fraction);
                define.join([red, green, blue, alpha])
            }
            class::BYTE => one(fraction(byte()), define.real(1.0)),
            class::FLOATS => load(define.color(true)),
            class::FLOAT => one(load(cx.float(32)), define.real(1.0)),
            class::HALFS => {
                let word = load(cx.int(64));
                define.join([0, 16, 32, 48].map(|low| {
                    let bits = b.zext_or_trunc(b.lshr(word, cx.int(64).int(low)), cx.int(16));
                    half(define, bits)
                }))
            }
            class::INTS_8 => define.join(bytes()),
            class::INT_8 => one(byte(), define.word(1)),
            class::INTS_32 => load(define.color(false)),
            _ => one(load(cx.int(32)), define.word(1)),
        }
    }

    fn encode<'c>(&self, define: &Define<'_, 'c>, class: u32, _is_float: bool, at: Value<'c>, color: Value<'c>) {
        let (b, cx) = (&define.b, define.cx);
        let store = |value| {
            b.store(value, at).align(1);
        };
        let byte_of_fraction = |part| byte_of_fraction(define, part);
        let least = |part| define.call("llvm.umin", &[part, define.word(255)]);
        let parts = define.split(color);
        let [red, green, blue, alpha] = parts;
        match class {
            class::BYTES => store(define.word_of(parts.map(byte_of_fraction))),
            class::BGRA_BYTES => store(define.word_of([blue, green, red, alpha].map(byte_of_fraction))),
            class::BYTE => store(b.zext_or_trunc(byte_of_fraction(red), cx.int(8))),
            class::HALFS => {
                let bits = parts.map(|part| {
                    let half = b.bitcast(b.fpcast(part, cx.float(16)), cx.int(16));
                    b.zext_or_trunc(half, cx.int(64))
                });
                let [first, ..] = bits;
                store((1..4).fold(first, |word, i| {
                    b.or(word, b.shl(bits[i], cx.int(64).int(16 * i as u64)))
                }));
            }
            class::INTS_8 => store(define.word_of(parts.map(least))),
            class::INT_8 => store(b.zext_or_trunc(least(red), cx.int(8))),
            class::FLOATS | class::INTS_32 => store(color),
            _ => store(red),
        }
    }

    fn has_opaque_border<'c>(&self, define: &Define<'_, 'c>) -> Value<'c> {
        let b = &define.b;
        let class = self.class(define);
        let is = |other| b.icmp(I::LLVMIntEQ, class, define.word(other));
        let red = [class::BYTE, class::FLOAT, class::INT_8, class::INT_32].map(is);
        red.into_iter().reduce(|any, one| b.or(any, one)).unwrap_or(red[0])
    }

    fn define_more(&self, _define: &Define<'_, '_>, _action: Action, _is_float: bool, _shape: Shape) {
        unreachable!("functions for the CPU have no levels and no cubes");
    }
}

/// The number of a half with these bits.
fn half<'c>(define: &Define<'_, 'c>, bits: Value<'c>) -> Value<'c> {
    let (b, float) = (&define.b, define.cx.float(32));
    if Target::Host.converts_halfs() {
        return b.fpcast(b.bitcast(bits, define.cx.float(16)), float);
    }
    // Without an instruction that would be a call for each lane. The exponents of both types differ by 112, also for numbers
    // that are denormal as halfs; what is too large then has the largest exponent.
    let bits = b.zext_or_trunc(bits, define.cx.int(32));
    let sign = b.shl(b.and(bits, define.word(0x8000)), define.word(16));
    let size = b.shl(b.and(bits, define.word(0x7fff)), define.word(13));
    let number = b.fmul(b.bitcast(size, float), float.real(f64::from(1u32 << 28).powi(4)));
    let is_finite = b.fcmp(F::LLVMRealOLT, number, define.real(65536.0));
    let size = b.bitcast(number, define.cx.int(32));
    let size = b.select(is_finite, size, b.or(size, define.word(0x7f80_0000)));
    b.bitcast(b.or(size, sign), float)
}

/// A byte divided by 255, correctly rounded.
fn fraction<'c>(define: &Define<'_, 'c>, byte: Value<'c>) -> Value<'c> {
    let b = &define.b;
    let number = b.cast(L::LLVMSIToFP, byte, define.cx.float(32));
    match Target::Host.has_fma() {
        true => define.divided(number, define.real(255.0), define.real(1.0 / 255.0)),
        false => b.fdiv(number, define.real(255.0)),
    }
}

/// A fraction as a byte, to the nearest even one. NaN becomes 0.
fn byte_of_fraction<'c>(define: &Define<'_, 'c>, fraction: Value<'c>) -> Value<'c> {
    let b = &define.b;
    let (zero, most) = (define.real(0.0), define.real(255.0));
    let scaled = b.fmul(fraction, most);
    // No comparison with NaN holds.
    let raised = b.select(b.fcmp(F::LLVMRealOGT, scaled, zero), scaled, zero);
    let bounded = b.select(b.fcmp(F::LLVMRealOLT, raised, most), raised, most);
    b.cast(L::LLVMFPToSI, define.call("llvm.rint", &[bounded]), define.cx.int(32))
}
