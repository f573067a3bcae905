// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `libur_adapter_level_zero.so.0`: Unified Runtime on any Level Zero driver.
//!
//! One file an object. [`ze`] opens the loader at run time, calls its functions and owns Level Zero's objects; [`conv`]
//! translates between the enumerations of the two. Queues are immediate command lists, command buffers regular ones. A context
//! uses events again ([`event::pool`]).

mod adapter;
mod bindless;
mod command_buffer;
mod context;
mod conv;
mod device;
mod event;
mod image;
mod kernel;
mod lists;
mod platform;
mod program;
mod queue;
mod sampler;
mod usm;
mod virtual_mem;
mod ze;

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
pub(crate) type Mem = kit::UsmMem<LevelZero>;

/// The objects of this adapter.
pub(crate) struct LevelZero;

impl kit::Backend for LevelZero {
    const NAME: &'static str = "level_zero";

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
    type ExternalMem = kit::ExternalFd;
    type ExternalSemaphore = kit::NoExternalSemaphore;
}

kit::object! {
    Adapter: AdapterHandle, Platform: PlatformHandle, Device: DeviceHandle, Context: ContextHandle, Queue: QueueHandle,
    Kernel: KernelHandle, CommandBuffer: ExpCommandBufferHandle,
}

kit::export_adapter!(LevelZero);
