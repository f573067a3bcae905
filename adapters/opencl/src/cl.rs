// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! OpenCL itself: the ICD loader, found at run time, and calls of functions with errors as errors.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use kit::{CountedObject, NativeObject, NativeRef, UrError, UrResult};
use opencl_sys::*;
use oxur_adapter_kit as kit;
use oxur_fork::{AtFork, OnceLock};

use crate::conv;
use crate::functions::Api;

/// The functions, once they are loaded; until then none.
static API: AtomicPtr<Api> = AtomicPtr::new((&raw const NOTHING).cast_mut());
static NOTHING: Api = Api::NONE;

/// OpenCL, or why there is none.
pub fn load() -> Result<&'static Api, &'static str> {
    static LOADED: OnceLock<Result<&'static Api, String>> = OnceLock::new();
    let loaded = LOADED.get_or_init(|| {
        let library = kit::icd_loader::open()?;
        let api = Box::leak(Box::new(Api::of(&library)));
        // Drivers have threads of their own: the library stays for the life of the process.
        std::mem::forget(library);
        API.store(api, Ordering::Release);
        Ok(api)
    });
    loaded.as_deref().map_err(|message| &**message)
}

/// OpenCL, for code that runs only when there is an object of it. A pointer and not `load`, because every call comes here.
#[inline]
pub fn api() -> &'static Api {
    // SAFETY: `NOTHING`, or the functions that `load` leaked.
    unsafe { &*API.load(Ordering::Acquire) }
}

/// Whether the driver is one of the process that this one was forked from.
static LOST: AtomicBool = AtomicBool::new(false);

/// Tells of forks.
struct InUse;

impl AtFork for InUse {
    fn in_child(&self) {
        // Its threads are not here, and they may have held its locks: a call might never return.
        LOST.store(true, Ordering::Relaxed);
        API.store((&raw const NOTHING).cast_mut(), Ordering::Release);
    }
}

/// Takes note that the driver has begun to work, and by that has threads. Children of `fork` must not call it any more; those
/// of a process that has only looked at its devices may.
pub fn note_use() {
    static IN_USE: OnceLock<Arc<InUse>> = OnceLock::new();
    IN_USE.get_or_init(|| {
        let in_use = Arc::new(InUse);
        oxur_fork::register(&in_use);
        in_use
    });
}

/// Whether the driver must not be called: see [`note_use`].
#[inline(always)]
pub fn is_lost() -> bool {
    LOST.load(Ordering::Relaxed)
}

/// Calls a function that returns an error code: `cl!(clFlush(queue))`, or `cl!(extensions, clMemFreeINTEL(context, address))`.
/// The code around it must be `unsafe`.
macro_rules! cl {
    ($name:ident($($arg:expr),* $(,)?)) => {
        match $crate::cl::api().$name {
            Some(function) => $crate::cl::check(stringify!($name), function($($arg),*)),
            None => Err($crate::cl::missing(stringify!($name))),
        }
    };
    ($extensions:expr, $name:ident($($arg:expr),* $(,)?)) => {
        match $extensions.$name {
            Some(function) if !$crate::cl::is_lost() => $crate::cl::check(stringify!($name), function($($arg),*)),
            _ => Err($crate::cl::missing(stringify!($name))),
        }
    };
}
pub(crate) use cl;

/// As [`cl`], for a function that returns a pointer and takes the place for an error code last.
macro_rules! cl_get {
    ($name:ident($($arg:expr),* $(,)?)) => {
        $crate::cl::cl_get!($crate::cl::api(), $name($($arg),*))
    };
    ($table:expr, $name:ident($($arg:expr),* $(,)?)) => {
        match $table.$name {
            Some(function) if !$crate::cl::is_lost() => {
                $crate::cl::with_code(stringify!($name), |code| function($($arg,)* code))
            }
            _ => Err($crate::cl::missing(stringify!($name))),
        }
    };
}
pub(crate) use cl_get;

/// As [`cl_get`], for a function that makes an object; its reference is the caller's.
macro_rules! cl_create {
    ($($call:tt)*) => {
        $crate::cl::cl_get!($($call)*).map(|object| oxur_adapter_kit::NativeRef::new(object))
    };
}
pub(crate) use cl_create;

/// Turns an OpenCL error code into a UR error.
pub fn check(function: &'static str, code: cl_int) -> UrResult<()> {
    if code == CL_SUCCESS {
        Ok(())
    } else {
        Err(failed(function, code))
    }
}

/// The result of a call that writes an error code.
#[inline(always)]
pub fn with_code<P>(function: &'static str, call: impl FnOnce(&mut cl_int) -> P) -> UrResult<P> {
    let mut code = CL_SUCCESS;
    let result = call(&mut code);
    check(function, code).map(|()| result)
}

/// A C function for what that promises its callers: that it does not unwind. Most of them then need nothing for that case.
#[cold]
#[allow(improper_ctypes_definitions, reason = "only Rust calls it")]
extern "C" fn failed(function: &'static str, code: cl_int) -> UrError {
    let name = conv::error_name(code).unwrap_or("an error unknown to this adapter");
    let message = format!("{function} returned {name} ({code})");
    match conv::error_result(code) {
        Some(result) => UrError::with_message(result, message),
        None => UrError::native(code, message),
    }
}

/// The error of a function that this OpenCL does not have, or has no more.
#[cold]
#[allow(improper_ctypes_definitions, reason = "as above")]
pub extern "C" fn missing(function: &'static str) -> UrError {
    if is_lost() {
        return kit::error!(
            ERROR_DEVICE_LOST:
                "{function} is not called: the process was forked when the driver was in use, and has none of its \
                 threads"
        );
    }
    kit::error!(ERROR_UNSUPPORTED_FEATURE: "the OpenCL library or driver has no {function}: a newer one is needed")
}

/// The question that [`value`], [`array()`], [`string`] and [`handles`] ask: a function as [`cl`] takes it, without its last three
/// parameters. The code around it must be `unsafe`: the rest must be as OpenCL demands.
macro_rules! query {
    ($name:ident($($arg:expr),*)) => {
        |size, value, needed| $crate::cl::cl!($name($($arg,)* size, value, needed))
    };
    ($extensions:expr, $name:ident($($arg:expr),*)) => {
        |size, value, needed| $crate::cl::cl!($extensions, $name($($arg,)* size, value, needed))
    };
}
pub(crate) use query;

/// The raw bytes of the answer to a query that `ask(size, value, size_ret)` makes.
pub fn bytes(ask: impl Fn(usize, *mut c_void, *mut usize) -> UrResult<()>) -> UrResult<Vec<u8>> {
    let mut size = 0;
    ask(0, std::ptr::null_mut(), &mut size)?;
    let mut value = vec![0u8; size];
    if size != 0 {
        ask(size, value.as_mut_ptr().cast(), std::ptr::null_mut())?;
    }
    Ok(value)
}

/// A value that OpenCL writes: numbers, handles and structures of them.
///
/// # Safety
/// Every bit pattern of the type's size is a value of it.
pub unsafe trait Plain: Copy {}

macro_rules! plain {
    ($($ty:ty),*) => { $(
        // SAFETY: an integer, a pointer, or a C structure of them.
        unsafe impl Plain for $ty {}
    )* };
}
plain!(
    u8,
    u32,
    i32,
    u64,
    usize,
    isize,
    *mut c_void,
    [usize; 3],
    [u8; 16],
    [u8; 8],
    cl_image_format,
    cl_name_version
);

/// A fixed-size answer.
pub fn value<T: Plain>(ask: impl Fn(usize, *mut c_void, *mut usize) -> UrResult<()>) -> UrResult<T> {
    let mut value = std::mem::MaybeUninit::<T>::zeroed();
    ask(size_of::<T>(), value.as_mut_ptr().cast(), std::ptr::null_mut())?;
    // SAFETY: zeroed, then written by OpenCL; `Plain` says that any bytes are a value.
    Ok(unsafe { value.assume_init() })
}

/// An answer that is an array.
pub fn array<T: Plain>(ask: impl Fn(usize, *mut c_void, *mut usize) -> UrResult<()>) -> UrResult<Vec<T>> {
    let bytes = bytes(ask)?;
    let mut values = Vec::with_capacity(bytes.len() / size_of::<T>());
    for chunk in bytes.chunks_exact(size_of::<T>()) {
        // SAFETY: the chunk has the type's size, and `Plain` says that any bytes are a value.
        values.push(unsafe { chunk.as_ptr().cast::<T>().read_unaligned() });
    }
    Ok(values)
}

/// An answer that is a string, without the terminating zero.
pub fn string(ask: impl Fn(usize, *mut c_void, *mut usize) -> UrResult<()>) -> UrResult<String> {
    let bytes = bytes(ask)?;
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    Ok(String::from_utf8_lossy(&bytes[..end]).into_owned())
}

/// The handles that `list(capacity, array, count)` gives.
pub fn handles(list: impl Fn(cl_uint, *mut *mut c_void, *mut cl_uint) -> UrResult<()>) -> UrResult<Vec<*mut c_void>> {
    let mut count = 0;
    list(0, std::ptr::null_mut(), &mut count)?;
    let mut handles = vec![std::ptr::null_mut(); count as usize];
    if count != 0 {
        list(count, handles.as_mut_ptr(), std::ptr::null_mut())?;
    }
    Ok(handles)
}

/// A list of properties, each with a value, that a zero ends.
#[derive(Default)]
pub struct Properties {
    list: [cl_properties; 2 * Self::MOST + 1],
    used: usize,
}

impl Properties {
    const MOST: usize = 3;

    /// Adds one.
    pub fn add(&mut self, name: impl Into<cl_properties>, value: impl Into<cl_properties>) -> &mut Self {
        self.list[self.used..self.used + 2].copy_from_slice(&[name.into(), value.into()]);
        self.used += 2;
        self
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// The list; null if it is empty.
    pub fn as_ptr(&self) -> *const cl_properties {
        if self.is_empty() {
            std::ptr::null()
        } else {
            self.list.as_ptr()
        }
    }
}

/// Queries of an object.
pub trait Ask {
    /// OpenCL's function for them.
    ///
    /// # Safety
    /// Places for a value of `size` bytes and for a size, or null.
    unsafe fn info(&self, what: cl_uint, size: usize, value: *mut c_void, needed: *mut usize) -> UrResult<()>;

    /// As [`value`].
    fn ask<V: Plain>(&self, what: cl_uint) -> UrResult<V> {
        // SAFETY: the pointers are those of `value`.
        value(|size, value, needed| unsafe { self.info(what, size, value, needed) })
    }

    /// As [`array()`].
    fn ask_array<V: Plain>(&self, what: cl_uint) -> UrResult<Vec<V>> {
        // SAFETY: the pointers are those of `array`.
        array(|size, value, needed| unsafe { self.info(what, size, value, needed) })
    }

    /// As [`string`].
    fn ask_string(&self, what: cl_uint) -> UrResult<String> {
        // SAFETY: the pointers are those of `string`.
        string(|size, value, needed| unsafe { self.info(what, size, value, needed) })
    }
}

macro_rules! objects {
    ($( $(#[$doc:meta])* $kind:ident: $handle:ty, $name:literal, $retain:ident, $release:ident, $info:ident; )*) => { $(
        $(#[$doc])*
        pub enum $kind {}

        // SAFETY: OpenCL's functions may be called from any thread. `clSetKernelArg` is the exception, and `Kernel` has a lock.
        unsafe impl NativeObject for $kind {
            type Handle = $handle;
            const NAME: &'static str = $name;

            #[inline]
            unsafe fn release(handle: $handle) -> UrResult<()> {
                // SAFETY: passed on to the caller.
                unsafe { cl!($release(handle)) }
            }
        }

        // SAFETY: OpenCL counts references.
        unsafe impl CountedObject for $kind {
            unsafe fn retain(handle: $handle) -> UrResult<()> {
                // SAFETY: passed on to the caller.
                unsafe { cl!($retain(handle)) }
            }
        }

        impl Ask for NativeRef<$kind> {
            unsafe fn info(&self, what: cl_uint, size: usize, value: *mut c_void, needed: *mut usize) -> UrResult<()> {
                // SAFETY: a live object; the rest is passed on to the caller.
                unsafe { cl!($info(**self, what, size, value, needed)) }
            }
        }
    )* };
}

objects! {
    /// Sub-devices: root devices have no references.
    DeviceObject: cl_device_id, "a sub-device", clRetainDevice, clReleaseDevice, clGetDeviceInfo;
    /// Contexts.
    ContextObject: cl_context, "a context", clRetainContext, clReleaseContext, clGetContextInfo;
    /// Queues.
    QueueObject: cl_command_queue, "a queue", clRetainCommandQueue, clReleaseCommandQueue, clGetCommandQueueInfo;
    /// Events.
    EventObject: cl_event, "an event", clRetainEvent, clReleaseEvent, clGetEventInfo;
    /// Buffers and images.
    MemObject: cl_mem, "a memory object", clRetainMemObject, clReleaseMemObject, clGetMemObjectInfo;
    /// Samplers.
    SamplerObject: cl_sampler, "a sampler", clRetainSampler, clReleaseSampler, clGetSamplerInfo;
    /// Programs.
    ProgramObject: cl_program, "a program", clRetainProgram, clReleaseProgram, clGetProgramInfo;
    /// Kernels.
    KernelObject: cl_kernel, "a kernel", clRetainKernel, clReleaseKernel, clGetKernelInfo;
}
