// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Programs.

use std::ffi::{CStr, c_char, c_void};
use std::sync::Arc;

use kit::ur::{
    ExpProgramFlags, NativeHandle, ProgramBinaryType, ProgramBuildInfo, ProgramBuildStatus, ProgramInfo,
    ProgramMetadata, ResultCode,
};
use kit::{DeviceGlobal, DeviceGlobals, HandleCell, InfoOut, LinkFailure, NativeRef, UrError, UrResult};
use opencl_sys::*;
use oxur_adapter_kit as kit;

use crate::cl::{self, Ask, ProgramObject, api, cl, cl_create, query};
use crate::{Context, Device, OpenCl, conv};

/// A program.
pub(crate) struct Program {
    pub(crate) handle_cell: HandleCell,
    pub(crate) raw: NativeRef<ProgramObject>,
    pub(crate) context: Arc<Context>,
    globals: DeviceGlobals,
}

/// The driver's handles of devices that a build is for. Drivers crash on devices that are none of the context's.
fn raw_devices(context: &Context, devices: &[Arc<Device>]) -> UrResult<Vec<cl_device_id>> {
    let raw = |device: &Arc<Device>| match context.device(device.raw) {
        Some(_) => Ok(device.raw),
        None => Err(kit::error!(ERROR_INVALID_DEVICE: "a program is built for devices of its context only")),
    };
    devices.iter().map(raw).collect()
}

/// A null pointer for no devices: all those of the program.
fn array<T>(items: &[T]) -> (cl_uint, *const T) {
    match items {
        [] => (0, std::ptr::null()),
        _ => (items.len() as cl_uint, items.as_ptr()),
    }
}

fn options(text: Option<&CStr>) -> *const c_char {
    text.map_or(std::ptr::null(), CStr::as_ptr)
}

impl Program {
    fn new(raw: NativeRef<ProgramObject>, context: &Arc<Context>) -> Arc<Self> {
        Arc::new(Self {
            handle_cell: HandleCell::new(),
            raw,
            context: context.clone(),
            globals: DeviceGlobals::default(),
        })
    }

    fn devices(&self) -> UrResult<Vec<Arc<Device>>> {
        let raw = self.raw.ask_array::<*mut c_void>(CL_PROGRAM_DEVICES)?;
        Ok(raw
            .into_iter()
            .filter_map(|d| self.context.device(d))
            .cloned()
            .collect())
    }

    fn build_number(&self, device: &Device, what: cl_program_build_info) -> UrResult<cl_int> {
        // SAFETY: live handles.
        unsafe { cl::value(query!(clGetProgramBuildInfo(*self.raw, device.raw, what))) }
    }

    fn build_text(&self, device: &Device, what: cl_program_build_info) -> UrResult<String> {
        // SAFETY: live handles.
        unsafe { cl::string(query!(clGetProgramBuildInfo(*self.raw, device.raw, what))) }
    }

    /// Adds what the compiler said to the error of a build.
    fn with_log(&self, devices: &[Arc<Device>], error: UrError) -> UrError {
        let devices = if devices.is_empty() {
            &self.context.devices
        } else {
            devices
        };
        let logs = devices
            .iter()
            .filter_map(|d| self.build_text(d, CL_PROGRAM_BUILD_LOG).ok());
        let text = logs.filter(|log| !log.trim().is_empty()).collect::<Vec<_>>().join("\n");
        error.with_log(&text)
    }

    /// Has `call` build or compile for devices, whose number and handles it gets. An error says what the compiler said.
    fn build_with(
        &self,
        devices: &[Arc<Device>],
        flags: ExpProgramFlags,
        call: impl FnOnce(cl_uint, *const cl_device_id) -> UrResult<()>,
    ) -> UrResult<()> {
        no_flags(flags)?;
        let raw = raw_devices(&self.context, devices)?;
        let (count, pointer) = array(&raw);
        call(count, pointer).map_err(|error| self.with_log(devices, error))
    }

    fn is_executable(&self, device: &Device) -> bool {
        let kind = self.build_number(device, CL_PROGRAM_BINARY_TYPE);
        kind.is_ok_and(|kind| kind as cl_program_binary_type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
    }

    /// The address and size of a device global.
    fn find_global(&self, device: &Device, name: &CStr) -> UrResult<(*mut c_void, usize)> {
        let mut address = std::ptr::null_mut();
        let mut size = 0;
        // SAFETY: live handles, a zero-terminated string, and places for the results.
        let found = unsafe {
            cl!(
                self.context.ext,
                clGetDeviceGlobalVariablePointerINTEL(device.raw, *self.raw, name.as_ptr(), &mut size, &mut address)
            )
        };
        match found {
            Ok(()) => Ok((address, size)),
            Err(error) if error.code() == ResultCode::ERROR_UNSUPPORTED_FEATURE => Err(error),
            // Drivers say different things of a program that they have not built for the device.
            Err(_) if !self.is_executable(device) => Err(kit::error!(
                ERROR_INVALID_PROGRAM_EXECUTABLE: "the program was not built for this device, or its build failed"
            )),
            Err(error) => Err(kit::error!(
                ERROR_INVALID_VALUE: "the program has no global variable {name:?} for this device: {error}"
            )),
        }
    }

    /// Checks the bounds of a part of a device global. Intel's driver takes any.
    pub(crate) fn check_global(&self, device: &Device, global: &DeviceGlobal<'_, OpenCl>) -> UrResult<()> {
        let found = self.globals.find(device.raw as usize, global.name, || {
            match self.find_global(device, global.name) {
                // A driver that gives no address may copy all the same, and checks the bounds itself.
                Err(error) if error.code() == ResultCode::ERROR_UNSUPPORTED_FEATURE => Ok(None),
                found => found.map(Some),
            }
        })?;
        found.map_or(Ok(()), |(_, size)| global.check_bounds(size))
    }
}

/// Refuses what OpenCL has no way to say to its compiler.
fn no_flags(flags: ExpProgramFlags) -> UrResult<()> {
    if flags.is_empty() {
        return Ok(());
    }
    Err(kit::error!(ERROR_UNSUPPORTED_FEATURE: "OpenCL cannot build with {flags:?}: every symbol must be resolved"))
}

/// Says what to do about a driver that takes no SPIR-V.
fn no_compiler(context: &Context) -> UrError {
    let platform = kit::Device::platform(&*context.devices[0]);
    let name = platform.as_ref().map_or("", |p| p.name());
    kit::error!(
        ERROR_COMPILER_NOT_AVAILABLE:
            "the OpenCL platform \"{name}\" does not take SPIR-V, which SYCL programs are made of. Choose another \
             device, or install a driver that does: Intel's CPU driver (the package intel-opencl-rt of PyPI) runs on any \
             x86-64 machine"
    )
}

impl kit::Program<OpenCl> for Program {
    fn context(&self) -> &Arc<Context> {
        &self.context
    }

    fn create_with_il(context: &Arc<Context>, il: &[u8], _metadata: &[ProgramMetadata]) -> UrResult<Arc<Self>> {
        if !context.devices.iter().any(|device| device.facts.takes_spirv()) {
            return Err(no_compiler(context));
        }
        kit::check_spirv(il)?;
        // SAFETY: a live context and `il.len()` bytes.
        let made = unsafe {
            cl_create!(
                context.ext,
                clCreateProgramWithIL(*context.raw, il.as_ptr().cast(), il.len())
            )
        };
        let raw = made.map_err(|error| match error.code() {
            // What OpenCL says of IL that is not well-formed.
            ResultCode::ERROR_INVALID_VALUE => error.with_code(ResultCode::ERROR_INVALID_BINARY),
            _ => error,
        })?;
        Ok(Self::new(raw, context))
    }

    fn create_with_binaries(
        context: &Arc<Context>,
        devices: &[Arc<Device>],
        binaries: &[&[u8]],
        _metadata: &[ProgramMetadata],
    ) -> UrResult<Arc<Self>> {
        let devices = raw_devices(context, devices)?;
        let lengths: Vec<usize> = binaries.iter().map(|b| b.len()).collect();
        let mut pointers: Vec<*const u8> = binaries.iter().map(|b| b.as_ptr()).collect();
        let mut status = vec![CL_SUCCESS; binaries.len()];
        // SAFETY: a live context and four arrays of the same length.
        let raw = unsafe {
            cl_create!(clCreateProgramWithBinary(
                *context.raw,
                devices.len() as cl_uint,
                devices.as_ptr(),
                lengths.as_ptr(),
                pointers.as_mut_ptr(),
                status.as_mut_ptr()
            ))
        }?;
        Ok(Self::new(raw, context))
    }

    fn build(&self, devices: &[Arc<Device>], text: Option<&CStr>, flags: ExpProgramFlags) -> UrResult<()> {
        let none = std::ptr::null_mut();
        // SAFETY: live handles and a string that lives until the call returns, which it does when the build is done.
        self.build_with(devices, flags, |count, devices| unsafe {
            cl!(clBuildProgram(*self.raw, count, devices, options(text), None, none))
        })
    }

    fn compile(&self, devices: &[Arc<Device>], text: Option<&CStr>, flags: ExpProgramFlags) -> UrResult<()> {
        let (raw, options, none) = (*self.raw, options(text), std::ptr::null_mut());
        let (headers, names) = (std::ptr::null(), std::ptr::null_mut());
        // SAFETY: as in `build`; there are no headers.
        self.build_with(devices, flags, |count, devices| unsafe {
            cl!(clCompileProgram(
                raw, count, devices, options, 0, headers, names, None, none
            ))
        })
    }

    fn link(
        context: &Arc<Context>,
        devices: &[Arc<Device>],
        programs: &[Arc<Self>],
        text: Option<&CStr>,
        flags: ExpProgramFlags,
    ) -> Result<Arc<Self>, LinkFailure<Self>> {
        no_flags(flags)?;
        let raw = raw_devices(context, devices)?;
        let (count, pointer) = array(&raw);
        let inputs: Vec<cl_program> = programs.iter().map(|p| *p.raw).collect();
        let Some(function) = api().clLinkProgram else {
            return Err(cl::missing("clLinkProgram").into());
        };
        let mut code = CL_SUCCESS;
        // SAFETY: live handles, and arrays and a string that live until the call returns, which it does when the
        // link is done.
        let linked = unsafe {
            function(
                *context.raw,
                count,
                pointer,
                options(text),
                inputs.len() as cl_uint,
                inputs.as_ptr(),
                None,
                std::ptr::null_mut(),
                &mut code,
            )
        };
        // SAFETY: a program that was just made.
        let program = (!linked.is_null()).then(|| Self::new(unsafe { NativeRef::new(linked) }, context));
        match (cl::check("clLinkProgram", code), program) {
            (Ok(()), Some(program)) => Ok(program),
            (Ok(()), None) => Err(UrError::from(ResultCode::ERROR_PROGRAM_LINK_FAILURE).into()),
            (Err(error), program) => {
                let error = match &program {
                    Some(program) => program.with_log(devices, error),
                    None => error,
                };
                Err(LinkFailure { error, program })
            }
        }
    }

    fn function_pointer(&self, device: &Arc<Device>, name: &CStr) -> UrResult<*mut c_void> {
        let mut address = 0;
        // SAFETY: live handles, a zero-terminated string, and a place for the result.
        let found = unsafe {
            cl!(
                self.context.ext,
                clGetDeviceFunctionPointerINTEL(device.raw, *self.raw, name.as_ptr(), &mut address)
            )
        };
        match found {
            Ok(()) if address != 0 => Ok(address as *mut c_void),
            _ => {
                let names = self.raw.ask_string(CL_PROGRAM_KERNEL_NAMES)?;
                Err(kit::no_function(name, &names.split(';').collect::<Vec<_>>()))
            }
        }
    }

    fn global_variable(&self, device: &Arc<Device>, name: &CStr) -> UrResult<(*mut c_void, usize)> {
        self.find_global(device, name)
    }

    fn info(&self, query: ProgramInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            ProgramInfo::NUM_DEVICES => out.value(self.devices()?.len() as u32),
            ProgramInfo::DEVICES => out.handles(&self.devices()?),
            ProgramInfo::IL => out.slice(&self.raw.ask_array::<u8>(CL_PROGRAM_IL)?),
            ProgramInfo::BINARY_SIZES => out.slice(&self.raw.ask_array::<usize>(CL_PROGRAM_BINARY_SIZES)?),
            ProgramInfo::BINARIES => {
                let sizes = self.raw.ask_array::<usize>(CL_PROGRAM_BINARY_SIZES)?;
                let len = sizes.len() * size_of::<*mut u8>();
                out.bytes(len, |pointers| {
                    // SAFETY: a live program; the client's buffer holds a pointer to enough memory for each device.
                    unsafe {
                        cl!(clGetProgramInfo(
                            *self.raw,
                            CL_PROGRAM_BINARIES,
                            len,
                            pointers.cast(),
                            std::ptr::null_mut()
                        ))
                    }
                })
            }
            ProgramInfo::NUM_KERNELS => out.value(self.raw.ask::<usize>(CL_PROGRAM_NUM_KERNELS)?),
            ProgramInfo::KERNEL_NAMES => out.str(&self.raw.ask_string(CL_PROGRAM_KERNEL_NAMES)?),
            _ => out.unsupported(),
        }
    }

    fn build_info(&self, device: &Arc<Device>, query: ProgramBuildInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            ProgramBuildInfo::STATUS => {
                let status = conv::BUILD_STATUS.to_ur(self.build_number(device, CL_PROGRAM_BUILD_STATUS)?);
                out.value(status.unwrap_or(ProgramBuildStatus::ERROR))
            }
            ProgramBuildInfo::OPTIONS => out.str(&self.build_text(device, CL_PROGRAM_BUILD_OPTIONS)?),
            ProgramBuildInfo::LOG => out.str(&self.build_text(device, CL_PROGRAM_BUILD_LOG)?),
            ProgramBuildInfo::BINARY_TYPE => {
                let kind = self.build_number(device, CL_PROGRAM_BINARY_TYPE)?;
                let kind = conv::BINARY_TYPES.to_ur(kind as cl_program_binary_type);
                out.value(kind.unwrap_or(ProgramBinaryType::NONE))
            }
            _ => out.unsupported(),
        }
    }

    fn set_specialization_constants(&self, constants: &[(u32, &[u8])]) -> UrResult<()> {
        for (id, value) in constants {
            let (size, bytes) = (value.len(), value.as_ptr().cast());
            // SAFETY: a live program; OpenCL copies the value before it returns.
            unsafe {
                cl!(
                    self.context.ext,
                    clSetProgramSpecializationConstant(*self.raw, *id, size, bytes)
                )
            }?;
        }
        Ok(())
    }

    fn native(self: &Arc<Self>) -> UrResult<NativeHandle> {
        self.context.share();
        Ok(*self.raw as NativeHandle)
    }

    fn from_native(context: &Arc<Context>, native: NativeHandle, owned: bool) -> UrResult<Arc<Self>> {
        // SAFETY: the client vouches for its native handle.
        let raw = unsafe { NativeRef::wrap(native as cl_program, owned) }?;
        Ok(Self::new(raw, context))
    }
}
