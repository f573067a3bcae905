// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! CUDA's function for each command.

use std::ffi::c_void;
use std::sync::Arc;

use kit::ur::{CommandType, KernelLaunchFlags, ResultCode, UsmMigrationFlags};
use kit::{Command, HostTask, Launch, UrError, UrResult, emulate};
use oxur_adapter_kit as kit;
use oxur_cuda_sys::*;

use super::{Out, Queue, Wait};
use crate::driver::cu;
use crate::event::watcher;
use crate::kernel::{Grid, OnDevice, Packed};
use crate::mem::Copy;
use crate::signal::{HostSignal, Signal};
use crate::{Cuda, conv, usm};

/// A side of a copy of a box.
#[derive(Clone, Copy)]
struct Side {
    address: usize,
    origin: [usize; 3],
    row_pitch: usize,
    slice_pitch: usize,
}

/// The longest pattern that fills take, in bytes: a call for each four of them, or for each.
const LONGEST_PATTERN: usize = 64;

impl Queue {
    #[inline(always)]
    pub(super) fn launch(self: &Arc<Self>, launch: Launch<'_, Cuda>, wait: Wait<'_>, event: Out<'_>) -> UrResult<()> {
        let properties = &launch.properties;
        let taken = KernelLaunchFlags::OPPORTUNISTIC_QUEUE_SERIALIZE | KernelLaunchFlags::COOPERATIVE;
        if !taken.contains(properties.flags) {
            return Err(impossible(&launch));
        }
        let kernel = launch.kernel.on(&self.device)?;
        let mut packed = launch.kernel.pack(kernel, launch.args, properties.work_group_memory)?;
        let Some(grid) = kernel.grid(&launch.range, &self.device)? else {
            return self.marker(CommandType::KERNEL_LAUNCH, false, wait, false, event);
        };
        let cooperative = properties.flags.contains(KernelLaunchFlags::COOPERATIVE) || kernel.has_device_barrier();
        let cluster = properties.cluster;
        if cooperative || cluster.is_some() {
            return self.launch_with(kernel, &grid, &mut packed, cooperative, cluster, wait, event);
        }
        self.enqueue(CommandType::KERNEL_LAUNCH, false, wait, event, |stream| {
            kernel.launch(&grid, &mut packed, stream)
        })
    }

    #[cold]
    #[allow(clippy::too_many_arguments, reason = "a launch has the parameters that UR gives it")]
    fn launch_with(
        self: &Arc<Self>,
        kernel: &OnDevice,
        grid: &Grid,
        packed: &mut Packed,
        cooperative: bool,
        cluster: Option<[u32; 3]>,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        // A word for the barrier, of this launch alone.
        let word = match kernel.has_device_barrier() {
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
        let launched = self.enqueue(CommandType::KERNEL_LAUNCH, false, wait, event, |stream| {
            kernel.launch_with(grid, packed, stream, cooperative, cluster, barrier)
        });
        if let Some(word) = word {
            // It stays until the kernel is complete.
            kit::UsmAlloc::usm_free(&self.context, word)?;
        }
        launched
    }

    /// Submits a command of any kind.
    pub(super) fn submit_any(
        self: &Arc<Self>,
        command: Command<'_, Cuda>,
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
            Command::Wait => self.marker(kind, blocking, wait, wait.is_empty(), event),
            Command::Barrier { .. } => self.barrier(kind, wait, event),
            Command::Timestamp => self.marker(kind, blocking, wait, wait.is_empty(), event),
            Command::UsmMemcpy { dst, src, size } => self.copy(kind, dst, src, size, blocking, wait, event),
            Command::UsmFill { dst, pattern, size } if fills(dst.addr(), pattern) => {
                self.fill(kind, dst, pattern, size, wait, event)
            }
            Command::BufferFill {
                ref buffer,
                pattern,
                offset,
                size,
            } if fills(buffer.address() + offset, pattern) => {
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
                let (dst, src) = (side(dst.addr(), dst_pitch), side(src.addr(), src_pitch));
                self.copy_box(kind, dst, src, [width, height, 1], blocking, wait, event)
            }
            Command::HostTask(task) => self.host_task(task, wait, event),
            Command::UsmFill { dst, pattern, size } => self.fill_doubling(kind, dst, pattern, size, wait, event),
            Command::BufferFill {
                ref buffer,
                pattern,
                offset,
                size,
            } => self.fill_doubling(kind, buffer.at(offset), pattern, size, wait, event),
            Command::UsmFill2D { .. } => emulate::submit(self, command, blocking, wait, event),
            Command::UsmPrefetch { memory, size, flags } => {
                let to = match flags.contains(UsmMigrationFlags::DEVICE_TO_HOST) {
                    true => CU_DEVICE_CPU,
                    false => self.device.raw,
                };
                self.enqueue(kind, blocking, wait, event, |stream| {
                    // SAFETY: a live stream; the driver checks the address.
                    hint(unsafe { cu!(cuMemPrefetchAsync(memory as u64, size, to, stream)) });
                    Ok(())
                })
            }
            Command::UsmAdvise { memory, size, advice } => {
                let device = self.device.raw;
                self.enqueue(kind, blocking, wait, event, |_| {
                    if let Some((advice, host)) = conv::advice(advice) {
                        let of = if host { CU_DEVICE_CPU } else { device };
                        // SAFETY: the driver checks the address.
                        hint(unsafe { cu!(cuMemAdvise(memory as u64, size, advice, of)) });
                    }
                    Ok(())
                })
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
            } => {
                let (dst, src) = (dst.at(dst_offset), src.at(src_offset));
                self.copy(kind, dst, src, size, blocking, wait, event)
            }
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
            None => self.marker(kind, blocking, wait, wait.is_empty(), event),
        }
    }

    /// Runs a function of the client's between two words: the stream writes one, which starts it, and waits for the
    /// other. Nobody asks the driver meanwhile: it may wait for the stream, with a lock that all calls take.
    fn host_task(self: &Arc<Self>, task: HostTask, wait: Wait<'_>, event: Out<'_>) -> UrResult<()> {
        let (ready, end) = (HostSignal::new(self.primary)?, Arc::new(HostSignal::new(self.primary)?));
        let ready = Arc::new(ready);
        let signal = Signal::Host(end.clone());
        self.enqueue_held(CommandType::HOST_TASK_EXP, wait, event, &signal, |stream| {
            ready.reach(stream)
        })?;
        watcher::when_over(&Signal::Host(ready), move || {
            let run = Box::new(move || {
                task.call();
                end.signal();
            });
            if let Err(error) = emulate::run_on_thread(run) {
                log::error!("a host task fails because no thread can be started: {error}");
            }
        })
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
            return self.marker(kind, blocking, wait, false, event);
        }
        self.enqueue(kind, blocking, wait, event, |stream| {
            // SAFETY: a live stream. The client vouches for its memory until the command is complete.
            unsafe { cu!(cuMemcpyAsync(dst as u64, src as u64, size, stream)) }
        })
    }

    /// Fills memory with a pattern that [`fills`] takes.
    fn fill(
        self: &Arc<Self>,
        kind: CommandType,
        dst: *mut c_void,
        pattern: &[u8],
        size: usize,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        let dst = dst as u64;
        self.enqueue(kind, false, wait, event, |stream| {
            // SAFETY: a live stream. The client vouches for its memory until the command is complete.
            unsafe {
                match *pattern {
                    [byte] => cu!(cuMemsetD8Async(dst, byte, size, stream)),
                    [a, b] => cu!(cuMemsetD16Async(dst, u16::from_ne_bytes([a, b]), size / 2, stream)),
                    [a, b, c, d] => {
                        let word = u32::from_ne_bytes([a, b, c, d]);
                        cu!(cuMemsetD32Async(dst, word, size / 4, stream))
                    }
                    _ if !pattern.len().is_multiple_of(4) || !dst.is_multiple_of(4) => {
                        // A column for each byte.
                        let (pitch, rows) = (pattern.len(), size / pattern.len());
                        (dst..)
                            .zip(pattern)
                            .try_for_each(|(at, &byte)| cu!(cuMemsetD2D8Async(at, pitch, byte, 1, rows, stream)))
                    }
                    _ => {
                        // A column for each word.
                        let (words, _) = pattern.as_chunks::<4>();
                        let (pitch, rows) = (pattern.len(), size / pattern.len());
                        (dst..).step_by(4).zip(words).try_for_each(|(at, &word)| {
                            let word = u32::from_ne_bytes(word);
                            cu!(cuMemsetD2D32Async(at, pitch, word, 1, rows, stream))
                        })
                    }
                }
            }
        })
    }

    /// Fills memory with any pattern: copies it, and then what is filled, twice as much each time.
    fn fill_doubling(
        self: &Arc<Self>,
        kind: CommandType,
        dst: *mut c_void,
        pattern: &[u8],
        size: usize,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
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
        let filled = self.enqueue(kind, false, wait, event, |stream| {
            let mut done = pattern.len().min(size);
            // SAFETY: a live stream. The client vouches for its memory until the command is complete.
            unsafe { cu!(cuMemcpyAsync(to, from, done, stream)) }?;
            while done < size {
                let more = done.min(size - done);
                // SAFETY: as above; the two parts do not overlap.
                unsafe { cu!(cuMemcpyAsync(to + done as u64, to, more, stream)) }?;
                done += more;
            }
            Ok(())
        });
        // It stays until the command is complete.
        kit::UsmAlloc::usm_free(&self.context, staging)?;
        filled
    }

    #[allow(clippy::too_many_arguments, reason = "a command has the parameters that UR gives it")]
    fn copy_box(
        self: &Arc<Self>,
        kind: CommandType,
        dst: Side,
        src: Side,
        size: [usize; 3],
        blocking: bool,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        self.enqueue(kind, blocking, wait, event, |stream| {
            let copy = self.box_copy(&dst, &src, size)?;
            // SAFETY: a live stream and a description. The client vouches for its memory until the command is complete.
            unsafe { cu!(cuMemcpy3DAsync(&copy, stream)) }
        })
    }

    /// A copy of a box as CUDA takes it. The context is current.
    fn box_copy(&self, dst: &Side, src: &Side, size: [usize; 3]) -> UrResult<CUDA_MEMCPY3D> {
        let [width, height, depth] = size;
        // CUDA counts a slice in rows.
        let rows = |side: &Side| {
            let row = if side.row_pitch == 0 { width } else { side.row_pitch };
            let slice = if side.slice_pitch == 0 {
                row * height
            } else {
                side.slice_pitch
            };
            match slice.is_multiple_of(row) {
                true => Ok((row, slice / row)),
                false => Err(UrError::with_message(
                    ResultCode::ERROR_INVALID_SIZE,
                    format!("CUDA copies slices of whole rows, not of {slice} bytes with rows of {row}"),
                )),
            }
        };
        let ((dst_pitch, dst_height), (src_pitch, src_height)) = (rows(dst)?, rows(src)?);
        // Memory that CUDA does not know is the host's.
        let is_known =
            |address| self.context.usm.find(&*self.context, address).is_some() || usm::pointer(address).is_some();
        let kind = |address| match is_known(address) {
            true => CU_MEMORYTYPE_UNIFIED,
            false => CU_MEMORYTYPE_HOST,
        };
        // Corners go into the addresses: CUDA wants rows that hold what is left and right of the box.
        let corner = |side: &Side, row: usize, rows: usize| {
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

/// Whether [`Queue::fill`] takes a pattern.
fn fills(address: usize, pattern: &[u8]) -> bool {
    let length = pattern.len();
    length <= LONGEST_PATTERN && (!matches!(length, 2 | 4) || address.is_multiple_of(length))
}

/// What CUDA says of a hint about USM is no error.
fn hint(result: UrResult<()>) {
    if let Err(error) = result {
        log::debug!("the driver does not take a hint about USM: {error}");
    }
}

/// The sides of a copy of a box, and its size.
fn sides(rect: &kit::BufferRect, a: usize, b: usize) -> (Side, Side, [usize; 3]) {
    let side = |address, origin: kit::ur::RectOffset, row_pitch, slice_pitch| Side {
        address,
        origin: [origin.x as usize, origin.y as usize, origin.z as usize],
        row_pitch,
        slice_pitch,
    };
    let region = &rect.region;
    (
        side(a, rect.a_origin, rect.a_row_pitch, rect.a_slice_pitch),
        side(b, rect.b_origin, rect.b_row_pitch, rect.b_slice_pitch),
        [region.width as usize, region.height as usize, region.depth as usize],
    )
}

#[cold]
fn impossible(launch: &Launch<'_, Cuda>) -> UrError {
    UrError::with_message(
        ResultCode::ERROR_INVALID_OPERATION,
        format!("CUDA has no way to launch a kernel with {:?}", launch.properties),
    )
}
