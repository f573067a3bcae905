// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Errors: a result code of the ABI, with words for the log where there is more to say.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

use oxur_api::ResultCode;

/// Why a call failed. As small as it can be: every call returns a result that could hold one.
#[derive(Debug, thiserror::Error)]
pub enum UrError {
    /// The code says it all.
    #[error("{0:?}")]
    Code(ResultCode),
    /// There is more to say.
    #[error("{0}")]
    Told(Box<Told>),
}

/// An error with words for the log: what was wrong, and what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum Told {
    /// An error of the ABI.
    #[error("{1} ({0:?})")]
    Code(ResultCode, String),
    /// An error that only this backend has, with the backend's own code: the client gets `ERROR_ADAPTER_SPECIFIC` and may
    /// ask `urAdapterGetLastError` for the rest.
    #[error("{1} ({0})")]
    Native(i32, String),
}

/// What a fallible function of an adapter returns.
pub type UrResult<T> = Result<T, UrError>;

impl UrError {
    /// `code`, with words for the log.
    #[cold]
    pub fn said(code: ResultCode, message: impl Into<String>) -> Self {
        Self::Told(Box::new(Told::Code(code, message.into())))
    }

    /// An error that only this backend has: its code, and what that means.
    #[cold]
    pub fn native(code: i32, message: impl Into<String>) -> Self {
        Self::Told(Box::new(Told::Native(code, message.into())))
    }

    /// The code that the client sees.
    pub fn code(&self) -> ResultCode {
        match self {
            Self::Code(code) => *code,
            Self::Told(told) => match **told {
                Told::Code(code, _) => code,
                Told::Native(..) => ResultCode::ERROR_ADAPTER_SPECIFIC,
            },
        }
    }

    /// The same words with another code of the ABI.
    pub fn with_code(self, code: ResultCode) -> Self {
        match self {
            Self::Code(_) => Self::Code(code),
            Self::Told(told) => match *told {
                Told::Code(_, message) | Told::Native(_, message) => Self::said(code, message),
            },
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
///
/// Inlined, so that the parameters of the C function stay in registers.
#[inline(always)]
pub(crate) fn guard(function: &'static str, body: impl FnOnce() -> UrResult<()>) -> ResultCode {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => ResultCode::SUCCESS,
        Ok(Err(error)) => report(function, error),
        Err(panic) => report_panic(function, panic),
    }
}

#[cold]
#[inline(never)]
fn report(function: &'static str, error: UrError) -> ResultCode {
    let code = error.code();
    match error {
        UrError::Code(code) => log::debug!("{function}: {code:?}"),
        // Queries that an implementation need not answer are no news.
        UrError::Told(told) if code == ResultCode::ERROR_UNSUPPORTED_ENUMERATION => log::debug!("{function}: {told}"),
        UrError::Told(told) => {
            log::warn!("{function}: {told}");
            if let Told::Native(code, message) = *told {
                let message = CString::new(message.replace('\0', " ")).unwrap_or_default();
                LAST.with_borrow_mut(|last| *last = (message, code));
            }
        }
    }
    code
}

#[cold]
#[inline(never)]
fn report_panic(function: &'static str, panic: Box<dyn Any + Send>) -> ResultCode {
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

const _: () = assert!(
    size_of::<UrResult<()>>() <= 2 * size_of::<usize>(),
    "a result is returned in registers"
);
