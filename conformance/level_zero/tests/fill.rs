// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Fills of memory.

use std::ptr::{null, null_mut};

use oxur_conformance_level_zero::sys::*;
use oxur_conformance_level_zero::{Rig, expect, ze};

fn pattern(size: usize) -> Vec<u8> {
    (0..size).map(|index| (index * 3 + 1) as u8).collect()
}

/// zeCommandListAppendMemoryFill: "The pattern size must be a power-of-two and less than or equal to the
/// maxMemoryFillPatternSize"; "The size must be a multiple of pattern size". What is around stays.
#[test]
fn patterns() {
    let Some(rig) = Rig::executing() else { return };
    let largest = rig.queue_groups()[rig.compute_ordinal() as usize].maxMemoryFillPatternSize;
    let list = rig.synchronous();
    for usm in [rig.shared(&[0u8; 9000]), rig.host(&[0u8; 9000])] {
        for size in [1, 2, 4, 8, 16, 32, 64, 128]
            .into_iter()
            .filter(|size| *size <= largest)
        {
            for times in [1, 2, 3, 7, 60] {
                for start in [0, size] {
                    list.fill(usm.ptr(), &[0xeeu8], 9000, None, &[]);
                    list.fill(usm.at(start), &pattern(size), size * times, None, &[]);
                    let got = usm.values::<u8>();
                    let end = start + size * times;
                    assert!(got[..start].iter().all(|byte| *byte == 0xee));
                    assert!(
                        got[start..end] == pattern(size).repeat(times),
                        "{times} of {size} at {start}"
                    );
                    assert!(got[end..].iter().all(|byte| *byte == 0xee), "behind {times} of {size}");
                }
            }
        }
    }
}

/// zeCommandListAppendMemoryFill with one byte: any size, any address.
#[test]
fn bytes() {
    let Some(rig) = Rig::executing() else { return };
    let (usm, list) = (rig.shared(&[0u8; 5000]), rig.synchronous());
    for size in [1, 3, 7, 15, 31, 33, 65, 127, 1001, 4093] {
        for start in [0, 1, 3, 13, 511] {
            list.fill(usm.ptr(), &[0u8], 5000, None, &[]);
            list.fill(usm.at(start), &[0x5au8], size, None, &[]);
            let got = usm.values::<u8>();
            for (index, byte) in got.iter().enumerate() {
                let expected = if (start..start + size).contains(&index) {
                    0x5a
                } else {
                    0
                };
                assert_eq!(*byte, expected, "{index}: {size} at {start}");
            }
        }
    }
}

/// zeCommandListAppendMemoryFill of device memory.
#[test]
fn device_memory() {
    let Some(rig) = Rig::executing() else { return };
    let usm = rig.device_memory(1 << 20);
    rig.run(|list| list.fill(usm.ptr(), &[0x1234_5678u32], 1 << 20, None, &[]));
    assert!(rig.read::<u32>(&usm).iter().all(|value| *value == 0x1234_5678));
}

/// zeCommandListAppendMemoryFill: "pattern" is the application's again when the function returns.
#[test]
fn pattern_is_copied() {
    let Some(rig) = Rig::executing() else { return };
    let (usm, queue, list) = (rig.shared(&[0u8; 256]), rig.queue(), rig.list());
    let mut value = pattern(16);
    list.fill(usm.ptr(), &value, 256, None, &[]);
    value.fill(0);
    drop(value);
    list.close();
    for _ in 0..3 {
        queue.execute(&[&list]);
    }
    queue.synchronize();
    assert!(usm.values::<u8>() == pattern(16).repeat(16));
}

/// zeCommandListAppendMemoryFill of no bytes does nothing, and signals its event.
#[test]
fn no_bytes() {
    let Some(rig) = Rig::executing() else { return };
    let (usm, event) = (rig.shared(&[7u8; 64]), rig.event());
    rig.run(|list| list.fill(usm.ptr(), &[1u8], 0, Some(&event), &[]));
    assert!(event.is_signalled());
    assert_eq!(usm.values::<u8>(), [7; 64]);
}

/// zeCommandListAppendMemoryFill: `size % pattern_size != 0` is an invalid size.
#[test]
fn size_is_no_multiple() {
    let rig = Rig::new();
    let (usm, list, value) = (rig.shared(&[0u8; 64]), rig.list(), [0u8; 16]);
    for (pattern_size, size) in [(4, 6), (16, 24), (8, 4)] {
        expect!(
            zeCommandListAppendMemoryFill(
                list.raw(),
                usm.ptr(),
                value.as_ptr().cast(),
                pattern_size,
                size,
                null_mut(),
                0,
                null_mut()
            ),
            ZE_RESULT_ERROR_INVALID_SIZE
        );
    }
}

/// zeCommandListAppendMemoryFill: null pointers are refused; so is a count of events without events.
#[test]
fn bad_arguments() {
    let rig = Rig::new();
    let (usm, list, value) = (rig.shared(&[0u8; 64]), rig.list(), [0u8; 16]);
    let value = value.as_ptr().cast();
    expect!(
        zeCommandListAppendMemoryFill(list.raw(), null_mut(), value, 4, 64, null_mut(), 0, null_mut()),
        ZE_RESULT_ERROR_INVALID_NULL_POINTER
    );
    expect!(
        zeCommandListAppendMemoryFill(list.raw(), usm.ptr(), null(), 4, 64, null_mut(), 0, null_mut()),
        ZE_RESULT_ERROR_INVALID_NULL_POINTER
    );
    expect!(
        zeCommandListAppendMemoryFill(list.raw(), usm.ptr(), value, 4, 64, null_mut(), 1, null_mut()),
        ZE_RESULT_ERROR_INVALID_SIZE
    );
}

/// zeCommandListAppendMemoryFillWithParameters: as zeCommandListAppendMemoryFill without additional parameters.
#[test]
fn with_parameters() {
    let Some(rig) = Rig::executing() else { return };
    let (usm, list, value) = (rig.shared(&[0u8; 64]), rig.in_order(), 0x77u8);
    let result = ze!(zeCommandListAppendMemoryFillWithParameters(
        list.raw(),
        usm.ptr(),
        (&raw const value).cast(),
        1,
        64,
        null(),
        null_mut(),
        0,
        null_mut()
    ));
    assert_eq!(result, ZE_RESULT_SUCCESS);
    list.synchronize();
    assert_eq!(usm.values::<u8>(), [0x77; 64]);
}
