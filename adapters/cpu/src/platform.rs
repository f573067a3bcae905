// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The platform: this adapter's compiler and threads on the machine's CPUs.

use std::ffi::CStr;
use std::sync::Arc;

use kit::ur::{self, PlatformInfo};
use kit::{HandleCell, InfoOut, UrResult};
use oxur_adapter_kit as kit;
use oxur_api_opencl as conv;

use crate::device::{as_gpu, extensions};
use crate::opencl::{self, NativeCell};
use crate::{Cpu, Device};

/// The platform.
pub(crate) struct Platform {
    pub(crate) handle_cell: HandleCell,
    pub(crate) native: NativeCell,
    devices: Vec<Arc<Device>>,
}

impl Platform {
    /// Examines the machine.
    pub(crate) fn new(backend: ur::Backend) -> Arc<Self> {
        Arc::new_cyclic(|platform| Self {
            handle_cell: HandleCell::new(),
            native: NativeCell::new(),
            devices: Device::roots(platform, backend),
        })
    }
}

impl kit::Platform<Cpu> for Platform {
    fn devices(&self) -> &[Arc<Device>] {
        &self.devices
    }

    fn info(&self, query: PlatformInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            PlatformInfo::NAME => out.str(as_gpu::platform_name()),
            PlatformInfo::VENDOR_NAME => out.str("oxur"),
            PlatformInfo::VERSION => out.str(concat!("OpenCL 3.0 oxur ", env!("CARGO_PKG_VERSION"))),
            PlatformInfo::EXTENSIONS => out.str(extensions()),
            PlatformInfo::PROFILE => out.str("FULL_PROFILE"),
            _ => out.unsupported(),
        }
    }

    fn native(self: &Arc<Self>) -> UrResult<ur::NativeHandle> {
        opencl::native(self)
    }

    fn backend_option(&self, frontend: &CStr) -> UrResult<Option<&'static CStr>> {
        Ok(conv::compiler_option(frontend))
    }
}
