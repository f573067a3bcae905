// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Contexts.

use std::ffi::c_void;
use std::sync::Arc;

use kit::ur::{ContextFlags, NativeHandle};
use kit::{Deleters, HandleCell, InFlight, SharedContexts, UniqueId, UrResult};
use level_zero_sys::*;
use oxur_adapter_kit as kit;
use oxur_fork::{InTurn, OnceLock};

use crate::event::WATCHER;
use crate::event::pool::EventPools;
use crate::image::Image;
use crate::lists::IdleLists;
use crate::ze::{self, ContextKind, ListKind, MemKind, Owned, desc, ze_get};
use crate::{Device, LevelZero, Queue, bindless};

/// A context.
pub(crate) struct Context {
    pub(crate) handle_cell: HandleCell,
    pub(crate) devices: Vec<Arc<Device>>,
    deleters: Deleters,
    /// A list on which each command is complete when the call returns, for one thread at a time.
    synchronous: OnceLock<Owned<ListKind>>,
    turns: InTurn<()>,
    /// Memory that commands write to which do nothing.
    scratch: OnceLock<Owned<MemKind>>,
    /// Shared with other wrappers of the driver's context.
    pub(crate) shared: Arc<SharedContext>,
    pub(crate) raw: Arc<Owned<ContextKind>>,
}

/// What all wrappers of a context of Level Zero share.
pub(crate) struct SharedContext {
    pub(crate) number: UniqueId,
    pub(crate) usm: kit::ContextUsm<Context>,
    pub(crate) foreign: kit::ForeignMemory<Context>,
    /// What may use memory that is freed.
    pub(crate) in_flight: Arc<InFlight<Queue>>,
    pub(crate) events: Arc<EventPools>,
    pub(crate) bindless: bindless::Images,
    pub(crate) lists: IdleLists,
    raw: Arc<Owned<ContextKind>>,
}

static OF_CONTEXT: SharedContexts<SharedContext> = SharedContexts::new();

impl SharedContext {
    /// For a new wrapper of a context, which is ours to destroy if one of the wrappers says so.
    fn of(raw: Owned<ContextKind>, devices: &[Arc<Device>]) -> Arc<Self> {
        let raw = Arc::new(raw);
        OF_CONTEXT.enter(**raw as usize, || Self {
            number: UniqueId::new(),
            usm: kit::ContextUsm::default(),
            foreign: kit::ForeignMemory::default(),
            in_flight: Arc::default(),
            events: EventPools::new(&raw, devices),
            bindless: bindless::Images::default(),
            lists: IdleLists::default(),
            raw: raw.clone(),
        })
    }
}

impl Context {
    /// A context of at least one device.
    fn new(raw: Owned<ContextKind>, devices: Vec<Arc<Device>>) -> Arc<Self> {
        ze::USE.note();
        let shared = SharedContext::of(raw, &devices);
        Arc::new(Self {
            handle_cell: HandleCell::new(),
            devices,
            deleters: Deleters::default(),
            synchronous: OnceLock::new(),
            turns: InTurn::new(()),
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
            kit::bail!(
                ERROR_INVALID_CONTEXT: "a native context is wrapped with its devices: Level Zero does not tell them"
            );
        }
        // SAFETY: the client vouches for its native handle.
        Ok(Self::new(unsafe { Owned::new(native, owned) }, devices))
    }

    /// The device of this context that a handle of Level Zero stands for.
    pub(crate) fn device(&self, raw: ze_device_handle_t) -> Option<&Arc<Device>> {
        self.devices.iter().find(|device| device.raw == raw)
    }

    /// Runs commands that are complete when this returns, whatever the queues do.
    pub(crate) fn synchronously<T>(&self, run: impl FnOnce(ze_command_list_handle_t) -> UrResult<T>) -> UrResult<T> {
        let _turn = self.turns.take();
        run(self.synchronous_list()?)
    }

    /// The same, unless another thread does so.
    #[inline]
    pub(crate) fn try_synchronously<T>(
        &self,
        run: impl FnOnce(ze_command_list_handle_t) -> UrResult<T>,
    ) -> Option<UrResult<T>> {
        let _turn = self.turns.try_take()?;
        Some(self.synchronous_list().and_then(run))
    }

    /// The list of the first device on which each command is complete when the call returns. The caller has the turn.
    #[inline]
    fn synchronous_list(&self) -> UrResult<ze_command_list_handle_t> {
        let list = match self.synchronous.get() {
            Some(list) => list,
            None => {
                let device = &self.devices[0];
                let mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
                let made = self.immediate_list(device, desc!(ze_command_queue_desc_t: mode = mode))?;
                self.synchronous.get_or_init(|| made)
            }
        };
        Ok(**list)
    }

    /// A new list for kernels of a device of the context, which is described but for that.
    pub(crate) fn immediate_list(&self, device: &Device, desc: ze_command_queue_desc_t) -> UrResult<Owned<ListKind>> {
        let ordinal = device.facts.ordinal;
        let desc = ze_command_queue_desc_t { ordinal, ..desc };
        // SAFETY: a live context and a device of it, and the list that was just made.
        unsafe {
            let list = ze_get!(zeCommandListCreateImmediate(**self.raw, device.raw, &desc))?;
            Ok(Owned::new(list, true))
        }
    }

    /// Memory of [`SCRATCH_SIZE`] bytes that any command may write to.
    pub(crate) fn scratch(&self) -> UrResult<*mut c_void> {
        let memory = match self.scratch.get() {
            Some(memory) => memory,
            None => {
                let (context, desc) = (**self.raw, ze_host_mem_alloc_desc_t::default());
                // SAFETY: a live context, a description that lives until the call returns, and the memory that was just taken.
                let new = unsafe {
                    let memory = ze_get!(zeMemAllocHost(context, &desc, SCRATCH_SIZE, SCRATCH_SIZE))?;
                    Owned::new((context, memory), true)
                };
                self.scratch.get_or_init(|| new)
            }
        };
        Ok(memory.1)
    }
}

/// The bytes of the largest vector: what kernels may expect of the start of a buffer.
pub(crate) const ALIGNMENT: usize = 128;

/// The size of a context's scratch memory.
pub(crate) const SCRATCH_SIZE: usize = 64;

impl Drop for Context {
    fn drop(&mut self) {
        // The last wrapper gives all free memory back to the driver.
        if OF_CONTEXT.leave(**self.raw as usize) {
            self.shared.usm.close(self);
        }
    }
}

impl kit::Context<LevelZero> for Context {
    fn create(devices: Vec<Arc<Device>>, _flags: ContextFlags) -> UrResult<Arc<Self>> {
        let driver = devices[0].driver.raw;
        if devices.iter().any(|device| device.driver.raw != driver) {
            kit::bail!(ERROR_INVALID_DEVICE: "a Level Zero context cannot have devices of several drivers");
        }
        let desc = ze_context_desc_t::default();
        // SAFETY: a live driver, and the context that was just made.
        let raw = unsafe { Owned::new(ze_get!(zeContextCreate(driver, &desc))?, true) };
        Ok(Self::new(raw, devices))
    }

    kit::driver_context_methods!(LevelZero, WATCHER);

    fn native(self: &Arc<Self>) -> UrResult<NativeHandle> {
        kit::note_usm_change();
        Ok(**self.raw as NativeHandle)
    }
}

impl kit::BufferMemory<LevelZero> for Context {
    type Image = Image;

    const ALIGNMENT: usize = ALIGNMENT;
    const MOVES: bool = true;

    fn is_integrated(device: &Device) -> bool {
        device.is_integrated()
    }

    fn reaches(device: &Device, other: &Device) -> bool {
        device.reaches(other)
    }
}
