// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Samplers.

use std::sync::Arc;

use kit::ur::NativeHandle;
use kit::{NativeRef, SamplerProperties, UrResult};
use opencl_sys::*;
use oxur_adapter_kit as kit;

use crate::cl::{Ask, Properties, SamplerObject, api, cl_create};
use crate::{Context, OpenCl, conv};

/// A sampler.
pub(crate) type Sampler = kit::DriverSampler<OpenCl, NativeRef<SamplerObject>>;

impl kit::NativeSampler<OpenCl> for NativeRef<SamplerObject> {
    fn create(context: &Arc<Context>, properties: &SamplerProperties) -> UrResult<Self> {
        let normalized = cl_bool::from(properties.normalized);
        let addressing = conv::ADDRESSING_MODES.to_cl(properties.addressing)?;
        let filter = conv::FILTER_MODES.to_cl(properties.filter)?;
        // SAFETY: a live context and a list of properties that ends with 0.
        unsafe {
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
        }
    }

    fn native(&self, context: &Arc<Context>) -> UrResult<NativeHandle> {
        context.share();
        Ok(**self as NativeHandle)
    }

    fn from_native(native: NativeHandle, owned: bool) -> UrResult<Self> {
        // SAFETY: the client vouches for its native handle.
        unsafe { Self::wrap(native as cl_sampler, owned) }
    }

    fn properties(&self) -> UrResult<SamplerProperties> {
        let normalized = self.ask::<cl_bool>(CL_SAMPLER_NORMALIZED_COORDS)? != 0;
        let addressing = conv::ADDRESSING_MODES.to_ur(self.ask(CL_SAMPLER_ADDRESSING_MODE)?)?;
        let filter = conv::FILTER_MODES.to_ur(self.ask(CL_SAMPLER_FILTER_MODE)?)?;
        Ok(SamplerProperties::new(normalized, addressing, filter))
    }
}
