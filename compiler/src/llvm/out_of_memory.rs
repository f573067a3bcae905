// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What becomes of allocations that fail during a compilation.
//!
//! The new-handler of C++ is that of the process, so ours is there during compilations only, and leaves threads alone that
//! compile nothing.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::{c_char, c_void};
use std::mem::transmute;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use oxur_fork::{Mutex, OnceLock};

use super::fatal_errors;

type NewHandler = Option<extern "C" fn()>;
type BadAllocHandler = extern "C" fn(*mut c_void, *const c_char, bool);

unsafe extern "C" {
    /// `std::set_new_handler` of libstdc++.
    #[link_name = "_ZSt15set_new_handlerPFvvE"]
    fn set_new_handler(handler: NewHandler) -> NewHandler;
    /// `llvm::install_bad_alloc_error_handler`, which the C API lacks.
    #[link_name = "_ZN4llvm31install_bad_alloc_error_handlerEPFvPvPKcbES0_"]
    fn install_bad_alloc_error_handler(handler: BadAllocHandler, data: *mut c_void);
}

/// How many compilations have the handlers.
static USERS: Mutex<usize> = Mutex::new(0);
/// The new-handler of the process, or null.
static PREVIOUS: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

fn as_pointer(handler: NewHandler) -> *mut c_void {
    handler.map_or(ptr::null_mut(), |handler| handler as *mut c_void)
}

/// Keeps the handlers while it lives.
pub(super) struct Handlers(());

impl Handlers {
    pub(super) fn install() -> Self {
        static LLVMS: OnceLock<()> = OnceLock::new();
        // SAFETY: once, and the function is never unloaded.
        LLVMS.get_or_init(|| unsafe { install_bad_alloc_error_handler(malloc_failed, ptr::null_mut()) });
        let mut users = USERS.lock();
        if *users == 0 {
            // SAFETY: the function may be called at any time, and the handler is never unloaded.
            let previous = unsafe { set_new_handler(Some(new_failed)) };
            PREVIOUS.store(as_pointer(previous), Ordering::Release);
        }
        *users += 1;
        Self(())
    }
}

impl Drop for Handlers {
    fn drop(&mut self) {
        let mut users = USERS.lock();
        *users -= 1;
        if *users > 0 {
            return;
        }
        // SAFETY: as in `install`. The pointer is one that `set_new_handler` gave, or null.
        unsafe {
            let previous: NewHandler = transmute(PREVIOUS.load(Ordering::Acquire));
            let current = set_new_handler(previous);
            // Somebody else's, which came meanwhile, stays.
            if as_pointer(current) != as_pointer(Some(new_failed)) {
                set_new_handler(current);
            }
        }
    }
}

/// `operator new` calls it where it finds no memory, and tries again when it returns.
extern "C" fn new_failed() {
    fatal_errors::stop_without_memory();
    // SAFETY: the pointer is one that `set_new_handler` gave, or null.
    let previous: NewHandler = unsafe { transmute(PREVIOUS.load(Ordering::Acquire)) };
    match previous {
        Some(previous) => previous(),
        // Without a handler it throws, which is what this thread expects.
        // SAFETY: the function may be called at any time.
        None => _ = unsafe { set_new_handler(None) },
    }
}

/// LLVM ends the process where it returns.
extern "C" fn malloc_failed(_: *mut c_void, _: *const c_char, _: bool) {
    fatal_errors::stop_without_memory();
}

/// The system's allocator, for programs and libraries that compile: where Rust's own code finds no memory to go on with a
/// compilation, that fails and not the process.
#[derive(Debug)]
pub struct Allocator;

#[inline(always)]
fn checked(memory: *mut u8) -> *mut u8 {
    #[cold]
    fn failed() {
        fatal_errors::stop_without_memory();
    }
    if memory.is_null() {
        failed();
    }
    memory
}

// SAFETY: it is the system's, which has the same contract.
unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is the same.
        checked(unsafe { System.alloc(layout) })
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is the same.
        checked(unsafe { System.alloc_zeroed(layout) })
    }

    #[inline]
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise is the same.
        checked(unsafe { System.realloc(memory, layout, size) })
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is the same.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// Whether the process may have so many bytes more.
pub(super) fn is_there(bytes: usize) -> bool {
    let (access, kind) = (
        libc::PROT_READ | libc::PROT_WRITE,
        libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
    );
    // SAFETY: a mapping of its own, which is gone when this returns.
    unsafe {
        let memory = libc::mmap(ptr::null_mut(), bytes, access, kind, -1, 0);
        memory != libc::MAP_FAILED && libc::munmap(memory, bytes) == 0
    }
}
