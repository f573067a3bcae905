// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Arguments that are no objects, kept beyond the call that sets them.

use std::ptr;

use smallvec::SmallVec;

use super::Arg;
use crate::Backend;

/// The value of an argument.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum PlainArg {
    Bytes(SmallVec<[u8; 16]>),
    Pointer(usize),
    Local(usize),
}

impl PlainArg {
    /// `None` for objects.
    pub(crate) fn new<B: Backend>(arg: &Arg<'_, B>) -> Option<Self> {
        match *arg {
            Arg::Value(_, bytes) => Some(Self::Bytes(SmallVec::from_slice(bytes))),
            Arg::Pointer(_, pointer) => Some(Self::Pointer(pointer.expose_provenance())),
            Arg::Local(_, size) => Some(Self::Local(size)),
            Arg::Mem(..) | Arg::Sampler(..) => None,
        }
    }

    /// Takes the value of `arg`. Says whether that was possible in place.
    #[inline]
    pub(crate) fn set<B: Backend>(&mut self, arg: &Arg<'_, B>) -> bool {
        match (self, arg) {
            (Self::Bytes(old), Arg::Value(_, new)) if old.len() == new.len() => old.copy_from_slice(new),
            (Self::Pointer(old), Arg::Pointer(_, new)) => *old = new.expose_provenance(),
            (Self::Local(old), Arg::Local(_, new)) => *old = *new,
            _ => return false,
        }
        true
    }

    /// The argument with this index.
    pub(crate) fn arg<B: Backend>(&self, index: u32) -> Arg<'_, B> {
        match self {
            Self::Bytes(bytes) => Arg::Value(index, bytes),
            Self::Pointer(address) => Arg::Pointer(index, ptr::with_exposed_provenance(*address)),
            Self::Local(size) => Arg::Local(index, *size),
        }
    }
}
