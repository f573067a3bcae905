// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The C side of the kit, by an adapter of one platform and one device. That runs host tasks, copies and fills of bytes, at
//! once; other copies and fills are emulated.

use std::ffi::{CStr, c_void};
use std::ptr::null_mut;
use std::sync::Arc;

use kit::fork::Mutex;
use kit::ur::{self, *};
use kit::{
    BufferProperties, Callback, Capture, Command, Deleters, EventOut, HandleCell, InfoOut, QueueNativeProperties,
    QueueProperties, UrResult, WaitList, unsupported,
};
use oxur_adapter_kit as kit;

use self::objects::{Kernel, Mem, Program, Sampler, UsmPool};

struct Empty;

impl kit::Backend for Empty {
    const NAME: &'static str = "empty";
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

    fn extend(tables: &mut DdiTable) {
        tables.UsmP2PExp.pfnDisablePeerAccessExp = Some(disable_peer_access);
    }
}

/// There is one device: nothing to do, if it is given twice.
unsafe extern "C-unwind" fn disable_peer_access(device: DeviceHandle, peer: DeviceHandle) -> ResultCode {
    kit::entry_point::guard("urUsmP2PDisablePeerAccessExp", || {
        // SAFETY: the caller vouches for the handles.
        let (device, peer) = unsafe {
            (
                kit::entry_point::object::<Device>(device)?,
                kit::entry_point::object::<Device>(peer)?,
            )
        };
        if !Arc::ptr_eq(&device, &peer) {
            return Err(ResultCode::ERROR_INVALID_DEVICE.into());
        }
        Ok(())
    })
}

kit::object! {
    Adapter: AdapterHandle, Platform: PlatformHandle, Device: DeviceHandle, Context: ContextHandle, Queue: QueueHandle,
    Event: EventHandle, Mem: MemHandle, Sampler: SamplerHandle, Program: ProgramHandle, Kernel: KernelHandle,
    UsmPool: UsmPoolHandle,
}

kit::export_adapter!(Empty);

struct Adapter {
    handle_cell: HandleCell,
    platforms: Vec<Arc<Platform>>,
}

impl kit::Adapter<Empty> for Adapter {
    fn open() -> UrResult<Arc<Self>> {
        let device = Arc::new(Device {
            handle_cell: HandleCell::new(),
        });
        let platform = Arc::new(Platform {
            handle_cell: HandleCell::new(),
            devices: vec![device],
        });
        Ok(Arc::new(Self {
            handle_cell: HandleCell::new(),
            platforms: vec![platform],
        }))
    }

    fn backend(&self) -> ur::Backend {
        ur::Backend::UNKNOWN
    }

    fn platforms(&self) -> &[Arc<Platform>] {
        &self.platforms
    }

    fn platform_from_native(&self, _: NativeHandle, owned: bool) -> UrResult<Arc<Platform>> {
        properties::saw(owned);
        unsupported()
    }

    fn device_from_native(&self, _: NativeHandle, owned: bool) -> UrResult<Arc<Device>> {
        properties::saw(owned);
        unsupported()
    }

    fn context_from_native(&self, _: NativeHandle, _: Vec<Arc<Device>>, owned: bool) -> UrResult<Arc<Context>> {
        properties::saw(owned);
        unsupported()
    }
}

struct Platform {
    handle_cell: HandleCell,
    devices: Vec<Arc<Device>>,
}

impl kit::Platform<Empty> for Platform {
    fn devices(&self) -> &[Arc<Device>] {
        &self.devices
    }

    fn info(&self, query: PlatformInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            PlatformInfo::NAME => out.str("empty"),
            _ => out.unsupported(),
        }
    }
}

struct Device {
    handle_cell: HandleCell,
}

impl kit::Device<Empty> for Device {
    fn kind(&self) -> DeviceType {
        DeviceType::CUSTOM
    }

    fn info(&self, query: DeviceInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            DeviceInfo::NAME => out.str("nothing"),
            DeviceInfo::MAX_COMPUTE_QUEUE_INDICES => out.value(4u32),
            DeviceInfo::MAX_COMPUTE_UNITS => out.value(7u32),
            DeviceInfo::MAX_WORK_ITEM_SIZES => out.slice(&[1usize, 1, 1]),
            DeviceInfo::VENDOR => panic!("on purpose: a panic must not cross the C ABI"),
            _ => kit::default_device_info::<Empty>(query, out),
        }
    }

    fn image_rank(&self, target: &CStr) -> Option<u32> {
        (target == DEVICE_BINARY_TARGET_SPIRV64).then_some(1)
    }
}

struct Context {
    handle_cell: HandleCell,
    devices: Vec<Arc<Device>>,
    deleters: Deleters,
}

impl kit::Context<Empty> for Context {
    fn create(devices: Vec<Arc<Device>>, flags: ContextFlags) -> UrResult<Arc<Self>> {
        properties::saw(flags);
        Ok(Arc::new(Self {
            handle_cell: HandleCell::new(),
            devices,
            deleters: Deleters::default(),
        }))
    }

    fn devices(&self) -> &[Arc<Device>] {
        &self.devices
    }

    fn deleters(&self) -> Option<&Deleters> {
        Some(&self.deleters)
    }
}

impl kit::UsmAlloc<Empty> for Context {
    fn usm_alloc(self: &Arc<Self>, request: kit::UsmRequest<'_, Empty>) -> UrResult<*mut c_void> {
        properties::saw(request.properties);
        unsupported()
    }
}
impl kit::VirtualMem<Empty> for Context {}

impl kit::Ipc<Empty> for Context {}
impl kit::BindlessImages<Empty> for Context {}
impl kit::MemoryExport<Empty> for Context {}

struct Queue {
    handle_cell: HandleCell,
    context: Arc<Context>,
    device: Arc<Device>,
    capture: Capture<Empty>,
    flags: QueueFlags,
}

impl kit::Queue<Empty> for Queue {
    fn create(context: &Arc<Context>, device: &Arc<Device>, properties: QueueProperties) -> UrResult<Arc<Self>> {
        properties::saw(properties);
        Ok(Arc::new(Self {
            handle_cell: HandleCell::new(),
            context: context.clone(),
            device: device.clone(),
            capture: Capture::default(),
            flags: properties.flags,
        }))
    }

    fn from_native(
        _: &Arc<Context>,
        _: Option<&Arc<Device>>,
        _: NativeHandle,
        properties: QueueNativeProperties,
    ) -> UrResult<Arc<Self>> {
        properties::saw(properties);
        unsupported()
    }

    kit::queue_member_methods!(Empty);

    fn finish(&self) -> UrResult<()> {
        Ok(())
    }

    fn submit(
        self: &Arc<Self>,
        command: Command<'_, Empty>,
        blocking: bool,
        wait: WaitList<'_, Empty>,
        event: EventOut<'_, Empty>,
    ) -> UrResult<()> {
        let command_type = command.command_type();
        match command {
            Command::Wait => {}
            Command::Barrier { flags } => properties::saw(flags),
            Command::HostTask(task) => task.call(),
            // SAFETY: the tests pass live memory.
            Command::UsmMemcpy { dst, src, size } => unsafe { dst.cast::<u8>().copy_from(src.cast(), size) },
            Command::UsmFill {
                dst,
                pattern: &[byte],
                size,
            } => {
                // SAFETY: as above.
                unsafe { dst.cast::<u8>().write_bytes(byte, size) }
            }
            Command::UsmFill { .. } | Command::UsmFill2D { .. } | Command::UsmMemcpy2D { .. } => {
                return kit::emulate::submit(self, command, blocking, wait, event);
            }
            _ => return command.unsupported(),
        }
        // It has run, so it is complete.
        if event.wanted() {
            event.set(Event::new(EventStatus::COMPLETE, command_type));
        }
        Ok(())
    }
}

struct Event {
    handle_cell: HandleCell,
    status: Mutex<EventStatus>,
    command: CommandType,
}

impl Event {
    fn new(status: EventStatus, command: CommandType) -> Arc<Self> {
        let (handle_cell, status) = (HandleCell::new(), Mutex::new(status));
        Arc::new(Self {
            handle_cell,
            status,
            command,
        })
    }
}

impl kit::Event<Empty> for Event {
    fn info(&self, query: EventInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            EventInfo::COMMAND_TYPE => out.value(self.command),
            EventInfo::COMMAND_EXECUTION_STATUS => out.value(*self.status.lock()),
            _ => out.unsupported(),
        }
    }

    fn from_native(_: &Arc<Context>, _: NativeHandle, owned: bool) -> UrResult<Arc<Self>> {
        properties::saw(owned);
        unsupported()
    }

    fn wait_all(_events: WaitList<'_, Empty>) -> UrResult<()> {
        Ok(())
    }

    fn set_callback(self: &Arc<Self>, status: ExecutionInfo, callback: Callback) -> UrResult<()> {
        callback.call(self, status);
        Ok(())
    }

    /// One that is never complete.
    fn create(_: &Arc<Context>, _: &Arc<Device>, flags: ExpEventFlags) -> UrResult<Arc<Self>> {
        properties::saw(flags);
        Ok(Self::new(EventStatus::SUBMITTED, CommandType::EVENTS_WAIT))
    }
}

impl kit::SoftwareEvent<Empty> for Event {
    fn for_execution(command: CommandType, _: &[Arc<Self>], last: &Arc<Self>) -> UrResult<Arc<Self>> {
        Ok(Self::new(*last.status.lock(), command))
    }

    fn create_pending(_: &Arc<Context>, command: CommandType) -> UrResult<Arc<Self>> {
        Ok(Self::new(EventStatus::QUEUED, command))
    }

    fn resolve(&self, command: Option<&Arc<Self>>) {
        let end = command.map_or(EventStatus::ERROR, |command| *command.status.lock());
        let before = std::mem::replace(&mut *self.status.lock(), end);
        assert_eq!(before, EventStatus::QUEUED, "an event is resolved once");
    }
}

// ---- what a C client sees of it

/// Calls a function of the adapter's table.
macro_rules! call {
    ($table:ident.$function:ident($($arg:expr),* $(,)?)) => {{
        let function = kit::table::tables::<Empty>().ddi.$table.$function.expect("every slot is filled");
        // SAFETY: the tests pass pointers to live places, or bad ones that the kit must refuse.
        unsafe { function($($arg),*) }
    }};
}

#[path = "common/alone.rs"]
mod alone;
#[path = "empty/command_buffer.rs"]
mod command_buffer;
#[path = "empty/device.rs"]
mod devices;
#[path = "empty/emulate.rs"]
mod emulate;
#[path = "empty/graph.rs"]
mod graph;
#[path = "empty/kernel.rs"]
mod kernel;
#[path = "empty/objects.rs"]
mod objects;
#[path = "empty/properties.rs"]
mod properties;
#[path = "empty/trace.rs"]
mod trace;

fn adapter() -> AdapterHandle {
    let mut adapter = AdapterHandle::default();
    assert_eq!(call!(Adapter.pfnGet(1, &mut adapter, null_mut())), ResultCode::SUCCESS);
    adapter
}

fn platform() -> PlatformHandle {
    let mut platform = PlatformHandle::default();
    assert_eq!(
        call!(Platform.pfnGet(adapter(), 1, &mut platform, null_mut())),
        ResultCode::SUCCESS
    );
    platform
}

fn device() -> DeviceHandle {
    let mut device = DeviceHandle::default();
    assert_eq!(
        call!(Device.pfnGet(platform(), DeviceType::ALL, 1, &mut device, null_mut())),
        ResultCode::SUCCESS
    );
    device
}

fn context() -> ContextHandle {
    let mut context = ContextHandle::default();
    assert_eq!(
        call!(Context.pfnCreate(1, &device(), std::ptr::null(), &mut context)),
        ResultCode::SUCCESS
    );
    context
}

fn queue(context: ContextHandle) -> QueueHandle {
    let mut queue = QueueHandle::default();
    assert_eq!(
        call!(Queue.pfnCreate(context, device(), std::ptr::null(), &mut queue)),
        ResultCode::SUCCESS
    );
    queue
}

fn context_references(context: ContextHandle) -> u32 {
    let mut references = 0u32;
    let place = (&raw mut references).cast::<c_void>();
    let got = call!(Context.pfnGetInfo(context, ContextInfo::REFERENCE_COUNT, 4, place, null_mut()));
    assert_eq!(got, ResultCode::SUCCESS);
    references
}

#[test]
fn every_handle_starts_with_the_ddi_table() {
    let table = std::ptr::from_ref(&kit::table::tables::<Empty>().ddi);
    for handle in [adapter().0, platform().0, device().0, context().0] {
        // SAFETY: a live handle starts with a pointer to the table.
        assert_eq!(unsafe { *handle.cast::<*const DdiTable>() }, table);
    }
}

#[test]
fn the_exported_functions_give_the_tables() {
    let mut table = DeviceDdiTable::default();
    // SAFETY: a live place.
    let got = unsafe { urGetDeviceProcAddrTable(ApiVersion::CURRENT, &mut table) };
    assert_eq!(got, ResultCode::SUCCESS);
    assert!(table.pfnGetInfo.is_some());
    // SAFETY: as above.
    let future = unsafe { urGetDeviceProcAddrTable(ApiVersion(1 << 16), &mut table) };
    assert_eq!(future, ResultCode::ERROR_UNSUPPORTED_VERSION);
    // SAFETY: a null pointer must be refused.
    let null = unsafe { urGetDeviceProcAddrTable(ApiVersion::CURRENT, null_mut()) };
    assert_eq!(null, ResultCode::ERROR_INVALID_NULL_POINTER);
}

unsafe extern "C" {
    fn urGetDeviceProcAddrTable(version: ApiVersion, table: *mut DeviceDdiTable) -> ResultCode;
}

#[test]
fn bad_handles_are_errors() {
    let get = |device| {
        let mut size = 0;
        call!(Device.pfnGetInfo(device, DeviceInfo::NAME, 0, null_mut(), &mut size))
    };
    assert_eq!(get(DeviceHandle::default()), ResultCode::ERROR_INVALID_NULL_HANDLE);
    assert_eq!(
        get(DeviceHandle(context().0)),
        ResultCode::ERROR_INVALID_DEVICE,
        "a handle of another type"
    );
    assert_eq!(
        get(DeviceHandle(device().0.wrapping_byte_add(1))),
        ResultCode::ERROR_INVALID_DEVICE,
        "no pointer"
    );
    let stranger = [0u64; 8];
    let stranger = DeviceHandle(stranger.as_ptr().cast_mut().cast());
    assert_eq!(get(stranger), ResultCode::ERROR_INVALID_DEVICE, "another adapter's");
}

#[test]
fn references_are_counted_and_releasing_twice_is_an_error() {
    let context = context();
    assert_eq!(context_references(context), 1);
    assert_eq!(call!(Context.pfnRetain(context)), ResultCode::SUCCESS);
    assert_eq!(context_references(context), 2);
    assert_eq!(call!(Context.pfnRelease(context)), ResultCode::SUCCESS);
    assert_eq!(call!(Context.pfnRelease(context)), ResultCode::SUCCESS);
    assert_eq!(call!(Context.pfnRelease(context)), ResultCode::ERROR_INVALID_CONTEXT);
    assert_eq!(call!(Context.pfnRetain(context)), ResultCode::ERROR_INVALID_CONTEXT);
}

#[test]
fn a_queue_keeps_its_context() {
    let context = context();
    let queue = queue(context);
    assert_eq!(call!(Context.pfnRelease(context)), ResultCode::SUCCESS);
    let mut found = ContextHandle::default();
    let place = (&raw mut found).cast::<c_void>();
    let got = call!(Queue.pfnGetInfo(queue, QueueInfo::CONTEXT, size_of_val(&found), place, null_mut()));
    assert_eq!((got, found), (ResultCode::SUCCESS, context));
    assert_eq!(context_references(context), 0);
    assert_eq!(call!(Context.pfnRelease(context)), ResultCode::ERROR_INVALID_CONTEXT);
    assert_eq!(call!(Queue.pfnRelease(queue)), ResultCode::SUCCESS);
    assert_eq!(
        call!(Context.pfnRetain(context)),
        ResultCode::ERROR_INVALID_CONTEXT,
        "it went with the queue"
    );
}

#[test]
fn a_queue_of_the_host_tells_its_flags_and_has_no_size() {
    let queue = queue(context());
    let mut flags = QueueFlags::all();
    let place = (&raw mut flags).cast::<c_void>();
    let got = call!(Queue.pfnGetInfo(queue, QueueInfo::FLAGS, size_of_val(&flags), place, null_mut()));
    assert_eq!((got, flags), (ResultCode::SUCCESS, QueueFlags::empty()));
    let mut default = queue;
    let place = (&raw mut default).cast::<c_void>();
    let got = call!(Queue.pfnGetInfo(
        queue,
        QueueInfo::DEVICE_DEFAULT,
        size_of_val(&default),
        place,
        null_mut()
    ));
    assert_eq!((got, default), (ResultCode::SUCCESS, QueueHandle::default()));
    for (query, refused) in [
        (QueueInfo::SIZE, ResultCode::ERROR_INVALID_QUEUE),
        // This adapter does not tell.
        (QueueInfo::EMPTY, ResultCode::ERROR_UNSUPPORTED_ENUMERATION),
    ] {
        let mut size = 0;
        let got = call!(Queue.pfnGetInfo(queue, query, 0, null_mut(), &mut size));
        assert_eq!(got, refused, "{query:?}");
    }
}

#[test]
fn deleters_run_once_with_the_context() {
    unsafe extern "C" fn count(counter: *mut c_void) {
        // SAFETY: the test passes a live counter.
        unsafe { *counter.cast::<u32>() += 1 };
    }
    let mut counter = 0u32;
    let place = (&raw mut counter).cast::<c_void>();
    let context = context();
    assert_eq!(
        call!(Context.pfnSetExtendedDeleter(context, Some(count), place)),
        ResultCode::SUCCESS
    );
    assert_eq!(
        call!(Context.pfnSetExtendedDeleter(context, None, place)),
        ResultCode::ERROR_INVALID_NULL_POINTER
    );
    assert_eq!(counter, 0);
    assert_eq!(call!(Context.pfnRelease(context)), ResultCode::SUCCESS);
    assert_eq!(counter, 1);
}

#[test]
fn queries_keep_the_protocol_of_sizes() {
    let device = device();
    let mut needed = 0;
    let ask =
        |size, place: *mut c_void, needed| call!(Device.pfnGetInfo(device, DeviceInfo::NAME, size, place, needed));
    assert_eq!(ask(0, null_mut(), &mut needed), ResultCode::SUCCESS);
    assert_eq!(needed, "nothing\0".len());
    let mut text = [0xffu8; 16];
    let place = text.as_mut_ptr().cast::<c_void>();
    assert_eq!(ask(needed - 1, place, null_mut()), ResultCode::ERROR_INVALID_SIZE);
    assert_eq!(ask(0, place, null_mut()), ResultCode::ERROR_INVALID_SIZE);
    assert_eq!(ask(1, null_mut(), null_mut()), ResultCode::ERROR_INVALID_NULL_POINTER);
    assert_eq!(ask(0, null_mut(), null_mut()), ResultCode::ERROR_INVALID_NULL_POINTER);
    assert_eq!(ask(text.len(), place, null_mut()), ResultCode::SUCCESS);
    assert_eq!(&text[..9], b"nothing\0\xff");
    let unknown = call!(Device.pfnGetInfo(device, DeviceInfo(0x7fff), 0, null_mut(), &mut needed));
    assert_eq!(unknown, ResultCode::ERROR_UNSUPPORTED_ENUMERATION);
}

#[test]
fn a_panic_stays_inside() {
    let mut needed = 0;
    let got = call!(Device.pfnGetInfo(device(), DeviceInfo::VENDOR, 0, null_mut(), &mut needed));
    assert_eq!(got, ResultCode::ERROR_UNKNOWN);
}

#[test]
fn what_nobody_implements_is_unsupported() {
    let context = context();
    let mut memory = null_mut();
    let got = call!(USM.pfnHostAlloc(context, std::ptr::null(), UsmPoolHandle::default(), 64, &mut memory));
    assert_eq!(
        got,
        ResultCode::ERROR_UNSUPPORTED_FEATURE,
        "a default method of a trait"
    );
    let (device, mut data, mut size) = (device(), null_mut(), 0);
    for got in [
        call!(UsmP2PExp.pfnEnablePeerAccessExp(device, device)),
        call!(IPCExp.pfnGetMemHandleExp(context, context.0.cast(), &mut data, &mut size)),
        call!(IPCExp.pfnPutMemHandleExp(context, context.0.cast())),
        call!(MemoryExportExp.pfnFreeExportableMemoryExp(context, device, context.0.cast())),
        call!(BindlessImagesExp.pfnImageFreeExp(context, device, 1)),
    ] {
        assert_eq!(got, ResultCode::ERROR_UNSUPPORTED_FEATURE, "another default method");
    }
}

/// Before 2026.2 what stood in the event's place could be anything, so it is read only by an adapter that has made reusable
/// events.
#[test]
fn the_place_of_an_event_is_not_read() {
    // It is read once a reusable event was made in the process, as by another test: this one needs its own.
    if let Some(mut own) = alone::again("the_place_of_an_event_is_not_read") {
        alone::passes(&mut own);
        return;
    }
    let queue = queue(context());
    let anything = std::ptr::without_provenance_mut(0xdead_0000);
    let mut event = EventHandle(anything);
    let got = call!(Enqueue.pfnEventsWaitWithBarrierExt(queue, std::ptr::null(), 0, std::ptr::null(), &mut event));
    assert_eq!(got, ResultCode::SUCCESS);
    assert_ne!(event, EventHandle(anything));
    assert_eq!(call!(Event.pfnRelease(event)), ResultCode::SUCCESS);
}

#[test]
fn an_adapter_brings_entry_points_of_its_own() {
    let disable = |peer| call!(UsmP2PExp.pfnDisablePeerAccessExp(device(), peer));
    assert_eq!(disable(device()), ResultCode::SUCCESS);
    assert_eq!(disable(DeviceHandle::default()), ResultCode::ERROR_INVALID_NULL_HANDLE);
}

#[test]
fn wait_lists_are_checked() {
    let context = context();
    let queue = queue(context);
    let mut event = EventHandle::default();
    let wait = |count, list, out| call!(Enqueue.pfnEventsWait(queue, count, list, out));
    assert_eq!(wait(0, std::ptr::null(), &mut event), ResultCode::SUCCESS);
    assert!(!event.is_null());
    assert_eq!(wait(1, &event, null_mut()), ResultCode::SUCCESS);
    assert_eq!(wait(0, &event, null_mut()), ResultCode::ERROR_INVALID_EVENT_WAIT_LIST);
    assert_eq!(
        wait(1, std::ptr::null(), null_mut()),
        ResultCode::ERROR_INVALID_EVENT_WAIT_LIST
    );
    assert_eq!(
        wait(1, &EventHandle(queue.0), null_mut()),
        ResultCode::ERROR_INVALID_EVENT_WAIT_LIST
    );
    assert_eq!(call!(Event.pfnWait(1, &event)), ResultCode::SUCCESS);
    assert_eq!(call!(Event.pfnWait(0, &event)), ResultCode::ERROR_INVALID_VALUE);
    assert_eq!(call!(Event.pfnRelease(event)), ResultCode::SUCCESS);
    assert_eq!(
        wait(1, &event, null_mut()),
        ResultCode::ERROR_INVALID_EVENT_WAIT_LIST,
        "released"
    );
}

#[test]
fn the_best_image_is_chosen() {
    let image = |target: &'static CStr| DeviceBinary {
        pDeviceTargetSpec: target.as_ptr(),
        ..Default::default()
    };
    let images = [
        image(DEVICE_BINARY_TARGET_NVPTX64),
        image(DEVICE_BINARY_TARGET_SPIRV64),
        image(DEVICE_BINARY_TARGET_SPIRV64),
    ];
    let mut chosen = 7;
    let select = |count, chosen: &mut u32| call!(Device.pfnSelectBinary(device(), images.as_ptr(), count, chosen));
    assert_eq!(select(3, &mut chosen), ResultCode::SUCCESS);
    assert_eq!(chosen, 1, "the first of equals");
    assert_eq!(select(1, &mut chosen), ResultCode::ERROR_INVALID_BINARY);
    assert_eq!(select(0, &mut chosen), ResultCode::ERROR_INVALID_SIZE);
}

#[test]
fn twenty_threads_retain_release_and_make_handles() {
    let shared = context();
    std::thread::scope(|scope| {
        for _ in 0..20 {
            scope.spawn(|| {
                for _ in 0..200 {
                    assert_eq!(call!(Context.pfnRetain(shared)), ResultCode::SUCCESS);
                    let own = context();
                    let queue = queue(shared);
                    assert_eq!(call!(Queue.pfnRelease(queue)), ResultCode::SUCCESS);
                    assert_eq!(call!(Context.pfnRelease(own)), ResultCode::SUCCESS);
                    assert_eq!(call!(Context.pfnRelease(shared)), ResultCode::SUCCESS);
                }
            });
        }
    });
    assert_eq!(context_references(shared), 1);
    assert_eq!(call!(Context.pfnRelease(shared)), ResultCode::SUCCESS);
}
