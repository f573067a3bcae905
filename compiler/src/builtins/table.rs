// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Every function that emitted code calls by name: where it is, and what may be assumed of it.
//!
//! [`CALLEES`] are the mathematical functions of one number (or two): the one place to look at for whoever wants to
//! replace a scalar call by one for a whole vector. [`HELPERS`] are what LLVM itself calls for instructions that a CPU
//! does not have, and for what its optimizer recognises.

use spirv::OpenclStd100Op as Op;

use super::runtime::{half, integers, libm, pi, printf, quotient, roots};
use crate::llvm::{Context, Function, Module, Type};

/// The address of a function.
#[derive(Clone, Copy)]
pub struct Address(pub *const ());

// SAFETY: a function's address, for all threads the same; nothing is read or written through it.
unsafe impl Sync for Address {}
// SAFETY: as above.
unsafe impl Send for Address {}

/// A number that a function takes or gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// `float`.
    F32,
    /// `double`.
    F64,
    /// `int`.
    I32,
}

impl Number {
    fn ty(self, context: &Context) -> Type<'_> {
        match self {
            Number::F32 => context.float(32),
            Number::F64 => context.float(64),
            Number::I32 => context.int(32),
        }
    }
}

/// A mathematical function. It depends on its arguments alone, touches no memory, always returns and never unwinds.
#[allow(dead_code)] // The last fields are for a vectoriser.
pub struct Callee {
    /// The instruction that it is for.
    pub op: Op,
    /// 32 or 64: the width of its numbers.
    pub bits: u32,
    /// Its name in emitted code.
    pub name: &'static str,
    /// What it takes.
    pub params: &'static [Number],
    /// What it gives.
    pub result: Number,
    /// Where it is.
    pub address: Address,
    /// The end of its vector variants' names in glibc's libmvec: see [`Callee::vector_name`].
    pub vector: Option<&'static str>,
    /// The largest error found, in units of the last place. For glibc's functions: what "Accuracy of Mathematical
    /// Functions in Single, Double, ... Precision" (Gladman, Innocente, Mather, Zimmermann) found for glibc 2.36, or the
    /// tests here if they found more. `f32::INFINITY` where OpenCL sets no bound.
    pub ulp: f32,
    /// The largest error that the tests here found of the variant for AVX2.
    pub vector_ulp: f32,
}

/// The widths of libmvec's vectors.
#[allow(dead_code)] // For a vectoriser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isa {
    /// 128 bits, SSE4.
    Sse4,
    /// 256 bits, AVX2.
    Avx2,
    /// 512 bits, AVX-512.
    Avx512,
}

impl Callee {
    /// The name of the variant for a vector of the ISA's width, by the x86 vector function ABI, and how many elements
    /// that has.
    #[allow(dead_code)] // For a vectoriser.
    pub fn vector_name(&self, isa: Isa) -> Option<(String, u32)> {
        let (letter, width) = match isa {
            Isa::Sse4 => ('b', 128),
            Isa::Avx2 => ('d', 256),
            Isa::Avx512 => ('e', 512),
        };
        let lanes = width / self.bits;
        self.vector.map(|stem| (format!("_ZGV{letter}N{lanes}{stem}"), lanes))
    }

    /// Declares it in a module.
    pub fn declare<'c>(&self, context: &'c Context, module: &Module<'c>) -> Function<'c> {
        module.function(self.name).unwrap_or_else(|| {
            let params: Vec<_> = self.params.iter().map(|p| p.ty(context)).collect();
            module
                .add_function(self.name, self.result.ty(context).function(&params))
                .attribute("nounwind", 0)
                .attribute("willreturn", 0)
                .attribute("nocallback", 0)
                .attribute("nofree", 0)
                .attribute("nosync", 0)
                // 0 stands for no effect on any kind of memory: `memory(none)`.
                .attribute("memory", 0)
        })
    }
}

/// The function that computes an instruction for numbers of 32 or 64 bits.
pub fn callee(op: Op, bits: u32) -> Option<&'static Callee> {
    CALLEES.iter().find(|c| c.op == op && c.bits == bits)
}

/// Every name that emitted code may call, with its address.
pub fn symbols() -> impl Iterator<Item = (&'static str, *const ())> {
    let callees = CALLEES.iter().map(|c| (c.name, c.address.0));
    callees.chain(HELPERS.iter().map(|(name, address)| (*name, address.0)))
}

macro_rules! callees {
    ($($op:ident $bits:literal $name:literal $params:tt -> $result:ident = $function:path,
       $vector:expr, $ulp:expr, $vector_ulp:expr;)*) => {
        /// The mathematical functions.
        pub static CALLEES: &[Callee] = &[$(Callee {
            op: Op::$op,
            bits: $bits,
            name: $name,
            params: callees!(@params $params),
            result: Number::$result,
            address: Address($function as *const ()),
            vector: $vector,
            ulp: $ulp,
            vector_ulp: $vector_ulp,
        }),*];
    };
    (@params ($($param:ident),*)) => { &[$(Number::$param),*] };
}

/// There is no vector variant, and so no error of it.
const NONE: f32 = f32::NAN;
/// OpenCL sets no bound.
const ANY: f32 = f32::INFINITY;

callees! {
    acos 32 "acosf" (F32) -> F32 = libm::acosf, Some("v_acosf"), 0.9, 4.0;
    acos 64 "acos" (F64) -> F64 = libm::acos, Some("v_acos"), 0.6, 4.0;
    acosh 32 "acoshf" (F32) -> F32 = libm::acoshf, Some("v_acoshf"), 2.1, 4.0;
    acosh 64 "acosh" (F64) -> F64 = libm::acosh, Some("v_acosh"), 2.3, 4.0;
    asin 32 "asinf" (F32) -> F32 = libm::asinf, Some("v_asinf"), 0.9, 4.0;
    asin 64 "asin" (F64) -> F64 = libm::asin, Some("v_asin"), 0.6, 4.0;
    asinh 32 "asinhf" (F32) -> F32 = libm::asinhf, Some("v_asinhf"), 1.8, 4.0;
    asinh 64 "asinh" (F64) -> F64 = libm::asinh, Some("v_asinh"), 2.0, 4.0;
    atan 32 "atanf" (F32) -> F32 = libm::atanf, Some("v_atanf"), 0.9, 4.0;
    atan 64 "atan" (F64) -> F64 = libm::atan, Some("v_atan"), 0.6, 4.0;
    atan2 32 "atan2f" (F32, F32) -> F32 = libm::atan2f, Some("vv_atan2f"), 1.6, 4.0;
    atan2 64 "atan2" (F64, F64) -> F64 = libm::atan2, Some("vv_atan2"), 0.6, 4.0;
    atanh 32 "atanhf" (F32) -> F32 = libm::atanhf, Some("v_atanhf"), 1.8, 4.0;
    atanh 64 "atanh" (F64) -> F64 = libm::atanh, Some("v_atanh"), 1.9, 4.0;
    cbrt 32 "cbrtf" (F32) -> F32 = libm::cbrtf, Some("v_cbrtf"), 1.0, 4.0;
    // glibc's has 3.7 ulp, too many. The vector variant is another function.
    cbrt 64 "oxur_cbrt_f64" (F64) -> F64 = roots::cbrt_f64, Some("v_cbrt"), 0.6, 4.0;
    cos 32 "cosf" (F32) -> F32 = libm::cosf, Some("v_cosf"), 0.6, 4.0;
    cos 64 "cos" (F64) -> F64 = libm::cos, Some("v_cos"), 0.6, 4.0;
    cosh 32 "coshf" (F32) -> F32 = libm::coshf, Some("v_coshf"), 1.9, 4.0;
    cosh 64 "cosh" (F64) -> F64 = libm::cosh, Some("v_cosh"), 2.0, 4.0;
    cospi 32 "oxur_cospi_f32" (F32) -> F32 = pi::cospi_f32, None, 0.6, NONE;
    cospi 64 "oxur_cospi_f64" (F64) -> F64 = pi::cospi_f64, None, 1.2, NONE;
    erf 32 "erff" (F32) -> F32 = libm::erff, Some("v_erff"), 1.0, 4.0;
    erf 64 "erf" (F64) -> F64 = libm::erf, Some("v_erf"), 1.5, 4.0;
    erfc 32 "erfcf" (F32) -> F32 = libm::erfcf, Some("v_erfcf"), 3.2, 4.0;
    erfc 64 "erfc" (F64) -> F64 = libm::erfc, Some("v_erfc"), 5.2, 4.0;
    exp 32 "expf" (F32) -> F32 = libm::expf, Some("v_expf"), 0.6, 4.0;
    exp 64 "exp" (F64) -> F64 = libm::exp, Some("v_exp"), 0.6, 4.0;
    exp2 32 "exp2f" (F32) -> F32 = libm::exp2f, Some("v_exp2f"), 0.6, 4.0;
    exp2 64 "exp2" (F64) -> F64 = libm::exp2, Some("v_exp2"), 0.6, 4.0;
    exp10 32 "exp10f" (F32) -> F32 = libm::exp10f, Some("v_exp10f"), 0.6, 4.0;
    exp10 64 "exp10" (F64) -> F64 = libm::exp10, Some("v_exp10"), 2.1, 4.0;
    expm1 32 "expm1f" (F32) -> F32 = libm::expm1f, Some("v_expm1f"), 0.9, 4.0;
    expm1 64 "expm1" (F64) -> F64 = libm::expm1, Some("v_expm1"), 1.0, 4.0;
    // LLVM calls these two for its instruction `frem`.
    fmod 32 "fmodf" (F32, F32) -> F32 = quotient::fmod_f32, None, 0.0, NONE;
    fmod 64 "fmod" (F64, F64) -> F64 = quotient::fmod_f64, None, 0.0, NONE;
    hypot 32 "hypotf" (F32, F32) -> F32 = libm::hypotf, Some("vv_hypotf"), 0.6, 4.0;
    hypot 64 "hypot" (F64, F64) -> F64 = libm::hypot, Some("vv_hypot"), 0.8, 4.0;
    lgamma 32 "oxur_lgamma_f32" (F32) -> F32 = libm::lgamma_f32, None, ANY, NONE;
    lgamma 64 "oxur_lgamma_f64" (F64) -> F64 = libm::lgamma_f64, None, ANY, NONE;
    log 32 "logf" (F32) -> F32 = libm::logf, Some("v_logf"), 0.9, 4.0;
    log 64 "log" (F64) -> F64 = libm::log, Some("v_log"), 0.6, 4.0;
    log10 32 "log10f" (F32) -> F32 = libm::log10f, Some("v_log10f"), 2.1, 4.0;
    log10 64 "log10" (F64) -> F64 = libm::log10, Some("v_log10"), 1.7, 4.0;
    log1p 32 "log1pf" (F32) -> F32 = libm::log1pf, Some("v_log1pf"), 1.3, 4.0;
    log1p 64 "log1p" (F64) -> F64 = libm::log1p, Some("v_log1p"), 0.9, 4.0;
    log2 32 "log2f" (F32) -> F32 = libm::log2f, Some("v_log2f"), 0.8, 4.0;
    log2 64 "log2" (F64) -> F64 = libm::log2, Some("v_log2"), 0.6, 4.0;
    pow 32 "powf" (F32, F32) -> F32 = libm::powf, Some("vv_powf"), 0.9, 4.0;
    pow 64 "pow" (F64, F64) -> F64 = libm::pow, Some("vv_pow"), 0.6, 4.0;
    remainder 32 "oxur_remainder_f32" (F32, F32) -> F32 = quotient::remainder_f32, None, 0.0, NONE;
    remainder 64 "oxur_remainder_f64" (F64, F64) -> F64 = quotient::remainder_f64, None, 0.0, NONE;
    // The quotient only: the rest is `remainder`.
    remquo 32 "oxur_remquo_f32" (F32, F32) -> I32 = quotient::remquo_f32, None, 0.0, NONE;
    remquo 64 "oxur_remquo_f64" (F64, F64) -> I32 = quotient::remquo_f64, None, 0.0, NONE;
    rootn 32 "oxur_rootn_f32" (F32, I32) -> F32 = roots::rootn_f32, None, 0.6, NONE;
    rootn 64 "oxur_rootn_f64" (F64, I32) -> F64 = roots::rootn_f64, None, 1.2, NONE;
    sin 32 "sinf" (F32) -> F32 = libm::sinf, Some("v_sinf"), 0.6, 4.0;
    sin 64 "sin" (F64) -> F64 = libm::sin, Some("v_sin"), 0.6, 4.0;
    sinh 32 "sinhf" (F32) -> F32 = libm::sinhf, Some("v_sinhf"), 1.9, 4.0;
    sinh 64 "sinh" (F64) -> F64 = libm::sinh, Some("v_sinh"), 2.0, 4.0;
    sinpi 32 "oxur_sinpi_f32" (F32) -> F32 = pi::sinpi_f32, None, 0.6, NONE;
    sinpi 64 "oxur_sinpi_f64" (F64) -> F64 = pi::sinpi_f64, None, 1.2, NONE;
    tan 32 "tanf" (F32) -> F32 = libm::tanf, Some("v_tanf"), 1.5, 4.0;
    tan 64 "tan" (F64) -> F64 = libm::tan, Some("v_tan"), 0.7, 4.0;
    tanh 32 "tanhf" (F32) -> F32 = libm::tanhf, Some("v_tanhf"), 2.2, 4.0;
    tanh 64 "tanh" (F64) -> F64 = libm::tanh, Some("v_tanh"), 2.3, 4.0;
    tanpi 32 "oxur_tanpi_f32" (F32) -> F32 = pi::tanpi_f32, None, 0.6, NONE;
    tanpi 64 "oxur_tanpi_f64" (F64) -> F64 = pi::tanpi_f64, None, 2.5, NONE;
    tgamma 32 "tgammaf" (F32) -> F32 = libm::tgammaf, None, 8.0, NONE;
    tgamma 64 "tgamma" (F64) -> F64 = libm::tgamma, None, 10.0, NONE;
}

macro_rules! helpers {
    ($($name:literal = $function:path;)*) => {
        /// What LLVM calls without being told to.
        pub static HELPERS: &[(&str, Address)] = &[$(($name, Address($function as *const ()))),*];
    };
}

helpers! {
    // Memory: loops and copies that the optimizer recognises.
    "bcmp" = libm::bcmp;
    "memcmp" = libm::memcmp;
    "memcpy" = libm::memcpy;
    "memmove" = libm::memmove;
    "memset" = libm::memset;
    "strlen" = libm::strlen;
    // Intrinsics without an instruction: rounding before SSE4.1, `fma` without FMA, and combinations of calls.
    "ceil" = libm::ceil;
    "ceilf" = libm::ceilf;
    "floor" = libm::floor;
    "floorf" = libm::floorf;
    "fma" = libm::fma;
    "fmaf" = libm::fmaf;
    "fmax" = libm::fmax;
    "fmaxf" = libm::fmaxf;
    "fmin" = libm::fmin;
    "fminf" = libm::fminf;
    "frexp" = libm::frexp;
    "frexpf" = libm::frexpf;
    "ldexp" = libm::ldexp;
    "ldexpf" = libm::ldexpf;
    "modf" = libm::modf;
    "modff" = libm::modff;
    "nearbyint" = libm::nearbyint;
    "nearbyintf" = libm::nearbyintf;
    "rint" = libm::rint;
    "rintf" = libm::rintf;
    "round" = libm::round;
    "roundf" = libm::roundf;
    "roundeven" = libm::roundeven;
    "roundevenf" = libm::roundevenf;
    "sincos" = libm::sincos;
    "sincosf" = libm::sincosf;
    "sqrt" = libm::sqrt;
    "sqrtf" = libm::sqrtf;
    "trunc" = libm::trunc;
    "truncf" = libm::truncf;
    // pow(x, 1/3) with fast-math flags becomes this.
    "cbrt" = roots::cbrt_f64;
    // Half and bfloat16.
    "__extendhfsf2" = half::extend_half_f32;
    "__extendhfdf2" = half::extend_half_f64;
    "__truncsfhf2" = half::truncate_f32_half;
    "__truncdfhf2" = half::truncate_f64_half;
    "__truncsfbf2" = half::truncate_f32_bfloat;
    "__truncdfbf2" = half::truncate_f64_bfloat;
    "__gnu_h2f_ieee" = half::gnu_h2f;
    "__gnu_f2h_ieee" = half::gnu_f2h;
    "__fixhfti" = half::half_to_i128;
    "__fixunshfti" = half::half_to_u128;
    "__floattihf" = half::i128_to_half;
    "__floatuntihf" = half::u128_to_half;
    // Integers of 128 bits, and of 64.
    "__divti3" = integers::divti3;
    "__modti3" = integers::modti3;
    "__udivti3" = integers::udivti3;
    "__umodti3" = integers::umodti3;
    "__divdi3" = integers::divdi3;
    "__moddi3" = integers::moddi3;
    "__udivdi3" = integers::udivdi3;
    "__umoddi3" = integers::umoddi3;
    "__multi3" = integers::multi3;
    "__muloti4" = integers::muloti4;
    "__mulodi4" = integers::mulodi4;
    "__mulosi4" = integers::mulosi4;
    "__ashlti3" = integers::ashlti3;
    "__ashrti3" = integers::ashrti3;
    "__lshrti3" = integers::lshrti3;
    "__popcountsi2" = integers::popcountsi2;
    "__popcountdi2" = integers::popcountdi2;
    "__popcountti2" = integers::popcountti2;
    // Conversions, and powers with whole exponents.
    "__fixsfti" = integers::fixsfti;
    "__fixdfti" = integers::fixdfti;
    "__fixunssfti" = integers::fixunssfti;
    "__fixunsdfti" = integers::fixunsdfti;
    "__fixunssfdi" = integers::fixunssfdi;
    "__fixunsdfdi" = integers::fixunsdfdi;
    "__floattisf" = integers::floattisf;
    "__floattidf" = integers::floattidf;
    "__floatuntisf" = integers::floatuntisf;
    "__floatuntidf" = integers::floatuntidf;
    "__floatundisf" = integers::floatundisf;
    "__floatundidf" = integers::floatundidf;
    "__powidf2" = integers::powidf2;
    "__powisf2" = integers::powisf2;
    // Ours.
    "oxur_printf" = printf::printf;
}
