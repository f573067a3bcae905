// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A compiler from SPIR-V kernels to machine code for the CPU that it runs on, and what runs the code.
//!
//! It knows nothing of Unified Runtime. The way of a kernel:
//!
//! | stage | from | to |
//! |---|---|---|
//! | [`spirv`] | bytes | a checked [`Module`] |
//! | `lower`, `builtins`, `image` | the functions that a kernel reaches | LLVM IR for one work-item |
//! | `workgroup` | that | LLVM IR for one work-group |
//! | `codegen` | that | an object file for this CPU, which `cache` keeps |
//! | `runtime` | that and a launch | the kernel's effects |
//!
//! ```no_run
//! # fn main() -> Result<(), oxur_compiler::Error> {
//! use oxur_compiler::*;
//! let module = Module::parse(&std::fs::read("kernels.spv").unwrap())?;
//! let program = Program::link(&[Part::new(module)], &Options::default())?;
//! let kernel = program.kernel("add")?;
//! # Ok(()) }
//! ```

mod builtins;
mod cache;
mod codegen;
mod error;
#[cfg(fuzzing)]
pub mod fuzzing;
mod image;
mod interface;
mod kernel;
mod link;
mod llvm;
mod lower;
mod program;
mod runtime;
pub mod spirv;
mod workgroup;

pub use cache::{CacheConfig, CacheUsage};
pub use error::{Error, Fault};
pub use interface::{AddressSpace, Image, KernelInfo, Launch, NdRange, Param, ParamKind, SamplerBits};
pub use kernel::{Kernel, Worker};
pub use program::{Global, Mode, Options, Part, Program};
pub use spirv::Module;
