// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A `libcuda.so.1` whose devices are threads of the process, for tests of the CUDA adapter where there is no GPU.
//!
//! | module | |
//! |---|---|
//! | [`api`] | the functions, in the form that the adapter asks for: their types are checked against its table |
//! | [`device`] | devices, their contexts, and faults, which stay |
//! | [`memory`] | device memory, which the host cannot reach by its address; pinned and managed memory |
//! | [`virtual_mem`] | reserved addresses, physical memory that is mapped there, memory of other processes |
//! | [`graph`] | graphs, whose nodes run in any order that they allow |
//! | [`stream`] | streams: a thread each; events |
//! | [`transfer`] | copies and fills |
//! | [`module`] | modules and kernels |
//! | [`fail`] | functions that fail when they are told to; how many objects there are |
//! | [`ptx`] | an interpreter of PTX |
//!
//! A kernel is the PTX itself, which is interpreted: a block at a time, its threads in turns from barrier to barrier. Where threads
//! wait for others for ever, lack themselves in a mask, or come to different barriers as a warp, the launch fails, and stderr
//! says why. What `shfl` reads of threads that take no part is nonsense, as it may be on a GPU. `activemask`
//! gives those of a warp that come there in the same turn.
//! What this cannot show: times, races within a kernel, how many registers it has, what `ptxas` refuses, and everything that
//! is not in the list of functions; that a kernel writes to memory that it may only read is not seen, either. A device copy of memory is visible to all at once.
//!
//! As CUDA does, it refuses copies and fills of memory of another device's pool that the stream's device may not use, and
//! what a kernel does there is a fault. It waits for the device where memory is freed that is of no pool, and has the caller of a copy of pageable
//! memory wait, and that of any command of a stream that is full.
//!
//! | variable | |
//! |---|---|
//! | `FAKE_CUDA_DEVICES` | how many devices there are; 1 |
//! | `FAKE_CUDA_PEERS` | whether they reach each other's memory; 1 |
//! | `FAKE_CUDA_VERSION` | what `cuDriverGetVersion` says; 12040 |
//! | `FAKE_CUDA_WITHOUT` | a function that the library lacks |
//! | `FAKE_CUDA_FAIL` | `NAME[:N[:CODE]]`: the N-th call of a function fails ([`fail`]) |
//! | `FAKE_CUDA_MEMORY` | bytes of a device; 1 GiB |
//! | `FAKE_CUDA_ROOM` | how many commands a stream has room for; 256 |
//! | `FAKE_CUDA_REGISTERS` | those of a thread where the client allows as many; 16 |
//! | `FAKE_CUDA_DELAY` | each command begins up to that many microseconds late, so that what nobody waits for comes late; 0 |
#![allow(non_snake_case, reason = "the names are CUDA's")]

mod api;
mod device;
mod fail;
mod graph;
mod memory;
mod module;
mod ptx;
mod stream;
mod transfer;
mod virtual_mem;

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use oxur_cuda_sys::*;

macro_rules! find {
    ($( $name:ident($($p:ident: $ty:ty),* $(,)?); )*) => {
        /// The calls of all functions.
        static CALLS: &[&fail::Calls] = &[$( &calls::$name ),*];

        #[allow(non_upper_case_globals, reason = "they are those of the functions")]
        mod calls {
            use crate::fail::Calls;

            $( pub static $name: Calls = Calls::of(stringify!($name)); )*
        }

        /// The functions, or the results that they are told to fail with.
        mod entry {
            #![allow(clippy::too_many_arguments, reason = "the driver's API decides")]
            use super::*;

            $( pub unsafe extern "C" fn $name($($p: $ty),*) -> CUresult {
                match calls::$name.next() {
                    Some(failure) => failure,
                    // SAFETY: passed on to the caller.
                    None => unsafe { api::$name($($p),*) },
                }
            } )*
        }

        /// The function of a name.
        fn find(name: &[u8]) -> Option<*mut c_void> {
            $( if name == stringify!($name).as_bytes() {
                let function: unsafe extern "C" fn($($ty),*) -> CUresult = entry::$name;
                return Some(function as *mut c_void);
            } )*
            None
        }
    };
}

functions!(find);

/// Gives the functions: all that the adapter looks for in the library.
///
/// # Safety
/// As CUDA's: a name that ends with zero, and places for the results.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetProcAddress_v2(
    name: *const c_char,
    function: *mut *mut c_void,
    _version: c_int,
    _flags: u64,
    status: *mut c_int,
) -> CUresult {
    fail::read_variable();
    // SAFETY: the caller vouches for the name.
    let name = unsafe { CStr::from_ptr(name) };
    let missing = std::env::var("FAKE_CUDA_WITHOUT").unwrap_or_default();
    let found = find(name.to_bytes()).filter(|_| missing.as_bytes() != name.to_bytes());
    // SAFETY: the caller vouches for the places.
    unsafe {
        function.write(found.unwrap_or(std::ptr::null_mut()));
        if !status.is_null() {
            status.write(i32::from(found.is_none()));
        }
    }
    if found.is_some() {
        CUDA_SUCCESS
    } else {
        CUDA_ERROR_NOT_FOUND
    }
}

/// A number that a variable gives.
fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .ok()
        .and_then(|value| value.parse().ok())
        .unwrap_or(default)
}
