// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What the parameters of a queue's commands become when they are checked.

use std::ffi::{CStr, c_char, c_void};
use std::hint::cold_path;
use std::sync::Arc;

use oxur_api::callback::{MayThrow, call_or_abort};
use oxur_api::*;

use crate::{Args, Backend, UrError, UrResult, UsmAlloc, args};

/// The index space of a launch: one to three dimensions.
#[derive(Clone, Copy, Debug)]
pub struct Range<'a> {
    /// First global id of each dimension, if it is not zero in all.
    pub offset: Option<&'a [usize]>,
    /// Number of work-items in each dimension. The specification has no launch of zero work-items, but clients make
    /// them, and the reference passes them to the driver.
    pub global: &'a [usize],
    /// Number of work-items of a work-group in each dimension; `None` lets the adapter choose.
    pub local: Option<&'a [usize]>,
}

impl Range<'_> {
    /// Takes `workDim` and the three arrays of that length.
    ///
    /// # Safety
    /// The pointers, unless null, must point to `dimensions` numbers each that stay valid while the range is used.
    #[inline(always)]
    pub(crate) unsafe fn new(
        dimensions: u32,
        offset: *const usize,
        global: *const usize,
        local: *const usize,
    ) -> UrResult<Self> {
        // SAFETY: passed on to the caller.
        match unsafe { Self::if_valid(dimensions, offset, global, local) } {
            Some(range) => Ok(range),
            // SAFETY: as above.
            None => Err(unsafe { invalid(dimensions, global, local) }),
        }
    }

    /// As [`Self::new`], if there is nothing wrong: for a caller who has another way for all that is.
    ///
    /// # Safety
    /// As [`Self::new`].
    #[inline(always)]
    pub(crate) unsafe fn if_valid(
        dimensions: u32,
        offset: *const usize,
        global: *const usize,
        local: *const usize,
    ) -> Option<Self> {
        if global.is_null() {
            cold_path();
            return None;
        }
        // SAFETY: passed on to the caller.
        let fits = |d: usize| local.is_null() || unsafe { *local.add(d) } != 0;
        let valid = if dimensions == 1 {
            fits(0)
        } else {
            // Not rare, but this keeps the way of one dimension free of jumps.
            cold_path();
            dimensions == 2 && fits(0) && fits(1) || dimensions == 3 && fits(0) && fits(1) && fits(2)
        };
        if !valid {
            cold_path();
            return None;
        }
        // SAFETY: passed on to the caller.
        let array = |p: *const usize| unsafe { std::slice::from_raw_parts(p, dimensions as usize) };
        Some(Self {
            offset: (!offset.is_null()).then(|| array(offset)),
            global: array(global),
            local: (!local.is_null()).then(|| array(local)),
        })
    }

    /// Checks `workDim`.
    #[inline]
    pub(crate) fn dimensions(count: u32) -> UrResult<usize> {
        match count {
            1..=3 => Ok(count as usize),
            _ => Err(no_dimensions(count)),
        }
    }
}

#[cold]
fn no_dimensions(count: u32) -> UrError {
    UrError::said(
        ResultCode::ERROR_INVALID_WORK_DIMENSION,
        format!("a range has one to three dimensions, not {count}"),
    )
}

/// What is wrong with a range for which [`Range::if_valid`] has nothing.
///
/// # Safety
/// As [`Range::new`].
#[cold]
unsafe fn invalid(dimensions: u32, global: *const usize, local: *const usize) -> UrError {
    match Range::dimensions(dimensions) {
        Err(error) => error,
        Ok(_) if global.is_null() => ResultCode::ERROR_INVALID_NULL_POINTER.into(),
        Ok(count) => {
            // SAFETY: passed on to the caller: nothing else is left than a size of zero.
            let local = unsafe { std::slice::from_raw_parts(local, count) };
            UrError::said(
                ResultCode::ERROR_INVALID_WORK_GROUP_SIZE,
                format!("a work-group has at least one work-item in each dimension, not {local:?}"),
            )
        }
    }
}

/// A launch of a kernel.
pub struct Launch<'a, B> {
    /// Its index space.
    pub range: Range<'a>,
    /// Its arguments; none for a launch that uses those set before.
    pub args: Args<'a, B>,
    /// What else it asks for.
    pub properties: LaunchProperties,
}

/// Properties of a launch.
#[derive(Clone, Copy, Debug, Default)]
pub struct LaunchProperties {
    /// Flags.
    pub flags: KernelLaunchFlags,
    /// Work-groups in a cluster, in each dimension.
    pub cluster: Option<[u32; 3]>,
    /// Local memory, in bytes, beside that of the arguments.
    pub work_group_memory: usize,
}

impl<'a, B: Backend> Launch<'a, B> {
    /// One that asks for nothing special.
    #[inline(always)]
    pub(crate) fn plain(range: Range<'a>, args: Args<'a, B>) -> Self {
        Self {
            range,
            args,
            properties: LaunchProperties::default(),
        }
    }

    /// Takes the parameters of a launch.
    ///
    /// # Safety
    /// The pointers must be as the C function demands.
    #[inline(always)]
    pub(crate) unsafe fn new(
        dimensions: u32,
        offset: *const usize,
        global: *const usize,
        local: *const usize,
        args: Args<'a, B>,
        properties: *const KernelLaunchExtProperties,
    ) -> UrResult<Self> {
        // SAFETY: passed on to the caller.
        unsafe {
            Ok(Self {
                properties: if properties.is_null() {
                    LaunchProperties::default()
                } else {
                    LaunchProperties::new(properties)?
                },
                range: Range::new(dimensions, offset, global, local)?,
                args,
            })
        }
    }
}

impl LaunchProperties {
    /// Takes a chain of properties.
    ///
    /// # Safety
    /// As [`args::chain`].
    #[inline(never)]
    unsafe fn new(properties: *const KernelLaunchExtProperties) -> UrResult<Self> {
        let mut found = Self::default();
        // SAFETY: passed on to the caller; the tag says which structure it is.
        unsafe {
            for (stype, at) in args::chain(properties.cast()) {
                match stype {
                    StructureType::KERNEL_LAUNCH_EXT_PROPERTIES => {
                        found.flags = (*at.cast::<KernelLaunchExtProperties>()).flags;
                        args::known_flags(found.flags)?;
                    }
                    StructureType::KERNEL_LAUNCH_CLUSTER_PROPERTY => {
                        found.cluster = Some((*at.cast::<KernelLaunchClusterProperty>()).clusterDim);
                    }
                    StructureType::KERNEL_LAUNCH_WORKGROUP_PROPERTY => {
                        found.work_group_memory = (*at.cast::<KernelLaunchWorkgroupProperty>()).workgroup_mem_size;
                    }
                    other => log::debug!("a launch property of type {other:?} is ignored"),
                }
            }
        }
        Ok(found)
    }
}

/// A box in two pieces of memory `a` and `b`. Pitches of zero mean that rows and slices follow each other without gaps.
#[derive(Clone, Copy, Debug)]
pub struct BufferRect {
    /// Corner in `a`: bytes, rows, slices.
    pub a_origin: RectOffset,
    /// Corner in `b`: bytes, rows, slices.
    pub b_origin: RectOffset,
    /// Size: bytes, rows, slices.
    pub region: RectRegion,
    /// Bytes from row to row in `a`.
    pub a_row_pitch: usize,
    /// Bytes from slice to slice in `a`.
    pub a_slice_pitch: usize,
    /// Bytes from row to row in `b`.
    pub b_row_pitch: usize,
    /// Bytes from slice to slice in `b`.
    pub b_slice_pitch: usize,
}

impl BufferRect {
    /// The rules that hold for every box, whatever the sizes of the memory.
    pub(crate) fn checked(self) -> UrResult<Self> {
        let (width, height) = (self.region.width as usize, self.region.height as usize);
        let bad = |what: String| Err(UrError::said(ResultCode::ERROR_INVALID_SIZE, what));
        not_empty(self.region)?;
        for (row, slice) in [
            (self.a_row_pitch, self.a_slice_pitch),
            (self.b_row_pitch, self.b_slice_pitch),
        ] {
            if row != 0 && row < width {
                return bad(format!("rows of {width} bytes cannot be {row} bytes apart"));
            }
            let row = if row == 0 { width } else { row };
            let Some(least) = row.checked_mul(height) else {
                return bad("the box is too large".to_owned());
            };
            if slice != 0 && (slice < least || !slice.is_multiple_of(row)) {
                return bad(format!(
                    "slices of {height} rows, {row} bytes apart, cannot be {slice} bytes apart"
                ));
            }
        }
        Ok(self)
    }

    /// The byte behind the box in `a`.
    pub fn a_end(&self) -> UrResult<usize> {
        self.end(self.a_origin, self.a_row_pitch, self.a_slice_pitch)
    }

    /// The byte behind the box in `b`.
    pub fn b_end(&self) -> UrResult<usize> {
        self.end(self.b_origin, self.b_row_pitch, self.b_slice_pitch)
    }

    fn end(&self, origin: RectOffset, row_pitch: usize, slice_pitch: usize) -> UrResult<usize> {
        let (width, height, depth) = (
            self.region.width as usize,
            self.region.height as usize,
            self.region.depth as usize,
        );
        let row_pitch = if row_pitch == 0 { width } else { row_pitch };
        let end = || {
            let slice_pitch = if slice_pitch == 0 {
                row_pitch.checked_mul(height)?
            } else {
                slice_pitch
            };
            let slices = (origin.z as usize).checked_add(depth - 1)?.checked_mul(slice_pitch)?;
            let rows = (origin.y as usize).checked_add(height - 1)?.checked_mul(row_pitch)?;
            slices
                .checked_add(rows)?
                .checked_add(origin.x as usize)?
                .checked_add(width)
        };
        end().ok_or_else(|| UrError::said(ResultCode::ERROR_INVALID_SIZE, format!("{self:?} overflows")))
    }
}

/// A part of a device global.
pub struct DeviceGlobal<'a, B: Backend> {
    /// The program that has it.
    pub program: &'a Arc<B::Program>,
    /// Its unique id or linkage name.
    pub name: &'a CStr,
    /// Bytes from its start.
    pub offset: usize,
    /// Bytes.
    pub count: usize,
}

/// A function of the client's that a queue calls in its turn.
#[derive(Clone, Copy)]
pub struct HostTask {
    pub(super) function: unsafe extern "C" fn(*mut c_void),
    pub(super) data: *mut c_void,
}

// SAFETY: the client's pointer is only given back to the client's function, which the specification allows to be called from any
// thread.
unsafe impl Send for HostTask {}
// SAFETY: as above.
unsafe impl Sync for HostTask {}

impl HostTask {
    /// Calls it. If it throws, the process ends.
    pub fn call(self) {
        // SAFETY: the client vouched, when it enqueued the task, that the function may be called with this pointer: once, or
        // in every run of a graph that the task is in.
        call_or_abort("a host task", || unsafe { self.function.may_throw()(self.data) });
    }
}

/// Checks a range of bytes against overflow and emptiness.
pub(crate) fn span(offset: usize, size: usize) -> UrResult<()> {
    if size == 0 {
        return Err(UrError::said(
            ResultCode::ERROR_INVALID_SIZE,
            "there is nothing to do for zero bytes",
        ));
    }
    if offset.checked_add(size).is_none() {
        return Err(UrError::said(
            ResultCode::ERROR_INVALID_SIZE,
            format!("offset {offset} + size {size} overflows"),
        ));
    }
    Ok(())
}

/// Checks that no side of a box is zero.
pub(super) fn not_empty(region: RectRegion) -> UrResult<()> {
    if region.width == 0 || region.height == 0 || region.depth == 0 {
        return Err(UrError::said(
            ResultCode::ERROR_INVALID_SIZE,
            format!("a box has no side of zero, as {region:?} has"),
        ));
    }
    Ok(())
}

/// Takes the pattern of a fill of `size` bytes.
///
/// # Safety
/// `pattern`, unless null, must point to `pattern_size` bytes that stay valid for `'a`.
pub(crate) unsafe fn pattern<'a>(pattern: *const c_void, pattern_size: usize, size: usize) -> UrResult<&'a [u8]> {
    args::not_null(pattern)?;
    if pattern_size == 0 || size == 0 || !size.is_multiple_of(pattern_size) {
        return Err(UrError::said(
            ResultCode::ERROR_INVALID_SIZE,
            format!("a fill of {size} bytes is no whole number of patterns of {pattern_size} bytes"),
        ));
    }
    // SAFETY: passed on to the caller.
    unsafe { args::slice(pattern.cast(), pattern_size) }
}

/// Takes the part of a device global that a command names.
///
/// # Safety
/// As the C functions.
pub(super) unsafe fn device_global<'a, B: Backend>(
    program: &'a Arc<B::Program>,
    name: *const c_char,
    count: usize,
    offset: usize,
) -> UrResult<DeviceGlobal<'a, B>> {
    // SAFETY: passed on to the caller.
    let name = unsafe { args::c_str(name) }?;
    if offset.checked_add(count).is_none() {
        return Err(UrError::said(
            ResultCode::ERROR_INVALID_VALUE,
            format!("offset {offset} + count {count} overflows"),
        ));
    }
    Ok(DeviceGlobal {
        program,
        name,
        offset,
        count,
    })
}

/// Checks that a command on USM stays inside of its allocation, as far as the context knows that. `size` bytes from the
/// address on.
pub(crate) fn inside<B: Backend>(context: &Arc<B::Context>, memory: *const c_void, size: usize) -> UrResult<()> {
    match context.usm_rest(memory) {
        Some(rest) if size > rest => Err(UrError::said(
            ResultCode::ERROR_INVALID_SIZE,
            format!(
                "{size} bytes from {memory:p} on are not inside of their allocation, which ends after {rest} bytes"
            ),
        )),
        _ => Ok(()),
    }
}

/// The same for rows, which [`rows`] has checked.
pub(super) fn rows_inside<B: Backend>(
    context: &Arc<B::Context>,
    memory: *const c_void,
    pitch: usize,
    width: usize,
    height: usize,
) -> UrResult<()> {
    inside::<B>(context, memory, pitch * (height - 1) + width)
}

/// Checks `height` rows of `width` bytes, `pitch` bytes apart.
pub(super) fn rows(pitch: usize, width: usize, height: usize) -> UrResult<()> {
    if width == 0 || height == 0 || pitch < width {
        return Err(UrError::said(
            ResultCode::ERROR_INVALID_SIZE,
            format!("{height} rows of {width} bytes cannot be {pitch} bytes apart"),
        ));
    }
    if pitch.checked_mul(height).is_none() {
        return Err(UrError::said(
            ResultCode::ERROR_INVALID_SIZE,
            format!("{height} rows of {pitch} bytes overflow"),
        ));
    }
    Ok(())
}
