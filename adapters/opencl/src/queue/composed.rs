// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Commands that OpenCL does not have and that several of its commands amount to.

use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::sync::Arc;

use kit::ur::{CommandType, KernelLaunchFlags, ResultCode};
use kit::{HostTask, Launch, LaunchProperties, UrError, UrResult};
use opencl_sys::*;
use oxur_adapter_kit as kit;

use super::submit::Deps;
use super::{Out, Queue, Wait};
use crate::cl::{cl, cl_create};
use crate::event::{self, RawEvent};
use crate::extensions::ext;
use crate::{Mem, OpenCl};

/// Refuses launch properties that OpenCL cannot keep.
#[inline]
pub(super) fn check_properties(launch: &Launch<'_, OpenCl>) -> UrResult<()> {
    let properties = launch.properties;
    let hints = KernelLaunchFlags::OPPORTUNISTIC_QUEUE_SERIALIZE;
    if properties.cluster.is_none() && properties.work_group_memory == 0 {
        if hints.contains(properties.flags) {
            return Ok(());
        }
        // OpenCL does not promise that work-groups run at the same time. One alone has nobody to wait for.
        let one = launch.range.local == Some(launch.range.global);
        if one && (hints | KernelLaunchFlags::COOPERATIVE).contains(properties.flags) {
            return Ok(());
        }
    }
    Err(impossible(properties))
}

#[cold]
fn impossible(properties: LaunchProperties) -> UrError {
    UrError::said(
        ResultCode::ERROR_INVALID_OPERATION,
        format!("OpenCL has no way to launch a kernel with {properties:?}"),
    )
}

/// Whether the driver fills memory with a pattern of this size, at an address or an offset in a buffer.
pub(super) fn driver_fills(at: usize, pattern: &[u8]) -> bool {
    pattern.len().is_power_of_two() && pattern.len() <= 128 && at.is_multiple_of(pattern.len())
}

/// Frees `source` once the command of `event` is over.
fn free_after(event: cl_event, source: Vec<u8>) {
    /// `data` is a `Box<Vec<u8>>`.
    unsafe extern "C" fn over(_event: cl_event, _status: cl_int, data: *mut c_void) {
        // SAFETY: `free_after` gave the box away, and OpenCL calls once.
        drop(unsafe { Box::from_raw(data.cast::<Vec<u8>>()) });
    }
    let source = Box::into_raw(Box::new(source));
    // SAFETY: a live event, and a function for the data that it gets.
    let Err(error) = (unsafe { cl!(clSetEventCallback(event, CL_COMPLETE, Some(over), source.cast())) }) else {
        return;
    };
    log::warn!("the end of a command must be waited for: {error}");
    // The reference is the caller's.
    let event = ManuallyDrop::new(RawEvent(event));
    // Whether the command failed is not of interest here: the status tells whether it is over.
    let _ = event.wait();
    if event.is_over() {
        // SAFETY: OpenCL did not take the box, and the command that reads it is over.
        drop(unsafe { Box::from_raw(source) });
    } else {
        log::error!("the pattern of a fill is leaked: the driver does not say when it is read");
    }
}

/// A user event whose status is set in the end, whatever happens: commands wait for it.
struct Promise {
    event: RawEvent,
    /// An error until the promise is kept.
    status: cl_int,
}

impl Promise {
    fn new(context: cl_context) -> UrResult<Self> {
        // SAFETY: a live context.
        let event = RawEvent(unsafe { cl_create!(clCreateUserEvent(context)) }?);
        let status = CL_OUT_OF_RESOURCES;
        Ok(Self { event, status })
    }
}

impl Drop for Promise {
    fn drop(&mut self) {
        event::end(&self.event, self.status);
    }
}

/// Commands that run one after the other on any queue.
struct Chain<'a> {
    queue: &'a Queue,
    first: Deps,
    /// The event of the command before.
    before: Option<RawEvent>,
    /// What the commands read, if it is not the client's: it lives until the last one is over.
    source: Vec<u8>,
}

impl<'a> Chain<'a> {
    /// A chain that waits for the events in `deps`, and whose last command leaves the event there.
    fn new(queue: &'a Queue, deps: Deps) -> Self {
        Self::reading(Vec::new(), queue, deps)
    }

    /// As [`Chain::new`], with commands that read from `source`.
    fn reading(source: Vec<u8>, queue: &'a Queue, deps: Deps) -> Self {
        Self {
            queue,
            first: deps,
            before: None,
            source,
        }
    }

    /// Submits the next command, the last one if `last`.
    fn next(&mut self, last: bool, call: impl FnOnce(Deps) -> UrResult<()>) -> UrResult<()> {
        let mut own: cl_event = std::ptr::null_mut();
        // Who frees the source needs an event of the last command even if the client does not.
        let free = last && !self.source.is_empty();
        let event = match last {
            true if !free || !self.first.event.is_null() => self.first.event,
            _ => &raw mut own,
        };
        let deps = match &self.before {
            None => Deps { event, ..self.first },
            Some(before) => Deps {
                count: 1,
                events: &before.0,
                event,
            },
        };
        call(deps)?;
        self.before = (!own.is_null()).then(|| RawEvent(own));
        if free {
            // SAFETY: the driver has put the event of its command there.
            free_after(unsafe { *event }, std::mem::take(&mut self.source));
            // Nothing follows: if the event is the chain's own, it has done its work.
            self.before = None;
        }
        Ok(())
    }
}

impl Drop for Chain<'_> {
    fn drop(&mut self) {
        if self.before.is_some() {
            // The chain broke: what it submitted must not outlive what it uses.
            // SAFETY: a live queue.
            if let Err(error) = unsafe { cl!(clFinish(self.queue.raw)) } {
                log::warn!("what a broken command reads is leaked: {error}");
                std::mem::forget(std::mem::take(&mut self.source));
            }
        }
    }
}

/// The sizes of copies that fill `size` bytes, of which `first` are filled: each as much as is filled, or as is left.
fn doublings(first: usize, size: usize) -> impl Iterator<Item = (usize, usize)> {
    let mut filled = first;
    std::iter::from_fn(move || {
        let count = filled.min(size - filled);
        let at = filled;
        filled += count;
        (count != 0).then_some((at, count))
    })
}

impl Queue {
    pub(super) fn memcpy(
        &self,
        blocking: bool,
        dst: *mut c_void,
        src: *const c_void,
        size: usize,
        deps: Deps,
    ) -> UrResult<()> {
        // SAFETY: live handles; the client vouches for its memory.
        unsafe {
            ext!(
                self.context.ext,
                enqueue_memcpy(
                    self.raw,
                    cl_bool::from(blocking),
                    dst,
                    src,
                    size,
                    deps.count,
                    deps.events,
                    deps.event
                )
            )
        }
    }

    /// Fills USM by the driver: see [`driver_fills`].
    pub(super) fn fill(&self, dst: *mut c_void, pattern: &[u8], size: usize, deps: Deps) -> UrResult<()> {
        // SAFETY: live handles; the client vouches for its memory; OpenCL copies the pattern before it returns.
        unsafe {
            ext!(
                self.context.ext,
                enqueue_mem_fill(
                    self.raw,
                    dst,
                    pattern.as_ptr().cast(),
                    pattern.len(),
                    size,
                    deps.count,
                    deps.events,
                    deps.event
                )
            )
        }
    }

    /// Fills USM with a pattern that the driver does not take: the pattern once, then what is filled again and again.
    pub(super) fn fill_usm_oddly(
        self: &Arc<Self>,
        dst: *mut c_void,
        pattern: &[u8],
        size: usize,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        self.submit(CommandType::USM_FILL, wait, event, |deps| {
            // The client's pattern need not outlive the call, which must not wait for what the command waits for.
            let mut chain = Chain::reading(pattern.to_vec(), self, deps);
            let from = chain.source.as_ptr();
            let only = pattern.len() == size;
            chain.next(only, |d| self.memcpy(false, dst, from.cast(), pattern.len(), d))?;
            for (at, count) in doublings(pattern.len(), size) {
                let to = dst.wrapping_byte_add(at);
                chain.next(at + count == size, |d| self.memcpy(false, to, dst, count, d))?;
            }
            Ok(())
        })
    }

    /// Fills a part of a buffer with a pattern that the driver does not take, in the same way.
    pub(super) fn fill_buffer_oddly(
        self: &Arc<Self>,
        buffer: &Mem,
        pattern: &[u8],
        offset: usize,
        size: usize,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        let (queue, raw, period) = (self.raw, buffer.raw, pattern.len());
        self.submit(CommandType::MEM_BUFFER_FILL, wait, event, |deps| {
            let mut chain = Chain::reading(pattern.to_vec(), self, deps);
            let from = chain.source.as_ptr().cast();
            // SAFETY: live handles; the chain keeps what is read.
            chain.next(period == size, |d| unsafe {
                let (blocking, Deps { count, events, event }) = (CL_FALSE, d);
                cl!(clEnqueueWriteBuffer(
                    queue, raw, blocking, offset, period, from, count, events, event
                ))
            })?;
            for (at, bytes) in doublings(period, size) {
                // SAFETY: live handles; both parts are inside of the buffer.
                chain.next(at + bytes == size, |d| unsafe {
                    let Deps { count, events, event } = d;
                    cl!(clEnqueueCopyBuffer(
                        queue,
                        raw,
                        raw,
                        offset,
                        offset + at,
                        bytes,
                        count,
                        events,
                        event
                    ))
                })?;
            }
            Ok(())
        })
    }

    /// Fills the first row, then copies it to the others.
    #[allow(clippy::too_many_arguments, reason = "a command has the parameters that UR gives it")]
    pub(super) fn fill_rows(
        self: &Arc<Self>,
        dst: *mut c_void,
        pitch: usize,
        pattern: &[u8],
        width: usize,
        height: usize,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        // Rows need not hold whole patterns: the pattern runs on from row to row. Every row is then a part of an array
        // that is longer than a row by nearly a pattern.
        let period = pattern.len();
        let repeats = width.is_multiple_of(period);
        let by_driver = repeats && driver_fills(dst.addr(), pattern);
        let length = match (by_driver, repeats) {
            (true, _) => 0,
            (false, true) => width,
            (false, false) => width + period - 1,
        };
        self.submit(CommandType::USM_FILL_2D, wait, event, |deps| {
            let source = pattern.iter().copied().cycle().take(length).collect();
            let mut chain = Chain::reading(source, self, deps);
            let from = chain.source.as_ptr();
            for y in 0..height {
                let to = dst.wrapping_byte_add(y * pitch);
                chain.next(y + 1 == height, |d| {
                    if y > 0 && repeats {
                        self.memcpy(false, to, dst, width, d)
                    } else if by_driver {
                        self.fill(to, pattern, width, d)
                    } else {
                        let row = from.wrapping_add(y * width % period);
                        self.memcpy(false, to, row.cast(), width, d)
                    }
                })?;
            }
            Ok(())
        })
    }

    /// Copies row by row.
    #[allow(clippy::too_many_arguments, reason = "a command has the parameters that UR gives it")]
    pub(super) fn copy_rows(
        self: &Arc<Self>,
        blocking: bool,
        (dst, dst_pitch): (*mut c_void, usize),
        (src, src_pitch): (*const c_void, usize),
        width: usize,
        height: usize,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        self.submit(CommandType::USM_MEMCPY_2D, wait, event, |deps| {
            let mut chain = Chain::new(self, deps);
            for y in 0..height {
                let last = y + 1 == height;
                let (to, from) = (
                    dst.wrapping_byte_add(y * dst_pitch),
                    src.wrapping_byte_add(y * src_pitch),
                );
                chain.next(last, |d| self.memcpy(blocking && last, to, from, width, d))?;
            }
            Ok(())
        })
    }

    /// Runs a host task on a thread of its own between two commands: one that completes when the task may start, and one
    /// that waits for a user event that the task's end sets.
    pub(super) fn run_on_host(self: &Arc<Self>, task: HostTask, wait: Wait<'_>, event: Out<'_>) -> UrResult<()> {
        self.submit(CommandType::HOST_TASK_EXP, wait, event, |deps| {
            // Dropped on the way to the task's end, it fails the commands that wait for it.
            let mut done = Promise::new(self.context.raw)?;
            let mut ready: cl_event = std::ptr::null_mut();
            // SAFETY: live handles.
            unsafe {
                cl!(clEnqueueMarkerWithWaitList(
                    self.raw,
                    deps.count,
                    deps.events,
                    &mut ready
                ))
            }?;
            let ready = RawEvent(ready);
            // SAFETY: live handles. On an in-order queue the commands after it must wait, too.
            unsafe {
                if kit::Queue::is_in_order(&**self) {
                    cl!(clEnqueueBarrierWithWaitList(self.raw, 1, &done.event.0, deps.event))
                } else {
                    cl!(clEnqueueMarkerWithWaitList(self.raw, 1, &done.event.0, deps.event))
                }
            }?;
            // Without it the driver may not start the first command before somebody waits: the thread does, soon.
            // SAFETY: a live queue.
            if let Err(error) = unsafe { cl!(clFlush(self.raw)) } {
                log::warn!("a host task may be late: {error}");
            }
            let run = move || {
                match ready.wait() {
                    Ok(()) => {
                        task.call();
                        done.status = CL_COMPLETE;
                    }
                    Err(error) => {
                        log::warn!("a host task is not run because what it waits for failed: {error}");
                        done.status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
                    }
                }
                // Whole ones, not their parts.
                let _owned = (ready, done);
            };
            // Where there is no thread, the closure is dropped, and the promise with it.
            match std::thread::Builder::new().name("ur host task".into()).spawn(run) {
                Ok(_) => Ok(()),
                Err(error) => Err(UrError::said(
                    ResultCode::ERROR_OUT_OF_RESOURCES,
                    format!("no thread for a host task: {error}"),
                )),
            }
        })
    }
}
