// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What was set in a kernel, to clone it where the driver cannot.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use derive_where::derive_where;
use oxur_api::MemFlags;
use oxur_fork::Mutex;

use super::{Arg, ExecInfo, Kernel, PlainArg};
use crate::handle::Borrowed;
use crate::{Backend, UrResult};

/// The arguments of a kernel that were set one by one, and its execution information.
pub struct KernelCloneEmulation<B: Backend>(Mutex<State<B>>);

struct State<B: Backend> {
    arguments: BTreeMap<u32, Argument<B>>,
    usm_indirect_access: Option<bool>,
    usm_pointers: Option<Box<[usize]>>,
}

/// An argument as it was set. Objects are the client's to keep: see [`ArgObjects`](super::ArgObjects).
#[derive_where(Clone)]
enum Argument<B: Backend> {
    Plain(PlainArg),
    Mem(Option<Weak<B::Mem>>, MemFlags),
    Sampler(Weak<B::Sampler>),
}

impl<B: Backend> Argument<B> {
    fn of(arg: &Arg<'_, B>) -> Option<Self> {
        Some(match arg {
            Arg::Mem(_, mem, flags) => Self::Mem(mem.as_ref().map(|mem| Arc::downgrade(mem)), *flags),
            Arg::Sampler(_, sampler) => Self::Sampler(Arc::downgrade(sampler)),
            plain => Self::Plain(PlainArg::new(plain)?),
        })
    }

    /// Sets it in `copy`. An object that is gone leaves the argument unset, which the launch then says.
    fn set(&self, index: u32, copy: &B::Kernel) -> UrResult<()> {
        match self {
            Self::Plain(plain) => copy.set_arg(plain.arg(index)),
            Self::Mem(None, flags) => copy.set_arg(Arg::Mem(index, None, *flags)),
            Self::Mem(Some(mem), flags) => match mem.upgrade() {
                Some(mem) => copy.set_arg(Arg::Mem(index, Some(Borrowed::from(&mem)), *flags)),
                None => Ok(()),
            },
            Self::Sampler(sampler) => match sampler.upgrade() {
                Some(sampler) => copy.set_arg(Arg::Sampler(index, Borrowed::from(&sampler))),
                None => Ok(()),
            },
        }
    }
}

impl<B: Backend> Default for KernelCloneEmulation<B> {
    fn default() -> Self {
        Self(Mutex::new(State {
            arguments: BTreeMap::new(),
            usm_indirect_access: None,
            usm_pointers: None,
        }))
    }
}

impl<B: Backend> KernelCloneEmulation<B> {
    /// An argument was set.
    #[cold]
    pub fn argument(&self, arg: &Arg<'_, B>) {
        if let Some(argument) = Argument::of(arg) {
            self.0.lock().arguments.insert(arg.index(), argument);
        }
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
        for (index, argument) in all.into_iter().filter(|_| arguments) {
            argument.set(index, copy)?;
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
