// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Lanes: a stream, and the places of commands in it.
//!
//! An event costs a tenth of a launch, and most are waited for at once or never. So the last command of a stream has
//! none: its [`Point`] stands for the end of the stream. Only if somebody holds that point when the next command comes,
//! an event of CUDA is recorded between the two. Thus a point with an event is exact, and one without is the last of
//! its lane.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kit::UrResult;
use oxur_adapter_kit as kit;
use oxur_cuda_sys::*;
use oxur_fork::{Mutex, OnceLock, Turn, Turns};
use smallvec::SmallVec;

use crate::driver::{self, cu, cu_get};
use crate::primary::{self, ClockBase, CudaEvent, Primary};
use crate::signal::{HostSignal, Signal};

/// A stream.
pub(crate) struct Lane {
    pub(crate) stream: CUstream,
    is_ours: bool,
    pub(crate) primary: &'static Primary,
    /// Whether others may submit to the stream: then points cannot do without events.
    shared: AtomicBool,
    /// Taken while a command is submitted.
    turns: Turns,
    /// Changed in turn only. The driver is not called while it is locked.
    state: Mutex<State>,
}

// SAFETY: CUDA's handles may be used from any thread.
unsafe impl Send for Lane {}
// SAFETY: as above.
unsafe impl Sync for Lane {}

#[derive(Default)]
struct State {
    /// The place of the last command, if somebody may hold it. It refers to its lane, so it is taken out when the queue
    /// goes.
    last: Option<Arc<Point>>,
    /// What the host has yet to do before the stream goes on.
    held_by: HeldBy,
}

/// Signals of the host that streams wait for.
pub(crate) type HeldBy = SmallVec<[Arc<HostSignal>; 1]>;

/// When a command began, and the base of its times.
type Start = (CudaEvent, Arc<ClockBase>);

/// The end of a command in a lane.
pub(crate) struct Point {
    lane: Arc<Lane>,
    /// Set once somebody has to wait for it, or when another command comes.
    event: OnceLock<CudaEvent>,
    /// Where times are wanted: then `event` records one, too.
    start: Option<Start>,
    over: AtomicBool,
}

impl Lane {
    /// A new stream. The context is current.
    pub(crate) fn new(primary: &'static Primary, priority: i32) -> UrResult<Arc<Self>> {
        let flags = CU_STREAM_NON_BLOCKING;
        // SAFETY: a place for the stream.
        let stream =
            unsafe { cu_get!(cuStreamCreateWithPriority(_, flags, priority): CUstream = std::ptr::null_mut()) }?;
        Ok(Arc::new(Self::with(stream, true, primary)))
    }

    /// A stream of the client's.
    ///
    /// # Safety
    /// The stream is live, for as long as the lane if it is not `owned`; else the client gives it up.
    pub(crate) unsafe fn from_native(stream: CUstream, owned: bool, primary: &'static Primary) -> Arc<Self> {
        let lane = Self::with(stream, owned, primary);
        lane.share();
        Arc::new(lane)
    }

    fn with(stream: CUstream, is_ours: bool, primary: &'static Primary) -> Self {
        Self {
            stream,
            is_ours,
            primary,
            shared: AtomicBool::new(false),
            turns: Turns::new(),
            state: Mutex::default(),
        }
    }

    /// The client may submit to the stream, too.
    pub(crate) fn share(&self) {
        self.shared.store(true, Ordering::Relaxed);
    }

    /// Whether all commands are complete, or failed. The context is current.
    pub(crate) fn is_idle(&self) -> bool {
        // SAFETY: a live stream.
        driver::is_lost() || unsafe { (driver::api().cuStreamQuery)(self.stream) } != CUDA_ERROR_NOT_READY
    }

    /// Waits for all commands. The context is current.
    pub(crate) fn synchronize(&self) -> UrResult<()> {
        // SAFETY: a live stream.
        unsafe { cu!(cuStreamSynchronize(self.stream)) }
    }

    /// What the host has yet to do before the stream goes on.
    pub(crate) fn held_by(&self) -> HeldBy {
        let mut state = self.state.lock();
        state.held_by.retain(|signal| !signal.is_over());
        state.held_by.clone()
    }

    /// Whether a signal is that of the last command.
    pub(crate) fn ends_with(&self, signal: &Signal) -> bool {
        let Signal::Point(point) = signal else { return false };
        let state = self.state.lock();
        state.last.as_ref().is_some_and(|last| Arc::ptr_eq(last, point))
    }

    /// Takes the lane for a command. The context is current.
    #[inline(always)]
    pub(crate) fn open(self: &Arc<Self>) -> UrResult<OpenLane<'_>> {
        let turn = self.turns.take();
        let last = self.state.lock().last.take();
        if let Some(last) = last
            && Arc::strong_count(&last) > 1
        {
            last.record()?;
        }
        Ok(OpenLane {
            lane: self,
            _turn: turn,
        })
    }

    /// The place behind all commands so far. The context is current.
    pub(crate) fn tail(self: &Arc<Self>) -> UrResult<Arc<Point>> {
        let _turn = self.turns.take();
        let last = self.state.lock().last.clone();
        let point = match last {
            Some(last) if !self.shared.load(Ordering::Relaxed) => last,
            _ => Arc::new(Point::new(self, None)),
        };
        point.record()?;
        Ok(point)
    }

    /// The queue goes: nobody submits any more.
    pub(crate) fn close(&self) -> UrResult<()> {
        let _current = self.primary.activate()?;
        let _turn = self.turns.take();
        let last = self.state.lock().last.take();
        match last {
            Some(last) if Arc::strong_count(&last) > 1 => last.record(),
            _ => Ok(()),
        }
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        if self.is_ours && !driver::is_gone() {
            // The stream goes when its commands are complete.
            // SAFETY: a live stream that nobody uses any more.
            if let Err(error) = unsafe { cu!(cuStreamDestroy(self.stream)) } {
                log::debug!("a stream is leaked: {error}");
            }
        }
    }
}

/// A lane that a thread has for itself.
pub(crate) struct OpenLane<'a> {
    lane: &'a Arc<Lane>,
    _turn: Turn<'a>,
}

impl OpenLane<'_> {
    /// The stream.
    #[inline(always)]
    pub(crate) fn stream(&self) -> CUstream {
        self.lane.stream
    }

    /// Has the commands that come wait for a signal.
    pub(crate) fn wait_for(&self, signal: &Signal) -> UrResult<()> {
        let stream = self.lane.stream;
        match signal {
            Signal::Point(point) => {
                if point.is_in(self.lane) || point.over.load(Ordering::Acquire) {
                    return Ok(());
                }
                let event = point.exact_event()?;
                // What holds that lane now holds this one.
                let held = point.lane.held_by();
                if !held.is_empty() {
                    self.lane.state.lock().held_by.extend(held);
                }
                // SAFETY: a live stream and event.
                unsafe { cu!(cuStreamWaitEvent(stream, event, 0)) }
            }
            // SAFETY: as above.
            Signal::Native(event) => unsafe { cu!(cuStreamWaitEvent(stream, event.raw, 0)) },
            Signal::Host(host) if host.is_over() => Ok(()),
            Signal::Host(host) => {
                self.lane.state.lock().held_by.push(host.clone());
                host.hold(stream)
            }
            Signal::Complete => Ok(()),
        }
    }

    /// Notes when the next command begins.
    pub(crate) fn start(&self) -> UrResult<Start> {
        let base = self.lane.primary.clock_base()?;
        let event = self.lane.primary.event(true)?;
        // SAFETY: a live stream and event.
        unsafe { cu!(cuEventRecord(*event, self.lane.stream)) }?;
        Ok((event, base))
    }

    /// The place behind the command that was submitted, which began at `start` if its times are wanted.
    pub(crate) fn end(&self, start: Option<Start>) -> UrResult<Arc<Point>> {
        let exact = start.is_some() || self.lane.shared.load(Ordering::Relaxed);
        let point = Arc::new(Point::new(self.lane, start));
        if exact {
            point.record()?;
        }
        self.lane.state.lock().last = Some(point.clone());
        Ok(point)
    }
}

impl Point {
    fn new(lane: &Arc<Lane>, start: Option<Start>) -> Self {
        Self {
            lane: lane.clone(),
            event: OnceLock::new(),
            start,
            over: AtomicBool::new(false),
        }
    }

    /// Gives it an event, for a caller that has the turn. It is the last of its lane if it has none.
    fn record(&self) -> UrResult<()> {
        if self.event.get().is_some() {
            return Ok(());
        }
        let event = self.lane.primary.event(self.start.is_some())?;
        // SAFETY: a live stream and event.
        unsafe { cu!(cuEventRecord(*event, self.lane.stream)) }?;
        _ = self.event.set(event);
        Ok(())
    }

    /// Its event, which is recorded if there is none yet.
    pub(crate) fn exact_event(&self) -> UrResult<CUevent> {
        if let Some(event) = self.event.get() {
            return Ok(**event);
        }
        let _current = self.lane.primary.activate()?;
        let _turn = self.lane.turns.take();
        self.record()?;
        Ok(self.event.get().map_or(std::ptr::null_mut(), |event| **event))
    }

    /// Whether it is in this lane.
    pub(crate) fn is_in(&self, lane: &Arc<Lane>) -> bool {
        Arc::ptr_eq(&self.lane, lane)
    }

    /// Whether its command is complete, or failed.
    pub(crate) fn is_over(&self) -> bool {
        if self.over.load(Ordering::Acquire) {
            return true;
        }
        let Ok(_current) = self.lane.primary.activate() else {
            return driver::is_lost();
        };
        let over = match self.event.get() {
            Some(event) => primary::is_over(**event),
            // Another command may come meanwhile: then it is said to run on, once.
            None => self.lane.is_idle(),
        };
        if over {
            self.over.store(true, Ordering::Release);
        }
        over
    }

    /// Waits for its command.
    pub(crate) fn wait(&self) -> UrResult<()> {
        let _current = self.lane.primary.activate()?;
        let event = self.exact_event()?;
        // SAFETY: a live event.
        unsafe { cu!(cuEventSynchronize(event)) }?;
        self.over.store(true, Ordering::Release);
        Ok(())
    }

    /// When its command began and ended, if that was wanted.
    pub(crate) fn times(&self) -> Option<UrResult<(u64, u64)>> {
        let (start, base) = self.start.as_ref()?;
        let event = self.event.get()?;
        let current = self.lane.primary.activate();
        Some(current.and_then(|_current| Ok((base.time_of(**start)?, base.time_of(**event)?))))
    }
}
