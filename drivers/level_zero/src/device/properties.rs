// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The answers to queries about the device, its arithmetic and its queues.

use level_zero_sys::*;
use oxur_device_cpu::limits::{self, FloatCapabilities};
use oxur_device_cpu::machine::memory;
use oxur_device_cpu::{disabled, program};

use super::{Device, check};
use crate::config::{Config, Memory};
use crate::entry::entry;
use crate::handle::{Chain, fill, out, write_text};
use crate::tables::own;

/// The number of queues of the group. They share the threads of the device.
pub(crate) const QUEUES: u32 = 4;

/// What a command queue of the only group can do: everything.
pub(crate) const QUEUE_GROUP: ze_command_queue_group_property_flags_t = ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE
    | ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY
    | ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COOPERATIVE_KERNELS;

/// The clock counts nanoseconds since the machine started.
const TIMESTAMP_BITS: u32 = u64::BITS;

/// The ticks of the clock in a second.
const TICKS_PER_SECOND: u64 = 1_000_000_000;

/// Atomics of floating-point types, of global and local memory.
const FLOAT_ATOMICS: ze_device_fp_atomic_ext_flags_t = ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_LOAD_STORE
    | ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_ADD
    | ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_MIN_MAX
    | ZE_DEVICE_FP_ATOMIC_EXT_FLAG_LOCAL_LOAD_STORE
    | ZE_DEVICE_FP_ATOMIC_EXT_FLAG_LOCAL_ADD
    | ZE_DEVICE_FP_ATOMIC_EXT_FLAG_LOCAL_MIN_MAX;

impl Device {
    /// The bytes of the largest allocation.
    pub(crate) fn max_alloc(&self) -> u64 {
        limits::allocation(self.facts.memory)
    }

    /// Writes all members but the head.
    pub(crate) fn write_properties(&self, to: &mut ze_device_properties_t) {
        let (facts, config) = (&*self.facts, Config::get());
        to.type_ = config.device_type;
        to.vendorId = config.vendor_id.unwrap_or(facts.vendor_id);
        to.deviceId = facts.signature;
        // Memory is the host's, and a page is there when it is touched.
        to.flags = ZE_DEVICE_PROPERTY_FLAG_ONDEMANDPAGING;
        if config.memory == Memory::Host {
            to.flags |= ZE_DEVICE_PROPERTY_FLAG_INTEGRATED;
        }
        to.subdeviceId = 0;
        if self.visible_parent().is_some() {
            to.flags |= ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE;
            to.subdeviceId = self.index;
        }
        to.coreClockRate = facts.clock;
        to.maxMemAllocSize = self.max_alloc();
        to.maxHardwareContexts = 1 << 16;
        to.maxCommandQueuePriority = 0;
        to.numThreadsPerEU = 1;
        to.physicalEUSimdWidth = facts.vector / size_of::<f32>() as u32;
        to.numEUsPerSubslice = units_per_cpu();
        to.numSubslicesPerSlice = self.cpus.len() as u32;
        to.numSlices = 1;
        // The older structure asks for the nanoseconds of a tick.
        to.timerResolution = match to.stype {
            ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2 => TICKS_PER_SECOND,
            _ => 1_000_000_000 / TICKS_PER_SECOND,
        };
        to.timestampValidBits = TIMESTAMP_BITS;
        to.kernelTimestampValidBits = TIMESTAMP_BITS;
        to.uuid.id = self.uuid();
        write_text(&mut to.name, config.name.as_deref().unwrap_or(&facts.name).as_bytes());
    }

    /// Equal for the same CPUs of the same model, different for others.
    pub(crate) fn uuid(&self) -> [u8; 16] {
        self.facts.uuid(&self.cpus)
    }
}

/// Execution units for each hardware thread of the CPU, which is a sub-slice. Programs for GPUs expect more than a few units:
/// oneDPL's radix sort divides their number by 8 and launches no work-groups where there are fewer.
fn units_per_cpu() -> u32 {
    match Config::get().is_gpu() {
        true => 16,
        false => 1,
    }
}

/// The capabilities of a floating-point type.
fn float_flags(capabilities: FloatCapabilities) -> ze_device_fp_flags_t {
    let mut flags = ZE_DEVICE_FP_FLAG_DENORM | ZE_DEVICE_FP_FLAG_INF_NAN | ZE_DEVICE_FP_FLAG_ROUND_TO_NEAREST;
    if capabilities.fma {
        flags |= ZE_DEVICE_FP_FLAG_FMA;
    }
    if capabilities.directed_rounding {
        flags |= ZE_DEVICE_FP_FLAG_ROUND_TO_ZERO | ZE_DEVICE_FP_FLAG_ROUND_TO_INF;
    }
    if capabilities.rounded_divide_sqrt {
        flags |= ZE_DEVICE_FP_FLAG_ROUNDED_DIVIDE_SQRT;
    }
    flags
}

entry! {
    fn zeDeviceGetProperties(device: ze_device_handle_t, properties: *mut ze_device_properties_t) {
        // SAFETY: passed on to the caller.
        let (device, properties, chain) = unsafe {
            let (device, properties) = (check(device)?, out(properties)?);
            let chain = Chain::new(properties.pNext);
            (device, properties, chain)
        };
        device.write_properties(properties);
        if let Some(found) = chain.find_mut::<ze_eu_count_ext_t>() {
            found.numTotalEUs = units_per_cpu() * device.cpus.len() as u32;
        }
        if let Some(found) = chain.find_mut::<ze_device_ip_version_ext_t>() {
            found.ipVersion = device.facts.signature;
        }
        if let Some(found) = chain.find_mut::<ze_device_usablemem_size_ext_properties_t>() {
            found.currUsableMemSize = memory::available().unwrap_or(device.facts.memory);
        }
        if let Some(found) = chain.find_mut::<ze_mutable_command_list_exp_properties_t>() {
            found.mutableCommandListFlags = 0;
            found.mutableCommandFlags = match own("zeCommandListUpdateMutableCommandsExp") {
                Some(_) => MUTABLE_COMMANDS,
                None => 0,
            };
        }
        if let Some(found) = chain.find_mut::<ze_event_query_kernel_timestamps_ext_properties_t>() {
            found.flags = ZE_EVENT_QUERY_KERNEL_TIMESTAMPS_EXT_FLAG_KERNEL
                | ZE_EVENT_QUERY_KERNEL_TIMESTAMPS_EXT_FLAG_SYNCHRONIZED;
        }
        if let Some(found) = chain.find_mut::<ze_device_event_properties_t>() {
            found.flags = match own("zeEventCounterBasedGetIpcHandle") {
                Some(_) => ZE_DEVICE_EVENT_PROPERTIES_FLAG_COUNTER_BASED_IPC,
                None => 0,
            };
        }
        if let Some(found) = chain.find_mut::<ze_record_replay_graph_ext_properties_t>() {
            found.graphFlags = match own("zeGraphInstantiateExt") {
                Some(_) => GRAPHS,
                None => 0,
            };
        }
        if let Some(found) = chain.find_mut::<ze_device_readonly_memory_ext_properties_t>() {
            found.readonlyCapability = match own("zeVirtualMemSetAccessAttribute") {
                Some(_) => ZE_DEVICE_READONLY_MEMORY_CAPABILITY_ENFORCED,
                None => ZE_DEVICE_READONLY_MEMORY_CAPABILITY_NONE,
            };
        }
        Ok(())
    }

    fn zeDeviceGetComputeProperties(device: ze_device_handle_t, properties: *mut ze_device_compute_properties_t) {
        // SAFETY: passed on to the caller.
        let (properties, chain) = unsafe {
            check(device)?;
            let properties = out(properties)?;
            let chain = Chain::new(properties.pNext);
            (properties, chain)
        };
        let size = Config::get().max_group_size() as u32;
        properties.maxTotalGroupSize = size;
        properties.maxGroupSizeX = size;
        properties.maxGroupSizeY = size;
        properties.maxGroupSizeZ = size;
        properties.maxGroupCountX = u32::MAX;
        properties.maxGroupCountY = u32::MAX;
        properties.maxGroupCountZ = u32::MAX;
        properties.maxSharedLocalMemory = limits::LOCAL_MEMORY as u32;
        properties.numSubGroupSizes = limits::SUB_GROUP_SIZES.len() as u32;
        properties.subGroupSizes = [0; ZE_SUBGROUPSIZE_COUNT as usize];
        properties.subGroupSizes[..limits::SUB_GROUP_SIZES.len()].copy_from_slice(&limits::SUB_GROUP_SIZES);
        if let Some(found) = chain.find_mut::<ze_device_compute_dotproduct_ext_properties_t>() {
            // None.
            found.dp_caps = 0;
            found.dpv4_input_types = 0;
            found.dpv4_output_types = 0;
            found.dpas_input_types = 0;
            found.dpas_output_types = 0;
            found.bdpas_input_types = 0;
            found.bdpas_output_types = 0;
        }
        Ok(())
    }

    fn zeDeviceGetModuleProperties(device: ze_device_handle_t, properties: *mut ze_device_module_properties_t) {
        // SAFETY: passed on to the caller.
        let (properties, chain) = unsafe {
            check(device)?;
            let properties = out(properties)?;
            let chain = Chain::new(properties.pNext);
            (properties, chain)
        };
        let has_double = !disabled::is("fp64");
        properties.spirvVersionSupported = ZE_MAKE_VERSION(1, 6);
        properties.flags = ZE_DEVICE_MODULE_FLAG_FP16;
        properties.fp16flags = float_flags(limits::HALF);
        properties.fp32flags = float_flags(limits::FLOAT);
        properties.fp64flags = 0;
        if has_double {
            properties.flags |= ZE_DEVICE_MODULE_FLAG_FP64;
            properties.fp64flags = float_flags(limits::DOUBLE);
        }
        if !disabled::is("atomic64") {
            properties.flags |= ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS;
        }
        properties.maxArgumentsSize = limits::ARGUMENTS as u32;
        properties.printfBufferSize = limits::PRINTF_BUFFER as u32;
        properties.nativeKernelSupported.id = program::binary::UUID;
        if let Some(found) = chain.find_mut::<ze_float_atomic_ext_properties_t>() {
            found.fp16Flags = 0;
            found.fp32Flags = FLOAT_ATOMICS;
            found.fp64Flags = if has_double { FLOAT_ATOMICS } else { 0 };
        }
        if let Some(found) = chain.find_mut::<ze_scheduling_hint_exp_properties_t>() {
            found.schedulingHintFlags = 0;
        }
        if let Some(found) = chain.find_mut::<ze_device_raytracing_ext_properties_t>() {
            found.flags = 0;
            found.maxBVHLevels = 0;
        }
        Ok(())
    }

    fn zeDeviceGetCommandQueueGroupProperties(
        device: ze_device_handle_t,
        count: *mut u32,
        properties: *mut ze_command_queue_group_properties_t,
    ) {
        // SAFETY: passed on to the caller.
        unsafe {
            check(device)?;
            fill(count, properties, &[QUEUES], |to, &queues| {
                to.flags = QUEUE_GROUP;
                to.maxMemoryFillPatternSize = usize::MAX;
                to.numQueues = queues;
            })
        }
    }

    // What a copy adds to the counter of an event. It is never divided.
    fn zeDeviceGetAggregatedCopyOffloadIncrementValue(device: ze_device_handle_t, value: *mut u32) {
        // SAFETY: passed on to the caller.
        unsafe {
            check(device)?;
            *out(value)? = 1;
        }
        Ok(())
    }

    fn zeDeviceGetCounterBasedEventMaxValue(device: ze_device_handle_t, value: *mut u64) {
        // SAFETY: passed on to the caller.
        unsafe {
            check(device)?;
            *out(value)? = u64::MAX;
        }
        Ok(())
    }

    fn zeDeviceGetVectorWidthPropertiesExt(
        device: ze_device_handle_t,
        count: *mut u32,
        properties: *mut ze_device_vector_width_properties_ext_t,
    ) {
        // SAFETY: passed on to the caller.
        unsafe {
            let device = check(device)?;
            let has_double = u32::from(!disabled::is("fp64"));
            fill(count, properties, &[device.facts.vector], |to, &bytes| {
                to.vector_width_size = bytes;
                // The compiler vectorizes across work-items, so kernels need no vector types.
                to.preferred_vector_width_char = 1;
                to.preferred_vector_width_short = 1;
                to.preferred_vector_width_int = 1;
                to.preferred_vector_width_long = 1;
                to.preferred_vector_width_float = 1;
                to.preferred_vector_width_double = has_double;
                to.preferred_vector_width_half = 1;
                to.native_vector_width_char = bytes;
                to.native_vector_width_short = bytes / 2;
                to.native_vector_width_int = bytes / 4;
                to.native_vector_width_long = bytes / 8;
                to.native_vector_width_float = bytes / 4;
                to.native_vector_width_double = bytes / 8 * has_double;
                to.native_vector_width_half = bytes / 2;
            })
        }
    }
}

/// What graphs can do.
const GRAPHS: ze_record_replay_graph_ext_flags_t = ZE_RECORD_REPLAY_GRAPH_EXT_FLAG_IMMUTABLE_GRAPH
    | ZE_RECORD_REPLAY_GRAPH_EXT_FLAG_SUBGRAPHS
    | ZE_RECORD_REPLAY_GRAPH_EXT_FLAG_APPEND_COMMANDLIST
    | ZE_RECORD_REPLAY_GRAPH_EXT_FLAG_CB_EXTERNAL_IPC;

/// What of a command in a closed list can be changed.
const MUTABLE_COMMANDS: ze_mutable_command_exp_flags_t = ZE_MUTABLE_COMMAND_EXP_FLAG_KERNEL_ARGUMENTS
    | ZE_MUTABLE_COMMAND_EXP_FLAG_GROUP_COUNT
    | ZE_MUTABLE_COMMAND_EXP_FLAG_GROUP_SIZE
    | ZE_MUTABLE_COMMAND_EXP_FLAG_GLOBAL_OFFSET
    | ZE_MUTABLE_COMMAND_EXP_FLAG_SIGNAL_EVENT
    | ZE_MUTABLE_COMMAND_EXP_FLAG_WAIT_EVENTS
    | ZE_MUTABLE_COMMAND_EXP_FLAG_KERNEL_INSTRUCTION;
