// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What stands before every kernel: its parameters, and functions without undefined behaviour.

use std::fmt::Write as _;

use super::Features;
use super::types::INTS;
use crate::data::Buffer;

/// The text.
pub(super) fn text(has: &Features) -> String {
    let mut text = String::from("#pragma OPENCL FP_CONTRACT OFF\n");
    for (is_used, name) in [
        (has.half, "cl_khr_fp16"),
        (has.double, "cl_khr_fp64"),
        (has.sub_group.is_some(), "cl_khr_subgroups"),
    ] {
        if is_used {
            let _ = writeln!(text, "#pragma OPENCL EXTENSION {name} : enable");
        }
    }
    text += "struct Three { int x, y, z; };\n";
    text += "struct Pair { short x; long y; int z[4]; float w; };\n";
    text += "struct Args { char a; int b; long c; float d; short e[3]; struct Pair own, fixed; };\n";
    let parameters: Vec<_> = Buffer::ALL
        .iter()
        .map(|b| format!("global {} *{}", b.ty, b.name))
        .collect();
    let _ = writeln!(
        text,
        "#define PARAMETERS {}, struct Args s, int n",
        parameters.join(", ")
    );
    for scalar in INTS {
        let (ty, unsigned) = (scalar.name(), scalar.as_int(false).name());
        let overflows = if scalar.is_signed() {
            format!(" || b == ({ty})-1")
        } else {
            String::new()
        };
        for (name, op) in [("div", '/'), ("rem", '%')] {
            let _ = writeln!(
                text,
                "static {ty} {name}_{ty}({ty} a, {ty} b) {{ return b == 0{overflows} ? a : ({ty})(a {op} b); }}"
            );
        }
        let _ = writeln!(text, "static ulong hash_{ty}({ty} a) {{ return ({unsigned})a; }}");
    }
    for (ty, bits, is_used) in [
        ("half", "ushort", has.half),
        ("float", "uint", true),
        ("double", "ulong", has.double),
    ] {
        if is_used {
            let _ = writeln!(
                text,
                "static {bits} bits_{ty}({ty} a) {{ return isnan(a) ? ({bits})7 : as_{bits}(a); }}"
            );
            let _ = writeln!(text, "static ulong hash_{ty}({ty} a) {{ return bits_{ty}(a); }}");
            let _ = writeln!(
                text,
                "static {ty} number_{ty}({ty} a) {{ return isnan(a) ? ({ty})1 : a; }}"
            );
        }
    }
    if has.sub_group.is_some() {
        for ty in ["int", "uint", "long", "float"] {
            for name in ["up", "down"] {
                let _ = writeln!(
                    text,
                    "{ty} __attribute__((overloadable, const, convergent)) intel_sub_group_shuffle_{name}({ty}, {ty}, uint);"
                );
            }
        }
    }
    text.push('\n');
    text
}
