// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Data races: for each byte, who wrote it last and who read it since.
//!
//! Two accesses are in order if one item does both, or if the items' group, or their sub-group, passed a barrier in between
//! that orders this memory. Nothing orders the groups of a launch. What atomics and fences order is not followed: see
//! `Report::uses_fences`.

/// An access of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Access {
    /// The item's number in the launch, group by group.
    pub item: u32,
    /// How many barriers of this memory the group passed before.
    pub epoch: u32,
    /// The same for the sub-group.
    pub sub_epoch: u32,
    /// The instruction.
    pub word: u32,
    pub is_atomic: bool,
}

const NOBODY: Access = Access {
    item: u32::MAX,
    epoch: 0,
    sub_epoch: 0,
    word: 0,
    is_atomic: false,
};

/// How many readers a byte had that are not in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Readers {
    One,
    OfSubGroup,
    OfGroup,
    OfGroups,
}

#[derive(Clone, Copy, Debug)]
struct Cell {
    write: Access,
    read: Access,
    readers: Readers,
}

const EMPTY: Cell = Cell {
    write: NOBODY,
    read: NOBODY,
    readers: Readers::One,
};

/// How items form groups.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub group: u32,
    pub sub_group: u32,
}

impl Shape {
    fn is_same_group(self, a: Access, b: Access) -> bool {
        a.item / self.group == b.item / self.group
    }

    fn is_same_sub_group(self, a: Access, b: Access) -> bool {
        let sub_group = |a: Access| a.item % self.group / self.sub_group;
        self.is_same_group(a, b) && sub_group(a) == sub_group(b)
    }

    /// Whether an access is in order with a later one.
    fn is_ordered(self, earlier: Access, later: Access) -> bool {
        earlier.item == NOBODY.item || earlier.item == later.item || self.is_ordered_between_items(earlier, later)
    }

    /// The same of two items, or one that is not alone.
    fn is_ordered_between_items(self, earlier: Access, later: Access) -> bool {
        self.is_same_group(earlier, later) && earlier.epoch < later.epoch
            || self.is_same_sub_group(earlier, later) && earlier.sub_epoch < later.sub_epoch
    }
}

const PAGE: usize = 128;

/// The accesses of an allocation's bytes.
#[derive(Debug, Default)]
pub(crate) struct Shadow {
    pages: Vec<Option<Box<[Cell; PAGE]>>>,
}

impl Shadow {
    /// Notes an access and gives an earlier one that it races with.
    pub fn access(&mut self, at: usize, size: usize, now: Access, is_write: bool, shape: Shape) -> Option<Access> {
        let last = (at + size).div_ceil(PAGE);
        if self.pages.len() < last {
            self.pages.resize_with(last, || None);
        }
        let mut other = None;
        for byte in at..at + size {
            let page = self.pages[byte / PAGE].get_or_insert_with(|| Box::new([EMPTY; PAGE]));
            let found = page[byte % PAGE].access(now, is_write, shape);
            other = other.or(found);
        }
        other
    }
}

impl Cell {
    /// Whether all reads since the last write are in order with a later access.
    fn reads_are_ordered(&self, later: Access, shape: Shape) -> bool {
        match self.readers {
            Readers::One => shape.is_ordered(self.read, later),
            // One of them is not the same item.
            Readers::OfSubGroup => shape.is_ordered_between_items(self.read, later),
            Readers::OfGroup => shape.is_same_group(self.read, later) && self.read.epoch < later.epoch,
            Readers::OfGroups => false,
        }
    }

    fn access(&mut self, now: Access, is_write: bool, shape: Shape) -> Option<Access> {
        let both_atomic = |earlier: Access| earlier.is_atomic && now.is_atomic;
        let is_raced = !both_atomic(self.write) && !shape.is_ordered(self.write, now);
        let mut other = is_raced.then_some(self.write);
        if is_write {
            if !both_atomic(self.read) && !self.reads_are_ordered(now, shape) {
                other = other.or(Some(self.read));
            }
            *self = Cell { write: now, ..EMPTY };
            return other;
        }
        if self.reads_are_ordered(now, shape) {
            (self.read, self.readers) = (now, Readers::One);
            return other;
        }
        let readers = if !shape.is_same_group(self.read, now) {
            Readers::OfGroups
        } else if !shape.is_same_sub_group(self.read, now) {
            Readers::OfGroup
        } else {
            Readers::OfSubGroup
        };
        self.readers = self.readers.max(readers);
        // One that is not atomic counts for all.
        let is_atomic = self.read.is_atomic && now.is_atomic;
        self.read = Access { is_atomic, ..now };
        other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape { group: 8, sub_group: 4 };

    fn by(item: u32, epoch: u32, sub_epoch: u32) -> Access {
        Access {
            item,
            epoch,
            sub_epoch,
            word: 0,
            is_atomic: false,
        }
    }

    /// Whether the last of some accesses races.
    fn races(accesses: &[(Access, bool)]) -> bool {
        let mut shadow = Shadow::default();
        let mut last = None;
        for &(access, is_write) in accesses {
            last = shadow.access(3, 2, access, is_write, SHAPE);
        }
        last.is_some()
    }

    #[test]
    fn barriers_order_a_group() {
        assert!(races(&[(by(0, 0, 0), true), (by(1, 0, 0), false)]));
        assert!(races(&[(by(0, 0, 0), false), (by(1, 0, 0), true)]));
        assert!(races(&[
            (by(0, 0, 0), false),
            (by(1, 0, 0), false),
            (by(0, 0, 0), true)
        ]));
        assert!(!races(&[(by(0, 0, 0), true), (by(0, 0, 0), false)]));
        assert!(!races(&[(by(0, 0, 0), true), (by(1, 1, 0), false)]));
        assert!(!races(&[
            (by(0, 0, 0), false),
            (by(1, 0, 0), false),
            (by(2, 1, 0), true)
        ]));
        // Of other groups.
        assert!(races(&[(by(0, 0, 0), true), (by(8, 1, 0), false)]));
        assert!(races(&[
            (by(0, 0, 0), false),
            (by(8, 0, 0), false),
            (by(8, 1, 0), true)
        ]));
        // Barriers of a sub-group order that only.
        assert!(!races(&[(by(0, 0, 0), true), (by(1, 0, 1), false)]));
        assert!(races(&[(by(0, 0, 0), true), (by(4, 0, 1), false)]));
        assert!(!races(&[
            (by(0, 0, 0), false),
            (by(1, 0, 0), false),
            (by(0, 0, 1), true)
        ]));
        assert!(races(&[
            (by(0, 0, 0), false),
            (by(4, 0, 0), false),
            (by(0, 0, 1), true)
        ]));
    }

    #[test]
    fn atomics_race_with_others_only() {
        let atomic = |item| Access {
            is_atomic: true,
            ..by(item, 0, 0)
        };
        assert!(!races(&[(atomic(0), true), (atomic(9), true)]));
        assert!(races(&[(atomic(0), true), (by(9, 0, 0), false)]));
        assert!(races(&[(by(0, 0, 0), false), (atomic(1), true)]));
        assert!(!races(&[(atomic(0), false), (atomic(1), true)]));
    }
}
