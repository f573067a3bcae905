// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Launches with properties: in clusters, with work-group memory, and cooperative ones. `clusters.ptx` has kernels that see
//! the clusters that they are in.

use std::path::Path;
use std::ptr::{null, null_mut};

use oxur_client::api::*;
use oxur_client::*;
use oxur_conformance_support::{run_test, spirv};

use crate::held::Gate;
use crate::{Rig, code};

/// What a launch is asked for.
#[derive(Clone, Copy, Default)]
struct Properties {
    cluster: Option<[u32; 3]>,
    memory: usize,
    flags: KernelLaunchFlags,
}

fn cluster(cluster: [u32; 3]) -> Properties {
    Properties {
        cluster: Some(cluster),
        ..Default::default()
    }
}

fn memory(memory: usize) -> Properties {
    Properties {
        memory,
        ..Default::default()
    }
}

const COOPERATIVE: Properties = Properties {
    cluster: None,
    memory: 0,
    flags: KernelLaunchFlags::COOPERATIVE,
};

/// Work-items in two dimensions, and those of a group.
type Groups = ([usize; 2], [usize; 2]);

/// Groups of so many items.
fn groups(groups: usize, items: usize) -> Groups {
    ([groups * items, 1], [items, 1])
}

/// Launches a kernel with these properties.
fn launch(
    queue: &Queue,
    kernel: &Kernel,
    range: &Groups,
    args: &[Arg],
    properties: Properties,
    wait: &[&Event],
) -> std::result::Result<(), ResultCode> {
    let mut cluster = KernelLaunchClusterProperty {
        clusterDim: properties.cluster.unwrap_or([1; 3]),
        ..Default::default()
    };
    let mut memory = KernelLaunchWorkgroupProperty {
        workgroup_mem_size: properties.memory,
        pNext: match properties.cluster {
            Some(_) => (&raw mut cluster).cast(),
            None => null_mut(),
        },
        ..Default::default()
    };
    let head = KernelLaunchExtProperties {
        flags: properties.flags,
        pNext: match properties.memory {
            0 => memory.pNext,
            _ => (&raw mut memory).cast(),
        },
        ..Default::default()
    };
    let args: Vec<_> = args.iter().zip(0..).map(|(arg, at)| arg.properties(at)).collect();
    let wait: Vec<_> = wait.iter().map(|event| event.raw()).collect();
    // SAFETY: live handles, arrays of the lengths that are told, and kernels that do what they say with memory that lives
    // until the tests have waited.
    let launched = unsafe {
        crate::loader().fns().urEnqueueKernelLaunchWithArgsExp(
            queue.raw(),
            kernel.raw(),
            2,
            [0, 0].as_ptr(),
            range.0.as_ptr(),
            range.1.as_ptr(),
            args.len() as u32,
            args.as_ptr(),
            &head,
            wait.len() as u32,
            if wait.is_empty() { null() } else { wait.as_ptr() },
            null_mut(),
        )
    };
    launched.map_err(|error| error.code().expect("an error of Unified Runtime"))
}

impl Rig {
    /// As [`launch`], and waits.
    fn run(&self, kernel: &Kernel, range: &Groups, args: &[Arg], properties: Properties) -> Option<ResultCode> {
        let launched = launch(&self.queue, kernel, range, args, properties, &[]);
        self.queue.finish().expect("urQueueFinish");
        launched.err()
    }
}

/// The program of `clusters.ptx`.
fn ptx(rig: &Rig) -> Program {
    let ptx = include_bytes!("clusters.ptx");
    let program = Program::with_binaries(&rig.context, &[&rig.device], &[ptx]).expect("urProgramCreateWithBinary");
    program.build(&rig.context, "").expect("urProgramBuild");
    program
}

/// The program of `clusters.cl`.
fn il(rig: &Rig) -> Program {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let il = spirv(&here.join("tests"), &here.join("../../target/kernels/cuda"), "clusters");
    let program = Program::with_il(&rig.context, &il).expect("urProgramCreateWithIL");
    program.build(&rig.context, "").expect("urProgramBuild");
    program
}

fn kernel(program: &Program, name: &str) -> Kernel {
    Kernel::new(program, name).expect("urKernelCreate")
}

fn words<T: Plain>(usm: &Usm) -> Vec<T> {
    // SAFETY: the tests have waited for what writes there.
    unsafe { usm.as_slice::<T>() }.to_vec()
}

#[test]
fn the_device_says_what_it_takes() {
    let flags: KernelLaunchPropertiesFlags = Rig::new()
        .device
        .info(DeviceInfo::KERNEL_LAUNCH_CAPABILITIES)
        .expect("flags");
    let all = KernelLaunchPropertiesFlags::COOPERATIVE
        | KernelLaunchPropertiesFlags::CLUSTER_DIMENSION
        | KernelLaunchPropertiesFlags::WORK_GROUP_MEMORY;
    assert_eq!(flags, all);
}

#[test]
fn blocks_know_their_clusters() {
    let rig = Rig::new();
    let ids = kernel(&ptx(&rig), "ids");
    let cases = [
        ([4, 1], Some([2, 1])),
        ([4, 4], Some([2, 2])),
        ([6, 2], Some([3, 1])),
        ([6, 4], Some([1, 4])),
        ([8, 1], Some([8, 1])),
        ([4, 1], Some([1, 1])),
        ([4, 2], None),
    ];
    for (groups, asked) in cases {
        let count = groups[0] * groups[1];
        let out = rig.shared(&vec![u32::MAX; 8 * count]);
        let range = ([32 * groups[0], groups[1]], [32, 1]);
        let properties = asked.map_or(Properties::default(), |[x, y]| cluster([x, y, 1]));
        assert_eq!(rig.run(&ids, &range, &[Arg::Pointer(out.ptr())], properties), None);
        let [cx, cy] = asked.unwrap_or([1, 1]).map(|size| size as usize);
        for (block, found) in words::<u32>(&out).chunks(8).enumerate() {
            let (x, y) = (block % groups[0], block / groups[0]);
            let expected = [
                y / cy * 1000 + x / cx,
                groups[1] / cy * 1000 + groups[0] / cx,
                y % cy * 1000 + x % cx,
                cy * 1000 + cx,
                x % cx + cx * (y % cy),
                cx * cy,
                usize::from(asked.is_some()),
                block,
            ];
            assert_eq!(
                found,
                expected.map(|word| word as u32),
                "{groups:?} {asked:?}, block {block}"
            );
        }
    }
}

#[test]
fn blocks_of_a_cluster_share_memory() {
    let rig = Rig::new();
    let neighbours = kernel(&ptx(&rig), "neighbours");
    for (groups, size) in [(6, 3), (8, 4), (8, 8), (5, 1)] {
        let out = rig.shared(&vec![0_u32; 40 * groups]);
        let range = self::groups(groups, 40);
        let args = [Arg::Pointer(out.ptr())];
        assert_eq!(rig.run(&neighbours, &range, &args, cluster([size as u32, 1, 1])), None);
        for (at, found) in words::<u32>(&out).into_iter().enumerate() {
            let (block, thread) = (at / 40, at % 40);
            let next = block / size * size + (block + 1) % size;
            assert_eq!(
                found as usize,
                1000 * next + thread,
                "{groups} in clusters of {size}: {at}"
            );
        }
    }
}

/// A kernel may say itself how large its clusters are.
#[test]
fn clusters_that_the_kernel_has() {
    let rig = Rig::new();
    let pairs = kernel(&ptx(&rig), "pairs");
    let out = rig.shared(&[0_u32; 4]);
    let range = |count: usize| groups(count, 32);
    let args = [Arg::Pointer(out.ptr())];
    assert_eq!(rig.run(&pairs, &range(4), &args, Properties::default()), None);
    assert_eq!(rig.run(&pairs, &range(4), &args, cluster([2, 1, 1])), None);
    assert_eq!(words::<u32>(&out), [2; 4]);
    let refused = Some(ResultCode::ERROR_INVALID_WORK_GROUP_SIZE);
    assert_eq!(rig.run(&pairs, &range(3), &args, Properties::default()), refused);
    assert_eq!(rig.run(&pairs, &range(4), &args, cluster([4, 1, 1])), refused);
}

#[test]
fn kernels_of_spirv_in_clusters() {
    let rig = Rig::new();
    let numbers = kernel(&il(&rig), "numbers");
    for properties in [Properties::default(), cluster([2, 2, 1]), cluster([4, 1, 1])] {
        let out = rig.shared(&[u32::MAX; 2 * 32 * 8]);
        let range = ([32, 8], [8, 2]);
        assert_eq!(rig.run(&numbers, &range, &[Arg::Pointer(out.ptr())], properties), None);
        for (at, found) in words::<u32>(&out).chunks(2).enumerate() {
            let group = at / 32 / 2 * 4 + at % 32 / 8;
            assert_eq!(found, [at as u32, group as u32]);
        }
    }
}

/// A kernel with barriers has no idle items, so the groups that it requires divide the range, though the client names none.
#[test]
fn ranges_of_required_groups() {
    let rig = Rig::new();
    let whole = kernel(&il(&rig), "whole");
    let out = rig.shared(&[u32::MAX; 2 * 32 * 8]);
    let args = [Arg::Pointer(out.ptr())];
    for range in [Range::new([12, 8]), Range::new([16, 7]), Range::new([1])] {
        let refused = rig.launch(&whole, &range, &args);
        assert_eq!(code(refused), ResultCode::ERROR_INVALID_WORK_GROUP_SIZE);
    }
    rig.queue.finish().expect("urQueueFinish");
    assert_eq!(words::<u32>(&out), [u32::MAX; 2 * 32 * 8]);
    let event = rig.launch(&whole, &Range::new([32, 8]), &args).expect("launch");
    event.wait().expect("urEventWait");
    for (at, found) in words::<u32>(&out).chunks(2).enumerate() {
        assert_eq!(found, [at as u32, (at / 32 / 2 * 4 + at % 32 / 8) as u32]);
    }
}

/// Runs the other half of a test in a process whose log is read; `None` in that process.
fn log_of(test: &str) -> Option<String> {
    const CHILD: &str = "OXUR_CUDA_CLUSTERS";
    if std::env::var_os(CHILD).is_some() {
        return None;
    }
    let variables = [(CHILD, "1"), ("UR_LOG_CUDA", "level:warning;output:stderr")];
    Some(run_test(test, &variables).passed().log)
}

#[test]
fn clusters_that_do_not_fit() {
    let cases: [([usize; 2], [u32; 3]); 8] = [
        ([3, 1], [2, 1, 1]),
        ([4, 3], [2, 2, 1]),
        ([4, 1], [0, 1, 1]),
        ([4, 1], [2, 0, 0]),
        ([4, 1], [1, 2, 1]),
        ([4, 1], [8, 1, 1]),
        ([18, 1], [9, 1, 1]),
        ([4, 4], [1 << 31, 1 << 31, 1]),
    ];
    if let Some(log) = log_of("clusters::clusters_that_do_not_fit") {
        let lines: Vec<&str> = log.lines().filter(|line| line.contains("clusters of")).collect();
        // Each is refused twice.
        assert_eq!(lines.len(), 2 * cases.len(), "{log}");
        assert!(
            lines[0].contains("[2, 1, 1]") && lines[0].contains("[3, 1, 1]"),
            "{log}"
        );
        return;
    }
    let rig = Rig::new();
    let (program, il) = (ptx(&rig), il(&rig));
    let numbers = kernel(&il, "numbers");
    let out = rig.shared(&[u32::MAX; 8 * 32]);
    let args = [Arg::Pointer(out.ptr())];
    for (groups, asked) in cases {
        let range = ([32 * groups[0], groups[1]], [32, 1]);
        for kernel in [&kernel(&program, "ids"), &numbers] {
            let refused = rig.run(kernel, &range, &args, cluster(asked));
            assert_eq!(
                refused,
                Some(ResultCode::ERROR_INVALID_WORK_GROUP_SIZE),
                "{groups:?} {asked:?}"
            );
        }
    }
    assert_eq!(words::<u32>(&out), [u32::MAX; 8 * 32], "none of them has run");
    // The queue goes on.
    let range = ([32, 4], [8, 2]);
    assert_eq!(rig.run(&numbers, &range, &args, cluster([2, 2, 1])), None);
    assert_eq!(words::<u32>(&out)[..4], [0, 0, 1, 0]);
}

/// A launch that has to wait for the host is refused by the call, as any other.
#[test]
fn clusters_behind_the_host() {
    let rig = Rig::new();
    let ids = kernel(&ptx(&rig), "ids");
    let out = rig.shared(&[u32::MAX; 8 * 4]);
    let gate = Gate::new(&rig);
    let args = [Arg::Pointer(out.ptr())];
    let range = |count: usize| groups(count, 32);
    let refused = launch(&rig.queue, &ids, &range(3), &args, cluster([2, 1, 1]), &[&gate.event]);
    assert_eq!(refused, Err(ResultCode::ERROR_INVALID_WORK_GROUP_SIZE));
    let taken = launch(&rig.queue, &ids, &range(4), &args, cluster([2, 1, 1]), &[&gate.event]);
    assert_eq!(taken, Ok(()));
    gate.open();
    rig.queue.finish().expect("urQueueFinish");
    let ranks: Vec<u32> = words::<u32>(&out).chunks(8).map(|block| block[4]).collect();
    assert_eq!(ranks, [0, 1, 0, 1]);
}

#[test]
fn work_group_memory() {
    if let Some(log) = log_of("clusters::work_group_memory") {
        assert!(log.contains("a launch asks for 1048576 bytes of local memory"), "{log}");
        return;
    }
    let rig = Rig::new();
    let turned = kernel(&ptx(&rig), "turned");
    // The kernel has 1024 bytes by itself. All of the device's is more than is there without being asked for.
    let most: u64 = rig.device.info(DeviceInfo::LOCAL_MEM_SIZE).expect("a size");
    for (bytes, in_clusters) in [
        (256, false),
        (4096, true),
        (48 << 10, false),
        (100 << 10, true),
        (most as usize - 1024, false),
    ] {
        let values: Vec<u32> = (0..256).collect();
        let (memory, size) = (rig.shared(&values), rig.shared(&[0_u32]));
        let length = bytes as u32;
        let args = [
            Arg::Pointer(memory.ptr()),
            Arg::value(&length),
            Arg::Pointer(size.ptr()),
        ];
        let properties = Properties {
            cluster: in_clusters.then_some([2, 1, 1]),
            ..self::memory(bytes)
        };
        assert_eq!(rig.run(&turned, &groups(4, 64), &args, properties), None, "{bytes}");
        let expected: Vec<u32> = values
            .chunks(64)
            .flat_map(|group| group.iter().rev().copied())
            .collect();
        assert_eq!(words::<u32>(&memory), expected, "{bytes}");
        assert!(words::<u32>(&size)[0] as usize >= bytes, "{bytes}");
    }
    let (memory, size) = (rig.shared(&[0_u32; 256]), rig.shared(&[0_u32]));
    let bytes = 1_u32 << 20;
    let args = [Arg::Pointer(memory.ptr()), Arg::value(&bytes), Arg::Pointer(size.ptr())];
    let range = groups(4, 64);
    let refused = rig.run(&turned, &range, &args, self::memory(1 << 20));
    assert_eq!(refused, Some(ResultCode::ERROR_OUT_OF_RESOURCES));
    // Sizes that 32 bits do not hold.
    for bytes in [(1 << 32) + 256, usize::MAX] {
        let refused = rig.run(&turned, &range, &args, self::memory(bytes));
        assert_eq!(refused, Some(ResultCode::ERROR_OUT_OF_RESOURCES), "{bytes:#x}");
    }
    assert_eq!(words::<u32>(&size), [0]);
}

/// Work-group memory is behind that of arguments.
#[test]
fn work_group_memory_of_kernels_with_local_arguments() {
    let rig = Rig::new();
    let kernel = rig.kernel("reverse");
    let values: Vec<u32> = (0..256).collect();
    let memory = rig.shared(&values);
    let args = [Arg::Pointer(memory.ptr()), Arg::Local(64 * 4), Arg::Local(64 * 4)];
    let range = groups(4, 64);
    assert_eq!(rig.run(&kernel, &range, &args, self::memory(1000)), None);
    let expected: Vec<u32> = values
        .chunks(64)
        .flat_map(|group| group.iter().rev().copied())
        .collect();
    assert_eq!(words::<u32>(&memory), expected);
    // Together they are too much.
    let most: u64 = rig.device.info(DeviceInfo::LOCAL_MEM_SIZE).expect("a size");
    for bytes in [most as usize - 100, usize::MAX - 400, usize::MAX] {
        let refused = rig.run(&kernel, &range, &args, self::memory(bytes));
        assert_eq!(refused, Some(ResultCode::ERROR_OUT_OF_RESOURCES), "{bytes:#x}");
    }
    for sizes in [[usize::MAX, 64], [64, usize::MAX], [1 << 63, 1 << 63]] {
        let args = [args[0], Arg::Local(sizes[0]), Arg::Local(sizes[1])];
        let refused = rig.run(&kernel, &range, &args, Properties::default());
        assert_eq!(refused, Some(ResultCode::ERROR_OUT_OF_RESOURCES), "{sizes:#x?}");
    }
}

/// The most work-groups of so many items that a cooperative launch of a kernel can have.
fn most_groups(rig: &Rig, kernel: &Kernel, items: usize) -> usize {
    let most = kernel.max_cooperative_groups(&rig.device, &[items], 0);
    most.expect("urKernelSuggestMaxCooperativeGroupCount") as usize
}

#[test]
fn cooperative_launches() {
    if let Some(log) = log_of("clusters::cooperative_launches") {
        let line = log.lines().find(|line| line.contains("COOPERATIVE_LAUNCH_TOO_LARGE"));
        assert!(line.is_some(), "{log}");
        return;
    }
    let rig = Rig::new();
    let kernel = kernel(&ptx(&rig), "together");
    let most = most_groups(&rig, &kernel, 1024);
    assert!(most > 1);
    let (word, out) = (rig.shared(&[0_u32]), rig.shared(&vec![0_u32; most + 1]));
    let args = [Arg::Pointer(word.ptr()), Arg::Pointer(out.ptr())];
    let range = |count: usize| groups(count, 1024);
    // All of them wait for each other.
    assert_eq!(rig.run(&kernel, &range(most), &args, COOPERATIVE), None);
    assert_eq!(words::<u32>(&out)[..most], vec![most as u32; most]);
    assert_eq!(words::<u32>(&word), [most as u32]);
    // One more would never run at the same time.
    let refused = rig.run(&kernel, &range(most + 1), &args, COOPERATIVE);
    assert_eq!(refused, Some(ResultCode::ERROR_INVALID_WORK_GROUP_SIZE));
    assert_eq!(words::<u32>(&word), [most as u32]);
    // In clusters, too.
    let word = rig.shared(&[0_u32]);
    let args = [Arg::Pointer(word.ptr()), args[1]];
    let both = Properties {
        cluster: Some([2, 1, 1]),
        ..COOPERATIVE
    };
    assert_eq!(rig.run(&kernel, &range(8), &args, both), None);
    assert_eq!(words::<u32>(&out)[..8], [8; 8]);
}

/// Barriers of all work-groups: the adapter has to launch such kernels so, whether it is asked for that or not.
#[test]
fn kernels_with_barriers_of_the_device() {
    let rig = Rig::new();
    let meet = kernel(&il(&rig), "meet");
    let most = most_groups(&rig, &meet, 32);
    let range = |count: usize| groups(count, 32);
    for (groups, properties) in [
        (1, COOPERATIVE),
        (8, Properties::default()),
        (8, COOPERATIVE),
        (8, cluster([4, 1, 1])),
    ] {
        let (out, own) = (rig.shared(&vec![0_u32; 32 * groups]), rig.shared(&vec![0_u32; groups]));
        let args = [Arg::Pointer(out.ptr()), Arg::Pointer(own.ptr()), Arg::Local(4 * 32)];
        assert_eq!(rig.run(&meet, &range(groups), &args, properties), None, "{groups}");
        for (at, found) in words::<u32>(&out).into_iter().enumerate() {
            let (group, item) = (at / 32, at % 32);
            let expected = 100_000 * ((group + 1) % groups + 1) + 1000 * group + item;
            assert_eq!(found as usize, expected, "{groups}: {at}");
        }
    }
    let (out, own) = (rig.shared(&[0_u32]), rig.shared(&[0_u32]));
    let args = [Arg::Pointer(out.ptr()), Arg::Pointer(own.ptr()), Arg::Local(4 * 32)];
    let refused = rig.run(&meet, &range(most + 1), &args, Properties::default());
    assert_eq!(refused, Some(ResultCode::ERROR_INVALID_WORK_GROUP_SIZE));
    assert_eq!(words::<u32>(&own), [0]);
}
