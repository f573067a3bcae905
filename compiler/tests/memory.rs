// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Compilations in processes that may have little memory: they succeed or fail with the reason, and the process goes on.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use oxur_compiler::{Error, Module, NdRange, Options, Part, Program, Tier};

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

/// Sets how much address space the process has from now on, in bytes beyond what it has mapped.
fn limit_memory(more: Option<u64>) {
    let pages = fs::read_to_string("/proc/self/statm").expect("/proc");
    let pages: u64 = pages.split(' ').next().expect("a field").parse().expect("a number");
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: a live structure.
    assert_eq!(unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) }, 0);
    limit.rlim_cur = more.map_or(limit.rlim_max, |more| pages * 4096 + more);
    // SAFETY: as above.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_AS, &raw const limit) }, 0);
}

/// A kernel whose compilation found no memory is compiled again by the next launch, or the next kernel of that name.
#[test]
fn memory_that_is_there_the_next_time() {
    // The limit is the process's, and other tests have none.
    const CHILD: &str = "OXUR_TEST_MEMORY";
    if std::env::var_os(CHILD).is_none() {
        let this = std::env::current_exe().expect("this program");
        let output = Command::new(this)
            .args(["--exact", "memory_that_is_there_the_next_time", "--nocapture"])
            .env(CHILD, "1")
            .output()
            .expect("this program runs");
        let text = [output.stdout, output.stderr].concat();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&text));
        return;
    }
    let words = module();
    let program = |tier| {
        let options = Options {
            tier,
            ..Options::default()
        };
        Program::link(&[Part::new(Module::parse(&words).expect("a module"))], &options).expect("a program")
    };
    // LLVM has what it keeps for good before memory becomes short.
    let other = program(Tier::Best);
    other.kernel("k").expect("a kernel");

    let best = program(Tier::Best);
    limit_memory(Some(4 << 20));
    let failed = best.kernel("k").err();
    limit_memory(None);
    assert!(matches!(failed, Some(Error::OutOfMemory(_))), "{failed:?}");
    let kernel = best.kernel("k").expect("there is memory now");

    // Groups of one item have code of their own.
    let range = NdRange {
        dimensions: 1,
        global_offset: [0; 3],
        global_size: [100, 1, 1],
        local_size: [1; 3],
    };
    limit_memory(Some(4 << 20));
    let failed = kernel.prepare(range).err();
    limit_memory(None);
    assert!(matches!(failed, Some(Error::OutOfMemory(_))), "{failed:?}");
    kernel.prepare(range).expect("there is memory now");
}
