// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Contexts.

use std::any::Any;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::Arc;

use kit::ur::{ContextFlags, ContextInfo, NativeHandle, ResultCode};
use kit::{Command, Deleters, HandleCell, InFlight, InfoOut, UniqueId, UrError, UrResult};
use level_zero_sys::*;
use oxur_adapter_kit as kit;
use oxur_fork::{Mutex, OnceLock, Turns};

use crate::event::pool::EventPools;
use crate::event::watcher;
use crate::queue::Marker;
use crate::usm::Foreign;
use crate::ze::{self, ContextKind, ListKind, Owned, ze, ze_get};
use crate::{Device, LevelZero, Queue};

/// A context.
pub(crate) struct Context {
    pub(crate) handle_cell: HandleCell,
    pub(crate) devices: Vec<Arc<Device>>,
    deleters: Deleters,
    /// A list on which each command is complete when the call returns, for one thread at a time.
    synchronous: OnceLock<Owned<ListKind>>,
    turns: Turns,
    /// The address of memory that commands write to which do nothing.
    scratch: OnceLock<usize>,
    /// Shared with other wrappers of the driver's context.
    pub(crate) shared: Arc<SharedContext>,
    pub(crate) raw: Arc<Owned<ContextKind>>,
}

/// What all wrappers of a context of Level Zero share.
pub(crate) struct SharedContext {
    pub(crate) number: UniqueId,
    pub(crate) usm: kit::ContextUsm<Context>,
    pub(crate) foreign: Foreign,
    /// What may use memory that is freed.
    pub(crate) in_flight: Arc<InFlight<Queue>>,
    pub(crate) events: Arc<EventPools>,
    raw: Arc<Owned<ContextKind>>,
}

/// By the driver's context: what its wrappers share, and how many there are.
static OF_CONTEXT: Mutex<BTreeMap<usize, (Arc<SharedContext>, usize)>> = Mutex::new(BTreeMap::new());

impl SharedContext {
    /// For a new wrapper of a context, which is ours to destroy if one of the wrappers says so.
    fn of(raw: Owned<ContextKind>, devices: &[Arc<Device>]) -> Arc<Self> {
        let key = *raw as usize;
        let raw = Arc::new(raw);
        let mut known = OF_CONTEXT.lock();
        let (shared, wrappers) = known.entry(key).or_insert_with(|| {
            let new = Self {
                number: UniqueId::new(),
                usm: kit::ContextUsm::default(),
                foreign: Foreign::default(),
                in_flight: Arc::default(),
                events: EventPools::new(&raw, devices),
                raw,
            };
            (Arc::new(new), 0)
        });
        *wrappers += 1;
        shared.clone()
    }

    /// Ends a wrapper. The last one gives all free memory back to the driver.
    fn leave(context: &Context) {
        let is_last = {
            let mut known = OF_CONTEXT.lock();
            let key = **context.raw as usize;
            let wrappers = known.get_mut(&key).map(|(_, wrappers)| {
                *wrappers -= 1;
                *wrappers
            });
            wrappers == Some(0) && known.remove(&key).is_some()
        };
        if is_last {
            context.shared.usm.close(context);
        }
    }
}

impl Context {
    /// A context of at least one device.
    fn new(raw: Owned<ContextKind>, devices: Vec<Arc<Device>>) -> Arc<Self> {
        ze::note_use();
        let shared = SharedContext::of(raw, &devices);
        Arc::new(Self {
            handle_cell: HandleCell::new(),
            devices,
            deleters: Deleters::default(),
            synchronous: OnceLock::new(),
            turns: Turns::new(),
            scratch: OnceLock::new(),
            raw: shared.raw.clone(),
            shared,
        })
    }

    /// Wraps a native context.
    pub(crate) fn from_native(
        native: ze_context_handle_t,
        devices: Vec<Arc<Device>>,
        owned: bool,
    ) -> UrResult<Arc<Self>> {
        if devices.is_empty() || native.is_null() {
            return Err(UrError::with_message(
                ResultCode::ERROR_INVALID_CONTEXT,
                "a native context is wrapped with its devices: Level Zero does not tell them",
            ));
        }
        // SAFETY: the client vouches for its native handle.
        Ok(Self::new(unsafe { Owned::new(native, owned) }, devices))
    }

    /// The device of this context that a handle of Level Zero stands for.
    pub(crate) fn device(&self, raw: ze_device_handle_t) -> Option<&Arc<Device>> {
        self.devices.iter().find(|device| device.raw == raw)
    }

    /// Refuses a device that is neither one of the context's nor a part of one.
    pub(crate) fn check_device(&self, device: &Device) -> UrResult<()> {
        match self.devices.iter().any(|own| device.is_in(own)) {
            true => Ok(()),
            false => Err(UrError::with_message(
                ResultCode::ERROR_INVALID_DEVICE,
                "the device is none of the context's, and no part of one",
            )),
        }
    }

    /// Runs commands that are complete when this returns, whatever the queues do.
    pub(crate) fn synchronously<T>(&self, run: impl FnOnce(ze_command_list_handle_t) -> UrResult<T>) -> UrResult<T> {
        let _turn = self.turns.take();
        let list = match self.synchronous.get() {
            Some(list) => list,
            None => {
                let device = &self.devices[0];
                let desc = ze_command_queue_desc_t {
                    ordinal: device.facts.ordinal,
                    mode: ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS,
                    ..Default::default()
                };
                // SAFETY: a live context and a device of it, and the list that was just made.
                let made = unsafe {
                    let list = ze_get!(zeCommandListCreateImmediate(**self.raw, device.raw, &desc))?;
                    Owned::new(list, true)
                };
                self.synchronous.get_or_init(|| made)
            }
        };
        run(**list)
    }

    /// Drops what commands may use that are unfinished, when they are complete.
    pub(crate) fn retire<T: Send + 'static>(self: &Arc<Self>, object: T) {
        let in_flight = &self.shared.in_flight;
        if ze::is_lost() || in_flight.is_idle() {
            return;
        }
        match in_flight.unfinished() {
            // The context goes last.
            Ok(markers) => drop_after(
                markers.into_iter().collect(),
                Deferred(Some(Box::new((object, self.clone())))),
            ),
            Err(error) => log::warn!("an object may end before the commands that use it: {error}"),
        }
    }

    /// Memory of [`SCRATCH_SIZE`] bytes that any command may write to.
    pub(crate) fn scratch(&self) -> UrResult<*mut c_void> {
        if let Some(&address) = self.scratch.get() {
            return Ok(address as *mut c_void);
        }
        let desc = ze_host_mem_alloc_desc_t::default();
        // SAFETY: a live context and a description that lives until the call returns.
        let new = unsafe { ze_get!(zeMemAllocHost(**self.raw, &desc, SCRATCH_SIZE, SCRATCH_SIZE)) }?;
        let address = *self.scratch.get_or_init(|| new as usize) as *mut c_void;
        if address != new {
            // SAFETY: a live context and memory that no command knows.
            unsafe { ze!(zeMemFree(**self.raw, new)) }?;
        }
        Ok(address)
    }
}

/// Drops an object when all markers are reached.
fn drop_after(markers: Vec<Marker>, object: Deferred) {
    let Some(event) = markers.iter().find_map(Marker::pending) else {
        return drop(object);
    };
    // Not in the thread that watches: the ends of objects call the driver, and the client.
    if let Err(error) = watcher::when_over(&event, move || drop_after(markers, object)) {
        log::warn!("an object may end before the commands that use it: {error}");
    }
}

/// Is dropped in another thread.
struct Deferred(Option<Box<dyn Any + Send>>);

impl Drop for Deferred {
    fn drop(&mut self) {
        if let Some(object) = self.0.take() {
            kit::defer_drop(object);
        }
    }
}

/// The size of a context's scratch memory.
pub(crate) const SCRATCH_SIZE: usize = 64;

impl Drop for Context {
    fn drop(&mut self) {
        SharedContext::leave(self);
        if let Some(&scratch) = self.scratch.get() {
            // SAFETY: a live context and memory of it, of which no queue is left.
            if let Err(error) = unsafe { ze!(zeMemFree(**self.raw, scratch as *mut c_void)) } {
                log::debug!("memory of a context is leaked: {error}");
            }
        }
    }
}

impl kit::Context<LevelZero> for Context {
    fn create(devices: Vec<Arc<Device>>, _flags: ContextFlags) -> UrResult<Arc<Self>> {
        let driver = devices[0].driver.raw;
        if devices.iter().any(|device| device.driver.raw != driver) {
            return Err(UrError::with_message(
                ResultCode::ERROR_INVALID_DEVICE,
                "a Level Zero context cannot have devices of several drivers",
            ));
        }
        let desc = ze_context_desc_t::default();
        // SAFETY: a live driver, and the context that was just made.
        let raw = unsafe { Owned::new(ze_get!(zeContextCreate(driver, &desc))?, true) };
        Ok(Self::new(raw, devices))
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

    fn check_command(&self, device: &Arc<Device>, command: &Command<'_, LevelZero>) -> UrResult<()> {
        command.check_operands(self)?;
        // Buffers get their memory on the device of their first command.
        match command {
            Command::BufferRead { buffer, .. }
            | Command::BufferWrite { buffer, .. }
            | Command::BufferFill { buffer, .. }
            | Command::BufferReadRect { buffer, .. }
            | Command::BufferWriteRect { buffer, .. } => buffer.settle(device),
            Command::BufferCopy { src, dst, .. } | Command::BufferCopyRect { src, dst, .. } => {
                src.settle(device)?;
                dst.settle(device)
            }
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
        Ok(**self.raw as NativeHandle)
    }
}

impl kit::BindlessImages<LevelZero> for Context {}
