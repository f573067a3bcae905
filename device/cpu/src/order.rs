// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The order of the commands of a queue.
//!
//! Most commands run inline, on the thread that submits them, while the queue has no unfinished command. During that an
//! in-order queue is *busy*, which costs one compare-exchange before the command and a store after it. Other commands are
//! *linked*: each depends on the last one. A command that arrives while the queue is busy depends on a placeholder, which
//! ends with the inline command.
//!
//! Linking a command costs many times what a short command does, and forces later commands to be linked, too. So if all
//! unfinished commands are short, the next one briefly waits for them and then runs inline.
//!
//! An out-of-order queue does not track inline commands, but an unfinished barrier keeps commands from running inline. All
//! other commands are dependencies of a *marker*, a command that does nothing. A thread that must wait for all commands so
//! far submits the marker, which is then called the *fence*; later commands go to a new marker.

use std::hint::cold_path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use oxur_compiler::{Fault, ThreadContext};
use oxur_fork::Mutex;

use crate::exec::{self, AsymmetricFence, Backoff, Node, Pool, Task, Work, submit};

/// The order of the commands of a queue.
pub enum Order {
    /// Each command begins when the one before has ended.
    InOrder(InOrder),
    /// Commands wait only for barriers and for what they depend on.
    OutOfOrder(OutOfOrder),
}

/// How a command is ordered in an out-of-order queue.
#[derive(Clone, Copy, Debug, Default)]
pub struct OrderFlags {
    /// It depends on all earlier commands.
    pub after_all: bool,
    /// All later commands depend on it.
    pub barrier: bool,
}

/// Work that does nothing, for a command that only takes part in the order.
pub struct Empty;

impl Work for Empty {
    fn chunks(&self) -> u64 {
        0
    }

    fn run(&self, _chunks: std::ops::Range<u64>, _worker: &mut ThreadContext) -> Result<(), Fault> {
        Ok(())
    }
}

/// Ends an inline command in an order when it is dropped, even by a panic.
pub struct InlineGuard<'a>(pub &'a Order);

impl Drop for InlineGuard<'_> {
    #[inline]
    fn drop(&mut self) {
        self.0.end();
    }
}

/// A command that does nothing. It stays unfinished until it is submitted.
pub fn unsubmitted(pool: &'static Pool) -> Arc<dyn Node> {
    Task::new(pool, Empty, false)
}

impl Order {
    /// The order of a new queue, whose commands run on the threads of a pool.
    pub fn new(in_order: bool, pool: &'static Pool) -> Self {
        if in_order {
            Self::InOrder(InOrder {
                inline: AtomicU32::new(idle()),
                linked: AtomicBool::new(false),
                fence: AsymmetricFence::best(),
                links: Mutex::default(),
                pool,
            })
        } else {
            Self::OutOfOrder(OutOfOrder {
                has_barrier: AtomicBool::new(false),
                links: Mutex::default(),
                pool,
            })
        }
    }

    /// Returns whether a command may run inline. If so, the caller runs it and then calls [`Order::end`].
    #[inline(always)]
    pub fn begin(&self) -> bool {
        match self {
            Self::InOrder(order) => order.begin(),
            Self::OutOfOrder(order) => !order.is_blocked(),
        }
    }

    /// Ends an inline command that [`Order::begin`] allowed.
    #[inline]
    pub fn end(&self) {
        if let Self::InOrder(order) = self {
            order.end();
        }
    }

    /// Adds the dependencies on earlier commands to a command, which the caller submits next. `brief` says that it is
    /// short and has no other dependencies.
    pub fn append(&self, command: &Arc<dyn Node>, flags: OrderFlags, brief: bool) {
        match self {
            Self::InOrder(order) => order.append(command, brief),
            Self::OutOfOrder(order) => order.append(command, flags),
        }
    }

    /// A command that ends when all commands so far have ended; `None` if they already have.
    pub fn all(&self) -> Option<Arc<dyn Node>> {
        match self {
            Self::InOrder(order) => order.last(),
            Self::OutOfOrder(order) => order.all(),
        }
    }

    /// Whether all commands have ended.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::InOrder(order) => order.last().is_none(),
            Self::OutOfOrder(order) => order.is_empty(),
        }
    }
}

/// The order of an in-order queue: see the [module](self).
pub struct InOrder {
    /// [`idle`] or [`busy`].
    inline: AtomicU32,
    /// Whether there are linked commands, which may be unfinished: then none begins inline. Changed under the lock of `links`.
    linked: AtomicBool,
    /// Between the end of an inline command and a command that is linked meanwhile.
    fence: AsymmetricFence,
    links: Mutex<InOrderLinks>,
    pool: &'static Pool,
}

/// No thread runs a command inline. The number holds the process [generation](exec::generation), because a command that ran
/// on another thread at a `fork` never ends in the child.
#[inline(always)]
fn idle() -> u32 {
    exec::generation() << 1
}

/// A thread runs a command inline, or finds out that it may not.
#[inline(always)]
fn busy() -> u32 {
    idle() | 1
}

/// Where another thread may come between: tests let it.
#[inline(always)]
fn widen_race() {
    #[cfg(test)]
    (0..exec::clock::cycles() % 64).for_each(|_| std::hint::spin_loop());
}

#[derive(Default)]
struct InOrderLinks {
    last: Option<Arc<dyn Node>>,
    /// The placeholder of the inline command that others depend on.
    running: Option<Arc<dyn Node>>,
    /// Whether all linked commands are short and depend only on each other.
    brief: bool,
}

impl InOrder {
    #[inline]
    fn begin(&self) -> bool {
        self.try_begin() || self.begin_slow()
    }

    #[inline]
    fn try_begin(&self) -> bool {
        if self.linked.load(Ordering::Relaxed) {
            return false;
        }
        widen_race();
        let taken = self
            .inline
            .compare_exchange(idle(), busy(), Ordering::SeqCst, Ordering::Relaxed)
            .is_ok();
        // A thread that links a command looks for an inline one after it said so: one of both sees the other.
        if taken && self.linked.load(Ordering::SeqCst) {
            cold_path();
            self.end();
            return false;
        }
        taken
    }

    /// [`InOrder::begin`] for a queue that is not idle. Waits for short commands, but no longer than it would take to wake
    /// another thread for the next command.
    #[cold]
    fn begin_slow(&self) -> bool {
        let backoff = Backoff::start();
        loop {
            match self.last_and_brief() {
                // The queue is idle, or another thread runs a command inline.
                (None, _) => {
                    if self.try_begin() {
                        return true;
                    }
                    if !backoff.wait() {
                        return false;
                    }
                }
                (Some(_), false) => return false,
                (Some(last), true) => {
                    while !last.is_over() {
                        if !backoff.wait() {
                            return false;
                        }
                    }
                }
            }
        }
    }

    #[inline]
    fn end(&self) {
        self.inline.store(idle(), Ordering::Release);
        self.fence.light();
        widen_race();
        if self.linked.load(Ordering::Relaxed) {
            self.end_slow();
        }
    }

    /// Ends the placeholder of an inline command that others may depend on.
    #[cold]
    fn end_slow(&self) {
        let mut links = self.links.lock();
        // Another thread may have begun since then. If so, a placeholder may be for that one, which also gets here.
        if self.inline.load(Ordering::SeqCst) != idle() {
            return;
        }
        let running = links.running.take();
        drop(links);
        // Submitting the placeholder ends it.
        running.into_iter().for_each(submit);
    }

    fn append(&self, command: &Arc<dyn Node>, brief: bool) {
        let mut links = self.links.lock();
        self.reset_after_fork(&mut links);
        // `others_brief`: whether all commands that were linked before have ended or are short.
        let (before, others_brief) = if self.linked.load(Ordering::Relaxed) {
            let last = links.last.take_if(|last| !last.is_over());
            let brief = last.is_none() || links.brief;
            (last, brief)
        } else {
            self.linked.store(true, Ordering::SeqCst);
            widen_race();
            (self.running(&mut links), true)
        };
        links.brief = brief && others_brief;
        links.last = Some(command.clone());
        drop(links);
        if let Some(before) = before {
            command.wait_for(&before, false);
        }
    }

    /// The placeholder of the command that runs inline, after [`InOrder::linked`] was set; `None` if there is no such command.
    fn running(&self, links: &mut InOrderLinks) -> Option<Arc<dyn Node>> {
        if self.inline.load(Ordering::SeqCst) != busy() {
            return None;
        }
        self.fence.heavy();
        // Either the command has ended, which is seen here, or it will see that a command was linked.
        if self.inline.load(Ordering::SeqCst) != busy() {
            return None;
        }
        links.running = Some(unsubmitted(self.pool));
        links.running.clone()
    }

    /// The last linked command, unless it has ended.
    fn last(&self) -> Option<Arc<dyn Node>> {
        self.last_and_brief().0
    }

    /// The last linked command, unless it has ended, and whether all linked commands are short.
    fn last_and_brief(&self) -> (Option<Arc<dyn Node>>, bool) {
        // No lock if nothing is linked: threads that poll here would contend for it with those that link commands.
        if !self.linked.load(Ordering::Acquire) && self.is_of_this_process() {
            return (None, false);
        }
        let mut links = self.links.lock();
        self.reset_after_fork(&mut links);
        if links.last.as_ref().is_some_and(|last| last.is_over()) {
            links.last = None;
            self.linked.store(false, Ordering::Release);
        }
        (links.last.clone(), links.brief)
    }

    fn is_of_this_process(&self) -> bool {
        self.inline.load(Ordering::Acquire) >> 1 == exec::generation()
    }

    /// Discards the commands of the parent process in a child of `fork`.
    fn reset_after_fork(&self, links: &mut InOrderLinks) {
        if self.is_of_this_process() {
            return;
        }
        // Leaked: the commands end in the parent, so their destructors must not run here.
        std::mem::forget(std::mem::take(links));
        self.linked.store(false, Ordering::Relaxed);
        self.inline.store(idle(), Ordering::Release);
    }
}

/// The order of an out-of-order queue: see the [module](self).
pub struct OutOfOrder {
    /// Whether there is a barrier, which may be unfinished.
    has_barrier: AtomicBool,
    links: Mutex<OutOfOrderLinks>,
    pool: &'static Pool,
}

#[derive(Default)]
struct OutOfOrderLinks {
    /// Depends on all commands since the last fence. Not submitted.
    marker: Option<Arc<dyn Node>>,
    /// The last marker that was submitted. It depends on the fence before it.
    fence: Option<Arc<dyn Node>>,
    /// The last barrier.
    barrier: Option<Arc<dyn Node>>,
}

impl OutOfOrder {
    #[inline]
    fn is_blocked(&self) -> bool {
        self.has_barrier.load(Ordering::Acquire) && self.is_still_blocked()
    }

    #[cold]
    fn is_still_blocked(&self) -> bool {
        let mut links = self.links.lock();
        if links.barrier.as_ref().is_some_and(|barrier| !barrier.is_over()) {
            return true;
        }
        links.barrier = None;
        self.has_barrier.store(false, Ordering::Release);
        false
    }

    fn append(&self, command: &Arc<dyn Node>, flags: OrderFlags) {
        let before = if flags.after_all { self.all() } else { None };
        let barrier = {
            let mut links = self.links.lock();
            let marker = links.marker.get_or_insert_with(|| unsubmitted(self.pool));
            if marker.is_over() {
                // An unsubmitted command counts as ended only in a child of `fork`. Leaked: it belongs to the parent.
                std::mem::forget(std::mem::replace(marker, unsubmitted(self.pool)));
            }
            marker.wait_for(command, false);
            if flags.barrier {
                self.has_barrier.store(true, Ordering::Release);
                links.barrier.replace(command.clone())
            } else {
                links.barrier.clone()
            }
        };
        for before in before.iter().chain(&barrier) {
            command.wait_for(before, false);
        }
    }

    /// Submits the marker as the new fence, unless it has no unfinished dependency.
    fn all(&self) -> Option<Arc<dyn Node>> {
        let mut links = self.links.lock();
        let before = links.fence.clone().filter(|fence| !fence.is_over());
        let has_dependencies = |marker: &mut Arc<dyn Node>| !marker.is_over() && marker.unfinished_dependencies() > 0;
        let Some(fence) = links.marker.take_if(has_dependencies) else {
            return before;
        };
        links.fence = Some(fence.clone());
        drop(links);
        if let Some(before) = before {
            fence.wait_for(&before, false);
        }
        submit(fence.clone());
        (!fence.is_over()).then_some(fence)
    }

    fn is_empty(&self) -> bool {
        let links = self.links.lock();
        let is_over = |fence: &Arc<dyn Node>| fence.is_over();
        let has_none = |marker: &Arc<dyn Node>| marker.is_over() || marker.unfinished_dependencies() == 0;
        links.fence.as_ref().is_none_or(is_over) && links.marker.as_ref().is_none_or(has_none)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;
    use std::thread;

    use super::*;

    fn pool() -> &'static Pool {
        Pool::of(&[0], 3, true)
    }

    /// Work that calls a closure.
    struct Calls<F>(F);

    impl<F: Fn() + Send + Sync + 'static> Work for Calls<F> {
        fn run(&self, _chunks: std::ops::Range<u64>, _worker: &mut ThreadContext) -> Result<(), Fault> {
            self.0();
            Ok(())
        }
    }

    fn append(order: &Order, run: impl Fn() + Send + Sync + 'static) -> Arc<dyn Node> {
        let command: Arc<dyn Node> = Task::new(pool(), Calls(run), false);
        order.append(&command, OrderFlags::default(), true);
        submit(command.clone());
        command
    }

    #[test]
    fn in_order_commands_do_not_overlap() {
        // A counter without synchronization.
        struct Count(std::cell::UnsafeCell<u64>);
        // SAFETY: an in-order queue runs one command at a time, and orders each before the next.
        unsafe impl Sync for Count {}
        // SAFETY: as above.
        unsafe impl Send for Count {}
        impl Count {
            fn up(&self) {
                // SAFETY: as above.
                unsafe { *self.0.get() += 1 };
            }
        }
        const EACH: u64 = 2000;
        let count = Arc::new(Count(0.into()));
        let order = Order::new(true, pool());
        let inline = AtomicU64::new(0);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for i in 0..EACH {
                        if i % 3 != 0 && order.begin() {
                            count.up();
                            inline.fetch_add(1, Ordering::Relaxed);
                            order.end();
                        } else {
                            let count = count.clone();
                            append(&order, move || count.up());
                        }
                        if i % 50 == 0 {
                            order.all().into_iter().for_each(|all| assert!(all.wait()));
                        }
                    }
                });
            }
        });
        order.all().into_iter().for_each(|all| assert!(all.wait()));
        assert!(order.is_empty());
        // SAFETY: all commands have ended.
        assert_eq!(unsafe { *count.0.get() }, 8 * EACH);
        assert!(inline.load(Ordering::Relaxed) > 0);
        assert!(order.begin());
        order.end();
    }

    /// Of a thread that begins a command inline and one that links a command, both at the same moment, one waits.
    #[test]
    fn commands_of_two_threads_at_once_do_not_overlap() {
        const ROUNDS: usize = 2000;
        let (order, inside) = (Order::new(true, pool()), Arc::new(AtomicBool::new(false)));
        let arrived = AtomicU64::new(0);
        let meet = |round: usize| {
            arrived.fetch_add(1, Ordering::SeqCst);
            // On a busy machine the other thread may not run.
            for tries in (1..).take_while(|_| arrived.load(Ordering::SeqCst) < 2 * round as u64) {
                match tries % 1000 {
                    0 => thread::yield_now(),
                    _ => std::hint::spin_loop(),
                }
            }
        };
        fn alone(inside: &AtomicBool) -> bool {
            let others = inside.swap(true, Ordering::Relaxed);
            (0..500).for_each(|_| std::hint::spin_loop());
            inside.store(false, Ordering::Relaxed);
            !others
        }
        let overlaps = Arc::new(AtomicU64::new(0));
        thread::scope(|scope| {
            scope.spawn(|| {
                for round in 1..=ROUNDS {
                    meet(round);
                    if order.begin() {
                        overlaps.fetch_add((!alone(&inside)).into(), Ordering::Relaxed);
                        order.end();
                    }
                }
            });
            scope.spawn(|| {
                for round in 1..=ROUNDS {
                    meet(round);
                    let (inside, overlaps) = (inside.clone(), overlaps.clone());
                    let check = move || _ = overlaps.fetch_add((!alone(&inside)).into(), Ordering::Relaxed);
                    assert!(append(&order, check).wait());
                }
            });
        });
        assert_eq!(overlaps.load(Ordering::Relaxed), 0);
        assert!(order.is_empty());
    }

    #[test]
    fn commands_wait_for_an_inline_command() {
        let order = Order::new(true, pool());
        assert!(order.begin() && !order.begin());
        let first = append(&order, || ());
        let second = append(&order, || ());
        assert!(!first.is_over() && !order.begin() && !order.is_empty());
        order.end();
        assert!(second.wait() && first.is_over());
        assert!(order.begin());
        order.end();
        assert!(order.is_empty());
    }

    #[test]
    fn a_barrier_is_not_overtaken() {
        for _ in 0..100 {
            let order = Order::new(false, pool());
            let count = Arc::new(AtomicU64::new(0));
            for round in 0..10u64 {
                for _ in 0..5 {
                    let count = count.clone();
                    append(&order, move || {
                        let before = count.fetch_add(1, Ordering::Relaxed);
                        assert_eq!(before / 5, round);
                    });
                }
                let barrier = unsubmitted(pool());
                order.append(
                    &barrier,
                    OrderFlags {
                        after_all: true,
                        barrier: true,
                    },
                    false,
                );
                submit(barrier.clone());
                assert!(!order.begin() || barrier.is_over());
            }
            let all = order.all();
            all.iter().for_each(|all| assert!(all.wait()));
            assert_eq!(count.load(Ordering::Relaxed), 50);
            assert!(order.is_empty() && order.begin());
            assert!(order.all().is_none());
        }
    }

    #[test]
    fn a_fence_includes_the_one_before() {
        let order = Order::new(false, pool());
        let (send, receive) = std::sync::mpsc::channel::<()>();
        let receive = std::sync::Mutex::new(receive);
        let slow = append(&order, move || _ = receive.lock().unwrap().recv());
        let first = order.all().expect("a command is unfinished");
        append(&order, || ()).wait();
        let second = order.all().expect("the same command is unfinished");
        assert!(!first.is_over() && !second.is_over() && !order.is_empty());
        send.send(()).unwrap();
        assert!(second.wait() && first.is_over() && slow.is_over());
    }
}
