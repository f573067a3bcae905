// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Memory that a context knows and did not allocate: of other processes, and of the host; and the bytes by which other
//! processes find it.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::Arc;

use oxur_fork::RwLock;

use crate::context_usm::{MemoryProvider, UsmAllocation};
use crate::error::{UrError, UrResult};
use crate::ur::UsmType;

/// The memory of others that a context knows, by the address that the client has.
pub struct ForeignMemory<P: MemoryProvider>(RwLock<BTreeMap<usize, Memory<P::Device>>>);

struct Memory<D> {
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
    /// The memory that an address is in: what [`MemoryProvider::foreign`] answers.
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

    /// Takes note of memory, of a device or of the host, that was opened or imported; `base` is what the driver calls it.
    pub fn add(&self, address: usize, base: usize, size: usize, device: Option<&Arc<P::Device>>) {
        crate::note_usm_change();
        let memory = || Memory {
            base,
            size,
            device: device.cloned(),
            count: 0,
        };
        self.0.write().entry(address).or_insert_with(memory).count += 1;
    }

    /// Forgets memory that was added as often, of a device or of the host. What the driver calls it.
    pub fn remove(&self, memory: *mut c_void, of_device: bool) -> UrResult<usize> {
        crate::note_usm_change();
        let mut known = self.0.write();
        match known.get_mut(&memory.addr()) {
            Some(found) if found.device.is_some() == of_device => {
                found.count -= 1;
                let (base, count) = (found.base, found.count);
                if count == 0 {
                    known.remove(&memory.addr());
                }
                Ok(base)
            }
            _ => Err(crate::error!(
                ERROR_INVALID_VALUE: "{memory:p} was not opened or imported, or it was closed before"
            )),
        }
    }
}

/// What the client carries to another process: the driver's bytes of an allocation, and the part of it that is meant.
pub struct IpcBytes<const N: usize> {
    /// The driver's.
    pub handle: [u8; N],
    /// Where the memory starts in the allocation.
    pub offset: usize,
    /// How many bytes it has.
    pub size: usize,
}

impl<const N: usize> IpcBytes<N> {
    /// As the client gets them.
    pub fn write(&self) -> Box<[u8]> {
        [&self.handle[..], &self.offset.to_ne_bytes(), &self.size.to_ne_bytes()]
            .concat()
            .into()
    }

    /// From what another process has written.
    pub fn read(data: &[u8]) -> UrResult<Self> {
        let parts = data.split_first_chunk().and_then(|(handle, numbers)| {
            let (offset, size) = numbers.split_first_chunk()?;
            Some(Self {
                handle: *handle,
                offset: usize::from_ne_bytes(*offset),
                size: usize::from_ne_bytes(size.try_into().ok()?),
            })
        });
        parts.ok_or_else(|| Self::refused("their number is wrong"))
    }

    /// The error of bytes that are no handle.
    #[cold]
    pub fn refused(why: impl std::fmt::Display) -> UrError {
        crate::error!(ERROR_INVALID_VALUE: "the bytes are no handle of memory that another process shares: {why}")
    }

    /// Refuses a part that is not in an allocation of `length` bytes.
    pub fn check_part(&self, length: usize) -> UrResult<()> {
        match self.offset.checked_add(self.size) {
            Some(end) if end <= length => Ok(()),
            _ => Err(Self::refused(format_args!(
                "{} bytes at {} are not in it",
                self.size, self.offset
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::IpcBytes;

    #[test]
    fn bytes_for_another_process() {
        let bytes = IpcBytes {
            handle: [1, 2, 3],
            offset: 16,
            size: 48,
        };
        let written = bytes.write();
        let read = IpcBytes::<3>::read(&written).expect("they are whole");
        assert_eq!((read.handle, read.offset, read.size), ([1, 2, 3], 16, 48));
        assert!(read.check_part(64).is_ok() && read.check_part(63).is_err());
        assert!(IpcBytes::<3>::read(&written[1..]).is_err() && IpcBytes::<4>::read(&written).is_err());
    }
}
