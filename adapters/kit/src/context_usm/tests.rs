// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The USM of a context over a provider that deals in made-up addresses.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicUsize;

use oxur_api::{ResultCode, UsmDeviceMemFlags, UsmHostMemFlags};

use super::*;
use crate::{HandleCell, UsmKind};

/// A device, or the second wrapper of one, or a part of one.
#[derive(Default)]
struct Device {
    handle_cell: HandleCell,
    number: usize,
    whole: Option<usize>,
}

crate::object!(Device: DeviceHandle);

impl Device {
    fn new(number: usize, whole: Option<usize>) -> Arc<Self> {
        let handle_cell = HandleCell::new();
        Arc::new(Self {
            handle_cell,
            number,
            whole,
        })
    }
}

/// What an allocation was made for: kind, device, whether it was cleared, properties, size.
type Asked = (UsmType, Option<usize>, bool, UsmProperties, usize);

/// A context whose memory are numbers.
#[derive(Default)]
struct Provider {
    usm: ContextUsm<Self>,
    devices: Vec<Arc<Device>>,
    live: Mutex<BTreeMap<usize, Asked>>,
    /// Bytes that it has; 0 for any number.
    memory: usize,
    /// Commands that were submitted, and that are complete.
    submitted: AtomicUsize,
    complete: AtomicUsize,
    waits: AtomicUsize,
    /// Whether it has no memory with flags, and whether it cannot clear any.
    refuses_flags: bool,
    refuses_clear: bool,
}

impl MemoryProvider for Provider {
    type Device = Device;
    type Fence = usize;

    fn usm(&self) -> &ContextUsm<Self> {
        &self.usm
    }

    fn devices(&self) -> &[Arc<Device>] {
        &self.devices
    }

    fn cache_limit() -> usize {
        1 << 30
    }

    fn max_allocation(&self) -> usize {
        1 << 20
    }

    fn memory_of<'a>(listed: &'a Arc<Device>, named: &'a Arc<Device>) -> Option<&'a Arc<Device>> {
        if listed.number == named.number {
            return Some(listed);
        }
        (named.whole == Some(listed.number)).then_some(named)
    }

    fn allocate(
        &self,
        place: &UsmPlace<Self>,
        size: usize,
        align: usize,
        properties: &UsmProperties,
    ) -> UrResult<usize> {
        let mut live = self.live.lock();
        if self.refuses_flags && properties.has_flags() {
            return Err(ResultCode::ERROR_INVALID_VALUE.into());
        }
        let used: usize = live.values().map(|asked| asked.4).sum();
        if self.memory != 0 && used + size > self.memory {
            return Err(ResultCode::ERROR_OUT_OF_RESOURCES.into());
        }
        let end = live.last_key_value().map_or(0x1000, |(base, asked)| base + asked.4);
        let base = end.next_multiple_of(align.max(4096));
        let device = place.device.as_ref().map(|device| device.number);
        live.insert(base, (place.kind, device, false, *properties, size));
        Ok(base)
    }

    fn clear(&self, _place: &UsmPlace<Self>, address: usize, size: usize) -> UrResult<()> {
        if self.refuses_clear {
            return Err(ResultCode::ERROR_OUT_OF_RESOURCES.into());
        }
        let mut live = self.live.lock();
        let asked = live.get_mut(&address).expect("what this provider gave");
        assert_eq!(asked.4, size);
        asked.2 = true;
        Ok(())
    }

    fn free(&self, _place: &UsmPlace<Self>, address: usize, size: usize) -> UrResult<()> {
        let freed = self.live.lock().remove(&address);
        assert_eq!(freed.map(|asked| asked.4), Some(size), "what this provider gave");
        Ok(())
    }

    fn is_dedicated(&self, properties: &UsmProperties) -> bool {
        *properties != UsmProperties::default()
    }

    fn fence(&self) -> UrResult<Option<usize>> {
        let submitted = self.submitted.load(Ordering::Relaxed);
        Ok((submitted > self.complete.load(Ordering::Relaxed)).then_some(submitted))
    }

    fn progress(&self) -> impl Fn(&usize) -> bool {
        let complete = self.complete.load(Ordering::Relaxed);
        move |fence| *fence <= complete
    }

    fn wait_for(&self, _fence: &usize) {
        self.waits.fetch_add(1, Ordering::Relaxed);
    }

    fn foreign(&self, address: usize) -> Option<UsmAllocation<Self>> {
        (address == FOREIGN).then(|| UsmAllocation {
            kind: UsmType::HOST,
            base: FOREIGN,
            size: 1,
            device: None,
            pool: None,
        })
    }
}

/// An address that the provider knows by itself.
const FOREIGN: usize = 7;

fn provider() -> Arc<Provider> {
    Arc::new(Provider {
        devices: vec![Device::new(1, None), Device::new(2, None)],
        ..Provider::default()
    })
}

impl Provider {
    fn alloc(&self, kind: UsmKind<'_, Device>, size: usize) -> UrResult<usize> {
        self.usm
            .alloc_from(self, &kind, None, size, &UsmProperties::default())
            .map(|memory| memory as usize)
    }

    fn host(&self, size: usize) -> usize {
        self.alloc(UsmKind::Host, size).unwrap()
    }

    fn free_at(&self, address: usize) -> Result<(), ResultCode> {
        self.usm
            .free(self, address as *mut c_void)
            .map_err(|error| error.code())
    }

    fn find(&self, address: usize) -> Option<(UsmType, usize, usize, Option<usize>)> {
        let found = self.usm.find(self, address)?;
        let device = found.device.map(|device| device.number);
        Some((found.kind, found.base, found.size, device))
    }
}

#[test]
fn an_address_tells_its_allocation() {
    let provider = provider();
    let second = &provider.devices[1];
    let (host, device, shared) = (
        provider.host(100),
        provider.alloc(UsmKind::Device(second), 200).unwrap(),
        provider.alloc(UsmKind::Shared(second), 300).unwrap(),
    );
    assert_eq!(provider.find(host + 99), Some((UsmType::HOST, host, 100, None)));
    assert_eq!(provider.find(host + 100), None);
    assert_eq!(
        provider.find(device + 10),
        Some((UsmType::DEVICE, device, 200, Some(2)))
    );
    assert_eq!(provider.find(shared), Some((UsmType::SHARED, shared, 300, Some(2))));
    assert_eq!(provider.find(FOREIGN), Some((UsmType::HOST, FOREIGN, 1, None)));
    let addresses = [host + 1, device + 200, FOREIGN].map(|address| address as *const c_void);
    assert_eq!(addresses.map(|at| provider.usm.rest(at)), [99, usize::MAX, usize::MAX]);
    for address in [host, device, shared] {
        assert_eq!(
            provider.free_at(address + 1),
            Err(ResultCode::ERROR_INVALID_VALUE),
            "not a start"
        );
        provider.free_at(address).unwrap();
        assert_eq!(provider.find(address), None);
        assert_eq!(
            provider.free_at(address),
            Err(ResultCode::ERROR_INVALID_VALUE),
            "freed twice"
        );
    }
    assert_eq!(provider.free_at(FOREIGN), Err(ResultCode::ERROR_INVALID_VALUE));
    let refused = provider.alloc(UsmKind::Host, (1 << 20) + 1).unwrap_err();
    assert_eq!(refused.code(), ResultCode::ERROR_INVALID_USM_SIZE);
}

#[test]
fn devices_and_their_parts() {
    let provider = provider();
    // Another wrapper of the first device, and a part of the second.
    let (again, part, other) = (Device::new(1, None), Device::new(3, Some(2)), Device::new(4, None));
    let memory = provider.alloc(UsmKind::Device(&again), 10).unwrap();
    let found = provider.usm.find(&*provider, memory).unwrap();
    assert!(Arc::ptr_eq(&found.device.unwrap(), &provider.devices[0]));
    let memory = provider.alloc(UsmKind::Shared(&part), 10).unwrap();
    let found = provider.usm.find(&*provider, memory).unwrap();
    assert!(Arc::ptr_eq(&found.device.unwrap(), &part));
    let refused = provider.alloc(UsmKind::Device(&other), 10).unwrap_err();
    assert_eq!(refused.code(), ResultCode::ERROR_INVALID_DEVICE);
}

#[test]
fn memory_in_use_is_in_quarantine() {
    let provider = provider();
    let first = provider.host(5000);
    let generation = usm_generation();
    provider.submitted.store(1, Ordering::Relaxed);
    provider.free_at(first).unwrap();
    assert_eq!(provider.find(first), None);
    assert_eq!(provider.free_at(first), Err(ResultCode::ERROR_INVALID_VALUE));
    let others: Vec<_> = (0..20).map(|_| provider.host(5000)).collect();
    assert!(!others.contains(&first));
    assert!(usm_generation() > generation, "memory came from the provider");
    // A later command does not hold it up.
    provider.submitted.store(2, Ordering::Relaxed);
    provider.complete.store(1, Ordering::Relaxed);
    assert_eq!(provider.host(5000), first);
    // The context waits for what is left when it goes, and all that the client freed goes back.
    for address in others.into_iter().chain([first]) {
        provider.free_at(address).unwrap();
    }
    provider.usm.close(&*provider);
    assert_eq!(provider.waits.load(Ordering::Relaxed), 21);
    assert!(provider.live.lock().is_empty());
}

#[test]
fn a_queue_in_order_has_what_it_freed_at_once() {
    let provider = provider();
    let device = &provider.devices[0];
    let (own, other) = (UniqueId::new(), UniqueId::new());
    let alloc = |kind: UsmKind<'_, Device>, size, queue| {
        let submit = |_| Ok(());
        let memory = provider
            .usm
            .enqueue_alloc(&*provider, (device, queue), &kind, None, size, submit);
        memory.unwrap() as usize
    };
    let free = |address: usize, queue| {
        let memory = address as *mut c_void;
        let freed = provider.usm.enqueue_free(&*provider, memory, queue, || Ok(()));
        freed.map_err(|error| error.code())
    };
    provider.submitted.store(1, Ordering::Relaxed);
    let first = alloc(UsmKind::Host, 5000, Some(own));
    free(first, Some(own)).unwrap();
    assert_eq!(free(first, Some(own)), Err(ResultCode::ERROR_INVALID_VALUE));
    assert_ne!(alloc(UsmKind::Host, 5000, Some(other)), first);
    assert_ne!(alloc(UsmKind::Host, 5000, None), first);
    assert_ne!(alloc(UsmKind::Host, 5001, Some(own)), first);
    assert_ne!(alloc(UsmKind::Device(device), 5000, Some(own)), first);
    assert_eq!(provider.find(first), None);
    assert_eq!(alloc(UsmKind::Host, 5000, Some(own)), first);
    assert_eq!(provider.find(first), Some((UsmType::HOST, first, 5000, None)));
    // What `urUSMFree` frees in use is for no queue before the commands are complete.
    provider.free_at(first).unwrap();
    assert_ne!(alloc(UsmKind::Host, 5000, Some(own)), first);
    provider.complete.store(1, Ordering::Relaxed);
    assert_eq!(alloc(UsmKind::Host, 5000, Some(other)), first);
    // Others have it when nothing is unfinished, or when what was behind the free is complete.
    free(first, Some(own)).unwrap();
    assert_eq!(alloc(UsmKind::Host, 5000, Some(other)), first);
    provider.submitted.store(2, Ordering::Relaxed);
    free(first, Some(own)).unwrap();
    let second = alloc(UsmKind::Host, 5000, Some(other));
    assert_ne!(second, first);
    provider.submitted.store(3, Ordering::Relaxed);
    provider.complete.store(2, Ordering::Relaxed);
    assert_eq!(alloc(UsmKind::Host, 5000, Some(other)), first);
    // What a fence was asked for meanwhile is still the queue's.
    free(first, Some(own)).unwrap();
    assert_ne!(alloc(UsmKind::Host, 5000, None), first);
    assert_eq!(alloc(UsmKind::Host, 5000, Some(own)), first);
    free(first, Some(own)).unwrap();
    let waits = provider.waits.load(Ordering::Relaxed);
    provider.usm.close(&*provider);
    assert_eq!(provider.waits.load(Ordering::Relaxed), waits + 1);
}

#[test]
fn memory_that_comes_free_is_what_was_missing() {
    let provider = Arc::new(Provider {
        memory: 200 << 10,
        ..Provider::default()
    });
    let all = provider.host(150 << 10);
    provider.submitted.store(1, Ordering::Relaxed);
    provider.free_at(all).unwrap();
    // In use: the allocation fails, and does not wait.
    let refused = provider.alloc(UsmKind::Host, 150 << 10).unwrap_err();
    assert_eq!(refused.code(), ResultCode::ERROR_OUT_OF_RESOURCES);
    provider.complete.store(1, Ordering::Relaxed);
    assert_eq!(provider.host(150 << 10), all);
}

#[test]
fn properties_get_memory_of_their_own() {
    let provider = provider();
    let properties = UsmProperties {
        device_flags: UsmDeviceMemFlags::WRITE_COMBINED,
        ..UsmProperties::default()
    };
    let alloc = || {
        let device = &provider.devices[0];
        let alloc = provider
            .usm
            .alloc_from(&*provider, &UsmKind::Device(device), None, 100, &properties);
        alloc.unwrap() as usize
    };
    let (one, other) = (alloc(), alloc());
    assert_eq!(
        provider.live.lock()[&one],
        (UsmType::DEVICE, Some(1), false, properties, 100)
    );
    provider.free_at(one).unwrap();
    assert!(!provider.live.lock().contains_key(&one), "it is not kept");
    provider.free_at(other).unwrap();
    assert!(provider.live.lock().is_empty());
}

#[test]
fn flags_are_hints() {
    let provider = Arc::new(Provider {
        refuses_flags: true,
        ..Provider::default()
    });
    let flagged = UsmProperties {
        align: 64,
        host_flags: UsmHostMemFlags::INITIAL_PLACEMENT,
        ..UsmProperties::default()
    };
    let alloc = provider.usm.alloc_from(&*provider, &UsmKind::Host, None, 100, &flagged);
    let memory = alloc.unwrap() as usize;
    let plain = UsmProperties {
        align: 64,
        ..UsmProperties::default()
    };
    assert_eq!(provider.live.lock()[&memory], (UsmType::HOST, None, false, plain, 100));
}

#[test]
fn memory_that_cannot_be_cleared_goes_back() {
    let provider = Arc::new(Provider {
        refuses_clear: true,
        ..Provider::default()
    });
    let zero = UsmPoolFlags::ZERO_INITIALIZE_BLOCK;
    let pool = UsmHeapPool::of_client(&provider, &provider.devices, zero, (None, None));
    let properties = UsmProperties::default();
    let alloc = provider
        .usm
        .alloc_from(&*provider, &UsmKind::Host, Some(&pool), 100, &properties);
    assert_eq!(alloc.unwrap_err().code(), ResultCode::ERROR_OUT_OF_RESOURCES);
    assert!(provider.live.lock().is_empty());
}

#[test]
fn pools() {
    let (provider, stranger) = (provider(), provider());
    let device = &provider.devices[0];
    let alloc = |pool: &Arc<UsmHeapPool<Provider>>| {
        let (kind, properties) = (UsmKind::Device(device), UsmProperties::default());
        let alloc = provider.usm.alloc_from(&*provider, &kind, Some(pool), 100, &properties);
        alloc.map(|memory| memory as usize).map_err(|error| error.code())
    };
    let new = |context: &Arc<Provider>, devices: &[Arc<Device>]| {
        UsmHeapPool::of_client(context, devices, UsmPoolFlags::ZERO_INITIALIZE_BLOCK, (None, None))
    };
    let pool = new(&provider, std::slice::from_ref(device));
    let memory = alloc(&pool).unwrap();
    let of = provider.usm.find(&*provider, memory).unwrap().pool;
    assert!(of.is_some_and(|of| Arc::ptr_eq(&of, &pool)));
    assert!(provider.live.lock()[&memory].2, "it is zero");
    // Memory outlives its pool.
    drop(pool);
    assert!(provider.usm.find(&*provider, memory).unwrap().pool.is_none());
    provider.free_at(memory).unwrap();
    assert!(
        provider.live.lock().is_empty(),
        "nothing is kept for a pool that is gone"
    );

    let strange = new(&stranger, &stranger.devices);
    assert_eq!(alloc(&strange), Err(ResultCode::ERROR_INVALID_VALUE));
    let narrow = new(&provider, &provider.devices[1..]);
    assert_eq!(alloc(&narrow), Err(ResultCode::ERROR_INVALID_DEVICE));

    let usm = &provider.usm;
    let default = usm.default_pool(&provider, device).unwrap();
    assert!(Arc::ptr_eq(&default, &usm.device_pool(&provider, device).unwrap()));
    assert!(usm.chosen_pool(device, &UsmKind::Device(device)).is_none());
    let mine = new(&provider, std::slice::from_ref(device));
    usm.set_device_pool(&provider, device, &mine).unwrap();
    assert!(usm.set_device_pool(&provider, device, &strange).is_err());
    assert!(Arc::ptr_eq(&mine, &usm.device_pool(&provider, device).unwrap()));
    let chosen = usm.chosen_pool(device, &UsmKind::Shared(device)).unwrap();
    assert!(Arc::ptr_eq(&chosen, &mine));
    assert!(usm.chosen_pool(device, &UsmKind::Host).is_none());
    // The choice is the client's to keep.
    drop((mine, chosen));
    assert!(Arc::ptr_eq(&default, &usm.device_pool(&provider, device).unwrap()));
    assert!(
        usm.default_pool(&provider, &stranger.devices[0]).is_ok(),
        "it has the same number"
    );
    assert!(usm.default_pool(&provider, &Device::new(9, None)).is_err());
}
