// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Unified shared memory: `cl_intel_unified_shared_memory` behind a cache.
//!
//! Freed memory is kept and handed out again (`kit::usm_cache` says how), so that most calls never reach the driver.
//! What the cache has is told by its own records; an address that is in none of them, such as memory that the client
//! got from OpenCL itself, is a question for the driver, and freeing it as well.
//!
//! **Memory that is freed in use.** `urUSMFree` hands memory out again at once, and does not wait for commands that
//! use it: UR and SYCL have the client vouch that there are none. Intel's adapter does wait, since it frees with
//! `clMemBlockingFreeINTEL`, and some programs that break the rule work with it. To wait here, or to keep the memory
//! until all that was submitted before is known to be complete, would take the gain from those that keep the rule:
//! their queues are seldom idle when a temporary is freed, and with out-of-order queues and waits for single events
//! nothing short of a finish tells that they are. So there is a switch instead: `UR_OPENCL_USM_POOL=off` frees as
//! Intel's adapter does. Memory that leaves the cache is always freed that way, so no page goes while a command runs on
//! it.
//!
//! The flags of an allocation are hints and such memory is not cached; nor is memory of an alignment above 128 bytes.
//!
//! What OpenCL has no word for is unsupported: rows at the device's pitch, the client's own memory as USM.

mod driver;
mod limit;
mod pool;

use std::ffi::c_void;
use std::sync::{Arc, OnceLock, Weak};

use kit::ur::{Handle, ResultCode, UsmAllocInfo, UsmPoolHandle, UsmType};
use kit::usm_cache::{Arena, Found, Heap, HeapOptions, UsmCache};
use kit::{InfoOut, UrError, UrResult, UsmKind, UsmRequest};
use opencl_sys::*;
use oxur_adapter_kit as kit;

use self::driver::{Driver, Place, alloc_flags};
pub(crate) use self::pool::UsmPool;
use crate::extensions::Extensions;
use crate::{Context, Device, OpenCl};

/// The USM of a context.
#[derive(Default)]
pub(crate) struct ContextUsm {
    cache: UsmCache<Place>,
    /// Where allocations come from that name no pool.
    arenas: OnceLock<Arenas>,
}

impl ContextUsm {
    /// Gives all free memory back to the driver. What the client did not free stays: it may still look at it.
    pub(crate) fn free_all(&self, context: cl_context, ext: &Extensions) {
        let (bytes, allocations) = self.cache.drain(&Driver::to_free(context, ext));
        if allocations != 0 {
            log::info!("a context goes with {allocations} USM allocations ({bytes} bytes) that were never freed");
        }
    }

    fn arenas(&self, devices: &[Arc<Device>]) -> &Arenas {
        self.arenas.get_or_init(|| {
            let heap = self.cache.heap(HeapOptions {
                limit: limit::from_environment(),
                ..HeapOptions::default()
            });
            Arenas::new(&self.cache, &heap, devices, &Weak::new(), false)
        })
    }
}

/// The arenas of a heap: one for the host, two for each device.
struct Arenas {
    host: Arc<Arena<Place>>,
    devices: Vec<DeviceArenas>,
}

struct DeviceArenas {
    of: Arc<Device>,
    device: Arc<Arena<Place>>,
    shared: Arc<Arena<Place>>,
}

impl Arenas {
    fn new(
        cache: &UsmCache<Place>,
        heap: &Arc<Heap>,
        devices: &[Arc<Device>],
        pool: &Weak<UsmPool>,
        zero: bool,
    ) -> Self {
        let arena = |kind, device| {
            cache.arena(
                heap,
                Place {
                    kind,
                    device,
                    pool: pool.clone(),
                    zero,
                },
            )
        };
        Self {
            host: arena(UsmType::HOST, None),
            devices: devices
                .iter()
                .map(|of| DeviceArenas {
                    of: of.clone(),
                    device: arena(UsmType::DEVICE, Some(of.clone())),
                    shared: arena(UsmType::SHARED, Some(of.clone())),
                })
                .collect(),
        }
    }

    fn get(&self, kind: &UsmKind<'_, Device>) -> UrResult<&Arc<Arena<Place>>> {
        let of = |device: &Arc<Device>| {
            self.devices
                .iter()
                .find(|arenas| Arc::ptr_eq(&arenas.of, device))
                .ok_or_else(|| {
                    UrError::said(
                        ResultCode::ERROR_INVALID_DEVICE,
                        "the device is none of the context's or of the pool's",
                    )
                })
        };
        Ok(match kind {
            UsmKind::Host => &self.host,
            UsmKind::Device(device) => &of(device)?.device,
            UsmKind::Shared(device) => &of(device)?.shared,
        })
    }
}

impl kit::UsmAlloc<OpenCl> for Context {
    fn usm_alloc(self: &Arc<Self>, request: UsmRequest<'_, OpenCl>) -> UrResult<*mut c_void> {
        if request.size > isize::MAX as usize {
            return Err(ResultCode::ERROR_INVALID_USM_SIZE.into());
        }
        let flags = alloc_flags(request.device_flags, request.host_flags);
        let arenas = match request.pool {
            Some(pool) if !Arc::ptr_eq(pool.context(), self) => {
                return Err(UrError::said(
                    ResultCode::ERROR_INVALID_VALUE,
                    "the pool is another context's",
                ));
            }
            Some(pool) => &pool.arenas,
            None => self.usm.arenas(&self.devices),
        };
        let (cache, driver, arena) = (&self.usm.cache, Driver::new(self), arenas.get(&request.kind)?);
        let address = if flags == 0 {
            cache.alloc(&driver, arena, request.size, request.align)
        } else {
            cache.alloc_once(&driver.with_flags(flags), arena, request.size, request.align)
        }?;
        Ok(address as *mut c_void)
    }

    fn usm_free(self: &Arc<Self>, memory: *mut c_void) -> UrResult<()> {
        let driver = Driver::new(self);
        if self.usm.cache.free(&driver, memory as usize)? {
            Ok(())
        } else {
            driver.free_at(memory)
        }
    }

    fn usm_info(self: &Arc<Self>, memory: *const c_void, query: UsmAllocInfo, out: InfoOut<'_>) -> UrResult<()> {
        let about = match self.usm.cache.find(memory as usize) {
            Found::Taken { base, size, arena } => {
                let place = arena.place();
                let (device, pool) = (place.device.clone(), place.pool.upgrade());
                About {
                    kind: place.kind,
                    base: base as *mut c_void,
                    size,
                    device,
                    pool,
                }
            }
            Found::Free => About::NOTHING,
            Found::Foreign => match Driver::new(self).native(memory) {
                Some(native) => {
                    let device = self.devices.iter().find(|device| device.raw == native.device).cloned();
                    About {
                        kind: native.kind,
                        base: native.base,
                        size: native.size,
                        device,
                        pool: None,
                    }
                }
                None => About::NOTHING,
            },
        };
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

    fn usm_copy(self: &Arc<Self>, dst: *mut c_void, src: *const c_void, size: usize) -> UrResult<()> {
        // SAFETY: the client vouches for both ranges.
        unsafe { Driver::new(self).copy(dst, src, size) }
    }
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
