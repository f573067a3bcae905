// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Copies and fills of rows.

use oxur_cuda_sys::*;

use crate::memory;

/// A copy of rows, of `[width, height, depth]` bytes, rows and slices.
pub struct Rows {
    dst: Side,
    src: Side,
    size: [usize; 3],
}

/// Where rows are: the distances from one row, and one slice, to the next.
struct Side {
    address: u64,
    row: usize,
    slice: usize,
}

impl Side {
    fn at(&self, y: usize, z: usize) -> u64 {
        self.address + (z * self.slice + y * self.row) as u64
    }
}

impl Rows {
    /// A copy of bytes that follow each other.
    pub fn plain(dst: u64, src: u64, size: usize) -> Self {
        let side = |address| Side {
            address,
            row: 0,
            slice: 0,
        };
        Self {
            dst: side(dst),
            src: side(src),
            size: [size, 1, 1],
        }
    }

    /// A copy as CUDA describes it.
    pub fn new(c: &CUDA_MEMCPY3D) -> Result<Self, CUresult> {
        // Memory that CUDA does not know must be said to be the host's.
        let base = |kind, host: usize, known: u64| match kind {
            CU_MEMORYTYPE_HOST => Ok(host as u64),
            CU_MEMORYTYPE_UNIFIED | CU_MEMORYTYPE_DEVICE if memory::find(known as usize).is_some() => Ok(known),
            _ => Err(CUDA_ERROR_INVALID_VALUE),
        };
        let dst = base(c.dstMemoryType, c.dstHost as usize, c.dstDevice)?;
        let src = base(c.srcMemoryType, c.srcHost as usize, c.srcDevice)?;
        if c.dstPitch < c.dstXInBytes + c.WidthInBytes || c.srcPitch < c.srcXInBytes + c.WidthInBytes {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let side = |address: u64, row: usize, rows: usize, [x, y, z]: [usize; 3]| Side {
            address: address + (x + y * row + z * row * rows) as u64,
            row,
            slice: row * rows,
        };
        Ok(Self {
            dst: side(dst, c.dstPitch, c.dstHeight, [c.dstXInBytes, c.dstY, c.dstZ]),
            src: side(src, c.srcPitch, c.srcHeight, [c.srcXInBytes, c.srcY, c.srcZ]),
            size: [c.WidthInBytes, c.Height, c.Depth],
        })
    }

    /// Whether a side is memory that CUDA does not know.
    pub fn is_pageable(&self) -> bool {
        let is_known = |side: &Side| memory::find(side.address as usize).is_some();
        !is_known(&self.dst) || !is_known(&self.src)
    }

    /// Whether a device may use both sides.
    pub fn is_in_reach(&self, device: i32) -> bool {
        [&self.dst, &self.src]
            .iter()
            .all(|side| memory::is_in_reach(side.address, device))
    }

    /// Whether the memory of devices is of those that are said to have it.
    pub fn are_of(&self, dst: i32, src: i32) -> bool {
        let is_of = |side: &Side, device| {
            let found = memory::find(side.address as usize);
            found.is_some_and(|piece| piece.kind != memory::Kind::Device || piece.device == device)
        };
        is_of(&self.dst, dst) && is_of(&self.src, src)
    }

    /// Copies them.
    pub fn copy(&self) -> Result<(), CUresult> {
        let [width, height, depth] = self.size;
        for (z, y) in (0..depth).flat_map(|z| (0..height).map(move |y| (z, y))) {
            let dst = memory::of_copy(self.dst.at(y, z), width);
            let src = memory::of_copy(self.src.at(y, z), width);
            let may_write = memory::may_write(self.dst.at(y, z));
            let (Some(dst), Some(src), true) = (dst, src, may_write) else {
                return Err(CUDA_ERROR_ILLEGAL_ADDRESS);
            };
            // SAFETY: inside of their memory, or the client's.
            unsafe { dst.copy_from(src, width) };
        }
        Ok(())
    }
}

/// A fill of rows with elements.
pub struct Fill {
    pub dst: u64,
    pub pitch: usize,
    pub value: u32,
    /// Bytes.
    pub element: usize,
    /// Elements.
    pub width: usize,
    pub height: usize,
}

impl Fill {
    /// Refuses what CUDA does.
    pub fn check(self, device: i32) -> Result<Self, CUresult> {
        let fits = matches!(self.element, 1 | 2 | 4) && self.width != 0 && self.height != 0;
        match fits && self.dst.is_multiple_of(self.element as u64) && memory::find(self.dst as usize).is_some() {
            _ if !memory::is_in_reach(self.dst, device) => Err(CUDA_ERROR_INVALID_VALUE),
            true => Ok(self),
            false => Err(CUDA_ERROR_INVALID_VALUE),
        }
    }

    /// Fills them.
    pub fn fill(&self) -> Result<(), CUresult> {
        let bytes = &self.value.to_le_bytes()[..self.element];
        for y in 0..self.height {
            let (at, size) = (self.dst + (y * self.pitch) as u64, self.width * self.element);
            let place = memory::of_kernel(at, size).filter(|_| memory::may_write(at));
            let at = place.ok_or(CUDA_ERROR_ILLEGAL_ADDRESS)?;
            for x in 0..self.width {
                // SAFETY: inside of its memory.
                unsafe { at.add(x * self.element).copy_from(bytes.as_ptr(), self.element) };
            }
        }
        Ok(())
    }
}
