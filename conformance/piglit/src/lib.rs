// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Piglit's tests of OpenCL C, which Mesa's drivers are tested with: kernels, their arguments, and the results that Piglit's
//! authors expect of them. Debian's package has them.

mod test;
mod test_file;
mod values;

use std::path::{Path, PathBuf};

pub use test::{LaunchArgument, Test};
use test_file::TestFile;

/// What is not run, and why: files, folders, and tests of a file.
const LEFT_OUT: &[(&str, &str)] = &[
    ("tests/cl/program/build/fail", "the front end's"),
    (
        "tests/cl/program/build/include-directories.cl",
        "a header that Debian's package lacks",
    ),
    (
        "tests/cl/program/execute/amdgcn-callee-saved-registers.cl",
        "AMD's assembly",
    ),
    ("tests/cl/program/execute/call-clobbers-amdgcn.cl", "AMD's assembly"),
    (
        "tests/cl/program/execute/amdgcn-f32-inline-immediates.cl: add integer 64",
        "wants denormal numbers to be flushed, which -cl-denorms-are-zero only allows",
    ),
    ("tests/cl/program/execute/image-attributes.cl", "images"),
    ("tests/cl/program/execute/image-read-2d.cl", "images"),
    ("tests/cl/program/execute/image-write-2d.cl", "images"),
    ("tests/cl/program/execute/sampler.cl", "samplers"),
    (
        "tests/cl/program/execute/program-tester-check-local-size-test-should-skip.cl",
        "Piglit's own",
    ),
    (
        "tests/cl/program/execute/global-offset.cl: 3d, input dependent",
        "an extract beyond a vector, as llvm-spirv translates get_global_offset(-1)",
    ),
    (
        "generated_tests/cl/builtin/math/builtin-float-pow-1.0.generated.cl",
        "wants pow(2147483647, -INFINITY) to be infinity",
    ),
    (
        "generated_tests/cl/vload/vloada_half-float-private.cl",
        "half8 in an array that is aligned for short",
    ),
    (
        "generated_tests/cl/vstore/vstorea_half-double-private.cl",
        "half16 in an array that is aligned for short",
    ),
    (
        "generated_tests/cl/vstore/vstorea_half-float-private.cl",
        "half16 in an array that is aligned for short",
    ),
];

/// Files whose kernels write behind a buffer by themselves.
const OVERRUNS: [&str; 2] = [
    "tests/cl/program/execute/clz-optimizations.cl",
    "tests/cl/program/execute/pyrit-wpa-psk.cl",
];

/// Files that expect NaN where C has a number, such as of `lgamma(0)`, `fmod(3, INFINITY)` and `4 / 0`. Piglit compares in a way that
/// lets any result pass there.
const WRONG_NANS: [&str; 7] = [
    "generated_tests/cl/builtin/math/builtin-float-copysign-1.0.generated.cl",
    "generated_tests/cl/builtin/math/builtin-float-fmod-1.0.generated.cl",
    "generated_tests/cl/builtin/math/builtin-float-lgamma-1.0.generated.cl",
    "generated_tests/cl/builtin/math/builtin-float-lgamma_r-1.0.generated.cl",
    "generated_tests/cl/builtin/math/builtin-float-tgamma-1.0.generated.cl",
    "tests/cl/program/execute/fdiv-modifiers-f32.cl",
    "tests/cl/program/execute/fdiv-modifiers-f64.cl",
];

/// Where the tests are.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/env/piglit")
}

/// The names of all files that are run, or of those with one of the words in them.
pub fn names(words: &[String]) -> Result<Vec<String>, String> {
    let folder = folder();
    let mut names = Vec::new();
    let mut folders = vec![folder.join("tests/cl/program"), folder.join("generated_tests/cl")];
    while let Some(next) = folders.pop() {
        let absent = |e| format!("{}: {e}; run scripts/setup.sh piglit", next.display());
        for entry in std::fs::read_dir(&next).map_err(absent)? {
            let path = entry.map_err(|e| e.to_string())?.path();
            let name = path
                .strip_prefix(&folder)
                .map_err(|e| e.to_string())?
                .display()
                .to_string();
            if is_left_out(&name) {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "cl" || e == "program_test")
                && (words.is_empty() || words.iter().any(|word| name.contains(word)))
            {
                names.push(name);
            }
        }
    }
    names.sort();
    Ok(names)
}

fn is_left_out(what: &str) -> bool {
    LEFT_OUT.iter().any(|(name, _)| *name == what)
}

/// A file, compiled.
pub struct Program {
    /// Its SPIR-V.
    pub spirv: Vec<u8>,
    /// Its launches. Some files have none: their kernels must only build.
    pub tests: Vec<Test>,
}

impl Program {
    /// Reads one of [`names`], and compiles it unless that was done. `CLANG_OPTIONS` has more options for clang, such as `-O0`.
    pub fn read(name: &str) -> Result<Self, String> {
        let path = folder().join(name);
        let TestFile {
            source,
            options,
            mut tests,
        } = TestFile::read(&path)?;
        tests.retain(|test| !is_left_out(&format!("{name}: {}", test.name)));
        for test in &mut tests {
            test.overruns = OVERRUNS.contains(&name);
            test.has_wrong_nans = WRONG_NANS.contains(&name);
        }
        let more = std::env::var("CLANG_OPTIONS").unwrap_or_default();
        let options = options.into_iter().chain(more.split_whitespace().map(str::to_string));
        let modules = folder().join(format!("modules{}", more.replace(' ', "")));
        let module = modules.join(name.replace('/', "-")).with_extension("spv");
        if !module.exists() {
            oxur_conformance_support::compile(&source, &options.collect::<Vec<_>>(), &module)?;
        }
        let spirv = std::fs::read(&module).map_err(|e| format!("{}: {e}", module.display()))?;
        Ok(Self { spirv, tests })
    }
}
