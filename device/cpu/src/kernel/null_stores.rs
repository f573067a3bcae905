// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Stores through null pointers, which Intel's GPUs discard.
//!
//! Kernels for GPUs have such stores where nobody wants a result: oneDAL's for means and variances also store sums, through a null
//! pointer. So where the device passes for a GPU, a kernel gets another address for a null pointer that it does nothing with but
//! store through it: of memory that nobody reads.

use std::io;

use oxur_compiler::Kernel;
use oxur_fork::OnceLock;

use super::args::ArgValue;
use crate::pages;
use crate::shared_file::SharedFile;

/// Whether a kernel gets the other address, and for which of its parameters: a bit for each of the first 64, found when one of them is
/// null.
#[derive(Debug, Default)]
pub(super) struct NullStores {
    pub(super) are_discarded: bool,
    write_only: OnceLock<u64>,
}

/// The bytes of addresses that such a pointer has, and those without memory before and behind them.
const AREA: usize = 1 << 30;
const AROUND: usize = 32 << 30;

/// The bytes of memory, which is there again and again.
const STEP: usize = pages::HUGE;

impl NullStores {
    /// What a kernel gets for an argument.
    #[inline]
    pub(super) fn replace<'a, M>(&self, kernel: &Kernel, index: usize, arg: ArgValue<'a, M>) -> ArgValue<'a, M> {
        if !self.are_discarded {
            return arg;
        }
        let is_null = match arg {
            ArgValue::Pointer(address) => address == 0,
            ArgValue::Value(bytes) => bytes == [0; size_of::<usize>()],
            ArgValue::Null => true,
            _ => false,
        };
        match is_null.then(|| self.area(kernel, index)) {
            Some(address @ 1..) => ArgValue::Pointer(address),
            _ => arg,
        }
    }

    /// The address for a null pointer, or 0.
    #[cold]
    fn area(&self, kernel: &Kernel, index: usize) -> usize {
        static START: OnceLock<usize> = OnceLock::new();
        let write_only = *self.write_only.get_or_init(|| kernel.write_only_params());
        let bits = u32::try_from(index)
            .ok()
            .and_then(|index| write_only.checked_shr(index));
        match bits.unwrap_or(0) & 1 {
            0 => 0,
            _ => *START.get_or_init(|| {
                map().unwrap_or_else(|error| {
                    log::warn!("stores through null pointers are faults, as there is no memory for them: {error}");
                    0
                })
            }),
        }
    }
}

/// Maps the area. It stays until the process ends.
fn map() -> io::Result<usize> {
    let start = pages::reserve(AREA + 2 * AROUND)? + AROUND;
    let file = SharedFile::new(STEP)?;
    for place in (start..start + AREA).step_by(STEP) {
        // SAFETY: the addresses were just reserved.
        unsafe { pages::replace(place, STEP, &file, 0) }?;
    }
    Ok(start)
}
