// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Links of modules to each other after they were made.

use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use kit::ur::{ProgramBinaryType, ProgramBuildStatus, ResultCode};
use kit::{UrError, UrResult};
use level_zero_sys::*;
use oxur_adapter_kit as kit;

use super::{Build, Module, Program, log_text, module, with_log};
use crate::Context;
use crate::ze::{self, Owned, ze};

/// Links live modules. The error comes with what the linker says.
pub(super) fn link(modules: &mut [ze_module_handle_t]) -> Result<(), (UrError, String)> {
    let mut log = null_mut();
    // SAFETY: an array of live modules, and a place for the log.
    let linked = unsafe {
        ze!(zeModuleDynamicLink(
            modules.len() as u32,
            modules.as_mut_ptr(),
            &mut log
        ))
    };
    let text = match log.is_null() {
        true => String::new(),
        // SAFETY: a log that was just made.
        false => log_text(&unsafe { Owned::new(log, true) }),
    };
    linked.map_err(|error| (error, text))
}

/// Whether a module imports symbols.
pub(super) fn has_imports(module: &Module) -> UrResult<bool> {
    // SAFETY: a live module and a structure to fill.
    let properties: ze_module_properties_t =
        ze::structure(|properties| unsafe { ze!(zeModuleGetProperties(**module, properties)) })?;
    Ok(properties.flags & ZE_MODULE_PROPERTY_FLAG_IMPORTS != 0)
}

fn refused(what: &str) -> UrError {
    UrError::with_message(ResultCode::ERROR_INVALID_OPERATION, what)
}

impl Build {
    /// Makes a module of what was compiled, which may lack symbols.
    fn open(&mut self, context: &Context) -> UrResult<()> {
        if self.module.is_some() {
            return Ok(());
        }
        if self.inputs.is_empty() {
            return Err(refused(
                "a program is compiled or built before it is linked dynamically",
            ));
        }
        let (made, log) = module(context, &self.device, ZE_MODULE_FORMAT_IL_SPIRV, &self.inputs, true);
        self.module = Some(Arc::new(made.map_err(|error| with_log(error, &log))?));
        Ok(())
    }
}

/// Links programs to each other, on each device. They stay locked, by address, so that nobody makes a kernel of one meanwhile.
pub(super) fn link_programs(context: &Arc<Context>, programs: &[Arc<Program>]) -> UrResult<()> {
    let mut once: Vec<_> = programs.iter().collect();
    once.sort_unstable_by_key(|program| Arc::as_ptr(program));
    once.dedup_by_key(|program| Arc::as_ptr(program));
    let _turns: Vec<_> = once.iter().map(|program| program.turns.take()).collect();
    if once
        .iter()
        .any(|program| program.context.shared.number != context.shared.number)
    {
        return Err(UrError::with_message(
            ResultCode::ERROR_INVALID_PROGRAM,
            "programs are linked in their own context",
        ));
    }
    if once.iter().any(|program| program.used.load(Ordering::Relaxed)) {
        return Err(refused(
            "a program whose kernels or addresses are in use is not linked any more",
        ));
    }
    let mut builds = Vec::new();
    for program in programs {
        let mut own = program.state.lock().builds.clone();
        if own.is_empty() {
            return Err(refused(
                "a program is compiled or built before it is linked dynamically",
            ));
        }
        own.iter_mut().try_for_each(|build| build.open(context))?;
        builds.push(own);
    }
    let mut result = Ok(());
    for device in &context.devices {
        let mut all: Vec<&mut Build> = builds
            .iter_mut()
            .flatten()
            .filter(|build| build.device.raw == device.raw)
            .collect();
        let mut modules: Vec<_> = all
            .iter()
            .filter_map(|build| Some(**build.module.as_deref()?))
            .collect();
        if modules.is_empty() {
            continue;
        }
        let (is_alone, linked) = (modules.len() == 1, link(&mut modules));
        for build in &mut all {
            match &linked {
                Ok(()) => {
                    build.kind = ProgramBinaryType::EXECUTABLE;
                    // What was linked with others is linked again by way of its SPIR-V.
                    if is_alone {
                        build.inputs.clear();
                    }
                }
                Err((_, log)) => {
                    build.log.clone_from(log);
                    build.status = ProgramBuildStatus::ERROR;
                    if build.kind != ProgramBinaryType::EXECUTABLE {
                        build.module = None;
                    }
                }
            }
        }
        result = result.and(
            linked.map_err(|(error, log)| with_log(error.with_code(ResultCode::ERROR_PROGRAM_LINK_FAILURE), &log)),
        );
    }
    for (program, builds) in programs.iter().zip(builds) {
        program.set_builds(builds);
    }
    result
}
