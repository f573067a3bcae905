// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Programs: code that came as SPIR-V, PTX or a cubin, and what it was built into for each device.
//!
//! [`module`] has the driver's modules and the cache of cubins.

mod interface;
mod module;

use std::ffi::{CStr, CString, c_void};
use std::sync::Arc;

use kit::ur::{
    ExpProgramFlags, NativeHandle, ProgramBinaryType, ProgramBuildInfo, ProgramBuildStatus, ProgramInfo,
    ProgramMetadata, ResultCode,
};
use kit::{DeviceGlobal, DeviceGlobalSizes, HandleCell, InfoOut, LinkFailure, UrError, UrResult};
use oxur_adapter_kit as kit;
use oxur_fork::Mutex;

pub(crate) use self::interface::{Interface, Param};
pub(crate) use self::module::{Function, Module};
use crate::{Context, Cuda, Device};

/// Whether programs may be SPIR-V.
pub(crate) const TAKES_SPIRV: bool = false;

/// The largest block of parameters that all devices take, in bytes.
pub(crate) const MAX_PARAMETERS: usize = 4096;

/// A program.
pub(crate) struct Program {
    pub(crate) handle_cell: HandleCell,
    code: Code,
    builds: Mutex<Vec<Build>>,
    global_sizes: DeviceGlobalSizes,
    pub(crate) context: Arc<Context>,
}

/// What a program is made of.
enum Code {
    /// PTX or a cubin for each device.
    Binaries(Vec<(Arc<Device>, Arc<[u8]>)>),
    /// Programs that were linked.
    Linked,
}

/// What became of a program on a device.
#[derive(Clone)]
struct Build {
    device: Arc<Device>,
    module: Option<Arc<Module>>,
    log: String,
    options: CString,
    kind: ProgramBinaryType,
    status: ProgramBuildStatus,
    /// What is compiled, for links.
    inputs: Vec<Arc<[u8]>>,
}

impl Build {
    fn new(device: Arc<Device>, options: &CStr, kind: ProgramBinaryType, inputs: Vec<Arc<[u8]>>) -> Self {
        Self {
            device,
            module: None,
            log: String::new(),
            options: options.to_owned(),
            kind,
            status: ProgramBuildStatus::SUCCESS,
            inputs,
        }
    }

    /// Makes the module. The error is also in the log.
    fn finish(&mut self) -> UrResult<()> {
        match Module::build(&self.device, &self.inputs) {
            Ok(module) => {
                self.module = Some(Arc::new(module));
                Ok(())
            }
            Err((error, log)) => {
                self.status = ProgramBuildStatus::ERROR;
                self.kind = ProgramBinaryType::NONE;
                self.log = match log.trim() {
                    "" => error.to_string(),
                    log => log.to_owned(),
                };
                Err(match log.trim() {
                    "" => error,
                    log => error.context(log),
                })
            }
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let builds = std::mem::take(self.builds.get_mut());
        self.context.retire(builds);
    }
}

impl Program {
    fn new(context: &Arc<Context>, code: Code) -> Self {
        Self {
            handle_cell: HandleCell::new(),
            code,
            builds: Mutex::default(),
            global_sizes: DeviceGlobalSizes::default(),
            context: context.clone(),
        }
    }

    /// The devices that it may be built for.
    fn devices(&self) -> Vec<Arc<Device>> {
        match &self.code {
            Code::Binaries(binaries) => binaries.iter().map(|(device, _)| device.clone()).collect(),
            Code::Linked => self.builds.lock().iter().map(|build| build.device.clone()).collect(),
        }
    }

    /// The devices of a build: those that the client names, or all.
    fn chosen(&self, devices: &[Arc<Device>]) -> UrResult<Vec<Arc<Device>>> {
        if devices.is_empty() {
            return Ok(self.devices());
        }
        devices
            .iter()
            .try_for_each(|device| self.context.check_device(device))?;
        Ok(devices.to_vec())
    }

    fn set_builds(&self, builds: Vec<Build>) {
        let mut known = self.builds.lock();
        let is_new = |old: &Build| !builds.iter().any(|build| old.device.raw == build.device.raw);
        let (kept, past): (Vec<_>, Vec<_>) = std::mem::take(&mut *known).into_iter().partition(is_new);
        *known = kept;
        known.extend(builds);
        drop(known);
        self.context.retire(past);
    }

    /// What it is made of on a device.
    fn input(&self, device: &Device) -> UrResult<Arc<[u8]>> {
        let Code::Binaries(binaries) = &self.code else {
            return Err(UrError::with_message(
                ResultCode::ERROR_INVALID_OPERATION,
                "the program was linked of others, and has no code of its own to build or compile",
            ));
        };
        let found = binaries.iter().find(|(of, _)| of.raw == device.raw);
        found.map(|(_, code)| code.clone()).ok_or_else(|| {
            UrError::with_message(
                ResultCode::ERROR_INVALID_DEVICE,
                "the program has no binary for this device",
            )
        })
    }

    /// What became of it on a device.
    fn on<T>(&self, device: &Device, get: impl FnOnce(&Build) -> T) -> Option<T> {
        let builds = self.builds.lock();
        builds.iter().find(|build| build.device.raw == device.raw).map(get)
    }

    fn module(&self, device: &Device) -> UrResult<Arc<Module>> {
        let module = self.on(device, |build| build.module.clone()).flatten();
        module.ok_or_else(not_built)
    }

    /// The modules that it was built into.
    fn modules(&self) -> UrResult<Vec<(Arc<Device>, Arc<Module>)>> {
        let builds = self.builds.lock();
        let module = |build: &Build| Some((build.device.clone(), build.module.clone()?));
        let modules: Vec<_> = builds.iter().filter_map(module).collect();
        match modules.is_empty() {
            true => Err(not_built()),
            false => Ok(modules),
        }
    }

    /// The functions of this name, one a device.
    pub(crate) fn functions(&self, name: &CStr) -> UrResult<Vec<(Arc<Device>, Function)>> {
        let function = |(device, module): (Arc<Device>, Arc<Module>)| Ok((device, module.function(name)?));
        self.modules()?.into_iter().map(function).collect()
    }

    /// The address and size of a device global.
    pub(crate) fn find_global(&self, device: &Device, name: &CStr) -> UrResult<(*mut c_void, usize)> {
        self.module(device)?.global(name)
    }

    /// Checks the bounds of a part of a device global.
    pub(crate) fn check_global(&self, device: &Device, global: &DeviceGlobal<'_, Cuda>) -> UrResult<()> {
        self.global_sizes.check(device.raw as usize, global, || {
            self.find_global(device, global.name).map(|(_, size)| Some(size))
        })
    }

    /// The binary for a device, if it was built.
    fn binary(&self, device: &Device) -> Option<Arc<[u8]>> {
        self.on(device, |build| match &build.module {
            Some(module) => Some(module.cubin.clone()),
            None => build.inputs.first().filter(|_| build.inputs.len() == 1).cloned(),
        })
        .flatten()
    }
}

#[cold]
fn not_built() -> UrError {
    UrError::with_message(
        ResultCode::ERROR_INVALID_PROGRAM_EXECUTABLE,
        "the program was not built for this device, or its build failed",
    )
}

/// Refuses what this adapter has no way to say to the compiler.
fn no_flags(flags: ExpProgramFlags) -> UrResult<()> {
    if flags.is_empty() {
        return Ok(());
    }
    Err(UrError::with_message(
        ResultCode::ERROR_UNSUPPORTED_FEATURE,
        format!("programs are not built with {flags:?} yet: every symbol must be resolved"),
    ))
}

/// Makes the modules of all builds. The first error is returned.
fn finish_all(builds: &mut [Build]) -> UrResult<()> {
    builds.iter_mut().map(Build::finish).fold(Ok(()), Result::and)
}

impl kit::Program<Cuda> for Program {
    fn context(&self) -> &Arc<Context> {
        &self.context
    }

    fn create_with_il(_context: &Arc<Context>, _il: &[u8], _metadata: &[ProgramMetadata]) -> UrResult<Arc<Self>> {
        Err(UrError::with_message(
            ResultCode::ERROR_COMPILER_NOT_AVAILABLE,
            "this build of the CUDA adapter does not take SPIR-V, but PTX and cubins (UR_CUDA_BACKEND=cuda)",
        ))
    }

    fn create_with_binaries(
        context: &Arc<Context>,
        devices: &[Arc<Device>],
        binaries: &[&[u8]],
        _metadata: &[ProgramMetadata],
    ) -> UrResult<Arc<Self>> {
        devices.iter().try_for_each(|device| context.check_device(device))?;
        binaries.iter().try_for_each(|binary| module::check_image(binary))?;
        let binary = |(device, &binary): (&Arc<Device>, &&[u8])| (device.clone(), binary.into());
        let code = Code::Binaries(devices.iter().zip(binaries).map(binary).collect());
        Ok(Arc::new(Self::new(context, code)))
    }

    fn build(&self, devices: &[Arc<Device>], options: Option<&CStr>, flags: ExpProgramFlags) -> UrResult<()> {
        no_flags(flags)?;
        let build = |device: Arc<Device>| {
            let inputs = vec![self.input(&device)?];
            let options = options.unwrap_or(c"");
            Ok(Build::new(device, options, ProgramBinaryType::EXECUTABLE, inputs))
        };
        let mut builds: Vec<_> = self.chosen(devices)?.into_iter().map(build).collect::<UrResult<_>>()?;
        let result = finish_all(&mut builds);
        self.set_builds(builds);
        result.map_err(|error| match error.code() {
            ResultCode::ERROR_INVALID_BINARY => error.with_code(ResultCode::ERROR_PROGRAM_BUILD_FAILURE),
            _ => error,
        })
    }

    fn compile(&self, devices: &[Arc<Device>], options: Option<&CStr>, flags: ExpProgramFlags) -> UrResult<()> {
        no_flags(flags)?;
        let compiled = |device: Arc<Device>| {
            let inputs = vec![self.input(&device)?];
            let options = options.unwrap_or(c"");
            Ok(Build::new(device, options, ProgramBinaryType::COMPILED_OBJECT, inputs))
        };
        let builds = self
            .chosen(devices)?
            .into_iter()
            .map(compiled)
            .collect::<UrResult<_>>()?;
        self.set_builds(builds);
        Ok(())
    }

    fn link(
        context: &Arc<Context>,
        devices: &[Arc<Device>],
        programs: &[Arc<Self>],
        options: Option<&CStr>,
        flags: ExpProgramFlags,
    ) -> Result<Arc<Self>, LinkFailure<Self>> {
        no_flags(flags)?;
        if programs.iter().any(|program| program.context.number != context.number) {
            return Err(UrError::with_message(
                ResultCode::ERROR_INVALID_CONTEXT,
                "programs are linked in their own context",
            )
            .into());
        }
        let devices = match devices.is_empty() {
            true => context.devices.clone(),
            false => devices.to_vec(),
        };
        devices.iter().try_for_each(|device| context.check_device(device))?;
        let options = options.unwrap_or(c"");
        let mut words = options.to_bytes().split(u8::is_ascii_whitespace);
        let kind = match words.any(|word| word == b"-create-library") {
            true => ProgramBinaryType::LIBRARY,
            false => ProgramBinaryType::EXECUTABLE,
        };
        let mut builds = Vec::new();
        for device in devices {
            let mut inputs = Vec::new();
            for program in programs {
                let own = program.on(&device, |build| build.inputs.clone()).unwrap_or_default();
                if own.is_empty() {
                    return Err(UrError::with_message(
                        ResultCode::ERROR_INVALID_OPERATION,
                        "programs must be compiled for a device before they are linked",
                    )
                    .into());
                }
                inputs.extend(own);
            }
            builds.push(Build::new(device, options, kind, inputs));
        }
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
                error: match error.code() {
                    ResultCode::ERROR_INVALID_BINARY => error.with_code(ResultCode::ERROR_PROGRAM_LINK_FAILURE),
                    _ => error,
                },
                program: Some(program),
            }),
        }
    }

    fn function_pointer(&self, device: &Arc<Device>, name: &CStr) -> UrResult<*mut c_void> {
        // A function has no address that kernels could call.
        self.module(device)?.function(name)?;
        Err(UrError::with_message(
            ResultCode::ERROR_FUNCTION_ADDRESS_NOT_AVAILABLE,
            format!("CUDA gives no address of {name:?}"),
        ))
    }

    fn global_variable(&self, device: &Arc<Device>, name: &CStr) -> UrResult<(*mut c_void, usize)> {
        self.find_global(device, name)
    }

    fn info(&self, query: ProgramInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            ProgramInfo::NUM_DEVICES => out.value(self.devices().len() as u32),
            ProgramInfo::DEVICES => out.handles(&self.devices()),
            ProgramInfo::IL => out.slice::<u8>(&[]),
            ProgramInfo::BINARY_SIZES => {
                let size = |device: &Arc<Device>| self.binary(device).map_or(0, |binary| binary.len());
                out.slice(&self.devices().iter().map(size).collect::<Vec<usize>>())
            }
            ProgramInfo::BINARIES => {
                let devices = self.devices();
                out.bytes(devices.len() * size_of::<*mut u8>(), |places| {
                    for (index, device) in devices.iter().enumerate() {
                        // SAFETY: the client's buffer has a pointer for each device.
                        let place = unsafe { places.cast::<*mut u8>().add(index).read_unaligned() };
                        if let Some(binary) = self.binary(device).filter(|_| !place.is_null()) {
                            // SAFETY: the client's memory is as large as the size that it was given.
                            unsafe { place.copy_from_nonoverlapping(binary.as_ptr(), binary.len()) };
                        }
                    }
                    Ok(())
                })
            }
            ProgramInfo::NUM_KERNELS => out.value(self.modules()?[0].1.kernel_names()?.len()),
            ProgramInfo::KERNEL_NAMES => out.str(&self.modules()?[0].1.kernel_names()?.join(";")),
            _ => out.unsupported(),
        }
    }

    fn build_info(&self, device: &Arc<Device>, query: ProgramBuildInfo, out: InfoOut<'_>) -> UrResult<()> {
        self.context.check_device(device)?;
        let build = self.on(device, Build::clone);
        match (query, build) {
            (ProgramBuildInfo::STATUS, build) => {
                out.value(build.map_or(ProgramBuildStatus::NONE, |build| build.status))
            }
            (ProgramBuildInfo::OPTIONS, build) => out.c_str(build.as_ref().map_or(c"", |build| &*build.options)),
            (ProgramBuildInfo::LOG, build) => out.str(build.as_ref().map_or("", |build| &*build.log)),
            (ProgramBuildInfo::BINARY_TYPE, build) => {
                out.value(build.map_or(ProgramBinaryType::NONE, |build| build.kind))
            }
            _ => out.unsupported(),
        }
    }

    fn native(self: &Arc<Self>) -> UrResult<NativeHandle> {
        Ok(self.modules()?[0].1.raw() as NativeHandle)
    }
}
