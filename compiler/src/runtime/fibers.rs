// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Work-items on stacks of their own: the way to run any kernel whose items wait for each other, and the reference for
//! faster ways.
//!
//! One thread runs a work-group. Items take turns: each runs until it waits at a barrier, or leaves a value for its
//! sub-group, or ends. Items of a sub-group that wait at different places, as in divergent code, are served place by
//! place, the first in the program first: so they come together again where control flow does.

use std::ptr;

use smallvec::SmallVec;

use super::stacks::{self, Stack};
use super::trap::{self, Step, TrapScope};
use crate::Fault;
use crate::abi::{Group, Item, LANES, Rendezvous};

/// What an item does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Runs,
    /// It waits for the whole group.
    Barrier,
    /// It waits for all groups.
    Device,
    /// It has left a value at a place in the program.
    Left {
        site: u32,
        bits: u64,
    },
    Ended,
}

/// What runs an item.
pub struct Fiber {
    state: State,
    /// The last meeting of the item's sub-group.
    meeting: *const Rendezvous,
}

/// The entry of a kernel for one item, or for as many as its code has lanes.
pub type ItemEntry = unsafe extern "C" fn(*mut Item, *const u8);

/// Code that runs items on stacks of their own.
#[derive(Clone, Copy)]
pub struct ItemCode {
    /// The code.
    pub entry: ItemEntry,
    /// Its block of arguments.
    pub args: *const u8,
    /// How many items it runs at a time.
    pub width: u64,
    /// How many stacks make a sub-group: 1 for code with lanes, which has its sub-groups inside.
    pub sub_group: usize,
    /// How large a stack has to be.
    pub stack_size: usize,
}

/// The stacks of a thread, kept from group to group.
#[derive(Default)]
pub struct Fibers {
    stacks: Vec<Stack>,
    stack_size: usize,
    /// Whether some were made of that size.
    has_stacks: bool,
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
    /// A stack of at least so many bytes.
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

    /// Takes a stack back.
    pub fn keep(&mut self, stack: Stack) {
        if stack.size() > self.stack_size {
            self.stacks.push(stack);
        }
    }

    /// Runs all items of groups, which may wait for each other: mostly there is one.
    ///
    /// # Safety
    /// The code must be a compiled kernel's, with the arguments that it expects.
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

/// Lets all teams run to their end.
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
    /// As many as items. Items point to them, so they are reached by pointers only while one runs.
    fibers: Vec<Fiber>,
    items: Vec<Item>,
    /// One a sub-group, for code that has not its sub-groups inside.
    meetings: Vec<Rendezvous>,
    /// How many stacks make a sub-group.
    lanes: usize,
}

impl FiberGroup {
    /// Puts every item on a stack.
    ///
    /// # Safety
    /// As [`Fibers::run`]; and the team must end before the group and the arguments go.
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

    /// Gives the stacks back.
    fn end(&mut self, stacks: &mut Fibers) {
        for Running { guarded, .. } in self.running.drain(..) {
            // SAFETY: on such a stack is compiled code only, and the closure that called it, which owns nothing.
            stacks.keep(unsafe { guarded.into_stack() });
        }
    }

    /// What an item does. Read through a pointer, as the item's code writes it.
    fn state(&self, item: usize) -> State {
        // SAFETY: one of ours; no item runs.
        unsafe { (*fiber_of(&self.items[item])).state }
    }

    fn set_state(&mut self, item: usize, state: State) {
        // SAFETY: one of ours; no item runs.
        unsafe { (*fiber_of(&self.items[item])).state = state };
    }

    /// Lets those that wait in a way go on.
    fn release(&mut self, from: State) {
        for item in 0..self.items.len() {
            if self.state(item) == from {
                self.set_state(item, State::Runs);
            }
        }
    }

    /// Runs the items until all have ended, or wait for other groups: says whether some do.
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
            // None can go on by itself.
            if !(0..count).any(|i| self.state(i) == State::Barrier) {
                return Ok((0..count).any(|i| self.state(i) == State::Device));
            }
            self.release(State::Barrier);
        }
    }

    /// Lets those items of a sub-group go on that have left values at one place, the first in the program; says whether
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
                // SAFETY: one of ours; no item runs.
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

/// Called by compiled code: waits for all items of all groups.
///
/// # Safety
/// The item must be one that runs here.
pub(super) unsafe extern "C" fn oxur_device_barrier(item: *const Item) {
    // SAFETY: passed on to the caller.
    unsafe { (*fiber_of(item)).state = State::Device };
    trap::wait();
}

/// Called by compiled code: waits for all items of the group.
pub(super) unsafe extern "C" fn oxur_barrier(item: *const Item) {
    // SAFETY: an item that `run` made.
    unsafe { (*fiber_of(item)).state = State::Barrier };
    trap::wait();
}

/// Called by compiled code: leaves bits, waits for the items of the sub-group that come here, too, and gives the address
/// of what they came with.
pub(super) unsafe extern "C" fn oxur_collect(item: *const Item, site: u32, bits: u64) -> *const Rendezvous {
    // SAFETY: an item that `run` made; the meeting is not changed while an item of the sub-group runs.
    unsafe {
        (*fiber_of(item)).state = State::Left { site, bits };
        trap::wait();
        (*fiber_of(item)).meeting
    }
}
