// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `UR_LAYER_TRACING`: each call, its parameters and its result, in the log of the component `tracing`.
//!
//! ```text
//!    ---> urDeviceRetain
//!    <--- urDeviceRetain(.hDevice = 0x55afae971fb0) -> UR_RESULT_SUCCESS;
//! ```

use std::ffi::CStr;
use std::fmt::Write;

use log::Level;
use oxur_api::callback::{MayThrow, call_or_abort};
use oxur_api::meta::Function;
use oxur_api::{ResultCode, c_char};

use super::{Arguments, CodeLocator, print};

const TARGET: &str = "tracing";

/// Whether a function is traced. The loader's own configuration is not.
pub(super) fn wanted(function: &Function) -> bool {
    log::log_enabled!(target: TARGET, Level::Info) && !function.name.starts_with("urLoader")
}

/// Logs the start of a call.
pub(super) fn begin(function: &Function, locator: Option<CodeLocator>) {
    let origin = locator.map(origin).unwrap_or_default();
    log::info!(target: TARGET, "   ---> {}{origin}", function.name);
}

/// Logs the result of a call.
///
/// # Safety
/// `arguments` are those of `function`, which was just called with them and returned `code`.
pub(super) unsafe fn end(function: &Function, arguments: &Arguments<'_>, code: ResultCode) {
    let mut line = format!("   <--- {}(", function.name);
    for (index, parameter) in function.params.iter().enumerate() {
        let separator = if index == 0 { "" } else { ", " };
        let _ = write!(line, "{separator}.{} = ", parameter.c_name());
        // SAFETY: passed on.
        unsafe { print::parameter(&mut line, function, arguments, index, code == ResultCode::SUCCESS) };
    }
    log::info!(target: TARGET, "{line}) -> {code:?};");
}

/// Logs that a C++ exception ended a call.
pub(super) fn unwound(function: &Function) {
    log::info!(target: TARGET, "   <--- {} threw an exception", function.name);
}

/// The source location that the client reports for the current call.
fn origin(locator: CodeLocator) -> String {
    // SAFETY: the client registered the function for this.
    let call = || unsafe { locator.callback.may_throw()(locator.user_data) };
    let location = call_or_abort("the callback for code locations", call);
    let text = |pointer: *const c_char| {
        // SAFETY: null or a C string of the client, which lives as long as the call it describes.
        (!pointer.is_null()).then(|| unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned())
    };
    match (text(location.functionName), text(location.sourceFile)) {
        (Some(function), Some(file)) => format!(" from {function} at {file}:{}", location.lineNumber),
        (Some(function), None) => format!(" from {function}"),
        (None, Some(file)) => format!(" at {file}:{}", location.lineNumber),
        (None, None) => String::new(),
    }
}
