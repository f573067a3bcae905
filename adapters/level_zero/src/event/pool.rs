// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Level Zero's events, used again.
//!
//! In-order queues have counter-based events where the driver has such. One is that of the last command that was appended
//! with it, and what waits for it has noted which that was: it can be used again at once, and needs no reset.
//!
//! An event of a pool is reset when it is used again, not before: until then it stays signalled for those that ask. One whose
//! last reference goes before its command is complete waits in limbo. A queue keeps references of what its commands wait for,
//! so no event is reset that a command has yet to look at.

use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering, fence};

use kit::UrResult;
use level_zero_sys::*;
use oxur_adapter_kit as kit;
use oxur_fork::Mutex;

use crate::Device;
use crate::platform::DriverFacts;
use crate::ze::{self, ContextKind, EventKind, EventPoolKind, Owned, ze, ze_get};

/// How many events a pool of Level Zero has.
const POOL_SIZE: u32 = 256;

/// What an event must be able to do.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct EventType {
    /// Commands record in it when they ran.
    pub(crate) timed: bool,
    /// Commands of in-order lists of the context's first device signal it, and nobody else: a counter-based one will do.
    pub(crate) in_order: bool,
}

/// The events of a context.
pub(crate) struct EventPools {
    /// By the two members of [`EventType`].
    kinds: [Mutex<Events>; 4],
    /// One of the constants below.
    counter_based: AtomicU8,
    devices: Vec<usize>,
    context: Arc<Owned<ContextKind>>,
}

/// Counter-based events come from a function of their own.
const BY_FUNCTION: u8 = 0;
/// They come from pools that are made for them: what drivers had before the function.
const OF_POOLS: u8 = 1;
/// The driver has none.
const NOWHERE: u8 = 2;

/// How a driver makes counter-based events.
fn counter_based(driver: &DriverFacts) -> u8 {
    if driver.api_version >= ZE_API_VERSION_1_15 && ze::api().zeEventCounterBasedCreate.is_some() {
        BY_FUNCTION
    } else if driver.has(ZE_EVENT_POOL_COUNTER_BASED_EXP_NAME) {
        OF_POOLS
    } else {
        NOWHERE
    }
}

/// Events of one kind. The pools are destroyed after their events.
#[derive(Default)]
struct Events {
    /// Signalled events that nobody knows.
    free: Vec<Arc<RawEvent>>,
    /// Events that nobody knows and a command will signal.
    limbo: Vec<Arc<RawEvent>>,
    /// Events of the last pool.
    used: u32,
    pools: Vec<Owned<EventPoolKind>>,
}

impl Events {
    /// A place for another event: the last pool and an index in it.
    fn place(&mut self) -> Option<(usize, u32)> {
        let pool = self.pools.last().filter(|_| self.used < POOL_SIZE)?;
        let place = (**pool as usize, self.used);
        self.used += 1;
        Some(place)
    }
}

/// An event of Level Zero.
struct RawEvent {
    handle: Owned<EventKind>,
    kind: EventType,
    /// Whether it is a counter-based one.
    counts: bool,
}

/// A reference of an event, which goes back to its pool with the last one.
pub(crate) struct EventRef {
    raw: ManuallyDrop<Arc<RawEvent>>,
    /// None for a client's event.
    pools: Option<Arc<EventPools>>,
}

impl EventPools {
    pub(crate) fn new(context: &Arc<Owned<ContextKind>>, devices: &[Arc<Device>]) -> Arc<Self> {
        Arc::new(Self {
            kinds: Default::default(),
            counter_based: AtomicU8::new(counter_based(&devices[0].driver)),
            devices: devices.iter().map(|device| device.raw as usize).collect(),
            context: context.clone(),
        })
    }

    fn of_kind(&self, kind: EventType) -> &Mutex<Events> {
        &self.kinds[usize::from(kind.timed) | usize::from(kind.in_order) << 1]
    }

    /// An event that is not signalled, or a counter-based one.
    #[inline]
    pub(crate) fn take(self: &Arc<Self>, kind: EventType) -> UrResult<EventRef> {
        let event = self.of_kind(kind).lock().free.pop();
        let raw = match event {
            Some(event) => {
                event.reset()?;
                event
            }
            None => self.another(kind)?,
        };
        Ok(EventRef {
            raw: ManuallyDrop::new(raw),
            pools: Some(self.clone()),
        })
    }

    #[cold]
    fn another(&self, kind: EventType) -> UrResult<Arc<RawEvent>> {
        // The driver is not called while the lock is held.
        let limbo = std::mem::take(&mut self.of_kind(kind).lock().limbo);
        let (over, limbo): (Vec<_>, Vec<_>) = limbo.into_iter().partition(|event| event.is_over());
        let free = {
            let mut events = self.of_kind(kind).lock();
            events.free.extend(over);
            events.limbo.extend(limbo);
            events.free.pop()
        };
        if let Some(event) = free {
            event.reset()?;
            return Ok(event);
        }
        let from = match kind.in_order {
            true => self.counter_based.load(Ordering::Relaxed),
            false => NOWHERE,
        };
        let created = match from {
            BY_FUNCTION => self.create_counter_based(kind.timed),
            _ => self.create_in_pool(kind, from == OF_POOLS),
        };
        match created {
            Err(error) if from != NOWHERE => {
                log::info!("the driver makes no counter-based events in this way: {error}");
                self.counter_based.store(from + 1, Ordering::Relaxed);
                self.another(kind)
            }
            created => {
                // SAFETY: the event that was just made.
                let handle = unsafe { Owned::new(created?, true) };
                let counts = from != NOWHERE;
                Ok(Arc::new(RawEvent { handle, kind, counts }))
            }
        }
    }

    fn create_counter_based(&self, timed: bool) -> UrResult<ze_event_handle_t> {
        let timestamps = if timed {
            ZE_EVENT_COUNTER_BASED_FLAG_DEVICE_TIMESTAMP
        } else {
            0
        };
        let desc = ze_event_counter_based_desc_t {
            flags: ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE | ZE_EVENT_COUNTER_BASED_FLAG_HOST_VISIBLE | timestamps,
            signal: ZE_EVENT_SCOPE_FLAG_HOST,
            wait: ZE_EVENT_SCOPE_FLAG_HOST,
            ..Default::default()
        };
        let device = self.devices[0] as ze_device_handle_t;
        // SAFETY: a live context and its device.
        unsafe { ze_get!(zeEventCounterBasedCreate(**self.context, device, &desc)) }
    }

    fn create_in_pool(&self, kind: EventType, counter_based: bool) -> UrResult<ze_event_handle_t> {
        let place = self.of_kind(kind).lock().place();
        let (pool, index) = match place {
            Some((pool, index)) => (pool as ze_event_pool_handle_t, index),
            None => {
                let pool = self.new_pool(kind.timed, counter_based)?;
                let handle = *pool;
                let mut events = self.of_kind(kind).lock();
                events.pools.push(pool);
                events.used = 1;
                (handle, 0)
            }
        };
        let desc = ze_event_desc_t {
            index,
            signal: ZE_EVENT_SCOPE_FLAG_HOST,
            wait: ZE_EVENT_SCOPE_FLAG_HOST,
            ..Default::default()
        };
        // SAFETY: a live pool, and an index that none of its events has.
        unsafe { ze_get!(zeEventCreate(pool, &desc)) }
    }

    fn new_pool(&self, timed: bool, counter_based: bool) -> UrResult<Owned<EventPoolKind>> {
        let timestamps = if timed { ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP } else { 0 };
        let counters = ze_event_pool_counter_based_exp_desc_t {
            flags: ZE_EVENT_POOL_COUNTER_BASED_EXP_FLAG_IMMEDIATE,
            ..Default::default()
        };
        let desc = ze_event_pool_desc_t {
            pNext: match counter_based {
                true => (&raw const counters).cast(),
                false => std::ptr::null(),
            },
            flags: ZE_EVENT_POOL_FLAG_HOST_VISIBLE | timestamps,
            count: POOL_SIZE,
            ..Default::default()
        };
        let mut devices: Vec<_> = self
            .devices
            .iter()
            .map(|&device| device as ze_device_handle_t)
            .collect();
        let (count, devices) = (devices.len() as u32, devices.as_mut_ptr());
        // SAFETY: a live context, its devices, descriptions that live until the call returns, and the pool that was just made.
        unsafe {
            let pool = ze_get!(zeEventPoolCreate(**self.context, &desc, count, devices))?;
            Ok(Owned::new(pool, true))
        }
    }

    /// Takes an event back.
    fn put(&self, event: Arc<RawEvent>) {
        let over = event.counts || event.is_over();
        let mut events = self.of_kind(event.kind).lock();
        match over {
            true => events.free.push(event),
            false => events.limbo.push(event),
        }
    }
}

impl RawEvent {
    #[inline]
    fn reset(&self) -> UrResult<()> {
        if self.counts {
            return Ok(());
        }
        // SAFETY: a live event, which no command waits for or will signal.
        unsafe { ze!(zeEventHostReset(*self.handle)) }
    }

    /// Whether it is signalled. In a child of `fork` nothing is to be waited for.
    fn is_over(&self) -> bool {
        // SAFETY: a live event.
        ze::is_lost() || unsafe { ze!(zeEventQueryStatus(*self.handle)) }.is_ok()
    }
}

impl EventRef {
    /// A client's event.
    ///
    /// # Safety
    /// The handle is live; if `owned`, the client gives it up, else it lives as long as this.
    pub(crate) unsafe fn from_native(handle: ze_event_handle_t, owned: bool) -> Self {
        let raw = RawEvent {
            // SAFETY: passed on to the caller.
            handle: unsafe { Owned::new(handle, owned) },
            kind: EventType::default(),
            counts: false,
        };
        Self {
            raw: ManuallyDrop::new(Arc::new(raw)),
            pools: None,
        }
    }

    /// The driver's handle.
    #[inline(always)]
    pub(crate) fn handle(&self) -> ze_event_handle_t {
        *self.raw.handle
    }

    /// Whether commands record in it when they ran.
    pub(crate) fn is_timed(&self) -> bool {
        self.raw.kind.timed
    }

    /// Whether it is a counter-based one, which commands that wait for it do not need any more once they are appended.
    pub(crate) fn counts(&self) -> bool {
        self.raw.counts
    }

    /// Whether it is signalled.
    pub(crate) fn is_over(&self) -> bool {
        self.raw.is_over()
    }

    /// Waits until it is signalled. That a command failed may be an error.
    pub(crate) fn wait(&self) -> UrResult<()> {
        // SAFETY: a live event.
        unsafe { ze!(zeEventHostSynchronize(self.handle(), u64::MAX)) }
    }

    /// The same for so many nanoseconds.
    pub(crate) fn wait_for(&self, timeout: u64) {
        // SAFETY: a live event.
        _ = unsafe { ze!(zeEventHostSynchronize(self.handle(), timeout)) };
    }

    /// Signals it, because no command will. A counter-based one of which no command was appended is signalled.
    pub(crate) fn signal(&self) {
        if self.raw.counts {
            return;
        }
        // SAFETY: a live event.
        if let Err(error) = unsafe { ze!(zeEventHostSignal(self.handle())) } {
            log::error!("an event that others wait for cannot be signalled: {error}");
        }
    }

    /// When its command ran.
    pub(crate) fn timestamps(&self) -> UrResult<ze_kernel_timestamp_result_t> {
        let mut times = ze_kernel_timestamp_result_t::default();
        // SAFETY: a live event and a structure to fill.
        unsafe { ze!(zeEventQueryKernelTimestamp(self.handle(), &mut times)) }?;
        Ok(times)
    }
}

impl Clone for EventRef {
    fn clone(&self) -> Self {
        Self {
            raw: self.raw.clone(),
            pools: self.pools.clone(),
        }
    }
}

impl Drop for EventRef {
    fn drop(&mut self) {
        // SAFETY: taken here only, and not used afterwards.
        let raw = unsafe { ManuallyDrop::take(&mut self.raw) };
        let Some(pools) = self.pools.as_ref().filter(|_| !kit::is_closed()) else {
            return;
        };
        if Arc::strong_count(&raw) == 1 {
            // The usual case, in which the memory is used again, too. Acquire: other threads' uses came before.
            fence(Ordering::Acquire);
            pools.put(raw);
        } else if let Some(last) = Arc::into_inner(raw) {
            pools.put(Arc::new(last));
        }
    }
}
