// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Errors: a result code of the ABI, with a message for the log if there is more to say.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

use oxur_api::ResultCode;

/// Why a call failed. One pointer, so that the results of calls stay in registers.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct UrError(Box<Reason>);

#[derive(Debug, thiserror::Error)]
enum Reason {
    /// The code says everything.
    #[error("{0:?}")]
    Code(ResultCode),
    /// The code, and a message for the log: what was wrong and what to do about it.
    #[error("{1} ({0:?})")]
    Message(ResultCode, String),
    /// An error of this backend only, with the backend's own code. The client gets `ERROR_ADAPTER_SPECIFIC` and may
    /// query `urAdapterGetLastError`.
    #[error("{1} ({0})")]
    Native(i32, String),
}

/// What a fallible function of an adapter returns.
pub type UrResult<T> = Result<T, UrError>;

impl UrError {
    /// `code` with a message for the log: what was wrong and what to do about it.
    #[cold]
    pub fn with_message(code: ResultCode, message: impl Into<String>) -> Self {
        Self(Box::new(Reason::Message(code, message.into())))
    }

    /// An error of this backend only: its code and message. The client gets `ERROR_ADAPTER_SPECIFIC` and may query
    /// `urAdapterGetLastError`.
    #[cold]
    pub fn native(code: i32, message: impl Into<String>) -> Self {
        Self(Box::new(Reason::Native(code, message.into())))
    }

    /// The code that the client sees.
    pub fn code(&self) -> ResultCode {
        match *self.0 {
            Reason::Code(code) | Reason::Message(code, _) => code,
            Reason::Native(..) => ResultCode::ERROR_ADAPTER_SPECIFIC,
        }
    }

    /// The same error with another line in its message.
    pub fn context(self, words: &str) -> Self {
        match *self.0 {
            Reason::Code(code) => Self::with_message(code, words),
            Reason::Message(code, message) => Self::with_message(code, format!("{message}\n{words}")),
            Reason::Native(code, message) => Self::native(code, format!("{message}\n{words}")),
        }
    }

    /// The same error with what a compiler said, if it said anything.
    pub fn with_log(self, log: &str) -> Self {
        match log.trim() {
            "" => self,
            log => self.context(log),
        }
    }

    /// The same message with another code of the ABI.
    pub fn with_code(self, code: ResultCode) -> Self {
        match *self.0 {
            Reason::Code(_) => code.into(),
            Reason::Message(_, message) | Reason::Native(_, message) => Self::with_message(code, message),
        }
    }
}

impl From<ResultCode> for UrError {
    #[cold]
    fn from(code: ResultCode) -> Self {
        Self(Box::new(Reason::Code(code)))
    }
}

const _: () = assert!(
    size_of::<UrResult<()>>() == size_of::<usize>(),
    "a result fits a register"
);

/// A [`UrError`] of a code with a message, as `format!` takes it: `kit::error!(ERROR_INVALID_VALUE: "there is no {name:?}")`.
#[macro_export]
macro_rules! error {
    ($code:ident: $($message:tt)+) => {
        $crate::UrError::with_message($crate::ur::ResultCode::$code, format!($($message)+))
    };
}

/// Returns an [`error!`](crate::error!).
#[macro_export]
macro_rules! bail {
    ($code:ident: $($message:tt)+) => {
        return Err($crate::error!($code: $($message)+).into())
    };
}

/// The error for a feature that an adapter does not support.
pub fn unsupported<T>() -> UrResult<T> {
    Err(ResultCode::ERROR_UNSUPPORTED_FEATURE.into())
}

thread_local! {
    static LAST: RefCell<(CString, i32)> = RefCell::default();
}

/// The last native error of this thread: its message, which lives until the next one, and its code.
pub(crate) fn last() -> (*const c_char, i32) {
    let last = LAST.try_with(|last| {
        let last = last.borrow();
        (last.0.as_ptr(), last.1)
    });
    last.unwrap_or((c"".as_ptr(), 0))
}

/// Runs the body of an entry point: an error becomes its code and a line in the log, a panic becomes `ERROR_UNKNOWN`.
///
/// Inlined, so that the parameters of the C function stay in registers.
#[inline(always)]
pub fn guard(function: &'static str, body: impl FnOnce() -> UrResult<()>) -> ResultCode {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => ResultCode::SUCCESS,
        Ok(Err(error)) => report(function, error),
        Err(panic) => report_panic(function, panic),
    }
}

/// Logs an error. A panic of the logger must not end the process.
#[cold]
#[inline(never)]
fn report(function: &'static str, error: UrError) -> ResultCode {
    let code = error.code();
    _ = catch_unwind(AssertUnwindSafe(|| note(function, error)));
    code
}

fn note(function: &'static str, error: UrError) {
    match *error.0 {
        Reason::Code(code) => log::debug!("{function}: {code:?}"),
        // Clients probe for optional queries, so an unsupported one is no warning.
        Reason::Message(ResultCode::ERROR_UNSUPPORTED_ENUMERATION, _) => log::debug!("{function}: {error}"),
        Reason::Message(..) => log::warn!("{function}: {error}"),
        Reason::Native(code, ref message) => {
            log::warn!("{function}: {error}");
            let message = CString::new(message.replace('\0', " ")).unwrap_or_default();
            // A thread that is ending may have no storage for it any more.
            _ = LAST.try_with(|last| last.replace((message, code)));
        }
    }
}

#[cold]
#[inline(never)]
fn report_panic(function: &'static str, panic: Box<dyn Any + Send>) -> ResultCode {
    let words = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(|s| &**s));
    let words = words.unwrap_or("panic");
    _ = catch_unwind(|| log::error!("{function}: internal error, please report it: {words}"));
    ResultCode::ERROR_UNKNOWN
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};

    use super::*;

    /// Fails when its thread ends.
    struct Last(Sender<(ResultCode, i32)>);

    impl Drop for Last {
        fn drop(&mut self) {
            let code = guard("urLast", || Err(UrError::native(7, "too late")));
            self.0.send((code, last().1)).expect("a receiver");
        }
    }

    #[test]
    fn a_thread_that_ends_may_fail() {
        thread_local! {
            static AT_END: RefCell<Option<Last>> = const { RefCell::new(None) };
        }
        let (send, receive) = channel();
        let thread = std::thread::spawn(move || {
            AT_END.set(Some(Last(send)));
            // It is created after the other, so it is destroyed first.
            let code = guard("urFirst", || Err(UrError::native(5, "in time")));
            assert_eq!((code, last().1), (ResultCode::ERROR_ADAPTER_SPECIFIC, 5));
        });
        thread.join().expect("the thread");
        assert_eq!(receive.recv(), Ok((ResultCode::ERROR_ADAPTER_SPECIFIC, 0)));
    }
}
