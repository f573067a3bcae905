// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `libur_adapter_cpu.so.0`: Unified Runtime on the CPU of this machine, without a driver.
//!
//! One file an object; what is behind an object is in the folder of its name. The code of kernels comes from
//! `oxur_compiler`, which knows nothing of UR: this crate knows nothing of SPIR-V.
//!
//! | files | what |
//! |---|---|
//! | `adapter`, `platform`, `device` | what the machine is, as UR's queries put it; parts of it as sub-devices |
//! | `context`, `usm`, `virtual_mem`, `physical_mem` | memory that kernels reach by its address |
//! | `ipc` | memory that other processes share |
//! | `mem`, `sampler` | buffers and images, which are memory of the process as well |
//! | `program`, `kernel` | SPIR-V to code that can run; arguments of a launch to a block of bytes |
//! | `queue`, `event`, `exec` | commands, their order, and the threads that run them |
//! | `opencl` | the native handles of all these: OpenCL objects |
//!
//! **What the two halves ask of each other.** A queue runs on [`Device::cpus`]. To launch, it calls [`Kernel::pack`],
//! which checks the arguments and copies them into a [`kernel::Packed`]; that also keeps the memory objects among
//! them alive, and goes with the command. `Kernel::compiled` then runs. Buffers and images are at [`Mem::data`] from
//! the moment they exist, so mapping, reading and writing are plain copies; [`Mem::image_box`] says which bytes of an
//! image. [`Program::global_part`] finds a part of a device global. A command that is not complete when its enqueue
//! function returns is entered in `Context::activity` until it is: freed USM is not handed out again before the
//! commands that were submitted by then are complete. [`exec::clock`] is the clock of the device.
#![cfg_attr(test, allow(clippy::disallowed_types, reason = "tests fork by themselves"))]

mod activity;
mod adapter;
mod command_buffer;
mod context;
mod device;
mod event;
mod exec;
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
