// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Graphs as text for Graphviz.

use std::any::Any;
use std::ffi::c_void;
use std::fmt::Write;

use level_zero_sys::*;
use oxur_compiler::{AddressSpace, Param, ParamKind};
use oxur_device_cpu::kernel::LaunchWork;

use super::Node;
use crate::entry::ZeResult;
use crate::handle::{Chain, known};
use crate::kernel::ArgObject;

/// How much a picture says.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Names of commands.
    Simple,
    /// The arguments of kernels, too.
    Detailed,
}

/// The mode that a client asks for.
///
/// # Safety
/// `next` must be a chain of structures.
pub(super) unsafe fn mode(next: *const c_void) -> ZeResult<Mode> {
    // SAFETY: passed on to the caller.
    let chain = unsafe { Chain::new(next) };
    let Some(desc) = chain.find::<ze_record_replay_graph_ext_dump_desc_t>() else {
        return Ok(Mode::Detailed);
    };
    known(desc.mode.0, ZE_RECORD_REPLAY_GRAPH_EXT_DUMP_MODE_SIMPLE.0)?;
    Ok(match desc.mode {
        ZE_RECORD_REPLAY_GRAPH_EXT_DUMP_MODE_SIMPLE => Mode::Simple,
        _ => Mode::Detailed,
    })
}

/// The graph of these commands. Commands of a list are in a box.
pub(super) fn dot(nodes: &[Node], mode: Mode) -> String {
    let mut text = String::from("digraph graph_of_commands {\n  node [shape=box];\n");
    let lists = nodes.iter().map(|node| node.list + 1).max().unwrap_or(0);
    for list in 0..lists {
        let of_list = |(_, node): &(usize, &Node)| node.list == list;
        _ = writeln!(text, "  subgraph cluster_{list} {{\n    label=\"list {list}\";");
        for (index, node) in nodes.iter().enumerate().filter(of_list) {
            let label = label(index, node, mode).replace('\\', "\\\\").replace('"', "\\\"");
            _ = writeln!(text, "    n{index} [label=\"{}\"];", label.replace('\n', "\\l"));
        }
        text.push_str("  }\n");
    }
    for (index, node) in nodes.iter().enumerate() {
        for before in &node.dependencies {
            _ = writeln!(text, "  n{before} -> n{index};");
        }
    }
    text.push_str("}\n");
    text
}

fn label(index: usize, node: &Node, mode: Mode) -> String {
    let work = &*node.command.work;
    let mut label = match work.chunks() {
        // It takes part in the order only.
        0 => format!("{index}: a barrier"),
        _ => format!("{index}: {}", work.describe()),
    };
    let waits = node.command.events.waits.len();
    if waits != 0 {
        _ = write!(label, "\nwaits for events of others: {waits}");
    }
    if node.command.events.signal.is_some() {
        label.push_str("\nsignals an event");
    }
    if let (Mode::Detailed, Some(launch)) = (mode, (work as &dyn Any).downcast_ref::<LaunchWork<ArgObject>>()) {
        _ = write!(label, "\nwork-groups: {}", launch.groups());
        let block = launch.args().block();
        for (index, param) in launch.kernel().info().params.iter().enumerate() {
            let name = if param.name.is_empty() { "" } else { " " };
            _ = write!(label, "\narg {index}{name}{}: {}", param.name, value(param, block));
        }
    }
    label.push('\n');
    label
}

/// The type and the value of an argument.
fn value(param: &Param, block: &[u8]) -> String {
    let bytes = block.get(param.offset..param.offset + param.size).unwrap_or_default();
    let number = || {
        bytes
            .iter()
            .rev()
            .fold(0u128, |number, byte| number << 8 | u128::from(*byte))
    };
    match param.kind {
        ParamKind::Pointer(space) => {
            let space = match space {
                AddressSpace::Global => "global",
                AddressSpace::Constant => "constant",
                AddressSpace::Generic => "generic",
            };
            format!("{space} pointer {:#x}", number())
        }
        ParamKind::Local => "local memory".to_owned(),
        ParamKind::Image => format!("image {:#x}", number()),
        ParamKind::Sampler => format!("sampler {:#x}", number()),
        ParamKind::Value if param.size <= 8 => format!("{} bytes {:#x}", param.size, number()),
        ParamKind::Value => {
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("{} bytes, {hex}", param.size)
        }
    }
}
