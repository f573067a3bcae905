// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! OpenCL itself: the floor of every stack on it.

use std::convert::Infallible;
use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};

use libloading::Library;
use opencl_sys::*;

use crate::silent;
use crate::stack::{Commands, Failure, FourArgs, Kind, Launch, Line, Means, Stack};
use crate::threads::Shared;

macro_rules! functions {
    ($($name:ident: $ty:ty,)*) => {
        /// The functions that are called here.
        #[allow(non_snake_case, reason = "functions have their C names")]
        #[derive(Clone, Copy)]
        pub struct Functions { $($name: $ty,)* }

        impl Functions {
            fn load(library: &Library) -> Result<Self, Failure> {
                Ok(Self { $(
                    // SAFETY: each symbol is the OpenCL function of its name, whose type this is.
                    $name: unsafe { *library.get::<$ty>(concat!(stringify!($name), "\0").as_bytes())? },
                )* })
            }
        }
    };
}

type Global = unsafe extern "C" fn(
    cl_command_queue,
    cl_program,
    *const c_char,
    cl_bool,
    usize,
    usize,
    *mut c_void,
    cl_uint,
    *const cl_event,
    *mut cl_event,
) -> cl_int;
type Notify = Option<unsafe extern "C" fn(*const c_char, *const c_void, usize, *mut c_void)>;

functions! {
    clGetPlatformIDs: unsafe extern "C" fn(cl_uint, *mut cl_platform_id, *mut cl_uint) -> cl_int,
    clGetDeviceIDs: unsafe extern "C" fn(cl_platform_id, u64, cl_uint, *mut cl_device_id, *mut cl_uint) -> cl_int,
    clGetDeviceInfo: unsafe extern "C" fn(cl_device_id, cl_uint, usize, *mut c_void, *mut usize) -> cl_int,
    clCreateContext: unsafe extern "C" fn(*const isize, cl_uint, *const cl_device_id, Notify, *mut c_void, *mut cl_int)
        -> cl_context,
    clCreateCommandQueueWithProperties: unsafe extern "C" fn(cl_context, cl_device_id, *const u64, *mut cl_int)
        -> cl_command_queue,
    clCreateProgramWithSource: unsafe extern "C" fn(cl_context, cl_uint, *const *const c_char, *const usize, *mut cl_int)
        -> cl_program,
    clBuildProgram: unsafe extern "C" fn(cl_program, cl_uint, *const cl_device_id, *const c_char, *const c_void, *mut c_void)
        -> cl_int,
    clGetProgramInfo: unsafe extern "C" fn(cl_program, cl_uint, usize, *mut c_void, *mut usize) -> cl_int,
    clCreateKernel: unsafe extern "C" fn(cl_program, *const c_char, *mut cl_int) -> cl_kernel,
    clSetKernelArg: unsafe extern "C" fn(cl_kernel, cl_uint, usize, *const c_void) -> cl_int,
    clEnqueueNDRangeKernel: unsafe extern "C" fn(
        cl_command_queue, cl_kernel, cl_uint, *const usize, *const usize, *const usize, cl_uint, *const cl_event,
        *mut cl_event,
    ) -> cl_int,
    clEnqueueBarrierWithWaitList: unsafe extern "C" fn(cl_command_queue, cl_uint, *const cl_event, *mut cl_event)
        -> cl_int,
    clFinish: unsafe extern "C" fn(cl_command_queue) -> cl_int,
    clWaitForEvents: unsafe extern "C" fn(cl_uint, *const cl_event) -> cl_int,
    clRetainEvent: unsafe extern "C" fn(cl_event) -> cl_int,
    clReleaseEvent: unsafe extern "C" fn(cl_event) -> cl_int,
    clGetExtensionFunctionAddressForPlatform: unsafe extern "C" fn(cl_platform_id, *const c_char) -> *mut c_void,
}

/// The functions of Intel's extensions.
#[derive(Clone, Copy)]
struct Extensions {
    host_alloc: unsafe extern "C" fn(cl_context, *const u64, usize, cl_uint, *mut cl_int) -> *mut c_void,
    device_alloc:
        unsafe extern "C" fn(cl_context, cl_device_id, *const u64, usize, cl_uint, *mut cl_int) -> *mut c_void,
    shared_alloc:
        unsafe extern "C" fn(cl_context, cl_device_id, *const u64, usize, cl_uint, *mut cl_int) -> *mut c_void,
    free: unsafe extern "C" fn(cl_context, *mut c_void) -> cl_int,
    memcpy: unsafe extern "C" fn(
        cl_command_queue,
        cl_bool,
        *mut c_void,
        *const c_void,
        usize,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int,
    set_pointer: unsafe extern "C" fn(cl_kernel, cl_uint, *const c_void) -> cl_int,
    read_global: Global,
    write_global: Global,
}

/// A queue and the kernels that are launched on it.
struct Lane {
    queue: cl_command_queue,
    count_up: cl_kernel,
    multiply_add: cl_kernel,
}

/// OpenCL's first device, with what [`Stack`] asks for.
pub struct Raw {
    cl: Functions,
    ext: Extensions,
    device: cl_device_id,
    context: cl_context,
    program: cl_program,
    lanes: [Lane; 2],
}

fn check(code: cl_int) {
    assert_eq!(code, CL_SUCCESS, "an OpenCL function failed");
}

/// The result of a function that takes the place for an error code last.
fn created<T>(function: impl FnOnce(*mut cl_int) -> T) -> T {
    let mut code = CL_SUCCESS;
    let result = function(&mut code);
    check(code);
    result
}

impl Raw {
    /// Loads OpenCL from `library` and builds `source`.
    pub fn new(library: &Library, source: &str) -> Result<Self, Failure> {
        let cl = Functions::load(library)?;
        let (platform, device) = first_device(&cl)?;
        // SAFETY: (this whole block) live handles, arrays as long as their counts, and places for results.
        unsafe {
            let new_context = || created(|code| (cl.clCreateContext)(null(), 1, &device, None, null_mut(), code));
            let built = |context| {
                let text = source.as_ptr().cast();
                let program = created(|code| (cl.clCreateProgramWithSource)(context, 1, &text, &source.len(), code));
                let options = c"-cl-std=CL3.0".as_ptr();
                check((cl.clBuildProgram)(program, 1, &device, options, null(), null_mut()));
                program
            };
            let lane = |context, program| {
                let kernel = |name: &CStr| created(|code| (cl.clCreateKernel)(program, name.as_ptr(), code));
                Lane {
                    queue: created(|code| (cl.clCreateCommandQueueWithProperties)(context, device, null(), code)),
                    count_up: kernel(c"count_up"),
                    multiply_add: kernel(c"multiply_add"),
                }
            };
            let context = new_context();
            let program = built(context);
            // As with the stacks above it: the driver takes longer to set pointers to memory of the kernel's context.
            let apart = silent::contexts(device, new_context);
            let silent = lane(apart, built(apart));
            let ext = Extensions {
                host_alloc: extension(&cl, platform, c"clHostMemAllocINTEL")?,
                device_alloc: extension(&cl, platform, c"clDeviceMemAllocINTEL")?,
                shared_alloc: extension(&cl, platform, c"clSharedMemAllocINTEL")?,
                free: extension(&cl, platform, c"clMemBlockingFreeINTEL")?,
                memcpy: extension(&cl, platform, c"clEnqueueMemcpyINTEL")?,
                set_pointer: extension(&cl, platform, c"clSetKernelArgMemPointerINTEL")?,
                read_global: extension(&cl, platform, c"clEnqueueReadGlobalVariableINTEL")?,
                write_global: extension(&cl, platform, c"clEnqueueWriteGlobalVariableINTEL")?,
            };
            Ok(Self {
                cl,
                ext,
                device,
                context,
                program,
                lanes: [lane(context, program), silent],
            })
        }
    }

    /// What the driver made of the program: the other stacks run the same code.
    pub fn binary(&self) -> Vec<u8> {
        let mut size = 0usize;
        // SAFETY: a live program with one device, places of the right sizes.
        unsafe {
            let place = (&raw mut size).cast();
            check((self.cl.clGetProgramInfo)(
                self.program,
                CL_PROGRAM_BINARY_SIZES,
                size_of_val(&size),
                place,
                null_mut(),
            ));
            let mut binary = vec![0u8; size];
            let mut pointer = binary.as_mut_ptr();
            let place = (&raw mut pointer).cast();
            check((self.cl.clGetProgramInfo)(
                self.program,
                CL_PROGRAM_BINARIES,
                size_of_val(&pointer),
                place,
                null_mut(),
            ));
            binary
        }
    }

    fn lane(&self, launch: Launch) -> &Lane {
        &self.lanes[usize::from(launch.silent)]
    }

    fn enqueue(&self, kernel: cl_kernel, launch: Launch) -> Option<cl_event> {
        let one = 1usize;
        let mut event = null_mut();
        // SAFETY: live handles and sizes of one dimension.
        check(unsafe {
            (self.cl.clEnqueueNDRangeKernel)(
                self.lane(launch).queue,
                kernel,
                1,
                null(),
                &one,
                if launch.local { &one } else { null() },
                0,
                null(),
                if launch.event { &mut event } else { null_mut() },
            )
        });
        launch.event.then_some(event)
    }
}

/// A function of the driver's.
///
/// # Safety
/// `F` must be the type of the function of that name.
unsafe fn extension<F: Copy>(cl: &Functions, platform: cl_platform_id, name: &CStr) -> Result<F, Failure> {
    assert_eq!(size_of::<F>(), size_of::<*mut c_void>(), "a pointer to a function");
    // SAFETY: a live platform and a string that ends with NUL.
    let found = unsafe { (cl.clGetExtensionFunctionAddressForPlatform)(platform, name.as_ptr()) };
    if found.is_null() {
        return Err(format!("the driver has no {name:?}").into());
    }
    // SAFETY: a function's address, and its type by the caller's promise.
    Ok(unsafe { std::mem::transmute_copy(&found) })
}

/// The first platform with a device, and that.
fn first_device(cl: &Functions) -> Result<(cl_platform_id, cl_device_id), Failure> {
    let (mut platform, mut device) = (null_mut(), null_mut());
    // SAFETY: places for one handle each.
    unsafe {
        if (cl.clGetPlatformIDs)(1, &mut platform, null_mut()) != CL_SUCCESS {
            return Err("OpenCL has no platform".into());
        }
        check((cl.clGetDeviceIDs)(
            platform,
            CL_DEVICE_TYPE_ALL,
            1,
            &mut device,
            null_mut(),
        ));
    }
    Ok((platform, device))
}

/// Platforms, devices and the first one's name: what a program does first.
pub fn discover(library: &Library) -> Result<usize, Failure> {
    let cl = Functions::load(library)?;
    let (_, device) = first_device(&cl)?;
    let mut name = [0u8; 256];
    // SAFETY: a live device and a place of that size.
    check(unsafe { (cl.clGetDeviceInfo)(device, CL_DEVICE_NAME, name.len(), name.as_mut_ptr().cast(), null_mut()) });
    Ok(enumerate(&cl))
}

fn enumerate(cl: &Functions) -> usize {
    let (mut platforms, mut devices) = ([null_mut(); 8], [null_mut(); 8]);
    let (mut count, mut found, mut all) = (0, 0, 0);
    // SAFETY: as in UR, the number first and then as many handles; the places have room for eight.
    unsafe {
        check((cl.clGetPlatformIDs)(0, null_mut(), &mut count));
        check((cl.clGetPlatformIDs)(count.min(8), platforms.as_mut_ptr(), null_mut()));
        for platform in &platforms[..count.min(8) as usize] {
            check((cl.clGetDeviceIDs)(
                *platform,
                CL_DEVICE_TYPE_ALL,
                0,
                null_mut(),
                &mut found,
            ));
            let place = devices.as_mut_ptr();
            check((cl.clGetDeviceIDs)(
                *platform,
                CL_DEVICE_TYPE_ALL,
                found.min(8),
                place,
                null_mut(),
            ));
            all += found as usize;
        }
    }
    all
}

/// What a thread submits launches with.
pub struct RawLine {
    cl: Functions,
    ext: Extensions,
    queue: cl_command_queue,
    kernel: cl_kernel,
}

// SAFETY: OpenCL's functions may be called from any thread, but for the arguments of a kernel, which is this line's.
unsafe impl Send for RawLine {}

impl Line for RawLine {
    fn launch(&self, args: FourArgs) {
        let Self { cl, ext, queue, kernel } = self;
        let (one, int) = (1usize, |value: &i32| std::ptr::from_ref(value).cast());
        // SAFETY: live handles, the arguments that the kernel expects, and sizes of one dimension.
        unsafe {
            check((ext.set_pointer)(*kernel, 0, args.out));
            check((ext.set_pointer)(*kernel, 1, args.input));
            check((cl.clSetKernelArg)(*kernel, 2, size_of::<i32>(), int(&args.factor)));
            check((cl.clSetKernelArg)(*kernel, 3, size_of::<i32>(), int(&args.summand)));
            check((cl.clEnqueueNDRangeKernel)(
                *queue,
                *kernel,
                1,
                null(),
                &one,
                &one,
                0,
                null(),
                null_mut(),
            ));
        }
    }

    fn finish(&self) {
        // SAFETY: a live queue.
        check(unsafe { (self.cl.clFinish)(self.queue) });
    }
}

impl Stack for Raw {
    type Line = RawLine;
    type Event = cl_event;
    // Those of cl_khr_command_buffer, which the drivers of CPUs do not have.
    type Recording = Infallible;

    fn title(&self) -> &str {
        "OpenCL"
    }

    fn launch(&self, launch: Launch) -> Option<cl_event> {
        self.enqueue(self.lane(launch).count_up, launch)
    }

    fn launch_four(&self, launch: Launch, args: FourArgs) -> Option<cl_event> {
        let kernel = self.lane(launch).multiply_add;
        let int = |value: &i32| std::ptr::from_ref(value).cast();
        // SAFETY: a live kernel and the arguments that it expects.
        unsafe {
            check((self.ext.set_pointer)(kernel, 0, args.out));
            check((self.ext.set_pointer)(kernel, 1, args.input));
            check((self.cl.clSetKernelArg)(kernel, 2, size_of::<i32>(), int(&args.factor)));
            check((self.cl.clSetKernelArg)(
                kernel,
                3,
                size_of::<i32>(),
                int(&args.summand),
            ));
        }
        self.enqueue(kernel, launch)
    }

    fn record(&self, _means: Means, _count: u32, _args: FourArgs) -> Option<Infallible> {
        None
    }

    fn append(&self, _commands: Commands, _count: u32, _args: FourArgs) -> Option<Infallible> {
        None
    }

    fn finalize(&self, recording: &Infallible) {
        match *recording {}
    }

    fn lines(&self, threads: usize, shared: Shared) -> Vec<RawLine> {
        let Self { cl, ext, .. } = *self;
        // SAFETY: live handles and places for results. The objects stay, as all of this stack do.
        let queue = || unsafe {
            created(|code| (cl.clCreateCommandQueueWithProperties)(self.context, self.device, null(), code))
        };
        let one = (shared == Shared::Queue).then(queue);
        let line = |_| RawLine {
            cl,
            ext,
            queue: one.unwrap_or_else(queue),
            // SAFETY: as above.
            kernel: created(|code| unsafe { (cl.clCreateKernel)(self.program, c"multiply_add".as_ptr(), code) }),
        };
        (0..threads).map(line).collect()
    }

    fn replay(&self, recording: &Infallible) {
        match *recording {}
    }

    fn update(&self, recording: &Infallible, _summand: i32) {
        match *recording {}
    }

    fn barrier(&self) -> cl_event {
        let mut event = null_mut();
        // SAFETY: a live queue and a place for the event.
        check(unsafe { (self.cl.clEnqueueBarrierWithWaitList)(self.lanes[0].queue, 0, null(), &mut event) });
        event
    }

    fn finish(&self) {
        // SAFETY: a live queue.
        check(unsafe { (self.cl.clFinish)(self.lanes[0].queue) });
    }

    fn wait(&self, event: cl_event) {
        // SAFETY: a live event.
        check(unsafe { (self.cl.clWaitForEvents)(1, &event) });
    }

    fn retain(&self, event: cl_event) {
        // SAFETY: a live event.
        check(unsafe { (self.cl.clRetainEvent)(event) });
    }

    fn release(&self, event: cl_event) {
        // SAFETY: a live event.
        check(unsafe { (self.cl.clReleaseEvent)(event) });
    }

    fn memcpy(&self, to: *mut c_void, from: *const c_void, size: usize) {
        // SAFETY: a live queue; the caller vouches for the memory.
        check(unsafe { (self.ext.memcpy)(self.lanes[0].queue, CL_TRUE, to, from, size, 0, null(), null_mut()) });
    }

    fn alloc(&self, kind: Kind, size: usize, _pool: bool) -> *mut c_void {
        let (context, device, ext) = (self.context, self.device, &self.ext);
        // SAFETY: live handles.
        created(|code| unsafe {
            match kind {
                Kind::Device => (ext.device_alloc)(context, device, null(), size, 0, code),
                Kind::Shared => (ext.shared_alloc)(context, device, null(), size, 0, code),
                Kind::Host => (ext.host_alloc)(context, null(), size, 0, code),
            }
        })
    }

    fn free(&self, memory: *mut c_void) {
        // SAFETY: memory of this context that nothing uses.
        check(unsafe { (self.ext.free)(self.context, memory) });
    }

    fn has_pool(&self) -> bool {
        true
    }

    fn read_global(&self, name: &CStr, to: &mut [i32]) {
        let (queue, size, place) = (self.lanes[0].queue, size_of_val(to), to.as_mut_ptr().cast());
        // SAFETY: live handles; the call blocks until the slice is written.
        check(unsafe {
            (self.ext.read_global)(
                queue,
                self.program,
                name.as_ptr(),
                CL_TRUE,
                size,
                0,
                place,
                0,
                null(),
                null_mut(),
            )
        });
    }

    fn write_global(&self, name: &CStr, from: &[i32]) {
        let (queue, size, place) = (self.lanes[0].queue, size_of_val(from), from.as_ptr().cast_mut().cast());
        // SAFETY: live handles; the call blocks until the slice is read, and only reads it.
        check(unsafe {
            (self.ext.write_global)(
                queue,
                self.program,
                name.as_ptr(),
                CL_TRUE,
                size,
                0,
                place,
                0,
                null(),
                null_mut(),
            )
        });
    }

    fn enumerate(&self) -> usize {
        enumerate(&self.cl)
    }

    fn compute_units(&self) -> u32 {
        let mut units = 0u32;
        let place = (&raw mut units).cast();
        // SAFETY: a live device and a place of that size.
        check(unsafe { (self.cl.clGetDeviceInfo)(self.device, CL_DEVICE_MAX_COMPUTE_UNITS, 4, place, null_mut()) });
        units
    }

    fn name(&self, buffer: &mut [u8]) -> usize {
        let (mut size, place) = (0, buffer.as_mut_ptr().cast());
        // SAFETY: a live device and a place of that size.
        check(unsafe { (self.cl.clGetDeviceInfo)(self.device, CL_DEVICE_NAME, buffer.len(), place, &mut size) });
        size
    }
}
