// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Lanes: a stream, and the places of commands in it.
//!
//! An event costs a tenth of a launch, and most are waited for at once or never. So the last command of a stream has
//! none: its [`Point`] stands for the end of the stream. Only if somebody holds that point when the next command comes,
//! an event of CUDA is recorded between the two. Thus a point with an event is exact, and one without is the last of
//! its lane.

use std::cell::OnceCell;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use kit::ur::ResultCode;
use kit::{UrError, UrResult};
use oxur_adapter_kit as kit;
use oxur_cuda_sys::*;
use oxur_fork::{Mutex, OnceLock, Turn, Turns};
use smallvec::SmallVec;

use crate::assertion::{ASSERTION, Record};
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
    /// Whether there may be something in `assertions`.
    has_assertions: AtomicBool,
    assertions: Mutex<Assertions>,
}

/// Launches whose assertions may fail.
#[derive(Default)]
struct Assertions {
    /// Those that are not known to be over, in order.
    running: VecDeque<Arc<Point>>,
    /// The first failure that nobody was told of.
    failed: Option<String>,
}

/// How many launches with assertions there are before it is looked whether some are complete.
const MANY_RECORDS: usize = 64;

// SAFETY: CUDA's handles may be used from any thread.
unsafe impl Send for Lane {}
// SAFETY: as above.
unsafe impl Sync for Lane {}

#[derive(Default)]
struct State {
    /// The place of the last command, if somebody may hold it. It refers to its lane, so it is taken out when the queue
    /// goes.
    last: Option<Arc<Point>>,
    /// How many commands there were.
    opened: u64,
    /// How many of them were seen to be complete.
    complete: u64,
    /// What the host has yet to do before the stream goes on: nothing, but where commands were forced into it.
    held_by: HeldBy,
}

/// Signals of the host that streams wait for.
pub(crate) type HeldBy = SmallVec<[Arc<HostSignal>; 1]>;

/// How often a thread that waits asks before it sleeps: for about 20 µs.
const POLLS: usize = 64;

/// When a command began, and the base of its times.
type Start = (CudaEvent, Arc<ClockBase>);

/// The end of a command in a lane.
pub(crate) struct Point {
    lane: Arc<Lane>,
    /// Set once somebody has to wait for it, or when another command comes.
    event: OnceLock<CudaEvent>,
    /// Where times are wanted: then `event` records one, too.
    start: Option<Start>,
    /// What failed assertions fill, of a kernel that has them.
    record: Option<Record>,
    /// What was seen of the command: [`RUNS`], [`COMPLETE`] or [`FAILED`].
    seen: AtomicU8,
}

const RUNS: u8 = 0;
const COMPLETE: u8 = 1;
const FAILED: u8 = 2;

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
            has_assertions: AtomicBool::new(false),
            assertions: Mutex::default(),
        }
    }

    /// The client may submit to the stream, too.
    pub(crate) fn share(&self) {
        self.shared.store(true, Ordering::Relaxed);
    }

    /// Whether the client may.
    pub(crate) fn is_shared(&self) -> bool {
        self.shared.load(Ordering::Relaxed)
    }

    /// Whether all commands are complete, or failed. The context is current.
    pub(crate) fn is_idle(&self) -> bool {
        driver::is_lost() || self.query() != CUDA_ERROR_NOT_READY
    }

    /// Asks the driver whether all commands are complete. The context is current, and the driver is not lost.
    fn query(&self) -> CUresult {
        // SAFETY: a live stream.
        unsafe { (driver::api().cuStreamQuery)(self.stream) }
    }

    /// Whether all commands are complete, as far as that is known without the driver.
    pub(crate) fn is_known_idle(&self) -> bool {
        let state = self.state.lock();
        !self.shared.load(Ordering::Relaxed) && state.opened == state.complete
    }

    /// Looks for a while whether all commands are complete. To ask is cheaper than to record an event and wait for that.
    fn poll(&self, go_on: impl Fn() -> bool) -> UrResult<bool> {
        if self.primary.prints() {
            return Ok(false);
        }
        for _ in 0..POLLS {
            match self.query() {
                CUDA_ERROR_NOT_READY => std::hint::spin_loop(),
                result => return driver::check("cuStreamQuery", result).map(|()| true),
            }
            if !go_on() {
                break;
            }
        }
        Ok(false)
    }

    /// Refuses a device that has failed. The context is current.
    pub(crate) fn check(&self) -> UrResult<()> {
        match self.query() {
            CUDA_ERROR_NOT_READY => Ok(()),
            result => driver::check("cuStreamQuery", result),
        }
    }

    /// Waits for all commands. Says of one failure of an assertion that nobody was told of. The context is current.
    pub(crate) fn synchronize(&self) -> UrResult<()> {
        // SAFETY: a live stream.
        unsafe { cu!(cuStreamSynchronize(self.stream)) }?;
        match self.has_assertions.load(Ordering::Acquire) {
            true => self.report_assertions(),
            false => Ok(()),
        }
    }

    #[cold]
    fn report_assertions(&self) -> UrResult<()> {
        self.see_assertions();
        match self.assertions.lock().failed.take() {
            Some(message) => Err(UrError::native(ASSERTION, message)),
            None => Ok(()),
        }
    }

    /// Looks what has failed in the first launches, as many as are complete.
    #[cold]
    fn see_assertions(&self) {
        loop {
            // Statements of their own: the driver is called without the lock.
            let first = {
                let mut assertions = self.assertions.lock();
                let first = assertions.running.pop_front();
                if first.is_none() {
                    let any = assertions.failed.is_some();
                    self.has_assertions.store(any, Ordering::Release);
                }
                first
            };
            let Some(first) = first else { return };
            if !first.is_over() {
                return self.assertions.lock().running.push_front(first);
            }
        }
    }

    /// One more launch with assertions.
    #[cold]
    fn add_assertion(&self, point: &Arc<Point>) {
        let count = {
            let mut assertions = self.assertions.lock();
            assertions.running.push_back(point.clone());
            self.has_assertions.store(true, Ordering::Release);
            assertions.running.len()
        };
        if count > MANY_RECORDS {
            self.see_assertions();
        }
    }

    /// An assertion has failed.
    #[cold]
    fn note_failure(&self, failure: &str) {
        let mut assertions = self.assertions.lock();
        assertions.failed.get_or_insert_with(|| failure.to_owned());
        self.has_assertions.store(true, Ordering::Release);
    }

    /// What the host has yet to do before the stream goes on.
    pub(crate) fn held_by(&self) -> HeldBy {
        let mut state = self.state.lock();
        state.held_by.retain(|signal| !signal.is_over());
        state.held_by.clone()
    }

    /// Whether the host has something to do before the stream goes on.
    pub(crate) fn is_held(&self) -> bool {
        let mut state = self.state.lock();
        state.held_by.retain(|signal| !signal.is_over());
        !state.held_by.is_empty()
    }

    /// Takes note that the stream waits for signals of the host.
    fn hold(&self, signals: impl IntoIterator<Item = Arc<HostSignal>>) {
        let held = &mut self.state.lock().held_by;
        for signal in signals {
            // Lanes that wait for each other have the same ones.
            if !held.iter().any(|known| Arc::ptr_eq(known, &signal)) {
                held.push(signal);
            }
        }
    }

    /// Whether a signal is that of the last command.
    pub(crate) fn ends_with(&self, signal: &Signal) -> bool {
        let Signal::Point(point) = signal.now() else {
            return false;
        };
        let state = self.state.lock();
        state.last.as_ref().is_some_and(|last| Arc::ptr_eq(last, point))
    }

    /// Takes the lane for a command. The context is current.
    #[inline(always)]
    pub(crate) fn open(self: &Arc<Self>) -> UrResult<OpenLane<'_>> {
        let turn = self.turns.take();
        let last = {
            let mut state = self.state.lock();
            state.opened += 1;
            state.last.take()
        };
        if let Some(last) = last
            && Arc::strong_count(&last) > 1
        {
            last.record()?;
        }
        Ok(OpenLane {
            lane: self,
            record: OnceCell::new(),
            _turn: turn,
        })
    }

    /// The place behind all commands so far. The context is current.
    pub(crate) fn tail(self: &Arc<Self>) -> UrResult<Arc<Point>> {
        let _turn = self.turns.take();
        let last = self.state.lock().last.clone();
        let point = match last {
            Some(last) if !self.shared.load(Ordering::Relaxed) => last,
            _ => Arc::new(Point::new(self, None, None)),
        };
        point.record()?;
        Ok(point)
    }

    /// The queue goes: nobody submits any more. Returns launches that have to stay until they are complete.
    pub(crate) fn close(&self) -> UrResult<VecDeque<Arc<Point>>> {
        let _current = self.primary.activate()?;
        let _turn = self.turns.take();
        let last = self.state.lock().last.take();
        if let Some(last) = last
            && Arc::strong_count(&last) > 1
        {
            last.record()?;
        }
        Ok(std::mem::take(&mut self.assertions.lock().running))
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

impl Drop for OpenLane<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        // The command was refused, but a part of it may run: nobody else gets the record.
        if let Some(record) = self.record.take() {
            std::mem::forget(record);
        }
    }
}

/// A lane that a thread has for itself.
pub(crate) struct OpenLane<'a> {
    lane: &'a Arc<Lane>,
    /// What failed assertions of the command fill.
    record: OnceCell<Record>,
    _turn: Turn<'a>,
}

impl OpenLane<'_> {
    /// The stream.
    #[inline(always)]
    pub(crate) fn stream(&self) -> CUstream {
        self.lane.stream
    }

    /// The address of a record for the command, which has assertions. [`Self::end`] comes behind it.
    #[cold]
    pub(crate) fn record_assertion(&self) -> UrResult<u64> {
        let record = Record::new(self.lane.primary)?;
        Ok(self.record.get_or_init(|| record).address())
    }

    /// Whether the command has such a record.
    #[inline(always)]
    pub(crate) fn has_record(&self) -> bool {
        self.record.get().is_some()
    }

    /// Has the commands that come wait for a signal.
    pub(crate) fn wait_for(&self, signal: &Signal) -> UrResult<()> {
        let stream = self.lane.stream;
        match signal.now() {
            Signal::Point(point) => {
                if point.is_in(self.lane) || point.is_known_over() {
                    return Ok(());
                }
                let event = point.exact_event()?;
                // What holds that lane now holds this one.
                let held = point.lane.held_by();
                if !held.is_empty() {
                    self.lane.hold(held);
                }
                // SAFETY: a live stream and event.
                unsafe { cu!(cuStreamWaitEvent(stream, event, 0)) }
            }
            // SAFETY: as above.
            Signal::Native(event) => unsafe { cu!(cuStreamWaitEvent(stream, event.raw, 0)) },
            Signal::Host(host) if host.is_over() => Ok(()),
            Signal::Host(host) => {
                self.lane.hold([host.clone()]);
                host.hold(stream)
            }
            // It was refused: others wait for none that was not.
            Signal::Held(held) => {
                debug_assert!(held.end().is_some(), "a stream cannot wait for what is not submitted");
                Ok(())
            }
            Signal::Complete => Ok(()),
        }
    }

    /// Waits for the command that was submitted. If that takes long, the lane is free meanwhile.
    pub(crate) fn finish(mut self) -> UrResult<()> {
        if self.lane.poll(|| true)? {
            let mut state = self.lane.state.lock();
            state.complete = state.opened;
            return Ok(());
        }
        let point = self.end(None)?;
        drop(self);
        point.wait()
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
    pub(crate) fn end(&mut self, start: Option<Start>) -> UrResult<Arc<Point>> {
        let exact = start.is_some() || self.lane.shared.load(Ordering::Relaxed);
        let record = self.record.take();
        let has_record = record.is_some();
        let point = Arc::new(Point::new(self.lane, start, record));
        if has_record {
            self.lane.add_assertion(&point);
        }
        if exact {
            point.record()?;
        }
        self.lane.state.lock().last = Some(point.clone());
        Ok(point)
    }
}

impl Point {
    fn new(lane: &Arc<Lane>, start: Option<Start>, record: Option<Record>) -> Self {
        Self {
            lane: lane.clone(),
            event: OnceLock::new(),
            start,
            record,
            seen: AtomicU8::new(RUNS),
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

    /// Whether its command is known to be complete, or to have failed.
    fn is_known_over(&self) -> bool {
        self.seen.load(Ordering::Acquire) != RUNS
    }

    /// Whether its command is complete, or failed.
    pub(crate) fn is_over(&self) -> bool {
        if self.is_known_over() {
            return true;
        }
        let Ok(_current) = self.lane.primary.activate() else {
            return driver::is_lost();
        };
        let found = match self.event.get() {
            Some(event) => primary::query(**event),
            // Another command may come meanwhile: then it is said to run on, once.
            None => self.lane.query(),
        };
        self.note(found);
        found != CUDA_ERROR_NOT_READY
    }

    /// Takes note of what the driver says of the command.
    fn note(&self, found: CUresult) {
        let record = self.record.as_ref().filter(|_| found == CUDA_SUCCESS);
        let failure = record.and_then(Record::failure);
        let seen = match found {
            CUDA_ERROR_NOT_READY => return,
            CUDA_SUCCESS if failure.is_none() => COMPLETE,
            _ => FAILED,
        };
        // What was seen first stays: after a fault the driver says of all that they failed.
        let is_first = self
            .seen
            .compare_exchange(RUNS, seen, Ordering::Release, Ordering::Relaxed)
            .is_ok();
        if let Some(failure) = failure.filter(|_| is_first) {
            self.lane.note_failure(failure);
        }
    }

    /// Which assertion of it has failed, if that is known.
    pub(crate) fn failure(&self) -> Option<&str> {
        let record = self.record.as_ref().filter(|_| self.has_failed());
        record.and_then(Record::failure)
    }

    /// Whether its command is known to have failed.
    pub(crate) fn has_failed(&self) -> bool {
        self.seen.load(Ordering::Acquire) == FAILED
    }

    /// Whether the host holds it up.
    pub(crate) fn is_held(&self) -> bool {
        !self.is_known_over() && self.lane.is_held()
    }

    /// Waits for its command.
    pub(crate) fn wait(self: &Arc<Self>) -> UrResult<()> {
        let is_complete = self.seen.load(Ordering::Acquire) == COMPLETE;
        // The driver writes what kernels print when it is asked to wait.
        if !is_complete || self.lane.primary.prints() {
            let _current = self.lane.primary.activate()?;
            let waited = self.wait_by_driver();
            self.note(if waited.is_ok() {
                CUDA_SUCCESS
            } else {
                CUDA_ERROR_UNKNOWN
            });
            waited?;
        }
        {
            let mut state = self.lane.state.lock();
            if state.last.as_ref().is_some_and(|last| Arc::ptr_eq(last, self)) {
                state.complete = state.opened;
            }
        }
        if self.lane.has_assertions.load(Ordering::Acquire) {
            self.lane.see_assertions();
        }
        match self.failure() {
            Some(failure) => Err(self.told(failure)),
            None => Ok(()),
        }
    }

    /// The error of who waits for it.
    #[cold]
    fn told(&self, failure: &str) -> UrError {
        self.lane.assertions.lock().failed = None;
        UrError::with_message(ResultCode::ERROR_IN_EVENT_LIST_EXEC_STATUS, failure.to_owned())
    }

    /// The same. The context is current.
    fn wait_by_driver(&self) -> UrResult<()> {
        // Where it is the last of its lane.
        let is_last = || self.event.get().is_none();
        if is_last() && self.lane.poll(is_last)? {
            return Ok(());
        }
        let event = self.exact_event()?;
        // SAFETY: a live event.
        unsafe { cu!(cuEventSynchronize(event)) }
    }

    /// Whether it is wanted when its command ran.
    pub(crate) fn is_timed(&self) -> bool {
        self.start.is_some()
    }

    /// When its command began and ended, if that was wanted.
    pub(crate) fn times(&self) -> Option<UrResult<(u64, u64)>> {
        let (start, base) = self.start.as_ref()?;
        let event = self.event.get()?;
        let current = self.lane.primary.activate();
        Some(current.and_then(|_current| Ok((base.time_of(**start)?, base.time_of(**event)?))))
    }
}
