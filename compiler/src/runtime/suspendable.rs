// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Runs kernels with barriers that suspend. In vectorized ones, which are LLVM's coroutines, each sub-group runs up to a barrier and
//! returns. When all have returned, each is resumed. In quick code, single items do the same, for their sub-group, too (`fibers.rs`).
//!
//! The state of a sub-group or an item while it waits is in its frame. A thread reuses the memory of frames: for all groups of a
//! launch, each sub-group has the same.

use std::ptr;

use super::fibers::FrameGroup;
use crate::Fault;
use crate::abi::{FRAME_ALIGN, Group, Item, layout};
use crate::workgroup::CodeInfo;

/// The head of a frame, as LLVM lays those of coroutines out.
#[repr(C)]
#[derive(Debug)]
pub struct Frame {
    /// Goes on; null at the end. (In coroutines LLVM's `fastcc`, which for a single pointer is the same as C's.)
    resume: Option<unsafe extern "C" fn(*mut Frame)>,
}

impl Frame {
    /// Goes on with the code of a frame, if it is suspended. Returns whether it was.
    ///
    /// # Safety
    /// The frame is one of compiled code, or none that has begun; all that the code uses is alive.
    unsafe fn resume(frame: *mut Self) -> bool {
        // SAFETY: passed on to the caller. The code has the whole frame, of which this is the head.
        unsafe {
            let resume = (*frame).resume;
            if let Some(resume) = resume {
                resume(frame);
            }
            resume.is_some()
        }
    }

    /// The same for an item that may not have begun. Returns whether it is suspended then.
    ///
    /// # Safety
    /// As for [`Frame::resume`].
    pub(super) unsafe fn advance(item: *mut Item, code: SuspendableCode, has_begun: bool) -> bool {
        // SAFETY: passed on to the caller.
        unsafe {
            let frame = (*item).frame.cast::<Self>();
            if !has_begun {
                // It only makes the frame.
                (code.entry)(item, code.args);
            }
            Self::resume(frame);
            (*frame).resume.is_some()
        }
    }
}

/// The entry of a kernel for one item per lane, or for one item, which runs up to a barrier.
pub type SuspendableEntry = unsafe extern "C" fn(*mut Item, *const u8) -> *mut Frame;

/// A kernel that suspends.
#[derive(Clone, Copy, Debug)]
pub struct SuspendableCode {
    /// The code.
    pub entry: SuspendableEntry,
    /// Its block of arguments.
    pub args: *const u8,
}

/// Where the frames of a group are.
#[derive(Clone, Copy, Debug)]
pub struct FrameLayout {
    first: *mut Line,
    /// How far they are apart.
    lines: u64,
}

impl FrameLayout {
    /// A frame.
    pub(super) fn of(self, number: u64) -> *mut Frame {
        self.first.wrapping_add((self.lines * number) as usize).cast()
    }
}

/// Frames are aligned to two registers of the largest vectors, which compiled code relies on.
#[repr(C, align(128))]
#[derive(Clone, Copy, Debug)]
struct Line([u8; 128]);

const _: () = {
    assert!(align_of::<Line>() as u64 == FRAME_ALIGN);
    assert!(std::mem::offset_of!(Frame, resume) as u64 == layout::FRAME_RESUME);
};

/// The state of a thread for such kernels, which is reused.
#[derive(Default)]
pub struct Suspendable {
    items: Vec<Item>,
    /// For code of single items.
    single: FrameGroup,
    /// Groups point to it, so it is not in here: that is borrowed exclusively while code runs.
    frames: Box<Frames>,
}

/// The frames of a group's sub-groups or items, side by side.
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
    /// Prepares so many frames of so many bytes for a group, none of them suspended.
    fn frames(&mut self, group: *mut Group, count: u64, bytes: u64) -> Result<FrameLayout, Fault> {
        // An odd number of lines. Otherwise equal offsets in all frames would map to few sets of the cache.
        let lines = bytes.div_ceil(size_of::<Line>() as u64).max(1) | 1;
        let all = lines.checked_mul(count).and_then(|n| usize::try_from(n).ok());
        let first = self.frames.reserve(all.ok_or(Fault::OutOfMemory)?)?;
        // SAFETY: the group is alive, and nothing else uses it now.
        unsafe { (*group).frames = (&raw const *self.frames).cast() };
        let layout = FrameLayout { first, lines };
        for number in 0..count {
            // SAFETY: there is room for so many frames, and the head is less than a line. Code that never suspends does not write
            // to it.
            unsafe { (*layout.of(number)).resume = None };
        }
        Ok(layout)
    }

    /// Prepares the items of a group for code of one item, with frames of so many bytes each.
    ///
    /// # Safety
    /// The code must be a compiled kernel's that returns where an item waits, with arguments that fit and frames of that size. The
    /// group must be alive as long as [`FrameGroup::run`] runs.
    pub unsafe fn prepare_items(
        &mut self,
        group: *mut Group,
        code: SuspendableCode,
        sub_group: usize,
        frame: u64,
    ) -> Result<&mut FrameGroup, Fault> {
        // SAFETY: the group is alive, and nothing else uses it now.
        let count = unsafe { (*group).size };
        let frames = self.frames(group, count, frame)?;
        // SAFETY: passed on to the caller.
        unsafe { self.single.prepare(group, code, sub_group, frames) };
        Ok(&mut self.single)
    }

    /// Prepares the sub-groups of a group for vectorized code: each within a row of the group, or across rows. Where the code has
    /// blocks of rows, as many of them as possible are blocks, with one item for each. They are the same for all groups of a launch.
    pub fn prepare(&mut self, group: *mut Group, code: &CodeInfo) -> Result<(), Fault> {
        // SAFETY: the group is alive, and nothing else uses it now.
        let Group { range, size, .. } = unsafe { *group };
        let (width, local) = (u64::from(code.lanes), range.local_size);
        let row = if code.spans_rows { size } else { local[0] };
        let in_row = row.div_ceil(width);
        let rows_of_block = u64::from(code.rows);
        let blocks_end = local[1] - local[1] % rows_of_block;
        // The rows at which items begin: the first one of a block, or a single one.
        let is_block = |n: u64| rows_of_block > 1 && n % local[1] < blocks_end;
        let starts = (0..size / row).filter(|n| !is_block(*n) || (n % local[1]).is_multiple_of(rows_of_block));
        let frames = self.frames(group, in_row * starts.clone().count() as u64, code.frame)?;
        self.items.clear();
        for (start_row, x) in starts.flat_map(|n| (0..in_row).map(move |i| (n, i * width))) {
            let n = start_row * row + x;
            let there = width.min(row - x);
            self.items.push(Item {
                local_id: [n % local[0], n / local[0] % local[1], n / (local[0] * local[1])],
                linear_id: n,
                group,
                lane: 0,
                lanes: there,
                is_partial: (there < width).into(),
                is_block: is_block(start_row).into(),
                fiber: ptr::null_mut(),
                frame: frames.of(self.items.len() as u64).cast(),
            });
        }
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
                    some_wait |= Frame::resume(frame);
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
