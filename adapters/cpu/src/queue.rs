// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Queues: the commands of UR, and the order in which they run.
//!
//! [`submit`] is the way of every command: at once in the thread that submits it, or by the [engine](crate::exec).
//! [`order`] knows what is unfinished. [`launch`], [`memory`], [`image`] and [`host`] have the work of commands, [`plan`]
//! that of command buffers, [`failure`] what went wrong with it.

mod failure;
mod host;
mod image;
mod launch;
mod memory;
mod order;
mod plan;
mod submit;

use std::ffi::c_void;
use std::sync::Arc;

use kit::fork::{Forkable, Guard};
use kit::ur::{
    Command, MapFlags, QueueFlags, QueueInfo, RectOffset, RectRegion, ResultCode, UsmAdviceFlags, UsmMigrationFlags,
};
use kit::{
    BufferRect, Capture, DeviceGlobal, EventOut, Header, HostTask, InfoOut, Launch, UrError, UrResult, UsmAlloc,
    UsmKind, WaitList,
};
use oxur_adapter_kit as kit;

pub(crate) use self::failure::Failures;
use self::memory::{CopyBytes, CopyRows, Kept, Layout, Shape};
use self::order::Place;
pub(crate) use self::order::{Order, nothing as unsubmitted};
pub(crate) use self::plan::{check, work};
use self::submit::How;
use crate::exec::Pool;
use crate::{Context, Cpu, Device, Kernel, Mem, UsmPool};

type Wait<'a> = WaitList<'a, Cpu>;
type Out<'a> = EventOut<'a, Cpu>;

/// A queue. Each command writes to it: no memory of another thread's is in the same pair of cache lines.
#[repr(align(128))]
pub(crate) struct Queue {
    pub(crate) header: Header,
    pub(crate) context: Arc<Context>,
    pub(crate) device: Arc<Device>,
    /// Which of the context's devices it is, or is a part of.
    place: usize,
    pub(crate) failures: Failures,
    capture: Capture<Cpu>,
    flags: QueueFlags,
    profiled: bool,
    pool: &'static Pool,
    order: Order,
}

impl Queue {
    /// Checks that `size` bytes at `offset` are inside of a buffer of the queue's context.
    fn check_buffer(&self, buffer: &Mem, offset: usize, size: usize) -> UrResult<()> {
        self.check_context(buffer.context())?;
        buffer.check_range(offset, size)
    }

    /// Checks that something is of the queue's context.
    #[inline]
    fn check_context(&self, context: &Arc<Context>) -> UrResult<()> {
        if Arc::ptr_eq(context, &self.context) {
            Ok(())
        } else {
            Err(strange())
        }
    }
}

impl Forkable for Queue {
    fn hold(&self) -> Box<dyn Guard + '_> {
        self.order.hold()
    }
}

#[cold]
fn strange() -> UrError {
    UrError::said(
        ResultCode::ERROR_INVALID_CONTEXT,
        "the queue and what its command works on are of different contexts",
    )
}

fn shape(region: RectRegion) -> Shape {
    Shape {
        width: region.width as usize,
        height: region.height as usize,
        depth: region.depth as usize,
    }
}

/// Where the rows of a box are. Pitches of zero mean that rows and slices follow each other without gaps.
fn layout(at: *mut u8, origin: RectOffset, shape: Shape, row_pitch: usize, slice_pitch: usize) -> Layout {
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
fn layouts(rect: &BufferRect, a: *mut u8, b: *mut u8) -> (Shape, Layout, Layout) {
    let shape = shape(rect.region);
    (
        shape,
        layout(a, rect.a_origin, shape, rect.a_row_pitch, rect.a_slice_pitch),
        layout(b, rect.b_origin, shape, rect.b_row_pitch, rect.b_slice_pitch),
    )
}

/// `height` rows of `width` bytes.
fn rectangle(width: usize, height: usize) -> Shape {
    let depth = 1;
    Shape { width, height, depth }
}

/// Where the rows of a rectangle are.
fn rows(at: *mut c_void, row_pitch: usize) -> Layout {
    Layout {
        at: at.cast(),
        row_pitch,
        slice_pitch: 0,
    }
}

impl kit::Queue<Cpu> for Queue {
    fn create(context: &Arc<Context>, device: &Arc<Device>, flags: QueueFlags) -> UrResult<Arc<Self>> {
        let place = context.place_of(device)?;
        let pool = device.pool();
        let in_order = !flags.contains(QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE);
        let queue = Arc::new(Self {
            header: Header::new(),
            context: context.clone(),
            device: device.clone(),
            place,
            failures: Failures::default(),
            capture: Capture::default(),
            flags,
            profiled: flags.contains(QueueFlags::PROFILING_ENABLE),
            pool,
            order: Order::new(in_order, pool),
        });
        kit::fork::register(&queue);
        Ok(queue)
    }

    fn info(&self, query: QueueInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            QueueInfo::CONTEXT => out.handle(&self.context),
            QueueInfo::DEVICE => out.handle(&self.device),
            QueueInfo::FLAGS => out.value(self.flags),
            QueueInfo::EMPTY => out.bool(self.order.is_empty()),
            _ => out.unsupported(),
        }
    }

    fn context(&self) -> &Arc<Context> {
        &self.context
    }

    fn device(&self) -> &Arc<Device> {
        &self.device
    }

    fn is_in_order(&self) -> bool {
        !self.flags.contains(QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE)
    }

    #[inline]
    fn capture(&self) -> &Capture<Cpu> {
        &self.capture
    }

    #[inline]
    fn finish(&self) -> UrResult<()> {
        if let Some(all) = self.order.all() {
            // Which of them failed is noted below.
            all.wait();
        }
        self.failures.tell()
    }

    fn flush(&self) -> UrResult<()> {
        Ok(())
    }

    // Into the entry points: what they decode then never gets to memory.
    #[inline(always)]
    fn launch(
        self: &Arc<Self>,
        kernel: &Arc<Kernel>,
        launch: Launch<'_, Cpu>,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        self.launch_kernel(kernel, launch, wait, event)
    }

    fn wait(self: &Arc<Self>, wait: Wait<'_>, event: Out<'_>) -> UrResult<()> {
        let place = Place {
            last: wait.is_empty(),
            barrier: false,
        };
        self.mark(
            How {
                command: Command::EVENTS_WAIT,
                place,
                ..How::default()
            },
            wait,
            event,
        )
    }

    fn barrier(self: &Arc<Self>, wait: Wait<'_>, event: Out<'_>) -> UrResult<()> {
        let place = Place {
            last: wait.is_empty(),
            barrier: true,
        };
        self.mark(
            How {
                command: Command::EVENTS_WAIT_WITH_BARRIER,
                place,
                ..How::default()
            },
            wait,
            event,
        )
    }

    fn buffer_read(
        self: &Arc<Self>,
        buffer: &Arc<Mem>,
        blocking: bool,
        offset: usize,
        size: usize,
        dst: *mut c_void,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        self.check_buffer(buffer, offset, size)?;
        let copy = CopyBytes {
            dst: dst.cast(),
            src: buffer.data().wrapping_add(offset),
            size,
        };
        self.copy(
            (Command::MEM_BUFFER_READ, blocking),
            copy,
            Kept::Mems(&[buffer]),
            wait,
            event,
        )
    }

    fn buffer_write(
        self: &Arc<Self>,
        buffer: &Arc<Mem>,
        blocking: bool,
        offset: usize,
        size: usize,
        src: *const c_void,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        self.check_buffer(buffer, offset, size)?;
        let copy = CopyBytes {
            dst: buffer.data().wrapping_add(offset),
            src: src.cast(),
            size,
        };
        self.copy(
            (Command::MEM_BUFFER_WRITE, blocking),
            copy,
            Kept::Mems(&[buffer]),
            wait,
            event,
        )
    }

    fn buffer_read_rect(
        self: &Arc<Self>,
        buffer: &Arc<Mem>,
        blocking: bool,
        rect: &BufferRect,
        dst: *mut c_void,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        self.check_buffer(buffer, 0, rect.a_end()?)?;
        let (shape, src, dst) = layouts(rect, buffer.data(), dst.cast());
        let copy = CopyRows { dst, src, shape };
        self.copy_rows(
            (Command::MEM_BUFFER_READ_RECT, blocking),
            copy,
            Kept::Mems(&[buffer]),
            wait,
            event,
        )
    }

    fn buffer_write_rect(
        self: &Arc<Self>,
        buffer: &Arc<Mem>,
        blocking: bool,
        rect: &BufferRect,
        src: *const c_void,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        self.check_buffer(buffer, 0, rect.a_end()?)?;
        let (shape, dst, src) = layouts(rect, buffer.data(), src.cast_mut().cast());
        let copy = CopyRows { dst, src, shape };
        self.copy_rows(
            (Command::MEM_BUFFER_WRITE_RECT, blocking),
            copy,
            Kept::Mems(&[buffer]),
            wait,
            event,
        )
    }

    fn buffer_copy(
        self: &Arc<Self>,
        src: &Arc<Mem>,
        dst: &Arc<Mem>,
        src_offset: usize,
        dst_offset: usize,
        size: usize,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        self.check_buffer(src, src_offset, size)?;
        self.check_buffer(dst, dst_offset, size)?;
        let (to, from) = (dst.data().wrapping_add(dst_offset), src.data().wrapping_add(src_offset));
        let copy = CopyBytes {
            dst: to,
            src: from,
            size,
        };
        self.copy(
            (Command::MEM_BUFFER_COPY, false),
            copy,
            Kept::Mems(&[src, dst]),
            wait,
            event,
        )
    }

    fn buffer_copy_rect(
        self: &Arc<Self>,
        src: &Arc<Mem>,
        dst: &Arc<Mem>,
        rect: &BufferRect,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        self.check_buffer(src, 0, rect.a_end()?)?;
        self.check_buffer(dst, 0, rect.b_end()?)?;
        let (shape, from, to) = layouts(rect, src.data(), dst.data());
        let copy = CopyRows {
            dst: to,
            src: from,
            shape,
        };
        self.copy_rows(
            (Command::MEM_BUFFER_COPY_RECT, false),
            copy,
            Kept::Mems(&[src, dst]),
            wait,
            event,
        )
    }

    fn buffer_fill(
        self: &Arc<Self>,
        buffer: &Arc<Mem>,
        pattern: &[u8],
        offset: usize,
        size: usize,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        self.check_buffer(buffer, offset, size)?;
        let bytes = (buffer.data().wrapping_add(offset), size);
        self.fill(
            Command::MEM_BUFFER_FILL,
            bytes,
            pattern,
            Kept::Mems(&[buffer]),
            wait,
            event,
        )
    }

    fn buffer_map(
        self: &Arc<Self>,
        buffer: &Arc<Mem>,
        blocking: bool,
        _flags: MapFlags,
        offset: usize,
        size: usize,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<*mut c_void> {
        self.check_buffer(buffer, offset, size)?;
        self.mark(
            How {
                command: Command::MEM_BUFFER_MAP,
                blocking,
                ..How::default()
            },
            wait,
            event,
        )?;
        // The host's memory is the device's.
        Ok(buffer.data().wrapping_add(offset).cast())
    }

    fn unmap(self: &Arc<Self>, mem: &Arc<Mem>, mapped: *mut c_void, wait: Wait<'_>, event: Out<'_>) -> UrResult<()> {
        self.check_context(mem.context())?;
        if (mapped as usize).wrapping_sub(mem.data() as usize) >= mem.size() {
            return Err(UrError::said(
                ResultCode::ERROR_INVALID_VALUE,
                format!("{mapped:p} is not an address that the memory object was mapped to"),
            ));
        }
        self.mark(
            How {
                command: Command::MEM_UNMAP,
                ..How::default()
            },
            wait,
            event,
        )
    }

    fn image_read(
        self: &Arc<Self>,
        image: &Arc<Mem>,
        blocking: bool,
        origin: RectOffset,
        region: RectRegion,
        row_pitch: usize,
        slice_pitch: usize,
        dst: *mut c_void,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        self.check_context(image.context())?;
        let copy = image::read(image, origin, region, row_pitch, slice_pitch, dst)?;
        self.copy_rows(
            (Command::MEM_IMAGE_READ, blocking),
            copy,
            Kept::Mems(&[image]),
            wait,
            event,
        )
    }

    fn image_write(
        self: &Arc<Self>,
        image: &Arc<Mem>,
        blocking: bool,
        origin: RectOffset,
        region: RectRegion,
        row_pitch: usize,
        slice_pitch: usize,
        src: *const c_void,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        self.check_context(image.context())?;
        let copy = image::write(image, origin, region, row_pitch, slice_pitch, src)?;
        self.copy_rows(
            (Command::MEM_IMAGE_WRITE, blocking),
            copy,
            Kept::Mems(&[image]),
            wait,
            event,
        )
    }

    fn image_copy(
        self: &Arc<Self>,
        src: &Arc<Mem>,
        dst: &Arc<Mem>,
        src_origin: RectOffset,
        dst_origin: RectOffset,
        region: RectRegion,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        self.check_context(src.context())?;
        self.check_context(dst.context())?;
        let copy = image::copy(src, dst, src_origin, dst_origin, region)?;
        self.copy_rows(
            (Command::MEM_IMAGE_COPY, false),
            copy,
            Kept::Mems(&[src, dst]),
            wait,
            event,
        )
    }

    fn usm_fill(
        self: &Arc<Self>,
        dst: *mut c_void,
        pattern: &[u8],
        size: usize,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        self.fill(
            Command::USM_FILL,
            (dst.cast(), size),
            pattern,
            Kept::Nothing,
            wait,
            event,
        )
    }

    #[inline(always)]
    fn usm_memcpy(
        self: &Arc<Self>,
        blocking: bool,
        dst: *mut c_void,
        src: *const c_void,
        size: usize,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        let copy = CopyBytes {
            dst: dst.cast(),
            src: src.cast(),
            size,
        };
        self.copy((Command::USM_MEMCPY, blocking), copy, Kept::Nothing, wait, event)
    }

    fn usm_prefetch(
        self: &Arc<Self>,
        _memory: *const c_void,
        _size: usize,
        _flags: UsmMigrationFlags,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        // All memory is where it is used.
        self.mark(
            How {
                command: Command::USM_PREFETCH,
                ..How::default()
            },
            wait,
            event,
        )
    }

    fn usm_advise(
        self: &Arc<Self>,
        _memory: *const c_void,
        _size: usize,
        _advice: UsmAdviceFlags,
        event: Out<'_>,
    ) -> UrResult<()> {
        self.mark(
            How {
                command: Command::USM_ADVISE,
                ..How::default()
            },
            WaitList::empty(),
            event,
        )
    }

    fn usm_fill_2d(
        self: &Arc<Self>,
        dst: *mut c_void,
        pitch: usize,
        pattern: &[u8],
        width: usize,
        height: usize,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        let rows = (rows(dst, pitch), rectangle(width, height));
        self.fill_rows(Command::USM_FILL_2D, rows, pattern, wait, event)
    }

    fn usm_memcpy_2d(
        self: &Arc<Self>,
        blocking: bool,
        dst: *mut c_void,
        dst_pitch: usize,
        src: *const c_void,
        src_pitch: usize,
        width: usize,
        height: usize,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        let copy = CopyRows {
            dst: rows(dst, dst_pitch),
            src: rows(src.cast_mut(), src_pitch),
            shape: rectangle(width, height),
        };
        self.copy_rows((Command::USM_MEMCPY_2D, blocking), copy, Kept::Nothing, wait, event)
    }

    fn usm_alloc(
        self: &Arc<Self>,
        kind: UsmKind<'_, Device>,
        pool: Option<&Arc<UsmPool>>,
        size: usize,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<*mut c_void> {
        let command = match &kind {
            UsmKind::Device(_) => Command::ENQUEUE_USM_DEVICE_ALLOC_EXP,
            UsmKind::Shared(_) => Command::ENQUEUE_USM_SHARED_ALLOC_EXP,
            UsmKind::Host => Command::ENQUEUE_USM_HOST_ALLOC_EXP,
        };
        // Now: the client may use it from the moment that the command is complete, and knows where it is before.
        let memory = self.context.alloc_for_queue(&self.device, kind, pool, size)?;
        let marked = self.mark(
            How {
                command,
                ..How::default()
            },
            wait,
            event,
        );
        if marked.is_err() {
            self.context.usm_free(memory)?;
        }
        marked.map(|()| memory)
    }

    fn usm_free(
        self: &Arc<Self>,
        _pool: Option<&Arc<UsmPool>>,
        memory: *mut c_void,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        let how = How {
            command: Command::ENQUEUE_USM_FREE_EXP,
            here: true,
            ..How::default()
        };
        let later = || host::Frees {
            context: self.context.clone(),
            memory: memory as usize,
        };
        self.submit(how, wait, event, || host::free(&self.context, memory), later)
    }

    #[inline]
    fn device_global_write(
        self: &Arc<Self>,
        global: DeviceGlobal<'_, Cpu>,
        blocking: bool,
        src: *const c_void,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        let DeviceGlobal {
            program,
            name,
            offset,
            count,
        } = global;
        self.check_context(program.context())?;
        let part = program.global_part(&self.device, name, offset, count)?;
        let copy = CopyBytes {
            dst: part.address,
            src: src.cast(),
            size: count,
        };
        self.copy(
            (Command::DEVICE_GLOBAL_VARIABLE_WRITE, blocking),
            copy,
            Kept::Variables(&part.owner),
            wait,
            event,
        )
    }

    #[inline]
    fn device_global_read(
        self: &Arc<Self>,
        global: DeviceGlobal<'_, Cpu>,
        blocking: bool,
        dst: *mut c_void,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        let DeviceGlobal {
            program,
            name,
            offset,
            count,
        } = global;
        self.check_context(program.context())?;
        let part = program.global_part(&self.device, name, offset, count)?;
        let copy = CopyBytes {
            dst: dst.cast(),
            src: part.address,
            size: count,
        };
        self.copy(
            (Command::DEVICE_GLOBAL_VARIABLE_READ, blocking),
            copy,
            Kept::Variables(&part.owner),
            wait,
            event,
        )
    }

    fn record_timestamp(self: &Arc<Self>, blocking: bool, wait: Wait<'_>, event: Out<'_>) -> UrResult<()> {
        // Of the commands before it, or those of the list.
        let place = Place {
            last: wait.is_empty(),
            barrier: false,
        };
        let how = How {
            command: Command::TIMESTAMP_RECORDING_EXP,
            blocking,
            place,
            ..How::default()
        };
        self.mark(how, wait, event)
    }

    fn host_task(self: &Arc<Self>, task: HostTask, wait: Wait<'_>, event: Out<'_>) -> UrResult<()> {
        let how = How {
            command: Command::HOST_TASK_EXP,
            ..How::default()
        };
        let calls = host::Calls(task);
        self.submit(
            how,
            wait,
            event,
            || unreachable!("a host task never runs here"),
            || calls,
        )
    }
}

#[cfg(test)]
mod tests;
