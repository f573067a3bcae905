// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Devices: what the driver says of each ([`facts`]), and the answers to queries that follow ([`info`]).

mod facts;
mod info;

use std::ffi::CStr;
use std::sync::{Arc, Weak};

use kit::ur::*;
use kit::{HandleCell, InfoOut, UrResult};
use oxur_adapter_kit as kit;
use oxur_cuda_sys::*;
use oxur_fork::OnceLock;

use self::facts::Facts;
use crate::adapter::is_plain_cuda;
use crate::driver::{check, cu, cu_get};
use crate::primary::{self, Primary};
use crate::{Cuda, Platform, driver};

/// A device. It belongs to the platform, and lives as long as the adapter.
pub(crate) struct Device {
    pub(crate) handle_cell: HandleCell,
    pub(crate) raw: CUdevice,
    platform: Weak<Platform>,
    /// What the driver says of it.
    pub(crate) facts: Facts,
    /// Its context, once there was need for it. It stays for good.
    primary: OnceLock<&'static Primary>,
}

impl Device {
    /// Asks the driver for all that there is to know of a device.
    pub(crate) fn new(ordinal: i32, platform: &Weak<Platform>) -> UrResult<Arc<Self>> {
        // SAFETY: a place for the device.
        let raw = unsafe { cu_get!(cuDeviceGet(_, ordinal): CUdevice = 0) }?;
        Ok(Arc::new(Self {
            handle_cell: HandleCell::new(),
            raw,
            platform: platform.clone(),
            facts: Facts::ask(raw)?,
            primary: OnceLock::new(),
        }))
    }

    /// The device's context in this process, which is made if there is none yet.
    pub(crate) fn primary(&self) -> UrResult<&'static Primary> {
        if let Some(primary) = self.primary.get() {
            return Ok(primary);
        }
        let new: &'static Primary = Box::leak(Box::new(Primary::retain(self.raw)?));
        let kept = *self.primary.get_or_init(|| new);
        if !std::ptr::eq(kept, new) {
            // Another thread was faster. The driver counts who has the context.
            // SAFETY: a device whose context was just retained.
            unsafe { cu!(cuDevicePrimaryCtxRelease(self.raw)) }?;
        } else {
            kept.note();
        }
        Ok(kept)
    }
}

impl kit::Device<Cuda> for Device {
    fn kind(&self) -> DeviceType {
        DeviceType::GPU
    }

    fn platform(&self) -> Option<Arc<Platform>> {
        self.platform.upgrade()
    }

    fn info(&self, query: DeviceInfo, out: InfoOut<'_>) -> UrResult<()> {
        self.answer(query, out)
    }

    fn image_rank(&self, target: &CStr) -> Option<u32> {
        // An image of one backend is no image of the other.
        let own = match is_plain_cuda() {
            true => DEVICE_BINARY_TARGET_NVPTX64,
            false => DEVICE_BINARY_TARGET_SPIRV64,
        };
        (target == own).then_some(1)
    }

    fn native(self: &Arc<Self>) -> UrResult<NativeHandle> {
        Ok(self.raw as NativeHandle)
    }

    fn timestamps(&self) -> UrResult<(u64, u64)> {
        // Times of the device are given in the host's clock.
        let now = primary::host_time();
        Ok((now, now))
    }

    fn reaches_peer(&self, peer: &Self) -> UrResult<bool> {
        let (raw, peer) = (self.raw, peer.raw);
        // SAFETY: devices of the driver, and a place for the answer.
        Ok(raw != peer && unsafe { cu_get!(cuDeviceCanAccessPeer(_, raw, peer): i32 = 0) }? != 0)
    }

    fn has_peer_atomics(&self, peer: &Self) -> UrResult<bool> {
        let (raw, peer, atomics) = (self.raw, peer.raw, CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED);
        // SAFETY: as above.
        Ok(raw != peer && unsafe { cu_get!(cuDeviceGetP2PAttribute(_, atomics, raw, peer): i32 = 0) }? != 0)
    }

    fn enable_peer_access(&self, peer: &Arc<Self>, enable: bool) -> UrResult<()> {
        let raw = self.raw;
        let (own, peer) = (self.primary()?, peer.primary()?);
        // It stays as long as the pool, as CUDA recommends: copies between the two need it, too.
        if enable {
            let _current = peer.activate()?;
            if let Some(pool) = peer.memory_pool()?.filter(|pool| !pool.is_open_to(raw)) {
                pool.open_to(raw)?;
            }
        }
        let _current = own.activate()?;
        let (function, result) = match enable {
            // SAFETY: a live context; that of this device is current.
            true => ("cuCtxEnablePeerAccess", unsafe {
                (driver::api().cuCtxEnablePeerAccess)(peer.raw, 0)
            }),
            // SAFETY: as above.
            false => ("cuCtxDisablePeerAccess", unsafe {
                (driver::api().cuCtxDisablePeerAccess)(peer.raw)
            }),
        };
        match result {
            CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED | CUDA_ERROR_PEER_ACCESS_NOT_ENABLED => Ok(()),
            _ => check(function, result),
        }
    }

    fn wait(&self) -> UrResult<()> {
        let _current = self.primary()?.activate()?;
        // SAFETY: the device's context is current.
        unsafe { cu!(cuCtxSynchronize()) }
    }
}
