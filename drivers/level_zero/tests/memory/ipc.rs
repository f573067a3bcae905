// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Memory that processes share. The other process is this program, which runs one test in it: it finds the handle in a variable.

use std::ffi::c_void;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::process::Command;
use std::ptr::null_mut;

use level_zero_sys::*;

use crate::common::{Setup, call, ok};

/// What the variable of the other process is called.
const HANDLE: &str = "ZE_TEST_HANDLE";

/// Runs a test of this file in another process, with a handle.
fn in_another_process(test: &str, handle: &ze_ipc_mem_handle_t) {
    let digits: String = handle.data.iter().map(|byte| format!("{:02x}", *byte as u8)).collect();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &format!("ipc::{test}"), "--nocapture"])
        .env(HANDLE, digits)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// The handle that this process was started with; `None` in the process that runs all tests.
fn given() -> Option<ze_ipc_mem_handle_t> {
    let digits = std::env::var(HANDLE).ok()?;
    let byte = |at: usize| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).unwrap();
    Some(ze_ipc_mem_handle_t {
        data: std::array::from_fn(|at| byte(at) as _),
    })
}

fn handle_of(setup: &Setup, memory: *const c_void) -> ze_ipc_mem_handle_t {
    let mut handle = ze_ipc_mem_handle_t::default();
    ok!(zeMemGetIpcHandle(setup.context, memory, &mut handle));
    handle
}

fn open(setup: &Setup, handle: ze_ipc_mem_handle_t) -> Result<*mut c_void, ze_result_t> {
    let mut memory = null_mut();
    call!(zeMemOpenIpcHandle(setup.context, setup.device, handle, 0, &mut memory)).ok()?;
    Ok(memory)
}

fn words(memory: *mut c_void, count: usize) -> &'static mut [u32] {
    // SAFETY: the tests have memory of this size, and use it one after the other.
    unsafe { std::slice::from_raw_parts_mut(memory.cast(), count) }
}

/// The number of words of the memory that the tests share. It is no whole number of pages.
const COUNT: usize = 5000;

#[test]
fn the_other_process_writes() {
    let setup = Setup::new();
    for memory in [
        setup.device_memory(4 * COUNT, 0),
        setup.host_memory(4 * COUNT, 1 << 16),
        setup.shared_memory(4 * COUNT, 0),
    ] {
        let memory = memory.unwrap();
        let data = words(memory, COUNT);
        (data[1], data[COUNT - 1]) = (11, 12);
        let handle = handle_of(&setup, memory);
        assert_eq!((data[0], data[1], data[COUNT - 1]), (0, 11, 12), "the content stays");
        in_another_process("other_process_adds", &handle);
        assert_eq!((data[0], data[1], data[COUNT - 1]), (0, 111, 112));
        // The handle stays valid when the memory is gone, until it is given back.
        setup.free(memory);
        in_another_process("other_process_adds_more", &handle);
        ok!(zeMemPutIpcHandle(setup.context, handle));
        assert_eq!(
            call!(zeMemPutIpcHandle(setup.context, handle)),
            ZE_RESULT_ERROR_INVALID_ARGUMENT
        );
        in_another_process("other_process_fails", &handle);
    }
}

/// Opens the handle in another process, where there were these numbers, and adds a hundred.
fn add(before: [u32; 2]) {
    let Some(handle) = given() else { return };
    let setup = Setup::new();
    let memory = open(&setup, handle).unwrap();
    let again = open(&setup, handle).unwrap();
    assert_ne!(memory, again, "each opening has its own address");
    assert_eq!(setup.range(memory), Some((memory, 4 * COUNT)));
    let (kind, _, device) = setup.properties(memory);
    assert_eq!((kind, device), (ZE_MEMORY_TYPE_DEVICE, setup.device));
    let data = words(memory, COUNT);
    assert_eq!([data[1], data[COUNT - 1]], before);
    data[1] += 100;
    data[COUNT - 1] += 100;
    assert_eq!(words(again, COUNT)[1], data[1]);
    assert_eq!(
        call!(zeMemFree(setup.context, memory)),
        ZE_RESULT_ERROR_INVALID_ARGUMENT
    );
    ok!(zeMemCloseIpcHandle(setup.context, memory));
    ok!(zeMemCloseIpcHandle(setup.context, again));
    assert_eq!(
        call!(zeMemCloseIpcHandle(setup.context, memory)),
        ZE_RESULT_ERROR_INVALID_ARGUMENT
    );
}

#[test]
fn other_process_adds() {
    add([11, 12]);
}

#[test]
fn other_process_adds_more() {
    add([111, 112]);
}

#[test]
fn other_process_fails() {
    let Some(handle) = given() else { return };
    assert_eq!(open(&Setup::new(), handle), Err(ZE_RESULT_ERROR_INVALID_ARGUMENT));
}

/// Clients put a descriptor of their own in front of the handle, with or without the other bytes.
#[test]
fn descriptors_of_the_client() {
    let setup = Setup::new();
    let memory = setup.device_memory(4 * COUNT, 0).unwrap();
    words(memory, COUNT)[3] = 33;
    let handle = handle_of(&setup, memory);
    let mut descriptor = 0;
    ok!(zeMemGetFileDescriptorFromIpcHandleExp(
        setup.context,
        handle,
        &mut descriptor
    ));
    let number = i32::try_from(descriptor).unwrap();
    assert_eq!(handle.data[..4], number.to_ne_bytes().map(|byte| byte as _));
    // SAFETY: the driver keeps it open as long as the handle.
    let copy = unsafe { BorrowedFd::borrow_raw(number) }.try_clone_to_owned().unwrap();
    let own = copy.as_raw_fd().to_ne_bytes().map(|byte| byte as _);
    let (mut with_rest, mut alone) = (handle, ze_ipc_mem_handle_t { data: [0; 64] });
    with_rest.data[..4].copy_from_slice(&own);
    alone.data[..4].copy_from_slice(&own);
    let mut made = ze_ipc_mem_handle_t { data: [0; 64] };
    let context = setup.context;
    ok!(zeMemGetIpcHandleFromFileDescriptorExp(
        context,
        copy.as_raw_fd() as u64,
        &mut made
    ));
    for handle in [with_rest, alone, made] {
        let opened = open(&setup, handle).unwrap();
        assert_eq!(setup.range(opened).unwrap().1, 4 * COUNT);
        assert_eq!(words(opened, COUNT)[3], 33);
        ok!(zeMemCloseIpcHandle(context, opened));
    }
    ok!(zeMemPutIpcHandle(context, made));
    ok!(zeMemPutIpcHandle(context, handle));
    setup.free(memory);
}

#[test]
fn handles_that_are_refused() {
    let setup = Setup::new();
    let mut handle = ze_ipc_mem_handle_t { data: [0; 64] };
    let context = setup.context;
    let local = 0u32;
    let get = |memory, handle| call!(zeMemGetIpcHandle(context, memory, handle));
    assert_eq!(
        get((&raw const local).cast(), &mut handle),
        ZE_RESULT_ERROR_INVALID_ARGUMENT
    );
    assert_eq!(get(null_mut(), &mut handle), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    let memory = setup.device_memory(100, 0).unwrap();
    assert_eq!(get(memory, null_mut()), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    for data in [[0; 64], [-1; 64], [7; 64]] {
        assert_eq!(
            open(&setup, ze_ipc_mem_handle_t { data }),
            Err(ZE_RESULT_ERROR_INVALID_ARGUMENT)
        );
        let mut descriptor = 0;
        let handle = ze_ipc_mem_handle_t { data };
        assert_eq!(
            call!(zeMemGetFileDescriptorFromIpcHandleExp(context, handle, &mut descriptor)),
            ZE_RESULT_ERROR_INVALID_ARGUMENT
        );
    }
    for descriptor in [0, u64::MAX, 1 << 40] {
        assert_eq!(
            call!(zeMemGetIpcHandleFromFileDescriptorExp(context, descriptor, &mut handle)),
            ZE_RESULT_ERROR_INVALID_ARGUMENT
        );
    }
    // Each byte of the data is checked, but for the padding and what only says where to look first.
    let good = handle_of(&setup, memory);
    for at in (8..64).filter(|at| !(24..28).contains(at)) {
        let mut wrong = good;
        wrong.data[at] ^= 0x40;
        // Another number of descriptor or a smaller range may be valid.
        if open(&setup, wrong).is_ok() {
            assert!((28..32).contains(&at) || at >= 48, "byte {at}");
        }
    }
    let flags = call!(zeMemOpenIpcHandle(context, setup.device, good, 4, &mut null_mut()));
    assert_eq!(flags, ZE_RESULT_ERROR_INVALID_ENUMERATION);
    let fabric = ze_ipc_mem_handle_type_ext_desc_t {
        typeFlags: ZE_IPC_MEM_HANDLE_TYPE_FLAG_FABRIC_ACCESSIBLE,
        ..Default::default()
    };
    let next = (&raw const fabric).cast_mut().cast();
    assert_eq!(
        call!(zeMemGetIpcHandleWithProperties(context, memory, next, &mut handle)),
        ZE_RESULT_ERROR_UNSUPPORTED_FEATURE
    );
    ok!(zeMemGetIpcHandleWithProperties(
        context,
        memory,
        null_mut(),
        &mut handle
    ));
    setup.free(memory);
}

/// The descriptor of an allocation.
fn descriptor_of(setup: &Setup, memory: *const c_void, kind: u32) -> Result<i32, ze_result_t> {
    let mut export = ze_external_memory_export_fd_t {
        flags: kind,
        fd: -1,
        ..Default::default()
    };
    let mut properties = ze_memory_allocation_properties_t {
        pNext: (&raw mut export).cast(),
        ..Default::default()
    };
    call!(zeMemGetAllocProperties(
        setup.context,
        memory,
        &mut properties,
        null_mut()
    ))
    .ok()?;
    Ok(export.fd)
}

#[test]
fn external_memory() {
    let setup = Setup::new();
    let exportable = ze_external_memory_export_desc_t {
        flags: ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF,
        ..Default::default()
    };
    let desc = ze_device_mem_alloc_desc_t {
        pNext: (&raw const exportable).cast(),
        ..Default::default()
    };
    let mut memory = null_mut();
    ok!(zeMemAllocDevice(
        setup.context,
        &desc,
        10_000,
        0,
        setup.device,
        &mut memory
    ));
    words(memory, 2500)[2499] = 5;
    let number = descriptor_of(&setup, memory, ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF).unwrap();
    assert_eq!(
        descriptor_of(&setup, memory, ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD),
        Ok(number)
    );
    let import = |fd, flags, size| {
        let import = ze_external_memory_import_fd_t {
            flags,
            fd,
            ..Default::default()
        };
        let desc = ze_host_mem_alloc_desc_t {
            pNext: (&raw const import).cast(),
            ..Default::default()
        };
        let mut imported = null_mut();
        call!(zeMemAllocHost(setup.context, &desc, size, 0, &mut imported))
            .ok()
            .map(|()| imported)
    };
    let kind = ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF;
    for (fd, flags, size, expected) in [
        (number, kind, 10_001, ZE_RESULT_ERROR_INVALID_ARGUMENT),
        (-1, kind, 100, ZE_RESULT_ERROR_INVALID_ARGUMENT),
        (
            number,
            ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_WIN32,
            100,
            ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION,
        ),
        (number, 0x100, 100, ZE_RESULT_ERROR_INVALID_ENUMERATION),
    ] {
        assert_eq!(import(fd, flags, size), Err(expected));
    }
    let imported = import(number, kind, 10_000).unwrap();
    assert_eq!(words(imported, 2500)[2499], 5);
    words(imported, 2500)[0] = 6;
    setup.free(memory);
    assert_eq!(words(imported, 2500)[0], 6, "the imported memory stays");
    // It can be shared further.
    let handle = handle_of(&setup, imported);
    let opened = open(&setup, handle).unwrap();
    assert_eq!(words(opened, 2500)[0], 6);
    ok!(zeMemCloseIpcHandle(setup.context, opened));
    setup.free(imported);

    // Any file that can be mapped may be imported.
    let path = std::env::temp_dir().join(format!("ze-external-{}", std::process::id()));
    std::fs::write(&path, [1u8; 4096]).unwrap();
    let file = std::fs::File::options().read(true).write(true).open(&path).unwrap();
    let imported = import(file.as_raw_fd(), ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD, 4096).unwrap();
    words(imported, 1)[0] = u32::MAX;
    assert_eq!(std::fs::read(&path).unwrap()[..5], [255, 255, 255, 255, 1]);
    let mut handle = ze_ipc_mem_handle_t { data: [0; 64] };
    assert_eq!(
        call!(zeMemGetIpcHandle(setup.context, imported, &mut handle)),
        ZE_RESULT_ERROR_INVALID_ARGUMENT
    );
    setup.free(imported);
    std::fs::remove_file(&path).unwrap();
}

/// Ordinary memory gets a descriptor, too, and the client may close it.
#[test]
fn a_descriptor_of_private_memory() {
    let setup = Setup::new();
    let memory = setup.device_memory(100, 0).unwrap();
    words(memory, 1)[0] = 9;
    let kind = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD;
    let number = descriptor_of(&setup, memory, kind).unwrap();
    assert_eq!(words(memory, 1)[0], 9);
    // SAFETY: the client may close it.
    unsafe { libc::close(number) };
    let again = descriptor_of(&setup, memory, kind).unwrap();
    // SAFETY: asks for the flags of a descriptor.
    let is_open = || unsafe { libc::fcntl(again, libc::F_GETFD) } >= 0;
    assert!(is_open());
    setup.free(memory);
    let local = 0u32;
    assert_eq!(
        descriptor_of(&setup, (&raw const local).cast(), kind),
        Err(ZE_RESULT_ERROR_INVALID_ARGUMENT)
    );
}

#[test]
fn memory_of_the_client() {
    let setup = Setup::new();
    let page = 4096;
    let layout = std::alloc::Layout::from_size_align(4 * page, page).unwrap();
    // SAFETY: the layout has a size.
    let memory: *mut c_void = unsafe { std::alloc::alloc_zeroed(layout) }.cast();
    type Import = unsafe extern "C" fn(ze_driver_handle_t, *mut c_void, usize) -> ze_result_t;
    type Release = unsafe extern "C" fn(ze_driver_handle_t, *mut c_void) -> ze_result_t;
    type Base = unsafe extern "C" fn(ze_driver_handle_t, *mut c_void, *mut *mut c_void) -> ze_result_t;
    // SAFETY: these are the functions' types.
    let (import, release, base): (Import, Release, Base) = unsafe {
        let library = libloading::Library::new(crate::common::library()).unwrap();
        (
            *library.get(b"zexDriverImportExternalPointer").unwrap(),
            *library.get(b"zexDriverReleaseImportedPointer").unwrap(),
            *library.get(b"zexDriverGetHostPointerBaseAddress").unwrap(),
        )
    };
    let driver = setup.driver;
    // SAFETY: the memory exists, and so does the driver.
    unsafe {
        assert_eq!(import(driver, memory, 100), ZE_RESULT_SUCCESS);
        assert_eq!(
            import(driver, memory.byte_add(99), 10),
            ZE_RESULT_ERROR_INVALID_ARGUMENT
        );
        assert_eq!(import(driver, memory, 0), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
        assert_eq!(
            import(driver, memory.wrapping_byte_add(1), usize::MAX),
            ZE_RESULT_ERROR_UNSUPPORTED_SIZE
        );
        let mut start = null_mut();
        assert_eq!(base(driver, memory.byte_add(50), &mut start), ZE_RESULT_SUCCESS);
        assert_eq!(start, memory);
        assert_eq!(setup.properties(memory.byte_add(99)).0, ZE_MEMORY_TYPE_HOST);
        assert_eq!(
            call!(zeMemFree(setup.context, memory)),
            ZE_RESULT_ERROR_INVALID_ARGUMENT
        );
        assert_eq!(release(driver, memory), ZE_RESULT_SUCCESS);
        assert_eq!(release(driver, memory), ZE_RESULT_ERROR_INVALID_ARGUMENT);
        assert_eq!(base(driver, memory, &mut start), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    }
    assert_eq!(setup.properties(memory).0, ZE_MEMORY_TYPE_UNKNOWN);

    let map = |address: *mut c_void, has, size| {
        let system = ze_external_memmap_sysmem_ext_desc_t {
            pSystemMemory: address,
            size: has,
            ..Default::default()
        };
        let desc = ze_host_mem_alloc_desc_t {
            pNext: (&raw const system).cast(),
            ..Default::default()
        };
        let mut mapped = null_mut();
        call!(zeMemAllocHost(setup.context, &desc, size, 0, &mut mapped))
            .ok()
            .map(|()| mapped)
    };
    assert_eq!(map(memory, 8192, 8192), Ok(memory));
    assert_eq!(setup.properties(memory).0, ZE_MEMORY_TYPE_HOST_IMPORTED);
    assert_eq!(
        map(memory.wrapping_byte_add(page), 4096, 4096),
        Err(ZE_RESULT_ERROR_INVALID_ARGUMENT)
    );
    assert_eq!(
        map(memory.wrapping_byte_add(1), 4096, 4096),
        Err(ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT)
    );
    assert_eq!(map(memory, 100, 100), Err(ZE_RESULT_ERROR_UNSUPPORTED_SIZE));
    setup.free(memory);
    assert_eq!(words(memory, 1)[0], 0, "it is the client's still");
    // SAFETY: allocated above.
    unsafe { std::alloc::dealloc(memory.cast(), layout) };
}

#[test]
fn attributes() {
    let setup = Setup::new();
    let (shared, device) = (
        setup.shared_memory(100, 0).unwrap(),
        setup.device_memory(100, 0).unwrap(),
    );
    let mut found = 77;
    let set = |memory, size, flags| {
        call!(zeMemSetAtomicAccessAttributeExp(
            setup.context,
            setup.device,
            memory,
            size,
            flags
        ))
    };
    let (context, attribute) = (setup.context, ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_SYSTEM_ATOMICS);
    ok!(zeMemGetAtomicAccessAttributeExp(
        context,
        setup.device,
        shared,
        100,
        &mut found
    ));
    assert_eq!(found, 0);
    assert_eq!(set(shared, 100, attribute), ZE_RESULT_SUCCESS);
    ok!(zeMemGetAtomicAccessAttributeExp(
        context,
        setup.device,
        shared,
        100,
        &mut found
    ));
    assert_eq!(found, attribute);
    assert_eq!(set(shared, 101, attribute), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_eq!(set(device, 100, attribute), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_eq!(set(shared, 100, 0x80), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    let mut pitch = 0;
    ok!(zeMemGetPitchFor2dImage(context, setup.device, 100, 3, 4, &mut pitch));
    assert!(pitch >= 400 && pitch.is_multiple_of(64));
    for (width, height) in [(usize::MAX, 1), (1 << 40, 1 << 40)] {
        assert_eq!(
            call!(zeMemGetPitchFor2dImage(
                context,
                setup.device,
                width,
                height,
                4,
                &mut pitch
            )),
            ZE_RESULT_ERROR_INVALID_ARGUMENT
        );
    }
    setup.free(shared);
    setup.free(device);
}
