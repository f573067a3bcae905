// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Devices: the CPUs that the process may use.

use std::sync::{Arc, Weak};

use level_zero_sys::*;
use oxur_device_cpu::exec::Pool;
use oxur_device_cpu::machine::{Facts, topology};
use oxur_fork::OnceLock;

use crate::handle;

/// A device.
pub(crate) struct Device {
    /// Its handle, which lives as long as the process.
    handle: OnceLock<usize>,
    /// The CPUs that it may use, by the numbers that Linux gives them.
    pub(crate) cpus: Vec<usize>,
    /// The device that it is a part of.
    pub(crate) parent: Option<Weak<Device>>,
    /// What is known of the machine.
    pub(crate) facts: Arc<Facts>,
}

impl Device {
    /// The devices of the driver.
    pub(crate) fn roots() -> Vec<Arc<Self>> {
        let cpus = topology::usable_cpus();
        let facts = Arc::new(Facts::ask(cpus[0]));
        vec![Arc::new(Self {
            handle: OnceLock::new(),
            cpus,
            parent: None,
            facts,
        })]
    }

    /// Its handle.
    pub(crate) fn handle(self: &Arc<Self>) -> ze_device_handle_t {
        *self.handle.get_or_init(|| handle::export(self.clone()) as usize) as ze_device_handle_t
    }

    /// The threads that run its commands.
    pub(crate) fn pool(&self) -> &'static Pool {
        Pool::of(&self.cpus, self.cpus.len(), self.parent.is_none())
    }
}
