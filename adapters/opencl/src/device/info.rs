// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The answers to `urDeviceGetInfo`.
//!
//! Where Intel's OpenCL adapter has an answer this one has the same, but for what the two adapters themselves can and
//! cannot do. docs/support.md lists the differences.

use kit::ur::*;
use kit::{InfoOut, UrResult};
use opencl_sys::*;
use oxur_adapter_kit as kit;

use super::facts::Fact;
use super::{Device, atomics, facts, partition};

impl Device {
    /// Answers a query: with a fact, with what follows from facts, or with what the kit says of devices in general.
    pub(super) fn answer(&self, query: DeviceInfo, out: InfoOut<'_>) -> UrResult<()> {
        let f = &self.facts;
        let out = match f.answer(query, out) {
            Ok(answered) => return answered,
            Err(out) => out,
        };
        match query {
            DeviceInfo::GPU_EU_COUNT => f.gpu_eu_count().answer(out),
            // OpenCL cannot tell whether a GPU is integrated; that it shares the host's memory is the sign.
            DeviceInfo::IS_INTEGRATED_GPU => out.bool(f.host_unified_memory),
            // The one fact that may change.
            DeviceInfo::AVAILABLE => out.bool(facts::ask(self.raw, CL_DEVICE_AVAILABLE)?),
            DeviceInfo::MAX_NUM_SUB_GROUPS => out.value(f.max_num_sub_groups.unwrap_or(1).max(1)),
            DeviceInfo::BFLOAT16_CONVERSIONS_NATIVE => out.bool(self.has_extension("cl_intel_bfloat16_conversions")),
            DeviceInfo::ATOMIC_64 => out.bool(
                self.has_extension("cl_khr_int64_base_atomics") && self.has_extension("cl_khr_int64_extended_atomics"),
            ),
            DeviceInfo::ATOMIC_MEMORY_ORDER_CAPABILITIES => out.value(atomics::memory_orders(self.memory_atomics())),
            DeviceInfo::ATOMIC_MEMORY_SCOPE_CAPABILITIES => out.value(atomics::memory_scopes(self.memory_atomics())),
            DeviceInfo::ATOMIC_FENCE_ORDER_CAPABILITIES => out.value(atomics::memory_orders(self.fence_atomics())),
            DeviceInfo::ATOMIC_FENCE_SCOPE_CAPABILITIES => out.value(atomics::memory_scopes(self.fence_atomics())),
            DeviceInfo::MEM_CHANNEL_SUPPORT => out.bool(self.has_extension("cl_intel_mem_channel_property")),
            DeviceInfo::USM_CONTEXT_MEMCPY_SUPPORT_EXP => out.bool(self.ext.clEnqueueMemcpyINTEL.is_some()),
            DeviceInfo::USM_POOL_SUPPORT => out.bool(!f.usm_device.0.is_empty()),
            // OpenCL 2 demands the format of every device that has images.
            DeviceInfo::IMAGE_SRGB => out.bool(f.images && self.version() >= (2, 0)),
            DeviceInfo::CLOCK_DEVICE_SUPPORT_EXP => out.bool(self.clock(CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR)),
            DeviceInfo::CLOCK_WORK_GROUP_SUPPORT_EXP => {
                out.bool(self.clock(CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR))
            }
            DeviceInfo::CLOCK_SUB_GROUP_SUPPORT_EXP => out.bool(self.clock(CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR)),
            DeviceInfo::ENQUEUE_NATIVE_COMMAND_SUPPORT_EXP
            | DeviceInfo::ENQUEUE_HOST_TASK_SUPPORT_EXP
            | DeviceInfo::PROGRAM_SET_SPECIALIZATION_CONSTANTS
            | DeviceInfo::MULTI_DEVICE_COMPILE_SUPPORT_EXP => out.bool(true),
            DeviceInfo::BUILD_ON_SUBDEVICE => out.bool(f.kind == DeviceType::GPU),
            DeviceInfo::GLOBAL_VARIABLE_SUPPORT => out.bool(
                self.ext.clEnqueueReadGlobalVariableINTEL.is_some()
                    && self.ext.clEnqueueWriteGlobalVariableINTEL.is_some(),
            ),
            DeviceInfo::USE_NATIVE_ASSERT => out.bool(self.has_extension("cl_intel_devicelib_assert")),
            DeviceInfo::ESIMD_SUPPORT => out.bool(f.kind == DeviceType::GPU && f.vendor_id == INTEL),
            DeviceInfo::SUPPORTED_PARTITIONS => out.slice(&partition::supported(&f.partitions)),
            DeviceInfo::PARTITION_TYPE => out.slice(&partition::made_by(&f.partitioned_by)),
            _ => kit::default_device_info::<crate::OpenCl>(query, out),
        }
    }

    fn memory_atomics(&self) -> cl_device_atomic_capabilities {
        atomics::capabilities(self.facts.atomic_memory, self.version())
    }

    fn fence_atomics(&self) -> cl_device_atomic_capabilities {
        atomics::capabilities(self.facts.atomic_fence, self.version())
    }

    /// Whether kernels can read a clock of a scope.
    fn clock(&self, scope: u64) -> bool {
        self.facts.kernel_clock.is_some_and(|scopes| scopes & scope != 0)
    }
}

/// Intel's number among the vendors of PCI.
const INTEL: u32 = 0x8086;
