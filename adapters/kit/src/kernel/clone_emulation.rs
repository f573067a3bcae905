// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What was set in a kernel, to clone it where the driver cannot.

use derive_where::derive_where;
use oxur_fork::Mutex;

use super::{Arg, ExecInfo, Kernel, OwnArgs};
use crate::{Backend, UrResult};

/// The arguments of a kernel that were set one by one, and its execution information.
#[derive_where(Default)]
pub struct KernelCloneEmulation<B: Backend>(Mutex<State<B>>);

#[derive_where(Default)]
struct State<B: Backend> {
    arguments: OwnArgs<B>,
    usm_indirect_access: Option<bool>,
    usm_pointers: Option<Box<[usize]>>,
}

impl<B: Backend> KernelCloneEmulation<B> {
    /// An argument was set.
    #[cold]
    pub fn argument(&self, arg: &Arg<'_, B>) {
        self.0.lock().arguments.set(arg, false);
    }

    /// Execution information was set.
    pub fn exec_info(&self, info: ExecInfo<'_>) {
        let mut state = self.0.lock();
        match info {
            ExecInfo::UsmIndirectAccess(access) => state.usm_indirect_access = Some(access),
            ExecInfo::UsmPointers(pointers) => {
                state.usm_pointers = Some(pointers.iter().map(|pointer| pointer.expose_provenance()).collect());
            }
            ExecInfo::CacheConfig(_) => {}
        }
    }

    /// Gives `copy` the same state; the arguments only if `arguments` says so.
    pub fn apply_to(&self, copy: &B::Kernel, arguments: bool) -> UrResult<()> {
        // Without the lock: the copy may lock what it has.
        let (all, access, pointers) = {
            let state = self.0.lock();
            let pointers = state.usm_pointers.clone();
            (state.arguments.clone(), state.usm_indirect_access, pointers)
        };
        if arguments {
            all.give(|arg| copy.set_arg(arg))?;
        }
        if let Some(access) = access {
            copy.set_exec_info(ExecInfo::UsmIndirectAccess(access))?;
        }
        if let Some(pointers) = pointers {
            let pointers: Vec<_> = pointers
                .iter()
                .map(|address| std::ptr::with_exposed_provenance_mut(*address))
                .collect();
            copy.set_exec_info(ExecInfo::UsmPointers(&pointers))?;
        }
        Ok(())
    }
}
