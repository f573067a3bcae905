// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Functions that drivers offer by name only, through `zeDriverGetExtensionFunctionAddress`. No header declares them; their
//! types are those of Intel's driver.

use std::collections::BTreeMap;
use std::ffi::{c_char, c_void};

use level_zero_sys::*;
use oxur_fork::Mutex;

use super::check;
use crate::config::Config;
use crate::entry::{Error, entry, err};
use crate::handle::out;

/// The host memory that clients imported: its size by its address. Kernels reach it with or without.
static IMPORTED: Mutex<BTreeMap<usize, usize>> = Mutex::new(BTreeMap::new());

/// The imported memory that an address is in: its address and size.
pub(crate) fn imported(address: usize) -> Option<(usize, usize)> {
    let imported = IMPORTED.lock();
    let (&start, &size) = imported.range(..=address).next_back()?;
    (address - start < size).then_some((start, size))
}

/// The version of the driver in the form of Intel's.
pub(crate) fn version_text() -> String {
    let version = Config::get().driver_version;
    format!("{}.{}.{}", version >> 24, version >> 16 & 0xff, version & 0xffff)
}

entry! {
    fn zexDriverImportExternalPointer(driver: ze_driver_handle_t, pointer: *mut c_void, size: usize) {
        // SAFETY: passed on to the caller.
        unsafe { check(driver) }?;
        let start = pointer as usize;
        let Some(end) = start.checked_add(size).filter(|_| !pointer.is_null() && size > 0) else {
            return err(ZE_RESULT_ERROR_INVALID_ARGUMENT);
        };
        let mut imported = IMPORTED.lock();
        let before = imported.range(..end).next_back();
        match before.map(|(&start, &size)| (start, start + size)) {
            Some(same) if same == (start, end) => Ok(()),
            Some((_, other)) if other > start => Err(Error::new(
                ZE_RESULT_ERROR_INVALID_ARGUMENT,
                format_args!("{size} bytes at {pointer:p} overlap memory that is imported already"),
            )),
            _ => {
                imported.insert(start, size);
                Ok(())
            }
        }
    }

    fn zexDriverReleaseImportedPointer(driver: ze_driver_handle_t, pointer: *mut c_void) {
        // SAFETY: passed on to the caller.
        unsafe { check(driver) }?;
        match IMPORTED.lock().remove(&(pointer as usize)) {
            Some(_) => Ok(()),
            None => err(ZE_RESULT_ERROR_INVALID_ARGUMENT),
        }
    }

    fn zexDriverGetHostPointerBaseAddress(driver: ze_driver_handle_t, pointer: *mut c_void, base: *mut *mut c_void) {
        // SAFETY: passed on to the caller.
        let base = unsafe {
            check(driver)?;
            out(base)?
        };
        match imported(pointer as usize) {
            Some((start, _)) => {
                *base = start as *mut c_void;
                Ok(())
            }
            None => err(ZE_RESULT_ERROR_INVALID_ARGUMENT),
        }
    }

    // A size of 0 asks for the size, with the zero at the end.
    fn zeIntelGetDriverVersionString(driver: ze_driver_handle_t, text: *mut c_char, size: *mut usize) {
        // SAFETY: passed on to the caller.
        let size = unsafe {
            check(driver)?;
            out(size)?
        };
        let version = version_text() + "\0";
        if text.is_null() || *size == 0 {
            *size = version.len();
            return Ok(());
        }
        if *size < version.len() {
            return err(ZE_RESULT_ERROR_INVALID_SIZE);
        }
        *size = version.len();
        // SAFETY: the caller says that there is room for `size` bytes.
        unsafe { std::ptr::copy_nonoverlapping(version.as_ptr(), text.cast(), version.len()) };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Driver;

    #[test]
    fn imported_memory() {
        let (_, driver) = Driver::get();
        let bytes = vec![0u8; 300];
        let at = |offset: usize| bytes[offset..].as_ptr().cast_mut().cast::<c_void>();
        // SAFETY: the driver is alive, and nobody accesses the memory.
        let import = |offset, size| unsafe { zexDriverImportExternalPointer(driver, at(offset), size) };
        // SAFETY: as above.
        let release = |offset| unsafe { zexDriverReleaseImportedPointer(driver, at(offset)) };
        assert_eq!(import(100, 100), ZE_RESULT_SUCCESS);
        assert_eq!(import(100, 100), ZE_RESULT_SUCCESS);
        for (offset, size) in [(0, 101), (199, 1), (150, 100), (0, 300), (0, 0), (1, usize::MAX)] {
            assert_eq!(
                import(offset, size),
                ZE_RESULT_ERROR_INVALID_ARGUMENT,
                "{offset} {size}"
            );
        }
        assert_eq!(
            (import(0, 100), import(200, 100)),
            (ZE_RESULT_SUCCESS, ZE_RESULT_SUCCESS)
        );
        let mut base = std::ptr::null_mut();
        // SAFETY: as above.
        let found = unsafe { zexDriverGetHostPointerBaseAddress(driver, at(199), &mut base) };
        assert_eq!((found, base), (ZE_RESULT_SUCCESS, at(100)));
        for offset in [0, 100, 200] {
            assert_eq!(
                (release(offset), release(offset)),
                (ZE_RESULT_SUCCESS, ZE_RESULT_ERROR_INVALID_ARGUMENT)
            );
        }
        assert_eq!(imported(at(150) as usize), None);
    }

    #[test]
    fn driver_version() {
        let (_, driver) = Driver::get();
        let mut size = 0;
        // SAFETY: a null pointer asks for the size.
        unsafe {
            assert_eq!(
                zeIntelGetDriverVersionString(driver, std::ptr::null_mut(), &mut size),
                ZE_RESULT_SUCCESS
            )
        };
        let mut text = vec![1; size];
        // SAFETY: there is room for `size` characters.
        unsafe {
            assert_eq!(
                zeIntelGetDriverVersionString(driver, text.as_mut_ptr(), &mut size),
                ZE_RESULT_SUCCESS
            )
        };
        assert_eq!((size, text.last()), (text.len(), Some(&0)));
    }
}
