// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `libze_oxur_cpu.so.1`: a Level Zero driver whose device is the CPU of this machine.
//!
//! The second face of `oxur_device_cpu`, which has the memory, the code of kernels and the threads that run commands. Each
//! object of Level Zero has a file, with its functions and a folder of the same name for its parts:
//!
//! | files | what |
//! |---|---|
//! | `tables`, `entry`, `handle` | the edge to C: tables of functions, errors and logging, handles and pointers |
//! | `driver`, `device`, `config` | what there is, and what variables change of it |
//! | `context`, `mem` | memory that kernels access by address |
//! | `event`, `fence` | what commands and the host signal and wait for |
//! | `command_list`, `command_queue` | commands, and their order |
//! | `module`, `kernel` | programs and the arguments of kernels |
//!
//! Functions that the driver does not have answer `ZE_RESULT_ERROR_UNSUPPORTED_FEATURE`: the build script makes them.

mod command;
mod command_list;
mod command_queue;
mod config;
mod context;
mod device;
mod device_orders;
mod driver;
mod entry;
mod event;
mod event_pool;
mod failure;
mod fence;
mod handle;
mod kernel;
mod mem;
mod module;
mod tables;

pub(crate) use command_list::CommandList;
pub(crate) use command_queue::CommandQueue;
pub(crate) use context::Context;
pub(crate) use device::Device;
pub(crate) use driver::Driver;
pub(crate) use event::Event;
pub(crate) use event_pool::EventPool;
pub(crate) use fence::Fence;
pub(crate) use kernel::Kernel;
pub(crate) use module::{BuildLog, Module};

handle::objects! {
    Driver: _ze_driver_handle_t = b"driv", "driver";
    Device: _ze_device_handle_t = b"devi", "device";
    Context: _ze_context_handle_t = b"cont", "context";
    CommandQueue: _ze_command_queue_handle_t = b"cque", "command queue";
    CommandList: _ze_command_list_handle_t = b"clis", "command list";
    Fence: _ze_fence_handle_t = b"fenc", "fence";
    EventPool: _ze_event_pool_handle_t = b"epoo", "event pool";
    Event: _ze_event_handle_t = b"even", "event";
    Module: _ze_module_handle_t = b"modu", "module";
    BuildLog: _ze_module_build_log_handle_t = b"blog", "build log";
    Kernel: _ze_kernel_handle_t = b"kern", "kernel";
}

// A compilation that finds no memory fails, and the client's process goes on.
#[global_allocator]
static ALLOCATOR: oxur_compiler::Allocator = oxur_compiler::Allocator;
