// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What became of a program on each device, where the kit keeps it: see [`DriverProgram`](crate::DriverProgram).

use std::ffi::CStr;
use std::sync::Arc;

use derive_where::derive_where;
use oxur_api::{ProgramBinaryType, ProgramBuildInfo, ProgramBuildStatus, ResultCode};
use oxur_fork::Mutex;

use crate::{Backend, Device, InfoOut, ProgramCode, UrError, UrResult};

/// What became of a program on a device.
#[derive_where(Clone)]
pub struct Build<B: Backend, C: ProgramCode<B>> {
    /// The device.
    pub device: Arc<B::Device>,
    /// What runs; `None` if the program is not linked, or its build failed.
    pub executable: Option<C::Executable>,
    /// What the compiler said.
    pub log: String,
    /// The client's options.
    pub options: C::Options,
    /// What it is.
    pub kind: ProgramBinaryType,
    /// Whether the build succeeded.
    pub status: ProgramBuildStatus,
    /// What it was made of, for links and binaries.
    pub inputs: Vec<C::Input>,
}

impl<B: Backend, C: ProgramCode<B>> Build<B, C> {
    /// One that has succeeded, without anything that runs.
    pub fn new(device: Arc<B::Device>, options: C::Options, kind: ProgramBinaryType, inputs: Vec<C::Input>) -> Self {
        Self {
            device,
            executable: None,
            log: String::new(),
            options,
            kind,
            status: ProgramBuildStatus::SUCCESS,
            inputs,
        }
    }

    /// What became of it, with what the compiler said: what runs, or why there is none. The error that is returned says both.
    pub fn end(&mut self, made: Result<(C::Executable, String), (UrError, String)>) -> UrResult<()> {
        match made {
            Ok((executable, log)) => {
                self.executable = Some(executable);
                self.log = log;
                Ok(())
            }
            Err((error, log)) => {
                self.fail(match log.trim() {
                    "" => error.to_string(),
                    log => log.to_owned(),
                });
                Err(error.with_log(&log))
            }
        }
    }

    /// It was linked to others, or to none.
    pub(crate) fn end_link(&mut self, linked: &Result<(), (UrError, String)>, is_alone: bool) {
        match linked {
            Ok(()) => {
                self.kind = ProgramBinaryType::EXECUTABLE;
                // What was linked with others is linked again by way of its inputs.
                if is_alone {
                    self.inputs.clear();
                }
            }
            Err((_, log)) => {
                self.log.clone_from(log);
                self.status = ProgramBuildStatus::ERROR;
                if self.kind != ProgramBinaryType::EXECUTABLE {
                    self.executable = None;
                }
            }
        }
    }

    /// It has failed.
    fn fail(&mut self, log: String) {
        self.log = log;
        self.kind = ProgramBinaryType::NONE;
        self.status = ProgramBuildStatus::ERROR;
    }
}

/// What runs, by device.
type Executables<B, C> = Vec<(Arc<<B as Backend>::Device>, <C as ProgramCode<B>>::Executable)>;

/// What became of a program on devices.
#[derive_where(Default)]
pub(crate) struct Builds<B: Backend, C: ProgramCode<B>>(Mutex<Vec<Build<B, C>>>);

impl<B: Backend, C: ProgramCode<B>> Builds<B, C> {
    /// Puts builds in the place of others for the same devices, which are returned: commands may use them yet.
    pub(crate) fn set(&self, new: Vec<Build<B, C>>) -> Vec<Build<B, C>> {
        let mut known = self.0.lock();
        let is_kept = |old: &Build<B, C>| !new.iter().any(|build| build.device.is_same(&old.device));
        let (kept, past) = std::mem::take(&mut *known).into_iter().partition(is_kept);
        *known = kept;
        known.extend(new);
        past
    }

    /// All of them.
    pub(crate) fn all(&self) -> Vec<Build<B, C>> {
        self.0.lock().clone()
    }

    /// Takes all of them.
    pub(crate) fn take(&mut self) -> Vec<Build<B, C>> {
        std::mem::take(self.0.get_mut())
    }

    /// The devices.
    pub(crate) fn devices(&self) -> Vec<Arc<B::Device>> {
        self.0.lock().iter().map(|build| build.device.clone()).collect()
    }

    /// What became of it on a device, or on the one that it is a part of.
    pub(crate) fn on<T>(&self, device: &B::Device, get: impl FnOnce(&Build<B, C>) -> T) -> Option<T> {
        let builds = self.0.lock();
        let same = builds.iter().find(|build| build.device.is_same(device));
        let found = same.or_else(|| builds.iter().find(|build| device.is_in(&build.device)));
        found.map(get)
    }

    /// What programs were compiled into for a device, to be linked.
    pub(crate) fn compiled<'a>(
        programs: impl IntoIterator<Item = &'a Self>,
        device: &B::Device,
    ) -> UrResult<Vec<Build<B, C>>> {
        let compiled = |program: &Self| {
            let build = program
                .on(device, Build::clone)
                .filter(|build| !build.inputs.is_empty());
            build.ok_or_else(|| {
                crate::error!(ERROR_INVALID_OPERATION: "programs must be compiled for a device before they are linked")
            })
        };
        programs.into_iter().map(compiled).collect()
    }

    /// What runs on a device.
    pub(crate) fn executable(&self, device: &B::Device) -> UrResult<C::Executable> {
        let executable = self.on(device, |build| build.executable.clone()).flatten();
        executable.ok_or_else(not_built)
    }

    /// What runs on each device, of which there is at least one.
    pub(crate) fn executables(&self) -> UrResult<Executables<B, C>> {
        let builds = self.0.lock();
        let executable = |build: &Build<B, C>| Some((build.device.clone(), build.executable.clone()?));
        let executables: Vec<_> = builds.iter().filter_map(executable).collect();
        match executables.is_empty() {
            true => Err(not_built()),
            false => Ok(executables),
        }
    }

    /// Answers `urProgramGetBuildInfo`. What was not built for the device is `unbuilt`.
    pub(crate) fn info(
        &self,
        device: &B::Device,
        unbuilt: ProgramBinaryType,
        query: ProgramBuildInfo,
        out: InfoOut<'_>,
    ) -> UrResult<()> {
        let build = self.on(device, Build::clone);
        let build = build.as_ref();
        match query {
            ProgramBuildInfo::STATUS => out.value(build.map_or(ProgramBuildStatus::NONE, |build| build.status)),
            ProgramBuildInfo::OPTIONS => match build {
                Some(build) => out.str(&C::text(&build.options)),
                None => out.str(""),
            },
            ProgramBuildInfo::LOG => out.str(build.map_or("", |build| &*build.log)),
            ProgramBuildInfo::BINARY_TYPE => out.value(build.map_or(unbuilt, |build| build.kind)),
            _ => out.unsupported(),
        }
    }
}

#[cold]
fn not_built() -> UrError {
    crate::error!(ERROR_INVALID_PROGRAM_EXECUTABLE: "the program was not built for this device, or its build failed")
}

/// The error for a function that has no address: another one for a kernel, of which the program has these.
pub fn no_function(name: &CStr, kernels: &[impl AsRef<str>]) -> UrError {
    let code = match kernels
        .iter()
        .any(|kernel| kernel.as_ref().as_bytes() == name.to_bytes())
    {
        true => ResultCode::ERROR_FUNCTION_ADDRESS_NOT_AVAILABLE,
        false => ResultCode::ERROR_INVALID_KERNEL_NAME,
    };
    UrError::with_message(code, format!("the driver gives no address of {name:?}"))
}
