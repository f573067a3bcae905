// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Vector variants of mathematical functions: [ours](vector_math), or those of the target's library.

use super::libcalls::{CALLEES, Callee};
use super::vector_math;
use crate::target::math;

/// The vector variant of a mathematical function.
pub struct Variant {
    /// Its symbol.
    pub name: String,
    /// The number of elements of its vectors.
    pub lanes: u32,
    /// The width of an element. It exceeds the width of the scalar function if only the variant for `double` is precise
    /// enough.
    pub bits: u32,
}

/// The largest error of a variant, in ulps, unless the kernel allows more. OpenCL's bounds are wider, but programs are tested
/// on implementations that are nearly always correctly rounded.
const MAX_ULPS: f32 = 1.0;

/// The vector variant of a mathematical function for this CPU; `None` if it is less precise than OpenCL requires. For
/// `float` it may be the library's variant for `double`, because most of those for `float` have errors of two or three ulps.
/// With `relaxed` those are used anyway.
///
/// Variants of ours have the number of `lanes`; the library's have as many elements as a register.
pub fn vector_variant(name: &str, lanes: u32, relaxed: bool) -> Option<Variant> {
    if let Some((name, bits)) = vector_math::name(name, lanes) {
        return Some(Variant { name, lanes, bits });
    }
    let callee = CALLEES.iter().find(|c| c.name == name)?;
    let function = |callee: &Callee| math::vector_function(callee.op, callee.bits);
    let is_close = |c: &Callee| relaxed || function(c).is_some_and(|f| f.ulps <= MAX_ULPS);
    let wider = || CALLEES.iter().find(|c| c.op == callee.op && c.bits == 64);
    let callee = if callee.bits == 64 || is_close(callee) {
        callee
    } else {
        wider()?
    };
    let function = function(callee).filter(|f| f.ulps <= callee.bound)?;
    math::vector_symbol(&function.name)?;
    Some(Variant {
        name: function.name,
        lanes: function.lanes,
        bits: callee.bits,
    })
}
