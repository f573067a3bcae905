// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Stores through null pointers, which Intel's GPUs discard.
//!
//! Kernels for GPUs have such stores where nobody wants a result: oneDAL's for means and variances also store sums, through a null
//! pointer. So where the device passes for a GPU, a kernel gets another address for a null pointer that it does nothing with but
//! store through it: of memory that nobody reads.

use oxur_fork::OnceLock;

use crate::pages;

/// The parameters of a kernel that have the other address in place of a null pointer: a bit for each of the first 64.
/// None by default.
#[derive(Clone, Copy, Debug, Default)]
pub struct NullStores(u64);

/// The bytes of that memory. Pages that no kernel stores to take none.
const AREA: usize = 1 << 30;

impl NullStores {
    /// Those of a kernel.
    pub fn of(kernel: &oxur_compiler::Kernel) -> Self {
        Self(kernel.write_only_params())
    }

    /// The address that a kernel gets for a pointer.
    #[inline]
    pub fn address(self, index: usize, pointer: usize) -> usize {
        match pointer {
            0 if self.0 != 0 => self.area(index),
            _ => pointer,
        }
    }

    #[cold]
    fn area(self, index: usize) -> usize {
        static START: OnceLock<usize> = OnceLock::new();
        let is_write_only = u32::try_from(index).ok().and_then(|index| self.0.checked_shr(index));
        match is_write_only {
            // Without memory for it, the stores fail as others through null pointers.
            Some(bits) if bits & 1 != 0 => *START.get_or_init(|| pages::map(AREA, 0).unwrap_or(0)),
            _ => 0,
        }
    }
}
