// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Unified shared memory: `cl_intel_unified_shared_memory` behind the kit's cache.
//!
//! The kit keeps freed memory, and knows what is at the addresses that it handed out. An address that it does not know, such as
//! memory that the client got from OpenCL itself, is a question for the driver, and freeing it as well.
//!
//! **Memory that is freed in use.** Intel's adapter has the driver wait for commands that may use it
//! (`clMemBlockingFreeINTEL`). Here the kit keeps the memory back until markers behind those commands are complete, so the
//! driver need not wait. With `UR_OPENCL_USM_POOL=off`, and for memory that is not from here, it waits as under Intel's adapter.
//!
//! The flags of an allocation are hints and such memory is not cached; nor is memory of an alignment above 128 bytes, or in
//! a partition of the device's memory (`cl_intel_mem_alloc_buffer_location`).
//!
//! What OpenCL has no word for is unsupported: rows at the device's pitch, the client's own memory as USM.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kit::ur::{ResultCode, UsmDeviceMemFlags, UsmHostMemFlags, UsmPoolFlags, UsmType};
use kit::{
    InFlight, NativeRef, SharedContexts, UniqueId, UrResult, UsmAllocation, UsmKind, UsmPlace, UsmProperties,
    note_usm_change,
};
use opencl_sys::*;
use oxur_adapter_kit as kit;

use crate::cl::{self, Properties, QueueObject, cl, cl_create, cl_get, query};
use crate::{Context, Device, OpenCl, Queue, conv};

/// A pool.
pub(crate) type UsmPool = kit::UsmHeapPool<Context>;

/// What all wrappers of an OpenCL context share.
pub(crate) struct SharedContext {
    /// The number of the OpenCL context.
    pub(crate) number: UniqueId,
    /// Whether others may allocate and free memory in it, too.
    shared: AtomicBool,
    usm: kit::ContextUsm<Context>,
    /// What may use memory that is freed.
    pub(crate) in_flight: Arc<InFlight<Queue>>,
}

static OF_CONTEXT: SharedContexts<SharedContext> = SharedContexts::new();

impl SharedContext {
    /// For a new wrapper of an OpenCL context.
    pub(crate) fn of(context: cl_context) -> Arc<Self> {
        OF_CONTEXT.enter(context as usize, || Self {
            number: UniqueId::new(),
            shared: AtomicBool::new(false),
            usm: kit::ContextUsm::default(),
            in_flight: Arc::default(),
        })
    }

    /// From now on others may allocate and free memory, too.
    pub(crate) fn share(&self) {
        self.shared.store(true, Ordering::Relaxed);
        note_usm_change();
    }

    /// Whether all memory is allocated and freed here.
    pub(crate) fn is_ours(&self) -> bool {
        !self.shared.load(Ordering::Relaxed)
    }

    /// Ends a wrapper. The last one gives all free memory back to the driver.
    pub(crate) fn leave(context: &Context) {
        if OF_CONTEXT.leave(*context.raw as usize) {
            context.shared.usm.close(context);
        }
    }
}

/// How much free USM a context keeps.
///
/// With `UR_OPENCL_USM_POOL=off`, each allocation is the driver's own, and `urUSMFree` waits for the commands that may use
/// the memory, as far as the driver's `clMemBlockingFreeINTEL` does. This is for programs that free memory in use, and for
/// finding them.
static LIMIT: kit::CacheLimit = kit::CacheLimit::new(kit::environment::OPENCL_USM_POOL);

impl kit::MemoryProvider for Context {
    // Without a cache the driver waits, and in a child of `fork` nothing runs.
    kit::driver_memory_methods!(OpenCl, LIMIT, LIMIT.get() == 0 || cl::is_lost());

    fn check_pool_flags(flags: UsmPoolFlags) -> UrResult<()> {
        match flags.contains(UsmPoolFlags::USE_NATIVE_MEMORY_POOL_EXP) {
            true => Err(kit::error!(
                ERROR_UNSUPPORTED_FEATURE: "the pools are the adapter's own: there are no memory pools of the driver"
            )),
            false => Ok(()),
        }
    }

    fn memory_of<'a>(listed: &'a Arc<Device>, named: &'a Arc<Device>) -> Option<&'a Arc<Device>> {
        (listed.raw == named.raw).then_some(listed)
    }

    fn check_properties(&self, kind: &UsmKind<'_, Device>, properties: &UsmProperties) -> UrResult<()> {
        if properties.location.is_none() {
            return Ok(());
        }
        let has = |device: &Arc<Device>| device.has_extension("cl_intel_mem_alloc_buffer_location");
        let all_have = match kind {
            UsmKind::Host => self.devices.iter().all(has),
            UsmKind::Device(device) | UsmKind::Shared(device) => has(device),
        };
        match all_have {
            true => Ok(()),
            false => properties.without_location(),
        }
    }

    fn allocate(
        &self,
        place: &UsmPlace<Self>,
        size: usize,
        align: usize,
        properties: &UsmProperties,
    ) -> UrResult<usize> {
        let align = cl_uint::try_from(align).map_err(|_| ResultCode::ERROR_UNSUPPORTED_ALIGNMENT)?;
        let mut list = Properties::default();
        let flags = alloc_flags(properties);
        if flags != 0 {
            list.add(CL_MEM_ALLOC_FLAGS_INTEL, flags);
        }
        if let Some(location) = properties.location {
            list.add(CL_MEM_ALLOC_BUFFER_LOCATION_INTEL, location);
        }
        let properties = list.as_ptr();
        let device = place.device.as_ref().map_or(ptr::null_mut(), |device| device.raw);
        let (ext, context) = (&self.ext, *self.raw);
        // SAFETY: a live context and device; the properties end with zero.
        let allocated = unsafe {
            match place.kind {
                UsmType::HOST => cl_get!(ext, clHostMemAllocINTEL(context, properties, size, align)),
                UsmType::DEVICE => cl_get!(ext, clDeviceMemAllocINTEL(context, device, properties, size, align)),
                _ => cl_get!(ext, clSharedMemAllocINTEL(context, device, properties, size, align)),
            }
        };
        let address = allocated.map_err(|error| match error.code() {
            ResultCode::ERROR_INVALID_BUFFER_SIZE => error
                .with_code(ResultCode::ERROR_INVALID_USM_SIZE)
                .context(&format!("the driver does not allocate {size} bytes at once")),
            _ => error,
        })?;
        if address.is_null() {
            kit::bail!(ERROR_OUT_OF_RESOURCES: "the driver allocated USM and returned a null pointer");
        }
        Ok(address as usize)
    }

    fn clear(&self, place: &UsmPlace<Self>, address: usize, size: usize) -> UrResult<()> {
        let queue = self.transient_queue(place.device.as_deref())?;
        let zero = 0_u8;
        let (address, pattern) = (address as *mut c_void, ptr::from_ref(&zero).cast());
        // SAFETY: a live queue; the pattern has one byte and is copied by the call; no events; memory of this size that was
        // just allocated, and the commands are complete before this returns.
        unsafe {
            cl!(
                self.ext,
                clEnqueueMemFillINTEL(*queue, address, pattern, 1, size, 0, ptr::null(), ptr::null_mut())
            )?;
            cl!(clFinish(*queue))
        }
    }

    fn free(&self, _place: &UsmPlace<Self>, address: usize, _size: usize) -> UrResult<()> {
        // Without a cache there is no quarantine either, and the driver has to wait. Otherwise no command uses the memory, and
        // the driver must not wait for others: this may be the thread that they wait for.
        self.give_back(address as *mut c_void, LIMIT.get() == 0)
    }

    fn is_dedicated(&self, properties: &UsmProperties) -> bool {
        alloc_flags(properties) != 0 || properties.location.is_some()
    }

    fn foreign(&self, address: usize) -> Option<UsmAllocation<Self>> {
        let address = address as *const c_void;
        let kind = conv::USM_TYPES
            .to_ur(self.ask_usm(address, CL_MEM_ALLOC_TYPE_INTEL)?)
            .ok()?;
        let device = self.ask_usm(address, CL_MEM_ALLOC_DEVICE_INTEL)?;
        Some(UsmAllocation {
            kind,
            base: self.ask_usm(address, CL_MEM_ALLOC_BASE_PTR_INTEL)?,
            size: self.ask_usm(address, CL_MEM_ALLOC_SIZE_INTEL)?,
            device: self.device(device).cloned(),
            pool: None,
        })
    }

    fn free_foreign(&self, found: &UsmAllocation<Self>) -> UrResult<()> {
        self.give_back(found.base as *mut c_void, true)
    }
}

impl Context {
    /// Gives memory back to the driver; if `blocking`, when all commands are complete, as far as the driver can wait for that.
    fn give_back(&self, address: *mut c_void, blocking: bool) -> UrResult<()> {
        if cl::is_lost() {
            // It goes with the process.
            return Ok(());
        }
        // SAFETY: a live context; an address that is not the context's is an error of the driver's.
        unsafe {
            if blocking && self.ext.clMemBlockingFreeINTEL.is_some() {
                cl!(self.ext, clMemBlockingFreeINTEL(*self.raw, address))
            } else {
                cl!(self.ext, clMemFreeINTEL(*self.raw, address))
            }
        }
    }

    /// A queue for a single command, for a device or for any.
    fn transient_queue(&self, device: Option<&Device>) -> UrResult<NativeRef<QueueObject>> {
        let device = device.unwrap_or(&self.devices[0]);
        // SAFETY: a live context and a device of it; the function copies the properties, of which there are none.
        unsafe { cl_create!(clCreateCommandQueue(*self.raw, device.raw, 0)) }
    }

    /// Asks the driver for an address; `None` if it is no USM.
    fn ask_usm<V: cl::Plain>(&self, address: *const c_void, what: cl_mem_info_intel) -> Option<V> {
        // SAFETY: a live context; any address may be asked for.
        unsafe { cl::value(query!(self.ext, clGetMemAllocInfoINTEL(*self.raw, address, what))) }.ok()
    }
}

impl kit::UsmAlloc<OpenCl> for Context {
    kit::context_usm_methods!(OpenCl);

    fn usm_copy(self: &Arc<Self>, dst: *mut c_void, src: *const c_void, size: usize) -> UrResult<()> {
        let queue = self.transient_queue(None)?;
        // SAFETY: a live queue; no events; the client vouches for both ranges until the blocking call returns.
        unsafe {
            cl!(
                self.ext,
                clEnqueueMemcpyINTEL(*queue, CL_TRUE, dst, src, size, 0, ptr::null(), ptr::null_mut())
            )
        }
    }
}

/// The flags of an allocation. There is no word for memory that kernels only read.
fn alloc_flags(properties: &UsmProperties) -> cl_mem_alloc_flags_intel {
    let mut flags = 0;
    if properties.device_flags.contains(UsmDeviceMemFlags::WRITE_COMBINED) {
        flags |= CL_MEM_ALLOC_WRITE_COMBINED_INTEL;
    }
    // At most one of the two is allowed.
    if properties.device_flags.contains(UsmDeviceMemFlags::INITIAL_PLACEMENT) {
        flags |= CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL;
    } else if properties.host_flags.contains(UsmHostMemFlags::INITIAL_PLACEMENT) {
        flags |= CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL;
    }
    flags
}
