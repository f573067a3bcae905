// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! External semaphores (`ZE_extension_external_semaphores`).
//!
//! What other APIs of a CPU share as the opaque descriptor of a semaphore is an `eventfd`: a signal adds one to its
//! counter, and a wait takes one away, or all if it is none with `EFD_SEMAPHORE`. Vulkan's timeline semaphores and
//! Windows' handles have nothing behind them that a CPU could wait for.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::sync::Arc;

use level_zero_sys::*;
use oxur_compiler::{Fault, ThreadContext};
use oxur_device_cpu::exec::{Execution, Work};

use crate::Device;
use crate::command_list::append::target;
use crate::command_list::{AFTER_ALL, BEFORE_ALL};
use crate::entry::{Error, ZeResult, entry};
use crate::handle::{Chain, destroy, export, object, objects_of, out, required, slice};

/// A semaphore.
pub(crate) struct ExternalSemaphore {
    descriptor: OwnedFd,
}

fn refused(why: impl std::fmt::Display) -> Error {
    Error::new(ZE_RESULT_ERROR_INVALID_ARGUMENT, why)
}

impl ExternalSemaphore {
    /// The semaphore of a descriptor, of which it has a copy.
    fn import(number: RawFd) -> ZeResult<Self> {
        let link = std::fs::read_link(format!("/proc/self/fd/{number}"));
        let link = link.map_err(|_| refused(format_args!("there is no descriptor {number}")))?;
        if link.as_os_str() != "anon_inode:[eventfd]" {
            return Err(refused(format_args!(
                "the descriptor {number} is {}: a semaphore of this device is an eventfd",
                link.display()
            )));
        }
        // SAFETY: it is open, as the link shows.
        let descriptor = unsafe { BorrowedFd::borrow_raw(number) }.try_clone_to_owned();
        Ok(Self {
            descriptor: descriptor.map_err(refused)?,
        })
    }

    fn number(&self) -> RawFd {
        self.descriptor.as_raw_fd()
    }

    /// Sleeps until the descriptor is ready.
    fn poll(&self, events: i16) -> io::Result<()> {
        let mut poll = libc::pollfd {
            fd: self.number(),
            events,
            revents: 0,
        };
        // SAFETY: one structure that is alive.
        match unsafe { libc::poll(&mut poll, 1, -1) } {
            ..0 => Err(io::Error::last_os_error()),
            _ => Ok(()),
        }
    }

    /// Repeats an operation that the client may have made non-blocking.
    fn repeat(&self, events: i16, operation: impl Fn() -> isize) -> io::Result<()> {
        loop {
            if operation() >= 0 {
                return Ok(());
            }
            let error = io::Error::last_os_error();
            match error.kind() {
                io::ErrorKind::WouldBlock => _ = self.poll(events),
                io::ErrorKind::Interrupted => {}
                _ => return Err(error),
            }
        }
    }

    fn signal(&self) -> io::Result<()> {
        let one = 1u64;
        // SAFETY: the number is alive.
        self.repeat(libc::POLLOUT, || unsafe {
            libc::write(self.number(), (&raw const one).cast(), size_of::<u64>())
        })
    }

    fn wait(&self) -> io::Result<()> {
        let read = || {
            let mut value = 0u64;
            // SAFETY: the number is alive.
            unsafe { libc::read(self.number(), (&raw mut value).cast(), size_of::<u64>()) }
        };
        self.repeat(libc::POLLIN, read)
    }
}

/// Signals semaphores, or waits for them.
struct UseSemaphores {
    semaphores: Vec<Arc<ExternalSemaphore>>,
    signals: bool,
}

impl Work for UseSemaphores {
    // It may block.
    fn execution(&self) -> Execution {
        Execution::Host
    }

    fn describe(&self) -> String {
        match self.signals {
            true => "a signal of external semaphores",
            false => "a wait for external semaphores",
        }
        .to_owned()
    }

    fn run(&self, _chunks: std::ops::Range<u64>, _worker: &mut ThreadContext) -> Result<(), Fault> {
        for semaphore in &self.semaphores {
            let result = if self.signals {
                semaphore.signal()
            } else {
                semaphore.wait()
            };
            if let Err(error) = result {
                log::error!("{} failed: {error}", self.describe());
            }
        }
        Ok(())
    }
}

/// The command of one of the two functions.
///
/// # Safety
/// `semaphores` and `params` must be null or readable for `count` of them.
unsafe fn command<T>(
    semaphores: *mut ze_external_semaphore_ext_handle_t,
    params: *const T,
    count: u32,
    signals: bool,
) -> ZeResult<UseSemaphores> {
    // SAFETY: passed on to the caller.
    unsafe {
        // Values are for kinds of semaphores that this device does not have.
        slice(params, count)?;
        Ok(UseSemaphores {
            semaphores: objects_of::<ExternalSemaphore>(semaphores, count)?,
            signals,
        })
    }
}

entry! {
    fn zeDeviceImportExternalSemaphoreExt(
        device: ze_device_handle_t,
        desc: *const ze_external_semaphore_ext_desc_t,
        semaphore: *mut ze_external_semaphore_ext_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        let (desc, semaphore, chain) = unsafe {
            object::<Device>(device)?;
            let desc = required(desc)?;
            (desc, out(semaphore)?, Chain::new(desc.pNext))
        };
        if desc.flags & !0x1ff != 0 {
            return Err(Error::new(
                ZE_RESULT_ERROR_INVALID_ENUMERATION,
                format_args!("external semaphores have no flags {:#x}", desc.flags & !0x1ff),
            ));
        }
        if desc.flags & !ZE_EXTERNAL_SEMAPHORE_EXT_FLAG_OPAQUE_FD != 0 {
            return Err(Error::new(
                ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
                "this device has semaphores of opaque file descriptors only",
            ));
        }
        let Some(descriptor) = chain.find::<ze_external_semaphore_fd_ext_desc_t>() else {
            return Err(refused("no ze_external_semaphore_fd_ext_desc_t is chained to the description"));
        };
        *semaphore = export(Arc::new(ExternalSemaphore::import(descriptor.fd)?));
        Ok(())
    }

    fn zeDeviceReleaseExternalSemaphoreExt(semaphore: ze_external_semaphore_ext_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe { destroy::<ExternalSemaphore>(semaphore) }?;
        Ok(())
    }

    fn zeCommandListAppendSignalExternalSemaphoreExt(
        list: ze_command_list_handle_t,
        semaphore_count: u32,
        semaphores: *mut ze_external_semaphore_ext_handle_t,
        params: *mut ze_external_semaphore_signal_params_ext_t,
        signal: ze_event_handle_t,
        count: u32,
        waits: *mut ze_event_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        unsafe {
            let (list, events) = target(list, signal, count, waits)?;
            list.append(command(semaphores, params.cast_const(), semaphore_count, true)?, AFTER_ALL, events)
        }
    }

    fn zeCommandListAppendWaitExternalSemaphoreExt(
        list: ze_command_list_handle_t,
        semaphore_count: u32,
        semaphores: *mut ze_external_semaphore_ext_handle_t,
        params: *mut ze_external_semaphore_wait_params_ext_t,
        signal: ze_event_handle_t,
        count: u32,
        waits: *mut ze_event_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        unsafe {
            let (list, events) = target(list, signal, count, waits)?;
            list.append(command(semaphores, params.cast_const(), semaphore_count, false)?, BEFORE_ALL, events)
        }
    }
}
