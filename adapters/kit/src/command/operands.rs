// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Operands of commands: borrowed from the client's parameters, and owned.

use std::ffi::{CStr, c_char, c_void};
use std::hint::cold_path;
use std::sync::Arc;

use derive_where::derive_where;
use oxur_api::callback::{MayThrow, call_or_abort};
use oxur_api::*;
use smallvec::SmallVec;

use crate::chain::decode;
use crate::command::bounds::check_not_empty;
use crate::command_buffer::ArgRollback;
use crate::handle::{Borrowed, object};
use crate::{Args, Backend, Kernel, Object, UrError, UrResult, args};

/// The objects behind an array of handles, all checked. Reading it allocates nothing.
pub struct Objects<'a, T: Object> {
    handles: &'a [T::Handle],
}

impl<T: Object> Clone for Objects<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Object> Copy for Objects<'_, T> {}

impl<'a, T: Object> Objects<'a, T> {
    /// Takes an array of handles and its length.
    ///
    /// # Safety
    /// `handles`, unless null, must point to `count` handles that stay valid for `'a`.
    pub(crate) unsafe fn new(handles: *const T::Handle, count: u32) -> UrResult<Self> {
        // SAFETY: passed on to the caller.
        let handles = unsafe { args::slice(handles, count as usize) }?;
        for &handle in handles {
            // SAFETY: passed on to the caller.
            unsafe { object::<T>(handle) }?;
        }
        Ok(Self { handles })
    }

    /// The objects.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Borrowed<'a, T>> + use<'a, T> {
        // SAFETY: `new` checked the handles, and its caller vouches that they stay valid.
        self.handles
            .iter()
            .map(|&handle| unsafe { object(handle) }.expect("checked by `new`"))
    }
}

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
    crate::error!(ERROR_INVALID_WORK_DIMENSION: "a range has one to three dimensions, not {count}")
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
            crate::error!(
                ERROR_INVALID_WORK_GROUP_SIZE:
                    "a work-group has at least one work-item in each dimension, not {local:?}"
            )
        }
    }
}

/// An index space that outlives the call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OwnedRange {
    dimensions: u8,
    has_offset: bool,
    has_local: bool,
    offset: [usize; 3],
    global: [usize; 3],
    local: [usize; 3],
}

fn padded(array: &[usize]) -> [usize; 3] {
    std::array::from_fn(|d| array.get(d).copied().unwrap_or(0))
}

impl OwnedRange {
    pub(crate) fn new(range: &Range<'_>) -> Self {
        Self {
            dimensions: range.global.len() as u8,
            has_offset: range.offset.is_some(),
            has_local: range.local.is_some(),
            offset: range.offset.map_or([0; 3], padded),
            global: padded(range.global),
            local: range.local.map_or([0; 3], padded),
        }
    }

    /// The range, as a launch has it.
    pub fn range(&self) -> Range<'_> {
        let count = self.dimensions();
        Range {
            offset: self.has_offset.then(|| &self.offset[..count]),
            global: &self.global[..count],
            local: self.has_local.then(|| &self.local[..count]),
        }
    }

    /// Its number of dimensions.
    pub fn dimensions(&self) -> usize {
        self.dimensions.into()
    }
}

/// A launch of a kernel.
pub struct Launch<'a, B: Backend> {
    /// The kernel.
    pub kernel: Borrowed<'a, B::Kernel>,
    /// Its index space.
    pub range: Range<'a>,
    /// Its arguments; none for a launch that uses those set before.
    pub args: Args<'a, B>,
    /// What else it asks for.
    pub properties: LaunchProperties,
    /// The kernels beside its own that an update of the launch may choose, if it may be updated.
    pub(crate) kernel_alternatives: Option<Objects<'a, B::Kernel>>,
}

/// A launch in a command list.
#[derive_where(Clone)]
pub struct OwnedLaunch<B: Backend> {
    /// The kernel, with the arguments of this launch: see [`Kernel::snapshot`].
    pub kernel: Arc<B::Kernel>,
    /// Its index space.
    pub range: OwnedRange,
    /// What else it asks for.
    pub properties: LaunchProperties,
    /// The client's kernels that an update may choose. The first is the one that was appended, and most often the only one.
    pub(crate) kernel_alternatives: SmallVec<[Arc<B::Kernel>; 1]>,
    /// The place among them of the one that `kernel` is a snapshot of.
    pub(crate) chosen: usize,
    /// For updates that fail.
    pub(crate) arg_rollback: ArgRollback<B>,
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
    pub fn plain(kernel: Borrowed<'a, B::Kernel>, range: Range<'a>, args: Args<'a, B>) -> Self {
        Self {
            kernel,
            range,
            args,
            properties: LaunchProperties::default(),
            kernel_alternatives: None,
        }
    }

    /// Takes the parameters of a launch.
    ///
    /// # Safety
    /// The pointers must be as the C function demands.
    #[inline(always)]
    pub(crate) unsafe fn new(
        kernel: KernelHandle,
        dimensions: u32,
        offset: *const usize,
        global: *const usize,
        local: *const usize,
        args: Args<'a, B>,
    ) -> UrResult<Self> {
        // SAFETY: passed on to the caller.
        unsafe {
            Ok(Self {
                kernel: object(kernel)?,
                properties: LaunchProperties::default(),
                range: Range::new(dimensions, offset, global, local)?,
                args,
                kernel_alternatives: None,
            })
        }
    }

    /// The same launch with what else it asks for.
    ///
    /// # Safety
    /// As the C function.
    #[inline(always)]
    pub(crate) unsafe fn with_properties(
        self,
        function: &'static str,
        properties: *const KernelLaunchExtProperties,
    ) -> UrResult<Self> {
        let properties = match properties.is_null() {
            true => LaunchProperties::default(),
            // SAFETY: passed on to the caller.
            false => unsafe { LaunchProperties::new(function, properties) }?,
        };
        Ok(Self { properties, ..self })
    }

    /// The same launch, whose updates may choose one of these kernels.
    ///
    /// # Safety
    /// As `urCommandBufferAppendKernelLaunch*Exp`.
    #[inline(always)]
    pub(crate) unsafe fn with_alternatives(mut self, count: u32, kernels: *const KernelHandle) -> UrResult<Self> {
        self.kernel_alternatives = Some(match count == 0 && kernels.is_null() {
            true => Objects { handles: &[] },
            // SAFETY: passed on to the caller.
            false => unsafe { alternatives::<B>(count, kernels) }?,
        });
        Ok(self)
    }

    /// The launch with a kernel that has its arguments.
    pub(crate) fn into_owned(self) -> UrResult<OwnedLaunch<B>> {
        let mut kernel_alternatives = SmallVec::new();
        let kernel = match self.kernel_alternatives {
            None => self.kernel.fixed_snapshot(self.args)?,
            Some(alternatives) => {
                kernel_alternatives.push(Arc::clone(&self.kernel));
                for kernel in alternatives.iter() {
                    // The kernel itself should not be among them, but libsycl names it where several groups of a dynamic
                    // command group launch it with other arguments.
                    if !kernel_alternatives.iter().any(|known| Arc::ptr_eq(known, &kernel)) {
                        kernel_alternatives.push(Arc::clone(&kernel));
                    }
                }
                self.kernel.snapshot(self.args)?
            }
        };
        Ok(OwnedLaunch {
            kernel,
            range: OwnedRange::new(&self.range),
            properties: self.properties,
            kernel_alternatives,
            chosen: 0,
            arg_rollback: ArgRollback::default(),
        })
    }
}

/// Kernels that updates of a launch may choose.
///
/// # Safety
/// As `urCommandBufferAppendKernelLaunch*Exp`.
#[cold]
unsafe fn alternatives<'a, B: Backend>(count: u32, kernels: *const KernelHandle) -> UrResult<Objects<'a, B::Kernel>> {
    if (count == 0) != kernels.is_null() {
        crate::bail!(ERROR_INVALID_VALUE: "there are {count} alternatives and their pointer is {kernels:p}");
    }
    // SAFETY: passed on to the caller.
    unsafe { Objects::new(kernels, count) }
}

impl<B: Backend> OwnedLaunch<B> {
    /// The launch, as a queue takes it.
    pub fn as_launch(&self) -> Launch<'_, B> {
        Launch {
            properties: self.properties,
            ..Launch::plain(Borrowed::from(&self.kernel), self.range.range(), Args::none())
        }
    }

    /// A launch that stays as it is when this one is updated.
    pub(crate) fn detached(&self) -> UrResult<Self> {
        Ok(Self {
            kernel: self.kernel.snapshot(Args::none())?,
            ..self.clone()
        })
    }
}

impl LaunchProperties {
    /// Whether they ask for nothing.
    pub(crate) fn is_nothing(&self) -> bool {
        self.flags.is_empty() && self.cluster.is_none() && self.work_group_memory == 0
    }

    /// Takes a chain of properties.
    ///
    /// # Safety
    /// As the C functions.
    #[inline(never)]
    unsafe fn new(function: &'static str, properties: *const KernelLaunchExtProperties) -> UrResult<Self> {
        let mut found = Self::default();
        // SAFETY: passed on to the caller.
        unsafe {
            decode!(function, properties.cast(),
                head: KernelLaunchExtProperties => {
                    args::known_flags(head.flags)?;
                    found.flags = head.flags;
                },
                cluster: KernelLaunchClusterProperty => { found.cluster = Some(cluster.clusterDim) },
                work_group: KernelLaunchWorkgroupProperty => { found.work_group_memory = work_group.workgroup_mem_size },
            )?;
        }
        Ok(found)
    }
}

/// A box in an image, and rows of its pixels in memory. Pitches of zero mean that they follow each other without gaps.
#[derive(Clone, Copy, Debug)]
pub struct ImageRect {
    /// Corner in the image, in pixels.
    pub origin: RectOffset,
    /// Size, in pixels.
    pub region: RectRegion,
    /// Bytes from row to row in memory.
    pub row_pitch: usize,
    /// Bytes from slice to slice in memory.
    pub slice_pitch: usize,
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
        let bad = |what: String| Err(crate::error!(ERROR_INVALID_SIZE: "{what}"));
        check_not_empty(self.region)?;
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

    /// The first byte of the box in `a`.
    pub(crate) fn a_start(&self) -> usize {
        self.start(self.a_origin, self.a_row_pitch, self.a_slice_pitch)
    }

    /// The first byte of the box in `b`.
    pub(crate) fn b_start(&self) -> usize {
        self.start(self.b_origin, self.b_row_pitch, self.b_slice_pitch)
    }

    /// Of a box whose end is known not to overflow.
    fn start(&self, origin: RectOffset, row_pitch: usize, slice_pitch: usize) -> usize {
        let or = |pitch: usize, packed: usize| if pitch == 0 { packed } else { pitch };
        let row_pitch = or(row_pitch, self.region.width as usize);
        let slice_pitch = or(slice_pitch, row_pitch * self.region.height as usize);
        origin.z as usize * slice_pitch + origin.y as usize * row_pitch + origin.x as usize
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
        end().ok_or_else(|| crate::error!(ERROR_INVALID_SIZE: "{self:?} overflows"))
    }
}

/// A part of a device global.
pub struct DeviceGlobal<'a, B: Backend> {
    /// The program that has it.
    pub program: Borrowed<'a, B::Program>,
    /// Its unique id or linkage name.
    pub name: &'a CStr,
    /// Bytes from its start.
    pub offset: usize,
    /// Bytes.
    pub count: usize,
}

impl<'a, B: Backend> DeviceGlobal<'a, B> {
    /// Takes the part of a device global that a command names.
    ///
    /// # Safety
    /// As the C functions.
    pub(crate) unsafe fn new(
        program: ProgramHandle,
        name: *const c_char,
        count: usize,
        offset: usize,
    ) -> UrResult<Self> {
        // SAFETY: passed on to the caller.
        let (program, name) = unsafe { (object(program)?, args::c_str(name)?) };
        if offset.checked_add(count).is_none() {
            crate::bail!(ERROR_INVALID_VALUE: "offset {offset} + count {count} overflows");
        }
        Ok(Self {
            program,
            name,
            offset,
            count,
        })
    }

    pub(crate) fn into_owned(self) -> OwnedDeviceGlobal<B> {
        OwnedDeviceGlobal {
            program: Arc::clone(&self.program),
            name: self.name.into(),
            offset: self.offset,
            count: self.count,
        }
    }
}

/// A part of a device global in a command list.
#[derive_where(Clone)]
pub struct OwnedDeviceGlobal<B: Backend> {
    program: Arc<B::Program>,
    name: Arc<CStr>,
    offset: usize,
    count: usize,
}

impl<B: Backend> OwnedDeviceGlobal<B> {
    /// The part, as a queue takes it.
    pub fn as_global(&self) -> DeviceGlobal<'_, B> {
        DeviceGlobal {
            program: Borrowed::from(&self.program),
            name: &self.name,
            offset: self.offset,
            count: self.count,
        }
    }
}

/// An address of the client's, which vouches for it until the last run of its command is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address(pub(super) *mut c_void);

// SAFETY: it is only handed on to commands of a queue, which any thread may submit.
unsafe impl Send for Address {}
// SAFETY: as above.
unsafe impl Sync for Address {}

/// A function of the client's that a queue calls in its turn.
#[derive(Clone, Copy)]
pub struct HostTask {
    pub(crate) function: unsafe extern "C" fn(*mut c_void),
    pub(crate) data: *mut c_void,
}

// SAFETY: the client's pointer is only given back to the client's function, which the specification allows to be called from any
// thread.
unsafe impl Send for HostTask {}
// SAFETY: as above.
unsafe impl Sync for HostTask {}

impl HostTask {
    /// The client's function, for a driver that calls it by itself, and what to call it with. It may not throw there.
    pub fn function(self) -> (unsafe extern "C" fn(*mut c_void), *mut c_void) {
        (self.function, self.data)
    }

    /// Calls it. If it throws, the process ends.
    pub fn call(self) {
        // SAFETY: the client vouched, when it enqueued the task, that the function may be called with this pointer: once, or
        // in every run of a graph that the task is in.
        call_or_abort("a host task", || unsafe { self.function.may_throw()(self.data) });
    }
}

/// Takes the pattern of a fill of `size` bytes.
///
/// # Safety
/// `pattern`, unless null, must point to `pattern_size` bytes that stay valid for `'a`.
pub(crate) unsafe fn pattern<'a>(pattern: *const c_void, pattern_size: usize, size: usize) -> UrResult<&'a [u8]> {
    args::not_null(pattern)?;
    if pattern_size == 0 || size == 0 || !size.is_multiple_of(pattern_size) {
        crate::bail!(
            ERROR_INVALID_SIZE: "a fill of {size} bytes is no whole number of patterns of {pattern_size} bytes"
        );
    }
    // SAFETY: passed on to the caller.
    unsafe { args::slice(pattern.cast(), pattern_size) }
}
