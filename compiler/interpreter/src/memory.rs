// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Memory: allocations far apart in one flat space of 64-bit addresses.
//!
//! An address says which allocation it belongs to, and stays within its part of the space however an index goes wrong. So
//! pointers keep their provenance through casts to integers, through memory and through arithmetic.

use spirv::{BuiltIn, StorageClass};

use crate::fault::{Fault, Kind, fault, unsupported};
use crate::module::Module;
use crate::race::Shadow;
use crate::value::{Scalar, mask};

/// An address has a generation (8 bits), the number of an allocation (22) and an offset (34).
const OFFSET_BITS: u32 = 34;
const SLOT_BITS: u32 = 22;
/// The offset of an allocation's first byte: pointers in front of it are not those of another allocation.
const FIRST: u64 = 1 << (OFFSET_BITS - 1);

/// The address of a slot's first byte.
fn address_of(slot: usize, generation: u8) -> u64 {
    u64::from(generation) << (OFFSET_BITS + SLOT_BITS) | (slot as u64) << OFFSET_BITS | FIRST
}

/// The address that the variable or function pointer of a number has in every memory of its module.
pub(crate) fn static_address(index: usize) -> u64 {
    address_of(index + 1, 0)
}

/// What is at an address.
#[derive(Debug)]
pub(crate) struct Allocation {
    generation: u8,
    is_live: bool,
    pub class: StorageClass,
    pub bytes: Vec<u8>,
    /// Which bits of them are undefined.
    pub undef: Vec<u8>,
    pub is_read_only: bool,
    /// A variable whose contents differ from item to item.
    pub built_in: Option<BuiltIn>,
    /// A function, by its id. It has no bytes.
    pub function: Option<u32>,
    /// Who accessed which byte.
    pub shadow: Option<Shadow>,
}

/// The memory of a module: its variables and what a caller allocates. It keeps its contents from launch to launch.
#[derive(Debug)]
pub struct Memory {
    slots: Vec<Allocation>,
    free: Vec<usize>,
}

impl Memory {
    /// The memory of a module, whose variables have their initial values.
    pub fn new(module: &Module) -> Result<Self, Box<Fault>> {
        let mut memory = Self {
            slots: Vec::new(),
            free: Vec::new(),
        };
        // Slot 0 stays empty, so that null is no address.
        memory.allocate_in(StorageClass::Function, 0)?;
        memory.slots[0].is_live = false;
        module.allocate_statics(&mut memory)?;
        Ok(memory)
    }

    /// Allocates memory of these bytes that all items see, and gives its address.
    pub fn allocate(&mut self, bytes: &[u8]) -> Result<u64, Box<Fault>> {
        let address = self.allocate_undefined(bytes.len())?;
        if let Some(allocation) = self.of(address) {
            allocation.bytes.copy_from_slice(bytes);
            allocation.undef.fill(0);
        }
        Ok(address)
    }

    /// Allocates memory that all items see, of which nothing is defined yet.
    pub fn allocate_undefined(&mut self, size: usize) -> Result<u64, Box<Fault>> {
        self.allocate_in(StorageClass::CrossWorkgroup, size)
    }

    /// The bytes of the allocation at an address, and which of their bits are undefined.
    pub fn bytes(&self, address: u64) -> Option<(&[u8], &[u8])> {
        let allocation = self.slots.get(slot(address)).filter(|a| a.is_live)?;
        Some((&allocation.bytes, &allocation.undef))
    }

    pub(crate) fn allocate_in(&mut self, class: StorageClass, size: usize) -> Result<u64, Box<Fault>> {
        if size as u64 >= FIRST {
            return unsupported(format!("an allocation of {size} bytes"));
        }
        let new = Allocation {
            generation: 0,
            is_live: true,
            class,
            bytes: vec![0; size],
            undef: vec![0xff; size],
            is_read_only: false,
            built_in: None,
            function: None,
            shadow: None,
        };
        if let Some(slot) = self.free.pop() {
            let generation = self.slots[slot].generation.wrapping_add(1);
            self.slots[slot] = Allocation { generation, ..new };
            return Ok(address_of(slot, generation));
        }
        if self.slots.len() >> SLOT_BITS != 0 {
            return unsupported("more than four million allocations");
        }
        self.slots.push(new);
        Ok(address_of(self.slots.len() - 1, 0))
    }

    /// Ends the life of an allocation.
    pub(crate) fn release(&mut self, address: u64) {
        if let Some(allocation) = self.of(address) {
            allocation.is_live = false;
            allocation.bytes = Vec::new();
            allocation.undef = Vec::new();
            self.free.push(slot(address));
        }
    }

    /// The live allocation that an address belongs to.
    pub(crate) fn of(&mut self, address: u64) -> Option<&mut Allocation> {
        let generation = (address >> (OFFSET_BITS + SLOT_BITS)) as u8;
        let found = self.slots.get_mut(slot(address))?;
        (found.is_live && found.generation == generation).then_some(found)
    }

    /// All allocations.
    pub(crate) fn all(&mut self) -> impl Iterator<Item = &mut Allocation> {
        self.slots.iter_mut().filter(|a| a.is_live)
    }

    /// The allocation of some bytes and where they are in it.
    pub(crate) fn locate(
        &mut self,
        address: u64,
        size: u64,
        is_write: bool,
    ) -> Result<(&mut Allocation, usize), Box<Fault>> {
        let what = if is_write { "write" } else { "read" };
        if address < 1 << OFFSET_BITS {
            let kind = if address < 4096 {
                Kind::NullPointer
            } else {
                Kind::DanglingPointer
            };
            return fault(kind, format!("a {what} of {size} bytes at {address:#x}"));
        }
        let offset = (address & mask(OFFSET_BITS)) as i64 - FIRST as i64;
        let Some(allocation) = self.of(address) else {
            return fault(
                Kind::DanglingPointer,
                format!("a {what} of {size} bytes at {address:#x}, offset {offset} of an allocation that is gone"),
            );
        };
        let length = allocation.bytes.len() as u64;
        if offset < 0 || (offset as u64).saturating_add(size) > length {
            return fault(
                Kind::OutOfBounds,
                format!(
                    "a {what} of {size} bytes at offset {offset} of {length} bytes of {:?} memory",
                    allocation.class
                ),
            );
        }
        if is_write && allocation.is_read_only {
            return fault(
                Kind::ReadOnly,
                format!("a write of {size} bytes to {:?} memory", allocation.class),
            );
        }
        Ok((allocation, offset as usize))
    }
}

fn slot(address: u64) -> usize {
    (address >> OFFSET_BITS & mask(SLOT_BITS)) as usize
}

impl Allocation {
    /// Up to eight bytes as a number.
    pub fn read(&self, at: usize, size: usize) -> Scalar {
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |n, &byte| n << 8 | u64::from(byte));
        Scalar {
            bits: number(&self.bytes[at..at + size]),
            undef: number(&self.undef[at..at + size]),
        }
    }

    /// Writes the low bytes of a number.
    pub fn write(&mut self, at: usize, size: usize, value: Scalar) {
        self.bytes[at..at + size].copy_from_slice(&value.bits.to_le_bytes()[..size]);
        self.undef[at..at + size].copy_from_slice(&value.undef.to_le_bytes()[..size]);
    }
}
