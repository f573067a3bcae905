// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Plans: the commands of a command buffer, put together once and run many times.
//!
//! A [`Plan`] is a list of steps and their dependencies. A run of it is one command, a [`Task`] whose execution is
//! [`Execution::Steps`]; this file is what happens inside. Each step counts the steps that it waits for. The thread
//! that ends a step counts down its successors, and continues with those that are ready. If that would take longer than
//! waking another thread, it leaves some in a list of open steps for others. Long steps are divided into chunks like
//! any command. The memory of a run is used again by the next one: a step takes no lock and allocates nothing, unless
//! it waits for commands outside of the plan or needs a thread of its own. Then it becomes a task.
//!
//! If the client may ask when each step ran, the work of each step is [wrapped](timed) to record that.
//!
//! A plan is never changed while it may run: a change makes another plan, which shares all unchanged steps.

mod graph;
mod timed;

use std::cell::UnsafeCell;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crossbeam_queue::ArrayQueue;
use oxur_adapter_kit::CommandTimings;
use oxur_compiler::{Fault, ThreadContext};
use oxur_fork::Mutex;
use smallvec::SmallVec;

use self::graph::DependencyGraph;
pub(crate) use self::graph::PlanBuilder;
use super::chunks::Chunks;
use super::cost::SHORT;
use super::failure::{Failure, guarded};
use super::node::{Node, end, runs, submit};
use super::pool::{Job, Pool, WorkerContext};
use super::task::Task;
use super::work::{BRIEF, Execution, Work, forward_to_work, run_measured};

/// Commands, and what each waits for. A copy is the same plan.
#[derive(Clone)]
pub(crate) struct Plan {
    graph: Arc<DependencyGraph>,
    steps: Arc<Vec<Step>>,
    /// The memory of the last run.
    spare: Arc<Mutex<Option<Arc<Memory>>>>,
    /// Where runs note when each step ran, if anybody wants to know.
    times: Option<Arc<CommandTimings>>,
}

/// What a step does.
#[derive(Clone)]
pub(crate) struct Step {
    pub(crate) work: Arc<dyn Work>,
    /// What it waits for and signals outside of the plan, if anything.
    pub(crate) outside: Option<Arc<Outside>>,
}

/// What a step has to do with commands outside of the plan.
#[derive(Default)]
pub(crate) struct Outside {
    /// It waits for them in every run.
    pub(crate) before: Vec<Arc<dyn Node>>,
    /// It signals this in the next run.
    pub(crate) signal: Option<Arc<Signal>>,
}

/// A command that stands for the end of a step, once.
pub(crate) struct Signal {
    node: Arc<dyn Node>,
    given: AtomicBool,
    /// How many runs there were before the one that gives it.
    runs: u64,
}

impl Outside {
    /// Whether all that it waits for is complete.
    fn is_past(&self) -> bool {
        self.before.iter().all(|node| node.is_over() && !node.failed())
    }
}

impl Signal {
    /// Of a command that nobody submits, after so many runs.
    pub(crate) fn new(node: Arc<dyn Node>, runs: u64) -> Self {
        Self {
            node,
            given: AtomicBool::new(false),
            runs,
        }
    }

    /// What it signals, unless there are more runs by now: it is for the next one.
    pub(crate) fn pending(&self, runs: u64) -> Option<Arc<dyn Node>> {
        (self.runs == runs && !self.given.load(Ordering::Acquire)).then(|| self.node.clone())
    }

    /// The step is over.
    pub(crate) fn give(&self, failed: bool) {
        if !self.given.swap(true, Ordering::AcqRel) {
            if failed {
                self.node.fail(Failure::Before);
            }
            submit(self.node.clone());
        }
    }
}

impl Drop for Signal {
    fn drop(&mut self) {
        // Nobody will ever run the step: who waits for it would wait for good.
        self.give(true);
    }
}

impl Plan {
    /// The same plan, whose runs note when each step ran.
    pub(crate) fn timed(mut self, times: &Arc<CommandTimings>) -> Self {
        let timed = |(place, step): (usize, &Step)| timed::timed(step.clone(), times, place);
        self.steps = Arc::new(self.steps.iter().enumerate().map(timed).collect());
        self.times = Some(times.clone());
        self
    }

    /// Puts another step at a place. Copies of the plan, which may run, do not see it.
    pub(crate) fn change(&mut self, place: usize, step: Step) {
        let step = match &self.times {
            Some(times) => timed::timed(step, times, place),
            None => step,
        };
        Arc::make_mut(&mut self.steps)[place] = step;
    }

    /// The step at a place, unless a run notes its times.
    pub(crate) fn step(&self, place: usize) -> Option<&Step> {
        self.times.is_none().then(|| &self.steps[place])
    }

    /// How many steps it has.
    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether a thread could run it from the first step to the last in less than so many cycles.
    pub(crate) fn is_shorter(&self, limit: u64) -> bool {
        let mut left = limit;
        self.steps.iter().all(|step| {
            let cost = match step.outside {
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

    /// Runs a plan that is short, step by step.
    pub(crate) fn run_here(&self, worker: &mut ThreadContext) -> Result<(), (String, Fault)> {
        self.begins();
        for Step { work, .. } in &*self.steps {
            run_short(&**work, worker).map_err(|fault| (work.what(), fault))?;
        }
        self.ends();
        Ok(())
    }

    /// A run begins. Those of a plan that is timed come one after the other.
    fn begins(&self) {
        if let Some(times) = &self.times {
            times.begin();
        }
    }

    /// A run is complete.
    fn ends(&self) {
        if let Some(times) = &self.times {
            times.end();
        }
    }
}

/// A run of it.
impl Work for Plan {
    fn chunks(&self) -> u64 {
        self.len() as u64
    }

    fn execution(&self) -> Execution {
        Execution::Steps
    }

    fn what(&self) -> String {
        "a command buffer".to_owned()
    }

    fn run(&self, _chunks: Range<u64>, _worker: &mut ThreadContext) -> Result<(), Fault> {
        unreachable!("its steps run instead")
    }

    fn start(&self, pool: &'static Pool, whole: Arc<dyn Node>) -> Arc<dyn Job> {
        let graph = &self.graph;
        let memory = match self.spare.lock().take() {
            Some(mut memory) => match Arc::get_mut(&mut memory) {
                Some(own) => {
                    own.renew(graph);
                    memory
                }
                // A thread of the last run is about to leave it.
                None => Arc::new(Memory::new(graph, pool)),
            },
            None => Arc::new(Memory::new(graph, pool)),
        };
        Arc::new(Run {
            pool,
            plan: self.clone(),
            whole,
            memory,
        })
    }
}

/// What a work costs that is run like any other, if that is known.
fn cost(work: &dyn Work) -> Option<u64> {
    match work.execution() {
        Execution::Parallel => work.cost(work.chunks()),
        _ => None,
    }
}

/// Runs a work that is short, and now and then has it learn what that costs.
fn run_short(work: &dyn Work, worker: &mut ThreadContext) -> Result<(), Fault> {
    match work.chunks() {
        0 => Ok(()),
        count if work.is_due() => run_measured(work, 0..count, worker),
        count => work.run(0..count, worker),
    }
}

/// A run of a plan: a job that any number of threads may be at.
struct Run {
    pool: &'static Pool,
    plan: Plan,
    /// The command that is over when all steps are.
    whole: Arc<dyn Node>,
    memory: Arc<Memory>,
}

/// What changes while a plan runs.
struct Memory {
    places: Box<[Place]>,
    /// How many steps are not over.
    left: AtomicU32,
    /// Steps that are ready, and long ones in which one more thread could take part.
    open: ArrayQueue<u32>,
    begun: AtomicBool,
}

/// The state of a step.
struct Place {
    /// How many steps it still waits for.
    waits: AtomicU32,
    /// Its chunks, if it is long. The thread that finds the step ready creates them before others see the step.
    chunks: UnsafeCell<Option<Chunks>>,
}

// SAFETY: `chunks` is changed by one thread, when no other looks at it: see there.
unsafe impl Sync for Place {}

impl Memory {
    fn new(graph: &DependencyGraph, pool: &Pool) -> Self {
        let count = graph.waits.len();
        let place = |waits: &u32| Place {
            waits: AtomicU32::new(*waits),
            chunks: UnsafeCell::new(None),
        };
        Self {
            places: graph.waits.iter().map(place).collect(),
            left: AtomicU32::new(count as u32),
            // All steps, and what `offer` leaves there.
            open: ArrayQueue::new(count + 4 * pool.concurrency()),
            begun: AtomicBool::new(false),
        }
    }

    /// Makes it what a new one is.
    fn renew(&mut self, graph: &DependencyGraph) {
        for (place, waits) in self.places.iter_mut().zip(&graph.waits) {
            *place.waits.get_mut() = *waits;
        }
        while self.open.pop().is_some() {}
        *self.left.get_mut() = graph.waits.len() as u32;
        *self.begun.get_mut() = false;
    }

    /// Leaves a ready step to any thread.
    fn open(&self, step: u32) {
        let full = self.open.push(step).is_err();
        debug_assert!(!full, "each step is ready once, and there is room for all");
    }
}

/// Steps that are ready, of a thread that goes on with them.
#[derive(Default)]
struct Ready {
    /// Each with what it costs, in cycles.
    steps: SmallVec<[(u32, u64); 32]>,
    /// What they cost together.
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
    /// All steps that wait for none. Only the thread that begins it calls this.
    fn roots(self: &Arc<Self>, ready: &mut Ready) {
        // The last one is taken first.
        for (step, waits) in self.plan.graph.waits.iter().enumerate().rev() {
            if *waits == 0 {
                self.is_ready(step as u32, ready);
            }
        }
    }

    /// Nothing in the plan is in the way of a step.
    fn is_ready(self: &Arc<Self>, step: u32, ready: &mut Ready) {
        let Step { work, outside } = &self.plan.steps[step as usize];
        if work.execution() != Execution::Parallel || outside.as_ref().is_some_and(|outside| !outside.is_past()) {
            return self.run_as_task(step);
        }
        let count = work.chunks();
        let known = work.cost(count);
        // SAFETY: the step has just become ready, so no other thread looks at its place.
        let place = unsafe { &mut *self.memory.places[step as usize].chunks.get() };
        match place {
            _ if count == 0 || known.is_some_and(|cost| cost <= SHORT) => *place = None,
            Some(chunks) => chunks.renew(count, known, self.pool.concurrency()),
            None => *place = Some(Chunks::shared(count, known, self.pool.concurrency())),
        }
        ready.push(step, known.unwrap_or(SHORT));
    }

    /// Makes a task of a step that waits for others than steps, or must not run where steps do.
    #[cold]
    fn run_as_task(self: &Arc<Self>, step: u32) {
        let Step { work, outside } = &self.plan.steps[step as usize];
        let step_task = StepTask {
            work: work.clone(),
            run: self.clone(),
            step,
        };
        let together = work.execution() == Execution::Gang;
        let task: Arc<dyn Node> = Task::new(self.pool, step_task, false);
        for before in outside.iter().flat_map(|outside| &outside.before) {
            task.wait_for(before, true);
        }
        if together {
            self.pool.one_by_one(&task, || ());
        }
        submit(task);
    }

    /// Takes part in a step. What is ready when it is over goes to `ready`. Says how many steps ended by that: one, or none.
    fn take_part(self: &Arc<Self>, step: u32, ready: &mut Ready, me: &mut WorkerContext<'_>) -> u32 {
        let work = &*self.plan.steps[step as usize].work;
        // SAFETY: who made it ready made these, and nobody changes them before the next run.
        let Some(chunks) = (unsafe { &*self.memory.places[step as usize].chunks.get() }) else {
            self.run_step(work, || run_short(work, me.worker));
            return self.over(step, ready);
        };
        chunks.join();
        let offer = |me: &WorkerContext<'_>| self.offer(step, me);
        let done = me.run_chunks(chunks, offer, |taken, worker| {
            self.run_step(work, || run_measured(work, taken, worker));
        });
        if done != 0 && chunks.done(done) {
            return self.over(step, ready);
        }
        0
    }

    /// Offers a long step to another thread, unless there are enough offers.
    fn offer(self: &Arc<Self>, step: u32, me: &WorkerContext<'_>) -> bool {
        let offered = self.memory.open.len() < 2 * self.pool.concurrency() && self.memory.open.push(step).is_ok();
        if offered {
            me.share(self.clone());
        }
        offered
    }

    /// Runs something of a step, unless one has failed.
    fn run_step(&self, work: &dyn Work, go: impl FnOnce() -> Result<(), Fault>) {
        if self.whole.has_failed() {
            return;
        }
        match guarded(go) {
            Ok(()) => {}
            Err(panic @ Failure::Panic(_)) => self.whole.fail(panic),
            Err(failure) => self.whole.fail(Failure::Step(work.what(), Box::new(failure))),
        }
    }

    /// A step is over: counts down those behind it.
    fn over(self: &Arc<Self>, step: u32, ready: &mut Ready) -> u32 {
        let graph = &self.plan.graph;
        for after in graph.after(step) {
            // Where there is no other to wait for, nobody else counts.
            let last = graph.waits[after as usize] == 1
                || self.memory.places[after as usize].waits.fetch_sub(1, Ordering::AcqRel) == 1;
            if last {
                self.is_ready(after, ready);
            }
        }
        if let Some(Outside {
            signal: Some(signal), ..
        }) = self.plan.steps[step as usize].outside.as_deref()
        {
            signal.give(self.whole.has_failed());
        }
        1
    }

    /// Leaves to other threads what would take this one longer than they take to come.
    fn leave(self: &Arc<Self>, ready: &mut Ready, me: &WorkerContext<'_>) {
        let mut left = 0;
        while ready.cost > SHORT && ready.steps.len() - left > 1 {
            let (step, cost) = ready.steps[left];
            self.memory.open(step);
            ready.cost -= cost;
            left += 1;
        }
        if left != 0 {
            ready.steps.drain(..left);
            me.share(self.clone());
        }
    }

    /// Leaves all to other threads.
    fn leave_all(self: &Arc<Self>, ready: Ready) {
        for (step, _) in ready.steps {
            self.memory.open(step);
        }
        if !self.memory.open.is_empty() {
            self.pool.run(self.clone());
        }
    }

    /// So many steps are over. Were they the last?
    fn count(&self, over: u32) -> bool {
        over != 0 && self.memory.left.fetch_sub(over, Ordering::AcqRel) == over
    }

    /// All steps are over. Gives what is ready by that.
    fn end(&self, me: Option<&WorkerContext<'_>>) -> Option<Arc<dyn Job>> {
        if !self.whole.has_failed() {
            self.plan.ends();
        }
        *self.plan.spare.lock() = Some(self.memory.clone());
        end(self.whole.clone(), me)
    }
}

impl Job for Run {
    fn is_brief(&self) -> bool {
        self.plan.is_shorter(BRIEF)
    }

    fn work(self: Arc<Self>, me: &mut WorkerContext<'_>) -> Option<Arc<dyn Job>> {
        let open = &self.memory.open;
        let mut ready = Ready::default();
        let mut over = 0;
        if !self.memory.begun.swap(true, Ordering::AcqRel) {
            self.plan.begins();
            runs(&self.whole);
            self.roots(&mut ready);
        } else if open.len() > 1 {
            // There is something for one more.
            me.share(self.clone());
        }
        loop {
            self.leave(&mut ready, me);
            let Some(step) = ready.pop().or_else(|| open.pop()) else {
                break;
            };
            over += self.take_part(step, &mut ready, me);
            if me.leaves() {
                self.leave_all(ready);
                break;
            }
        }
        if self.count(over) { self.end(Some(me)) } else { None }
    }
}

/// A step that became a task.
struct StepTask {
    work: Arc<dyn Work>,
    run: Arc<Run>,
    step: u32,
}

impl Work for StepTask {
    forward_to_work!();

    fn run(&self, chunks: Range<u64>, worker: &mut ThreadContext) -> Result<(), Fault> {
        if self.run.whole.has_failed() {
            return Ok(());
        }
        self.work.run(chunks, worker)
    }

    fn over(&mut self, result: Result<(), &Failure>) {
        if let Err(failure) = result {
            self.run
                .whole
                .fail(Failure::Step(self.work.what(), Box::new(failure.clone())));
        }
        let mut ready = Ready::default();
        let over = self.run.over(self.step, &mut ready);
        if self.run.count(over) {
            if let Some(next) = self.run.end(None) {
                self.run.pool.run(next);
            }
        } else {
            self.run.leave_all(ready);
        }
    }
}

#[cfg(test)]
mod tests;
