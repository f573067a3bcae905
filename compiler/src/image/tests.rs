// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Tests of images with emitted code: every format, every addressing mode and filter against an independent implementation
//! of OpenCL C 3.0, section 8, in double; and coordinates outside of the image. Most run three times: on the functions of
//! the CPU in Rust, on those in IR, and on those for NVIDIA GPUs, whose IR is compiled for the CPU as well.

mod harness;
mod same_bits;

use spirv::Op;

use self::harness::Compiled;
pub use self::harness::{Functions, compile};
use super::emit_image;
use super::format::{self, channel, order};
use crate::builtins::Emit;
use crate::llvm::{Builder, Context, Module, Type};
use crate::{Image, SamplerBits};

/// All valid pairs of channel order and type.
fn formats() -> Vec<(u32, u32)> {
    use channel::*;
    let fractions = [SNORM_INT8, SNORM_INT16, UNORM_INT8, UNORM_INT16, HALF_FLOAT, FLOAT];
    let integers = [
        SIGNED_INT8,
        SIGNED_INT16,
        SIGNED_INT32,
        UNSIGNED_INT8,
        UNSIGNED_INT16,
        UNSIGNED_INT32,
    ];
    let mut all = Vec::new();
    for order in [
        order::R,
        order::A,
        order::RG,
        order::RA,
        order::RX,
        order::RGX,
        order::RGBA,
    ] {
        all.extend(fractions.into_iter().chain(integers).map(|ty| (order, ty)));
    }
    for order in [order::BGRA, order::ARGB, order::ABGR] {
        all.extend([UNORM_INT8, SNORM_INT8, SIGNED_INT8, UNSIGNED_INT8].map(|ty| (order, ty)));
    }
    all.extend(
        [order::INTENSITY, order::LUMINANCE]
            .into_iter()
            .flat_map(|o| fractions.map(|ty| (o, ty))),
    );
    all.extend([(order::DEPTH, UNORM_INT16), (order::DEPTH, FLOAT)]);
    all.extend([order::SRGB, order::SRGBX, order::SRGBA, order::SBGRA].map(|o| (o, UNORM_INT8)));
    for order in [order::RGB, order::RGBX] {
        all.extend([UNORM_SHORT_565, UNORM_SHORT_555, UNORM_INT_101010].map(|ty| (order, ty)));
    }
    all.push((order::RGBA, UNORM_INT_101010_2));
    all
}

fn is_integer(ty: u32) -> bool {
    (channel::SIGNED_INT8..=channel::UNSIGNED_INT32).contains(&ty)
}

/// An image and its memory, with a guard area on both sides.
struct TestImage {
    image: Image,
    memory: Vec<u8>,
}

const GUARD: usize = 256;

impl TestImage {
    fn new((channel_order, channel_type): (u32, u32), dimensions: u32, layers: u64, size: [u64; 3]) -> Self {
        let mut image = Image {
            data: std::ptr::null_mut(),
            size,
            array_size: layers,
            row_pitch: 0,
            slice_pitch: 0,
            channel_order,
            channel_type,
            dimensions,
            is_array: u32::from(layers > 1),
            sampler: SamplerBits::NONE,
            class: 0,
        };
        let pixel = format::pixel_size(&image) as u64;
        // The pitches leave gaps after rows and slices.
        image.row_pitch = (size[0] + 3) * pixel;
        image.slice_pitch = (size[1] + 1) * image.row_pitch;
        let bytes = (image.slice_pitch * size[2] * layers) as usize;
        let mut memory = vec![0xA5; bytes + 2 * GUARD];
        image.data = memory[GUARD..].as_mut_ptr();
        let image = image.classified();
        Self { image, memory }
    }

    /// The address of a pixel. `z` is the layer or depth.
    fn at(&self, x: u64, y: u64, z: u64) -> *mut u8 {
        let pixel = format::pixel_size(&self.image) as u64;
        let offset = x * pixel + y * self.image.row_pitch + z * self.image.slice_pitch;
        // SAFETY: inside the memory, because the tests pass coordinates inside of the image.
        unsafe { self.image.data.add(offset as usize) }
    }

    fn guards_are_untouched(&self) -> bool {
        let around = self.memory[..GUARD]
            .iter()
            .chain(&self.memory[self.memory.len() - GUARD..]);
        around.into_iter().all(|&b| b == 0xA5)
    }
}

/// Runs a test for all functions.
macro_rules! for_all_functions {
    ($($test:ident),* $(,)?) => {
        mod cpu {
            $(#[test]
            fn $test() {
                super::$test(super::Functions::Cpu);
            })*
        }
        mod cpu_code {
            $(#[test]
            fn $test() {
                super::$test(super::Functions::CpuCode);
            })*
        }
        #[cfg(feature = "nvptx")]
        mod nvptx {
            $(#[test]
            fn $test() {
                super::$test(super::Functions::Nvptx);
            })*
        }
    };
}

for_all_functions! {
    writes_can_be_read_back,
    pixels_are_laid_out_as_opencl_says,
    samples_are_what_the_formulas_say,
    coordinates_outside_of_the_image,
    queries,
    other_types,
}

fn floats(context: &Context) -> Type<'_> {
    context.float(32).vector(4)
}

fn ints(context: &Context) -> Type<'_> {
    context.int(32).vector(4)
}

/// A color after it was written and read: components that the order lacks have their default values.
fn round_trip(order: u32, color: [f64; 4]) -> [f64; 4] {
    let [r, g, b, a] = color;
    match order {
        order::R | order::RX => [r, 0.0, 0.0, 1.0],
        order::A => [0.0, 0.0, 0.0, a],
        order::RG | order::RGX => [r, g, 0.0, 1.0],
        order::RA => [r, 0.0, 0.0, a],
        order::RGB | order::RGBX | order::SRGB | order::SRGBX => [r, g, b, 1.0],
        order::INTENSITY => [r; 4],
        order::LUMINANCE => [r, r, r, 1.0],
        order::DEPTH => [r, 0.0, 0.0, 0.0],
        _ => color,
    }
}

fn writes_can_be_read_back(functions: Functions) {
    let write = Compiled::new(functions, Op::ImageWrite, ints, floats);
    let read = Compiled::new(functions, Op::ImageRead, ints, floats);
    let write_int = Compiled::new(functions, Op::ImageWrite, ints, ints);
    let read_int = Compiled::new(functions, Op::ImageRead, ints, ints);
    let none = SamplerBits::new(false, 0, false);
    let most = i32::MAX;
    for format in functions.formats() {
        let test_image = TestImage::new(format, 2, 1, [5, 4, 1]);
        let image = &test_image.image;
        let at = [2, 3, 0, 0];
        if is_integer(format.1) {
            for color in [
                [1, 2, 3, 4],
                [0; 4],
                [-1, -2, -200, -70000],
                [most, 300, 70000, 127],
                [200, -128, 65535, 255],
            ] {
                write_int.call(image, none, at, &mut { color });
                let mut got = [0i32; 4];
                read_int.call(image, none, at, &mut got);
                let fit = |c: i32| match format.1 {
                    channel::SIGNED_INT8 => c.clamp(-128, 127),
                    channel::SIGNED_INT16 => c.clamp(-32768, 32767),
                    channel::UNSIGNED_INT8 => (c as u32).min(255) as i32,
                    channel::UNSIGNED_INT16 => (c as u32).min(65535) as i32,
                    _ => c,
                };
                let expected = round_trip(format.0, color.map(|c| fit(c).into())).map(|c| c as i32);
                assert_eq!(got, expected, "{format:x?} {color:?}");
            }
        } else {
            let colors: [[f32; 4]; 4] = [
                [0.0, 0.25, 0.5, 1.0],
                [1.0, 0.0, 1.0, 0.0],
                [0.1, 0.7, 0.33, 0.9],
                [-1.5, 2.0, -0.5, 7.0],
            ];
            for color in colors {
                write.call(image, none, at, &mut { color });
                let mut got = [0f32; 4];
                read.call(image, none, at, &mut got);
                let bits = |i: usize| match format.1 {
                    channel::UNORM_SHORT_565 => [5, 6, 5, 0][i],
                    channel::UNORM_SHORT_555 => 5,
                    channel::UNORM_INT_101010 => 10,
                    channel::UNORM_INT_101010_2 => [10, 10, 10, 2][i],
                    channel::UNORM_INT8 => 8,
                    channel::UNORM_INT16 => 16,
                    channel::SNORM_INT8 => 7,
                    channel::SNORM_INT16 => 15,
                    _ => 0,
                };
                let lowest = match format.1 {
                    channel::SNORM_INT8 | channel::SNORM_INT16 => -1.0,
                    channel::HALF_FLOAT | channel::FLOAT => -1e9,
                    _ => 0.0,
                };
                let highest = if lowest < -1.0 { 1e9 } else { 1.0 };
                let fit = color.map(|c| f64::from(c).clamp(lowest, highest));
                for (i, (got, expected)) in got.iter().zip(round_trip(format.0, fit)).enumerate() {
                    // Half a step of the format, and more for sRGB, whose steps are not uniform.
                    let step = match bits(i) {
                        0 if format.1 == channel::HALF_FLOAT => 0.001,
                        0 => 0.0,
                        n => 0.5 / f64::from((1 << n) - 1) + 1e-7,
                    };
                    let step = if (order::SRGB..=order::SBGRA).contains(&format.0) {
                        0.006
                    } else {
                        step
                    };
                    let error = (f64::from(*got) - expected).abs();
                    assert!(error <= step, "{format:x?} {color:?}: {got} at {i}, not {expected}");
                }
            }
            // Formats without NaN store 0.
            write.call(image, none, at, &mut [f32::NAN; 4]);
            let mut got = [0f32; 4];
            read.call(image, none, at, &mut got);
            if !matches!(format.1, channel::FLOAT | channel::HALF_FLOAT) {
                let expected = round_trip(format.0, [0.0; 4]).map(|c| c as f32);
                assert_eq!(got, expected, "{format:x?}");
            }
        }
        assert!(test_image.guards_are_untouched());
    }
}

fn pixels_are_laid_out_as_opencl_says(functions: Functions) {
    type Case = ((u32, u32), &'static [u8], [f32; 4]);
    let cases: &[Case] = &[
        (
            (order::RGBA, channel::UNORM_INT8),
            &[255, 0, 51, 102],
            [1.0, 0.0, 0.2, 0.4],
        ),
        (
            (order::BGRA, channel::UNORM_INT8),
            &[255, 0, 51, 102],
            [0.2, 0.0, 1.0, 0.4],
        ),
        (
            (order::ARGB, channel::UNORM_INT8),
            &[255, 0, 51, 102],
            [0.0, 0.2, 0.4, 1.0],
        ),
        (
            (order::ABGR, channel::UNORM_INT8),
            &[255, 0, 51, 102],
            [0.4, 0.2, 0.0, 1.0],
        ),
        ((order::RG, channel::SNORM_INT8), &[0x80, 127], [-1.0, 1.0, 0.0, 1.0]),
        ((order::R, channel::SNORM_INT16), &[1, 0x80], [-1.0, 0.0, 0.0, 1.0]),
        (
            (order::RGB, channel::UNORM_SHORT_565),
            &[0x1F, 0xF8],
            [1.0, 0.0, 1.0, 1.0],
        ),
        (
            (order::RGB, channel::UNORM_SHORT_565),
            &[0xE0, 0x07],
            [0.0, 1.0, 0.0, 1.0],
        ),
        ((order::RGB, channel::UNORM_SHORT_555), &[0, 0x7C], [1.0, 0.0, 0.0, 1.0]),
        (
            (order::RGB, channel::UNORM_INT_101010),
            &[0xFF, 0x03, 0, 0],
            [0.0, 0.0, 1.0, 1.0],
        ),
        (
            (order::RGB, channel::UNORM_INT_101010),
            &[0, 0, 0xF0, 0x3F],
            [1.0, 0.0, 0.0, 1.0],
        ),
        (
            (order::RGBA, channel::UNORM_INT_101010_2),
            &[1, 0, 0xC0, 0xFF],
            [1.0, 0.0, 0.0, 1.0 / 3.0],
        ),
        (
            (order::RA, channel::HALF_FLOAT),
            &[0, 0x3C, 0, 0xC0],
            [1.0, 0.0, 0.0, -2.0],
        ),
        ((order::A, channel::FLOAT), &[0, 0, 0xC0, 0x3F], [0.0, 0.0, 0.0, 1.5]),
        (
            (order::SRGBA, channel::UNORM_INT8),
            &[255, 0, 255, 128],
            [1.0, 0.0, 1.0, 128.0 / 255.0],
        ),
    ];
    let read = Compiled::new(functions, Op::ImageRead, ints, floats);
    let write = Compiled::new(functions, Op::ImageWrite, ints, floats);
    for &(format, bytes, color) in cases.iter().filter(|case| functions.formats().contains(&case.0)) {
        let image = TestImage::new(format, 1, 1, [2, 1, 1]);
        assert_eq!(format::pixel_size(&image.image), bytes.len(), "{format:x?}");
        let none = SamplerBits::new(false, 0, false);
        // SAFETY: the address of the second pixel.
        unsafe { image.at(1, 0, 0).copy_from(bytes.as_ptr(), bytes.len()) };
        let mut got = [0f32; 4];
        read.call(&image.image, none, [1, 0, 0, 0], &mut got);
        for (got, expected) in got.into_iter().zip(color) {
            assert!((got - expected).abs() < 1e-6, "{format:x?}: {got}, not {expected}");
        }
        write.call(&image.image, none, [0, 0, 0, 0], &mut { color });
        // SAFETY: the address of the first pixel.
        let written = unsafe { std::slice::from_raw_parts(image.at(0, 0, 0), bytes.len()) };
        // -1 is written as -127, but both -127 and -128 are read as -1.
        let same = written == bytes || format.1 == channel::SNORM_INT8;
        assert!(same, "{format:x?}: {written:x?}, not {bytes:x?}");
    }
}

/// The formulas of section 8.2 for one axis: the nearest pixel, and the two pixels for linear filtering with their weights.
/// -1 and `size` mean the border.
fn formulas(mode: u32, normalized: bool, size: i64, s: f64) -> (i64, [(i64, f64); 2]) {
    let w = size as f64;
    let frac = |x: f64| x - x.floor();
    match mode {
        3 => {
            let u = (s - s.floor()) * w;
            let i = u.floor() as i64;
            let i0 = (u - 0.5).floor() as i64;
            let i1 = i0 + 1;
            let i0 = if i0 < 0 { size + i0 } else { i0 };
            let i1 = if i1 > size - 1 { i1 - size } else { i1 };
            let a = frac(u - 0.5);
            (if i > size - 1 { i - size } else { i }, [(i0, 1.0 - a), (i1, a)])
        }
        4 => {
            let s = (s - 2.0 * (0.5 * s).round_ties_even()).abs();
            let u = s * w;
            let i0 = (u - 0.5).floor() as i64;
            let a = frac(u - 0.5);
            (
                (u.floor() as i64).min(size - 1),
                [(i0.max(0), 1.0 - a), ((i0 + 1).min(size - 1), a)],
            )
        }
        _ => {
            let u = if normalized { s * w } else { s };
            let clamp = |i: i64| match mode {
                1 => i.clamp(0, size - 1),
                _ => i.clamp(-1, size),
            };
            let i0 = (u - 0.5).floor() as i64;
            let a = frac(u - 0.5);
            (clamp(u.floor() as i64), [(clamp(i0), 1.0 - a), (clamp(i0 + 1), a)])
        }
    }
}

fn samples_are_what_the_formulas_say(functions: Functions) {
    let sample = Compiled::new(functions, Op::ImageSampleExplicitLod, floats, floats);
    let sample_int = Compiled::new(functions, Op::ImageSampleExplicitLod, ints, floats);
    // Each pixel has a different color, which is not the border color.
    let value = |x: i64, y: i64, z: i64, c: usize| (x * 7 + y * 31 + z * 101 + c as i64 * 3 + 1) as f64;
    for (dimensions, layers, size) in [
        (1, 1, [7u64, 1, 1]),
        (2, 1, [5, 4, 1]),
        (3, 1, [4, 3, 5]),
        (1, 3, [6, 1, 1]),
        (2, 4, [4, 5, 1]),
    ] {
        for format in [(order::RGBA, channel::FLOAT), (order::RG, channel::FLOAT)] {
            let image = TestImage::new(format, dimensions, layers, size);
            let channels = if format.0 == order::RG { 2 } else { 4 };
            for z in 0..size[2] * layers {
                for y in 0..size[1] {
                    for x in 0..size[0] {
                        for c in 0..channels {
                            let number = value(x as i64, y as i64, z as i64, c) as f32;
                            // SAFETY: the address of a channel of a pixel of the image.
                            unsafe { image.at(x, y, z).cast::<f32>().add(c).write(number) };
                        }
                    }
                }
            }
            let dimensions = dimensions as usize;
            let color = |pixel: [i64; 3], layer: i64| -> [f64; 4] {
                let inside = (0..dimensions).all(|d| (0..size[d] as i64).contains(&pixel[d]));
                let [x, y, z] = pixel;
                let alpha = if format.0 == order::RG { 1.0 } else { 0.0 };
                match (inside, channels) {
                    (false, _) => [0.0, 0.0, 0.0, alpha],
                    (true, 2) => [value(x, y, z + layer, 0), value(x, y, z + layer, 1), 0.0, 1.0],
                    (true, _) => [0, 1, 2, 3].map(|c| value(x, y, z + layer, c)),
                }
            };
            let mut random = 1u64;
            let mut next = || {
                random = random
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                (random >> 40) as f64 / f64::from(1 << 24)
            };
            for (normalized, mode) in [
                (false, 0),
                (false, 1),
                (false, 2),
                (true, 1),
                (true, 2),
                (true, 3),
                (true, 4),
            ] {
                for linear in [false, true] {
                    let sampler = SamplerBits::new(normalized, mode, linear);
                    for _ in 0..300 {
                        // Random coordinates inside of the image and beyond both ends.
                        let mut at = [0f32; 4];
                        for (d, coordinate) in at.iter_mut().enumerate() {
                            let is_layer = d == dimensions && layers > 1;
                            let length = if d < 3 { size[d] as f64 } else { 1.0 };
                            let pixels = (next() * 3.0 - 1.0) * length;
                            *coordinate = match () {
                                _ if is_layer => (next() * 8.0 - 2.0) as f32,
                                _ if normalized => (pixels / length) as f32,
                                _ => pixels as f32,
                            };
                        }
                        let layer = match layers {
                            1 => 0,
                            _ => (f64::from(at[dimensions]).round_ties_even() as i64).clamp(0, layers as i64 - 1),
                        };
                        let axes: Vec<_> = (0..dimensions)
                            .map(|d| formulas(mode, normalized, size[d] as i64, at[d].into()))
                            .collect();
                        // Near the edge of a pixel, float and double may select different pixels.
                        let at_edge = (0..dimensions).any(|d| {
                            let pixels = f64::from(at[d]) * if normalized { size[d] as f64 } else { 1.0 };
                            (pixels - pixels.round()).abs() < 1e-4
                        });
                        if at_edge {
                            continue;
                        }
                        let mut expected = [0f64; 4];
                        let corners = if linear { 1usize << dimensions } else { 1 };
                        for corner in 0..corners {
                            let mut pixel = [0i64; 3];
                            let mut weight = 1.0;
                            for (d, axis) in axes.iter().enumerate() {
                                if linear {
                                    let (i, w) = axis.1[corner >> d & 1];
                                    (pixel[d], weight) = (i, weight * w);
                                } else {
                                    pixel[d] = axis.0;
                                }
                            }
                            let c = color(pixel, layer);
                            expected = [0, 1, 2, 3].map(|i| expected[i] + weight * c[i]);
                        }
                        let mut got = [0f32; 4];
                        sample.call(&image.image, sampler, at, &mut got);
                        for (got, expected) in got.into_iter().zip(expected) {
                            assert!(
                                (f64::from(got) - expected).abs() <= 0.01,
                                "{dimensions}D x {layers}, mode {mode}, normalized {normalized}, linear {linear}, {at:?}: \
                                 {got}, not {expected}"
                            );
                        }
                        // Integer coordinates.
                        if !normalized && !linear {
                            let whole = at.map(|x| x.floor() as i32);
                            let mut got = [0f32; 4];
                            sample_int.call(&image.image, sampler, whole, &mut got);
                            let pixel = [0, 1, 2].map(|d| match d < dimensions {
                                true if mode == 1 => i64::from(whole[d]).clamp(0, size[d] as i64 - 1),
                                true => whole[d].into(),
                                false => 0,
                            });
                            let layer = match layers {
                                1 => 0,
                                _ => i64::from(whole[dimensions]).clamp(0, layers as i64 - 1),
                            };
                            assert_eq!(got, color(pixel, layer).map(|c| c as f32));
                        }
                    }
                }
            }
        }
    }
}

/// No combination of coordinates, format and sampler reads or writes outside of the image.
fn coordinates_outside_of_the_image(functions: Functions) {
    let sample = Compiled::new(functions, Op::ImageSampleExplicitLod, floats, floats);
    let sample_int = Compiled::new(functions, Op::ImageSampleExplicitLod, floats, ints);
    let read = Compiled::new(functions, Op::ImageRead, ints, floats);
    let write = Compiled::new(functions, Op::ImageWrite, ints, floats);
    let write_int = Compiled::new(functions, Op::ImageWrite, ints, ints);
    let numbers = [
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::MAX,
        f32::MIN,
        1e10,
        -1e10,
        -0.0,
        3.999,
        1e-45,
    ];
    let wholes = [i32::MIN, i32::MAX, -1, 4, 5, 1 << 30];
    for format in functions.formats() {
        for (dimensions, layers) in [(1, 1), (2, 1), (3, 1), (1, 2), (2, 2)] {
            let size = [
                4,
                if dimensions > 1 { 4 } else { 1 },
                if dimensions > 2 { 4 } else { 1 },
            ];
            let image = TestImage::new(format, dimensions, layers, size);
            for (i, &x) in numbers.iter().enumerate() {
                let at = [x, numbers[(i + 3) % numbers.len()], numbers[(i + 7) % numbers.len()], x];
                for bits in 0..32 {
                    sample.call(&image.image, SamplerBits(bits), at, &mut [0f32; 4]);
                    sample_int.call(&image.image, SamplerBits(bits), at, &mut [0i32; 4]);
                }
            }
            let before = image.memory.clone();
            for (i, &x) in wholes.iter().enumerate() {
                let y = wholes[(i + 1) % wholes.len()];
                for at in [[x, y, y, y], [0, x, y, 0], [x, 0, 0, 0]] {
                    read.call(&image.image, SamplerBits(0), at, &mut [0f32; 4]);
                    // The second coordinate has no effect on 1D images, so this pixel is inside of them.
                    if dimensions > 1 || layers > 1 || at[0] != 0 {
                        write.call(&image.image, SamplerBits(0), at, &mut [1f32; 4]);
                        write_int.call(&image.image, SamplerBits(0), at, &mut [1i32; 4]);
                    }
                }
            }
            assert_eq!(image.memory, before, "{format:x?} {dimensions}D x {layers}");
        }
    }
}

fn queries(functions: Functions) {
    for (dimensions, layers, size, expected) in [
        (1, 1, [7u64, 1, 1], [7, 0, 0, 0]),
        (1, 3, [7, 1, 1], [7, 3, 0, 0]),
        (2, 1, [7, 5, 1], [7, 5, 0, 0]),
        (2, 3, [7, 5, 1], [7, 5, 3, 0]),
        (3, 1, [7, 5, 2], [7, 5, 2, 0]),
    ] {
        let image = TestImage::new((order::BGRA, channel::UNORM_INT8), dimensions, layers, size);
        let ask = |op: Op, lanes: u32, bits: u32| {
            let ty = move |context: &Context| if lanes == 1 { context.int(bits).bits() } else { 0 };
            let _ = ty;
            let mut answer = [0u64; 4];
            match (lanes, bits) {
                (1, 32) => Compiled::new(functions, op, ints, |c| c.int(32)),
                (1, _) => Compiled::new(functions, op, ints, |c| c.int(64)),
                (2, _) => Compiled::new(functions, op, ints, |c| c.int(64).vector(2)),
                (3, _) => Compiled::new(functions, op, ints, |c| c.int(64).vector(3)),
                _ => Compiled::new(functions, op, ints, |c| c.int(64).vector(4)),
            }
            .call(&image.image, SamplerBits(0), [0; 4], &mut answer);
            answer
        };
        for lanes in 1..=4 {
            let answer = ask(Op::ImageQuerySizeLod, lanes, 64);
            assert_eq!(answer[..lanes as usize], expected[..lanes as usize]);
        }
        assert_eq!(ask(Op::ImageQuerySize, 1, 32)[0], 7);
        assert_eq!(ask(Op::ImageQueryOrder, 1, 32)[0], 6);
        assert_eq!(ask(Op::ImageQueryFormat, 1, 32)[0], 2);
        assert_eq!(ask(Op::ImageQueryLevels, 1, 32)[0], 1);
    }
}

/// Other types of results and texels: half, scalars for depth images, fewer coordinates.
fn other_types(functions: Functions) {
    let image = TestImage::new((order::R, channel::FLOAT), 2, 1, [3, 2, 1]);
    let none = SamplerBits::new(false, 0, false);
    Compiled::new(functions, Op::ImageWrite, |c| c.int(32).vector(2), |c| c.float(32)).call(
        &image.image,
        none,
        [1, 1, 0, 0],
        &mut 2.5f32,
    );
    let mut single = 0f32;
    Compiled::new(functions, Op::ImageRead, |c| c.int(32).vector(2), |c| c.float(32)).call(
        &image.image,
        none,
        [1, 1, 0, 0],
        &mut single,
    );
    assert_eq!(single, 2.5);
    let mut halves = [0u16; 4];
    Compiled::new(
        functions,
        Op::ImageSampleExplicitLod,
        |c| c.float(32).vector(2),
        |c| c.float(16).vector(4),
    )
    .call(&image.image, none, [1.5f32, 1.5, 0.0, 0.0], &mut halves);
    assert_eq!(halves, [0x4100, 0, 0, 0x3C00]);
}

/// Invalid operands are errors. LLVM would crash on them.
#[test]
fn wrong_operands() {
    let context = Context::new();
    let module = Module::new(&context, "wrong");
    let (word, ptr) = (context.int(32), context.ptr());
    let pair = context.structure(&[ptr, word], false);
    let types = [
        word,
        ptr,
        pair,
        word.vector(4),
        word.vector(2),
        context.float(32),
        context.float(32).vector(4),
        context.float(64).vector(4),
        context.int(128),
        context.int(1),
        context.float(32).vector(16),
        word.array(4),
        ptr.vector(4),
    ];
    let function = module.add_function("wrong", context.void().function(&types));
    let builder = Builder::at_end(&context, function.append_block("entry"));
    let e = Emit {
        context: &context,
        module: &module,
        builder: &builder,
        fast_math: 0,
        fuses_halfs: false,
    };
    let ops = [
        Op::SampledImage,
        Op::Image,
        Op::ImageSampleExplicitLod,
        Op::ImageRead,
        Op::ImageWrite,
        Op::ImageQuerySize,
        Op::ImageQueryFormat,
        Op::ImageQueryOrder,
        Op::ImageQueryLevels,
        Op::IAdd,
    ];
    let (mut accepted, n) = (0, types.len());
    for op in ops {
        for result in types {
            for at in 0..n * n * n {
                let args = [at % n, at / n % n, at / n / n].map(|i| function.param(i as u32));
                for count in 0..=3 {
                    if (count < 3 && at >= n * n) || (count < 2 && at >= n) {
                        continue;
                    }
                    accepted += usize::from(emit_image(&e, op, result, &args[..count]).is_ok());
                }
            }
        }
    }
    builder.ret(None);
    module.verify().unwrap();
    assert!(accepted > 100, "{accepted}");
}

/// Offsets of pixels are 31 bits in code for vectors: images that need more have the class of all formats.
#[test]
fn classes_of_large_images() {
    let class = |size: [u64; 3], array_size: u64, row_pitch: u64, slice_pitch: u64| {
        let image = TestImage::new((order::RGBA, channel::FLOAT), 2, 1, [1; 3]).image;
        let image = Image {
            size,
            array_size,
            row_pitch,
            slice_pitch,
            ..image
        };
        image.classified().class
    };
    const MOST: u64 = i32::MAX as u64;
    assert_eq!(class([1024, 1024, 1], 1, 16 << 10, 0), format::class::FLOATS);
    assert_eq!(class([1, 2, 1], 1, MOST - 16, 0), format::class::FLOATS);
    assert_eq!(class([1, 2, 1], 1, MOST - 15, 0), format::class::GENERAL);
    assert_eq!(class([1, 1, 1], 3, 16, MOST / 2), format::class::GENERAL);
    assert_eq!(class([1, 1, 3], 1, 16, (MOST - 17) / 2), format::class::FLOATS);
    assert_eq!(class([u64::MAX, 2, 1], 1, 16, 0), format::class::GENERAL);
    assert_eq!(class([1, u64::MAX, 1], 1, u64::MAX, 0), format::class::GENERAL);
}
