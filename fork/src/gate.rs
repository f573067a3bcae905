// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Sections, and the `pthread_atfork` handlers that wait for them to end.
//!
//! Each thread counts its sections in its own slot, without expensive atomic operations, and then checks the gate. A
//! thread that forks closes the gate and then checks the counts. By Dekker's pattern at least one of the two sees the
//! other's store.

use std::cell::{Cell, UnsafeCell};
use std::hint::cold_path;
use std::marker::PhantomData;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering, compiler_fence, fence};
use std::sync::{Arc, Mutex as StdMutex, MutexGuard as StdMutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use crate::bias::fence_everywhere;

/// The state of a thread. It is never freed, because another thread may read it.
#[repr(align(64))]
struct Slot {
    /// How many sections the thread is in.
    depth: AtomicU32,
    /// Whether to return the slot at the end of the outermost section, because the thread is ending.
    transient: AtomicBool,
}

/// All slots, and those that no thread uses.
struct Slots {
    all: Vec<&'static Slot>,
    free: Vec<&'static Slot>,
}

/// The standard library's lock: a waiting thread changes only a bit of the lock, which does no harm in the child. It is
/// held during a fork.
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
    /// Returns the slot when the thread ends.
    static OWNER: Owner = Owner(slots().take());
}

struct Owner(&'static Slot);

impl Drop for Owner {
    fn drop(&mut self) {
        // A lock that is taken later in this thread, in another destructor, uses another slot.
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
/// A thread is about to fork. A thread that has waited for a while may enter nevertheless, because a section may depend
/// on it.
const CLOSING: u32 = 1;
/// The process forks, and no thread is in a section.
const CLOSED: u32 = 2;

/// While this lives, no other thread can fork.
#[derive(Debug)]
#[must_use]
pub struct Section {
    slot: &'static Slot,
    /// Not `Send`: it belongs to the thread.
    thread: PhantomData<*const ()>,
}

impl std::fmt::Debug for Slot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Slot").field("depth", &self.depth).finish()
    }
}

/// Stops the calling thread forever. The thread must not be in a section.
pub fn stop_for_good() -> ! {
    mine().depth.store(0, Ordering::Release);
    loop {
        std::thread::park();
    }
}

/// Enters a section. See the [crate](crate): code in a section must not wait for other threads, nor call the client.
pub fn section() -> Section {
    Section::with(|| fence(Ordering::SeqCst)).0
}

/// Whether the calling thread is in a section, as while it holds a lock: then the process does not fork in other threads.
pub fn is_inside() -> bool {
    mine().depth.load(Ordering::Relaxed) != 0
}

impl Section {
    /// Enters a section with a `lock`ed instruction, which is a full fence.
    #[inline(always)]
    fn with<R>(mut locks: impl FnMut() -> R) -> (Self, R) {
        let section = Self::begin();
        // The compiler must not move the increment past the instruction.
        compiler_fence(Ordering::SeqCst);
        let locked = locks();
        if GATE.load(Ordering::Relaxed) == OPEN {
            return (section, locked);
        }
        section.pass(locked, locks)
    }

    /// Waits at the closed gate, unless a thread that has just begun this section may continue. Not inlined: the value that
    /// [`with`](Self::with) returns would have to go through memory.
    #[cold]
    #[inline(never)]
    fn pass<R>(self, locked: R, locks: impl FnMut() -> R) -> (Self, R) {
        if self.passes() {
            return (self, locked);
        }
        // They are unlocked in this order.
        drop(locked);
        drop(self);
        wait_at_gate();
        Self::with(locks)
    }

    /// Enters a section by taking a lock.
    #[inline(always)]
    pub(crate) fn locking<R>(mut lock: impl FnMut() -> R) -> (Self, R) {
        // Taking a lock is an atomic operation, and those are full fences on x86.
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

    /// Whether a thread that has just begun a section may continue although the gate is not open.
    #[cold]
    fn passes(&self) -> bool {
        // It is already in an outer section, which the forking thread waits for.
        if self.slot.depth.load(Ordering::Relaxed) > 1 {
            return true;
        }
        // It has waited long enough. While the gate is not closed, the forking thread will read its count once more.
        IMPATIENT.take() && GATE.load(Ordering::SeqCst) != CLOSED
    }
}

impl Drop for Section {
    #[inline(always)]
    fn drop(&mut self) {
        let depth = self.slot.depth.load(Ordering::Relaxed) - 1;
        // Release: a thread that sees the section end also sees its effects.
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

/// How long a thread waits at the gate, before a section of another thread may depend on it.
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

/// Sleeps while the gate is in this state, at most for a while.
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
    // SAFETY: wakes threads that sleep on a static.
    unsafe { libc::syscall(libc::SYS_futex, GATE.as_ptr(), operation, i32::MAX) };
}

static FORKS: AtomicU32 = AtomicU32::new(0);

/// The number of forks between this process and the one that loaded the library.
#[inline]
pub fn generation() -> u32 {
    FORKS.load(Ordering::Relaxed)
}

/// An object that is notified in a child process.
pub trait AtFork: Send + Sync + 'static {
    /// Called in the child, which has no other threads yet, before any other function of the library.
    fn in_child(&self);
}

/// The registered objects, in a list whose links are never freed.
static REGISTERED: crate::Mutex<Vec<Weak<dyn AtFork>>> = crate::Mutex::new(Vec::new());

/// Notifies an object of forks, as long as it lives.
pub fn register<T: AtFork>(object: &Arc<T>) {
    let object: Arc<dyn AtFork> = object.clone();
    let mut registered = REGISTERED.lock();
    // Each registration removes one or a few dead entries.
    if registered.len() == registered.capacity() {
        registered.retain(|known| known.strong_count() != 0);
    }
    registered.push(Arc::downgrade(&object));
}

/// Registers the handlers. Locks do that themselves.
pub fn watch() {
    static WATCHED: AtomicBool = AtomicBool::new(false);
    if WATCHED.swap(true, Ordering::Relaxed) {
        return;
    }
    // SAFETY: the functions may be called at any time. A library with these locks is never unloaded.
    unsafe { libc::pthread_atfork(Some(before), Some(in_parent), Some(in_child)) };
}

/// The guard that the forking thread holds during the fork.
struct Held(UnsafeCell<Option<StdMutexGuard<'static, Slots>>>);

// SAFETY: only the handlers below access it, in the forking thread, under the lock whose guard it holds.
unsafe impl Sync for Held {}

static HELD: Held = Held(UnsafeCell::new(None));

/// The slot of the forking thread, which may take locks in other handlers meanwhile.
static FORKING: AtomicPtr<Slot> = AtomicPtr::new(ptr::null_mut());

extern "C" fn before() {
    let own = mine();
    let slots = wait_for_sections(own);
    own.depth
        .store(own.depth.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    FORKING.store(ptr::from_ref(own).cast_mut(), Ordering::Relaxed);
    // SAFETY: under the lock whose guard it holds.
    unsafe { *HELD.0.get() = Some(slots) };
}

/// Closes the gate once no other thread is in a section.
fn wait_for_sections(own: &Slot) -> StdMutexGuard<'static, Slots> {
    /// A compilation may take seconds. A longer section waits for this thread, on a lock of the client's.
    const MOST: Duration = Duration::from_secs(60);
    let since = Instant::now();
    let quiet = |slots: &Slots| {
        let busy = |slot: &&Slot| !ptr::eq(*slot, own) && slot.depth.load(Ordering::Acquire) != 0;
        !slots.all.iter().copied().any(|slot| busy(&slot))
    };
    loop {
        // Another forking thread holds it until it has forked.
        let slots = slots();
        GATE.store(CLOSING, Ordering::SeqCst);
        // Threads may begin sections without fences: those of `bias`.
        fence_everywhere();
        if quiet(&slots) {
            GATE.store(CLOSED, Ordering::SeqCst);
            fence_everywhere();
            // A thread that has waited long may have entered.
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
        // A section may depend on a thread that is just starting.
        drop(slots);
        if waited < Duration::from_micros(50) {
            std::thread::yield_now();
        } else {
            std::thread::sleep(Duration::from_micros(100));
        }
    }
}

/// Releases the locks. In a child, only this thread is left of all that had a slot.
fn release(is_child: bool) {
    // SAFETY: `before` took the lock in this thread, and stored its guard.
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
