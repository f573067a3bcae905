// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Generates the C headers of Unified Runtime from the tables of [`oxur_api`].
//!
//! [`source`] writes the tables as Rust source with C names. `bindings` runs cbindgen on it to generate the declarations, and
//! adds what Rust cannot express, such as macros. `cargo run -p oxur-headers` writes the files to `include/`, and a test fails
//! if they are out of date.

mod bindings;
mod docs;
pub mod names;
pub mod source;

use oxur_api::meta::{Function, Table};
use oxur_api::*;

/// A file of `include/unified-runtime/`.
pub struct Header {
    /// Name of the file.
    pub name: &'static str,
    /// Its contents.
    pub text: String,
}

/// All headers.
pub fn headers() -> Vec<Header> {
    vec![
        Header {
            name: "ur_api.h",
            text: bindings::api(),
        },
        Header {
            name: "ur_ddi.h",
            text: bindings::ddi(),
        },
        Header {
            name: "ur_api_funcs.def",
            text: bindings::function_list(),
        },
    ]
}

/// The table of the functions that 2026.2 dropped.
pub const LEGACY: &Table = LegacyDdiTable::META;

/// The functions of 2026.2, the loader's own first.
pub fn functions() -> Vec<&'static Function> {
    let loader = LoaderFunctions::META.functions.iter();
    loader.chain(TABLES.iter().flat_map(|table| table.functions)).collect()
}
