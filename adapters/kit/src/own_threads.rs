// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The kit's own threads, which call the driver, and the end of the process, at which drivers are unloaded.
//!
//! Level Zero's loader unloads its drivers in a destructor, while threads still run. A thread that is in a driver then has its code
//! unmapped below it.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

static CLOSED: AtomicBool = AtomicBool::new(false);

/// How many times the kit's threads are in [`InDriver`].
static INSIDE: AtomicU32 = AtomicU32::new(0);

thread_local! {
    /// The same of this thread.
    static OWN: Cell<u32> = const { Cell::new(0) };
}

/// How long the end of the process waits for such threads. One that runs a function of the client's may be there for ever.
const PATIENCE: Duration = Duration::from_secs(1);

/// Whether the process ends and [`Adapter::close`](crate::Adapter::close) has returned: drivers may be gone.
pub fn is_closed() -> bool {
    CLOSED.load(Ordering::Acquire)
}

/// As long as it lives, the driver is there for this thread.
pub(crate) struct InDriver(());

impl InDriver {
    /// `None` if the process ends: the thread leaves the driver alone.
    pub fn enter() -> Option<Self> {
        // In one order with what `close` does: either it sees this thread, or this thread sees that it closes.
        INSIDE.fetch_add(1, Ordering::SeqCst);
        OWN.set(OWN.get() + 1);
        let inside = Self(());
        (!CLOSED.load(Ordering::SeqCst)).then_some(inside)
    }
}

impl Drop for InDriver {
    fn drop(&mut self) {
        OWN.set(OWN.get() - 1);
        INSIDE.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The process ends. Waits until no other thread is [`InDriver`].
pub(crate) fn close() {
    CLOSED.store(true, Ordering::SeqCst);
    let start = Instant::now();
    // A function of the client's that one of the threads calls may end the process.
    while INSIDE.load(Ordering::SeqCst) > OWN.get() {
        if start.elapsed() > PATIENCE {
            return log::warn!("the process ends while a thread is in the driver or in a function of the client's");
        }
        sleep(Duration::from_micros(20));
    }
}

/// The same in a child of `fork`, which has none of the threads.
pub(crate) fn close_in_child() {
    CLOSED.store(true, Ordering::SeqCst);
}
