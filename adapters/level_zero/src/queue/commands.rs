// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Level Zero's function for each command.

mod image;

use std::ffi::c_void;
use std::sync::Arc;

use kit::ur::{CommandType, KernelLaunchFlags, ResultCode};
use kit::{
    BoxSide, Command, DeviceGlobal, Launch, LaunchProperties, MemoryQueue, Range, UniqueId, UrError, UrResult, emulate,
};
use level_zero_sys::*;
use oxur_adapter_kit as kit;

use super::submit::{After, Deps};
use super::{How, Out, Queue, Wait};
use crate::bindless::of_bindless;
use crate::context::SCRATCH_SIZE;
use crate::kernel::{Prepared, WithArgs};
use crate::ze::ze;
use crate::{Device, LevelZero, conv};

/// Calls a function that appends, whose last three parameters are the events: `append!(deps, zeCommandListAppendBarrier(list))`.
/// The code around it must be `unsafe`.
macro_rules! append {
    ($deps:ident, $name:ident($($arg:expr),* $(,)?)) => {{
        let (signal, count, events) = ($deps.signal(), $deps.count(), $deps.events());
        $crate::ze::ze!($name($($arg,)* signal, count, events))
    }};
}

pub(crate) use append;

/// The region and pitches of a copy of a box as Level Zero takes them; `None` if a number is too large.
fn region(side: &BoxSide, size: [usize; 3]) -> Option<(ze_copy_region_t, u32, u32)> {
    let small = |number: usize| u32::try_from(number).ok();
    let small3 = |[x, y, z]: [usize; 3]| Some([small(x)?, small(y)?, small(z)?]);
    let mut region = ze_copy_region_t::default();
    [region.originX, region.originY, region.originZ] = small3(side.origin)?;
    [region.width, region.height, region.depth] = small3(size)?;
    Some((region, small(side.row_pitch)?, small(side.slice_pitch)?))
}

impl Queue {
    /// Launches a kernel with all arguments at once.
    #[inline(never)]
    fn launch_with_args(
        self: &Arc<Self>,
        prepared: &mut Prepared<'_>,
        args: &mut WithArgs,
        range: &Range<'_>,
        how: How<'_>,
    ) -> UrResult<()> {
        let Some(groups) = prepared.groups(range, &self.device)? else {
            return self.nothing(false, how);
        };
        prepared.set_offset(groups.offset)?;
        let (list, kernel, pointers) = (self.list(), prepared.handle(), args.pointers());
        let launched = self.enqueue(how, |mut deps| {
            let (count, size) = (groups.count, groups.size());
            // SAFETY: live handles; the list and the kernel are locked. There is a value for each argument, as large as the one
            // that the driver has taken before.
            let appended = unsafe {
                append!(
                    deps,
                    zeCommandListAppendLaunchKernelWithArguments(list, kernel, count, size, pointers, std::ptr::null())
                )
            };
            prepared.note_args(args, &groups, appended.is_ok());
            appended
        });
        launched.map_err(of_launch)
    }

    /// Submits a command that is none of Level Zero's. It takes the host, which no recorded list has.
    #[cold]
    fn emulate(self: &Arc<Self>, command: Command<'_, LevelZero>, how: How<'_>) -> UrResult<()> {
        match self.is_recording {
            true => kit::unsupported(),
            false => emulate::submit_as(self, command, how),
        }
    }

    /// Whether a command that is waited for may go to the context's synchronous list as well.
    #[inline(always)]
    fn is_synchronous(&self) -> bool {
        self.is_idle() && !self.is_recording && self.device.raw == self.context.devices[0].raw
    }

    /// Appends a command that has neither events nor an effect that counts.
    fn hint(&self, append: impl FnOnce(ze_command_list_handle_t) -> UrResult<()>) {
        let _turn = self.state.take();
        if let Err(error) = append(self.list()) {
            log::debug!("the driver does not take a hint about USM: {error}");
        }
    }
}

impl MemoryQueue<LevelZero> for Queue {
    #[inline(always)]
    fn launch(self: &Arc<Self>, launch: &Launch<'_, LevelZero>, wait: Wait<'_>, event: Out<'_>) -> UrResult<()> {
        let cooperative = is_cooperative(&launch.properties)?;
        let how = How::new(CommandType::KERNEL_LAUNCH, wait, event);
        let kernel = launch.kernel.on_queue(self)?;
        let mut prepared = kernel.lock();
        prepared.set_state(launch.kernel.state())?;
        // What is set is this launch's until it is appended, which takes a snapshot.
        if prepared.wants_args() && !cooperative {
            let mut args = WithArgs::default();
            if prepared.with_args(launch.args, &mut args) {
                return self.launch_with_args(&mut prepared, &mut args, &launch.range, how);
            }
        }
        prepared.set_args(&launch.kernel, launch.args)?;
        let Some(groups) = prepared.set_range(&launch.range, &self.device)? else {
            drop(prepared);
            return self.nothing(false, how);
        };
        let launched = self.enqueue(how, |deps| {
            append_launch(self.list(), kernel.handle(), &groups, cooperative, deps)
        });
        launched.map_err(of_launch)
    }

    #[inline(always)]
    fn is_checked(&self) -> bool {
        self.is_recording
    }

    fn number_in_order(&self) -> Option<UniqueId> {
        self.in_order.then_some(self.number)
    }

    #[inline(always)]
    fn copy(self: &Arc<Self>, dst: *mut c_void, src: *const c_void, size: usize, how: How<'_>) -> UrResult<()> {
        if how.blocking
            && how.wait.is_empty()
            && !how.event.wanted()
            && self.is_synchronous()
            && let Some(copied) = self
                .context
                .try_synchronously(|list| append_copy(list, dst, src, size, Deps::none()))
        {
            // Nothing is before it: one call of the driver's does it all, and leaves nothing to keep in mind.
            return copied;
        }
        self.enqueue(how, |deps| append_copy(self.list(), dst, src, size, deps))
    }

    fn copy_box(self: &Arc<Self>, dst: &BoxSide, src: &BoxSide, size: [usize; 3], how: How<'_>) -> UrResult<()> {
        let (Some((to, to_row, to_slice)), Some((from, from_row, from_slice))) = (region(dst, size), region(src, size))
        else {
            return self.copy_large_box(dst, src, size, how);
        };
        let (list, dst, src) = (self.list(), dst.address as *mut c_void, src.address as *const c_void);
        self.enqueue(how, |mut deps| {
            // SAFETY: as in `copy`; the regions live until the call returns.
            unsafe {
                append!(
                    deps,
                    zeCommandListAppendMemoryCopyRegion(
                        list, dst, &to, to_row, to_slice, src, &from, from_row, from_slice
                    )
                )
            }
        })
    }

    fn fill(self: &Arc<Self>, dst: *mut c_void, pattern: &[u8], size: usize, how: How<'_>) -> UrResult<()> {
        if !fills(&self.device, dst.addr(), pattern) {
            return self.emulate(Command::UsmFill { dst, pattern, size }, how);
        }
        self.enqueue(how, |deps| append_fill(self.list(), dst, pattern, size, deps))
    }

    fn nothing(self: &Arc<Self>, after_all: bool, how: How<'_>) -> UrResult<()> {
        if self.in_order {
            return self.enqueue(how, |deps| append_barrier(self.list(), deps));
        }
        // A barrier would hold up later commands.
        let scratch = self.context.scratch()?;
        let after = if after_all { After::All } else { After::Nothing };
        self.enqueue_after(how, after, |deps| {
            append_fill(self.list(), scratch, &[0; 4], SCRATCH_SIZE, deps)
        })
    }

    #[inline(always)]
    fn barrier(self: &Arc<Self>, how: How<'_>) -> UrResult<()> {
        let has_list = !how.wait.is_empty();
        if !self.in_order && has_list && how.wait.iter().all(|event| event.is_over()) {
            // Nothing is left to wait for. Without events, Level Zero's barrier would wait for all commands.
            return self.nothing(false, how);
        }
        self.enqueue(how, |deps| append_barrier(self.list(), deps))
    }

    fn global(&self, global: &DeviceGlobal<'_, LevelZero>) -> UrResult<*mut c_void> {
        global.program.locate(&self.device, global)
    }

    fn other(self: &Arc<Self>, command: Command<'_, LevelZero>, how: How<'_>) -> UrResult<()> {
        match command {
            Command::UsmFill2D { .. } | Command::HostTask(_) => self.emulate(command, how),
            Command::UsmPrefetch { memory, size, .. } => {
                self.hint(|list| {
                    // SAFETY: a live list, which is locked; the driver checks the address.
                    unsafe { ze!(zeCommandListAppendMemoryPrefetch(list, memory, size)) }
                });
                self.nothing(false, how)
            }
            Command::UsmAdvise { memory, size, advice } => {
                if let Some(advice) = conv::advice(advice) {
                    let device = self.device.raw;
                    self.hint(|list| {
                        // SAFETY: as above.
                        unsafe { ze!(zeCommandListAppendMemAdvise(list, device, memory, size, advice)) }
                    });
                }
                self.nothing(false, how)
            }
            Command::ImageRead {
                ref image,
                ref rect,
                dst,
            } => self.copy_pixels(image.image()?, rect, dst, false, how),
            Command::ImageWrite {
                ref image,
                ref rect,
                src,
            } => self.copy_pixels(image.image()?, rect, src.cast_mut(), true, how),
            Command::ImageCopy {
                ref src,
                ref dst,
                src_origin,
                dst_origin,
                region,
            } => self.copy_image([(dst.image()?, dst_origin), (src.image()?, src_origin)], region, how),
            Command::BindlessCopy(ref copy) => self.copy_bindless(copy, how).map_err(of_bindless),
            _ => command.unsupported(),
        }
    }
}

/// Whether a launch is cooperative. An error if it asks for more.
#[inline(always)]
pub(crate) fn is_cooperative(properties: &LaunchProperties) -> UrResult<bool> {
    let taken = KernelLaunchFlags::OPPORTUNISTIC_QUEUE_SERIALIZE | KernelLaunchFlags::COOPERATIVE;
    if properties.cluster.is_some() || properties.work_group_memory != 0 || !taken.contains(properties.flags) {
        return Err(impossible(properties));
    }
    Ok(properties.flags.contains(KernelLaunchFlags::COOPERATIVE))
}

/// Whether the driver fills memory with a pattern.
pub(crate) fn fills(device: &Device, address: usize, pattern: &[u8]) -> bool {
    let length = pattern.len();
    let most = device.facts.group.maxMemoryFillPatternSize;
    length.is_power_of_two() && length <= most && address.is_multiple_of(length)
}

/// Appends a launch of a kernel that is locked, as the list is.
#[inline(always)]
pub(crate) fn append_launch(
    list: ze_command_list_handle_t,
    kernel: ze_kernel_handle_t,
    groups: &ze_group_count_t,
    cooperative: bool,
    mut deps: Deps<'_>,
) -> UrResult<()> {
    // SAFETY: live handles; the list and the kernel are locked.
    unsafe {
        match cooperative {
            false => append!(deps, zeCommandListAppendLaunchKernel(list, kernel, groups)),
            true => append!(deps, zeCommandListAppendLaunchCooperativeKernel(list, kernel, groups)),
        }
    }
}

/// Appends a copy.
pub(crate) fn append_copy(
    list: ze_command_list_handle_t,
    dst: *mut c_void,
    src: *const c_void,
    size: usize,
    mut deps: Deps<'_>,
) -> UrResult<()> {
    // SAFETY: a live list, which is locked. The client vouches for its memory until the command is complete.
    unsafe { append!(deps, zeCommandListAppendMemoryCopy(list, dst, src, size)) }
}

/// Appends a fill.
pub(crate) fn append_fill(
    list: ze_command_list_handle_t,
    dst: *mut c_void,
    pattern: &[u8],
    size: usize,
    mut deps: Deps<'_>,
) -> UrResult<()> {
    let (bytes, length) = (pattern.as_ptr().cast(), pattern.len());
    // SAFETY: as above; the driver copies the pattern before it returns.
    unsafe { append!(deps, zeCommandListAppendMemoryFill(list, dst, bytes, length, size)) }
}

/// Appends a barrier.
pub(crate) fn append_barrier(list: ze_command_list_handle_t, mut deps: Deps<'_>) -> UrResult<()> {
    // SAFETY: a live list, which is locked.
    unsafe { append!(deps, zeCommandListAppendBarrier(list)) }
}

impl Queue {
    /// Copies a box that is too large for Level Zero: row by row, if it has one slice and the client has no buffer.
    #[cold]
    fn copy_large_box(
        self: &Arc<Self>,
        dst: &BoxSide,
        src: &BoxSide,
        [width, height, depth]: [usize; 3],
        how: How<'_>,
    ) -> UrResult<()> {
        if how.kind != CommandType::USM_MEMCPY_2D {
            kit::bail!(
                ERROR_INVALID_SIZE:
                    "Level Zero copies boxes of less than 4 GiB each way, not {width} x {height} x {depth}"
            );
        }
        let rows = Command::UsmMemcpy2D {
            dst: dst.address as *mut c_void,
            dst_pitch: dst.row_pitch,
            src: src.address as *const c_void,
            src_pitch: src.row_pitch,
            width,
            height,
        };
        self.emulate(rows, how)
    }
}

/// The error of a launch. What Level Zero says of arguments that were not set has no word of its own.
#[cold]
pub(crate) fn of_launch(error: UrError) -> UrError {
    match error.code() {
        ResultCode::ERROR_INVALID_ARGUMENT => error.with_code(ResultCode::ERROR_INVALID_KERNEL_ARGS),
        _ => error,
    }
}

#[cold]
fn impossible(properties: &LaunchProperties) -> UrError {
    kit::error!(ERROR_INVALID_OPERATION: "Level Zero has no way to launch a kernel with {properties:?}")
}
