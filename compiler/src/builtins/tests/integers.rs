// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Tests of integer functions against Rust's 128-bit arithmetic, and of `bitselect` and `select`.

use spirv::OpenclStd100Op as Op;

use super::{Function, Random, check, regular};
use crate::builtins::check::Outcome;

/// Sign-extends the low bits.
fn signed(x: u64, bits: u32) -> i128 {
    i128::from((x << (64 - bits)) as i64 >> (64 - bits))
}

/// The reference: OpenCL C 3.0, section 6.15.3, for arguments of this width (half of it for `upsample`).
fn expected(op: Op, bits: u32, args: &[u64]) -> Option<i128> {
    let s = |i: usize| signed(args[i], bits);
    let u = |i: usize| i128::from(args[i]);
    let (lowest, highest) = (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1);
    let limit = (1i128 << bits) - 1;
    let high = |x: i128| x >> bits;
    // The product of unsigned 64-bit numbers needs all 128 bits.
    let high_unsigned = || ((args[0] as u128 * args[1] as u128) >> bits) as i128;
    Some(match op {
        Op::s_abs => s(0).abs(),
        Op::u_abs => u(0),
        Op::s_abs_diff => (s(0) - s(1)).abs(),
        Op::u_abs_diff => (u(0) - u(1)).abs(),
        Op::s_add_sat => (s(0) + s(1)).clamp(lowest, highest),
        Op::u_add_sat => (u(0) + u(1)).min(limit),
        Op::s_sub_sat => (s(0) - s(1)).clamp(lowest, highest),
        Op::u_sub_sat => (u(0) - u(1)).max(0),
        Op::s_hadd => (s(0) + s(1)) >> 1,
        Op::u_hadd => (u(0) + u(1)) >> 1,
        Op::s_rhadd => (s(0) + s(1) + 1) >> 1,
        Op::u_rhadd => (u(0) + u(1) + 1) >> 1,
        // Undefined if the minimum exceeds the maximum.
        Op::s_clamp => (s(1) <= s(2)).then(|| s(0).clamp(s(1), s(2)))?,
        Op::u_clamp => (u(1) <= u(2)).then(|| u(0).clamp(u(1), u(2)))?,
        Op::clz => i128::from(args[0].leading_zeros() - (64 - bits)),
        Op::ctz => i128::from(args[0].trailing_zeros().min(bits)),
        Op::popcount => i128::from(args[0].count_ones()),
        Op::s_max => s(0).max(s(1)),
        Op::u_max => u(0).max(u(1)),
        Op::s_min => s(0).min(s(1)),
        Op::u_min => u(0).min(u(1)),
        Op::s_mul_hi => high(s(0) * s(1)),
        Op::u_mul_hi => high_unsigned(),
        Op::s_mad_hi => high(s(0) * s(1)) + s(2),
        Op::u_mad_hi => high_unsigned() + u(2),
        Op::s_mad_sat => (s(0) * s(1) + s(2)).clamp(lowest, highest),
        Op::u_mad_sat => {
            let product = args[0] as u128 * args[1] as u128;
            (product + args[2] as u128).min(limit as u128) as i128
        }
        Op::rotate => {
            let count = (args[1] % u64::from(bits)) as u32;
            u(0) << count | u(0) >> (bits - count)
        }
        Op::s_upsample | Op::u_upsample => u(0) << (bits / 2) | u(1),
        Op::s_mul24 | Op::u_mul24 => s(0).wrapping_mul(s(1)),
        Op::s_mad24 | Op::u_mad24 => s(0).wrapping_mul(s(1)) + s(2),
        Op::bitselect => u(0) & !u(2) | u(1) & u(2),
        Op::select => {
            if args[2] != 0 {
                u(1)
            } else {
                u(0)
            }
        }
        _ => return None,
    })
}

#[test]
fn against_128_bits() {
    let mut tested = 0;
    for bits in [8, 16, 32, 64] {
        for op in regular() {
            let (outcome, operands) = check::rules(op);
            let upsample = matches!(op, Op::s_upsample | Op::u_upsample);
            if !matches!(outcome, Outcome::Integer | Outcome::Number) || op == Op::ilogb || (upsample && bits == 8) {
                continue;
            }
            let function = Function::new(op, bits, false);
            let width = if upsample { bits / 2 } else { bits };
            let mask = u64::MAX >> (64 - width);
            let mut random = Random(bits.into());
            let edges = [
                0,
                1,
                2,
                3,
                mask,
                mask - 1,
                mask >> 1,
                (mask >> 1) + 1,
                (mask >> 1) - 1,
                7,
                8,
                16,
                31,
                32,
                63,
            ];
            let mut attempt = |args: [u64; 3]| {
                let args = &args.map(|x| x & mask)[..operands.len()];
                let result = function.call(args).0;
                if let Some(expected) = expected(op, bits, args) {
                    let expected = expected as u64 & (u64::MAX >> (64 - bits));
                    assert_eq!(
                        result, expected,
                        "{op:?} i{bits} {args:x?}: {result:x}, not {expected:x}"
                    );
                    tested += 1;
                }
            };
            for x in edges {
                for y in edges {
                    edges.iter().for_each(|&z| attempt([x, y, z]));
                }
            }
            for _ in 0..3000 {
                // Numbers of all magnitudes.
                attempt([(); 3].map(|()| random.next() >> (random.next() % 64)));
            }
            if bits == 8 {
                (0..=0xFFFF).for_each(|n| attempt([n, n >> 8, n * 37]));
            }
        }
    }
    println!("{tested} results");
    // The list above must be complete, because other functions are not tested.
    assert!(tested > 150 * 6000, "{tested}");
}
