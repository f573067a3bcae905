// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The ABI between compiled code and the runtime: structures that the runtime fills and compiled code reads, and the
//! offsets of their members, for the stages that emit that code.

use std::ffi::c_void;

use crate::NdRange;

/// A work-group while it runs.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// The launch's range.
    pub range: NdRange,
    /// How many groups there are.
    pub num_groups: [u64; 3],
    /// Its group id.
    pub id: [u64; 3],
    /// The global id of its first item.
    pub start: [u64; 3],
    /// The local ids of all items, for code whose sub-groups span rows; or null. See [`LocalIds`].
    pub ids: *const u16,
    /// How many items it has.
    pub size: u64,
    /// Its local memory.
    pub local_memory: *mut u8,
    /// How many bytes that has.
    pub local_size: u64,
    /// All ones if all its stores go to the caches, 0 if those that may go past them do.
    pub cached_mask: u64,
    /// The frames of its sub-groups, if its code suspends at barriers; or null.
    pub frames: *const c_void,
}

impl Group {
    /// The group of these sizes and this id. It has no memory yet.
    pub fn new(range: NdRange, id: [u64; 3]) -> Self {
        let mut group = Self {
            range,
            num_groups: range.groups(),
            id,
            start: [0; 3],
            ids: std::ptr::null(),
            size: range.group_size(),
            local_memory: std::ptr::null_mut(),
            local_size: 0,
            cached_mask: u64::MAX,
            frames: std::ptr::null(),
        };
        group.set_id_of(&range, id);
        group
    }

    /// Makes it the group of an id of a range.
    pub fn set_id_of(&mut self, range: &NdRange, id: [u64; 3]) {
        let NdRange {
            local_size,
            global_offset,
            ..
        } = range;
        self.id = id;
        self.start = std::array::from_fn(|d| (id[d] * local_size[d]).wrapping_add(global_offset[d]));
    }

    /// Goes on by `count` groups of a range, which are all in one row. Behind the last group, ids may wrap.
    #[inline]
    pub fn advance(&mut self, range: &NdRange, count: u64) {
        self.id[0] += count;
        self.start[0] = self.start[0].wrapping_add(count * range.local_size[0]);
        if self.id[0] == self.num_groups[0] {
            let [_, y, z] = self.id;
            let id = if y + 1 == self.num_groups[1] {
                [0, 0, z + 1]
            } else {
                [0, y + 1, z]
            };
            self.set_id_of(range, id);
        }
    }
}

/// The local ids of the items of a group as code reads them whose sub-groups span rows. For the items of each sub-group, the ids
/// of dimension 0 lie side by side, then those of dimension 1, then those of dimension 2.
#[derive(Debug, Default)]
pub struct LocalIds {
    local_size: [u64; 3],
    lanes: u64,
    ids: Vec<u16>,
}

impl LocalIds {
    /// Bytes of the ids of an item.
    pub const BYTES: u64 = 6;

    /// The ids of a group of a size, in sub-groups of so many lanes. A group has at most
    /// [`MAX_WORK_GROUP_SIZE`](crate::MAX_WORK_GROUP_SIZE) items, so that ids have 16 bits.
    pub fn get(&mut self, local_size: [u64; 3], lanes: u64) -> *const u16 {
        if (self.local_size, self.lanes) != (local_size, lanes) {
            (self.local_size, self.lanes) = (local_size, lanes);
            self.ids.clear();
            let [x, y, z] = local_size;
            for first in (0..x * y * z).step_by(lanes as usize) {
                // The lanes beyond the end of the group have ids, too, which nobody uses.
                let items = first..first + lanes;
                self.ids.extend(items.clone().map(|n| (n % x) as u16));
                self.ids.extend(items.clone().map(|n| (n / x % y) as u16));
                self.ids.extend(items.map(|n| (n / (x * y)) as u16));
            }
        }
        self.ids.as_ptr()
    }
}

/// A work-item while it runs.
#[repr(C)]
#[derive(Debug)]
pub struct Item {
    /// Its id in the group.
    pub local_id: [u64; 3],
    /// Its linear id in the group.
    pub linear_id: u64,
    /// Its group.
    pub group: *const Group,
    /// Its id in its sub-group, if it has a stack of its own.
    pub lane: u64,
    /// How many lanes are active, if not all.
    pub lanes: u64,
    /// Whether not all lanes are active.
    pub is_partial: u64,
    /// Whether it is the first of a block of rows, which its code runs side by side.
    pub is_block: u64,
    /// The runtime's state of the item, if it has a stack of its own; or null.
    pub fiber: *mut c_void,
    /// The memory for the frame of its code, if that suspends at barriers; or null.
    pub frame: *mut c_void,
}

/// The alignment of the frames of code that suspends, in bytes. Vectors of 32 lanes may be larger, but LLVM accesses their registers one by
/// one, and those have 64 bytes at most.
pub const FRAME_ALIGN: u64 = 128;

/// The most items that a sub-group may have.
pub const LANES: usize = 64;

/// The operands of a sub-group's collective, or its results.
#[repr(C)]
#[derive(Debug)]
pub struct Rendezvous {
    /// A bit for each lane that takes part.
    pub mask: u64,
    /// The operand of each lane, or its result.
    pub slots: [u64; LANES],
    /// Whether the slots hold results.
    pub is_combined: bool,
    /// What words of local memory have been combined to since.
    pub words: Option<u64>,
}

#[allow(missing_docs, reason = "each is the offset of the member that it is named after")]
/// The offsets of the members of these structures, in bytes.
pub mod layout {
    use std::mem::{offset_of, size_of};

    use super::{Group, Item, Rendezvous};
    use crate::NdRange;

    pub const ITEM_SIZE: u64 = size_of::<Item>() as u64;
    pub const ITEM_LOCAL_ID: u64 = offset_of!(Item, local_id) as u64;
    pub const ITEM_LINEAR_ID: u64 = offset_of!(Item, linear_id) as u64;
    pub const ITEM_GROUP: u64 = offset_of!(Item, group) as u64;
    const RANGE: u64 = offset_of!(Group, range) as u64;
    pub const GROUP_DIMENSIONS: u64 = RANGE + offset_of!(NdRange, dimensions) as u64;
    pub const GROUP_GLOBAL_OFFSET: u64 = RANGE + offset_of!(NdRange, global_offset) as u64;
    pub const GROUP_GLOBAL_SIZE: u64 = RANGE + offset_of!(NdRange, global_size) as u64;
    pub const GROUP_LOCAL_SIZE: u64 = RANGE + offset_of!(NdRange, local_size) as u64;
    pub const GROUP_NUM_GROUPS: u64 = offset_of!(Group, num_groups) as u64;
    pub const GROUP_ID: u64 = offset_of!(Group, id) as u64;
    pub const GROUP_START: u64 = offset_of!(Group, start) as u64;
    pub const GROUP_IDS: u64 = offset_of!(Group, ids) as u64;
    pub const GROUP_SIZE: u64 = offset_of!(Group, size) as u64;
    pub const GROUP_LOCAL_MEMORY: u64 = offset_of!(Group, local_memory) as u64;
    pub const GROUP_CACHED_MASK: u64 = offset_of!(Group, cached_mask) as u64;
    pub const ITEM_LANE: u64 = offset_of!(Item, lane) as u64;
    pub const ITEM_LANES: u64 = offset_of!(Item, lanes) as u64;
    pub const ITEM_FRAME: u64 = offset_of!(Item, frame) as u64;
    pub const ITEM_IS_PARTIAL: u64 = offset_of!(Item, is_partial) as u64;
    pub const ITEM_IS_BLOCK: u64 = offset_of!(Item, is_block) as u64;
    /// The code that resumes a frame: its first member, as in LLVM's coroutines.
    pub const FRAME_RESUME: u64 = 0;
    pub const MEETING_MASK: u64 = offset_of!(Rendezvous, mask) as u64;
    pub const MEETING_SLOTS: u64 = offset_of!(Rendezvous, slots) as u64;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_follow_each_other() {
        let range = NdRange {
            dimensions: 3,
            global_offset: [7, 100, 3],
            global_size: [5 * 4, 3 * 2, 2 * 3],
            local_size: [4, 2, 3],
        };
        let [x, y, z] = range.groups();
        for together in [1, 2, 5] {
            let mut group = Group::new(range, [0; 3]);
            let mut n = 0;
            while n < x * y * z {
                let id = [n % x, n / x % y, n / (x * y)];
                let expected = Group::new(range, id);
                assert_eq!((group.id, group.start), (expected.id, expected.start));
                let count = together.min(x - id[0]);
                group.advance(&range, count);
                n += count;
            }
        }
    }
}
