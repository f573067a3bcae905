// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Devices: the CPUs that the process may use, and sub-devices with a part of them.
//!
//! There is one device, or as many as `ZE_OXUR_DEVICES` says, each with CPUs that no other has. A sub-device has those of a
//! NUMA node, or an equal part if `ZE_OXUR_SUB_DEVICES` says how many there are.

mod affinity;
mod hierarchy;
pub(crate) mod memory;
pub(crate) mod properties;

use std::sync::{Arc, Weak};

use level_zero_sys::*;
use oxur_device_cpu::exec::{Pool, clock};
use oxur_device_cpu::machine::topology::Domain;
use oxur_device_cpu::machine::{Facts, topology};
use oxur_fork::OnceLock;

use self::hierarchy::Hierarchy;
use crate::config::{Config, Memory};
use crate::entry::{ZeResult, entry, err};
use crate::handle::{self, Chain, list, none, object, out};

/// A device.
pub(crate) struct Device {
    /// Its handle, which lives as long as the process.
    handle: OnceLock<usize>,
    /// The CPUs that it may use, by the numbers that Linux gives them.
    pub(crate) cpus: Vec<usize>,
    /// Its place among the sub-devices of its parent.
    index: u32,
    /// Whether client threads may run its commands while they wait. They run on any CPU, so this is false for sub-devices and
    /// for one of several devices.
    helped: bool,
    /// The device that it is a part of.
    pub(crate) parent: Option<Weak<Device>>,
    /// Its parts.
    pub(crate) sub_devices: Vec<Arc<Device>>,
    /// What is known of the machine.
    pub(crate) facts: Arc<Facts>,
}

impl Device {
    /// The devices that `zeDeviceGet` lists: those of the machine that `ZE_AFFINITY_MASK` leaves, or their sub-devices if
    /// `ZE_FLAT_DEVICE_HIERARCHY` says so.
    pub(crate) fn listed() -> Vec<Arc<Self>> {
        static LISTED: OnceLock<Vec<Arc<Device>>> = OnceLock::new();
        let devices = LISTED.get_or_init(|| {
            let roots = Self::roots();
            match Hierarchy::get() {
                Hierarchy::Composite => roots,
                Hierarchy::Flat | Hierarchy::Combined => roots.into_iter().flat_map(Self::leaves).collect(),
            }
        });
        devices.clone()
    }

    /// Whether it says that it reaches the memory of another one. All memory belongs to the process, and every CPU reaches it.
    fn reaches(&self, other: &Self) -> bool {
        let root = |device: &Self| match &device.parent {
            Some(parent) => parent.as_ptr(),
            None => std::ptr::from_ref(device),
        };
        Config::get().memory != Memory::Apart || root(self) == root(other)
    }

    /// Its sub-devices, or the device if it has none.
    fn leaves(self: Arc<Self>) -> Vec<Arc<Self>> {
        match &*self.sub_devices {
            [] => vec![self],
            parts => parts.to_vec(),
        }
    }

    /// The devices that are no sub-devices. They live as long as the process: with a flat hierarchy, nobody else has them.
    fn roots() -> Vec<Arc<Self>> {
        static ROOTS: OnceLock<Vec<Arc<Device>>> = OnceLock::new();
        let roots = ROOTS.get_or_init(|| {
            let config = Config::get();
            let cpus = topology::usable_cpus();
            let facts = Arc::new(Facts::ask(cpus[0]));
            log::info!("{} threads on {} ({} MiB)", cpus.len(), facts.name, facts.memory >> 20);
            let all = topology::device_cpus(cpus, config.devices)
                .into_iter()
                .map(|cpus| {
                    let parts = parts(&cpus, config.sub_devices);
                    (cpus, parts)
                })
                .collect();
            let all = affinity::select(all, Hierarchy::get());
            let alone = all.len() == 1 && config.devices == 1;
            all.into_iter()
                .map(|(cpus, parts)| Self::root(cpus, parts, &facts, alone))
                .collect()
        });
        roots.clone()
    }

    fn root(cpus: Vec<usize>, parts: Vec<Vec<usize>>, facts: &Arc<Facts>, helped: bool) -> Arc<Self> {
        Arc::new_cyclic(|root| {
            let part = |(index, cpus)| {
                Arc::new(Self {
                    handle: OnceLock::new(),
                    cpus,
                    index: index as u32,
                    helped: false,
                    parent: Some(root.clone()),
                    sub_devices: Vec::new(),
                    facts: facts.clone(),
                })
            };
            Self {
                handle: OnceLock::new(),
                cpus,
                index: 0,
                helped,
                parent: None,
                sub_devices: parts.into_iter().enumerate().map(part).collect(),
                facts: facts.clone(),
            }
        })
    }

    /// Its handle.
    pub(crate) fn handle(self: &Arc<Self>) -> ze_device_handle_t {
        *self.handle.get_or_init(|| handle::export(self.clone()) as usize) as ze_device_handle_t
    }

    /// The threads that run its commands.
    pub(crate) fn pool(&self) -> &'static Pool {
        Pool::of(&self.cpus, self.cpus.len(), self.helped)
    }

    /// Its place among the sub-devices of its parent.
    pub(crate) fn index(&self) -> u32 {
        self.index
    }

    /// The device that it is a part of, as the client sees it.
    pub(crate) fn visible_parent(&self) -> Option<Arc<Self>> {
        match Hierarchy::get() {
            Hierarchy::Flat => None,
            Hierarchy::Composite | Hierarchy::Combined => self.parent.as_ref().and_then(Weak::upgrade),
        }
    }

    /// Its parts, as the client sees them.
    pub(crate) fn visible_sub_devices(&self) -> &[Arc<Self>] {
        match Hierarchy::get() {
            Hierarchy::Flat => &[],
            Hierarchy::Composite | Hierarchy::Combined => &self.sub_devices,
        }
    }
}

/// The CPUs of the sub-devices of a device: one for each NUMA node, or as many as the user wants. None if it is only one.
fn parts(cpus: &[usize], wanted: Option<usize>) -> Vec<Vec<usize>> {
    let Some(wanted) = wanted else {
        return topology::divide(cpus, Domain::Numa).unwrap_or_default();
    };
    if wanted > cpus.len() {
        log::warn!("there are no {wanted} sub-devices: the device has {} CPUs", cpus.len());
    }
    match wanted.min(cpus.len()) {
        0 | 1 => Vec::new(),
        count => topology::split(cpus, count),
    }
}

entry! {
    fn zeDeviceGetSubDevices(device: ze_device_handle_t, count: *mut u32, devices: *mut ze_device_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe {
            let device = object::<Device>(device)?;
            list(count, devices, device.visible_sub_devices().iter().map(|device| device.handle()))
        }
    }

    fn zeDeviceGetRootDevice(device: ze_device_handle_t, root: *mut ze_device_handle_t) {
        // SAFETY: passed on to the caller.
        let (device, root) = unsafe { (object::<Device>(device)?, out(root)?) };
        *root = device.visible_parent().map_or(none(), |parent| parent.handle());
        Ok(())
    }

    fn zeDeviceGetStatus(device: ze_device_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe { object::<Device>(device) }?;
        // The CPU is never lost.
        Ok(())
    }

    fn zeDeviceGetGlobalTimestamps(device: ze_device_handle_t, host: *mut u64, on_device: *mut u64) {
        // SAFETY: passed on to the caller.
        let (host, on_device) = unsafe {
            object::<Device>(device)?;
            (out(host)?, out(on_device)?)
        };
        // The specification asks for a clock of the host that nobody adjusts; the device's is another.
        *host = clock::unadjusted();
        *on_device = clock::now();
        Ok(())
    }

    fn zeDeviceCanAccessPeer(device: ze_device_handle_t, peer: ze_device_handle_t, value: *mut ze_bool_t) {
        // SAFETY: passed on to the caller.
        let (device, peer, value) = unsafe { (object::<Device>(device)?, object::<Device>(peer)?, out(value)?) };
        *value = device.reaches(peer).into();
        Ok(())
    }

    fn zeDeviceGetP2PProperties(
        device: ze_device_handle_t,
        peer: ze_device_handle_t,
        properties: *mut ze_device_p2p_properties_t,
    ) {
        // SAFETY: passed on to the caller.
        let (reaches, properties, chain) = unsafe {
            let reaches = object::<Device>(device)?.reaches(object::<Device>(peer)?);
            let properties = out(properties)?;
            let chain = Chain::new(properties.pNext);
            (reaches, properties, chain)
        };
        properties.flags = match reaches {
            true => ZE_DEVICE_P2P_PROPERTY_FLAG_ACCESS | ZE_DEVICE_P2P_PROPERTY_FLAG_ATOMICS,
            false => 0,
        };
        if let Some(bandwidth) = chain.find_mut::<ze_device_p2p_bandwidth_exp_properties_t>() {
            // Zero is an unknown one.
            bandwidth.logicalBandwidth = 0;
            bandwidth.physicalBandwidth = 0;
            bandwidth.bandwidthUnit = ZE_BANDWIDTH_UNIT_UNKNOWN;
            bandwidth.logicalLatency = 0;
            bandwidth.physicalLatency = 0;
            bandwidth.latencyUnit = ZE_LATENCY_UNIT_UNKNOWN;
        }
        Ok(())
    }

    // CPUs are no part of a fabric.
    fn zeDeviceGetFabricVertexExp(device: ze_device_handle_t, vertex: *mut ze_fabric_vertex_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe {
            object::<Device>(device)?;
            *out(vertex)? = none();
        }
        err(ZE_RESULT_EXP_ERROR_DEVICE_IS_NOT_VERTEX)
    }
}

/// A device that the client names.
///
/// # Safety
/// The handle must be null or that of a device.
unsafe fn check(device: ze_device_handle_t) -> ZeResult<&'static Arc<Device>> {
    // SAFETY: passed on to the caller.
    unsafe { object::<Device>(device) }
}
