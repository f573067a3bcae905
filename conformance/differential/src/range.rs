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
    /// A random one of at most [`ITEMS`] items.
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
                    1, 2, 3, 5, 7, 8, 9, 13, 16, 17, 24, 31, 32, 33, 40, 48, 64, 77, 100, 128, 256,
                ]),
                (_, 0) => rng.pick(&[1, 2, 3, 4, 5, 7, 8, 8, 9, 15, 16, 16, 17, 32, 33]),
                _ => rng.pick(&[1, 2, 3, 5, 4]),
            };
            range.groups[d] = rng.pick(&[1, 1, 2, 3]);
            if rng.chance(30) {
                range.offset[d] = rng.pick(&[1, 3, 8, 64, 1000]);
            }
        }
        while range.items() > ITEMS || range.local.iter().product::<usize>() > 256 {
            let largest = (0..3).max_by_key(|&d| range.local[d] * range.groups[d]).unwrap_or(0);
            if range.groups[largest] > 1 {
                range.groups[largest] -= 1;
            } else {
                range.local[largest] -= 1;
            }
        }
        range
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
