// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Errors of OpenCL functions.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};

use kit::UrError;
use kit::ur::ResultCode;
use opencl_sys::*;
use oxur_adapter_kit as kit;
use oxur_api_opencl as conv;

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

/// The OpenCL error of an error of UR.
fn code(result: ResultCode) -> cl_int {
    match result {
        ResultCode::SUCCESS => CL_SUCCESS,
        error => conv::error_code(error).unwrap_or(CL_OUT_OF_RESOURCES),
    }
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
