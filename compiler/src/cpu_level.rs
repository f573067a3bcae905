// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The x86-64 level that code is compiled for: this CPU's, or a lower one that the user asks for.
//!
//! With a lower level a machine behaves as one with narrower vectors: for comparisons, and to find faults of one of them.
//! The levels are those of the x86-64 psABI.

use oxur_fork::OnceLock;

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
    const NAMES: [(&str, Self); 3] = [
        ("x86-64-v2", Self::V2),
        ("x86-64-v3", Self::V3),
        ("x86-64-v4", Self::V4),
    ];

    /// The level that code is compiled for: `UR_CPU_TARGET`, or the CPU's.
    pub fn current() -> Self {
        static CURRENT: OnceLock<CpuLevel> = OnceLock::new();
        *CURRENT.get_or_init(|| {
            let target = std::env::var_os("UR_CPU_TARGET").filter(|target| !target.is_empty());
            let Some(target) = target else {
                return Self::of_host();
            };
            Self::named(&target.to_string_lossy(), Self::of_host()).unwrap_or_else(|problem| {
                log::warn!("UR_CPU_TARGET={} is ignored: {problem}", target.display());
                Self::of_host()
            })
        })
    }

    /// The level with a name, if a CPU of the level `host` has it.
    fn named(name: &str, host: Self) -> Result<Self, String> {
        if name.eq_ignore_ascii_case("native") {
            return Ok(host);
        }
        let known = Self::NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        match known {
            Some((_, level)) if *level <= host => Ok(*level),
            Some(_) => Err(format!("this CPU is a {}", host.name())),
            None => Err(format!(
                "there are native, {}",
                Self::NAMES.map(|(name, _)| name).join(", ")
            )),
        }
    }

    fn name(self) -> &'static str {
        Self::NAMES[self as usize].0
    }

    #[cfg(target_arch = "x86_64")]
    fn of_host() -> Self {
        macro_rules! has {
            ($($feature:tt)*) => { $( std::is_x86_feature_detected!($feature) )&&* };
        }
        if has!("avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl") {
            Self::V4
        } else if has!("avx2" "bmi1" "bmi2" "f16c" "fma" "lzcnt" "movbe") {
            Self::V3
        } else {
            Self::V2
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn of_host() -> Self {
        Self::V2
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert_eq!(CpuLevel::named("native", CpuLevel::V3), Ok(CpuLevel::V3));
        assert_eq!(CpuLevel::named("X86-64-v2", CpuLevel::V3), Ok(CpuLevel::V2));
        let higher = CpuLevel::named("x86-64-v4", CpuLevel::V3);
        assert_eq!(higher, Err("this CPU is a x86-64-v3".to_owned()));
        let unknown = CpuLevel::named("znver3", CpuLevel::V4);
        assert!(unknown.unwrap_err().contains("x86-64-v2, x86-64-v3, x86-64-v4"));
    }
}
