// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Runtime library calls of LLVM for 128-bit arithmetic and for conversions that a CPU has no instruction for. The names are
//! those of compiler-rt, the implementations use Rust's operators.
//!
//! Division by 0 is undefined behavior of the caller. It returns 0 here, because a panic would abort the process.

macro_rules! binary {
    ($($name:ident: $ty:ty = $method:ident;)*) => { $(
        #[allow(missing_docs)]
        pub extern "C" fn $name(a: $ty, b: $ty) -> $ty {
            if b == 0 { 0 } else { a.$method(b) }
        }
    )* };
}

binary! {
    divti3: i128 = wrapping_div;
    modti3: i128 = wrapping_rem;
    udivti3: u128 = wrapping_div;
    umodti3: u128 = wrapping_rem;
    divdi3: i64 = wrapping_div;
    moddi3: i64 = wrapping_rem;
    udivdi3: u64 = wrapping_div;
    umoddi3: u64 = wrapping_rem;
}

/// `__multi3`.
pub extern "C" fn multi3(a: i128, b: i128) -> i128 {
    a.wrapping_mul(b)
}

/// `__muloti4`.
///
/// # Safety
/// `overflow` must be writable.
pub unsafe extern "C" fn muloti4(a: i128, b: i128, overflow: *mut i32) -> i128 {
    let (product, overflowed) = a.overflowing_mul(b);
    // SAFETY: guaranteed by the caller.
    unsafe { overflow.write(overflowed.into()) };
    product
}

/// `__mulodi4`.
///
/// # Safety
/// `overflow` must be writable.
pub unsafe extern "C" fn mulodi4(a: i64, b: i64, overflow: *mut i32) -> i64 {
    let (product, overflowed) = a.overflowing_mul(b);
    // SAFETY: guaranteed by the caller.
    unsafe { overflow.write(overflowed.into()) };
    product
}

/// `__mulosi4`.
///
/// # Safety
/// `overflow` must be writable.
pub unsafe extern "C" fn mulosi4(a: i32, b: i32, overflow: *mut i32) -> i32 {
    let (product, overflowed) = a.overflowing_mul(b);
    // SAFETY: guaranteed by the caller.
    unsafe { overflow.write(overflowed.into()) };
    product
}

/// `__ashlti3`.
pub extern "C" fn ashlti3(a: i128, bits: i32) -> i128 {
    a.wrapping_shl(bits as u32)
}

/// `__ashrti3`.
pub extern "C" fn ashrti3(a: i128, bits: i32) -> i128 {
    a.wrapping_shr(bits as u32)
}

/// `__lshrti3`.
pub extern "C" fn lshrti3(a: u128, bits: i32) -> u128 {
    a.wrapping_shr(bits as u32)
}

/// `__popcountdi2`.
pub extern "C" fn popcountdi2(a: u64) -> i32 {
    a.count_ones() as i32
}

/// `__popcountsi2`.
pub extern "C" fn popcountsi2(a: u32) -> i32 {
    a.count_ones() as i32
}

/// `__popcountti2`.
pub extern "C" fn popcountti2(a: u128) -> i32 {
    a.count_ones() as i32
}

macro_rules! conversions {
    ($($name:ident: $from:ty => $to:ty;)*) => { $(
        #[allow(missing_docs)]
        pub extern "C" fn $name(a: $from) -> $to {
            a as $to
        }
    )* };
}

conversions! {
    fixsfti: f32 => i128;
    fixdfti: f64 => i128;
    fixunssfti: f32 => u128;
    fixunsdfti: f64 => u128;
    fixunssfdi: f32 => u64;
    fixunsdfdi: f64 => u64;
    floattisf: i128 => f32;
    floattidf: i128 => f64;
    floatuntisf: u128 => f32;
    floatuntidf: u128 => f64;
    floatundisf: u64 => f32;
    floatundidf: u64 => f64;
}

/// `__powidf2`: a power with an integer exponent, by repeated squaring.
pub extern "C" fn powidf2(x: f64, n: i32) -> f64 {
    x.powi(n)
}

/// `__powisf2`.
pub extern "C" fn powisf2(x: f32, n: i32) -> f32 {
    x.powi(n)
}
