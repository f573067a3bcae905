// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! OpenCL handles: what `cl_device_id` and the others point to.
//!
//! An ICD loader reads the first word of a handle, which is the address of a dispatch table, and calls through that. The
//! first word of a UR handle is another table, so an object that is asked for its OpenCL handle gets an entry here.
//!
//! The client's OpenCL references are counted in the entry. While there is one, the entry owns a strong reference of the
//! object; an object that UR or another object keeps alive keeps its entry, so that the handle stays the same. Entries are
//! never freed, only used again, and a handle counts as one only if it is the address of an entry: null pointers, handles of
//! other drivers and released ones are errors.

use std::ffi::c_void;
use std::ptr::{self, NonNull};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};

use opencl_sys::cl_icd::cl_icd_dispatch;
use opencl_sys::*;
use oxur_adapter_kit as kit;
use oxur_fork::Mutex;

use super::dispatch::DISPATCH;
use super::error::{ClError, ClResult};
use crate::{Context, Device, Event, Kernel, Mem, Platform, Program, Queue, Sampler};

/// An object that has an OpenCL handle.
pub(crate) trait ClObject: kit::Object {
    /// Tells handles of this type from the others.
    const KIND: u32;
    /// What a function answers to a handle that is none of this type.
    const INVALID: cl_int;

    /// The member that knows its entry.
    fn native_cell(&self) -> &NativeCell;
}

macro_rules! objects {
    ($($object:ident $kind:literal $invalid:ident;)*) => { $(
        impl ClObject for $object {
            const KIND: u32 = $kind;
            const INVALID: cl_int = $invalid;

            fn native_cell(&self) -> &NativeCell {
                &self.native
            }
        }
    )* };
}

objects! {
    Platform 1 CL_INVALID_PLATFORM;
    Device 2 CL_INVALID_DEVICE;
    Context 3 CL_INVALID_CONTEXT;
    Queue 4 CL_INVALID_COMMAND_QUEUE;
    Event 5 CL_INVALID_EVENT;
    Mem 6 CL_INVALID_MEM_OBJECT;
    Sampler 7 CL_INVALID_SAMPLER;
    Program 8 CL_INVALID_PROGRAM;
    Kernel 9 CL_INVALID_KERNEL;
}

/// What a handle points to.
#[repr(C)]
struct Entry {
    /// ICD loaders call through it.
    dispatch: &'static cl_icd_dispatch,
    /// The kind in the lower half, the client's references in the upper one. Zero is a free entry.
    state: AtomicU64,
    /// `Arc::as_ptr` of the object.
    object: AtomicPtr<()>,
}

const FREE: u64 = 0;
const REFERENCE: u64 = 1 << 32;

fn kind(state: u64) -> u32 {
    state as u32
}

fn references(state: u64) -> u32 {
    (state >> 32) as u32
}

/// The member of an object that knows its entry, once it has one.
#[derive(Default)]
pub(crate) struct NativeCell(AtomicPtr<Entry>);

impl NativeCell {
    /// Of an object that nobody has asked for its OpenCL handle.
    #[inline]
    pub(crate) const fn new() -> Self {
        Self(AtomicPtr::new(ptr::null_mut()))
    }

    fn entry(&self) -> Option<&'static Entry> {
        // SAFETY: entries are never freed.
        NonNull::new(self.0.load(Ordering::Acquire)).map(|entry| unsafe { entry.as_ref() })
    }
}

impl Drop for NativeCell {
    #[inline]
    fn drop(&mut self) {
        if !self.0.get_mut().is_null() {
            self.give_back();
        }
    }
}

impl NativeCell {
    #[cold]
    fn give_back(&mut self) {
        if let Some(entry) = self.entry() {
            entry.state.store(FREE, Ordering::Release);
            POOL.free.lock().push(entry);
        }
    }
}

/// Where entries come from: blocks, each twice as large as the one before, that are never freed.
struct Pool {
    blocks: [AtomicPtr<Entry>; 32],
    free: Mutex<Vec<&'static Entry>>,
}

/// How many entries the first block has.
const FIRST: usize = 64;

static POOL: Pool = Pool {
    blocks: [const { AtomicPtr::new(ptr::null_mut()) }; 32],
    free: Mutex::new(Vec::new()),
};

impl Pool {
    fn take(&self) -> &'static Entry {
        let mut free = self.free.lock();
        if free.is_empty() {
            ANY.store(true, Ordering::Relaxed);
            let place = self
                .blocks
                .iter()
                .position(|block| block.load(Ordering::Relaxed).is_null());
            let place = place.expect("there are fewer objects than addresses");
            let new = || Entry {
                dispatch: &DISPATCH,
                state: AtomicU64::new(FREE),
                object: AtomicPtr::new(ptr::null_mut()),
            };
            let block: &'static [Entry] = Vec::leak((0..FIRST << place).map(|_| new()).collect());
            self.blocks[place].store(block.as_ptr().cast_mut(), Ordering::Release);
            free.extend(block.iter().rev());
        }
        free.pop().expect("there is one by now")
    }

    /// The entry at an address.
    fn find(&self, handle: *mut c_void) -> Option<&'static Entry> {
        for (place, block) in self.blocks.iter().enumerate() {
            let first = block.load(Ordering::Acquire);
            if first.is_null() {
                return None;
            }
            let offset = (handle as usize).wrapping_sub(first as usize);
            if offset < (FIRST << place) * size_of::<Entry>() && offset.is_multiple_of(size_of::<Entry>()) {
                // SAFETY: inside of a block, which is never freed.
                return Some(unsafe { &*first.add(offset / size_of::<Entry>()) });
            }
        }
        None
    }
}

/// Whether anything has an OpenCL handle: most processes never ask for one.
#[inline]
pub(crate) fn are_there() -> bool {
    ANY.load(Ordering::Relaxed)
}

static ANY: AtomicBool = AtomicBool::new(false);

/// The handle of an object, without a reference for the client.
pub(crate) fn handle_of<T: ClObject>(object: &Arc<T>) -> *mut c_void {
    let cell = object.native_cell();
    if let Some(known) = cell.entry() {
        return ptr::from_ref(known).cast_mut().cast();
    }
    let entry = POOL.take();
    entry
        .object
        .store(Arc::as_ptr(object).cast_mut().cast(), Ordering::Relaxed);
    entry.state.store(T::KIND.into(), Ordering::Release);
    let new = ptr::from_ref(entry).cast_mut();
    match cell
        .0
        .compare_exchange(ptr::null_mut(), new, Ordering::AcqRel, Ordering::Acquire)
    {
        Ok(_) => new.cast(),
        Err(other) => {
            entry.state.store(FREE, Ordering::Release);
            POOL.free.lock().push(entry);
            other.cast()
        }
    }
}

/// The handle of an object with a reference that the client must release.
pub(crate) fn export<T: ClObject>(object: &Arc<T>) -> *mut c_void {
    let handle = handle_of(object);
    let entry = object.native_cell().entry().expect("it has one by now");
    entry.add_reference::<T>();
    handle
}

impl Entry {
    fn add_reference<T: ClObject>(&self) {
        if references(self.state.fetch_add(REFERENCE, Ordering::Relaxed)) == 0 {
            // SAFETY: the entry is that of a live `T`; from here on it owns a strong reference.
            unsafe { Arc::increment_strong_count(self.object.load(Ordering::Relaxed).cast_const().cast::<T>()) };
        }
    }
}

fn entry<T: ClObject>(handle: *mut c_void) -> ClResult<&'static Entry> {
    let found = POOL.find(handle);
    found
        .filter(|entry| kind(entry.state.load(Ordering::Acquire)) == T::KIND)
        .ok_or_else(|| {
            let what = if handle.is_null() {
                "the handle is null"
            } else {
                "the handle is of another type, from another driver, or was released before"
            };
            ClError::with_message(T::INVALID, what)
        })
}

/// The object behind a handle, which the client promises to keep meanwhile.
pub(crate) fn object<T: ClObject>(handle: *mut c_void) -> ClResult<Arc<T>> {
    let pointer = entry::<T>(handle)?
        .object
        .load(Ordering::Relaxed)
        .cast_const()
        .cast::<T>();
    // SAFETY: the entry is that of a live `T`, whose reference count this adds to.
    unsafe {
        Arc::increment_strong_count(pointer);
        Ok(Arc::from_raw(pointer))
    }
}

/// The objects behind a list of handles.
pub(crate) fn objects<T: ClObject>(handles: &[*mut c_void]) -> ClResult<Vec<Arc<T>>> {
    handles.iter().map(|handle| object(*handle)).collect()
}

/// `clRetain*`.
pub(crate) fn retain<T: ClObject>(handle: *mut c_void) -> ClResult<()> {
    entry::<T>(handle)?.add_reference::<T>();
    Ok(())
}

/// `clRelease*`. What the client has no reference of, but UR, is not the client's to release.
pub(crate) fn release<T: ClObject>(handle: *mut c_void) -> ClResult<()> {
    let entry = entry::<T>(handle)?;
    let pointer = entry.object.load(Ordering::Relaxed).cast_const().cast::<T>();
    let before = entry.state.fetch_update(Ordering::AcqRel, Ordering::Relaxed, |state| {
        state.checked_sub(REFERENCE)
    });
    match before.map(references) {
        Err(_) => Err(ClError::with_message(T::INVALID, "released more often than retained")),
        Ok(1) => {
            // SAFETY: the entry's own strong reference, taken when the count left zero.
            drop(unsafe { Arc::from_raw(pointer) });
            Ok(())
        }
        Ok(_) => Ok(()),
    }
}

/// The reference count that OpenCL answers: that of the client, and one if UR has any.
pub(crate) fn reference_count<T: ClObject>(object: &T) -> cl_uint {
    let own = object
        .native_cell()
        .entry()
        .map_or(0, |entry| references(entry.state.load(Ordering::Relaxed)));
    own + cl_uint::from(object.handle_cell().references() != 0)
}

#[cfg(test)]
mod tests {
    use kit::Context as _;

    use super::*;

    fn context() -> Arc<Context> {
        let platform = Platform::new(kit::ur::Backend::OPENCL);
        Context::create(kit::Platform::devices(&*platform).to_vec(), Default::default()).unwrap()
    }

    #[test]
    fn a_handle_keeps_its_object() {
        let context = context();
        let weak = Arc::downgrade(&context);
        let handle = export(&context);
        assert_eq!(handle_of(&context), handle);
        // SAFETY: an entry begins with the table's address.
        let table = unsafe { *handle.cast::<*const cl_icd_dispatch>() };
        assert!(ptr::eq(table, &raw const DISPATCH));
        assert_eq!(reference_count(&*context), 1);
        drop(context);
        retain::<Context>(handle).unwrap();
        release::<Context>(handle).unwrap();
        assert!(weak.upgrade().is_some());
        release::<Context>(handle).unwrap();
        assert!(weak.upgrade().is_none());
        assert_eq!(release::<Context>(handle).unwrap_err().code, CL_INVALID_CONTEXT);
    }

    #[test]
    fn what_is_no_handle() {
        let context = context();
        let handle = handle_of(&context);
        assert_eq!(
            release::<Context>(handle).unwrap_err().code,
            CL_INVALID_CONTEXT,
            "it is UR's"
        );
        assert_eq!(retain::<Queue>(handle).unwrap_err().code, CL_INVALID_COMMAND_QUEUE);
        let others = [
            ptr::null_mut(),
            8 as *mut c_void,
            handle.wrapping_byte_add(8),
            usize::MAX as *mut c_void,
        ];
        for other in others {
            assert_eq!(
                retain::<Context>(other).unwrap_err().code,
                CL_INVALID_CONTEXT,
                "{other:p}"
            );
        }
        drop(context);
        assert_eq!(
            retain::<Context>(handle).unwrap_err().code,
            CL_INVALID_CONTEXT,
            "it is gone"
        );
    }

    #[test]
    fn many() {
        let all: Vec<_> = (0..300).map(|_| context()).collect();
        let handles: Vec<_> = all.iter().map(handle_of).collect();
        for (context, handle) in all.iter().zip(&handles) {
            assert!(Arc::ptr_eq(context, &object::<Context>(*handle).unwrap()));
        }
    }
}
