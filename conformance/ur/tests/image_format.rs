// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What each format of images means: OpenCL C 3.0, section 6.15.15 (which channel is which number of a colour, what a channel
//! that is not there reads as, the colour of the border) and section 8.3 (how numbers are converted).

use std::collections::HashMap;

use oxur_conformance::api::*;
use oxur_conformance::client::{Arg, Image, Kernel, Pitch, Plain, Range, Sampler};
use oxur_conformance::{Rig, check, expect};

const ORIGIN: RectOffset = RectOffset { x: 0, y: 0, z: 0 };
const WIDTH: usize = 4;
const HEIGHT: usize = 2;
const PIXELS: usize = WIDTH * HEIGHT;
const REGION: RectRegion = RectRegion {
    width: WIDTH as u64,
    height: HEIGHT as u64,
    depth: 1,
};

/// The types of channels that are not packed, in the order of their numbers here and in OpenCL.
const TYPES: [ImageChannelType; 12] = [
    ImageChannelType::SNORM_INT8,
    ImageChannelType::SNORM_INT16,
    ImageChannelType::UNORM_INT8,
    ImageChannelType::UNORM_INT16,
    ImageChannelType::SIGNED_INT8,
    ImageChannelType::SIGNED_INT16,
    ImageChannelType::SIGNED_INT32,
    ImageChannelType::UNSIGNED_INT8,
    ImageChannelType::UNSIGNED_INT16,
    ImageChannelType::UNSIGNED_INT32,
    ImageChannelType::HALF_FLOAT,
    ImageChannelType::FLOAT,
];

/// Where a number of a colour comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Source {
    /// A channel, by its place in memory.
    At(usize),
    Zero,
    One,
}
use Source::{At, One, Zero};

/// An order of channels.
struct Order {
    ur: ImageChannelOrder,
    /// OpenCL's number, less that of CL_R.
    number: i32,
    /// Where red, green, blue and alpha come from.
    sources: [Source; 4],
    /// Whether the border is opaque.
    opaque: bool,
}

const ORDERS: [Order; 10] = [
    order(ImageChannelOrder::R, 0, [At(0), Zero, Zero, One], true),
    order(ImageChannelOrder::A, 1, [Zero, Zero, Zero, At(0)], false),
    order(ImageChannelOrder::RG, 2, [At(0), At(1), Zero, One], true),
    order(ImageChannelOrder::RA, 3, [At(0), Zero, Zero, At(1)], false),
    order(ImageChannelOrder::RGBA, 5, [At(0), At(1), At(2), At(3)], false),
    order(ImageChannelOrder::BGRA, 6, [At(2), At(1), At(0), At(3)], false),
    order(ImageChannelOrder::ARGB, 7, [At(1), At(2), At(3), At(0)], false),
    order(ImageChannelOrder::INTENSITY, 8, [At(0), At(0), At(0), At(0)], false),
    order(ImageChannelOrder::LUMINANCE, 9, [At(0), At(0), At(0), One], true),
    order(ImageChannelOrder::ABGR, 0x13, [At(3), At(2), At(1), At(0)], false),
];

const fn order(ur: ImageChannelOrder, number: i32, sources: [Source; 4], opaque: bool) -> Order {
    Order {
        ur,
        number,
        sources,
        opaque,
    }
}

impl Order {
    /// The channels of a pixel.
    fn channels(&self) -> usize {
        let at = self.sources.iter().filter_map(|source| match source {
            At(place) => Some(place + 1),
            _ => None,
        });
        at.max().expect("there is a channel")
    }

    /// A colour of a pixel's channels.
    fn color<T: Copy>(&self, channels: &[T], one: T, zero: T) -> [T; 4] {
        self.sources.map(|source| match source {
            At(place) => channels[place],
            Zero => zero,
            One => one,
        })
    }

    /// The channels of a colour: of intensity and luminance, red.
    fn channels_of<T: Copy>(&self, color: [T; 4]) -> Vec<T> {
        let number = |place| self.sources.iter().position(|source| *source == At(place));
        (0..self.channels())
            .map(|place| color[number(place).expect("each channel counts")])
            .collect()
    }

    /// What is outside.
    fn border<T: Copy>(&self, one: T, zero: T) -> [T; 4] {
        [zero, zero, zero, if self.opaque { one } else { zero }]
    }
}

/// The number that a pattern of bits is.
type Number = fn(u32) -> f64;

/// A type of channel that is a fraction: its bytes, and what its bits are.
fn fraction(kind: ImageChannelType) -> Option<(usize, Number)> {
    Some(match kind {
        ImageChannelType::SNORM_INT8 => (1, |bits| (f64::from(bits as i8) / 127.0).max(-1.0)),
        ImageChannelType::SNORM_INT16 => (2, |bits| (f64::from(bits as i16) / 32767.0).max(-1.0)),
        ImageChannelType::UNORM_INT8 => (1, |bits| f64::from(bits as u8) / 255.0),
        ImageChannelType::UNORM_INT16 => (2, |bits| f64::from(bits as u16) / 65535.0),
        ImageChannelType::HALF_FLOAT => (2, half),
        ImageChannelType::FLOAT => (4, |bits| f32::from_bits(bits).into()),
        _ => return None,
    })
}

/// A normal half.
fn half(bits: u32) -> f64 {
    let (sign, exponent, digits) = (bits >> 15 & 1, (bits >> 10 & 31) as i32, bits & 1023);
    let size = (1.0 + f64::from(digits) / 1024.0) * 2f64.powi(exponent - 15);
    if sign == 1 { -size } else { size }
}

/// A type of channel that is an integer: its bytes, whether it has a sign, and its bounds.
fn integer(kind: ImageChannelType) -> Option<(usize, bool)> {
    Some(match kind {
        ImageChannelType::SIGNED_INT8 => (1, true),
        ImageChannelType::SIGNED_INT16 => (2, true),
        ImageChannelType::SIGNED_INT32 => (4, true),
        ImageChannelType::UNSIGNED_INT8 => (1, false),
        ImageChannelType::UNSIGNED_INT16 => (2, false),
        ImageChannelType::UNSIGNED_INT32 => (4, false),
        _ => return None,
    })
}

/// Bits of a channel that matter, and differ from pixel to pixel.
fn bits(kind: ImageChannelType, index: usize) -> u32 {
    let of = |values: [u32; 9]| values[index % 9];
    match kind {
        ImageChannelType::HALF_FLOAT => of([0x3c00, 0x3800, 0xc000, 0x3555, 0x7bff, 0x0400, 0xbc00, 0x4248, 0x2e66]),
        ImageChannelType::FLOAT => [1.0f32, -2.5, 0.25, 1e10, -1e-10, 3.5, 0.125, 1e20, 0.1][index % 9].to_bits(),
        // The least, the greatest, those beside them, and some between.
        _ => of([
            0x8000_0080,
            0x7fff_ff7f,
            0x0101_0101,
            0xfefe_fefe,
            0,
            0xffff_ffff,
            0x1234_5678,
            0x8080_8081,
            0x4d4d_4d4d,
        ]),
    }
}

/// The bytes of channels, each of `size`.
fn bytes(channels: &[u32], size: usize) -> Vec<u8> {
    channels
        .iter()
        .flat_map(|bits| bits.to_le_bytes()[..size].to_vec())
        .collect()
}

/// The channels in bytes, each of `size`, without a sign.
fn words(bytes: &[u8], size: usize) -> Vec<u32> {
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
    bytes.chunks_exact(size).map(word).collect()
}

/// A rig and its kernels, on a device that has images.
struct Bench {
    rig: Rig,
    kernels: HashMap<&'static str, Kernel>,
    edge: Sampler,
    border: Sampler,
    linear: Sampler,
}

impl Bench {
    fn new() -> Option<Self> {
        let rig = Rig::new();
        if !rig.supports(DeviceInfo::IMAGE_SUPPORT, "images") {
            return None;
        }
        let program = rig.program("images");
        let names = [
            "sample",
            "sample_int",
            "sample_uint",
            "fetch",
            "fetch_int",
            "fetch_uint",
            "store",
            "store_int",
            "store_uint",
            "describe",
        ];
        let kernels = names.map(|name| (name, Kernel::new(&program, name).expect("urKernelCreate")));
        let sampler =
            |addressing, filter| Sampler::new(&rig.context, false, addressing, filter).expect("urSamplerCreate");
        let (nearest, linear) = (SamplerFilterMode::NEAREST, SamplerFilterMode::LINEAR);
        let edge = sampler(SamplerAddressingMode::CLAMP_TO_EDGE, nearest);
        let border = sampler(SamplerAddressingMode::CLAMP, nearest);
        let linear = sampler(SamplerAddressingMode::CLAMP_TO_EDGE, linear);
        Some(Self {
            kernels: kernels.into(),
            rig,
            edge,
            border,
            linear,
        })
    }

    /// An image with these bytes; nothing if the device does not have the format.
    fn image(&self, format: ImageFormat, bytes: &mut [u8]) -> Option<Image> {
        let desc = ImageDesc {
            r#type: MemType::IMAGE2D,
            width: WIDTH,
            height: HEIGHT,
            depth: 1,
            ..Default::default()
        };
        let flags = MemFlags::READ_WRITE | MemFlags::ALLOC_COPY_HOST_POINTER;
        // SAFETY: the bytes of all pixels, which are copied.
        let image = unsafe { Image::with_host(&self.rig.context, flags, format, &desc, bytes.as_mut_ptr().cast()) };
        if image.is_err() {
            expect!(check(image), ERROR_UNSUPPORTED_IMAGE_FORMAT);
            return None;
        }
        Some(image.expect("just asked"))
    }

    fn contents(&self, image: &Image, size: usize) -> Vec<u8> {
        let mut bytes = vec![0u8; size];
        let at = bytes.as_mut_ptr().cast();
        // SAFETY: the bytes of all pixels.
        unsafe {
            self.rig
                .queue
                .image_read(image, ORIGIN, REGION, Pitch::default(), at, &[])
        }
        .expect("read");
        bytes
    }

    /// What a kernel samples at places, four numbers each.
    fn sample<T: Plain + Default>(&self, kernel: &str, image: &Image, sampler: &Sampler, at: &[[f32; 2]]) -> Vec<T> {
        let out = self.rig.buffer(&vec![T::default(); at.len() * 4]);
        let places = self.rig.buffer(at.as_flattened());
        let image = Arg::Mem(image, MemFlags::READ_ONLY);
        let args = [image, Arg::Sampler(sampler), Arg::mem(&places), Arg::mem(&out)];
        self.rig.run(&self.kernels[kernel], &Range::new([at.len()]), &args);
        self.rig.contents(&out)
    }

    /// What a kernel reads of all pixels without a sampler.
    fn fetch<T: Plain + Default>(&self, kernel: &str, image: &Image) -> Vec<T> {
        let out = self.rig.buffer(&[T::default(); PIXELS * 4]);
        let args = [Arg::Mem(image, MemFlags::READ_ONLY), Arg::mem(&out)];
        self.rig.run(&self.kernels[kernel], &Range::new([WIDTH, HEIGHT]), &args);
        self.rig.contents(&out)
    }

    /// Has a kernel write all pixels.
    fn store<T: Plain>(&self, kernel: &str, image: &Image, colors: &[[T; 4]; PIXELS]) {
        let colors = self.rig.buffer(colors.as_flattened());
        let args = [Arg::Mem(image, MemFlags::WRITE_ONLY), Arg::mem(&colors)];
        self.rig.run(&self.kernels[kernel], &Range::new([WIDTH, HEIGHT]), &args);
    }
}

/// The middles of all pixels.
fn middles() -> Vec<[f32; 2]> {
    let middle = |index: usize| [(index % WIDTH) as f32 + 0.5, (index / WIDTH) as f32 + 0.5];
    (0..PIXELS).map(middle).collect()
}

const OUTSIDE: [[f32; 2]; 3] = [[-1.0, 0.5], [0.5, 7.0], [-3.5, -3.5]];

fn assert_close(got: &[f32], expected: &[[f64; 4]], what: &str) {
    let expected = expected.as_flattened();
    assert_eq!(got.len(), expected.len());
    for (got, expected) in got.iter().zip(expected) {
        let off = (f64::from(*got) - expected).abs();
        assert!(
            off <= 1e-6 * expected.abs().max(1e-30),
            "{what}: {got} and not {expected}"
        );
    }
}

/// Everything about a format of fractions.
fn fractions(bench: &Bench, order: &Order, kind: ImageChannelType, image: &Image, channels: &[u32]) {
    let what = format!("{:?} {kind:?}", order.ur);
    let (size, number) = fraction(kind).expect("a fraction");
    let numbers: Vec<f64> = channels.iter().map(|bits| number(*bits)).collect();
    let colors: Vec<[f64; 4]> = numbers
        .chunks_exact(order.channels())
        .map(|channels| order.color(channels, 1.0, 0.0))
        .collect();
    assert_close(&bench.fetch("fetch", image), &colors, &format!("{what} fetched"));
    let sampled = bench.sample("sample", image, &bench.edge, &middles());
    assert_close(&sampled, &colors, &format!("{what} sampled"));
    let outside = bench.sample("sample", image, &bench.border, &OUTSIDE);
    assert_close(&outside, &[order.border(1.0, 0.0); 3], &format!("{what} outside"));
    // Between the first two pixels of a row.
    let between = std::array::from_fn(|i| f64::midpoint(colors[0][i], colors[1][i]));
    let blended = bench.sample("sample", image, &bench.linear, &[[1.0, 0.5]]);
    assert_close(&blended, &[between], &format!("{what} between"));

    // Written colours come back, as far as the type has them: eighths are exact in floating point only.
    let written: [[f32; 4]; PIXELS] =
        std::array::from_fn(|pixel| std::array::from_fn(|i| ((pixel * 4 + i * 3) % 9) as f32 / 8.0));
    bench.store("store", image, &written);
    let bytes = bench.contents(image, PIXELS * order.channels() * size);
    let step = match kind {
        ImageChannelType::SNORM_INT8 => 1.0 / 127.0,
        ImageChannelType::UNORM_INT8 => 1.0 / 255.0,
        ImageChannelType::SNORM_INT16 => 1.0 / 32767.0,
        ImageChannelType::UNORM_INT16 => 1.0 / 65535.0,
        _ => 0.0,
    };
    let found = words(&bytes, size);
    let expected: Vec<f32> = written.iter().flat_map(|color| order.channels_of(*color)).collect();
    assert_eq!(found.len(), expected.len());
    for (bits, expected) in found.iter().zip(&expected) {
        let number = if *bits == 0 { 0.0 } else { number(*bits) };
        let off = (number - f64::from(*expected)).abs();
        assert!(
            off <= 0.6 * step,
            "{what} written: {number} for {expected} in {found:x?}"
        );
    }
}

/// Everything about a format of integers.
fn integers(bench: &Bench, order: &Order, kind: ImageChannelType, image: &Image, channels: &[u32]) {
    let what = format!("{:?} {kind:?}", order.ur);
    let (size, signed) = integer(kind).expect("an integer");
    let kernel = |name| format!("{name}_{}", if signed { "int" } else { "uint" });
    let cut = 32 - 8 * size as u32;
    // As 64 bits, which have all numbers of either sign.
    let number = |bits: u32| match signed {
        true => i64::from((bits << cut) as i32 >> cut),
        false => i64::from(bits << cut >> cut),
    };
    let wide = |values: Vec<u32>| -> Vec<i64> {
        let wide = |bits: u32| if signed { i64::from(bits as i32) } else { bits.into() };
        values.into_iter().map(wide).collect()
    };
    let numbers: Vec<i64> = channels.iter().map(|bits| number(*bits)).collect();
    let colors: Vec<i64> = numbers
        .chunks_exact(order.channels())
        .flat_map(|channels| order.color(channels, 1, 0))
        .collect();
    assert_eq!(wide(bench.fetch(&kernel("fetch"), image)), colors, "{what} fetched");
    let sampled = bench.sample(&kernel("sample"), image, &bench.edge, &middles());
    assert_eq!(wide(sampled), colors, "{what} sampled");
    let outside = bench.sample(&kernel("sample"), image, &bench.border, &OUTSIDE);
    assert_eq!(wide(outside), [order.border(1, 0); 3].as_flattened(), "{what} outside");

    // Numbers beyond the type's are its bounds.
    let values = [
        0,
        1,
        2,
        100,
        0x7f,
        0x80,
        0xff,
        0x7fff,
        0x8000,
        0x1_0000,
        0x7fff_ffff,
        -1,
        -0x80,
        -0x81,
        -0x8001,
    ];
    let values: Vec<i64> = values.into_iter().filter(|value| signed || *value >= 0).collect();
    let written: [[i64; 4]; PIXELS] =
        std::array::from_fn(|pixel| std::array::from_fn(|i| values[(pixel * 4 + i * 5) % values.len()]));
    bench.store(
        &kernel("store"),
        image,
        &written.map(|color| color.map(|value| value as u32)),
    );
    let bytes = bench.contents(image, PIXELS * order.channels() * size);
    let bits = 8 * size as u32;
    let (least, most) = match signed {
        true => (-1i64 << (bits - 1), (1i64 << (bits - 1)) - 1),
        false => (0, (1i64 << bits) - 1),
    };
    let found: Vec<i64> = words(&bytes, size).into_iter().map(number).collect();
    let expected: Vec<i64> = written
        .iter()
        .flat_map(|color| order.channels_of(*color))
        .map(|value| value.clamp(least, most))
        .collect();
    assert_eq!(found, expected, "{what} written");
}

/// Checks a format. Says whether the device has it.
fn has(bench: &Bench, order: &Order, kind: ImageChannelType) -> bool {
    let format = ImageFormat {
        channelOrder: order.ur,
        channelType: kind,
    };
    let size = fraction(kind)
        .map(|(size, _)| size)
        .or(integer(kind).map(|(size, _)| size));
    let size = size.expect("a type of channel");
    let channels: Vec<u32> = (0..PIXELS * order.channels()).map(|index| bits(kind, index)).collect();
    let mut source = bytes(&channels, size);
    let Some(image) = bench.image(format, &mut source) else {
        return false;
    };
    let what = format!("{:?} {kind:?}", order.ur);
    let told: ImageFormat = image.image_info(ImageInfo::FORMAT).expect("the format");
    assert_eq!((told.channelOrder, told.channelType), (order.ur, kind));
    let element: usize = image.image_info(ImageInfo::ELEMENT_SIZE).expect("the size");
    assert_eq!(element, order.channels() * size, "{what}");
    let out = bench.rig.buffer(&[-1i32; 2]);
    let args = [Arg::Mem(&image, MemFlags::READ_ONLY), Arg::mem(&out)];
    bench.rig.run(&bench.kernels["describe"], &Range::new([1]), &args);
    let place = TYPES.iter().position(|known| *known == kind).expect("one of these");
    // OpenCL counts three packed types behind the fractions of integers.
    let number = place + if place > 3 { 3 } else { 0 };
    assert_eq!(
        bench.rig.contents::<i32>(&out),
        [order.number, number as i32],
        "{what} described"
    );

    let copy = bench.image(format, &mut vec![0; source.len()]).expect("as before");
    let copied = bench.rig.queue.image_copy(&image, &copy, (ORIGIN, ORIGIN), REGION, &[]);
    copied.expect("urEnqueueMemImageCopy").wait().expect("urEventWait");
    assert_eq!(bench.contents(&copy, source.len()), source, "{what} copied");
    match fraction(kind) {
        Some(_) => fractions(bench, order, kind, &copy, &channels),
        None => integers(bench, order, kind, &copy, &channels),
    }
    true
}

/// Of each order the types that the device has.
fn all_types(bench: &Bench) -> Vec<(ImageChannelOrder, Vec<ImageChannelType>)> {
    let types = |order: &Order| TYPES.into_iter().filter(|kind| has(bench, order, *kind)).collect();
    ORDERS.iter().map(|order| (order.ur, types(order))).collect()
}

#[test]
fn all_formats() {
    let Some(bench) = Bench::new() else { return };
    let found = all_types(&bench);
    let is_ours = bench.rig.platform.info::<String>(PlatformInfo::NAME).expect("the name") == "oxur CPU";
    let fractions: Vec<_> = TYPES.into_iter().filter(|kind| fraction(*kind).is_some()).collect();
    for (order, types) in &found {
        println!("{order:?}: {types:?}");
        // What OpenCL demands of every device, then what our CPU adapter has besides.
        let demanded: &[ImageChannelType] = match *order {
            ImageChannelOrder::R | ImageChannelOrder::RG | ImageChannelOrder::RGBA => &TYPES,
            ImageChannelOrder::A | ImageChannelOrder::RA if is_ours => &TYPES,
            ImageChannelOrder::BGRA | ImageChannelOrder::ARGB if is_ours => &[
                ImageChannelType::SNORM_INT8,
                ImageChannelType::SNORM_INT16,
                ImageChannelType::UNORM_INT8,
                ImageChannelType::SIGNED_INT8,
                ImageChannelType::UNSIGNED_INT8,
            ],
            ImageChannelOrder::INTENSITY | ImageChannelOrder::LUMINANCE if is_ours => &fractions,
            ImageChannelOrder::BGRA => &[ImageChannelType::UNORM_INT8],
            _ => &[],
        };
        let missing: Vec<_> = demanded.iter().filter(|kind| !types.contains(kind)).collect();
        assert!(missing.is_empty(), "{order:?} of {missing:?}");
    }
}
