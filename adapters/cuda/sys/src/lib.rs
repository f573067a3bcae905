// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The part of the CUDA driver API that the adapter calls.
//!
//! Types and functions are those of CUDA 12.4, the oldest driver that is taken: [`functions`] is one list of them, from
//! which [`Functions`] and [`open`](Functions::open) are written. Nothing links to libcuda: it is opened at run time,
//! and
//! `cuGetProcAddress` gives each function in the form of that version, whatever the driver's own is. The library
//! that stands in for a driver in tests implements the same list.
#![allow(non_camel_case_types, non_snake_case, missing_docs, reason = "the names are CUDA's")]

mod functions;
mod types;

pub use functions::{Functions, OpenError};
pub use types::*;

/// The version of the API that functions are asked for in, as `cuDriverGetVersion` says it.
pub const API_VERSION: i32 = 12040;
