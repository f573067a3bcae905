// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kinds of USM. They differ in what queries say of them: all of it is memory of the process.

use std::sync::{Arc, Weak};

use kit::ur::{ResultCode, UsmType};
use kit::usm_cache::{Arena, Driver, Heap, UsmCache};
use kit::{UrError, UrResult, UsmKind};
use oxur_adapter_kit as kit;
use oxur_fork::RwLock;

use super::{UsmPool, pages};
use crate::Device;
use crate::ipc::{self, SharedFile};

/// What kind of memory, and whose.
pub(crate) struct Place {
    pub(super) kind: UsmType,
    /// `None` for the host's.
    pub(super) device: Option<Arc<Device>>,
    /// The pool that it is for; nothing, if it is for none.
    pub(super) pool: Weak<UsmPool>,
}

/// Where the memory of the cache comes from.
pub(super) struct System;

impl Driver<Place> for System {
    fn allocate(&self, place: &Place, size: usize, align: usize) -> UrResult<usize> {
        if place.kind != UsmType::DEVICE || !ipc::shares_usm() {
            return pages::map(size, align);
        }
        let whole = size
            .checked_next_multiple_of(pages::page())
            .ok_or_else(|| pages::exhausted(size))?;
        let file = SharedFile::new(whole).map_err(|_| pages::exhausted(size))?;
        let start = pages::map_file(&file, 0, whole, align).map_err(|_| pages::exhausted(size))?;
        file.mapped(start, whole);
        Ok(start)
    }

    fn free(&self, place: &Place, address: usize, size: usize) -> UrResult<()> {
        if place.kind == UsmType::DEVICE && ipc::shares_usm() {
            SharedFile::unmapped(address);
        }
        // SAFETY: what `allocate` gave, and the cache has no block of it any more.
        unsafe { pages::unmap(address, size) };
        Ok(())
    }
}

/// The arenas of a heap: one for the host, two for each device.
pub(super) struct Arenas {
    heap: Arc<Heap>,
    pool: Weak<UsmPool>,
    host: Arc<Arena<Place>>,
    devices: Vec<DeviceArenas>,
    /// Of parts of the devices above, which may be allocated for as well.
    parts: RwLock<Vec<DeviceArenas>>,
}

struct DeviceArenas {
    of: Arc<Device>,
    device: Arc<Arena<Place>>,
    shared: Arc<Arena<Place>>,
}

impl DeviceArenas {
    fn get(&self, kind: &UsmKind<'_, Device>) -> &Arc<Arena<Place>> {
        match kind {
            UsmKind::Shared(_) => &self.shared,
            _ => &self.device,
        }
    }
}

impl Arenas {
    pub(super) fn new(
        cache: &UsmCache<Place>,
        heap: &Arc<Heap>,
        devices: &[Arc<Device>],
        pool: &Weak<UsmPool>,
    ) -> Self {
        let host = Place {
            kind: UsmType::HOST,
            device: None,
            pool: pool.clone(),
        };
        Self {
            heap: heap.clone(),
            pool: pool.clone(),
            host: cache.arena(heap, host),
            devices: devices.iter().map(|of| Self::of(cache, heap, of, pool)).collect(),
            parts: RwLock::default(),
        }
    }

    fn of(cache: &UsmCache<Place>, heap: &Arc<Heap>, of: &Arc<Device>, pool: &Weak<UsmPool>) -> DeviceArenas {
        let arena = |kind| {
            let device = Some(of.clone());
            cache.arena(
                heap,
                Place {
                    kind,
                    device,
                    pool: pool.clone(),
                },
            )
        };
        DeviceArenas {
            of: of.clone(),
            device: arena(UsmType::DEVICE),
            shared: arena(UsmType::SHARED),
        }
    }

    /// Runs `f` with the arena for a kind of memory.
    #[inline]
    pub(super) fn with<R>(
        &self,
        cache: &UsmCache<Place>,
        kind: &UsmKind<'_, Device>,
        f: impl FnOnce(&Arc<Arena<Place>>) -> UrResult<R>,
    ) -> UrResult<R> {
        let device = match kind {
            UsmKind::Host => return f(&self.host),
            UsmKind::Device(device) | UsmKind::Shared(device) => device,
        };
        match self.devices.iter().find(|arenas| Arc::ptr_eq(&arenas.of, device)) {
            Some(arenas) => f(arenas.get(kind)),
            None => f(&self.of_part(cache, kind, device)?),
        }
    }

    #[cold]
    fn of_part(
        &self,
        cache: &UsmCache<Place>,
        kind: &UsmKind<'_, Device>,
        device: &Arc<Device>,
    ) -> UrResult<Arc<Arena<Place>>> {
        if !self.devices.iter().any(|arenas| device.is_part_of(&arenas.of)) {
            return Err(UrError::with_message(
                ResultCode::ERROR_INVALID_DEVICE,
                "the device is none of the context's or of the pool's, and no part of one",
            ));
        }
        let find = |parts: &[DeviceArenas]| {
            let found = parts.iter().find(|arenas| Arc::ptr_eq(&arenas.of, device))?;
            Some(found.get(kind).clone())
        };
        if let Some(found) = find(&self.parts.read()) {
            return Ok(found);
        }
        let mut parts = self.parts.write();
        Ok(find(&parts).unwrap_or_else(|| {
            let made = Self::of(cache, &self.heap, device, &self.pool);
            let arena = made.get(kind).clone();
            parts.push(made);
            arena
        }))
    }
}
