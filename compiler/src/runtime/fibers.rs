// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Runs each work-item on a stack of its own. This works for every kernel whose items wait for each other, and is the
//! reference for faster ways.
//! One thread runs a work-group. Items take turns: each runs until it waits at a barrier, leaves a value for its
//! sub-group, or ends. If items of a sub-group wait at different sites, as in divergent code, the site that comes first
//! in the program is resumed first, so that the items converge again where control flow does.

use std::ptr;

use smallvec::SmallVec;

use super::stacks::{self, Stack};
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
    /// It has left a value at a site.
    Left {
        site: u32,
        bits: u64,
    },
    Ended,
}

/// The fiber of an item.
pub struct Fiber {
    state: State,
    /// The operands of the sub-group's last collective.
    meeting: *const Rendezvous,
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
    /// Empty teams, kept for their memory.
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
    /// A stack of at least this size.
    pub fn stack(&mut self, size: usize) -> Result<Stack, Fault> {
        if size > self.stack_size {
            self.stacks.clear();
            self.stack_size = size;
            self.has_stacks = false;
        }
        match self.stacks.pop() {
            Some(stack) => Ok(stack),
            None => self.more_stacks(),
        }
    }

    #[cold]
    fn more_stacks(&mut self) -> Result<Stack, Fault> {
        stacks::add(&mut self.stacks, self.stack_size, self.has_stacks).map_err(|_| Fault::OutOfMemory)?;
        self.has_stacks = true;
        self.stacks.pop().ok_or(Fault::OutOfMemory)
    }

    /// Returns a stack.
    pub fn keep(&mut self, stack: Stack) {
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
            meeting: ptr::null(),
        }));
        let meetings = if code.width == 1 { count.div_ceil(self.lanes) } else { 0 };
        self.meetings.resize_with(meetings, || Rendezvous {
            mask: 0,
            slots: [0; LANES],
        });
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
                // SAFETY: there are as many fibers as items.
                fiber: unsafe { fibers.add(i) }.cast(),
            }
        }));
        let items = self.items.as_mut_ptr();
        let ItemCode { entry, args, .. } = *code;
        for i in 0..count {
            let stack = stacks.stack(code.stack_size)?;
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

    /// Returns the stacks.
    fn end(&mut self, stacks: &mut Fibers) {
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
                        let Running { guarded, yielder } = &mut self.running[item];
                        match guarded.resume(yielder) {
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
        self.meetings[number].mask = 0;
        for item in first..end {
            if let State::Left { site, bits } = self.state(item)
                && site == place
            {
                let meeting = &mut self.meetings[number];
                meeting.mask |= 1 << (item - first);
                meeting.slots[item - first] = bits;
                let meeting = ptr::from_ref(meeting);
                self.set_state(item, State::Runs);
                // SAFETY: one of our items; none runs.
                unsafe { (*fiber_of(&self.items[item])).meeting = meeting };
            }
        }
        true
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

/// Called by compiled code: leaves an operand, waits for the items of the sub-group at the same site, and returns the
/// address of all operands.
pub(super) unsafe extern "C" fn oxur_collect(item: *const Item, site: u32, bits: u64) -> *const Rendezvous {
    // SAFETY: an item that `run` made; the meeting is not changed while an item of the sub-group runs.
    unsafe {
        (*fiber_of(item)).state = State::Left { site, bits };
        trap::wait();
        (*fiber_of(item)).meeting
    }
}
