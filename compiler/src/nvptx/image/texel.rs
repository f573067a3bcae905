// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Pixel formats: OpenCL C 3.0, section 8.3.

use std::mem::offset_of;

use llvm_sys::{LLVMIntPredicate as I, LLVMOpcode as L, LLVMRealPredicate as F};

use super::{ImageDescriptor, flag, has_flag, kind, source, word};
use crate::image::code::Define;
use crate::image::format::{self, class};
use crate::llvm::{Function, Type, Value};

/// The color of a pixel at an address, of an image of a [`class`].
pub(super) fn decode<'c>(define: &Define<'_, 'c>, class: u32, is_float: bool, address: Value<'c>) -> Value<'c> {
    define.decode_class(class, is_float, address)
}

/// Writes a color to a pixel at an address, of an image of a [`class`].
pub(super) fn encode<'c>(define: &Define<'_, 'c>, class: u32, is_float: bool, address: Value<'c>, color: Value<'c>) {
    define.encode_class(class, is_float, address, color);
}

impl<'c> Define<'_, 'c> {
    /// A helper of these functions, by its name.
    fn helper(&self, name: &str, ty: Type<'c>, define: impl FnOnce(Define<'_, 'c>)) -> Function<'c> {
        self.module.function(name).unwrap_or_else(|| {
            let function = self.module.add_function(name, ty);
            define(self.beside(function));
            function
        })
    }

    /// `(image, address)`: the color of a pixel.
    fn decode(&self, is_float: bool) -> Function<'c> {
        let (image, wide) = (self.function.param(0).ty(), self.cx.int(64));
        let ty = self.color(is_float).function(&[image, wide]);
        let name = if is_float {
            "oxur_image_decode_float"
        } else {
            "oxur_image_decode_int"
        };
        self.helper(name, ty, |define| define.define_decode(is_float))
    }

    fn decode_class(&self, class: u32, is_float: bool, address: Value<'c>) -> Value<'c> {
        let b = &self.b;
        let at = self.global(address);
        match class {
            class::FLOATS => b.load(self.color(true), at).align(16),
            class::BYTES => {
                let word = b.load(self.cx.int(32), at).align(4);
                let numbers = b.cast(L::LLVMUIToFP, self.join(self.bytes(word)), self.color(true));
                let [one, inverse] = [255.0, 1.0 / 255.0].map(|number| b.splat(self.real(number), 4));
                self.divided(numbers, one, inverse)
            }
            _ => b.call(self.decode(is_float), &[self.function.param(0), address]),
        }
    }

    /// `(image, address, color)`: writes a pixel.
    fn encode(&self, is_float: bool) -> Function<'c> {
        let (image, wide) = (self.function.param(0).ty(), self.cx.int(64));
        let ty = self.cx.void().function(&[image, wide, self.color(is_float)]);
        let name = if is_float {
            "oxur_image_encode_float"
        } else {
            "oxur_image_encode_int"
        };
        self.helper(name, ty, |define| define.define_encode(is_float))
    }

    fn encode_class(&self, class: u32, is_float: bool, address: Value<'c>, color: Value<'c>) {
        let b = &self.b;
        match class {
            class::FLOATS => {
                b.store(color, self.global(address)).align(16);
            }
            class::BYTES => {
                let one = b.splat(self.real(255.0), 4);
                let bytes = self.split(self.scaled(color, one, one.ty().zero()));
                b.store(self.word_of(bytes), self.global(address)).align(4);
            }
            _ => _ = b.call(self.encode(is_float), &[self.function.param(0), address, color]),
        }
    }

    fn define_decode(&self, is_float: bool) {
        let words = self.words();
        let channels = self.unpack(words);
        let numbers = match is_float {
            true => self.choose(
                word!(self, kind),
                &[
                    (kind::FRACTION, &|| self.fractions(channels)),
                    (kind::SIGNED, &|| self.b.cast(L::LLVMSIToFP, channels, self.color(true))),
                    (kind::UNSIGNED, &|| {
                        self.b.cast(L::LLVMUIToFP, channels, self.color(true))
                    }),
                    (kind::HALF, &|| {
                        let halves = self.b.zext_or_trunc(channels, self.cx.int(16).vector(4));
                        let halves = self.b.bitcast(halves, self.cx.float(16).vector(4));
                        self.b.fpcast(halves, self.color(true))
                    }),
                    (kind::FLOAT, &|| self.b.bitcast(channels, self.color(true))),
                ],
            ),
            // OpenCL leaves open what integers of other formats are.
            false => channels,
        };
        let order = word!(self, read_from);
        let color = self.either(
            self.is(order, source::SAME),
            || numbers,
            || {
                let one = if is_float { self.real(1.0) } else { self.word(1) };
                let numbers = self.split(numbers);
                self.join([0, 1, 2, 3].map(|component| {
                    let from = self.b.and(self.b.lshr(order, self.word(4 * component)), self.word(15));
                    let constant = self.b.select(self.is(from, source::ONE), one, one.ty().zero());
                    (0..4).fold(constant, |other, channel| {
                        self.b.select(self.is(from, channel), numbers[channel as usize], other)
                    })
                }))
            },
        );
        self.ret(match is_float {
            true => self.either(has_flag(self, flag::SRGB), || self.linear(color, channels), || color),
            false => color,
        });
    }

    /// The words of a pixel, at an address that is the second parameter. What is beyond the pixel is zero.
    fn words(&self) -> Value<'c> {
        let (word, none) = (self.cx.int(32), self.color(false).zero());
        let at = self.global(self.function.param(1));
        let part = |bits: u32| {
            let value = self.b.load(self.cx.int(bits), at).align(bits / 8);
            self.b
                .insert_element(none, self.b.zext_or_trunc(value, word), self.word(0))
        };
        self.choose(
            word!(self, shift),
            &[
                (0, &|| part(8)),
                (1, &|| part(16)),
                (2, &|| part(32)),
                (3, &|| {
                    let pair = self.b.load(word.vector(2), at).align(8);
                    self.b.shuffle(pair, pair.ty().zero(), &[0, 1, 2, 2])
                }),
                (4, &|| self.b.load(word.vector(4), at).align(16)),
            ],
        )
    }

    /// The channels that words have.
    fn unpack(&self, words: Value<'c>) -> Value<'c> {
        let all = self.split(words);
        let bits = word!(self, bits);
        let raw = self.choose(
            bits,
            &[
                (8, &|| {
                    self.join([0, 8, 16, 24].map(|low| self.b.lshr(all[0], self.word(low))))
                }),
                (16, &|| {
                    let parts = [(0, 0), (0, 16), (1, 0), (1, 16)];
                    self.join(parts.map(|(word, low)| self.b.lshr(all[word], self.word(low))))
                }),
                (32, &|| words),
            ],
        );
        // What is above a channel becomes its sign, or zeros.
        let cut = self.b.splat(self.b.sub(self.word(32), bits), 4);
        let high = self.b.shl(raw, cut);
        self.either(
            has_flag(self, flag::SIGNED),
            || self.b.ashr(high, cut),
            || self.b.lshr(high, cut),
        )
    }

    /// Integers that stand for fractions.
    fn fractions(&self, channels: Value<'c>) -> Value<'c> {
        let b = &self.b;
        let numbers = b.cast(L::LLVMSIToFP, channels, self.color(true));
        let [one, inverse] = [offset_of!(ImageDescriptor, one), offset_of!(ImageDescriptor, inverse)]
            .map(|at| b.splat(self.load(self.cx.float(32), at), 4));
        let quotient = self.divided(numbers, one, inverse);
        self.call("llvm.maxnum", &[quotient, self.color(true).real(-1.0)])
    }

    /// A color whose red, green and blue are those of sRGB, of which there are 256 each.
    fn linear(&self, color: Value<'c>, channels: Value<'c>) -> Value<'c> {
        let numbers: Vec<_> = (0..=255)
            .map(|c| self.real(format::linear_from_srgb(c as f32 / 255.0)))
            .collect();
        let table = self.table("oxur_image_srgb", &numbers);
        let order = word!(self, read_from);
        let channels = self.split(channels);
        // Blue may come first.
        let is_turned = self
            .b
            .icmp(I::LLVMIntNE, self.b.and(order, self.word(15)), self.word(0));
        let at = |i: usize| {
            let index = match i {
                1 => channels[1],
                _ => self.b.select(is_turned, channels[2 - i], channels[i]),
            };
            let place = self.b.gep(
                self.cx.float(32),
                table,
                &[self.b.zext_or_trunc(index, self.cx.int(64))],
                true,
            );
            self.b.load(self.cx.float(32), place).align(4)
        };
        (0..3).fold(color, |color, i| {
            self.b.insert_element(color, at(i), self.word(i as u32))
        })
    }

    /// The numbers of sRGB for a color that is written, as 255ths.
    fn srgb(&self, color: Value<'c>) -> Value<'c> {
        // From the linear color on that each number stands for, it is the nearest.
        let limits: Vec<_> = (0..255)
            .map(|c| self.real(first_rounded_up(c)))
            .chain([self.real(f32::INFINITY)])
            .collect();
        let table = self.table("oxur_image_srgb_limits", &limits);
        let (wide, float) = (self.cx.int(64), self.cx.float(32));
        let all = self.split(color);
        let encoded = [0, 1, 2].map(|i| {
            // Eight steps find one of 256. NaN is less than all.
            let index = (0..8).rev().fold(wide.zero(), |found, bit| {
                let further = self.b.add(found, wide.int(1 << bit));
                let last = self.b.sub(further, wide.int(1));
                let limit = self.b.load(float, self.b.gep(float, table, &[last], true)).align(4);
                self.b
                    .select(self.b.fcmp(F::LLVMRealOGE, all[i], limit), further, found)
            });
            let number = self
                .b
                .cast(L::LLVMUIToFP, self.b.zext_or_trunc(index, self.cx.int(32)), float);
            self.b.fmul(number, self.real(1.0 / 255.0))
        });
        self.join([encoded[0], encoded[1], encoded[2], all[3]])
    }

    /// A table that kernels read.
    fn table(&self, name: &str, numbers: &[Value<'c>]) -> Value<'c> {
        self.module.global(name).unwrap_or_else(|| {
            let float = self.cx.float(32);
            let contents = Value::array(float, numbers);
            let ty = float.array(numbers.len() as u64);
            self.module.add_global(name, ty, Some(contents), true).align(4)
        })
    }

    fn define_encode(&self, is_float: bool) {
        let b = &self.b;
        let color = self.function.param(2);
        let color = match is_float {
            true => self.either(has_flag(self, flag::SRGB), || self.srgb(color), || color),
            false => color,
        };
        let order = word!(self, write_from);
        let components = self.split(color);
        let numbers = self.join([0, 1, 2, 3].map(|channel| {
            let from = b.and(b.lshr(order, self.word(4 * channel)), self.word(15));
            (1..4).fold(components[0], |other, component| {
                b.select(self.is(from, component), components[component as usize], other)
            })
        }));
        let channels = self.choose(
            word!(self, kind),
            &[
                (kind::FRACTION, &|| {
                    if is_float { self.to_fractions(numbers) } else { numbers }
                }),
                (kind::SIGNED, &|| {
                    if is_float {
                        return self.integers(numbers);
                    }
                    let [low, high] = self.range();
                    let raised = self.call("llvm.smax", &[numbers, low]);
                    self.call("llvm.smin", &[raised, high])
                }),
                (kind::UNSIGNED, &|| {
                    if is_float {
                        return self.integers(numbers);
                    }
                    let [_, high] = self.range();
                    self.call("llvm.umin", &[numbers, high])
                }),
                (kind::HALF, &|| {
                    if !is_float {
                        return numbers;
                    }
                    let halves = b.fpcast(numbers, self.cx.float(16).vector(4));
                    let halves = b.bitcast(halves, self.cx.int(16).vector(4));
                    b.zext_or_trunc(halves, self.color(false))
                }),
                (kind::FLOAT, &|| b.bitcast(numbers, self.color(false))),
            ],
        );
        self.store(channels);
        b.ret(None);
    }

    fn range(&self) -> [Value<'c>; 2] {
        [word!(self, low), word!(self, high)].map(|word| self.b.splat(word, 4))
    }

    fn integers(&self, numbers: Value<'c>) -> Value<'c> {
        let types = [self.color(false), numbers.ty()];
        self.b.intrinsic(self.module, "llvm.fptosi.sat", &types, &[numbers])
    }

    /// Fractions as integers, to the nearest even one. NaN becomes 0.
    fn to_fractions(&self, numbers: Value<'c>) -> Value<'c> {
        let b = &self.b;
        let one = b.splat(self.load(self.cx.float(32), offset_of!(ImageDescriptor, one)), 4);
        let low = b.cast(L::LLVMSIToFP, self.range()[0], numbers.ty());
        self.scaled(numbers, one, low)
    }

    /// Fractions times what 1 is, between that and the lowest integer.
    fn scaled(&self, numbers: Value<'c>, one: Value<'c>, low: Value<'c>) -> Value<'c> {
        let b = &self.b;
        let scaled = b.fmul(numbers, one);
        let is_number = b.fcmp(F::LLVMRealORD, scaled, scaled);
        let scaled = b.select(is_number, scaled, scaled.ty().zero());
        let raised = self.call("llvm.maxnum", &[scaled, low]);
        let bounded = self.call("llvm.minnum", &[raised, one]);
        self.integers(self.call("llvm.rint", &[bounded]))
    }

    /// Writes channels to a pixel.
    fn store(&self, channels: Value<'c>) {
        let b = &self.b;
        let all = self.split(channels);
        let bits = word!(self, bits);
        let none = self.word(0);
        let part = |bits: u32, channel: usize, low: u32| {
            let cut = b.and(all[channel], self.word(u32::MAX >> (32 - bits)));
            b.shl(cut, self.word(low))
        };
        let words = self.choose(
            bits,
            &[
                (8, &|| {
                    let word = (1..4).fold(part(8, 0, 0), |word, i| b.or(word, part(8, i, 8 * i as u32)));
                    self.join([word, none, none, none])
                }),
                (16, &|| {
                    let pair = |first| b.or(part(16, first, 0), part(16, first + 1, 16));
                    self.join([pair(0), pair(2), none, none])
                }),
                (32, &|| channels),
            ],
        );
        let at = self.global(self.function.param(1));
        let first = b.extract_element(words, none);
        let write = |bits: u32| {
            b.store(b.zext_or_trunc(first, self.cx.int(bits)), at).align(bits / 8);
            none
        };
        self.choose(
            word!(self, shift),
            &[
                (0, &|| write(8)),
                (1, &|| write(16)),
                (2, &|| write(32)),
                (3, &|| {
                    let pair = b.shuffle(words, words, &[0, 1]);
                    b.store(pair, at).align(8);
                    none
                }),
                (4, &|| {
                    b.store(words, at).align(16);
                    none
                }),
            ],
        );
    }

    /// An address in global memory.
    fn global(&self, address: Value<'c>) -> Value<'c> {
        self.b
            .cast(L::LLVMIntToPtr, address, self.cx.ptr_in(crate::target::nvptx64::GLOBAL))
    }
}

/// The least linear color that is written as more than a number of sRGB.
fn first_rounded_up(number: u32) -> f32 {
    let rounded = |c: f32| (format::srgb_from_linear(c) * 255.0).round_ties_even() as u32;
    // Bits of positive numbers are in the order of the numbers.
    let (mut low, mut high) = (0, 1.0_f32.to_bits());
    while low < high {
        let middle = (low + high) / 2;
        match rounded(f32::from_bits(middle)) > number {
            true => high = middle,
            false => low = middle + 1,
        }
    }
    f32::from_bits(low)
}
