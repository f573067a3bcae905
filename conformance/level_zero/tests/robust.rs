// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Clients that do what they must not: our driver says in its log what was wrong, and goes on. Processes that end, or
//! fork, while lists run.

use std::env;
use std::fs;
use std::process::Command;
use std::ptr::{null, null_mut};

use oxur_conformance_level_zero::sys::*;
use oxur_conformance_level_zero::{Ending, Rig, Stack, handles_of, in_child, loader_is_old, ok, spirv, stack, ze};

/// What another process of this program is to do, instead of being the test.
const CHILD: &str = "OXUR_TEST_ZE_ROBUST";

/// Runs a test of this program in a process of its own. Returns how it ended: its status, or the signal below of zero.
pub(crate) fn other_process(test: &str, variables: &[(&str, &str)]) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    let status = Command::new("/proc/self/exe")
        .args(["--exact", test, "--nocapture"])
        .env(CHILD, test)
        .envs(variables.iter().copied())
        .status()
        .expect("this program runs");
    status
        .code()
        .or(status.signal().map(|signal| -signal))
        .expect("it ended")
}

/// Whether this is the process that [`other_process`] started for a test.
pub(crate) fn is_child(test: &str) -> bool {
    env::var(CHILD).is_ok_and(|child| child == test)
}

/// Each call that is wrong adds a line to the log, which names the function.
#[test]
fn a_line_for_each_error() {
    const TEST: &str = "robust::a_line_for_each_error";
    if stack() != Stack::Ours || loader_is_old() {
        println!("not run: a driver of others, or a loader that does not pass all on");
        return;
    }
    let log = env::temp_dir().join(format!("oxur-level-zero-robust-{}.log", std::process::id()));
    if !is_child(TEST) {
        let variables = format!("level:error;flush:error;output:file,{}", log.display());
        assert_eq!(
            other_process(
                TEST,
                &[
                    ("ZE_OXUR_LOG", &variables),
                    ("ROBUST_LOG", log.to_str().expect("UTF-8"))
                ]
            ),
            0
        );
        fs::remove_file(log).expect("the log");
        return;
    }
    let log = env::var("ROBUST_LOG").expect("it is set above");
    let (rig, other) = (Rig::new(), Rig::new());
    let lines = || -> Vec<String> {
        let text = fs::read_to_string(&log).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    };
    let mut before = lines().len();
    let mut wrong = |name: &str, result: ze_result_t, part: &str| {
        assert_ne!(result, ZE_RESULT_SUCCESS, "{name}");
        let all = lines();
        let new = &all[before..];
        let found = new.iter().any(|line| line.contains(name) && line.contains(part));
        assert!(found, "{name} gave {result}, and no line with {part:?}: {new:?}");
        before = all.len();
    };

    // Lists.
    let (list, immediate) = (rig.list(), rig.in_order());
    let mut lists = [list.raw()];
    wrong(
        "zeCommandQueueExecuteCommandLists",
        ze!(zeCommandQueueExecuteCommandLists(
            rig.queue().raw(),
            1,
            lists.as_mut_ptr(),
            null_mut()
        )),
        "closed before",
    );
    list.close();
    wrong(
        "zeCommandListClose",
        ze!(zeCommandListClose(list.raw())),
        "closed already",
    );
    let barrier = ze!(zeCommandListAppendBarrier(list.raw(), null_mut(), 0, null_mut()));
    wrong("zeCommandListAppendBarrier", barrier, "closed");
    let gone = {
        let gone = rig.in_order();
        gone.raw()
    };
    wrong(
        "zeCommandListHostSynchronize",
        ze!(zeCommandListHostSynchronize(gone, 0)),
        "destroyed",
    );
    wrong("zeCommandListDestroy", ze!(zeCommandListDestroy(gone)), "destroyed");
    wrong("zeCommandListReset", ze!(zeCommandListReset(null_mut())), "null");

    // Events of another context, events that are gone, and what is no event.
    let (event, foreign) = (rig.event(), other.event());
    let gone = {
        let gone = rig.event();
        gone.raw()
    };
    for (handle, part) in [
        (foreign.raw(), "different contexts"),
        (immediate.raw().cast(), "is no event"),
        (gone, "destroyed"),
    ] {
        let mut waits = [handle];
        let barrier = ze!(zeCommandListAppendBarrier(
            immediate.raw(),
            null_mut(),
            1,
            waits.as_mut_ptr()
        ));
        wrong("zeCommandListAppendBarrier", barrier, part);
    }
    let desc = ze_event_desc_t {
        index: 5,
        ..Default::default()
    };
    let create = ze!(zeEventCreate(rig.pool(3, 0).raw(), &desc, &mut null_mut()));
    wrong("zeEventCreate", create, "3 events");

    // Modules and kernels.
    let mut module = spirv("basic");
    let middle = module.len() / 2;
    module[middle..].fill(0xff);
    let desc = ze_module_desc_t {
        format: ZE_MODULE_FORMAT_IL_SPIRV,
        inputSize: module.len(),
        pInputModule: module.as_ptr(),
        ..Default::default()
    };
    let create = ze!(zeModuleCreate(
        rig.context.raw(),
        rig.device,
        &desc,
        &mut null_mut(),
        null_mut()
    ));
    wrong("zeModuleCreate", create, "");
    let kernel = rig.kernel("basic", "add");
    let value = 0u64;
    let set = |index, size| {
        ze!(zeKernelSetArgumentValue(
            kernel.raw(),
            index,
            size,
            (&raw const value).cast()
        ))
    };
    wrong("zeKernelSetArgumentValue", set(0, 3), "3");
    wrong("zeKernelSetArgumentValue", set(7, 8), "7");
    let groups = ze_group_count_t {
        groupCountX: 1,
        groupCountY: 1,
        groupCountZ: 1,
    };
    let launch = ze!(zeCommandListAppendLaunchKernel(
        immediate.raw(),
        kernel.raw(),
        &groups,
        null_mut(),
        0,
        null_mut()
    ));
    wrong("zeCommandListAppendLaunchKernel", launch, "argument");
    wrong(
        "zeKernelSetGroupSize",
        ze!(zeKernelSetGroupSize(kernel.raw(), 0, 1, 1)),
        "one item",
    );

    // Memory and graphs.
    let free = ze!(zeMemFree(rig.context.raw(), (&raw const value).cast_mut().cast()));
    wrong("zeMemFree", free, "");
    let end = ze!(zeCommandListEndGraphCaptureExt(
        immediate.raw(),
        null(),
        &mut null_mut()
    ));
    wrong("zeCommandListEndGraphCaptureExt", end, "captures no graph");
    // All of it left the rest as it was.
    let data = rig.shared(&[0u32; 4]);
    immediate.fill(data.ptr(), &[1u32], 16, Some(&event), &[]);
    immediate.synchronize();
    assert!(event.is_signalled());
    assert_eq!(data.values::<u32>(), [1; 4]);
}

/// A process may end while lists run, or wait for what never comes. It ends at once, and as it wants to.
#[test]
fn exit_while_lists_run() {
    const TEST: &str = "robust::exit_while_lists_run";
    let Some(rig) = Rig::executing() else { return };
    if !is_child(TEST) {
        for _ in 0..3 {
            assert_eq!(other_process(TEST, &[]), 7);
        }
        return;
    }
    let size = 16 << 20;
    let (data, kernel) = (rig.device_memory(size), rig.kernel("basic", "add"));
    let (lists, gate) = ([rig.in_order(), rig.immediate(0), rig.in_order()], rig.event());
    kernel.group_size([64, 1, 1]);
    kernel.set_ptr(0, data.ptr());
    kernel.set(1, 1i32);
    for _ in 0..300 {
        lists[0].fill(data.ptr(), &[1u8], size, None, &[]);
        lists[1].launch(&kernel, [size as u32 / 256, 1, 1], None, &[]);
        lists[2].launch(&kernel, [size as u32 / 256, 1, 1], None, &[&gate]);
    }
    // Neither waits nor destroys anything.
    std::mem::forget((rig, data, kernel, lists, gate));
    std::process::exit(7);
}

/// A child of `fork` works on with the driver. What runs in the parent ends there.
#[test]
fn fork_while_lists_run() {
    let Some(rig) = Rig::executing() else { return };
    if stack() != Stack::Ours {
        println!("not run: a loader or driver of others");
        return;
    }
    let (list, gate, data) = (rig.in_order(), rig.event(), rig.shared(&[0u32; 4]));
    let busy = rig.device_memory(4 << 20);
    for round in 0..5u32 {
        list.fill(busy.ptr(), &[1u8], busy.size(), None, &[]);
        list.fill(data.ptr(), &[round + 1], 16, None, &[&gate]);
        let mut waits = handles_of(&[&gate]);
        let ending = in_child(|| {
            // A new list, and the one that was busy: in the child, nothing is left of its commands.
            let (new, mut bytes) = (rig.in_order(), [0u32; 4]);
            new.fill(bytes.as_mut_ptr().cast(), &[7u32], 16, None, &[]);
            new.synchronize();
            list.fill(bytes.as_mut_ptr().cast(), &[8u32], 8, None, &[]);
            list.synchronize();
            gate.host_signal();
            ok!(zeCommandListAppendWaitOnEvents(new.raw(), 1, waits.as_mut_ptr()));
            new.synchronize();
            u8::from(bytes == [8, 8, 7, 7])
        });
        assert_eq!(ending, Ending::Returned(1));
        assert!(!gate.is_signalled());
        gate.host_signal();
        list.synchronize();
        assert_eq!(data.values::<u32>(), [round + 1; 4]);
        gate.host_reset();
    }
}

/// An event that is signalled and waited for again and again without a reset.
#[test]
fn reused_events() {
    let Some(rig) = Rig::executing() else { return };
    let (list, other, data) = (rig.in_order(), rig.in_order(), rig.shared(&[0u32; 4]));
    let event = rig.event();
    for round in 0..100u32 {
        list.fill(data.ptr(), &[round], 16, Some(&event), &[]);
        other.copy(data.at(4), data.at(0), 4, Some(&event), &[&event]);
    }
    list.synchronize();
    other.synchronize();
    assert!(event.is_signalled());
}
