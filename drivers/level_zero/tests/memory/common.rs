// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The library, and what all tests need of it.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::OnceLock;

use level_zero_sys::*;

/// The library that was built with the tests.
pub fn library() -> std::path::PathBuf {
    let test = std::env::current_exe().unwrap();
    test.with_file_name("libze_oxur_cpu.so")
}

/// The driver's functions.
pub fn ze() -> &'static Loader {
    static LOADER: OnceLock<Loader> = OnceLock::new();
    LOADER.get_or_init(|| {
        // SAFETY: the library is the driver, which exports Level Zero's functions.
        unsafe { Loader::open_at(library()) }.unwrap()
    })
}

/// Calls a function of Level Zero, and returns its result.
macro_rules! call {
    ($function:ident($($argument:expr),* $(,)?)) => {{
        let ze = $crate::common::ze();
        #[allow(unused_unsafe, reason = "the caller may be unsafe already")]
        // SAFETY: the tests pass what the specification asks for, or what the driver has to refuse without using it.
        unsafe { ze.$function($($argument),*) }.expect(stringify!($function))
    }};
}

/// Calls a function of Level Zero, which has to succeed.
macro_rules! ok {
    ($function:ident($($argument:expr),* $(,)?)) => {
        assert_eq!($crate::common::call!($function($($argument),*)), ZE_RESULT_SUCCESS, stringify!($function))
    };
}
pub(crate) use {call, ok};

/// The driver, its first device, and a context.
pub struct Setup {
    pub driver: ze_driver_handle_t,
    pub device: ze_device_handle_t,
    pub context: ze_context_handle_t,
}

impl Setup {
    pub fn new() -> Self {
        let (mut driver, mut device, mut context) = (null_mut(), null_mut(), null_mut());
        let mut count = 1;
        ok!(zeInit(0));
        ok!(zeDriverGet(&mut count, &mut driver));
        ok!(zeDeviceGet(driver, &mut count, &mut device));
        ok!(zeContextCreate(driver, &ze_context_desc_t::default(), &mut context));
        Self {
            driver,
            device,
            context,
        }
    }

    /// Device memory, or what is wrong.
    pub fn device_memory(&self, size: usize, align: usize) -> Result<*mut c_void, ze_result_t> {
        let mut memory = null_mut();
        let desc = ze_device_mem_alloc_desc_t::default();
        call!(zeMemAllocDevice(
            self.context,
            &desc,
            size,
            align,
            self.device,
            &mut memory
        ))
        .ok()?;
        Ok(memory)
    }

    /// Host memory.
    pub fn host_memory(&self, size: usize, align: usize) -> Result<*mut c_void, ze_result_t> {
        let mut memory = null_mut();
        let desc = ze_host_mem_alloc_desc_t::default();
        call!(zeMemAllocHost(self.context, &desc, size, align, &mut memory)).ok()?;
        Ok(memory)
    }

    /// Shared memory.
    pub fn shared_memory(&self, size: usize, align: usize) -> Result<*mut c_void, ze_result_t> {
        let mut memory = null_mut();
        let (device_desc, host_desc) = Default::default();
        call!(zeMemAllocShared(
            self.context,
            &device_desc,
            &host_desc,
            size,
            align,
            self.device,
            &mut memory
        ))
        .ok()?;
        Ok(memory)
    }

    pub fn free(&self, memory: *mut c_void) {
        ok!(zeMemFree(self.context, memory));
    }

    /// The type of memory, its number and its device.
    pub fn properties(&self, memory: *const c_void) -> (ze_memory_type_t, u64, ze_device_handle_t) {
        let mut properties = ze_memory_allocation_properties_t::default();
        let mut device = null_mut();
        ok!(zeMemGetAllocProperties(
            self.context,
            memory,
            &mut properties,
            &mut device
        ));
        (properties.type_, properties.id, device)
    }

    /// The allocation that an address is in.
    pub fn range(&self, memory: *const c_void) -> Option<(*mut c_void, usize)> {
        let (mut base, mut size) = (null_mut(), 0);
        match call!(zeMemGetAddressRange(self.context, memory, &mut base, &mut size)) {
            ZE_RESULT_SUCCESS => Some((base, size)),
            ZE_RESULT_ERROR_ADDRESS_NOT_FOUND => None,
            other => panic!("{other}"),
        }
    }
}

impl Drop for Setup {
    fn drop(&mut self) {
        ok!(zeContextDestroy(self.context));
    }
}
