// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Collectives of sub-groups that only some items reach. SPIR-V leaves open what they do; oneDAL's kernels have them.

use std::path::Path;

use oxur_client::*;
use oxur_conformance_support::spirv;

use crate::Rig;

#[test]
fn those_that_are_there_take_part() {
    let rig = Rig::new();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let il = spirv(
        &here.join("tests"),
        &here.join("../../target/kernels/cuda"),
        "sub_groups",
    );
    let program = Program::with_il(&rig.context, &il).expect("urProgramCreateWithIL");
    program.build(&rig.context, "").expect("urProgramBuild");
    let kernel = Kernel::new(&program, "among_some").expect("urKernelCreate");
    let values: Vec<i32> = (0..64).map(|i| (i * 7) % 10).collect();
    let (from, to) = (rig.shared(&values), rig.shared(&[0_i32; 64]));
    // In a group of 48 the second sub-group has 16 items.
    for (size, some) in [(64, 2), (64, 1), (64, 5), (64, 32), (64, 0), (48, 2), (48, 20)] {
        let args = [Arg::Pointer(to.ptr()), Arg::Pointer(from.ptr()), Arg::value(&some)];
        let event = rig
            .launch(&kernel, &Range::new([size]).local([size]), &args)
            .expect("launch");
        event.wait().expect("urEventWait");
        // SAFETY: the kernel is complete.
        let got = unsafe { to.as_slice::<i32>() };
        for (first, group) in values[..size]
            .chunks(32)
            .enumerate()
            .map(|(at, group)| (32 * at, group))
        {
            let few = &group[..group.len().min(some as usize)];
            for lane in 0..group.len() {
                let in_part = 1000 * few.iter().sum::<i32>()
                    + lane as i32
                    + 100 * group[0]
                    + if lane >= 3 { 3_000_000 } else { 0 };
                let expected = match lane < few.len() {
                    true => in_part,
                    false => *group.iter().max().expect("a group has items"),
                };
                assert_eq!(
                    got[first + lane],
                    expected,
                    "{some} of groups of {size}: item {}",
                    first + lane
                );
            }
        }
    }
}
