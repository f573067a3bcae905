// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Registers with four numbers, in which the ABI passes vectors.

use std::arch::x86_64::{__m128, __m128i};

/// Four floats.
pub type Floats = __m128;
/// Four integers of 32 bits.
pub type Ints = __m128i;

/// A register with four numbers, as compiled code passes `<4 x float>` and `<4 x i32>`.
pub trait Register: Sized {
    /// The numbers.
    type Numbers;
    /// The numbers in a register.
    fn numbers(self) -> Self::Numbers;
    /// A register of these numbers.
    fn of(numbers: Self::Numbers) -> Self;
}

macro_rules! register {
    ($($ty:ty: $number:ty;)*) => { $(
        impl Register for $ty {
            type Numbers = [$number; 4];

            fn numbers(self) -> [$number; 4] {
                // SAFETY: both types have 16 bytes, and every bit pattern is valid for both.
                unsafe { std::mem::transmute(self) }
            }

            fn of(numbers: [$number; 4]) -> Self {
                // SAFETY: as above.
                unsafe { std::mem::transmute(numbers) }
            }
        }
    )* };
}

register! {
    Floats: f32;
    Ints: i32;
}
