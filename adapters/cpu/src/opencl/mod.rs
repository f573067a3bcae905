// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The OpenCL face of the device: what the native handles of UR's objects are.
//!
//! Clients of SYCL ask for native handles and call OpenCL on them: oneMKL asks devices what they are, dpctl makes programs.
//! These handles are OpenCL objects as the ICD extension defines them, so that every libOpenCL can call us. There is no
//! second kind of object behind them: each is an object of this adapter, which keeps one OpenCL handle for as long as it lives.
//!
//! | files | what |
//! |---|---|
//! | `dispatch`, `refused` | the dispatch table, and the functions in it that are not supported |
//! | `handle`, `error`, `info` | handles and their reference counts, error codes, queries |
//! | `icd_loader` | which libOpenCL a process has, and ours where it has none |
//! | the others | the functions of each object, for the C ABI |
//!
//! Queries ask the objects. Commands go through UR's own entry points, which check what they are given.

mod context;
mod device;
pub(crate) mod dispatch;
mod enqueue;
mod error;
mod event;
pub(crate) mod handle;
pub(crate) mod icd_loader;
mod info;
mod kernel;
mod mem;
mod platform;
mod program;
mod queue;
mod refused;
mod sampler;
mod usm;

use std::sync::Arc;

use kit::UrResult;
use kit::ur::NativeHandle;
use oxur_adapter_kit as kit;

use self::handle::ClObject;
pub(crate) use self::handle::NativeCell;
use crate::{Context, Cpu};

/// Writes C functions that answer an error code. The body of each is a block of type `ClResult<()>` that runs guarded.
macro_rules! entry {
    ($( $(#[$attribute:meta])* fn $name:ident($($p:ident: $ty:ty),* $(,)?) $body:block )*) => { $(
        $(#[$attribute])*
        #[allow(non_snake_case, clippy::too_many_arguments, reason = "the C ABI decides")]
        pub(super) unsafe extern "C" fn $name($($p: $ty),*) -> opencl_sys::cl_int {
            $crate::opencl::error::guard(stringify!($name), move || {
                // SAFETY: the caller of the C function vouches, as OpenCL demands, that pointers that are not null point to
                // what their types say. What handles are is checked.
                #[allow(unused_unsafe, reason = "some look at handles alone")]
                unsafe { $body }
            })
        }
    )* };
}
use entry;

/// As [`entry`], of functions that make something: the last parameter, `error`, is added. The body is a block of type
/// `ClResult<*mut c_void>`.
macro_rules! creation {
    ($( $(#[$attribute:meta])* fn $name:ident($($p:ident: $ty:ty),* $(,)?) $body:block )*) => { $(
        $(#[$attribute])*
        #[allow(non_snake_case, clippy::too_many_arguments, reason = "the C ABI decides")]
        pub(super) unsafe extern "C" fn $name($($p: $ty,)* error: *mut opencl_sys::cl_int) -> *mut std::ffi::c_void {
            let body = move || {
                // SAFETY: the caller of the C function vouches, as OpenCL demands, that pointers that are not null point to
                // what their types say. What handles are is checked.
                #[allow(unused_unsafe, reason = "some look at handles alone")]
                unsafe { $body }
            };
            // SAFETY: as above.
            unsafe { $crate::opencl::error::guard_new(stringify!($name), error, body) }
        }
    )* };
}
use creation;

/// Writes the functions that every object has: those of its reference count, and the query, which the module's `info`
/// answers.
macro_rules! object_entries {
    ($object:ident as $handle:ty: $retain:ident, $release:ident, $get_info:ident) => {
        $crate::opencl::entry! {
            fn $retain(handle: $handle) {
                $crate::opencl::handle::retain::<$object>(handle)
            }

            fn $release(handle: $handle) {
                $crate::opencl::handle::release::<$object>(handle)
            }

            fn $get_info(
                handle: $handle, query: opencl_sys::cl_uint, size: usize, value: *mut std::ffi::c_void, needed: *mut usize,
            ) {
                let object = $crate::opencl::handle::object::<$object>(handle)?;
                info(&object, query, $crate::opencl::info::Out::new(size, value, needed))
            }
        }
    };
}
use object_entries;

/// UR's own tables of entry points.
fn ur() -> &'static kit::table::Tables {
    kit::table::tables::<Cpu>()
}

/// Calls an entry point of UR, whose errors become OpenCL's.
macro_rules! call_ur {
    ($table:ident.$function:ident($($argument:expr),* $(,)?)) => {
        $crate::opencl::error::check(
            ($crate::opencl::ur().ddi.$table.$function.expect("the kit fills every slot"))($($argument),*)
        )
    };
}
use call_ur;

/// The native handle of an object, without a reference for the client.
pub(crate) fn native<T: ClObject>(object: &Arc<T>) -> UrResult<NativeHandle> {
    icd_loader::ensure();
    Ok(handle::handle_of(object) as NativeHandle)
}

/// Checks that an object of a native handle is in the context that the client names.
pub(crate) fn check_context(own: &Arc<Context>, named: &Arc<Context>) -> UrResult<()> {
    match Arc::ptr_eq(own, named) {
        true => Ok(()),
        false => Err(kit::error!(ERROR_INVALID_CONTEXT: "the native handle is one of another context")),
    }
}

/// The object of a native handle. If `owned`, the client's reference of the handle goes over to UR, which keeps the object by
/// its own.
pub(crate) fn from_native<T: ClObject>(native: NativeHandle, owned: bool) -> UrResult<Arc<T>> {
    let handle = native as *mut std::ffi::c_void;
    let invalid = || {
        let what = "the native handle is null, of another type, or from another driver";
        kit::UrError::with_message(<T::Handle as kit::HandleKind>::INVALID, what)
    };
    let object = handle::object::<T>(handle).map_err(|_| invalid())?;
    if owned && handle::release::<T>(handle).is_err() {
        log::warn!("a native handle was given away by somebody who had no reference of it");
    }
    Ok(object)
}
