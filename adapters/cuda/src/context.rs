// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Contexts: devices, each with its primary context.

mod shared;

use std::ops::Deref;
use std::sync::Arc;

use kit::ur::{ContextFlags, NativeHandle};
use kit::{Deleters, HandleCell, UrResult};
use oxur_adapter_kit as kit;
use oxur_cuda_sys::*;

pub(crate) use self::shared::SharedContext;
use crate::event::WATCHER;
use crate::image::Image;
use crate::primary::Primary;
use crate::{Cuda, Device, driver};

/// A context.
pub(crate) struct Context {
    pub(crate) handle_cell: HandleCell,
    pub(crate) devices: Vec<Arc<Device>>,
    /// The device contexts, in the same order.
    primaries: Vec<&'static Primary>,
    deleters: Deleters,
    pub(crate) shared: Arc<SharedContext>,
}

impl Deref for Context {
    type Target = SharedContext;

    #[inline(always)]
    fn deref(&self) -> &SharedContext {
        &self.shared
    }
}

impl Context {
    /// A context of at least one device.
    fn new(devices: Vec<Arc<Device>>, shared: Arc<SharedContext>) -> UrResult<Arc<Self>> {
        shared.note_devices(devices.len());
        let primaries = devices.iter().map(|device| device.primary()).collect::<UrResult<_>>()?;
        Ok(Arc::new(Self {
            handle_cell: HandleCell::new(),
            devices,
            primaries,
            deleters: Deleters::default(),
            shared,
        }))
    }

    /// Wraps a native context: the primary one of a device. `all` gives the devices of the machine, for clients that
    /// name none.
    pub(crate) fn from_native(
        native: CUcontext,
        devices: Vec<Arc<Device>>,
        mut all: impl FnMut() -> Option<Arc<Device>>,
    ) -> UrResult<Arc<Self>> {
        let is_of = |device: &Arc<Device>| device.primary().is_ok_and(|primary| primary.raw == native);
        let devices = match devices.is_empty() {
            true => std::iter::from_fn(&mut all).filter(is_of).collect(),
            false => devices,
        };
        if !devices.iter().any(is_of) {
            kit::bail!(
                ERROR_INVALID_CONTEXT:
                    "the native context is not the primary context of a device. There is no other that UR can have here"
            );
        }
        Self::new(devices, SharedContext::of_native(native))
    }

    /// The first device's context in this process.
    pub(crate) fn primary(&self) -> &'static Primary {
        self.primaries[0]
    }

    /// The device of this context that one of CUDA's contexts is of.
    pub(crate) fn device_of(&self, context: CUcontext) -> Option<&Arc<Device>> {
        let at = self.primaries.iter().position(|primary| primary.raw == context)?;
        Some(&self.devices[at])
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if self.shared.leave() && !driver::is_gone() {
            self.usm.close(self);
            self.free_later();
        }
    }
}

impl kit::Context<Cuda> for Context {
    fn create(devices: Vec<Arc<Device>>, _flags: ContextFlags) -> UrResult<Arc<Self>> {
        Self::new(devices, SharedContext::new())
    }

    kit::driver_context_methods!(Cuda, WATCHER);

    fn native(self: &Arc<Self>) -> UrResult<NativeHandle> {
        self.shared.note_native(self.primary().raw);
        kit::note_usm_change();
        Ok(self.primary().raw as NativeHandle)
    }
}

impl kit::BufferMemory<Cuda> for Context {
    type Image = Image;

    const MOVES: bool = true;

    fn is_integrated(device: &Device) -> bool {
        device.facts.is_integrated
    }

    // Between devices that are no peers, the driver copies by way of the host: see `peers`.
    fn reaches(_device: &Device, _other: &Device) -> bool {
        true
    }
}

impl kit::MemoryExport<Cuda> for Context {}
