// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The arguments that a driver has for a kernel.
//!
//! Drivers keep arguments from launch to launch, and most of them do not change. To set the same value again takes a
//! multiple of the time that the comparison here takes. The cache holds values of up to 32 bytes, addresses and sizes of
//! local memory. It holds no objects: an object may be released, and another one get its handle.
//!
//! **Addresses.** When an address is set, a driver may look up its allocation. So a cached address is valid only until
//! memory comes from a driver or goes back to it, and never in a context where the client may allocate without us. The same
//! holds for values of eight bytes, which may be the driver's handle of a buffer.

use std::hint::cold_path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::{UrError, UrResult, usm_generation};

/// The kind of a cached argument in the lowest three bits; above them the length of a value, or the age of an address.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ArgKey(u64);

impl ArgKey {
    const BITS: u32 = 3;
    /// It is not known.
    pub const NOTHING: Self = Self(0);
    /// Local memory of so many bytes.
    pub const LOCAL: Self = Self(1);
    const VALUE: u64 = 2;
    const HANDLE: u64 = 3;
    const ADDRESS: u64 = 4;

    /// A value of so many bytes, which are not eight.
    #[inline(always)]
    pub fn value(length: usize) -> Self {
        Self((length as u64) << Self::BITS | Self::VALUE)
    }

    /// Eight bytes, as they are known now.
    #[inline(always)]
    pub fn handle() -> Self {
        Self(usm_generation() << Self::BITS | Self::HANDLE)
    }

    /// What it is, and how long, whatever its age.
    #[inline(always)]
    fn kind(self) -> u64 {
        match self.0 & ((1 << Self::BITS) - 1) {
            Self::VALUE => self.0,
            kind => kind,
        }
    }

    /// An address, as it is known now.
    #[inline(always)]
    pub fn address() -> Self {
        Self(usm_generation() << Self::BITS | Self::ADDRESS)
    }
}

const WORDS: usize = 4;

/// One argument. It is atomic because only the rules of the C API keep two threads from setting an argument at once. If they
/// do so all the same, the cache may hold one value and the driver the other, until a third is set.
#[derive(Default)]
struct CachedArg {
    what: AtomicU64,
    words: [AtomicU64; WORDS],
}

impl CachedArg {
    /// Calls `set` if the cached value is another one. `lasting` says whether the new one can be cached.
    #[inline(always)]
    fn set_if_changed<const N: usize>(
        &self,
        what: ArgKey,
        words: [u64; N],
        lasting: impl FnOnce() -> bool,
        set: impl FnOnce() -> UrResult<()>,
    ) -> UrResult<()> {
        let known = || std::iter::zip(&self.words, words);
        if self.what.load(Ordering::Relaxed) == what.0
            && known().all(|(known, word)| known.load(Ordering::Relaxed) == word)
        {
            return Ok(());
        }
        self.forget();
        set()?;
        known().for_each(|(known, word)| known.store(word, Ordering::Relaxed));
        if lasting() {
            self.what.store(what.0, Ordering::Relaxed);
        }
        Ok(())
    }

    fn forget(&self) {
        self.what.store(ArgKey::NOTHING.0, Ordering::Relaxed);
    }
}

/// The arguments of a kernel.
pub struct ArgCache {
    count: u32,
    slots: Box<[CachedArg]>,
    /// Whether arguments go to the driver always.
    off: AtomicBool,
}

impl ArgCache {
    /// An empty cache for this many arguments.
    pub fn empty(count: u32) -> Self {
        Self {
            count,
            slots: (0..count).map(|_| CachedArg::default()).collect(),
            off: AtomicBool::new(false),
        }
    }

    /// For a kernel of this many arguments, of which the same value is hardly ever set twice: no cache.
    pub fn off(count: u32) -> Self {
        Self {
            count,
            slots: Box::default(),
            off: AtomicBool::new(true),
        }
    }

    /// How many arguments the kernel has.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// From now on others may set arguments, too.
    pub fn share(&self) {
        self.off.store(true, Ordering::Relaxed);
    }

    /// Whether others may set arguments, or there is no cache.
    pub fn is_shared(&self) -> bool {
        self.off.load(Ordering::Relaxed)
    }

    #[inline(always)]
    fn slot(&self, index: u32) -> UrResult<Option<&CachedArg>> {
        if self.off.load(Ordering::Relaxed) {
            cold_path();
            return if index < self.count {
                Ok(None)
            } else {
                Err(self.no_argument(index))
            };
        }
        match self.slots.get(index as usize) {
            Some(slot) => Ok(Some(slot)),
            // Drivers crash where it is far too large.
            None => Err(self.no_argument(index)),
        }
    }

    #[cold]
    fn no_argument(&self, index: u32) -> UrError {
        crate::error!(
            ERROR_INVALID_KERNEL_ARGUMENT_INDEX: "there is no argument {index}: the kernel has {}", self.count
        )
    }

    /// Sets an argument of at most eight bytes, if it has changed. `lasting` is asked after `set`, whether the value can be cached.
    #[inline(always)]
    pub fn number(
        &self,
        index: u32,
        what: ArgKey,
        number: u64,
        lasting: impl FnOnce() -> bool,
        set: impl FnOnce() -> UrResult<()>,
    ) -> UrResult<()> {
        match self.slot(index)? {
            Some(slot) => slot.set_if_changed(what, [number], lasting, set),
            None => set(),
        }
    }

    /// Whether an argument that was set as one of this kind has another number now; `None` if it was not, or that is not
    /// known: then the driver is to say whether the argument can be of that kind.
    #[inline(always)]
    pub fn has_changed(&self, index: u32, what: ArgKey, number: u64) -> Option<bool> {
        let slot = self
            .slots
            .get(index as usize)
            .filter(|_| !self.off.load(Ordering::Relaxed))?;
        let known = slot.what.load(Ordering::Relaxed);
        if known == what.0 {
            return Some(slot.words[0].load(Ordering::Relaxed) != number);
        }
        (ArgKey(known).kind() == what.kind()).then_some(true)
    }

    /// An argument of at most eight bytes was set by other means, for which [`Self::has_changed`] had an answer.
    #[inline]
    pub fn note(&self, index: u32, what: ArgKey, number: u64) {
        if let Some(slot) = self.slots.get(index as usize) {
            slot.words[0].store(number, Ordering::Relaxed);
            slot.what.store(what.0, Ordering::Relaxed);
        }
    }

    /// Sets a value of any length, if it has changed. `lasting` is asked of eight bytes, which may be a handle.
    #[inline(always)]
    pub fn value(
        &self,
        index: u32,
        bytes: &[u8],
        lasting: impl FnOnce() -> bool,
        set: impl FnOnce() -> UrResult<()>,
    ) -> UrResult<()> {
        if let Ok(&bytes) = <&[u8; 4]>::try_from(bytes) {
            self.number(index, ArgKey::value(4), u32::from_ne_bytes(bytes).into(), || true, set)
        } else if let Ok(&bytes) = <&[u8; 8]>::try_from(bytes) {
            self.number(index, ArgKey::handle(), u64::from_ne_bytes(bytes), lasting, set)
        } else {
            self.bytes(index, bytes, set)
        }
    }

    /// As [`Self::number`], for a value of any other length.
    #[inline(never)]
    fn bytes(&self, index: u32, bytes: &[u8], set: impl FnOnce() -> UrResult<()>) -> UrResult<()> {
        let mut words = [0; WORDS];
        let slot = match self.slot(index)? {
            Some(slot) if bytes.len() <= size_of_val(&words) => slot,
            _ => return self.other(index, set),
        };
        for (word, bytes) in words.iter_mut().zip(bytes.chunks(size_of::<u64>())) {
            let mut all = [0; size_of::<u64>()];
            all[..bytes.len()].copy_from_slice(bytes);
            *word = u64::from_ne_bytes(all);
        }
        let what = ArgKey::value(bytes.len());
        slot.set_if_changed(what, words, || true, set)
    }

    /// Forgets all addresses, so that each goes to the driver the next time.
    pub fn forget_addresses(&self) {
        let is_address = |slot: &&CachedArg| ArgKey(slot.what.load(Ordering::Relaxed)).kind() == ArgKey::ADDRESS;
        self.slots.iter().filter(is_address).for_each(CachedArg::forget);
    }

    /// Sets an argument that is not cached.
    pub fn other(&self, index: u32, set: impl FnOnce() -> UrResult<()>) -> UrResult<()> {
        if let Some(slot) = self.slot(index)? {
            slot.forget();
        }
        set()
    }
}
