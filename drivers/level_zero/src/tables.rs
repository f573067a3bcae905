// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The tables of functions that a loader asks for, and the functions that this driver does not have. The build script writes
//! both from Level Zero's headers.

use std::ffi::c_void;

use level_zero_sys::*;

/// A function, and the version of the API that added it to its table.
pub(crate) struct Entry {
    version: u32,
    function: *const c_void,
}

// SAFETY: the address of a function.
unsafe impl Sync for Entry {}

/// The oldest version whose tables are known.
const OLDEST: u32 = ZE_MAKE_VERSION(1, 4);

/// Fills a table. A loader of an older version has a table with fewer members, so later ones must not be written.
///
/// # Safety
/// `table` must be null, or have room for a pointer for each function of this version.
unsafe fn fill(version: ze_api_version_t, table: *mut *const c_void, entries: &[Entry]) -> ze_result_t {
    if table.is_null() {
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    }
    let version = version.0;
    if version < OLDEST || ZE_MAJOR_VERSION(version) != 1 {
        crate::entry::init();
        log::error!(
            "the loader wants version {}.{} of the API: a loader of 1.8 or newer is needed",
            ZE_MAJOR_VERSION(version),
            ZE_MINOR_VERSION(version)
        );
        return ZE_RESULT_ERROR_UNSUPPORTED_VERSION;
    }
    for (index, entry) in entries.iter().enumerate().filter(|(_, entry)| entry.version <= version) {
        // SAFETY: the table of this version has the member. All members are pointers to functions.
        unsafe { table.add(index).write(entry.function) };
    }
    ZE_RESULT_SUCCESS
}

macro_rules! entry {
    ($major:literal, $minor:literal, $function:path) => {
        Entry {
            version: ZE_MAKE_VERSION($major, $minor),
            function: $function as *const c_void,
        }
    };
}

macro_rules! table {
    ($getter:ident: $table:ident = $entries:expr) => {
        /// Fills the table of functions of this name.
        ///
        /// # Safety
        /// The table must be null or that of the version.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $getter(version: ze_api_version_t, table: *mut $table) -> ze_result_t {
            static ENTRIES: &[Entry] = &$entries;
            // SAFETY: passed on to the caller.
            unsafe { fill(version, table.cast(), ENTRIES) }
        }
    };
}

/// A function that this driver does not have. It looks at no argument, so it can stand for any.
macro_rules! unsupported {
    ($function:ident) => {
        #[doc(hidden)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $function() -> ze_result_t {
            crate::entry::unsupported(stringify!($function))
        }
    };
}

/// The functions that this driver has, in the order of their names.
macro_rules! own {
    ($(($name:literal, $function:path),)*) => {
        static OWN: &[(&str, Address)] = &[$(($name, Address($function as *const c_void)),)*];
    };
}

/// The address of a function.
struct Address(*const c_void);

// SAFETY: functions may be called from all threads.
unsafe impl Sync for Address {}

/// A function that this driver has.
pub(crate) fn own(name: &str) -> Option<*const c_void> {
    let index = OWN.binary_search_by_key(&name, |(name, _)| name).ok()?;
    Some(OWN[index].1.0)
}

include!(concat!(env!("OUT_DIR"), "/tables.rs"));
