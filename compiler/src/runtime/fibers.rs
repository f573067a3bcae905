// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Work-items on stacks of their own: the way to run any kernel whose items wait for each other, and the reference for
//! faster ways.
//!
//! One thread runs a work-group. Items take turns: each runs until it waits at a barrier, or leaves a value for its
//! sub-group, or ends. Items of a sub-group that wait at different places, as in divergent code, are served place by
//! place, the first in the program first: so they come together again where control flow does.

use std::ptr;

use corosensei::stack::{DefaultStack, Stack as _};

use super::guard::{self, Guarded, Step};
use super::{Group, Item};
use crate::Fault;

/// The most items that a sub-group may have.
pub const LANES: usize = 64;

/// What items of a sub-group came together with, as compiled code sees it.
#[repr(C)]
#[derive(Debug)]
pub struct Meeting {
    /// A bit for each lane that came.
    pub mask: u64,
    /// What each came with.
    pub slots: [u64; LANES],
}

/// What an item does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Runs,
    /// It waits for the whole group.
    Barrier,
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
    meeting: *const Meeting,
}

/// The stacks of a thread, kept from group to group.
#[derive(Default)]
pub struct Fibers {
    stacks: Vec<DefaultStack>,
    stack_size: usize,
}

impl std::fmt::Debug for Fibers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fibers")
            .field("stacks", &self.stacks.len())
            .field("stack_size", &self.stack_size)
            .finish()
    }
}

/// The entry of a kernel for one item.
pub type ItemEntry = unsafe extern "C" fn(*mut Item, *const u8);

/// An item that runs.
struct Running {
    guarded: Guarded,
    yielder: *const (),
}

impl Fibers {
    /// A stack of at least so many bytes.
    pub fn stack(&mut self, size: usize) -> Result<DefaultStack, Fault> {
        if size > self.stack_size {
            self.stacks.clear();
            self.stack_size = size;
        }
        match self.stacks.pop() {
            Some(stack) => Ok(stack),
            None => DefaultStack::new(self.stack_size).map_err(|_| Fault::OutOfMemory),
        }
    }

    /// Takes a stack back.
    pub fn keep(&mut self, stack: DefaultStack) {
        if stack.base().get() - stack.limit().get() >= self.stack_size {
            self.stacks.push(stack);
        }
    }

    /// Runs all items of a group, `width` of them on one stack: lanes of the code, in which case it has no other use for
    /// `sub_group_size` than 1.
    ///
    /// # Safety
    /// `entry` must be a compiled kernel's, and `args` what it expects.
    #[allow(clippy::too_many_arguments, reason = "they are what a group is")]
    pub unsafe fn run(
        &mut self,
        entry: ItemEntry,
        args: *const u8,
        group: &Group,
        width: u64,
        sub_group_size: usize,
        stack_size: usize,
    ) -> Result<(), Fault> {
        let count = group.size.div_ceil(width) as usize;
        let lanes = sub_group_size.clamp(1, LANES);
        let mut fibers: Vec<Fiber> = (0..count)
            .map(|_| Fiber {
                state: State::Runs,
                meeting: ptr::null(),
            })
            .collect();
        let mut items: Vec<Item> = Vec::with_capacity(count);
        let size = group.range.local_size;
        for (i, fiber) in fibers.iter_mut().enumerate() {
            let n = i as u64 * width;
            let there = width.min(group.size - n);
            items.push(Item {
                local_id: [n % size[0], n / size[0] % size[1], n / (size[0] * size[1])],
                linear_id: n,
                group,
                lane: i as u64 % lanes as u64,
                lanes: there,
                is_partial: (there < width).into(),
                fiber,
            });
        }
        let mut running: Vec<Running> = Vec::with_capacity(count);
        for item in &mut items {
            let stack = match self.stack(stack_size) {
                Ok(stack) => stack,
                Err(fault) => {
                    self.end(running);
                    return Err(fault);
                }
            };
            let item = ptr::from_mut(item);
            // SAFETY: items and arguments outlive the loop below, after which nothing runs.
            let guarded = unsafe { Guarded::new(stack, move || entry(item, args)) };
            running.push(Running {
                guarded,
                yielder: ptr::null(),
            });
        }
        let fibers = fibers.as_mut_ptr();
        // SAFETY: `fibers` has `count` elements, which items point to; one of them is looked at at a time.
        let result = unsafe { schedule(&mut running, fibers, lanes) };
        self.end(running);
        result
    }

    fn end(&mut self, running: Vec<Running>) {
        for Running { guarded, .. } in running {
            // SAFETY: on such a stack is compiled code only, and the closure that called it, which owns nothing.
            let stack = unsafe { guarded.into_stack() };
            self.keep(stack);
        }
    }
}

/// Lets all items run to their end.
///
/// # Safety
/// `fibers` must point to as many fibers as there are items.
unsafe fn schedule(running: &mut [Running], fibers: *mut Fiber, lanes: usize) -> Result<(), Fault> {
    let groups = running.len().div_ceil(lanes);
    let mut meetings: Vec<Meeting> = (0..groups)
        .map(|_| Meeting {
            mask: 0,
            slots: [0; LANES],
        })
        .collect();
    loop {
        let mut at_barrier = false;
        for (number, items) in running.chunks_mut(lanes).enumerate() {
            let first = number * lanes;
            // SAFETY: the caller vouches for the length.
            let fiber = |i: usize| unsafe { fibers.add(first + i) };
            loop {
                for (i, item) in items.iter_mut().enumerate() {
                    // SAFETY: see above; the item's code, which writes it, runs in `resume` only.
                    if unsafe { (*fiber(i)).state } != State::Runs {
                        continue;
                    }
                    match item.guarded.resume(&mut item.yielder) {
                        Step::Waits => {}
                        // SAFETY: see above.
                        Step::Ended(Ok(())) => unsafe { (*fiber(i)).state = State::Ended },
                        Step::Ended(Err(fault)) => return Err(fault),
                    }
                }
                // SAFETY: see above.
                let states = (0..items.len()).map(|i| unsafe { (*fiber(i)).state });
                let first_site = states
                    .clone()
                    .filter_map(|s| match s {
                        State::Left { site, .. } => Some(site),
                        _ => None,
                    })
                    .min();
                let Some(meet) = first_site else {
                    at_barrier |= states.clone().any(|s| s == State::Barrier);
                    break;
                };
                let meeting = &mut meetings[number];
                meeting.mask = 0;
                for (i, state) in states.enumerate() {
                    if let State::Left { site, bits } = state
                        && site == meet
                    {
                        meeting.mask |= 1 << i;
                        meeting.slots[i] = bits;
                        // SAFETY: see above.
                        unsafe {
                            (*fiber(i)).state = State::Runs;
                            (*fiber(i)).meeting = meeting;
                        }
                    }
                }
            }
        }
        if !at_barrier {
            return Ok(());
        }
        // All that have not ended wait at a barrier.
        for i in 0..running.len() {
            // SAFETY: see above.
            unsafe {
                if (*fibers.add(i)).state == State::Barrier {
                    (*fibers.add(i)).state = State::Runs;
                }
            }
        }
    }
}

/// Called by compiled code: waits for all items of the group.
pub(super) unsafe extern "C" fn oxur_barrier(item: *const Item) {
    // SAFETY: an item that `run` made.
    unsafe { (*(*item).fiber).state = State::Barrier };
    guard::wait();
}

/// Called by compiled code: leaves bits, waits for the items of the sub-group that come here, too, and gives the address
/// of what they came with.
pub(super) unsafe extern "C" fn oxur_collect(item: *const Item, site: u32, bits: u64) -> *const Meeting {
    // SAFETY: an item that `run` made; the meeting is not changed while an item of the sub-group runs.
    unsafe {
        (*(*item).fiber).state = State::Left { site, bits };
        guard::wait();
        (*(*item).fiber).meeting
    }
}
