// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Rows about cliffs: groups of sizes that are no multiples of a SIMD register's, and accesses that are not of consecutive
//! numbers.

use oxur_client::Range;

use super::{BYTES, Case, Element, ITEM, Init, MI, Value, case};

/// Local sizes. The first is the one that the others are compared with.
const LOCAL_SIZES: [[usize; 2]; 8] = [[16, 16], [8, 8], [10, 10], [24, 4], [20, 12], [1, 96], [100, 1], [5, 3]];

/// Kernels over groups of these sizes.
pub(super) fn local_sizes() -> Vec<Case> {
    // Multiples of all local sizes. A row is no power of two, so that a column is not in one set of the cache.
    let global = [1200, 960];
    let items = global[0] * global[1];
    let mut cases = Vec::new();
    for (kernel, what) in [
        ("barrier_tile", "a barrier"),
        ("barrier_tree", "a tree"),
        ("local_ids", "local ids"),
        ("global_ids", "no barrier"),
    ] {
        for [x, y] in LOCAL_SIZES {
            cases.push(case(
                &format!("local size {x}x{y}, {what}"),
                ("shapes", kernel),
                &[(4 * items, Init::Unset), (4 * items, Init::F32(-1.0, 1.0))],
                &[Value::U64(global[0] as u64)],
                Range::new(global).local([x, y]),
                Element::F32(1e-4),
                (ITEM, items as f64),
            ));
        }
    }
    cases
}

/// A reduction in groups whose size only the launch says.
pub(super) fn reduction() -> Case {
    let (items, each, group) = (16 * MI, 8, 256);
    let sums = items / each / group;
    case(
        "reduction, groups of the launch's size",
        ("shapes", "reduction"),
        &[(4 * sums, Init::Unset), (4 * items, Init::F32(0.0, 1.0))],
        &[Value::U32(each as u32)],
        Range::new([items / each]).local([group]),
        Element::F32(1e-4),
        (BYTES, 4.0 * items as f64),
    )
}

/// Maxima in local memory, by atomic operations.
pub(super) fn maxima() -> Case {
    let (items, each) = (16 * MI, 64);
    let mut maxima = case(
        "maxima, local atomics",
        ("shapes", "maxima_local"),
        &[(4 * 256, Init::Zero), (4 * items, Init::U32)],
        &[Value::U32(each as u32)],
        Range::new([items / each]).local([256]),
        Element::U32(0.0),
        (ITEM, items as f64),
    );
    maxima.fresh = true;
    maxima
}

/// Kernels whose accesses are not of consecutive numbers. Each reads about as many numbers.
pub(super) fn accesses() -> Vec<Case> {
    let numbers = MI / 4;
    let plain = Element::F32(1e-5);
    let factor = || vec![Value::F32(1.5)];
    let count = |reads: usize| vec![Value::U32((numbers / reads).next_multiple_of(256) as u32)];
    // The kernel, numbers that an item reads and that it writes, the output, further arguments.
    let all = [
        ("float3", "vectors3", 4, 4, Element::F32x3(1e-5), factor()),
        ("float3 by vload3", "packed3", 3, 3, plain, factor()),
        ("float4", "vectors4", 4, 4, plain, factor()),
        ("float4, to one", "lengths4", 4, 1, plain, vec![]),
        ("float16", "vectors16", 16, 16, plain, factor()),
        ("stride 2", "stride2", 2, 1, plain, vec![]),
        ("stride 3", "stride3", 3, 1, plain, vec![]),
        ("pairs", "pairs", 2, 2, plain, vec![]),
        ("triples", "triples", 3, 3, plain, vec![]),
        ("reversed read", "reversed_read", 1, 1, plain, vec![]),
        ("reversed write", "reversed_write", 1, 1, plain, vec![]),
        ("uint index", "unsigned_index", 1, 1, plain, vec![Value::U32(0)]),
        ("guarded", "guarded", 1, 1, plain, count(1)),
        ("int id of group and item", "grid_int", 1, 1, plain, count(1)),
        ("uint id of group and item", "grid_uint", 1, 1, plain, count(1)),
        ("uint id of groups of 256", "grid_of_256", 1, 1, plain, count(1)),
        ("triples by int", "int_triples", 3, 3, plain, count(3)),
        ("triples by uint", "uint_triples", 3, 3, plain, count(3)),
    ];
    all.into_iter()
        .map(|(name, kernel, reads, writes, element, values)| {
            let items = (numbers / reads).next_multiple_of(256);
            let (read, written) = (4 * reads * items, 4 * writes * items);
            case(
                &format!("access, {name}"),
                ("access", kernel),
                &[(written, Init::Unset), (read, Init::F32(-1.0, 1.0))],
                &values,
                Range::new([items]).local([256]),
                element,
                (BYTES, (read + written) as f64),
            )
        })
        .collect()
}

/// Sums of the columns of matrices: rounds of a loop are a row apart.
pub(super) fn columns() -> Vec<Case> {
    let (numbers, rows) = (16 * MI, 256);
    [64, 256, 1024, 4096]
        .map(|row| {
            let sums = numbers / rows;
            case(
                &format!("sums of columns, {row} in a row"),
                ("access", "columns"),
                &[(4 * sums, Init::Unset), (4 * numbers, Init::F32(-1.0, 1.0))],
                &[Value::U64(rows as u64)],
                Range::new([row, sums / row]).local([64, 1]),
                Element::F32(1e-4),
                (BYTES, 4.0 * numbers as f64),
            )
        })
        .into()
}
