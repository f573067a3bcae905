// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Copying and filling memory.

use std::ops::Range;
use std::ptr;
use std::sync::Arc;

use oxur_compiler::{Fault, ThreadContext};
use smallvec::SmallVec;

use crate::exec::Work;

/// The size of a block, the unit in which threads share a copy or fill. Source and destination of a block fit in a core's
/// cache. Even a single thread copies large memory a quarter faster in blocks than with one `memcpy`.
const BLOCK: usize = 128 << 10;

/// The size up to which a copy or fill runs inline, in bytes: it takes some microseconds.
pub const INLINE_LIMIT: usize = 256 << 10;
/// The same for a blocking command, whose caller waits anyway.
pub const INLINE_LIMIT_BLOCKING: usize = 1 << 20;

/// The bandwidth of a core in bytes per cycle, for data in the shared cache. It determines the cost of a command and so
/// the number of threads: one more for each MiB. For larger data, two cores are hardly faster than one.
const BYTES_PER_CYCLE: u64 = 40;

/// An operation on bytes, divided into independent blocks.
pub trait ByteOp: Sized + Send + Sync + 'static {
    /// The number of bytes.
    fn size(&self) -> usize;

    /// The number of blocks.
    fn blocks(&self) -> u64 {
        self.size().div_ceil(BLOCK) as u64
    }

    /// Processes some of the blocks.
    ///
    /// # Safety
    /// The memory must be accessible. The client must not depend on its content while others access it concurrently.
    unsafe fn run(&self, blocks: Range<u64>);
}

/// The range of bytes that some blocks cover, out of `size` bytes.
fn bytes_of(blocks: Range<u64>, size: usize) -> Range<usize> {
    blocks.start as usize * BLOCK..size.min((blocks.end as usize).saturating_mul(BLOCK))
}

/// Copies bytes. Source and destination may overlap; then there is a single block.
#[derive(Clone, Copy)]
pub struct CopyBytes {
    /// The first byte to write.
    pub dst: *mut u8,
    /// The first byte to read.
    pub src: *const u8,
    /// The number of bytes.
    pub size: usize,
}

// SAFETY: the pointers are to memory that the client may access from any thread, and whose use it synchronizes.
unsafe impl Send for CopyBytes {}
// SAFETY: as above.
unsafe impl Sync for CopyBytes {}

impl ByteOp for CopyBytes {
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
            // SAFETY: inside the ranges that the caller guarantees. They do not overlap: else there would be one block.
            unsafe { ptr::copy_nonoverlapping(self.src.add(bytes.start), self.dst.add(bytes.start), bytes.len()) };
        }
    }
}

/// The size of a box of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Bytes per row.
    pub width: usize,
    /// Rows per slice.
    pub height: usize,
    /// The number of slices.
    pub depth: usize,
}

impl Extent {
    fn rows(&self) -> usize {
        self.height * self.depth
    }

    /// The number of bytes.
    pub fn size(&self) -> usize {
        self.width * self.rows()
    }

    fn rows_per_block(&self) -> usize {
        (BLOCK / self.width.max(1)).max(1)
    }

    /// The number of blocks.
    pub fn blocks(&self) -> u64 {
        self.rows().div_ceil(self.rows_per_block()) as u64
    }

    /// The rows that some blocks cover, as pairs of row and slice.
    fn rows_in(&self, blocks: Range<u64>) -> impl Iterator<Item = (usize, usize)> {
        let (each, height) = (self.rows_per_block(), self.height);
        let end = self.rows().min((blocks.end as usize).saturating_mul(each));
        (blocks.start as usize * each..end).map(move |row| (row % height, row / height))
    }
}

/// The memory layout of rows.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// The first byte of the first row.
    pub at: *mut u8,
    /// The distance between rows in bytes.
    pub row_pitch: usize,
    /// The distance between slices in bytes.
    pub slice_pitch: usize,
}

impl Layout {
    /// Whether rows and slices are tightly packed.
    pub fn is_dense(&self, extent: Extent) -> bool {
        (self.row_pitch == extent.width || extent.rows() == 1)
            && (self.slice_pitch == extent.width * extent.height || extent.depth == 1)
    }

    fn row(&self, (row, slice): (usize, usize)) -> *mut u8 {
        self.at.wrapping_add(row * self.row_pitch + slice * self.slice_pitch)
    }
}

/// Copies rows. No row of the source may overlap a row of the destination.
#[derive(Clone, Copy)]
pub struct CopyRows {
    /// The memory to write.
    pub dst: Layout,
    /// The memory to read.
    pub src: Layout,
    /// How much is copied.
    pub extent: Extent,
}

// SAFETY: the pointers are to memory that the client may access from any thread, and whose use it synchronizes.
unsafe impl Send for CopyRows {}
// SAFETY: as above.
unsafe impl Sync for CopyRows {}

impl CopyRows {
    /// The same copy as one range of bytes, if both sides are tightly packed.
    pub fn as_bytes(&self) -> Option<CopyBytes> {
        let Self { dst, src, extent } = self;
        (dst.is_dense(*extent) && src.is_dense(*extent)).then(|| CopyBytes {
            dst: dst.at,
            src: src.at,
            size: extent.size(),
        })
    }
}

impl ByteOp for CopyRows {
    fn size(&self) -> usize {
        self.extent.size()
    }

    fn blocks(&self) -> u64 {
        self.extent.blocks()
    }

    unsafe fn run(&self, blocks: Range<u64>) {
        for row in self.extent.rows_in(blocks) {
            // SAFETY: the caller guarantees that all rows are accessible. `copy` also supports rows that overlap.
            unsafe { ptr::copy(self.src.row(row), self.dst.row(row), self.extent.width) };
        }
    }
}

/// Fills bytes with a pattern.
pub struct FillBytes {
    /// The first byte.
    pub dst: *mut u8,
    /// The number of bytes.
    pub size: usize,
    /// The pattern, which is not empty.
    pub pattern: Pattern,
}

/// An owned pattern, for a fill that runs after the enqueue function returns.
pub type Pattern = SmallVec<[u8; 16]>;

// SAFETY: the pointers are to memory that the client may access from any thread, and whose use it synchronizes.
unsafe impl Send for FillBytes {}
// SAFETY: as above.
unsafe impl Sync for FillBytes {}

impl ByteOp for FillBytes {
    fn size(&self) -> usize {
        self.size
    }

    unsafe fn run(&self, blocks: Range<u64>) {
        let bytes = bytes_of(blocks, self.size);
        // SAFETY: inside the range that the caller guarantees.
        unsafe { fill(self.dst.add(bytes.start), bytes.len(), &self.pattern, bytes.start) };
    }
}

/// Fills rows with a pattern that continues from row to row.
pub struct FillRows {
    /// The memory.
    pub dst: Layout,
    /// How much of it is filled.
    pub extent: Extent,
    /// The pattern, which is not empty.
    pub pattern: Pattern,
}

// SAFETY: the pointers are to memory that the client may access from any thread, and whose use it synchronizes.
unsafe impl Send for FillRows {}
// SAFETY: as above.
unsafe impl Sync for FillRows {}

impl ByteOp for FillRows {
    fn size(&self) -> usize {
        self.extent.size()
    }

    fn blocks(&self) -> u64 {
        self.extent.blocks()
    }

    unsafe fn run(&self, blocks: Range<u64>) {
        // SAFETY: passed on to the caller.
        unsafe { fill_rows(self.dst, self.extent, &self.pattern, blocks) };
    }
}

/// Fills some blocks of rows: the implementation of [`FillRows`], for a borrowed pattern.
///
/// # Safety
/// The rows must be writable, and the pattern must not be empty.
pub unsafe fn fill_rows(dst: Layout, extent: Extent, pattern: &[u8], blocks: Range<u64>) {
    for (row, slice) in extent.rows_in(blocks) {
        let before = (slice * extent.height + row) * extent.width;
        // SAFETY: the caller guarantees that all rows are writable.
        unsafe { fill(dst.row((row, slice)), extent.width, pattern, before) };
    }
}

/// Fills `size` bytes with a pattern that starts `before` bytes earlier.
///
/// # Safety
/// The bytes must be writable, and the pattern must not be empty.
pub unsafe fn fill(dst: *mut u8, size: usize, pattern: &[u8], before: usize) {
    /// The copied unit grows up to this size. It should be large, but stay in the L1 cache.
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
        // SAFETY: inside the range. If the pattern overlaps the range, `copy` still reads it before it writes.
        unsafe { ptr::copy(part.as_ptr(), dst.add(filled), count) };
        filled += count;
    }
    // Doubles the filled part until the unit is large enough, then repeats the unit, which is always a whole number of
    // patterns.
    let mut repeat = filled;
    while filled < size {
        let count = repeat.min(size - filled);
        // SAFETY: inside the range. The source is filled, because `count <= repeat <= filled`, and ends before the
        // destination.
        unsafe { ptr::copy_nonoverlapping(dst, dst.add(filled), count) };
        filled += count;
        if repeat < REPEAT {
            repeat = filled.min(size);
        }
    }
}

/// The work of a [`ByteOp`], with what keeps the memory that it accesses.
pub struct ByteWork<B, K> {
    op: B,
    _keep: K,
}

impl<B, K> ByteWork<B, K> {
    /// Work that drops `keep` when the command is over.
    ///
    /// # Safety
    /// The memory of `op` must be accessible as long as `keep` exists. Whoever submits the work orders it with other
    /// accesses to the memory.
    pub unsafe fn new(op: B, keep: K) -> Self {
        Self { op, _keep: keep }
    }
}

impl<B: ByteOp, K: Send + Sync + 'static> Work for ByteWork<B, K> {
    fn chunks(&self) -> u64 {
        self.op.blocks()
    }

    fn cost(&self, chunks: u64) -> Option<u64> {
        let all = self.op.size() as u64 / BYTES_PER_CYCLE;
        Some((u128::from(all) * u128::from(chunks) / u128::from(self.chunks().max(1))) as u64)
    }

    fn run(&self, chunks: Range<u64>, _worker: &mut ThreadContext) -> Result<(), Fault> {
        // SAFETY: the caller of `new` guarantees it.
        unsafe { self.op.run(chunks) };
        Ok(())
    }
}

/// The work of copying rows.
///
/// # Safety
/// As [`ByteWork::new`].
pub unsafe fn copy_rows_work<K: Send + Sync + 'static>(copy: CopyRows, keep: K) -> Arc<dyn Work> {
    match copy.as_bytes() {
        // SAFETY: passed on to the caller.
        Some(bytes) => Arc::new(unsafe { ByteWork::new(bytes, keep) }),
        // SAFETY: as above.
        None => Arc::new(unsafe { ByteWork::new(copy, keep) }),
    }
}

/// The work of filling rows with a pattern that continues from row to row.
///
/// # Safety
/// As [`ByteWork::new`].
pub unsafe fn fill_rows_work<K: Send + Sync + 'static>(fill: FillRows, keep: K) -> Arc<dyn Work> {
    if fill.dst.is_dense(fill.extent) {
        let (dst, size, pattern) = (fill.dst.at, fill.extent.size(), fill.pattern);
        // SAFETY: passed on to the caller.
        return Arc::new(unsafe { ByteWork::new(FillBytes { dst, size, pattern }, keep) });
    }
    // SAFETY: passed on to the caller.
    Arc::new(unsafe { ByteWork::new(fill, keep) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs one block at a time.
    fn run_all(op: &impl ByteOp) {
        for block in 0..op.blocks() {
            // SAFETY: the tests below pass live memory.
            unsafe { op.run(block..block + 1) };
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
            // The ranges overlap.
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
        let extent = Extent {
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
        assert!(to.is_dense(extent) && !from.is_dense(extent));
        run_all(&CopyRows {
            dst: to,
            src: from,
            extent,
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
            extent,
            pattern: Pattern::from_slice(&[1, 2, 3, 4, 5]),
        });
        let mut count = 0..;
        for (i, byte) in filled.iter().enumerate() {
            let inside = i < 150 && i % 50 < 45 && i % 50 % 9 < 7;
            let expected = if inside { count.next().unwrap() % 5 + 1 } else { 255 };
            assert_eq!(*byte, expected, "at {i}");
        }
        // Rows of more than half a block get a block each; short rows share one.
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
                    // SAFETY: inside `bytes`, which has a guard byte on each side.
                    unsafe { fill(bytes.as_mut_ptr().add(1), size, &pattern, before) };
                    let expected = (0..size).map(|i| pattern[(before + i) % period]);
                    assert!(bytes[1..=size].iter().copied().eq(expected), "{size} {period} {before}");
                    assert_eq!((bytes[0], bytes[size + 1]), (255, 255));
                }
            }
        }
    }
}
