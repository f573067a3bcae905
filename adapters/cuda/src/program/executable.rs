// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What a program is built into: a module of the driver, or linked SPIR-V, whose kernels are compiled when they are
//! created.

use std::ffi::{CStr, CString, c_void};
use std::sync::Arc;

use kit::ur::ResultCode;
use kit::{DeviceGlobals, UrError, UrResult};
use oxur_adapter_kit as kit;
use oxur_compiler::nvptx::{Entry, Unit};
use oxur_compiler::{Error, Options, Part, Sm, Target};
use oxur_device_cpu::program::BuildOptions;
use oxur_fork::Mutex;

use super::module::{Function, Module};
use crate::Device;

/// What runs.
#[derive(Clone)]
pub(crate) enum Executable {
    /// PTX or a cubin.
    Module(Arc<Module>),
    /// SPIR-V.
    Spirv(Arc<SpirvProgram>),
}

impl Executable {
    /// A kernel.
    pub(crate) fn function(&self, name: &CStr) -> UrResult<Function> {
        match self {
            Self::Module(module) => module.function(name),
            Self::Spirv(program) => SpirvProgram::function(program, name),
        }
    }

    /// The address and size of a variable.
    pub(super) fn global(&self, name: &CStr) -> UrResult<(*mut c_void, usize)> {
        match self {
            Self::Module(module) => module.global(name),
            Self::Spirv(program) => program.global(name),
        }
    }

    /// The names of all kernels.
    pub(super) fn kernel_names(&self) -> UrResult<Vec<String>> {
        match self {
            Self::Module(module) => module.kernel_names(),
            Self::Spirv(program) => {
                let kernels = program.program.kernels().iter();
                Ok(kernels.map(|kernel| kernel.name.clone()).collect())
            }
        }
    }
}

/// SPIR-V that is linked for a device.
pub(crate) struct SpirvProgram {
    device: Arc<Device>,
    program: Arc<oxur_compiler::Program>,
    /// What was compiled of it, by the names of units and the registers that they have.
    modules: Mutex<Vec<(ModuleKey, Arc<Module>)>>,
    /// Its variables that were asked for.
    globals: DeviceGlobals,
}

/// The name of a unit, and how many registers its threads have at most.
type ModuleKey = (String, Option<u32>);

/// What a kernel was made of.
pub(super) struct Source {
    program: Arc<SpirvProgram>,
    name: CString,
}

impl Source {
    /// See [`oxur_compiler::Program::write_only_params`].
    pub(super) fn write_only_params(&self) -> u64 {
        self.program.program.write_only_params(&self.name.to_string_lossy())
    }

    /// See [`Function::widened`].
    pub(super) fn widened(&self) -> UrResult<Option<Function>> {
        let (unit, entry) = self.program.entry(&self.name)?;
        if unit.is_whole_program() {
            return Ok(None);
        }
        log::debug!(
            "{:?} is compiled again, with registers for the largest work-groups",
            self.name
        );
        self.program.module(&unit, true)?.entry(&entry).map(Some)
    }
}

impl SpirvProgram {
    /// Links modules for a device.
    pub(super) fn link(device: &Arc<Device>, parts: &[Part], options: &BuildOptions) -> Result<Self, Error> {
        let (major, minor) = device.facts.capability;
        let sm = Sm::of_device(major.unsigned_abs(), minor.unsigned_abs()).ok_or_else(|| Error::Unsupported {
            feature: format!("a device of sm_{major}{minor}"),
            what: "the compiler has code for sm_70 and newer".into(),
        })?;
        let program = oxur_compiler::Program::link(
            parts,
            &Options {
                target: Target::Nvptx64(sm),
                fast_math: options.fast_math,
                no_optimization: options.no_optimization,
                allow_unresolved: options.allow_unresolved,
                ..Options::default()
            },
        )?;
        Ok(Self {
            device: device.clone(),
            program,
            modules: Mutex::default(),
            globals: DeviceGlobals::default(),
        })
    }

    /// The module of a unit, which is compiled if it was not yet, or comes from the cache. A `wide` one has as many registers as
    /// each thread of the largest block can have. So has that of a whole program: it is the only one with its variables.
    fn module(&self, unit: &Unit, wide: bool) -> UrResult<Arc<Module>> {
        let f = &self.device.facts;
        let registers = (wide || unit.is_whole_program()).then(|| f.registers / f.max_threads.max(1) as u32);
        let key = (unit.key(), registers);
        let find = |modules: &[(ModuleKey, Arc<Module>)]| {
            let found = modules.iter().find(|(known, _)| *known == key);
            found.map(|(_, module)| module.clone())
        };
        if let Some(module) = find(&self.modules.lock()) {
            return Ok(module);
        }
        let compile = || unit.compile().map_err(|error| build_error(&error));
        let made = Module::compiled(&self.device, key.0.as_bytes(), registers, compile);
        let module = Arc::new(made.map_err(|(error, log)| match log.trim() {
            "" => error,
            log => error.context(log),
        })?);
        let mut modules = self.modules.lock();
        // Another thread may have been faster. Its variables are the program's.
        if let Some(first) = find(&modules) {
            drop(modules);
            drop(module);
            return Ok(first);
        }
        modules.push((key, module.clone()));
        Ok(module)
    }

    /// A unit, and its kernel of this name.
    fn entry(&self, name: &CStr) -> UrResult<(Unit, Entry)> {
        let text = name.to_string_lossy();
        let unit = self.program.nvptx_unit(&text).map_err(|error| build_error(&error))?;
        match unit.entry(&text).cloned() {
            Some(entry) => Ok((unit, entry)),
            None => Err(build_error(&Error::NoKernel(text.into_owned()))),
        }
    }

    fn function(self: &Arc<Self>, name: &CStr) -> UrResult<Function> {
        let (unit, entry) = self.entry(name)?;
        let mut function = self.module(&unit, false)?.entry(&entry)?;
        function.source = Some(Source {
            program: self.clone(),
            name: name.to_owned(),
        });
        Ok(function)
    }

    fn global(&self, name: &CStr) -> UrResult<(*mut c_void, usize)> {
        self.globals.known(name, || self.find_global(name))
    }

    fn find_global(&self, name: &CStr) -> UrResult<(*mut c_void, usize)> {
        let text = name.to_string_lossy();
        let unit = self.program.nvptx_whole().map_err(|error| build_error(&error))?;
        let variable = unit.variable(&text).ok_or_else(
            || kit::error!(ERROR_INVALID_VALUE: "the program has no global variable {name:?} for this device"),
        )?;
        let symbol = std::ffi::CString::new(&*variable.symbol).map_err(|_| ResultCode::ERROR_INVALID_VALUE)?;
        let (address, _) = self.module(&unit, false)?.global(&symbol)?;
        Ok((address, variable.size))
    }
}

/// The UR error for an error of the compiler.
pub(super) fn build_error(error: &Error) -> UrError {
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
