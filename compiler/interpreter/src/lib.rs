// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A plain interpreter of OpenCL's SPIR-V: an oracle for the compiler.
//!
//! It is written from the specifications alone (SPIR-V, its OpenCL environment, OpenCL.std) and has no code in common with
//! the compiler. It is slow and simple: each item has a stack of calls, items run one after the other until they end or
//! wait, memory is bytes of which each bit may be undefined.
//!
//! It also tells what is wrong with a kernel: accesses out of bounds, undefined values that decide about something, data
//! races, barriers that not all items come to. What it does not know is a [`Fault`] that names the instruction, never a
//! wrong result.

mod atomics;
mod collectives;
mod ext;
mod fault;
mod float;
mod function;
mod group;
mod item;
mod launch;
mod machine;
mod memory;
mod module;
mod ops;
mod parse;
mod race;
mod types;
mod value;

pub use ext::{Tolerance, tolerance};
pub use fault::{Fault, Kind, Place};
pub use launch::{Argument, Finding, NdRange, Options, Report, Schedule, run};
pub use memory::Memory;
pub use module::{Kernel, Module, Parameter};
