// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Samplers.

use super::*;

ur_types! {
    /// How a sampler derives a value from neighbouring pixels.
    enum SamplerFilterMode = ur_sampler_filter_mode_t, UR_SAMPLER_FILTER_MODE_ {
        /// Takes the single closest pixel
        NEAREST = 0,
        /// Interpolates between the surrounding pixels along each axis
        LINEAR = 1,
    }

    /// Specifies how a sampler handles coordinates outside the image.
    enum SamplerAddressingMode = ur_sampler_addressing_mode_t, UR_SAMPLER_ADDRESSING_MODE_ {
        /// Undefined outside; the kernel guarantees coordinates in range
        NONE = 0,
        /// Repeats the outermost pixel
        CLAMP_TO_EDGE = 1,
        /// Yields the border colour
        CLAMP = 2,
        /// Wraps around, tiling the image; needs normalised coordinates
        REPEAT = 3,
        /// Tiles the image, flipping every second tile; needs normalised coordinates
        MIRRORED_REPEAT = 4,
    }

    /// Selects what urSamplerGetInfo reports.
    enum SamplerInfo = ur_sampler_info_t, UR_SAMPLER_INFO_ {
        /// Current reference count; a snapshot, useful only for debugging leaks
        REFERENCE_COUNT = 0 => (u32),
        /// Context that owns the sampler; not retained for the caller
        CONTEXT = 1 => (ContextHandle),
        /// Whether coordinates run over [0, 1) instead of pixels
        NORMALIZED_COORDS = 2 => (Bool),
        /// Treatment of out-of-range coordinates
        ADDRESSING_MODE = 3 => (SamplerAddressingMode),
        /// Nearest or linear filtering
        FILTER_MODE = 4 => (SamplerFilterMode),
    }

    /// Complete state of a sampler, fixed at creation.
    struct SamplerDesc = ur_sampler_desc_t, SAMPLER_DESC {
        [in] stype: StructureType,
        [in, optional] pNext: *const c_void,
        /// true: coordinates run over [0, 1); false: they count pixels
        [in] normalizedCoords: bool,
        /// treatment of coordinates outside the image
        [in] addressingMode: SamplerAddressingMode,
        /// nearest or linear filtering
        [in] filterMode: SamplerFilterMode,
    }

    /// Options for adopting a native sampler.
    struct SamplerNativeProperties = ur_sampler_native_properties_t, SAMPLER_NATIVE_PROPERTIES {
        [in] stype: StructureType,
        [inout, optional] pNext: *mut c_void,
        /// true: UR destroys the native sampler together with the last UR reference
        [in] isNativeHandleOwned: bool,
    }
}
