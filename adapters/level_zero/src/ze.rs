// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Level Zero's functions, found at run time, and owners of its objects.

use std::ffi::CStr;
use std::ops::Deref;

use kit::ur::ResultCode;
use kit::{DriverUse, UrError, UrResult};
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

static USE: DriverUse = DriverUse::new();

/// Takes note that the driver has begun to work: see [`DriverUse::note`].
pub(crate) fn note_use() {
    USE.note();
}

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

/// As [`ze`], for a function that fills a structure, which is its last parameter.
macro_rules! ze_struct {
    ($name:ident($($arg:expr),* $(,)?)) => {
        $crate::ze::structure(|place| $crate::ze::ze!($name($($arg,)* place)))
    };
}
pub(crate) use ze_struct;

/// As [`ze`], for a function that tells the count of its list and then the list, by its last two parameters. The places of
/// the list begin as `$empty`.
macro_rules! ze_list {
    ($empty:expr, $name:ident($($arg:expr),* $(,)?)) => {
        $crate::ze::list($empty, |count, places| $crate::ze::ze!($name($($arg,)* count, places)))
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

/// Asks a function for the count of its list, then for the list.
pub(crate) fn list<T: Clone>(empty: T, get: impl Fn(*mut u32, *mut T) -> UrResult<()>) -> UrResult<Vec<T>> {
    let mut count = 0;
    get(&mut count, std::ptr::null_mut())?;
    let mut list = vec![empty; count as usize];
    if count != 0 {
        get(&mut count, list.as_mut_ptr())?;
        list.truncate(count as usize);
    }
    Ok(list)
}

/// Asks a function for a structure.
pub(crate) fn structure<T: Default>(get: impl FnOnce(*mut T) -> UrResult<()>) -> UrResult<T> {
    let mut value = T::default();
    get(&mut value)?;
    Ok(value)
}

/// Asks a function for the size of a text with its zero, then for the text.
pub(crate) fn string(get: impl Fn(*mut usize, *mut std::ffi::c_char) -> UrResult<()>) -> UrResult<String> {
    let mut size = 0;
    get(&mut size, std::ptr::null_mut())?;
    let mut bytes = vec![0_u8; size + 1];
    get(&mut size, bytes.as_mut_ptr().cast())?;
    let text = CStr::from_bytes_until_nul(&bytes).map_err(|_| ResultCode::ERROR_UNKNOWN)?;
    Ok(text.to_string_lossy().into_owned())
}

/// A kind of objects of Level Zero.
///
/// # Safety
/// Handles of this kind may be used and destroyed from any thread, one at a time.
pub(crate) unsafe trait Kind: 'static {
    /// What it is of.
    type Raw;

    /// Destroys an object.
    ///
    /// # Safety
    /// The handle is live, and used no more.
    unsafe fn destroy(handle: *mut Self::Raw) -> UrResult<()>;
}

/// A handle of Level Zero. Its object is destroyed when this is dropped, unless it is the client's.
pub(crate) struct Owned<K: Kind> {
    handle: *mut K::Raw,
    is_ours: bool,
}

// SAFETY: `Kind` promises it.
unsafe impl<K: Kind> Send for Owned<K> {}
// SAFETY: as above; who uses the handle sees to it that no two threads do where Level Zero forbids that.
unsafe impl<K: Kind> Sync for Owned<K> {}

impl<K: Kind> Owned<K> {
    /// Takes an object over.
    ///
    /// # Safety
    /// The handle is live; if `is_ours`, nobody else destroys it, else it lives as long as this.
    pub(crate) unsafe fn new(handle: *mut K::Raw, is_ours: bool) -> Self {
        Self { handle, is_ours }
    }
}

/// Nothing, in place of an object that was taken out.
impl<K: Kind> Default for Owned<K> {
    fn default() -> Self {
        Self {
            handle: std::ptr::null_mut(),
            is_ours: false,
        }
    }
}

impl<K: Kind> Deref for Owned<K> {
    type Target = *mut K::Raw;

    #[inline(always)]
    fn deref(&self) -> &*mut K::Raw {
        &self.handle
    }
}

impl<K: Kind> Drop for Owned<K> {
    fn drop(&mut self) {
        if !self.is_ours || USE.is_gone() {
            return;
        }
        // SAFETY: `new`'s caller has given it up.
        if let Err(error) = unsafe { K::destroy(self.handle) } {
            log::warn!("an object of the driver is leaked: {error}");
        }
    }
}

macro_rules! kinds {
    ($( $(#[$doc:meta])* $kind:ident: $raw:ident, $destroy:ident; )*) => { $(
        $(#[$doc])*
        pub(crate) enum $kind {}

        // SAFETY: Level Zero's handles belong to no thread.
        unsafe impl Kind for $kind {
            type Raw = $raw;

            unsafe fn destroy(handle: *mut $raw) -> UrResult<()> {
                // SAFETY: passed on to the caller.
                unsafe { ze!($destroy(handle)) }
            }
        }
    )* };
}

kinds! {
    /// Contexts.
    ContextKind: _ze_context_handle_t, zeContextDestroy;
    /// Command lists.
    ListKind: _ze_command_list_handle_t, zeCommandListDestroy;
    /// Pools of events.
    EventPoolKind: _ze_event_pool_handle_t, zeEventPoolDestroy;
    /// Events.
    EventKind: _ze_event_handle_t, zeEventDestroy;
    /// Modules.
    ModuleKind: _ze_module_handle_t, zeModuleDestroy;
    /// Kernels.
    KernelKind: _ze_kernel_handle_t, zeKernelDestroy;
    /// Images.
    ImageKind: _ze_image_handle_t, zeImageDestroy;
    /// Samplers.
    SamplerKind: _ze_sampler_handle_t, zeSamplerDestroy;
    /// Logs of builds.
    BuildLogKind: _ze_module_build_log_handle_t, zeModuleBuildLogDestroy;
}
