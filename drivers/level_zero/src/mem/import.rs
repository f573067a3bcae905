// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Memory of the client that it makes known to the driver. Kernels can access all memory of the process, so only queries make a
//! difference: it is host memory then, in all contexts.

use std::collections::BTreeMap;
use std::ffi::c_void;

use level_zero_sys::*;
use oxur_fork::RwLock;

use super::block::{Allocation, new_id};
use crate::Driver;
use crate::entry::{Error, ZeResult, entry, err};
use crate::handle::{object, out};

/// By their first address. They do not overlap.
static IMPORTED: RwLock<BTreeMap<usize, Allocation>> = RwLock::new(BTreeMap::new());

/// The imported memory that contains an address.
pub(super) fn find(address: usize) -> Option<Allocation> {
    let imported = IMPORTED.read();
    let (_, found) = imported.range(..=address).next_back()?;
    found.contains(address, 1).then(|| found.clone())
}

fn add(base: usize, size: usize) -> ZeResult {
    let Some(end) = base.checked_add(size).filter(|_| size != 0) else {
        return err(ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    };
    let mut imported = IMPORTED.write();
    let before = imported.range(..end).next_back();
    if before.is_some_and(|(at, other)| at + other.size > base) {
        return Err(Error::new(
            ZE_RESULT_ERROR_INVALID_ARGUMENT,
            format_args!("of the {size} bytes at {base:#x} some are imported already"),
        ));
    }
    let about = Allocation {
        kind: ZE_MEMORY_TYPE_HOST,
        base,
        size,
        device: None,
        id: new_id(),
    };
    imported.insert(base, about);
    Ok(())
}

entry! {
    fn zexDriverImportExternalPointer(driver: ze_driver_handle_t, memory: *mut c_void, size: usize) {
        // SAFETY: passed on to the caller.
        unsafe { object::<Driver>(driver) }?;
        if memory.is_null() {
            return err(ZE_RESULT_ERROR_INVALID_NULL_POINTER);
        }
        add(memory as usize, size)
    }

    fn zexDriverReleaseImportedPointer(driver: ze_driver_handle_t, memory: *mut c_void) {
        // SAFETY: passed on to the caller.
        unsafe { object::<Driver>(driver) }?;
        match IMPORTED.write().remove(&(memory as usize)) {
            Some(_) => Ok(()),
            None => Err(Error::new(
                ZE_RESULT_ERROR_INVALID_ARGUMENT,
                format_args!("no imported memory starts at {memory:p}"),
            )),
        }
    }

    fn zexDriverGetHostPointerBaseAddress(driver: ze_driver_handle_t, memory: *mut c_void, base: *mut *mut c_void) {
        // SAFETY: passed on to the caller.
        let base = unsafe {
            object::<Driver>(driver)?;
            out(base)?
        };
        match find(memory as usize) {
            Some(found) => {
                *base = found.base as *mut c_void;
                Ok(())
            }
            None => Err(Error::new(
                ZE_RESULT_ERROR_INVALID_ARGUMENT,
                format_args!("{memory:p} is not in imported memory"),
            )),
        }
    }
}
