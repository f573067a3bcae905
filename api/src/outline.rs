// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions without their parameters and documentation.
//!
//! [`TABLES`](crate::TABLES) refers to every type of the ABI. A library that uses it at run time contains half a megabyte that
//! the dynamic linker must relocate in each process. This module is for libraries that need less.

use crate::ResultCode;
use crate::meta::documents;

/// A DDI table.
#[derive(Clone, Copy, Debug)]
pub struct TableOutline {
    /// Its member in `ur_dditable_t`, for example `Device`.
    pub member: &'static str,
    /// Its functions, in the order of the slots.
    pub functions: &'static [FunctionOutline],
}

/// A function.
#[derive(Clone, Copy, Debug)]
pub struct FunctionOutline {
    /// Name, for example `urDeviceGet`.
    pub name: &'static str,
    /// First release that has it, if that is later than 2026.0.
    pub since: Option<&'static str>,
    /// The documented errors, without those of [`Function::ANY`](crate::meta::Function::ANY).
    pub errors: &'static [ResultCode],
}

impl FunctionOutline {
    /// Whether the specification allows the function to return `code`.
    pub fn documents(&self, code: ResultCode) -> bool {
        documents(self.errors, code)
    }
}
