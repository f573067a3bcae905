// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Limits that the adapter chooses.

use kit::ur::QueueFlags;
use oxur_adapter_kit as kit;

/// The supported flags of queues. All but the first two are hints without effect: commands are submitted at once, the
/// system schedules the threads, all streams are equal, and events that the client does not request are never created.
pub(crate) const QUEUE_FLAGS: QueueFlags = QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE
    .union(QueueFlags::PROFILING_ENABLE)
    .union(QueueFlags::DISCARD_EVENTS)
    .union(QueueFlags::PRIORITY_LOW)
    .union(QueueFlags::PRIORITY_HIGH)
    .union(QueueFlags::SUBMISSION_BATCHED)
    .union(QueueFlags::SUBMISSION_IMMEDIATE)
    .union(QueueFlags::USE_DEFAULT_STREAM)
    .union(QueueFlags::SYNC_WITH_DEFAULT_STREAM);

/// The most work-items that a work-group has, in all and in each dimension.
pub(crate) const WORK_GROUP_SIZE: usize = oxur_compiler::MAX_WORK_GROUP_SIZE;

/// The sub-group sizes that a kernel may require.
pub(crate) const SUB_GROUP_SIZES: [u32; 3] = [8, 16, 32];

/// The most sub-groups that a work-group has.
pub(crate) const SUB_GROUPS: usize = WORK_GROUP_SIZE / SUB_GROUP_SIZES[0] as usize;

/// The bytes of local memory of a work-group. It is ordinary memory: as much as fits well into a core's cache.
pub(crate) const LOCAL_MEMORY: usize = 256 << 10;

/// The size of a kernel's arguments that is guaranteed to work, in bytes.
pub(crate) const ARGUMENTS: usize = 64 << 10;

/// The number of work-groups of a kernel with a device barrier. All of them are resident, and each item has a stack.
pub(crate) const COOPERATIVE_GROUPS: u32 = 256;

/// The alignment of buffers and USM, in bytes: that of the largest type.
pub(crate) const ALIGNMENT: usize = 128;

/// The width and height of 1D and 2D images, in pixels.
pub(crate) const IMAGE_2D: usize = 16384;

/// The width, height and depth of 3D images, in pixels.
pub(crate) const IMAGE_3D: usize = 2048;

/// How many images an array has.
pub(crate) const IMAGE_ARRAY: usize = 2048;

/// How many images, samplers or constant pointers a kernel may have as arguments.
pub(crate) const IMAGE_ARGUMENTS: u32 = 480;

/// The share of memory that one allocation can have.
pub(crate) fn allocation(memory: u64) -> u64 {
    memory / 2
}
