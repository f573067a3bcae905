// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A command that is complete when the test says so.

use std::ptr::null;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use oxur_conformance::api::*;
use oxur_conformance::client::{Event, Queue};
use oxur_conformance::{intel, loader, ur};

/// A host task that waits for [`Gate::open`]; for a call that waits for it, it opens by itself after a while.
pub struct Gate {
    pub event: Event,
    open: Sender<()>,
}

impl Gate {
    /// Enqueues it, where the stack has host tasks.
    pub fn new(queue: &Queue) -> Option<Self> {
        const PATIENCE: Duration = Duration::from_secs(10);
        unsafe extern "C" fn wait(data: *mut c_void) {
            // SAFETY: the box that is given away below; a task runs once.
            let opened = unsafe { Box::from_raw(data.cast::<Receiver<()>>()) };
            _ = opened.recv_timeout(PATIENCE);
        }
        if intel("there are no host tasks") {
            return None;
        }
        let (open, opened) = channel::<()>();
        let data = Box::into_raw(Box::new(opened));
        let (queue, mut event) = (queue.raw(), EventHandle::default());
        let code = ur!(urEnqueueHostTaskExp(
            queue,
            Some(wait),
            data.cast(),
            null(),
            0,
            null(),
            &mut event
        ));
        if code == ResultCode::SUCCESS {
            // SAFETY: a new event with one reference.
            let event = unsafe { Event::from_raw(loader(), event) };
            return Some(Self { event, open });
        }
        // SAFETY: a refused task is never run, so the box is still ours.
        drop(unsafe { Box::from_raw(data) });
        assert_eq!(code, ResultCode::ERROR_UNSUPPORTED_FEATURE);
        println!("this device has no host tasks");
        None
    }

    /// Lets the task end.
    pub fn open(self) {
        self.shut();
        self.open.send(()).expect("the task waits");
    }

    /// Asserts that nothing has waited for the task so far.
    #[track_caller]
    pub fn shut(&self) {
        let status: EventStatus = self
            .event
            .info(EventInfo::COMMAND_EXECUTION_STATUS)
            .expect("the status");
        assert_ne!(status, EventStatus::COMPLETE, "a call has waited for the task");
    }
}
