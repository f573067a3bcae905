// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Reserved addresses and physical memory.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use level_zero_sys::*;

use crate::common::{Setup, call, ok};

const READ_WRITE: ze_memory_access_attribute_t = ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE;

fn page(setup: &Setup) -> usize {
    let mut page = 0;
    ok!(zeVirtualMemQueryPageSize(setup.context, setup.device, 100, &mut page));
    page
}

fn physical(setup: &Setup, size: usize) -> Result<ze_physical_mem_handle_t, ze_result_t> {
    let mut memory = null_mut();
    let mut desc = ze_physical_mem_desc_t {
        size,
        ..Default::default()
    };
    call!(zePhysicalMemCreate(setup.context, setup.device, &mut desc, &mut memory)).ok()?;
    Ok(memory)
}

fn reserve(setup: &Setup, size: usize) -> Result<*mut c_void, ze_result_t> {
    let mut start = null_mut();
    call!(zeVirtualMemReserve(setup.context, null(), size, &mut start)).ok()?;
    Ok(start)
}

fn word(start: *mut c_void, offset: usize) -> *mut u32 {
    start.wrapping_byte_add(offset).cast()
}

#[test]
fn one_memory_at_two_places() {
    let setup = Setup::new();
    let (context, page) = (setup.context, page(&setup));
    let memory = physical(&setup, 2 * page).unwrap();
    let start = reserve(&setup, 8 * page).unwrap();
    let at = |first: usize| start.wrapping_byte_add(first * page);
    ok!(zeVirtualMemMap(context, at(1), 2 * page, memory, 0, READ_WRITE));
    ok!(zeVirtualMemMap(
        context,
        at(5),
        page,
        memory,
        page,
        ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY
    ));
    // SAFETY: mapped above, for writing and for reading.
    unsafe {
        word(at(2), 8).write(77);
        assert_eq!(word(at(5), 8).read(), 77);
    }
    let access = |first, count: usize| {
        let (mut access, mut same) = (READ_WRITE, 0);
        ok!(zeVirtualMemGetAccessAttribute(
            context,
            at(first),
            count * page,
            &mut access,
            &mut same
        ));
        (access, same / page)
    };
    assert_eq!(access(0, 8), (ZE_MEMORY_ACCESS_ATTRIBUTE_NONE, 1));
    assert_eq!(access(1, 7), (READ_WRITE, 2));
    assert_eq!(access(5, 3), (ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY, 1));
    ok!(zeVirtualMemSetAccessAttribute(
        context,
        at(2),
        page,
        ZE_MEMORY_ACCESS_ATTRIBUTE_NONE
    ));
    assert_eq!(access(1, 7), (READ_WRITE, 1));
    assert_eq!(access(2, 3), (ZE_MEMORY_ACCESS_ATTRIBUTE_NONE, 3));
    // Queries see what is mapped.
    let (kind, id, device) = setup.properties(at(1));
    assert_eq!((kind, device), (ZE_MEMORY_TYPE_DEVICE, setup.device));
    let mut properties = ze_physical_mem_properties_t::default();
    ok!(zePhysicalMemGetProperties(context, memory, &mut properties));
    assert_eq!((properties.id, properties.size), (id, 2 * page as u64));
    assert_eq!(setup.properties(at(0)).0, ZE_MEMORY_TYPE_UNKNOWN);
    assert_eq!(setup.range(at(5)), Some((at(5), page)));
    // The mappings keep the memory.
    ok!(zePhysicalMemDestroy(context, memory));
    assert_eq!(
        call!(zePhysicalMemDestroy(context, memory)),
        ZE_RESULT_ERROR_INVALID_ARGUMENT
    );
    // SAFETY: mapped above.
    assert_eq!(unsafe { word(at(5), 8).read() }, 77);
    ok!(zeVirtualMemUnmap(context, at(1), page));
    assert_eq!(
        call!(zeVirtualMemUnmap(context, at(1), page)),
        ZE_RESULT_ERROR_INVALID_ARGUMENT
    );
    // What is still mapped goes with the reservation.
    let free = |size| call!(zeVirtualMemFree(context, start, size));
    assert_eq!(free(7 * page), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_eq!(free(8 * page), ZE_RESULT_SUCCESS);
    assert_eq!(free(8 * page), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

#[test]
fn what_is_refused() {
    let setup = Setup::new();
    let (context, page) = (setup.context, page(&setup));
    for size in [0, 1, page + 1, usize::MAX] {
        assert_eq!(reserve(&setup, size), Err(ZE_RESULT_ERROR_UNSUPPORTED_SIZE), "{size}");
        assert_eq!(physical(&setup, size), Err(ZE_RESULT_ERROR_UNSUPPORTED_SIZE), "{size}");
    }
    assert_eq!(physical(&setup, 1 << 50), Err(ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY));
    assert_eq!(reserve(&setup, 1 << 62), Err(ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY));
    let memory = physical(&setup, 2 * page).unwrap();
    let start = reserve(&setup, 4 * page).unwrap();
    let map = |offset: usize, size, from| {
        call!(zeVirtualMemMap(
            context,
            start.wrapping_byte_add(offset),
            size,
            memory,
            from,
            READ_WRITE
        ))
    };
    for (offset, size, from, expected) in [
        (0, 0, 0, ZE_RESULT_ERROR_UNSUPPORTED_SIZE),
        (0, 1, 0, ZE_RESULT_ERROR_UNSUPPORTED_SIZE),
        (1, page, 0, ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT),
        (0, page, 1, ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT),
        (0, 3 * page, 0, ZE_RESULT_ERROR_INVALID_ARGUMENT),
        (0, page, 2 * page, ZE_RESULT_ERROR_INVALID_ARGUMENT),
        (0, page, usize::MAX - page + 1, ZE_RESULT_ERROR_INVALID_ARGUMENT),
        (3 * page, 2 * page, 0, ZE_RESULT_ERROR_INVALID_ARGUMENT),
    ] {
        assert_eq!(map(offset, size, from), expected, "{offset} {size} {from}");
    }
    let access = ze_memory_access_attribute_t(3);
    let wrong = call!(zeVirtualMemMap(context, start, page, memory, 0, access));
    assert_eq!(wrong, ZE_RESULT_ERROR_INVALID_ENUMERATION);
    let wrong = call!(zeVirtualMemMap(context, null(), page, memory, 0, READ_WRITE));
    assert_eq!(wrong, ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_eq!(map(page, page, 0), ZE_RESULT_SUCCESS);
    assert_eq!(map(0, 2 * page, 0), ZE_RESULT_ERROR_INVALID_ARGUMENT, "they overlap");
    let wrong = call!(zeVirtualMemSetAccessAttribute(context, start, 2 * page, READ_WRITE));
    assert_eq!(wrong, ZE_RESULT_ERROR_INVALID_ARGUMENT, "a part is not mapped");
    // Memory of another context, and memory that was not reserved.
    let other = Setup::new();
    let foreign = call!(zeVirtualMemMap(other.context, start, page, memory, 0, READ_WRITE));
    assert_eq!(foreign, ZE_RESULT_ERROR_INVALID_ARGUMENT);
    let usm = setup.device_memory(2 * page, page).unwrap();
    assert_eq!(
        call!(zeVirtualMemUnmap(context, usm, page)),
        ZE_RESULT_ERROR_INVALID_ARGUMENT
    );
    assert_eq!(
        call!(zeVirtualMemFree(context, usm, 2 * page)),
        ZE_RESULT_ERROR_INVALID_ARGUMENT
    );
    setup.free(usm);
    ok!(zePhysicalMemDestroy(context, memory));
    ok!(zeVirtualMemFree(context, start, 4 * page));
    for flags in [4, 3] {
        let mut desc = ze_physical_mem_desc_t {
            flags,
            size: page,
            ..Default::default()
        };
        let result = call!(zePhysicalMemCreate(context, setup.device, &mut desc, &mut null_mut()));
        let expected = if flags == 4 {
            ZE_RESULT_ERROR_INVALID_ENUMERATION
        } else {
            ZE_RESULT_ERROR_INVALID_ARGUMENT
        };
        assert_eq!(result, expected);
    }
}

#[test]
fn memory_of_the_host_and_of_descriptors() {
    let setup = Setup::new();
    let (context, page) = (setup.context, page(&setup));
    let mut memory = null_mut();
    let mut desc = ze_physical_mem_desc_t {
        flags: ZE_PHYSICAL_MEM_FLAG_ALLOCATE_ON_HOST,
        size: page,
        ..Default::default()
    };
    ok!(zePhysicalMemCreate(context, null_mut(), &mut desc, &mut memory));
    let start = reserve(&setup, 2 * page).unwrap();
    ok!(zeVirtualMemMap(context, start, page, memory, 0, READ_WRITE));
    let (kind, _, device) = setup.properties(start);
    assert_eq!((kind, device), (ZE_MEMORY_TYPE_HOST, null_mut()));
    // SAFETY: mapped above.
    unsafe { word(start, 0).write(5) };
    let mut export = ze_external_memory_export_fd_t {
        flags: ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD,
        ..Default::default()
    };
    let mut properties = ze_physical_mem_properties_t {
        pNext: (&raw mut export).cast(),
        ..Default::default()
    };
    ok!(zePhysicalMemGetProperties(context, memory, &mut properties));
    let import = ze_external_memory_import_fd_t {
        flags: ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD,
        fd: export.fd,
        ..Default::default()
    };
    let mut desc = ze_physical_mem_desc_t {
        pNext: (&raw const import).cast(),
        size: page,
        ..Default::default()
    };
    let mut imported = null_mut();
    ok!(zePhysicalMemCreate(context, setup.device, &mut desc, &mut imported));
    let second = start.wrapping_byte_add(page);
    ok!(zeVirtualMemMap(context, second, page, imported, 0, READ_WRITE));
    // SAFETY: mapped above.
    assert_eq!(unsafe { word(second, 0).read() }, 5);
    desc.size = 2 * page;
    assert_eq!(
        call!(zePhysicalMemCreate(context, setup.device, &mut desc, &mut imported)),
        ZE_RESULT_ERROR_INVALID_ARGUMENT
    );
    // An IPC handle is made of an address or of the handle.
    for source in [second.cast_const(), memory.cast_const().cast()] {
        let mut handle = ze_ipc_mem_handle_t { data: [0; 64] };
        let mut opened = null_mut();
        ok!(zeMemGetIpcHandle(context, source, &mut handle));
        ok!(zeMemOpenIpcHandle(context, setup.device, handle, 0, &mut opened));
        // SAFETY: opened above.
        assert_eq!(unsafe { word(opened, 0).read() }, 5);
        ok!(zeMemCloseIpcHandle(context, opened));
        ok!(zeMemPutIpcHandle(context, handle));
    }
    ok!(zePhysicalMemDestroy(context, memory));
    let mut handle = ze_ipc_mem_handle_t { data: [0; 64] };
    let stale = call!(zeMemGetIpcHandle(context, memory.cast_const().cast(), &mut handle));
    assert_eq!(stale, ZE_RESULT_ERROR_INVALID_ARGUMENT);
    ok!(zeVirtualMemFree(context, start, 2 * page));
}

#[test]
fn residency() {
    let setup = Setup::new();
    let memory = setup.device_memory(100, 0).unwrap();
    let (context, device) = (setup.context, setup.device);
    let resident = |memory, size| call!(zeContextMakeMemoryResident(context, device, memory, size));
    assert_eq!(resident(memory, 100), ZE_RESULT_SUCCESS);
    // Clients round sizes up to pages.
    assert_eq!(resident(memory, 4096), ZE_RESULT_SUCCESS);
    assert_eq!(resident(null_mut(), 100), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    let mut local = 0u32;
    assert_eq!(resident((&raw mut local).cast(), 4), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    ok!(zeContextEvictMemory(context, device, memory, 100));
    ok!(zeContextSystemBarrier(context, device));
    assert_eq!(
        call!(zeContextSystemBarrier(context, null_mut())),
        ZE_RESULT_ERROR_INVALID_NULL_HANDLE
    );
    setup.free(memory);
}
