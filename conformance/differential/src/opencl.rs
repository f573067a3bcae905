// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kernels on Intel's OpenCL driver for CPUs.

use std::ffi::{CStr, CString, c_char, c_void};
use std::path::{Path, PathBuf};
use std::ptr::{null, null_mut};

use libloading::Library;
use opencl_sys::*;

use crate::launch::Argument;
use crate::range::Range;

/// Whether the driver is there, and `DRIVER` is not `none`.
pub fn is_available() -> bool {
    std::env::var("DRIVER").as_deref() != Ok("none") && folder().exists()
}

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
    clCompileProgram(cl_program, cl_uint, *const cl_device_id, *const c_char, cl_uint, *const cl_program,
        *const *const c_char, *const c_void, *mut c_void) -> cl_int,
    clLinkProgram(cl_context, cl_uint, *const cl_device_id, *const c_char, cl_uint, *const cl_program, *const c_void,
        *mut c_void, *mut cl_int) -> cl_program,
    clGetProgramBuildInfo(cl_program, cl_device_id, cl_uint, usize, *mut c_void, *mut usize) -> cl_int,
    clCreateKernel(cl_program, *const c_char, *mut cl_int) -> cl_kernel,
    clGetKernelWorkGroupInfo(cl_kernel, cl_device_id, cl_uint, usize, *mut c_void, *mut usize) -> cl_int,
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

/// A program that is built, until it is dropped.
pub struct Program<'d> {
    driver: &'d Driver,
    program: cl_program,
}

/// A kernel, until it is dropped.
pub struct Kernel<'d> {
    driver: &'d Driver,
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

    /// The program of a module, or of several that are linked, built with these options and those of `INTEL_OPTIONS`.
    pub fn build(&self, modules: &[&[u8]], options: &str) -> Result<Program<'_>, String> {
        let cl = &self.cl;
        let options = format!("{options} {}", std::env::var("INTEL_OPTIONS").unwrap_or_default());
        let options = CString::new(options).map_err(|e| format!("INTEL_OPTIONS: {e}"))?;
        let mut programs = Vec::new();
        // SAFETY: live handles, and the size of each module.
        unsafe {
            for module in modules {
                let program = created("clCreateProgramWithIL", |c| {
                    (cl.clCreateProgramWithIL)(self.context, module.as_ptr().cast(), module.len(), c)
                })?;
                programs.push(Program { driver: self, program });
            }
            if let [single] = programs.as_slice() {
                let built = (cl.clBuildProgram)(single.program, 1, &self.device, options.as_ptr(), null(), null_mut());
                self.check_build("clBuildProgram", built, single.program)?;
                return programs.pop().ok_or_else(String::new);
            }
            for Program { program, .. } in &programs {
                let (device, none) = (&raw const self.device, null_mut());
                let made =
                    (cl.clCompileProgram)(*program, 1, device, options.as_ptr(), 0, null(), null(), null(), none);
                self.check_build("clCompileProgram", made, *program)?;
            }
            let parts: Vec<cl_program> = programs.iter().map(|p| p.program).collect();
            let (device, count) = (&raw const self.device, parts.len() as u32);
            let program = created("clLinkProgram", |c| {
                (cl.clLinkProgram)(
                    self.context,
                    1,
                    device,
                    c"".as_ptr(),
                    count,
                    parts.as_ptr(),
                    null(),
                    null_mut(),
                    c,
                )
            })?;
            Ok(Program { driver: self, program })
        }
    }

    /// An error with what the driver's compiler says.
    fn check_build(&self, what: &str, code: cl_int, program: cl_program) -> Result<(), String> {
        if code == CL_SUCCESS {
            return Ok(());
        }
        let mut log = vec![0u8; 4096];
        let (size, place) = (log.len(), log.as_mut_ptr().cast());
        // SAFETY: live handles, and a place of that size.
        unsafe { (self.cl.clGetProgramBuildInfo)(program, self.device, CL_PROGRAM_BUILD_LOG, size, place, null_mut()) };
        let log = CStr::from_bytes_until_nul(&log).unwrap_or_default().to_string_lossy();
        Err(format!("{what} gives {code}: {log}"))
    }
}

impl<'d> Program<'d> {
    /// A kernel of it.
    pub fn kernel(&self, name: &str) -> Result<Kernel<'d>, String> {
        let name = CString::new(name).map_err(|e| e.to_string())?;
        let driver = self.driver;
        // SAFETY: live handles.
        let kernel = created("clCreateKernel", |c| unsafe {
            (driver.cl.clCreateKernel)(self.program, name.as_ptr(), c)
        })?;
        Ok(Kernel { driver, kernel })
    }
}

impl Kernel<'_> {
    /// Whether the driver has room for groups as large.
    pub fn takes(&self, range: &Range) -> bool {
        let mut most = 0usize;
        let place = (&raw mut most).cast();
        let (cl, device) = (&self.driver.cl, self.driver.device);
        // SAFETY: live handles, and a place for the result.
        let code = unsafe {
            (cl.clGetKernelWorkGroupInfo)(
                self.kernel,
                device,
                CL_KERNEL_WORK_GROUP_SIZE,
                size_of::<usize>(),
                place,
                null_mut(),
            )
        };
        code == CL_SUCCESS && range.group_size() <= most
    }

    /// Runs it.
    pub fn run(&self, range: &Range, arguments: &mut [Argument<'_>]) -> Result<(), String> {
        let (cl, driver) = (&self.driver.cl, self.driver);
        let mut memory = Vec::new();
        let set = |index: usize, size: usize, value: *const c_void| {
            // SAFETY: live handles; the callers below give the sizes of what their pointers lead to.
            let code = unsafe { (cl.clSetKernelArg)(self.kernel, index as u32, size, value) };
            check("clSetKernelArg", code)
        };
        // SAFETY: live handles; sizes are those of what pointers lead to; all calls that take memory block.
        unsafe {
            for (i, argument) in arguments.iter_mut().enumerate() {
                match argument {
                    Argument::Memory(words) => {
                        let (flags, size) = (CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size_of_val(*words));
                        let place = words.as_mut_ptr().cast();
                        let made = created("clCreateBuffer", |c| {
                            (cl.clCreateBuffer)(driver.context, flags, size, place, c)
                        })?;
                        memory.push((made, i));
                        set(i, 8, (&raw const made).cast())?;
                    }
                    Argument::Null => set(i, 8, (&raw const NULL).cast())?,
                    Argument::Value(bytes) => set(i, bytes.len(), bytes.as_ptr().cast())?,
                    Argument::Local(size) => set(i, *size, null())?,
                }
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
            for (from, i) in memory {
                if let Argument::Memory(words) = &mut arguments[i] {
                    let (size, place) = (size_of_val(*words), words.as_mut_ptr().cast());
                    let done = (cl.clEnqueueReadBuffer)(queue, from, CL_TRUE, 0, size, place, 0, null(), null_mut());
                    check("clEnqueueReadBuffer", done)?;
                }
                (cl.clReleaseMemObject)(from);
            }
        }
        Ok(())
    }
}

/// What an argument that is no memory points to.
static NULL: u64 = 0;

impl Drop for Program<'_> {
    fn drop(&mut self) {
        // SAFETY: a live handle.
        unsafe { (self.driver.cl.clReleaseProgram)(self.program) };
    }
}

impl Drop for Kernel<'_> {
    fn drop(&mut self) {
        // SAFETY: a live handle.
        unsafe { (self.driver.cl.clReleaseKernel)(self.kernel) };
    }
}
