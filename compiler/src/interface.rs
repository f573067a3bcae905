// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The interface of a kernel: its parameters, the layout of its arguments, and the range of a launch.

use crate::code::Variant;

/// The properties of a kernel that are known without compiling it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelInfo {
    /// The name of the entry point.
    pub name: String,
    /// The parameters, in order.
    pub params: Vec<Param>,
    /// The size of a block of arguments, in bytes.
    pub args_size: usize,
    /// The largest alignment of a parameter, which is the alignment of a block.
    pub args_align: usize,
    /// `LocalSize`: the required work-group size.
    pub required_work_group_size: Option<[u32; 3]>,
    /// `LocalSizeHint`.
    pub work_group_size_hint: Option<[u32; 3]>,
    /// `MaxWorkgroupSizeINTEL`, as a number of work-items.
    pub max_work_group_size: Option<u32>,
    /// The sub-group size: the one that `SubgroupSize` requires, or our choice.
    pub sub_group_size: u32,
    /// Whether the kernel requires that size.
    pub sub_group_size_required: bool,
    /// How many items make a sub-group in the code: `sub_group_size`, or more where the kernel cannot tell.
    pub collective_width: u32,
    /// The required number of sub-groups in a work-group (`SubgroupsPerWorkgroup`).
    pub sub_groups_per_work_group: Option<u32>,
    /// The size of the kernel's own local variables, in bytes, without `Local` arguments.
    pub local_memory: usize,
    /// Whether work-items of a group wait for each other (barriers, collectives).
    pub has_barriers: bool,
    /// Whether all work-groups wait for each other (a barrier of scope `Device`: SYCL's root group).
    pub has_device_barrier: bool,
    /// Whether it has assertions, which may fail.
    pub has_assertions: bool,
}

/// A parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// Its kind.
    pub kind: ParamKind,
    /// Its size in bytes: that of the value, or 8.
    pub size: usize,
    /// Its offset in the block of arguments.
    pub offset: usize,
    /// Its name, if the module has one.
    pub name: String,
}

/// The kind of a parameter, which determines its representation in the block of arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    /// The value itself.
    Value,
    /// An address, 8 bytes.
    Pointer(AddressSpace),
    /// A pointer to local memory, whose size the launch decides. The block contains, as a `u64`, the offset of the
    /// argument's memory in the work-group's local memory: see [`KernelInfo::place_local`].
    Local,
    /// The address of an [`Image`], 8 bytes.
    Image,
    /// [`SamplerBits`] in the low 4 bytes of 8.
    Sampler,
}

/// The address space of a pointer. All are addresses of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressSpace {
    /// `CrossWorkgroup`.
    Global,
    /// `UniformConstant`.
    Constant,
    /// `Generic` and the rest.
    Generic,
}

/// The alignment of local memory: that of the largest vector type.
pub(crate) const LOCAL_ALIGN: usize = 128;

/// Assigns offsets to arguments of local memory of the given sizes, in the order of the parameters, after the kernel's `own` bytes. Code
/// knows where the first one is. Calls `place` with the offset of each. Returns the size of a work-group's local memory, or `None`
/// if that overflows.
#[inline]
pub fn place_local(own: usize, sizes: impl IntoIterator<Item = usize>, mut place: impl FnMut(u64)) -> Option<usize> {
    let mut end = own;
    for size in sizes {
        let start = end.checked_next_multiple_of(LOCAL_ALIGN)?;
        place(start as u64);
        end = start.checked_add(size)?;
    }
    Some(end)
}

impl KernelInfo {
    /// [Places](place_local) the `Local` arguments of the kernel.
    pub fn place_local(&self, sizes: impl IntoIterator<Item = usize>, place: impl FnMut(u64)) -> Option<usize> {
        place_local(self.local_memory, sizes, place)
    }

    /// The offset of the first `Local` argument, whatever its size is.
    pub(crate) fn first_local(&self) -> u64 {
        self.local_memory.next_multiple_of(LOCAL_ALIGN) as u64
    }
}

/// The most work-items that a work-group may have.
pub const MAX_WORK_GROUP_SIZE: usize = 8192;

/// The range of a launch.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NdRange {
    /// 1 to 3. In further dimensions, offsets are 0 and sizes 1.
    pub dimensions: u64,
    /// The first global id.
    pub global_offset: [u64; 3],
    /// The number of work-items.
    pub global_size: [u64; 3],
    /// The number of work-items in a group, a divisor of the global size.
    pub local_size: [u64; 3],
}

impl NdRange {
    /// How many work-groups there are in each dimension.
    pub fn groups(&self) -> [u64; 3] {
        std::array::from_fn(|d| self.global_size[d] / self.local_size[d].max(1))
    }

    /// The number of work-groups. The product does not overflow, because launches are checked.
    pub fn group_count(&self) -> u64 {
        self.groups().iter().product()
    }

    /// How many work-items a group has.
    pub fn group_size(&self) -> u64 {
        self.local_size.iter().product()
    }
}

/// A range that a kernel has code for: see [`Kernel::prepare`](crate::Kernel::prepare).
#[derive(Clone, Copy, Debug)]
pub struct PreparedRange {
    pub(crate) range: NdRange,
    /// The code that was there. A run takes better code, if there is some by then.
    pub(crate) code: Variant,
}

impl PreparedRange {
    /// The range.
    pub fn range(&self) -> &NdRange {
        &self.range
    }
}

/// A launch: the same for all of its work-groups.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// The block of arguments, laid out as the kernel's [`Param`]s say.
    pub args: &'a [u8],
    /// The range, prepared by the kernel that is launched.
    pub range: PreparedRange,
    /// The size of a work-group's local memory, in bytes: the result of [`KernelInfo::place_local`].
    pub local_memory: usize,
}

/// An image, as compiled code sees it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Image {
    /// The first pixel.
    pub data: *mut u8,
    /// Width, height and depth in pixels; 1 where there is no such dimension.
    pub size: [u64; 3],
    /// How many images an array has, else 1.
    pub array_size: u64,
    /// Bytes from row to row.
    pub row_pitch: u64,
    /// Bytes from slice to slice, or from image to image of an array.
    pub slice_pitch: u64,
    /// OpenCL's `cl_channel_order` (`CL_R` is 0x10B0).
    pub channel_order: u32,
    /// OpenCL's `cl_channel_type` (`CL_SNORM_INT8` is 0x10D0).
    pub channel_type: u32,
    /// 1, 2 or 3.
    pub dimensions: u32,
    /// Whether it is an array.
    pub is_array: u32,
    /// The sampler of a bindless sampled image: kernels know that by the address of this structure, as they know a bindless
    /// image.
    pub sampler: SamplerBits,
    /// What code the format has in kernels: see [`Image::classified`].
    pub class: u32,
}

/// A sampler, as compiled code sees it: SPIR-V's values of `OpConstantSampler`.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SamplerBits(pub u32);

/// The bits of [`SamplerBits`].
pub(crate) mod sampler {
    /// Coordinates run over [0, 1).
    pub const NORMALIZED: u32 = 1;
    /// Where the addressing mode begins: three bits.
    pub const MODE: u32 = 1;
    /// Pixels are mixed.
    pub const LINEAR: u32 = 1 << 4;
    /// The second and the third dimension have modes of their own. From here on, bits are only of bindless images.
    pub const BY_DIMENSION: u32 = 1 << 5;
    /// Where these begin.
    pub const MODES: [u32; 2] = [6, 9];
    /// Levels of mipmaps are mixed.
    pub const LINEAR_LEVELS: u32 = 1 << 12;

    // Addressing modes; `Clamp`, 2, is as `None`.
    pub const NONE: u32 = 0;
    pub const CLAMP_TO_EDGE: u32 = 1;
    pub const REPEAT: u32 = 3;
    pub const MIRRORED_REPEAT: u32 = 4;
}

impl SamplerBits {
    /// What reads without a sampler have.
    pub const NONE: Self = Self(0);

    /// `addressing` is SPIR-V's Sampler Addressing Mode (0 none, 1 clamp to edge, 2 clamp, 3 repeat, 4 mirrored
    /// repeat).
    pub fn new(normalized: bool, addressing: u32, linear: bool) -> Self {
        Self(u32::from(normalized) | addressing << 1 | u32::from(linear) << 4)
    }

    /// The same with an addressing mode for each dimension.
    pub fn with_addressing(self, modes: [u32; 3]) -> Self {
        let [first, second, third] = modes.map(|mode| mode & 7);
        let rest = self.0 & !(7 << sampler::MODE);
        let [low, high] = sampler::MODES;
        Self(rest | first << sampler::MODE | sampler::BY_DIMENSION | second << low | third << high)
    }

    /// The same, and levels of mipmaps are mixed.
    pub fn with_linear_levels(self) -> Self {
        Self(self.0 | sampler::LINEAR_LEVELS)
    }
}
