// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Physical memory, which virtual address ranges are mapped to.

use std::sync::Arc;

use oxur_api::*;

use crate::{Backend, InfoOut, Object, UrResult, unsupported};

/// A piece of physical memory.
pub trait PhysicalMem<B: Backend>: Object<Handle = PhysicalMemHandle> {
    /// Takes `size` bytes of a device's memory.
    fn create(
        _context: &Arc<B::Context>,
        _device: &Arc<B::Device>,
        _size: usize,
        _flags: PhysicalMemFlags,
    ) -> UrResult<Arc<Self>> {
        unsupported()
    }

    /// Answers `urPhysicalMemGetInfo`, but for the reference count.
    fn info(&self, _query: PhysicalMemInfo, out: InfoOut<'_>) -> UrResult<()> {
        out.unsupported()
    }
}
