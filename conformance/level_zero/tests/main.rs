// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The conformance suite of Level Zero. `src/lib.rs` says how to run it.
#![allow(non_snake_case, reason = "fields have the names of the headers")]

mod asynchronous;
mod barrier;
mod context;
mod copy;
mod count;
mod counter_event;
mod device;
mod driver;
mod event;
mod external_semaphore;
mod fence;
mod fill;
mod graph;
mod hostile;
mod image;
mod immediate;
mod ipc;
mod kernel;
mod launch;
mod link;
mod list;
mod module;
mod mutable;
mod null_arguments;
mod queue;
mod random;
mod random_capture;
mod robust;
mod sysman;
mod timestamp;
mod tracing;
mod usm;
mod virtual_memory;
