// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Groups whose items have a stack each, and groups whose items share one. Compiled code is played by functions.

use std::hint::black_box;

use super::*;
use crate::NdRange;

const STACK: usize = 64 << 10;

/// A thread that gets no more than one stack, or as many as it wants.
fn fibers(few: bool) -> Fibers {
    Fibers {
        few,
        ..Fibers::default()
    }
}

fn group(id: u64, items: u64) -> Group {
    let range = NdRange {
        dimensions: 1,
        global_offset: [0; 3],
        global_size: [2 * items, 1, 1],
        local_size: [items, 1, 1],
    };
    Group::new(range, [id, 0, 0])
}

fn code(entry: ItemEntry, args: *const u8) -> ItemCode {
    ItemCode {
        entry,
        args,
        width: 1,
        sub_group: 8,
        stack_size: STACK,
    }
}

const ITEMS: usize = 100;

/// Private memory that changes from barrier to barrier, to which a pointer is kept; in between, values of the sub-group, which
/// half of the items give at one place and half at another.
unsafe extern "C" fn rounds(item: *mut Item, args: *const u8) {
    // SAFETY: the test gives a place for each item; what is called here is what compiled code calls.
    unsafe {
        let number = (*(*item).group).id[0] * ITEMS as u64 + (*item).linear_id;
        let (mut own, mut sum) = ([number; 50], 0);
        for round in 0..6 {
            let kept = black_box(&raw mut own);
            for (place, value) in own.iter_mut().enumerate() {
                *value = value.wrapping_mul(31).wrapping_add(place as u64 + round);
            }
            oxur_barrier(item);
            let site = number as i32 % 2;
            let meeting = oxur_collect(item, site, (*kept)[round as usize]);
            for lane in (0..LANES).filter(|lane| (*meeting).mask & 1 << lane != 0) {
                sum ^= (*meeting).slots[lane].rotate_left(lane as u32);
            }
            if round == 3 {
                oxur_device_barrier(item);
            }
            // Items come to different depths of their stacks.
            sum ^= deeper(item, number % 7, &own);
        }
        args.cast::<u64>().cast_mut().add(number as usize).write(sum);
    }
}

#[inline(never)]
unsafe fn deeper(item: *mut Item, depth: u64, own: &[u64; 50]) -> u64 {
    let mut copy = black_box(*own);
    copy[depth as usize] ^= depth;
    let deep = match depth {
        0 => {
            // SAFETY: passed on to the caller.
            unsafe { oxur_barrier(item) };
            0
        }
        // SAFETY: as above.
        _ => unsafe { deeper(item, depth - 1, &copy) },
    };
    copy.iter().fold(deep, |sum, value| sum.rotate_left(1) ^ value)
}

/// The results of all items of two groups that run side by side.
fn results(fibers: &mut Fibers) -> Vec<u64> {
    let mut sums = vec![0u64; 2 * ITEMS];
    let groups = [0, 1].map(|id| group(id, ITEMS as u64));
    // SAFETY: the function has what it needs.
    unsafe { fibers.run(&code(rounds, sums.as_mut_ptr().cast()), &groups) }.unwrap();
    sums
}

#[test]
fn one_stack_for_all_items() {
    let expected = results(&mut fibers(false));
    assert!(expected.iter().all(|sum| *sum != 0));
    let mut few = fibers(true);
    assert_eq!(results(&mut few), expected);
    assert!(few.shared.is_some());
    // Again, with what the first run has left; and then with as many as it wants.
    assert_eq!(results(&mut few), expected);
    few.few = false;
    assert_eq!(results(&mut few), expected);
    assert!(few.stacks.len() >= 2 * ITEMS);
}

unsafe extern "C" fn fails(item: *mut Item, args: *const u8) {
    // SAFETY: as above; the one item that has no barrier before it overflows its stack.
    unsafe {
        let fails = args.cast::<u64>().read();
        if (*item).linear_id == fails {
            black_box(endless(0));
        }
        oxur_barrier(item);
        if (*item).linear_id + 50 == fails {
            black_box(endless(0));
        }
        oxur_barrier(item);
    }
}

#[inline(never)]
#[allow(unconditional_recursion, reason = "the end of the stack is what it is about")]
fn endless(depth: u64) -> u64 {
    let own = black_box([depth; 100]);
    own[depth as usize % 100] + endless(depth + 1)
}

#[test]
fn items_that_fail() {
    let mut few = fibers(true);
    for item in [0u64, 20, 55, 149] {
        let groups = [group(0, ITEMS as u64)];
        // SAFETY: the function has what it needs.
        let outcome = unsafe { few.run(&code(fails, (&raw const item).cast()), &groups) };
        assert!(matches!(outcome, Err(Fault::StackOverflow)), "{item}: {outcome:?}");
    }
    assert_eq!(results(&mut few), results(&mut fibers(false)));
}

/// Kernels that need one stack run, however few there are.
#[test]
fn a_thread_has_its_own_stack() {
    let mut few = fibers(true);
    results(&mut few);
    let stack = few.stack(STACK).unwrap();
    assert!(few.stack(STACK).is_err());
    few.keep(stack);
    let stack = few.stack(2 * STACK).unwrap();
    assert!(stack.size() > 2 * STACK);
}
