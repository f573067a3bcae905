// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Copies of memory: in a row, and of regions.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use oxur_conformance_level_zero::sys::*;
use oxur_conformance_level_zero::{Context, Rig, Usm, expect, intel, ok, ze};

/// Bytes that differ from their neighbours.
fn pattern(size: usize) -> Vec<u8> {
    (0..size).map(|index| (index * 7 + index / 256) as u8).collect()
}

/// Memory of a kind, with its content.
enum Memory {
    Usm(Usm),
    Vec(Vec<u8>),
}

impl Memory {
    fn all(rig: &Rig, content: &[u8]) -> [Self; 4] {
        [
            Self::Usm(rig.host(content)),
            Self::Usm(rig.shared(content)),
            Self::Usm(rig.device_values(content)),
            Self::Vec(content.to_vec()),
        ]
    }

    fn ptr(&mut self) -> *mut c_void {
        match self {
            Self::Usm(usm) => usm.ptr(),
            Self::Vec(vec) => vec.as_mut_ptr().cast(),
        }
    }

    fn content(&self, rig: &Rig) -> Vec<u8> {
        match self {
            Self::Usm(usm) => rig.read(usm),
            Self::Vec(vec) => vec.clone(),
        }
    }
}

/// zeCommandListAppendMemoryCopy: "Copies host, device, or shared memory", and what the host allocated, in all directions.
#[test]
fn all_kinds() {
    let Some(rig) = Rig::executing() else { return };
    let content = pattern(10_000);
    for mut from in Memory::all(&rig, &content) {
        for mut to in Memory::all(&rig, &[0xee; 10_000]) {
            let (source, target) = (from.ptr(), to.ptr());
            rig.run(|list| list.copy(target, source, content.len(), None, &[]));
            assert!(to.content(&rig) == content);
        }
    }
}

/// zeCommandListAppendMemoryCopy: of any size, from and to any address; what is around the target stays.
#[test]
fn sizes_and_alignments() {
    let Some(rig) = Rig::executing() else { return };
    let content = pattern(70_000);
    let (from, to) = (rig.host(&content), rig.shared(&vec![0u8; 70_000]));
    let list = rig.synchronous();
    for size in [1, 2, 3, 7, 8, 15, 16, 17, 63, 64, 65, 1000, 4095, 4096, 4097, 65_537] {
        for (from_offset, to_offset) in [(0, 0), (1, 0), (0, 1), (3, 5), (13, 1024), (4095, 1)] {
            list.fill(to.ptr(), &[0xaau8], 70_000, None, &[]);
            list.copy(to.at(to_offset), from.at(from_offset), size, None, &[]);
            let got = to.values::<u8>();
            assert!(
                got[..to_offset].iter().all(|byte| *byte == 0xaa),
                "before {size} at {to_offset}"
            );
            assert!(
                got[to_offset..][..size] == content[from_offset..][..size],
                "{size} from {from_offset} to {to_offset}"
            );
            assert!(
                got[to_offset + size..].iter().all(|byte| *byte == 0xaa),
                "behind {size} at {to_offset}"
            );
        }
    }
}

/// zeCommandListAppendMemoryCopy of no bytes does nothing, and signals its event.
#[test]
fn no_bytes() {
    let Some(rig) = Rig::executing() else { return };
    let (from, to, event) = (rig.host(&[1u8; 16]), rig.shared(&[2u8; 16]), rig.event());
    rig.run(|list| list.copy(to.ptr(), from.ptr(), 0, Some(&event), &[]));
    assert!(event.is_signalled());
    assert_eq!(to.values::<u8>(), [2; 16]);
}

/// zeCommandListAppendMemoryCopy: "The implementation must not access the memory pointed to by dstptr and srcptr as they are
/// free to be modified by either the Host or device up until execution".
#[test]
fn read_at_execution() {
    let Some(rig) = Rig::executing() else { return };
    let (mut from, to) = (rig.host(&[1u32; 4]), rig.shared(&[0u32; 4]));
    let mut plain = vec![1u32; 4];
    let also = rig.shared(&[0u32; 4]);
    let (list, queue) = (rig.list(), rig.queue());
    list.copy(to.ptr(), from.ptr(), 16, None, &[]);
    list.copy(also.ptr(), plain.as_mut_ptr().cast(), 16, None, &[]);
    list.close();
    for value in [5, 6] {
        from.values_mut::<u32>().fill(value);
        plain.fill(value);
        queue.execute(&[&list]);
        queue.synchronize();
        assert_eq!(to.values::<u32>(), [value; 4]);
        assert_eq!(also.values::<u32>(), [value; 4]);
    }
}

/// Large copies.
#[test]
fn large() {
    let Some(rig) = Rig::executing() else { return };
    let content = pattern(40 << 20);
    let device = rig.device_memory(content.len());
    let mut back = vec![0u8; content.len()];
    let list = rig.in_order();
    list.copy(device.ptr(), content.as_ptr().cast(), content.len(), None, &[]);
    list.copy(back.as_mut_ptr().cast(), device.ptr(), content.len(), None, &[]);
    list.synchronize();
    assert!(back == content);
}

/// zeCommandListAppendMemoryCopy: null pointers are refused; so is a count of events without events.
#[test]
fn bad_arguments() {
    let rig = Rig::new();
    let (list, usm) = (rig.list(), rig.shared(&[0u8; 64]));
    let (list, ptr, none) = (list.raw(), usm.ptr(), null_mut());
    expect!(
        zeCommandListAppendMemoryCopy(list, null_mut(), ptr, 64, none, 0, null_mut()),
        ZE_RESULT_ERROR_INVALID_NULL_POINTER
    );
    expect!(
        zeCommandListAppendMemoryCopy(list, ptr, null(), 64, none, 0, null_mut()),
        ZE_RESULT_ERROR_INVALID_NULL_POINTER
    );
    expect!(
        zeCommandListAppendMemoryCopy(list, ptr, ptr, 64, none, 1, null_mut()),
        ZE_RESULT_ERROR_INVALID_SIZE
    );
}

/// zeCommandListAppendMemoryCopyFromContext: from memory of another context of the driver.
#[test]
fn from_another_context() {
    let rig = Rig::new();
    let other = Context::new(rig.driver);
    let mut from = Usm::host(&other, 64);
    from.values_mut::<u8>().fill(9);
    let (to, list) = (rig.shared(&[0u8; 64]), rig.list());
    ok!(zeCommandListAppendMemoryCopyFromContext(
        list.raw(),
        to.ptr(),
        other.raw(),
        from.ptr(),
        64,
        null_mut(),
        0,
        null_mut()
    ));
    let Some(rig) = Rig::executing() else { return };
    list.close();
    let queue = rig.queue();
    queue.execute(&[&list]);
    queue.synchronize();
    assert_eq!(to.values::<u8>(), [9; 64]);
}

/// zeCommandListAppendMemoryCopyWithParameters: as zeCommandListAppendMemoryCopy without additional parameters.
#[test]
fn with_parameters() {
    let Some(rig) = Rig::executing() else { return };
    let (from, to, list) = (rig.host(&[4u8; 64]), rig.shared(&[0u8; 64]), rig.in_order());
    let result = ze!(zeCommandListAppendMemoryCopyWithParameters(
        list.raw(),
        to.ptr(),
        from.ptr(),
        64,
        null(),
        null_mut(),
        0,
        null_mut()
    ));
    assert_eq!(result, ZE_RESULT_SUCCESS);
    list.synchronize();
    assert_eq!(to.values::<u8>(), [4; 64]);
}

/// The region of an array, in bytes, rows and slices.
fn region([originX, originY, originZ]: [u32; 3], [width, height, depth]: [u32; 3]) -> ze_copy_region_t {
    ze_copy_region_t {
        originX,
        originY,
        originZ,
        width,
        height,
        depth,
    }
}

/// A region copy, and the arrays that it is one of.
struct Case {
    extent: [u32; 3],
    from: ([u32; 3], u32, u32),
    to: ([u32; 3], u32, u32),
}

fn check(rig: &Rig, case: &Case) {
    let size = 20_000;
    let content = pattern(size);
    let (from, to) = (rig.host(&content), rig.shared(&vec![0x55u8; size]));
    let (from_region, to_region) = (region(case.from.0, case.extent), region(case.to.0, case.extent));
    rig.run(|list| {
        ok!(zeCommandListAppendMemoryCopyRegion(
            list.raw(),
            to.ptr(),
            &to_region,
            case.to.1,
            case.to.2,
            from.ptr(),
            &from_region,
            case.from.1,
            case.from.2,
            null_mut(),
            0,
            null_mut()
        ));
    });
    let mut expected = vec![0x55u8; size];
    let at = |([x, y, z], pitch, slice): ([u32; 3], u32, u32), row: u32, plane: u32| {
        ((z + plane) * slice + (y + row) * pitch + x) as usize
    };
    let [width, height, depth] = case.extent;
    for plane in 0..depth.max(1) {
        for row in 0..height {
            let (source, target) = (at(case.from, row, plane), at(case.to, row, plane));
            expected[target..][..width as usize].copy_from_slice(&content[source..][..width as usize]);
        }
    }
    assert!(
        to.values::<u8>() == expected,
        "{:?} {:?} {:?}",
        case.extent,
        case.from,
        case.to
    );
}

/// zeCommandListAppendMemoryCopyRegion in two dimensions: "Set this \[depth\] to 0 for 2D copy"; slice pitches are ignored.
#[test]
fn regions_2d() {
    let Some(rig) = Rig::executing() else { return };
    for (extent, from, to) in [
        ([16, 4, 0], ([0, 0, 0], 64), ([0, 0, 0], 64)),
        ([16, 4, 0], ([3, 2, 0], 64), ([5, 1, 0], 100)),
        ([1, 1, 0], ([63, 7, 0], 64), ([0, 9, 0], 32)),
        ([64, 100, 0], ([0, 0, 0], 64), ([0, 0, 0], 128)),
        ([33, 50, 0], ([7, 3, 0], 77), ([11, 5, 0], 91)),
    ] {
        let (from, to) = ((from.0, from.1, 0), (to.0, to.1, 0));
        check(&rig, &Case { extent, from, to });
    }
}

/// zeCommandListAppendMemoryCopyRegion in three dimensions, with slice pitches.
#[test]
fn regions_3d() {
    let Some(rig) = Rig::executing() else { return };
    for (extent, from, to) in [
        ([16, 4, 1], ([0, 0, 0], 64, 1024), ([0, 0, 0], 64, 1024)),
        ([16, 4, 3], ([0, 0, 0], 64, 1024), ([0, 0, 0], 64, 1024)),
        ([16, 4, 3], ([3, 2, 1], 64, 1024), ([5, 1, 4], 100, 2000)),
        ([64, 16, 8], ([0, 0, 0], 64, 1024), ([0, 0, 0], 64, 1024)),
        ([7, 5, 4], ([1, 2, 3], 31, 500), ([2, 3, 4], 37, 700)),
    ] {
        check(&rig, &Case { extent, from, to });
    }
}

/// zeCommandListAppendMemoryCopyRegion: ZE_RESULT_ERROR_OVERLAPPING_REGIONS: "The src and dst regions cannot be overlapping".
#[test]
fn overlapping_regions() {
    let rig = Rig::new();
    let (list, usm) = (rig.list(), rig.shared(&[0u8; 4096]));
    let append = |to: &ze_copy_region_t, from: &ze_copy_region_t| {
        ze!(zeCommandListAppendMemoryCopyRegion(
            list.raw(),
            usm.ptr(),
            to,
            64,
            0,
            usm.ptr(),
            from,
            64,
            0,
            null_mut(),
            0,
            null_mut()
        ))
    };
    let extent = [16, 8, 0];
    let result = append(&region([8, 4, 0], extent), &region([0, 0, 0], extent));
    let known = intel("the driver does not look for overlapping regions");
    let expected = if known {
        ZE_RESULT_SUCCESS
    } else {
        ZE_RESULT_ERROR_OVERLAPPING_REGIONS
    };
    assert_eq!(result, expected);
    let result = append(&region([16, 0, 0], extent), &region([0, 0, 0], extent));
    assert_eq!(result, ZE_RESULT_SUCCESS, "side by side");
}

/// zeCommandListAppendMemoryCopyRegion: null regions are refused.
#[test]
fn no_regions() {
    let rig = Rig::new();
    let (list, usm, whole) = (rig.list(), rig.shared(&[0u8; 4096]), region([0; 3], [4, 4, 0]));
    for (to, from) in [(null(), &raw const whole), (&raw const whole, null())] {
        let result = ze!(zeCommandListAppendMemoryCopyRegion(
            list.raw(),
            usm.at(2048),
            to,
            64,
            0,
            usm.ptr(),
            from,
            64,
            0,
            null_mut(),
            0,
            null_mut()
        ));
        assert_eq!(result, ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    }
}
