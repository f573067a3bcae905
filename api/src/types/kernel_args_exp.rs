// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kernel arguments passed with a launch.

use super::*;

ur_types! {
    /// Kind of a kernel argument; selects the active member of ur_exp_kernel_arg_value_t.
    enum ExpKernelArgType = ur_exp_kernel_arg_type_t, UR_EXP_KERNEL_ARG_TYPE_ {
        /// Plain data, copied by value from the address given
        VALUE = 0,
        /// USM or mapped virtual memory address
        POINTER = 1,
        /// Buffer or image with its access flags
        MEM_OBJ = 2,
        /// Local memory block per work-group; only its size matters
        LOCAL = 3,
        /// Sampler, given by its handle
        SAMPLER = 4,
    }

    /// Memory object argument together with the access the kernel makes to it.
    struct ExpKernelArgMemObjTuple = ur_exp_kernel_arg_mem_obj_tuple_t {
        /// buffer or image to bind
        [in] hMem: MemHandle,
        /// kernel's access: one of UR_MEM_FLAG_READ_WRITE, UR_MEM_FLAG_WRITE_ONLY, UR_MEM_FLAG_READ_ONLY
        [in] flags: MemFlags,
    }

    /// Value of one kernel argument; the argument's type says which member is valid.
    union ExpKernelArgValue = ur_exp_kernel_arg_value_t {
        /// for VALUE: address of the bytes, copied before the call returns
        [in] value: *const c_void,
        /// for POINTER: the device-visible address itself
        [in] pointer: *const c_void,
        /// for MEM_OBJ: memory object and access flags
        [in] memObjTuple: ExpKernelArgMemObjTuple,
        /// for SAMPLER: sampler to bind
        [in] sampler: SamplerHandle,
    }

    /// Describes one kernel argument for a launch that carries its arguments along.
    struct ExpKernelArgProperties = ur_exp_kernel_arg_properties_t, EXP_KERNEL_ARG_PROPERTIES {
        [in] stype: StructureType,
        [inout, optional] pNext: *mut c_void,
        /// kind of the argument; selects the member of value
        [in] r#type: ExpKernelArgType,
        /// zero-based position of the argument
        [in] index: u32,
        /// bytes of the value, or bytes of local memory per work-group for LOCAL
        [in] size: usize,
        /// the argument's value; not read for LOCAL
        [in, tagged_by(type)] value: ExpKernelArgValue,
    }
}
