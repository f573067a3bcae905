// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Devices and sub-devices: a Level Zero device with what it says of itself.
//!
//! [`facts`] asks the driver once, [`info`] answers queries from it.

mod facts;
mod info;

use std::ffi::CStr;
use std::sync::{Arc, Weak};

use kit::ur::*;
use kit::{Device as _, HandleCell, InfoOut, UrResult, unsupported};
use level_zero_sys::*;
use oxur_adapter_kit as kit;

pub(crate) use self::facts::Facts;
use crate::platform::DriverFacts;
use crate::ze::{self, ze, ze_get, ze_list, ze_struct};
use crate::{LevelZero, Platform};

/// A device. Root devices belong to their platform and live as long as the adapter; a sub-device keeps the device that it
/// is a part of.
pub(crate) struct Device {
    pub(crate) handle_cell: HandleCell,
    pub(crate) raw: ze_device_handle_t,
    pub(crate) driver: Arc<DriverFacts>,
    platform: Weak<Platform>,
    parent: Option<Arc<Self>>,
    /// The driver's handles of its parts.
    parts: Vec<ze_device_handle_t>,
    /// What the device says of itself.
    pub(crate) facts: Facts,
}

ze::any_thread!(Device);

impl Device {
    /// Asks the driver for all that there is to know of a device, or of a part of one.
    pub(crate) fn new(
        raw: ze_device_handle_t,
        driver: &Arc<DriverFacts>,
        platform: &Weak<Platform>,
        parent: Option<&Arc<Self>>,
    ) -> UrResult<Arc<Self>> {
        // SAFETY: a live device, and room for as many handles as the list is for.
        let parts = unsafe { ze_list!(std::ptr::null_mut(), zeDeviceGetSubDevices(raw)) };
        Ok(Arc::new(Self {
            handle_cell: HandleCell::new(),
            raw,
            facts: Facts::ask(raw, driver)?,
            driver: driver.clone(),
            platform: platform.clone(),
            parent: parent.cloned(),
            // Drivers without sub-devices may refuse to answer.
            parts: parts.unwrap_or_default(),
        }))
    }

    /// A part of it.
    fn part(self: &Arc<Self>, raw: ze_device_handle_t) -> UrResult<Arc<Self>> {
        Self::new(raw, &self.driver, &self.platform, Some(self))
    }

    /// The device of a native handle: this one, or a part of it.
    pub(crate) fn find(self: &Arc<Self>, native: ze_device_handle_t) -> Option<Arc<Self>> {
        if self.raw == native {
            return Some(self.clone());
        }
        let part = |raw| self.part(raw).ok()?.find(native);
        self.parts.iter().copied().find_map(part)
    }

    /// How it can be divided.
    fn partitions(&self) -> Vec<DevicePartition> {
        match self.parts.len() {
            0 => Vec::new(),
            _ => vec![DevicePartition::BY_AFFINITY_DOMAIN],
        }
    }

    /// The property that made it, if it is a part.
    fn partitioned_by(&self) -> Vec<DevicePartitionProperty> {
        let by = |_| DevicePartitionProperty {
            r#type: DevicePartition::BY_AFFINITY_DOMAIN,
            value: DevicePartitionValue {
                affinity_domain: DeviceAffinityDomainFlags::NEXT_PARTITIONABLE,
            },
        };
        self.parent.iter().map(by).collect()
    }

    /// Whether it reaches another device's memory.
    pub(crate) fn reaches(&self, other: &Self) -> bool {
        self.is_in(other) || other.is_in(self) || self.reaches_peer(other).is_ok_and(|reaches| reaches)
    }

    /// Whether the driver waits for all that the device does.
    fn has_synchronize(&self) -> bool {
        self.driver.api_version >= ZE_API_VERSION_1_14 && ze::api().zeDeviceSynchronize.is_some()
    }

    /// Whether kernels use images that they know by a number.
    pub(crate) fn has_bindless(&self) -> bool {
        self.driver.has(ZE_BINDLESS_IMAGE_EXP_NAME) && ze::api().zeImageGetDeviceOffsetExp.is_some()
    }

    /// Whether memory of the host and of the device are the same.
    pub(crate) fn is_integrated(&self) -> bool {
        self.facts.has(ZE_DEVICE_PROPERTY_FLAG_INTEGRATED)
    }
}

impl kit::Device<LevelZero> for Device {
    fn kind(&self) -> DeviceType {
        self.facts.kind
    }

    fn parent(&self) -> Option<&Arc<Self>> {
        self.parent.as_ref()
    }

    fn is_same(&self, other: &Self) -> bool {
        self.raw == other.raw
    }

    fn platform(&self) -> Option<Arc<Platform>> {
        self.platform.upgrade()
    }

    fn info(&self, query: DeviceInfo, out: InfoOut<'_>) -> UrResult<()> {
        self.answer(query, out)
    }

    fn partition(self: &Arc<Self>, properties: &[DevicePartitionProperty]) -> UrResult<Vec<Arc<Self>>> {
        if properties[0].r#type != DevicePartition::BY_AFFINITY_DOMAIN || self.parts.is_empty() {
            return unsupported();
        }
        // SAFETY: the kind says which member of the union is set.
        let domain = unsafe { properties[0].value.affinity_domain };
        // The parts are those of a NUMA domain, and the next that there are.
        if !domain.intersects(DeviceAffinityDomainFlags::NUMA | DeviceAffinityDomainFlags::NEXT_PARTITIONABLE) {
            kit::bail!(ERROR_DEVICE_PARTITION_FAILED: "Level Zero does not divide devices by {domain:?}");
        }
        self.parts.iter().map(|&raw| self.part(raw)).collect()
    }

    fn image_rank(&self, target: &CStr) -> Option<u32> {
        kit::spirv_image_rank(target, self.facts.kind, self.facts.takes_spirv())
    }

    fn native(self: &Arc<Self>) -> UrResult<NativeHandle> {
        Ok(self.raw as NativeHandle)
    }

    fn timestamps(&self) -> UrResult<(u64, u64)> {
        let (mut host, mut device) = (0, 0);
        // SAFETY: a live device and two places for the clocks.
        unsafe { ze!(zeDeviceGetGlobalTimestamps(self.raw, &mut host, &mut device)) }?;
        Ok((self.facts.global_time(device), host))
    }

    fn wait(&self) -> UrResult<()> {
        if !self.has_synchronize() {
            return unsupported();
        }
        // SAFETY: a live device.
        unsafe { ze!(zeDeviceSynchronize(self.raw)) }
    }

    fn reaches_peer(&self, peer: &Self) -> UrResult<bool> {
        // SAFETY: live devices.
        Ok(unsafe { ze_get!(zeDeviceCanAccessPeer(self.raw, peer.raw)) }? != 0)
    }

    fn has_peer_atomics(&self, peer: &Self) -> UrResult<bool> {
        // SAFETY: live devices and a structure to fill.
        let p: ze_device_p2p_properties_t = unsafe { ze_struct!(zeDeviceGetP2PProperties(self.raw, peer.raw)) }?;
        Ok(p.flags & ZE_DEVICE_P2P_PROPERTY_FLAG_ATOMICS != 0)
    }

    fn enable_peer_access(&self, _peer: &Arc<Self>, _enable: bool) -> UrResult<()> {
        // Drivers enable it by themselves where it is possible.
        Ok(())
    }
}
