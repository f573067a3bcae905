// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Determines whether SYCL programs can use the CPUs of OpenCL drivers. The position of our CPU adapter depends on it.
//!
//! PoCL exposes the CPU, but accepts SPIR-V only if it was built with it, and Debian 12's is not.

use std::ptr::null_mut;

use oxur_api::*;

use crate::library::Adapter;

/// Whether the drivers behind our OpenCL adapter have CPUs, and none of these accepts SPIR-V. Other projects' adapters are
/// not queried, because they may shut down with the last reference.
pub(crate) fn are_useless(adapter: &Adapter) -> bool {
    if adapter.identity.is_none() {
        return false;
    }
    let mut handle = AdapterHandle::from_ptr(null_mut());
    // SAFETY: there is room for a handle.
    if unsafe { (adapter.get)(1, &mut handle, null_mut()) } != ResultCode::SUCCESS || handle.is_null() {
        return false;
    }
    // SAFETY: the first word of a live handle points to its adapter's table, and adapters are never unloaded.
    let table = unsafe { &**handle.as_ptr().cast::<*const DdiTable>() };
    // SAFETY: a live handle.
    let takes = unsafe { takes_spirv(table, handle) };
    if let Some(release) = table.Adapter.pfnRelease {
        // SAFETY: the reference is ours.
        unsafe { release(handle) };
    }
    !takes.is_empty() && !takes.contains(&true)
}

/// For each CPU, whether it accepts SPIR-V.
///
/// # Safety
/// The handle must be a live one of the adapter with this table.
unsafe fn takes_spirv(table: &DdiTable, adapter: AdapterHandle) -> Vec<bool> {
    let (Some(platforms), Some(devices), Some(info), Some(release)) = (
        table.Platform.pfnGet,
        table.Device.pfnGet,
        table.Device.pfnGetInfo,
        table.Device.pfnRelease,
    ) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    // SAFETY: passed on to the caller; there is room for as many handles.
    let platforms = list(|room, place, count| unsafe { platforms(adapter, room, place, count) });
    for platform in platforms {
        // SAFETY: as above.
        for device in list(|room, place, count| unsafe { devices(platform, DeviceType::CPU, room, place, count) }) {
            let mut text = [0u8; 256];
            // SAFETY: there is room for as many bytes.
            let code = unsafe {
                info(
                    device,
                    DeviceInfo::IL_VERSION,
                    text.len(),
                    text.as_mut_ptr().cast(),
                    null_mut(),
                )
            };
            // An answer that does not fit is a long list.
            let takes = match code {
                ResultCode::SUCCESS => text.windows(6).any(|part| part == b"SPIR-V"),
                ResultCode::ERROR_INVALID_SIZE => true,
                _ => false,
            };
            found.push(takes);
            // SAFETY: the reference is ours.
            unsafe { release(device) };
        }
    }
    found
}

/// Queries the number of handles, then the handles. Empty on an error.
fn list<H: Handle>(get: impl Fn(u32, *mut H, *mut u32) -> ResultCode) -> Vec<H> {
    let mut count = 0;
    if get(0, null_mut(), &mut count) != ResultCode::SUCCESS || count == 0 {
        return Vec::new();
    }
    let mut handles = vec![H::from_ptr(null_mut()); count as usize];
    match get(count, handles.as_mut_ptr(), null_mut()) {
        ResultCode::SUCCESS => handles,
        _ => Vec::new(),
    }
}
