// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Samplers.

use std::sync::Arc;

use kit::ur::{NativeHandle, SamplerFilterMode, SamplerInfo};
use kit::{HandleCell, InfoOut, SamplerProperties, UrResult};
use oxur_adapter_kit as kit;
use oxur_compiler::SamplerBits;

use crate::opencl::{self, NativeCell};
use crate::{Context, Cpu};

/// A sampler.
pub(crate) struct Sampler {
    pub(crate) handle_cell: HandleCell,
    pub(crate) native: NativeCell,
    context: Arc<Context>,
    properties: SamplerProperties,
}

impl Sampler {
    /// The context that it is in.
    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// The descriptor for kernels.
    pub(crate) fn bits(&self) -> SamplerBits {
        // UR and SPIR-V give the modes the same numbers.
        SamplerBits::new(
            self.properties.normalized,
            self.properties.addressing.0,
            self.properties.filter == SamplerFilterMode::LINEAR,
        )
    }
}

impl kit::Sampler<Cpu> for Sampler {
    fn create(context: &Arc<Context>, properties: &SamplerProperties) -> UrResult<Arc<Self>> {
        properties.without_bindless()?;
        Ok(Arc::new(Self {
            handle_cell: HandleCell::new(),
            native: NativeCell::new(),
            context: context.clone(),
            properties: *properties,
        }))
    }

    fn native(self: &Arc<Self>) -> UrResult<NativeHandle> {
        opencl::native(self)
    }

    fn from_native(context: &Arc<Context>, native: NativeHandle, owned: bool) -> UrResult<Arc<Self>> {
        let sampler: Arc<Self> = opencl::from_native(native, false)?;
        opencl::check_context(&sampler.context, context)?;
        opencl::from_native(native, owned)
    }

    fn info(&self, query: SamplerInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            SamplerInfo::CONTEXT => out.handle(&self.context),
            _ => self.properties.info(query, out),
        }
    }
}
