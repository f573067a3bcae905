// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `libze_oxur_cpu.so.1`: a Level Zero driver whose device is the CPU of this machine.
//!
//! The second face of `oxur_device_cpu`, which has the memory, the code of kernels and the threads that run commands. Each
//! object of Level Zero has a file, with its functions and a folder of the same name for its parts:
//!
//! | files | what |
//! |---|---|
//! | `tables`, `entry`, `handle` | the edge to C: tables of functions, errors and logging, handles and pointers |
//! | `loader`, `tracing` | what a loader has besides, for programs that open the library as `libze_loader.so.1` |
//! | `driver`, `device`, `config` | what there is, and what variables change of it |
//! | `sysman`, `tools` | the state of the machine, and metrics and debuggers, of which there are none |
//! | `context`, `mem`, `virtual_mem`, `physical_mem` | memory that kernels access by address |
//! | `image`, `sampler` | images |
//! | `event`, `fence`, `external_semaphore` | what commands, the host and other APIs signal and wait for |
//! | `command_list`, `command_queue` | commands, and their order |
//! | `graph` | commands that lists record and execute again and again |
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
mod external_semaphore;
mod failure;
mod fat_binary;
mod fence;
mod graph;
mod handle;
mod image;
mod kernel;
mod loader;
mod mem;
mod module;
mod nulls;
mod physical_mem;
mod sampler;
mod sysman;
mod tables;
mod tools;
mod tracing;
mod virtual_mem;

pub(crate) use command_list::CommandList;
pub(crate) use command_queue::CommandQueue;
pub(crate) use context::Context;
pub(crate) use device::Device;
pub(crate) use driver::Driver;
pub(crate) use event::Event;
pub(crate) use event_pool::EventPool;
pub(crate) use external_semaphore::ExternalSemaphore;
pub(crate) use fence::Fence;
pub(crate) use graph::Graph;
pub(crate) use graph::executable::ExecutableGraph;
pub(crate) use image::Image;
pub(crate) use kernel::Kernel;
pub(crate) use module::{BuildLog, Module};
pub(crate) use physical_mem::PhysicalMem;
pub(crate) use sampler::Sampler;

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
    sysman::MemoryModule: _zes_mem_handle_t = b"smem", "memory module";
    sysman::EngineGroup: _zes_engine_handle_t = b"seng", "engine group";
    sysman::FrequencyDomain: _zes_freq_handle_t = b"sfrq", "frequency domain";
    tracing::Tracer: _zel_tracer_handle_t = b"trac", "tracer";
    Image: _ze_image_handle_t = b"imag", "image";
    ExternalSemaphore: _ze_external_semaphore_ext_handle_t = b"esem", "external semaphore";
    Graph: _ze_graph_handle_t = b"grph", "graph";
    ExecutableGraph: _ze_executable_graph_handle_t = b"egra", "executable graph";
    PhysicalMem: _ze_physical_mem_handle_t = b"phys", "physical memory";
    Sampler: _ze_sampler_handle_t = b"samp", "sampler";
}

// A compilation that finds no memory fails, and the client's process goes on.
#[global_allocator]
static ALLOCATOR: oxur_compiler::Allocator = oxur_compiler::Allocator;
