// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Links of modules to each other after they were made.

use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use kit::ur::{ProgramBinaryType, ProgramBuildStatus, ResultCode};
use kit::{UrError, UrResult};
use level_zero_sys::*;
use oxur_adapter_kit as kit;

use super::{Build, Program, module, take_log};
use crate::Context;
use crate::ze::ze;

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
    // SAFETY: a log that was just made, if there is one.
    let text = unsafe { take_log(log) };
    linked.map_err(|error| (error, text))
}

const NOT_COMPILED: &str = "a program is compiled or built before it is linked dynamically";

fn refused(what: &str) -> UrError {
    kit::error!(ERROR_INVALID_OPERATION: "{what}")
}

/// Makes a module of what was compiled, which may lack symbols.
fn open(build: &mut Build, context: &Context) -> UrResult<()> {
    if build.executable.is_some() {
        return Ok(());
    }
    if build.inputs.is_empty() {
        return Err(refused(NOT_COMPILED));
    }
    let made = module(context, &build.device, ZE_MODULE_FORMAT_IL_SPIRV, &build.inputs, true);
    let (made, _) = made.map_err(|(error, log)| error.with_log(&log))?;
    build.executable = Some(Arc::new(made));
    Ok(())
}

/// Links programs to each other, on each device. They stay locked, by address, so that nobody makes a kernel of one meanwhile.
pub(super) fn link_programs(context: &Arc<Context>, programs: &[Arc<Program>]) -> UrResult<()> {
    let mut once: Vec<_> = programs.iter().collect();
    once.sort_unstable_by_key(|program| Arc::as_ptr(program));
    once.dedup_by_key(|program| Arc::as_ptr(program));
    let _turns: Vec<_> = once.iter().map(|program| program.turns.take()).collect();
    if once.iter().any(|program| program.used.load(Ordering::Relaxed)) {
        return Err(refused(
            "a program whose kernels or addresses are in use is not linked any more",
        ));
    }
    let mut builds = Vec::new();
    for program in programs {
        let mut own = program.builds.all();
        if own.is_empty() {
            return Err(refused(NOT_COMPILED));
        }
        own.iter_mut().try_for_each(|build| open(build, context))?;
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
            .filter_map(|build| Some(**build.executable.as_deref()?))
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
                        build.executable = None;
                    }
                }
            }
        }
        let failed =
            |(error, log): (UrError, String)| error.with_code(ResultCode::ERROR_PROGRAM_LINK_FAILURE).with_log(&log);
        result = result.and(linked.map_err(failed));
    }
    for (program, builds) in programs.iter().zip(builds) {
        program.set_builds(builds);
    }
    result
}
