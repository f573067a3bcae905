// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Samplers.

use std::sync::Arc;

use level_zero_sys::*;
use oxur_compiler::SamplerBits;

use crate::entry::{ZeResult, entry, err};
use crate::handle::{destroy, export, object, out, required};
use crate::{Context, Device};

/// A sampler.
pub(crate) struct Sampler {
    bits: SamplerBits,
}

impl Sampler {
    /// What kernels get.
    pub(crate) fn bits(&self) -> SamplerBits {
        self.bits
    }
}

/// What kernels get for a descriptor.
pub(crate) fn bits_of(desc: &ze_sampler_desc_t) -> ZeResult<SamplerBits> {
    // SPIR-V has other numbers.
    let addressing = match desc.addressMode {
        ZE_SAMPLER_ADDRESS_MODE_NONE => 0,
        ZE_SAMPLER_ADDRESS_MODE_CLAMP => 1,
        ZE_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER => 2,
        ZE_SAMPLER_ADDRESS_MODE_REPEAT => 3,
        ZE_SAMPLER_ADDRESS_MODE_MIRROR => 4,
        _ => return err(ZE_RESULT_ERROR_INVALID_ENUMERATION),
    };
    let linear = match desc.filterMode {
        ZE_SAMPLER_FILTER_MODE_NEAREST => false,
        ZE_SAMPLER_FILTER_MODE_LINEAR => true,
        _ => return err(ZE_RESULT_ERROR_INVALID_ENUMERATION),
    };
    Ok(SamplerBits::new(desc.isNormalized != 0, addressing, linear))
}

entry! {
    fn zeSamplerCreate(
        context: ze_context_handle_t,
        device: ze_device_handle_t,
        desc: *const ze_sampler_desc_t,
        sampler: *mut ze_sampler_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        unsafe {
            let (context, device) = (object::<Context>(context)?, object::<Device>(device)?);
            let (desc, sampler) = (required(desc)?, out(sampler)?);
            let bits = bits_of(desc)?;
            context.check_device(device)?;
            *sampler = export(Arc::new(Sampler { bits }));
        }
        Ok(())
    }

    fn zeSamplerDestroy(sampler: ze_sampler_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe { destroy::<Sampler>(sampler) }?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bits are those of SPIR-V's `OpConstantSampler`: normalized, addressing, filter.
    #[test]
    fn numbers_of_spirv() {
        let bits = |address: u32, filter: u32, normalized| {
            let desc = ze_sampler_desc_t {
                addressMode: ze_sampler_address_mode_t(address),
                filterMode: ze_sampler_filter_mode_t(filter),
                isNormalized: normalized,
                ..Default::default()
            };
            bits_of(&desc).map(|bits| bits.0).map_err(|error| error.code())
        };
        assert_eq!(bits(0, 0, 0), Ok(0));
        assert_eq!(bits(1, 0, 1), Ok(1 | 3 << 1), "repeat");
        assert_eq!(bits(2, 1, 0), Ok(1 << 1 | 1 << 4), "clamp to edge");
        assert_eq!(bits(3, 0, 0), Ok(2 << 1), "clamp to border");
        assert_eq!(bits(4, 1, 1), Ok(1 | 4 << 1 | 1 << 4), "mirror");
        let invalid = Err(ZE_RESULT_ERROR_INVALID_ENUMERATION);
        assert_eq!((bits(5, 0, 0), bits(0, 2, 0)), (invalid, invalid));
    }
}
