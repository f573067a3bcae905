// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Unified shared memory: allocations and pools.

use std::ptr::null_mut;

use oxur_api::*;

use crate::{Context, Device, FromInfo, Plain, Result, info};

object! {
    /// A pool for USM allocations.
    UsmPool(UsmPoolHandle): urUSMPoolRetain, urUSMPoolRelease, UsmPoolInfo = urUSMPoolGetInfo
}

impl UsmPool {
    /// A pool.
    pub fn new(context: &Context, flags: UsmPoolFlags) -> Result<Self> {
        let mut desc = UsmPoolDesc {
            flags,
            ..Default::default()
        };
        let mut handle = UsmPoolHandle::default();
        // SAFETY: the context is alive, description and result pointers are valid.
        unsafe { context.fns().urUSMPoolCreate(context.raw(), &mut desc, &mut handle) }?;
        // SAFETY: a new pool comes with one reference.
        Ok(unsafe { Self::from_raw(context.loader(), handle) })
    }
}

/// The requirements for an allocation; `Default` has none.
#[derive(Clone, Copy, Debug, Default)]
pub struct UsmRequest<'a> {
    /// Alignment in bytes, a power of two; 0 leaves it to the adapter.
    pub align: u32,
    /// The pool to allocate from.
    pub pool: Option<&'a UsmPool>,
    /// Hints.
    pub hints: UsmAdviceFlags,
}

/// Memory for kernels and, unless it is device memory, for the host. It is freed on drop.
#[derive(Debug)]
pub struct Usm {
    pointer: *mut c_void,
    size: usize,
    context: Context,
}

// SAFETY: it is an address; only unsafe functions access the memory.
unsafe impl Send for Usm {}
// SAFETY: as above.
unsafe impl Sync for Usm {}

impl Usm {
    /// Memory on the host.
    pub fn host(context: &Context, size: usize, request: UsmRequest) -> Result<Self> {
        Self::alloc(context, size, request, |desc, pool, out| {
            // SAFETY: the handles are alive; description and result pointers are valid.
            unsafe { context.fns().urUSMHostAlloc(context.raw(), desc, pool, size, out) }
        })
    }

    /// Memory of a device.
    pub fn device(context: &Context, device: &Device, size: usize, request: UsmRequest) -> Result<Self> {
        Self::alloc(context, size, request, |desc, pool, out| {
            // SAFETY: the handles are alive; description and result pointers are valid.
            unsafe {
                context
                    .fns()
                    .urUSMDeviceAlloc(context.raw(), device.raw(), desc, pool, size, out)
            }
        })
    }

    /// Memory that migrates between the host and a device.
    pub fn shared(context: &Context, device: &Device, size: usize, request: UsmRequest) -> Result<Self> {
        Self::alloc(context, size, request, |desc, pool, out| {
            // SAFETY: the handles are alive; description and result pointers are valid.
            unsafe {
                context
                    .fns()
                    .urUSMSharedAlloc(context.raw(), device.raw(), desc, pool, size, out)
            }
        })
    }

    fn alloc(
        context: &Context,
        size: usize,
        request: UsmRequest,
        call: impl FnOnce(*const UsmDesc, UsmPoolHandle, *mut *mut c_void) -> Result<()>,
    ) -> Result<Self> {
        let desc = UsmDesc {
            hints: request.hints,
            align: request.align,
            ..Default::default()
        };
        let plain = request.align == 0 && request.hints.is_empty();
        let desc = if plain { core::ptr::null() } else { &raw const desc };
        let mut pointer = null_mut();
        call(
            desc,
            request.pool.map_or(UsmPoolHandle::default(), |pool| pool.raw()),
            &mut pointer,
        )?;
        Ok(Self {
            pointer,
            size,
            context: context.clone(),
        })
    }

    /// The address.
    pub fn ptr(&self) -> *mut c_void {
        self.pointer
    }

    /// The size in bytes.
    pub fn len(&self) -> usize {
        self.size
    }

    /// Whether the size is 0.
    pub fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// Queries a property of the allocation.
    pub fn info<T: FromInfo>(&self, property: UsmAllocInfo) -> Result<T> {
        info::query("urUSMGetMemAllocInfo", |size, value, size_ret| {
            // SAFETY: the allocation is alive; `query` passes a buffer of `size` bytes, or none.
            unsafe {
                let (fns, context) = (self.context.fns(), self.context.raw());
                fns.urUSMGetMemAllocInfo(context, self.pointer, property, size, value, size_ret)
            }
        })
    }

    /// The memory, as the host sees it.
    ///
    /// # Safety
    /// It must be host or shared memory, initialised, and no command may write to it meanwhile.
    pub unsafe fn as_slice<T: Plain>(&self) -> &[T] {
        // SAFETY: the caller vouches for it; an allocation is aligned for every plain type.
        unsafe { core::slice::from_raw_parts(self.pointer.cast(), self.size / size_of::<T>()) }
    }

    /// The memory, as the host sees it.
    ///
    /// # Safety
    /// It must be host or shared memory, initialised, and no command may use it meanwhile.
    pub unsafe fn as_mut_slice<T: Plain>(&mut self) -> &mut [T] {
        // SAFETY: the caller vouches for it; an allocation is aligned for every plain type.
        unsafe { core::slice::from_raw_parts_mut(self.pointer.cast(), self.size / size_of::<T>()) }
    }
}

impl Drop for Usm {
    fn drop(&mut self) {
        // SAFETY: the object owns the allocation, which is freed here.
        if let Err(error) = unsafe { self.context.fns().urUSMFree(self.context.raw(), self.pointer) } {
            eprintln!("oxur-client: freeing USM: {error}");
        }
    }
}
