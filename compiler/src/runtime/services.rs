// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What compiled code calls of the runtime, beside exchanges.

use std::ffi::{CStr, c_char};

use spirv::StorageClass;

use super::{Item, fibers, guard};
use crate::Fault;

/// The functions that compiled code may call, by name.
pub fn symbols() -> impl Iterator<Item = (&'static str, *const ())> {
    [
        ("oxur_barrier", fibers::oxur_barrier as *const ()),
        ("oxur_collect", fibers::oxur_collect as *const ()),
        ("oxur_assert_fail", oxur_assert_fail as *const ()),
        ("oxur_storage_class", oxur_storage_class as *const ()),
        ("oxur_device_barrier", fibers::oxur_device_barrier as *const ()),
    ]
    .into_iter()
}

/// An assertion of the kernel's has failed.
unsafe extern "C" fn oxur_assert_fail(
    expression: *const c_char,
    file: *const c_char,
    line: u32,
    function: *const c_char,
) {
    // SAFETY: the compiler of the kernel passes texts that end with a zero, or null.
    let text = |p: *const c_char| unsafe {
        if p.is_null() {
            "?".into()
        } else {
            CStr::from_ptr(p).to_string_lossy()
        }
    };
    let message = format!("{}:{line}: {}: {}", text(file), text(function), text(expression));
    eprintln!(
        "{}:{line}: {}: Assertion `{}` failed.",
        text(file),
        text(function),
        text(expression)
    );
    guard::give_up(Fault::Assert(message));
}

/// What storage class an address is of: local memory, the item's own, or else the device's.
unsafe extern "C" fn oxur_storage_class(item: *const Item, address: usize) -> u32 {
    // SAFETY: compiled code passes the item that runs it.
    let group = unsafe { &*(*item).group };
    let local = group.local_memory as usize;
    if (local..local + group.local_size as usize).contains(&address) {
        StorageClass::Workgroup as u32
    } else if guard::is_on_stack(address) {
        StorageClass::Function as u32
    } else {
        StorageClass::CrossWorkgroup as u32
    }
}
