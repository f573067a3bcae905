// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The conformance suite of the Unified Runtime: a file an object. See the library for how it is run.

mod adapter;
mod bad_input;
mod buffer;
mod context;
mod device;
mod enqueue_buffer;
mod enqueue_usm;
mod event;
mod global;
mod image;
mod kernel;
mod launch;
mod loader;
mod native;
mod platform;
mod program;
mod queue;
mod threads;
mod usm;
mod virtual_mem;
