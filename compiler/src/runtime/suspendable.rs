// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Work-groups of kernels that were widened and have barriers: each sub-group runs up to a barrier and returns; when all
//! have come there, each is called again.
//!
//! What a sub-group keeps between calls lies in its frame. Frames lie side by side in memory that a thread keeps.

use std::cell::UnsafeCell;
use std::ptr;

use super::guard;
use crate::Fault;
use crate::abi::{Group, Item};

/// The head of a frame, as LLVM makes it.
#[repr(C)]
#[derive(Debug)]
pub struct Frame {
    /// Goes on; null if the code has come to its end. (LLVM's `fastcc`, which for one pointer is the same as C's.)
    resume: Option<unsafe extern "C" fn(*mut Frame)>,
}

/// The entry of a kernel for as many items as its code has lanes: runs them up to a barrier.
pub type SuspendableEntry = unsafe extern "C" fn(*mut Item, *const u8) -> *mut Frame;

/// Frames are aligned to the largest vector type. The vectorizer knows it, too.
#[repr(C, align(128))]
#[derive(Clone, Copy)]
struct Line([u8; 128]);

/// How many lines are reserved at a time, unless a frame needs more.
const PIECE: usize = 512;

/// What a thread needs to run such kernels, kept from run to run.
#[derive(Default)]
pub struct Suspendable {
    items: Vec<Item>,
    waiting: Vec<*mut Frame>,
    frames: UnsafeCell<Frames>,
}

/// An arena for coroutine frames. Frames do not move, and are freed all at once.
#[derive(Default)]
pub struct Frames {
    pieces: Vec<Vec<Line>>,
    /// The piece that is being given out, and how many of its lines are.
    piece: usize,
    used: usize,
}

impl std::fmt::Debug for Suspendable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Steps")
            .field("items", &self.items.len())
            .finish_non_exhaustive()
    }
}

impl Frames {
    fn take_back(&mut self) {
        (self.piece, self.used) = (0, 0);
    }

    fn give(&mut self, bytes: usize) -> Option<*mut Frame> {
        let mut lines = bytes.div_ceil(size_of::<Line>()).max(1);
        // An odd number: or else the same part of all frames would fall into few sets of the cache.
        lines |= 1;
        loop {
            match self.pieces.get_mut(self.piece) {
                Some(piece) if piece.len() - self.used >= lines => {
                    let at = &raw mut piece[self.used];
                    self.used += lines;
                    return Some(at.cast());
                }
                Some(_) => {
                    self.piece += 1;
                    self.used = 0;
                }
                None => {
                    let size = lines.max(PIECE);
                    let mut piece = Vec::new();
                    piece.try_reserve_exact(size).ok()?;
                    piece.resize(size, Line([0; 128]));
                    self.pieces.push(piece);
                }
            }
        }
    }

    /// Whether an address is in a frame.
    pub fn contains(&self, address: usize) -> bool {
        self.pieces.iter().any(|piece| {
            let start = piece.as_ptr() as usize;
            (start..start + size_of_val(piece.as_slice())).contains(&address)
        })
    }
}

impl Suspendable {
    /// Makes the sub-groups of a group, of `width` items each. They are the same for all groups of a launch.
    pub fn prepare(&mut self, group: *mut Group, width: u64) {
        // SAFETY: the group is alive, and nobody else uses it now.
        let Group { range, size, .. } = unsafe {
            (*group).frames = self.frames.get().cast();
            *group
        };
        let local = range.local_size;
        self.items.clear();
        self.items.extend((0..size.div_ceil(width)).map(|i| {
            let n = i * width;
            let there = width.min(size - n);
            Item {
                local_id: [n % local[0], n / local[0] % local[1], n / (local[0] * local[1])],
                linear_id: n,
                group,
                lane: 0,
                lanes: there,
                is_partial: (there < width).into(),
                fiber: ptr::null_mut(),
            }
        }));
    }

    /// Runs the sub-groups of the group that they were made for, to the end.
    ///
    /// # Safety
    /// The code must be a compiled kernel's that returns at barriers, with the arguments that it expects. It must run
    /// guarded. The group must be alive.
    pub unsafe fn run(&mut self, entry: SuspendableEntry, args: *const u8) {
        // SAFETY: ours; no code runs that asks for frames.
        unsafe { (*self.frames.get()).take_back() };
        self.waiting.clear();
        for item in &mut self.items {
            // SAFETY: passed on to the caller; the code gives the frame that it asked for.
            unsafe {
                let frame = entry(item, args);
                if (*frame).resume.is_some() {
                    self.waiting.push(frame);
                }
            }
        }
        while !self.waiting.is_empty() {
            self.waiting.retain(|&frame| {
                // SAFETY: a frame that waits; it says itself whether it still does.
                unsafe {
                    if let Some(resume) = (*frame).resume {
                        resume(frame);
                    }
                    (*frame).resume.is_some()
                }
            });
        }
    }
}

/// The memory for frames of a group's sub-groups.
///
/// # Safety
/// The group must be alive.
pub(super) unsafe fn frames_of(group: *const Group) -> *mut Frames {
    // SAFETY: passed on to the caller.
    unsafe { (*group).frames.cast() }
}

/// Called by compiled code when it begins: gives the memory for a frame.
///
/// # Safety
/// The item must be one that runs here.
pub(super) unsafe extern "C" fn oxur_frame(item: *const Item, bytes: u64) -> *mut u8 {
    // SAFETY: passed on to the caller.
    let frame = unsafe { (*frames_of((*item).group)).give(bytes as usize) };
    let Some(frame) = frame else {
        guard::raise_fault(Fault::OutOfMemory);
        return ptr::null_mut();
    };
    // SAFETY: there is room for its head. Code that never waits leaves it alone.
    unsafe { (*frame).resume = None };
    frame.cast()
}
