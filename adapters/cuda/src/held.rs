// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Commands that the host holds up. They stay here, and go to the driver when what they wait for is there or is in a stream.
//!
//! A stream that waits for the host is a trap: the driver has room for some hundred commands behind what waits, then it blocks
//! the caller, who may be the one to let it go on; and CUDA maps streams to a few hardware queues, where one that waits holds
//! up others. So the thread that does what a command waits for submits it, and streams wait for nothing but other streams.
//! But where clients use a stream themselves, what comes before their commands has to be in it: then commands are
//! [forced](Held::force), and the stream waits for the host.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;

use kit::ur::ResultCode;
use kit::{UrError, UrResult, emulate};
use oxur_adapter_kit as kit;
use oxur_fork::{Mutex, OnceLock};
use smallvec::SmallVec;

use crate::primary::Primary;
use crate::signal::{HostSignal, Signal};

/// What a command waits for.
pub(crate) type Dependencies = SmallVec<[Signal; 2]>;

/// Gives a command to a lane behind what it waits for. Returns what is there when it is complete.
type Submit = Box<dyn FnOnce(&[Signal]) -> UrResult<Signal> + Send>;

/// A command that was not submitted when it was enqueued.
pub(crate) struct Held {
    /// Given when it is submitted, or was refused.
    submitted: HostSignal,
    /// What is there when it is complete, from then on.
    outcome: OnceLock<Result<Signal, Refusal>>,
    /// Until a thread submits it.
    work: Mutex<Option<Work>>,
    timed: bool,
}

/// Why it was not submitted. Several may ask.
#[derive(Debug)]
pub(crate) struct Refusal {
    code: ResultCode,
    reason: String,
}

impl From<UrError> for Refusal {
    fn from(error: UrError) -> Self {
        let (code, reason) = (error.code(), error.to_string());
        Self { code, reason }
    }
}

impl Refusal {
    /// The error of who waits.
    pub(crate) fn error(&self) -> UrError {
        UrError::with_message(self.code, self.reason.clone())
    }

    /// Whether the device has failed.
    pub(crate) fn is_loss(&self) -> bool {
        self.code == ResultCode::ERROR_DEVICE_LOST
    }
}

struct Work {
    dependencies: Dependencies,
    /// The first of them that may hold it up.
    next: usize,
    submit: Submit,
}

impl Held {
    /// A command that waits for nothing yet: [`Self::wait_for`] comes before it may be submitted.
    pub(crate) fn new(primary: &'static Primary, timed: bool, submit: Submit) -> UrResult<Arc<Self>> {
        let work = Work {
            dependencies: Dependencies::new(),
            next: 0,
            submit,
        };
        Ok(Arc::new(Self {
            submitted: HostSignal::new(primary)?,
            outcome: OnceLock::new(),
            work: Mutex::new(Some(work)),
            timed,
        }))
    }

    /// Says what it waits for.
    pub(crate) fn wait_for(&self, dependencies: Dependencies) {
        if let Some(work) = &mut *self.work.lock() {
            work.dependencies = dependencies;
        }
    }

    /// What is there when it is complete, if it was submitted.
    pub(crate) fn end(&self) -> Option<&Result<Signal, Refusal>> {
        self.outcome.get()
    }

    /// What the host has to do before a stream can wait for it.
    pub(crate) fn blocker(&self) -> Option<&HostSignal> {
        match self.outcome.get() {
            None => Some(&self.submitted),
            Some(Ok(end)) => end.blocker(),
            Some(Err(_)) => None,
        }
    }

    /// Whether it will be told when it began and ended.
    pub(crate) fn is_timed(&self) -> bool {
        self.timed
    }

    /// Waits for it.
    pub(crate) fn wait(&self) -> UrResult<()> {
        self.submitted.wait()?;
        match self.outcome.get() {
            Some(Ok(end)) => end.wait(),
            Some(Err(refusal)) => Err(refusal.error()),
            None => Ok(()),
        }
    }

    /// Submits it, if nothing holds it up; else what does comes here again.
    fn advance(self: &Arc<Self>) {
        if let Some(work) = &mut *self.work.lock() {
            while let Some(dependency) = work.dependencies.get(work.next) {
                // One that another thread has done meanwhile may have to be looked at again.
                match dependency.blocker() {
                    Some(blocker) if blocker.hold_back(self) => return,
                    Some(_) => {}
                    None => work.next += 1,
                }
            }
        }
        self.submit();
    }

    fn submit(&self) {
        // A statement of its own: the driver is called without the lock.
        let work = self.work.lock().take();
        let Some(work) = work else { return };
        let outcome = (work.submit)(&work.dependencies).map_err(|error| {
            log::error!("a command that waited for the host fails: {error}");
            Refusal::from(error)
        });
        _ = self.outcome.set(outcome);
        self.submitted.signal();
    }

    /// Submits it and what it waits for, if they were not. The stream waits for the host then.
    pub(crate) fn force(self: &Arc<Self>) -> UrResult<()> {
        let mut all = vec![self.clone()];
        while let Some(last) = all.last() {
            let before = {
                let work = last.work.lock();
                let mut dependencies = work.iter().flat_map(|work| &work.dependencies);
                dependencies.find_map(|dependency| match dependency.now() {
                    Signal::Held(before) if before.end().is_none() => Some(before.clone()),
                    _ => None,
                })
            };
            match before {
                Some(before) => all.push(before),
                None => {
                    last.submit();
                    // Another thread may be at it.
                    last.submitted.wait()?;
                    all.pop();
                }
            }
        }
        Ok(())
    }
}

thread_local! {
    /// What this thread is about to submit, if it is at it: one submits the next, of which there may be many.
    static RELEASED: RefCell<Option<VecDeque<Arc<Held>>>> = const { RefCell::new(None) };
}

/// Submits commands that nothing holds up any more, and what waits for them.
pub(crate) fn release(held: impl IntoIterator<Item = Arc<Held>>) {
    let is_first = RELEASED.with_borrow_mut(|released| {
        let is_first = released.is_none();
        released.get_or_insert_default().extend(held);
        is_first
    });
    if !is_first {
        return;
    }
    let next = || RELEASED.with_borrow_mut(|released| released.as_mut().and_then(VecDeque::pop_front));
    while let Some(held) = next() {
        held.advance();
    }
    RELEASED.set(None);
}

/// The same for a thread that has to go on.
pub(crate) fn release_elsewhere(held: Vec<Arc<Held>>) {
    if held.is_empty() {
        return;
    }
    if let Err(error) = emulate::run_on_thread(Box::new(move || release(held))) {
        log::error!("commands stay held up because no thread can be started: {error}");
    }
}
