// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The loader of the Unified Runtime, `libur_loader.so.0`: it finds the adapters, and hands every call to the adapter
//! that made the handle.
//!
//! | module | |
//! |---|---|
//! | [`symbols`], [`exports`] | the C symbols and what they lead to, expanded from the table in `oxur-api` |
//! | `dispatch` | from a handle to its adapter's functions |
//! | `state` | initialisation, teardown, the list of adapters |
//! | `discovery`, `library`, `elf` | which files are adapters, and loading them |
//! | `legacy`, `emulation` | the functions that 2026.2 dropped and older clients call |
//! | `client`, [`v2025`] | which runtime calls, and the functions to which one of 2025.3 gives other parameters |
//! | `selector`, `selected` | `ONEAPI_DEVICE_SELECTOR` and `urDeviceGetSelected` |
//! | `config` | `urLoaderConfig*` |
//! | `layers` | validation and tracing |
//! | `environment` | variables; docs/environment.md lists them |
//!
//! An adapter that was loaded stays in the process: its handles, threads and exit handlers may outlive any teardown.
#![cfg_attr(test, allow(clippy::disallowed_types, reason = "tests fork by themselves"))]

mod client;
mod config;
mod discovery;
mod dispatch;
mod elf;
mod emulation;
mod environment;
pub mod exports;
mod layers;
mod legacy;
mod library;
mod selected;
mod selector;
mod state;
pub mod symbols;
pub mod v2025;

use oxur_api::ResultCode;

/// The functions that the loader answers itself, by their C names.
mod own {
    pub(crate) use crate::config::{
        urLoaderConfigCreate, urLoaderConfigEnableLayer, urLoaderConfigGetInfo, urLoaderConfigRelease,
        urLoaderConfigRetain, urLoaderConfigSetCodeLocationCallback, urLoaderConfigSetMockingEnabled,
    };
    pub(crate) use crate::selected::urDeviceGetSelected;
    pub(crate) use crate::state::{urAdapterGet, urLoaderInit, urLoaderTearDown};
}

/// A function's outcome inside the loader.
type UrResult<T> = Result<T, ResultCode>;

/// Turns an outcome into the code that C gets; a panic ends here.
fn answer(body: impl FnOnce() -> UrResult<()>) -> ResultCode {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(body)) {
        Ok(Ok(())) => ResultCode::SUCCESS,
        Ok(Err(code)) => code,
        Err(_) => ResultCode::ERROR_UNKNOWN,
    }
}
