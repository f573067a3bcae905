// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Samplers: a number for kernels.

use std::sync::Arc;

use kit::ur::{SamplerFilterMode, SamplerInfo};
use kit::{HandleCell, InfoOut, SamplerProperties, UrResult};
use oxur_adapter_kit as kit;
use oxur_compiler::SamplerBits;

use crate::{Context, Cuda};

/// A sampler.
pub(crate) struct Sampler {
    pub(crate) handle_cell: HandleCell,
    context: Arc<Context>,
    properties: SamplerProperties,
}

impl Sampler {
    /// What kernels get.
    #[inline]
    pub(crate) fn bits(&self) -> SamplerBits {
        bits(&self.properties)
    }
}

/// What kernels get. UR and SPIR-V give the modes the same numbers.
pub(crate) fn bits(properties: &SamplerProperties) -> SamplerBits {
    let is_linear = properties.filter == SamplerFilterMode::LINEAR;
    let bits = SamplerBits::new(properties.normalized, properties.addressing.0, is_linear);
    match properties.addressing_by_dimension {
        Some(modes) => bits.with_addressing(modes.map(|mode| mode.0)),
        None => bits,
    }
}

impl kit::Sampler<Cuda> for Sampler {
    fn create(context: &Arc<Context>, properties: &SamplerProperties) -> UrResult<Arc<Self>> {
        properties.without_bindless()?;
        Ok(Arc::new(Self {
            handle_cell: HandleCell::new(),
            context: context.clone(),
            properties: *properties,
        }))
    }

    fn info(&self, query: SamplerInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            SamplerInfo::CONTEXT => out.handle(&self.context),
            _ => self.properties.info(query, out),
        }
    }
}
