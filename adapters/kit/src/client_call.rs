// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Entry points that call a function of the client.

use oxur_api::ResultCode;

use crate::UrResult;
use crate::error::guard;

/// Runs the body of an entry point that calls a function of the client in the middle. The call is outside of [`guard`]:
/// if it throws a C++ exception, the results of `before` are dropped, and the exception propagates to the client.
pub(crate) fn guard_around<T>(
    function: &'static str,
    before: impl FnOnce() -> UrResult<T>,
    call: impl FnOnce(&T),
    after: impl FnOnce(T) -> UrResult<()>,
) -> ResultCode {
    let mut made = None;
    let code = guard(function, || {
        made = Some(before()?);
        Ok(())
    });
    let Some(made) = made else {
        return code;
    };
    call(&made);
    guard(function, || after(made))
}
