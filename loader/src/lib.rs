// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The loader of the Unified Runtime, `libur_loader.so.0`: finds adapters, and forwards every call to the adapter that
//! created the handle.
//!
//! | module | |
//! |---|---|
//! | [`symbols`], [`exports`] | the C symbols and their targets, expanded from the table in `oxur-api` |
//! | `dispatch` | from a handle to its adapter's functions |
//! | `state` | initialization, teardown, the list of adapters |
//! | `discovery`, `library`, `elf`, `opencl_cpus` | finding and loading adapters, and their order |
//! | `legacy`, `arg_emulation` | functions that 2026.2 removed and older clients call |
//! | `libsycl_compat`, [`v2025_2`], [`v2025_3`] | SYCL runtimes of these releases, which call some functions with other parameters |
//! | `device_selector`, `device_get_selected` | `ONEAPI_DEVICE_SELECTOR` and `urDeviceGetSelected` |
//! | `config` | `urLoaderConfig*` |
//! | `layers` | validation, tracing, leak checking |
//! | `environment` | variables; docs/environment.md lists them |
//!
//! A loaded adapter stays in the process: its handles, threads and exit handlers may outlive any teardown.
#![cfg_attr(test, allow(clippy::disallowed_types, reason = "tests fork by themselves"))]

mod arg_emulation;
mod config;
mod device_get_selected;
mod device_selector;
mod discovery;
mod dispatch;
mod elf;
mod environment;
pub mod exports;
mod layers;
mod legacy;
mod library;
mod libsycl_compat;
mod opencl_cpus;
mod state;
pub mod symbols;
pub mod v2025_2;
pub mod v2025_3;

use oxur_api::ResultCode;

/// The functions that the loader implements itself, by their C names.
mod own {
    pub(crate) use crate::config::{
        urLoaderConfigCreate, urLoaderConfigEnableLayer, urLoaderConfigGetInfo, urLoaderConfigRelease,
        urLoaderConfigRetain, urLoaderConfigSetCodeLocationCallback, urLoaderConfigSetMockingEnabled,
    };
    pub(crate) use crate::device_get_selected::urDeviceGetSelected;
    pub(crate) use crate::state::{urAdapterGet, urLoaderInit, urLoaderTearDown};
}

/// The result of a function inside the loader.
type UrResult<T> = Result<T, ResultCode>;

/// Converts a result into its C code. A panic ends here.
fn answer(body: impl FnOnce() -> UrResult<()>) -> ResultCode {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(body)) {
        Ok(Ok(())) => ResultCode::SUCCESS,
        Ok(Err(code)) => code,
        Err(_) => ResultCode::ERROR_UNKNOWN,
    }
}
