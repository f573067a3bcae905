// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The list of known differences between our ABI and the reference's generations.

use crate::facts::Facts;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// `differences.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    difference: Vec<Difference>,
}

/// Differences with one reason.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Difference {
    #[expect(dead_code, reason = "it is for the reader, but must be there")]
    reason: String,
    /// The generations that differ from us.
    generations: Vec<String>,
    /// Names that only we have; a name stands for its members, too.
    #[serde(default)]
    ours: Vec<String>,
    /// Names that only they have.
    #[serde(default)]
    theirs: Vec<String>,
    /// Facts that differ: ours, then theirs.
    #[serde(default)]
    changed: BTreeMap<String, [String; 2]>,
}

impl Known {
    /// Reads the list.
    pub fn read() -> Self {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/headers/differences.toml");
        let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    }

    /// What differs and is not in the list, and what is in the list and does not differ; a line each.
    pub fn surprises(&self, generation: &str, ours: &Facts, theirs: &Facts) -> Vec<String> {
        let mut surprises = Vec::new();
        let mut met = BTreeSet::new();
        let listed = || {
            self.difference
                .iter()
                .filter(|known| known.generations.iter().any(|name| name == generation))
        };
        let names: BTreeSet<_> = ours.0.keys().chain(theirs.0.keys()).collect();
        for name in names {
            let difference = match (ours.0.get(name), theirs.0.get(name)) {
                (Some(ours), Some(theirs)) if ours == theirs => continue,
                (Some(ours), Some(theirs)) => {
                    let known = listed().any(|known| {
                        known
                            .changed
                            .get(name)
                            .is_some_and(|it| it[0] == *ours && it[1] == *theirs)
                    });
                    let line = format!("{name:?} = [{ours:?}, {theirs:?}]");
                    known.then_some(("changed", name)).ok_or(line)
                }
                (Some(fact), None) => covering(listed().flat_map(|known| &known.ours), name)
                    .map(|by| ("ours", by))
                    .ok_or(format!("only ours: {name}: {fact}")),
                (None, fact) => covering(listed().flat_map(|known| &known.theirs), name)
                    .map(|by| ("theirs", by))
                    .ok_or(format!("only theirs: {name}: {}", fact.map_or("", |fact| fact))),
            };
            match difference {
                Ok(listed) => {
                    met.insert(listed);
                }
                Err(surprise) => surprises.push(surprise),
            }
        }
        for known in listed() {
            let all = [
                ("ours", known.ours.iter().collect()),
                ("theirs", known.theirs.iter().collect()),
                ("changed", known.changed.keys().collect()),
            ];
            let all: [(_, Vec<_>); 3] = all;
            for (kind, names) in all {
                let stale = names.into_iter().filter(|name| !met.contains(&(kind, *name)));
                surprises.extend(stale.map(|name| format!("listed as {kind}, but is not so: {name}")));
            }
        }
        surprises
    }
}

/// The entry that is `name` or what `name` is a member of.
fn covering<'a>(mut entries: impl Iterator<Item = &'a String>, name: &str) -> Option<&'a String> {
    entries.find(|&entry| {
        name.strip_prefix(entry.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}
