// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Updates of several commands in one call.

use oxur_conformance::api::*;
use oxur_conformance::client::{Arg, CommandBufferSettings, Range, Update};
use oxur_conformance::{check, intel, values};
use oxur_conformance_support::random::Random;

use crate::command_buffer::{UPDATABLE, empty, lacks_host_memory, launch, queues, rig, run};
use crate::command_buffer_update::{HANDLE, launch_over, update};

#[test]
fn many_at_once() {
    let Some(rig) = rig() else { return };
    let (fill, data) = (rig.kernel("basic", "fill"), rig.shared(&[0i32; 64 * 16]));
    let buffer = empty(&rig, UPDATABLE);
    let part = |i: usize| data.ptr().wrapping_byte_add(i * 64);
    let commands: Vec<_> = (0..64)
        .map(|i| {
            let value = i as i32;
            let args = [Arg::Pointer(part(i)), Arg::value(&value)];
            launch(&buffer, &fill, 16, &args, HANDLE).expect("fill").command()
        })
        .collect();
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    for (queue, round) in queues(&rig).iter().zip(1i32..) {
        let new: Vec<_> = (0..64).map(|i| i + 1000 * round).collect();
        let args: Vec<_> = new.iter().map(|value| [(1, Arg::value(value))]).collect();
        let updates: Vec<_> = commands
            .iter()
            .zip(&args)
            .map(|(command, args)| Update::new(*command).args(args))
            .collect();
        // Half of them, then all in one call.
        for count in [32, 64] {
            update(&buffer, &updates[..count]).expect("update");
            run(queue, &buffer);
            for (i, part) in values::<i32>(&data).chunks(16).enumerate() {
                let old = i as i32 + 1000 * (round - 1);
                assert_eq!(part, [if i < count { new[i] } else { old }; 16]);
            }
        }
    }
    // One command twice in a list: the later change counts.
    let (a, b) = ([(1, Arg::value(&-1i32))], [(1, Arg::value(&-2i32))]);
    let twice = [
        Update::new(commands[3]).args(&a),
        Update::new(commands[5]).args(&a),
        Update::new(commands[3]).args(&b),
    ];
    if !intel("the driver refuses a command that is twice in a list") {
        update(&buffer, &twice).expect("update");
        run(&rig.queue, &buffer);
        assert_eq!(values::<i32>(&data)[3 * 16], -2);
        assert_eq!(values::<i32>(&data)[5 * 16], -1);
    }
}

/// urCommandBufferUpdateKernelLaunchExp takes a list of changes. UR does not say what a list with a bad one does; a client can
/// only go on if the whole call has no effect.
#[test]
fn a_list_with_a_bad_change_changes_nothing() {
    let Some(rig) = rig() else { return };
    if intel("the changes before the bad one stay") {
        return;
    }
    let all = [(); 3].map(|()| rig.shared(&[0i32; 64]));
    let other = rig.shared(&[-1i32; 64]);
    let (fill, nothing) = (rig.kernel("basic", "fill"), rig.kernel("basic", "nothing"));
    let buffer = empty(&rig, UPDATABLE);
    let commands: Vec<_> = std::iter::zip(&all, 1i32..)
        .map(|(data, value)| {
            let args = [Arg::Pointer(data.ptr()), Arg::value(&value)];
            let range = Range::new([64]);
            let appended = launch_over(&buffer, &fill, &range, &args, &[&nothing], HANDLE);
            appended.expect("fill").command()
        })
        .collect();
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    let (pointer, value) = (Arg::Pointer(other.ptr()), Arg::value(&77i32));
    let (good, short) = ([(0, pointer), (1, value)], [(0, pointer), (1, Arg::value(&77u16))]);
    let (far, half) = ([(0, pointer), (1, value), (9, value)], Range::new([32]));
    let change = |command: usize| Update::new(commands[command]);
    let lists = [
        // A later argument of one command.
        vec![change(0).args(&short)],
        vec![change(1).args(&far).range(half)],
        // A later command.
        vec![
            change(0).args(&good),
            change(1).args(&good).range(half),
            change(2).args(&short),
        ],
        // One command twice.
        vec![change(2).args(&good), change(2).args(&far)],
        // A new kernel, which has no argument like that.
        vec![change(0).args(&good), change(1).kernel(&nothing).args(&far)],
    ];
    for queue in queues(&rig) {
        for list in &lists {
            assert_ne!(check(update(&buffer, list)), ResultCode::SUCCESS);
            for data in &all {
                // SAFETY: host-visible memory that no command uses.
                unsafe { data.ptr().cast::<i32>().write_bytes(0, 64) };
            }
            run(&queue, &buffer);
            for (data, value) in std::iter::zip(&all, 1i32..) {
                assert_eq!(values::<i32>(data), [value; 64]);
            }
            assert_eq!(values::<i32>(&other), [-1; 64]);
        }
    }
    // The commands are as good as before.
    update(&buffer, &[change(0).args(&[(1, value)])]).expect("update");
    run(&rig.queue, &buffer);
    assert_eq!(values::<i32>(&all[0]), [77; 64]);
}

/// What a launch does that fills 64 values: the target, the value, and over how many of them.
#[derive(Clone, Copy)]
struct Filling {
    target: usize,
    value: i32,
    count: usize,
}

/// Lists of any changes, of which some fail: after each the commands do what the lists before say that had no error.
#[test]
fn random_lists_of_changes() {
    let Some(rig) = rig() else { return };
    if lacks_host_memory(&rig) || intel("the changes before the bad one stay") {
        return;
    }
    let (usm, mems) = (
        [(); 3].map(|()| rig.shared(&[0i32; 64])),
        [(); 2].map(|()| rig.buffer(&[0i32; 64])),
    );
    let out = rig.shared(&[0i32; 64]);
    let target = |target: usize| match mems.get(target.wrapping_sub(usm.len())) {
        Some(mem) => Arg::mem(mem),
        None => Arg::Pointer(usm[target].ptr()),
    };
    // The code of all is the same, but not the arguments.
    let kernels = [(); 3].map(|()| rig.kernel("basic", "fill"));
    let settings = CommandBufferSettings {
        in_order: true,
        ..UPDATABLE
    };
    let mut random = Random(7);
    for _ in 0..10 {
        let buffer = empty(&rig, settings);
        let mut now = [(0, 1), (3, 2), (4, 3)].map(|(target, value)| Filling {
            target,
            value,
            count: 64,
        });
        let commands = now.map(
            |Filling {
                 target: at,
                 value,
                 count,
             }| {
                let args = [target(at), Arg::value(&value)];
                let others = [&kernels[1], &kernels[2]];
                let appended = launch_over(&buffer, &kernels[0], &Range::new([count]), &args, &others, HANDLE);
                appended.expect("fill").command()
            },
        );
        buffer.finalize().expect("urCommandBufferFinalizeExp");
        for _ in 0..30 {
            // What each change is: the command and what it does then, the kernel that it names, whether it is bad.
            let mut then = now;
            let mut plan = Vec::new();
            for _ in 0..=random.below(4) {
                let place = random.below(3);
                let kernel = random.one_in(4).then(|| random.below(3));
                let filling = &mut then[place];
                // A kernel that may be another one needs all of its arguments.
                let all = kernel.is_some();
                let (new_target, new_value, new_count) =
                    (all || random.one_in(2), all || random.one_in(2), random.one_in(4));
                if new_target {
                    filling.target = random.below(5);
                }
                if new_value {
                    filling.value = random.below(1000) as i32;
                }
                if new_count {
                    filling.count = 1 + random.below(64);
                }
                let bad = random.one_in(8);
                plan.push((place, kernel, *filling, [new_target, new_value, new_count, bad]));
            }
            let all_args: Vec<_> = plan
                .iter()
                .map(|(_, _, filling, [new_target, new_value, _, bad])| {
                    let mut args = Vec::new();
                    if *new_target {
                        args.push((0, target(filling.target)));
                    }
                    if *new_value {
                        args.push((1, Arg::value(&filling.value)));
                    }
                    if *bad {
                        args.push((7, Arg::value(&filling.value)));
                    }
                    args
                })
                .collect();
            let list: Vec<_> = std::iter::zip(&plan, &all_args)
                .map(|((place, kernel, filling, [.., new_count, _]), args)| {
                    let mut change = Update::new(commands[*place]).args(args);
                    if let Some(kernel) = kernel {
                        change = change.kernel(&kernels[*kernel]);
                    }
                    if *new_count {
                        change = change.range(Range::new([filling.count]));
                    }
                    change
                })
                .collect();
            let bad = plan.iter().any(|(.., [.., bad])| *bad);
            assert_eq!(update(&buffer, &list).is_err(), bad);
            if !bad {
                now = then;
            }
            if random.one_in(2) {
                continue;
            }
            let mut wanted = [[0i32; 64]; 5];
            for Filling { target, value, count } in now {
                wanted[target][..count].fill(value);
            }
            for data in &usm {
                // SAFETY: host-visible memory that no command uses.
                unsafe { data.ptr().cast::<i32>().write_bytes(0, 64) };
            }
            for mem in &mems {
                rig.queue
                    .fill(mem, &[0i32], 0, 256, &[])
                    .expect("urEnqueueMemBufferFill");
            }
            run(&rig.queue, &buffer);
            for (target, wanted) in wanted.iter().enumerate() {
                let found: &[i32] = match mems.get(target.wrapping_sub(usm.len())) {
                    None => values(&usm[target]),
                    Some(mem) => {
                        // SAFETY: 256 bytes, and the call waits.
                        unsafe { rig.queue.read_to(mem, true, 0, 256, out.ptr(), &[]) }.expect("read");
                        values(&out)
                    }
                };
                assert_eq!(found, wanted, "target {target}");
            }
        }
    }
}
