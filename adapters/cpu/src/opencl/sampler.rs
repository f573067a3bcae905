// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Samplers.

use std::ffi::c_void;
use std::sync::Arc;

use kit::ur::SamplerInfo;
use kit::{Sampler as _, SamplerProperties};
use opencl_sys::*;
use oxur_adapter_kit as kit;
use oxur_api_opencl as conv;

use super::error::{ClError, ClResult};
use super::handle::{export, object, reference_count};
use super::info::{Out, value};
use super::{creation, object_entries};
use crate::{Context, Sampler};

fn create(
    context: cl_context,
    normalized: bool,
    addressing: cl_addressing_mode,
    filter: cl_filter_mode,
) -> ClResult<*mut c_void> {
    let context = object::<Context>(context)?;
    let wrong = |what: &str| ClError::with_message(CL_INVALID_VALUE, what);
    let addressing = conv::ADDRESSING_MODES.to_ur(addressing);
    let filter = conv::FILTER_MODES.to_ur(filter);
    let addressing = addressing.map_err(|_| wrong("no such addressing mode"))?;
    let filter = filter.map_err(|_| wrong("no such filter mode"))?;
    let properties = SamplerProperties::new(normalized, addressing, filter);
    Ok(export(&Sampler::create(&context, &properties)?))
}

fn info(sampler: &Arc<Sampler>, query: cl_sampler_info, out: Out) -> ClResult<()> {
    let ask = |query| move |out: kit::InfoOut<'_>| sampler.info(query, out);
    match query {
        CL_SAMPLER_REFERENCE_COUNT => out.value(reference_count(&**sampler)),
        CL_SAMPLER_CONTEXT => out.handle(sampler.context()),
        CL_SAMPLER_NORMALIZED_COORDS => out.same_bool(ask(SamplerInfo::NORMALIZED_COORDS)),
        CL_SAMPLER_ADDRESSING_MODE => {
            out.value(conv::ADDRESSING_MODES.to_cl(value(ask(SamplerInfo::ADDRESSING_MODE))?)?)
        }
        CL_SAMPLER_FILTER_MODE => out.value(conv::FILTER_MODES.to_cl(value(ask(SamplerInfo::FILTER_MODE))?)?),
        CL_SAMPLER_PROPERTIES => out.slice::<cl_sampler_properties>(&[]),
        _ => out.unknown(),
    }
}

creation! {
    fn clCreateSampler(
        context: cl_context, normalized: cl_bool, addressing: cl_addressing_mode, filter: cl_filter_mode,
    ) {
        create(context, normalized != 0, addressing, filter)
    }

    fn clCreateSamplerWithProperties(context: cl_context, list: *const cl_sampler_properties) {
        let (mut normalized, mut addressing, mut filter) = (true, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST);
        let mut at = list;
        while !at.is_null() && at.read() != 0 {
            let value = at.add(1).read();
            match at.read() as cl_sampler_info {
                CL_SAMPLER_NORMALIZED_COORDS => normalized = value != 0,
                CL_SAMPLER_ADDRESSING_MODE => addressing = value as cl_addressing_mode,
                CL_SAMPLER_FILTER_MODE => filter = value as cl_filter_mode,
                other => return Err(ClError::with_message(CL_INVALID_VALUE, format!("no property {other:#x}"))),
            }
            at = at.add(2);
        }
        create(context, normalized, addressing, filter)
    }
}

object_entries!(Sampler as cl_sampler: clRetainSampler, clReleaseSampler, clGetSamplerInfo);
