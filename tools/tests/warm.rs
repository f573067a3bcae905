// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `oxur cache warm` with a program that runs kernels, on the libraries of `dist/lib` or `OXUR_LIB`. The program is this one.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use oxur_conformance::client::{Arg, Kernel, Program, Range};
use oxur_conformance::{Rig, values};
use oxur_conformance_support::spirv;

/// Names what the program does, if this process is the program.
const PROGRAM: &str = "OXUR_WARM_PROGRAM";

#[test]
fn the_program() {
    let Some(what) = std::env::var_os(PROGRAM) else { return };
    let rig = Rig::new();
    match what.to_str() {
        Some("kernels") => run_kernels(&rig),
        Some("dies") => {
            run_kernels(&rig);
            // SAFETY: has no preconditions.
            unsafe { libc::raise(libc::SIGKILL) };
        }
        Some("no kernel") => {}
        other => panic!("{other:?}"),
    }
}

/// Launches kernels in groups of several sizes, each once.
fn run_kernels(rig: &Rig) {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels");
    let module = spirv(&tests, Path::new(env!("CARGO_TARGET_TMPDIR")), "warm");
    let program = Program::with_il(&rig.context, &module).expect("urProgramCreateWithIL");
    program.build(&rig.context, "").expect("urProgramBuild");
    let [add, tree] = ["add", "tree"].map(|name| Kernel::new(&program, name).expect("urKernelCreate"));
    let [a, b, c] = [1, 2, 0].map(|n| rig.shared(&[n; 1000]));
    let pointers = [&a, &b, &c].map(|memory| Arg::Pointer(memory.ptr()));
    for range in [Range::new([1000]).local([100]), Range::new([999]).local([9])] {
        rig.run(&add, &range, &pointers);
    }
    assert_eq!(values::<i32>(&c), [3; 1000]);
    // A group of it can be one vector if its size is known: code that hot kernels get.
    for size in [64, 32, 48] {
        let (numbers, sums) = (rig.shared(&[1f32; 192]), rig.shared(&[0f32; 192]));
        let arguments = [
            Arg::Pointer(numbers.ptr()),
            Arg::Pointer(sums.ptr()),
            Arg::Local(4 * size),
        ];
        rig.run(&tree, &Range::new([192]).local([size]), &arguments);
        assert_eq!(values::<f32>(&sums)[..192 / size], vec![size as f32; 192 / size]);
    }
}

fn libraries() -> PathBuf {
    let named = std::env::var_os("OXUR_LIB").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../dist/lib"));
    assert!(folder.join("libur_adapter_cpu.so.0").exists(), "run `make dist`");
    folder.canonicalize().expect("the libraries")
}

/// A cache that is removed when the test ends.
struct Cache(PathBuf);

impl Cache {
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("warm-{name}"));
        _ = fs::remove_dir_all(&folder);
        Self(folder)
    }

    /// Runs the program below a command of `oxur`.
    fn run(&self, command: &[&str], program: &str, tier: &str) -> Ran {
        let lib = libraries();
        let output = Command::new(env!("CARGO_BIN_EXE_oxur"))
            .args(command)
            .args(["--adapter", "cpu", "--"])
            .arg(std::env::current_exe().expect("this program"))
            .args(["--exact", "the_program", "--nocapture"])
            .env("OXUR_LIB", &lib)
            .env("OXUR_TEST_LOADER", lib.join("libur_loader.so.0"))
            .env("OCL_ICD_VENDORS", "/nonexistent")
            .env("UR_CPU_CACHE", &self.0)
            .env("UR_CPU_TIER", tier)
            .env(PROGRAM, program)
            .env_remove("UR_CPU_CACHE_SIZE")
            .env_remove("UR_CPU_TARGET")
            .output();
        Ran::new(&output.expect("the command runs"))
    }

    fn warm(&self, program: &str) -> Ran {
        self.run(&["cache", "warm"], program, "")
    }

    /// The files of compiled code.
    fn entries(&self) -> BTreeSet<PathBuf> {
        let files = |folder: &Path| -> Vec<PathBuf> {
            let listed = fs::read_dir(folder).into_iter().flatten();
            listed.map(|entry| entry.expect("an entry").path()).collect()
        };
        let shards = files(&self.0).into_iter().filter(|path| path.is_dir());
        let all = shards.flat_map(|shard| files(&shard));
        all.map(|path| path.strip_prefix(&self.0).expect("in the folder").to_owned())
            .collect()
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.0);
    }
}

#[derive(Debug)]
struct Ran {
    code: Option<i32>,
    signal: Option<i32>,
    out: String,
    err: String,
}

impl Ran {
    fn new(output: &Output) -> Self {
        Self {
            code: output.status.code(),
            signal: output.status.signal(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Asserts that the program has passed, and returns the last line on standard error.
    #[track_caller]
    fn last_line(&self) -> &str {
        assert!(self.code == Some(0) && self.out.contains("1 passed"), "{self:#?}");
        self.err.lines().last().unwrap_or_default()
    }
}

#[test]
fn later_runs_compile_nothing() {
    let cache = Cache::new("later");
    let first = cache.warm("kernels");
    let all = cache.entries();
    let begin = format!("oxur: added {} entries, ", all.len());
    let line = first.last_line();
    let is_right = line.starts_with(&begin) && line.ends_with(&format!("KiB to {}", cache.0.display()));
    assert!(is_right && all.len() >= 6, "{line}\n{begin}");
    assert!(first.err.contains("\noxur: UR_CPU_TIER=all\n"), "{first:#?}");

    let second = cache.warm("kernels");
    let expected = format!(
        "oxur: added nothing to {}, because all is there: {} entries were there already",
        cache.0.display(),
        all.len()
    );
    assert_eq!(second.last_line(), expected);
    // Quick code would be an entry, too.
    for tier in ["adaptive", "best"] {
        cache.run(&["run"], "kernels", tier).last_line();
        assert_eq!(cache.entries(), all, "{tier}");
    }
    // The best tier compiles code for one size of groups for a second launch of that size only.
    let other = Cache::new("best");
    other.run(&["run"], "kernels", "best").last_line();
    let best = other.entries();
    assert!(
        best.is_subset(&all) && best.len() + 3 == all.len(),
        "{best:#?}\n{all:#?}"
    );

    // What is missing is added, and the rest is found.
    let lost = best.first().expect("an entry");
    fs::remove_file(cache.0.join(lost)).expect("it is there");
    let third = cache.warm("kernels");
    let line = third.last_line();
    assert!(line.starts_with("oxur: added 1 entry, "), "{line}");
    assert!(
        line.ends_with(&format!("; {} entries were there already", all.len() - 1)),
        "{line}"
    );
}

#[test]
fn a_program_that_is_killed() {
    let cache = Cache::new("killed");
    let ran = cache.warm("dies");
    assert_eq!((ran.code, ran.signal), (None, Some(libc::SIGKILL)), "{ran:#?}");
    let last = ran.err.lines().last().unwrap_or_default();
    assert!(
        last.starts_with(&format!("oxur: added {} entries", cache.entries().len())),
        "{ran:#?}"
    );
}

#[test]
fn a_program_without_kernels() {
    let cache = Cache::new("without");
    let ran = cache.warm("no kernel");
    let expected = format!(
        "oxur: added nothing to {}, because the program used no kernel",
        cache.0.display()
    );
    assert_eq!(ran.last_line(), expected);
}
