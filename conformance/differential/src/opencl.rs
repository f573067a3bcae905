// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kernels on Intel's OpenCL driver for CPUs.

use std::ffi::{CStr, c_char, c_void};
use std::path::{Path, PathBuf};
use std::ptr::{null, null_mut};

use libloading::Library;
use opencl_sys::*;

use crate::data::Data;
use crate::range::Range;

/// The folder of the driver and of its `libOpenCL.so.1`.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/env/v2026.2/lib")
}

macro_rules! functions {
    ($($name:ident($($ty:ty),*) -> $result:ty,)*) => {
        /// The functions that are called here.
        #[allow(non_snake_case, reason = "functions have their C names")]
        struct Functions { $($name: unsafe extern "C" fn($($ty),*) -> $result,)* }

        impl Functions {
            fn load(library: &Library) -> Result<Self, libloading::Error> {
                Ok(Self { $(
                    // SAFETY: each symbol is the OpenCL function of its name, whose type this is.
                    $name: unsafe { *library.get(concat!(stringify!($name), "\0").as_bytes())? },
                )* })
            }
        }
    };
}

type Notify = Option<unsafe extern "C" fn(*const c_char, *const c_void, usize, *mut c_void)>;

functions! {
    clGetPlatformIDs(cl_uint, *mut cl_platform_id, *mut cl_uint) -> cl_int,
    clGetDeviceIDs(cl_platform_id, u64, cl_uint, *mut cl_device_id, *mut cl_uint) -> cl_int,
    clCreateContext(*const isize, cl_uint, *const cl_device_id, Notify, *mut c_void, *mut cl_int) -> cl_context,
    clCreateCommandQueueWithProperties(cl_context, cl_device_id, *const u64, *mut cl_int) -> cl_command_queue,
    clCreateProgramWithIL(cl_context, *const c_void, usize, *mut cl_int) -> cl_program,
    clBuildProgram(cl_program, cl_uint, *const cl_device_id, *const c_char, *const c_void, *mut c_void) -> cl_int,
    clGetProgramBuildInfo(cl_program, cl_device_id, cl_uint, usize, *mut c_void, *mut usize) -> cl_int,
    clCreateKernel(cl_program, *const c_char, *mut cl_int) -> cl_kernel,
    clSetKernelArg(cl_kernel, cl_uint, usize, *const c_void) -> cl_int,
    clCreateBuffer(cl_context, u64, usize, *mut c_void, *mut cl_int) -> cl_mem,
    clEnqueueNDRangeKernel(cl_command_queue, cl_kernel, cl_uint, *const usize, *const usize, *const usize, cl_uint,
        *const cl_event, *mut cl_event) -> cl_int,
    clEnqueueReadBuffer(cl_command_queue, cl_mem, cl_uint, usize, usize, *mut c_void, cl_uint, *const cl_event,
        *mut cl_event) -> cl_int,
    clReleaseMemObject(cl_mem) -> cl_int,
    clReleaseKernel(cl_kernel) -> cl_int,
    clReleaseProgram(cl_program) -> cl_int,
}

/// The driver with its first device.
pub struct Driver {
    cl: Functions,
    device: cl_device_id,
    context: cl_context,
    queue: cl_command_queue,
}

/// A kernel, until it is dropped.
pub struct Kernel<'d> {
    driver: &'d Driver,
    program: cl_program,
    kernel: cl_kernel,
}

fn check(what: &str, code: cl_int) -> Result<(), String> {
    if code == CL_SUCCESS {
        Ok(())
    } else {
        Err(format!("{what} gives {code}"))
    }
}

fn created<T>(what: &str, function: impl FnOnce(*mut cl_int) -> T) -> Result<T, String> {
    let mut code = CL_SUCCESS;
    let result = function(&mut code);
    check(what, code).map(|()| result)
}

impl Driver {
    /// Loads it.
    pub fn new() -> Result<Self, String> {
        // SAFETY: the initialisers of a well-behaved library.
        let library = unsafe { Library::new(folder().join("libOpenCL.so.1")) }.map_err(|e| e.to_string())?;
        let cl = Functions::load(&library).map_err(|e| e.to_string())?;
        // Its threads outlive this.
        std::mem::forget(library);
        let (mut platform, mut device) = (null_mut(), null_mut());
        // SAFETY: (this whole block) live handles, arrays as long as their counts, and places for results.
        unsafe {
            check("clGetPlatformIDs", (cl.clGetPlatformIDs)(1, &mut platform, null_mut()))?;
            check(
                "clGetDeviceIDs",
                (cl.clGetDeviceIDs)(platform, CL_DEVICE_TYPE_ALL, 1, &mut device, null_mut()),
            )?;
            let context = created("clCreateContext", |c| {
                (cl.clCreateContext)(null(), 1, &device, None, null_mut(), c)
            })?;
            let queue = created("clCreateCommandQueue", |c| {
                (cl.clCreateCommandQueueWithProperties)(context, device, null(), c)
            })?;
            Ok(Self {
                cl,
                device,
                context,
                queue,
            })
        }
    }

    /// The kernel `k` of a module.
    pub fn compile(&self, module: &[u8]) -> Result<Kernel<'_>, String> {
        let cl = &self.cl;
        // SAFETY: live handles, and the size of the module.
        unsafe {
            let il = module.as_ptr().cast();
            let program = created("clCreateProgramWithIL", |c| {
                (cl.clCreateProgramWithIL)(self.context, il, module.len(), c)
            })?;
            let mut made = Kernel {
                driver: self,
                program,
                kernel: null_mut(),
            };
            let built = (cl.clBuildProgram)(program, 1, &self.device, c"".as_ptr(), null(), null_mut());
            if built != CL_SUCCESS {
                let mut log = vec![0u8; 4096];
                let place = log.as_mut_ptr().cast();
                (cl.clGetProgramBuildInfo)(program, self.device, CL_PROGRAM_BUILD_LOG, log.len(), place, null_mut());
                let log = CStr::from_bytes_until_nul(&log).unwrap_or_default().to_string_lossy();
                return Err(format!("clBuildProgram gives {built}: {log}"));
            }
            made.kernel = created("clCreateKernel", |c| (cl.clCreateKernel)(program, c"k".as_ptr(), c))?;
            Ok(made)
        }
    }
}

impl Kernel<'_> {
    /// Runs it.
    pub fn run(&self, range: &Range, data: &mut Data) -> Result<(), String> {
        let (cl, driver) = (&self.driver.cl, self.driver);
        let mut memory = Vec::new();
        // SAFETY: live handles; sizes are those of what pointers lead to; all calls that take memory block.
        unsafe {
            for (i, buffer) in data.buffers.iter_mut().enumerate() {
                let (flags, place) = (CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, buffer.as_mut_ptr().cast());
                let size = size_of_val(buffer.as_slice());
                let made = created("clCreateBuffer", |c| {
                    (cl.clCreateBuffer)(driver.context, flags, size, place, c)
                })?;
                check(
                    "clSetKernelArg",
                    (cl.clSetKernelArg)(self.kernel, i as u32, 8, (&raw const made).cast()),
                )?;
                memory.push(made);
            }
            let rest = [&data.args[..], &data.n.to_ne_bytes()];
            for (i, value) in rest.into_iter().enumerate() {
                let index = (memory.len() + i) as u32;
                check(
                    "clSetKernelArg",
                    (cl.clSetKernelArg)(self.kernel, index, value.len(), value.as_ptr().cast()),
                )?;
            }
            let (global, dimensions) = (range.global(), range.dimensions as u32);
            let sizes = (range.offset.as_ptr(), global.as_ptr(), range.local.as_ptr());
            let queue = driver.queue;
            let done = (cl.clEnqueueNDRangeKernel)(
                queue,
                self.kernel,
                dimensions,
                sizes.0,
                sizes.1,
                sizes.2,
                0,
                null(),
                null_mut(),
            );
            check("clEnqueueNDRangeKernel", done)?;
            for (&from, to) in memory.iter().zip(&mut data.buffers) {
                let (size, place) = (size_of_val(to.as_slice()), to.as_mut_ptr().cast());
                let done = (cl.clEnqueueReadBuffer)(queue, from, CL_TRUE, 0, size, place, 0, null(), null_mut());
                check("clEnqueueReadBuffer", done)?;
                (cl.clReleaseMemObject)(from);
            }
        }
        Ok(())
    }
}

impl Drop for Kernel<'_> {
    fn drop(&mut self) {
        // SAFETY: live handles, but for a kernel that was not made.
        unsafe {
            if !self.kernel.is_null() {
                (self.driver.cl.clReleaseKernel)(self.kernel);
            }
            (self.driver.cl.clReleaseProgram)(self.program);
        }
    }
}
