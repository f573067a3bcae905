// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! glibc's libmvec, if it is installed: mathematical functions of as many numbers as a register has, by the vector function ABI.

#[cfg(test)]
mod tests;

use std::ffi::CString;

use oxur_fork::OnceLock;
use spirv::OpenclStd100Op as Op;

use super::CpuLevel;
use crate::builtins::libcalls::huge;
use crate::target::VectorFunction;

/// The instruction sets of libmvec's variants.
#[allow(dead_code)] // Only the tests use SSE4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Isa {
    /// 128 bits, SSE4.
    Sse4,
    /// 256 bits, AVX2.
    Avx2,
    /// 512 bits, AVX-512.
    Avx512,
}

impl Isa {
    /// The one that code is compiled for; `None` if that has vectors of 128 bits, and calls the functions of one number.
    fn current() -> Option<Self> {
        match CpuLevel::current() {
            CpuLevel::V4 => Some(Self::Avx512),
            CpuLevel::V3 => Some(Self::Avx2),
            CpuLevel::V2 => None,
        }
    }
}

/// A function of libmvec, for numbers of a width.
struct Entry {
    op: Op,
    bits: u32,
    /// How many numbers it takes.
    params: usize,
    /// The largest error that the tests here found for each [`Isa`], in ulps.
    ulps: [f32; 3],
}

impl Entry {
    /// The name of the variant for an ISA, and its number of elements.
    fn name(&self, isa: Isa) -> (String, u32) {
        let (letter, width) = match isa {
            Isa::Sse4 => ('b', 128),
            Isa::Avx2 => ('d', 256),
            Isa::Avx512 => ('e', 512),
        };
        let lanes = width / self.bits;
        let vectors = "v".repeat(self.params);
        let suffix = if self.bits == 32 { "f" } else { "" };
        (format!("_ZGV{letter}N{lanes}{vectors}_{:?}{suffix}", self.op), lanes)
    }
}

const fn entry(op: Op, bits: u32, ulps: [f32; 3]) -> Entry {
    let params = match op {
        Op::atan2 | Op::hypot | Op::pow => 2,
        _ => 1,
    };
    Entry { op, bits, params, ulps }
}

/// The functions that may be called.
const FUNCTIONS: &[Entry] = &[
    entry(Op::acos, 32, [2.2, 2.1, 1.8]),
    entry(Op::acos, 64, [1.7, 1.7, 1.7]),
    entry(Op::acosh, 32, [2.4, 2.0, 0.9]),
    entry(Op::acosh, 64, [2.1, 2.2, 0.9]),
    entry(Op::asin, 32, [2.8, 2.4, 2.9]),
    entry(Op::asin, 64, [2.5, 2.3, 2.6]),
    entry(Op::asinh, 32, [1.9, 1.9, 0.9]),
    entry(Op::asinh, 64, [2.1, 2.1, 1.0]),
    entry(Op::atan, 32, [2.1, 1.9, 1.4]),
    entry(Op::atan, 64, [1.3, 1.3, 1.3]),
    entry(Op::atan2, 32, [2.5, 2.7, 2.7]),
    entry(Op::atan2, 64, [1.9, 2.2, 2.2]),
    entry(Op::atanh, 32, [2.0, 2.0, 1.6]),
    entry(Op::atanh, 64, [2.1, 2.1, 1.2]),
    entry(Op::cbrt, 32, [2.9, 2.9, 1.9]),
    entry(Op::cbrt, 64, [1.6, 1.6, 1.8]),
    entry(Op::cosh, 32, [1.8, 1.8, 2.4]),
    entry(Op::cosh, 64, [1.5, 1.5, 1.8]),
    entry(Op::erf, 32, [1.6, 1.6, 4.1]),
    entry(Op::erf, 64, [1.4, 1.4, 1.4]),
    entry(Op::erfc, 32, [1.5, 1.5, 1.5]),
    entry(Op::erfc, 64, [1.8, 1.8, 1.8]),
    entry(Op::expm1, 32, [1.7, 1.6, 2.0]),
    entry(Op::expm1, 64, [2.6, 2.6, 1.8]),
    entry(Op::hypot, 32, [1.4, 1.2, 1.2]),
    entry(Op::hypot, 64, [1.8, 1.2, 1.2]),
    entry(Op::log, 64, [1.6, 1.4, 1.4]),
    entry(Op::log10, 64, [1.2, 1.2, 1.9]),
    entry(Op::log1p, 32, [1.8, 1.9, 1.9]),
    entry(Op::log1p, 64, [1.6, 1.6, 1.7]),
    entry(Op::log2, 64, [1.1, 1.1, 1.8]),
    entry(Op::pow, 32, [0.8, 0.8, 0.8]),
    entry(Op::pow, 64, [1.1, 1.1, 1.1]),
    entry(Op::sinh, 32, [1.8, 1.8, 1.8]),
    entry(Op::sinh, 64, [2.0, 2.0, 2.0]),
    entry(Op::tan, 32, [3.0, 2.9, 2.9]),
    entry(Op::tan, 64, [2.6, 2.6, 2.6]),
    entry(Op::tanh, 32, [1.1, 1.1, 1.4]),
    entry(Op::tanh, 64, [2.2, 2.2, 1.3]),
];

/// The function for vectors of this CPU.
pub fn function(op: Op, bits: u32) -> Option<VectorFunction> {
    let isa = Isa::current()?;
    let entry = FUNCTIONS.iter().find(|entry| entry.op == op && entry.bits == bits)?;
    let (name, lanes) = entry.name(isa);
    Some(VectorFunction {
        name,
        lanes,
        ulps: entry.ulps[isa as usize],
    })
}

/// The handle of the library, which is loaded at the first call and stays open.
fn library() -> Option<usize> {
    static LIBRARY: OnceLock<Option<usize>> = OnceLock::new();
    *LIBRARY.get_or_init(|| {
        // SAFETY: a library of glibc. Its initializers only select functions for the CPU.
        let library = unsafe { libc::dlopen(c"libmvec.so.1".as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if library.is_null() {
            log::info!("libmvec.so.1 is not installed, so most mathematical functions are not vectorized");
        }
        (!library.is_null()).then_some(library as usize)
    })
}

/// The address of a function.
pub fn symbol(name: &str) -> Option<*const u8> {
    if !name.starts_with("_ZGV") {
        return None;
    }
    let name = CString::new(name).ok()?;
    // SAFETY: the handle is valid, because the library stays open, and the name ends with a zero.
    let address = unsafe { libc::dlsym(library()? as *mut libc::c_void, name.as_ptr()) };
    if address.is_null() {
        return None;
    }
    let wrapper = wrappers::CORRECTED.iter().find(|(own, _)| *own == name.as_c_str());
    Some(wrapper.map_or(address.cast_const().cast(), |(_, own)| own.0.cast()))
}

/// Wrappers of functions that are imprecise for huge arguments. libmvec leaves these to the scalar functions of
/// the C library, whose results the wrappers [correct](huge).
mod wrappers {
    use oxur_fork::OnceLock;
    use std::arch::x86_64::{__m128d, __m256d, __m512d};
    use std::ffi::CStr;

    use super::{huge, library};
    use crate::builtins::libcalls::Address;

    macro_rules! functions {
        ($($name:ident = $symbol:literal, $feature:literal $vector:ty, $lanes:literal, $correct:path;)*) => {
            /// The symbols of libmvec, and their wrappers.
            pub const CORRECTED: &[(&CStr, Address)] = &[$(($symbol, Address($name as *const ()))),*];

            $(
                #[target_feature(enable = $feature)]
                #[allow(improper_ctypes_definitions, reason = "passes vectors in registers, like libmvec")]
                unsafe extern "C" fn $name(x: $vector) -> $vector {
                    static LIBMVEC: OnceLock<usize> = OnceLock::new();
                    // SAFETY: the handle comes from `dlopen`. `symbol` returns this wrapper only if the library and
                    // the symbol exist.
                    let address = *LIBMVEC.get_or_init(|| unsafe {
                        libc::dlsym(library().unwrap_or_default() as *mut libc::c_void, $symbol.as_ptr()) as usize
                    });
                    // SAFETY: the symbol has this type by the vector function ABI. Vectors have the size of arrays of their
                    // elements.
                    unsafe {
                        let f = std::mem::transmute::<usize, unsafe extern "C" fn($vector) -> $vector>(address);
                        let numbers: [f64; $lanes] = std::mem::transmute(x);
                        // Tested before the call, so that the common case is a tail call.
                        if !numbers.iter().fold(false, |any, x| any | (x.abs() >= huge::HUGE)) {
                            return f(x);
                        }
                        let results: [f64; $lanes] = std::mem::transmute(f(x));
                        std::mem::transmute(std::array::from_fn::<f64, $lanes, _>(|i| $correct(numbers[i], results[i])))
                    }
                }
            )*
        };
    }

    functions! {
        tan_sse4 = c"_ZGVbN2v_tan", "sse4.2" __m128d, 2, huge::correct_tan;
        tan_avx2 = c"_ZGVdN4v_tan", "avx2" __m256d, 4, huge::correct_tan;
        tan_avx512 = c"_ZGVeN8v_tan", "avx512f" __m512d, 8, huge::correct_tan;
    }
}
