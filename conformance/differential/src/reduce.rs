// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Makes a kernel that fails smaller, for as long as it fails in the same way.

use crate::case::Unit;
use crate::compile;

/// The smallest source found that fails as the kernel of a seed does.
pub fn reduce(seed: u64) -> Result<String, String> {
    let mut worker = None;
    let failure = Unit::test(&mut worker, &seed.to_string())
        .err()
        .ok_or("it does not fail")?;
    let mut lines: Vec<String> = Unit::Seed(seed).case()?.source.lines().map(str::to_string).collect();
    let file = compile::folder().join(format!("reduced-{seed}.cl"));
    let mut fails = |lines: &[String]| {
        let text = lines.join("\n") + "\n";
        let written = std::fs::write(&file, text).is_ok();
        let outcome = Unit::test(&mut worker, &format!("{seed}={}", file.display()));
        written && outcome.is_err_and(|message| kind(&message) == kind(&failure))
    };
    loop {
        let before = lines.len();
        let mut at = lines.len();
        while at > 0 {
            at = (at - 1).min(lines.len().saturating_sub(1));
            for candidate in candidates(&lines, at) {
                if fails(&candidate) {
                    lines = candidate;
                    break;
                }
            }
        }
        if lines.len() == before {
            return Ok(lines.join("\n") + "\n");
        }
    }
}

/// What of a message says in which way a kernel fails.
fn kind(message: &str) -> String {
    let verdicts: Vec<&str> = message
        .split("; ")
        .filter(|part| part.contains(" agrees with "))
        .collect();
    let verdict = verdicts.join("; ");
    let first = message.split([',', '%', '0']).next().unwrap_or_default();
    format!("{first}{verdict}")
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The text without a line; without a block, or without what is around it.
fn candidates(lines: &[String], at: usize) -> Vec<Vec<String>> {
    let line = &lines[at];
    // Without these, a kernel would race or read what was not written.
    let is_needed = line.contains("barrier(") || line.contains("#define") || line.contains("PARAMETERS");
    if is_needed || line.trim_start().starts_with('}') || line.trim_start().starts_with('a') && line.contains("] =") {
        return Vec::new();
    }
    let without = |range: std::ops::RangeInclusive<usize>| {
        let mut rest = lines.to_vec();
        rest.drain(range);
        rest
    };
    if !line.ends_with('{') {
        return vec![without(at..=at)];
    }
    let closes = |l: &String| indent(l) == indent(line) && l.trim_start().starts_with('}') && !l.ends_with('{');
    let Some(end) = (at + 1..lines.len()).find(|&i| closes(&lines[i])) else {
        return Vec::new();
    };
    let mut all = vec![without(at..=end)];
    if !lines[at..end]
        .iter()
        .any(|l| l.trim() == "} else {" && indent(l) == indent(line))
    {
        let mut inside = lines.to_vec();
        inside.remove(end);
        inside.remove(at);
        all.push(inside);
    }
    all
}
