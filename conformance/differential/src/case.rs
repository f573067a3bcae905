// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! One kernel on all implementations.

use oxur_compiler::{Mode, Module};

use crate::data::Data;
use crate::generate::{self, Case};
use crate::opencl::Driver;
use crate::range::Range;
use crate::{compile, ours};

/// What is tested: a seed, or a kernel of `kernels/`.
#[derive(Clone, Debug)]
pub enum Unit {
    /// What a seed generates.
    Seed(u64),
    /// A kernel that was wrong once.
    Kernel(String),
    /// The source of a file, with what else a seed decides.
    Changed(u64, String),
}

/// What is known of a kernel that is right.
#[derive(Clone, Copy, Debug, Default)]
pub struct Passed {
    /// How many items at a time the fast mode runs.
    pub lanes: u32,
    /// Whether Intel's driver took it: its results were compared, too, where it forms the same sub-groups.
    pub is_compared: bool,
}

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
        text.parse().map_or_else(|_| Self::Kernel(text.into()), Self::Seed)
    }

    /// The name of its files.
    pub fn name(&self) -> String {
        match self {
            Self::Seed(seed) => format!("seed-{seed}"),
            Self::Kernel(name) => name.clone(),
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
            Self::Kernel(name) => {
                let path = folder().join(name).with_extension("cl");
                let source = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
                Ok(generate::written(&source))
            }
        }
    }

    /// Runs the kernel everywhere and compares the results.
    pub fn run(&self, driver: Option<&Driver>) -> Outcome {
        let case = self.case()?;
        let name = self.name();
        let spirv = match compile::spirv(&name, &case.source, &case.options)? {
            Some(spirv) => spirv,
            None => compile::spirv(&name, &case.source, &["-O0"])?.ok_or("llvm-spirv-14 does not translate it")?,
        };
        let module = Module::parse(&spirv).map_err(|e| e.to_string())?;
        let scalar = ours::compile(&module, Mode::Scalar).map_err(|e| format!("scalar mode: {e}"))?;
        let fast = ours::compile(&module, Mode::Fast).map_err(|e| format!("fast mode: {e}"))?;
        stage("driver");
        // What the driver does not compile is not ours to judge.
        let theirs = driver.and_then(|d| d.compile(&spirv).ok());
        let seed = if let Self::Seed(seed) | Self::Changed(seed, _) = self {
            *seed
        } else {
            1
        };
        for range in &case.ranges {
            let at = |who: &str| format!("{who}, {range} items (x{} in the fast mode)", fast.lanes());
            let mut expected = Data::new(seed);
            let mut found = expected.clone();
            let mut third = expected.clone();
            stage("ours");
            ours::run(&scalar, range, &mut expected).map_err(|e| format!("{}: {e}", at("scalar mode")))?;
            ours::run(&fast, range, &mut found).map_err(|e| format!("{}: {e}", at("fast mode")))?;
            // If both of ours differ from the driver, that is of interest, too.
            let theirs = theirs.as_ref().filter(|_| is_comparable(&case, range));
            if let Some(theirs) = theirs {
                // It compiles some of it now.
                stage("driver");
                theirs
                    .run(range, &mut third)
                    .map_err(|e| format!("{}: {e}", at("OpenCL")))?;
            }
            if let Some(difference) = expected.difference(&found, ["scalar mode", "fast mode"], range.items()) {
                let verdict =
                    match theirs.map(|_| [&expected, &found].map(|d| d.difference(&third, ["", ""], 0).is_none())) {
                        Some([true, _]) => "; OpenCL agrees with the scalar mode",
                        Some([_, true]) => "; OpenCL agrees with the fast mode",
                        _ => "",
                    };
                return Err(format!("{}: {difference}{verdict}", at("ours")));
            }
            if theirs.is_some()
                && let Some(difference) = expected.difference(&third, ["ours", "OpenCL"], range.items())
            {
                return Err(format!("{}: {difference}", at("ours and OpenCL")));
            }
        }
        compile::forget(&name);
        Ok(Passed {
            lanes: fast.lanes(),
            is_compared: theirs.is_some(),
        })
    }
}

/// Tells the parent what begins: it knows then whose crash one was.
fn stage(what: &str) {
    println!("{}{what}", crate::worker::STAGE);
}

fn is_comparable(case: &Case, range: &Range) -> bool {
    case.sub_group.is_none_or(|size| range.is_plain_for(size))
}

/// The folder of kernels that were wrong once.
pub fn folder() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels")
}
