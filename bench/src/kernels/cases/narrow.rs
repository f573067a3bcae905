// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Rows about numbers of 8 and 16 bits, and of kernels that keep many of 64.

use oxur_client::Range;

use super::{BYTES, Case, Element, ITEM, Init, MI, Value, case};

/// Kernels on numbers that are narrower than a `float`, in the second level of the cache, and from memory.
pub(super) fn narrow() -> Vec<Case> {
    let weight = [Value::U32(100)];
    // The kernel, the size of its numbers, how many inputs it has, and further arguments.
    let all = [
        ("blend", "blend", 1, 2, &weight[..]),
        ("threshold", "threshold", 1, 2, &weight),
        ("median", "median", 1, 1, &[Value::U64(1024)]),
        ("filter of shorts", "filter16", 2, 2, &[]),
        ("bytes by float", "gain8", 1, 1, &[Value::F32(1.25)]),
        ("polynomial of halfs", "polynomial16", 2, 1, &[]),
    ];
    let sizes = [(MI / 4, "in L2"), (64 * MI, "64 MiB")];
    let rows = all.into_iter().flat_map(|row| sizes.map(|size| (row, size)));
    rows.map(|((name, kernel, bytes, inputs, values), (size, place))| {
        let init = if kernel == "polynomial16" { Init::F16 } else { Init::U32 };
        let mut buffers = vec![(size, Init::Unset)];
        // A row and more is behind what items read of their own.
        buffers.extend([(size + 4096, init)].repeat(inputs));
        case(
            &format!("narrow, {name}, {place}"),
            ("narrow", kernel),
            &buffers,
            values,
            Range::new([size / bytes]).local([256]),
            Element::U32(0.0),
            (BYTES, (size * (inputs + 1)) as f64),
        )
    })
    .collect()
}

/// From images of three bytes a pixel to one.
pub(super) fn pixels() -> [Case; 2] {
    [(MI / 4, "in L2"), (64 * MI, "64 MiB")].map(|(pixels, place)| {
        case(
            &format!("narrow, grey of three bytes, {place}"),
            ("narrow", "grey"),
            &[(pixels, Init::Unset), (3 * pixels, Init::U32)],
            &[Value::U32(pixels as u32)],
            Range::new([pixels]).local([256]),
            Element::U32(0.0),
            (BYTES, (4 * pixels) as f64),
        )
    })
}

/// Kernels that compute for long with narrow or many wide numbers.
pub(super) fn computing() -> [Case; 4] {
    let items = MI / 4;
    let doubles = (8 * items + 128, Init::F64(0.1, 1.0));
    [
        ("hash of bytes", "hash8", 1, (items, Init::U32), Element::U32(0.0)),
        ("hash of shorts", "hash16", 2, (2 * items, Init::U32), Element::U32(0.0)),
        ("powers of matrices", "powers", 8, doubles, Element::F64(1e-9)),
        ("recurrences of doubles", "recurrences", 8, doubles, Element::F64(1e-9)),
    ]
    .map(|(name, kernel, bytes, input, element)| {
        case(
            &format!("narrow, {name}"),
            ("narrow", kernel),
            &[(bytes * items, Init::Unset), input],
            &[Value::U32(64)],
            Range::new([items]).local([256]),
            element,
            (ITEM, items as f64),
        )
    })
}
