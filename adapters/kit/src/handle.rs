// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Handles: what stands between a C pointer and an `Arc`.
//!
//! A handle points to a [`Slot`]: the DDI pointer that the ABI demands, a tag that tells its type, the client's reference count, and
//! the object. Slots are never given back to the allocator, only to the pool of free slots, so that a stale handle meets
//! a dead tag (or, once the slot is used again for the same kind of object, another live object) and never freed memory.
//!
//! The client's references are counted in the slot, apart from those of `Arc`: while the client holds at least one, the slot owns one
//! strong reference. An object that others inside the adapter keep alive keeps its slot, so that a handle that a query
//! returns is good as long as the object is.

use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::ptr::{self, NonNull};
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use oxur_api::{self as ur, DdiTable, Handle, ResultCode};

use crate::{UrError, UrResult};

/// A type of handle that a slot can stand behind.
pub trait HandleKind: Handle + Send + Sync + 'static {
    /// Tells this type of handle from the others.
    const TAG: u32;
    /// What a function answers to a handle that is none of this type.
    const INVALID: ResultCode;
}

macro_rules! handle_kinds {
    ($($handle:ident $tag:literal $invalid:ident;)*) => { $(
        impl HandleKind for ur::$handle {
            const TAG: u32 = u32::from_le_bytes(*$tag);
            const INVALID: ResultCode = ResultCode::$invalid;
        }
    )* };
}

handle_kinds! {
    AdapterHandle b"adap" ERROR_INVALID_NULL_HANDLE;
    PlatformHandle b"plat" ERROR_INVALID_PLATFORM;
    DeviceHandle b"devi" ERROR_INVALID_DEVICE;
    ContextHandle b"cont" ERROR_INVALID_CONTEXT;
    QueueHandle b"queu" ERROR_INVALID_QUEUE;
    EventHandle b"even" ERROR_INVALID_EVENT;
    MemHandle b"memo" ERROR_INVALID_MEM_OBJECT;
    SamplerHandle b"samp" ERROR_INVALID_SAMPLER;
    ProgramHandle b"prog" ERROR_INVALID_PROGRAM;
    KernelHandle b"kern" ERROR_INVALID_KERNEL;
    UsmPoolHandle b"pool" ERROR_INVALID_VALUE;
    PhysicalMemHandle b"phys" ERROR_INVALID_VALUE;
    ExpCommandBufferHandle b"cbuf" ERROR_INVALID_COMMAND_BUFFER_EXP;
    ExpCommandBufferCommandHandle b"ccmd" ERROR_INVALID_COMMAND_BUFFER_COMMAND_HANDLE_EXP;
    ExpGraphHandle b"grap" ERROR_INVALID_GRAPH;
    ExpExecutableGraphHandle b"exgr" ERROR_INVALID_GRAPH;
}

/// An object that the client can hold a handle of.
pub trait Object: Send + Sync + Sized + 'static {
    /// Its type of handle.
    type Handle: HandleKind;

    /// Tells handles of this type of object from all others. Two types of object may be behind one type of handle.
    const TAG: u32 = Self::Handle::TAG;

    /// The member that connects the object with its handle.
    fn header(&self) -> &Header;

    /// What [`for_each_live_handle`] finds it by; 0 if nobody looks for it.
    #[inline]
    fn group(&self) -> u64 {
        0
    }
}

/// Says that a structure with a member `header: Header` is the object behind a handle.
///
/// ```ignore
/// kit::object!(Context: ContextHandle);
/// ```
#[macro_export]
macro_rules! object {
    ($($object:ty: $handle:ident),* $(,)?) => { $(
        impl $crate::Object for $object {
            type Handle = $crate::ur::$handle;

            fn header(&self) -> &$crate::Header {
                &self.header
            }
        }
    )* };
}

/// What a handle points to.
#[repr(C)]
struct Slot {
    ddi: AtomicPtr<DdiTable>,
    /// The tag in the lower half, the client's references in the upper one: who takes a reference of what may be about to
    /// go ([`for_each_live_handle`]) must know in one step that it is still the same.
    state: AtomicU64,
    /// `Arc::as_ptr` of the object.
    object: AtomicPtr<()>,
    /// Of the object.
    group: AtomicU64,
}

const DEAD: u64 = 0;
/// A reference of the client's in a slot's state.
const REFERENCE: u64 = 1 << 32;

/// The tag in a slot's state.
#[inline(always)]
fn tag(state: u64) -> u32 {
    state as u32
}

/// The client's references in a slot's state.
#[inline(always)]
fn references(state: u64) -> u32 {
    (state >> 32) as u32
}

/// The member of an object that knows its slot, once it has one.
#[derive(Default)]
pub struct Header {
    slot: AtomicPtr<Slot>,
}

impl Header {
    /// Of an object that has no handle yet.
    pub const fn new() -> Self {
        Self {
            slot: AtomicPtr::new(ptr::null_mut()),
        }
    }

    /// How many references the client holds.
    pub fn references(&self) -> u32 {
        match NonNull::new(self.slot.load(Ordering::Acquire)) {
            // SAFETY: a slot that a header points to is live, and slots are never freed.
            Some(slot) => references(unsafe { slot.as_ref() }.state.load(Ordering::Relaxed)),
            None => 0,
        }
    }
}

impl Drop for Header {
    fn drop(&mut self) {
        if let Some(slot) = NonNull::new(*self.slot.get_mut()) {
            // SAFETY: slots are never freed.
            unsafe { slot.as_ref() }.state.store(DEAD, Ordering::Release);
            pool::put(slot);
        }
    }
}

impl Slot {
    /// Makes it that of an object.
    #[inline(always)]
    fn fill<T: Object>(&self, object: *const T, group: u64, references: u64) {
        self.ddi.store(DDI.load(Ordering::Acquire), Ordering::Relaxed);
        self.group.store(group, Ordering::Relaxed);
        self.object.store(object.cast_mut().cast(), Ordering::Relaxed);
        self.state
            .store(u64::from(T::TAG) + references * REFERENCE, Ordering::Release);
    }
}

/// The DDI table that every handle of this adapter starts with. There is one adapter in a library.
static DDI: AtomicPtr<DdiTable> = AtomicPtr::new(ptr::null_mut());

/// Sets the table that handles made from now on point to.
pub(crate) fn set_ddi(table: &'static DdiTable) {
    DDI.store(ptr::from_ref(table).cast_mut(), Ordering::Release);
}

/// The handle of an object, without a reference for the client: what a query returns.
pub fn handle_of<T: Object>(object: &Arc<T>) -> T::Handle {
    let header = object.header();
    let known = header.slot.load(Ordering::Acquire);
    if !known.is_null() {
        return T::Handle::from_ptr(known.cast());
    }
    let new = pool::take();
    // SAFETY: slots are never freed, and this one is ours until it is published below.
    let slot = unsafe { new.as_ref() };
    slot.fill(Arc::as_ptr(object), object.group(), 0);
    match header
        .slot
        .compare_exchange(ptr::null_mut(), new.as_ptr(), Ordering::AcqRel, Ordering::Acquire)
    {
        Ok(_) => T::Handle::from_ptr(new.as_ptr().cast()),
        Err(other) => {
            slot.state.store(DEAD, Ordering::Release);
            pool::put(new);
            T::Handle::from_ptr(other.cast())
        }
    }
}

/// The handle of an object with a reference that the client must release.
pub fn export<T: Object>(object: &Arc<T>) -> T::Handle {
    let handle = handle_of(object);
    // SAFETY: `handle_of` returns a live slot of this type.
    add_reference::<T>(unsafe { &*handle.as_ptr().cast::<Slot>() });
    handle
}

/// As [`export`], of an object that nobody else may know yet: then the slot takes the reference over as it is.
#[inline]
pub(crate) fn export_owned<T: Object>(object: Arc<T>) -> T::Handle {
    let header = object.header();
    if !header.slot.load(Ordering::Relaxed).is_null()
        || Arc::strong_count(&object) != 1
        || Arc::weak_count(&object) != 0
    {
        return export(&object);
    }
    // Whoever else came to know the object would have done so by a reference: there is only this one, and it is ours.
    let new = pool::take();
    // SAFETY: slots are never freed, and this one is ours until the handle is given away.
    let slot = unsafe { new.as_ref() };
    header.slot.store(new.as_ptr(), Ordering::Release);
    let group = object.group();
    slot.fill(Arc::into_raw(object), group, 1);
    T::Handle::from_ptr(new.as_ptr().cast())
}

/// The slot of a handle, if it is of a live `T`.
///
/// # Safety
/// A handle that is not null must point to readable memory of the size of a slot.
#[inline(always)]
unsafe fn slot_if<'a, T: Object>(handle: T::Handle) -> Option<&'a Slot> {
    let pointer = handle.as_ptr().cast::<Slot>();
    // Two jumps that are not taken cost less than what the compiler would make of one condition.
    if pointer.is_null() {
        std::hint::cold_path();
        return None;
    }
    if !pointer.is_aligned() {
        std::hint::cold_path();
        return None;
    }
    // SAFETY: not null and aligned; readable as the caller promises.
    let slot = unsafe { &*pointer };
    (tag(slot.state.load(Ordering::Acquire)) == T::TAG).then_some(slot)
}

/// Finds the slot of a handle that a client gave, or says that it is none of `T`'s.
///
/// # Safety
/// As [`slot_if`].
#[inline(always)]
unsafe fn slot<'a, T: Object>(handle: T::Handle) -> UrResult<&'a Slot> {
    // SAFETY: passed on to the caller.
    match unsafe { slot_if::<T>(handle) } {
        Some(slot) => Ok(slot),
        None => Err(no_object(handle.as_ptr().cast(), T::Handle::INVALID)),
    }
}

/// What is wrong with a handle that is none of the type it should be.
#[cold]
#[inline(never)]
fn no_object(pointer: *const Slot, invalid: ResultCode) -> UrError {
    if pointer.is_null() {
        return ResultCode::ERROR_INVALID_NULL_HANDLE.into();
    }
    let what = match pointer.is_aligned() {
        true => "the handle is of another type, from another adapter, or was released before",
        false => "the handle is not a pointer to an object of this adapter",
    };
    UrError::with_message(invalid, what)
}

/// Whether a handle is of a live `T`. For handles that turned out to be of another type of object than expected.
///
/// # Safety
/// As [`object`].
pub(crate) unsafe fn is<T: Object>(handle: T::Handle) -> bool {
    // SAFETY: passed on to the caller.
    unsafe { slot_if::<T>(handle) }.is_some()
}

/// An object borrowed through its handle: an `Arc` whose reference is the client's.
pub struct Borrowed<'a, T> {
    object: ManuallyDrop<Arc<T>>,
    client: PhantomData<&'a Arc<T>>,
}

impl<T> Borrowed<'_, T> {
    /// The object of a slot.
    ///
    /// # Safety
    /// The slot is live and has T's tag, and the client holds a reference while this lives.
    #[inline(always)]
    unsafe fn of(slot: &Slot) -> Self {
        let pointer = slot.object.load(Ordering::Relaxed).cast_const().cast::<T>();
        Self {
            // SAFETY: a live slot holds `Arc::as_ptr` of an object of its tag, which lives while the client holds a
            // reference; the `ManuallyDrop` takes no part in the count.
            object: ManuallyDrop::new(unsafe { Arc::from_raw(pointer) }),
            client: PhantomData,
        }
    }
}

impl<'a, T> From<&'a Arc<T>> for Borrowed<'a, T> {
    #[inline(always)]
    fn from(object: &'a Arc<T>) -> Self {
        Self {
            // SAFETY: the `Arc` lives for 'a; the `ManuallyDrop` takes no part in the count.
            object: ManuallyDrop::new(unsafe { Arc::from_raw(Arc::as_ptr(object)) }),
            client: PhantomData,
        }
    }
}

impl<T> Deref for Borrowed<'_, T> {
    type Target = Arc<T>;

    fn deref(&self) -> &Arc<T> {
        &self.object
    }
}

/// The object behind a handle.
///
/// # Safety
/// A handle that is not null must point to readable memory, and the client must hold a reference of the object for `'a`.
#[inline(always)]
pub unsafe fn object<'a, T: Object>(handle: T::Handle) -> UrResult<Borrowed<'a, T>> {
    // SAFETY: passed on to the caller.
    let slot = unsafe { slot::<T>(handle) }?;
    // SAFETY: a live slot with T's tag.
    Ok(unsafe { Borrowed::of(slot) })
}

/// The object behind a handle that a function of this adapter has just made; the reference of the handle goes over to the
/// answer.
///
/// # Safety
/// As [`object`]. The caller gives the handle's reference up.
pub unsafe fn take<T: Object>(handle: T::Handle) -> UrResult<Arc<T>> {
    // SAFETY: passed on to the caller.
    unsafe {
        let taken = object::<T>(handle)?.clone();
        release::<T>(handle)?;
        Ok(taken)
    }
}

/// As [`object`], if there is one: for a caller who has another way for all other handles.
///
/// # Safety
/// As [`object`].
#[inline(always)]
pub(crate) unsafe fn object_if<'a, T: Object>(handle: T::Handle) -> Option<Borrowed<'a, T>> {
    // SAFETY: passed on to the caller; a live slot with T's tag.
    unsafe { slot_if::<T>(handle).map(|slot| Borrowed::of(slot)) }
}

/// As [`object`]; a null handle is `None`.
///
/// # Safety
/// As [`object`].
#[inline]
pub unsafe fn optional_object<'a, T: Object>(handle: T::Handle) -> UrResult<Option<Borrowed<'a, T>>> {
    if handle.is_null() {
        return Ok(None);
    }
    // SAFETY: passed on to the caller.
    unsafe { object(handle) }.map(Some)
}

fn add_reference<T: Object>(slot: &Slot) {
    if references(slot.state.fetch_add(REFERENCE, Ordering::Relaxed)) == 0 {
        // SAFETY: the slot is live, so its object is; from here on the slot owns a strong reference.
        unsafe { Arc::increment_strong_count(slot.object.load(Ordering::Relaxed).cast_const().cast::<T>()) };
    }
}

/// `ur*Retain`.
///
/// # Safety
/// As [`object`].
pub unsafe fn retain<T: Object>(handle: T::Handle) -> UrResult<()> {
    // SAFETY: passed on to the caller.
    add_reference::<T>(unsafe { slot::<T>(handle) }?);
    Ok(())
}

/// `ur*Release`: the object goes with its last reference. Releasing more often than retained is an error.
///
/// # Safety
/// As [`object`].
pub unsafe fn release<T: Object>(handle: T::Handle) -> UrResult<()> {
    // SAFETY: passed on to the caller.
    unsafe { release_to::<T>(handle, drop) }
}

/// As [`release`]; `last` gets the slot's own reference of the object, if the client's last one went.
///
/// # Safety
/// As [`object`].
#[inline(always)]
pub(crate) unsafe fn release_to<T: Object>(handle: T::Handle, last: impl FnOnce(Arc<T>)) -> UrResult<()> {
    // SAFETY: passed on to the caller.
    let slot = unsafe { slot::<T>(handle) }?;
    // SAFETY: a live slot with T's tag.
    unsafe { slot.release::<T>(last) }
}

impl Slot {
    /// Gives back a reference of the client's.
    ///
    /// # Safety
    /// It is the slot of a live `T`.
    #[inline(always)]
    unsafe fn release<T: Object>(&self, last: impl FnOnce(Arc<T>)) -> UrResult<()> {
        let pointer = self.object.load(Ordering::Relaxed).cast_const().cast::<T>();
        let before = self.state.fetch_update(Ordering::AcqRel, Ordering::Relaxed, |state| {
            state.checked_sub(REFERENCE)
        });
        match before.map(references) {
            Err(_) => Err(released_too_often(T::Handle::INVALID)),
            Ok(1) => {
                // SAFETY: the slot's own strong reference, taken when the count left zero.
                last(unsafe { Arc::from_raw(pointer) });
                Ok(())
            }
            Ok(_) => Ok(()),
        }
    }
}

/// Calls `f` with every object of a group (not 0) that the client has a reference of. It looks at all handles that there
/// are, so it is for what happens rarely; but it costs the objects nothing that they can be found.
pub fn for_each_live_handle<T: Object>(group: u64, mut f: impl FnMut(&Arc<T>)) {
    for slot in pool::all().into_iter().flatten() {
        let is_held =
            |state| tag(state) == T::TAG && references(state) != 0 && slot.group.load(Ordering::Relaxed) == group;
        let held = slot.state.fetch_update(Ordering::Acquire, Ordering::Acquire, |state| {
            is_held(state).then_some(state + REFERENCE)
        });
        if held.is_err() {
            continue;
        }
        // SAFETY: the reference that was just taken as the client would, so it is a live `T` until that is given back.
        unsafe {
            let object = Borrowed::<T>::of(slot);
            // It may be another one since the group was looked at.
            if object.group() == group {
                f(&object);
            }
            slot.release::<T>(drop).expect("there is that reference");
        }
    }
}

#[cold]
fn released_too_often(invalid: ResultCode) -> UrError {
    UrError::with_message(invalid, "released more often than retained")
}

/// The pool of free slots: some in each thread, so that most calls take no lock, and the rest in a list for all.
mod pool {
    use std::cell::RefCell;

    use oxur_fork::Mutex;

    use super::*;

    /// How many slots are made, or go between a thread and the list for all, at once.
    const BATCH: usize = 128;

    struct Free(NonNull<Slot>);
    // SAFETY: a free slot is owned by the pool alone; all members of a slot are atomic.
    unsafe impl Send for Free {}

    static SHARED: Mutex<Shared> = Mutex::new(Shared {
        free: Vec::new(),
        all: Vec::new(),
    });

    /// What all threads share.
    struct Shared {
        free: Vec<Free>,
        /// All slots, free or not, in the batches in which they were made.
        all: Vec<&'static [Slot]>,
    }

    /// A thread's free slots, which go to all others when the thread ends.
    struct Local(Vec<Free>);

    impl Drop for Local {
        fn drop(&mut self) {
            SHARED.lock().free.append(&mut self.0);
        }
    }

    thread_local! {
        static LOCAL: RefCell<Local> = const { RefCell::new(Local(Vec::new())) };
    }

    /// Runs `f` with this thread's free slots; with those of all where the thread is ending and has lost its own.
    #[inline]
    fn with<R>(mut f: impl FnMut(&mut Vec<Free>) -> R) -> R {
        match LOCAL.try_with(|local| f(&mut local.borrow_mut().0)) {
            Ok(result) => result,
            Err(_) => f(&mut SHARED.lock().free),
        }
    }

    #[inline]
    pub(super) fn take() -> NonNull<Slot> {
        match with(Vec::pop) {
            Some(Free(slot)) => slot,
            None => refill(),
        }
    }

    /// All slots that there are.
    pub(super) fn all() -> Vec<&'static [Slot]> {
        SHARED.lock().all.clone()
    }

    #[cold]
    fn refill() -> NonNull<Slot> {
        let mut batch = {
            let mut shared = SHARED.lock();
            let rest = shared.free.len().saturating_sub(BATCH);
            shared.free.split_off(rest)
        };
        if batch.is_empty() {
            let new: Vec<Slot> = (0..BATCH)
                .map(|_| Slot {
                    ddi: AtomicPtr::new(ptr::null_mut()),
                    state: AtomicU64::new(DEAD),
                    object: AtomicPtr::new(ptr::null_mut()),
                    group: AtomicU64::new(0),
                })
                .collect();
            let new: &[Slot] = new.leak();
            SHARED.lock().all.push(new);
            batch.extend(new.iter().map(|slot| Free(NonNull::from(slot))));
        }
        let Free(slot) = batch.pop().expect("a batch has slots");
        with(|free| free.append(&mut batch));
        slot
    }

    #[inline]
    pub(super) fn put(slot: NonNull<Slot>) {
        let count = with(|free| {
            free.push(Free(slot));
            free.len()
        });
        // A thread that releases what others create does not keep it all.
        if count >= 2 * BATCH {
            spill();
        }
    }

    #[cold]
    fn spill() {
        let mut batch = with(|free| free.split_off(free.len().saturating_sub(BATCH)));
        SHARED.lock().free.append(&mut batch);
    }
}

#[cfg(test)]
mod tests;
