// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Contexts.

use std::sync::Arc;

use kit::fork::{Forkable, Guard};
use kit::ur::{ContextInfo, ResultCode};
use kit::{Command, Deleters, Header, InfoOut, UrError, UrResult};
use oxur_adapter_kit as kit;

use crate::activity::Activity;
use crate::mem::Buffers;
use crate::usm::ContextUsm;
use crate::virtual_mem::Ranges;
use crate::{Cpu, Device};

/// A context.
pub(crate) struct Context {
    pub(crate) header: Header,
    pub(crate) devices: Vec<Arc<Device>>,
    /// The commands that may be unfinished.
    pub(crate) activity: Activity,
    pub(crate) usm: ContextUsm,
    /// The memory of buffers and images.
    pub(crate) buffers: Buffers,
    /// Reserved addresses.
    pub(crate) ranges: Ranges,
    /// The most bytes that one allocation has.
    pub(crate) max_alloc: usize,
    deleters: Deleters,
}

impl Context {
    /// Checks that a device is one of the context's, or a part of one.
    pub(crate) fn check_device(&self, device: &Device) -> UrResult<()> {
        self.place_of(device).map(drop)
    }

    /// Which of the context's devices one is, or is a part of.
    pub(crate) fn place_of(&self, device: &Device) -> UrResult<usize> {
        let place = self.devices.iter().position(|own| device.is_part_of(own));
        place.ok_or_else(|| {
            UrError::said(
                ResultCode::ERROR_INVALID_DEVICE,
                "the device is none of the context's, and no part of one",
            )
        })
    }
}

impl Forkable for Context {
    fn hold(&self) -> Box<dyn Guard + '_> {
        Box::new((self.usm.hold(), self.buffers.hold()))
    }

    fn in_child(&self) {
        self.activity.forked();
    }
}

impl kit::Context<Cpu> for Context {
    fn create(devices: Vec<Arc<Device>>) -> UrResult<Arc<Self>> {
        let context = Arc::new(Self {
            header: Header::new(),
            max_alloc: devices[0].max_alloc(),
            devices,
            activity: Activity::default(),
            usm: ContextUsm::default(),
            buffers: Buffers::default(),
            ranges: Ranges::default(),
            deleters: Deleters::default(),
        });
        kit::fork::register(&context);
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

    fn check_command(&self, device: &Arc<Device>, command: &Command<'_, Cpu>) -> UrResult<()> {
        crate::queue::check(command, self, device)
    }

    fn deleters(&self) -> &Deleters {
        &self.deleters
    }
}
