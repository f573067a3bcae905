// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Translations of the bit fields in which a device tells what it can do.

use kit::ur::*;
use opencl_sys::*;
use oxur_adapter_kit as kit;

macro_rules! flags {
    ($( $(#[doc = $doc:literal])* $name:ident: $cl:ty => $ur:ident { $( $bit:ident => $flag:ident, )* } )*) => { $(
        $(#[doc = $doc])*
        pub(super) fn $name(bits: $cl) -> $ur {
            let mut flags = $ur::empty();
            $( flags.set($ur::$flag, bits & $bit != 0); )*
            flags
        }
    )* };
}

flags! {
    /// Abilities for one floating-point type.
    fp: cl_device_fp_config => DeviceFpCapabilityFlags {
        CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT => CORRECTLY_ROUNDED_DIVIDE_SQRT,
        CL_FP_ROUND_TO_NEAREST => ROUND_TO_NEAREST,
        CL_FP_ROUND_TO_ZERO => ROUND_TO_ZERO,
        CL_FP_ROUND_TO_INF => ROUND_TO_INF,
        CL_FP_INF_NAN => INF_NAN,
        CL_FP_DENORM => DENORM,
        CL_FP_FMA => FMA,
        CL_FP_SOFT_FLOAT => SOFT_FLOAT,
    }

    /// Kinds of kernel.
    execution: cl_device_exec_capabilities => DeviceExecCapabilityFlags {
        CL_EXEC_KERNEL => KERNEL,
        CL_EXEC_NATIVE_KERNEL => NATIVE_KERNEL,
    }

    /// Access to one kind of USM.
    usm: cl_bitfield => DeviceUsmAccessCapabilityFlags {
        CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL => ACCESS,
        CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL => ATOMIC_ACCESS,
        CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL => CONCURRENT_ACCESS,
        CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL => ATOMIC_CONCURRENT_ACCESS,
    }

    /// Where a device can be divided.
    affinity: cl_device_affinity_domain => DeviceAffinityDomainFlags {
        CL_DEVICE_AFFINITY_DOMAIN_NUMA => NUMA,
        CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE => L4_CACHE,
        CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE => L3_CACHE,
        CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE => L2_CACHE,
        CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE => L1_CACHE,
        CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE => NEXT_PARTITIONABLE,
    }
}

/// The capabilities that OpenCL 2 demands, for drivers that are too old to be asked.
const OPENCL_2: cl_device_atomic_capabilities = CL_DEVICE_ATOMIC_ORDER_RELAXED
    | CL_DEVICE_ATOMIC_ORDER_ACQ_REL
    | CL_DEVICE_ATOMIC_ORDER_SEQ_CST
    | CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM
    | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP
    | CL_DEVICE_ATOMIC_SCOPE_DEVICE;
/// The same of OpenCL 1, and of all versions.
const OPENCL_1: cl_device_atomic_capabilities =
    CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP;

/// What a device can do with atomics, from what it says if it can be asked.
pub(super) fn atomics(with_message: Option<cl_bitfield>, version: (u32, u32)) -> cl_device_atomic_capabilities {
    with_message.unwrap_or(if version >= (2, 0) { OPENCL_2 } else { OPENCL_1 })
}

/// The memory orders of atomics.
pub(super) fn memory_orders(bits: cl_device_atomic_capabilities) -> MemoryOrderCapabilityFlags {
    type Order = MemoryOrderCapabilityFlags;
    let mut orders = Order::empty();
    orders.set(Order::RELAXED, bits & CL_DEVICE_ATOMIC_ORDER_RELAXED != 0);
    orders.set(
        Order::ACQUIRE | Order::RELEASE | Order::ACQ_REL,
        bits & CL_DEVICE_ATOMIC_ORDER_ACQ_REL != 0,
    );
    orders.set(Order::SEQ_CST, bits & CL_DEVICE_ATOMIC_ORDER_SEQ_CST != 0);
    orders
}

/// The memory scopes of atomics. A wider scope has all narrower ones in it; work-groups are the least that OpenCL
/// allows.
pub(super) fn memory_scopes(bits: cl_device_atomic_capabilities) -> MemoryScopeCapabilityFlags {
    type Scope = MemoryScopeCapabilityFlags;
    let mut scopes = Scope::WORK_ITEM | Scope::SUB_GROUP | Scope::WORK_GROUP;
    let (device, system) = (CL_DEVICE_ATOMIC_SCOPE_DEVICE, CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES);
    scopes.set(Scope::DEVICE, bits & (device | system) != 0);
    scopes.set(Scope::SYSTEM, bits & system != 0);
    scopes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atomics_of_old_drivers() {
        type Scope = MemoryScopeCapabilityFlags;
        let least = Scope::WORK_ITEM | Scope::SUB_GROUP | Scope::WORK_GROUP;
        assert_eq!(memory_scopes(atomics(None, (1, 2))), least);
        assert_eq!(
            memory_orders(atomics(None, (1, 2))),
            MemoryOrderCapabilityFlags::RELAXED
        );
        assert_eq!(memory_scopes(atomics(None, (2, 0))), least | Scope::DEVICE);
        assert_eq!(
            memory_scopes(CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES),
            least | Scope::DEVICE | Scope::SYSTEM
        );
    }

    #[test]
    fn bits() {
        assert_eq!(
            fp(CL_FP_DENORM | CL_FP_FMA),
            DeviceFpCapabilityFlags::DENORM | DeviceFpCapabilityFlags::FMA
        );
        assert_eq!(fp(1 << 40), DeviceFpCapabilityFlags::empty());
    }
}
