// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Level Zero's functions, found at run time, and owners of its objects.

use std::ffi::c_void;

use kit::{DriverUse, NativeObject, UrError, UrResult};
use level_zero_sys::*;
use oxur_adapter_kit as kit;
use oxur_fork::OnceLock;

use crate::conv;

static LOADER: OnceLock<Result<Loader, String>> = OnceLock::new();

/// Opens the loader, once. The error says why there is none.
pub(crate) fn load() -> Result<&'static Loader, &'static str> {
    let loader = LOADER.get_or_init(|| Loader::open().map_err(|error| error.to_string()));
    loader.as_ref().map_err(String::as_str)
}

/// The functions of the loader, which is open: there are no objects without it.
#[inline(always)]
pub(crate) fn api() -> &'static Functions {
    match LOADER.get() {
        Some(Ok(loader)) => loader,
        _ => panic!("the adapter has no objects before the loader is open"),
    }
}

/// Whether the driver has begun to work, and may be called.
pub(crate) static USE: DriverUse = DriverUse::new();

/// Whether the driver must not be called.
#[inline(always)]
pub(crate) fn is_lost() -> bool {
    USE.is_lost()
}

/// Calls a function of Level Zero: `ze!(zeContextDestroy(context))`. The code around it must be `unsafe`.
macro_rules! ze {
    ($name:ident($($arg:expr),* $(,)?)) => {
        match $crate::ze::api().$name {
            Some(function) if !$crate::ze::is_lost() => $crate::ze::check(stringify!($name), function($($arg),*)),
            _ => Err($crate::ze::missing(stringify!($name))),
        }
    };
}
pub(crate) use ze;

/// As [`ze`], for a function that takes the place for its result last, which is a handle, an address or a number:
/// `ze_get!(zeContextCreate(driver, &desc))`.
macro_rules! ze_get {
    ($name:ident($($arg:expr),* $(,)?)) => {{
        let mut result = std::mem::zeroed();
        $crate::ze::ze!($name($($arg,)* &mut result)).map(|()| result)
    }};
}
pub(crate) use ze_get;

/// As [`ze_get`], for a function that fills a structure.
macro_rules! ze_struct {
    ($name:ident($($arg:expr),* $(,)?)) => {{
        let mut result = Default::default();
        $crate::ze::ze!($name($($arg,)* &mut result)).map(|()| result)
    }};
}
pub(crate) use ze_struct;

/// As [`ze`], for a function that tells the count of its list and then the list, by its last two parameters. The places of
/// the list begin as `$empty`.
macro_rules! ze_list {
    ($empty:expr, $name:ident($($arg:expr),* $(,)?)) => {
        level_zero_sys::list($empty, |count, places| $crate::ze::ze!($name($($arg,)* count, places)))
    };
}
pub(crate) use ze_list;

/// Says that threads may share what has handles of Level Zero, and that pointers in its structures are null.
macro_rules! any_thread {
    ($($ty:ty),*) => { $(
        // SAFETY: Level Zero's handles belong to no thread.
        unsafe impl Send for $ty {}
        // SAFETY: as above.
        unsafe impl Sync for $ty {}
    )* };
}
pub(crate) use any_thread;

/// A structure of Level Zero, of which some members are not zero: `desc!(ze_kernel_desc_t: pKernelName = name.as_ptr())`.
macro_rules! desc {
    ($ty:ident: $($member:ident = $value:expr),+) => {
        $ty { $($member: $value,)+ ..Default::default() }
    };
}
pub(crate) use desc;

/// Turns a result into a UR error.
#[inline(always)]
pub(crate) fn check(function: &'static str, result: ze_result_t) -> UrResult<()> {
    match result {
        ZE_RESULT_SUCCESS => Ok(()),
        _ => Err(failed(function, result)),
    }
}

#[cold]
fn failed(function: &'static str, result: ze_result_t) -> UrError {
    let message = format!("{function} returned {result}");
    match conv::result_code(result) {
        Some(code) => UrError::with_message(code, message),
        None => UrError::native(result.0 as i32, message),
    }
}

/// The error for a function that cannot be called.
#[cold]
pub(crate) fn missing(function: &'static str) -> UrError {
    if is_lost() {
        return DriverUse::forked(function);
    }
    kit::error!(ERROR_UNSUPPORTED_FEATURE: "the Level Zero loader has no {function}: a newer one is needed")
}

/// A handle of Level Zero. Its object is destroyed when this is dropped, unless it is the client's.
pub(crate) type Owned<K> = kit::NativeOwned<K>;

macro_rules! kinds {
    ($( $(#[$doc:meta])* $kind:ident($place:pat = $handle:ty): $name:literal, $destroy:ident($($arg:expr),+); )*) => { $(
        $(#[$doc])*
        pub(crate) enum $kind {}

        // SAFETY: Level Zero's handles belong to no thread.
        unsafe impl NativeObject for $kind {
            type Handle = $handle;
            const NAME: &'static str = $name;

            unsafe fn release($place: $handle) -> UrResult<()> {
                // What an older loader has no function for, the driver keeps.
                if USE.is_gone() || api().$destroy.is_none() {
                    return Ok(());
                }
                // SAFETY: passed on to the caller.
                unsafe { ze!($destroy($($arg),+)) }
            }
        }
    )* };
}

kinds! {
    /// Contexts.
    ContextKind(context = ze_context_handle_t): "a context", zeContextDestroy(context);
    /// Command lists.
    ListKind(list = ze_command_list_handle_t): "a command list", zeCommandListDestroy(list);
    /// Pools of events.
    EventPoolKind(pool = ze_event_pool_handle_t): "a pool of events", zeEventPoolDestroy(pool);
    /// Events.
    EventKind(event = ze_event_handle_t): "an event", zeEventDestroy(event);
    /// Modules.
    ModuleKind(module = ze_module_handle_t): "a module", zeModuleDestroy(module);
    /// Kernels.
    KernelKind(kernel = ze_kernel_handle_t): "a kernel", zeKernelDestroy(kernel);
    /// Images.
    ImageKind(image = ze_image_handle_t): "an image", zeImageDestroy(image);
    /// Samplers.
    SamplerKind(sampler = ze_sampler_handle_t): "a sampler", zeSamplerDestroy(sampler);
    /// Logs of builds.
    BuildLogKind(log = ze_module_build_log_handle_t): "the log of a build", zeModuleBuildLogDestroy(log);
    /// Physical memory of a context.
    PhysicalMemKind((context, mem) = (ze_context_handle_t, ze_physical_mem_handle_t)):
        "physical memory", zePhysicalMemDestroy(context, mem);
    /// Memory of a context.
    MemKind((context, memory) = (ze_context_handle_t, *mut c_void)): "memory", zeMemFree(context, memory);
    /// Memory of a context for other processes.
    IpcMemKind((context, handle) = (ze_context_handle_t, ze_ipc_mem_handle_t)):
        "a handle of memory", zeMemPutIpcHandle(context, handle);
}
