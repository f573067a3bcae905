// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! x86-64: which CPU this is, the level of the psABI that code is compiled for, and what its vectors, its instructions and its
//! libraries can do.

mod cpu_id;
mod float_env;
mod level;
pub(super) mod libmvec;
mod machine;
pub(super) mod math;
pub mod registers;
pub mod relocations;
pub mod thread;

use std::arch::x86_64::{_mm_sfence, _rdtsc};
use std::ffi::CStr;

use super::{Math, Vectors};

pub use float_env::FloatEnv;
pub use level::CpuLevel;
pub use machine::{initialize, machine};

/// LLVM's data layout.
pub const LAYOUT: &CStr = c"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128";

/// LLVM's function for the instruction that puts the elements of a register, integers of so many bits, in any order, and how many
/// there are; `None` if this CPU has none.
pub fn permutation(bits: u32) -> Option<(&'static str, u32)> {
    match (CpuLevel::current(), bits) {
        (CpuLevel::V4, 32) => Some(("llvm.x86.avx512.permvar.si.512", 16)),
        (CpuLevel::V4, 64) => Some(("llvm.x86.avx512.permvar.di.512", 8)),
        (CpuLevel::V3, 32) => Some(("llvm.x86.avx2.permd", 8)),
        _ => None,
    }
}

/// The vectors of a level, on this CPU.
pub fn vectors(level: CpuLevel) -> Vectors {
    match level {
        CpuLevel::V4 => Vectors {
            lanes: 16,
            registers: 32,
            register_bits: 512,
            has_mask_registers: true,
            masked_bytes: Some(1),
            gathered_bytes: Some(4),
            scattered_bytes: Some(4),
            gathers_slowly: cpu_id::gathers_in_microcode(),
            shuffles_two: true,
            converts_longs: true,
        },
        CpuLevel::V3 => Vectors {
            lanes: 8,
            registers: 16,
            register_bits: 256,
            has_mask_registers: false,
            masked_bytes: Some(4),
            // LLVM takes them, but not on Haswell and Broadwell.
            gathered_bytes: (!cpu_id::gathers_in_microcode()).then_some(4),
            scattered_bytes: None,
            gathers_slowly: cpu_id::gathers_in_microcode(),
            shuffles_two: false,
            converts_longs: false,
        },
        CpuLevel::V2 => Vectors {
            lanes: 8,
            registers: 16,
            register_bits: 128,
            has_mask_registers: false,
            masked_bytes: None,
            gathered_bytes: None,
            scattered_bytes: None,
            gathers_slowly: cpu_id::gathers_in_microcode(),
            shuffles_two: false,
            converts_longs: false,
        },
    }
}

/// The instructions of a level.
pub fn math(level: CpuLevel) -> Math {
    Math {
        fuses: level >= CpuLevel::V3,
        fuses_halfs: level >= CpuLevel::V4 && cpu_id::has_half_arithmetic(),
        converts_halfs: level >= CpuLevel::V3,
        shifts_longs: level >= CpuLevel::V4,
        scales: level >= CpuLevel::V4,
        // That of AVX has 12 bits.
        estimates_roots: level >= CpuLevel::V4,
        permutes_tables: level >= CpuLevel::V4,
        // `cvtps2dq`, whose form in AVX takes any address.
        aligns_rint: level == CpuLevel::V2,
    }
}

/// What determines code for this CPU: all that LLVM knows of it, and the level that the user limits it to.
pub fn description() -> Vec<u8> {
    let mut description = cpu_id::description();
    description.extend(CpuLevel::current().limit_features().as_bytes());
    description
}

/// CPUs by LLVM's names, with all levels among them, for tests of what the code of each calls.
#[cfg(test)]
pub const CPUS: [&str; 5] = ["x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "sapphirerapids"];

/// The counter of cycles.
#[inline]
pub fn cycles() -> u64 {
    // SAFETY: every CPU has this instruction.
    unsafe { _rdtsc() }
}

/// Has other threads see stores past the caches before later stores.
#[inline]
pub fn fence_streamed_stores() {
    // SAFETY: every CPU has this instruction.
    unsafe { _mm_sfence() };
}
