// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kernels that begin with quick code: they get better code, nothing changes in what they compute, and a process may fork or
//! exit while that is compiled.

mod support;

use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use oxur_compiler::{CacheConfig, Kernel, Launch, Module, NdRange, Options, Part, Program, ThreadContext, Tier};

/// `p[i] = sin(p[i] * p[i] + p[i])`: a product that is contracted, and a function of which there is a vector variant.
const TEXT: &str = "
    OpEntryPoint Kernel %k \"k\" %gid
    OpDecorate %gid BuiltIn GlobalInvocationId
    OpDecorate %gid Constant
    %pointer_to_ids = OpTypePointer Input %long3
    %gid = OpVariable %pointer_to_ids Input
    %type = OpTypeFunction %void %global_double
    %k = OpFunction %void None %type
    %p = OpFunctionParameter %global_double
    %entry = OpLabel
    %ids = OpLoad %long3 %gid
    %id = OpCompositeExtract %long %ids 0
    %at = OpInBoundsPtrAccessChain %global_double %p %id
    %x = OpLoad %double %at Aligned 8
    %square = OpFMul %double %x %x
    %sum = OpFAdd %double %square %x
    %result = OpExtInst %double %cl sin %sum
    OpStore %at %result Aligned 8
    OpReturn
    OpFunctionEnd
";

/// The same, but for numbers that items exchange with the first of their group, behind a barrier.
const EXCHANGE: &str = "
    OpEntryPoint Kernel %k \"k\" %gid %lid
    OpDecorate %gid BuiltIn GlobalInvocationId
    OpDecorate %lid BuiltIn LocalInvocationId
    %pointer_to_ids = OpTypePointer Input %long3
    %gid = OpVariable %pointer_to_ids Input
    %lid = OpVariable %pointer_to_ids Input
    %c256 = OpConstant %int 256
    %c264 = OpConstant %int 264
    %zero = OpConstant %long 0
    %tile_type = OpTypeArray %double %c256
    %tile_pointer = OpTypePointer Workgroup %tile_type
    %in_tile = OpTypePointer Workgroup %double
    %tile = OpVariable %tile_pointer Workgroup
    %type = OpTypeFunction %void %global_double
    %k = OpFunction %void None %type
    %p = OpFunctionParameter %global_double
    %entry = OpLabel
    %ids = OpLoad %long3 %gid
    %id = OpCompositeExtract %long %ids 0
    %local_ids = OpLoad %long3 %lid
    %local_id = OpCompositeExtract %long %local_ids 0
    %at = OpInBoundsPtrAccessChain %global_double %p %id
    %x = OpLoad %double %at Aligned 8
    %mine = OpInBoundsAccessChain %in_tile %tile %local_id
    OpStore %mine %x Aligned 8
    OpControlBarrier %i2 %i2 %c264
    %first = OpInBoundsAccessChain %in_tile %tile %zero
    %y = OpLoad %double %first Aligned 8
    %square = OpFMul %double %x %y
    %sum = OpFAdd %double %square %x
    %result = OpExtInst %double %cl sin %sum
    OpStore %at %result Aligned 8
    OpReturn
    OpFunctionEnd
";

const ITEMS: u64 = 1000;
/// Groups that fill all lanes, and groups that leave a rest, which have other code.
const SIZES: [u64; 2] = [200, 100];

fn kernel(tier: Tier, cache: CacheConfig) -> Arc<Kernel> {
    kernel_of(TEXT, tier, cache)
}

fn kernel_of(text: &str, tier: Tier, cache: CacheConfig) -> Arc<Kernel> {
    let words = support::assemble(&support::whole(text), "1.4").unwrap();
    let options = Options {
        tier,
        cache,
        ..Options::default()
    };
    let program = Program::link(&[Part::new(Module::parse(&words).unwrap())], &options).unwrap();
    program.kernel("k").unwrap()
}

fn range(size: u64) -> NdRange {
    NdRange {
        dimensions: 1,
        global_offset: [0; 3],
        global_size: [ITEMS, 1, 1],
        local_size: [size, 1, 1],
    }
}

/// Runs a kernel. Returns what it computed, and whether a run now would be one of quick code.
fn run(kernel: &Kernel, size: u64) -> (Vec<u64>, bool) {
    let mut numbers: Vec<f64> = (0..ITEMS).map(|i| i as f64 / 7.0 - 50.0).collect();
    let range = kernel.prepare(range(size)).unwrap();
    let launch = Launch {
        args: &(numbers.as_mut_ptr() as u64).to_ne_bytes(),
        range,
        local_memory: kernel.info().local_memory,
    };
    // SAFETY: the argument is a pointer to a number for each item.
    unsafe { kernel.run(&launch, 0..ITEMS / size, &mut ThreadContext::new()) }.unwrap();
    let bits = numbers.into_iter().map(f64::to_bits).collect();
    (bits, kernel.is_quick(&range))
}

fn run_until_best(kernel: &Kernel, size: u64, expected: &[u64]) {
    loop {
        let (found, is_quick) = run(kernel, size);
        assert!(found == expected, "the result changes");
        if !is_quick {
            // That one was, perhaps, the last of quick code.
            assert!(run(kernel, size).0 == expected, "the best code computes something else");
            return;
        }
    }
}

#[test]
fn kernels_get_better_code_while_threads_run_them() {
    for size in SIZES {
        let (expected, _) = run(&kernel(Tier::Best, CacheConfig::off()), size);
        let hot = kernel(Tier::Adaptive, CacheConfig::off());
        assert_eq!(hot.lanes(), 1, "it begins with quick code");
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| run_until_best(&hot, size, &expected));
            }
        });
        // Other ranges need other code.
        for other in SIZES {
            let (expected, _) = run(&kernel(Tier::Best, CacheConfig::off()), other);
            run_until_best(&hot, other, &expected);
        }
    }
}

/// Groups of a size that a launch has become one vector each while threads run them, one size after the other; the next process has the
/// code from its first launch.
#[test]
fn hot_groups_become_vectors() {
    let folder = std::env::temp_dir().join(format!("oxur-groups-{}", std::process::id()));
    let cache = || CacheConfig::at(&folder);
    let new = |tier, cache| kernel_of(EXCHANGE, tier, cache);
    let lanes = |kernel: &Kernel, size| u64::from(kernel.lanes_for(&kernel.prepare(range(size)).unwrap()));
    let hot = new(Tier::Adaptive, cache());
    // The last items of a range that is no multiple of the groups are not run.
    for size in [32, 128] {
        let expected = run(&new(Tier::Quick, CacheConfig::off()), size).0;
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    while lanes(&hot, size) != size {
                        assert!(run(&hot, size).0 == expected, "the result changes");
                    }
                    assert!(run(&hot, size).0 == expected, "the vector computes something else");
                });
            }
        });
        let second = new(Tier::Adaptive, cache());
        assert_eq!(lanes(&second, size), size, "the code of whole groups is kept");
        assert!(run(&second, size).0 == expected);
        // The best tier has it for the second launch.
        let best = new(Tier::Best, CacheConfig::off());
        assert!(lanes(&best, size) < size && run(&best, size).0 == expected);
        assert_eq!(lanes(&best, size), size);
        assert!(run(&best, size).0 == expected);
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn the_second_process_gets_the_best_code() {
    let folder = std::env::temp_dir().join(format!("oxur-tiers-{}", std::process::id()));
    let cache = || CacheConfig::at(&folder);
    let first = kernel(Tier::Adaptive, cache());
    assert!(
        first.lanes() == 1 && !first.is_from_cache(),
        "it begins with quick code"
    );
    let (expected, _) = run(&first, SIZES[0]);
    for size in SIZES {
        assert!(run(&first, size).0 == expected);
        // So short a time never makes a kernel hot, but the process is idle now.
        let deadline = Instant::now() + Duration::from_secs(240);
        while first.is_quick(&first.prepare(range(size)).unwrap()) {
            assert!(Instant::now() < deadline, "nobody compiles the best code");
            std::thread::sleep(Duration::from_millis(1));
        }
        let last = run(&first, size);
        assert!(last == (expected.clone(), false), "the best code is not used");
    }
    let second = kernel(Tier::Adaptive, cache());
    for size in SIZES {
        assert!(second.is_from_cache() && !run(&second, size).1, "the best code is kept");
    }
    assert!(kernel(Tier::Quick, cache()).is_from_cache());
    std::fs::remove_dir_all(&folder).unwrap();
}

/// The variable that tells this program to be the process that a test starts.
const HOT: &str = "OXUR_TEST_HOT";

/// Not a test, but the process of the ones below: makes a kernel hot and then, while that may be compiled, forks and exits.
#[test]
fn process() {
    let Ok(launches) = std::env::var(HOT) else { return };
    let hot = kernel(Tier::Adaptive, CacheConfig::off());
    let (expected, _) = run(&hot, SIZES[0]);
    for _ in 0..launches.parse().unwrap() {
        run(&hot, SIZES[0]);
    }
    // SAFETY: the child uses nothing but the compiler, which supports that, and leaves by `exit`.
    unsafe {
        let child = libc::fork();
        if child == 0 {
            run_until_best(&hot, SIZES[0], &expected);
            libc::exit(0);
        }
        let mut status = -1;
        assert_eq!(libc::waitpid(child, &mut status, 0), child);
        assert_eq!(status, 0, "the child");
        // A second kernel is compiled when the process ends.
        let other = kernel(Tier::Adaptive, CacheConfig::off());
        for _ in 0..launches.parse().unwrap() {
            run(&other, SIZES[1]);
        }
        libc::exit(0);
    }
}

#[test]
fn processes_fork_and_exit_while_it_is_compiled() {
    // From before the compilation to after its end.
    for launches in (0..16).map(|i| i * i * 16) {
        let this = std::env::current_exe().unwrap();
        let mut command = Command::new(this);
        let output = command
            .args(["--exact", "process", "--nocapture"])
            .env(HOT, launches.to_string())
            .output();
        support::check(&format!("{launches} launches"), &output.unwrap()).unwrap();
    }
}
