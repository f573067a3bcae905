// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `libur_adapter_opencl.so.0`: Unified Runtime on any OpenCL driver.
//!
//! One file an object, each an OpenCL object with the semantics of UR on top. [`functions`] has the functions of OpenCL and
//! its extensions, which are found at run time, and [`cl`] calls them. Every translation between the enumerations of the two
//! is in a crate of its own, [`conv`], which the CPU adapter has, too.
#![cfg_attr(test, allow(clippy::disallowed_types, reason = "tests fork by themselves"))]

mod adapter;
mod cl;
mod context;
mod device;
mod event;
mod exports;
mod functions;
mod kernel;
mod mem;
mod platform;
mod program;
mod queue;
mod sampler;
mod usm;

use oxur_adapter_kit as kit;
use oxur_api_opencl as conv;

pub(crate) use adapter::Adapter;
pub(crate) use context::Context;
pub(crate) use device::Device;
pub(crate) use event::Event;
pub(crate) use kernel::Kernel;
pub(crate) use mem::Mem;
pub(crate) use platform::Platform;
pub(crate) use program::Program;
pub(crate) use queue::Queue;
pub(crate) use sampler::Sampler;
pub(crate) use usm::UsmPool;

/// The objects of this adapter.
pub(crate) struct OpenCl;

impl kit::Backend for OpenCl {
    const NAME: &'static str = "opencl";

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
    type CommandBuffer = kit::SoftwareCommandBuffer<Self>;
    type Graph = kit::SoftwareGraph<Self>;
    type ExecutableGraph = kit::SoftwareExecutableGraph<Self>;
    type UsmPool = UsmPool;
    type PhysicalMem = kit::NoPhysicalMem;
    type ExternalMem = kit::NoExternalMem;
    type ExternalSemaphore = kit::NoExternalSemaphore;
}

kit::object! {
    Adapter: AdapterHandle,
    Platform: PlatformHandle,
    Device: DeviceHandle,
    Context: ContextHandle,
    Queue: QueueHandle,
    Mem: MemHandle,
    Program: ProgramHandle,
    Kernel: KernelHandle,
}

kit::export_adapter!(OpenCl);
