// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The machine code of a kernel in memory, in several variants: which ranges each can run, and which one a range gets.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use oxur_fork::OnceLock;

use crate::codegen::Loaded;
use crate::intrinsics::MAX_ID;
use crate::workgroup::CodeInfo;
use crate::{Error, KernelInfo, NdRange};

/// A variant of the code of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variant {
    /// The fastest, for ranges that fill all lanes.
    Main,
    /// The same, with predicated code for rows that do not fill all lanes.
    WithTail,
    /// Scalar code, for any range.
    Scalar,
    /// Scalar code that compiles in no time, for any range, until there is better code.
    Quick,
}

/// Code of a kernel.
pub(crate) struct Code {
    pub(crate) shape: CodeInfo,
    pub(crate) address: *const u8,
    pub(crate) from_cache: bool,
    /// The size of its object in bytes.
    pub(crate) size: usize,
    pub(crate) _loaded: Loaded,
}

// SAFETY: the address is of code, which does not change.
unsafe impl Send for Code {}
// SAFETY: as above.
unsafe impl Sync for Code {}

impl Code {
    /// Whether the code can run a range.
    pub(crate) fn suits(&self, range: &NdRange) -> bool {
        let lanes = u64::from(self.shape.lanes);
        if lanes == 1 {
            return true;
        }
        let size = range.local_size;
        let is_row = size[1] == 1 && size[2] == 1;
        let is_small = |n: &u64| *n <= MAX_ID;
        let has_rest = !size[0].is_multiple_of(lanes);
        (!has_rest || self.shape.has_tail && (is_row || !self.shape.subgroup_within_row))
            && range.global_size.iter().all(is_small)
            && (0..3).all(|d| is_small(&range.global_offset[d].saturating_add(range.global_size[d])))
    }
}

/// Code, once it was compiled or could not be.
type Slot = OnceLock<Result<Code, Error>>;

/// The compiled variants of a kernel, none of which is ever replaced: launches may run it. A program keeps this and not the
/// `Kernel`, which holds a reference to the program.
pub(crate) struct Compiled {
    pub(crate) info: Arc<KernelInfo>,
    /// Its index in the linked program.
    pub(crate) index: usize,
    main: Slot,
    with_tail: Slot,
    scalar: Slot,
    quick: Slot,
    /// Which variants were looked up in the cache, by their bits.
    pub(crate) looked_up: [AtomicBool; 4],
    pub(crate) heat: Heat,
}

/// The best code for a range.
pub(crate) enum Best {
    /// It is there.
    Is(Variant),
    /// This variant may be the best, but is not compiled yet.
    MayBe(Variant),
    /// There is none: compilations have failed.
    None,
}

impl Compiled {
    /// Without code.
    pub(crate) fn new(info: Arc<KernelInfo>, index: usize) -> Self {
        Self {
            info,
            index,
            main: OnceLock::new(),
            with_tail: OnceLock::new(),
            scalar: OnceLock::new(),
            quick: OnceLock::new(),
            looked_up: Default::default(),
            heat: Heat::default(),
        }
    }

    pub(crate) fn slot(&self, variant: Variant) -> &Slot {
        match variant {
            Variant::Main => &self.main,
            Variant::WithTail => &self.with_tail,
            Variant::Scalar => &self.scalar,
            Variant::Quick => &self.quick,
        }
    }

    /// A variant, if it is there.
    #[inline]
    pub(crate) fn code(&self, variant: Variant) -> Option<&Code> {
        self.slot(variant).get()?.as_ref().ok()
    }

    /// Whether the main variant is there and can run a range.
    #[inline]
    pub(crate) fn main_suits(&self, range: &NdRange) -> bool {
        self.code(Variant::Main).is_some_and(|code| code.suits(range))
    }

    /// The best code for a range.
    pub(crate) fn best(&self, range: &NdRange) -> Best {
        for variant in [Variant::Main, Variant::WithTail, Variant::Scalar] {
            match self.slot(variant).get() {
                Some(Ok(code)) if code.suits(range) => return Best::Is(variant),
                Some(_) => {}
                None => return Best::MayBe(variant),
            }
        }
        Best::None
    }

    /// The main variant, or else the quick one: a kernel has one of them from the beginning.
    pub(crate) fn first(&self) -> &Code {
        let first = self.code(Variant::Main).or_else(|| self.code(Variant::Quick));
        first.expect("a kernel is compiled when it is created")
    }
}

/// How long quick code has run, and whether that has led to something.
///
/// Nobody knows how often a kernel will run. Code that has run for as long as the best code takes to compile is replaced. So a
/// kernel never costs more than twice what it would if that were known (the ski rental problem), but for code that is running.
#[derive(Default)]
pub(crate) struct Heat {
    /// In cycles.
    spent: AtomicU64,
    /// The best code was asked for.
    asked: AtomicBool,
}

/// About as many cycles has a microsecond on the CPUs of these days.
const CYCLES_PER_MICROSECOND: u64 = 2500;

impl Heat {
    /// What the best code takes to compile, by the size of the quick code: 12 to 47 µs a byte of it (`docs/compiler.md`).
    const PER_BYTE: u64 = 25 * CYCLES_PER_MICROSECOND;
    /// What a run counts at least. So a short kernel that is launched all the time gets its best code within milliseconds.
    const LEAST: u64 = CYCLES_PER_MICROSECOND;

    /// Adds a run of `quick` code that took `cycles`. Returns true if the caller should ask for the best code: once, until
    /// [`Heat::answered`].
    pub(crate) fn add(&self, quick: &Code, cycles: u64) -> bool {
        let more = cycles.max(Self::LEAST);
        let spent = self.spent.fetch_add(more, Ordering::Relaxed).saturating_add(more);
        spent >= Self::PER_BYTE * quick.size as u64
            && !self.asked.load(Ordering::Relaxed)
            && !self.asked.swap(true, Ordering::Relaxed)
    }

    /// Counts from the beginning: for ranges that need other code.
    pub(crate) fn answered(&self) {
        self.spent.store(0, Ordering::Relaxed);
        self.asked.store(false, Ordering::Relaxed);
    }
}
