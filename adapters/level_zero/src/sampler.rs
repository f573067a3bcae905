// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Samplers.

use std::sync::Arc;

use kit::ur::{NativeHandle, SamplerAddressingMode, SamplerFilterMode, SamplerInfo};
use kit::{Context as _, HandleCell, InfoOut, SamplerProperties, UrResult};
use level_zero_sys::*;
use oxur_adapter_kit as kit;

use crate::ze::{Owned, SamplerKind, ze_get};
use crate::{Context, LevelZero};

/// A sampler.
pub(crate) struct Sampler {
    pub(crate) handle_cell: HandleCell,
    raw: Owned<SamplerKind>,
    /// Level Zero does not tell them. `None` for a native one.
    properties: Option<SamplerProperties>,
    context: Arc<Context>,
}

impl Sampler {
    fn new(raw: Owned<SamplerKind>, properties: Option<SamplerProperties>, context: &Arc<Context>) -> Arc<Self> {
        Arc::new(Self {
            handle_cell: HandleCell::new(),
            raw,
            properties,
            context: context.clone(),
        })
    }

    /// The driver's handle.
    pub(crate) fn handle(&self) -> ze_sampler_handle_t {
        *self.raw
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        self.context.retire(self.raw.take());
    }
}

/// A sampler as Level Zero takes it.
fn describe(properties: &SamplerProperties) -> ze_sampler_desc_t {
    ze_sampler_desc_t {
        addressMode: match properties.addressing {
            SamplerAddressingMode::CLAMP_TO_EDGE => ZE_SAMPLER_ADDRESS_MODE_CLAMP,
            SamplerAddressingMode::CLAMP => ZE_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
            SamplerAddressingMode::REPEAT => ZE_SAMPLER_ADDRESS_MODE_REPEAT,
            SamplerAddressingMode::MIRRORED_REPEAT => ZE_SAMPLER_ADDRESS_MODE_MIRROR,
            _ => ZE_SAMPLER_ADDRESS_MODE_NONE,
        },
        filterMode: match properties.filter {
            SamplerFilterMode::LINEAR => ZE_SAMPLER_FILTER_MODE_LINEAR,
            _ => ZE_SAMPLER_FILTER_MODE_NEAREST,
        },
        isNormalized: properties.normalized.into(),
        ..Default::default()
    }
}

/// The same for a bindless image.
pub(crate) fn describe_bindless(properties: &SamplerProperties) -> UrResult<ze_sampler_desc_t> {
    Ok(describe(&properties.with_one_addressing()?))
}

impl kit::Sampler<LevelZero> for Sampler {
    fn create(context: &Arc<Context>, properties: &SamplerProperties) -> UrResult<Arc<Self>> {
        properties.without_bindless()?;
        let desc = describe(properties);
        let device = context.devices[0].raw;
        // SAFETY: a live context and a device of it, a description that lives until the call returns, and the sampler that
        // was just made.
        let raw = unsafe { Owned::new(ze_get!(zeSamplerCreate(**context.raw, device, &desc))?, true) };
        Ok(Self::new(raw, Some(*properties), context))
    }

    fn info(&self, query: SamplerInfo, out: InfoOut<'_>) -> UrResult<()> {
        match (query, &self.properties) {
            (SamplerInfo::CONTEXT, _) => out.handle(&self.context),
            (_, Some(properties)) => properties.info(query, out),
            // Level Zero does not tell those of a native sampler.
            (_, None) => kit::unsupported(),
        }
    }

    fn native(self: &Arc<Self>) -> UrResult<NativeHandle> {
        Ok(self.handle() as NativeHandle)
    }

    fn from_native(context: &Arc<Context>, native: NativeHandle, owned: bool) -> UrResult<Arc<Self>> {
        // SAFETY: the client vouches for its native handle.
        let raw = unsafe { Owned::new(native as ze_sampler_handle_t, owned) };
        Ok(Self::new(raw, None, context))
    }
}
