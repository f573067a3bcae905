// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Checks of operands: that they are of the command's context, and that the bytes are inside of buffers and allocations.

use std::ffi::c_void;
use std::sync::Arc;

use oxur_api::RectRegion;

use crate::context::check_context;
use crate::{Backend, Command, DeviceGlobal, Kernel, Mem, Program, UrError, UrResult, UsmAlloc};

impl<B: Backend> Command<'_, B> {
    /// Checks that all that it works on is of a context, and that its buffers are large enough.
    #[inline(always)]
    pub fn check_operands(&self, context: &B::Context) -> UrResult<()> {
        let check = |of: &B::Context| check_context::<B>(of, context);
        match self {
            Self::Launch(launch) => check(launch.kernel.program().context()),
            Self::DeviceGlobalRead { global, .. } | Self::DeviceGlobalWrite { global, .. } => {
                check(global.program.context())
            }
            Self::ImageRead { image, .. } | Self::ImageWrite { image, .. } => check(image.context()),
            Self::ImageCopy { src, dst, .. } => {
                check(src.context())?;
                check(dst.context())
            }
            Self::Unmap { mem, .. } => check(mem.context()),
            _ => self.check_buffers(|buffer, end| check_buffer::<B>(buffer, context, end)),
        }
    }

    /// The same, and `check` for a device global that it reads or writes.
    #[inline(always)]
    pub fn check_operands_and_global(
        &self,
        context: &B::Context,
        check: impl FnOnce(&DeviceGlobal<'_, B>) -> UrResult<()>,
    ) -> UrResult<()> {
        self.check_operands(context)?;
        match self {
            Self::DeviceGlobalRead { global, .. } | Self::DeviceGlobalWrite { global, .. } => check(global),
            _ => Ok(()),
        }
    }

    /// Checks the buffers that it works on: `check` gets each with the byte behind the command's part of it.
    #[inline(always)]
    fn check_buffers(&self, mut check: impl FnMut(&Arc<B::Mem>, usize) -> UrResult<()>) -> UrResult<()> {
        match self {
            Self::BufferRead {
                buffer, offset, size, ..
            }
            | Self::BufferWrite {
                buffer, offset, size, ..
            }
            | Self::BufferFill {
                buffer, offset, size, ..
            } => check(buffer, offset + size),
            Self::BufferReadRect { buffer, rect, .. } | Self::BufferWriteRect { buffer, rect, .. } => {
                check(buffer, rect.a_end()?)
            }
            Self::BufferCopy {
                src,
                dst,
                src_offset,
                dst_offset,
                size,
            } => {
                check(src, src_offset + size)?;
                check(dst, dst_offset + size)
            }
            Self::BufferCopyRect { src, dst, rect } => {
                check(src, rect.a_end()?)?;
                check(dst, rect.b_end()?)
            }
            _ => Ok(()),
        }
    }

    /// Checks that the USM that it works on is inside of its allocations, as far as the context knows them. Memory that it
    /// does not know, such as the host's, is not checked.
    #[inline(always)]
    pub(crate) fn check_usm(&self, context: &Arc<B::Context>) -> UrResult<()> {
        match *self {
            Self::UsmMemcpy { dst, src, size } => check_both_inside::<B>(context, dst, src, size),
            Self::UsmFill { dst, size, .. } => check_inside::<B>(context, dst, size),
            Self::UsmPrefetch { memory, size, .. } | Self::UsmAdvise { memory, size, .. } => {
                check_inside::<B>(context, memory, size)
            }
            Self::UsmFill2D {
                dst,
                pitch,
                width,
                height,
                ..
            } => check_rows_inside::<B>(context, dst, pitch, width, height),
            Self::UsmMemcpy2D {
                dst,
                dst_pitch,
                src,
                src_pitch,
                width,
                height,
            } => {
                check_rows_inside::<B>(context, dst, dst_pitch, width, height)?;
                check_rows_inside::<B>(context, src, src_pitch, width, height)
            }
            _ => Ok(()),
        }
    }
}

/// Checks that bytes of a buffer up to `end` can be worked on in a context.
#[inline]
pub(crate) fn check_buffer<B: Backend>(buffer: &B::Mem, context: &B::Context, end: usize) -> UrResult<()> {
    check_context::<B>(buffer.context(), context)?;
    match !buffer.is_image() && end <= buffer.size() {
        true => Ok(()),
        false => Err(outside_of_buffer(buffer.is_image(), end, buffer.size())),
    }
}

#[cold]
fn outside_of_buffer(is_image: bool, end: usize, size: usize) -> UrError {
    if is_image {
        return crate::error!(ERROR_INVALID_MEM_OBJECT: "the memory object is an image, and a buffer is wanted");
    }
    crate::error!(ERROR_INVALID_SIZE: "a buffer of {size} bytes is too small for a command that reaches to byte {end}")
}

/// Checks a range of bytes against overflow and emptiness.
pub(crate) fn check_byte_range(offset: usize, size: usize) -> UrResult<()> {
    if size == 0 {
        crate::bail!(ERROR_INVALID_SIZE: "there is nothing to do for zero bytes");
    }
    if offset.checked_add(size).is_none() {
        crate::bail!(ERROR_INVALID_SIZE: "offset {offset} + size {size} overflows");
    }
    Ok(())
}

/// Checks that no side of a box is zero.
pub(crate) fn check_not_empty(region: RectRegion) -> UrResult<()> {
    if region.width == 0 || region.height == 0 || region.depth == 0 {
        crate::bail!(ERROR_INVALID_SIZE: "a box has no side of zero, as {region:?} has");
    }
    Ok(())
}

/// Checks that a command on `size` bytes of USM stays inside of the allocation, as far as the context knows it.
#[inline(always)]
fn check_inside<B: Backend>(context: &Arc<B::Context>, memory: *const c_void, size: usize) -> UrResult<()> {
    check_both_inside::<B>(context, memory, memory, size)
}

/// The same for a copy.
#[inline(always)]
pub(crate) fn check_both_inside<B: Backend>(
    context: &Arc<B::Context>,
    first: *const c_void,
    second: *const c_void,
    size: usize,
) -> UrResult<()> {
    match context.usm_hold(first, second, size) {
        true => Ok(()),
        false => Err(outside::<B>(context, first, second, size)),
    }
}

#[cold]
#[inline(never)]
fn outside<B: Backend>(context: &Arc<B::Context>, first: *const c_void, second: *const c_void, size: usize) -> UrError {
    let first_rest = context.usm_rest(first);
    let (memory, rest) = match size > first_rest {
        true => (first, first_rest),
        false => (second, context.usm_rest(second)),
    };
    crate::error!(
        ERROR_INVALID_SIZE:
            "{size} bytes from {memory:p} on are not inside of their allocation, which ends after {rest} bytes"
    )
}

/// The same for rows that [`check_2d_pitch`] has checked.
fn check_rows_inside<B: Backend>(
    context: &Arc<B::Context>,
    memory: *const c_void,
    pitch: usize,
    width: usize,
    height: usize,
) -> UrResult<()> {
    check_inside::<B>(context, memory, pitch * (height - 1) + width)
}

/// Checks `height` rows of `width` bytes, `pitch` bytes apart.
pub(crate) fn check_2d_pitch(pitch: usize, width: usize, height: usize) -> UrResult<()> {
    if width == 0 || height == 0 || pitch < width {
        crate::bail!(ERROR_INVALID_SIZE: "{height} rows of {width} bytes cannot be {pitch} bytes apart");
    }
    if pitch.checked_mul(height).is_none() {
        crate::bail!(ERROR_INVALID_SIZE: "{height} rows of {pitch} bytes overflow");
    }
    Ok(())
}
