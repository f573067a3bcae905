// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The dependency graph of commands.
//!
//! A [`Node`] counts the dependencies that are not over, and lists the commands that wait for it. Each dependency counts
//! it down once when it ends, and so does [`submit`]; the thread that counts to zero begins the command.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::Instant;

use oxur_fork::{Mutex, OnceLock};
use smallvec::{SmallVec, smallvec};

use super::callbacks::{Callback, Callbacks};
use super::client_threads;
use super::clock;
use super::failure::Failure;
use super::fork::generation;
use super::futex;
use super::pool::{Job, Pool, WorkerContext};
use super::status::{ProfilingTimes, Status};

/// A command, whatever its work is.
pub trait Node: Send + Sync {
    /// The state that all commands have.
    fn core(&self) -> &Core;

    /// Begins the command: its dependencies are complete. Called once.
    fn begin(self: Arc<Self>) -> Begun;

    /// Tells the work that the command is over, and drops the work. Called once, when no chunk runs and none will.
    fn drop_work(&self);
}

/// How a command continues when its dependencies are complete.
pub enum Begun {
    /// A thread of its pool must run it.
    Job(Arc<dyn Job>),
    /// It already runs on a thread of its own.
    Elsewhere,
    /// There is nothing to run: the caller [ends](end) it.
    Over,
}

/// The state that all commands have in common.
pub struct Core {
    pool: &'static Pool,
    /// The [generation](super::generation) of the process that submitted it.
    generation: u32,
    /// A [`Status`] in the low bits, and the flags below.
    state: AtomicU32,
    /// The number of unfinished dependencies, plus one until the command is submitted.
    unfinished_dependencies: AtomicU32,
    /// Whether a dependency whose failure propagates has failed.
    dependency_failed: AtomicBool,
    failure: OnceLock<Failure>,
    links: Mutex<Links>,
    /// When it was queued, submitted, started and ended, if the client may ask.
    times: Option<[AtomicU64; 4]>,
}

const QUEUED: u32 = Status::Queued as u32;
const SUBMITTED: u32 = Status::Submitted as u32;
const RUNNING: u32 = Status::Running as u32;
const OVER: u32 = Status::Over as u32;
const PROGRESS: u32 = 3;
/// The command failed.
const FAILED: u32 = 1 << 2;
/// A thread sleeps until the state changes.
const WAITED: u32 = 1 << 3;
/// A callback waits for a change of the state.
const CALLS: u32 = 1 << 4;

/// Commands and callbacks that wait for a command.
#[derive(Default)]
struct Links {
    /// The command is over: nothing may be added any more.
    closed: bool,
    dependents: SmallVec<[Dependent; 2]>,
    calls: Option<Box<Callbacks>>,
}

/// A command that depends on another one.
struct Dependent {
    node: Arc<dyn Node>,
    /// Whether it fails if the other one fails.
    strict: bool,
}

impl Core {
    pub(super) fn new(pool: &'static Pool, profiled: bool) -> Self {
        let times = profiled.then_some([const { AtomicU64::new(0) }; 4]);
        if let Some(times) = &times {
            times[QUEUED as usize].store(clock::now(), Ordering::Relaxed);
        }
        Self {
            pool,
            generation: generation(),
            state: AtomicU32::new(QUEUED),
            unfinished_dependencies: AtomicU32::new(1),
            dependency_failed: AtomicBool::new(false),
            failure: OnceLock::new(),
            links: Mutex::default(),
            times,
        }
    }

    /// Notes when the command reached a state.
    fn stamp(&self, state: u32) {
        if let Some(times) = &self.times {
            times[state as usize].store(clock::now(), Ordering::Relaxed);
        }
    }

    /// Whether the command has failed or will.
    pub(super) fn failed(&self) -> bool {
        self.dependency_failed.load(Ordering::Relaxed) || self.failure.get().is_some()
    }

    /// How the command ends.
    fn result(&self) -> Result<(), &Failure> {
        match self.failure.get() {
            Some(failure) => Err(failure),
            None if self.dependency_failed.load(Ordering::Relaxed) => Err(&Failure::Dependency),
            None => Ok(()),
        }
    }

    pub(super) fn pool(&self) -> &'static Pool {
        self.pool
    }

    /// Makes the command fail when it ends. The first failure counts.
    pub(super) fn fail(&self, failure: Failure) {
        _ = self.failure.set(failure);
    }

    /// Whether the command itself has failed.
    pub(super) fn has_failed(&self) -> bool {
        self.failure.get().is_some()
    }

    /// Passes the result of the command to `over`. All chunks are done, so it is final.
    pub(super) fn finish(&self, over: impl FnOnce(Result<(), &Failure>)) {
        self.stamp(OVER);
        over(self.result());
    }

    /// Whether the command is over, for its owner.
    pub(super) fn is_over(&mut self) -> bool {
        *self.state.get_mut() & PROGRESS == OVER
    }
}

impl dyn Node {
    /// The state that it has reached.
    pub fn status(&self) -> Status {
        let core = self.core();
        match core.state.load(Ordering::Acquire) & PROGRESS {
            // The parent process runs it, so it would never end here.
            _ if core.generation != generation() => Status::Over,
            QUEUED => Status::Queued,
            SUBMITTED => Status::Submitted,
            RUNNING => Status::Running,
            _ => Status::Over,
        }
    }

    /// Whether it is complete, or failed.
    pub fn is_over(&self) -> bool {
        self.status() == Status::Over
    }

    /// Makes the command fail when it ends. The first failure counts.
    pub(super) fn fail(&self, failure: Failure) {
        self.core().fail(failure);
    }

    /// Whether the command itself has failed.
    pub(super) fn has_failed(&self) -> bool {
        self.core().has_failed()
    }

    /// Whether it is over because it failed.
    pub fn failed(&self) -> bool {
        let core = self.core();
        let state = core.state.load(Ordering::Acquire);
        state & FAILED != 0 || (state & PROGRESS != OVER && core.generation != generation())
    }

    /// Waits until it is over. Returns whether it is complete and did not fail.
    pub fn wait(&self) -> bool {
        let over = || self.is_over();
        if !self.core().pool.help_until(&over) {
            self.sleep();
        }
        !self.failed()
    }

    /// [`wait`](Self::wait), until a moment. Returns whether it is over.
    pub fn wait_until(&self, end: Instant) -> bool {
        let over = || self.is_over() || Instant::now() >= end;
        if !self.core().pool.help_until(&over) {
            self.sleep_until(Some(end));
        }
        self.is_over()
    }

    fn sleep(&self) {
        self.sleep_until(None);
    }

    fn sleep_until(&self, end: Option<Instant>) {
        let state = &self.core().state;
        loop {
            let now = state.fetch_or(WAITED, Ordering::AcqRel) | WAITED;
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            if now & PROGRESS == OVER || left.is_some_and(|left| left.is_zero()) {
                return;
            }
            futex::wait(state, now, left);
        }
    }

    /// When it reached each state, zero for states that it has not reached. `None` if the command is not profiled.
    pub fn profiling_times(&self) -> Option<ProfilingTimes> {
        let at = |times: &[AtomicU64; 4], i: u32| times[i as usize].load(Ordering::Relaxed);
        self.core().times.as_ref().map(|times| ProfilingTimes {
            queued: at(times, QUEUED),
            submitted: at(times, SUBMITTED),
            started: at(times, RUNNING),
            ended: at(times, OVER),
        })
    }

    /// Adds a dependency. The command must not have been submitted. If the dependency is `strict`, the command fails with it.
    pub fn wait_for(self: &Arc<Self>, other: &Arc<dyn Node>, strict: bool) {
        if !other.is_over() {
            let mut links = other.core().links.lock();
            if !links.closed {
                // Relaxed: the thread that counts it down finds the command under this lock.
                self.core().unfinished_dependencies.fetch_add(1, Ordering::Relaxed);
                links.dependents.push(Dependent {
                    node: self.clone(),
                    strict,
                });
                return;
            }
        }
        if strict && other.failed() {
            self.core().dependency_failed.store(true, Ordering::Relaxed);
        }
    }

    /// How many dependencies are not over. The command must not have been submitted.
    pub fn unfinished_dependencies(&self) -> u32 {
        self.core().unfinished_dependencies.load(Ordering::Acquire) - 1
    }

    /// Calls a function when the command reaches a state, immediately if it already has. Callbacks never overlap.
    pub fn call_at(self: &Arc<Self>, status: Status, call: Callback) {
        let core = self.core();
        let call = {
            let mut links = core.links.lock();
            // A thread that changes the state after this sees the flag, and then finds the call.
            core.state.fetch_or(CALLS, Ordering::AcqRel);
            let reached = self.status() >= status;
            match links.calls.get_or_insert_default().add(status, call, reached) {
                Some(call) => call,
                None => return,
            }
        };
        call(status);
    }
}

/// Submits a new command: it begins as soon as its dependencies are over.
pub fn submit(node: Arc<dyn Node>) {
    if node.core().unfinished_dependencies.fetch_sub(1, Ordering::AcqRel) == 1 {
        let mut ended = Ended::new();
        ended.begin(node);
        ended.settle();
        for (pool, job) in ended.ready {
            pool.run(job);
        }
    }
}

/// [`submit`] for code that runs when another command ends. A thread that ends a long chain of such commands does so in a loop
/// instead of by recursion.
pub fn submit_later(node: Arc<dyn Node>) {
    if let Some(node) = later(Later::Submit(node)) {
        submit(node);
    }
}

/// Ends a command, as [`submit_later`] submits one.
pub(super) fn end_later(node: Arc<dyn Node>) {
    if let Some(node) = later(Later::End(node)) {
        let job = end(node.clone(), None);
        debug_assert!(job.is_none(), "a job goes to its pool");
    }
}

/// What is left to do for a thread that ends commands.
enum Later {
    Submit(Arc<dyn Node>),
    End(Arc<dyn Node>),
}

thread_local! {
    /// What to do when the current command has ended, while this thread ends commands.
    static LATER: RefCell<Option<Vec<Later>>> = const { RefCell::new(None) };
}

/// Says that this thread does not end commands any more, even after a panic.
struct ResetLater;

impl Drop for ResetLater {
    fn drop(&mut self) {
        LATER.set(None);
    }
}

/// Notes what to do, or returns the command if this thread does not end any.
fn later(what: Later) -> Option<Arc<dyn Node>> {
    let noted = LATER.try_with(|later| match &mut *later.borrow_mut() {
        Some(list) => {
            list.push(what);
            None
        }
        None => Some(what),
    });
    match noted {
        Ok(None) => None,
        Ok(Some(Later::Submit(node) | Later::End(node))) => Some(node),
        // The thread is about to end, so it ends no commands.
        Err(_) => unreachable!("threads that end commands have their list"),
    }
}

/// Ends a command, and begins those that waited for it. Returns a job with which the calling thread of the pool should
/// continue.
pub(super) fn end(node: Arc<dyn Node>, me: Option<&WorkerContext<'_>>) -> Option<Arc<dyn Job>> {
    let mut ended = Ended::new();
    ended.nodes.push(node);
    ended.settle();
    // The thread continues with the first: the data that it needs is likely in the cache.
    let mut next = None;
    for (pool, job) in ended.ready {
        match me {
            Some(me) if me.is_of(pool) && next.is_none() => next = Some(job),
            _ => pool.run(job),
        }
    }
    next
}

/// Commands that are over, and the jobs that are ready now.
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

    /// Ends the nodes, and those that end with them. It is a loop because a chain of commands may be long.
    fn settle(&mut self) {
        // The outermost call on this thread does what others noted.
        let outermost = LATER.with_borrow_mut(|later| later.is_none().then(|| later.insert(Vec::new())).is_some());
        // Made only then: it resets when it is dropped.
        let _reset = outermost.then(|| ResetLater);
        loop {
            while let Some(node) = self.nodes.pop() {
                node.drop_work();
                let failed = node.core().failed();
                for Dependent { node, strict } in close(&node) {
                    let core = node.core();
                    if failed && strict {
                        core.dependency_failed.store(true, Ordering::Relaxed);
                    }
                    if core.unfinished_dependencies.fetch_sub(1, Ordering::AcqRel) == 1 {
                        self.begin(node);
                    }
                }
            }
            if !outermost {
                return;
            }
            match LATER.with_borrow_mut(|later| later.as_mut().and_then(Vec::pop)) {
                Some(Later::End(node)) => self.nodes.push(node),
                Some(Later::Submit(node)) => {
                    if node.core().unfinished_dependencies.fetch_sub(1, Ordering::AcqRel) == 1 {
                        self.begin(node);
                    }
                }
                None => return,
            }
        }
    }
}

/// Publishes the next state of a command.
fn reach(node: &Arc<dyn Node>, state: u32) {
    let core = node.core();
    core.stamp(state);
    // States are consecutive numbers, so an addition moves to the next one and keeps the flags.
    let before = core.state.fetch_add(1, Ordering::AcqRel);
    debug_assert_eq!(before & PROGRESS, state - 1);
    if before & CALLS != 0 {
        call(
            node,
            if state == SUBMITTED {
                Status::Submitted
            } else {
                Status::Running
            },
        );
    }
}

/// Publishes that a command runs.
pub(super) fn runs(node: &Arc<dyn Node>) {
    reach(node, RUNNING);
}

/// Publishes that a command is over. Returns the commands that waited for it.
fn close(node: &Arc<dyn Node>) -> SmallVec<[Dependent; 2]> {
    let core = node.core();
    let last = OVER | if core.failed() { FAILED } else { 0 };
    let before = core.state.swap(last, Ordering::AcqRel);
    let dependents = {
        let mut links = core.links.lock();
        links.closed = true;
        std::mem::take(&mut links.dependents)
    };
    if before & WAITED != 0 {
        futex::wake(&core.state, i32::MAX as u32);
    }
    if before & CALLS != 0 {
        call(node, Status::Over);
    }
    dependents
}

/// Runs the callbacks for a state, on a thread that the client may block.
#[cold]
fn call(node: &Arc<dyn Node>, status: Status) {
    let to_call = |node: &Arc<dyn Node>| node.core().links.lock().calls.as_mut().and_then(|calls| calls.next());
    {
        let mut links = node.core().links.lock();
        let Some(calls) = &mut links.calls else { return };
        if !calls.reach(status) {
            return;
        }
    }
    let node = node.clone();
    let call_all = move || {
        while let Some((call, status)) = to_call(&node) {
            call(status);
        }
    };
    if let Err((error, call_all)) = client_threads::spawn(Box::new(call_all)) {
        log::warn!("no thread can be started for callbacks, so they delay commands: {error}");
        call_all();
    }
}
