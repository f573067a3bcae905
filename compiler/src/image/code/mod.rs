// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions for images as LLVM IR.
//!
//! Functions are named after the shape of the image, which SPIR-V knows, so that a pixel of a plane costs two coordinates.
//! The format is known when the kernel runs: all items of a launch go the same way. [`sample`] implements addressing and
//! filtering. Where images are, and which formats have code of their own, is up to the target: [`Formats`].
//!
//! Results are those of the [functions in Rust](super::sample), bit by bit.

pub(crate) mod cpu;
mod sample;

use llvm_sys::{LLVMIntPredicate as I, LLVMOpcode as L, LLVMRealPredicate as F};

use super::Shape;
use crate::llvm::{Builder, Context, Function, Module, Type, Value};

pub(crate) use sample::{Pixel, Places};

/// What a target has of its own.
pub(crate) trait Formats {
    /// The address of the image that is a function's first parameter.
    fn image<'c>(&self, b: &Builder<'c>, cx: &'c Context, parameter: Value<'c>) -> Value<'c>;

    /// The class of an image's format: a word. All formats of a class have the same code.
    fn class<'c>(&self, define: &Define<'_, 'c>) -> Value<'c>;

    /// The classes that have code for floats, or for integers. The last one has all others, too.
    fn classes(&self, is_float: bool) -> &'static [u32];

    /// The value of the code for images that have some. For others it is that of the runtime's function of this name; it is
    /// meaningless if that has none. Without such others it is just the code.
    fn or_call<'c>(
        &self,
        _define: &Define<'_, 'c>,
        _is_float: bool,
        _name: &str,
        code: &dyn Fn() -> Value<'c>,
    ) -> Value<'c> {
        code()
    }

    /// Where the pixels of an image of this shape are. It is asked outside of loops and conditions.
    fn places<'c>(&self, define: &Define<'_, 'c>, shape: Shape) -> Places<'c>;

    /// The address of a pixel of an image of a class.
    fn address<'c>(&self, define: &Define<'_, 'c>, class: u32, places: &Places<'c>, pixel: Pixel<'c>) -> Value<'c>;

    /// The color of the pixel at an address.
    fn decode<'c>(&self, define: &Define<'_, 'c>, class: u32, is_float: bool, address: Value<'c>) -> Value<'c>;

    /// Writes a color to the pixel at an address.
    fn encode<'c>(&self, define: &Define<'_, 'c>, class: u32, is_float: bool, address: Value<'c>, color: Value<'c>);

    /// Whether alpha of the border is 1.
    fn has_opaque_border<'c>(&self, define: &Define<'_, 'c>) -> Value<'c>;

    /// Defines what only some targets have: levels of mipmaps and cubes.
    fn define_more(&self, define: &Define<'_, '_>, action: Action, is_float: bool, shape: Shape);
}

/// What a function does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
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
pub(crate) fn parse(name: &str) -> Option<(Action, bool, Shape)> {
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
pub(crate) fn define(module: &Module<'_>, formats: &dyn Formats) {
    // A definition may declare another one.
    loop {
        let declared = module.functions().into_iter().filter(|f| f.is_declaration());
        let Some((function, (action, is_float, shape))) =
            declared.into_iter().find_map(|f| Some((f, parse(&f.name())?)))
        else {
            return;
        };
        let define = Define::new(module, function, formats);
        match action {
            Action::Sample if shape != Shape::Cube => define.sample(is_float, shape),
            Action::Read => define.read(is_float, shape),
            Action::Write => define.write(is_float, shape),
            Action::Sample | Action::SampleLevel | Action::Gradient => {
                formats.define_more(&define, action, is_float, shape);
            }
        }
    }
}

/// A function that is being defined. Its first parameter is the image.
pub(crate) struct Define<'m, 'c> {
    pub module: &'m Module<'c>,
    pub function: Function<'c>,
    pub b: Builder<'c>,
    pub cx: &'c Context,
    /// The address of the image.
    pub image: Value<'c>,
    formats: &'m dyn Formats,
}

impl<'m, 'c> Define<'m, 'c> {
    fn new(module: &'m Module<'c>, function: Function<'c>, formats: &'m dyn Formats) -> Self {
        function.internal().attribute("nounwind", 0).attribute("willreturn", 0);
        let cx = module.context();
        let b = Builder::at_end(cx, function.append_block("entry"));
        let image = formats.image(&b, cx, function.param(0));
        Self {
            module,
            function,
            b,
            cx,
            image,
            formats,
        }
    }

    /// The same of another function whose first parameter is the image.
    #[cfg(feature = "nvptx")]
    pub fn beside(&self, function: Function<'c>) -> Self {
        Self::new(self.module, function, self.formats)
    }

    pub fn word(&self, value: u32) -> Value<'c> {
        self.cx.int(32).int(value.into())
    }

    pub fn real(&self, value: f32) -> Value<'c> {
        self.cx.float(32).real(value.into())
    }

    /// Four numbers: floating-point ones, or integers.
    pub fn color(&self, is_float: bool) -> Type<'c> {
        match is_float {
            true => self.cx.float(32).vector(4),
            false => self.cx.int(32).vector(4),
        }
    }

    /// What is at an offset in the image. Kernels never change it.
    pub fn load(&self, ty: Type<'c>, offset: usize) -> Value<'c> {
        let at = self.b.offset(self.image, self.cx.int(64).int(offset as u64));
        self.b.load(ty, at).align(ty.bits() / 8).mark(c"invariant.load")
    }

    pub fn has_bit(&self, word: Value<'c>, bit: u32) -> Value<'c> {
        let bits = self.b.and(word, self.word(bit));
        self.b.icmp(I::LLVMIntNE, bits, self.word(0))
    }

    pub fn is(&self, word: Value<'c>, value: u32) -> Value<'c> {
        self.b.icmp(I::LLVMIntEQ, word, self.word(value))
    }

    pub fn call(&self, name: &str, args: &[Value<'c>]) -> Value<'c> {
        self.b.intrinsic(self.module, name, &[args[0].ty()], args)
    }

    /// Rounds down to an integer. What does not fit becomes the first or the last one; NaN becomes 0.
    pub fn integer(&self, number: Value<'c>) -> Value<'c> {
        let types = [self.cx.int(32), number.ty()];
        self.b.intrinsic(self.module, "llvm.fptosi.sat", &types, &[number])
    }

    /// Integers of up to 16 bits divided by what 1 is, of which this is the inverse, correctly rounded.
    pub fn divided(&self, numbers: Value<'c>, one: Value<'c>, inverse: Value<'c>) -> Value<'c> {
        // The product may be off by a bit; its error tells.
        let near = self.b.fmul(numbers, inverse);
        let error = self.call("llvm.fma", &[self.b.fneg(near), one, numbers]);
        self.call("llvm.fma", &[error, inverse, near])
    }

    /// The bytes of a word, as words.
    pub fn bytes(&self, word: Value<'c>) -> [Value<'c>; 4] {
        [0, 8, 16, 24].map(|low| self.b.and(self.b.lshr(word, self.word(low)), self.word(255)))
    }

    /// The word of these bytes.
    pub fn word_of(&self, bytes: [Value<'c>; 4]) -> Value<'c> {
        (1..4).fold(bytes[0], |word, i| {
            self.b.or(word, self.b.shl(bytes[i], self.word(8 * i as u32)))
        })
    }

    /// The elements of a vector of four.
    pub fn split(&self, vector: Value<'c>) -> [Value<'c>; 4] {
        [0, 1, 2, 3].map(|i| self.b.extract_element(vector, self.word(i)))
    }

    pub fn join(&self, elements: [Value<'c>; 4]) -> Value<'c> {
        let vector = elements[0].ty().vector(4).poison();
        (elements.into_iter().zip(0..)).fold(vector, |vector, (element, i)| {
            self.b.insert_element(vector, element, self.word(i))
        })
    }

    /// The value of one of two ways.
    pub fn either(
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
    pub fn only_if(&self, condition: Value<'c>, then: impl FnOnce()) {
        let [first, end] = ["then", "end"].map(|name| self.function.append_block(name));
        self.b.cond_br(condition, first, end);
        self.b.go_to_end(first);
        then();
        self.b.br(end);
        self.b.go_to_end(end);
    }

    /// The value of the way that a word says; it is always one of these.
    pub fn choose(&self, word: Value<'c>, ways: &[(u32, &dyn Fn() -> Value<'c>)]) -> Value<'c> {
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

    pub fn ret(&self, value: Value<'c>) {
        self.b.ret(Some(value));
    }
}
