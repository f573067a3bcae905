// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Unified shared memory: memory of the process, behind a cache.
//!
//! Host, device and shared memory are the same here but for what queries say. [`place`] knows the kinds, [`pages`] gets
//! memory from the system, and `kit::usm_cache` keeps what is freed and hands it out again: memory that was touched
//! once costs no page faults then. `UR_CPU_USM_POOL` says how much a context keeps.
//!
//! **Memory that is freed in use.** `urUSMFree` must not let memory go before the commands that may use it are complete.
//! Where the context has unfinished commands, the memory goes into [`quarantine`] until those are complete
//! (`crate::activity` tells); nobody waits.
//!
//! Memory of the client's own is as good as USM to kernels. [`foreign`] knows what was imported or registered, so that
//! queries call it host USM.

mod foreign;
pub(crate) mod pages;
mod place;
mod pool;
mod quarantine;

use std::ffi::c_void;
use std::sync::{Arc, Weak};

use kit::ur::{
    ExpUsmHostAllocRegisterFlags, Handle, ResultCode, UsmAdviceFlags, UsmAllocInfo, UsmDeviceMemFlags, UsmHostMemFlags,
    UsmPoolHandle, UsmType,
};
use kit::usm_cache::{Found, HeapOptions, UsmCache};
use kit::{InfoOut, UrError, UrResult, UsmKind, UsmRequest, size_from_environment};
use oxur_adapter_kit as kit;
use oxur_fork::{Mutex, OnceLock};

use self::foreign::Foreign;
use self::place::{Arenas, Place, System};
pub(crate) use self::pool::UsmPool;
use self::quarantine::Quarantine;
use crate::{Context, Cpu, Device};

/// The USM of a context.
#[derive(Default)]
pub(crate) struct ContextUsm {
    cache: UsmCache<Place>,
    /// Where allocations come from that name no pool.
    arenas: OnceLock<Arenas>,
    quarantine: Quarantine,
    foreign: Foreign,
    pools: Mutex<Vec<DevicePools>>,
}

/// The pools of a device for allocations in the order of a queue.
struct DevicePools {
    device: Arc<Device>,
    default: Arc<UsmPool>,
    /// The client's choice, which remains the client's.
    current: Weak<UsmPool>,
}

/// How much free memory a context keeps, in bytes: an eighth of all, unless `UR_CPU_USM_POOL` says it.
pub(crate) fn limit() -> usize {
    static LIMIT: OnceLock<usize> = OnceLock::new();
    *LIMIT.get_or_init(|| size_from_environment("UR_CPU_USM_POOL", (crate::device::total_memory() / 8) as usize))
}

impl ContextUsm {
    fn arenas(&self, devices: &[Arc<Device>]) -> &Arenas {
        self.arenas.get_or_init(|| {
            let heap = self.cache.heap(HeapOptions {
                limit: limit(),
                ..HeapOptions::default()
            });
            Arenas::new(&self.cache, &heap, devices, &Weak::new())
        })
    }

    /// Hands memory out again whose commands are complete. Whether there was any.
    #[cold]
    fn reuse(&self, context: &Context) -> bool {
        let epoch = context.activity.advance();
        let mut any = false;
        while let Some(address) = self.quarantine.take(epoch) {
            any = true;
            if let Err(error) = self.cache.free(&System, address) {
                log::warn!("freed USM is lost: {error}");
            }
        }
        any
    }
}

impl Drop for ContextUsm {
    fn drop(&mut self) {
        // Commands keep their context: there are none any more.
        while let Some(address) = self.quarantine.take(u64::MAX) {
            if let Err(error) = self.cache.free(&System, address) {
                log::warn!("freed USM is lost: {error}");
            }
        }
        // What the client did not free stays: it may still look at it.
        let (bytes, allocations) = self.cache.drain(&System);
        if allocations != 0 {
            log::info!("a context goes with {allocations} USM allocations ({bytes} bytes) that were never freed");
        }
    }
}

impl Context {
    /// Allocates for a command that is in the order of a queue: from `pool`, or from the pool that the client chose for
    /// the device.
    pub(crate) fn alloc_for_queue(
        self: &Arc<Self>,
        device: &Arc<Device>,
        kind: UsmKind<'_, Device>,
        pool: Option<&Arc<UsmPool>>,
        size: usize,
    ) -> UrResult<*mut c_void> {
        let current = match (pool, &kind) {
            (Some(_), _) | (None, UsmKind::Host) => None,
            _ => self.current_pool(device),
        };
        kit::UsmAlloc::usm_alloc(
            self,
            UsmRequest {
                kind,
                pool: pool.or(current.as_ref()),
                size,
                align: 0,
                hints: UsmAdviceFlags::empty(),
                device_flags: UsmDeviceMemFlags::empty(),
                host_flags: UsmHostMemFlags::empty(),
            },
        )
    }

    /// The pool that the client chose for a device, if it did.
    fn current_pool(&self, device: &Arc<Device>) -> Option<Arc<UsmPool>> {
        let pools = self.usm.pools.lock();
        let of_device = pools.iter().find(|pools| Arc::ptr_eq(&pools.device, device))?;
        of_device.current.upgrade()
    }

    /// Runs `f` with the pools of a device.
    fn pools_of<R>(self: &Arc<Self>, device: &Arc<Device>, f: impl FnOnce(&mut DevicePools) -> R) -> UrResult<R> {
        self.check_device(device)?;
        let mut pools = self.usm.pools.lock();
        let index = match pools.iter().position(|pools| Arc::ptr_eq(&pools.device, device)) {
            Some(index) => index,
            None => {
                pools.push(DevicePools {
                    device: device.clone(),
                    default: UsmPool::of_context(self, device),
                    current: Weak::new(),
                });
                pools.len() - 1
            }
        };
        Ok(f(&mut pools[index]))
    }

    /// What there is to say of an address.
    fn about(&self, address: usize) -> About {
        match self.usm.cache.find(address) {
            Found::Taken { base, .. } if self.usm.quarantine.has(base) => About::NOTHING,
            Found::Taken { base, size, arena } => {
                let place = arena.place();
                About {
                    kind: place.kind,
                    base: base as *mut c_void,
                    size,
                    device: place.device.clone(),
                    pool: place.pool.upgrade(),
                }
            }
            Found::Free => About::NOTHING,
            Found::Foreign => match self.usm.foreign.find(address) {
                Some((start, size)) => About {
                    kind: UsmType::HOST,
                    base: start as *mut c_void,
                    size,
                    ..About::NOTHING
                },
                None => match self.imports.find(address) {
                    Some((start, size, device)) => About {
                        kind: UsmType::DEVICE,
                        base: start as *mut c_void,
                        size,
                        device: Some(device),
                        pool: None,
                    },
                    None => About::NOTHING,
                },
            },
        }
    }

    /// The start and size of the allocation of a device's that an address is in.
    pub(crate) fn device_allocation(&self, address: usize) -> Option<(usize, usize)> {
        let about = self.about(address);
        (about.kind == UsmType::DEVICE).then_some((about.base as usize, about.size))
    }
}

impl kit::UsmAlloc<Cpu> for Context {
    fn usm_alloc(self: &Arc<Self>, request: UsmRequest<'_, Cpu>) -> UrResult<*mut c_void> {
        // The flags and hints of an allocation change nothing here.
        let UsmRequest {
            kind,
            pool,
            size,
            align,
            ..
        } = request;
        let usm = &self.usm;
        if size > self.max_alloc {
            return Err(too_large(size, self.max_alloc));
        }
        let arenas = match pool {
            Some(pool) if !pool.is_of(self) => {
                return Err(UrError::with_message(
                    ResultCode::ERROR_INVALID_VALUE,
                    "the pool is another context's",
                ));
            }
            Some(pool) => &pool.arenas,
            None => usm.arenas(&self.devices),
        };
        if !usm.quarantine.is_empty() {
            usm.reuse(self);
        }
        let address = arenas.with(&usm.cache, &kind, |arena| usm.cache.alloc(&System, arena, size, align))?;
        Ok(address as *mut c_void)
    }

    fn usm_alloc_pitched(
        self: &Arc<Self>,
        request: UsmRequest<'_, Cpu>,
        width: usize,
        height: usize,
        _element_size: usize,
    ) -> UrResult<(*mut c_void, usize)> {
        // Rows that begin with a cache line.
        const LINE: usize = 64;
        let pitch = width.checked_next_multiple_of(LINE);
        let Some((pitch, size)) = pitch.and_then(|pitch| Some((pitch, pitch.checked_mul(height)?))) else {
            return Err(too_large(usize::MAX, self.max_alloc));
        };
        let align = request.align.max(LINE);
        let memory = self.usm_alloc(UsmRequest { size, align, ..request })?;
        Ok((memory, pitch))
    }

    fn usm_free(self: &Arc<Self>, memory: *mut c_void) -> UrResult<()> {
        let (usm, address) = (&self.usm, memory as usize);
        if !usm.quarantine.is_empty() {
            if usm.quarantine.has(address) {
                return Err(freed_before(memory));
            }
            usm.reuse(self);
        }
        if !self.activity.is_idle()
            && let Found::Taken { base, .. } = usm.cache.find(address)
            && base == address
        {
            return match usm.quarantine.put(address, self.activity.epoch()) {
                true => Ok(()),
                false => Err(freed_before(memory)),
            };
        }
        if usm.cache.free(&System, address)? {
            Ok(())
        } else {
            Err(UrError::with_message(
                ResultCode::ERROR_INVALID_VALUE,
                format!("the memory at {memory:p} is no USM of this context"),
            ))
        }
    }

    #[inline]
    fn usm_rest<const N: usize>(&self, memory: [*const c_void; N]) -> [Option<usize>; N] {
        let known = self.usm.cache.rest(memory.map(|address| address as usize));
        if !crate::ipc::shares_usm() {
            return known;
        }
        std::array::from_fn(|i| {
            known[i].or_else(|| {
                let address = memory[i] as usize;
                let (start, size, _) = self.imports.find(address)?;
                Some(size - (address - start))
            })
        })
    }

    fn usm_info(self: &Arc<Self>, memory: *const c_void, query: UsmAllocInfo, out: InfoOut<'_>) -> UrResult<()> {
        let about = self.about(memory as usize);
        match query {
            UsmAllocInfo::TYPE => out.value(about.kind),
            UsmAllocInfo::BASE_PTR => out.value(about.base),
            UsmAllocInfo::SIZE => out.value(about.size),
            // Memory of the host, and memory that is none of ours, is said to be the first device's.
            UsmAllocInfo::DEVICE => out.handle(about.device.as_ref().unwrap_or(&self.devices[0])),
            UsmAllocInfo::POOL => match &about.pool {
                Some(pool) => out.handle(pool),
                None => out.value(UsmPoolHandle::from_ptr(std::ptr::null_mut())),
            },
            _ => out.unsupported(),
        }
    }

    fn usm_import(&self, memory: *mut c_void, size: usize) -> UrResult<()> {
        self.usm.foreign.add(memory as usize, size)
    }

    fn usm_release(&self, memory: *mut c_void) -> UrResult<()> {
        self.usm.foreign.remove(memory as usize)
    }

    fn usm_register(&self, memory: *mut c_void, size: usize, _flags: ExpUsmHostAllocRegisterFlags) -> UrResult<()> {
        let page = pages::page();
        if size == 0 || !size.is_multiple_of(page) || !(memory as usize).is_multiple_of(page) {
            return Err(UrError::with_message(
                ResultCode::ERROR_INVALID_VALUE,
                format!("whole pages of {page} bytes are registered, not {size} bytes at {memory:p}"),
            ));
        }
        self.usm.foreign.add(memory as usize, size)
    }

    fn usm_unregister(&self, memory: *mut c_void) -> UrResult<()> {
        self.usm.foreign.remove(memory as usize)
    }

    fn usm_copy(self: &Arc<Self>, dst: *mut c_void, src: *const c_void, size: usize) -> UrResult<()> {
        for address in [dst.cast_const(), src] {
            let about = self.about(address as usize);
            if about.kind != UsmType::UNKNOWN && size > about.size - (address as usize - about.base as usize) {
                return Err(UrError::with_message(
                    ResultCode::ERROR_INVALID_SIZE,
                    format!(
                        "{size} bytes from {address:p} on are not inside of an allocation of {} bytes",
                        about.size
                    ),
                ));
            }
        }
        // SAFETY: the client vouches for both ranges, which may overlap.
        unsafe { std::ptr::copy(src.cast::<u8>(), dst.cast::<u8>(), size) };
        Ok(())
    }

    fn default_pool(self: &Arc<Self>, device: &Arc<Device>) -> UrResult<Arc<UsmPool>> {
        self.pools_of(device, |pools| pools.default.clone())
    }

    fn device_pool(self: &Arc<Self>, device: &Arc<Device>) -> UrResult<Arc<UsmPool>> {
        self.pools_of(device, |pools| {
            pools.current.upgrade().unwrap_or_else(|| pools.default.clone())
        })
    }

    fn set_device_pool(self: &Arc<Self>, device: &Arc<Device>, pool: &Arc<UsmPool>) -> UrResult<()> {
        if !pool.is_of(self) {
            return Err(UrError::with_message(
                ResultCode::ERROR_INVALID_VALUE,
                "the pool is another context's",
            ));
        }
        self.pools_of(device, |pools| pools.current = Arc::downgrade(pool))
    }
}

#[cold]
fn freed_before(memory: *mut c_void) -> UrError {
    UrError::with_message(
        ResultCode::ERROR_INVALID_VALUE,
        format!("the USM at {memory:p} was freed before"),
    )
}

#[cold]
fn too_large(size: usize, most: usize) -> UrError {
    UrError::with_message(
        ResultCode::ERROR_INVALID_USM_SIZE,
        format!("an allocation has {most} bytes at most, not {size}: see MAX_MEM_ALLOC_SIZE of the device"),
    )
}

/// What there is to say of an address.
struct About {
    kind: UsmType,
    base: *mut c_void,
    size: usize,
    device: Option<Arc<Device>>,
    pool: Option<Arc<UsmPool>>,
}

impl About {
    const NOTHING: Self = Self {
        kind: UsmType::UNKNOWN,
        base: std::ptr::null_mut(),
        size: 0,
        device: None,
        pool: None,
    };
}

#[cfg(test)]
mod tests {
    use kit::ur::{Backend, UsmPoolFlags, UsmPoolInfo};
    use kit::{Context as _, UsmAlloc as _, UsmPool as _, UsmPoolLimits};

    use super::*;
    use crate::Platform;

    pub(super) fn context() -> Arc<Context> {
        let platform = Platform::new(Backend::OPENCL);
        Context::create(kit::Platform::devices(&*platform).to_vec()).unwrap()
    }

    fn request<'a>(kind: UsmKind<'a, Device>, size: usize, align: usize) -> UsmRequest<'a, Cpu> {
        UsmRequest {
            kind,
            pool: None,
            size,
            align,
            hints: UsmAdviceFlags::empty(),
            device_flags: UsmDeviceMemFlags::empty(),
            host_flags: UsmHostMemFlags::empty(),
        }
    }

    fn code<T>(result: UrResult<T>) -> Option<ResultCode> {
        result.err().map(|error| error.code())
    }

    #[test]
    fn kinds_and_sizes() {
        let context = context();
        let device = &context.devices[0];
        for is in [UsmType::HOST, UsmType::DEVICE, UsmType::SHARED] {
            let kind = || match is {
                UsmType::HOST => UsmKind::Host,
                UsmType::DEVICE => UsmKind::Device(device),
                _ => UsmKind::Shared(device),
            };
            for (size, align) in [(1, 0), (1000, 64), (100, 4096), (3 << 20, 0), (5 << 20, 1 << 21)] {
                let memory = context.usm_alloc(request(kind(), size, align)).unwrap();
                assert!((memory as usize).is_multiple_of(align.max(16)));
                // SAFETY: memory of this size.
                unsafe { memory.cast::<u8>().write_bytes(7, size) };
                let about = context.about(memory as usize + size - 1);
                assert_eq!((about.kind, about.base, about.size), (is, memory, size));
                context.usm_free(memory).unwrap();
                assert_eq!(context.about(memory as usize).kind, UsmType::UNKNOWN);
                assert_eq!(code(context.usm_free(memory)), Some(ResultCode::ERROR_INVALID_VALUE));
            }
        }
        for size in [context.max_alloc + 1, usize::MAX] {
            let refused = context.usm_alloc(request(UsmKind::Host, size, 0));
            assert_eq!(code(refused), Some(ResultCode::ERROR_INVALID_USM_SIZE));
        }
    }

    #[test]
    fn a_part_of_a_device() {
        let context = context();
        let root = &context.devices[0];
        let property = kit::ur::DevicePartitionProperty {
            r#type: kit::ur::DevicePartition::EQUALLY,
            value: kit::ur::DevicePartitionValue { equally: 1 },
        };
        let part = kit::Device::partition(root, &[property]).unwrap().remove(0);
        let memory = context.usm_alloc(request(UsmKind::Shared(&part), 100, 0)).unwrap();
        assert!(Arc::ptr_eq(&context.about(memory as usize).device.unwrap(), &part));
        context.usm_free(memory).unwrap();
        // A context of the part does not have the whole.
        let narrow = Context::create(vec![part]).unwrap();
        let refused = narrow.usm_alloc(request(UsmKind::Device(root), 100, 0));
        assert_eq!(code(refused), Some(ResultCode::ERROR_INVALID_DEVICE));
    }

    #[test]
    fn memory_in_use_is_not_used_again() {
        let context = context();
        let alloc = || context.usm_alloc(request(UsmKind::Host, 5000, 0)).unwrap();
        let (first, mark) = (alloc(), context.activity.enter());
        context.usm_free(first).unwrap();
        assert_eq!(code(context.usm_free(first)), Some(ResultCode::ERROR_INVALID_VALUE));
        assert_eq!(context.about(first as usize).kind, UsmType::UNKNOWN);
        let others: Vec<_> = (0..100).map(|_| alloc()).collect();
        assert!(!others.contains(&first));
        context.activity.leave(mark);
        let again = alloc();
        assert_eq!(again, first, "the command is complete");
        for memory in others.into_iter().chain([again]) {
            context.usm_free(memory).unwrap();
        }
        assert!(context.usm.quarantine.is_empty());
    }

    #[test]
    fn memory_of_the_client() {
        let context = context();
        let page = pages::page();
        let memory = pages::map(4 * page, 0).unwrap();
        let pointer = memory as *mut c_void;
        context.usm_import(pointer, 100).unwrap();
        let about = context.about(memory + 99);
        assert_eq!((about.kind, about.base, about.size), (UsmType::HOST, pointer, 100));
        assert_eq!(code(context.usm_free(pointer)), Some(ResultCode::ERROR_INVALID_VALUE));
        context.usm_release(pointer).unwrap();
        assert_eq!(context.about(memory).kind, UsmType::UNKNOWN);
        let flags = ExpUsmHostAllocRegisterFlags::empty();
        for (offset, size) in [(0, 100), (0, 0), (1, page)] {
            let refused = context.usm_register(pointer.wrapping_byte_add(offset), size, flags);
            assert_eq!(code(refused), Some(ResultCode::ERROR_INVALID_VALUE));
        }
        context.usm_register(pointer, 2 * page, flags).unwrap();
        assert_eq!(context.about(memory + page).kind, UsmType::HOST);
        context.usm_unregister(pointer).unwrap();
        assert!(context.usm_unregister(pointer).is_err());
        // SAFETY: mapped above.
        unsafe { pages::unmap(memory, 4 * page) };
    }

    #[test]
    fn copies_stay_inside() {
        let context = context();
        let memory = context.usm_alloc(request(UsmKind::Host, 100, 0)).unwrap();
        let source = [5u8; 200];
        let copy = |offset, size| context.usm_copy(memory.wrapping_byte_add(offset), source.as_ptr().cast(), size);
        copy(10, 90).unwrap();
        assert_eq!(code(copy(10, 91)), Some(ResultCode::ERROR_INVALID_SIZE));
        assert_eq!(code(copy(0, usize::MAX)), Some(ResultCode::ERROR_INVALID_SIZE));
        // SAFETY: the bytes that were copied.
        let bytes = unsafe { std::slice::from_raw_parts(memory.cast::<u8>().add(10), 90) };
        assert!(bytes.iter().all(|byte| *byte == 5));
        context.usm_free(memory).unwrap();
    }

    #[test]
    fn pitched_rows() {
        let context = context();
        let kind = || UsmKind::Device(&context.devices[0]);
        let (memory, pitch) = context.usm_alloc_pitched(request(kind(), 1, 0), 100, 3, 4).unwrap();
        assert_eq!((pitch, memory as usize % 64), (128, 0));
        assert!(context.about(memory as usize).size >= 2 * pitch + 100);
        context.usm_free(memory).unwrap();
        for (width, height) in [(usize::MAX, 1), (1 << 40, 1 << 40)] {
            let refused = context.usm_alloc_pitched(request(kind(), 1, 0), width, height, 4);
            assert_eq!(code(refused), Some(ResultCode::ERROR_INVALID_USM_SIZE));
        }
    }

    #[test]
    fn pools() {
        let context = context();
        let device = &context.devices[0];
        let new = || UsmPool::create(&context, Some(device), UsmPoolFlags::empty(), UsmPoolLimits::default()).unwrap();
        let pool = new();
        let request = UsmRequest {
            pool: Some(&pool),
            ..request(UsmKind::Device(device), 1000, 0)
        };
        let memory = context.usm_alloc(request).unwrap();
        let of = context.about(memory as usize).pool;
        assert!(of.is_some_and(|of| Arc::ptr_eq(&of, &pool)));
        // The memory outlives the pool.
        drop(pool);
        assert!(context.about(memory as usize).pool.is_none());
        context.usm_free(memory).unwrap();

        let default = context.default_pool(device).unwrap();
        assert!(Arc::ptr_eq(&default, &context.device_pool(device).unwrap()));
        let mine = new();
        context.set_device_pool(device, &mine).unwrap();
        assert!(Arc::ptr_eq(&mine, &context.device_pool(device).unwrap()));
        let memory = context
            .alloc_for_queue(device, UsmKind::Device(device), None, 100)
            .unwrap();
        let of = context.about(memory as usize).pool;
        assert!(of.is_some_and(|of| Arc::ptr_eq(&of, &mine)));
        context.usm_free(memory).unwrap();
        // The choice is the client's to keep.
        drop(mine);
        assert!(Arc::ptr_eq(&default, &context.device_pool(device).unwrap()));
        let threshold = 1usize.to_ne_bytes();
        default.set(UsmPoolInfo::RELEASE_THRESHOLD_EXP, &threshold).unwrap();
        assert!(default.set(UsmPoolInfo::CONTEXT, &threshold).is_err());
    }

    #[test]
    fn another_contexts_pool() {
        let (one, other) = (context(), context());
        let pool = UsmPool::create(&other, None, UsmPoolFlags::empty(), UsmPoolLimits::default()).unwrap();
        let request = UsmRequest {
            pool: Some(&pool),
            ..request(UsmKind::Host, 10, 0)
        };
        assert_eq!(code(one.usm_alloc(request)), Some(ResultCode::ERROR_INVALID_VALUE));
        assert!(one.set_device_pool(&one.devices[0], &pool).is_err());
    }

    #[test]
    fn a_child_allocates_and_frees() {
        let context = context();
        let alloc = || context.usm_alloc(request(UsmKind::Host, 100, 0));
        let inherited = alloc().unwrap();
        // Never complete in the child.
        let mark = context.activity.enter();
        // SAFETY: the child calls what works over a fork, and leaves by `_exit`.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let works = context.usm_free(inherited).is_ok() && alloc().is_ok_and(|memory| memory == inherited);
            // SAFETY: ends the child.
            unsafe { libc::_exit(if works { 0 } else { 1 }) };
        }
        let mut status = 0;
        // SAFETY: a child of ours and a place for its status.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        assert_eq!(status, 0);
        context.activity.leave(mark);
        context.usm_free(inherited).unwrap();
    }
}
