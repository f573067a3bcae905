// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The answers to queries about memory, caches and images.

use level_zero_sys::*;
use oxur_device_cpu::limits;
use oxur_device_cpu::machine::topology;

use super::{Device, check};
use crate::entry::entry;
use crate::handle::{Chain, fill, out, write_text};
use crate::mem::access::PITCH_ALIGNMENT;
use crate::tables::own;

/// Kernels and the host may access all memory at the same time, however it was allocated.
const ACCESS: ze_memory_access_cap_flags_t = ZE_MEMORY_ACCESS_CAP_FLAG_RW
    | ZE_MEMORY_ACCESS_CAP_FLAG_ATOMIC
    | ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT
    | ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT_ATOMIC;

/// What can be shared with other APIs and processes: memory files, which are both.
const EXTERNAL: ze_external_memory_type_flags_t =
    ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD | ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF;

impl Device {
    /// The bytes of its caches for data, the last one before memory first: clients that look at one only take that.
    fn caches(&self) -> Vec<u64> {
        let mut caches: Vec<_> = topology::caches(self.cpus[0]).iter().map(|cache| cache.size).collect();
        caches.reverse();
        if caches.is_empty() {
            caches.push(self.facts.cache);
        }
        caches
    }
}

entry! {
    fn zeDeviceGetMemoryProperties(
        device: ze_device_handle_t,
        count: *mut u32,
        properties: *mut ze_device_memory_properties_t,
    ) {
        // SAFETY: passed on to the caller.
        unsafe {
            let device = check(device)?;
            fill(count, properties, &[device.facts.memory], |to, &size| {
                to.flags = 0;
                // Nothing tells them.
                to.maxClockRate = 0;
                to.maxBusWidth = 0;
                to.totalSize = size;
                write_text(&mut to.name, b"host memory");
                if let Some(found) = Chain::new(to.pNext).find_mut::<ze_device_memory_ext_properties_t>() {
                    found.type_ = ZE_DEVICE_MEMORY_EXT_TYPE_DDR;
                    found.physicalSize = size;
                    found.readBandwidth = 0;
                    found.writeBandwidth = 0;
                    found.bandwidthUnit = ZE_BANDWIDTH_UNIT_UNKNOWN;
                }
            })
        }
    }

    fn zeDeviceGetMemoryAccessProperties(
        device: ze_device_handle_t,
        properties: *mut ze_device_memory_access_properties_t,
    ) {
        // SAFETY: passed on to the caller.
        let properties = unsafe {
            check(device)?;
            out(properties)?
        };
        properties.hostAllocCapabilities = ACCESS;
        properties.deviceAllocCapabilities = ACCESS;
        properties.sharedSingleDeviceAllocCapabilities = ACCESS;
        properties.sharedCrossDeviceAllocCapabilities = ACCESS;
        properties.sharedSystemAllocCapabilities = ACCESS;
        Ok(())
    }

    fn zeDeviceGetCacheProperties(
        device: ze_device_handle_t,
        count: *mut u32,
        properties: *mut ze_device_cache_properties_t,
    ) {
        // SAFETY: passed on to the caller.
        unsafe {
            let device = check(device)?;
            fill(count, properties, &device.caches(), |to, &size| {
                to.flags = 0;
                to.cacheSize = size as usize;
                let chain = Chain::new(to.pNext);
                if let Some(found) = chain.find_mut::<ze_device_cache_line_size_ext_t>() {
                    found.cacheLineSize = device.facts.cache_line as usize;
                }
                if let Some(found) = chain.find_mut::<ze_cache_reservation_ext_desc_t>() {
                    found.maxCacheReservationSize = 0;
                }
            })
        }
    }

    fn zeDeviceGetImageProperties(device: ze_device_handle_t, properties: *mut ze_device_image_properties_t) {
        // SAFETY: passed on to the caller.
        let (device, properties, chain) = unsafe {
            let (device, properties) = (check(device)?, out(properties)?);
            let chain = Chain::new(properties.pNext);
            (device, properties, chain)
        };
        // A size of 0 says that there are no such images.
        let has_images = u32::from(own("zeImageCreate").is_some());
        let has_samplers = u32::from(own("zeSamplerCreate").is_some());
        properties.maxImageDims1D = limits::IMAGE_2D as u32 * has_images;
        properties.maxImageDims2D = limits::IMAGE_2D as u32 * has_images;
        properties.maxImageDims3D = limits::IMAGE_3D as u32 * has_images;
        properties.maxImageBufferSize = device.max_alloc() * u64::from(has_images);
        properties.maxImageArraySlices = limits::IMAGE_ARRAY as u32 * has_images;
        properties.maxSamplers = limits::IMAGE_ARGUMENTS * has_samplers;
        properties.maxReadImageArgs = limits::IMAGE_ARGUMENTS * has_images;
        properties.maxWriteImageArgs = limits::IMAGE_ARGUMENTS * has_images;
        if let Some(found) = chain.find_mut::<ze_device_pitched_alloc_exp_properties_t>() {
            found.maxImageLinearWidth = limits::IMAGE_2D * has_images as usize;
            found.maxImageLinearHeight = limits::IMAGE_2D * has_images as usize;
        }
        if let Some(found) = chain.find_mut::<ze_pitched_alloc_2dimage_linear_pitch_exp_info_t>() {
            // The largest pixels have four channels of 32 bits.
            found.pitchAlign = PITCH_ALIGNMENT * has_images as usize;
            found.maxSupportedPitch = 16 * limits::IMAGE_2D * has_images as usize;
        }
        Ok(())
    }

    fn zeDeviceGetExternalMemoryProperties(
        device: ze_device_handle_t,
        properties: *mut ze_device_external_memory_properties_t,
    ) {
        // SAFETY: passed on to the caller.
        let properties = unsafe {
            check(device)?;
            out(properties)?
        };
        let if_has = |function| own(function).map_or(0, |_| EXTERNAL);
        properties.memoryAllocationImportTypes = if_has("zeMemAllocDevice");
        properties.memoryAllocationExportTypes = if_has("zeMemGetAllocProperties");
        properties.imageImportTypes = if_has("zeImageCreate");
        properties.imageExportTypes = if_has("zeImageGetAllocPropertiesExt");
        Ok(())
    }
}
