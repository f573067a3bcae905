// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What functions really give: MPFR, which every C compiler of GNU's brings along, loaded at run time. (A crate would
//! build GMP and MPFR from source, for minutes, and bring licences that no part of what we ship has.)

use std::cmp::Ordering;
use std::ffi::{CString, c_int, c_long, c_void};
use std::sync::OnceLock;

/// Digits enough that what is lost of them never shows in the first three of an error in ulps.
const PRECISION: c_long = 256;
const NEAREST: c_int = 0;

/// `__mpfr_struct`.
#[repr(C)]
struct Raw {
    precision: c_long,
    sign: c_int,
    exponent: c_long,
    limbs: *mut u64,
}

/// A number of many digits.
pub struct Real(Raw);

/// A function of MPFR's.
///
/// # Safety
/// `F` is its type.
unsafe fn function<F: Copy>(name: &str) -> F {
    static LIBRARY: OnceLock<usize> = OnceLock::new();
    let library = *LIBRARY.get_or_init(|| {
        // SAFETY: a library without effects on loading.
        let handle = unsafe { libc::dlopen(c"libmpfr.so.6".as_ptr(), libc::RTLD_NOW) };
        assert!(!handle.is_null(), "libmpfr.so.6 is missing (Debian: libmpfr6)");
        handle as usize
    });
    let c_name = CString::new(name).unwrap();
    // SAFETY: a handle of dlopen's; the caller vouches for the type.
    unsafe {
        let address = libc::dlsym(library as *mut c_void, c_name.as_ptr());
        assert!(!address.is_null(), "MPFR has no {name}: version 4.2 is needed");
        std::mem::transmute_copy(&address)
    }
}

impl Real {
    fn zero() -> Self {
        let mut raw = Raw {
            precision: 0,
            sign: 0,
            exponent: 0,
            limbs: std::ptr::null_mut(),
        };
        // SAFETY: void mpfr_init2(mpfr_t, mpfr_prec_t).
        unsafe { function::<extern "C" fn(*mut Raw, c_long)>("mpfr_init2")(&mut raw, PRECISION) };
        Self(raw)
    }

    pub fn new(x: f64) -> Self {
        let mut result = Self::zero();
        // SAFETY: int mpfr_set_d(mpfr_t, double, mpfr_rnd_t).
        unsafe { function::<extern "C" fn(*mut Raw, f64, c_int) -> c_int>("mpfr_set_d")(&mut result.0, x, NEAREST) };
        result
    }

    /// `name(x)`.
    pub fn unary(name: &str, x: &Real) -> Self {
        let mut result = Self::zero();
        // SAFETY: int mpfr_sin(mpfr_t, mpfr_t, mpfr_rnd_t), and others like it.
        unsafe {
            function::<extern "C" fn(*mut Raw, *const Raw, c_int) -> c_int>(name)(&mut result.0, &x.0, NEAREST);
        }
        result
    }

    /// `name(x, y)`.
    pub fn binary(name: &str, x: &Real, y: &Real) -> Self {
        let mut result = Self::zero();
        // SAFETY: int mpfr_pow(mpfr_t, mpfr_t, mpfr_t, mpfr_rnd_t), and others like it.
        unsafe {
            let f = function::<extern "C" fn(*mut Raw, *const Raw, *const Raw, c_int) -> c_int>(name);
            f(&mut result.0, &x.0, &y.0, NEAREST);
        }
        result
    }

    /// `name(x, n)`.
    pub fn with_int(name: &str, x: &Real, n: i32) -> Self {
        let mut result = Self::zero();
        // SAFETY: int mpfr_pow_si(mpfr_t, mpfr_t, long, mpfr_rnd_t), and others like it.
        unsafe {
            let f = function::<extern "C" fn(*mut Raw, *const Raw, c_long, c_int) -> c_int>(name);
            f(&mut result.0, &x.0, n.into(), NEAREST);
        }
        result
    }

    /// The logarithm of the gamma function's magnitude.
    pub fn lgamma(x: &Real) -> Self {
        let (mut result, mut sign) = (Self::zero(), 0);
        // SAFETY: int mpfr_lgamma(mpfr_t, int *, mpfr_t, mpfr_rnd_t).
        unsafe {
            let f = function::<extern "C" fn(*mut Raw, *mut c_int, *const Raw, c_int) -> c_int>("mpfr_lgamma");
            f(&mut result.0, &mut sign, &x.0, NEAREST);
        }
        result
    }

    /// The quotient of `remquo`, as many low bits as a long has, and the remainder.
    pub fn remquo(x: &Real, y: &Real) -> (Self, i64) {
        let (mut result, mut quotient) = (Self::zero(), 0);
        // SAFETY: int mpfr_remquo(mpfr_t, long *, mpfr_t, mpfr_t, mpfr_rnd_t).
        unsafe {
            let f = function::<extern "C" fn(*mut Raw, *mut c_long, *const Raw, *const Raw, c_int) -> c_int>;
            f("mpfr_remquo")(&mut result.0, &mut quotient, &x.0, &y.0, NEAREST);
        }
        (result, quotient)
    }

    pub fn is_nan(&self) -> bool {
        // SAFETY: int mpfr_nan_p(mpfr_t).
        unsafe { function::<extern "C" fn(*const Raw) -> c_int>("mpfr_nan_p")(&self.0) != 0 }
    }

    fn is_zero(&self) -> bool {
        // SAFETY: int mpfr_zero_p(mpfr_t).
        unsafe { function::<extern "C" fn(*const Raw) -> c_int>("mpfr_zero_p")(&self.0) != 0 }
    }

    pub fn is_infinite(&self) -> bool {
        // SAFETY: int mpfr_inf_p(mpfr_t).
        unsafe { function::<extern "C" fn(*const Raw) -> c_int>("mpfr_inf_p")(&self.0) != 0 }
    }

    pub fn to_f64(&self) -> f64 {
        // SAFETY: double mpfr_get_d(mpfr_t, mpfr_rnd_t).
        unsafe { function::<extern "C" fn(*const Raw, c_int) -> f64>("mpfr_get_d")(&self.0, NEAREST) }
    }

    pub fn partial_cmp(&self, other: &Real) -> Option<Ordering> {
        if self.is_nan() || other.is_nan() {
            return None;
        }
        // SAFETY: int mpfr_cmp3(mpfr_t, mpfr_t, int): mpfr_cmp is a macro.
        let sign = unsafe {
            function::<extern "C" fn(*const Raw, *const Raw, c_int) -> c_int>("mpfr_cmp3")(&self.0, &other.0, 1)
        };
        Some(sign.cmp(&0))
    }

    /// `self * 2^n`.
    fn scaled(&self, n: i64) -> Self {
        Self::with_int("mpfr_mul_2si", self, n as i32)
    }
}

impl Drop for Real {
    fn drop(&mut self) {
        // SAFETY: void mpfr_clear(mpfr_t).
        unsafe { function::<extern "C" fn(*mut Raw)>("mpfr_clear")(&mut self.0) };
    }
}

/// A floating-point format of IEEE 754.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    pub bits: u32,
    /// Bits of the fraction.
    pub fraction: u32,
    /// The smallest exponent of a normal number, and the largest.
    pub exponents: (i64, i64),
}

pub const FORMATS: [Format; 3] = [
    Format {
        bits: 16,
        fraction: 10,
        exponents: (-14, 15),
    },
    Format {
        bits: 32,
        fraction: 23,
        exponents: (-126, 127),
    },
    Format {
        bits: 64,
        fraction: 52,
        exponents: (-1022, 1023),
    },
];

impl Format {
    /// The number with these bits. Every number of every format is a double.
    pub fn decode(self, bits: u64) -> f64 {
        match self.bits {
            16 => crate::builtins::runtime::half::half_to_f32(bits as u16).into(),
            32 => f32::from_bits(bits as u32).into(),
            _ => f64::from_bits(bits),
        }
    }

    /// The bits of the number that is nearest.
    pub fn encode(self, x: f64) -> u64 {
        match self.bits {
            16 => crate::builtins::runtime::half::half_from_f64(x).into(),
            32 => (x as f32).to_bits().into(),
            _ => x.to_bits(),
        }
    }

    pub fn round(self, x: f64) -> f64 {
        self.decode(self.encode(x))
    }

    pub fn infinity(self) -> u64 {
        self.encode(f64::INFINITY)
    }

    pub fn sign(self) -> u64 {
        1 << (self.bits - 1)
    }

    /// How far a result is from the exact one, in ulps: OpenCL C 3.0, section 7.4. Infinity counts as the number that
    /// would come after the largest one. `f64::INFINITY` if one is NaN, or infinite, and the other has no reason.
    pub fn ulps(self, result: f64, exact: &Real) -> f64 {
        if exact.is_nan() || result.is_nan() {
            return if exact.is_nan() && result.is_nan() {
                0.0
            } else {
                f64::INFINITY
            };
        }
        if exact.is_infinite() {
            return if result == exact.to_f64() { 0.0 } else { f64::INFINITY };
        }
        let beyond = Real::new(1.0f64.copysign(result)).scaled(self.exponents.1 + 1);
        let given = if result.is_infinite() {
            beyond
        } else {
            Real::new(result)
        };
        if result.is_infinite() {
            // An exact result beyond that is what infinity stands for.
            let outside = exact.partial_cmp(&given);
            if outside
                == Some(if result > 0.0 {
                    Ordering::Greater
                } else {
                    Ordering::Less
                })
            {
                return 0.0;
            }
        }
        let exponent = if exact.is_zero() {
            i64::MIN
        } else {
            exact.0.exponent - 1
        };
        let exponent = exponent.clamp(self.exponents.0, self.exponents.1) - i64::from(self.fraction);
        Real::binary("mpfr_sub", &given, exact).scaled(-exponent).to_f64().abs()
    }
}
