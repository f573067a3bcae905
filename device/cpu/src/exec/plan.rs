// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Plans: the commands of a command buffer, assembled once and run many times.
//!
//! A [`Plan`] is a list of steps and their dependencies. A run of it is one command, a [`Task`] whose execution is
//! [`Execution::Steps`]. This file implements the inside of that command.
//!
//! Each step counts its unfinished dependencies. The thread that ends a step decrements the counts of its successors and
//! continues with those that are ready. If that would take longer than waking another thread, it pushes some of them to a
//! shared queue. Long steps are divided into chunks like any command.
//!
//! The next run reuses the state of the last one. So a step takes no lock and allocates nothing, unless it depends on
//! unfinished commands outside of the plan, is a host task or is a gang. Such a step becomes a task.
//!
//! If the client may ask when each step ran, the work of each step is [wrapped](timed) to record that.
//!
//! A plan is immutable while it may run. A change creates another plan, which shares all unchanged steps.

mod graph;
mod timed;

use std::cell::UnsafeCell;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crossbeam_queue::ArrayQueue;
use oxur_compiler::{Fault, ThreadContext};
use oxur_fork::Mutex;
use smallvec::SmallVec;

use self::graph::DependencyGraph;
pub use self::graph::PlanBuilder;
use super::chunks::Chunks;
use super::cost::SHORT;
use super::failure::{Failure, guarded};
use super::gate::{Condition, Gate};
use super::node::{Node, end, runs, submit};
use super::pool::{Job, Pool, WorkerContext};
use super::task::Task;
use super::work::{BRIEF, Execution, Work, run_measured, run_short};
use crate::forward_to_work;

/// Steps and their dependencies. A clone shares them.
#[derive(Clone)]
pub struct Plan {
    graph: Arc<DependencyGraph>,
    steps: Arc<Vec<Step>>,
    /// The state of the last run, for the next one.
    spare: Arc<Mutex<Option<Arc<RunState>>>>,
    /// Runs record here when each step ran, if the client may ask.
    times: Option<Arc<dyn StepTimes>>,
}

/// Records when the steps of a plan ran. Runs of the plan do not overlap.
pub trait StepTimes: Send + Sync {
    /// A run begins.
    fn begin(&self);

    /// A step, or a part of it, has run between these times of the [clock](super::clock).
    fn add(&self, step: usize, began: u64, ended: u64);

    /// The run is complete.
    fn end(&self);
}

/// A command of a plan.
#[derive(Clone)]
pub struct Step {
    /// What it does.
    pub work: Arc<dyn Work>,
    /// Its synchronization with commands outside of the plan, if any.
    pub external: Option<Arc<ExternalSync>>,
}

/// The synchronization of a step with commands outside of the plan.
#[derive(Default)]
pub struct ExternalSync {
    /// The step depends on them in every run.
    pub dependencies: Vec<Arc<dyn Node>>,
    /// The step waits for them in every run, when its turn comes.
    pub conditions: Vec<Arc<dyn Condition>>,
    /// Is called when the step ends, in every run.
    pub ended: Option<Arc<dyn StepEnd>>,
    /// The step signals this in the next run.
    pub signal: Option<Arc<Signal>>,
}

/// What happens when a step ends.
pub trait StepEnd: Send + Sync {
    /// The step has ended. `failed` says that it, or one before, has failed.
    fn ended(&self, failed: bool);
}

/// A command that ends when a step ends, once.
pub struct Signal {
    node: Arc<dyn Node>,
    signalled: AtomicBool,
    /// The number of runs before the one that signals it.
    runs: u64,
}

impl ExternalSync {
    /// Whether all dependencies are complete and none has failed.
    fn is_satisfied(&self) -> bool {
        self.conditions.is_empty() && self.dependencies.iter().all(|node| node.is_over() && !node.failed())
    }
}

impl Signal {
    /// Signals `node`, a command that is not submitted otherwise, in the run after this many `runs`.
    pub fn new(node: Arc<dyn Node>, runs: u64) -> Self {
        Self {
            node,
            signalled: AtomicBool::new(false),
            runs,
        }
    }

    /// The command, unless it was signalled or `runs` shows that its run has begun.
    pub fn pending(&self, runs: u64) -> Option<Arc<dyn Node>> {
        (self.runs == runs && !self.signalled.load(Ordering::Acquire)).then(|| self.node.clone())
    }

    /// Ends the command. Only the first call has an effect.
    pub fn signal(&self, failed: bool) {
        if !self.signalled.swap(true, Ordering::AcqRel) {
            if failed {
                self.node.fail(Failure::Dependency);
            }
            submit(self.node.clone());
        }
    }
}

impl Drop for Signal {
    fn drop(&mut self) {
        // The step will never run, so commands that depend on it must fail instead of waiting forever.
        self.signal(true);
    }
}

impl Plan {
    /// The same plan, whose runs record when each step ran.
    pub fn timed(mut self, times: &Arc<dyn StepTimes>) -> Self {
        let timed = |(index, step): (usize, &Step)| timed::timed(step.clone(), times, index);
        self.steps = Arc::new(self.steps.iter().enumerate().map(timed).collect());
        self.times = Some(times.clone());
        self
    }

    /// Replaces a step. Clones of the plan, which may be running, keep the old step.
    pub fn change(&mut self, index: usize, step: Step) {
        let step = match &self.times {
            Some(times) => timed::timed(step, times, index),
            None => step,
        };
        Arc::make_mut(&mut self.steps)[index] = step;
    }

    /// The work of a step, for changes in place. `None` if a clone of the plan, which may be running, has it as well, or if
    /// runs record times.
    #[inline]
    pub fn work_mut(&mut self, index: usize) -> Option<&mut dyn Work> {
        if self.times.is_some() {
            return None;
        }
        let steps = Arc::get_mut(&mut self.steps)?;
        Arc::get_mut(&mut steps[index].work)
    }

    /// The number of steps.
    pub fn step_count(&self) -> usize {
        self.steps.len()
    }

    /// Whether one thread can run all steps in at most `limit` cycles.
    pub fn is_shorter(&self, limit: u64) -> bool {
        let mut left = limit;
        self.steps.iter().all(|step| {
            let cost = match step.external {
                None => cost(&*step.work),
                Some(_) => None,
            };
            match cost.and_then(|cost| left.checked_sub(cost)) {
                Some(rest) => {
                    left = rest;
                    true
                }
                None => false,
            }
        })
    }

    /// Runs a [short](Self::is_shorter) plan on the calling thread. On failure returns the description of the step.
    pub fn run_inline(&self, worker: &mut ThreadContext) -> Result<(), (String, Fault)> {
        self.record_begin();
        for Step { work, .. } in &*self.steps {
            run_short(&**work, worker).map_err(|fault| (work.describe(), fault))?;
        }
        self.record_end();
        Ok(())
    }

    /// Records that a run begins. Runs of a timed plan do not overlap.
    fn record_begin(&self) {
        if let Some(times) = &self.times {
            times.begin();
        }
    }

    /// Records that a run is complete.
    fn record_end(&self) {
        if let Some(times) = &self.times {
            times.end();
        }
    }
}

/// The work of one run.
impl Work for Plan {
    fn chunks(&self) -> u64 {
        self.step_count() as u64
    }

    fn execution(&self) -> Execution {
        Execution::Steps
    }

    fn describe(&self) -> String {
        "a command buffer".to_owned()
    }

    fn run(&self, _chunks: Range<u64>, _worker: &mut ThreadContext) -> Result<(), Fault> {
        unreachable!("`start` runs the steps instead")
    }

    fn start(&self, pool: &'static Pool, command: Arc<dyn Node>) -> Arc<dyn Job> {
        let graph = &self.graph;
        let state = match self.spare.lock().take() {
            Some(mut state) => match Arc::get_mut(&mut state) {
                Some(unique) => {
                    unique.reset(graph);
                    state
                }
                // A thread of the last run has not dropped its reference yet.
                None => Arc::new(RunState::new(graph, pool)),
            },
            None => Arc::new(RunState::new(graph, pool)),
        };
        Arc::new(Run {
            pool,
            plan: self.clone(),
            command,
            state,
        })
    }
}

/// The cost of all chunks, if it is known and the work may run on any thread.
fn cost(work: &dyn Work) -> Option<u64> {
    match work.execution() {
        Execution::Parallel => work.cost(work.chunks()),
        _ => None,
    }
}

/// A run of a plan: a job in which any number of threads may take part.
struct Run {
    pool: &'static Pool,
    plan: Plan,
    /// The command of the run, which ends when all steps have ended.
    command: Arc<dyn Node>,
    state: Arc<RunState>,
}

/// The mutable state of a run.
struct RunState {
    steps: Box<[StepState]>,
    /// The number of unfinished steps.
    left: AtomicU32,
    /// The shared queue: ready steps, and long steps in which one more thread could take part.
    open: ArrayQueue<u32>,
    begun: AtomicBool,
}

/// The mutable state of a step.
struct StepState {
    /// The number of unfinished dependencies.
    waits: AtomicU32,
    /// Its chunks, if it is long. The thread that finds the step ready creates them before other threads see the step.
    chunks: UnsafeCell<Option<Chunks>>,
}

// SAFETY: one thread changes `chunks`, before other threads see the step. After that they are only read until the next run.
unsafe impl Sync for StepState {}

impl RunState {
    fn new(graph: &DependencyGraph, pool: &Pool) -> Self {
        let count = graph.waits.len();
        let step = |waits: &u32| StepState {
            waits: AtomicU32::new(*waits),
            chunks: UnsafeCell::new(None),
        };
        Self {
            steps: graph.waits.iter().map(step).collect(),
            left: AtomicU32::new(count as u32),
            // Room for each step once, and for what `offer` pushes.
            open: ArrayQueue::new(count + 4 * pool.concurrency()),
            begun: AtomicBool::new(false),
        }
    }

    /// Prepares the state for another run.
    fn reset(&mut self, graph: &DependencyGraph) {
        for (step, waits) in self.steps.iter_mut().zip(&graph.waits) {
            *step.waits.get_mut() = *waits;
        }
        while self.open.pop().is_some() {}
        *self.left.get_mut() = graph.waits.len() as u32;
        *self.begun.get_mut() = false;
    }

    /// Queues a ready step for any thread.
    fn push(&self, step: u32) {
        let full = self.open.push(step).is_err();
        debug_assert!(!full, "each step is ready once, and there is room for all");
    }
}

/// Ready steps that only the current thread knows.
#[derive(Default)]
struct Ready {
    /// Each step with its cost, in cycles.
    steps: SmallVec<[(u32, u64); 32]>,
    /// The sum of the costs.
    cost: u64,
}

impl Ready {
    fn push(&mut self, step: u32, cost: u64) {
        self.steps.push((step, cost));
        self.cost = self.cost.saturating_add(cost);
    }

    fn pop(&mut self) -> Option<u32> {
        let (step, cost) = self.steps.pop()?;
        self.cost -= cost;
        Some(step)
    }
}

impl Run {
    /// Makes the steps without dependencies ready. Only the thread that begins the run calls this.
    fn begin_roots(self: &Arc<Self>, ready: &mut Ready) {
        // In reverse, because `ready` is a stack and the first step should run first.
        for (step, waits) in self.plan.graph.waits.iter().enumerate().rev() {
            if *waits == 0 {
                self.make_ready(step as u32, ready);
            }
        }
    }

    /// Begins a step whose dependencies in the plan have ended.
    fn make_ready(self: &Arc<Self>, step: u32, ready: &mut Ready) {
        let Step { work, external } = &self.plan.steps[step as usize];
        let blocked = external.as_ref().is_some_and(|external| !external.is_satisfied());
        if blocked || work.execution() != Execution::Parallel {
            return self.run_as_task(step);
        }
        let count = work.chunks();
        let known = work.cost(count);
        // SAFETY: the step has just become ready, so no other thread accesses its chunks yet.
        let chunks = unsafe { &mut *self.state.steps[step as usize].chunks.get() };
        match chunks {
            _ if count == 0 || known.is_some_and(|cost| cost <= SHORT) => *chunks = None,
            Some(chunks) => chunks.renew(count, known, self.pool.concurrency()),
            None => *chunks = Some(Chunks::shared(count, known, self.pool.concurrency())),
        }
        ready.push(step, known.unwrap_or(SHORT));
    }

    /// Submits a task for a step that has unfinished external dependencies, or must not run on just any thread of the pool.
    #[cold]
    fn run_as_task(self: &Arc<Self>, step: u32) {
        let Step { work, external } = &self.plan.steps[step as usize];
        let step_task = StepTask {
            work: work.clone(),
            run: self.clone(),
            step,
        };
        let is_gang = work.execution() == Execution::Gang;
        let task: Arc<dyn Node> = Task::new(self.pool, step_task, false);
        for dependency in external.iter().flat_map(|external| &external.dependencies) {
            task.wait_for(dependency, true);
        }
        if let Some(conditions) = external.as_ref().map(|external| &external.conditions)
            && !conditions.is_empty()
        {
            let gate = Gate::node(self.pool, conditions.iter().cloned());
            task.wait_for(&gate, false);
            submit(gate);
        }
        if is_gang {
            self.pool.append_gang(&task, || ());
        }
        submit(task);
    }

    /// Takes part in a step. If that ends the step, adds the steps that are ready now to `ready`. Returns the number of steps
    /// that ended, 1 or 0.
    fn take_part(self: &Arc<Self>, step: u32, ready: &mut Ready, me: &mut WorkerContext<'_>) -> u32 {
        let work = &*self.plan.steps[step as usize].work;
        // SAFETY: the thread that made the step ready set them, and no thread changes them before the next run.
        let Some(chunks) = (unsafe { &*self.state.steps[step as usize].chunks.get() }) else {
            self.run_step(work, || run_short(work, me.worker));
            return self.end_step(step, ready);
        };
        chunks.join();
        let offer = |me: &WorkerContext<'_>| self.offer(step, me);
        let done = me.run_chunks(chunks, offer, |taken, worker| {
            self.run_step(work, || run_measured(work, taken, worker));
        });
        if done != 0 && chunks.done(done) {
            return self.end_step(step, ready);
        }
        0
    }

    /// Offers a long step to another thread, unless enough offers are queued. Returns whether it did.
    fn offer(self: &Arc<Self>, step: u32, me: &WorkerContext<'_>) -> bool {
        let offered = self.state.open.len() < 2 * self.pool.concurrency() && self.state.open.push(step).is_ok();
        if offered {
            me.share(self.clone());
        }
        offered
    }

    /// Runs all or some chunks of a step with `run`, unless the command has failed.
    fn run_step(&self, work: &dyn Work, run: impl FnOnce() -> Result<(), Fault>) {
        if self.command.has_failed() {
            return;
        }
        match guarded(run) {
            Ok(()) => {}
            Err(panic @ Failure::Panic(_)) => self.command.fail(panic),
            Err(failure) => self.command.fail(Failure::Step(work.describe(), Box::new(failure))),
        }
    }

    /// Ends a step. Adds the successors that are ready now to `ready`. Returns the number of steps that ended: 1.
    fn end_step(self: &Arc<Self>, step: u32, ready: &mut Ready) -> u32 {
        let graph = &self.plan.graph;
        for successor in graph.successors(step) {
            // A step with a single dependency needs no atomic operation.
            let last = graph.waits[successor as usize] == 1
                || self.state.steps[successor as usize]
                    .waits
                    .fetch_sub(1, Ordering::AcqRel)
                    == 1;
            if last {
                self.make_ready(successor, ready);
            }
        }
        if let Some(ExternalSync { signal, ended, .. }) = self.plan.steps[step as usize].external.as_deref() {
            let failed = self.command.has_failed();
            if let Some(signal) = signal {
                signal.signal(failed);
            }
            if let Some(hook) = ended {
                hook.ended(failed);
            }
        }
        1
    }

    /// Shares steps with other threads as long as the rest would take this thread longer than it takes to wake one.
    fn share_excess(self: &Arc<Self>, ready: &mut Ready, me: &WorkerContext<'_>) {
        let mut left = 0;
        while ready.cost > SHORT && ready.steps.len() - left > 1 {
            let (step, cost) = ready.steps[left];
            self.state.push(step);
            ready.cost -= cost;
            left += 1;
        }
        if left != 0 {
            ready.steps.drain(..left);
            me.share(self.clone());
        }
    }

    /// Leaves all ready steps to other threads.
    fn share_all(self: &Arc<Self>, ready: Ready) {
        for (step, _) in ready.steps {
            self.state.push(step);
        }
        if !self.state.open.is_empty() {
            self.pool.run(self.clone());
        }
    }

    /// Counts ended steps. Returns whether they were the last ones.
    fn count(&self, ended: u32) -> bool {
        ended != 0 && self.state.left.fetch_sub(ended, Ordering::AcqRel) == ended
    }

    /// Ends the run. Returns the job with which the thread should continue, as [`end`] does.
    fn end(&self, me: Option<&WorkerContext<'_>>) -> Option<Arc<dyn Job>> {
        if !self.command.has_failed() {
            self.plan.record_end();
        }
        *self.plan.spare.lock() = Some(self.state.clone());
        end(self.command.clone(), me)
    }
}

impl Job for Run {
    fn is_brief(&self) -> bool {
        self.plan.is_shorter(BRIEF)
    }

    fn work(self: Arc<Self>, me: &mut WorkerContext<'_>) -> Option<Arc<dyn Job>> {
        let open = &self.state.open;
        let mut ready = Ready::default();
        let mut ended = 0;
        if !self.state.begun.swap(true, Ordering::AcqRel) {
            self.plan.record_begin();
            runs(&self.command);
            self.begin_roots(&mut ready);
        } else if open.len() > 1 {
            // One step is for this thread, so another thread can take the next.
            me.share(self.clone());
        }
        loop {
            self.share_excess(&mut ready, me);
            let Some(step) = ready.pop().or_else(|| open.pop()) else {
                break;
            };
            ended += self.take_part(step, &mut ready, me);
            if me.should_leave() {
                self.share_all(ready);
                break;
            }
        }
        if self.count(ended) { self.end(Some(me)) } else { None }
    }
}

/// The work of a step that became a task.
struct StepTask {
    work: Arc<dyn Work>,
    run: Arc<Run>,
    step: u32,
}

impl Work for StepTask {
    forward_to_work!();

    fn run(&self, chunks: Range<u64>, worker: &mut ThreadContext) -> Result<(), Fault> {
        if self.run.command.has_failed() {
            return Ok(());
        }
        self.work.run(chunks, worker)
    }

    fn over(&mut self, result: Result<(), &Failure>) {
        if let Err(failure) = result {
            self.run
                .command
                .fail(Failure::Step(self.work.describe(), Box::new(failure.clone())));
        }
        let mut ready = Ready::default();
        let ended = self.run.end_step(self.step, &mut ready);
        if self.run.count(ended) {
            if let Some(next) = self.run.end(None) {
                self.run.pool.run(next);
            }
        } else {
            self.run.share_all(ready);
        }
    }
}

#[cfg(test)]
mod tests;
