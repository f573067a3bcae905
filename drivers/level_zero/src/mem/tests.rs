// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Memory that commands use while it is freed or shared. The tests stand in for the commands: they enter and leave them.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use level_zero_sys::*;
use oxur_device_cpu::pages;

use super::ipc::SharedMemory;
use crate::handle::object;
use crate::{Context, Driver};

/// A context and its handle.
fn context() -> (Arc<Context>, ze_context_handle_t) {
    let (_, driver) = Driver::get();
    let mut handle = null_mut();
    // SAFETY: the driver's handle, and a place for that of the context.
    unsafe {
        let result = crate::context::zeContextCreate(driver, &ze_context_desc_t::default(), &mut handle);
        assert_eq!(result, ZE_RESULT_SUCCESS);
        (object::<Context>(handle).unwrap().clone(), handle)
    }
}

fn alloc(context: ze_context_handle_t, size: usize) -> *mut c_void {
    let mut memory = null_mut();
    let desc = ze_host_mem_alloc_desc_t::default();
    // SAFETY: a context, a descriptor and a place.
    let result = unsafe { super::zeMemAllocHost(context, &desc, size, 0, &mut memory) };
    assert_eq!(result, ZE_RESULT_SUCCESS);
    memory
}

fn free(context: ze_context_handle_t, memory: *mut c_void, policy: u32) {
    let desc = ze_memory_free_ext_desc_t {
        freePolicy: policy,
        ..Default::default()
    };
    // SAFETY: a context and its memory.
    let result = unsafe { super::zeMemFreeExt(context, &desc, memory) };
    assert_eq!(result, ZE_RESULT_SUCCESS);
}

fn is_mapped(memory: *mut c_void) -> bool {
    let mut resident = 0;
    // SAFETY: asks for one page, which need not exist.
    unsafe { libc::mincore(memory, pages::page(), &mut resident) == 0 }
}

#[test]
fn memory_stays_until_its_commands_end() {
    let (context, handle) = context();
    for policy in [0, ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE] {
        // A size that no other test maps, so that nothing else takes the addresses.
        let (memory, other) = (alloc(handle, 300 << 20), alloc(handle, 100));
        let mark = context.in_flight.enter();
        free(handle, memory, policy);
        assert!(context.find(memory as usize).is_none(), "it is gone for the client");
        // SAFETY: the memory is still mapped, because a command may use it.
        unsafe { memory.cast::<u32>().write(1) };
        free(handle, other, policy);
        assert!(is_mapped(memory));
        context.in_flight.leave(mark);
        free(handle, alloc(handle, 100), policy);
        assert!(!is_mapped(memory), "the next allocation has unmapped it");
    }
}

#[test]
fn a_blocking_free_waits() {
    let (context, handle) = context();
    let memory = alloc(handle, 100);
    let mark = context.in_flight.enter();
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            ended.store(true, Ordering::SeqCst);
            context.in_flight.leave(mark);
        });
        free(handle, memory, ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE);
        assert!(ended.load(Ordering::SeqCst));
    });
}

#[test]
fn sharing_waits_for_what_is_written() {
    let (context, handle) = context();
    let memory = alloc(handle, 3 * pages::page());
    let (mark, address) = (context.in_flight.enter(), memory as usize);
    std::thread::scope(|scope| {
        let context = &context;
        scope.spawn(move || {
            // SAFETY: the memory exists.
            unsafe { (address as *mut u32).write(7) };
            context.in_flight.leave(mark);
        });
        let mut ipc = ze_ipc_mem_handle_t { data: [0; 64] };
        // SAFETY: a context, its memory and a place.
        let result = unsafe { super::ipc::zeMemGetIpcHandle(handle, memory, &mut ipc) };
        assert_eq!(result, ZE_RESULT_SUCCESS);
        // SAFETY: as above.
        assert_eq!(unsafe { memory.cast::<u32>().read() }, 7);
    });
    free(handle, memory, 0);
}

#[test]
fn memory_outlives_its_context_as_long_as_commands_do() {
    let (context, handle) = context();
    let memory = alloc(handle, 200 << 20);
    let command = context;
    // SAFETY: the handle is not used any more.
    let result = unsafe { crate::context::zeContextDestroy(handle) };
    assert_eq!(result, ZE_RESULT_SUCCESS);
    // SAFETY: the memory exists, because a command holds the context.
    unsafe { memory.cast::<u32>().write(1) };
    assert!(command.find(memory as usize).is_some());
}

#[test]
fn memory_for_other_objects() {
    use oxur_device_cpu::shared_file::Kind;
    let memory = SharedMemory::new(5000).unwrap();
    let handle = memory.handle(Kind::EventPool).unwrap();
    let opened = SharedMemory::open(Kind::EventPool, &handle).unwrap();
    assert_eq!((opened.size(), opened.handle(Kind::EventPool)), (5000, None));
    // SAFETY: both have this size.
    unsafe {
        memory.data().add(4999).write(7);
        assert_eq!(opened.data().add(4999).read(), 7);
    }
    let other = SharedMemory::open(Kind::Usm, &handle).map(|memory| memory.size());
    assert_eq!(
        other.map_err(|error| error.code()),
        Err(ZE_RESULT_ERROR_INVALID_ARGUMENT)
    );
    drop(memory);
    assert!(SharedMemory::open(Kind::EventPool, &handle).is_err());
}

#[test]
fn parts_of_allocations() {
    let (context, handle) = context();
    let memory = alloc(handle, 100);
    let found = context.find(memory as usize + 99).unwrap();
    let at = |offset: usize, size| found.contains(memory as usize + offset, size);
    assert!(at(0, 100) && at(99, 1) && at(100, 0) && !at(0, 101) && !at(99, 2) && !at(101, 0));
    assert!(!at(1, usize::MAX) && !found.contains(memory as usize - 1, 1));
    free(handle, memory, 0);
}
