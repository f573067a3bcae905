// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! An adapter whose device is the memory of this process. It copies and calls host tasks, and has no kernels.

use std::sync::Arc;

use kit::ur::{self, *};
use kit::{Command, EventOut, HandleCell, InfoOut, QueueProperties, UrResult, WaitList};
use oxur_adapter_kit as kit;

/// The objects of this adapter.
struct Example;

impl kit::Backend for Example {
    const NAME: &'static str = "example"; // UR_LOG_EXAMPLE
    type Adapter = Adapter;
    type Platform = Platform;
    type Device = Device;
    type Context = Context;
    type Queue = Queue;
    type Event = Event;
    type Mem = kit::NoMem; // there are no buffers
    type Sampler = kit::NoSampler;
    type Program = kit::NoProgram;
    type Kernel = kit::NoKernel;
    type CommandBuffer = kit::NoCommandBuffer;
    type Graph = kit::NoGraph;
    type ExecutableGraph = kit::NoExecutableGraph;
    type UsmPool = kit::NoUsmPool;
    type PhysicalMem = kit::NoPhysicalMem;
    type ExternalMem = kit::NoExternalMem;
    type ExternalSemaphore = kit::NoExternalSemaphore;
}

kit::object! {
    Adapter: AdapterHandle, Platform: PlatformHandle, Device: DeviceHandle, Context: ContextHandle, Queue: QueueHandle,
    Event: EventHandle,
}

kit::export_adapter!(Example);

#[derive(Default)]
struct Adapter {
    handle_cell: HandleCell,
    platforms: [Arc<Platform>; 1],
}

impl kit::Adapter<Example> for Adapter {
    fn open() -> UrResult<Arc<Self>> {
        Ok(Arc::default())
    }

    fn backend(&self) -> ur::Backend {
        ur::Backend::UNKNOWN
    }

    fn platforms(&self) -> &[Arc<Platform>] {
        &self.platforms
    }
}

#[derive(Default)]
struct Platform {
    handle_cell: HandleCell,
    devices: [Arc<Device>; 1],
}

impl kit::Platform<Example> for Platform {
    fn devices(&self) -> &[Arc<Device>] {
        &self.devices
    }

    fn info(&self, query: PlatformInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            PlatformInfo::NAME => out.str("Example"),
            _ => out.unsupported(),
        }
    }
}

#[derive(Default)]
struct Device {
    handle_cell: HandleCell,
}

impl kit::Device<Example> for Device {
    fn kind(&self) -> DeviceType {
        DeviceType::CUSTOM
    }

    fn info(&self, query: DeviceInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            DeviceInfo::NAME => out.str("memory"),
            _ => kit::default_device_info::<Example>(query, out),
        }
    }
}

struct Context {
    handle_cell: HandleCell,
    devices: Vec<Arc<Device>>,
}

impl kit::Context<Example> for Context {
    fn create(devices: Vec<Arc<Device>>, _flags: ContextFlags) -> UrResult<Arc<Self>> {
        let handle_cell = HandleCell::new();
        Ok(Arc::new(Self { handle_cell, devices }))
    }

    fn devices(&self) -> &[Arc<Device>] {
        &self.devices
    }
}

// What contexts may have, and this one has not.
impl kit::UsmAlloc<Example> for Context {}
impl kit::VirtualMem<Example> for Context {}
impl kit::Ipc<Example> for Context {}
impl kit::BindlessImages<Example> for Context {}
impl kit::MemoryExport<Example> for Context {}

struct Queue {
    handle_cell: HandleCell,
    context: Arc<Context>,
    device: Arc<Device>,
}

impl kit::Queue<Example> for Queue {
    fn create(context: &Arc<Context>, device: &Arc<Device>, _properties: QueueProperties) -> UrResult<Arc<Self>> {
        let (handle_cell, context, device) = (HandleCell::new(), context.clone(), device.clone());
        Ok(Arc::new(Self {
            handle_cell,
            context,
            device,
        }))
    }

    fn context(&self) -> &Arc<Context> {
        &self.context
    }

    fn device(&self) -> &Arc<Device> {
        &self.device
    }

    fn flags(&self) -> QueueFlags {
        QueueFlags::empty() // it is in order
    }

    fn finish(&self) -> UrResult<()> {
        Ok(()) // what was submitted is complete
    }

    fn submit(
        self: &Arc<Self>,
        command: Command<'_, Example>,
        _blocking: bool,
        _wait: WaitList<'_, Example>,
        event: EventOut<'_, Example>,
    ) -> UrResult<()> {
        let command_type = command.command_type();
        match command {
            Command::Wait | Command::Barrier { .. } => {}
            Command::HostTask(task) => task.call(),
            // SAFETY: the client vouches for both pointers and the size.
            Command::UsmMemcpy { dst, src, size } => unsafe { dst.cast::<u8>().copy_from(src.cast(), size) },
            _ => return command.unsupported(),
        }
        if event.wanted() {
            let handle_cell = HandleCell::new();
            event.set(Arc::new(Event {
                handle_cell,
                command_type,
            }));
        }
        Ok(())
    }
}

/// The event of a command, which is complete.
struct Event {
    handle_cell: HandleCell,
    command_type: CommandType,
}

impl kit::Event<Example> for Event {
    fn info(&self, query: EventInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            EventInfo::COMMAND_TYPE => out.value(self.command_type),
            EventInfo::COMMAND_EXECUTION_STATUS => out.value(EventStatus::COMPLETE),
            _ => out.unsupported(),
        }
    }

    fn wait_all(_events: WaitList<'_, Example>) -> UrResult<()> {
        Ok(())
    }
}
