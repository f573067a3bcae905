// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Contexts: devices, each with its primary context.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

use kit::ur::{ContextFlags, ContextInfo, NativeHandle, ResultCode};
use kit::{Command, Deleters, HandleCell, InFlight, InfoOut, UniqueId, UrError, UrResult};
use oxur_adapter_kit as kit;
use oxur_cuda_sys::*;
use oxur_fork::Mutex;

use crate::event::watcher;
use crate::primary::Primary;
use crate::queue::Marker;
use crate::signal::Signal;
use crate::{Cuda, Device, Queue, driver};

/// A context.
pub(crate) struct Context {
    pub(crate) handle_cell: HandleCell,
    pub(crate) number: UniqueId,
    pub(crate) devices: Vec<Arc<Device>>,
    /// The device contexts, in the same order.
    primaries: Vec<&'static Primary>,
    deleters: Deleters,
    pub(crate) usm: kit::ContextUsm<Self>,
    /// By address: where the driver's memory begins of which an allocation is an aligned part.
    pub(crate) shifted: Mutex<BTreeMap<usize, usize>>,
    /// What may use memory that is freed.
    pub(crate) in_flight: Arc<InFlight<Queue>>,
}

impl Context {
    /// A context of at least one device.
    fn new(devices: Vec<Arc<Device>>) -> UrResult<Arc<Self>> {
        let primaries = devices.iter().map(|device| device.primary()).collect::<UrResult<_>>()?;
        Ok(Arc::new(Self {
            handle_cell: HandleCell::new(),
            number: UniqueId::new(),
            devices,
            primaries,
            deleters: Deleters::default(),
            usm: kit::ContextUsm::default(),
            shifted: Mutex::default(),
            in_flight: Arc::default(),
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
            return Err(UrError::with_message(
                ResultCode::ERROR_INVALID_CONTEXT,
                "the native context is not the primary context of a device. There is no other that UR can have here",
            ));
        }
        Self::new(devices)
    }

    /// Refuses a device that is none of the context's.
    pub(crate) fn check_device(&self, device: &Device) -> UrResult<()> {
        match self.devices.iter().any(|own| own.raw == device.raw) {
            true => Ok(()),
            false => Err(UrError::with_message(
                ResultCode::ERROR_INVALID_DEVICE,
                "the device is none of the context's",
            )),
        }
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

    /// Drops what commands may use that are unfinished, when they are complete.
    pub(crate) fn retire<T: Send + 'static>(self: &Arc<Self>, object: T) {
        if driver::is_lost() || self.in_flight.is_idle() {
            return;
        }
        match self.in_flight.unfinished() {
            // The context goes last.
            Ok(markers) => drop_after(
                markers.iter().flat_map(Marker::signals).cloned().collect(),
                Deferred(Some(Box::new((object, self.clone())))),
            ),
            Err(error) => log::warn!("an object may end before the commands that use it: {error}"),
        }
    }
}

/// Drops an object when all signals are there.
fn drop_after(mut signals: Vec<Signal>, object: Deferred) {
    signals.retain(|signal| !signal.is_over());
    let Some(first) = signals.first().cloned() else {
        return drop(object);
    };
    if let Err(error) = watcher::when_over(&first, move || drop_after(signals, object)) {
        log::warn!("an object may end before the commands that use it: {error}");
    }
}

/// Is dropped in another thread than the one that watches: the ends of objects call the driver, and the client.
struct Deferred(Option<Box<dyn Any + Send>>);

impl Drop for Deferred {
    fn drop(&mut self) {
        if let Some(object) = self.0.take() {
            kit::defer_drop(object);
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if !driver::is_gone() {
            self.usm.close(self);
        }
    }
}

impl kit::Context<Cuda> for Context {
    fn create(devices: Vec<Arc<Device>>, _flags: ContextFlags) -> UrResult<Arc<Self>> {
        Self::new(devices)
    }

    fn devices(&self) -> &[Arc<Device>] {
        &self.devices
    }

    fn info(&self, query: ContextInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            ContextInfo::USM_MEMCPY2D_SUPPORT | ContextInfo::USM_FILL2D_SUPPORT => out.bool(true),
            _ => out.unsupported(),
        }
    }

    fn check_command(&self, device: &Arc<Device>, command: &Command<'_, Cuda>) -> UrResult<()> {
        command.check_operands(self)?;
        match command {
            Command::DeviceGlobalRead { global, .. } | Command::DeviceGlobalWrite { global, .. } => {
                global.program.check_global(device, global)
            }
            _ => Ok(()),
        }
    }

    fn deleters(&self) -> Option<&Deleters> {
        Some(&self.deleters)
    }

    fn native(self: &Arc<Self>) -> UrResult<NativeHandle> {
        kit::note_usm_change();
        Ok(self.primary().raw as NativeHandle)
    }
}

impl kit::VirtualMem<Cuda> for Context {}
impl kit::Ipc<Cuda> for Context {}
impl kit::BindlessImages<Cuda> for Context {}
impl kit::MemoryExport<Cuda> for Context {}
