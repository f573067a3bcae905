// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A file of Piglit's `cl-program-tester`: a comment `/*! ... !*/` before the source, or a file beside it, with sections of
//! `key: value` lines. `[config]` is what all tests share, each `[test]` launches a kernel.

use std::path::{Path, PathBuf};

use oxur_conformance::client::Range;

use crate::test::{Argument, Expected, Given, Test};
use crate::values::{Tolerance, Type, number};
/// A file.
pub(crate) struct TestFile {
    /// The file of its OpenCL C.
    pub source: PathBuf,
    /// Build options.
    pub options: Vec<String>,
    pub tests: Vec<Test>,
}

/// What the keys of a section say. A test begins with those of `[config]`.
#[derive(Clone, Default)]
struct Section {
    name: String,
    kernel: String,
    dimensions: Option<usize>,
    global: Option<[usize; 3]>,
    local: Option<[usize; 3]>,
    offset: [usize; 3],
    source: Option<String>,
    options: Vec<String>,
    must_fail: bool,
    arguments: Vec<Argument>,
}

impl TestFile {
    /// Reads a file; an error says what is not known of it.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        let described = match text.split_once("/*!").and_then(|(_, rest)| rest.split_once("!*/")) {
            Some((described, _)) => described,
            None if path.extension().is_some_and(|e| e == "program_test") => &text,
            None => return Err("no description of tests".into()),
        };
        let uncommented = |line: &'_ str| line.split('#').next().unwrap_or_default().trim_end().to_string();
        let described: Vec<String> = described.lines().map(uncommented).collect();
        let described = described.join("\n").replace("\\\n", " ");
        let mut config = Section::default();
        let mut tests: Vec<Section> = Vec::new();
        let mut section = "";
        for line in described.lines() {
            let line = line.trim();
            if line.is_empty() {
                continue;
            }
            if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                section = name;
                match name {
                    "config" => {}
                    "test" => tests.push(config.clone()),
                    _ => return Err(format!("the section [{name}]")),
                }
                continue;
            }
            let (key, value) = line.split_once(':').ok_or_else(|| format!("the line {line:?}"))?;
            let target = match section {
                "config" => &mut config,
                _ => tests.last_mut().ok_or_else(|| format!("{key} before any section"))?,
            };
            target.set(key.trim(), value.trim())?;
        }
        let folder = path.parent().unwrap_or(Path::new("."));
        Ok(Self {
            source: config.source.map_or_else(|| path.into(), |name| folder.join(name)),
            options: config.options,
            // Those that must fail are Piglit's own tests.
            tests: tests
                .into_iter()
                .filter(|test| !test.must_fail)
                .map(Section::into_test)
                .collect(),
        })
    }
}

impl Section {
    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let words: Vec<&str> = value.split_whitespace().collect();
        let unknown = || format!("{key}: {value}");
        let sizes = || -> Result<[usize; 3], String> {
            let sizes: Result<Vec<usize>, _> = words.iter().map(|word| word.parse()).collect();
            sizes.ok().and_then(|sizes| sizes.try_into().ok()).ok_or_else(unknown)
        };
        let flag = || value.parse::<bool>().map_err(|_| unknown());
        match key {
            "name" => self.name = value.into(),
            "kernel_name" => self.kernel = value.into(),
            "dimensions" => self.dimensions = Some(value.parse().map_err(|_| unknown())?),
            "global_size" => self.global = Some(sizes()?),
            "local_size" => self.local = Some(sizes()?),
            "global_offset" => self.offset = sizes()?,
            "program_source_file" => self.source = Some(value.into()),
            "build_options" => self.options = words.iter().map(ToString::to_string).collect(),
            "expect_test_fail" => self.must_fail = flag()?,
            "arg_in" | "arg_out" => self
                .argument(key == "arg_in", &words)
                .map_err(|e| format!("{}: {e}", unknown()))?,
            // Our compiler has what the tests ask devices for.
            "clc_version_min" | "clc_version_max" | "require_device_extensions" | "require_platform_extensions" => {}
            _ => return Err(unknown()),
        }
        Ok(())
    }

    /// `INDEX TYPE VALUE...`, or `INDEX buffer TYPE[COUNT] VALUE... [tolerance LIMIT [ulp]]`.
    fn argument(&mut self, is_input: bool, words: &[&str]) -> Result<(), String> {
        let [index, words @ ..] = words else {
            return Err("no index".into());
        };
        let index: usize = index.parse().map_err(|_| format!("the index {index}"))?;
        if self.arguments.len() <= index {
            self.arguments.resize_with(index + 1, Argument::default);
        }
        let argument = &mut self.arguments[index];
        let ["buffer", array, words @ ..] = words else {
            let [name, words @ ..] = words else {
                return Err("no type".into());
            };
            argument.given = Some(Given::Value(Type::parse(name)?.encode(1, words)?));
            return Ok(());
        };
        let (name, count) = array
            .strip_suffix(']')
            .and_then(|array| array.split_once('['))
            .ok_or_else(|| format!("the array {array}"))?;
        let (ty, count) = (
            Type::parse(name)?,
            count.parse().map_err(|_| format!("the array {array}"))?,
        );
        if words == ["NULL"] {
            argument.given = Some(Given::Local(count * ty.size()));
            return Ok(());
        }
        let (words, tolerance) = match words.iter().position(|&word| word == "tolerance") {
            Some(at) => (&words[..at], Self::tolerance(&words[at + 1..])?),
            None => (words, Tolerance::Absolute(0.0)),
        };
        let bytes = ty.encode(count, words)?;
        if is_input {
            argument.given = Some(Given::Buffer(bytes));
        } else {
            argument.expected = Some(Expected {
                ty,
                count,
                bytes,
                tolerance,
            });
        }
        Ok(())
    }

    fn tolerance(words: &[&str]) -> Result<Tolerance, String> {
        let limit = |word: &str| number(word).ok_or_else(|| format!("the tolerance {word}"));
        match words {
            [word] => limit(word).map(Tolerance::Absolute),
            [word, "ulp"] => limit(word).map(Tolerance::Ulps),
            _ => Err(format!("the tolerance {}", words.join(" "))),
        }
    }

    fn into_test(self) -> Test {
        let dimensions = self.dimensions.unwrap_or(1);
        let sizes = |sizes: [usize; 3]| std::array::from_fn(|d| if d < dimensions { sizes[d].max(1) } else { 1 });
        let global: [usize; 3] = sizes(self.global.unwrap_or([1, 0, 0]));
        let local = match self.local.filter(|local| *local != [0; 3]) {
            Some(local) => sizes(local),
            // All items of a group write to one variable.
            None if self.kernel.contains("_local") => [1; 3],
            // Large groups, so that there are several items at once.
            None => {
                let whole = |size: usize| (1..=size.min(64)).rev().find(|n| size.is_multiple_of(*n)).unwrap_or(1);
                [whole(global[0]), 1, 1]
            }
        };
        let offset = std::array::from_fn(|d| if d < dimensions { self.offset[d] } else { 0 });
        Test {
            name: self.name,
            kernel: self.kernel,
            range: Range {
                dimensions: dimensions as u32,
                global,
                local: Some(local),
                offset: Some(offset),
            },
            arguments: self.arguments,
            overruns: false,
            has_wrong_nans: false,
        }
    }
}
