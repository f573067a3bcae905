// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Image instructions as functions that tests call.

use spirv::Op;

#[cfg(feature = "nvptx")]
use super::TestImage;
use super::formats;
use crate::builtins::{self, Emit};
use crate::codegen::{Loaded, Object};
use crate::image::{ImageCall, Level, Shape, code, symbol};
use crate::llvm::{Builder, Context, Machine, Module, Type};
use crate::{Image, SamplerBits};

/// Whose functions are tested.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Functions {
    /// The CPU's for one item, in Rust.
    Cpu,
    /// The CPU's for vectors of items, in IR.
    CpuCode,
    #[cfg(feature = "nvptx")]
    Nvptx,
}

impl Functions {
    /// The shapes of images that have functions of their own.
    fn shapes(self) -> &'static [Option<Shape>] {
        match self {
            Self::Cpu => &[None],
            _ => &[
                Some(Shape::D1),
                Some(Shape::D1Array),
                Some(Shape::D2),
                Some(Shape::D2Array),
                Some(Shape::D3),
            ],
        }
    }

    /// The formats that they have.
    pub fn formats(self) -> Vec<(u32, u32)> {
        let has = |format: &(u32, u32)| match self {
            Self::Cpu | Self::CpuCode => true,
            #[cfg(feature = "nvptx")]
            Self::Nvptx => {
                let image = TestImage::new(*format, 1, 1, [1, 1, 1]).image;
                crate::nvptx::ImageDescriptor::new(image).is_some()
            }
        };
        formats().into_iter().filter(has).collect()
    }
}

/// A compiled instruction: functions of an image, a sampler, four coordinates and a result or texel.
pub struct Compiled {
    functions: Functions,
    codes: Vec<(Option<Shape>, *const u8, Loaded)>,
}

impl Compiled {
    pub fn new(
        functions: Functions,
        op: Op,
        coordinates: impl for<'c> Fn(&'c Context) -> Type<'c>,
        texel: impl for<'c> Fn(&'c Context) -> Type<'c>,
    ) -> Self {
        let compile = |&shape: &Option<Shape>| {
            let (address, code) = compile(functions, shape, op, &coordinates, &texel, false);
            (shape, address, code)
        };
        let codes = functions.shapes().iter().map(compile).collect();
        Self { functions, codes }
    }

    pub fn call<A: Copy, T>(&self, image: &Image, sampler: SamplerBits, at: [A; 4], texel: &mut T) {
        let shape = match (self.functions, image.dimensions, image.is_array != 0) {
            (Functions::Cpu, ..) => None,
            (_, 1, false) => Some(Shape::D1),
            (_, 1, true) => Some(Shape::D1Array),
            (_, 2, false) => Some(Shape::D2),
            (_, 2, true) => Some(Shape::D2Array),
            (..) => Some(Shape::D3),
        };
        let code = self.codes.iter().find(|code| code.0 == shape).expect("of all shapes");
        #[cfg(feature = "nvptx")]
        let descriptor;
        let image = match self.functions {
            Functions::Cpu | Functions::CpuCode => std::ptr::from_ref(image),
            #[cfg(feature = "nvptx")]
            Functions::Nvptx => {
                descriptor = crate::nvptx::ImageDescriptor::new(*image).expect("a format that it has");
                (&raw const descriptor).cast()
            }
        };
        // SAFETY: the function has these parameters, and `texel` has the size of the instruction's texel.
        unsafe {
            let f: unsafe extern "C" fn(*const Image, u32, *const A, *mut T) = std::mem::transmute(code.1);
            f(image, sampler.0, at.as_ptr(), texel);
        }
    }
}

/// Compiles an instruction to a function of an image, a sampler, coordinates, and a result or texel. The fourth coordinate
/// can be a level of detail.
pub fn compile(
    functions: Functions,
    shape: Option<Shape>,
    op: Op,
    coordinates: &impl for<'c> Fn(&'c Context) -> Type<'c>,
    texel: &impl for<'c> Fn(&'c Context) -> Type<'c>,
    has_level: bool,
) -> (*const u8, Loaded) {
    let context = Context::new();
    let module = Module::new(&context, "image");
    let machine = Machine::host().unwrap();
    machine.set_target(&module);
    let ptr = context.ptr();
    let ty = context.void().function(&[ptr, context.int(32), ptr, ptr]);
    let function = module.add_function("test", ty);
    let builder = Builder::at_end(&context, function.append_block("entry"));
    let e = Emit {
        context: &context,
        module: &module,
        builder: &builder,
        fast_math: 0,
        fuses_halfs: false,
    };
    let [image, sampler, at, data] = [0, 1, 2, 3].map(|i| function.param(i));
    let (at_ty, texel) = (coordinates(&context), texel(&context));
    let place = at;
    let at = builder.load(at_ty, at).align(4);
    let level = builder.offset(place, context.int(64).int(12));
    let level = builder.load(context.float(32), level).align(4);
    let level = has_level.then_some(Level::Lod(level));
    let call = ImageCall { shape, level };
    let emit = |op, result, args: &[_]| call.emit(&e, op, result, args);
    let result = match op {
        Op::ImageSampleExplicitLod => {
            let pair = context.structure(&[ptr, context.int(32)], false);
            let pair = emit(Op::SampledImage, pair, &[image, sampler]).unwrap();
            assert!(emit(Op::Image, ptr, &[pair]).is_ok());
            Some(emit(op, texel, &[pair, at]).unwrap())
        }
        Op::ImageWrite => {
            let texel = builder.load(texel, data).align(2);
            emit(op, context.void(), &[image, at, texel]).unwrap();
            None
        }
        Op::ImageRead => Some(emit(op, texel, &[image, at]).unwrap()),
        _ => Some(emit(op, texel, &[image]).unwrap()),
    };
    if let Some(result) = result {
        builder.store(result, data).align(2);
    }
    builder.ret(None);
    module.verify().unwrap_or_else(|e| panic!("{op:?}: {e}\n{module}"));
    if matches!(op, Op::ImageRead | Op::ImageSampleExplicitLod) {
        assert!(module.to_string().contains("memory(read)"), "{module}");
    }
    match functions {
        Functions::Cpu => {}
        Functions::CpuCode => code::cpu::define(&module),
        #[cfg(feature = "nvptx")]
        Functions::Nvptx => crate::nvptx::define_images(&module),
    }
    module.verify().unwrap_or_else(|e| panic!("{op:?}: {e}\n{module}"));
    machine.run_passes(&module, "default<O2>", false).unwrap();
    let object = machine.emit(&module, false).unwrap();
    // Code for narrow vectors calls functions where others have instructions.
    let known = || builtins::symbols().chain([("log2f", f32::log2 as fn(f32) -> f32 as *const ())]);
    let resolve = |name: &str| {
        let address = known().find(|(n, _)| *n == name).map(|(_, address)| address);
        address.or_else(|| symbol(name)).map(<*const ()>::cast)
    };
    let code = Object::parse(&object).unwrap().load(resolve).unwrap();
    (code.symbol("test").unwrap(), code)
}
