// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Level Zero's function for each command.

mod image;

use std::ffi::c_void;
use std::sync::Arc;

use kit::ur::{CommandType, KernelLaunchFlags, ResultCode};
use kit::{Command, Launch, UrError, UrResult, emulate};
use level_zero_sys::*;
use oxur_adapter_kit as kit;

use super::submit::{After, Deps};
use super::{Out, Queue, Wait};
use crate::context::SCRATCH_SIZE;
use crate::mem::Copy;
use crate::ze::ze;
use crate::{LevelZero, conv};

/// A side of a copy of a box.
#[derive(Clone, Copy)]
struct Side {
    address: usize,
    origin: [u64; 3],
    row_pitch: usize,
    slice_pitch: usize,
}

/// The region and pitches of a copy of a box as Level Zero takes them; `None` if a number is too large.
fn region(side: &Side, size: [u64; 3]) -> Option<(ze_copy_region_t, u32, u32)> {
    let small = |number: u64| u32::try_from(number).ok();
    let row_pitch = match side.row_pitch {
        0 => size[0],
        pitch => pitch as u64,
    };
    let slice_pitch = match side.slice_pitch {
        0 => row_pitch.checked_mul(size[1])?,
        pitch => pitch as u64,
    };
    let region = ze_copy_region_t {
        originX: small(side.origin[0])?,
        originY: small(side.origin[1])?,
        originZ: small(side.origin[2])?,
        width: small(size[0])?,
        height: small(size[1])?,
        depth: small(size[2])?,
    };
    Some((region, small(row_pitch)?, small(slice_pitch)?))
}

impl Queue {
    #[inline(always)]
    pub(super) fn launch(
        self: &Arc<Self>,
        launch: Launch<'_, LevelZero>,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        let properties = &launch.properties;
        let taken = KernelLaunchFlags::OPPORTUNISTIC_QUEUE_SERIALIZE | KernelLaunchFlags::COOPERATIVE;
        if properties.cluster.is_some() || properties.work_group_memory != 0 || !taken.contains(properties.flags) {
            return Err(impossible(&launch));
        }
        let cooperative = properties.flags.contains(KernelLaunchFlags::COOPERATIVE);
        let kernel = launch.kernel.on_queue(self)?;
        let prepared = kernel.lock();
        // What is set is the kernel's until it is appended, which takes a snapshot.
        if !launch.args.is_empty() {
            kernel.set_all(launch.args)?;
        }
        let Some(groups) = prepared.set_range(&launch.range, &self.device)? else {
            drop(prepared);
            return self.marker(CommandType::KERNEL_LAUNCH, wait, false, event);
        };
        let handle = kernel.handle();
        let launched = self.enqueue(CommandType::KERNEL_LAUNCH, false, wait, event, |mut deps| {
            let (signal, count, events) = (deps.signal, deps.count(), deps.events());
            // SAFETY: live handles; the list and the kernel are locked.
            unsafe {
                match cooperative {
                    false => ze!(zeCommandListAppendLaunchKernel(
                        self.list(),
                        handle,
                        &groups,
                        signal,
                        count,
                        events
                    )),
                    true => ze!(zeCommandListAppendLaunchCooperativeKernel(
                        self.list(),
                        handle,
                        &groups,
                        signal,
                        count,
                        events
                    )),
                }
            }
        });
        launched.map_err(of_launch)
    }

    /// Submits a command of any kind.
    pub(super) fn submit_any(
        self: &Arc<Self>,
        command: Command<'_, LevelZero>,
        blocking: bool,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        let kind = command.command_type();
        match command {
            Command::Launch(launch) => return self.launch(launch, wait, event),
            // They are frequent, and there is nothing to check.
            Command::Wait | Command::Barrier { .. } | Command::UsmMemcpy { .. } => {}
            _ => kit::Context::check_command(&*self.context, &self.device, &command)?,
        }
        match command {
            Command::Wait => self.marker(kind, wait, wait.is_empty(), event),
            Command::Barrier { .. } => self.barrier(kind, wait, event),
            Command::UsmMemcpy { dst, src, size } => self.copy(kind, dst, src, size, blocking, wait, event),
            Command::UsmFill { dst, pattern, size } if self.fills(dst.addr(), pattern) => {
                self.fill(kind, dst, pattern, size, wait, event)
            }
            Command::BufferFill {
                ref buffer,
                pattern,
                offset,
                size,
            } if self.fills(buffer.address() + offset, pattern) => {
                self.fill(kind, buffer.at(offset), pattern, size, wait, event)
            }
            Command::UsmMemcpy2D {
                dst,
                dst_pitch,
                src,
                src_pitch,
                width,
                height,
            } => {
                let side = |address: usize, row_pitch| Side {
                    address,
                    origin: [0; 3],
                    row_pitch,
                    slice_pitch: 0,
                };
                let sides = (side(dst.addr(), dst_pitch), side(src.addr(), src_pitch));
                let size = [width as u64, height as u64, 1];
                match (region(&sides.0, size), region(&sides.1, size)) {
                    (Some(_), Some(_)) => self.copy_box(kind, sides.0, sides.1, size, blocking, wait, event),
                    _ => self.emulate(command, blocking, wait, event),
                }
            }
            Command::UsmFill { .. } | Command::BufferFill { .. } | Command::UsmFill2D { .. } | Command::HostTask(_) => {
                self.emulate(command, blocking, wait, event)
            }
            Command::UsmPrefetch { memory, size, .. } => {
                self.hint(|list| {
                    // SAFETY: a live list, which is locked; the driver checks the address.
                    unsafe { ze!(zeCommandListAppendMemoryPrefetch(list, memory, size)) }
                });
                self.marker(kind, wait, false, event)
            }
            Command::UsmAdvise { memory, size, advice } => {
                if let Some(advice) = conv::advice(advice) {
                    let device = self.device.raw;
                    self.hint(|list| {
                        // SAFETY: as above.
                        unsafe { ze!(zeCommandListAppendMemAdvise(list, device, memory, size, advice)) }
                    });
                }
                self.marker(kind, wait, false, event)
            }
            Command::BufferRead {
                ref buffer,
                offset,
                size,
                dst,
            } => self.copy(kind, dst, buffer.at(offset), size, blocking, wait, event),
            Command::BufferWrite {
                ref buffer,
                offset,
                size,
                src,
            } => self.copy(kind, buffer.at(offset), src, size, blocking, wait, event),
            Command::BufferCopy {
                ref src,
                ref dst,
                src_offset,
                dst_offset,
                size,
            } => self.copy(
                kind,
                dst.at(dst_offset),
                src.at(src_offset),
                size,
                blocking,
                wait,
                event,
            ),
            Command::BufferReadRect {
                ref buffer,
                ref rect,
                dst,
            } => {
                let (a, b, size) = sides(rect, buffer.address(), dst.addr());
                self.copy_box(kind, b, a, size, blocking, wait, event)
            }
            Command::BufferWriteRect {
                ref buffer,
                ref rect,
                src,
            } => {
                let (a, b, size) = sides(rect, buffer.address(), src.addr());
                self.copy_box(kind, a, b, size, blocking, wait, event)
            }
            Command::BufferCopyRect {
                ref src,
                ref dst,
                ref rect,
            } => {
                let (a, b, size) = sides(rect, src.address(), dst.address());
                self.copy_box(kind, b, a, size, blocking, wait, event)
            }
            Command::ImageRead {
                ref image,
                origin,
                region,
                row_pitch,
                slice_pitch,
                dst,
            } => {
                let pixels = image
                    .image()?
                    .pixels(origin, region, dst, [row_pitch, slice_pitch], false);
                self.copy_pixels(kind, image, pixels, blocking, wait, event)
            }
            Command::ImageWrite {
                ref image,
                origin,
                region,
                row_pitch,
                slice_pitch,
                src,
            } => {
                let pitches = [row_pitch, slice_pitch];
                let pixels = image.image()?.pixels(origin, region, src.cast_mut(), pitches, true);
                self.copy_pixels(kind, image, pixels, blocking, wait, event)
            }
            Command::ImageCopy {
                ref src,
                ref dst,
                src_origin,
                dst_origin,
                region,
            } => self.copy_image(kind, [(dst, dst_origin), (src, src_origin)], region, wait, event),
            Command::DeviceGlobalRead { ref global, dst } => {
                let (address, _) = global.program.find_global(&self.device, global.name)?;
                let src = address.wrapping_byte_add(global.offset);
                self.copy(kind, dst, src, global.count, blocking, wait, event)
            }
            Command::DeviceGlobalWrite { ref global, src } => {
                let (address, _) = global.program.find_global(&self.device, global.name)?;
                let dst = address.wrapping_byte_add(global.offset);
                self.copy(kind, dst, src, global.count, blocking, wait, event)
            }
            Command::Unmap { ref mem, mapped } => {
                let mapping = mem.take_mapping(mapped)?;
                // The memory of the mapping goes back when the copy is complete.
                self.move_mapped(kind, mapping.to_device(), blocking, wait, event)
            }
            _ => command.unsupported(),
        }
    }

    /// Appends a command to the list of a command buffer.
    pub(crate) fn record(self: &Arc<Self>, command: Command<'_, LevelZero>) -> UrResult<()> {
        self.submit_any(command, false, Wait::empty(), Out::none())
    }

    /// Submits a command that is none of Level Zero's. It takes the host, which no recorded list has.
    fn emulate(
        self: &Arc<Self>,
        command: Command<'_, LevelZero>,
        blocking: bool,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        match self.is_recording {
            true => kit::unsupported(),
            false => emulate::submit(self, command, blocking, wait, event),
        }
    }

    /// Submits the copy of a mapping, or nothing where memory need not move.
    pub(super) fn move_mapped(
        self: &Arc<Self>,
        kind: CommandType,
        copy: Option<Copy>,
        blocking: bool,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        match copy {
            Some(Copy { dst, src, size }) => {
                let (dst, src) = (dst as *mut c_void, src as *const c_void);
                self.copy(kind, dst, src, size, blocking, wait, event)
            }
            None => self.nothing(kind, blocking, wait, wait.is_empty(), event),
        }
    }

    /// Whether the driver fills memory with a pattern.
    fn fills(&self, address: usize, pattern: &[u8]) -> bool {
        let length = pattern.len();
        let most = self.device.facts.group.maxMemoryFillPatternSize;
        length.is_power_of_two() && length <= most && address.is_multiple_of(length)
    }

    #[allow(clippy::too_many_arguments, reason = "a command has the parameters that UR gives it")]
    fn copy(
        self: &Arc<Self>,
        kind: CommandType,
        dst: *mut c_void,
        src: *const c_void,
        size: usize,
        blocking: bool,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        if size == 0 {
            return self.nothing(kind, blocking, wait, false, event);
        }
        self.enqueue(kind, blocking, wait, event, |mut deps| {
            let (signal, count, events) = (deps.signal, deps.count(), deps.events());
            // SAFETY: live handles; the list is locked. The client vouches for its memory until the command is complete.
            unsafe {
                ze!(zeCommandListAppendMemoryCopy(
                    self.list(),
                    dst,
                    src,
                    size,
                    signal,
                    count,
                    events
                ))
            }
        })
    }

    fn fill(
        self: &Arc<Self>,
        kind: CommandType,
        dst: *mut c_void,
        pattern: &[u8],
        size: usize,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        self.enqueue(kind, false, wait, event, |deps| {
            self.append_fill(dst, pattern, size, deps)
        })
    }

    fn append_fill(&self, dst: *mut c_void, pattern: &[u8], size: usize, mut deps: Deps<'_>) -> UrResult<()> {
        let (signal, count, events) = (deps.signal, deps.count(), deps.events());
        let (list, bytes) = (self.list(), pattern.as_ptr().cast());
        // SAFETY: as in `copy`; the driver copies the pattern before it returns.
        unsafe {
            ze!(zeCommandListAppendMemoryFill(
                list,
                dst,
                bytes,
                pattern.len(),
                size,
                signal,
                count,
                events
            ))
        }
    }

    #[allow(clippy::too_many_arguments, reason = "a command has the parameters that UR gives it")]
    fn copy_box(
        self: &Arc<Self>,
        kind: CommandType,
        dst: Side,
        src: Side,
        size: [u64; 3],
        blocking: bool,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        let (Some((to, to_row, to_slice)), Some((from, from_row, from_slice))) =
            (region(&dst, size), region(&src, size))
        else {
            return Err(UrError::with_message(
                ResultCode::ERROR_INVALID_SIZE,
                format!("Level Zero copies boxes of less than 4 GiB in each direction, not {size:?}"),
            ));
        };
        self.enqueue(kind, blocking, wait, event, |mut deps| {
            let (signal, count, events) = (deps.signal, deps.count(), deps.events());
            let (dst, src) = (dst.address as *mut c_void, src.address as *const c_void);
            // SAFETY: as in `copy`; the regions live until the call returns.
            unsafe {
                ze!(zeCommandListAppendMemoryCopyRegion(
                    self.list(),
                    dst,
                    &to,
                    to_row,
                    to_slice,
                    src,
                    &from,
                    from_row,
                    from_slice,
                    signal,
                    count,
                    events
                ))
            }
        })
    }

    /// Appends a command that has neither events nor an effect that counts.
    fn hint(&self, append: impl FnOnce(ze_command_list_handle_t) -> UrResult<()>) {
        let _turn = self.turns.take();
        if let Err(error) = append(self.list()) {
            log::debug!("the driver does not take a hint about USM: {error}");
        }
    }

    /// A command that does nothing but keep its place in the order of the queue. If `after_all`, it is complete when all
    /// commands before it are.
    fn marker(self: &Arc<Self>, kind: CommandType, wait: Wait<'_>, after_all: bool, event: Out<'_>) -> UrResult<()> {
        self.nothing(kind, false, wait, after_all, event)
    }

    fn nothing(
        self: &Arc<Self>,
        kind: CommandType,
        blocking: bool,
        wait: Wait<'_>,
        after_all: bool,
        event: Out<'_>,
    ) -> UrResult<()> {
        if self.in_order {
            return self.enqueue(kind, blocking, wait, event, |deps| self.append_barrier(deps));
        }
        // A barrier would hold up later commands.
        let scratch = self.context.scratch()?;
        let after = if after_all { After::All } else { After::Nothing };
        self.enqueue_after(kind, blocking, wait, after, event, |deps| {
            self.append_fill(scratch, &[0; 4], SCRATCH_SIZE, deps)
        })
    }

    /// A command that all later ones wait for.
    pub(super) fn barrier(self: &Arc<Self>, kind: CommandType, wait: Wait<'_>, event: Out<'_>) -> UrResult<()> {
        let has_list = !wait.is_empty();
        if !self.in_order && has_list && wait.iter().all(|event| event.is_over()) {
            // Nothing is left to wait for. Without events, Level Zero's barrier would wait for all commands.
            return self.marker(kind, wait, false, event);
        }
        self.enqueue(kind, false, wait, event, |deps| self.append_barrier(deps))
    }

    fn append_barrier(&self, mut deps: Deps<'_>) -> UrResult<()> {
        let (signal, count, events) = (deps.signal, deps.count(), deps.events());
        // SAFETY: live handles; the list is locked.
        unsafe { ze!(zeCommandListAppendBarrier(self.list(), signal, count, events)) }
    }
}

/// The sides of a copy of a box, and its size.
fn sides(rect: &kit::BufferRect, a: usize, b: usize) -> (Side, Side, [u64; 3]) {
    let side = |address, origin: kit::ur::RectOffset, row_pitch, slice_pitch| Side {
        address,
        origin: [origin.x, origin.y, origin.z],
        row_pitch,
        slice_pitch,
    };
    let region = &rect.region;
    (
        side(a, rect.a_origin, rect.a_row_pitch, rect.a_slice_pitch),
        side(b, rect.b_origin, rect.b_row_pitch, rect.b_slice_pitch),
        [region.width, region.height, region.depth],
    )
}

/// The error of a launch. What Level Zero says of arguments that were not set has no word of its own.
#[cold]
fn of_launch(error: UrError) -> UrError {
    match error.code() {
        ResultCode::ERROR_INVALID_ARGUMENT => error.with_code(ResultCode::ERROR_INVALID_KERNEL_ARGS),
        _ => error,
    }
}

#[cold]
fn impossible(launch: &Launch<'_, LevelZero>) -> UrError {
    UrError::with_message(
        ResultCode::ERROR_INVALID_OPERATION,
        format!("Level Zero has no way to launch a kernel with {:?}", launch.properties),
    )
}
