// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The stream of the native command that a thread is in.
//!
//! libsycl has OpenCL's library retain the native handle of a queue whose backend is OpenCL, which a stream of CUDA does
//! not survive. So clients of `urEnqueueNativeCommandExp` that know this adapter ask it here.

use std::cell::Cell;
use std::ptr::null_mut;

use oxur_cuda_sys::CUstream;

thread_local! {
    static STREAM: Cell<CUstream> = const { Cell::new(null_mut()) };
}

/// Notes that a native command of this thread begins.
pub(crate) fn begin(stream: CUstream) {
    STREAM.set(stream);
}

/// Notes that it has ended.
pub(crate) fn end() {
    STREAM.set(null_mut());
}

/// The stream for what the function of `urEnqueueNativeCommandExp` submits, in the thread that is in this function.
#[unsafe(no_mangle)]
pub extern "C" fn oxurCudaNativeCommandStream() -> CUstream {
    STREAM.get()
}
