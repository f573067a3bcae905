// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions that 2026.2 dropped: arguments set one by one before a launch that brings none.

use std::ffi::c_void;

use oxur_api::*;

use crate::chain::decode;
use crate::enqueue::urEnqueueKernelLaunch;
use crate::handle::{object, optional_object};
use crate::table::entry_points;
use crate::{Arg, Kernel, UrResult, args, entry};

/// Checks that nothing is chained to the properties of an argument.
///
/// # Safety
/// As the C functions.
#[inline]
unsafe fn check_chain(function: &'static str, properties: *const BaseProperties) -> UrResult<()> {
    // SAFETY: passed on to the caller.
    unsafe {
        properties
            .as_ref()
            .map_or(Ok(()), |properties| decode!(function, properties.pNext))
    }
}

entry! {
    fn urKernelSetArgValue<B>(
        kernel: KernelHandle, index: u32, size: usize, properties: *const KernelArgValueProperties,
        value: *const c_void,
    ) {
        check_chain("urKernelSetArgValue", properties.cast())?;
        let kernel = object::<B::Kernel>(kernel)?;
        args::not_null(value)?;
        kernel.set_arg(Arg::Value(index, args::slice(value.cast::<u8>(), size)?))
    }

    fn urKernelSetArgLocal<B>(
        kernel: KernelHandle, index: u32, size: usize, properties: *const KernelArgLocalProperties,
    ) {
        check_chain("urKernelSetArgLocal", properties.cast())?;
        object::<B::Kernel>(kernel)?.set_arg(Arg::Local(index, size))
    }

    fn urKernelSetArgPointer<B>(
        kernel: KernelHandle, index: u32, properties: *const KernelArgPointerProperties, pointer: *const c_void,
    ) {
        check_chain("urKernelSetArgPointer", properties.cast())?;
        object::<B::Kernel>(kernel)?.set_arg(Arg::Pointer(index, pointer))
    }

    fn urKernelSetArgSampler<B>(
        kernel: KernelHandle, index: u32, properties: *const KernelArgSamplerProperties, sampler: SamplerHandle,
    ) {
        check_chain("urKernelSetArgSampler", properties.cast())?;
        object::<B::Kernel>(kernel)?.set_arg(Arg::Sampler(index, object(sampler)?))
    }

    fn urKernelSetArgMemObj<B>(
        kernel: KernelHandle, index: u32, properties: *const KernelArgMemObjProperties, mem: MemHandle,
    ) {
        check_chain("urKernelSetArgMemObj", properties.cast())?;
        let access = properties.as_ref().map_or(MemFlags::READ_WRITE, |p| p.memoryAccess);
        args::known_flags(access)?;
        object::<B::Kernel>(kernel)?.set_arg(Arg::Mem(index, optional_object(mem)?, access))
    }
}

oxur_api::legacy_functions! { entry_points {} }
