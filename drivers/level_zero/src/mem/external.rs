// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Memory with a file behind it, which other processes and other APIs can map.

use std::sync::Arc;

use oxur_device_cpu::shared_file::SharedFile;

/// The file behind an allocation.
#[derive(Clone)]
pub(crate) enum Backing {
    /// None: the memory is private to the process.
    Private,
    /// A memory file.
    Shared(Arc<SharedFile>),
}
