// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Runs vectorized kernels with barriers: each sub-group runs up to a barrier and returns. When all have returned, each
//! is resumed.
//!
//! The state of a sub-group across a barrier is in its coroutine frame. A thread reuses the memory of frames: for all groups of a
//! launch, each sub-group has the same.

use std::ptr;

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

/// The state of a thread for such kernels, which is reused.
#[derive(Default)]
pub struct Suspendable {
    items: Vec<Item>,
    /// Groups point to it, so it is not in here: that is borrowed exclusively while code runs.
    frames: Box<Frames>,
}

/// The coroutine frames of a group's sub-groups, side by side.
#[derive(Default)]
pub struct Frames(Vec<Line>);

impl std::fmt::Debug for Suspendable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Suspendable")
            .field("items", &self.items.len())
            .finish_non_exhaustive()
    }
}

impl Frames {
    /// Makes room for so many lines; gives the first.
    fn reserve(&mut self, lines: usize) -> Result<*mut Line, Fault> {
        if self.0.len() < lines {
            self.0.clear();
            self.0.try_reserve_exact(lines).map_err(|_| Fault::OutOfMemory)?;
            self.0.resize(lines, Line([0; 128]));
        }
        Ok(self.0.as_mut_ptr())
    }

    /// Whether an address is in a frame.
    pub fn contains(&self, address: usize) -> bool {
        let start = self.0.as_ptr() as usize;
        (start..start + size_of_val(self.0.as_slice())).contains(&address)
    }
}

impl Suspendable {
    /// Prepares the sub-groups of a group, of `width` items and with frames of so many bytes each: each within a row of the group,
    /// or across rows. They are the same for all groups of a launch.
    pub fn prepare(&mut self, group: *mut Group, width: u64, frame: u64, spans_rows: bool) -> Result<(), Fault> {
        // SAFETY: the group is alive, and nothing else uses it now.
        let Group { range, size, .. } = unsafe { *group };
        let local = range.local_size;
        let row = if spans_rows { size } else { local[0] };
        let in_row = row.div_ceil(width);
        let count = in_row * (size / row);
        // An odd number of lines. Otherwise equal offsets in all frames would map to few sets of the cache.
        let lines = frame.div_ceil(size_of::<Line>() as u64).max(1) | 1;
        let all = lines.checked_mul(count).and_then(|n| usize::try_from(n).ok());
        let frames = self.frames.reserve(all.ok_or(Fault::OutOfMemory)?)?;
        // SAFETY: as above.
        unsafe { (*group).frames = (&raw const *self.frames).cast() };
        self.items.clear();
        self.items.extend((0..count).map(|i| {
            let (row_start, start) = (i / in_row * row, i % in_row * width);
            let n = row_start + start;
            let there = width.min(row - start);
            // SAFETY: there is room for so many frames, and the head is less than a line. Code that never suspends does not
            // write to it.
            let frame = unsafe {
                let frame = frames.add((lines * i) as usize).cast::<Frame>();
                (*frame).resume = None;
                frame
            };
            Item {
                local_id: [n % local[0], n / local[0] % local[1], n / (local[0] * local[1])],
                linear_id: n,
                group,
                lane: 0,
                lanes: there,
                is_partial: (there < width).into(),
                fiber: ptr::null_mut(),
                frame: frame.cast(),
            }
        }));
        Ok(())
    }

    /// Runs the sub-groups of the prepared group to their end.
    ///
    /// # Safety
    /// The code must be a compiled kernel's that returns at barriers, with arguments that fit and frames as large as it was
    /// prepared for. It must run guarded. The group must be alive.
    pub unsafe fn run(&mut self, entry: SuspendableEntry, args: *const u8) {
        let (first, count) = (self.items.as_mut_ptr(), self.items.len());
        for i in 0..count {
            // SAFETY: passed on to the caller; one of as many items.
            unsafe { entry(first.add(i), args) };
        }
        let mut some_wait = true;
        while some_wait {
            some_wait = false;
            for i in 0..count {
                // SAFETY: a frame that was prepared, which says itself whether its code is suspended.
                unsafe {
                    let frame = (*first.add(i)).frame.cast::<Frame>();
                    if let Some(resume) = (*frame).resume {
                        resume(frame);
                        some_wait = true;
                    }
                }
            }
        }
    }
}

/// The frames of a group's sub-groups.
///
/// # Safety
/// The group must be alive.
pub(super) unsafe fn frames_of(group: *const Group) -> *const Frames {
    // SAFETY: passed on to the caller.
    unsafe { (*group).frames.cast() }
}
