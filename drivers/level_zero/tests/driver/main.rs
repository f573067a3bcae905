// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The driver as programs see it: its functions, called by name.

mod common;
mod image;
mod ipc;
mod mem;
mod virtual_mem;
