// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Samplers: a number for kernels.

use std::sync::Arc;

use kit::ur::SamplerFilterMode;
use kit::{SamplerProperties, UrResult};
use oxur_adapter_kit as kit;
use oxur_compiler::SamplerBits;

use crate::{Context, Cuda};

/// A sampler, with what kernels get.
pub(crate) type Sampler = kit::DriverSampler<Cuda, SamplerBits>;

/// What kernels get. UR and SPIR-V give the modes the same numbers.
pub(crate) fn bits(properties: &SamplerProperties) -> SamplerBits {
    let is_linear = properties.filter == SamplerFilterMode::LINEAR;
    let bits = SamplerBits::new(properties.normalized, properties.addressing.0, is_linear);
    match properties.addressing_by_dimension {
        Some(modes) => bits.with_addressing(modes.map(|mode| mode.0)),
        None => bits,
    }
}

impl kit::NativeSampler<Cuda> for SamplerBits {
    fn create(_context: &Arc<Context>, properties: &SamplerProperties) -> UrResult<Self> {
        Ok(bits(properties))
    }
}
