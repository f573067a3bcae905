// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Lists that are most often short, as parts of what is kept by the thousand.

use std::ops::{Deref, DerefMut};

/// A list of which `N` items need no memory of their own. It is as large as those and a word that it shares with them: a
/// [`SmallVec`](smallvec::SmallVec) has two words besides.
#[derive(Clone)]
pub enum ShortList<T, const N: usize> {
    /// The first items of the array are those of the list.
    Short(u8, [T; N]),
    /// All of them.
    #[allow(clippy::box_collection, reason = "one word: a slice in a box has two")]
    Long(Box<Vec<T>>),
}

impl<T: Copy + Default, const N: usize> ShortList<T, N> {
    /// A list of these items.
    #[inline(always)]
    pub fn new(items: &[T]) -> Self {
        let mut short = [T::default(); N];
        match short.get_mut(..items.len()) {
            Some(place) => {
                place.copy_from_slice(items);
                Self::Short(items.len() as u8, short)
            }
            None => Self::long(items),
        }
    }

    /// A list of one item.
    #[inline(always)]
    pub fn one(item: T) -> Self {
        let mut short = [T::default(); N];
        short[0] = item;
        Self::Short(1, short)
    }

    #[cold]
    fn long(items: &[T]) -> Self {
        Self::Long(Box::new(items.to_vec()))
    }
}

impl<const N: usize> ShortList<u8, N> {
    /// A list of these bytes. Those of a number of the machine's stay in a register on their way.
    #[inline(always)]
    pub fn of_bytes(bytes: &[u8]) -> Self {
        let word = match *bytes {
            [a] => a.into(),
            [a, b] => u16::from_le_bytes([a, b]).into(),
            [a, b, c, d] => u32::from_le_bytes([a, b, c, d]).into(),
            [a, b, c, d, e, f, g, h] => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
            _ => return Self::new(bytes),
        };
        let mut short = [0; N];
        short[..8].copy_from_slice(&word.to_le_bytes());
        Self::Short(bytes.len() as u8, short)
    }
}

impl<T: Copy + Default, const N: usize> Default for ShortList<T, N> {
    #[inline(always)]
    fn default() -> Self {
        Self::Short(0, [T::default(); N])
    }
}

impl<T, const N: usize> Deref for ShortList<T, N> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match self {
            Self::Short(length, items) => &items[..usize::from(*length)],
            Self::Long(items) => items,
        }
    }
}

impl<T, const N: usize> DerefMut for ShortList<T, N> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        match self {
            Self::Short(length, items) => &mut items[..usize::from(*length)],
            Self::Long(items) => items,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_those_that_were_given() {
        let items: Vec<u32> = (1..=5).collect();
        for count in 0..=items.len() {
            let mut list = ShortList::<u32, 3>::new(&items[..count]);
            assert_eq!(matches!(list, ShortList::Short(..)), count <= 3);
            assert_eq!(*list, items[..count]);
            list.iter_mut().for_each(|item| *item += 1);
            assert_eq!(*list.clone(), (2..=count as u32 + 1).collect::<Vec<_>>());
        }
        assert!(ShortList::<u32, 3>::default().is_empty());
    }

    #[test]
    fn it_has_two_words() {
        assert_eq!(size_of::<ShortList<u32, 3>>(), 16);
        assert_eq!(size_of::<ShortList<u8, 14>>(), 16);
    }
}
