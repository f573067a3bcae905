// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Atomic operations of local memory, which are plain loads and stores where one thread runs a group.

use super::{MODES, compile_in, tile};

type Operation = (&'static str, fn(u32, u32) -> u32);

const OPERATIONS: [Operation; 10] = [
    ("OpAtomicIAdd", u32::wrapping_add),
    ("OpAtomicISub", u32::wrapping_sub),
    ("OpAtomicAnd", |x, y| x & y),
    ("OpAtomicOr", |x, y| x | y),
    ("OpAtomicXor", |x, y| x ^ y),
    ("OpAtomicUMin", u32::min),
    ("OpAtomicUMax", u32::max),
    ("OpAtomicSMin", |x, y| (x as i32).min(y as i32) as u32),
    ("OpAtomicSMax", |x, y| (x as i32).max(y as i32) as u32),
    ("OpAtomicExchange", |_, y| y),
];

/// `tile[own] = ~x; before = atomic(&tile[own], x); q[id] = before + 3 * tile[own];`
fn text(operation: &str) -> String {
    let body = format!(
        "%from = OpPtrAccessChain %global_int %p %id
        %x = OpLoad %int %from Aligned 4
        %not_x = OpNot %int %x
        OpStore %place %not_x Aligned 4
        %before = {operation} %int %place %i2 %i0 %x
        %after = OpLoad %int %place Aligned 4
        %after3 = OpIMul %int %after %i3
        %result = OpIAdd %int %before %after3"
    );
    tile::text("", &body, "")
}

#[test]
fn of_local_memory() {
    for (name, operation) in OPERATIONS {
        for mode in MODES {
            let kernel = compile_in(mode, &text(name));
            for (groups, local) in [(2, 32), (3, 13)] {
                let count = (groups * local) as u32;
                let numbers: Vec<u32> = (0..count).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
                let result = |&x: &u32| (!x).wrapping_add(operation(!x, x).wrapping_mul(3));
                let expected: Vec<u32> = numbers.iter().map(result).collect();
                assert_eq!(
                    tile::results(&kernel, &numbers, local),
                    expected,
                    "{name}, {mode:?}, groups of {local}"
                );
            }
        }
    }
}
