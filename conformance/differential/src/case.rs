// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! One kernel on all implementations.

use oxur_compiler::Module;
use oxur_interpreter::Schedule;

use crate::data::Data;
use crate::generate::{self, Case};
use crate::opencl::Driver;
use crate::ours::Code;
use crate::range::Range;
use crate::worker::{Failure, Stage, ThreadContext};
use crate::{compile, oracle, ours, piglit, suite};

/// What is tested.
#[derive(Clone, Debug)]
pub enum Unit {
    /// What a seed generates.
    Seed(u64),
    /// A kernel that was wrong once.
    Kernel(String),
    /// The source of a file, with what else a seed decides.
    Changed(u64, String),
    /// A kernel of the conformance suite.
    Suite(String),
    /// A file of Piglit's tests.
    Piglit(String),
}

/// What is known of a kernel that is right.
#[derive(Clone, Debug, Default)]
pub struct Passed {
    /// How many items at a time the fast mode runs.
    pub lanes: u32,
    /// Whether Intel's driver took it: its results were compared, too, where it forms the same sub-groups.
    pub is_compared: bool,
    /// How Intel's driver ended on it. What was compared then came from the driver without its optimizer.
    pub death: Option<String>,
    /// Where Intel's driver differs from ours and from the interpreter, which agree.
    pub dissent: Option<String>,
}

/// How a question begins where Intel's driver must not optimize.
const UNOPTIMIZED: &str = "unoptimized ";
/// How it begins where our two modes are compared alone.
const ALONE: &str = "alone ";

/// Or why it is not right.
pub type Outcome = Result<Passed, String>;

impl Unit {
    /// A number, a name, or a number and a file: `12=FILE`.
    pub fn parse(text: &str) -> Self {
        if let Some((seed, file)) = text.split_once('=')
            && let Ok(seed) = seed.parse()
        {
            return Self::Changed(seed, file.into());
        }
        if text.starts_with(suite::PREFIX) {
            return Self::Suite(text.into());
        }
        if text.starts_with(piglit::PREFIX) {
            return Self::Piglit(text.into());
        }
        text.parse().map_or_else(|_| Self::Kernel(text.into()), Self::Seed)
    }

    /// The name of its files.
    fn name(&self) -> String {
        match self {
            Self::Seed(seed) => format!("seed-{seed}"),
            Self::Kernel(name) | Self::Suite(name) | Self::Piglit(name) => name.clone(),
            Self::Changed(seed, _) => format!("changed-{seed}"),
        }
    }

    /// The kernel.
    pub fn case(&self) -> Result<Case, String> {
        match self {
            Self::Seed(seed) => Ok(generate::case(*seed)),
            Self::Changed(seed, file) => {
                let source = std::fs::read_to_string(file).map_err(|e| format!("{file}: {e}"))?;
                Ok(Case {
                    source,
                    ..generate::case(*seed)
                })
            }
            Self::Suite(_) => Err("a kernel of conformance/ur/kernels/".into()),
            Self::Piglit(_) => Err("a file of Piglit's tests".into()),
            Self::Kernel(name) => {
                let path = folder().join(name).with_extension("cl");
                let source = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
                Ok(generate::written(&source))
            }
        }
    }

    /// Has a process run the kernel everywhere and compare the results.
    pub fn test(worker: &mut Option<ThreadContext>, unit: &str) -> Outcome {
        let mut death = None;
        // The flaws of the driver are not ours, and most are its optimizer's.
        for how in ["", UNOPTIMIZED, ALONE] {
            match ThreadContext::ask(worker, &format!("{how}{unit}")) {
                Ok(answer) => {
                    let mut parts = answer.splitn(3, ' ');
                    return Ok(Passed {
                        lanes: parts.next().and_then(|n| n.parse().ok()).unwrap_or(0),
                        is_compared: parts.next() == Some("1"),
                        death,
                        dissent: parts.next().filter(|text| !text.is_empty()).map(str::to_string),
                    });
                }
                Err(Failure::DriverDied(message)) => {
                    let last = || message.lines().last().unwrap_or_default().to_string();
                    death = Some(death.unwrap_or_else(last));
                }
                Err(failure) => return Err(failure.to_string()),
            }
        }
        Err(death.unwrap_or_default())
    }

    /// What such a process answers.
    pub fn answer(question: &str, driver: Option<&Driver>) -> Result<String, String> {
        let (unit, driver, options) = if let Some(unit) = question.strip_prefix(UNOPTIMIZED) {
            (unit, driver, "-cl-opt-disable")
        } else if let Some(unit) = question.strip_prefix(ALONE) {
            (unit, None, "")
        } else {
            (question, driver, "")
        };
        let passed = Self::parse(unit).run(driver, options)?;
        let dissent = passed.dissent.unwrap_or_default();
        Ok(format!("{} {} {dissent}", passed.lanes, u32::from(passed.is_compared)))
    }

    /// `options` are build options for the driver.
    fn run(&self, driver: Option<&Driver>, options: &str) -> Outcome {
        if let Self::Suite(name) = self {
            return suite::run(name, driver, options);
        }
        if let Self::Piglit(name) = self {
            return piglit::run(name, driver, options);
        }
        let case = self.case()?;
        let name = self.name();
        let spirv = match self {
            Self::Changed(_, file) if file.ends_with(".spvasm") => compile::assemble(file)?,
            _ => match compile::spirv(&name, &case.source, &case.options)? {
                Some(spirv) => spirv,
                None => compile::spirv(&name, &case.source, &["-O0"])?.ok_or("llvm-spirv-14 does not translate it")?,
            },
        };
        let module = Module::parse(&spirv).map_err(|e| e.to_string())?;
        let oracle = oracle::parse(&spirv).map_err(|e| format!("interpreter: {e}"))?;
        let compile =
            |code| ours::link(std::slice::from_ref(&module), code).and_then(|program| ours::kernel(&program, "k"));
        let scalar = compile(Code::Scalar).map_err(|e| format!("scalar mode: {e}"))?;
        let fast = compile(Code::Fast).map_err(|e| format!("fast mode: {e}"))?;
        let quick = compile(Code::Quick).map_err(|e| format!("quick code: {e}"))?;
        Stage::Driver.begin();
        // What the driver does not compile is not ours to judge.
        let theirs = driver.and_then(|d| d.build(&[&spirv], options).and_then(|program| program.kernel("k")).ok());
        let seed = if let Self::Seed(seed) | Self::Changed(seed, _) = self {
            *seed
        } else {
            1
        };
        let inputs = Data::new(seed);
        let mut dissent = None;
        for range in &case.ranges {
            let at = |who: &str| format!("{who}, {range} items (x{} in the fast mode)", fast.lanes());
            let is_comparable = case.sub_group.is_none_or(|size| range.is_plain_for(size));
            Stage::Ours.begin();
            // First, so that nothing undefined is run elsewhere.
            let interpreted = interpret(&oracle, inputs.clone(), seed, range);
            let interpreted = Some(interpreted.map_err(|e| format!("{}: {e}", at("interpreter")))?);
            let [mut expected, mut found, mut early, mut again, mut third] = std::array::from_fn(|_| inputs.clone());
            ours::run(&scalar, range, &mut expected.arguments()).map_err(|e| format!("{}: {e}", at("scalar mode")))?;
            ours::run(&fast, range, &mut found.arguments()).map_err(|e| format!("{}: {e}", at("fast mode")))?;
            // The second launch of a size of groups may have code for it.
            ours::run(&fast, range, &mut again.arguments()).map_err(|e| format!("{}: {e}", at("second launch")))?;
            ours::run(&quick, range, &mut early.arguments()).map_err(|e| format!("{}: {e}", at("quick code")))?;
            // If both of ours differ from the driver, that is of interest, too.
            let theirs = theirs.as_ref().filter(|theirs| is_comparable && theirs.takes(range));
            if let Some(theirs) = theirs {
                // It compiles some of it now.
                Stage::Driver.begin();
                theirs
                    .run(range, &mut third.arguments())
                    .map_err(|e| format!("{}: {e}", at("OpenCL")))?;
            }
            // Who agrees with one of two that differ.
            let others = [
                ("OpenCL", theirs.map(|_| &third)),
                ("the interpreter", interpreted.as_ref()),
            ];
            let verdict = |sides: [(&str, &Data); 2]| {
                let mut text = String::new();
                for (other, data) in &others {
                    let agrees =
                        |side: &(&str, &Data)| data.is_some_and(|d| side.1.difference(d, ["", ""], 0).is_none());
                    if let Some((side, _)) = sides.iter().find(|side| side.0 != *other && agrees(side)) {
                        text += &format!("; {other} agrees with {side}");
                    }
                }
                text
            };
            if let Some(difference) = expected.difference(&found, ["scalar mode", "fast mode"], range.items()) {
                let verdict = verdict([("the scalar mode", &expected), ("the fast mode", &found)]);
                return Err(format!("{}: {difference}{verdict}", at("ours")));
            }
            if let Some(difference) = found.difference_in_bits(&again, ["first launch", "second launch"], range.items())
            {
                let verdict = verdict([("the first launch", &found), ("the second launch", &again)]);
                return Err(format!("{}: {difference}{verdict}", at("launches")));
            }
            if let Some(difference) = found.difference_in_bits(&early, ["best code", "quick code"], range.items()) {
                let verdict = verdict([("the best code", &found), ("the quick code", &early)]);
                return Err(format!("{}: {difference}{verdict}", at("tiers")));
            }
            if let Some(interpreted) = &interpreted
                && let Some(difference) = expected.difference(interpreted, ["ours", "interpreter"], range.items())
            {
                let verdict = verdict([("ours", &expected), ("the interpreter", interpreted)]);
                return Err(format!("{}: {difference}{verdict}", at("ours and interpreter")));
            }
            if theirs.is_some() {
                // The interpreter agrees with ours.
                let difference = expected.difference(&third, ["ours", "OpenCL"], range.items());
                dissent = dissent.or(difference.map(|text| format!("{}: {text}", at("ours and OpenCL"))));
            }
        }
        compile::forget(&name);
        Ok(Passed {
            lanes: fast.lanes(),
            is_compared: theirs.is_some(),
            death: None,
            dissent,
        })
    }
}

/// What the interpreter makes of a kernel; an error if the kernel has undefined behaviour. Items run in another order for
/// every other seed.
pub fn interpret(module: &oxur_interpreter::Module, mut data: Data, seed: u64, range: &Range) -> Result<Data, String> {
    let schedule = if seed.is_multiple_of(2) {
        Schedule::Forwards
    } else {
        Schedule::Backwards
    };
    let findings = oracle::run(module, "k", range, schedule, &mut data.arguments())?;
    match findings.into_iter().next() {
        Some(finding) => Err(finding),
        None => Ok(data),
    }
}

/// The folder of kernels that were wrong once.
pub fn folder() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels")
}
