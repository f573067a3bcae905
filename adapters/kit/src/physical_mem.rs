// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Physical memory, which virtual address ranges are mapped to.

use std::sync::Arc;

use oxur_api::*;

use crate::{Backend, Context, HandleCell, InfoOut, Object, UrResult, unsupported};

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

/// A driver's physical memory, which goes back when this is dropped.
pub trait DriverMemory<B: Backend>: Send + Sync + Sized + 'static {
    /// Takes `size` bytes of the memory of a device of the context.
    fn allocate(context: &Arc<B::Context>, device: &Arc<B::Device>, size: usize) -> UrResult<Self>;
}

/// Physical memory of a driver that does not share it with other processes by bytes.
pub struct DriverPhysicalMem<B: Backend, M> {
    handle_cell: HandleCell,
    /// The driver's.
    pub raw: M,
    size: usize,
    /// The device whose memory it is.
    pub device: Arc<B::Device>,
    context: Arc<B::Context>,
}

impl<B: Backend, M: DriverMemory<B>> Object for DriverPhysicalMem<B, M> {
    type Handle = PhysicalMemHandle;

    fn handle_cell(&self) -> &HandleCell {
        &self.handle_cell
    }
}

impl<B: Backend, M: DriverMemory<B>> PhysicalMem<B> for DriverPhysicalMem<B, M> {
    fn create(
        context: &Arc<B::Context>,
        device: &Arc<B::Device>,
        size: usize,
        flags: PhysicalMemFlags,
    ) -> UrResult<Arc<Self>> {
        context.check_device(device)?;
        if flags.contains(PhysicalMemFlags::ENABLE_IPC) {
            crate::bail!(
                ERROR_UNSUPPORTED_FEATURE: "the driver has no bytes by which another process could open physical memory"
            );
        }
        Ok(Arc::new(Self {
            handle_cell: HandleCell::new(),
            raw: M::allocate(context, device, size)?,
            size,
            device: device.clone(),
            context: context.clone(),
        }))
    }

    fn info(&self, query: PhysicalMemInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            PhysicalMemInfo::CONTEXT => out.handle(&self.context),
            PhysicalMemInfo::DEVICE => out.handle(&self.device),
            PhysicalMemInfo::SIZE => out.value(self.size),
            PhysicalMemInfo::PROPERTIES => out.value(PhysicalMemProperties::default()),
            _ => out.unsupported(),
        }
    }
}
