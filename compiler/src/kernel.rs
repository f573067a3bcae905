// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kernels that can run: choosing the code for a range, and running its work-groups.

use std::ops::Range;
use std::sync::Arc;

use crate::abi::{Group, LocalIds};
use crate::background::{Urgency, Wanted};
use crate::code::{Best, Code, Compiled, QuickRun, Variant};
use crate::options::Tier;
use crate::program::Program;
use crate::runtime::{
    Fibers, FloatEnv, ItemCode, ItemEntry, LocalMemory, Suspendable, SuspendableCode, SuspendableEntry, stack_size,
};
use crate::target::host;
use crate::workgroup::{Columns, Entry};
use crate::{Error, Fault, KernelInfo, Launch, MAX_WORK_GROUP_SIZE, NdRange, PreparedRange, background, interface};

/// A compiled kernel. It keeps its program alive.
pub struct Kernel {
    compiled: Arc<Compiled>,
    program: Arc<Program>,
}

impl std::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kernel")
            .field("name", &self.compiled.info.name)
            .field("shape", &self.compiled.first().shape)
            .finish_non_exhaustive()
    }
}

impl Program {
    /// A kernel that can run. The first call compiles it; other threads that want the same one wait for it.
    pub fn kernel(self: &Arc<Self>, name: &str) -> Result<Arc<Kernel>, Error> {
        Ok(Arc::new(Kernel {
            compiled: self.compiled(name)?,
            program: self.clone(),
        }))
    }
}

type GroupEntry = unsafe extern "C" fn(*const u8, *const Group);

impl Kernel {
    /// Its parameters and properties.
    pub fn info(&self) -> &KernelInfo {
        &self.compiled.info
    }

    /// See [`Program::write_only_params`].
    pub fn write_only_params(&self) -> u64 {
        self.program.write_only_params(&self.info().name)
    }

    /// Whether its code was in the cache.
    pub fn is_from_cache(&self) -> bool {
        self.compiled.first().from_cache
    }

    /// How many work-items its main code runs at a time, or its quick code, if that is all there is.
    pub fn lanes(&self) -> u32 {
        self.compiled.first().shape.lanes
    }

    /// How many work-items a run of a range now would run at a time.
    pub fn lanes_for(&self, range: &PreparedRange) -> u32 {
        let [whole_group, columns] = self.whole_groups_for(&range.range);
        let code = |variant: Option<Variant>| self.compiled.code(variant?);
        let best = code(columns).or_else(|| code(whole_group));
        best.unwrap_or_else(|| self.code(range.code)).shape.lanes
    }

    /// Bytes of private memory of a work-item.
    pub fn private_memory(&self) -> usize {
        let shape = &self.compiled.first().shape;
        (shape.variables / u64::from(shape.lanes)) as usize
    }

    /// Finds the code for a range, and compiles it if necessary. Callers do this before the run, because compile time
    /// must not count as the kernel's cost, and all threads of the run would wait. Groups have at most
    /// [`MAX_WORK_GROUP_SIZE`] items.
    #[inline]
    pub fn prepare(&self, range: NdRange) -> Result<PreparedRange, Error> {
        // Local memory has room for the values of this many sub-groups only.
        if range.group_size() > MAX_WORK_GROUP_SIZE as u64 {
            return Err(Error::Unsupported {
                feature: format!("a work-group of {} items", range.group_size()),
                what: format!("there are at most {MAX_WORK_GROUP_SIZE}"),
            });
        }
        let code = match self.compiled.main_suits(&range) {
            true => Variant::Main,
            false => self.prepare_other(&range)?,
        };
        if self.compiled.may_be_whole_group() {
            self.prepare_whole_group(&range);
        }
        Ok(PreparedRange { range, code })
    }

    /// Gets code for whole groups of the size that a range has, if it is in the cache. With the best tier, compiles it for the second
    /// launch of this size, with all code for the first.
    #[inline(never)]
    fn prepare_whole_group(&self, range: &NdRange) {
        let variants = self.whole_groups_for(range);
        let is_missing = |variant: &Variant| self.compiled.slot(*variant).get().is_none();
        let mut missing = variants.into_iter().flatten().filter(is_missing).peekable();
        if missing.peek().is_none() {
            return;
        }
        let compiles = match self.program.tier() {
            Tier::Best => self.compiled.group_heat.is_again(range),
            Tier::All => true,
            Tier::Adaptive => false,
            Tier::Quick => return,
        };
        for variant in missing {
            if compiles {
                self.program.compile_whole_group(&self.compiled, variant);
            } else if self.program.tier() == Tier::Adaptive {
                self.program.look_up(&self.compiled, variant);
            }
        }
    }

    /// The variants that run one or several whole groups of a range as one vector, if they are worth a try.
    fn whole_groups_for(&self, range: &NdRange) -> [Option<Variant>; 2] {
        match self.compiled.may_be_whole_group() {
            true => [
                self.compiled.whole_group_for(range),
                self.compiled.whole_columns_for(range),
            ],
            false => [None; 2],
        }
    }

    #[inline(never)]
    fn prepare_other(&self, range: &NdRange) -> Result<Variant, Error> {
        let tier = self.program.tier();
        let is_best = matches!(tier, Tier::Best | Tier::All);
        loop {
            match self.compiled.best(range) {
                Best::Is(variant) => return Ok(variant),
                Best::MayBe(variant) if is_best => {
                    // Any other error is that of the range only if no other variant suits it.
                    if let Err(error @ Error::OutOfMemory(_)) = self.program.compile_variant(&self.compiled, variant) {
                        return Err(error);
                    }
                }
                Best::None if is_best => {
                    let last = self.compiled.slot(Variant::Scalar).get();
                    let failed = last.and_then(|code| code.as_ref().err()).cloned();
                    return Err(failed.unwrap_or_else(|| Error::Codegen("no code suits the range".into())));
                }
                Best::MayBe(variant) if tier == Tier::Adaptive && self.program.look_up(&self.compiled, variant) => {}
                best => {
                    self.program.compile_variant(&self.compiled, Variant::Quick)?;
                    // It may be launched again, here or in another process.
                    if tier == Tier::Adaptive && matches!(best, Best::MayBe(_)) && self.compiled.heat.add_launch() {
                        background::compile(&self.program, &self.compiled, Wanted::BestFor(*range), Urgency::Idle);
                    }
                    return Ok(Variant::Quick);
                }
            }
        }
    }

    /// Whether a run of a range now would be one of quick code.
    #[inline]
    pub fn is_quick(&self, range: &PreparedRange) -> bool {
        range.code == Variant::Quick && !matches!(self.compiled.best(&range.range), Best::Is(_))
    }

    /// # Panics
    /// If the range was prepared for another kernel, which may have other code.
    fn code(&self, variant: Variant) -> &Code {
        let code = self.compiled.code(variant);
        code.expect("the range was prepared for this kernel")
    }

    /// Runs work-groups of `launch.range` by their linear numbers, dimension 0 fastest. Several threads may call it at
    /// a time with different numbers, each with its own `worker`. A kernel with [`KernelInfo::has_device_barrier`]
    /// needs all numbers in one call.
    ///
    /// # Safety
    /// The arguments must fit the kernel: pointers must be valid for its accesses, images alive. The range must have
    /// been prepared for this kernel.
    #[inline]
    pub unsafe fn run(&self, launch: &Launch<'_>, groups: Range<u64>, worker: &mut ThreadContext) -> Result<(), Fault> {
        let variant = launch.range.code;
        // SAFETY: passed on to the caller.
        unsafe {
            if variant == Variant::Quick {
                self.run_quick(launch, groups, worker)
            } else {
                self.run_best(variant, launch, groups, worker)
            }
        }
    }

    /// Runs a variant that is not quick code, or code for whole groups of this size, if there is some.
    ///
    /// # Safety
    /// As for [`Kernel::run`].
    #[inline]
    unsafe fn run_best(
        &self,
        variant: Variant,
        launch: &Launch<'_>,
        groups: Range<u64>,
        worker: &mut ThreadContext,
    ) -> Result<(), Fault> {
        let code = self.code(variant);
        let variants = self.whole_groups_for(&launch.range.range);
        let [whole_group, columns] = variants.map(|variant| self.compiled.code(variant?));
        let code = whole_group.unwrap_or(code);
        let is_missing = |variant: &Variant| self.compiled.slot(*variant).get().is_none();
        let is_wanted = self.program.tier() == Tier::Adaptive && variants.iter().flatten().any(is_missing);
        if !is_wanted {
            // SAFETY: passed on to the caller.
            return unsafe { self.run_columns(columns, code, launch, groups, worker) };
        }
        let started = host::cycles();
        // SAFETY: passed on to the caller.
        unsafe { self.run_columns(columns, code, launch, groups, worker) }?;
        let took = host::cycles().saturating_sub(started);
        if self.compiled.group_heat.add(code, took) {
            background::compile(&self.program, &self.compiled, Wanted::Variants(variants), Urgency::Hot);
        }
        background::resume();
        Ok(())
    }

    /// Runs as many groups as possible by code for several `columns` at a time, if there is some, and others by the other code.
    ///
    /// # Safety
    /// As for [`Kernel::run_code`].
    #[inline]
    unsafe fn run_columns(
        &self,
        columns: Option<&Code>,
        code: &Code,
        launch: &Launch<'_>,
        groups: Range<u64>,
        worker: &mut ThreadContext,
    ) -> Result<(), Fault> {
        let Some(columns) = columns else {
            // SAFETY: passed on to the caller.
            return unsafe { self.run_code(code, launch, groups, worker) };
        };
        let range = &launch.range.range;
        let (row, count) = (range.groups()[0], columns.united(range));
        let mut rest = groups;
        while !rest.is_empty() {
            let at = rest.start % row;
            let in_row = (row - at).min(rest.end - rest.start);
            // Those that begin where a vector does, as rows of memory mostly do.
            let (code, some) = match (at % count, in_row / count) {
                (0, 1..) => (columns, in_row - in_row % count),
                (0, 0) => (code, in_row),
                (beyond, _) => (code, in_row.min(count - beyond)),
            };
            let end = rest.start + some;
            // SAFETY: passed on to the caller.
            unsafe { self.run_code(code, launch, rest.start..end, worker) }?;
            rest.start = end;
        }
        Ok(())
    }

    /// Runs quick code, or better code as soon as there is some.
    ///
    /// # Safety
    /// As for [`Kernel::run`].
    #[inline(never)]
    unsafe fn run_quick(
        &self,
        launch: &Launch<'_>,
        groups: Range<u64>,
        worker: &mut ThreadContext,
    ) -> Result<(), Fault> {
        /// After so many cycles it looks for better code. A work-group is never interrupted.
        const LOOK: u64 = 500_000;
        let range = launch.range.range;
        let mut rest = groups;
        let mut some = if self.compiled.info.has_device_barrier {
            u64::MAX
        } else {
            1
        };
        while !rest.is_empty() {
            if let Best::Is(variant) = self.compiled.best(&range) {
                // SAFETY: passed on to the caller.
                return unsafe { self.run_best(variant, launch, rest, worker) };
            }
            let end = rest.start.saturating_add(some).min(rest.end);
            let quick = self.code(Variant::Quick);
            let started = host::cycles();
            // SAFETY: passed on to the caller.
            unsafe { self.run_code(quick, launch, rest.start..end, worker) }?;
            let took = host::cycles().saturating_sub(started);
            let started_at = std::mem::replace(&mut rest.start, end);
            some = match took {
                0..LOOK => some.saturating_mul(2),
                _ => (some / 2).max(1),
            };
            if self.program.tier() == Tier::Adaptive {
                let run = QuickRun {
                    cycles: took,
                    groups: end - started_at,
                    of: range.group_count(),
                };
                if self.compiled.heat.add(quick, run) {
                    background::compile(&self.program, &self.compiled, Wanted::BestFor(range), Urgency::Hot);
                }
            }
            background::resume();
        }
        background::note_quick_code();
        Ok(())
    }

    /// # Safety
    /// As for [`Kernel::run`]; the code must suit the range.
    unsafe fn run_code(
        &self,
        code: &Code,
        launch: &Launch<'_>,
        groups: Range<u64>,
        worker: &mut ThreadContext,
    ) -> Result<(), Fault> {
        // Restored even after a fault, which abandons the stack of the code, but returns from here.
        let _env = FloatEnv::enter_default();
        if groups.is_empty() {
            return Ok(());
        }
        let range = launch.range.range;
        let num_groups = range.groups();
        let local_memory = match code.shape.columns {
            Columns::Some(count) => launch.local_memory.saturating_mul(count as usize),
            _ => launch.local_memory,
        };
        let local = worker.local_memory(local_memory)?;
        let id = |n: u64| {
            let [x, y, _] = num_groups;
            [n % x, n / x % y, n / (x * y)]
        };
        let mut group = Group::new(range, id(groups.start));
        group.local_memory = local;
        group.local_size = local_memory as u64;
        let items = range.group_size() * range.group_count();
        let _fence = (items.saturating_mul(code.shape.streamed) >= BEYOND_CACHES).then(|| {
            group.cached_mask = 0;
            StoreFence
        });
        if code.shape.spans_rows {
            group.ids = worker.ids.get(range.local_size, code.shape.lanes.into());
        }
        let stack_size = stack_size(code.shape.on_stack() as usize);
        let args = launch.args.as_ptr();
        match code.shape.entry {
            Entry::Group => {
                // SAFETY: the address of code of this type, made for this kernel.
                let entry = unsafe { std::mem::transmute::<*const u8, GroupEntry>(code.address) };
                let most = code.united(&range);
                // `range` is the launch's, while the size in the group is that of several.
                let run = || {
                    let mut n = groups.start;
                    while n < groups.end {
                        let together = most.min(num_groups[0] - group.id[0]).min(groups.end - n);
                        group.range.local_size[0] = range.local_size[0] * together;
                        // SAFETY: passed on to the caller.
                        unsafe { entry(args, &group) };
                        group.advance(&range, together);
                        n += together;
                    }
                };
                // SAFETY: the code borrows the arguments, which live until the end, and owns nothing.
                unsafe { worker.fibers.run_on_one_stack(stack_size, run) }
            }
            Entry::Suspendable => {
                // SAFETY: the address of code of this type, made for this kernel.
                let entry = unsafe { std::mem::transmute::<*const u8, SuspendableEntry>(code.address) };
                let steps = &mut worker.steps;
                // The group does not move while its frames refer to it, and only this pointer reaches it.
                let group = &raw mut group;
                if code.shape.lanes == 1 {
                    let frame = code.shape.frame;
                    let code = SuspendableCode { entry, args };
                    let sub_group = self.compiled.info.collective_width as usize;
                    // SAFETY: passed on to the caller.
                    let items = unsafe { steps.prepare_items(group, code, sub_group, frame) }?;
                    let mut outcome = Ok(());
                    let run = || {
                        for _ in groups.clone() {
                            outcome = items.run();
                            if outcome.is_err() {
                                break;
                            }
                            // SAFETY: no item runs.
                            unsafe { (*group).advance(&range, 1) };
                        }
                    };
                    // SAFETY: as above; what the worker has is borrowed.
                    unsafe { worker.fibers.run_on_one_stack(stack_size, run) }?;
                    return outcome;
                }
                steps.prepare(group, &code.shape)?;
                let run = || {
                    for _ in groups.clone() {
                        // SAFETY: passed on to the caller.
                        unsafe {
                            steps.run(entry, args);
                            (*group).advance(&range, 1);
                        }
                    }
                };
                // SAFETY: as above; what the worker has is borrowed.
                unsafe { worker.fibers.run_on_one_stack(stack_size, run) }
            }
            Entry::Item => {
                // SAFETY: the address of code of this type, made for this kernel.
                let entry = unsafe { std::mem::transmute::<*const u8, ItemEntry>(code.address) };
                let lanes = u64::from(code.shape.lanes);
                // Code with lanes runs a whole sub-group itself.
                let sub_group = if lanes > 1 {
                    1
                } else {
                    self.compiled.info.collective_width as usize
                };
                let code = ItemCode {
                    entry,
                    args,
                    width: lanes,
                    sub_group,
                    stack_size,
                };
                if !self.compiled.info.has_device_barrier {
                    for _ in groups {
                        // SAFETY: passed on to the caller.
                        unsafe { worker.fibers.run(&code, std::slice::from_ref(&group)) }?;
                        group.advance(&range, 1);
                    }
                    return Ok(());
                }
                // All groups side by side, each with its own local memory.
                if groups != (0..range.group_count()) {
                    return Err(Fault::BarrierDivergence);
                }
                let each = launch.local_memory.next_multiple_of(interface::LOCAL_ALIGN);
                let count = groups.end as usize;
                let local = worker.local_memory(each.checked_mul(count).ok_or(Fault::OutOfMemory)?)?;
                let all: Vec<Group> = groups
                    .map(|n| Group {
                        local_memory: local.wrapping_add(each * n as usize),
                        local_size: launch.local_memory as u64,
                        ..Group::new(range, id(n))
                    })
                    .collect();
                // SAFETY: passed on to the caller.
                unsafe { worker.fibers.run(&code, &all) }
            }
        }
    }
}

/// What a launch writes at least whose stores go past the caches, in bytes. To copy as much and then to read it took 1.4 times as long
/// past the caches with 8 MiB, as long with 16 MiB, 0.9 times as long with 32 MiB, and 0.83 times with 64 and 128 MiB (one core of a
/// Xeon, with 2 MiB of its own and a part of 480 MiB).
const BEYOND_CACHES: u64 = 32 << 20;

/// When it is dropped, stores past the caches become visible to other threads, before what tells them of the stores.
struct StoreFence;

impl Drop for StoreFence {
    fn drop(&mut self) {
        host::fence_streamed_stores();
    }
}

/// The state of a thread that runs kernels: stacks, frames and local memory, which are reused.
#[derive(Debug, Default)]
pub struct ThreadContext {
    fibers: Fibers,
    steps: Suspendable,
    local: LocalMemory,
    ids: LocalIds,
}

impl ThreadContext {
    /// An empty one: it grows when a kernel needs more.
    pub fn new() -> Self {
        Self::default()
    }

    fn local_memory(&mut self, size: usize) -> Result<*mut u8, Fault> {
        self.local.get(size).map_err(|_| Fault::OutOfMemory)
    }
}
