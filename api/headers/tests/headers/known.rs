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

/// Differences that share a reason.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Difference {
    #[expect(dead_code, reason = "it is for the reader, but must be there")]
    reason: String,
    /// The generations that differ from us.
    generations: Vec<String>,
    /// Names that only our ABI has. A name also covers its members.
    #[serde(default)]
    ours: Vec<String>,
    /// Names that only the reference has.
    #[serde(default)]
    theirs: Vec<String>,
    /// Facts that differ: first ours, then the reference's.
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

    /// Differences that are not in the list, and entries of the list without a difference, one per line.
    pub fn surprises(&self, generation: &str, ours: &Facts, theirs: &Facts) -> Vec<String> {
        let listed: Vec<_> = self
            .difference
            .iter()
            .filter(|d| d.generations.iter().any(|g| g == generation))
            .collect();
        let mut surprises = Vec::new();
        let mut met = BTreeSet::new();
        let names: BTreeSet<_> = ours.0.keys().chain(theirs.0.keys()).collect();
        for name in names {
            let (entry, line) = match (ours.0.get(name), theirs.0.get(name)) {
                (ours, theirs) if ours == theirs => continue,
                (Some(ours), Some(theirs)) => {
                    let entry = listed.iter().find_map(|d| d.changed.get_key_value(name));
                    let entry = entry.filter(|(_, facts)| facts[0] == *ours && facts[1] == *theirs);
                    (
                        entry.map(|(name, _)| ("changed", name)),
                        format!("{name:?} = [{ours:?}, {theirs:?}]"),
                    )
                }
                (Some(fact), _) => {
                    let entry = covering(listed.iter().flat_map(|d| &d.ours), name);
                    (entry.map(|entry| ("ours", entry)), format!("only ours: {name}: {fact}"))
                }
                (None, fact) => {
                    let entry = covering(listed.iter().flat_map(|d| &d.theirs), name);
                    let fact = fact.expect("the name is from one of the two");
                    (
                        entry.map(|entry| ("theirs", entry)),
                        format!("only theirs: {name}: {fact}"),
                    )
                }
            };
            surprises.extend(entry.is_none().then_some(line));
            met.extend(entry);
        }
        let ours = listed.iter().flat_map(|d| &d.ours).map(|name| ("ours", name));
        let theirs = listed.iter().flat_map(|d| &d.theirs).map(|name| ("theirs", name));
        let changed = listed
            .iter()
            .flat_map(|d| d.changed.keys())
            .map(|name| ("changed", name));
        let stale = ours.chain(theirs).chain(changed).filter(|entry| !met.contains(entry));
        surprises.extend(stale.map(|(kind, name)| format!("listed as {kind}, but is not so: {name}")));
        surprises
    }
}

/// The entry for `name`, or for the type that `name` is a member of.
fn covering<'a>(mut entries: impl Iterator<Item = &'a String>, name: &str) -> Option<&'a String> {
    let covers = |rest: &str| rest.is_empty() || rest.starts_with('.');
    entries.find(|entry| name.strip_prefix(entry.as_str()).is_some_and(covers))
}
