// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Devices and sub-devices: the CPUs that the process may use, or a part of them. There is one device, or as many as
//! `UR_CPU_DEVICES` says, each with CPUs of its own.
//!
//! `oxur_device_cpu` finds out what the machine has. [`identity`] has the names, [`as_gpu`] what programs for GPUs are shown.
//! [`info`] answers queries, [`partition`] divides devices.

pub(crate) mod as_gpu;
pub(crate) mod identity;
mod info;
mod partition;

use std::ffi::CStr;
use std::sync::{Arc, Weak};

use kit::ur::*;
use kit::{HandleCell, InfoOut, UrResult};
use oxur_adapter_kit as kit;
use oxur_device_cpu::exec::{Pool, clock};
use oxur_device_cpu::limits;
use oxur_device_cpu::machine::topology::{self, Domain};
use oxur_device_cpu::machine::{Facts, memory};
use oxur_fork::OnceLock;

pub(crate) use self::info::{IL_VERSION, extensions};
use self::partition::MadeBy;
use crate::opencl::{self, NativeCell};
use crate::{Cpu, Platform};

/// A device. The root device belongs to its platform; a sub-device keeps the device that it is a part of.
pub(crate) struct Device {
    pub(crate) handle_cell: HandleCell,
    pub(crate) native: NativeCell,
    platform: Weak<Platform>,
    /// What the platform says that it is.
    backend: Backend,
    parent: Option<Arc<Device>>,
    made_by: MadeBy,
    cpus: Vec<usize>,
    /// What the CPUs can be divided by, once that was asked. Clients ask again and again: libsycl does a dozen times before a first
    /// kernel runs.
    domains: OnceLock<Vec<Domain>>,
    /// Whether client threads may run its commands while they wait. They run on any CPU, so this is false for
    /// sub-devices and for one of several devices.
    helped: bool,
    facts: Arc<Facts>,
}

impl Device {
    /// The devices, which together have all CPUs that the process may use.
    pub(crate) fn roots(platform: &Weak<Platform>, backend: Backend) -> Vec<Arc<Self>> {
        let cpus = topology::usable_cpus();
        let facts = Arc::new(Facts::ask(cpus[0]));
        log::info!("{} threads on {} ({} MiB)", cpus.len(), facts.name, facts.memory >> 20);
        let parts = topology::device_cpus(cpus, wanted());
        let alone = parts.len() == 1;
        let device = |cpus| {
            Arc::new(Self {
                handle_cell: HandleCell::new(),
                native: NativeCell::new(),
                platform: platform.clone(),
                backend,
                parent: None,
                made_by: MadeBy::new(),
                cpus,
                domains: OnceLock::new(),
                helped: alone,
                facts: facts.clone(),
            })
        };
        parts.into_iter().map(device).collect()
    }

    /// The CPUs that it may use, by the numbers that Linux gives them, in ascending order; at least one.
    pub(crate) fn cpus(&self) -> &[usize] {
        &self.cpus
    }

    /// The threads that run its commands.
    pub(crate) fn pool(&self) -> &'static Pool {
        Pool::of(&self.cpus, self.cpus.len(), self.helped)
    }

    /// Whether it is `other` or a sub-device of it.
    pub(crate) fn is_part_of(&self, other: &Arc<Self>) -> bool {
        std::ptr::eq(self, &**other) || self.parent.as_ref().is_some_and(|parent| parent.is_part_of(other))
    }

    /// The platform, which lives as long as the adapter.
    pub(crate) fn platform(&self) -> Option<Arc<Platform>> {
        self.platform.upgrade()
    }

    /// The device that it is a part of.
    pub(crate) fn parent(&self) -> Option<&Arc<Self>> {
        self.parent.as_ref()
    }

    /// How it was divided from its parent.
    pub(crate) fn made_by(&self) -> &[DevicePartitionProperty] {
        &self.made_by
    }

    /// The ways in which it can be divided.
    pub(crate) fn partitions(&self) -> Vec<DevicePartition> {
        partition::supported(&self.cpus, self.domains())
    }

    /// What the CPUs can be divided by.
    fn domains(&self) -> &[Domain] {
        self.domains.get_or_init(|| topology::domains(&self.cpus))
    }

    /// The most bytes that one allocation has.
    pub(crate) fn max_alloc(&self) -> usize {
        limits::allocation(self.facts.memory) as usize
    }
}

/// `UR_CPU_DEVICES`: the number of devices.
fn wanted() -> usize {
    kit::environment::CPU_DEVICES.count().unwrap_or(1)
}

/// The memory available to this process, in bytes.
pub(crate) fn total_memory() -> u64 {
    memory::total()
}

impl kit::Device<Cpu> for Device {
    fn kind(&self) -> DeviceType {
        as_gpu::kind()
    }

    fn is_found_as(&self, kind: DeviceType) -> bool {
        kind == as_gpu::found_as()
    }

    fn parent(&self) -> Option<&Arc<Self>> {
        self.parent.as_ref()
    }

    fn platform(&self) -> Option<Arc<Platform>> {
        self.platform.upgrade()
    }

    fn info(&self, query: DeviceInfo, out: InfoOut<'_>) -> UrResult<()> {
        self.answer(query, out)
    }

    fn partition(self: &Arc<Self>, properties: &[DevicePartitionProperty]) -> UrResult<Vec<Arc<Self>>> {
        let parts = partition::divide(&self.cpus, properties)?;
        Ok(parts
            .into_iter()
            .map(|(cpus, made_by)| {
                Arc::new(Self {
                    handle_cell: HandleCell::new(),
                    native: NativeCell::new(),
                    platform: self.platform.clone(),
                    backend: self.backend,
                    parent: Some(self.clone()),
                    made_by,
                    cpus,
                    domains: OnceLock::new(),
                    helped: false,
                    facts: self.facts.clone(),
                })
            })
            .collect())
    }

    fn image_rank(&self, target: &CStr) -> Option<u32> {
        if target == DEVICE_BINARY_TARGET_SPIRV64 {
            Some(2)
        } else if target == DEVICE_BINARY_TARGET_NATIVE_CPU && self.backend == Backend::NATIVE_CPU {
            // All formats that a SYCL runtime accepts for this backend. The content must still be SPIR-V: `Program`
            // checks that.
            Some(1)
        } else {
            None
        }
    }

    fn native(self: &Arc<Self>) -> UrResult<NativeHandle> {
        opencl::native(self)
    }

    // All memory belongs to the process, and every CPU reaches it.
    fn reaches_peer(&self, _peer: &Self) -> UrResult<bool> {
        Ok(true)
    }

    fn has_peer_atomics(&self, _peer: &Self) -> UrResult<bool> {
        Ok(true)
    }

    fn enable_peer_access(&self, _peer: &Arc<Self>, _enable: bool) -> UrResult<()> {
        // Access is never disabled.
        Ok(())
    }

    fn timestamps(&self) -> UrResult<(u64, u64)> {
        // The device and the host have the same clock.
        let now = clock::now();
        Ok((now, now))
    }
}
