// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Programs: a module of Level Zero for each device.
//!
//! Level Zero only builds. What is compiled is kept as it came, with its options and constants, until it is linked.

mod dynamic;

use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_char, c_void};
use std::ops::Deref;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kit::ur::{
    ExpProgramFlags, NativeHandle, ProgramBinaryType, ProgramBuildInfo, ProgramInfo, ProgramMetadata, ResultCode,
};
use kit::{
    Context as _, Device as _, DeviceGlobal, DeviceGlobals, HandleCell, InfoOut, LinkFailure, UrError, UrResult,
    chosen_devices,
};
use level_zero_sys::*;
use oxur_adapter_kit as kit;
use oxur_fork::{Mutex, Turns};

use crate::ze::{self, BuildLogKind, ModuleKind, Owned, desc, ze, ze_list, ze_struct};
use crate::{Context, Device, LevelZero};

/// A module.
pub(crate) struct Module {
    raw: Owned<ModuleKind>,
    /// Its variables that were asked for.
    globals: DeviceGlobals,
}

impl Deref for Module {
    type Target = ze_module_handle_t;

    fn deref(&self) -> &ze_module_handle_t {
        &self.raw
    }
}

impl Module {
    /// # Safety
    /// As [`Owned::new`].
    unsafe fn new(raw: ze_module_handle_t, is_ours: bool) -> Self {
        Self {
            // SAFETY: passed on to the caller.
            raw: unsafe { Owned::new(raw, is_ours) },
            globals: DeviceGlobals::default(),
        }
    }

    /// The address and size of a device global.
    fn global(&self, name: &CStr) -> UrResult<(*mut c_void, usize)> {
        let (mut size, mut address) = (0, null_mut());
        // SAFETY: a live module, a name that ends with zero, and places for the results.
        let found = unsafe { ze!(zeModuleGetGlobalPointer(**self, name.as_ptr(), &mut size, &mut address)) };
        found.map(|()| (address, size)).map_err(|error| {
            let error = error.with_code(ResultCode::ERROR_INVALID_VALUE);
            error.context(&format!("the program has no global variable {name:?} for this device"))
        })
    }
}

/// A module, or why there is none, with what the compiler said.
type Made<T = Module> = Result<(T, String), (UrError, String)>;

/// A program.
pub(crate) struct Program {
    pub(crate) handle_cell: HandleCell,
    code: Code,
    constants: Mutex<BTreeMap<u32, Vec<u8>>>,
    builds: kit::Builds<LevelZero, Modules>,
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

/// What programs are built into.
struct Modules;

impl kit::ProgramCode for Modules {
    type Executable = Arc<Module>;
    type Input = Input;
    type Options = String;

    fn text(options: &String) -> &str {
        options
    }
}

/// What became of a program on a device.
type Build = kit::Build<LevelZero, Modules>;

/// A build with the client's options, without anything that runs.
fn build_as(device: Arc<Device>, options: &CStr, kind: ProgramBinaryType, inputs: Vec<Input>) -> Build {
    Build::new(device, options.to_string_lossy().into_owned(), kind, inputs)
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

/// Makes a module for a device of one input, or of several, and says what the compiler said. An `open` one may lack symbols.
fn module(context: &Context, device: &Device, format: ze_module_format_t, inputs: &[Input], open: bool) -> Made {
    let ids = |input: &Input| input.constants.keys().copied().collect();
    let values = |input: &Input| input.constants.values().map(|value| value.as_ptr().cast()).collect();
    let mut constants: Vec<(Vec<u32>, Vec<*const c_void>)> =
        inputs.iter().map(|input| (ids(input), values(input))).collect();
    let desc = |(ids, values): &mut (Vec<u32>, Vec<*const c_void>)| ze_module_constants_t {
        numConstants: ids.len() as u32,
        pConstantIds: ids.as_ptr(),
        pConstantValues: values.as_mut_ptr(),
    };
    let descs: Vec<ze_module_constants_t> = constants.iter_mut().map(desc).collect();
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
    let mut desc = desc!(ze_module_desc_t: format = format);
    if let [one] = inputs {
        (desc.inputSize, desc.pInputModule) = (one.code.len(), one.code.as_ptr());
        desc.pBuildFlags = one.options.as_ptr();
        if !one.constants.is_empty() {
            desc.pConstants = &descs[0];
        }
    } else {
        // What counts is in the chain.
        (desc.inputSize, desc.pInputModule) = (1, codes.first().copied().unwrap_or(std::ptr::null()));
        desc.pNext = (&raw const several).cast();
    }
    let (mut raw, mut log) = (null_mut(), null_mut());
    // SAFETY: live handles, structures and arrays that live until the call returns, and places for the results.
    let made = unsafe { ze!(zeModuleCreate(**context.raw, device.raw, &desc, &mut raw, &mut log)) };
    // SAFETY: a log that was just made, if there is one.
    let text = unsafe { take_log(log) };
    if let Err(error) = made {
        return Err((error, text));
    }
    // SAFETY: a module that was just made.
    let made = unsafe { Module::new(raw, true) };
    match check_imports(&made) {
        Err((error, missing)) if !open => Err((error, [text, missing].join("\n"))),
        _ => Ok((made, text)),
    }
}

/// Refuses a module that lacks symbols, with a log that names them: Level Zero would link it with others later.
fn check_imports(module: &Module) -> Result<(), (UrError, String)> {
    // SAFETY: a live module and a structure to fill.
    let properties: UrResult<ze_module_properties_t> = unsafe { ze_struct!(zeModuleGetProperties(**module)) };
    match properties.map_err(|error| (error, String::new()))?.flags & ZE_MODULE_PROPERTY_FLAG_IMPORTS {
        0 => Ok(()),
        _ => dynamic::link(&mut [**module]),
    }
}

/// What a compiler or a linker said. Nothing, if there is no log.
///
/// # Safety
/// The log is null or live, and nobody else has it.
unsafe fn take_log(log: ze_module_build_log_handle_t) -> String {
    if log.is_null() {
        return String::new();
    }
    // SAFETY: passed on to the caller.
    let log: Owned<BuildLogKind> = unsafe { Owned::new(log, true) };
    // SAFETY: a live log, and room for as many characters as `string` says, or null.
    let text = ze::string(|size, text| unsafe { ze!(zeModuleBuildLogGetString(*log, size, text)) });
    text.unwrap_or_default()
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
            constants: Mutex::default(),
            builds: kit::Builds::default(),
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
            Code::Linked | Code::Objects => self.builds.devices(),
            Code::Il(_) | Code::Native => self.context.devices.clone(),
        }
    }

    fn set_builds(&self, builds: Vec<Build>) {
        self.context.retire(self.builds.set(builds));
    }

    /// What a module is made of.
    fn input(&self, options: &CStr) -> UrResult<Input> {
        let Code::Il(il) = &self.code else {
            kit::bail!(ERROR_INVALID_OPERATION: "the program has no SPIR-V to build or compile");
        };
        Ok(Input {
            code: il.clone(),
            options: options.to_owned(),
            constants: self.constants.lock().clone(),
        })
    }

    /// Makes something of its modules, which are linked to no others from then on.
    pub(crate) fn with_modules<T>(
        &self,
        make: impl FnOnce(&[(Arc<Device>, Arc<Module>)]) -> UrResult<T>,
    ) -> UrResult<T> {
        let _turn = self.turns.take();
        let made = make(&self.builds.executables()?)?;
        self.used.store(true, Ordering::Relaxed);
        Ok(made)
    }

    /// The address of a part of a device global, whose bounds are checked.
    pub(crate) fn locate(&self, device: &Device, global: &DeviceGlobal<'_, LevelZero>) -> UrResult<*mut c_void> {
        let module = self.builds.executable(device)?;
        let find = || module.global(global.name).map(Some);
        let (address, size) = module.globals.find(0, global.name, find)?.unwrap_or((null_mut(), 0));
        global.check_bounds(size)?;
        Ok(address.wrapping_byte_add(global.offset))
    }

    fn kernel_names(&self) -> UrResult<Vec<String>> {
        let modules = self.builds.executables()?;
        let module = &modules[0].1;
        // SAFETY: a live module, and room for as many pointers as the list is for.
        let names = unsafe { ze_list!(std::ptr::null(), zeModuleGetKernelNames(***module)) }?;
        // SAFETY: the texts are the driver's, and there as long as the module.
        let name = |&name: &*const c_char| unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
        // Drivers may have a kernel of their own in each module.
        Ok(names
            .iter()
            .map(name)
            .filter(|name| name != "Intel_Symbol_Table_Void_Program")
            .collect())
    }

    /// The binary for a device: nothing, if there is none. That of a compiled program is its SPIR-V, if that is all that
    /// there is to it.
    fn binary(&self, device: &Device) -> UrResult<Arc<[u8]>> {
        let build = self.builds.on(device, Build::clone);
        let Some(Build { executable, inputs, .. }) = build else {
            return Ok(Arc::default());
        };
        match (&inputs[..], executable) {
            ([input], _) if input.constants.is_empty() => Ok(input.code.clone()),
            (_, Some(module)) => {
                let mut size = 0;
                // SAFETY: a live module and a place for the size.
                unsafe { ze!(zeModuleGetNativeBinary(**module, &mut size, null_mut())) }?;
                let mut binary = vec![0; size];
                // SAFETY: a live module, and room for as many bytes as it said.
                unsafe { ze!(zeModuleGetNativeBinary(**module, &mut size, binary.as_mut_ptr())) }?;
                Ok(binary.into())
            }
            (_, None) => Ok(Arc::default()),
        }
    }
}

/// Makes modules for devices of what there is for each. The first error is returned beside the builds.
fn build_all(
    context: &Context,
    all: Vec<(Arc<Device>, Vec<Input>)>,
    options: &CStr,
    open: bool,
) -> (Vec<Build>, UrResult<()>) {
    let mut result = Ok(());
    let mut builds = Vec::new();
    for (device, inputs) in all {
        let made = module(context, &device, ZE_MODULE_FORMAT_IL_SPIRV, &inputs, open);
        let inputs = if open { inputs } else { Vec::new() };
        let mut build = build_as(device, options, ProgramBinaryType::EXECUTABLE, inputs);
        result = result.and(build.end(made.map(|(module, log)| (Arc::new(module), log))));
        builds.push(build);
    }
    (builds, result)
}

impl kit::Program<LevelZero> for Program {
    fn context(&self) -> &Arc<Context> {
        &self.context
    }

    fn create_with_il(context: &Arc<Context>, il: &[u8], _metadata: &[ProgramMetadata]) -> UrResult<Arc<Self>> {
        if !context.devices.iter().any(|device| device.facts.takes_spirv()) {
            kit::bail!(
                ERROR_COMPILER_NOT_AVAILABLE:
                    "the Level Zero driver does not take SPIR-V, which SYCL programs are made of"
            );
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
            let object = |(device, &binary): (&Arc<Device>, &&[u8])| {
                let inputs = vec![Input::new(binary)];
                build_as(device.clone(), c"", ProgramBinaryType::COMPILED_OBJECT, inputs)
            };
            program.set_builds(all.map(object).collect());
            return Ok(Arc::new(program));
        }
        let load = |(device, &binary): (&Arc<Device>, &&[u8])| {
            let input = [Input::new(binary)];
            let made = module(context, device, ZE_MODULE_FORMAT_NATIVE, &input, false);
            let invalid =
                |(error, log): (UrError, String)| error.with_code(ResultCode::ERROR_INVALID_BINARY).with_log(&log);
            let (made, _) = made.map_err(invalid)?;
            Ok((device.clone(), Arc::new(made)))
        };
        let binaries = all.map(load).collect::<UrResult<_>>()?;
        Ok(Arc::new(Self::new(context, Code::Binaries(binaries))))
    }

    fn build(&self, devices: &[Arc<Device>], options: Option<&CStr>, flags: ExpProgramFlags) -> UrResult<()> {
        let open = flags.contains(ExpProgramFlags::ALLOW_UNRESOLVED_SYMBOLS);
        let options = options.unwrap_or(c"");
        let devices = chosen_devices::<LevelZero>(&self.context, devices, || self.devices())?;
        if let Code::Binaries(binaries) = &self.code {
            // They were loaded when the program was made.
            let build = |device: Arc<Device>| {
                let found = binaries
                    .iter()
                    .find(|(of, _)| device.is_in(of))
                    .ok_or_else(|| kit::error!(ERROR_INVALID_DEVICE: "the program has no binary for this device"))?;
                let mut build = build_as(device, options, ProgramBinaryType::EXECUTABLE, Vec::new());
                build.executable = Some(found.1.clone());
                Ok(build)
            };
            self.set_builds(devices.into_iter().map(build).collect::<UrResult<_>>()?);
            return Ok(());
        }
        // A program that cannot be built again keeps what it has.
        let input = self.input(options)?;
        let all = devices
            .into_iter()
            .map(|device| (device, vec![input.clone()]))
            .collect();
        let (builds, result) = build_all(&self.context, all, options, open);
        self.set_builds(builds);
        result
    }

    // What is compiled may lack symbols anyway.
    fn compile(&self, devices: &[Arc<Device>], options: Option<&CStr>, _flags: ExpProgramFlags) -> UrResult<()> {
        let options = options.unwrap_or(c"");
        let input = self.input(options)?;
        let compiled = |device| build_as(device, options, ProgramBinaryType::COMPILED_OBJECT, vec![input.clone()]);
        let devices = chosen_devices::<LevelZero>(&self.context, devices, || self.devices())?;
        let builds = devices.into_iter().map(compiled).collect();
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
        let options = options.unwrap_or(c"");
        let mut words = options.to_bytes().split(u8::is_ascii_whitespace);
        let is_library = words.any(|word| word == b"-create-library");
        let mut all = Vec::new();
        for device in chosen_devices::<LevelZero>(context, devices, || context.devices.clone())? {
            let compiled = kit::Builds::compiled(programs.iter().map(|program| &program.builds), &device)?;
            let inputs: Vec<_> = compiled.into_iter().flat_map(|build| build.inputs).collect();
            if inputs.len() > 1 && !is_library && !device.driver.has(ZE_MODULE_PROGRAM_EXP_NAME) {
                kit::bail!(ERROR_UNSUPPORTED_FEATURE: "the Level Zero driver does not link several modules");
            }
            all.push((device, inputs));
        }
        let program = Arc::new(Self::new(context, Code::Linked));
        if is_library {
            // It is linked when the rest is there.
            let library = |(device, inputs)| build_as(device, options, ProgramBinaryType::LIBRARY, inputs);
            program.set_builds(all.into_iter().map(library).collect());
            return Ok(program);
        }
        let (builds, result) = build_all(context, all, options, open);
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
        let module = self.builds.executable(device)?;
        let mut address = null_mut();
        // SAFETY: a live module, a name that ends with zero, and a place for the result.
        let found = unsafe { ze!(zeModuleGetFunctionPointer(**module, name.as_ptr(), &mut address)) };
        match found {
            Ok(()) if !address.is_null() => Ok(address),
            _ => Err(kit::no_function(name, &self.kernel_names()?)),
        }
    }

    fn global_variable(&self, device: &Arc<Device>, name: &CStr) -> UrResult<(*mut c_void, usize)> {
        self.used.store(true, Ordering::Relaxed);
        self.builds.executable(device)?.global(name)
    }

    fn info(&self, query: ProgramInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            ProgramInfo::IL => match &self.code {
                Code::Il(il) => out.slice(il),
                _ => out.slice::<u8>(&[]),
            },
            _ => kit::program_info::<LevelZero>(
                &self.devices(),
                |device| self.binary(device),
                || self.kernel_names(),
                query,
                out,
            ),
        }
    }

    fn build_info(&self, device: &Arc<Device>, query: ProgramBuildInfo, out: InfoOut<'_>) -> UrResult<()> {
        self.context.check_device(device)?;
        let unbuilt = match &self.code {
            Code::Binaries(_) => ProgramBinaryType::EXECUTABLE,
            _ => ProgramBinaryType::NONE,
        };
        self.builds.info(device, unbuilt, query, out)
    }

    fn set_specialization_constants(&self, constants: &[(u32, &[u8])]) -> UrResult<()> {
        if let Code::Il(il) = &self.code {
            kit::check_spirv_constants(il, constants)?;
        }
        let new = constants.iter().map(|&(id, value)| (id, value.to_owned()));
        self.constants.lock().extend(new);
        Ok(())
    }

    fn native(self: &Arc<Self>) -> UrResult<NativeHandle> {
        self.used.store(true, Ordering::Relaxed);
        Ok(**self.builds.executables()?[0].1 as NativeHandle)
    }

    fn from_native(context: &Arc<Context>, native: NativeHandle, owned: bool) -> UrResult<Arc<Self>> {
        let program = Self::new(context, Code::Native);
        // SAFETY: the client vouches for its native handle.
        let module = unsafe { Module::new(native as ze_module_handle_t, owned) };
        let device = context.devices[0].clone();
        let mut build = build_as(device, c"", ProgramBinaryType::EXECUTABLE, Vec::new());
        build.executable = Some(Arc::new(module));
        program.set_builds(vec![build]);
        Ok(Arc::new(program))
    }
}
