// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Images: what kernels know of them, and the functions that lowered code calls, in IR.
//!
//! An image is an [`ImageDescriptor`] in memory of the device, and its pixels are plain memory. [`texel`] converts pixels to
//! numbers and back, [`sample`] implements addressing and filtering, both as `crate::image` does it for the CPU: with the
//! same results, bit by bit. Textures of CUDA would not do. Their filters have weights of 8 bits, coordinates of pixels
//! neither repeat nor mirror, borders are zero where OpenCL wants an opaque one, and surfaces do not convert.
//!
//! Functions are named after the shape of the image, which SPIR-V knows, so that a pixel of a plane costs two coordinates.
//! The format is known when the kernel runs: all items of a launch go the same way.

mod sample;
#[cfg(test)]
mod tests;
mod texel;

use std::mem::offset_of;

use llvm_sys::{LLVMIntPredicate as I, LLVMOpcode as L};

use crate::Image;
use crate::image::Shape;
use crate::image::format;
use crate::llvm::{Builder, Context, Function, Module, Type, Value};
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
    /// One of [`class`].
    class: u32,
}

/// Formats that have code of their own, as most images have one of them.
mod class {
    /// Any.
    pub const GENERAL: u32 = 0;
    /// Four bytes that stand for fractions from 0 to 1, in their order.
    pub const BYTES: u32 = 1;
    /// Four floats in their order.
    pub const FLOATS: u32 = 2;
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
        let class = match (image.channel_order, image.channel_type) {
            (format::order::RGBA, channel::UNORM_INT8) => class::BYTES,
            (format::order::RGBA, channel::FLOAT) => class::FLOATS,
            _ => class::GENERAL,
        };
        let has_opaque_border = format::border(&image)[3] == 1.0;
        let flags = [
            (has_opaque_border, flag::OPAQUE_BORDER),
            (is_signed, flag::SIGNED),
            (is_srgb, flag::SRGB),
        ];
        Some(Self {
            image,
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
            class,
            low,
            high,
            flags: flags.iter().filter(|(is_set, _)| *is_set).map(|(_, bit)| bit).sum(),
        })
    }
}

/// What a function does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Action {
    /// At floating-point coordinates, with the filter of the sampler.
    Sample,
    /// The same of a level of mipmaps.
    SampleLevel,
    /// At integer coordinates.
    Read,
    Write,
    /// The level of mipmaps that gradients choose.
    Gradient,
}

/// A function, by its name: `oxur_image_read_float_2d`.
fn parse(name: &str) -> Option<(Action, bool, Shape)> {
    let name = name.strip_prefix("oxur_image_")?;
    let (name, has_level) = match name.strip_suffix("_level") {
        Some(name) => (name, true),
        None => (name, false),
    };
    let (name, shape) = name.rsplit_once('_')?;
    let shape = Shape::ALL.into_iter().find(|known| known.suffix() == shape)?;
    Some(match (name, has_level) {
        ("sample_float", false) => (Action::Sample, true, shape),
        ("sample_int", false) => (Action::Sample, false, shape),
        ("sample_float", true) => (Action::SampleLevel, true, shape),
        ("sample_int", true) => (Action::SampleLevel, false, shape),
        ("read_float", false) => (Action::Read, true, shape),
        ("read_int", false) => (Action::Read, false, shape),
        ("write_float", false) => (Action::Write, true, shape),
        ("write_int", false) => (Action::Write, false, shape),
        ("gradient", false) => (Action::Gradient, true, shape),
        _ => return None,
    })
}

/// Defines the functions that the module calls.
pub fn define(module: &Module<'_>) {
    // A definition may declare another one.
    loop {
        let declared = module.functions().into_iter().filter(|f| f.is_declaration());
        let Some((function, (action, is_float, shape))) =
            declared.into_iter().find_map(|f| Some((f, parse(&f.name())?)))
        else {
            return;
        };
        let define = Define::new(module, function);
        match action {
            Action::Sample if shape == Shape::Cube => define.sample_cube(is_float),
            Action::Sample => define.sample(is_float, shape),
            Action::SampleLevel => define.sample_level(is_float, shape),
            Action::Read => define.read(is_float, shape),
            Action::Write => define.write(is_float, shape),
            Action::Gradient => define.gradient(shape),
        }
    }
}

/// A function that is being defined. Its first parameter is the image.
struct Define<'m, 'c> {
    module: &'m Module<'c>,
    function: Function<'c>,
    b: Builder<'c>,
    cx: &'c Context,
    /// The image, in global memory.
    image: Value<'c>,
}

/// A member of the descriptor that is a word.
macro_rules! word {
    ($define:expr, $($member:tt)+) => { $define.load($define.cx.int(32), offset_of!(ImageDescriptor, $($member)+)) };
}
use word;

impl<'m, 'c> Define<'m, 'c> {
    fn new(module: &'m Module<'c>, function: Function<'c>) -> Self {
        function.internal().attribute("nounwind", 0).attribute("willreturn", 0);
        let cx = module.context();
        let b = Builder::at_end(cx, function.append_block("entry"));
        let image = b.cast(L::LLVMAddrSpaceCast, function.param(0), cx.ptr_in(GLOBAL));
        Self {
            module,
            function,
            b,
            cx,
            image,
        }
    }

    /// A helper of these functions, by its name.
    fn helper(&self, name: &str, ty: Type<'c>, define: impl FnOnce(Define<'_, 'c>)) -> Function<'c> {
        self.module.function(name).unwrap_or_else(|| {
            let function = self.module.add_function(name, ty);
            define(Define::new(self.module, function));
            function
        })
    }

    fn word(&self, value: u32) -> Value<'c> {
        self.cx.int(32).int(value.into())
    }

    fn real(&self, value: f32) -> Value<'c> {
        self.cx.float(32).real(value.into())
    }

    /// Four numbers: floating-point ones, or integers.
    fn color(&self, is_float: bool) -> Type<'c> {
        match is_float {
            true => self.cx.float(32).vector(4),
            false => self.cx.int(32).vector(4),
        }
    }

    /// What is at an offset in the descriptor.
    fn load(&self, ty: Type<'c>, offset: usize) -> Value<'c> {
        let at = self.b.offset(self.image, self.cx.int(64).int(offset as u64));
        self.b.load(ty, at).align(ty.bits() / 8).mark(c"invariant.load")
    }

    fn has_flag(&self, flag: u32) -> Value<'c> {
        self.has_bit(word!(self, flags), flag)
    }

    fn has_bit(&self, word: Value<'c>, bit: u32) -> Value<'c> {
        let bits = self.b.and(word, self.word(bit));
        self.b.icmp(I::LLVMIntNE, bits, self.word(0))
    }

    fn is(&self, word: Value<'c>, value: u32) -> Value<'c> {
        self.b.icmp(I::LLVMIntEQ, word, self.word(value))
    }

    fn call(&self, name: &str, args: &[Value<'c>]) -> Value<'c> {
        self.b.intrinsic(self.module, name, &[args[0].ty()], args)
    }

    /// Rounds down to an integer. What does not fit becomes the first or the last one; NaN becomes 0.
    fn integer(&self, number: Value<'c>) -> Value<'c> {
        let types = [self.cx.int(32), number.ty()];
        self.b.intrinsic(self.module, "llvm.fptosi.sat", &types, &[number])
    }

    /// The elements of a vector of four.
    fn split(&self, vector: Value<'c>) -> [Value<'c>; 4] {
        [0, 1, 2, 3].map(|i| self.b.extract_element(vector, self.word(i)))
    }

    fn join(&self, elements: [Value<'c>; 4]) -> Value<'c> {
        let vector = elements[0].ty().vector(4).poison();
        (elements.into_iter().zip(0..)).fold(vector, |vector, (element, i)| {
            self.b.insert_element(vector, element, self.word(i))
        })
    }

    /// The value of one of two ways.
    fn either(
        &self,
        condition: Value<'c>,
        yes: impl FnOnce() -> Value<'c>,
        no: impl FnOnce() -> Value<'c>,
    ) -> Value<'c> {
        let [first, second, end] = ["yes", "no", "end"].map(|name| self.function.append_block(name));
        self.b.cond_br(condition, first, second);
        self.b.go_to_end(first);
        let yes = (yes(), self.b.block());
        self.b.br(end);
        self.b.go_to_end(second);
        let no = (no(), self.b.block());
        self.b.br(end);
        self.b.go_to_end(end);
        let phi = self.b.phi(yes.0.ty());
        phi.add_incoming(&[yes, no]);
        phi
    }

    /// Does something, on a condition.
    fn only_if(&self, condition: Value<'c>, then: impl FnOnce()) {
        let [first, end] = ["then", "end"].map(|name| self.function.append_block(name));
        self.b.cond_br(condition, first, end);
        self.b.go_to_end(first);
        then();
        self.b.br(end);
        self.b.go_to_end(end);
    }

    /// The value of the way that a word says; it is always one of these.
    fn choose(&self, word: Value<'c>, ways: &[(u32, &dyn Fn() -> Value<'c>)]) -> Value<'c> {
        let blocks: Vec<_> = ways.iter().map(|_| self.function.append_block("way")).collect();
        let end = self.function.append_block("end");
        let cases: Vec<_> = ways
            .iter()
            .zip(&blocks)
            .map(|((n, _), block)| (self.word(*n), *block))
            .collect();
        // The last way is the default.
        self.b.switch(word, blocks[blocks.len() - 1], &cases[..cases.len() - 1]);
        let values: Vec<_> = ways
            .iter()
            .zip(&blocks)
            .map(|((_, way), block)| {
                self.b.go_to_end(*block);
                let value = way();
                let from = self.b.block();
                self.b.br(end);
                (value, from)
            })
            .collect();
        self.b.go_to_end(end);
        let phi = self.b.phi(values[0].0.ty());
        phi.add_incoming(&values);
        phi
    }

    fn ret(&self, value: Value<'c>) {
        self.b.ret(Some(value));
    }
}
