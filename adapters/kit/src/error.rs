// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Errors: a result code of the ABI, with words for the log where there is more to say.

use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

use oxur_api::ResultCode;

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
pub enum UrError {
    /// The code says it all.
    #[error("{0:?}")]
    Code(ResultCode),
    /// The code, and for the log what was wrong and what to do about it.
    #[error("{1} ({0:?})")]
    Said(ResultCode, String),
    /// An error that only this backend has: the client gets `ERROR_ADAPTER_SPECIFIC` and may ask
    /// `urAdapterGetLastError` for the rest.
    #[error("{message} ({code})")]
    Native {
        /// The backend's own error code.
        code: i32,
        /// What it means.
        message: String,
    },
}

/// What a fallible function of an adapter returns.
pub type UrResult<T> = Result<T, UrError>;

impl UrError {
    /// `code`, with words for the log.
    pub fn said(code: ResultCode, message: impl Into<String>) -> Self {
        Self::Said(code, message.into())
    }

    /// The code that the client sees.
    pub fn code(&self) -> ResultCode {
        match self {
            Self::Code(code) | Self::Said(code, _) => *code,
            Self::Native { .. } => ResultCode::ERROR_ADAPTER_SPECIFIC,
        }
    }
}

impl From<ResultCode> for UrError {
    fn from(code: ResultCode) -> Self {
        Self::Code(code)
    }
}

/// The error of what an adapter does not do.
pub fn unsupported<T>() -> UrResult<T> {
    Err(ResultCode::ERROR_UNSUPPORTED_FEATURE.into())
}

thread_local! {
    static LAST: RefCell<(CString, i32)> = RefCell::default();
}

/// The last native error of this thread: its message, alive until the next one, and its code.
pub(crate) fn last() -> (*const c_char, i32) {
    LAST.with_borrow(|(message, code)| (message.as_ptr(), *code))
}

/// Runs the body of an entry point: an error becomes its code and a line in the log, a panic becomes `ERROR_UNKNOWN`.
pub(crate) fn guard(function: &'static str, body: impl FnOnce() -> UrResult<()>) -> ResultCode {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => ResultCode::SUCCESS,
        Ok(Err(error)) => report(function, error),
        Err(panic) => {
            let words = panic
                .downcast_ref::<&str>()
                .copied()
                .or_else(|| panic.downcast_ref::<String>().map(|s| &**s));
            log::error!(
                "{function}: internal error, please report it: {}",
                words.unwrap_or("panic")
            );
            ResultCode::ERROR_UNKNOWN
        }
    }
}

#[cold]
fn report(function: &'static str, error: UrError) -> ResultCode {
    match &error {
        UrError::Code(code) => log::debug!("{function}: {code:?}"),
        // Queries that an implementation need not answer are no news.
        UrError::Said(code, _) if *code == ResultCode::ERROR_UNSUPPORTED_ENUMERATION => {
            log::debug!("{function}: {error}")
        }
        UrError::Said(..) => log::warn!("{function}: {error}"),
        UrError::Native { code, message } => {
            log::warn!("{function}: {error}");
            let message = CString::new(message.replace('\0', " ")).unwrap_or_default();
            LAST.with_borrow_mut(|last| *last = (message, *code));
        }
    }
    error.code()
}
