// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A driver that does nothing: what is left of a launch is what the layers above the driver add.
//!
//! By `cl_khr_icd` every OpenCL object starts with the address of its driver's table of functions, and the functions of
//! `libOpenCL.so.1` are jumps through it. [`contexts`] has a device make contexts with another table: launches, arguments
//! and events of what is made in them do nothing. (Nobody is asked for a native handle for that: who gives one away has to
//! reckon with others who use it.) The driver's scheduler is what makes figures noisy; without it a few nanoseconds can be
//! told apart.

use std::cell::Cell;
use std::ffi::{c_char, c_void};
use std::mem::transmute;
use std::sync::OnceLock;

use opencl_sys::*;

/// The length of the table of OpenCL 3.0, and places in it.
const LENGTH: usize = 149;
const CREATE_CONTEXT: usize = 4;
const CREATE_COMMAND_QUEUE: usize = 9;
const CREATE_PROGRAM_WITH_SOURCE: usize = 26;
const CREATE_PROGRAM_WITH_BINARY: usize = 27;
const CREATE_KERNEL: usize = 34;
const SET_KERNEL_ARG: usize = 38;
const WAIT_FOR_EVENTS: usize = 41;
const RETAIN_EVENT: usize = 43;
const RELEASE_EVENT: usize = 44;
const ENQUEUE_ND_RANGE_KERNEL: usize = 59;
const CREATE_COMMAND_QUEUE_WITH_PROPERTIES: usize = 123;

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
/// The driver's own table.
static DRIVER: OnceLock<Table> = OnceLock::new();

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

/// Functions that make objects as the driver does, but with the table of this module.
macro_rules! creates {
    ($( fn $name:ident = $place:ident($($p:ident: $ty:ty),*); )*) => { $(
        unsafe extern "C" fn $name($($p: $ty,)* code: *mut cl_int) -> *mut c_void {
            type Create = unsafe extern "C" fn($($ty,)* *mut cl_int) -> *mut c_void;
            let driver = DRIVER.get().expect("known since `contexts`");
            // SAFETY: the function in this place of the table.
            let create: Create = unsafe { transmute(driver[$place]) };
            // SAFETY: the caller's parameters; the object is new, so nobody else knows it.
            unsafe {
                let object = create($($p,)* code).cast::<Object>();
                if let Some(object) = object.as_mut() {
                    object.table = EVENT.get().expect("made by `contexts`").table;
                }
                object.cast()
            }
        }
    )* };
}

type Notify = Option<unsafe extern "C" fn(*const c_char, *const c_void, usize, *mut c_void)>;

creates! {
    fn create_context = CREATE_CONTEXT(
        properties: *const isize, count: cl_uint, devices: *const cl_device_id, notify: Notify, data: *mut c_void
    );
    fn create_queue = CREATE_COMMAND_QUEUE(context: cl_context, device: cl_device_id, properties: u64);
    fn create_queue_with_properties = CREATE_COMMAND_QUEUE_WITH_PROPERTIES(
        context: cl_context, device: cl_device_id, properties: *const u64
    );
    fn create_program = CREATE_PROGRAM_WITH_SOURCE(
        context: cl_context, count: cl_uint, strings: *const *const c_char, lengths: *const usize
    );
    fn create_program_with_binary = CREATE_PROGRAM_WITH_BINARY(
        context: cl_context, count: cl_uint, devices: *const cl_device_id, lengths: *const usize,
        binaries: *const *const u8, status: *mut cl_int
    );
    fn create_kernel = CREATE_KERNEL(program: cl_program, name: *const c_char);
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

/// Runs `make`, and has the driver do nothing in the contexts of the device that this makes.
///
/// # Safety
/// `device` must be a live OpenCL device of a driver that implements `cl_khr_icd` and OpenCL 3.0, the same one at each
/// call, and no other thread may use it meanwhile.
pub unsafe fn contexts<T>(device: *mut c_void, make: impl FnOnce() -> T) -> T {
    let device = device.cast::<Object>();
    let event = EVENT.get_or_init(|| {
        // SAFETY: the caller's promise: the object starts with the address of a table of this length.
        let mut table = *DRIVER.get_or_init(|| unsafe { *(*device).table });
        table[CREATE_CONTEXT] = Function(create_context as *const c_void);
        table[CREATE_COMMAND_QUEUE] = Function(create_queue as *const c_void);
        table[CREATE_COMMAND_QUEUE_WITH_PROPERTIES] = Function(create_queue_with_properties as *const c_void);
        table[CREATE_PROGRAM_WITH_SOURCE] = Function(create_program as *const c_void);
        table[CREATE_PROGRAM_WITH_BINARY] = Function(create_program_with_binary as *const c_void);
        table[CREATE_KERNEL] = Function(create_kernel as *const c_void);
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
    unsafe {
        let own = std::mem::replace(&mut (*device).table, event.table);
        let made = make();
        (*device).table = own;
        made
    }
}
