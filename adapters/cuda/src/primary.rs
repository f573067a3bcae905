// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Primary contexts: the state of a device in this process, which CUDA's runtime and all libraries on it use as well.
//!
//! It is made when a context of UR first wants it, which takes a tenth of a second, and stays until the process ends.
//! With it go events of CUDA, which are used again, and the device's [clock](Clock).

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use kit::ur::ResultCode;
use kit::{UrResult, emulate};
use oxur_adapter_kit as kit;
use oxur_cuda_sys::*;
use oxur_fork::{Mutex, OnceLock};

use crate::Device;
use crate::assertion::Records;
use crate::driver::{self, cu, cu_get};
use crate::lane::Lane;
use crate::memory_pool::MemoryPool;
use crate::signal::SignalWords;
use crate::staging::Copiers;
use crate::virtual_mem;

/// The primary context of a device.
pub(crate) struct Primary {
    pub(crate) raw: CUcontext,
    untimed: Mutex<Vec<EventHandle>>,
    timed: Mutex<Vec<EventHandle>>,
    clock: Clock,
    /// For commands of no queue, which are waited for at once.
    own_lane: OnceLock<Arc<Lane>>,
    pub(crate) device: CUdevice,
    /// Whether kernels may print.
    prints: AtomicBool,
    /// Whether streams may wait for the host.
    host_waits: AtomicBool,
    loss: Loss,
    /// `None` inside if the device has no pools.
    memory_pool: OnceLock<Option<MemoryPool>>,
    /// `None` inside if there is none.
    discarded: OnceLock<Option<CUdeviceptr>>,
    pub(crate) words: SignalWords,
    pub(crate) records: Records,
    pub(crate) copiers: Copiers,
    /// The priorities of streams: the lowest, and the highest, which is the smaller number.
    pub(crate) priorities: (i32, i32),
}

// SAFETY: CUDA's handles may be used from any thread.
unsafe impl Send for Primary {}
// SAFETY: as above.
unsafe impl Sync for Primary {}

#[derive(Clone, Copy)]
struct EventHandle(CUevent);

// SAFETY: CUDA's handles may be used from any thread.
unsafe impl Send for EventHandle {}

/// What is known of the failure of a device.
#[derive(Default)]
struct Loss {
    is_known: AtomicBool,
    /// Whether a thread looks, and when one began to.
    is_looking: AtomicBool,
    looked: AtomicU64,
}

/// How often it is looked whether a device has failed for which the host waits, in nanoseconds.
pub(crate) const LOOK_EVERY: u64 = 100_000_000;

/// How many events of a kind are kept for later.
const MOST_EVENTS: usize = 1024;

/// How many of them a stream gets at once.
const FEW_EVENTS: usize = 16;

/// Keeps a device's context current in this thread. Another one that was is current again when this is dropped, so that
/// clients that use CUDA themselves do not find themselves on another device.
pub(crate) struct Current(CUcontext);

impl Drop for Current {
    #[inline(always)]
    fn drop(&mut self) {
        if !self.0.is_null() {
            // SAFETY: it was current before.
            if let Err(error) = unsafe { cu!(cuCtxSetCurrent(self.0)) } {
                log::debug!("the context of the client is not current again: {error}");
            }
        }
    }
}

/// All that there are.
static ALL: Mutex<Vec<&'static Primary>> = Mutex::new(Vec::new());

impl Primary {
    /// One of those that there are.
    pub(crate) fn of(is: impl Fn(&Self) -> bool) -> Option<&'static Self> {
        ALL.lock().iter().copied().find(|primary| is(primary))
    }

    /// From now on it is one of those.
    pub(crate) fn note(&'static self) {
        ALL.lock().push(self);
    }

    /// Makes it, or takes part in it.
    pub(crate) fn retain(device: CUdevice) -> UrResult<Self> {
        // SAFETY: a device of the driver.
        let raw = unsafe { cu_get!(cuDevicePrimaryCtxRetain(_, device): CUcontext = std::ptr::null_mut()) }?;
        Self::with(raw, device).inspect_err(|_| {
            // SAFETY: a device whose context was just retained.
            if let Err(error) = unsafe { cu!(cuDevicePrimaryCtxRelease(device)) } {
                log::warn!("the context of a device is leaked: {error}");
            }
        })
    }

    /// With the context of a device.
    fn with(raw: CUcontext, device: CUdevice) -> UrResult<Self> {
        let mut primary = Self {
            raw,
            untimed: Mutex::default(),
            timed: Mutex::default(),
            clock: Clock::default(),
            own_lane: OnceLock::new(),
            device,
            prints: AtomicBool::new(false),
            host_waits: AtomicBool::new(false),
            loss: Loss::default(),
            memory_pool: OnceLock::new(),
            discarded: OnceLock::new(),
            words: SignalWords::default(),
            records: Records::default(),
            copiers: Copiers::default(),
            priorities: (0, 0),
        };
        {
            let _current = primary.activate()?;
            let (mut least, mut greatest) = (0, 0);
            // SAFETY: places for two numbers.
            unsafe { cu!(cuCtxGetStreamPriorityRange(&mut least, &mut greatest)) }?;
            primary.priorities = (least, greatest);
        }
        Ok(primary)
    }

    /// Makes it current in this thread.
    #[inline(always)]
    pub(crate) fn activate(&self) -> UrResult<Current> {
        let mut current = std::ptr::null_mut();
        // SAFETY: a place for the context, and a live context.
        unsafe {
            cu!(cuCtxGetCurrent(&mut current))?;
            if current == self.raw {
                return Ok(Current(std::ptr::null_mut()));
            }
            cu!(cuCtxSetCurrent(self.raw))?;
        }
        Ok(Current(current))
    }

    /// An event of CUDA that nobody uses. The context is current.
    pub(crate) fn event(&'static self, timed: bool) -> UrResult<CudaEvent> {
        let kept = self.kept(timed).lock().pop();
        let raw = match kept {
            Some(EventHandle(raw)) => raw,
            None => {
                let flags = if timed {
                    CU_EVENT_DEFAULT
                } else {
                    CU_EVENT_DISABLE_TIMING
                };
                // SAFETY: a place for the event.
                unsafe { cu_get!(cuEventCreate(_, flags): CUevent = std::ptr::null_mut()) }?
            }
        };
        Ok(CudaEvent {
            raw,
            timed,
            primary: self,
        })
    }

    /// Takes some events without times that nobody uses, if there are any.
    #[cold]
    pub(crate) fn take_untimed(&self, to: &mut Vec<CUevent>) {
        let mut kept = self.untimed.lock();
        let rest = kept.len().saturating_sub(FEW_EVENTS);
        to.extend(kept.drain(rest..).map(|EventHandle(raw)| raw));
    }

    /// A kernel may print from now on.
    pub(crate) fn note_prints(&self) {
        self.prints.store(true, Ordering::Relaxed);
    }

    /// Whether kernels may print: the driver writes their text when it is asked to wait, not when it is asked whether they are
    /// complete.
    pub(crate) fn prints(&self) -> bool {
        self.prints.load(Ordering::Relaxed)
    }

    /// From now on streams may wait for the host: those of commands that were forced, or that the client submits to.
    pub(crate) fn note_host_waits(&self) {
        self.host_waits.store(true, Ordering::Relaxed);
    }

    /// Whether they may. One that does may hold up others, as CUDA has few that are independent.
    pub(crate) fn has_host_waits(&self) -> bool {
        self.host_waits.load(Ordering::Relaxed)
    }

    /// Whether the device is known to have failed. Never calls the driver itself, which may wait for what the calling thread has
    /// to do: once in a while another thread does.
    pub(crate) fn is_lost(&'static self) -> bool {
        let loss = &self.loss;
        if loss.is_known.load(Ordering::Acquire) {
            return true;
        }
        let now = host_time();
        let is_early = now.saturating_sub(loss.looked.load(Ordering::Relaxed)) < LOOK_EVERY;
        if is_early || loss.is_looking.swap(true, Ordering::AcqRel) {
            return false;
        }
        loss.looked.store(now, Ordering::Relaxed);
        let look = move || {
            let found = self.activate().and_then(|_current| self.own_lane()?.check());
            if found.is_err_and(|error| error.code() == ResultCode::ERROR_DEVICE_LOST) {
                self.loss.is_known.store(true, Ordering::Release);
            }
            self.loss.is_looking.store(false, Ordering::Release);
        };
        if let Err(error) = emulate::run_on_thread(Box::new(look)) {
            log::warn!("nobody looks whether a device has failed: {error}");
            loss.is_looking.store(false, Ordering::Release);
        }
        false
    }

    /// A lane for commands of no queue. The context is current.
    pub(crate) fn own_lane(&'static self) -> UrResult<&'static Arc<Lane>> {
        if let Some(lane) = self.own_lane.get() {
            return Ok(lane);
        }
        let lane = Lane::new(self, 0)?;
        Ok(self.own_lane.get_or_init(|| lane))
    }

    /// The address of memory that kernels store to and nobody reads, if the device can have it. Made by the first call.
    pub(crate) fn discarded(&self, device: &Device) -> UrResult<Option<CUdeviceptr>> {
        if let Some(known) = self.discarded.get() {
            return Ok(*known);
        }
        let _current = self.activate()?;
        let make = || match device.facts.has_virtual_memory {
            true => virtual_mem::repeated(self.device).map(Some),
            false => Ok(None),
        };
        self.discarded.get_or_try_init(make).copied()
    }

    /// Where device memory comes from, if that is a pool. The context is current.
    pub(crate) fn memory_pool(&self) -> UrResult<Option<&MemoryPool>> {
        if let Some(pool) = self.memory_pool.get() {
            return Ok(pool.as_ref());
        }
        let (device, attribute) = (self.device, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED);
        // SAFETY: a device of the driver, and a place for the answer.
        let has_pools = unsafe { cu_get!(cuDeviceGetAttribute(_, attribute, device): i32 = 0) }?;
        let pool = match has_pools {
            0 => None,
            _ => Some(MemoryPool::new(device)?),
        };
        // A pool that another thread makes meanwhile is the one, and this one stays empty.
        Ok(self.memory_pool.get_or_init(|| pool).as_ref())
    }

    /// Takes an event that nobody uses any more: one of [`Self::event`].
    pub(crate) fn keep_event(&self, raw: CUevent, timed: bool) {
        if driver::is_gone() {
            return;
        }
        let mut kept = self.kept(timed).lock();
        if kept.len() < MOST_EVENTS {
            kept.push(EventHandle(raw));
            return;
        }
        drop(kept);
        // SAFETY: an event that nobody uses.
        if let Err(error) = unsafe { cu!(cuEventDestroy(raw)) } {
            log::debug!("an event of the driver is leaked: {error}");
        }
    }

    fn kept(&self, timed: bool) -> &Mutex<Vec<EventHandle>> {
        if timed { &self.timed } else { &self.untimed }
    }

    /// The base of times of commands that are submitted now. The context is current.
    pub(crate) fn clock_base(&'static self) -> UrResult<Arc<ClockBase>> {
        self.clock.base(self)
    }
}

/// An event of CUDA, which is used again when this is dropped: commands that wait for it have been told so by then.
pub(crate) struct CudaEvent {
    raw: CUevent,
    timed: bool,
    primary: &'static Primary,
}

// SAFETY: CUDA's handles may be used from any thread.
unsafe impl Send for CudaEvent {}
// SAFETY: as above.
unsafe impl Sync for CudaEvent {}

impl Deref for CudaEvent {
    type Target = CUevent;

    #[inline(always)]
    fn deref(&self) -> &CUevent {
        &self.raw
    }
}

impl CudaEvent {
    /// The event, for who [gives it back](Primary::keep_event).
    pub(crate) fn into_raw(self) -> CUevent {
        let raw = self.raw;
        std::mem::forget(self);
        raw
    }
}

impl Drop for CudaEvent {
    fn drop(&mut self) {
        self.primary.keep_event(self.raw, self.timed);
    }
}

/// Whether the command of an event is complete, or failed.
pub(crate) fn is_over(event: CUevent) -> bool {
    if driver::is_lost() {
        return false;
    }
    // What failed is over as well; who waits for it learns why.
    query(event) != CUDA_ERROR_NOT_READY
}

/// Asks the driver whether the command of an event is complete. The driver is not lost.
pub(crate) fn query(event: CUevent) -> CUresult {
    // SAFETY: a live event.
    driver::ask("cuEventQuery", || unsafe { (driver::api().cuEventQuery)(event) })
}

/// The host's clock, in nanoseconds. Times of the device are given in it.
pub(crate) fn host_time() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a place for the time. This clock exists on all systems.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// When commands run: CUDA tells the time between two events, as a `float` of milliseconds. That is exact to some tens
/// of nanoseconds for as long as the two are no more than a second apart, so a new base is taken as often.
#[derive(Default)]
struct Clock(Mutex<Option<(Arc<ClockBase>, Instant)>>);

/// An event, and the time at which it was complete.
pub(crate) struct ClockBase {
    event: CudaEvent,
    time: u64,
}

/// How long a base is used.
const BASE_LASTS: Duration = Duration::from_secs(1);

/// How often it is tried to hit the time of a base; more often while it is not known to so many nanoseconds. Where other
/// processes use the device, it may begin some milliseconds late.
const ROUNDS: usize = 5;
const MOST_ROUNDS: usize = 25;
const EXACT: u64 = 30_000;

/// How long a new base may take: a stream that waits for the host may hold up others.
const BASE_TAKES: Duration = Duration::from_millis(2);

impl Clock {
    fn base(&self, primary: &'static Primary) -> UrResult<Arc<ClockBase>> {
        let known = self.0.lock().clone();
        if let Some((base, since)) = &known
            && since.elapsed() < BASE_LASTS
        {
            return Ok(base.clone());
        }
        let mut stream: CUstream = std::ptr::null_mut();
        // SAFETY: a place for the stream.
        unsafe { cu!(cuStreamCreateWithPriority(&mut stream, CU_STREAM_NON_BLOCKING, 0)) }?;
        let measured = Self::measure(primary, stream, known.as_ref().map(|(base, _)| base));
        // SAFETY: a live stream that nobody uses any more.
        if let Err(error) = unsafe { cu!(cuStreamDestroy(stream)) } {
            log::debug!("a stream is leaked: {error}");
        }
        let base = measured?;
        *self.0.lock() = Some((base.clone(), Instant::now()));
        Ok(base)
    }

    /// An event that was complete at a time which is known as well as possible; or `known`, if that takes too long.
    fn measure(
        primary: &'static Primary,
        stream: CUstream,
        known: Option<&Arc<ClockBase>>,
    ) -> UrResult<Arc<ClockBase>> {
        let began = Instant::now();
        let mut best: Option<(u64, ClockBase)> = None;
        for round in 0..MOST_ROUNDS {
            if round >= ROUNDS && best.as_ref().is_some_and(|(took, _)| *took <= EXACT) {
                break;
            }
            let event = primary.event(true)?;
            let before = host_time();
            // SAFETY: a live stream and event.
            unsafe { cu!(cuEventRecord(*event, stream)) }?;
            while !is_over(*event) {
                if let Some(base) = known
                    && began.elapsed() > BASE_TAKES
                {
                    return Ok(base.clone());
                }
                std::hint::spin_loop();
            }
            let after = host_time();
            // It fails where the device has.
            // SAFETY: a live event.
            unsafe { cu!(cuEventSynchronize(*event)) }?;
            let took = after - before;
            if best.as_ref().is_none_or(|(least, _)| took < *least) {
                let time = u64::midpoint(before, after);
                best = Some((took, ClockBase { event, time }));
            }
        }
        match best {
            Some((_, base)) => Ok(Arc::new(base)),
            None => Err(ResultCode::ERROR_UNKNOWN.into()),
        }
    }
}

impl ClockBase {
    /// When a later event was complete, in nanoseconds of [`host_time`].
    pub(crate) fn time_of(&self, event: CUevent) -> UrResult<u64> {
        let mut milliseconds = 0.0;
        // SAFETY: two live events that record times, and a place for the difference.
        unsafe { cu!(cuEventElapsedTime(&mut milliseconds, *self.event, event)) }?;
        Ok(self
            .time
            .saturating_add((f64::from(milliseconds) * 1e6).max(0.0) as u64))
    }
}
