// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Size classes: the sizes of the blocks that the cache deals in.
//!
//! 64, 128 and the multiples of 128 up to 1024 bytes; above, eight steps a doubling, so that at most a ninth of a block
//! is lost. All but the first are multiples of [`NATURAL`], so that each block of a region is aligned when the first
//! is.

/// The alignment of all blocks but those of the smallest class, in bytes: the size of OpenCL's largest type,
/// `double16`.
pub(super) const NATURAL: usize = 128;

/// The largest size that has a class. What is larger is not worth keeping.
pub(super) const LARGEST: usize = 1 << 40;

/// How many classes there are.
pub(super) const CLASSES: usize = 9 + 8 * 30;

/// How many classes, the smallest ones, share a region of the driver's and are kept by each shard.
pub(super) const SMALL_CLASSES: usize = 9 + 8 * 5;

/// A size class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Class(u8);

impl Class {
    /// The smallest class that holds `size` bytes, which are from 1 to [`LARGEST`].
    #[inline]
    pub(super) fn of(size: usize) -> Self {
        debug_assert!((1..=LARGEST).contains(&size));
        Self(if size <= 64 {
            0
        } else if size <= 1024 {
            size.div_ceil(128) as u8
        } else {
            // `size` is in (8 << shift, 16 << shift].
            let shift = (size - 1).ilog2() - 3;
            let steps = ((size - 1) >> shift) + 1;
            (9 + 8 * (shift - 7) as usize + (steps - 9)) as u8
        })
    }

    /// The bytes of a block.
    #[inline]
    pub(super) fn block(self) -> usize {
        match self.0 as usize {
            0 => 64,
            class @ 1..=8 => class * 128,
            class => (9 + (class - 9) % 8) << (7 + (class - 9) / 8),
        }
    }

    #[inline]
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }

    #[inline]
    pub(super) fn is_small(self) -> bool {
        self.index() < SMALL_CLASSES
    }

    /// Every class.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        (0..CLASSES as u8).map(Self)
    }

    /// How many blocks of a small class move between a shard and the depot at once.
    #[inline]
    pub(super) fn batch(self) -> usize {
        (16 * 1024 / self.block()).clamp(2, 64)
    }

    /// How much to ask the driver for when there is no free block: a small class shares the price of the call.
    pub(super) fn region(self) -> usize {
        // Miri takes long for many blocks.
        const SHARED: usize = if cfg!(miri) { 4 * 1024 } else { 64 * 1024 };
        if self.is_small() {
            (8 * self.block()).max(SHARED)
        } else {
            self.block()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_the_blocks_that_they_say() {
        let blocks: Vec<usize> = Class::all().map(Class::block).collect();
        assert_eq!(
            blocks[..12],
            [64, 128, 256, 384, 512, 640, 768, 896, 1024, 1152, 1280, 1408]
        );
        assert_eq!(blocks[SMALL_CLASSES - 1], 32 * 1024);
        assert_eq!(*blocks.last().unwrap(), LARGEST);
        assert!(blocks.is_sorted_by(|a, b| a < b));
        for class in Class::all() {
            assert_eq!(Class::of(class.block()), class);
            assert!(class.block() == 64 || class.block() % NATURAL == 0);
            if class.block() < LARGEST {
                assert_eq!(Class::of(class.block() + 1).index(), class.index() + 1);
            }
        }
    }

    #[test]
    fn little_is_lost() {
        let step = if cfg!(miri) { 997 } else { 1 };
        let sizes = (1025..100_000).chain((1 << 30)..(1 << 30) + 1000);
        for size in sizes.step_by(step) {
            let block = Class::of(size).block();
            assert!(block >= size && (block - size) * 9 <= block + 9, "{size} in {block}");
        }
    }
}
