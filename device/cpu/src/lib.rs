// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The CPU of this machine as a device: what it has, its memory, its programs and kernels, and commands with their order.
//! `oxur_compiler` makes the code. This crate knows neither UR nor Level Zero: `adapters/cpu` is its face for the one,
//! `drivers/level_zero` for the other.
//!
//! | module | what |
//! |---|---|
//! | [`machine`], [`limits`], [`disabled`] | what the machine has, the limits that we choose, and what the user disables |
//! | [`pages`], [`shared_file`] | memory from the system, and memory that processes share |
//! | [`virtual_mem`] | reserved addresses, and physical memory that is mapped there |
//! | [`program`], [`kernel`] | linked code, the arguments of a launch, and the range that it covers |
//! | [`bytes`], [`image`] | copying and filling memory; images, whose boxes are rows of bytes |
//! | [`exec`] | the engine: commands, their dependencies, and the threads that run them |
//! | [`event`] | events that commands and the host signal and reset |
//! | [`order`], [`in_flight`] | the order of the commands of a queue, and which may be unfinished |
//!
//! All of these are the host's memory and threads: a kernel reaches all memory of the process by its address, and a short
//! command runs on the thread that submits it.

pub mod bytes;
pub mod disabled;
pub mod event;
pub mod exec;
pub mod image;
pub mod in_flight;
pub mod kernel;
pub mod limits;
pub mod machine;
pub mod order;
pub mod pages;
pub mod program;
pub mod shared_file;
pub mod virtual_mem;
