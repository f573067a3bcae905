// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Checks that the Rust types, our headers and the reference's headers describe the same ABI, except for known differences.

use crate::facts::Facts;
use crate::known::Known;
use crate::{environment, metadata, our_include, parse};
use oxur_api::older::OlderLayout;
use oxur_api::{LegacyDdiTable, TABLES};
use oxur_headers::{LEGACY, functions};
use std::collections::BTreeSet;
use std::os::unix::fs::symlink;

/// The reference's facts of a generation.
fn reference(generation: &str) -> Facts {
    let directory = tempfile::tempdir().expect("a folder to include from");
    symlink(
        environment(&format!("headers/{generation}")),
        directory.path().join("unified-runtime"),
    )
    .expect("the folder is new");
    parse::facts(directory.path(), None)
}

/// Compares the reference's headers of a generation with ours, and ours with the Rust types.
fn compare(generation: &str, legacy: bool) {
    let theirs = reference(generation);
    assert!(
        theirs.0.len() > 3500,
        "only {} facts in the headers of {generation}",
        theirs.0.len()
    );
    let surprises = Known::read().surprises(generation, &metadata::facts(legacy), &theirs);
    assert!(
        surprises.is_empty(),
        "differences.toml is wrong on {generation}:\n{}",
        surprises.join("\n")
    );
    for function in functions().into_iter().chain(LEGACY.functions) {
        let since = function
            .since
            .is_none_or(|since| release(since, 3) <= release(generation, 3));
        let until = function.until.is_none_or(|until| {
            let parts = until.split('.').count();
            release(generation, parts) <= release(until, parts)
        });
        let there = theirs.0.contains_key(function.name);
        assert_eq!(
            since && until,
            there,
            "the table on {} is wrong for {generation}",
            function.name
        );
    }
}

/// The first numbers of a release's name.
fn release(name: &str, parts: usize) -> Vec<u32> {
    name.split('.')
        .take(parts)
        .map(|number| number.parse().expect("releases have numbers"))
        .collect()
}

#[test]
fn generation_2026_0_0() {
    compare("2026.0.0", true);
}

#[test]
fn generation_2026_1_0() {
    compare("2026.1.0", true);
}

#[test]
fn generation_2026_1_2() {
    compare("2026.1.2", true);
}

#[test]
fn generation_2026_2_0() {
    compare("2026.2.0", false);
}

/// Compares the tables of `oxur_api::older` with the headers of releases before 2026.2.
#[test]
fn older_layouts() {
    let layouts = [
        ("2026.0.0", OlderLayout::V2026_0),
        ("2026.1.0", OlderLayout::V2026_0),
        ("2026.1.2", OlderLayout::V2026_1_1),
    ];
    for (generation, layout) in layouts {
        let theirs = reference(generation).0;
        let check = |name: String, before: &str| {
            let fact = theirs
                .get(&name)
                .unwrap_or_else(|| panic!("{generation} has no {name}"));
            assert!(
                fact.starts_with(&format!("after {before}:")),
                "{generation}: {name} is {fact}"
            );
        };
        let (mut last_table, mut slots) = ("the start", 0);
        for (table, functions) in layout.tables() {
            let table = TABLES.iter().find(|known| known.member == table.member).unwrap();
            let known: Vec<_> = [LegacyDdiTable::META, table]
                .iter()
                .flat_map(|table| table.functions)
                .collect();
            check(format!("ur_dditable_t.{}", table.member), last_table);
            last_table = table.member;
            let mut last = "the start".to_owned();
            for function in functions {
                let function = known.iter().find(|known| known.name == function.name).unwrap();
                // The table for older clients contains functions of all kinds of objects.
                let slot = match function.until {
                    Some(_) => function.slot.replacen(table.member, "", 1),
                    None => function.slot.to_owned(),
                };
                check(format!("{}.{slot}", table.c_name), &last);
                last = slot;
                slots += 1;
            }
        }
        let all = theirs.keys().filter(|name| name.contains("_dditable_t.pfn")).count();
        assert_eq!(slots, all, "slots of {generation}");
    }
}

fn our_header(define: Option<&str>) {
    let rust = metadata::facts(define.is_some());
    let header = parse::facts(&our_include(), define);
    let lines = |facts: Facts| -> BTreeSet<_> {
        facts
            .0
            .into_iter()
            .map(|(name, fact)| format!("{name}: {fact}"))
            .collect()
    };
    let (rust, header) = (lines(rust), lines(header));
    let surprises: Vec<_> = rust
        .difference(&header)
        .map(|line| format!("Rust:   {line}"))
        .chain(header.difference(&rust).map(|line| format!("header: {line}")))
        .collect();
    assert!(
        surprises.is_empty(),
        "our headers are not our Rust types:\n{}",
        surprises.join("\n")
    );
}

#[test]
fn our_header_is_our_types() {
    our_header(None);
}

#[test]
fn our_header_with_legacy_is_our_types() {
    our_header(Some("UR_OXUR_LEGACY_API"));
}
