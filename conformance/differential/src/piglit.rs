// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Piglit's tests (`conformance/piglit`): on all of ours, and on Intel's driver.

use oxur_compiler::Module;
use oxur_interpreter::Schedule;
use oxur_piglit::{LaunchArgument, Program, Test};

use crate::case::Passed;
use crate::launch::Argument;
use crate::opencl::Driver;
use crate::ours::Code;
use crate::range::Range;
use crate::worker::Stage;
use crate::{oracle, ours};

/// What begins the name of each.
pub const PREFIX: &str = "piglit/";

/// The names of all files, or of those with one of the words in them.
pub fn names(words: &[String]) -> Result<Vec<String>, String> {
    let names = oxur_piglit::names(words)?;
    Ok(names.iter().map(|name| format!("{PREFIX}{name}")).collect())
}

/// Runs the tests of one of [`names`] everywhere.
pub fn run(unit: &str, driver: Option<&Driver>, options: &str) -> Result<Passed, String> {
    let Program { spirv, tests } = Program::read(unit.strip_prefix(PREFIX).unwrap_or(unit))?;
    let mut own = Outcomes::default();
    let oracle = oracle::parse(&spirv).map_err(|e| format!("interpreter: {e}"))?;
    for test in &tests {
        // Results decide, not findings: items race that all write the same, and the fourth element of a vector of three is
        // undefined.
        let outcome = run_test(test, |range, arguments| {
            oracle::run(&oracle, &test.kernel, range, Schedule::Forwards, arguments).map(|_| ())
        });
        own.add("interpreter", test, outcome);
    }

    let module = Module::parse(&spirv).map_err(|e| e.to_string())?;
    let mut lanes = 0;
    for (who, code) in [
        ("scalar mode", Code::Scalar),
        ("quick code", Code::Quick),
        ("fast mode", Code::Fast),
    ] {
        let program = ours::link(std::slice::from_ref(&module), code).map_err(|e| format!("{who}: {e}"))?;
        // Those of a file that only must build, too.
        for kernel in program.kernels() {
            ours::kernel(&program, &kernel.name).map_err(|e| format!("{who}: {}: {e}", kernel.name))?;
        }
        for test in &tests {
            let kernel = ours::kernel(&program, &test.kernel)?;
            lanes = lanes.max(kernel.lanes());
            // The second launch of a size of groups may have code for it.
            let run = |_| run_test(test, |range, arguments| ours::run(&kernel, range, arguments));
            own.add(who, test, (0..2).try_for_each(run));
        }
    }

    let mut theirs = Outcomes::default();
    Stage::Driver.begin();
    // What the driver does not compile is not ours to judge.
    let program = driver.and_then(|driver| driver.build(&[&spirv], options).ok());
    if let Some(program) = &program {
        for test in &tests {
            let outcome = program
                .kernel(&test.kernel)
                .and_then(|kernel| run_test(test, |range, arguments| kernel.run(range, arguments)));
            theirs.add("Intel's driver", test, outcome);
        }
    }
    Stage::Ours.begin();
    if own.failed.is_empty() {
        return Ok(Passed {
            lanes,
            is_compared: program.is_some(),
            death: None,
            dissent: theirs.failed.into_iter().next(),
        });
    }
    own.failed.extend(theirs.failed);
    Err(own.failed.join("\n"))
}

/// Runs a test as all implementations here take it.
fn run_test(test: &Test, launch: impl FnOnce(&Range, &mut [Argument<'_>]) -> Result<(), String>) -> Result<(), String> {
    let local = test.range.local.ok_or("a size of groups is missing")?;
    let range = Range {
        dimensions: test.range.dimensions as usize,
        offset: test.range.offset.unwrap_or_default(),
        local,
        groups: std::array::from_fn(|d| test.range.global[d] / local[d]),
    };
    test.run(|arguments| {
        let argument = |argument| match argument {
            &mut LaunchArgument::Value(bytes) => Argument::Value(bytes),
            &mut LaunchArgument::Local(size) => Argument::Local(size),
            LaunchArgument::Memory(words) => Argument::Memory(words),
        };
        let mut arguments: Vec<Argument<'_>> = arguments.iter_mut().map(argument).collect();
        launch(&range, &mut arguments)
    })
}

/// What went wrong.
#[derive(Default)]
struct Outcomes {
    failed: Vec<String>,
}

impl Outcomes {
    fn add(&mut self, who: &str, test: &Test, outcome: Result<(), String>) {
        if let Err(message) = outcome {
            self.failed.push(format!("{who}: {}: {message}", test.name));
        }
    }
}
