// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Commands on buffers, images and global variables.
//!
//! Commands on slices block, which makes them safe. For commands on pointers the caller must keep the memory valid.
#![allow(clippy::too_many_arguments, reason = "the C functions have as many")]

use std::ffi::CString;
use std::ptr::null_mut;

use oxur_api::*;

use crate::event::WaitList;
use crate::info::bytes_of;
use crate::{Buffer, Event, Image, Mem, Pitch, Plain, Program, Queue, Result};

impl Queue {
    /// Copies from a buffer to the host, and waits.
    pub fn read<T: Plain>(&self, buffer: &Buffer, offset: usize, to: &mut [T], wait: &[&Event]) -> Result<Event> {
        // SAFETY: the call blocks until the slice is written.
        unsafe { self.read_to(buffer, true, offset, size_of_val(to), to.as_mut_ptr().cast(), wait) }
    }

    /// Copies from a buffer to the host.
    ///
    /// # Safety
    /// `to` must have `size` bytes until the command has finished.
    pub unsafe fn read_to(
        &self,
        buffer: &Buffer,
        blocking: bool,
        offset: usize,
        size: usize,
        to: *mut c_void,
        wait: &[&Event],
    ) -> Result<Event> {
        let wait = WaitList::new(wait);
        self.enqueue(|event| {
            let (fns, queue) = (self.fns(), self.raw());
            // SAFETY: the handles are alive; the caller vouches for the memory.
            unsafe {
                fns.urEnqueueMemBufferRead(
                    queue,
                    buffer.raw(),
                    blocking,
                    offset,
                    size,
                    to,
                    wait.len(),
                    wait.ptr(),
                    event,
                )
            }
        })
    }

    /// Copies from the host to a buffer, and waits until the host's memory has been read.
    pub fn write<T: Plain>(&self, buffer: &Buffer, offset: usize, from: &[T], wait: &[&Event]) -> Result<Event> {
        let bytes = bytes_of(from);
        // SAFETY: the call blocks until the slice is read.
        unsafe { self.write_from(buffer, true, offset, bytes.len(), bytes.as_ptr().cast(), wait) }
    }

    /// Copies from the host to a buffer.
    ///
    /// # Safety
    /// `from` must have `size` bytes until the command has finished.
    pub unsafe fn write_from(
        &self,
        buffer: &Buffer,
        blocking: bool,
        offset: usize,
        size: usize,
        from: *const c_void,
        wait: &[&Event],
    ) -> Result<Event> {
        let wait = WaitList::new(wait);
        self.enqueue(|event| {
            let (fns, queue, buffer) = (self.fns(), self.raw(), buffer.raw());
            // SAFETY: the handles are alive; the caller vouches for the memory.
            unsafe {
                fns.urEnqueueMemBufferWrite(
                    queue,
                    buffer,
                    blocking,
                    offset,
                    size,
                    from,
                    wait.len(),
                    wait.ptr(),
                    event,
                )
            }
        })
    }

    /// Copies a box from a buffer to the host, and waits.
    ///
    /// # Safety
    /// `to` must cover origin, region and pitch.
    pub unsafe fn read_rect(
        &self,
        buffer: &Buffer,
        origins: (RectOffset, RectOffset),
        region: RectRegion,
        pitches: (Pitch, Pitch),
        to: *mut c_void,
        wait: &[&Event],
    ) -> Result<Event> {
        let wait = WaitList::new(wait);
        self.enqueue(|event| {
            // SAFETY: the handles are alive; the caller vouches for the memory.
            unsafe {
                self.fns().urEnqueueMemBufferReadRect(
                    self.raw(),
                    buffer.raw(),
                    true,
                    origins.0,
                    origins.1,
                    region,
                    pitches.0.row,
                    pitches.0.slice,
                    pitches.1.row,
                    pitches.1.slice,
                    to,
                    wait.len(),
                    wait.ptr(),
                    event,
                )
            }
        })
    }

    /// Copies a box from the host to a buffer, and waits. The origins are those of buffer and host.
    ///
    /// # Safety
    /// `from` must cover origin, region and pitch.
    pub unsafe fn write_rect(
        &self,
        buffer: &Buffer,
        origins: (RectOffset, RectOffset),
        region: RectRegion,
        pitches: (Pitch, Pitch),
        from: *const c_void,
        wait: &[&Event],
    ) -> Result<Event> {
        let wait = WaitList::new(wait);
        self.enqueue(|event| {
            // SAFETY: the handles are alive; the caller vouches for the memory, which is only read.
            unsafe {
                self.fns().urEnqueueMemBufferWriteRect(
                    self.raw(),
                    buffer.raw(),
                    true,
                    origins.0,
                    origins.1,
                    region,
                    pitches.0.row,
                    pitches.0.slice,
                    pitches.1.row,
                    pitches.1.slice,
                    from.cast_mut(),
                    wait.len(),
                    wait.ptr(),
                    event,
                )
            }
        })
    }

    /// Copies between buffers.
    pub fn copy(
        &self,
        from: &Buffer,
        to: &Buffer,
        offsets: (usize, usize),
        size: usize,
        wait: &[&Event],
    ) -> Result<Event> {
        let wait = WaitList::new(wait);
        self.enqueue(|event| {
            // SAFETY: the handles are alive.
            unsafe {
                self.fns().urEnqueueMemBufferCopy(
                    self.raw(),
                    from.raw(),
                    to.raw(),
                    offsets.0,
                    offsets.1,
                    size,
                    wait.len(),
                    wait.ptr(),
                    event,
                )
            }
        })
    }

    /// Copies a box between buffers.
    pub fn copy_rect(
        &self,
        from: &Buffer,
        to: &Buffer,
        origins: (RectOffset, RectOffset),
        region: RectRegion,
        pitches: (Pitch, Pitch),
        wait: &[&Event],
    ) -> Result<Event> {
        let wait = WaitList::new(wait);
        self.enqueue(|event| {
            // SAFETY: the handles are alive.
            unsafe {
                self.fns().urEnqueueMemBufferCopyRect(
                    self.raw(),
                    from.raw(),
                    to.raw(),
                    origins.0,
                    origins.1,
                    region,
                    pitches.0.row,
                    pitches.0.slice,
                    pitches.1.row,
                    pitches.1.slice,
                    wait.len(),
                    wait.ptr(),
                    event,
                )
            }
        })
    }

    /// Fills a buffer with a pattern.
    pub fn fill<T: Plain>(
        &self,
        buffer: &Buffer,
        pattern: &[T],
        offset: usize,
        size: usize,
        wait: &[&Event],
    ) -> Result<Event> {
        let wait = WaitList::new(wait);
        let pattern = bytes_of(pattern);
        self.enqueue(|event| {
            // SAFETY: the handles are alive; the pattern is copied before the call returns.
            unsafe {
                self.fns().urEnqueueMemBufferFill(
                    self.raw(),
                    buffer.raw(),
                    pattern.as_ptr().cast(),
                    pattern.len(),
                    offset,
                    size,
                    wait.len(),
                    wait.ptr(),
                    event,
                )
            }
        })
    }

    /// Maps a part of a buffer, and waits. The flags say how the host may use the memory until it is unmapped.
    pub fn map(
        &self,
        buffer: &Buffer,
        flags: MapFlags,
        offset: usize,
        size: usize,
        wait: &[&Event],
    ) -> Result<(*mut c_void, Event)> {
        let wait = WaitList::new(wait);
        let mut pointer = null_mut();
        let event = self.enqueue(|event| {
            // SAFETY: the handles are alive and the result pointer is valid.
            unsafe {
                self.fns().urEnqueueMemBufferMap(
                    self.raw(),
                    buffer.raw(),
                    true,
                    flags,
                    offset,
                    size,
                    wait.len(),
                    wait.ptr(),
                    event,
                    &mut pointer,
                )
            }
        })?;
        Ok((pointer, event))
    }

    /// Ends a mapping.
    ///
    /// # Safety
    /// The pointer must come from [`Queue::map`] of this object; the host may not use it any more.
    pub unsafe fn unmap(&self, mem: &Mem, pointer: *mut c_void, wait: &[&Event]) -> Result<Event> {
        let wait = WaitList::new(wait);
        self.enqueue(|event| {
            // SAFETY: the handles are alive; the caller vouches for the pointer.
            unsafe {
                self.fns()
                    .urEnqueueMemUnmap(self.raw(), mem.raw(), pointer, wait.len(), wait.ptr(), event)
            }
        })
    }

    /// Copies a box of an image to the host, and waits.
    ///
    /// # Safety
    /// `to` must cover region and pitch.
    pub unsafe fn image_read(
        &self,
        image: &Image,
        origin: RectOffset,
        region: RectRegion,
        pitch: Pitch,
        to: *mut c_void,
        wait: &[&Event],
    ) -> Result<Event> {
        let wait = WaitList::new(wait);
        self.enqueue(|event| {
            // SAFETY: the handles are alive; the caller vouches for the memory.
            unsafe {
                self.fns().urEnqueueMemImageRead(
                    self.raw(),
                    image.raw(),
                    true,
                    origin,
                    region,
                    pitch.row,
                    pitch.slice,
                    to,
                    wait.len(),
                    wait.ptr(),
                    event,
                )
            }
        })
    }

    /// Copies from the host to a box of an image, and waits.
    ///
    /// # Safety
    /// `from` must cover region and pitch.
    pub unsafe fn image_write(
        &self,
        image: &Image,
        origin: RectOffset,
        region: RectRegion,
        pitch: Pitch,
        from: *const c_void,
        wait: &[&Event],
    ) -> Result<Event> {
        let wait = WaitList::new(wait);
        self.enqueue(|event| {
            // SAFETY: the handles are alive; the caller vouches for the memory, which is only read.
            unsafe {
                self.fns().urEnqueueMemImageWrite(
                    self.raw(),
                    image.raw(),
                    true,
                    origin,
                    region,
                    pitch.row,
                    pitch.slice,
                    from.cast_mut(),
                    wait.len(),
                    wait.ptr(),
                    event,
                )
            }
        })
    }

    /// Copies a box between images.
    pub fn image_copy(
        &self,
        from: &Image,
        to: &Image,
        origins: (RectOffset, RectOffset),
        region: RectRegion,
        wait: &[&Event],
    ) -> Result<Event> {
        let wait = WaitList::new(wait);
        self.enqueue(|event| {
            // SAFETY: the handles are alive.
            unsafe {
                self.fns().urEnqueueMemImageCopy(
                    self.raw(),
                    from.raw(),
                    to.raw(),
                    origins.0,
                    origins.1,
                    region,
                    wait.len(),
                    wait.ptr(),
                    event,
                )
            }
        })
    }

    /// Copies from a program's global variable to the host, and waits.
    pub fn global_read<T: Plain>(
        &self,
        program: &Program,
        name: &str,
        offset: usize,
        to: &mut [T],
        wait: &[&Event],
    ) -> Result<Event> {
        // SAFETY: the call blocks until the slice is written.
        unsafe {
            self.global_read_to(
                program,
                name,
                true,
                offset,
                size_of_val(to),
                to.as_mut_ptr().cast(),
                wait,
            )
        }
    }

    /// Copies from a program's global variable.
    ///
    /// # Safety
    /// `to` must have `size` bytes until the command has finished.
    pub unsafe fn global_read_to(
        &self,
        program: &Program,
        name: &str,
        blocking: bool,
        offset: usize,
        size: usize,
        to: *mut c_void,
        wait: &[&Event],
    ) -> Result<Event> {
        let (wait, name) = (WaitList::new(wait), CString::new(name)?);
        self.enqueue(|event| {
            // SAFETY: the handles are alive, the name ends with NUL; the caller vouches for the memory.
            unsafe {
                self.fns().urEnqueueDeviceGlobalVariableRead(
                    self.raw(),
                    program.raw(),
                    name.as_ptr(),
                    blocking,
                    size,
                    offset,
                    to,
                    wait.len(),
                    wait.ptr(),
                    event,
                )
            }
        })
    }

    /// Copies from the host to a program's global variable, and waits.
    pub fn global_write<T: Plain>(
        &self,
        program: &Program,
        name: &str,
        offset: usize,
        from: &[T],
        wait: &[&Event],
    ) -> Result<Event> {
        let bytes = bytes_of(from);
        // SAFETY: the call blocks until the slice is read.
        unsafe { self.global_write_from(program, name, true, offset, bytes.len(), bytes.as_ptr().cast(), wait) }
    }

    /// Copies to a program's global variable.
    ///
    /// # Safety
    /// `from` must have `size` bytes until the command has finished.
    pub unsafe fn global_write_from(
        &self,
        program: &Program,
        name: &str,
        blocking: bool,
        offset: usize,
        size: usize,
        from: *const c_void,
        wait: &[&Event],
    ) -> Result<Event> {
        let (wait, name) = (WaitList::new(wait), CString::new(name)?);
        self.enqueue(|event| {
            // SAFETY: the handles are alive, the name ends with NUL; the caller vouches for the memory.
            unsafe {
                self.fns().urEnqueueDeviceGlobalVariableWrite(
                    self.raw(),
                    program.raw(),
                    name.as_ptr(),
                    blocking,
                    size,
                    offset,
                    from,
                    wait.len(),
                    wait.ptr(),
                    event,
                )
            }
        })
    }
}
