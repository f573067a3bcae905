// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Groups of handles: how the objects of one owner are found, as a queue finds its events.
//!
//! Each thread that makes handles for a group has a list of its own, to which it adds without a lock and without an atomic
//! read-modify-write. Nothing is removed when an object goes: entries are never freed, so that a stale one is recognized,
//! and a list that has grown drops those. So a list is at most about twice as long as the group had live handles at a time.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::AtomicUsize;

use oxur_fork::Mutex;

use super::*;

/// The objects that say by [`Object::group`] that they are of it. Dropping it ends the search for them, not the objects.
pub struct HandleGroup(u64);

impl HandleGroup {
    /// A group with this number, which no other group has or had: not 0.
    pub fn new(number: u64) -> Self {
        LISTS.lock().insert(number, Vec::new());
        Self(number)
    }

    /// Calls `f` with every object of the group that the client has a reference of. What is made meanwhile may be missed.
    pub fn for_each<T: Object>(&self, mut f: impl FnMut(&Arc<T>)) {
        let group = self.0;
        for entry in self.listed() {
            let is_held = |state| {
                tag(state) == T::TAG && references(state) != 0 && entry.group.load(Ordering::Relaxed) == group as u32
            };
            let held = entry.state.fetch_update(Ordering::Acquire, Ordering::Acquire, |state| {
                is_held(state).then_some(state + REFERENCE)
            });
            if held.is_err() {
                continue;
            }
            // SAFETY: the reference that was just taken as the client would, so it is a live `T` until that is given back.
            unsafe {
                let object = Borrowed::<T>::of(entry);
                // It may be another one since the group was looked at, and the entry knows a half of the group only.
                if object.group() == group {
                    f(&object);
                }
                entry.release::<T>(drop).expect("there is that reference");
            }
        }
    }

    /// All entries on its lists, each once. They are copied: no lock is held while objects come and go.
    fn listed(&self) -> Vec<&'static HandleEntry> {
        let lists = LISTS.lock().get(&self.0).cloned().unwrap_or_default();
        let mut all = Vec::new();
        for list in lists {
            let older = list.older.lock();
            all.extend_from_slice(&older.entries);
            all.extend(list.recent());
        }
        once(&mut all);
        all
    }

    /// How many entries a search looks at.
    #[cfg(test)]
    pub(crate) fn searched(&self) -> usize {
        self.listed().len()
    }
}

impl Drop for HandleGroup {
    fn drop(&mut self) {
        let lists = LISTS.lock().remove(&self.0);
        drop(lists);
    }
}

fn once(entries: &mut Vec<&'static HandleEntry>) {
    entries.sort_unstable_by_key(|entry| ptr::from_ref(*entry));
    entries.dedup_by_key(|entry| ptr::from_ref(*entry));
}

/// The lists of each group. A thread looks here for its first handle of a group only.
static LISTS: Mutex<HashMap<u64, Vec<Arc<List>>, BuildHasherDefault<NumberHasher>>> =
    Mutex::new(HashMap::with_hasher(BuildHasherDefault::new()));

/// How many entries a list takes before it looks which are stale.
const RECENT: usize = 64;

/// What one thread added to a group.
struct List {
    /// Written by that thread alone. Those below `len` stay as they are while `older` is locked.
    recent: [AtomicPtr<HandleEntry>; RECENT],
    len: AtomicUsize,
    older: Mutex<Older>,
}

struct Older {
    entries: Vec<&'static HandleEntry>,
    /// How long it becomes before stale entries are dropped.
    limit: usize,
}

impl List {
    fn new() -> Self {
        Self {
            recent: [const { AtomicPtr::new(ptr::null_mut()) }; RECENT],
            len: AtomicUsize::new(0),
            older: Mutex::new(Older {
                entries: Vec::new(),
                limit: 2 * RECENT,
            }),
        }
    }

    /// Adds an entry. For the list's own thread only.
    #[inline]
    fn add(&self, group: u64, entry: &'static HandleEntry) {
        let (mut len, entry) = (self.len.load(Ordering::Relaxed), ptr::from_ref(entry).cast_mut());
        // The entry of an object that has gone is used again first.
        if let Some(last) = self.recent[..len].last()
            && last.load(Ordering::Relaxed) == entry
        {
            return;
        }
        if len == RECENT {
            self.make_room(group);
            len = 0;
        }
        self.recent[len].store(entry, Ordering::Relaxed);
        self.len.store(len + 1, Ordering::Release);
    }

    fn recent(&self) -> impl Iterator<Item = &'static HandleEntry> {
        let len = self.len.load(Ordering::Acquire);
        self.recent[..len].iter().map(|entry| {
            // SAFETY: `add` put an entry there, and entries are never freed.
            unsafe { &*entry.load(Ordering::Relaxed) }
        })
    }

    #[cold]
    fn make_room(&self, group: u64) {
        let is_live = |entry: &&HandleEntry| {
            entry.state.load(Ordering::Acquire) != DEAD && entry.group.load(Ordering::Relaxed) == group as u32
        };
        let mut older = self.older.lock();
        older.entries.extend(self.recent().filter(is_live));
        if older.entries.len() >= older.limit {
            // An entry that was used again for the same group is there more than once.
            once(&mut older.entries);
            older.entries.retain(is_live);
            older.limit = 2 * older.entries.len().max(RECENT);
        }
        self.len.store(0, Ordering::Relaxed);
    }
}

/// The lists of a thread.
struct Own {
    lists: HashMap<u64, Arc<List>, BuildHasherDefault<NumberHasher>>,
    /// How many there are before those of groups that have gone are dropped.
    limit: usize,
}

impl Drop for Own {
    fn drop(&mut self) {
        LAST.set((0, ptr::null()));
    }
}

thread_local! {
    /// The list that this thread added to last, and its group, or 0: one of [`OWN`], which keeps it. Apart from these, since
    /// it is found at once.
    static LAST: Cell<(u64, *const List)> = const { Cell::new((0, ptr::null())) };
    static OWN: RefCell<Own> = const {
        RefCell::new(Own {
            lists: HashMap::with_hasher(BuildHasherDefault::new()),
            limit: 0,
        })
    };
}

/// Adds the entry of a new handle to its group.
#[inline]
pub(super) fn add(group: u64, entry: &'static HandleEntry) {
    let (last, list) = LAST.get();
    if last != group {
        return add_to_other(group, entry);
    }
    // SAFETY: one of `OWN`, which forgets it here before it drops a list.
    unsafe { &*list }.add(group, entry);
}

/// The same for a group to which the thread has not just added another.
#[inline(never)]
fn add_to_other(group: u64, entry: &'static HandleEntry) {
    let added = OWN.try_with(|own| match own.borrow().lists.get(&group) {
        Some(list) => {
            LAST.set((group, Arc::as_ptr(list)));
            list.add(group, entry);
            true
        }
        None => false,
    });
    if !matches!(added, Ok(true)) {
        add_first(group, entry);
    }
}

/// The same for a thread's first handle of a group, and for a thread that is ending and has lost its lists.
#[cold]
fn add_first(group: u64, entry: &'static HandleEntry) {
    let list = Arc::new(List::new());
    list.add(group, entry);
    match LISTS.lock().get_mut(&group) {
        Some(lists) => lists.push(list.clone()),
        // Nobody will look for it.
        None => return,
    }
    _ = OWN.try_with(|own| {
        let mut own = own.borrow_mut();
        if own.lists.len() >= own.limit {
            LAST.set((0, ptr::null()));
            own.lists.retain(|_, list| Arc::strong_count(list) != 1);
            own.limit = 2 * own.lists.len() + 8;
        }
        own.lists.insert(group, list);
    });
}

/// Numbers count up, and a hash table wants all bits to differ.
#[derive(Default)]
struct NumberHasher(u64);

impl Hasher for NumberHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _bytes: &[u8]) {
        unreachable!("the keys are numbers");
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        // 2^64 divided by the golden ratio.
        self.0 = number.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32);
    }
}

#[cfg(test)]
mod tests;
