// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Unified shared memory: allocation, pools, queries.

use std::ffi::c_void;
use std::sync::Arc;

use derive_where::derive_where;
use oxur_api::*;

use crate::chain::decode;
use crate::command::bounds::check_both_inside;
use crate::handle::{self, Borrowed, export, object, optional_object};
use crate::table::entry_points;
use crate::{Backend, InfoOut, Object, UrError, UrResult, args, entry, unsupported};

/// The size of a page, in bytes.
const PAGE: usize = 4096;

#[cold]
fn too_many_rows(height: usize, width: usize) -> UrError {
    crate::error!(ERROR_INVALID_USM_SIZE: "{height} rows of {width} bytes exceed the address space")
}

/// What a context does with USM.
pub trait UsmAlloc<B: Backend> {
    /// Allocates. The memory must be freed by [`UsmAlloc::usm_free`] of the same context.
    fn usm_alloc(self: &Arc<Self>, _request: UsmRequest<'_, B>) -> UrResult<*mut c_void> {
        unsupported()
    }

    /// What rows of pitched memory begin at a multiple of, in bytes: a power of two. 0 where only the driver knows, or where there
    /// is no such memory.
    const ROW_ALIGN: usize = 0;

    /// How far rows of `width` bytes are best apart in memory of a device, in bytes.
    fn usm_pitch(
        &self,
        _device: &Arc<B::Device>,
        width: usize,
        _height: usize,
        _element_size: usize,
    ) -> UrResult<usize> {
        match Self::ROW_ALIGN {
            0 => unsupported(),
            align => width
                .checked_next_multiple_of(align)
                .ok_or_else(|| too_many_rows(1, width)),
        }
    }

    /// As [`UsmAlloc::usm_alloc`], with rows of `width` bytes that are [`UsmAlloc::usm_pitch`] apart; returns the address, and
    /// that.
    fn usm_alloc_pitched(
        self: &Arc<Self>,
        request: UsmRequest<'_, B>,
        width: usize,
        height: usize,
        element_size: usize,
    ) -> UrResult<(*mut c_void, usize)> {
        let UsmKind::Device(device) = request.kind else {
            return unsupported();
        };
        let pitch = self.usm_pitch(device, width, height, element_size)?;
        let size = pitch.checked_mul(height).ok_or_else(|| too_many_rows(height, pitch))?;
        let properties = UsmProperties {
            align: request.properties.align.max(Self::ROW_ALIGN),
            ..request.properties
        };
        let request = UsmRequest {
            size,
            properties,
            ..request
        };
        Ok((self.usm_alloc(request)?, pitch))
    }

    /// Frees what [`UsmAlloc::usm_alloc`] returned.
    fn usm_free(self: &Arc<Self>, _memory: *mut c_void) -> UrResult<()> {
        unsupported()
    }

    /// How many bytes of its allocation there are from an address on; [`usize::MAX`] for memory that the context does not know,
    /// whose bounds are not checked.
    fn usm_rest(&self, _memory: *const c_void) -> usize {
        usize::MAX
    }

    /// Whether `size` bytes from both addresses on are no more than [`UsmAlloc::usm_rest`] of each. Every copy asks this: it
    /// takes no lock that threads share, and asks no driver.
    #[inline(always)]
    fn usm_hold(&self, first: *const c_void, second: *const c_void, size: usize) -> bool {
        size <= self.usm_rest(first) && size <= self.usm_rest(second)
    }

    /// Answers `urUSMGetMemAllocInfo` for any address.
    fn usm_info(self: &Arc<Self>, _memory: *const c_void, _query: UsmAllocInfo, _out: InfoOut<'_>) -> UrResult<()> {
        unsupported()
    }

    /// Makes the client's memory reachable for devices, or registers it with the context as if it were host USM.
    fn usm_import(&self, _memory: *mut c_void, _size: usize) -> UrResult<()> {
        unsupported()
    }

    /// Undoes [`UsmAlloc::usm_import`].
    fn usm_release(&self, _memory: *mut c_void) -> UrResult<()> {
        unsupported()
    }

    /// Copies between any two pieces of memory of the context, at once and without a queue. The kit has checked the bounds.
    fn usm_copy(self: &Arc<Self>, _dst: *mut c_void, _src: *const c_void, _size: usize) -> UrResult<()> {
        unsupported()
    }

    /// The pool that allocations of a device come from when they name none.
    fn default_pool(self: &Arc<Self>, _device: &Arc<B::Device>) -> UrResult<Arc<B::UsmPool>> {
        unsupported()
    }

    /// The pool that [`UsmAlloc::set_device_pool`] chose for a device, or its default.
    fn device_pool(self: &Arc<Self>, _device: &Arc<B::Device>) -> UrResult<Arc<B::UsmPool>> {
        unsupported()
    }

    /// Chooses the pool of a device.
    fn set_device_pool(self: &Arc<Self>, _device: &Arc<B::Device>, _pool: &Arc<B::UsmPool>) -> UrResult<()> {
        unsupported()
    }
}

/// A pool of USM.
pub trait UsmPool<B: Backend>: Object<Handle = UsmPoolHandle> {
    /// Makes a pool, of one device where that is given.
    fn create(
        _context: &Arc<B::Context>,
        _device: Option<&Arc<B::Device>>,
        _properties: UsmPoolProperties<'_, B>,
    ) -> UrResult<Arc<Self>> {
        unsupported()
    }

    /// Answers `urUSMPoolGetInfo*`, but for the reference count.
    fn info(&self, _query: UsmPoolInfo, out: InfoOut<'_>) -> UrResult<()> {
        out.unsupported()
    }

    /// Changes a limit; `value` has as many bytes as the property's type.
    fn set(&self, _query: UsmPoolInfo, _value: &[u8]) -> UrResult<()> {
        unsupported()
    }

    /// Gives free memory back until no more than `keep` bytes are held.
    fn trim(&self, _keep: usize) -> UrResult<()> {
        unsupported()
    }
}

/// Where USM lives.
#[derive(Clone, Debug)]
pub enum UsmKind<'a, D> {
    /// In the host's memory, reachable for all devices of the context.
    Host,
    /// In a device's memory.
    Device(&'a Arc<D>),
    /// Where it is used: it migrates between the host and this device.
    Shared(&'a Arc<D>),
}

impl<D> UsmKind<'_, D> {
    /// What an event says that it is of if such memory is allocated in the order of a queue.
    pub fn enqueued_command(&self) -> CommandType {
        match self {
            Self::Host => CommandType::ENQUEUE_USM_HOST_ALLOC_EXP,
            Self::Device(_) => CommandType::ENQUEUE_USM_DEVICE_ALLOC_EXP,
            Self::Shared(_) => CommandType::ENQUEUE_USM_SHARED_ALLOC_EXP,
        }
    }
}

/// What an allocation asks for.
pub struct UsmRequest<'a, B: Backend> {
    /// Where.
    pub kind: UsmKind<'a, B::Device>,
    /// From which pool, if one is named.
    pub pool: Option<&'a Arc<B::UsmPool>>,
    /// Bytes, at least one.
    pub size: usize,
    /// What else it asks for.
    pub properties: UsmProperties,
}

/// What an allocation asks for beside its size: `ur_usm_desc_t` and its chain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UsmProperties {
    /// Alignment in bytes, a power of two; 0 for what suits every type.
    pub align: usize,
    /// How the memory will be used.
    pub hints: UsmAdviceFlags,
    /// Flags for device memory and the device's side of shared memory.
    pub device_flags: UsmDeviceMemFlags,
    /// Flags for host memory and the host's side of shared memory.
    pub host_flags: UsmHostMemFlags,
    /// The partition of the device's memory to allocate from. It is no hint: an adapter without partitions answers
    /// `ERROR_UNSUPPORTED_FEATURE`.
    pub location: Option<u32>,
}

/// What a pool is created with: `ur_usm_pool_desc_t` and its chain.
#[derive_where(Default)]
pub struct UsmPoolProperties<'a, B: Backend> {
    /// Behaviour.
    pub flags: UsmPoolFlags,
    /// The largest allocation, in bytes, that the pool keeps for reuse.
    pub max_poolable: Option<usize>,
    /// The smallest amount, in bytes, that the pool asks the driver for.
    pub min_driver_alloc: Option<usize>,
    /// The client's memory to allocate from, in place of the driver's. An adapter that has no such pools answers
    /// `ERROR_UNSUPPORTED_FEATURE`.
    pub buffer: Option<UsmPoolBuffer<'a, B>>,
}

/// USM of the client that a pool allocates from.
pub struct UsmPoolBuffer<'a, B: Backend> {
    /// Where it starts.
    pub memory: *mut c_void,
    /// Bytes.
    pub size: usize,
    /// What kind of USM it is.
    pub kind: UsmType,
    /// The device that it is of, if any.
    pub device: Option<Borrowed<'a, B::Device>>,
}

impl UsmProperties {
    /// What an allocation asks for that asks for nothing.
    pub const NONE: Self = Self {
        align: 0,
        hints: UsmAdviceFlags::empty(),
        device_flags: UsmDeviceMemFlags::empty(),
        host_flags: UsmHostMemFlags::empty(),
        location: None,
    };

    /// Whether there are flags.
    pub fn has_flags(&self) -> bool {
        !self.device_flags.is_empty() || !self.host_flags.is_empty()
    }

    /// The same without flags.
    pub(crate) fn without_flags(&self) -> Self {
        Self {
            device_flags: UsmDeviceMemFlags::empty(),
            host_flags: UsmHostMemFlags::empty(),
            ..*self
        }
    }

    /// Refuses a partition: for adapters whose devices have one memory.
    pub fn without_location(&self) -> UrResult<()> {
        match self.location {
            Some(location) => Err(crate::error!(
                ERROR_UNSUPPORTED_FEATURE: "the memory has no partitions to choose number {location} of"
            )),
            None => Ok(()),
        }
    }

    /// Takes a description and its chain.
    ///
    /// # Safety
    /// As the C functions that allocate.
    #[inline(always)]
    unsafe fn new(function: &'static str, desc: *const UsmDesc) -> UrResult<Self> {
        // SAFETY: passed on to the caller.
        unsafe {
            let Some(desc) = desc.as_ref() else {
                return Ok(Self::default());
            };
            let align = desc.align as usize;
            if align != 0 && !align.is_power_of_two() {
                crate::bail!(ERROR_INVALID_VALUE: "an alignment is a power of two, and {align} is none");
            }
            args::known_flags(desc.hints)?;
            let mut found = Self {
                align,
                hints: desc.hints,
                ..Self::default()
            };
            decode!(function, desc.pNext,
                desc: UsmDeviceDesc => {
                    args::known_flags(desc.flags)?;
                    found.device_flags = desc.flags;
                },
                desc: UsmHostDesc => {
                    args::known_flags(desc.flags)?;
                    found.host_flags = desc.flags;
                },
                desc: UsmAllocLocationDesc => { found.location = Some(desc.location) },
            )?;
            Ok(found)
        }
    }
}

/// # Safety
/// As the C functions that allocate.
#[inline(always)]
unsafe fn request<'a, B: Backend>(
    function: &'static str,
    kind: UsmKind<'a, B::Device>,
    desc: *const UsmDesc,
    pool: Option<&'a Arc<B::UsmPool>>,
    size: usize,
) -> UrResult<UsmRequest<'a, B>> {
    if size == 0 {
        crate::bail!(ERROR_INVALID_USM_SIZE: "an allocation has at least one byte");
    }
    Ok(UsmRequest {
        kind,
        pool,
        size,
        // SAFETY: passed on to the caller.
        properties: unsafe { UsmProperties::new(function, desc) }?,
    })
}

impl<'a, B: Backend> UsmPoolProperties<'a, B> {
    /// Refuses memory of the client: for adapters whose pools allocate from the driver.
    pub fn without_buffer(&self) -> UrResult<()> {
        match self.buffer {
            Some(_) => Err(crate::error!(ERROR_UNSUPPORTED_FEATURE: "pools do not allocate from memory of the client")),
            None => Ok(()),
        }
    }

    /// Takes a description and its chain.
    ///
    /// # Safety
    /// As `urUSMPoolCreate`.
    unsafe fn new(function: &'static str, desc: *const UsmPoolDesc) -> UrResult<Self> {
        // SAFETY: passed on to the caller.
        unsafe {
            let desc = args::required(desc)?;
            args::known_flags(desc.flags)?;
            let mut found = Self {
                flags: desc.flags,
                ..Self::default()
            };
            decode!(function, desc.pNext,
                limits: UsmPoolLimitsDesc => {
                    found.max_poolable = Some(limits.maxPoolableSize);
                    found.min_driver_alloc = Some(limits.minDriverAllocSize);
                },
                buffer: UsmPoolBufferDesc => {
                    args::known(buffer.memType)?;
                    found.buffer = Some(UsmPoolBuffer {
                        memory: buffer.pMem,
                        size: buffer.size,
                        kind: buffer.memType,
                        device: optional_object(buffer.device)?,
                    });
                },
            )?;
            Ok(found)
        }
    }
}

entry! {
    fn urUSMHostAlloc<B>(
        context: ContextHandle, desc: *const UsmDesc, pool: UsmPoolHandle, size: usize, memory: *mut *mut c_void,
    ) {
        let context = object::<B::Context>(context)?;
        let pool = optional_object::<B::UsmPool>(pool)?;
        let out = args::out(memory)?;
        out.write(context.usm_alloc(request("urUSMHostAlloc", UsmKind::Host, desc, pool.as_deref(), size)?)?);
        Ok(())
    }

    fn urUSMDeviceAlloc<B>(
        context: ContextHandle, device: DeviceHandle, desc: *const UsmDesc, pool: UsmPoolHandle, size: usize,
        memory: *mut *mut c_void,
    ) {
        let context = object::<B::Context>(context)?;
        let device = object::<B::Device>(device)?;
        let pool = optional_object::<B::UsmPool>(pool)?;
        let out = args::out(memory)?;
        out.write(context.usm_alloc(request("urUSMDeviceAlloc", UsmKind::Device(&device), desc, pool.as_deref(), size)?)?);
        Ok(())
    }

    fn urUSMSharedAlloc<B>(
        context: ContextHandle, device: DeviceHandle, desc: *const UsmDesc, pool: UsmPoolHandle, size: usize,
        memory: *mut *mut c_void,
    ) {
        let context = object::<B::Context>(context)?;
        let device = object::<B::Device>(device)?;
        let pool = optional_object::<B::UsmPool>(pool)?;
        let out = args::out(memory)?;
        out.write(context.usm_alloc(request("urUSMSharedAlloc", UsmKind::Shared(&device), desc, pool.as_deref(), size)?)?);
        Ok(())
    }

    fn urUSMPitchedAllocExp<B>(
        context: ContextHandle, device: DeviceHandle, desc: *const UsmDesc, pool: UsmPoolHandle, width: usize,
        height: usize, element_size: usize, memory: *mut *mut c_void, pitch: *mut usize,
    ) {
        let context = object::<B::Context>(context)?;
        let device = object::<B::Device>(device)?;
        let pool = optional_object::<B::UsmPool>(pool)?;
        let out = args::out(memory)?;
        let pitch_out = args::out(pitch)?;
        let size = width.checked_mul(height).ok_or(ResultCode::ERROR_INVALID_USM_SIZE)?;
        let request = request("urUSMPitchedAllocExp", UsmKind::Device(&device), desc, pool.as_deref(), size)?;
        let (memory, pitch) = context.usm_alloc_pitched(request, width, height, element_size)?;
        out.write(memory);
        pitch_out.write(pitch);
        Ok(())
    }

    fn urUSMFree<B>(context: ContextHandle, memory: *mut c_void) {
        let context = object::<B::Context>(context)?;
        args::not_null(memory)?;
        context.usm_free(memory)
    }

    fn urUSMGetMemAllocInfo<B>(
        context: ContextHandle, memory: *const c_void, query: UsmAllocInfo, size: usize, value: *mut c_void,
        needed: *mut usize,
    ) {
        let context = object::<B::Context>(context)?;
        args::not_null(memory)?;
        context.usm_info(memory, query, InfoOut::of(query, size, value, needed)?)
    }

    fn urUSMPoolCreate<B>(context: ContextHandle, desc: *mut UsmPoolDesc, pool: *mut UsmPoolHandle) {
        let context = object::<B::Context>(context)?;
        let properties = UsmPoolProperties::new("urUSMPoolCreate", desc)?;
        let out = args::out(pool)?;
        out.write(export(&B::UsmPool::create(&context, None, properties)?));
        Ok(())
    }

    fn urUSMPoolRetain<B>(pool: UsmPoolHandle) {
        handle::retain::<B::UsmPool>(pool)
    }

    fn urUSMPoolRelease<B>(pool: UsmPoolHandle) {
        handle::release::<B::UsmPool>(pool)
    }

    fn urUSMPoolGetInfo<B>(
        pool: UsmPoolHandle, query: UsmPoolInfo, size: usize, value: *mut c_void, needed: *mut usize,
    ) {
        let pool = object::<B::UsmPool>(pool)?;
        let out = InfoOut::of(query, size, value, needed)?;
        match query {
            UsmPoolInfo::REFERENCE_COUNT => out.references(&**pool),
            _ => pool.info(query, out),
        }
    }

    fn urUSMPoolCreateExp<B>(
        context: ContextHandle, device: DeviceHandle, desc: *mut UsmPoolDesc, pool: *mut UsmPoolHandle,
    ) {
        let context = object::<B::Context>(context)?;
        let device = object::<B::Device>(device)?;
        let properties = UsmPoolProperties::new("urUSMPoolCreateExp", desc)?;
        let out = args::out(pool)?;
        out.write(export(&B::UsmPool::create(&context, Some(&device), properties)?));
        Ok(())
    }

    fn urUSMPoolDestroyExp<B>(context: ContextHandle, device: DeviceHandle, pool: UsmPoolHandle) {
        object::<B::Context>(context)?;
        object::<B::Device>(device)?;
        handle::release::<B::UsmPool>(pool)
    }

    fn urUSMPoolGetDefaultDevicePoolExp<B>(context: ContextHandle, device: DeviceHandle, pool: *mut UsmPoolHandle) {
        let context = object::<B::Context>(context)?;
        let device = object::<B::Device>(device)?;
        let out = args::out(pool)?;
        out.write(handle::handle_of(&context.default_pool(&device)?));
        Ok(())
    }

    fn urUSMPoolGetDevicePoolExp<B>(context: ContextHandle, device: DeviceHandle, pool: *mut UsmPoolHandle) {
        let context = object::<B::Context>(context)?;
        let device = object::<B::Device>(device)?;
        let out = args::out(pool)?;
        out.write(handle::handle_of(&context.device_pool(&device)?));
        Ok(())
    }

    fn urUSMPoolSetDevicePoolExp<B>(context: ContextHandle, device: DeviceHandle, pool: UsmPoolHandle) {
        let context = object::<B::Context>(context)?;
        let device = object::<B::Device>(device)?;
        let pool = object::<B::UsmPool>(pool)?;
        context.set_device_pool(&device, &pool)
    }

    fn urUSMPoolGetInfoExp<B>(pool: UsmPoolHandle, query: UsmPoolInfo, value: *mut c_void, needed: *mut usize) {
        let pool = object::<B::UsmPool>(pool)?;
        // This form has no size: the client vouches that the buffer holds the property's type, a word at most.
        let size = if value.is_null() { 0 } else { size_of::<usize>() };
        pool.info(query, InfoOut::of(query, size, value, needed)?)
    }

    fn urUSMPoolSetInfoExp<B>(pool: UsmPoolHandle, query: UsmPoolInfo, value: *mut c_void, size: usize) {
        let pool = object::<B::UsmPool>(pool)?;
        args::not_beyond_last(query)?;
        args::not_null(value)?;
        pool.set(query, args::slice(value.cast(), size)?)
    }

    fn urUSMPoolTrimToExp<B>(context: ContextHandle, device: DeviceHandle, pool: UsmPoolHandle, keep: usize) {
        object::<B::Context>(context)?;
        object::<B::Device>(device)?;
        object::<B::UsmPool>(pool)?.trim(keep)
    }

    fn urUSMContextMemcpyExp<B>(context: ContextHandle, dst: *mut c_void, src: *const c_void, size: usize) {
        let context = object::<B::Context>(context)?;
        args::not_null(dst)?;
        args::not_null(src)?;
        if size == 0 {
            return Err(ResultCode::ERROR_INVALID_SIZE.into());
        }
        check_both_inside::<B>(&context, dst, src, size)?;
        context.usm_copy(dst, src, size)
    }

    fn urUSMHostAllocRegisterExp<B>(
        context: ContextHandle, memory: *mut c_void, size: usize, properties: *const ExpUsmHostAllocRegisterProperties,
    ) {
        let context = object::<B::Context>(context)?;
        args::not_null(memory)?;
        let properties = properties.as_ref().copied().unwrap_or_default();
        args::known_flags(properties.flags)?;
        decode!("urUSMHostAllocRegisterExp", properties.pNext)?;
        if size == 0 || !size.is_multiple_of(PAGE) || !memory.addr().is_multiple_of(PAGE) {
            crate::bail!(
                ERROR_INVALID_VALUE:
                    "only whole pages of {PAGE} bytes can be registered, not {size} bytes at {memory:p}"
            );
        }
        context.usm_import(memory, size)
    }

    fn urUSMHostAllocUnregisterExp<B>(context: ContextHandle, memory: *mut c_void) {
        let context = object::<B::Context>(context)?;
        args::not_null(memory)?;
        context.usm_release(memory)
    }

    fn urUSMImportExp<B>(context: ContextHandle, memory: *mut c_void, size: usize) {
        let context = object::<B::Context>(context)?;
        args::not_null(memory)?;
        context.usm_import(memory, size)
    }

    fn urUSMReleaseExp<B>(context: ContextHandle, memory: *mut c_void) {
        let context = object::<B::Context>(context)?;
        args::not_null(memory)?;
        context.usm_release(memory)
    }
}

oxur_api::usm_functions! { entry_points {} }
oxur_api::usm_exp_functions! { entry_points {} }
