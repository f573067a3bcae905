// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Samplers.

use std::sync::Arc;

use kit::ur::{NativeHandle, SamplerInfo};
use kit::{HandleCell, InfoOut, NativeRef, SamplerProperties, UrResult};
use opencl_sys::*;
use oxur_adapter_kit as kit;

use crate::cl::{Ask, Properties, SamplerObject, api, cl_create};
use crate::{Context, OpenCl, conv};

/// A sampler.
pub(crate) struct Sampler {
    pub(crate) handle_cell: HandleCell,
    pub(crate) raw: NativeRef<SamplerObject>,
    context: Arc<Context>,
}

impl Sampler {
    fn new(raw: NativeRef<SamplerObject>, context: &Arc<Context>) -> Arc<Self> {
        let (handle_cell, context) = (HandleCell::new(), context.clone());
        Arc::new(Self {
            handle_cell,
            raw,
            context,
        })
    }
}

impl kit::Sampler<OpenCl> for Sampler {
    fn create(context: &Arc<Context>, properties: &SamplerProperties) -> UrResult<Arc<Self>> {
        properties.without_bindless()?;
        let normalized = cl_bool::from(properties.normalized);
        let addressing = conv::ADDRESSING_MODES.to_cl(properties.addressing)?;
        let filter = conv::FILTER_MODES.to_cl(properties.filter)?;
        // SAFETY: a live context and a list of properties that ends with 0.
        let raw = unsafe {
            if api().clCreateSamplerWithProperties.is_some() {
                let mut properties = Properties::default();
                properties
                    .add(CL_SAMPLER_NORMALIZED_COORDS, normalized)
                    .add(CL_SAMPLER_ADDRESSING_MODE, addressing)
                    .add(CL_SAMPLER_FILTER_MODE, filter);
                cl_create!(clCreateSamplerWithProperties(*context.raw, properties.as_ptr()))
            } else {
                cl_create!(clCreateSampler(*context.raw, normalized, addressing, filter))
            }
        }?;
        Ok(Self::new(raw, context))
    }

    fn info(&self, query: SamplerInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            SamplerInfo::CONTEXT => out.handle(&self.context),
            SamplerInfo::NORMALIZED_COORDS => out.bool(self.raw.ask::<cl_bool>(CL_SAMPLER_NORMALIZED_COORDS)? != 0),
            SamplerInfo::ADDRESSING_MODE => {
                out.value(conv::ADDRESSING_MODES.to_ur(self.raw.ask(CL_SAMPLER_ADDRESSING_MODE)?)?)
            }
            SamplerInfo::FILTER_MODE => out.value(conv::FILTER_MODES.to_ur(self.raw.ask(CL_SAMPLER_FILTER_MODE)?)?),
            _ => out.unsupported(),
        }
    }

    fn native(self: &Arc<Self>) -> UrResult<NativeHandle> {
        self.context.share();
        Ok(*self.raw as NativeHandle)
    }

    fn from_native(context: &Arc<Context>, native: NativeHandle, owned: bool) -> UrResult<Arc<Self>> {
        // SAFETY: the client vouches for its native handle.
        let raw = unsafe { NativeRef::wrap(native as cl_sampler, owned) }?;
        Ok(Self::new(raw, context))
    }
}
