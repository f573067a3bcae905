// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions of integers (OpenCL C 3.0, section 6.15.3) and those that choose bits or numbers (6.15.6), which move numbers
//! of any type: all exact.

use super::subject::{Scalar, Subject, int};

/// What a function takes and gives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// So many integers, and one of the same type.
    Same(usize),
    /// One, and one without a sign.
    Unsigned(usize),
    /// Two of half the width, the second without a sign.
    Halves,
    /// Two numbers and an integer of their width.
    Choice,
}

/// A function.
pub struct Function {
    /// Its name.
    pub name: &'static str,
    shape: Shape,
    /// The narrowest and the widest integers that it has.
    widths: (u32, u32),
    /// Whether it takes floating-point numbers, too.
    moves: bool,
    /// The result; nothing where OpenCL leaves it open.
    exact: fn(&Call) -> Option<i128>,
}

/// A call.
struct Call {
    /// The arguments as they are.
    args: [i128; 3],
    /// How wide they are, and whether they have signs.
    bits: u32,
    is_signed: bool,
    /// How many elements vectors have.
    width: u32,
}

impl Call {
    fn limits(&self) -> (i128, i128) {
        if self.is_signed {
            (-(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1)
        } else {
            (0, (1 << self.bits) - 1)
        }
    }

    fn saturated(&self, x: i128) -> Option<i128> {
        let (lowest, highest) = self.limits();
        Some(x.clamp(lowest, highest))
    }

    /// The high half of the product. Of unsigned integers of 64 bits that takes all 128.
    fn high(&self) -> i128 {
        let [x, y, _] = self.args;
        if self.is_signed {
            (x * y) >> self.bits
        } else {
            ((x as u128 * y as u128) >> self.bits) as i128
        }
    }

    fn mask(&self) -> u128 {
        u128::MAX >> (128 - self.bits)
    }

    /// The bits of an argument.
    fn raw(&self, index: usize) -> u128 {
        self.args[index] as u128 & self.mask()
    }

    /// Whether arguments are integers of 24 bits.
    fn is_narrow(&self) -> bool {
        let limit = if self.is_signed { 1 << 23 } else { 1 << 24 };
        let lowest = if self.is_signed { -limit } else { 0 };
        self.args[..2].iter().all(|x| (lowest..limit).contains(x))
    }
}

macro_rules! functions {
    ($($name:ident $shape:expr, $widths:expr, $moves:expr, |$call:ident| $exact:expr;)*) => {
        /// All of them.
        pub const FUNCTIONS: &[Function] = &[$(Function {
            name: stringify!($name),
            shape: $shape,
            widths: $widths,
            moves: $moves,
            exact: |$call| $exact,
        }),*];
    };
}

const ALL: (u32, u32) = (8, 64);
const INTS: (u32, u32) = (32, 32);

functions! {
    abs Shape::Unsigned(1), ALL, false, |c| Some(c.args[0].abs());
    abs_diff Shape::Unsigned(2), ALL, false, |c| Some((c.args[0] - c.args[1]).abs());
    add_sat Shape::Same(2), ALL, false, |c| c.saturated(c.args[0] + c.args[1]);
    bitselect Shape::Same(3), ALL, true, |c| Some((c.raw(0) & !c.raw(2) | c.raw(1) & c.raw(2)) as i128);
    clamp Shape::Same(3), ALL, false, |c| (c.args[1] <= c.args[2]).then(|| c.args[0].clamp(c.args[1], c.args[2]));
    clz Shape::Same(1), ALL, false, |c| Some((c.raw(0).leading_zeros() + c.bits - 128).into());
    ctz Shape::Same(1), ALL, false, |c| Some(c.raw(0).trailing_zeros().min(c.bits).into());
    hadd Shape::Same(2), ALL, false, |c| Some((c.args[0] + c.args[1]) >> 1);
    mad_hi Shape::Same(3), ALL, false, |c| Some(c.high() + c.args[2]);
    mad_sat Shape::Same(3), ALL, false, |c| mad_sat(c);
    mad24 Shape::Same(3), INTS, false, |c| c.is_narrow().then(|| c.args[0] * c.args[1] + c.args[2]);
    max Shape::Same(2), ALL, false, |c| Some(c.args[0].max(c.args[1]));
    min Shape::Same(2), ALL, false, |c| Some(c.args[0].min(c.args[1]));
    mul_hi Shape::Same(2), ALL, false, |c| Some(c.high());
    mul24 Shape::Same(2), INTS, false, |c| c.is_narrow().then(|| c.args[0] * c.args[1]);
    popcount Shape::Same(1), ALL, false, |c| Some(c.raw(0).count_ones().into());
    rhadd Shape::Same(2), ALL, false, |c| Some((c.args[0] + c.args[1] + 1) >> 1);
    rotate Shape::Same(2), ALL, false, |c| Some(rotate(c));
    select Shape::Choice, ALL, true, |c| Some(c.args[usize::from(is_chosen(c))]);
    sub_sat Shape::Same(2), ALL, false, |c| c.saturated(c.args[0] - c.args[1]);
    upsample Shape::Halves, (16, 64), false, |c| Some(c.args[0] << (c.bits / 2) | c.args[1]);
}

fn mad_sat(call: &Call) -> Option<i128> {
    let [x, y, z] = call.args;
    // The product of two integers of 64 bits without signs is too much for an i128.
    let Some(sum) = x.checked_mul(y).and_then(|product| product.checked_add(z)) else {
        return Some(call.limits().1);
    };
    call.saturated(sum)
}

fn rotate(call: &Call) -> i128 {
    let (x, bits) = (call.raw(0), call.bits);
    let by = (call.raw(1) % u128::from(bits)) as u32;
    (x << by | x >> (bits - by)) as i128
}

/// Single numbers ask for any bit, vectors for the highest.
fn is_chosen(call: &Call) -> bool {
    if call.width == 1 {
        call.args[2] != 0
    } else {
        call.raw(2) >> (call.bits - 1) != 0
    }
}

/// A type that a function is tested for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Type {
    /// The type.
    pub scalar: Scalar,
    is_signed: bool,
    is_float: bool,
}

impl Function {
    /// The types that it has.
    pub fn types(&self) -> Vec<Type> {
        let (from, to) = self.widths;
        let mut all = Vec::new();
        for bits in [8, 16, 32, 64].into_iter().filter(|bits| (from..=to).contains(bits)) {
            all.extend([true, false].map(|is_signed| Type {
                scalar: int(bits, is_signed),
                is_signed,
                is_float: false,
            }));
        }
        if self.moves {
            all.extend([("half", 16), ("float", 32), ("double", 64)].map(|(name, bits)| Type {
                scalar: Scalar { name, bits },
                is_signed: false,
                is_float: true,
            }));
        }
        all
    }

    /// The function for a type.
    pub fn subject(&self, ty: Type) -> Subject {
        let (own, bits) = (ty.scalar, ty.scalar.bits);
        let (params, result) = match self.shape {
            Shape::Same(count) => (vec![own; count], own),
            Shape::Unsigned(count) => (vec![own; count], int(bits, false)),
            Shape::Halves => (vec![int(bits / 2, ty.is_signed), int(bits / 2, false)], own),
            Shape::Choice => (vec![own, own, int(bits, ty.is_signed)], own),
        };
        Subject {
            name: self.name,
            ty: own.name,
            params,
            result,
            is_reduction: false,
            second: None,
        }
    }

    /// The bits of the result for these arguments' bits, with vectors of a width; nothing where OpenCL leaves it open.
    pub fn exact(&self, ty: Type, width: u32, arguments: &[u64]) -> Option<u64> {
        let bits = ty.scalar.bits;
        let mut args = [0; 3];
        for (index, (arg, &argument)) in args.iter_mut().zip(arguments).enumerate() {
            let halves = self.shape == Shape::Halves;
            let shift = 64 - if halves { bits / 2 } else { bits };
            // Copies of the highest bit, or zeros.
            *arg = if ty.is_signed && !(halves && index == 1) {
                i128::from((argument << shift) as i64 >> shift)
            } else {
                i128::from(argument)
            };
        }
        let call = Call {
            args,
            bits,
            is_signed: ty.is_signed,
            width,
        };
        // Floating-point numbers that are NaN stay as they are.
        (self.exact)(&call).map(|result| (result as u128 & call.mask()) as u64)
    }
}
