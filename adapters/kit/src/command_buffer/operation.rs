// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What commands of a command buffer or a graph do, kept to be done again and again.

use std::ffi::{CStr, c_void};
use std::sync::Arc;

use derive_where::derive_where;
use oxur_api::{CommandType, RectOffset, RectRegion, UsmAdviceFlags, UsmMigrationFlags};
use smallvec::{SmallVec, smallvec};

use crate::{
    Args, Backend, BufferRect, DeviceGlobal, EventOut, HostTask, Kernel, Launch, LaunchProperties, Queue, Range,
    UrError, UrResult, WaitList,
};

/// An address of the client's, which vouches for it until the last run of the command is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address(pub *mut c_void);

// SAFETY: it is only handed on to commands of a queue, which any thread may submit.
unsafe impl Send for Address {}
// SAFETY: as above.
unsafe impl Sync for Address {}

impl Address {
    pub(crate) fn new(pointer: *const c_void) -> Self {
        Self(pointer.cast_mut())
    }
}

/// An index space, kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptRange {
    dimensions: usize,
    offset: Option<[usize; 3]>,
    global: [usize; 3],
    local: Option<[usize; 3]>,
}

fn kept(array: &[usize]) -> [usize; 3] {
    std::array::from_fn(|d| array.get(d).copied().unwrap_or(0))
}

impl KeptRange {
    pub(crate) fn new(range: &Range<'_>) -> Self {
        Self {
            dimensions: range.global.len(),
            offset: range.offset.map(kept),
            global: kept(range.global),
            local: range.local.map(kept),
        }
    }

    /// The range, as a launch takes it.
    pub fn range(&self) -> Range<'_> {
        Range {
            offset: self.offset.as_ref().map(|offset| &offset[..self.dimensions]),
            global: &self.global[..self.dimensions],
            local: self.local.as_ref().map(|local| &local[..self.dimensions]),
        }
    }

    /// Its number of dimensions.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }
}

/// A launch of a kernel, kept.
#[derive_where(Clone)]
pub struct KeptLaunch<B: Backend> {
    /// The kernel, with the arguments of this launch: see [`Kernel::snapshot`](crate::Kernel::snapshot).
    pub kernel: Arc<B::Kernel>,
    /// Its index space.
    pub range: KeptRange,
    /// What else it asks for.
    pub properties: LaunchProperties,
    /// The client's kernels that an update may choose from. The first is the one that was appended.
    pub(crate) choice: Vec<Arc<B::Kernel>>,
}

impl<B: Backend> KeptLaunch<B> {
    /// The launch, as a queue takes it.
    pub fn launch(&self) -> Launch<'_, B> {
        Launch {
            range: self.range.range(),
            args: Args::none(),
            properties: self.properties,
        }
    }
}

/// A part of a device global, kept.
#[derive_where(Clone)]
pub struct KeptGlobal<B: Backend> {
    program: Arc<B::Program>,
    name: Arc<CStr>,
    offset: usize,
    count: usize,
}

impl<B: Backend> KeptGlobal<B> {
    pub(crate) fn new(global: &DeviceGlobal<'_, B>) -> Self {
        Self {
            program: global.program.clone(),
            name: global.name.into(),
            offset: global.offset,
            count: global.count,
        }
    }

    /// The part, as a queue takes it.
    pub fn global(&self) -> DeviceGlobal<'_, B> {
        DeviceGlobal {
            program: &self.program,
            name: &self.name,
            offset: self.offset,
            count: self.count,
        }
    }
}

/// What a command does. The parameters are those of the method of [`Queue`] that does the same.
#[derive_where(Clone)]
#[allow(missing_docs, reason = "they are described there")]
pub enum Operation<B: Backend> {
    /// Nothing: it only has a place in the order.
    Nothing,
    /// Runs a kernel.
    Launch(Box<KeptLaunch<B>>),
    /// Copies between any two pieces of memory.
    UsmMemcpy { dst: Address, src: Address, size: usize },
    /// Fills memory, whose size is a multiple of the pattern's.
    UsmFill {
        dst: Address,
        pattern: Arc<[u8]>,
        size: usize,
    },
    /// Moves shared memory to where it will be used.
    UsmPrefetch {
        memory: Address,
        size: usize,
        flags: UsmMigrationFlags,
    },
    /// Tells how shared memory will be used.
    UsmAdvise {
        memory: Address,
        size: usize,
        advice: UsmAdviceFlags,
    },
    /// Fills `height` rows of `width` bytes that are `pitch` bytes apart.
    UsmFill2D {
        dst: Address,
        pitch: usize,
        pattern: Arc<[u8]>,
        width: usize,
        height: usize,
    },
    /// Copies `height` rows of `width` bytes.
    UsmMemcpy2D {
        dst: Address,
        dst_pitch: usize,
        src: Address,
        src_pitch: usize,
        width: usize,
        height: usize,
    },
    /// Copies between buffers.
    BufferCopy {
        src: Arc<B::Mem>,
        dst: Arc<B::Mem>,
        src_offset: usize,
        dst_offset: usize,
        size: usize,
    },
    /// Copies a box from one buffer (`rect.a`) to another (`rect.b`).
    BufferCopyRect {
        src: Arc<B::Mem>,
        dst: Arc<B::Mem>,
        rect: BufferRect,
    },
    /// Copies from a buffer to the host.
    BufferRead {
        buffer: Arc<B::Mem>,
        offset: usize,
        size: usize,
        dst: Address,
    },
    /// Copies a box from a buffer (`rect.a`) to the host (`rect.b`).
    BufferReadRect {
        buffer: Arc<B::Mem>,
        rect: BufferRect,
        dst: Address,
    },
    /// Copies from the host to a buffer.
    BufferWrite {
        buffer: Arc<B::Mem>,
        offset: usize,
        size: usize,
        src: Address,
    },
    /// Copies a box from the host (`rect.b`) to a buffer (`rect.a`).
    BufferWriteRect {
        buffer: Arc<B::Mem>,
        rect: BufferRect,
        src: Address,
    },
    /// Fills a part of a buffer. Its offset and size are multiples of the pattern's size.
    BufferFill {
        buffer: Arc<B::Mem>,
        pattern: Arc<[u8]>,
        offset: usize,
        size: usize,
    },
    /// Copies from an image to the host.
    ImageRead {
        image: Arc<B::Mem>,
        origin: RectOffset,
        region: RectRegion,
        row_pitch: usize,
        slice_pitch: usize,
        dst: Address,
    },
    /// Copies from the host to an image.
    ImageWrite {
        image: Arc<B::Mem>,
        origin: RectOffset,
        region: RectRegion,
        row_pitch: usize,
        slice_pitch: usize,
        src: Address,
    },
    /// Copies between images.
    ImageCopy {
        src: Arc<B::Mem>,
        dst: Arc<B::Mem>,
        src_origin: RectOffset,
        dst_origin: RectOffset,
        region: RectRegion,
    },
    /// Copies from a device global to the host.
    DeviceGlobalRead { global: KeptGlobal<B>, dst: Address },
    /// Copies from the host to a device global.
    DeviceGlobalWrite { global: KeptGlobal<B>, src: Address },
    /// Calls a function of the client's, in every run.
    HostTask(HostTask),
}

/// Buffers, and the byte behind the part of each that a command works on.
pub type Parts<'a, B> = SmallVec<[(&'a Arc<<B as Backend>::Mem>, usize); 2]>;

impl<B: Backend> Operation<B> {
    /// A launch of a kernel, with the arguments that it brings, or those that the kernel has now. `choice` are the kernels that
    /// an update may choose from.
    pub(crate) fn launch(kernel: &B::Kernel, launch: &Launch<'_, B>, choice: Vec<Arc<B::Kernel>>) -> UrResult<Self> {
        Ok(Self::Launch(Box::new(KeptLaunch {
            kernel: kernel.snapshot(launch.args)?,
            range: KeptRange::new(&launch.range),
            properties: launch.properties,
            choice,
        })))
    }

    /// A copy that stays as it is when this one is updated.
    pub(crate) fn detached(&self) -> UrResult<Self> {
        match self {
            Self::Launch(launch) => Ok(Self::Launch(Box::new(KeptLaunch {
                kernel: launch.kernel.snapshot(Args::none())?,
                ..KeptLaunch::clone(launch)
            }))),
            other => Ok(other.clone()),
        }
    }

    /// Which command of a queue does the same.
    pub fn command(&self) -> CommandType {
        match self {
            Self::Nothing => CommandType::EVENTS_WAIT,
            Self::Launch(_) => CommandType::KERNEL_LAUNCH,
            Self::UsmMemcpy { .. } => CommandType::USM_MEMCPY,
            Self::UsmFill { .. } => CommandType::USM_FILL,
            Self::UsmPrefetch { .. } => CommandType::USM_PREFETCH,
            Self::UsmAdvise { .. } => CommandType::USM_ADVISE,
            Self::UsmFill2D { .. } => CommandType::USM_FILL_2D,
            Self::UsmMemcpy2D { .. } => CommandType::USM_MEMCPY_2D,
            Self::BufferCopy { .. } => CommandType::MEM_BUFFER_COPY,
            Self::BufferCopyRect { .. } => CommandType::MEM_BUFFER_COPY_RECT,
            Self::BufferRead { .. } => CommandType::MEM_BUFFER_READ,
            Self::BufferReadRect { .. } => CommandType::MEM_BUFFER_READ_RECT,
            Self::BufferWrite { .. } => CommandType::MEM_BUFFER_WRITE,
            Self::BufferWriteRect { .. } => CommandType::MEM_BUFFER_WRITE_RECT,
            Self::BufferFill { .. } => CommandType::MEM_BUFFER_FILL,
            Self::ImageRead { .. } => CommandType::MEM_IMAGE_READ,
            Self::ImageWrite { .. } => CommandType::MEM_IMAGE_WRITE,
            Self::ImageCopy { .. } => CommandType::MEM_IMAGE_COPY,
            Self::DeviceGlobalRead { .. } => CommandType::DEVICE_GLOBAL_VARIABLE_READ,
            Self::DeviceGlobalWrite { .. } => CommandType::DEVICE_GLOBAL_VARIABLE_WRITE,
            Self::HostTask(_) => CommandType::HOST_TASK_EXP,
        }
    }

    /// The launch, if it is one.
    pub fn as_launch(&self) -> Option<&KeptLaunch<B>> {
        match self {
            Self::Launch(launch) => Some(launch),
            _ => None,
        }
    }

    /// The buffers that it works on, and the byte behind the part of each.
    pub fn buffers(&self) -> UrResult<Parts<'_, B>> {
        Ok(match self {
            Self::BufferCopy {
                src,
                dst,
                src_offset,
                dst_offset,
                size,
            } => smallvec![(src, src_offset + size), (dst, dst_offset + size)],
            Self::BufferCopyRect { src, dst, rect } => smallvec![(src, rect.a_end()?), (dst, rect.b_end()?)],
            Self::BufferRead {
                buffer, offset, size, ..
            }
            | Self::BufferWrite {
                buffer, offset, size, ..
            }
            | Self::BufferFill {
                buffer, offset, size, ..
            } => smallvec![(buffer, offset + size)],
            Self::BufferReadRect { buffer, rect, .. } | Self::BufferWriteRect { buffer, rect, .. } => {
                smallvec![(buffer, rect.a_end()?)]
            }
            _ => smallvec![],
        })
    }

    /// The images that it works on.
    pub fn images(&self) -> SmallVec<[&Arc<B::Mem>; 2]> {
        match self {
            Self::ImageRead { image, .. } | Self::ImageWrite { image, .. } => smallvec![image],
            Self::ImageCopy { src, dst, .. } => smallvec![src, dst],
            _ => smallvec![],
        }
    }

    /// Submits a command that does this.
    pub fn submit(&self, queue: &Arc<B::Queue>, wait: WaitList<'_, B>, event: EventOut<'_, B>) -> UrResult<()> {
        match self {
            Self::Nothing => queue.wait(wait, event),
            Self::Launch(launch) => queue.launch(&launch.kernel, launch.launch(), wait, event),
            &Self::UsmMemcpy { dst, src, size } => queue.usm_memcpy(false, dst.0, src.0, size, wait, event),
            &Self::UsmFill { dst, ref pattern, size } => queue.usm_fill(dst.0, pattern, size, wait, event),
            &Self::UsmPrefetch { memory, size, flags } => queue.usm_prefetch(memory.0, size, flags, wait, event),
            &Self::UsmAdvise { memory, size, advice } => {
                // Advice has no wait list of its own, and needs none: it is about all that comes.
                if wait.is_empty() {
                    return queue.usm_advise(memory.0, size, advice, event);
                }
                queue.usm_advise(memory.0, size, advice, EventOut::none())?;
                queue.wait(wait, event)
            }
            &Self::UsmFill2D {
                dst,
                pitch,
                ref pattern,
                width,
                height,
            } => queue.usm_fill_2d(dst.0, pitch, pattern, width, height, wait, event),
            &Self::UsmMemcpy2D {
                dst,
                dst_pitch,
                src,
                src_pitch,
                width,
                height,
            } => queue.usm_memcpy_2d(false, dst.0, dst_pitch, src.0, src_pitch, width, height, wait, event),
            &Self::BufferCopy {
                ref src,
                ref dst,
                src_offset,
                dst_offset,
                size,
            } => queue.buffer_copy(src, dst, src_offset, dst_offset, size, wait, event),
            Self::BufferCopyRect { src, dst, rect } => queue.buffer_copy_rect(src, dst, rect, wait, event),
            &Self::BufferRead {
                ref buffer,
                offset,
                size,
                dst,
            } => queue.buffer_read(buffer, false, offset, size, dst.0, wait, event),
            Self::BufferReadRect { buffer, rect, dst } => {
                queue.buffer_read_rect(buffer, false, rect, dst.0, wait, event)
            }
            &Self::BufferWrite {
                ref buffer,
                offset,
                size,
                src,
            } => queue.buffer_write(buffer, false, offset, size, src.0, wait, event),
            Self::BufferWriteRect { buffer, rect, src } => {
                queue.buffer_write_rect(buffer, false, rect, src.0, wait, event)
            }
            &Self::BufferFill {
                ref buffer,
                ref pattern,
                offset,
                size,
            } => queue.buffer_fill(buffer, pattern, offset, size, wait, event),
            &Self::ImageRead {
                ref image,
                origin,
                region,
                row_pitch,
                slice_pitch,
                dst,
            } => queue.image_read(image, false, origin, region, row_pitch, slice_pitch, dst.0, wait, event),
            &Self::ImageWrite {
                ref image,
                origin,
                region,
                row_pitch,
                slice_pitch,
                src,
            } => queue.image_write(image, false, origin, region, row_pitch, slice_pitch, src.0, wait, event),
            &Self::ImageCopy {
                ref src,
                ref dst,
                src_origin,
                dst_origin,
                region,
            } => queue.image_copy(src, dst, src_origin, dst_origin, region, wait, event),
            Self::DeviceGlobalRead { global, dst } => {
                queue.device_global_read(global.global(), false, dst.0, wait, event)
            }
            Self::DeviceGlobalWrite { global, src } => {
                queue.device_global_write(global.global(), false, src.0, wait, event)
            }
            &Self::HostTask(task) => queue.host_task(task, wait, event),
        }
        .map_err(|error: UrError| error.with_words("a command of a command buffer or graph could not be submitted"))
    }
}
