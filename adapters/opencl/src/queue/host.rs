// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Host tasks: functions of the client's that run between two commands.
//!
//! The first command completes when the task may start, the second waits for a user event that the task's end sets. A task
//! takes a thread only from the one to the other: the driver calls when the first command is complete. Tasks may wait for
//! each other, so each that runs has a thread; threads are used again, and end after a while without work.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, SendError, Sender};
use std::thread::ThreadId;
use std::time::Duration;

use kit::ur::Command;
use kit::{HostTask, UrResult};
use opencl_sys::*;
use oxur_adapter_kit as kit;
use oxur_fork::Mutex;

use super::composed::Promise;
use super::{Out, Queue, Wait};
use crate::cl::cl;
use crate::event::RawEvent;

/// A task that waits for its turn.
struct Pending {
    task: HostTask,
    /// The command before it.
    ready: RawEvent,
    /// Dropped on the way to the task's end, it fails the commands that wait for it.
    done: Promise,
}

impl Pending {
    /// Runs the task, after the command before it.
    fn run(mut self) {
        match self.ready.wait() {
            Ok(()) => {
                self.task.call();
                self.done.status = CL_COMPLETE;
            }
            Err(error) => {
                log::warn!("a host task is not run because what it waits for failed: {error}");
                self.done.status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
            }
        }
    }

    /// Has a thread run the task.
    fn start(self) {
        if let Err(error) = run_on_thread(self) {
            log::error!("no thread for a host task, which fails: {error}");
        }
    }
}

/// The command before a task is over. `data` is a `Box<Pending>`.
unsafe extern "C" fn ready(_command: cl_event, _status: cl_int, data: *mut c_void) {
    // SAFETY: `run_on_host` gave the box away, and OpenCL calls once.
    let pending = unsafe { Box::from_raw(data.cast::<Pending>()) };
    // Whether the command failed, Intel's driver tells those who wait, but not here.
    pending.start();
}

impl Queue {
    /// Runs a host task.
    pub(super) fn run_on_host(self: &Arc<Self>, task: HostTask, wait: Wait<'_>, event: Out<'_>) -> UrResult<()> {
        self.submit(Command::HOST_TASK_EXP, wait, event, |deps| {
            let in_order = kit::Queue::is_in_order(&**self);
            let done = Promise::new(self.context.raw)?;
            // A marker without a list waits for all commands before it. On an out-of-order queue a task waits for barriers alone:
            // the list has an event that is over.
            let over = match in_order || deps.count != 0 {
                true => None,
                false => Some(Promise::new(self.context.raw)?.keep()),
            };
            let (count, events) = match &over {
                None => (deps.count, deps.events),
                Some(over) => (1, &raw const over.0),
            };
            let mut first: cl_event = std::ptr::null_mut();
            // SAFETY: live handles.
            unsafe { cl!(clEnqueueMarkerWithWaitList(self.raw, count, events, &mut first)) }?;
            let first = RawEvent(first);
            // SAFETY: live handles. On an in-order queue the commands after it must wait, too.
            unsafe {
                if in_order {
                    cl!(clEnqueueBarrierWithWaitList(self.raw, 1, &done.event.0, deps.event))
                } else {
                    cl!(clEnqueueMarkerWithWaitList(self.raw, 1, &done.event.0, deps.event))
                }
            }?;
            let raw = first.0;
            let data = Box::into_raw(Box::new(Pending {
                task,
                ready: first,
                done,
            }));
            // SAFETY: a live event, which the box keeps, and a function for the data that it gets.
            if let Err(error) = unsafe { cl!(clSetEventCallback(raw, CL_COMPLETE, Some(ready), data.cast())) } {
                log::warn!("a thread has to wait for the turn of a host task: {error}");
                // SAFETY: OpenCL did not take it.
                unsafe { Box::from_raw(data) }.start();
            }
            // Without it the driver may not start the first command before somebody waits.
            // SAFETY: a live queue.
            if let Err(error) = unsafe { cl!(clFlush(self.raw)) } {
                log::warn!("a host task may be late: {error}");
            }
            Ok(())
        })
    }
}

/// A thread that waits for a task.
struct Idle {
    thread: ThreadId,
    /// Of the process that has the thread.
    generation: u32,
    tasks: Sender<Pending>,
}

static IDLE: Mutex<Vec<Idle>> = Mutex::new(Vec::new());

/// How long a thread waits for work.
const PATIENCE: Duration = Duration::from_secs(5);

/// Runs a task on a thread that has nothing else to do.
fn run_on_thread(mut task: Pending) -> std::io::Result<()> {
    loop {
        // A statement of its own: the lock must not be held any longer.
        let idle = IDLE.lock().pop();
        match idle {
            Some(idle) if idle.generation == oxur_fork::generation() => match idle.tasks.send(task) {
                Ok(()) => return Ok(()),
                Err(SendError(back)) => task = back,
            },
            // It stayed in the parent.
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

fn work(first: Pending) {
    let (sender, receiver) = mpsc::channel();
    let mut next = Some(first);
    while let Some(task) = next {
        task.run();
        next = next_task(&sender, &receiver);
    }
}

fn next_task(sender: &Sender<Pending>, receiver: &Receiver<Pending>) -> Option<Pending> {
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
        // Somebody has just taken it, and is about to send.
        None => {
            drop(idle);
            receiver.recv().ok()
        }
    }
}
