// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Device USM that processes share, if `UR_CUDA_IPC` is set. CUDA shares no memory of pools in this way, so it comes from
//! `cuMemAlloc` then.

use std::ffi::c_void;
use std::sync::Arc;

use kit::ur::UsmType;
use kit::{Context as _, IpcExport, UrResult, UsmAllocation};
use oxur_adapter_kit as kit;
use oxur_cuda_sys::*;
use oxur_fork::OnceLock;

use crate::driver::{cu, cu_get};
use crate::{Context, Cuda, Device, usm};

/// `UR_CUDA_IPC`, read once.
pub(crate) fn shares_usm() -> bool {
    static SHARES: OnceLock<bool> = OnceLock::new();
    *SHARES.get_or_init(|| kit::environment::CUDA_IPC.switch().unwrap_or(false))
}

/// What the client carries to another process.
type Bytes = kit::IpcBytes<{ size_of::<CUipcMemHandle>() }>;

fn require() -> UrResult<()> {
    match shares_usm() {
        true => Ok(()),
        false => Err(kit::error!(
            ERROR_UNSUPPORTED_FEATURE: "USM can be shared with other processes only if UR_CUDA_IPC=1 is set"
        )),
    }
}

impl kit::Ipc<Cuda> for Context {
    const HAS_IPC: bool = true;
    const HAS_PHYSICAL_IPC: bool = false;

    fn shares_usm() -> bool {
        shares_usm()
    }

    fn ipc_export_mem(self: &Arc<Self>, memory: *mut c_void) -> UrResult<IpcExport> {
        require()?;
        let is_own =
            |found: &UsmAllocation<Self>| found.kind == UsmType::DEVICE && self.foreign.find(memory.addr()).is_none();
        let found = self.usm.find(&**self, memory.addr()).filter(is_own);
        let found = found.ok_or_else(
            || kit::error!(ERROR_INVALID_VALUE: "{memory:p} is no device USM of this context that could be shared"),
        )?;
        let primary = match &found.device {
            Some(device) => device.primary()?,
            None => self.primary(),
        };
        let _current = primary.activate()?;
        // Of several allocations that CUDA knows as one, a part is meant.
        let base = usm::pointer(found.base).map_or(found.base, |whole| whole.base);
        let empty = CUipcMemHandle { reserved: [0; 64] };
        // SAFETY: memory of this context, and a place for the handle.
        let handle = unsafe { cu_get!(cuIpcGetMemHandle(_, base as CUdeviceptr): CUipcMemHandle = empty) }?;
        let bytes = Bytes {
            handle: handle.reserved,
            offset: found.base - base,
            size: found.size,
        };
        Ok(IpcExport {
            data: bytes.write(),
            // CUDA has no call that gives a handle back.
            keep: Box::new(()),
        })
    }

    fn ipc_open_mem(self: &Arc<Self>, device: &Arc<Device>, data: &[u8]) -> UrResult<*mut c_void> {
        require()?;
        self.check_device(device)?;
        let bytes = Bytes::read(data)?;
        let handle = CUipcMemHandle { reserved: bytes.handle };
        let _current = device.primary()?.activate()?;
        let flags = CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS;
        // SAFETY: a place for the address; the driver checks the bytes.
        let base = unsafe { cu_get!(cuIpcOpenMemHandle(_, handle, flags): CUdeviceptr = 0) };
        let base = base.map_err(Bytes::refused)? as usize;
        let length = usm::pointer(base).map_or(0, |whole| whole.size);
        if let Err(error) = bytes.check_part(length) {
            // SAFETY: memory that was just opened.
            unsafe { cu!(cuIpcCloseMemHandle(base as CUdeviceptr)) }?;
            return Err(error);
        }
        let memory = base + bytes.offset;
        self.foreign.add(memory, base, bytes.size, Some(device));
        Ok(memory as *mut c_void)
    }

    fn ipc_close_mem(self: &Arc<Self>, memory: *mut c_void) -> UrResult<()> {
        let device = self.foreign.find(memory.addr()).and_then(|found| found.device);
        let base = self.foreign.remove(memory, true)?;
        let primary = match &device {
            Some(device) => device.primary()?,
            None => self.primary(),
        };
        let _current = primary.activate()?;
        // SAFETY: memory that was opened. The client vouches that no command uses it.
        unsafe { cu!(cuIpcCloseMemHandle(base as CUdeviceptr)) }
    }
}
