// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Threads for host tasks. Tasks may wait for each other, so each running task has a thread of its own. Threads are
//! reused, and end after a while without work.

use std::ffi::{c_int, c_void};
use std::sync::mpsc::{self, Receiver, SendError, Sender};
use std::thread::ThreadId;
use std::time::Duration;

use oxur_fork::Mutex;

/// A task for a thread.
pub(super) type Task = Box<dyn FnOnce() + Send>;

/// A thread that waits for a task.
struct Idle {
    thread: ThreadId,
    /// The process that the thread belongs to.
    generation: u32,
    tasks: Sender<Task>,
}

static IDLE: Mutex<Vec<Idle>> = Mutex::new(Vec::new());

/// How long a thread waits for work.
const PATIENCE: Duration = Duration::from_secs(5);

/// Runs a task on an idle thread, or on a new one.
pub(super) fn run(mut task: Task) -> std::io::Result<()> {
    loop {
        // A separate statement, so that the lock is released.
        let idle = IDLE.lock().pop();
        match idle {
            Some(idle) if idle.generation == oxur_fork::generation() => match idle.tasks.send(task) {
                Ok(()) => return Ok(()),
                Err(SendError(back)) => task = back,
            },
            // The thread belongs to the parent process.
            Some(_) => {}
            None => break,
        }
    }
    let name = "ur host task".into();
    std::thread::Builder::new()
        .name(name)
        .spawn(move || work(task))
        .map(drop)
}

fn work(first: Task) {
    let (sender, receiver) = mpsc::channel();
    let mut next = Some(first);
    while let Some(task) = next {
        reset_float_env();
        task();
        next = next_task(&sender, &receiver);
    }
}

/// Sets the default floating-point environment, so that a task does not inherit changes of the task before.
fn reset_float_env() {
    unsafe extern "C" {
        // From the C library's <fenv.h>.
        fn fesetenv(environment: *const c_void) -> c_int;
    }
    /// FE_DFL_ENV, for which glibc has the same value on all machines that we build for.
    const DEFAULT: *const c_void = usize::MAX as *const c_void;
    // SAFETY: the C library knows this address, and changes registers of this thread alone.
    let done = unsafe { fesetenv(DEFAULT) };
    debug_assert_eq!(done, 0);
}

fn next_task(sender: &Sender<Task>, receiver: &Receiver<Task>) -> Option<Task> {
    let thread = std::thread::current().id();
    IDLE.lock().push(Idle {
        thread,
        generation: oxur_fork::generation(),
        tasks: sender.clone(),
    });
    if let Ok(task) = receiver.recv_timeout(PATIENCE) {
        return Some(task);
    }
    let mut idle = IDLE.lock();
    let place = idle.iter().position(|idle| idle.thread == thread);
    match place {
        Some(place) => {
            idle.swap_remove(place);
            None
        }
        // Another submitter has just taken it, and is about to send a task.
        None => {
            drop(idle);
            receiver.recv().ok()
        }
    }
}
