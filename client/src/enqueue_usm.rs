// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Commands on USM. They take addresses, so all of them are unsafe.
#![allow(clippy::too_many_arguments, reason = "the C functions have as many")]

use oxur_api::*;

use crate::event::WaitList;
use crate::info::bytes_of;
use crate::{Event, Plain, Queue, Result};

impl Queue {
    /// Copies bytes.
    ///
    /// # Safety
    /// Both ranges must be valid until the command has finished.
    pub unsafe fn memcpy(
        &self,
        blocking: bool,
        to: *mut c_void,
        from: *const c_void,
        size: usize,
        wait: &[&Event],
    ) -> Result<Event> {
        let wait = WaitList::new(wait);
        self.enqueue(|event| {
            // SAFETY: the handles are alive; the caller vouches for the memory.
            unsafe {
                self.fns()
                    .urEnqueueUSMMemcpy(self.raw(), blocking, to, from, size, wait.len(), wait.ptr(), event)
            }
        })
    }

    /// Copies rows of bytes.
    ///
    /// # Safety
    /// Both ranges must be valid until the command has finished.
    pub unsafe fn memcpy_2d(
        &self,
        blocking: bool,
        (to, to_pitch): (*mut c_void, usize),
        (from, from_pitch): (*const c_void, usize),
        width: usize,
        height: usize,
        wait: &[&Event],
    ) -> Result<Event> {
        let wait = WaitList::new(wait);
        self.enqueue(|event| {
            // SAFETY: the handles are alive; the caller vouches for the memory.
            unsafe {
                self.fns().urEnqueueUSMMemcpy2D(
                    self.raw(),
                    blocking,
                    to,
                    to_pitch,
                    from,
                    from_pitch,
                    width,
                    height,
                    wait.len(),
                    wait.ptr(),
                    event,
                )
            }
        })
    }

    /// Fills memory with a pattern.
    ///
    /// # Safety
    /// The range must be valid until the command has finished.
    pub unsafe fn memset<T: Plain>(
        &self,
        to: *mut c_void,
        pattern: &[T],
        size: usize,
        wait: &[&Event],
    ) -> Result<Event> {
        let (wait, pattern) = (WaitList::new(wait), bytes_of(pattern));
        self.enqueue(|event| {
            let (fns, bytes) = (self.fns(), pattern.as_ptr().cast());
            // SAFETY: the handles are alive; the caller vouches for the memory.
            unsafe {
                fns.urEnqueueUSMFill(
                    self.raw(),
                    to,
                    pattern.len(),
                    bytes,
                    size,
                    wait.len(),
                    wait.ptr(),
                    event,
                )
            }
        })
    }

    /// Fills rows of memory with a pattern.
    ///
    /// # Safety
    /// The range must be valid until the command has finished.
    pub unsafe fn memset_2d<T: Plain>(
        &self,
        (to, pitch): (*mut c_void, usize),
        pattern: &[T],
        width: usize,
        height: usize,
        wait: &[&Event],
    ) -> Result<Event> {
        let (wait, pattern) = (WaitList::new(wait), bytes_of(pattern));
        self.enqueue(|event| {
            // SAFETY: the handles are alive; the caller vouches for the memory.
            unsafe {
                self.fns().urEnqueueUSMFill2D(
                    self.raw(),
                    to,
                    pitch,
                    pattern.len(),
                    pattern.as_ptr().cast(),
                    width,
                    height,
                    wait.len(),
                    wait.ptr(),
                    event,
                )
            }
        })
    }

    /// Migrates memory to the device that will use it.
    ///
    /// # Safety
    /// The range must be USM, until the command has finished.
    pub unsafe fn prefetch(
        &self,
        memory: *const c_void,
        size: usize,
        flags: UsmMigrationFlags,
        wait: &[&Event],
    ) -> Result<Event> {
        let wait = WaitList::new(wait);
        self.enqueue(|event| {
            // SAFETY: the handles are alive; the caller vouches for the memory.
            unsafe {
                self.fns()
                    .urEnqueueUSMPrefetch(self.raw(), memory, size, flags, wait.len(), wait.ptr(), event)
            }
        })
    }

    /// Advises the driver how memory will be used.
    ///
    /// # Safety
    /// The range must be USM, until the command has finished.
    pub unsafe fn advise(&self, memory: *const c_void, size: usize, advice: UsmAdviceFlags) -> Result<Event> {
        self.enqueue(|event| {
            // SAFETY: the handles are alive; the caller vouches for the memory.
            unsafe { self.fns().urEnqueueUSMAdvise(self.raw(), memory, size, advice, event) }
        })
    }

    /// Allocates memory in the order of the queue: from a pool, or, if that is null, from the device's. The address is there at
    /// once, the memory when the event is complete.
    pub fn usm_alloc(
        &self,
        kind: UsmType,
        pool: UsmPoolHandle,
        size: usize,
        wait: &[&Event],
    ) -> Result<(*mut c_void, Event)> {
        let (queue, wait) = (self.raw(), WaitList::new(wait));
        let (len, list) = (wait.len(), wait.ptr());
        let (properties, mut memory) = (core::ptr::null(), core::ptr::null_mut());
        let place = &raw mut memory;
        let fns = self.fns();
        // SAFETY: the handles are alive, and the places of the results are valid.
        let event = self.enqueue(|event| unsafe {
            match kind {
                UsmType::DEVICE => {
                    fns.urEnqueueUSMDeviceAllocExp(queue, pool, size, properties, len, list, place, event)
                }
                UsmType::SHARED => {
                    fns.urEnqueueUSMSharedAllocExp(queue, pool, size, properties, len, list, place, event)
                }
                _ => fns.urEnqueueUSMHostAllocExp(queue, pool, size, properties, len, list, place, event),
            }
        })?;
        Ok((memory, event))
    }

    /// Frees memory in the order of the queue.
    ///
    /// # Safety
    /// Nobody may use the memory behind the command.
    pub unsafe fn usm_free(&self, memory: *mut c_void, wait: &[&Event]) -> Result<Event> {
        let (wait, pool) = (WaitList::new(wait), UsmPoolHandle::default());
        self.enqueue(|event| {
            // SAFETY: the handles are alive; the caller vouches for the memory.
            unsafe {
                self.fns()
                    .urEnqueueUSMFreeExp(self.raw(), pool, memory, wait.len(), wait.ptr(), event)
            }
        })
    }
}
