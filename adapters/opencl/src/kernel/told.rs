// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What OpenCL was told of a kernel's arguments.
//!
//! OpenCL keeps arguments from launch to launch, and most of them stay what they were: telling it the same again takes a
//! multiple of the time that it takes to see that here. Values of up to 32 bytes, addresses and sizes of local memory are
//! remembered. Objects are not: one may be gone, and another have its handle.
//!
//! **Addresses.** When a driver is told of an address, it may look up which allocation that is. So an address counts as
//! told only until memory comes from a driver or goes back to it, and never in a context where that may happen past us.
//! The same holds for values of eight bytes: who has OpenCL's handle of a buffer may pass it as one.

use std::hint::cold_path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use kit::ur::ResultCode;
use kit::{UrError, UrResult};
use oxur_adapter_kit as kit;

use crate::usm;

/// What an argument is: the lowest three bits, under the length of a value or the time of an address.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct What(u64);

impl What {
    const BITS: u32 = 3;
    const NOTHING: Self = Self(0);
    /// Local memory of so many bytes.
    pub(super) const LOCAL: Self = Self(1);
    const VALUE: u64 = 2;
    const HANDLE: u64 = 3;
    const ADDRESS: u64 = 4;

    /// A value of so many bytes, which are not eight.
    #[inline(always)]
    pub(super) fn value(length: usize) -> Self {
        Self((length as u64) << Self::BITS | Self::VALUE)
    }

    /// Eight bytes, as they are known now.
    #[inline(always)]
    pub(super) fn handle() -> Self {
        Self(usm::times_changed() << Self::BITS | Self::HANDLE)
    }

    /// An address, as it is known now.
    #[inline(always)]
    pub(super) fn address() -> Self {
        Self(usm::times_changed() << Self::BITS | Self::ADDRESS)
    }
}

const WORDS: usize = 4;

/// Of one argument. Atomic because only the rules of the C interface keep two threads from setting an argument at once.
/// Where they do so all the same, this may remember the one and OpenCL the other, until a third is set.
#[derive(Default)]
struct Slot {
    what: AtomicU64,
    words: [AtomicU64; WORDS],
}

impl Slot {
    /// Has OpenCL told, if it was not told the same before. `lasting` says whether that can be said of it later.
    #[inline(always)]
    fn tell<const N: usize>(
        &self,
        what: What,
        words: [u64; N],
        lasting: impl FnOnce() -> bool,
        tell: impl FnOnce() -> UrResult<()>,
    ) -> UrResult<()> {
        let known = || std::iter::zip(&self.words, words);
        if self.what.load(Ordering::Relaxed) == what.0
            && known().all(|(known, word)| known.load(Ordering::Relaxed) == word)
        {
            return Ok(());
        }
        self.forget();
        tell()?;
        known().for_each(|(known, word)| known.store(word, Ordering::Relaxed));
        if lasting() {
            self.what.store(what.0, Ordering::Relaxed);
        }
        Ok(())
    }

    fn forget(&self) {
        self.what.store(What::NOTHING.0, Ordering::Relaxed);
    }
}

/// Of all arguments of a kernel.
pub(super) struct Told {
    arguments: Box<[Slot]>,
    /// Whether others may set arguments, too.
    shared: AtomicBool,
}

impl Told {
    /// Nothing yet, of so many arguments.
    pub(super) fn nothing(arguments: u32) -> Self {
        Self {
            arguments: (0..arguments).map(|_| Slot::default()).collect(),
            shared: AtomicBool::new(false),
        }
    }

    /// From now on others may set arguments.
    pub(super) fn share(&self) {
        self.shared.store(true, Ordering::Relaxed);
    }

    #[inline(always)]
    fn slot(&self, index: u32) -> UrResult<&Slot> {
        match self.arguments.get(index as usize) {
            Some(slot) => Ok(slot),
            // Drivers crash where it is far too large.
            None => Err(self.no_argument(index)),
        }
    }

    #[cold]
    fn no_argument(&self, index: u32) -> UrError {
        UrError::said(
            ResultCode::ERROR_INVALID_KERNEL_ARGUMENT_INDEX,
            format!("there is no argument {index}: the kernel has {}", self.arguments.len()),
        )
    }

    /// Has OpenCL told of an argument that a number says all of, unless it knows. `lasting` says, afterwards, whether it
    /// will still know later.
    #[inline(always)]
    pub(super) fn number(
        &self,
        index: u32,
        what: What,
        number: u64,
        lasting: impl FnOnce() -> bool,
        tell: impl FnOnce() -> UrResult<()>,
    ) -> UrResult<()> {
        let slot = self.slot(index)?;
        if self.shared.load(Ordering::Relaxed) {
            cold_path();
            return tell();
        }
        slot.tell(what, [number], lasting, tell)
    }

    /// As [`Self::number`], of a value that has any other length than numbers have.
    #[inline(never)]
    pub(super) fn bytes(&self, index: u32, bytes: &[u8], tell: impl FnOnce() -> UrResult<()>) -> UrResult<()> {
        let mut words = [0; WORDS];
        if self.shared.load(Ordering::Relaxed) || bytes.len() > size_of_val(&words) {
            return self.other(index, tell);
        }
        for (word, bytes) in words.iter_mut().zip(bytes.chunks(size_of::<u64>())) {
            let mut all = [0; size_of::<u64>()];
            all[..bytes.len()].copy_from_slice(bytes);
            *word = u64::from_ne_bytes(all);
        }
        let what = What::value(bytes.len());
        self.slot(index)?.tell(what, words, || true, tell)
    }

    /// Has OpenCL told of an argument that is not remembered.
    pub(super) fn other(&self, index: u32, tell: impl FnOnce() -> UrResult<()>) -> UrResult<()> {
        self.slot(index)?.forget();
        tell()
    }
}
