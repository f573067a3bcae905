// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Every function of the driver fails, one call at a time (`FAKE_CUDA_FAIL`), while a [program](scenario) uses the adapter. The program
//! ends, some call or event has an error, or what was done instead is right; the log says which function it was; the program runs
//! again in the same process, without errors, and leaves no objects behind that a process without failures does not leave.
//!
//! `OXUR_CUDA_FAILURES=NAME[:N[:CODE]]` runs one case, where `each` for `N` stands for all calls of a function;
//! `OXUR_CUDA_FAILURES=all` has more calls of each function than the test has by default.

mod scenario;

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int};
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use oxur_client::observe_errors;
use oxur_conformance_support::{Ended, run_test};

const CHILD: &str = "OXUR_CUDA_SCENARIO";
const BYTES: &str = "OXUR_CUDA_BYTES";
const BASELINE: &str = "OXUR_CUDA_BASELINE";

/// How long a process may take. One takes less than a second.
const LIMIT: Duration = Duration::from_secs(240);

/// How long it may take until objects that end in other threads have gone.
const SETTLES: Duration = Duration::from_secs(120);

/// What the processes are like in which a function fails: their variables.
const MACHINES: [&[(&str, &str)]; 4] = [
    &[],
    &[("FAKE_CUDA_DEVICES", "2"), ("FAKE_CUDA_PEERS", "0")],
    &[("FAKE_CUDA_DEVICES", "2")],
    &[("UR_CUDA_IPC", "1")],
];

/// Functions that nothing calls here, and why.
const UNUSED: [(&str, &str); 8] = [
    (
        "cuDevicePrimaryCtxRelease",
        "contexts stay, but where they cannot be used",
    ),
    ("cuEventDestroy", "events are used again, up to a thousand"),
    ("cuFuncGetModule", "nothing in the adapter does"),
    (
        "cuGraphAddChildGraphNode",
        "there are no nodes of a client's own (`native_graphs.rs`)",
    ),
    ("cuGraphClone", "the same"),
    ("cuGraphGetNodes", "the same"),
    ("cuLaunchKernel", "launches are by `cuLaunchKernelEx`"),
    ("cuMemPoolDestroy", "pools go only where they cannot be made"),
];

/// Functions that take something away: one that fails leaves that behind. So does the end of an object whose context cannot be
/// made current.
fn takes_away(function: &str) -> bool {
    [
        "Destroy",
        "Free",
        "Release",
        "Unmap",
        "Unload",
        "Unregister",
        "CloseMemHandle",
    ]
    .iter()
    .any(|word| function.contains(word))
}

/// What the driver without a GPU says of itself.
#[derive(Clone, Default)]
struct Report {
    objects: BTreeMap<String, i64>,
    /// Calls, and how many of them failed because they were told to.
    functions: BTreeMap<String, (u64, u64)>,
}

impl Report {
    fn parse(text: &str) -> Self {
        let mut report = Self::default();
        for line in text.lines() {
            if let Some((kind, count)) = line.strip_prefix("object ").and_then(|rest| rest.rsplit_once(' ')) {
                report.objects.insert(kind.to_owned(), count.parse().expect("a number"));
            } else if let Some(rest) = line.strip_prefix("function ") {
                let words: Vec<&str> = rest.split(' ').collect();
                let number = |at: usize| words[at].parse().expect("a number");
                report.functions.insert(words[0].to_owned(), (number(1), number(2)));
            }
        }
        report
    }

    /// That of this process.
    fn now() -> Self {
        unsafe extern "C" {
            safe fn dlopen(name: *const c_char, flags: c_int) -> *mut std::ffi::c_void;
            safe fn dlsym(library: *mut std::ffi::c_void, name: *const c_char) -> *mut std::ffi::c_void;
        }
        type Write = unsafe extern "C" fn(*mut u8, usize) -> usize;
        let find = |library: &CStr, name: &CStr| dlsym(dlopen(library.as_ptr(), 1), name.as_ptr());
        let function = find(c"libcuda.so.1", c"fake_cuda_report");
        assert!(!function.is_null(), "the driver is another one");
        // SAFETY: the function has this type, and room for so many bytes.
        let text = unsafe {
            let write = std::mem::transmute::<*mut std::ffi::c_void, Write>(function);
            let mut text = vec![0_u8; 1 << 16];
            let length = write(text.as_mut_ptr(), text.len());
            text.truncate(length);
            text
        };
        Self::parse(&String::from_utf8(text).expect("text"))
    }

    fn text(&self) -> String {
        let objects = self
            .objects
            .iter()
            .map(|(kind, count)| format!("object {kind} {count}\n"));
        let functions = self.functions.iter();
        let functions = functions.map(|(name, (calls, failed))| format!("function {name} {calls} {failed}\n"));
        objects.chain(functions).collect()
    }

    /// What a failure of a function has left behind, by kind.
    fn left(&self, baseline: &Self, function: &str) -> Vec<(String, i64)> {
        let may_be_left = i64::from(takes_away(function) || function.starts_with("cuCtx"));
        let mut left = self.beyond(baseline);
        left.retain(|(_, count)| *count > may_be_left);
        left
    }

    /// What there is more of than in another one, by kind. How many events wait to be used again depends on the hour.
    fn beyond(&self, other: &Self) -> Vec<(String, i64)> {
        let slack = |kind: &str| if kind == "events" { 16 } else { 0 };
        let more = |(kind, count): (&String, &i64)| {
            let more = count - other.objects.get(kind).copied().unwrap_or(0) - slack(kind);
            (more > 0).then(|| (kind.clone(), more))
        };
        self.objects.iter().filter_map(more).collect()
    }
}

/// The other process: runs the program twice.
#[test]
fn one_process() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    unsafe extern "C" {
        safe fn sched_setaffinity(process: c_int, size: usize, cpus: *const u64) -> c_int;
    }
    // How many threads copy depends on the machine.
    let first_cpus = 0b11_u64;
    _ = sched_setaffinity(0, size_of_val(&first_cpus), &first_cpus);
    let began = Instant::now();
    std::thread::spawn(move || {
        std::thread::sleep(LIMIT.saturating_sub(began.elapsed()));
        eprintln!("the part {:?} hangs", scenario::PART.lock());
        std::process::abort();
    });
    observe_errors(|function, code| {
        println!("error: {} {code:?} in {:?}", function.name, scenario::PART.lock());
        scenario::ERRORS.fetch_add(1, Ordering::Relaxed);
    });
    let baseline = std::env::var(BASELINE).ok().map(|text| Report::parse(&text));
    scenario::run();
    let failed: u64 = Report::now().functions.values().map(|(_, failed)| failed).sum();
    println!(
        "first: {} errors\nhit: {failed} calls",
        scenario::ERRORS.load(Ordering::Relaxed)
    );
    if baseline.is_none() {
        print!("first round\n{}second round\n", Report::now().text());
    }
    // A driver that could not be opened stays away.
    let is_there = scenario::NO_DEVICE.load(Ordering::Relaxed) == 0;
    if is_there {
        scenario::ERRORS.store(0, Ordering::Relaxed);
        scenario::run();
        println!("second: {} errors", scenario::ERRORS.load(Ordering::Relaxed));
    }
    println!("wrong: {}", scenario::WRONG.load(Ordering::Relaxed));
    // Some objects end in other threads.
    let since = Instant::now();
    let mut report = Report::now();
    let mut settled = 0;
    let fails = std::env::var("FAKE_CUDA_FAIL").unwrap_or_default();
    let fails = fails.split(':').next().unwrap_or_default();
    while since.elapsed() < SETTLES && settled < 10 {
        std::thread::sleep(Duration::from_millis(10));
        let next = Report::now();
        settled = match &baseline {
            Some(baseline) if next.left(baseline, fails).is_empty() => 10,
            Some(_) => 0,
            None if next.objects == report.objects => settled + 1,
            None => 0,
        };
        report = next;
    }
    print!("{}", report.text());
}

/// The other process that gives memory to those of a machine, until its standard input ends.
#[test]
fn gives_memory() {
    if std::env::var(BYTES).is_ok_and(|text| text == "give") {
        let give = |bytes: &[u8]| {
            println!(
                "bytes: {}",
                bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>()
            );
            _ = std::io::stdin().read(&mut [0]);
        };
        scenario::give_memory(give).expect("memory");
    }
}

/// The bytes that another process has given.
fn bytes_of_another() -> Option<Vec<u8>> {
    let text = std::env::var(BYTES).ok()?;
    let byte = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).expect("two digits");
    Some((0..text.len()).step_by(2).map(byte).collect())
}

/// A process that gives memory, the bytes, and its output, which it may write to.
struct Giver(
    Child,
    String,
    #[expect(dead_code, reason = "it stays open")] BufReader<ChildStdout>,
);

impl Giver {
    fn new() -> Self {
        let mut child = Command::new("/proc/self/exe")
            .args(["--exact", "failures::gives_memory", "--nocapture"])
            .envs([(BYTES, "give"), ("UR_CUDA_IPC", "1")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("this program runs");
        let mut output = BufReader::new(child.stdout.take().expect("its output"));
        let lines = output.by_ref().lines();
        let bytes = lines
            .map_while(Result::ok)
            .find_map(|line| line.split_once("bytes: ").map(|(_, bytes)| bytes.to_owned()));
        Self(child, bytes.expect("the bytes"), output)
    }
}

impl Drop for Giver {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        _ = self.0.wait();
    }
}

/// A folder for compiled kernels, which goes with this.
struct Cache(PathBuf);

impl Drop for Cache {
    fn drop(&mut self) {
        _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What all processes have.
struct Walk {
    cache: Cache,
    giver: Giver,
}

impl Walk {
    fn new() -> Self {
        let cache = std::env::temp_dir().join(format!("oxur-cuda-failures-{}", std::process::id()));
        Self {
            cache: Cache(cache),
            giver: Giver::new(),
        }
    }

    fn run(&self, machine: usize, variables: &[(&str, &str)]) -> Ended {
        let mut all = vec![
            (CHILD, "1"),
            (BYTES, &*self.giver.1),
            ("UR_CPU_CACHE", self.cache.0.to_str().expect("a path")),
            ("UR_LOG_CUDA", "level:debug;output:stderr"),
        ];
        all.extend(MACHINES[machine]);
        all.extend(variables);
        run_test("failures::one_process", &all)
    }
}

/// A call that is to fail.
struct Case {
    machine: usize,
    function: String,
    call: u64,
    code: i32,
}

/// What may be wrong with how a process has taken a failure.
fn faults_of(case: &Case, walk: &Walk, baseline: &Report) -> Vec<String> {
    let fails = format!("{}:{}:{}", case.function, case.call, case.code);
    let ended = walk.run(
        case.machine,
        &[("FAKE_CUDA_FAIL", &fails), (BASELINE, &baseline.text())],
    );
    let mut faults = Vec::new();
    if !ended.status.success() {
        let last: Vec<&str> = ended.log.lines().rev().take(12).collect();
        faults.push(format!("the process ended by {}: {last:#?}", ended.status));
        return faults;
    }
    let number = |name: &str| {
        let line = ended.out.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|rest| rest.split(' ').next()?.parse::<usize>().ok())
    };
    let report = Report::parse(&ended.out);
    if report
        .functions
        .get(&case.function)
        .is_none_or(|(_, failed)| *failed == 0)
    {
        // Some calls depend on what is complete when they are made.
        return faults;
    }
    let errors: Vec<&str> = ended.out.lines().filter(|line| line.contains("error: ")).collect();
    if number("wrong: ") != Some(0) {
        let wrong: Vec<&str> = ended.out.lines().filter(|line| line.starts_with("wrong: ")).collect();
        faults.push(format!("a result is wrong, and no call said so: {wrong:?}"));
    }
    // How often some are called differs, so a late one may fail in the second run.
    if number("second: ").is_some_and(|count| count != 0) && number("hit: ") != Some(0) {
        faults.push(format!("the next run has errors: {errors:?}"));
    }
    let says_so = |line: &str| line.contains(&case.function);
    if !ended.log.lines().any(says_so) && !asks(&case.function) {
        faults.push(format!("the log does not name it; errors: {errors:?}"));
    }
    let is_warning = |line: &&str| {
        ["[ERROR]", "[WARNING]", "no CUDA platforms"]
            .iter()
            .any(|level| line.contains(level))
    };
    if number("first: ").is_some_and(|count| count != 0) && !ended.log.lines().any(|line| is_warning(&line)) {
        faults.push(format!("there are errors, and no line of the log: {errors:?}"));
    }
    let left = report.left(baseline, &case.function);
    if !left.is_empty() {
        faults.push(format!("objects are left: {left:?}; errors: {errors:?}"));
    }
    faults
}

/// Functions that only ask, where an error is as good an answer: that commands are over, or memory is the client's.
fn asks(function: &str) -> bool {
    ["cuEventQuery", "cuStreamQuery", "cuPointerGetAttributes"].contains(&function)
}

/// The calls of a function that are to fail, of those that a run without failures has.
fn calls(count: u64, all: bool) -> Vec<u64> {
    let mut calls = match all {
        true => vec![
            1,
            2,
            3,
            count / 4,
            count / 2,
            3 * count / 4,
            count - count.min(1),
            count,
        ],
        false => vec![1, 2, count / 2 + 1],
    };
    calls.retain(|call| (1..=count).contains(call));
    calls.sort_unstable();
    calls.dedup();
    calls
}

#[test]
fn every_function_fails() {
    if std::env::var_os("OXUR_CUDA_SYSTEM").is_some() {
        return println!("a real driver fails by itself alone");
    }
    let chosen = std::env::var("OXUR_CUDA_FAILURES").unwrap_or_default();
    let all = chosen == "all";
    let only: Vec<&str> = chosen.split(':').filter(|part| !part.is_empty() && !all).collect();
    let walk = Walk::new();
    let mut baselines = Vec::new();
    let mut cases: Vec<Case> = Vec::new();
    let (mut known, mut counts) = (Vec::new(), BTreeMap::new());
    for machine in 0..MACHINES.len() {
        // The first compiles what is in the cache then.
        walk.run(machine, &[]).passed();
        let ended = walk.run(machine, &[]).passed();
        let lines = |words: &str| {
            ended
                .out
                .lines()
                .filter(|line| line.contains(words))
                .collect::<Vec<_>>()
        };
        assert!(
            lines("error: ").is_empty() && lines("wrong: ") == ["wrong: 0"],
            "{}",
            ended.out
        );
        let (first, second) = ended.out.split_once("second round\n").expect("two rounds");
        let (first, second) = (Report::parse(first), Report::parse(second));
        for (function, (count, _)) in &first.functions {
            // Where there is most of it, or all of a machine is about it.
            let is_new = *count != 0 && !known.contains(function);
            if is_new {
                known.push(function.clone());
                counts.insert(function.clone(), *count);
                for (call, code) in calls(*count, all).into_iter().zip([2, 999, 1].into_iter().cycle()) {
                    // That of the parameters means that there are no more.
                    let code = if function == "cuFuncGetParamInfo" { 999 } else { code };
                    let function = function.clone();
                    cases.push(Case {
                        machine,
                        function,
                        call,
                        code,
                    });
                }
            }
        }
        let unused = |(name, (count, _)): (&String, &(u64, u64))| (*count == 0).then(|| name.clone());
        if machine + 1 == MACHINES.len() {
            let unused: Vec<_> = first
                .functions
                .iter()
                .filter_map(unused)
                .filter(|name| !known.contains(name))
                .collect();
            assert_eq!(unused, UNUSED.map(|(name, _)| name), "what nothing calls");
        }
        baselines.push(second);
    }
    if let [function, rest @ ..] = &only[..] {
        cases.retain(|case| case.function == *function);
        let first = cases.first().expect("a function that is called");
        let (machine, code) = (
            first.machine,
            rest.get(1).map_or(first.code, |code| code.parse().expect("a number")),
        );
        let calls = match rest.first() {
            None => Vec::new(),
            Some(&"each") => (1..=counts[*function]).collect(),
            Some(call) => vec![call.parse().expect("a number")],
        };
        let case = |call| Case {
            machine,
            function: (*function).to_owned(),
            call,
            code,
        };
        if !calls.is_empty() {
            cases = calls.into_iter().map(case).collect();
        }
    }
    let (next, faults) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(2, usize::from).min(8);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    for fault in faults_of(case, &walk, &baselines[case.machine]) {
                        let Case {
                            machine,
                            function,
                            call,
                            code,
                        } = case;
                        let text = format!("{function}:{call}:{code} on machine {machine}: {fault}");
                        println!("{text}");
                        faults.lock().expect("a list").push(text);
                    }
                }
            });
        }
    });
    println!("{} calls have failed", cases.len());
    let faults = faults.into_inner().expect("a list");
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}
