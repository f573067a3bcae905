// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Vector variants of mathematical functions: [ours](vector_math), or those of glibc's libmvec, if it is installed.

use std::ffi::CString;

use oxur_fork::OnceLock;

use super::libcalls::{CALLEES, Callee, Isa, huge};
use super::vector_math;
use crate::CpuLevel;

/// The handle of libmvec, which is loaded at the first call and stays open.
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

/// The vector variant of a mathematical function.
pub struct Variant {
    /// Its symbol.
    pub name: String,
    /// The number of elements of its vectors.
    pub lanes: u32,
    /// The width of an element. It exceeds the width of the scalar function if only the variant for `double` is precise
    /// enough.
    pub bits: u32,
}

/// The largest error of a variant, in ulps, unless the kernel allows more. OpenCL's bounds are wider, but programs are tested
/// on implementations that are nearly always correctly rounded.
const MAX_ULPS: f32 = 1.0;

/// The vector variant of a mathematical function for this CPU; `None` if it is less precise than OpenCL requires. For
/// `float` it may be libmvec's variant for `double`, because most of those for `float` have errors of two or three ulps.
/// With `relaxed` those are used anyway.
///
/// Variants of ours have the number of `lanes`; libmvec's have as many elements as a register.
pub fn vector_variant(name: &str, lanes: u32, relaxed: bool) -> Option<Variant> {
    if let Some((name, bits)) = vector_math::name(name, lanes) {
        return Some(Variant { name, lanes, bits });
    }
    let callee = CALLEES.iter().find(|c| c.name == name)?;
    let isa = match CpuLevel::current() {
        CpuLevel::V4 => Isa::Avx512,
        CpuLevel::V3 => Isa::Avx2,
        CpuLevel::V2 => return None,
    };
    let is_close = |c: &Callee| relaxed || c.vector.as_ref().is_some_and(|v| v.ulps[isa as usize] <= MAX_ULPS);
    let wider = || CALLEES.iter().find(|c| c.op == callee.op && c.bits == 64);
    let callee = if callee.bits == 64 || is_close(callee) {
        callee
    } else {
        wider()?
    };
    let (name, lanes) = callee.vector_name(isa)?;
    vector_symbol(&name)?;
    Some(Variant {
        name,
        lanes,
        bits: callee.bits,
    })
}

/// The address of a vector function.
pub fn vector_symbol(name: &str) -> Option<*const u8> {
    if !name.starts_with("_ZGV") {
        return None;
    }
    let name = CString::new(name).ok()?;
    // SAFETY: the handle is valid, because the library stays open, and the name ends with a zero.
    let address = unsafe { libc::dlsym(library()? as *mut libc::c_void, name.as_ptr()) };
    if address.is_null() {
        return None;
    }
    let wrapper = wrappers::FUNCTIONS.iter().find(|(own, _)| *own == name.as_c_str());
    Some(wrapper.map_or(address.cast_const().cast(), |(_, own)| own.0.cast()))
}

/// Wrappers of libmvec functions that are imprecise for huge arguments. libmvec leaves these to the scalar functions of
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
            pub const FUNCTIONS: &[(&CStr, Address)] = &[$(($symbol, Address($name as *const ()))),*];

            $(
                #[target_feature(enable = $feature)]
                #[allow(improper_ctypes_definitions, reason = "passes vectors in registers, like libmvec")]
                unsafe extern "C" fn $name(x: $vector) -> $vector {
                    static LIBMVEC: OnceLock<usize> = OnceLock::new();
                    // SAFETY: the handle comes from `dlopen`. `vector_symbol` returns this wrapper only if the library and
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
