// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A compiler from SPIR-V kernels to machine code for the CPU that it runs on, and what runs the code; and to PTX for
//! NVIDIA GPUs.
//!
//! It knows nothing of Unified Runtime. The stages of a kernel (`docs/compiler.md` describes them):
//!
//! | stage | modules | from | to |
//! |---|---|---|---|
//! | parse, link | [`spirv`], `link` | bytes | a checked [`Module`], a [`Program`] |
//! | lower | `lower`, `builtins`, `image` | the functions that a kernel reaches | LLVM IR for one work-item |
//! | workgroup | `workgroup` | that | LLVM IR for one work-group, with a vector's lanes of items at a time |
//! | the same for NVIDIA GPUs | `nvptx` | that of `lower` | PTX, each work-item in a thread |
//! | optimize, assembly | `codegen` | that | an object file for this CPU, which [`oxur_cache`] keeps |
//! | run | `kernel`, `runtime` | that and a [`Launch`] | the kernel's effects |
//!
//! Stages do not know each other. What two of them must agree on has a module:
//!
//! | module | contract between |
//! |---|---|
//! | `intrinsics` | `lower`, which calls what a work-item asks of its group, and `workgroup`, which defines it |
//! | `abi` | `workgroup`, whose code reads the structures of an item and its group, and `runtime`, which fills them |
//! | `group_ops`, `known_imports` | `link` and `lower`: which instructions wait for the group, which imports are ours |
//! | `interface` | a kernel and its user: parameters, ranges |
//! | `options` | a program and its user |
//! | `target` | the user and all stages: what code is for, and what the vectors of the CPU can do |
//!
//! `program` runs the stages, `code` is what they make of a kernel, `background` replaces quick code by the best one,
//! `cache_key` names code in the cache, `print` shows it as text, and `passes` limits what is done to it.
//!
//! ```no_run
//! # fn main() -> Result<(), oxur_compiler::Error> {
//! use oxur_compiler::*;
//! let module = Module::parse(&std::fs::read("kernels.spv").unwrap())?;
//! let program = Program::link(&[Part::new(module)], &Options::default())?;
//! let kernel = program.kernel("add")?;
//! # Ok(()) }
//! ```
#![cfg_attr(test, allow(clippy::disallowed_types, reason = "tests fork by themselves"))]

mod abi;
mod background;
mod builtins;
mod by_value;
mod cache_key;
mod code;
mod codegen;
mod control_flow;
mod error;
mod fast_math;
#[cfg(fuzzing)]
pub mod fuzzing;
mod group_ops;
mod hammock;
mod image;
mod interface;
mod intrinsics;
mod kernel;
mod known_imports;
mod link;
mod llvm;
mod lower;
#[cfg(feature = "nvptx")]
pub mod nvptx;
mod options;
pub mod passes;
mod print;
mod program;
mod runtime;
pub mod spirv;
mod stage_times;
mod target;
mod workgroup;

pub use error::{Error, Fault};
pub use fast_math::FastMath;
pub use interface::{
    AddressSpace, Image, KernelInfo, Launch, MAX_WORK_GROUP_SIZE, NdRange, Param, ParamKind, PreparedRange,
    SamplerBits, place_local,
};
pub use kernel::{Kernel, ThreadContext};
pub use llvm::Allocator;
pub use options::{Mode, Options, Part, Tier};
pub use oxur_cache::CacheConfig;
pub use program::{Global, Program};
pub use runtime::FloatEnv;
pub use spirv::Module;
pub use target::host::CpuLevel;
pub use target::{Sm, Target};
