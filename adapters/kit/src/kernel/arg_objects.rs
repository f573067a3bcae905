// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Memory objects and samplers among a kernel's arguments. Drivers neither keep them nor say which they are.

use std::any::Any;
use std::ptr;
use std::sync::{Arc, Weak};

use oxur_fork::Mutex;

use super::Arg;
use crate::Backend;

type Object = dyn Any + Send + Sync;

/// Objects by the numbers of the arguments that they are.
type List<T> = Mutex<Vec<(u32, T)>>;

/// What a kernel knows of the objects among its arguments.
pub struct ArgObjects(Objects);

enum Objects {
    /// A client's kernel only knows them, for snapshots: if it kept them, memory would stay that the client has released.
    Known(List<Weak<Object>>),
    /// A snapshot keeps them.
    Kept(List<Arc<Object>>),
}

impl ArgObjects {
    /// Those of a kernel that has no arguments yet.
    pub fn none() -> Self {
        Self(Objects::Known(Mutex::default()))
    }

    /// An argument was set one by one.
    #[inline(always)]
    pub fn set<B: Backend>(&self, arg: &Arg<'_, B>) {
        match arg {
            // A number or a pointer in place of an object leaves it here: that costs less than looking for it.
            Arg::Value(..) | Arg::Pointer(..) | Arg::Local(..) => {}
            Arg::Mem(index, mem, _) => self.put(*index, mem.as_ref().map(|mem| &**mem)),
            Arg::Sampler(index, sampler) => self.put(*index, Some(&**sampler)),
        }
    }

    #[inline(never)]
    fn put<T: Any + Send + Sync>(&self, index: u32, object: Option<&Arc<T>>) {
        match &self.0 {
            Objects::Known(list) => {
                let is = |known: &Weak<Object>, new: &Arc<T>| ptr::addr_eq(known.as_ptr(), Arc::as_ptr(new));
                put(list, index, object, is, |object| Arc::downgrade(object) as _);
            }
            Objects::Kept(list) => {
                let is = |known: &Arc<Object>, new: &Arc<T>| ptr::addr_eq(Arc::as_ptr(known), Arc::as_ptr(new));
                put(list, index, object, is, |object| Arc::clone(object) as _);
            }
        }
    }

    /// Those that are still there, for a snapshot.
    pub fn keep(&self) -> Self {
        let kept = match &self.0 {
            Objects::Known(list) => {
                let upgrade = |(index, object): &(u32, Weak<Object>)| Some((*index, object.upgrade()?));
                list.lock().iter().filter_map(upgrade).collect()
            }
            Objects::Kept(list) => list.lock().clone(),
        };
        Self(Objects::Kept(Mutex::new(kept)))
    }
}

/// Puts an object in the place of the one that was the same argument, unless it is that one, as it is in most launches.
fn put<T, O>(list: &List<T>, index: u32, object: Option<&O>, is: impl Fn(&T, &O) -> bool, keep: impl Fn(&O) -> T) {
    let mut list = list.lock();
    match (list.iter().position(|(known, _)| *known == index), object) {
        (Some(at), Some(object)) if is(&list[at].1, object) => {}
        (Some(at), Some(object)) => list[at].1 = keep(object),
        (Some(at), None) => _ = list.swap_remove(at),
        (None, object) => list.extend(object.map(|object| (index, keep(object)))),
    }
}
