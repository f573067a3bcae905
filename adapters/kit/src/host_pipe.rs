// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Host pipes: bytes that kernels and the host give each other, in order. Reads and writes are commands:
//! [`Command::HostPipeRead`] and [`Command::HostPipeWrite`].

use std::ffi::{CStr, c_char, c_void};

use oxur_api::*;

use crate::capture::check_idle;
use crate::enqueue::table::submit_command;
use crate::handle::{Borrowed, object};
use crate::{Backend, Command, EventOut, UrResult, WaitList, args, entry};

/// A pipe between kernels of a program and the host.
pub struct HostPipe<'a, B: Backend> {
    /// The program that has it.
    pub program: Borrowed<'a, B::Program>,
    /// The name of its variable.
    pub name: &'a CStr,
}

impl<B: Backend> HostPipe<'_, B> {
    /// # Safety
    /// As the C functions.
    unsafe fn new(program: ProgramHandle, name: *const c_char) -> UrResult<Self> {
        // SAFETY: passed on to the caller.
        unsafe {
            Ok(Self {
                program: object(program)?,
                name: args::c_str(name)?,
            })
        }
    }
}

entry! {
    pub(crate) fn urEnqueueReadHostPipe<B>(
        queue: QueueHandle, program: ProgramHandle, name: *const c_char, blocking: bool, dst: *mut c_void, size: usize,
        num_events: u32, events: *const EventHandle, event: *mut EventHandle,
    ) {
        let queue = object::<B::Queue>(queue)?;
        let pipe = HostPipe::new(program, name)?;
        args::not_null(dst)?;
        check_idle::<B>(&queue, "reading from a host pipe")?;
        let wait = WaitList::new(num_events, events)?;
        let command = Command::HostPipeRead { pipe, dst, size };
        submit_command::<B>(&queue, command, blocking, wait, EventOut::new(event))
    }

    pub(crate) fn urEnqueueWriteHostPipe<B>(
        queue: QueueHandle, program: ProgramHandle, name: *const c_char, blocking: bool, src: *mut c_void, size: usize,
        num_events: u32, events: *const EventHandle, event: *mut EventHandle,
    ) {
        let queue = object::<B::Queue>(queue)?;
        let pipe = HostPipe::new(program, name)?;
        args::not_null(src)?;
        check_idle::<B>(&queue, "writing to a host pipe")?;
        let wait = WaitList::new(num_events, events)?;
        let command = Command::HostPipeWrite { pipe, src, size };
        submit_command::<B>(&queue, command, blocking, wait, EventOut::new(event))
    }
}
