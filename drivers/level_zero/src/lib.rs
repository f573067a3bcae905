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
//! | `context`, `mem`, `virtual_mem`, `physical_mem` | memory that kernels access by address |
//! | `image`, `sampler` | images |
//! | `event`, `fence` | what commands and the host signal and wait for |
//! | `command_list`, `command_queue` | commands, and their order |
//! | `module`, `kernel` | programs and the arguments of kernels |
//!
//! Functions that the driver does not have answer `ZE_RESULT_ERROR_UNSUPPORTED_FEATURE`: the build script makes them.

mod context;
mod device;
mod driver;
mod entry;
mod handle;
mod image;
mod mem;
mod physical_mem;
mod sampler;
mod tables;
mod virtual_mem;

pub(crate) use context::Context;
pub(crate) use device::Device;
pub(crate) use driver::Driver;
pub(crate) use image::Image;
pub(crate) use physical_mem::PhysicalMem;
pub(crate) use sampler::Sampler;

handle::objects! {
    Driver: _ze_driver_handle_t = b"driv", "driver";
    Device: _ze_device_handle_t = b"devi", "device";
    Context: _ze_context_handle_t = b"cont", "context";
    Image: _ze_image_handle_t = b"imag", "image";
    PhysicalMem: _ze_physical_mem_handle_t = b"phys", "physical memory";
    Sampler: _ze_sampler_handle_t = b"samp", "sampler";
}

// A compilation that finds no memory fails, and the client's process goes on.
#[global_allocator]
static ALLOCATOR: oxur_compiler::Allocator = oxur_compiler::Allocator;
