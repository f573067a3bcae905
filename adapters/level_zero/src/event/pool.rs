// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Level Zero's events, used again.
//!
//! In-order queues have counter-based events where the driver has such. One is that of the last command that was appended
//! with it, and what waits for it has noted which that was: it can be used again at once, and needs no reset. A thread
//! [keeps](ThreadCache) those that it has given up last.
//!
//! An event of a pool is reset when it is used again, not before: until then it stays signalled for those that ask. One whose
//! last reference goes before its command is complete waits in limbo. A queue keeps references of what its commands wait for,
//! so no event is reset that a command has yet to look at.

use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering, fence};

use kit::{CachedOwner, ThreadCache, UniqueId, UrResult, WeakRegistry};
use level_zero_sys::*;
use oxur_adapter_kit as kit;
use oxur_fork::Mutex;

use crate::Device;
use crate::platform::DriverFacts;
use crate::ze::{self, ContextKind, EventKind, EventPoolKind, Owned, desc, ze, ze_get};

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
    number: UniqueId,
    /// By the two members of [`EventType`].
    kinds: [Mutex<Events>; 4],
    /// One of the constants below.
    counter_based: AtomicU8,
    devices: Vec<Arc<Device>>,
    context: Arc<Owned<ContextKind>>,
}

/// All pools that are there.
static POOLS: WeakRegistry<EventPools> = WeakRegistry::new();

thread_local! {
    /// Counter-based events that the thread has given up.
    static GIVEN_UP: ThreadCache<EventPools> = const { ThreadCache::new() };
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
    /// All that there are.
    all: Vec<Owned<EventKind>>,
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
pub(crate) struct RawEvent {
    /// The pools own it.
    handle: ze_event_handle_t,
    /// Unless it is a client's event.
    _owned: Option<Owned<EventKind>>,
    kind: EventType,
    /// Whether it is a counter-based one.
    counts: bool,
}

ze::any_thread!(RawEvent);

/// A reference of an event, which goes back to its pool with the last one.
pub(crate) struct EventRef {
    raw: ManuallyDrop<Arc<RawEvent>>,
    pools: PoolsOf,
}

/// The pools of an event.
enum PoolsOf {
    /// It is a client's.
    None,
    Kept(Arc<EventPools>),
    /// Those of an `Arc` that somebody else keeps.
    Borrowed(NonNull<EventPools>),
}

// SAFETY: the pools are `Sync`, and outlive the reference.
unsafe impl Send for PoolsOf {}
// SAFETY: as above.
unsafe impl Sync for PoolsOf {}

impl EventPools {
    pub(crate) fn new(context: &Arc<Owned<ContextKind>>, devices: &[Arc<Device>]) -> Arc<Self> {
        let pools = Arc::new(Self {
            number: UniqueId::new(),
            kinds: Default::default(),
            counter_based: AtomicU8::new(counter_based(&devices[0].driver)),
            devices: devices.to_vec(),
            context: context.clone(),
        });
        POOLS.add(pools.number, &pools);
        pools
    }

    fn of_kind(&self, kind: EventType) -> &Mutex<Events> {
        &self.kinds[usize::from(kind.timed) | usize::from(kind.in_order) << 1]
    }

    /// An event that is not signalled, or a counter-based one.
    pub(crate) fn take(self: &Arc<Self>, kind: EventType) -> UrResult<EventRef> {
        Ok(EventRef {
            raw: ManuallyDrop::new(self.take_raw(kind)?),
            pools: PoolsOf::Kept(self.clone()),
        })
    }

    /// The same without a reference of the pools.
    ///
    /// # Safety
    /// The pools outlive the event. References that are made of it keep them.
    #[inline]
    pub(crate) unsafe fn take_borrowed(self: &Arc<Self>, kind: EventType) -> UrResult<EventRef> {
        Ok(EventRef {
            raw: ManuallyDrop::new(self.take_raw(kind)?),
            pools: PoolsOf::Borrowed(NonNull::from(&**self)),
        })
    }

    #[inline]
    fn take_raw(&self, kind: EventType) -> UrResult<Arc<RawEvent>> {
        if kind.in_order
            && let Ok(Some(event)) =
                GIVEN_UP.try_with(|events| events.take(self.number, |event| event.kind.timed == kind.timed))
        {
            return Ok(event);
        }
        let free = self.of_kind(kind).lock().free.pop();
        let Some(event) = free else { return self.another(kind) };
        event.reset()?;
        Ok(event)
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
                let event = unsafe { Owned::new(created?, true) };
                let raw = RawEvent {
                    handle: *event,
                    _owned: None,
                    kind,
                    counts: from != NOWHERE,
                };
                self.of_kind(kind).lock().all.push(event);
                Ok(Arc::new(raw))
            }
        }
    }

    fn create_counter_based(&self, timed: bool) -> UrResult<ze_event_handle_t> {
        let mut flags = ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE | ZE_EVENT_COUNTER_BASED_FLAG_HOST_VISIBLE;
        if timed {
            flags |= ZE_EVENT_COUNTER_BASED_FLAG_DEVICE_TIMESTAMP;
        }
        let host = ZE_EVENT_SCOPE_FLAG_HOST;
        let desc = desc!(ze_event_counter_based_desc_t: flags = flags, signal = host, wait = host);
        let device = self.devices[0].raw;
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
        let host = ZE_EVENT_SCOPE_FLAG_HOST;
        let desc = desc!(ze_event_desc_t: index = index, signal = host, wait = host);
        // SAFETY: a live pool, and an index that none of its events has.
        unsafe { ze_get!(zeEventCreate(pool, &desc)) }
    }

    fn new_pool(&self, timed: bool, counter_based: bool) -> UrResult<Owned<EventPoolKind>> {
        let timestamps = if timed { ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP } else { 0 };
        let flags = ZE_EVENT_POOL_COUNTER_BASED_EXP_FLAG_IMMEDIATE;
        let counters = desc!(ze_event_pool_counter_based_exp_desc_t: flags = flags);
        let flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE | timestamps;
        let mut desc = desc!(ze_event_pool_desc_t: flags = flags, count = POOL_SIZE);
        if counter_based {
            desc.pNext = (&raw const counters).cast();
        }
        let mut devices: Vec<_> = self.devices.iter().map(|device| device.raw).collect();
        let (count, devices) = (devices.len() as u32, devices.as_mut_ptr());
        // SAFETY: a live context, its devices, descriptions that live until the call returns, and the pool that was just made.
        unsafe {
            let pool = ze_get!(zeEventPoolCreate(**self.context, &desc, count, devices))?;
            Ok(Owned::new(pool, true))
        }
    }

    /// Takes an event back, which nobody knows any more.
    #[inline(always)]
    fn put(&self, event: Arc<RawEvent>) {
        let (counts, mut event) = (event.counts, Some(event));
        if counts {
            _ = GIVEN_UP.try_with(|events| events.put(self.number, &mut event));
        }
        if let Some(event) = event {
            self.take_back(&mut std::iter::once(event));
        }
    }
}

impl CachedOwner for EventPools {
    type Item = RawEvent;

    fn all() -> &'static WeakRegistry<Self> {
        &POOLS
    }

    fn take_back(&self, given: &mut dyn Iterator<Item = Arc<RawEvent>>) {
        for event in given {
            // The driver is not called while the lock is held.
            let over = event.counts || event.is_over();
            let events = &mut *self.of_kind(event.kind).lock();
            let place = if over { &mut events.free } else { &mut events.limbo };
            place.push(event);
        }
    }
}

impl Drop for EventPools {
    fn drop(&mut self) {
        POOLS.remove(self.number);
    }
}

impl RawEvent {
    #[inline]
    fn reset(&self) -> UrResult<()> {
        if self.counts {
            return Ok(());
        }
        // SAFETY: a live event, which no command waits for or will signal.
        unsafe { ze!(zeEventHostReset(self.handle)) }
    }

    /// Whether it is signalled. In a child of `fork` nothing is to be waited for.
    fn is_over(&self) -> bool {
        // SAFETY: a live event.
        ze::is_lost() || unsafe { ze!(zeEventQueryStatus(self.handle)) }.is_ok()
    }
}

impl EventRef {
    /// A client's event.
    ///
    /// # Safety
    /// The handle is live; if `owned`, the client gives it up, else it lives as long as this.
    pub(crate) unsafe fn from_native(handle: ze_event_handle_t, owned: bool) -> Self {
        let raw = RawEvent {
            handle,
            // SAFETY: passed on to the caller.
            _owned: Some(unsafe { Owned::new(handle, owned) }),
            kind: EventType::default(),
            counts: false,
        };
        Self {
            raw: ManuallyDrop::new(Arc::new(raw)),
            pools: PoolsOf::None,
        }
    }

    /// The driver's handle.
    #[inline(always)]
    pub(crate) fn handle(&self) -> ze_event_handle_t {
        self.raw.handle
    }

    /// Whether it is signalled. In a child of `fork` nothing is to be waited for.
    pub(super) fn is_signalled(&self) -> bool {
        self.raw.is_over()
    }

    /// What it is able to do.
    pub(super) fn kind(&self) -> EventType {
        self.raw.kind
    }

    /// Whether it is a counter-based one, which commands that wait for it do not need any more once they are appended.
    pub(crate) fn counts(&self) -> bool {
        self.raw.counts
    }

    /// Whether it is a counter-based one of a queue's, and nobody else has it.
    #[inline(always)]
    pub(super) fn is_own_and_counts(&self) -> bool {
        let only = Arc::strong_count(&self.raw) == 1;
        fence(Ordering::Acquire);
        only && self.raw.counts && matches!(self.pools, PoolsOf::Borrowed(_)) && !kit::is_closed()
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
}

impl Clone for EventRef {
    fn clone(&self) -> Self {
        Self {
            raw: self.raw.clone(),
            pools: match &self.pools {
                PoolsOf::None => PoolsOf::None,
                PoolsOf::Kept(pools) => PoolsOf::Kept(pools.clone()),
                PoolsOf::Borrowed(pools) => {
                    // SAFETY: they are in an `Arc`, of which somebody keeps a reference as long as this is there.
                    let pools = ManuallyDrop::new(unsafe { Arc::from_raw(pools.as_ptr()) });
                    PoolsOf::Kept((*pools).clone())
                }
            },
        }
    }
}

impl Drop for EventRef {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: taken here only, and not used afterwards.
        let raw = unsafe { ManuallyDrop::take(&mut self.raw) };
        let pools = match &self.pools {
            PoolsOf::None => return,
            PoolsOf::Kept(pools) => &**pools,
            // SAFETY: they outlive this.
            PoolsOf::Borrowed(pools) => unsafe { pools.as_ref() },
        };
        if kit::is_closed() {
            return;
        }
        if Arc::strong_count(&raw) == 1 {
            // The usual case, in which the memory is used again, too. Acquire: other threads' uses came before.
            fence(Ordering::Acquire);
            pools.put(raw);
        } else if let Some(last) = Arc::into_inner(raw) {
            pools.put(Arc::new(last));
        }
    }
}
