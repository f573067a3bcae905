// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Memory that a context knows and did not allocate: of other processes, of other APIs, and of the host.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::Arc;

use oxur_fork::RwLock;

use crate::context_usm::{MemoryProvider, UsmAllocation};
use crate::error::UrResult;
use crate::ur::UsmType;

/// The memory of others that a context knows, by the address that the client has.
pub struct ForeignMemory<P: MemoryProvider>(RwLock<BTreeMap<usize, Memory<P::Device>>>);

/// Whose memory it is. Each has functions of its own to give it back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryOf {
    /// The host's, which was registered.
    Host,
    /// Another process's.
    Process,
    /// Another API's.
    Api,
}

struct Memory<D> {
    of: MemoryOf,
    /// What the driver calls it.
    base: usize,
    size: usize,
    /// `None` for memory of the host.
    device: Option<Arc<D>>,
    /// How often it was opened.
    count: usize,
}

impl<P: MemoryProvider> Default for ForeignMemory<P> {
    fn default() -> Self {
        Self(RwLock::default())
    }
}

impl<P: MemoryProvider> ForeignMemory<P> {
    /// The memory that an address is in.
    pub fn find(&self, address: usize) -> Option<UsmAllocation<P>> {
        let known = self.0.read();
        let (&base, memory) = known.range(..=address).next_back()?;
        let of_device = memory.device.is_some();
        (address - base < memory.size).then(|| UsmAllocation {
            kind: if of_device { UsmType::DEVICE } else { UsmType::HOST },
            base,
            size: memory.size,
            device: memory.device.clone(),
            pool: None,
        })
    }

    /// Takes note of memory that was registered, opened or mapped, of a device unless it is the host's; `base` is what the driver
    /// calls it.
    pub fn add(&self, of: MemoryOf, address: usize, base: usize, size: usize, device: Option<&Arc<P::Device>>) {
        crate::note_usm_change();
        let memory = || Memory {
            of,
            base,
            size,
            device: device.cloned(),
            count: 0,
        };
        self.0.write().entry(address).or_insert_with(memory).count += 1;
    }

    /// Forgets memory that was added as often. What the driver calls it, and its device.
    pub fn remove(&self, of: MemoryOf, memory: *mut c_void) -> UrResult<(usize, Option<Arc<P::Device>>)> {
        crate::note_usm_change();
        let mut known = self.0.write();
        match known.get_mut(&memory.addr()) {
            Some(found) if found.of == of => {
                found.count -= 1;
                let (base, device, count) = (found.base, found.device.clone(), found.count);
                if count == 0 {
                    known.remove(&memory.addr());
                }
                Ok((base, device))
            }
            _ => Err(crate::error!(
                ERROR_INVALID_VALUE: "{memory:p} was not opened or imported, or it was closed before"
            )),
        }
    }
}
