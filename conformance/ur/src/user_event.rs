// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Events that are complete when the test says so, as OpenCL's user events.

use std::ptr::null;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use crate::api::*;
use crate::client::{Event, Queue};
use crate::{check, intel, loader};

/// How long tests wait for what must come. On a busy machine that takes a while.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// The event of a host task that waits for [`UserEvent::complete`]. For a call that waits for it, it completes by itself after
/// [`PATIENCE`].
pub struct UserEvent {
    /// The task's event.
    pub event: Event,
    completed: Sender<()>,
}

impl UserEvent {
    /// Enqueues it, where the stack has host tasks.
    pub fn new(queue: &Queue) -> Option<Self> {
        unsafe extern "C" fn wait(data: *mut c_void) {
            // SAFETY: the box that is given away below; a task runs once.
            let completion = unsafe { Box::from_raw(data.cast::<Receiver<()>>()) };
            _ = completion.recv_timeout(PATIENCE);
        }
        if intel("there are no host tasks") {
            return None;
        }
        let (completed, completion) = channel::<()>();
        let data = Box::into_raw(Box::new(completion));
        let (queue, mut event) = (queue.raw(), EventHandle::default());
        let fns = loader().fns();
        // SAFETY: the task runs once, with a box that it frees; the event is a local.
        let code = unsafe { fns.urEnqueueHostTaskExp(queue, Some(wait), data.cast(), null(), 0, null(), &mut event) };
        let code = check(code);
        if code == ResultCode::SUCCESS {
            // SAFETY: a new event with one reference.
            let event = unsafe { Event::from_raw(loader(), event) };
            return Some(Self { event, completed });
        }
        // SAFETY: a refused task is never run, so the box is still ours.
        drop(unsafe { Box::from_raw(data) });
        assert_eq!(code, ResultCode::ERROR_UNSUPPORTED_FEATURE);
        println!("this device has no host tasks");
        None
    }

    /// Lets the task end.
    pub fn complete(self) {
        self.assert_pending();
        self.completed.send(()).expect("the task waits");
    }

    /// Asserts that nothing has waited for the task so far.
    #[track_caller]
    pub fn assert_pending(&self) {
        let status: EventStatus = self
            .event
            .info(EventInfo::COMMAND_EXECUTION_STATUS)
            .expect("the status");
        assert_ne!(status, EventStatus::COMPLETE, "a call has waited for the task");
    }
}
