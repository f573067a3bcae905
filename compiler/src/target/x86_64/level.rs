// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The x86-64 level that code is compiled for: this CPU's, or a lower one that the user asks for.
//!
//! With a lower level a machine behaves as one with narrower vectors: for comparisons, and to find faults of one of them.
//! The levels are those of the x86-64 psABI.

use oxur_environment::CPU_TARGET;
use oxur_fork::OnceLock;

use super::cpu_id;

/// A level, as far as it makes a difference here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CpuLevel {
    /// x86-64-v2 or less: vectors of 16 bytes.
    V2,
    /// x86-64-v3, which has AVX2 and FMA: vectors of 32 bytes.
    V3,
    /// x86-64-v4, which has AVX-512: vectors of 64 bytes.
    V4,
}

impl CpuLevel {
    /// The level that code is compiled for: `UR_CPU_TARGET`, or the CPU's.
    pub fn current() -> Self {
        static CURRENT: OnceLock<CpuLevel> = OnceLock::new();
        *CURRENT.get_or_init(|| {
            let host = Self::of_host();
            let wanted = match CPU_TARGET.word() {
                Some("x86-64-v2") => Self::V2,
                Some("x86-64-v3") => Self::V3,
                Some("x86-64-v4") => Self::V4,
                _ => host,
            };
            if wanted <= host {
                return wanted;
            }
            CPU_TARGET.ignore(&format!(
                "this CPU is {}, and has no code of a higher level",
                host.name()
            ));
            host
        })
    }

    fn name(self) -> &'static str {
        match self {
            Self::V2 => "x86-64-v2",
            Self::V3 => "x86-64-v3",
            Self::V4 => "x86-64-v4",
        }
    }

    fn of_host() -> Self {
        if !cpu_id::V3.are_met() {
            Self::V2
        } else if cpu_id::V4.are_met() {
            Self::V4
        } else {
            Self::V3
        }
    }

    /// The size of a vector register in bytes.
    pub fn vector_bytes(self) -> u32 {
        16 << self as u32
    }

    /// What LLVM's list of this CPU's features ends with, so that it has only those of this level.
    pub(crate) fn limit_features(self) -> &'static str {
        match self {
            level if level == Self::of_host() => "",
            Self::V2 => ",-avx",
            Self::V3 => ",-avx512f",
            Self::V4 => "",
        }
    }
}
