// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Platforms.

use std::ffi::CStr;
use std::sync::Arc;

use kit::ur::{DeviceType, NativeHandle, PlatformInfo, ResultCode};
use kit::{HandleCell, InfoOut, UrResult};
use opencl_sys::*;
use oxur_adapter_kit as kit;

use crate::cl::{self, query};
use crate::functions::Extensions;
use crate::{Device, OpenCl, conv};

/// A platform. What it says of itself never changes and is asked once.
pub(crate) struct Platform {
    pub(crate) handle_cell: HandleCell,
    pub(crate) raw: cl_platform_id,
    devices: Vec<Arc<Device>>,
    /// Answers to [`TEXTS`].
    texts: Vec<(PlatformInfo, String)>,
}

/// The queries of texts.
const TEXTS: [(PlatformInfo, cl_platform_info); 5] = [
    (PlatformInfo::NAME, CL_PLATFORM_NAME),
    (PlatformInfo::VENDOR_NAME, CL_PLATFORM_VENDOR),
    (PlatformInfo::VERSION, CL_PLATFORM_VERSION),
    (PlatformInfo::EXTENSIONS, CL_PLATFORM_EXTENSIONS),
    (PlatformInfo::PROFILE, CL_PLATFORM_PROFILE),
];

// SAFETY: an OpenCL handle may be used from any thread.
unsafe impl Send for Platform {}
// SAFETY: as above.
unsafe impl Sync for Platform {}

impl Platform {
    /// Its name.
    pub(crate) fn name(&self) -> &str {
        self.text(PlatformInfo::NAME).unwrap_or_default()
    }

    fn text(&self, query: PlatformInfo) -> Option<&str> {
        let mut texts = self.texts.iter();
        texts.find(|(known, _)| *known == query).map(|(_, text)| &**text)
    }

    /// Asks the driver for all that there is to know.
    pub(crate) fn new(raw: cl_platform_id) -> UrResult<Arc<Self>> {
        let text = |&(query, what): &(PlatformInfo, cl_platform_info)| {
            // SAFETY: a live platform.
            let text = unsafe { cl::string(query!(clGetPlatformInfo(raw, what))) };
            Ok((query, text?))
        };
        let texts = TEXTS.iter().map(text).collect::<UrResult<Vec<_>>>()?;
        let functions = Arc::new(Extensions::of(raw));
        let ids = device_ids(raw)?;
        Ok(Arc::new_cyclic(|platform| {
            let device = |id| Device::new(id, platform.clone(), &functions).map(Arc::new);
            let what = format!("a device of the OpenCL platform {:?}", texts[0].1);
            let mut devices = kit::usable(ids.into_iter().map(device), &what);
            devices.retain(|device| is_for_sycl(device, &texts[0].1));
            log::debug!("OpenCL platform {texts:?} with {} devices", devices.len());
            Self {
                handle_cell: HandleCell::new(),
                raw,
                devices,
                texts,
            }
        }))
    }
}

/// Whether SYCL programs can use a device. They take the first GPU, or all, and most machines with an NVIDIA GPU have its OpenCL driver,
/// which accepts no SPIR-V. A CPU without SPIR-V is a choice of the user's, who has installed that driver.
fn is_for_sycl(device: &Device, platform: &str) -> bool {
    let facts = &device.facts;
    if facts.kind != DeviceType::GPU || facts.takes_spirv() {
        return true;
    }
    log::info!(
        "the GPU {:?} of the OpenCL platform {platform:?} is left out, because it accepts no SPIR-V, which SYCL programs are made of. \
         NVIDIA's GPUs have an adapter of their own, libur_adapter_cuda.so.0",
        facts.name
    );
    false
}

fn device_ids(platform: cl_platform_id) -> UrResult<Vec<cl_device_id>> {
    // SAFETY: a live platform.
    let ids = unsafe { cl::handles(query!(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL))) };
    match ids {
        Err(error) if error.code() == ResultCode::ERROR_DEVICE_NOT_FOUND => Ok(Vec::new()),
        other => other,
    }
}

impl kit::Platform<OpenCl> for Platform {
    fn devices(&self) -> &[Arc<Device>] {
        &self.devices
    }

    fn info(&self, query: PlatformInfo, out: InfoOut<'_>) -> UrResult<()> {
        match self.text(query) {
            Some(text) => out.str(text),
            None => out.unsupported(),
        }
    }

    fn native(self: &Arc<Self>) -> UrResult<NativeHandle> {
        Ok(self.raw as NativeHandle)
    }

    fn backend_option(&self, frontend: &CStr) -> UrResult<Option<&'static CStr>> {
        Ok(conv::compiler_option(frontend))
    }
}
