// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Functions in IR have the results of those in Rust, bit by bit: quick code calls these, and results must not depend on the
//! tier. All formats, shapes and samplers, and coordinates that are no numbers or far away.

use spirv::Op;

use super::harness::{Compiled, Functions};
use super::{TestImage, floats, ints, is_integer};
use crate::SamplerBits;

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

#[test]
fn samples() {
    let cpu = Compiled::new(Functions::Cpu, Op::ImageSampleExplicitLod, floats, floats);
    for functions in all_functions() {
        let own = Compiled::new(functions, Op::ImageSampleExplicitLod, floats, floats);
        let mut random = Random(7);
        for format in functions.formats() {
            for shape in &SHAPES {
                let image = filled(format, shape, &mut random);
                for sampler in (0..32).map(SamplerBits) {
                    for _ in 0..16 {
                        let scale = if sampler.0 & 1 == 1 { 1.0 } else { 6.0 };
                        let at: [f32; 4] = std::array::from_fn(|_| random.coordinate(scale));
                        let [mut one, mut other] = [[0.0; 4]; 2];
                        own.call(&image.image, sampler, at, &mut one);
                        cpu.call(&image.image, sampler, at, &mut other);
                        assert_eq!(
                            bits(one),
                            bits(other),
                            "{:?} {format:x?} {:#b} {at:?}: {one:?} {other:?}",
                            shape,
                            sampler.0
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn samples_of_integers() {
    let cpu = Compiled::new(Functions::Cpu, Op::ImageSampleExplicitLod, floats, ints);
    for functions in all_functions() {
        let own = Compiled::new(functions, Op::ImageSampleExplicitLod, floats, ints);
        let mut random = Random(8);
        for format in functions.formats().into_iter().filter(|format| is_integer(format.1)) {
            for shape in &SHAPES {
                let image = filled(format, shape, &mut random);
                for sampler in (0..16).map(SamplerBits) {
                    for _ in 0..16 {
                        let scale = if sampler.0 & 1 == 1 { 1.0 } else { 6.0 };
                        let at: [f32; 4] = std::array::from_fn(|_| random.coordinate(scale));
                        let [mut one, mut other] = [[0; 4]; 2];
                        own.call(&image.image, sampler, at, &mut one);
                        cpu.call(&image.image, sampler, at, &mut other);
                        assert_eq!(one, other, "{:?} {format:x?} {:#b} {at:?}", shape, sampler.0);
                    }
                }
            }
        }
    }
}

#[test]
fn reads() {
    let cpu = Compiled::new(Functions::Cpu, Op::ImageRead, ints, floats);
    let cpu_ints = Compiled::new(Functions::Cpu, Op::ImageRead, ints, ints);
    for functions in all_functions() {
        let own = Compiled::new(functions, Op::ImageRead, ints, floats);
        let own_ints = Compiled::new(functions, Op::ImageRead, ints, ints);
        let mut random = Random(9);
        for format in functions.formats() {
            for shape in &SHAPES {
                let image = filled(format, shape, &mut random);
                for _ in 0..200 {
                    let at: [i32; 4] = std::array::from_fn(|_| random.whole_coordinate());
                    if is_integer(format.1) {
                        let [mut one, mut other] = [[0; 4]; 2];
                        own_ints.call(&image.image, SamplerBits::NONE, at, &mut one);
                        cpu_ints.call(&image.image, SamplerBits::NONE, at, &mut other);
                        assert_eq!(one, other, "{:?} {format:x?} {at:?}", shape);
                    } else {
                        let [mut one, mut other] = [[0.0; 4]; 2];
                        own.call(&image.image, SamplerBits::NONE, at, &mut one);
                        cpu.call(&image.image, SamplerBits::NONE, at, &mut other);
                        assert_eq!(bits(one), bits(other), "{:?} {format:x?} {at:?}", shape);
                    }
                }
            }
        }
    }
}

/// The memory around an image is compared, too.
#[test]
fn writes() {
    let cpu = Compiled::new(Functions::Cpu, Op::ImageWrite, ints, floats);
    let cpu_ints = Compiled::new(Functions::Cpu, Op::ImageWrite, ints, ints);
    for functions in all_functions() {
        let own = Compiled::new(functions, Op::ImageWrite, ints, floats);
        let own_ints = Compiled::new(functions, Op::ImageWrite, ints, ints);
        let mut random = Random(10);
        for format in functions.formats() {
            for shape in &SHAPES {
                let &(dimensions, layers, size) = shape;
                let [one, other] = [0, 1].map(|_| TestImage::new(format, dimensions, layers, size));
                for _ in 0..100 {
                    let at: [i32; 4] = std::array::from_fn(|_| random.whole_coordinate());
                    if is_integer(format.1) {
                        let shift = random.bits() % 32;
                        let color = [0; 4].map(|_: i32| random.bits() as i32 >> shift);
                        own_ints.call(&one.image, SamplerBits::NONE, at, &mut { color });
                        cpu_ints.call(&other.image, SamplerBits::NONE, at, &mut { color });
                    } else {
                        let color = [0; 4].map(|_| random.coordinate(0.6));
                        own.call(&one.image, SamplerBits::NONE, at, &mut { color });
                        cpu.call(&other.image, SamplerBits::NONE, at, &mut { color });
                    }
                    assert_eq!(one.memory, other.memory, "{:?} {format:x?} {at:?}", shape);
                }
            }
        }
    }
}
