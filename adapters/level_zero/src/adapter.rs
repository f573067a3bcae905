// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The adapter: all Level Zero drivers of the machine.

use std::sync::Arc;

use kit::ur::{self, NativeHandle};
use kit::{HandleCell, UrResult};
use level_zero_sys::*;
use oxur_adapter_kit as kit;

use crate::ze;
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
    let found = loader.drivers(ZE_INIT_DRIVER_TYPE_FLAG_GPU);
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

impl kit::Adapter<LevelZero> for Adapter {
    fn open() -> UrResult<Arc<Self>> {
        let mut platforms = kit::usable(drivers().into_iter().map(Platform::new), "a Level Zero driver");
        // A driver may find no device of its own.
        platforms.retain(|platform| !kit::Platform::devices(&**platform).is_empty());
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

    fn device_from_native(&self, native: NativeHandle, _owned: bool) -> UrResult<Arc<Device>> {
        // It may be a part of a device. Level Zero counts no references of either.
        let mut roots = self.platforms.iter().flat_map(|p| kit::Platform::devices(&**p));
        roots
            .find_map(|root| root.find(native as ze_device_handle_t))
            .ok_or_else(|| {
                kit::error!(ERROR_INVALID_DEVICE: "the native handle is no device of this Level Zero loader's drivers")
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
