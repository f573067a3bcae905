// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A graph as text of the language DOT, which Graphviz draws.

use std::fmt::Write as _;
use std::ptr::null_mut;

use oxur_api::KernelInfo;

use crate::{Backend, InfoOut, Kernel, Node, Operation};

/// The commands, and an edge from each to those that wait for it.
pub(super) fn text<B: Backend>(id: u64, nodes: &[Node<B>]) -> String {
    let mut text = format!("digraph \"graph {id}\" {{\n  node [shape=box];\n");
    for (place, node) in nodes.iter().enumerate() {
        _ = writeln!(text, "  {place} [label=\"{}\"];", label(&node.operation));
    }
    for (place, node) in nodes.iter().enumerate() {
        for before in &node.after {
            _ = writeln!(text, "  {before} -> {place};");
        }
    }
    text + "}\n"
}

/// The command, and the kernel's name if it runs one.
fn label<B: Backend>(operation: &Operation<B>) -> String {
    let command = format!("{:?}", operation.command());
    let command = command.strip_prefix("UR_COMMAND_").unwrap_or(&command);
    match operation.as_launch().and_then(|launch| name::<B>(&launch.kernel)) {
        Some(name) => format!("{command}\\n{}", name.replace('\\', "\\\\").replace('"', "\\\"")),
        None => command.to_owned(),
    }
}

/// A kernel's name, if it tells.
fn name<B: Backend>(kernel: &B::Kernel) -> Option<String> {
    let mut size = 0;
    // SAFETY: only the size is asked for, and has a place.
    let out = unsafe { InfoOut::new(0, null_mut(), &mut size) }.ok()?;
    kernel.info(KernelInfo::FUNCTION_NAME, out).ok()?;
    let mut name = vec![0u8; size];
    // SAFETY: a place of that size.
    let out = unsafe { InfoOut::new(size, name.as_mut_ptr().cast(), null_mut()) }.ok()?;
    kernel.info(KernelInfo::FUNCTION_NAME, out).ok()?;
    let name = String::from_utf8_lossy(&name);
    Some(name.trim_end_matches('\0').to_owned())
}
