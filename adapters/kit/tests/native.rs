// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What a driver may do by itself, and the kit else does for it. The driver of this adapter is the adapter: its queues
//! are streams that run a host task at once, or capture it.

use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use kit::fork::Mutex;
use kit::ur::{self, *};
use kit::{
    CapturedGraph, Command, Deleters, EventOut, GraphCell, HandleCell, HostTask, InfoOut, Subject, UrResult, WaitList,
};
use oxur_adapter_kit as kit;

struct Native;

impl kit::Backend for Native {
    const NAME: &'static str = "native";
    const ENTRY_HOOKS: bool = true;
    type Adapter = Adapter;
    type Platform = Platform;
    type Device = Device;
    type Context = Context;
    type Queue = Queue;
    type Event = Event;
    type Mem = kit::NoMem;
    type Sampler = kit::NoSampler;
    type Program = Program;
    type Kernel = Kernel;
    type CommandBuffer = CommandBuffer;
    type Graph = Graph;
    type ExecutableGraph = ExecutableGraph;
    type UsmPool = kit::NoUsmPool;
    type PhysicalMem = kit::NoPhysicalMem;
    type ExternalMem = External<ExpExternalMemHandle>;
    type ExternalSemaphore = External<ExpExternalSemaphoreHandle>;

    fn enter(subject: Subject<'_, Self>) -> UrResult<()> {
        hooks::enter(&subject)
    }

    fn leave() {
        hooks::leave();
    }
}

kit::object! {
    Adapter: AdapterHandle, Platform: PlatformHandle, Device: DeviceHandle, Context: ContextHandle, Queue: QueueHandle,
    Event: EventHandle, Program: ProgramHandle, Kernel: KernelHandle, CommandBuffer: ExpCommandBufferHandle,
    Graph: ExpGraphHandle, ExecutableGraph: ExpExecutableGraphHandle,
}

kit::export_adapter!(Native);

struct Adapter {
    handle_cell: HandleCell,
    platforms: [Arc<Platform>; 1],
}

impl kit::Adapter<Native> for Adapter {
    fn open() -> UrResult<Arc<Self>> {
        let devices = [Arc::new(Device {
            handle_cell: HandleCell::new(),
        })];
        let platforms = [Arc::new(Platform {
            handle_cell: HandleCell::new(),
            devices,
        })];
        Ok(Arc::new(Self {
            handle_cell: HandleCell::new(),
            platforms,
        }))
    }

    fn released(&self) {
        hooks::note("released");
    }

    fn close(&self) {
        assert!(!kit::is_closed());
        hooks::note("closed");
    }

    fn backend(&self) -> ur::Backend {
        ur::Backend::UNKNOWN
    }

    fn platforms(&self) -> &[Arc<Platform>] {
        &self.platforms
    }
}

struct Platform {
    handle_cell: HandleCell,
    devices: [Arc<Device>; 1],
}

impl kit::Platform<Native> for Platform {
    fn devices(&self) -> &[Arc<Device>] {
        &self.devices
    }
}

struct Device {
    handle_cell: HandleCell,
}

impl kit::Device<Native> for Device {
    fn kind(&self) -> DeviceType {
        DeviceType::CUSTOM
    }
}

struct Context {
    handle_cell: HandleCell,
    devices: Vec<Arc<Device>>,
    deleters: Deleters,
    /// What it and its queues were asked for, apart from tasks.
    asked: Mutex<Vec<String>>,
}

impl kit::Context<Native> for Context {
    fn create(devices: Vec<Arc<Device>>, _: ContextFlags) -> UrResult<Arc<Self>> {
        Ok(Arc::new(Self {
            handle_cell: HandleCell::new(),
            devices,
            deleters: Deleters::default(),
            asked: Mutex::default(),
        }))
    }

    fn devices(&self) -> &[Arc<Device>] {
        &self.devices
    }

    fn deleters(&self) -> Option<&Deleters> {
        Some(&self.deleters)
    }
}

impl kit::UsmAlloc<Native> for Context {}
impl kit::VirtualMem<Native> for Context {}
impl kit::Ipc<Native> for Context {}

struct Queue {
    handle_cell: HandleCell,
    context: Arc<Context>,
    device: Arc<Device>,
    /// What the stream captures into, if it does.
    captures: Mutex<Option<Capture>>,
    finished: AtomicUsize,
}

#[derive(Clone)]
struct Capture {
    graph: Arc<Graph>,
    /// Whether the graph was made for it.
    own: bool,
    /// Whether it began on this stream.
    origin: bool,
}

impl kit::Queue<Native> for Queue {
    fn create(context: &Arc<Context>, device: &Arc<Device>, _: kit::QueueProperties) -> UrResult<Arc<Self>> {
        Ok(Arc::new(Self {
            handle_cell: HandleCell::new(),
            context: context.clone(),
            device: device.clone(),
            captures: Mutex::default(),
            finished: AtomicUsize::new(0),
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
        self.finished.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    fn submit(
        self: &Arc<Self>,
        command: Command<'_, Native>,
        _blocking: bool,
        wait: WaitList<'_, Native>,
        event: EventOut<'_, Native>,
    ) -> UrResult<()> {
        let command_type = command.command_type();
        let mut captures = self.captures.lock();
        // A stream that waits for what another captured joins it, as those of CUDA do.
        if let Some(graph) = wait.iter().find_map(|event| event.captured.clone()) {
            let joined = || Capture {
                graph,
                own: false,
                origin: false,
            };
            captures.get_or_insert_with(joined);
        }
        let captured = captures.as_ref().map(|capture| capture.graph.clone());
        drop(captures);
        match (command, &captured) {
            (Command::HostTask(task), Some(graph)) => graph.tasks.lock().push(task),
            (Command::HostTask(task), None) => task.call(),
            (Command::Wait | Command::Barrier { .. }, _) => {}
            (other, _) => return bindless::submit(&self.context, other),
        }
        if event.wanted() {
            event.set(Arc::new(Event {
                handle_cell: HandleCell::new(),
                command_type,
                captured,
            }));
        }
        Ok(())
    }
}

struct Event {
    handle_cell: HandleCell,
    command_type: CommandType,
    captured: Option<Arc<Graph>>,
}

impl kit::Event<Native> for Event {
    fn info(&self, query: EventInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            EventInfo::COMMAND_TYPE => out.value(self.command_type),
            _ => out.unsupported(),
        }
    }

    fn wait_all(_: WaitList<'_, Native>) -> UrResult<()> {
        Ok(())
    }
}

struct Program {
    handle_cell: HandleCell,
    context: Arc<Context>,
}

impl kit::Program<Native> for Program {
    fn create_with_il(context: &Arc<Context>, _: &[u8], _: &[ProgramMetadata]) -> UrResult<Arc<Self>> {
        let (handle_cell, context) = (HandleCell::new(), context.clone());
        Ok(Arc::new(Self { handle_cell, context }))
    }

    fn context(&self) -> &Arc<Context> {
        &self.context
    }
}

struct Kernel {
    handle_cell: HandleCell,
    program: Arc<Program>,
}

impl kit::Kernel<Native> for Kernel {
    fn create(program: &Arc<Program>, _: &CStr) -> UrResult<Arc<Self>> {
        let (handle_cell, program) = (HandleCell::new(), program.clone());
        Ok(Arc::new(Self { handle_cell, program }))
    }

    fn program(&self) -> &Arc<Program> {
        &self.program
    }

    fn set_arg(&self, _: kit::Arg<'_, Native>) -> UrResult<()> {
        Ok(())
    }

    fn snapshot(&self, _: kit::Args<'_, Native>) -> UrResult<Arc<Self>> {
        Self::create(&self.program, c"")
    }
}

struct Graph {
    handle_cell: HandleCell,
    graph_cell: GraphCell,
    tasks: Mutex<Vec<HostTask>>,
}

impl Graph {
    const NATIVE: NativeHandle = 0x6ea9;

    fn new() -> Arc<Self> {
        Arc::new(Self {
            handle_cell: HandleCell::new(),
            graph_cell: GraphCell::new(),
            tasks: Mutex::default(),
        })
    }
}

/// Native graphs that were destroyed.
static DESTROYED: AtomicUsize = AtomicUsize::new(0);

impl Drop for Graph {
    fn drop(&mut self) {
        DESTROYED.fetch_add(1, Ordering::Relaxed);
    }
}

impl kit::Graph<Native> for Graph {
    fn create(_: &Arc<Context>) -> UrResult<Arc<Self>> {
        Ok(Self::new())
    }

    fn graph_cell(&self) -> &GraphCell {
        &self.graph_cell
    }

    fn begin_capture(queue: &Arc<Queue>, into: Option<&Arc<Self>>) -> UrResult<()> {
        let capture = Capture {
            graph: into.cloned().unwrap_or_else(Self::new),
            own: into.is_none(),
            origin: true,
        };
        match &mut *queue.captures.lock() {
            Some(_) => Err(ResultCode::ERROR_INVALID_OPERATION.into()),
            none => {
                *none = Some(capture);
                Ok(())
            }
        }
    }

    fn end_capture(queue: &Arc<Queue>) -> UrResult<CapturedGraph<Self>> {
        let capture = queue.captures.lock().take_if(|capture| capture.origin);
        let Some(Capture { graph, own, .. }) = capture else {
            kit::bail!(ERROR_COMMAND_LIST_NOT_CAPTURING: "the stream does not capture");
        };
        Ok(match own {
            true => CapturedGraph::New(graph),
            false => CapturedGraph::Given(graph),
        })
    }

    fn captured_by(queue: &Arc<Queue>) -> UrResult<Option<Arc<Self>>> {
        Ok(queue.captures.lock().as_ref().map(|capture| capture.graph.clone()))
    }

    fn is_empty(&self) -> UrResult<bool> {
        Ok(self.tasks.lock().is_empty())
    }

    fn instantiate(self: &Arc<Self>) -> UrResult<Arc<ExecutableGraph>> {
        Ok(Arc::new(ExecutableGraph {
            handle_cell: HandleCell::new(),
            tasks: self.tasks.lock().clone(),
        }))
    }

    fn native(&self) -> UrResult<NativeHandle> {
        Ok(Self::NATIVE)
    }
}

struct ExecutableGraph {
    handle_cell: HandleCell,
    tasks: Vec<HostTask>,
}

impl kit::ExecutableGraph<Native> for ExecutableGraph {
    fn enqueue(
        self: &Arc<Self>,
        queue: &Arc<Queue>,
        wait: WaitList<'_, Native>,
        event: EventOut<'_, Native>,
    ) -> UrResult<()> {
        self.tasks.iter().for_each(|task| task.call());
        kit::Queue::submit(queue, Command::Wait, false, wait, event)
    }

    fn native(&self) -> UrResult<NativeHandle> {
        Ok(Graph::NATIVE + 1)
    }
}

// ---- what a C client sees of it

const SUCCESS: ResultCode = ResultCode::SUCCESS;

/// Calls a function of the adapter's table.
macro_rules! call {
    ($table:ident.$function:ident($($arg:expr),* $(,)?)) => {{
        let function = kit::table::tables::<Native>().ddi.$table.$function.expect("every slot is filled");
        // SAFETY: the tests pass pointers to live places, or bad ones that the kit must refuse.
        unsafe { function($($arg),*) }
    }};
}

#[path = "common/alone.rs"]
mod alone;
#[path = "native/bindless.rs"]
mod bindless;
#[path = "native/command_buffer.rs"]
mod command_buffer;
#[path = "native/graph.rs"]
mod graph;
#[path = "native/hooks.rs"]
mod hooks;
#[path = "native/own_args.rs"]
mod own_args;

use bindless::External;
use command_buffer::CommandBuffer;

fn device() -> DeviceHandle {
    let (mut adapter, mut platform) = (AdapterHandle::default(), PlatformHandle::default());
    let mut device = DeviceHandle::default();
    assert_eq!(call!(Adapter.pfnGet(1, &mut adapter, null_mut())), SUCCESS);
    assert_eq!(call!(Platform.pfnGet(adapter, 1, &mut platform, null_mut())), SUCCESS);
    let found = call!(Device.pfnGet(platform, DeviceType::ALL, 1, &mut device, null_mut()));
    assert_eq!(found, SUCCESS);
    device
}

fn context() -> ContextHandle {
    let mut context = ContextHandle::default();
    assert_eq!(call!(Context.pfnCreate(1, &device(), null(), &mut context)), SUCCESS);
    context
}

fn queue(context: ContextHandle) -> QueueHandle {
    let mut queue = QueueHandle::default();
    assert_eq!(call!(Queue.pfnCreate(context, device(), null(), &mut queue)), SUCCESS);
    queue
}

/// Enqueues a task that counts.
fn count(queue: QueueHandle, counter: &AtomicUsize, wait: &[EventHandle]) -> EventHandle {
    unsafe extern "C" fn add(counter: *mut c_void) {
        // SAFETY: the tests pass live counters.
        unsafe { &*counter.cast::<AtomicUsize>() }.fetch_add(1, Ordering::Relaxed);
    }
    let data = std::ptr::from_ref(counter).cast_mut().cast();
    let (number, events) = (wait.len() as u32, if wait.is_empty() { null() } else { wait.as_ptr() });
    let mut event = EventHandle::default();
    let enqueued = call!(EnqueueExp.pfnHostTaskExp(queue, Some(add), data, null(), number, events, &mut event));
    assert_eq!(enqueued, SUCCESS);
    event
}
