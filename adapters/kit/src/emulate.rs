// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Emulates commands that a driver lacks with other commands: 2D copies and fills, fills with any pattern, host tasks.
//!
//! An adapter passes such a command from its [`Queue::submit`] to [`submit`], which submits simpler ones to the same
//! queue: each waits for the one before, and together they have one event. A simpler command may itself be emulated.

mod threads;

use std::ffi::c_void;
use std::sync::Arc;

use oxur_api::{EventHandle, EventInfo, EventStatus, ExecutionInfo};
use smallvec::SmallVec;

use crate::command_buffer::{Used, list};
use crate::event::Callback;
use crate::handle::{Borrowed, handle_of};
use crate::queue::is_profiled;
use crate::{
    Backend, Command, Event, EventOut, HostTask, InfoOut, Queue, SoftwareEvent, Submission, UrResult, WaitList,
};

/// Submits a command as simpler ones.
///
/// | command | becomes |
/// |---|---|
/// | [`Command::UsmMemcpy2D`] | a `UsmMemcpy` for each row |
/// | [`Command::UsmFill2D`] | a `UsmFill` of the first row and copies of it, or copies of what repeats over the rows |
/// | [`Command::UsmFill`], [`Command::BufferFill`] | a copy of the pattern, then copies of what is filled, twice as much each |
/// | [`Command::HostTask`] | a thread's work between two commands that wait |
///
/// All others are unsupported.
pub fn submit<B: Backend>(
    queue: &Arc<B::Queue>,
    command: Command<'_, B>,
    blocking: bool,
    wait: WaitList<'_, B>,
    event: EventOut<'_, B>,
) -> UrResult<()>
where
    B::Event: SoftwareEvent<B>,
{
    let how = Submission::of(&command, blocking, wait, event);
    submit_as(queue, command, how)
}

/// As [`submit`], for a command that stands for one of another kind.
pub fn submit_as<B: Backend>(queue: &Arc<B::Queue>, command: Command<'_, B>, how: Submission<'_, B>) -> UrResult<()>
where
    B::Event: SoftwareEvent<B>,
{
    let sequence = Sequence { queue, how };
    match command {
        Command::UsmMemcpy2D {
            dst,
            dst_pitch,
            src,
            src_pitch,
            width,
            height,
        } => {
            if dst_pitch == width && src_pitch == width {
                let size = width * height;
                return sequence.submit([Command::UsmMemcpy { dst, src, size }], Vec::new());
            }
            let row = |y: usize| Command::UsmMemcpy {
                dst: dst.wrapping_byte_add(y * dst_pitch),
                src: src.wrapping_byte_add(y * src_pitch),
                size: width,
            };
            sequence.submit((0..height).map(row), Vec::new())
        }
        Command::UsmFill2D {
            dst,
            pitch,
            pattern,
            width,
            height,
        } => {
            let period = pattern.len();
            if pitch == width {
                let size = width * height;
                return sequence.submit([Command::UsmFill { dst, pattern, size }], Vec::new());
            }
            let row = |y: usize| dst.wrapping_byte_add(y * pitch);
            if width.is_multiple_of(period) {
                let size = width;
                let rows = (0..height).map(|y| match y {
                    0 => Command::UsmFill { dst, pattern, size },
                    _ => Command::UsmMemcpy {
                        dst: row(y),
                        src: dst,
                        size,
                    },
                });
                return sequence.submit(rows, Vec::new());
            }
            // Each row is part of an array that is up to a pattern longer than the row.
            let source: Vec<u8> = pattern.iter().copied().cycle().take(width + period - 1).collect();
            let from = source.as_ptr();
            let rows = (0..height).map(|y| Command::UsmMemcpy {
                dst: row(y),
                src: from.wrapping_add(y * width % period).cast(),
                size: width,
            });
            sequence.submit(rows, source)
        }
        Command::UsmFill { dst, pattern, size } => {
            // The client's pattern need not outlive the call, and the call must not wait for the command's
            // dependencies.
            let source = pattern.to_vec();
            let first = Command::UsmMemcpy {
                dst,
                src: source.as_ptr().cast(),
                size: pattern.len(),
            };
            let others = doublings(pattern.len(), size).map(|(at, size)| Command::UsmMemcpy {
                dst: dst.wrapping_byte_add(at),
                src: dst,
                size,
            });
            sequence.submit(std::iter::once(first).chain(others), source)
        }
        Command::BufferFill {
            ref buffer,
            pattern,
            offset,
            size,
        } => {
            let source = pattern.to_vec();
            let first = Command::BufferWrite {
                buffer: Borrowed::from(&**buffer),
                offset,
                size: pattern.len(),
                src: source.as_ptr().cast(),
            };
            let others = doublings(pattern.len(), size).map(|(at, size)| Command::BufferCopy {
                src: Borrowed::from(&**buffer),
                dst: Borrowed::from(&**buffer),
                src_offset: offset,
                dst_offset: offset + at,
                size,
            });
            sequence.submit(std::iter::once(first).chain(others), source)
        }
        Command::HostTask(task) => sequence.run_on_host(task),
        other => other.unsupported(),
    }
}

/// Runs a host task on a thread of its own, as tasks may wait for each other: for adapters that order host tasks by themselves.
pub fn run_on_thread(task: Box<dyn FnOnce() + Send>) -> std::io::Result<()> {
    threads::run(task)
}

/// The sizes of copies that fill `size` bytes, of which `first` are filled: each copies what is filled so far, or the
/// rest.
fn doublings(first: usize, size: usize) -> impl Iterator<Item = (usize, usize)> {
    let mut filled = first;
    std::iter::from_fn(move || {
        let count = filled.min(size - filled);
        let at = filled;
        filled += count;
        (count != 0).then_some((at, count))
    })
}

/// A sequence of commands on any queue, with a single event.
struct Sequence<'a, B: Backend> {
    queue: &'a Arc<B::Queue>,
    how: Submission<'a, B>,
}

impl<B: Backend> Sequence<'_, B>
where
    B::Event: SoftwareEvent<B>,
{
    /// Submits the steps, of which there is at least one. They may read `source`, which lives until the last one is
    /// complete.
    fn submit<'c>(self, steps: impl IntoIterator<Item = Command<'c, B>>, source: Vec<u8>) -> UrResult<()> {
        let mut steps = steps.into_iter().peekable();
        let mut first = None;
        let mut before = Used::<B>::new();
        while let Some(step) = steps.next() {
            let is_last = steps.peek().is_none();
            let needs_event = !is_last || self.how.event.wanted() || !source.is_empty();
            let mut own = Used::new();
            let wait = match before.is_empty() {
                true => Ok(self.how.wait),
                false => before.wait_list(),
            };
            let submitted = wait.and_then(|wait| {
                let blocking = self.how.blocking && is_last;
                self.queue.submit(step, blocking, wait, own.next_if(needs_event))
            });
            if let Err(error) = submitted {
                if !before.is_empty() {
                    self.abandon(source);
                }
                return Err(error);
            }
            if first.is_none() && !is_last {
                first = Some(own.last()?);
            }
            before = own;
        }
        if before.is_empty() {
            return Ok(());
        }
        let last = before.last()?;
        if !source.is_empty() {
            keep_until_complete::<B>(&last, source);
        }
        if self.how.event.wanted() {
            // The start time of the sequence is that of its first step.
            let first: SmallVec<[Arc<B::Event>; 1]> =
                first.filter(|_| is_profiled::<B>(self.queue)).into_iter().collect();
            self.how
                .event
                .set(B::Event::for_execution(self.how.kind, &first, &last)?);
        }
        Ok(())
    }

    /// A step could not be submitted. Those before it must not outlive the memory that they use.
    #[cold]
    fn abandon(&self, source: Vec<u8>) {
        if let Err(error) = self.queue.finish() {
            log::warn!("the memory that a failed command reads is leaked: {error}");
            std::mem::forget(source);
        }
    }

    /// Runs a host task between two commands: one that completes when the task may start, and one that waits for an
    /// event which the end of the task resolves. The task occupies a [thread](threads) only between the two.
    fn run_on_host(self, task: HostTask) -> UrResult<()> {
        let Self { queue, how } = self;
        let Submission { kind, wait, event, .. } = how;
        let end = TaskEnd::<B>(Some(B::Event::create_pending(queue.context(), kind)?));
        // Without a wait list, the first command would wait for all earlier ones. On an out-of-order queue a task waits
        // only for barriers, so the list has a completed event.
        let complete = match queue.is_in_order() || !wait.is_empty() {
            true => None,
            false => Some(B::Event::complete(queue.context())?),
        };
        let handles: SmallVec<[EventHandle; 1]> = complete.iter().map(handle_of).collect();
        let wait = if handles.is_empty() { wait } else { list(&handles)? };
        let mut ready = Used::new();
        queue.submit(Command::Wait, false, wait, ready.next())?;
        let ready = ready.last()?;
        // On an in-order queue, later commands must wait, too.
        let after = match queue.is_in_order() {
            true => Command::barrier(),
            false => Command::Wait,
        };
        let mut done = Used::new();
        let ends: SmallVec<[EventHandle; 1]> = end.0.iter().map(handle_of).collect();
        queue.submit(after, false, list(&ends)?, done.next_if(event.wanted()))?;
        let done = match event.wanted() {
            true => Some(B::Event::for_execution(kind, &[], &done.last()?)?),
            false => None,
        };
        Pending {
            task,
            ready: ready.clone(),
            in_order: queue.is_in_order(),
            end,
        }
        .start_after(&ready);
        B::Event::defer_drop(ready);
        // Without a flush, the driver may not start the first command until a thread waits for it.
        if let Err(error) = queue.flush() {
            log::warn!("a host task may be late: {error}");
        }
        if let Some(done) = done {
            event.set(done);
        }
        Ok(())
    }
}

/// A host task that waits for its dependencies.
struct Pending<B: Backend>
where
    B::Event: SoftwareEvent<B>,
{
    task: HostTask,
    /// The event of the command before it.
    ready: Arc<B::Event>,
    /// Whether that is in an in-order queue.
    in_order: bool,
    end: TaskEnd<B>,
}

impl<B: Backend> Pending<B>
where
    B::Event: SoftwareEvent<B>,
{
    /// Starts a thread for the task when the command of `ready` is complete.
    fn start_after(self, ready: &Arc<B::Event>) {
        /// `data` is a `Box<Pending<B>>`.
        unsafe extern "C" fn complete<B: Backend>(_event: EventHandle, _status: ExecutionInfo, data: *mut c_void)
        where
            B::Event: SoftwareEvent<B>,
        {
            // SAFETY: `start_after` passed the box on, and adapters call back once.
            let pending = unsafe { Box::from_raw(data.cast::<Pending<B>>()) };
            pending.start();
        }
        let pending = Box::into_raw(Box::new(self));
        let callback = Callback::new(complete::<B>, pending.cast());
        if let Err(error) = ready.set_callback(ExecutionInfo::COMPLETE, callback) {
            log::warn!("no callback for the dependencies of a host task, so a thread waits for them: {error}");
            // SAFETY: the adapter did not take the box.
            unsafe { Box::from_raw(pending) }.start();
        }
    }

    /// Runs the task on a thread. If there is none, the task is dropped together with its end, which fails the commands
    /// that wait for it.
    fn start(self) {
        if let Err(error) = threads::run(Box::new(|| self.run())) {
            log::error!("a host task fails because no thread can be started: {error}");
        }
    }

    /// Runs the task, after the command before it.
    fn run(self) {
        let Self {
            task,
            ready,
            in_order,
            end,
        } = self;
        match Self::wait(&ready, in_order) {
            Ok(()) => {
                task.call();
                end.reach(&ready);
            }
            Err(error) => log::warn!("a host task is not run because a command that it waits for failed: {error}"),
        }
        B::Event::defer_drop(ready);
    }

    /// Waits for the command before the task.
    fn wait(ready: &Arc<B::Event>, in_order: bool) -> UrResult<()> {
        /// The callback may come a moment before the event is complete.
        const PATIENCE: usize = 10_000;
        let over = (0..PATIENCE).find_map(|_| match status::<B>(ready) {
            status @ (EventStatus::COMPLETE | EventStatus::ERROR) => Some(status),
            _ => {
                std::thread::yield_now();
                None
            }
        });
        // A thread that waits in Intel's OpenCL driver helps with other commands of an out-of-order queue, and may then wait for
        // itself.
        if !in_order && over == Some(EventStatus::COMPLETE) {
            return Ok(());
        }
        // With some drivers, only waiting tells whether that command failed.
        let handles = [handle_of(ready)];
        list(&handles).and_then(B::Event::wait_all)
    }
}

/// The event for the end of a task. It fails if this is dropped before the task has ended.
struct TaskEnd<B: Backend>(Option<Arc<B::Event>>)
where
    B::Event: SoftwareEvent<B>;

impl<B: Backend> TaskEnd<B>
where
    B::Event: SoftwareEvent<B>,
{
    /// The task has ended. Its start came after `ready`.
    fn reach(mut self, ready: &Arc<B::Event>) {
        if let Some(end) = self.0.take() {
            end.resolve(Some(ready));
            B::Event::defer_drop(end);
        }
    }
}

impl<B: Backend> Drop for TaskEnd<B>
where
    B::Event: SoftwareEvent<B>,
{
    fn drop(&mut self) {
        if let Some(end) = self.0.take() {
            end.resolve(None);
            B::Event::defer_drop(end);
        }
    }
}

/// Frees `source` once the command of `event` is complete, or has failed.
fn keep_until_complete<B: Backend>(event: &Arc<B::Event>, source: Vec<u8>) {
    /// `data` is a `Box<Vec<u8>>`.
    unsafe extern "C" fn complete(_event: EventHandle, _status: ExecutionInfo, data: *mut c_void) {
        // SAFETY: `keep_until_complete` passed the box on, and adapters call back once.
        drop(unsafe { Box::from_raw(data.cast::<Vec<u8>>()) });
    }
    let source = Box::into_raw(Box::new(source));
    let callback = Callback::new(complete, source.cast());
    let Err(error) = event.set_callback(ExecutionInfo::COMPLETE, callback) else {
        return;
    };
    log::warn!("no callback for the end of a command, so the call waits for it: {error}");
    let handles = [handle_of(event)];
    // Whether the command failed does not matter here. The status tells whether it is over.
    _ = list(&handles).and_then(B::Event::wait_all);
    if is_over::<B>(event) {
        // SAFETY: the adapter did not take the callback, and the command that reads the source is over.
        drop(unsafe { Box::from_raw(source) });
    } else {
        log::error!("the pattern of a fill is leaked because the driver does not report when it was read");
    }
}

/// Whether a command is complete or failed.
pub(crate) fn is_over<B: Backend>(event: &B::Event) -> bool {
    matches!(status::<B>(event), EventStatus::COMPLETE | EventStatus::ERROR)
}

/// Whether a command has failed.
pub(crate) fn has_failed<B: Backend>(event: &B::Event) -> bool {
    status::<B>(event) == EventStatus::ERROR
}

/// How far a command is. If that is unknown, it counts as unfinished.
fn status<B: Backend>(event: &B::Event) -> EventStatus {
    let mut status = EventStatus::QUEUED;
    // SAFETY: a place of that size.
    let out = unsafe { InfoOut::new(size_of_val(&status), (&raw mut status).cast(), std::ptr::null_mut()) };
    let asked = out.and_then(|out| event.info(EventInfo::COMMAND_EXECUTION_STATUS, out));
    match asked {
        Ok(()) => status,
        Err(_) => EventStatus::QUEUED,
    }
}

#[cfg(test)]
mod tests {
    use super::doublings;

    #[test]
    fn doublings_fill_all() {
        for (first, size) in [(1, 1), (3, 3), (1, 2), (3, 12), (5, 1000), (7, 7 * 129)] {
            let mut filled = first;
            for (at, count) in doublings(first, size) {
                assert!(at == filled && count <= filled && count != 0);
                filled += count;
            }
            assert_eq!(filled, size);
        }
    }
}
