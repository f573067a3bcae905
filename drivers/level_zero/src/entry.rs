// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The edge to C: what each function does around its body.

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

use level_zero_sys::*;
use oxur_fork::OnceLock;

/// What a function answers, and what is wrong, for the log.
#[derive(Debug)]
pub(crate) struct Error {
    code: ze_result_t,
    message: Option<Box<str>>,
    /// Whether the code is the answer to a question, and nothing is wrong.
    is_answer: bool,
}

pub(crate) type ZeResult<T = ()> = Result<T, Error>;

impl Error {
    /// An error with a message that says what is wrong and what to do.
    #[cold]
    pub(crate) fn new(code: ze_result_t, message: impl Display) -> Self {
        let message = Some(message.to_string().into());
        Self {
            code,
            message,
            is_answer: false,
        }
    }

    /// The answer to a question, which programs may ask again and again: the log does not have it.
    pub(crate) fn answer(code: ze_result_t) -> Self {
        Self {
            code,
            message: None,
            is_answer: true,
        }
    }

    /// What the function answers.
    pub(crate) fn code(&self) -> ze_result_t {
        self.code
    }

    /// The same with another code.
    #[cold]
    pub(crate) fn with_code(self, code: ze_result_t) -> Self {
        Self { code, ..self }
    }
}

impl Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.message {
            Some(message) => f.write_str(message),
            None => self.code.fmt(f),
        }
    }
}

impl From<ze_result_t> for Error {
    #[cold]
    fn from(code: ze_result_t) -> Self {
        Self {
            code,
            message: None,
            is_answer: false,
        }
    }
}

/// The answer of a wait or a question that came too early.
pub(crate) fn not_ready() -> ZeResult {
    Err(Error::answer(ZE_RESULT_NOT_READY))
}

/// An error without a message.
pub(crate) fn err<T>(code: ze_result_t) -> ZeResult<T> {
    Err(code.into())
}

/// Defines functions of Level Zero. The body is that of a closure that returns a [`ZeResult`].
macro_rules! entry {
    ($( $(#[$attribute:meta])* fn $name:ident($($argument:ident: $type:ty),* $(,)?) $body:block )*) => { $(
        $(#[$attribute])*
        ///
        /// # Safety
        /// The arguments must be what Level Zero's specification asks for.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> level_zero_sys::ze_result_t {
            #[inline]
            #[allow(clippy::too_many_arguments, reason = "they are Level Zero's")]
            fn untraced($($argument: $type),*) -> level_zero_sys::ze_result_t {
                $crate::entry::call(stringify!($name), || -> $crate::entry::ZeResult {
                    #[allow(unused_imports, reason = "not all functions have arguments of both kinds")]
                    use $crate::nulls::{Other as _, Pointer as _};
                    let null = [$((&$crate::nulls::Argument($argument)).is_null()),*];
                    $crate::nulls::of::$name.check(null, &[$(stringify!($argument)),*])?;
                    $body
                })
            }
            /// Callbacks get pointers to the arguments, and may change them.
            #[cold]
            #[inline(never)]
            #[allow(clippy::too_many_arguments, reason = "as above")]
            fn traced($(mut $argument: $type),*) -> level_zero_sys::ze_result_t {
                let arguments: &mut [*mut std::ffi::c_void] = &mut [$((&raw mut $argument).cast()),*];
                let call = $crate::tracing::Call::begin($crate::tracing::numbers::$name, arguments);
                call.end(untraced($($argument),*))
            }
            match $crate::tracing::is_on() {
                false => untraced($($argument),*),
                true => traced($($argument),*),
            }
        }
    )* };
}
pub(crate) use entry;

/// Makes the driver log as its variable says.
pub(crate) fn init() {
    static INIT: OnceLock<()> = OnceLock::new();
    INIT.get_or_init(|| oxur_log::init_all(&[oxur_log::Component::new("ze_driver").variable("ZE_OXUR_LOG")]));
}

/// Calls the body of a function: errors become codes and lines in the log, and panics do not pass.
#[inline]
pub(crate) fn call(name: &'static str, body: impl FnOnce() -> ZeResult) -> ze_result_t {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => ZE_RESULT_SUCCESS,
        Ok(Err(error)) => failed(name, error),
        Err(_) => panicked(name),
    }
}

/// As [`call`], for a function that answers something else than an error.
pub(crate) fn call_for<T>(name: &'static str, failed: T, body: impl FnOnce() -> ZeResult<T>) -> T {
    let mut answer = failed;
    call(name, || {
        answer = body()?;
        Ok(())
    });
    answer
}

#[cold]
fn failed(name: &str, error: Error) -> ze_result_t {
    init();
    let code = error.code;
    match error.message {
        Some(message) => {
            log::error!("{name}: {message} ({code})");
            remember(&message);
        }
        None if error.is_answer => {}
        // Programs find out so what there is.
        None if code == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE => log::info!("{name}: {code}"),
        None => log::error!("{name}: {code}"),
    }
    code
}

#[cold]
fn panicked(name: &str) -> ze_result_t {
    init();
    log::error!("{name}: the driver panicked: this is a bug of oxur");
    ZE_RESULT_ERROR_UNKNOWN
}

/// The answer of a function that the driver does not have.
#[cold]
pub(crate) fn unsupported(name: &str) -> ze_result_t {
    failed(name, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE.into())
}

std::thread_local! {
    /// The message of this thread's last error, for `zeDriverGetLastErrorDescription`.
    static LAST: std::cell::RefCell<std::ffi::CString> = std::cell::RefCell::default();
}

fn remember(message: &str) {
    let message = std::ffi::CString::new(message.replace('\0', " ")).unwrap_or_default();
    // A thread that ends has no use for it.
    _ = LAST.try_with(|last| last.replace(message));
}

/// The message of this thread's last error. It is valid until the next one.
pub(crate) fn last_message() -> *const std::ffi::c_char {
    LAST.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}
