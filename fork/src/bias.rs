// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Turns that are cheap for a thread that has them for itself, as most objects of a client are one thread's.
//!
//! The first thread that takes a lock becomes its owner. An owner takes it without an atomic operation: it stores that it has
//! the turn, and then looks whether it is still the owner. Another thread ends that for good: it stores that there is no owner,
//! has all threads of the process pass a fence (`membarrier`), and then looks whether the owner has the turn. By Dekker's
//! pattern one of the two sees the other's store. It costs microseconds, once for each lock, and a process in which it
//! happens often makes no more owners. A thread that seldom wants many locks at once leaves them their owners: it makes
//! these wait for its turn only.

use std::hint::cold_path;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicUsize, Ordering, compiler_fence, fence};
use std::time::Duration;

use smallvec::SmallVec;

use crate::gate::generation;
use crate::turns::{Turn, Turns, futex_wait, futex_wake};

/// A lock as [`Turns`].
#[derive(Debug)]
pub(crate) struct BiasedTurns {
    /// Taken by all that are not the owner.
    turns: Turns,
    /// Zero while the owner does not have the turn, otherwise the generation of the process plus one. The owner stores it, and
    /// a thread that has the turn of `turns`.
    held: AtomicU32,
    /// The thread that needs no turn of `turns`, or one of the constants below. Who has that turn stores it.
    owner: AtomicUsize,
}

/// How long a thread waits at most before it looks again whether the owner has the turn: an owner may look whether another waits
/// just before that begins to, and does not wake it.
const MISSED_WAKE: Duration = Duration::from_micros(500);

/// How often it looks before it sleeps: most turns are short.
const SPINS: u32 = 200;

/// No thread has become the owner yet.
const UNUSED: usize = 1;
/// There is no owner any more.
const NOBODY: usize = 2;

/// Releases the lock when it is dropped.
#[derive(Debug)]
#[must_use]
pub(crate) struct BiasedTurn<'a> {
    turns: &'a BiasedTurns,
    /// The owner; 0 for a turn of `turns`.
    owner: usize,
    of: u32,
    inherited: bool,
}

impl Default for BiasedTurns {
    fn default() -> Self {
        Self::new()
    }
}

impl BiasedTurns {
    /// An unlocked lock.
    pub(crate) const fn new() -> Self {
        Self {
            turns: Turns::new(),
            held: AtomicU32::new(0),
            owner: AtomicUsize::new(UNUSED),
        }
    }

    /// The same with the calling thread as the owner from the start.
    #[inline]
    pub(crate) fn of_this_thread() -> Self {
        Self {
            owner: AtomicUsize::new(if may_own() { this_thread() } else { UNUSED }),
            ..Self::new()
        }
    }

    /// Whether the calling thread is the owner, or becomes it now.
    #[inline(always)]
    pub(crate) fn claim(&self) -> bool {
        let (owner, me) = (self.owner.load(Ordering::Relaxed), this_thread());
        owner == me || owner == UNUSED && self.become_owner(me)
    }

    #[cold]
    fn become_owner(&self, me: usize) -> bool {
        may_own() && {
            drop(self.take());
            self.owner.load(Ordering::Relaxed) == me
        }
    }

    /// Waits until it is free, and takes it. Inlined, so that a turn is in registers.
    #[inline(always)]
    pub(crate) fn take(&self) -> BiasedTurn<'_> {
        let (me, of) = (this_thread(), generation() + 1);
        // Acquire: a thread that has ended may have been the owner under the same number.
        if self.owner.load(Ordering::Relaxed) == me && self.held.load(Ordering::Acquire) == 0 {
            self.held.store(of, Ordering::Relaxed);
            // The processor may load before others see the store: see `fence_everywhere`.
            compiler_fence(Ordering::SeqCst);
            if self.owner.load(Ordering::Acquire) == me {
                return self.turn(me, of, false);
            }
            self.give_back();
        }
        let (owner, of) = self.wait(me, of);
        self.turn(owner, of >> 1, of & 1 != 0)
    }

    /// The same, unless somebody has it. Another thread that is the owner is waited for all the same: that happens once.
    #[inline(always)]
    pub(crate) fn try_take(&self) -> Option<BiasedTurn<'_>> {
        let (me, of) = (this_thread(), generation() + 1);
        if self.owner.load(Ordering::Relaxed) != me {
            let (owner, of) = self.with_turn(self.turns.try_take()?, me, of);
            return Some(self.turn(owner, of >> 1, of & 1 != 0));
        }
        if self.held.load(Ordering::Relaxed) == of {
            cold_path();
            return None;
        }
        Some(self.take())
    }

    #[inline(always)]
    fn turn(&self, owner: usize, of: u32, inherited: bool) -> BiasedTurn<'_> {
        BiasedTurn {
            turns: self,
            owner,
            of,
            inherited,
        }
    }

    /// Takes it for a thread that is not the owner. Two numbers in registers: the owner if that is the caller now, else zero; and
    /// what the turn is of, above a bit that says whether a thread of the parent had it.
    #[inline(never)]
    fn wait(&self, me: usize, of: u32) -> (usize, u32) {
        self.with_turn(self.turns.take(), me, of)
    }

    /// The same for a thread that has a turn of `turns`.
    #[inline(always)]
    fn with_turn(&self, turn: Turn<'_>, me: usize, of: u32) -> (usize, u32) {
        match self.owner.load(Ordering::Relaxed) {
            NOBODY => Self::plain(turn, false),
            owner => self.settle(turn, owner, me, of),
        }
    }

    /// A turn of `turns`, which is as good.
    #[inline(always)]
    fn plain(turn: Turn<'_>, inherited: bool) -> (usize, u32) {
        let (of, was_inherited) = turn.into_parts();
        (0, of << 1 | u32::from(inherited || was_inherited))
    }

    /// Makes the caller the owner, who has a turn of `turns`, or sees to it that there is none.
    #[cold]
    fn settle(&self, turn: Turn<'_>, owner: usize, me: usize, of: u32) -> (usize, u32) {
        let inherited = match owner {
            UNUSED if !may_own() => return Self::plain(turn, false),
            UNUSED => false,
            _ => {
                if owner != me {
                    self.owner.store(NOBODY, Ordering::SeqCst);
                    fence_everywhere();
                    ENDED.fetch_add(1, Ordering::Relaxed);
                }
                // An owner that is here has the turn already and would wait for itself, or had it when the process was forked.
                self.wait_for_owner(of)
            }
        };
        if owner != UNUSED && owner != me {
            return Self::plain(turn, inherited);
        }
        let inherited = inherited || turn.is_inherited();
        // Who takes the turn of `turns` next sees both.
        self.held.store(of, Ordering::Relaxed);
        self.owner.store(me, Ordering::Relaxed);
        drop(turn);
        (me, of << 1 | u32::from(inherited))
    }

    /// Waits until the owner, whom all turns from now on pass by, does not have the turn. Whether it had it in the parent of
    /// this process, and will never give it back.
    fn wait_for_owner(&self, of: u32) -> bool {
        for round in 0.. {
            match self.held.load(Ordering::Acquire) {
                0 => break,
                held if held != of => {
                    self.held.store(0, Ordering::Relaxed);
                    return true;
                }
                _ if round < SPINS => std::hint::spin_loop(),
                held => futex_wait(&self.held, held, Some(MISSED_WAKE)),
            }
        }
        false
    }

    /// The turn is not the owner's after all: another thread waits for it.
    #[cold]
    fn give_back(&self) {
        self.held.store(0, Ordering::Release);
        futex_wake(&self.held);
    }
}

/// A turn of one of several locks, which leaves the lock its owner.
#[derive(Debug)]
#[must_use]
pub(crate) struct PassingTurn<'a> {
    /// The owner that the turn passes by, if there is one; else one of the constants above.
    passed: usize,
    /// Released last.
    turn: BiasedTurn<'a>,
}

/// Some of them. Most callers want few: more are elsewhere.
pub(crate) type PassingTurns<'a> = SmallVec<[PassingTurn<'a>; 4]>;

impl BiasedTurns {
    /// Takes several locks, in this order. The caller has none of them.
    #[inline]
    pub(crate) fn take_all<'a>(all: impl Iterator<Item = &'a Self>) -> PassingTurns<'a> {
        let me = this_thread();
        let take = |turns: &'a Self| {
            // It stays so: none but the owner makes itself one.
            if turns.owner.load(Ordering::Relaxed) == me {
                let turn = turns.take();
                return PassingTurn { passed: NOBODY, turn };
            }
            let (of, inherited) = turns.turns.take().into_parts();
            PassingTurn {
                passed: turns.owner.load(Ordering::Relaxed),
                turn: turns.turn(0, of, inherited),
            }
        };
        let mut passing: PassingTurns<'a> = all.map(take).collect();
        if passing.iter().any(PassingTurn::passes) {
            Self::pass_owners(&mut passing);
        }
        passing
    }

    /// Has the owners wait that are passed by, and waits for those that have a turn.
    #[cold]
    fn pass_owners(passing: &mut PassingTurns<'_>) {
        let of = generation() + 1;
        let others = || passing.iter().filter(|turn| turn.passes());
        others().for_each(|other| other.turn.turns.owner.store(NOBODY, Ordering::SeqCst));
        let is_fenced = fence_everywhere();
        others().for_each(|other| _ = other.turn.turns.wait_for_owner(of));
        if !is_fenced {
            // Each time would take as long.
            passing.iter_mut().for_each(|turn| turn.passed = NOBODY);
        }
    }
}

impl PassingTurn<'_> {
    /// Whether there is an owner that it passes by.
    #[inline]
    fn passes(&self) -> bool {
        !matches!(self.passed, UNUSED | NOBODY)
    }
}

impl Drop for PassingTurn<'_> {
    #[inline]
    fn drop(&mut self) {
        if self.passes() {
            // Release: the owner looks at it last before it goes on.
            self.turn.turns.owner.store(self.passed, Ordering::Release);
        }
    }
}

impl BiasedTurn<'_> {
    /// Whether the owner has it.
    #[inline]
    pub(crate) fn is_owners(&self) -> bool {
        self.owner != 0
    }

    /// Whether a thread of the parent had it when the process was forked.
    #[inline]
    pub(crate) fn is_inherited(&self) -> bool {
        self.inherited
    }
}

impl Drop for BiasedTurn<'_> {
    #[inline]
    fn drop(&mut self) {
        let turns = self.turns;
        if self.owner == 0 {
            return drop(Turn::from_parts(&turns.turns, self.of));
        }
        // In a child of the process that locked it, it may be free already.
        if turns.held.load(Ordering::Relaxed) != self.of {
            cold_path();
            return;
        }
        let is_owner = turns.owner.load(Ordering::Relaxed) == self.owner;
        compiler_fence(Ordering::SeqCst);
        // From here on the lock may be gone: the thread that waits may free what it is in.
        turns.held.store(0, Ordering::Release);
        if !is_owner {
            cold_path();
            futex_wake(&turns.held);
        }
    }
}

/// A number that no other running thread has; one that begins when this one has ended may get the same. It is not 0. It takes no
/// call: in a library, the address of a variable of the thread would.
#[inline(always)]
pub fn this_thread() -> usize {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        let pointer: usize;
        // SAFETY: Linux's ABI has the address of the thread's control block there, and it does not change.
        unsafe {
            std::arch::asm!("mov {}, fs:[0]", out(reg) pointer, options(pure, readonly, nostack, preserves_flags))
        };
        pointer
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    {
        thread_local!(static HERE: u8 = const { 0 });
        HERE.with(|here| std::ptr::from_ref(here).addr())
    }
}

/// Whether the kernel has every thread pass a fence: one of the constants below.
static FENCES: AtomicU8 = AtomicU8::new(UNKNOWN);
const UNKNOWN: u8 = 0;
const PRESENT: u8 = 1;
const ABSENT: u8 = 2;

/// How many locks were taken while that was unknown. To ask takes milliseconds where there are other threads: not for a process
/// that takes few.
static TAKEN: AtomicU32 = AtomicU32::new(0);
const FEW: u32 = 10_000;

/// How many locks have lost their owners.
static ENDED: AtomicU32 = AtomicU32::new(0);
const MOST_ENDED: u32 = 1000;

/// Whether a lock may have an owner from now on.
fn may_own() -> bool {
    match FENCES.load(Ordering::Relaxed) {
        PRESENT => ENDED.load(Ordering::Relaxed) < MOST_ENDED,
        UNKNOWN if cfg!(all(target_arch = "x86_64", not(miri))) => {
            // Not exactly: two threads may count as one.
            let taken = TAKEN.load(Ordering::Relaxed) + 1;
            TAKEN.store(taken, Ordering::Relaxed);
            if taken >= FEW {
                let fences = if register() { PRESENT } else { ABSENT };
                // Once only: where it is present, locks may have owners already.
                _ = FENCES.compare_exchange(UNKNOWN, fences, Ordering::SeqCst, Ordering::Relaxed);
            }
            false
        }
        _ => false,
    }
}

fn membarrier(command: libc::c_int) -> bool {
    // SAFETY: the call has no pointers.
    unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) == 0 }
}

/// Says that the process will want fences of all its threads. A child of `fork` need not say so again. Some sandboxes answer that all
/// is well and do nothing: the query has to name the command.
fn register() -> bool {
    // SAFETY: the call has no pointers.
    let known = unsafe { libc::syscall(libc::SYS_membarrier, libc::MEMBARRIER_CMD_QUERY, 0, 0) };
    known > 0
        && known & libc::c_long::from(libc::MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0
        && membarrier(libc::MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED)
}

/// Passes a fence, and has all other threads pass one. Where the kernel no longer does that, it takes 10 ms and answers `false`.
pub(crate) fn fence_everywhere() -> bool {
    fence(Ordering::SeqCst);
    if FENCES.load(Ordering::Relaxed) != PRESENT {
        // No thread does without one of its own. One that sees that this has changed does so behind an atomic operation of its
        // own, and so behind what the caller has stored.
        return true;
    }
    let command = libc::MEMBARRIER_CMD_PRIVATE_EXPEDITED;
    let passed = membarrier(command) || register() && membarrier(command);
    if !passed {
        // The kernel has forbidden it meanwhile: no more owners. No processor keeps a store from others for so long.
        ENDED.store(MOST_ENDED, Ordering::Relaxed);
        std::thread::sleep(Duration::from_millis(10));
    }
    passed
}

#[cfg(test)]
mod tests;
