// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Lanes: a stream, and the places of commands in it.
//!
//! An event costs a tenth of a launch, and most are waited for at once or never. So the last command of a stream has
//! none: its [`Point`] stands for the end of the stream. Only if somebody holds that point when the next command comes,
//! an event of CUDA is recorded between the two. Thus a point with an event is exact, and one without is the last of
//! its lane.
//!
//! A command that leaves no point costs a turn and a number. The numbers tell how far a lane is.

use std::cell::{Cell, OnceCell};
use std::collections::VecDeque;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicU64, Ordering};

use kit::ur::ResultCode;
use kit::{UrError, UrResult};
use oxur_adapter_kit as kit;
use oxur_cuda_sys::*;
use oxur_fork::{InTurn, InTurnGuard, Mutex};
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
    last: InTurn<Last>,
    /// How many commands were submitted. Changed in turn only, when the last of them has been.
    submitted: AtomicU64,
    /// How many of them were seen to be complete.
    complete: AtomicU64,
    /// What the host has yet to do before the stream goes on: nothing, but where commands were forced into it. The driver is
    /// not called while it is locked.
    held_by: Mutex<HeldBy>,
    /// An event without times that nobody uses, or null: those of a queue are used again and again. [`Last`] has others.
    spare: AtomicPtr<CUevent_st>,
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

/// What who has the turn has.
#[derive(Default)]
struct Last {
    /// The place of the last command, or of an earlier one that nobody else holds, which will be used again. It refers to its
    /// lane, so it is taken out when the queue goes.
    point: Option<Arc<Point>>,
    /// Events without times that nobody uses.
    events: Vec<CUevent>,
}

/// Signals of the host that streams wait for.
pub(crate) type HeldBy = SmallVec<[Arc<HostSignal>; 1]>;

/// How often a thread that waits asks before it sleeps: for about 20 µs.
const POLLS: usize = 64;

/// When a command began, and the base of its times.
pub(crate) type Start = (CudaEvent, Arc<ClockBase>);

/// The end of a command in a lane.
pub(crate) struct Point {
    lane: Arc<Lane>,
    /// Null until somebody has to wait for it, or another command comes. Set in turn.
    event: AtomicPtr<CUevent_st>,
    /// How many commands of the lane there were, this one included.
    number: u64,
    /// [`oxur_fork::this_thread`] of who submitted it.
    submitter: usize,
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
        let stream = unsafe { cu_get!(cuStreamCreateWithPriority(_, flags, priority): CUstream = null_mut()) }?;
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
            last: InTurn::default(),
            submitted: AtomicU64::new(0),
            complete: AtomicU64::new(0),
            held_by: Mutex::default(),
            spare: AtomicPtr::default(),
            has_assertions: AtomicBool::new(false),
            assertions: Mutex::default(),
        }
    }

    /// An event that nobody uses, perhaps of `events`. The context is current.
    fn take_event(&self, timed: bool, events: &mut Vec<CUevent>) -> UrResult<CUevent> {
        if timed {
            return self.primary.event(true).map(CudaEvent::into_raw);
        }
        if !self.spare.load(Ordering::Relaxed).is_null() {
            let spare = self.spare.swap(null_mut(), Ordering::Acquire);
            if !spare.is_null() {
                return Ok(spare);
            }
        }
        if events.is_empty() {
            // Where many are held, so that not each takes the lock.
            self.primary.take_untimed(events);
        }
        match events.pop() {
            Some(event) => Ok(event),
            None => self.primary.event(false).map(CudaEvent::into_raw),
        }
    }

    /// Takes back an event that nobody uses any more.
    fn keep_event(&self, event: CUevent, timed: bool) {
        let keep = || {
            let spare = &self.spare;
            spare.compare_exchange(null_mut(), event, Ordering::Release, Ordering::Relaxed)
        };
        if timed || keep().is_err() {
            self.primary.keep_event(event, timed);
        }
    }

    /// The client may submit to the stream, too.
    pub(crate) fn share(&self) {
        self.primary.note_host_waits();
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
        driver::ask("cuStreamQuery", || unsafe {
            (driver::api().cuStreamQuery)(self.stream)
        })
    }

    /// Whether all commands are complete, as far as that is known without the driver.
    pub(crate) fn is_known_idle(&self) -> bool {
        !self.is_shared() && self.complete.load(Ordering::Acquire) == self.submitted.load(Ordering::Relaxed)
    }

    /// The first commands, so many, are complete.
    fn note_complete(&self, count: u64) {
        // Any number that is stored is true, so it does no harm if a smaller one comes later.
        if self.complete.load(Ordering::Relaxed) < count {
            self.complete.store(count, Ordering::Release);
        }
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
        let submitted = self.submitted.load(Ordering::Acquire);
        // SAFETY: a live stream.
        unsafe { cu!(cuStreamSynchronize(self.stream)) }?;
        self.note_complete(submitted);
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
        let mut held = self.held_by.lock();
        held.retain(|signal| !signal.is_over());
        held.clone()
    }

    /// Whether the host has something to do before the stream goes on.
    pub(crate) fn is_held(&self) -> bool {
        if !self.primary.has_host_waits() {
            return false;
        }
        let mut held = self.held_by.lock();
        held.retain(|signal| !signal.is_over());
        !held.is_empty()
    }

    /// Takes note that the stream waits for signals of the host.
    fn hold(&self, signals: impl IntoIterator<Item = Arc<HostSignal>>) {
        self.primary.note_host_waits();
        let mut held = self.held_by.lock();
        for signal in signals {
            // Lanes that wait for each other have the same ones.
            if !held.iter().any(|known| Arc::ptr_eq(known, &signal)) {
                held.push(signal);
            }
        }
    }

    /// Whether a signal is that of the last command.
    pub(crate) fn ends_with(&self, signal: &Signal) -> bool {
        match signal.now() {
            Signal::Point(point) => point.is_in(self) && point.number == self.submitted.load(Ordering::Relaxed),
            _ => false,
        }
    }

    /// Takes the lane for a command. The context is current.
    #[inline(always)]
    pub(crate) fn open(self: &Arc<Self>) -> UrResult<OpenLane<'_>> {
        let mut last = self.last.take();
        if let Some(point) = &last.point
            && Arc::strong_count(point) > 1
        {
            leave(&mut last)?;
        }
        Ok(OpenLane {
            lane: self,
            record: OnceCell::new(),
            waits: Cell::new(false),
            is_complete: Cell::new(false),
            last,
        })
    }

    /// The place behind all commands so far. The context is current.
    pub(crate) fn tail(self: &Arc<Self>) -> UrResult<Arc<Point>> {
        let mut last = self.last.take();
        let submitted = self.submitted.load(Ordering::Relaxed);
        let point = match &last.point {
            Some(last) if last.number == submitted && !self.is_shared() => last.clone(),
            _ => Arc::new(Point::new(self, submitted, None, None)),
        };
        point.record(&mut last.events)?;
        Ok(point)
    }

    /// The queue goes: nobody submits any more. Returns launches that have to stay until they are complete.
    pub(crate) fn close(&self) -> UrResult<VecDeque<Arc<Point>>> {
        let left = self
            .primary
            .activate()
            .and_then(|_current| leave(&mut self.last.take()));
        // Both refer to the lane.
        drop(self.last.take().point.take());
        let running = std::mem::take(&mut self.assertions.lock().running);
        match left {
            Err(error) if running.is_empty() => Err(error),
            _ => Ok(running),
        }
    }
}

/// The last command of a lane is no longer that: whoever holds its place will wait for an event, which is recorded now.
fn leave(last: &mut Last) -> UrResult<()> {
    match last.point.take() {
        Some(point) if Arc::strong_count(&point) > 1 => point.record(&mut last.events),
        _ => Ok(()),
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        let (spare, events) = (*self.spare.get_mut(), &mut self.last.get_mut().events);
        let spare = Some(spare).filter(|spare| !spare.is_null());
        for event in events.drain(..).chain(spare) {
            self.primary.keep_event(event, false);
        }
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
        let submitted = &self.lane.submitted;
        // A store: it is changed in turn.
        submitted.store(self.number(), Ordering::Release);
    }
}

/// A lane that a thread has for itself.
pub(crate) struct OpenLane<'a> {
    lane: &'a Arc<Lane>,
    /// What failed assertions of the command fill.
    record: OnceCell<Record>,
    /// Whether the command waits for others.
    waits: Cell<bool>,
    /// Whether it is known to be complete.
    is_complete: Cell<bool>,
    last: InTurnGuard<'a, Last>,
}

impl OpenLane<'_> {
    /// The stream.
    #[inline(always)]
    pub(crate) fn stream(&self) -> CUstream {
        self.lane.stream
    }

    /// How many commands of the lane there are with this one.
    #[inline(always)]
    fn number(&self) -> u64 {
        self.lane.submitted.load(Ordering::Relaxed) + 1
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
                self.waits.set(true);
                // SAFETY: a live stream and event.
                unsafe { cu!(cuStreamWaitEvent(stream, event, 0)) }
            }
            Signal::Native(event) => {
                self.waits.set(true);
                // SAFETY: as above.
                unsafe { cu!(cuStreamWaitEvent(stream, event.raw, 0)) }
            }
            Signal::Host(host) if host.is_over() => Ok(()),
            Signal::Host(host) => {
                self.waits.set(true);
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

    /// Waits for a short command that was submitted, unless it may come after others, or streams may wait for the host. The
    /// driver sees earlier that it is complete than who asks it, but the lane is not free meanwhile.
    pub(crate) fn finish_if_alone(&self) -> UrResult<()> {
        if self.waits.get() || !self.lane.is_known_idle() || self.lane.primary.has_host_waits() {
            return Ok(());
        }
        // SAFETY: a live stream.
        unsafe { cu!(cuStreamSynchronize(self.lane.stream)) }?;
        self.is_complete.set(true);
        self.lane.note_complete(self.number());
        Ok(())
    }

    /// Waits for the command that was submitted. If that takes long, the lane is free meanwhile.
    pub(crate) fn finish(mut self) -> UrResult<()> {
        if self.is_complete.get() {
            return Ok(());
        }
        if self.lane.poll(|| true)? {
            self.lane.note_complete(self.number());
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
        let exact = start.is_some() || self.lane.is_shared();
        let record = self.record.take();
        let has_record = record.is_some();
        let number = self.number();
        let point = match self.last.point.take() {
            Some(mut kept) => match Arc::get_mut(&mut kept) {
                Some(point) => {
                    point.renew(number, start, record);
                    kept
                }
                None => Arc::new(Point::new(self.lane, number, start, record)),
            },
            None => Arc::new(Point::new(self.lane, number, start, record)),
        };
        if has_record {
            self.lane.add_assertion(&point);
        }
        if exact {
            point.record(&mut self.last.events)?;
        }
        self.last.point = Some(point.clone());
        Ok(point)
    }
}

impl Point {
    fn new(lane: &Arc<Lane>, number: u64, start: Option<Start>, record: Option<Record>) -> Self {
        Self {
            lane: lane.clone(),
            event: AtomicPtr::default(),
            number,
            submitter: oxur_fork::this_thread(),
            start,
            record,
            seen: AtomicU8::new(RUNS),
        }
    }

    /// Makes it that of another command of its lane. Nobody else has it.
    fn renew(&mut self, number: u64, start: Option<Start>, record: Option<Record>) {
        self.give_event_back();
        (self.number, self.start, self.record) = (number, start, record);
        self.submitter = oxur_fork::this_thread();
        *self.seen.get_mut() = RUNS;
    }

    fn give_event_back(&mut self) {
        let event = std::mem::replace(self.event.get_mut(), null_mut());
        if !event.is_null() {
            self.lane.keep_event(event, self.start.is_some());
        }
    }

    /// Gives it an event, for a caller that has the turn, and `events` of it. It is the last of its lane if it has none.
    fn record(&self, events: &mut Vec<CUevent>) -> UrResult<()> {
        if self.event().is_some() {
            return Ok(());
        }
        let timed = self.start.is_some();
        let event = self.lane.take_event(timed, events)?;
        // SAFETY: a live stream and event.
        let recorded = unsafe { cu!(cuEventRecord(event, self.lane.stream)) };
        match recorded {
            Ok(()) => self.event.store(event, Ordering::Release),
            Err(_) => self.lane.keep_event(event, timed),
        }
        recorded
    }

    /// Its event, if it has one.
    fn event(&self) -> Option<CUevent> {
        let event = self.event.load(Ordering::Acquire);
        (!event.is_null()).then_some(event)
    }

    /// Its event, which is recorded if there is none yet.
    pub(crate) fn exact_event(&self) -> UrResult<CUevent> {
        if let Some(event) = self.event() {
            return Ok(event);
        }
        let _current = self.lane.primary.activate()?;
        let mut last = self.lane.last.take();
        self.record(&mut last.events)?;
        Ok(self.event.load(Ordering::Acquire))
    }

    /// Whether it is in this lane.
    pub(crate) fn is_in(&self, lane: &Lane) -> bool {
        std::ptr::eq(&*self.lane, lane)
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
        let found = match self.event() {
            Some(event) => primary::query(event),
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
            match &waited {
                Ok(()) => self.note(CUDA_SUCCESS),
                Err(error) if error.code() == ResultCode::ERROR_DEVICE_LOST => self.note(CUDA_ERROR_LAUNCH_FAILED),
                // The driver has failed to wait. The command may run.
                Err(_) => {}
            }
            waited?;
        }
        self.lane.note_complete(self.number);
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
        kit::error!(ERROR_IN_EVENT_LIST_EXEC_STATUS: "{failure}")
    }

    /// The same. The context is current.
    fn wait_by_driver(&self) -> UrResult<()> {
        // Where it is the last of its lane. A thread that asks holds up those that submit, so another one sleeps.
        let is_last = || self.event().is_none();
        if is_last() && self.submitter == oxur_fork::this_thread() && self.lane.poll(is_last)? {
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
        let event = self.event()?;
        let current = self.lane.primary.activate();
        Some(current.and_then(|_current| Ok((base.time_of(**start)?, base.time_of(event)?))))
    }
}

impl Drop for Point {
    fn drop(&mut self) {
        self.give_event_back();
    }
}
