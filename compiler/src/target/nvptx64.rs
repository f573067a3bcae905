// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! NVIDIA GPUs by PTX: compute capabilities, address spaces, scopes.

use std::ffi::{CStr, CString};

use spirv::StorageClass;

use super::MachineName;
use crate::group_ops::scope;

/// LLVM's data layout.
pub const LAYOUT: &CStr = c"e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64";

/// LLVM's name of the processors.
const TRIPLE: &CStr = c"nvptx64-nvidia-cuda";

/// The least alignment of a kernel's parameters.
pub const ARGUMENT_ALIGN: u64 = 8;

/// How many work-items of a work-group, consecutive by their linear ids, run in lockstep.
pub const WARP: u32 = 32;

/// The most work-items that a work-group may have, on every GPU so far.
pub const MAX_WORK_GROUP_SIZE: usize = 1024;

/// The address space of global memory.
pub const GLOBAL: u32 = 1;
/// The address space of local memory, which CUDA calls shared.
pub const SHARED: u32 = 3;

/// A compute capability: 90 is that of Hopper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sm(u32);

impl Sm {
    /// The oldest one: Volta, whose threads make progress independently of each other.
    pub const OLDEST: Self = Self(70);

    /// Those for which this LLVM has code, without the variants of one GPU only.
    const KNOWN: [u32; 13] = [70, 72, 75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121];

    /// The best for a device of this compute capability: its own or, as PTX runs on all later devices, the last one
    /// before it. `None` if the device is too old.
    pub fn of_device(major: u32, minor: u32) -> Option<Self> {
        let wanted = major.checked_mul(10)?.checked_add(minor)?;
        Self::KNOWN.into_iter().rev().find(|&sm| sm <= wanted).map(Self)
    }

    /// The number: 90.
    pub fn number(self) -> u32 {
        self.0
    }

    /// The version of PTX to emit, times 10: 8.1, whose kernels have more than 4 KiB of parameters, or the first one
    /// that knows the capability. CUDA 12.1 and its driver (530) were the first to read 8.1.
    pub fn ptx_version(self) -> u32 {
        match self.0 {
            ..=90 => 81,
            100 => 86,
            120 => 87,
            103 | 121 => 88,
            _ => 90,
        }
    }
}

impl Default for Sm {
    fn default() -> Self {
        Self::OLDEST
    }
}

impl std::fmt::Display for Sm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "sm_{}", self.0)
    }
}

impl std::str::FromStr for Sm {
    type Err = String;

    /// `sm_90`
    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.strip_prefix("sm_").and_then(|digits| digits.parse().ok());
        match number.filter(|number| Self::KNOWN.contains(number)) {
            Some(number) => Ok(Self(number)),
            None => Err(format!(
                "{text} is no compute capability of {:?}, such as sm_90",
                Self::KNOWN
            )),
        }
    }
}

/// Has LLVM know these processors.
#[cfg(feature = "nvptx")]
pub fn initialize() {
    use llvm_sys::target::*;
    // SAFETY: no preconditions; LLVM is open, as the caller sees to.
    unsafe {
        LLVMInitializeNVPTXTargetInfo();
        LLVMInitializeNVPTXTarget();
        LLVMInitializeNVPTXTargetMC();
        LLVMInitializeNVPTXAsmPrinter();
    }
}

/// A GPU of a compute capability.
pub fn machine(sm: Sm) -> MachineName {
    MachineName {
        triple: TRIPLE,
        cpu: CString::new(sm.to_string()).expect("a name without zeros"),
        features: CString::new(format!("+ptx{}", sm.ptx_version())).expect("a name without zeros"),
    }
}

/// The address space of a storage class that is not the generic one.
pub fn address_space(class: StorageClass) -> Option<u32> {
    match class {
        StorageClass::CrossWorkgroup => Some(GLOBAL),
        StorageClass::Workgroup => Some(SHARED),
        // Constants are in global memory. Private variables are found by LLVM itself.
        _ => None,
    }
}

/// LLVM's name of a scope.
pub fn scope(scope: u64) -> &'static str {
    match scope {
        scope::CROSS_DEVICE => "",
        scope::DEVICE => "device",
        _ => "block",
    }
}

#[cfg(test)]
mod tests {
    use super::Sm;

    #[test]
    fn devices_get_the_last_capability_that_is_known() {
        let best = |major, minor| Sm::of_device(major, minor).map(Sm::number);
        assert_eq!(best(9, 0), Some(90));
        // Later ones run the PTX of earlier ones.
        assert_eq!(best(8, 8), Some(87));
        assert_eq!(best(99, 9), Some(121));
        assert_eq!(best(6, 1), None);
    }

    #[test]
    fn capabilities_are_read_as_they_are_written() {
        for sm in Sm::KNOWN.map(Sm) {
            assert_eq!(sm.to_string().parse(), Ok(sm));
        }
        for text in ["sm_61", "sm_", "90", "sm_90a"] {
            assert!(text.parse::<Sm>().is_err(), "{text}");
        }
    }
}
