// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Updates of finalized command buffers.

use std::sync::atomic::{AtomicBool, Ordering};

use oxur_conformance::api::*;
use oxur_conformance::client::{
    Appended, Arg, BufferCommand, CommandBuffer, CommandBufferSettings, Kernel, Place, Range, Result, Update, Usm,
};
use oxur_conformance::{Rig, UserEvent, check, expect, intel, values};

use crate::command_buffer::{FIRST, IN_ORDER, PLAIN, UPDATABLE, empty, lacks_host_memory, launch, queues, rig, run};

pub const HANDLE: Place = Place {
    after: FIRST,
    events: &[],
    signal: false,
    handle: true,
};

/// Appends a launch over a range of any kind.
pub fn launch_over<'a>(
    buffer: &CommandBuffer,
    kernel: &Kernel,
    range: &Range,
    args: &[Arg],
    alternatives: &[&Kernel],
    place: impl Into<Place<'a>>,
) -> Result<Appended> {
    // SAFETY: the kernels do with their arguments what the sources in kernels/ say, and the tests give memory of that
    // size, which lives until the last run is complete.
    unsafe { buffer.launch(kernel, range, args, alternatives, place) }
}

pub fn update(buffer: &CommandBuffer, updates: &[Update]) -> Result<()> {
    // SAFETY: as above.
    unsafe { buffer.update(updates) }
}

/// A finalized buffer of one fill of `data` with 1.
fn filling(rig: &Rig, data: &Usm) -> (CommandBuffer, BufferCommand) {
    let (buffer, fill) = (empty(rig, UPDATABLE), rig.kernel("basic", "fill"));
    let args = [Arg::Pointer(data.ptr()), Arg::value(&1i32)];
    let command = launch(&buffer, &fill, data.len() / 4, &args, HANDLE)
        .expect("fill")
        .command();
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    (buffer, command)
}

#[test]
fn a_value() {
    let Some(rig) = rig() else { return };
    let data = rig.shared(&[0i32; 64]);
    let (buffer, command) = filling(&rig, &data);
    for queue in queues(&rig) {
        for value in [5i32, -7, 0, i32::MAX] {
            update(&buffer, &[Update::new(command).args(&[(1, Arg::value(&value))])]).expect("update");
            // The old value is used no more, the new one as often as one likes.
            for _ in 0..2 {
                run(&queue, &buffer);
                assert_eq!(values::<i32>(&data), [value; 64]);
            }
        }
    }
}

/// Launches may have much in common as long as an update does not change more than its own.
#[test]
fn one_of_many_equal_launches() {
    let Some(rig) = rig() else { return };
    let [a, b, c] = [(); 3].map(|()| rig.shared(&[0i32; 64]));
    let increment = rig.kernel("basic", "increment");
    let in_order = CommandBufferSettings {
        in_order: true,
        ..UPDATABLE
    };
    let buffer = empty(&rig, in_order);
    let append = |data: &Usm, place: Place| {
        let args = [Arg::Pointer(data.ptr())];
        launch(&buffer, &increment, 64, &args, place).expect("increment")
    };
    let mut commands = Vec::new();
    for time in 0..9 {
        append(&a, FIRST.into());
        append(&b, FIRST.into());
        if time % 3 == 1 {
            commands.push(append(&a, HANDLE).command());
        }
    }
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    let mut expected = [0; 3];
    for queue in queues(&rig) {
        let mut runs = |counts: [i32; 3]| {
            for _ in 0..2 {
                run(&queue, &buffer);
                expected = [0, 1, 2].map(|at: usize| expected[at] + counts[at]);
                let found = [&a, &b, &c].map(|data| values::<i32>(data).to_vec());
                assert_eq!(found, expected.map(|count| vec![count; 64]));
            }
        };
        let change = |at: usize, data: &Usm| {
            let args = [(0, Arg::Pointer(data.ptr()))];
            update(&buffer, &[Update::new(commands[at]).args(&args)]).expect("update");
        };
        runs([12, 9, 0]);
        change(1, &c);
        runs([11, 9, 1]);
        change(2, &c);
        change(1, &b);
        runs([10, 10, 1]);
        change(1, &a);
        change(2, &a);
    }
}

#[test]
fn a_pointer() {
    let Some(rig) = rig() else { return };
    let all = [(); 4].map(|()| rig.shared(&[0i32; 64]));
    let (buffer, command) = filling(&rig, &all[0]);
    for queue in queues(&rig) {
        for (chosen, value) in all.iter().zip(10i32..) {
            let args = [(0, Arg::Pointer(chosen.ptr())), (1, Arg::value(&value))];
            update(&buffer, &[Update::new(command).args(&args)]).expect("update");
            run(&queue, &buffer);
            assert_eq!(values::<i32>(chosen), [value; 64]);
        }
        for (data, value) in all.iter().zip(10i32..) {
            assert_eq!(values::<i32>(data), [value; 64]);
            // SAFETY: host-visible memory that no command uses.
            unsafe { data.ptr().cast::<i32>().write_bytes(0, 64) };
        }
    }
}

#[test]
fn a_null_pointer() {
    let Some(rig) = rig() else { return };
    let (kernel, data, out) = (
        rig.kernel("basic", "which_null"),
        rig.shared(&[0i32; 4]),
        rig.shared(&[9i32; 2]),
    );
    let buffer = empty(&rig, UPDATABLE);
    let args = [data.ptr(), data.ptr(), out.ptr()].map(|p| Arg::Pointer(p));
    let command = launch(&buffer, &kernel, 1, &args, HANDLE).expect("a launch").command();
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    run(&rig.queue, &buffer);
    assert_eq!(values::<i32>(&out), [0, 0]);
    let null = [(1, Arg::Pointer(std::ptr::null()))];
    update(&buffer, &[Update::new(command).args(&null)]).expect("update");
    run(&rig.queue, &buffer);
    assert_eq!(values::<i32>(&out), [0, 1]);
}

#[test]
fn a_memory_object() {
    let Some(rig) = rig() else { return };
    let fill = rig.kernel("basic", "fill");
    let mems = [(); 4].map(|()| rig.buffer(&[0i32; 64]));
    let buffer = empty(&rig, UPDATABLE);
    let args = [Arg::mem(&mems[0]), Arg::value(&1i32)];
    let command = launch(&buffer, &fill, 64, &args, HANDLE).expect("fill").command();
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    for queue in queues(&rig) {
        for (mem, value) in mems.iter().zip(1i32..) {
            let args = [(0, Arg::mem(mem)), (1, Arg::value(&value))];
            update(&buffer, &[Update::new(command).args(&args)]).expect("update");
            run(&queue, &buffer);
        }
        for (mem, value) in mems.iter().zip(1i32..) {
            assert_eq!(rig.contents::<i32>(mem), [value; 64]);
            rig.queue
                .fill(mem, &[0i32], 0, 256, &[])
                .expect("urEnqueueMemBufferFill");
        }
        rig.queue.finish().expect("urQueueFinish");
    }
}

#[test]
fn the_new_object_lives_as_long_as_it_is_needed() {
    let Some(rig) = rig() else { return };
    if lacks_host_memory(&rig) {
        return;
    }
    let (fill, out) = (rig.kernel("basic", "fill"), rig.shared(&[0i32; 64]));
    let buffer = empty(&rig, UPDATABLE);
    let mem = rig.buffer(&[0i32; 64]);
    let args = [Arg::mem(&mem), Arg::value(&4i32)];
    let command = launch(&buffer, &fill, 64, &args, HANDLE).expect("fill").command();
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    drop(mem);
    run(&rig.queue, &buffer);
    for _ in 0..10 {
        let mem = rig.buffer(&[0i32; 64]);
        update(&buffer, &[Update::new(command).args(&[(0, Arg::mem(&mem))])]).expect("update");
        let event = rig.queue.run(&buffer, &[]).expect("urEnqueueCommandBufferExp");
        // SAFETY: 256 bytes, which live until the wait.
        unsafe { rig.queue.read_to(&mem, false, 0, 256, out.ptr(), &[&event]) }.expect("read");
        drop(mem);
        rig.queue.finish().expect("urQueueFinish");
        assert_eq!(values::<i32>(&out), [4; 64]);
        run(&rig.queue, &buffer);
    }
}

#[test]
fn local_memory() {
    let Some(rig) = rig() else { return };
    let (reverse, data) = (
        rig.kernel("basic", "reverse_groups"),
        rig.shared(&(0..64).collect::<Vec<i32>>()),
    );
    let buffer = empty(&rig, UPDATABLE);
    let args = [Arg::Pointer(data.ptr()), Arg::Local(8 * 4)];
    let range = Range::new([64]).local([8]);
    let command = launch_over(&buffer, &reverse, &range, &args, &[], HANDLE)
        .expect("reverse")
        .command();
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    let mut expected: Vec<i32> = (0..64).collect();
    let mut size = 8;
    for queue in queues(&rig) {
        for next in [16, 32, 4] {
            run(&queue, &buffer);
            expected.chunks_mut(size).for_each(<[i32]>::reverse);
            assert_eq!(values::<i32>(&data), expected, "groups of {size}");
            size = next;
            let args = [(1, Arg::Local(size * 4))];
            let range = Range::new([64]).local([size]);
            update(&buffer, &[Update::new(command).args(&args).range(range)]).expect("update");
        }
    }
}

/// Runs `ids` with a range, updated from another.
#[test]
fn ranges() {
    let Some(rig) = rig() else { return };
    let ids = rig.kernel("basic", "ids");
    let out = rig.shared(&vec![u64::MAX; 4096]);
    let buffer = empty(&rig, UPDATABLE);
    let first = Range::new([8, 4, 6]).local([4, 2, 3]).offset([1, 2, 3]);
    let args = [Arg::Pointer(out.ptr())];
    let command = launch_over(&buffer, &ids, &first, &args, &[], HANDLE)
        .expect("ids")
        .command();
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    let verify = |range: &Range, what: &str| {
        // SAFETY: host-visible memory that no command uses.
        unsafe { out.ptr().cast::<u64>().write_bytes(0xff, 4096) };
        run(&rig.queue, &buffer);
        let count: usize = range.global.iter().product();
        let (offset, all) = (range.offset.unwrap_or_default(), values::<u64>(&out));
        for (place, ids) in all[..count * 9].chunks(9).enumerate() {
            let at = [
                place % range.global[0],
                place / range.global[0] % range.global[1],
                place / range.global[0] / range.global[1],
            ];
            for d in 0..3 {
                assert_eq!(ids[d] as usize, at[d] + offset[d], "global id of {at:?}: {what}");
                if let Some(local) = range.local {
                    assert_eq!(ids[6 + d] as usize, local[d], "local size: {what}");
                }
            }
        }
        assert!(all[count * 9..].iter().all(|id| *id == u64::MAX), "too much: {what}");
    };
    verify(&first, "as appended");
    let all = Range::new([4, 8, 2]).local([2, 4, 1]).offset([7, 8, 9]);
    update(&buffer, &[Update::new(command).range(all)]).expect("update");
    verify(&all, "a new range");
    // A part of it: the rest stays.
    let mut change = Update {
        dimensions: 3,
        ..Update::new(command)
    };
    change.offset = Some([5, 0, 1]);
    update(&buffer, &[change]).expect("update");
    verify(&all.offset([5, 0, 1]), "a new offset");
    change.offset = None;
    change.local = Some([4, 2, 2]);
    update(&buffer, &[change]).expect("update");
    verify(&all.offset([5, 0, 1]).local([4, 2, 2]), "a new local size");
    // A new global size without a local one leaves that to the adapter.
    change.local = None;
    change.global = Some([5, 3, 7]);
    update(&buffer, &[change]).expect("update");
    verify(&Range::new([5, 3, 7]).offset([5, 0, 1]), "a new global size");
    // Other dimensions need all of it.
    if !intel("the adapter does not change the number of dimensions") {
        let flat = Range::new([40]).local([8]).offset([3]);
        update(&buffer, &[Update::new(command).range(flat)]).expect("update");
        verify(&flat, "another dimension");
        update(&buffer, &[Update::new(command).range(first)]).expect("update");
        verify(&first, "back");
    }
}

/// Each update of a launch comes behind one of another kind.
#[test]
fn arguments_and_ranges_in_turns() {
    let Some(rig) = rig() else { return };
    let all = [(); 2].map(|()| rig.shared(&[0i32; 64]));
    let (buffer, command) = filling(&rig, &all[0]);
    let same = Range::new([64]);
    let part = Range::new([24]);
    let mut sizes = vec![None, Some(same), None, Some(part), None, Some(part), Some(same)];
    if !intel("a launch does not become empty") {
        let nothing = Range::new([0]);
        sizes.extend([
            Some(nothing),
            None,
            Some(same),
            None,
            Some(nothing),
            None,
            Some(part),
            None,
        ]);
    }
    let (mut chosen, mut value, mut count) = (0, 1, 64);
    let mut expected = [[0; 64]; 2];
    for (step, size) in sizes.iter().cycle().take(3 * sizes.len() + 1).enumerate() {
        value += i32::from(step % 3 != 0);
        chosen = if step % 4 < 2 { chosen } else { step / 2 % 2 };
        let args = [(0, Arg::Pointer(all[chosen].ptr())), (1, Arg::value(&value))];
        let named = match step % 4 {
            0 => &args[1..],
            1 => &args[..],
            _ if step % 3 == 0 => &args[..1],
            _ => &args[..],
        };
        let change = Update::new(command).args(named);
        let change = match size {
            Some(range) => change.range(*range),
            None => change,
        };
        update(&buffer, &[change]).expect("update");
        count = size.map_or(count, |range| range.global[0]);
        run(&rig.queue, &buffer);
        expected[chosen][..count].fill(value);
        for (data, expected) in all.iter().zip(&expected) {
            assert_eq!(values::<i32>(data), expected, "step {step}");
        }
    }
}

#[test]
fn another_kernel() {
    let Some(rig) = rig() else { return };
    let can: DeviceCommandBufferUpdateCapabilityFlags = rig
        .device
        .info(DeviceInfo::COMMAND_BUFFER_UPDATE_CAPABILITIES_EXP)
        .expect("the query");
    let (fill, increment, nothing) = (
        rig.kernel("basic", "fill"),
        rig.kernel("basic", "increment"),
        rig.kernel("basic", "nothing"),
    );
    let data = rig.shared(&[0i32; 64]);
    let buffer = empty(&rig, UPDATABLE);
    let args = [Arg::Pointer(data.ptr()), Arg::value(&10i32)];
    let appended = launch_over(
        &buffer,
        &fill,
        &Range::new([64]),
        &args,
        &[&increment, &nothing],
        HANDLE,
    );
    let command = appended.expect("a launch").command();
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    if !can.contains(DeviceCommandBufferUpdateCapabilityFlags::KERNEL_HANDLE) {
        assert!(intel("the driver's commands have one kernel for ever"));
        let change = Update::new(command).kernel(&increment);
        return assert_eq!(check(update(&buffer, &[change])), ResultCode::ERROR_UNSUPPORTED_FEATURE);
    }
    let foreign = rig.kernel("basic", "count");
    for queue in queues(&rig) {
        run(&queue, &buffer);
        assert_eq!(values::<i32>(&data), [10; 64]);
        let args = [(0, Arg::Pointer(data.ptr()))];
        update(&buffer, &[Update::new(command).kernel(&increment).args(&args)]).expect("update");
        for round in 1..=3 {
            run(&queue, &buffer);
            assert_eq!(values::<i32>(&data), [10 + round; 64]);
        }
        update(&buffer, &[Update::new(command).kernel(&nothing)]).expect("update");
        run(&queue, &buffer);
        assert_eq!(values::<i32>(&data), [13; 64]);
        let change = Update::new(command).kernel(&foreign);
        expect!(check(update(&buffer, &[change])), ERROR_INVALID_VALUE);
        // The first one is an alternative, too, and the range may change with the kernel.
        let args = [(0, Arg::Pointer(data.ptr())), (1, Arg::value(&77i32))];
        let back = Update::new(command).kernel(&fill).args(&args).range(Range::new([32]));
        update(&buffer, &[back]).expect("update");
        run(&queue, &buffer);
        assert_eq!(values::<i32>(&data)[..32], [77; 32]);
        assert_eq!(values::<i32>(&data)[32..], [13; 32]);
        let args = [(1, Arg::value(&10i32))];
        update(&buffer, &[Update::new(command).args(&args).range(Range::new([64]))]).expect("update");
    }
}

/// All arguments are due when an update names another kernel than the command has (ur_exp_command_buffer_update_kernel_launch_desc_t:
/// "When updating the kernel handle…"). With the same one, those that it does not name stay.
#[test]
fn the_same_kernel_keeps_its_arguments() {
    let Some(rig) = rig() else { return };
    let can: DeviceCommandBufferUpdateCapabilityFlags = rig
        .device
        .info(DeviceInfo::COMMAND_BUFFER_UPDATE_CAPABILITIES_EXP)
        .expect("the query");
    if !can.contains(DeviceCommandBufferUpdateCapabilityFlags::KERNEL_HANDLE) {
        assert!(intel("the driver's commands have one kernel for ever"));
        return;
    }
    let (fill, nothing) = (rig.kernel("basic", "fill"), rig.kernel("basic", "nothing"));
    let data = rig.shared(&[0i32; 64]);
    let buffer = empty(&rig, UPDATABLE);
    let args = [Arg::Pointer(data.ptr()), Arg::value(&1i32)];
    let appended = launch_over(&buffer, &fill, &Range::new([64]), &args, &[&nothing], HANDLE);
    let command = appended.expect("fill").command();
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    let value = |value: i32| {
        let args = [(1, Arg::value(&value))];
        update(&buffer, &[Update::new(command).kernel(&fill).args(&args)]).expect("update");
        run(&rig.queue, &buffer);
        assert_eq!(values::<i32>(&data), [value; 64]);
    };
    value(2);
    update(&buffer, &[Update::new(command).kernel(&fill)]).expect("update");
    run(&rig.queue, &buffer);
    value(3);
    // Another one, and the first again.
    update(&buffer, &[Update::new(command).kernel(&nothing)]).expect("update");
    run(&rig.queue, &buffer);
    let args = [(0, Arg::Pointer(data.ptr())), (1, Arg::value(&4i32))];
    update(&buffer, &[Update::new(command).kernel(&fill).args(&args)]).expect("update");
    value(5);
}

#[test]
fn only_later_runs_see_an_update() {
    let Some(rig) = rig() else { return };
    if intel("an update changes runs that were enqueued before") {
        return;
    }
    let (fill, slow) = (rig.kernel("basic", "fill"), rig.kernel("basic", "slow"));
    let all: Vec<_> = (0..50).map(|_| rig.shared(&[-1i32; 256])).collect();
    let busy = rig.shared(&[1u32; 16]);
    let steps = 100_000u32;
    let buffer = empty(&rig, UPDATABLE);
    let args = [Arg::Pointer(busy.ptr()), Arg::value(&steps)];
    let before = launch(&buffer, &slow, 16, &args, FIRST).expect("slow");
    let args = [Arg::Pointer(all[0].ptr()), Arg::value(&0i32)];
    let place = [before.point];
    let command = launch(&buffer, &fill, 256, &args, Place::after(&place).handle())
        .expect("fill")
        .command();
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    for queue in queues(&rig) {
        for (data, value) in all.iter().zip(0i32..) {
            let args = [(0, Arg::Pointer(data.ptr())), (1, Arg::value(&value))];
            update(&buffer, &[Update::new(command).args(&args)]).expect("update");
            queue.run(&buffer, &[]).expect("urEnqueueCommandBufferExp");
        }
        queue.finish().expect("urQueueFinish");
        for (data, value) in all.iter().zip(0i32..) {
            assert_eq!(values::<i32>(data), [value; 256]);
            // SAFETY: host-visible memory that no command uses.
            unsafe { data.ptr().cast::<i32>().write_bytes(0xff, 256) };
        }
    }
}

#[test]
fn an_update_before_the_run_begins() {
    let Some(rig) = rig() else { return };
    let data = rig.shared(&[0i32; 64]);
    let (buffer, command) = filling(&rig, &data);
    let other = crate::command_buffer::queue(&rig, QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE);
    for queue in queues(&rig) {
        let Some(user_event) = UserEvent::new(&other) else {
            return;
        };
        let one = [(1, Arg::value(&1i32))];
        update(&buffer, &[Update::new(command).args(&one)]).expect("update");
        let event = queue
            .run(&buffer, &[&user_event.event])
            .expect("urEnqueueCommandBufferExp");
        // The run is enqueued: it fills with 1, whatever comes.
        let two = [(1, Arg::value(&2i32))];
        update(&buffer, &[Update::new(command).args(&two)]).expect("update");
        user_event.complete();
        event.wait().expect("urEventWait");
        assert_eq!(values::<i32>(&data), [1; 64]);
        run(&queue, &buffer);
        assert_eq!(values::<i32>(&data), [2; 64]);
    }
}

#[test]
fn updates_during_runs_of_many_threads() {
    let Some(rig) = rig() else { return };
    if intel("an update changes runs that were enqueued before") {
        return;
    }
    // Each run fills two arrays with one value each, by two updates in one call: they must always be the same.
    let (fill, a, b) = (
        rig.kernel("basic", "fill"),
        rig.shared(&[0i32; 64]),
        rig.shared(&[0i32; 64]),
    );
    let settings = CommandBufferSettings {
        updatable: true,
        ..IN_ORDER
    };
    let buffer = empty(&rig, settings);
    let mut commands = Vec::new();
    for data in [&a, &b] {
        let args = [Arg::Pointer(data.ptr()), Arg::value(&0i32)];
        commands.push(launch(&buffer, &fill, 64, &args, HANDLE).expect("fill").command());
    }
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (buffer, commands, done) = (&buffer, &commands, &done);
            scope.spawn(move || {
                let mut value = thread * 1_000_000;
                while !done.load(Ordering::Relaxed) {
                    value += 1;
                    let args = [(1, Arg::value(&value))];
                    let updates = [0, 1].map(|i: usize| Update::new(commands[i]).args(&args));
                    update(buffer, &updates).expect("update");
                }
            });
        }
        let queue = crate::command_buffer::queue(&rig, QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE);
        let mut problem = None;
        for _ in 0..200 {
            for _ in 0..3 {
                queue.run(&buffer, &[]).expect("urEnqueueCommandBufferExp");
            }
            run(&queue, &buffer);
            let (a, b) = (values::<i32>(&a), values::<i32>(&b));
            if a != [a[0]; 64] || a != b {
                problem = Some((a.to_vec(), b.to_vec()));
                break;
            }
        }
        done.store(true, Ordering::Relaxed);
        assert_eq!(problem, None);
    });
}

#[test]
fn threads_with_buffers_of_their_own() {
    let Some(rig) = rig() else { return };
    if intel("the adapter sets arguments and appends without a lock") {
        return;
    }
    let fill = rig.kernel("basic", "fill");
    crate::threads::together(|thread| {
        let data = rig.shared(&[0i32; 64]);
        let buffer = empty(&rig, UPDATABLE);
        let args = [Arg::Pointer(data.ptr()), Arg::value(&0i32)];
        let command = launch(&buffer, &fill, 64, &args, HANDLE).expect("fill").command();
        buffer.finalize().expect("urCommandBufferFinalizeExp");
        for round in 0..20 {
            let value = thread as i32 * 100 + round;
            update(&buffer, &[Update::new(command).args(&[(1, Arg::value(&value))])]).expect("update");
            run(&rig.queue, &buffer);
            assert_eq!(values::<i32>(&data), [value; 64]);
        }
    });
}

#[test]
fn handles_live_as_long_as_the_buffer() {
    let Some(rig) = rig() else { return };
    let data = rig.shared(&[0i32; 64]);
    for _ in 0..5 {
        let (buffer, command) = filling(&rig, &data);
        update(&buffer, &[Update::new(command).args(&[(1, Arg::value(&3i32))])]).expect("update");
        run(&rig.queue, &buffer);
    }
    assert_eq!(values::<i32>(&data), [3; 64]);
    // Copies may have handles, where nothing is to be updated.
    let buffer = empty(&rig, UPDATABLE);
    let copy = rig.shared(&[0i32; 64]);
    // SAFETY: 256 bytes, which live until the wait.
    let copied = unsafe { buffer.memcpy(copy.ptr(), data.ptr(), 256, HANDLE) };
    if intel("the adapter has handles for launches only") {
        return;
    }
    let command = copied.expect("copy").command();
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    run(&rig.queue, &buffer);
    assert_eq!(values::<i32>(&copy), [3; 64]);
    expect!(
        check(update(&buffer, &[Update::new(command).args(&[(1, Arg::value(&3i32))])])),
        ERROR_INVALID_COMMAND_BUFFER_COMMAND_HANDLE_EXP
    );
    assert!(
        empty(&rig, PLAIN)
            .info::<u32>(ExpCommandBufferInfo::REFERENCE_COUNT)
            .is_ok()
    );
}
