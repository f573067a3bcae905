// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! CUDA's function for each command.

use std::ffi::c_void;
use std::sync::Arc;

use kit::ur::{CommandType, KernelLaunchFlags, UsmAdviceFlags, UsmMigrationFlags};
use kit::{BoxSide, Command, DeviceGlobal, Launch, MemoryQueue, Queue as _, UniqueId, UrError, UrResult, emulate};
use oxur_adapter_kit as kit;
use oxur_cuda_sys::*;
use smallvec::{SmallVec, smallvec};

use super::{Out, Queue, Wait};
use crate::driver::cu;
use crate::kernel::{Grid, Packed};
use crate::staging::SMALL_DOWNLOAD;
use crate::{Context, Cuda, conv, image, peers, usm};

pub(super) type How<'a> = kit::Submission<'a, Cuda>;

/// The largest copy, in bytes, that a thread waits for with the lane for itself.
const SHORT_COPY: usize = 64 << 10;

/// The longest pattern that fills take, in bytes: a call for each four of them, or for each.
const LONGEST_PATTERN: usize = 64;

impl Queue {
    #[cold]
    fn hold_launch(
        self: &Arc<Self>,
        launch: &Launch<'_, Cuda>,
        grid: Grid,
        mut packed: Packed,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        let how = How::new(CommandType::KERNEL_LAUNCH, wait, event);
        let (kernel, device) = (Arc::clone(&launch.kernel), self.device.clone());
        self.enqueue(how, move |lane| kernel.on(&device)?.launch(&grid, &mut packed, lane))
    }

    #[cold]
    fn launch_with(
        self: &Arc<Self>,
        launch: &Launch<'_, Cuda>,
        grid: Grid,
        mut packed: Packed,
        cooperative: bool,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        let (kernel, device) = (Arc::clone(&launch.kernel), self.device.clone());
        let cluster = launch.properties.cluster;
        if let Some(cluster) = cluster {
            if !device.facts.has_clusters {
                return Err(impossible(launch));
            }
            check_cluster(cluster, &grid)?;
        }
        // A word for the barrier, of this launch alone.
        let word = match kernel.on(&device)?.has_device_barrier() {
            true => Some(kit::UsmAlloc::usm_alloc(
                &self.context,
                kit::UsmRequest {
                    kind: kit::UsmKind::Device(&self.device),
                    pool: None,
                    size: size_of::<u32>(),
                    properties: kit::UsmProperties::NONE,
                },
            )?),
            false => None,
        };
        let barrier = word.map_or(0, |word| word as u64);
        let how = How::new(CommandType::KERNEL_LAUNCH, wait, event);
        let launched = self.enqueue(how, move |lane| {
            let kernel = kernel.on(&device)?;
            kernel.launch_with(&grid, &mut packed, lane, cooperative, cluster, barrier)
        });
        if let Some(word) = word {
            self.free_behind(word);
        }
        launched
    }

    /// Frees memory of a command that was submitted, or refused. It stays until the command is complete.
    fn free_behind(&self, memory: *mut c_void) {
        let free = || kit::UsmAlloc::usm_free(&self.context, memory);
        // The driver may have failed to say what is unfinished.
        let again = |error| {
            log::debug!("memory of a command is freed at the second attempt: {error}");
            free()
        };
        if let Err(error) = free().or_else(again) {
            log::warn!("memory of a command is leaked: {error}");
        }
    }

    /// Submits a command by `call`, which gives it to the stream.
    #[inline(always)]
    fn give(
        self: &Arc<Self>,
        how: How<'_>,
        mut call: impl FnMut(CUstream) -> UrResult<()> + Send + 'static,
    ) -> UrResult<()> {
        self.enqueue(how, move |lane| call(lane.stream()))
    }

    /// Fills memory with a pattern that [`fills`] takes.
    fn fill_at_once(self: &Arc<Self>, dst: *mut c_void, pattern: &[u8], size: usize, how: How<'_>) -> UrResult<()> {
        let parts = memsets(dst.addr(), pattern, size);
        self.give(how, move |stream| {
            let again =
                |error, part: &CUDA_MEMSET_NODE_PARAMS| peers::fill(error, part.dst, stream, |on| memset(part, on));
            parts
                .iter()
                .try_for_each(|part| memset(part, stream).or_else(|error| again(error, part)))
        })
    }

    /// Fills memory with any pattern: copies it, and then what is filled, twice as much each time.
    fn fill_doubling(self: &Arc<Self>, dst: *mut c_void, pattern: &[u8], size: usize, how: How<'_>) -> UrResult<()> {
        // Pinned: the driver would wait for its turn to read any other memory.
        let staging = kit::UsmAlloc::usm_alloc(
            &self.context,
            kit::UsmRequest {
                kind: kit::UsmKind::Host,
                pool: None,
                size: pattern.len(),
                properties: kit::UsmProperties::NONE,
            },
        )?;
        // SAFETY: new memory of the pattern's size.
        unsafe {
            staging
                .cast::<u8>()
                .copy_from_nonoverlapping(pattern.as_ptr(), pattern.len())
        };
        let (to, from) = (dst as u64, staging as u64);
        let length = pattern.len();
        let filled = self.give(how, move |stream| {
            let mut done = length.min(size);
            // SAFETY: a live stream. The client vouches for its memory until the command is complete.
            unsafe { peers::copy(to, from, done, stream) }?;
            while done < size {
                let more = done.min(size - done);
                // SAFETY: as above; the two parts do not overlap.
                unsafe { peers::copy(to + done as u64, to, more, stream) }?;
                done += more;
            }
            Ok(())
        });
        self.free_behind(staging);
        filled
    }

    /// Copies a box of pixels.
    fn copy_pixels(self: &Arc<Self>, to: &BoxSide, from: &BoxSide, size: [usize; 3], how: How<'_>) -> UrResult<()> {
        if let Some((to, from, size)) = image::as_bytes(to, from, size) {
            return self.copy(to, from, size, how);
        }
        // Of one slice there is no distance, which CUDA would have in rows.
        let flat = |side: &BoxSide| match (side.origin[2], size[2]) {
            (0, 1) => BoxSide {
                slice_pitch: side.row_pitch * (side.origin[1] + size[1]),
                ..*side
            },
            _ => *side,
        };
        self.copy_box(&flat(to), &flat(from), size, how)
    }

    /// A copy of a box as CUDA takes it. The context is current.
    pub(crate) fn box_copy(
        context: &Context,
        dst: &BoxSide,
        src: &BoxSide,
        size: [usize; 3],
    ) -> UrResult<CUDA_MEMCPY3D> {
        let [width, height, depth] = size;
        // CUDA counts a slice in rows.
        let rows = |side: &BoxSide| match side.slice_pitch.is_multiple_of(side.row_pitch) {
            true => Ok((side.row_pitch, side.slice_pitch / side.row_pitch)),
            false => Err(kit::error!(
                ERROR_INVALID_SIZE: "CUDA copies slices of whole rows, as those of {side:?} are not"
            )),
        };
        let ((dst_pitch, dst_height), (src_pitch, src_height)) = (rows(dst)?, rows(src)?);
        // Memory that CUDA does not know is the host's.
        let kind = |address| match usm::is_known(context, address) {
            true => CU_MEMORYTYPE_UNIFIED,
            false => CU_MEMORYTYPE_HOST,
        };
        // Corners go into the addresses: CUDA wants rows that hold what is left and right of the box.
        let corner = |side: &BoxSide, row: usize, rows: usize| {
            let [x, y, z] = side.origin;
            side.address + x + (y + z * rows) * row
        };
        let (to, from) = (corner(dst, dst_pitch, dst_height), corner(src, src_pitch, src_height));
        Ok(CUDA_MEMCPY3D {
            srcXInBytes: 0,
            srcY: 0,
            srcZ: 0,
            srcLOD: 0,
            srcMemoryType: kind(src.address),
            srcHost: from as *const c_void,
            srcDevice: from as u64,
            srcArray: std::ptr::null_mut(),
            reserved0: std::ptr::null_mut(),
            srcPitch: src_pitch,
            srcHeight: src_height,
            dstXInBytes: 0,
            dstY: 0,
            dstZ: 0,
            dstLOD: 0,
            dstMemoryType: kind(dst.address),
            dstHost: to as *mut c_void,
            dstDevice: to as u64,
            dstArray: std::ptr::null_mut(),
            reserved1: std::ptr::null_mut(),
            dstPitch: dst_pitch,
            dstHeight: dst_height,
            WidthInBytes: width,
            Height: height,
            Depth: depth,
        })
    }
}

impl MemoryQueue<Cuda> for Queue {
    #[inline(always)]
    fn has_one_device(&self) -> bool {
        self.one_device
    }

    fn number_in_order(&self) -> Option<UniqueId> {
        self.in_order.then_some(self.number)
    }

    #[inline(always)]
    fn launch(self: &Arc<Self>, launch: &Launch<'_, Cuda>, wait: Wait<'_>, event: Out<'_>) -> UrResult<()> {
        let properties = &launch.properties;
        let taken = KernelLaunchFlags::OPPORTUNISTIC_QUEUE_SERIALIZE | KernelLaunchFlags::COOPERATIVE;
        if !taken.contains(properties.flags) {
            return Err(impossible(launch));
        }
        let kernel = launch.kernel.on(&self.device)?;
        let mut packed = Packed::new();
        let memory = properties.work_group_memory;
        launch.kernel.pack(kernel, launch.args, memory, &mut packed)?;
        if !self.one_device {
            launch.kernel.locate(kernel, launch.args, &mut packed)?;
        }
        let Some(grid) = kernel.grid(&launch.range, &self.device)? else {
            let how = How::new(CommandType::KERNEL_LAUNCH, wait, event);
            return self.nothing(false, how);
        };
        let cooperative = properties.flags.contains(KernelLaunchFlags::COOPERATIVE) || kernel.has_device_barrier();
        let cluster = properties.cluster;
        if cooperative || cluster.is_some() {
            return self.launch_with(launch, grid, packed, cooperative, wait, event);
        }
        if self.holds(wait) {
            return self.hold_launch(launch, grid, packed, wait, event);
        }
        self.enqueue_now(CommandType::KERNEL_LAUNCH, false, wait, event, |lane| {
            kernel.launch(&grid, &mut packed, lane)
        })
    }

    fn copy(self: &Arc<Self>, dst: *mut c_void, src: *const c_void, size: usize, mut how: How<'_>) -> UrResult<()> {
        if self.copy_pageable(dst, src, size, &mut how)? {
            return Ok(());
        }
        let (to, from) = (dst as u64, src as u64);
        let is_short = size <= SHORT_COPY && how.blocking && how.wait.is_empty() && !how.event.wanted();
        self.enqueue(how, move |lane| {
            // SAFETY: a live stream. The client vouches for its memory until the command is complete.
            unsafe { peers::copy(to, from, size, lane.stream()) }?;
            match is_short {
                true => lane.finish_if_alone(),
                false => Ok(()),
            }
        })
    }

    fn copy_box(self: &Arc<Self>, dst: &BoxSide, src: &BoxSide, size: [usize; 3], how: How<'_>) -> UrResult<()> {
        let (context, dst, src) = (self.context.clone(), *dst, *src);
        self.give(how, move |stream| {
            let copy = Self::box_copy(&context, &dst, &src, size)?;
            // SAFETY: a live stream and a description. The client vouches for its memory until the command is complete.
            unsafe { peers::copy_box(&copy, stream) }
        })
    }

    fn fill(self: &Arc<Self>, dst: *mut c_void, pattern: &[u8], size: usize, how: How<'_>) -> UrResult<()> {
        match fills(dst.addr(), pattern) {
            true => self.fill_at_once(dst, pattern, size, how),
            false => self.fill_doubling(dst, pattern, size, how),
        }
    }

    fn nothing(self: &Arc<Self>, after_all: bool, how: How<'_>) -> UrResult<()> {
        self.marker(how, after_all)
    }

    fn barrier(self: &Arc<Self>, how: How<'_>) -> UrResult<()> {
        self.barrier_of(how)
    }

    fn global(&self, global: &DeviceGlobal<'_, Cuda>) -> UrResult<*mut c_void> {
        global.program.locate(&self.device, global)
    }

    // The driver is slow with a few bytes of pageable memory, so they go through pinned memory if no command may yet change
    // them.
    fn write_global(self: &Arc<Self>, dst: *mut c_void, src: *const c_void, size: usize, how: How<'_>) -> UrResult<()> {
        let is_known = || self.context.usm.rest(src) != usize::MAX;
        if !how.blocking || size > SMALL_DOWNLOAD || !how.wait.is_empty() || !self.is_known_idle() || is_known() {
            return self.copy(dst, src, size, how);
        }
        let (copiers, is_short) = (&self.primary.copiers, !how.event.wanted());
        let (mut taken, mut is_read) = (None, false);
        let written = self.enqueue_now(how.kind, true, how.wait, how.event, |lane| {
            let copier = taken.insert(copiers.take()?).memory();
            // SAFETY: the client vouches for its memory, and nobody else has the pinned memory, which is large enough.
            unsafe { copier.copy_from_nonoverlapping(src.cast(), size) };
            // SAFETY: a live stream and memory, also when the command is complete.
            unsafe { cu!(cuMemcpyAsync(dst as u64, copier as u64, size, lane.stream())) }?;
            is_read = true;
            match is_short {
                true => lane.finish_if_alone(),
                false => Ok(()),
            }
        });
        if written.is_ok() || !is_read || self.finish().is_ok() {
            taken.into_iter().for_each(|copier| copiers.put(copier));
        }
        written
    }

    fn other(self: &Arc<Self>, command: Command<'_, Cuda>, how: How<'_>) -> UrResult<()> {
        match command {
            Command::Timestamp => self.nothing(how.wait.is_empty(), how),
            Command::HostTask(task) => self.host_task(task, how),
            Command::ImageRead { image, rect, dst } => {
                let (from, to, size) = image.image()?.with_memory(&rect, dst)?;
                self.copy_pixels(&to, &from, size, how)
            }
            Command::ImageWrite { image, rect, src } => {
                let (to, from, size) = image.image()?.with_memory(&rect, src)?;
                self.copy_pixels(&to, &from, size, how)
            }
            Command::ImageCopy {
                src,
                dst,
                src_origin,
                dst_origin,
                region,
            } => {
                let (from, to, size) = src.image()?.with_image(dst.image()?, src_origin, dst_origin, region)?;
                self.copy_pixels(&to, &from, size, how)
            }
            Command::BindlessCopy(copy) => {
                let (to, from, size) = self.context.bindless_copy(&copy)?;
                self.copy_pixels(&to, &from, size, how)
            }
            Command::UsmFill2D { .. } => emulate::submit_as(self, command, how),
            Command::UsmPrefetch { memory, size, flags } => {
                let hint = Hint::prefetch(memory, size, flags, self.device.raw);
                self.give(how, move |stream| {
                    hint.give(stream);
                    Ok(())
                })
            }
            Command::UsmAdvise { memory, size, advice } => {
                let hint = Hint::advise(memory, size, advice, self.device.raw);
                self.give(how, move |stream| {
                    hint.inspect(|hint| hint.give(stream));
                    Ok(())
                })
            }
            _ => command.unsupported(),
        }
    }
}

/// Whether [`Queue::fill_at_once`] takes a pattern.
pub(crate) fn fills(address: usize, pattern: &[u8]) -> bool {
    let length = pattern.len();
    length <= LONGEST_PATTERN && (!matches!(length, 2 | 4) || address.is_multiple_of(length))
}

/// What a fill with a pattern that [`fills`] takes is made of: one part, or a column for each word or byte of the pattern.
pub(crate) fn memsets(dst: usize, pattern: &[u8], size: usize) -> SmallVec<[CUDA_MEMSET_NODE_PARAMS; 1]> {
    let length = pattern.len();
    let part = |dst: usize, value: u32, element: u32, width: usize, height: usize| CUDA_MEMSET_NODE_PARAMS {
        dst: dst as u64,
        pitch: if height == 1 { 0 } else { length },
        value,
        elementSize: element,
        width,
        height,
    };
    let rows = size / length;
    match *pattern {
        [byte] => smallvec![part(dst, byte.into(), 1, size, 1)],
        [a, b] => smallvec![part(dst, u16::from_ne_bytes([a, b]).into(), 2, rows, 1)],
        [a, b, c, d] => smallvec![part(dst, u32::from_ne_bytes([a, b, c, d]), 4, rows, 1)],
        _ if length.is_multiple_of(4) && dst.is_multiple_of(4) => {
            let (words, _) = pattern.as_chunks::<4>();
            let columns = (dst..).step_by(4).zip(words);
            columns
                .map(|(at, word)| part(at, u32::from_ne_bytes(*word), 4, 1, rows))
                .collect()
        }
        _ => {
            let columns = (dst..).zip(pattern);
            columns.map(|(at, &byte)| part(at, byte.into(), 1, 1, rows)).collect()
        }
    }
}

/// Gives a part of a fill to a stream. The context is current.
fn memset(part: &CUDA_MEMSET_NODE_PARAMS, stream: CUstream) -> UrResult<()> {
    let CUDA_MEMSET_NODE_PARAMS {
        dst,
        pitch,
        value,
        elementSize: element,
        width,
        height,
    } = *part;
    // SAFETY: a live stream. The client vouches for its memory until the command is complete.
    unsafe {
        match (element, height) {
            (1, 1) => cu!(cuMemsetD8Async(dst, value as u8, width, stream)),
            (1, _) => cu!(cuMemsetD2D8Async(dst, pitch, value as u8, width, height, stream)),
            (2, _) => cu!(cuMemsetD16Async(dst, value as u16, width, stream)),
            (_, 1) => cu!(cuMemsetD32Async(dst, value, width, stream)),
            _ => cu!(cuMemsetD2D32Async(dst, pitch, value, width, height, stream)),
        }
    }
}

/// What the driver may do about shared memory.
#[derive(Clone, Copy)]
pub(crate) enum Hint {
    Prefetch(u64, usize, CUdevice),
    Advise(u64, usize, CUmem_advise, CUdevice),
}

impl Hint {
    /// A prefetch by a queue of a device.
    pub(crate) fn prefetch(memory: *const c_void, size: usize, flags: UsmMigrationFlags, device: CUdevice) -> Self {
        let to = match flags.contains(UsmMigrationFlags::DEVICE_TO_HOST) {
            true => CU_DEVICE_CPU,
            false => device,
        };
        Self::Prefetch(memory as u64, size, to)
    }

    /// Advice, if CUDA has it.
    pub(crate) fn advise(memory: *const c_void, size: usize, advice: UsmAdviceFlags, device: CUdevice) -> Option<Self> {
        let (advice, host) = conv::advice(advice)?;
        let of = if host { CU_DEVICE_CPU } else { device };
        Some(Self::Advise(memory as u64, size, advice, of))
    }

    /// Whether it moves memory to the host.
    pub(crate) fn is_for_host(&self) -> bool {
        matches!(self, Self::Prefetch(_, _, CU_DEVICE_CPU))
    }

    /// Tells the driver. That it does not take the hint is no error. The context is current.
    pub(crate) fn give(&self, stream: CUstream) {
        // SAFETY: a live stream; the driver checks the address.
        let given = unsafe {
            match *self {
                Self::Prefetch(memory, size, to) => cu!(cuMemPrefetchAsync(memory, size, to, stream)),
                Self::Advise(memory, size, advice, of) => cu!(cuMemAdvise(memory, size, advice, of)),
            }
        };
        if let Err(error) = given {
            log::debug!("the driver does not take a hint about USM: {error}");
        }
    }
}

/// The most work-groups of a cluster: what CUDA promises of all devices that have clusters.
const MOST_IN_CLUSTER: u32 = 8;

/// Refuses clusters that the driver would refuse, perhaps when the launch has been held up already.
fn check_cluster(cluster: [u32; 3], grid: &Grid) -> UrResult<()> {
    let fits = (0..3).all(|d| cluster[d] != 0 && grid.groups[d].is_multiple_of(cluster[d]));
    let groups = cluster.iter().try_fold(1_u32, |all, &size| all.checked_mul(size));
    match fits && groups.is_some_and(|groups| groups <= MOST_IN_CLUSTER) {
        true => Ok(()),
        false => Err(kit::error!(
            ERROR_INVALID_WORK_GROUP_SIZE:
                "{:?} work-groups are no clusters of {cluster:?}, or those have more than {MOST_IN_CLUSTER}", grid.groups
        )),
    }
}

#[cold]
fn impossible(launch: &Launch<'_, Cuda>) -> UrError {
    kit::error!(ERROR_INVALID_OPERATION: "CUDA has no way to launch a kernel with {:?}", launch.properties)
}
