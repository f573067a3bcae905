// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What the machine has: [`topology`] finds the CPUs and their caches and nodes, [`memory`] the size of memory, [`activity`] how busy the CPUs are, [`Facts`] are
//! the name and features of the processor.

pub mod activity;
mod facts;
pub mod memory;
pub mod topology;

pub use self::facts::Facts;
