// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Images: what kernels know of them, and the functions that lowered code calls, in IR.
//!
//! An image is an [`ImageDescriptor`] in memory of the device, and its pixels are plain memory. [`texel`] converts pixels to
//! numbers and back, [`levels`] has mipmaps and cubes. The rest is [what all targets have](crate::image::code), with the
//! CPU's results, bit by bit. Textures of CUDA would not do. Their filters have weights of 8 bits, coordinates of pixels
//! neither repeat nor mirror, borders are zero where OpenCL wants an opaque one, and surfaces do not convert.

mod levels;
#[cfg(test)]
mod tests;
mod texel;

use std::mem::offset_of;

use llvm_sys::LLVMOpcode as L;

use crate::Image;
use crate::image::Shape;
use crate::image::code::{self, Action, Define, Formats, Pixel, Places};
use crate::image::format::{self, class};
use crate::llvm::{Builder, Context, Module, Value};
use crate::target::nvptx64::GLOBAL;

/// An image, as kernels see it: its address is the argument, and the handle of a bindless image. It is never changed while
/// kernels run.
///
/// The levels of an image with mipmaps are as many descriptors in a row, the finest first.
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug)]
pub struct ImageDescriptor {
    /// Size, pitches, format, and the sampler of a bindless image. The data is at a multiple of the size of a pixel, as are
    /// the pitches.
    pub image: Image,
    /// How many levels there are, from this one on: at least 1.
    pub levels: u32,
    /// The finest level that is sampled.
    pub min_level: f32,
    /// The coarsest level that is sampled.
    pub max_level: f32,
    /// The binary logarithm of the bytes of a pixel.
    shift: u32,
    /// The bits of a channel: 8, 16 or 32.
    bits: u32,
    /// What a channel is: one of [`kind`].
    kind: u32,
    /// The source of each component of a color, four bits each: a channel, or one of [`source`].
    read_from: u32,
    /// The component that each channel in memory gets, four bits each.
    write_from: u32,
    /// What 1 is as an integer, for fractions.
    one: f32,
    /// Its inverse.
    inverse: f32,
    /// The range of integers that are written; unsigned ones are compared as such.
    low: i32,
    high: i32,
    /// [`flag`]s.
    flags: u32,
}

const _: () = assert!(offset_of!(ImageDescriptor, image) == 0);

/// What a channel is.
mod kind {
    /// An integer that stands for a fraction.
    pub const FRACTION: u32 = 0;
    pub const SIGNED: u32 = 1;
    pub const UNSIGNED: u32 = 2;
    pub const HALF: u32 = 3;
    pub const FLOAT: u32 = 4;
}

/// Sources of a component that are no channels.
mod source {
    pub const ZERO: u32 = 4;
    pub const ONE: u32 = 5;
    /// Each component is the channel of its number.
    pub const SAME: u32 = 0x3210;
}

mod flag {
    /// Alpha of the border is 1.
    pub const OPAQUE_BORDER: u32 = 1;
    /// Channels have signs.
    pub const SIGNED: u32 = 2;
    /// Red, green and blue have the sRGB encoding.
    pub const SRGB: u32 = 4;
}

impl ImageDescriptor {
    /// The descriptor of an image, without a sampler or mipmaps. `None` if kernels cannot read its format: those with three
    /// channels, and those that pack channels into a word; and if rows are 4 GiB apart or more.
    pub fn new(image: Image) -> Option<Self> {
        use format::channel;
        let pixel = format::pixel_size(&image);
        let (bits, what) = match image.channel_type {
            channel::SNORM_INT8 | channel::UNORM_INT8 => (8, kind::FRACTION),
            channel::SNORM_INT16 | channel::UNORM_INT16 => (16, kind::FRACTION),
            channel::SIGNED_INT8 => (8, kind::SIGNED),
            channel::SIGNED_INT16 => (16, kind::SIGNED),
            channel::SIGNED_INT32 => (32, kind::SIGNED),
            channel::UNSIGNED_INT8 => (8, kind::UNSIGNED),
            channel::UNSIGNED_INT16 => (16, kind::UNSIGNED),
            channel::UNSIGNED_INT32 => (32, kind::UNSIGNED),
            channel::HALF_FLOAT => (16, kind::HALF),
            channel::FLOAT => (32, kind::FLOAT),
            _ => return None,
        };
        let is_signed =
            what == kind::SIGNED || matches!(image.channel_type, channel::SNORM_INT8 | channel::SNORM_INT16);
        let is_srgb = format::is_srgb(&image);
        // Tables have the 256 numbers of the encoding.
        let is_known = pixel.is_power_of_two() && (!is_srgb || image.channel_type == channel::UNORM_INT8);
        if !is_known || u32::try_from(image.row_pitch).is_err() {
            return None;
        }
        let sources = format::sources(&image);
        let read_from = (sources.iter().zip((0..).step_by(4))).fold(0, |all, (source, at)| {
            let number = match *source {
                format::Source::At(channel) => channel.into(),
                format::Source::Zero => source::ZERO,
                format::Source::One => source::ONE,
            };
            all | number << at
        });
        // Where several components have a channel, it gets the first.
        let component = |channel: u8| {
            let of_channel = |source: &format::Source| matches!(source, format::Source::At(at) if *at == channel);
            sources.iter().position(of_channel).unwrap_or(0) as u32
        };
        let write_from = (0..4).fold(0, |all, channel| all | component(channel) << (4 * channel));
        // Unsigned ones compare as such.
        let most = u32::MAX >> (32 - bits);
        let (low, high) = match is_signed {
            true => (-1 - (most >> 1) as i32, (most >> 1) as i32),
            false => (0, most as i32),
        };
        let one = high as u32 as f32;
        let has_opaque_border = format::border(&image)[3] == 1.0;
        let flags = [
            (has_opaque_border, flag::OPAQUE_BORDER),
            (is_signed, flag::SIGNED),
            (is_srgb, flag::SRGB),
        ];
        Some(Self {
            image: Image {
                class: format::class(&image),
                ..image
            },
            levels: 1,
            min_level: 0.0,
            max_level: 0.0,
            shift: pixel.trailing_zeros(),
            bits,
            kind: what,
            read_from,
            write_from,
            one,
            inverse: 1.0 / one,
            low,
            high,
            flags: flags.iter().filter(|(is_set, _)| *is_set).map(|(_, bit)| bit).sum(),
        })
    }
}

/// A member of the descriptor that is a word.
macro_rules! word {
    ($define:expr, $($member:tt)+) => { $define.load($define.cx.int(32), offset_of!(ImageDescriptor, $($member)+)) };
}
use word;

/// What NVIDIA's GPUs have of their own.
struct OfGpu;

/// Defines the functions that the module calls.
pub fn define(module: &Module<'_>) {
    code::define(module, &OfGpu);
}

impl Formats for OfGpu {
    fn image<'c>(&self, b: &Builder<'c>, cx: &'c Context, parameter: Value<'c>) -> Value<'c> {
        b.cast(L::LLVMAddrSpaceCast, parameter, cx.ptr_in(GLOBAL))
    }

    fn class<'c>(&self, define: &Define<'_, 'c>) -> Value<'c> {
        word!(define, image.class)
    }

    fn classes(&self, is_float: bool) -> &'static [u32] {
        match is_float {
            true => &[class::BYTES, class::FLOATS, class::GENERAL],
            false => &[class::GENERAL],
        }
    }

    fn places<'c>(&self, define: &Define<'_, 'c>, shape: Shape) -> Places<'c> {
        let wide = define.cx.int(64);
        let member = |offset: usize| define.load(wide, offset);
        Places {
            data: member(offset_of!(Image, data)),
            // A product of words takes one instruction.
            row_pitch: (shape.dimensions() > 1).then(|| word!(define, image.row_pitch)),
            slice_pitch: (shape.is_array() || shape.dimensions() > 2).then(|| member(offset_of!(Image, slice_pitch))),
        }
    }

    fn address<'c>(&self, define: &Define<'_, 'c>, class: u32, places: &Places<'c>, pixel: Pixel<'c>) -> Value<'c> {
        let (b, wide) = (&define.b, define.cx.int(64));
        let widened = |value| b.zext_or_trunc(value, wide);
        let mut address = places.data;
        if let Some(x) = pixel.at[0] {
            let shift = match format::class_shift(class) {
                Some(shift) => wide.int(shift.into()),
                None => widened(word!(define, shift)),
            };
            address = b.add(address, b.shl(widened(x), shift));
        }
        for (at, pitch) in pixel
            .row_and_slice()
            .into_iter()
            .zip([places.row_pitch, places.slice_pitch])
        {
            if let (Some(at), Some(pitch)) = (at, pitch) {
                address = b.add(address, b.mul(widened(at), widened(pitch)));
            }
        }
        address
    }

    fn decode<'c>(&self, define: &Define<'_, 'c>, class: u32, is_float: bool, address: Value<'c>) -> Value<'c> {
        texel::decode(define, class, is_float, address)
    }

    fn encode<'c>(&self, define: &Define<'_, 'c>, class: u32, is_float: bool, address: Value<'c>, color: Value<'c>) {
        texel::encode(define, class, is_float, address, color);
    }

    fn has_opaque_border<'c>(&self, define: &Define<'_, 'c>) -> Value<'c> {
        has_flag(define, flag::OPAQUE_BORDER)
    }

    fn define_more(&self, define: &Define<'_, '_>, action: Action, is_float: bool, shape: Shape) {
        match action {
            Action::SampleLevel => define.sample_level(is_float, shape),
            Action::Gradient => define.gradient(shape),
            _ => define.sample_cube(is_float),
        }
    }
}

fn has_flag<'c>(define: &Define<'_, 'c>, flag: u32) -> Value<'c> {
    define.has_bit(word!(define, flags), flag)
}
