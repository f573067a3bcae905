// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Unified shared memory: `cl_intel_unified_shared_memory` behind a cache.
//!
//! Freed memory is kept and handed out again (`kit::usm_cache` says how), so that most calls never reach the driver.
//! What the cache has is told by its own records; an address that is in none of them, such as memory that the client
//! got from OpenCL itself, is a question for the driver, and freeing it as well.
//!
//! **Memory that is freed in use.** `urUSMFree` must not let memory go before the commands that may use it are complete.
//! Intel's adapter has the driver wait (`clMemBlockingFreeINTEL`). Here the client does not wait: where the context has
//! unfinished commands, the memory goes into quarantine with a marker behind them, and is handed out again when they are
//! complete. So memory that leaves the cache is free of commands, and the driver need not wait either. With
//! `UR_OPENCL_USM_POOL=off`, and for memory that is not from here, it waits as under Intel's adapter.
//!
//! An allocation that fails does not wait for what is in quarantine: the calling thread may be the one that the commands
//! wait for. For the same reason the quarantine has no limit.
//!
//! The flags of an allocation are hints and such memory is not cached; nor is memory of an alignment above 128 bytes.
//!
//! What OpenCL has no word for is unsupported: rows at the device's pitch, the client's own memory as USM.

mod driver;
mod limit;
mod pool;
mod quarantine;

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use kit::ur::{Handle, ResultCode, UsmAllocInfo, UsmPoolHandle, UsmType};
use kit::usm_cache::{Arena, Found, Heap, HeapOptions, UsmCache};
use kit::{InfoOut, UrError, UrResult, UsmKind, UsmRequest};
use opencl_sys::*;
use oxur_adapter_kit as kit;
use oxur_fork::{Mutex, OnceLock};

use self::driver::note_change;
pub(crate) use self::driver::times_changed;
use self::driver::{Driver, Place, alloc_flags};
pub(crate) use self::pool::UsmPool;
use self::quarantine::Quarantine;
use crate::extensions::Extensions;
use crate::in_flight::{InFlight, Markers};
use crate::unique_id::UniqueId;
use crate::{Context, Device, OpenCl};

/// The USM of a context.
pub(crate) struct ContextUsm {
    /// The number of the OpenCL context.
    pub(crate) number: UniqueId,
    /// Whether others may allocate and free memory in it, too.
    shared: AtomicBool,
    cache: UsmCache<Place>,
    /// Where allocations come from that name no pool.
    arenas: OnceLock<Arenas>,
    quarantine: Quarantine,
    /// What may use memory that is freed.
    pub(crate) in_flight: Arc<InFlight>,
}

/// The USM of every OpenCL context: a context that is wrapped twice has one cache.
static OF_CONTEXT: Mutex<BTreeMap<usize, Weak<ContextUsm>>> = Mutex::new(BTreeMap::new());

impl ContextUsm {
    /// The USM of an OpenCL context.
    pub(crate) fn of(context: cl_context) -> Arc<Self> {
        let mut known = OF_CONTEXT.lock();
        let entry = known.entry(context as usize).or_default();
        entry.upgrade().unwrap_or_else(|| {
            let new = Arc::new(Self {
                number: UniqueId::new(),
                shared: AtomicBool::new(false),
                cache: UsmCache::default(),
                arenas: OnceLock::new(),
                quarantine: Quarantine::default(),
                in_flight: Arc::default(),
            });
            *entry = Arc::downgrade(&new);
            new
        })
    }

    /// From now on others may allocate and free memory, too.
    pub(crate) fn share(&self) {
        self.shared.store(true, Ordering::Relaxed);
        note_change();
    }

    /// Whether all memory is allocated and freed here.
    pub(crate) fn is_ours(&self) -> bool {
        !self.shared.load(Ordering::Relaxed)
    }

    /// Gives up a wrapper's share. The last one gives all free memory back to the driver.
    pub(crate) fn leave(self: Arc<Self>, context: cl_context, ext: &Extensions) {
        let last = {
            let mut known = OF_CONTEXT.lock();
            let last = Arc::into_inner(self);
            if last.is_some() {
                known.remove(&(context as usize));
            }
            last
        };
        if let Some(usm) = last {
            usm.free_all(context, ext);
        }
    }

    /// Gives all free memory back to the driver. What the client did not free stays: it may still look at it.
    fn free_all(&self, context: cl_context, ext: &Extensions) {
        let driver = Driver::to_free(context, ext);
        while let Some(address) = self.quarantine.wait_for_first() {
            self.reuse(&driver, &[address]);
        }
        let (bytes, allocations) = self.cache.drain(&driver);
        if allocations != 0 {
            log::info!("a context goes with {allocations} USM allocations ({bytes} bytes) that were never freed");
        }
    }

    /// Hands memory that is out of quarantine to the cache.
    fn reuse(&self, driver: &Driver<'_>, addresses: &[usize]) {
        for &address in addresses {
            if let Err(error) = self.cache.free(driver, address) {
                log::warn!("freed USM is lost: {error}");
            }
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
                .find(|arenas| arenas.of.raw == device.raw)
                .ok_or_else(|| {
                    UrError::with_message(
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
            Some(pool) if pool.context().raw != self.raw => {
                return Err(UrError::with_message(
                    ResultCode::ERROR_INVALID_VALUE,
                    "the pool is another context's",
                ));
            }
            Some(pool) => &pool.arenas,
            None => self.usm.arenas(&self.devices),
        };
        let (cache, driver, arena) = (&self.usm.cache, Driver::new(self), arenas.get(&request.kind)?);
        if !self.usm.quarantine.is_empty() {
            self.usm.reuse(&driver, &self.usm.quarantine.ready());
        }
        let alloc = || {
            if flags == 0 {
                cache.alloc(&driver, arena, request.size, request.align)
            } else {
                cache.alloc_dedicated(&driver.with_flags(flags), arena, request.size, request.align)
            }
        };
        let address = alloc().or_else(|error| {
            // What came out of quarantine meanwhile may be what is missing.
            let ready = self.usm.quarantine.ready();
            if ready.is_empty() {
                return Err(error);
            }
            self.usm.reuse(&driver, &ready);
            alloc()
        })?;
        Ok(address as *mut c_void)
    }

    fn usm_free(self: &Arc<Self>, memory: *mut c_void) -> UrResult<()> {
        let (driver, usm, address) = (Driver::new(self), &self.usm, memory as usize);
        let limit = limit::from_environment();
        let markers = if limit == 0 {
            Markers::new()
        } else {
            usm.in_flight.unfinished()?
        };
        if usm.quarantine.has(address) {
            return Err(freed_before(memory));
        }
        // Anything else is somebody else's, or an error that the cache has words for.
        if !markers.is_empty()
            && let Found::Taken { base, .. } = usm.cache.find(address)
            && base == address
        {
            return match usm.quarantine.put(address, markers) {
                true => {
                    usm.reuse(&driver, &usm.quarantine.ready());
                    Ok(())
                }
                false => Err(freed_before(memory)),
            };
        }
        if usm.cache.free(&driver, address)? {
            Ok(())
        } else {
            driver.free_at(memory)
        }
    }

    #[inline]
    fn usm_rest<const N: usize>(&self, memory: [*const c_void; N]) -> [Option<usize>; N] {
        self.usm.cache.rest(memory.map(|address| address as usize))
    }

    fn usm_info(self: &Arc<Self>, memory: *const c_void, query: UsmAllocInfo, out: InfoOut<'_>) -> UrResult<()> {
        let about = match self.usm.cache.find(memory as usize) {
            Found::Taken { base, .. } if self.usm.quarantine.has(base) => About::NOTHING,
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
        for address in [dst.cast_const(), src] {
            if let [Some(rest)] = self.usm_rest([address])
                && size > rest
            {
                return Err(UrError::with_message(
                    ResultCode::ERROR_INVALID_SIZE,
                    format!("{size} bytes from {address:p} on are not inside of an allocation that ends after {rest}"),
                ));
            }
        }
        // SAFETY: the client vouches for both ranges.
        unsafe { Driver::new(self).copy(dst, src, size) }
    }
}

fn freed_before(memory: *mut c_void) -> UrError {
    UrError::with_message(
        ResultCode::ERROR_INVALID_VALUE,
        format!("the USM at {memory:p} was freed before"),
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
