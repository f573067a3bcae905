// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Work-items on stacks of their own: the way to run any kernel whose items wait for each other, and the reference for
//! faster ways.
//!
//! One thread runs a work-group. Items take turns: each runs until it waits at a barrier, or leaves a value for its
//! sub-group, or ends. Items of a sub-group that wait at different places, as in divergent code, are served place by
//! place, the first in the program first: so they come together again where control flow does. `workgroup/convergence.rs`
//! numbers the places.
//!
//! Quick code needs no stacks where its items return to wait ([`FrameGroup`]).
//!
//! Where there is no memory for so many stacks, or the process would have too many mappings, the items of a group share
//! one: what is on it is copied away when an item waits, and back to the same addresses when it goes on. That takes longer,
//! but nothing else differs, since no item may look at the private memory of another.

use std::io;
use std::mem::MaybeUninit;
use std::ptr;

use corosensei::stack::Stack as _;
use smallvec::SmallVec;

use super::kernel_stack::KernelStack;
use super::stacks::{self, Stack};
use super::suspendable::{Frame, FrameLayout, SuspendableCode};
use super::trap::{self, Step, TrapScope};
use crate::Fault;
use crate::abi::{Group, Item, LANES, Rendezvous};

/// The state of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Runs,
    /// It waits for its group.
    Barrier,
    /// It waits for all groups.
    Device,
    /// It has left a value at a site, which is served before those with greater numbers.
    Left {
        site: i32,
        bits: u64,
    },
    Ended,
}

/// The fiber of an item.
pub struct Fiber {
    state: State,
    /// Whether it has been called, if it has a frame.
    has_begun: bool,
    /// The operands of the sub-group's last collective, or its results.
    meeting: *mut Rendezvous,
}

/// The entry of a kernel for one item, or for one item per lane.
pub type ItemEntry = unsafe extern "C" fn(*mut Item, *const u8);

/// Code that runs items on stacks of their own.
#[derive(Clone, Copy)]
pub struct ItemCode {
    /// The code.
    pub entry: ItemEntry,
    /// Its block of arguments.
    pub args: *const u8,
    /// The number of items that it runs at a time.
    pub width: u64,
    /// The number of stacks in a sub-group: 1 for code with lanes, which runs a whole sub-group itself.
    pub sub_group: usize,
    /// The stack size that it needs.
    pub stack_size: usize,
}

/// The stacks of a thread, reused for all groups.
#[derive(Default)]
pub struct Fibers {
    stacks: Vec<Stack>,
    stack_size: usize,
    /// Whether stacks of that size have been created.
    has_stacks: bool,
    /// For kernels whose items need no stacks of their own.
    kernel: Option<KernelStack>,
    /// One for all items of groups for which there are too few.
    shared: Option<Stack>,
    /// Whether it gets no more than one.
    #[cfg(test)]
    few: bool,
    /// Teams without members, for their memory.
    spare: Vec<FiberGroup>,
}

impl std::fmt::Debug for Fibers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fibers")
            .field("stacks", &self.stacks.len())
            .field("stack_size", &self.stack_size)
            .finish()
    }
}

impl Fibers {
    /// Runs code on a single stack of at least this size, shared by all items.
    ///
    /// # Safety
    /// The code must own nothing, because a fault may stop it anywhere.
    pub unsafe fn run_on_one_stack(&mut self, size: usize, code: impl FnMut()) -> Result<(), Fault> {
        if self.kernel.as_ref().is_none_or(|kernel| kernel.size() <= size) {
            self.kernel = Some(KernelStack::new(self.stack(size)?));
        }
        let outcome = match &mut self.kernel {
            // SAFETY: passed on to the caller.
            Some(kernel) => unsafe { kernel.run(code) },
            None => unreachable!("it was set above"),
        };
        if outcome.is_err()
            && let Some(stack) = self.kernel.take().and_then(KernelStack::into_stack)
        {
            self.keep(stack);
        }
        outcome
    }

    /// A stack of at least this size.
    fn stack(&mut self, size: usize) -> Result<Stack, Fault> {
        if size > self.stack_size {
            self.stacks.clear();
            self.shared = None;
            self.stack_size = size;
            self.has_stacks = false;
        }
        match self.stacks.pop() {
            Some(stack) => Ok(stack),
            None => self.more_stacks().map_err(|_| Fault::OutOfMemory),
        }
    }

    /// Most kernels want one.
    #[cold]
    fn more_stacks(&mut self) -> io::Result<Stack> {
        if !self.has_stacks {
            let first = stacks::one(self.stack_size)?;
            self.has_stacks = true;
            return Ok(first);
        }
        #[cfg(test)]
        if self.few {
            return Err(io::ErrorKind::QuotaExceeded.into());
        }
        stacks::add_slab(&mut self.stacks, self.stack_size)?;
        self.stacks.pop().ok_or_else(|| io::ErrorKind::OutOfMemory.into())
    }

    /// The stack for all items of groups for which there are too few.
    #[cold]
    fn shared_stack(&mut self) -> Result<&Stack, Fault> {
        if self.shared.is_none() {
            log::info!("this process has no room for more stacks: the items of a work-group share one");
            // Not one of the others, of which a thread always needs one.
            self.shared = Some(stacks::one(self.stack_size).map_err(|_| Fault::OutOfMemory)?);
        }
        self.shared.as_ref().ok_or(Fault::OutOfMemory)
    }

    /// Returns a stack.
    fn keep(&mut self, stack: Stack) {
        if stack.size() > self.stack_size {
            self.stacks.push(stack);
        }
    }

    /// Runs all items of groups, which may wait for each other. Usually this is a single group.
    ///
    /// # Safety
    /// The code must be a compiled kernel's, with arguments that fit.
    pub unsafe fn run(&mut self, code: &ItemCode, groups: &[Group]) -> Result<(), Fault> {
        let mut teams: SmallVec<[FiberGroup; 1]> = SmallVec::new();
        let mut result = Ok(());
        for group in groups {
            let mut team = self.spare.pop().unwrap_or_default();
            // SAFETY: passed on to the caller; the team's members end before the groups go.
            result = unsafe { team.start(self, code, group) };
            teams.push(team);
            if result.is_err() {
                break;
            }
        }
        if result.is_ok() {
            result = advance_all(&mut teams);
        }
        for mut team in teams {
            team.end(self);
            self.spare.push(team);
        }
        result
    }
}

/// Runs all teams to their end.
fn advance_all(teams: &mut [FiberGroup]) -> Result<(), Fault> {
    loop {
        let mut some_wait = false;
        for team in &mut *teams {
            some_wait |= team.advance()?;
        }
        if !some_wait {
            return Ok(());
        }
        for team in &mut *teams {
            team.release(State::Device);
        }
    }
}

/// An item that runs.
struct Running {
    guarded: TrapScope,
    yielder: *const (),
}

/// An item that shares its stack with others.
#[derive(Default)]
struct Sharing {
    /// None before it has begun, and after its end.
    running: Option<Running>,
    /// What is on the stack of it, up to the base, while it waits.
    saved: Vec<MaybeUninit<u8>>,
}

impl Sharing {
    fn end(&mut self) {
        if let Some(Running { guarded, .. }) = self.running.take() {
            // SAFETY: on such a stack is compiled code only, and the closure that called it, which owns nothing.
            drop(unsafe { guarded.into_stack() });
        }
    }

    /// Puts what it has on the stack back to where it was.
    ///
    /// # Safety
    /// Nobody else has anything on the stack now.
    unsafe fn restore(&self, stack: &Stack) {
        let low = stack.base().get() - self.saved.len();
        // SAFETY: as many bytes as were there; the caller vouches for the stack.
        unsafe { ptr::copy_nonoverlapping(self.saved.as_ptr(), low as *mut MaybeUninit<u8>, self.saved.len()) };
    }

    /// Copies what it has on the stack, right after it has come to wait.
    fn save(&mut self, stack: &Stack) -> Result<(), Fault> {
        let low = trap::waits_above().max(stack.low());
        let len = stack.base().get() - low;
        self.saved.clear();
        self.saved.try_reserve_exact(len).map_err(|_| Fault::OutOfMemory)?;
        // SAFETY: a part of the stack, and room for it. Some of it may never have been written.
        unsafe {
            ptr::copy_nonoverlapping(low as *const MaybeUninit<u8>, self.saved.as_mut_ptr(), len);
            self.saved.set_len(len);
        }
        Ok(())
    }
}

/// The items of a group while they run.
#[derive(Default)]
struct FiberGroup {
    running: Vec<Running>,
    /// As many as items. Items point to them, so while one runs they are accessed through pointers only.
    fibers: Vec<Fiber>,
    items: Vec<Item>,
    /// One per sub-group, for code that does not run whole sub-groups itself.
    meetings: Vec<Rendezvous>,
    /// How many stacks make a sub-group.
    lanes: usize,
    /// The one stack that the items have, if there are too few; then they are not in `running`.
    shared: Option<Shared>,
    /// The code, if items have frames and no stacks; then they are not in `running` either.
    suspendable: Option<SuspendableCode>,
}

/// What items need that share a stack.
struct Shared {
    stack: Stack,
    code: ItemCode,
    first: *mut Item,
    /// As many as items.
    sharing: Vec<Sharing>,
}

impl Shared {
    /// Runs an item until it waits or ends.
    #[cold]
    fn resume(&mut self, item: usize) -> Result<Step, Fault> {
        let ItemCode { entry, args, .. } = self.code;
        let sharing = &mut self.sharing[item];
        // SAFETY: the others have copied away what they have on the stack, or have nothing there. There are as many items,
        // which do not move; who made this vouches for what the code needs.
        let running = unsafe {
            sharing.restore(&self.stack);
            let own = self.first.add(item);
            sharing.running.get_or_insert_with(|| Running {
                guarded: TrapScope::new(self.stack.alias(), move || entry(own, args)),
                yielder: ptr::null(),
            })
        };
        let step = running.guarded.resume(&mut running.yielder);
        match step {
            Step::Waits => sharing.save(&self.stack)?,
            Step::Ended(_) => {
                sharing.end();
                sharing.saved = Vec::new();
            }
        }
        Ok(step)
    }
}

impl FiberGroup {
    /// Puts every item on a stack.
    ///
    /// # Safety
    /// As for [`Fibers::run`]. The team must end before the group and the arguments are dropped.
    unsafe fn start(&mut self, stacks: &mut Fibers, code: &ItemCode, group: &Group) -> Result<(), Fault> {
        let count = group.size.div_ceil(code.width) as usize;
        self.lanes = code.sub_group.clamp(1, LANES);
        self.fibers.clear();
        self.fibers.extend((0..count).map(|_| Fiber {
            state: State::Runs,
            has_begun: false,
            meeting: ptr::null_mut(),
        }));
        self.make_meetings(if code.width == 1 { count } else { 0 });
        let fibers = self.fibers.as_mut_ptr();
        let size = group.range.local_size;
        self.items.clear();
        self.items.extend((0..count).map(|i| {
            let n = i as u64 * code.width;
            let there = code.width.min(group.size - n);
            Item {
                local_id: [n % size[0], n / size[0] % size[1], n / (size[0] * size[1])],
                linear_id: n,
                group,
                lane: (i % self.lanes) as u64,
                lanes: there,
                is_partial: (there < code.width).into(),
                is_block: 0,
                // SAFETY: there are as many fibers as items.
                fiber: unsafe { fibers.add(i) }.cast(),
                frame: ptr::null_mut(),
            }
        }));
        let items = self.items.as_mut_ptr();
        let ItemCode { entry, args, .. } = *code;
        for i in 0..count {
            let Ok(stack) = stacks.stack(code.stack_size) else {
                return self.share(stacks, code, items);
            };
            // SAFETY: there are `count` items, which do not move; the caller vouches for what the code needs.
            let guarded = unsafe {
                let item = items.add(i);
                TrapScope::new(stack, move || entry(item, args))
            };
            self.running.push(Running {
                guarded,
                yielder: ptr::null(),
            });
        }
        Ok(())
    }

    /// Makes one for each sub-group of so many items.
    fn make_meetings(&mut self, items: usize) {
        self.meetings.resize_with(items.div_ceil(self.lanes), || Rendezvous {
            mask: 0,
            slots: [0; LANES],
            is_combined: false,
            words: None,
        });
    }

    /// Gives the items one stack, since there are not enough.
    #[cold]
    fn share(&mut self, stacks: &mut Fibers, code: &ItemCode, first: *mut Item) -> Result<(), Fault> {
        // None has begun.
        self.end(stacks);
        // SAFETY: only items have anything on it, of which one runs at a time.
        let stack = unsafe { stacks.shared_stack()?.alias() };
        let sharing = self.items.iter().map(|_| Sharing::default()).collect();
        self.shared = Some(Shared {
            stack,
            code: *code,
            first,
            sharing,
        });
        Ok(())
    }

    /// Gives the stacks back.
    fn end(&mut self, stacks: &mut Fibers) {
        if let Some(mut shared) = self.shared.take() {
            shared.sharing.iter_mut().for_each(Sharing::end);
        }
        for Running { guarded, .. } in self.running.drain(..) {
            // SAFETY: such a stack holds compiled code only, and the closure that called it, which owns nothing.
            stacks.keep(unsafe { guarded.into_stack() });
        }
    }

    /// The state of an item, read through a pointer because the item's code writes it.
    fn state(&self, item: usize) -> State {
        // SAFETY: one of our items; none runs.
        unsafe { (*fiber_of(&self.items[item])).state }
    }

    fn set_state(&mut self, item: usize, state: State) {
        // SAFETY: one of our items; none runs.
        unsafe { (*fiber_of(&self.items[item])).state = state };
    }

    /// Resumes the items in a state.
    fn release(&mut self, from: State) {
        for item in 0..self.items.len() {
            if self.state(item) == from {
                self.set_state(item, State::Runs);
            }
        }
    }

    /// Runs the items until all have ended or wait for other groups. Returns whether some wait.
    fn advance(&mut self) -> Result<bool, Fault> {
        let count = self.items.len();
        loop {
            for first in (0..count).step_by(self.lanes) {
                let end = count.min(first + self.lanes);
                loop {
                    for item in first..end {
                        if self.state(item) != State::Runs {
                            continue;
                        }
                        let step = match (&mut self.shared, self.suspendable) {
                            (Some(shared), _) => shared.resume(item)?,
                            (_, Some(code)) => self.resume_frame(code, item),
                            _ => {
                                let Running { guarded, yielder } = &mut self.running[item];
                                guarded.resume(yielder)
                            }
                        };
                        match step {
                            Step::Waits => {}
                            Step::Ended(outcome) => {
                                outcome?;
                                self.set_state(item, State::Ended);
                            }
                        }
                    }
                    if !self.meet(first, end) {
                        break;
                    }
                }
            }
            // None can continue.
            if !(0..count).any(|i| self.state(i) == State::Barrier) {
                return Ok((0..count).any(|i| self.state(i) == State::Device));
            }
            self.release(State::Barrier);
        }
    }

    /// Runs an item that has a frame until it waits or ends.
    fn resume_frame(&mut self, code: SuspendableCode, item: usize) -> Step {
        let item = &raw mut self.items[item];
        // SAFETY: one of our items, which `prepare` gave a frame; who called that vouches for what the code needs.
        let is_suspended = unsafe {
            let has_begun = std::mem::replace(&mut (*fiber_of(item)).has_begun, true);
            Frame::advance(item, code, has_begun)
        };
        if is_suspended { Step::Waits } else { Step::Ended(Ok(())) }
    }

    /// Resumes those items of a sub-group that have left values at one site, the first in the program. Returns whether
    /// there are any.
    fn meet(&mut self, first: usize, end: usize) -> bool {
        if self.meetings.is_empty() {
            return false;
        }
        let site_of = |state| match state {
            State::Left { site, .. } => Some(site),
            _ => None,
        };
        let Some(place) = (first..end).filter_map(|i| site_of(self.state(i))).min() else {
            return false;
        };
        let number = first / self.lanes;
        // The items get this pointer, too, so that none of them is out of date.
        let pointer = &raw mut self.meetings[number];
        // SAFETY: one of ours, which nobody else uses while no item runs.
        unsafe { ((*pointer).mask, (*pointer).is_combined, (*pointer).words) = (0, false, None) };
        for item in first..end {
            if let State::Left { site, bits } = self.state(item)
                && site == place
            {
                // SAFETY: as above.
                unsafe {
                    (*pointer).mask |= 1 << (item - first);
                    (*pointer).slots[item - first] = bits;
                }
                self.set_state(item, State::Runs);
                // SAFETY: one of our items; none runs.
                unsafe { (*fiber_of(&self.items[item])).meeting = pointer };
            }
        }
        true
    }
}

/// The items of a group that have frames, for kernels that return where an item waits.
#[derive(Default)]
pub struct FrameGroup(FiberGroup);

impl FrameGroup {
    /// Prepares the items of a group, which are the same for all groups of a launch.
    ///
    /// # Safety
    /// The group must be alive as long as items run, and in frames is room for the frame of each item, with none suspended.
    pub unsafe fn prepare(&mut self, group: *mut Group, code: SuspendableCode, sub_group: usize, frames: FrameLayout) {
        let team = &mut self.0;
        // SAFETY: passed on to the caller.
        let Group { range, size, .. } = unsafe { *group };
        team.suspendable = Some(code);
        team.lanes = sub_group.clamp(1, LANES);
        team.fibers.clear();
        team.fibers.resize_with(size as usize, || Fiber {
            state: State::Runs,
            has_begun: false,
            meeting: ptr::null_mut(),
        });
        team.make_meetings(size as usize);
        let fibers = team.fibers.as_mut_ptr();
        let (lanes, local) = (team.lanes, range.local_size);
        team.items.clear();
        team.items.extend((0..size).map(|n| Item {
            local_id: [n % local[0], n / local[0] % local[1], n / (local[0] * local[1])],
            linear_id: n,
            group,
            lane: n % lanes as u64,
            lanes: 1,
            is_partial: 0,
            is_block: 0,
            // SAFETY: there are as many fibers as items.
            fiber: unsafe { fibers.add(n as usize) }.cast(),
            frame: frames.of(n).cast(),
        }));
    }

    /// Runs all items of the group that was prepared. It must run guarded: a fault may stop it anywhere.
    pub fn run(&mut self) -> Result<(), Fault> {
        let team = &mut self.0;
        for item in 0..team.items.len() {
            team.set_state(item, State::Runs);
            // SAFETY: one of our items; none runs.
            unsafe { (*fiber_of(&team.items[item])).has_begun = false };
        }
        advance_all(std::slice::from_mut(team))
    }
}

/// The state of an item.
///
/// # Safety
/// The item must be alive.
unsafe fn fiber_of(item: *const Item) -> *mut Fiber {
    // SAFETY: passed on to the caller.
    unsafe { (*item).fiber.cast() }
}

/// Called by compiled code: a barrier of the device.
///
/// # Safety
/// The item must run here.
pub(super) unsafe extern "C" fn oxur_device_barrier(item: *const Item) {
    // SAFETY: passed on to the caller.
    unsafe { (*fiber_of(item)).state = State::Device };
    trap::wait();
}

/// Called by compiled code: a barrier of the group.
pub(super) unsafe extern "C" fn oxur_barrier(item: *const Item) {
    // SAFETY: an item that `run` made.
    unsafe { (*fiber_of(item)).state = State::Barrier };
    trap::wait();
}

/// Called by compiled code that returns next: the item waits for its group.
///
/// # Safety
/// The item must be one of ours.
pub(super) unsafe extern "C" fn oxur_arrive(item: *const Item) {
    // SAFETY: passed on to the caller.
    unsafe { (*fiber_of(item)).state = State::Barrier };
}

/// Called by compiled code that returns next: leaves an operand for the items of the sub-group at the same site.
///
/// # Safety
/// The item must be one of ours.
pub(super) unsafe extern "C" fn oxur_leave(item: *const Item, site: i32, bits: u64) {
    // SAFETY: passed on to the caller.
    unsafe { (*fiber_of(item)).state = State::Left { site, bits } };
}

/// Called by compiled code after that: the address of all operands.
///
/// # Safety
/// The item must be one of ours.
pub(super) unsafe extern "C" fn oxur_met(item: *const Item) -> *mut Rendezvous {
    // SAFETY: passed on to the caller; the meeting is changed by the item that runs only.
    unsafe { (*fiber_of(item)).meeting }
}

/// Called by compiled code: leaves an operand, waits for the items of the sub-group at the same site, and returns the
/// address of all operands.
pub(super) unsafe extern "C" fn oxur_collect(item: *const Item, site: i32, bits: u64) -> *mut Rendezvous {
    // SAFETY: an item that `run` made; the meeting is changed by the item that runs only.
    unsafe {
        (*fiber_of(item)).state = State::Left { site, bits };
        trap::wait();
        (*fiber_of(item)).meeting
    }
}

#[cfg(test)]
mod tests;
