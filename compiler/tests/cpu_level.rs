// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `UR_CPU_TARGET` decides which vector registers kernels use.

use std::fs;
use std::path::Path;
use std::process::Command;

#[allow(dead_code, reason = "each test uses a part")]
mod support;

/// The sine of each element: with loads, stores, arithmetic and a function that has vector variants.
const SOURCE: &str = "OpEntryPoint Kernel %kernel \"k\" %id\nOpDecorate %id BuiltIn GlobalInvocationId\n\
    %input_long3 = OpTypePointer Input %long3\n%id = OpVariable %input_long3 Input\n\
    %type = OpTypeFunction %void %global_float\n%kernel = OpFunction %void None %type\n\
    %p = OpFunctionParameter %global_float\n%start = OpLabel\n%ids = OpLoad %long3 %id\n\
    %i = OpCompositeExtract %long %ids 0\n%at = OpInBoundsPtrAccessChain %global_float %p %i\n\
    %x = OpLoad %float %at\n%y = OpExtInst %float %cl sin %x\n%z = OpFAdd %float %y %x\n\
    OpStore %at %z\nOpReturn\nOpFunctionEnd\n";

/// The widest kind of register in the kernel's code, and what the compiler says besides.
fn widest(target: &str) -> (Option<String>, String) {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cpu-level-{target}.spv"));
    let module = support::assemble(&support::whole(SOURCE), "1.2").expect("a module");
    fs::write(&path, module).expect("the module");
    let output = Command::new(env!("CARGO_BIN_EXE_oxur-compiler"))
        .args(["print", "--stage", "assembly"])
        .arg(&path)
        .env("UR_CPU_TARGET", target)
        .output()
        .expect("the compiler");
    let (code, messages) = (
        String::from_utf8(output.stdout).expect("assembly"),
        String::from_utf8(output.stderr).expect("text"),
    );
    assert!(output.status.success(), "{messages}");
    let widest = ["zmm", "ymm", "xmm"]
        .into_iter()
        .find(|kind| code.contains(&format!("%{kind}")));
    (widest.map(str::to_owned), messages)
}

#[test]
fn registers_are_those_of_the_level() {
    let levels = [
        ("x86-64-v2", "xmm", true),
        ("x86-64-v3", "ymm", std::is_x86_feature_detected!("avx2")),
        ("x86-64-v4", "zmm", std::is_x86_feature_detected!("avx512vl")),
    ];
    let (native, _) = widest("native");
    let best = levels.iter().rfind(|(_, _, has)| *has).expect("a level");
    assert_eq!(native.as_deref(), Some(best.1));
    for (level, registers, has) in levels {
        let (widest, _) = widest(level);
        let wanted = if has { registers } else { best.1 };
        assert_eq!(widest.as_deref(), Some(wanted), "{level}");
    }
}
