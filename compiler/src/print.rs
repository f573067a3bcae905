// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What the stages make of a kernel, as text: for the command line tool and tests.

use std::sync::Arc;

#[cfg(feature = "nvptx")]
use crate::Target;
use crate::code::Variant;
use crate::llvm::Context;
use crate::options::Tier;
use crate::program::Program;
use crate::stage_times::StageTimes;
use crate::{Error, lower};

impl Program {
    /// The LLVM IR of a kernel after a stage: `lower`, `workgroup` or `optimize`; or its `assembly`.
    pub fn print(self: &Arc<Self>, kernel: &str, stage: &str) -> Result<String, Error> {
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
        let variant = match self.options.tier {
            Tier::Quick => Variant::Quick,
            Tier::Best | Tier::Adaptive => Variant::Main,
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
