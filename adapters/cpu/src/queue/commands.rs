// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Translates each command into an [`Action`].

use std::ffi::c_void;
use std::sync::Arc;

use kit::ur::{CommandType, RectOffset, RectRegion};
use kit::{BufferRect, Command, DeviceGlobal, HostTask, UrError, UrResult};
use oxur_adapter_kit as kit;
use oxur_device_cpu::bytes::{CopyBytes, CopyRows, Extent, Layout};
use oxur_device_cpu::order::OrderFlags;

use super::memory::Owner;
use super::submit::Submission;
use super::{Out, Queue, Wait, host, image};
use crate::program::GlobalPart;
use crate::{Context, Cpu, Device};

/// What a command does, whether it runs inline, as a task of a queue, or as a step of a command buffer.
pub(super) enum Action<'a> {
    /// The command only takes part in the order of the queue.
    Empty,
    Copy(CopyBytes, Owner<'a>),
    CopyRows(CopyRows, Owner<'a>),
    /// Fills the bytes at an address, in this number, with a pattern.
    Fill((*mut u8, usize), &'a [u8], Owner<'a>),
    /// Fills rows with a pattern that continues from row to row.
    FillRows((Layout, Extent), &'a [u8]),
    HostTask(HostTask),
}

fn extent_of(region: RectRegion) -> Extent {
    Extent {
        width: region.width as usize,
        height: region.height as usize,
        depth: region.depth as usize,
    }
}

/// The layout of a box at `origin`. A pitch of zero means tightly packed rows or slices.
fn layout(at: *mut u8, origin: RectOffset, extent: Extent, row_pitch: usize, slice_pitch: usize) -> Layout {
    let row_pitch = if row_pitch == 0 { extent.width } else { row_pitch };
    let slice_pitch = if slice_pitch == 0 {
        row_pitch * extent.height
    } else {
        slice_pitch
    };
    let offset = origin.x as usize + origin.y as usize * row_pitch + origin.z as usize * slice_pitch;
    Layout {
        at: at.wrapping_add(offset),
        row_pitch,
        slice_pitch,
    }
}

/// The layouts of both sides of a rectangle copy, in memory at `a` and `b`.
fn layouts(rect: &BufferRect, a: *mut u8, b: *mut u8) -> (Extent, Layout, Layout) {
    let extent = extent_of(rect.region);
    (
        extent,
        layout(a, rect.a_origin, extent, rect.a_row_pitch, rect.a_slice_pitch),
        layout(b, rect.b_origin, extent, rect.b_row_pitch, rect.b_slice_pitch),
    )
}

/// `height` rows of `width` bytes.
fn extent_2d(width: usize, height: usize) -> Extent {
    let depth = 1;
    Extent { width, height, depth }
}

/// The layout of a rectangle.
fn layout_2d(at: *mut c_void, row_pitch: usize) -> Layout {
    Layout {
        at: at.cast(),
        row_pitch,
        slice_pitch: 0,
    }
}

/// The address of the range of a device global that a command accesses.
fn global_part(global: &DeviceGlobal<'_, Cpu>, device: &Device) -> UrResult<GlobalPart> {
    global
        .program
        .global_part(device, global.name, global.offset, global.count)
}

/// The copy that reads a device global.
#[inline(always)]
pub(super) fn read_global<'a>(
    global: &DeviceGlobal<'_, Cpu>,
    dst: *mut c_void,
    device: &Device,
) -> UrResult<(CopyBytes, Owner<'a>)> {
    let GlobalPart { address, owner } = global_part(global, device)?;
    let (dst, src, size) = (dst.cast(), address.cast_const(), global.count);
    Ok((CopyBytes { dst, src, size }, Owner::Program(owner)))
}

/// The copy that writes a device global.
#[inline(always)]
pub(super) fn write_global<'a>(
    global: &DeviceGlobal<'_, Cpu>,
    src: *const c_void,
    device: &Device,
) -> UrResult<(CopyBytes, Owner<'a>)> {
    let GlobalPart { address, owner } = global_part(global, device)?;
    let (dst, src, size) = (address, src.cast(), global.count);
    Ok((CopyBytes { dst, src, size }, Owner::Program(owner)))
}

/// Translates a command whose operands [were checked](Command::check_operands). Launches, and commands that cannot be part of
/// a command buffer, are handled elsewhere.
#[inline(always)]
pub(super) fn action<'a>(command: &'a Command<'_, Cpu>, device: &Device) -> UrResult<Action<'a>> {
    Ok(match *command {
        // Prefetch and advice have nothing to move: all memory is host memory.
        Command::Wait | Command::Barrier { .. } | Command::UsmPrefetch { .. } | Command::UsmAdvise { .. } => {
            Action::Empty
        }
        Command::UsmMemcpy { dst, src, size } => {
            let (dst, src) = (dst.cast(), src.cast());
            Action::Copy(CopyBytes { dst, src, size }, Owner::Client)
        }
        Command::UsmMemcpy2D {
            dst,
            dst_pitch,
            src,
            src_pitch,
            width,
            height,
        } => {
            let copy = CopyRows {
                dst: layout_2d(dst, dst_pitch),
                src: layout_2d(src.cast_mut(), src_pitch),
                extent: extent_2d(width, height),
            };
            Action::CopyRows(copy, Owner::Client)
        }
        Command::UsmFill { dst, pattern, size } => Action::Fill((dst.cast(), size), pattern, Owner::Client),
        Command::UsmFill2D {
            dst,
            pitch,
            pattern,
            width,
            height,
        } => Action::FillRows((layout_2d(dst, pitch), extent_2d(width, height)), pattern),
        Command::BufferRead {
            ref buffer,
            offset,
            size,
            dst,
        } => {
            let (dst, src) = (dst.cast(), buffer.data().wrapping_add(offset));
            Action::Copy(CopyBytes { dst, src, size }, Owner::Mem(buffer))
        }
        Command::BufferReadRect {
            ref buffer,
            ref rect,
            dst,
        } => {
            let (extent, src, dst) = layouts(rect, buffer.data(), dst.cast());
            Action::CopyRows(CopyRows { dst, src, extent }, Owner::Mem(buffer))
        }
        Command::BufferWrite {
            ref buffer,
            offset,
            size,
            src,
        } => {
            let (dst, src) = (buffer.data().wrapping_add(offset), src.cast());
            Action::Copy(CopyBytes { dst, src, size }, Owner::Mem(buffer))
        }
        Command::BufferWriteRect {
            ref buffer,
            ref rect,
            src,
        } => {
            let (extent, dst, src) = layouts(rect, buffer.data(), src.cast_mut().cast());
            Action::CopyRows(CopyRows { dst, src, extent }, Owner::Mem(buffer))
        }
        Command::BufferCopy {
            ref src,
            ref dst,
            src_offset,
            dst_offset,
            size,
        } => {
            let owner = Owner::Mems([src, dst]);
            let (dst, src) = (dst.data().wrapping_add(dst_offset), src.data().wrapping_add(src_offset));
            Action::Copy(CopyBytes { dst, src, size }, owner)
        }
        Command::BufferCopyRect {
            ref src,
            ref dst,
            ref rect,
        } => {
            let owner = Owner::Mems([src, dst]);
            let (extent, src, dst) = layouts(rect, src.data(), dst.data());
            Action::CopyRows(CopyRows { dst, src, extent }, owner)
        }
        Command::BufferFill {
            ref buffer,
            pattern,
            offset,
            size,
        } => {
            let bytes = (buffer.data().wrapping_add(offset), size);
            Action::Fill(bytes, pattern, Owner::Mem(buffer))
        }
        Command::ImageRead {
            ref image,
            ref rect,
            dst,
        } => Action::CopyRows(image::read(image, rect, dst)?, Owner::Mem(image)),
        Command::ImageWrite {
            ref image,
            ref rect,
            src,
        } => Action::CopyRows(image::write(image, rect, src)?, Owner::Mem(image)),
        Command::ImageCopy {
            ref src,
            ref dst,
            src_origin,
            dst_origin,
            region,
        } => {
            let copy = image::copy(src, dst, src_origin, dst_origin, region)?;
            Action::CopyRows(copy, Owner::Mems([src, dst]))
        }
        Command::DeviceGlobalRead { ref global, dst } => {
            let (copy, owner) = read_global(global, dst, device)?;
            Action::Copy(copy, owner)
        }
        Command::DeviceGlobalWrite { ref global, src } => {
            let (copy, owner) = write_global(global, src, device)?;
            Action::Copy(copy, owner)
        }
        Command::HostTask(task) => Action::HostTask(task),
        _ => return command.unsupported(),
    })
}

/// Checks a command of a command buffer or a graph.
#[inline(always)]
pub(crate) fn check(command: &Command<'_, Cpu>, context: &Context, device: &Device) -> UrResult<()> {
    command.check_operands(context)?;
    match command {
        // The range is checked later, because an update may change it.
        Command::Launch(_) => Ok(()),
        // The most frequent. What can be wrong with these was found already.
        Command::UsmMemcpy { .. } | Command::UsmFill { .. } => Ok(()),
        _ => {
            action(command, device)?;
            Ok(())
        }
    }
}

#[cold]
pub(super) fn wrong_context() -> UrError {
    kit::error!(ERROR_INVALID_CONTEXT: "the queue and an operand of the command belong to different contexts")
}

impl Queue {
    /// Submits a command that is too rare for [`kit::Queue::submit`] to inline.
    #[inline(never)]
    pub(super) fn submit_any(
        self: &Arc<Self>,
        command: Command<'_, Cpu>,
        blocking: bool,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        match command {
            Command::Unmap { mem, mapped } => {
                self.check_context(mem.context())?;
                if (mapped as usize).wrapping_sub(mem.data() as usize) >= mem.size() {
                    kit::bail!(ERROR_INVALID_VALUE: "the memory object is not mapped at {mapped:p}");
                }
                self.submit_marker(Submission::of(CommandType::MEM_UNMAP), wait, event)
            }
            Command::UsmFree { memory, .. } => {
                let (context, number) = (&self.context, self.number_in_order());
                let submission = Submission::of(CommandType::ENQUEUE_USM_FREE_EXP);
                let submit = || self.submit_marker(submission, wait, event);
                context.usm.enqueue_free(context, memory, number, submit)
            }
            command => {
                command.check_operands(&self.context)?;
                self.submit_action(
                    (command.command_type(), blocking),
                    action(&command, &self.device)?,
                    wait,
                    event,
                )
            }
        }
    }

    #[inline(always)]
    fn submit_action(
        self: &Arc<Self>,
        (command, blocking): (CommandType, bool),
        action: Action<'_>,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        match action {
            Action::Empty => self.submit_marker(Submission::of(command), wait, event),
            Action::Copy(copy, owner) => self.copy((command, blocking), copy, || owner.retain(), wait, event),
            Action::CopyRows(copy, owner) => self.copy_rows((command, blocking), copy, owner, wait, event),
            Action::Fill(bytes, pattern, owner) => self.fill(command, bytes, pattern, owner, wait, event),
            Action::FillRows(rows, pattern) => self.fill_rows(command, rows, pattern, wait, event),
            Action::HostTask(task) => {
                let never = || unreachable!("a host task never runs inline");
                self.submit_work(Submission::of(command), wait, event, never, || host::HostTaskWork(task))
            }
        }
    }

    /// Submits a command that does nothing but wait: for its wait list, or for all earlier commands if the list is empty.
    pub(super) fn submit_wait(
        self: &Arc<Self>,
        (command, blocking): (CommandType, bool),
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        let order = OrderFlags {
            after_all: wait.is_empty(),
            barrier: command == CommandType::EVENTS_WAIT_WITH_BARRIER,
        };
        let submission = Submission {
            blocking,
            order,
            ..Submission::of(command)
        };
        self.submit_marker(submission, wait, event)
    }
}
