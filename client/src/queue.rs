// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Queues, and the commands that transfer no data.

use std::ptr::null;

use oxur_api::*;

use crate::event::WaitList;
use crate::{Arg, Context, Device, Error, Event, Kernel, Range, Result};

object! {
    /// A queue.
    Queue(QueueHandle): urQueueRetain, urQueueRelease, QueueInfo = urQueueGetInfo
}

/// The row pitch and the slice pitch in bytes. 0 means that the region is packed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pitch {
    /// Bytes from a row to the next.
    pub row: usize,
    /// Bytes from a slice to the next.
    pub slice: usize,
}

impl Queue {
    /// A queue.
    pub fn new(context: &Context, device: &Device, flags: QueueFlags) -> Result<Self> {
        let properties = QueueProperties {
            flags,
            ..Default::default()
        };
        let mut handle = QueueHandle::default();
        // SAFETY: the handles are alive; properties and result pointers are valid.
        unsafe {
            context
                .fns()
                .urQueueCreate(context.raw(), device.raw(), &properties, &mut handle)
        }?;
        // SAFETY: a new queue comes with one reference.
        Ok(unsafe { Self::from_raw(context.loader(), handle) })
    }

    /// The driver's own handle.
    pub fn native(&self) -> Result<NativeHandle> {
        let mut native = 0;
        // SAFETY: the handle is alive and the result pointer is valid.
        unsafe {
            self.fns()
                .urQueueGetNativeHandle(self.raw(), core::ptr::null_mut(), &mut native)
        }?;
        Ok(native)
    }

    /// Waits for all commands.
    pub fn finish(&self) -> Result<()> {
        // SAFETY: the handle is alive.
        unsafe { self.fns().urQueueFinish(self.raw()) }
    }

    /// Submits all commands to the device.
    pub fn flush(&self) -> Result<()> {
        // SAFETY: the handle is alive.
        unsafe { self.fns().urQueueFlush(self.raw()) }
    }

    /// Calls an enqueue function and returns its event.
    pub(crate) fn enqueue(&self, call: impl FnOnce(*mut EventHandle) -> Result<()>) -> Result<Event> {
        let mut handle = EventHandle::default();
        call(&mut handle)?;
        // SAFETY: an enqueue function returns an event with one reference.
        Ok(unsafe { Event::from_raw(self.loader(), handle) })
    }

    /// Returns an event that completes after all events of `wait`, or after all earlier commands if `wait` is empty.
    pub fn marker(&self, wait: &[&Event]) -> Result<Event> {
        let wait = WaitList::new(wait);
        self.enqueue(|event| {
            // SAFETY: the handles are alive and the result pointer is valid.
            unsafe {
                self.fns()
                    .urEnqueueEventsWait(self.raw(), wait.len(), wait.ptr(), event)
            }
        })
    }

    /// Like [`Queue::marker`], but later commands wait for it.
    pub fn barrier(&self, wait: &[&Event]) -> Result<Event> {
        let wait = WaitList::new(wait);
        self.enqueue(|event| {
            // SAFETY: the handles are alive and the result pointer is valid.
            unsafe {
                self.fns()
                    .urEnqueueEventsWaitWithBarrier(self.raw(), wait.len(), wait.ptr(), event)
            }
        })
    }

    /// Like [`Queue::barrier`], but signals a reusable event instead of creating one.
    pub fn signal(&self, event: &Event, wait: &[&Event]) -> Result<()> {
        let wait = WaitList::new(wait);
        let mut handle = event.raw();
        // SAFETY: the handles are alive, and the one to signal has a place.
        unsafe {
            self.fns()
                .urEnqueueEventsWaitWithBarrierExt(self.raw(), null(), wait.len(), wait.ptr(), &mut handle)
        }?;
        assert_eq!(handle, event.raw(), "the event is signalled, and not another one made");
        Ok(())
    }

    /// Launches a kernel with `urEnqueueKernelLaunchWithArgsExp` if the library has it. Otherwise sets the arguments one by one.
    ///
    /// # Safety
    /// The arguments must be what the kernel expects, and what the kernel does with memory must be allowed until it
    /// has finished.
    pub unsafe fn launch(&self, kernel: &Kernel, range: &Range, args: &[Arg], wait: &[&Event]) -> Result<Event> {
        // SAFETY: passed on to the caller.
        match unsafe { self.launch_with_args(kernel, range, args, wait) } {
            // SAFETY: as above.
            Err(Error::NotExported(_)) => unsafe { self.launch_legacy(kernel, range, args, wait) },
            result => result,
        }
    }

    /// Launches a kernel with `urEnqueueKernelLaunchWithArgsExp`.
    ///
    /// # Safety
    /// As for [`Queue::launch`].
    pub unsafe fn launch_with_args(
        &self,
        kernel: &Kernel,
        range: &Range,
        args: &[Arg],
        wait: &[&Event],
    ) -> Result<Event> {
        let wait = WaitList::new(wait);
        let args: Vec<_> = args.iter().zip(0..).map(|(arg, index)| arg.properties(index)).collect();
        let (offset, global, local) = range.pointers();
        self.enqueue(|event| {
            // SAFETY: handles and arrays are alive; the caller vouches for what the kernel does.
            unsafe {
                self.fns().urEnqueueKernelLaunchWithArgsExp(
                    self.raw(),
                    kernel.raw(),
                    range.dimensions,
                    offset,
                    global,
                    local,
                    args.len() as u32,
                    if args.is_empty() { null() } else { args.as_ptr() },
                    null(),
                    wait.len(),
                    wait.ptr(),
                    event,
                )
            }
        })
    }

    /// Sets the arguments one by one and launches with `urEnqueueKernelLaunch`.
    ///
    /// # Safety
    /// As for [`Queue::launch`].
    pub unsafe fn launch_legacy(&self, kernel: &Kernel, range: &Range, args: &[Arg], wait: &[&Event]) -> Result<Event> {
        for (arg, index) in args.iter().zip(0..) {
            // SAFETY: the caller vouches for the arguments.
            unsafe { kernel.set_arg(index, *arg) }?;
        }
        let wait = WaitList::new(wait);
        let (offset, global, local) = range.pointers();
        self.enqueue(|event| {
            // SAFETY: handles and arrays are alive; the caller vouches for what the kernel does.
            unsafe {
                self.fns().urEnqueueKernelLaunch(
                    self.raw(),
                    kernel.raw(),
                    range.dimensions,
                    offset,
                    global,
                    local,
                    null(),
                    wait.len(),
                    wait.ptr(),
                    event,
                )
            }
        })
    }

    /// Records the device's time.
    pub fn timestamp(&self, blocking: bool, wait: &[&Event]) -> Result<Event> {
        let wait = WaitList::new(wait);
        self.enqueue(|event| {
            // SAFETY: the handles are alive and the result pointer is valid.
            unsafe {
                self.fns()
                    .urEnqueueTimestampRecordingExp(self.raw(), blocking, wait.len(), wait.ptr(), event)
            }
        })
    }
}
