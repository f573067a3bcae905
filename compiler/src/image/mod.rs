// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Images: what compiled code calls to read, sample and write them, and how it is made to.
//!
//! [`format`] turns pixels into numbers and back; [`sample`] finds the pixels that coordinates mean, and blends them;
//! [`emit`] is for `lower`: the instructions of SPIR-V. Whatever the coordinates are, nothing outside of an image is
//! touched: reads give the border colour, writes do nothing.

// What passes are the registers of the x86-64 ABI, which Rust's types of these names are for.
#![allow(improper_ctypes_definitions)]

mod emit;
mod format;
mod sample;
#[cfg(test)]
mod tests;

pub use emit::{emit_image, operands};

use std::arch::x86_64::{__m128, __m128i};

use crate::{Image, SamplerBits};

/// What a function here takes from a pixel, or gives for one: four numbers in an SSE register, as compiled code passes
/// `<4 x float>` and `<4 x i32>`.
trait Register: Sized {
    type Numbers;
    fn numbers(self) -> Self::Numbers;
    fn of(numbers: Self::Numbers) -> Self;
}

macro_rules! register {
    ($($ty:ty: $number:ty;)*) => { $(
        impl Register for $ty {
            type Numbers = [$number; 4];

            fn numbers(self) -> [$number; 4] {
                // SAFETY: both are 16 bytes, and every pattern of bits is a value of either.
                unsafe { std::mem::transmute(self) }
            }

            fn of(numbers: [$number; 4]) -> Self {
                // SAFETY: as above.
                unsafe { std::mem::transmute(numbers) }
            }
        }
    )* };
}

register! {
    __m128: f32;
    __m128i: i32;
}

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident($sampler:ty, $coordinate:ty) -> $register:ty = $function:path;)*) => {
        $(
            $(#[$doc])*
            ///
            /// # Safety
            /// `image` points to an image whose pixels are where it says.
            unsafe extern "C" fn $name(
                image: *const Image,
                sampler: $sampler,
                x: $coordinate,
                y: $coordinate,
                z: $coordinate,
            ) -> $register {
                // SAFETY: the caller's promise.
                let image = unsafe { &*image };
                Register::of($function(image, SamplerBits(sampler), [x, y, z]))
            }
        )*
    };
}

functions! {
    /// Samples at coordinates that may be between pixels.
    oxur_image_sample_float(u32, f32) -> __m128 = sample::sample;
    /// Samples an image of integers.
    oxur_image_sample_int(u32, f32) -> __m128i = sample::sample_nearest;
    /// Reads a pixel, with or without a sampler.
    oxur_image_read_float(u32, i32) -> __m128 = sample::read;
    /// Reads a pixel of an image of integers.
    oxur_image_read_int(u32, i32) -> __m128i = sample::read;
}

/// Writes a pixel.
///
/// # Safety
/// As above, and nobody else writes or reads the pixel meanwhile.
unsafe extern "C" fn oxur_image_write_float(image: *const Image, x: i32, y: i32, z: i32, texel: __m128) {
    // SAFETY: the caller's promise.
    let image = unsafe { &*image };
    // SAFETY: a pixel of the image.
    sample::write(image, [x, y, z], |at| unsafe {
        format::encode_float(image, at, texel.numbers())
    });
}

/// Writes a pixel of an image of integers.
///
/// # Safety
/// As above.
unsafe extern "C" fn oxur_image_write_int(image: *const Image, x: i32, y: i32, z: i32, texel: __m128i) {
    // SAFETY: the caller's promise.
    let image = unsafe { &*image };
    // SAFETY: a pixel of the image.
    sample::write(image, [x, y, z], |at| unsafe {
        format::encode_int(image, at, texel.numbers())
    });
}

/// The functions that compiled code may call, by name.
pub fn symbols() -> impl Iterator<Item = (&'static str, *const ())> {
    [
        ("oxur_image_sample_float", oxur_image_sample_float as *const ()),
        ("oxur_image_sample_int", oxur_image_sample_int as *const ()),
        ("oxur_image_read_float", oxur_image_read_float as *const ()),
        ("oxur_image_read_int", oxur_image_read_int as *const ()),
        ("oxur_image_write_float", oxur_image_write_float as *const ()),
        ("oxur_image_write_int", oxur_image_write_int as *const ()),
    ]
    .into_iter()
}
