// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The arenas of a heap: one for the host, two for each device.

use std::sync::{Arc, Weak};

use oxur_api::UsmType;
use oxur_fork::RwLock;

use super::{MemoryProvider, UsmHeapPool, UsmPlace, strange_device};
use crate::usm_cache::{Arena, Heap, UsmCache};
use crate::{UrResult, UsmKind};

type ArenaOf<P> = Arc<Arena<UsmPlace<P>>>;

pub(super) struct Arenas<P: MemoryProvider> {
    heap: Arc<Heap>,
    pool: Weak<UsmHeapPool<P>>,
    zero: bool,
    host: ArenaOf<P>,
    devices: Vec<DeviceArenas<P>>,
    /// Of parts of the devices above, which may be allocated for as well.
    parts: RwLock<Vec<DeviceArenas<P>>>,
}

struct DeviceArenas<P: MemoryProvider> {
    of: Arc<P::Device>,
    device: ArenaOf<P>,
    shared: ArenaOf<P>,
}

impl<P: MemoryProvider> DeviceArenas<P> {
    fn get(&self, kind: &UsmKind<'_, P::Device>) -> &ArenaOf<P> {
        match kind {
            UsmKind::Shared(_) => &self.shared,
            _ => &self.device,
        }
    }
}

/// The arenas of a device in a list.
fn of_device<'a, P: MemoryProvider>(
    list: &'a [DeviceArenas<P>],
    device: &Arc<P::Device>,
) -> Option<&'a DeviceArenas<P>> {
    list.iter().find(|arenas| Arc::ptr_eq(&arenas.of, device))
}

impl<P: MemoryProvider> Arenas<P> {
    pub(super) fn new(
        cache: &UsmCache<UsmPlace<P>>,
        heap: &Arc<Heap>,
        devices: &[Arc<P::Device>],
        pool: &Weak<UsmHeapPool<P>>,
        zero: bool,
    ) -> Self {
        let host = UsmPlace {
            kind: UsmType::HOST,
            device: None,
            pool: pool.clone(),
            zero,
        };
        let mut arenas = Self {
            heap: heap.clone(),
            pool: pool.clone(),
            zero,
            host: cache.arena(heap, host),
            devices: Vec::new(),
            parts: RwLock::default(),
        };
        arenas.devices = devices.iter().map(|device| arenas.make(cache, device)).collect();
        arenas
    }

    /// New arenas for a device.
    fn make(&self, cache: &UsmCache<UsmPlace<P>>, of: &Arc<P::Device>) -> DeviceArenas<P> {
        let arena = |kind| {
            let (device, pool) = (Some(of.clone()), self.pool.clone());
            let zero = self.zero;
            let place = UsmPlace {
                kind,
                device,
                pool,
                zero,
            };
            cache.arena(&self.heap, place)
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
        cache: &UsmCache<UsmPlace<P>>,
        kind: &UsmKind<'_, P::Device>,
        f: impl FnOnce(&ArenaOf<P>) -> UrResult<R>,
    ) -> UrResult<R> {
        let device = match kind {
            UsmKind::Host => return f(&self.host),
            UsmKind::Device(device) | UsmKind::Shared(device) => device,
        };
        match of_device(&self.devices, device) {
            Some(arenas) => f(arenas.get(kind)),
            None => f(&self.of_other(cache, kind, device)?),
        }
    }

    /// The arena for a device that is not in the list.
    #[cold]
    fn of_other(
        &self,
        cache: &UsmCache<UsmPlace<P>>,
        kind: &UsmKind<'_, P::Device>,
        named: &Arc<P::Device>,
    ) -> UrResult<ArenaOf<P>> {
        let mut known = self.devices.iter();
        let device = known.find_map(|arenas| P::memory_of(&arenas.of, named));
        let device = device.ok_or_else(strange_device)?;
        if let Some(arenas) = of_device(&self.devices, device) {
            return Ok(arenas.get(kind).clone());
        }
        if let Some(arenas) = of_device(&self.parts.read(), device) {
            return Ok(arenas.get(kind).clone());
        }
        let mut parts = self.parts.write();
        if let Some(arenas) = of_device(&parts, device) {
            return Ok(arenas.get(kind).clone());
        }
        let made = self.make(cache, device);
        let arena = made.get(kind).clone();
        parts.push(made);
        Ok(arena)
    }
}
