// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Adapters, platforms, devices and contexts.

use std::ffi::CStr;

use oxur_api::*;

use crate::info::{list, query};
use crate::{FromInfo, Loader, Result};

object! {
    /// An adapter: the library for one kind of driver.
    Adapter(AdapterHandle): urAdapterRetain, urAdapterRelease, AdapterInfo = urAdapterGetInfo
}

impl Adapter {
    /// Its platforms.
    pub fn platforms(&self) -> Result<Vec<Platform>> {
        let handles = list(|count, out, count_ret| {
            // SAFETY: the handle is alive; `out` has room for `count` handles.
            unsafe { self.fns().urPlatformGet(self.raw(), count, out, count_ret) }
        })?;
        Ok(handles
            .into_iter()
            .map(|handle| Platform {
                handle,
                adapter: self.clone(),
            })
            .collect())
    }

    /// Message and code of the driver's last error in this thread.
    pub fn last_error(&self) -> Result<(String, i32)> {
        let (mut message, mut code) = (core::ptr::null(), 0);
        // SAFETY: the handle is alive and the result pointers are valid.
        unsafe { self.fns().urAdapterGetLastError(self.raw(), &mut message, &mut code) }?;
        if message.is_null() {
            return Ok((String::new(), code));
        }
        // SAFETY: the adapter returns a NUL-terminated string, which is valid until its next error.
        Ok((unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned(), code))
    }
}

/// A driver's platform. It has no reference count: it belongs to its adapter, which this object keeps alive.
#[derive(Clone, Debug)]
pub struct Platform {
    handle: PlatformHandle,
    adapter: Adapter,
}

impl Platform {
    /// The handle.
    pub fn raw(&self) -> PlatformHandle {
        self.handle
    }

    /// The adapter that it belongs to.
    pub fn adapter(&self) -> &Adapter {
        &self.adapter
    }

    /// The loader that it came from.
    pub fn loader(&self) -> &Loader {
        self.adapter.loader()
    }

    /// Queries a property.
    pub fn info<T: FromInfo>(&self, property: PlatformInfo) -> Result<T> {
        query("urPlatformGetInfo", |size, value, size_ret| {
            // SAFETY: the handle is alive; `query` passes a buffer of `size` bytes, or none.
            unsafe {
                self.loader()
                    .fns()
                    .urPlatformGetInfo(self.handle, property, size, value, size_ret)
            }
        })
    }

    /// The driver's own handle.
    pub fn native(&self) -> Result<NativeHandle> {
        let mut native = 0;
        // SAFETY: the handle is alive and the result pointer is valid.
        unsafe { self.loader().fns().urPlatformGetNativeHandle(self.handle, &mut native) }?;
        Ok(native)
    }

    /// The version of the API that the adapter implements.
    pub fn api_version(&self) -> Result<ApiVersion> {
        let mut version = ApiVersion::default();
        // SAFETY: the handle is alive and the result pointer is valid.
        unsafe { self.loader().fns().urPlatformGetApiVersion(self.handle, &mut version) }?;
        Ok(version)
    }

    /// All its devices.
    pub fn devices(&self) -> Result<Vec<Device>> {
        self.devices_of(DeviceType::ALL)
    }

    /// Its devices of one type.
    pub fn devices_of(&self, kind: DeviceType) -> Result<Vec<Device>> {
        let handles = list(|count, out, count_ret| {
            // SAFETY: the handle is alive; `out` has room for `count` handles.
            unsafe {
                self.loader()
                    .fns()
                    .urDeviceGet(self.handle, kind, count, out, count_ret)
            }
        })?;
        // SAFETY: `urDeviceGet` returns a reference with each handle.
        Ok(handles
            .into_iter()
            .map(|handle| unsafe { Device::from_raw(self.loader(), handle) })
            .collect())
    }
}

object! {
    /// A device or sub-device.
    Device(DeviceHandle): urDeviceRetain, urDeviceRelease, DeviceInfo = urDeviceGetInfo, native urDeviceGetNativeHandle
}

impl Device {
    /// Splits the device.
    pub fn partition(&self, properties: &[DevicePartitionProperty]) -> Result<Vec<Device>> {
        let properties = DevicePartitionProperties {
            pProperties: properties.as_ptr(),
            PropCount: properties.len(),
            ..Default::default()
        };
        let handles = list(|count, out, count_ret| {
            // SAFETY: the handle is alive; the properties live through the call; `out` has room for `count` handles.
            unsafe {
                self.fns()
                    .urDevicePartition(self.raw(), &properties, count, out, count_ret)
            }
        })?;
        // SAFETY: `urDevicePartition` returns a reference with each handle.
        Ok(handles
            .into_iter()
            .map(|handle| unsafe { Self::from_raw(self.loader(), handle) })
            .collect())
    }

    /// Device time and host time of the same moment, in nanoseconds.
    pub fn timestamps(&self) -> Result<(u64, u64)> {
        let (mut device, mut host) = (0, 0);
        // SAFETY: the handle is alive and the result pointers are valid.
        unsafe {
            self.fns()
                .urDeviceGetGlobalTimestamps(self.raw(), &mut device, &mut host)
        }?;
        Ok((device, host))
    }
}

object! {
    /// A context: some devices that share memory, programs and queues.
    Context(ContextHandle): urContextRetain, urContextRelease, ContextInfo = urContextGetInfo, native urContextGetNativeHandle
}

impl Context {
    /// A context of some devices of one platform.
    pub fn new(devices: &[&Device]) -> Result<Self> {
        let Some(loader) = devices.first().map(|device| device.loader()) else {
            return Err(crate::Error::Ur {
                function: "urContextCreate",
                code: ResultCode::ERROR_INVALID_SIZE,
            });
        };
        let handles: Vec<_> = devices.iter().map(|device| device.raw()).collect();
        let mut handle = ContextHandle::default();
        // SAFETY: the devices are alive and the result pointer is valid.
        unsafe {
            loader
                .fns()
                .urContextCreate(handles.len() as u32, handles.as_ptr(), core::ptr::null(), &mut handle)
        }?;
        // SAFETY: a new context comes with one reference.
        Ok(unsafe { Self::from_raw(loader, handle) })
    }
}
