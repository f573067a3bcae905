// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Arguments that a kernel has apart from its driver's.

use kit::{Arg, OwnArgs};

use super::*;

/// The numbers and the bytes of all values, in the order in which they are handed on.
fn values(args: &OwnArgs<Native>) -> Vec<(u32, Vec<u8>)> {
    let mut all = Vec::new();
    let given = args.give(|arg| {
        if let Arg::Value(index, bytes) = arg {
            all.push((index, bytes.to_vec()));
        }
        Ok(())
    });
    given.expect("nothing fails");
    all
}

#[test]
fn each_argument_is_there_once_and_in_order() {
    let mut args = OwnArgs::<Native>::default();
    for (index, byte) in [(3, 1), (1, 2), (7, 3), (1, 4), (7, 5), (0, 6)] {
        args.set(&Arg::Value(index, &[byte; 2]), false);
    }
    // More than fit in place.
    args.set(&Arg::Value(2, &[7; 40]), false);
    args.set(&Arg::Local(9, 64), false);
    let expected = [
        (0, vec![6; 2]),
        (1, vec![4; 2]),
        (2, vec![7; 40]),
        (3, vec![1; 2]),
        (7, vec![5; 2]),
    ];
    assert_eq!(values(&args), expected);
    assert_eq!(values(&args.kept()), expected);
    assert_eq!(values(&args.one(7)), [(7, vec![5; 2])]);
    assert!(values(&args.one(8)).is_empty());
}
