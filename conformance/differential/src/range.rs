// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Ranges: groups in one to three dimensions whose sizes are seldom multiples of a SIMD register's.

use crate::data::ITEMS;
use crate::rng::Rng;

/// What a kernel runs over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// 1 to 3.
    pub dimensions: usize,
    /// The first global id.
    pub offset: [usize; 3],
    /// The size of a group.
    pub local: [usize; 3],
    /// How many groups there are.
    pub groups: [usize; 3],
}

impl Range {
    /// A random one of at most [`ITEMS`] items, in groups of at most 256.
    pub fn random(rng: &mut Rng) -> Self {
        let dimensions = rng.pick(&[1, 1, 1, 2, 2, 3]);
        let mut range = Self {
            dimensions,
            offset: [0; 3],
            local: [1; 3],
            groups: [1; 3],
        };
        for d in 0..dimensions {
            range.local[d] = match (dimensions, d) {
                (1, _) => rng.pick(&[
                    1, 2, 3, 5, 6, 7, 8, 9, 10, 13, 15, 16, 17, 20, 24, 30, 31, 32, 33, 40, 48, 60, 64, 77, 99, 100,
                    128, 250, 256,
                ]),
                (_, 0) => rng.pick(&[1, 2, 3, 4, 5, 6, 7, 8, 8, 9, 10, 12, 15, 16, 16, 17, 20, 24, 30, 32, 33]),
                _ => rng.pick(&[1, 2, 3, 5, 4, 7, 10]),
            };
            range.groups[d] = rng.pick(&[1, 1, 2, 3]);
            if rng.chance(30) {
                range.offset[d] = rng.pick(&[1, 3, 8, 64, 1000]);
            }
        }
        range.fit(256);
        range
    }

    /// A random one of large groups, up to the largest that there are.
    pub fn large(rng: &mut Rng) -> Self {
        let dimensions = rng.pick(&[1, 1, 1, 2, 3]);
        let mut range = Self {
            dimensions,
            offset: [0; 3],
            local: [1; 3],
            groups: [1; 3],
        };
        for d in 0..dimensions {
            range.local[d] = match (dimensions, d) {
                (1, _) => rng.pick(&[
                    257, 300, 511, 512, 777, 1000, 1024, 2047, 2048, 2056, 4095, 4096, 4104, 5000, 8184, 8191, 8192,
                ]),
                (_, 0) => rng.pick(&[1, 7, 16, 30, 32, 33, 64, 90, 91, 128, 512]),
                (2, _) => rng.pick(&[8, 30, 64, 90, 91, 128]),
                _ => rng.pick(&[1, 2, 8, 13, 16, 30, 33]),
            };
        }
        range.fit(ITEMS);
        if range.items() <= ITEMS / 2 {
            range.groups[0] = rng.pick(&[1, 2]);
        }
        range
    }

    /// Makes it smaller until there is room for it, and groups have at most so many items.
    fn fit(&mut self, group: usize) {
        while self.items() > ITEMS || self.group_size() > group {
            let largest = (0..3).max_by_key(|&d| self.local[d] * self.groups[d]).unwrap_or(0);
            if self.groups[largest] > 1 {
                self.groups[largest] -= 1;
            } else {
                self.local[largest] -= 1;
            }
        }
    }

    /// How many items a group has.
    pub fn group_size(&self) -> usize {
        self.local.iter().product()
    }

    /// The size of the range.
    pub fn global(&self) -> [usize; 3] {
        std::array::from_fn(|d| self.local[d] * self.groups[d])
    }

    /// How many items it has.
    pub fn items(&self) -> usize {
        self.global().iter().product()
    }

    /// Whether all implementations form the same sub-groups of this size, and full ones.
    pub fn is_plain_for(&self, sub_group: usize) -> bool {
        self.local[0].is_multiple_of(sub_group)
    }
}

impl std::fmt::Display for Range {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let join = |sizes: &[usize; 3]| {
            sizes[..self.dimensions]
                .iter()
                .map(usize::to_string)
                .collect::<Vec<_>>()
                .join(" x ")
        };
        write!(f, "{} groups of {}", join(&self.groups), join(&self.local))?;
        if self.offset != [0; 3] {
            write!(f, " from {}", join(&self.offset))?;
        }
        Ok(())
    }
}
