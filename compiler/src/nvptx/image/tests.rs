// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Tests of what the CPU does not have: mipmaps, modes by dimension, cubes. The rest has the tests of `crate::image::tests`.

use spirv::Op;

use super::ImageDescriptor;
use crate::codegen::Loaded;
use crate::image::Shape;
use crate::image::format::{channel, order};
use crate::image::tests::{Functions, compile};
use crate::llvm::{Context, Type};
use crate::{Image, SamplerBits};

fn floats(context: &Context) -> Type<'_> {
    context.float(32).vector(4)
}

/// A sample: of an image, a sampler, three coordinates, and a level.
struct Sample {
    address: *const u8,
    _code: Loaded,
}

impl Sample {
    fn new(shape: Shape, has_level: bool) -> Self {
        let (address, code) = compile(
            Functions::Nvptx,
            Some(shape),
            Op::ImageSampleExplicitLod,
            &floats,
            &floats,
            has_level,
        );
        Self { address, _code: code }
    }

    fn call<T>(&self, image: *const T, sampler: SamplerBits, at: [f32; 4]) -> [f32; 4] {
        let mut color = [0.0; 4];
        // SAFETY: the function has these parameters, and each test gives it the image that it is for.
        unsafe {
            let f: unsafe extern "C" fn(*const T, u32, *const f32, *mut [f32; 4]) = std::mem::transmute(self.address);
            f(image, sampler.0, at.as_ptr(), &mut color);
        }
        color
    }
}

/// An image whose pixels are there, one row behind the other.
fn image(format: (u32, u32), shape: Shape, size: [u64; 3], layers: u64, pixel: u64, memory: &mut [u8]) -> Image {
    assert!(memory.len() as u64 >= size.iter().product::<u64>() * layers * pixel);
    Image {
        data: memory.as_mut_ptr(),
        size,
        array_size: layers,
        row_pitch: size[0] * pixel,
        slice_pitch: size[0] * size[1] * pixel,
        channel_order: format.0,
        channel_type: format.1,
        dimensions: shape.dimensions() as u32,
        is_array: shape.is_array().into(),
        sampler: SamplerBits::NONE,
        class: 0,
    }
}

fn random(state: &mut u64) -> f32 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    (*state >> 40) as f32 / (1 << 24) as f32
}

/// A level's pixels are all the same: 10 times its number, and 1.
#[test]
fn levels_of_mipmaps() {
    const SIDES: [u64; 4] = [8, 4, 2, 1];
    let mut memory: Vec<Vec<f32>> = (SIDES.iter().zip(0..))
        .map(|(side, level)| vec![10.0 * level as f32 + 1.0; (side * side) as usize])
        .collect();
    let (low, high) = (0.25, 2.75);
    let levels: Vec<_> = (SIDES.iter().zip(&mut memory))
        .map(|(&side, pixels)| {
            // SAFETY: the bytes of these numbers.
            let bytes = unsafe { pixels.align_to_mut::<u8>().1 };
            let image = image((order::R, channel::FLOAT), Shape::D2, [side, side, 1], 1, 4, bytes);
            ImageDescriptor {
                levels: SIDES.len() as u32,
                min_level: low,
                max_level: high,
                ..ImageDescriptor::new(image).expect("a format that it has")
            }
        })
        .collect();
    let sample = Sample::new(Shape::D2, true);
    let edge = SamplerBits::new(true, 1, true);
    let number = |sampler, level: f32| sample.call(levels.as_ptr(), sampler, [0.3, 0.7, 0.0, level])[0];
    for (level, nearest, mixed) in [
        (-3.0, 1.0, 3.5),
        (0.4, 1.0, 5.0),
        (0.6, 11.0, 7.0),
        (2.0, 21.0, 21.0),
        (2.6, 31.0, 27.0),
        (9.0, 31.0, 28.5),
    ] {
        for (sampler, expected) in [(edge, nearest), (edge.with_linear_levels(), mixed)] {
            let found = number(sampler, level);
            assert!((found - expected).abs() < 1e-4, "{level}: {found}, not {expected}");
        }
    }
    // Beyond the last level there is none.
    let mut two = levels[2..].to_vec();
    two.iter_mut()
        .for_each(|level| (level.levels, level.max_level) = (2, 100.0));
    for sampler in [edge, edge.with_linear_levels()] {
        for level in [1.0, 1.5, 7.0, f32::INFINITY] {
            assert_eq!(
                sample.call(two.as_ptr(), sampler, [0.5, 0.5, 0.0, level])[0],
                31.0,
                "{level}"
            );
        }
    }
}

#[test]
fn modes_by_dimension() {
    let mut memory: Vec<u8> = (0..16).collect();
    let image = image(
        (order::R, channel::UNSIGNED_INT8),
        Shape::D2,
        [4, 4, 1],
        1,
        1,
        &mut memory,
    );
    let descriptor = ImageDescriptor::new(image).expect("a format that it has");
    let sample = Sample::new(Shape::D2, false);
    let plain = SamplerBits::new(true, 0, false);
    let number = |modes, x, y| sample.call(&raw const descriptor, plain.with_addressing(modes), [x, y, 0.0, 0.0])[0];
    let (edge, border, repeat, mirror) = (1, 2, 3, 4);
    // A column to the right of the last one, in the second row.
    assert_eq!(number([edge, border, edge], 1.1, 0.3), 7.0);
    assert_eq!(number([border, edge, edge], 1.1, 0.3), 0.0);
    assert_eq!(number([repeat, edge, edge], 1.3, 0.3), 5.0);
    assert_eq!(number([mirror, edge, edge], 1.1, 0.3), 7.0);
    // A row below the last one, in the second column.
    assert_eq!(number([border, repeat, edge], 0.3, 1.3), 5.0);
    assert_eq!(number([border, mirror, edge], 0.3, 1.3), 9.0);
    assert_eq!(number([edge, border, edge], 0.3, 1.3), 0.0);
}

/// The table of CUDA's programming guide: the axis that is longest, and the coordinates on the face. Each face has a number,
/// and each of its quarters.
#[test]
fn faces_of_a_cube() {
    let mut memory: Vec<u8> = (0..24).collect();
    let format = (order::R, channel::UNSIGNED_INT8);
    let image = image(format, Shape::D2Array, [2, 2, 1], 6, 1, &mut memory);
    let descriptor = ImageDescriptor::new(image).expect("a format that it has");
    let sample = Sample::new(Shape::Cube, false);
    let mut state = 3;
    let mut seen = [false; 24];
    for _ in 0..2000 {
        let [x, y, z] = std::array::from_fn(|_| random(&mut state) * 2.0 - 1.0);
        let found = sample.call(&raw const descriptor, SamplerBits::new(true, 0, false), [x, y, z, 0.0])[0];
        let largest = x.abs().max(y.abs()).max(z.abs());
        let (face, s, t) = match () {
            _ if largest == x => (0, -z, -y),
            _ if largest == -x => (1, z, -y),
            _ if largest == y => (2, x, z),
            _ if largest == -y => (3, x, -z),
            _ if largest == z => (4, x, -y),
            _ => (5, -x, -y),
        };
        let half = |at: f32| usize::from((at / largest + 1.0) / 2.0 >= 0.5);
        let expected = face * 4 + half(t) * 2 + half(s);
        assert_eq!(found, expected as f32, "{x} {y} {z}");
        seen[expected] = true;
    }
    assert_eq!(seen, [true; 24]);
}
