// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Handles: what stands between a C pointer and an `Arc`.
//!
//! A handle points to a [`HandleEntry`]: the DDI pointer that the ABI demands, a tag that tells its type, the client's reference count, and
//! the object. Entries are never given back to the allocator, only to the pool of free entries, so that a stale handle meets
//! a dead tag (or, once the entry is used again for the same kind of object, another live object) and never freed memory.
//!
//! The client's references are counted in the entry, apart from those of `Arc`: while the client holds at least one, the entry owns one
//! strong reference. An object that others inside the adapter keep alive keeps its entry, so that a handle that a query
//! returns is good as long as the object is.

mod group;

use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::ptr::{self, NonNull};
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

use oxur_api::{self as ur, DdiTable, Handle, ResultCode};

pub use self::group::HandleGroup;
use crate::{UrError, UrResult};

/// A type of handle that an entry can stand behind.
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
    ExpExternalMemHandle b"exme" ERROR_INVALID_VALUE;
    ExpExternalSemaphoreHandle b"exse" ERROR_INVALID_VALUE;
}

/// An object that the client can hold a handle of.
pub trait Object: Send + Sync + Sized + 'static {
    /// Its type of handle.
    type Handle: HandleKind;

    /// Tells handles of this type of object from all others. Two types of object may be behind one type of handle.
    const TAG: u32 = Self::Handle::TAG;

    /// The member that connects the object with its handle.
    fn handle_cell(&self) -> &HandleCell;

    /// The number of the [`HandleGroup`] that finds it; 0 if nobody looks for it.
    #[inline]
    fn group(&self) -> u64 {
        0
    }
}

/// Says that a structure with a member `handle_cell: HandleCell` is the object behind a handle.
///
/// ```ignore
/// kit::object!(Context: ContextHandle);
/// ```
#[macro_export]
macro_rules! object {
    ($($object:ty: $handle:ident),* $(,)?) => { $(
        impl $crate::Object for $object {
            type Handle = $crate::ur::$handle;

            fn handle_cell(&self) -> &$crate::HandleCell {
                &self.handle_cell
            }
        }
    )* };
}

/// What a handle points to.
#[repr(C)]
struct HandleEntry {
    ddi: AtomicPtr<DdiTable>,
    /// Tells the type of the handle. It repeats the lower half of `state` in a word that no atomic operation writes while the
    /// object lives: a load from the word of such an operation waits for it, 5 cycles on processors of Intel's.
    tag: AtomicU32,
    /// The lower half of the object's group: enough to tell most objects of other groups without looking at them.
    group: AtomicU32,
    /// The tag in the lower half, the client's references in the upper one, so that taking a reference to a dying object
    /// fails atomically ([`HandleGroup::for_each`]).
    state: AtomicU64,
    /// `Arc::as_ptr` of the object.
    object: AtomicPtr<()>,
}

/// The state of an entry without an object.
const DEAD: u64 = 0;
/// A reference of the client's in an entry's state.
const REFERENCE: u64 = 1 << 32;

/// The tag in an entry's state.
#[inline(always)]
const fn tag(state: u64) -> u32 {
    state as u32
}

/// The client's references in an entry's state.
#[inline(always)]
fn references(state: u64) -> u32 {
    (state >> 32) as u32
}

/// The member of an object that knows its entry, once it has one.
#[derive(Default)]
pub struct HandleCell {
    entry: AtomicPtr<HandleEntry>,
}

impl HandleCell {
    /// Of an object that has no handle yet.
    pub const fn new() -> Self {
        Self {
            entry: AtomicPtr::new(ptr::null_mut()),
        }
    }

    /// How many references the client holds.
    pub fn references(&self) -> u32 {
        match NonNull::new(self.entry.load(Ordering::Acquire)) {
            // SAFETY: an entry that a handle cell points to is live, and entries are never freed.
            Some(entry) => references(unsafe { entry.as_ref() }.state.load(Ordering::Relaxed)),
            None => 0,
        }
    }

    /// Takes the entry from an object that is about to end, whose handle is stale from now on. The caller has its only reference.
    #[inline(always)]
    pub(crate) fn take_entry(&self) -> Option<FreeEntry> {
        let entry = NonNull::new(self.entry.load(Ordering::Relaxed))?;
        self.entry.store(ptr::null_mut(), Ordering::Relaxed);
        // SAFETY: entries are never freed.
        unsafe { entry.as_ref() }.kill();
        Some(FreeEntry(entry))
    }

    /// Makes the handle of an object stale that rests. The caller has its only reference.
    #[inline(always)]
    pub(crate) fn rest(&self) {
        if let Some(entry) = NonNull::new(self.entry.load(Ordering::Relaxed)) {
            // SAFETY: entries are never freed.
            unsafe { entry.as_ref() }.kill();
        }
    }

    /// Makes it the handle of the object again. The client has no reference of it.
    #[inline(always)]
    pub(crate) fn wake<T: Object>(object: &Arc<T>) {
        if let Some(entry) = NonNull::new(object.handle_cell().entry.load(Ordering::Relaxed)) {
            // SAFETY: entries are never freed.
            unsafe { entry.as_ref() }.fill(Arc::as_ptr(object), object.group(), 0);
        }
    }
}

impl Drop for HandleCell {
    #[inline(always)]
    fn drop(&mut self) {
        drop(self.take_entry());
    }
}

/// An entry that is no object's. It goes back to the pool if it is dropped.
pub(crate) struct FreeEntry(NonNull<HandleEntry>);

// SAFETY: who has it is the only one that knows the entry as a free one; all members of an entry are atomic.
unsafe impl Send for FreeEntry {}

impl FreeEntry {
    /// Makes it the entry of an object that nobody else may know yet, and that has none. The client has no reference of it.
    #[inline(always)]
    pub(crate) fn become_that_of<T: Object>(self, object: &Arc<T>) {
        if object.group() != 0 {
            // It would have to be in the group from now on.
            return;
        }
        let entry = self.into_inner();
        // SAFETY: entries are never freed.
        unsafe { entry.as_ref() }.fill(Arc::as_ptr(object), 0, 0);
        object.handle_cell().entry.store(entry.as_ptr(), Ordering::Release);
    }

    #[inline(always)]
    fn into_inner(self) -> NonNull<HandleEntry> {
        ManuallyDrop::new(self).0
    }
}

impl Drop for FreeEntry {
    #[inline]
    fn drop(&mut self) {
        pool::put(Self(self.0));
    }
}

impl HandleEntry {
    /// Makes it that of an object.
    #[inline(always)]
    fn fill<T: Object>(&self, object: *const T, group: u64, references: u64) {
        self.ddi.store(DDI.load(Ordering::Acquire), Ordering::Relaxed);
        self.group.store(group as u32, Ordering::Relaxed);
        self.object.store(object.cast_mut().cast(), Ordering::Relaxed);
        self.state
            .store(u64::from(T::TAG) + references * REFERENCE, Ordering::Release);
        self.tag.store(T::TAG, Ordering::Release);
    }

    /// Makes it no object's. Handles that point to it are stale from now on.
    #[inline(always)]
    fn kill(&self) {
        self.tag.store(tag(DEAD), Ordering::Release);
        self.state.store(DEAD, Ordering::Release);
    }
}

/// The DDI table that every handle of this adapter starts with. There is one adapter in a library.
static DDI: AtomicPtr<DdiTable> = AtomicPtr::new(ptr::null_mut());

/// Sets the table that handles made from now on point to, unless there is one.
pub(crate) fn set_first_ddi(table: &'static DdiTable) {
    let table = ptr::from_ref(table).cast_mut();
    _ = DDI.compare_exchange(ptr::null_mut(), table, Ordering::AcqRel, Ordering::Relaxed);
}

/// Sets the table that handles made from now on point to. It may have another layout: only loaders look into it.
pub(crate) fn set_ddi(table: *mut DdiTable) {
    DDI.store(table, Ordering::Release);
}

/// The handle of an object, without a reference for the client: what a query returns.
pub fn handle_of<T: Object>(object: &Arc<T>) -> T::Handle {
    let handle_cell = object.handle_cell();
    let known = handle_cell.entry.load(Ordering::Acquire);
    if !known.is_null() {
        return T::Handle::from_ptr(known.cast());
    }
    let new = pool::take().into_inner();
    // SAFETY: entries are never freed, and this one is ours until it is published below.
    let entry: &'static HandleEntry = unsafe { new.as_ref() };
    entry.fill(Arc::as_ptr(object), object.group(), 0);
    match handle_cell
        .entry
        .compare_exchange(ptr::null_mut(), new.as_ptr(), Ordering::AcqRel, Ordering::Acquire)
    {
        Ok(_) => {
            if object.group() != 0 {
                group::add(object.group(), entry);
            }
            T::Handle::from_ptr(new.as_ptr().cast())
        }
        Err(other) => {
            entry.kill();
            pool::put(FreeEntry(new));
            T::Handle::from_ptr(other.cast())
        }
    }
}

/// The handle of an object with a reference that the client must release.
pub fn export<T: Object>(object: &Arc<T>) -> T::Handle {
    let handle = handle_of(object);
    // SAFETY: `handle_of` returns a live entry of this type.
    add_reference::<T>(unsafe { &*handle.as_ptr().cast::<HandleEntry>() });
    handle
}

/// As [`export`], of an object that nobody else may know yet: then the entry takes the reference over as it is.
#[inline]
pub(crate) fn export_owned<T: Object>(object: Arc<T>) -> T::Handle {
    let handle_cell = object.handle_cell();
    let known = NonNull::new(handle_cell.entry.load(Ordering::Relaxed));
    if Arc::strong_count(&object) != 1
        || Arc::weak_count(&object) != 0
        // Others may find it in its group.
        || known.is_some() && object.group() != 0
    {
        return export(&object);
    }
    // Whoever else came to know the object would have done so by a reference: there is only this one, and it is ours.
    if let Some(known) = known {
        // SAFETY: entries are never freed.
        let entry = unsafe { known.as_ref() };
        if references(entry.state.load(Ordering::Relaxed)) != 0 {
            return export(&object);
        }
        entry.state.store(u64::from(T::TAG) + REFERENCE, Ordering::Release);
        // The entry has it now.
        std::mem::forget(object);
        return T::Handle::from_ptr(known.as_ptr().cast());
    }
    let new = pool::take().into_inner();
    // SAFETY: entries are never freed, and this one is ours until the handle is given away.
    let entry: &'static HandleEntry = unsafe { new.as_ref() };
    handle_cell.entry.store(new.as_ptr(), Ordering::Release);
    let group = object.group();
    entry.fill(Arc::into_raw(object), group, 1);
    if group != 0 {
        group::add(group, entry);
    }
    T::Handle::from_ptr(new.as_ptr().cast())
}

/// The entry of a handle, if it is of a live `T`.
///
/// # Safety
/// A handle that is not null must point to readable memory of the size of an entry.
#[inline(always)]
unsafe fn entry_if<'a, T: Object>(handle: T::Handle) -> Option<&'a HandleEntry> {
    let pointer = handle.as_ptr().cast::<HandleEntry>();
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
    let entry = unsafe { &*pointer };
    (entry.tag.load(Ordering::Acquire) == T::TAG).then_some(entry)
}

/// Finds the entry of a handle that a client gave, or says that it is none of `T`'s.
///
/// # Safety
/// As [`entry_if`].
#[inline(always)]
unsafe fn entry<'a, T: Object>(handle: T::Handle) -> UrResult<&'a HandleEntry> {
    // SAFETY: passed on to the caller.
    match unsafe { entry_if::<T>(handle) } {
        Some(entry) => Ok(entry),
        None => Err(no_object(handle.as_ptr().cast(), T::Handle::INVALID)),
    }
}

/// What is wrong with a handle that is none of the type it should be.
#[cold]
#[inline(never)]
fn no_object(pointer: *const HandleEntry, invalid: ResultCode) -> UrError {
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
#[cold]
#[inline(never)]
pub(crate) unsafe fn is<T: Object>(handle: T::Handle) -> bool {
    // SAFETY: passed on to the caller.
    unsafe { entry_if::<T>(handle) }.is_some()
}

/// An object borrowed through its handle: an `Arc` whose reference is the client's.
pub struct Borrowed<'a, T> {
    object: ManuallyDrop<Arc<T>>,
    client: PhantomData<&'a Arc<T>>,
}

impl<T> Borrowed<'_, T> {
    /// The object of an entry.
    ///
    /// # Safety
    /// The entry is live and has T's tag, and the client holds a reference while this lives.
    #[inline(always)]
    unsafe fn of(entry: &HandleEntry) -> Self {
        let pointer = entry.object.load(Ordering::Relaxed).cast_const().cast::<T>();
        Self {
            // SAFETY: a live entry holds `Arc::as_ptr` of an object of its tag, which lives while the client holds a
            // reference; the `ManuallyDrop` takes no part in the count.
            object: ManuallyDrop::new(unsafe { Arc::from_raw(pointer) }),
            client: PhantomData,
        }
    }
}

impl<T> Borrowed<'_, T> {
    /// The same once more. No `Clone`: `borrowed.clone()` is to be that of the `Arc`.
    #[inline(always)]
    pub(crate) fn reborrow(this: &Self) -> Self {
        Self {
            // SAFETY: the client's reference lives as long; the `ManuallyDrop` takes no part in the count.
            object: ManuallyDrop::new(unsafe { Arc::from_raw(Arc::as_ptr(&this.object)) }),
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
    let entry = unsafe { entry::<T>(handle) }?;
    // SAFETY: a live entry with T's tag.
    Ok(unsafe { Borrowed::of(entry) })
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
    // SAFETY: passed on to the caller; a live entry with T's tag.
    unsafe { entry_if::<T>(handle).map(|entry| Borrowed::of(entry)) }
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

fn add_reference<T: Object>(entry: &HandleEntry) {
    if references(entry.state.fetch_add(REFERENCE, Ordering::Relaxed)) == 0 {
        // SAFETY: the entry is live, so its object is; from here on the entry owns a strong reference.
        unsafe { Arc::increment_strong_count(entry.object.load(Ordering::Relaxed).cast_const().cast::<T>()) };
    }
}

/// `ur*Retain`.
///
/// # Safety
/// As [`object`].
pub unsafe fn retain<T: Object>(handle: T::Handle) -> UrResult<()> {
    // SAFETY: passed on to the caller.
    add_reference::<T>(unsafe { entry::<T>(handle) }?);
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

/// As [`release`]; `last` gets the entry's own reference of the object, if the client's last one went.
///
/// # Safety
/// As [`object`].
#[inline(always)]
pub(crate) unsafe fn release_to<T: Object>(handle: T::Handle, last: impl FnOnce(Arc<T>)) -> UrResult<()> {
    // SAFETY: passed on to the caller.
    let entry = unsafe { entry::<T>(handle) }?;
    // SAFETY: a live entry with T's tag.
    unsafe { entry.release::<T>(last) }
}

impl HandleEntry {
    /// Gives back a reference of the client's.
    ///
    /// # Safety
    /// It is the entry of a live `T`.
    #[inline(always)]
    unsafe fn release<T: Object>(&self, last: impl FnOnce(Arc<T>)) -> UrResult<()> {
        let pointer = self.object.load(Ordering::Relaxed).cast_const().cast::<T>();
        prefetch(pointer);
        let before = self.state.fetch_update(Ordering::AcqRel, Ordering::Relaxed, |state| {
            state.checked_sub(REFERENCE)
        });
        match before.map(references) {
            Err(_) => Err(released_too_often(T::Handle::INVALID)),
            Ok(1) => {
                // SAFETY: the entry's own strong reference, taken when the count left zero.
                last(unsafe { Arc::from_raw(pointer) });
                Ok(())
            }
            Ok(_) => Ok(()),
        }
    }
}

/// Has the processor read an object, which it would not begin to before a locked instruction is over.
#[inline(always)]
fn prefetch<T>(object: *const T) {
    #[cfg(target_arch = "x86_64")]
    for line in (0..size_of::<T>()).step_by(64) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a hint, which accesses nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(object.cast::<i8>().wrapping_add(line)) };
    }
}

#[cold]
fn released_too_often(invalid: ResultCode) -> UrError {
    UrError::with_message(invalid, "released more often than retained")
}

/// The pool of free entries: some in each thread, so that most calls take no lock, and the rest in a list for all.
mod pool {
    use std::cell::RefCell;

    use oxur_fork::Mutex;

    use super::*;

    /// How many entries are made, or go between a thread and the list for all, at once.
    const BATCH: usize = 128;

    /// What all threads share.
    static SHARED: Mutex<Vec<FreeEntry>> = Mutex::new(Vec::new());

    /// A thread's free entries, which go to all others when the thread ends.
    struct Local(Vec<FreeEntry>);

    impl Drop for Local {
        fn drop(&mut self) {
            SHARED.lock().append(&mut self.0);
        }
    }

    thread_local! {
        static LOCAL: RefCell<Local> = const { RefCell::new(Local(Vec::new())) };
    }

    /// Runs `f` with this thread's free entries; with those of all where the thread is ending and has lost its own.
    #[inline]
    fn with<R>(mut f: impl FnMut(&mut Vec<FreeEntry>) -> R) -> R {
        match LOCAL.try_with(|local| f(&mut local.borrow_mut().0)) {
            Ok(result) => result,
            Err(_) => f(&mut SHARED.lock()),
        }
    }

    #[inline]
    pub(super) fn take() -> FreeEntry {
        with(Vec::pop).unwrap_or_else(refill)
    }

    #[cold]
    fn refill() -> FreeEntry {
        let mut batch = {
            let mut shared = SHARED.lock();
            let rest = shared.len().saturating_sub(BATCH);
            shared.split_off(rest)
        };
        if batch.is_empty() {
            let new: Vec<HandleEntry> = (0..BATCH)
                .map(|_| HandleEntry {
                    ddi: AtomicPtr::new(ptr::null_mut()),
                    tag: AtomicU32::new(tag(DEAD)),
                    group: AtomicU32::new(0),
                    state: AtomicU64::new(DEAD),
                    object: AtomicPtr::new(ptr::null_mut()),
                })
                .collect();
            let new: &[HandleEntry] = new.leak();
            batch.extend(new.iter().map(|entry| FreeEntry(NonNull::from(entry))));
        }
        let entry = batch.pop().expect("a batch has entries");
        with(|free| free.append(&mut batch));
        entry
    }

    #[inline]
    pub(super) fn put(entry: FreeEntry) {
        let mut entry = Some(entry);
        let count = with(|free| {
            free.extend(entry.take());
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
        SHARED.lock().append(&mut batch);
    }
}
