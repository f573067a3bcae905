// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Programs: of SPIR-V, or of binaries that a program gave.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use kit::Program as _;
use kit::ur::{ExpProgramFlags, ProgramBuildInfo, ProgramInfo};
use opencl_sys::*;
use oxur_adapter_kit as kit;
use oxur_api_opencl as conv;

use super::error::{ClError, ClResult};
use super::handle::{export, object, objects, reference_count};
use super::info::{Out, list, not_null, text, value};
use super::{creation, entry, object_entries};
use crate::{Context, Device, Program};

type Notify = Option<unsafe extern "C" fn(cl_program, *mut c_void)>;

fn info(program: &Arc<Program>, query: cl_program_info, out: Out) -> ClResult<()> {
    let ask = |query| move |out: kit::InfoOut<'_>| program.info(query, out);
    match query {
        CL_PROGRAM_REFERENCE_COUNT => out.value(reference_count(&**program)),
        CL_PROGRAM_CONTEXT => out.handle(program.context()),
        CL_PROGRAM_NUM_DEVICES => out.same(ask(ProgramInfo::NUM_DEVICES)),
        CL_PROGRAM_DEVICES => out.handles(kit::Context::devices(&**program.context())),
        CL_PROGRAM_SOURCE => out.str(""),
        CL_PROGRAM_IL => out.same(ask(ProgramInfo::IL)),
        CL_PROGRAM_BINARY_SIZES => out.same(ask(ProgramInfo::BINARY_SIZES)),
        CL_PROGRAM_BINARIES => out.filled(ask(ProgramInfo::BINARIES)),
        CL_PROGRAM_NUM_KERNELS => out.same(ask(ProgramInfo::NUM_KERNELS)),
        CL_PROGRAM_KERNEL_NAMES => out.same(ask(ProgramInfo::KERNEL_NAMES)),
        CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT | CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT => out.bool(false),
        _ => out.unknown(),
    }
}

fn build_info(program: &Program, device: &Arc<Device>, query: cl_program_build_info, out: Out) -> ClResult<()> {
    let ask = |query| move |out: kit::InfoOut<'_>| program.build_info(device, query, out);
    match query {
        CL_PROGRAM_BUILD_STATUS => out.value(conv::BUILD_STATUS.to_cl(value(ask(ProgramBuildInfo::STATUS))?)?),
        CL_PROGRAM_BUILD_OPTIONS => out.same(ask(ProgramBuildInfo::OPTIONS)),
        CL_PROGRAM_BUILD_LOG => out.same(ask(ProgramBuildInfo::LOG)),
        CL_PROGRAM_BINARY_TYPE => out.value(conv::BINARY_TYPES.to_cl(value(ask(ProgramBuildInfo::BINARY_TYPE))?)?),
        _ => out.unknown(),
    }
}

/// Tells the client that a build is over: they all are when the function returns.
///
/// # Safety
/// The client vouches for its function.
unsafe fn tell(notify: Notify, program: cl_program, data: *mut c_void) {
    if let Some(notify) = notify {
        // SAFETY: passed on to the caller.
        unsafe { notify(program, data) };
    }
}

fn check_notify(notify: Notify, data: *mut c_void) -> ClResult<()> {
    match notify.is_none() && !data.is_null() {
        true => Err(ClError::with_message(
            CL_INVALID_VALUE,
            "there is data for a callback and no callback",
        )),
        false => Ok(()),
    }
}

/// The devices that a build is for.
///
/// # Safety
/// `devices`, unless null, must point to `count` handles.
unsafe fn devices(count: cl_uint, devices: *const cl_device_id) -> ClResult<Vec<Arc<Device>>> {
    if (count == 0) != devices.is_null() {
        return Err(ClError::with_message(
            CL_INVALID_VALUE,
            "a list of devices has devices and an address, or neither",
        ));
    }
    // SAFETY: passed on to the caller.
    objects(unsafe { list(count as usize, devices) }?)
}

creation! {
    /// There is no compiler of OpenCL C.
    fn clCreateProgramWithSource(
        context: cl_context, count: cl_uint, texts: *mut *const c_char, lengths: *const usize,
    ) {
        object::<Context>(context)?;
        if count == 0 || texts.is_null() {
            return Err(ClError::with_message(CL_INVALID_VALUE, "the program is empty"));
        }
        // oneMKL and oneDNN compile this kernel to learn which GPU it is, and go on without an answer: nothing to warn of.
        if lengths.is_null() && text(*texts).is_some_and(|text| text.to_bytes() == b"kernel void _ngen_hw_detect(){}") {
            return Err(CL_COMPILER_NOT_AVAILABLE.into());
        }
        let what = "this device has no compiler of OpenCL C: make the program of SPIR-V";
        Err(ClError::with_message(CL_COMPILER_NOT_AVAILABLE, what))
    }

    fn clCreateProgramWithIL(context: cl_context, il: *const c_void, length: usize) {
        let context = object::<Context>(context)?;
        if il.is_null() || length == 0 {
            return Err(ClError::with_message(CL_INVALID_VALUE, "the program is empty"));
        }
        let il = list(length, il.cast::<u8>())?;
        let program = Program::create_with_il(&context, il, &[])
            .map_err(|error| ClError::from(error).instead_of(CL_INVALID_BINARY, CL_INVALID_VALUE))?;
        Ok(export(&program))
    }

    fn clCreateProgramWithBinary(
        context: cl_context, count: cl_uint, devices: *const cl_device_id, lengths: *const usize,
        binaries: *mut *const u8, status: *mut cl_int,
    ) {
        let context = object::<Context>(context)?;
        if count == 0 {
            return Err(ClError::with_message(CL_INVALID_VALUE, "a program has a binary for at least one device"));
        }
        let count = count as usize;
        let devices = objects::<Device>(list(count, devices)?)?;
        let mut bytes = Vec::new();
        for (length, binary) in list(count, lengths)?.iter().zip(list(count, binaries.cast_const())?) {
            if *length == 0 || binary.is_null() {
                return Err(ClError::with_message(CL_INVALID_VALUE, "a binary is empty"));
            }
            bytes.push(list(*length, *binary)?);
        }
        let made = Program::create_with_binaries(&context, &devices, &bytes, &[]).map_err(ClError::from);
        if !status.is_null() {
            let code = made.as_ref().map_or_else(|error| error.code, |_| CL_SUCCESS);
            (0..count).for_each(|place| status.add(place).write(code));
        }
        Ok(export(&made?))
    }

    fn clCreateProgramWithBuiltInKernels(
        context: cl_context, _count: cl_uint, _devices: *const cl_device_id, _names: *const c_char,
    ) {
        object::<Context>(context)?;
        Err(ClError::with_message(CL_INVALID_VALUE, "there are no built-in kernels"))
    }

    fn clLinkProgram(
        context: cl_context, num_devices: cl_uint, device_list: *const cl_device_id, options: *const c_char,
        count: cl_uint, programs: *const cl_program, notify: Notify, data: *mut c_void,
    ) {
        let context = object::<Context>(context)?;
        check_notify(notify, data)?;
        let devices = devices(num_devices, device_list)?;
        if count == 0 || programs.is_null() {
            return Err(ClError::with_message(CL_INVALID_VALUE, "there is nothing to link"));
        }
        let programs = objects::<Program>(list(count as usize, programs)?)?;
        let linked = Program::link(&context, &devices, &programs, text(options), ExpProgramFlags::empty());
        let linked = linked
            .map_err(|failure| ClError::from(failure.error).instead_of(CL_INVALID_VALUE, CL_INVALID_LINKER_OPTIONS));
        let handle = export(&linked?);
        tell(notify, handle, data);
        Ok(handle)
    }
}

object_entries!(Program as cl_program: clRetainProgram, clReleaseProgram, clGetProgramInfo);

entry! {
    fn clBuildProgram(
        program: cl_program, count: cl_uint, device_list: *const cl_device_id, options: *const c_char, notify: Notify,
        data: *mut c_void,
    ) {
        check_notify(notify, data)?;
        let devices = devices(count, device_list)?;
        let built = object::<Program>(program)?.build(&devices, text(options), ExpProgramFlags::empty());
        tell(notify, program, data);
        built.map_err(|error| ClError::from(error).instead_of(CL_INVALID_VALUE, CL_INVALID_BUILD_OPTIONS))
    }

    fn clCompileProgram(
        program: cl_program, count: cl_uint, device_list: *const cl_device_id, options: *const c_char,
        num_headers: cl_uint, _headers: *const cl_program, _names: *mut *const c_char, notify: Notify,
        data: *mut c_void,
    ) {
        check_notify(notify, data)?;
        let devices = devices(count, device_list)?;
        let object = object::<Program>(program)?;
        if num_headers != 0 {
            return Err(ClError::with_message(CL_INVALID_OPERATION, "SPIR-V includes no headers"));
        }
        let compiled = object.compile(&devices, text(options), ExpProgramFlags::empty());
        tell(notify, program, data);
        compiled.map_err(|error| {
            ClError::from(error)
                .instead_of(CL_INVALID_VALUE, CL_INVALID_COMPILER_OPTIONS)
                .instead_of(CL_BUILD_PROGRAM_FAILURE, CL_COMPILE_PROGRAM_FAILURE)
        })
    }

    fn clSetProgramSpecializationConstant(program: cl_program, id: cl_uint, size: usize, value: *const c_void) {
        let program = object::<Program>(program)?;
        not_null(value, "the value of a specialization constant")?;
        Ok(program.set_specialization_constants(&[(id, list(size, value.cast::<u8>())?)])?)
    }

    fn clGetProgramBuildInfo(
        program: cl_program, device: cl_device_id, query: cl_program_build_info, size: usize, value: *mut c_void,
        needed: *mut usize,
    ) {
        let program = object::<Program>(program)?;
        build_info(&program, &object(device)?, query, Out::new(size, value, needed))
    }
}
