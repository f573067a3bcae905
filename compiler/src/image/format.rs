// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Pixel formats: OpenCL API 3.0, section 5.3.1.1 (image format descriptor), and OpenCL C 3.0, section 8.3 (conversion
//! rules).

use crate::Image;
use crate::builtins::libcalls::half::{half_from_f64, half_to_f32};

/// `cl_channel_order`.
#[allow(dead_code)] // The list is complete, though some formats are only matched by wildcards.
pub mod order {
    pub const R: u32 = 0x10B0;
    pub const A: u32 = 0x10B1;
    pub const RG: u32 = 0x10B2;
    pub const RA: u32 = 0x10B3;
    pub const RGB: u32 = 0x10B4;
    pub const RGBA: u32 = 0x10B5;
    pub const BGRA: u32 = 0x10B6;
    pub const ARGB: u32 = 0x10B7;
    pub const INTENSITY: u32 = 0x10B8;
    pub const LUMINANCE: u32 = 0x10B9;
    pub const RX: u32 = 0x10BA;
    pub const RGX: u32 = 0x10BB;
    pub const RGBX: u32 = 0x10BC;
    pub const DEPTH: u32 = 0x10BD;
    pub const SRGB: u32 = 0x10BF;
    pub const SRGBX: u32 = 0x10C0;
    pub const SRGBA: u32 = 0x10C1;
    pub const SBGRA: u32 = 0x10C2;
    pub const ABGR: u32 = 0x10C3;
}

/// `cl_channel_type`.
#[allow(dead_code)] // As above.
pub mod channel {
    pub const SNORM_INT8: u32 = 0x10D0;
    pub const SNORM_INT16: u32 = 0x10D1;
    pub const UNORM_INT8: u32 = 0x10D2;
    pub const UNORM_INT16: u32 = 0x10D3;
    pub const UNORM_SHORT_565: u32 = 0x10D4;
    pub const UNORM_SHORT_555: u32 = 0x10D5;
    pub const UNORM_INT_101010: u32 = 0x10D6;
    pub const SIGNED_INT8: u32 = 0x10D7;
    pub const SIGNED_INT16: u32 = 0x10D8;
    pub const SIGNED_INT32: u32 = 0x10D9;
    pub const UNSIGNED_INT8: u32 = 0x10DA;
    pub const UNSIGNED_INT16: u32 = 0x10DB;
    pub const UNSIGNED_INT32: u32 = 0x10DC;
    pub const HALF_FLOAT: u32 = 0x10DD;
    pub const FLOAT: u32 = 0x10DE;
    pub const UNORM_INT_101010_2: u32 = 0x10E0;
}

/// Classes of formats that have code of their own in kernels.
pub mod class {
    /// Any other.
    pub const GENERAL: u32 = 0;
    /// Four bytes that stand for fractions from 0 to 1: red, green, blue, alpha.
    pub const BYTES: u32 = 1;
    /// The same with blue first.
    pub const BGRA_BYTES: u32 = 2;
    /// A byte that stands for a fraction: red.
    pub const BYTE: u32 = 3;
    /// Four floats: red, green, blue, alpha.
    pub const FLOATS: u32 = 4;
    /// A float: red.
    pub const FLOAT: u32 = 5;
    /// Four halfs: red, green, blue, alpha.
    pub const HALFS: u32 = 6;
    /// Four integers of 8 bits without sign: red, green, blue, alpha.
    pub const INTS_8: u32 = 7;
    /// Such an integer: red.
    pub const INT_8: u32 = 8;
    /// Four integers of 32 bits without sign.
    pub const INTS_32: u32 = 9;
    /// An integer of 32 bits with or without sign: red.
    pub const INT_32: u32 = 10;
}

/// The [`class`] of an image's format.
pub fn class(image: &Image) -> u32 {
    match (image.channel_order, image.channel_type) {
        (order::RGBA, channel::UNORM_INT8) => class::BYTES,
        (order::BGRA, channel::UNORM_INT8) => class::BGRA_BYTES,
        (order::R, channel::UNORM_INT8) => class::BYTE,
        (order::RGBA, channel::FLOAT) => class::FLOATS,
        (order::R, channel::FLOAT) => class::FLOAT,
        (order::RGBA, channel::HALF_FLOAT) => class::HALFS,
        (order::RGBA, channel::UNSIGNED_INT8) => class::INTS_8,
        (order::R, channel::UNSIGNED_INT8) => class::INT_8,
        (order::RGBA, channel::UNSIGNED_INT32 | channel::SIGNED_INT32) => class::INTS_32,
        (order::R, channel::UNSIGNED_INT32 | channel::SIGNED_INT32) => class::INT_32,
        _ => class::GENERAL,
    }
}

/// The binary logarithm of the bytes of a pixel, if all of a class have as many.
pub fn class_shift(class: u32) -> Option<u32> {
    match class {
        class::BYTE | class::INT_8 => Some(0),
        class::BYTES | class::BGRA_BYTES | class::FLOAT | class::INTS_8 | class::INT_32 => Some(2),
        class::HALFS => Some(3),
        class::FLOATS | class::INTS_32 => Some(4),
        _ => None,
    }
}

impl Image {
    /// The same with the class of its format, by which kernels choose their code. Without one, or where offsets of pixels do
    /// not fit into 31 bits, they call functions that have all formats.
    pub fn classified(mut self) -> Self {
        let last = |count: u64, pitch: u64| count.saturating_sub(1).checked_mul(pitch);
        let row = self.size[0].checked_mul(pixel_size(&self) as u64);
        let slices = self.size[2].checked_mul(self.array_size);
        let end = || {
            let rows = last(self.size[1], self.row_pitch)?.checked_add(row?)?;
            last(slices?, self.slice_pitch)?.checked_add(rows)
        };
        let is_near = end().is_some_and(|end| i32::try_from(end).is_ok());
        self.class = if is_near { class(&self) } else { class::GENERAL };
        self
    }
}

/// The source of a color component.
#[derive(Clone, Copy)]
pub enum Source {
    /// The channel with this index in memory.
    At(u8),
    Zero,
    One,
}
use Source::{At, One, Zero};

/// The sources of red, green, blue and alpha.
pub fn sources(image: &Image) -> [Source; 4] {
    match image.channel_order {
        order::R | order::RX => [At(0), Zero, Zero, One],
        order::A => [Zero, Zero, Zero, At(0)],
        order::RG | order::RGX => [At(0), At(1), Zero, One],
        order::RA => [At(0), Zero, Zero, At(1)],
        order::RGB | order::RGBX | order::SRGB | order::SRGBX => [At(0), At(1), At(2), One],
        order::BGRA | order::SBGRA => [At(2), At(1), At(0), At(3)],
        order::ARGB => [At(1), At(2), At(3), At(0)],
        order::ABGR => [At(3), At(2), At(1), At(0)],
        order::INTENSITY => [At(0); 4],
        order::LUMINANCE => [At(0), At(0), At(0), One],
        order::DEPTH => [At(0), Zero, Zero, Zero],
        _ => [At(0), At(1), At(2), At(3)],
    }
}

/// The number of channels of a pixel in memory.
fn channels(image: &Image) -> usize {
    match image.channel_order {
        order::R | order::RX | order::A | order::INTENSITY | order::LUMINANCE | order::DEPTH => 1,
        order::RG | order::RGX | order::RA => 2,
        order::RGB | order::RGBX | order::SRGB | order::SRGBX => 3,
        _ => 4,
    }
}

/// The size of a channel in bytes, or that of a pixel for packed formats.
fn channel_size(image: &Image) -> usize {
    use channel::*;
    match image.channel_type {
        SNORM_INT8 | UNORM_INT8 | SIGNED_INT8 | UNSIGNED_INT8 => 1,
        SNORM_INT16 | UNORM_INT16 | SIGNED_INT16 | UNSIGNED_INT16 | HALF_FLOAT => 2,
        UNORM_SHORT_565 | UNORM_SHORT_555 => 2,
        _ => 4,
    }
}

/// The lowest bit and the number of bits of each channel, for packed formats.
#[inline]
fn packed(image: &Image) -> Option<[(u32, u32); 4]> {
    match image.channel_type {
        channel::UNORM_SHORT_565 => Some([(11, 5), (5, 6), (0, 5), (0, 0)]),
        channel::UNORM_SHORT_555 => Some([(10, 5), (5, 5), (0, 5), (0, 0)]),
        channel::UNORM_INT_101010 => Some([(20, 10), (10, 10), (0, 10), (0, 0)]),
        channel::UNORM_INT_101010_2 => Some([(22, 10), (12, 10), (2, 10), (0, 2)]),
        _ => None,
    }
}

/// The size of a pixel in bytes.
#[inline]
pub fn pixel_size(image: &Image) -> usize {
    match packed(image) {
        Some(_) => channel_size(image),
        None => channels(image) * channel_size(image),
    }
}

/// Whether red, green and blue have the sRGB encoding.
pub fn is_srgb(image: &Image) -> bool {
    matches!(
        image.channel_order,
        order::SRGB | order::SRGBX | order::SRGBA | order::SBGRA
    )
}

/// The border color: OpenCL C 3.0, section 6.15.15.1.
pub fn border(image: &Image) -> [f32; 4] {
    match image.channel_order {
        order::R | order::RG | order::RGB | order::LUMINANCE | order::SRGB => [0.0, 0.0, 0.0, 1.0],
        _ => [0.0; 4],
    }
}

/// Loads the bits of a channel.
///
/// # Safety
/// `at` must point to `size` readable bytes.
unsafe fn load(at: *const u8, size: usize) -> u32 {
    // SAFETY: guaranteed by the caller. The address may be unaligned.
    unsafe {
        match size {
            1 => at.read().into(),
            2 => at.cast::<u16>().read_unaligned().into(),
            _ => at.cast::<u32>().read_unaligned(),
        }
    }
}

/// Stores the bits of a channel.
///
/// # Safety
/// `at` must point to `size` writable bytes.
unsafe fn store(at: *mut u8, size: usize, bits: u32) {
    // SAFETY: guaranteed by the caller. The address may be unaligned.
    unsafe {
        match size {
            1 => at.write(bits as u8),
            2 => at.cast::<u16>().write_unaligned(bits as u16),
            _ => at.cast::<u32>().write_unaligned(bits),
        }
    }
}

/// The channels of a pixel in memory.
///
/// # Safety
/// `at` must point to so many numbers of this type.
#[inline(always)]
unsafe fn load_channels<T: Copy, const N: usize>(at: *const u8) -> [T; N] {
    // SAFETY: guaranteed by the caller. The address may be unaligned.
    unsafe { at.cast::<[T; N]>().read_unaligned() }
}

/// The channels of a pixel that is not packed, as floating-point numbers. There is code for each type and number of channels.
///
/// # Safety
/// `at` must point to so many channels.
#[inline(always)]
unsafe fn float_channels<const N: usize>(image: &Image, at: *const u8) -> [f32; N] {
    use channel::*;
    // SAFETY: the types are those of the channels.
    unsafe {
        match image.channel_type {
            UNORM_INT8 => load_channels::<u8, N>(at).map(|c| f32::from(c) / 255.0),
            FLOAT => load_channels::<f32, N>(at),
            HALF_FLOAT => load_channels::<u16, N>(at).map(half_to_f32),
            UNORM_INT16 => load_channels::<u16, N>(at).map(|c| f32::from(c) / 65535.0),
            SNORM_INT8 => load_channels::<i8, N>(at).map(|c| (f32::from(c) / 127.0).max(-1.0)),
            SNORM_INT16 => load_channels::<i16, N>(at).map(|c| (f32::from(c) / 32767.0).max(-1.0)),
            SIGNED_INT8 => load_channels::<i8, N>(at).map(f32::from),
            UNSIGNED_INT8 => load_channels::<u8, N>(at).map(f32::from),
            SIGNED_INT16 => load_channels::<i16, N>(at).map(f32::from),
            UNSIGNED_INT16 => load_channels::<u16, N>(at).map(f32::from),
            SIGNED_INT32 => load_channels::<i32, N>(at).map(|c| c as f32),
            _ => load_channels::<u32, N>(at).map(|c| c as f32),
        }
    }
}

/// The channels of a pixel that is not packed, as integers. The format determines the sign.
///
/// # Safety
/// `at` must point to so many channels.
#[inline(always)]
unsafe fn int_channels<const N: usize>(image: &Image, at: *const u8) -> [i32; N] {
    use channel::*;
    // SAFETY: the types are those of the channels.
    unsafe {
        match image.channel_type {
            SIGNED_INT8 => load_channels::<i8, N>(at).map(i32::from),
            SIGNED_INT16 => load_channels::<i16, N>(at).map(i32::from),
            SNORM_INT8 | UNORM_INT8 | UNSIGNED_INT8 => load_channels::<u8, N>(at).map(i32::from),
            SNORM_INT16 | UNORM_INT16 | UNSIGNED_INT16 | HALF_FLOAT => load_channels::<u16, N>(at).map(i32::from),
            _ => load_channels::<i32, N>(at),
        }
    }
}

/// Puts the channels of a pixel that is not packed in the order of a color, by a function for each number of channels.
macro_rules! color {
    ($image:expr, $at:expr, $channels:ident, $zero:expr, $one:expr) => {{
        let (image, at, zero, one) = ($image, $at, $zero, $one);
        match image.channel_order {
            order::R | order::RX | order::A | order::INTENSITY | order::LUMINANCE | order::DEPTH => {
                let [c] = $channels::<1>(image, at);
                match image.channel_order {
                    order::A => [zero, zero, zero, c],
                    order::INTENSITY => [c; 4],
                    order::LUMINANCE => [c, c, c, one],
                    order::DEPTH => [c, zero, zero, zero],
                    _ => [c, zero, zero, one],
                }
            }
            order::RG | order::RGX => {
                let [r, g] = $channels::<2>(image, at);
                [r, g, zero, one]
            }
            order::RA => {
                let [r, a] = $channels::<2>(image, at);
                [r, zero, zero, a]
            }
            order::RGB | order::RGBX | order::SRGB | order::SRGBX => {
                let [r, g, b] = $channels::<3>(image, at);
                [r, g, b, one]
            }
            order::BGRA | order::SBGRA => {
                let [b, g, r, a] = $channels::<4>(image, at);
                [r, g, b, a]
            }
            order::ARGB => {
                let [a, r, g, b] = $channels::<4>(image, at);
                [r, g, b, a]
            }
            order::ABGR => {
                let [a, b, g, r] = $channels::<4>(image, at);
                [r, g, b, a]
            }
            _ => $channels::<4>(image, at),
        }
    }};
}

/// Reads a pixel as a floating-point color.
///
/// # Safety
/// `at` must point to a pixel of the image.
#[inline]
pub unsafe fn decode_float(image: &Image, at: *const u8) -> [f32; 4] {
    if let Some(fields) = packed(image) {
        // SAFETY: guaranteed by the caller.
        return unsafe { decode_packed(image, fields, at) };
    }
    // SAFETY: the pixel has as many channels as its order says.
    let mut color = unsafe { color!(image, at, float_channels, 0.0, 1.0) };
    if is_srgb(image) {
        for c in &mut color[..3] {
            *c = linear_from_srgb(*c);
        }
    }
    color
}

/// The same of a packed format with these fields.
///
/// # Safety
/// `at` must point to a pixel of the image.
unsafe fn decode_packed(image: &Image, fields: [(u32, u32); 4], at: *const u8) -> [f32; 4] {
    // SAFETY: a pixel of a packed format is one word of this size.
    let word = unsafe { load(at, channel_size(image)) };
    sources(image).map(|source| match source {
        At(index) => {
            let (low, bits) = fields[usize::from(index)];
            let max = (1u32 << bits) - 1;
            (word >> low & max) as f32 / max.max(1) as f32
        }
        Zero => 0.0,
        One => 1.0,
    })
}

/// Reads a pixel as an integer color. The format determines the sign.
///
/// # Safety
/// `at` must point to a pixel of the image.
#[inline]
pub unsafe fn decode_int(image: &Image, at: *const u8) -> [i32; 4] {
    if let Some(fields) = packed(image) {
        // SAFETY: guaranteed by the caller. OpenCL leaves the result undefined for normalized formats.
        return unsafe { decode_packed(image, fields, at) }.map(|c| c as i32);
    }
    // SAFETY: the pixel has as many channels as its order says.
    unsafe { color!(image, at, int_channels, 0, 1) }
}

/// Converts a number to a normalized integer, rounding to nearest even. 1 becomes `max`, NaN becomes 0.
fn normalized(x: f32, min: f32, max: f32) -> i32 {
    (x * max).clamp(min, max).round_ties_even() as i32
}

/// Writes a pixel from a floating-point color.
///
/// # Safety
/// `at` must point to a pixel of the image, which must be writable.
pub unsafe fn encode_float(image: &Image, at: *mut u8, mut color: [f32; 4]) {
    if is_srgb(image) {
        for c in &mut color[..3] {
            *c = srgb_from_linear(*c);
        }
    }
    let size = channel_size(image);
    if let Some(fields) = packed(image) {
        let word = fields.iter().zip(color).fold(0, |word, (&(low, bits), c)| {
            let max = ((1u32 << bits) - 1) as f32;
            word | (normalized(c, 0.0, max) as u32) << low
        });
        // SAFETY: a pixel of a packed format is one word of this size.
        return unsafe { store(at, size, word) };
    }
    each_channel(image, color, |index, c| {
        let bits = match image.channel_type {
            channel::SNORM_INT8 => normalized(c, -128.0, 127.0) as u32,
            channel::SNORM_INT16 => normalized(c, -32768.0, 32767.0) as u32,
            channel::UNORM_INT8 => normalized(c, 0.0, 255.0) as u32,
            channel::UNORM_INT16 => normalized(c, 0.0, 65535.0) as u32,
            channel::HALF_FLOAT => half_from_f64(c.into()).into(),
            channel::FLOAT => c.to_bits(),
            // Integer formats: OpenCL leaves the result undefined.
            _ => c as i32 as u32,
        };
        // SAFETY: `each_channel` passes only indices of channels of the pixel.
        unsafe { store(at.add(index * size), size, bits) };
    });
}

/// Writes a pixel from an integer color, saturated to the format's range.
///
/// # Safety
/// `at` must point to a pixel of the image, which must be writable.
pub unsafe fn encode_int(image: &Image, at: *mut u8, color: [i32; 4]) {
    if packed(image).is_some() {
        return;
    }
    let size = channel_size(image);
    each_channel(image, color, |index, c| {
        let bits = match image.channel_type {
            channel::SIGNED_INT8 => c.clamp(-128, 127) as u32,
            channel::SIGNED_INT16 => c.clamp(-32768, 32767) as u32,
            channel::UNSIGNED_INT8 => (c as u32).min(255),
            channel::UNSIGNED_INT16 => (c as u32).min(65535),
            _ => c as u32,
        };
        // SAFETY: `each_channel` passes only indices of channels of the pixel.
        unsafe { store(at.add(index * size), size, bits) };
    });
}

/// Calls `f` for each channel in memory with its color component. If several components have the same source (intensity,
/// luminance), the first one is stored.
fn each_channel<T: Copy>(image: &Image, color: [T; 4], mut f: impl FnMut(usize, T)) {
    let mut written = 0u8;
    for (source, c) in sources(image).into_iter().zip(color) {
        if let At(index) = source
            && written & 1 << index == 0
        {
            written |= 1 << index;
            f(index.into(), c);
        }
    }
}

/// Decodes sRGB: OpenCL C 3.0, section 8.3.5.
pub fn linear_from_srgb(c: f32) -> f32 {
    if c <= 0.04045 {
        c / 12.92
    } else {
        ((c + 0.055) / 1.055).powf(2.4)
    }
}

/// Encodes sRGB.
pub fn srgb_from_linear(c: f32) -> f32 {
    match c {
        _ if c.is_nan() || c < 0.0 => 0.0,
        _ if c > 1.0 => 1.0,
        _ if c < 0.003_130_8 => 12.92 * c,
        _ => 1.055 * c.powf(1.0 / 2.4) - 0.055,
    }
}
