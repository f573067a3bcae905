// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Programs: their modules, their builds, and the messages for the client.
//!
//! Modules are parsed when a program is created and linked when it is built; kernels are compiled one by one when they
//! are created. All devices run the same code, so there is one build for all of them, but each device has its own
//! variables. The program remembers the devices that the client built it for.

use std::ffi::{CStr, CString, c_void};
use std::sync::Arc;

use kit::ur::*;
use kit::{HandleCell, InfoOut, LinkFailure, UrError, UrResult};
use oxur_adapter_kit as kit;
use oxur_compiler::{Error, FastMath, Global, Part};
use oxur_device_cpu::program::binary::{self, Binary, BinaryKind};
use oxur_device_cpu::program::{BuildOptions, Claim, Code, ConstantError, Constants, SpirvModule, UnknownOption};
use oxur_fork::Mutex;

use crate::opencl::{self, NativeCell};
use crate::{Context, Cpu, Device};

/// A program.
pub(crate) struct Program {
    pub(crate) handle_cell: HandleCell,
    pub(crate) native: NativeCell,
    context: Arc<Context>,
    /// Whether it was created from SPIR-V, which queries then return.
    from_il: bool,
    state: Mutex<State>,
}

/// The build of a program.
struct State {
    modules: Vec<SpirvModule>,
    status: ProgramBuildStatus,
    /// What the last build made; `None` before it.
    kind: Option<BinaryKind>,
    options: BuildOptions,
    log: String,
    /// The devices that the client has named. What follows holds for them and their sub-devices.
    devices: Vec<Arc<Device>>,
    /// The linked code.
    code: Option<Code>,
    /// The device globals of `code` that the client has asked for, with the index of the device in the context.
    /// Programs have few.
    globals: Vec<(CString, usize, Global)>,
}

// SAFETY: a `Global` is an address that is valid as long as `code` lives.
unsafe impl Send for State {}

/// A part of a device global.
pub(crate) struct GlobalPart {
    pub(crate) address: *mut u8,
    /// The code that the variable belongs to. A program that is built again drops its code, so every user of the
    /// address keeps this.
    pub(crate) owner: Arc<oxur_compiler::Program>,
}

/// Parses a module.
fn parse(il: Arc<[u8]>, constants: Constants) -> UrResult<SpirvModule> {
    SpirvModule::parse(il, constants).map_err(|error| kit::error!(ERROR_INVALID_BINARY: "{error}"))
}

/// The client's options.
fn build_options(text: Option<&CStr>, flags: ExpProgramFlags) -> UrResult<BuildOptions> {
    let text = text.map_or_else(String::new, |text| text.to_string_lossy().into_owned());
    let unknown = |error: UnknownOption| kit::error!(ERROR_INVALID_VALUE: "{error}");
    Ok(BuildOptions {
        allow_unresolved: flags.contains(ExpProgramFlags::ALLOW_UNRESOLVED_SYMBOLS),
        ..BuildOptions::new(&text).map_err(unknown)?
    })
}

/// UR's type of a binary.
fn binary_type(kind: BinaryKind) -> ProgramBinaryType {
    match kind {
        BinaryKind::Compiled => ProgramBinaryType::COMPILED_OBJECT,
        BinaryKind::Library => ProgramBinaryType::LIBRARY,
        BinaryKind::Executable => ProgramBinaryType::EXECUTABLE,
    }
}

impl State {
    fn new(modules: Vec<SpirvModule>, kind: Option<BinaryKind>) -> Self {
        Self {
            modules,
            status: ProgramBuildStatus::NONE,
            kind,
            options: BuildOptions::default(),
            log: String::new(),
            devices: Vec::new(),
            code: None,
            globals: Vec::new(),
        }
    }

    /// Adds devices that the client names.
    fn add_devices(&mut self, devices: &[Arc<Device>]) {
        for device in devices {
            if !self.is_for(device) {
                self.devices.push(device.clone());
            }
        }
    }

    fn is_for(&self, device: &Device) -> bool {
        self.devices.iter().any(|own| device.is_part_of(own))
    }

    /// The linked code, for a device.
    fn code_for(&self, device: &Device) -> UrResult<&Code> {
        let code = self.code.as_ref().ok_or_else(not_built)?;
        match self.is_for(device) {
            true => Ok(code),
            false => Err(kit::error!(ERROR_INVALID_PROGRAM_EXECUTABLE: "the program was not built for this device")),
        }
    }

    fn set_code(&mut self, code: Option<Code>) {
        self.globals.clear();
        self.code = code;
    }

    /// Finds a device global of the device with this index in the context, and its code.
    fn global(&mut self, name: &CStr, place: usize) -> UrResult<(Global, Arc<oxur_compiler::Program>)> {
        let code = self.code.as_ref().ok_or_else(not_built)?;
        let owner = code.instance(place).clone();
        let is_it = |known: &&(CString, usize, Global)| known.1 == place && *known.0 == *name;
        if let Some((.., known)) = self.globals.iter().find(is_it) {
            return Ok((*known, owner));
        }
        let found = code
            .global(name, place)
            .ok_or_else(|| kit::error!(ERROR_INVALID_VALUE: "the program has no global variable {name:?}"))?;
        self.globals.push((name.to_owned(), place, found));
        Ok((found, owner))
    }

    fn note(&mut self, error: &Error) {
        if !self.log.is_empty() {
            self.log.push('\n');
        }
        self.log += &error.to_string();
    }

    /// Uses the constants that were set from now on.
    fn take_constants(&mut self) {
        self.modules.iter_mut().for_each(SpirvModule::take_constants);
    }

    fn parts(&self) -> Result<Vec<Part>, Error> {
        self.modules.iter().map(SpirvModule::part).collect()
    }

    /// Stores the result of a build, a compilation or a link.
    fn finish(&mut self, options: BuildOptions, result: Result<BinaryKind, Error>) -> UrResult<()> {
        self.options = options;
        match result {
            Ok(kind) => {
                self.status = ProgramBuildStatus::SUCCESS;
                self.kind = Some(kind);
                self.log.clear();
                Ok(())
            }
            Err(error) => {
                self.set_code(None);
                self.status = ProgramBuildStatus::ERROR;
                self.log = error.to_string();
                Err(build_error(&error))
            }
        }
    }

    fn binary(&self) -> Vec<u8> {
        let Some(kind) = self.kind else {
            return Vec::new();
        };
        // A binary contains the program's own modules only, without those that they were linked with.
        let is_part = self.code.as_ref().is_some_and(Code::is_part);
        Binary {
            kind: if is_part { BinaryKind::Compiled } else { kind },
            options: self.options.clone(),
            modules: self.modules.iter().map(SpirvModule::stored).collect(),
        }
        .write()
    }
}

/// The UR error for an error of the compiler.
pub(crate) fn build_error(error: &Error) -> UrError {
    let code = match error {
        Error::Link(_) => ResultCode::ERROR_PROGRAM_LINK_FAILURE,
        Error::NoKernel(_) => ResultCode::ERROR_INVALID_KERNEL_NAME,
        Error::Malformed { .. } | Error::Unsupported { .. } | Error::Codegen(_) => {
            ResultCode::ERROR_PROGRAM_BUILD_FAILURE
        }
        Error::OutOfMemory(_) => ResultCode::ERROR_OUT_OF_HOST_MEMORY,
    };
    UrError::with_message(code, error.to_string())
}

#[cold]
fn not_built() -> UrError {
    kit::error!(ERROR_INVALID_PROGRAM_EXECUTABLE: "the program was not built, or its build failed")
}

impl Program {
    fn new(context: &Arc<Context>, from_il: bool, state: State) -> Arc<Self> {
        Arc::new(Self {
            handle_cell: HandleCell::new(),
            native: NativeCell::new(),
            context: context.clone(),
            from_il,
            state: Mutex::new(state),
        })
    }

    /// The context that it is in.
    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// The linked code. An error if the program is not built.
    fn code(&self) -> UrResult<Code> {
        self.state.lock().code.clone().ok_or_else(not_built)
    }

    /// The names of its kernels.
    pub(crate) fn kernel_names(&self) -> UrResult<Vec<CString>> {
        let code = self.code()?;
        let names = code.kernels().map(|kernel| CString::new(&*kernel.name));
        names
            .collect::<Result<_, _>>()
            .map_err(|_| ResultCode::ERROR_INVALID_PROGRAM.into())
    }

    /// The same, for a kernel that is about to be created.
    pub(crate) fn claim(&self) -> UrResult<Claim> {
        let state = self.state.lock();
        state.code.as_ref().map(Code::claim).ok_or_else(not_built)
    }

    /// Adds the compiler's message for a kernel to the build log.
    pub(crate) fn note(&self, error: &Error) {
        self.state.lock().note(error);
    }

    /// A device global of a device that the program was built for. It is found by its unique id, then by its linkage name.
    fn global(&self, device: &Device, name: &CStr) -> UrResult<(Global, Arc<oxur_compiler::Program>)> {
        let place = self.context.device_index(device)?;
        let mut state = self.state.lock();
        state.code_for(device)?;
        state.global(name, place)
    }

    /// Finds `count` bytes at `offset` in a device global, of which all must be in it.
    pub(crate) fn global_part(
        &self,
        device: &Device,
        name: &CStr,
        offset: usize,
        count: usize,
    ) -> UrResult<GlobalPart> {
        let (Global { address, size }, owner) = self.global(device, name)?;
        if offset.checked_add(count).is_none_or(|end| end > size) {
            kit::bail!(
                ERROR_INVALID_VALUE:
                    "{count} bytes at offset {offset} are not inside of {name:?}, which has {size} bytes"
            );
        }
        Ok(GlobalPart {
            address: address.wrapping_add(offset),
            owner,
        })
    }

    /// Checks that a program can be linked.
    fn check_link(state: &State) -> UrResult<()> {
        if state.kind.is_none() {
            kit::bail!(ERROR_INVALID_OPERATION: "a program that is linked must be compiled before");
        }
        Ok(())
    }

    /// The devices of a call: those that it names, or all of the context if it names none.
    fn devices<'a>(&'a self, named: &'a [Arc<Device>]) -> UrResult<&'a [Arc<Device>]> {
        if named.is_empty() {
            return Ok(&self.context.devices);
        }
        named.iter().try_for_each(|device| self.context.check_device(device))?;
        Ok(named)
    }
}

impl kit::Program<Cpu> for Program {
    fn context(&self) -> &Arc<Context> {
        &self.context
    }

    fn create_with_il(context: &Arc<Context>, il: &[u8], _metadata: &[ProgramMetadata]) -> UrResult<Arc<Self>> {
        // An image for the target native_cpu contains host code, unless the client put SPIR-V there.
        let module = parse(il.into(), Vec::new())?;
        Ok(Self::new(context, true, State::new(vec![module], None)))
    }

    fn create_with_binaries(
        context: &Arc<Context>,
        devices: &[Arc<Device>],
        binaries: &[&[u8]],
        _metadata: &[ProgramMetadata],
    ) -> UrResult<Arc<Self>> {
        devices.iter().try_for_each(|device| context.check_device(device))?;
        let Some((&first, others)) = binaries.split_first() else {
            return Err(ResultCode::ERROR_INVALID_SIZE.into());
        };
        if others.iter().any(|other| *other != first) {
            kit::bail!(ERROR_INVALID_BINARY: "all devices run the same code, and the binaries differ");
        }
        if !binary::is_binary(first) {
            // SYCL runtimes pass images of unknown format as binaries.
            let module = parse(first.into(), Vec::new())?;
            return Ok(Self::new(context, false, State::new(vec![module], None)));
        }
        let binary = Binary::read(first).map_err(|what| kit::error!(ERROR_INVALID_BINARY: "{what}"))?;
        let modules = binary
            .modules
            .into_iter()
            .map(|stored| parse(stored.il, stored.constants));
        let mut state = State::new(modules.collect::<UrResult<_>>()?, Some(binary.kind));
        state.options = binary.options;
        state.add_devices(devices);
        Ok(Self::new(context, false, state))
    }

    fn build(&self, devices: &[Arc<Device>], text: Option<&CStr>, flags: ExpProgramFlags) -> UrResult<()> {
        let devices = self.devices(devices)?;
        let mut options = build_options(text, flags)?;
        let mut state = self.state.lock();
        let state = &mut *state;
        if state.kind.is_some() && state.code.is_none() {
            // The binary's build options still apply.
            options.fast_math |= state.options.fast_math;
            options.no_optimization |= state.options.no_optimization;
            options.allow_unresolved |= state.options.allow_unresolved;
        }
        state.add_devices(devices);
        let same = options.text == state.options.text
            && options.allow_unresolved == state.options.allow_unresolved
            && state.modules.iter().all(SpirvModule::is_unchanged);
        if state.code.is_some() && same {
            // It was built before, for another device.
            return Ok(());
        }
        state.take_constants();
        let code = state
            .parts()
            .and_then(|parts| Code::new(&parts, &options, self.context.devices.len()));
        let result = code.map(|code| {
            state.set_code(Some(code));
            BinaryKind::Executable
        });
        state.finish(options, result)
    }

    fn compile(&self, devices: &[Arc<Device>], text: Option<&CStr>, flags: ExpProgramFlags) -> UrResult<()> {
        let devices = self.devices(devices)?;
        let options = build_options(text, flags)?;
        let mut state = self.state.lock();
        state.add_devices(devices);
        state.take_constants();
        // Modules are checked when they are parsed, so compiling has nothing to do before the link.
        let result = state.parts().map(|_| BinaryKind::Compiled);
        state.set_code(None);
        state.finish(options, result)
    }

    fn link(
        context: &Arc<Context>,
        devices: &[Arc<Device>],
        programs: &[Arc<Self>],
        text: Option<&CStr>,
        flags: ExpProgramFlags,
    ) -> Result<Arc<Self>, LinkFailure<Self>> {
        devices.iter().try_for_each(|device| context.check_device(device))?;
        let mut options = build_options(text, flags)?;
        let mut modules = Vec::new();
        // An option that changes results applies only if all modules were compiled with it.
        let mut fast_math = FastMath::RELAXED;
        for program in programs {
            let state = program.state.lock();
            Self::check_link(&state)?;
            modules.extend(state.modules.iter().map(SpirvModule::compiled));
            fast_math &= state.options.fast_math;
            options.no_optimization |= state.options.no_optimization;
        }
        options.fast_math |= fast_math;
        let mut state = State::new(modules, None);
        state.add_devices(if devices.is_empty() { &context.devices } else { devices });
        let result = state.parts().and_then(|parts| {
            if options.library {
                return Ok(BinaryKind::Library);
            }
            state.set_code(Some(Code::new(&parts, &options, context.devices.len())?));
            Ok(BinaryKind::Executable)
        });
        let finished = state.finish(options, result);
        let program = Self::new(context, false, state);
        match finished {
            Ok(()) => Ok(program),
            Err(error) => Err(LinkFailure {
                // Any error here is a failure of the link.
                error: error.with_code(ResultCode::ERROR_PROGRAM_LINK_FAILURE),
                program: Some(program),
            }),
        }
    }

    fn dynamic_link(context: &Arc<Context>, programs: &[Arc<Self>]) -> UrResult<()> {
        let mut options = BuildOptions::default();
        let (mut parts, mut places) = (Vec::new(), Vec::new());
        let mut fast_math = FastMath::RELAXED;
        // All programs stay locked until all are linked, so that nobody creates a kernel of one meanwhile. They are
        // locked by address, so that two such links do not deadlock. A program that is named twice is locked once.
        let mut order: Vec<_> = programs.iter().map(Arc::as_ptr).zip(programs).collect();
        order.sort_unstable_by_key(|(address, _)| *address);
        order.dedup_by_key(|(address, _)| *address);
        let mut states: Vec<_> = order.iter().map(|(_, program)| program.state.lock()).collect();
        let place_of = |program: &Arc<Self>| {
            let found = order.binary_search_by_key(&Arc::as_ptr(program), |(address, _)| *address);
            found.expect("all are in it")
        };
        for program in programs {
            let state = &*states[place_of(program)];
            Self::check_link(state)?;
            if state.code.as_ref().is_some_and(Code::is_used) {
                // The client's kernels and addresses of variables would belong to a program that no longer exists.
                kit::bail!(
                    ERROR_INVALID_OPERATION: "a program whose kernels or variables are in use cannot be linked dynamically any more"
                );
            }
            let own = state.parts().map_err(|error| build_error(&error))?;
            places.push(parts.len()..parts.len() + own.len());
            parts.extend(own);
            fast_math &= state.options.fast_math;
            options.no_optimization |= state.options.no_optimization;
        }
        options.fast_math = fast_math;
        let code = Code::new(&parts, &options, context.devices.len()).map_err(|error| {
            states.iter_mut().for_each(|state| state.note(&error));
            build_error(&error).with_code(ResultCode::ERROR_PROGRAM_LINK_FAILURE)
        })?;
        for (program, own) in programs.iter().zip(places) {
            let state = &mut states[place_of(program)];
            state.set_code(Some(code.part(own)));
            state.kind = Some(BinaryKind::Executable);
        }
        Ok(())
    }

    fn function_pointer(&self, device: &Arc<Device>, name: &CStr) -> UrResult<*mut c_void> {
        let place = self.context.device_index(device)?;
        let code = self.state.lock().code_for(device)?.claim();
        let no_name = |_| kit::error!(ERROR_INVALID_KERNEL_NAME: "{name:?} is no name");
        let name = name.to_str().map_err(no_name)?;
        code.function(name, place)
            .map(|address| address.cast_mut().cast())
            .map_err(|error| {
                let result = match code.has_kernel(name) {
                    true => ResultCode::ERROR_FUNCTION_ADDRESS_NOT_AVAILABLE,
                    false => ResultCode::ERROR_INVALID_KERNEL_NAME,
                };
                UrError::with_message(result, error.to_string())
            })
    }

    fn global_variable(&self, device: &Arc<Device>, name: &CStr) -> UrResult<(*mut c_void, usize)> {
        let (Global { address, size }, _) = self.global(device, name)?;
        Ok((address.cast(), size))
    }

    fn info(&self, query: ProgramInfo, out: InfoOut<'_>) -> UrResult<()> {
        let devices = &self.context.devices;
        match query {
            ProgramInfo::NUM_DEVICES => out.value(devices.len() as u32),
            ProgramInfo::DEVICES => out.handles(devices),
            ProgramInfo::IL => match &self.state.lock().modules[..] {
                [module] if self.from_il => out.slice(module.il()),
                _ => out.slice::<u8>(&[]),
            },
            ProgramInfo::BINARY_SIZES => {
                let size = self.state.lock().binary().len();
                out.slice(&vec![size; devices.len()])
            }
            ProgramInfo::BINARIES => {
                let binary = self.state.lock().binary();
                out.bytes(devices.len() * size_of::<*mut u8>(), |pointers| {
                    for place in 0..devices.len() {
                        // SAFETY: the client's buffer holds a pointer for each device, each of them null or with room
                        // for as many bytes as BINARY_SIZES says.
                        unsafe {
                            let target = pointers.cast::<*mut u8>().add(place).read_unaligned();
                            if !target.is_null() {
                                target.copy_from_nonoverlapping(binary.as_ptr(), binary.len());
                            }
                        }
                    }
                    Ok(())
                })
            }
            ProgramInfo::NUM_KERNELS => out.value(self.code()?.kernels().count()),
            ProgramInfo::KERNEL_NAMES => {
                let code = self.code()?;
                let names: Vec<&str> = code.kernels().map(|kernel| &*kernel.name).collect();
                out.str(&names.join(";"))
            }
            _ => out.unsupported(),
        }
    }

    fn build_info(&self, device: &Arc<Device>, query: ProgramBuildInfo, out: InfoOut<'_>) -> UrResult<()> {
        self.context.check_device(device)?;
        let state = self.state.lock();
        if !state.is_for(device) {
            return match query {
                ProgramBuildInfo::STATUS => out.value(ProgramBuildStatus::NONE),
                ProgramBuildInfo::OPTIONS | ProgramBuildInfo::LOG => out.str(""),
                ProgramBuildInfo::BINARY_TYPE => out.value(ProgramBinaryType::NONE),
                _ => out.unsupported(),
            };
        }
        match query {
            ProgramBuildInfo::STATUS => out.value(state.status),
            ProgramBuildInfo::OPTIONS => out.str(&state.options.text),
            ProgramBuildInfo::LOG => out.str(&state.log),
            ProgramBuildInfo::BINARY_TYPE => out.value(state.kind.map_or(ProgramBinaryType::NONE, binary_type)),
            _ => out.unsupported(),
        }
    }

    fn native(self: &Arc<Self>) -> UrResult<NativeHandle> {
        opencl::native(self)
    }

    fn from_native(context: &Arc<Context>, native: NativeHandle, owned: bool) -> UrResult<Arc<Self>> {
        let program: Arc<Self> = opencl::from_native(native, false)?;
        opencl::check_context(&program.context, context)?;
        opencl::from_native(native, owned)
    }

    fn set_specialization_constants(&self, constants: &[(u32, &[u8])]) -> UrResult<()> {
        let mut state = self.state.lock();
        let [module] = &mut state.modules[..] else {
            kit::bail!(ERROR_INVALID_OPERATION: "specialization constants are set before modules are linked");
        };
        module.set_constants(constants).map_err(|error| {
            let code = match error {
                ConstantError::UnknownId(_) => ResultCode::ERROR_INVALID_SPEC_ID,
                ConstantError::WrongSize { .. } => ResultCode::ERROR_INVALID_VALUE,
            };
            UrError::with_message(code, error.to_string())
        })
    }
}
