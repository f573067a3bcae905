// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Device USM that processes share, if `UR_CUDA_IPC` is set. CUDA shares no memory of pools in this way, so it comes from
//! `cuMemAlloc` then.

use std::sync::Arc;

use kit::{SharedMemory, UrResult, UsmAllocation};
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

/// How many bytes the driver makes of an allocation.
const BYTES: usize = size_of::<CUipcMemHandle>();

impl kit::Ipc<Cuda> for Context {
    const HAS_IPC: bool = true;
    const HAS_PHYSICAL_IPC: bool = false;

    fn shares_usm() -> bool {
        shares_usm()
    }

    kit::memory_ipc_methods!(Cuda);
}

impl kit::MemoryIpc<Cuda, BYTES> for Context {
    fn require_ipc(&self) -> UrResult<()> {
        match shares_usm() {
            true => Ok(()),
            false => Err(kit::error!(
                ERROR_UNSUPPORTED_FEATURE: "USM can be shared with other processes only if UR_CUDA_IPC=1 is set"
            )),
        }
    }

    fn share(&self, memory: &UsmAllocation<Self>) -> UrResult<SharedMemory<BYTES>> {
        let primary = match &memory.device {
            Some(device) => device.primary()?,
            None => self.primary(),
        };
        let _current = primary.activate()?;
        // Of several allocations that CUDA knows as one, a part is meant.
        let base = usm::pointer(memory.base).map_or(memory.base, |whole| whole.base);
        let empty = CUipcMemHandle { reserved: [0; 64] };
        // SAFETY: memory of this context, and a place for the handle.
        let handle = unsafe { cu_get!(cuIpcGetMemHandle(_, base as CUdeviceptr): CUipcMemHandle = empty) }?;
        Ok(SharedMemory {
            handle: handle.reserved,
            base,
            // CUDA has no call that gives a handle back.
            keep: Box::new(()),
        })
    }

    fn open_shared(&self, device: &Arc<Device>, handle: [u8; BYTES]) -> UrResult<(usize, usize)> {
        let handle = CUipcMemHandle { reserved: handle };
        let _current = device.primary()?.activate()?;
        let flags = CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS;
        // SAFETY: a place for the address; the driver checks the bytes.
        let base = unsafe { cu_get!(cuIpcOpenMemHandle(_, handle, flags): CUdeviceptr = 0) }? as usize;
        Ok((base, usm::pointer(base).map_or(0, |whole| whole.size)))
    }

    fn close_shared(&self, device: &Arc<Device>, base: usize) -> UrResult<()> {
        let _current = device.primary()?.activate()?;
        // SAFETY: memory that was opened. The client vouches that no command uses it.
        unsafe { cu!(cuIpcCloseMemHandle(base as CUdeviceptr)) }
    }
}
