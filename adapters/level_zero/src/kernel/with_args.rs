// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Launches that bring all arguments, in one call of the driver's.

use std::ffi::c_void;
use std::sync::atomic::Ordering;

use kit::{Arg, ArgKey, Args};
use oxur_adapter_kit as kit;
use smallvec::SmallVec;

use super::{Groups, Prepared};
use crate::LevelZero;

/// The most arguments that a launch brings.
const MOST_ARGS: usize = 16;

/// All arguments of a launch, which the driver gets with it: one call, where each would be one. They are filled where they
/// are: to copy them takes as long as to set one.
#[derive(Default)]
pub(crate) struct WithArgs {
    kinds: SmallVec<[ArgKey; MOST_ARGS]>,
    numbers: SmallVec<[u64; MOST_ARGS]>,
    pointers: SmallVec<[*mut c_void; MOST_ARGS]>,
}

impl WithArgs {
    /// Pointers to the values, which are good until the arguments move.
    #[inline]
    pub(crate) fn pointers(&mut self) -> *mut *mut c_void {
        let pointers = self.numbers.iter_mut().map(|number| std::ptr::from_mut(number).cast());
        self.pointers.extend(pointers);
        self.pointers.as_mut_ptr()
    }
}

/// The number that an argument of four or eight bytes is, and how it is cached.
#[inline(always)]
fn number(arg: &Arg<'_, LevelZero>) -> Option<(ArgKey, u64)> {
    match *arg {
        Arg::Value(_, bytes) => match bytes.len() {
            4 => Some((ArgKey::value(4), u32::from_ne_bytes(bytes.try_into().ok()?).into())),
            8 => Some((ArgKey::handle(), u64::from_ne_bytes(bytes.try_into().ok()?))),
            _ => None,
        },
        Arg::Pointer(_, pointer) => Some((ArgKey::address(), pointer.addr() as u64)),
        _ => None,
    }
}

impl Prepared<'_> {
    /// Whether a launch had better bring its arguments: several of the last one with arguments were new.
    #[inline(always)]
    pub(crate) fn wants_args(&self) -> bool {
        self.known.several_new
    }

    /// Takes the arguments of a launch, if the driver had better get them with it: several are new, and all are known to be
    /// of the kinds that they were of before. `all` has to be empty.
    #[inline(never)]
    pub(crate) fn with_args(&mut self, args: Args<'_, LevelZero>, all: &mut WithArgs) -> bool {
        let kernel = self.kernel;
        let count = args.len();
        if !kernel.takes_args || count > MOST_ARGS || count != kernel.properties.raw.numKernelArgs as usize {
            return false;
        }
        let mut new = 0;
        for (index, arg) in args.iter().enumerate() {
            let Some((what, number)) = arg
                .ok()
                .filter(|arg| arg.index() as usize == index)
                .and_then(|arg| number(&arg))
            else {
                return false;
            };
            let Some(changed) = kernel.arg_cache.has_changed(index as u32, what, number) else {
                return false;
            };
            new += u32::from(changed);
            all.kinds.push(what);
            all.numbers.push(number);
        }
        self.known.several_new = new > 1;
        new > 1
    }

    /// The driver has taken them, or some of them.
    #[inline]
    pub(crate) fn note_args(&mut self, args: &WithArgs, groups: &Groups, all: bool) {
        self.kernel.args_of.store(0, Ordering::Relaxed);
        // A work-group has no size of zero: what is not known is set again.
        self.known.group = if all { groups.size } else { [0; 3] };
        for (index, (what, number)) in args.kinds.iter().zip(&args.numbers).enumerate() {
            let what = if all { *what } else { ArgKey::NOTHING };
            self.kernel.arg_cache.note(index as u32, what, *number);
        }
    }
}
