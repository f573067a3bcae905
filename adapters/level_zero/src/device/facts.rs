// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What a device says of itself. It never changes, so the driver is asked once, when the device is found.

use std::ffi::CStr;

use kit::UrResult;
use kit::ur::*;
use level_zero_sys::*;
use oxur_adapter_kit as kit;

use crate::conv;
use crate::platform::DriverFacts;
use crate::ze::{self, desc, ze, ze_list, ze_struct};

/// What a device says of itself.
pub(crate) struct Facts {
    pub(crate) kind: DeviceType,
    pub(crate) name: String,
    pub(crate) properties: ze_device_properties_t,
    pub(crate) compute: ze_device_compute_properties_t,
    pub(crate) module: ze_device_module_properties_t,
    pub(crate) memory: Vec<ze_device_memory_properties_t>,
    pub(crate) access: ze_device_memory_access_properties_t,
    /// The size of the largest cache.
    pub(crate) cache_size: u64,
    pub(crate) images: ze_device_image_properties_t,
    /// The largest images in USM.
    pub(crate) linear: ze_device_pitched_alloc_exp_properties_t,
    /// How far their rows are apart.
    pub(crate) pitch: ze_pitched_alloc_2dimage_linear_pitch_exp_info_t,
    /// The group of queues that runs kernels, and what it can do.
    pub(crate) ordinal: u32,
    pub(crate) group: ze_command_queue_group_properties_t,
    pub(crate) ip_version: Option<u32>,
    /// The preferred and the native width of vectors of char, short, int, long, float, double and half.
    pub(crate) vectors: [[u32; 2]; 7],
    pub(crate) eu_count: Option<u32>,
    pub(crate) luid: Option<([u8; 8], u32)>,
    pub(crate) pci: Option<String>,
    /// The kinds of handles that memory and images can be exported and imported by.
    pub(crate) external: ze_device_external_memory_properties_t,
    /// Bytes a second.
    pub(crate) bandwidth: Option<u64>,
    /// What can be changed of commands in a list.
    pub(crate) mutable_commands: ze_mutable_command_exp_flags_t,
}

ze::any_thread!(Facts);

/// The answer of a query that a driver may not have: nothing then.
fn optional<T: Default>(what: &str, answer: UrResult<T>) -> T {
    answer.unwrap_or_else(|error| {
        log::info!("a Level Zero device does not tell its {what}: {error}");
        T::default()
    })
}

/// The properties of a device, and a structure of an extension that the driver fills, too.
fn extended<T: Default>(device: ze_device_handle_t, driver: &DriverFacts, extension: &CStr) -> Option<T> {
    if !driver.has(extension) {
        return None;
    }
    let mut extended = T::default();
    let mut properties = desc!(ze_device_properties_t: pNext = (&raw mut extended).cast());
    // SAFETY: a live device, and a structure of the kind that the extension chains to this one.
    unsafe { ze!(zeDeviceGetProperties(device, &mut properties)) }.ok()?;
    Some(extended)
}

/// The memory of a device that is free now, if it tells.
pub(super) fn free_memory(device: ze_device_handle_t, driver: &DriverFacts) -> Option<u64> {
    let usable: ze_device_usablemem_size_ext_properties_t =
        extended(device, driver, ZE_DEVICE_USABLEMEM_SIZE_PROPERTIES_EXT_NAME)?;
    Some(usable.currUsableMemSize)
}

impl Facts {
    /// Asks a live device for everything.
    pub(super) fn ask(device: ze_device_handle_t, driver: &DriverFacts) -> UrResult<Self> {
        let (properties, compute, module, access, images, caches, memory, groups, external);
        let mut pitch = ze_pitched_alloc_2dimage_linear_pitch_exp_info_t::default();
        let mut linear = desc!(ze_device_pitched_alloc_exp_properties_t: pNext = (&raw mut pitch).cast());
        // SAFETY: a live device, and structures to fill, or as many as the lists are for.
        unsafe {
            properties = ze_struct!(zeDeviceGetProperties(device))?;
            compute = ze_struct!(zeDeviceGetComputeProperties(device))?;
            module = ze_struct!(zeDeviceGetModuleProperties(device))?;
            access = ze_struct!(zeDeviceGetMemoryAccessProperties(device));
            images = ze_struct!(zeDeviceGetImageProperties(device));
            let mut all = desc!(ze_device_image_properties_t: pNext = (&raw mut linear).cast());
            // Without bindless images there are none.
            _ = ze!(zeDeviceGetImageProperties(device, &mut all));
            caches = ze_list!(Default::default(), zeDeviceGetCacheProperties(device));
            memory = ze_list!(Default::default(), zeDeviceGetMemoryProperties(device));
            groups = ze_list!(Default::default(), zeDeviceGetCommandQueueGroupProperties(device));
            external = ze_struct!(zeDeviceGetExternalMemoryProperties(device));
        }
        let properties: ze_device_properties_t = properties;
        let caches = optional("caches", caches);
        let groups = optional("queues", groups);
        let computes = |group: &ze_command_queue_group_properties_t| {
            group.flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE != 0
        };
        let ordinal = groups.iter().position(computes).unwrap_or(0);
        let memory = optional("memory", memory);
        let luid: Option<ze_device_luid_ext_properties_t> = extended(device, driver, ZE_DEVICE_LUID_EXT_NAME);
        let ip: Option<ze_device_ip_version_ext_t> = extended(device, driver, ZE_DEVICE_IP_VERSION_EXT_NAME);
        let mutable: Option<ze_mutable_command_list_exp_properties_t> =
            extended(device, driver, ZE_MUTABLE_COMMAND_LIST_EXP_NAME);
        let eus: Option<ze_eu_count_ext_t> = extended(device, driver, ZE_EU_COUNT_EXT_NAME);
        Ok(Self {
            kind: conv::device_type(properties.type_),
            name: text(&properties.name).unwrap_or_default().to_owned(),
            properties,
            compute,
            module,
            bandwidth: bandwidth(device, driver, memory.len()),
            mutable_commands: mutable.map_or(0, |mutable| mutable.mutableCommandFlags),
            memory,
            access: optional("access to memory", access),
            cache_size: caches.iter().map(|cache| cache.cacheSize as u64).max().unwrap_or(0),
            images: optional("images", images),
            linear: desc!(ze_device_pitched_alloc_exp_properties_t:
                maxImageLinearWidth = linear.maxImageLinearWidth,
                maxImageLinearHeight = linear.maxImageLinearHeight
            ),
            pitch,
            ordinal: ordinal as u32,
            group: groups.get(ordinal).copied().unwrap_or_default(),
            ip_version: ip.map(|ip| ip.ipVersion),
            vectors: vectors(device, driver).unwrap_or(INTELS_VECTORS),
            eu_count: eus.map(|eus| eus.numTotalEUs).filter(|&count| count != 0),
            luid: luid.map(|luid| (luid.luid.id, luid.nodeMask)),
            pci: pci_address(device, driver),
            external: optional("external memory", external),
        })
    }

    /// Whether it has a property.
    pub(crate) fn has(&self, flag: ze_device_property_flags_t) -> bool {
        self.properties.flags & flag != 0
    }

    /// Whether it takes SPIR-V.
    pub(crate) fn takes_spirv(&self) -> bool {
        self.module.spirvVersionSupported != 0
    }

    /// Ticks of the device's clock in nanoseconds.
    fn nanoseconds(&self, ticks: u64) -> u64 {
        match self.properties.timerResolution {
            0 => ticks,
            // Cycles a second.
            frequency => (u128::from(ticks) * 1_000_000_000 / u128::from(frequency)) as u64,
        }
    }

    /// A time of the device's clock, in nanoseconds.
    pub(crate) fn global_time(&self, ticks: u64) -> u64 {
        self.nanoseconds(ticks & mask(self.properties.timestampValidBits))
    }

    /// When a command began and ended, in nanoseconds.
    pub(crate) fn kernel_times(&self, times: &ze_kernel_timestamp_data_t) -> (u64, u64) {
        let mask = mask(self.properties.kernelTimestampValidBits);
        let start = times.kernelStart & mask;
        // The clock may have started again in between.
        let ticks = times.kernelEnd.wrapping_sub(times.kernelStart) & mask;
        let start = self.nanoseconds(start);
        (start, start + self.nanoseconds(ticks))
    }

    /// The compute units.
    pub(crate) fn compute_units(&self) -> u32 {
        let p = &self.properties;
        self.eu_count
            .unwrap_or(p.numSlices * p.numSubslicesPerSlice * p.numEUsPerSubslice)
            .max(1)
    }

    /// The sub-group sizes that a kernel can ask for; clients expect at least one.
    pub(crate) fn sub_group_sizes(&self) -> &[u32] {
        let count = (self.compute.numSubGroupSizes as usize).min(self.compute.subGroupSizes.len());
        match &self.compute.subGroupSizes[..count] {
            [] => &[1],
            sizes => sizes,
        }
    }

    /// The total size of its memory.
    pub(crate) fn memory_size(&self) -> u64 {
        self.memory.iter().map(|memory| memory.totalSize).sum()
    }
}

/// What Intel's adapters say of devices that do not tell.
const INTELS_VECTORS: [[u32; 2]; 7] = [[16; 2], [8; 2], [4; 2], [1; 2], [1; 2], [1; 2], [8; 2]];

/// The preferred and the native width of vectors of char, short, int, long, float, double and half, if the device tells.
fn vectors(device: ze_device_handle_t, driver: &DriverFacts) -> Option<[[u32; 2]; 7]> {
    if !driver.has(ZE_DEVICE_VECTOR_SIZES_EXT_NAME) {
        return None;
    }
    // SAFETY: a live device, and room for as many structures as the list is for.
    let all: UrResult<Vec<ze_device_vector_width_properties_ext_t>> =
        unsafe { ze_list!(Default::default(), zeDeviceGetVectorWidthPropertiesExt(device)) };
    let v = all.ok()?.into_iter().max_by_key(|vectors| vectors.vector_width_size)?;
    Some([
        [v.preferred_vector_width_char, v.native_vector_width_char],
        [v.preferred_vector_width_short, v.native_vector_width_short],
        [v.preferred_vector_width_int, v.native_vector_width_int],
        [v.preferred_vector_width_long, v.native_vector_width_long],
        [v.preferred_vector_width_float, v.native_vector_width_float],
        [v.preferred_vector_width_double, v.native_vector_width_double],
        [v.preferred_vector_width_half, v.native_vector_width_half],
    ])
}

/// As many bits as are valid; all of them if the device does not tell.
fn mask(bits: u32) -> u64 {
    match bits {
        1..64 => (1 << bits) - 1,
        _ => u64::MAX,
    }
}

/// Bytes a second of the device's memory, if it tells.
fn bandwidth(device: ze_device_handle_t, driver: &DriverFacts, memories: usize) -> Option<u64> {
    if !driver.has(ZE_DEVICE_MEMORY_PROPERTIES_EXT_NAME) || memories == 0 {
        return None;
    }
    let mut all = vec![ze_device_memory_ext_properties_t::default(); memories];
    let chained = |extended: &mut ze_device_memory_ext_properties_t| ze_device_memory_properties_t {
        pNext: std::ptr::from_mut(extended).cast(),
        ..Default::default()
    };
    let mut list: Vec<_> = all.iter_mut().map(chained).collect();
    let mut count = memories as u32;
    // SAFETY: a live device, and as many structures as it says, each with one of the extension.
    unsafe { ze!(zeDeviceGetMemoryProperties(device, &mut count, list.as_mut_ptr())) }.ok()?;
    let of = |memory: &ze_device_memory_ext_properties_t| match memory.bandwidthUnit {
        ZE_BANDWIDTH_UNIT_BYTES_PER_NANOSEC => {
            Some(u64::from(memory.readBandwidth.max(memory.writeBandwidth)) * 1_000_000_000)
        }
        _ => None,
    };
    all.iter().filter_map(of).max().filter(|&bandwidth| bandwidth != 0)
}

/// Domain:bus:device.function, if the device tells.
fn pci_address(device: ze_device_handle_t, driver: &DriverFacts) -> Option<String> {
    if !driver.has(ZE_PCI_PROPERTIES_EXT_NAME) {
        return None;
    }
    // SAFETY: a live device and a structure to fill.
    let pci: ze_pci_ext_properties_t = unsafe { ze_struct!(zeDevicePciGetPropertiesExt(device)) }.ok()?;
    let at = pci.address;
    Some(format!(
        "{:04x}:{:02x}:{:02x}.{:x}",
        at.domain, at.bus, at.device, at.function
    ))
}

#[cfg(test)]
mod tests {
    use super::mask;

    #[test]
    fn valid_bits() {
        assert_eq!(mask(32), 0xffff_ffff);
        assert_eq!(mask(1), 1);
        assert_eq!((mask(0), mask(64)), (u64::MAX, u64::MAX));
    }
}
