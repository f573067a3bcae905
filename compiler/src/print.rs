// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What the stages make of a kernel, as text: for the command line tool and tests.

use std::sync::Arc;

#[cfg(feature = "nvptx")]
use crate::Target;
use crate::code::Variant;
use crate::llvm::Context;
use crate::options::Mode;
use crate::program::Program;
use crate::{Error, codegen, lower};

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
        let variant = if self.options.mode == Mode::Scalar {
            Variant::Scalar
        } else {
            Variant::Main
        };
        let (machine, module, shape) = self.widened(&context, linked, variant)?;
        if stage == "workgroup" {
            return Ok(module.to_string());
        }
        codegen::optimize(&machine, &module, &self.options, shape.lanes > 1)?;
        if stage == "optimize" {
            return Ok(module.to_string());
        }
        let text = machine.emit(&module, true).map_err(Error::Codegen)?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }
}
