// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Handles that destroy themselves, keep what they were made of, and have methods for calls that must succeed.

use std::any::Any;
use std::ffi::{CString, c_char, c_void};
use std::fmt;
use std::ptr::{NonNull, null, null_mut};
use std::slice;
use std::sync::Arc;

use level_zero_sys::*;

use crate::rig::{FOREVER, Rig};
use crate::{assert_success, ok, ze};

/// Types that any bytes are a value of.
///
/// # Safety
///
/// Implementations have no padding and no invalid values.
pub unsafe trait Plain: Copy + 'static {}

macro_rules! plain {
    ($($ty:ty)*) => {$(
        // SAFETY: a primitive number, or an array of those.
        unsafe impl Plain for $ty {}
    )*};
}
plain! { u8 i8 u16 i16 u32 i32 u64 i64 f32 f64 [f32; 4] [u32; 4] [u32; 3] [u8; 4] }

struct Object<H: Copy> {
    handle: H,
    destroy: fn(H) -> ze_result_t,
    destructor: &'static str,
    _parent: Option<Arc<dyn Any>>,
}

// SAFETY: handles may be used by all threads; what may not be used by two at once is said by each function.
unsafe impl<H: Copy> Send for Object<H> {}
// SAFETY: as above.
unsafe impl<H: Copy> Sync for Object<H> {}

impl<H: Copy> Drop for Object<H> {
    fn drop(&mut self) {
        let result = (self.destroy)(self.handle);
        if !std::thread::panicking() {
            assert_success(self.destructor, result);
        }
    }
}

macro_rules! objects {
    ($($(#[$doc:meta])* $name:ident: $handle:ty, $destroy:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone)]
        pub struct $name(Arc<Object<$handle>>);

        impl $name {
            /// Takes a handle over, which the last copy of the object destroys.
            pub fn from_raw(handle: $handle, parent: Option<Arc<dyn Any>>) -> Self {
                assert!(!handle.is_null(), concat!(stringify!($name), " is null"));
                Self(Arc::new(Object {
                    handle,
                    destroy: |handle| ze!($destroy(handle)),
                    destructor: stringify!($destroy),
                    _parent: parent,
                }))
            }

            /// The handle.
            pub fn raw(&self) -> $handle {
                self.0.handle
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({:?})"), self.raw())
            }
        }
    )*};
}

objects! {
    /// A context.
    Context: ze_context_handle_t, zeContextDestroy;
    /// A command queue.
    Queue: ze_command_queue_handle_t, zeCommandQueueDestroy;
    /// A command list, regular or immediate.
    List: ze_command_list_handle_t, zeCommandListDestroy;
    /// A pool of events.
    Pool: ze_event_pool_handle_t, zeEventPoolDestroy;
    /// An event.
    Event: ze_event_handle_t, zeEventDestroy;
    /// A fence.
    Fence: ze_fence_handle_t, zeFenceDestroy;
    /// A module.
    Module: ze_module_handle_t, zeModuleDestroy;
    /// A kernel.
    Kernel: ze_kernel_handle_t, zeKernelDestroy;
    /// An image.
    Image: ze_image_handle_t, zeImageDestroy;
    /// A sampler.
    Sampler: ze_sampler_handle_t, zeSamplerDestroy;
}

impl Context {
    /// A context of all devices of a driver.
    pub fn new(driver: ze_driver_handle_t) -> Self {
        let mut context = null_mut();
        ok!(zeContextCreate(driver, &ze_context_desc_t::default(), &mut context));
        Self::from_raw(context, None)
    }

    fn parent(&self) -> Option<Arc<dyn Any>> {
        Some(Arc::new(self.clone()))
    }
}

/// The handles of events, as functions take them.
pub fn handles_of(events: &[&Event]) -> Vec<ze_event_handle_t> {
    events.iter().map(|event| event.raw()).collect()
}

/// The handle of an event, or null.
pub fn optional(event: Option<&Event>) -> ze_event_handle_t {
    event.map_or(null_mut(), Event::raw)
}

/// A wait list as functions take it: an empty one is null.
fn wait_list(handles: &mut [ze_event_handle_t]) -> (u32, *mut ze_event_handle_t) {
    match handles {
        [] => (0, null_mut()),
        handles => (handles.len() as u32, handles.as_mut_ptr()),
    }
}

macro_rules! append {
    ($name:ident($list:expr, $($arg:expr),* ; $signal:expr, $wait:expr)) => {{
        let mut handles = handles_of($wait);
        let (count, events) = wait_list(&mut handles);
        ok!($name($list.raw(), $($arg,)* optional($signal), count, events))
    }};
}

impl Queue {
    /// A queue.
    pub fn new(rig: &Rig, desc: &ze_command_queue_desc_t) -> Self {
        let mut queue = null_mut();
        ok!(zeCommandQueueCreate(rig.context.raw(), rig.device, desc, &mut queue));
        Self::from_raw(queue, rig.context.parent())
    }

    /// Executes lists.
    pub fn execute(&self, lists: &[&List]) {
        self.execute_with(lists, null_mut());
    }

    /// Executes lists, and signals a fence.
    pub fn execute_with(&self, lists: &[&List], fence: ze_fence_handle_t) {
        let mut handles: Vec<_> = lists.iter().map(|list| list.raw()).collect();
        let (count, handles) = (handles.len() as u32, handles.as_mut_ptr());
        ok!(zeCommandQueueExecuteCommandLists(self.raw(), count, handles, fence));
    }

    /// Waits for all that was executed.
    pub fn synchronize(&self) {
        ok!(zeCommandQueueSynchronize(self.raw(), FOREVER));
    }
}

impl List {
    /// A regular list.
    pub fn new(rig: &Rig, desc: &ze_command_list_desc_t) -> Self {
        let mut list = null_mut();
        ok!(zeCommandListCreate(rig.context.raw(), rig.device, desc, &mut list));
        Self::from_raw(list, rig.context.parent())
    }

    /// An immediate list.
    pub fn immediate(rig: &Rig, desc: &ze_command_queue_desc_t) -> Self {
        let mut list = null_mut();
        ok!(zeCommandListCreateImmediate(
            rig.context.raw(),
            rig.device,
            desc,
            &mut list
        ));
        Self::from_raw(list, rig.context.parent())
    }

    /// Closes a regular list.
    pub fn close(&self) {
        ok!(zeCommandListClose(self.raw()));
    }

    /// Opens and empties a regular list.
    pub fn reset(&self) {
        ok!(zeCommandListReset(self.raw()));
    }

    /// Waits for all commands of an immediate list.
    pub fn synchronize(&self) {
        ok!(zeCommandListHostSynchronize(self.raw(), FOREVER));
    }

    /// Appends a copy.
    pub fn copy(&self, to: *mut c_void, from: *const c_void, size: usize, signal: Option<&Event>, wait: &[&Event]) {
        append!(zeCommandListAppendMemoryCopy(self, to, from, size; signal, wait));
    }

    /// Appends a fill of `size` bytes.
    pub fn fill<T: Plain>(
        &self,
        ptr: *mut c_void,
        pattern: &[T],
        size: usize,
        signal: Option<&Event>,
        wait: &[&Event],
    ) {
        let (value, length) = (pattern.as_ptr().cast(), size_of_val(pattern));
        append!(zeCommandListAppendMemoryFill(self, ptr, value, length, size; signal, wait));
    }

    /// Appends a launch.
    pub fn launch(&self, kernel: &Kernel, groups: [u32; 3], signal: Option<&Event>, wait: &[&Event]) {
        let groups = group_count(groups);
        append!(zeCommandListAppendLaunchKernel(self, kernel.raw(), &groups; signal, wait));
    }

    /// Appends a barrier.
    pub fn barrier(&self, signal: Option<&Event>, wait: &[&Event]) {
        append!(zeCommandListAppendBarrier(self,; signal, wait));
    }

    /// Appends a signal of an event.
    pub fn signal(&self, event: &Event) {
        ok!(zeCommandListAppendSignalEvent(self.raw(), event.raw()));
    }

    /// Appends a reset of an event.
    pub fn reset_event(&self, event: &Event) {
        ok!(zeCommandListAppendEventReset(self.raw(), event.raw()));
    }

    /// Appends a wait for events.
    pub fn wait_on(&self, events: &[&Event]) {
        let mut handles = handles_of(events);
        ok!(zeCommandListAppendWaitOnEvents(
            self.raw(),
            handles.len() as u32,
            handles.as_mut_ptr()
        ));
    }
}

pub(crate) fn group_count([x, y, z]: [u32; 3]) -> ze_group_count_t {
    ze_group_count_t {
        groupCountX: x,
        groupCountY: y,
        groupCountZ: z,
    }
}

impl Pool {
    /// A pool for all devices.
    pub fn new(context: &Context, desc: &ze_event_pool_desc_t) -> Self {
        let mut pool = null_mut();
        ok!(zeEventPoolCreate(context.raw(), desc, 0, null_mut(), &mut pool));
        Self::from_raw(pool, context.parent())
    }

    /// An event that the host may wait for.
    pub fn event(&self, index: u32) -> Event {
        let desc = ze_event_desc_t {
            index,
            signal: ZE_EVENT_SCOPE_FLAG_HOST,
            wait: ZE_EVENT_SCOPE_FLAG_HOST,
            ..Default::default()
        };
        let mut event = null_mut();
        ok!(zeEventCreate(self.raw(), &desc, &mut event));
        Event::from_raw(event, Some(Arc::new(self.clone())))
    }
}

impl Event {
    /// zeEventQueryStatus.
    pub fn status(&self) -> ze_result_t {
        ze!(zeEventQueryStatus(self.raw()))
    }

    /// Whether the event is signalled.
    #[track_caller]
    pub fn is_signalled(&self) -> bool {
        match self.status() {
            ZE_RESULT_SUCCESS => true,
            ZE_RESULT_NOT_READY => false,
            code => panic!("zeEventQueryStatus gave {code}"),
        }
    }

    /// Signals it.
    pub fn host_signal(&self) {
        ok!(zeEventHostSignal(self.raw()));
    }

    /// Resets it.
    pub fn host_reset(&self) {
        ok!(zeEventHostReset(self.raw()));
    }

    /// Waits for it.
    pub fn wait(&self) {
        ok!(zeEventHostSynchronize(self.raw(), FOREVER));
    }

    /// Its timestamps.
    pub fn timestamps(&self) -> ze_kernel_timestamp_result_t {
        let mut result = ze_kernel_timestamp_result_t::default();
        ok!(zeEventQueryKernelTimestamp(self.raw(), &mut result));
        result
    }
}

impl Fence {
    /// A fence of a queue.
    pub fn new(queue: &Queue, flags: ze_fence_flags_t) -> Self {
        let mut fence = null_mut();
        let desc = ze_fence_desc_t {
            flags,
            ..Default::default()
        };
        ok!(zeFenceCreate(queue.raw(), &desc, &mut fence));
        Self::from_raw(fence, Some(Arc::new(queue.clone())))
    }
}

impl Module {
    /// A module; or the code, and the build log.
    pub fn new(rig: &Rig, desc: &ze_module_desc_t) -> Result<Self, (ze_result_t, String)> {
        let (mut module, mut log) = (null_mut(), null_mut());
        let result = ze!(zeModuleCreate(
            rig.context.raw(),
            rig.device,
            desc,
            &mut module,
            &mut log
        ));
        let text = take_log(log);
        match result {
            ZE_RESULT_SUCCESS => Ok(Self::from_raw(module, rig.context.parent())),
            code => Err((code, text)),
        }
    }

    /// A kernel of the module.
    pub fn kernel(&self, name: &str) -> Kernel {
        let name = CString::new(name).expect("a name");
        let desc = ze_kernel_desc_t {
            pKernelName: name.as_ptr(),
            ..Default::default()
        };
        let mut kernel = null_mut();
        ok!(zeKernelCreate(self.raw(), &desc, &mut kernel));
        Kernel::from_raw(kernel, Some(Arc::new(self.clone())))
    }

    /// The native binary.
    pub fn native(&self) -> Vec<u8> {
        let mut size = 0;
        ok!(zeModuleGetNativeBinary(self.raw(), &mut size, null_mut()));
        let mut binary = vec![0; size];
        ok!(zeModuleGetNativeBinary(self.raw(), &mut size, binary.as_mut_ptr()));
        binary
    }

    /// Links modules. `Err` has the code and the log.
    pub fn link(modules: &[&Self]) -> Result<(), (ze_result_t, String)> {
        let mut handles: Vec<_> = modules.iter().map(|module| module.raw()).collect();
        let mut log = null_mut();
        let result = ze!(zeModuleDynamicLink(
            handles.len() as u32,
            handles.as_mut_ptr(),
            &mut log
        ));
        let text = take_log(log);
        match result {
            ZE_RESULT_SUCCESS => Ok(()),
            code => Err((code, text)),
        }
    }

    /// The address and the size of a variable.
    pub fn global(&self, name: &str) -> Result<(*mut c_void, usize), ze_result_t> {
        let name = CString::new(name).expect("a name");
        let (mut ptr, mut size) = (null_mut(), 0);
        match ze!(zeModuleGetGlobalPointer(self.raw(), name.as_ptr(), &mut size, &mut ptr)) {
            ZE_RESULT_SUCCESS => Ok((ptr, size)),
            code => Err(code),
        }
    }
}

/// The text of a log, which is destroyed.
fn take_log(log: ze_module_build_log_handle_t) -> String {
    if log.is_null() {
        return String::new();
    }
    let mut size = 0;
    ok!(zeModuleBuildLogGetString(log, &mut size, null_mut()));
    let mut text = vec![0u8; size];
    ok!(zeModuleBuildLogGetString(
        log,
        &mut size,
        text.as_mut_ptr().cast::<c_char>()
    ));
    ok!(zeModuleBuildLogDestroy(log));
    assert_eq!(
        text.pop().unwrap_or(0),
        0,
        "a log ends with NUL, which its size includes"
    );
    String::from_utf8_lossy(&text).into_owned()
}

impl Kernel {
    /// Sets an argument to a value.
    pub fn set<T: Copy>(&self, index: u32, value: T) {
        ok!(zeKernelSetArgumentValue(
            self.raw(),
            index,
            size_of::<T>(),
            (&raw const value).cast()
        ));
    }

    /// Sets an argument to an address.
    pub fn set_ptr(&self, index: u32, ptr: *const c_void) {
        self.set(index, ptr);
    }

    /// Gives an argument local memory.
    pub fn set_local(&self, index: u32, size: usize) {
        ok!(zeKernelSetArgumentValue(self.raw(), index, size, null()));
    }

    /// Sets the group size.
    pub fn group_size(&self, [x, y, z]: [u32; 3]) {
        ok!(zeKernelSetGroupSize(self.raw(), x, y, z));
    }

    /// zeKernelGetProperties.
    pub fn properties(&self) -> ze_kernel_properties_t {
        let mut properties = ze_kernel_properties_t::default();
        ok!(zeKernelGetProperties(self.raw(), &mut properties));
        properties
    }
}

impl Image {
    /// An image; or the code that zeImageCreate gave.
    pub fn new(rig: &Rig, desc: &ze_image_desc_t) -> Result<Self, ze_result_t> {
        let mut image = null_mut();
        match ze!(zeImageCreate(rig.context.raw(), rig.device, desc, &mut image)) {
            ZE_RESULT_SUCCESS => Ok(Self::from_raw(image, rig.context.parent())),
            code => Err(code),
        }
    }
}

impl Sampler {
    /// A sampler.
    pub fn new(
        rig: &Rig,
        address: ze_sampler_address_mode_t,
        filter: ze_sampler_filter_mode_t,
        normalized: bool,
    ) -> Self {
        let desc = ze_sampler_desc_t {
            addressMode: address,
            filterMode: filter,
            isNormalized: normalized.into(),
            ..Default::default()
        };
        let mut sampler = null_mut();
        ok!(zeSamplerCreate(rig.context.raw(), rig.device, &desc, &mut sampler));
        Self::from_raw(sampler, rig.context.parent())
    }
}

/// An allocation, which is freed.
#[derive(Debug)]
pub struct Usm {
    context: Context,
    ptr: NonNull<c_void>,
    size: usize,
    host: bool,
}

// SAFETY: an address may be used by all threads.
unsafe impl Send for Usm {}
// SAFETY: as above.
unsafe impl Sync for Usm {}

impl Drop for Usm {
    fn drop(&mut self) {
        let result = ze!(zeMemFree(self.context.raw(), self.ptr.as_ptr()));
        if !std::thread::panicking() {
            assert_success("zeMemFree", result);
        }
    }
}

impl Usm {
    fn from_raw(context: &Context, ptr: *mut c_void, size: usize, host: bool) -> Self {
        Self {
            context: context.clone(),
            ptr: NonNull::new(ptr).expect("an allocation that succeeded"),
            size,
            host,
        }
    }

    /// Host memory.
    pub fn host(context: &Context, size: usize) -> Self {
        let mut ptr = null_mut();
        let desc = ze_host_mem_alloc_desc_t::default();
        ok!(zeMemAllocHost(context.raw(), &desc, size, 0, &mut ptr));
        Self::from_raw(context, ptr, size, true)
    }

    /// Shared memory.
    pub fn shared(context: &Context, device: ze_device_handle_t, size: usize) -> Self {
        let mut ptr = null_mut();
        let (device_desc, host_desc) = Default::default();
        ok!(zeMemAllocShared(
            context.raw(),
            &device_desc,
            &host_desc,
            size,
            0,
            device,
            &mut ptr
        ));
        Self::from_raw(context, ptr, size, true)
    }

    /// Device memory.
    pub fn device(context: &Context, device: ze_device_handle_t, size: usize) -> Self {
        let mut ptr = null_mut();
        let desc = ze_device_mem_alloc_desc_t::default();
        ok!(zeMemAllocDevice(context.raw(), &desc, size, 0, device, &mut ptr));
        Self::from_raw(context, ptr, size, false)
    }

    /// Its address.
    pub fn ptr(&self) -> *mut c_void {
        self.ptr.as_ptr()
    }

    /// An address in it.
    pub fn at(&self, offset: usize) -> *mut c_void {
        assert!(offset <= self.size);
        self.ptr().wrapping_byte_add(offset)
    }

    /// Its size in bytes.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The values of host or shared memory that no command uses at present.
    pub fn values<T: Plain>(&self) -> &[T] {
        assert!(self.host, "the host may not read device memory");
        // SAFETY: an allocation of this size that the host may access; tests call this after they have waited.
        unsafe { slice::from_raw_parts(self.ptr().cast(), self.size / size_of::<T>()) }
    }

    /// As [`values`](Self::values), to be written.
    pub fn values_mut<T: Plain>(&mut self) -> &mut [T] {
        assert!(self.host, "the host may not write device memory");
        // SAFETY: as above, and the only reference.
        unsafe { slice::from_raw_parts_mut(self.ptr().cast(), self.size / size_of::<T>()) }
    }
}
