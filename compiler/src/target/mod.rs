// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What code is compiled for, and what the stages before code generation must know of it.
//!
//! `link` takes sizes of sub-groups and groups from here, `lower` the data layout and whether accesses name address
//! spaces and scopes, the vectorizer [lanes, registers and costs](Vectors), `builtins` [instructions and libraries for
//! mathematics](math), and `llvm` the machine that it makes code for. Code that is right for one processor is in its folder;
//! what there is one of for each, others know as that of the [host]. What makes a work-group of a work-item is the target's own: `workgroup` for the CPU, `nvptx` for
//! NVIDIA GPUs. Both define the same [intrinsics](crate::intrinsics).

pub mod math;
pub mod nvptx64;
mod vectors;
pub mod x86_64;

use std::ffi::{CStr, CString};

use spirv::StorageClass;

pub(crate) use math::{Math, VectorFunction};
pub use nvptx64::Sm;
pub(crate) use vectors::Vectors;
/// The processors that this compiler runs on: signals, registers, relocations, the rounding mode.
pub use x86_64 as host;

use crate::interface::MAX_WORK_GROUP_SIZE;

/// What code is compiled for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Target {
    /// The CPU of this process: x86-64.
    #[default]
    Host,
    /// NVIDIA GPUs of a compute capability and later ones: PTX.
    Nvptx64(Sm),
}

/// What LLVM calls a machine.
pub(crate) struct MachineName {
    /// The processors, the system and its ABI.
    pub triple: &'static CStr,
    /// The processor.
    pub cpu: CString,
    /// What it has, or has not, beside what its name says.
    pub features: CString,
}

impl Target {
    /// Has LLVM know the processors, which must be done before [`Target::machine`] is used. LLVM must be open.
    pub(crate) fn initialize(self) {
        match self {
            Self::Host => x86_64::initialize(),
            #[cfg(feature = "nvptx")]
            Self::Nvptx64(_) => nvptx64::initialize(),
            #[cfg(not(feature = "nvptx"))]
            Self::Nvptx64(_) => {}
        }
    }

    /// The machine that LLVM makes code for.
    pub(crate) fn machine(self) -> MachineName {
        match self {
            Self::Host => x86_64::machine(),
            Self::Nvptx64(sm) => nvptx64::machine(sm),
        }
    }

    /// The alignment of the block of a kernel's arguments. Clients of the CPU's may give any address.
    pub(crate) fn argument_align(self) -> u64 {
        match self {
            Self::Host => 1,
            Self::Nvptx64(_) => nvptx64::ARGUMENT_ALIGN,
        }
    }

    /// LLVM's data layout.
    pub(crate) fn layout(self) -> &'static CStr {
        match self {
            Self::Host => x86_64::LAYOUT,
            Self::Nvptx64(_) => nvptx64::LAYOUT,
        }
    }

    /// The sub-group size of kernels that do not require one.
    pub(crate) fn sub_group_size(self) -> u32 {
        match self {
            Self::Host => 16,
            Self::Nvptx64(_) => nvptx64::WARP,
        }
    }

    /// How many items the collectives of a work-group combine at a time in kernels that cannot see sub-groups. On the CPU more of memory
    /// is on its way, and there are fewer sub-groups to come and go at barriers.
    pub(crate) fn collective_width(self) -> u32 {
        match self {
            Self::Host => 32,
            Self::Nvptx64(_) => nvptx64::WARP,
        }
    }

    /// The sub-group size in functions that are called through pointers, by any kernel.
    pub(crate) fn unknown_sub_group_size(self) -> u32 {
        match self {
            Self::Host => 1,
            Self::Nvptx64(_) => nvptx64::WARP,
        }
    }

    /// Whether kernels may require a sub-group size.
    pub(crate) fn has_sub_group_size(self, size: u32) -> bool {
        match self {
            Self::Host => matches!(size, 1 | 2 | 4 | 8 | 16 | 32 | 64),
            Self::Nvptx64(_) => size.is_power_of_two() && size <= nvptx64::WARP,
        }
    }

    /// The most work-items that a work-group may have.
    pub(crate) fn max_work_group_size(self) -> usize {
        match self {
            Self::Host => MAX_WORK_GROUP_SIZE,
            Self::Nvptx64(_) => nvptx64::MAX_WORK_GROUP_SIZE,
        }
    }

    /// The address space that a storage class names, where accesses name one. Addresses themselves are all of one
    /// space, which holds the others.
    pub(crate) fn address_space(self, class: StorageClass) -> Option<u32> {
        match self {
            Self::Host => None,
            Self::Nvptx64(_) => nvptx64::address_space(class),
        }
    }

    /// LLVM's name for one of SPIR-V's scopes, where scopes differ. The empty one is the whole system.
    pub(crate) fn scope(self, scope: u64) -> Option<&'static str> {
        match self {
            Self::Host => None,
            Self::Nvptx64(_) => Some(nvptx64::scope(scope)),
        }
    }

    /// Whether loops are unrolled where the module asks for that. The CPU has vectors, and LLVM's own judgement; on a GPU,
    /// arrays are in registers only without loops.
    pub(crate) fn unrolls(self) -> bool {
        self != Self::Host
    }

    /// Whether images have levels of mipmaps, and may be cubes.
    pub(crate) fn has_mipmaps(self) -> bool {
        self != Self::Host
    }

    /// Whether there is an instruction that fuses a multiplication and an addition.
    pub(crate) fn has_fma(self) -> bool {
        match self {
            Self::Host => Math::of_host().fuses,
            Self::Nvptx64(_) => true,
        }
    }

    /// Whether there is one that does so with halfs. LLVM would fuse floats instead, and round twice.
    pub(crate) fn fuses_halfs(self) -> bool {
        match self {
            Self::Host => Math::of_host().fuses_halfs,
            Self::Nvptx64(_) => true,
        }
    }

    /// Whether there is an instruction that makes a float of a half.
    pub(crate) fn converts_halfs(self) -> bool {
        match self {
            Self::Host => Math::of_host().converts_halfs,
            Self::Nvptx64(_) => true,
        }
    }

    /// The function of LLVM's that reads a clock. Those of a GPU's multiprocessors differ, and each group is on one; there is another of the device.
    pub(crate) fn clock(self, of_device: bool) -> &'static str {
        match self {
            Self::Nvptx64(_) if of_device => "llvm.nvvm.read.ptx.sreg.globaltimer",
            _ => "llvm.readcyclecounter",
        }
    }

    /// Whether the items that take part in an operation of a sub-group are not known before it runs.
    pub(crate) fn parts_lanes(self) -> bool {
        self != Self::Host
    }
}

impl std::str::FromStr for Target {
    type Err = String;

    /// `host`, `nvptx64` or `nvptx64:sm_90`.
    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':').unwrap_or((text, "")) {
            ("host", "") => Ok(Self::Host),
            ("nvptx64", "") => Ok(Self::Nvptx64(Sm::default())),
            ("nvptx64", sm) => sm.parse().map(Self::Nvptx64),
            _ => Err(format!("{text} is none of host, nvptx64 and nvptx64:sm_90")),
        }
    }
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Host => f.write_str("host"),
            Self::Nvptx64(sm) => write!(f, "nvptx64:{sm}"),
        }
    }
}
