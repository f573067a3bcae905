// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Integers that are linear in a number and its half, and whether they are in a range for all such numbers.

/// `number * n + half * (n / 2) + constant`, of a number `n` of at least 1. The factors are integers, which do not wrap around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Linear {
    number: i64,
    half: i64,
    constant: i64,
}

impl Linear {
    /// The number.
    pub const NUMBER: Self = Self {
        number: 1,
        half: 0,
        constant: 0,
    };
    /// Its half, rounded down.
    pub const HALF: Self = Self {
        number: 0,
        half: 1,
        constant: 0,
    };

    /// A constant.
    pub const fn constant(constant: i64) -> Self {
        Self {
            number: 0,
            half: 0,
            constant,
        }
    }

    /// The sum; `None` where a factor is not represented.
    pub fn plus(self, other: Self) -> Option<Self> {
        Some(Self {
            number: self.number.checked_add(other.number)?,
            half: self.half.checked_add(other.half)?,
            constant: self.constant.checked_add(other.constant)?,
        })
    }

    /// The difference; `None` where a factor is not represented.
    pub fn minus(self, other: Self) -> Option<Self> {
        Some(Self {
            number: self.number.checked_sub(other.number)?,
            half: self.half.checked_sub(other.half)?,
            constant: self.constant.checked_sub(other.constant)?,
        })
    }

    /// Whether it is at least 0 for all numbers of at least 1.
    pub fn is_nonnegative(self) -> bool {
        let [number, half, constant] = [self.number, self.half, self.constant].map(i128::from);
        // The number is `2 * h + rest`, where `rest` is 0 or 1, and `h` is at least 1 if it is 0. It grows with `h`, or never falls.
        let is_least = |rest, least_half| (2 * number + half) * least_half + number * rest + constant >= 0;
        2 * number + half >= 0 && is_least(0, 1) && is_least(1, 0)
    }

    /// Whether it is from 0 to the number for all numbers of at least 1.
    pub fn is_up_to_number(self) -> bool {
        self.is_nonnegative() && Self::NUMBER.minus(self).is_some_and(Self::is_nonnegative)
    }
}

#[cfg(test)]
mod tests {
    use super::Linear;

    const fn linear(number: i64, half: i64, constant: i64) -> Linear {
        Linear { number, half, constant }
    }

    #[test]
    fn what_searches_are_made_of() {
        for (value, is_up_to_number) in [
            (linear(0, 1, 0), true),
            (linear(1, -1, 0), true),
            // n - h - 1 and h + 1.
            (linear(1, -1, -1), true),
            (linear(0, 1, 1), true),
            // h + 2 is 2 if n is 1.
            (linear(0, 1, 2), false),
            // h - 1 is -1 if n is 1; n - h - 2 is so, too.
            (linear(0, 1, -1), false),
            (linear(1, -1, -2), false),
            (linear(1, 0, 0), true),
            (linear(1, 0, 1), false),
            // 2 * h and n - 2 * h are, 2 * h + 1 is more if n is even.
            (linear(0, 2, 0), true),
            (linear(1, -2, 0), true),
            (linear(0, 2, 1), false),
            (linear(0, -1, -1), false),
            (linear(0, 0, 0), true),
            (linear(0, 0, 1), true),
            (linear(0, 0, 2), false),
            (linear(0, 0, -1), false),
        ] {
            assert_eq!(value.is_up_to_number(), is_up_to_number, "{value:?}");
        }
    }

    #[test]
    fn as_for_small_numbers() {
        // Those with small factors are negative for a small number, if for any.
        for (number, half, constant) in
            (-4..5).flat_map(|n| (-9..10).flat_map(move |h| (-12..13).map(move |c| (n, h, c))))
        {
            let expected = (1..100).all(|n| number * n + half * (n / 2) + constant >= 0);
            let value = linear(number, half, constant);
            assert_eq!(value.is_nonnegative(), expected, "{value:?}");
        }
    }

    #[test]
    fn what_is_not_represented() {
        let most = linear(i64::MAX, 0, 0);
        assert_eq!(most.plus(Linear::NUMBER), None);
        assert_eq!(linear(0, 0, i64::MIN).minus(Linear::constant(1)), None);
        assert!(!linear(i64::MIN, i64::MAX, 0).is_nonnegative());
        assert!(most.is_nonnegative() && !most.is_up_to_number());
    }
}
