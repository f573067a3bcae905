// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! How long programs and kernels live.

use std::sync::Arc;

use oxur_compiler::{Module, Options, Part, Program};

/// A module with a kernel `k` that does nothing.
fn module() -> Arc<Module> {
    #[rustfmt::skip]
    let words: [u32; 28] = [
        0x0723_0203, 0x0001_0000, 0, 5, 0,
        0x0002_0011, 6,                          // OpCapability Kernel
        0x0003_000e, 2, 2,                       // OpMemoryModel Physical64 OpenCL
        0x0004_000f, 6, 3, u32::from_le_bytes(*b"k\0\0\0"), // OpEntryPoint Kernel %3 "k"
        0x0002_0013, 1,                          // %1 = OpTypeVoid
        0x0003_0021, 2, 1,                       // %2 = OpTypeFunction %1
        0x0005_0036, 1, 3, 0, 2,                 // %3 = OpFunction %1 None %2
        0x0002_00f8, 4,                          // %4 = OpLabel
        0x0001_00fd,                             // OpReturn
        0x0001_0038,                             // OpFunctionEnd
    ];
    Module::parse(&words.map(u32::to_le_bytes).concat()).unwrap()
}

#[test]
fn a_program_goes_when_nobody_has_it_or_a_kernel_of_it() {
    let program = Program::link(&[Part::new(module())], &Options::default()).unwrap();
    let weak = Arc::downgrade(&program);
    let kernel = program.kernel("k").unwrap();
    drop(program);
    assert_eq!(weak.upgrade().unwrap().kernel("k").unwrap().info(), kernel.info());
    drop(kernel);
    assert!(weak.upgrade().is_none());
}
