// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Calls of Level Zero in any order: see `calls.rs`. `OXUR_FUZZ_MODULE` names a file with SPIR-V that is right.

#![no_main]

use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::LazyLock;

use level_zero_sys as sys;
use libfuzzer_sys::fuzz_target;
use sys::*;
use ze_oxur_cpu as _;

unsafe extern "C" {
    fn zeInit(flags: ze_init_flags_t) -> ze_result_t;
    fn zeDriverGet(count: *mut u32, drivers: *mut ze_driver_handle_t) -> ze_result_t;
    fn zeDriverGetExtensionFunctionAddress(
        driver: ze_driver_handle_t,
        name: *const c_char,
        function: *mut *mut c_void,
    ) -> ze_result_t;
}

/// The driver that is linked into this program.
struct Linked {
    functions: Functions,
    driver: ze_driver_handle_t,
    device: ze_device_handle_t,
    module: Vec<u8>,
}

// SAFETY: handles and functions are for all threads.
unsafe impl Send for Linked {}
// SAFETY: as above.
unsafe impl Sync for Linked {}

static LINKED: LazyLock<Linked> = LazyLock::new(|| {
    let file = std::env::var_os("OXUR_FUZZ_MODULE").expect("OXUR_FUZZ_MODULE names a module");
    let module = std::fs::read(file).expect("the module can be read");
    let (mut count, mut driver, mut device) = (1, null_mut(), null_mut());
    // SAFETY: the functions are the driver's, and pointers are to variables.
    unsafe {
        assert_eq!(zeInit(0), ZE_RESULT_SUCCESS);
        assert_eq!(zeDriverGet(&mut count, &mut driver), ZE_RESULT_SUCCESS);
        let functions = Functions::load(|name: &CStr| {
            let mut found = null_mut();
            match zeDriverGetExtensionFunctionAddress(driver, name.as_ptr(), &mut found) {
                ZE_RESULT_SUCCESS => found.cast_const(),
                _ => null(),
            }
        });
        assert!(functions.zeDeviceGet(driver, &mut count, &mut device).is_ok());
        Linked {
            functions,
            driver,
            device,
            module,
        }
    }
});

macro_rules! ze {
    ($name:ident($($arg:expr),* $(,)?)) => {{
        let function = super::LINKED.functions.$name.expect("the driver has all functions");
        // SAFETY: memory that the call accesses is valid. Handles may be anything: the driver looks at them.
        #[allow(unused_unsafe, reason = "an argument may be a call by itself")]
        unsafe { function($($arg),*) }
    }};
}
use ze;

#[path = "../calls.rs"]
mod calls;

fuzz_target!(|bytes: &[u8]| {
    let linked = &*LINKED;
    calls::run(bytes, linked.driver, linked.device, &linked.module);
});
