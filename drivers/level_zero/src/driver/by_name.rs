// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Functions that drivers offer by name only, through `zeDriverGetExtensionFunctionAddress`. No header declares them; their
//! types are those of Intel's driver.

use std::ffi::c_char;

use level_zero_sys::*;

use super::check;
use crate::config::Config;
use crate::entry::{entry, err};
use crate::handle::out;

/// The version of the driver in the form of Intel's.
pub(crate) fn version_text() -> String {
    let version = Config::get().driver_version;
    format!("{}.{}.{}", version >> 24, version >> 16 & 0xff, version & 0xffff)
}

entry! {
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
