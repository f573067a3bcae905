// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A driver that does nothing: what is left of a launch is what the layers above the driver add.
//!
//! By `cl_khr_icd` every OpenCL object starts with the address of its driver's table of functions, and the functions of
//! `libOpenCL.so.1` are jumps through it. [`silence`] gives single objects a table whose launches, arguments and events
//! do nothing. The driver's scheduler is what makes figures noisy; without it a few nanoseconds can be told apart.

use std::cell::Cell;
use std::ffi::c_void;
use std::sync::OnceLock;

use opencl_sys::*;

/// The length of the table of OpenCL 3.0, and places in it.
const LENGTH: usize = 149;
const SET_KERNEL_ARG: usize = 38;
const WAIT_FOR_EVENTS: usize = 41;
const RETAIN_EVENT: usize = 43;
const RELEASE_EVENT: usize = 44;
const ENQUEUE_ND_RANGE_KERNEL: usize = 59;

#[derive(Clone, Copy)]
#[repr(transparent)]
struct Function(*const c_void);

// SAFETY: the address of a function.
unsafe impl Send for Function {}
// SAFETY: as above.
unsafe impl Sync for Function {}

type Table = [Function; LENGTH];

/// An OpenCL object, as far as anybody but its driver knows.
#[repr(C)]
struct Object {
    table: *const Table,
}

// SAFETY: the tables are never changed.
unsafe impl Send for Object {}
// SAFETY: as above.
unsafe impl Sync for Object {}

static EVENT: OnceLock<Object> = OnceLock::new();

thread_local! {
    static LAUNCHES: Cell<u64> = const { Cell::new(0) };
    static EVENTS: Cell<i64> = const { Cell::new(0) };
}

/// How many launches did nothing, in this thread.
pub fn launches() -> u64 {
    LAUNCHES.get()
}

/// How many references to events are out, of those that this thread took and gave back.
pub fn events() -> i64 {
    EVENTS.get()
}

unsafe extern "C" fn launch(
    _: cl_command_queue,
    _: cl_kernel,
    _: cl_uint,
    _: *const usize,
    _: *const usize,
    _: *const usize,
    _: cl_uint,
    _: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    LAUNCHES.set(LAUNCHES.get() + 1);
    if !event.is_null() {
        EVENTS.set(EVENTS.get() + 1);
        let known = EVENT.get().map_or(std::ptr::null(), std::ptr::from_ref);
        // SAFETY: the caller's place for an event.
        unsafe { event.write(known.cast_mut().cast()) };
    }
    CL_SUCCESS
}

unsafe extern "C" fn set_arg(_: cl_kernel, _: cl_uint, _: usize, _: *const c_void) -> cl_int {
    CL_SUCCESS
}

unsafe extern "C" fn wait(_: cl_uint, _: *const cl_event) -> cl_int {
    CL_SUCCESS
}

unsafe extern "C" fn retain(_: cl_event) -> cl_int {
    EVENTS.set(EVENTS.get() + 1);
    CL_SUCCESS
}

unsafe extern "C" fn release(_: cl_event) -> cl_int {
    EVENTS.set(EVENTS.get() - 1);
    CL_SUCCESS
}

/// Makes the driver do nothing for these objects, queues and kernels.
///
/// # Safety
/// They must be live OpenCL objects of one driver that implements `cl_khr_icd` and OpenCL 3.0, and no other thread may
/// use them.
pub unsafe fn silence(objects: &[*mut c_void]) {
    for object in objects.iter().map(|object| object.cast::<Object>()) {
        let event = EVENT.get_or_init(|| {
            // SAFETY: the caller's promise: the object starts with the address of a table of this length.
            let mut table = unsafe { *(*object).table };
            table[SET_KERNEL_ARG] = Function(set_arg as *const c_void);
            table[WAIT_FOR_EVENTS] = Function(wait as *const c_void);
            table[RETAIN_EVENT] = Function(retain as *const c_void);
            table[RELEASE_EVENT] = Function(release as *const c_void);
            table[ENQUEUE_ND_RANGE_KERNEL] = Function(launch as *const c_void);
            Object {
                table: Box::leak(Box::new(table)),
            }
        });
        // SAFETY: as above; the new table is never freed.
        unsafe { (*object).table = event.table };
    }
}
