// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions that 2026.2 dropped: arguments set one by one before a launch that brings none.

use std::ffi::c_void;

use oxur_api::*;

use crate::enqueue::urEnqueueKernelLaunch;
use crate::handle::{object, optional_object};
use crate::table::entry_points;
use crate::{Arg, Kernel, args, entry};

entry! {
    fn urKernelSetArgValue<B>(
        kernel: KernelHandle, index: u32, size: usize, _properties: *const KernelArgValueProperties,
        value: *const c_void,
    ) {
        let kernel = object::<B::Kernel>(kernel)?;
        args::not_null(value)?;
        kernel.set_arg(Arg::Value(index, args::slice(value.cast::<u8>(), size)?))
    }

    fn urKernelSetArgLocal<B>(
        kernel: KernelHandle, index: u32, size: usize, _properties: *const KernelArgLocalProperties,
    ) {
        object::<B::Kernel>(kernel)?.set_arg(Arg::Local(index, size))
    }

    fn urKernelSetArgPointer<B>(
        kernel: KernelHandle, index: u32, _properties: *const KernelArgPointerProperties, pointer: *const c_void,
    ) {
        object::<B::Kernel>(kernel)?.set_arg(Arg::Pointer(index, pointer))
    }

    fn urKernelSetArgSampler<B>(
        kernel: KernelHandle, index: u32, _properties: *const KernelArgSamplerProperties, sampler: SamplerHandle,
    ) {
        object::<B::Kernel>(kernel)?.set_arg(Arg::Sampler(index, object(sampler)?))
    }

    fn urKernelSetArgMemObj<B>(
        kernel: KernelHandle, index: u32, properties: *const KernelArgMemObjProperties, mem: MemHandle,
    ) {
        let access = properties.as_ref().map_or(MemFlags::READ_WRITE, |p| p.memoryAccess);
        args::known_flags(access)?;
        object::<B::Kernel>(kernel)?.set_arg(Arg::Mem(index, optional_object(mem)?, access))
    }
}

oxur_api::legacy_functions! { entry_points {} }
