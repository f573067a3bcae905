// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Physical memory, which virtual address ranges are mapped to.

use std::convert::Infallible;
use std::sync::Arc;

use oxur_api::*;

use crate::{Backend, HandleCell, InfoOut, Object, UrResult, unsupported};

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
    fn info(&self, query: PhysicalMemInfo, out: InfoOut<'_>) -> UrResult<()>;
}

/// The physical memory of an adapter that has none: nothing of this type can exist.
pub struct NoPhysicalMem(Infallible);

impl Object for NoPhysicalMem {
    type Handle = PhysicalMemHandle;

    fn handle_cell(&self) -> &HandleCell {
        match self.0 {}
    }
}

impl<B: Backend> PhysicalMem<B> for NoPhysicalMem {
    fn info(&self, _query: PhysicalMemInfo, _out: InfoOut<'_>) -> UrResult<()> {
        match self.0 {}
    }
}
