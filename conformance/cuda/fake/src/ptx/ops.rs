// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What instructions compute: functions of the bits of registers.

/// A type of PTX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ty {
    U8,
    U16,
    U32,
    U64,
    S8,
    S16,
    S32,
    S64,
    F16,
    BF16,
    F32,
    F64,
    Pred,
}

impl Ty {
    /// The type of a suffix.
    pub fn of(name: &str) -> Option<Self> {
        Some(match name {
            "u8" | "b8" => Self::U8,
            "u16" | "b16" => Self::U16,
            "u32" | "b32" => Self::U32,
            "u64" | "b64" => Self::U64,
            "s8" => Self::S8,
            "s16" => Self::S16,
            "s32" => Self::S32,
            "s64" => Self::S64,
            "f16" => Self::F16,
            "bf16" => Self::BF16,
            "f32" => Self::F32,
            "f64" => Self::F64,
            "pred" => Self::Pred,
            _ => return None,
        })
    }

    /// Bytes.
    pub fn size(self) -> usize {
        match self {
            Self::U8 | Self::S8 | Self::Pred => 1,
            Self::U16 | Self::S16 | Self::F16 | Self::BF16 => 2,
            Self::U32 | Self::S32 | Self::F32 => 4,
            Self::U64 | Self::S64 | Self::F64 => 8,
        }
    }

    pub fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::BF16 | Self::F32 | Self::F64)
    }

    pub fn is_signed(self) -> bool {
        matches!(self, Self::S8 | Self::S16 | Self::S32 | Self::S64)
    }

    /// The bits as a number, wide enough for all.
    pub fn int(self, bits: u64) -> i128 {
        match self {
            Self::S8 => i128::from(bits as i8),
            Self::S16 => i128::from(bits as i16),
            Self::S32 => i128::from(bits as i32),
            Self::S64 => i128::from(bits as i64),
            _ => i128::from(self.cut(bits)),
        }
    }

    /// The bits that the type has.
    pub fn cut(self, bits: u64) -> u64 {
        match self.size() {
            8 => bits,
            size => bits & ((1 << (8 * size)) - 1),
        }
    }

    /// As `f64`, which holds all.
    pub fn float(self, bits: u64) -> f64 {
        match self {
            Self::F16 => f16_to_f32(bits as u16).into(),
            Self::BF16 => f32::from_bits((bits as u32 & 0xffff) << 16).into(),
            Self::F32 => f32::from_bits(bits as u32).into(),
            _ => f64::from_bits(bits),
        }
    }

    /// The bits of a number, rounded to the nearest.
    pub fn of_float(self, value: f64) -> u64 {
        match self {
            Self::F16 => f32_to_f16(value as f32).into(),
            Self::BF16 => {
                let bits = (value as f32).to_bits();
                let rounded = bits + 0x7fff + (bits >> 16 & 1);
                u64::from(if value.is_nan() { 0x7fff } else { rounded >> 16 })
            }
            Self::F32 => u64::from((value as f32).to_bits()),
            _ => value.to_bits(),
        }
    }

    fn bits(self) -> u32 {
        8 * self.size() as u32
    }
}

fn f16_to_f32(bits: u16) -> f32 {
    let sign = u32::from(bits >> 15) << 31;
    let (exponent, mantissa) = (u32::from(bits >> 10 & 31), u32::from(bits & 1023));
    match exponent {
        0 => {
            let small = mantissa as f32 * (1.0 / 16_777_216.0);
            f32::from_bits(small.to_bits() | sign)
        }
        31 => f32::from_bits(sign | 0x7f80_0000 | mantissa << 13),
        _ => f32::from_bits(sign | (exponent + 112) << 23 | mantissa << 13),
    }
}

fn f32_to_f16(value: f32) -> u16 {
    let sign = (value.to_bits() >> 16 & 0x8000) as u16;
    let size = value.abs();
    if value.is_nan() {
        return 0x7fff;
    }
    if size >= 65520.0 {
        return sign | 0x7c00;
    }
    // Steps of the last place, to the nearest even.
    let exponent = ((size.to_bits() >> 23) as i32 - 127).max(-14);
    let step = (2.0_f32).powi(exponent - 10);
    let steps = (size / step).round_ties_even() as u32;
    // A carry goes into the exponent by itself.
    let base = if exponent == -14 && steps < 1024 {
        0
    } else {
        ((exponent + 15) as u32) << 10
    };
    sign | (if base == 0 { steps } else { base + steps - 1024 }) as u16
}

/// What two numbers make. `name` is the instruction with what changes the result.
pub fn binary(name: &str, mode: &str, ty: Ty, a: u64, b: u64) -> Option<u64> {
    if ty.is_float() {
        return float_binary(name, ty, a, b).filter(|_| mode != "relu");
    }
    let (x, y) = (ty.int(a), ty.int(b));
    let bits = ty.bits();
    Some(ty.cut(match (name, mode) {
        ("add", _) => x.wrapping_add(y) as u64,
        ("sub", _) => x.wrapping_sub(y) as u64,
        ("mul", "hi") => (x.wrapping_mul(y) >> bits) as u64,
        // The result is twice as wide.
        ("mul", "wide") => return Some(x.wrapping_mul(y) as u64 & if bits == 16 { 0xffff_ffff } else { u64::MAX }),
        ("mul", _) => x.wrapping_mul(y) as u64,
        // What CUDA leaves open.
        ("div", _) if y == 0 => u64::MAX,
        ("div", _) => (x / y) as u64,
        ("rem", _) if y == 0 => x as u64,
        ("rem", _) => (x % y) as u64,
        ("min", "relu") => x.min(y).max(0) as u64,
        ("max", "relu") => x.max(y).max(0) as u64,
        ("min", _) => x.min(y) as u64,
        ("max", _) => x.max(y) as u64,
        ("and", _) => a & b,
        ("or", _) => a | b,
        ("xor", _) => a ^ b,
        ("shl", _) => match b as u32 {
            by if by >= bits => 0,
            by => a << by,
        },
        ("shr", _) => (x >> (b as u32).min(if ty.is_signed() { bits - 1 } else { 127 })) as u64,
        _ => return None,
    }))
}

fn float_binary(name: &str, ty: Ty, a: u64, b: u64) -> Option<u64> {
    let (x, y) = (ty.float(a), ty.float(b));
    Some(ty.of_float(match name {
        "add" => x + y,
        "sub" => x - y,
        "mul" => x * y,
        "div" => x / y,
        "min" if x == y => {
            if x.is_sign_negative() {
                x
            } else {
                y
            }
        }
        "max" if x == y => {
            if x.is_sign_negative() {
                y
            } else {
                x
            }
        }
        "min" => x.min(y),
        "max" => x.max(y),
        // The sign of the first, the rest of the second.
        "copysign" => y.copysign(x),
        _ => return None,
    }))
}

/// What one number makes.
pub fn unary(name: &str, ty: Ty, a: u64) -> Option<u64> {
    if ty.is_float() {
        let x = ty.float(a);
        return Some(ty.of_float(match name {
            "neg" => -x,
            "abs" => x.abs(),
            "sqrt" => x.sqrt(),
            "rsqrt" => 1.0 / x.sqrt(),
            "rcp" => 1.0 / x,
            "sin" => x.sin(),
            "cos" => x.cos(),
            "ex2" => x.exp2(),
            "lg2" => x.log2(),
            "tanh" => x.tanh(),
            _ => return None,
        }));
    }
    let x = ty.int(a);
    Some(match name {
        "neg" => ty.cut(x.wrapping_neg() as u64),
        "abs" => ty.cut(x.wrapping_abs() as u64),
        "not" if ty == Ty::Pred => a ^ 1,
        "not" => ty.cut(!a),
        "popc" => u64::from(ty.cut(a).count_ones()),
        "clz" => u64::from(ty.cut(a).leading_zeros() - (64 - ty.bits())),
        "brev" => a.reverse_bits() >> (64 - ty.bits()),
        _ => return None,
    })
}

/// A product and a sum.
pub fn multiply_add(mode: &str, ty: Ty, a: u64, b: u64, c: u64) -> Option<u64> {
    Some(match ty {
        Ty::F32 => {
            let [a, b, c] = [a, b, c].map(|bits| f32::from_bits(bits as u32));
            u64::from(a.mul_add(b, c).to_bits())
        }
        Ty::F64 => f64::from_bits(a)
            .mul_add(f64::from_bits(b), f64::from_bits(c))
            .to_bits(),
        _ if ty.is_float() => ty.of_float(ty.float(a).mul_add(ty.float(b), ty.float(c))),
        _ => {
            let product = binary("mul", mode, ty, a, b)?;
            match mode {
                "wide" => product.wrapping_add(c),
                _ => ty.cut(product.wrapping_add(c)),
            }
        }
    })
}

/// A sum or a difference in extended precision, and the carry or the borrow that is left. Where there is a product, `a` is its
/// half already.
pub fn extended(subtracts: bool, ty: Ty, a: u64, b: u64, carry: bool) -> (u64, bool) {
    let [x, y, carry] = [ty.cut(a), ty.cut(b), carry.into()].map(u128::from);
    match subtracts {
        true => (ty.cut(x.wrapping_sub(y + carry) as u64), x < y + carry),
        false => (ty.cut((x + y + carry) as u64), (x + y + carry) >> ty.bits() != 0),
    }
}

/// A comparison.
pub fn compare(name: &str, ty: Ty, a: u64, b: u64) -> Option<bool> {
    if ty.is_float() {
        let (x, y) = (ty.float(a), ty.float(b));
        let unordered = x.is_nan() || y.is_nan();
        return Some(match name {
            "eq" => x == y,
            "ne" => !unordered && x != y,
            "lt" => x < y,
            "le" => x <= y,
            "gt" => x > y,
            "ge" => x >= y,
            "equ" => unordered || x == y,
            "neu" => unordered || x != y,
            "ltu" => unordered || x < y,
            "leu" => unordered || x <= y,
            "gtu" => unordered || x > y,
            "geu" => unordered || x >= y,
            "num" => !unordered,
            "nan" => unordered,
            _ => return None,
        });
    }
    let (x, y) = (ty.int(a), ty.int(b));
    Some(match name {
        "eq" => x == y,
        "ne" => x != y,
        "lt" | "lo" => x < y,
        "le" | "ls" => x <= y,
        "gt" | "hi" => x > y,
        "ge" | "hs" => x >= y,
        _ => return None,
    })
}

/// A number in another type.
pub fn convert(to: Ty, from: Ty, rounding: &str, saturates: bool, bits: u64) -> u64 {
    match (to.is_float(), from.is_float()) {
        (false, false) => {
            let value = from.int(bits);
            let value = if saturates {
                value.clamp(least(to), most(to))
            } else {
                value
            };
            // Into a wider register goes the extended number.
            to.cut(value as u64)
        }
        (true, false) => {
            let value = from.int(bits);
            match to {
                // Not by way of `f64`, which would round twice.
                Ty::F32 => u64::from((value as f32).to_bits()),
                _ => to.of_float(value as f64),
            }
        }
        (false, true) => {
            let value = rounded(from.float(bits), rounding);
            let whole = if value.is_nan() { 0 } else { value as i128 };
            to.cut(whole.clamp(least(to), most(to)) as u64)
        }
        (true, true) => {
            let value = from.float(bits);
            let value = match rounding {
                "rni" | "rzi" | "rmi" | "rpi" => rounded(value, rounding),
                _ => value,
            };
            let value = if saturates {
                if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) }
            } else {
                value
            };
            to.of_float(value)
        }
    }
}

fn rounded(value: f64, rounding: &str) -> f64 {
    match rounding {
        "rzi" => value.trunc(),
        "rmi" => value.floor(),
        "rpi" => value.ceil(),
        _ => value.round_ties_even(),
    }
}

fn least(ty: Ty) -> i128 {
    if ty.is_signed() { -(1 << (ty.bits() - 1)) } else { 0 }
}

fn most(ty: Ty) -> i128 {
    if ty.is_signed() {
        (1 << (ty.bits() - 1)) - 1
    } else {
        (1 << ty.bits()) - 1
    }
}

/// What an atomic operation leaves in memory.
pub fn atomic(name: &str, ty: Ty, old: u64, b: u64, c: u64) -> Option<u64> {
    Some(match name {
        "exch" => b,
        "cas" if ty.cut(old) == ty.cut(b) => c,
        "cas" => old,
        "inc" if ty.cut(old) >= ty.cut(b) => 0,
        "inc" => old + 1,
        "dec" if ty.cut(old) == 0 || ty.cut(old) > ty.cut(b) => b,
        "dec" => old - 1,
        _ => return binary(name, "", ty, old, b),
    })
}

#[cfg(test)]
mod tests {
    use super::{Ty, binary, extended, f16_to_f32, f32_to_f16};

    #[test]
    fn minima_that_are_not_negative() {
        let least = |a: i32, b: i32| binary("min", "relu", Ty::S32, a as u32 as u64, b as u32 as u64);
        assert_eq!((least(-8, 4), least(7, 4), least(3, 4)), (Some(0), Some(4), Some(3)));
    }

    #[test]
    fn carries_go_on() {
        assert_eq!(extended(false, Ty::U32, u32::MAX.into(), 1, false), (0, true));
        assert_eq!(extended(false, Ty::U32, 5, 7, true), (13, false));
        assert_eq!(extended(false, Ty::U64, u64::MAX, u64::MAX, true), (u64::MAX, true));
        assert_eq!(extended(true, Ty::S32, 0, 0, true), (u32::MAX.into(), true));
        assert_eq!(extended(true, Ty::U64, 7, 5, true), (1, false));
    }

    #[test]
    fn halves_round_trip() {
        for bits in 0..=u16::MAX {
            let value = f16_to_f32(bits);
            if !value.is_nan() {
                assert_eq!(f32_to_f16(value), bits, "{value}");
            }
        }
        assert_eq!(f32_to_f16(1.0 + 1.0 / 2048.0), 0x3c00, "to the even one");
        assert_eq!(f32_to_f16(2.0 - 1.0 / 4096.0), 0x4000, "a carry");
    }
}
