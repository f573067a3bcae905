// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The driver's side of USM: what `cl_intel_unified_shared_memory` has, and what is made of it.

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use kit::ur::{ResultCode, UsmDeviceMemFlags, UsmHostMemFlags, UsmType};
use kit::usm_cache;
use kit::{UrError, UrResult};
use opencl_sys::*;
use oxur_adapter_kit as kit;

use super::limit;
use crate::cl::{self, cl, cl_create};
use crate::extensions::{Extensions, ext};
use crate::{Context, Device, UsmPool};

/// What kind of memory, and whose.
pub(crate) struct Place {
    pub(super) kind: UsmType,
    /// `None` for the host's.
    pub(super) device: Option<Arc<Device>>,
    /// The pool that it is for; nothing, if it is for none.
    pub(super) pool: Weak<UsmPool>,
    /// Whether to clear what the driver gives.
    pub(super) zero: bool,
}

/// The driver's functions, for a context.
#[derive(Clone, Copy)]
pub(super) struct Driver<'a> {
    context: cl_context,
    ext: &'a Extensions,
    /// The context's first device, for what needs any.
    device: cl_device_id,
    flags: cl_mem_alloc_flags_intel,
    location: Option<u32>,
}

impl<'a> Driver<'a> {
    pub(super) fn new(context: &'a Context) -> Self {
        let device = context.devices.first().map_or(ptr::null_mut(), |device| device.raw);
        Self {
            device,
            ..Self::to_free(context.raw, &context.ext)
        }
    }

    /// As much of it as a context that is going still needs.
    pub(super) fn to_free(context: cl_context, ext: &'a Extensions) -> Self {
        Self {
            context,
            ext,
            device: ptr::null_mut(),
            flags: 0,
            location: None,
        }
    }

    /// The same, with flags and a partition of the memory for the allocations to come.
    pub(super) fn with_properties(self, flags: cl_mem_alloc_flags_intel, location: Option<u32>) -> Self {
        Self {
            flags,
            location,
            ..self
        }
    }

    /// Allocates with `flags`; those that the driver does not know are an error.
    fn allocate_with(
        &self,
        place: &Place,
        size: usize,
        align: cl_uint,
        flags: cl_mem_alloc_flags_intel,
    ) -> UrResult<*mut c_void> {
        let mut properties = [0; 5];
        let mut used = 0;
        let location = self
            .location
            .map(|location| (CL_MEM_ALLOC_BUFFER_LOCATION_INTEL, location.into()));
        let flags = (flags != 0).then_some((CL_MEM_ALLOC_FLAGS_INTEL, flags));
        for (property, value) in flags.into_iter().chain(location) {
            properties[used..used + 2].copy_from_slice(&[property, value]);
            used += 2;
        }
        let properties = if used == 0 { ptr::null() } else { properties.as_ptr() };
        let device = place.device.as_ref().map_or(ptr::null_mut(), |device| device.raw);
        let mut code = CL_SUCCESS;
        cl::check_not_lost("clHostMemAllocINTEL")?;
        // SAFETY: a live context and device; the properties end with zero; a place for the code.
        let (name, address) = unsafe {
            match place.kind {
                UsmType::HOST => {
                    let name = "clHostMemAllocINTEL";
                    let function = self.ext.host_mem_alloc.ok_or_else(|| cl::missing(name))?;
                    (name, function(self.context, properties, size, align, &mut code))
                }
                UsmType::DEVICE => {
                    let name = "clDeviceMemAllocINTEL";
                    let function = self.ext.device_mem_alloc.ok_or_else(|| cl::missing(name))?;
                    (name, function(self.context, device, properties, size, align, &mut code))
                }
                _ => {
                    let name = "clSharedMemAllocINTEL";
                    let function = self.ext.shared_mem_alloc.ok_or_else(|| cl::missing(name))?;
                    (name, function(self.context, device, properties, size, align, &mut code))
                }
            }
        };
        if code == CL_INVALID_BUFFER_SIZE {
            return Err(UrError::with_message(
                ResultCode::ERROR_INVALID_USM_SIZE,
                format!("{name}: the driver does not allocate {size} bytes at once"),
            ));
        }
        cl::check(name, code)?;
        if address.is_null() {
            return Err(UrError::with_message(
                ResultCode::ERROR_OUT_OF_RESOURCES,
                format!("{name} returned a null pointer"),
            ));
        }
        note_change();
        Ok(address)
    }

    /// Gives memory back to the driver, which waits for the commands that may use it, if it can.
    pub(super) fn free_at(&self, address: *mut c_void) -> UrResult<()> {
        self.give_back(address, self.ext.mem_blocking_free)
    }

    /// Gives memory back to the driver; with `blocking`, when all commands are complete.
    fn give_back(&self, address: *mut c_void, blocking: clMemBlockingFreeINTEL_fn) -> UrResult<()> {
        note_change();
        if cl::is_lost() {
            // It goes with the process.
            return Ok(());
        }
        // SAFETY: a live context; an address that is not the context's is an error of the driver's.
        let freed = unsafe {
            match blocking {
                Some(function) => cl::check("clMemBlockingFreeINTEL", function(self.context, address)),
                None => ext!(self.ext, mem_free(self.context, address)),
            }
        };
        // Counted before the free, for threads that are given the address again, and after it, for those that used it
        // in between.
        note_change();
        freed
    }

    /// Copies between any two pieces of memory that the device reaches, and waits.
    ///
    /// # Safety
    /// Both must be good for `size` bytes.
    pub(super) unsafe fn copy(&self, dst: *mut c_void, src: *const c_void, size: usize) -> UrResult<()> {
        let queue = Transient::new(self.context, self.device)?;
        // SAFETY: a live queue; no events; the memory is as the caller promises until the blocking call returns.
        unsafe {
            ext!(
                self.ext,
                enqueue_memcpy(queue.0, CL_TRUE, dst, src, size, 0, ptr::null(), ptr::null_mut())
            )
        }
    }

    /// Clears memory of `device`, or of the host, and waits.
    ///
    /// # Safety
    /// It must be good for `size` bytes.
    unsafe fn clear(&self, device: Option<&Device>, address: *mut c_void, size: usize) -> UrResult<()> {
        let queue = Transient::new(self.context, device.map_or(self.device, |device| device.raw))?;
        let zero = 0_u8;
        let pattern = ptr::from_ref(&zero).cast();
        // SAFETY: a live queue; the pattern has one byte and is copied by the call; no events; the memory is as the
        // caller promises, and the commands are complete before this returns.
        unsafe {
            ext!(
                self.ext,
                enqueue_mem_fill(queue.0, address, pattern, 1, size, 0, ptr::null(), ptr::null_mut())
            )?;
            cl!(clFinish(queue.0))
        }
    }

    /// What the driver says of an address that is not in our records; `None` if it is no USM.
    pub(super) fn native(&self, address: *const c_void) -> Option<Native> {
        let kind = match self.ask::<cl_uint>(address, CL_MEM_ALLOC_TYPE_INTEL)? {
            CL_MEM_TYPE_HOST_INTEL => UsmType::HOST,
            CL_MEM_TYPE_DEVICE_INTEL => UsmType::DEVICE,
            CL_MEM_TYPE_SHARED_INTEL => UsmType::SHARED,
            _ => return None,
        };
        Some(Native {
            kind,
            base: self.ask(address, CL_MEM_ALLOC_BASE_PTR_INTEL)?,
            size: self.ask(address, CL_MEM_ALLOC_SIZE_INTEL)?,
            device: self.ask(address, CL_MEM_ALLOC_DEVICE_INTEL)?,
        })
    }

    fn ask<V: cl::Plain>(&self, address: *const c_void, what: cl_mem_info_intel) -> Option<V> {
        cl::value(|size, value, needed| {
            // SAFETY: a live context; the pointers are those of `value`; any address may be asked for.
            unsafe {
                ext!(
                    self.ext,
                    get_mem_alloc_info(self.context, address, what, size, value, needed)
                )
            }
        })
        .ok()
    }
}

static TIMES_CHANGED: AtomicU64 = AtomicU64::new(0);

/// How often memory came from a driver or went back to one, or may have: as long as it is the same, an address stands for
/// the same allocation, or for none.
#[inline(always)]
pub(crate) fn times_changed() -> u64 {
    TIMES_CHANGED.load(Ordering::Acquire)
}

/// Takes note of memory that comes or goes.
pub(super) fn note_change() {
    TIMES_CHANGED.fetch_add(1, Ordering::Release);
}

impl usm_cache::Driver<Place> for Driver<'_> {
    fn allocate(&self, place: &Place, size: usize, align: usize) -> UrResult<usize> {
        let align = cl_uint::try_from(align).map_err(|_| ResultCode::ERROR_UNSUPPORTED_ALIGNMENT)?;
        let address = match self.allocate_with(place, size, align, self.flags) {
            Err(error) if self.flags != 0 => {
                // The flags are hints, and drivers refuse those that mean nothing to them.
                log::debug!(
                    "USM is allocated without the flags {:#x}, with which it fails: {error}",
                    self.flags
                );
                self.allocate_with(place, size, align, 0)
            }
            other => other,
        }?;
        if place.zero {
            // SAFETY: `size` bytes that were just allocated.
            if let Err(error) = unsafe { self.clear(place.device.as_deref(), address, size) } {
                self.free_at(address)?;
                return Err(error);
            }
        }
        Ok(address as usize)
    }

    fn free(&self, _place: &Place, address: usize, _size: usize) -> UrResult<()> {
        // Without a cache there is no quarantine either, and the driver has to wait. Otherwise no command uses the memory, and
        // the driver must not wait for others: this may be the thread that they wait for.
        let blocking = self.ext.mem_blocking_free.filter(|_| limit::from_environment() == 0);
        self.give_back(address as *mut c_void, blocking)
    }
}

/// What the driver knows of memory that was allocated past us.
pub(super) struct Native {
    pub(super) kind: UsmType,
    pub(super) base: *mut c_void,
    pub(super) size: usize,
    /// Null for the host's.
    pub(super) device: cl_device_id,
}

/// A queue for a single command.
struct Transient(cl_command_queue);

impl Transient {
    fn new(context: cl_context, device: cl_device_id) -> UrResult<Self> {
        // SAFETY: a live context and a device of it; the function copies the properties, of which there are none.
        unsafe { cl_create!(clCreateCommandQueue(context, device, 0)) }.map(Self)
    }
}

impl Drop for Transient {
    fn drop(&mut self) {
        // SAFETY: made by `new`, and no longer used.
        if let Err(error) = unsafe { cl!(clReleaseCommandQueue(self.0)) } {
            log::warn!("a queue is leaked: {error}");
        }
    }
}

/// The flags of an allocation. There is no word for memory that kernels only read.
pub(super) fn alloc_flags(device: UsmDeviceMemFlags, host: UsmHostMemFlags) -> cl_mem_alloc_flags_intel {
    let mut flags = 0;
    if device.contains(UsmDeviceMemFlags::WRITE_COMBINED) {
        flags |= CL_MEM_ALLOC_WRITE_COMBINED_INTEL;
    }
    // At most one of the two is allowed.
    if device.contains(UsmDeviceMemFlags::INITIAL_PLACEMENT) {
        flags |= CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL;
    } else if host.contains(UsmHostMemFlags::INITIAL_PLACEMENT) {
        flags |= CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL;
    }
    flags
}
