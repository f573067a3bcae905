// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Commands: work, with the event that it signals and those that it waits for.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use level_zero_sys::*;
use oxur_compiler::{Fault, ThreadContext};
use oxur_device_cpu::exec::plan::StepEnd;
use oxur_device_cpu::exec::{Failure, Node, Work};
use oxur_device_cpu::forward_to_work;
use oxur_device_cpu::in_flight::Mark;
use oxur_fork::Mutex;
use smallvec::SmallVec;

use crate::entry::{Error, ZeResult};
use crate::event::{self, Times};
use crate::handle::{object, slice};
use crate::{Context, Event};

/// The events of a command.
#[derive(Clone, Default)]
pub(crate) struct Events {
    /// It begins when these are signalled.
    pub(crate) waits: SmallVec<[Arc<Event>; 4]>,
    /// It signals this one when it ends.
    pub(crate) signal: Option<Arc<Event>>,
    /// Of an execution of a graph: it begins when this command, the execution before, is over.
    pub(crate) after: Option<Arc<dyn Node>>,
}

impl Events {
    /// The events that a client names.
    ///
    /// # Safety
    /// The handles must be null or those of events, and `waits` must be readable for `count` of them.
    pub(crate) unsafe fn new(
        context: &Arc<Context>,
        signal: ze_event_handle_t,
        count: u32,
        waits: *mut ze_event_handle_t,
    ) -> ZeResult<Self> {
        let check = |event: &Arc<Event>| match Arc::ptr_eq(event.context(), context) {
            true => Ok(()),
            false => Err(Error::new(
                ZE_RESULT_ERROR_INVALID_ARGUMENT,
                "an event and the command list are of different contexts",
            )),
        };
        let mut events = Self::default();
        // SAFETY: passed on to the caller.
        for handle in unsafe { slice(waits.cast_const(), count) }? {
            // SAFETY: passed on to the caller.
            let event = unsafe { object::<Event>(*handle) }
                .map_err(|error| error.with_code(ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT))?;
            check(event)?;
            events.waits.push(event.clone());
        }
        if !signal.is_null() {
            // SAFETY: passed on to the caller.
            let event = unsafe { object::<Event>(signal) }
                .map_err(|error| error.with_code(ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT))?;
            check(event)?;
            events.signal = Some(event.clone());
        }
        Ok(events)
    }
}

/// When a command began; 0 before that.
#[derive(Default)]
pub(crate) struct Began(AtomicU64);

impl Began {
    /// Notes that the command, or a part of it, runs.
    fn note(&self) {
        if self.0.load(Ordering::Relaxed) == 0 {
            _ = self
                .0
                .compare_exchange(0, event::now(), Ordering::Relaxed, Ordering::Relaxed);
        }
    }

    /// The command has ended.
    fn end(&self) -> Times {
        // Adapters take an end that is not behind the beginning for one of a clock that wrapped.
        let ended = event::now();
        let began = match self.0.swap(0, Ordering::Relaxed) {
            // It had nothing to run.
            0 => ended,
            began => began,
        };
        let ended = ended.max(began + 1);
        Times { began, ended }
    }
}

/// The work of a command that runs once.
pub(crate) struct Command<W> {
    pub(crate) work: W,
    pub(crate) context: Arc<Context>,
    pub(crate) signal: Option<Arc<Event>>,
    pub(crate) began: Began,
    /// Counts it among the unfinished commands of the context, if it is a task.
    pub(crate) mark: Option<Mark>,
}

impl<W: Work> Command<W> {
    fn is_timed(&self) -> bool {
        self.signal.as_ref().is_some_and(|event| event.is_timed())
    }

    /// The command has ended.
    pub(crate) fn complete(&self, result: Result<(), &Failure>) {
        if let Err(failure) = result {
            self.context.failures.add(&self.work.describe(), failure);
        }
        if let Some(event) = &self.signal {
            let times = if event.is_timed() {
                self.began.end()
            } else {
                Times::default()
            };
            event.complete(times);
        }
    }
}

impl<W: Work> Work for Command<W> {
    forward_to_work!();

    fn run(&self, chunks: Range<u64>, worker: &mut ThreadContext) -> Result<(), Fault> {
        if self.is_timed() {
            self.began.note();
        }
        self.work.run(chunks, worker)
    }

    fn over(&mut self, result: Result<(), &Failure>) {
        self.work.over(result);
        self.complete(result);
        if let Some(mark) = self.mark.take() {
            self.context.in_flight.leave(mark);
        }
    }
}

/// The work of a command in a list that is executed any number of times, with a time if its event wants one.
pub(crate) struct Timed {
    pub(crate) work: Arc<dyn Work>,
    pub(crate) began: Arc<Began>,
}

impl Work for Timed {
    forward_to_work!();

    fn run(&self, chunks: Range<u64>, worker: &mut ThreadContext) -> Result<(), Fault> {
        self.began.note();
        self.work.run(chunks, worker)
    }
}

/// Signals an event when a step of a list ends.
pub(crate) struct SignalAtEnd {
    pub(crate) event: Arc<Event>,
    pub(crate) began: Arc<Began>,
    /// For a counter-based event: a command for each execution that was submitted, which the step ends.
    pub(crate) executions: Mutex<std::collections::VecDeque<Arc<dyn Node>>>,
}

impl SignalAtEnd {
    /// The list is executed once more.
    pub(crate) fn submitted(&self) {
        if let Some(command) = self.event.follow_later() {
            self.executions.lock().push_back(command);
        }
    }
}

impl StepEnd for SignalAtEnd {
    fn ended(&self, _failed: bool) {
        self.event.complete(self.began.end());
        let command = self.executions.lock().pop_front();
        command.into_iter().for_each(event::resolve);
    }
}

/// Work of one piece that calls a function.
pub(crate) struct Call<F> {
    pub(crate) function: F,
    /// What it does, for messages.
    pub(crate) name: &'static str,
}

impl<F: Fn() + Send + Sync + Any> Work for Call<F> {
    fn cost(&self, _chunks: u64) -> Option<u64> {
        Some(0)
    }

    fn describe(&self) -> String {
        self.name.to_owned()
    }

    fn run(&self, _chunks: Range<u64>, _worker: &mut ThreadContext) -> Result<(), Fault> {
        (self.function)();
        Ok(())
    }
}
