// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Platforms, and extension functions.

use std::ffi::{c_char, c_void};

use kit::ur::PlatformInfo;
use opencl_sys::*;
use oxur_adapter_kit as kit;

use super::device::{VERSION, names_with_version};
use super::error::ClResult;
use super::handle::object;
use super::info::{Out, text};
use super::{entry, kernel, program, usm};
use crate::Platform;
use crate::device::extensions;

/// What ICD loaders add to the names of functions of ours.
const ICD_SUFFIX: &str = "OXUR";

/// The extensions of platforms, behind those of the device.
fn all_extensions() -> String {
    format!("cl_khr_icd {}", extensions())
}

fn info(platform: &Platform, query: cl_platform_info, out: Out) -> ClResult<()> {
    let same = |query| move |out: kit::InfoOut<'_>| kit::Platform::info(platform, query, out);
    match query {
        CL_PLATFORM_NAME => out.same(same(PlatformInfo::NAME)),
        CL_PLATFORM_VENDOR => out.same(same(PlatformInfo::VENDOR_NAME)),
        CL_PLATFORM_VERSION => out.same(same(PlatformInfo::VERSION)),
        CL_PLATFORM_PROFILE => out.same(same(PlatformInfo::PROFILE)),
        CL_PLATFORM_EXTENSIONS => out.str(&all_extensions()),
        CL_PLATFORM_EXTENSIONS_WITH_VERSION => out.slice(&names_with_version(&all_extensions())),
        CL_PLATFORM_NUMERIC_VERSION => out.value(VERSION),
        // Nanoseconds between two values of the host's clock.
        CL_PLATFORM_HOST_TIMER_RESOLUTION => out.value::<cl_ulong>(1),
        CL_PLATFORM_ICD_SUFFIX_KHR => out.str(ICD_SUFFIX),
        _ => out.unknown(),
    }
}

entry! {
    /// The platform is not one that ICD loaders list: it is found through the handles that UR gives.
    fn clGetPlatformIDs(_capacity: cl_uint, _platforms: *mut cl_platform_id, count: *mut cl_uint) {
        if !count.is_null() {
            count.write(0);
        }
        Err(CL_PLATFORM_NOT_FOUND_KHR.into())
    }

    fn clGetPlatformInfo(
        platform: cl_platform_id, query: cl_platform_info, size: usize, value: *mut c_void, needed: *mut usize,
    ) {
        info(&*object::<Platform>(platform)?, query, Out::new(size, value, needed))
    }

    fn clUnloadCompiler() {
        Ok(())
    }

    fn clUnloadPlatformCompiler(platform: cl_platform_id) {
        object::<Platform>(platform).map(drop)
    }
}

macro_rules! by_name {
    ($name:ident: $($module:ident::$function:ident $(= $other:literal)?,)*) => {
        $(
            if $name == stringify!($function) $(|| $name == $other)? {
                return $module::$function as *const () as *mut c_void;
            }
        )*
    };
}

/// The address of a function of an extension that the device has.
fn extension_function(name: &str) -> *mut c_void {
    by_name! {
        name:
        program::clCreateProgramWithIL = "clCreateProgramWithILKHR",
        kernel::clGetKernelSubGroupInfo = "clGetKernelSubGroupInfoKHR",
        kernel::clGetKernelSuggestedLocalWorkSize = "clGetKernelSuggestedLocalWorkSizeKHR",
        usm::clHostMemAllocINTEL,
        usm::clDeviceMemAllocINTEL,
        usm::clSharedMemAllocINTEL,
        usm::clMemFreeINTEL,
        usm::clMemBlockingFreeINTEL,
        usm::clGetMemAllocInfoINTEL,
        usm::clSetKernelArgMemPointerINTEL,
        usm::clEnqueueMemFillINTEL,
        usm::clEnqueueMemcpyINTEL,
        usm::clEnqueueMigrateMemINTEL,
        usm::clEnqueueMemAdviseINTEL,
    }
    log::debug!("there is no extension function {name}");
    std::ptr::null_mut()
}

/// `clGetExtensionFunctionAddress`.
///
/// # Safety
/// As OpenCL demands.
#[allow(non_snake_case, reason = "the C ABI decides")]
pub(super) unsafe extern "C" fn clGetExtensionFunctionAddress(name: *const c_char) -> *mut c_void {
    // SAFETY: the client gives a string.
    match unsafe { text(name) }.map(|name| name.to_string_lossy()) {
        Some(name) => extension_function(&name),
        None => std::ptr::null_mut(),
    }
}

/// `clGetExtensionFunctionAddressForPlatform`.
///
/// # Safety
/// As OpenCL demands.
#[allow(non_snake_case, reason = "the C ABI decides")]
pub(super) unsafe extern "C" fn clGetExtensionFunctionAddressForPlatform(
    platform: cl_platform_id,
    name: *const c_char,
) -> *mut c_void {
    match object::<Platform>(platform) {
        // SAFETY: passed on to the caller.
        Ok(_) => unsafe { clGetExtensionFunctionAddress(name) },
        Err(_) => std::ptr::null_mut(),
    }
}
