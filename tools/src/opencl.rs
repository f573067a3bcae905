// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Queries OpenCL directly, without an adapter: which drivers there are, and whether they accept SPIR-V.

use std::ffi::{CStr, c_void};
use std::ptr::null_mut;

/// A device as its driver describes it.
#[derive(Debug)]
pub struct ClDevice {
    /// The platform's name and version.
    pub platform: String,
    /// The device's name.
    pub name: String,
    /// The intermediate languages that it accepts; empty for none.
    pub il: String,
    /// Whether it is a CPU.
    pub is_cpu: bool,
}

impl ClDevice {
    /// Whether SYCL programs can run on it.
    pub fn takes_spirv(&self) -> bool {
        self.il.contains("SPIR-V")
    }
}

/// All devices of all drivers. The error says why OpenCL itself is unavailable.
pub fn devices() -> Result<Vec<ClDevice>, String> {
    // SAFETY: loading runs the library's constructors; the ICD loader has none that matter.
    let library = unsafe { libloading::Library::new("libOpenCL.so.1") }.map_err(|error| error.to_string())?;
    // Drivers leave threads behind.
    let library: &'static libloading::Library = Box::leak(Box::new(library));
    let mut found = Vec::new();
    for platform in handles(|count, out, count_ret| call3(library, c"clGetPlatformIDs", count, out, count_ret)) {
        let text = |what| {
            string(|size, out, size_ret| info(library, c"clGetPlatformInfo", platform, what, size, out, size_ret))
        };
        let name = format!("{} ({})", text(PLATFORM_NAME), text(PLATFORM_VERSION));
        for device in handles(|count, out, count_ret| get_devices(library, platform, count, out, count_ret)) {
            let text = |what| {
                string(|size, out, size_ret| info(library, c"clGetDeviceInfo", device, what, size, out, size_ret))
            };
            found.push(ClDevice {
                platform: name.clone(),
                name: text(DEVICE_NAME).trim().into(),
                il: text(DEVICE_IL_VERSION),
                is_cpu: kind(library, device) & DEVICE_TYPE_CPU != 0,
            });
        }
    }
    Ok(found)
}

const DEVICE_TYPE: u32 = 0x1000;
const DEVICE_TYPE_CPU: u64 = 2;
const PLATFORM_VERSION: u32 = 0x0901;
const PLATFORM_NAME: u32 = 0x0902;
const DEVICE_NAME: u32 = 0x102b;
const DEVICE_IL_VERSION: u32 = 0x105b;
const DEVICE_TYPE_ALL: u64 = 0xffff_ffff;
const FAILED: i32 = -1;

type Handle = *mut c_void;

fn call3(library: &libloading::Library, name: &CStr, count: u32, out: *mut Handle, count_ret: *mut u32) -> i32 {
    type Function = unsafe extern "C" fn(u32, *mut Handle, *mut u32) -> i32;
    // SAFETY: the type of this function in every release of OpenCL; `out` has room for `count` handles.
    unsafe {
        library
            .get::<Function>(name.to_bytes_with_nul())
            .map_or(FAILED, |f| f(count, out, count_ret))
    }
}

fn get_devices(
    library: &libloading::Library,
    platform: Handle,
    count: u32,
    out: *mut Handle,
    count_ret: *mut u32,
) -> i32 {
    type Function = unsafe extern "C" fn(Handle, u64, u32, *mut Handle, *mut u32) -> i32;
    // SAFETY: the type of this function in every release of OpenCL; `out` has room for `count` handles.
    unsafe {
        library
            .get::<Function>(b"clGetDeviceIDs\0")
            .map_or(FAILED, |f| f(platform, DEVICE_TYPE_ALL, count, out, count_ret))
    }
}

fn info(
    library: &libloading::Library,
    name: &CStr,
    of: Handle,
    what: u32,
    size: usize,
    out: *mut c_void,
    size_ret: *mut usize,
) -> i32 {
    type Function = unsafe extern "C" fn(Handle, u32, usize, *mut c_void, *mut usize) -> i32;
    // SAFETY: the type of both functions in every release of OpenCL; `out` has room for `size` bytes.
    unsafe {
        library
            .get::<Function>(name.to_bytes_with_nul())
            .map_or(FAILED, |f| f(of, what, size, out, size_ret))
    }
}

/// The type of a device; 0 on an error.
fn kind(library: &libloading::Library, device: Handle) -> u64 {
    let mut kind = 0u64;
    let out = (&raw mut kind).cast();
    match info(
        library,
        c"clGetDeviceInfo",
        device,
        DEVICE_TYPE,
        size_of::<u64>(),
        out,
        null_mut(),
    ) {
        0 => kind,
        _ => 0,
    }
}

/// Asks for the number, then for the handles; none on an error.
fn handles(get: impl Fn(u32, *mut Handle, *mut u32) -> i32) -> Vec<Handle> {
    let mut count = 0;
    if get(0, null_mut(), &mut count) != 0 {
        return Vec::new();
    }
    let mut handles = vec![null_mut(); count as usize];
    if count == 0 || get(count, handles.as_mut_ptr(), null_mut()) != 0 {
        return Vec::new();
    }
    handles
}

/// Asks for the size, then for the text; empty on an error.
fn string(get: impl Fn(usize, *mut c_void, *mut usize) -> i32) -> String {
    let mut size = 0;
    if get(0, null_mut(), &mut size) != 0 {
        return String::new();
    }
    let mut bytes = vec![0u8; size];
    if get(size, bytes.as_mut_ptr().cast(), null_mut()) != 0 {
        return String::new();
    }
    String::from_utf8_lossy(&bytes).trim_end_matches('\0').to_owned()
}
