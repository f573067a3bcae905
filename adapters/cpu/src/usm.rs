// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Unified shared memory: the [`kit::MemoryProvider`] behind the kit's caching allocator.
//!
//! Kernels run in the host's address space, so host, device and shared USM differ only in what queries return.
//! The exception is device memory while USM can be shared with other processes ([`ipc::shares_usm`]): it is mapped from
//! a [`SharedFile`], all other memory is anonymous ([`pages`]).
//!
//! The cache saves page faults: memory from it was touched before. `UR_CPU_USM_POOL` limits how much free memory a context
//! holds. Memory that is freed while commands run is reused only when the epoch of these commands has passed
//! ([`oxur_device_cpu::in_flight`]).
//!
//! Kernels can access the client's own memory, too. [`foreign`] records imported and registered ranges only so that
//! queries report them as host USM.

mod foreign;

use std::ffi::c_void;
use std::sync::Arc;

use kit::ur::{UsmAllocInfo, UsmType};
use kit::{InfoOut, UrResult, UsmAllocation, UsmPlace, UsmProperties, UsmRequest};
use oxur_adapter_kit as kit;
use oxur_device_cpu::pages;
use oxur_device_cpu::shared_file::SharedFile;
use oxur_fork::OnceLock;

pub(crate) use self::foreign::Foreign;
use crate::device_error::out_of_memory;
use crate::ipc;
use crate::{Context, Cpu, Device};

pub(crate) type UsmPool = kit::UsmHeapPool<Context>;

/// The most free memory that a context holds, in bytes: `UR_CPU_USM_POOL`, or an eighth of [`crate::device::total_memory`].
pub(crate) fn limit() -> usize {
    static LIMIT: OnceLock<usize> = OnceLock::new();
    *LIMIT.get_or_init(|| kit::environment::CPU_USM_POOL.size((crate::device::total_memory() / 8) as usize))
}

// Allocation and pool flags have no effect: memory from the system is already zeroed, there is no native pool to choose,
// and read-only access is a hint.
impl kit::MemoryProvider for Context {
    type Device = Device;
    /// An epoch of [`oxur_device_cpu::in_flight`].
    type Fence = u64;

    fn usm(&self) -> &kit::ContextUsm<Self> {
        &self.usm
    }

    fn devices(&self) -> &[Arc<Device>] {
        &self.devices
    }

    fn cache_limit() -> usize {
        limit()
    }

    fn max_allocation(&self) -> usize {
        self.max_alloc
    }

    fn memory_of<'a>(listed: &'a Arc<Device>, named: &'a Arc<Device>) -> Option<&'a Arc<Device>> {
        named.is_part_of(listed).then_some(named)
    }

    fn allocate(&self, place: &UsmPlace<Self>, size: usize, align: usize, _: &UsmProperties) -> UrResult<usize> {
        if place.kind != UsmType::DEVICE || !ipc::shares_usm() {
            return pages::map(size, align).map_err(out_of_memory);
        }
        let whole = size
            .checked_next_multiple_of(pages::page())
            .ok_or_else(|| out_of_memory(pages::exhausted(size)))?;
        let exhausted = |_| out_of_memory(pages::exhausted(size));
        let file = SharedFile::new(whole).map_err(exhausted)?;
        let start = pages::map_file(&file, 0, whole, align).map_err(exhausted)?;
        file.mapped(start, whole);
        Ok(start)
    }

    fn clear(&self, _place: &UsmPlace<Self>, _address: usize, _size: usize) -> UrResult<()> {
        // New pages are zero.
        Ok(())
    }

    fn free(&self, place: &UsmPlace<Self>, address: usize, size: usize) -> UrResult<()> {
        if place.kind == UsmType::DEVICE && ipc::shares_usm() {
            SharedFile::unmapped(address);
        }
        // SAFETY: the range comes from `allocate`, and the cache holds no block of it any more.
        unsafe { pages::unmap(address, size) };
        Ok(())
    }

    fn fence(&self) -> UrResult<Option<u64>> {
        Ok((!self.in_flight.is_idle()).then(|| self.in_flight.epoch()))
    }

    fn progress(&self) -> impl Fn(&u64) -> bool {
        let epoch = self.in_flight.advance();
        move |freed| *freed < epoch
    }

    fn foreign(&self, address: usize) -> Option<UsmAllocation<Self>> {
        let (kind, (base, size, device)) = match self.foreign.find(address) {
            Some((start, size)) => (UsmType::HOST, (start, size, None)),
            None => {
                let (start, size, device) = self.imports.find(address)?;
                (UsmType::DEVICE, (start, size, Some(device)))
            }
        };
        Some(UsmAllocation {
            kind,
            base,
            size,
            device,
            pool: None,
        })
    }
}

impl Context {
    /// [`usm_hold`](kit::UsmAlloc::usm_hold) with memory of other processes, which the cache does not know.
    #[cold]
    fn hold_imported(&self, first: *const c_void, second: *const c_void, size: usize) -> bool {
        let rest = |memory| kit::UsmAlloc::usm_rest(self, memory);
        size <= rest(first) && size <= rest(second)
    }

    /// The start and size of the device allocation that contains an address.
    pub(crate) fn device_allocation(&self, address: usize) -> Option<(usize, usize)> {
        let found = self.usm.find(self, address)?;
        (found.kind == UsmType::DEVICE).then_some((found.base, found.size))
    }
}

impl kit::UsmAlloc<Cpu> for Context {
    // A cache line.
    const ROW_ALIGN: usize = 64;

    fn usm_alloc(self: &Arc<Self>, request: UsmRequest<'_, Cpu>) -> UrResult<*mut c_void> {
        self.usm.alloc(self, &request)
    }

    fn usm_free(self: &Arc<Self>, memory: *mut c_void) -> UrResult<()> {
        self.usm.free(self, memory)
    }

    fn usm_rest(&self, memory: *const c_void) -> usize {
        match self.usm.rest(memory) {
            usize::MAX if ipc::shares_usm() => {
                let address = memory as usize;
                let found = self.imports.find(address);
                found.map_or(usize::MAX, |(start, size, _)| size - (address - start))
            }
            rest => rest,
        }
    }

    #[inline(always)]
    fn usm_hold(&self, first: *const c_void, second: *const c_void, size: usize) -> bool {
        match ipc::shares_usm() {
            true => self.hold_imported(first, second, size),
            false => self.usm.hold(first, second, size),
        }
    }

    fn usm_info(self: &Arc<Self>, memory: *const c_void, query: UsmAllocInfo, out: InfoOut<'_>) -> UrResult<()> {
        self.usm.info(self, memory, query, out)
    }

    fn usm_import(&self, memory: *mut c_void, size: usize) -> UrResult<()> {
        self.foreign.add(memory as usize, size)
    }

    fn usm_release(&self, memory: *mut c_void) -> UrResult<()> {
        self.foreign.remove(memory as usize)
    }

    fn usm_copy(self: &Arc<Self>, dst: *mut c_void, src: *const c_void, size: usize) -> UrResult<()> {
        // SAFETY: the client guarantees that both ranges are accessible. They may overlap.
        unsafe { std::ptr::copy(src.cast::<u8>(), dst.cast::<u8>(), size) };
        Ok(())
    }

    kit::context_usm_pool_methods!(Cpu);
}

#[cfg(test)]
mod tests {
    use kit::ur::{Backend, ResultCode, UsmPoolInfo};
    use kit::{Context as _, UsmAlloc as _, UsmKind, UsmPool as _, UsmPoolProperties};

    use super::*;
    use crate::Platform;

    pub(super) fn context() -> Arc<Context> {
        let platform = Platform::new(Backend::OPENCL);
        Context::create(kit::Platform::devices(&*platform).to_vec(), Default::default()).unwrap()
    }

    fn request<'a>(kind: UsmKind<'a, Device>, size: usize, align: usize) -> UsmRequest<'a, Cpu> {
        UsmRequest {
            kind,
            pool: None,
            size,
            properties: UsmProperties {
                align,
                ..UsmProperties::default()
            },
        }
    }

    /// The allocation that contains an address. Panics if there is none.
    fn allocation(context: &Context, address: usize) -> UsmAllocation<Context> {
        context.usm.find(context, address).unwrap()
    }

    fn is_usm(context: &Context, memory: *mut c_void) -> bool {
        context.usm.find(context, memory as usize).is_some()
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
                let allocation = allocation(&context, memory as usize + size - 1);
                assert_eq!(
                    (allocation.kind, allocation.base, allocation.size),
                    (is, memory as usize, size)
                );
                context.usm_free(memory).unwrap();
                assert!(!is_usm(&context, memory));
                assert_eq!(code(context.usm_free(memory)), Some(ResultCode::ERROR_INVALID_VALUE));
            }
        }
        for size in [context.max_alloc + 1, usize::MAX] {
            let refused = context.usm_alloc(request(UsmKind::Host, size, 0));
            assert_eq!(code(refused), Some(ResultCode::ERROR_INVALID_USM_SIZE));
        }
    }

    #[test]
    fn sub_device_allocations() {
        let context = context();
        let root = &context.devices[0];
        let property = kit::ur::DevicePartitionProperty {
            r#type: kit::ur::DevicePartition::EQUALLY,
            value: kit::ur::DevicePartitionValue { equally: 1 },
        };
        let part = kit::Device::partition(root, &[property]).unwrap().remove(0);
        let memory = context.usm_alloc(request(UsmKind::Shared(&part), 100, 0)).unwrap();
        assert!(Arc::ptr_eq(
            &allocation(&context, memory as usize).device.unwrap(),
            &part
        ));
        context.usm_free(memory).unwrap();
        // The context of a sub-device does not contain the root device.
        let narrow = Context::create(vec![part], Default::default()).unwrap();
        let refused = narrow.usm_alloc(request(UsmKind::Device(root), 100, 0));
        assert_eq!(code(refused), Some(ResultCode::ERROR_INVALID_DEVICE));
    }

    #[test]
    fn freed_memory_in_use_is_not_reused() {
        let context = context();
        let alloc = || context.usm_alloc(request(UsmKind::Host, 5000, 0)).unwrap();
        let (first, mark) = (alloc(), context.in_flight.enter());
        context.usm_free(first).unwrap();
        assert_eq!(code(context.usm_free(first)), Some(ResultCode::ERROR_INVALID_VALUE));
        assert!(!is_usm(&context, first));
        let others: Vec<_> = (0..100).map(|_| alloc()).collect();
        assert!(!others.contains(&first));
        context.in_flight.leave(mark);
        let again = alloc();
        assert_eq!(again, first, "the command is complete");
        for memory in others.into_iter().chain([again]) {
            context.usm_free(memory).unwrap();
        }
    }

    #[test]
    fn memory_of_the_client() {
        let context = context();
        let page = pages::page();
        let memory = pages::map(4 * page, 0).unwrap();
        let pointer = memory as *mut c_void;
        context.usm_import(pointer, 100).unwrap();
        let imported = allocation(&context, memory + 99);
        assert_eq!(
            (imported.kind, imported.base, imported.size),
            (UsmType::HOST, memory, 100)
        );
        // The imported size is a hint and must not limit copies.
        assert_eq!(context.usm_rest(pointer), usize::MAX);
        assert_eq!(code(context.usm_free(pointer)), Some(ResultCode::ERROR_INVALID_VALUE));
        context.usm_release(pointer).unwrap();
        assert!(!is_usm(&context, pointer));
        assert!(context.usm_release(pointer).is_err());
        // SAFETY: mapped above.
        unsafe { pages::unmap(memory, 4 * page) };
    }

    #[test]
    fn copies_stay_inside() {
        let context = context();
        let memory = context.usm_alloc(request(UsmKind::Host, 100, 0)).unwrap();
        let source = [5u8; 200];
        let at = memory.wrapping_byte_add(10);
        let source: *const c_void = source.as_ptr().cast();
        assert_eq!((context.usm_rest(at), context.usm_rest(source)), (90, usize::MAX));
        context.usm_copy(at, source, 90).unwrap();
        // SAFETY: these 90 bytes of the allocation were initialized by the copy.
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
        assert!(allocation(&context, memory as usize).size >= 2 * pitch + 100);
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
        let new = || UsmPool::create(&context, Some(device), UsmPoolProperties::default()).unwrap();
        let pool = new();
        let request = UsmRequest {
            pool: Some(&pool),
            ..request(UsmKind::Device(device), 1000, 0)
        };
        let memory = context.usm_alloc(request).unwrap();
        let of = allocation(&context, memory as usize).pool;
        assert!(of.is_some_and(|of| Arc::ptr_eq(&of, &pool)));
        // The memory outlives the pool.
        drop(pool);
        assert!(allocation(&context, memory as usize).pool.is_none());
        context.usm_free(memory).unwrap();

        let default = context.default_pool(device).unwrap();
        assert!(Arc::ptr_eq(&default, &context.device_pool(device).unwrap()));
        let mine = new();
        context.set_device_pool(device, &mine).unwrap();
        assert!(Arc::ptr_eq(&mine, &context.device_pool(device).unwrap()));
        let memory = context
            .usm
            .enqueue_alloc(
                &context,
                (device, None),
                &UsmKind::Device(device),
                None,
                100,
                |_| Ok(()),
            )
            .unwrap();
        let of = allocation(&context, memory as usize).pool;
        assert!(of.is_some_and(|of| Arc::ptr_eq(&of, &mine)));
        context.usm_free(memory).unwrap();
        // The context does not keep the pool alive, so the device falls back to its default.
        drop(mine);
        assert!(Arc::ptr_eq(&default, &context.device_pool(device).unwrap()));
        let threshold = 1usize.to_ne_bytes();
        default.set(UsmPoolInfo::RELEASE_THRESHOLD_EXP, &threshold).unwrap();
        assert!(default.set(UsmPoolInfo::CONTEXT, &threshold).is_err());
    }

    #[test]
    fn another_contexts_pool() {
        let (one, other) = (context(), context());
        let pool = UsmPool::create(&other, None, UsmPoolProperties::default()).unwrap();
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
        // The command never completes in the child.
        let mark = context.in_flight.enter();
        // SAFETY: the child calls only functions that support a fork, and leaves by `_exit`.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let works = context.usm_free(inherited).is_ok() && alloc().is_ok_and(|memory| memory == inherited);
            // SAFETY: ends the child.
            unsafe { libc::_exit(if works { 0 } else { 1 }) };
        }
        let mut status = 0;
        // SAFETY: waits for the test's own child; `status` is writable.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        assert_eq!(status, 0);
        context.in_flight.leave(mark);
        context.usm_free(inherited).unwrap();
    }
}
