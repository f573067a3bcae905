// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Functions in IR have the results of those in Rust, bit by bit: quick code calls these, and results must not depend on the
//! tier. All formats, shapes and samplers, and coordinates that are no numbers or far away.

use spirv::Op;

use super::harness::{Compiled, Functions};
use super::{TestImage, floats, ints, is_integer};
use crate::llvm::{Context, Type};
use crate::{Image, SamplerBits};

/// The dimensions, layers and size of an image.
type Shape = (u32, u64, [u64; 3]);

const SHAPES: [Shape; 6] = [
    (1, 1, [9, 1, 1]),
    (1, 4, [9, 1, 1]),
    (2, 1, [7, 5, 1]),
    (2, 3, [7, 5, 1]),
    (3, 1, [5, 4, 3]),
    (2, 1, [1, 1, 1]),
];

/// Coordinates that are no numbers, far away, or on an edge.
const SPECIAL: [f32; 15] = [
    f32::NAN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    3e9,
    -3e9,
    2_147_483_648.0,
    -2_147_483_648.0,
    1e20,
    -1e20,
    0.0,
    -0.0,
    1.0,
    -1.0,
    16_777_216.0,
    f32::MIN_POSITIVE,
];

fn all_functions() -> Vec<Functions> {
    vec![
        Functions::CpuCode,
        #[cfg(feature = "nvptx")]
        Functions::Nvptx,
    ]
}

struct Random(u64);

impl Random {
    fn bits(&mut self) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }

    fn fraction(&mut self) -> f32 {
        (self.bits() >> 8) as f32 / (1 << 24) as f32
    }

    /// A coordinate in an image or around it, now and then a special one.
    fn coordinate(&mut self, scale: f32) -> f32 {
        match self.bits() % 8 {
            0 => SPECIAL[self.bits() as usize % SPECIAL.len()],
            _ => (self.fraction() * 4.0 - 1.5) * scale,
        }
    }

    fn whole_coordinate(&mut self) -> i32 {
        match self.bits() % 8 {
            0 => [i32::MIN, i32::MAX, -1, 1 << 30, 0][self.bits() as usize % 5],
            _ => (self.bits() % 14) as i32 - 3,
        }
    }
}

fn filled(format: (u32, u32), &(dimensions, layers, size): &Shape, random: &mut Random) -> TestImage {
    let mut image = TestImage::new(format, dimensions, layers, size);
    image.memory.iter_mut().for_each(|byte| *byte = random.bits() as u8);
    image
}

/// The bits of colors; all that are no numbers are the same.
fn bits(color: [f32; 4]) -> [u32; 4] {
    color.map(|c| if c.is_nan() { f32::NAN.to_bits() } else { c.to_bits() })
}

/// An instruction, by functions in IR and by those in Rust.
struct Both([Compiled; 2]);

type OfContext = for<'c> fn(&'c Context) -> Type<'c>;

impl Both {
    fn new(functions: Functions, op: Op, coordinates: OfContext, texel: OfContext) -> Self {
        Self([functions, Functions::Cpu].map(|functions| Compiled::new(functions, op, coordinates, texel)))
    }

    /// What each leaves of a texel, with an image of its own.
    fn call<A: Copy, T: Copy>(&self, images: [&Image; 2], sampler: SamplerBits, at: [A; 4], texel: T) -> [T; 2] {
        [0, 1].map(|i| {
            let mut texel = texel;
            self.0[i].call(images[i], sampler, at, &mut texel);
            texel
        })
    }
}

/// Checks images of all formats that functions have, and of all shapes.
fn for_all_images(functions: Functions, seed: u64, mut check: impl FnMut((u32, u32), &Shape, &mut Random)) {
    let mut random = Random(seed);
    for format in functions.formats() {
        for shape in &SHAPES {
            check(format, shape, &mut random);
        }
    }
}

/// A place around an image for a sampler.
fn place(sampler: SamplerBits, random: &mut Random) -> [f32; 4] {
    let scale = if sampler.0 & 1 == 1 { 1.0 } else { 6.0 };
    std::array::from_fn(|_| random.coordinate(scale))
}

#[test]
fn samples() {
    for functions in all_functions() {
        let both = Both::new(functions, Op::ImageSampleExplicitLod, floats, floats);
        for_all_images(functions, 7, |format, shape, random| {
            let TestImage { image, .. } = &filled(format, shape, random);
            for sampler in (0..32).map(SamplerBits).flat_map(|sampler| [sampler; 16]) {
                let at = place(sampler, random);
                let [one, other] = both.call([image; 2], sampler, at, [0.0; 4]);
                assert_eq!(
                    bits(one),
                    bits(other),
                    "{shape:?} {format:x?} {:#b} {at:?}: {one:?} {other:?}",
                    sampler.0
                );
            }
        });
    }
}

#[test]
fn samples_of_integers() {
    for functions in all_functions() {
        let both = Both::new(functions, Op::ImageSampleExplicitLod, floats, ints);
        for_all_images(functions, 8, |format, shape, random| {
            if !is_integer(format.1) {
                return;
            }
            let TestImage { image, .. } = &filled(format, shape, random);
            for sampler in (0..16).map(SamplerBits).flat_map(|sampler| [sampler; 16]) {
                let at = place(sampler, random);
                let [one, other] = both.call([image; 2], sampler, at, [0; 4]);
                assert_eq!(one, other, "{shape:?} {format:x?} {:#b} {at:?}", sampler.0);
            }
        });
    }
}

#[test]
fn reads() {
    for functions in all_functions() {
        let of_floats = Both::new(functions, Op::ImageRead, ints, floats);
        let of_ints = Both::new(functions, Op::ImageRead, ints, ints);
        for_all_images(functions, 9, |format, shape, random| {
            let TestImage { image, .. } = &filled(format, shape, random);
            for _ in 0..200 {
                let at: [i32; 4] = std::array::from_fn(|_| random.whole_coordinate());
                if is_integer(format.1) {
                    let [one, other] = of_ints.call([image; 2], SamplerBits::NONE, at, [0; 4]);
                    assert_eq!(one, other, "{shape:?} {format:x?} {at:?}");
                } else {
                    let colors = of_floats.call([image; 2], SamplerBits::NONE, at, [0.0; 4]);
                    let [one, other] = colors.map(bits);
                    assert_eq!(one, other, "{shape:?} {format:x?} {at:?}");
                }
            }
        });
    }
}

/// The memory around an image is compared, too.
#[test]
fn writes() {
    for functions in all_functions() {
        let of_floats = Both::new(functions, Op::ImageWrite, ints, floats);
        let of_ints = Both::new(functions, Op::ImageWrite, ints, ints);
        for_all_images(functions, 10, |format, &(dimensions, layers, size), random| {
            let two = [0, 1].map(|_| TestImage::new(format, dimensions, layers, size));
            let images = [&two[0].image, &two[1].image];
            for _ in 0..100 {
                let at: [i32; 4] = std::array::from_fn(|_| random.whole_coordinate());
                if is_integer(format.1) {
                    let shift = random.bits() % 32;
                    let color = [0; 4].map(|_: i32| random.bits() as i32 >> shift);
                    of_ints.call(images, SamplerBits::NONE, at, color);
                } else {
                    let color = [0; 4].map(|_| random.coordinate(0.6));
                    of_floats.call(images, SamplerBits::NONE, at, color);
                }
                assert_eq!(
                    two[0].memory, two[1].memory,
                    "{dimensions} {layers} {size:?} {format:x?} {at:?}"
                );
            }
        });
    }
}
