// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//! What the build script generates.
#![allow(missing_docs, non_camel_case_types, non_snake_case, non_upper_case_globals)]
#![allow(
    clippy::all,
    clippy::undocumented_unsafe_blocks,
    unsafe_op_in_unsafe_fn,
    rustdoc::all
)]

use crate::{MissingFunction, Structure, ZE_MAKE_VERSION};

include!(concat!(env!("OUT_DIR"), "/bindings.rs"));
include!(concat!(env!("OUT_DIR"), "/tables.rs"));
