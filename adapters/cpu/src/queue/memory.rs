// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Commands that copy and fill memory.

use std::ops::Range;
use std::ptr;
use std::sync::Arc;

use kit::UrResult;
use kit::ur::CommandType;
use oxur_adapter_kit as kit;
use oxur_compiler::{Fault, ThreadContext};
use smallvec::{SmallVec, smallvec};

use super::submit::How;
use super::{Out, Queue, Wait};
use crate::Mem;
use crate::exec::Work;

/// Bytes are moved in blocks of about this size, which fits a core's cache twice. Also by one thread: large memory is
/// copied a quarter faster so than by one call of the C library's.
const BLOCK: usize = 128 << 10;

/// What is copied or filled in the thread that submits it, in bytes: what takes some microseconds.
const HERE: usize = 256 << 10;
/// The same if that thread waits anyway.
const HERE_BLOCKING: usize = 1 << 20;

/// The bandwidth of a core in bytes per cycle, from which the number of threads follows: one more for each MiB. Data in
/// the shared cache moves this fast on every core. Beyond it, two cores are hardly faster than one.
const BYTES_PER_CYCLE: u64 = 40;

/// Something that is done to bytes, in blocks that are independent of each other.
pub(super) trait Bytes: Sized + Send + Sync + 'static {
    /// How many bytes.
    fn size(&self) -> usize;

    /// Into how many blocks they are divided.
    fn blocks(&self) -> u64 {
        self.size().div_ceil(BLOCK) as u64
    }

    /// Does it to some of the blocks.
    ///
    /// # Safety
    /// The memory must be there, and what others do with it at the same time must be of no matter.
    unsafe fn run(&self, blocks: Range<u64>);
}

/// The bytes of some blocks of the size [`BLOCK`], of `size` bytes in all.
fn bytes_of(blocks: Range<u64>, size: usize) -> Range<usize> {
    blocks.start as usize * BLOCK..size.min((blocks.end as usize).saturating_mul(BLOCK))
}

/// Copies bytes. Both places may overlap.
#[derive(Clone, Copy)]
pub(super) struct CopyBytes {
    pub(super) dst: *mut u8,
    pub(super) src: *const u8,
    pub(super) size: usize,
}

// SAFETY: the memory is the client's, who orders what is done with it.
unsafe impl Send for CopyBytes {}
// SAFETY: as above.
unsafe impl Sync for CopyBytes {}

impl Bytes for CopyBytes {
    fn size(&self) -> usize {
        self.size
    }

    fn blocks(&self) -> u64 {
        let overlap = (self.dst as usize).abs_diff(self.src as usize) < self.size;
        if overlap { 1 } else { self.size.div_ceil(BLOCK) as u64 }
    }

    unsafe fn run(&self, blocks: Range<u64>) {
        if self.blocks() == 1 {
            // SAFETY: passed on to the caller.
            return unsafe { ptr::copy(self.src, self.dst, self.size) };
        }
        for block in blocks {
            let bytes = bytes_of(block..block + 1, self.size);
            // SAFETY: within the memory that the caller vouches for; the two do not overlap.
            unsafe { ptr::copy_nonoverlapping(self.src.add(bytes.start), self.dst.add(bytes.start), bytes.len()) };
        }
    }
}

/// Rows of bytes, in slices of so many rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    /// Bytes of a row.
    pub(super) width: usize,
    /// Rows of a slice.
    pub(super) height: usize,
    /// Slices.
    pub(super) depth: usize,
}

impl Extent {
    fn rows(&self) -> usize {
        self.height * self.depth
    }

    fn size(&self) -> usize {
        self.width * self.rows()
    }

    fn rows_of_a_block(&self) -> usize {
        (BLOCK / self.width.max(1)).max(1)
    }

    fn blocks(&self) -> u64 {
        self.rows().div_ceil(self.rows_of_a_block()) as u64
    }

    /// The rows of some blocks, as row and slice.
    fn rows_of(&self, blocks: Range<u64>) -> impl Iterator<Item = (usize, usize)> {
        let (each, height) = (self.rows_of_a_block(), self.height);
        let end = self.rows().min((blocks.end as usize).saturating_mul(each));
        (blocks.start as usize * each..end).map(move |row| (row % height, row / height))
    }
}

/// Where rows are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// The first byte of the first row.
    pub(super) at: *mut u8,
    /// Bytes from row to row.
    pub(super) row_pitch: usize,
    /// Bytes from slice to slice.
    pub(super) slice_pitch: usize,
}

impl Layout {
    /// Whether all rows follow each other without gaps.
    fn is_dense(&self, shape: Extent) -> bool {
        (self.row_pitch == shape.width || shape.rows() == 1)
            && (self.slice_pitch == shape.width * shape.height || shape.depth == 1)
    }

    fn row(&self, (row, slice): (usize, usize)) -> *mut u8 {
        self.at.wrapping_add(row * self.row_pitch + slice * self.slice_pitch)
    }
}

/// Copies rows, of which none of one place may overlap one of the other.
#[derive(Clone, Copy)]
pub(super) struct CopyRows {
    pub(super) dst: Layout,
    pub(super) src: Layout,
    pub(super) shape: Extent,
}

// SAFETY: the memory is the client's, who orders what is done with it.
unsafe impl Send for CopyRows {}
// SAFETY: as above.
unsafe impl Sync for CopyRows {}

impl CopyRows {
    /// The same copy, if all rows follow each other without gaps.
    fn as_bytes(&self) -> Option<CopyBytes> {
        let Self { dst, src, shape } = self;
        (dst.is_dense(*shape) && src.is_dense(*shape)).then(|| CopyBytes {
            dst: dst.at,
            src: src.at,
            size: shape.size(),
        })
    }
}

impl Bytes for CopyRows {
    fn size(&self) -> usize {
        self.shape.size()
    }

    fn blocks(&self) -> u64 {
        self.shape.blocks()
    }

    unsafe fn run(&self, blocks: Range<u64>) {
        for row in self.shape.rows_of(blocks) {
            // SAFETY: the caller vouches for all rows. Those of one memory may overlap others of it.
            unsafe { ptr::copy(self.src.row(row), self.dst.row(row), self.shape.width) };
        }
    }
}

/// Fills bytes with a pattern.
struct FillBytes {
    dst: *mut u8,
    size: usize,
    pattern: Pattern,
}

/// The pattern of a fill that is not done when the call returns.
type Pattern = SmallVec<[u8; 64]>;

// SAFETY: the memory is the client's, who orders what is done with it.
unsafe impl Send for FillBytes {}
// SAFETY: as above.
unsafe impl Sync for FillBytes {}

impl Bytes for FillBytes {
    fn size(&self) -> usize {
        self.size
    }

    unsafe fn run(&self, blocks: Range<u64>) {
        let bytes = bytes_of(blocks, self.size);
        // SAFETY: within the memory that the caller vouches for.
        unsafe { fill(self.dst.add(bytes.start), bytes.len(), &self.pattern, bytes.start) };
    }
}

/// Fills rows with a pattern that runs on from row to row.
struct FillRows {
    dst: Layout,
    shape: Extent,
    pattern: Pattern,
}

// SAFETY: the memory is the client's, who orders what is done with it.
unsafe impl Send for FillRows {}
// SAFETY: as above.
unsafe impl Sync for FillRows {}

impl Bytes for FillRows {
    fn size(&self) -> usize {
        self.shape.size()
    }

    fn blocks(&self) -> u64 {
        self.shape.blocks()
    }

    unsafe fn run(&self, blocks: Range<u64>) {
        // SAFETY: passed on to the caller.
        unsafe { fill_rows(self.dst, self.shape, &self.pattern, blocks) };
    }
}

/// Fills some blocks of rows: see [`FillRows`].
///
/// # Safety
/// The rows must be writable.
unsafe fn fill_rows(dst: Layout, shape: Extent, pattern: &[u8], blocks: Range<u64>) {
    for (row, slice) in shape.rows_of(blocks) {
        let before = (slice * shape.height + row) * shape.width;
        // SAFETY: the caller vouches for all rows.
        unsafe { fill(dst.row((row, slice)), shape.width, pattern, before) };
    }
}

/// Fills `size` bytes with a pattern, of which `before` bytes have come before.
///
/// # Safety
/// The bytes must be writable.
unsafe fn fill(dst: *mut u8, size: usize, pattern: &[u8], before: usize) {
    /// What is repeated: much at a time, but not more than stays in the first cache.
    const REPEAT: usize = 8 << 10;
    let period = pattern.len();
    let first = pattern[0];
    if pattern.iter().all(|byte| *byte == first) {
        // SAFETY: passed on to the caller.
        return unsafe { dst.write_bytes(first, size) };
    }
    let phase = before % period;
    let mut filled = 0;
    for part in [&pattern[phase..], &pattern[..phase]] {
        let count = part.len().min(size - filled);
        // SAFETY: within the bytes. A pattern that is in them is what it was when it is read.
        unsafe { ptr::copy(part.as_ptr(), dst.add(filled), count) };
        filled += count;
    }
    // Twice as much each time, then so much again and again: whole patterns always.
    let mut repeat = filled;
    while filled < size {
        let count = repeat.min(size - filled);
        // SAFETY: within the bytes, of which the first `filled` ones are filled, and no fewer than `repeat`.
        unsafe { ptr::copy_nonoverlapping(dst, dst.add(filled), count) };
        filled += count;
        if repeat < REPEAT {
            repeat = filled.min(size);
        }
    }
}

/// What bytes are in that a command works on, if it is not the client's memory.
pub(super) enum Kept<'a> {
    Nothing,
    Mem(&'a Arc<Mem>),
    Mems([&'a Arc<Mem>; 2]),
    Variables(Arc<oxur_compiler::Program>),
}

impl Kept<'_> {
    fn keep(self) -> Keep {
        match self {
            Self::Nothing => Keep::default(),
            Self::Mem(mem) => Keep {
                _mems: smallvec![mem.clone()],
                _variables: None,
            },
            Self::Mems(mems) => Keep {
                _mems: mems.map(Arc::clone).into_iter().collect(),
                _variables: None,
            },
            Self::Variables(owner) => Keep {
                _mems: SmallVec::new(),
                _variables: Some(owner),
            },
        }
    }
}

/// The same for a command that is not over when the call returns.
#[derive(Default)]
struct Keep {
    _mems: SmallVec<[Arc<Mem>; 2]>,
    /// What the variables are of: UR's program may have others by now.
    _variables: Option<Arc<oxur_compiler::Program>>,
}

/// A command that does something to bytes, and what they are in.
struct OnBytes<B> {
    bytes: B,
    _keep: Keep,
}

impl<B: Bytes> Work for OnBytes<B> {
    fn chunks(&self) -> u64 {
        self.bytes.blocks()
    }

    fn cost(&self, chunks: u64) -> Option<u64> {
        let all = self.bytes.size() as u64 / BYTES_PER_CYCLE;
        Some((u128::from(all) * u128::from(chunks) / u128::from(self.chunks().max(1))) as u64)
    }

    fn run(&self, chunks: Range<u64>, _worker: &mut ThreadContext) -> Result<(), Fault> {
        // SAFETY: the client vouched for its memory when it enqueued the command, until this is complete, and orders its
        // commands; memory objects and variables live with the command, and the command was checked to be inside of them.
        unsafe { self.bytes.run(chunks) };
        Ok(())
    }
}

/// The work of a command of a command buffer that copies rows.
pub(super) fn kept_rows(copy: CopyRows, kept: Kept<'_>) -> Arc<dyn Work> {
    match copy.as_bytes() {
        Some(bytes) => kept_bytes(bytes, kept),
        None => kept_bytes(copy, kept),
    }
}

/// The work of a command of a command buffer that fills bytes.
pub(super) fn kept_fill((dst, size): (*mut u8, usize), pattern: &[u8], kept: Kept<'_>) -> Arc<dyn Work> {
    let pattern = pattern.into();
    kept_bytes(FillBytes { dst, size, pattern }, kept)
}

/// The work of a command of a graph that fills rows with a pattern that runs on from row to row.
pub(super) fn kept_fill_rows((dst, shape): (Layout, Extent), pattern: &[u8]) -> Arc<dyn Work> {
    if dst.is_dense(shape) {
        return kept_fill((dst.at, shape.size()), pattern, Kept::Nothing);
    }
    let pattern = pattern.into();
    kept_bytes(FillRows { dst, shape, pattern }, Kept::Nothing)
}

/// The work of a command of a command buffer on bytes.
pub(super) fn kept_bytes(bytes: impl Bytes, kept: Kept<'_>) -> Arc<dyn Work> {
    Arc::new(OnBytes {
        bytes,
        _keep: kept.keep(),
    })
}

impl Queue {
    /// Copies bytes.
    #[inline(always)]
    pub(super) fn copy(
        self: &Arc<Self>,
        (command, blocking): (CommandType, bool),
        copy: CopyBytes,
        kept: Kept<'_>,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        // SAFETY: as `OnBytes::run`.
        let now = || unsafe { copy.run(0..copy.blocks()) };
        self.submit_bytes((command, blocking), copy.size, kept, wait, event, now, || copy)
    }

    /// Copies rows.
    pub(super) fn copy_rows(
        self: &Arc<Self>,
        (command, blocking): (CommandType, bool),
        copy: CopyRows,
        kept: Kept<'_>,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        if let Some(bytes) = copy.as_bytes() {
            return self.copy((command, blocking), bytes, kept, wait, event);
        }
        // SAFETY: as `OnBytes::run`.
        let now = || unsafe { copy.run(0..copy.blocks()) };
        self.submit_bytes((command, blocking), copy.size(), kept, wait, event, now, || copy)
    }

    /// Fills bytes with a pattern.
    pub(super) fn fill(
        self: &Arc<Self>,
        command: CommandType,
        (dst, size): (*mut u8, usize),
        pattern: &[u8],
        kept: Kept<'_>,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        // SAFETY: as `OnBytes::run`.
        let now = || unsafe { fill(dst, size, pattern, 0) };
        let later = || FillBytes {
            dst,
            size,
            pattern: pattern.into(),
        };
        self.submit_bytes((command, false), size, kept, wait, event, now, later)
    }

    /// Fills rows with a pattern that runs on from row to row.
    pub(super) fn fill_rows(
        self: &Arc<Self>,
        command: CommandType,
        (dst, shape): (Layout, Extent),
        pattern: &[u8],
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        if dst.is_dense(shape) {
            return self.fill(command, (dst.at, shape.size()), pattern, Kept::Nothing, wait, event);
        }
        // SAFETY: as `OnBytes::run`.
        let now = || unsafe { fill_rows(dst, shape, pattern, 0..shape.blocks()) };
        let later = || FillRows {
            dst,
            shape,
            pattern: pattern.into(),
        };
        self.submit_bytes((command, false), shape.size(), Kept::Nothing, wait, event, now, later)
    }

    /// Submits a command on so many bytes of the client's or of memory objects, for which the caller has checked it.
    #[inline(always)]
    #[allow(
        clippy::too_many_arguments,
        reason = "what a command is, twice, and the three parameters that all have"
    )]
    fn submit_bytes<B: Bytes>(
        self: &Arc<Self>,
        (command, blocking): (CommandType, bool),
        size: usize,
        kept: Kept<'_>,
        wait: Wait<'_>,
        event: Out<'_>,
        now: impl FnOnce(),
        later: impl FnOnce() -> B,
    ) -> UrResult<()> {
        let here = size <= if blocking { HERE_BLOCKING } else { HERE };
        let how = How {
            blocking,
            here,
            ..How::of(command)
        };
        let work = || OnBytes {
            bytes: later(),
            _keep: kept.keep(),
        };
        let now = || {
            now();
            true
        };
        self.submit_work(how, wait, event, now, work)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Some blocks at a time.
    fn run_all(bytes: &impl Bytes) {
        for block in 0..bytes.blocks() {
            // SAFETY: what the tests below give.
            unsafe { bytes.run(block..block + 1) };
        }
    }

    #[test]
    fn copies() {
        for size in [1, 1000, BLOCK, BLOCK + 1, 5 * BLOCK - 1] {
            let src: Vec<u8> = (0..size).map(|i| (i * 31 % 253) as u8).collect();
            let mut dst = vec![0u8; size];
            run_all(&CopyBytes {
                dst: dst.as_mut_ptr(),
                src: src.as_ptr(),
                size,
            });
            assert!(dst == src);
            // Within itself.
            let mut both = src.clone();
            let count = size - size / 3;
            let (to, from) = (both.as_mut_ptr().wrapping_add(size / 3), both.as_ptr());
            run_all(&CopyBytes {
                dst: to,
                src: from,
                size: count,
            });
            assert!(both[size / 3..] == src[..count]);
        }
    }

    #[test]
    fn rows() {
        let shape = Extent {
            width: 7,
            height: 5,
            depth: 3,
        };
        let src: Vec<u8> = (0..=255).collect();
        let from = Layout {
            at: src.as_ptr().cast_mut(),
            row_pitch: 9,
            slice_pitch: 50,
        };
        let mut dst = [0u8; 105];
        let to = Layout {
            at: dst.as_mut_ptr(),
            row_pitch: 7,
            slice_pitch: 35,
        };
        assert!(to.is_dense(shape) && !from.is_dense(shape));
        run_all(&CopyRows {
            dst: to,
            src: from,
            shape,
        });
        let expected = (0..105).map(|i| src[i % 7 + i / 7 % 5 * 9 + i / 35 * 50]);
        assert!(dst.iter().copied().eq(expected));

        let mut filled = [255u8; 256];
        let to = Layout {
            at: filled.as_mut_ptr(),
            row_pitch: 9,
            slice_pitch: 50,
        };
        run_all(&FillRows {
            dst: to,
            shape,
            pattern: Pattern::from_slice(&[1, 2, 3, 4, 5]),
        });
        let mut count = 0..;
        for (i, byte) in filled.iter().enumerate() {
            let inside = i < 150 && i % 50 < 45 && i % 50 % 9 < 7;
            let expected = if inside { count.next().unwrap() % 5 + 1 } else { 255 };
            assert_eq!(*byte, expected, "at {i}");
        }
        // Many rows are many blocks.
        let many = Extent {
            width: BLOCK / 2 + 1,
            height: 3,
            depth: 3,
        };
        assert_eq!(
            (
                many.blocks(),
                Extent {
                    width: 100,
                    height: 1,
                    depth: 1
                }
                .blocks()
            ),
            (9, 1)
        );
    }

    #[test]
    fn patterns() {
        for size in [1usize, 2, 7, 64, 100, 3000, 10_000, 40_000] {
            for period in [1usize, 2, 3, 4, 7, 16, 100, 129, 5000] {
                let pattern: Vec<u8> = (0..period).map(|i| (i * 37 % 251) as u8).collect();
                for before in [0, 1, period - 1, 12345] {
                    let mut bytes = vec![255u8; size + 2];
                    // SAFETY: so many bytes.
                    unsafe { fill(bytes.as_mut_ptr().add(1), size, &pattern, before) };
                    let expected = (0..size).map(|i| pattern[(before + i) % period]);
                    assert!(bytes[1..=size].iter().copied().eq(expected), "{size} {period} {before}");
                    assert_eq!((bytes[0], bytes[size + 1]), (255, 255));
                }
            }
        }
    }
}
