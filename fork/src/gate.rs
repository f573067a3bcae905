// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Sections, and the handlers of `pthread_atfork` that wait for them.
//!
//! A thread says that it is in a section by a count of its own, which it writes without atomic operations that cost
//! anything. It then looks at the gate, and who forks closes the gate and then looks at the counts: one of the two sees
//! the other (Dekker's algorithm).

use std::cell::{Cell, UnsafeCell};
use std::hint::cold_path;
use std::marker::PhantomData;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering, compiler_fence, fence};
use std::sync::{Arc, Mutex as StdMutex, MutexGuard as StdMutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

/// What a thread has here. It is never freed: another thread may look at it.
#[repr(align(64))]
struct Slot {
    /// How many sections the thread is in.
    depth: AtomicU32,
    /// Whether it goes back with the end of the outermost section, since the thread is ending and cannot keep it.
    transient: AtomicBool,
}

/// All slots, and those that no thread has.
struct Slots {
    all: Vec<&'static Slot>,
    free: Vec<&'static Slot>,
}

/// The standard library's: a waiting thread leaves nothing but a bit in the lock, which does no harm in the child. It is
/// held over a fork.
static SLOTS: StdMutex<Slots> = StdMutex::new(Slots {
    all: Vec::new(),
    free: Vec::new(),
});

fn slots() -> StdMutexGuard<'static, Slots> {
    SLOTS.lock().unwrap_or_else(PoisonError::into_inner)
}

thread_local! {
    /// This thread's slot, or null.
    static MINE: Cell<*const Slot> = const { Cell::new(ptr::null()) };
    /// Gives it back when the thread ends.
    static OWNER: Owner = Owner(slots().take());
}

struct Owner(&'static Slot);

impl Drop for Owner {
    fn drop(&mut self) {
        // Whoever takes a lock later in this thread, at the end of something else, gets another.
        MINE.set(ptr::null());
        slots().give(self.0);
    }
}

impl Slots {
    fn take(&mut self) -> &'static Slot {
        self.free.pop().unwrap_or_else(|| {
            let new: &'static Slot = Box::leak(Box::new(Slot {
                depth: AtomicU32::new(0),
                transient: AtomicBool::new(false),
            }));
            self.all.push(new);
            new
        })
    }

    fn give(&mut self, slot: &'static Slot) {
        slot.depth.store(0, Ordering::Release);
        slot.transient.store(false, Ordering::Relaxed);
        self.free.push(slot);
    }
}

#[inline(always)]
fn mine() -> &'static Slot {
    let slot = MINE.get();
    if slot.is_null() {
        cold_path();
        return find_mine();
    }
    // SAFETY: slots are never freed.
    unsafe { &*slot }
}

#[cold]
#[inline(never)]
fn find_mine() -> &'static Slot {
    watch();
    let slot = OWNER.try_with(|owner| owner.0).unwrap_or_else(|_| {
        let slot = slots().take();
        slot.transient.store(true, Ordering::Relaxed);
        slot
    });
    MINE.set(slot);
    slot
}

/// Whether threads may enter sections.
static GATE: AtomicU32 = AtomicU32::new(OPEN);
const OPEN: u32 = 0;
/// A thread is about to fork. One that has waited a while may enter all the same: somebody in a section may need it.
const CLOSING: u32 = 1;
/// The process forks, and no thread is in a section.
const CLOSED: u32 = 2;

/// While it lives, the process does not fork in other threads.
#[derive(Debug)]
#[must_use]
pub struct Section {
    slot: &'static Slot,
    /// It is the thread's.
    thread: PhantomData<*const ()>,
}

impl std::fmt::Debug for Slot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Slot").field("depth", &self.depth).finish()
    }
}

/// Stops the calling thread: it is in no section any more, and never runs again.
pub fn stop_for_good() -> ! {
    mine().depth.store(0, Ordering::Release);
    loop {
        std::thread::park();
    }
}

/// Enters a section. See the [crate](crate): who is in one does not wait for other threads, nor call the client.
pub fn section() -> Section {
    Section::with(|| fence(Ordering::SeqCst)).0
}

impl Section {
    /// Enters a section by `locks`, which has the effect of a full fence on what comes before and after it.
    #[inline(always)]
    fn with<R>(mut locks: impl FnMut() -> R) -> (Self, R) {
        loop {
            let section = Self::begin();
            // The compiler must not move the count behind the lock.
            compiler_fence(Ordering::SeqCst);
            let locked = locks();
            if GATE.load(Ordering::Relaxed) == OPEN {
                return (section, locked);
            }
            cold_path();
            if section.passes() {
                return (section, locked);
            }
            // Unlocked in this order.
            drop(locked);
            drop(section);
            wait_at_gate();
        }
    }

    /// Enters a section by taking a lock.
    #[inline(always)]
    pub(crate) fn locking<R>(mut lock: impl FnMut() -> R) -> (Self, R) {
        // To take a lock is an atomic operation, and those of x86 are full fences.
        if cfg!(all(target_arch = "x86_64", not(miri))) {
            Self::with(lock)
        } else {
            Self::with(|| {
                fence(Ordering::SeqCst);
                lock()
            })
        }
    }

    #[inline(always)]
    fn begin() -> Self {
        let slot = mine();
        let depth = slot.depth.load(Ordering::Relaxed);
        slot.depth.store(depth + 1, Ordering::Relaxed);
        Self {
            slot,
            thread: PhantomData,
        }
    }

    /// Whether a thread goes on that has just begun a section while the gate is not open.
    #[cold]
    fn passes(&self) -> bool {
        // It is in another one already: who forks waits for that one.
        if self.slot.depth.load(Ordering::Relaxed) > 1 {
            return true;
        }
        // It has waited long enough, and what it sees was stored before its count is looked at for the last time.
        IMPATIENT.take() && GATE.load(Ordering::SeqCst) != CLOSED
    }
}

impl Drop for Section {
    #[inline(always)]
    fn drop(&mut self) {
        let depth = self.slot.depth.load(Ordering::Relaxed) - 1;
        // What was done in the section is seen by who sees that it is over.
        self.slot.depth.store(depth, Ordering::Release);
        if depth == 0 && self.slot.transient.load(Ordering::Relaxed) {
            cold_path();
            MINE.set(ptr::null());
            slots().give(self.slot);
        }
    }
}

thread_local! {
    /// Whether this thread has waited long at a gate that is closing.
    static IMPATIENT: Cell<bool> = const { Cell::new(false) };
}

/// How long a thread waits at the gate before somebody in a section may need it.
const PATIENCE: Duration = Duration::from_millis(20);

#[cold]
#[inline(never)]
fn wait_at_gate() {
    let since = Instant::now();
    IMPATIENT.set(false);
    loop {
        match GATE.load(Ordering::SeqCst) {
            OPEN => return,
            CLOSING if since.elapsed() > PATIENCE => return IMPATIENT.set(true),
            now => futex_wait(now),
        }
    }
}

/// Sleeps while the gate is in this state, or for a while.
fn futex_wait(state: u32) {
    let time = libc::timespec {
        tv_sec: 0,
        tv_nsec: PATIENCE.subsec_nanos().into(),
    };
    let operation = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
    // SAFETY: the word is a static, and the time is valid.
    unsafe { libc::syscall(libc::SYS_futex, GATE.as_ptr(), operation, state, &raw const time) };
}

fn open_gate() {
    GATE.store(OPEN, Ordering::SeqCst);
    let operation = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
    // SAFETY: wakes who sleeps on a static.
    unsafe { libc::syscall(libc::SYS_futex, GATE.as_ptr(), operation, i32::MAX) };
}

static FORKS: AtomicU32 = AtomicU32::new(0);

/// How many forks there are between this process and the one that loaded the library.
#[inline]
pub fn generation() -> u32 {
    FORKS.load(Ordering::Relaxed)
}

/// What wants to know that the process is a child.
pub trait AtFork: Send + Sync + 'static {
    /// Is called in the child, which has no other threads yet, before anything else of the library.
    fn in_child(&self);
}

/// Those who want to know, in a list whose links are never freed.
static REGISTERED: crate::Mutex<Vec<Weak<dyn AtFork>>> = crate::Mutex::new(Vec::new());

/// Has an object told of forks, for as long as it lives.
pub fn register<T: AtFork>(object: &Arc<T>) {
    let object: Arc<dyn AtFork> = object.clone();
    let mut registered = REGISTERED.lock();
    // Each object pays for one that is gone, or a few.
    if registered.len() == registered.capacity() {
        registered.retain(|known| known.strong_count() != 0);
    }
    registered.push(Arc::downgrade(&object));
}

/// Has forks noticed from now on. Locks see to it themselves.
pub fn watch() {
    static WATCHED: AtomicBool = AtomicBool::new(false);
    if WATCHED.swap(true, Ordering::Relaxed) {
        return;
    }
    // SAFETY: functions that may be called at any time. A library with these locks is never unloaded.
    unsafe { libc::pthread_atfork(Some(before), Some(in_parent), Some(in_child)) };
}

/// What the thread that forks holds.
struct Held(UnsafeCell<Option<StdMutexGuard<'static, Slots>>>);

// SAFETY: only the handlers below look into it, in the thread that forks, under the lock that it is the guard of.
unsafe impl Sync for Held {}

static HELD: Held = Held(UnsafeCell::new(None));

/// The slot of the thread that forks. It may take locks in between, as other handlers do.
static FORKING: AtomicPtr<Slot> = AtomicPtr::new(ptr::null_mut());

extern "C" fn before() {
    let own = mine();
    let slots = wait_for_sections(own);
    own.depth
        .store(own.depth.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    FORKING.store(ptr::from_ref(own).cast_mut(), Ordering::Relaxed);
    // SAFETY: under the lock that it is the guard of.
    unsafe { *HELD.0.get() = Some(slots) };
}

/// Closes the gate when no other thread is in a section.
fn wait_for_sections(own: &Slot) -> StdMutexGuard<'static, Slots> {
    /// A compilation may take seconds. Who is in a section for longer waits for this thread, by a lock of the client's.
    const MOST: Duration = Duration::from_secs(60);
    let since = Instant::now();
    let quiet = |slots: &Slots| {
        let busy = |slot: &&Slot| !ptr::eq(*slot, own) && slot.depth.load(Ordering::Acquire) != 0;
        !slots.all.iter().copied().any(|slot| busy(&slot))
    };
    loop {
        // Another thread that forks has it until the process has forked.
        let slots = slots();
        GATE.store(CLOSING, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        if quiet(&slots) {
            GATE.store(CLOSED, Ordering::SeqCst);
            fence(Ordering::SeqCst);
            // One that has waited long may have come.
            if quiet(&slots) {
                return slots;
            }
            GATE.store(CLOSING, Ordering::SeqCst);
        }
        let waited = since.elapsed();
        if waited > MOST {
            const WORDS: &str =
                "oxur: a process forks while a thread has held a lock for a minute: the child may hang\n";
            // SAFETY: writes the words.
            unsafe { libc::write(2, WORDS.as_ptr().cast(), WORDS.len()) };
            return slots;
        }
        // New threads may be what somebody in a section waits for.
        drop(slots);
        if waited < Duration::from_micros(50) {
            std::thread::yield_now();
        } else {
            std::thread::sleep(Duration::from_micros(100));
        }
    }
}

/// Gives the locks back. In a child, of all threads that had a slot only this one is left.
fn release(is_child: bool) {
    // SAFETY: `before` took the lock that it is the guard of, in this thread.
    let Some(mut slots) = (unsafe { (*HELD.0.get()).take() }) else {
        return;
    };
    // SAFETY: slots are never freed.
    let own = unsafe { &*FORKING.load(Ordering::Relaxed) };
    if is_child {
        let others: Vec<_> = slots.all.iter().copied().filter(|slot| !ptr::eq(*slot, own)).collect();
        slots.free.clear();
        others.into_iter().for_each(|slot| slots.give(slot));
    }
    drop(slots);
    open_gate();
    own.depth
        .store(own.depth.load(Ordering::Relaxed) - 1, Ordering::Release);
}

extern "C" fn in_parent() {
    release(false);
}

extern "C" fn in_child() {
    FORKS.fetch_add(1, Ordering::Relaxed);
    release(true);
    let all: Vec<_> = REGISTERED.lock().iter().filter_map(Weak::upgrade).collect();
    all.iter().for_each(|object| object.in_child());
}

#[cfg(test)]
mod tests;
