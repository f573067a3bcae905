// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! An adapter whose functions do nothing: what is left of a call through a loader is the loader.

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{LazyLock, Once};

use oxur_api::*;

static TABLES: LazyLock<DdiTable> = LazyLock::new(|| {
    let mut tables = DdiTable::default();
    tables.Adapter.pfnGet = Some(get);
    tables.Adapter.pfnRetain = Some(retain);
    tables.Adapter.pfnRelease = Some(retain);
    tables.Adapter.pfnGetInfo = Some(info);
    tables.Enqueue.pfnUSMMemcpy = Some(memcpy);
    tables
});

/// The only object: as the ABI demands, it starts with the address of the tables.
static OBJECT: AtomicPtr<DdiTable> = AtomicPtr::new(ptr::null_mut());

unsafe extern "C-unwind" fn get(room: u32, adapters: *mut AdapterHandle, count: *mut u32) -> ResultCode {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| OBJECT.store(ptr::from_ref(&*TABLES).cast_mut(), Ordering::Release));
    if room > 0 && !adapters.is_null() {
        // SAFETY: the caller gives room for at least one handle.
        unsafe { adapters.write(AdapterHandle(OBJECT.as_ptr().cast())) };
    }
    if !count.is_null() {
        // SAFETY: the caller vouches for the place.
        unsafe { count.write(1) };
    }
    ResultCode::SUCCESS
}

unsafe extern "C-unwind" fn info(
    _: AdapterHandle,
    _: AdapterInfo,
    _: usize,
    _: *mut c_void,
    _: *mut usize,
) -> ResultCode {
    ResultCode::ERROR_UNSUPPORTED_ENUMERATION
}

unsafe extern "C-unwind" fn retain(_: AdapterHandle) -> ResultCode {
    ResultCode::SUCCESS
}

unsafe extern "C-unwind" fn memcpy(
    _: QueueHandle,
    _: bool,
    _: *mut c_void,
    _: *const c_void,
    _: usize,
    _: u32,
    _: *const EventHandle,
    _: *mut EventHandle,
) -> ResultCode {
    ResultCode::SUCCESS
}

macro_rules! getters {
    ({} table $member:ident: $table:ident = $getter:ident; $($functions:tt)*) => {
        /// Gives a loader one of the tables.
        ///
        /// # Safety
        /// `table` must be writable.
        #[allow(non_snake_case, reason = "it has its C name")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $getter(_: ApiVersion, table: *mut $table) -> ResultCode {
            // SAFETY: the caller vouches for it.
            unsafe { table.write(TABLES.$member) };
            ResultCode::SUCCESS
        }
    };
}

for_each_table! { getters {} }
