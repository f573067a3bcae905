// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The threads of a set of CPUs.
//!
//! Each set of CPUs that a device has gets one pool. Its threads start when there is work for them, or when one is to
//! [poll](super::halt_poll), and are never joined: the process may exit while they run. The concurrency of the pool limits
//! how many threads run jobs at a time: each needs a *slot*. A thread that waits for a command may take a free slot and
//! help.
//!
//! A thread that takes part in a job puts it into the queue twice, if so many more could take part, and wakes two threads. So
//! threads wake as a tree: where waking one takes 30 µs, the last of 64 begins after 200 µs, and not after 2 ms. A job that
//! ends early wakes no more threads.

use std::io;
use std::ops::Range;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use crossbeam_queue::{ArrayQueue, SegQueue};
use oxur_compiler::ThreadContext;
use oxur_fork::Mutex;

use super::caller_context::with_caller_context;
use super::chunks::Chunks;
use super::cost;
use super::fork::PerProcess;
use super::halt_poll::{self, HaltPoll, Waits};
use super::idle::{Backoff, Claim, Idle};
use super::node::Node;
use super::nodes::Nodes;
use super::placement::{self, Placement};
use super::system;

/// The number of jobs that are queued without allocating.
const ROOM: usize = 512;

/// How many threads each wakes.
const FAN_OUT: u32 = 2;

/// Work for the threads of a pool.
pub trait Job: Send + Sync {
    /// Takes part until nothing is left to begin. Returns the job that the thread should run next, if there is one.
    fn work(self: Arc<Self>, me: &mut WorkerContext<'_>) -> Option<Arc<dyn Job>>;

    /// Whether a thread that takes part returns soon.
    fn is_brief(&self) -> bool;
}

/// A thread that runs jobs.
pub struct WorkerContext<'a> {
    /// The thread's state for running kernels.
    pub(super) worker: &'a mut ThreadContext,
    /// Its number among the threads of the pool: see [`Chunks`].
    index: usize,
    state: &'static PoolState,
    /// For a thread that only helps: whether the command that it waits for is over.
    over: Option<&'a dyn Fn() -> bool>,
}

impl WorkerContext<'_> {
    /// Whether it works for this pool.
    pub(super) fn is_of(&self, pool: &Pool) -> bool {
        std::ptr::eq(self.state.pool, pool)
    }

    /// Wakes another thread for the job that this one runs.
    pub(super) fn share(&self, job: Arc<dyn Job>) {
        self.state.queue(job);
        // Those that were woken before have jobs of their own.
        self.state.wake(self.state.queued());
    }

    /// Whether the thread should stop helping, because the command that it waits for is over.
    pub(super) fn should_leave(&self) -> bool {
        self.over.is_some_and(|over| over())
    }

    /// Takes and runs chunks until none is left, or until the thread [should leave](Self::should_leave) and `offer` has left
    /// the rest to another thread. Returns the number of chunks that ran.
    pub(super) fn run_chunks(
        &mut self,
        chunks: &Chunks,
        offer: impl Fn(&Self) -> bool,
        mut run: impl FnMut(Range<u64>, &mut ThreadContext),
    ) -> u64 {
        let (mut done, mut shared) = (0, false);
        let me = self.over.is_none().then_some(self.index);
        let state = self.state;
        let mut company = state.placement.company(me, chunks);
        while let Some(taken) = chunks.take(self.index) {
            if !shared {
                let invited = (0..FAN_OUT).filter(|_| chunks.invite());
                invited.for_each(|_| _ = company.share(|| offer(self)));
            }
            shared = true;
            done += taken.end - taken.start;
            run(taken, self.worker);
            if self.should_leave() && chunks.any_left() && offer(self) {
                break;
            }
            company.go_on(chunks);
        }
        done
    }
}

/// The threads of a set of CPUs.
pub struct Pool {
    cpus: Vec<usize>,
    nodes: Nodes,
    concurrency: usize,
    helped: bool,
    /// Its CPUs, if it is a [pair](placement::pair).
    pair: Option<[usize; 2]>,
    /// Whether an idle thread [polls](super::halt_poll) for clients.
    polls: bool,
    state: PerProcess<PoolState>,
    /// The pool that was created before this one.
    next: Option<&'static Pool>,
}

impl Pool {
    /// The pool of these CPUs, with this number of threads. `helped` says whether client threads may take part while
    /// they wait, whatever CPU they run on.
    pub fn of(cpus: &[usize], threads: usize, helped: bool) -> &'static Self {
        static LAST: AtomicPtr<Pool> = AtomicPtr::new(ptr::null_mut());
        let concurrency = threads.max(1);
        loop {
            let last = LAST.load(Ordering::Acquire);
            // SAFETY: pools are never freed.
            let next = unsafe { last.as_ref() };
            let same = |pool: &&Pool| pool.cpus == cpus && pool.concurrency == concurrency && pool.helped == helped;
            if let Some(known) = std::iter::successors(next, |pool| pool.next).find(same) {
                return known;
            }
            let pair = placement::pair(cpus, concurrency);
            let new = Box::into_raw(Box::new(Self {
                cpus: cpus.to_vec(),
                nodes: Nodes::of(cpus),
                concurrency,
                helped,
                pair,
                polls: pair.is_some() && halt_poll::is_wanted(),
                state: PerProcess::new(),
                next,
            }));
            match LAST.compare_exchange(last, new, Ordering::AcqRel, Ordering::Relaxed) {
                // SAFETY: as above.
                Ok(_) => return unsafe { &*new },
                // SAFETY: no other thread has seen it.
                Err(_) => drop(unsafe { Box::from_raw(new) }),
            }
        }
    }

    /// How many threads run jobs at a time.
    pub fn concurrency(&self) -> usize {
        self.concurrency
    }

    /// The number of chunks that can run at the same time. Starts threads until `wanted` of them run. The pool may have fewer
    /// threads than its concurrency if the system does not allow more.
    pub fn guaranteed_concurrency(&'static self, wanted: usize) -> usize {
        let state = self.state();
        let wanted = wanted.min(self.concurrency);
        while state.running.load(Ordering::SeqCst) < wanted {
            match state.try_start() {
                Ok(()) => {}
                // Another thread is about to start the last one, or to learn that the system does not allow it.
                Err((_, None)) => std::thread::yield_now(),
                Err((_, Some(_))) => break,
            }
        }
        state.running.load(Ordering::SeqCst).min(self.concurrency)
    }

    /// The cost up to which work runs inline, in cycles: about the time that it takes until another thread starts on it.
    #[inline]
    pub fn inline_limit(&'static self) -> u64 {
        if self.state().is_awake() {
            cost::SHORT
        } else {
            cost::SHORT_ALONE
        }
    }

    /// Makes a gang, a command whose chunks wait for each other, depend on the gang before it: each of two concurrent gangs
    /// might hold the threads that the other needs. `append` appends the command to its queue under the same lock, so that
    /// both orders agree.
    pub fn append_gang(&'static self, command: &Arc<dyn Node>, append: impl FnOnce()) {
        let mut last = self.state().last_gang.lock();
        if let Some(before) = last.replace(command.clone()) {
            command.wait_for(&before, false);
        }
        append();
    }

    /// Appends a command to two orders under one lock. Otherwise another thread could append its own command to the same
    /// orders in between, the other way round, and the two commands would wait for each other.
    pub fn in_two_orders(&'static self, append: impl FnOnce()) {
        let _lock = self.state().orders.lock();
        append();
    }

    /// Queues a job.
    pub fn run(&'static self, job: Arc<dyn Job>) {
        self.state().push(job);
    }

    /// Runs jobs until `over` returns true. Returns false if there was no job for a while: the caller should sleep.
    pub fn help_until(&'static self, over: &dyn Fn() -> bool) -> bool {
        let state = self.state();
        let mut helps = self.helped;
        let mut backoff = Backoff::start();
        loop {
            if over() {
                return true;
            }
            if helps && state.has_work() && state.acquire_slot() {
                let index = self.concurrency - 1;
                helps = state.placement.help(|| {
                    with_caller_context(|worker| {
                        state.run_jobs(WorkerContext {
                            worker,
                            index,
                            state,
                            over: Some(over),
                        })
                    })
                });
                state.release_slot();
                state.wake_for_queued();
                backoff = Backoff::start();
            } else if !backoff.wait() {
                return false;
            }
        }
    }

    /// Notes that a client thread has waited for all commands of a queue: see [`halt_poll`](super::halt_poll).
    #[inline]
    pub fn note_wait(&'static self, waits: &Waits) {
        if self.polls
            && let Some((now, end)) = waits.note()
        {
            self.state().poll_until(now, end);
        }
    }

    fn state(&'static self) -> &'static PoolState {
        self.state.get(|| PoolState {
            pool: self,
            jobs: ArrayQueue::new(ROOM),
            overflow: SegQueue::new(),
            idle: Idle::default(),
            halt_poll: HaltPoll::default(),
            placement: Placement::new(self.pair),
            busy: AtomicUsize::new(0),
            started: AtomicUsize::new(0),
            running: AtomicUsize::new(0),
            last_gang: Mutex::default(),
            orders: Mutex::default(),
        })
    }
}

/// The jobs and threads of a pool in this process.
struct PoolState {
    pool: &'static Pool,
    jobs: ArrayQueue<Arc<dyn Job>>,
    /// Jobs that do not fit in `jobs`.
    overflow: SegQueue<Arc<dyn Job>>,
    idle: Idle,
    halt_poll: HaltPoll,
    placement: Placement,
    /// The number of slots in use.
    busy: AtomicUsize,
    /// The number of threads that run or are being started.
    started: AtomicUsize,
    /// The number of threads that run. They never end.
    running: AtomicUsize,
    /// The last gang: a command whose chunks wait for each other.
    last_gang: Mutex<Option<Arc<dyn Node>>>,
    /// See [`Pool::in_two_orders`].
    orders: Mutex<()>,
}

impl PoolState {
    /// Queues a job, and wakes a thread for it if none is awake that looks for jobs.
    fn push(&'static self, job: Arc<dyn Job>) {
        self.queue(job);
        self.wake(1);
    }

    fn queue(&self, job: Arc<dyn Job>) {
        if let Err(job) = self.jobs.push(job) {
            self.overflow.push(job);
        }
    }

    fn queued(&self) -> usize {
        self.jobs.len() + self.overflow.len()
    }

    fn pop(&self) -> Option<Arc<dyn Job>> {
        self.jobs.pop().or_else(|| self.overflow.pop())
    }

    fn has_work(&self) -> bool {
        !self.jobs.is_empty() || !self.overflow.is_empty()
    }

    /// Whether a thread is awake that will look for jobs.
    #[inline]
    fn is_awake(&self) -> bool {
        self.busy.load(Ordering::Relaxed) != 0 || self.idle.has_pollers()
    }

    fn has_free_slot(&self) -> bool {
        self.busy.load(Ordering::SeqCst) < self.pool.concurrency
    }

    fn acquire_slot(&self) -> bool {
        let one_more = |busy| (busy < self.pool.concurrency).then_some(busy + 1);
        self.busy
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_more)
            .is_ok()
    }

    fn release_slot(&self) {
        self.busy.fetch_sub(1, Ordering::SeqCst);
    }

    /// Wakes a thread for the queued jobs, unless so many look for jobs, or no slot is free.
    fn wake(&'static self, enough: usize) {
        match self.idle.claim(enough, || self.has_free_slot()) {
            Claim::NotNeeded => {}
            Claim::Sleeper => self.idle.wake(),
            Claim::NoSleeper => self.start(),
        }
    }

    /// Has an idle thread poll until `end`, in cycles, unless the other CPU is at work.
    #[cold]
    fn poll_until(&'static self, now: u64, end: u64) {
        let is_idle = self.busy.load(Ordering::Relaxed) == 0;
        if !is_idle || !self.halt_poll.extend(now, end) {
            return;
        }
        match self.idle.claim(1, || true) {
            Claim::NotNeeded => {}
            Claim::Sleeper => self.placement.apart(None, || self.idle.wake()),
            Claim::NoSleeper => {
                if let Err((_, Some(error))) = self.try_start() {
                    log::debug!("no thread keeps CPUs from halting: {error}");
                    self.halt_poll.pause(now);
                }
            }
        }
    }

    fn wake_for_queued(&'static self) {
        if self.has_work() {
            self.wake(1);
        }
    }

    /// Starts a thread, unless there are enough. On failure returns the thread's number, and the error if there was one.
    fn try_start(&'static self) -> Result<(), (usize, Option<io::Error>)> {
        let one_more = |started| (started < self.pool.concurrency).then_some(started + 1);
        let index = self.started.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_more);
        let index = index.map_err(|all| (all, None))?;
        self.idle.start_polling();
        let thread = std::thread::Builder::new().name(format!("ur worker {index}"));
        match thread.spawn(move || self.serve(index)) {
            Ok(_) => {
                self.running.fetch_add(1, Ordering::SeqCst);
                Ok(())
            }
            Err(error) => {
                self.idle.stop_polling();
                self.started.fetch_sub(1, Ordering::SeqCst);
                Err((index, Some(error)))
            }
        }
    }

    /// Starts a thread, unless there are enough.
    #[cold]
    fn start(&'static self) {
        let Err((index, Some(error))) = self.try_start() else {
            return;
        };
        if self.started.load(Ordering::SeqCst) > 0 {
            return log::debug!("a thread cannot be started, so there are fewer threads than CPUs: {error}");
        }
        log::warn!("no thread can be started, so commands run on the threads that submit them: {error}");
        with_caller_context(|worker| {
            self.run_jobs(WorkerContext {
                worker,
                index,
                state: self,
                over: None,
            })
        });
    }

    /// The main function of a thread, which polls when it starts.
    fn serve(&'static self, index: usize) {
        system::block_signals();
        // It has inherited the affinity of the thread that started it, which may be narrower.
        self.pool.nodes.place(index, self.pool.concurrency);
        self.placement.start(index);
        let mut worker = ThreadContext::new();
        loop {
            self.find_work();
            self.run_jobs(WorkerContext {
                worker: &mut worker,
                index,
                state: self,
                over: None,
            });
            // It counts as a poller before it releases its slot, so that submitters see a thread that is awake.
            self.idle.start_polling();
            self.release_slot();
        }
    }

    /// Polls or sleeps until there are a job and a free slot, and takes the slot.
    fn find_work(&self) {
        let mut backoff = Backoff::start();
        loop {
            if self.has_work() && self.acquire_slot() {
                return self.idle.stop_polling();
            }
            if !backoff.wait() {
                let work = || self.has_work() && self.has_free_slot();
                if !self.halt_poll.poll(work) {
                    self.idle.sleep(work);
                }
                backoff = Backoff::start();
            }
        }
    }

    /// Runs jobs while there are some. A helper stops, and returns false, at a job that may take long.
    fn run_jobs(&'static self, mut me: WorkerContext<'_>) -> bool {
        let mut next: Option<Arc<dyn Job>> = None;
        while !me.should_leave()
            && let Some(job) = next.take().or_else(|| self.pop())
        {
            if me.over.is_some() && !job.is_brief() {
                self.push(job);
                return false;
            }
            // Another thread should take the next queued job.
            self.wake_for_queued();
            next = job.work(&mut me);
        }
        if let Some(job) = next {
            self.push(job);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};
    use std::time::{Duration, Instant};

    use super::*;
    use crate::exec::clock::{self, CYCLES_PER_MICROSECOND};

    /// Sends a message when it runs.
    struct Message(Sender<()>);

    impl Job for Message {
        fn work(self: Arc<Self>, _me: &mut WorkerContext<'_>) -> Option<Arc<dyn Job>> {
            self.0.send(()).unwrap();
            None
        }

        fn is_brief(&self) -> bool {
            true
        }
    }

    /// While clients block in short calls, a thread polls, takes the jobs that come, and goes on.
    #[test]
    fn a_thread_that_polls_for_clients_runs_jobs() {
        let pool = Box::leak(Box::new(Pool {
            cpus: vec![0],
            nodes: Nodes::of(&[0]),
            concurrency: 2,
            helped: false,
            pair: None,
            polls: true,
            state: PerProcess::new(),
            next: None,
        }));
        let state = pool.state();
        let (sender, receiver) = channel();
        let end = Instant::now() + Duration::from_secs(240);
        let mut seen = 0;
        while seen < 10 {
            assert!(Instant::now() < end, "no thread polls");
            // Where another thread wants the CPU, it pauses, for longer each time.
            state.halt_poll.end_pause();
            let now = clock::cycles();
            let polls_until = now + 20_000 * CYCLES_PER_MICROSECOND;
            state.poll_until(now, polls_until);
            std::thread::sleep(Duration::from_micros(200));
            let polled = state.halt_poll.is_polled();
            pool.run(Arc::new(Message(sender.clone())));
            receiver.recv_timeout(Duration::from_secs(120)).unwrap();
            // It has not waited until the thread would have looked for jobs anyway.
            seen += u32::from(polled && clock::cycles() < polls_until);
        }
        std::thread::sleep(Duration::from_millis(50));
        while state.halt_poll.is_polled() {
            assert!(Instant::now() < end, "it does not end");
            std::thread::sleep(Duration::from_millis(1));
        }
        pool.run(Arc::new(Message(sender)));
        receiver.recv_timeout(Duration::from_secs(120)).unwrap();
    }
}
