// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Contexts.

use std::sync::Arc;

use kit::ur::{ContextFlags, ContextInfo, NativeHandle};
use kit::{Command, Deleters, HandleCell, InfoOut, UrResult};
use oxur_adapter_kit as kit;
use oxur_device_cpu::in_flight::InFlight;
use oxur_fork::AtFork;

use crate::ipc::Imports;
use crate::mem::Buffers;
use crate::opencl::{self, NativeCell};
use crate::usm::Foreign;
use crate::virtual_mem::Ranges;
use crate::{Cpu, Device};

/// A context.
pub(crate) struct Context {
    pub(crate) handle_cell: HandleCell,
    pub(crate) native: NativeCell,
    pub(crate) devices: Vec<Arc<Device>>,
    /// Counts unfinished commands, which delay the reuse of freed USM.
    pub(crate) in_flight: InFlight,
    pub(crate) usm: kit::ContextUsm<Self>,
    /// Imported and registered memory of the client.
    pub(crate) foreign: Foreign,
    /// The memory of buffers and images.
    pub(crate) buffers: Buffers,
    /// Reserved address ranges.
    pub(crate) ranges: Ranges,
    /// Opened USM of other processes.
    pub(crate) imports: Imports,
    /// The maximum size of an allocation in bytes.
    pub(crate) max_alloc: usize,
    deleters: Deleters,
}

impl Context {
    /// Checks that a device is one of the context's, or a sub-device of one.
    pub(crate) fn check_device(&self, device: &Device) -> UrResult<()> {
        self.device_index(device).map(drop)
    }

    /// The index of the context's device that this is, or is a sub-device of.
    pub(crate) fn device_index(&self, device: &Device) -> UrResult<usize> {
        let place = self.devices.iter().position(|own| device.is_part_of(own));
        place
            .ok_or_else(|| kit::error!(ERROR_INVALID_DEVICE: "the device is none of the context's, and no part of one"))
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        self.usm.close(self);
    }
}

impl AtFork for Context {
    fn in_child(&self) {
        self.in_flight.forked();
    }
}

impl kit::Context<Cpu> for Context {
    fn create(devices: Vec<Arc<Device>>, _flags: ContextFlags) -> UrResult<Arc<Self>> {
        let context = Arc::new(Self {
            handle_cell: HandleCell::new(),
            native: NativeCell::new(),
            max_alloc: devices[0].max_alloc(),
            devices,
            in_flight: InFlight::default(),
            usm: kit::ContextUsm::default(),
            foreign: Foreign::default(),
            buffers: Buffers::default(),
            ranges: Ranges::default(),
            imports: Imports::default(),
            deleters: Deleters::default(),
        });
        oxur_fork::register(&context);
        // dpctl checks which libOpenCL is loaded before it requests a handle.
        opencl::icd_loader::ensure();
        Ok(context)
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

    #[inline(always)]
    fn check_command(&self, device: &Arc<Device>, command: &Command<'_, Cpu>) -> UrResult<()> {
        crate::queue::check(command, self, device)
    }

    fn native(self: &Arc<Self>) -> UrResult<NativeHandle> {
        opencl::native(self)
    }

    fn deleters(&self) -> Option<&Deleters> {
        Some(&self.deleters)
    }
}
