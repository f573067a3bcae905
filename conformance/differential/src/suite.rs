// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The kernels of the conformance suite, `conformance/ur/kernels/`. (Those of images are not here: the suite itself runs on
//! Intel's driver, too.)

use std::path::Path;

use oxur_compiler::Module;
use oxur_interpreter::Schedule;

use crate::case::Passed;
use crate::launch::Argument;
use crate::opencl::Driver;
use crate::ours::Code;
use crate::range::Range;
use crate::rng::Rng;
use crate::worker::Stage;
use crate::{compile, oracle, ours};

/// What a kernel gets.
#[derive(Clone)]
enum Given {
    /// So many words of random bits.
    Random(usize),
    /// These words.
    Words(&'static [u64]),
    Null,
    Value(&'static [u8]),
    Local(usize),
}

use Given::*;

/// A launch of a kernel.
pub struct Launch {
    /// The files that are linked, and the kernel.
    files: &'static [&'static str],
    kernel: &'static str,
    range: Range,
    given: &'static [Given],
}

const fn range(local: [usize; 3], groups: [usize; 3], offset: [usize; 3]) -> Range {
    Range {
        dimensions: 3,
        offset,
        local,
        groups,
    }
}

const LINE: Range = range([64, 1, 1], [4, 1, 1], [0; 3]);
const ONE: Range = range([1; 3], [1; 3], [0; 3]);
const BOX: Range = range([4, 2, 3], [3, 2, 2], [5, 0, 7]);
const FIXED: Range = range([8, 4, 2], [2, 1, 3], [0; 3]);
const SUB_GROUPS: Range = range([32, 1, 1], [3, 1, 1], [0; 3]);

/// An `int4`, and a structure of an int, a double and five characters.
const VECTOR: &[u8] = &[1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0];
const RECORD: &[u8] = &[
    10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x34, 0x40, 30, 1, 2, 3, 40, 0, 0, 0,
];

const fn basic(kernel: &'static str, range: Range, given: &'static [Given]) -> Launch {
    Launch {
        files: &["basic"],
        kernel,
        range,
        given,
    }
}

const fn of(files: &'static [&'static str], kernel: &'static str, range: Range, given: &'static [Given]) -> Launch {
    Launch {
        files,
        kernel,
        range,
        given,
    }
}

const LAUNCHES: &[Launch] = &[
    basic("nothing", LINE, &[]),
    basic("fill", LINE, &[Random(128), Value(&[7, 0, 0, 0x80])]),
    basic("add", LINE, &[Random(128), Random(128), Random(128)]),
    basic("increment", LINE, &[Random(128)]),
    basic("ids", BOX, &[Random(9 * 288)]),
    basic("reverse_groups", LINE, &[Random(128), Local(256)]),
    basic("static_local", LINE, &[Random(128)]),
    basic(
        "all_values",
        ONE,
        &[
            Value(&[0xff]),
            Value(&[0xfe, 0xff]),
            Value(&[3, 0, 0, 0x80]),
            Value(&[4, 0, 0, 0, 0, 0, 0, 0x40]),
            Value(&[0, 0, 0xb0, 0x40]),
            Value(&[0, 0, 0, 0, 0, 0, 0x1a, 0x40]),
            Value(VECTOR),
            Value(RECORD),
            Random(8),
        ],
    ),
    // A list of one: what points to others would be other memory for each implementation.
    basic("sum_list", ONE, &[Words(&[0, 42]), Random(1)]),
    basic("which_null", ONE, &[Null, Random(1), Random(1)]),
    basic("which_null", ONE, &[Random(1), Null, Random(1)]),
    basic("fixed_group", FIXED, &[Random(192)]),
    basic("sub_group_16", SUB_GROUPS, &[Random(48)]),
    basic("slow", LINE, &[Random(128), Value(&[200, 0, 0, 0])]),
    basic("count", BOX, &[Words(&[0])]),
    of(&["globals"], "sum_numbers", ONE, &[Random(1)]),
    of(&["globals"], "count_up", ONE, &[]),
    of(&["spec_constants"], "constants", ONE, &[Random(3)]),
    of(&["link_kernel", "link_function"], "call_twice", LINE, &[Random(128)]),
];

/// What begins the name of each.
pub const PREFIX: &str = "suite/";

/// The names of all.
pub fn names() -> Vec<String> {
    let name = |(i, launch): (usize, &Launch)| format!("{PREFIX}{i}/{}", launch.kernel);
    LAUNCHES.iter().enumerate().map(name).collect()
}

/// The module of a file.
fn spirv(file: &str) -> Result<Vec<u8>, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../ur/kernels/{file}.cl"));
    let source = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    // Processes that compile the same file must not write the same files.
    let name = format!("suite-{file}-{}", std::process::id());
    // Sums of random numbers overflow.
    let spirv = compile::spirv(&name, &source, &["-O1", "-fwrapv"])?;
    compile::forget(&name);
    spirv.ok_or_else(|| "llvm-spirv-14 does not translate it".into())
}

impl Launch {
    /// Memory for its arguments: the same each time.
    fn memory(&self) -> Vec<Vec<u64>> {
        let mut rng = Rng::new(3);
        let one = |given: &Given| match given {
            Random(words) => (0..*words).map(|_| rng.bits()).collect(),
            Words(words) => words.to_vec(),
            _ => Vec::new(),
        };
        self.given.iter().map(one).collect()
    }

    /// Runs it and gives the memory afterwards.
    fn run(&self, launch: impl FnOnce(&mut [Argument<'_>]) -> Result<(), String>) -> Result<Vec<Vec<u64>>, String> {
        let mut memory = self.memory();
        let argument = |(given, words)| match given {
            &Random(_) | &Words(_) => Argument::Memory(words),
            Null => Argument::Null,
            Value(bytes) => Argument::Value(bytes),
            Local(size) => Argument::Local(*size),
        };
        let words = memory.iter_mut().map(Vec::as_mut_slice);
        let mut arguments: Vec<Argument<'_>> = self.given.iter().zip(words).map(argument).collect();
        launch(&mut arguments)?;
        Ok(memory)
    }
}

/// Runs one of [`names`] everywhere and compares what is in memory then.
pub fn run(name: &str, driver: Option<&Driver>, options: &str) -> Result<Passed, String> {
    let index: Option<usize> = name
        .strip_prefix(PREFIX)
        .and_then(|n| n.split('/').next())
        .and_then(|n| n.parse().ok());
    let launch = index
        .and_then(|i| LAUNCHES.get(i))
        .ok_or_else(|| format!("there is no {name}"))?;
    let spirv: Vec<Vec<u8>> = launch.files.iter().map(|file| spirv(file)).collect::<Result<_, _>>()?;
    let parsed: Result<Vec<_>, _> = spirv.iter().map(|bytes| Module::parse(bytes)).collect();
    let modules = parsed.map_err(|e| e.to_string())?;
    let mut results = Vec::new();
    let mut lanes = 0;
    for (who, code) in [
        ("scalar mode", Code::Scalar),
        ("quick code", Code::Quick),
        ("fast mode", Code::Fast),
    ] {
        let kernel = ours::link(&modules, code).and_then(|program| ours::kernel(&program, launch.kernel));
        let kernel = kernel.map_err(|e| format!("{who}: {e}"))?;
        lanes = kernel.lanes();
        let result = launch.run(|arguments| ours::run(&kernel, &launch.range, arguments));
        results.push((who, result.map_err(|e| format!("{who}: {e}"))?));
    }
    // The interpreter does not link modules.
    if let [single] = spirv.as_slice() {
        let oracle = oracle::parse(single).map_err(|e| format!("interpreter: {e}"))?;
        let result = launch.run(|arguments| {
            let findings = oracle::run(&oracle, launch.kernel, &launch.range, Schedule::Forwards, arguments)?;
            findings.into_iter().next().map_or(Ok(()), Err)
        });
        results.push(("interpreter", result.map_err(|e| format!("interpreter: {e}"))?));
    }
    if let Some(driver) = driver {
        Stage::Driver.begin();
        let parts: Vec<&[u8]> = spirv.iter().map(Vec::as_slice).collect();
        let result = driver.build(&parts, options).and_then(|program| {
            let kernel = program.kernel(launch.kernel)?;
            launch.run(|arguments| kernel.run(&launch.range, arguments))
        });
        results.push(("OpenCL", result.map_err(|e| format!("OpenCL: {e}"))?));
        Stage::Ours.begin();
    }
    let (first, expected) = &results[0];
    for (who, found) in &results[1..] {
        for (i, (own, its)) in expected.iter().zip(found).enumerate() {
            if let Some(at) = (0..own.len()).find(|&at| own[at] != its[at]) {
                let (a, b) = (own[at], its[at]);
                return Err(format!(
                    "argument {i}, word {at} is {a:#x} ({first}) and {b:#x} ({who})"
                ));
            }
        }
    }
    Ok(Passed {
        lanes,
        is_compared: driver.is_some(),
        death: None,
        dissent: None,
    })
}
