// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Numbers of 16 bits, which NVIDIA's assembler computes wrongly unless the compiler helps it.

use std::path::Path;

use oxur_client::*;
use oxur_conformance_support::spirv;

use crate::Rig;

/// A kernel of `shorts.cl`.
fn kernel(rig: &Rig, name: &str) -> Kernel {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let il = spirv(&here.join("tests"), &here.join("../../target/kernels/cuda"), "shorts");
    let program = Program::with_il(&rig.context, &il).expect("urProgramCreateWithIL");
    program.build(&rig.context, "").expect("urProgramBuild");
    Kernel::new(&program, name).expect("urKernelCreate")
}

#[test]
fn low_bits() {
    let rig = Rig::new();
    let kernel = kernel(&rig, "low_bits");
    let numbers: Vec<f32> = (0..100).map(|i| (i - 50) as f32 * 1.37).collect();
    let from = rig.shared(&numbers);
    let (shorts, ints) = (rig.shared(&[0_i16; 100]), rig.shared(&[0_i32; 100]));
    let args = [
        Arg::Pointer(shorts.ptr()),
        Arg::Pointer(ints.ptr()),
        Arg::Pointer(from.ptr()),
    ];
    let event = rig.launch(&kernel, &Range::new([100]), &args).expect("launch");
    event.wait().expect("urEventWait");
    // SAFETY: the kernel is complete.
    let (shorts, ints) = unsafe { (shorts.as_slice::<i16>(), ints.as_slice::<i32>()) };
    for (at, &x) in numbers.iter().enumerate() {
        assert_eq!(shorts[at], (x + 1.5).to_bits() as i16, "{x} + 1.5");
        assert_eq!(ints[at], (f64::from(x) * 3.0).to_bits() as i32, "{x} * 3");
    }
}

#[test]
fn negated() {
    const VALUES: [i16; 9] = [0, 1, -1, 5, -3, 12345, i16::MAX, -i16::MAX, i16::MIN];
    let rig = Rig::new();
    let kernel = kernel(&rig, "negated");
    let pairs: Vec<[i16; 2]> = VALUES.iter().flat_map(|&x| VALUES.map(|y| [x, y])).collect();
    let (from, to) = (
        rig.shared(pairs.as_flattened()),
        rig.shared(&vec![0_i32; 8 * pairs.len()]),
    );
    let args = [Arg::Pointer(to.ptr()), Arg::Pointer(from.ptr())];
    let event = rig.launch(&kernel, &Range::new([pairs.len()]), &args).expect("launch");
    event.wait().expect("urEventWait");
    // SAFETY: the kernel is complete.
    let got = unsafe { to.as_slice::<i32>() };
    for (&[x, y], got) in pairs.iter().zip(got.chunks(8)) {
        let (minus, size, wide) = (x.wrapping_neg(), x.wrapping_abs(), i32::from(y));
        let expected = [
            i32::from(minus),
            i32::from(minus) * wide,
            i32::from(minus < y),
            i32::from(minus >> 3),
            i32::from(minus) / i32::from(y | 1),
            i32::from(size),
            i32::from(size < y),
            i32::from(size) * wide,
        ];
        assert_eq!(got, expected, "{x} and {y}");
    }
}
