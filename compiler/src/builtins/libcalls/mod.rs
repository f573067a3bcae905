// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Library functions that emitted code calls by name: their addresses, and what LLVM may assume about them.
//!
//! [`CALLEES`] are the mathematical functions of one or two numbers. The vectorizer replaces their calls by vector variants.
//! [`HELPERS`] are mostly LLVM's runtime library calls: LLVM emits these calls itself, for instructions that a CPU lacks and
//! for idioms that its optimizer recognizes.
//!
//! The submodules have our own functions, where the C library's are missing or not precise enough. Each is `extern "C"` and
//! must not panic. The mathematical functions take and return numbers in registers, depend only on their arguments and access
//! no memory, as this table promises LLVM. Only some helpers store a second result (`sincos`, `__muloti4` and its like), and
//! [`printf`] reads its arguments from memory.

pub mod half;
pub mod huge;
pub mod integers;
pub mod libm;
pub mod pi;
pub mod printf;
pub mod quotient;
pub mod roots;

use spirv::OpenclStd100Op as Op;

use super::vector_math;
use crate::llvm::{Context, Function, Module, Type};

/// The address of a function.
#[derive(Clone, Copy)]
pub struct Address(pub *const ());

// SAFETY: the address of a function is valid on all threads, and nothing is read or written through it.
unsafe impl Sync for Address {}
// SAFETY: as above.
unsafe impl Send for Address {}

/// The type of a parameter or result.
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

/// A mathematical function. [`Callee::declare`] promises LLVM that the result depends only on the arguments, and that the
/// function accesses no memory that the kernel can see, always returns and never unwinds.
pub struct Callee {
    /// The instruction that it implements.
    pub op: Op,
    /// The width of its numbers: 32 or 64.
    pub bits: u32,
    /// The name in emitted code.
    pub name: &'static str,
    /// The types of the parameters.
    pub params: &'static [Number],
    /// The type of the result.
    pub result: Number,
    /// The address of the function.
    pub address: Address,
    /// OpenCL's error bound, in units in the last place.
    pub bound: f32,
    /// The largest known error: from "Accuracy of Mathematical Functions in Single, Double, ... Precision" (Gladman,
    /// Innocente, Mather, Zimmermann) for glibc 2.36, or from the tests here if they found a larger one.
    #[allow(dead_code)] // Only the tests use it, as the limit for the errors that they measure.
    pub ulp: f32,
}

impl Callee {
    /// Declares the function in a module.
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
                // 0 is `memory(none)`.
                .attribute("memory", 0)
        })
    }
}

/// The function that implements an instruction for numbers of 32 or 64 bits.
pub fn callee(op: Op, bits: u32) -> Option<&'static Callee> {
    CALLEES.iter().find(|c| c.op == op && c.bits == bits)
}

/// All functions in the tables, by name.
pub fn symbols() -> impl Iterator<Item = (&'static str, *const ())> {
    let callees = CALLEES.iter().map(|c| (c.name, c.address.0));
    let helpers = HELPERS.iter().map(|(name, address)| (*name, address.0));
    callees.chain(helpers)
}

macro_rules! callees {
    ($($op:ident $bits:literal $name:literal $params:tt -> $result:ident = $function:path,
       $bound:expr, $ulp:expr;)*) => {
        /// The mathematical functions.
        pub static CALLEES: &[Callee] = &[$(Callee {
            op: Op::$op,
            bits: $bits,
            name: $name,
            params: callees!(@params $params),
            result: Number::$result,
            address: Address($function as *const ()),
            bound: $bound,
            ulp: $ulp,
        }),*];
    };
    (@params ($($param:ident),*)) => { &[$(Number::$param),*] };
}

/// OpenCL sets no error bound.
const ANY: f32 = f32::INFINITY;

callees! {
    acos 32 "acosf" (F32) -> F32 = libm::acosf, 4.0, 0.9;
    acos 64 "acos" (F64) -> F64 = libm::acos, 4.0, 0.6;
    acosh 32 "acoshf" (F32) -> F32 = libm::acoshf, 4.0, 2.1;
    acosh 64 "acosh" (F64) -> F64 = libm::acosh, 4.0, 2.3;
    asin 32 "asinf" (F32) -> F32 = libm::asinf, 4.0, 0.9;
    asin 64 "asin" (F64) -> F64 = libm::asin, 4.0, 0.6;
    asinh 32 "asinhf" (F32) -> F32 = libm::asinhf, 4.0, 1.8;
    asinh 64 "asinh" (F64) -> F64 = libm::asinh, 4.0, 2.0;
    atan 32 "atanf" (F32) -> F32 = libm::atanf, 5.0, 0.9;
    atan 64 "atan" (F64) -> F64 = libm::atan, 5.0, 0.6;
    atan2 32 "atan2f" (F32, F32) -> F32 = libm::atan2f, 6.0, 1.6;
    atan2 64 "atan2" (F64, F64) -> F64 = libm::atan2, 6.0, 0.6;
    atanh 32 "atanhf" (F32) -> F32 = libm::atanhf, 5.0, 1.8;
    atanh 64 "atanh" (F64) -> F64 = libm::atanh, 5.0, 1.9;
    cbrt 32 "cbrtf" (F32) -> F32 = libm::cbrtf, 2.0, 1.0;
    // The error of glibc's `cbrt` is 3.7 ulp, more than the bound. That of the vector variant is not.
    cbrt 64 "oxur_cbrt_f64" (F64) -> F64 = roots::cbrt_f64, 2.0, 0.6;
    cos 32 "cosf" (F32) -> F32 = libm::cosf, 4.0, 0.6;
    cos 64 "cos" (F64) -> F64 = huge::cos, 4.0, 0.6;
    cosh 32 "coshf" (F32) -> F32 = libm::coshf, 4.0, 1.9;
    cosh 64 "cosh" (F64) -> F64 = libm::cosh, 4.0, 2.0;
    cospi 32 "oxur_cospi_f32" (F32) -> F32 = pi::cospi_f32, 4.0, 0.6;
    cospi 64 "oxur_cospi_f64" (F64) -> F64 = pi::cospi_f64, 4.0, 1.2;
    erf 32 "erff" (F32) -> F32 = libm::erff, 16.0, 1.0;
    erf 64 "erf" (F64) -> F64 = libm::erf, 16.0, 1.5;
    erfc 32 "erfcf" (F32) -> F32 = libm::erfcf, 16.0, 3.2;
    erfc 64 "erfc" (F64) -> F64 = libm::erfc, 16.0, 5.2;
    exp 32 "expf" (F32) -> F32 = libm::expf, 3.0, 0.6;
    exp 64 "exp" (F64) -> F64 = libm::exp, 3.0, 0.6;
    exp2 32 "exp2f" (F32) -> F32 = libm::exp2f, 3.0, 0.6;
    exp2 64 "exp2" (F64) -> F64 = libm::exp2, 3.0, 0.6;
    exp10 32 "exp10f" (F32) -> F32 = libm::exp10f, 3.0, 0.6;
    exp10 64 "exp10" (F64) -> F64 = libm::exp10, 3.0, 2.1;
    expm1 32 "expm1f" (F32) -> F32 = libm::expm1f, 3.0, 0.9;
    expm1 64 "expm1" (F64) -> F64 = libm::expm1, 3.0, 1.0;
    // LLVM calls these two to implement `frem`.
    fmod 32 "fmodf" (F32, F32) -> F32 = quotient::fmod_f32, 0.0, 0.0;
    fmod 64 "fmod" (F64, F64) -> F64 = quotient::fmod_f64, 0.0, 0.0;
    hypot 32 "oxur_hypot_f32" (F32, F32) -> F32 = roots::hypot_f32, 4.0, 0.6;
    hypot 64 "oxur_hypot_f64" (F64, F64) -> F64 = roots::hypot_f64, 4.0, 0.6;
    lgamma 32 "oxur_lgamma_f32" (F32) -> F32 = libm::lgamma_f32, ANY, ANY;
    lgamma 64 "oxur_lgamma_f64" (F64) -> F64 = libm::lgamma_f64, ANY, ANY;
    log 32 "logf" (F32) -> F32 = libm::logf, 3.0, 0.9;
    log 64 "log" (F64) -> F64 = libm::log, 3.0, 0.6;
    log10 32 "log10f" (F32) -> F32 = libm::log10f, 3.0, 2.1;
    log10 64 "log10" (F64) -> F64 = libm::log10, 3.0, 1.7;
    log1p 32 "log1pf" (F32) -> F32 = libm::log1pf, 2.0, 1.3;
    log1p 64 "log1p" (F64) -> F64 = libm::log1p, 2.0, 0.9;
    log2 32 "log2f" (F32) -> F32 = libm::log2f, 3.0, 0.8;
    log2 64 "log2" (F64) -> F64 = libm::log2, 3.0, 0.6;
    pow 32 "powf" (F32, F32) -> F32 = libm::powf, 16.0, 0.9;
    pow 64 "pow" (F64, F64) -> F64 = libm::pow, 16.0, 0.6;
    remainder 32 "oxur_remainder_f32" (F32, F32) -> F32 = quotient::remainder_f32, 0.0, 0.0;
    remainder 64 "oxur_remainder_f64" (F64, F64) -> F64 = quotient::remainder_f64, 0.0, 0.0;
    // Only the quotient: `remainder` computes the other result.
    remquo 32 "oxur_remquo_f32" (F32, F32) -> I32 = quotient::remquo_f32, 0.0, 0.0;
    remquo 64 "oxur_remquo_f64" (F64, F64) -> I32 = quotient::remquo_f64, 0.0, 0.0;
    rootn 32 "oxur_rootn_f32" (F32, I32) -> F32 = roots::rootn_f32, 16.0, 0.6;
    rootn 64 "oxur_rootn_f64" (F64, I32) -> F64 = roots::rootn_f64, 16.0, 1.2;
    // Vector code has its own; here is the reference.
    rsqrt 32 "oxur_rsqrt_f32" (F32) -> F32 = roots::rsqrt_f32, 2.0, 0.6;
    sin 32 "sinf" (F32) -> F32 = libm::sinf, 4.0, 0.6;
    sin 64 "sin" (F64) -> F64 = huge::sin, 4.0, 0.6;
    sinh 32 "sinhf" (F32) -> F32 = libm::sinhf, 4.0, 1.9;
    sinh 64 "sinh" (F64) -> F64 = libm::sinh, 4.0, 2.0;
    sinpi 32 "oxur_sinpi_f32" (F32) -> F32 = pi::sinpi_f32, 4.0, 0.6;
    sinpi 64 "oxur_sinpi_f64" (F64) -> F64 = pi::sinpi_f64, 4.0, 1.2;
    tan 32 "tanf" (F32) -> F32 = libm::tanf, 5.0, 1.5;
    tan 64 "tan" (F64) -> F64 = huge::tan, 5.0, 0.7;
    tanh 32 "tanhf" (F32) -> F32 = libm::tanhf, 5.0, 2.2;
    tanh 64 "tanh" (F64) -> F64 = libm::tanh, 5.0, 2.3;
    tanpi 32 "oxur_tanpi_f32" (F32) -> F32 = pi::tanpi_f32, 6.0, 0.6;
    tanpi 64 "oxur_tanpi_f64" (F64) -> F64 = pi::tanpi_f64, 6.0, 2.5;
    tgamma 32 "tgammaf" (F32) -> F32 = libm::tgammaf, 16.0, 8.0;
    tgamma 64 "tgamma" (F64) -> F64 = libm::tgamma, 16.0, 10.0;
}

macro_rules! helpers {
    ($($name:literal = $function:path;)*) => {
        /// LLVM's runtime library calls, and the runtime's `printf`.
        pub static HELPERS: &[(&str, Address)] = &[$(($name, Address($function as *const ()))),*];
    };
}

helpers! {
    // Memory functions: the optimizer recognizes loops and copies.
    "bcmp" = libm::bcmp;
    "memcmp" = libm::memcmp;
    "memcpy" = libm::memcpy;
    "memmove" = libm::memmove;
    "memset" = libm::memset;
    "strlen" = libm::strlen;
    // Intrinsics that a CPU has no instruction for (rounding before SSE4.1, `fma` without FMA), and merged calls such as
    // `sincos`.
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
    "sincos" = huge::sincos;
    "sincosf" = libm::sincosf;
    "sqrt" = libm::sqrt;
    "sqrtf" = libm::sqrtf;
    "trunc" = libm::trunc;
    "truncf" = libm::truncf;
    // LLVM transforms `pow(x, 1/3)` with fast-math flags to this.
    "cbrt" = roots::cbrt_f64;
    // Conversions of half and bfloat16.
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
    // Arithmetic of 128-bit and 64-bit integers.
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
    // Conversions of integers, and powers with integer exponents.
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
    // Called by `super::vector_math`, for arguments that it has no code for.
    "oxur_sin_beyond_f32" = vector_math::sin_beyond_f32;
    "oxur_sin_beyond_f64" = vector_math::sin_beyond_f64;
    "oxur_pow_rare" = vector_math::pow_rare;
    "oxur_pow_f64" = libm::pow;
    "oxur_cos_beyond_f32" = vector_math::cos_beyond_f32;
    "oxur_cos_beyond_f64" = vector_math::cos_beyond_f64;
    // Called by `super::printf`.
    "oxur_printf" = printf::printf;
}
