// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Memory objects and samplers among a kernel's arguments. OpenCL neither keeps them nor says which they are.

use std::any::Any;
use std::sync::{Arc, Weak};

use kit::Arg;
use oxur_adapter_kit as kit;
use parking_lot::Mutex;

use crate::OpenCl;

type Object = dyn Any + Send + Sync;

/// Objects by the numbers of the arguments that they are.
type List<T> = Mutex<Vec<(u32, T)>>;

/// What a kernel knows of the objects among its arguments.
pub(super) enum Objects {
    /// A client's kernel only knows them, for snapshots: if it kept them, memory would stay that the client has released.
    Known(List<Weak<Object>>),
    /// A snapshot keeps them.
    Kept(List<Arc<Object>>),
}

impl Objects {
    /// Those of a kernel that has no arguments yet.
    pub(super) fn none() -> Self {
        Self::Known(Mutex::default())
    }

    /// An argument was set one by one.
    #[inline(always)]
    pub(super) fn set(&self, arg: &Arg<'_, OpenCl>) {
        match arg {
            // A number or a pointer in place of an object leaves it here: that costs less than looking for it.
            Arg::Value(..) | Arg::Pointer(..) | Arg::Local(..) => {}
            Arg::Mem(index, mem, _) => self.put(*index, mem.as_ref().map(|mem| Arc::clone(mem) as _)),
            Arg::Sampler(index, sampler) => self.put(*index, Some(Arc::clone(sampler) as _)),
        }
    }

    #[inline(never)]
    fn put(&self, index: u32, object: Option<Arc<Object>>) {
        match self {
            Self::Known(list) => put(list, index, object.as_ref().map(Arc::downgrade)),
            Self::Kept(list) => put(list, index, object),
        }
    }

    /// Those that are still there, for a snapshot.
    pub(super) fn keep(&self) -> Self {
        let kept = match self {
            Self::Known(list) => {
                let upgrade = |(index, object): &(u32, Weak<Object>)| Some((*index, object.upgrade()?));
                list.lock().iter().filter_map(upgrade).collect()
            }
            Self::Kept(list) => list.lock().clone(),
        };
        Self::Kept(Mutex::new(kept))
    }
}

/// Puts an object in the place of the one that was the same argument.
fn put<T>(list: &List<T>, index: u32, object: Option<T>) {
    let mut list = list.lock();
    match (list.iter().position(|(known, _)| *known == index), object) {
        (Some(at), Some(object)) => list[at].1 = object,
        (Some(at), None) => _ = list.swap_remove(at),
        (None, object) => list.extend(object.map(|object| (index, object))),
    }
}
