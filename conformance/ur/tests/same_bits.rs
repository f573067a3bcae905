// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The CPU adapter computes the same bits with any number of threads: which threads run a work-group, and how many groups
//! they take at a time, must not decide about the order of operations in a group.
//!
//! The machine may have fewer CPUs than the test wants threads, and the adapter starts no more threads than it has CPUs. So
//! some processes load a library that claims more CPUs. The threads then share the real ones.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use oxur_conformance::api::*;
use oxur_conformance::client::{Arg, Kernel, Plain, Range, Usm};
use oxur_conformance::{Rig, run_test, values};

/// Set in the processes that compute; says how many threads there should be.
const CHILD: &str = "OXUR_TEST_SAME_BITS";
/// How a line of such a process begins that has a result.
const RESULT: &str = "bits: ";

/// Claims to run on 16 CPUs.
const SIXTEEN_CPUS: &str = "
#include <stddef.h>
#include <string.h>
int sched_getaffinity(int thread, size_t size, void *mask) {
  (void)thread;
  memset(mask, 0, size);
  memset(mask, 0xff, 2);
  return 0;
}
";

/// The library of [`SIXTEEN_CPUS`].
fn sixteen_cpus() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/kernels");
    std::fs::create_dir_all(&folder).expect("the folder of compiled kernels");
    let with = |name: String| folder.join(name);
    let library = with("sixteen_cpus.so".to_owned());
    // Other processes and threads may do the same at the same time: each has files of its own, and the last rename wins.
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let own = format!("{}-{}", std::process::id(), CALLS.fetch_add(1, Ordering::Relaxed));
    let (source, new) = (
        with(format!("sixteen_cpus-{own}.c")),
        with(format!("sixteen_cpus-{own}.so")),
    );
    std::fs::write(&source, SIXTEEN_CPUS).expect("the folder of compiled kernels");
    let mut command = Command::new("cc");
    command.args(["-shared", "-fPIC", "-o"]).arg(&new).arg(&source);
    assert!(
        command.status().expect("cc, which linked this test").success(),
        "{command:?}"
    );
    std::fs::remove_file(&source).expect("the source");
    std::fs::rename(&new, &library).expect("the library");
    library.canonicalize().expect("the library")
}

/// FNV-1a of values' bytes.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
    })
}

/// Numbers of all sizes below 1000, with many digits.
fn numbers(count: usize) -> Vec<f32> {
    (0..count as u32)
        .map(|i| (i.wrapping_mul(2_654_435_761) >> 8) as f32 / 16777.3)
        .collect()
}

/// A rig with a program, and the hashes of the results so far.
struct Computation {
    rig: Rig,
    program: oxur_conformance::client::Program,
}

impl Computation {
    fn kernel(&self, name: &str) -> Kernel {
        Kernel::new(&self.program, name).expect("urKernelCreate")
    }

    /// Prints a hash of what a kernel leaves in `outputs`, which it is given again for each of a few launches.
    fn launch<T: Plain + Default>(
        &self,
        name: &str,
        range: Range,
        rest: &[Arg],
        in_: &Usm,
        lengths: &[usize],
    ) -> Vec<Usm> {
        let kernel = self.kernel(name);
        let mut last = None;
        for round in 0..4 {
            let outputs: Vec<Usm> = lengths
                .iter()
                .map(|length| self.rig.shared(&vec![T::default(); *length]))
                .collect();
            let mut args = vec![Arg::Pointer(in_.ptr())];
            args.extend(outputs.iter().map(|usm| Arg::Pointer(usm.ptr())));
            args.extend_from_slice(rest);
            self.rig.run(&kernel, &range, &args);
            let bits: Vec<u64> = outputs.iter().map(|usm| hash(values::<u8>(usm))).collect();
            println!("{RESULT}{name} {:?} {:?} {bits:x?}", range.global, range.local);
            assert!(
                last.as_ref().is_none_or(|last| *last == bits),
                "{name}: launch {round} computes other bits"
            );
            last = Some(bits);
            if round == 3 {
                return outputs;
            }
        }
        unreachable!("the last round returns")
    }

    fn all(&self) {
        let count = 100_003;
        let float = self.rig.shared(&numbers(count));
        let near = |found: f32, expected: f64| {
            assert!(
                (f64::from(found) - expected).abs() < 1e-4 * expected.abs().max(1.0),
                "{found} {expected}"
            )
        };
        let exact = |items: &[f32]| items.iter().map(|x| f64::from(*x)).sum::<f64>();
        let numbers = numbers(count);

        for (groups, size) in [(1001, 64), (997, 33), (3, 255), (1, 100)] {
            let range = Range::new([groups * size]).local([size]);
            let sums = self.launch::<f32>("tree", range, &[Arg::Local(4 * size)], &float, &[groups]);
            for (sum, items) in values::<f32>(&sums[0]).iter().zip(numbers.chunks(size)) {
                near(*sum, exact(items));
            }
            let both = self.launch::<f32>("group_sums", range, &[], &float, &[groups * size; 2]);
            for (sums, items) in values::<f32>(&both[0]).chunks(size).zip(numbers.chunks(size)) {
                near(sums[0], exact(items));
                assert!(
                    sums.iter().all(|sum| sum.to_bits() == sums[0].to_bits()),
                    "one sum for a group"
                );
            }
            for (prefixes, items) in values::<f32>(&both[1]).chunks(size).zip(numbers.chunks(size)) {
                near(prefixes[size - 1], exact(items));
            }
            self.launch::<f32>("sub_group_sums", range, &[], &float, &[groups * size; 2]);
        }
        // From here on the adapter chooses the groups' size. It must not depend on the number of threads where a kernel could tell.
        for count in [640, 1000, 9973, 100_000] {
            self.launch::<f32>("group_sums", Range::new([count]), &[], &float, &[count; 2]);
            self.launch::<f32>("sub_group_sums", Range::new([count]), &[], &float, &[count; 2]);
        }
        for (width, height) in [(count, 1), (317, 311), (1, 1013), (1009, 3), (64, 64)] {
            self.launch::<f32>("math", Range::new([width, height]), &[], &float, &[width * height]);
        }
        let offset = Range::new([9973]).offset([13]);
        self.launch::<f64>("math_double", offset, &[], &float, &[9973]);
        self.launch::<f32>("uneven", Range::new([20_011]), &[], &float, &[20_011]);

        let integers: Vec<u32> = (0..count as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
        let found = self.launch::<u32>("counts", Range::new([count]), &[], &self.rig.shared(&integers), &[83]);
        let mut expected = [0u32; 83];
        for value in integers {
            let at = |base: usize, modulo: u32| base + (value % modulo) as usize;
            expected[at(0, 61)] = expected[at(0, 61)].wrapping_add(value);
            expected[at(61, 7)] ^= value;
            expected[at(68, 11)] = expected[at(68, 11)].max(value);
            expected[at(79, 3)] = expected[at(79, 3)].min(!value);
            expected[82] += 1;
        }
        assert_eq!(values::<u32>(&found[0]), expected);
    }
}

/// The results of a process with this many threads.
fn results(test: &str, threads: &str, tier: &str, preload: Option<&Path>) -> Vec<String> {
    let mut variables = vec![(CHILD, threads), ("UR_CPU_THREADS", threads), ("UR_CPU_TIER", tier)];
    let preload = preload.map(|path| path.to_str().expect("a path in UTF-8"));
    variables.extend(preload.map(|path| ("LD_PRELOAD", path)));
    let ended = run_test(test, &variables).passed();
    let lines = ended.out.lines().filter_map(|line| line.split_once(RESULT));
    lines.map(|(_, result)| result.to_owned()).collect()
}

fn test(name: &str, tier: &str) {
    let rig = Rig::new();
    let platform: String = rig.platform.info(PlatformInfo::NAME).expect("the name");
    if platform != "oxur CPU" {
        println!("this is {platform}, not our CPU adapter");
        return;
    }
    if let Ok(threads) = std::env::var(CHILD) {
        let units: u32 = rig.device.info(DeviceInfo::MAX_COMPUTE_UNITS).expect("a number");
        assert_eq!(units.to_string(), threads, "the threads that the test wants");
        let program = rig.program("same_bits");
        Computation { rig, program }.all();
        return;
    }
    let library = sixteen_cpus();
    let expected = results(name, "1", tier, None);
    assert!(!expected.is_empty(), "the process prints its results");
    for threads in ["2", "3", "7", "16"] {
        let found = results(name, threads, tier, Some(&library));
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found, expected, "{threads} threads");
        }
        assert_eq!(found.len(), expected.len());
    }
    // Two threads on two CPUs are placed by the adapter, and the client's thread is more likely to help.
    if std::thread::available_parallelism().is_ok_and(|cpus| cpus.get() >= 2) {
        assert_eq!(
            results(name, "2", tier, None),
            expected,
            "2 threads on CPUs of their own"
        );
    }
}

#[test]
fn with_any_number_of_threads() {
    test("same_bits::with_any_number_of_threads", "best");
}

#[test]
fn of_quick_code_with_any_number_of_threads() {
    test("same_bits::of_quick_code_with_any_number_of_threads", "quick");
}
