// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Devices and sub-devices: an OpenCL device with what it says of itself.
//!
//! [`facts`] asks the driver once, [`info`] answers queries from it, [`atomics`] those of atomics, [`partition`] divides
//! devices.

mod atomics;
mod facts;
mod info;
mod partition;

use std::ffi::CStr;
use std::sync::{Arc, Weak};

use kit::ur::*;
use kit::{HandleCell, InfoOut, NativeRef, UrResult};
use opencl_sys::*;
use oxur_adapter_kit as kit;

use crate::cl::{DeviceObject, cl};
use crate::functions::Extensions;
use crate::{OpenCl, Platform};

pub(crate) use facts::Facts;

/// A device. Root devices belong to their platform and live as long as the adapter; a sub-device owns a reference of
/// its OpenCL object and keeps the device that it is a part of.
pub(crate) struct Device {
    pub(crate) handle_cell: HandleCell,
    pub(crate) raw: cl_device_id,
    /// The functions of the platform.
    pub(crate) ext: Arc<Extensions>,
    platform: Weak<Platform>,
    part: Option<Part>,
    /// What the device says of itself.
    pub(crate) facts: Facts,
}

/// What a sub-device has beside.
pub(crate) struct Part {
    /// The reference of it.
    pub(crate) _raw: NativeRef<DeviceObject>,
    pub(crate) of: Arc<Device>,
}

// SAFETY: an OpenCL handle may be used from any thread.
unsafe impl Send for Device {}
// SAFETY: as above.
unsafe impl Sync for Device {}

impl Device {
    /// Asks the driver for all that there is to know of a root device.
    pub(crate) fn new(raw: cl_device_id, platform: Weak<Platform>, ext: &Arc<Extensions>) -> UrResult<Self> {
        Ok(Self {
            handle_cell: HandleCell::new(),
            raw,
            ext: ext.clone(),
            platform,
            part: None,
            facts: Facts::ask(raw)?,
        })
    }

    /// The same of a part of a device.
    fn part(raw: NativeRef<DeviceObject>, of: &Arc<Self>) -> UrResult<Arc<Self>> {
        let part = Self::new(*raw, of.platform.clone(), &of.ext)?;
        let of = of.clone();
        Ok(Arc::new(Self {
            part: Some(Part { _raw: raw, of }),
            ..part
        }))
    }

    /// Wraps a native sub-device of one of `platforms`; the wrapper has a reference of its own.
    pub(crate) fn from_native(platforms: &[Arc<Platform>], raw: cl_device_id) -> UrResult<Arc<Self>> {
        let stranger =
            || kit::error!(ERROR_INVALID_DEVICE: "the native handle is no device of this OpenCL loader's platforms");
        if raw.is_null() {
            return Err(stranger());
        }
        let platform_id: cl_platform_id = facts::ask(raw, CL_DEVICE_PLATFORM).map_err(|_| stranger())?;
        let platform = platforms.iter().find(|p| p.raw == platform_id).ok_or_else(stranger)?;
        if let Some(root) = kit::Platform::devices(&**platform).iter().find(|d| d.raw == raw) {
            return Ok(root.clone());
        }
        let parent_id: cl_device_id = facts::ask(raw, CL_DEVICE_PARENT_DEVICE).map_err(|_| stranger())?;
        let parent = Self::from_native(platforms, parent_id)?;
        // SAFETY: a device that just answered two queries.
        Self::part(unsafe { NativeRef::wrap(raw, false) }?, &parent)
    }

    /// The version of OpenCL that it implements: major, minor.
    pub(crate) fn version(&self) -> (u32, u32) {
        self.facts.number.0
    }

    /// Whether it lists an extension. For an answer that is wanted often, ask once.
    pub(crate) fn has_extension(&self, name: &str) -> bool {
        let mut listed = self.facts.extensions.split_ascii_whitespace();
        listed.any(|listed| listed == name)
    }
}

impl kit::Device<OpenCl> for Device {
    fn kind(&self) -> DeviceType {
        self.facts.kind
    }

    fn parent(&self) -> Option<&Arc<Self>> {
        self.part.as_ref().map(|part| &part.of)
    }

    fn platform(&self) -> Option<Arc<Platform>> {
        self.platform.upgrade()
    }

    fn info(&self, query: DeviceInfo, out: InfoOut<'_>) -> UrResult<()> {
        self.answer(query, out)
    }

    fn partition(self: &Arc<Self>, properties: &[DevicePartitionProperty]) -> UrResult<Vec<Arc<Self>>> {
        partition::divide(self, properties)
    }

    fn image_rank(&self, target: &CStr) -> Option<u32> {
        kit::spirv_image_rank(target, self.facts.kind, self.facts.takes_spirv())
    }

    fn native(self: &Arc<Self>) -> UrResult<NativeHandle> {
        Ok(self.raw as NativeHandle)
    }

    fn timestamps(&self) -> UrResult<(u64, u64)> {
        let (mut device, mut host) = (0, 0);
        // SAFETY: a live device and two places for the clocks.
        unsafe { cl!(clGetDeviceAndHostTimer(self.raw, &mut device, &mut host)) }?;
        Ok((device, host))
    }

    fn host_timestamp(&self) -> UrResult<u64> {
        let mut host = 0;
        // SAFETY: a live device and a place for the clock.
        unsafe { cl!(clGetHostTimer(self.raw, &mut host)) }?;
        Ok(host)
    }
}
