// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The platform: all devices of the driver.

use std::ffi::CStr;
use std::sync::Arc;

use kit::ur::PlatformInfo;
use kit::{HandleCell, InfoOut, UrResult};
use oxur_adapter_kit as kit;

use crate::adapter::is_plain_cuda;
use crate::driver::{self, cu_get};
use crate::{Cuda, Device, conv};

/// The platform.
pub(crate) struct Platform {
    pub(crate) handle_cell: HandleCell,
    devices: Vec<Arc<Device>>,
}

impl Platform {
    /// The platform of the driver, if it has devices.
    pub(crate) fn new() -> UrResult<Option<Arc<Self>>> {
        // SAFETY: a place for the count.
        let count = unsafe { cu_get!(cuDeviceGetCount(_): i32 = 0) }?;
        let platform = Arc::new_cyclic(|platform| {
            let mut devices = Vec::new();
            for ordinal in 0..count {
                match Device::new(ordinal, platform) {
                    Ok(device) => devices.push(device),
                    Err(error) => log::warn!("device {ordinal} of the NVIDIA driver is left out: {error}"),
                }
            }
            Self {
                handle_cell: HandleCell::new(),
                devices,
            }
        });
        if platform.devices.is_empty() {
            log::info!("no CUDA platforms: the NVIDIA driver has no devices");
            return Ok(None);
        }
        Ok(Some(platform))
    }
}

impl kit::Platform<Cuda> for Platform {
    fn devices(&self) -> &[Arc<Device>] {
        &self.devices
    }

    fn info(&self, query: PlatformInfo, out: InfoOut<'_>) -> UrResult<()> {
        let cuda = driver::version_text(driver::version());
        match query {
            PlatformInfo::NAME => out.str("NVIDIA CUDA"),
            PlatformInfo::VENDOR_NAME => out.str("NVIDIA Corporation"),
            PlatformInfo::VERSION if is_plain_cuda() => out.str(&format!("CUDA {cuda}")),
            // Clients read a version of OpenCL there.
            PlatformInfo::VERSION => out.str(&format!("OpenCL 3.0 CUDA {cuda}")),
            PlatformInfo::EXTENSIONS => out.str(""),
            PlatformInfo::PROFILE => out.str("FULL_PROFILE"),
            _ => out.unsupported(),
        }
    }

    fn backend_option(&self, frontend: &CStr) -> UrResult<Option<&'static CStr>> {
        Ok(conv::compiler_option(frontend))
    }
}
