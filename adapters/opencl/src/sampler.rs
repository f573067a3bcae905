// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Samplers.

use std::ffi::c_void;
use std::sync::Arc;

use kit::ur::{NativeHandle, SamplerInfo};
use kit::{HandleCell, InfoOut, SamplerProperties, UrResult};
use opencl_sys::*;
use oxur_adapter_kit as kit;

use crate::cl::{self, Plain, api, cl, cl_create};
use crate::{Context, OpenCl, conv};

/// A sampler.
pub(crate) struct Sampler {
    pub(crate) handle_cell: HandleCell,
    pub(crate) raw: cl_sampler,
    context: Arc<Context>,
}

// SAFETY: an OpenCL handle may be used from any thread.
unsafe impl Send for Sampler {}
// SAFETY: as above.
unsafe impl Sync for Sampler {}

impl Sampler {
    fn ask<T: Plain>(&self, what: cl_sampler_info) -> UrResult<T> {
        // SAFETY: a live sampler; the pointers are those of `value`.
        cl::value(|size, value, needed| unsafe { cl!(clGetSamplerInfo(self.raw, what, size, value, needed)) })
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        // SAFETY: the reference is ours.
        if let Err(error) = unsafe { cl!(clReleaseSampler(self.raw)) } {
            log::warn!("a sampler is leaked: {error}");
        }
    }
}

impl kit::Sampler<OpenCl> for Sampler {
    fn create(context: &Arc<Context>, properties: &SamplerProperties) -> UrResult<Arc<Self>> {
        properties.without_bindless()?;
        let normalized = cl_bool::from(properties.normalized);
        let addressing = conv::addressing_mode(properties.addressing)?;
        let filter = conv::filter_mode(properties.filter)?;
        // SAFETY: a live context and a list of properties that ends with 0.
        let raw = unsafe {
            if api().clCreateSamplerWithProperties.is_some() {
                let properties = [
                    u64::from(CL_SAMPLER_NORMALIZED_COORDS),
                    u64::from(normalized),
                    u64::from(CL_SAMPLER_ADDRESSING_MODE),
                    u64::from(addressing),
                    u64::from(CL_SAMPLER_FILTER_MODE),
                    u64::from(filter),
                    0,
                ];
                cl_create!(clCreateSamplerWithProperties(context.raw, properties.as_ptr()))
            } else {
                cl_create!(clCreateSampler(context.raw, normalized, addressing, filter))
            }
        }?;
        Ok(Arc::new(Self {
            handle_cell: HandleCell::new(),
            raw,
            context: context.clone(),
        }))
    }

    fn info(&self, query: SamplerInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            SamplerInfo::CONTEXT => out.handle(&self.context),
            SamplerInfo::NORMALIZED_COORDS => out.bool(self.ask::<cl_bool>(CL_SAMPLER_NORMALIZED_COORDS)? != 0),
            SamplerInfo::ADDRESSING_MODE => {
                out.value(conv::addressing_mode_back(self.ask(CL_SAMPLER_ADDRESSING_MODE)?)?)
            }
            SamplerInfo::FILTER_MODE => out.value(conv::filter_mode_back(self.ask(CL_SAMPLER_FILTER_MODE)?)?),
            _ => out.unsupported(),
        }
    }

    fn native(self: &Arc<Self>) -> UrResult<NativeHandle> {
        self.context.share();
        Ok(self.raw as NativeHandle)
    }

    fn from_native(context: &Arc<Context>, native: NativeHandle, owned: bool) -> UrResult<Arc<Self>> {
        let raw = native as *mut c_void;
        if !owned {
            // SAFETY: the client vouches for its native handle. Released in `drop`.
            unsafe { cl!(clRetainSampler(raw)) }?;
        }
        Ok(Arc::new(Self {
            handle_cell: HandleCell::new(),
            raw,
            context: context.clone(),
        }))
    }
}
