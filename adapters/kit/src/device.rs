// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Devices and sub-devices.

use std::ffi::{CStr, c_void};
use std::sync::Arc;

use oxur_api::*;
use smallvec::SmallVec;

use crate::adapter::adapter;
use crate::chain::decode;
use crate::device_defaults::{canonical, default_device_info};
use crate::handle::{self, export, object};
use crate::table::entry_points;
use crate::{Adapter as _, Backend, InfoOut, Object, Platform as _, UrResult, args, entry, unsupported};

/// A device. Root devices live as long as the adapter; sub-devices as long as somebody holds them.
pub trait Device<B: Backend>: Object<Handle = DeviceHandle> {
    /// What kind of device it is.
    fn kind(&self) -> DeviceType;

    /// Whether a client that looks for devices of this kind, neither `ALL` nor `DEFAULT`, finds it.
    fn is_found_as(&self, kind: DeviceType) -> bool {
        kind == self.kind()
    }

    /// The device that this is a part of, if it is one.
    fn parent(&self) -> Option<&Arc<Self>> {
        None
    }

    /// Whether it is the same for the driver as another one: two of ours may stand for one of the driver's.
    fn is_same(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }

    /// Whether it is another device, or a part of it.
    fn is_in(&self, whole: &Self) -> bool {
        self.is_same(whole) || self.parent().is_some_and(|parent| parent.is_in(whole))
    }

    /// Whether this is a device of the platform and not a part of one. The client's reference count of a root device
    /// means nothing.
    fn is_root(&self) -> bool {
        self.parent().is_none()
    }

    /// The platform that has it: by default, the one of the adapter's that lists its root device. `None` only while that
    /// goes.
    fn platform(&self) -> Option<Arc<B::Platform>> {
        if let Some(parent) = self.parent() {
            return parent.platform();
        }
        let this = std::ptr::from_ref(self).cast::<()>();
        let has_this = |platform: &&Arc<B::Platform>| {
            let devices = platform.devices();
            devices.iter().any(|device| Arc::as_ptr(device).cast() == this)
        };
        adapter::<B>().ok()?.platforms().iter().find(has_this).cloned()
    }

    /// Answers `urDeviceGetInfo`, but for the kind, the platform, the parent and the reference count, and for names by which
    /// a query exists twice. What the adapter has no answer of its own for is [`default_device_info`]'s.
    fn info(&self, query: DeviceInfo, out: InfoOut<'_>) -> UrResult<()> {
        default_device_info::<B>(query, out)
    }

    /// Divides the device. `properties` has one kind of partition, once for each part where it counts: with at least one.
    fn partition(self: &Arc<Self>, _properties: &[DevicePartitionProperty]) -> UrResult<Vec<Arc<Self>>> {
        unsupported()
    }

    /// How well the device takes a program image for `target` (a `DEVICE_BINARY_TARGET_*`): higher is better, `None` not at all.
    fn image_rank(&self, _target: &CStr) -> Option<u32> {
        None
    }

    /// The driver's handle.
    fn native(self: &Arc<Self>) -> UrResult<NativeHandle> {
        unsupported()
    }

    /// The device's and the host's clock at one moment, in nanoseconds.
    fn timestamps(&self) -> UrResult<(u64, u64)> {
        unsupported()
    }

    /// Only the host's clock, in nanoseconds.
    fn host_timestamp(&self) -> UrResult<u64> {
        self.timestamps().map(|(_, host)| host)
    }

    /// Whether kernels of this device can reach the peer's memory.
    fn reaches_peer(&self, _peer: &Self) -> UrResult<bool> {
        unsupported()
    }

    /// Whether its atomics work in the peer's memory.
    fn has_peer_atomics(&self, _peer: &Self) -> UrResult<bool> {
        unsupported()
    }

    /// Allows this device to use memory of the peer, or no longer does if `enable` is false.
    fn enable_peer_access(&self, _peer: &Arc<Self>, _enable: bool) -> UrResult<()> {
        unsupported()
    }

    /// Waits for all work on the device.
    fn wait(&self) -> UrResult<()> {
        unsupported()
    }
}

/// What [`Device::image_rank`] answers for a device that may take SPIR-V, which a compiler may have made for its kind.
pub fn spirv_image_rank(target: &CStr, kind: DeviceType, takes_spirv: bool) -> Option<u32> {
    let ahead_of_time = match kind {
        DeviceType::CPU => Some(DEVICE_BINARY_TARGET_SPIRV64_X86_64),
        DeviceType::GPU => Some(DEVICE_BINARY_TARGET_SPIRV64_GEN),
        DeviceType::FPGA => Some(DEVICE_BINARY_TARGET_SPIRV64_FPGA),
        _ => None,
    };
    if Some(target) == ahead_of_time {
        Some(2)
    } else if target == DEVICE_BINARY_TARGET_SPIRV64 && takes_spirv {
        Some(1)
    } else {
        None
    }
}

/// Checks the properties of a partition, which are all of one kind.
fn check_partition(properties: &[DevicePartitionProperty]) -> UrResult<()> {
    // SAFETY: all members of the union are a `u32` of any value.
    let mut counts = properties.iter().map(|property| unsafe { property.value.count });
    match properties[0].r#type {
        DevicePartition::EQUALLY | DevicePartition::BY_AFFINITY_DOMAIN if properties.len() > 1 => {
            Err(crate::error!(ERROR_INVALID_VALUE: "this kind of partition takes one property"))
        }
        DevicePartition::BY_COUNTS if counts.any(|count| count == 0) => Err(crate::error!(
            ERROR_INVALID_DEVICE_PARTITION_COUNT: "a sub-device needs a compute unit"
        )),
        kind => args::known(kind),
    }
}

entry! {
    fn urDeviceGet<B>(
        platform: PlatformHandle, kind: DeviceType, capacity: u32, devices: *mut DeviceHandle, count: *mut u32,
    ) {
        let platform = object::<B::Platform>(platform)?;
        args::known(kind)?;
        let all = crate::Platform::devices(&**platform);
        let mut found = SmallVec::<[&Arc<B::Device>; 8]>::new();
        for device in all {
            if matches!(kind, DeviceType::DEFAULT | DeviceType::ALL) || device.is_found_as(kind) {
                found.push(device);
            }
        }
        if kind == DeviceType::DEFAULT {
            found.truncate(1);
        }
        // They are root devices, whose references nobody counts.
        args::list(&found, false, capacity, devices, count)
    }

    fn urDeviceGetInfo<B>(
        device: DeviceHandle, query: DeviceInfo, size: usize, value: *mut c_void, needed: *mut usize,
    ) {
        let device = object::<B::Device>(device)?;
        let out = InfoOut::of(query, size, value, needed)?;
        match query {
            DeviceInfo::TYPE => out.value(device.kind()),
            DeviceInfo::REFERENCE_COUNT if device.is_root() => out.value(1u32),
            DeviceInfo::REFERENCE_COUNT => out.references(&**device),
            DeviceInfo::PARENT_DEVICE => match device.parent() {
                Some(parent) => out.handle(parent),
                None => out.value(DeviceHandle::default()),
            },
            DeviceInfo::PLATFORM => match device.platform() {
                Some(platform) => out.handle(&platform),
                None => Err(ResultCode::ERROR_INVALID_DEVICE.into()),
            },
            _ => device.info(canonical(query), out),
        }
    }

    fn urDeviceRetain<B>(device: DeviceHandle) {
        handle::retain::<B::Device>(device)
    }

    fn urDeviceRelease<B>(device: DeviceHandle) {
        if object::<B::Device>(device)?.is_root() {
            // Clients release root devices that a native handle gave them more often than they retained them.
            return Ok(());
        }
        handle::release::<B::Device>(device)
    }

    fn urDevicePartition<B>(
        device: DeviceHandle, properties: *const DevicePartitionProperties, capacity: u32, parts: *mut DeviceHandle,
        count: *mut u32,
    ) {
        let device = object::<B::Device>(device)?;
        let properties = args::required(properties)?;
        decode!("urDevicePartition", properties.pNext)?;
        args::not_null(properties.pProperties)?;
        let properties = args::slice(properties.pProperties, properties.PropCount)?;
        if properties.is_empty() || properties.iter().any(|p| p.r#type != properties[0].r#type) {
            crate::bail!(ERROR_INVALID_VALUE: "a device is divided by one kind of partition, given at least once");
        }
        check_partition(properties)?;
        let made = device.partition(properties)?;
        // A second call makes the devices anew; the first only counts them.
        let given = if parts.is_null() { 0 } else { capacity };
        args::list(&made, true, given, parts, count)
    }

    fn urDeviceSelectBinary<B>(device: DeviceHandle, binaries: *const DeviceBinary, count: u32, selected: *mut u32) {
        let device = object::<B::Device>(device)?;
        if count == 0 {
            return Err(ResultCode::ERROR_INVALID_SIZE.into());
        }
        let selected = args::out(selected)?;
        let mut best = None;
        for (index, binary) in (0u32..).zip(args::slice(binaries, count as usize)?) {
            decode!("urDeviceSelectBinary", binary.pNext)?;
            let rank = device.image_rank(args::c_str(binary.pDeviceTargetSpec)?);
            // The first of equals wins.
            if rank > best.map(|(rank, _)| rank) {
                best = rank.map(|rank| (rank, index));
            }
        }
        let (_, index) = best.ok_or(ResultCode::ERROR_INVALID_BINARY)?;
        selected.write(index);
        Ok(())
    }

    fn urDeviceGetNativeHandle<B>(device: DeviceHandle, native: *mut NativeHandle) {
        let device = object::<B::Device>(device)?;
        args::out(native)?.write(device.native()?);
        Ok(())
    }

    fn urDeviceCreateWithNativeHandle<B>(
        native: NativeHandle, adapter: AdapterHandle, properties: *const DeviceNativeProperties, device: *mut DeviceHandle,
    ) {
        let adapter = object::<B::Adapter>(adapter)?;
        let out = args::out(device)?;
        let properties = properties.as_ref().copied().unwrap_or_default();
        decode!("urDeviceCreateWithNativeHandle", properties.pNext)?;
        let owned = properties.isNativeHandleOwned;
        out.write(export(&crate::Adapter::device_from_native(&**adapter, native, owned)?));
        Ok(())
    }

    fn urDeviceGetGlobalTimestamps<B>(device: DeviceHandle, device_time: *mut u64, host_time: *mut u64) {
        let device = object::<B::Device>(device)?;
        if device_time.is_null() {
            if !host_time.is_null() {
                host_time.write(device.host_timestamp()?);
            }
            return Ok(());
        }
        let (on_device, on_host) = device.timestamps()?;
        device_time.write(on_device);
        if !host_time.is_null() {
            host_time.write(on_host);
        }
        Ok(())
    }

    fn urDeviceWaitExp<B>(device: DeviceHandle) {
        object::<B::Device>(device)?.wait()
    }
}

oxur_api::device_functions! { entry_points {} }
oxur_api::device_exp_functions! { entry_points {} }
