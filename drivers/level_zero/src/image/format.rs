// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Pixel formats: Level Zero's layouts, types and swizzles as OpenCL's channel orders and types.
//!
//! A layout names the components in memory red, green, blue and alpha. A swizzle says which of them, or which constant, each
//! channel gets. A component that the layout does not have is 0, or 1 for alpha: so all swizzles that OpenCL has match, as do
//! the identity for any layout and `X` ("don't care") for any channel.

use level_zero_sys::*;
use oxur_device_cpu::image::{Format, ImageError, channel, order};

use crate::entry::{Error, ZeResult, err};

/// What a channel gets.
#[derive(Clone, Copy, PartialEq)]
enum Source {
    /// The component with this index in memory.
    At(u8),
    Zero,
    One,
    Any,
}
use Source::{Any, At, One, Zero};

/// The orders, by the number of components, and what red, green, blue and alpha get. The first one that matches counts.
const ORDERS: [(usize, u32, [Source; 4]); 9] = [
    (1, order::R, [At(0), Zero, Zero, One]),
    (1, order::A, [Zero, Zero, Zero, At(0)]),
    (1, order::INTENSITY, [At(0); 4]),
    (1, order::LUMINANCE, [At(0), At(0), At(0), One]),
    (2, order::RG, [At(0), At(1), Zero, One]),
    (2, order::RA, [At(0), Zero, Zero, At(1)]),
    (4, order::RGBA, [At(0), At(1), At(2), At(3)]),
    (4, order::BGRA, [At(2), At(1), At(0), At(3)]),
    (4, order::ARGB, [At(1), At(2), At(3), At(0)]),
];

/// The number of components of a layout, and the bits of each. `None` for layouts that the device does not have.
fn components(layout: ze_image_format_layout_t) -> Option<(usize, u32)> {
    Some(match layout {
        ZE_IMAGE_FORMAT_LAYOUT_8 => (1, 8),
        ZE_IMAGE_FORMAT_LAYOUT_16 => (1, 16),
        ZE_IMAGE_FORMAT_LAYOUT_32 => (1, 32),
        ZE_IMAGE_FORMAT_LAYOUT_8_8 => (2, 8),
        ZE_IMAGE_FORMAT_LAYOUT_16_16 => (2, 16),
        ZE_IMAGE_FORMAT_LAYOUT_32_32 => (2, 32),
        ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8 => (4, 8),
        ZE_IMAGE_FORMAT_LAYOUT_16_16_16_16 => (4, 16),
        ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32 => (4, 32),
        _ => return None,
    })
}

fn channel_type(kind: ze_image_format_type_t, bits: u32) -> Option<u32> {
    Some(match (kind, bits) {
        (ZE_IMAGE_FORMAT_TYPE_UINT, 8) => channel::UNSIGNED_INT8,
        (ZE_IMAGE_FORMAT_TYPE_UINT, 16) => channel::UNSIGNED_INT16,
        (ZE_IMAGE_FORMAT_TYPE_UINT, 32) => channel::UNSIGNED_INT32,
        (ZE_IMAGE_FORMAT_TYPE_SINT, 8) => channel::SIGNED_INT8,
        (ZE_IMAGE_FORMAT_TYPE_SINT, 16) => channel::SIGNED_INT16,
        (ZE_IMAGE_FORMAT_TYPE_SINT, 32) => channel::SIGNED_INT32,
        (ZE_IMAGE_FORMAT_TYPE_UNORM, 8) => channel::UNORM_INT8,
        (ZE_IMAGE_FORMAT_TYPE_UNORM, 16) => channel::UNORM_INT16,
        (ZE_IMAGE_FORMAT_TYPE_SNORM, 8) => channel::SNORM_INT8,
        (ZE_IMAGE_FORMAT_TYPE_SNORM, 16) => channel::SNORM_INT16,
        (ZE_IMAGE_FORMAT_TYPE_FLOAT, 16) => channel::HALF_FLOAT,
        (ZE_IMAGE_FORMAT_TYPE_FLOAT, 32) => channel::FLOAT,
        _ => return None,
    })
}

/// What a channel gets by a swizzle. `alpha` is whether this is the alpha channel.
fn source(swizzle: ze_image_format_swizzle_t, count: usize, alpha: bool) -> Option<Source> {
    let at = match swizzle {
        ZE_IMAGE_FORMAT_SWIZZLE_R => 0,
        ZE_IMAGE_FORMAT_SWIZZLE_G => 1,
        ZE_IMAGE_FORMAT_SWIZZLE_B => 2,
        ZE_IMAGE_FORMAT_SWIZZLE_A => 3,
        ZE_IMAGE_FORMAT_SWIZZLE_0 => return Some(Zero),
        ZE_IMAGE_FORMAT_SWIZZLE_1 => return Some(One),
        ZE_IMAGE_FORMAT_SWIZZLE_X => return Some(Any),
        _ => return None,
    };
    Some(match at {
        _ if at < count => At(at as u8),
        3 if alpha => One,
        _ => Zero,
    })
}

/// The order of a layout with this many components.
fn channel_order(swizzles: [ze_image_format_swizzle_t; 4], count: usize) -> Option<u32> {
    use level_zero_sys::{
        ZE_IMAGE_FORMAT_SWIZZLE_0 as O, ZE_IMAGE_FORMAT_SWIZZLE_A as A, ZE_IMAGE_FORMAT_SWIZZLE_R as R,
    };
    // The last component may also be called alpha, after what is in it.
    match (count, swizzles) {
        (1, [O, O, O, A]) => return Some(order::A),
        (2, [R, O, O, A]) => return Some(order::RA),
        _ => {}
    }
    let mut wanted = [Any; 4];
    for (at, swizzle) in swizzles.into_iter().enumerate() {
        wanted[at] = source(swizzle, count, at == 3)?;
    }
    let matches = |sources: &[Source; 4]| {
        wanted
            .iter()
            .zip(sources)
            .all(|(one, other)| *one == Any || one == other)
    };
    let found = ORDERS
        .iter()
        .find(|(components, _, sources)| *components == count && matches(sources));
    found.map(|(_, order, _)| *order)
}

/// The format of an image.
pub(super) fn format_of(format: &ze_image_format_t, is_srgb: bool) -> ZeResult<Format> {
    let swizzles = [format.x, format.y, format.z, format.w];
    if format.layout > ZE_IMAGE_FORMAT_LAYOUT_32_32_32
        || format.type_ > ZE_IMAGE_FORMAT_TYPE_FLOAT
        || swizzles.iter().any(|swizzle| *swizzle > ZE_IMAGE_FORMAT_SWIZZLE_D)
    {
        return err(ZE_RESULT_ERROR_INVALID_ENUMERATION);
    }
    let found = || {
        let (count, bits) = components(format.layout)?;
        let found = Format {
            order: channel_order(swizzles, count)?,
            channel: channel_type(format.type_, bits)?,
        };
        Some(match found.order {
            order::RGBA if is_srgb => Format {
                order: order::SRGBA,
                ..found
            },
            _ if is_srgb => return None,
            _ => found,
        })
    };
    match found() {
        Some(found) if found.pixel_size().is_some() => Ok(found),
        Some(found) => Err(ImageError::Format(found).into()),
        None => Err(Error::new(
            ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT,
            format_args!(
                "images of {:?}, {:?} with the swizzle {swizzles:?} are not supported: one, two or four components of 8, 16 \
                 or 32 bits are, with swizzles that OpenCL has",
                format.layout, format.type_
            ),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const R: ze_image_format_swizzle_t = ZE_IMAGE_FORMAT_SWIZZLE_R;
    const G: ze_image_format_swizzle_t = ZE_IMAGE_FORMAT_SWIZZLE_G;
    const B: ze_image_format_swizzle_t = ZE_IMAGE_FORMAT_SWIZZLE_B;
    const A: ze_image_format_swizzle_t = ZE_IMAGE_FORMAT_SWIZZLE_A;
    const O: ze_image_format_swizzle_t = ZE_IMAGE_FORMAT_SWIZZLE_0;
    const I: ze_image_format_swizzle_t = ZE_IMAGE_FORMAT_SWIZZLE_1;
    const X: ze_image_format_swizzle_t = ZE_IMAGE_FORMAT_SWIZZLE_X;

    #[test]
    fn swizzles() {
        for (swizzles, count, expected) in [
            ([R, G, B, A], 1, Some(order::R)),
            ([R, O, O, I], 1, Some(order::R)),
            ([R, X, X, X], 1, Some(order::R)),
            ([O, O, O, R], 1, Some(order::A)),
            ([O, O, O, A], 1, Some(order::A)),
            ([R, R, R, R], 1, Some(order::INTENSITY)),
            ([R, R, R, I], 1, Some(order::LUMINANCE)),
            ([R, G, B, A], 2, Some(order::RG)),
            ([R, G, X, X], 2, Some(order::RG)),
            ([R, O, O, G], 2, Some(order::RA)),
            ([R, O, O, A], 2, Some(order::RA)),
            ([G, R, O, I], 2, None),
            ([R, G, B, A], 4, Some(order::RGBA)),
            ([R, G, B, X], 4, Some(order::RGBA)),
            ([B, G, R, A], 4, Some(order::BGRA)),
            ([G, B, A, R], 4, Some(order::ARGB)),
            ([R, G, B, I], 4, None),
            ([A, B, G, R], 4, None),
        ] {
            assert_eq!(channel_order(swizzles, count), expected, "{swizzles:?} {count}");
        }
    }

    #[test]
    fn formats() {
        let format = |layout, kind, swizzles: [ze_image_format_swizzle_t; 4], is_srgb| {
            let [x, y, z, w] = swizzles;
            let format = ze_image_format_t {
                layout,
                type_: kind,
                x,
                y,
                z,
                w,
            };
            format_of(&format, is_srgb)
                .map(|found| (found.order, found.channel))
                .map_err(|error| error.code())
        };
        let all = [R, G, B, A];
        let unsupported = Err(ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT);
        for (layout, kind, swizzles, is_srgb, expected) in [
            (
                ZE_IMAGE_FORMAT_LAYOUT_16,
                ZE_IMAGE_FORMAT_TYPE_FLOAT,
                all,
                false,
                Ok((0x10B0, 0x10DD)),
            ),
            (
                ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32,
                ZE_IMAGE_FORMAT_TYPE_UINT,
                all,
                false,
                Ok((0x10B5, 0x10DC)),
            ),
            (
                ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8,
                ZE_IMAGE_FORMAT_TYPE_UNORM,
                all,
                true,
                Ok((0x10C1, 0x10D2)),
            ),
            (
                ZE_IMAGE_FORMAT_LAYOUT_8_8,
                ZE_IMAGE_FORMAT_TYPE_UNORM,
                all,
                true,
                unsupported,
            ),
            (
                ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8,
                ZE_IMAGE_FORMAT_TYPE_UINT,
                all,
                true,
                unsupported,
            ),
            (
                ZE_IMAGE_FORMAT_LAYOUT_8,
                ZE_IMAGE_FORMAT_TYPE_FLOAT,
                all,
                false,
                unsupported,
            ),
            (
                ZE_IMAGE_FORMAT_LAYOUT_32,
                ZE_IMAGE_FORMAT_TYPE_UNORM,
                all,
                false,
                unsupported,
            ),
            (
                ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32,
                ZE_IMAGE_FORMAT_TYPE_FLOAT,
                [B, G, R, A],
                false,
                unsupported,
            ),
            (
                ZE_IMAGE_FORMAT_LAYOUT_NV12,
                ZE_IMAGE_FORMAT_TYPE_UINT,
                all,
                false,
                unsupported,
            ),
            (
                ZE_IMAGE_FORMAT_LAYOUT_5_6_5,
                ZE_IMAGE_FORMAT_TYPE_UNORM,
                all,
                false,
                unsupported,
            ),
        ] {
            assert_eq!(format(layout, kind, swizzles, is_srgb), expected, "{layout:?} {kind:?}");
        }
        let invalid = Err(ZE_RESULT_ERROR_INVALID_ENUMERATION);
        let (layout, kind) = (ze_image_format_layout_t(46), ZE_IMAGE_FORMAT_TYPE_UINT);
        assert_eq!(format(layout, kind, all, false), invalid);
        let layout = ZE_IMAGE_FORMAT_LAYOUT_8;
        assert_eq!(format(layout, ze_image_format_type_t(5), all, false), invalid);
        assert_eq!(
            format(layout, kind, [R, G, B, ze_image_format_swizzle_t(8)], false),
            invalid
        );
    }
}
