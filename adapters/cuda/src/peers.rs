// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Memory of other devices: copies between devices, fills, and kernels that use it.
//!
//! Memory of a [pool](crate::memory_pool) is the device's alone until other devices get access, and the driver refuses copies of
//! it in their streams. A device gets access to the memory of all others of a context when it gets its first queue there, if the
//! two are peers. So commands need no look at whose memory it is, and who uses but one device of a context pays nothing: the
//! pools of the others are empty. Access is never taken away, as CUDA recommends for pools: it would be from under commands.
//!
//! Devices that are no peers copy by way of the driver, which is told whose memory it is ([`copy`], [`copy_box`]); other
//! commands go through a stream of the memory's device. That is found out when the driver has refused a command.

use kit::{Device as _, UrError, UrResult};
use oxur_adapter_kit as kit;
use oxur_cuda_sys::*;

use crate::driver::{cu, cu_get};
use crate::primary::Primary;
use crate::{Context, Device, ipc, usm};

impl Context {
    /// Lets a device of this context use the USM of its others, as far as they are peers.
    pub(crate) fn open_pools(&self, device: &Device) {
        if self.devices.len() == 1 || ipc::shares_usm() {
            return;
        }
        for other in self.devices.iter().filter(|other| other.raw != device.raw) {
            if let Err(error) = open(device, other) {
                // Copies go another way.
                let (raw, other) = (device.raw, other.raw);
                log::warn!("kernels of device {raw} cannot use USM of device {other}: {error}");
            }
        }
    }

    /// Whether a command of a device can be a node of a graph, which uses this memory.
    pub(crate) fn may_be_node(&self, device: &Device, address: usize) -> UrResult<bool> {
        if self.devices.len() == 1 {
            return Ok(true);
        }
        match owner(address as u64) {
            Some(owner) if owner.device != device.raw => {
                let pool = owner.memory_pool()?;
                Ok(pool.is_some_and(|pool| pool.is_open_to(device.raw)))
            }
            _ => Ok(true),
        }
    }
}

fn open(device: &Device, other: &Device) -> UrResult<()> {
    let primary = other.primary()?;
    let _current = primary.activate()?;
    match primary.memory_pool()? {
        Some(pool) if !pool.is_open_to(device.raw) && device.reaches_peer(other)? => pool.open_to(device.raw),
        _ => Ok(()),
    }
}

/// The device that has memory; `None` if it is the host's, managed, or none of CUDA's. A context is current.
pub(crate) fn owner(address: CUdeviceptr) -> Option<&'static Primary> {
    let device = usm::pointer(address as usize)?.own_device()?;
    Primary::of(|primary| primary.device == device)
}

/// The device whose context is current.
fn current() -> UrResult<Option<&'static Primary>> {
    // SAFETY: a place for the context.
    let current = unsafe { cu_get!(cuCtxGetCurrent(_): CUcontext = std::ptr::null_mut()) }?;
    Ok(Primary::of(|primary| primary.raw == current))
}

/// Whose memory the sides of a copy are, if the device whose context is current does not have all of it. The memory of the
/// host counts as that of the other side.
fn owners(dst: CUdeviceptr, src: CUdeviceptr) -> UrResult<Option<[&'static Primary; 2]>> {
    let Some(own) = current()? else { return Ok(None) };
    let (dst, src) = (owner(dst), owner(src));
    let both = [dst.or(src).unwrap_or(own), src.or(dst).unwrap_or(own)];
    Ok(both.iter().any(|&owner| !std::ptr::eq(owner, own)).then_some(both))
}

/// Gives a copy to a stream, whose context is current.
///
/// # Safety
/// A live stream. The memory is good for the size until the command is complete.
#[inline(always)]
pub(crate) unsafe fn copy(dst: CUdeviceptr, src: CUdeviceptr, size: usize, stream: CUstream) -> UrResult<()> {
    // SAFETY: passed on to the caller.
    match unsafe { cu!(cuMemcpyAsync(dst, src, size, stream)) } {
        Ok(()) => Ok(()),
        // SAFETY: as above.
        Err(error) => unsafe { copy_apart(error, dst, src, size, stream) },
    }
}

#[cold]
unsafe fn copy_apart(
    error: UrError,
    dst: CUdeviceptr,
    src: CUdeviceptr,
    size: usize,
    stream: CUstream,
) -> UrResult<()> {
    match owners(dst, src)? {
        None => Err(error),
        Some([to, from]) if std::ptr::eq(to, from) => elsewhere(to, stream, |stream| {
            // SAFETY: passed on to the caller.
            unsafe { cu!(cuMemcpyAsync(dst, src, size, stream)) }
        }),
        // SAFETY: as above, and live contexts.
        Some([to, from]) => unsafe { cu!(cuMemcpyPeerAsync(dst, to.raw, src, from.raw, size, stream)) },
    }
}

/// Gives a copy of a box to a stream, whose context is current.
///
/// # Safety
/// As [`copy`].
pub(crate) unsafe fn copy_box(copy: &CUDA_MEMCPY3D, stream: CUstream) -> UrResult<()> {
    // SAFETY: passed on to the caller.
    let Err(error) = (unsafe { cu!(cuMemcpy3DAsync(copy, stream)) }) else {
        return Ok(());
    };
    match owners(copy.dstDevice, copy.srcDevice)? {
        None => Err(error),
        Some([to, from]) if std::ptr::eq(to, from) => elsewhere(to, stream, |stream| {
            // SAFETY: as above.
            unsafe { cu!(cuMemcpy3DAsync(copy, stream)) }
        }),
        Some([to, from]) => {
            let between = CUDA_MEMCPY3D_PEER {
                srcMemoryType: CU_MEMORYTYPE_DEVICE,
                reserved0: from.raw.cast(),
                dstMemoryType: CU_MEMORYTYPE_DEVICE,
                reserved1: to.raw.cast(),
                ..*copy
            };
            // SAFETY: as above, and live contexts.
            unsafe { cu!(cuMemcpy3DPeerAsync(&between, stream)) }
        }
    }
}

/// Gives a fill of `dst`, which the driver has refused with `error`, to a stream of the memory's device. The context of `stream`
/// is current.
#[cold]
pub(crate) fn fill(
    error: UrError,
    dst: CUdeviceptr,
    stream: CUstream,
    give: impl FnOnce(CUstream) -> UrResult<()>,
) -> UrResult<()> {
    match owners(dst, dst)? {
        Some([to, _]) => elsewhere(to, stream, give),
        None => Err(error),
    }
}

/// Has another device run a command in the order of a stream, whose context is current.
fn elsewhere(device: &'static Primary, stream: CUstream, give: impl FnOnce(CUstream) -> UrResult<()>) -> UrResult<()> {
    let Some(own) = current()? else {
        return kit::unsupported();
    };
    let before = own.event(false)?;
    // SAFETY: a live stream and event, of the context that is current.
    unsafe { cu!(cuEventRecord(*before, stream)) }?;
    let after = {
        let _current = device.activate()?;
        let (after, flags) = (device.event(false)?, CU_STREAM_NON_BLOCKING);
        // SAFETY: a place for the stream. It ends when its commands are complete.
        unsafe {
            let other = cu_get!(cuStreamCreateWithPriority(_, flags, 0): CUstream = std::ptr::null_mut())?;
            let given = cu!(cuStreamWaitEvent(other, *before, 0))
                .and_then(|()| give(other))
                .and_then(|()| cu!(cuEventRecord(*after, other)));
            cu!(cuStreamDestroy(other))?;
            given?;
        }
        after
    };
    // SAFETY: a live stream and event.
    unsafe { cu!(cuStreamWaitEvent(stream, *after, 0)) }
}
