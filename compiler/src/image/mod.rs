// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Images: the functions that compiled code calls to read, sample and write them, and how these calls are emitted.
//!
//! [`format`](mod@format) converts pixels to numbers and back. [`sample`] implements addressing and filtering. [`emit`]
//! emits SPIR-V's image instructions for `lower`. No coordinates access memory outside of an image: reads return the border
//! color, writes do nothing.

// Vectors are passed in registers, which is what Rust does with these types in `extern "C"` functions.
#![allow(improper_ctypes_definitions)]

pub(crate) mod code;
mod emit;
pub(crate) mod format;
mod sample;
#[cfg(test)]
pub(crate) mod tests;

#[cfg(test)]
use emit::emit_image;
pub use emit::{ImageCall, Level, operands};

use crate::target::host::registers::{Floats, Ints, Register};
use crate::{Image, SamplerBits};

/// The shape of an image, as its type in SPIR-V says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A row.
    D1,
    /// An array of rows.
    D1Array,
    /// A plane.
    D2,
    /// An array of planes.
    D2Array,
    /// A box.
    D3,
    /// The six faces of a cube.
    Cube,
}

impl Shape {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::D1, Self::D1Array, Self::D2, Self::D2Array, Self::D3, Self::Cube];

    /// That of a type with this `Dim`.
    pub fn new(dim: u32, is_array: bool) -> Option<Self> {
        const D1: u32 = spirv::Dim::Dim1D as u32;
        const D2: u32 = spirv::Dim::Dim2D as u32;
        const D3: u32 = spirv::Dim::Dim3D as u32;
        const CUBE: u32 = spirv::Dim::DimCube as u32;
        const BUFFER: u32 = spirv::Dim::DimBuffer as u32;
        Some(match (dim, is_array) {
            (D1 | BUFFER, false) => Self::D1,
            (D1, true) => Self::D1Array,
            (D2, false) => Self::D2,
            (D2, true) => Self::D2Array,
            (D3, false) => Self::D3,
            (CUBE, false) => Self::Cube,
            _ => return None,
        })
    }

    /// What functions for images of this shape are called after.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::D1 => "1d",
            Self::D1Array => "1da",
            Self::D2 => "2d",
            Self::D2Array => "2da",
            Self::D3 => "3d",
            Self::Cube => "cube",
        }
    }

    /// The coordinates in an image, or in one of an array. Without a sampler, faces of a cube are an array.
    pub fn dimensions(self) -> usize {
        match self {
            Self::D1 | Self::D1Array => 1,
            Self::D2 | Self::D2Array | Self::Cube => 2,
            Self::D3 => 3,
        }
    }

    /// Whether a coordinate selects an image of an array.
    pub fn is_array(self) -> bool {
        matches!(self, Self::D1Array | Self::D2Array | Self::Cube)
    }
}

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident($sampler:ty, $coordinate:ty) -> $register:ty = $function:path;)*) => {
        $(
            $(#[$doc])*
            ///
            /// # Safety
            /// `image` must point to a valid image, whose pixels are readable.
            unsafe extern "C" fn $name(
                image: *const Image,
                sampler: $sampler,
                x: $coordinate,
                y: $coordinate,
                z: $coordinate,
            ) -> $register {
                // SAFETY: guaranteed by the caller.
                let image = unsafe { &*image };
                Register::of($function(image, SamplerBits(sampler), [x, y, z]))
            }
        )*
    };
}

functions! {
    /// Samples at floating-point coordinates.
    oxur_image_sample_float(u32, f32) -> Floats = sample::sample;
    /// Samples an image of integers.
    oxur_image_sample_int(u32, f32) -> Ints = sample::sample_nearest;
    /// Reads a pixel, with or without a sampler.
    oxur_image_read_float(u32, i32) -> Floats = sample::read;
    /// Reads a pixel of an image of integers.
    oxur_image_read_int(u32, i32) -> Ints = sample::read;
}

/// Writes a pixel.
///
/// # Safety
/// `image` must point to a valid image, whose pixels are writable. No other thread may access the pixel concurrently.
unsafe extern "C" fn oxur_image_write_float(image: *const Image, x: i32, y: i32, z: i32, texel: Floats) {
    // SAFETY: guaranteed by the caller.
    let image = unsafe { &*image };
    // SAFETY: `sample::write` passes the address of a pixel of the image.
    sample::write(image, [x, y, z], |at| unsafe {
        format::encode_float(image, at, texel.numbers())
    });
}

/// Writes a pixel of an image of integers.
///
/// # Safety
/// As for [`oxur_image_write_float`].
unsafe extern "C" fn oxur_image_write_int(image: *const Image, x: i32, y: i32, z: i32, texel: Ints) {
    // SAFETY: guaranteed by the caller.
    let image = unsafe { &*image };
    // SAFETY: `sample::write` passes the address of a pixel of the image.
    sample::write(image, [x, y, z], |at| unsafe {
        format::encode_int(image, at, texel.numbers())
    });
}

/// The function of this module that compiled code calls by a name. They are the same for all [shapes](Shape).
pub fn symbol(name: &str) -> Option<*const ()> {
    let what = name.strip_prefix("oxur_image_")?;
    let (of_all, shape) = what.rsplit_once('_').unwrap_or((what, ""));
    let what = match Shape::ALL.iter().any(|known| known.suffix() == shape) {
        true => of_all,
        false => what,
    };
    Some(match what {
        "sample_float" => oxur_image_sample_float as *const (),
        "sample_int" => oxur_image_sample_int as *const (),
        "read_float" => oxur_image_read_float as *const (),
        "read_int" => oxur_image_read_int as *const (),
        "write_float" => oxur_image_write_float as *const (),
        "write_int" => oxur_image_write_int as *const (),
        _ => return None,
    })
}
