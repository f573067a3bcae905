// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Limits of the device that we choose.

/// The most work-items that a work-group has, in all and in each dimension.
pub const WORK_GROUP_SIZE: usize = oxur_compiler::MAX_WORK_GROUP_SIZE;

/// The same where the device passes for a GPU, as Intel's and NVIDIA's have it. Programs take work-groups of this size, and local memory
/// for each work-item: with [`WORK_GROUP_SIZE`] that would be more than there is.
pub const GPU_WORK_GROUP_SIZE: usize = 1024;

/// The sub-group sizes that a kernel may require.
pub const SUB_GROUP_SIZES: [u32; 5] = [4, 8, 16, 32, 64];

/// The most sub-groups that a work-group has.
pub const SUB_GROUPS: usize = WORK_GROUP_SIZE / SUB_GROUP_SIZES[0] as usize;

/// The bytes of local memory of a work-group. It is ordinary memory: as much as fits well into a core's cache.
pub const LOCAL_MEMORY: usize = 256 << 10;

/// The size of a kernel's arguments that is guaranteed to work, in bytes.
pub const ARGUMENTS: usize = 64 << 10;

/// The number of work-groups of a kernel with a device barrier. All of them are resident, and each item has a stack.
pub const COOPERATIVE_GROUPS: u32 = 256;

/// The alignment of buffers and USM, in bytes: that of the largest type.
pub const ALIGNMENT: usize = 128;

/// The width and height of 1D and 2D images, in pixels.
pub const IMAGE_2D: usize = 16384;

/// The width, height and depth of 3D images, in pixels.
pub const IMAGE_3D: usize = 2048;

/// How many images an array has.
pub const IMAGE_ARRAY: usize = 2048;

/// How many images, samplers or constant pointers a kernel may have as arguments.
pub const IMAGE_ARGUMENTS: u32 = 480;

/// The share of memory that one allocation can have.
pub fn allocation(memory: u64) -> u64 {
    memory / 2
}

/// `printf` writes immediately, so no buffer can fill up: this is the size, in bytes, that is reported for it.
pub const PRINTF_BUFFER: usize = 1 << 20;

/// What the arithmetic of a floating-point type has besides infinities, NaN, denormals and rounding to the nearest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatCapabilities {
    /// A multiply-add that rounds once.
    pub fma: bool,
    /// Rounding towards zero and the infinities, of conversions only.
    pub directed_rounding: bool,
    /// Division and square root that round correctly, where the program asks for it.
    pub rounded_divide_sqrt: bool,
}

/// Capabilities of `half`. Its arithmetic is that of `float`, rounded, so a fused multiply-add would round twice.
pub const HALF: FloatCapabilities = FloatCapabilities {
    fma: false,
    directed_rounding: false,
    rounded_divide_sqrt: false,
};

/// Capabilities of `float`.
pub const FLOAT: FloatCapabilities = FloatCapabilities {
    fma: true,
    directed_rounding: false,
    rounded_divide_sqrt: true,
};

/// Capabilities of `double`: those that OpenCL requires.
pub const DOUBLE: FloatCapabilities = FloatCapabilities {
    fma: true,
    directed_rounding: true,
    rounded_divide_sqrt: false,
};
