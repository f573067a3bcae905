// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Samplers.

use std::sync::Arc;

use kit::ur::{NativeHandle, SamplerAddressingMode, SamplerFilterMode};
use kit::{SamplerProperties, UrResult};
use level_zero_sys::*;
use oxur_adapter_kit as kit;

use crate::ze::{Owned, SamplerKind, ze_get};
use crate::{Context, LevelZero};

/// A sampler.
pub(crate) type Sampler = kit::DriverSampler<LevelZero, Owned<SamplerKind>>;

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

// Level Zero does not tell the properties of a native sampler.
impl kit::NativeSampler<LevelZero> for Owned<SamplerKind> {
    fn create(context: &Arc<Context>, properties: &SamplerProperties) -> UrResult<Self> {
        let (desc, device) = (describe(properties), context.devices[0].raw);
        // SAFETY: a live context and a device of it, a description that lives until the call returns, and the sampler that
        // was just made.
        unsafe { Ok(Self::new(ze_get!(zeSamplerCreate(**context.raw, device, &desc))?, true)) }
    }

    fn native(&self, _context: &Arc<Context>) -> UrResult<NativeHandle> {
        Ok(**self as NativeHandle)
    }

    fn from_native(native: NativeHandle, owned: bool) -> UrResult<Self> {
        // SAFETY: the client vouches for its native handle.
        Ok(unsafe { Self::new(native as ze_sampler_handle_t, owned) })
    }
}
