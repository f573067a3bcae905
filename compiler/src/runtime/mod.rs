// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What runs compiled kernels: items on stacks of their own, sub-groups that suspend, faults, and the functions that
//! compiled code calls. The structures that both share are in [`abi`](crate::abi).

mod combination;
mod fibers;
mod kernel_stack;
mod local_memory;
mod services;
mod signals;
mod stacks;
mod suspendable;
pub mod trap;

pub use crate::target::host::FloatEnv;
pub use combination::Combination;
pub use fibers::{Fibers, ItemCode, ItemEntry};
pub use local_memory::LocalMemory;
pub use services::symbols;
pub use stacks::stack_size;
pub use suspendable::{Suspendable, SuspendableCode, SuspendableEntry};
