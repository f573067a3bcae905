// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Programs: SPIR-V modules, the options of a build, linked code, and the format of binaries.

pub mod binary;
mod code;
mod module;
mod options;

pub use self::code::{Claim, Code};
pub use self::module::{ConstantError, Constants, SpirvModule};
pub use self::options::{BuildOptions, UnknownOption};
