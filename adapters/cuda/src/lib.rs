// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `libur_adapter_cuda.so.0`: Unified Runtime on NVIDIA GPUs, by the CUDA driver API.
//!
//! One file an object. [`driver`] opens libcuda at run time and calls its functions; [`conv`] translates results.
//! A device has its [primary context](primary) in common with CUDA's runtime and all libraries on it. Queues are sets
//! of [lanes](lane), each a stream. An event is a [place](lane::Point) in a lane, and gets an event of CUDA only when
//! somebody has to wait for it while the lane goes on.

mod adapter;
mod assertion;
mod command_buffer;
mod context;
mod conv;
mod device;
mod driver;
mod event;
mod held;
mod image;
mod ipc;
mod kernel;
mod lane;
mod memory_pool;
mod native_command;
mod peers;
mod platform;
mod primary;
mod program;
mod queue;
mod sampler;
mod seldom;
mod signal;
mod staging;
mod usm;
mod virtual_mem;

use oxur_adapter_kit as kit;

pub(crate) use adapter::Adapter;
pub(crate) use command_buffer::CommandBuffer;
pub(crate) use context::Context;
pub(crate) use device::Device;
pub(crate) use event::Event;
pub(crate) use kernel::Kernel;
pub(crate) use platform::Platform;
pub(crate) use program::Program;
pub(crate) use queue::Queue;
pub(crate) use sampler::Sampler;
pub(crate) use usm::UsmPool;
pub(crate) use virtual_mem::PhysicalMem;

/// A buffer or an image.
pub(crate) type Mem = kit::UsmMem<Cuda>;

/// The objects of this adapter.
pub(crate) struct Cuda;

impl kit::Backend for Cuda {
    const NAME: &'static str = "cuda";

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
    Kernel: KernelHandle,
    CommandBuffer: ExpCommandBufferHandle,
}

kit::export_adapter!(Cuda);
