// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The adapter, which has one platform for this machine, or none if the user wants none.

use std::sync::Arc;

use kit::ur::NativeHandle;
use kit::{HandleCell, UrResult, ur};
use oxur_adapter_kit as kit;

use crate::{Context, Cpu, Device, Platform, opencl};

/// The adapter.
pub(crate) struct Adapter {
    pub(crate) handle_cell: HandleCell,
    backend: ur::Backend,
    platforms: Vec<Arc<Platform>>,
}

/// `OXUR_CPU`: whether the CPU shows up at all. Which place it has among others is the loader's to decide.
fn is_off() -> bool {
    kit::environment::CPU.word() == Some("off")
}

/// `UR_CPU_BACKEND`: the backend that the platform reports.
///
/// SYCL runtimes pass SPIR-V to platforms of the backends OpenCL and Level Zero only, so the default is OpenCL.
fn backend() -> ur::Backend {
    match kit::environment::CPU_BACKEND.word() {
        Some("native_cpu") => ur::Backend::NATIVE_CPU,
        _ => ur::Backend::OPENCL,
    }
}

impl kit::Adapter<Cpu> for Adapter {
    fn open() -> UrResult<Arc<Self>> {
        let backend = backend();
        Ok(Arc::new(Self {
            handle_cell: HandleCell::new(),
            backend,
            platforms: match is_off() {
                true => Vec::new(),
                false => vec![Platform::new(backend)],
            },
        }))
    }

    fn backend(&self) -> ur::Backend {
        self.backend
    }

    fn platforms(&self) -> &[Arc<Platform>] {
        &self.platforms
    }

    fn platform_from_native(&self, native: NativeHandle, _owned: bool) -> UrResult<Arc<Platform>> {
        // Nobody counts references of platforms.
        opencl::from_native(native, false)
    }

    fn device_from_native(&self, native: NativeHandle, owned: bool) -> UrResult<Arc<Device>> {
        let device: Arc<Device> = opencl::from_native(native, false)?;
        match kit::Device::is_root(&*device) {
            // Nobody counts references of root devices.
            true => Ok(device),
            false => opencl::from_native(native, owned),
        }
    }

    fn context_from_native(
        &self,
        native: NativeHandle,
        devices: Vec<Arc<Device>>,
        owned: bool,
    ) -> UrResult<Arc<Context>> {
        let context: Arc<Context> = opencl::from_native(native, false)?;
        devices.iter().try_for_each(|device| context.check_device(device))?;
        opencl::from_native(native, owned)
    }
}
