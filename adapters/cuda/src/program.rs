// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Programs: code that came as SPIR-V, PTX or a cubin, and what it was built into for each device.
//!
//! [`module`] has the driver's modules and the cache of cubins.

mod executable;
mod interface;
mod metadata;
mod module;

use std::borrow::Cow;
use std::ffi::{CStr, c_void};
use std::sync::Arc;

use kit::ur::{ExpProgramFlags, NativeHandle, ProgramBinaryType, ResultCode};
use kit::{UrError, UrResult};
use oxur_adapter_kit as kit;
use oxur_compiler::FastMath;
use oxur_device_cpu::program::binary::{self, Binary, BinaryKind};
use oxur_device_cpu::program::{BuildOptions, ConstantError, SpirvModule, UnknownOption};

pub(crate) use self::executable::Executable;
use self::executable::{SpirvProgram, build_error};
pub(crate) use self::interface::{Interface, Param, Told};
use self::metadata::Metadata;
pub(crate) use self::module::Function;
use self::module::Module;
use crate::{Context, Cuda, Device};

/// The largest block of parameters that all devices take, in bytes.
pub(crate) const MAX_PARAMETERS: usize = 4096;

/// A program.
pub(crate) type Program = kit::DriverProgram<Cuda, Executables>;

/// What became of a program on a device.
type Build = kit::Build<Cuda, Executables>;

type ProgramBinary = kit::ProgramBinary<Cuda, Executables>;

/// What programs are made of, and built into.
pub(crate) enum Executables {}

/// What is compiled, linked, and built.
#[derive(Clone)]
pub(crate) enum Input {
    /// PTX or a cubin, and what is said of it.
    Image(Arc<[u8]>, Arc<Metadata>),
    /// SPIR-V.
    Spirv(SpirvModule),
}

/// Makes what runs of the inputs of a build.
fn link(build: &Build) -> Result<Executable, (UrError, String)> {
    let images = build.inputs.iter().filter_map(|input| match input {
        Input::Image(image, _) => Some(image.clone()),
        Input::Spirv(_) => None,
    });
    let mut metadata = Metadata::default();
    for input in &build.inputs {
        if let Input::Image(_, more) = input {
            metadata.merge(more);
        }
    }
    let modules = build.inputs.iter().filter_map(|input| match input {
        Input::Spirv(module) => Some(module.part()),
        Input::Image(..) => None,
    });
    let (images, modules): (Vec<_>, Vec<_>) = (images.collect(), modules.collect());
    if modules.is_empty() {
        return Ok(Executable::Module(Arc::new(Module::build(
            &build.device,
            &images,
            metadata,
        )?)));
    }
    if !images.is_empty() {
        let what = "PTX and cubins are not linked with SPIR-V";
        let error = kit::error!(ERROR_PROGRAM_LINK_FAILURE: "{what}");
        return Err((error, what.to_owned()));
    }
    let parts = modules.into_iter().collect::<Result<Vec<_>, _>>();
    let linked = parts.and_then(|parts| SpirvProgram::link(&build.device, &parts, &build.options));
    match linked {
        Ok(program) => Ok(Executable::Spirv(Arc::new(program))),
        Err(error) => Err((build_error(&error), error.to_string())),
    }
}

/// Parses a module.
fn parse(il: Arc<[u8]>, constants: Vec<(u32, Vec<u8>)>) -> UrResult<SpirvModule> {
    SpirvModule::parse(il, constants).map_err(|error| kit::error!(ERROR_INVALID_BINARY: "{error}"))
}

impl kit::ProgramCode<Cuda> for Executables {
    type Input = Input;
    type Executable = Executable;
    type Options = BuildOptions;

    fn from_il(_context: &Context, il: &[u8]) -> UrResult<Input> {
        Ok(Input::Spirv(parse(il.into(), Vec::new())?))
    }

    fn from_binary(_context: &Context, _device: &Arc<Device>, bytes: &[u8]) -> UrResult<ProgramBinary> {
        if binary::is_binary(bytes) {
            let binary = Binary::read(bytes).map_err(|what| kit::error!(ERROR_INVALID_BINARY: "{what}"))?;
            let input = |stored: binary::Stored| Ok(Input::Spirv(parse(stored.il, stored.constants)?));
            let inputs = binary.modules.into_iter().map(input).collect::<UrResult<_>>()?;
            let kind = match binary.kind {
                BinaryKind::Compiled => ProgramBinaryType::COMPILED_OBJECT,
                BinaryKind::Library => ProgramBinaryType::LIBRARY,
                BinaryKind::Executable => return Ok(ProgramBinary::Inputs(inputs)),
            };
            return Ok(ProgramBinary::Compiled(kind, binary.options, inputs));
        }
        if kit::check_spirv(bytes).is_ok() {
            let module = parse(bytes.into(), Vec::new())?;
            return Ok(ProgramBinary::Inputs(vec![Input::Spirv(module)]));
        }
        module::check_image(bytes)?;
        Ok(ProgramBinary::Inputs(vec![Input::Image(bytes.into(), Arc::default())]))
    }

    fn add_metadata(binary: &mut ProgramBinary, name: &CStr, value: &[u8]) {
        if let ProgramBinary::Inputs(inputs) = binary {
            for input in inputs {
                if let Input::Image(_, metadata) = input {
                    Arc::make_mut(metadata).add(name, value);
                }
            }
        }
    }

    fn il(input: &Input) -> &[u8] {
        match input {
            Input::Image(image, _) => image,
            Input::Spirv(module) => module.il(),
        }
    }

    fn set_constants(input: &mut Input, constants: &[(u32, &[u8])]) -> UrResult<()> {
        let Input::Spirv(module) = input else {
            return kit::unsupported();
        };
        module.set_constants(constants).map_err(|error| {
            let code = match error {
                ConstantError::UnknownId(_) => ResultCode::ERROR_INVALID_SPEC_ID,
                ConstantError::WrongSize { .. } => ResultCode::ERROR_INVALID_VALUE,
            };
            UrError::with_message(code, error.to_string())
        })
    }

    fn options(text: &CStr, flags: ExpProgramFlags) -> UrResult<BuildOptions> {
        if !flags.is_empty() {
            kit::bail!(
                ERROR_UNSUPPORTED_FEATURE: "programs are not built with {flags:?} yet: every symbol must be resolved"
            );
        }
        let unknown = |error: UnknownOption| kit::error!(ERROR_INVALID_VALUE: "{error}");
        BuildOptions::new(&text.to_string_lossy()).map_err(unknown)
    }

    fn text(options: &BuildOptions) -> Cow<'_, str> {
        (&*options.text).into()
    }

    fn is_library(options: &BuildOptions) -> bool {
        options.library
    }

    fn link_options(options: &BuildOptions, _device: &Device, compiled: &[Build]) -> UrResult<BuildOptions> {
        let mut options = options.clone();
        // An option that changes results applies only if all modules were compiled with it.
        let mut fast_math = FastMath::RELAXED;
        compiled.iter().for_each(|build| fast_math &= build.options.fast_math);
        options.fast_math |= fast_math;
        options.no_optimization |= compiled.iter().any(|build| build.options.no_optimization);
        Ok(options)
    }

    fn prepare(input: &mut Input, _options: &BuildOptions) {
        if let Input::Spirv(module) = input {
            module.take_constants();
        }
    }

    // Modules are checked when they are parsed.
    fn check(input: &Input) -> Result<(), (UrError, String)> {
        let Input::Spirv(module) = input else {
            return Ok(());
        };
        let checked = module.part().map(drop);
        checked.map_err(|error| (build_error(&error), error.to_string()))
    }

    fn build(_context: &Context, build: &mut Build) -> UrResult<()> {
        let made = link(build);
        build.end(made.map(|executable| (executable, String::new())))
    }

    fn build_error(error: UrError) -> UrError {
        match error.code() {
            ResultCode::ERROR_INVALID_BINARY | ResultCode::ERROR_PROGRAM_LINK_FAILURE => {
                error.with_code(ResultCode::ERROR_PROGRAM_BUILD_FAILURE)
            }
            _ => error,
        }
    }

    fn link_error(error: UrError) -> UrError {
        // Any error here is a failure of the link.
        error.with_code(ResultCode::ERROR_PROGRAM_LINK_FAILURE)
    }

    /// The cubin, or what is to be compiled.
    fn binary(build: &Build) -> UrResult<Arc<[u8]>> {
        if let Some(Executable::Module(module)) = &build.executable {
            return Ok(module.cubin.clone());
        }
        let stored = build.inputs.iter().map(|input| match input {
            Input::Spirv(module) => Ok(module.stored()),
            Input::Image(image, _) => Err(image.clone()),
        });
        let modules = match stored.collect::<Result<Vec<_>, _>>() {
            Ok(modules) => modules,
            Err(image) => return Ok(image),
        };
        let binary = Binary {
            kind: match build.kind {
                ProgramBinaryType::COMPILED_OBJECT => BinaryKind::Compiled,
                ProgramBinaryType::LIBRARY => BinaryKind::Library,
                _ => BinaryKind::Executable,
            },
            options: build.options.clone(),
            modules,
        };
        Ok(binary.write().into())
    }

    fn kernel_names(executable: &Executable) -> UrResult<Vec<String>> {
        executable.kernel_names()
    }

    fn function_pointer(executable: &Executable, name: &CStr) -> UrResult<*mut c_void> {
        // A function has no address that kernels could call.
        executable.function(name)?;
        Err(kit::error!(ERROR_FUNCTION_ADDRESS_NOT_AVAILABLE: "CUDA gives no address of {name:?}"))
    }

    fn global(executable: &Executable, name: &CStr) -> UrResult<(*mut c_void, usize)> {
        executable.global(name)
    }

    fn native(executable: &Executable) -> UrResult<NativeHandle> {
        match executable {
            Executable::Module(module) => Ok(module.raw() as NativeHandle),
            Executable::Spirv(_) => Err(kit::error!(
                ERROR_UNSUPPORTED_FEATURE: "a program of SPIR-V has a module of CUDA for each kernel"
            )),
        }
    }
}
