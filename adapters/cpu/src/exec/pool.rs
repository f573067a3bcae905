// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The threads of a set of CPUs.
//!
//! Each set of CPUs that a device has gets one pool. Its threads start when there is work for them, and are never
//! joined: the process may exit while they run. The number of *seats* limits how many threads run jobs at a time. A
//! thread that waits for a command may take a free seat and help.
//!
//! A job is in the queue once while one more thread could take part in it. The thread that takes it out puts it back if
//! yet another could take part, and wakes that one. So each thread wakes the next, and a job that ends early wakes no
//! more threads.

use std::io;
use std::ops::Range;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use crossbeam_queue::{ArrayQueue, SegQueue};
use oxur_compiler::ThreadContext;
use oxur_fork::Mutex;

use super::chunks::Chunks;
use super::cost;
use super::fork::PerProcess;
use super::idle::{Backoff, Called, Idle};
use super::inline::inline;
use super::node::Node;

/// The number of jobs that are queued without allocating.
const ROOM: usize = 512;

/// Work for the threads of a pool.
pub(crate) trait Job: Send + Sync {
    /// Takes part, until there is nothing more to begin. Returns the job that the thread should run next, if that is
    /// known.
    fn work(self: Arc<Self>, me: &mut WorkerContext<'_>) -> Option<Arc<dyn Job>>;

    /// Whether a thread that takes part returns soon.
    fn is_brief(&self) -> bool;
}

/// A thread that runs jobs.
pub(crate) struct WorkerContext<'a> {
    /// The thread's state for running kernels.
    pub(super) worker: &'a mut ThreadContext,
    /// Its place among the threads: see [`Chunks`].
    place: usize,
    crew: &'static Crew,
    /// For a thread that only helps: whether what it waits for is over.
    over: Option<&'a dyn Fn() -> bool>,
}

impl WorkerContext<'_> {
    /// Whether it works for this pool.
    pub(super) fn is_of(&self, pool: &Pool) -> bool {
        std::ptr::eq(self.crew.pool, pool)
    }

    /// Wakes another thread for the job that this one runs.
    pub(super) fn share(&self, job: Arc<dyn Job>) {
        self.crew.push(job);
    }

    /// Whether the thread has something better to do.
    pub(super) fn leaves(&self) -> bool {
        self.over.is_some_and(|over| over())
    }

    /// Takes and runs chunks until none is left, or until the thread has something better to do and `offer` has left
    /// the rest to another thread. Returns how many chunks ran.
    pub(super) fn run_chunks(
        &mut self,
        chunks: &Chunks,
        offer: impl Fn(&Self) -> bool,
        mut run: impl FnMut(Range<u64>, &mut ThreadContext),
    ) -> u64 {
        let (mut done, mut shared) = (0, false);
        while let Some(taken) = chunks.take(self.place) {
            if !shared && chunks.want_more() {
                offer(self);
            }
            shared = true;
            done += taken.end - taken.start;
            run(taken, self.worker);
            if self.leaves() && chunks.any_left() && offer(self) {
                break;
            }
        }
        done
    }
}

/// The threads of a set of CPUs.
pub(crate) struct Pool {
    cpus: Vec<usize>,
    concurrency: usize,
    helped: bool,
    crew: PerProcess<Crew>,
    /// The pool that was created before this one.
    next: Option<&'static Pool>,
}

impl Pool {
    /// The pool of these CPUs, with this number of threads. `helped` says whether client threads may take part while
    /// they wait, whatever CPU they run on.
    pub(crate) fn of(cpus: &[usize], threads: usize, helped: bool) -> &'static Self {
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
            let new = Box::into_raw(Box::new(Self {
                cpus: cpus.to_vec(),
                concurrency,
                helped,
                crew: PerProcess::new(),
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
    pub(crate) fn concurrency(&self) -> usize {
        self.concurrency
    }

    /// How many chunks are sure to run at the same time, of those `wanted`. The pool may have fewer threads than seats
    /// if the system does not provide more.
    pub(crate) fn together(&'static self, wanted: usize) -> usize {
        let crew = self.crew();
        let wanted = wanted.min(self.concurrency);
        while crew.running.load(Ordering::SeqCst) < wanted && crew.try_start().is_ok() {}
        crew.running.load(Ordering::SeqCst).min(self.concurrency)
    }

    /// The cost below which work is not shared with other threads, in cycles: about the time to wake one.
    #[inline]
    pub(crate) fn short(&'static self) -> u64 {
        if self.crew().is_awake() {
            cost::SHORT
        } else {
            cost::SHORT_ALONE
        }
    }

    /// Makes a gang, a command whose chunks wait for each other, wait for the gang before it: each of two gangs might
    /// hold the threads that the other needs. `append` gives the command its place in its queue under the same lock, so
    /// that both orders agree.
    pub(crate) fn one_by_one(&'static self, command: &Arc<dyn Node>, append: impl FnOnce()) {
        let mut together = self.crew().together.lock();
        if let Some(before) = together.replace(command.clone()) {
            command.wait_for(&before, false);
        }
        append();
    }

    /// Gives a command its places in two orders under one lock. Otherwise another thread could append its own commands
    /// in between, in the opposite order, and the commands would wait for each other.
    pub(crate) fn in_two_orders(&'static self, append: impl FnOnce()) {
        let _lock = self.crew().orders.lock();
        append();
    }

    /// Queues a job.
    pub(crate) fn run(&'static self, job: Arc<dyn Job>) {
        self.crew().push(job);
    }

    /// Helps until something is over. Returns false if there has been nothing to do for a while.
    pub(crate) fn help_until(&'static self, over: &dyn Fn() -> bool) -> bool {
        let crew = self.crew();
        let mut helps = self.helped;
        let mut patience = Backoff::new();
        loop {
            if over() {
                return true;
            }
            if helps && crew.has_work() && crew.take_seat() {
                let place = self.concurrency - 1;
                helps = inline(|worker| {
                    crew.run_jobs(WorkerContext {
                        worker,
                        place,
                        crew,
                        over: Some(over),
                    })
                });
                crew.leave_seat();
                crew.call_if_needed();
                patience = Backoff::new();
            } else if !patience.wait() {
                return false;
            }
        }
    }

    fn crew(&'static self) -> &'static Crew {
        self.crew.get(|| Crew {
            pool: self,
            jobs: ArrayQueue::new(ROOM),
            more: SegQueue::new(),
            idle: Idle::default(),
            busy: AtomicUsize::new(0),
            started: AtomicUsize::new(0),
            running: AtomicUsize::new(0),
            together: Mutex::default(),
            orders: Mutex::default(),
        })
    }
}

/// The threads of a pool in this process.
struct Crew {
    pool: &'static Pool,
    jobs: ArrayQueue<Arc<dyn Job>>,
    /// Jobs that found no room.
    more: SegQueue<Arc<dyn Job>>,
    idle: Idle,
    /// The number of taken seats.
    busy: AtomicUsize,
    /// The number of threads that run or are being started.
    started: AtomicUsize,
    /// The number of threads that run. They never end.
    running: AtomicUsize,
    /// The last gang: a command whose chunks wait for each other.
    together: Mutex<Option<Arc<dyn Node>>>,
    /// Locked while a command gets places in two orders.
    orders: Mutex<()>,
}

impl Crew {
    fn push(&'static self, job: Arc<dyn Job>) {
        if let Err(job) = self.jobs.push(job) {
            self.more.push(job);
        }
        self.call();
    }

    fn pop(&self) -> Option<Arc<dyn Job>> {
        self.jobs.pop().or_else(|| self.more.pop())
    }

    fn has_work(&self) -> bool {
        !self.jobs.is_empty() || !self.more.is_empty()
    }

    /// Whether a thread would come without being woken.
    #[inline]
    fn is_awake(&self) -> bool {
        self.busy.load(Ordering::Relaxed) != 0 || self.idle.has_lookers()
    }

    fn has_seat(&self) -> bool {
        self.busy.load(Ordering::SeqCst) < self.pool.concurrency
    }

    fn take_seat(&self) -> bool {
        let one_more = |busy| (busy < self.pool.concurrency).then_some(busy + 1);
        self.busy
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_more)
            .is_ok()
    }

    fn leave_seat(&self) {
        self.busy.fetch_sub(1, Ordering::SeqCst);
    }

    /// Ensures that a thread comes for the queued work, if a seat is free.
    fn call(&'static self) {
        if self.idle.call(|| self.has_seat()) == Called::Nobody {
            self.start();
        }
    }

    fn call_if_needed(&'static self) {
        if self.has_work() {
            self.call();
        }
    }

    /// Starts a thread, unless there are enough. On failure returns its place, and the error if there was one.
    fn try_start(&'static self) -> Result<(), (usize, Option<io::Error>)> {
        let one_more = |started| (started < self.pool.concurrency).then_some(started + 1);
        let place = self.started.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_more);
        let place = place.map_err(|all| (all, None))?;
        self.idle.look();
        let thread = std::thread::Builder::new().name(format!("ur worker {place}"));
        match thread.spawn(move || self.serve(place)) {
            Ok(_) => {
                self.running.fetch_add(1, Ordering::SeqCst);
                Ok(())
            }
            Err(error) => {
                self.idle.found();
                self.started.fetch_sub(1, Ordering::SeqCst);
                Err((place, Some(error)))
            }
        }
    }

    /// Starts a thread, unless there are enough.
    #[cold]
    fn start(&'static self) {
        let Err((place, Some(error))) = self.try_start() else {
            return;
        };
        if self.started.load(Ordering::SeqCst) > 0 {
            return log::debug!("a thread cannot be started, so there are fewer threads than CPUs: {error}");
        }
        log::warn!("no thread can be started, so commands run on the threads that submit them: {error}");
        inline(|worker| {
            self.run_jobs(WorkerContext {
                worker,
                place,
                crew: self,
                over: None,
            })
        });
    }

    /// The main function of a thread, which polls when it starts.
    fn serve(&'static self, place: usize) {
        system::block_signals();
        system::stay_on(&self.pool.cpus);
        let mut worker = ThreadContext::new();
        loop {
            self.find_work();
            self.run_jobs(WorkerContext {
                worker: &mut worker,
                place,
                crew: self,
                over: None,
            });
            // It polls once more before it gives up its seat, so a submitter need not wake it.
            self.idle.look();
            self.leave_seat();
        }
    }

    /// Polls or sleeps until there is work and a seat for it.
    fn find_work(&self) {
        let mut patience = Backoff::new();
        loop {
            if self.has_work() && self.take_seat() {
                return self.idle.found();
            }
            if !patience.wait() {
                self.idle.sleep(|| self.has_work() && self.has_seat());
                patience = Backoff::new();
            }
        }
    }

    /// Runs jobs while there are some. A helper stops, and returns false, at a job that may take long.
    fn run_jobs(&'static self, mut me: WorkerContext<'_>) -> bool {
        let mut next: Option<Arc<dyn Job>> = None;
        while !me.leaves()
            && let Some(job) = next.take().or_else(|| self.pop())
        {
            if me.over.is_some() && !job.is_brief() {
                self.push(job);
                return false;
            }
            // The next job is for another thread.
            self.call_if_needed();
            next = job.work(&mut me);
        }
        if let Some(job) = next {
            self.push(job);
        }
        true
    }
}

/// System calls for the threads of a pool.
mod system {
    use std::mem::MaybeUninit;

    /// Blocks the client's signals. Those that a kernel raises are still delivered.
    pub(super) fn block_signals() {
        let raised = [
            libc::SIGSEGV,
            libc::SIGBUS,
            libc::SIGFPE,
            libc::SIGILL,
            libc::SIGTRAP,
            libc::SIGABRT,
            libc::SIGSYS,
        ];
        let mut set = MaybeUninit::uninit();
        // SAFETY: `sigfillset` initializes the set; the rest changes this thread's mask only.
        unsafe {
            libc::sigfillset(set.as_mut_ptr());
            for signal in raised {
                libc::sigdelset(set.as_mut_ptr(), signal);
            }
            libc::pthread_sigmask(libc::SIG_SETMASK, set.as_ptr(), std::ptr::null_mut());
        }
    }

    /// Binds this thread to these CPUs. It has inherited the affinity of the thread that started it, which may be
    /// narrower.
    pub(super) fn stay_on(cpus: &[usize]) {
        let Some(last) = cpus.iter().max() else { return };
        let mut mask = vec![0u64; last / 64 + 1];
        for cpu in cpus {
            mask[cpu / 64] |= 1 << (cpu % 64);
        }
        // SAFETY: a mask of this many bytes; 0 is this thread.
        let result = unsafe { libc::sched_setaffinity(0, size_of_val(&*mask), mask.as_ptr().cast()) };
        if result != 0 {
            log::debug!(
                "a thread cannot be bound to its CPUs: {}",
                std::io::Error::last_os_error()
            );
        }
    }
}
