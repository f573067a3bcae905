// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Queues. The entry points of the commands are in [`enqueue`](crate::enqueue).

use std::ffi::c_void;
use std::sync::Arc;

use oxur_api::*;

use crate::capture::check_idle;
use crate::chain::decode;
use crate::graph_dump;
use crate::handle::{self, export, object, optional_object};
use crate::table::entry_points;
use crate::{
    Backend, Capture, Command, Device, EventOut, InfoOut, Loans, Object, Objects, UrResult, UsmKind, WaitList, args,
    entry, unsupported,
};

/// A queue of commands for a device.
#[allow(clippy::too_many_arguments, reason = "a command has the parameters that UR gives it")]
pub trait Queue<B: Backend>: Object<Handle = QueueHandle> {
    /// Makes a queue.
    fn create(context: &Arc<B::Context>, device: &Arc<B::Device>, properties: QueueProperties) -> UrResult<Arc<Self>>;

    /// Answers `urQueueGetInfo`, but for the context, the device, the flags, whether it is empty, and the reference count. What
    /// is left is about queues on devices: by default it is none.
    fn info(&self, query: QueueInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            QueueInfo::SIZE => Err(ResultCode::ERROR_INVALID_QUEUE.into()),
            QueueInfo::DEVICE_DEFAULT => out.value(QueueHandle::default()),
            _ => out.unsupported(),
        }
    }

    /// The context that it is of.
    fn context(&self) -> &Arc<B::Context>;

    /// The device that it submits to.
    fn device(&self) -> &Arc<B::Device>;

    /// Its flags.
    fn flags(&self) -> QueueFlags;

    /// Whether each command waits for the one before.
    #[inline]
    fn is_in_order(&self) -> bool {
        !self.flags().contains(QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE)
    }

    /// Whether every command is complete.
    fn is_empty(&self) -> UrResult<bool> {
        Err(ResultCode::ERROR_UNSUPPORTED_ENUMERATION.into())
    }

    /// What it knows of the capture that it takes part in, where the kit captures
    /// ([`SoftwareGraph`](crate::SoftwareGraph)).
    fn capture(&self) -> Option<&Capture<B>> {
        None
    }

    /// Waits for all commands.
    fn finish(&self) -> UrResult<()>;

    /// Hands all commands to the device, where submitting them does not.
    fn flush(&self) -> UrResult<()> {
        Ok(())
    }

    /// A member that counts the references of it that events have. `None` if they are references as all others.
    #[inline(always)]
    fn loans(&self) -> Option<&Loans<Self, B::Event>> {
        None
    }

    /// The client has given its last reference back. It may still have events that want to know the queue.
    fn released(self: Arc<Self>) {}

    /// The driver's handle. `data`, unless null, is where the client wants to know what
    /// kind of handle it is.
    fn native(self: &Arc<Self>, _data: *mut c_void) -> UrResult<NativeHandle> {
        unsupported()
    }

    /// Wraps a native queue.
    fn from_native(
        _context: &Arc<B::Context>,
        _device: Option<&Arc<B::Device>>,
        _native: NativeHandle,
        _properties: QueueNativeProperties,
    ) -> UrResult<Arc<Self>> {
        unsupported()
    }

    /// Submits a command: the way in for all of them, whether a client enqueues it or a command buffer runs it.
    ///
    /// It waits for the events of `wait`, and leaves an event in `event` if the client wants it. A `blocking` command is
    /// complete when this returns; only those block for which the client may ask it. What an adapter does not have is
    /// [`Command::unsupported`].
    ///
    /// Implementations are `#[inline(always)]` as far as launches go: then the entry points of launches, which know that
    /// it is one, have the adapter's code for it and nothing else.
    fn submit(
        self: &Arc<Self>,
        command: Command<'_, B>,
        blocking: bool,
        wait: WaitList<'_, B>,
        event: EventOut<'_, B>,
    ) -> UrResult<()>;

    /// As [`Command::Barrier`], with a reusable `event` in place of a new one. What waits for that already waits for the
    /// command that signalled it before.
    fn signal(
        self: &Arc<Self>,
        _event: &Arc<B::Event>,
        _flags: ExpEnqueueExtFlags,
        _wait: WaitList<'_, B>,
    ) -> UrResult<()> {
        unsupported()
    }

    /// Maps a part of a buffer of its context, which is inside of it, into the host's memory and returns its address there.
    ///
    /// This and [`Queue::usm_alloc`] are no [`Command`]s: the client gets an address from the call, before the command is
    /// complete, and a result is the one thing that an adapter cannot forget to give.
    fn buffer_map(
        self: &Arc<Self>,
        _buffer: &Arc<B::Mem>,
        _blocking: bool,
        _flags: MapFlags,
        _offset: usize,
        _size: usize,
        _wait: WaitList<'_, B>,
        _event: EventOut<'_, B>,
    ) -> UrResult<*mut c_void> {
        unsupported()
    }

    /// Allocates USM in the order of the queue: it may be used by commands that wait for this one.
    fn usm_alloc(
        self: &Arc<Self>,
        _kind: UsmKind<'_, B::Device>,
        _pool: Option<&Arc<B::UsmPool>>,
        _size: usize,
        _wait: WaitList<'_, B>,
        _event: EventOut<'_, B>,
    ) -> UrResult<*mut c_void> {
        unsupported()
    }

    /// A function of the client's is about to submit work to the native queue, which comes after the events of `wait`. It may
    /// throw instead of returning: then [`end_native_command`](Self::end_native_command) is not called.
    ///
    /// These two are no [`Command`] because the kit calls the function between them, where an exception may pass.
    fn begin_native_command(self: &Arc<Self>, _mems: Objects<'_, B::Mem>, _wait: WaitList<'_, B>) -> UrResult<()> {
        unsupported()
    }

    /// The function has returned. The event is that of all that it submitted.
    fn end_native_command(self: &Arc<Self>, _event: EventOut<'_, B>) -> UrResult<()> {
        unsupported()
    }
}

/// [`Queue::begin_native_command`] for drivers whose barriers hold up what a client submits to the native queue.
pub fn begin_native_by_barrier<B: Backend>(queue: &Arc<B::Queue>, wait: WaitList<'_, B>) -> UrResult<()> {
    match wait.is_empty() {
        true => Ok(()),
        false => queue.submit(Command::barrier(), false, wait, EventOut::none()),
    }
}

/// The methods of [`Queue`] that give its members `context`, `device`, `flags` and `capture`.
#[macro_export]
macro_rules! queue_member_methods {
    ($backend:ty) => {
        #[inline]
        fn context(&self) -> &Arc<<$backend as $crate::Backend>::Context> {
            &self.context
        }

        #[inline]
        fn device(&self) -> &Arc<<$backend as $crate::Backend>::Device> {
            &self.device
        }

        #[inline]
        fn flags(&self) -> $crate::ur::QueueFlags {
            self.flags
        }

        #[inline]
        fn capture(&self) -> Option<&$crate::Capture<$backend>> {
            Some(&self.capture)
        }
    };
}

/// What a queue is created with: `ur_queue_properties_t` and its chain.
#[derive(Clone, Copy, Debug, Default)]
pub struct QueueProperties {
    /// Order, profiling, priority, submission.
    pub flags: QueueFlags,
    /// The engine of the device that runs the commands: less than the device's answer to
    /// [`DeviceInfo::MAX_COMPUTE_QUEUE_INDICES`].
    pub compute_index: Option<u32>,
}

impl From<QueueFlags> for QueueProperties {
    fn from(flags: QueueFlags) -> Self {
        Self {
            flags,
            compute_index: None,
        }
    }
}

/// What a native queue is wrapped with: `ur_queue_native_properties_t` and its chain.
#[derive(Clone, Copy, Debug)]
pub struct QueueNativeProperties {
    /// Whether the native handle is ours to release.
    pub owned: bool,
    /// What the client says of the queue, in the words in which it would create one.
    pub queue: QueueProperties,
    /// What kind of native handle it is, as [`Queue::native`] told the client; null if the client does not say.
    pub data: *mut c_void,
}

impl QueueProperties {
    /// Refuses a queue on the device: for adapters whose drivers have none.
    pub fn without_device_queues(&self) -> UrResult<()> {
        match self
            .flags
            .intersects(QueueFlags::ON_DEVICE | QueueFlags::ON_DEVICE_DEFAULT)
        {
            true => Err(crate::error!(ERROR_INVALID_QUEUE_PROPERTIES: "there are no queues on devices here")),
            false => Ok(()),
        }
    }

    /// Takes properties and their chain.
    ///
    /// # Safety
    /// As `urQueueCreate`.
    unsafe fn new<B: Backend>(device: &B::Device, properties: *const oxur_api::QueueProperties) -> UrResult<Self> {
        // SAFETY: passed on to the caller.
        unsafe {
            let mut found = Self::default();
            if let Some(properties) = properties.as_ref() {
                found.flags = checked_flags(properties.flags)?;
                decode!("urQueueCreate", properties.pNext,
                    index: QueueIndexProperties => { found.compute_index = Some(index.computeIndex) },
                )?;
            }
            found.check_index::<B>(device)?;
            Ok(found)
        }
    }

    /// Refuses engines that the device does not have.
    fn check_index<B: Backend>(&self, device: &B::Device) -> UrResult<()> {
        let Some(index) = self.compute_index else {
            return Ok(());
        };
        let count: Option<u32> = crate::info::ask(|out| device.info(DeviceInfo::MAX_COMPUTE_QUEUE_INDICES, out));
        match count {
            Some(count) if index >= count => Err(crate::error!(
                ERROR_INVALID_QUEUE_PROPERTIES: "the device has {count} indices of queues, of which {index} is none"
            )),
            _ => Ok(()),
        }
    }
}

impl Default for QueueNativeProperties {
    fn default() -> Self {
        Self {
            owned: false,
            queue: QueueProperties::default(),
            data: std::ptr::null_mut(),
        }
    }
}

impl QueueNativeProperties {
    /// Takes properties and their chain.
    ///
    /// # Safety
    /// As `urQueueCreateWithNativeHandle`.
    unsafe fn new<B: Backend>(
        device: Option<&Arc<B::Device>>,
        properties: *const oxur_api::QueueNativeProperties,
    ) -> UrResult<Self> {
        let mut found = Self::default();
        // SAFETY: passed on to the caller.
        unsafe {
            if let Some(properties) = properties.as_ref() {
                found.owned = properties.isNativeHandleOwned;
                decode!("urQueueCreateWithNativeHandle", properties.pNext,
                    queue: oxur_api::QueueProperties => { found.queue.flags = checked_flags(queue.flags)? },
                    index: QueueIndexProperties => { found.queue.compute_index = Some(index.computeIndex) },
                    desc: QueueNativeDesc => { found.data = desc.pNativeData },
                )?;
            }
            if let Some(device) = device {
                found.queue.check_index::<B>(device)?;
            }
        }
        Ok(found)
    }
}

/// The flags of a queue, of which some contradict each other.
fn checked_flags(flags: QueueFlags) -> UrResult<QueueFlags> {
    args::known_flags(flags)?;
    for pair in [
        QueueFlags::PRIORITY_LOW | QueueFlags::PRIORITY_HIGH,
        QueueFlags::SUBMISSION_BATCHED | QueueFlags::SUBMISSION_IMMEDIATE,
    ] {
        if flags.contains(pair) {
            crate::bail!(ERROR_INVALID_QUEUE_PROPERTIES: "a queue cannot have both of {pair:?}");
        }
    }
    Ok(flags)
}

/// Whether a queue was made for profiling.
pub(crate) fn is_profiled<B: Backend>(queue: &B::Queue) -> bool {
    queue.flags().contains(QueueFlags::PROFILING_ENABLE)
}

entry! {
    fn urQueueCreate<B>(
        context: ContextHandle, device: DeviceHandle, properties: *const oxur_api::QueueProperties,
        queue: *mut QueueHandle,
    ) {
        let context = object::<B::Context>(context)?;
        let device = object::<B::Device>(device)?;
        let out = args::out(queue)?;
        let mut properties = QueueProperties::new::<B>(&device, properties)?;
        if graph_dump::wanted() {
            // Drivers tell no times otherwise.
            properties.flags |= QueueFlags::PROFILING_ENABLE;
        }
        out.write(export(&B::Queue::create(&context, &device, properties)?));
        Ok(())
    }

    fn urQueueGetInfo<B>(queue: QueueHandle, query: QueueInfo, size: usize, value: *mut c_void, needed: *mut usize) {
        let queue = object::<B::Queue>(queue)?;
        let out = InfoOut::of(query, size, value, needed)?;
        match query {
            QueueInfo::REFERENCE_COUNT => out.references(&**queue),
            QueueInfo::CONTEXT => out.handle(queue.context()),
            QueueInfo::DEVICE => out.handle(queue.device()),
            QueueInfo::FLAGS => out.value(queue.flags()),
            QueueInfo::EMPTY => out.bool(queue.is_empty()?),
            _ => queue.info(query, out),
        }
    }

    fn urQueueRetain<B>(queue: QueueHandle) {
        handle::retain::<B::Queue>(queue)
    }

    fn urQueueRelease<B>(queue: QueueHandle) {
        handle::release_to::<B::Queue>(queue, |queue| {
            if let Some(loans) = queue.loans() {
                loans.end();
            }
            queue.released();
        })
    }

    fn urQueueGetNativeHandle<B>(queue: QueueHandle, desc: *mut QueueNativeDesc, native: *mut NativeHandle) {
        let queue = object::<B::Queue>(queue)?;
        let mut data = std::ptr::null_mut();
        if let Some(desc) = desc.as_ref() {
            decode!("urQueueGetNativeHandle", desc.pNext)?;
            data = desc.pNativeData;
        }
        args::out(native)?.write(queue.native(data)?);
        Ok(())
    }

    fn urQueueCreateWithNativeHandle<B>(
        native: NativeHandle, context: ContextHandle, device: DeviceHandle,
        properties: *const oxur_api::QueueNativeProperties, queue: *mut QueueHandle,
    ) {
        let context = object::<B::Context>(context)?;
        let device = optional_object::<B::Device>(device)?;
        let out = args::out(queue)?;
        let properties = QueueNativeProperties::new::<B>(device.as_deref(), properties)?;
        out.write(export(&B::Queue::from_native(&context, device.as_deref(), native, properties)?));
        Ok(())
    }

    fn urQueueFinish<B>(queue: QueueHandle) {
        let queue = object::<B::Queue>(queue)?;
        check_idle::<B>(&queue, "waiting for a queue")?;
        queue.finish()
    }

    fn urQueueFlush<B>(queue: QueueHandle) {
        object::<B::Queue>(queue)?.flush()
    }
}

oxur_api::queue_functions! { entry_points {} }
