// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What the tracing layer's functions need to know: a number for each function of Level Zero, the members of the table of
//! callbacks, and the functions that register a callback each.

use std::collections::BTreeMap;
use std::fmt::Write;

/// Writes the numbers of functions, the members of `ze_callbacks_t` as numbers, and the functions that register callbacks.
pub fn generate<'a>(functions: impl Iterator<Item = &'a String>, api: &str, register: &str) -> String {
    let mut code = String::from("numbers! {\n");
    let mut known = BTreeMap::new();
    for name in functions {
        let next = known.len();
        known.entry(name.as_str()).or_insert(next);
    }
    for (name, number) in &known {
        writeln!(code, "    {name} = {number},").expect("a string has room");
    }
    code.push_str("}\ncallbacks! {\n");
    for name in members(api) {
        writeln!(code, "    {name},").expect("a string has room");
    }
    code.push_str("}\n");
    for (registers, name) in registering(register) {
        // Functions whose answer is no error are not traced.
        if known.contains_key(name.as_str()) {
            writeln!(code, "register! {{ {registers}: {name} }}").expect("a string has room");
        }
    }
    code
}

/// The functions of the callbacks in `ze_callbacks_t`, in order.
fn members(api: &str) -> Vec<String> {
    let body = |name: &str| {
        let start = api
            .find(&format!("typedef struct _{name}\n"))
            .expect("the structure is there");
        let lines = api[start..].lines().skip(2);
        lines.take_while(|line| !line.starts_with('}')).collect::<Vec<_>>()
    };
    let first = |line: &str| line.split_whitespace().next().expect("a member has a type").to_owned();
    let groups = body("ze_callbacks_t").into_iter().map(first);
    let callbacks = groups.flat_map(|group| body(&group).into_iter().map(first).collect::<Vec<_>>());
    callbacks.map(|callback| function_of(&callback)).collect()
}

/// `ze_pfnDeviceGetCb_t` is for `zeDeviceGet`.
fn function_of(callback: &str) -> String {
    let names = callback.strip_suffix("Cb_t").and_then(|name| name.split_once("_pfn"));
    let (prefix, name) = names.unwrap_or_else(|| panic!("{callback} is no callback"));
    format!("{prefix}{name}")
}

/// The functions that register callbacks, and the functions that they are for.
fn registering(register: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut lines = register.lines();
    while let Some(line) = lines.next() {
        let Some(name) = line
            .strip_suffix('(')
            .filter(|name| name.starts_with("zelTracer") && name.ends_with("RegisterCallback"))
        else {
            continue;
        };
        let callback = lines.by_ref().map(str::trim).find(|line| line.contains("Cb_t "));
        let callback = callback.and_then(|line| line.split(' ').next()).expect("a callback");
        found.push((name.to_owned(), function_of(callback)));
    }
    assert!(!found.is_empty(), "a header without functions that register callbacks");
    found
}
