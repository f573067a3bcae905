// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What the stages make of a kernel, as text: for the command line tool and tests.

use std::sync::Arc;

#[cfg(feature = "nvptx")]
use crate::Target;
use crate::code::Variant;
use crate::llvm::{self, Context};
use crate::options::Tier;
use crate::program::Program;
use crate::stage_times::StageTimes;
use crate::workgroup::{self, SubGroupLayout};
use crate::{Error, lower};

impl Program {
    /// The LLVM IR of a kernel after a stage: `lower`, `prepare` (what the vectorizer reads), `shapes` (the same with what it infers of each
    /// value), `workgroup` or `optimize`; or its `assembly`. Without a `variant` it is that of
    /// what a kernel has first. The names of variants tell the groups that each is for: `main`, whose rows fill all lanes, and
    /// `with-tail`, whose rows do not; where sub-groups span rows, `across-rows`, that fill all lanes as a whole, and
    /// `across-rows-with-tail`, that do not; `groups-of-256` and the like, of this one size; and where several groups of one column run
    /// as one, `columns`, and `columns-of-1x96` and the like.
    pub fn print(self: &Arc<Self>, kernel: &str, stage: &str, variant: Option<&str>) -> Result<String, Error> {
        llvm::open()?;
        #[cfg(feature = "nvptx")]
        if self.options.target != Target::Host {
            return self.nvptx_unit(kernel)?.print(stage);
        }
        let linked = self.linked.kernels.iter().find(|k| k.info.name == kernel);
        let linked = linked.ok_or_else(|| Error::NoKernel(kernel.to_string()))?;
        let context = Context::new();
        if stage == "lower" {
            return Ok(lower::kernel(&context, &self.linked, linked)?.to_string());
        }
        let variant = match (variant, self.options.tier) {
            (None, Tier::Quick) => Variant::Quick,
            (None | Some("main"), _) => Variant::Main,
            (Some("with-tail"), _) => Variant::WithTail,
            (Some("across-rows"), _) => Variant::AcrossRows,
            (Some("across-rows-with-tail"), _) => Variant::AcrossRowsWithTail,
            (Some(name), _) if let Some(size) = name.strip_prefix("groups-of-").and_then(whole_group) => {
                Variant::WholeGroup(size)
            }
            (Some("columns"), _) => Variant::Columns,
            (Some(name), _) if let Some(size) = name.strip_prefix("columns-of-").and_then(whole_group) => {
                Variant::WholeColumns(size)
            }
            (Some(other), _) => return Err(Error::Codegen(format!("there is no variant {other}"))),
        };
        if ["prepare", "shapes"].contains(&stage) {
            let layout = SubGroupLayout::of(variant).ok_or_else(|| no_vectors(variant))?;
            let (machine, width) = (
                llvm::Machine::host().map_err(Error::Codegen)?,
                linked.info.collective_width,
            );
            let module = lower::kernel(&context, &self.linked, linked)?;
            workgroup::prepare(&machine, &module, width, layout).map_err(Error::Codegen)?;
            return match stage {
                "prepare" => Ok(module.to_string()),
                _ => workgroup::shapes(&module, width, layout).map_err(Error::Codegen),
            };
        }
        let (machine, module, shape) = self.widened(&context, linked, variant, &mut StageTimes::start())?;
        if stage == "workgroup" {
            return Ok(module.to_string());
        }
        self.optimize(&machine, &module, shape, variant)?;
        if stage == "optimize" {
            return Ok(module.to_string());
        }
        let text = machine.emit(&module, true).map_err(Error::Codegen)?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }
}

fn no_vectors(variant: Variant) -> Error {
    Error::Codegen(format!("the variant {variant:?} has no vectors"))
}

/// The size of groups that may be one vector, such as `256` or `8x8`.
fn whole_group(text: &str) -> Option<[u16; 3]> {
    let mut size = [1; 3];
    let mut numbers = text.split('x');
    for (number, text) in size.iter_mut().zip(&mut numbers) {
        *number = text.parse().ok()?;
    }
    let is_all = numbers.next().is_none();
    (is_all && workgroup::whole_group::suits(size.map(u64::from), 1)).then_some(size)
}
