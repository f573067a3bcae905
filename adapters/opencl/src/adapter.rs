// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The adapter: all OpenCL platforms of the machine.

use std::sync::Arc;

use kit::ur::{self, NativeHandle};
use kit::{HandleCell, NativeRef, UrResult};
use opencl_sys::*;
use oxur_adapter_kit as kit;

use crate::cl::{self, DeviceObject, query};
use crate::{Context, Device, OpenCl, Platform};

/// The adapter.
pub(crate) struct Adapter {
    pub(crate) handle_cell: HandleCell,
    platforms: Vec<Arc<Platform>>,
}

impl Adapter {
    /// The root device that a native handle stands for.
    fn find_device(&self, native: cl_device_id) -> Option<&Arc<Device>> {
        self.platforms
            .iter()
            .flat_map(|p| kit::Platform::devices(&**p))
            .find(|d| d.raw == native)
    }
}

fn platform_ids() -> UrResult<Vec<cl_platform_id>> {
    if let Err(reason) = cl::load() {
        log::info!(
            "no OpenCL platforms: libOpenCL.so.1 cannot be loaded ({reason}). Install an OpenCL ICD loader, for example \
             the Debian package ocl-icd-libopencl1, and a driver"
        );
        return Ok(Vec::new());
    }
    // SAFETY: it takes no object.
    let ids = unsafe { cl::handles(query!(clGetPlatformIDs())) };
    ids.or_else(|error| {
        log::info!("no OpenCL platforms: {error}. Install an OpenCL driver, or set OCL_ICD_FILENAMES to one");
        Ok(Vec::new())
    })
}

impl kit::Adapter<OpenCl> for Adapter {
    fn open() -> UrResult<Arc<Self>> {
        let mut platforms = kit::usable(platform_ids()?.into_iter().map(Platform::new), "an OpenCL platform");
        platforms.retain(|platform| !kit::Platform::devices(&**platform).is_empty());
        Ok(Arc::new(Self {
            handle_cell: HandleCell::new(),
            platforms,
        }))
    }

    fn backend(&self) -> ur::Backend {
        ur::Backend::OPENCL
    }

    fn platforms(&self) -> &[Arc<Platform>] {
        &self.platforms
    }

    fn device_from_native(&self, native: NativeHandle, owned: bool) -> UrResult<Arc<Device>> {
        let native = native as cl_device_id;
        match self.find_device(native) {
            Some(device) => Ok(device.clone()),
            None => {
                let device = Device::from_native(&self.platforms, native)?;
                if owned {
                    // The wrapper has a reference of its own.
                    // SAFETY: the client gives this one up.
                    drop(unsafe { NativeRef::<DeviceObject>::new(native) });
                }
                Ok(device)
            }
        }
    }

    fn context_from_native(
        &self,
        native: NativeHandle,
        devices: Vec<Arc<Device>>,
        owned: bool,
    ) -> UrResult<Arc<Context>> {
        Context::from_native(self, native as cl_context, devices, owned)
    }
}
