// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Random commands, and what they do when they run one after the other.

use std::ops::Range;

/// Numbers in a buffer.
pub const LENGTH: usize = 192;

/// SplitMix64.
pub struct Random(pub u64);

impl Random {
    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below another one.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.bits() % limit as u64) as usize
    }

    /// Whether something happens that has so many chances in a hundred.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// Whether something happens that has one chance in so many.
    pub fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }
}

/// A command on buffers, which it names by number.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "operands are called as what they are")]
pub enum Op {
    /// Copies a part of a buffer to the same place of another one.
    Copy {
        to: usize,
        from: usize,
        start: usize,
        length: usize,
    },
    /// Fills a part.
    Fill {
        to: usize,
        value: i32,
        start: usize,
        length: usize,
    },
    /// Adds a number to all of a buffer.
    Add { to: usize, value: i32 },
    /// Multiplies all of a buffer.
    Multiply { to: usize, value: i32 },
    /// Adds a buffer to another one.
    Accumulate { to: usize, from: usize },
    /// Waits.
    Barrier,
}

impl Op {
    /// As many commands as one of `counts`, on a few buffers, and what these contain before.
    pub fn graph(random: &mut Random, counts: Range<usize>) -> (Vec<Self>, Vec<Vec<i32>>) {
        let count = counts.start + random.below(counts.len());
        let buffers = 2 + random.below(5);
        let ops = (0..count).map(|_| Self::random(random, buffers)).collect();
        let initial = |buffer: usize| (0..LENGTH).map(|index| (buffer * 1000 + index) as i32).collect();
        (ops, (0..buffers).map(initial).collect())
    }

    /// Any command.
    pub fn random(random: &mut Random, buffers: usize) -> Self {
        let (to, value) = (random.below(buffers), random.below(1000) as i32 - 500);
        let from = (to + 1 + random.below(buffers - 1)) % buffers;
        let start = random.below(LENGTH);
        let length = 1 + random.below(LENGTH - start);
        match random.below(11) {
            0 | 1 => Self::Copy {
                to,
                from,
                start,
                length,
            },
            2 | 3 => Self::Fill {
                to,
                value,
                start,
                length,
            },
            4..6 => Self::Add { to, value },
            6..8 => Self::Multiply { to, value },
            8 | 9 => Self::Accumulate { to, from },
            _ => Self::Barrier,
        }
    }

    /// The buffer that it writes.
    pub fn written(&self) -> Option<usize> {
        match *self {
            Self::Copy { to, .. } | Self::Fill { to, .. } | Self::Accumulate { to, .. } => Some(to),
            Self::Add { to, .. } | Self::Multiply { to, .. } => Some(to),
            Self::Barrier => None,
        }
    }

    /// The buffer that it only reads.
    pub fn read(&self) -> Option<usize> {
        match *self {
            Self::Copy { from, .. } | Self::Accumulate { from, .. } => Some(from),
            _ => None,
        }
    }

    /// Whether the order of the two is of matter.
    pub fn conflicts(&self, other: &Self) -> bool {
        let touches = |op: &Self, buffer| op.written() == Some(buffer) || op.read() == Some(buffer);
        self.written().is_some_and(|buffer| touches(other, buffer))
            || other.written().is_some_and(|buffer| touches(self, buffer))
    }

    /// What it does, on the host.
    pub fn model(&self, buffers: &mut [Vec<i32>]) {
        match *self {
            Self::Copy {
                to,
                from,
                start,
                length,
            } => {
                let source = buffers[from][start..][..length].to_vec();
                buffers[to][start..][..length].copy_from_slice(&source);
            }
            Self::Fill {
                to,
                value,
                start,
                length,
            } => buffers[to][start..][..length].fill(value),
            Self::Add { to, value } => buffers[to].iter_mut().for_each(|x| *x = x.wrapping_add(value)),
            Self::Multiply { to, value } => buffers[to].iter_mut().for_each(|x| *x = x.wrapping_mul(value)),
            Self::Accumulate { to, from } => {
                let source = buffers[from].clone();
                buffers[to]
                    .iter_mut()
                    .zip(source)
                    .for_each(|(x, y)| *x = x.wrapping_add(y));
            }
            Self::Barrier => (),
        }
    }
}

/// The number that a variable has, if it is set.
pub fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")))
}

/// Calls `run` with each of the first `count` seeds. If the variable `alone` names a seed, only with that one, and `true`.
pub fn for_each_seed(alone: &str, count: u64, run: impl Fn(u64, bool)) {
    match number(alone) {
        Some(seed) => run(seed, true),
        None => (0..count).for_each(|seed| run(seed, false)),
    }
}
