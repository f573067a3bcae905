// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Errors of OpenCL functions.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};

use kit::UrError;
use kit::ur::ResultCode;
use opencl_sys::*;
use oxur_adapter_kit as kit;

/// Why a call failed.
#[derive(Debug)]
pub(crate) struct ClError {
    /// What the client gets.
    pub(crate) code: cl_int,
    /// What was wrong, for the log; empty where the code says it all.
    what: String,
}

pub(crate) type ClResult<T> = Result<T, ClError>;

impl ClError {
    /// A code, with words for the log.
    #[cold]
    pub(crate) fn with_message(code: cl_int, what: impl Into<String>) -> Self {
        Self {
            code,
            what: what.into(),
        }
    }

    /// The same words with another code, if the code is `old`: one error of UR may be several of OpenCL.
    pub(crate) fn instead_of(self, old: cl_int, new: cl_int) -> Self {
        let code = if self.code == old { new } else { self.code };
        Self { code, ..self }
    }
}

impl From<cl_int> for ClError {
    fn from(code: cl_int) -> Self {
        Self::with_message(code, "")
    }
}

impl From<ResultCode> for ClError {
    fn from(result: ResultCode) -> Self {
        code(result).into()
    }
}

impl From<UrError> for ClError {
    fn from(error: UrError) -> Self {
        Self::with_message(code(error.code()), error.to_string())
    }
}

/// The result of an entry point of UR.
pub(crate) fn check(result: ResultCode) -> ClResult<()> {
    match result {
        ResultCode::SUCCESS => Ok(()),
        error => Err(error.into()),
    }
}

macro_rules! codes {
    ($($result:ident => $code:ident,)*) => {
        /// The OpenCL error of an error of UR.
        fn code(result: ResultCode) -> cl_int {
            match result {
                ResultCode::SUCCESS => CL_SUCCESS,
                $(ResultCode::$result => $code,)*
                _ => CL_OUT_OF_RESOURCES,
            }
        }
    };
}

codes! {
    ERROR_INVALID_OPERATION => CL_INVALID_OPERATION,
    ERROR_INVALID_QUEUE_PROPERTIES => CL_INVALID_QUEUE_PROPERTIES,
    ERROR_INVALID_QUEUE => CL_INVALID_COMMAND_QUEUE,
    ERROR_INVALID_VALUE => CL_INVALID_VALUE,
    ERROR_INVALID_CONTEXT => CL_INVALID_CONTEXT,
    ERROR_INVALID_PLATFORM => CL_INVALID_PLATFORM,
    ERROR_INVALID_BINARY => CL_INVALID_BINARY,
    ERROR_INVALID_PROGRAM => CL_INVALID_PROGRAM,
    ERROR_INVALID_SAMPLER => CL_INVALID_SAMPLER,
    ERROR_INVALID_BUFFER_SIZE => CL_INVALID_BUFFER_SIZE,
    ERROR_INVALID_MEM_OBJECT => CL_INVALID_MEM_OBJECT,
    ERROR_INVALID_EVENT => CL_INVALID_EVENT,
    ERROR_INVALID_EVENT_WAIT_LIST => CL_INVALID_EVENT_WAIT_LIST,
    ERROR_MISALIGNED_SUB_BUFFER_OFFSET => CL_MISALIGNED_SUB_BUFFER_OFFSET,
    ERROR_INVALID_WORK_GROUP_SIZE => CL_INVALID_WORK_GROUP_SIZE,
    ERROR_COMPILER_NOT_AVAILABLE => CL_COMPILER_NOT_AVAILABLE,
    ERROR_PROFILING_INFO_NOT_AVAILABLE => CL_PROFILING_INFO_NOT_AVAILABLE,
    ERROR_DEVICE_NOT_FOUND => CL_DEVICE_NOT_FOUND,
    ERROR_INVALID_DEVICE => CL_INVALID_DEVICE,
    ERROR_DEVICE_PARTITION_FAILED => CL_DEVICE_PARTITION_FAILED,
    ERROR_INVALID_DEVICE_PARTITION_COUNT => CL_INVALID_DEVICE_PARTITION_COUNT,
    ERROR_INVALID_WORK_ITEM_SIZE => CL_INVALID_WORK_ITEM_SIZE,
    ERROR_INVALID_WORK_DIMENSION => CL_INVALID_WORK_DIMENSION,
    ERROR_INVALID_KERNEL_ARGS => CL_INVALID_KERNEL_ARGS,
    ERROR_INVALID_KERNEL => CL_INVALID_KERNEL,
    ERROR_INVALID_KERNEL_NAME => CL_INVALID_KERNEL_NAME,
    ERROR_INVALID_KERNEL_ARGUMENT_INDEX => CL_INVALID_ARG_INDEX,
    ERROR_INVALID_KERNEL_ARGUMENT_SIZE => CL_INVALID_ARG_SIZE,
    ERROR_INVALID_KERNEL_ATTRIBUTE_VALUE => CL_INVALID_ARG_VALUE,
    ERROR_INVALID_IMAGE_SIZE => CL_INVALID_IMAGE_SIZE,
    ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR => CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
    ERROR_UNSUPPORTED_IMAGE_FORMAT => CL_IMAGE_FORMAT_NOT_SUPPORTED,
    ERROR_MEM_OBJECT_ALLOCATION_FAILURE => CL_MEM_OBJECT_ALLOCATION_FAILURE,
    ERROR_INVALID_PROGRAM_EXECUTABLE => CL_INVALID_PROGRAM_EXECUTABLE,
    ERROR_OUT_OF_HOST_MEMORY => CL_OUT_OF_HOST_MEMORY,
    ERROR_OUT_OF_DEVICE_MEMORY => CL_OUT_OF_RESOURCES,
    ERROR_OUT_OF_RESOURCES => CL_OUT_OF_RESOURCES,
    ERROR_PROGRAM_BUILD_FAILURE => CL_BUILD_PROGRAM_FAILURE,
    ERROR_PROGRAM_LINK_FAILURE => CL_LINK_PROGRAM_FAILURE,
    ERROR_UNSUPPORTED_FEATURE => CL_INVALID_OPERATION,
    ERROR_INVALID_ARGUMENT => CL_INVALID_VALUE,
    ERROR_INVALID_NULL_HANDLE => CL_INVALID_VALUE,
    ERROR_INVALID_NULL_POINTER => CL_INVALID_VALUE,
    ERROR_INVALID_SIZE => CL_INVALID_VALUE,
    ERROR_INVALID_ENUMERATION => CL_INVALID_VALUE,
    ERROR_UNSUPPORTED_ENUMERATION => CL_INVALID_VALUE,
    ERROR_INVALID_HOST_PTR => CL_INVALID_HOST_PTR,
    ERROR_INVALID_USM_SIZE => CL_INVALID_BUFFER_SIZE,
    ERROR_IN_EVENT_LIST_EXEC_STATUS => CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
    ERROR_INVALID_SPEC_ID => CL_INVALID_SPEC_ID,
    ERROR_OVERLAPPING_REGIONS => CL_MEM_COPY_OVERLAP,
    ERROR_GRAPH_CAPTURE_UNSUPPORTED => CL_INVALID_OPERATION,
    ERROR_GRAPH_CAPTURE_INVALIDATED => CL_INVALID_OPERATION,
}

/// Runs the body of an entry point: an error becomes its code and a line in the log, a panic `CL_OUT_OF_RESOURCES`.
pub(crate) fn guard(function: &'static str, body: impl FnOnce() -> ClResult<()>) -> cl_int {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => {
            log::trace!("{function}: CL_SUCCESS");
            CL_SUCCESS
        }
        Ok(Err(ClError { code, what })) if what.is_empty() => {
            log::debug!("{function}: error {code}");
            code
        }
        Ok(Err(ClError { code, what })) => {
            log::warn!("{function}: {what} (error {code})");
            code
        }
        Err(_) => {
            log::error!("{function}: internal error, please report it");
            CL_OUT_OF_RESOURCES
        }
    }
}

/// As [`guard`], of a function that makes something and has a place for its error.
///
/// # Safety
/// `error`, unless null, must be writable.
pub(crate) unsafe fn guard_new(
    function: &'static str,
    error: *mut cl_int,
    body: impl FnOnce() -> ClResult<*mut c_void>,
) -> *mut c_void {
    let mut made = std::ptr::null_mut();
    let code = guard(function, || {
        made = body()?;
        Ok(())
    });
    if !error.is_null() {
        // SAFETY: the caller vouches for it.
        unsafe { error.write(code) };
    }
    made
}
