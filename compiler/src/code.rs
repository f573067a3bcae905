// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The machine code of a kernel in memory, in up to three variants: which ranges each can run.

use std::sync::Arc;

use oxur_fork::OnceLock;

use crate::codegen::Loaded;
use crate::intrinsics::MAX_ID;
use crate::workgroup::CodeInfo;
use crate::{Error, KernelInfo, NdRange};

/// A variant of the code of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variant {
    /// The fastest, for ranges that fill all lanes.
    Main,
    /// The same, with predicated code for rows that do not fill all lanes.
    WithTail,
    /// Scalar code, for any range.
    Scalar,
}

/// Code of a kernel.
pub(crate) struct Code {
    pub(crate) shape: CodeInfo,
    pub(crate) address: *const u8,
    pub(crate) from_cache: bool,
    pub(crate) _loaded: Loaded,
}

// SAFETY: the address is of code, which does not change.
unsafe impl Send for Code {}
// SAFETY: as above.
unsafe impl Sync for Code {}

impl Code {
    /// Whether the code can run a range.
    pub(crate) fn suits(&self, range: &NdRange) -> bool {
        let lanes = u64::from(self.shape.lanes);
        if lanes == 1 {
            return true;
        }
        let size = range.local_size;
        let is_row = size[1] == 1 && size[2] == 1;
        let is_small = |n: &u64| *n <= MAX_ID;
        let has_rest = !size[0].is_multiple_of(lanes);
        (!has_rest || self.shape.has_tail && (is_row || !self.shape.subgroup_within_row))
            && range.global_size.iter().all(is_small)
            && (0..3).all(|d| is_small(&range.global_offset[d].saturating_add(range.global_size[d])))
    }
}

/// The compiled variants of a kernel. A program keeps this and not the `Kernel`, which holds a reference to the program.
pub(crate) struct Compiled {
    pub(crate) info: Arc<KernelInfo>,
    /// Its index in the linked program.
    pub(crate) index: usize,
    pub(crate) best: Code,
    /// Fallbacks for launches that `best` cannot serve, compiled on first use.
    pub(crate) others: [OnceLock<Result<Code, Error>>; 2],
}
