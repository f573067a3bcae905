// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Memory as programs see it: the functions of the driver, called by name.

mod common;
mod ipc;
mod mem;
