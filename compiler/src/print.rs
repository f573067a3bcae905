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
use crate::{Error, lower};

impl Program {
    /// The names of variants of code, by the groups that each is for: whose rows fill all lanes, whose rows do not; and where
    /// sub-groups span rows, that fill all lanes as a whole, or do not.
    pub const VARIANTS: [&str; 4] = ["main", "with-tail", "across-rows", "across-rows-with-tail"];

    /// The LLVM IR of a kernel after a stage: `lower`, `workgroup` or `optimize`; or its `assembly`. `variant` is one of
    /// [`Program::VARIANTS`], or else what a kernel has first.
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
            (Some(other), _) => return Err(Error::Codegen(format!("there is no variant {other}"))),
        };
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
