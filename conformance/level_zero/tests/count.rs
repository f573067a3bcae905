// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The rules of counts, which all functions share that fill an array: "if count is zero, then the driver shall update the
//! value with the total number … available. If count is greater than the number … available, then the driver shall update
//! the value with the correct number. … If count is less than the number … available, then the driver shall only retrieve
//! that number".

use std::ptr::null_mut;
use std::slice;

use oxur_conformance_level_zero::intel;
use oxur_conformance_level_zero::sys::*;

/// Functions of Intel's driver that do not correct a count.
const KNOWN: [&str; 1] = ["zeDeviceGet"];

fn bytes<T>(values: &[T]) -> &[u8] {
    // SAFETY: the bytes of initialised structures of integers and pointers, whose padding was zeroed with them.
    unsafe { slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}

/// Checks the rules, and gives all elements.
#[track_caller]
pub fn check_counts<T: Copy>(name: &str, empty: T, get: impl FnMut(*mut u32, *mut T) -> ze_result_t) -> Vec<T> {
    check_counts_of(name, empty, 1, get)
}

/// As [`check_counts`], of a function that may find fewer than one.
#[track_caller]
pub fn check_counts_of<T: Copy>(
    name: &str,
    empty: T,
    least: u32,
    mut get: impl FnMut(*mut u32, *mut T) -> ze_result_t,
) -> Vec<T> {
    let mut total = 0;
    assert_eq!(get(&mut total, null_mut()), ZE_RESULT_SUCCESS, "{name} for the count");
    assert!(total >= least, "{name} has none");
    let all = {
        // Larger than needed: the count is corrected, and nothing is written behind it.
        let mut values = vec![empty; total as usize + 3];
        let mut count = total + 3;
        assert_eq!(
            get(&mut count, values.as_mut_ptr()),
            ZE_RESULT_SUCCESS,
            "{name} for more"
        );
        let known = KNOWN.contains(&name) && intel("zeDeviceGet leaves a count that is too large as it is");
        let corrected = if known { total + 3 } else { total };
        assert_eq!(count, corrected, "{name} corrects a count that is too large");
        assert!(
            bytes(&values[total as usize..]) == bytes(&[empty; 3]),
            "{name} writes behind the last element"
        );
        values.truncate(total as usize);
        values
    };
    if total > 0 {
        // As large as needed.
        let mut values = vec![empty; total as usize];
        let mut count = total;
        assert_eq!(
            get(&mut count, values.as_mut_ptr()),
            ZE_RESULT_SUCCESS,
            "{name} for all"
        );
        assert_eq!(count, total, "{name}");
    }
    if total > 1 {
        // Too small: no more than that is written.
        let mut values = vec![empty; total as usize];
        let mut count = total - 1;
        assert_eq!(
            get(&mut count, values.as_mut_ptr()),
            ZE_RESULT_SUCCESS,
            "{name} for fewer"
        );
        assert_eq!(count, total - 1, "{name} keeps a count that is too small");
        assert!(
            bytes(&values[total as usize - 1..]) == bytes(&[empty]),
            "{name} writes more than it was asked for"
        );
    }
    all
}
