// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Facts about the machine, determined once. Sub-devices have the facts of their root device.
//!
//! Every SYCL program that starts lists the devices, also those that then choose another one. So what takes reading files of the
//! system is asked when it is first needed.

use std::ops::Deref;

use oxur_compiler::CpuLevel;
use oxur_fork::OnceLock;

use super::{memory, topology};

/// The properties of a device that depend on the machine.
#[derive(Debug)]
pub struct Facts {
    /// The brand string of the CPU.
    pub name: String,
    /// The vendor of the CPU.
    pub vendor: String,
    /// The vendor's PCI id, or 0.
    pub vendor_id: u32,
    /// Family, model and stepping as CPUID's leaf 1 packs them.
    pub signature: u32,
    /// The bytes of a vector register.
    pub vector: u32,
    /// One of the CPUs that the process may use.
    cpu: usize,
    measured: OnceLock<Measured>,
}

/// Those that the system's files have.
#[derive(Debug)]
pub struct Measured {
    /// MHz, or 0.
    pub clock: u32,
    /// The bytes of a cache line.
    pub cache_line: u32,
    /// The bytes of the last cache before memory.
    pub cache: u64,
    /// The bytes of memory.
    pub memory: u64,
}

impl Measured {
    fn ask(cpu: usize) -> Self {
        let caches = topology::caches(cpu);
        Self {
            clock: topology::frequency(cpu).unwrap_or(0),
            cache_line: caches.first().map_or(64, |cache| cache.line),
            cache: caches.last().map_or(0, |cache| cache.size),
            memory: memory::total(),
        }
    }
}

impl Deref for Facts {
    type Target = Measured;

    fn deref(&self) -> &Measured {
        self.measured.get_or_init(|| Measured::ask(self.cpu))
    }
}

impl Facts {
    /// Examines the machine. `cpu` is one of the CPUs that the process may use.
    pub fn ask(cpu: usize) -> Self {
        let Id {
            maker,
            brand,
            signature,
        } = id();
        let (vendor, vendor_id) = match &*maker {
            "GenuineIntel" => ("Intel Corporation", 0x8086),
            "AuthenticAMD" => ("Advanced Micro Devices, Inc.", 0x1022),
            "HygonGenuine" => ("Hygon", 0x1d94),
            "CentaurHauls" | "  Shanghai  " => ("Zhaoxin", 0x1d17),
            other => (other.trim(), 0),
        };
        Self {
            name: if brand.is_empty() { "CPU".to_owned() } else { brand },
            vendor: if vendor.is_empty() { "unknown" } else { vendor }.to_owned(),
            vendor_id,
            signature,
            vector: CpuLevel::current().vector_bytes(),
            cpu,
            measured: OnceLock::new(),
        }
    }

    /// Identifies a device with these CPUs: equal for the same CPUs of the same model, different for others.
    pub fn uuid(&self, cpus: &[usize]) -> [u8; 16] {
        let mut uuid = [0; 16];
        uuid[0..4].copy_from_slice(&self.vendor_id.to_le_bytes());
        uuid[4..8].copy_from_slice(&self.signature.to_le_bytes());
        uuid[8..12].copy_from_slice(&(cpus[0] as u32).to_le_bytes());
        uuid[12..16].copy_from_slice(&(cpus.len() as u32).to_le_bytes());
        uuid
    }
}

/// The vendor, name and model from CPUID.
#[derive(Default)]
struct Id {
    maker: String,
    brand: String,
    signature: u32,
}

#[cfg(target_arch = "x86_64")]
fn id() -> Id {
    use std::arch::x86_64::{__cpuid, CpuidResult};

    // Older compilers call it unsafe.
    #[allow(unused_unsafe)]
    // SAFETY: every x86-64 processor has the instruction.
    let ask = |leaf: u32| unsafe { __cpuid(leaf) };
    let text = |words: &[u32]| {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        String::from_utf8_lossy(&bytes[..end]).into_owned()
    };
    let CpuidResult { ebx, ecx, edx, .. } = ask(0);
    let mut brand = String::new();
    if ask(0x8000_0000).eax >= 0x8000_0004 {
        let words: Vec<u32> = (0x8000_0002..=0x8000_0004)
            .map(ask)
            .flat_map(|r| [r.eax, r.ebx, r.ecx, r.edx])
            .collect();
        // Some names are padded with blanks, on either side.
        brand = text(&words).split_ascii_whitespace().collect::<Vec<_>>().join(" ");
    }
    Id {
        maker: text(&[ebx, edx, ecx]),
        brand,
        signature: ask(1).eax,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn id() -> Id {
    Id::default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine() {
        let facts = Facts::ask(topology::usable_cpus()[0]);
        assert!(!facts.name.is_empty() && facts.name.trim() == facts.name);
        assert!(facts.memory > 0 && facts.cache_line.is_power_of_two() && facts.vector >= 16);
        #[cfg(target_arch = "x86_64")]
        assert!(facts.signature != 0);
    }
}
