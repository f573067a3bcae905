// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The adapter: the NVIDIA driver of the machine, if there is one.

use std::sync::Arc;

use kit::ur::{self, NativeHandle};
use kit::{HandleCell, UrResult};
use oxur_adapter_kit as kit;
use oxur_cuda_sys::CUcontext;
use oxur_fork::OnceLock;

use crate::{Context, Cuda, Device, Platform, driver};

/// The adapter.
pub(crate) struct Adapter {
    pub(crate) handle_cell: HandleCell,
    platforms: Vec<Arc<Platform>>,
}

/// Whether the adapter says that it is of CUDA, and takes what DPC++ compiles for that: `UR_CUDA_BACKEND=cuda`. Else it
/// says that it is of OpenCL: libsycl hands SPIR-V to no other backend that it knows.
pub(crate) fn is_plain_cuda() -> bool {
    static PLAIN: OnceLock<bool> = OnceLock::new();
    *PLAIN.get_or_init(|| kit::environment::CUDA_BACKEND.word() == Some("cuda"))
}

impl kit::Adapter<Cuda> for Adapter {
    fn open() -> UrResult<Arc<Self>> {
        let platforms = match driver::load() {
            Ok(_) => Platform::new()?.into_iter().collect(),
            Err(reason) => {
                log::info!("no CUDA platforms: {reason}");
                Vec::new()
            }
        };
        Ok(Arc::new(Self {
            handle_cell: HandleCell::new(),
            platforms,
        }))
    }

    fn backend(&self) -> ur::Backend {
        match is_plain_cuda() {
            true => ur::Backend::CUDA,
            false => ur::Backend::OPENCL,
        }
    }

    fn platforms(&self) -> &[Arc<Platform>] {
        &self.platforms
    }

    fn context_from_native(
        &self,
        native: NativeHandle,
        devices: Vec<Arc<Device>>,
        _owned: bool,
    ) -> UrResult<Arc<Context>> {
        // The context is shared with the device, which keeps it.
        let mut all = self.platforms.iter().flat_map(|p| kit::Platform::devices(&**p));
        Context::from_native(native as CUcontext, devices, || all.next().cloned())
    }
}
