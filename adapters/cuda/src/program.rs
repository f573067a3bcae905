// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Programs: code that came as SPIR-V, PTX or a cubin, and what it was built into for each device.
//!
//! [`module`] has the driver's modules and the cache of cubins.

mod executable;
mod interface;
mod module;

use std::ffi::{CStr, c_void};
use std::sync::Arc;

use kit::ur::{
    ExpProgramFlags, NativeHandle, ProgramBinaryType, ProgramBuildInfo, ProgramInfo, ProgramMetadata, ResultCode,
};
use kit::{Context as _, DeviceGlobal, HandleCell, InfoOut, LinkFailure, UrError, UrResult, chosen_devices};
use oxur_adapter_kit as kit;
use oxur_compiler::FastMath;
use oxur_device_cpu::program::binary::{self, Binary, BinaryKind};
use oxur_device_cpu::program::{BuildOptions, ConstantError, SpirvModule, UnknownOption};
use oxur_fork::Mutex;

use self::executable::{Executable, SpirvProgram, build_error};
pub(crate) use self::interface::{Interface, Param, Told};
pub(crate) use self::module::Function;
use self::module::Module;
use crate::{Context, Cuda, Device};

/// The largest block of parameters that all devices take, in bytes.
pub(crate) const MAX_PARAMETERS: usize = 4096;

/// A program.
pub(crate) struct Program {
    pub(crate) handle_cell: HandleCell,
    code: Code,
    builds: kit::Builds<Cuda, Executables>,
    pub(crate) context: Arc<Context>,
}

/// What a program is made of.
enum Code {
    /// SPIR-V.
    Il(Mutex<SpirvModule>),
    /// What is there for each device.
    Binaries(Vec<(Arc<Device>, Vec<Input>)>),
    /// Programs that were linked.
    Linked,
}

/// What is compiled, linked, and built.
#[derive(Clone)]
enum Input {
    /// PTX or a cubin.
    Image(Arc<[u8]>),
    /// SPIR-V.
    Spirv(SpirvModule),
}

/// What programs are built into.
struct Executables;

impl kit::ProgramCode for Executables {
    type Executable = Executable;
    type Input = Input;
    type Options = BuildOptions;

    fn text(options: &BuildOptions) -> &str {
        &options.text
    }
}

/// What became of a program on a device.
type Build = kit::Build<Cuda, Executables>;

/// How builds are made.
trait Finish: Sized {
    /// Makes what runs. The error is also in the log.
    fn finish(&mut self) -> UrResult<()>;

    fn link(&self) -> Result<Executable, (UrError, String)>;

    /// The binary: the cubin, or what is to be compiled.
    fn binary(&self) -> Arc<[u8]>;
}

impl Finish for Build {
    fn finish(&mut self) -> UrResult<()> {
        let made = self.link();
        self.end(made.map(|executable| (executable, String::new())))
    }

    fn link(&self) -> Result<Executable, (UrError, String)> {
        let images = self.inputs.iter().filter_map(|input| match input {
            Input::Image(image) => Some(image.clone()),
            Input::Spirv(_) => None,
        });
        let modules = self.inputs.iter().filter_map(|input| match input {
            Input::Spirv(module) => Some(module.part()),
            Input::Image(_) => None,
        });
        let (images, modules): (Vec<_>, Vec<_>) = (images.collect(), modules.collect());
        if modules.is_empty() {
            return Ok(Executable::Module(Arc::new(Module::build(&self.device, &images)?)));
        }
        if !images.is_empty() {
            let what = "PTX and cubins are not linked with SPIR-V";
            let error = kit::error!(ERROR_PROGRAM_LINK_FAILURE: "{what}");
            return Err((error, what.to_owned()));
        }
        let parts = modules.into_iter().collect::<Result<Vec<_>, _>>();
        let linked = parts.and_then(|parts| SpirvProgram::link(&self.device, &parts, &self.options));
        match linked {
            Ok(program) => Ok(Executable::Spirv(Arc::new(program))),
            Err(error) => Err((build_error(&error), error.to_string())),
        }
    }

    fn binary(&self) -> Arc<[u8]> {
        if let Some(Executable::Module(module)) = &self.executable {
            return module.cubin.clone();
        }
        let stored = self.inputs.iter().map(|input| match input {
            Input::Spirv(module) => Ok(module.stored()),
            Input::Image(image) => Err(image.clone()),
        });
        match stored.collect::<Result<Vec<_>, _>>() {
            Ok(modules) => Binary {
                kind: match self.kind {
                    ProgramBinaryType::COMPILED_OBJECT => BinaryKind::Compiled,
                    ProgramBinaryType::LIBRARY => BinaryKind::Library,
                    _ => BinaryKind::Executable,
                },
                options: self.options.clone(),
                modules,
            }
            .write()
            .into(),
            Err(image) => image,
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.context.retire(self.builds.take());
    }
}

impl Program {
    fn new(context: &Arc<Context>, code: Code) -> Self {
        Self {
            handle_cell: HandleCell::new(),
            code,
            builds: kit::Builds::default(),
            context: context.clone(),
        }
    }

    /// The devices that it may be built for.
    fn devices(&self) -> Vec<Arc<Device>> {
        match &self.code {
            Code::Binaries(binaries) => binaries.iter().map(|(device, _)| device.clone()).collect(),
            Code::Linked => self.builds.devices(),
            Code::Il(_) => self.context.devices.clone(),
        }
    }

    /// The devices of a build: those that the client names, or all.
    fn chosen(&self, devices: &[Arc<Device>]) -> UrResult<Vec<Arc<Device>>> {
        chosen_devices::<Cuda>(&self.context, devices, || self.devices())
    }

    fn set_builds(&self, builds: Vec<Build>) {
        self.context.retire(self.builds.set(builds));
    }

    /// What it is made of on a device, with the constants that were set.
    fn inputs(&self, device: &Device) -> UrResult<Vec<Input>> {
        match &self.code {
            Code::Il(module) => {
                let mut module = module.lock();
                module.take_constants();
                Ok(vec![Input::Spirv(module.clone())])
            }
            Code::Binaries(binaries) => {
                let found = binaries.iter().find(|(of, _)| of.raw == device.raw);
                found
                    .map(|(_, inputs)| inputs.clone())
                    .ok_or_else(|| kit::error!(ERROR_INVALID_DEVICE: "the program has no binary for this device"))
            }
            Code::Linked => Err(kit::error!(
                ERROR_INVALID_OPERATION:
                    "the program was linked of others, and has no code of its own to build or compile"
            )),
        }
    }

    /// The functions of this name, one a device.
    pub(crate) fn functions(&self, name: &CStr) -> UrResult<Vec<(Arc<Device>, Function)>> {
        let function = |(device, code): (Arc<Device>, Executable)| Ok((device, code.function(name)?));
        self.builds.executables()?.into_iter().map(function).collect()
    }

    /// The address and size of a device global.
    fn find_global(&self, device: &Device, name: &CStr) -> UrResult<(*mut c_void, usize)> {
        self.builds.executable(device)?.global(name)
    }

    /// The address of a part of a device global, whose bounds are checked.
    pub(crate) fn locate(&self, device: &Device, global: &DeviceGlobal<'_, Cuda>) -> UrResult<*mut c_void> {
        let (address, size) = self.find_global(device, global.name)?;
        global.check_bounds(size)?;
        Ok(address.wrapping_byte_add(global.offset))
    }

    /// The binary for a device: nothing, if it was not built.
    fn binary(&self, device: &Device) -> Arc<[u8]> {
        self.builds.on(device, Build::binary).unwrap_or_default()
    }
}

/// The client's options.
fn build_options(text: Option<&CStr>, flags: ExpProgramFlags) -> UrResult<BuildOptions> {
    let text = text.map_or_else(String::new, |text| text.to_string_lossy().into_owned());
    if !flags.is_empty() {
        kit::bail!(
            ERROR_UNSUPPORTED_FEATURE: "programs are not built with {flags:?} yet: every symbol must be resolved"
        );
    }
    let unknown = |error: UnknownOption| kit::error!(ERROR_INVALID_VALUE: "{error}");
    BuildOptions::new(&text).map_err(unknown)
}

/// Parses a module.
fn parse(il: Arc<[u8]>, constants: Vec<(u32, Vec<u8>)>) -> UrResult<SpirvModule> {
    SpirvModule::parse(il, constants).map_err(|error| kit::error!(ERROR_INVALID_BINARY: "{error}"))
}

/// What a binary of ours was built to, and how.
type BinaryBuild = (BinaryKind, BuildOptions);

/// What a binary holds, with the kind and options of a build if it is one of ours.
fn read_binary(bytes: &[u8]) -> UrResult<(Vec<Input>, Option<BinaryBuild>)> {
    if binary::is_binary(bytes) {
        let binary = Binary::read(bytes).map_err(|what| kit::error!(ERROR_INVALID_BINARY: "{what}"))?;
        let input = |stored: binary::Stored| Ok(Input::Spirv(parse(stored.il, stored.constants)?));
        let inputs = binary.modules.into_iter().map(input).collect::<UrResult<_>>()?;
        return Ok((inputs, Some((binary.kind, binary.options))));
    }
    if kit::check_spirv(bytes).is_ok() {
        return Ok((vec![Input::Spirv(parse(bytes.into(), Vec::new())?)], None));
    }
    module::check_image(bytes)?;
    Ok((vec![Input::Image(bytes.into())], None))
}

/// Makes the modules of all builds. The first error is returned.
fn finish_all(builds: &mut [Build]) -> UrResult<()> {
    builds.iter_mut().map(Build::finish).fold(Ok(()), Result::and)
}

impl kit::Program<Cuda> for Program {
    fn context(&self) -> &Arc<Context> {
        &self.context
    }

    fn create_with_il(context: &Arc<Context>, il: &[u8], _metadata: &[ProgramMetadata]) -> UrResult<Arc<Self>> {
        kit::check_spirv(il)?;
        let module = parse(il.into(), Vec::new())?;
        Ok(Arc::new(Self::new(context, Code::Il(Mutex::new(module)))))
    }

    fn create_with_binaries(
        context: &Arc<Context>,
        devices: &[Arc<Device>],
        binaries: &[&[u8]],
        _metadata: &[ProgramMetadata],
    ) -> UrResult<Arc<Self>> {
        devices.iter().try_for_each(|device| context.check_device(device))?;
        let (mut all, mut builds) = (Vec::new(), Vec::new());
        for (device, bytes) in devices.iter().zip(binaries) {
            let (inputs, build) = read_binary(bytes)?;
            if let Some((kind @ (BinaryKind::Compiled | BinaryKind::Library), options)) = build {
                let kind = match kind {
                    BinaryKind::Library => ProgramBinaryType::LIBRARY,
                    _ => ProgramBinaryType::COMPILED_OBJECT,
                };
                builds.push(Build::new(device.clone(), options, kind, inputs.clone()));
            }
            all.push((device.clone(), inputs));
        }
        let program = Self::new(context, Code::Binaries(all));
        program.set_builds(builds);
        Ok(Arc::new(program))
    }

    fn build(&self, devices: &[Arc<Device>], text: Option<&CStr>, flags: ExpProgramFlags) -> UrResult<()> {
        let options = build_options(text, flags)?;
        let build = |device: Arc<Device>| {
            let inputs = self.inputs(&device)?;
            Ok(Build::new(
                device,
                options.clone(),
                ProgramBinaryType::EXECUTABLE,
                inputs,
            ))
        };
        let mut builds: Vec<_> = self.chosen(devices)?.into_iter().map(build).collect::<UrResult<_>>()?;
        let result = finish_all(&mut builds);
        self.set_builds(builds);
        result.map_err(|error| match error.code() {
            ResultCode::ERROR_INVALID_BINARY | ResultCode::ERROR_PROGRAM_LINK_FAILURE => {
                error.with_code(ResultCode::ERROR_PROGRAM_BUILD_FAILURE)
            }
            _ => error,
        })
    }

    fn compile(&self, devices: &[Arc<Device>], text: Option<&CStr>, flags: ExpProgramFlags) -> UrResult<()> {
        let options = build_options(text, flags)?;
        let compiled = |device: Arc<Device>| {
            let inputs = self.inputs(&device)?;
            let mut build = Build::new(device, options.clone(), ProgramBinaryType::COMPILED_OBJECT, inputs);
            // Modules are checked when they are parsed, so compiling has nothing else to do.
            let failed = build.inputs.iter().find_map(|input| match input {
                Input::Spirv(module) => module.part().err(),
                Input::Image(_) => None,
            });
            if let Some(error) = &failed {
                build.fail(error.to_string());
            }
            Ok((build, failed.map_or(Ok(()), |error| Err(build_error(&error)))))
        };
        let compiled = self
            .chosen(devices)?
            .into_iter()
            .map(compiled)
            .collect::<UrResult<Vec<_>>>()?;
        let (builds, results): (Vec<_>, Vec<_>) = compiled.into_iter().unzip();
        self.set_builds(builds);
        results.into_iter().fold(Ok(()), Result::and)
    }

    fn link(
        context: &Arc<Context>,
        devices: &[Arc<Device>],
        programs: &[Arc<Self>],
        text: Option<&CStr>,
        flags: ExpProgramFlags,
    ) -> Result<Arc<Self>, LinkFailure<Self>> {
        let mut options = build_options(text, flags)?;
        let devices = chosen_devices::<Cuda>(context, devices, || context.devices.clone())?;
        let kind = match options.library {
            true => ProgramBinaryType::LIBRARY,
            false => ProgramBinaryType::EXECUTABLE,
        };
        // An option that changes results applies only if all modules were compiled with it.
        let mut fast_math = FastMath::RELAXED;
        let mut all = Vec::new();
        for device in devices {
            let mut inputs = Vec::new();
            for own in kit::Builds::compiled(programs.iter().map(|program| &program.builds), &device)? {
                fast_math &= own.options.fast_math;
                options.no_optimization |= own.options.no_optimization;
                inputs.extend(own.inputs);
            }
            all.push((device, inputs));
        }
        options.fast_math |= fast_math;
        let build = |(device, inputs)| Build::new(device, options.clone(), kind, inputs);
        let mut builds: Vec<_> = all.into_iter().map(build).collect();
        let program = Arc::new(Self::new(context, Code::Linked));
        // A library is linked when the rest is there.
        let result = match kind {
            ProgramBinaryType::LIBRARY => Ok(()),
            _ => finish_all(&mut builds),
        };
        program.set_builds(builds);
        match result {
            Ok(()) => Ok(program),
            Err(error) => Err(LinkFailure {
                // Any error here is a failure of the link.
                error: error.with_code(ResultCode::ERROR_PROGRAM_LINK_FAILURE),
                program: Some(program),
            }),
        }
    }

    fn function_pointer(&self, device: &Arc<Device>, name: &CStr) -> UrResult<*mut c_void> {
        // A function has no address that kernels could call.
        self.builds.executable(device)?.function(name)?;
        Err(kit::error!(ERROR_FUNCTION_ADDRESS_NOT_AVAILABLE: "CUDA gives no address of {name:?}"))
    }

    fn global_variable(&self, device: &Arc<Device>, name: &CStr) -> UrResult<(*mut c_void, usize)> {
        self.find_global(device, name)
    }

    fn info(&self, query: ProgramInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            ProgramInfo::IL => match &self.code {
                Code::Il(module) => out.slice(module.lock().il()),
                _ => out.slice::<u8>(&[]),
            },
            _ => kit::program_info::<Cuda>(
                &self.devices(),
                |device| Ok(self.binary(device)),
                || self.builds.executables()?[0].1.kernel_names(),
                query,
                out,
            ),
        }
    }

    fn build_info(&self, device: &Arc<Device>, query: ProgramBuildInfo, out: InfoOut<'_>) -> UrResult<()> {
        self.context.check_device(device)?;
        self.builds.info(device, ProgramBinaryType::NONE, query, out)
    }

    fn native(self: &Arc<Self>) -> UrResult<NativeHandle> {
        match &self.builds.executables()?[0].1 {
            Executable::Module(module) => Ok(module.raw() as NativeHandle),
            Executable::Spirv(_) => Err(kit::error!(
                ERROR_UNSUPPORTED_FEATURE: "a program of SPIR-V has a module of CUDA for each kernel"
            )),
        }
    }

    fn set_specialization_constants(&self, constants: &[(u32, &[u8])]) -> UrResult<()> {
        let Code::Il(module) = &self.code else {
            kit::bail!(
                ERROR_INVALID_OPERATION: "specialization constants are set in SPIR-V, before modules are linked"
            );
        };
        module.lock().set_constants(constants).map_err(|error| {
            let code = match error {
                ConstantError::UnknownId(_) => ResultCode::ERROR_INVALID_SPEC_ID,
                ConstantError::WrongSize { .. } => ResultCode::ERROR_INVALID_VALUE,
            };
            UrError::with_message(code, error.to_string())
        })
    }
}
