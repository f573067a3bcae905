// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Bindless images.
//!
//! Image memory is USM of the device, with levels of mipmaps one behind the other; its number is the address of its pixels,
//! and that of a level is the address of the level's. The handle of an image is the address of its descriptors, one for each
//! level. Both are in a registry of the context, so that a number that is none is an error.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::Arc;

use kit::ur::*;
use kit::{
    BindlessBox, BindlessCopy, BindlessImage, BindlessPlace, BindlessSide, BindlessUse, BoxSide, ImageShape, InfoOut,
    SamplerProperties, UrError, UrResult, UsmAlloc,
};
use oxur_adapter_kit as kit;
use oxur_compiler::nvptx::ImageDescriptor;
use oxur_device_cpu::image::Format;

use super::{LIMITS, allocate, descriptor, format_of, free, write};
use crate::{Context, Cuda, Device, sampler};

/// What each level of image memory begins at a multiple of, in bytes.
const LEVEL_ALIGN: usize = 256;

/// The most levels: those of the longest side.
const MOST_LEVELS: u32 = LIMITS.sides[0].ilog2() + 1;

/// What rows of USM that become an image are best apart, in bytes: a transaction of memory. They need only be a multiple of a
/// pixel apart.
pub(crate) const PITCH_ALIGN: usize = 32;

/// How many bytes rows of USM that become an image may be apart: as many as the longest has.
pub(crate) const MOST_PITCH: usize = LIMITS.sides[1] as usize * 16;

/// The bindless images of a context.
#[derive(Default)]
pub(crate) struct Registry {
    /// By the address of the first pixel.
    memory: BTreeMap<usize, Memory>,
    /// By the address of the descriptors, whether there is a sampler.
    handles: BTreeMap<usize, bool>,
}

/// Image memory.
struct Memory {
    format: ImageFormat,
    /// The bytes of a pixel.
    pixel: usize,
    /// The bytes of all levels.
    size: usize,
    levels: Vec<Level>,
}

/// A level of image memory.
struct Level {
    address: usize,
    shape: ImageShape,
}

#[cold]
fn no_memory(memory: ExpImageMemNativeHandle) -> UrError {
    kit::error!(ERROR_INVALID_VALUE: "{memory:#x} is no image memory of the context")
}

impl Registry {
    /// Whether an address is inside of image memory.
    fn covers(&self, address: usize) -> bool {
        let before = self.memory.range(..=address).next_back();
        before.is_some_and(|(start, memory)| address - start < memory.size)
    }

    /// The image memory that a number is of, and the level that it stands for.
    fn find(&self, number: ExpImageMemNativeHandle) -> UrResult<(&Memory, usize)> {
        let before = self.memory.range(..=number).next_back();
        let found = before.and_then(|(_, memory)| {
            let level = memory.levels.iter().position(|level| level.address == number)?;
            Some((memory, level))
        });
        found.ok_or_else(|| no_memory(number))
    }
}

/// A format, and the bytes of a pixel. The functions have one code for all that is wrong with it.
fn pixel_format(format: &ImageFormat) -> UrResult<(Format, usize)> {
    format_of(format).map_err(|error| error.with_code(ResultCode::ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR))
}

/// The shapes of all levels that a description has.
fn shapes(image: BindlessImage<'_>, pixel: usize) -> UrResult<Vec<ImageShape>> {
    let count = image.desc.numMipLevel.max(1);
    if count > MOST_LEVELS {
        kit::bail!(ERROR_INVALID_VALUE: "an image has {MOST_LEVELS} levels at most, not {count}");
    }
    let mut desc = *image.desc;
    if desc.r#type == MemType::IMAGE_CUBEMAP_EXP {
        if desc.arraySize != 6 || desc.width != desc.height {
            kit::bail!(
                ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR: "a cube has six square faces, not {} of {} by {} pixels",
                desc.arraySize, desc.width, desc.height
            );
        }
        desc.r#type = MemType::IMAGE2D_ARRAY;
    }
    let level = |level: u32| {
        let side = |length: usize| if length == 0 { 0 } else { (length >> level).max(1) };
        let desc = ImageDesc {
            width: side(desc.width),
            height: side(desc.height),
            depth: side(desc.depth),
            ..desc
        };
        ImageShape::new(image.format, &desc, pixel, &LIMITS)
    };
    (0..count).map(level).collect()
}

/// The row pitch of pixels in USM that a description gives, or that of rows without gaps.
fn pitch_of(desc: &ImageDesc, row: usize, pixel: usize) -> UrResult<usize> {
    match desc.rowPitch {
        0 => Ok(row),
        pitch if (row..=MOST_PITCH).contains(&pitch) && pitch.is_multiple_of(pixel) => Ok(pitch),
        pitch => Err(kit::error!(
            ERROR_INVALID_VALUE:
                "rows of {row} bytes cannot be {pitch} bytes apart: that is a multiple of {pixel}, and {MOST_PITCH} at most"
        )),
    }
}

impl kit::BindlessImages<Cuda> for Context {
    fn image_alloc(
        self: &Arc<Self>,
        device: &Arc<Device>,
        image: BindlessImage<'_>,
    ) -> UrResult<ExpImageMemNativeHandle> {
        let (_, pixel) = pixel_format(image.format)?;
        let shapes = shapes(image, pixel)?;
        let mut size = 0_usize;
        let offsets: Vec<_> = shapes
            .iter()
            .map(|shape| {
                let at = size;
                size = (size + shape.bytes()).next_multiple_of(LEVEL_ALIGN);
                at
            })
            .collect();
        let address = allocate(self, Some(device), size)?;
        let level = |(shape, offset)| Level {
            address: address + offset,
            shape,
        };
        let memory = Memory {
            format: *image.format,
            pixel,
            size,
            levels: shapes.into_iter().zip(offsets).map(level).collect(),
        };
        self.bindless.lock().memory.insert(address, memory);
        Ok(address)
    }

    fn image_free(self: &Arc<Self>, memory: ExpImageMemNativeHandle) -> UrResult<()> {
        let known = self.bindless.lock().memory.remove(&memory);
        known.ok_or_else(|| no_memory(memory))?;
        free(self, memory);
        Ok(())
    }

    fn mipmap_level(
        self: &Arc<Self>,
        memory: ExpImageMemNativeHandle,
        level: u32,
    ) -> UrResult<ExpImageMemNativeHandle> {
        let registry = self.bindless.lock();
        let (memory, first) = registry.find(memory)?;
        match memory.levels[first..].get(level as usize) {
            Some(level) => Ok(level.address),
            None => Err(kit::error!(
                ERROR_INVALID_VALUE: "image memory of {} levels has no level {level}", memory.levels.len() - first
            )),
        }
    }

    fn image_memory_info(
        self: &Arc<Self>,
        memory: ExpImageMemNativeHandle,
        query: ImageInfo,
        out: InfoOut<'_>,
    ) -> UrResult<()> {
        let registry = self.bindless.lock();
        let (memory, first) = registry.find(memory)?;
        match query {
            ImageInfo::FORMAT => out.value(memory.format),
            ImageInfo::NUM_MIP_LEVELS => out.value((memory.levels.len() - first) as u32),
            _ => memory.levels[first].shape.info(query, out),
        }
    }

    fn image_handle(
        self: &Arc<Self>,
        device: &Arc<Device>,
        memory: ExpImageMemNativeHandle,
        image: BindlessImage<'_>,
        sampler: Option<&SamplerProperties>,
    ) -> UrResult<ExpImageNativeHandle> {
        let (format, pixel) = pixel_format(image.format)?;
        let mut descriptors = self.descriptors(memory, image, format, pixel)?;
        match sampler {
            Some(sampler) => {
                if sampler.cubemap == Some(ExpSamplerCubemapFilterMode::SEAMLESS) {
                    kit::bail!(ERROR_UNSUPPORTED_FEATURE: "filters do not cross the edges of a cube's faces");
                }
                let (mut bits, mut levels) = (sampler::bits(sampler), (0.0, MOST_LEVELS as f32));
                if let Some(mip) = sampler.mip {
                    levels = (mip.min_level, mip.max_level);
                    if mip.filter == SamplerFilterMode::LINEAR {
                        bits = bits.with_linear_levels();
                    }
                }
                for descriptor in &mut descriptors {
                    descriptor.image.sampler = bits;
                    (descriptor.min_level, descriptor.max_level) = levels;
                }
            }
            // Levels are a sampler's.
            None => descriptors.truncate(1),
        }
        let count = descriptors.len() as u32;
        descriptors.iter_mut().for_each(|descriptor| descriptor.levels = count);
        let address = allocate(self, Some(device), size_of_val(&descriptors[..]))?;
        write(self, address, &descriptors).inspect_err(|_| free(self, address))?;
        self.bindless.lock().handles.insert(address, sampler.is_some());
        Ok(address)
    }

    fn image_handle_destroy(self: &Arc<Self>, image: ExpImageNativeHandle, sampled: bool) -> UrResult<()> {
        {
            let mut registry = self.bindless.lock();
            if registry.handles.get(&image) != Some(&sampled) {
                let kind = if sampled { "a sampled" } else { "an unsampled" };
                kit::bail!(ERROR_INVALID_VALUE: "{image:#x} is no handle of {kind} image of the context");
            }
            registry.handles.remove(&image);
        }
        free(self, image);
        Ok(())
    }

    fn supports_image(
        self: &Arc<Self>,
        _device: &Arc<Device>,
        image: BindlessImage<'_>,
        memory: ExpImageMemType,
        _use: BindlessUse,
    ) -> UrResult<bool> {
        let Ok((_, pixel)) = format_of(image.format) else {
            return Ok(false);
        };
        let may_be_usm = is_flat(image.desc) && image.desc.numMipLevel <= 1;
        Ok((memory != ExpImageMemType::USM_POINTER || may_be_usm) && shapes(image, pixel).is_ok())
    }

    fn imports_memory(_device: &Arc<Device>, _kind: ExpExternalMemType) -> UrResult<bool> {
        Ok(false)
    }
}

/// Whether USM can be an image of this kind.
fn is_flat(desc: &ImageDesc) -> bool {
    matches!(desc.r#type, MemType::IMAGE1D | MemType::IMAGE2D)
}

impl Context {
    /// The descriptors of all levels of image memory, or of USM.
    fn descriptors(
        self: &Arc<Self>,
        memory: usize,
        image: BindlessImage<'_>,
        format: Format,
        pixel: usize,
    ) -> UrResult<Vec<ImageDescriptor>> {
        let shapes = shapes(image, pixel)?;
        let row = |shape: &ImageShape| shape.pixels()[0] as usize * pixel;
        {
            let registry = self.bindless.lock();
            if let Ok((known, first)) = registry.find(memory) {
                let levels = &known.levels[first..];
                // The format may be another one with as large pixels: it is how kernels see them.
                let sides = |shape: &ImageShape| (shape.pixels(), shape.layers());
                let same = |(level, shape): (&Level, &ImageShape)| sides(&level.shape) == sides(shape);
                let fits = shapes.len() <= levels.len() && levels.iter().zip(&shapes).all(same);
                if known.pixel != pixel || !fits {
                    kit::bail!(
                        ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR: "the image memory has another size than {:?}", image.desc
                    );
                }
                let of_level =
                    |(level, shape): (&Level, &ImageShape)| descriptor(format, shape, level.address, row(shape));
                return levels.iter().zip(&shapes).map(of_level).collect();
            }
            if registry.covers(memory) {
                return Err(no_memory(memory));
            }
        }
        if !is_flat(image.desc) || shapes.len() != 1 {
            kit::bail!(
                ERROR_INVALID_VALUE:
                    "{memory:#x} is no image memory of the context. USM can be images of one or two dimensions, without mipmaps"
            );
        }
        let shape = &shapes[0];
        let pitch = pitch_of(image.desc, row(shape), pixel)?;
        let bytes = pitch * (shape.pixels()[1] as usize - 1) + row(shape);
        let rest = self.usm_rest(memory as *const c_void);
        if rest == usize::MAX || rest < bytes || !memory.is_multiple_of(pixel) {
            kit::bail!(
                ERROR_INVALID_VALUE:
                    "an image of {bytes} bytes cannot be at {memory:#x}: that is no USM of the context, too short, or not \
                     aligned for pixels of {pixel} bytes"
            );
        }
        Ok(vec![descriptor(format, shape, memory, pitch)?])
    }

    /// What a copy of bindless images is: both sides, and the size in bytes, rows and slices.
    pub(crate) fn bindless_copy(&self, copy: &BindlessCopy<'_>) -> UrResult<(BoxSide, BoxSide, [usize; 3])> {
        let BindlessBox { bytes, pixel } = BindlessBox::new(copy, |format| Some(format_of(format).ok()?.1))?;
        if bytes.width == 0 {
            kit::bail!(ERROR_INVALID_IMAGE_SIZE: "a row of a copy has at least one byte");
        }
        let size = [bytes.width, bytes.height, bytes.depth].map(|side| side as usize);
        let to = self.side(&copy.dst, copy.region.dstOffset, size, pixel)?;
        let from = self.side(&copy.src, copy.region.srcOffset, size, pixel)?;
        Ok((to, from, size))
    }

    /// A side of a copy: where the box begins that has this size.
    fn side(
        &self,
        side: &BindlessSide<'_>,
        RectOffset { x, y, z }: RectOffset,
        size: [usize; 3],
        pixel: usize,
    ) -> UrResult<BoxSide> {
        let origin = [x, y, z].map(|at| at as usize);
        let ends = [0, 1, 2].map(|d| origin[d].saturating_add(size[d]));
        let (address, [row_pitch, slice_pitch]) = match side.place {
            BindlessPlace::Memory(memory) => self.in_memory(memory, ends, size[2] != 1 || z != 0, pixel)?,
            BindlessPlace::Pointer(pointer) => {
                let pitches = pitches(side.image.desc, ends, pixel)?;
                let [row, slice] = pitches;
                let last = [
                    ends[0],
                    row.saturating_mul(ends[1] - 1),
                    slice.saturating_mul(ends[2] - 1),
                ];
                let (last, rest) = (last.into_iter().fold(0, usize::saturating_add), self.usm.rest(pointer));
                if last > rest || last == usize::MAX {
                    kit::bail!(ERROR_INVALID_IMAGE_SIZE: "{last} bytes are copied at {pointer:p}, where there are {rest}");
                }
                (pointer.addr(), pitches)
            }
        };
        Ok(BoxSide {
            address,
            origin,
            row_pitch,
            slice_pitch,
        })
    }

    /// Where image memory is, and its pitches, for a box that ends there. The layers of an array of rows may be told as slices.
    fn in_memory(
        &self,
        memory: usize,
        ends: [usize; 3],
        has_slices: bool,
        pixel: usize,
    ) -> UrResult<(usize, [usize; 2])> {
        let registry = self.bindless.lock();
        let (memory, level) = registry.find(memory)?;
        let level = &memory.levels[level];
        let whole = level.shape.extent();
        let mut sides = [whole.width, whole.height, whole.depth].map(|side| side as usize);
        if level.shape.kind() == MemType::IMAGE1D_ARRAY && has_slices {
            sides = [sides[0], 1, sides[1]];
        }
        sides[0] *= memory.pixel;
        if memory.pixel != pixel || !(0..3).all(|d| ends[d] <= sides[d]) {
            kit::bail!(
                ERROR_INVALID_IMAGE_SIZE:
                    "a box that ends at {ends:?} is not inside of an image of {sides:?}, where the first is in bytes and pixels \
                     have {} of them, not {pixel}",
                memory.pixel
            );
        }
        Ok((level.address, [sides[0], sides[0] * sides[1]]))
    }
}

/// The pitches of pixels in memory that a description says, of which a copy uses a box that ends there.
fn pitches(desc: &ImageDesc, ends: [usize; 3], pixel: usize) -> UrResult<[usize; 2]> {
    let or = |side: usize, other: usize| if side == 0 { other } else { side };
    let row_pitch = or(desc.rowPitch, or(desc.width.saturating_mul(pixel), ends[0]));
    let slice = row_pitch.saturating_mul(or(desc.height, ends[1]));
    let slice_pitch = or(desc.slicePitch, slice);
    let is_one_slice = ends[2] == 1 || slice_pitch >= row_pitch.saturating_mul(ends[1]);
    match ends[0] <= row_pitch && is_one_slice {
        true => Ok([row_pitch, slice_pitch]),
        false => Err(kit::error!(
            ERROR_INVALID_IMAGE_SIZE:
                "a box that ends at {ends:?} does not fit rows that are {row_pitch} bytes apart, and slices that are \
                 {slice_pitch} bytes apart"
        )),
    }
}
