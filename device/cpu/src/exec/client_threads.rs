// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Threads for functions of the client: host tasks, callbacks, and destructors, which may call the client.
//!
//! These functions may block as long as they like, wait for commands, and wait for each other. So each runs on a thread
//! of its own. A thread that is done waits a while for the next function.

use std::cell::Cell;
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use oxur_compiler::FloatEnv;
use oxur_fork::Mutex;

use super::fork::PerProcess;
use super::futex::Semaphore;
use super::system::{self, CpuSet};

/// A function to run.
pub type Function = Box<dyn FnOnce() + Send>;

/// How long an idle thread waits for another function.
const REST: Duration = Duration::from_secs(5);

/// Threads that run functions.
struct Threads {
    name: &'static str,
    shared: PerProcess<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    calls: Semaphore,
}

#[derive(Default)]
struct State {
    functions: VecDeque<Function>,
    /// How many threads wait for a function and were not woken for one.
    resting: usize,
}

static CLIENT: Threads = Threads::new("ur client");
/// Separate threads, so that a destructor never runs on the thread of a callback.
static DROPS: Threads = Threads::new("ur reaper");

thread_local! {
    /// The CPUs of threads that this one starts, if they are not those it is bound to at the moment.
    static INHERITED: Cell<Option<&'static CpuSet>> = const { Cell::new(None) };
}

/// Threads that the calling thread starts may run on these CPUs.
pub(super) fn inherit(cpus: &'static CpuSet) {
    INHERITED.set(Some(cpus));
}

/// Runs a function of the client soon. Returns it if no thread can be started.
pub fn spawn(function: Function) -> Result<(), (io::Error, Function)> {
    CLIENT.spawn(function)
}

/// Drops an object on another thread, because its destructor may call the client or take long.
pub fn defer_drop<T: Send + 'static>(object: T) {
    if let Err((error, function)) = DROPS.spawn(Box::new(move || drop(object))) {
        log::debug!("destructors run on the calling thread, because no thread can be started: {error}");
        function();
    }
}

impl Threads {
    const fn new(name: &'static str) -> Self {
        Self {
            name,
            shared: PerProcess::new(),
        }
    }

    fn spawn(&'static self, function: Function) -> Result<(), (io::Error, Function)> {
        let shared = self.shared.get(Shared::default);
        {
            let mut state = shared.state.lock();
            if state.resting > 0 {
                state.resting -= 1;
                state.functions.push_back(function);
                drop(state);
                shared.calls.post();
                return Ok(());
            }
        }
        // The first function is not in the closure, which would be lost if the thread cannot be started.
        let first = Arc::new(Mutex::new(Some(function)));
        let cpus = INHERITED.get();
        let run = {
            let first = first.clone();
            move || {
                if let Some(cpus) = cpus {
                    system::set_affinity(system::this_thread(), cpus);
                }
                let function = first.lock().take();
                shared.serve(function);
            }
        };
        match std::thread::Builder::new().name(self.name.into()).spawn(run) {
            Ok(_) => Ok(()),
            Err(error) => Err((error, first.lock().take().expect("no thread has it"))),
        }
    }
}

impl Shared {
    /// The main function of a thread. It starts with a function to run.
    fn serve(&self, mut function: Option<Function>) {
        loop {
            while let Some(function) = function.take().or_else(|| self.next()) {
                // The floating-point environment is inherited from the thread that started this one, or left by the
                // function before.
                let _env = FloatEnv::enter_default();
                // Nobody could receive the panic.
                _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(function));
            }
            self.state.lock().resting += 1;
            while !self.calls.wait_for(REST) {
                let mut state = self.state.lock();
                // If all resting threads were woken, so was this one.
                if state.resting > 0 {
                    state.resting -= 1;
                    return;
                }
            }
        }
    }

    fn next(&self) -> Option<Function> {
        self.state.lock().functions.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn functions_may_wait_for_each_other() {
        static ALL: Barrier = Barrier::new(10);
        let (send, receive) = channel();
        for round in 0..3 {
            for i in 0..10 {
                let send = send.clone();
                let function = move || {
                    ALL.wait();
                    send.send(i).unwrap();
                };
                assert!(spawn(Box::new(function)).is_ok());
            }
            let mut done: Vec<_> = receive.iter().take(10).collect();
            done.sort();
            assert_eq!(done, (0..10).collect::<Vec<_>>(), "round {round}");
        }
    }

    #[test]
    fn a_panic_does_not_affect_other_functions() {
        assert!(spawn(Box::new(|| panic!("a test's"))).is_ok());
        let (send, receive) = channel();
        assert!(spawn(Box::new(move || send.send(1).unwrap())).is_ok());
        assert_eq!(receive.recv(), Ok(1));
    }

    #[test]
    fn destructors_run_on_another_thread() {
        struct Ends(std::sync::mpsc::Sender<std::thread::ThreadId>);
        impl Drop for Ends {
            fn drop(&mut self) {
                self.0.send(std::thread::current().id()).unwrap();
            }
        }
        let (send, receive) = channel();
        defer_drop(Ends(send));
        assert_ne!(receive.recv().unwrap(), std::thread::current().id());
    }
}
