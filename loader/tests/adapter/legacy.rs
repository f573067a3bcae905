// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The test adapter with its own functions for older clients.

use oxur_api::*;

mod adapter;

/// The name of this adapter, as adapters based on this project's kit export it.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "it has its C name")]
pub static oxurAdapter: [u8; 13] = *b"test-adapter\0";

const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");

/// The version of the kit.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "it has its C name")]
pub static oxurVersion: [u8; VERSION.len()] = *VERSION.as_bytes().first_chunk().unwrap();

/// Returns the table that only this project's adapters have.
///
/// # Safety
/// `table` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn oxurGetLegacyProcAddrTable(_: ApiVersion, table: *mut LegacyDdiTable) -> ResultCode {
    unsafe extern "C-unwind" fn set_pointer(
        _: KernelHandle,
        index: u32,
        _: *const KernelArgPointerProperties,
        value: *const c_void,
    ) -> ResultCode {
        adapter::tell(format!("own pointer {index} {value:?}"));
        ResultCode::SUCCESS
    }
    // SAFETY: the caller vouches for it.
    unsafe {
        table.write(LegacyDdiTable {
            pfnKernelSetArgPointer: Some(set_pointer),
            ..Default::default()
        })
    };
    ResultCode::SUCCESS
}
