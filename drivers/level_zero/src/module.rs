// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Modules: SPIR-V, or what [`zeModuleGetNativeBinary`] returned, linked alone or with others.

use std::collections::BTreeSet;
use std::ffi::{CStr, CString, c_char, c_void};
use std::sync::Arc;

use level_zero_sys::*;
use oxur_compiler::{Global, Part};
use oxur_device_cpu::program::binary::{self, Binary, BinaryKind};
use oxur_device_cpu::program::{BuildOptions, Claim, Code, Constants, SpirvModule};
use oxur_fork::{Mutex, OnceLock};

use crate::entry::{Error, ZeResult, entry, err};
use crate::fat_binary;
use crate::handle::{destroy, export, known, list, object, objects_of, out, required, slice};
use crate::kernel::name;
use crate::{Context, Device};

/// A module.
pub(crate) struct Module {
    pub(crate) device: Arc<Device>,
    modules: Vec<SpirvModule>,
    options: BuildOptions,
    state: Mutex<State>,
    /// The names of its kernels, which clients keep pointers to.
    names: OnceLock<Vec<CString>>,
}

#[derive(Default)]
struct State {
    /// The linked code; `None` while the module imports what no other one exports.
    code: Option<Code>,
    /// Why there is none.
    missing: String,
    /// All modules that it was linked with, and itself.
    linked_with: Vec<Part>,
    log: String,
}

/// A log of a build or a link.
pub(crate) struct BuildLog(String);

/// The error for an error of the compiler.
pub(crate) fn build_error(error: &oxur_compiler::Error) -> Error {
    use oxur_compiler::Error as Compiler;
    let code = match error {
        Compiler::Link(_) => ZE_RESULT_ERROR_MODULE_LINK_FAILURE,
        Compiler::NoKernel(_) => ZE_RESULT_ERROR_INVALID_KERNEL_NAME,
        Compiler::Malformed { .. } | Compiler::Unsupported { .. } | Compiler::Codegen(_) => {
            ZE_RESULT_ERROR_MODULE_BUILD_FAILURE
        }
        Compiler::OutOfMemory(_) => ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY,
    };
    Error::new(code, error)
}

impl Module {
    /// The linked code, for a kernel or an address.
    pub(crate) fn code(&self) -> ZeResult<Claim> {
        let state = self.state.lock();
        match &state.code {
            Some(code) => Ok(code.claim()),
            None => Err(Error::new(
                ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED,
                format!("the module must be linked with others first: {}", state.missing),
            )),
        }
    }

    /// Adds the compiler's message for a kernel to the log.
    pub(crate) fn note(&self, error: &oxur_compiler::Error) {
        let log = &mut self.state.lock().log;
        if !log.is_empty() {
            log.push('\n');
        }
        *log += &error.to_string();
    }

    /// The module in the format of [`zeModuleGetNativeBinary`].
    pub(crate) fn binary(&self) -> Vec<u8> {
        Binary {
            kind: BinaryKind::Executable,
            options: self.options.clone(),
            modules: self.modules.iter().map(SpirvModule::stored).collect(),
        }
        .write()
    }

    /// The names that other modules must define.
    fn imports(&self) -> BTreeSet<String> {
        imports(&self.modules)
    }

    /// The names that other modules may use.
    fn exports(&self) -> BTreeSet<String> {
        self.modules.iter().flat_map(SpirvModule::exports).collect()
    }

    /// The names of its kernels.
    fn kernel_names(&self) -> &[CString] {
        self.names.get_or_init(|| {
            let Ok(code) = self.code() else { return Vec::new() };
            let names = code.kernels().filter_map(|kernel| CString::new(&*kernel.name).ok());
            names.collect()
        })
    }

    /// A variable, by the name that the host has for it or by its linkage name.
    fn global(&self, name: &CStr) -> ZeResult<Global> {
        let unknown = || {
            Error::new(
                ZE_RESULT_ERROR_INVALID_GLOBAL_NAME,
                format!("the module has no variable {name:?}"),
            )
        };
        let code = self.code()?;
        // One that the module imports is that of the module which exports it.
        let found = code.global(name, 0).or_else(|| code.imported_global(name, 0));
        found.ok_or_else(unknown)
    }
}

/// A string that a client may pass.
///
/// # Safety
/// `string` must be null or a string.
pub(crate) unsafe fn text<'a>(string: *const c_char) -> Option<&'a CStr> {
    // SAFETY: passed on to the caller.
    (!string.is_null()).then(|| unsafe { CStr::from_ptr(string) })
}

/// Writes bytes to memory of a client, by the protocol of two calls.
///
/// # Safety
/// `size` must be null or writable, and `to` null or writable for as many bytes as it says.
pub(crate) unsafe fn give_bytes(bytes: &[u8], size: *mut usize, to: *mut u8) -> ZeResult {
    // SAFETY: passed on to the caller.
    let size = unsafe { out(size) }?;
    if !to.is_null() {
        if *size < bytes.len() {
            return Err(Error::new(
                ZE_RESULT_ERROR_INVALID_SIZE,
                format!("{} bytes do not fit {}", bytes.len(), *size),
            ));
        }
        // SAFETY: the client has room for as many bytes.
        unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    }
    *size = bytes.len();
    Ok(())
}

/// The specialization constants of a client that the module has.
///
/// # Safety
/// The values must have the sizes of the constants.
unsafe fn constants(module: &mut SpirvModule, given: *const ze_module_constants_t) -> ZeResult {
    // SAFETY: passed on to the caller.
    let Some(given) = (unsafe { given.as_ref() }) else {
        return Ok(());
    };
    let count = given.numConstants;
    // SAFETY: passed on to the caller.
    let (ids, values) = unsafe {
        (
            slice(given.pConstantIds, count)?,
            slice(given.pConstantValues.cast_const(), count)?,
        )
    };
    let known = module.constant_sizes();
    let mut found: Constants = Vec::new();
    for (id, value) in ids.iter().zip(values) {
        match known.iter().find(|(known, _)| known == id) {
            // SAFETY: passed on to the caller.
            Some((_, size)) => unsafe {
                required(*value)?;
                found.push((*id, std::slice::from_raw_parts(value.cast::<u8>(), *size).to_vec()));
            },
            // A program of several modules has constants that not all of them use.
            None => log::debug!("the module has no specialization constant {id}"),
        }
    }
    let found: Vec<_> = found.iter().map(|(id, value)| (*id, &value[..])).collect();
    module
        .set_constants(&found)
        .map_err(|error| Error::new(ZE_RESULT_ERROR_INVALID_ARGUMENT, error))?;
    module.take_constants();
    Ok(())
}

/// The modules of a description, and the options of their build.
///
/// # Safety
/// The description must be valid.
unsafe fn parse(desc: &ze_module_desc_t) -> ZeResult<(Vec<SpirvModule>, BuildOptions)> {
    // SAFETY: passed on to the caller.
    let chain = unsafe { crate::handle::Chain::new(desc.pNext) };
    // SAFETY: passed on to the caller.
    let flags = unsafe { text(desc.pBuildFlags) };
    let mut inputs = Vec::new();
    let mut flags = flags.map_or_else(String::new, |flags| flags.to_string_lossy().into_owned());
    match chain.find::<ze_module_program_exp_desc_t>() {
        Some(program) => {
            let count = program.count;
            // SAFETY: passed on to the caller.
            unsafe {
                let sizes = slice(program.inputSizes, count)?;
                let modules = slice(program.pInputModules.cast_const(), count)?;
                for (index, (size, module)) in sizes.iter().zip(modules).enumerate() {
                    let of = |all: *mut *const ze_module_constants_t| match all.is_null() {
                        true => std::ptr::null(),
                        false => *all.add(index),
                    };
                    inputs.push((*module, *size, of(program.pConstants)));
                    if !program.pBuildFlags.is_null()
                        && let Some(own) = text(*program.pBuildFlags.add(index))
                        && flags.is_empty()
                    {
                        flags = own.to_string_lossy().into_owned();
                    }
                }
            }
        }
        None => inputs.push((desc.pInputModule, desc.inputSize, desc.pConstants)),
    }
    let options = BuildOptions::new(&flags).unwrap_or_else(|error| {
        // By the specification, a flag that is not supported is ignored with a warning.
        log::warn!("{error}");
        BuildOptions::default()
    });
    let mut options = BuildOptions {
        no_optimization: options.no_optimization
            || flags.contains("-ze-opt-disable")
            || flags.contains("-ze-opt-level=0"),
        ..options
    };
    let mut modules = Vec::new();
    for (input, size, given) in inputs {
        if input.is_null() {
            return err(ZE_RESULT_ERROR_INVALID_NULL_POINTER);
        }
        if size == 0 {
            return err(ZE_RESULT_ERROR_INVALID_SIZE);
        }
        // SAFETY: passed on to the caller.
        let bytes = unsafe { std::slice::from_raw_parts(input, size) };
        if binary::is_binary(bytes) {
            let binary = Binary::read(bytes).map_err(|what| Error::new(ZE_RESULT_ERROR_INVALID_NATIVE_BINARY, what))?;
            options.fast_math |= binary.options.fast_math;
            options.no_optimization |= binary.options.no_optimization;
            for stored in binary.modules {
                modules.push(SpirvModule::parse(stored.il, stored.constants).map_err(|error| build_error(&error))?);
            }
            continue;
        }
        let bytes = match desc.format {
            ZE_MODULE_FORMAT_NATIVE => fat_binary::spirv(bytes).ok_or_else(|| {
                Error::new(
                    ZE_RESULT_ERROR_INVALID_NATIVE_BINARY,
                    "the module is no binary of this driver, nor has it SPIR-V beside the code of other devices",
                )
            })?,
            _ => bytes,
        };
        let mut module = SpirvModule::parse(bytes.into(), Constants::new()).map_err(|error| build_error(&error))?;
        // SAFETY: passed on to the caller.
        unsafe { constants(&mut module, given) }?;
        modules.push(module);
    }
    Ok((modules, options))
}

/// What modules import and none exports.
fn imports(modules: &[SpirvModule]) -> BTreeSet<String> {
    let exports: BTreeSet<_> = modules.iter().flat_map(SpirvModule::exports).collect();
    let imports = modules.iter().flat_map(SpirvModule::imports);
    imports.filter(|name| !exports.contains(name)).collect()
}

/// Links modules. What they import and none exports is no error yet. What several export is.
fn link(modules: &[SpirvModule], options: &BuildOptions) -> Result<State, oxur_compiler::Error> {
    let parts: Vec<_> = modules.iter().map(SpirvModule::part).collect::<Result<_, _>>()?;
    match Code::new(&parts, options, 1) {
        Ok(code) => Ok(State {
            code: Some(code),
            ..State::default()
        }),
        Err(error @ oxur_compiler::Error::Link(_)) if !imports(modules).is_empty() => Ok(State {
            missing: error.to_string(),
            ..State::default()
        }),
        Err(error) => Err(error),
    }
}

/// Gives a client a log.
///
/// # Safety
/// `to` must be null or writable.
unsafe fn give_log(to: *mut ze_module_build_log_handle_t, text: String) {
    // SAFETY: passed on to the caller.
    if let Some(to) = unsafe { to.as_mut() } {
        *to = export(Arc::new(BuildLog(text)));
    }
}

entry! {
    fn zeModuleCreate(
        context: ze_context_handle_t,
        device: ze_device_handle_t,
        desc: *const ze_module_desc_t,
        module: *mut ze_module_handle_t,
        log: *mut ze_module_build_log_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        let (device, desc, module) = unsafe {
            object::<Context>(context)?;
            (object::<Device>(device)?, required(desc)?, out(module)?)
        };
        if desc.format.0 > ZE_MODULE_FORMAT_NATIVE.0 {
            return Err(Error::new(
                ZE_RESULT_ERROR_INVALID_ENUMERATION,
                format!("modules have no format {}", desc.format),
            ));
        }
        // SAFETY: passed on to the caller.
        let built = unsafe { parse(desc) }.and_then(|(modules, options)| {
            let state = link(&modules, &options).map_err(|error| build_error(&error))?;
            Ok((modules, options, state))
        });
        let (modules, options, state) = match built {
            Ok(built) => built,
            Err(error) => {
                // SAFETY: passed on to the caller.
                unsafe { give_log(log, error.to_string()) };
                return Err(error);
            }
        };
        // SAFETY: passed on to the caller.
        unsafe { give_log(log, state.missing.clone()) };
        *module = export(Arc::new(Module {
            device: device.clone(),
            modules,
            options,
            state: Mutex::new(state),
            names: OnceLock::new(),
        }));
        Ok(())
    }

    fn zeModuleDestroy(module: ze_module_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe { destroy::<Module>(module) }?;
        Ok(())
    }

    fn zeModuleDynamicLink(count: u32, modules: *mut ze_module_handle_t, log: *mut ze_module_build_log_handle_t) {
        if modules.is_null() {
            return err(ZE_RESULT_ERROR_INVALID_NULL_POINTER);
        }
        // SAFETY: passed on to the caller.
        let modules = unsafe { objects_of::<Module>(modules, count) }?;
        let linked = link_all(&modules);
        // SAFETY: passed on to the caller.
        unsafe { give_log(log, linked.as_ref().err().map_or_else(String::new, Error::to_string)) };
        linked
    }

    fn zeModuleInspectLinkageExt(
        desc: *mut ze_linkage_inspection_ext_desc_t,
        count: u32,
        modules: *mut ze_module_handle_t,
        log: *mut ze_module_build_log_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        let (flags, modules) = unsafe { (required(desc)?.flags, objects_of::<Module>(modules, count)?) };
        known(flags, 0x7)?;
        let text = inspect(&modules, flags);
        // SAFETY: passed on to the caller.
        unsafe { give_log(log, text) };
        Ok(())
    }

    fn zeModuleGetProperties(module: ze_module_handle_t, properties: *mut ze_module_properties_t) {
        // SAFETY: passed on to the caller.
        let (module, properties) = unsafe { (object::<Module>(module)?, out(properties)?) };
        properties.flags = match module.imports().is_empty() {
            true => 0,
            false => ZE_MODULE_PROPERTY_FLAG_IMPORTS,
        };
        Ok(())
    }

    fn zeModuleGetNativeBinary(module: ze_module_handle_t, size: *mut usize, binary: *mut u8) {
        // SAFETY: passed on to the caller.
        unsafe {
            let (bytes, size) = (object::<Module>(module)?.binary(), out(size)?);
            // As Intel's driver, this does not look at the size: Intel's v1 adapter passes room for all bytes, and a
            // size that nobody wrote.
            *size = bytes.len();
            if !binary.is_null() {
                binary.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            }
        }
        Ok(())
    }

    fn zeModuleGetGlobalPointer(
        module: ze_module_handle_t,
        global: *const c_char,
        size: *mut usize,
        pointer: *mut *mut c_void,
    ) {
        // SAFETY: passed on to the caller.
        unsafe {
            let found = object::<Module>(module)?.global(name(global)?)?;
            if let Some(size) = size.as_mut() {
                *size = found.size;
            }
            if let Some(pointer) = pointer.as_mut() {
                *pointer = found.address.cast();
            }
        }
        Ok(())
    }

    fn zeModuleGetFunctionPointer(module: ze_module_handle_t, function: *const c_char, pointer: *mut *mut c_void) {
        // SAFETY: passed on to the caller.
        let (module, function, pointer) = unsafe { (object::<Module>(module)?, name(function)?, out(pointer)?) };
        let unknown = |why: String| Error::new(ZE_RESULT_ERROR_INVALID_FUNCTION_NAME, why);
        let name = function.to_str().map_err(|_| unknown(format!("{function:?} is no name")))?;
        let address = module.code()?.function(name, 0).map_err(|error| unknown(error.to_string()))?;
        *pointer = address.cast_mut().cast();
        Ok(())
    }

    fn zeModuleGetKernelNames(module: ze_module_handle_t, count: *mut u32, names: *mut *const c_char) {
        // SAFETY: passed on to the caller.
        unsafe {
            let module = object::<Module>(module)?;
            list(count, names, module.kernel_names().iter().map(|name| name.as_ptr()))
        }
    }

    fn zeModuleBuildLogDestroy(log: ze_module_build_log_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe { destroy::<BuildLog>(log) }?;
        Ok(())
    }

    fn zeModuleBuildLogGetString(log: ze_module_build_log_handle_t, size: *mut usize, string: *mut c_char) {
        // SAFETY: passed on to the caller.
        unsafe {
            let log = object::<BuildLog>(log)?;
            let mut bytes = log.0.replace('\0', " ").into_bytes();
            bytes.push(0);
            give_bytes(&bytes, size, string.cast())
        }
    }
}

/// What modules import and export, a line each.
fn inspect(modules: &[Arc<Module>], flags: ze_linkage_inspection_ext_flags_t) -> String {
    let imports: BTreeSet<_> = modules.iter().flat_map(|module| module.imports()).collect();
    let exports: BTreeSet<_> = modules.iter().flat_map(|module| module.exports()).collect();
    let unresolvable: BTreeSet<_> = imports.difference(&exports).cloned().collect();
    let lists = [
        (ZE_LINKAGE_INSPECTION_EXT_FLAG_IMPORTS, "imports", &imports),
        (
            ZE_LINKAGE_INSPECTION_EXT_FLAG_UNRESOLVABLE_IMPORTS,
            "unresolvable imports",
            &unresolvable,
        ),
        (ZE_LINKAGE_INSPECTION_EXT_FLAG_EXPORTS, "exports", &exports),
    ];
    let line = |(flag, title, names): (u32, &str, &BTreeSet<String>)| {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        (flags & flag != 0).then(|| format!("{title}: {}\n", names.join(" ")))
    };
    lists.into_iter().filter_map(line).collect()
}

/// Links modules with each other. Those that are linked already keep their code. Others get what these were linked
/// with, and share its variables.
fn link_all(modules: &[Arc<Module>]) -> ZeResult {
    let mut options = BuildOptions::default();
    let mut parts: Vec<Part> = Vec::new();
    let mut places = Vec::new();
    for module in modules {
        let own = module
            .modules
            .iter()
            .map(SpirvModule::part)
            .collect::<Result<Vec<_>, _>>();
        let own = own.map_err(|error| build_error(&error))?;
        options.no_optimization |= module.options.no_optimization;
        places.push(parts.len()..parts.len() + own.len());
        parts.extend(own);
    }
    for module in modules {
        for part in &module.state.lock().linked_with {
            if !parts.iter().any(|known| Arc::ptr_eq(&known.module, &part.module)) {
                parts.push(part.clone());
            }
        }
    }
    // A module whose kernels or variables are in use keeps its code as well.
    let is_done = |module: &Arc<Module>| {
        let state = module.state.lock();
        !state.linked_with.is_empty() || state.code.as_ref().is_some_and(Code::is_used)
    };
    if modules.iter().all(is_done) {
        return Ok(());
    }
    let done: Vec<Code> = modules
        .iter()
        .filter(|module| is_done(module))
        .filter_map(|module| module.state.lock().code.clone())
        .collect();
    let code = Code::with(&parts, &options, 1, &done).map_err(|error| build_error(&error))?;
    for (module, own) in modules.iter().zip(places) {
        if !is_done(module) {
            *module.state.lock() = State {
                code: Some(code.part(own)),
                linked_with: parts.clone(),
                ..State::default()
            };
        }
    }
    Ok(())
}
