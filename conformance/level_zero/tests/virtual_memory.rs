// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Virtual and physical memory.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use oxur_conformance_level_zero::sys::*;
use oxur_conformance_level_zero::{Rig, expect, ok, ze};

/// The rig on a driver that has virtual memory: on Intel's it needs a GPU.
fn rig() -> Option<Rig> {
    let rig = Rig::new();
    let mut ptr = null_mut();
    expect!(
        zeVirtualMemReserve(rig.context.raw(), null(), 1 << 21, &mut ptr), ZE_RESULT_SUCCESS;
        intel ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "there is no virtual memory without a GPU"
    );
    if ptr.is_null() {
        return None;
    }
    ok!(zeVirtualMemFree(rig.context.raw(), ptr, 1 << 21));
    Some(rig)
}

/// The page size for some bytes.
fn page(rig: &Rig, size: usize) -> usize {
    let mut page = 0;
    ok!(zeVirtualMemQueryPageSize(
        rig.context.raw(),
        rig.device,
        size,
        &mut page
    ));
    assert!(page.is_power_of_two(), "{page}");
    page
}

fn reserve(rig: &Rig, size: usize) -> *mut c_void {
    let mut ptr = null_mut();
    ok!(zeVirtualMemReserve(rig.context.raw(), null(), size, &mut ptr));
    assert!(!ptr.is_null());
    ptr
}

fn physical(rig: &Rig, size: usize) -> ze_physical_mem_handle_t {
    let mut desc = ze_physical_mem_desc_t {
        size,
        ..Default::default()
    };
    let mut memory = null_mut();
    ok!(zePhysicalMemCreate(
        rig.context.raw(),
        rig.device,
        &mut desc,
        &mut memory
    ));
    memory
}

fn map(rig: &Rig, ptr: *const c_void, size: usize, memory: ze_physical_mem_handle_t, offset: usize) {
    let access = ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE;
    ok!(zeVirtualMemMap(rig.context.raw(), ptr, size, memory, offset, access));
}

/// zeVirtualMemQueryPageSize: of any size but zero.
#[test]
fn page_sizes() {
    let rig = Rig::new();
    for size in [1, 4096, 1 << 16, (1 << 21) + 1] {
        page(&rig, size);
    }
    expect!(
        zeVirtualMemQueryPageSize(rig.context.raw(), rig.device, 0, &mut 0),
        ZE_RESULT_ERROR_UNSUPPORTED_SIZE
    );
}

/// zeVirtualMemReserve, zeVirtualMemFree: ranges that do not overlap, aligned to pages.
#[test]
fn reservations() {
    let Some(rig) = rig() else { return };
    let page = page(&rig, 1);
    let mut ranges: Vec<_> = (1..10)
        .map(|pages| (reserve(&rig, pages * page) as usize, pages * page))
        .collect();
    ranges.sort_unstable();
    assert!(ranges.iter().all(|(start, _)| start % page == 0));
    assert!(ranges.windows(2).all(|pair| pair[0].0 + pair[0].1 <= pair[1].0));
    for (start, size) in ranges {
        ok!(zeVirtualMemFree(rig.context.raw(), start as *const c_void, size));
    }
}

/// zeVirtualMemReserve: "If pStart is not null then implementation will attempt to reserve starting from that address. If not
/// available then will find another".
#[test]
fn reservation_at() {
    let Some(rig) = rig() else { return };
    let (context, size) = (rig.context.raw(), page(&rig, 1));
    let first = reserve(&rig, size);
    let mut second = null_mut();
    ok!(zeVirtualMemReserve(context, first, size, &mut second));
    assert!(!second.is_null() && second != first);
    ok!(zeVirtualMemFree(context, second, size));
    ok!(zeVirtualMemFree(context, first, size));
    ok!(zeVirtualMemReserve(context, first, size, &mut second));
    ok!(zeVirtualMemFree(context, second, size));
}

/// zeVirtualMemReserve, zePhysicalMemCreate: `0 == size` is an unsupported size; sizes must be aligned to pages.
#[test]
fn bad_sizes() {
    let Some(rig) = rig() else { return };
    let context = rig.context.raw();
    let mut ptr = null_mut();
    expect!(
        zeVirtualMemReserve(context, null(), 0, &mut ptr),
        ZE_RESULT_ERROR_UNSUPPORTED_SIZE
    );
    let create = |size, flags| {
        let mut desc = ze_physical_mem_desc_t {
            size,
            flags,
            ..Default::default()
        };
        ze!(zePhysicalMemCreate(context, rig.device, &mut desc, &mut null_mut()))
    };
    assert_eq!(create(0, 0), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    let odd = create(page(&rig, 1) + 1, 0);
    assert!(
        [ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT, ZE_RESULT_ERROR_UNSUPPORTED_SIZE].contains(&odd),
        "{odd}"
    );
    assert_eq!(create(page(&rig, 1), 8), ZE_RESULT_ERROR_INVALID_ENUMERATION);
}

/// zeVirtualMemMap: memory that commands write and read; two ranges of one memory see the same.
#[test]
fn mapped() {
    let Some(rig) = rig() else { return };
    let (context, size) = (rig.context.raw(), page(&rig, 1));
    let memory = physical(&rig, 2 * size);
    let (first, second) = (reserve(&rig, 2 * size), reserve(&rig, size));
    map(&rig, first, 2 * size, memory, 0);
    map(&rig, second, size, memory, size);
    rig.run(|list| {
        list.fill(first, &[1u32], size, None, &[]);
        list.fill(first.wrapping_byte_add(size), &[2u32], size, None, &[]);
    });
    assert!(rig.read_at::<u32>(second, size / 4).iter().all(|value| *value == 2));
    let kernel = rig.kernel("basic", "add");
    kernel.group_size([32, 1, 1]);
    kernel.set_ptr(0, second);
    kernel.set(1, 5i32);
    rig.run(|list| list.launch(&kernel, [1, 1, 1], None, &[]));
    assert_eq!(rig.read_at::<u32>(first.wrapping_byte_add(size), 33)[31..], [7, 2]);
    assert_eq!(rig.read_at::<u32>(first, 4), [1; 4]);
    ok!(zeVirtualMemUnmap(context, first, 2 * size));
    ok!(zeVirtualMemUnmap(context, second, size));
    // The memory is still there.
    map(&rig, first, size, memory, size);
    assert_eq!(rig.read_at::<u32>(first, 2), [7, 7]);
    ok!(zeVirtualMemUnmap(context, first, size));
    ok!(zeVirtualMemFree(context, first, 2 * size));
    ok!(zeVirtualMemFree(context, second, size));
    ok!(zePhysicalMemDestroy(context, memory));
}

/// zeVirtualMemFree: "Any existing virtual mappings for the range will be unmapped … will not be
/// destroyed".
#[test]
fn free_unmaps() {
    let Some(rig) = rig() else { return };
    let (context, size) = (rig.context.raw(), page(&rig, 1));
    let (memory, ptr) = (physical(&rig, size), reserve(&rig, size));
    map(&rig, ptr, size, memory, 0);
    ok!(zeVirtualMemFree(context, ptr, size));
    let ptr = reserve(&rig, size);
    map(&rig, ptr, size, memory, 0);
    ok!(zeVirtualMemUnmap(context, ptr, size));
    ok!(zeVirtualMemFree(context, ptr, size));
    ok!(zePhysicalMemDestroy(context, memory));
}

/// zeVirtualMemSetAccessAttribute, zeVirtualMemGetAccessAttribute: none when reserved, and "revert back to none" when unmapped;
/// outSize is the "size of virtual address range, starting at ptr, that shares same access attribute".
#[test]
fn access_attributes() {
    let Some(rig) = rig() else { return };
    let (context, size) = (rig.context.raw(), page(&rig, 1));
    let (memory, ptr) = (physical(&rig, 2 * size), reserve(&rig, 2 * size));
    let get = |ptr, size| {
        let (mut access, mut out) = (ze_memory_access_attribute_t(9), 0);
        ok!(zeVirtualMemGetAccessAttribute(
            context,
            ptr,
            size,
            &mut access,
            &mut out
        ));
        (access, out)
    };
    assert_eq!(get(ptr, 2 * size), (ZE_MEMORY_ACCESS_ATTRIBUTE_NONE, 2 * size));
    map(&rig, ptr, 2 * size, memory, 0);
    assert_eq!(get(ptr, 2 * size), (ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE, 2 * size));
    let read_only = ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY;
    ok!(zeVirtualMemSetAccessAttribute(context, ptr, 2 * size, read_only));
    assert_eq!(get(ptr, 2 * size), (read_only, 2 * size));
    ok!(zeVirtualMemSetAccessAttribute(
        context,
        ptr,
        size,
        ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE
    ));
    assert_eq!(get(ptr, 2 * size), (ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE, size));
    let second = ptr.wrapping_byte_add(size);
    assert_eq!(get(second, size), (read_only, size));
    expect!(
        zeVirtualMemSetAccessAttribute(context, ptr, size, ze_memory_access_attribute_t(3)),
        ZE_RESULT_ERROR_INVALID_ENUMERATION
    );
    ok!(zeVirtualMemUnmap(context, ptr, 2 * size));
    assert_eq!(get(ptr, 2 * size), (ZE_MEMORY_ACCESS_ATTRIBUTE_NONE, 2 * size));
    ok!(zeVirtualMemFree(context, ptr, 2 * size));
    ok!(zePhysicalMemDestroy(context, memory));
}

/// zeVirtualMemMap: `READONLY < access` is an invalid enumeration, `0 == size` an unsupported size.
#[test]
fn bad_maps() {
    let Some(rig) = rig() else { return };
    let (context, size) = (rig.context.raw(), page(&rig, 1));
    let (memory, ptr) = (physical(&rig, size), reserve(&rig, size));
    let map = |size, access| {
        ze!(zeVirtualMemMap(
            context,
            ptr,
            size,
            memory,
            0,
            ze_memory_access_attribute_t(access)
        ))
    };
    assert_eq!(map(size, 3), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    assert_eq!(map(0, 1), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    ok!(zeVirtualMemFree(context, ptr, size));
    ok!(zePhysicalMemDestroy(context, memory));
}

/// ZE_PHYSICAL_MEM_FLAG_ALLOCATE_ON_HOST: "Allocate physical host memory instead"; the device "can be nullptr".
#[test]
fn physical_host_memory() {
    let Some(rig) = rig() else { return };
    let (context, size) = (rig.context.raw(), page(&rig, 1));
    let mut desc = ze_physical_mem_desc_t {
        size,
        flags: ZE_PHYSICAL_MEM_FLAG_ALLOCATE_ON_HOST,
        ..Default::default()
    };
    let mut memory = null_mut();
    ok!(zePhysicalMemCreate(context, null_mut(), &mut desc, &mut memory));
    let ptr = reserve(&rig, size);
    map(&rig, ptr, size, memory, 0);
    rig.run(|list| list.fill(ptr, &[3u32], size, None, &[]));
    assert_eq!(rig.read_at::<u32>(ptr, 2), [3; 2]);
    let mut properties = ze_physical_mem_properties_t::default();
    ok!(zePhysicalMemGetProperties(context, memory, &mut properties));
    assert_eq!(properties.size, size as u64);
    ok!(zeVirtualMemUnmap(context, ptr, size));
    ok!(zeVirtualMemFree(context, ptr, size));
    ok!(zePhysicalMemDestroy(context, memory));
}
