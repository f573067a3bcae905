// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What the vectorizer reads and infers, as text.

use std::fmt::Write as _;

use super::cfg::{Cfg, Node};
use super::divergence::{Ids, VectorShape, VectorShapes};
use super::prepare;
use crate::intrinsics::KERNEL;
use crate::llvm::{Kind, Machine, Module};
use crate::workgroup::{SubGroupLayout, width};

/// Has a module be as the vectorizer reads it.
pub fn prepared(
    machine: &Machine,
    module: &Module<'_>,
    sub_group_size: u32,
    layout: SubGroupLayout,
) -> Result<(), String> {
    let width = width(module, sub_group_size);
    prepare(machine, module, width, layout.spans_rows, None)
}

/// A prepared kernel with the shape of each value: `uniform` (the same in all lanes), `affine N` (by N more from lane to lane; `wraps`, if
/// that holds only for numbers that wrap) or `varying`. `hoped` is what it is if no index wraps, where that is more. Blocks say whether
/// lanes part at their end, whether some may not come there, and whether they begin a loop that lanes leave in different rounds.
pub fn shapes(module: &Module<'_>, sub_group_size: u32, layout: SubGroupLayout) -> Result<String, String> {
    let lanes = width(module, sub_group_size).lanes;
    let kernel = module.function(KERNEL).ok_or("there is no kernel")?;
    let cfg = Cfg::new(kernel)?;
    let of = |ids| VectorShapes::new(module, &cfg, lanes, ids);
    let (known, hoped) = (of(Ids::of(layout.spans_rows)), of(Ids::hoped(layout.spans_rows)));
    let mut text = format!("{lanes} lanes\n");
    for (node, block) in cfg.blocks.iter().enumerate() {
        let notes = notes(&cfg, &known, node);
        _ = writeln!(text, "{}:{notes}", format!("{block:?}").replace('"', ""));
        for inst in block.instructions() {
            let line = format!("{inst:?}");
            if inst.ty().kind() == Kind::Void {
                _ = writeln!(text, "{line}");
                continue;
            }
            let (shape, hope) = (known.of(inst), hoped.of(inst));
            _ = write!(text, "{line} ; {}", Text(shape));
            if hope != shape {
                _ = write!(text, ", hoped {}", Text(hope));
            }
            text.push('\n');
        }
    }
    Ok(text)
}

fn notes(cfg: &Cfg<'_>, shapes: &VectorShapes<'_>, node: Node) -> String {
    let mut notes = Vec::new();
    if shapes.predicated.contains(&node) {
        notes.push("masked");
    }
    if shapes.divergent_branches.contains(&node) {
        notes.push("lanes part");
    }
    let begins = |&number: &usize| cfg.loops[number].header == node;
    match (0..cfg.loops.len()).find(begins) {
        Some(number) if shapes.divergent_loops.contains(&number) => notes.push("loop that lanes leave one by one"),
        Some(_) => notes.push("loop"),
        None => {}
    }
    match notes.is_empty() {
        true => String::new(),
        false => format!(" ; {}", notes.join(", ")),
    }
}

struct Text(VectorShape);

impl std::fmt::Display for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            VectorShape::Uniform => f.write_str("uniform"),
            VectorShape::Varying => f.write_str("varying"),
            VectorShape::Affine { stride, exact: true } => write!(f, "affine {stride}"),
            VectorShape::Affine { stride, exact: false } => write!(f, "affine {stride} wraps"),
        }
    }
}
