// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Lists that are most often short, as parts of what is kept by the thousand.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::ptr;

/// A list of which `N` items need no memory of their own, in two words: a [`SmallVec`](smallvec::SmallVec) has two besides its
/// items. They are words so that a list is in registers until it is written where it stays.
#[repr(C)]
pub struct ShortList<T: Copy, const N: usize> {
    /// In its first byte the number of items, or [`LONG`]. The items are behind that, at a multiple of their size.
    head: usize,
    /// The last items of a short list; a `Box` with all of a long one: one word, where a slice in a box has two.
    tail: *mut Vec<T>,
    items: PhantomData<[T; N]>,
}

/// Says that a list is a long one.
const LONG: usize = 0xff;

// SAFETY: it owns its items.
unsafe impl<T: Copy + Send, const N: usize> Send for ShortList<T, N> {}
// SAFETY: as above.
unsafe impl<T: Copy + Sync, const N: usize> Sync for ShortList<T, N> {}

impl<T: Copy, const N: usize> ShortList<T, N> {
    /// Where the first item of a short list is.
    const FIRST: usize = {
        let (item, room) = (size_of::<T>(), 2 * size_of::<usize>());
        assert!(item == 1 || item == 2 || item == 4, "items are numbers");
        assert!((N + 1) * item <= room && N < LONG, "there is no room for so many items");
        assert!(cfg!(target_endian = "little"), "the first byte is the lowest of a word");
        item
    };

    /// A list in the form of its words.
    #[inline(always)]
    fn short(words: [usize; 2]) -> Self {
        Self {
            head: words[0],
            tail: ptr::without_provenance_mut(words[1]),
            items: PhantomData,
        }
    }

    /// A list of these items.
    #[inline(always)]
    pub fn new(items: &[T]) -> Self {
        if items.len() > N {
            return Self::long(items);
        }
        let mut words = [items.len(), 0];
        // SAFETY: there is room for so many items, which have no padding.
        unsafe {
            let to = words.as_mut_ptr().byte_add(Self::FIRST).cast();
            ptr::copy_nonoverlapping(items.as_ptr(), to, items.len());
        }
        Self::short(words)
    }

    #[cold]
    fn long(items: &[T]) -> Self {
        Self {
            head: LONG,
            tail: Box::into_raw(Box::new(items.to_vec())),
            items: PhantomData,
        }
    }

    /// Whether it has memory of its own.
    #[inline(always)]
    pub fn is_long(&self) -> bool {
        self.head & 0xff == LONG
    }
}

impl<const N: usize> ShortList<u32, N> {
    /// A list of one item.
    #[inline(always)]
    pub fn one(item: u32) -> Self {
        Self::short([1 | (item as usize) << 32, 0])
    }
}

impl<const N: usize> ShortList<u8, N> {
    /// A list of these bytes. Those of a number of the machine's stay in a register on their way.
    #[inline(always)]
    pub fn of_bytes(bytes: &[u8]) -> Self {
        let word: u64 = match *bytes {
            [a] => a.into(),
            [a, b] => u16::from_le_bytes([a, b]).into(),
            [a, b, c, d] => u32::from_le_bytes([a, b, c, d]).into(),
            [a, b, c, d, e, f, g, h] => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
            _ => return Self::new(bytes),
        };
        Self::short([bytes.len() | (word << 8) as usize, (word >> 56) as usize])
    }
}

impl<T: Copy, const N: usize> Default for ShortList<T, N> {
    #[inline(always)]
    fn default() -> Self {
        Self::short([0, 0])
    }
}

impl<T: Copy, const N: usize> Clone for ShortList<T, N> {
    fn clone(&self) -> Self {
        Self::new(self)
    }
}

impl<T: Copy, const N: usize> Drop for ShortList<T, N> {
    #[inline]
    fn drop(&mut self) {
        if self.is_long() {
            // SAFETY: a long list owns the box, which is dropped once.
            drop(unsafe { Box::from_raw(self.tail) });
        }
    }
}

impl<T: Copy, const N: usize> Deref for ShortList<T, N> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: a long list owns the box, and a short one has so many items in its words, which `new` wrote.
        unsafe {
            match self.is_long() {
                true => &*self.tail,
                false => {
                    let first = ptr::from_ref(self).byte_add(Self::FIRST).cast();
                    std::slice::from_raw_parts(first, self.head & 0xff)
                }
            }
        }
    }
}

impl<T: Copy, const N: usize> DerefMut for ShortList<T, N> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above.
        unsafe {
            match self.is_long() {
                true => &mut *self.tail,
                false => {
                    let first = ptr::from_mut(self).byte_add(Self::FIRST).cast();
                    std::slice::from_raw_parts_mut(first, self.head & 0xff)
                }
            }
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
            assert_eq!(list.is_long(), count > 3);
            assert_eq!(*list, items[..count]);
            list.iter_mut().for_each(|item| *item += 1);
            assert_eq!(*list.clone(), (2..=count as u32 + 1).collect::<Vec<_>>());
        }
        assert!(ShortList::<u32, 3>::default().is_empty());
        assert_eq!(*ShortList::<u32, 3>::one(u32::MAX), [u32::MAX]);
    }

    #[test]
    fn bytes_are_those_that_were_given() {
        let bytes: Vec<u8> = (200..=220).collect();
        for count in 0..=bytes.len() {
            assert_eq!(*ShortList::<u8, 14>::of_bytes(&bytes[..count]), bytes[..count]);
            assert_eq!(*ShortList::<u8, 14>::new(&bytes[..count]), bytes[..count]);
        }
    }

    #[test]
    fn it_has_two_words() {
        assert_eq!(size_of::<ShortList<u32, 3>>(), 16);
        assert_eq!(size_of::<ShortList<u8, 14>>(), 16);
    }
}
