// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The order of the commands of a queue.
//!
//! Most commands run in the thread that submits them, while the queue has no unfinished command. An in-order queue is
//! then *busy*, which takes one exchange of a word before and one after. Commands that cannot run so are linked: each
//! waits for the last one. One that comes while the queue is busy waits for a command that stands for the one that runs.
//! A command that is linked costs many times what a short one takes, and has those behind it linked, too: where all that
//! are in the way are short, the next one waits a moment for them, to run where it is submitted after all.
//!
//! An out-of-order queue need not take note of commands that run where they are submitted, but of barriers. All others
//! are counted by a command, the *sum*, that is over when they are; whoever wants to wait for all commands so far closes
//! the sum, and a new one begins.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use oxur_compiler::{Fault, ThreadContext};
use oxur_fork::Mutex;

use crate::exec::{self, Backoff, Node, Pool, Task, Work, submit};

/// The order of the commands of a queue.
pub(crate) enum Order {
    InOrder(InOrder),
    OutOfOrder(OutOfOrder),
}

/// The place of a command in an out-of-order queue.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    /// It waits for all commands before it.
    pub(super) last: bool,
    /// All commands after it wait for it.
    pub(super) barrier: bool,
}

/// Work that does nothing: a command that only has a place in the order.
pub(super) struct Nothing;

impl Work for Nothing {
    fn chunks(&self) -> u64 {
        0
    }

    fn run(&self, _pieces: std::ops::Range<u64>, _worker: &mut ThreadContext) -> Result<(), Fault> {
        Ok(())
    }
}

/// A command that does nothing, and was not submitted.
pub(crate) fn nothing(pool: &'static Pool) -> Arc<dyn Node> {
    Task::new(pool, Nothing, false)
}

impl Order {
    pub(crate) fn new(in_order: bool, pool: &'static Pool) -> Self {
        if in_order {
            Self::InOrder(InOrder {
                state: AtomicU32::new(exec::generation() << 2 | IDLE),
                links: Mutex::default(),
                pool,
            })
        } else {
            Self::OutOfOrder(OutOfOrder {
                barred: AtomicBool::new(false),
                links: Mutex::default(),
                pool,
            })
        }
    }

    /// Says whether a command may run at once, because none is in its way. If so, the caller runs it, and calls
    /// [`Order::end`].
    #[inline(always)]
    pub(super) fn begin(&self) -> bool {
        match self {
            Self::InOrder(order) => order.begin(),
            Self::OutOfOrder(order) => !order.is_barred(),
        }
    }

    /// What [`Order::begin`] allowed is over.
    #[inline]
    pub(super) fn end(&self) {
        if let Self::InOrder(order) = self {
            order.end();
        }
    }

    /// Gives a command its place behind those that it must not overtake. The caller submits it next. `brief` says that it is
    /// short, and waits for nothing but its turn.
    pub(super) fn append(&self, command: &Arc<dyn Node>, place: Place, brief: bool) {
        match self {
            Self::InOrder(order) => order.append(command, brief),
            Self::OutOfOrder(order) => order.append(command, place),
        }
    }

    /// A command that is over when all are that were appended so far; `None` if they are.
    pub(super) fn all(&self) -> Option<Arc<dyn Node>> {
        match self {
            Self::InOrder(order) => order.last(),
            Self::OutOfOrder(order) => order.all(),
        }
    }

    /// Whether all commands are over.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::InOrder(order) => order.last().is_none(),
            Self::OutOfOrder(order) => order.is_empty(),
        }
    }
}

/// See the [module](self).
pub(crate) struct InOrder {
    /// One of the states below, and in the bits above the generation of the process: a command that another thread was
    /// running when the process forked never ends in the child.
    state: AtomicU32,
    links: Mutex<InOrderLinks>,
    pool: &'static Pool,
}

/// There is no unfinished command.
const IDLE: u32 = 0;
/// A thread runs a command at once, and there are no others.
const BUSY: u32 = 1;
/// There is a last command, which may be unfinished.
const LINKED: u32 = 2;

#[derive(Default)]
struct InOrderLinks {
    last: Option<Arc<dyn Node>>,
    /// Stands for the command that was running when others came.
    running: Option<Arc<dyn Node>>,
    /// Whether all that are linked are short, and wait for nothing but their turn.
    brief: bool,
}

impl InOrder {
    #[inline]
    fn step(&self, from: u32, to: u32) -> bool {
        let of_now = exec::generation() << 2;
        self.state
            .compare_exchange(of_now | from, of_now | to, Ordering::AcqRel, Ordering::Relaxed)
            .is_ok()
    }

    #[inline]
    fn begin(&self) -> bool {
        self.step(IDLE, BUSY) || self.begin_anew()
    }

    /// As [`InOrder::begin`], where there are others, or were. Waits for those that are short, but no longer than it takes
    /// to call another thread, which the next one would need.
    #[cold]
    fn begin_anew(&self) -> bool {
        let patience = Backoff::new();
        loop {
            match self.last_and_brief() {
                // None, or one that another thread runs at once.
                (None, _) => {
                    if self.step(IDLE, BUSY) {
                        return true;
                    }
                    if !patience.wait() {
                        return false;
                    }
                }
                (Some(_), false) => return false,
                (Some(last), true) => {
                    while !last.is_over() {
                        if !patience.wait() {
                            return false;
                        }
                    }
                }
            }
        }
    }

    #[inline]
    fn end(&self) {
        if !self.step(BUSY, IDLE) {
            self.end_with_others();
        }
    }

    #[cold]
    fn end_with_others(&self) {
        let running = self.links.lock().running.take();
        // Nobody had submitted it, so that it was not over before.
        running.into_iter().for_each(submit);
    }

    fn append(&self, command: &Arc<dyn Node>, brief: bool) {
        let mut links = self.links.lock();
        // With whether all that were linked before are over, or short.
        let (before, others_brief) = loop {
            if self.step(IDLE, LINKED) {
                break (None, true);
            }
            let state = self.state.load(Ordering::Acquire);
            if state == exec::generation() << 2 | LINKED {
                let last = links.last.take_if(|last| !last.is_over());
                let brief = last.is_none() || links.brief;
                break (last, brief);
            }
            if state >> 2 != exec::generation() {
                self.forget(&mut links, state);
            } else if state & 3 == BUSY {
                let running = nothing(self.pool);
                links.running = Some(running.clone());
                if self.step(BUSY, LINKED) {
                    break (Some(running), true);
                }
                // It has just ended.
                links.running = None;
            }
        };
        links.brief = brief && others_brief;
        links.last = Some(command.clone());
        drop(links);
        if let Some(before) = before {
            command.wait_for(&before, false);
        }
    }

    /// The last command, if it is not over.
    fn last(&self) -> Option<Arc<dyn Node>> {
        self.last_and_brief().0
    }

    /// The last command, if it is not over, and whether all that are linked are short.
    fn last_and_brief(&self) -> (Option<Arc<dyn Node>>, bool) {
        let state = self.state.load(Ordering::Acquire);
        // No lock where a thread runs one at once: it would keep that thread and others waiting.
        if state & 3 != LINKED && state >> 2 == exec::generation() {
            return (None, false);
        }
        let mut links = self.links.lock();
        let state = self.state.load(Ordering::Acquire);
        if state >> 2 != exec::generation() {
            self.forget(&mut links, state);
        }
        if links.last.as_ref().is_some_and(|last| last.is_over()) {
            links.last = None;
            // Linked, and so are all changes of that state under the lock.
            self.step(LINKED, IDLE);
        }
        (links.last.clone(), links.brief)
    }

    /// Forgets the commands of the process that this one was forked from.
    #[cold]
    fn forget(&self, links: &mut InOrderLinks, state: u32) {
        // Their ends would be for that process to see.
        std::mem::forget(std::mem::take(links));
        let anew = exec::generation() << 2 | IDLE;
        _ = self
            .state
            .compare_exchange(state, anew, Ordering::AcqRel, Ordering::Relaxed);
    }
}

/// See the [module](self).
pub(crate) struct OutOfOrder {
    /// Whether there is a barrier that may be unfinished.
    barred: AtomicBool,
    links: Mutex<OutOfOrderLinks>,
    pool: &'static Pool,
}

#[derive(Default)]
struct OutOfOrderLinks {
    /// Waits for all commands since the one before was closed. It is submitted when it is closed.
    sum: Option<Arc<dyn Node>>,
    /// The sum that was closed last, which waits for those before it.
    closed: Option<Arc<dyn Node>>,
    barrier: Option<Arc<dyn Node>>,
}

impl OutOfOrder {
    #[inline]
    fn is_barred(&self) -> bool {
        self.barred.load(Ordering::Acquire) && self.is_barred_still()
    }

    #[cold]
    fn is_barred_still(&self) -> bool {
        let mut links = self.links.lock();
        if links.barrier.as_ref().is_some_and(|barrier| !barrier.is_over()) {
            return true;
        }
        links.barrier = None;
        self.barred.store(false, Ordering::Release);
        false
    }

    fn append(&self, command: &Arc<dyn Node>, place: Place) {
        let before = if place.last { self.all() } else { None };
        let barrier = {
            let mut links = self.links.lock();
            let sum = links.sum.get_or_insert_with(|| nothing(self.pool));
            if sum.is_over() {
                // It was not submitted, so it is of the process that this one was forked from.
                std::mem::forget(std::mem::replace(sum, nothing(self.pool)));
            }
            sum.wait_for(command, false);
            if place.barrier {
                self.barred.store(true, Ordering::Release);
                links.barrier.replace(command.clone())
            } else {
                links.barrier.clone()
            }
        };
        for before in before.iter().chain(&barrier) {
            command.wait_for(before, false);
        }
    }

    /// Closes the sum, unless there is nothing in it.
    fn all(&self) -> Option<Arc<dyn Node>> {
        let mut links = self.links.lock();
        let before = links.closed.clone().filter(|closed| !closed.is_over());
        let Some(sum) = links.sum.take_if(|sum| !sum.is_over() && sum.waits() > 0) else {
            return before;
        };
        links.closed = Some(sum.clone());
        drop(links);
        if let Some(before) = before {
            sum.wait_for(&before, false);
        }
        submit(sum.clone());
        (!sum.is_over()).then_some(sum)
    }

    fn is_empty(&self) -> bool {
        let links = self.links.lock();
        let is_over = |closed: &Arc<dyn Node>| closed.is_over();
        let has_none = |sum: &Arc<dyn Node>| sum.is_over() || sum.waits() == 0;
        links.closed.as_ref().is_none_or(is_over) && links.sum.as_ref().is_none_or(has_none)
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
        fn run(&self, _pieces: std::ops::Range<u64>, _worker: &mut ThreadContext) -> Result<(), Fault> {
            self.0();
            Ok(())
        }
    }

    fn append(order: &Order, run: impl Fn() + Send + Sync + 'static) -> Arc<dyn Node> {
        let command: Arc<dyn Node> = Task::new(pool(), Calls(run), false);
        order.append(&command, Place::default(), true);
        submit(command.clone());
        command
    }

    #[test]
    fn one_after_the_other() {
        // A count that is not safe for threads at the same time.
        struct Count(std::cell::UnsafeCell<u64>);
        // SAFETY: an in-order queue runs one command at a time.
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
        let at_once = AtomicU64::new(0);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for i in 0..EACH {
                        if i % 3 != 0 && order.begin() {
                            count.up();
                            at_once.fetch_add(1, Ordering::Relaxed);
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
        // SAFETY: nothing runs any more.
        assert_eq!(unsafe { *count.0.get() }, 8 * EACH);
        assert!(at_once.load(Ordering::Relaxed) > 0);
        assert!(order.begin());
        order.end();
    }

    #[test]
    fn what_comes_while_one_runs_waits_for_it() {
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
                let barrier = nothing(pool());
                order.append(
                    &barrier,
                    Place {
                        last: true,
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
    fn sums_include_those_before() {
        let order = Order::new(false, pool());
        let (send, receive) = std::sync::mpsc::channel::<()>();
        let receive = std::sync::Mutex::new(receive);
        let slow = append(&order, move || _ = receive.lock().unwrap().recv());
        let first = order.all().expect("a command is under way");
        append(&order, || ()).wait();
        let second = order.all().expect("the same command is");
        assert!(!first.is_over() && !second.is_over() && !order.is_empty());
        send.send(()).unwrap();
        assert!(second.wait() && first.is_over() && slow.is_over());
    }
}
