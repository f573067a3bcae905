// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Rows about divisions of integers, for which no CPU has vector instructions.

use oxur_client::Range;

use super::{Case, Element, ITEM, Init, MI, Value, case};

/// Divisions by a number that only the launch knows, and by one of each item.
pub(super) fn divisions() -> [Case; 3] {
    let items = MI / 4;
    [
        ("uint by uniform", "divided32", &[Value::U32(641)][..]),
        ("ulong by uniform", "divided64", &[Value::U64(641)]),
        ("uint by each", "divided_by_each", &[]),
    ]
    .map(|(name, kernel, values)| {
        case(
            &format!("division, {name}"),
            ("integers", kernel),
            &[(4 * items, Init::Unset), (4 * items, Init::U32)],
            values,
            Range::new([items]).local([256]),
            Element::U32(0.0),
            (ITEM, items as f64),
        )
    })
}
