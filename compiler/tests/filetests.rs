// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Tests of the compiler's stages: text in, text out. filetests/README.md says how to write one.
//!
//! Each file below `filetests/` is a test by its own name. `cargo test --test filetests -- atomics` runs some of them.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use libtest_mimic::{Arguments, Failed, Trial};
use support::{assemble, check, whole};

mod support;

fn main() -> ExitCode {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests");
    let mut files = Vec::new();
    find(&folder, &mut files);
    files.sort();
    assert!(!files.is_empty(), "there are no tests in {}", folder.display());
    let trials = files.into_iter().map(|file| {
        let name = file.strip_prefix(&folder).unwrap_or(&file).with_extension("");
        let name = name.display().to_string();
        Trial::test(name.clone(), move || run(&file, &name))
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

/// The files below a folder that are tests.
fn find(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the tests are here") {
        let path = entry.expect("the tests are here").path();
        if path.is_dir() {
            find(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "spvasm") {
            files.push(path);
        }
    }
}

/// The value of a line `; KEY: value`, for each such line.
fn directives<'t>(text: &'t str, key: &str) -> impl Iterator<Item = &'t str> {
    text.lines().filter_map(move |line| {
        let line = line.trim_start().strip_prefix(';')?.trim_start();
        Some(line.strip_prefix(key)?.strip_prefix(':')?.trim())
    })
}

fn run(file: &Path, name: &str) -> Result<(), Failed> {
    let text = std::fs::read_to_string(file)?;
    let scratch = Scratch::new(name)?;
    let version = directives(&text, "SPIRV").next().unwrap_or("1.4");
    // A file that tests the front end may say all itself.
    let is_raw = directives(&text, "RAW").next().is_some();
    let mut part = "module";
    for lines in split(&text) {
        if let Some((line, _)) = lines.split_once('\n')
            && let Some(name) = line.strip_prefix(PART)
        {
            part = name.trim();
        }
        let source = if is_raw { lines.to_string() } else { whole(lines) };
        let module = scratch.0.join(part).with_extension("spv");
        std::fs::write(&module, assemble(&source, version)?)?;
        // The fuzz targets begin with these.
        if let Some(folder) = std::env::var_os("OXUR_KEEP_MODULES") {
            let kept = Path::new(&folder).join(format!("{}-{part}.spv", name.replace('/', "-")));
            std::fs::copy(module, kept)?;
        }
    }
    let module = scratch.0.join("module.spv");
    let mut commands = directives(&text, "RUN").peekable();
    if commands.peek().is_none() {
        return Err("it has no line RUN:".into());
    }
    for command in commands {
        let command = command
            .replace("%spv", &quoted(&module))
            .replace("%s", &quoted(file))
            .replace("%t", &quoted(&scratch.0));
        let output = Command::new("bash")
            .args(["-o", "pipefail", "-euc", &command])
            .env("PATH", path()?)
            .env("FILECHECK_OPTS", "--dump-input=fail --dump-input-context=6 --color=0")
            .output()?;
        check(&command, &output)?;
    }
    Ok(())
}

/// The beginning of a line behind which another module of the test begins.
const PART: &str = ";---";

/// The modules of a test.
fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(at) = rest[1..].find(&format!("\n{PART}")) {
        let (part, others) = rest.split_at(at + 2);
        parts.push(part);
        rest = others;
    }
    parts.push(rest);
    parts
}

/// Where oxur-compiler is, then LLVM's tools, then the user's.
fn path() -> Result<std::ffi::OsString, Failed> {
    let ours = Path::new(env!("CARGO_BIN_EXE_oxur-compiler")).parent();
    let llvm = Path::new(option_env!("LLVM_SYS_221_PREFIX").unwrap_or("/usr/lib/llvm-22")).join("bin");
    let users = std::env::var_os("PATH").unwrap_or_default();
    let all = ours
        .map(Path::to_path_buf)
        .into_iter()
        .chain([llvm])
        .chain(std::env::split_paths(&users));
    Ok(std::env::join_paths(all)?)
}

fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}

/// A folder for a test's files, which goes when the test ends.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Result<Self, Failed> {
        let name = format!("{}-{}", name.replace('/', "-"), std::process::id());
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&folder)?;
        Ok(Self(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        _ = std::fs::remove_dir_all(&self.0);
    }
}
