// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Command buffers and graphs on a queue: the work of their commands, and a run of all.

use std::cell::Cell;
use std::sync::Arc;

use kit::ur::Command;
use kit::{DeviceGlobal, Operation, UrResult};
use oxur_adapter_kit as kit;

use super::memory::{CopyBytes, CopyRows, Kept, kept_bytes, kept_fill, kept_fill_rows, kept_rows};
use super::order::{Nothing, Order};
use super::submit::{How, Turn};
use super::{Out, Queue, Wait, host, image, launch, layouts, rectangle, rows};
use crate::exec::plan::Plan;
use crate::exec::{self, Failure, Pool, Work};
use crate::program::GlobalPart;
use crate::{Context, Cpu, Device};

/// Checks a command of a graph on what is no buffer; `check` checks contexts.
pub(crate) fn check(
    device: &Device,
    operation: &Operation<Cpu>,
    check: impl Fn(&Arc<Context>) -> UrResult<()>,
) -> UrResult<()> {
    for image in operation.images() {
        check(image.context())?;
    }
    image_copy(operation)?;
    if let Operation::DeviceGlobalRead { global, .. } | Operation::DeviceGlobalWrite { global, .. } = operation {
        let global = global.global();
        check(global.program.context())?;
        part(&global, device)?;
    }
    Ok(())
}

/// What a command copies that is one on images.
fn image_copy(operation: &Operation<Cpu>) -> UrResult<Option<CopyRows>> {
    match *operation {
        Operation::ImageRead {
            ref image,
            origin,
            region,
            row_pitch,
            slice_pitch,
            dst,
        } => image::read(image, origin, region, row_pitch, slice_pitch, dst.0).map(Some),
        Operation::ImageWrite {
            ref image,
            origin,
            region,
            row_pitch,
            slice_pitch,
            src,
        } => image::write(image, origin, region, row_pitch, slice_pitch, src.0).map(Some),
        Operation::ImageCopy {
            ref src,
            ref dst,
            src_origin,
            dst_origin,
            region,
        } => image::copy(src, dst, src_origin, dst_origin, region).map(Some),
        _ => Ok(None),
    }
}

/// Where a part of a device global is.
fn part(global: &DeviceGlobal<'_, Cpu>, device: &Device) -> UrResult<GlobalPart> {
    global
        .program
        .global_part(device, global.name, global.offset, global.count)
}

/// The work of a command of a command buffer, whose ranges were checked.
pub(crate) fn work(operation: &Operation<Cpu>, device: &Device, pool: &Pool) -> UrResult<Arc<dyn Work>> {
    Ok(match operation {
        // All memory is the host's.
        Operation::Nothing | Operation::UsmPrefetch { .. } | Operation::UsmAdvise { .. } => Arc::new(Nothing),
        Operation::Launch(launch) => launch::kept(launch, device, pool)?,
        &Operation::UsmMemcpy { dst, src, size } => {
            let (dst, src) = (dst.0.cast(), src.0.cast_const().cast());
            kept_bytes(CopyBytes { dst, src, size }, Kept::Nothing)
        }
        &Operation::UsmFill { dst, ref pattern, size } => kept_fill((dst.0.cast(), size), pattern, Kept::Nothing),
        &Operation::UsmFill2D {
            dst,
            pitch,
            ref pattern,
            width,
            height,
        } => kept_fill_rows((rows(dst.0, pitch), rectangle(width, height)), pattern),
        &Operation::UsmMemcpy2D {
            dst,
            dst_pitch,
            src,
            src_pitch,
            width,
            height,
        } => {
            let copy = CopyRows {
                dst: rows(dst.0, dst_pitch),
                src: rows(src.0, src_pitch),
                shape: rectangle(width, height),
            };
            kept_rows(copy, Kept::Nothing)
        }
        &Operation::BufferCopy {
            ref src,
            ref dst,
            src_offset,
            dst_offset,
            size,
        } => {
            let kept = Kept::Mems(&[src, dst]);
            let (dst, src) = (dst.data().wrapping_add(dst_offset), src.data().wrapping_add(src_offset));
            kept_bytes(CopyBytes { dst, src, size }, kept)
        }
        &Operation::BufferRead {
            ref buffer,
            offset,
            size,
            dst,
        } => {
            let (dst, src) = (dst.0.cast(), buffer.data().wrapping_add(offset));
            kept_bytes(CopyBytes { dst, src, size }, Kept::Mems(&[buffer]))
        }
        &Operation::BufferWrite {
            ref buffer,
            offset,
            size,
            src,
        } => {
            let (dst, src) = (buffer.data().wrapping_add(offset), src.0.cast_const().cast());
            kept_bytes(CopyBytes { dst, src, size }, Kept::Mems(&[buffer]))
        }
        Operation::BufferCopyRect { src, dst, rect } => {
            let kept = Kept::Mems(&[src, dst]);
            let (shape, src, dst) = layouts(rect, src.data(), dst.data());
            kept_rows(CopyRows { dst, src, shape }, kept)
        }
        Operation::BufferReadRect { buffer, rect, dst } => {
            let (shape, src, dst) = layouts(rect, buffer.data(), dst.0.cast());
            kept_rows(CopyRows { dst, src, shape }, Kept::Mems(&[buffer]))
        }
        Operation::BufferWriteRect { buffer, rect, src } => {
            let (shape, dst, src) = layouts(rect, buffer.data(), src.0.cast());
            kept_rows(CopyRows { dst, src, shape }, Kept::Mems(&[buffer]))
        }
        &Operation::BufferFill {
            ref buffer,
            ref pattern,
            offset,
            size,
        } => {
            let bytes = (buffer.data().wrapping_add(offset), size);
            kept_fill(bytes, pattern, Kept::Mems(&[buffer]))
        }
        Operation::ImageRead { .. } | Operation::ImageWrite { .. } | Operation::ImageCopy { .. } => {
            let copy = image_copy(operation)?.expect("these are");
            kept_rows(copy, Kept::Mems(&operation.images()))
        }
        Operation::DeviceGlobalRead { global, dst } => {
            let global = global.global();
            let part = part(&global, device)?;
            let (dst, src, size) = (dst.0.cast(), part.address.cast_const(), global.count);
            kept_bytes(CopyBytes { dst, src, size }, Kept::Variables(&part.owner))
        }
        Operation::DeviceGlobalWrite { global, src } => {
            let global = global.global();
            let part = part(&global, device)?;
            let (dst, src, size) = (part.address, src.0.cast_const().cast(), global.count);
            kept_bytes(CopyBytes { dst, src, size }, Kept::Variables(&part.owner))
        }
        &Operation::HostTask(task) => Arc::new(host::Calls(task)),
    })
}

impl Queue {
    /// Runs a plan, after all runs that have a place in `order`.
    pub(crate) fn run_plan(
        self: &Arc<Self>,
        command: Command,
        plan: Plan,
        order: &Order,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        // A turn in the order of the buffer, which ends when the run does, or when it turns out to run elsewhere.
        let turn = Cell::new(None);
        let here = plan.is_shorter(self.pool.short()) && order.begin();
        if here {
            turn.set(Some(Turn(order)));
        }
        let how = How {
            command,
            here,
            ..How::default()
        };
        let now = || {
            let _turn = turn.take();
            match exec::here(|worker| plan.run_here(worker)) {
                Ok(()) => true,
                Err((what, fault)) => {
                    let failure = Failure::Step(what, Box::new(fault.into()));
                    self.failures.add(&plan.what(), &failure);
                    false
                }
            }
        };
        let later = || {
            drop(turn.take());
            plan.clone()
        };
        self.submit_in(how, Some(order), wait, event, now, later)
    }
}
