// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Commands that were submitted.
//!
//! A [`Task`] is work and a [`Node`] of the graph of dependencies: a count of what it waits for, and a list of who waits
//! for it. Each is counted down once by each of those before it, and by [`submit`]; who counts to zero begins it.

use std::any::Any;
use std::cell::UnsafeCell;
use std::mem::ManuallyDrop;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use oxur_compiler::{Fault, ThreadContext};
use oxur_fork::{Mutex, OnceLock};
use smallvec::{SmallVec, smallvec};

use super::calls::{Call, Calls};
use super::chunks::Chunks;
use super::client;
use super::clock;
use super::cost::SHORT;
use super::fork::generation;
use super::futex;
use super::plan::{self, Plan};
use super::pool::{Job, Pool, WorkerContext};

/// What a command does.
pub(crate) trait Work: Send + Sync + 'static {
    /// The number of chunks, which may run in parallel. A command without chunks is complete when its dependencies are.
    fn chunks(&self) -> u64 {
        1
    }

    /// How its pieces want to be run.
    fn execution(&self) -> Execution {
        Execution::Parallel
    }

    /// What so many pieces cost, in [cycles](clock::cycles), if that is known.
    fn cost(&self, _pieces: u64) -> Option<u64> {
        None
    }

    /// Whether a short run should be measured this time.
    fn is_due(&self) -> bool {
        false
    }

    /// Takes note of what so many pieces cost.
    fn learn(&self, _pieces: u64, _cycles: u64) {}

    /// What it is, for messages.
    fn what(&self) -> String {
        "a command".to_owned()
    }

    /// Runs some pieces.
    fn run(&self, chunks: Range<u64>, worker: &mut ThreadContext) -> Result<(), Fault>;

    /// What runs, if its manner is [`Execution::Steps`].
    fn plan(&self) -> Option<Plan> {
        None
    }

    /// The command is over; the work is dropped next, and only then others see that it is over.
    fn over(&mut self, _result: Result<(), &Failure>) {}
}

/// How pieces want to be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Execution {
    /// By the threads of the pool, in any order.
    Parallel,
    /// By as many threads of the pool at the same time: they may wait for each other.
    Gang,
    /// By a thread that may be blocked as long as it likes: it is the client's code.
    Host,
    /// As a [plan](super::plan), which is [run](Work::plan) instead of pieces.
    Steps,
}

/// Why a command failed.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// It was stopped.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// A flaw of ours.
    #[error("internal error, please report it: {0}")]
    Panic(String),
    /// A step of a plan failed: which, and why.
    #[error("{0}: {1}")]
    Step(String, Box<Failure>),
    /// There is no thread to run it.
    #[error("no thread can be started")]
    NoThread,
    /// A command of its wait list failed.
    #[error("a command that it waits for failed")]
    Before,
}

/// How far a command has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Progress {
    /// It waits for others.
    Queued,
    /// It waits for a thread.
    Submitted,
    /// It runs.
    Running,
    /// It is complete, or it failed.
    Over,
}

/// When a command came how far, in nanoseconds of [`clock::now`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stamps {
    pub(crate) queued: u64,
    pub(crate) submitted: u64,
    pub(crate) started: u64,
    pub(crate) ended: u64,
}

/// A command, whatever its work is.
pub(crate) trait Node: Job {
    /// What all commands have.
    fn core(&self) -> &Core;

    /// Begins it: nothing is in its way. Called once.
    fn begin(self: Arc<Self>) -> Begun;

    /// Tells the work that it is over, and drops it. Called once, when no piece runs and none will.
    fn drop_work(&self);
}

/// How a command goes on once nothing is in its way.
pub(crate) enum Begun {
    /// A thread of its pool must run it.
    Job(Arc<dyn Job>),
    /// It runs already.
    Elsewhere,
    /// It is over as soon as it is [ended](end).
    Over,
}

/// What all commands have.
pub(crate) struct Core {
    pool: &'static Pool,
    /// Which process it is of.
    generation: u32,
    /// A [`Progress`] in the low bits, and the flags below.
    state: AtomicU32,
    /// What must be over before it begins, and one more until it is submitted.
    waits: AtomicU32,
    /// Whether one of those that must not fail has failed.
    ill: AtomicBool,
    failure: OnceLock<Failure>,
    links: Mutex<Links>,
    /// Queued, submitted, started, ended, if anybody wants to know.
    stamps: Option<[AtomicU64; 4]>,
}

const QUEUED: u32 = Progress::Queued as u32;
const SUBMITTED: u32 = Progress::Submitted as u32;
const RUNNING: u32 = Progress::Running as u32;
const OVER: u32 = Progress::Over as u32;
const PROGRESS: u32 = 3;
/// It is over because it failed.
const FAILED: u32 = 1 << 2;
/// A thread sleeps until the state changes.
const WAITED: u32 = 1 << 3;
/// Somebody wants to be called when the state changes.
const CALLS: u32 = 1 << 4;

/// Those who wait for a command.
#[derive(Default)]
struct Links {
    /// The command is over: nobody comes here any more.
    closed: bool,
    after: SmallVec<[After; 2]>,
    calls: Option<Box<Calls>>,
}

struct After {
    node: Arc<dyn Node>,
    /// Whether it fails with this one.
    strict: bool,
}

impl Core {
    fn new(pool: &'static Pool, stamped: bool) -> Self {
        let stamps = stamped.then_some([const { AtomicU64::new(0) }; 4]);
        if let Some(stamps) = &stamps {
            stamps[QUEUED as usize].store(clock::now(), Ordering::Relaxed);
        }
        Self {
            pool,
            generation: generation(),
            state: AtomicU32::new(QUEUED),
            waits: AtomicU32::new(1),
            ill: AtomicBool::new(false),
            failure: OnceLock::new(),
            links: Mutex::default(),
            stamps,
        }
    }

    fn stamp(&self, state: u32) {
        if let Some(stamps) = &self.stamps {
            stamps[state as usize].store(clock::now(), Ordering::Relaxed);
        }
    }

    fn failed(&self) -> bool {
        self.ill.load(Ordering::Relaxed) || self.failure.get().is_some()
    }

    fn result(&self) -> Result<(), &Failure> {
        match self.failure.get() {
            Some(failure) => Err(failure),
            None if self.ill.load(Ordering::Relaxed) => Err(&Failure::Before),
            None => Ok(()),
        }
    }
}

impl dyn Node {
    /// How far it has come.
    pub(crate) fn progress(&self) -> Progress {
        let core = self.core();
        match core.state.load(Ordering::Acquire) & PROGRESS {
            // It will not come any further here: it is the business of the process that this one was forked from.
            _ if core.generation != generation() => Progress::Over,
            QUEUED => Progress::Queued,
            SUBMITTED => Progress::Submitted,
            RUNNING => Progress::Running,
            _ => Progress::Over,
        }
    }

    /// Whether it is complete, or failed.
    pub(crate) fn is_over(&self) -> bool {
        self.progress() == Progress::Over
    }

    /// Has it fail when it is over. The first failure counts.
    pub(super) fn fail(&self, failure: Failure) {
        _ = self.core().failure.set(failure);
    }

    /// Whether it is sure to fail.
    pub(super) fn has_failed(&self) -> bool {
        self.core().failure.get().is_some()
    }

    /// Whether it is over because it failed.
    pub(crate) fn failed(&self) -> bool {
        let core = self.core();
        let state = core.state.load(Ordering::Acquire);
        state & FAILED != 0 || (state & PROGRESS != OVER && core.generation != generation())
    }

    /// Waits until it is over. Says whether it is complete, and did not fail.
    pub(crate) fn wait(&self) -> bool {
        let over = || self.is_over();
        if !self.core().pool.help_until(&over) {
            self.sleep();
        }
        !self.failed()
    }

    fn sleep(&self) {
        let state = &self.core().state;
        loop {
            let now = state.fetch_or(WAITED, Ordering::AcqRel) | WAITED;
            if now & PROGRESS == OVER {
                return;
            }
            futex::wait(state, now, None);
        }
    }

    /// When it came how far; zeros where it has not, and nothing if it was not to be stamped.
    pub(crate) fn stamps(&self) -> Option<Stamps> {
        let at = |stamps: &[AtomicU64; 4], i: u32| stamps[i as usize].load(Ordering::Relaxed);
        self.core().stamps.as_ref().map(|stamps| Stamps {
            queued: at(stamps, QUEUED),
            submitted: at(stamps, SUBMITTED),
            started: at(stamps, RUNNING),
            ended: at(stamps, OVER),
        })
    }

    /// Makes it wait for another one, before it is submitted. If it is `strict`, it fails if that fails.
    pub(crate) fn wait_for(self: &Arc<Self>, other: &Arc<dyn Node>, strict: bool) {
        if !other.is_over() {
            let mut links = other.core().links.lock();
            if !links.closed {
                // Whoever counts it down comes to know of it here.
                self.core().waits.fetch_add(1, Ordering::Relaxed);
                links.after.push(After {
                    node: self.clone(),
                    strict,
                });
                return;
            }
        }
        if strict && other.failed() {
            self.core().ill.store(true, Ordering::Relaxed);
        }
    }

    /// How many others it waits for, before it is submitted.
    pub(crate) fn waits(&self) -> u32 {
        self.core().waits.load(Ordering::Acquire) - 1
    }

    /// Has a function called when it has come so far; at once if it has. Calls come one after the other.
    pub(crate) fn call_at(self: &Arc<Self>, progress: Progress, call: Call) {
        let core = self.core();
        let call = {
            let mut links = core.links.lock();
            // Who changes the state after this sees the flag, and then the call.
            core.state.fetch_or(CALLS, Ordering::AcqRel);
            let reached = self.progress() >= progress;
            match links.calls.get_or_insert_default().add(progress, call, reached) {
                Some(call) => call,
                None => return,
            }
        };
        call(progress);
    }
}

/// Counts down what a new command waits for: it begins as soon as the rest is over.
pub(crate) fn submit(node: Arc<dyn Node>) {
    if node.core().waits.fetch_sub(1, Ordering::AcqRel) == 1 {
        let mut ended = Ended::new();
        ended.begin(node);
        ended.settle();
        for (pool, job) in ended.ready {
            pool.run(job);
        }
    }
}

/// Ends a command that [`begin`](Node::begin) does not: see [`Begun`].
pub(super) fn end(node: Arc<dyn Node>, me: Option<&WorkerContext<'_>>) -> Option<Arc<dyn Job>> {
    let mut ended = Ended::new();
    ended.nodes.push(node);
    ended.settle();
    // The thread goes on with the first: what it has worked on is in its cache.
    let mut next = None;
    for (pool, job) in ended.ready {
        match me {
            Some(me) if me.is_of(pool) && next.is_none() => next = Some(job),
            _ => pool.run(job),
        }
    }
    next
}

/// Commands that are over, and what is ready by that.
struct Ended {
    nodes: SmallVec<[Arc<dyn Node>; 4]>,
    ready: SmallVec<[(&'static Pool, Arc<dyn Job>); 4]>,
}

impl Ended {
    fn new() -> Self {
        Self {
            nodes: smallvec![],
            ready: smallvec![],
        }
    }

    fn begin(&mut self, node: Arc<dyn Node>) {
        let pool = node.core().pool;
        reach(&node, SUBMITTED);
        match node.clone().begin() {
            Begun::Job(job) => self.ready.push((pool, job)),
            Begun::Over => self.nodes.push(node),
            Begun::Elsewhere => {}
        }
    }

    /// Ends the nodes, and those that end with them. Not by recursion: a chain may be long.
    fn settle(&mut self) {
        while let Some(node) = self.nodes.pop() {
            node.drop_work();
            let failed = node.core().failed();
            for After { node: after, strict } in close(&node) {
                let core = after.core();
                if failed && strict {
                    core.ill.store(true, Ordering::Relaxed);
                }
                if core.waits.fetch_sub(1, Ordering::AcqRel) == 1 {
                    self.begin(after);
                }
            }
        }
    }
}

/// Says that a command has come so far.
fn reach(node: &Arc<dyn Node>, state: u32) {
    let core = node.core();
    core.stamp(state);
    // The one step that it is further than before: the flags stay.
    let before = core.state.fetch_add(1, Ordering::AcqRel);
    debug_assert_eq!(before & PROGRESS, state - 1);
    if before & CALLS != 0 {
        call(
            node,
            if state == SUBMITTED {
                Progress::Submitted
            } else {
                Progress::Running
            },
        );
    }
}

/// Says that a command runs.
pub(super) fn begins(node: &Arc<dyn Node>) {
    reach(node, RUNNING);
}

/// Says that a command is over. Gives those that waited for it.
fn close(node: &Arc<dyn Node>) -> SmallVec<[After; 2]> {
    let core = node.core();
    let last = OVER | if core.failed() { FAILED } else { 0 };
    let before = core.state.swap(last, Ordering::AcqRel);
    let after = {
        let mut links = core.links.lock();
        links.closed = true;
        std::mem::take(&mut links.after)
    };
    if before & WAITED != 0 {
        futex::wake(&core.state, i32::MAX as u32);
    }
    if before & CALLS != 0 {
        call(node, Progress::Over);
    }
    after
}

/// Makes the calls that wait for this progress, in a thread that may be blocked.
#[cold]
fn call(node: &Arc<dyn Node>, progress: Progress) {
    let to_call = |node: &Arc<dyn Node>| node.core().links.lock().calls.as_mut().and_then(|calls| calls.next());
    {
        let mut links = node.core().links.lock();
        let Some(calls) = &mut links.calls else { return };
        if !calls.reach(progress) {
            return;
        }
    }
    let node = node.clone();
    let call_all = move || {
        while let Some((call, progress)) = to_call(&node) {
            call(progress);
        }
    };
    if let Err((error, call_all)) = client::spawn(Box::new(call_all)) {
        log::warn!("no thread for callbacks, which delay commands now: {error}");
        call_all();
    }
}

/// A command and its work.
pub(crate) struct Task<W: Work> {
    core: Core,
    chunks: Chunks,
    execution: Execution,
    brief: bool,
    /// There until [`Node::drop_work`].
    work: UnsafeCell<ManuallyDrop<W>>,
}

// SAFETY: the work is used by several threads at a time only by shared reference, and it is `Send` and `Sync`; it is
// changed and dropped by one, when none of the others looks at it any more (see `work` and `drop_work`).
unsafe impl<W: Work> Sync for Task<W> {}

impl<W: Work> Task<W> {
    /// A command that was not submitted. `stamped` says that somebody will want to know its [`Stamps`].
    pub(crate) fn new(pool: &'static Pool, work: W, stamped: bool) -> Arc<Self> {
        /// What a helping thread takes on, in cycles, when something else may come up that it waits for.
        const BRIEF: u64 = 100 * SHORT;
        let (count, execution) = (work.chunks(), work.execution());
        let cost = work.cost(count);
        let chunks = match execution {
            Execution::Host | Execution::Steps => Chunks::new(count, 1, count),
            Execution::Gang => Chunks::new(count, count as usize, 1),
            Execution::Parallel => Chunks::shared(count, cost, pool.concurrency()),
        };
        let brief = work.cost(chunks.chunk()).is_some_and(|cost| cost < BRIEF) && execution == Execution::Parallel;
        let work = UnsafeCell::new(ManuallyDrop::new(work));
        Arc::new(Self {
            core: Core::new(pool, stamped),
            chunks,
            execution,
            brief,
            work,
        })
    }

    /// The work, for who has taken pieces of it that are not yet done, or who knows that none was ever taken.
    fn work(&self) -> &W {
        // SAFETY: it is dropped only when all pieces are done, or if none will ever be taken.
        unsafe { &*self.work.get() }
    }

    /// Runs some pieces, unless the command has failed already.
    fn run(&self, chunks: Range<u64>, worker: &mut ThreadContext) {
        if self.core.failure.get().is_some() {
            return;
        }
        let (work, count) = (self.work(), chunks.end - chunks.start);
        let started = clock::cycles();
        let result = catch_unwind(AssertUnwindSafe(|| work.run(chunks, worker)));
        let failure = match result {
            Ok(Ok(())) => return work.learn(count, clock::cycles().wrapping_sub(started)),
            Ok(Err(fault)) => Failure::Fault(fault),
            Err(panic) => Failure::Panic(words(&*panic)),
        };
        // The first one counts.
        _ = self.core.failure.set(failure);
    }
}

pub(super) fn words(panic: &(dyn Any + Send)) -> String {
    let words = panic.downcast_ref::<&str>().copied();
    words
        .or_else(|| panic.downcast_ref::<String>().map(|s| &**s))
        .unwrap_or("panic")
        .to_owned()
}

impl<W: Work> Job for Task<W> {
    fn is_brief(&self) -> bool {
        self.brief
    }

    fn work(self: Arc<Self>, me: &mut WorkerContext<'_>) -> Option<Arc<dyn Job>> {
        if self.chunks.join() == 0 {
            reach(&(self.clone() as Arc<dyn Node>), RUNNING);
        }
        let (mut done, mut shared) = (0, false);
        while let Some(chunks) = self.chunks.take(me.place) {
            if !shared && self.chunks.want_more() {
                me.share(self.clone());
            }
            shared = true;
            done += chunks.end - chunks.start;
            self.run(chunks, me.worker);
            if me.leaves() && self.chunks.any_left() {
                me.share(self.clone());
                break;
            }
        }
        if done != 0 && self.chunks.done(done) {
            return end(self, Some(me));
        }
        None
    }
}

impl<W: Work> Node for Task<W> {
    fn core(&self) -> &Core {
        &self.core
    }

    fn begin(self: Arc<Self>) -> Begun {
        if self.core.failed() || self.chunks.are_none() {
            reach(&(self as Arc<dyn Node>), RUNNING);
            return Begun::Over;
        }
        match self.execution {
            Execution::Parallel | Execution::Gang => return Begun::Job(self),
            Execution::Steps => {
                let plan = Task::work(&self).plan().expect("it has the manner of one");
                return Begun::Job(plan::start(plan, self.core.pool, self));
            }
            Execution::Host => {}
        }
        let task = self.clone();
        let run = move || {
            reach(&(task.clone() as Arc<dyn Node>), RUNNING);
            task.run(0..1, &mut ThreadContext::new());
            end(task, None);
        };
        match client::spawn(Box::new(run)) {
            Ok(()) => Begun::Elsewhere,
            Err((error, _)) => {
                log::warn!("a host task is not run: {error}");
                _ = self.core.failure.set(Failure::NoThread);
                reach(&(self as Arc<dyn Node>), RUNNING);
                Begun::Over
            }
        }
    }

    fn drop_work(&self) {
        self.core.stamp(OVER);
        // SAFETY: no piece runs and none will, so nobody looks at the work; called once, so it is still there.
        let work = unsafe { &mut *self.work.get() };
        work.over(self.core.result());
        // SAFETY: as above, and never used again: `drop` knows by the state, which will soon say that it is over.
        unsafe { ManuallyDrop::drop(work) };
    }
}

impl<W: Work> Drop for Task<W> {
    fn drop(&mut self) {
        if *self.core.state.get_mut() & PROGRESS != OVER {
            // SAFETY: `drop_work` comes right before the state that it is over, and the task is alive in between.
            unsafe { ManuallyDrop::drop(self.work.get_mut()) };
        }
    }
}
