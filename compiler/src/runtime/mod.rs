// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What runs compiled kernels: the structures that their code reads, items on stacks of their own, faults.

mod fibers;
mod float;
pub mod guard;
mod services;
mod stacks;
mod suspendable;

pub use fibers::{Fibers, ItemCode, ItemEntry, LANES};
pub use float::FloatEnv;
pub use services::symbols;
pub use suspendable::{Frames, Suspendable, SuspendableEntry};

use crate::NdRange;

/// A work-group while it runs, as compiled code sees it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// The launch's range.
    pub range: NdRange,
    /// How many groups there are.
    pub num_groups: [u64; 3],
    /// Which group it is.
    pub id: [u64; 3],
    /// How many items it has.
    pub size: u64,
    /// Its local memory.
    pub local_memory: *mut u8,
    /// How many bytes that has.
    pub local_size: u64,
    /// Where its items' frames are, if it is run in [`Suspendable`]; or null.
    pub frames: *mut Frames,
}

/// A work-item while it runs, as compiled code sees it.
#[repr(C)]
#[derive(Debug)]
pub struct Item {
    /// Its id in the group.
    pub local_id: [u64; 3],
    /// Its number in the group.
    pub linear_id: u64,
    /// Its group.
    pub group: *const Group,
    /// Its number in its sub-group, if it has a stack of its own.
    pub lane: u64,
    /// For how many items this one stands, if they are fewer than the code has lanes.
    pub lanes: u64,
    /// Whether that is so.
    pub is_partial: u64,
    /// What runs it, if it has a stack of its own.
    fiber: *mut fibers::Fiber,
}

#[allow(missing_docs, reason = "each is the offset of the member that it is named after")]
/// Where compiled code finds the members of these structures, in bytes.
pub mod layout {
    use std::mem::{offset_of, size_of};

    use super::fibers::Rendezvous;
    use super::{Group, Item};
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
    pub const GROUP_SIZE: u64 = offset_of!(Group, size) as u64;
    pub const GROUP_LOCAL_MEMORY: u64 = offset_of!(Group, local_memory) as u64;
    pub const ITEM_LANE: u64 = offset_of!(Item, lane) as u64;
    pub const ITEM_LANES: u64 = offset_of!(Item, lanes) as u64;
    pub const ITEM_IS_PARTIAL: u64 = offset_of!(Item, is_partial) as u64;
    pub const MEETING_MASK: u64 = offset_of!(Rendezvous, mask) as u64;
    pub const MEETING_SLOTS: u64 = offset_of!(Rendezvous, slots) as u64;
}
