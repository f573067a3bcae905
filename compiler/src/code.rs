// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The machine code of a kernel in memory, in several variants: which ranges each can run, and which one a range gets.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use oxur_fork::OnceLock;

use crate::codegen::Loaded;
use crate::intrinsics::MAX_ID;
use crate::workgroup::{CodeInfo, Columns, Entry, GroupVector, whole_group};
use crate::{Error, KernelInfo, NdRange};

/// A variant of the code of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variant {
    /// The fastest, for ranges that fill all lanes.
    Main,
    /// The same, with predicated code for rows that do not fill all lanes.
    WithTail,
    /// For groups that fill all lanes, but whose rows do not.
    AcrossRows,
    /// The same, with predicated code for groups that do not fill all lanes.
    AcrossRowsWithTail,
    /// Scalar code, for any range.
    Scalar,
    /// Scalar code that compiles in no time, for any range, until there is better code.
    Quick,
    /// A whole group at a time, of this size. Launches have groups of it; the kernel does not demand it.
    WholeGroup([u16; 3]),
    /// For groups of one column, any number of which run as one. Their items do not wait for each other.
    Columns,
    /// Several groups of one column at a time, which have this size each and are one vector.
    WholeColumns([u16; 3]),
}

impl Variant {
    /// How many there are, but for sizes of whole groups.
    const COUNT: usize = Self::WholeGroup([0; 3]).number() as usize;

    /// Its number; that of groups of all sizes is the same.
    pub(crate) const fn number(self) -> u8 {
        match self {
            Self::Main => 0,
            Self::WithTail => 1,
            Self::AcrossRows => 2,
            Self::AcrossRowsWithTail => 3,
            Self::Scalar => 4,
            Self::Quick => 5,
            Self::Columns => 6,
            Self::WholeGroup(_) => 7,
            Self::WholeColumns(_) => 8,
        }
    }
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
        let shape = &self.shape;
        if shape.columns != Columns::No && range.local_size[0] != 1 {
            return false;
        }
        if let Some(size) = shape.whole_group {
            return range.local_size == size.map(u64::from) && has_small_ids(range);
        }
        let items = match shape.spans_rows {
            true => range.group_size(),
            false => range.local_size[0],
        };
        let has_rest = !items.is_multiple_of(lanes);
        let rest_is_last = shape.spans_rows || is_row(range) || !shape.subgroup_within_row;
        (!has_rest || shape.has_tail && rest_is_last) && has_small_ids(range)
    }

    /// Whether groups of a range are columns, of which several should run as one, if this is the main variant.
    fn has_columns(&self, range: &NdRange) -> bool {
        let shape = &self.shape;
        shape.may_be_columns
            && shape.entry == Entry::Group
            && shape.sees_groups
            && shape.whole_group.is_none()
            && range.local_size[0] == 1
            && range.groups()[0] >= shape.lanes.into()
            && has_small_ids(range)
    }

    /// The variant for a range that has no columns, if this is the main one.
    fn variant_for(&self, range: &NdRange) -> Variant {
        if self.suits(range) {
            return Variant::Main;
        }
        let shape = &self.shape;
        let lanes = u64::from(shape.lanes / shape.side_by_side);
        let row = range.local_size[0];
        // What spans rows has to look at its indices, which takes longer than to leave most of the lanes idle.
        let fills_some = || 4 * row >= lanes;
        let rows = is_row(range) || !shape.subgroup_within_row && (!shape.sees_groups || fills_some());
        if !has_small_ids(range) || !rows && shape.entry == Entry::Item {
            Variant::Scalar
        } else if rows {
            Variant::WithTail
        } else if range.group_size().is_multiple_of(lanes) {
            Variant::AcrossRows
        } else {
            Variant::AcrossRowsWithTail
        }
    }

    /// How many groups that are neighbours in dimension 0 the code runs as one, so that their rows fill the lanes and a call has
    /// enough to do.
    pub(crate) fn united(&self, range: &NdRange) -> u64 {
        /// How many items are worth a call: one takes as long as some vectors of a short kernel.
        const FEW: u64 = 4096;
        /// The same where groups have neighbours in other dimensions, too: kernels have tiles for the sake of caches.
        const FEW_OF_TILES: u64 = 128;
        /// How many items of a row are worth to go on to the next one, if groups have a few of each: nobody makes such tiles for the sake
        /// of caches. CPUs fetch what follows in a row.
        const LONG_ROW: u64 = 256;
        let shape = &self.shape;
        let lanes = u64::from(shape.lanes);
        if let Columns::Some(count) = shape.columns {
            return count.into();
        }
        if shape.sees_groups || shape.spans_rows || lanes == 1 {
            return 1;
        }
        // Lanes are a power of two, so their least common multiple with a row has a simple form.
        let row = range.local_size[0];
        let full = (lanes >> row.trailing_zeros().min(lanes.trailing_zeros())).max(1);
        let is_all_one_row = range.global_size[1] == 1 && range.global_size[2] == 1;
        let few = if is_all_one_row { FEW } else { FEW_OF_TILES };
        let by_items = few.div_ceil(range.group_size() * full);
        let by_row = if row < lanes { LONG_ROW.div_ceil(row * full) } else { 1 };
        full * by_items.max(by_row)
    }
}

fn is_row(range: &NdRange) -> bool {
    range.local_size[1] == 1 && range.local_size[2] == 1
}

/// Whether vectorized code can compute the ids of a range.
fn has_small_ids(range: &NdRange) -> bool {
    let is_small = |n: u64| n <= MAX_ID;
    (0..3).all(|d| is_small(range.global_offset[d].saturating_add(range.global_size[d])))
}

/// Code, once it was compiled or could not be.
pub(crate) type Slot = Outcome<Code>;

/// What is made once, and why that failed. That there was no memory is not kept: there may be some the next time.
pub(crate) struct Outcome<T>(OnceLock<Result<T, Error>>);

impl<T> Default for Outcome<T> {
    fn default() -> Self {
        Self(OnceLock::new())
    }
}

impl<T> Outcome<T> {
    /// What was made, or why it was not; `None` before the first attempt.
    #[inline]
    pub(crate) fn get(&self) -> Option<&Result<T, Error>> {
        self.0.get()
    }

    /// Keeps what another way has led to, unless there is an outcome.
    pub(crate) fn set(&self, made: T) {
        _ = self.0.set(Ok(made));
    }

    /// What is there already, or what `make` makes. Other threads wait meanwhile.
    pub(crate) fn get_or_make(&self, make: impl FnOnce() -> Result<T, Error>) -> Result<&T, Error> {
        let outcome = self.0.get_or_try_init(|| match make() {
            Err(error @ Error::OutOfMemory(_)) => Err(error),
            outcome => Ok(outcome),
        })?;
        outcome.as_ref().map_err(Error::clone)
    }
}

/// Where a variant is kept.
#[derive(Default)]
struct Place {
    slot: Slot,
    /// Whether it was looked up in the cache.
    is_looked_up: AtomicBool,
}

/// Code for groups of the sizes that came first.
#[derive(Default)]
struct WholeGroups {
    /// A [packed](GroupVector::packed) size each; 0 where there is none yet.
    sizes: [AtomicU64; Self::MOST],
    places: [Place; Self::MOST],
}

impl WholeGroups {
    /// How many sizes a kernel may have such code for. Most have one or two, unless the program tries which is best.
    const MOST: usize = 32;

    /// The place for a size, if one was left when it came.
    fn find(&self, size: [u16; 3]) -> Option<&Place> {
        let wanted = GroupVector::packed(size.map(u32::from));
        let is_own = |size: &AtomicU64| {
            let known = match size.load(Ordering::Relaxed) {
                // Nothing is published with it: places are there from the beginning.
                0 => size.compare_exchange(0, wanted, Ordering::Relaxed, Ordering::Relaxed),
                known => Err(known),
            };
            known.map_or_else(|known| known == wanted, |_| true)
        };
        self.sizes.iter().position(is_own).map(|at| &self.places[at])
    }
}

/// The compiled variants of a kernel, none of which is ever replaced: launches may run it. A program keeps this and not the
/// `Kernel`, which holds a reference to the program.
pub(crate) struct Compiled {
    pub(crate) info: Arc<KernelInfo>,
    /// Its index in the linked program.
    pub(crate) index: usize,
    variants: [Place; Variant::COUNT],
    /// Made when they are needed: few kernels do.
    whole_groups: OnceLock<Box<WholeGroups>>,
    whole_columns: OnceLock<Box<WholeGroups>>,
    pub(crate) heat: Heat,
    pub(crate) group_heat: GroupHeat,
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
            variants: Default::default(),
            whole_groups: OnceLock::new(),
            whole_columns: OnceLock::new(),
            heat: Heat::default(),
            group_heat: GroupHeat::default(),
        }
    }

    fn place(&self, variant: Variant) -> &Place {
        match variant {
            Variant::WholeGroup(size) => {
                let place = self.whole_groups.get().and_then(|all| all.find(size));
                place.expect("`whole_group_for` has found a place")
            }
            Variant::WholeColumns(size) => {
                let place = self.whole_columns.get().and_then(|all| all.find(size));
                place.expect("`whole_columns_for` has found a place")
            }
            other => &self.variants[usize::from(other.number())],
        }
    }

    pub(crate) fn slot(&self, variant: Variant) -> &Slot {
        &self.place(variant).slot
    }

    /// Whether groups could be one vector if their size were known.
    #[inline]
    pub(crate) fn may_be_whole_group(&self) -> bool {
        let main = self.code(Variant::Main);
        main.is_some_and(|main| main.shape.may_be_whole_group)
    }

    /// The variant that runs the groups of a range as one vector each, if it is worth a try.
    pub(crate) fn whole_group_for(&self, range: &NdRange) -> Option<Variant> {
        let main = self.code(Variant::Main)?;
        let shape = &main.shape;
        // Without barriers, it is if rows do not fill vectors: what spans rows looks at indices.
        let is_worth = shape.waits() || !main.suits(range) && !is_row(range) && !main.has_columns(range);
        let is_possible = shape.may_be_whole_group
            && is_worth
            && whole_group::suits(range.local_size, shape.lanes / shape.side_by_side)
            && has_small_ids(range);
        // It has at most 2048 items.
        let size = is_possible.then(|| range.local_size.map(|n| n as u16))?;
        let all = self.whole_groups.get_or_init(Box::default);
        all.find(size).map(|_| Variant::WholeGroup(size))
    }

    /// The variant that runs several groups of a range as one vector, if it is worth a try.
    pub(crate) fn whole_columns_for(&self, range: &NdRange) -> Option<Variant> {
        let shape = &self.code(Variant::Main)?.shape;
        let is_possible = shape.may_be_whole_group && shape.waits() && shape.may_be_columns && has_small_ids(range);
        let count = whole_group::columns(range.local_size).filter(|_| is_possible)?;
        // It has at most 1024 items.
        let size = (range.groups()[0] >= count.into()).then(|| range.local_size.map(|n| n as u16))?;
        let all = self.whole_columns.get_or_init(Box::default);
        all.find(size).map(|_| Variant::WholeColumns(size))
    }

    /// Notes that a variant is looked up in the cache. Returns true the first time.
    pub(crate) fn looks_up(&self, variant: Variant) -> bool {
        set(&self.place(variant).is_looked_up)
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
        let Some(main) = self.slot(Variant::Main).get() else {
            return Best::MayBe(Variant::Main);
        };
        let first = main.as_ref().map_or(Variant::Scalar, |main| main.variant_for(range));
        let has_columns = main.as_ref().is_ok_and(|main| main.has_columns(range));
        let columns = if has_columns { Variant::Columns } else { first };
        for variant in [columns, first, Variant::Scalar] {
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
/// What is known is how many work-groups a launch has: if these will take longer than that, there is nothing to wait for.
#[derive(Default)]
pub(crate) struct Heat {
    /// In cycles.
    spent: AtomicU64,
    /// The work-groups that these were spent on.
    groups: AtomicU64,
    /// The best code was asked for, because the quick code is hot.
    asked: AtomicBool,
    /// Or because there is none.
    asked_when_idle: AtomicBool,
}

/// About as many cycles has a microsecond on the CPUs of these days.
const CYCLES_PER_MICROSECOND: u64 = 2500;

/// A part of a launch that quick code has run.
pub(crate) struct QuickRun {
    /// How long it took.
    pub(crate) cycles: u64,
    /// How many work-groups it had.
    pub(crate) groups: u64,
    /// How many the launch has.
    pub(crate) of: u64,
}

impl Heat {
    /// What the best code takes to compile, by the size of the quick code: 12 to 47 µs a byte of it (`docs/compiler.md`).
    const PER_BYTE: u64 = 25 * CYCLES_PER_MICROSECOND;
    /// What a run counts at least. So a short kernel that is launched all the time gets its best code within milliseconds.
    const LEAST: u64 = CYCLES_PER_MICROSECOND;

    /// After so many work-groups, what one takes is known. The first has page faults.
    const KNOWN: u64 = 8;

    /// Adds a run of `quick` code. Returns true if the caller should ask for the best code: once, until [`Heat::answered`].
    pub(crate) fn add(&self, quick: &Code, run: QuickRun) -> bool {
        let more = run.cycles.max(Self::LEAST);
        let spent = self.spent.fetch_add(more, Ordering::Relaxed).saturating_add(more);
        let groups = self
            .groups
            .fetch_add(run.groups, Ordering::Relaxed)
            .saturating_add(run.groups);
        let whole = match groups {
            0..Self::KNOWN => 0,
            _ => (spent / groups).saturating_mul(run.of),
        };
        let cost = Self::PER_BYTE * quick.size as u64;
        // Less than twice, and the launch may be over before the best code is there.
        (spent >= cost || whole >= 2 * cost) && set(&self.asked)
    }

    /// Notes that a launch found no best code. Returns true as [`Heat::add`] does.
    pub(crate) fn add_launch(&self) -> bool {
        set(&self.asked_when_idle)
    }

    /// Counts from the beginning: for ranges that need other code.
    pub(crate) fn answered(&self) {
        self.spent.store(0, Ordering::Relaxed);
        self.groups.store(0, Ordering::Relaxed);
        self.asked.store(false, Ordering::Relaxed);
        self.asked_when_idle.store(false, Ordering::Relaxed);
    }
}

/// How long main code has run on groups of which each could be one vector.
#[derive(Default)]
pub(crate) struct GroupHeat {
    /// In cycles.
    spent: AtomicU64,
    asked: AtomicBool,
    /// The size of the last launch's groups.
    last: AtomicU64,
}

impl GroupHeat {
    /// What the code for whole groups takes to compile, by the size of the main code: 4 to 14 µs a byte of it.
    const PER_BYTE: u64 = 8 * CYCLES_PER_MICROSECOND;

    /// Adds a run of the `main` code. Returns true if the caller should ask for the other: once, until [`GroupHeat::answered`].
    pub(crate) fn add(&self, main: &Code, cycles: u64) -> bool {
        let spent = self.spent.fetch_add(cycles, Ordering::Relaxed).saturating_add(cycles);
        spent >= Self::PER_BYTE * main.size as u64 && set(&self.asked)
    }

    /// Notes a launch. Returns whether its groups have the size of those of the launch before.
    pub(crate) fn is_again(&self, range: &NdRange) -> bool {
        let size = GroupVector::packed(range.local_size.map(|n| n as u32));
        self.last.swap(size, Ordering::Relaxed) == size
    }

    /// Counts from the beginning: for groups of other sizes.
    pub(crate) fn answered(&self) {
        self.spent.store(0, Ordering::Relaxed);
        self.asked.store(false, Ordering::Relaxed);
    }
}

/// Sets a flag. Returns true if it was not set.
fn set(flag: &AtomicBool) -> bool {
    !flag.load(Ordering::Relaxed) && !flag.swap(true, Ordering::Relaxed)
}
