// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What CPUID says of this CPU, as the C library read it when the process started.
//!
//! In a virtual machine the instruction is the hypervisor's, and takes 1 to 10 µs. LLVM and `is_x86_feature_detected` execute it
//! twenty times to describe the CPU, which is a part of the key of cached code. So a process that finds its kernels in the cache
//! would spend more on that than on reading them.

use std::arch::x86_64::{__cpuid_count, _xgetbv};

/// A leaf of CPUID: `cpuid_feature` in glibc's `sys/platform/x86.h`. The registers are `eax`, `ebx`, `ecx` and `edx`.
#[repr(C)]
struct Leaf {
    cpuid: [u32; 4],
    /// What of that programs may use: the system saves the registers, and no tunable of the C library turns it off.
    active: [u32; 4],
}

unsafe extern "C" {
    /// The leaf with an index of glibc's. One that this glibc does not read is zero. Since glibc 2.33.
    safe fn __x86_get_cpuid_feature_leaf(index: u32) -> *const Leaf;
}

/// The indices of glibc for leaves and sub-leaves.
mod index {
    pub const LEAF_1: u32 = 0;
    pub const LEAF_7: u32 = 1;
    pub const LEAF_8000_0001: u32 = 2;
    pub const LEAF_D_1: u32 = 3;
    pub const LEAF_8000_0008: u32 = 5;
    pub const LEAF_7_1: u32 = 6;
    pub const LEAF_19: u32 = 7;
    pub const LEAF_14: u32 = 8;
}

fn leaf(index: u32) -> &'static Leaf {
    // SAFETY: the function returns the address of a constant for any index.
    unsafe { &*__x86_get_cpuid_feature_leaf(index) }
}

/// The bits that describe a CPU, by leaf, as masks of `eax`, `ebx`, `ecx` and `edx`. What else is there is the number of the CPU
/// or of its cores, the stepping, or the size of something.
const DESCRIPTION: [(u32, [u32; 4]); 8] = [
    (index::LEAF_1, [0x0fff_3ff0, 0, !0, !0]),
    (index::LEAF_7, [0, !0, !0, !0]),
    (index::LEAF_7_1, [!0; 4]),
    (index::LEAF_8000_0001, [0, 0, !0, !0]),
    (index::LEAF_8000_0008, [0, !0, 0, 0]),
    (index::LEAF_D_1, [!0, 0, 0, 0]),
    (index::LEAF_14, [0, !0, 0, 0]),
    (index::LEAF_19, [0, !0, 0, 0]),
];

const OSXSAVE: u32 = 1 << 27;
const AVX10: u32 = 1 << 19;
const APX: u32 = 1 << 21;

/// All that LLVM's name and features of the CPU are made of, so that two CPUs with the same description have the same code: family
/// and model, features, and what the system saves. The vendor is left out: where two have a family and a model in common, their features differ.
pub fn description() -> Vec<u8> {
    let mut bytes = Vec::with_capacity(320);
    let mut add = |words: [u32; 4]| bytes.extend(words.into_iter().flat_map(u32::to_le_bytes));
    for (index, mask) in DESCRIPTION {
        let Leaf { cpuid, active } = leaf(index);
        for register in [cpuid, active] {
            add(std::array::from_fn(|i| register[i] & mask[i]));
        }
    }
    if leaf(index::LEAF_1).cpuid[2] & OSXSAVE != 0 {
        // SAFETY: the bit says that the instruction is there. Hypervisors do not intercept it.
        let saved = unsafe { saved_state() };
        add([saved as u32, (saved >> 32) as u32, 0, 0]);
    }
    // What glibc 2.34 does not read, where there is some.
    for (bit, number) in [(AVX10, 0x24), (APX, 0x29)] {
        if leaf(index::LEAF_7_1).cpuid[3] & bit != 0 {
            let leaf = __cpuid_count(number, 0);
            add([leaf.eax, leaf.ebx, leaf.ecx, leaf.edx]);
        }
    }
    bytes
}

/// Whether the CPU gathers and scatters in microcode, as AMD's do: only those have SSE4a.
pub fn gathers_in_microcode() -> bool {
    const SSE4A: u32 = 1 << 6;
    leaf(index::LEAF_8000_0001).cpuid[2] & SSE4A != 0
}

/// Whether the CPU computes with halfs (AVX512-FP16).
pub fn has_half_arithmetic() -> bool {
    const AVX512_FP16: u32 = 1 << 23;
    leaf(index::LEAF_7).active[3] & AVX512_FP16 != 0
}

/// The registers that the system saves (XCR0).
#[target_feature(enable = "xsave")]
fn saved_state() -> u64 {
    // SAFETY: register 0 is there.
    unsafe { _xgetbv(0) }
}

/// What code for a level of x86-64 needs besides the level before it.
pub struct Needs([(u32, [u32; 4]); 3]);

/// x86-64-v3: FMA, MOVBE, F16C; BMI1, AVX2, BMI2; LZCNT.
pub const V3: Needs = Needs([
    (index::LEAF_1, [0, 0, 1 << 12 | 1 << 22 | 1 << 29, 0]),
    (index::LEAF_7, [0, 1 << 3 | 1 << 5 | 1 << 8, 0, 0]),
    (index::LEAF_8000_0001, [0, 0, 1 << 5, 0]),
]);

/// x86-64-v4: AVX512F, DQ, CD, BW, VL.
pub const V4: Needs = Needs([
    (
        index::LEAF_7,
        [0, 1 << 16 | 1 << 17 | 1 << 28 | 1 << 30 | 1 << 31, 0, 0],
    ),
    (index::LEAF_1, [0; 4]),
    (index::LEAF_8000_0001, [0; 4]),
]);

impl Needs {
    /// Whether this CPU has all of it, and programs may use it.
    pub fn are_met(&self) -> bool {
        let has = |&(index, bits): &(u32, [u32; 4])| (0..4).all(|i| leaf(index).active[i] & bits[i] == bits[i]);
        self.0.iter().all(has)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_c_library_has_read_what_the_cpu_says() {
        let numbers = [
            (index::LEAF_1, 1, 0),
            (index::LEAF_7, 7, 0),
            (index::LEAF_7_1, 7, 1),
            (index::LEAF_8000_0001, 0x8000_0001, 0),
            (index::LEAF_8000_0008, 0x8000_0008, 0),
            (index::LEAF_D_1, 0xd, 1),
            (index::LEAF_14, 0x14, 0),
            (index::LEAF_19, 0x19, 0),
        ];
        let most = |number: u32| __cpuid_count(number & 0x8000_0000, 0).eax;
        for (index, number, sub_leaf) in numbers {
            let (_, mask) = DESCRIPTION.into_iter().find(|(known, _)| *known == index).unwrap();
            let leaf = leaf(index);
            if number > most(number) {
                assert_eq!(leaf.cpuid, [0; 4], "leaf {number:#x}");
                continue;
            }
            let cpu = __cpuid_count(number, sub_leaf);
            for (i, register) in [cpu.eax, cpu.ebx, cpu.ecx, cpu.edx].into_iter().enumerate() {
                let differ = (register ^ leaf.cpuid[i]) & mask[i];
                assert_eq!(differ, 0, "leaf {number:#x}.{sub_leaf}, register {i}");
            }
        }
    }

    #[test]
    fn levels_are_those_of_the_standard_library() {
        macro_rules! has {
            ($($feature:tt)*) => { $( std::is_x86_feature_detected!($feature) )&&* };
        }
        assert_eq!(V3.are_met(), has!("avx2" "bmi1" "bmi2" "f16c" "fma" "lzcnt" "movbe"));
        assert_eq!(
            V4.are_met(),
            has!("avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl")
        );
        assert_eq!(has_half_arithmetic(), has!("avx512fp16"));
    }
}
