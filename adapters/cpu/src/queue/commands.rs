// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What each command does.

use std::ffi::c_void;
use std::sync::Arc;

use kit::ur::{CommandType, RectOffset, RectRegion, ResultCode};
use kit::{BufferRect, Command, DeviceGlobal, HostTask, UrError, UrResult};
use oxur_adapter_kit as kit;

use super::memory::{CopyBytes, CopyRows, Extent, Kept, Layout};
use super::order::Place;
use super::submit::How;
use super::{Out, Queue, Wait, host, image};
use crate::program::GlobalPart;
use crate::{Context, Cpu, Device};

/// What a command does, whether it runs at once, as a task of a queue, or as a step of a command buffer.
pub(super) enum Action<'a> {
    /// Nothing: it only has a place in the order.
    Nothing,
    Copy(CopyBytes, Kept<'a>),
    CopyRows(CopyRows, Kept<'a>),
    /// Fills so many bytes with a pattern.
    Fill((*mut u8, usize), &'a [u8], Kept<'a>),
    /// The same for rows.
    FillRows((Layout, Extent), &'a [u8]),
    Call(HostTask),
}

fn shape(region: RectRegion) -> Extent {
    Extent {
        width: region.width as usize,
        height: region.height as usize,
        depth: region.depth as usize,
    }
}

/// Where the rows of a box are. Pitches of zero mean that rows and slices follow each other without gaps.
fn layout(at: *mut u8, origin: RectOffset, shape: Extent, row_pitch: usize, slice_pitch: usize) -> Layout {
    let row_pitch = if row_pitch == 0 { shape.width } else { row_pitch };
    let slice_pitch = if slice_pitch == 0 {
        row_pitch * shape.height
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

/// The two sides of a box in memory at `a` and `b`.
fn layouts(rect: &BufferRect, a: *mut u8, b: *mut u8) -> (Extent, Layout, Layout) {
    let shape = shape(rect.region);
    (
        shape,
        layout(a, rect.a_origin, shape, rect.a_row_pitch, rect.a_slice_pitch),
        layout(b, rect.b_origin, shape, rect.b_row_pitch, rect.b_slice_pitch),
    )
}

/// `height` rows of `width` bytes.
fn rectangle(width: usize, height: usize) -> Extent {
    let depth = 1;
    Extent { width, height, depth }
}

/// Where the rows of a rectangle are.
fn rows(at: *mut c_void, row_pitch: usize) -> Layout {
    Layout {
        at: at.cast(),
        row_pitch,
        slice_pitch: 0,
    }
}

/// Where a part of a device global is.
fn part(global: &DeviceGlobal<'_, Cpu>, device: &Device) -> UrResult<GlobalPart> {
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
) -> UrResult<(CopyBytes, Kept<'a>)> {
    let GlobalPart { address, owner } = part(global, device)?;
    let (dst, src, size) = (dst.cast(), address.cast_const(), global.count);
    Ok((CopyBytes { dst, src, size }, Kept::Variables(owner)))
}

/// The copy that writes a device global.
#[inline(always)]
pub(super) fn write_global<'a>(
    global: &DeviceGlobal<'_, Cpu>,
    src: *const c_void,
    device: &Device,
) -> UrResult<(CopyBytes, Kept<'a>)> {
    let GlobalPart { address, owner } = part(global, device)?;
    let (dst, src, size) = (address, src.cast(), global.count);
    Ok((CopyBytes { dst, src, size }, Kept::Variables(owner)))
}

/// What a command does whose buffers and contexts [were checked](Command::check_operands). Launches, and what only queues do, are
/// not here.
#[inline(always)]
pub(super) fn action<'a>(command: &'a Command<'_, Cpu>, device: &Device) -> UrResult<Action<'a>> {
    Ok(match *command {
        // All memory is the host's: there is nothing to move.
        Command::Wait | Command::Barrier { .. } | Command::UsmPrefetch { .. } | Command::UsmAdvise { .. } => {
            Action::Nothing
        }
        Command::UsmMemcpy { dst, src, size } => {
            let (dst, src) = (dst.cast(), src.cast());
            Action::Copy(CopyBytes { dst, src, size }, Kept::Nothing)
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
                dst: rows(dst, dst_pitch),
                src: rows(src.cast_mut(), src_pitch),
                shape: rectangle(width, height),
            };
            Action::CopyRows(copy, Kept::Nothing)
        }
        Command::UsmFill { dst, pattern, size } => Action::Fill((dst.cast(), size), pattern, Kept::Nothing),
        Command::UsmFill2D {
            dst,
            pitch,
            pattern,
            width,
            height,
        } => Action::FillRows((rows(dst, pitch), rectangle(width, height)), pattern),
        Command::BufferRead {
            ref buffer,
            offset,
            size,
            dst,
        } => {
            let (dst, src) = (dst.cast(), buffer.data().wrapping_add(offset));
            Action::Copy(CopyBytes { dst, src, size }, Kept::Mem(buffer))
        }
        Command::BufferReadRect {
            ref buffer,
            ref rect,
            dst,
        } => {
            let (shape, src, dst) = layouts(rect, buffer.data(), dst.cast());
            Action::CopyRows(CopyRows { dst, src, shape }, Kept::Mem(buffer))
        }
        Command::BufferWrite {
            ref buffer,
            offset,
            size,
            src,
        } => {
            let (dst, src) = (buffer.data().wrapping_add(offset), src.cast());
            Action::Copy(CopyBytes { dst, src, size }, Kept::Mem(buffer))
        }
        Command::BufferWriteRect {
            ref buffer,
            ref rect,
            src,
        } => {
            let (shape, dst, src) = layouts(rect, buffer.data(), src.cast_mut().cast());
            Action::CopyRows(CopyRows { dst, src, shape }, Kept::Mem(buffer))
        }
        Command::BufferCopy {
            ref src,
            ref dst,
            src_offset,
            dst_offset,
            size,
        } => {
            let kept = Kept::Mems([src, dst]);
            let (dst, src) = (dst.data().wrapping_add(dst_offset), src.data().wrapping_add(src_offset));
            Action::Copy(CopyBytes { dst, src, size }, kept)
        }
        Command::BufferCopyRect {
            ref src,
            ref dst,
            ref rect,
        } => {
            let kept = Kept::Mems([src, dst]);
            let (shape, src, dst) = layouts(rect, src.data(), dst.data());
            Action::CopyRows(CopyRows { dst, src, shape }, kept)
        }
        Command::BufferFill {
            ref buffer,
            pattern,
            offset,
            size,
        } => {
            let bytes = (buffer.data().wrapping_add(offset), size);
            Action::Fill(bytes, pattern, Kept::Mem(buffer))
        }
        Command::ImageRead {
            ref image,
            origin,
            region,
            row_pitch,
            slice_pitch,
            dst,
        } => {
            let copy = image::read(image, origin, region, row_pitch, slice_pitch, dst)?;
            Action::CopyRows(copy, Kept::Mem(image))
        }
        Command::ImageWrite {
            ref image,
            origin,
            region,
            row_pitch,
            slice_pitch,
            src,
        } => {
            let copy = image::write(image, origin, region, row_pitch, slice_pitch, src)?;
            Action::CopyRows(copy, Kept::Mem(image))
        }
        Command::ImageCopy {
            ref src,
            ref dst,
            src_origin,
            dst_origin,
            region,
        } => {
            let copy = image::copy(src, dst, src_origin, dst_origin, region)?;
            Action::CopyRows(copy, Kept::Mems([src, dst]))
        }
        Command::DeviceGlobalRead { ref global, dst } => {
            let (copy, kept) = read_global(global, dst, device)?;
            Action::Copy(copy, kept)
        }
        Command::DeviceGlobalWrite { ref global, src } => {
            let (copy, kept) = write_global(global, src, device)?;
            Action::Copy(copy, kept)
        }
        Command::HostTask(task) => Action::Call(task),
        _ => return command.unsupported(),
    })
}

/// Checks a command of a command buffer or a graph.
pub(crate) fn check(command: &Command<'_, Cpu>, context: &Context, device: &Device) -> UrResult<()> {
    command.check_operands(context)?;
    match command {
        // Its range is checked when it is known what an update makes of it.
        Command::Launch(_) => Ok(()),
        _ => action(command, device).map(drop),
    }
}

#[cold]
pub(super) fn strange() -> UrError {
    UrError::with_message(
        ResultCode::ERROR_INVALID_CONTEXT,
        "a command and what it works on are of different contexts",
    )
}

impl Queue {
    /// Submits a command that is not frequent enough for [`kit::Queue::submit`] to have it inlined.
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
                    return Err(UrError::with_message(
                        ResultCode::ERROR_INVALID_VALUE,
                        format!("{mapped:p} is not an address that the memory object was mapped to"),
                    ));
                }
                self.mark(How::of(CommandType::MEM_UNMAP), wait, event)
            }
            Command::UsmFree { memory, .. } => {
                let how = How {
                    here: true,
                    ..How::of(CommandType::ENQUEUE_USM_FREE_EXP)
                };
                let later = || host::Frees {
                    context: self.context.clone(),
                    memory: memory as usize,
                };
                self.submit_work(how, wait, event, || host::free(&self.context, memory), later)
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
            Action::Nothing => self.mark(How::of(command), wait, event),
            Action::Copy(copy, kept) => self.copy((command, blocking), copy, kept, wait, event),
            Action::CopyRows(copy, kept) => self.copy_rows((command, blocking), copy, kept, wait, event),
            Action::Fill(bytes, pattern, kept) => self.fill(command, bytes, pattern, kept, wait, event),
            Action::FillRows(rows, pattern) => self.fill_rows(command, rows, pattern, wait, event),
            Action::Call(task) => {
                let never = || unreachable!("a host task never runs in the thread that submits it");
                self.submit_work(How::of(command), wait, event, never, || host::Calls(task))
            }
        }
    }

    /// Submits what waits for its list, or for all before it.
    pub(super) fn submit_wait(
        self: &Arc<Self>,
        (command, blocking): (CommandType, bool),
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        let place = Place {
            last: wait.is_empty(),
            barrier: command == CommandType::EVENTS_WAIT_WITH_BARRIER,
        };
        let how = How {
            blocking,
            place,
            ..How::of(command)
        };
        self.mark(how, wait, event)
    }
}
