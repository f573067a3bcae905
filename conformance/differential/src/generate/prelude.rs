// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What stands before every kernel: its parameters, and functions without undefined behaviour.

use std::fmt::Write as _;

use super::types::INTS;
use super::{Features, lanes, reductions};
use crate::data::Buffer;

/// The text.
pub(super) fn text(has: &Features) -> String {
    let mut text = String::from("#pragma OPENCL FP_CONTRACT OFF\n");
    for (is_used, name) in [
        (has.half, "cl_khr_fp16"),
        (has.double, "cl_khr_fp64"),
        (has.sub_group.is_some(), "cl_khr_subgroups"),
        (has.function_pointers, "__cl_clang_function_pointers"),
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
    if has.collectives {
        collectives(&mut text, has);
    }
    text.push('\n');
    text
}

/// Declares the functions that become instructions, and those of Intel's extensions.
fn collectives(text: &mut String, has: &Features) {
    const PURE: &str = "__attribute__((overloadable, const, convergent))";
    const CONVERGENT: &str = "__attribute__((overloadable, convergent))";
    let mut declare = |ty: &str, name: &str, list: &str| _ = writeln!(text, "{ty} {PURE} __spirv_{name}({list});");
    for name in reductions::INTEGER {
        for ty in reductions::INTEGERS {
            declare(ty, &format!("Group{name}KHR"), &format!("uint, uint, {ty}"));
        }
    }
    for name in reductions::LOGICAL {
        declare("bool", &format!("Group{name}KHR"), "uint, uint, bool");
    }
    for (ty, is_used) in [("half", has.half), ("float", true), ("double", has.double)] {
        if is_used {
            declare(ty, "GroupFMulKHR", &format!("uint, uint, {ty}"));
        }
    }
    if has.sub_group.is_none() {
        return;
    }
    for ty in lanes::EXCHANGED {
        for last in ["", ", uint"] {
            declare(ty, "GroupNonUniformRotateKHR", &format!("uint, {ty}, uint{last}"));
        }
    }
    for (ty, suffix, ..) in lanes::BLOCKS {
        for count in ["", "2", "4", "8"] {
            let _ = writeln!(
                text,
                "{ty}{count} {CONVERGENT} intel_sub_group_block_read{suffix}{count}(global const {ty} *);"
            );
        }
        let _ = writeln!(
            text,
            "void {CONVERGENT} intel_sub_group_block_write{suffix}(global {ty} *, {ty});"
        );
    }
}
