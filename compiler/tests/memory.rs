// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Compilations in processes that may have little memory: they succeed or fail with the reason, and the process goes on.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

#[allow(dead_code, reason = "each test uses a part")]
mod support;

/// A kernel that takes some 20 MB to compile.
fn module() -> Vec<u8> {
    let mut text = String::from(
        "OpEntryPoint Kernel %kernel \"k\"\n%type = OpTypeFunction %void %global_float\n%kernel = OpFunction %void None %type\n\
         %p = OpFunctionParameter %global_float\n%start = OpLabel\n%x0 = OpLoad %float %p\n",
    );
    for n in 0..200 {
        writeln!(
            text,
            "%y{n} = OpExtInst %float %cl sin %x{n}\n%at{n} = OpInBoundsPtrAccessChain %global_float %p %i{}\n\
             OpStore %at{n} %y{n}\n%x{} = OpFAdd %float %y{n} %x{n}",
            n % 5,
            n + 1
        )
        .expect("a string");
    }
    text.push_str("OpReturn\nOpFunctionEnd\n");
    support::assemble(&support::whole(&text), "1.2").expect("a module")
}

#[test]
fn too_little_memory_is_an_error_with_the_reason() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("memory.spv");
    fs::write(&path, module()).expect("the module");
    let limited = |megabytes: u64| {
        let output = Command::new("sh")
            .args(["-c", "ulimit -c 0; ulimit -v $1; shift; exec \"$@\"", "sh"])
            .arg((megabytes * 1024).to_string())
            .args([env!("CARGO_BIN_EXE_oxur-compiler"), "compile"])
            .arg(&path)
            .output()
            .expect("a shell");
        let text = [output.stdout, output.stderr].concat();
        (output.status, String::from_utf8_lossy(&text).into_owned())
    };
    let reason = "there is no memory to compile the kernel k";
    let mut failures = 0;
    // The program itself takes 60 MB of the address space.
    for megabytes in (84..220).step_by(14) {
        let (status, text) = limited(megabytes);
        assert!(status.success(), "{megabytes} MB: {status}\n{text}");
        let failed = text.contains("failed");
        assert_eq!(failed, text.contains(reason), "{megabytes} MB: {text}");
        failures += u32::from(failed);
    }
    assert!(failures > 0, "none of these limits is too low");
    let (status, text) = limited(4096);
    assert!(status.success() && !text.contains("failed"), "{status}\n{text}");
}
