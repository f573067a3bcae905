// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `libur_adapter_cpu.so.0`: Unified Runtime on the CPU of this machine, without a driver.
//!
//! Each UR object has a file, with a folder of the same name for its parts. `oxur_device_cpu` does the work: it has the
//! memory, the code of kernels, and the threads that run commands, and does not depend on UR. This crate does not depend on
//! SPIR-V.
//!
//! | files | what |
//! |---|---|
//! | `adapter`, `platform`, `device` | the machine, as UR's queries describe it, and sub-devices |
//! | `context`, `usm`, `virtual_mem`, `physical_mem` | memory that kernels access by address |
//! | `ipc` | objects that processes share |
//! | `mem`, `sampler` | buffers and images, which are also host memory, and samplers |
//! | `program`, `kernel` | building programs, and the arguments of kernels |
//! | `queue`, `event`, `command_buffer` | what UR's commands do, and in which order |
//! | `device_error` | UR's errors for those of the device |
//! | `opencl` | the native handles of all these: OpenCL objects |
//!
//! **The interface between objects and queues.** A queue runs on [`Device::cpus`]. For a launch it calls [`Kernel::pack`],
//! which checks the arguments and copies them to a [`kernel::Packed`]. That belongs to the command, and keeps the memory
//! objects among the arguments alive. `Kernel::compiled` is the code that runs. Buffers and images have their memory at
//! [`Mem::data`] from creation on, so mapping, reading and writing are plain copies. [`Mem::image_shape`] tells where
//! the pixels of an image are, [`Program::global_part`] those of a device global. A command that may use USM after its enqueue
//! function returns is counted in `Context::in_flight`: freed USM is reused only when the commands that were submitted before
//! the free are complete. [`oxur_device_cpu::exec::clock`] is the clock of the device.
#![cfg_attr(test, allow(clippy::disallowed_types, reason = "tests fork by themselves"))]

mod adapter;
mod command_buffer;
mod context;
mod device;
mod device_error;
mod event;
mod ipc;
mod kernel;
mod mem;
mod opencl;
mod physical_mem;
mod platform;
mod program;
mod queue;
mod sampler;
mod usm;
mod virtual_mem;

use oxur_adapter_kit as kit;

pub(crate) use adapter::Adapter;
pub(crate) use command_buffer::CommandBuffer;
pub(crate) use context::Context;
pub(crate) use device::Device;
pub(crate) use event::Event;
pub(crate) use kernel::Kernel;
pub(crate) use mem::Mem;
pub(crate) use physical_mem::PhysicalMem;
pub(crate) use platform::Platform;
pub(crate) use program::Program;
pub(crate) use queue::Queue;
pub(crate) use sampler::Sampler;
pub(crate) use usm::UsmPool;

/// The objects of this adapter.
pub(crate) struct Cpu;

impl kit::Backend for Cpu {
    const NAME: &'static str = "cpu";
    const CALLS_DRIVER: bool = false;

    type Adapter = Adapter;
    type Platform = Platform;
    type Device = Device;
    type Context = Context;
    type Queue = Queue;
    type Event = Event;
    type Mem = Mem;
    type Sampler = Sampler;
    type Program = Program;
    type Kernel = Kernel;
    type CommandBuffer = CommandBuffer;
    type Graph = kit::SoftwareGraph<Self>;
    type ExecutableGraph = kit::SoftwareExecutableGraph<Self>;
    type UsmPool = UsmPool;
    type PhysicalMem = PhysicalMem;
    type ExternalMem = kit::NoExternalMem;
    type ExternalSemaphore = kit::NoExternalSemaphore;
}

kit::object! {
    Adapter: AdapterHandle,
    Platform: PlatformHandle,
    Device: DeviceHandle,
    Context: ContextHandle,
    Queue: QueueHandle,
    Event: EventHandle,
    Mem: MemHandle,
    Sampler: SamplerHandle,
    Program: ProgramHandle,
    Kernel: KernelHandle,
    PhysicalMem: PhysicalMemHandle,
    CommandBuffer: ExpCommandBufferHandle,
}

kit::export_adapter!(Cpu);

// A compilation that finds no memory fails, and the client's process goes on.
#[global_allocator]
static ALLOCATOR: oxur_compiler::Allocator = oxur_compiler::Allocator;
