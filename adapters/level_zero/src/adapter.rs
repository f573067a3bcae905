// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The adapter: all Level Zero drivers of the machine.

use std::sync::Arc;

use kit::ur::{self, NativeHandle, ResultCode};
use kit::{HandleCell, UrError, UrResult};
use level_zero_sys::*;
use oxur_adapter_kit as kit;

use crate::ze::{self, ze};
use crate::{Context, Device, LevelZero, Platform};

/// The oldest loader that this adapter works with.
const OLDEST: (i32, i32, i32) = (1, 9, 0);

/// The adapter.
pub(crate) struct Adapter {
    pub(crate) handle_cell: HandleCell,
    platforms: Vec<Arc<Platform>>,
}

/// The drivers of the machine. What goes wrong is in the log: then there are none.
fn drivers() -> Vec<ze_driver_handle_t> {
    let loader = match ze::load() {
        Ok(loader) => loader,
        Err(reason) => {
            log::info!("no Level Zero platforms: {reason}");
            return Vec::new();
        }
    };
    let found = if loader.zeInitDrivers.is_some() {
        let found = ze::list(std::ptr::null_mut(), |count, drivers| {
            let mut kinds = ze_init_driver_type_desc_t {
                flags: ZE_INIT_DRIVER_TYPE_FLAG_GPU,
                ..Default::default()
            };
            // SAFETY: `list` passes room for as many handles as it says, or null; the description lives as long.
            unsafe { ze!(zeInitDrivers(count, drivers, &mut kinds)) }
        });
        // Newer loaders have the function for older drivers, too.
        found.or_else(|_| older_drivers())
    } else {
        older_drivers()
    };
    // Older loaders tell their version only now.
    let (major, minor, patch) = OLDEST;
    if let Err(error) = loader.require(major, minor, patch) {
        log::error!("no Level Zero platforms: {error}");
        return Vec::new();
    }
    found.unwrap_or_else(|error| {
        log::info!("no Level Zero platforms: {error}. Install a driver (intel-opencl-icd, intel-level-zero-gpu)");
        Vec::new()
    })
}

/// The same where the loader has no `zeInitDrivers`.
fn older_drivers() -> UrResult<Vec<ze_driver_handle_t>> {
    // SAFETY: it may be called at any time.
    unsafe { ze!(zeInit(0)) }?;
    // SAFETY: `list` passes room for as many handles as it says, or null.
    ze::list(std::ptr::null_mut(), |count, drivers| unsafe {
        ze!(zeDriverGet(count, drivers))
    })
}

impl Adapter {
    /// The device, or a part of one, that a native handle stands for.
    fn find_device(&self, native: ze_device_handle_t) -> Option<Arc<Device>> {
        let mut roots = self.platforms.iter().flat_map(|p| kit::Platform::devices(&**p));
        roots.find_map(|root| root.find(native))
    }
}

impl kit::Adapter<LevelZero> for Adapter {
    fn open() -> UrResult<Arc<Self>> {
        let mut platforms = Vec::new();
        for driver in drivers() {
            match Platform::new(driver) {
                Ok(platform) if kit::Platform::devices(&*platform).is_empty() => {
                    log::info!("a Level Zero driver has no devices");
                }
                Ok(platform) => platforms.push(platform),
                Err(error) => log::warn!("a Level Zero driver is left out: {error}"),
            }
        }
        Ok(Arc::new(Self {
            handle_cell: HandleCell::new(),
            platforms,
        }))
    }

    fn backend(&self) -> ur::Backend {
        ur::Backend::LEVEL_ZERO
    }

    fn platforms(&self) -> &[Arc<Platform>] {
        &self.platforms
    }

    fn platform_from_native(&self, native: NativeHandle, _owned: bool) -> UrResult<Arc<Platform>> {
        let found = self.platforms.iter().find(|p| p.raw as NativeHandle == native);
        found.cloned().ok_or_else(|| {
            UrError::with_message(
                ResultCode::ERROR_INVALID_PLATFORM,
                "the native handle is no driver of this Level Zero loader",
            )
        })
    }

    fn device_from_native(&self, native: NativeHandle, _owned: bool) -> UrResult<Arc<Device>> {
        // Level Zero counts no references of devices.
        self.find_device(native as ze_device_handle_t).ok_or_else(|| {
            UrError::with_message(
                ResultCode::ERROR_INVALID_DEVICE,
                "the native handle is no device of this Level Zero loader's drivers",
            )
        })
    }

    fn context_from_native(
        &self,
        native: NativeHandle,
        devices: Vec<Arc<Device>>,
        owned: bool,
    ) -> UrResult<Arc<Context>> {
        Context::from_native(native as ze_context_handle_t, devices, owned)
    }
}
