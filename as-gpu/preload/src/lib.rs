// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `liboxur_as_gpu_preload.so`: answers queries that libsycl would answer from its cache.
//!
//! libsycl asks an adapter only once for the type of a device, on behalf of the first library that looks for devices, and gives
//! all others the same answer. This library is preloaded. It interposes the functions of libsycl that answer from this cache,
//! and forwards each call. If a library of the list in `UR_CPU_DEVICE_TYPE` asks, and the device belongs to the CPU adapter, it
//! changes the CPU in the result to a GPU.
//!
//! libsycl's own selectors and filters also call these functions by name. The calling library is then the one that uses the
//! selector. Queries that libsycl does not cache reach the adapter, which answers by the same rule.
//!
//! While libsycl tries devices with a selector, the function on the stack that calls the selector may be a template function
//! that the dynamic linker resolved to another library. So the calling library is determined before the selection, and kept.
//!
//! The functions have the names and types of libsycl's ABI, which has not changed for them since `libsycl.so.8`.

mod launch;

use std::cell::Cell;
use std::ffi::{CStr, CString, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

use oxur_as_gpu::{COMPUTE_UNITS, Libraries, VARIABLE, VENDOR_ID, calling_library, find_library};
use oxur_fork::OnceLock;

/// A `const sycl::device *`.
type Device = *const c_void;

/// `sycl::info::device_type`.
const TYPE_CPU: u32 = 4;
const TYPE_GPU: u32 = 3;

/// `sycl::aspect`.
const ASPECT_CPU: c_int = 1;
const ASPECT_GPU: c_int = 2;

/// The address of a returned `sycl::device`. The type is not trivially copyable, so by the x86-64 ABI the address is the first
/// parameter, and is also the return value.
type DeviceOut = *mut c_void;

/// A `const std::function<int(const sycl::device &)> *`.
type Selector = *const c_void;

/// A `const sycl::context *`.
type Context = *const c_void;

/// A `std::vector<sycl::aspect>`.
#[repr(C)]
pub struct Aspects {
    begin: *mut c_int,
    end: *mut c_int,
    capacity: *mut c_int,
}

/// Declares libsycl's functions: their types, and their addresses once these are known.
macro_rules! libsycl {
    ($( $name:ident($($p:ident: $t:ty),*) -> $r:ty = $symbol:literal; )*) => {$(
        /// Calls libsycl's function. It may throw.
        unsafe fn $name($($p: $t),*) -> $r {
            static ADDRESS: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
            let mut address = ADDRESS.load(Ordering::Relaxed);
            if address.is_null() {
                address = in_libsycl($symbol);
                ADDRESS.store(address, Ordering::Relaxed);
            }
            // SAFETY: the function has this type in every libsycl since libsycl.so.8.
            let function: unsafe extern "C-unwind" fn($($t),*) -> $r = unsafe { std::mem::transmute(address) };
            // SAFETY: passed on to the caller.
            unsafe { function($($p),*) }
        }
    )*};
}

libsycl! {
    libsycl_is_cpu(device: Device) -> bool = c"_ZNK4sycl3_V16device6is_cpuEv";
    libsycl_is_gpu(device: Device) -> bool = c"_ZNK4sycl3_V16device6is_gpuEv";
    libsycl_has(device: Device, aspect: c_int) -> bool = c"_ZNK4sycl3_V16device3hasENS0_6aspectE";
    libsycl_type(device: Device) -> u32 = c"_ZNK4sycl3_V16device13get_info_implINS0_4info6device11device_typeEEENS0_6detail11ABINeutralTINS6_19is_device_info_descIT_E11return_typeEE4typeEv";
    libsycl_compute_units(device: Device) -> u32 = c"_ZNK4sycl3_V16device13get_info_implINS0_4info6device17max_compute_unitsEEENS0_6detail11ABINeutralTINS6_19is_device_info_descIT_E11return_typeEE4typeEv";
    libsycl_aspects(device: Device) -> Aspects = c"_ZNK4sycl3_V16device13get_info_implINS0_4info6device7aspectsEEENS0_6detail11ABINeutralTINS6_19is_device_info_descIT_E11return_typeEE4typeEv";
    libsycl_select(out: DeviceOut, selector: Selector) -> DeviceOut = c"_ZN4sycl3_V16detail13select_deviceERKSt8functionIFiRKNS0_6deviceEEE";
    libsycl_select_in(out: DeviceOut, selector: Selector, context: Context) -> DeviceOut = c"_ZN4sycl3_V16detail13select_deviceERKSt8functionIFiRKNS0_6deviceEEERKNS0_7contextE";
    libsycl_set_launch_properties(handler: *mut c_void, properties: *const launch::LaunchProperties) -> () = c"_ZN4sycl3_V17handler25setKernelLaunchPropertiesERKNS0_6detail27kernel_launch_properties_v111PropsHolderIJNS0_3ext6oneapi12experimental23work_group_scratch_sizeENS5_5intel12experimental12cache_configENS7_17use_root_sync_keyENS7_23work_group_progress_keyENS7_22sub_group_progress_keyENS7_22work_item_progress_keyENS7_4cuda12cluster_sizeILi1EEENSH_ILi2EEENSH_ILi3EEEEEE";
    libsycl_vendor_id(device: Device) -> u32 = c"_ZNK4sycl3_V16device13get_info_implINS0_4info6device9vendor_idEEENS0_6detail11ABINeutralTINS6_19is_device_info_descIT_E11return_typeEE4typeEv";
}

/// `sycl::device::is_gpu() const`
///
/// # Safety
/// As in libsycl.
#[unsafe(export_name = "_ZNK4sycl3_V16device6is_gpuEv")]
pub unsafe extern "C-unwind" fn is_gpu(device: Device) -> bool {
    // SAFETY: passed on to the caller.
    unsafe { libsycl_is_gpu(device) || (libsycl_is_cpu(device) && passes_for_gpu(device)) }
}

/// `sycl::device::is_cpu() const`
///
/// # Safety
/// As in libsycl.
#[unsafe(export_name = "_ZNK4sycl3_V16device6is_cpuEv")]
pub unsafe extern "C-unwind" fn is_cpu(device: Device) -> bool {
    // SAFETY: passed on to the caller.
    unsafe { libsycl_is_cpu(device) && !passes_for_gpu(device) }
}

/// `sycl::device::has(sycl::aspect) const`
///
/// # Safety
/// As in libsycl.
#[unsafe(export_name = "_ZNK4sycl3_V16device3hasENS0_6aspectE")]
pub unsafe extern "C-unwind" fn has(device: Device, aspect: c_int) -> bool {
    // SAFETY: passed on to the caller.
    unsafe {
        match aspect {
            ASPECT_CPU => is_cpu(device),
            ASPECT_GPU => is_gpu(device),
            _ => libsycl_has(device, aspect),
        }
    }
}

/// `sycl::device::get_info<sycl::info::device::device_type>() const`
///
/// # Safety
/// As in libsycl.
#[unsafe(export_name = "_ZNK4sycl3_V16device13get_info_implINS0_4info6device11device_typeEEENS0_6detail11ABINeutralTINS6_19is_device_info_descIT_E11return_typeEE4typeEv")]
pub unsafe extern "C-unwind" fn device_type(device: Device) -> u32 {
    // SAFETY: passed on to the caller.
    unsafe {
        match libsycl_type(device) {
            TYPE_CPU if passes_for_gpu(device) => TYPE_GPU,
            other => other,
        }
    }
}

/// `sycl::device::get_info<sycl::info::device::max_compute_units>() const`
///
/// libsycl asks the adapter for the number every time, also to partition a device. So the adapter reports the true number.
///
/// # Safety
/// As in libsycl.
#[unsafe(export_name = "_ZNK4sycl3_V16device13get_info_implINS0_4info6device17max_compute_unitsEEENS0_6detail11ABINeutralTINS6_19is_device_info_descIT_E11return_typeEE4typeEv")]
pub unsafe extern "C-unwind" fn compute_units(device: Device) -> u32 {
    // SAFETY: passed on to the caller.
    unsafe {
        match libsycl_compute_units(device) {
            few if few < COMPUTE_UNITS && passes_for_gpu(device) => COMPUTE_UNITS,
            other => other,
        }
    }
}

/// `sycl::device::get_info<sycl::info::device::aspects>() const`
///
/// # Safety
/// As in libsycl.
#[unsafe(export_name = "_ZNK4sycl3_V16device13get_info_implINS0_4info6device7aspectsEEENS0_6detail11ABINeutralTINS6_19is_device_info_descIT_E11return_typeEE4typeEv")]
pub unsafe extern "C-unwind" fn aspects(device: Device) -> Aspects {
    // SAFETY: passed on to the caller.
    let aspects = unsafe { libsycl_aspects(device) };
    // SAFETY: passed on to the caller.
    if !aspects.begin.is_null() && unsafe { passes_for_gpu(device) } {
        // SAFETY: a vector's elements are between these.
        let all = unsafe {
            let count = aspects.end.offset_from(aspects.begin);
            std::slice::from_raw_parts_mut(aspects.begin, usize::try_from(count).unwrap_or(0))
        };
        for aspect in all.iter_mut().filter(|aspect| **aspect == ASPECT_CPU) {
            *aspect = ASPECT_GPU;
        }
    }
    aspects
}

/// `sycl::detail::select_device(const std::function<int(const sycl::device &)> &)`
///
/// # Safety
/// As in libsycl.
#[unsafe(export_name = "_ZN4sycl3_V16detail13select_deviceERKSt8functionIFiRKNS0_6deviceEEE")]
pub unsafe extern "C-unwind" fn select_device(out: DeviceOut, selector: Selector) -> DeviceOut {
    let _selection = Selection::begin();
    // SAFETY: passed on to the caller.
    unsafe { libsycl_select(out, selector) }
}

/// `sycl::detail::select_device(const std::function<int(const sycl::device &)> &, const sycl::context &)`
///
/// # Safety
/// As in libsycl.
#[unsafe(export_name = "_ZN4sycl3_V16detail13select_deviceERKSt8functionIFiRKNS0_6deviceEEERKNS0_7contextE")]
pub unsafe extern "C-unwind" fn select_device_in(out: DeviceOut, selector: Selector, context: Context) -> DeviceOut {
    let _selection = Selection::begin();
    // SAFETY: passed on to the caller.
    unsafe { libsycl_select_in(out, selector, context) }
}

thread_local! {
    /// Whether the library that made the innermost selection of this thread sees a GPU; `None` outside selections.
    static SELECTING: Cell<Option<bool>> = const { Cell::new(None) };
}

/// A device selection, including one that an exception ends.
struct Selection {
    outer: Option<bool>,
}

impl Selection {
    fn begin() -> Self {
        let outer = SELECTING.get();
        // A nested selection, such as that of the overload for contexts, is for the same library.
        SELECTING.set(Some(caller_is_listed()));
        Self { outer }
    }
}

impl Drop for Selection {
    fn drop(&mut self) {
        SELECTING.set(self.outer);
    }
}

/// Whether the calling library is to see a GPU.
fn caller_is_listed() -> bool {
    static LIBRARIES: OnceLock<Option<Libraries>> = OnceLock::new();
    let libraries = LIBRARIES.get_or_init(|| {
        let value = std::env::var_os(VARIABLE).unwrap_or_default();
        // The adapter reports errors in the variable.
        Libraries::parse(&value).unwrap_or_default()
    });
    libraries.as_ref().is_some_and(|libraries| {
        SELECTING
            .get()
            .unwrap_or_else(|| libraries.contains(&calling_library().file_name))
    })
}

/// Whether a device belongs to the CPU adapter and the calling library is to see a GPU.
///
/// # Safety
/// `device` must be a libsycl device.
unsafe fn passes_for_gpu(device: Device) -> bool {
    // libsycl does not cache the vendor id, so the query reaches the adapter, which detects that this library asks.
    // SAFETY: passed on to the caller.
    caller_is_listed() && unsafe { libsycl_vendor_id(device) } == VENDOR_ID
}

/// A function of the libsycl in the process.
///
/// `RTLD_NEXT` would not find it: Python loads libsycl with local scope.
fn in_libsycl(symbol: &CStr) -> *mut c_void {
    let path = find_library(is_libsycl);
    // SAFETY: the path ends with a zero; this loads nothing new.
    let open = |path: CString| unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    let handle = path.map(open);
    // SAFETY: `symbol` is a zero-terminated string.
    let address = handle.map_or(null_mut(), |handle| unsafe { libc::dlsym(handle, symbol.as_ptr()) });
    if address.is_null() {
        // The caller is linked to libsycl, which has always had it.
        let symbol = std::ffi::OsStr::from_bytes(symbol.to_bytes());
        eprintln!("oxur: libsycl's {} is not found", symbol.display());
        std::process::abort();
    }
    address
}

/// libsycl.so.N, also under the names that wheels use: libsycl-0123abcd.so.N. Not libsycl-jit.so.
fn is_libsycl(file_name: &[u8]) -> bool {
    let Some(rest) = file_name.strip_prefix(b"libsycl") else {
        return false;
    };
    rest.starts_with(b".so")
        || (rest.starts_with(b"-") && !rest.starts_with(b"-jit") && !rest.starts_with(b"-devicelib"))
}
