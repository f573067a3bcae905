// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Platforms: one for each Level Zero driver.

use std::ffi::CStr;
use std::sync::Arc;

use kit::ur::{NativeHandle, PlatformInfo, ResultCode};
use kit::{HandleCell, InfoOut, UrError, UrResult};
use level_zero_sys::*;
use oxur_adapter_kit as kit;

use crate::ze::{self, ze};
use crate::{Device, LevelZero, conv};

/// A driver, and what is known of it.
pub(crate) struct Platform {
    pub(crate) handle_cell: HandleCell,
    pub(crate) raw: ze_driver_handle_t,
    devices: Vec<Arc<Device>>,
    api_version: ze_api_version_t,
}

// SAFETY: a handle of Level Zero may be used from any thread.
unsafe impl Send for Platform {}
// SAFETY: as above.
unsafe impl Sync for Platform {}

/// What a driver says of itself, for its devices.
pub(crate) struct DriverFacts {
    pub(crate) raw: ze_driver_handle_t,
    pub(crate) version: u32,
    pub(crate) api_version: ze_api_version_t,
    extensions: Vec<String>,
}

// SAFETY: a handle of Level Zero may be used from any thread.
unsafe impl Send for DriverFacts {}
// SAFETY: as above.
unsafe impl Sync for DriverFacts {}

impl DriverFacts {
    fn ask(raw: ze_driver_handle_t) -> UrResult<Self> {
        let mut api_version = ze_api_version_t::default();
        // SAFETY: a live driver and a place for the version.
        unsafe { ze!(zeDriverGetApiVersion(raw, &mut api_version)) }?;
        // SAFETY: a live driver and a structure to fill.
        let properties: ze_driver_properties_t =
            ze::structure(|properties| unsafe { ze!(zeDriverGetProperties(raw, properties)) })?;
        // SAFETY: a live driver, and room for as many structures as `list` says, or null.
        let extensions = ze::list(
            ze_driver_extension_properties_t::default(),
            |count, extensions| unsafe { ze!(zeDriverGetExtensionProperties(raw, count, extensions)) },
        );
        let extensions = extensions.unwrap_or_else(|error| {
            log::info!("a Level Zero driver lists no extensions: {error}");
            Vec::new()
        });
        Ok(Self {
            raw,
            version: properties.driverVersion,
            api_version,
            extensions: extensions
                .iter()
                .filter_map(|e| text(&e.name).map(str::to_owned))
                .collect(),
        })
    }

    /// Whether the driver lists an extension.
    pub(crate) fn has(&self, extension: &CStr) -> bool {
        self.extensions.iter().any(|e| e.as_bytes() == extension.to_bytes())
    }
}

impl Platform {
    /// Asks the driver for all that there is to know.
    pub(crate) fn new(raw: ze_driver_handle_t) -> UrResult<Arc<Self>> {
        let driver = Arc::new(DriverFacts::ask(raw)?);
        // SAFETY: a live driver, and room for as many handles as `list` says, or null.
        let found = ze::list(std::ptr::null_mut(), |count, devices| unsafe {
            ze!(zeDeviceGet(raw, count, devices))
        })?;
        Ok(Arc::new_cyclic(|platform| {
            let mut devices = Vec::new();
            for id in found {
                match Device::new(id, &driver, platform, None) {
                    Ok(device) => devices.push(device),
                    Err(error) => log::warn!("a device of a Level Zero driver is left out: {error}"),
                }
            }
            log::debug!("Level Zero driver {:#x} with {} devices", driver.version, devices.len());
            Self {
                handle_cell: HandleCell::new(),
                raw,
                devices,
                api_version: driver.api_version,
            }
        }))
    }
}

impl kit::Platform<LevelZero> for Platform {
    fn devices(&self) -> &[Arc<Device>] {
        &self.devices
    }

    fn info(&self, query: PlatformInfo, out: InfoOut<'_>) -> UrResult<()> {
        let version = self.api_version;
        match query {
            // Programs look for this name.
            PlatformInfo::NAME => out.str("Intel(R) oneAPI Unified Runtime over Level-Zero"),
            PlatformInfo::VENDOR_NAME => out.str("Intel(R) Corporation"),
            PlatformInfo::VERSION => out.str(&format!("{}.{}", version.major(), version.minor())),
            PlatformInfo::EXTENSIONS => out.str(""),
            PlatformInfo::PROFILE => out.str("FULL_PROFILE"),
            _ => out.unsupported(),
        }
    }

    fn native(self: &Arc<Self>) -> UrResult<NativeHandle> {
        Ok(self.raw as NativeHandle)
    }

    fn backend_option(&self, frontend: &CStr) -> UrResult<&'static CStr> {
        conv::compiler_option(frontend).ok_or_else(|| {
            UrError::with_message(
                ResultCode::ERROR_INVALID_VALUE,
                format!("Level Zero compilers have no equivalent of {frontend:?}"),
            )
        })
    }
}
