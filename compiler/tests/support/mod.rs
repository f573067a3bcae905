// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! SPIR-V as text, as tests write it: filetests/README.md says what is put around it.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

/// What every module has, and the types and constants that most have.
const PRELUDE: &str = include_str!("../filetests/prelude.inc");

/// A module of a test's lines and the prelude's: in the order that SPIR-V wants, each id named as it is in the text.
pub fn whole(text: &str) -> String {
    let lines = || PRELUDE.lines().chain(text.lines());
    let results = lines().filter_map(|line| {
        line.trim()
            .strip_prefix('%')?
            .split_once(" = ")
            .map(|(name, _)| name.trim())
    });
    let mut sections: [Vec<String>; 7] = Default::default();
    sections[5].extend(results.map(|name| format!("OpName %{name} \"{name}\"")));
    let mut in_function = false;
    for line in lines() {
        let instruction = line.split_once(" = ").map_or(line, |(_, right)| right).trim_start();
        let opcode = instruction.split_whitespace().next().unwrap_or_default();
        in_function |= opcode == "OpFunction";
        let section = match opcode {
            _ if in_function => 6,
            "OpCapability" => 0,
            "OpExtension" => 1,
            "OpExtInstImport" => 2,
            "OpMemoryModel" => 3,
            "OpEntryPoint" => 4,
            "OpName" | "OpExecutionMode" | "OpExecutionModeId" => 5,
            "OpDecorate" | "OpMemberDecorate" | "OpGroupDecorate" | "OpDecorationGroup" => 5,
            _ => 6,
        };
        sections[section].push(line.to_string());
    }
    sections.concat().join("\n")
}

/// Makes a module of its text.
pub fn assemble(text: &str, version: &str) -> Result<Vec<u8>, String> {
    let mut child = Command::new("spirv-as")
        .args(["--target-env", &format!("spv{version}"), "-", "-o", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("spirv-as (scripts/setup.sh installs it): {error}"))?;
    let mut input = child.stdin.take().expect("a pipe");
    let written = input.write_all(text.as_bytes());
    drop(input);
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    check("spirv-as", &output)?;
    written.map_err(|error| error.to_string())?;
    Ok(output.stdout)
}

/// An error that says what a command did, unless it succeeded.
pub fn check(command: &str, output: &Output) -> Result<(), String> {
    if output.status.success() {
        return Ok(());
    }
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    Err(format!("{command}\n{}\n{out}{err}", output.status))
}
