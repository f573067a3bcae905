// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The comments in the headers. A C comment precedes a whole function, so it also describes the parameters and errors. The
//! tables have no text for parameters that mean the same everywhere; this module supplies it.

use crate::names;
use oxur_api::ResultCode;
use oxur_api::meta::{Attributes, Direction, Field, Function, Variant};

/// The maximum width of a comment line, in columns.
const WIDTH: usize = 110;

/// The text for a parameter or member that the tables leave without one.
fn common(field: &Field) -> Option<&'static str> {
    let Attributes {
        direction, optional, ..
    } = field.attributes;
    let reads = direction == Direction::In && !optional;
    Some(match field.name {
        "stype" => "which structure this is: the `UR_STRUCTURE_TYPE_` of its name",
        "pNext" => "next structure of a chain of extensions; null ends the chain",
        "pProperties" if reads => "what is wanted",
        "pProperties" => "further wishes; null for the defaults",
        "numEventsInWaitList" => "length of `phEventWaitList`",
        "phEventWaitList" => "events that must complete first; null if and only if `numEventsInWaitList` is 0",
        "phEvent" if direction == Direction::InOut && !optional => "event that takes on the state of this command",
        "phEvent" if optional => "receives an event of this command, for the caller to release; null if not wanted",
        "phEvent" => "receives the event, for the caller to release",
        "propSize" => "size of the value in bytes; with a buffer to fill, the size of the buffer",
        "pPropValue" if reads => "points to the value; its type follows from `propName`",
        "pPropValue" => "buffer for the value, whose type follows from `propName`; null to ask only for the size",
        "pPropSizeRet" => "receives the size of the value in bytes; null if not wanted",
        _ => return None,
    })
}

/// The text for a parameter or member.
///
/// # Panics
/// Panics if there is none: the tables must have a text for everything that is not common.
fn text(field: &Field) -> String {
    let optional = if field.attributes.optional { "[optional] " } else { "" };
    let text = match field.doc {
        "" => common(field)
            .unwrap_or_else(|| panic!("{} has no documentation", field.name))
            .to_owned(),
        doc => join(doc),
    };
    format!("{optional}{text}")
}

/// The direction of a parameter: `in`, `out` or `inout`.
fn direction(field: &Field) -> &'static str {
    field.attributes.direction.name()
}

fn join(doc: &str) -> String {
    doc.lines().map(str::trim).collect::<Vec<_>>().join(" ")
}

/// The comment of a member of a structure or union.
pub fn member(field: &Field) -> Vec<String> {
    wrap(&format!("[{}]", direction(field)), &text(field))
}

/// The comment of an enumerator, with the type of the answer if it is a query.
pub fn variant(variant: &Variant) -> Vec<String> {
    let mut text = join(variant.doc);
    if let Some(answer) = variant.answer {
        let dot = if text.is_empty() || text.ends_with('.') {
            ""
        } else {
            "."
        };
        let optional = if answer.optional { ", optional" } else { "" };
        text = format!("{text}{dot} Answer: `{}`{optional}", names::c_type(&answer.ty));
    }
    if text.trim().is_empty() {
        Vec::new()
    } else {
        wrap("", text.trim())
    }
}

/// The comment of a function.
pub fn function(function: &Function) -> Vec<String> {
    let mut lines: Vec<String> = function.doc.lines().map(|line| line.trim().to_owned()).collect();
    if let Some(since) = function.since {
        lines.extend(["".to_owned(), format!("@since {since}")]);
    }
    if let Some(until) = function.until {
        lines.extend([
            "".to_owned(),
            format!("@deprecated The last release with this function is {until}."),
        ]);
    }
    if !function.params.is_empty() {
        lines.push(String::new());
    }
    for param in function.params {
        lines.extend(wrap(
            &format!("@param[{}] {}", direction(param), param.c_name()),
            &text(param),
        ));
    }
    let codes: Vec<_> = [ResultCode::SUCCESS]
        .iter()
        .chain(function.errors)
        .map(|code| format!("`{code:?}`"))
        .collect();
    lines.push(String::new());
    lines.extend(wrap("@returns", &codes.join(", ")));
    lines
}

/// Breaks `head` and `text` into lines. With a head, all lines but the first are indented.
fn wrap(head: &str, text: &str) -> Vec<String> {
    let indent = if head.is_empty() { "" } else { "    " };
    let mut lines = vec![head.to_owned()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("never empty");
        if line.len() + word.len() >= WIDTH {
            lines.push(format!("{indent}{word}"));
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}
