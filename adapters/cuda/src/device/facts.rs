// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What the driver says of a device: asked once.

use std::ffi::CStr;

use kit::UrResult;
use oxur_adapter_kit as kit;
use oxur_cuda_sys::*;

use crate::driver::{cu, cu_get};

/// What the driver says of a device.
pub(crate) struct Facts {
    pub(crate) name: String,
    pub(crate) uuid: [u8; 16],
    /// Bytes.
    pub(crate) memory: usize,
    /// The version of the instruction set: 9 and 0 for `sm_90`.
    pub(crate) capability: (i32, i32),
    pub(crate) max_threads: usize,
    pub(crate) max_block: [usize; 3],
    pub(crate) max_grid: [usize; 3],
    pub(crate) multiprocessors: u32,
    pub(crate) warp: u32,
    /// Kilohertz.
    pub(crate) clock: u32,
    /// Kilohertz.
    pub(crate) memory_clock: u32,
    /// Bits.
    pub(crate) bus_width: u32,
    pub(crate) l2_cache: u64,
    pub(crate) constant_memory: u64,
    /// Shared memory of a work-group, without being asked for.
    pub(crate) shared_memory: usize,
    /// The most that a kernel may ask for.
    pub(crate) shared_memory_optin: usize,
    pub(crate) registers: u32,
    pub(crate) pci: String,
    pub(crate) has_ecc: bool,
    pub(crate) is_integrated: bool,
    pub(crate) is_prohibited: bool,
    pub(crate) has_managed: bool,
    pub(crate) has_concurrent_managed: bool,
    pub(crate) has_pageable: bool,
    pub(crate) has_host_atomics: bool,
    pub(crate) has_cooperative: bool,
    pub(crate) has_clusters: bool,
    pub(crate) has_virtual_memory: bool,
}

impl Facts {
    /// Asks the driver.
    pub(crate) fn ask(device: CUdevice) -> UrResult<Self> {
        // SAFETY: a device of the driver and a place for the answer.
        let number = |attribute| unsafe { cu_get!(cuDeviceGetAttribute(_, attribute, device): i32 = 0) };
        let flag = |attribute| number(attribute).map(|value| value != 0);
        // Newer drivers know none of these two for some devices.
        let optional = |attribute| {
            let found = number(attribute);
            let known = found.inspect_err(|error| log::debug!("device {device} has no attribute {attribute}: {error}"));
            known.unwrap_or(0).max(0) as u32
        };
        let size = |attribute| number(attribute).map(|value| value.max(0) as usize);
        let mut name = [0_u8; 256];
        let length = name.len() as i32 - 1;
        // SAFETY: a device of the driver and places for the answers.
        let (uuid, memory) = unsafe {
            cu!(cuDeviceGetName(name.as_mut_ptr().cast(), length, device))?;
            (
                cu_get!(cuDeviceGetUuid(_, device): CUuuid = CUuuid::default())?,
                cu_get!(cuDeviceTotalMem(_, device): usize = 0)?,
            )
        };
        let name = CStr::from_bytes_until_nul(&name).map_or_else(|_| String::new(), |n| n.to_string_lossy().into());
        let (domain, bus, slot) = (
            number(CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID)?,
            number(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID)?,
            number(CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID)?,
        );
        let capability = (
            number(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            number(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        );
        log::debug!("device {device}: {name}, sm_{}{}", capability.0, capability.1);
        Ok(Self {
            name,
            uuid: uuid.bytes,
            memory,
            capability,
            max_threads: size(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            max_block: [
                size(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)?,
                size(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y)?,
                size(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)?,
            ],
            max_grid: [
                size(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)?,
                size(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)?,
                size(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)?,
            ],
            multiprocessors: number(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?.max(1) as u32,
            warp: number(CU_DEVICE_ATTRIBUTE_WARP_SIZE)?.max(1) as u32,
            clock: optional(CU_DEVICE_ATTRIBUTE_CLOCK_RATE),
            memory_clock: optional(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE),
            bus_width: number(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH)?.max(0) as u32,
            l2_cache: size(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)? as u64,
            constant_memory: size(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY)? as u64,
            shared_memory: size(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)?,
            shared_memory_optin: size(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
            registers: number(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK)?.max(0) as u32,
            pci: format!("{domain:04x}:{bus:02x}:{slot:02x}.0"),
            has_ecc: flag(CU_DEVICE_ATTRIBUTE_ECC_ENABLED)?,
            is_integrated: flag(CU_DEVICE_ATTRIBUTE_INTEGRATED)?,
            is_prohibited: number(CU_DEVICE_ATTRIBUTE_COMPUTE_MODE)? == CU_COMPUTEMODE_PROHIBITED,
            has_managed: flag(CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY)?,
            has_concurrent_managed: flag(CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS)?,
            has_pageable: flag(CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS)?,
            has_host_atomics: flag(CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED)?,
            has_cooperative: flag(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH)?,
            has_clusters: flag(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH)?,
            has_virtual_memory: flag(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED)?,
        })
    }
}
