// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Platforms: one for each Level Zero driver.

use std::ffi::{CStr, c_void};
use std::sync::Arc;

use kit::ur::{NativeHandle, PlatformInfo};
use kit::{HandleCell, InfoOut, UrResult};
use level_zero_sys::*;
use oxur_adapter_kit as kit;
use oxur_fork::OnceLock;

use crate::ze::{self, ze, ze_list, ze_struct};
use crate::{Device, LevelZero, conv};

/// A driver, and what is known of it.
pub(crate) struct Platform {
    pub(crate) handle_cell: HandleCell,
    devices: Vec<Arc<Device>>,
    driver: Arc<DriverFacts>,
}

/// What a driver says of itself, for its devices.
pub(crate) struct DriverFacts {
    pub(crate) raw: ze_driver_handle_t,
    pub(crate) version: u32,
    pub(crate) api_version: ze_api_version_t,
    /// Whether other processes can open memory.
    pub(crate) has_ipc: bool,
    extensions: Vec<String>,
    import: OnceLock<Result<ImportFunctions, String>>,
}

/// The driver's own handle, and its functions that import memory of the host and end that.
type ImportFunctions = (
    ze_driver_handle_t,
    unsafe extern "C" fn(ze_driver_handle_t, *mut c_void, usize) -> ze_result_t,
    unsafe extern "C" fn(ze_driver_handle_t, *mut c_void) -> ze_result_t,
);

ze::any_thread!(DriverFacts);

impl DriverFacts {
    fn ask(raw: ze_driver_handle_t) -> UrResult<Self> {
        let mut api_version = ze_api_version_t::default();
        // SAFETY: a live driver and a place for the version.
        unsafe { ze!(zeDriverGetApiVersion(raw, &mut api_version)) }?;
        let (properties, ipc, extensions);
        // SAFETY: a live driver, and structures to fill, or as many as the list is for.
        unsafe {
            properties = ze_struct!(zeDriverGetProperties(raw))?;
            ipc = ze_struct!(zeDriverGetIpcProperties(raw));
            extensions = ze_list!(Default::default(), zeDriverGetExtensionProperties(raw));
        }
        let properties: ze_driver_properties_t = properties;
        let ipc: UrResult<ze_driver_ipc_properties_t> = ipc;
        let extensions: UrResult<Vec<ze_driver_extension_properties_t>> = extensions;
        let extensions = extensions.unwrap_or_else(|error| {
            log::info!("a Level Zero driver lists no extensions: {error}");
            Vec::new()
        });
        Ok(Self {
            raw,
            version: properties.driverVersion,
            api_version,
            has_ipc: ipc.is_ok_and(|ipc| ipc.flags & ZE_IPC_PROPERTY_FLAG_MEMORY != 0),
            import: OnceLock::new(),
            extensions: extensions
                .iter()
                .filter_map(|e| text(&e.name).map(str::to_owned))
                .collect(),
        })
    }

    /// What imports memory of the host: functions that drivers offer by name only, which take the driver's own handle.
    pub(crate) fn import_functions(&self) -> UrResult<ImportFunctions> {
        let find = || {
            let (loader, mut own) = (ze::load()?, self.raw.cast());
            // SAFETY: a live driver, the types of Intel's driver, which defines these functions, and a place for a handle.
            unsafe {
                let import = loader.extension_function(self.raw, c"zexDriverImportExternalPointer");
                let release = loader.extension_function(self.raw, c"zexDriverReleaseImportedPointer");
                let import = import.map_err(|error| error.to_string())?;
                let release = release.map_err(|error| error.to_string())?;
                if let Some(translate) = loader.zelLoaderTranslateHandle {
                    // With a single driver there is nothing to translate.
                    _ = translate(ZEL_HANDLE_DRIVER, self.raw.cast(), &mut own);
                }
                Ok((own.cast(), import, release))
            }
        };
        let found = self.import.get_or_init(find).as_ref();
        let missing = |reason: &String| kit::error!(ERROR_UNSUPPORTED_FEATURE: "{reason}");
        found.copied().map_err(missing)
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
        // SAFETY: a live driver, and room for as many handles as the list is for.
        let found = unsafe { ze_list!(std::ptr::null_mut(), zeDeviceGet(raw)) }?;
        Ok(Arc::new_cyclic(|platform| {
            let device = |id| Device::new(id, &driver, platform, None);
            let devices = kit::usable(found.into_iter().map(device), "a device of a Level Zero driver");
            log::debug!("Level Zero driver {:#x} with {} devices", driver.version, devices.len());
            Self {
                handle_cell: HandleCell::new(),
                devices,
                driver: driver.clone(),
            }
        }))
    }
}

impl kit::Platform<LevelZero> for Platform {
    fn devices(&self) -> &[Arc<Device>] {
        &self.devices
    }

    fn info(&self, query: PlatformInfo, out: InfoOut<'_>) -> UrResult<()> {
        let version = self.driver.api_version;
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
        Ok(self.driver.raw as NativeHandle)
    }

    fn backend_option(&self, frontend: &CStr) -> UrResult<Option<&'static CStr>> {
        Ok(conv::compiler_option(frontend))
    }
}
