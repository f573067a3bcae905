// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Image addressing and filtering: OpenCL C 3.0, section 8.2.

use super::format;
use crate::interface::sampler;
use crate::{Image, SamplerBits};

/// SPIR-V's Sampler Addressing Mode: how coordinates outside of the image are handled.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Addressing {
    /// `None` and `Clamp`: pixels outside have the border color.
    Border,
    ClampToEdge,
    Repeat,
    MirroredRepeat,
}

impl SamplerBits {
    fn normalized(self) -> bool {
        self.0 & sampler::NORMALIZED != 0
    }

    fn addressing(self) -> Addressing {
        match self.0 >> sampler::MODE & 7 {
            sampler::CLAMP_TO_EDGE => Addressing::ClampToEdge,
            sampler::REPEAT => Addressing::Repeat,
            sampler::MIRRORED_REPEAT => Addressing::MirroredRepeat,
            _ => Addressing::Border,
        }
    }

    fn linear(self) -> bool {
        self.0 & sampler::LINEAR != 0
    }
}

/// A color: four floating-point numbers or integers.
pub trait Color: Copy {
    /// Reads a pixel.
    ///
    /// # Safety
    /// `at` must point to a pixel of the image.
    unsafe fn decode(image: &Image, at: *const u8) -> Self;
    /// The border color.
    fn border(image: &Image) -> Self;
}

impl Color for [f32; 4] {
    unsafe fn decode(image: &Image, at: *const u8) -> Self {
        // SAFETY: guaranteed by the caller.
        unsafe { format::decode_float(image, at) }
    }

    fn border(image: &Image) -> Self {
        format::border(image)
    }
}

impl Color for [i32; 4] {
    unsafe fn decode(image: &Image, at: *const u8) -> Self {
        // SAFETY: guaranteed by the caller.
        unsafe { format::decode_int(image, at) }
    }

    fn border(image: &Image) -> Self {
        format::border(image).map(|c| c as i32)
    }
}

/// The address of a pixel; `None` if it is outside of the image. `layer` must be inside the array.
#[inline]
fn pixel_address(image: &Image, pixel: [i64; 3], layer: u64) -> Option<*mut u8> {
    let inside = |d: usize| u64::try_from(pixel[d]).ok().filter(|&at| at < image.size[d]);
    let offset = inside(0)? * format::pixel_size(image) as u64
        + inside(1)? * image.row_pitch
        + (inside(2)? + layer) * image.slice_pitch;
    // SAFETY: the coordinates were checked against the size of the image.
    Some(unsafe { image.data.add(offset as usize) })
}

/// The color of a pixel, or the border color if it is outside of the image.
#[inline]
fn fetch<C: Color>(image: &Image, pixel: [i64; 3], layer: u64) -> C {
    match pixel_address(image, pixel, layer) {
        // SAFETY: `pixel_address` returns the address of a pixel of the image.
        Some(at) => unsafe { C::decode(image, at) },
        None => C::border(image),
    }
}

/// The layer for coordinates, clamped to the array. The coordinate after those of the dimensions selects it.
fn layer(image: &Image, coordinates: [f32; 3]) -> u64 {
    if image.is_array == 0 {
        return 0;
    }
    let last = image.array_size.saturating_sub(1);
    let coordinate = coordinates[image.dimensions.clamp(1, 2) as usize];
    // The conversion saturates: NaN and negative numbers select the first layer.
    (coordinate.round_ties_even() as u64).min(last)
}

/// The number of coordinates without the layer.
fn dimensions(image: &Image) -> usize {
    image.dimensions.clamp(1, 3) as usize
}

/// The largest number below or equal to another, also as an integer, to which it saturates. `floor` is a call on the oldest CPUs that
/// this is compiled for.
#[inline]
fn floor(x: f32) -> (i64, f32) {
    /// Larger numbers have no fraction.
    const WHOLE: f32 = (1u32 << 24) as f32;
    if x.abs() < WHOLE {
        let whole = x as i64;
        let below = whole - i64::from(whole as f32 > x);
        (below, below as f32)
    } else {
        (x as i64, x)
    }
}

/// A coordinate in pixels, by the addressing mode.
#[inline]
fn in_pixels(sampler: SamplerBits, size: u64, s: f32) -> f32 {
    let w = size as f32;
    let turns = || if sampler.normalized() { s } else { s / w };
    match sampler.addressing() {
        Addressing::Repeat => {
            let turns = turns();
            (turns - floor(turns).1) * w
        }
        Addressing::MirroredRepeat => {
            let turns = turns();
            let nearest_even = 2.0 * (0.5 * turns).round_ties_even();
            (turns - nearest_even).abs() * w
        }
        _ if sampler.normalized() => s * w,
        _ => s,
    }
}

/// The pixel for a coordinate.
#[inline]
fn nearest(sampler: SamplerBits, size: u64, s: f32) -> i64 {
    let last = size as i64 - 1;
    // Huge coordinates stay outside of the image.
    let at = floor(in_pixels(sampler, size, s)).0;
    match sampler.addressing() {
        Addressing::Border => at,
        Addressing::ClampToEdge => at.clamp(0, last),
        Addressing::Repeat if at > last => at - size as i64,
        Addressing::Repeat => at,
        Addressing::MirroredRepeat => at.min(last),
    }
}

/// The two pixels for a coordinate, and the weights of both.
#[inline]
fn neighbours(sampler: SamplerBits, size: u64, s: f32) -> ([i64; 2], [f32; 2]) {
    let last = size as i64 - 1;
    let u = in_pixels(sampler, size, s);
    let (low, below) = floor(u - 0.5);
    let high = low.saturating_add(1);
    let pair = match sampler.addressing() {
        Addressing::Border => [low, high],
        Addressing::ClampToEdge => [low.clamp(0, last), high.clamp(0, last)],
        Addressing::Repeat => [
            if low < 0 { low + size as i64 } else { low },
            if high > last { high - size as i64 } else { high },
        ],
        Addressing::MirroredRepeat => [low.max(0), high.min(last)],
    };
    let fraction = (u - 0.5) - below;
    (pair, [1.0 - fraction, fraction])
}

/// Samples an image with the filter of the sampler.
pub fn sample(image: &Image, sampler: SamplerBits, coordinates: [f32; 3]) -> [f32; 4] {
    if !sampler.linear() {
        return sample_nearest(image, sampler, coordinates);
    }
    match dimensions(image) {
        1 => mix::<1>(image, sampler, coordinates),
        2 => mix::<2>(image, sampler, coordinates),
        _ => mix::<3>(image, sampler, coordinates),
    }
}

/// The sum of the pixels around a point in so many dimensions, by their weights.
#[inline]
fn mix<const DIMENSIONS: usize>(image: &Image, sampler: SamplerBits, coordinates: [f32; 3]) -> [f32; 4] {
    let axes: [_; DIMENSIONS] = std::array::from_fn(|d| neighbours(sampler, image.size[d], coordinates[d]));
    let layer = layer(image, coordinates);
    let mut sum = [0.0; 4];
    for corner in 0..1usize << DIMENSIONS {
        let (mut pixel, mut weight) = ([0; 3], 1.0);
        for (d, (pair, weights)) in axes.iter().enumerate() {
            let side = corner >> d & 1;
            pixel[d] = pair[side];
            weight *= weights[side];
        }
        let color: [f32; 4] = fetch(image, pixel, layer);
        for (sum, c) in sum.iter_mut().zip(color) {
            *sum += weight * c;
        }
    }
    sum
}

/// Samples an image with nearest filtering.
pub fn sample_nearest<C: Color>(image: &Image, sampler: SamplerBits, coordinates: [f32; 3]) -> C {
    let pixel = std::array::from_fn(|d| match d < dimensions(image) {
        true => nearest(sampler, image.size[d], coordinates[d]),
        false => 0,
    });
    fetch(image, pixel, layer(image, coordinates))
}

/// The layer for integer coordinates. It may be outside of the array.
fn int_layer(image: &Image, coordinates: [i32; 3]) -> i64 {
    match image.is_array {
        0 => 0,
        _ => i64::from(coordinates[image.dimensions.clamp(1, 2) as usize]),
    }
}

/// Reads a pixel at integer coordinates, for which OpenCL allows only the addressing modes that clamp. The layer is always
/// clamped.
pub fn read<C: Color>(image: &Image, sampler: SamplerBits, coordinates: [i32; 3]) -> C {
    let pixel = [0, 1, 2].map(|d| match sampler.addressing() {
        _ if d >= dimensions(image) => 0,
        Addressing::ClampToEdge => i64::from(coordinates[d]).clamp(0, image.size[d] as i64 - 1),
        _ => i64::from(coordinates[d]),
    });
    let last = image.array_size.saturating_sub(1) as i64;
    fetch(image, pixel, int_layer(image, coordinates).clamp(0, last) as u64)
}

/// Calls `encode` with the address of a pixel, unless the pixel is outside of the image.
pub fn write(image: &Image, coordinates: [i32; 3], encode: impl FnOnce(*mut u8)) {
    let pixel = [0, 1, 2].map(|d| {
        if d < dimensions(image) {
            coordinates[d].into()
        } else {
            0
        }
    });
    let layer = u64::try_from(int_layer(image, coordinates)).ok();
    if let Some(layer) = layer.filter(|&layer| layer < image.array_size)
        && let Some(at) = pixel_address(image, pixel, layer)
    {
        encode(at);
    }
}
