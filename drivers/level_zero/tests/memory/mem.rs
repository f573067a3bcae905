// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Unified shared memory.

use std::collections::BTreeSet;
use std::ffi::c_void;
use std::ptr::{null, null_mut};

use level_zero_sys::*;

use crate::common::{Setup, call, ok};

#[test]
fn kinds_sizes_and_alignments() {
    let setup = Setup::new();
    let mut ids = BTreeSet::new();
    for (size, align) in [
        (1, 0),
        (1000, 64),
        (4096, 4096),
        (100, 1 << 16),
        (3 << 20, 0),
        (5 << 20, 1 << 22),
    ] {
        for (kind, memory) in [
            (ZE_MEMORY_TYPE_DEVICE, setup.device_memory(size, align).unwrap()),
            (ZE_MEMORY_TYPE_HOST, setup.host_memory(size, align).unwrap()),
            (ZE_MEMORY_TYPE_SHARED, setup.shared_memory(size, align).unwrap()),
        ] {
            assert!((memory as usize).is_multiple_of(align.max(128)));
            // SAFETY: memory of this size.
            unsafe { memory.cast::<u8>().write_bytes(7, size) };
            let last = memory.wrapping_byte_add(size - 1);
            let (found, id, device) = setup.properties(last);
            assert_eq!(found, kind);
            assert!(ids.insert(id), "no two allocations have the same number");
            let expected = if kind == ZE_MEMORY_TYPE_HOST {
                null_mut()
            } else {
                setup.device
            };
            assert_eq!(device, expected);
            assert_eq!(setup.range(last), Some((memory, size)));
            assert_eq!(setup.range(memory.wrapping_byte_add(size)), None);
            setup.free(memory);
            assert_eq!(setup.properties(memory).0, ZE_MEMORY_TYPE_UNKNOWN);
            assert_eq!(setup.range(memory), None);
        }
    }
}

#[test]
fn what_is_refused() {
    let setup = Setup::new();
    let device = |size, align| setup.device_memory(size, align).unwrap_err();
    assert_eq!(device(0, 0), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    assert_eq!(device(usize::MAX, 0), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    assert_eq!(device(1 << 60, 64), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    for align in [3, 100, usize::MAX, 1 << 63] {
        assert_eq!(device(100, align), ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT, "{align}");
        assert_eq!(
            setup.host_memory(100, align).unwrap_err(),
            ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT
        );
        assert_eq!(
            setup.shared_memory(100, align).unwrap_err(),
            ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT
        );
    }
    let mut memory = null_mut();
    let (context, desc) = (setup.context, ze_device_mem_alloc_desc_t::default());
    let bad = |context, desc, device, memory| call!(zeMemAllocDevice(context, desc, 100, 0, device, memory));
    assert_eq!(
        bad(null_mut(), &desc, setup.device, &mut memory),
        ZE_RESULT_ERROR_INVALID_NULL_HANDLE
    );
    assert_eq!(
        bad(context, &desc, null_mut(), &mut memory),
        ZE_RESULT_ERROR_INVALID_NULL_HANDLE
    );
    assert_eq!(
        bad(context, null(), setup.device, &mut memory),
        ZE_RESULT_ERROR_INVALID_NULL_POINTER
    );
    assert_eq!(
        bad(context, &desc, setup.device, null_mut()),
        ZE_RESULT_ERROR_INVALID_NULL_POINTER
    );
    let flags = ze_device_mem_alloc_desc_t { flags: 8, ..desc };
    assert_eq!(
        bad(context, &flags, setup.device, &mut memory),
        ZE_RESULT_ERROR_INVALID_ENUMERATION
    );
    // A context is no device.
    assert_eq!(
        bad(context, &desc, context.cast(), &mut memory),
        ZE_RESULT_ERROR_INVALID_ARGUMENT
    );
    let host = ze_host_mem_alloc_desc_t {
        flags: 0x20,
        ..Default::default()
    };
    assert_eq!(
        call!(zeMemAllocHost(context, &host, 100, 0, &mut memory)),
        ZE_RESULT_ERROR_INVALID_ENUMERATION
    );
}

#[test]
fn frees_that_are_refused() {
    let setup = Setup::new();
    let free = |memory| call!(zeMemFree(setup.context, memory));
    assert_eq!(free(null_mut()), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    let memory = setup.device_memory(5000, 0).unwrap();
    let mut local = 0u32;
    for wrong in [memory.wrapping_byte_add(1), (&raw mut local).cast()] {
        assert_eq!(free(wrong), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    }
    let other = Setup::new();
    assert_eq!(
        call!(zeMemFree(other.context, memory)),
        ZE_RESULT_ERROR_INVALID_ARGUMENT
    );
    assert_eq!(
        other.properties(memory).0,
        ZE_MEMORY_TYPE_UNKNOWN,
        "it is another context's"
    );
    setup.free(memory);
    assert_eq!(free(memory), ZE_RESULT_ERROR_INVALID_ARGUMENT, "it was freed before");
}

#[test]
fn policies_of_free() {
    let setup = Setup::new();
    for policy in [
        0,
        ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE,
        ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE,
    ] {
        let memory = setup.device_memory(100, 0).unwrap();
        let desc = ze_memory_free_ext_desc_t {
            freePolicy: policy,
            ..Default::default()
        };
        ok!(zeMemFreeExt(setup.context, &desc, memory));
        assert_eq!(setup.properties(memory).0, ZE_MEMORY_TYPE_UNKNOWN);
    }
    let desc = ze_memory_free_ext_desc_t {
        freePolicy: 4,
        ..Default::default()
    };
    let memory = setup.device_memory(100, 0).unwrap();
    assert_eq!(
        call!(zeMemFreeExt(setup.context, &desc, memory)),
        ZE_RESULT_ERROR_INVALID_ENUMERATION
    );
    assert_eq!(
        call!(zeMemFreeExt(setup.context, null(), memory)),
        ZE_RESULT_ERROR_INVALID_NULL_POINTER
    );
    setup.free(memory);
}

/// A structure that no driver knows, in front of one that it has to find.
#[test]
fn limits_that_are_relaxed() {
    #[repr(C)]
    struct Unknown {
        stype: u32,
        next: *const c_void,
        rest: [u64; 4],
    }
    let setup = Setup::new();
    let relaxed = ze_relaxed_allocation_limits_ext_desc_t {
        flags: ZE_RELAXED_ALLOCATION_LIMITS_EXT_FLAG_MAX_SIZE,
        ..Default::default()
    };
    let unknown = Unknown {
        stype: 0x7654_3210,
        next: (&raw const relaxed).cast(),
        rest: [u64::MAX; 4],
    };
    _ = unknown.rest;
    _ = unknown.stype;
    let mut memory = null_mut();
    let mut alloc = |next: *const c_void, size| {
        let desc = ze_device_mem_alloc_desc_t {
            pNext: next,
            ..Default::default()
        };
        call!(zeMemAllocDevice(
            setup.context,
            &desc,
            size,
            0,
            setup.device,
            &mut memory
        ))
        .ok()
        .map(|()| setup.free(memory))
    };
    // Half of the machine's memory is the limit.
    let text = std::fs::read_to_string("/proc/meminfo").unwrap();
    let total = text.split_ascii_whitespace().nth(1).unwrap().parse::<usize>().unwrap() * 1024;
    assert_eq!(alloc(null(), total / 2 + 4096), Err(ZE_RESULT_ERROR_UNSUPPORTED_SIZE));
    let groups_limit_it =
        alloc((&raw const unknown).cast(), total / 2 + 4096) == Err(ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    assert!(groups_limit_it || alloc((&raw const unknown).cast(), total / 2 + 4096) == Ok(()));
    assert_eq!(
        alloc((&raw const unknown).cast(), 1 << 50),
        Err(ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY)
    );
    assert_eq!(
        alloc((&raw const unknown).cast(), usize::MAX),
        Err(ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY)
    );
}

#[test]
fn threads_allocate_and_free() {
    let setup = Setup::new();
    let context = setup.context as usize;
    std::thread::scope(|scope| {
        for thread in 0..4u8 {
            scope.spawn(move || {
                for round in 0..200usize {
                    let desc = ze_host_mem_alloc_desc_t::default();
                    let mut memory = null_mut();
                    let context = context as ze_context_handle_t;
                    let size = 1 + round * 37;
                    ok!(zeMemAllocHost(context, &desc, size, 0, &mut memory));
                    // SAFETY: memory of this size, which only this thread knows.
                    unsafe {
                        memory.cast::<u8>().write_bytes(thread, size);
                        assert_eq!(memory.cast::<u8>().add(size - 1).read(), thread);
                    }
                    ok!(zeMemFree(context, memory));
                }
            });
        }
    });
}

#[test]
fn a_child_has_copies() {
    let setup = Setup::new();
    let memory = setup.device_memory(100, 0).unwrap().cast::<u32>();
    // SAFETY: memory of this size.
    unsafe { memory.write(1) };
    // SAFETY: the child calls only functions that support a fork, and leaves by `_exit`.
    let child = unsafe { libc::fork() };
    if child == 0 {
        // SAFETY: memory of this size.
        unsafe { memory.write(2) };
        let again = setup.host_memory(100, 0);
        let freed = call!(zeMemFree(setup.context, memory.cast())) == ZE_RESULT_SUCCESS;
        // SAFETY: ends the child.
        unsafe { libc::_exit(if freed && again.is_ok() { 0 } else { 1 }) };
    }
    let mut status = 0;
    // SAFETY: waits for the test's own child; `status` is writable.
    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
    assert_eq!(status, 0);
    // SAFETY: as above.
    assert_eq!(unsafe { memory.read() }, 1);
    setup.free(memory.cast());
}

#[test]
fn a_context_goes_before_its_memory() {
    let setup = Setup::new();
    let stale = setup.context;
    let memory = setup.device_memory(100, 0).unwrap();
    drop(setup);
    assert_eq!(call!(zeMemFree(stale, memory)), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}
