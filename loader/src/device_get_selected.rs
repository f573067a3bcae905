// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `urDeviceGetSelected`: the devices of a platform that `ONEAPI_DEVICE_SELECTOR` selects.
#![allow(non_snake_case, reason = "functions and parameters have their C names")]

use std::ptr::null_mut;

use oxur_api::*;

use crate::device_selector::{Pattern, Place, Selector};
use crate::{UrResult, answer, dispatch, state};

pub(crate) unsafe extern "C-unwind" fn urDeviceGetSelected(
    hPlatform: PlatformHandle,
    kind: DeviceType,
    NumEntries: u32,
    phDevices: *mut DeviceHandle,
    pNumDevices: *mut u32,
) -> ResultCode {
    answer(|| {
        if !state::initialized() {
            return Err(ResultCode::ERROR_UNINITIALIZED);
        }
        // SAFETY: the caller vouches for the handle.
        let table = unsafe { dispatch::table_of(hPlatform) }?;
        if !<DeviceType as meta::Named>::VARIANTS
            .iter()
            .any(|known| known.value == kind.0)
        {
            return Err(ResultCode::ERROR_INVALID_ENUMERATION);
        }
        if NumEntries == 0 && !phDevices.is_null() {
            return Err(ResultCode::ERROR_INVALID_SIZE);
        }
        let selector = Selector::from_environment().map_err(|problem| {
            log::error!("{problem}");
            ResultCode::ERROR_INVALID_VALUE
        })?;
        let platform = Platform {
            handle: hPlatform,
            table,
        };
        let selected = platform.select(&selector, kind)?;
        if !pNumDevices.is_null() {
            // SAFETY: not null, and the caller vouches that it is writable.
            unsafe { pNumDevices.write(selected.len() as u32) };
        }
        if !phDevices.is_null() {
            for (index, device) in selected.into_iter().take(NumEntries as usize).enumerate() {
                // SAFETY: the caller vouches for `NumEntries` elements.
                unsafe { phDevices.add(index).write(device.into_raw()) };
            }
        }
        Ok(())
    })
}

fn check(code: ResultCode) -> UrResult<()> {
    if code == ResultCode::SUCCESS { Ok(()) } else { Err(code) }
}

/// A device with our reference to it.
struct Device {
    handle: DeviceHandle,
    table: &'static DdiTable,
    kind: DeviceType,
    place: Place,
}

impl Device {
    /// Passes the reference to the caller.
    fn into_raw(mut self) -> DeviceHandle {
        // Everything else is dropped; only the reference stays.
        drop(std::mem::take(&mut self.place));
        std::mem::ManuallyDrop::new(self).handle
    }

    /// The sub-devices of the device, by the kind of partition for its depth.
    fn parts(&self) -> UrResult<Vec<Device>> {
        let partition = self
            .table
            .Device
            .pfnPartition
            .ok_or(ResultCode::ERROR_UNSUPPORTED_FEATURE)?;
        let property = if self.place.len() == 1 {
            DevicePartitionProperty {
                r#type: DevicePartition::BY_AFFINITY_DOMAIN,
                value: DevicePartitionValue {
                    affinity_domain: DeviceAffinityDomainFlags::NEXT_PARTITIONABLE,
                },
            }
        } else {
            DevicePartitionProperty {
                r#type: DevicePartition::BY_CSLICE,
                value: DevicePartitionValue { count: 0 },
            }
        };
        let properties = DevicePartitionProperties {
            pProperties: &raw const property,
            PropCount: 1,
            ..Default::default()
        };
        let mut count = 0;
        // SAFETY: the device is alive, the properties live during the call, and the count has a place.
        check(unsafe { partition(self.handle, &properties, 0, null_mut(), &mut count) })?;
        let mut handles = vec![DeviceHandle::default(); count as usize];
        if count > 0 {
            // SAFETY: as above, and there is room for `count` handles.
            check(unsafe { partition(self.handle, &properties, count, handles.as_mut_ptr(), null_mut()) })?;
        }
        let place = |index| self.place.iter().copied().chain([index]).collect();
        let part = |(index, handle)| Device {
            handle,
            table: self.table,
            kind: self.kind,
            place: place(index),
        };
        Ok((0..).zip(handles).map(part).collect())
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        if let Some(release) = self.table.Device.pfnRelease {
            // SAFETY: we hold a reference on the device and give it up.
            unsafe { release(self.handle) };
        }
    }
}

struct Platform {
    handle: PlatformHandle,
    table: &'static DdiTable,
}

impl Platform {
    fn backend(&self) -> UrResult<Backend> {
        let get_info = self
            .table
            .Platform
            .pfnGetInfo
            .ok_or(ResultCode::ERROR_UNSUPPORTED_FEATURE)?;
        let mut backend = Backend::UNKNOWN;
        let place = (&raw mut backend).cast();
        // SAFETY: the platform is alive, and the answer is a `Backend`.
        check(unsafe {
            get_info(
                self.handle,
                PlatformInfo::BACKEND,
                size_of::<Backend>(),
                place,
                null_mut(),
            )
        })?;
        Ok(backend)
    }

    /// All root devices.
    fn devices(&self) -> UrResult<Vec<Device>> {
        let get = self.table.Device.pfnGet.ok_or(ResultCode::ERROR_UNSUPPORTED_FEATURE)?;
        let get_info = self
            .table
            .Device
            .pfnGetInfo
            .ok_or(ResultCode::ERROR_UNSUPPORTED_FEATURE)?;
        let mut count = 0;
        // SAFETY: the platform is alive, and the count has a place.
        match unsafe { get(self.handle, DeviceType::ALL, 0, null_mut(), &mut count) } {
            ResultCode::ERROR_DEVICE_NOT_FOUND => return Ok(Vec::new()),
            code => check(code)?,
        }
        let mut handles = vec![DeviceHandle::default(); count as usize];
        if count > 0 {
            // SAFETY: as above, and there is room for `count` handles.
            check(unsafe { get(self.handle, DeviceType::ALL, count, handles.as_mut_ptr(), null_mut()) })?;
        }
        let mut devices: Vec<_> = (0..)
            .zip(handles)
            .map(|(index, handle)| Device {
                handle,
                table: self.table,
                kind: DeviceType(0),
                place: vec![index],
            })
            .collect();
        for device in &mut devices {
            let place = (&raw mut device.kind).cast();
            // SAFETY: the device is alive, and the answer is a `DeviceType`.
            check(unsafe {
                get_info(
                    device.handle,
                    DeviceInfo::TYPE,
                    size_of::<DeviceType>(),
                    place,
                    null_mut(),
                )
            })?;
        }
        Ok(devices)
    }

    /// The devices of a kind that the selector accepts and does not discard, each once, in the selector's order.
    fn select(&self, selector: &Selector, kind: DeviceType) -> UrResult<Vec<Device>> {
        let backend = self.backend()?;
        let mut rest = self.devices()?;
        if kind != DeviceType::ALL && kind != DeviceType::DEFAULT {
            rest.retain(|device| device.kind == kind);
        }
        let mut selected = Vec::new();
        let deepest = selector.accepted(backend).map(Pattern::depth).max().unwrap_or(0);
        for depth in 2..=deepest {
            let wanted = |device: &&Device| {
                device.place.len() + 1 == depth
                    && selector
                        .accepted(backend)
                        .any(|p| p.depth() >= depth && p.leads_to(&device.place))
            };
            let parts: Vec<_> = rest
                .iter()
                .filter(wanted)
                .flat_map(|device| {
                    device.parts().unwrap_or_else(|code| {
                        log::warn!(
                            "{:?} has no sub-devices to select: urDevicePartition: {code:?}",
                            device.place
                        );
                        Vec::new()
                    })
                })
                .collect();
            rest.extend(parts);
        }
        for pattern in selector.accepted(backend) {
            let accepted = |device: &mut Device| {
                pattern.matches(device.kind, &device.place) && !selector.discards(backend, device.kind, &device.place)
            };
            selected.extend(rest.extract_if(.., accepted));
        }
        Ok(selected)
    }
}
