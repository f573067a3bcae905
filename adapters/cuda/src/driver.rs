// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! CUDA's functions, found at run time.
//!
//! The table is our own (`oxur-cuda-sys`): the adapter calls some 85 functions, in the form of one version, and says in
//! one line of the log what is missing where they are not all there.

use kit::{DriverUse, UrError, UrResult};
use oxur_adapter_kit as kit;
use oxur_cuda_sys::*;
use oxur_fork::OnceLock;

use crate::conv;

static DRIVER: OnceLock<Result<Functions, String>> = OnceLock::new();

/// The version of CUDA that the driver is for, as `cuDriverGetVersion` says it.
static VERSION: OnceLock<i32> = OnceLock::new();

/// Opens the driver and starts it, once. The error says why there is none.
pub(crate) fn load() -> Result<&'static Functions, &'static str> {
    DRIVER.get_or_init(open).as_ref().map_err(String::as_str)
}

fn open() -> Result<Functions, String> {
    let functions = Functions::open("libcuda.so.1").map_err(|error| match error {
        OpenError::Library(_) => format!("there is no NVIDIA driver: {error}"),
        _ => format!(
            "the NVIDIA driver is too old, CUDA {} is needed: {error}",
            version_text(API_VERSION)
        ),
    })?;
    let mut version = 0;
    // SAFETY: a place for the version; the functions may be called before `cuInit`.
    let (known, started) = unsafe { ((functions.cuDriverGetVersion)(&mut version), (functions.cuInit)(0)) };
    if known != CUDA_SUCCESS {
        let why = conv::name(known);
        return Err(format!(
            "the NVIDIA driver does not say its version: cuDriverGetVersion returned {why}"
        ));
    }
    if version < API_VERSION {
        return Err(format!(
            "the NVIDIA driver is too old: it is for CUDA {}, and {} is needed",
            version_text(version),
            version_text(API_VERSION)
        ));
    }
    match started {
        CUDA_SUCCESS => {}
        CUDA_ERROR_NO_DEVICE => return Err("the NVIDIA driver has no devices".to_owned()),
        other => {
            return Err(format!(
                "the NVIDIA driver does not start: cuInit returned {}",
                conv::name(other)
            ));
        }
    }
    USE.note();
    VERSION.get_or_init(|| version);
    Ok(functions)
}

/// The driver's version: that of CUDA.
pub(crate) fn version() -> i32 {
    VERSION.get().copied().unwrap_or(0)
}

/// A version as users know it.
pub(crate) fn version_text(version: i32) -> String {
    format!("{}.{}", version / 1000, version % 1000 / 10)
}

/// The functions of the driver, which is open: there are no objects without it.
#[inline(always)]
pub(crate) fn api() -> &'static Functions {
    match DRIVER.get() {
        Some(Ok(functions)) => functions,
        _ => panic!("the adapter has no objects before the driver is open"),
    }
}

/// In a child of `fork` the driver answers `CUDA_ERROR_NOT_INITIALIZED`, and has no threads.
static USE: DriverUse = DriverUse::new();

/// Whether the driver must not be called: this is a child of a process that has started it.
#[inline(always)]
pub(crate) fn is_lost() -> bool {
    USE.is_lost()
}

/// Whether objects of the driver are left alone as they go: it is lost, or the process ends.
pub(crate) fn is_gone() -> bool {
    USE.is_gone()
}

/// Calls a function of CUDA: `cu!(cuStreamSynchronize(stream))`. The code around it must be `unsafe`.
macro_rules! cu {
    ($name:ident($($arg:expr),* $(,)?)) => {
        match $crate::driver::is_lost() {
            false => $crate::driver::check(stringify!($name), ($crate::driver::api().$name)($($arg),*)),
            true => Err($crate::driver::forked(stringify!($name))),
        }
    };
}
pub(crate) use cu;

/// As [`cu`], for a function that takes the place for its result first: `cu_get!(cuStreamGetCtx(stream))`, where `_`
/// stands for that place.
macro_rules! cu_get {
    ($name:ident(_ $(, $arg:expr)* $(,)?): $ty:ty = $empty:expr) => {{
        let mut result: $ty = $empty;
        $crate::driver::cu!($name(&mut result $(, $arg)*)).map(|()| result)
    }};
}
pub(crate) use cu_get;

/// Turns a result into a UR error.
#[inline(always)]
pub(crate) fn check(function: &'static str, result: CUresult) -> UrResult<()> {
    match result {
        CUDA_SUCCESS => Ok(()),
        _ => Err(conv::error(function, result)),
    }
}

/// How often the driver is asked again.
const ASKED_AGAIN: usize = 8;

/// Asks the driver whether something is complete. An error that is no fault may be about the question: what runs is not over
/// because the driver has no memory to answer. So it is asked again then.
#[inline(always)]
pub(crate) fn ask(function: &'static str, call: impl Fn() -> CUresult) -> CUresult {
    match call() {
        answer @ (CUDA_SUCCESS | CUDA_ERROR_NOT_READY) => answer,
        other => ask_again(function, other, &call),
    }
}

#[cold]
fn ask_again(function: &'static str, mut found: CUresult, call: &dyn Fn() -> CUresult) -> CUresult {
    for _ in 0..ASKED_AGAIN {
        if matches!(found, CUDA_SUCCESS | CUDA_ERROR_NOT_READY) || conv::is_fault(found) {
            break;
        }
        log::debug!("{function} returned {}, and is called again", conv::name(found));
        found = call();
    }
    found
}

/// The error for a call in a child of `fork`.
#[cold]
pub(crate) fn forked(function: &'static str) -> UrError {
    DriverUse::forked(function)
}
