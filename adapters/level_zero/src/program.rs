// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Programs: a module of Level Zero for each device.
//!
//! Level Zero only builds. What is compiled is kept as it came, with its options and constants, until it is linked.

mod dynamic;
mod spirv;

use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kit::ur::{
    ExpProgramFlags, NativeHandle, ProgramBinaryType, ProgramBuildInfo, ProgramBuildStatus, ProgramInfo,
    ProgramMetadata, ResultCode,
};
use kit::{DeviceGlobal, DeviceGlobalSizes, HandleCell, InfoOut, LinkFailure, UrError, UrResult};
use level_zero_sys::*;
use oxur_adapter_kit as kit;
use oxur_fork::{Mutex, Turns};

use crate::ze::{self, BuildLogKind, ModuleKind, Owned, ze};
use crate::{Context, Device, LevelZero};

/// A module.
pub(crate) type Module = Owned<ModuleKind>;

/// A program.
pub(crate) struct Program {
    pub(crate) handle_cell: HandleCell,
    code: Code,
    state: Mutex<State>,
    global_sizes: DeviceGlobalSizes,
    /// Taken while it is linked, and while kernels are made.
    turns: Turns,
    /// Whether kernels or addresses may be known, after which it is linked to nothing.
    used: AtomicBool,
    pub(crate) context: Arc<Context>,
}

/// What a program is made of.
enum Code {
    /// SPIR-V.
    Il(Arc<[u8]>),
    /// A binary for each device.
    Binaries(Vec<(Arc<Device>, Arc<Module>)>),
    /// Programs that were linked.
    Linked,
    /// Binaries of compiled programs.
    Objects,
    /// A native module, or nothing that is known.
    Native,
}

#[derive(Default)]
struct State {
    constants: BTreeMap<u32, Vec<u8>>,
    builds: Vec<Build>,
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
    inputs: Vec<Input>,
}

impl Build {
    /// One without a module.
    fn succeeded(device: Arc<Device>, options: &CStr) -> Self {
        Self {
            device,
            module: None,
            log: String::new(),
            options: options.to_owned(),
            kind: ProgramBinaryType::EXECUTABLE,
            status: ProgramBuildStatus::SUCCESS,
            inputs: Vec::new(),
        }
    }
}

/// What goes into a module.
#[derive(Clone)]
struct Input {
    code: Arc<[u8]>,
    options: CString,
    constants: BTreeMap<u32, Vec<u8>>,
}

impl Input {
    /// Code with nothing to it.
    fn new(code: &[u8]) -> Self {
        Self {
            code: code.into(),
            options: CString::default(),
            constants: BTreeMap::new(),
        }
    }
}

/// Specialization constants as Level Zero takes them; they point to those of an [`Input`].
struct Constants {
    ids: Vec<u32>,
    values: Vec<*const c_void>,
}

impl Constants {
    fn new(constants: &BTreeMap<u32, Vec<u8>>) -> Self {
        Self {
            ids: constants.keys().copied().collect(),
            values: constants.values().map(|value| value.as_ptr().cast()).collect(),
        }
    }

    fn desc(&mut self) -> ze_module_constants_t {
        ze_module_constants_t {
            numConstants: self.ids.len() as u32,
            pConstantIds: self.ids.as_ptr(),
            pConstantValues: self.values.as_mut_ptr(),
        }
    }
}

/// Makes a module for a device of one input, or of several, and says what the compiler said. An `open` one may lack symbols.
fn module(
    context: &Context,
    device: &Device,
    format: ze_module_format_t,
    inputs: &[Input],
    open: bool,
) -> (UrResult<Module>, String) {
    let mut constants: Vec<Constants> = inputs.iter().map(|input| Constants::new(&input.constants)).collect();
    let descs: Vec<ze_module_constants_t> = constants.iter_mut().map(Constants::desc).collect();
    let sizes: Vec<usize> = inputs.iter().map(|input| input.code.len()).collect();
    let mut codes: Vec<*const u8> = inputs.iter().map(|input| input.code.as_ptr()).collect();
    let mut options: Vec<*const c_char> = inputs.iter().map(|input| input.options.as_ptr()).collect();
    let mut all: Vec<*const ze_module_constants_t> = descs.iter().map(std::ptr::from_ref).collect();
    let several = ze_module_program_exp_desc_t {
        count: inputs.len() as u32,
        inputSizes: sizes.as_ptr(),
        pInputModules: codes.as_mut_ptr(),
        pBuildFlags: options.as_mut_ptr(),
        pConstants: all.as_mut_ptr(),
        ..Default::default()
    };
    let desc = match inputs {
        [one] => ze_module_desc_t {
            format,
            inputSize: one.code.len(),
            pInputModule: one.code.as_ptr(),
            pBuildFlags: one.options.as_ptr(),
            pConstants: if one.constants.is_empty() {
                std::ptr::null()
            } else {
                &descs[0]
            },
            ..Default::default()
        },
        _ => ze_module_desc_t {
            pNext: (&raw const several).cast(),
            format,
            // What counts is in the chain.
            inputSize: 1,
            pInputModule: codes.first().copied().unwrap_or(std::ptr::null()),
            ..Default::default()
        },
    };
    let (mut raw, mut log) = (null_mut(), null_mut());
    // SAFETY: live handles, structures and arrays that live until the call returns, and places for the results.
    let made = unsafe { ze!(zeModuleCreate(**context.raw, device.raw, &desc, &mut raw, &mut log)) };
    let text = match log.is_null() {
        true => String::new(),
        // SAFETY: a log that was just made.
        false => log_text(&unsafe { Owned::new(log, true) }),
    };
    if let Err(error) = made {
        return (Err(error), text);
    }
    // SAFETY: a module that was just made.
    let made = unsafe { Owned::new(raw, true) };
    match check_imports(&made) {
        Ok(()) => (Ok(made), text),
        Err(_) if open => (Ok(made), text),
        Err((error, missing)) => (Err(error), [text, missing].join("\n")),
    }
}

/// Refuses a module that lacks symbols, with a log that names them: Level Zero would link it with others later.
fn check_imports(module: &Module) -> Result<(), (UrError, String)> {
    match dynamic::has_imports(module) {
        Ok(true) => {}
        Ok(false) => return Ok(()),
        Err(error) => return Err((error, String::new())),
    }
    dynamic::link(&mut [**module])
}

fn log_text(log: &Owned<BuildLogKind>) -> String {
    // SAFETY: a live log, and room for as many characters as `string` says, or null.
    let text = ze::string(|size, text| unsafe { ze!(zeModuleBuildLogGetString(**log, size, text)) });
    text.unwrap_or_default()
}

impl Drop for Program {
    fn drop(&mut self) {
        self.context.retire(std::mem::take(&mut self.state.get_mut().builds));
    }
}

impl Program {
    fn new(context: &Arc<Context>, code: Code) -> Self {
        Self {
            handle_cell: HandleCell::new(),
            code,
            state: Mutex::default(),
            global_sizes: DeviceGlobalSizes::default(),
            turns: Turns::new(),
            used: AtomicBool::new(false),
            context: context.clone(),
        }
    }

    /// The program of a native kernel of which no more is known.
    pub(crate) fn unknown(context: &Arc<Context>) -> Arc<Self> {
        Arc::new(Self::new(context, Code::Native))
    }

    /// The devices that it may be built for.
    fn devices(&self) -> Vec<Arc<Device>> {
        match &self.code {
            Code::Binaries(binaries) => binaries.iter().map(|(device, _)| device.clone()).collect(),
            Code::Linked | Code::Objects => self
                .state
                .lock()
                .builds
                .iter()
                .map(|build| build.device.clone())
                .collect(),
            Code::Il(_) | Code::Native => self.context.devices.clone(),
        }
    }

    /// The devices of a build: those that the client names, or all.
    fn chosen(&self, devices: &[Arc<Device>]) -> UrResult<Vec<Arc<Device>>> {
        chosen(&self.context, devices, || self.devices())
    }

    fn set_builds(&self, builds: Vec<Build>) {
        let mut state = self.state.lock();
        let is_new = |known: &Build| !builds.iter().any(|build| known.device.raw == build.device.raw);
        let (kept, past): (Vec<_>, Vec<_>) = std::mem::take(&mut state.builds).into_iter().partition(is_new);
        state.builds = kept;
        state.builds.extend(builds);
        drop(state);
        self.context.retire(past);
    }

    /// What a module is made of.
    fn input(&self, options: &CStr) -> UrResult<Input> {
        let Code::Il(il) = &self.code else {
            return Err(UrError::with_message(
                ResultCode::ERROR_INVALID_OPERATION,
                "the program has no SPIR-V to build or compile",
            ));
        };
        Ok(Input {
            code: il.clone(),
            options: options.to_owned(),
            constants: self.state.lock().constants.clone(),
        })
    }

    /// What became of it on a device, or on the one that it is a part of.
    fn on<T>(&self, device: &Device, get: impl FnOnce(&Build) -> T) -> Option<T> {
        let state = self.state.lock();
        let same = state.builds.iter().find(|build| build.device.raw == device.raw);
        same.or_else(|| state.builds.iter().find(|build| device.is_in(&build.device)))
            .map(get)
    }

    /// The modules that it was built into.
    fn modules(&self) -> UrResult<Vec<(Arc<Device>, Arc<Module>)>> {
        let state = self.state.lock();
        let module = |build: &Build| Some((build.device.clone(), build.module.clone()?));
        let modules: Vec<_> = state.builds.iter().filter_map(module).collect();
        match modules.is_empty() {
            true => Err(not_built()),
            false => Ok(modules),
        }
    }

    /// Makes something of its modules, which are linked to no others from then on.
    pub(crate) fn with_modules<T>(
        &self,
        make: impl FnOnce(&[(Arc<Device>, Arc<Module>)]) -> UrResult<T>,
    ) -> UrResult<T> {
        let _turn = self.turns.take();
        let made = make(&self.modules()?)?;
        self.used.store(true, Ordering::Relaxed);
        Ok(made)
    }

    fn module(&self, device: &Device) -> UrResult<Arc<Module>> {
        let module = self.on(device, |build| build.module.clone()).flatten();
        module.ok_or_else(not_built)
    }

    /// The address and size of a device global.
    pub(crate) fn find_global(&self, device: &Device, name: &CStr) -> UrResult<(*mut c_void, usize)> {
        let module = self.module(device)?;
        let (mut size, mut address) = (0, null_mut());
        // SAFETY: a live module, a name that ends with zero, and places for the results.
        let found = unsafe {
            ze!(zeModuleGetGlobalPointer(
                **module,
                name.as_ptr(),
                &mut size,
                &mut address
            ))
        };
        found.map(|()| (address, size)).map_err(|error| {
            let error = error.with_code(ResultCode::ERROR_INVALID_VALUE);
            error.context(&format!("the program has no global variable {name:?} for this device"))
        })
    }

    /// Checks the bounds of a part of a device global.
    pub(crate) fn check_global(&self, device: &Device, global: &DeviceGlobal<'_, LevelZero>) -> UrResult<()> {
        self.global_sizes.check(device.raw as usize, global, || {
            self.find_global(device, global.name).map(|(_, size)| Some(size))
        })
    }

    fn kernel_names(&self) -> UrResult<Vec<String>> {
        let modules = self.modules()?;
        let module = &modules[0].1;
        // SAFETY: a live module, and room for as many pointers as `list` says, or null.
        let names = ze::list(std::ptr::null(), |count, names| unsafe {
            ze!(zeModuleGetKernelNames(***module, count, names))
        })?;
        // SAFETY: the texts are the driver's, and there as long as the module.
        let name = |&name: &*const c_char| unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
        // Drivers may have a kernel of their own in each module.
        Ok(names
            .iter()
            .map(name)
            .filter(|name| name != "Intel_Symbol_Table_Void_Program")
            .collect())
    }

    /// The binary of a compiled program: its SPIR-V, if that is all that there is to it.
    fn object(&self, device: &Device) -> Option<Arc<[u8]>> {
        self.on(device, |build| match &build.inputs[..] {
            [input] if input.constants.is_empty() => Some(input.code.clone()),
            _ => None,
        })
        .flatten()
    }

    /// The size of the binary for a device: 0 if there is none.
    fn binary_size(&self, device: &Device) -> UrResult<usize> {
        if let Some(object) = self.object(device) {
            return Ok(object.len());
        }
        let Ok(module) = self.module(device) else { return Ok(0) };
        let mut size = 0;
        // SAFETY: a live module and a place for the size.
        unsafe { ze!(zeModuleGetNativeBinary(**module, &mut size, null_mut())) }?;
        Ok(size)
    }
}

#[cold]
fn not_built() -> UrError {
    UrError::with_message(
        ResultCode::ERROR_INVALID_PROGRAM_EXECUTABLE,
        "the program was not built for this device, or its build failed",
    )
}

/// The devices of a build: those that the client names, or `all`.
fn chosen(
    context: &Context,
    devices: &[Arc<Device>],
    all: impl FnOnce() -> Vec<Arc<Device>>,
) -> UrResult<Vec<Arc<Device>>> {
    if devices.is_empty() {
        return Ok(all());
    }
    devices.iter().try_for_each(|device| context.check_device(device))?;
    Ok(devices.to_vec())
}

/// Adds what the compiler said to the error of a build.
fn with_log(error: UrError, log: &str) -> UrError {
    match log.trim() {
        "" => error,
        log => error.context(log),
    }
}

/// Builds for devices. The first error is returned beside the builds.
fn build_all(
    context: &Context,
    devices: Vec<Arc<Device>>,
    options: &CStr,
    open: bool,
    inputs: impl Fn(&Arc<Device>) -> UrResult<Vec<Input>>,
) -> (Vec<Build>, UrResult<()>) {
    let mut result = Ok(());
    let mut builds = Vec::new();
    for device in devices {
        let (made, log, inputs) = match inputs(&device) {
            Ok(inputs) => {
                let (made, log) = module(context, &device, ZE_MODULE_FORMAT_IL_SPIRV, &inputs, open);
                (made, log, inputs)
            }
            Err(error) => (Err(error), String::new(), Vec::new()),
        };
        let module = match made {
            Ok(module) => Some(Arc::new(module)),
            Err(error) => {
                result = result.and(Err(with_log(error, &log)));
                None
            }
        };
        let built = module.is_some();
        builds.push(Build {
            device,
            module,
            log,
            options: options.to_owned(),
            kind: if built {
                ProgramBinaryType::EXECUTABLE
            } else {
                ProgramBinaryType::NONE
            },
            status: if built {
                ProgramBuildStatus::SUCCESS
            } else {
                ProgramBuildStatus::ERROR
            },
            inputs: if open { inputs } else { Vec::new() },
        });
    }
    (builds, result)
}

/// Refuses values of another size than the module's. Drivers read as many bytes as theirs have.
fn check_constants(sizes: &BTreeMap<u32, usize>, constants: &[(u32, &[u8])]) -> UrResult<()> {
    for &(id, value) in constants {
        if let Some(&size) = sizes.get(&id).filter(|&&size| size != value.len()) {
            return Err(UrError::with_message(
                ResultCode::ERROR_INVALID_VALUE,
                format!("the specialization constant {id} has {size} bytes, not {}", value.len()),
            ));
        }
    }
    Ok(())
}

impl kit::Program<LevelZero> for Program {
    fn context(&self) -> &Arc<Context> {
        &self.context
    }

    fn create_with_il(context: &Arc<Context>, il: &[u8], _metadata: &[ProgramMetadata]) -> UrResult<Arc<Self>> {
        if !context.devices.iter().any(|device| device.facts.takes_spirv()) {
            return Err(UrError::with_message(
                ResultCode::ERROR_COMPILER_NOT_AVAILABLE,
                "the Level Zero driver does not take SPIR-V, which SYCL programs are made of",
            ));
        }
        kit::check_spirv(il)?;
        Ok(Arc::new(Self::new(context, Code::Il(il.into()))))
    }

    fn create_with_binaries(
        context: &Arc<Context>,
        devices: &[Arc<Device>],
        binaries: &[&[u8]],
        _metadata: &[ProgramMetadata],
    ) -> UrResult<Arc<Self>> {
        devices.iter().try_for_each(|device| context.check_device(device))?;
        let all = devices.iter().zip(binaries);
        if binaries.iter().all(|binary| kit::check_spirv(binary).is_ok()) {
            // What compiled programs give for binaries.
            let program = Self::new(context, Code::Objects);
            let object = |(device, &binary): (&Arc<Device>, &&[u8])| Build {
                inputs: vec![Input::new(binary)],
                kind: ProgramBinaryType::COMPILED_OBJECT,
                ..Build::succeeded(device.clone(), c"")
            };
            program.set_builds(all.map(object).collect());
            return Ok(Arc::new(program));
        }
        let load = |(device, &binary): (&Arc<Device>, &&[u8])| {
            let input = [Input::new(binary)];
            let (made, log) = module(context, device, ZE_MODULE_FORMAT_NATIVE, &input, false);
            let made = made.map_err(|error| with_log(error.with_code(ResultCode::ERROR_INVALID_BINARY), &log))?;
            Ok((device.clone(), Arc::new(made)))
        };
        let binaries = all.map(load).collect::<UrResult<_>>()?;
        Ok(Arc::new(Self::new(context, Code::Binaries(binaries))))
    }

    fn build(&self, devices: &[Arc<Device>], options: Option<&CStr>, flags: ExpProgramFlags) -> UrResult<()> {
        let open = flags.contains(ExpProgramFlags::ALLOW_UNRESOLVED_SYMBOLS);
        let options = options.unwrap_or(c"");
        let devices = self.chosen(devices)?;
        if let Code::Binaries(binaries) = &self.code {
            // They were loaded when the program was made.
            let build = |device: Arc<Device>| {
                let found = binaries.iter().find(|(of, _)| device.is_in(of)).ok_or_else(|| {
                    UrError::with_message(
                        ResultCode::ERROR_INVALID_DEVICE,
                        "the program has no binary for this device",
                    )
                })?;
                Ok(Build {
                    module: Some(found.1.clone()),
                    ..Build::succeeded(device, options)
                })
            };
            self.set_builds(devices.into_iter().map(build).collect::<UrResult<_>>()?);
            return Ok(());
        }
        // A program that cannot be built again keeps what it has.
        let input = self.input(options)?;
        let (builds, result) = build_all(&self.context, devices, options, open, |_| Ok(vec![input.clone()]));
        self.set_builds(builds);
        result
    }

    // What is compiled may lack symbols anyway.
    fn compile(&self, devices: &[Arc<Device>], options: Option<&CStr>, _flags: ExpProgramFlags) -> UrResult<()> {
        let options = options.unwrap_or(c"");
        let input = self.input(options)?;
        let compiled = |device: Arc<Device>| Build {
            inputs: vec![input.clone()],
            kind: ProgramBinaryType::COMPILED_OBJECT,
            ..Build::succeeded(device, options)
        };
        let builds = self.chosen(devices)?.into_iter().map(compiled).collect();
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
        let open = flags.contains(ExpProgramFlags::ALLOW_UNRESOLVED_SYMBOLS);
        if programs
            .iter()
            .any(|program| program.context.shared.number != context.shared.number)
        {
            return Err(UrError::with_message(
                ResultCode::ERROR_INVALID_CONTEXT,
                "programs are linked in their own context",
            )
            .into());
        }
        let devices = chosen(context, devices, || context.devices.clone())?;
        let compiled = |device: &Arc<Device>| {
            let mut all = Vec::new();
            for program in programs {
                let inputs = program.on(device, |build| build.inputs.clone()).unwrap_or_default();
                if inputs.is_empty() {
                    return Err(UrError::with_message(
                        ResultCode::ERROR_INVALID_OPERATION,
                        "programs must be compiled for a device before they are linked",
                    ));
                }
                all.extend(inputs);
            }
            Ok(all)
        };
        let options = options.unwrap_or(c"");
        let mut words = options.to_bytes().split(u8::is_ascii_whitespace);
        let is_library = words.any(|word| word == b"-create-library");
        for device in &devices {
            let inputs = compiled(device)?;
            if inputs.len() > 1 && !is_library && !device.driver.has(ZE_MODULE_PROGRAM_EXP_NAME) {
                return Err(UrError::with_message(
                    ResultCode::ERROR_UNSUPPORTED_FEATURE,
                    "the Level Zero driver does not link several modules",
                )
                .into());
            }
        }
        let program = Arc::new(Self::new(context, Code::Linked));
        if is_library {
            // It is linked when the rest is there.
            let library = |device: Arc<Device>| {
                Ok(Build {
                    inputs: compiled(&device)?,
                    kind: ProgramBinaryType::LIBRARY,
                    ..Build::succeeded(device, options)
                })
            };
            program.set_builds(devices.into_iter().map(library).collect::<UrResult<_>>()?);
            return Ok(program);
        }
        let (builds, result) = build_all(context, devices, options, open, compiled);
        program.set_builds(builds);
        match result {
            Ok(()) => Ok(program),
            Err(error) => {
                // What the driver builds here is linked for the client.
                let error = match error.code() {
                    ResultCode::ERROR_PROGRAM_BUILD_FAILURE => error.with_code(ResultCode::ERROR_PROGRAM_LINK_FAILURE),
                    _ => error,
                };
                Err(LinkFailure {
                    error,
                    program: Some(program),
                })
            }
        }
    }

    fn dynamic_link(context: &Arc<Context>, programs: &[Arc<Self>]) -> UrResult<()> {
        dynamic::link_programs(context, programs)
    }

    fn function_pointer(&self, device: &Arc<Device>, name: &CStr) -> UrResult<*mut c_void> {
        self.used.store(true, Ordering::Relaxed);
        let module = self.module(device)?;
        let mut address = null_mut();
        // SAFETY: a live module, a name that ends with zero, and a place for the result.
        let found = unsafe { ze!(zeModuleGetFunctionPointer(**module, name.as_ptr(), &mut address)) };
        match found {
            Ok(()) if !address.is_null() => Ok(address),
            _ => {
                let known = self
                    .kernel_names()?
                    .iter()
                    .any(|known| known.as_bytes() == name.to_bytes());
                let code = match known {
                    true => ResultCode::ERROR_FUNCTION_ADDRESS_NOT_AVAILABLE,
                    false => ResultCode::ERROR_INVALID_KERNEL_NAME,
                };
                Err(UrError::with_message(
                    code,
                    format!("the driver gives no address of {name:?}"),
                ))
            }
        }
    }

    fn global_variable(&self, device: &Arc<Device>, name: &CStr) -> UrResult<(*mut c_void, usize)> {
        self.used.store(true, Ordering::Relaxed);
        self.find_global(device, name)
    }

    fn info(&self, query: ProgramInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            ProgramInfo::NUM_DEVICES => out.value(self.devices().len() as u32),
            ProgramInfo::DEVICES => out.handles(&self.devices()),
            ProgramInfo::IL => match &self.code {
                Code::Il(il) => out.slice(il),
                _ => out.slice::<u8>(&[]),
            },
            ProgramInfo::BINARY_SIZES => {
                let size = |device: &Arc<Device>| self.binary_size(device);
                out.slice(&self.devices().iter().map(size).collect::<UrResult<Vec<usize>>>()?)
            }
            ProgramInfo::BINARIES => {
                let devices = self.devices();
                out.bytes(devices.len() * size_of::<*mut u8>(), |places| {
                    for (index, device) in devices.iter().enumerate() {
                        let mut size = self.binary_size(device)?;
                        // SAFETY: the client's buffer has a pointer for each device.
                        let place = unsafe { places.cast::<*mut u8>().add(index).read_unaligned() };
                        if size == 0 || place.is_null() {
                            continue;
                        }
                        if let Some(object) = self.object(device) {
                            // SAFETY: the client's memory is as large as the size that it was given.
                            unsafe { place.copy_from_nonoverlapping(object.as_ptr(), object.len()) };
                            continue;
                        }
                        let module = self.module(device)?;
                        // SAFETY: a live module; the client's memory is as large as the size that it was given.
                        unsafe { ze!(zeModuleGetNativeBinary(**module, &mut size, place)) }?;
                    }
                    Ok(())
                })
            }
            ProgramInfo::NUM_KERNELS => out.value(self.kernel_names()?.len()),
            ProgramInfo::KERNEL_NAMES => out.str(&self.kernel_names()?.join(";")),
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
            (ProgramBuildInfo::BINARY_TYPE, Some(build)) => out.value(build.kind),
            (ProgramBuildInfo::BINARY_TYPE, None) => out.value(match &self.code {
                Code::Binaries(_) => ProgramBinaryType::EXECUTABLE,
                _ => ProgramBinaryType::NONE,
            }),
            _ => out.unsupported(),
        }
    }

    fn set_specialization_constants(&self, constants: &[(u32, &[u8])]) -> UrResult<()> {
        if let Code::Il(il) = &self.code {
            check_constants(&spirv::constant_sizes(il), constants)?;
        }
        let mut state = self.state.lock();
        for &(id, value) in constants {
            state.constants.insert(id, value.to_owned());
        }
        Ok(())
    }

    fn native(self: &Arc<Self>) -> UrResult<NativeHandle> {
        self.used.store(true, Ordering::Relaxed);
        Ok(**self.modules()?[0].1 as NativeHandle)
    }

    fn from_native(context: &Arc<Context>, native: NativeHandle, owned: bool) -> UrResult<Arc<Self>> {
        let program = Self::new(context, Code::Native);
        // SAFETY: the client vouches for its native handle.
        let module = unsafe { Owned::new(native as ze_module_handle_t, owned) };
        program.set_builds(vec![Build {
            module: Some(Arc::new(module)),
            ..Build::succeeded(context.devices[0].clone(), c"")
        }]);
        Ok(Arc::new(program))
    }
}
