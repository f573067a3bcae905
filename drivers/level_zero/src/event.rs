// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Events: what commands signal and wait for, and when the command ran that signalled an event.
//!
//! An event of a pool is signalled or not, and the host resets it. A counter-based event is that of the last command that was
//! appended with it, and complete before the first.

use std::sync::Arc;
use std::time::Duration;

use level_zero_sys::*;
use oxur_device_cpu::event::{Counts, Event as Flag, SharedCounter, SharedEvent};
use oxur_device_cpu::exec::{Condition, Node, clock, submit_later};
use oxur_device_cpu::order::unsubmitted;
use oxur_device_cpu::shared_file::Kind;
use oxur_fork::Mutex;

use crate::entry::{Error, ZeResult, entry, err, not_ready};
use crate::graph::capture;
use crate::handle::{Chain, destroy, export, known, none, object, out, required};
use crate::mem::ipc::{Bytes, SharedMemory};
use crate::{Context, Device, EventPool};

/// An event.
pub(crate) struct Event {
    context: Arc<Context>,
    /// The pool that it is of, with the handle that the client has.
    pool: Option<(Arc<EventPool>, usize)>,
    state: State,
    /// Those of a counter-based event without a pool.
    flags: ze_event_counter_based_flags_t,
    signal_scope: ze_event_scope_flags_t,
    wait_scope: ze_event_scope_flags_t,
    /// Whether commands record when they ran.
    timed: bool,
    times: Mutex<Times>,
}

enum State {
    Pool(Flag),
    /// Of a pool that processes share.
    Shared(Arc<SharedEvent>),
    /// A counter-based one that processes share, in memory that has a handle unless another process made it.
    SharedCounter(Arc<SharedCounter>, Arc<SharedMemory>),
    /// The last command; `None` if that has ended, or before the first.
    CounterBased(Mutex<Option<Arc<dyn Node>>>),
}

impl State {
    fn shared_counter(memory: SharedMemory, device: &Arc<Device>) -> Self {
        let memory = Arc::new(memory);
        // SAFETY: the memory is large enough, and aligned to a page.
        let counter = unsafe { SharedCounter::new(memory.data().cast::<Counts>(), memory.clone(), device.pool()) };
        Self::SharedCounter(counter, memory)
    }
}

/// When a command began and ended, in ticks of the device's clock.
#[derive(Clone, Copy, Default)]
pub(crate) struct Times {
    pub(crate) began: u64,
    pub(crate) ended: u64,
}

impl Event {
    pub(crate) fn of_pool(pool: &Arc<EventPool>, handle: ze_event_pool_handle_t, desc: &ze_event_desc_t) -> Arc<Self> {
        let device = &pool.device;
        let state = match (pool.counter_based, pool.shared_state(desc.index)) {
            (true, _) => State::CounterBased(Mutex::new(None)),
            (false, Some(shared)) => State::Shared(shared),
            (false, None) => State::Pool(Flag::new(device.pool())),
        };
        Arc::new(Self {
            context: pool.context.clone(),
            pool: Some((pool.clone(), handle as usize)),
            state,
            flags: 0,
            signal_scope: desc.signal,
            wait_scope: desc.wait,
            timed: pool.timed(),
            times: Mutex::default(),
        })
    }

    /// A counter-based event without a pool.
    fn counter_based(
        context: &Arc<Context>,
        device: &Arc<Device>,
        (timed, flags): (bool, u32),
        scopes: [u32; 2],
    ) -> ZeResult<Arc<Self>> {
        let state = match flags & ZE_EVENT_COUNTER_BASED_FLAG_IPC != 0 {
            true => State::shared_counter(SharedMemory::new(size_of::<Counts>())?, device),
            false => State::CounterBased(Mutex::new(None)),
        };
        Ok(Arc::new(Self {
            context: context.clone(),
            pool: None,
            state,
            flags,
            signal_scope: scopes[0],
            wait_scope: scopes[1],
            timed,
            times: Mutex::default(),
        }))
    }

    /// The counter-based event of another process.
    fn open(context: &Arc<Context>, handle: &Bytes) -> ZeResult<Arc<Self>> {
        let memory = SharedMemory::open(Kind::Counter, handle)?;
        if memory.size() < size_of::<Counts>() {
            return Err(Error::new(
                ZE_RESULT_ERROR_INVALID_ARGUMENT,
                "the handle is not that of a counter-based event",
            ));
        }
        Ok(Arc::new(Self {
            context: context.clone(),
            pool: None,
            state: State::shared_counter(memory, &context.devices[0]),
            flags: ZE_EVENT_COUNTER_BASED_FLAG_IPC | ZE_EVENT_COUNTER_BASED_FLAG_GRAPH_EXTERNAL,
            signal_scope: 0,
            wait_scope: 0,
            timed: false,
            times: Mutex::default(),
        }))
    }

    /// The handle by which other processes open it.
    fn ipc_handle(&self) -> ZeResult<Bytes> {
        let State::SharedCounter(_, memory) = &self.state else {
            return Err(Error::new(
                ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT,
                "only counter-based events with ZE_EVENT_COUNTER_BASED_FLAG_IPC can be shared",
            ));
        };
        memory.handle(Kind::Counter).ok_or_else(|| {
            Error::new(
                ZE_RESULT_ERROR_INVALID_ARGUMENT,
                "an event is shared by the process that created it",
            )
        })
    }

    /// The context that it is of.
    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// Whether it is a counter-based one.
    pub(crate) fn is_counter_based(&self) -> bool {
        matches!(self.state, State::CounterBased(..) | State::SharedCounter(..))
    }

    /// Whether it is a counter-based one that graphs use only inside of them.
    pub(crate) fn is_internal(&self) -> bool {
        self.is_counter_based() && self.flags & ZE_EVENT_COUNTER_BASED_FLAG_GRAPH_EXTERNAL == 0
    }

    /// Whether the command that signals it must record when it ran.
    pub(crate) fn is_timed(&self) -> bool {
        self.timed
    }

    /// The last command of a counter-based event, unless that has ended.
    pub(crate) fn last(&self) -> Option<Arc<dyn Node>> {
        match &self.state {
            State::Pool(_) | State::Shared(_) => None,
            State::SharedCounter(counter, _) => counter.pending(),
            State::CounterBased(last) => {
                let mut last = last.lock();
                if last.as_ref().is_some_and(|last| last.is_over()) {
                    *last = None;
                }
                last.clone()
            }
        }
    }

    /// Makes a counter-based event that of a command which was not submitted yet; `None` is one that has ended.
    pub(crate) fn follow(&self, command: Option<Arc<dyn Node>>) {
        match &self.state {
            State::Pool(_) | State::Shared(_) => {}
            State::SharedCounter(counter, _) => counter.follow(command.as_ref()),
            State::CounterBased(last) => *last.lock() = command,
        }
    }

    /// Makes a counter-based event that of a command which ends when the result is submitted.
    pub(crate) fn follow_later(&self) -> Option<Arc<dyn Node>> {
        if !self.is_counter_based() {
            return None;
        }
        let command = unsubmitted(self.context.devices[0].pool());
        self.follow(Some(command.clone()));
        Some(command)
    }

    /// A command has ended that signals it.
    pub(crate) fn complete(&self, times: Times) {
        if self.timed {
            *self.times.lock() = times;
        }
        match &self.state {
            State::Pool(flag) => flag.signal(),
            State::Shared(flag) => flag.signal(),
            State::CounterBased(..) | State::SharedCounter(..) => {}
        }
    }

    /// Whether it is signalled.
    pub(crate) fn is_signalled(&self) -> bool {
        match &self.state {
            State::Pool(flag) => flag.is_signalled(),
            State::Shared(flag) => flag.is_signalled(),
            State::SharedCounter(counter, _) => counter.is_signalled(),
            State::CounterBased(..) => self.last().is_none(),
        }
    }

    /// Resets it. A counter-based one needs none.
    pub(crate) fn reset(&self) {
        match &self.state {
            State::Pool(flag) => flag.reset(),
            State::Shared(flag) => flag.reset(),
            State::CounterBased(..) | State::SharedCounter(..) => {}
        }
        *self.times.lock() = Times::default();
    }

    /// When the last command with it ran.
    pub(crate) fn times(&self) -> Times {
        *self.times.lock()
    }

    /// The same as the structure of a query.
    pub(crate) fn timestamps(&self) -> ze_kernel_timestamp_result_t {
        let Times { began, ended } = self.times();
        let data = ze_kernel_timestamp_data_t {
            kernelStart: began,
            kernelEnd: ended,
        };
        ze_kernel_timestamp_result_t {
            global: data,
            context: data,
        }
    }

    fn wait(&self, timeout: u64) -> bool {
        match &self.state {
            State::Pool(flag) => flag.wait(duration(timeout)),
            State::Shared(flag) => flag.wait(duration(timeout)),
            State::SharedCounter(counter, _) => counter.wait(duration(timeout)),
            State::CounterBased(..) => match self.last() {
                Some(last) => wait_for(&last, timeout),
                None => true,
            },
        }
    }
}

impl Condition for Event {
    fn pending(&self) -> Option<Arc<dyn Node>> {
        match &self.state {
            State::Pool(flag) => flag.pending(),
            State::Shared(flag) => flag.pending(),
            State::CounterBased(..) | State::SharedCounter(..) => self.last(),
        }
    }
}

/// A timeout in nanoseconds, of which the largest is none.
fn duration(timeout: u64) -> Option<Duration> {
    (timeout != u64::MAX).then(|| Duration::from_nanos(timeout))
}

/// Waits for a command. Returns whether it is over.
pub(crate) fn wait_for(command: &Arc<dyn Node>, timeout: u64) -> bool {
    match duration(timeout) {
        None => {
            command.wait();
            true
        }
        Some(Duration::ZERO) => command.is_over(),
        Some(timeout) => match std::time::Instant::now().checked_add(timeout) {
            Some(end) => command.wait_until(end),
            None => {
                command.wait();
                true
            }
        },
    }
}

/// A command that ends a wait, for a list that is executed again and again.
pub(crate) fn resolve(command: Arc<dyn Node>) {
    submit_later(command);
}

/// Now, in ticks of the device's clock.
pub(crate) fn now() -> u64 {
    clock::now()
}

fn not_for_counters(event: &Event) -> ZeResult {
    match event.is_counter_based() {
        true => Err(Error::new(
            ZE_RESULT_ERROR_INVALID_ARGUMENT,
            "the host neither signals nor resets counter-based events",
        )),
        false => Ok(()),
    }
}

fn ready(ready: bool) -> ZeResult {
    if ready { Ok(()) } else { not_ready() }
}

entry! {
    fn zeEventCreate(pool: ze_event_pool_handle_t, desc: *const ze_event_desc_t, event: *mut ze_event_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe {
            let (own, desc) = (object::<EventPool>(pool)?, required(desc)?);
            let event = out(event)?;
            known(desc.signal, 0x7)?;
            known(desc.wait, 0x7)?;
            if desc.index >= own.count {
                return Err(Error::new(
                    ZE_RESULT_ERROR_INVALID_ARGUMENT,
                    format!("the pool has {} events, so there is no number {}", own.count, desc.index),
                ));
            }
            *event = export(Event::of_pool(own, pool, desc));
        }
        Ok(())
    }

    fn zeEventCounterBasedCreate(
        context: ze_context_handle_t,
        device: ze_device_handle_t,
        desc: *const ze_event_counter_based_desc_t,
        event: *mut ze_event_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        unsafe {
            let (context, device) = (object::<Context>(context)?, object::<Device>(device)?);
            let event = out(event)?;
            let desc = required(desc)?;
            known(desc.flags, COUNTER_BASED_FLAGS)?;
            known(desc.signal, 0x7)?;
            known(desc.wait, 0x7)?;
            let flags = desc.flags;
            let both = ZE_EVENT_COUNTER_BASED_FLAG_DEVICE_TIMESTAMP | ZE_EVENT_COUNTER_BASED_FLAG_HOST_TIMESTAMP;
            if flags & both == both {
                return Err(Error::new(
                    ZE_RESULT_ERROR_INVALID_ARGUMENT,
                    "an event has timestamps of the device or of the host, not both",
                ));
            }
            let timed = flags
                & (ZE_EVENT_COUNTER_BASED_FLAG_DEVICE_TIMESTAMP | ZE_EVENT_COUNTER_BASED_FLAG_HOST_TIMESTAMP)
                != 0;
            let scopes = [desc.signal, desc.wait];
            *event = export(Event::counter_based(context, device, (timed, flags), scopes)?);
        }
        Ok(())
    }

    /// Not in the headers: drivers offer it by name, and adapters prefer it.
    fn zexCounterBasedEventCreate2(
        context: ze_context_handle_t,
        device: ze_device_handle_t,
        desc: *const CounterBasedEventDesc,
        event: *mut ze_event_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        unsafe {
            let (context, device) = (object::<Context>(context)?, object::<Device>(device)?);
            let (desc, event) = (required(desc)?, out(event)?);
            let timed = desc.flags & (KERNEL_TIMESTAMP | KERNEL_MAPPED_TIMESTAMP) != 0;
            // The bits are those of ze_event_counter_based_flags_t.
            let flags = desc.flags & COUNTER_BASED_FLAGS;
            let scopes = [desc.signal_scope, desc.wait_scope];
            *event = export(Event::counter_based(context, device, (timed, flags), scopes)?);
        }
        Ok(())
    }

    fn zeEventDestroy(event: ze_event_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe { destroy::<Event>(event) }?;
        Ok(())
    }

    fn zeEventHostSignal(event: ze_event_handle_t) {
        // SAFETY: passed on to the caller.
        let event = unsafe { object::<Event>(event) }?;
        not_for_counters(event)?;
        let now = now();
        event.complete(Times { began: now, ended: now });
        Ok(())
    }

    fn zeEventHostReset(event: ze_event_handle_t) {
        // SAFETY: passed on to the caller.
        let event = unsafe { object::<Event>(event) }?;
        not_for_counters(event)?;
        event.reset();
        Ok(())
    }

    fn zeEventHostSynchronize(event: ze_event_handle_t, timeout: u64) {
        // SAFETY: passed on to the caller.
        let event = unsafe { object::<Event>(event) }?;
        capture::check_event_wait(event)?;
        ready(event.wait(timeout))?;
        event.context.failures.report()
    }

    fn zeEventQueryStatus(event: ze_event_handle_t) {
        // SAFETY: passed on to the caller.
        let event = unsafe { object::<Event>(event) }?;
        capture::check_event_query(event)?;
        ready(event.is_signalled())
    }

    fn zeEventQueryKernelTimestamp(event: ze_event_handle_t, result: *mut ze_kernel_timestamp_result_t) {
        // SAFETY: passed on to the caller.
        unsafe {
            let event = object::<Event>(event)?;
            let result = out(result)?;
            ready(event.is_signalled())?;
            *result = event.timestamps();
        }
        Ok(())
    }

    fn zeEventQueryTimestampsExp(
        event: ze_event_handle_t,
        _device: ze_device_handle_t,
        count: *mut u32,
        timestamps: *mut ze_kernel_timestamp_result_t,
    ) {
        // SAFETY: passed on to the caller.
        unsafe {
            let event = object::<Event>(event)?;
            ready(event.is_signalled())?;
            crate::handle::list(count, timestamps, std::iter::once(event.timestamps()))
        }
    }

    fn zeEventQueryKernelTimestampsExt(
        event: ze_event_handle_t,
        _device: ze_device_handle_t,
        count: *mut u32,
        results: *mut ze_event_query_kernel_timestamps_results_ext_properties_t,
    ) {
        // SAFETY: passed on to the caller.
        unsafe {
            let (event, count) = (object::<Event>(event)?, out(count)?);
            ready(event.is_signalled())?;
            let Some(results) = results.as_mut().filter(|_| *count != 0) else {
                *count = 1;
                return Ok(());
            };
            *count = 1;
            if let Some(timestamps) = results.pKernelTimestampsBuffer.as_mut() {
                *timestamps = event.timestamps();
            }
            // The host's clock is the one that nobody adjusts.
            if let Some(synchronized) = results.pSynchronizedTimestampsBuffer.as_mut() {
                let Times { began, ended } = event.times();
                let now = (clock::now(), clock::unadjusted());
                let host = |time: u64| now.1.wrapping_sub(now.0.wrapping_sub(time));
                let (began, ended) = (host(began), host(ended));
                let data = ze_synchronized_timestamp_data_ext_t { kernelStart: began, kernelEnd: ended };
                *synchronized = ze_synchronized_timestamp_result_ext_t { global: data, context: data };
            }
        }
        Ok(())
    }

    fn zeEventGetEventPool(event: ze_event_handle_t, pool: *mut ze_event_pool_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe {
            let event = object::<Event>(event)?;
            *out(pool)? = event.pool.as_ref().map_or(none(), |(_, handle)| *handle as ze_event_pool_handle_t);
        }
        Ok(())
    }

    fn zeEventCounterBasedGetIpcHandle(event: ze_event_handle_t, handle: *mut ze_ipc_event_counter_based_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe { out(handle)?.data = object::<Event>(event)?.ipc_handle()? };
        Ok(())
    }

    fn zeEventCounterBasedOpenIpcHandle(
        context: ze_context_handle_t,
        handle: ze_ipc_event_counter_based_handle_t,
        event: *mut ze_event_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        unsafe { *out(event)? = export(Event::open(object::<Context>(context)?, &handle.data)?) };
        Ok(())
    }

    fn zeEventCounterBasedCloseIpcHandle(event: ze_event_handle_t) {
        // SAFETY: passed on to the caller.
        if !unsafe { object::<Event>(event) }?.is_counter_based() {
            return err(ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT);
        }
        // SAFETY: as above.
        unsafe { destroy::<Event>(event) }?;
        Ok(())
    }

    fn zeEventGetCounterBasedFlags(event: ze_event_handle_t, flags: *mut ze_event_counter_based_flags_t) {
        // SAFETY: passed on to the caller.
        unsafe { *out(flags)? = object::<Event>(event)?.flags };
        Ok(())
    }

    fn zeEventGetSignalScope(event: ze_event_handle_t, scope: *mut ze_event_scope_flags_t) {
        // SAFETY: passed on to the caller.
        unsafe { *out(scope)? = object::<Event>(event)?.signal_scope };
        Ok(())
    }

    fn zeEventGetWaitScope(event: ze_event_handle_t, scope: *mut ze_event_scope_flags_t) {
        // SAFETY: passed on to the caller.
        unsafe { *out(scope)? = object::<Event>(event)?.wait_scope };
        Ok(())
    }
}

/// `zex_counter_based_event_desc_t`.
#[repr(C)]
pub struct CounterBasedEventDesc {
    stype: u32,
    next: *const std::ffi::c_void,
    flags: u32,
    signal_scope: ze_event_scope_flags_t,
    wait_scope: ze_event_scope_flags_t,
}

/// All `ZE_EVENT_COUNTER_BASED_FLAG_…`.
const COUNTER_BASED_FLAGS: u32 = 0x7f;

/// `ZEX_COUNTER_BASED_EVENT_FLAG_KERNEL_TIMESTAMP`.
const KERNEL_TIMESTAMP: u32 = 1 << 4;
/// `ZEX_COUNTER_BASED_EVENT_FLAG_KERNEL_MAPPED_TIMESTAMP`.
const KERNEL_MAPPED_TIMESTAMP: u32 = 1 << 5;

/// Whether a pool's description asks for counter-based events.
pub(crate) fn wants_counters(desc: &ze_event_pool_desc_t) -> bool {
    // SAFETY: the caller of `zeEventPoolCreate` says that it is a chain of structures.
    let chain = unsafe { Chain::new(desc.pNext) };
    chain.find::<ze_event_pool_counter_based_exp_desc_t>().is_some()
}
