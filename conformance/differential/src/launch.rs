// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What a kernel is launched with, for all implementations.

/// The value of a parameter.
pub enum Argument<'a> {
    /// Memory that the kernel may read and write. In words of 8 bytes, for the alignment.
    Memory(&'a mut [u64]),
    /// A null pointer.
    Null,
    /// A value.
    Value(&'a [u8]),
    /// So many bytes of local memory.
    Local(usize),
}
