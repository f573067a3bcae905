// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Which arguments of a function must not be null, from the documentation in its header.

use std::collections::BTreeMap;
use std::fmt::Write;

/// The places of the arguments of a function that must not be null, as bits.
#[derive(Default)]
struct Nulls {
    handles: u32,
    pointers: u32,
}

/// A constant for each of these functions: zeros for those that no header documents.
pub fn generate<'a>(functions: impl Iterator<Item = &'a String>, headers: &[String]) -> String {
    let documented: BTreeMap<String, Nulls> = headers.iter().flat_map(|header| parse(header)).collect();
    let mut code = String::new();
    for function in functions {
        let Nulls { handles, pointers } = documented.get(function).unwrap_or(
            &const {
                Nulls {
                    handles: 0,
                    pointers: 0,
                }
            },
        );
        writeln!(
            code,
            "pub(crate) const {function}: Nulls = Nulls {{ handles: {handles:#x}, pointers: {pointers:#x} }};"
        )
        .expect("a string has room");
    }
    code
}

/// The functions of a header. The documentation of one is right before it: `- ::CODE` for an error, and below of it
/// `+ \`nullptr == NAME\`` for what must not be null.
fn parse(header: &str) -> Vec<(String, Nulls)> {
    let mut functions = Vec::new();
    let (mut code, mut nulls) = ("", Vec::new());
    let mut lines = header.lines();
    while let Some(line) = lines.next() {
        if let Some(line) = line.strip_prefix("/// ") {
            let line = line.trim();
            if line.starts_with("@brief") {
                nulls.clear();
            } else if let Some(next) = line.strip_prefix("- ::") {
                code = next;
            } else if let Some(name) = line
                .strip_prefix("+ `nullptr == ")
                .and_then(|rest| rest.strip_suffix('`'))
            {
                nulls.push((code, name));
            }
        } else if let Some(name) = line.strip_suffix('(').filter(|name| name.starts_with("ze")) {
            let parameters = lines.by_ref().take_while(|line| !line.contains(");"));
            // `    ze_driver_handle_t hDriver,    ///< [in] …`
            let names = parameters.filter_map(|line| {
                let declared = line.split("///<").next()?.trim().trim_end_matches(',');
                declared.rsplit([' ', '*']).next().filter(|name| !name.is_empty())
            });
            let names: Vec<&str> = names.collect();
            let mut found = Nulls::default();
            for (code, null) in nulls.drain(..) {
                let Some(place) = names.iter().position(|name| *name == null) else {
                    continue;
                };
                match code.trim() {
                    "ZE_RESULT_ERROR_INVALID_NULL_HANDLE" => found.handles |= 1 << place,
                    "ZE_RESULT_ERROR_INVALID_NULL_POINTER" => found.pointers |= 1 << place,
                    _ => {}
                }
            }
            functions.push((name.to_owned(), found));
        }
    }
    functions
}
