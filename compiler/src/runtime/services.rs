// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Runtime functions that compiled code calls: assertions and address spaces.

use std::ffi::{CStr, c_char};

use spirv::StorageClass;

use super::suspendable::frames_of;
use super::{combination, fibers, trap};
use crate::Fault;
use crate::abi::Item;
use crate::intrinsics::STORAGE_CLASS;

/// The functions that compiled code may call, by name.
pub fn symbols() -> impl Iterator<Item = (&'static str, *const ())> {
    [
        ("oxur_barrier", fibers::oxur_barrier as *const ()),
        ("oxur_collect", fibers::oxur_collect as *const ()),
        ("oxur_arrive", fibers::oxur_arrive as *const ()),
        ("oxur_leave", fibers::oxur_leave as *const ()),
        ("oxur_met", fibers::oxur_met as *const ()),
        ("oxur_combine", combination::oxur_combine as *const ()),
        ("oxur_combine_words", combination::oxur_combine_words as *const ()),
        ("oxur_assert_fail", oxur_assert_fail as *const ()),
        ("oxur_assert_fail_at", oxur_assert_fail_at as *const ()),
        (STORAGE_CLASS, oxur_storage_class as *const ()),
        ("oxur_device_barrier", fibers::oxur_device_barrier as *const ()),
    ]
    .into_iter()
}

/// A failed assertion of a kernel.
unsafe extern "C" fn oxur_assert_fail(
    expression: *const c_char,
    file: *const c_char,
    line: u32,
    function: *const c_char,
) {
    // SAFETY: the caller's are ours.
    unsafe { assert_fail([expression, file, function], line, "") }
}

/// The same, with the ids of the work-item: global, then local.
#[allow(clippy::too_many_arguments)]
unsafe extern "C" fn oxur_assert_fail_at(
    expression: *const c_char,
    file: *const c_char,
    line: u32,
    function: *const c_char,
    g0: u64,
    g1: u64,
    g2: u64,
    l0: u64,
    l1: u64,
    l2: u64,
) {
    let item = format!("global id: [{g0},{g1},{g2}], local id: [{l0},{l1},{l2}] ");
    // SAFETY: the caller's are ours.
    unsafe { assert_fail([expression, file, function], line, &item) }
}

/// # Safety
/// The texts are null or end with a zero. The compiler of the kernel passes them.
unsafe fn assert_fail(texts: [*const c_char; 3], line: u32, item: &str) {
    let [expression, file, function] = texts.map(|text| {
        if text.is_null() {
            "?".into()
        } else {
            // SAFETY: as above.
            unsafe { CStr::from_ptr(text) }.to_string_lossy()
        }
    });
    {
        // The standard library's lock of stderr is held.
        let _section = oxur_fork::section();
        eprintln!("{file}:{line}: {function}: {item}Assertion `{expression}` failed.");
    }
    trap::raise_fault(Fault::Assert(format!("{file}:{line}: {function}: {expression}")));
}

/// The storage class of an address: local memory, the item's private memory, or else global memory.
unsafe extern "C" fn oxur_storage_class(item: *const Item, address: usize) -> u32 {
    // SAFETY: compiled code passes its own item.
    let group = unsafe { &*(*item).group };
    let local = group.local_memory as usize;
    // SAFETY: they live as long as the group.
    let is_in_frame = || !group.frames.is_null() && unsafe { (*frames_of(group)).contains(address) };
    if (local..local + group.local_size as usize).contains(&address) {
        StorageClass::Workgroup as u32
    } else if trap::is_on_stack(address) || is_in_frame() {
        StorageClass::Function as u32
    } else {
        StorageClass::CrossWorkgroup as u32
    }
}
