// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Exact results of functions, for tests: GNU MPFR, which every C compiler of GNU's brings along, loaded at run time.
//!
//! A crate would build GMP and MPFR from source, for minutes, and bring licences that no part of what we ship has.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::ffi::{c_int, c_long, c_void};

use libloading::Library;

/// Bits of every number: those of a product of doubles are fewer, and errors can be measured to three digits at least.
const PRECISION: c_long = 144;

/// Exponents beyond those of all formats and of their squares: MPFR need not compute what overflows.
const LARGEST: c_long = 5000;

const NEAREST: c_int = 0;

/// `mpfr_t`
#[repr(C)]
struct Raw {
    precision: c_long,
    sign: c_int,
    exponent: c_long,
    limbs: *mut u64,
}

/// A number.
pub struct Real(Raw);

/// The library, and the functions that were looked up.
struct Mpfr {
    library: Library,
    functions: HashMap<&'static str, *const c_void>,
}

thread_local! {
    static MPFR: RefCell<Mpfr> = RefCell::new(Mpfr::load());
}

impl Mpfr {
    fn load() -> Self {
        // SAFETY: a library without effects on loading.
        let library = unsafe { Library::new("libmpfr.so.6") }
            .unwrap_or_else(|e| panic!("{e}: apt-get install libmpfr6 (4.2 or later)"));
        let mut mpfr = Self {
            library,
            functions: HashMap::new(),
        };
        // SAFETY: int mpfr_set_emin(mpfr_exp_t), int mpfr_set_emax(mpfr_exp_t): of this thread.
        unsafe {
            let set = |f: *const c_void| std::mem::transmute::<_, extern "C" fn(c_long) -> c_int>(f);
            set(mpfr.find("mpfr_set_emin"))(-LARGEST);
            set(mpfr.find("mpfr_set_emax"))(LARGEST);
        }
        mpfr
    }

    fn find(&mut self, name: &'static str) -> *const c_void {
        *self.functions.entry(name).or_insert_with(|| {
            // SAFETY: a symbol's address, whatever is there.
            let symbol = unsafe { self.library.get::<unsafe extern "C" fn()>(name.as_bytes()) };
            *symbol.unwrap_or_else(|e| panic!("{e}: MPFR 4.2 is needed")) as *const c_void
        })
    }
}

/// A function of MPFR's.
///
/// # Safety
/// `F` is the type of the function of that name, a function pointer.
unsafe fn function<F: Copy>(name: &'static str) -> F {
    let address = MPFR.with_borrow_mut(|mpfr| mpfr.find(name));
    // SAFETY: the caller vouches for the type.
    unsafe { std::mem::transmute_copy(&address) }
}

impl Real {
    fn empty() -> Self {
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

    /// A double.
    pub fn new(x: f64) -> Self {
        let mut result = Self::empty();
        // SAFETY: int mpfr_set_d(mpfr_t, double, mpfr_rnd_t).
        unsafe { function::<extern "C" fn(*mut Raw, f64, c_int) -> c_int>("mpfr_set_d")(&mut result.0, x, NEAREST) };
        result
    }

    /// The ratio of a circle's circumference to its diameter.
    pub fn pi() -> Self {
        let mut result = Self::empty();
        // SAFETY: int mpfr_const_pi(mpfr_t, mpfr_rnd_t).
        unsafe { function::<extern "C" fn(*mut Raw, c_int) -> c_int>("mpfr_const_pi")(&mut result.0, NEAREST) };
        result
    }

    /// A function of one number: `name` is that of one like `mpfr_sin`.
    pub fn of(name: &'static str, x: &Real) -> Self {
        let mut result = Self::empty();
        // SAFETY: int mpfr_sin(mpfr_t, mpfr_t, mpfr_rnd_t).
        unsafe {
            let f = function::<extern "C" fn(*mut Raw, *const Raw, c_int) -> c_int>(name);
            f(&mut result.0, &x.0, NEAREST);
        }
        result
    }

    /// A function of two numbers: `name` is that of one like `mpfr_pow`.
    pub fn of_two(name: &'static str, x: &Real, y: &Real) -> Self {
        let mut result = Self::empty();
        // SAFETY: int mpfr_pow(mpfr_t, mpfr_t, mpfr_t, mpfr_rnd_t).
        unsafe {
            let f = function::<extern "C" fn(*mut Raw, *const Raw, *const Raw, c_int) -> c_int>(name);
            f(&mut result.0, &x.0, &y.0, NEAREST);
        }
        result
    }

    /// A function of a number and an integer: `name` is that of one like `mpfr_pow_si`.
    pub fn with_integer(name: &'static str, x: &Real, n: i64) -> Self {
        let mut result = Self::empty();
        // SAFETY: int mpfr_pow_si(mpfr_t, mpfr_t, long, mpfr_rnd_t).
        unsafe {
            let f = function::<extern "C" fn(*mut Raw, *const Raw, c_long, c_int) -> c_int>(name);
            f(&mut result.0, &x.0, n, NEAREST);
        }
        result
    }

    /// `x y + z`
    pub fn fused(x: &Real, y: &Real, z: &Real) -> Self {
        let mut result = Self::empty();
        // SAFETY: int mpfr_fma(mpfr_t, mpfr_t, mpfr_t, mpfr_t, mpfr_rnd_t).
        unsafe {
            let f = function::<extern "C" fn(*mut Raw, *const Raw, *const Raw, *const Raw, c_int) -> c_int>("mpfr_fma");
            f(&mut result.0, &x.0, &y.0, &z.0, NEAREST);
        }
        result
    }

    /// The logarithm of the gamma function's magnitude, and the function's sign.
    pub fn log_gamma(x: &Real) -> (Self, i32) {
        let (mut result, mut sign) = (Self::empty(), 0);
        // SAFETY: int mpfr_lgamma(mpfr_t, int *, mpfr_t, mpfr_rnd_t).
        unsafe {
            let f = function::<extern "C" fn(*mut Raw, *mut c_int, *const Raw, c_int) -> c_int>("mpfr_lgamma");
            f(&mut result.0, &mut sign, &x.0, NEAREST);
        }
        (result, sign)
    }

    /// The remainder of the quotient that is rounded to the nearest integer, and low bits of that.
    pub fn remainder(x: &Real, y: &Real) -> (Self, i64) {
        let (mut result, mut quotient) = (Self::empty(), 0);
        // SAFETY: int mpfr_remquo(mpfr_t, long *, mpfr_t, mpfr_t, mpfr_rnd_t).
        unsafe {
            type Remquo = extern "C" fn(*mut Raw, *mut c_long, *const Raw, *const Raw, c_int) -> c_int;
            function::<Remquo>("mpfr_remquo")(&mut result.0, &mut quotient, &x.0, &y.0, NEAREST);
        }
        (result, quotient)
    }

    /// The nearest double.
    pub fn to_f64(&self) -> f64 {
        // SAFETY: double mpfr_get_d(mpfr_t, mpfr_rnd_t).
        unsafe { function::<extern "C" fn(*const Raw, c_int) -> f64>("mpfr_get_d")(&self.0, NEAREST) }
    }

    /// Whether it is not a number.
    pub fn is_nan(&self) -> bool {
        self.says("mpfr_nan_p")
    }

    /// Whether it is infinite.
    pub fn is_infinite(&self) -> bool {
        self.says("mpfr_inf_p")
    }

    /// The answer of a predicate.
    fn says(&self, name: &'static str) -> bool {
        // SAFETY: int mpfr_nan_p(mpfr_t), and others like it.
        unsafe { function::<extern "C" fn(*const Raw) -> c_int>(name)(&self.0) != 0 }
    }

    /// The `n` of `2^n <= |x| < 2^(n + 1)`; none of 0, of infinity, and of what is no number.
    pub fn exponent(&self) -> Option<i64> {
        // MPFR counts from fractions in [1/2, 1).
        self.says("mpfr_regular_p").then(|| self.0.exponent - 1)
    }

    /// `2^n x`
    #[must_use]
    pub fn scaled(&self, n: i64) -> Self {
        Self::with_integer("mpfr_mul_2si", self, n)
    }
}

impl PartialEq for Real {
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for Real {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        if self.is_nan() || other.is_nan() {
            return None;
        }
        // SAFETY: int mpfr_cmp3(mpfr_t, mpfr_t, int): mpfr_cmp is a macro.
        let sign = unsafe {
            function::<extern "C" fn(*const Raw, *const Raw, c_int) -> c_int>("mpfr_cmp3")(&self.0, &other.0, 1)
        };
        Some(sign.cmp(&0))
    }
}

impl Drop for Real {
    fn drop(&mut self) {
        // SAFETY: void mpfr_clear(mpfr_t).
        unsafe { function::<extern "C" fn(*mut Raw)>("mpfr_clear")(&mut self.0) };
    }
}
