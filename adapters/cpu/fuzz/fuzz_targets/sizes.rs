// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Calls with sizes, offsets, pitches and alignments of all kinds. What the adapter takes must do what a model of the
//! memory does, what it refuses must leave it as it was.

#![no_main]

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::LazyLock;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use oxur_api::*;
use ur_adapter_cpu as _;

macro_rules! tables {
    ($($member:ident: $table:ident = $getter:ident;)*) => {
        #[allow(non_snake_case, reason = "the tables have their C names")]
        struct Tables { $($member: $table),* }

        unsafe extern "C" { $( fn $getter(version: ApiVersion, table: *mut $table) -> ResultCode; )* }

        static T: LazyLock<Tables> = LazyLock::new(|| Tables { $($member: {
            let mut table = $table::default();
            // SAFETY: the adapter's function for this table.
            assert_eq!(unsafe { $getter(ApiVersion::CURRENT, &mut table) }, ResultCode::SUCCESS);
            table
        }),* });
    };
}

tables! {
    Adapter: AdapterDdiTable = urGetAdapterProcAddrTable;
    Platform: PlatformDdiTable = urGetPlatformProcAddrTable;
    Device: DeviceDdiTable = urGetDeviceProcAddrTable;
    Context: ContextDdiTable = urGetContextProcAddrTable;
    Queue: QueueDdiTable = urGetQueueProcAddrTable;
    Mem: MemDdiTable = urGetMemProcAddrTable;
    Enqueue: EnqueueDdiTable = urGetEnqueueProcAddrTable;
    USM: UsmDdiTable = urGetUSMProcAddrTable;
    USMExp: UsmExpDdiTable = urGetUSMExpProcAddrTable;
}

/// Calls a function of a table.
macro_rules! ur {
    ($table:ident.$function:ident($($arg:expr),* $(,)?)) => {{
        let function = T.$table.$function.expect("every slot is filled");
        // SAFETY: handles are live, and pointers are to as much memory as the sizes say, or the sizes are refused.
        unsafe { function($($arg),*) }
    }};
}

/// A size of any kind, more often one that means something.
#[derive(Arbitrary, Clone, Copy, Debug)]
enum Size {
    Small(u8),
    Medium(u16),
    /// So many below the largest number.
    Huge(u8),
    /// A power of two, and a bit.
    Power(u8, i8),
    Any(u64),
}

impl Size {
    fn get(self) -> usize {
        match self {
            Self::Small(n) => n.into(),
            Self::Medium(n) => n.into(),
            Self::Huge(n) => usize::MAX - usize::from(n),
            Self::Power(n, bit) => (1usize << (n % 64)).wrapping_add_signed(bit.into()),
            Self::Any(n) => n as usize,
        }
    }

    /// One for memory that the host must have, too.
    fn modest(self) -> usize {
        self.get() % 70_000
    }
}

#[derive(Arbitrary, Clone, Copy, Debug)]
struct Box3 {
    origins: [[Size; 3]; 2],
    region: [Size; 3],
    pitches: [Size; 4],
}

#[derive(Arbitrary, Debug)]
enum Op {
    Alloc {
        kind: u8,
        size: Size,
        align: Size,
    },
    Pitched {
        width: Size,
        height: Size,
        element: Size,
    },
    Free(u8),
    Copy {
        from: u8,
        to: u8,
        from_at: Size,
        to_at: Size,
        size: Size,
    },
    Fill {
        to: u8,
        at: Size,
        pattern: Size,
        size: Size,
    },
    Fill2D {
        to: u8,
        pitch: Size,
        pattern: Size,
        width: Size,
        height: Size,
    },
    Buffer(Size),
    Part {
        of: u8,
        origin: Size,
        size: Size,
    },
    Release(u8),
    Write {
        to: u8,
        at: Size,
        size: Size,
        value: u8,
    },
    Read {
        from: u8,
        at: Size,
        size: Size,
    },
    CopyBuffer {
        from: u8,
        to: u8,
        from_at: Size,
        to_at: Size,
        size: Size,
    },
    FillBuffer {
        to: u8,
        at: Size,
        pattern: Size,
        size: Size,
        value: u8,
    },
    CopyBox {
        from: u8,
        to: u8,
        shape: Box3,
    },
    Map {
        of: u8,
        at: Size,
        size: Size,
    },
}

/// What everything is done with.
struct Rig {
    device: DeviceHandle,
    context: ContextHandle,
    queue: QueueHandle,
}

// SAFETY: handles may be used from any thread.
unsafe impl Send for Rig {}
// SAFETY: as above.
unsafe impl Sync for Rig {}

static RIG: LazyLock<Rig> = LazyLock::new(|| {
    let ok = |code| assert_eq!(code, ResultCode::SUCCESS);
    let (mut adapter, mut platform) = (AdapterHandle::default(), PlatformHandle::default());
    let mut rig = Rig {
        device: DeviceHandle::default(),
        context: ContextHandle::default(),
        queue: QueueHandle::default(),
    };
    ok(ur!(Adapter.pfnGet(1, &mut adapter, null_mut())));
    ok(ur!(Platform.pfnGet(adapter, 1, &mut platform, null_mut())));
    ok(ur!(Device.pfnGet(
        platform,
        DeviceType::ALL,
        1,
        &mut rig.device,
        null_mut()
    )));
    ok(ur!(Context.pfnCreate(1, &rig.device, null(), &mut rig.context)));
    ok(ur!(Queue.pfnCreate(rig.context, rig.device, null(), &mut rig.queue)));
    rig
});

/// USM, and what must be in it.
struct Usm {
    at: *mut u8,
    model: Vec<u8>,
}

/// A buffer, or a part of one. Parts have the bytes of their parent: `origin` says which.
struct Buffer {
    handle: MemHandle,
    size: usize,
    /// The buffer whose bytes it has, and where they begin.
    root: usize,
    origin: usize,
}

#[derive(Default)]
struct State {
    usm: Vec<Usm>,
    buffers: Vec<Buffer>,
    /// The bytes of each buffer that is no part.
    bytes: Vec<Vec<u8>>,
}

/// What is modelled is no larger.
const MOST: usize = 1 << 20;

fn pick(list: usize, index: u8) -> Option<usize> {
    (list != 0).then(|| usize::from(index) % list)
}

/// Waits for all commands: most are complete when they are enqueued, but not those on much memory.
fn finish() {
    assert_eq!(ur!(Queue.pfnFinish(RIG.queue)), ResultCode::SUCCESS);
}

fn inside(at: usize, size: usize, of: usize) -> bool {
    size != 0 && at.checked_add(size).is_some_and(|end| end <= of)
}

impl State {
    fn run(&mut self, op: &Op) {
        let Rig { device, context, queue } = *RIG;
        match *op {
            Op::Alloc { kind, size, align } => {
                let (size, align) = (size.get(), align.get());
                let desc = UsmDesc {
                    align: align as u32,
                    ..Default::default()
                };
                let (mut at, pool) = (null_mut::<c_void>(), UsmPoolHandle::default());
                let code = match kind % 3 {
                    0 => ur!(USM.pfnHostAlloc(context, &desc, pool, size, &mut at)),
                    1 => ur!(USM.pfnDeviceAlloc(context, device, &desc, pool, size, &mut at)),
                    _ => ur!(USM.pfnSharedAlloc(context, device, &desc, pool, size, &mut at)),
                };
                self.allocated(code, at, size, align as u32 as usize);
            }
            Op::Pitched { width, height, element } => {
                let (width, height, element) = (width.get(), height.get(), element.get());
                let (mut at, mut pitch) = (null_mut::<c_void>(), 0);
                let pool = UsmPoolHandle::default();
                let code = ur!(USMExp.pfnPitchedAllocExp(
                    context,
                    device,
                    null(),
                    pool,
                    width,
                    height,
                    element,
                    &mut at,
                    &mut pitch
                ));
                if code == ResultCode::SUCCESS {
                    assert!(pitch >= width, "rows of {width} bytes, {pitch} bytes apart");
                    let size = pitch.checked_mul(height).expect("as much as was allocated");
                    self.allocated(code, at, size, 0);
                }
            }
            Op::Free(index) => {
                if let Some(index) = pick(self.usm.len(), index) {
                    let gone = self.usm.swap_remove(index);
                    gone.check();
                    assert_eq!(ur!(USM.pfnFree(context, gone.at.cast())), ResultCode::SUCCESS);
                }
            }
            Op::Copy {
                from,
                to,
                from_at,
                to_at,
                size,
            } => {
                let (Some(from), Some(to)) = (pick(self.usm.len(), from), pick(self.usm.len(), to)) else {
                    return;
                };
                let (from_at, to_at, size) = (from_at.modest(), to_at.modest(), size.modest());
                if !inside(from_at, size, self.usm[from].model.len()) || !inside(to_at, size, self.usm[to].model.len())
                {
                    return;
                }
                let (src, dst) = (self.usm[from].byte(from_at), self.usm[to].byte(to_at));
                let code = ur!(Enqueue.pfnUSMMemcpy(queue, true, dst, src, size, 0, null(), null_mut()));
                assert_eq!(code, ResultCode::SUCCESS);
                let bytes = self.usm[from].model[from_at..][..size].to_vec();
                self.usm[to].model[to_at..][..size].copy_from_slice(&bytes);
            }
            Op::Fill { to, at, pattern, size } => {
                let Some(to) = pick(self.usm.len(), to) else { return };
                let (at, size, period) = (at.modest(), size.modest(), pattern.modest());
                let usm = &mut self.usm[to];
                if !inside(at, size, usm.model.len()) {
                    return;
                }
                let pattern: Vec<u8> = (0..period.max(1)).map(|i| (i * 7 + 1) as u8).collect();
                let (dst, what) = (usm.byte(at), pattern.as_ptr().cast());
                let code = ur!(Enqueue.pfnUSMFill(queue, dst, period, what, size, 0, null(), null_mut()));
                if expect(code, period != 0 && size.is_multiple_of(period)) {
                    finish();
                    let part = usm.model[at..][..size].iter_mut();
                    part.zip(pattern.iter().cycle()).for_each(|(byte, new)| *byte = *new);
                }
            }
            Op::Fill2D {
                to,
                pitch,
                pattern,
                width,
                height,
            } => {
                let Some(to) = pick(self.usm.len(), to) else { return };
                let (pitch, width, height, period) =
                    (pitch.modest(), width.modest(), height.modest(), pattern.modest());
                let usm = &mut self.usm[to];
                let end = pitch.checked_mul(height);
                if end.is_none_or(|end| end > usm.model.len()) {
                    return;
                }
                let pattern: Vec<u8> = (0..period.max(1)).map(|i| (i * 5 + 2) as u8).collect();
                let (dst, what) = (usm.byte(0), pattern.as_ptr().cast());
                let code =
                    ur!(Enqueue.pfnUSMFill2D(queue, dst, pitch, period, what, width, height, 0, null(), null_mut()));
                let whole = period != 0 && (width * height).is_multiple_of(period);
                if expect(code, whole && width != 0 && height != 0 && pitch >= width) {
                    finish();
                    let mut next = pattern.iter().cycle();
                    for row in usm.model.chunks_mut(pitch).take(height) {
                        row[..width]
                            .iter_mut()
                            .zip(&mut next)
                            .for_each(|(byte, new)| *byte = *new);
                    }
                }
            }
            Op::Buffer(size) => {
                let size = size.get();
                let mut handle = MemHandle::default();
                let code = ur!(Mem.pfnBufferCreate(context, MemFlags::READ_WRITE, size, null(), &mut handle));
                if code != ResultCode::SUCCESS {
                    return;
                }
                assert!(size != 0);
                if size > MOST {
                    assert_eq!(ur!(Mem.pfnRelease(handle)), ResultCode::SUCCESS);
                    return;
                }
                let zeros = vec![0u8; size];
                let code = ur!(Enqueue.pfnMemBufferWrite(
                    queue,
                    handle,
                    true,
                    0,
                    size,
                    zeros.as_ptr().cast(),
                    0,
                    null(),
                    null_mut()
                ));
                assert_eq!(code, ResultCode::SUCCESS);
                let root = self.bytes.len();
                self.bytes.push(zeros);
                self.buffers.push(Buffer {
                    handle,
                    size,
                    root,
                    origin: 0,
                });
            }
            Op::Part { of, origin, size } => {
                let Some(of) = pick(self.buffers.len(), of) else { return };
                let (origin, size) = (origin.get(), size.get());
                let region = BufferRegion {
                    origin,
                    size,
                    ..Default::default()
                };
                let (parent, kind) = (&self.buffers[of], BufferCreateType::REGION);
                let mut handle = MemHandle::default();
                let code = ur!(Mem.pfnBufferPartition(parent.handle, MemFlags::READ_WRITE, kind, &region, &mut handle));
                if code == ResultCode::SUCCESS {
                    assert!(inside(origin, size, parent.size), "a part that is not inside");
                    let (root, origin) = (parent.root, parent.origin + origin);
                    self.buffers.push(Buffer {
                        handle,
                        size,
                        root,
                        origin,
                    });
                }
            }
            Op::Release(index) => {
                if let Some(index) = pick(self.buffers.len(), index) {
                    let gone = self.buffers.swap_remove(index);
                    self.check(&gone);
                    assert_eq!(ur!(Mem.pfnRelease(gone.handle)), ResultCode::SUCCESS);
                }
            }
            Op::Write { to, at, size, value } => {
                let Some(to) = pick(self.buffers.len(), to) else { return };
                let (at, size) = (at.get(), size.modest());
                let (bytes, buffer) = (vec![value; size.max(1)], &self.buffers[to]);
                let from = bytes.as_ptr().cast();
                let code =
                    ur!(Enqueue.pfnMemBufferWrite(queue, buffer.handle, true, at, size, from, 0, null(), null_mut()));
                if expect(code, inside(at, size, buffer.size)) {
                    self.bytes[buffer.root][buffer.origin + at..][..size].fill(value);
                }
            }
            Op::Read { from, at, size } => {
                let Some(from) = pick(self.buffers.len(), from) else {
                    return;
                };
                let (at, size) = (at.get(), size.modest());
                let (mut bytes, buffer) = (vec![0u8; size.max(1)], &self.buffers[from]);
                let to = bytes.as_mut_ptr().cast();
                let code =
                    ur!(Enqueue.pfnMemBufferRead(queue, buffer.handle, true, at, size, to, 0, null(), null_mut()));
                if expect(code, inside(at, size, buffer.size)) {
                    assert!(bytes == self.bytes[buffer.root][buffer.origin + at..][..size]);
                }
            }
            Op::CopyBuffer {
                from,
                to,
                from_at,
                to_at,
                size,
            } => {
                let (Some(from), Some(to)) = (pick(self.buffers.len(), from), pick(self.buffers.len(), to)) else {
                    return;
                };
                let (from, to) = (&self.buffers[from], &self.buffers[to]);
                let (from_at, to_at, size) = (from_at.get(), to_at.get(), size.get());
                let code = ur!(Enqueue.pfnMemBufferCopy(
                    queue,
                    from.handle,
                    to.handle,
                    from_at,
                    to_at,
                    size,
                    0,
                    null(),
                    null_mut()
                ));
                let good = inside(from_at, size, from.size) && inside(to_at, size, to.size);
                // Parts that overlap may be refused.
                if code == ResultCode::ERROR_OVERLAPPING_REGIONS && from.root == to.root {
                    return;
                }
                if expect(code, good) {
                    finish();
                    let bytes = self.bytes[from.root][from.origin + from_at..][..size].to_vec();
                    self.bytes[to.root][to.origin + to_at..][..size].copy_from_slice(&bytes);
                }
            }
            Op::FillBuffer {
                to,
                at,
                pattern,
                size,
                value,
            } => {
                let Some(to) = pick(self.buffers.len(), to) else { return };
                let (at, size, period) = (at.get(), size.get(), pattern.modest());
                let (pattern, buffer) = (vec![value; period.max(1)], &self.buffers[to]);
                let what = pattern.as_ptr().cast();
                let code =
                    ur!(Enqueue.pfnMemBufferFill(queue, buffer.handle, what, period, at, size, 0, null(), null_mut()));
                // What else a pattern must be is for the adapter to say.
                if code == ResultCode::SUCCESS {
                    assert!(inside(at, size, buffer.size), "a fill beyond the end");
                    finish();
                    self.bytes[buffer.root][buffer.origin + at..][..size].fill(value);
                }
            }
            Op::CopyBox { from, to, shape } => {
                let (Some(from), Some(to)) = (pick(self.buffers.len(), from), pick(self.buffers.len(), to)) else {
                    return;
                };
                let (from, to) = (&self.buffers[from], &self.buffers[to]);
                if from.root == to.root {
                    return;
                }
                let [a, b] = shape.origins.map(|[x, y, z]| RectOffset {
                    x: x.get() as u64,
                    y: y.get() as u64,
                    z: z.get() as u64,
                });
                let [width, height, depth] = shape.region.map(|side| side.get() as u64);
                let [a_row, a_slice, b_row, b_slice] = shape.pitches.map(Size::get);
                let region = RectRegion { width, height, depth };
                let code = ur!(Enqueue.pfnMemBufferCopyRect(
                    queue,
                    from.handle,
                    to.handle,
                    a,
                    b,
                    region,
                    a_row,
                    a_slice,
                    b_row,
                    b_slice,
                    0,
                    null(),
                    null_mut()
                ));
                if code != ResultCode::SUCCESS {
                    return;
                }
                finish();
                let layout = |row: usize, slice: usize| {
                    let row = if row == 0 { width as usize } else { row };
                    (row, if slice == 0 { row * height as usize } else { slice })
                };
                let ((a_row, a_slice), (b_row, b_slice)) = (layout(a_row, a_slice), layout(b_row, b_slice));
                let at = |origin: RectOffset, y: usize, z: usize, (row, slice): (usize, usize)| {
                    origin.x as usize + (origin.y as usize + y) * row + (origin.z as usize + z) * slice
                };
                for (z, y) in (0..depth as usize).flat_map(|z| (0..height as usize).map(move |y| (z, y))) {
                    let source = from.origin + at(a, y, z, (a_row, a_slice));
                    let target = to.origin + at(b, y, z, (b_row, b_slice));
                    let row = self.bytes[from.root][source..][..width as usize].to_vec();
                    self.bytes[to.root][target..][..width as usize].copy_from_slice(&row);
                }
            }
            Op::Map { of, at, size } => {
                let Some(of) = pick(self.buffers.len(), of) else { return };
                let (at, size, buffer) = (at.get(), size.get(), &self.buffers[of]);
                let mut mapped = null_mut();
                let flags = MapFlags::READ | MapFlags::WRITE;
                let code = ur!(Enqueue.pfnMemBufferMap(
                    queue,
                    buffer.handle,
                    true,
                    flags,
                    at,
                    size,
                    0,
                    null(),
                    null_mut(),
                    &mut mapped
                ));
                if expect(code, inside(at, size, buffer.size)) {
                    // SAFETY: the adapter says that so much is mapped there.
                    let bytes = unsafe { std::slice::from_raw_parts(mapped.cast::<u8>(), size) };
                    assert!(bytes == &self.bytes[buffer.root][buffer.origin + at..][..size]);
                    let code = ur!(Enqueue.pfnMemUnmap(queue, buffer.handle, mapped, 0, null(), null_mut()));
                    assert_eq!(code, ResultCode::SUCCESS);
                }
            }
        }
    }

    /// What an allocation gave.
    fn allocated(&mut self, code: ResultCode, at: *mut c_void, size: usize, align: usize) {
        if code != ResultCode::SUCCESS {
            return;
        }
        assert!(size != 0 && !at.is_null());
        assert!(align == 0 || at.addr().is_multiple_of(align), "aligned to {align}");
        if size > MOST {
            assert_eq!(ur!(USM.pfnFree(RIG.context, at)), ResultCode::SUCCESS);
            return;
        }
        let usm = Usm {
            at: at.cast(),
            model: vec![0; size],
        };
        // SAFETY: memory of that size.
        unsafe { usm.at.write_bytes(0, size) };
        self.usm.push(usm);
    }

    fn check(&self, buffer: &Buffer) {
        let mut bytes = vec![0u8; buffer.size];
        let to = bytes.as_mut_ptr().cast();
        let code = ur!(Enqueue.pfnMemBufferRead(
            RIG.queue,
            buffer.handle,
            true,
            0,
            buffer.size,
            to,
            0,
            null(),
            null_mut()
        ));
        assert_eq!(code, ResultCode::SUCCESS);
        assert!(
            bytes == self.bytes[buffer.root][buffer.origin..][..buffer.size],
            "a buffer's bytes"
        );
    }
}

impl Usm {
    fn byte(&self, at: usize) -> *mut c_void {
        self.at.wrapping_add(at).cast()
    }

    fn check(&self) {
        // SAFETY: memory of that size, which no command uses.
        let bytes = unsafe { std::slice::from_raw_parts(self.at, self.model.len()) };
        assert!(bytes == self.model, "what is in USM");
    }
}

/// Whether a call succeeded, which it must exactly if what it got was good.
fn expect(code: ResultCode, good: bool) -> bool {
    assert_eq!(code == ResultCode::SUCCESS, good, "{code:?}");
    good
}

fuzz_target!(|ops: Vec<Op>| {
    let mut state = State::default();
    for op in ops.iter().take(64) {
        state.run(op);
    }
    for usm in std::mem::take(&mut state.usm) {
        usm.check();
        assert_eq!(ur!(USM.pfnFree(RIG.context, usm.at.cast())), ResultCode::SUCCESS);
    }
    for buffer in std::mem::take(&mut state.buffers) {
        state.check(&buffer);
        assert_eq!(ur!(Mem.pfnRelease(buffer.handle)), ResultCode::SUCCESS);
    }
});
