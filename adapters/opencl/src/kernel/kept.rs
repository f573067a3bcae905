// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What a kernel was told, for copies of it where the driver has no `clCloneKernel`: one that is older than OpenCL 2.1.

use std::any::Any;
use std::collections::BTreeMap;
use std::ptr::null_mut;
use std::sync::{Arc, Weak};

use kit::{Arg, UrResult};
use opencl_sys::*;
use oxur_adapter_kit as kit;
use oxur_fork::Mutex;

use super::Kernel;
use crate::OpenCl;

/// The arguments of a kernel that were set one by one, and its execution information.
#[derive(Default)]
pub(super) struct Kept(Mutex<State>);

#[derive(Clone, Default)]
struct State {
    arguments: BTreeMap<u32, Argument>,
    exec: BTreeMap<cl_kernel_exec_info, Box<[u8]>>,
}

/// An argument as it was set.
#[derive(Clone)]
enum Argument {
    Value(Box<[u8]>),
    Pointer(usize),
    Local(usize),
    /// A memory object or sampler, if it is not null. It is the client's to keep: see [`Objects`](super::Objects).
    Object(Option<(Weak<dyn Any + Send + Sync>, usize)>),
}

impl Argument {
    fn of(arg: &Arg<'_, OpenCl>) -> (u32, Self) {
        match *arg {
            Arg::Value(index, bytes) => (index, Self::Value(bytes.into())),
            Arg::Pointer(index, pointer) => (index, Self::Pointer(pointer.expose_provenance())),
            Arg::Local(index, size) => (index, Self::Local(size)),
            Arg::Mem(index, None, _) => (index, Self::Object(None)),
            Arg::Mem(index, Some(ref mem), _) => {
                let weak = Arc::downgrade(mem) as Weak<dyn Any + Send + Sync>;
                (index, Self::Object(Some((weak, (*mem.raw).expose_provenance()))))
            }
            Arg::Sampler(index, ref sampler) => {
                let weak = Arc::downgrade(sampler) as Weak<dyn Any + Send + Sync>;
                (index, Self::Object(Some((weak, (*sampler.raw).expose_provenance()))))
            }
        }
    }
}

impl Kept {
    /// An argument was set.
    #[cold]
    pub(super) fn argument(&self, arg: &Arg<'_, OpenCl>) {
        let (index, argument) = Argument::of(arg);
        self.0.lock().arguments.insert(index, argument);
    }

    /// Execution information was set.
    pub(super) fn exec(&self, what: cl_kernel_exec_info, bytes: &[u8]) {
        self.0.lock().exec.insert(what, bytes.into());
    }

    /// Tells `copy` the same; its arguments only if `arguments` says so.
    pub(super) fn tell(&self, copy: &Kernel, arguments: bool) -> UrResult<()> {
        let State { arguments: all, exec } = self.0.lock().clone();
        for (index, argument) in all.into_iter().filter(|_| arguments) {
            match &argument {
                Argument::Value(bytes) => copy.set(&Arg::Value(index, bytes))?,
                Argument::Pointer(address) => {
                    copy.set(&Arg::Pointer(index, std::ptr::with_exposed_provenance(*address)))?;
                }
                Argument::Local(size) => copy.set(&Arg::Local(index, *size))?,
                Argument::Object(None) => copy.set_object(index, null_mut())?,
                Argument::Object(Some((object, raw))) => {
                    // One that is gone leaves the argument unset, which the launch then says.
                    let Some(_alive) = object.upgrade() else { continue };
                    copy.set_object(index, std::ptr::with_exposed_provenance_mut(*raw))?;
                }
            }
            if let Some(kept) = &copy.kept {
                kept.0.lock().arguments.insert(index, argument);
            }
        }
        exec.iter().try_for_each(|(what, bytes)| copy.set_exec(*what, bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_an_argument_is_kept() {
        let kept = Kept::default();
        kept.argument(&Arg::Value(1, &[1, 2, 3]));
        kept.argument(&Arg::Pointer(0, std::ptr::null()));
        kept.argument(&Arg::Local(1, 64));
        kept.argument(&Arg::Mem(2, None, kit::ur::MemFlags::READ_WRITE));
        kept.exec(7, &[1]);
        kept.exec(7, &[0]);
        let State { arguments, exec } = &*kept.0.lock();
        let all: Vec<_> = arguments.iter().collect();
        assert!(matches!(
            all[..],
            [
                (0, Argument::Pointer(0)),
                (1, Argument::Local(64)),
                (2, Argument::Object(None))
            ]
        ));
        assert_eq!(exec[&7][..], [0]);
    }
}
