// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Programs: a module of Level Zero for each device.
//!
//! Level Zero only builds. What is compiled is kept as it came, with its options and constants, until it is linked.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_char, c_void};
use std::ops::Deref;
use std::ptr::null_mut;
use std::sync::Arc;

use kit::ur::{ExpProgramFlags, NativeHandle, ProgramBinaryType, ResultCode};
use kit::{DeviceGlobals, UrError, UrResult};
use level_zero_sys::*;
use oxur_adapter_kit as kit;

use crate::ze::{BuildLogKind, ModuleKind, Owned, desc, ze, ze_list, ze_struct};
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

/// A module, or why there is none, with what the compiler said.
type Made = Result<(Module, String), (UrError, String)>;

/// A program.
pub(crate) type Program = kit::DriverProgram<LevelZero, Modules>;

/// What became of a program on a device.
type Build = kit::Build<LevelZero, Modules>;

type ProgramBinary = kit::ProgramBinary<LevelZero, Modules>;

/// What programs are made of, and built into.
pub(crate) enum Modules {}

/// What goes into a module.
#[derive(Clone, Default)]
pub(crate) struct Input {
    code: Arc<[u8]>,
    options: CString,
    constants: BTreeMap<u32, Vec<u8>>,
}

/// The client's options of a build.
#[derive(Clone, Default)]
pub(crate) struct Options {
    text: CString,
    is_library: bool,
    /// Whether symbols may be missing.
    open: bool,
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
    let raw = unsafe { Owned::new(raw, true) };
    let globals = DeviceGlobals::default();
    let made = Module { raw, globals };
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
        _ => link(&mut [**module]),
    }
}

/// Links live modules. The error comes with what the linker says.
fn link(modules: &mut [ze_module_handle_t]) -> Result<(), (UrError, String)> {
    let (count, mut log) = (modules.len() as u32, null_mut());
    // SAFETY: an array of live modules, and a place for the log.
    let linked = unsafe { ze!(zeModuleDynamicLink(count, modules.as_mut_ptr(), &mut log)) };
    // SAFETY: a log that was just made, if there is one.
    let text = unsafe { take_log(log) };
    linked.map_err(|error| (error, text))
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
    // SAFETY: a live log, and room for as many characters as the list is for.
    let said = unsafe { ze_list!(0, zeModuleBuildLogGetString(*log)) }.unwrap_or_default();
    let bytes: Vec<u8> = said
        .iter()
        .map_while(|&byte| (byte != 0).then_some(byte as u8))
        .collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

impl kit::ProgramCode<LevelZero> for Modules {
    type Input = Input;
    type Executable = Arc<Module>;
    type Options = Options;

    const DYNAMIC_LINK: bool = true;

    fn from_il(context: &Context, il: &[u8]) -> UrResult<Input> {
        if !context.devices.iter().any(|device| device.facts.takes_spirv()) {
            kit::bail!(
                ERROR_COMPILER_NOT_AVAILABLE:
                    "the Level Zero driver does not take SPIR-V, which SYCL programs are made of"
            );
        }
        let code = il.into();
        Ok(Input {
            code,
            ..Input::default()
        })
    }

    fn from_binary(context: &Context, device: &Arc<Device>, binary: &[u8]) -> UrResult<ProgramBinary> {
        let code = binary.into();
        let input = Input {
            code,
            ..Input::default()
        };
        if kit::check_spirv(binary).is_ok() {
            // What compiled programs give for binaries.
            let kind = ProgramBinaryType::COMPILED_OBJECT;
            return Ok(ProgramBinary::Compiled(kind, Options::default(), vec![input]));
        }
        match module(context, device, ZE_MODULE_FORMAT_NATIVE, &[input], false) {
            Ok((module, _)) => Ok(ProgramBinary::Executable(Arc::new(module))),
            Err((error, log)) => Err(error.with_code(ResultCode::ERROR_INVALID_BINARY).with_log(&log)),
        }
    }

    fn il(input: &Input) -> &[u8] {
        &input.code
    }

    fn set_constants(input: &mut Input, constants: &[(u32, &[u8])]) -> UrResult<()> {
        kit::check_spirv_constants(&input.code, constants)?;
        let new = constants.iter().map(|&(id, value)| (id, value.to_owned()));
        input.constants.extend(new);
        Ok(())
    }

    fn options(text: &CStr, flags: ExpProgramFlags) -> UrResult<Options> {
        let mut words = text.to_bytes().split(u8::is_ascii_whitespace);
        Ok(Options {
            text: text.to_owned(),
            is_library: words.any(|word| word == b"-create-library"),
            open: flags.contains(ExpProgramFlags::ALLOW_UNRESOLVED_SYMBOLS),
        })
    }

    fn text(options: &Options) -> Cow<'_, str> {
        options.text.to_string_lossy()
    }

    fn is_library(options: &Options) -> bool {
        options.is_library
    }

    fn link_options(options: &Options, device: &Device, compiled: &[Build]) -> UrResult<Options> {
        let inputs: usize = compiled.iter().map(|build| build.inputs.len()).sum();
        if inputs > 1 && !options.is_library && !device.driver.has(ZE_MODULE_PROGRAM_EXP_NAME) {
            kit::bail!(ERROR_UNSUPPORTED_FEATURE: "the Level Zero driver does not link several modules");
        }
        Ok(options.clone())
    }

    fn prepare(input: &mut Input, options: &Options) {
        input.options.clone_from(&options.text);
    }

    fn build(context: &Context, build: &mut Build) -> UrResult<()> {
        let open = build.options.open;
        let made = module(context, &build.device, ZE_MODULE_FORMAT_IL_SPIRV, &build.inputs, open);
        if !open {
            build.inputs.clear();
        }
        build.end(made.map(|(module, log)| (Arc::new(module), log)))
    }

    fn allow_unresolved(options: &mut Options) {
        options.open = true;
    }

    fn resolve(modules: &[Arc<Module>]) -> Result<(), (UrError, String)> {
        link(&mut modules.iter().map(|module| ***module).collect::<Vec<_>>())
    }

    /// That of a compiled program is its SPIR-V, if that is all that there is to it.
    fn binary(build: &Build) -> UrResult<Arc<[u8]>> {
        match (&build.inputs[..], &build.executable) {
            ([input], _) if input.constants.is_empty() => Ok(input.code.clone()),
            (_, Some(module)) => {
                // SAFETY: a live module, and room for as many bytes as the list is for.
                Ok(unsafe { ze_list!(0, zeModuleGetNativeBinary(***module)) }?.into())
            }
            (_, None) => Ok(Arc::default()),
        }
    }

    fn kernel_names(module: &Arc<Module>) -> UrResult<Vec<String>> {
        // SAFETY: a live module, and room for as many pointers as the list is for.
        let names = unsafe { ze_list!(std::ptr::null(), zeModuleGetKernelNames(***module)) }?;
        // SAFETY: the texts are the driver's, and there as long as the module.
        let name = |&name: &*const c_char| unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
        // Drivers may have a kernel of their own in each module.
        let is_own = |name: &String| name != "Intel_Symbol_Table_Void_Program";
        Ok(names.iter().map(name).filter(is_own).collect())
    }

    fn function_pointer(module: &Arc<Module>, name: &CStr) -> UrResult<*mut c_void> {
        let mut address = null_mut();
        // SAFETY: a live module, a name that ends with zero, and a place for the result.
        let found = unsafe { ze!(zeModuleGetFunctionPointer(***module, name.as_ptr(), &mut address)) };
        match found {
            Ok(()) if !address.is_null() => Ok(address),
            _ => Err(kit::no_function(name, &Self::kernel_names(module)?)),
        }
    }

    #[inline]
    fn global(module: &Arc<Module>, name: &CStr) -> UrResult<(*mut c_void, usize)> {
        module.globals.known(name, || {
            let (mut size, mut address) = (0, null_mut());
            // SAFETY: a live module, a name that ends with zero, and places for the results.
            let found = unsafe {
                ze!(zeModuleGetGlobalPointer(
                    ***module,
                    name.as_ptr(),
                    &mut size,
                    &mut address
                ))
            };
            found.map(|()| (address, size)).map_err(|error| {
                let error = error.with_code(ResultCode::ERROR_INVALID_VALUE);
                error.context(&format!("the program has no global variable {name:?} for this device"))
            })
        })
    }

    fn native(module: &Arc<Module>) -> UrResult<NativeHandle> {
        Ok(***module as NativeHandle)
    }

    fn from_native(native: NativeHandle, owned: bool) -> UrResult<Arc<Module>> {
        // SAFETY: the client vouches for its native handle.
        let raw = unsafe { Owned::new(native as ze_module_handle_t, owned) };
        let globals = DeviceGlobals::default();
        Ok(Arc::new(Module { raw, globals }))
    }
}
