// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kernels and their arguments.

use std::ffi::{c_char, c_void};
use std::ptr;
use std::sync::Arc;

use kit::ur::{KernelGroupInfo, KernelInfo, KernelSubGroupInfo};
use kit::{Args, Kernel as _};
use opencl_sys::*;
use oxur_adapter_kit as kit;
use oxur_compiler::ParamKind;

use super::error::{ClError, ClResult, check};
use super::handle::{export, object, reference_count};
use super::info::{Out, list, not_null, text, value};
use super::{call_ur, creation, entry, object_entries};
use crate::{Device, Kernel, Mem, Program, Queue, Sampler};

fn info(kernel: &Arc<Kernel>, query: cl_kernel_info, out: Out) -> ClResult<()> {
    let ask = |query| move |out: kit::InfoOut<'_>| kernel.info(query, out);
    match query {
        CL_KERNEL_FUNCTION_NAME => out.same(ask(KernelInfo::FUNCTION_NAME)),
        CL_KERNEL_NUM_ARGS => out.same(ask(KernelInfo::NUM_ARGS)),
        CL_KERNEL_ATTRIBUTES => out.same(ask(KernelInfo::ATTRIBUTES)),
        CL_KERNEL_REFERENCE_COUNT => out.value(reference_count(&**kernel)),
        CL_KERNEL_CONTEXT => out.handle(kernel.program().context()),
        CL_KERNEL_PROGRAM => out.handle(kernel.program()),
        _ => out.unknown(),
    }
}

/// The device that a query is about; a context with one device needs no name for it.
fn device(kernel: &Kernel, device: cl_device_id) -> ClResult<Arc<Device>> {
    let context = kernel.program().context();
    match (&context.devices[..], device.is_null()) {
        ([only], true) => Ok(only.clone()),
        _ => {
            let device = object::<Device>(device)?;
            context.check_device(&device)?;
            Ok(device)
        }
    }
}

fn group_info(kernel: &Kernel, device: &Arc<Device>, query: cl_kernel_work_group_info, out: Out) -> ClResult<()> {
    let ask = |query| move |out: kit::InfoOut<'_>| kernel.group_info(device, query, out);
    match query {
        CL_KERNEL_WORK_GROUP_SIZE => out.same(ask(KernelGroupInfo::WORK_GROUP_SIZE)),
        CL_KERNEL_COMPILE_WORK_GROUP_SIZE => out.same(ask(KernelGroupInfo::COMPILE_WORK_GROUP_SIZE)),
        CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => {
            out.same(ask(KernelGroupInfo::PREFERRED_WORK_GROUP_SIZE_MULTIPLE))
        }
        CL_KERNEL_LOCAL_MEM_SIZE => {
            let size: usize = value(ask(KernelGroupInfo::LOCAL_MEM_SIZE))?;
            out.value(size as cl_ulong)
        }
        CL_KERNEL_PRIVATE_MEM_SIZE => {
            let size: usize = value(ask(KernelGroupInfo::PRIVATE_MEM_SIZE))?;
            out.value(size as cl_ulong)
        }
        // The sizes of built-in kernels, of which there are none.
        _ => out.unknown(),
    }
}

fn sub_group_info(
    kernel: &Kernel,
    device: &Arc<Device>,
    query: cl_kernel_sub_group_info,
    input: &[u8],
    out: Out,
) -> ClResult<()> {
    let number = |query| value::<u32>(|out: kit::InfoOut<'_>| kernel.sub_group_info(device, query, out));
    let widest = number(KernelSubGroupInfo::MAX_SUB_GROUP_SIZE)?.max(1) as usize;
    let sizes = || -> ClResult<Vec<usize>> {
        let sizes = input.chunks_exact(size_of::<usize>());
        match (sizes.len(), sizes.remainder()) {
            (1..=3, []) => Ok(sizes
                .map(|size| usize::from_ne_bytes(size.try_into().expect("chunks of that size")))
                .collect()),
            _ => Err(ClError::with_message(
                CL_INVALID_VALUE,
                "a work-group has one to three dimensions",
            )),
        }
    };
    match query {
        CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE => {
            let items: usize = sizes()?.iter().product();
            out.value(widest.min(items.max(1)))
        }
        CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE => {
            let items: usize = sizes()?.iter().product();
            out.value(items.div_ceil(widest))
        }
        CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT => {
            let count = match *input {
                [] => None,
                _ => input.try_into().ok().map(usize::from_ne_bytes),
            };
            let count =
                count.ok_or_else(|| ClError::with_message(CL_INVALID_VALUE, "the input is a number of sub-groups"))?;
            let items = count.saturating_mul(widest);
            let items = if items <= kernel.code().max_local_size() {
                items
            } else {
                0
            };
            let mut answer = vec![items, 1, 1];
            if items == 0 {
                answer = vec![0; 3];
            }
            answer.truncate((out.room() / size_of::<usize>()).clamp(1, 3));
            out.slice(&answer)
        }
        CL_KERNEL_MAX_NUM_SUB_GROUPS => out.value(number(KernelSubGroupInfo::MAX_NUM_SUB_GROUPS)? as usize),
        CL_KERNEL_COMPILE_NUM_SUB_GROUPS => out.value(number(KernelSubGroupInfo::COMPILE_NUM_SUB_GROUPS)? as usize),
        CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL => out.value(number(KernelSubGroupInfo::SUB_GROUP_SIZE_INTEL)? as usize),
        _ => out.unknown(),
    }
}

/// Sets an argument: what the bytes are is for the kernel to say.
///
/// # Safety
/// `bytes`, unless null, must point to `size` bytes.
unsafe fn set_arg(kernel: &Arc<Kernel>, index: cl_uint, size: usize, bytes: *const c_void) -> ClResult<()> {
    let Some(param) = kernel.wants().params.get(index as usize) else {
        return Err(ClError::with_message(
            CL_INVALID_ARG_INDEX,
            format!("the kernel has no argument {index}"),
        ));
    };
    let handle = || -> ClResult<*mut c_void> {
        match (bytes.is_null(), size == size_of::<*mut c_void>()) {
            (true, _) => Ok(ptr::null_mut()),
            // SAFETY: that many bytes.
            (_, true) => Ok(unsafe { bytes.cast::<*mut c_void>().read_unaligned() }),
            _ => Err(CL_INVALID_ARG_SIZE.into()),
        }
    };
    let legacy = &super::ur().legacy;
    let to = kit::handle_of(kernel);
    // SAFETY: live handles, and bytes that the caller vouches for.
    let result = unsafe {
        match param.kind {
            ParamKind::Local => {
                if !bytes.is_null() {
                    return Err(ClError::with_message(
                        CL_INVALID_ARG_VALUE,
                        "local memory has a size and no value",
                    ));
                }
                if size == 0 {
                    return Err(ClError::with_message(
                        CL_INVALID_ARG_SIZE,
                        "local memory has at least one byte",
                    ));
                }
                legacy.pfnKernelSetArgLocal.expect("the kit has it")(to, index, size, ptr::null())
            }
            ParamKind::Pointer(_) | ParamKind::Image => {
                let mem = match handle()? {
                    null if null.is_null() => None,
                    mem => Some(object::<Mem>(mem)?),
                };
                let mem = mem.as_ref().map_or_else(Default::default, kit::handle_of);
                legacy.pfnKernelSetArgMemObj.expect("the kit has it")(to, index, ptr::null(), mem)
            }
            ParamKind::Sampler => {
                let sampler = object::<Sampler>(handle()?)?;
                legacy.pfnKernelSetArgSampler.expect("the kit has it")(to, index, ptr::null(), kit::handle_of(&sampler))
            }
            ParamKind::Value if bytes.is_null() => return Err(CL_INVALID_ARG_VALUE.into()),
            ParamKind::Value => {
                legacy.pfnKernelSetArgValue.expect("the kit has it")(to, index, size, ptr::null(), bytes)
            }
        }
    };
    check(result)
}

creation! {
    fn clCreateKernel(program: cl_program, name: *const c_char) {
        let program = object::<Program>(program)?;
        let name = text(name).ok_or_else(|| ClError::with_message(CL_INVALID_VALUE, "the name is null"))?;
        Ok(export(&Kernel::create(&program, name)?))
    }

    fn clCloneKernel(kernel: cl_kernel) {
        Ok(export(&object::<Kernel>(kernel)?.snapshot(Args::none())?))
    }
}

object_entries!(Kernel as cl_kernel: clRetainKernel, clReleaseKernel, clGetKernelInfo);

entry! {
    fn clCreateKernelsInProgram(program: cl_program, capacity: cl_uint, kernels: *mut cl_kernel, count: *mut cl_uint) {
        let program = object::<Program>(program)?;
        let names = program.kernel_names()?;
        if !kernels.is_null() {
            if (capacity as usize) < names.len() {
                return Err(ClError::with_message(CL_INVALID_VALUE, format!("the program has {} kernels", names.len())));
            }
            let all = names.iter().map(|name| Kernel::create(&program, name));
            let all = all.collect::<kit::UrResult<Vec<_>>>()?;
            for (place, kernel) in all.iter().enumerate() {
                kernels.add(place).write(export(kernel));
            }
        }
        if !count.is_null() {
            count.write(names.len() as cl_uint);
        }
        Ok(())
    }

    fn clSetKernelArg(kernel: cl_kernel, index: cl_uint, size: usize, value: *const c_void) {
        set_arg(&object(kernel)?, index, size, value)
    }

    /// Of any address of the process: the device reaches them all.
    fn clSetKernelArgSVMPointer(kernel: cl_kernel, index: cl_uint, address: *const c_void) {
        let kernel = object::<Kernel>(kernel)?;
        let set = super::ur().legacy.pfnKernelSetArgPointer.expect("the kit has it");
        check(set(kit::handle_of(&kernel), index, ptr::null(), address))
    }

    /// Kernels reach all memory of the process, so there is nothing to do.
    fn clSetKernelExecInfo(kernel: cl_kernel, name: cl_kernel_exec_info, size: usize, value: *const c_void) {
        object::<Kernel>(kernel)?;
        not_null(value, "the value")?;
        match name {
            CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM
            | CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL
            | CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL
            | CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL
                if size == size_of::<cl_bool>() => Ok(()),
            CL_KERNEL_EXEC_INFO_SVM_PTRS | CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL
                if size != 0 && size.is_multiple_of(size_of::<*mut c_void>()) => Ok(()),
            _ => Err(CL_INVALID_VALUE.into()),
        }
    }

    fn clGetKernelWorkGroupInfo(
        kernel: cl_kernel, device_id: cl_device_id, query: cl_kernel_work_group_info, size: usize, value: *mut c_void,
        needed: *mut usize,
    ) {
        let kernel = object::<Kernel>(kernel)?;
        group_info(&kernel, &device(&kernel, device_id)?, query, Out::new(size, value, needed))
    }

    /// Also of the name of the extension, `clGetKernelSubGroupInfoKHR`.
    fn clGetKernelSubGroupInfo(
        kernel: cl_kernel, device_id: cl_device_id, query: cl_kernel_sub_group_info, input_size: usize,
        input: *const c_void, size: usize, value: *mut c_void, needed: *mut usize,
    ) {
        let kernel = object::<Kernel>(kernel)?;
        let device = device(&kernel, device_id)?;
        let input = list(input_size, input.cast::<u8>())?;
        sub_group_info(&kernel, &device, query, input, Out::new(size, value, needed))
    }

    /// SPIR-V does not say what OpenCL C called the types.
    fn clGetKernelArgInfo(
        kernel: cl_kernel, index: cl_uint, _query: cl_kernel_arg_info, _size: usize, _value: *mut c_void,
        _needed: *mut usize,
    ) {
        let kernel = object::<Kernel>(kernel)?;
        match (index as usize) < kernel.wants().params.len() {
            true => Err(CL_KERNEL_ARG_INFO_NOT_AVAILABLE.into()),
            false => Err(CL_INVALID_ARG_INDEX.into()),
        }
    }

    fn clGetKernelSuggestedLocalWorkSize(
        queue: cl_command_queue, kernel: cl_kernel, dimensions: cl_uint, offset: *const usize, global: *const usize,
        suggested: *mut usize,
    ) {
        let queue = object::<Queue>(queue)?;
        let kernel = object::<Kernel>(kernel)?;
        let (queue, kernel) = (kit::handle_of(&queue), kit::handle_of(&kernel));
        call_ur!(Kernel.pfnGetSuggestedLocalWorkSize(kernel, queue, dimensions, offset, global, suggested))
    }
}
