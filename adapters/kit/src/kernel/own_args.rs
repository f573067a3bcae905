// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The arguments of a kernel, apart from those that a driver's kernel has at present: several of ours may share one of the
//! driver's, or a driver may not clone its own.

use std::sync::{Arc, Weak};

use derive_where::derive_where;
use oxur_api::MemFlags;
use smallvec::SmallVec;

use super::{Arg, Args};
use crate::handle::Borrowed;
use crate::{Backend, UrResult};

/// Arguments, in the order of their numbers.
#[derive_where(Clone, Default)]
pub struct OwnArgs<B: Backend>(SmallVec<[(u32, Value<B>); 4]>);

#[derive_where(Clone)]
enum Value<B: Backend> {
    /// At most eight bytes, and how many.
    Bytes(u8, [u8; 8]),
    Pointer(usize),
    Local(usize),
    Large(Box<Large<B>>),
}

#[derive_where(Clone)]
enum Large<B: Backend> {
    Bytes(Box<[u8]>),
    /// That there is no memory object is one as well, with flags.
    Mem(Option<Reference<B::Mem>>, MemFlags),
    Sampler(Reference<B::Sampler>),
}

/// A client's kernel only knows the objects among its arguments: if it kept them, memory would stay that the client has
/// released. A snapshot keeps them.
#[derive_where(Clone)]
enum Reference<T> {
    Known(Weak<T>),
    Kept(Arc<T>),
}

impl<T> Reference<T> {
    fn new(object: &Arc<T>, keep: bool) -> Self {
        match keep {
            true => Self::Kept(object.clone()),
            false => Self::Known(Arc::downgrade(object)),
        }
    }

    fn get(&self) -> Option<Arc<T>> {
        match self {
            Self::Known(object) => object.upgrade(),
            Self::Kept(object) => Some(object.clone()),
        }
    }

    /// For a snapshot. One that is gone stays so.
    fn kept(&self) -> Self {
        match self.get() {
            Some(object) => Self::Kept(object),
            None => self.clone(),
        }
    }
}

impl<B: Backend> Value<B> {
    #[inline]
    fn new(arg: &Arg<'_, B>, keep: bool) -> Self {
        match *arg {
            Arg::Value(_, bytes) if bytes.len() <= 8 => {
                let mut all = [0; 8];
                all[..bytes.len()].copy_from_slice(bytes);
                Self::Bytes(bytes.len() as u8, all)
            }
            Arg::Pointer(_, pointer) => Self::Pointer(pointer.expose_provenance()),
            Arg::Local(_, size) => Self::Local(size),
            _ => Self::large(arg, keep),
        }
    }

    #[inline(never)]
    fn large(arg: &Arg<'_, B>, keep: bool) -> Self {
        Self::Large(Box::new(match arg {
            Arg::Mem(_, mem, flags) => Large::Mem(mem.as_ref().map(|mem| Reference::new(mem, keep)), *flags),
            Arg::Sampler(_, sampler) => Large::Sampler(Reference::new(sampler, keep)),
            Arg::Value(_, bytes) => Large::Bytes((*bytes).into()),
            Arg::Pointer(..) | Arg::Local(..) => return Self::new(arg, keep),
        }))
    }

    fn kept(&self) -> Self {
        match self {
            Self::Large(large) => Self::Large(Box::new(match &**large {
                Large::Bytes(bytes) => Large::Bytes(bytes.clone()),
                Large::Mem(mem, flags) => Large::Mem(mem.as_ref().map(Reference::kept), *flags),
                Large::Sampler(sampler) => Large::Sampler(sampler.kept()),
            })),
            plain => plain.clone(),
        }
    }

    /// Hands the argument to a function; not one whose object is gone, which the launch then says.
    fn give(&self, index: u32, to: &mut impl FnMut(Arg<'_, B>) -> UrResult<()>) -> UrResult<()> {
        match self {
            Self::Bytes(length, bytes) => to(Arg::Value(index, &bytes[..usize::from(*length)])),
            Self::Pointer(address) => to(Arg::Pointer(index, std::ptr::with_exposed_provenance(*address))),
            Self::Local(size) => to(Arg::Local(index, *size)),
            Self::Large(large) => match &**large {
                Large::Bytes(bytes) => to(Arg::Value(index, bytes)),
                Large::Mem(None, flags) => to(Arg::Mem(index, None, *flags)),
                Large::Mem(Some(mem), flags) => match mem.get() {
                    Some(mem) => to(Arg::Mem(index, Some(Borrowed::from(&mem)), *flags)),
                    None => Ok(()),
                },
                Large::Sampler(sampler) => match sampler.get() {
                    Some(sampler) => to(Arg::Sampler(index, Borrowed::from(&sampler))),
                    None => Ok(()),
                },
            },
        }
    }
}

impl<B: Backend> OwnArgs<B> {
    /// Those of a snapshot, which brings them.
    #[inline]
    pub fn new(args: Args<'_, B>) -> UrResult<Self> {
        let mut own = Self(SmallVec::with_capacity(args.len()));
        for arg in args.iter() {
            own.set(&arg?, true);
        }
        Ok(own)
    }

    /// Takes an argument. `keep` says whether its object is kept.
    #[inline]
    pub fn set(&mut self, arg: &Arg<'_, B>, keep: bool) {
        let (index, value) = (arg.index(), Value::new(arg, keep));
        // Most come in their order.
        match self.0.last() {
            Some((last, _)) if *last >= index => match self.place(index) {
                Ok(place) => self.0[place].1 = value,
                Err(place) => self.0.insert(place, (index, value)),
            },
            _ => self.0.push((index, value)),
        }
    }

    /// Where the argument of this number is, or would be.
    fn place(&self, index: u32) -> Result<usize, usize> {
        self.0.binary_search_by_key(&index, |(known, _)| *known)
    }

    /// Those of a snapshot, which keeps their objects.
    pub fn kept(&self) -> Self {
        Self(self.0.iter().map(|(index, value)| (*index, value.kept())).collect())
    }

    /// Hands each to a function.
    pub fn give(&self, mut to: impl FnMut(Arg<'_, B>) -> UrResult<()>) -> UrResult<()> {
        self.0.iter().try_for_each(|(index, value)| value.give(*index, &mut to))
    }

    /// The one of this number, or nothing.
    pub fn one(&self, index: u32) -> Self {
        let known = self.place(index).map(|place| self.0[place].clone());
        Self(known.into_iter().collect())
    }
}
