// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Which pixels coordinates mean: OpenCL C 3.0, section 8.2 (image addressing and filtering).

use super::format;
use crate::{Image, SamplerBits};

/// How coordinates outside of the image are brought in: SPIR-V's Sampler Addressing Mode.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Addressing {
    /// None, or clamping to the border: pixels outside have the border's colour.
    Border,
    ClampToEdge,
    Repeat,
    MirroredRepeat,
}

impl SamplerBits {
    fn normalized(self) -> bool {
        self.0 & 1 != 0
    }

    fn addressing(self) -> Addressing {
        match self.0 >> 1 & 7 {
            1 => Addressing::ClampToEdge,
            3 => Addressing::Repeat,
            4 => Addressing::MirroredRepeat,
            _ => Addressing::Border,
        }
    }

    fn linear(self) -> bool {
        self.0 >> 4 & 1 != 0
    }
}

/// What a function here makes of a pixel.
pub trait Color: Copy {
    /// Reads a pixel.
    ///
    /// # Safety
    /// `at` points to a pixel of the image.
    unsafe fn decode(image: &Image, at: *const u8) -> Self;
    /// What is outside of the image.
    fn border(image: &Image) -> Self;
}

impl Color for [f32; 4] {
    unsafe fn decode(image: &Image, at: *const u8) -> Self {
        // SAFETY: the caller's promise.
        unsafe { format::decode_float(image, at) }
    }

    fn border(image: &Image) -> Self {
        format::border(image)
    }
}

impl Color for [i32; 4] {
    unsafe fn decode(image: &Image, at: *const u8) -> Self {
        // SAFETY: the caller's promise.
        unsafe { format::decode_int(image, at) }
    }

    fn border(image: &Image) -> Self {
        format::border(image).map(|c| c as i32)
    }
}

/// Where a pixel is; nothing if it is outside. Of an array the coordinate behind the dimensions is the layer.
fn place(image: &Image, pixel: [i64; 3], layer: u64) -> Option<*mut u8> {
    let inside = |d: usize| u64::try_from(pixel[d]).ok().filter(|&at| at < image.size[d]);
    let offset = inside(0)? * format::pixel_size(image) as u64
        + inside(1)? * image.row_pitch
        + (inside(2)? + layer) * image.slice_pitch;
    // SAFETY: inside of the image, whose pixels are where it says.
    Some(unsafe { image.data.add(offset as usize) })
}

/// The pixel's colour, or the border's.
fn fetch<C: Color>(image: &Image, pixel: [i64; 3], layer: u64) -> C {
    match place(image, pixel, layer) {
        // SAFETY: a pixel of the image.
        Some(at) => unsafe { C::decode(image, at) },
        None => C::border(image),
    }
}

/// The layer that a coordinate means, of those behind the dimensions.
fn layer(image: &Image, coordinates: [f32; 3]) -> u64 {
    if image.is_array == 0 {
        return 0;
    }
    let last = image.array_size.saturating_sub(1);
    let coordinate = coordinates[image.dimensions.clamp(1, 2) as usize];
    // Of NaN and negative numbers the first one.
    (coordinate.round_ties_even() as u64).min(last)
}

/// How many coordinates belong to the image itself.
fn dimensions(image: &Image) -> usize {
    image.dimensions.clamp(1, 3) as usize
}

/// A coordinate in pixels, and the pixel below and the one above it with their distance, for a linear filter.
struct Axis {
    nearest: i64,
    pair: [i64; 2],
    fraction: f32,
}

/// What a coordinate means on an axis of so many pixels.
fn axis(sampler: SamplerBits, size: u64, s: f32) -> Axis {
    let (w, last) = (size as f32, size as i64 - 1);
    let unnormalized = if sampler.normalized() { s * w } else { s };
    let turns = if sampler.normalized() { s } else { s / w };
    let addressing = sampler.addressing();
    let u = match addressing {
        Addressing::Repeat => (turns - turns.floor()) * w,
        Addressing::MirroredRepeat => {
            let nearest_even = 2.0 * (0.5 * turns).round_ties_even();
            (turns - nearest_even).abs() * w
        }
        _ => unnormalized,
    };
    // Numbers that no image reaches are cut by the conversion.
    let (floor, below) = (u.floor() as i64, (u - 0.5).floor());
    let (low, high) = (below as i64, (below as i64).saturating_add(1));
    let clamp = |at: i64| at.clamp(0, last);
    let (nearest, pair) = match addressing {
        Addressing::Border => (floor, [low, high]),
        Addressing::ClampToEdge => (clamp(floor), [clamp(low), clamp(high)]),
        Addressing::Repeat => (
            if floor > last { floor - size as i64 } else { floor },
            [
                if low < 0 { low + size as i64 } else { low },
                if high > last { high - size as i64 } else { high },
            ],
        ),
        Addressing::MirroredRepeat => (floor.min(last), [low.max(0), high.min(last)]),
    };
    Axis {
        nearest,
        pair,
        fraction: (u - 0.5) - below,
    }
}

/// The axes of an image, for coordinates.
fn axes(image: &Image, sampler: SamplerBits, coordinates: [f32; 3]) -> [Axis; 3] {
    std::array::from_fn(|d| {
        if d < dimensions(image) {
            axis(sampler, image.size[d], coordinates[d])
        } else {
            Axis {
                nearest: 0,
                pair: [0, 0],
                fraction: 0.0,
            }
        }
    })
}

/// The colour at coordinates.
pub fn sample(image: &Image, sampler: SamplerBits, coordinates: [f32; 3]) -> [f32; 4] {
    if !sampler.linear() {
        return sample_nearest(image, sampler, coordinates);
    }
    let axes = axes(image, sampler, coordinates);
    let layer = layer(image, coordinates);
    let mut sum = [0.0; 4];
    for corner in 0..1usize << dimensions(image) {
        let side = |d: usize| corner >> d & 1;
        let weight: f32 = (0..dimensions(image))
            .map(|d| {
                if side(d) == 1 {
                    axes[d].fraction
                } else {
                    1.0 - axes[d].fraction
                }
            })
            .product();
        let color: [f32; 4] = fetch(image, [0, 1, 2].map(|d| axes[d].pair[side(d)]), layer);
        for (sum, c) in sum.iter_mut().zip(color) {
            *sum += weight * c;
        }
    }
    sum
}

/// The colour of the pixel that coordinates are in.
pub fn sample_nearest<C: Color>(image: &Image, sampler: SamplerBits, coordinates: [f32; 3]) -> C {
    let pixel = axes(image, sampler, coordinates).map(|axis| axis.nearest);
    fetch(image, pixel, layer(image, coordinates))
}

/// The layer of whole coordinates.
fn whole_layer(image: &Image, coordinates: [i32; 3]) -> i64 {
    match image.is_array {
        0 => 0,
        _ => i64::from(coordinates[image.dimensions.clamp(1, 2) as usize]),
    }
}

/// The colour of a pixel. Of addressing modes OpenCL allows those that clamp; the layer of an array is clamped always.
pub fn read<C: Color>(image: &Image, sampler: SamplerBits, coordinates: [i32; 3]) -> C {
    let pixel = [0, 1, 2].map(|d| match sampler.addressing() {
        _ if d >= dimensions(image) => 0,
        Addressing::ClampToEdge => i64::from(coordinates[d]).clamp(0, image.size[d] as i64 - 1),
        _ => i64::from(coordinates[d]),
    });
    let last = image.array_size.saturating_sub(1) as i64;
    fetch(image, pixel, whole_layer(image, coordinates).clamp(0, last) as u64)
}

/// Writes a pixel, if the image has it.
///
/// `encode` gets its address.
pub fn write(image: &Image, coordinates: [i32; 3], encode: impl FnOnce(*mut u8)) {
    let pixel = [0, 1, 2].map(|d| {
        if d < dimensions(image) {
            coordinates[d].into()
        } else {
            0
        }
    });
    let layer = u64::try_from(whole_layer(image, coordinates)).ok();
    if let Some(layer) = layer.filter(|&layer| layer < image.array_size)
        && let Some(at) = place(image, pixel, layer)
    {
        encode(at);
    }
}
