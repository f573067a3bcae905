// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Runs vectorized kernels with barriers: each sub-group runs up to a barrier and returns. When all have returned, each
//! is resumed.
//!
//! The state of a sub-group across a barrier is in its coroutine frame. Frames are in an arena that a thread reuses.

use std::cell::UnsafeCell;
use std::ptr;

use super::trap;
use crate::Fault;
use crate::abi::{Group, Item};

/// The head of a coroutine frame, as LLVM lays it out.
#[repr(C)]
#[derive(Debug)]
pub struct Frame {
    /// Resumes the coroutine; null if it has ended. (LLVM's `fastcc`, which for a single pointer is the same as C's.)
    resume: Option<unsafe extern "C" fn(*mut Frame)>,
}

/// The entry of a kernel for one item per lane, which runs up to a barrier.
pub type SuspendableEntry = unsafe extern "C" fn(*mut Item, *const u8) -> *mut Frame;

/// Frames are aligned to the largest vector type, which the vectorizer relies on.
#[repr(C, align(128))]
#[derive(Clone, Copy)]
struct Line([u8; 128]);

/// How many lines are allocated at a time, unless a frame needs more.
const PIECE: usize = 512;

/// The state of a thread for such kernels, which is reused.
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
    /// The chunk that is being handed out, and how many of its lines are in use.
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
        // An odd number of lines. Otherwise equal offsets in all frames would map to few sets of the cache.
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
    /// Prepares the sub-groups of a group, of `width` items each. They are the same for all groups of a launch.
    pub fn prepare(&mut self, group: *mut Group, width: u64) {
        // SAFETY: the group is alive, and nothing else uses it now.
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

    /// Runs the sub-groups of the prepared group to their end.
    ///
    /// # Safety
    /// The code must be a compiled kernel's that returns at barriers, with arguments that fit. It must run guarded. The
    /// group must be alive.
    pub unsafe fn run(&mut self, entry: SuspendableEntry, args: *const u8) {
        // SAFETY: our own, and no code runs that asks for frames.
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
                // SAFETY: a suspended frame, which says itself whether it still is.
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

/// Called by compiled code when it begins: allocates a frame.
///
/// # Safety
/// The item must run here.
pub(super) unsafe extern "C" fn oxur_frame(item: *const Item, bytes: u64) -> *mut u8 {
    // SAFETY: passed on to the caller.
    let frame = unsafe { (*frames_of((*item).group)).give(bytes as usize) };
    let Some(frame) = frame else {
        trap::raise_fault(Fault::OutOfMemory);
        return ptr::null_mut();
    };
    // SAFETY: there is room for the head. Code that never suspends does not write to it.
    unsafe { (*frame).resume = None };
    frame.cast()
}
