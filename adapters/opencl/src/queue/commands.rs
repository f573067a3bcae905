// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! OpenCL's function for each command.

use std::ffi::c_void;
use std::sync::Arc;

use kit::ur::{CommandType, KernelLaunchFlags, RectOffset, RectRegion, ResultCode, UsmMigrationFlags};
use kit::{Command, DeviceGlobal, ImageRect, Launch, LaunchProperties, UrError, UrResult, emulate};
use opencl_sys::*;
use oxur_adapter_kit as kit;

use super::submit::Deps;
use super::{Out, Queue, Wait};
use crate::cl::{self, cl};
use crate::{OpenCl, conv};

/// Refuses launch properties that OpenCL cannot keep.
#[inline]
fn check_properties(launch: &Launch<'_, OpenCl>) -> UrResult<()> {
    let properties = launch.properties;
    // OpenCL does not promise that work-groups run at the same time. Drivers do what they can, and SYCL's launches with a
    // root group depend on that.
    let taken = KernelLaunchFlags::OPPORTUNISTIC_QUEUE_SERIALIZE | KernelLaunchFlags::COOPERATIVE;
    if properties.cluster.is_none() && properties.work_group_memory == 0 && taken.contains(properties.flags) {
        return Ok(());
    }
    Err(impossible(properties))
}

#[cold]
fn impossible(properties: LaunchProperties) -> UrError {
    kit::error!(ERROR_INVALID_OPERATION: "OpenCL has no way to launch a kernel with {properties:?}")
}

fn pointer(array: Option<&[usize]>) -> *const usize {
    array.map_or(std::ptr::null(), <[usize]>::as_ptr)
}

fn corner(origin: &RectOffset) -> [usize; 3] {
    [origin.x as usize, origin.y as usize, origin.z as usize]
}

fn sides(region: &RectRegion) -> [usize; 3] {
    [region.width as usize, region.height as usize, region.depth as usize]
}

/// OpenCL's function for each command, with its parameters between the queue and the events. `ext` is before those of
/// extensions; a box stands for its seven parameters.
macro_rules! functions {
    (($queue:ident, $deps:ident, $ext:ident) match $command:expr;
        $( $name:ident $({ $($fields:tt)* })? => $($function:ident)+ ($($args:tt)*); )*
        _ => { $($others:tt)* }
    ) => {
        match $command {
            $( Command::$name $({ $($fields)* })? => functions!(call ($queue, $deps, $ext) $($function)+ ($($args)*)), )*
            $($others)*
        }
    };
    (call ($queue:ident, $deps:ident, $e:ident) ext $function:ident ($($arg:expr),*)) => {
        cl!($e, $function(*$queue.raw, $($arg,)* $deps.count, $deps.events, $deps.event))
    };
    (call ($queue:ident, $deps:ident, $e:ident) $function:ident ($($before:expr),*; $rect:ident $(, $after:expr)?)) => {
        cl!($function(
            *$queue.raw, $($before,)*
            corner(&$rect.a_origin).as_ptr(), corner(&$rect.b_origin).as_ptr(), sides(&$rect.region).as_ptr(),
            $rect.a_row_pitch, $rect.a_slice_pitch, $rect.b_row_pitch, $rect.b_slice_pitch,
            $($after,)? $deps.count, $deps.events, $deps.event
        ))
    };
    (call ($queue:ident, $deps:ident, $e:ident) $function:ident ($($arg:expr),*)) => {
        cl!($function(*$queue.raw, $($arg,)* $deps.count, $deps.events, $deps.event))
    };
}

/// Whether the driver fills memory with a pattern of this size, at an address or an offset in a buffer.
fn driver_fills(at: usize, pattern: &[u8]) -> bool {
    pattern.len().is_power_of_two() && pattern.len() <= 128 && at.is_multiple_of(pattern.len())
}

impl Queue {
    #[inline(always)]
    pub(super) fn launch(self: &Arc<Self>, launch: Launch<'_, OpenCl>, wait: Wait<'_>, event: Out<'_>) -> UrResult<()> {
        let (kernel, range) = (&launch.kernel, &launch.range);
        check_properties(&launch)?;
        let local = match range.local {
            Some(local) => local.as_ptr(),
            // A kernel that demands a size is not launched without one.
            None => kernel
                .required_local_size(&self.device)
                .map_or(std::ptr::null(), |size| size.as_ptr()),
        };
        kernel.note_launch(event.wanted());
        // Arguments that come with the launch must still be there when OpenCL takes them.
        let _lock;
        if !launch.args.is_empty() {
            _lock = kernel.arguments.lock();
            kernel.set_all(launch.args)?;
        }
        self.enqueue(CommandType::KERNEL_LAUNCH, false, wait, event, |_, deps| {
            // SAFETY: live handles; the arrays have as many elements as there are dimensions.
            unsafe {
                cl!(clEnqueueNDRangeKernel(
                    *self.raw,
                    *kernel.raw,
                    range.global.len() as cl_uint,
                    pointer(range.offset),
                    range.global.as_ptr(),
                    local,
                    deps.count,
                    deps.events,
                    deps.event
                ))
            }
        })
    }

    /// Submits a command of any kind.
    pub(super) fn submit_any(
        self: &Arc<Self>,
        command: Command<'_, OpenCl>,
        blocking: bool,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        match command {
            Command::Launch(launch) => return self.launch(launch, wait, event),
            // They are frequent, and there is nothing to check.
            Command::Wait | Command::Barrier { .. } | Command::UsmMemcpy { .. } => {}
            _ => {
                kit::Context::check_command(&*self.context, &self.device, &command)?;
                if is_emulated(&command) {
                    return emulate::submit(self, command, blocking, wait, event);
                }
            }
        }
        let submitted = self.enqueue(command.command_type(), blocking, wait, event, |blocking, deps| {
            self.call(&command, blocking, deps)
        });
        match command {
            Command::ImageRead { .. } | Command::ImageWrite { .. } | Command::ImageCopy { .. } => {
                submitted.map_err(of_image)
            }
            _ => submitted,
        }
    }

    /// Calls OpenCL's function for a command.
    pub(super) fn call(&self, command: &Command<'_, OpenCl>, blocking: cl_bool, deps: Deps) -> UrResult<()> {
        let ext = &self.context.ext;
        // SAFETY: live handles, arrays of three, zero-terminated names. The client vouches for its memory until the command
        // is complete; the driver copies patterns before it returns.
        unsafe {
            functions! { (self, deps, ext) match *command;
                UsmMemcpy { dst, src, size } => ext clEnqueueMemcpyINTEL(blocking, dst, src, size);
                UsmFill { dst, pattern, size }
                    => ext clEnqueueMemFillINTEL(dst, pattern.as_ptr().cast(), pattern.len(), size);
                BufferRead { ref buffer, offset, size, dst }
                    => clEnqueueReadBuffer(*buffer.raw, blocking, offset, size, dst);
                BufferWrite { ref buffer, offset, size, src }
                    => clEnqueueWriteBuffer(*buffer.raw, blocking, offset, size, src);
                BufferReadRect { ref buffer, ref rect, dst }
                    => clEnqueueReadBufferRect(*buffer.raw, blocking; rect, dst);
                BufferWriteRect { ref buffer, ref rect, src }
                    => clEnqueueWriteBufferRect(*buffer.raw, blocking; rect, src);
                BufferCopy { ref src, ref dst, src_offset, dst_offset, size }
                    => clEnqueueCopyBuffer(*src.raw, *dst.raw, src_offset, dst_offset, size);
                BufferCopyRect { ref src, ref dst, ref rect } => clEnqueueCopyBufferRect(*src.raw, *dst.raw; rect);
                BufferFill { ref buffer, pattern, offset, size }
                    => clEnqueueFillBuffer(*buffer.raw, pattern.as_ptr().cast(), pattern.len(), offset, size);
                ImageRead { ref image, rect: ImageRect { ref origin, ref region, row_pitch, slice_pitch }, dst }
                    => clEnqueueReadImage(*image.raw, blocking, corner(origin).as_ptr(), sides(region).as_ptr(),
                        row_pitch, slice_pitch, dst);
                ImageWrite { ref image, rect: ImageRect { ref origin, ref region, row_pitch, slice_pitch }, src }
                    => clEnqueueWriteImage(*image.raw, blocking, corner(origin).as_ptr(), sides(region).as_ptr(),
                        row_pitch, slice_pitch, src);
                ImageCopy { ref src, ref dst, ref src_origin, ref dst_origin, ref region } => clEnqueueCopyImage(
                    *src.raw, *dst.raw, corner(src_origin).as_ptr(), corner(dst_origin).as_ptr(), sides(region).as_ptr());
                DeviceGlobalRead { global: DeviceGlobal { ref program, name, count, offset }, dst }
                    => ext clEnqueueReadGlobalVariableINTEL(*program.raw, name.as_ptr(), blocking, count, offset, dst);
                DeviceGlobalWrite { global: DeviceGlobal { ref program, name, count, offset }, src }
                    => ext clEnqueueWriteGlobalVariableINTEL(*program.raw, name.as_ptr(), blocking, count, offset, src);
                // OpenCL checks the address.
                Unmap { ref mem, mapped } => clEnqueueUnmapMemObject(*mem.raw, mapped);
                _ => {
                    Command::Wait => self.marker(deps),
                    // How the host waits is up to the driver.
                    Command::Barrier { flags: _ } => self.barrier(deps),
                    Command::UsmPrefetch { memory, size, flags } => self.prefetch(memory, size, flags, deps),
                    // OpenCL defines no value of cl_mem_advice_intel: advice is a hint that no driver can take.
                    Command::UsmAdvise { .. } => self.marker(deps),
                    _ => command.unsupported(),
                }
            }
        }
    }

    fn prefetch(&self, memory: *const c_void, size: usize, flags: UsmMigrationFlags, deps: Deps) -> UrResult<()> {
        let to_host = flags.contains(UsmMigrationFlags::DEVICE_TO_HOST);
        let flags = if to_host { CL_MIGRATE_MEM_OBJECT_HOST } else { 0 };
        if let Some(migrate) = self.context.ext.clEnqueueMigrateMemINTEL
            && !cl::is_lost()
        {
            // SAFETY: a live queue, and any address.
            let code = unsafe { migrate(*self.raw, memory, size, flags, deps.count, deps.events, deps.event) };
            if code == CL_SUCCESS {
                return Ok(());
            }
            let name = conv::error_name(code).unwrap_or_default();
            log::debug!("the driver does not migrate USM: {name} ({code})");
        }
        // A hint that the driver has no use for: only the order counts.
        self.marker(deps)
    }
}

/// The error of a command on images. A box that is not inside of an image is a matter of its size for UR.
#[cold]
fn of_image(error: UrError) -> UrError {
    match error.code() {
        ResultCode::ERROR_INVALID_VALUE => error.with_code(ResultCode::ERROR_INVALID_SIZE),
        _ => error,
    }
}

/// Whether OpenCL lacks a command.
fn is_emulated(command: &Command<'_, OpenCl>) -> bool {
    match *command {
        Command::UsmFill { dst, pattern, .. } => !driver_fills(dst.addr(), pattern),
        Command::BufferFill { pattern, offset, .. } => !driver_fills(offset, pattern),
        Command::UsmFill2D { .. } | Command::UsmMemcpy2D { .. } | Command::HostTask(_) => true,
        _ => false,
    }
}
