// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Declarations of the C library's functions, for the tables of [`libcalls`](super) and the functions here.

use std::ffi::{c_int, c_void};

macro_rules! libm {
    ($($(#[$doc:meta])* fn $name:ident($($arg:ident: $ty:ty),*) $(-> $result:ty)?;)*) => {
        // SAFETY: the signatures are those of <math.h>. The functions accept any argument.
        unsafe extern "C" {
            $(pub safe fn $name($($arg: $ty),*) $(-> $result)?;)*
        }
    };
}

libm! {
    fn acos(x: f64) -> f64;
    fn acosf(x: f32) -> f32;
    fn acosh(x: f64) -> f64;
    fn acoshf(x: f32) -> f32;
    fn asin(x: f64) -> f64;
    fn asinf(x: f32) -> f32;
    fn asinh(x: f64) -> f64;
    fn asinhf(x: f32) -> f32;
    fn atan(x: f64) -> f64;
    fn atanf(x: f32) -> f32;
    fn atan2(y: f64, x: f64) -> f64;
    fn atan2f(y: f32, x: f32) -> f32;
    fn atanh(x: f64) -> f64;
    fn atanhf(x: f32) -> f32;
    fn cbrt(x: f64) -> f64;
    fn cbrtf(x: f32) -> f32;
    fn ceil(x: f64) -> f64;
    fn ceilf(x: f32) -> f32;
    fn cos(x: f64) -> f64;
    fn cosf(x: f32) -> f32;
    fn cosh(x: f64) -> f64;
    fn coshf(x: f32) -> f32;
    fn erf(x: f64) -> f64;
    fn erff(x: f32) -> f32;
    fn erfc(x: f64) -> f64;
    fn erfcf(x: f32) -> f32;
    fn exp(x: f64) -> f64;
    fn expf(x: f32) -> f32;
    fn exp2(x: f64) -> f64;
    fn exp2f(x: f32) -> f32;
    fn exp10(x: f64) -> f64;
    fn exp10f(x: f32) -> f32;
    fn expm1(x: f64) -> f64;
    fn expm1f(x: f32) -> f32;
    fn floor(x: f64) -> f64;
    fn floorf(x: f32) -> f32;
    fn fma(x: f64, y: f64, z: f64) -> f64;
    fn fmaf(x: f32, y: f32, z: f32) -> f32;
    fn fmax(x: f64, y: f64) -> f64;
    fn fmaxf(x: f32, y: f32) -> f32;
    fn fmin(x: f64, y: f64) -> f64;
    fn fminf(x: f32, y: f32) -> f32;
    fn ldexp(x: f64, n: c_int) -> f64;
    fn ldexpf(x: f32, n: c_int) -> f32;
    fn log(x: f64) -> f64;
    fn logf(x: f32) -> f32;
    fn log10(x: f64) -> f64;
    fn log10f(x: f32) -> f32;
    fn log1p(x: f64) -> f64;
    fn log1pf(x: f32) -> f32;
    fn log2(x: f64) -> f64;
    fn log2f(x: f32) -> f32;
    fn nearbyint(x: f64) -> f64;
    fn nearbyintf(x: f32) -> f32;
    fn pow(x: f64, y: f64) -> f64;
    fn powf(x: f32, y: f32) -> f32;
    fn rint(x: f64) -> f64;
    fn rintf(x: f32) -> f32;
    fn round(x: f64) -> f64;
    fn roundf(x: f32) -> f32;
    fn roundeven(x: f64) -> f64;
    fn roundevenf(x: f32) -> f32;
    fn sin(x: f64) -> f64;
    fn sinf(x: f32) -> f32;
    fn sinh(x: f64) -> f64;
    fn sinhf(x: f32) -> f32;
    fn sqrt(x: f64) -> f64;
    fn sqrtf(x: f32) -> f32;
    fn tan(x: f64) -> f64;
    fn tanf(x: f32) -> f32;
    fn tanh(x: f64) -> f64;
    fn tanhf(x: f32) -> f32;
    fn tgamma(x: f64) -> f64;
    fn tgammaf(x: f32) -> f32;
    fn trunc(x: f64) -> f64;
    fn truncf(x: f32) -> f32;
}

// SAFETY: the signatures are those of <math.h> and <string.h>.
unsafe extern "C" {
    pub fn bcmp(a: *const c_void, b: *const c_void, len: usize) -> c_int;
    pub fn frexp(x: f64, exponent: *mut c_int) -> f64;
    pub fn frexpf(x: f32, exponent: *mut c_int) -> f32;
    pub fn lgamma_r(x: f64, sign: *mut c_int) -> f64;
    pub fn lgammaf_r(x: f32, sign: *mut c_int) -> f32;
    pub fn memcmp(a: *const c_void, b: *const c_void, len: usize) -> c_int;
    pub fn memcpy(to: *mut c_void, from: *const c_void, len: usize) -> *mut c_void;
    pub fn memmove(to: *mut c_void, from: *const c_void, len: usize) -> *mut c_void;
    pub fn memset(to: *mut c_void, byte: c_int, len: usize) -> *mut c_void;
    pub fn modf(x: f64, whole: *mut f64) -> f64;
    pub fn modff(x: f32, whole: *mut f32) -> f32;
    pub fn sincos(x: f64, sin: *mut f64, cos: *mut f64);
    pub fn sincosf(x: f32, sin: *mut f32, cos: *mut f32);
    pub fn strlen(text: *const c_void) -> usize;
}

/// `lgamma` by the reentrant `lgamma_r`: the C library's `lgamma` stores the sign in a global variable.
pub extern "C" fn lgamma_f32(x: f32) -> f32 {
    let mut sign = 0;
    // SAFETY: `sign` is writable.
    unsafe { lgammaf_r(x, &mut sign) }
}

/// `lgamma` by the reentrant `lgamma_r`: the C library's `lgamma` stores the sign in a global variable.
pub extern "C" fn lgamma_f64(x: f64) -> f64 {
    let mut sign = 0;
    // SAFETY: `sign` is writable.
    unsafe { lgamma_r(x, &mut sign) }
}
