// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The floating-point environment of a thread that compiles. LLVM's library computes when it is opened, so this is a process of its
//! own, in which nobody has opened it.

use std::arch::asm;

use oxur_compiler::{Module, NdRange, Options, Part, Program};

#[allow(dead_code, reason = "each test uses a part")]
mod support;

const SOURCE: &str = "OpEntryPoint Kernel %kernel \"k\"\n%type = OpTypeFunction %void %global_float\n\
    %kernel = OpFunction %void None %type\n%p = OpFunctionParameter %global_float\n%start = OpLabel\n\
    %x = OpLoad %float %p\n%y = OpFAdd %float %x %x\nOpStore %p %y\nOpReturn\nOpFunctionEnd\n";

/// The register with rounding and the exceptions that were raised.
fn mxcsr() -> u32 {
    let mut value = 0u32;
    // SAFETY: stores the register.
    unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut value, options(nostack)) };
    value
}

#[test]
fn stays_as_it_was() {
    const UPWARD: u32 = 0x4000;
    let words = support::assemble(&support::whole(SOURCE), "1.2").expect("a module");
    let module = Module::parse(&words).expect("a module");
    let program = Program::link(&[Part::new(module)], &Options::default()).expect("a program");
    let range = NdRange {
        dimensions: 1,
        global_offset: [0; 3],
        global_size: [1; 3],
        local_size: [1; 3],
    };
    let before = (mxcsr() & !0x3f) | UPWARD;
    // SAFETY: a value without reserved bits; what follows does not compute.
    unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const before, options(nostack)) };
    let kernel = program.kernel("k").expect("a kernel");
    kernel.prepare(range).expect("code");
    assert_eq!(mxcsr(), before);
}
