// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What a device can do with atomics, from the bit field in which it tells that.

use kit::ur::*;
use opencl_sys::*;
use oxur_adapter_kit as kit;

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
pub(super) fn capabilities(said: Option<cl_bitfield>, version: (u32, u32)) -> cl_device_atomic_capabilities {
    said.unwrap_or(if version >= (2, 0) { OPENCL_2 } else { OPENCL_1 })
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
        assert_eq!(memory_scopes(capabilities(None, (1, 2))), least);
        assert_eq!(
            memory_orders(capabilities(None, (1, 2))),
            MemoryOrderCapabilityFlags::RELAXED
        );
        assert_eq!(memory_scopes(capabilities(None, (2, 0))), least | Scope::DEVICE);
        assert_eq!(
            memory_scopes(CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES),
            least | Scope::DEVICE | Scope::SYSTEM
        );
    }
}
